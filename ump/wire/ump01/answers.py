"""Answers of a client: from its words to a claim, and from an action to the words that mean it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
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
    Phase.CHANKAN: _CALL,  # to whom it is asked, it is the same question
    Phase.DECLARE: frozenset((client_messages.Yes, client_messages.No)),
    None: frozenset((client_messages.Ok, client_messages.Yes)),
}
"""Which sentences answer which kind of question; None is ``ready?``."""


@lru_cache(1 << 10)
def read_claim(words: tuple[str, ...]) -> Claim:
    """Read an answer; raises WireError if it is none, or not of its form.

    Remembered, because a game's answers are few and come again and again.
    """
    answer = ANSWER_NAMED.get(words[0]) if words else None
    if answer is None:
        raise WireError(f"{quoted(' '.join(words))} is no answer")
    return answer.parse(words[1:]).claim


def is_for_another(word: str, phase: Phase | None) -> bool:
    """Tell whether a command word is one that clients say, but not in answer to this kind of question."""
    sentence = CLIENT_NAMED.get(word)
    return sentence is not None and sentence not in ANSWERS_TO[phase]


def write_action(action: Action) -> str:
    """Write the answer that means an action, without the id."""
    return _ANSWERS[type(action)](action).serialise()


def write_claim(claim: Claim) -> str:
    """Write the answer that makes a claim, without the id: ``read_claim`` reads it as one that means the same."""
    return _CLAIMS[claim.verb](claim).serialise()


def _riichi(action: Riichi) -> Answer:
    sentence = client_messages.OpenRichi if action.opened else client_messages.Richi
    return sentence(action.face, action.tsumogiri)


_ANSWERS: dict[type, Callable[[Any], Answer]] = {
    Discard: lambda action: client_messages.Sute(action.face, action.tsumogiri),
    Riichi: _riichi,
    Ankan: lambda action: client_messages.Ankan((action.kind,)),
    Kakan: lambda action: client_messages.Kakan((action.face,)),
    Tsumo: lambda action: client_messages.Tsumo(),
    KyushuKyuhai: lambda action: client_messages.DeclareRyukyoku(),
    Pass: lambda action: client_messages.No(),
    Chi: lambda action: client_messages.Chi(action.own),
    Pon: lambda action: client_messages.Pon(action.own),
    Daiminkan: lambda action: client_messages.Kan(),
    Ron: lambda action: client_messages.Ron(),
    DeclareTenpai: lambda action: client_messages.Yes(),
    DeclareNoten: lambda action: client_messages.No(),
}

_CLAIMS: dict[Verb, Callable[[Claim], Answer]] = {
    Verb.DISCARD: lambda claim: client_messages.Sute(claim.tiles[0], claim.tsumogiri),
    Verb.RIICHI: lambda claim: client_messages.Richi(claim.tiles[0], claim.tsumogiri),
    Verb.OPEN_RIICHI: lambda claim: client_messages.OpenRichi(claim.tiles[0], claim.tsumogiri),
    Verb.ANKAN: lambda claim: client_messages.Ankan((KIND_OF[claim.tiles[0]],)),
    Verb.KAKAN: lambda claim: client_messages.Kakan(claim.tiles),
    Verb.TSUMO: lambda claim: client_messages.Tsumo(),
    Verb.RYUKYOKU: lambda claim: client_messages.DeclareRyukyoku(),
    Verb.CHI: lambda claim: client_messages.Chi(claim.tiles),
    Verb.PON: lambda claim: client_messages.Pon(claim.tiles),
    Verb.KAN: lambda claim: client_messages.Kan(),
    Verb.RON: lambda claim: client_messages.Ron(),
    Verb.YES: lambda claim: client_messages.Yes(),
    Verb.NO: lambda claim: client_messages.No(),
}
"""How each claim is written; of a kan only what no server leaves unread."""
