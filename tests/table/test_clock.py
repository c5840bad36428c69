"""Thinking time of players and of built-in bots."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.table.clock import GRACE, LONGEST, NO_DELAY, BotDelay, Clock, TimeControl

TIMES = TimeControl(10.0, 20.0)

thousandths = st.integers(0, LONGEST * 1_000).map(lambda number: number / 1_000)


def test_default_time() -> None:
    """The default is 10 seconds for each move, and a bank of 20 seconds for each kyoku."""
    assert TimeControl() == TIMES


@each_row(
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


@each_row(
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


@each_row(("with_bank", "spent"), [(True, 30_000 + GRACE), (False, 10_000 + GRACE)])
def test_deadline(with_bank: bool, spent: int) -> None:
    """The deadline adds the time of the move, those of the bank if it may be used, and GRACE."""
    assert Clock(TIMES).deadline(100, with_bank=with_bank) == 100 + spent


@each_row(
    ("spent", "bank"),
    [(0, 20_000), (10_000, 20_000), (10_500, 20_000), (11_000, 19_500), (30_500, 0), (31_000, 0), (-5_000, 20_000)],
)
def test_charge_to_the_bank(spent: int, bank: int) -> None:
    """The bank pays only for time beyond the move and GRACE; a negative time changes nothing."""
    clock = Clock(TIMES)
    clock.charge(spent)
    assert clock.bank == bank


def test_charges_add_up_until_a_new_kyoku() -> None:
    """All moves of a kyoku share one bank, which a new kyoku refills."""
    clock = Clock(TIMES)
    clock.charge(15_500)
    clock.charge(12_500)
    assert clock.bank == 13_000
    assert clock.deadline(0, with_bank=True) == 23_500
    clock.refill()
    assert clock.bank == 20_000


@each_row(
    ("spent", "with_bank", "left"),
    [
        (0, True, (10_000, 20_000)),
        (4_000, True, (6_000, 20_000)),
        (10_000, True, (0, 20_000)),
        (12_000, True, (0, 18_000)),
        (30_250, True, (0, 0)),
        (0, False, (10_000, 0)),
        (12_000, False, (0, 0)),
    ],
)
def test_time_that_is_left(spent: int, with_bank: bool, left: tuple[int, int]) -> None:
    """A question that is asked again states the time left for the move and in the bank."""
    assert Clock(TIMES).left(spent, with_bank=with_bank) == left


@given(st.lists(st.integers(-10_000, 100_000)))
def test_bank_never_grows(thoughts: list[int]) -> None:
    """No charge makes the bank larger, or negative."""
    clock = Clock(TIMES)
    for spent in thoughts:
        before = clock.bank
        clock.charge(spent)
        assert 0 <= clock.bank <= before


@each_row(
    ("text", "delay"),
    [
        ("0", NO_DELAY),
        ("0.5", BotDelay(0.5, 0.5)),
        ("0.3-1.2", BotDelay(0.3, 1.2)),
        ("0-2", BotDelay(0.0, 2.0)),
    ],
)
def test_reading(text: str, delay: BotDelay) -> None:
    """One number is a fixed delay, two are its limits."""
    assert BotDelay.parse(text) == delay


@each_row(
    ("text", "message"),
    [
        ("fast", "'fast' is not a delay; write seconds as in 0.5, or least-most as in 0.3-1.2"),
        ("-1", "'-1' is not a delay; write seconds as in 0.5, or least-most as in 0.3-1.2"),
        ("0.3-", "'0.3-' is not a delay; write seconds as in 0.5, or least-most as in 0.3-1.2"),
        (
            "2-1",
            "'2-1': the first number is larger than the second; write least-most as in 0.3-1.2",
        ),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    """A mistake is answered with how to write a delay."""
    with pytest.raises(ValueError, match="write") as caught:
        BotDelay.parse(text)
    assert str(caught.value) == message


@given(st.text(alphabet="0123456789.-+e ") | st.text())
def test_any_text_is_a_delay_or_refused(text: str) -> None:
    """No text raises anything but ValueError, and every delay has limits in order."""
    try:
        delay = BotDelay.parse(text)
    except ValueError:
        return
    assert 0.0 <= delay.least <= delay.most


def test_the_delays_of_a_game_repeat() -> None:
    """A game repeats its delays; another one has others."""
    delay = BotDelay(0.3, 1.2)
    first, again, other = (list(islice(delay.draws(secret), 100)) for secret in ("a", "a", "b"))
    assert first == again
    assert first != other
    assert all(300 <= spent <= 1_200 for spent in first)
