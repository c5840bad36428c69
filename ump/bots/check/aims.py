"""Aims: what a client must have been through before a situation counts as reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ump.bots.check.course import Answered, Course
from ump.model.actions import Action
from ump.model.events import Event, KyokuStarted
from ump.model.notation import parse_mpsz
from ump.model.phases import Phase
from ump.table.outcomes import Cause

Aim: TypeAlias = Callable[[Course], Answered | None]
"""Returns the answer of the client that shows how it took the situation, or None if it was not reached."""

Fits: TypeAlias = Callable[[Answered], bool]


def offered(phase: Phase, action: type[Action] | None = None, choices: int = 1, tile: str = "") -> Aim:
    """Return the aim to be asked a question of this kind.

    ``action`` must be legal in at least so many ways; ``tile`` is the tile in question, or the one that was drawn.
    """
    faces = parse_mpsz(tile)

    def _fits(answered: Answered) -> bool:
        asked = answered.asked
        found = {each for each in asked.legal if action is None or isinstance(each, action)}
        return asked.phase is phase and len(found) >= choices and (not faces or asked.tile in faces)

    return lambda course: _first(course, _fits)


def barred_after_call(course: Course) -> Answered | None:
    """Return the discard after a call that bars some tiles of the hand (kuikae)."""
    return _first(course, lambda each: _is_turn(each) and each.asked.tile is None and bool(each.asked.barred))


def after_call(course: Course) -> Answered | None:
    """Return the discard after the client's own chi or pon."""
    return _first(course, lambda each: _is_turn(each) and each.asked.tile is None)


def own_riichi(course: Course) -> Answered | None:
    """Return the first turn of the client in riichi."""
    return _first(course, lambda each: _is_turn(each) and each.asked.in_riichi)


def turn_after(event: type[Any], times: int = 1) -> Aim:
    """Return the aim to have a turn after so many events of this type, in the same kyoku."""

    def _fits(answered: Answered) -> bool:
        return _is_turn(answered) and _count(_this_kyoku(answered.asked.seen), event) >= times

    return lambda course: _first(course, _fits)


def next_kyoku_after(event: type[Any], times: int = 1) -> Aim:
    """Return the aim to have a turn in the kyoku after one with so many events of this type."""

    def _fits(answered: Answered) -> bool:
        seen = answered.asked.seen
        before = seen[: len(seen) - len(_this_kyoku(seen))]
        return _is_turn(answered) and _count(before, event) >= times

    return lambda course: _first(course, _fits)


def after_return(course: Course) -> Answered | None:
    """Return the first answer of the client after it has come back to its seat."""
    return None if course.returned_after is None else _next_own(course, course.returned_after)


def after_timeout(course: Course) -> Answered | None:
    """Return the first answer of the client after the server has answered a question for it."""
    for place, answered in enumerate(course.answered):
        if answered.cause is Cause.TIMEOUT:
            return _next_own(course, place)
    return None


def _next_own(course: Course, start: int) -> Answered | None:
    return next((each for each in course.answered[start:] if each.cause is Cause.ANSWER), None)


def _first(course: Course, fits: Fits) -> Answered | None:
    return next((answered for answered in course.own if fits(answered)), None)


def _is_turn(answered: Answered) -> bool:
    return answered.asked.phase is Phase.TURN


def _this_kyoku(seen: tuple[Event, ...]) -> tuple[Event, ...]:
    starts = [place for place, event in enumerate(seen) if isinstance(event, KyokuStarted)]
    return seen[starts[-1] :] if starts else ()


def _count(seen: tuple[Event, ...], kind: type[Any]) -> int:
    return sum(isinstance(event, kind) for event in seen)
