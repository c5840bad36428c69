"""Write a recorded game as mjlog: one line of XML without declaration, the form that most of its readers need.

There is no seed: only Tenhou has seeds that lead to its walls. If the wall is known, INIT has it in an attribute of our
own, which the readers skip, as GO has rules that Tenhou has no bits for. Scores must be multiples of 100.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from ump.model.constants import STICK_POINTS
from ump.model.events import (
    DoraRevealed,
    DrawReason,
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KitaDeclared,
    KyokuDrawn,
    KyokuEnded,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    RonDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import Meld
from ump.model.seats import Seat
from ump.model.tiles import COPIES, WINDS, Tile
from ump.record.mjlog.attributes import COLUMNS
from ump.record.mjlog.game_reader import WALL
from ump.record.mjlog.game_type import type_of
from ump.record.mjlog.kyoku_reader import DRAWS
from ump.record.mjlog.melds import CodedMeld, write_meld, write_north
from ump.record.mjlog.win_values import write_value
from ump.record.own_fields import FIELD, own_fields
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError
from ump.record.tile_copies import with_copies
from ump.wire.json_text import write

Tiles = tuple[Tile, ...]

_TYPES = {reason: type_ for type_, reason in DRAWS.items()}


def write_mjlog(game: RecordedGame) -> bytes:
    """Return the record; raise RecordError for what the format has no words for."""
    kind = type_of(game.ruleset)
    is_known = kind.ruleset() == game.ruleset and not game.own_counting
    own = {} if is_known else {FIELD: write(own_fields(game))}
    names = {f"n{seat}": quote(name, safe="") for seat, name in enumerate(game.names)}
    parts = [
        _element("GO", type=str(kind.bits), lobby="0", **own),
        _element("UN", **names, dan="0,0,0,0", rate="1500.00,1500.00,1500.00,1500.00", sx="C,C,C,C"),
        _element("TAIKYOKU", oya="0"),
    ]
    for number, kyoku in enumerate(game.kyoku, 1):
        ended = game.ended if number == len(game.kyoku) else None
        try:
            parts += _Kyoku(with_copies(kyoku, game.ruleset), ended).written()
        except RecordError as error:
            raise RecordError(f"kyoku {number}: {error}") from None
    return f'<mjloggm ver="2.3">{"".join(parts)}</mjloggm>'.encode()


def _element(tag: str, **fields: str) -> str:
    """Return an empty element with these attributes."""
    return f"<{tag}{''.join(f' {name}={quoteattr(text)}' for name, text in fields.items())}/>"


def _list(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _hundreds(points: Sequence[int]) -> list[int]:
    """Return points in hundreds; raise RecordError if that loses some."""
    if any(each % 100 for each in points):
        raise RecordError(f"mjlog has no points below a hundred: {_list(points)}")
    return [each // 100 for each in (*points, *[0] * (COLUMNS - len(points)))]


class _Kyoku:
    """One kyoku, written event by event."""

    def __init__(self, kyoku: RecordedKyoku, ended: GameEnded | None) -> None:
        """Begin; ``ended`` is the end of the game after its last kyoku."""
        started = kyoku.events[0]
        assert isinstance(started, KyokuStarted)
        self._kyoku = kyoku
        self._started = started
        self._ended = ended
        self._points = list(started.points)
        self._kyotaku = started.kyotaku
        self._hands: list[Tiles] = [()] * COLUMNS
        self._indicators: list[Tile] = []
        self._melds: list[list[CodedMeld]] = [[] for _ in range(COLUMNS)]
        self._shown: dict[Seat, Tiles] = {}
        self._last: Tile = 0
        """The tile that was drawn, discarded or added to a kan last."""
        self._parts: list[str] = []

    def written(self) -> list[str]:
        """Return the elements of the kyoku."""
        kyoku = self._kyoku
        assert kyoku.tiles is not None
        results = [place for place, event in enumerate(kyoku.events) if isinstance(event, HandWon | KyokuDrawn)]
        for place, (event, tiles) in enumerate(zip(kyoku.events, kyoku.tiles, strict=True)):
            if isinstance(event, HandWon | KyokuDrawn):
                fields = self._won(event, tiles, place) if isinstance(event, HandWon) else self._drawn(event)
                tag = "AGARI" if isinstance(event, HandWon) else "RYUUKYOKU"
                owari = self._owari() if place == results[-1] else {}
                self._parts.append(_element(tag, **fields, **owari))
            else:
                self._note(event, tiles)
        return self._parts

    def _note(self, event: Event, tiles: Tiles) -> None:
        match event:
            case TileDrawn():
                self._parts.append(f"<{'TUVW'[event.seat]}{tiles[0]}/>")
                self._last = tiles[0]
            case TileDiscarded():
                self._parts.append(f"<{'DEFG'[event.seat]}{tiles[0]}/>")
                self._last = tiles[0]
            case TileCalled():
                self._call(event.seat, event.meld, tiles[:-1], tiles[-1])
            case KanDeclared():
                self._kan(event.seat, event.meld, tiles)
            case KitaDeclared():
                self._last = tiles[0]
                self._parts.append(_element("N", who=str(event.seat), m=str(write_north(tiles[0]))))
            case HandDealt():
                self._hands[event.seat] = tiles
            case DoraRevealed():
                self._reveal(tiles[0])
            case RiichiDeclared():
                self._parts.append(_element("REACH", who=str(event.seat), step="1"))
            case RiichiPaid():
                self._points[event.seat] -= STICK_POINTS
                self._kyotaku += 1
                ten = _list(_hundreds(self._points))
                self._parts.append(_element("REACH", who=str(event.seat), ten=ten, step="2"))
            case HandOpened():
                self._shown[event.seat] = tiles
            case TenpaiDeclared():
                if event.tenpai:
                    self._shown[event.seat] = tiles
            case GameStarted() | KyokuStarted() | RonDeclared() | HandWon() | KyokuDrawn() | KyokuEnded() | GameEnded():
                pass
            case _:
                assert_never(event)

    def _reveal(self, indicator: Tile) -> None:
        """Write a dora indicator; the first one belongs to INIT."""
        self._indicators.append(indicator)
        if len(self._indicators) > 1:
            self._parts.append(_element("DORA", hai=str(indicator)))
            return
        started = self._started
        first, second = self._kyoku.dice
        seed = (
            started.bakaze * len(WINDS) + started.dealer,
            started.honba,
            started.kyotaku,
            first - 1,
            second - 1,
            indicator,
        )
        hands = {f"hai{seat}": _list(hand) for seat, hand in enumerate(self._hands)}
        wall = {} if self._kyoku.deal is None else {WALL: _list(self._kyoku.deal.tiles)}
        ten = _list(_hundreds(self._points))
        self._parts.append(_element("INIT", seed=_list(seed), ten=ten, oya=str(started.dealer), **hands, **wall))

    def _call(self, seat: Seat, meld: Meld, own: Tiles, called: Tile) -> None:
        self._meld(seat, CodedMeld(meld.type, own, called, meld.source))

    def _kan(self, seat: Seat, meld: Meld, tiles: Tiles) -> None:
        if meld.added is None:
            self._meld(seat, CodedMeld(meld.type, tiles, None, None))
            return
        self._last = tiles[0]
        melds = self._melds[seat]
        (pon,) = [old for old in melds if old.called is not None and old.called // COPIES == tiles[0] // COPIES]
        melds.remove(pon)
        self._meld(seat, CodedMeld(meld.type, pon.own, pon.called, pon.source, tiles[0]))

    def _meld(self, seat: Seat, meld: CodedMeld) -> None:
        self._melds[seat].append(meld)
        self._parts.append(_element("N", who=str(seat), m=str(write_meld(seat, meld))))

    # Results

    def _won(self, won: HandWon, hand: Tiles, place: int) -> dict[str, str]:
        """Return the attributes of a win."""
        started, stated = self._started, self._kyoku.stated.get(place)
        ura = () if stated is None else stated.ura or ()
        melds = [write_meld(won.seat, meld) for meld in self._melds[won.seat]]
        loser = won.seat if won.loser is None else won.loser
        return {
            "ba": f"{started.honba},{self._kyotaku}",
            "hai": _list(hand),
            **({"m": _list(melds)} if melds else {}),
            "machi": str(self._last),
            **write_value(won, started.bakaze, started.dealer),
            "doraHai": _list(self._indicators),
            **({"doraHaiUra": _list(ura)} if ura else {}),
            "who": str(won.seat),
            "fromWho": str(loser),
            **({} if won.liable is None else {"paoWho": str(won.liable)}),
            "sc": self._settle(won.changes),
        }

    def _drawn(self, drawn: KyokuDrawn) -> dict[str, str]:
        """Return the attributes of a draw."""
        if drawn.reason is DrawReason.CHOMBO:
            raise RecordError("mjlog has no word for chombo")
        type_ = _TYPES[drawn.reason]
        kyotaku = self._kyotaku
        return {
            **({} if type_ is None else {"type": type_}),
            "ba": f"{self._started.honba},{kyotaku}",
            "sc": self._settle(drawn.changes, keeps_sticks=True),
            **{f"hai{seat}": _list(self._shown[seat]) for seat in sorted(self._shown)},
        }

    def _settle(self, changes: Sequence[int], *, keeps_sticks: bool = False) -> str:
        """Return the scores and their changes, and add these."""
        pairs = zip(_hundreds(self._points), _hundreds(changes), strict=True)
        self._points = [points + change for points, change in zip(self._points, changes, strict=True)]
        self._kyotaku = self._kyotaku if keeps_sticks else 0
        return _list([number for pair in pairs for number in pair])

    def _owari(self) -> dict[str, str]:
        """Return the attribute with the final scores and results; nothing if the game goes on or has no results."""
        if self._ended is None or not self._ended.results:
            return {}
        results = [*self._ended.results, *[0] * (COLUMNS - len(self._ended.results))]
        pairs = zip(_hundreds(self._ended.points), results, strict=True)
        return {"owari": ",".join(f"{points},{result / 10:.1f}" for points, result in pairs)}
