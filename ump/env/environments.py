"""Environments of PettingZoo (``MahjongEnv``) and of Gymnasium (``SoloEnv``). They need the extra ``rl``.

docs/learning.md explains observations, action ids, rewards, seeds and opponents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from random import Random
from typing import Any, ClassVar, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from ump.env.action_ids import ACTIONS
from ump.env.episode import OVER, Episode, Start, task
from ump.env.extras import ORACLE_ROWS, ExtraArray, arrays_of
from ump.env.opponents import Opponent, Opponents
from ump.env.rows import MOST, ROWS, SHAPE
from ump.game.game import GameState
from ump.model.seats import Seat
from ump.model.tiles import KINDS
from ump.rules.ruleset import Ruleset

Observed: TypeAlias = dict[str, NDArray[Any]]
"""``observation``, uint8 of the shape ``SHAPE``, ``action_mask``, int8 with a number for each action id, and extras."""

START = "start"
"""The key of ``options`` of ``reset``: a ``GameState`` or ``Start``, at which the episode begins."""

_UINT8, _INT8 = np.dtype(np.uint8), np.dtype(np.int8)  # types of arrays are quicker than those of numbers

SEAT = "seat"
"""The key of ``options`` of ``SoloEnv.reset``: the seat of the learner."""


class MahjongEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no annotations
    """Riichi mahjong for three or four agents, ``player_0`` to ``player_3``; ``player_0`` is the first dealer.

    Several agents may be asked about one tile. They act in turn order, and nobody sees what the others chose before the
    last of them has chosen. ``infos`` hold the seed of the walls. ``clone`` copies it, ``pickle`` too.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "ump_riichi_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: Ruleset | str = "tenhou",
        *,
        opponents: Opponent | Sequence[Opponent] = (),
        episode: str = "game",
        reward: str = "points",
        place_points: Sequence[float] | None = None,
        extras: Sequence[str] = (),
        render_mode: str | None = None,
    ) -> None:
        """Prepare episodes.

        ``rules`` are a ruleset or the name of a preset. ``opponents`` play the last seats, so that there are fewer
        agents. ``episode`` is ``game`` or ``kyoku``. ``reward`` is ``points``, at the end of each kyoku, or
        ``placement``, at the end of the episode: ``place_points``, by default the uma of the rules. ``extras`` are
        groups of arrays in each observation (``ump.env.extras``). Raises RulesetError for unknown rules, ValueError for
        other wrong arguments.
        """
        super().__init__()
        self.render_mode = _checked_mode(render_mode)
        self.episode = Episode(task(rules, episode=episode, reward=reward, place_points=place_points))
        """The game in it, for ``Batch.reset``."""
        self._opponents = Opponents(opponents, self.episode.seats)
        self.possible_agents = [f"player_{seat}" for seat in range(self._opponents.learners)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]
        self._extras, self._arrays = tuple(extras), arrays_of(extras)
        self.observation_spaces = {agent: _observation_space(self._arrays) for agent in self.possible_agents}
        self.state_space = spaces.Box(0, MOST, (len(ROWS) + len(ORACLE_ROWS), KINDS), np.uint8)
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}

    def clone(self) -> MahjongEnv:
        """Return an independent copy in the same position, for search. The copies share spaces and opponents."""
        twin = copy(self)
        twin.episode, twin.agents = self.episode.clone(), self.agents[:]
        if "rewards" in vars(self):  # from the first reset on
            twin.rewards, twin._cumulative_rewards = self.rewards.copy(), self._cumulative_rewards.copy()
            twin.terminations, twin.truncations = self.terminations.copy(), self.truncations.copy()
            twin.infos = {agent: info.copy() for agent, info in self.infos.items()}
        return twin

    def redeal(self, agent: str, chance: Random) -> MahjongEnv:
        """Return a copy in which all tiles are dealt anew that the agent cannot see, which has to act.

        They agree with all that it knows; ``ump.arena.redeal`` says how. Raises ValueError if it has not to act.
        """
        twin = self.clone()
        twin.episode = self.episode.redeal(self._seats[agent], chance)
        twin.agent_selection = agent
        twin.infos = {each: info | {"seed": twin.episode.seed} for each, info in self.infos.items()}
        return twin

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations, the same for all."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions: the action ids."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode.

        The same ``seed`` gives the same walls in this and all following episodes. Without one, the next episode of the
        last seed begins; the first one has a random seed. ``options`` may hold a ``start`` at which to begin: an
        ``ump.GameState``, or the ``Start`` that ``recorded_start`` finds in a record; others are ignored.
        """
        _begin(self.episode, self._opponents, 0, seed, (options or {}).get(START))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._has_rewards = False
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"seed": self.episode.seed} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.episode.seat]

    def observe(self, agent: str) -> Observed:
        """Return what an agent sees, and a mask of its legal actions; it is empty unless the agent has to act."""
        seat = self._seats[agent]
        seen = {
            "observation": np.ndarray(SHAPE, _UINT8, self.episode.rows(seat)),
            "action_mask": np.ndarray(ACTIONS, _INT8, self.episode.mask(seat)),
        }
        return seen | _extra_arrays(self.episode, seat, self._extras) if self._extras else seen

    def state(self) -> NDArray[np.uint8]:
        """Return what the agent sees that has to act, and below it the rows of ``oracle``, which hold hidden tiles."""
        seat = self._seats[self.agent_selection]
        (hidden,) = self.episode.extras(seat, ("oracle",))
        return np.frombuffer(bytes(self.episode.rows(seat)) + hidden, _UINT8).reshape(-1, KINDS)

    def step(self, action: int | None) -> None:
        """Take the action of the agent that has to act, ``agent_selection``; None for one whose episode has ended.

        Raises ValueError, and changes nothing, if the action is not legal, or if no agent is left: call ``reset``.
        """
        if not self.agents:
            raise ValueError(OVER)
        agent, episode = self.agent_selection, self.episode
        if episode.question is None:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} has to act: None is no action")
        episode.step(int(action))
        if self._opponents.are_there:
            self._opponents.play((episode,))
        self._cumulative_rewards[agent] = 0.0
        if episode.earned is not None:
            self.rewards = dict(zip(self.agents, episode.earned, strict=False))  # opponents have the last seats
            self._accumulate_rewards()
            self._has_rewards, episode.earned = True, None
        elif self._has_rewards:
            self._clear_rewards()
            self._has_rewards = False
        if episode.question is not None:
            self.agent_selection = self.possible_agents[episode.question.seat]
        else:
            self.terminations = dict.fromkeys(self.agents, True)

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:  # leaner than PettingZoo's, and the same
        """Yield the agent that has to act, until no agent is left."""
        while self.agents and max_iter > 0:
            max_iter -= 1
            yield self.agent_selection

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, rewards, termination, truncation and infos of the agent that has to act (PettingZoo)."""
        if not self.agents:
            raise ValueError(OVER)
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def render(self) -> str | None:
        """Return the table as the agent sees it that has to act, as text; None unless the render mode is ``ansi``."""
        return None if self.render_mode is None else self.episode.board(self._seats[self.agent_selection])

    def close(self) -> None:
        """Release nothing: an environment holds memory alone."""


