"""Thinking time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ump.table.clock import GRACE, LONGEST, Clock, TimeControl

TIMES = TimeControl(10.0, 20.0)

thousandths = st.integers(0, LONGEST * 1_000).map(lambda number: number / 1_000)


def test_default_time() -> None:
    """The default is 10 seconds for each move, and a bank of 20 seconds for each kyoku."""
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
    """A time control is written as seconds per move, a plus, and seconds in the bank."""
    assert TimeControl.parse(text) == times
    assert str(times) == text


@given(thousandths, thousandths.filter(bool))
def test_parsing_is_inverse_to_writing(move: float, bank: float) -> None:
    """A time control that is written and parsed is the same."""
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
def test_invalid_times(text: str, complaint: str) -> None:
    """Other texts, no time at all, and more than a day raise ValueError with a reason."""
    with pytest.raises(ValueError, match=complaint):
        TimeControl.parse(text)


@pytest.mark.parametrize(("with_bank", "seconds"), [(True, 30.0 + GRACE), (False, 10.0 + GRACE)])
def test_deadline(with_bank: bool, seconds: float) -> None:
    """The deadline adds the seconds of the move, those of the bank if it may be used, and GRACE."""
    assert Clock(TIMES).deadline(100.0, with_bank=with_bank) == 100.0 + seconds


@pytest.mark.parametrize(
    ("seconds", "bank"),
    [(0.0, 20.0), (10.0, 20.0), (10.5, 20.0), (11.0, 19.5), (30.5, 0.0), (31.0, 0.0), (-5.0, 20.0)],
)
def test_charge_to_the_bank(seconds: float, bank: float) -> None:
    """The bank pays only for time beyond the move and GRACE; a negative time changes nothing."""
    clock = Clock(TIMES)
    clock.charge(seconds)
    assert clock.bank == bank


def test_charges_add_up_until_a_new_kyoku() -> None:
    """All moves of a kyoku share one bank, which a new kyoku refills."""
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
    """A question that is asked again states the time left for the move and in the bank."""
    assert Clock(TIMES).left(seconds, with_bank=with_bank) == left


@given(st.lists(st.floats(-10.0, 100.0)))
def test_bank_never_grows(thoughts: list[float]) -> None:
    """No charge makes the bank larger, or negative."""
    clock = Clock(TIMES)
    for seconds in thoughts:
        before = clock.bank
        clock.charge(seconds)
        assert 0.0 <= clock.bank <= before
