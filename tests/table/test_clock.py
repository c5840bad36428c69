"""Thinking time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ump.table.clock import GRACE, LONGEST, Clock, TimeControl

TIMES = TimeControl(10.0, 20.0)

thousandths = st.integers(0, LONGEST * 1_000).map(lambda number: number / 1_000)


def test_time_unless_told() -> None:
    """Ten seconds for each move, and twenty more for a kyoku."""
    assert TimeControl() == TIMES


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("10+20", TIMES),
        ("60+600", TimeControl(60.0, 600.0)),
        ("0+5", TimeControl(0.0, 5.0)),
        ("5+0", TimeControl(5.0, 0.0)),
        ("0.25+1.5", TimeControl(0.25, 1.5)),
        ("86400+86400", TimeControl(86_400.0, 86_400.0)),
    ],
)
def test_times_are_read_and_written(text: str, times: TimeControl) -> None:
    """Seconds per move, a plus, seconds in the bank: read and written alike."""
    assert TimeControl.parse(text) == times
    assert str(times) == text


@given(thousandths, thousandths.filter(bool))
def test_what_is_written_is_read(move: float, bank: float) -> None:
    """No digit is lost on the way."""
    times = TimeControl(move, bank)
    assert TimeControl.parse(str(times)) == times


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is not a time control"),
        ("10", "is not a time control"),
        ("10+", "is not a time control"),
        ("10+20+30", "is not a time control"),
        ("-1+20", "is not a time control"),
        ("1e3+20", "is not a time control"),
        ("nan+20", "is not a time control"),
        ("٣+20", "is not a time control"),
        ("10 + 20", "is not a time control"),
        ("10+20\n", "is not a time control"),
        ("1.2345+0", "is not a time control"),
        ("0+0", "leaves no time to think"),
        ("86401+0", "too long"),
        ("1+86400.001", "too long"),
    ],
)
def test_other_times_are_refused(text: str, complaint: str) -> None:
    """What is not written like that, nothing at all, and more than a day is refused in words."""
    with pytest.raises(ValueError, match=complaint):
        TimeControl.parse(text)


@pytest.mark.parametrize(("with_bank", "seconds"), [(True, 30.0 + GRACE), (False, 10.0 + GRACE)])
def test_deadline(with_bank: bool, seconds: float) -> None:
    """A question waits for the seconds of the move, the bank where it may be used, and the way."""
    assert Clock(TIMES).deadline(100.0, with_bank=with_bank) == 100.0 + seconds


@pytest.mark.parametrize(
    ("seconds", "bank"),
    [(0.0, 20.0), (10.0, 20.0), (10.5, 20.0), (11.0, 19.5), (30.5, 0.0), (31.0, 0.0), (-5.0, 20.0)],
)
def test_bank_pays_what_the_move_does_not(seconds: float, bank: float) -> None:
    """The seconds of the move come first and the way costs nothing; a clock that was set back gives nothing."""
    clock = Clock(TIMES)
    clock.charge(seconds)
    assert clock.bank == bank


def test_charges_add_up_until_a_new_kyoku() -> None:
    """The bank is for all moves of a kyoku together."""
    clock = Clock(TIMES)
    clock.charge(15.5)
    clock.charge(12.5)
    assert clock.bank == 13.0
    assert clock.deadline(0.0, with_bank=True) == 23.5
    clock.refill()
    assert clock.bank == 20.0


@pytest.mark.parametrize(
    ("seconds", "with_bank", "left"),
    [
        (0.0, True, (10.0, 20.0)),
        (4.0, True, (6.0, 20.0)),
        (10.0, True, (0.0, 20.0)),
        (12.0, True, (0.0, 18.0)),
        (30.25, True, (0.0, 0.0)),
        (0.0, False, (10.0, 0.0)),
        (12.0, False, (0.0, 0.0)),
    ],
)
def test_time_that_is_left(seconds: float, with_bank: bool, left: tuple[float, float]) -> None:
    """Who is asked again is told what is left of the move and of the bank."""
    assert Clock(TIMES).left(seconds, with_bank=with_bank) == left


@given(st.lists(st.floats(-10.0, 100.0)))
def test_bank_never_grows(thoughts: list[float]) -> None:
    """Whatever is charged, the bank stays between what it was and nothing."""
    clock = Clock(TIMES)
    for seconds in thoughts:
        before = clock.bank
        clock.charge(seconds)
        assert 0.0 <= clock.bank <= before
