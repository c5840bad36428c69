"""The input of a person in answer to a question: the shortest form of each choice, and its meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

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
from ump.model.notation import UMP_FACES, format_ump_faces
from ump.model.phases import Phase
from ump.model.value import value
from ump.wire.session import QuestionView


@value
class Choice:
    """A way to answer a question."""

    typed: str
    """The shortest text."""
    full: str
    """The same in full."""
    meaning: str


def choices(question: QuestionView) -> list[Choice]:
    """Return what can be typed. One discard stands for all of them, the last in the order of the offers."""
    legal = question.legal()
    discards = [action for action in legal if isinstance(action, Discard)]
    found = [_discard(discards)] if discards else []
    found += [choice_of(action, legal) for action in legal if not isinstance(action, Discard)]
    return list(dict.fromkeys(found))


def choice_of(action: Action, legal: Sequence[Action]) -> Choice:
    """Return how to type an action, given every legal one."""
    match action:
        case Discard():
            return _discard([action])
        case Riichi():
            word, name = ("openriichi", "open riichi") if action.opened else ("r", "riichi")
            tile = UMP_FACES[action.face]
            return Choice(f"{word} {tile}", f"{name.replace(' ', '')} {tile}", f"{name}, discard {tile}")
        case Ankan():
            return _with_tiles("k", "kan", UMP_FACES[action.kind], "closed kan", _count(legal, Ankan, Kakan))
        case Kakan():
            return _with_tiles("k", "kan", UMP_FACES[action.face], "add to the pon", _count(legal, Ankan, Kakan))
        case Chi():
            return _with_tiles("c", "chi", format_ump_faces(action.own), "chi with", _count(legal, Chi))
        case Pon():
            return _with_tiles("p", "pon", format_ump_faces(action.own), "pon with", _count(legal, Pon))
        case Daiminkan():
            return Choice("k", "kan", "kan")
        case Kita():
            return Choice("kita", "kita", "set a north aside")
        case Tsumo():
            return Choice("t", "tsumo", "win")
        case Ron():
            return Choice("ron", "win", "win")
        case KyushuKyuhai():
            return Choice("q", "nine", "nine terminals, draw")
        case Pass():
            return Choice("x" if _count(legal, Ron) else "Enter", "pass", "pass")
        case DeclareTenpai():
            return Choice("Enter", "yes", "show the hand (tenpai)")
        case DeclareNoten():
            if not _count(legal, DeclareTenpai):
                return Choice("Enter", "no", "noten")
            return Choice("n", "no", "keep it hidden (noten)")
        case _:
            assert_never(action)


def default_of(question: QuestionView) -> Action | None:
    """Return what Enter means: pass, tenpai or noten, the drawn tile in riichi; None on other turns, or for a win."""
    legal = question.legal()
    if _count(legal, Ron, Tsumo):
        return None
    match question.phase:
        case Phase.CALL | Phase.CHANKAN:
            return Pass()
        case Phase.DECLARE:
            return legal[0]
        case Phase.TURN:
            discards = [action for action in legal if isinstance(action, Discard)]
            is_in_riichi = len(discards) == 1 and discards[0].tsumogiri
            return discards[0] if is_in_riichi else None
        case _:
            assert_never(question.phase)


def listed(found: Sequence[Choice]) -> list[str]:
    """Return the choices as parts of a line: ``p = pon with 3z3z``."""
    return [f"{choice.typed} = {choice.meaning}" for choice in found]


def _discard(discards: Sequence[Discard]) -> Choice:
    tile = UMP_FACES[discards[-1].face]
    if len(discards) == 1 and discards[0].tsumogiri:
        return Choice(tile, f"discard {tile}", f"discard {tile}, the drawn tile")
    return Choice(tile, f"discard {tile}", f"discard {tile}, or name another tile")


def _with_tiles(letter: str, word: str, tiles: str, meaning: str, ways: int) -> Choice:
    """Return a choice whose tiles need not be typed if there is only one way."""
    typed = letter if ways == 1 else f"{letter} {tiles}"
    return Choice(typed, f"{word} {tiles}", f"{meaning} {tiles}")


def _count(legal: Sequence[Action], *types: type[Action]) -> int:
    return sum(isinstance(action, types) for action in legal)
