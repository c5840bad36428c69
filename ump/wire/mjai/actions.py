"""Actions as mjai objects: what a seat is offered, and what its reply means.

A reply is read loosely in form and strictly in types: ``actor``, ``target`` and what the open question says anyway may
be left out, but where they stand they must be right, for a client that is out of step betrays itself by them. The old
form ``kan`` is read. Whether an action is legal is for the table to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
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
from ump.model.melds import MeldType
from ump.model.notation import MJAI_FACES, NotationError, parse_mjai_face
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import IN_ORDER, KIND_OF, RED_OF, Face, Kind
from ump.model.value import value
from ump.wire.json_text import JSON
from ump.wire.mjai.events import Message, added_to_pon, written_faces
from ump.wire.session import QuestionView
from ump.wire.text import WireError

_ABORT = "kyushukyuhai"
"""The one draw that a player declares."""


@value
class AskedQuestion:
    """An open question, and what mjai names besides."""

    seat: Seat
    """Who is asked."""
    source: Seat
    """Whose tile it is about, unless it is the seat's own turn."""
    question: QuestionView

    @property
    def is_turn(self) -> bool:
        """Whether it is the seat's own turn."""
        return self.question.phase is Phase.TURN

    @property
    def is_after_call(self) -> bool:
        """Whether a chi or pon has just been made, so that only a discard is left."""
        return self.is_turn and self.question.tile is None


# What is offered.


def write_action(action: Action, asked: AskedQuestion) -> Message:
    """Write an action, complete. A riichi is written as its first half, without the tile."""
    return _WRITE[type(action)](action, asked)


def complete_offers(asked: AskedQuestion) -> list[Message]:
    """Write what is possible besides discards and passing, the best first: the form of gimite's servers."""
    offers = [action for action in asked.question.legal()[::-1] if type(action) in _RANKS]
    offers.sort(key=lambda action: _RANKS[type(action)])
    return _distinct(write_action(action, asked) for action in offers)


def minimal_offers(asked: AskedQuestion) -> list[Message]:
    """Write everything that is legal, each without what the one who is asked knows: the form of request clients."""
    written = (write_action(action, asked) for action in asked.question.legal())
    return _distinct({key: item for key, item in message.items() if key not in _KNOWN} for message in written)


def cannot_dahai(asked: AskedQuestion, legal: Iterable[Action]) -> list[str]:
    """Write the held tiles that none of these discards: what kuikae forbids, or what would break a tenpai hand."""
    allowed = {action.face for action in legal if isinstance(action, (Discard, Riichi))}
    held = asked.question.hand.faces
    return [MJAI_FACES[face] for face in IN_ORDER if held[face] and face not in allowed]


def _distinct(messages: Iterable[Message]) -> list[Message]:
    """Return each message once: by its tile alone the drawn one and its equal in the hand are one discard."""
    distinct: list[Message] = []
    for message in messages:
        if message not in distinct:
            distinct.append(message)
    return distinct


_KNOWN = frozenset(("actor", "target", "tsumogiri"))
"""What minimal offers leave out."""

_RANKS: dict[type[Action], int] = {
    kind: rank for rank, kind in enumerate((Tsumo, Ron, Riichi, KyushuKyuhai, Ankan, Kakan, Daiminkan, Pon, Chi))
}
"""In which order complete offers stand; what is missing here is not offered there."""


def _write_dahai(action: Discard, asked: AskedQuestion) -> Message:
    return {
        "type": "dahai",
        "actor": asked.seat,
        "pai": MJAI_FACES[action.face],
        "tsumogiri": action.tsumogiri,
    }


def _write_call(name: str, asked: AskedQuestion, own: Iterable[Face]) -> Message:
    return {
        "type": name,
        "actor": asked.seat,
        "target": asked.source,
        "pai": _written_tile(asked),
        "consumed": written_faces(own),
    }


def _write_ankan(action: Ankan, asked: AskedQuestion) -> Message:
    return {"type": "ankan", "actor": asked.seat, "consumed": written_faces(_held(asked, action.kind))}


def _write_kakan(action: Kakan, asked: AskedQuestion) -> Message:
    kind = KIND_OF[action.face]
    pon = next(meld for meld in asked.question.hand.melds if meld.type is MeldType.PON and meld.kind == kind)
    return {"type": "kakan", "actor": asked.seat, **added_to_pon(pon, action.face)}


