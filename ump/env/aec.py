"""An environment of PettingZoo: ``AECEnv``, in which the seats act one after the other. It needs the extra ``rl``.

docs/learning.md explains observations, action ids, rewards and seeds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from ump.env.action_ids import ACTIONS
from ump.env.episode import Episode, task
from ump.env.rows import ROWS, SHAPE
from ump.rules.ruleset import Ruleset

Observed: TypeAlias = dict[str, NDArray[Any]]
"""``observation``, uint8 of the shape ``SHAPE``, and ``action_mask``, int8 with a number for each action id."""

STANDING = "standing"
"""The key of ``options`` of ``reset``: a ``Standing``, at which the episode begins."""


class MahjongEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no annotations
    """Riichi mahjong for three or four agents, ``player_0`` to ``player_3``; ``player_0`` is the first dealer.

    Several agents may be asked about one tile. They act in turn order, and nobody sees what the others chose before the
    last of them has chosen. ``infos`` hold the seed of the walls.
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
        episode: str = "game",
        reward: str = "points",
        place_points: Sequence[float] | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Prepare episodes.

        ``rules`` are a ruleset or the name of a preset. ``episode`` is ``game`` or ``kyoku``. ``reward`` is ``points``,
        at the end of each kyoku, or ``placement``, at the end of the episode: ``place_points``, by default the uma of
        the rules. Raises RulesetError for unknown rules, ValueError for other wrong arguments.
        """
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode must be None or 'ansi', not {render_mode!r}")
        self.render_mode = render_mode
        self._episode = Episode(task(rules, episode=episode, reward=reward, place_points=place_points))
        self.possible_agents = [f"player_{seat}" for seat in range(self._episode.seats)]
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]
        self.observation_spaces = {agent: _observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations, the same for all."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions: the action ids."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode.

        The same ``seed`` gives the same walls in this and all following episodes. Without one, the next episode of the
        last seed begins; the first one has a random seed. ``options`` may hold a ``standing`` at which to begin, as
        ``ump.Standing``; others are ignored.
        """
        self._episode.begin(seed, (options or {}).get(STANDING))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"seed": self._episode.seed} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._episode.seat]

    def observe(self, agent: str) -> Observed:
        """Return what an agent sees, and a mask of its legal actions; it is empty unless the agent has to act."""
        seat = self.possible_agents.index(agent)
        return {
            "observation": np.frombuffer(self._episode.planes(seat), np.uint8).reshape(SHAPE),
            "action_mask": np.frombuffer(self._episode.mask(seat), np.int8),
        }

    def step(self, action: int | None) -> None:
        """Take the action of the agent that has to act, ``agent_selection``; None for one whose episode has ended.

        Raises ValueError, and changes nothing, if the action is not legal, or if no agent is left: call ``reset``.
        """
        self._check_agents()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} has to act: None is no action")
        earned = self._episode.step(int(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if earned is not None:
            self.rewards = dict(zip(self.agents, earned, strict=True))
        if self._episode.over:
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[self._episode.seat]
        self._accumulate_rewards()

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return observation, rewards, termination, truncation and infos of the agent that has to act (PettingZoo)."""
        self._check_agents()
        found: tuple[Any, float, bool, bool, dict[str, Any]] = super().last(observe)
        return found

    def _check_agents(self) -> None:
        if not self.agents:
            raise ValueError("the episode is over, or none has begun: call reset")

    def render(self) -> str | None:
        """Return the table as the agent sees it that has to act, as text; None unless the render mode is ``ansi``."""
        if self.render_mode is None:
            return None
        return self._episode.board(self.possible_agents.index(self.agent_selection))

    def close(self) -> None:
        """Release nothing: an environment holds memory alone."""


def _observation_space() -> spaces.Dict:
    most = np.array([row.most for row in ROWS], np.uint8)
    high = np.broadcast_to(most[:, None], SHAPE)
    return spaces.Dict(
        {
            "observation": spaces.Box(np.zeros(SHAPE, np.uint8), high, dtype=np.uint8),
            "action_mask": spaces.Box(0, 1, (ACTIONS,), dtype=np.int8),
        }
    )
