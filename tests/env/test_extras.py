"""Additional arrays: what they hold, and that only those named so hold hidden tiles."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("numpy", reason="arrays need numpy, of the extra rl")

import numpy as np
from click.testing import CliRunner
from support.budgets import few
from support.policies import EagerPolicy

import ump
from ump.arena.blocks import record_of
from ump.arena.environment import Environment
from ump.arena.play import PlayedGame
from ump.cli.main import main
from ump.env.batch import Batch
from ump.env.dataset import decisions
from ump.env.episode import Episode, task
from ump.env.extras import ARRAYS, EVENT_FIELDS, EVENT_TYPES, GROUPS, NO_HAND, NOTHING, ORACLE_ROWS, arrays_of
from ump.game.ending import cost_of_discard
from ump.model.actions import Discard, Pass, Ron
from ump.model.events import HandWon, TileCalled, TileDiscarded, TileDrawn
from ump.model.phases import Phase
from ump.model.tiles import FACES, KIND_OF, KINDS
from ump.record.formats import read_games
from ump.rules.ruleset import Length, Ruleset


def arrays(episode: Episode, *groups: str) -> dict[str, Any]:
    """Return the arrays of some groups for the seat that has to act."""
    found = episode.extras(episode.seat, groups)
    listed = arrays_of(groups)
    return {
        array.name: np.frombuffer(numbers, array.type).reshape(array.shape)
        for array, numbers in zip(listed, found, strict=True)
    }


def positions(rules: str, seed: int, count: int) -> list[Episode]:
    """Return positions of a game of eager players, some steps apart."""
    episode, policy, found = Episode(task(rules)), EagerPolicy(Random(seed)), list[Episode]()
    episode.begin(seed)
    while len(found) < count and not episode.over:
        for _ in range(7):
            question = episode.question
            if question is not None:
                seen = episode.observation(question.seat)
                episode.answer(policy.choose(seen, question.phase, question.tile, question.legal()))
        if not episode.over:
            found.append(episode.clone())
    return found


def test_shanten_and_useful_tiles_are_those_of_the_library() -> None:
    """After each discard, and of a hand that has to draw; other places say that there is no such hand."""
    for episode in positions("tenhou", 3, 12):
        found, hand = arrays(episode, "efficiency"), episode.observation(episode.seat).hand
        shown = ump.format_tiles(hand.concealed)
        if sum(hand.kinds) % 3 == 1:
            assert found["shanten"][KINDS] == ump.shanten(shown)
            useful = [ump.format_tiles([kind]) for kind in np.flatnonzero(found["useful"][KINDS]).tolist()]
            assert set(ump.ukeire(shown)) <= set(useful)
            assert set(found["shanten"][:KINDS]) == {NO_HAND}
            continue
        choices = {ump.parse_tiles(choice.tile)[0]: choice for choice in ump.discards(shown)}
        for kind in range(KINDS):
            choice = choices.get(kind)
            assert found["shanten"][kind] == (NO_HAND if choice is None else choice.shanten) or not hand.faces[kind]
            if choice is not None:
                useful = [ump.format_tiles([each]) for each in np.flatnonzero(found["useful"][kind]).tolist()]
                assert set(choice.ukeire) <= set(useful)


@pytest.mark.parametrize("rules", ["tenhou", "tenhou3"])
def test_only_arrays_named_so_hold_hidden_tiles(rules: str) -> None:
    """If the hidden tiles are dealt anew, the others stay the same; and all tiles are somewhere."""
    different = Counter[str]()
    for number, episode in enumerate(positions(rules, 5, few(120))):
        seat = episode.seat
        twin = episode.redeal(seat, Random(number))
        before, after = arrays(episode, *GROUPS), arrays(twin, *GROUPS)
        for name in before:
            different[name] += not np.array_equal(before[name], after[name])
        seen, oracle = episode.observation(seat), before["oracle"]
        rows = dict(zip(ORACLE_ROWS, oracle, strict=True))
        others = rows["hand_1"] + rows["hand_2"] + rows["hand_3"]
        for kind in range(KINDS):
            assert others[kind] + rows["wall"][kind] <= seen.unseen(kind)
        assert rows["wall"].sum() == seen.left
        assert max(rows["next_draw"]) <= seen.left
        assert (rows["next_draw"] > 0).tolist() == (rows["wall"] > 0).tolist()
    assert {name for name, count in different.items() if count} <= {"oracle", "tenpai", "waits", "costs"}
    assert different["oracle"] > 5


def test_events_are_those_that_the_seat_sees() -> None:
    """In order, with players counted from the seat, and nothing of what others draw."""
    called = 0
    for episode in positions("tenhou", 8, 6):
        found, seen = arrays(episode, "events"), episode.observation(episode.seat)
        told = found["events"][: found["events_length"]]
        assert not found["events"][found["events_length"] :].any()
        rows = [dict(zip(EVENT_FIELDS, row.tolist(), strict=True)) for row in told]
        given = [row for row in rows if row["type"] == EVENT_TYPES.index(TileDiscarded) + 1]
        assert [(row["tile"], bool(row["detail"])) for row in given] == [
            (discard.face, discard.tsumogiri) for discard in seen.discards
        ]
        assert [(row["player"] + episode.seat) % 4 for row in given] == [discard.seat for discard in seen.discards]
        calls = [row for row in rows if row["type"] == EVENT_TYPES.index(TileCalled) + 1]
        sources = {(row["player"] + row["detail"] + episode.seat) % 4 for row in calls}
        assert sources == {meld.source for melds in seen.melds for meld in melds if meld.source is not None}
        called += len(calls)
        drawn = [row for row in rows if row["type"] == EVENT_TYPES.index(TileDrawn) + 1]
        assert all((row["tile"] == NOTHING) == (row["player"] != 0) for row in drawn)
    assert called


@pytest.mark.parametrize("rules", ["tenhou", "mleague", "wrc"])
def test_a_discard_costs_what_is_paid_for_it(rules: str) -> None:
    """By the rules for several wins, with honba, as if all who can win did; and nothing if nobody can."""
    policy, costly = EagerPolicy(Random(2)), 0
    for seed in range(few(40)):
        environment = Environment(rules)
        environment.reset(seed)
        while not environment.over and environment.game.round and environment.game.round.number < 2:
            question = environment.question()
            for action in question.legal():
                if isinstance(action, Discard):
                    assert environment.game.kyoku is not None
                    cost = cost_of_discard(environment.game.kyoku.board, question.seat, action.face)
                    if cost or not costly:
                        assert paid(environment.clone(), action) == cost
                        costly += bool(cost)
            seen = environment.observation()
            environment.step(policy.choose(seen, question.phase, question.tile, question.legal()))
    assert costly > 3


def paid(environment: Environment, discard: Discard) -> int:
    """Return what a seat pays if all others win on its discard that can."""
    seat = environment.seat
    events = environment.step(discard)
    while not environment.over and environment.question().phase is Phase.CALL:
        wins = [action for action in environment.legal_actions() if isinstance(action, Ron)]
        events += environment.step(wins[0] if wins else Pass())
    return -sum(event.changes[seat] for event in events if isinstance(event, HandWon))


def test_environments_and_batches_have_them() -> None:
    """The same, under their names; ``state`` has the rows of the acting agent and those of the oracle."""
    pytest.importorskip("pettingzoo", reason="the environments need the extra rl")
    from ump.env.environments import MahjongEnv, SoloEnv

    many = MahjongEnv("tenhou3", episode="kyoku", extras=GROUPS)
    batches = [Batch(2, "tenhou3", episode="kyoku", extras=GROUPS, processes=count) for count in (1, 2)]
    for each in batches:
        each.reset(4)
    many.reset(seed=4)
    for _ in range(30):
        agent = many.agent_selection
        seen = many.last()[0]
        assert seen in many.observation_space(agent)
        assert many.state() in many.state_space
        assert np.array_equal(many.state(), np.vstack([seen["observation"], seen["oracle"]]))
        for batch in batches:
            for name, array in batch.extras.items():
                assert np.array_equal(array[0], seen[name])
        actions = [int(np.flatnonzero(mask)[-1]) for mask in batches[0].masks]
        for batch in batches:
            batch.step(actions)
        many.step(actions[0])
    batches[1].close()
    solo = SoloEnv(opponents="tsumogiri", extras=["efficiency"])
    _, info = solo.reset(seed=1)
    assert info["useful"].shape == (KINDS + 1, KINDS)
    for make in (SoloEnv, MahjongEnv, lambda extras: Batch(1, extras=extras)):
        with pytest.raises(ValueError, match="unknown group of arrays 'oracles'"):
            make(extras=["oracles"])


def test_a_data_set_has_them(tmp_path: Path) -> None:
    """As columns of bytes, whose forms stand in the manifest; and whether somebody won on the tile."""
    pytest.importorskip("pyarrow", reason="data sets need the extra tables")
    import json

    from pyarrow import parquet

    environment, policy = Environment(Ruleset(length=Length.TONPU, tobi=True, start_points=3_000)), ump.Efficiency()
    environment.reset(1)
    while not environment.over:
        question = environment.question()
        environment.step(policy.choose(environment.observation(), question.phase, question.tile, question.legal()))
    assert environment.result is not None
    played = PlayedGame(environment.names, environment.ruleset, tuple(environment.events), environment.result)
    (tmp_path / "game").write_bytes(record_of(played))
    (game,) = read_games(record_of(played))
    chosen = [word for group in GROUPS for word in ("--extra", group)]
    done = CliRunner().invoke(main, ["dataset", str(tmp_path / "game"), "--out", str(tmp_path / "data"), *chosen])
    assert done.exit_code == 0, done.output
    manifest = json.loads((tmp_path / "data" / "manifest.json").read_text())
    assert manifest["extras"]["events"] == {"type": "uint8", "shape": [500, 7]}
    table = parquet.read_table(tmp_path / "data" / "decisions-00000.parquet").to_pydict()
    found = decisions(game, "game", extras=GROUPS)
    for array, numbers in zip(arrays_of(GROUPS), found.extras, strict=True):
        assert b"".join(table[array.name]) == numbers
    assert table["dealt_in"] == found.dealt_in
    wins = {
        (kyoku, win.loser)
        for kyoku, each in enumerate(game.kyoku, 1)
        for win in each.events
        if isinstance(win, HandWon)
    }
    assert wins
    dealt_in = [place for place, is_won_on in enumerate(found.dealt_in) if is_won_on]
    assert {(found.kyoku[place], found.seat[place]) for place in dealt_in} == {
        win for win in wins if win[1] is not None
    }
    costs = np.frombuffer(found.extras[-1], np.int32).reshape(-1, FACES)
    for place in dealt_in:
        assert found.action[place] >= FACES or costs[place, found.action[place]] > 0
    assert KIND_OF[costs.any(0).argmax()] < KINDS


def test_each_array_is_described() -> None:
    """For the page of the site; the hidden ones say so."""
    for group, listed in ARRAYS.items():
        for array in listed:
            assert array.size
            assert array.meaning.startswith("hidden: ") == (group in ("oracle", "targets"))
