"""Illegal and unreadable answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.rows import each_row
from support.scenario import deals_of, game_of
from support.table_driver import TableDriver, drive_table
from support.table_positions import (
    DRAWN,
    ONE_KYOKU,
    QUIET,
    TENPAI,
    after_call,
    at_call,
    at_chankan,
    at_declare,
    at_ready,
    at_turn,
)

from ump.game.arranged_wall import build_wall
from ump.game.game import Game
from ump.model.actions import Action, Discard
from ump.model.claims import Claim, IllegalAction, Reason, Verb
from ump.model.events import Event, GameEnded, TenpaiDeclared, TileDiscarded
from ump.model.notation import parse_mpsz
from ump.model.seats import LETTERS, Seat
from ump.rules.ruleset import Ruleset
from ump.table.clock import GRACE, TimeControl
from ump.table.journal_entries import End, Faults
from ump.table.messages import Ask, Lapse, Refuse
from ump.table.table import Table

ASKED_AGAIN = [
    (at_turn, "A", "?", Reason.UNREADABLE),
    (at_turn, "A", "sute 8s", Reason.NOT_HELD),
    (at_turn, "A", "tsumo", Reason.NOT_COMPLETE),
    (at_turn, "A", "pon 5p 5p", Reason.NOT_ASKED),
    (at_turn, "A", "ankan 1m", Reason.NOT_HELD),
    (at_turn, "A", "richi 8m", Reason.NOT_TENPAI),
    (after_call, "C", "?", Reason.UNREADABLE),
    (after_call, "C", "ankan 3m", Reason.NOT_HELD),
    (after_call, "C", "sute 5p", Reason.NOT_HELD),
    (at_call, "B", "?", Reason.UNREADABLE),
    (at_call, "C", "pon 5p", Reason.UNREADABLE),
    (at_chankan, "C", "?", Reason.UNREADABLE),
    (at_declare, "A", "?", Reason.UNREADABLE),
    (at_declare, "A", "ron", Reason.NOT_ASKED),
    (at_ready, "A", "?", Reason.UNREADABLE),
    (at_ready, "A", "no", Reason.NOT_ASKED),
]
"""A position, a seat, its answer and the reason of the refusal: answers after which the seat is asked again."""

NO_CALL = [
    (at_call, "B", "chi 3p 4p", Reason.NOT_HELD),
    (at_call, "B", "pon 5p 5p", Reason.NOT_HELD),
    (at_call, "B", "ron", Reason.NOT_COMPLETE),
    (at_call, "C", "chi 4p 6p", Reason.NOT_HELD),
    (at_call, "C", "kan", Reason.NOT_HELD),
    (at_call, "C", "tsumo", Reason.NOT_ASKED),
    (at_chankan, "C", "pon 5m 5m", Reason.NOT_ASKED),
]
"""The same for illegal calls, after which the seat is not asked again."""


def at_two_chi() -> TableDriver:
    """B can call A's 5p in two ways."""
    hands = {**QUIET, "B": "258m3467p147s123z"}
    return drive_table(hands, DRAWN)("A sute 5p")


DEFAULTS = [
    (at_turn, "A", TileDiscarded(0, 7, tsumogiri=True)),
    (after_call, "C", TileDiscarded(2, 32, tsumogiri=False)),
    (at_declare, "A", TenpaiDeclared(0, True, parse_mpsz(TENPAI["A"]), ())),
]
"""Events of defaults: the drawn tile is discarded, after a call the rightmost one, and a tenpai hand is shown."""


def answer_to(driver: TableDriver, letter: str, order: str) -> int:
    """Give an answer; return the number of its question."""
    number = driver.open[LETTERS.index(letter)].number
    driver(f"{letter} {order}")
    return number


@each_row(("position", "letter", "order", "reason"), ASKED_AGAIN)
def test_asked_again(position: Callable[[], TableDriver], letter: str, order: str, reason: Reason) -> None:
    """The seat alone receives the refusal, and the same question with a new number."""
    driver = position()
    seat = LETTERS.index(letter)
    question = driver.open[seat].question
    number = answer_to(driver, letter, order)
    again = driver.open[seat]
    assert driver.last == [Refuse(seat, number, reason), again]
    assert again.question is question
    assert again.number > number
    assert driver.refused == [f"{letter} {reason.value}"]
    assert driver.table.chairs[seat].refusals == {reason: 1}


def test_an_ambiguous_call_is_asked_again() -> None:
    """A chi without tiles that could mean two runs is not illegal: the seat says which; the third one is a pass."""
    driver = at_two_chi()("B chi")
    assert driver.refused == ["B ambiguous"]
    assert "B" in driver.asked
    driver("B chi 4p 6p")
    assert driver.accepted[-1] == "B Chi answer"
    assert at_two_chi()("B chi", "B chi", "B chi").accepted[-1] == "B Pass retries"


@each_row(("position", "letter", "order", "reason"), NO_CALL)
def test_an_illegal_call_is_a_pass(
    position: Callable[[], TableDriver], letter: str, order: str, reason: Reason
) -> None:
    """An illegal call counts as ``no``: the seat is not asked again, and the others receive nothing about it."""
    driver = position()
    seat = LETTERS.index(letter)
    number = answer_to(driver, letter, order)
    assert driver.last[0] == Refuse(seat, number, reason)
    assert not [ask for ask in driver.last_of(Ask) if ask.seat == seat]
    assert driver.refused == [f"{letter} {reason.value}"]
    assert driver.accepted[-1] == f"{letter} Pass refused"


