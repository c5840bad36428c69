"""The fuzzer: a few inputs for each target, the inputs that have broken something before, and its own parts."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from scripts.fuzzing import driver
from scripts.fuzzing.driver import TARGETS, Failure, fuzz, save, tried
from scripts.fuzzing.mutations import MOST_BYTES, Mutator
from scripts.fuzzing.target import Taken, Target

INPUTS = Path(__file__).resolve().parent / "inputs"
"""Inputs that have broken a target, each named after it. They were made smaller by ``scripts/fuzz``."""

WHOLE_GAMES = 2
"""Inputs for a target that plays whole games."""

CHANGED, SEEDS = 25, 3
"""Changed and unchanged inputs for each other target."""


@pytest.mark.no_cover
@pytest.mark.parametrize("name", TARGETS)
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


@pytest.mark.parametrize("path", sorted(INPUTS.iterdir()), ids=lambda path: path.name)
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


def test_an_input_without_end_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    """An input that takes too long is stopped."""
    monkeypatch.setattr(driver, "MOST_SECONDS", 0.05)

    def loop(data: bytes) -> None:
        while True:
            pass

    failure = tried(Target("loop", "", lambda: (b"",), loop), b"")
    assert isinstance(failure, Failure)
    assert "TooSlow" in failure.where


def test_inputs_follow_from_the_seed() -> None:
    """The same number of the same run is the same input, and inputs differ."""
    seeds = (b'{"type":"dahai","actor":0,"pai":"5mr"}\n{"a":[1,2]}', b"7 sute 1m\n8 no", b"")
    inputs = [Mutator(seeds).make(Random(f"seed/{number}")) for number in range(300)]
    assert inputs == [Mutator(seeds).make(Random(f"seed/{number}")) for number in range(300)]
    assert len(set(inputs)) > 150
    assert max(map(len, inputs)) <= MOST_BYTES


def test_most_lines_of_a_session_are_changed() -> None:
    """So whole games try many broken messages, and their number is known; a change does not bring many honest lines."""
    seed = b"\n".join(b"%d sute %dm" % (number, number % 9 + 1) for number in range(100))
    known = frozenset(seed.split(b"\n"))
    few, many = (
        sum(line not in known for number in range(50) for line in make(Random(f"seed/{number}")).split(b"\n"))
        for make in (Mutator([seed]).make, Mutator([seed]).make_session)
    )
    assert many > 1_000 > 5 * few
    sessions = [Mutator([seed]).make_session(Random(f"seed/{number}")).split(b"\n") for number in range(50)]
    assert many > sum(map(len, sessions)) / 2
    taken: list[bytes] = []

    def note(data: bytes) -> int:
        taken.append(data)
        return 7

    target = Target("noting", "", lambda: [seed], note, is_session=True)
    assert fuzz(target, 3, "seed").messages == 21
    assert fuzz(target, 100, "seed", messages=30).inputs == 5
    assert taken[0] == seed
    assert taken[1:3] == [Mutator([seed]).make_session(Random(f"seed/{number}")) for number in (1, 2)]


def test_a_run_can_go_on_where_it_ended() -> None:
    """Two halves have the inputs of the whole."""
    taken: list[bytes] = []
    target = Target("noting", "", lambda: (b"a b c", b"1 2 3"), taken.append)
    fuzz(target, 40, "seed")
    whole, taken[:] = taken[:], []
    fuzz(target, 15, "seed")
    fuzz(target, 25, "seed", first=15)
    assert taken == whole


def test_a_run_that_is_broken_off_keeps_its_counts() -> None:
    """The next run can go on from there."""

    def interrupt(data: bytes) -> None:
        if data == b"3":
            raise KeyboardInterrupt

    fuzzed = fuzz(Target("interrupted", "", lambda: (b"1", b"2", b"3"), interrupt), 40, "seed")
    assert (fuzzed.is_broken_off, fuzzed.inputs) == (True, 2)
