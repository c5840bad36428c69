"""Deadlines of answers, the bank, and seats that do not answer."""

from __future__ import annotations

from collections.abc import Callable

from support.rows import each_row
from support.scenario import game_of
from support.table_driver import START, TableDriver, drive_table
from support.table_positions import QUIET, after_call, at_call, at_chankan, at_declare, at_ready, at_turn

from ump.game.arranged_wall import build_wall
from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.claims import Claim, Verb
from ump.model.events import KyokuStarted
from ump.model.notation import parse_mpsz
from ump.model.phases import Phase
from ump.model.seats import LETTERS
from ump.rules.ruleset import Ruleset
from ump.table.clock import GRACE, TimeControl
from ump.table.journal_entries import AnswerRefused
from ump.table.messages import Lapse
from ump.table.table import Table

MOVE, BANK = 10_000, 20_000
"""Milliseconds."""


@each_row(
    ("position", "letter", "spent", "default"),
    [
        (at_turn, "A", MOVE + BANK + GRACE, "Discard"),
        (after_call, "C", MOVE + BANK + GRACE, "Discard"),
        (at_call, "B", MOVE + BANK + GRACE, "Pass"),
        (at_chankan, "C", MOVE + BANK + GRACE, "Pass"),
        (at_declare, "A", MOVE + GRACE, "DeclareTenpai"),
    ],
)
def test_time_runs_out(position: Callable[[], TableDriver], letter: str, spent: int, default: str) -> None:
    """A question lapses at its deadline, not before, and the default is played."""
    driver = position()
    seat = LETTERS.index(letter)
    number = driver.open[seat].number
    assert driver.table.due() == START + spent
    assert not driver.wait(spent - 250)
    driver.wait(250)
    assert driver.last[0] == Lapse(seat, number, by_time=True, left=2)
    assert f"{letter} {default} timeout" in driver.accepted
    assert driver.table.chairs[seat].timeouts == 1


def test_more_time_counts_at_once_and_in_each_kyoku() -> None:
    """The deadline of the open question moves, and back; the same time twice changes nothing; a restart keeps it."""
    driver = at_turn()
    driver.extend(60_000)
    assert driver.table.due() == START + MOVE + BANK + GRACE + 60_000
    driver.extend(0)
    assert driver.table.due() == START + MOVE + BANK + GRACE
    driver.extend(5_000)
    entries = len(driver.entries)
    driver.extend(5_000)
    assert len(driver.entries) == entries
    driver.wait(MOVE + GRACE + 1_000)
    driver("A sute 1z")
    assert driver.table.chairs[0].clock.bank == BANK + 4_000
    driver.until(None).ready()
    start = driver.table.kyoku_start
    assert start is not None and start.extra == 5_000
    game = Game(Ruleset(), tuple(LETTERS[:4]), seeded_deals("again", 4), standing=start.standing)
    again = Table(game, TimeControl(10.0, 20.0))
    again.resume(start, driver.now)
    assert {chair.clock.bank for chair in (*driver.table.chairs, *again.chairs)} == {BANK + 5_000}


def test_ready_does_not_wait_for_ever() -> None:
    """After the seconds of the move, seats that have not answered ``ready?`` count as ready."""
    driver = at_ready()("A ok", "C ok")
    assert not driver.wait(MOVE + GRACE - 250)
    driver.wait(250)
    assert [lapse.seat for lapse in driver.last_of(Lapse)] == [1, 3]
    assert isinstance(driver.events[-7], KyokuStarted)
    assert driver.asked == "A"


def test_answer_within_the_grace_counts() -> None:
    """An answer may arrive GRACE seconds late."""
    driver = at_turn()
    driver.wait(MOVE + BANK + GRACE - 125)
    driver("A sute 1z")
    assert driver.accepted == ["A Discard answer"]


def test_late_answer_is_stale() -> None:
    """An answer after the deadline is stale, even if no tick has come since."""
    driver = at_turn()
    number = driver.open[0].number
    driver.now += MOVE + BANK + GRACE
    driver.answer(0, Claim(Verb.DISCARD, parse_mpsz("1z")))
    assert driver.last[0] == Lapse(0, number, by_time=True, left=2)
    assert driver.accepted == ["A Discard timeout"]
    assert driver.table.chairs[0].stale == 1
    assert not [entry for entry in driver.entries if isinstance(entry, AnswerRefused)]


def test_each_seat_has_its_own_clock() -> None:
    """A clock starts when its question is asked."""
    driver = at_call()
    driver.wait(20_500)
    driver("C pon 5p 5p")
    assert driver.table.due() == START + 20_500 + MOVE + (BANK - 10_000) + GRACE
    driver.wait(5_000)
    driver("C sute 1z")
    clocks = [chair.clock.bank for chair in driver.table.chairs]
    assert clocks == [BANK, BANK - 10_000, BANK - 10_000, BANK]


def test_a_closed_question_costs_time_too() -> None:
    """When C's pon closes B's question, B's bank pays for the time until then."""
    driver = at_call()
    driver.wait(15_500)
    driver("C pon 5p 5p")
    assert driver.table.chairs[1].clock.bank == BANK - 5_000


def test_bank_is_shown_and_shrinks() -> None:
    """The next question states the time left in the bank."""
    driver = at_turn()
    driver.wait(MOVE + GRACE + 4_000)
    driver("A sute 8m").until_asked("A")
    assert (driver.open[0].move, driver.open[0].bank) == (MOVE, BANK - 4_000)


