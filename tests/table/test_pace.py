"""Tests of the time that a pass without a choice takes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import partial
from random import Random
from statistics import mean

from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.table.chair import ENOUGH, FIRST_LEAST, FIRST_SLOWEST, KEPT, SLOWER, Pace, PaceState

TIMES = st.lists(st.integers(0, 60_000), max_size=80).map(tuple)


def pace_of(state: PaceState) -> Pace:
    """Return a pace with these times."""
    pace = Pace("secret")
    pace.state = state
    return pace


@given(TIMES, TIMES, st.integers(0, 60_000), st.integers(1, 10**6))
def test_a_wait_is_within_what_the_client_has_shown(
    chosen: tuple[int, ...], forced: tuple[int, ...], taken: int, number: int
) -> None:
    """It is never shorter than the answer took, nor longer than the longest time; the same question waits the same.

    Of a client that is hardly known it is somewhat longer than its slowest choice.
    """
    pace = pace_of(PaceState(chosen, forced))
    wait, longest = pace.wait(taken, number), max((0, *chosen))
    if pace.is_known:
        assert taken <= wait <= max(taken, longest)
    else:
        least = min(max(FIRST_LEAST, longest), FIRST_SLOWEST)
        assert max(taken, least) <= wait <= max(taken, round(SLOWER * least))
    assert pace_of(pace.state).wait(taken, number) == wait


def test_only_the_latest_times_are_kept() -> None:
    """A client that becomes faster is not measured by its beginning, and the state stays small."""
    pace = Pace("secret")
    for time in range(1_000):
        pace.note_chosen(time)
        pace.note_forced(time)
    assert pace.state == PaceState(tuple(range(1_000 - KEPT, 1_000)), tuple(range(1_000 - KEPT, 1_000)))


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


def area(think: Callable[[Random], float], games: int, discards: int, *, is_new: bool) -> float:
    """Return how often a pass with a choice takes longer than one without: 0.5 is chance, 1 is always.

    The client passes at once if it has no choice, and otherwise thinks. Each game has one kyoku, and begins with the
    times of the client's last one, or with none.
    """
    chance, lengths = Random(7), dict[bool, list[int]]({True: [], False: []})
    states = [PaceState() for _ in range(50)]
    for number in range(games):
        pace = Pace(f"secret/{number}")
        pace.state = PaceState() if is_new else states[number % 50]
        for question in range(discards):
            has_choice = chance.random() < 0.2
            taken = round(think(chance)) if has_choice else chance.randrange(3)
            is_held = not has_choice or not pace.is_known
            lengths[has_choice].append(pace.wait(taken, question) if is_held else taken)
            (pace.note_chosen if has_choice else pace.note_forced)(taken)
        states[number % 50] = pace.state
    forced = sorted(lengths[False])
    ranks = sum(bisect_left(forced, each) + bisect_right(forced, each) for each in lengths[True]) / 2
    return ranks / (len(forced) * len(lengths[True]))


HASTY = partial(Random.uniform, a=50, b=300)
EVEN = partial(Random.uniform, a=500, b=1_500)
SLOW = partial(Random.lognormvariate, mu=6.5, sigma=0.7)
SLOWEST = partial(Random.lognormvariate, mu=7.2, sigma=0.7)


@each_row(
    ("think", "is_new", "most"),
    [
        (HASTY, True, 0.52),
        (HASTY, False, 0.52),
        (EVEN, True, 0.52),
        (SLOW, True, 0.52),
        (SLOW, False, 0.52),
        (SLOWEST, True, 0.57),
        (SLOWEST, False, 0.53),
    ],
)
@each_row("discards", [10, 48])
def test_the_first_discards_of_a_game_tell_nothing(
    think: Callable[[Random], float], is_new: bool, most: float, discards: int
) -> None:
    """Some discards each of 1,000 games: no classifier by time is better than chance by more than 2 %.

    Of a client that thinks for 1.3 seconds or more in half of its choices, the first kyoku shows some of the longest.
    """
    assert 1 - most <= area(think, 1_000, discards, is_new=is_new) <= most


def test_a_pace_becomes_known_between_two_kyoku() -> None:
    """If it were known with the last choice that this takes, the shorter passes from then on would tell of it."""
    pace = Pace("secret")
    for _ in range(2 * ENOUGH):
        pace.note_chosen(100)
    assert pace.wait(0, 1) >= FIRST_LEAST
    pace.begin_kyoku()
    assert pace.wait(0, 1) == 100
