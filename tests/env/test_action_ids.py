"""The numbers of actions: inverse to each other over real questions, and never two actions with one number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from support.all_actions import ALL_ACTIONS
from support.policies import EagerPolicy

from ump.arena.environment import Environment
from ump.env.action_ids import ACTION_NAMES, ACTIONS, action_id, actions_by_id
from ump.model.actions import Action, Chi, Discard, Kakan, Pass, Pon, Riichi
from ump.model.notation import parse_mpsz
from ump.model.tiles import Face
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.rules.ruleset import Length, Ruleset

RED_FIVES = replace(PRESETS["tenhou"], red_fives=(1, 2, 1), open_riichi=True, length=Length.TONPU)
"""Two red fives of circles, and open riichi."""


GAMES = 3


def questions(ruleset: Ruleset, seed: str) -> Iterator[Question]:
    """Yield each question of some games between eager policies."""
    environment = Environment(ruleset)
    for number in range(GAMES):
        environment.reset(f"{seed}/{number}")
        policy = EagerPolicy(Random(f"{seed}/{number}"))
        while not environment.over:
            question = environment.question()
            yield question
            action = policy.choose(environment.observation(), question.phase, question.tile, question.legal())
            environment.step(action)


def twin(action: Action, legal: tuple[Action, ...]) -> Action:
    """Return the same action with the equal tile that was just drawn, if that is legal, otherwise the action."""
    if isinstance(action, Discard | Riichi):
        drawn = replace(action, tsumogiri=True)
        return drawn if drawn in legal else action
    return action


@pytest.mark.no_cover
@pytest.mark.parametrize("rules", [PRESETS["tenhou"], PRESETS["tenhou3"], PRESETS["classic"], RED_FIVES])
def test_numbers_and_actions_are_inverse(rules: Ruleset) -> None:
    """Over all questions of some games: each number leads back to itself, each action to itself or its drawn twin."""
    used = set()
    for question in questions(rules, "inverse"):
        legal = question.legal()
        by_id = actions_by_id(legal, question.tile)
        assert {action_id(action, question.tile) for action in legal} == set(by_id)
        for number, action in by_id.items():
            assert action_id(action, question.tile) == number
        for action in legal:
            assert by_id[action_id(action, question.tile)] == twin(action, legal)
        used |= set(by_id)
    assert used <= set(range(ACTIONS))
    assert len(used) > 50


def test_every_number_has_an_action() -> None:
    """All actions together, with every tile in question, have each number, and no other."""
    used = {action_id(action, tile) for action in ALL_ACTIONS for tile in range(34) if _fits(action, tile)}
    assert used == set(range(ACTIONS))
    assert len(set(ACTION_NAMES)) == ACTIONS == 196


def _fits(action: Action, tile: Face) -> bool:
    """Tell whether the tiles of a chi and this one are a run."""
    if not isinstance(action, Chi):
        return True
    kinds = sorted(face if face < 34 else (4, 13, 22)[face - 34] for face in (*action.own, tile))
    return kinds[0] + 1 == kinds[1] == kinds[2] - 1 and kinds[0] // 9 == kinds[2] // 9 < 3


@pytest.mark.parametrize(
    ("own", "called", "name"),
    [
        ("45m", "3m", "chi low"),
        ("40m", "3m", "chi low red"),
        ("35s", "4s", "chi middle"),
        ("30s", "4s", "chi middle red"),
        ("34p", "0p", "chi high"),
        ("04p", "6p", "chi high red"),
    ],
)
def test_a_chi_is_named_by_the_place_of_the_called_tile(own: str, called: str, name: str) -> None:
    """The colour of the called tile does not count, only that of the own tiles."""
    first, second = parse_mpsz(own)
    (tile,) = parse_mpsz(called)
    assert ACTION_NAMES[action_id(Chi((first, second)), tile)] == name


@pytest.mark.parametrize(("own", "name"), [("55p", "pon"), ("05p", "pon red"), ("00p", "pon two reds"), ("11z", "pon")])
def test_a_pon_is_named_by_its_red_fives(own: str, name: str) -> None:
    """Rules may have several red fives of a suit."""
    first, second = parse_mpsz(own)
    assert ACTION_NAMES[action_id(Pon((first, second)), None)] == name


@pytest.mark.parametrize(
    ("action", "name"),
    [
        (Discard(34), "discard 5M"),
        (Discard(34, tsumogiri=True), "discard 5M"),
        (Riichi(33), "riichi 7z"),
        (Riichi(0, opened=True), "open riichi 1m"),
        (Kakan(35), "kakan 5p"),
        (Pass(), "pass"),
    ],
)
def test_names_of_actions(action: Action, name: str) -> None:
    """Tiles are in UMP's notation."""
    assert ACTION_NAMES[action_id(action, None)] == name


def test_a_chi_needs_its_tile() -> None:
    """Without the called tile its number is unknown."""
    with pytest.raises(ValueError, match="called tile"):
        action_id(Chi((0, 1)), None)
