"""Opponents in the environments: a learner is asked alone, and earns what happens between its actions."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import pytest

pytest.importorskip("gymnasium", reason="the environments need the extra rl")

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray

from ump.arena.play import OneTable
from ump.env.action_ids import ACTIONS
from ump.env.array_policy import ArrayPolicy
from ump.env.batch import Batch
from ump.env.environments import MahjongEnv, SoloEnv
from ump.env.opponents import Pool
from ump.env.rows import SHAPE
from ump.game.game import GameState
from ump.model.actions import Action
from ump.players.policy import POLICIES, Tsumogiri
from ump.rules.questions import Question


class Highest(ArrayPolicy):
    """Takes the legal action with the highest number."""

    def act(self, observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> Any:
        """Return the numbers."""
        assert observations.shape == (len(masks), *SHAPE)
        return ACTIONS - 1 - masks[:, ::-1].argmax(1)


def highest(mask: Any) -> int:
    """Return the highest legal action."""
    return int(np.flatnonzero(mask)[-1])


@pytest.mark.filterwarnings("ignore:.*alternative render modes")
def test_it_is_an_environment_of_gymnasium() -> None:
    """It passes the check, which knows no masks, under its name and with random opponents."""
    check_env(SoloEnv("tenhou3", opponents=["random", "tsumogiri"], episode="kyoku", illegal="end"))
    made = gymnasium.make("ump.env.environments:ump/Mahjong-v0", opponents="tsumogiri", render_mode="ansi")
    _, info = made.reset(seed=4)
    seen, _, _, _, info = made.step(made.action_space.sample(info["action_mask"]))
    assert seen in made.observation_space
    assert "East 1" in str(made.render())


def test_a_learner_earns_what_happens_between_its_actions() -> None:
    """The rewards of a game add up to its final points, wherever the learner sits and whoever plays the others."""
    environment = SoloEnv("tenhou", opponents=["random", "tsumogiri", Highest()])
    seats = set()
    for seed in range(4):
        _, info = environment.reset(seed=seed)
        seats.add(info["seat"])
        earned, is_over = 0.0, False
        while not is_over:
            _, reward, is_over, _, info = environment.step(highest(info["action_mask"]))
            earned += reward
        assert earned == info["points"] - 25_000
        assert 1 <= info["place"] <= 4
        assert environment.action_masks().all()
        with pytest.raises(ValueError, match="call reset"):
            environment.step(0)
    assert len(seats) > 1


def test_an_episode_begins_where_it_is_told_to() -> None:
    """At a standing and in a seat; a copy goes its own way."""
    environment = SoloEnv(opponents="tsumogiri", episode="kyoku", render_mode="ansi")
    standing = GameState((40_000, 20_000, 30_000, 10_000), 1, 2, 1, 0)
    _, info = environment.reset(seed=1, options={"start": standing, "seat": 3})
    assert info["seat"] == 3
    assert "South 3 | honba 1" in (environment.render() or "")
    twin = environment.clone()
    steps = [each.step(highest(info["action_mask"]))[0] for each in (environment, twin)]
    assert np.array_equal(steps[0], steps[1])


def test_a_clone_draws_the_same_seats() -> None:
    """Its generator goes on like that of the original, and neither changes the other; a clone can be cloned."""
    environment = SoloEnv("tenhou3", opponents="random", episode="kyoku")
    environment.reset(seed=6)
    twins = [environment.clone(), environment.clone().clone()]
    for _ in range(8):
        seats = [each.reset()[1]["seat"] for each in (environment, *twins)]
        assert seats[0] == seats[1] == seats[2]


def test_a_learner_has_tiles_dealt_anew_that_it_cannot_see() -> None:
    """It sees the same, and the walls differ; in the environment of all seats, too, for the agent that acts."""
    solo = SoloEnv("tenhou", opponents="tsumogiri", episode="kyoku")
    _, info = solo.reset(seed=3)
    many = MahjongEnv("tenhou", episode="kyoku")
    many.reset(seed=3)
    for _ in range(6):
        mask = many.last()[0]["action_mask"]
        many.step(highest(mask))
        _, _, _, _, info = solo.step(highest(info["action_mask"]))
    others = [solo.redeal(Random(seed)) for seed in range(2)]
    for other in others:
        assert np.array_equal(other.action_masks(), solo.action_masks())
        assert other.episode.rows(info["seat"]) == solo.episode.rows(info["seat"])
        assert other.episode.board(info["seat"]) == solo.episode.board(info["seat"])
    assert len({decisions(each.clone(), each.action_masks(), 9)[-1] for each in (solo, *others)}) == 3
    agent = many.agent_selection
    twin = many.redeal(agent, Random(1))
    assert np.array_equal(twin.last()[0]["observation"], many.last()[0]["observation"])
    for each in (twin, many.clone()):
        for _ in each.agent_iter():
            seen, _, is_over, _, _ = each.last()
            each.step(None if is_over else highest(seen["action_mask"]))
    assert many.agents
    with pytest.raises(ValueError, match="is not asked"):
        many.redeal(next(other for other in many.agents if other != agent), Random(1))


def decisions(environment: SoloEnv, mask: Any, count: int) -> list[tuple[bytes, float]]:
    """Return what the learner sees and earns in its next decisions, in this episode and the following ones."""
    seen = []
    for _ in range(count):
        observation, reward, is_over, _, info = environment.step(highest(mask))
        seen.append((observation.tobytes(), reward))
        if is_over:
            _, info = environment.reset()
        mask = info["action_mask"]
    return seen


def test_an_environment_can_be_pickled_in_the_middle_of_a_game() -> None:
    """An unpickled environment goes on in the same way, chances and the next episodes included."""
    environment = SoloEnv(opponents=["random", "tsumogiri", "efficiency"], episode="kyoku")
    _, info = environment.reset(seed=3)
    decisions(environment, info["action_mask"], 30)
    written = pickle.dumps(environment)
    mask = environment.action_masks()
    went_on = decisions(environment, mask, 60)
    assert decisions(pickle.loads(written), mask, 60) == went_on
    assert any(reward for _, reward in went_on)


def test_a_batch_seats_its_learners_in_turns() -> None:
    """Array policies at many tables play as at one; each table does what its own environment does."""
    options: dict[str, Any] = {"rules": "tenhou3", "episode": "kyoku"}
    batch = Batch(3, opponents=[Highest(), "efficiency"], **options)
    batch.reset(7)
    environments = [SoloEnv(opponents=[OneTable(Highest()), "efficiency"], **options) for _ in range(3)]
    for table, environment in enumerate(environments):
        environment.reset(seed=7 + table, options={"seat": table})
    begun = [1] * 3
    for _ in range(60):
        actions = [highest(mask) for mask in batch.masks]
        before = batch.seats.copy()
        batch.step(actions)
        for table, environment in enumerate(environments):
            seen, reward, is_over, _, _ = environment.step(actions[table])
            assert reward == batch.rewards[table, before[table]]
            assert is_over == batch.ended[table]
            if is_over:
                seen, _ = environment.reset(options={"seat": (table + begun[table]) % 3})
                begun[table] += 1
            assert np.array_equal(seen, batch.observations[table])
    assert max(begun) > 2
    assert batch.skipped == 0


def test_fewer_agents_among_opponents() -> None:
    """Opponents have the last seats of the environment of PettingZoo."""
    environment = MahjongEnv("tenhou", opponents=["tsumogiri", "random"], episode="kyoku")
    environment.reset(seed=5)
    assert environment.agents == ["player_0", "player_1"]
    earned = dict.fromkeys(environment.agents, 0.0)
    for agent in environment.agent_iter():
        observed, reward, terminated, _, _ = environment.last()
        earned[agent] += reward
        environment.step(None if terminated else highest(observed["action_mask"]))
    assert set(earned) == {"player_0", "player_1"}


@pytest.mark.parametrize(
    ("opponents", "message"),
    [("eficiency", "efficiency"), (["tsumogiri"] * 4, "at most 3, got 4"), (["tsumogiri"], "expected 3, got 1")],
)
def test_wrong_opponents_are_refused(opponents: Any, message: str) -> None:
    """The error says what to give."""
    with pytest.raises(ValueError, match=message):
        SoloEnv(opponents=opponents)
    with pytest.raises(ValueError, match="illegal must be"):
        SoloEnv(illegal="pass")
    with pytest.raises(ValueError, match="seat: expected 0 to 2, got 3"):
        SoloEnv("tenhou3", seat=3)
    with pytest.raises(ValueError, match="seat: expected 0 to 3, got 7"):
        SoloEnv().reset(options={"seat": 7})


def test_a_pool_draws_opponents_for_each_episode() -> None:
    """The seed decides which, in one environment and in a batch; members that are added later play, too."""
    seen: list[int] = []

    class Noted(Tsumogiri):
        """Says who it is when it is asked."""

        def __init__(self, number: int) -> None:
            self.number = number

        def answer(self, question: Question) -> Action:
            """Note the own number."""
            seen.append(self.number)
            return question.default()

    pool = Pool(Noted(0), Noted(1))
    environment = SoloEnv(opponents=[pool, pool, "tsumogiri"], episode="kyoku", seat=0)
    drawn: list[set[int]] = []
    for seed in (*range(8), *range(8)):
        seen.clear()
        _, info = environment.reset(seed=seed)
        decisions(environment, info["action_mask"], 3)
        drawn.append(set(seen))
    assert drawn[:8] == drawn[8:]
    assert {0} in drawn
    assert {1} in drawn
    assert {0, 1} in drawn
    pool.add(Noted(2))
    seen.clear()
    for seed in range(8):
        _, info = environment.reset(seed=seed)
        decisions(environment, info["action_mask"], 1)
    assert 2 in seen
    with pytest.raises(ValueError, match="a pool needs a policy"):
        Pool()


@pytest.mark.parametrize("kind", [*POLICIES, "random"])
def test_all_built_in_opponents_can_be_pickled(kind: str) -> None:
    """The environment with them, and a pool of them."""
    for opponents in (kind, Pool(kind, "tsumogiri")):
        environment = SoloEnv(opponents=opponents, episode="kyoku", seat=0)
        environment.reset(seed=2)
        twin = pickle.loads(pickle.dumps(environment))
        action = highest(environment.action_masks())
        assert np.array_equal(twin.step(action)[0], environment.step(action)[0])
