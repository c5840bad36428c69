"""What one seat has seen, in the form from which many of RiichiLab's clients decide: ``observation`` of a request.

It is base64 of one JSON object, which the package riichienv (smly/RiichiEnv, 0.4.11) reads as its ``Observation``.
Every field is filled as that package's own engine fills it. So the hands of others are empty, and the own one is sorted
with the drawn tile last. A discard that was called stays in its river. A riichi stands from its discard on, its stick
from when it is paid. Each discard is offered tile by tile, equal ones too (a call once, whichever equal tiles it might
take). ``waits`` are those of a hand between turns. As there ``tsumogiri_flags`` are empty; ``forced_tedashi`` is a
habit of rules that we do not have. ``events`` are the messages since the observation before, whose last ones may stand
behind the request (a dora after a kan to be robbed).

Tiles are numbered 0..135 there, while a seat knows faces alone. So the numbers are made up of what this seat has seen,
in the order in which it saw it: a red five is the first of its kind (16, 52, 88), and each other tile has the lowest
number of its kind that no tile before it in this kyoku has. It keeps its number on its way from the hand into a river
or a meld. Of equal tiles that were not drawn just now, the one with the lowest number goes. Where the rules have no red
five in a suit, or two, a number stands twice, for a tile is never told with another's face.
"""

from __future__ import annotations

