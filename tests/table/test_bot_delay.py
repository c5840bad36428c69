"""How the operator writes the delay of built-in bots, and the delays of a game."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ump.table.bot_delay import NO_DELAY, BotDelay


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
