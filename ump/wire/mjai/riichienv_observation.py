"""The ``observation`` of a request: all that one seat has seen, in riichienv's format.

Many clients of RiichiLab decide by it.

It is base64 of one JSON object, which the package riichienv (smly/RiichiEnv, 0.4.11) reads as its ``Observation``.
Releases before 0.4.10 have another form (``is_older_form``). Every field has the value that the package's own engine
gives it:

* The hands of others are empty. The own hand is sorted, the drawn tile last.
* A called discard stays in its river. A riichi counts from its discard on, its stick from the payment on.
* Discards are offered tile by tile, equal tiles too. A call is offered once, whichever equal tiles it might take.
* ``waits`` are those of a hand between turns, ``tsumogiri_flags`` are empty, and ``forced_tedashi`` belongs to rules
  that ump does not have.
* ``events`` are the messages since the previous observation. The last of them may be sent after the request (a dora
  after a kan that can be robbed).

riichienv numbers tiles 0..135, but a seat sees only faces. So each tile gets a number when this seat sees it for the
first time: a red five the first number of its kind (16, 52, 88), any other tile the lowest number of its kind that is
free in this kyoku. The tile keeps its number on its way from the hand into a river or a meld. Of equal tiles that were
not just drawn, the lowest number leaves the hand first. If the rules have no red five in a suit, or two, one number
stands for two tiles, because a number must never show the wrong face.
"""

from __future__ import annotations

import re
from base64 import b64encode
from bisect import insort
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, assert_never

from ump.model import events as ev
from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
    Kita,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.melds import Meld
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import COPIES, FIVES, KIND_OF, KINDS, NORTH, RED_OF, Face, Kind, Tile
from ump.players.observation import Observation
from ump.rules.ruleset import Ruleset
from ump.wire.json_text import write
from ump.wire.mjai.actions import MjaiQuestion
from ump.wire.mjai.events import Message, Written
from ump.wire.text import WireError, quoted

Waits: TypeAlias = Callable[[list[int]], Iterable[Kind]]
"""Returns the waits of 3n + 1 concealed tiles, given as 34 counts; nothing unless they are tenpai."""

_NO_SOURCE = -1
"""The source of a closed kan."""

_RED_FACES: dict[Tile, Face] = {kind * COPIES: face for kind, face in RED_OF.items()}
"""The numbers that are red fives."""


FIELDS = (
    ("player_id", "seat", "your seat"),
    ("hands", "tile numbers, by seat", "your concealed tiles, sorted, the drawn one last; other seats' are empty"),
    ("melds", "objects, by seat", "`meld_type`, `tiles`, `opened`, `from_who` (-1 for a closed kan), `called_tile`"),
    ("discards", "tile numbers, by seat", "all discards, called ones too"),
    ("dora_indicators", "tile numbers", "the indicators"),
    ("scores", "scores", "the scores"),
    ("riichi_declared", "flags", "who has discarded with riichi"),
    ("_legal_actions", "objects", "`action_type`, `tile`, `consume_tiles`, `actor`"),
    ("events", "texts", "the messages since the last observation, each as JSON"),
    ("honba", "count", "honba"),
    ("riichi_sticks", "count", "riichi sticks on the table"),
    ("round_wind", "count", "0 for east"),
    ("oya", "seat", "the dealer"),
    ("kyoku_index", "seat", "the same"),
    ("waits", "kinds", "what your hand waits for, between turns; empty on your own turn"),
    ("is_tenpai", "flag", "whether `waits` has any"),
    ("tsumogiri_flags", "empty arrays, by seat", ""),
    ("riichi_sutehais", "tile number or `null`, by seat", "the tile with which each seat declared riichi"),
    ("last_tedashis", "tile number or `null`, by seat", "the last discard of each seat from its hand"),
    (
        "last_discard",
        "tile number or `null`",
        "the last discard, or the tile of a kan that can be robbed; before 0.4.10 its seat",
    ),
    ("drawn_tile", "tile number or `null`", "your drawn tile"),
    ("forced_tedashi", "`false`", "not before 0.4.10"),
)
"""The fields of the object, with their types and meanings."""

_RELEASE = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})\.([0-9]{1,4})")

_TODAYS_FORM = (0, 4, 10)
"""The first release with today's form."""


def is_older_form(release: str) -> bool:
    """Return whether a release of riichienv has the older form, with the seat of the last discard instead of its tile.

    Raises WireError for a text that names no release.
    """
    match = _RELEASE.fullmatch(release)
    if match is None:
        raise WireError(f"riichienv: expected a release such as 0.4.11, not {quoted(release)}")
    return tuple(map(int, match.groups())) < _TODAYS_FORM


def no_waits(kinds: list[int]) -> Iterable[Kind]:
    """Return no waits, for a session that cannot compute them."""
    return ()


