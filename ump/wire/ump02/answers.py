"""Answers of a client: from its words to a claim, and from an action to the words that mean it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from ump.model.claims import Claim
from ump.model.notation import UMP_FACES, format_ump_faces
from ump.model.phases import Phase
from ump.model.tiles import COPIES, KIND_OF, Face, Kind
from ump.wire.sentence import Sentence
from ump.wire.text import UnwritableError, WireError, quoted
from ump.wire.ump01 import client_messages as client01
from ump.wire.ump02 import client_messages
from ump.wire.ump02.client_messages import ANSWER_NAMED
from ump.wire.ump02.vocabulary import CLIENT_NAMED
from ump.wire.ump02.words import OptionSentence, split_words

_CALL: frozenset[type[Sentence]] = frozenset(
    (client01.No, client01.Chi, client01.Pon, client01.Kan, client01.Ron),
)

ANSWERS_TO: dict[Phase | None, frozenset[type[Sentence]]] = {
    Phase.TURN: frozenset(
        (client_messages.Sutehai, client01.Ankan, client01.Kakan, client01.Tsumo, client01.DeclareRyukyoku),
    ),
    Phase.CALL: _CALL,
    Phase.CHANKAN: _CALL,  # to whom it is asked, it is the same question
    Phase.DECLARE: frozenset((client_messages.Tenpai, client_messages.Noten, client01.No)),
    None: frozenset((client01.Yes, client01.Ok)),
}
"""Which sentences answer which kind of question; None is ``ready?``."""


@lru_cache(1 << 10)
def read_claim(words: tuple[str, ...]) -> Claim:
    """Read an answer; raises WireError if it is none, or not of its form.

    Remembered, because a game's answers are few and come again and again.
    """
    arguments, options = split_words(words)
    answer = ANSWER_NAMED.get(arguments[0]) if arguments else None
    if answer is None:
        raise WireError(f"{quoted(' '.join(words))} is no answer")
    if issubclass(answer, OptionSentence):
        return answer.read(arguments[1:], options).claim
    return answer.parse(arguments[1:]).claim


def is_for_another(word: str, phase: Phase | None) -> bool:
    """Tell whether a command word is one that clients say, but not in answer to this kind of question."""
    sentence = CLIENT_NAMED.get(word)
    return sentence is not None and sentence not in ANSWERS_TO[phase]


def write_action(action: Action, tile: Face | None = None, concealed: Sequence[Face] = ()) -> str:
    """Write the answer that means an action, without the id.

    libump wants every tile of a kan named, which of them are red too: they are taken from the ``concealed`` tiles, for
    an open kan those like the ``tile`` in question. Where these are not given a kan is written as our server
    understands it. Raises UnwritableError for open riichi, which 0.2 does not have.
    """
    match action:
        case Ankan(kind):
            return f"ankan {_kan_text(kind, COPIES, concealed) or UMP_FACES[kind]}"
        case Daiminkan():
            own = "" if tile is None else _kan_text(KIND_OF[tile], COPIES - 1, concealed)
            return f"kan {own}".rstrip()
    return _ANSWERS[type(action)](action)


def _kan_text(kind: Kind, count: int, concealed: Sequence[Face]) -> str:
    """Return so many tiles of a kind as they are held, or nothing where there are not so many."""
    held = [face for face in concealed if KIND_OF[face] == kind]
    return format_ump_faces(held) if len(held) == count else ""


def _riichi(action: Riichi) -> str:
    if action.opened:
        raise UnwritableError("open riichi cannot be declared in 0.2")
    return client_messages.Sutehai(action.face, action.tsumogiri, richi=True).serialise()


_ANSWERS: dict[type, Callable[[Any], str]] = {
    Discard: lambda action: client_messages.Sutehai(action.face, action.tsumogiri).serialise(),
    Riichi: _riichi,
    Kakan: lambda action: f"kakan {UMP_FACES[action.face]}",
    Tsumo: lambda action: client01.Tsumo.NAME,
    KyushuKyuhai: lambda action: client01.DeclareRyukyoku.NAME,
    Pass: lambda action: client01.No.NAME,
    Chi: lambda action: f"chi {format_ump_faces(action.own)}",
    Pon: lambda action: f"pon {format_ump_faces(action.own)}",
    Ron: lambda action: client01.Ron.NAME,
    DeclareTenpai: lambda action: client_messages.Tenpai.NAME,
    DeclareNoten: lambda action: client_messages.Noten.NAME,
}
