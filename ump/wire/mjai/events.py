"""Events as mjai objects, as one seat receives them.

The objects have every field that any of the dialects' servers writes; their readers ignore the fields that they do not
know. Where the dialects have several names for one thing, each receives the name that its readers know (``Wording``):
some of them refuse a message that has two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import TypeAlias, assert_never

from ump.model import events as ev
from ump.model.constants import DEALT_TILES, STICK_POINTS, YAKUMAN_HAN
from ump.model.events import DrawReason
from ump.model.melds import Meld, MeldType
from ump.model.notation import MJAI_FACES, NotationError, parse_mjai_face
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import KIND_OF, NORTH, WINDS, Face
from ump.model.value import value
from ump.model.yaku import Yaku
from ump.wire.json_text import JSON, write
from ump.wire.text import WireError

# The names of yaku and draws in mjai, as the server of gimite/mjai writes them, with our own where it has none.

MJAI_YAKUMAN_HAN = 100
"""Han of one yakuman in mjai; 13 in ``HandValue``."""

_GIMITE: dict[Yaku, str] = {
    Yaku.MENZEN_TSUMO: "menzenchin_tsumoho",
    Yaku.RIICHI: "reach",
    Yaku.DOUBLE_RIICHI: "double_reach",
    Yaku.IPPATSU: "ippatsu",
    Yaku.CHANKAN: "chankan",
    Yaku.RINSHAN: "rinshankaiho",
    Yaku.HAITEI: "haiteiraoyue",
    Yaku.HOUTEI: "hoteiraoyui",
    Yaku.PINFU: "pinfu",
    Yaku.TANYAO: "tanyaochu",
    Yaku.IIPEIKOU: "ipeko",
    Yaku.SEAT_WIND: "jikaze",
    Yaku.ROUND_WIND: "bakaze",
    Yaku.HAKU: "sangenpai",
    Yaku.HATSU: "sangenpai",
    Yaku.CHUN: "sangenpai",
    Yaku.CHIITOITSU: "chitoitsu",
    Yaku.CHANTA: "honchantaiyao",
    Yaku.ITTSU: "ikkitsukan",
    Yaku.SANSHOKU_DOUJUN: "sanshokudojun",
    Yaku.SANSHOKU_DOUKOU: "sanshokudoko",
    Yaku.SANKANTSU: "sankantsu",
    Yaku.TOITOI: "toitoiho",
    Yaku.SANANKOU: "sananko",
    Yaku.SHOUSANGEN: "shosangen",
    Yaku.HONROUTOU: "honroto",
    Yaku.RYANPEIKOU: "ryanpeko",
    Yaku.JUNCHAN: "junchantaiyao",
    Yaku.HONITSU: "honiso",
    Yaku.CHINITSU: "chiniso",
    Yaku.DORA: "dora",
    Yaku.URA_DORA: "uradora",
    Yaku.RED_DORA: "akadora",
    Yaku.TENHOU: "tenho",
    Yaku.CHIHOU: "chiho",
    Yaku.DAISANGEN: "daisangen",
    Yaku.SUUANKOU: "suanko",
    Yaku.SUUANKOU_TANKI: "suanko",
    Yaku.TSUUIISOU: "tsuiso",
    Yaku.RYUUIISOU: "ryuiso",
    Yaku.CHINROUTOU: "chinroto",
    Yaku.CHUUREN: "churenpoton",
    Yaku.JUNSEI_CHUUREN: "churenpoton",
    Yaku.KOKUSHI: "kokushimuso",
    Yaku.KOKUSHI_13: "kokushimuso",
    Yaku.DAISUUSHII: "daisushi",
    Yaku.SHOUSUUSHII: "shosushi",
    Yaku.SUUKANTSU: "sukantsu",
}

YAKU_NAMES: dict[Yaku, str] = {yaku: _GIMITE.get(yaku, yaku.romaji) for yaku in Yaku}
"""The name of each yaku. The dragons share a name, and so do the two forms of a yakuman."""

DRAW_REASONS: dict[DrawReason, str] = {reason: reason.value for reason in DrawReason} | {DrawReason.EXHAUSTED: "fanpai"}
"""The name of each draw. UMP has adopted these names."""

RIICHILAB_DRAW_REASONS: dict[DrawReason, str] = DRAW_REASONS | {
    DrawReason.EXHAUSTED: "exhaustive_draw",
    DrawReason.KYUSHU_KYUHAI: "kyushu_kyuhai",
    DrawReason.SUUFON_RENDA: "sufuurenta",
    DrawReason.SUUCHA_RIICHI: "suucha_riichi",
    DrawReason.SUUKAIKAN: "suukansansen",
}
"""The name of each draw at RiichiLab, as its engine (smly/RiichiEnv, riichienv-core/src/state/mod.rs) writes them."""


Message: TypeAlias = dict[str, object]
"""One JSON object, ready to be written."""

HIDDEN = "?"
"""The name of a hidden tile."""

START_GAME = "start_game"
END_KYOKU = "end_kyoku"
END_GAME = "end_game"

CALL_NAMES: dict[MeldType, str] = {
    MeldType.CHI: "chi",
    MeldType.PON: "pon",
    MeldType.DAIMINKAN: "daiminkan",
}
"""The type of the message for each call of a discard."""

_SHOWN_TENPAI = frozenset((ev.DrawReason.SUUCHA_RIICHI, ev.DrawReason.SANCHAHO))
"""The abortive draws at which the tenpai hands are shown."""

_DECLARED_TENPAI = frozenset((ev.DrawReason.EXHAUSTED, ev.DrawReason.NAGASHI_MANGAN))
"""The draws before which every player declares tenpai or noten; a record may not say who did."""


@value
class Wording:
    """The names that differ between the dialects."""

    ura_markers: str
    """The field of ``hora`` with the ura indicators."""
    draws: Mapping[ev.DrawReason, str]
    """The ``reason`` of each draw."""
    kita: str = "kita"
    """The type of the message that sets a north aside."""
    slots: int = 0
    """The least number of elements in a list by seat; what is missing is filled up."""

    @property
    def of_three(self) -> Wording:
        """The same, as Mortal's family writes games of three: ``nukidora``, and lists of four with an empty seat."""
        return replace(self, kita="nukidora", slots=len(LETTERS))


