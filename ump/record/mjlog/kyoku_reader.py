"""One round of an mjlog file as events. What it says is taken as it stands: whether it can be is for the replay."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ump.game.deals import Deal
from ump.model.constants import DEALT_TILES, LIVE_WALL
from ump.model.events import (
    DoraRevealed,
    DrawReason,
    Event,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KyokuDrawn,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    RonDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import Meld, MeldType
from ump.model.seats import Seat, others_after, seats_from
from ump.model.tiles import TILES, Face, Tile, faces_of_tiles, sort_faces
from ump.record.mjlog.attributes import SEATS, hundreds, number, numbers, seat, text_of, tile, tiles
from ump.record.mjlog.elements import Element
from ump.record.mjlog.melds import MOST, read_meld
from ump.record.mjlog.win_values import read_value
from ump.record.recorded_game import RecordedKyoku, RecordError, Stated

MOST_COUNT = 1_000
"""Honba, sticks or kyoku beyond this are damage."""

DRAWN = {f"{letter}{tile}": (seat, tile) for seat, letter in enumerate("TUVW") for tile in range(TILES)}
DISCARDED = {f"{letter}{tile}": (seat, tile) for seat, letter in enumerate("DEFG") for tile in range(TILES)}
"""The elements of draws and discards, of which a record mostly consists: their names say it all."""

DRAWS = {
    None: DrawReason.EXHAUSTED,
    "yao9": DrawReason.KYUSHU_KYUHAI,
    "kaze4": DrawReason.SUUFON_RENDA,
    "reach4": DrawReason.SUUCHA_RIICHI,
    "kan4": DrawReason.SUUKAIKAN,
    "ron3": DrawReason.SANCHAHO,
    "nm": DrawReason.NAGASHI_MANGAN,
}
"""Why a round is drawn, by the type that RYUUKYOKU names."""

AT_THE_END = frozenset((DrawReason.EXHAUSTED, DrawReason.NAGASHI_MANGAN))
"""Draws at which every player is tenpai or noten."""

SILENT = frozenset(("BYE", "UN"))
"""Elements that say nothing of the game: who leaves goes on by discarding what is drawn, and that is written."""


def read_kyoku(elements: Sequence[Element], reds: tuple[int, ...], deal: Deal | None) -> RecordedKyoku:
    """Read the elements of one round, the first of which is INIT; raises RecordError and names the element."""
    reading = _Reading(reds)
    for place, element in enumerate(elements):
        try:
            reading.read(element)
        except RecordError as error:
            raise RecordError(f"element {place}, {element.tag[:20]}: {error}") from None
    return RecordedKyoku(
        tuple(reading.events), tuple(reading.tiles), reading.stated, reading.dice, deal, reading.complete
    )


class _Reading:
    """What one must remember within a round to say whole events: the record names only what is new."""

    def __init__(self, reds: tuple[int, ...]) -> None:
        self.events: list[Event] = []
        self.tiles: list[tuple[Tile, ...]] = []
        self.stated: dict[int, Stated] = {}
        self.dice = (1, 1)
        self.complete = False
        self._reds = reds
        self._faces = faces_of_tiles(reds)
        self._dealer: Seat = 0
        self._melds: list[list[Meld]] = [[] for _ in range(SEATS)]
        self._riichi: set[Seat] = set()
        self._declared: Seat | None = None
        """Who has said riichi and not yet discarded."""
        self._kan: Seat | None = None
        """Who has made a kan and not yet drawn for it."""
        self._left = LIVE_WALL
        self._drawn: Tile | None = None
        """The tile that was just drawn."""
        self._discarder: Seat = 0

    def read(self, element: Element) -> None:
        """Read one element; raises RecordError."""
        tag = element.tag
        if tag in DRAWN:
            self._draw(*DRAWN[tag])
        elif tag in DISCARDED:
            self._discard(*DISCARDED[tag])
        elif tag in _READERS:
            _READERS[tag](self, element.fields)
        elif tag not in SILENT:
            raise RecordError("no element of a round")

    def _tell(self, event: Event, tiles: tuple[Tile, ...] = (), stated: Stated | None = None) -> None:
        if stated is not None:
            self.stated[len(self.events)] = stated
        self.events.append(event)
        self.tiles.append(tiles)

    def _sorted(self, tiles: Sequence[Tile]) -> tuple[Face, ...]:
        return sort_faces(self._faces[each] for each in tiles)

    def _start(self, fields: Mapping[str, str]) -> None:
        seed = numbers(fields, "seed", 6)
        kyoku, honba, kyotaku, die, other, indicator = seed[:6]
        in_range = all(0 <= count <= MOST_COUNT for count in (kyoku, honba, kyotaku))
        if not in_range or not 0 <= die < 6 or not 0 <= other < 6 or not 0 <= indicator < TILES:
            raise RecordError(f"seed holds impossible numbers: {fields['seed'][:40]!r}")
        self._dealer = seat(fields, "oya")
        self.dice = (die + 1, other + 1)
        self._tell(
            KyokuStarted(kyoku // SEATS, self._dealer, honba, kyotaku, hundreds(fields, "ten"), self.dice),
            stated=Stated(number=kyoku),
        )
        for player in seats_from(self._dealer, SEATS):
            hand = tiles(fields, f"hai{player}", DEALT_TILES)
            self._tell(HandDealt(player, self._sorted(hand)), hand)
        self._tell(DoraRevealed(self._faces[indicator]), (indicator,))

    def _draw(self, player: Seat, drawn: Tile) -> None:
        self._left -= 1
        self._drawn = drawn
        self._tell(TileDrawn(player, self._left, self._faces[drawn], self._kan == player), (drawn,))
        self._kan = None

    def _discard(self, player: Seat, discarded: Tile) -> None:
        tsumogiri, riichi = discarded == self._drawn, self._declared == player
        self._drawn = self._declared = None
        self._discarder = player
        self._tell(TileDiscarded(player, self._faces[discarded], tsumogiri, riichi), (discarded,))

    def _reach(self, fields: Mapping[str, str]) -> None:
        player = seat(fields, "who")
        if number(fields, "step", 1, 2) == 1:
            self._declared = player
            self._tell(RiichiDeclared(player))
            return
        self._riichi.add(player)
        points = hundreds(fields, "ten") if "ten" in fields else None
        self._tell(RiichiPaid(player), stated=Stated(points=points))

    def _call(self, fields: Mapping[str, str]) -> None:
        player = seat(fields, "who")
        coded = read_meld(player, number(fields, "m", 0, MOST - 1))
        meld = coded.as_meld(self._reds)
        melds = self._melds[player]
        self._drawn = None
        if meld.type is MeldType.KAKAN:
            self._melds[player] = [meld if old.kind == meld.kind and not old.is_kan else old for old in melds]
        else:
            melds.append(meld)
        self._kan = player if meld.is_kan else None
        if coded.called is None or coded.added is not None:
            self._tell(KanDeclared(player, meld), coded.given)
        else:
            self._tell(TileCalled(player, meld), (*coded.given, coded.called))

    def _dora(self, fields: Mapping[str, str]) -> None:
        indicator = tile(fields, "hai")
        self._tell(DoraRevealed(self._faces[indicator]), (indicator,))

    def _win(self, fields: Mapping[str, str]) -> None:
        winner, source = seat(fields, "who"), seat(fields, "fromWho")
        loser = None if winner == source else source
        winning, hand = tile(fields, "machi"), tiles(fields, "hai")
        rest = self._sorted([each for each in hand if each != winning])
        ura = tiles(fields, "doraHaiUra") if "doraHaiUra" in fields else ()
        value, worth = read_value(fields, winner, loser, self._dealer)
        honba, kyotaku = numbers(fields, "ba", 2)[:2]
        points, changes = _payment(fields)
        won = HandWon(
            seat=winner,
            loser=loser,
            tile=self._faces[winning],
            faces=rest if loser is not None else (*rest, self._faces[winning]),
            melds=tuple(self._melds[winner]),
            riichi=winner in self._riichi,
            ura=tuple(self._faces[each] for each in ura),
            value=value,
            changes=changes,
            liable=seat(fields, "paoWho") if "paoWho" in fields else None,
        )
        self._tell(won, hand, Stated(None, points, honba, kyotaku, tiles(fields, "doraHai"), ura, worth))
        self.complete = True

    def _ryukyoku(self, fields: Mapping[str, str]) -> None:
        kind = fields.get("type")
        if kind not in DRAWS:
            raise RecordError(f"there is no draw of type {text_of(fields, 'type')[:20]!r}")
        reason = DRAWS[kind]
        shown = {player: tiles(fields, f"hai{player}") for player in range(SEATS) if f"hai{player}" in fields}
        if reason in AT_THE_END:
            self._tell_tenpai(shown)
        else:
            self._open(reason, shown)
        honba, kyotaku = numbers(fields, "ba", 2)[:2]
        points, changes = _payment(fields)
        self._tell(KyokuDrawn(reason, changes), stated=Stated(points=points, honba=honba, kyotaku=kyotaku))
        self.complete = True

    def _tell_tenpai(self, shown: Mapping[Seat, tuple[Tile, ...]]) -> None:
        for player in seats_from(self._dealer, SEATS):
            tenpai = player in shown
            faces = self._sorted(shown[player]) if tenpai else None
            self._tell(TenpaiDeclared(player, tenpai, faces, tuple(self._melds[player])), shown.get(player, ()))

    def _open(self, reason: DrawReason, shown: Mapping[Seat, tuple[Tile, ...]]) -> None:
        order: Sequence[Seat] = tuple(shown)
        if reason is DrawReason.SANCHAHO:
            order = [player for player in others_after(self._discarder, SEATS) if player in shown]
            for player in order:
                self._tell(RonDeclared(player))
        for player in order:
            self._tell(HandOpened(player, self._sorted(shown[player]), tuple(self._melds[player])), shown[player])


def _payment(fields: Mapping[str, str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the scores before a result and their changes; chips may follow, which are not points."""
    listed = [100 * each for each in numbers(fields, "sc", 2 * SEATS)[: 2 * SEATS]]
    return tuple(listed[::2]), tuple(listed[1::2])


_READERS: dict[str, Callable[[_Reading, Mapping[str, str]], None]] = {
    "INIT": _Reading._start,
    "REACH": _Reading._reach,
    "N": _Reading._call,
    "DORA": _Reading._dora,
    "AGARI": _Reading._win,
    "RYUUKYOKU": _Reading._ryukyoku,
}
"""How each element but draws and discards is read."""
