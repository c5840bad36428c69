"""By when each must answer, and what happens when it does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.scenario import game_of, laid
from support.table_driver import START, TableDriver, drive_table
from support.table_positions import QUIET, after_call, at_call, at_declare, at_ready, at_rob, at_turn

from ump.model.claims import Claim, Verb
from ump.model.events import KyokuStarted
from ump.model.notation import parse_mpsz
from ump.model.phases import Phase
from ump.model.seats import LETTERS
from ump.rules.ruleset import Ruleset
from ump.table.clock import GRACE, TimeControl
from ump.table.journal_entries import AnswerRefused
from ump.table.messages import Lapse

MOVE, BANK = 10.0, 20.0


@pytest.mark.parametrize(
    ("position", "letter", "seconds", "default"),
    [
        (at_turn, "A", MOVE + BANK + GRACE, "Discard"),
        (after_call, "C", MOVE + BANK + GRACE, "Discard"),
        (at_call, "B", MOVE + BANK + GRACE, "Pass"),
        (at_rob, "C", MOVE + BANK + GRACE, "Pass"),
        (at_declare, "A", MOVE + GRACE, "DeclareTenpai"),
    ],
)
def test_time_runs_out(position: Callable[[], TableDriver], letter: str, seconds: float, default: str) -> None:
    """At its deadline, and not before, a question lapses and the default is played."""
    driver = position()
    seat = LETTERS.index(letter)
    number = driver.open[seat].number
    assert driver.table.due() == START + seconds
    assert not driver.wait(seconds - 0.25)
    driver.wait(0.25)
    assert driver.last[0] == Lapse(seat, number, by_time=True)
    assert f"{letter} {default} timeout" in driver.accepted
    assert driver.table.chairs[seat].timeouts == 1


def test_ready_does_not_wait_for_ever() -> None:
    """After the seconds of the move whoever has not answered is ready too."""
    driver = at_ready()("A ok", "C ok")
    assert not driver.wait(MOVE + GRACE - 0.25)
    driver.wait(0.25)
    assert [lapse.seat for lapse in driver.said(Lapse)] == [1, 3]
    assert isinstance(driver.told[-7], KyokuStarted)
    assert driver.asked == "A"


def test_answer_within_the_grace_counts() -> None:
    """What was written in time has half a second for the way."""
    driver = at_turn()
    driver.wait(MOVE + BANK + GRACE - 0.125)
    driver("A sute 1z")
    assert driver.accepted == ["A Discard answer"]


def test_late_answer_is_stale() -> None:
    """At the deadline the default is due, even when the table has not been told what time it is."""
    driver = at_turn()
    number = driver.open[0].number
    driver.now += MOVE + BANK + GRACE
    driver.answer(0, Claim(Verb.DISCARD, parse_mpsz("1z")))
    assert driver.last[0] == Lapse(0, number, by_time=True)
    assert driver.accepted == ["A Discard timeout"]
    assert driver.table.chairs[0].stale == 1
    assert not [entry for entry in driver.entries if isinstance(entry, AnswerRefused)]


def test_each_seat_has_its_own_clock() -> None:
    """A clock starts when its question is asked."""
    driver = at_call()
    driver.wait(20.5)
    driver("C pon 5p 5p")
    assert driver.table.due() == START + 20.5 + MOVE + (BANK - 10.0) + GRACE
    driver.wait(5.0)
    driver("C sute 1z")
    clocks = [chair.clock.bank for chair in driver.table.chairs]
    assert clocks == [BANK, BANK - 10.0, BANK - 10.0, BANK]


def test_who_is_overtaken_pays_for_the_time_it_took() -> None:
    """B has thought for as long as C when C's pon decides."""
    driver = at_call()
    driver.wait(15.5)
    driver("C pon 5p 5p")
    assert driver.table.chairs[1].clock.bank == BANK - 5.0


def test_bank_is_shown_and_shrinks() -> None:
    """The next question says what is left of the bank."""
    driver = at_turn()
    driver.wait(MOVE + GRACE + 4.0)
    driver("A sute 8m").until_asked("A")
    assert (driver.open[0].move, driver.open[0].bank) == (MOVE, BANK - 4.0)


def test_bank_is_full_again_at_every_kyoku() -> None:
    """Whatever was thought before."""
    driver = at_turn()
    driver.wait(MOVE + BANK)
    driver("A ryukyoku").ready()
    assert (driver.open[0].move, driver.open[0].bank) == (MOVE, BANK)


def test_bank_that_ran_out_is_empty() -> None:
    """The next question of the kyoku has the seconds of the move alone."""
    driver = at_turn()
    driver.wait(MOVE + BANK + GRACE)
    driver.until_asked("A")
    assert (driver.open[0].move, driver.open[0].bank) == (MOVE, 0.0)
    assert driver.table.due() == driver.now + MOVE + GRACE


