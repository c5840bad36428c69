"""The verdict on one situation, and reports of all of them."""

from __future__ import annotations

from enum import Enum
from typing import assert_never

from ump.bots.check.course import Answered
from ump.bots.check.play import Play
from ump.bots.check.situation import Situation, Stage
from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
    Kita,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.notation import UMP_FACES
from ump.model.value import value


class Result(Enum):
    """The outcome of a situation."""

    PASS = "pass"
    NOTE = "note"
    """All answers were legal, but one was surely not wanted."""
    MISSED = "not reached"
    """All answers were legal, and the client avoided the situation."""
    SKIPPED = "skipped"
    """The situation is not for this client."""
    FAIL = "fail"
    """The client has broken the protocol."""


@value
class Verdict:
    """The result of one situation."""

    situation: Situation
    result: Result
    came: str
    """The behaviour of the client, or the reason why there is no result."""
    trace: str = ""
    """The file with everything that was sent and received, or ""."""
    excerpt: tuple[str, ...] = ()
    """After a fault: the last lines that were sent and received before it."""


def judge(play: Play) -> Verdict:
    """Return the verdict on a situation that has been played without a fault."""
    situation, reached = play.situation, play.reached
    if situation.aim is None:
        is_reached = play.has_acted or situation.stage is Stage.FAREWELL
        return Verdict(situation, *((Result.PASS, "left properly") if is_reached else (Result.MISSED, "no turn came")))
    if reached is None:
        return Verdict(situation, Result.MISSED, situation.missed)
    if _is_unwanted(situation, reached):
        return Verdict(situation, Result.NOTE, f"legal, but surely not wanted: {_in_words(reached.action)}")
    return Verdict(situation, Result.PASS, _in_words(reached.action))


def skipped(situation: Situation, why: str) -> Verdict:
    """Return the verdict on a situation that is not for this client."""
    return Verdict(situation, Result.SKIPPED, why)


def _is_unwanted(situation: Situation, reached: Answered) -> bool:
    return situation.wanted is not None and not isinstance(reached.action, situation.wanted)


def _in_words(action: Action | None) -> str:
    """Return what a client did, in words."""
    match action:
        case None:
            return "ready"
        case Discard(face):
            return f"discards {UMP_FACES[face]}"
        case Riichi(face):
            return f"declares riichi with {UMP_FACES[face]}"
        case Ankan(kind):
            return f"declares a closed kan of {UMP_FACES[kind]}"
        case Kakan(face):
            return f"adds {UMP_FACES[face]} to its pon"
        case Chi(own) | Pon(own):
            return f"calls {type(action).__name__.lower()} with {UMP_FACES[own[0]]} and {UMP_FACES[own[1]]}"
        case Daiminkan():
            return "calls an open kan"
        case Tsumo() | Ron():
            return f"wins by {type(action).__name__.lower()}"
        case Kita():
            return "sets a north aside"
        case KyushuKyuhai():
            return "declares nine terminals"
        case Pass():
            return "passes"
        case DeclareTenpai() | DeclareNoten():
            return "declares tenpai" if isinstance(action, DeclareTenpai) else "declares noten"
        case _:
            assert_never(action)
