"""Actions as mjai objects: the offers to a seat, and the meaning of its reply.

A reply may leave out ``actor``, ``target`` and all other fields that the open question implies. Fields that it has must
have the right type and agree with the question: wrong ones show that a client is out of step. The old form ``kan`` is
read too. The table decides whether an action is legal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import assert_never

from ump.model import actions
from ump.model.claims import Claim, Reason, Verb
from ump.model.events import DrawReason
from ump.model.melds import MeldType
from ump.model.notation import MJAI_FACES
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import IN_ORDER, KIND_OF, NORTH, RED_OF, Face, Kind
from ump.model.value import value
from ump.players.hints import AdvisedAnswer
from ump.wire.json_text import JSON
from ump.wire.mjai.events import DRAW_REASONS, Message, added_to_pon, read_face, written_faces
from ump.wire.session import QuestionView
from ump.wire.text import WireError

_ABORT = DRAW_REASONS[DrawReason.KYUSHU_KYUHAI]
"""The only draw that a player declares."""


@value
class MjaiQuestion:
    """An open question, and the seats that mjai names with it."""

    seat: Seat
    """The seat that is asked."""
    source: Seat
    """The seat whose tile the question is about, unless it is the seat's own turn."""
    question: QuestionView

    @property
    def is_turn(self) -> bool:
        """Whether it is the seat's own turn."""
        return self.question.phase is Phase.TURN

    @property
    def target(self) -> Seat:
        """The seat whose tile the question is about."""
        if self.is_turn:
            return self.seat
        return self.source

    @property
    def is_after_call(self) -> bool:
        """Whether the seat has just called chi or pon, so that it can only discard."""
        return self.is_turn and self.question.tile is None


# Offers


def write_action(action: actions.Action, asked: MjaiQuestion) -> Message:
    """Write an action, with all fields. A riichi is written as its first half, without the tile.

    Raises ValueError for a declaration of tenpai, which mjai does not have.
    """
    match action:
        case actions.Discard():
            return _write_dahai(action, asked)
        case actions.Pass():
            return {"type": "none"}
        case actions.Riichi():
            return {"type": "reach", "actor": asked.seat}
        case actions.Chi():
            return _write_call("chi", asked, action.own)
        case actions.Pon():
            return _write_call("pon", asked, action.own)
        case actions.Daiminkan():
            return _write_call("daiminkan", asked, _held_of_tile(asked))
        case actions.Ankan():
            return _write_ankan(action, asked)
        case actions.Kakan():
            return _write_kakan(action, asked)
        case actions.Kita():
            return {"type": "kita", "actor": asked.seat, "pai": MJAI_FACES[NORTH]}
        case actions.Tsumo() | actions.Ron():
            return _write_hora(asked)
        case actions.KyushuKyuhai():
            return {"type": "ryukyoku", "actor": asked.seat, "reason": _ABORT}
        case actions.DeclareTenpai() | actions.DeclareNoten():
            raise ValueError("mjai has no declaration of tenpai")
        case _:
            assert_never(action)


def write_advice(advised: Iterable[AdvisedAnswer], write_offer: Callable[[actions.Action], Message]) -> list[Message]:
    """Write the answers of an advice as offers; a riichi with its tile, an answer that needs no comparison alone."""
    written: list[Message] = []
    for answer in advised:
        action = write_offer(answer.action)
        if isinstance(answer.action, actions.Riichi):
            action["pai"] = MJAI_FACES[answer.action.face]
        message: Message = {"action": action}
        if answer.points is not None:
            message |= {"points": round(answer.points), "risk": round(answer.risk, 3)}
        if answer.shanten is not None:
            message |= {"shanten": answer.shanten, "tiles": answer.tiles}
        written.append(message)
    return written


def complete_offers(asked: MjaiQuestion, kita: str = "kita") -> list[Message]:
    """Write all legal actions but discards and passing, the best first, as gimite's server does.

    ``kita`` is the type of the action that sets a north aside.
    """
    offers = [action for action in asked.question.legal()[::-1] if type(action) in _RANKS]
    offers.sort(key=lambda action: _RANKS[type(action)])
    return _distinct(complete_offer(action, asked, kita) for action in offers)