def face_of(tile: Tile) -> Face:
    """Return the face that a number stands for."""
    return _RED_FACES.get(tile, tile // COPIES)


class ObservationWriter:
    """Follows a game from one seat, and writes an observation whenever that seat is asked.

    The state of the table comes from an ``Observation``. The numbers of the tiles are added here.
    """

    __slots__ = (
        "_discards",
        "_drawn",
        "_events",
        "_hand",
        "_indicators",
        "_is_older",
        "_kan_tile",
        "_last_discard",
        "_melds",
        "_seat",
        "_seen",
        "_taken",
        "_waits",
    )

    def __init__(self, seat: Seat, ruleset: Ruleset, waits: Waits, *, is_older: bool = False) -> None:
        """``is_older`` chooses the form of the releases before 0.4.10."""
        self._seat = seat
        self._is_older = is_older
        self._seen = Observation(seat, ruleset)
        self._waits = waits
        self._events: list[str] = []
        """The messages since the previous observation."""
        self._clear()

    def _clear(self) -> None:
        """Forget the numbers of the previous kyoku."""
        seats = self._seen.ruleset.seats
        self._taken = [0] * KINDS
        """The count of taken numbers of each kind, red fives left out."""
        self._hand: list[Tile] = []
        """The own concealed tiles, sorted, without the drawn one."""
        self._drawn: Tile | None = None
        """The own drawn tile."""
        self._melds: list[list[Message]] = [[] for _ in range(seats)]
        self._discards: list[list[Tile]] = [[] for _ in range(seats)]
        self._indicators: list[Tile] = []
        self._last_discard: Tile | None = None
        self._kan_tile: Tile | None = None
        """The tile of the last closed or added kan, or the last north set aside, which others may win on."""

    def add_message(self, message: Written) -> None:
        """Add a message about an event to the next observation."""
        self._events.append(message.text)

    def see(self, event: ev.Event) -> None:
        """Update the state with an event, as this seat may see it."""
        self._seen.see(event)
        match event:
            case ev.TileDrawn():
                if event.seat == self._seat and event.face is not None:
                    self._drawn = self._number(event.face)
            case ev.TileDiscarded():
                self._discard(event)
            case ev.TileCalled():
                self._call(event.seat, event.meld)
            case ev.KanDeclared():
                self._declare_kan(event.seat, event.meld)
            case ev.KitaDeclared():
                (self._kan_tile,) = self._take_from_hand(event.seat, (NORTH,))
            case ev.DoraRevealed():
                self._indicators.append(self._number(event.indicator))
            case ev.HandDealt():
                if event.seat == self._seat and event.faces is not None:
                    self._hand = sorted(map(self._number, event.faces))
            case ev.KyokuStarted():
                self._clear()
            case _:
                pass  # the others move no tile

    # Moves

    def _discard(self, event: ev.TileDiscarded) -> None:
        tile = self._drawn if event.seat == self._seat and event.tsumogiri else None
        if tile is None:
            (tile,) = self._take_from_hand(event.seat, (event.face,))
        self._drawn = None
        self._discards[event.seat].append(tile)
        self._last_discard = tile

    def _call(self, seat: Seat, meld: Meld) -> None:
        source = meld.source
        assert source is not None
        called = self._discards[source][-1]
        self._lay_down(seat, meld, [called, *self._take_from_hand(seat, meld.own)], source, called)

    def _declare_kan(self, seat: Seat, meld: Meld) -> None:
        if meld.added is None:
            tiles = self._take_from_hand(seat, meld.own)
            self._kan_tile = min(tiles)
            self._lay_down(seat, meld, tiles, _NO_SOURCE, None)
            return
        (self._kan_tile,) = self._take_from_hand(seat, (meld.added,))
        pon = self._pon(seat, meld.kind)
        pon["meld_type"] = _name(meld)
        pon["tiles"] = sorted((*pon["tiles"], self._kan_tile))

    def _lay_down(self, seat: Seat, meld: Meld, tiles: list[Tile], source: Seat, called: Tile | None) -> None:
        message: Message = {
            "meld_type": _name(meld),
            "tiles": sorted(tiles),
            "opened": meld.is_open,
            "from_who": source,
            "called_tile": called,
        }
        self._melds[seat].append(message)

    def _pon(self, seat: Seat, kind: Kind) -> dict[str, Any]:
        """Return the pon of this kind."""
        return next(meld for meld in self._melds[seat] if meld["meld_type"] == "Pon" and _kind(meld) == kind)

    # Numbers

    def _number(self, face: Face) -> Tile:
        """Return the number of a tile that the seat sees for the first time."""
        kind = KIND_OF[face]
        if face != kind:
            return kind * COPIES
        first = kind * COPIES + (1 if kind in FIVES else 0)
        tile = first + self._taken[kind]
        self._taken[kind] += 1
        return min(tile, kind * COPIES + COPIES - 1)

    def _take_from_hand(self, seat: Seat, faces: Iterable[Face]) -> list[Tile]:
        """Return the numbers of tiles that leave a hand; those of others get theirs now."""
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

    def _last_river_tile(self, seat: Seat, *, riichi: bool) -> Tile | None:
        """Return the last discard of a seat that was not just drawn or, for ``riichi``, the one that declared it."""
        for discard, tile in zip(reversed(self._seen.rivers[seat]), reversed(self._discards[seat]), strict=True):
            if discard.riichi if riichi else not discard.tsumogiri:
                return tile
        return None

    # The text

    def write(self, asked: MjaiQuestion, actions: Iterable[Action]) -> str:
        """Return the observation for a question, with these legal actions."""
        seen = self._seen
        seats = range(len(seen.points))
        waits = [] if asked.is_turn else sorted(self._waits(asked.question.hand.kinds))
        riichi_tiles = [self._last_river_tile(seat, riichi=True) for seat in seats]
        content: Message = {
            "player_id": self._seat,
            "hands": [self._held if seat == self._seat else [] for seat in seats],
            "melds": self._melds,
            "discards": self._discards,
            "dora_indicators": self._indicators,
            "scores": seen.points,
            "riichi_declared": [tile is not None for tile in riichi_tiles],
            "_legal_actions": self._offers(asked, actions),
            "events": self._events,
            "honba": seen.honba,
            "riichi_sticks": seen.kyotaku,
            "round_wind": seen.bakaze,
            "oya": seen.dealer,
            "kyoku_index": seen.dealer,
            "waits": waits,
            "is_tenpai": bool(waits),
            "tsumogiri_flags": [[] for _ in seats],
            "riichi_sutehais": riichi_tiles,
            "last_tedashis": [self._last_river_tile(seat, riichi=False) for seat in seats],
            "last_discard": self._target(asked),
            "drawn_tile": self._drawn,
            "forced_tedashi": False,
        }
        if self._is_older:
            content["last_discard"] = self._owner_of_target(asked)
            del content["forced_tedashi"]
        text = b64encode(write(content).encode()).decode()
        self._events = []
        return text

    def _target(self, asked: MjaiQuestion) -> Tile | None:
        """Return the last discard or, for chankan, the tile of the kan."""
        return self._kan_tile if asked.question.phase is Phase.CHANKAN else self._last_discard

    def _owner_of_target(self, asked: MjaiQuestion) -> Seat | None:
        if asked.question.phase is Phase.CHANKAN:
            return self._seen.source
        return self._seen.discards[-1].seat if self._seen.discards else None

    def _offers(self, asked: MjaiQuestion, actions: Iterable[Action]) -> list[Message]:
        """Return the actions in riichienv's order: wins, actions of the own turn, calls, pass."""
        offers: list[Message] = []
        for action in sorted(actions, key=lambda action: _RANKS[type(action)]):
            for tile, consumed in self._tiles_of(action, self._target(asked)):
                offer: Message = {
                    "action_type": type(action).__name__,  # riichienv has the same names
                    "tile": tile,
                    "consume_tiles": consumed,
                    "actor": self._seat,
                }
                if offer not in offers:
                    offers.append(offer)
        return offers

    def _tiles_of(self, action: Action, target: Tile | None) -> Iterable[tuple[Tile | None, list[Tile]]]:
        """Return the tile of each way to take an action, with the own tiles that it uses up."""
        match action:
            case Discard(face, tsumogiri):
                if tsumogiri:
                    return [(self._drawn, [])]
                return [(tile, []) for tile in self._hand if face_of(tile) == face]
            case Tsumo():
                return [(self._drawn, [])]
            case Ron():
                return [(target, [])]
            case Riichi() | KyushuKyuhai() | Pass():
                return [(None, [])]
            case Chi(own) | Pon(own):
                return [(target, sorted(_chosen(self._hand, own)))]
            case Daiminkan():
                return [(target, [tile for tile in self._hand if target is not None and _is_same_kind(tile, target)])]
            case Ankan(kind):
                tiles = sorted(tile for tile in self._held if tile // COPIES == kind)
                return [(tiles[0], tiles)]
            case Kakan(face):
                return [(_chosen(self._held, (face,))[0], self._pon(self._seat, KIND_OF[face])["tiles"])]
            case Kita():
                north = next(tile for tile in self._held if tile // COPIES == NORTH)
                return [(north, [north])]
            case DeclareTenpai() | DeclareNoten():
                return []  # mjai has no question for these
            case _:
                assert_never(action)


_RANKS: dict[type[Action], int] = {
    action: rank
    for rank, action in enumerate(
        (Tsumo, Ron, Discard, Riichi, Ankan, Kakan, Kita, KyushuKyuhai, Pon, Daiminkan, Chi, Pass)
    )
}
"""The order in which riichienv lists actions."""


def _chosen(tiles: Iterable[Tile], faces: Iterable[Face]) -> list[Tile]:
    """Return a tile for each face, the first of equal ones; raise ValueError if one is missing."""
    left = list(tiles)
    return [left.pop([face_of(tile) for tile in left].index(face)) for face in faces]


def _is_same_kind(tile: Tile, other: Tile) -> bool:
    """Tell whether two numbers stand for tiles of one kind."""
    return tile // COPIES == other // COPIES


def _name(meld: Meld) -> str:
    return meld.type.value.capitalize()


def _kind(meld: dict[str, Any]) -> Kind:
    """Return the kind of the first tile of a meld."""
    kind: Kind = meld["tiles"][0] // COPIES
    return kind