GIMITE = Wording("uradora_markers", DRAW_REASONS)
"""As gimite's server. Every reader of records knows these names, but Mortal's finds no ura indicators under them."""

MORTAL = Wording("ura_markers", DRAW_REASONS)
"""As Mortal and mjai.app, which have no names for draws."""

RIICHILAB = Wording("ura_markers", RIICHILAB_DRAW_REASONS)
"""As RiichiLab, whose engine is smly/RiichiEnv."""


class Written:
    """A message about an event, with its text. It is shared by its receivers, so it never changes."""

    __slots__ = ("actor", "content", "text", "type")

    def __init__(self, content: Message) -> None:
        self.content = content
        """The JSON object."""
        self.text = write(content)
        """The same as text."""
        self.type = content["type"]
        self.actor = content.get("actor")
        """The seat that acts; None if no seat does."""

    def extended(self, fields: str) -> str:
        """Return the text with further fields at its end, which are written without their braces; "" adds none."""
        if not fields:
            return self.text
        return f"{self.text[:-1]},{fields}}}"


def written_faces(faces: Iterable[Face]) -> list[str]:
    """Write tiles in the order of a sorted hand, red fives after plain ones, as mjai's servers do."""
    return [MJAI_FACES[face] for face in sorted(faces, key=lambda face: (KIND_OF[face], face))]


def read_face(read: JSON) -> Face:
    """Read a tile; raises WireError."""
    if not isinstance(read, str):
        raise WireError("a tile must be a string")
    try:
        return parse_mjai_face(read)
    except NotationError as error:
        raise WireError(str(error)) from error