@each_row(
    ("position", "letter", "orders", "default"),
    [
        (at_turn, "A", ["?", "sute 8s", "tsumo"], "Discard"),
        (after_call, "C", ["?", "?", "?"], "Discard"),
        (at_call, "B", ["?", "?", "?"], "Pass"),
        (at_chankan, "C", ["?", "?", "?"], "Pass"),
        (at_declare, "A", ["?", "ron", "?"], "DeclareTenpai"),
    ],
)
def test_third_refusal_brings_the_default(
    position: Callable[[], TableDriver], letter: str, orders: list[str], default: str
) -> None:
    """A question is asked again twice; then the default is played and recorded as such."""
    driver = position()
    for order in orders:
        assert letter in driver.asked
        driver(f"{letter} {order}")
    assert driver.accepted[-1] == f"{letter} {default} retries"
    assert len(driver.refused) == 3


@each_row(("position", "letter", "told"), DEFAULTS)
def test_defaults(position: Callable[[], TableDriver], letter: str, told: Event) -> None:
    """The default reveals nothing about the hand."""
    driver = position()(f"{letter} ?", f"{letter} ?")
    before = len(driver.events)
    driver(f"{letter} ?")
    assert driver.events[before] == told


def test_ready_counts_after_three_refusals() -> None:
    """The third wrong answer to ``ready?`` counts as ``ok``."""
    driver = at_ready()("A ?", "A no", "A sute 1m")
    assert driver.asked == "BCD"
    driver("B ok", "C ok", "D ok")
    assert driver.asked == "A"


def test_unreadable_answer_then_illegal_call() -> None:
    """After an unreadable answer, an illegal call still counts as a pass."""
    driver = at_call()("B ?", "B ron")
    assert driver.asked == "C"
    assert driver.accepted[-1] == "B Pass refused"


def test_retries_count_for_one_question() -> None:
    """Each question has its own number of retries."""
    driver = at_turn()("A ?", "A ?", "A sute 8m", "B ?", "B ?")
    assert driver.asked == "B"
    assert len(driver.refused) == 4


def test_old_number_is_stale_once_asked_again() -> None:
    """An answer with the old number of a question that was asked again is stale."""
    driver = at_turn()
    old = driver.open[0].number
    driver("A ?")
    assert not driver.answer(0, Claim(Verb.DISCARD, parse_mpsz(DRAWN)), old)
    assert (driver.table.chairs[0].stale, driver.asked) == (1, "A")


def test_asking_again_gives_no_time() -> None:
    """The deadline of a question that is asked again stays the same, and the question states the time left."""
    driver = at_turn()
    driver.wait(4_000)
    driver("A ?")
    assert (driver.open[0].move, driver.open[0].bank) == (6_000, 20_000)
    driver.wait(11_000)
    driver("A sute 8s")
    assert (driver.open[0].move, driver.open[0].bank) == (0, 15_000)
    assert not driver.wait(15_250)
    driver.wait(250)
    assert driver.accepted == ["A Discard timeout"]


def test_refused_call_costs_time_too() -> None:
    """The time for a refused call is charged to the bank."""
    driver = at_call()
    driver.wait(12_500)
    driver("B ron")
    assert driver.table.chairs[1].clock.bank == 18_000


def test_illegal_actions_are_refused() -> None:
    """An illegal Action, as a built-in bot could give it, is refused like a claim."""
    driver = at_turn()
    driver.answer(0, Discard(25))
    assert driver.last_of(Refuse) == [Refuse(0, driver.open[0].number - 1, Reason.NOT_HELD)]


class BrokenGame(Game):
    """A game with a bug: it refuses the actions that its own question allows."""

    def take(self, seat: Seat, action: Action) -> list[Event]:
        """Refuse everything."""
        raise IllegalAction(Reason.NOT_ASKED)


@pytest.mark.interpreted
def test_bug_of_the_game_is_not_swallowed() -> None:
    """If the game refuses an action that its question allowed, the step raises, and nothing is recorded or sent."""
    wall = build_wall(QUIET, DRAWN)
    table = Table(BrokenGame(Ruleset(), LETTERS, deals_of(wall)), TimeControl())
    asked = [message for message in table.begin(0).messages if isinstance(message, Ask)]
    for ask in asked:
        step = table.answer(ask.seat, ask.number, Claim(Verb.YES), 0)
    (turn,) = [message for message in step.messages if isinstance(message, Ask)]
    with pytest.raises(IllegalAction):
        table.answer(0, turn.number, Claim(Verb.DISCARD, parse_mpsz(DRAWN)), 0)
    assert not any(chair.refusals for chair in table.chairs)


def test_refusals_change_nothing_in_the_game() -> None:
    """Refused answers do not change the events of a game."""
    plain = at_declare().to_the_end()
    stubborn = at_declare()
    for letter in "ABCD":
        stubborn(f"{letter} ?", f"{letter} ron", f"{letter} yes")
    stubborn.to_the_end()
    assert stubborn.events == plain.events
    assert type(stubborn.events[-1]) is GameEnded


@each_row("faults", list(Faults))
def test_after_too_many_refusals_the_table_does_not_wait_for_a_seat(faults: Faults) -> None:
    """The seat hears about it, and its defaults are played at once until the game is over, without a foul."""
    wall = build_wall(QUIET, DRAWN)
    driver = TableDriver(lambda: game_of(ONE_KYOKU, wall), refusals=2, faults=faults).ready()
    driver("A ?")
    assert driver.table.due() == driver.now + 30_000 + GRACE
    driver("A sute 8s")
    number = driver.open[0].number
    driver.tick()
    assert driver.last[0] == Lapse(0, number, by_time=True, left=0)
    driver.mute = "A"
    driver.to_the_end()
    assert driver.end is End.COMPLETED
    assert {entry.split()[-1] for entry in driver.accepted if entry.startswith("A ")} == {"absent"}
    assert driver.now < 1_100_000
