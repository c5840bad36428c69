"""The environment of PettingZoo: its own tests, rewards, simultaneous calls and errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from support.programs import run

pytest.importorskip("pettingzoo", reason="the environments need the extra rl")

import numpy as np
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from support.policies import EagerPolicy

from ump.arena.environment import Environment
from ump.env.action_ids import ACTION_NAMES, action_id
from ump.env.environments import MahjongEnv
from ump.env.episode import Episode, task
from ump.env.rows import rows_of
from ump.game.game import GameState
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length

OPTIONS: list[dict[str, Any]] = [
    {},
    {"rules": "tenhou3"},
    {"rules": "wrc", "episode": "kyoku"},
    {"rules": "majsoul3", "episode": "kyoku", "reward": "placement"},
]

EXPECTED = (
    "ignore:Observation space for each agent probably",  # a mask needs a Dict, as in PettingZoo's own board games
    "ignore:Observation is not a NumPy array",
    "ignore:Action mask numpy array is all zeros",  # after the end nothing is legal
)


def with_expected_warnings(test: Callable[..., None]) -> Callable[..., None]:
    """Let PettingZoo's checks warn about what they tolerate in its own games with masks."""
    for warning in EXPECTED:
        test = pytest.mark.filterwarnings(warning)(test)
    return test


@with_expected_warnings
@pytest.mark.parametrize("options", OPTIONS)
def test_it_is_an_environment_of_pettingzoo(options: dict[str, Any]) -> None:
    """It passes api_test, until the end of episodes, and seed_test."""
    api_test(MahjongEnv(**options), num_cycles=60 if options.get("episode") else 400)
    seed_test(lambda: MahjongEnv(**options), num_cycles=30)


@with_expected_warnings
def test_the_parallel_wrapper_of_pettingzoo_plays_it() -> None:
    """It passes the test of parallel environments."""
    parallel_api_test(turn_based_aec_to_parallel(MahjongEnv(episode="kyoku")), num_cycles=60)


def played(environment: MahjongEnv, chance: Random) -> Counter[str]:
    """Play the current episode at random; return what each agent has earned."""
    earned = Counter[str]()
    for agent in environment.agent_iter():
        observed, reward, terminated, _, _ = environment.last()
        earned[agent] += int(reward)
        environment.step(None if terminated else chance.choice(np.flatnonzero(observed["action_mask"]).tolist()))
    return earned


def test_points_are_won_from_kyoku_to_kyoku() -> None:
    """The rewards of a game sum up to its final scores, with left-over sticks, minus those of the start."""
    environment, twin = MahjongEnv("tenhou"), Environment("tenhou")
    environment.reset(seed=3)
    twin.reset("3")
    policy, earned = EagerPolicy(Random(3)), Counter[str]()
    for agent in environment.agent_iter():
        _, reward, terminated, _, _ = environment.last()
        earned[agent] += int(reward)
        if terminated:
            environment.step(None)
            continue
        question = twin.question()
        assert agent == f"player_{twin.seat}"
        action = policy.choose(twin.observation(), question.phase, question.tile, question.legal())
        environment.step(action_id(action, question.tile))
        twin.step(action)
    assert twin.result is not None
    assert [earned[f"player_{seat}"] for seat in range(4)] == [points - 25_000 for points in twin.result.points]
    assert any(earned.values())


def test_a_kyoku_ends_with_its_points() -> None:
    """One kyoku is one episode; the sticks of riichi that nobody has won are lost."""
    environment = MahjongEnv("tenhou", episode="kyoku")
    environment.reset(seed=1)
    sums = []
    for _ in range(12):
        earned = played(environment, Random(1))
        sums.append(sum(earned.values()))
        environment.reset()
    assert all(total <= 0 and total % 1000 == 0 for total in sums)


@pytest.mark.parametrize(("given", "expected"), [(None, [20, 0, -20]), ((9, 1, 0), [9, 1, 0])])
def test_places_are_rewarded_at_the_end(given: tuple[float, ...] | None, expected: list[float]) -> None:
    """The rewards of places are given, or the uma of the rules."""
    environment = MahjongEnv("tenhou3", episode="kyoku", reward="placement", place_points=given)
    environment.reset(seed=5)
    earned = played(environment, Random(5))
    assert sorted(earned.values(), reverse=True) == expected


def asked_together() -> MahjongEnv:
    """Return an environment in which two agents are asked about one discard."""
    environment = MahjongEnv("tenhou")
    environment.reset(seed=8)
    for _ in range(2_000):
        questions = environment.episode._game.questions
        if len(questions) > 1 and all(len(question.legal()) > 1 for question in questions.values()):
            return environment
        mask = environment.last()[0]["action_mask"]
        passes = ACTION_NAMES.index("pass")
        environment.step(passes if mask[passes] else int(np.flatnonzero(mask)[0]))
    raise AssertionError("no two seats are asked at once")


def test_nobody_sees_what_others_answer() -> None:
    """The second agent that is asked about a tile sees the same, whatever the first one has chosen."""
    seen = []
    for choice in (0, -1):
        environment = asked_together()
        first = environment.agent_selection
        mask = environment.last()[0]["action_mask"]
        environment.step(int(np.flatnonzero(mask)[choice]))
        if environment.agent_selection != first:
            seen.append(environment.last()[0]["observation"])
    assert len(seen) == 2
    assert np.array_equal(*seen)