def complete_offer(action: actions.Action, asked: MjaiQuestion, kita: str) -> Message:
    """Write an action with the fields of an offer: a discard does not say whether the tile was just drawn."""
    offer = write_action(action, asked)
    offer.pop("tsumogiri", None)
    if isinstance(action, actions.Kita):
        offer["type"] = kita
    return offer


def minimal_offers(asked: MjaiQuestion) -> list[Message]:
    """Write all legal actions as RiichiLab's server does: as riichienv's ``Action.to_mjai``, but without ``actor``.

    Its bots may compare every field. A red five stands before equal tiles here.
    """
    return _distinct(minimal_offer(action, asked) for action in asked.question.legal())


def minimal_offer(action: actions.Action, asked: MjaiQuestion) -> Message:
    """Write an action in that form."""
    written = write_action(action, asked)
    own = written.get("consumed")
    if isinstance(own, list) and not isinstance(action, actions.Chi):
        own = own[::-1]
        written |= {"pai": written.get("pai", own[0]), "consumed": own}
    return {field: written[field] for field in _MINIMAL.get(type(action), ("type",))}


def cannot_dahai(asked: MjaiQuestion, legal: Iterable[actions.Action]) -> list[str]:
    """Write the held tiles that none of these actions discards, because of kuikae or to keep the hand tenpai."""
    allowed = {action.face for action in legal if isinstance(action, (actions.Discard, actions.Riichi))}
    held = asked.question.hand.faces
    return [MJAI_FACES[face] for face in IN_ORDER if held[face] and face not in allowed]


def _distinct(messages: Iterable[Message]) -> list[Message]:
    """Return each message once. Two discards of equal tiles, one of them just drawn, may be the same message."""
    distinct: list[Message] = []
    for message in messages:
        if message not in distinct:
            distinct.append(message)
    return distinct


_MINIMAL: dict[type[actions.Action], tuple[str, ...]] = {
    actions.Discard: ("type", "pai"),
    actions.Kita: ("type", "pai"),
    **dict.fromkeys(
        (actions.Chi, actions.Pon, actions.Daiminkan, actions.Ankan, actions.Kakan), ("type", "pai", "consumed")
    ),
}
"""The fields of each minimal offer; all others have only a type."""

_RANKS: dict[type[actions.Action], int] = {
    kind: rank
    for rank, kind in enumerate(
        (
            actions.Tsumo,
            actions.Ron,
            actions.Riichi,
            actions.KyushuKyuhai,
            actions.Ankan,
            actions.Kakan,
            actions.Kita,
            actions.Daiminkan,
            actions.Pon,
            actions.Chi,
        )
    )
}
"""The order of complete offers. They leave out every type of action that is missing here."""


def _write_dahai(action: actions.Discard, asked: MjaiQuestion) -> Message:
    return {
        "type": "dahai",
        "actor": asked.seat,
        "pai": MJAI_FACES[action.face],
        "tsumogiri": action.tsumogiri,
    }


def _write_call(name: str, asked: MjaiQuestion, own: Iterable[Face]) -> Message:
    return {
        "type": name,
        "actor": asked.seat,
        "target": asked.source,
        "pai": _written_tile(asked),
        "consumed": written_faces(own),
    }


def _write_ankan(action: actions.Ankan, asked: MjaiQuestion) -> Message:
    return {"type": "ankan", "actor": asked.seat, "consumed": written_faces(_held(asked, action.kind))}


def _write_kakan(action: actions.Kakan, asked: MjaiQuestion) -> Message:
    kind = KIND_OF[action.face]
    pon = next(meld for meld in asked.question.hand.melds if meld.type is MeldType.PON and meld.kind == kind)
    return {"type": "kakan", "actor": asked.seat, **added_to_pon(pon, action.face)}


def _write_hora(asked: MjaiQuestion) -> Message:
    return {"type": "hora", "actor": asked.seat, "target": asked.target, "pai": _written_tile(asked)}


