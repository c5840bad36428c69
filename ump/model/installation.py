"""The distribution that pip has installed, and its version."""

from __future__ import annotations

DISTRIBUTION = "ump-mahjong"
"""Its name on PyPI, where ``ump`` is another project."""


def installed_version() -> str:
    """Return the version, which names the commit; ``unknown`` for a checkout that is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # takes 50 ms

    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"