def _write_hora(action: Tsumo | Ron, asked: AskedQuestion) -> Message:
    target = asked.seat if asked.is_turn else asked.source
    return {"type": "hora", "actor": asked.seat, "target": target, "pai": _written_tile(asked)}


def _written_tile(asked: AskedQuestion) -> str:
    tile = asked.question.tile
    assert tile is not None, "only discards are offered after a call"
    return MJAI_FACES[tile]


def _held(asked: AskedQuestion, kind: Kind) -> list[Face]:
    """Return the concealed tiles of a kind."""
    faces = asked.question.hand.faces
    return [face for face in IN_ORDER for _ in range(faces[face]) if KIND_OF[face] == kind]


def _held_of_tile(asked: AskedQuestion) -> list[Face]:
    tile = asked.question.tile
    return [] if tile is None else _held(asked, KIND_OF[tile])


_WRITE: dict[type, Callable[[Any, AskedQuestion], Message]] = {
    Discard: _write_dahai,
    Riichi: lambda action, asked: {"type": "reach", "actor": asked.seat},
    Ankan: _write_ankan,
    Kakan: _write_kakan,
    Tsumo: _write_hora,
    Ron: _write_hora,
    KyushuKyuhai: lambda action, asked: {"type": "ryukyoku", "actor": asked.seat, "reason": _ABORT},
    Pass: lambda action, asked: {"type": "none"},
    Chi: lambda action, asked: _write_call("chi", asked, action.own),
    Pon: lambda action, asked: _write_call("pon", asked, action.own),
    Daiminkan: lambda action, asked: _write_call("daiminkan", asked, _held_of_tile(asked)),
}
"""How each action is written. Whether one is tenpai is never asked in mjai."""


# What is replied.


def read_reply(reply: Mapping[str, JSON], asked: AskedQuestion) -> Claim:
    """Read what a reply claims; raises WireError where it cannot be one to this question.

    ``reach`` becomes a claim without the tile: that is asked for next.
    """
    name = reply.get("type")
    read = _READ.get(name) if isinstance(name, str) else None
    if read is None:
        raise WireError("a reply has one of the types of mjai")
    if "actor" in reply and _seat(reply["actor"]) != asked.seat:
        raise WireError("the actor of a reply is the one who replies")
    return read(reply, asked)


def _read_dahai(reply: Mapping[str, JSON], asked: AskedQuestion) -> Claim:
    tsumogiri = reply.get("tsumogiri", False)
    if not isinstance(tsumogiri, bool):
        raise WireError("tsumogiri is true or false")
    return Claim(Verb.DISCARD, (_tile(reply.get("pai")),), tsumogiri)


def _read_pair(verb: Verb) -> Callable[[Mapping[str, JSON], AskedQuestion], Claim]:
    """Return the reading of chi or pon; the two tiles may be left out where only one call is possible."""

    def read(reply: Mapping[str, JSON], asked: AskedQuestion) -> Claim:
        _check_tile(reply, asked)
        return Claim(verb, _tiles(reply["consumed"], 2) if "consumed" in reply else ())

    return read


def _read_daiminkan(reply: Mapping[str, JSON], asked: AskedQuestion) -> Claim:
    _check_tile(reply, asked)
    tile = asked.question.tile
    if "consumed" in reply:
        for face in _tiles(reply["consumed"], 3):
            if tile is None or KIND_OF[face] != KIND_OF[tile]:
                raise WireError("a kan is made of equal tiles")
    return Claim(Verb.KAN)


def _read_ankan(reply: Mapping[str, JSON], asked: AskedQuestion) -> Claim:
    if "consumed" in reply:
        return Claim(Verb.ANKAN, _tiles(reply["consumed"], 4))
    return Claim(Verb.ANKAN, (_tile(reply.get("pai")),))


def _read_kakan(reply: Mapping[str, JSON], asked: AskedQuestion) -> Claim:
    if "consumed" in reply:
        _tiles(reply["consumed"], 3)
    return Claim(Verb.KAKAN, (_tile(reply.get("pai")),))