def _written_tile(asked: MjaiQuestion) -> str:
    tile = asked.question.tile
    assert tile is not None, "after a call only discards are offered"
    return MJAI_FACES[tile]


def _held(asked: MjaiQuestion, kind: Kind) -> list[Face]:
    """Return the concealed tiles of a kind."""
    held: list[Face] = []
    for face in IN_ORDER:
        if KIND_OF[face] == kind:
            held += [face] * asked.question.hand.faces[face]
    return held


def _held_of_tile(asked: MjaiQuestion) -> list[Face]:
    tile = asked.question.tile
    if tile is None:
        return []
    return _held(asked, KIND_OF[tile])


# Replies


def read_reply(reply: Mapping[str, JSON], asked: MjaiQuestion) -> Claim:
    """Return the claim in a reply; raises WireError if it does not fit the question.

    ``reach`` becomes a claim without a tile: the session asks for the tile next.
    """
    name = reply.get("type")
    if not isinstance(name, str) or name not in _READ:
        raise WireError("unknown type of reply")
    if "actor" in reply and _seat(reply["actor"]) != asked.seat:
        raise WireError("actor must be the seat that replies")
    return _READ[name](reply, asked)


def _read_dahai(reply: Mapping[str, JSON], asked: MjaiQuestion) -> Claim:
    tsumogiri = reply.get("tsumogiri", False)
    if not isinstance(tsumogiri, bool):
        raise WireError("tsumogiri must be true or false")
    return Claim(Verb.DISCARD, (read_face(reply.get("pai")),), tsumogiri)


def _read_pair(verb: Verb) -> Callable[[Mapping[str, JSON], MjaiQuestion], Claim]:
    """Return the reader of chi or pon; the reply may leave out the two tiles if only one call is possible."""

    def read(reply: Mapping[str, JSON], asked: MjaiQuestion) -> Claim:
        """Return the claim in a reply."""
        _check_tile(reply, asked)
        if "consumed" not in reply:
            return Claim(verb)
        return Claim(verb, _tiles(reply["consumed"], 2))

    return read


def _read_daiminkan(reply: Mapping[str, JSON], asked: MjaiQuestion) -> Claim:
    _check_tile(reply, asked)
    tile = asked.question.tile
    if "consumed" in reply:
        for face in _tiles(reply["consumed"], 3):
            if tile is None or KIND_OF[face] != KIND_OF[tile]:
                raise WireError("the tiles of a kan must be equal")
    return Claim(Verb.KAN)


def _read_ankan(reply: Mapping[str, JSON], asked: MjaiQuestion) -> Claim:
    if "consumed" in reply:
        return Claim(Verb.ANKAN, _tiles(reply["consumed"], 4))
    return Claim(Verb.ANKAN, (read_face(reply.get("pai")),))


def _read_kakan(reply: Mapping[str, JSON], asked: MjaiQuestion) -> Claim:
    if "consumed" in reply:
        _tiles(reply["consumed"], 3)
    return Claim(Verb.KAKAN, (read_face(reply.get("pai")),))


def _read_kan(reply: Mapping[str, JSON], asked: MjaiQuestion) -> Claim:
    """Read the old form of all three kans. On the seat's own turn it is closed unless it names a tile of an own pon."""
    if not asked.is_turn:
        return _read_daiminkan(reply, asked)
    consumed = reply.get("consumed")
    if isinstance(consumed, list) and len(consumed) == 4:
        return _read_ankan(reply, asked)
    claim = _read_kakan(reply, asked)
    kind = KIND_OF[claim.tiles[0]]
    for meld in asked.question.hand.melds:
        if meld.type is MeldType.PON and meld.kind == kind:
            return claim
    return Claim(Verb.ANKAN, claim.tiles)


def _read_kita(reply: Mapping[str, JSON], asked: MjaiQuestion) -> Claim:
    if read_face(reply.get("pai", MJAI_FACES[NORTH])) != NORTH:
        raise WireError("pai must be N")
    return Claim(Verb.KITA)