def test_declaring_takes_nothing_from_the_bank() -> None:
    """``tenpai?`` has the seconds of the move alone, and costs no others, even when it is closed late."""
    driver = at_declare()
    driver.wait(MOVE)
    driver("A yes")
    driver.now += 60.0
    driver.tick()
    assert [chair.clock.bank for chair in driver.table.chairs] == [BANK] * 4


def test_three_silent_questions() -> None:
    """A seat that lets three questions in a row run out is not waited for any more."""
    driver = at_turn(TimeControl(MOVE, 0.0))
    for count in (1, 2, 3):
        driver.until_asked("A")
        assert not driver.wait(MOVE)
        driver.wait(GRACE)
        assert driver.table.chairs[0].silent == count
    driver.until_asked("A")
    number = driver.open[0].number
    assert driver.table.due() == driver.now
    driver.tick()
    assert driver.last[0] == Lapse(0, number, by_time=True)
    assert driver.accepted[-1] == "A Discard absent"
    assert driver.table.chairs[0].timeouts == 3


@pytest.mark.parametrize("seconds", [0.0, 5.0])
def test_any_line_wakes_a_silent_seat(seconds: float) -> None:
    """Its open question has all of its time then, from when it was asked."""
    driver = silent()
    driver.now += seconds
    driver.hear("A")
    assert driver.table.chairs[0].silent == 0
    assert driver.table.due() == driver.now - seconds + MOVE + GRACE
    assert not driver.tick()
    driver("A sute 1z")
    assert driver.accepted[-1] == "A Discard answer"


@pytest.mark.parametrize("wrong", [0, 1])
def test_answer_wakes_a_silent_seat(wrong: int) -> None:
    """An answer is a line, also a stale one."""
    driver = silent()
    driver.answer(0, Claim(Verb.DISCARD, parse_mpsz("1z")), driver.open[0].number - wrong)
    assert driver.table.chairs[0].silent == 0
    assert driver.table.chairs[0].is_awaited


def test_late_answer_wakes_a_silent_seat() -> None:
    """Somebody is there, if only too late."""
    driver = at_turn(TimeControl(MOVE, 0.0))
    for _ in range(3):
        driver.until_asked("A")
        driver.now += MOVE + GRACE
        driver.answer(0, Claim(Verb.DISCARD, parse_mpsz("1z")))
    assert driver.table.chairs[0].timeouts == 3
    driver.until_asked("A")
    assert driver.table.due() == driver.now + MOVE + GRACE


def test_answers_in_between_break_the_row() -> None:
    """Two silent questions and an answer make a new beginning."""
    driver = at_turn(TimeControl(MOVE, 0.0))
    for silent_so_far in (0, 1, 2, 0, 1, 2):
        driver.until_asked("A")
        assert driver.table.chairs[0].silent == silent_so_far
        if silent_so_far == 2:
            driver.defaults()
        else:
            driver.wait(MOVE + GRACE)
    assert driver.table.chairs[0].is_awaited


def test_others_decide_is_no_silence() -> None:
    """A question that others closed did not run out."""
    driver = at_call()("C pon 5p 5p")
    assert [chair.silent for chair in driver.table.chairs] == [0] * 4


def test_silent_seat_is_asked_like_anybody() -> None:
    """It gets every question, ``ready?`` too: who listens without answering misses nothing."""
    driver = silent()
    driver.mute = "A"
    driver.until(None)
    assert driver.asked == "ABCD"
    number = driver.open[0].number
    driver.tick()
    assert driver.last == [Lapse(0, number, by_time=True)]
    driver("B ok", "C ok", "D ok")
    assert driver.phase is Phase.TURN


def test_ready_is_a_question_too() -> None:
    """Who never says anything has been silent once when the first kyoku starts."""
    driver = TableDriver(lambda: game_of(Ruleset(), laid(QUIET)))
    driver.wait(MOVE + GRACE)
    assert driver.phase is Phase.TURN
    assert [chair.silent for chair in driver.table.chairs] == [1] * 4


def test_table_of_the_silent_comes_to_its_end() -> None:
    """A game with nobody who answers takes three questions of time for each, and then no more."""
    driver = drive_table(QUIET, "", TimeControl(MOVE, 0.0))
    driver.wait(24 * 3_600.0)
    assert driver.table.end is not None
    causes = [line.split()[-1] for line in driver.accepted]
    assert causes.count("timeout") <= 12


def silent() -> TableDriver:
    """A has let three questions run out, and is asked again."""
    driver = at_turn(TimeControl(MOVE, 0.0))
    for _ in range(3):
        driver.until_asked("A").wait(MOVE + GRACE)
    return driver.until_asked("A")
