"""A process that converts one record for a program that must not wait for it: from standard input to standard output.

    python -m ump.record.conversion_process TARGET

``TARGET`` is the key of a format that is written, ``REPLAY``, or of ``review_target``, ``likeness_target``,
``profile_target`` or ``branch_target``. The exit status is ``UNREADABLE`` if the record cannot be converted; the output
says why then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from ump.model.seats import Seat
from ump.record.branch import branch_at, branch_data, events_at
from ump.record.conversion import Conversion, convert, replay_data
from ump.record.decisions import games_of, read_record
from ump.record.likeness import agreement_data, agreement_of
from ump.record.profile import profile_data, profile_of
from ump.record.record_files import RecordSource
from ump.record.recorded_game import RecordError
from ump.record.review_report import review_by_policy
from ump.wire.json_text import write

REPLAY = "replay"
"""The target that the page for replays shows."""

REVIEW = "review"
"""The first part of the target that reviews a seat for that page."""

LIKENESS = "likeness"
"""The first part of the target that compares a seat with our players."""

PROFILE = "profile"
"""The first part of the target that counts what a seat did, for the profile of its player."""

BRANCH = "branch"
"""The first part of the target for a position from which a table plays on."""

UNREADABLE = 2

PRIORITY = 10
"""The niceness of the process."""


def review_target(seat: Seat, kind: str) -> str:
    """Return the target for the review of a seat by a built-in policy."""
    return f"{REVIEW}:{seat}:{kind}"


def likeness_target(seat: Seat) -> str:
    """Return the target for how often a seat chose as our players would."""
    return f"{LIKENESS}:{seat}"


def profile_target(seat: Seat) -> str:
    """Return the target for the profile of a seat."""
    return f"{PROFILE}:{seat}"


def branch_target(number: int, kyoku: int, place: int, seat: Seat) -> str:
    """Return the target for the position at a place of the page in a game of the record, all counted from 0."""
    return f"{BRANCH}:{number}:{kyoku}:{place}:{seat}"


def converted(data: bytes, target: str) -> bytes:
    """Return the games of a record for the replay page, or the first one in another format; raises RecordError."""
    if target == REPLAY:
        return replay_data(data)
    if target.startswith(f"{REVIEW}:"):
        _, seat, kind = target.split(":")
        return review_by_policy(data, int(seat), kind)
    if target.startswith(f"{LIKENESS}:"):
        return write(agreement_data(agreement_of(read_record(data), int(target.split(":")[1])))).encode()
    if target.startswith(f"{PROFILE}:"):
        return write(profile_data(profile_of(read_record(data), int(target.split(":")[1])))).encode()
    if target.startswith(f"{BRANCH}:"):
        number, kyoku, place, own = map(int, target.split(":")[1:])
        games = games_of(RecordSource("record", data))
        if number >= len(games):
            raise RecordError(f"no game {number}; the record has {len(games)}")
        game = games[number]
        return write(branch_data(branch_at(game, kyoku, events_at(game, kyoku, place), own))).encode()
    return convert("record", data, Conversion(target, lossy=True)).games[0]


def run(convert: Callable[[bytes, str], bytes], target: str) -> int:
    """Convert standard input to standard output; return the exit status."""
    os.nice(PRIORITY)
    try:
        result, status = convert(sys.stdin.buffer.read(), target), 0
    except RecordError as error:
        result, status = str(error).encode(), UNREADABLE
    except MemoryError:
        result, status = b"the record takes too much memory to convert", UNREADABLE
    sys.stdout.buffer.write(result)
    return status


if __name__ == "__main__":
    sys.exit(run(converted, sys.argv[1]))
