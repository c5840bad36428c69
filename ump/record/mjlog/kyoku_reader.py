"""Read one kyoku of an mjlog file as events. Whether they are possible is for the replay to find out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ump.game.deals import Deal
from ump.model.constants import DEALT_TILES
from ump.model.events import (
    DoraRevealed,
    DrawReason,
    Event,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KitaDeclared,
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
from ump.model.tiles import TILES, WINDS, Face, Tile, faces_of_tiles, sort_faces
from ump.record.mjlog.attributes import hundreds, number, numbers, seat, text_of, tile, tiles
from ump.record.mjlog.elements import Element
from ump.record.mjlog.melds import MOST, read_meld, read_north
from ump.record.mjlog.win_values import read_value
from ump.record.recorded_game import RecordedKyoku, RecordError, Stated
from ump.rules.wall import LAYOUTS

MOST_COUNT = 1_000
"""Limit of honba, sticks and kyoku numbers; more means a damaged record."""

DRAWN = {f"{letter}{tile}": (seat, tile) for seat, letter in enumerate("TUVW") for tile in range(TILES)}
"""The elements for draws, with seat and tile: T13 is a draw of tile 13 by seat 0."""

DISCARDED = {f"{letter}{tile}": (seat, tile) for seat, letter in enumerate("DEFG") for tile in range(TILES)}
"""The elements for discards, with seat and tile."""

DRAWS = {
    None: DrawReason.EXHAUSTED,
    "yao9": DrawReason.KYUSHU_KYUHAI,
    "kaze4": DrawReason.SUUFON_RENDA,
    "reach4": DrawReason.SUUCHA_RIICHI,
    "kan4": DrawReason.SUUKAIKAN,
    "ron3": DrawReason.SANCHAHO,
    "nm": DrawReason.NAGASHI_MANGAN,
}
"""The reasons of drawn kyoku, by the type in RYUUKYOKU."""

AT_THE_END = frozenset((DrawReason.EXHAUSTED, DrawReason.NAGASHI_MANGAN))
"""Draws after which every player declares tenpai or noten."""

SILENT = frozenset(("BYE", "UN"))
"""Elements without meaning for the game: players leave and return. Their forced discards are in the record."""


def read_kyoku(elements: Sequence[Element], reds: tuple[int, ...], seats: int, deal: Deal | None) -> RecordedKyoku:
    """Return one kyoku; INIT is the first of ``elements``. RecordError names the damaged element.

    ``reds`` is the number of red fives in each suit, ``seats`` the number of players.
    """
    reader = KyokuReader(reds, seats)
    for place, element in enumerate(elements):
        try:
            reader.read(element)
        except RecordError as error:
            raise RecordError(f"element {place}, {element.tag[:20]}: {error}") from None
    return RecordedKyoku(tuple(reader.events), tuple(reader.tiles), reader.stated, reader.dice, deal, reader.complete)


class KyokuReader:
    """Turns the elements of one kyoku into events, and keeps the state that an element does not repeat."""

    def __init__(self, reds: tuple[int, ...], seats: int) -> None:
        """Begin a kyoku; ``reds`` is the number of red fives in each suit, ``seats`` the number of players."""
        self.events: list[Event] = []
        """The events so far."""
        self.tiles: list[tuple[Tile, ...]] = []
        """The physical tiles of each event."""
        self.stated: dict[int, Stated] = {}
        """What the record states along with an event, by the index of the event."""
        self.dice = (1, 1)
        self.complete = False
        """Whether the kyoku has a result."""
        self._reds = reds
        self._seats = seats
        self._faces = faces_of_tiles(reds)
        self._dealer: Seat = 0
        self._melds: list[list[Meld]] = [[] for _ in range(seats)]
        self._norths = [0] * seats
        self._in_riichi: set[Seat] = set()
        self._declared: Seat | None = None
        """The seat that declared riichi and has not discarded yet."""
        self._kan: Seat | None = None
        """The seat that made a kan or set a north aside, and has not drawn the replacement tile yet."""
        self._left = LAYOUTS[seats].live
        """Tiles left to draw."""
        self._drawn: Tile | None = None
        """The tile of the latest draw, until a discard or a call."""
        self._discarder: Seat = 0
        """The seat of the latest discard."""

    def read(self, element: Element) -> None:
        """Add the events of one element; raise RecordError if it is damaged or does not belong here."""
        tag, fields = element.tag, element.fields
        if tag in DRAWN:
            self._draw(*DRAWN[tag])
        elif tag in DISCARDED:
            self._discard(*DISCARDED[tag])
        elif tag not in SILENT:
            self._read_named(tag, fields)

    def _read_named(self, tag: str, fields: Mapping[str, str]) -> None:
        """Add the events of an element with attributes."""
        match tag:
            case "INIT":
                self._start(fields)
            case "REACH":
                self._riichi_step(fields)
            case "N":
                self._call(fields)
            case "DORA":
                self._reveal_dora(fields)
            case "AGARI":
                self._win(fields)
            case "RYUUKYOKU":
                self._draw_kyoku(fields)
            case _:
                raise RecordError("unexpected element in a kyoku")

    def _add(self, event: Event, tiles: tuple[Tile, ...] = (), stated: Stated | None = None) -> None:
        """Add an event with its physical tiles and what the record states along with it."""
        if stated is not None:
            self.stated[len(self.events)] = stated
        self.events.append(event)
        self.tiles.append(tiles)

    def _sorted(self, tiles: Sequence[Tile]) -> tuple[Face, ...]:
        """Return the faces of these tiles, sorted."""
        return sort_faces(self._faces[each] for each in tiles)

    def _start(self, fields: Mapping[str, str]) -> None:
        """Start the kyoku: INIT has its number, the scores, the dice, the dealt hands and the dora indicator."""
        seed = numbers(fields, "seed", 6)
        kyoku, honba, kyotaku, die, other, indicator = seed[:6]
        in_range = 0 <= kyoku < len(WINDS) ** 2 and all(0 <= count <= MOST_COUNT for count in (honba, kyotaku))
        if not in_range or not 0 <= die < 6 or not 0 <= other < 6 or not 0 <= indicator < TILES:
            raise RecordError(f"seed: impossible numbers in {fields['seed'][:40]!r}")
        self._dealer = seat(fields, "oya", self._seats)
        self.dice = (die + 1, other + 1)
        self._add(
            KyokuStarted(kyoku // len(WINDS), self._dealer, honba, kyotaku, self._points(fields), self.dice),
            stated=Stated(number=kyoku),
        )
        for player in seats_from(self._dealer, self._seats):
            hand = tiles(fields, f"hai{player}", DEALT_TILES)
            self._add(HandDealt(player, self._sorted(hand)), hand)
        self._add(DoraRevealed(self._faces[indicator]), (indicator,))

    def _points(self, fields: Mapping[str, str]) -> tuple[int, ...]:
        return hundreds(fields, "ten", self._seats)

    def _check_seat(self, player: Seat) -> None:
        if player >= self._seats:
            raise RecordError(f"a fourth player in a game of {self._seats}")

    def _draw(self, player: Seat, drawn: Tile) -> None:
        """Add a draw."""
        self._check_seat(player)
        self._left -= 1
        self._drawn = drawn
        self._add(TileDrawn(player, self._left, self._faces[drawn], self._kan == player), (drawn,))
        self._kan = None

    def _discard(self, player: Seat, discarded: Tile) -> None:
        """Add a discard."""
        self._check_seat(player)
        tsumogiri, riichi = discarded == self._drawn, self._declared == player
        self._drawn = self._declared = None
        self._discarder = player
        self._add(TileDiscarded(player, self._faces[discarded], tsumogiri, riichi), (discarded,))

    def _riichi_step(self, fields: Mapping[str, str]) -> None:
        """Add a riichi declaration (step 1) or the payment of its stick (step 2)."""
        player = seat(fields, "who", self._seats)
        if number(fields, "step", 1, 2) == 1:
            self._declared = player
            self._add(RiichiDeclared(player))
            return
        self._in_riichi.add(player)
        points = self._points(fields) if "ten" in fields else None
        self._add(RiichiPaid(player), stated=Stated(points=points))

    def _call(self, fields: Mapping[str, str]) -> None:
        """Add a call, a kan or a north that is set aside."""
        player = seat(fields, "who", self._seats)
        code = number(fields, "m", 0, MOST - 1)
        self._drawn = None
        north = read_north(code) if self._seats == 3 else None
        if north is not None:
            self._norths[player] += 1
            self._kan = player
            self._add(KitaDeclared(player), (north,))
            return
        coded = read_meld(player, code)
        self._check_seat(coded.source or 0)
        meld = coded.as_meld(self._reds)
        melds = self._melds[player]
        if meld.type is MeldType.KAKAN:
            self._melds[player] = [meld if old.kind == meld.kind and not old.is_kan else old for old in melds]
        else:
            melds.append(meld)
        self._kan = player if meld.is_kan else None
        if coded.called is None or coded.added is not None:
            self._add(KanDeclared(player, meld), coded.given)
        else:
            self._add(TileCalled(player, meld), (*coded.given, coded.called))

    def _reveal_dora(self, fields: Mapping[str, str]) -> None:
        """Add a kan dora indicator."""
        indicator = tile(fields, "hai")
        self._add(DoraRevealed(self._faces[indicator]), (indicator,))

    def _win(self, fields: Mapping[str, str]) -> None:
        """Add a win, which ends the kyoku unless another one follows."""
        winner, source = seat(fields, "who", self._seats), seat(fields, "fromWho", self._seats)
        loser = None if winner == source else source
        winning, hand = tile(fields, "machi"), tiles(fields, "hai")
        rest = self._sorted([each for each in hand if each != winning])
        ura = tiles(fields, "doraHaiUra") if "doraHaiUra" in fields else ()
        value, worth = read_value(fields, winner, loser, self._dealer, self._seats)
        honba, kyotaku = numbers(fields, "ba", 2)[:2]
        points, changes = _payment(fields, self._seats)
        won = HandWon(
            seat=winner,
            loser=loser,
            tile=self._faces[winning],
            faces=rest if loser is not None else (*rest, self._faces[winning]),
            melds=tuple(self._melds[winner]),
            riichi=winner in self._in_riichi,
            ura=tuple(self._faces[each] for each in ura),
            value=value,
            changes=changes,
            norths=self._norths[winner],
            liable=seat(fields, "paoWho", self._seats) if "paoWho" in fields else None,
        )
        self._add(won, hand, Stated(None, points, honba, kyotaku, tiles(fields, "doraHai"), ura, worth))
        self.complete = True

    def _draw_kyoku(self, fields: Mapping[str, str]) -> None:
        """Add a drawn kyoku, with the hands that players show."""
        kind = fields.get("type")
        if kind not in DRAWS:
            raise RecordError(f"unknown type of draw {text_of(fields, 'type')[:20]!r}")
        reason = DRAWS[kind]
        shown = {player: tiles(fields, f"hai{player}") for player in range(self._seats) if f"hai{player}" in fields}
        if reason in AT_THE_END:
            self._declare_tenpai(shown)
        else:
            self._open(reason, shown)
        honba, kyotaku = numbers(fields, "ba", 2)[:2]
        points, changes = _payment(fields, self._seats)
        self._add(KyokuDrawn(reason, changes), stated=Stated(points=points, honba=honba, kyotaku=kyotaku))
        self.complete = True

    def _declare_tenpai(self, shown: Mapping[Seat, tuple[Tile, ...]]) -> None:
        """Add the declaration of each player, from the dealer on; ``shown`` are the tenpai hands by seat."""
        for player in seats_from(self._dealer, self._seats):
            tenpai = player in shown
            faces = self._sorted(shown[player]) if tenpai else None
            self._add(TenpaiDeclared(player, tenpai, faces, tuple(self._melds[player])), shown.get(player, ()))

    def _open(self, reason: DrawReason, shown: Mapping[Seat, tuple[Tile, ...]]) -> None:
        """Add the hands that an abortive draw shows; after three rons, each player first declares ron."""
        order: Sequence[Seat] = tuple(shown)
        if reason is DrawReason.SANCHAHO:
            order = [player for player in others_after(self._discarder, self._seats) if player in shown]
            for player in order:
                self._add(RonDeclared(player))
        for player in order:
            self._add(HandOpened(player, self._sorted(shown[player]), tuple(self._melds[player])), shown[player])


def _payment(fields: Mapping[str, str], seats: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the scores before a result, and their changes; chips, which may follow, are skipped."""
    listed = [100 * each for each in numbers(fields, "sc", 2 * seats)[: 2 * seats]]
    return tuple(listed[::2]), tuple(listed[1::2])