def _read_kan(reply: Mapping[str, JSON], asked: AskedQuestion) -> Claim:
    """Read the old form of all three: on one's own turn four tiles, or three that are no pon, are a closed kan."""
    if not asked.is_turn:
        return _read_daiminkan(reply, asked)
    consumed = reply.get("consumed")
    if isinstance(consumed, list) and len(consumed) == 4:
        return _read_ankan(reply, asked)
    claim = _read_kakan(reply, asked)
    kind = KIND_OF[claim.tiles[0]]
    is_added = any(meld.type is MeldType.PON and meld.kind == kind for meld in asked.question.hand.melds)
    return claim if is_added else Claim(Verb.ANKAN, claim.tiles)


def _read_hora(reply: Mapping[str, JSON], asked: AskedQuestion) -> Claim:
    _check_tile(reply, asked)
    return Claim(Verb.TSUMO if asked.is_turn else Verb.RON)


def _read_ryukyoku(reply: Mapping[str, JSON], asked: AskedQuestion) -> Claim:
    if not isinstance(reply.get("reason", _ABORT), str):
        raise WireError("a reason is a text")
    return Claim(Verb.RYUKYOKU)


_READ: dict[str, Callable[[Mapping[str, JSON], AskedQuestion], Claim]] = {
    "none": lambda reply, asked: Claim(Verb.NO),
    "dahai": _read_dahai,
    "reach": lambda reply, asked: Claim(Verb.RIICHI),
    "chi": _read_pair(Verb.CHI),
    "pon": _read_pair(Verb.PON),
    "daiminkan": _read_daiminkan,
    "ankan": _read_ankan,
    "kakan": _read_kakan,
    "kan": _read_kan,
    "hora": _read_hora,
    "ryukyoku": _read_ryukyoku,
}
"""How each type of reply is read."""


def _check_tile(reply: Mapping[str, JSON], asked: AskedQuestion) -> None:
    """Raise WireError where the tile in question, or whose it is, is named and is another."""
    tile = asked.question.tile
    if "pai" in reply and (tile is None or KIND_OF[_tile(reply["pai"])] != KIND_OF[tile]):
        raise WireError("the tile of a reply is the one that it answers")
    target = asked.seat if asked.is_turn else asked.source
    if "target" in reply and _seat(reply["target"]) != target:
        raise WireError("the target of a reply is the one whose tile it answers")


def _tile(read: JSON) -> Face:
    if not isinstance(read, str):
        raise WireError("a tile is a text")
    try:
        return parse_mjai_face(read)
    except NotationError as error:
        raise WireError(str(error)) from error


def _tiles(read: JSON, count: int) -> tuple[Face, ...]:
    if not isinstance(read, list) or len(read) != count:
        raise WireError(f"{count} tiles are wanted")
    return tuple(map(_tile, read))


def _seat(read: JSON) -> Seat:
    if type(read) is not int:
        raise WireError("a player is a number")
    return read


# Riichi, in two steps.


def riichi_offers(asked: AskedQuestion) -> tuple[Riichi, ...]:
    """Return with which tiles riichi may be declared, the drawn one last; open riichi has no form in mjai."""
    if not asked.is_turn or asked.is_after_call:
        return ()
    return tuple(action for action in asked.question.legal() if isinstance(action, Riichi) and not action.opened)


def chosen_riichi(offers: Sequence[Riichi], claim: Claim, asked: AskedQuestion) -> Riichi | None:
    """Return the riichi of a discard, or None where it is no discard, or of a tile that breaks the hand.

    As everywhere a plain five means the red one where only that is held, and a tile of the hand goes before its equal
    that was drawn.
    """
    if claim.verb is not Verb.DISCARD:
        return None
    (named,) = claim.tiles
    face = named if asked.question.hand.faces[named] else RED_OF.get(named, named)
    equal = [offer for offer in offers if offer.face == face]
    return next((offer for offer in equal if offer.tsumogiri == claim.tsumogiri), equal[0] if equal else None)


def forced_riichi(offers: Sequence[Riichi]) -> Riichi:
    """Return the riichi of one who has declared it and names no tile that may go: the drawn one, else the rightmost."""
    return next((offer for offer in offers if offer.tsumogiri), offers[-1])
