"""The physical tiles of a kyoku: their places in the wall, and which copy each event moves.

A record that names faces alone gets copies that say no more than it does; a replay follows them for comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from ump.game.deals import Deal
from ump.model import events as ev
from ump.model.constants import DEAD_WALL, STICK_POINTS
from ump.model.notation import UMP_FACES
from ump.model.seats import LETTERS, Seat, seats_from
from ump.model.tiles import FACES, NORTH, WINDS, Face, Tile, faces_of_tiles
from ump.model.yaku import HandValue
from ump.record.recorded_game import RecordedKyoku, RecordError, Scores, Stated
from ump.rules.payments import win_changes
from ump.rules.ruleset import Ruleset
from ump.rules.wall import DEAL, LAYOUTS, Layout

# Places in the wall


class WallPlaces:
    """Follows the events of one kyoku, and returns the places in the wall that their tiles come from."""

    __slots__ = ("_hands", "_indicators", "_layout", "_live", "_rinshan")

    def __init__(self, dealer: Seat, seats: int) -> None:
        self._layout = LAYOUTS[seats]
        self._hands = _dealt_places(dealer, self._layout)
        self._live = 0
        self._rinshan = 0
        self._indicators = 0

    def of(self, event: ev.Event) -> Sequence[int]:
        """Return the places of the tiles that the event takes; raise RecordError if the wall has no more."""
        match event:
            case ev.TileDrawn():
                return (self.draw(rinshan=event.rinshan),)
            case ev.HandDealt():
                return self.hand(event.seat)
            case ev.DoraRevealed():
                return (self.indicator(),)
            case (
                ev.GameStarted()
                | ev.KyokuStarted()
                | ev.RiichiDeclared()
                | ev.TileDiscarded()
                | ev.RiichiPaid()
                | ev.TileCalled()
                | ev.KanDeclared()
                | ev.KitaDeclared()
                | ev.RonDeclared()
                | ev.HandOpened()
                | ev.TenpaiDeclared()
                | ev.HandWon()
                | ev.KyokuDrawn()
                | ev.KyokuEnded()
                | ev.GameEnded()
            ):
                return ()
            case _:
                assert_never(event)

    def hand(self, seat: Seat) -> Sequence[int]:
        """Return the places of the hand that a seat is dealt."""
        return self._hands[seat]

    def draw(self, *, rinshan: bool) -> int:
        """Return the place of the next drawn tile; raise RecordError if none is left."""
        layout = self._layout
        if self._live + self._rinshan == layout.live or (rinshan and self._rinshan == len(layout.rinshan)):
            raise RecordError("more draws than the wall has tiles")
        if rinshan:
            self._rinshan += 1
            return layout.rinshan[self._rinshan - 1]
        self._live += 1
        return DEAD_WALL + layout.live - self._live

    def indicator(self) -> int:
        """Return the place of the next dora indicator; raise RecordError if none is left."""
        places = self._layout.indicators
        if self._indicators == len(places):
            raise RecordError(f"more than {len(places)} dora indicators")
        self._indicators += 1
        return places[self._indicators - 1]


def _dealt_places(dealer: Seat, layout: Layout) -> list[list[int]]:
    """Return the places of each seat's hand."""
    hands: list[list[int]] = [[] for _ in range(layout.seats)]
    place = len(layout.tiles) - 1
    for count in DEAL:
        for seat in seats_from(dealer, layout.seats):
            hands[seat].extend(range(place, place - count, -1))
            place -= count
    return hands


def deal_of(kyoku: RecordedKyoku, seats: int) -> Deal:
    """Return the deal from the record's seed; without a seed, rebuild one from the events."""
    return kyoku.deal or rebuild_deal(kyoku, seats)


