"""A whole game as a pure state machine: kyoku after kyoku, until it is over."""

from __future__ import annotations

from collections.abc import Sequence

from ump.game.deals import Deals
from ump.game.ending import KyokuResult
from ump.game.kyoku import Kyoku
from ump.model.actions import Action
from ump.model.claims import IllegalAction, Reason
from ump.model.events import Event, GameEnded, GameStarted, KyokuEnded
from ump.model.seats import Seat
from ump.model.value import value
from ump.rules.placement import final_points, placement
from ump.rules.questions import Question
from ump.rules.ruleset import ExtraRound, Length, Ruleset
from ump.rules.wall import Wall

LAST_WIND = {Length.KYOKU: 0, Length.TONPU: 0, Length.HANCHAN: 1}
"""The wind (0 east) in whose last kyoku a game of each length ends."""


@value
class Standing:
    """Where a game stands between two kyoku."""

    points: tuple[int, ...]
    bakaze: int = 0
    """The wind of the next kyoku, 0 east."""
    dealer: Seat = 0
    honba: int = 0
    kyotaku: int = 0
    """Riichi sticks on the table."""


class Game:
    """An east-only game, a hanchan, or one kyoku."""

    def __init__(
        self,
        ruleset: Ruleset,
        names: Sequence[str],
        deals: Deals,
        *,
        ask_all: bool = False,
        standing: Standing | None = None,
    ) -> None:
        """Set the game up; ``names`` are by seat, the first dealer first. ``ask_all``: see ``Kyoku``.

        ``standing`` is where a game goes on that has begun elsewhere; without it, it begins with east 1.
        """
        if len(names) != ruleset.seats:
            raise ValueError(f"{ruleset.seats} names are needed, not {len(names)}")
        standing = standing or Standing((ruleset.start_points,) * ruleset.seats)
        self.ruleset = ruleset
        self.names = tuple(names)
        self.points = standing.points
        """Scores at the end of the last kyoku."""
        self.between_kyoku = False
        """Whether ``proceed`` is due: at the start, and after each kyoku."""
        self.over = False
        self.kyoku: Kyoku | None = None
        """The kyoku that is played, or was played last."""
        self._deals = deals
        self._ask_all = ask_all
        self._number = 0
        self._bakaze = standing.bakaze
        self._dealer = standing.dealer
        self._honba = standing.honba
        self._kyotaku = standing.kyotaku
        self._ending = False

    @property
    def questions(self) -> dict[Seat, Question]:
        """The open questions."""
        return {} if self.kyoku is None else self.kyoku.questions

    def begin(self) -> list[Event]:
        """Introduce the players."""
        self.between_kyoku = True
        return [GameStarted(self.names)]

    def answer(self, seat: Seat, action: Action) -> list[Event]:
        """Take an answer; raises IllegalAction, and changes nothing, if it is not asked for or not legal."""
        if self.kyoku is None:
            raise IllegalAction(Reason.NOT_ASKED)
        events = self.kyoku.answer(seat, action)
        if self.kyoku.result is not None:
            self._close(self.kyoku.result)
        return events

    def chombo(self, seat: Seat) -> list[Event]:
        """End the kyoku with a foul of this seat, which pays for it; raises ValueError unless one is played."""
        if self.kyoku is None:
            raise ValueError("no kyoku has begun")
        events = self.kyoku.chombo(seat)
        assert self.kyoku.result is not None
        self._close(self.kyoku.result)
        return events

    def proceed(self) -> list[Event]:
        """Put the last kyoku away and start the next, or end the game. Only when ``between_kyoku``."""
        if not self.between_kyoku:
            raise ValueError("the game is not between two kyoku")
        self.between_kyoku = False
        events: list[Event] = [] if self.kyoku is None else [KyokuEnded()]
        events += self._end() if self._ending else self._start()
        return events

    def _start(self) -> list[Event]:
        deal = self._deals(self._number)
        self._number += 1
        self.kyoku = Kyoku(
            self.ruleset,
            Wall(deal.tiles, self.ruleset.red_fives),
            bakaze=self._bakaze,
            dealer=self._dealer,
            honba=self._honba,
            kyotaku=self._kyotaku,
            points=self.points,
            dice=deal.dice,
            ask_all=self._ask_all,
        )
        return self.kyoku.begin()

    def _end(self) -> list[Event]:
        self.over = True
        places, results = placement(self.ruleset, self.points, self._kyotaku)
        self.points = final_points(self.ruleset, self.points, self._kyotaku)
        return [GameEnded(self.points, places, results)]

    def _close(self, result: KyokuResult) -> None:
        """Take a kyoku's result over: who deals next, with how many honba, or that the game ends."""
        self.between_kyoku = True
        self.points = result.points
        self._kyotaku = result.kyotaku
        self._ending = self._ends_after(result)
        self._honba = self._honba + 1 if result.renchan or not result.winners else 0
        if not result.renchan:
            self._dealer = (self._dealer + 1) % self.ruleset.seats
            if self._dealer == 0:
                self._bakaze += 1

    def _ends_after(self, result: KyokuResult) -> bool:
        """Tell whether the game is over with this kyoku."""
        ruleset = self.ruleset
        if ruleset.length is Length.KYOKU or (ruleset.tobi and min(result.points) < 0):
            return True
        last_wind = LAST_WIND[ruleset.length]
        extra = self._bakaze > last_wind
        last = self._bakaze >= last_wind and self._dealer == ruleset.seats - 1
        reached = max(result.points) >= ruleset.target
        if result.renchan:
            sudden = extra and reached and ruleset.extra_round is ExtraRound.SUDDEN_DEATH
            return sudden or ((last or extra) and self._may_stop(result))
        if last:
            return extra or reached or ruleset.extra_round is ExtraRound.NONE
        return extra and reached

    def _may_stop(self, result: KyokuResult) -> bool:
        """Tell whether a dealer who stays on is first with the target, and the ruleset lets the game end with that."""
        points = result.points
        stops = self.ruleset.agari_yame if result.winners else self.ruleset.tenpai_yame
        ahead = all(
            points[self._dealer] > other or (points[self._dealer] == other and self._dealer < seat)
            for seat, other in enumerate(points)
            if seat != self._dealer
        )
        return stops and not result.aborted and ahead and points[self._dealer] >= self.ruleset.target
