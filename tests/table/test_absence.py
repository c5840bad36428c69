"""Seats whose clients have left, games with built-in bots, and games that all clients have left."""

from __future__ import annotations

from collections.abc import Callable

from support.rows import each_row
from support.table_driver import TableDriver, drive_table
from support.table_positions import (
    DRAWN,
    ONE_KYOKU,
    QUIET,
    after_call,
    at_call,
    at_chankan,
    at_declare,
    at_ready,
    at_turn,
)

from ump.model.claims import Claim, Verb
from ump.model.events import GameEnded
from ump.model.seats import LETTERS
from ump.table.journal_entries import End
from ump.table.messages import Ask, Finish, Lapse

POSITIONS = (at_turn, at_call, after_call, at_chankan, at_declare, at_ready)

every_position = each_row("position", POSITIONS)

HOURS = 3_600_000


def steps(driver: TableDriver, count: int) -> TableDriver:
    """Answer this many questions, each with its default."""
    for _ in range(count):
        seat, ask = next(iter(driver.open.items()))
        driver.answer(seat, Claim(Verb.YES) if ask.question is None else ask.question.default())
    return driver


def one_kyoku() -> TableDriver:
    """Return a game of one kyoku, at its first turn."""
    return drive_table(QUIET, DRAWN, rules=ONE_KYOKU)


QUESTIONS = len([message for message in one_kyoku().to_the_end().messages if isinstance(message, Ask)]) - 4
"""The number of questions in this game after the first ``ready?``."""


@each_row(
    ("position", "letter", "default"),
    [
        (at_turn, "A", "Discard"),
        (after_call, "C", "Discard"),
        (at_call, "B", "Pass"),
        (at_chankan, "C", "Pass"),
        (at_declare, "A", "DeclareTenpai"),
    ],
)
def test_default_after_leaving(position: Callable[[], TableDriver], letter: str, default: str) -> None:
    """When a client leaves, the next tick answers its open question with the default; the step of leaving does not."""
    driver = position()
    before = len(driver.accepted)
    assert not driver.leave(letter)
    due = driver.table.due()
    assert due is not None
    assert due <= driver.now
    driver.tick()
    assert driver.accepted[before:] == [f"{letter} {default} absent"]


def test_no_questions_after_leaving() -> None:
    """A seat whose client has left gets no more questions, and the game is completed."""
    driver = at_turn()
    driver.leave("B")
    driver.to_the_end()
    assert driver.end is End.COMPLETED
    assert not [message for message in driver.messages[10:] if isinstance(message, Ask | Lapse) and message.seat == 1]
    assert {line for line in driver.accepted if line.startswith("B")} <= {"B Discard absent", "B Pass absent"}


def test_ready_does_not_wait_for_the_absent() -> None:
    """A client that leaves while the others wait for it counts as ready."""
    driver = at_ready()("A ok", "C ok", "D ok")
    driver.leave("B")
    assert driver.asked == "A"


def test_ready_is_asked_of_connected_seats() -> None:
    """``ready?`` goes only to the seats whose clients are still there."""
    driver = at_turn()
    driver.leave("B")
    driver("A ryukyoku")
    assert driver.asked == "ACD"
    driver("C ok", "D ok", "A ok")
    assert driver.asked == "A"


def test_leaving_twice() -> None:
    """A seat that leaves a second time changes nothing."""
    driver = at_turn()
    driver.leave("B")
    assert not driver.leave("B")
    assert driver.end is None


def test_leaving_after_the_end() -> None:
    """Seats that leave after the end change nothing."""
    driver = one_kyoku().to_the_end()
    for letter in LETTERS:
        assert not driver.leave(letter)
    assert driver.end is End.COMPLETED


@every_position
@each_row("order", ["ABCD", "DCBA", "BDAC"])
def test_all_clients_leave(position: Callable[[], TableDriver], order: str) -> None:
    """When the last client leaves, the game ends as abandoned, and no messages follow."""
    driver = position()
    for letter in order[:3]:
        driver.leave(letter)
        assert driver.end is None
    told = len(driver.events)
    driver.leave(order[3])
    assert driver.last == [Finish(End.ABANDONED)]
    assert not driver.wait(HOURS)
    assert not driver.answer(0, Claim(Verb.YES), 1)
    assert len(driver.events) == told


@every_position
def test_built_in_bots_do_not_play_alone(position: Callable[..., TableDriver]) -> None:
    """When the last client leaves, the game is abandoned even if built-in bots have the other seats."""
    driver = position(clients="BD")
    driver.leave("D")
    assert driver.end is None
    driver.leave("B")
    assert driver.last == [Finish(End.ABANDONED)]


@each_row("step", range(QUESTIONS))
def test_one_client_leaves(step: int) -> None:
    """If a client leaves at any step, the game is completed without it."""
    driver = steps(one_kyoku(), step)
    if driver.end is None:
        driver.leave(LETTERS[step % len(LETTERS)])
        driver.to_the_end()
    assert driver.end is End.COMPLETED
    assert type(driver.events[-1]) is GameEnded


@each_row("step", range(0, QUESTIONS, 3))
def test_three_clients_leave(step: int) -> None:
    """If three clients leave at any step, the events are the same as if all played the defaults."""
    whole = one_kyoku().to_the_end()
    driver = steps(one_kyoku(), step)
    for place in range(1, len(LETTERS)):
        driver.leave(LETTERS[(step + place) % len(LETTERS)])
    driver.to_the_end()
    assert driver.events == whole.events


def test_absent_seats_play_one_decision_at_a_time() -> None:
    """Each tick plays one decision for an absent seat, so that other tables get their turn in between."""
    driver = at_call()
    driver.leave("B")
    driver.leave("C")
    driver.tick()
    assert driver.accepted[1:] == ["B Pass absent"]
    driver.tick()
    assert driver.accepted[1:] == ["B Pass absent", "C Pass absent"]


def test_absent_seats_have_no_timeouts() -> None:
    """A late tick plays one absent seat, and counts no timeout for it."""
    driver = at_call()
    driver.leave("B")
    driver.leave("C")
    driver.now += HOURS
    for letter in "BC":
        driver.tick()
        assert driver.accepted[-1] == f"{letter} Pass absent"
    assert not any(chair.timeouts for chair in driver.table.chairs)


def test_absent_seat_is_not_played_by_the_step_that_asks() -> None:
    """A tick that ends one question and asks an absent seat does not answer for it; the next tick does."""
    driver = at_turn()
    driver.leave("B")
    driver.now += 60_000
    driver.tick()
    assert driver.accepted == ["A Discard timeout"]
    driver.tick()
    assert driver.accepted == ["A Discard timeout", "B Discard absent"]


def test_a_tick_before_it_is_due() -> None:
    """A tick before anything is due changes nothing."""
    driver = at_call()
    assert not driver.tick()
    assert driver.asked == "BC"
