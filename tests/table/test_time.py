"""By when each must answer, and what happens when it does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.scenario import game_of, laid
from support.seated import QUIET, after_call, at_call, at_declare, at_ready, at_rob, at_turn
from support.sitting import START, Sitting, sitting

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
def test_time_runs_out(position: Callable[[], Sitting], letter: str, seconds: float, default: str) -> None:
    """At its deadline, and not before, a question lapses and the default is played."""
    seated = position()
    seat = LETTERS.index(letter)
    number = seated.open[seat].number
    assert seated.table.due() == START + seconds
    assert not seated.wait(seconds - 0.25)
    seated.wait(0.25)
    assert seated.last[0] == Lapse(seat, number, by_time=True)
    assert f"{letter} {default} timeout" in seated.accepted
    assert seated.table.chairs[seat].timeouts == 1


def test_ready_does_not_wait_for_ever() -> None:
    """After the seconds of the move whoever has not answered is ready too."""
    seated = at_ready()("A ok", "C ok")
    assert not seated.wait(MOVE + GRACE - 0.25)
    seated.wait(0.25)
    assert [lapse.seat for lapse in seated.said(Lapse)] == [1, 3]
    assert isinstance(seated.told[-7], KyokuStarted)
    assert seated.asked == "A"


def test_answer_within_the_grace_counts() -> None:
    """What was written in time has half a second for the way."""
    seated = at_turn()
    seated.wait(MOVE + BANK + GRACE - 0.125)
    seated("A sute 1z")
    assert seated.accepted == ["A Discard answer"]


def test_late_answer_is_stale() -> None:
    """At the deadline the default is due, even when the table has not been told what time it is."""
    seated = at_turn()
    number = seated.open[0].number
    seated.now += MOVE + BANK + GRACE
    seated.answer(0, Claim(Verb.DISCARD, parse_mpsz("1z")))
    assert seated.last[0] == Lapse(0, number, by_time=True)
    assert seated.accepted == ["A Discard timeout"]
    assert seated.table.chairs[0].stale == 1
    assert not [entry for entry in seated.entries if isinstance(entry, AnswerRefused)]


def test_each_seat_has_its_own_clock() -> None:
    """A clock starts when its question is asked."""
    seated = at_call()
    seated.wait(20.5)
    seated("C pon 5p 5p")
    assert seated.table.due() == START + 20.5 + MOVE + (BANK - 10.0) + GRACE
    seated.wait(5.0)
    seated("C sute 1z")
    clocks = [chair.clock.bank for chair in seated.table.chairs]
    assert clocks == [BANK, BANK - 10.0, BANK - 10.0, BANK]


def test_who_is_overtaken_pays_for_the_time_it_took() -> None:
    """B has thought for as long as C when C's pon decides."""
    seated = at_call()
    seated.wait(15.5)
    seated("C pon 5p 5p")
    assert seated.table.chairs[1].clock.bank == BANK - 5.0


def test_bank_is_shown_and_shrinks() -> None:
    """The next question says what is left of the bank."""
    seated = at_turn()
    seated.wait(MOVE + GRACE + 4.0)
    seated("A sute 8m").until_asked("A")
    assert (seated.open[0].move, seated.open[0].bank) == (MOVE, BANK - 4.0)


def test_bank_is_full_again_at_every_kyoku() -> None:
    """Whatever was thought before."""
    seated = at_turn()
    seated.wait(MOVE + BANK)
    seated("A ryukyoku").ready()
    assert (seated.open[0].move, seated.open[0].bank) == (MOVE, BANK)


def test_bank_that_ran_out_is_empty() -> None:
    """The next question of the kyoku has the seconds of the move alone."""
    seated = at_turn()
    seated.wait(MOVE + BANK + GRACE)
    seated.until_asked("A")
    assert (seated.open[0].move, seated.open[0].bank) == (MOVE, 0.0)
    assert seated.table.due() == seated.now + MOVE + GRACE


def test_declaring_takes_nothing_from_the_bank() -> None:
    """``tenpai?`` has the seconds of the move alone, and costs no others, even when it is closed late."""
    seated = at_declare()
    seated.wait(MOVE)
    seated("A yes")
    seated.now += 60.0
    seated.tick()
    assert [chair.clock.bank for chair in seated.table.chairs] == [BANK] * 4


