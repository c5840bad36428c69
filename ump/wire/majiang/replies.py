"""Replies: what a client says to a message, and what it means in answer to a question.

A reply may hold more than one word; which of them counts depends on what is asked, as at kobalab's. The words of 2015
are read where the form of 2015 is spoken: ``fule`` is ``hule``, ``pingju`` is ``daopai``, an empty type is no word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ump.model.claims import Claim, Verb
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_majiang_meld, parse_majiang_tile
from ump.model.notation.tables import NotationError
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face
from ump.model.value import value
from ump.wire.json_text import JSON, read_object
from ump.wire.text import WireError, quoted

WORDS = ("daopai", "hule", "gang", "dapai", "fulou")

_OLD_WORDS = {"fule": "hule", "pingju": "daopai"}

_ANY: Seat = 0
"""An owner for melds: whose they are, and who gave the tile, the question knows."""


@value
class Reply:
    """One reply as it came."""

    seq: JSON
    """The number of the message that it answers: anything, until it is compared."""
    said: Mapping[str, JSON]
    """The words that were said, those without a value left out."""

    def answers(self, seq: int) -> bool:
        """Tell whether it is the reply to the message of this number."""
        return type(self.seq) in (int, float) and self.seq == seq

    @property
    def declares(self) -> bool:
        """Whether it says that the hand is tenpai, in answer to the last discard."""
        return "daopai" in self.said


def read_reply(message: bytes, *, is_old: bool = False) -> Reply:
    """Read a reply; raises WireError where it is no object. ``is_old``: the form of 2015 is read too."""
    return reply_of(read_object(message), is_old=is_old)


def reply_of(content: Mapping[str, JSON], *, is_old: bool = False) -> Reply:
    """Return the reply that an object is."""
    said = {word: content[word] for word in WORDS if content.get(word)}
    old = content.get("type")
    if is_old and isinstance(old, str):
        word = _OLD_WORDS.get(old, old)
        said = {word: content.get("data") or "-"} if word in WORDS else {}
    return Reply(content.get("seq"), said)


def claim_of(reply: Reply, phase: Phase | None, tile: Face | None) -> Claim:
    """Return what a reply claims in answer to a question about a tile; raises WireError where that cannot be read.

    No word at all passes, is ready, or lets the drawn tile go; after a call it means nothing.
    """
    for word in _COUNTS[phase]:
        if word in reply.said:
            return _READINGS[phase, word](reply.said[word], tile)
    if phase is Phase.TURN:
        if tile is None or reply.said:
            raise WireError("a discard was expected")
        return Claim(Verb.DISCARD, (tile,), tsumogiri=True)
    return Claim(Verb.YES if phase is None else Verb.NO)


def _dapai(said: JSON, tile: Face | None) -> Claim:
    try:
        discarded = parse_majiang_tile(_text(said))
    except NotationError as error:
        raise WireError(str(error)) from error
    verb = Verb.RIICHI if discarded.riichi else Verb.DISCARD
    return Claim(verb, (discarded.face,), discarded.drawn)


def _gang(said: JSON, tile: Face | None) -> Claim:
    meld = _meld(said)
    if meld.type is MeldType.ANKAN:
        return Claim(Verb.ANKAN, meld.own[:1])
    if meld.added is None:
        raise WireError(f"{quoted(_text(said))} is no kan of one's own turn")
    return Claim(Verb.KAKAN, (meld.added,))


def _fulou(said: JSON, tile: Face | None) -> Claim:
    """Read a call: which of its tiles was called is known, so that its digits may stand in any order."""
    meld = _meld(said)
    own = list(meld.faces)
    called = tile if tile in own else next((face for face in own if tile is not None and _is_same(face, tile)), None)
    if meld.type not in _CALLS or called is None:
        raise WireError(f"{quoted(_text(said))} is no call of this tile")
    own.remove(called)
    return Claim(_CALLS[meld.type], tuple(own) if len(own) == 2 else ())


def _is_same(face: Face, tile: Face) -> bool:
    return KIND_OF[face] == KIND_OF[tile]


_CALLS = {MeldType.CHI: Verb.CHI, MeldType.PON: Verb.PON, MeldType.DAIMINKAN: Verb.KAN}


def _meld(said: JSON) -> Meld:
    try:
        return parse_majiang_meld(_text(said), _ANY)
    except NotationError as error:
        raise WireError(str(error)) from error


def _text(said: JSON) -> str:
    if not isinstance(said, str):
        raise WireError("a text is wanted")
    return said


def _means(verb: Verb) -> Callable[[JSON, Face | None], Claim]:
    """Return the reading of a word that means one thing, whatever stands with it."""
    claim = Claim(verb)
    return lambda said, tile: claim


_COUNTS: dict[Phase | None, tuple[str, ...]] = {
    Phase.TURN: ("daopai", "hule", "gang", "dapai"),
    Phase.CALL: ("hule", "fulou"),
    Phase.CHANKAN: ("hule",),
    None: (),
}
"""Which words answer which question, the first one first; None is ``ready?``."""

_READINGS: dict[tuple[Phase | None, str], Callable[[JSON, Face | None], Claim]] = {
    (Phase.TURN, "daopai"): _means(Verb.RYUKYOKU),
    (Phase.TURN, "hule"): _means(Verb.TSUMO),
    (Phase.TURN, "gang"): _gang,
    (Phase.TURN, "dapai"): _dapai,
    (Phase.CALL, "hule"): _means(Verb.RON),
    (Phase.CALL, "fulou"): _fulou,
    (Phase.CHANKAN, "hule"): _means(Verb.RON),
}
"""What each word means in answer to each question."""
