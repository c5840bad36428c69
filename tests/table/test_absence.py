"""Seats whose connection is gone, house players, and the end of a game that nobody plays any more."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.table_driver import TableDriver, drive_table
from support.table_positions import DRAWN, ONE_KYOKU, QUIET, after_call, at_call, at_declare, at_ready, at_rob, at_turn

from ump.model.claims import Claim, Verb
from ump.model.events import GameEnded
from ump.model.seats import LETTERS
from ump.table.messages import Ask, Finish, Lapse
from ump.table.outcomes import End

POSITIONS = (at_turn, at_call, after_call, at_rob, at_declare, at_ready)

every_position = pytest.mark.parametrize("position", POSITIONS)

HOURS = 3_600.0


def steps(driver: TableDriver, count: int) -> TableDriver:
    """Let so many questions be answered, the next one by whoever is asked first."""
    for _ in range(count):
        seat, ask = next(iter(driver.open.items()))
        driver.answer(seat, Claim(Verb.YES) if ask.question is None else ask.question.default())
    return driver


def one_kyoku() -> TableDriver:
    """A game of one kyoku, at its first turn."""
    return drive_table(QUIET, DRAWN, rules=ONE_KYOKU)


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
def test_who_leaves_is_played_at_once(position: Callable[[], TableDriver], letter: str, default: str) -> None:
    """The open question is answered by the default as soon as the table is let, not within the leaving itself."""
    driver = position()
    before = len(driver.accepted)
    assert not driver.leave(letter)
    due = driver.table.due()
    assert due is not None
    assert due <= driver.now
    driver.tick()
    assert driver.accepted[before:] == [f"{letter} {default} absent"]


def test_who_leaves_is_asked_nothing_more() -> None:
    """Nobody is there to read it; the others go on."""
    driver = at_turn()
    driver.leave("B")
    driver.to_the_end()
    assert driver.end is End.COMPLETED
    assert not [message for message in driver.messages[10:] if isinstance(message, Ask | Lapse) and message.seat == 1]
    assert {line for line in driver.accepted if line.startswith("B")} <= {"B Discard absent", "B Pass absent"}


def test_ready_does_not_wait_for_the_absent() -> None:
    """Who leaves while everybody waits for it is ready."""
    driver = at_ready()("A ok", "C ok", "D ok")
    driver.leave("B")
    assert driver.asked == "A"


def test_ready_is_asked_of_those_who_are_there() -> None:
    """The absent count as ready from the first."""
    driver = at_turn()
    driver.leave("B")
    driver("A ryukyoku")
    assert driver.asked == "ACD"
    driver("C ok", "D ok", "A ok")
    assert driver.asked == "A"


def test_leaving_twice_is_leaving_once() -> None:
    """A connection that is gone cannot go."""
    driver = at_turn()
    driver.leave("B")
    assert not driver.leave("B")
    assert driver.end is None


def test_leaving_after_the_end() -> None:
    """A game that is over stays as it ended."""
    driver = one_kyoku().to_the_end()
    for letter in LETTERS:
        assert not driver.leave(letter)
    assert driver.end is End.COMPLETED


@every_position
@pytest.mark.parametrize("order", ["ABCD", "DCBA", "BDAC"])
def test_nobody_left(position: Callable[[], TableDriver], order: str) -> None:
    """When the last client is gone the game ends there, as abandoned, and nothing follows."""
    driver = position()
    for letter in order[:3]:
        driver.leave(letter)
        assert driver.end is None
    told = len(driver.told)
    driver.leave(order[3])
    assert driver.last == [Finish(End.ABANDONED)]
    assert not driver.wait(HOURS)
    assert not driver.answer(0, Claim(Verb.YES), 1)
    assert len(driver.told) == told


@every_position
def test_house_players_do_not_play_alone(position: Callable[..., TableDriver]) -> None:
    """A game is for its clients: it ends with the last of them, though house players are still there."""
    driver = position(clients="BD")
    driver.leave("D")
    assert driver.end is None
    driver.leave("B")
    assert driver.last == [Finish(End.ABANDONED)]


@pytest.mark.parametrize("step", range(QUESTIONS))
def test_one_leaves_anywhere(step: int) -> None:
    """Wherever a client leaves, the game goes on to its end without it."""
    driver = steps(one_kyoku(), step)
    if driver.end is None:
        driver.leave(LETTERS[step % len(LETTERS)])
        driver.to_the_end()
    assert driver.end is End.COMPLETED
    assert type(driver.told[-1]) is GameEnded


@pytest.mark.parametrize("step", range(0, QUESTIONS, 3))
def test_all_but_one_leave_anywhere(step: int) -> None:
    """One client is enough, and is told the same game as when all had stayed and played the defaults."""
    whole = one_kyoku().to_the_end()
    driver = steps(one_kyoku(), step)
    for place in range(1, len(LETTERS)):
        driver.leave(LETTERS[(step + place) % len(LETTERS)])
    driver.to_the_end()
    assert driver.told == whole.told


def test_absent_seats_play_one_decision_at_a_time() -> None:
    """Two who are gone take two ticks, so that other tables get their turn in between."""
    driver = at_call()
    driver.leave("B")
    driver.leave("C")
    driver.tick()
    assert driver.accepted[1:] == ["B Pass absent"]
    driver.tick()
    assert driver.accepted[1:] == ["B Pass absent", "C Pass absent"]


def test_absent_seats_do_not_run_out() -> None:
    """However late the table is let, a seat that is gone is played as absent, one at a time."""
    driver = at_call()
    driver.leave("B")
    driver.leave("C")
    driver.now += HOURS
    for letter in "BC":
        driver.tick()
        assert driver.accepted[-1] == f"{letter} Pass absent"
    assert not any(chair.timeouts for chair in driver.table.chairs)


def test_absent_seat_is_not_played_by_the_step_that_asks() -> None:
    """What runs out asks the next seat, and that seat's default comes with the next tick."""
    driver = at_turn()
    driver.leave("B")
    driver.now += 60.0
    driver.tick()
    assert driver.accepted == ["A Discard timeout"]
    driver.tick()
    assert driver.accepted == ["A Discard timeout", "B Discard absent"]


def test_nothing_to_do() -> None:
    """A tick before anything is due changes nothing."""
    driver = at_call()
    assert not driver.tick()
    assert driver.asked == "BC"
