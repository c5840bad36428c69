"""Replies of Majiang clients, and their meaning as answers to questions.

A reply may hold several words. The question decides which of them counts, as at kobalab's server. If a client uses the
form of 2015, the words of that form are read too: ``fule`` is ``hule``, ``pingju`` is ``daopai``, and an empty type
counts as no word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ump.model.claims import Claim, Verb
from ump.model.melds import Meld, MeldType
from ump.model.notation import NotationError, parse_majiang_meld, parse_majiang_tile
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face
from ump.model.value import value
from ump.wire.json_text import JSON, read_object
from ump.wire.text import WireError, quoted

WORDS = ("daopai", "hule", "gang", "dapai", "fulou")

_OLD_WORDS = {"fule": "hule", "pingju": "daopai"}

_ANY: Seat = 0
"""The owner that melds are parsed with. It does not matter: the question knows who calls, and whose tile."""


@value
class Reply:
    """One reply, as it came."""

    seq: JSON
    """The number of the message that the reply belongs to, unchecked."""
    words: Mapping[str, JSON]
    """The words that have a value, and those values."""

    def answers(self, seq: int) -> bool:
        """Tell whether this is the reply to the message of this number."""
        return type(self.seq) in (int, float) and self.seq == seq

    @property
    def declares(self) -> bool:
        """Whether the reply to the last discard declares tenpai."""
        return "daopai" in self.words


def read_reply(message: bytes, *, is_old: bool = False) -> Reply:
    """Read a reply, with ``is_old`` in the form of 2015 too. Raises WireError if it is not an object."""
    return reply_of(read_object(message), is_old=is_old)


def reply_of(content: Mapping[str, JSON], *, is_old: bool = False) -> Reply:
    """Return an object as a reply."""
    said = {word: content[word] for word in WORDS if content.get(word)}
    old = content.get("type")
    if is_old and isinstance(old, str):
        word = _OLD_WORDS.get(old, old)
        said = {word: content.get("data") or "-"} if word in WORDS else {}
    return Reply(content.get("seq"), said)


def claim_of(reply: Reply, phase: Phase | None, tile: Face | None) -> Claim:
    """Return the claim in a reply to a question about a tile; ``phase`` is None for ``ready?``.

    A reply without a word passes, says that the client is ready, or discards the drawn tile. Raises WireError if the
    words make no claim, or if the reply to the question after a call has no word.
    """
    for word in _COUNTS[phase]:
        if word in reply.words:
            return _READINGS[phase, word](reply.words[word], tile)
    if phase is Phase.TURN:
        if tile is None or reply.words:
            raise WireError("expected a discard")
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
        raise WireError(f"{quoted(_text(said))} is not a kan on the own turn")
    return Claim(Verb.KAKAN, (meld.added,))


def _fulou(said: JSON, tile: Face | None) -> Claim:
    """Read a call. The question knows the called tile, so the digits of the meld may stand in any order."""
    meld = _meld(said)
    own = list(meld.faces)
    called = tile if tile in own else next((face for face in own if tile is not None and _is_same(face, tile)), None)
    if meld.type not in _CALLS or called is None:
        raise WireError(f"{quoted(_text(said))} is not a call of this tile")
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
        raise WireError("expected a string")
    return said


def _means(verb: Verb) -> Callable[[JSON, Face | None], Claim]:
    """Return the reader of a word that means the same with any value."""
    claim = Claim(verb)
    return lambda said, tile: claim


_COUNTS: dict[Phase | None, tuple[str, ...]] = {
    Phase.TURN: ("daopai", "hule", "gang", "dapai"),
    Phase.CALL: ("hule", "fulou"),
    Phase.CHANKAN: ("hule",),
    None: (),
}
"""The words that answer each question; the first one in the reply counts. None is ``ready?``."""

_READINGS: dict[tuple[Phase | None, str], Callable[[JSON, Face | None], Claim]] = {
    (Phase.TURN, "daopai"): _means(Verb.RYUKYOKU),
    (Phase.TURN, "hule"): _means(Verb.TSUMO),
    (Phase.TURN, "gang"): _gang,
    (Phase.TURN, "dapai"): _dapai,
    (Phase.CALL, "hule"): _means(Verb.RON),
    (Phase.CALL, "fulou"): _fulou,
    (Phase.CHANKAN, "hule"): _means(Verb.RON),
}
"""The reader of each word, by question."""
