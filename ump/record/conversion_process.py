"""A process that converts one record for a program that must not wait for it: from standard input to standard output.

    python -m ump.record.conversion_process TARGET

``TARGET`` is the key of a format that is written, ``REPLAY``, or that of a review (``review_target``). The exit status
is ``UNREADABLE`` if the record cannot be converted; the output says why then.
"""

from __future__ import annotations

import os
import sys

from ump.model.seats import Seat
from ump.record.conversion import Conversion, convert, replay_data
from ump.record.recorded_game import RecordError
from ump.record.review_report import review_by_policy

REPLAY = "replay"
"""The target that the page for replays shows."""

REVIEW = "review"
"""The first part of the target that reviews a seat for that page."""

UNREADABLE = 2

PRIORITY = 10
"""The niceness of the process."""


def review_target(seat: Seat, kind: str) -> str:
    """Return the target for the review of a seat by a built-in policy."""
    return f"{REVIEW}:{seat}:{kind}"


def converted(data: bytes, target: str) -> bytes:
    """Return the games of a record for the replay page, or the first one in another format; raises RecordError."""
    if target == REPLAY:
        return replay_data(data)
    if target.startswith(f"{REVIEW}:"):
        _, seat, kind = target.split(":")
        return review_by_policy(data, int(seat), kind)
    return convert("record", data, Conversion(target, lossy=True)).games[0]


def main(target: str) -> int:
    """Convert standard input; return the exit status."""
    os.nice(PRIORITY)
    try:
        result, status = converted(sys.stdin.buffer.read(), target), 0
    except RecordError as error:
        result, status = str(error).encode(), UNREADABLE
    except MemoryError:
        result, status = b"the record takes too much memory to convert", UNREADABLE
    sys.stdout.buffer.write(result)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
