"""Reads kobalab's game records (paipu) as recorded games, which ``ump.record.replay`` can replay.

A record has faces of tiles but no physical tiles and no walls: the reader chooses a tile for each face, and builds the
wall from them. Seats are counted from the first dealer; within a kyoku, from its dealer (``l``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from support.kobalab_cases import han_of, yaku_named

from ump.model import events as ev
from ump.model.constants import LIVE_WALL, YAKUMAN
from ump.model.melds import Meld, MeldType
from ump.model.notation import DIRECTIONS, parse_majiang_face, parse_majiang_meld, parse_majiang_tile, parse_shoupai
from ump.model.seats import Seat, others_after
from ump.model.tiles import FACES, TILES, Face, Tile, faces_of_tiles
from ump.model.yaku import HandValue
from ump.record.recorded_game import RecordedGame, RecordedKyoku, Stated, sorted_yaku
from ump.rules.ruleset import Ruleset
from ump.rules.score import base_points

SEATS = 4
DICE = (1, 1)
"""Records do not have the dice."""

DRAWS = {
    "荒牌平局": ev.DrawReason.EXHAUSTED,
    "流し満貫": ev.DrawReason.NAGASHI_MANGAN,
    "九種九牌": ev.DrawReason.KYUSHU_KYUHAI,
    "四風連打": ev.DrawReason.SUUFON_RENDA,
    "四家立直": ev.DrawReason.SUUCHA_RIICHI,
    "三家和": ev.DrawReason.SANCHAHO,
    "四開槓": ev.DrawReason.SUUKAIKAN,
}
AT_THE_END = frozenset((ev.DrawReason.EXHAUSTED, ev.DrawReason.NAGASHI_MANGAN))

Fields = Mapping[str, Any]


def read_paipu(record: Fields, ruleset: Ruleset) -> RecordedGame:
    """Read one record; raises KeyError, ValueError or NotationError if it is invalid."""
    return RecordedGame(
        names=_from_first_dealer(record["player"], record["qijia"]),
        ruleset=ruleset,
        kyoku=tuple(_Reading(ruleset).read(log) for log in record["log"]),
        ended=ev.GameEnded(
            points=_from_first_dealer(record["defen"], record["qijia"]),
            places=_from_first_dealer(record["rank"], record["qijia"]),
            results=_from_first_dealer([round(10 * float(point)) for point in record["point"]], record["qijia"]),
        ),
        from_start=True,
        own_counting=False,
    )


def _from_first_dealer(by_player: Sequence[Any], first: int) -> tuple[Any, ...]:
    """Return a list by player as a tuple by seat."""
    return (*by_player[first:], *by_player[:first])


class _Reading:
    """Reads one kyoku: its events so far, and the places of tiles."""

    def __init__(self, ruleset: Ruleset) -> None:
        self._ruleset = ruleset
        self._events: list[ev.Event] = []
        self._tiles: list[tuple[Tile, ...]] = []
        self._stated: dict[int, Stated] = {}
        self._dealer: Seat = 0
        self._faces = faces_of_tiles(ruleset.red_fives)
        self._free = {face: [tile for tile in range(TILES) if self._faces[tile] == face] for face in range(FACES)}
        """The tiles of each face that have not been used yet."""
        self._hands: list[list[Tile]] = [[] for _ in range(SEATS)]
        self._melds: list[list[Meld]] = [[] for _ in range(SEATS)]
        self._ura: list[Tile] = []
        self._left = LIVE_WALL
        self._last: Tile | None = None
        """The last tile that was drawn, discarded or added to a pon."""
        self._discarder: Seat = 0
        self._unpaid: Seat | None = None
        """The seat that has declared riichi and not paid yet."""

    def read(self, log: Iterable[Fields]) -> RecordedKyoku:
        """Read all entries of the kyoku."""
        for entry in log:
            ((name, fields),) = entry.items()
            if name in _AFTER_RIICHI and self._unpaid is not None:
                self._tell(ev.RiichiPaid(self._unpaid))
                self._unpaid = None
            _READERS[name](self, fields)
        return RecordedKyoku(tuple(self._events), tuple(self._tiles), self._stated, DICE, None, True)

    def _tell(self, event: ev.Event, tiles: Iterable[Tile] = ()) -> None:
        self._events.append(event)
        self._tiles.append(tuple(tiles))

    def _seat(self, wind: int) -> Seat:
        return (self._dealer + wind) % SEATS

    def _by_seat(self, by_wind: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(by_wind[(seat - self._dealer) % SEATS] for seat in range(SEATS))

    def _new(self, face: Face) -> Tile:
        """Choose an unused tile."""
        return self._free[face].pop()

    def _give(self, seat: Seat, faces: Iterable[Face]) -> list[Tile]:
        """Take tiles out of a hand; the last drawn one only if there is no other of its face."""
        given = []
        for face in faces:
            held = [tile for tile in self._hands[seat] if self._faces[tile] == face]
            given.append(next((tile for tile in held if tile != self._last), held[0]))
            self._hands[seat].remove(given[-1])
        return given

    def _start(self, fields: Fields) -> None:
        self._dealer = fields["jushu"]
        points = self._by_seat(fields["defen"])
        self._tell(
            ev.KyokuStarted(fields["zhuangfeng"], self._dealer, fields["changbang"], fields["lizhibang"], points, DICE)
        )
        for wind, hand in enumerate(fields["shoupai"]):
            seat, faces = self._seat(wind), parse_shoupai(hand).faces
            self._hands[seat] = [self._new(face) for face in faces]
            self._tell(ev.HandDealt(seat, faces), self._hands[seat])
        self._reveal(fields)

    def _reveal(self, fields: Fields) -> None:
        """Insert a new dora before the replacement draw or the discard that precedes it in the record."""
        indicator = parse_majiang_face(fields["baopai"])
        later = []
        while isinstance(self._events[-1], (ev.TileDrawn, ev.TileDiscarded, ev.RiichiDeclared)):
            later.append((self._events.pop(), self._tiles.pop()))
            if isinstance(later[-1][0], ev.TileDrawn) or not isinstance(self._events[-1], ev.RiichiDeclared):
                break
        self._tell(ev.DoraRevealed(indicator), [self._new(indicator)])
        for event, tiles in reversed(later):
            self._tell(event, tiles)

    def _draw(self, fields: Fields, *, rinshan: bool = False) -> None:
        seat, face = self._seat(fields["l"]), parse_majiang_face(fields["p"])
        self._left -= 1
        self._last = self._new(face)
        self._hands[seat].append(self._last)
        self._tell(ev.TileDrawn(seat, self._left, face, rinshan), [self._last])

    def _draw_rinshan(self, fields: Fields) -> None:
        self._draw(fields, rinshan=True)

    def _discard(self, fields: Fields) -> None:
        seat, discarded = self._seat(fields["l"]), parse_majiang_tile(fields["p"])
        if discarded.drawn and self._last is not None:
            self._hands[seat].remove(self._last)
        else:
            (self._last,) = self._give(seat, [discarded.face])
        if discarded.riichi:
            self._unpaid = seat
            self._tell(ev.RiichiDeclared(seat))
        self._discarder = seat
        self._tell(
            ev.TileDiscarded(seat, discarded.face, discarded.drawn, discarded.riichi),
            [] if self._last is None else [self._last],
        )

    def _call(self, fields: Fields) -> None:
        seat = self._seat(fields["l"])
        meld = parse_majiang_meld(fields["m"], seat)
        assert self._last is not None
        called, self._last = self._last, None
        self._melds[seat].append(meld)
        self._tell(ev.TileCalled(seat, meld), [*self._give(seat, meld.own), called])

    def _kan(self, fields: Fields) -> None:
        seat = self._seat(fields["l"])
        meld = parse_majiang_meld(fields["m"], seat)
        if meld.added is None:
            self._melds[seat].append(meld)
            self._tell(ev.KanDeclared(seat, meld), self._give(seat, meld.own))
            return
        pon = Meld(MeldType.PON, meld.own, meld.called, meld.source)
        self._melds[seat][self._melds[seat].index(pon)] = meld
        (self._last,) = self._give(seat, [meld.added])
        self._tell(ev.KanDeclared(seat, meld), [self._last])

    def _win(self, fields: Fields) -> None:
        seat = self._seat(fields["l"])
        loser = None if fields["baojia"] is None else self._seat(fields["baojia"])
        hand = parse_shoupai(fields["shoupai"], seat)
        assert hand.drawn is not None and self._last is not None
        rest = list(hand.faces)
        rest.remove(hand.drawn)
        ura = tuple(map(parse_majiang_face, fields["fubaopai"] or ()))
        self._ura += [self._new(face) for face in ura[len(self._ura) :]]
        self._stated[len(self._events)] = Stated(ura=tuple(self._ura[: len(ura)]), worth=fields["defen"])
        self._tell(
            ev.HandWon(
                seat=seat,
                loser=loser,
                tile=hand.drawn,
                faces=(*rest, hand.drawn) if loser is None else tuple(rest),
                melds=hand.melds,
                riichi=hand.riichi,
                ura=ura,
                value=self._value(fields),
                changes=self._by_seat(fields["fenpei"]),
                liable=_liable(seat, fields),
            ),
            self._hands[seat] if loser is None else [*self._hands[seat], self._last],
        )

    def _value(self, fields: Fields) -> HandValue:
        """Read the value of a hand. The record has no base points, but the payment that follows (``worth``)."""
        yaku = tuple((yaku_named(entry["name"]), han_of(entry["fanshu"])) for entry in fields["hupai"])
        yakuman = fields.get("damanguan") or 0
        han, fu = fields.get("fanshu") or sum(han for _, han in yaku), fields.get("fu") or 0
        base = yakuman * YAKUMAN if yakuman else base_points(self._ruleset, han, fu)
        return HandValue(sorted_yaku(yaku), han, fu, yakuman, base)

    def _ryukyoku(self, fields: Fields) -> None:
        reason = DRAWS[fields["name"]]
        shown = {
            self._seat(wind): parse_shoupai(hand, self._seat(wind)).faces
            for wind, hand in enumerate(fields["shoupai"])
            if hand
        }
        if reason in AT_THE_END:
            self._tell_tenpai(shown)
        else:
            self._open(reason, shown)
        self._tell(ev.KyokuDrawn(reason, self._by_seat(fields["fenpei"])))

    def _tell_tenpai(self, shown: Mapping[Seat, tuple[Face, ...]]) -> None:
        for seat in map(self._seat, range(SEATS)):
            tenpai = seat in shown
            self._tell(
                ev.TenpaiDeclared(seat, tenpai, shown.get(seat), tuple(self._melds[seat])),
                self._hands[seat] if tenpai else (),
            )

    def _open(self, reason: ev.DrawReason, shown: Mapping[Seat, tuple[Face, ...]]) -> None:
        order = sorted(shown)
        if reason is ev.DrawReason.SANCHAHO:
            order = [seat for seat in others_after(self._discarder, SEATS) if seat in shown]
            for seat in order:
                self._tell(ev.RonDeclared(seat))
        for seat in order:
            self._tell(ev.HandOpened(seat, shown[seat], tuple(self._melds[seat])), self._hands[seat])


def _liable(winner: Seat, fields: Fields) -> Seat | None:
    """Return the seat that pays by pao; the entry of the yaku names it."""
    directions = (entry["baojia"] for entry in fields["hupai"] if "baojia" in entry)
    return next(((winner + DIRECTIONS[SEATS].index(direction) + 1) % SEATS for direction in directions), None)


_AFTER_RIICHI = frozenset(("zimo", "fulou", "pingju"))
"""Entries that show that nobody has won on the tile of a riichi: the stick is paid before them."""

_READERS: dict[str, Callable[[_Reading, Fields], None]] = {
    "qipai": _Reading._start,
    "zimo": _Reading._draw,
    "dapai": _Reading._discard,
    "fulou": _Reading._call,
    "gang": _Reading._kan,
    "gangzimo": _Reading._draw_rinshan,
    "kaigang": _Reading._reveal,
    "hule": _Reading._win,
    "pingju": _Reading._ryukyoku,
}
"""The reader of each entry of a kyoku."""