from base64 import b64encode
from bisect import insort
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

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
from ump.model.constants import STICK_POINTS
from ump.model.events import (
    DoraRevealed,
    Event,
    HandDealt,
    KanDeclared,
    KyokuStarted,
    RiichiPaid,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import Meld
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import COPIES, FIVES, KIND_OF, KINDS, RED_OF, Face, Kind, Tile
from ump.wire.json_text import write
from ump.wire.mjai.actions import AskedQuestion
from ump.wire.mjai.events import Message

Waits: TypeAlias = Callable[[list[int]], Iterable[Kind]]
"""Finds what 3n + 1 concealed tiles, given as 34 counts, wait for: nothing where they are not tenpai."""

_OF_NOBODY = -1
"""Whose tile a closed kan has taken."""

_RED_FACES: dict[Tile, Face] = {kind * COPIES: face for kind, face in RED_OF.items()}
"""The numbers that are red fives."""


def no_waits(kinds: list[int]) -> Iterable[Kind]:
    """Find nothing: for where nobody can tell."""
    return ()


def face_of(tile: Tile) -> Face:
    """Return the face that is read from a number."""
    return _RED_FACES.get(tile, tile // COPIES)


class Observer:
    """Sees a game from one seat, event by event, and writes down what it has seen whenever that seat is asked."""

    __slots__ = (
        "_discards",
        "_drawn",
        "_events",
        "_hand",
        "_indicators",
        "_kan_tile",
        "_last_discard",
        "_last_tedashis",
        "_melds",
        "_riichi_tiles",
        "_scores",
        "_seat",
        "_start",
        "_sticks",
        "_taken",
        "_waits",
    )

    def __init__(self, seat: Seat, waits: Waits) -> None:
        self._seat = seat
        self._waits = waits
        self._events: list[str] = []
        """What was told since the last observation."""
        self._kyoku_started(KyokuStarted(0, 0, 0, 0, (), (1, 1)))

    def hear(self, message: Message) -> None:
        """Note a message that tells an event: those since the last observation are part of the next."""
        self._events.append(write(message))

    def see(self, event: Event) -> None:
        """Take in an event as this seat may see it."""
        see = _SEE.get(type(event))
        if see is not None:
            see(self, event)

    # What happens

    def _kyoku_started(self, event: KyokuStarted) -> None:
        seats = len(event.points)
        self._start = event
        self._scores = list(event.points)
        self._sticks = event.kyotaku
        self._taken = [0] * KINDS
        """How many numbers of each kind are taken, red fives left out."""
        self._hand: list[Tile] = []
        """The own concealed tiles, sorted, without the drawn one."""
        self._drawn: Tile | None = None
        self._melds: list[list[Message]] = [[] for _ in range(seats)]
        self._discards: list[list[Tile]] = [[] for _ in range(seats)]
        self._indicators: list[Tile] = []
        self._riichi_tiles: list[Tile | None] = [None] * seats
        """The discard with which each seat has declared riichi."""
        self._last_tedashis: list[Tile | None] = [None] * seats
        """The last discard of each seat that it had not just drawn."""
        self._last_discard: Tile | None = None
        self._kan_tile: Tile | None = None
        """The tile of the last kan on its maker's own turn, which another may rob."""

    def _hand_dealt(self, event: HandDealt) -> None:
        if event.seat == self._seat and event.faces is not None:
            self._hand = sorted(map(self._number, event.faces))

    def _dora_revealed(self, event: DoraRevealed) -> None:
        self._indicators.append(self._number(event.indicator))

    def _tile_drawn(self, event: TileDrawn) -> None:
        if event.seat == self._seat and event.face is not None:
            self._drawn = self._number(event.face)

    def _tile_discarded(self, event: TileDiscarded) -> None:
        seat = event.seat
        tile = self._drawn if seat == self._seat and event.tsumogiri else None
        if tile is None:
            (tile,) = self._leave(seat, (event.face,))
        self._drawn = None
        self._discards[seat].append(tile)
        self._last_discard = tile
        if not event.tsumogiri:
            self._last_tedashis[seat] = tile
        if event.riichi:
            self._riichi_tiles[seat] = tile

    def _riichi_paid(self, event: RiichiPaid) -> None:
        self._scores[event.seat] -= STICK_POINTS
        self._sticks += 1

    def _tile_called(self, event: TileCalled) -> None:
        source = event.meld.source
        assert source is not None
        called = self._discards[source][-1]
        self._lay(event.seat, event.meld, [called, *self._leave(event.seat, event.meld.own)], source, called)

    def _kan_declared(self, event: KanDeclared) -> None:
        meld = event.meld
        if meld.added is None:
            tiles = self._leave(event.seat, meld.own)
            self._kan_tile = min(tiles)
            self._lay(event.seat, meld, tiles, _OF_NOBODY, None)
            return
        (self._kan_tile,) = self._leave(event.seat, (meld.added,))
        pon = self._pon(event.seat, meld.kind)
        pon["meld_type"] = _name(meld)
        pon["tiles"] = sorted((*pon["tiles"], self._kan_tile))

    def _lay(self, seat: Seat, meld: Meld, tiles: list[Tile], source: Seat, called: Tile | None) -> None:
        laid: Message = {
            "meld_type": _name(meld),
            "tiles": sorted(tiles),
            "opened": meld.is_open,
            "from_who": source,
            "called_tile": called,
        }
        self._melds[seat].append(laid)

    def _pon(self, seat: Seat, kind: Kind) -> dict[str, Any]:
        """Return the pon of this kind."""
        return next(laid for laid in self._melds[seat] if laid["meld_type"] == "Pon" and _kind(laid) == kind)

    # Numbers

    def _number(self, face: Face) -> Tile:
        """Return the number of a tile that is seen for the first time."""
        kind = KIND_OF[face]
        if face != kind:
            return kind * COPIES
        first = kind * COPIES + (kind in FIVES)
        tile = first + self._taken[kind]
        self._taken[kind] += 1
        return min(tile, kind * COPIES + COPIES - 1)

    def _leave(self, seat: Seat, faces: Iterable[Face]) -> list[Tile]:
        """Return the numbers of tiles that leave a hand: others' are seen for the first time."""
        if seat != self._seat:
            return [self._number(face) for face in faces]
        if self._drawn is not None:
            insort(self._hand, self._drawn)
            self._drawn = None
        tiles = _chosen(self._hand, faces)
        for tile in tiles:
            self._hand.remove(tile)
        return tiles

    @property
    def _held(self) -> list[Tile]:
        """The own concealed tiles, the drawn one last."""
        return self._hand if self._drawn is None else [*self._hand, self._drawn]

    # What is written

    def observation(self, asked: AskedQuestion, actions: Iterable[Action]) -> str:
        """Write what the seat has seen so far, and which actions it may choose from now."""
        seats = range(len(self._scores))
        waits = [] if asked.is_turn else sorted(self._waits(asked.question.hand.kinds))
        content: Message = {
            "player_id": self._seat,
            "hands": [self._held if seat == self._seat else [] for seat in seats],
            "melds": self._melds,
            "discards": self._discards,
            "dora_indicators": self._indicators,
            "scores": self._scores,
            "riichi_declared": [tile is not None for tile in self._riichi_tiles],
            "_legal_actions": self._offers(asked, actions),
            "events": self._events,
            "honba": self._start.honba,
            "riichi_sticks": self._sticks,
            "round_wind": self._start.bakaze,
            "oya": self._start.dealer,
            "kyoku_index": self._start.dealer,
            "waits": waits,
            "is_tenpai": bool(waits),
            "tsumogiri_flags": [[] for _ in seats],
            "riichi_sutehais": self._riichi_tiles,
            "last_tedashis": self._last_tedashis,
            "last_discard": self._target(asked),
            "drawn_tile": self._drawn,
            "forced_tedashi": False,
        }
        text = b64encode(write(content).encode()).decode()
        self._events = []
        return text

    def _target(self, asked: AskedQuestion) -> Tile | None:
        """Return the last discard, or the tile of the kan that may be robbed."""
        return self._kan_tile if asked.question.phase is Phase.CHANKAN else self._last_discard

    def _offers(self, asked: AskedQuestion, actions: Iterable[Action]) -> list[Message]:
        """Write actions in riichienv's order, in which a win is first, then what is discarded, and a pass last."""
        offers: list[Message] = []
        for action in sorted(actions, key=lambda action: _RANKS[type(action)]):
            for tile, consumed in _OFFER[type(action)](self, action, asked):
                offer: Message = {
                    "action_type": type(action).__name__,  # they are named there as here
                    "tile": tile,
                    "consume_tiles": consumed,
                    "actor": self._seat,
                }
                if offer not in offers:
                    offers.append(offer)
        return offers

    def _offer_discard(self, action: Discard, asked: AskedQuestion) -> Iterable[_Offer]:
        if action.tsumogiri:
            return [(self._drawn, [])]
        return [(tile, []) for tile in self._hand if face_of(tile) == action.face]

    def _offer_call(self, action: Chi | Pon, asked: AskedQuestion) -> Iterable[_Offer]:
        return [(self._target(asked), sorted(_chosen(self._hand, action.own)))]

    def _offer_daiminkan(self, action: Daiminkan, asked: AskedQuestion) -> Iterable[_Offer]:
        tile = self._target(asked)
        return [(tile, [held for held in self._hand if tile is not None and held // COPIES == tile // COPIES])]

    def _offer_ankan(self, action: Ankan, asked: AskedQuestion) -> Iterable[_Offer]:
        tiles = sorted(tile for tile in self._held if tile // COPIES == action.kind)
        return [(tiles[0], tiles)]

    def _offer_kakan(self, action: Kakan, asked: AskedQuestion) -> Iterable[_Offer]:
        pon = self._pon(self._seat, KIND_OF[action.face])
        return [(_chosen(self._held, (action.face,))[0], pon["tiles"])]


_Offer: TypeAlias = tuple[Tile | None, list[Tile]]
"""The tile of an action, and the tiles of one's own that it takes."""

_NOTHING: tuple[_Offer, ...] = ((None, []),)

_OFFER: dict[type, Callable[[Observer, Any, AskedQuestion], Iterable[_Offer]]] = {
    Tsumo: lambda observer, action, asked: [(observer._drawn, [])],
    Ron: lambda observer, action, asked: [(observer._target(asked), [])],
    Discard: Observer._offer_discard,
    Riichi: lambda observer, action, asked: _NOTHING,
    Ankan: Observer._offer_ankan,
    Kakan: Observer._offer_kakan,
    KyushuKyuhai: lambda observer, action, asked: _NOTHING,
    Pon: Observer._offer_call,
    Daiminkan: Observer._offer_daiminkan,
    Chi: Observer._offer_call,
    Pass: lambda observer, action, asked: _NOTHING,
}
"""How each action is offered, in the order in which they stand."""

_RANKS: dict[type, int] = {kind: rank for rank, kind in enumerate(_OFFER)}

_SEE: dict[type, Callable[[Observer, Any], None]] = {
    KyokuStarted: Observer._kyoku_started,
    HandDealt: Observer._hand_dealt,
    DoraRevealed: Observer._dora_revealed,
    TileDrawn: Observer._tile_drawn,
    TileDiscarded: Observer._tile_discarded,
    RiichiPaid: Observer._riichi_paid,
    TileCalled: Observer._tile_called,
    KanDeclared: Observer._kan_declared,
}
"""What each event changes. The others change nothing before the next kyoku, which says how things stand."""


def _chosen(tiles: Iterable[Tile], faces: Iterable[Face]) -> list[Tile]:
    """Return a tile for each face, the first of equal ones; raises ValueError where there is none."""
    left = list(tiles)
    return [left.pop([face_of(tile) for tile in left].index(face)) for face in faces]


def _name(meld: Meld) -> str:
    return meld.type.value.capitalize()


def _kind(laid: dict[str, Any]) -> Kind:
    """Return the kind of the first tile of a meld."""
    kind: Kind = laid["tiles"][0] // COPIES
    return kind
