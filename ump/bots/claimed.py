"""The legal action that a program means whose answer leaves something out, or says it in other words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ump.model import actions
from ump.model.actions import Action
from ump.model.claims import Claim, Verb
from ump.model.tiles import KIND_OF, Face

_CLAIMED: Mapping[Verb, type[Action]] = {
    Verb.DISCARD: actions.Discard,
    Verb.RIICHI: actions.Riichi,
    Verb.NO: actions.Pass,
    Verb.CHI: actions.Chi,
    Verb.PON: actions.Pon,
    Verb.KAN: actions.Daiminkan,
    Verb.ANKAN: actions.Ankan,
    Verb.KAKAN: actions.Kakan,
    Verb.KITA: actions.Kita,
    Verb.TSUMO: actions.Tsumo,
    Verb.RON: actions.Ron,
    Verb.RYUKYOKU: actions.KyushuKyuhai,
}
"""The action of each verb with which a program answers."""


def claimed(claim: Claim, legal: Sequence[Action]) -> Action | None:
    """Return the legal action of a claim: that of its tiles, else one of their kinds; None if there is none.

    Without tiles it is the first one. Of a drawn tile and an equal one the claim may name either.
    """
    of_verb = [action for action in legal if type(action) is _CLAIMED.get(claim.verb)]
    if not claim.tiles:
        return of_verb[0] if of_verb else None
    named = sorted(claim.tiles)
    exact = [action for action in of_verb if sorted(_tiles_of(action)) == named]
    for action in exact:
        if getattr(action, "tsumogiri", claim.tsumogiri) == claim.tsumogiri:
            return action
    kinds = _kinds(named)
    close = exact or [action for action in of_verb if _kinds(_tiles_of(action)) == kinds]
    return close[0] if close else None


def _kinds(faces: Sequence[Face]) -> list[int]:
    return sorted(KIND_OF[face] for face in faces)


def _tiles_of(action: Action) -> tuple[Face, ...]:
    match action:
        case actions.Discard(face) | actions.Riichi(face) | actions.Kakan(face):
            return (face,)
        case actions.Chi(own) | actions.Pon(own):
            return own
        case actions.Ankan(kind):
            return (kind,) * 4
        case _:
            return ()
