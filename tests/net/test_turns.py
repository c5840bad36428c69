"""The queue of clients whose input waits: how much of it one turn of the reactor takes."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from ump.net.limits import SLICE_PAUSE, SLICES_PER_TURN, SLICES_SECONDS
from ump.net.turns import Intake, Turns


class Stream:
    """A transport that notes whether it is read."""

    is_read = True

    def pauseProducing(self) -> None:
        """Read nothing."""
        self.is_read = False

    def resumeProducing(self) -> None:
        """Read again."""
        self.is_read = True

    def abortConnection(self) -> None:
        """Nothing is open."""


def test_clients_hear_how_long_their_input_has_waited() -> None:
    """Before each slice but the first, which waits for nobody, and no more after the end."""
    clock = Clock()
    turns, waited = Turns(clock), [0.0]
    intake = Intake(turns, Stream(), lambda: True, waited.append)
    intake.begin()
    assert waited == [0.0]
    clock.advance(0.5)
    clock.advance(0.25)
    assert sum(waited) == 0.75
    intake.close()
    clock.advance(1)
    assert sum(waited) == 0.75


@pytest.mark.parametrize(
    ("seconds", "slices"),
    [(0.0, SLICES_PER_TURN), (SLICES_SECONDS * 0.3, 4), (SLICES_SECONDS * 2, 1)],
    ids=["cheap", "dear", "very dear"],
)
def test_a_turn_ends_in_time(seconds: float, slices: int) -> None:
    """After some slices, or sooner if they take long; at least one is taken, so that everybody's turn comes."""
    clock = Clock()
    turns = Turns(clock)
    taken: list[int] = []

    def take(client: int) -> bool:
        """Take a slice, which needs some time."""
        taken.append(client)
        clock.rightNow += seconds
        return True

    for client in range(3):
        stream = Stream()
        Intake(turns, stream, lambda client=client: take(client)).begin()  # type: ignore[misc]
        assert not stream.is_read
    for turn in (1, 2):
        taken.clear()
        clock.advance(SLICE_PAUSE)
        assert len(taken) == slices
        first = (turn - 1) * slices
        assert taken == [number % 3 for number in range(first, first + slices)]