class MjaiNarrator:
    """Writes the events of a game for one seat, or for a record, and remembers what later events need.

    It collects the parts of a kyoku's start (the first event, the hands and the first indicator) and the hands that are
    shown before a draw, until a message can hold them. It keeps the running scores.
    """

    __slots__ = (
        "_are_scores_known",
        "_counts",
        "_dealer",
        "_dealt",
        "_opening",
        "_seat",
        "_shown",
        "_start",
        "_tenpais",
        "_wording",
        "scores",
        "source",
    )

    def __init__(self, seat: Seat | None, wording: Wording = GIMITE) -> None:
        """Begin before a game; None is a record."""
        self._wording = wording
        self.scores: list[int] = []
        self._are_scores_known = True
        self.source: Seat = 0
        """The seat that discarded, declared a kan or set a north aside last. The others are asked about its tile."""
        self._seat = seat
        self._start: ev.KyokuStarted | None = None
        """The start of a kyoku, until the message for it is complete."""
        self._dealt: dict[Seat, tuple[Face, ...]] = {}
        """The dealt hands that this seat may see."""
        self._counts: list[int] = []
        """The number of concealed tiles of each seat."""
        self._shown: dict[Seat, tuple[Face, ...]] = {}
        """The hands that were shown before a draw."""
        self._tenpais: list[bool | None] = []
        """Whether each seat is tenpai at a draw; None before it says so."""
        self._dealer: Seat = 0
        self._opening: Seat | None = None
        """The seat that has just declared an open riichi. Its hand is shown next, and mjai has no message for that."""

    def tell(self, event: ev.Event) -> Written | None:
        """Return the message for an event that this seat may see, or None if a later message or none tells it."""
        message = self._tell(event)
        if message is None or not self._wording.slots:
            return message
        return _filled(message, self._wording.slots)

    def _tell(self, event: ev.Event) -> Written | None:
        match event:  # the frequent ones first
            case ev.TileDiscarded():
                return self._tile_discarded(event)
            case ev.TileDrawn():
                return self._tile_drawn(event)
            case ev.TileCalled():
                return self._tile_called(event)
            case ev.HandDealt():
                self._hand_dealt(event)
            case ev.DoraRevealed():
                return self._dora_revealed(event)
            case ev.RiichiDeclared():
                return self._riichi_declared(event)
            case ev.RiichiPaid():
                return self._riichi_paid(event)
            case ev.KanDeclared():
                return self._kan_declared(event)
            case ev.KitaDeclared():
                return self._kita_declared(event)
            case ev.HandOpened():
                self._hand_opened(event)
            case ev.TenpaiDeclared():
                self._tenpai_declared(event)
            case ev.HandWon():
                return self._hand_won(event)
            case ev.KyokuDrawn():
                return self._kyoku_drawn(event)
            case ev.KyokuStarted():
                self._kyoku_started(event)
            case ev.KyokuEnded():
                return KYOKU_END
            case ev.GameStarted():
                return self._game_started(event)
            case ev.GameEnded():
                return self._game_ended(event)
            case ev.RonDeclared():
                pass  # the first of three rons that end in a draw: ``ryukyoku`` says so
            case _:
                assert_never(event)
        return None

    def _game_started(self, event: ev.GameStarted) -> Written:
        message: Message = {"type": START_GAME}
        if self._seat is not None:
            message["id"] = self._seat
        message["names"] = list(event.names)
        return Written(message)

    def _kyoku_started(self, event: ev.KyokuStarted) -> None:
        seats = len(event.points)
        self._start, self._dealer = event, event.dealer
        self.scores, self._are_scores_known = list(event.points), True
        self._dealt, self._shown = {}, {}
        self._counts = [DEALT_TILES] * seats
        self._tenpais = [None] * seats
        self._opening = None

    def _hand_dealt(self, event: ev.HandDealt) -> None:
        if event.faces is not None:
            self._dealt[event.seat] = event.faces

    def _dora_revealed(self, event: ev.DoraRevealed) -> Written:
        start, self._start = self._start, None
        marker = MJAI_FACES[event.indicator]
        if start is None:
            return Written({"type": "dora", "dora_marker": marker})
        return Written(
            {
                "type": "start_kyoku",
                "bakaze": MJAI_FACES[WINDS[start.bakaze]],
                "kyoku": start.dealer + 1,
                "honba": start.honba,
                "kyotaku": start.kyotaku,
                "oya": start.dealer,
                "dora_marker": marker,
                "scores": list(start.points),
                "tehais": [self._written_hand(seat, self._dealt) for seat in range(len(start.points))],
            }
        )

    def _written_hand(self, seat: Seat, seen: dict[Seat, tuple[Face, ...]]) -> list[str]:
        if seat not in seen:
            return [HIDDEN] * self._counts[seat]
        return written_faces(seen[seat])

    def _tile_drawn(self, event: ev.TileDrawn) -> Written:
        self._counts[event.seat] += 1
        return _tsumo(event.seat, event.face)

    def _riichi_declared(self, event: ev.RiichiDeclared) -> Written:
        self._opening = None
        if event.opened:
            self._opening = event.seat
        return reach(event.seat)

    def _tile_discarded(self, event: ev.TileDiscarded) -> Written:
        self._counts[event.seat] -= 1
        self.source = event.seat
        return _dahai(event.seat, event.face, event.tsumogiri)

    def _riichi_paid(self, event: ev.RiichiPaid) -> Written:
        deltas = [0] * len(self.scores)
        deltas[event.seat] = -STICK_POINTS
        return Written({"type": "reach_accepted", "actor": event.seat, **self._paid(deltas)})

    def _paid(self, deltas: Iterable[int]) -> Message:
        """Add the payments to the scores; return the fields that tell both, none if a record does not state them."""
        changes = list(deltas)
        if not changes:
            self._are_scores_known = False
        if not self._are_scores_known:
            return {}
        self.scores = [score + change for score, change in zip(self.scores, changes, strict=True)]
        return {"deltas": changes, "scores": self.scores[:]}

    def _tile_called(self, event: ev.TileCalled) -> Written:
        meld = event.meld
        assert meld.called is not None
        self._counts[event.seat] -= len(meld.own)
        return Written(
            {
                "type": CALL_NAMES[meld.type],
                "actor": event.seat,
                "target": meld.source,
                "pai": MJAI_FACES[meld.called],
                "consumed": written_faces(meld.own),
            }
        )

    def _kan_declared(self, event: ev.KanDeclared) -> Written:
        meld = event.meld
        self.source = event.seat
        if meld.added is None:
            self._counts[event.seat] -= len(meld.own)
            return Written({"type": "ankan", "actor": event.seat, "consumed": written_faces(meld.own)})
        self._counts[event.seat] -= 1
        return Written({"type": "kakan", "actor": event.seat, **added_to_pon(meld, meld.added)})

    def _kita_declared(self, event: ev.KitaDeclared) -> Written:
        self.source = event.seat
        self._counts[event.seat] -= 1
        return Written({"type": self._wording.kita, "actor": event.seat, "pai": MJAI_FACES[NORTH]})

    def _hand_opened(self, event: ev.HandOpened) -> None:
        if self._opening == event.seat:
            self._opening = None
        else:
            self._shown[event.seat] = event.faces

    def _tenpai_declared(self, event: ev.TenpaiDeclared) -> None:
        self._tenpais[event.seat] = event.tenpai
        if event.faces is not None:
            self._shown[event.seat] = event.faces

    def _hand_won(self, event: ev.HandWon) -> Written:
        target = event.loser
        if target is None:
            target = event.seat
        message: Message = {
            "type": "hora",
            "actor": event.seat,
            "target": target,
            "pai": MJAI_FACES[event.tile],
            self._wording.ura_markers: [MJAI_FACES[face] for face in event.ura],
            "hora_tehais": _written_winner(event),
            **self._worth(event),
        }
        if event.liable is not None:
            message["pao"] = event.liable
        return Written({**message, **self._paid(event.changes)})

    def _worth(self, event: ev.HandWon) -> Message:
        """Return the fields with the value of a hand, without those that a record does not state."""
        worth, is_dealer = event.value, event.seat == self._dealer
        fields: Message = {}
        if worth.yaku:
            fields["yakus"] = [[YAKU_NAMES[yaku], _han(han, worth.yakuman)] for yaku, han in worth.yaku]
        if worth.fu or worth.yakuman:
            fields["fu"] = worth.fu
        if worth.han:
            fields["fan"] = _han(worth.han, worth.yakuman)
        if worth.base:
            is_tsumo = event.loser is None
            fields["hora_points"] = worth.points(len(self.scores), is_dealer=is_dealer, is_tsumo=is_tsumo)
        return fields

    def _kyoku_drawn(self, event: ev.KyokuDrawn) -> Written:
        message: Message = {"type": "ryukyoku"}
        if event.reason is ev.DrawReason.KYUSHU_KYUHAI and self._shown:
            message["actor"] = next(iter(self._shown))
        seats = range(len(self.scores))
        message["reason"] = self._wording.draws[event.reason]
        message["tehais"] = [self._written_hand(seat, self._shown) for seat in seats]
        if event.reason in _SHOWN_TENPAI:
            message["tenpais"] = [seat in self._shown for seat in seats]
        elif event.reason not in _DECLARED_TENPAI or None not in self._tenpais:
            message["tenpais"] = [bool(is_tenpai) for is_tenpai in self._tenpais]
        return Written({**message, **self._paid(event.changes)})

    def _game_ended(self, event: ev.GameEnded) -> Written:
        """Write the final scores, and the sticks that were left over as the last payment."""
        if not event.points:
            return Written({"type": END_GAME})
        before = self.scores or event.points
        deltas = [after - score for after, score in zip(event.points, before, strict=True)]
        self.scores = list(event.points)
        message: Message = {"type": END_GAME}
        if self._are_scores_known:
            message["deltas"] = deltas
        message["scores"] = self.scores[:]
        return Written(message)


