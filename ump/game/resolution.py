"""Resolution of a claim to the action that it means.

All dialects share these rules for what a client leaves out: a plain five means the red one if only that is held, a call
without tiles means the only possible one, and a discard means a tile from the hand rather than an equal drawn one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
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
from ump.model.claims import Claim, IllegalAction, Reason, Verb
from ump.model.phases import Phase
from ump.model.tiles import COPIES, KIND_OF, RED_OF, Face, sort_faces
from ump.rules.questions import Question


def resolve(question: Question, claim: Claim) -> Action:
    """Return the legal action that the claim means.

    Raises IllegalAction with the reason if the claim fits no legal action, or more than one.
    """
    reading = _READINGS.get((question.phase, claim.verb))
    if reading is None:
        raise IllegalAction(Reason.NOT_ASKED)
    action = reading(question, claim)
    question.check(action)
    return action


def held_faces(question: Question, named: tuple[Face, ...]) -> tuple[Face, ...]:
    """Return the tiles that a client means: a plain five means the red one if too few plain fives are held.

    Raises IllegalAction if a tile is not held.
    """
    faces = question.hand.faces
    taken: Counter[Face] = Counter()
    for face in sort_faces(named)[::-1]:
        meant = face if taken[face] < faces[face] else RED_OF.get(face, face)
        if taken[meant] >= faces[meant]:
            raise IllegalAction(Reason.NOT_HELD)
        taken[meant] += 1
    return sort_faces(taken.elements())


def _one_tile(question: Question, claim: Claim) -> Face:
    """Return the tile that a claim with one tile means: a faster ``held_faces`` for the most frequent answer."""
    if len(claim.tiles) != 1:
        raise IllegalAction(Reason.UNREADABLE)
    (named,) = claim.tiles
    faces = question.player.hand.faces
    meant = named if faces[named] else RED_OF.get(named, named)
    if not faces[meant]:
        raise IllegalAction(Reason.NOT_HELD)
    return meant


def _discarded(question: Question, claim: Claim) -> tuple[Face, bool]:
    """Return the tile that the client discards, and whether it is the drawn one.

    In riichi it is always the drawn one, even if the hand holds an equal tile.
    """
    face = _one_tile(question, claim)
    if face != question.tile:
        return face, False
    is_drawn = claim.tsumogiri or question.hand.faces[face] == 1
    return face, is_drawn or question.refusal(Discard(face)) is Reason.IN_RIICHI


def _discard(question: Question, claim: Claim) -> Action:
    return Discard(*_discarded(question, claim))


def _riichi(question: Question, claim: Claim) -> Action:
    return Riichi(*_discarded(question, claim))


def _open_riichi(question: Question, claim: Claim) -> Action:
    return Riichi(*_discarded(question, claim), opened=True)


def _ankan(question: Question, claim: Claim) -> Action:
    kinds = {KIND_OF[face] for face in claim.tiles}
    if len(kinds) != 1 or len(claim.tiles) not in (1, COPIES):
        raise IllegalAction(Reason.UNREADABLE)
    return Ankan(kinds.pop())


def _kakan(question: Question, claim: Claim) -> Action:
    return Kakan(_one_tile(question, claim))


def _only(question: Question, kind: type[Chi] | type[Pon]) -> Action:
    """Return the only legal call of this type, for a claim without tiles; raises IllegalAction."""
    calls = [action for action in question.legal() if isinstance(action, kind)]
    if not calls:
        raise IllegalAction(Reason.NOT_HELD)
    if len(calls) > 1:
        raise IllegalAction(Reason.AMBIGUOUS)
    return calls[0]


def _pair(question: Question, claim: Claim) -> tuple[Face, Face]:
    if len(claim.tiles) != 2:
        raise IllegalAction(Reason.UNREADABLE)
    first, second = held_faces(question, claim.tiles)
    return first, second


def _chi(question: Question, claim: Claim) -> Action:
    return Chi(_pair(question, claim)) if claim.tiles else _only(question, Chi)


def _pon(question: Question, claim: Claim) -> Action:
    return Pon(_pair(question, claim)) if claim.tiles else _only(question, Pon)


def _tenpai(question: Question, claim: Claim) -> Action:
    """Return what yes means at an exhausted wall: a player that is noten, and is asked like all others, is noten."""
    return question.default()


def _means(action: Action) -> Callable[[Question, Claim], Action]:
    """Return the reading of a verb that always means the same action."""
    return lambda question, claim: action


_READINGS: dict[tuple[Phase, Verb], Callable[[Question, Claim], Action]] = {
    (Phase.TURN, Verb.DISCARD): _discard,
    (Phase.TURN, Verb.RIICHI): _riichi,
    (Phase.TURN, Verb.OPEN_RIICHI): _open_riichi,
    (Phase.TURN, Verb.ANKAN): _ankan,
    (Phase.TURN, Verb.KAKAN): _kakan,
    (Phase.TURN, Verb.KITA): _means(Kita()),
    (Phase.TURN, Verb.TSUMO): _means(Tsumo()),
    (Phase.TURN, Verb.RYUKYOKU): _means(KyushuKyuhai()),
    (Phase.CALL, Verb.NO): _means(Pass()),
    (Phase.CALL, Verb.CHI): _chi,
    (Phase.CALL, Verb.PON): _pon,
    (Phase.CALL, Verb.KAN): _means(Daiminkan()),
    (Phase.CALL, Verb.RON): _means(Ron()),
    (Phase.CHANKAN, Verb.NO): _means(Pass()),
    (Phase.CHANKAN, Verb.RON): _means(Ron()),
    (Phase.DECLARE, Verb.YES): _tenpai,
    (Phase.DECLARE, Verb.NO): _means(DeclareNoten()),
}
"""Functions that read each verb in answer to each question; any other verb is refused as NOT_ASKED."""
