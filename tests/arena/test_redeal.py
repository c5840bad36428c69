"""Positions for search: copies that go their own way, and tiles dealt anew in agreement with what a seat knows."""

from __future__ import annotations

import gc
from collections import Counter
from enum import Enum
from functools import partial
from random import Random
from types import FunctionType, ModuleType
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.budgets import few
from support.policies import EagerPolicy

import ump
from ump.arena.environment import Environment
from ump.arena.redeal import tenpai_kinds
from ump.env.action_ids import LegalIds
from ump.env.episode import Episode, task
from ump.model.actions import Discard, Riichi
from ump.model.hand import Hand
from ump.model.tiles import KIND_OF
from ump.players.observation import Observation
from ump.rules.analysis import waits_of
from ump.rules.ruleset import OwnCopies
from ump.table.view import view

POSITIONS = st.tuples(
    st.sampled_from(["tenhou", "tenhou3", "ump", "wrc", "majsoul3"]),
    st.integers(0, 10_000),
    st.integers(0, 150),
    st.booleans(),
)
"""Rules, a seed, a number of steps, and whether all seats are asked."""


def position(rules: str, seed: int, steps: int, ask_all: bool = False) -> Environment:
    """Return a game after so many steps of players that make many riichi, calls and kans."""
    environment = Environment(rules, ask_all=ask_all)
    environment.reset(seed)
    play_on(environment, seed, steps)
    return environment


def play_on(environment: Environment, seed: int, steps: int) -> None:
    """Take steps of eager players, until the game is over."""
    policy = EagerPolicy(Random(seed))
    for _ in range(steps):
        if not environment.over:
            question = environment.question()
            seen = environment.observation()
            environment.step(policy.choose(seen, question.phase, question.tile, question.legal()))


def changeable(thing: object) -> set[int]:
    """Return the ids of all objects in a thing that can change."""
    found: dict[int, Any] = {}
    waiting: list[Any] = [thing]
    while waiting:
        each = waiting.pop()
        if id(each) in found or isinstance(each, type | Enum | FunctionType | partial | ModuleType | LegalIds):
            continue  # the legal actions of a question are never changed
        found[id(each)] = each
        waiting += gc.get_referents(each)
    return {
        number
        for number, each in found.items()
        if isinstance(each, list | dict | set | Random)
        or (isinstance(each, bytearray) and each)  # the empty one stands for rows that are put in when asked for
        or (type(each).__module__.startswith("ump.") and "__eq__" not in vars(type(each)))  # no value
    }


@settings(max_examples=few(60))
@given(POSITIONS)
def test_a_clone_goes_its_own_way(where: tuple[str, int, int, bool]) -> None:
    """It plays on like the original, shares nothing with it that can change, and leaves it as it is."""
    environment = position(*where)
    assume(not environment.over)
    untouched, twin = environment.clone(), environment.clone()
    assert not changeable(environment) & changeable(twin)
    for each in (environment, twin):
        play_on(each, where[1] + 1, 60)
    assert twin.events == environment.events
    assert len(untouched.events) < len(twin.events)
    play_on(untouched, where[1] + 1, 60)
    assert untouched.events == twin.events
    for seat in range(untouched.ruleset.seats):
        assert known(untouched.observation(seat)) == known(environment.observation(seat))


def known(seen: Observation) -> str:
    """Return all that an observation holds, as text."""
    fields = [name for name in dir(seen) if not name.startswith("__") and not callable(getattr(seen, name))]
    hand = [(seen.hand.faces, seen.hand.kinds, seen.hand.held, seen.hand.melds)]
    return str([(name, getattr(seen, name)) for name in fields if name != "hand"] + hand)


def test_a_clone_of_an_episode_goes_its_own_way() -> None:
    """The same in numbers, with what seats have seen and with chance."""
    episode, chance = Episode(task("tenhou3")), Random(5)
    episode.begin(4)
    for step in range(400):
        if step % 40 == 0:
            twin = episode.clone()
            assert not changeable(episode) & changeable(twin)
            numbers = [played(each, Random(step), 30) for each in (twin.clone(), twin, episode.clone())]
            assert numbers[0] == numbers[1] == numbers[2]
            twin = episode.clone()
            assert twin.chance.random() == episode.chance.random()
            episode.observation(0)
        played(episode, chance, 1)


def played(episode: Episode, chance: Random, steps: int) -> list[bytes]:
    """Take random steps; return what the seats see that act, and what all earn."""
    seen = []
    for _ in range(steps):
        if episode.over:
            episode.begin()
        rows = episode.rows(episode.seat)
        seen.append(bytes(rows) + str((episode.seed, episode.earned)).encode())
        legal = [number for number, is_legal in enumerate(episode.mask(episode.seat)) if is_legal]
        episode.step(chance.choice(legal))
    return seen


