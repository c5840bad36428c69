"""Events as Majiang messages, as one seat receives them.

A seat has two numbers there. Its ``id`` is the same for the whole game: our seat number, 0 for the first dealer. Its
wind ``l`` is 0 for the dealer of the kyoku.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, assert_never

from ump.model import events as ev
from ump.model.constants import FULL_HAND, YAKUMAN_HAN
from ump.model.melds import Meld, MeldType
from ump.model.notation import (
    DIRECTIONS,
    MAJIANG_FACES,
    MajiangTile,
    Shoupai,
    format_majiang_meld,
    format_majiang_tile,
    format_shoupai,
)
from ump.model.seats import Seat
from ump.model.tiles import Face, sort_faces
from ump.model.value import value
from ump.model.yaku import HandValue, Yaku
from ump.rules.ruleset import (
    ExtraRound,
    KanDoraTime,
    Kuikae,
    Length,
    MultipleRon,
    Nagashi,
    Renchan,
    RiichiKan,
    Rounding,
    Ruleset,
    Tenpai,
)

SEATS = 4

WIND_NAMES = "東南西北"


# The value of a win, in a ``hule``


_NAMES = {
    Yaku.DOUBLE_RIICHI: "ダブル立直",
    Yaku.HAKU: "翻牌 白",
    Yaku.HATSU: "翻牌 發",
    Yaku.CHUN: "翻牌 中",
}
"""Yaku with another name there. The names of the two wind yaku include the wind."""

_ORDER = (
    *(Yaku.RIICHI, Yaku.DOUBLE_RIICHI, Yaku.OPEN_RIICHI, Yaku.IPPATSU, Yaku.HAITEI, Yaku.HOUTEI, Yaku.RINSHAN),
    *(Yaku.CHANKAN, Yaku.RENHOU, Yaku.MENZEN_TSUMO, Yaku.ROUND_WIND, Yaku.SEAT_WIND, Yaku.HAKU, Yaku.HATSU),
    *(Yaku.CHUN, Yaku.PINFU, Yaku.TANYAO, Yaku.IIPEIKOU, Yaku.SANSHOKU_DOUJUN, Yaku.ITTSU, Yaku.CHANTA),
    *(Yaku.CHIITOITSU, Yaku.TOITOI, Yaku.SANANKOU, Yaku.SANKANTSU, Yaku.SANSHOKU_DOUKOU, Yaku.HONROUTOU),
    *(Yaku.SHOUSANGEN, Yaku.HONITSU, Yaku.JUNCHAN, Yaku.RYANPEIKOU, Yaku.CHINITSU),
    *(Yaku.DORA, Yaku.RED_DORA, Yaku.URA_DORA),
)
"""The order in which kobalab's programs list the yaku. Yakuman, which are missing here, keep their own order."""

_PLACE = {yaku: place for place, yaku in enumerate(_ORDER)}

_LIABLE = frozenset((Yaku.DAISANGEN, Yaku.DAISUUSHII, Yaku.SUUKANTSU))
"""Yakuman for which another player may be liable (pao)."""


def hupai(event: ev.HandWon, round_wind: int, seat_wind: int) -> list[dict[str, object]]:
    """Return the yaku of a win, each with its han or its stars; winds are 0 for east.

    If another player is liable, the first yaku that allows it names that player, as seen from the winner.
    """
    winds = {Yaku.ROUND_WIND: f"場風 {WIND_NAMES[round_wind]}", Yaku.SEAT_WIND: f"自風 {WIND_NAMES[seat_wind]}"}
    liable = event.liable
    entries: list[dict[str, object]] = []
    for yaku, han in sorted(event.value.yaku, key=lambda pair: _PLACE.get(pair[0], 0)):
        name = winds.get(yaku) or _NAMES.get(yaku, yaku.japanese)
        entry: dict[str, object] = {"name": name, "fanshu": _fanshu(event.value, han)}
        if liable is not None and yaku in _LIABLE:
            entry["baojia"] = direction_of(liable, event.seat)
            liable = None
        entries.append(entry)
    return entries


