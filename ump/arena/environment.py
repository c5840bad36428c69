"""A game in process, step by step: an environment that asks seats and takes their actions.

No server, network or clock is involved, and nothing is random but the walls. They follow from a seed, which is given
or drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import get_args

from ump.arena.redeal import redealt
from ump.game.deals import Deals, seeded_deals
from ump.game.game import Game, GameState
from ump.model.actions import Action
from ump.model.claims import IllegalAction
from ump.model.events import Event, GameEnded
from ump.model.game_result import GameResult
from ump.model.seats import Seat
from ump.players.observation import Observation
from ump.record.replay import describe
from ump.rules.options import read_ruleset
from ump.rules.questions import Question
from ump.rules.ruleset import Ruleset
from ump.table.view import view

ACTION_TYPES = frozenset(get_args(Action))
"""The classes of all actions."""


class SeedSequence:
    """The seeds of one game after another: a given or drawn one, and those that follow from it (7, 7/1, 7/2)."""

    def __init__(self) -> None:
        self._first: str | None = None
        self._following = 0
        """The number of games after the one with that seed."""

    def clone(self) -> SeedSequence:
        """Return an independent copy."""
        twin = SeedSequence()
        twin._first, twin._following = self._first, self._following
        return twin

    def next(self, given: str | int | None = None) -> str:
        """Return the given seed or the one that follows the last one; the first one is random unless it is given."""
        if given is None and self._first is not None:
            self._following += 1
            return f"{self._first}/{self._following}"
        self._first, self._following = str(Random().getrandbits(64) if given is None else given), 0
        return self._first


class Environment:
    """One game after another, step by step, for programs that choose the actions of all seats.

    ``reset`` begins a game. Until the game is ``over``, at least one seat is ``asked`` a question: ``legal_actions``
    lists what it may answer, ``observation`` holds what it knows, ``step`` takes its answer. The next kyoku begins by
    itself.

    Several seats may be asked about one tile. They answer in any order, and none sees what another one chose. As soon
    as no missing answer can change the outcome, the game goes on and the remaining questions disappear: read ``asked``
    after each step.

    The same seed and the same actions give the same game. An environment can be copied (``copy.deepcopy``) and, unless
    its walls come from a function that cannot, pickled.
    """

    def __init__(
        self, rules: Ruleset | str = "ump", *, names: Sequence[str] | None = None, ask_all: bool = False
    ) -> None:
        """Prepare games by these rules: a ruleset, or the name of a preset.

        ``names`` are the players' names by seat. With ``ask_all`` all other seats are asked about each discard and
        added kan, also those that can only pass, and every answer is awaited. Raises RulesetError for an unknown
        preset.
        """
        self.ruleset = read_ruleset(rules) if isinstance(rules, str) else rules
        self.names = tuple(names or (f"player-{seat + 1}" for seat in range(self.ruleset.seats)))
        self.events: list[Event] = []
        """Everything that has happened since ``reset``. Hidden tiles are included: show a policy its observation."""
        self.result: GameResult | None = None
        """None while the game goes on."""
        self.seed: str | None = None
        """The seed of the walls; None for walls of your own. A game of a server with this seed has the same walls."""
        self._seeds = SeedSequence()
        self._ask_all = ask_all
        self._game: Game | None = None
        self._observations: dict[Seat, Observation] = {}
        """Those that were asked for."""
        self._observed: list[int] = []
        """The number of ``events`` that each observation has seen."""

    def clone(self) -> Environment:
        """Return an independent copy in the same position, with the real wall, which a fair player must not know."""
        twin = Environment(self.ruleset, names=self.names, ask_all=self._ask_all)
        twin.events, twin.result, twin.seed = self.events[:], self.result, self.seed
        twin._seeds = self._seeds.clone()
        twin._game = None if self._game is None else self._game.clone()
        twin._observations = {seat: seen.copy() for seat, seen in self._observations.items()}
        twin._observed = self._observed[:]
        return twin

    def redeal(self, seat: Seat, chance: Random) -> Environment:
        """Return a copy in which all tiles that a seat cannot see are dealt anew, in agreement with all it knows.

        ``ump.arena.redeal`` says how. The seat is asked first in the copy; what others have answered to their open
        questions is forgotten. Raises ValueError if the seat is not asked.
        """
        found = redealt(self.game, self.events, seat, chance)
        began = len(self.events) - len(found.events)
        twin = Environment(self.ruleset, names=self.names, ask_all=self._ask_all)
        twin.events = [*self.events[:began], *found.events]
        twin._seeds, twin._game = self._seeds.clone(), found.game
        twin._observed = [began] * self.ruleset.seats
        return twin

    def reset(
        self, seed: str | int | None = None, *, deals: Deals | None = None, standing: GameState | None = None
    ) -> list[Event]:
        """Begin a new game and return its first events, hidden tiles included.

        The walls follow from the ``seed``, or are ``deals`` of your own. Without both, the next game of the last seed
        begins: ``7/1`` and ``7/2`` follow the seed 7; the first seed is random then. ``standing`` begins the game at
        another kyoku or with other points. Raises ValueError if both are given, and if the number of names is wrong.
        """
        if seed is not None and deals is not None:
            raise ValueError("give a seed or deals, not both")
        self.seed = self._seeds.next(seed) if deals is None else None
        deals = deals or seeded_deals(str(self.seed), self.ruleset.seats)
        self._game = Game(self.ruleset, self.names, deals, ask_all=self._ask_all, standing=standing)
        self._observations = {}
        self._observed = [0] * self.ruleset.seats
        self.events, self.result = [], None
        return self._proceed(self._game.begin())

    def step(self, action: Action, seat: Seat | None = None) -> list[Event]:
        """Take an action of a seat, by default the first one that is asked; return what happens, hidden tiles included.

        Raises IllegalAction, and changes nothing, if the seat is not asked or the action is not legal; ValueError
        if no seat has a question; TypeError for anything but an action.
        """
        if type(action) not in ACTION_TYPES:
            raise TypeError(f"expected an action, such as Discard(0), got {action!r}")
        game = self.game
        if seat is None:
            seat = self.seat
        try:
            events = game.answer(seat, action)
        except IllegalAction as error:
            error.add_note(self._explained(seat, action))
            raise
        return self._proceed(events)

    @property
    def game(self) -> Game:
        """The game itself, which knows every hidden tile; raises ValueError before the first ``reset``."""
        if self._game is None:
            raise ValueError("no game has begun: call reset first")
        return self._game

    @property
    def over(self) -> bool:
        """Whether the game has ended; then ``result`` is set."""
        return self.result is not None

    @property
    def asked(self) -> tuple[Seat, ...]:
        """The seats that are asked now, in turn order from the last player on; empty when the game is over."""
        return tuple(self.game.questions)

    @property
    def seat(self) -> Seat:
        """The first of the seats that are asked; raises ValueError when the game is over."""
        for seat in self.game.questions:
            return seat
        raise ValueError("nobody is asked: the game is over")

    def question(self, seat: Seat | None = None) -> Question:
        """Return the open question of a seat, by default the first one; raises ValueError if the seat is not asked."""
        if seat is None:
            seat = self.seat
        question = self.game.questions.get(seat)
        if question is None:
            raise ValueError(f"seat {seat} is not asked; asked are {self.asked}")
        return question

    def legal_actions(self, seat: Seat | None = None) -> tuple[Action, ...]:
        """Return all actions that a seat may answer with; arguments and errors as in ``question``."""
        return self.question(seat).legal()

    def observation(self, seat: Seat | None = None) -> Observation:
        """Return what a seat knows, by default the first one that is asked.

        It holds nothing that the seat may not see. During a game all calls return the same object and bring it up to
        date: copy what you want to keep. Raises ValueError for a seat that does not exist.
        """
        if seat is None:
            seat = self.seat
        if seat not in range(len(self._observed)):
            raise ValueError(f"no seat {seat} in this game; call reset first, then give a seat from 0 on")
        observation = self._observations.get(seat)
        if observation is None:
            observation = self._observations[seat] = Observation(seat, self.ruleset)
        for event in self.events[self._observed[seat] :]:
            observation.see(view(event, seat))
        self._observed[seat] = len(self.events)
        return observation

    def _proceed(self, events: list[Event]) -> list[Event]:
        """Go on to the next question or to the end of the game; return the given events and those that follow."""
        game = self.game
        while game.between_kyoku:
            events += game.proceed()
        self.events += events
        if game.over and isinstance(events[-1], GameEnded):
            self.result = events[-1].result
        return events

    def _explained(self, seat: Seat, action: Action) -> str:
        """Return in words what is wrong with an action."""
        question = self.game.questions.get(seat)
        if question is None:
            return f"seat {seat} is not asked; asked are {self.asked}"
        legal = ", ".join(map(describe, question.legal()))
        return f"seat {seat} answered: {describe(action)}; legal are: {legal}"
