"""The distribution that pip has installed: its version, those of its dependencies, and the folder of its user."""

from __future__ import annotations

import os
import sys
from pathlib import Path

DISTRIBUTION = "ump-mahjong"
"""Its name on PyPI, where ``ump`` is another project."""


def installed_version() -> str:
    """Return the version, which names the commit; ``unknown`` for a checkout that is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # takes 50 ms

    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"


def state_folder() -> Path:
    """Return the folder in which the programs of one user keep what lasts; it need not exist."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (state if state.is_absolute() else Path.home() / ".local" / "state") / "ump"


def unmet_requirement() -> str:
    """Return a dependency that is missing or has a wrong version, as ``click 8.1 or newer, found 7.0``; "" without one.

    Other packages in the same environment can have replaced it. A dependency of an extra counts if this process has
    imported it.
    """
    from importlib.metadata import PackageNotFoundError, requires, version

    try:
        from packaging.requirements import Requirement

        written = requires(DISTRIBUTION) or []
    except (ImportError, PackageNotFoundError):  # Twisted, which brings packaging, or ump is not installed
        return ""
    imported = _imported_distributions()
    for needed in map(Requirement, written):
        is_for_all = needed.marker is None or needed.marker.evaluate({"extra": ""})
        if not is_for_all and needed.name not in imported:
            continue
        try:
            found = version(needed.name)
        except PackageNotFoundError:
            return f"{needed.name}, which is not installed"
        if not needed.specifier.contains(found, prereleases=True):
            return f"{needed.name} {str(needed.specifier).removeprefix('>=')} or newer, found {found}"
    return ""


def _imported_distributions() -> set[str]:
    """Return the distributions of which this process has imported a module, named as in requirements."""
    from importlib.metadata import packages_distributions

    imported: set[str] = set()
    for module, distributions in packages_distributions().items():
        if module in sys.modules:
            imported.update(name.lower().replace("_", "-") for name in distributions)
    return imported
