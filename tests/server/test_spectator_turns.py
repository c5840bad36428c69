"""The turns of spectators: a few at a time, one show after the other, with pauses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.memory_server import ReactorClock
from twisted.logger import LogLevel, capturedLogs

from ump.net.limits import SPECTATOR_PAUSE, SPECTATORS_PER_TURN
from ump.server.spectator_turns import SpectatorTurns


class FakeShow:
    """Something that this many spectators have missed."""

    def __init__(self, missed: int, *, is_broken: bool = False) -> None:
        self.missed = missed
        self._is_broken = is_broken

    @property
    def is_behind(self) -> bool:
        """Whether there is more to show."""
        return self.missed > 0

    def show_some(self, most: int) -> int:
        """Serve some, or fail."""
        if self._is_broken:
            raise ZeroDivisionError("a bug")
        served = min(most, self.missed)
        self.missed -= served
        return served


@pytest.fixture
def clock() -> Iterator[ReactorClock]:
    """A clock without calls at the end."""
    made = ReactorClock()
    yield made
    assert not made.getDelayedCalls()


def test_shows_share_the_turns(clock: ReactorClock) -> None:
    """Each turn serves so many, of one show after the other; the next turn comes after a pause."""
    turns = SpectatorTurns(clock)
    first, second = FakeShow(SPECTATORS_PER_TURN + 1), FakeShow(2)
    for show in (first, second, first):
        turns.add(show)
    clock.advance(0)
    assert (first.missed, second.missed) == (1, 2)
    clock.advance(SPECTATOR_PAUSE / 2)
    assert (first.missed, second.missed) == (1, 2)
    clock.advance(SPECTATOR_PAUSE)
    assert (first.missed, second.missed) == (0, 0)


def test_a_pause_is_kept_when_the_queue_was_empty(clock: ReactorClock) -> None:
    """An event shortly after a turn waits for the next one."""
    turns = SpectatorTurns(clock)
    turns.add(FakeShow(1))
    clock.advance(0)
    late = FakeShow(1)
    turns.add(late)
    clock.advance(SPECTATOR_PAUSE / 2)
    assert late.missed == 1
    clock.advance(SPECTATOR_PAUSE)
    assert late.missed == 0


def test_a_show_may_end_before_its_turn(clock: ReactorClock) -> None:
    """What is removed is not served, and an empty queue needs no timer."""
    turns = SpectatorTurns(clock)
    gone, other = FakeShow(1), FakeShow(1)
    turns.add(gone)
    turns.remove(gone)
    assert not clock.getDelayedCalls()
    turns.add(other)
    turns.remove(gone)
    clock.advance(0)
    assert (gone.missed, other.missed) == (1, 0)


def test_all_are_served_when_the_server_stops(clock: ReactorClock) -> None:
    """Nobody waits for a turn any more."""
    turns = SpectatorTurns(clock)
    shows = [FakeShow(3 * SPECTATORS_PER_TURN), FakeShow(1)]
    with capturedLogs() as logs:
        for show in (FakeShow(1, is_broken=True), *shows):
            turns.add(show)
        turns.flush()
    assert [show.missed for show in shows] == [0, 0]
    assert len(logs) == 1


def test_a_show_that_fails_is_dropped_alone(clock: ReactorClock) -> None:
    """The others go on, and the log has the failure."""
    turns = SpectatorTurns(clock)
    other = FakeShow(1)
    turns.add(FakeShow(1, is_broken=True))
    turns.add(other)
    with capturedLogs() as logs:
        clock.advance(0)
    assert other.missed == 0
    assert [event["log_level"] for event in logs] == [LogLevel.critical]
