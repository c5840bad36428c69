"""Whole games in process between policies: one game, or many side by side.

Side by side, a policy that decides about many tables in one call, such as a neural network, gets the questions of all
of them at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Protocol, TypeAlias

from ump.arena.environment import Environment
from ump.game.deals import Deals
from ump.model.actions import Action
from ump.model.claims import IllegalAction
from ump.model.events import Event
from ump.model.game_result import GameResult
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.model.value import value
from ump.players.claimable import claimable
from ump.players.observation import Observation
from ump.players.policy import Policy, answer_method
from ump.rules.questions import Question
from ump.rules.ruleset import Ruleset
from ump.text.game_piece import game_piece


@value
class PlayedGame:
    """A game that has been played to its end."""

    names: tuple[str, ...]
    ruleset: Ruleset
    events: tuple[Event, ...]
    """Everything that happened, hidden tiles included."""
    result: GameResult

    def _repr_html_(self) -> str:
        """Show the game in a notebook: its kyoku with the winning hands, and the places."""
        return game_piece(f"rules {self.ruleset.name}", self.names, self.events, self.result)


@value
class TableQuestion:
    """A question to one seat of one table, with the arguments of ``Policy.choose``."""

    table: int
    """The number of the game, from 0."""
    seen: Observation
    """It follows the game: copy what you keep after the call."""
    phase: Phase
    tile: Face | None
    offers: tuple[Action, ...]


class BatchPolicy(Protocol):
    """Chooses the actions of many seats at many tables in one call."""

    def choose_all(self, questions: Sequence[TableQuestion]) -> Sequence[Action]:
        """Return an answer for each question, in order. One table has at most one question in it."""
        ...


def is_batched(policy: object) -> bool:
    """Tell whether a policy, or a class of policies, decides about many tables in one call."""
    return callable(getattr(policy, "choose_all", None))


class OneTable:
    """Lets a batched policy play at one table, as an ordinary policy."""

    def __init__(self, policy: BatchPolicy) -> None:
        self._policy = policy

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return what the batched policy chooses (see ``Policy.choose``)."""
        legal = tuple(claimable(seen, phase, tile)) if offers is None else offers
        (answer,) = self._policy.choose_all([TableQuestion(0, seen, phase, tile, legal)])
        return answer


class Player(ABC):
    """Sits at one seat of one game or more, and decides by itself."""

    @abstractmethod
    def answer(self, environment: Environment, question: Question) -> Action:
        """Return the answer to a question to this seat."""

    def refuse(self, question: Question, answer: Action) -> Action | None:
        """Take note that the last answer was not legal; return what to play instead, None to end the game."""
        return None


class PolicyBatch(ABC):
    """Decides for many players in one call."""

    @abstractmethod
    def answers(self, asked: Sequence[BatchQuestion]) -> Sequence[Action]:
        """Return an answer for each question, in order."""


class BatchedPlayer:
    """Sits at a seat, and leaves its decisions to a batch."""

    def __init__(self, batch: PolicyBatch) -> None:
        self.batch = batch


@value
class BatchQuestion:
    """A question that a batch has to answer."""

    player: BatchedPlayer
    question: TableQuestion
    default: Action
    """The action that the rules choose for a seat that does not answer."""


Seated: TypeAlias = Player | BatchedPlayer
"""A player that can have a seat."""


class OpenGame:
    """One of the games that are played side by side, with its players by seat."""

    def __init__(
        self, number: int, environment: Environment, players: Sequence[Seated], last: int | None = None
    ) -> None:
        """Take an environment whose game has begun; ``last`` is the last kyoku to play, by its number in the game."""
        self.number = number
        self.environment = environment
        self.players = players
        self._last = last

    @property
    def over(self) -> bool:
        """Whether the game has ended, or the last kyoku to play."""
        environment = self.environment
        if environment.result is not None:
            return True
        round_ = environment.game.round
        return self._last is not None and round_ is not None and round_.number > self._last

    def play_on(self) -> BatchedPlayer | None:
        """Let players answer until a batch has to decide for the returned player, or the game is over (None)."""
        environment = self.environment
        while not self.over:
            seat, question = next(iter(environment.game.questions.items()))
            player = self.players[seat]
            if isinstance(player, BatchedPlayer):
                return player
            answer = player.answer(environment, question)
            try:
                environment.step(answer, seat)
            except IllegalAction:
                instead = player.refuse(question, answer)
                if instead is None:
                    raise
                environment.step(instead, seat)
        return None

    def asked(self, player: BatchedPlayer) -> BatchQuestion:
        """Return the question to the first seat that is asked, which is this player's."""
        question = self.environment.question()
        seen = self.environment.observation(question.seat)
        shown = TableQuestion(self.number, seen, question.phase, question.tile, question.legal())
        return BatchQuestion(player, shown, question.default())

    def played(self) -> PlayedGame:
        """Return the game, which is over."""
        environment = self.environment
        if environment.result is None:
            raise ValueError("the game is not over")
        return PlayedGame(environment.names, environment.ruleset, tuple(environment.events), environment.result)


