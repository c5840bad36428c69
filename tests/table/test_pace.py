"""Tests of the time that a pass without a choice takes."""

from __future__ import annotations

from random import Random
from statistics import mean

from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.table.chair import KEPT, Pace, PaceState

TIMES = st.lists(st.integers(0, 60_000), max_size=80).map(tuple)


def pace_of(state: PaceState) -> Pace:
    """Return a pace with these times."""
    pace = Pace("secret")
    pace.state = state
    return pace


@given(TIMES, TIMES, TIMES, st.integers(0, 60_000), st.integers(1, 10**6))
def test_a_wait_is_within_what_the_client_has_shown(
    chosen: tuple[int, ...], forced: tuple[int, ...], turns: tuple[int, ...], taken: int, number: int
) -> None:
    """It is never shorter than the answer took, nor longer than the longest time; the same question waits the same."""
    pace = pace_of(PaceState(chosen, forced, turns))
    wait = pace.wait(taken, number)
    assert taken <= wait <= max(taken, *chosen, *turns, 0)
    assert pace_of(pace.state).wait(taken, number) == wait


def test_only_the_latest_times_are_kept() -> None:
    """A client that becomes faster is not measured by its beginning, and the state stays small."""
    pace = Pace("secret")
    for time in range(1_000):
        pace.note_turn(time)
        pace.note_chosen(time)
        pace.note_forced(time)
    assert pace.state == PaceState(tuple(range(1_000 - KEPT, 1_000)), tuple(range(1_000 - KEPT, 1_000)), (0, 1, 2, 3))


@each_row("seed", range(3))
def test_waits_of_a_hasty_client_are_spread_like_its_thoughts(seed: int) -> None:
    """The quartiles of the waits are those of the passes with a choice; hardly two waits are equal."""
    chance = Random(seed)
    chosen = sorted(round(chance.lognormvariate(6, 1)) for _ in range(KEPT))
    pace = pace_of(PaceState(tuple(chosen), (0, 1, 0, 2) * 16))
    waits = sorted(pace.wait(chance.choice((0, 1, 0, 2)), number) for number in range(1_000))
    for share in (0.25, 0.5, 0.75):
        place = share * (KEPT - 1)
        assert chosen[int(place) - 7] <= waits[int(share * 999)] <= chosen[int(place) + 8]
    assert len(set(waits)) > 400


def test_a_client_that_always_thinks_does_not_wait() -> None:
    """Its passes without a choice take as long as the others by themselves."""
    chance = Random(1)
    times = [round(chance.lognormvariate(6, 1)) for _ in range(2 * KEPT)]
    pace = pace_of(PaceState(tuple(times[:KEPT]), tuple(times[KEPT:])))
    assert [pace.wait(taken, number) for number, taken in enumerate(times)] == times


def test_a_client_that_thinks_a_little_less_waits_a_little() -> None:
    """The longer such a pass took, the longer it is held: its order among the others stays."""
    chosen = tuple(range(1_000, 1_000 + 10 * KEPT, 10))
    pace = pace_of(PaceState(chosen, tuple(time - 300 for time in chosen)))
    waits = [pace.wait(time - 300, 1) for time in chosen]
    assert waits == sorted(waits)
    assert 250 < mean(wait - (time - 300) for wait, time in zip(waits, chosen, strict=True)) < 350
