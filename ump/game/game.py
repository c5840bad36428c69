"""A whole game as a pure state machine: a sequence of kyoku."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ump.game.deals import Deal, Deals, Round
from ump.game.ending import KyokuResult
from ump.game.kyoku import Kyoku
from ump.model.actions import Action
from ump.model.claims import IllegalAction, Reason
from ump.model.events import Event, GameEnded, GameStarted, HandWon, KyokuEnded
from ump.model.seats import Seat
from ump.model.value import value
from ump.rules.placement import chips_of, final_points, placement
from ump.rules.questions import Question
from ump.rules.ruleset import ExtraRound, Length, Ruleset
from ump.rules.wall import Wall

LAST_WIND = {Length.KYOKU: 0, Length.TONPU: 0, Length.HANCHAN: 1}
"""The last wind of each length of game, 0 east."""


@value
class GameState:
    """The state of a game between two kyoku."""

    points: tuple[int, ...]
    """The scores by seat."""
    bakaze: int = 0
    """The wind of the next kyoku, 0 east."""
    dealer: Seat = 0
    """The dealer of the next kyoku."""
    honba: int = 0
    kyotaku: int = 0
    """The number of riichi sticks on the table."""
    number: int = 0
    """The number of kyoku that have been dealt."""
    deal: int = 0
    """The number of times that the next round has been dealt: a foul may have it dealt again."""
    chips: tuple[int, ...] = ()
    """The chips by seat, if the rules have any."""


class Game:
    """A game: one kyoku, an east-only game or a hanchan.

    ``begin`` it once. Then, until it is ``over``, either it is ``between_kyoku`` and ``proceed`` starts the next kyoku
    or ends the game, or ``questions`` are open and ``answer`` takes an answer to one of them. Each of these returns the
    events that follow, with all hidden tiles; ``ump.table.view`` hides from a seat what it may not see.
    """

    __slots__ = (
        "_ask_all",
        "_bakaze",
        "_chips",
        "_deal",
        "_dealer",
        "_ending",
        "_honba",
        "_kyotaku",
        "_number",
        "between_kyoku",
        "deal",
        "deals",
        "ended",
        "kyoku",
        "names",
        "opening",
        "over",
        "points",
        "questions",
        "round",
        "ruleset",
    )

    def __init__(
        self,
        ruleset: Ruleset,
        names: Sequence[str],
        deals: Deals,
        *,
        ask_all: bool = False,
        standing: GameState | None = None,
    ) -> None:
        """Set up a game.

        ``names`` are by seat; seat 0 deals first. ``deals`` returns the wall and dice of each kyoku, for example
        ``seeded_deals`` from a seed. ``ask_all`` is described at ``Kyoku``. ``standing`` is the state in which to start
        a game that has begun elsewhere; without it, the game starts with east 1. Raises ValueError unless there is one
        name for each seat.
        """
        if len(names) != ruleset.seats:
            raise ValueError(f"expected {ruleset.seats} names, got {len(names)}")
        standing = standing or GameState((ruleset.start_points,) * ruleset.seats)
        self.ruleset = ruleset
        self.names = tuple(names)
        self.points = standing.points
        """The scores after the last kyoku, by seat; at the end of the game the final scores."""
        self.between_kyoku = False
        """Whether ``proceed`` is next: after ``begin``, and after each kyoku."""
        self.over = False
        """Whether the game has ended."""
        self.ended: GameEnded | None = None
        """The event with which it has ended."""
        self.kyoku: Kyoku | None = None
        """The current or last kyoku; None before the first one."""
        self.questions: dict[Seat, Question] = {}
        """The open questions by seat: those of the current kyoku."""
        self.round: Round | None = None
        """The place of the current or last kyoku in the game."""
        self.deal: Deal | None = None
        """Its wall and dice."""
        self.deals = deals
        """The function that returns the wall of each kyoku."""
        self._ask_all = ask_all
        self._number = standing.number
        self._deal = standing.deal
        self._bakaze = standing.bakaze
        self._dealer = standing.dealer
        self._honba = standing.honba
        self._kyotaku = standing.kyotaku
        self._chips = standing.chips
        self._ending = False
        self.opening = standing
        """The state in which the current or last kyoku began."""

    def clone(self) -> Game:
        """Return an independent copy, with all hidden tiles. Both take the walls to come from the same function."""
        twin = Game(self.ruleset, self.names, self.deals, ask_all=self._ask_all)
        twin.points, twin.between_kyoku, twin.over, twin.ended = self.points, self.between_kyoku, self.over, self.ended
        if self.kyoku is not None:
            twin.kyoku = self.kyoku.clone()
            twin.questions = twin.kyoku.questions
        twin.round, twin.deal = self.round, self.deal
        twin._number, twin._deal, twin._bakaze, twin._dealer = self._number, self._deal, self._bakaze, self._dealer
        twin._honba, twin._kyotaku, twin._chips = self._honba, self._kyotaku, self._chips
        twin._ending, twin.opening = self._ending, self.opening
        return twin

    def dealt_anew(self, deal: Deal, following: Deals) -> Game:
        """Return a game that goes on with the current kyoku from its first draw on, but with another wall.

        ``following`` returns the walls of the kyoku after it. The game has begun, and ``proceed`` deals.
        """
        opening = self.opening
        deals: Deals = partial(_deal_of_one, opening.number, deal, following)
        game = Game(self.ruleset, self.names, deals, ask_all=self._ask_all, standing=opening)
        game.begin()
        return game

    @property
    def standing(self) -> GameState:
        """The state between two kyoku, from which a new game can go on; only while ``between_kyoku``."""
        place = (self._bakaze, self._dealer, self._honba, self._kyotaku, self._number, self._deal)
        return GameState(self.points, *place, self._chips)

    @property
    def is_decided(self) -> bool:
        """Whether the last kyoku has been played: ``proceed`` ends the game."""
        return self.between_kyoku and self._ending

    def begin(self) -> list[Event]:
        """Start the game and return its first event."""
        self.between_kyoku = True
        return [GameStarted(self.names)]

    def answer(self, seat: Seat, action: Action) -> list[Event]:
        """Take a seat's answer to its open question and return what happens.

        Raises IllegalAction, and changes nothing, if the seat has no open question or the action is not legal.
        """
        if self.kyoku is None:
            raise IllegalAction(Reason.NOT_ASKED)
        events = self.kyoku.answer(seat, action)
        if self.kyoku.result is not None:
            self._finish(self.kyoku.result, events)
        return events

    def take(self, seat: Seat, action: Action) -> list[Event]:
        """Carry out an answer that is known to be legal, such as one of ``Question.legal``; return what happens."""
        assert self.kyoku is not None
        events = self.kyoku.take(seat, action)
        if self.kyoku.result is not None:
            self._finish(self.kyoku.result, events)
        return events

    def _finish(self, result: KyokuResult, events: Sequence[Event]) -> None:
        """Take over the result of a kyoku that has been played to its end, with these last events."""
        self._earn_chips([event for event in events if isinstance(event, HandWon)])
        self._close(result)

    def chombo(self, seat: Seat) -> list[Event]:
        """End the kyoku with a foul of this seat, which pays for it, and return what happens.

        Raises ValueError unless a kyoku is being played.
        """
        if self.kyoku is None:
            raise ValueError("no kyoku is being played")
        events = self.kyoku.chombo(seat)
        assert self.kyoku.result is not None
        self._close(self.kyoku.result)
        return events

    def proceed(self) -> list[Event]:
        """Start the next kyoku or end the game, and return what happens; raises ValueError unless ``between_kyoku``."""
        if not self.between_kyoku:
            raise ValueError("the game is not between two kyoku")
        self.between_kyoku = False
        events: list[Event] = [] if self.kyoku is None else [KyokuEnded()]
        events += self._end() if self._ending else self._start()
        return events

    def _start(self) -> list[Event]:
        self.opening = self.standing
        self.round = Round(self._bakaze, self._dealer, self._honba, self._deal, self._number)
        self._number += 1
        self._deal += 1
        self.deal = deal = self.deals(self.round)
        self.kyoku = Kyoku(
            self.ruleset,
            Wall(deal.tiles, self.ruleset.red_fives, self.ruleset.seats),
            bakaze=self._bakaze,
            dealer=self._dealer,
            honba=self._honba,
            kyotaku=self._kyotaku,
            points=self.points,
            dice=deal.dice,
            ask_all=self._ask_all,
        )
        self.questions = self.kyoku.questions
        return self.kyoku.begin()

    def _end(self) -> list[Event]:
        self.over = True
        places, results = placement(self.ruleset, self.points, self._kyotaku, self._chips)
        self.points = final_points(self.ruleset, self.points, self._kyotaku)
        self.ended = GameEnded(self.points, places, results)
        return [self.ended]

    def _earn_chips(self, wins: Sequence[HandWon]) -> None:
        if self.ruleset.chips:
            before = self._chips or (0,) * self.ruleset.seats
            self._chips = tuple(map(sum, zip(before, chips_of(self.ruleset, wins), strict=True)))

    def _close(self, result: KyokuResult) -> None:
        """Take over the result of a kyoku: the scores, the next dealer and honba, and whether the game ends."""
        self.between_kyoku = True
        after, self._ending = succession(self.ruleset, self.standing, result)
        self.points, self._kyotaku = after.points, after.kyotaku
        self._bakaze, self._dealer, self._honba, self._deal = after.bakaze, after.dealer, after.honba, after.deal


def _deal_of_one(number: int, deal: Deal, others: Deals, at: Round) -> Deal:
    """Return a deal for the kyoku with this number, and ``others`` for all; no closure, so that it can be pickled."""
    return deal if at.number == number else others(at)


def succession(ruleset: Ruleset, standing: GameState, result: KyokuResult) -> tuple[GameState, bool]:
    """Return the standing after a kyoku that began at ``standing``, and whether the game ends there.

    ``standing.deal`` counts that kyoku already; it starts again at 0 if another round follows.
    """
    dealer, bakaze = standing.dealer, standing.bakaze
    if not result.renchan:
        dealer = (dealer + 1) % ruleset.seats
        bakaze += 1 if dealer == 0 else 0
    honba = standing.honba + 1 if result.renchan or not result.winners else 0
    is_same = (bakaze, dealer, honba) == (standing.bakaze, standing.dealer, standing.honba)
    deal = standing.deal if is_same else 0
    after = GameState(result.points, bakaze, dealer, honba, result.kyotaku, standing.number, deal)
    return after, _ends_after(ruleset, standing, result)


def _ends_after(ruleset: Ruleset, standing: GameState, result: KyokuResult) -> bool:
    """Tell whether the game ends after the kyoku that began at this standing."""
    if ruleset.length is Length.KYOKU or (ruleset.tobi and min(result.points) < 0):
        return True
    last_wind = LAST_WIND[ruleset.length]
    extra = standing.bakaze > last_wind
    last = standing.bakaze >= last_wind and standing.dealer == ruleset.seats - 1
    reached = max(result.points) >= ruleset.target
    if result.renchan:
        sudden = extra and reached and ruleset.extra_round is ExtraRound.SUDDEN_DEATH
        return sudden or ((last or extra) and _may_stop(ruleset, standing.dealer, result))
    if last:
        return extra or reached or ruleset.extra_round is ExtraRound.NONE
    return extra and reached


def _may_stop(ruleset: Ruleset, dealer: Seat, result: KyokuResult) -> bool:
    """Tell whether agari yame or tenpai yame ends the game: the dealer stays on, is first and has the target."""
    points = result.points
    stops = ruleset.agari_yame if result.winners else ruleset.tenpai_yame
    ahead = all(
        points[dealer] > other or (points[dealer] == other and dealer < seat)
        for seat, other in enumerate(points)
        if seat != dealer
    )
    return stops and not result.aborted and ahead and points[dealer] >= ruleset.target
