"""``scripts/fuzz``: a few inputs for each target, and the inputs that have broken something before."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.budgets import few
from support.rows import each_row

from scripts.fuzzing.driver import Failure, Taken, Target, fuzz, save, tried
from scripts.fuzzing.targets import TARGETS

INPUTS = Path(__file__).resolve().parent / "inputs"
"""Inputs that have broken a target, each named after it. They were made smaller by ``scripts/fuzz``."""

WHOLE_GAMES = 1
"""Inputs for a target that plays whole games."""

CHANGED, SEEDS = few(8), 2
"""Changed and unchanged inputs for each other target."""


@pytest.mark.no_cover
@each_row("name", TARGETS)
def test_nothing_breaks(name: str) -> None:
    """Each input is accepted, or refused with the documented error; targets accept their seeds."""
    target = TARGETS[name]
    plays = name == "server" or name.startswith("game-")
    seeds = len(target.seeds())
    fuzzed = fuzz(target, WHOLE_GAMES if plays else CHANGED, "suite", first=seeds)
    assert not fuzzed.failures, "\n".join(failure.text for failure in fuzzed.failures.values())
    assert (fuzzed.messages > 0) is plays
    if not plays:
        assert fuzz(target, SEEDS, "suite").accepted > 0


@each_row("path", sorted(INPUTS.iterdir()))
def test_what_was_broken_is_mended(path: Path) -> None:
    """Inputs that were failures are none any more."""
    failure = tried(TARGETS[path.name.rpartition("-")[0]], path.read_bytes())
    assert not isinstance(failure, Failure), failure.text


def _picky(data: bytes) -> None:
    if b"!" in data:
        raise KeyError("!")
    if b"?" in data:
        raise ValueError("?")


PICKY = Target("picky", "a target with one bug", lambda: (b"wait" * 20 + b"? no!",), _picky, (ValueError,))


def test_a_bug_is_found_made_small_and_saved(tmp_path: Path) -> None:
    """The smallest input is the one character that matters; a refusal is no bug."""
    fuzzed = fuzz(PICKY, 50, "seed")
    (failure,) = fuzzed.failures.values()
    assert failure.data == b"!"
    assert failure.where == "KeyError in ?"
    path = save(failure, PICKY, tmp_path / "failures")
    assert path.name.startswith("picky-")
    again = tried(PICKY, path.read_bytes())
    assert isinstance(again, Failure)
    assert again.where == failure.where
    assert tried(PICKY, b"?") == Taken(is_accepted=False)
    assert tried(PICKY, b"") == Taken(is_accepted=True)
