"""Seats whose connection is gone, house players, and the end of a game that nobody plays any more."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.seated import DRAWN, ONE_KYOKU, QUIET, after_call, at_call, at_declare, at_ready, at_rob, at_turn
from support.sitting import Sitting, sitting

from ump.model.claims import Claim, Verb
from ump.model.events import GameEnded
from ump.model.seats import LETTERS
from ump.table.messages import Ask, Finish, Lapse
from ump.table.outcomes import End

POSITIONS = (at_turn, at_call, after_call, at_rob, at_declare, at_ready)

every_position = pytest.mark.parametrize("position", POSITIONS)

HOURS = 3_600.0


def steps(seated: Sitting, count: int) -> Sitting:
    """Let so many questions be answered, the next one by whoever is asked first."""
    for _ in range(count):
        seat, ask = next(iter(seated.open.items()))
        seated.answer(seat, Claim(Verb.YES) if ask.question is None else ask.question.default())
    return seated


def one_kyoku() -> Sitting:
    """A game of one kyoku, at its first turn."""
    return sitting(QUIET, DRAWN, rules=ONE_KYOKU)


QUESTIONS = len([message for message in one_kyoku().to_the_end().messages if isinstance(message, Ask)]) - 4
"""How many are asked in it after the first ``ready?``."""


@pytest.mark.parametrize(
    ("position", "letter", "default"),
    [
        (at_turn, "A", "Discard"),
        (after_call, "C", "Discard"),
        (at_call, "B", "Pass"),
        (at_rob, "C", "Pass"),
        (at_declare, "A", "DeclareTenpai"),
    ],
)
def test_who_leaves_is_played_at_once(position: Callable[[], Sitting], letter: str, default: str) -> None:
    """The open question is answered by the default as soon as the table is let, not within the leaving itself."""
    seated = position()
    before = len(seated.accepted)
    assert not seated.leave(letter)
    due = seated.table.due()
    assert due is not None
    assert due <= seated.now
    seated.tick()
    assert seated.accepted[before:] == [f"{letter} {default} absent"]


def test_who_leaves_is_asked_nothing_more() -> None:
    """Nobody is there to read it; the others go on."""
    seated = at_turn()
    seated.leave("B")
    seated.to_the_end()
    assert seated.end is End.COMPLETED
    assert not [message for message in seated.messages[10:] if isinstance(message, Ask | Lapse) and message.seat == 1]
    assert {line for line in seated.accepted if line.startswith("B")} <= {"B Discard absent", "B Pass absent"}


def test_ready_does_not_wait_for_the_absent() -> None:
    """Who leaves while everybody waits for it is ready."""
    seated = at_ready()("A ok", "C ok", "D ok")
    seated.leave("B")
    assert seated.asked == "A"


def test_ready_is_asked_of_those_who_are_there() -> None:
    """The absent count as ready from the first."""
    seated = at_turn()
    seated.leave("B")
    seated("A ryukyoku")
    assert seated.asked == "ACD"
    seated("C ok", "D ok", "A ok")
    assert seated.asked == "A"


def test_leaving_twice_is_leaving_once() -> None:
    """A connection that is gone cannot go."""
    seated = at_turn()
    seated.leave("B")
    assert not seated.leave("B")
    assert seated.end is None


def test_leaving_after_the_end() -> None:
    """A game that is over stays as it ended."""
    seated = one_kyoku().to_the_end()
    for letter in LETTERS:
        assert not seated.leave(letter)
    assert seated.end is End.COMPLETED


@every_position
@pytest.mark.parametrize("order", ["ABCD", "DCBA", "BDAC"])
def test_nobody_left(position: Callable[[], Sitting], order: str) -> None:
    """When the last client is gone the game ends there, as abandoned, and nothing follows."""
    seated = position()
    for letter in order[:3]:
        seated.leave(letter)
        assert seated.end is None
    told = len(seated.told)
    seated.leave(order[3])
    assert seated.last == [Finish(End.ABANDONED)]
    assert not seated.wait(HOURS)
    assert not seated.answer(0, Claim(Verb.YES), 1)
    assert len(seated.told) == told


@every_position
def test_house_players_do_not_play_alone(position: Callable[..., Sitting]) -> None:
    """A game is for its clients: it ends with the last of them, though house players are still there."""
    seated = position(clients="BD")
    seated.leave("D")
    assert seated.end is None
    seated.leave("B")
    assert seated.last == [Finish(End.ABANDONED)]


@pytest.mark.parametrize("step", range(QUESTIONS))
def test_one_leaves_anywhere(step: int) -> None:
    """Wherever a client leaves, the game goes on to its end without it."""
    seated = steps(one_kyoku(), step)
    if seated.end is None:
        seated.leave(LETTERS[step % len(LETTERS)])
        seated.to_the_end()
    assert seated.end is End.COMPLETED
    assert type(seated.told[-1]) is GameEnded


@pytest.mark.parametrize("step", range(0, QUESTIONS, 3))
def test_all_but_one_leave_anywhere(step: int) -> None:
    """One client is enough, and is told the same game as when all had stayed and played the defaults."""
    whole = one_kyoku().to_the_end()
    seated = steps(one_kyoku(), step)
    for place in range(1, len(LETTERS)):
        seated.leave(LETTERS[(step + place) % len(LETTERS)])
    seated.to_the_end()
    assert seated.told == whole.told


def test_absent_seats_play_one_decision_at_a_time() -> None:
    """Two who are gone take two ticks, so that other tables get their turn in between."""
    seated = at_call()
    seated.leave("B")
    seated.leave("C")
    seated.tick()
    assert seated.accepted[1:] == ["B Pass absent"]
    seated.tick()
    assert seated.accepted[1:] == ["B Pass absent", "C Pass absent"]


def test_absent_seats_do_not_run_out() -> None:
    """However late the table is let, a seat that is gone is played as absent, one at a time."""
    seated = at_call()
    seated.leave("B")
    seated.leave("C")
    seated.now += HOURS
    for letter in "BC":
        seated.tick()
        assert seated.accepted[-1] == f"{letter} Pass absent"
    assert not any(chair.timeouts for chair in seated.table.chairs)


def test_absent_seat_is_not_played_by_the_step_that_asks() -> None:
    """What runs out asks the next seat, and that seat's default comes with the next tick."""
    seated = at_turn()
    seated.leave("B")
    seated.now += 60.0
    seated.tick()
    assert seated.accepted == ["A Discard timeout"]
    seated.tick()
    assert seated.accepted == ["A Discard timeout", "B Discard absent"]


def test_nothing_to_do() -> None:
    """A tick before anything is due changes nothing."""
    seated = at_call()
    assert not seated.tick()
    assert seated.asked == "BC"
