"""Reads the answers of a UMP 0.2 client as claims, and writes actions as answers."""

from __future__ import annotations

from collections.abc import Sequence
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
        (
            client_messages.Sutehai,
            client01.Ankan,
            client01.Kakan,
            client01.Kita,
            client01.Tsumo,
            client01.DeclareRyukyoku,
        ),
    ),
    Phase.CALL: _CALL,
    Phase.CHANKAN: _CALL,  # UMP asks it with the same question
    Phase.DECLARE: frozenset((client_messages.Tenpai, client_messages.Noten, client01.No)),
    None: frozenset((client01.Yes, client01.Ok)),
}
"""The sentences that answer each kind of question; None is ``ready?``."""


@lru_cache(1 << 10)
def read_claim(words: tuple[str, ...]) -> Claim:
    """Read an answer; raise WireError for an unknown command or a wrong form.

    The results are cached, because a game has few different answers.
    """
    arguments, options = split_words(words)
    answer = ANSWER_NAMED.get(arguments[0]) if arguments else None
    if answer is None:
        raise WireError(f"{quoted(' '.join(words))} is not an answer")
    if issubclass(answer, OptionSentence):
        return answer.read(arguments[1:], options).claim
    return answer.parse(arguments[1:]).claim


def is_for_another(word: str, phase: Phase | None) -> bool:
    """Tell whether clients use a command, but not to answer this kind of question."""
    sentence = CLIENT_NAMED.get(word)
    return sentence is not None and sentence not in ANSWERS_TO[phase]


def write_action(action: Action, tile: Face | None = None, concealed: Sequence[Face] = ()) -> str:
    """Write the answer that stands for an action, without the id.

    libump expects every tile of a kan to be named, red ones as such. They are taken from the ``concealed`` tiles; for
    an open kan those of the same kind as ``tile``, the tile in question. Without these a kan is written in the short
    form that this server reads. Raises UnwritableError for open riichi, which 0.2 does not have.
    """
    match action:
        case Discard():
            return client_messages.Sutehai(action.face, action.tsumogiri).serialise()
        case Riichi():
            if action.opened:
                raise UnwritableError("open riichi cannot be declared in 0.2")
            return client_messages.Sutehai(action.face, action.tsumogiri, richi=True).serialise()
        case Ankan():
            return f"ankan {_kan_tiles(action.kind, COPIES, concealed) or UMP_FACES[action.kind]}"
        case Kakan():
            return f"kakan {UMP_FACES[action.face]}"
        case Kita():
            return client01.Kita.NAME
        case Tsumo():
            return client01.Tsumo.NAME
        case KyushuKyuhai():
            return client01.DeclareRyukyoku.NAME
        case Pass():
            return client01.No.NAME
        case Chi():
            return f"chi {format_ump_faces(action.own)}"
        case Pon():
            return f"pon {format_ump_faces(action.own)}"
        case Daiminkan():
            own = "" if tile is None else _kan_tiles(KIND_OF[tile], COPIES - 1, concealed)
            return f"kan {own}".rstrip()
        case Ron():
            return client01.Ron.NAME
        case DeclareTenpai():
            return client_messages.Tenpai.NAME
        case DeclareNoten():
            return client_messages.Noten.NAME
        case _:
            assert_never(action)


def _kan_tiles(kind: Kind, count: int, concealed: Sequence[Face]) -> str:
    """Return the concealed tiles of a kind, glued; empty unless there are exactly ``count`` of them."""
    held = [face for face in concealed if KIND_OF[face] == kind]
    return format_ump_faces(held) if len(held) == count else ""