EMPTY_SEAT: Mapping[str, object] = {
    "names": "",
    "scores": 0,
    "deltas": 0,
    "tehais": [HIDDEN] * DEALT_TILES,
    "tenpais": False,
}
"""The elements of an empty seat in the lists by seat."""


def _filled(message: Written, slots: int) -> Written:
    """Return a message whose lists by seat have at least so many elements."""
    filled: Message = {}
    for field, empty in EMPTY_SEAT.items():
        listed = message.content.get(field)
        if isinstance(listed, list) and len(listed) < slots:
            filled[field] = [*listed, *[empty] * (slots - len(listed))]
    if not filled:
        return message
    return Written({**message.content, **filled})


# Messages of which there are few, so that each is written once


KYOKU_END = Written({"type": END_KYOKU})
"""The end of a kyoku."""


@cache
def reach(seat: Seat) -> Written:
    """Return the message that a seat declares riichi."""
    return Written({"type": "reach", "actor": seat})


@cache
def _tsumo(seat: Seat, face: Face | None) -> Written:
    tile = HIDDEN
    if face is not None:
        tile = MJAI_FACES[face]
    return Written({"type": "tsumo", "actor": seat, "pai": tile})


@cache
def _dahai(seat: Seat, face: Face, tsumogiri: bool) -> Written:
    return Written({"type": "dahai", "actor": seat, "pai": MJAI_FACES[face], "tsumogiri": tsumogiri})


def added_to_pon(pon: Meld, added: Face) -> Message:
    """Write the tile that a kan adds to a pon, and the tiles of that pon."""
    faces = list(pon.own)
    if pon.called is not None:
        faces.append(pon.called)
    return {"pai": MJAI_FACES[added], "consumed": written_faces(faces)}


def _written_winner(event: ev.HandWon) -> list[str]:
    """Write the concealed tiles of a winner; after a tsumo the winning tile stands last."""
    if event.loser is not None:
        return written_faces(event.faces)
    return [*written_faces(event.faces[:-1]), MJAI_FACES[event.faces[-1]]]


def _han(han: int, yakuman: int) -> int:
    """Return the han as mjai counts them: a kazoe yakuman keeps its own."""
    if not yakuman:
        return han
    return han // YAKUMAN_HAN * MJAI_YAKUMAN_HAN
