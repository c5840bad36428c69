"""The lines of a journal after its first: each holds one step of the table.

A line is a JSON array: the instant in milliseconds since the game began, a word for the input, and its arguments. If
anything followed that a reader cannot know from the rules, a last element holds it as an object: ``then`` has the
outcomes, ``kyoku`` the state of the table before the kyoku that starts. ``docs/records.md`` is the full description.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, assert_never

from ump.game.game import Standing
from ump.model.claims import Reason
from ump.model.seats import Seat
from ump.model.value import value
from ump.record.journal.action_words import read_action, write_action
from ump.record.journal.journal_error import JournalError
from ump.table.chair import Presence
from ump.table.journal_entries import (
    ActionTaken,
    AnswerLate,
    AnswerRefused,
    Began,
    Ended,
    Entry,
    FaultCommitted,
    PassHeld,
    SeatDropped,
    SeatLeft,
    SeatReady,
    SeatReturned,
    SilenceBroken,
    TimePassed,
)
from ump.table.kyoku_start import ChairState, KyokuStart
from ump.table.outcomes import Cause, End, Faults
from ump.table.pace import PaceState


@value
class JournalStep:
    """One line: a step of the table."""

    now: int
    """The instant, in milliseconds since the game began."""
    entries: list[Entry]
    """The input first, then its outcomes."""
    start: KyokuStart | None = None
    """The state before the kyoku that starts in this step."""


# Writing


def write_step(step: JournalStep) -> str:
    """Return the line of a step, without its end."""
    given = step.entries[0]
    if isinstance(given, ActionTaken) and len(step.entries) == 1 and step.start is None:  # nearly always
        return f'[{step.now},"answer",{given.seat},"{write_action(given.action)}"]'
    line: list[object] = [step.now, *_written_input(given)]
    more: dict[str, object] = {}
    if len(step.entries) > 1:
        more["then"] = [_written_outcome(entry) for entry in step.entries[1:]]
    if step.start is not None:
        more["kyoku"] = _written_start(step.start)
    return json.dumps([*line, more] if more else line, separators=(",", ":"))


def _written_input(entry: Entry) -> list[object]:
    match entry:
        case Began():
            return ["began"]
        case ActionTaken(seat, action):
            return ["answer", seat, write_action(action)]
        case PassHeld(seat, until):
            return ["passed", seat, until]
        case SeatReady(seat):
            return ["ready", seat]
        case AnswerRefused(seat, reason):
            return ["refused", seat, reason.value]
        case AnswerLate(seat):
            return ["late", seat]
        case SilenceBroken(seat):
            return ["heard", seat]
        case TimePassed():
            return ["time"]
        case SeatLeft(seat):
            return ["left", seat]
        case SeatDropped(seat):
            return ["dropped", seat]
        case SeatReturned(seat, retries):
            return ["returned", seat, retries]
        case Ended():
            return _written_end(entry)
        case FaultCommitted():
            raise ValueError(f"{entry} is not an input")
        case _:
            assert_never(entry)


def _written_outcome(entry: Entry) -> list[object]:
    match entry:
        case ActionTaken(seat, action, cause):
            return ["default", seat, write_action(action), cause.value]
        case FaultCommitted(seat, reason, faults):
            return ["fault", seat, reason.value, faults.value]
        case Ended():
            return _written_end(entry)
        case _:
            raise ValueError(f"{entry} is not an outcome")


def _written_end(entry: Ended) -> list[object]:
    return ["ended", entry.end.value, list(entry.points)]


def _written_start(start: KyokuStart) -> dict[str, object]:
    at = start.standing
    return {
        "points": list(at.points),
        "bakaze": at.bakaze,
        "dealer": at.dealer,
        "honba": at.honba,
        "kyotaku": at.kyotaku,
        "number": at.number,
        "deal": at.deal,
        "question": start.number,
        "seats": [_written_chair(chair) for chair in start.chairs],
    }


def _written_chair(chair: ChairState) -> dict[str, object]:
    written: dict[str, object] = {
        "presence": chair.presence.value,
        "grace": chair.grace,
        "dropped_at": chair.dropped_at,
        "retries": chair.retries,
        "silent": chair.silent,
        "timeouts": chair.timeouts,
        "refusals": {reason.value: count for reason, count in chair.refusals},
    }
    if chair.pace is not None:
        written["pace"] = [list(times) for times in (chair.pace.chosen, chair.pace.forced, chair.pace.turns)]
    return written


# Reading


def read_step(line: str, seats: int) -> JournalStep:
    """Read a line, without its end, of a game with this number of seats; raises JournalError."""
    try:
        read = json.loads(line)
        now, word, *arguments = read
        more = arguments.pop() if arguments and isinstance(arguments[-1], dict) else {}
        unknown = set(more) - {"then", "kyoku"}
        if not _is_count(now) or unknown:
            raise JournalError("expected [instant, word, ..]")
        entries = [_READ_INPUT[word](seats, *arguments)]
        entries += [_READ_OUTCOME[outcome[0]](seats, *outcome[1:]) for outcome in more.get("then", ())]
        start = _read_start(more["kyoku"], seats) if "kyoku" in more else None
    except JournalError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise JournalError(f"{line[:80]!a} is not a step of a game") from error
    return JournalStep(now, entries, start)


def _seat(given: Any, seats: int) -> Seat:
    if not _is_count(given) or given >= seats:
        raise JournalError(f"{given!a} is not a seat")
    return int(given)


def _is_count(given: object) -> bool:
    """Return whether a value is an integer that is not negative."""
    return isinstance(given, int) and not isinstance(given, bool) and given >= 0


def _count(given: Any) -> int:
    if not _is_count(given):
        raise JournalError(f"{given!a} is not a number from 0 on")
    return int(given)


def _points(given: Any, seats: int) -> tuple[int, ...]:
    if not isinstance(given, list) or len(given) != seats or any(type(each) is not int for each in given):
        raise JournalError(f"{given!a} are not the points of {seats} seats")
    return tuple(given)


def _action(given: Any) -> Any:
    if not isinstance(given, str):
        raise JournalError(f"{given!a} is not an action")
    return read_action(given)


_READ_INPUT: dict[str, Callable[..., Entry]] = {
    "began": lambda seats: Began(),
    "answer": lambda seats, seat, text: ActionTaken(_seat(seat, seats), _action(text), Cause.ANSWER),
    "passed": lambda seats, seat, until: PassHeld(_seat(seat, seats), _count(until)),
    "ready": lambda seats, seat: SeatReady(_seat(seat, seats)),
    "refused": lambda seats, seat, reason: AnswerRefused(_seat(seat, seats), Reason(reason)),
    "late": lambda seats, seat: AnswerLate(_seat(seat, seats)),
    "heard": lambda seats, seat: SilenceBroken(_seat(seat, seats)),
    "time": lambda seats: TimePassed(),
    "left": lambda seats, seat: SeatLeft(_seat(seat, seats)),
    "dropped": lambda seats, seat: SeatDropped(_seat(seat, seats)),
    "returned": lambda seats, seat, retries: SeatReturned(_seat(seat, seats), _count(retries)),
    "ended": lambda seats, end, points: Ended(End(end), _points(points, seats)),
}
"""The readers of inputs by their words."""

_READ_OUTCOME: dict[str, Callable[..., Entry]] = {
    "default": lambda seats, seat, text, cause: ActionTaken(_seat(seat, seats), _action(text), Cause(cause)),
    "fault": lambda seats, seat, reason, faults: FaultCommitted(_seat(seat, seats), Reason(reason), Faults(faults)),
    "ended": _READ_INPUT["ended"],
}
"""The readers of outcomes by their words."""


def _read_start(given: Any, seats: int) -> KyokuStart:
    chairs = tuple(map(_read_chair, given["seats"]))
    if len(chairs) != seats:
        raise JournalError(f"expected the state of {seats} seats")
    standing = Standing(
        _points(given["points"], seats),
        _count(given["bakaze"]),
        _seat(given["dealer"], seats),
        *(_count(given[key]) for key in ("honba", "kyotaku", "number", "deal")),
    )
    return KyokuStart(standing, _count(given["question"]), chairs)


def _read_chair(given: Any) -> ChairState:
    return ChairState(
        presence=Presence(given["presence"]),
        grace=_count(given["grace"]),
        dropped_at=_count(given["dropped_at"]),
        retries=_count(given["retries"]),
        silent=_count(given["silent"]),
        timeouts=_count(given["timeouts"]),
        refusals=_read_refusals(given["refusals"]),
        pace=_read_pace(given["pace"]) if "pace" in given else None,
    )


def _read_refusals(given: Any) -> tuple[tuple[Reason, int], ...]:
    if not isinstance(given, dict):
        raise JournalError(f"{given!a} are not refusals by their reasons")
    return tuple((Reason(reason), _count(count)) for reason, count in given.items())


def _read_pace(given: Any) -> PaceState:
    chosen, forced, turns = (tuple(map(_count, times)) for times in given)
    return PaceState(chosen, forced, turns)