def play_side_by_side(games: Sequence[OpenGame]) -> None:
    """Play games to their end. In each round, every batch is asked once, about all games that wait for it."""
    running = list(games)
    while running:
        waiting: dict[PolicyBatch, list[tuple[OpenGame, BatchedPlayer]]] = {}
        for game in running:
            player = game.play_on()
            if player is not None:
                waiting.setdefault(player.batch, []).append((game, player))
        running = []
        for batch, places in waiting.items():
            answers = batch.answers([game.asked(player) for game, player in places])
            for (game, _), answer in zip(places, answers, strict=True):
                game.environment.step(answer)
                running.append(game)


class PolicyPlayer(Player):
    """A player whose policy is trusted: what it raises, and what is illegal, ends the game."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._answer = answer_method(policy)

    def answer(self, environment: Environment, question: Question) -> Action:
        """Return what the policy chooses."""
        if self._answer is not None:
            return self._answer(question)
        seen = environment.observation(question.seat)
        return self._policy.choose(seen, question.phase, question.tile, question.legal())


class TrustedBatch(PolicyBatch):
    """A batched policy that is trusted."""

    def __init__(self, policy: BatchPolicy) -> None:
        self._policy = policy

    def answers(self, asked: Sequence[BatchQuestion]) -> Sequence[Action]:
        """Return what the policy chooses."""
        return self._policy.choose_all([each.question for each in asked])


def play_game(
    policies: Sequence[Policy],
    rules: Ruleset | str = "ump",
    *,
    seed: str | int | None = None,
    deals: Deals | None = None,
    names: Sequence[str] | None = None,
) -> PlayedGame:
    """Play one game between policies, one for each seat, and return it.

    Each policy decides from what its own seat may see. The walls follow from a ``seed`` or from ``deals``; without
    both they are random (see ``Environment.reset``). Raises IllegalAction if a policy answers what is not legal,
    ValueError for a wrong number of policies.
    """
    environment = Environment(rules, names=names)
    _check_number(policies, environment)
    environment.reset(seed, deals=deals)
    game = OpenGame(0, environment, list(map(PolicyPlayer, policies)))
    game.play_on()
    return game.played()


def play_games(
    policies: Sequence[Policy | BatchPolicy], rules: Ruleset | str = "ump", *, seeds: Sequence[str | int]
) -> list[PlayedGame]:
    """Play a game for each seed side by side, between policies, one for each seat; return the games in order.

    A policy with ``choose_all`` is asked once in each round, about all tables and seats where it has to answer. The
    games are those of ``play_game`` with the same seeds, as long as the policies answer by the question alone. Raises
    IllegalAction if a policy answers what is not legal, ValueError for a wrong number of policies or answers.
    """
    players = _players(policies)
    games = []
    for number, seed in enumerate(seeds):
        environment = Environment(rules)
        _check_number(policies, environment)
        environment.reset(seed)
        games.append(OpenGame(number, environment, players))
    play_side_by_side(games)
    return [game.played() for game in games]


def rollout(
    position: Environment,
    policies: Policy | BatchPolicy | Sequence[Policy | BatchPolicy],
    n: int,
    *,
    chance: Random,
    first: Action | None = None,
    whole_game: bool = False,
) -> list[tuple[int, ...]]:
    """Play a position on ``n`` times, and return the points by seat at the end of each kyoku.

    Each time the tiles that the first asked seat cannot see are dealt anew (``Environment.redeal``). An equal
    ``chance`` deals the same tiles, so that the ``first`` actions of that seat can be compared. ``policies`` are one
    for all seats, or one for each. ``whole_game`` goes on to the final points. Raises ValueError if the game is over or
    for a wrong number of policies, IllegalAction if an answer is not legal.
    """
    given = policies if isinstance(policies, Sequence) else [policies] * position.ruleset.seats
    _check_number(given, position)
    seat, players = position.seat, _players(given)
    round_ = position.game.round
    assert round_ is not None
    games = []
    for number in range(n):
        environment = position.redeal(seat, chance)
        if first is not None:
            environment.step(first, seat)
        games.append(OpenGame(number, environment, players, None if whole_game else round_.number))
    play_side_by_side(games)
    return [game.environment.game.points for game in games]


def _players(policies: Sequence[Policy | BatchPolicy]) -> list[Seated]:
    """Return the players of policies; a batched policy that has several seats is one batch."""
    batches: dict[int, TrustedBatch] = {}
    players: list[Seated] = []
    for policy in policies:
        if is_batched(policy):
            batch = batches.setdefault(id(policy), TrustedBatch(policy))  # type: ignore[arg-type]
            players.append(BatchedPlayer(batch))
        else:
            players.append(PolicyPlayer(policy))  # type: ignore[arg-type]
    return players


def _check_number(policies: Sequence[object], environment: Environment) -> None:
    if len(policies) != environment.ruleset.seats:
        raise ValueError(f"{environment.ruleset.seats} policies are needed, not {len(policies)}")