def test_three_silent_questions() -> None:
    """A seat that lets three questions in a row run out is not waited for any more."""
    seated = at_turn(TimeControl(MOVE, 0.0))
    for count in (1, 2, 3):
        seated.until_asked("A")
        assert not seated.wait(MOVE)
        seated.wait(GRACE)
        assert seated.table.chairs[0].silent == count
    seated.until_asked("A")
    number = seated.open[0].number
    assert seated.table.due() == seated.now
    seated.tick()
    assert seated.last[0] == Lapse(0, number, by_time=True)
    assert seated.accepted[-1] == "A Discard absent"
    assert seated.table.chairs[0].timeouts == 3


@pytest.mark.parametrize("seconds", [0.0, 5.0])
def test_any_line_wakes_a_silent_seat(seconds: float) -> None:
    """Its open question has all of its time then, from when it was asked."""
    seated = silent()
    seated.now += seconds
    seated.hear("A")
    assert seated.table.chairs[0].silent == 0
    assert seated.table.due() == seated.now - seconds + MOVE + GRACE
    assert not seated.tick()
    seated("A sute 1z")
    assert seated.accepted[-1] == "A Discard answer"


@pytest.mark.parametrize("wrong", [0, 1])
def test_answer_wakes_a_silent_seat(wrong: int) -> None:
    """An answer is a line, also a stale one."""
    seated = silent()
    seated.answer(0, Claim(Verb.DISCARD, parse_mpsz("1z")), seated.open[0].number - wrong)
    assert seated.table.chairs[0].silent == 0
    assert seated.table.chairs[0].is_awaited


def test_late_answer_wakes_a_silent_seat() -> None:
    """Somebody is there, if only too late."""
    seated = at_turn(TimeControl(MOVE, 0.0))
    for _ in range(3):
        seated.until_asked("A")
        seated.now += MOVE + GRACE
        seated.answer(0, Claim(Verb.DISCARD, parse_mpsz("1z")))
    assert seated.table.chairs[0].timeouts == 3
    seated.until_asked("A")
    assert seated.table.due() == seated.now + MOVE + GRACE


def test_answers_in_between_break_the_row() -> None:
    """Two silent questions and an answer make a new beginning."""
    seated = at_turn(TimeControl(MOVE, 0.0))
    for silent_so_far in (0, 1, 2, 0, 1, 2):
        seated.until_asked("A")
        assert seated.table.chairs[0].silent == silent_so_far
        if silent_so_far == 2:
            seated.defaults()
        else:
            seated.wait(MOVE + GRACE)
    assert seated.table.chairs[0].is_awaited


def test_others_decide_is_no_silence() -> None:
    """A question that others closed did not run out."""
    seated = at_call()("C pon 5p 5p")
    assert [chair.silent for chair in seated.table.chairs] == [0] * 4


def test_silent_seat_is_asked_like_anybody() -> None:
    """It gets every question, ``ready?`` too: who listens without answering misses nothing."""
    seated = silent()
    seated.mute = "A"
    seated.until(None)
    assert seated.asked == "ABCD"
    number = seated.open[0].number
    seated.tick()
    assert seated.last == [Lapse(0, number, by_time=True)]
    seated("B ok", "C ok", "D ok")
    assert seated.phase is Phase.TURN


def test_ready_is_a_question_too() -> None:
    """Who never says anything has been silent once when the first kyoku starts."""
    seated = Sitting(lambda: game_of(Ruleset(), laid(QUIET)))
    seated.wait(MOVE + GRACE)
    assert seated.phase is Phase.TURN
    assert [chair.silent for chair in seated.table.chairs] == [1] * 4


def test_table_of_the_silent_comes_to_its_end() -> None:
    """A game with nobody who answers takes three questions of time for each, and then no more."""
    seated = sitting(QUIET, "", TimeControl(MOVE, 0.0))
    seated.wait(24 * 3_600.0)
    assert seated.table.end is not None
    causes = [line.split()[-1] for line in seated.accepted]
    assert causes.count("timeout") <= 12


def silent() -> Sitting:
    """A has let three questions run out, and is asked again."""
    seated = at_turn(TimeControl(MOVE, 0.0))
    for _ in range(3):
        seated.until_asked("A").wait(MOVE + GRACE)
    return seated.until_asked("A")
