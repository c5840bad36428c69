"""The answers of clients: one table of commands for each version, read as claims and written from actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import assert_never

from ump.model import actions
from ump.model.actions import Action
from ump.model.claims import Claim, Verb
from ump.model.notation import UMP_FACES, format_ump_faces
from ump.model.phases import Phase
from ump.model.tiles import COPIES, KIND_OF, Face, Kind
from ump.model.value import value
from ump.wire.text import UnwritableError, WireError, quoted
from ump.wire.ump.sentence import RICHI, TSUMOGIRI, misfit, parse_tile, parse_tiles, split_words
from ump.wire.ump.sentences01 import Bye, ClientHello, Reveal
from ump.wire.ump.sentences02 import Ack


@value
class AnswerCommand:
    """A command that answers a question."""

    verb: Verb
    to: tuple[Phase | None, ...]
    """The kinds of question that it answers; None is ``ready?``."""
    counts: tuple[int, ...] = (0,)
    """The numbers of tiles that may follow, with or without spaces between them."""
    form: str = ""
    """The words that follow, as the documentation shows them."""

    def claim(self, name: str, words: tuple[str, ...]) -> Claim:
        """Read the words after the command ``name``; raise WireError if they have another form."""
        if self.counts == (0,):
            if words:
                raise misfit(name, words)
            return Claim(self.verb)
        tiles = parse_tiles(words)
        if len(tiles) not in self.counts:
            raise misfit(name, words)
        return Claim(self.verb, tiles)


@value
class _Discard(AnswerCommand):
    """A discard, perhaps with a declaration; ``counts`` are numbers of words here."""

    def claim(self, name: str, words: tuple[str, ...]) -> Claim:
        """Read a tile and perhaps ``tsumogiri``. The hand that may follow an open riichi is ignored."""
        tsumogiri = words[-1:] == (TSUMOGIRI,)
        rest = words[:-1] if tsumogiri else words
        if len(rest) not in self.counts:
            raise misfit(name, words)
        return Claim(self.verb, (parse_tile(rest[0]),), tsumogiri)


@value
class _Discard02(AnswerCommand):
    """A discard of 0.2, with flags in any order."""

    def claim(self, name: str, words: tuple[str, ...]) -> Claim:
        """Read a tile and perhaps the flags."""
        flags = words[1:]
        if not words or not {TSUMOGIRI, RICHI}.issuperset(flags):
            raise misfit(name, words)
        verb = self.verb
        if RICHI in flags:
            verb = Verb.RIICHI
        return Claim(verb, (parse_tile(words[0]),), TSUMOGIRI in flags)


_TURN, _CALL = (Phase.TURN,), (Phase.CALL, Phase.CHANKAN)  # UMP asks both with the same question

_OF_BOTH = {
    "ankan": AnswerCommand(Verb.ANKAN, _TURN, (1, COPIES), "<tile>"),
    "kakan": AnswerCommand(Verb.KAKAN, _TURN, (1,), "<tile>"),
    "kita": AnswerCommand(Verb.KITA, _TURN),
    "tsumo": AnswerCommand(Verb.TSUMO, _TURN),
    "ryukyoku": AnswerCommand(Verb.RYUKYOKU, _TURN),
    "chi": AnswerCommand(Verb.CHI, _CALL, (0, 2), "<own> <own>"),
    "pon": AnswerCommand(Verb.PON, _CALL, (0, 2), "<own> <own>"),
    "kan": AnswerCommand(Verb.KAN, _CALL, (0, COPIES - 1)),
    "ron": AnswerCommand(Verb.RON, _CALL),
    "no": AnswerCommand(Verb.NO, (*_CALL, Phase.DECLARE)),
    "yes": AnswerCommand(Verb.YES, (None,)),
    "ok": AnswerCommand(Verb.YES, (None,)),
}

ANSWERS_01: dict[str, AnswerCommand] = {
    "sute": _Discard(Verb.DISCARD, _TURN, (1,), f"<tile> [{TSUMOGIRI}]"),
    "richi": _Discard(Verb.RIICHI, _TURN, (1,), f"<tile> [{TSUMOGIRI}]"),
    "openrichi": _Discard(Verb.OPEN_RIICHI, _TURN, (1, 2), f"<tile> [<hand>] [{TSUMOGIRI}]"),
    **_OF_BOTH,
    "yes": AnswerCommand(Verb.YES, (Phase.DECLARE, None)),
}
"""The commands of 0.1 that answer a question of the game or ``ready?``."""

ANSWERS_02: dict[str, AnswerCommand] = {
    "sutehai": _Discard02(Verb.DISCARD, _TURN, (1,), f"<tile> [{TSUMOGIRI}] [{RICHI}]"),
    **_OF_BOTH,
    "tenpai": AnswerCommand(Verb.YES, (Phase.DECLARE,)),
    "noten": AnswerCommand(Verb.NO, (Phase.DECLARE,)),
}
"""The commands of 0.2 that answer a question."""

_NO_ANSWERS = (ClientHello.NAME, Reveal.NAME, Bye.NAME)

COMMANDS_01: Mapping[str, tuple[Phase | None, ...]] = {
    **dict.fromkeys(_NO_ANSWERS, ()),
    **{name: answer.to for name, answer in ANSWERS_01.items()},
}
"""Every command of a client of 0.1, and the kinds of question that it answers."""

COMMANDS_02: Mapping[str, tuple[Phase | None, ...]] = {
    **dict.fromkeys((*_NO_ANSWERS, Ack.NAME), ()),
    **{name: answer.to for name, answer in ANSWERS_02.items()},
}


@lru_cache(1 << 10)
def read_claim(words: tuple[str, ...]) -> Claim:
    """Read an answer of 0.1; raise WireError for an unknown command or a wrong form.

    The results are cached, because a game has few different answers.
    """
    if not words or words[0] not in ANSWERS_01:
        raise WireError(f"{quoted(' '.join(words))} is not an answer")
    return ANSWERS_01[words[0]].claim(words[0], words[1:])


@lru_cache(1 << 10)
def read_claim_02(words: tuple[str, ...]) -> Claim:
    """Read an answer of 0.2, in which options may stand anywhere, as ``read_claim`` does."""
    name, *arguments = split_words(words)[0] or [""]
    answer = ANSWERS_02.get(name)
    if answer is None:
        raise WireError(f"{quoted(' '.join(words))} is not an answer")
    return answer.claim(name, tuple(arguments))


# Writing

_NAMES_01 = {answer.verb: name for name, answer in reversed(ANSWERS_01.items())}
"""The command for each verb: the first that the table has."""


def _claim_of(action: Action) -> Claim:
    """Return the claim that names an action as briefly as every server can read it."""
    match action:
        case actions.Discard():
            return Claim(Verb.DISCARD, (action.face,), action.tsumogiri)
        case actions.Riichi():
            verb = Verb.RIICHI
            if action.opened:
                verb = Verb.OPEN_RIICHI
            return Claim(verb, (action.face,), action.tsumogiri)
        case actions.Ankan():
            return Claim(Verb.ANKAN, (action.kind,))
        case actions.Kakan():
            return Claim(Verb.KAKAN, (action.face,))
        case actions.Kita():
            return Claim(Verb.KITA)
        case actions.Tsumo():
            return Claim(Verb.TSUMO)
        case actions.KyushuKyuhai():
            return Claim(Verb.RYUKYOKU)
        case actions.Chi():
            return Claim(Verb.CHI, action.own)
        case actions.Pon():
            return Claim(Verb.PON, action.own)
        case actions.Daiminkan():
            return Claim(Verb.KAN)
        case actions.Ron():
            return Claim(Verb.RON)
        case actions.DeclareTenpai():
            return Claim(Verb.YES)
        case actions.Pass() | actions.DeclareNoten():
            return Claim(Verb.NO)
        case _:
            assert_never(action)


def write_action(action: Action) -> str:
    """Write the answer of 0.1 that stands for an action, without the id."""
    return write_claim(_claim_of(action))


def write_claim(claim: Claim) -> str:
    """Write the answer of 0.1 that makes a claim, without the id.

    ``read_claim`` reads it as a claim of the same meaning: a kan is written so that any server can read it.
    """
    tiles = claim.tiles
    if claim.verb is Verb.ANKAN:  # one tile names the kind
        tiles = (KIND_OF[tiles[0]],)
    elif claim.verb is Verb.KAN:
        tiles = ()
    words = [_NAMES_01[claim.verb], *(UMP_FACES[tile] for tile in tiles)]
    if claim.tsumogiri:
        words.append(TSUMOGIRI)
    return " ".join(words)


def write_action_02(action: Action, tile: Face | None = None, concealed: Sequence[Face] = ()) -> str:
    """Write the answer of 0.2 that stands for an action, without the id.

    libump expects every tile of a kan to be named, red ones as such. They are taken from the ``concealed`` tiles; for
    an open kan those of the same kind as ``tile``, the tile in question. Without these a kan is written in the short
    form that this server reads. Raises UnwritableError for open riichi, which 0.2 does not have.
    """
    match action:
        case actions.Riichi(opened=True):
            raise UnwritableError("open riichi cannot be declared in 0.2")
        case actions.Discard() | actions.Riichi():
            words = ["sutehai", UMP_FACES[action.face]]
            if action.tsumogiri:
                words.append(TSUMOGIRI)
            if isinstance(action, actions.Riichi):
                words.append(RICHI)
            return " ".join(words)
        case actions.Ankan():
            return f"ankan {_kan_tiles(action.kind, COPIES, concealed) or UMP_FACES[action.kind]}"
        case actions.Chi():
            return f"chi {format_ump_faces(action.own)}"
        case actions.Pon():
            return f"pon {format_ump_faces(action.own)}"
        case actions.Daiminkan():
            if tile is None:
                return "kan"
            return f"kan {_kan_tiles(KIND_OF[tile], COPIES - 1, concealed)}".rstrip()
        case actions.DeclareTenpai():
            return "tenpai"
        case actions.DeclareNoten():
            return "noten"
        case _:
            return write_action(action)


def _kan_tiles(kind: Kind, count: int, concealed: Sequence[Face]) -> str:
    """Return the concealed tiles of a kind, glued; empty unless there are exactly ``count`` of them."""
    held = [face for face in concealed if KIND_OF[face] == kind]
    if len(held) != count:
        return ""
    return format_ump_faces(held)