def test_bank_is_full_again_at_every_kyoku() -> None:
    """A new kyoku refills an empty bank."""
    driver = at_turn()
    driver.wait(MOVE + BANK)
    driver("A ryukyoku").ready()
    assert (driver.open[0].move, driver.open[0].bank) == (MOVE, BANK)


def test_bank_that_ran_out_is_empty() -> None:
    """After a timeout the further questions of the kyoku have only the seconds of the move."""
    driver = at_turn()
    driver.wait(MOVE + BANK + GRACE)
    driver.until_asked("A")
    assert (driver.open[0].move, driver.open[0].bank) == (MOVE, 0)
    assert driver.table.due() == driver.now + MOVE + GRACE


def test_declaring_takes_nothing_from_the_bank() -> None:
    """``tenpai?`` has only the seconds of the move, and a late tick charges nothing to the bank."""
    driver = at_declare()
    driver.wait(MOVE)
    driver("A yes")
    driver.now += 60_000
    driver.tick()
    assert [chair.clock.bank for chair in driver.table.chairs] == [BANK] * 4


def test_three_timeouts() -> None:
    """After three consecutive timeouts the table does not wait for a seat any more."""
    driver = at_turn(TimeControl(10.0, 0.0))
    for count in (1, 2, 3):
        driver.until_asked("A")
        assert not driver.wait(MOVE)
        driver.wait(GRACE)
        assert driver.table.chairs[0].silent == count
    driver.until_asked("A")
    number = driver.open[0].number
    assert driver.table.due() == driver.now
    driver.tick()
    assert driver.last[0] == Lapse(0, number, by_time=True, left=0)
    assert driver.accepted[-1] == "A Discard absent"
    assert driver.table.chairs[0].timeouts == 3


@each_row("spent", [0, 5_000])
def test_any_line_wakes_a_silent_seat(spent: int) -> None:
    """After any line from a silent seat, its open question has its full time, from when it was asked."""
    driver = silent()
    driver.now += spent
    driver.hear("A")
    assert driver.table.chairs[0].silent == 0
    assert driver.table.due() == driver.now - spent + MOVE + GRACE
    assert not driver.tick()
    driver("A sute 1z")
    assert driver.accepted[-1] == "A Discard answer"


@each_row("wrong", [0, 1])
def test_answer_wakes_a_silent_seat(wrong: int) -> None:
    """After any answer from a silent seat, also a stale one, the table waits for it again."""
    driver = silent()
    driver.answer(0, Claim(Verb.DISCARD, parse_mpsz("1z")), driver.open[0].number - wrong)
    assert driver.table.chairs[0].silent == 0
    assert driver.table.chairs[0].is_awaited


def test_late_answer_wakes_a_silent_seat() -> None:
    """A late answer ends the silence of a seat."""
    driver = at_turn(TimeControl(10.0, 0.0))
    for _ in range(3):
        driver.until_asked("A")
        driver.now += MOVE + GRACE
        driver.answer(0, Claim(Verb.DISCARD, parse_mpsz("1z")))
    assert driver.table.chairs[0].timeouts == 3
    driver.until_asked("A")
    assert driver.table.due() == driver.now + MOVE + GRACE


def test_an_answer_resets_the_count_of_timeouts() -> None:
    """An answer after two timeouts resets their count to zero."""
    driver = at_turn(TimeControl(10.0, 0.0))
    for silent_so_far in (0, 1, 2, 0, 1, 2):
        driver.until_asked("A")
        assert driver.table.chairs[0].silent == silent_so_far
        if silent_so_far == 2:
            driver.defaults()
        else:
            driver.wait(MOVE + GRACE)
    assert driver.table.chairs[0].is_awaited


def test_a_closed_question_is_no_timeout() -> None:
    """A question that another seat's call has closed does not count as a timeout."""
    driver = at_call()("C pon 5p 5p")
    assert [chair.silent for chair in driver.table.chairs] == [0] * 4


def test_a_silent_seat_gets_all_questions() -> None:
    """A silent seat still gets every question, also ``ready?``."""
    driver = silent()
    driver.mute = "A"
    driver.until(None)
    assert driver.asked == "ABCD"
    number = driver.open[0].number
    driver.tick()
    assert driver.last == [Lapse(0, number, by_time=True, left=0)]
    driver("B ok", "C ok", "D ok")
    assert driver.phase is Phase.TURN


def test_ready_is_a_question_too() -> None:
    """A timeout of ``ready?`` counts like any other."""
    driver = TableDriver(lambda: game_of(Ruleset(), build_wall(QUIET)))
    driver.wait(MOVE + GRACE)
    assert driver.phase is Phase.TURN
    assert [chair.silent for chair in driver.table.chairs] == [1] * 4


def test_a_game_of_silent_seats_ends() -> None:
    """If no seat ever answers, the table waits for three questions of each seat, then plays on to the end."""
    driver = drive_table(QUIET, "", TimeControl(10.0, 0.0))
    driver.wait(24 * 3_600_000)
    assert driver.table.end is not None
    causes = [line.split()[-1] for line in driver.accepted]
    assert causes.count("timeout") <= 12


def silent() -> TableDriver:
    """Return a table where A has let three questions run out, and is asked again."""
    driver = at_turn(TimeControl(10.0, 0.0))
    for _ in range(3):
        driver.until_asked("A").wait(MOVE + GRACE)
    return driver.until_asked("A")