class SoloEnv(gymnasium.Env[NDArray[np.uint8], np.int64]):
    """Riichi mahjong for one learner among opponents: ``ump/Mahjong-v0``.

    An observation is uint8 of the shape ``SHAPE``; the mask of the legal actions is ``info["action_mask"]``, int8, and
    ``action_masks()``, as Stable-Baselines3's MaskablePPO asks for it. The reward is what the learner's seat has earned
    since its last action. ``clone`` copies it in the middle of a game, ``pickle`` too.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 - as in Gymnasium

    def __init__(
        self,
        rules: Ruleset | str = "tenhou",
        *,
        opponents: Opponent | Sequence[Opponent] = "efficiency",
        seat: Seat | None = None,
        episode: str = "game",
        reward: str = "points",
        place_points: Sequence[float] | None = None,
        illegal: str = "raise",
        extras: Sequence[str] = (),
        render_mode: str | None = None,
    ) -> None:
        """Prepare episodes; the arguments and errors are those of ``MahjongEnv``, but that ``info`` has the ``extras``.

        ``opponents`` are one policy for all other seats, or one for each of them, in turn order after the learner.
        ``seat`` is the learner's; None draws it for each episode. ``illegal``: an illegal action raises ValueError
        (``raise``), or ends the episode without a reward (``end``), for programs that sample without the mask.
        """
        self.render_mode = _checked_mode(render_mode)
        if illegal not in ("raise", "end"):
            raise ValueError(f"illegal must be 'raise' or 'end', not {illegal!r}")
        self._ends_if_illegal = illegal == "end"
        self._extras = tuple(extras)
        arrays_of(extras)  # raises an error
        self.episode = Episode(task(rules, episode=episode, reward=reward, place_points=place_points))
        """The game in it, for ``Batch.reset``."""
        self._opponents = Opponents(opponents, self.episode.seats)
        if self._opponents.learners != 1:
            expected = self.episode.seats - 1
            raise ValueError(f"opponents: expected {expected}, got {self.episode.seats - self._opponents.learners}")
        self._given_seat = None if seat is None else self._checked(seat)
        self._seat: Seat = seat or 0
        self._is_over = True
        self._chance: Mapping[str, Any] | None = None
        """The state of the generator that a clone takes over, once it needs one."""
        self.observation_space = _observation_space(())["observation"]
        self.action_space = spaces.Discrete(ACTIONS)

    def clone(self) -> SoloEnv:
        """Return an independent copy in the same position, for search. The copies share spaces and opponents."""
        twin = copy(self)
        twin.episode = self.episode.clone()
        if self._np_random is not None:
            twin._chance, twin._np_random = self._np_random.bit_generator.state, None
        return twin

    def redeal(self, chance: Random) -> SoloEnv:
        """Return a copy in which all tiles that the learner cannot see are dealt anew; see ``MahjongEnv.redeal``."""
        twin = self.clone()
        twin.episode = self.episode.redeal(self._seat, chance)
        return twin

    @property
    def np_random(self) -> np.random.Generator:
        """The generator that draws the learner's seat."""
        if self._np_random is None and self._chance is not None:
            self._np_random = np.random.default_rng()
            self._np_random.bit_generator.state = self._chance
        return super().np_random

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        self._np_random, self._np_random_seed = value, -1

    def _checked(self, seat: Seat) -> Seat:
        """Return a seat of the game; raises ValueError for any other."""
        if seat not in range(self.episode.seats):
            raise ValueError(f"seat: expected 0 to {self.episode.seats - 1}, got {seat!r}")
        return seat

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Begin an episode, and let opponents play until the learner is asked.

        Seeds are those of ``MahjongEnv``. ``options`` may hold a ``start`` as there, and the ``seat`` of the
        learner. ``info`` has the ``seed``, the ``seat``, and how many episodes were ``skipped`` because they ended
        before the learner was asked.
        """
        super().reset(seed=seed)
        given = options or {}
        drawn = int(self.np_random.integers(self.episode.seats)) if self._given_seat is None else self._given_seat
        self._seat = self._checked(given.get(SEAT, drawn))
        skipped = _begin(self.episode, self._opponents, self._seat, seed, given.get(START))
        self._is_over = False
        return self._observed(), self._info() | {"skipped": skipped}

    def step(self, action: int | np.int64) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Take an action of the learner, and let opponents play until it is asked again or the episode is over.

        At the end ``info`` has the ``points`` and the ``place`` of the learner. Raises ValueError for an illegal action
        (see ``illegal``), or if the episode is over.
        """
        if self._is_over:
            raise ValueError(OVER)
        episode, number = self.episode, int(action)
        if self._ends_if_illegal and not (0 <= number < ACTIONS and episode.mask(self._seat)[number]):
            self._is_over = True
            return self._observed(), 0.0, True, False, self._info() | {"illegal": number}
        episode.step(number)
        self._opponents.play((episode,))
        earned = 0.0 if episode.earned is None else episode.earned[self._seat]
        episode.earned = None
        self._is_over = episode.over
        return self._observed(), earned, episode.over, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which action ids are legal. After the end all are: something may sample before it calls ``reset``."""
        return self._mask().astype(np.bool_)

    def _mask(self) -> NDArray[np.int8]:
        if self._is_over:
            return np.ones(ACTIONS, np.int8)
        return np.frombuffer(self.episode.mask(self._seat), np.int8)

    def _observed(self) -> NDArray[np.uint8]:
        return np.ndarray(SHAPE, np.uint8, self.episode.rows(self._seat))

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self._mask(), "seed": self.episode.seed, "seat": self._seat}
        if self._extras:
            info |= _extra_arrays(self.episode, self._seat, self._extras)
        result = self.episode.result
        if result is not None:
            info |= {"points": result.points[self._seat], "place": result.places[self._seat]}
        return info

    def render(self) -> str | None:
        """Return the table as the learner sees it, as text; None unless the render mode is ``ansi``."""
        return None if self.render_mode is None else self.episode.board(self._seat)


gymnasium.register("ump/Mahjong-v0", "ump.env.environments:SoloEnv")


def _begin(
    episode: Episode, opponents: Opponents, first: Seat, seed: int | None, start: Start | GameState | None
) -> int:
    """Begin episodes, with learners from the seat ``first`` on, until one is asked; return how many ended before."""
    episode.begin(seed, start)
    opponents.sit_down(episode, first)
    opponents.play((episode,))
    skipped = 0
    while episode.over:
        skipped += 1
        episode.begin(None, start)
        opponents.sit_down(episode, first)
        opponents.play((episode,))
    return skipped


def _checked_mode(render_mode: str | None) -> str | None:
    if render_mode not in (None, "ansi"):
        raise ValueError(f"render_mode must be None or 'ansi', not {render_mode!r}")
    return render_mode


def _extra_arrays(episode: Episode, seat: Seat, groups: Sequence[str]) -> Observed:
    """Return the additional arrays of a seat by name."""
    found: Observed = {}
    for array, numbers in zip(arrays_of(groups), episode.extras(seat, groups), strict=True):
        found[array.name] = np.frombuffer(bytearray(numbers), array.type).reshape(array.shape)
    return found


def _observation_space(extras: Sequence[ExtraArray]) -> spaces.Dict:
    most = np.array([row.most for row in ROWS], np.uint8)
    high = np.broadcast_to(most[:, None], SHAPE)
    return spaces.Dict(
        {
            "observation": spaces.Box(np.zeros(SHAPE, np.uint8), high, dtype=np.uint8),
            "action_mask": spaces.Box(0, 1, (ACTIONS,), dtype=np.int8),
        }
        | {array.name: _box(array) for array in extras}
    )


def _box(array: ExtraArray) -> spaces.Box:
    kind: Any = np.dtype(array.type)
    limits = np.iinfo(kind)
    return spaces.Box(limits.min, limits.max, array.shape, kind)
