"""Reads the answers of a UMP 0.1 client as claims, and writes actions and claims as answers."""

from __future__ import annotations

from functools import lru_cache
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
from ump.model.claims import Claim, Verb
from ump.model.phases import Phase
from ump.model.tiles import KIND_OF
from ump.wire.text import WireError, quoted
from ump.wire.ump01 import client_messages
from ump.wire.ump01.client_messages import ANSWER_NAMED, Answer
from ump.wire.ump01.vocabulary import CLIENT_NAMED

_CALL: frozenset[type[Answer]] = frozenset(
    (client_messages.No, client_messages.Chi, client_messages.Pon, client_messages.Kan, client_messages.Ron)
)

ANSWERS_TO: dict[Phase | None, frozenset[type[Answer]]] = {
    Phase.TURN: frozenset(
        (
            client_messages.Sute,
            client_messages.Richi,
            client_messages.OpenRichi,
            client_messages.Ankan,
            client_messages.Kakan,
            client_messages.Tsumo,
            client_messages.DeclareRyukyoku,
        )
    ),
    Phase.CALL: _CALL,
    Phase.CHANKAN: _CALL,  # UMP asks it with the same question
    Phase.DECLARE: frozenset((client_messages.Yes, client_messages.No)),
    None: frozenset((client_messages.Ok, client_messages.Yes)),
}
"""The sentences that answer each kind of question; None is ``ready?``."""


@lru_cache(1 << 10)
def read_claim(words: tuple[str, ...]) -> Claim:
    """Read an answer; raise WireError for an unknown command or a wrong form.

    The results are cached, because a game has few different answers.
    """
    answer = ANSWER_NAMED.get(words[0]) if words else None
    if answer is None:
        raise WireError(f"{quoted(' '.join(words))} is not an answer")
    return answer.parse(words[1:]).claim


def is_for_another(word: str, phase: Phase | None) -> bool:
    """Tell whether clients use a command, but not to answer this kind of question."""
    sentence = CLIENT_NAMED.get(word)
    return sentence is not None and sentence not in ANSWERS_TO[phase]


def write_action(action: Action) -> str:
    """Write the answer that stands for an action, without the id."""
    return _answer_for_action(action).serialise()


def _answer_for_action(action: Action) -> Answer:
    match action:
        case Discard():
            return client_messages.Sute(action.face, action.tsumogiri)
        case Riichi():
            sentence = client_messages.OpenRichi if action.opened else client_messages.Richi
            return sentence(action.face, action.tsumogiri)
        case Ankan():
            return client_messages.Ankan((action.kind,))
        case Kakan():
            return client_messages.Kakan((action.face,))
        case Kita():
            return client_messages.Kita()
        case Tsumo():
            return client_messages.Tsumo()
        case KyushuKyuhai():
            return client_messages.DeclareRyukyoku()
        case Chi():
            return client_messages.Chi(action.own)
        case Pon():
            return client_messages.Pon(action.own)
        case Daiminkan():
            return client_messages.Kan()
        case Ron():
            return client_messages.Ron()
        case DeclareTenpai():
            return client_messages.Yes()
        case Pass() | DeclareNoten():
            return client_messages.No()
        case _:
            assert_never(action)


def write_claim(claim: Claim) -> str:
    """Write the answer that makes a claim, without the id; ``read_claim`` reads it as a claim of the same meaning."""
    return _answer_for_claim(claim).serialise()


def _answer_for_claim(claim: Claim) -> Answer:
    match claim.verb:
        case Verb.DISCARD:
            return client_messages.Sute(claim.tiles[0], claim.tsumogiri)
        case Verb.RIICHI:
            return client_messages.Richi(claim.tiles[0], claim.tsumogiri)
        case Verb.OPEN_RIICHI:
            return client_messages.OpenRichi(claim.tiles[0], claim.tsumogiri)
        case Verb.ANKAN:  # one tile names the kind, which every server reads
            return client_messages.Ankan((KIND_OF[claim.tiles[0]],))
        case Verb.KAKAN:
            return client_messages.Kakan(claim.tiles)
        case Verb.KITA:
            return client_messages.Kita()
        case Verb.TSUMO:
            return client_messages.Tsumo()
        case Verb.RYUKYOKU:
            return client_messages.DeclareRyukyoku()
        case Verb.CHI:
            return client_messages.Chi(claim.tiles)
        case Verb.PON:
            return client_messages.Pon(claim.tiles)
        case Verb.KAN:
            return client_messages.Kan()
        case Verb.RON:
            return client_messages.Ron()
        case Verb.YES:
            return client_messages.Yes()
        case Verb.NO:
            return client_messages.No()
        case _:
            assert_never(claim.verb)