def _read_hora(reply: Mapping[str, JSON], asked: MjaiQuestion) -> Claim:
    _check_tile(reply, asked)
    if asked.is_turn:
        return Claim(Verb.TSUMO)
    return Claim(Verb.RON)


def _read_ryukyoku(reply: Mapping[str, JSON], asked: MjaiQuestion) -> Claim:
    if not isinstance(reply.get("reason", _ABORT), str):
        raise WireError("reason must be a string")
    return Claim(Verb.RYUKYOKU)


_READ: dict[str, Callable[[Mapping[str, JSON], MjaiQuestion], Claim]] = {
    "none": lambda reply, asked: Claim(Verb.NO),
    "dahai": _read_dahai,
    "reach": lambda reply, asked: Claim(Verb.RIICHI),
    "chi": _read_pair(Verb.CHI),
    "pon": _read_pair(Verb.PON),
    "daiminkan": _read_daiminkan,
    "ankan": _read_ankan,
    "kakan": _read_kakan,
    "kan": _read_kan,
    "kita": _read_kita,
    "nukidora": _read_kita,
    "hora": _read_hora,
    "ryukyoku": _read_ryukyoku,
}
"""The reader of each type of reply."""


def _check_tile(reply: Mapping[str, JSON], asked: MjaiQuestion) -> None:
    """Raise WireError if the reply names another tile than the question's, or another seat as its owner."""
    tile = asked.question.tile
    if "pai" in reply and (tile is None or KIND_OF[read_face(reply["pai"])] != KIND_OF[tile]):
        raise WireError("pai must be the tile in question")
    if "target" in reply and _seat(reply["target"]) != asked.target:
        raise WireError("target must be the seat whose tile is in question")


def _tiles(read: JSON, count: int) -> tuple[Face, ...]:
    if not isinstance(read, list) or len(read) != count:
        raise WireError(f"expected {count} tiles")
    return tuple(map(read_face, read))


def _seat(read: JSON) -> Seat:
    if type(read) is not int:
        raise WireError("a seat must be an integer")
    return read


# Riichi, in two steps


def riichi_offers(asked: MjaiQuestion) -> tuple[actions.Riichi, ...]:
    """Return the legal riichi, the one with the drawn tile last; mjai has no open riichi."""
    if not asked.is_turn or asked.is_after_call:
        return ()
    return tuple(
        action for action in asked.question.legal() if isinstance(action, actions.Riichi) and not action.opened
    )


def chosen_riichi(offers: Sequence[actions.Riichi], claim: Claim, asked: MjaiQuestion) -> actions.Riichi | None:
    """Return the riichi with the tile of a discard; None for another claim, or a tile that breaks the hand.

    As everywhere, a plain five means the red one if only that is held, and without ``tsumogiri`` a tile of the hand
    goes before an equal one that was just drawn.
    """
    if claim.verb is not Verb.DISCARD:
        return None
    (face,) = claim.tiles
    if not asked.question.hand.faces[face]:
        face = RED_OF.get(face, face)
    equal = [offer for offer in offers if offer.face == face]
    for offer in equal:
        if offer.tsumogiri == claim.tsumogiri:
            return offer
    if not equal:
        return None
    return equal[0]


def riichi_flaw(claim: Claim | None, asked: MjaiQuestion) -> Reason:
    """Return why ``chosen_riichi`` finds no riichi for a reply; ``claim`` is None if the reply is unreadable."""
    if claim is None:
        return Reason.UNREADABLE
    if claim.verb is not Verb.DISCARD:
        return Reason.NOT_ASKED
    faces = asked.question.hand.faces
    (named,) = claim.tiles
    if faces[named] or faces[RED_OF.get(named, named)]:
        return Reason.NOT_TENPAI
    return Reason.NOT_HELD


def forced_riichi(offers: Sequence[actions.Riichi]) -> actions.Riichi:
    """Return the riichi for a seat that names no legal tile: with the drawn tile if legal, else the rightmost one."""
    for offer in offers:
        if offer.tsumogiri:
            return offer
    return offers[-1]
