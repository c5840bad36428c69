"""The network of the installation: suits are alike to it, its answers are legal, and it plays like its teacher."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="the network needs numpy, of the extra rl")

import numpy as np
from numpy.typing import NDArray

from ump.arena.block_play import ContestantError, policy_factory
from ump.arena.play import play_games
from ump.env.action_ids import ACTION_NAMES, ACTIONS, action_id
from ump.env.batch import Batch
from ump.env.episode import Episode, task
from ump.env.network import Network, Twin, fresh_weights, read_weights, twin_weights, worths, write_weights
from ump.env.rows import ROWS, SHAPE
from ump.players.expert import Expert
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length


def seen(tables: int) -> NDArray[np.uint8]:
    """Return observations that no table shows: any number may stand anywhere, but rows of the table are even."""
    found = np.random.default_rng(3).integers(0, 5, (tables, *SHAPE), np.uint8)
    even = [number for number, row in enumerate(ROWS) if row.is_even]
    found[:, even] = found[:, even, :1]
    return found


def test_suits_are_alike() -> None:
    """If two suits change places on the table, so do the actions with their tiles, and nothing else changes."""
    weights, observations = fresh_weights(5), seen(4)
    found = worths(weights, observations, np.concatenate)
    kinds = np.arange(34)
    kinds[:9], kinds[18:27] = np.arange(18, 27), np.arange(9)
    exchanged = worths(weights, observations[:, :, kinds], np.concatenate)
    assert not np.allclose(found, exchanged, atol=1e-3)
    change = str.maketrans("msMS", "smSM")
    for number, name in enumerate(ACTION_NAMES):
        verb, _, tile = name.rpartition(" ")
        other = ACTION_NAMES.index(f"{verb} {tile.translate(change)}".strip()) if verb and len(tile) == 2 else number
        assert np.allclose(found[:, number], exchanged[:, other], atol=1e-3), name


def test_each_action_has_its_own_worth() -> None:
    """Only an open riichi has that of the other one."""
    found = worths(fresh_weights(5), seen(1), np.concatenate)[0]
    assert len(found) == ACTIONS
    assert len(set(found.tolist())) == ACTIONS - 37
    assert worths(fresh_weights(5), seen(0), np.concatenate).shape == (0, ACTIONS)


def test_weights_are_written_and_read(tmp_path: Path) -> None:
    """They are as before but for the precision of 16 bits; those of other layers are refused."""
    weights = fresh_weights(5)
    write_weights(tmp_path / "weights.npz", weights)
    stored = read_weights(tmp_path / "weights.npz")
    for name, array in weights.items():
        assert np.allclose(array, stored[name], atol=1e-3)
    weights["suits_bias"] = weights["suits_bias"][1:]
    write_weights(tmp_path / "weights.npz", weights)
    with pytest.raises(ValueError, match="weights of other layers"):
        read_weights(tmp_path / "weights.npz")
    for content in (b"", b"no weights", b"PK\3\4no weights"):
        with pytest.raises(ValueError, match="no file of weights"):
            read_weights(io.BytesIO(content))


def test_twin_plays_to_the_end() -> None:
    """All of its answers are legal, and the same at one table and at many; with three players, too."""
    twin, one_kyoku = Twin(), replace(PRESETS["tenhou"], length=Length.KYOKU)
    seeds = [1, 2, 3]
    games = play_games([twin] * 4, one_kyoku, seeds=seeds)
    for seed, game in zip(seeds, games, strict=True):
        assert play_games([Twin()] * 4, one_kyoku, seeds=[seed]) == [game]
    assert len(play_games([twin] * 3, "tenhou3", seeds=[1])) == 1


def test_twin_imitates_expert() -> None:
    """In a game of experts it gives most of their answers, which a network without experience does not."""
    episode, expert = Episode(task("tenhou")), Expert()
    episode.begin(5)
    rows, masks, taught = bytearray(), bytearray(), []
    while (question := episode.question) is not None:
        legal = question.legal()
        chosen = expert.choose(episode.observation(question.seat), question.phase, question.tile, legal)
        if len(legal) > 1:
            rows += episode.rows(question.seat)
            masks += episode.mask(question.seat)
            taught.append(action_id(chosen, question.tile))
        episode.answer(chosen)
    observations = np.frombuffer(rows, np.uint8).reshape(-1, *SHAPE)
    legal_ids = np.frombuffer(masks, np.int8).reshape(-1, ACTIONS)
    shares = [
        np.mean(network.act(observations, legal_ids) == taught) for network in (Twin(), Network(fresh_weights(1)))
    ]
    assert len(taught) > 300
    assert shares[0] > 0.7 > 0.4 > shares[1]


def test_twin_is_an_opponent_by_its_name() -> None:
    """Environments and arenas know it; it has no constants."""
    with Batch(4, "tenhou", opponents="twin", episode="kyoku") as batch:
        batch.reset(7)
        for _ in range(30):
            batch.step([np.flatnonzero(mask)[0] for mask in batch.masks])
    assert hasattr(policy_factory("twin")("seed"), "choose")
    with pytest.raises(ContestantError, match="twin has no constants"):
        policy_factory("twin:caution=1")
    assert isinstance(Twin(), Network)
    assert sum(array.nbytes for array in twin_weights().values()) < 2_000_000
