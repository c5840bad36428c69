"""The first words of the remarks in logs and traces about what a client has sent, and which of them name a fault."""

from __future__ import annotations

from ump.wire.session import Staleness

REFUSED = "refused"
LATE = "late"
DROPPED = "dropped"
SILENT = "no reply in time"
CLOSED = "closed"
"""The server has closed the connection; the reason follows."""
UNREADABLE = "cannot be read"
"""What is wrong with a text follows; a refusal comes next, so this is no fault of its own."""
UNANSWERED = "the client has not answered the farewell"

FAULTS = (REFUSED, LATE, DROPPED, SILENT, CLOSED)
"""Remarks about faults of the client begin with one of these words."""

HARMLESS = tuple(
    f"{DROPPED}: {why.value}"
    for why in (Staleness.EMPTY, Staleness.CLOSING, Staleness.LATE, Staleness.DECIDED, Staleness.EXPLAINED)
)
"""Remarks about messages that a client may send without a fault: they crossed a decision of the server."""


def is_fault(remark: str) -> bool:
    """Tell whether a remark names a fault of the client."""
    return remark.startswith(FAULTS) and not remark.startswith(HARMLESS)