def direction_of(other: Seat, owner: Seat) -> str:
    """Return where one seat is as seen from another: ``+`` on the right, ``=`` opposite, ``-`` on the left."""
    return DIRECTIONS[SEATS][(other - owner) % SEATS - 1]


def worth(value: HandValue) -> dict[str, int]:
    """Return fu and han, or for a yakuman only how many times yakuman it is."""
    if value.yakuman:
        return {"damanguan": value.yakuman}
    return {"fu": value.fu, "fanshu": value.han}


def _fanshu(value: HandValue, han: int) -> int | str:
    """Return the han; stars for a yakuman, but not for a kazoe yakuman."""
    if value.yakuman:
        return "*" * (han // YAKUMAN_HAN)
    return han


# Rulesets as kobalab's rule objects


RIICHI_TILES = 4
"""Tiles that the wall must have left for riichi, unless the rule object allows riichi without a next draw."""


@value
class RuleEntry:
    """An entry of the rule object."""

    type: str
    meaning: str


def red_fives(ruleset: Ruleset) -> dict[str, int]:
    """Return how many fives of each suit are red."""
    return dict(zip("mps", ruleset.red_fives, strict=True))


def _places(ruleset: Ruleset) -> list[str]:
    """Write the uma, with a decimal if results are not rounded: kobalab's programs read the rounding from it."""
    if ruleset.rounding is Rounding.TENTHS:
        return [f"{uma:.1f}" for uma in ruleset.uma]
    return [str(uma) for uma in ruleset.uma]


def _doubles(ruleset: Ruleset) -> bool:
    return (
        ruleset.double_suuankou_tanki
        or ruleset.double_kokushi_13
        or ruleset.double_junsei_chuuren
        or ruleset.double_daisuushii
    )


_KUIKAE_LEVELS = {Kuikae.FORBIDDEN: 0, Kuikae.SAME_TILE: 1, Kuikae.ALLOWED: 2}

_LENGTHS = {Length.KYOKU: 0, Length.TONPU: 1, Length.HANCHAN: 2}

_MOST_RONS = {MultipleRon.HEAD_BUMP: 1, MultipleRon.DOUBLE: 2, MultipleRon.ALL: 3}

_RENCHANS = {Renchan.WIN: 1, Renchan.TENPAI: 2, Renchan.NOTEN: 3}

_EXTRA_ROUNDS = {ExtraRound.NONE: 0, ExtraRound.SUDDEN_DEATH: 1, ExtraRound.REPEAT_FIRST: 2}

_RIICHI_KAN_LEVELS = {RiichiKan.NEVER: 0, RiichiKan.SAME_SHAPE: 1, RiichiKan.SAME_WAITS: 2}


def rule_object(ruleset: Ruleset) -> dict[str, object]:
    """Return the whole rule object of a ruleset for four: the nearest value where it cannot express the rule."""
    return {
        "配給原点": ruleset.start_points,
        "順位点": _places(ruleset),
        "連風牌は2符": ruleset.double_wind_fu == 2,
        "赤牌": red_fives(ruleset),
        "クイタンあり": ruleset.kuitan,
        "喰い替え許可レベル": _KUIKAE_LEVELS[ruleset.kuikae],
        "場数": _LENGTHS[ruleset.length],
        "途中流局あり": ruleset.kyushu_kyuhai,
        "流し満貫あり": ruleset.nagashi is not Nagashi.NO,
        "ノーテン宣言あり": ruleset.tenpai is Tenpai.DECLARED,
        "ノーテン罰あり": ruleset.noten_penalty > 0,
        "最大同時和了数": _MOST_RONS[ruleset.multiple_ron],
        "連荘方式": _RENCHANS[ruleset.renchan],
        "トビ終了あり": ruleset.tobi,
        "オーラス止めあり": ruleset.agari_yame or ruleset.tenpai_yame,
        "延長戦方式": _EXTRA_ROUNDS[ruleset.extra_round],
        "一発あり": ruleset.ippatsu,
        "裏ドラあり": ruleset.ura_dora,
        "カンドラあり": ruleset.kan_dora,
        "カン裏あり": ruleset.kan_ura,
        "カンドラ後乗せ": ruleset.open_kan_dora is not KanDoraTime.AT_ONCE,
        "ツモ番なしリーチあり": ruleset.riichi_tiles < RIICHI_TILES,
        "リーチ後暗槓許可レベル": _RIICHI_KAN_LEVELS[ruleset.riichi_kan],
        "役満の複合あり": ruleset.yakuman_add_up,
        "ダブル役満あり": _doubles(ruleset),
        "数え役満あり": ruleset.kazoe_yakuman,
        "役満パオあり": ruleset.pao_daisangen or ruleset.pao_daisuushii or ruleset.pao_suukantsu,
        "切り上げ満貫あり": ruleset.kiriage,
    }


RULE_ENTRIES: dict[str, RuleEntry] = {
    "配給原点": RuleEntry("points", "the points at the start"),
    "順位点": RuleEntry(
        "uma", "the uma from the first place on, in thousands; with a decimal if results are not rounded"
    ),
    "連風牌は2符": RuleEntry("flag", "whether a pair of the round wind that is the seat wind too counts 2 fu, not 4"),
    "赤牌": RuleEntry("red fives", "how many fives of each suit are red"),
    "クイタンあり": RuleEntry("flag", "open tanyao"),
    "喰い替え許可レベル": RuleEntry(
        "`0`, `1` or `2`", "swap-calling: 0 forbids it, 1 forbids only the called kind, 2 allows it"
    ),
    "場数": RuleEntry("`0`, `1` or `2`", "the length: 0 one kyoku, 1 east, 2 east and south"),
    "途中流局あり": RuleEntry("flag", "abortive draws"),
    "流し満貫あり": RuleEntry("flag", "nagashi mangan"),
    "ノーテン宣言あり": RuleEntry("flag", "whether a tenpai hand counts only if `daopai` declares it"),
    "ノーテン罰あり": RuleEntry("flag", "payments for noten at an exhausted wall"),
    "最大同時和了数": RuleEntry("`1`, `2` or `3`", "how many may win on one tile"),
    "連荘方式": RuleEntry(
        "`1`, `2` or `3`", "the dealer stays: 1 after a win, 2 also when tenpai, 3 after any exhaustive draw"
    ),
    "トビ終了あり": RuleEntry("flag", "the game ends when a score is below zero"),
    "オーラス止めあり": RuleEntry("flag", "the dealer in the first place ends the last kyoku's repetition"),
    "延長戦方式": RuleEntry(
        "`0`, `1` or `2`",
        "a further round if nobody has enough points: 0 no, 1 until somebody has, 2 also while the dealer stays",
    ),
    "一発あり": RuleEntry("flag", "ippatsu"),
    "裏ドラあり": RuleEntry("flag", "ura dora"),
    "カンドラあり": RuleEntry("flag", "kan dora"),
    "カン裏あり": RuleEntry("flag", "ura dora of kans"),
    "カンドラ後乗せ": RuleEntry("flag", "whether the dora of an open or added kan comes later than the kan"),
    "ツモ番なしリーチあり": RuleEntry("flag", "riichi without a draw left"),
    "リーチ後暗槓許可レベル": RuleEntry(
        "`0`, `1` or `2`", "closed kan in riichi: 0 never, 1 if the shape stays the same, 2 if the waits stay the same"
    ),
    "役満の複合あり": RuleEntry("flag", "several yakuman add up"),
    "ダブル役満あり": RuleEntry("flag", "double yakuman"),
    "数え役満あり": RuleEntry("flag", "kazoe yakuman"),
    "役満パオあり": RuleEntry("flag", "liability for yakuman"),
    "切り上げ満貫あり": RuleEntry("flag", "4 han 30 fu and 3 han 60 fu count as mangan"),
}
"""The entries of the object, in kobalab's order."""


# The record of a game (paipu), from one seat


Content = dict[str, object]
"""The content of a message of one type."""

_RESULTS = frozenset(("hule", "pingju"))


class Paipu:
    """The log of one game: for each kyoku a list of its messages, without ``seq``.

    An indicator stands after the message that it belongs to. On the wire it comes before that message.
    """

    __slots__ = ("_last", "log", "waiting")

    def __init__(self) -> None:
        self.log: list[list[dict[str, Content]]] = []
        self._last = ""
        """The type of the last entry."""
        self.waiting: list[Content] = []
        """The indicators whose message has not come yet."""

    def add(self, type_: str, content: Content, *, is_due: bool = False) -> None:
        """Add one message; with ``is_due`` it is an indicator whose message stands in the log already."""
        if type_ == "qipai":
            self.log.append([])
        kyoku = self.log[-1]
        if type_ == "kaigang":
            if is_due or self._last == "dapai":
                kyoku.append({type_: content})
            else:
                self.waiting.append(content)
            return
        if type_ not in _RESULTS:
            kyoku.append({type_: content})
        kyoku += [{"kaigang": indicator} for indicator in self.waiting]
        if type_ in _RESULTS:
            kyoku.append({type_: content})
        self.waiting = []
        self._last = type_


# Events


T = TypeVar("T")

PINGJU: dict[ev.DrawReason, str] = {
    ev.DrawReason.EXHAUSTED: "荒牌平局",
    ev.DrawReason.NAGASHI_MANGAN: "流し満貫",
    ev.DrawReason.KYUSHU_KYUHAI: "九種九牌",
    ev.DrawReason.SUUFON_RENDA: "四風連打",
    ev.DrawReason.SUUCHA_RIICHI: "四家立直",
    ev.DrawReason.SANCHAHO: "三家和",
    ev.DrawReason.SUUKAIKAN: "四開槓",
    ev.DrawReason.CHOMBO: "チョンボ",
}
"""The name of each draw. Kobalab's programs do not know the last one; they show any name as it is."""

_OUTSIDE = frozenset(("kaiju", "jieju"))
"""Messages that belong to no kyoku."""


@value
class EventMessage:
    """The message for one event."""

    type: str
    content: Content
    ahead: bool = False
    """Whether the message belongs before the last one."""

    @property
    def needs_reply(self) -> bool:
        """Whether the client must reply to the message."""
        return self.type != "kaigang"


class MajiangNarrator:
    """Writes the events of one game for one seat, and keeps the record of the game as that seat sees it."""

    __slots__ = (
        "_ahead",
        "_dealt",
        "_drawer",
        "_drawn",
        "_is_dealing",
        "_is_old",
        "_names",
        "_owed",
        "_paipu",
        "_riichi",
        "_ruleset",
        "_seat",
        "_shown",
        "_start",
        "_title",
    )

    def __init__(self, seat: Seat | None, ruleset: Ruleset, title: str, *, is_old: bool = False) -> None:
        """Begin a game for a seat, or for a record that shows all hands (None), at the table ``title``.

        ``is_old`` chooses the form of 2015, which has no ``id``: its readers count the seats from their own.
        """
        self._seat = seat or 0
        self._ruleset = ruleset
        self._title = title
        self._is_old = is_old
        self._names: tuple[str, ...] = ()
        self._paipu = Paipu()
        self._start = ev.KyokuStarted(0, 0, 0, 0, (), (1, 1))
        """The start of the current kyoku."""
        self._is_dealing = False
        """Whether the first indicator of the kyoku is still to come."""
        self._dealt: dict[Seat, tuple[Face, ...]] = {}
        """The first thirteen tiles of each seat, as far as they are not hidden."""
        self._drawn: Face | None = None
        """The last tile that was drawn, if it is not hidden, until any seat calls."""
        self._drawer: Seat = 0
        """The seat that drew it."""
        self._riichi: set[Seat] = set()
        self._shown: dict[Seat, tuple[tuple[Face, ...], tuple[Meld, ...]]] = {}
        """The hands that were shown since the last draw or call."""
        self._owed = 0
        """The number of kans whose dora comes later."""
        self._ahead = 0
        """The number of the next indicators that belong before the last kan."""

    @property
    def log(self) -> list[list[dict[str, Content]]]:
        """The messages of each kyoku so far, as a record has them."""
        return self._paipu.log

    def tell(self, event: ev.Event) -> EventMessage | None:
        """Return the message for an event that this seat may see, or None if the event has no message."""
        message = self._write(event)
        if not isinstance(event, ev.DoraRevealed | ev.KanDeclared):
            self._ahead = 0
        if message is not None and message.type not in _OUTSIDE:
            self._paipu.add(message.type, message.content, is_due=message.ahead)
        return message

    def _write(self, event: ev.Event) -> EventMessage | None:
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
            case ev.KanDeclared():
                return self._kan_declared(event)
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
            case ev.GameStarted():
                return self._game_started(event)
            case ev.GameEnded():
                return self._game_ended(event)
            case ev.KitaDeclared():
                raise ValueError("Majiang has no games of three")
            case ev.RiichiDeclared() | ev.RiichiPaid() | ev.RonDeclared() | ev.KyokuEnded():
                pass  # other messages imply these: the discard, the next message, the draw
            case _:
                assert_never(event)
        return None

    # Seats

    def _l(self, seat: Seat) -> int:
        """Return the wind of a seat."""
        return (seat - self._start.dealer) % SEATS

    def _by_wind(self, by_seat: Sequence[T]) -> list[T]:
        """Return a list by seat as a list by wind."""
        dealer = self._start.dealer
        return [*by_seat[dealer:], *by_seat[:dealer]]

    @property
    def _first_id(self) -> int:
        """The seat with id 0."""
        if self._is_old:
            return self._seat
        return 0

    def _by_id(self, by_seat: Sequence[T]) -> list[T]:
        """Return a list by seat as a list by id."""
        return [*by_seat[self._first_id :], *by_seat[: self._first_id]]

    @property
    def _qijia(self) -> int:
        """The id of the first dealer, seat 0."""
        return -self._first_id % SEATS

    # The game

    def _game_started(self, event: ev.GameStarted) -> EventMessage:
        self._names = event.names
        content: Content = {
            "id": (self._seat - self._first_id) % SEATS,
            "rule": rule_object(self._ruleset),
            "title": self._title,
            "player": self._by_id(event.names),
            "qijia": self._qijia,
        }
        if self._is_old:
            content["hongpai"] = red_fives(self._ruleset)
        return EventMessage("kaiju", content)

    def _game_ended(self, event: ev.GameEnded) -> EventMessage:
        if self._ruleset.rounding is Rounding.WHOLE:
            points = [str(tenths // 10) for tenths in event.results]
        else:
            points = [f"{tenths / 10:.1f}" for tenths in event.results]
        content: Content = {
            "title": self._title,
            "player": self._by_id(self._names),
            "qijia": self._qijia,
            "log": self._paipu.log,
            "defen": self._by_id(event.points),
            "point": self._by_id(points),
            "rank": self._by_id(event.places),
        }
        return EventMessage("jieju", content)

    # The deal

    def _kyoku_started(self, event: ev.KyokuStarted) -> None:
        self._start = event
        self._dealt = {}
        self._is_dealing = True
        self._riichi = set()
        self._shown = {}
        self._owed = 0

    def _hand_dealt(self, event: ev.HandDealt) -> None:
        if event.faces is not None:
            self._dealt[event.seat] = event.faces

    def _dora_revealed(self, event: ev.DoraRevealed) -> EventMessage:
        if self._is_dealing:
            return self._qipai(event.indicator)
        ahead = self._ahead > 0
        if ahead:
            self._ahead -= 1
        else:
            self._owed = max(0, self._owed - 1)
        return EventMessage("kaigang", {"baopai": MAJIANG_FACES[event.indicator]}, ahead)

    def _qipai(self, indicator: Face) -> EventMessage:
        self._is_dealing = False
        start = self._start
        hands = [""] * SEATS
        for seat, faces in self._dealt.items():
            hands[self._l(seat)] = format_shoupai(Shoupai(faces))
        content: Content = {
            "zhuangfeng": start.bakaze,
            "jushu": start.dealer,
            "changbang": start.honba,
            "lizhibang": start.kyotaku,
            "defen": self._by_wind(start.points),
            "baopai": MAJIANG_FACES[indicator],
            "shoupai": hands,
        }
        return EventMessage("qipai", content)

    # Turns

    def _tile_drawn(self, event: ev.TileDrawn) -> EventMessage:
        self._shown = {}
        self._drawn, self._drawer = event.face, event.seat
        type_, tile = "zimo", ""
        if event.rinshan:
            type_ = "gangzimo"
        if event.face is not None:
            tile = MAJIANG_FACES[event.face]
        return EventMessage(type_, {"l": self._l(event.seat), "p": tile})

    def _tile_discarded(self, event: ev.TileDiscarded) -> EventMessage:
        if event.riichi:
            self._riichi.add(event.seat)
        tile = MajiangTile(event.face, event.tsumogiri, event.riichi)
        return EventMessage("dapai", {"l": self._l(event.seat), "p": format_majiang_tile(tile)})

    def _tile_called(self, event: ev.TileCalled) -> EventMessage:
        self._shown = {}
        self._drawn = None
        self._owe(event.meld)
        return EventMessage("fulou", {"l": self._l(event.seat), "m": format_majiang_meld(event.meld, event.seat)})

    def _kan_declared(self, event: ev.KanDeclared) -> EventMessage:
        self._ahead, self._owed = self._owed, 0
        self._owe(event.meld)
        return EventMessage("gang", {"l": self._l(event.seat), "m": format_majiang_meld(event.meld, event.seat)})

    def _owe(self, meld: Meld) -> None:
        """Note that the dora of an open or added kan comes later, where the rules say so."""
        late = self._ruleset.kan_dora and self._ruleset.open_kan_dora is not KanDoraTime.AT_ONCE
        if late and meld.type in (MeldType.DAIMINKAN, MeldType.KAKAN):
            self._owed += 1

    # The end of a kyoku

    def _hand_opened(self, event: ev.HandOpened) -> None:
        self._shown[event.seat] = event.faces, event.melds

    def _tenpai_declared(self, event: ev.TenpaiDeclared) -> None:
        if event.faces is not None:
            self._shown[event.seat] = event.faces, event.melds

    def _kyoku_drawn(self, event: ev.KyokuDrawn) -> EventMessage:
        hands = [self._hand(seat) for seat in range(SEATS)]
        return EventMessage(
            "pingju",
            {
                "name": PINGJU[event.reason],
                "shoupai": self._by_wind(hands),
                "fenpei": self._by_wind(event.changes),
            },
        )

    def _hand(self, seat: Seat) -> str:
        """Write a hand, if it was shown.

        In a full hand of another seat, the last tile counts as drawn, because this seat does not know which one was.
        """
        if seat not in self._shown:
            return ""
        faces, melds = self._shown[seat]
        drawn = None
        if len(faces) + 3 * len(melds) == FULL_HAND:
            drawn = faces[-1]
            if seat == self._drawer and self._drawn is not None:
                drawn = self._drawn
        return format_shoupai(Shoupai(faces, melds, drawn, riichi=seat in self._riichi), seat)

    def _hand_won(self, event: ev.HandWon) -> EventMessage:
        faces, payer = event.faces, None
        if event.loser is not None:
            faces, payer = (*faces, event.tile), self._l(event.loser)
        hand = Shoupai(sort_faces(faces), event.melds, event.tile, riichi=event.riichi)
        wind = self._l(event.seat)
        content: Content = {
            "l": wind,
            "shoupai": format_shoupai(hand, event.seat),
            "baojia": payer,
            "fubaopai": [MAJIANG_FACES[face] for face in event.ura] or None,
            **worth(event.value),
            "defen": event.value.points(SEATS, is_dealer=wind == 0, is_tsumo=event.loser is None),
            "hupai": hupai(event, self._start.bakaze, wind),
            "fenpei": self._by_wind(event.changes),
        }
        return EventMessage("hule", content)
