"""Answers of a client: from its words to a claim, and from an action to the words that mean it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from ump.wire.text import WireError
from ump.wire.ump01 import client
from ump.wire.ump01.client import ANSWER_NAMED, Answer

READY = frozenset((Verb.YES,))
"""What answers ``ready?``."""

ASKED_FOR: dict[Phase, frozenset[Verb]] = {
    Phase.TURN: frozenset(
        (Verb.DISCARD, Verb.RIICHI, Verb.OPEN_RIICHI, Verb.ANKAN, Verb.KAKAN, Verb.TSUMO, Verb.RYUKYOKU)
    ),
    Phase.CALL: frozenset((Verb.NO, Verb.CHI, Verb.PON, Verb.KAN, Verb.RON)),
    Phase.ROB: frozenset((Verb.NO, Verb.CHI, Verb.PON, Verb.KAN, Verb.RON)),
    Phase.DECLARE: frozenset((Verb.YES, Verb.NO)),
}
"""Which verbs belong to which kind of question: one of another kind was meant for another question."""


def read_claim(words: Sequence[str]) -> Claim:
    """Read an answer; raises WireError if it is none, or not of its form."""
    answer = ANSWER_NAMED.get(words[0]) if words else None
    if answer is None:
        raise WireError(f"{' '.join(words)[:80]!r} is no answer")
    return answer.parse(words[1:]).claim


def verb_named(word: str) -> Verb | None:
    """Return the verb that a command word stands for, whatever follows it; None if it is no answer."""
    return _VERBS.get(word)


_VERBS: dict[str, Verb] = {
    "sute": Verb.DISCARD,
    "richi": Verb.RIICHI,
    "openrichi": Verb.OPEN_RIICHI,
    "ankan": Verb.ANKAN,
    "kakan": Verb.KAKAN,
    "tsumo": Verb.TSUMO,
    "ryukyoku": Verb.RYUKYOKU,
    "chi": Verb.CHI,
    "pon": Verb.PON,
    "kan": Verb.KAN,
    "ron": Verb.RON,
    "no": Verb.NO,
    "yes": Verb.YES,
    "ok": Verb.YES,
}


def write_action(action: Action) -> str:
    """Write the answer that means an action, without the id."""
    return _ANSWERS[type(action)](action).serialise()


def _riichi(action: Riichi) -> Answer:
    sentence = client.OpenRichi if action.opened else client.Richi
    return sentence(action.face, action.tsumogiri)


_ANSWERS: dict[type, Callable[[Any], Answer]] = {
    Discard: lambda action: client.Sute(action.face, action.tsumogiri),
    Riichi: _riichi,
    Ankan: lambda action: client.Ankan((action.kind,)),
    Kakan: lambda action: client.Kakan((action.face,)),
    Tsumo: lambda action: client.Tsumo(),
    KyushuKyuhai: lambda action: client.DeclareRyukyoku(),
    Pass: lambda action: client.No(),
    Chi: lambda action: client.Chi(action.own),
    Pon: lambda action: client.Pon(action.own),
    Daiminkan: lambda action: client.Kan(),
    Ron: lambda action: client.Ron(),
    DeclareTenpai: lambda action: client.Yes(),
    DeclareNoten: lambda action: client.No(),
}