@settings(max_examples=few(100))
@given(POSITIONS)
def test_a_redeal_agrees_with_what_the_seat_knows(where: tuple[str, int, int, bool]) -> None:
    """The seat has been told the same, is asked the same, and the wall has the same tiles; it can be played on."""
    environment = position(*where)
    for seat in environment.asked:
        before = known(environment.observation(seat))
        twin = environment.redeal(seat, Random(where[1]))
        assert [view(event, seat) for event in twin.events] == [view(event, seat) for event in environment.events]
        assert twin.seat == seat
        assert twin.legal_actions() == environment.legal_actions(seat)
        assert known(twin.observation(seat)) == before
        assert not changeable(environment) & changeable(twin)
        assert environment.game.deal is not None
        assert twin.game.deal is not None
        assert sorted(twin.game.deal.tiles) == sorted(environment.game.deal.tiles)
        play_on(twin, where[1], 80)


def test_hands_in_riichi_are_tenpai_and_have_let_no_win_pass() -> None:
    """No tile that has passed since the riichi would have been a win, unless the hand is furiten by its own river."""
    checked = 0
    for seed in range(few(80)):
        environment = Environment("tenhou")
        environment.reset(seed)
        policies = [ump.Efficiency() for _ in range(4)]
        while environment.game.round is not None and environment.game.round.number == 0 and not environment.over:
            seat, question = environment.seat, environment.question()
            others = [other for other, it_is in enumerate(environment.observation(seat).in_riichi) if it_is]
            if set(others) - {seat}:
                check_riichi(environment.redeal(seat, Random(seed)), {*others} - {seat})
                checked += 1
            seen = environment.observation(seat)
            environment.step(policies[seat].choose(seen, question.phase, question.tile, question.legal()))
    assert checked > 20


def check_riichi(environment: Environment, seats: set[int]) -> None:
    """Check the hands of players in riichi, none of whom has drawn a tile just now."""
    assert environment.game.kyoku is not None
    for seat in seats:
        player = environment.game.kyoku.board.players[seat]
        assert player.waits == waits_of(player.hand, environment.ruleset.own_copies)
        assert player.waits
        assert not player.riichi_furiten or player.waits & player.discarded


def test_hidden_tiles_are_dealt_by_chance_alone() -> None:
    """Each tile that the seat cannot see is as often in the next player's hand as there are copies of it.

    The real hand makes no difference: it is no more frequent than others. What was known of it stays.
    """
    environment = position("tenhou", 7, 30)
    seat = environment.seat
    seen = environment.observation()
    other = (seat + 1) % 4
    assert not any(seen.in_riichi)
    random, counts, hands = Random(1), Counter[int](), few(1_500)
    for _ in range(hands):
        twin = environment.redeal(seat, random)
        counts.update(KIND_OF[face] for face in twin.observation(other).hand.concealed)
    size = len(environment.observation(other).hand.concealed)
    unseen = [seen.unseen(kind) for kind in range(34)]
    for kind, left in enumerate(unseen):
        expected = hands * size * left / sum(unseen)
        assert abs(counts[kind] - expected) < 5 * expected**0.5 + 5


def test_tenpai_hands_have_all_forms() -> None:
    """Sets and a pair, and seven pairs; of any number of melds; nothing if the tiles do not make any."""
    random, forms = Random(3), Counter[int]()
    pool = [*range(34)] * 4
    for count in (13, 10, 7, 4, 1) * 100:
        kinds = tenpai_kinds(pool, count, random)
        assert len(kinds) == count
        assert waits_of(Hand(kinds), OwnCopies.CONCEALED)
        forms[sum(kinds.count(kind) == 2 for kind in set(kinds))] += 1
    assert forms[6]
    assert tenpai_kinds([0, 3, 6, 9], 4, random) == []
    assert tenpai_kinds([0, 0, 0, 9], 4, random) == []


def test_a_rollout_plays_a_position_on() -> None:
    """With equal chance each first action meets the same tiles; the points are those of the end of the kyoku."""
    environment = position("tenhou", 3, 10)
    seat, before = environment.seat, len(environment.events)
    discards = [action for action in environment.legal_actions() if isinstance(action, Discard | Riichi)][:2]
    ends = [ump.rollout(environment, ump.Efficiency(), 3, chance=Random(5), first=each) for each in discards]
    assert len(environment.events) == before
    again = ump.rollout(environment, [ump.Efficiency()] * 4, 3, chance=Random(5), first=discards[0])
    assert again == ends[0] != ends[1]
    assert all(0 <= 100_000 - sum(points) <= 4_000 for points in again)
    random = Random(5)
    twin = environment.redeal(seat, random)
    twin.step(discards[0])
    while twin.game.round == environment.game.round or twin.game.round is None:
        question = twin.question()
        twin.step(ump.Efficiency().choose(twin.observation(), question.phase, question.tile, question.legal()))
    assert twin.game.points == again[0]
    final = ump.rollout(environment, ump.Tsumogiri(), 2, chance=Random(5), whole_game=True)
    assert all(sum(points) == 100_000 for points in final)
    with pytest.raises(ValueError, match="4 policies are needed, not 3"):
        ump.rollout(environment, [ump.Tsumogiri()] * 3, 1, chance=random)


def test_only_a_seat_that_is_asked_can_have_tiles_dealt_anew() -> None:
    """It knows where the game is; others do not."""
    environment = position("tenhou", 3, 10)
    other = (environment.seat + 1) % 4
    with pytest.raises(ValueError, match=f"seat {other} is not asked"):
        environment.redeal(other, Random(1))