def test_only_the_agent_that_acts_has_legal_actions() -> None:
    """Everybody may be observed at any time, also after the end."""
    environment = MahjongEnv("tenhou", episode="kyoku")
    environment.reset(seed=2)
    masks = {agent: environment.observe(agent)["action_mask"].any() for agent in environment.agents}
    assert masks == {agent: agent == environment.agent_selection for agent in environment.agents}
    while not any(environment.terminations.values()):
        mask = environment.last()[0]["action_mask"]
        environment.step(int(np.flatnonzero(mask)[-1]))
    assert not any(environment.observe(agent)["action_mask"].any() for agent in environment.agents)


def test_an_illegal_action_changes_nothing() -> None:
    """The error names the action, and those that are legal."""
    environment = MahjongEnv()
    environment.reset(seed=1)
    before = environment.last()[0]
    for action in (ACTION_NAMES.index("ron"), -1, len(ACTION_NAMES)):
        with pytest.raises(ValueError, match=rf"action {action}.* is not legal; legal are \d+ \(discard"):
            environment.step(action)
    before["action_mask"][:] = 1  # the learner's own
    with pytest.raises(ValueError, match="is not legal"):
        environment.step(ACTION_NAMES.index("ron"))
    with pytest.raises(ValueError, match="None is no action"):
        environment.step(None)
    assert np.array_equal(environment.last()[0]["observation"], before["observation"])


def test_without_agents_only_reset_makes_sense() -> None:
    """Before the first episode, and when the last agent has gone, errors say so."""
    environment = MahjongEnv("tenhou", episode="kyoku")
    for is_over in (False, True):
        for use in (environment.last, lambda: environment.step(0), lambda: environment.step(None)):
            with pytest.raises(ValueError, match="the episode is over, or none has begun: call reset"):
                use()
        if not is_over:
            environment.reset(seed=1)
            played(environment, Random(1))
    assert environment.observe("player_0")["observation"].any()


def test_episodes_follow_from_the_seed() -> None:
    """The walls of the first episode are those of a game with this seed; later episodes have others."""
    environment, twin = MahjongEnv(), Environment("tenhou")
    environment.reset(seed=7)
    twin.reset(7)
    assert environment.infos["player_0"] == {"seed": "7"}
    assert environment.episode._told()[1:] == twin.events[2:]
    environment.reset()
    assert environment.infos["player_3"] == {"seed": "7/1"}
    environment.reset(seed=7)
    assert environment.infos["player_3"] == {"seed": "7"}
    others = [MahjongEnv(), MahjongEnv()]
    for other in others:
        other.reset()
    assert others[0].infos != others[1].infos


def test_a_table_that_is_looked_at_late_looks_the_same() -> None:
    """The events of a kyoku come from playing it again; later ones, to the end of the episode, are kept."""
    chance, watched = Random(4), Episode(task("tenhou"))
    watched.begin(5, GameState((31000, 24000, 23000, 22000), 1, 3, honba=2))
    late = deepcopy(watched)
    assert watched.board(0)
    while not watched.over:
        number = chance.choice([number for number, is_legal in enumerate(watched.mask(watched.seat)) if is_legal])
        watched.step(number)
        late.step(number)
        if watched.over or not chance.randrange(20):
            twin = deepcopy(late)
            for seat in range(4):
                assert twin.board(seat) == watched.board(seat)
                assert rows_of(twin.observation(seat), None, None) == rows_of(watched.observation(seat), None, None)


def test_an_episode_may_begin_anywhere() -> None:
    """A standing says where; the rewards count from its points."""
    environment = MahjongEnv(episode="kyoku", render_mode="ansi")
    environment.reset(seed=1, options={"start": GameState((40_000, 20_000, 30_000, 10_000), 1, 2, 1, 0)})
    assert "South 3 | honba 1" in (environment.render() or "")
    assert environment.agent_selection == "player_2"
    earned = played(environment, Random(1))
    assert max(map(abs, earned.values())) < 40_000


def test_render_needs_its_mode() -> None:
    """Text is the only one."""
    environment = MahjongEnv()
    environment.reset(seed=1)
    assert environment.render() is None
    environment.close()
    with pytest.raises(ValueError, match="render_mode"):
        MahjongEnv(render_mode="human")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"episode": "hanchan"}, "unknown episode 'hanchan'; choose game or kyoku"),
        ({"reward": "place"}, r"unknown reward 'place' \(did you mean placement\?\)"),
        ({"place_points": (1, 0)}, "expected 4 numbers, got 2"),
        ({"rules": "tenho"}, "tenho"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    """The error says what to choose."""
    with pytest.raises(ValueError, match=message):
        MahjongEnv(**options)


def test_rules_may_be_a_ruleset() -> None:
    """Any ruleset will do, not just the presets."""
    environment = MahjongEnv(replace(PRESETS["mleague"], length=Length.TONPU))
    environment.reset(seed=1)
    assert environment.num_agents == 4


def test_twisted_is_not_needed() -> None:
    """A program that learns loads nothing of the network."""
    modules = "sys, ump.env.environments, ump.env.batch"
    code = f"import {modules}; print('twisted' in sys.modules, 'zope.interface' in sys.modules)"
    done = run("-c", code, is_plain=True)
    assert done.stdout.split() == ["False", "False"]
