"""The one error of reading records."""

from __future__ import annotations


class RecordError(ValueError):
    """A record that cannot be read: damaged, too large, or no record at all. Its text is one line that says why."""