def rebuild_deal(kyoku: RecordedKyoku, seats: int) -> Deal:
    """Return a deal that leads to the recorded events; places that the kyoku does not reach hold the other tiles.

    Raise RecordError if a tile would be in two places, or if the game has no such tile.
    """
    layout = LAYOUTS[seats]
    places = WallPlaces(kyoku.started.dealer, seats)
    wall: dict[int, Tile] = {}
    assert kyoku.tiles is not None, "with_copies comes first"
    for number, (event, tiles) in enumerate(zip(kyoku.events, kyoku.tiles, strict=True)):
        wall.update(zip(places.of(event), tiles, strict=False))
        if isinstance(event, ev.HandWon) and number in kyoku.stated:
            wall.update(zip(layout.ura, kyoku.stated[number].ura or (), strict=False))
    if len(set(wall.values())) < len(wall):
        raise RecordError("a tile appears twice")
    if not set(wall.values()) <= set(layout.tiles):
        raise RecordError(f"a tile that games of {seats} do not have")
    rest = iter(sorted(set(layout.tiles) - set(wall.values())))
    for place in range(len(layout.tiles)):
        if place not in wall:
            wall[place] = next(rest)
    return Deal(tuple(wall[place] for place in range(len(layout.tiles))), kyoku.dice)


# The table


Tiles = tuple[Tile, ...]


class TileTable:
    """The table of one kyoku down to the physical tiles.

    A record repeats only the scores and sticks of the visible state, so only these are kept beside the tiles. Keeping a
    whole ``Observation`` would make a replay 5 to 10 % slower.
    """

    def __init__(self, started: ev.KyokuStarted, ruleset: Ruleset, wall: Sequence[Tile] | None) -> None:
        self.scores = Scores(started)
        self.hands: list[list[Tile]] = [[] for _ in range(ruleset.seats)]
        """The concealed tiles of each seat, in the order in which it got them."""
        self.indicators: list[Tile] = []
        """The dora indicators revealed so far."""
        self.drawn: Tile | None = None
        """The tile of the last draw, until its player gives a tile or another one calls."""
        self.last: Tile | None = None
        """The last tile that was discarded, declared for a kan or set aside."""
        self._started = started
        self._ruleset = ruleset
        self._wall = wall
        self._layout = LAYOUTS[ruleset.seats]
        self._places = WallPlaces(started.dealer, ruleset.seats)

    def dealt(self, event: ev.TileDrawn | ev.HandDealt | ev.DoraRevealed) -> Tiles | None:
        """Return the tiles that an event takes from the wall; None if the wall is unknown."""
        places = self._places.of(event)
        return None if self._wall is None else tuple([self._wall[place] for place in places])

    def ura(self, count: int) -> Tiles | None:
        """Return so many ura indicators; None if the wall is unknown."""
        return None if self._wall is None else tuple(self._wall[place] for place in self._layout.ura[:count])

    def move(self, event: ev.Event, tiles: Tiles) -> None:
        """Follow an event with its tiles, as ``RecordedKyoku.tiles`` has them."""
        match event:
            case ev.TileDrawn():
                self.drawn = tiles[0]
                self.hands[event.seat].append(tiles[0])
            case ev.TileDiscarded() | ev.KanDeclared() | ev.KitaDeclared():
                self._remove(event.seat, tiles)
                self.drawn, self.last = None, tiles[-1]
            case ev.TileCalled():
                self._remove(event.seat, tiles[: len(event.meld.own)])
                self.drawn = None
            case ev.HandDealt():
                self.hands[event.seat] = list(tiles)
            case ev.DoraRevealed():
                self.indicators += tiles
            case ev.RiichiPaid() | ev.HandWon() | ev.KyokuDrawn():
                self.scores.see(event)
            case (
                ev.GameStarted()
                | ev.KyokuStarted()
                | ev.RiichiDeclared()
                | ev.RonDeclared()
                | ev.HandOpened()
                | ev.TenpaiDeclared()
                | ev.KyokuEnded()
                | ev.GameEnded()
            ):
                pass
            case _:
                assert_never(event)

    def _remove(self, seat: Seat, tiles: Tiles) -> None:
        hand = self.hands[seat]
        for tile in tiles:
            if tile in hand:
                hand.remove(tile)

    # Comparison with a record

    def stated(self, event: ev.Event) -> Stated:
        """Return everything that a record may state beside this event; call it before ``compare``."""
        started, scores = self._started, self.scores
        if isinstance(event, ev.KyokuStarted):
            return Stated(number=started.bakaze * len(WINDS) + started.dealer)
        points = list(scores.points)
        if isinstance(event, ev.RiichiPaid):
            points[event.seat] -= STICK_POINTS
            return Stated(points=tuple(points))
        if not isinstance(event, ev.HandWon):
            return Stated(None, tuple(points), started.honba, scores.kyotaku)
        worth = payment(self._ruleset, event.value, event.seat, event.loser, started.dealer)
        indicators, ura = tuple(self.indicators), self.ura(len(event.ura))
        return Stated(None, tuple(points), started.honba, scores.kyotaku, indicators, ura, worth)

    def compare(self, event: ev.Event, recorded: Tiles) -> Tiles | None:
        """Follow an event of the wall. Return the tiles that the record should name, None if it names them."""
        if isinstance(event, ev.TileDrawn | ev.HandDealt | ev.DoraRevealed):
            dealt = self.dealt(event) or recorded
            self.move(event, dealt)
            return None if dealt == recorded or set(dealt) == set(recorded) else dealt
        due = self._due(event, recorded)
        self.move(event, recorded)
        return due

    def _due(self, event: ev.Event, recorded: Tiles) -> Tiles | None:
        """Return the tiles that the record should name for an event that takes none from the wall."""
        last = () if self.last is None else (self.last,)
        match event:
            case ev.TileDiscarded() | ev.KanDeclared() | ev.KitaDeclared():
                return self._held(event.seat, recorded)
            case ev.TileCalled():
                own = recorded[:-1]
                return self._held(event.seat, own) if recorded[-1] == self.last else (*own, *last)
            case ev.HandWon():
                return self._shown(event.seat, recorded, () if event.loser is None else last)
            case ev.HandOpened():
                return self._shown(event.seat, recorded)
            case ev.TenpaiDeclared(tenpai=True):
                return self._shown(event.seat, recorded)
            case _:
                return None

    def _held(self, seat: Seat, tiles: Tiles) -> Tiles | None:
        """Return those of the tiles that a hand holds, None if it holds all."""
        held = tuple(tile for tile in tiles if tile in self.hands[seat])
        return None if len(held) == len(tiles) else held

    def _shown(self, seat: Seat, recorded: Tiles, won: Tiles = ()) -> Tiles | None:
        """Return a hand with the tile that it won on, None if the record shows the same."""
        hand = {*self.hands[seat], *won}
        return None if hand == set(recorded) else tuple(sorted(hand))


