"""Builds a recorded game from events that a format states only in part.

The readers of the wire protocols return events with what their messages say. ``GameBuilder`` takes them one after the
other; ``KyokuBuilder`` adds what follows from the moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ump.game.deals import Deal
from ump.model.constants import DEALT_TILES
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
from ump.model.seats import Seat
from ump.model.tiles import COPIES, KIND_OF, KINDS, Face
from ump.record.kyoku_builder import KyokuBuilder
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError, Stated
from ump.rules.analysis import waits
from ump.rules.presets import TENHOU, TENHOU3
from ump.rules.ruleset import Ruleset, Tenpai
from ump.rules.wall import LAYOUTS

MOST_KYOKU = 200
"""Limit of kyoku in one game; the rules have no limit."""

MOST_NAME = 200
"""Names are cut after this many characters."""

NOT_DEALT = "a kyoku without its first dora indicator"
"""The error of a record in which something happens before the deal is complete."""

ASSUMED = TENHOU
"""The rules that are assumed for a record that does not say which were played."""


class GameBuilder:
    """Collects the events of one game. Use an instance once."""

    def __init__(self, ruleset: Ruleset | None, assumed: Ruleset = ASSUMED) -> None:
        """Begin a game; ``ruleset`` is None if the record does not state all rules, but lets us assume some."""
        self._stated = ruleset is not None
        self._ruleset = ruleset or assumed
        self._names: tuple[str, ...] = ()
        self._kyoku: list[KyokuBuilder] = []
        self._started: KyokuStarted | None = None
        """The start of a kyoku, until its hands and its indicator are known."""
        self._hands: dict[Seat, tuple[Face, ...] | None] = {}
        self.tenpai: set[Seat] | None = None
        """The seats that have declared tenpai; None if the record does not say who did."""
        self._ended: GameEnded | None = None
        self.kan_dora: Sequence[Face] | None = None
        """The kan dora of the kyoku that starts next, if the format lists them without their places."""

    @property
    def has_kyoku(self) -> bool:
        """Whether a kyoku has begun."""
        return bool(self._kyoku)

    @property
    def kyoku(self) -> KyokuBuilder:
        """The kyoku that is being built; raises RecordError before the first one, and until it is dealt."""
        if not self._kyoku:
            raise RecordError("no kyoku has begun")
        if self._started is not None:
            raise RecordError(NOT_DEALT)
        return self._kyoku[-1]

    def add(self, event: Event, stated: Stated | None = None) -> None:
        """Add an event as the record states it; raises RecordError if it does not belong here."""
        if self._started is not None:
            self._deal(event)
            return
        match event:
            case TileDiscarded():
                self.kyoku.discard(event.seat, event.face, tsumogiri=event.tsumogiri)
            case TileDrawn():
                self.kyoku.draw(event.seat, event.face)
            case TileCalled():
                self.kyoku.call(event.seat, event.meld)
            case KanDeclared():
                self.kyoku.kan(event.seat, event.meld)
            case KitaDeclared():
                self.kyoku.set_north_aside(event.seat)
            case DoraRevealed():
                if self.kan_dora is None:
                    self.kyoku.reveal(event.indicator)
            case RiichiDeclared():
                self.kyoku.declare_riichi(event.seat, opened=event.opened)
            case RiichiPaid():
                self.kyoku.pay_riichi(None if stated is None else stated.points)
            case HandWon():
                self.kyoku.win(event, stated or Stated())
            case TenpaiDeclared():
                self.tenpai = (self.tenpai or set()) | ({event.seat} if event.tenpai else set())
                if event.faces is not None:
                    self.kyoku.show(event.seat, event.faces)
            case KyokuDrawn():
                tenpai = self.tenpai
                self.kyoku.finish(event.reason, event.changes, self._paid(event) if tenpai is None else tenpai)
            case KyokuStarted():
                self._start(event)
            case GameStarted():
                self._names = tuple(_as_text(name[:MOST_NAME]) for name in event.names)
            case GameEnded():
                self._ended = event
            case HandOpened():
                self.kyoku.show(event.seat, event.faces)
            case RonDeclared() | KyokuEnded():
                pass  # they follow from the draw
            case HandDealt():
                raise RecordError("a hand is dealt in the middle of a kyoku")

    def _paid(self, drawn: KyokuDrawn) -> set[Seat]:
        """Return the seats that are tenpai by the payments of a draw; if nobody pays for noten, by their hands."""
        if not self._ruleset.noten_penalty and self._ruleset.tenpai is Tenpai.RIICHI_ONLY:
            return self.kyoku.in_riichi
        if drawn.reason is DrawReason.NAGASHI_MANGAN or not self._ruleset.noten_penalty:
            hands = [self.kyoku.hand(seat) for seat in range(len(drawn.changes))]
            return {seat for seat, hand in enumerate(hands) if hand is not None and _is_tenpai(hand)}
        return {seat for seat, change in enumerate(drawn.changes) if change > 0}

    def _start(self, event: KyokuStarted) -> None:
        if len(self._kyoku) == MOST_KYOKU:
            raise RecordError(f"more than {MOST_KYOKU} kyoku")
        if len(event.points) not in LAYOUTS:
            raise RecordError(f"a kyoku of {len(event.points)} players")
        if self._stated and len(event.points) != self._ruleset.seats:
            raise RecordError(f"rules for {self._ruleset.seats} players, but scores of {len(event.points)}")
        self._started = event
        self._hands = {}
        self.tenpai = None
        dora = () if self.kan_dora is None else self.kan_dora
        self._kyoku.append(KyokuBuilder(dora, self._ruleset.open_kan_dora))

    def _deal(self, event: Event) -> None:
        """Take the deal of a kyoku: its hands, and its first indicator at the end."""
        started = self._started
        match event:
            case HandDealt():
                self._hands[event.seat] = event.faces
            case DoraRevealed() if started is not None:
                hands = [self._hands.get(seat) for seat in range(len(started.points))]
                self._started = None
                self.kyoku.start(started, hands, event.indicator)
            case _:
                raise RecordError(NOT_DEALT)

    def game(self, deals: Sequence[Deal | None] | None = None, *, own_counting: bool = False) -> RecordedGame:
        """Return the game as far as it was built; ``deals`` are the walls of its kyoku, if they are known."""
        if not self._kyoku or self._started is not None:
            raise RecordError("no kyoku")
        built = [each.kyoku() for each in self._kyoku]
        kyoku = built if deals is None else [replace(each, deal=deal) for each, deal in zip(built, deals, strict=True)]
        first = kyoku[0].events[0]
        assert isinstance(first, KyokuStarted)
        from_start = (first.bakaze, first.dealer, first.honba, first.kyotaku) == (0, 0, 0, 0)
        return RecordedGame(
            names=self._names or ("",) * len(first.points),
            ruleset=self._ruleset if self._stated else _with_start(self._ruleset, kyoku),
            kyoku=tuple(kyoku),
            ended=self._ended,
            from_start=from_start,
            own_counting=own_counting,
            rules_stated=self._stated,
        )


def _as_text(name: str) -> str:
    """Return a name that every format can write: with ``?`` for half of a surrogate pair, which JSON can contain."""
    return name.encode(errors="replace").decode()


def _is_tenpai(hand: Sequence[Face]) -> bool:
    """Return whether a hand is tenpai; False if no player can have it, which a replay finds."""
    counts = [0] * KINDS
    for face in hand:
        counts[KIND_OF[face]] += 1
    is_hand = len(hand) % 3 == 1 and len(hand) <= DEALT_TILES and max(counts) <= COPIES
    return is_hand and bool(waits(counts))


def _with_start(assumed: Ruleset, kyoku: Sequence[RecordedKyoku]) -> Ruleset:
    """Return assumed rules with the points of the first kyoku as starting points, if they are equal."""
    first = kyoku[0].events[0]
    assert isinstance(first, KyokuStarted)
    if len(first.points) == TENHOU3.seats:
        assumed = TENHOU3
    points = set(first.points)
    return replace(assumed, start_points=points.pop()) if len(points) == 1 else assumed
