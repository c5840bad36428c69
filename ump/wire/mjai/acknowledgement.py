"""Acknowledgements: the outcome of a client's reply, and the reason."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Status(Enum):
    """The outcome of a reply."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    """The action is not legal."""
    UNPARSEABLE = "unparseable"
    STALE = "stale"
    """The reply came too late, or belongs to an old request."""
    DEFAULTED = "defaulted"
    """No reply came in time: the server has acted."""


LATE: Final = "late"
"""The reason of ``stale`` and ``defaulted``: the time had run out."""

DECIDED: Final = "decided"
"""The reason of ``stale``: other players' answers had decided, so that no reply was needed."""

REPEATED: Final = "repeated"
"""The reason of ``stale``: an earlier message was the reply to this request, or to a later one."""

UNKNOWN: Final = "unknown"
"""The reason of ``stale``: no request has this id."""