# Copies of faces
#
# A drawn tile is the lowest copy of its face that is left, or the one at its place if the wall is known. A discard
# after a draw is that very tile if it is tsumogiri, and another copy otherwise.


def with_copies(kyoku: RecordedKyoku, ruleset: Ruleset) -> RecordedKyoku:
    """Return the kyoku with physical tiles, unless it has them already.

    Raise RecordError if there are not enough copies, if a player gives a tile that it does not hold, or if a hand is
    hidden.
    """
    if kyoku.tiles is not None:
        return kyoku
    copies = _Copies(kyoku.started, ruleset, kyoku.deal)
    tiles = []
    for number, event in enumerate(kyoku.events, 1):
        try:
            tiles.append(copies.of(event))
        except RecordError as error:
            raise RecordError(f"event {number}: {error}") from None
    ura = copies.ura([event for event in kyoku.events if isinstance(event, ev.HandWon)])
    stated = dict(kyoku.stated)
    for index, event in enumerate(kyoku.events):
        if isinstance(event, ev.HandWon) and event.ura:
            stated[index] = replace(stated.get(index, Stated()), ura=ura[: len(event.ura)])
    return replace(kyoku, tiles=tuple(tiles), stated=stated)


class _Copies:
    """Chooses the physical tiles of one kyoku."""

    def __init__(self, started: ev.KyokuStarted, ruleset: Ruleset, deal: Deal | None) -> None:
        self._table = TileTable(started, ruleset, None if deal is None else deal.tiles)
        self._faces = faces_of_tiles(ruleset.red_fives)
        self._free: list[list[Tile]] = [[] for _ in range(FACES)]
        for tile in reversed(LAYOUTS[ruleset.seats].tiles):
            self._free[self._faces[tile]].append(tile)

    def of(self, event: ev.Event) -> Tiles:
        """Return the tiles of the next event, as ``RecordedKyoku.tiles`` has them."""
        tiles = self._chosen(event)
        self._table.move(event, tiles)
        return tiles

    def _chosen(self, event: ev.Event) -> Tiles:
        table = self._table
        match event:
            case ev.TileDrawn():
                if event.face is None:
                    raise RecordError(f"a draw of {LETTERS[event.seat]} is hidden")
                return self._take((event.face,), table.dealt(event))
            case ev.TileDiscarded():
                return self._give(event.seat, (event.face,), tsumogiri=event.tsumogiri)
            case ev.TileCalled():
                own = self._give(event.seat, event.meld.own)
                return own if table.last is None else (*own, table.last)
            case ev.KanDeclared():
                meld = event.meld
                return self._give(event.seat, meld.own if meld.added is None else (meld.added,))
            case ev.KitaDeclared():
                return self._give(event.seat, (NORTH,))
            case ev.HandDealt():
                return self._deal(event)
            case ev.DoraRevealed():
                return self._take((event.indicator,), table.dealt(event))
            case ev.HandWon():
                won = () if event.loser is None or table.last is None else (table.last,)
                return tuple(sorted((*table.hands[event.seat], *won)))
            case ev.HandOpened() | ev.TenpaiDeclared(tenpai=True):
                return tuple(sorted(table.hands[event.seat]))
            case _:
                return ()

    def ura(self, wins: Iterable[ev.HandWon]) -> Tiles:
        """Return the ura indicators of the kyoku, those of the win that shows the most."""
        longest = max((won.ura for won in wins), key=len, default=())
        return self._take(longest, self._table.ura(len(longest)))

    def _deal(self, event: ev.HandDealt) -> Tiles:
        if event.faces is None:
            raise RecordError(f"the hand of {LETTERS[event.seat]} is hidden")
        dealt = self._table.dealt(event)
        if dealt is None:
            return self._take(event.faces, None)
        faces = [self._faces[tile] for tile in dealt]
        if sorted(faces) != sorted(event.faces):
            raise RecordError(f"the wall deals another hand to {LETTERS[event.seat]}")
        return self._take(faces, dealt)

    def _take(self, faces: Sequence[Face], dealt: Tiles | None) -> Tiles:
        """Take copies of faces from those that are left; ``dealt`` are the tiles that a known wall has here."""
        return tuple(self._take_one(face, None if dealt is None else dealt[place]) for place, face in enumerate(faces))

    def _take_one(self, face: Face, tile: Tile | None) -> Tile:
        free = self._free[face]
        if tile is not None and self._faces[tile] != face:
            raise RecordError(f"the wall has {UMP_FACES[self._faces[tile]]} where the record has {UMP_FACES[face]}")
        if not free:
            raise RecordError(f"more copies of {UMP_FACES[face]} than there are")
        if tile is None:
            return free.pop()
        free.remove(tile)
        return tile

    def _give(self, seat: Seat, faces: Sequence[Face], *, tsumogiri: bool = False) -> Tiles:
        """Choose tiles of these faces out of a hand: the drawn one only for tsumogiri, or if it is the only one."""
        hand, drawn, given = list(self._table.hands[seat]), self._table.drawn, list[Tile]()
        for face in faces:
            held = [tile for tile in hand if self._faces[tile] == face]
            if not held:
                raise RecordError(f"{LETTERS[seat]} gives a {UMP_FACES[face]} that it does not hold")
            others = [tile for tile in held if tile != drawn]
            tile = drawn if drawn is not None and drawn in held and (tsumogiri or not others) else others[0]
            hand.remove(tile)
            given.append(tile)
        return tuple(given)


def payment(ruleset: Ruleset, value: HandValue, winner: Seat, loser: Seat | None, dealer: Seat) -> int:
    """Return the points that all payers together pay for a hand, without honba and sticks."""
    changes = win_changes(ruleset, value, winner=winner, loser=loser, dealer=dealer, honba=0, kyotaku=0)
    return changes[winner]
