"""Passes without a choice, which a table with a secret for them holds."""

from __future__ import annotations

from support.rows import each_row
from support.scenario import deals_of
from support.table_driver import TableDriver
from support.table_positions import DRAWN, ONE_KYOKU, QUIET

from ump.game.arranged_wall import build_wall
from ump.game.game import Game
from ump.model.actions import Pass
from ump.model.claims import Claim, Verb
from ump.model.events import TileDrawn
from ump.model.phases import Phase
from ump.model.seats import LETTERS
from ump.table.chair import ENOUGH, FIRST_LEAST, SLOWER, PaceState
from ump.table.clock import GRACE
from ump.table.journal_entries import ActionTaken, Cause, Faults, PassHeld, TimePassed
from ump.table.messages import Ask, Lapse, Tell

MOVE, BANK = 10_000, 20_000
"""Milliseconds."""

SECOND = PaceState(chosen=(1_000,) * 4)
"""The pace of a client that thinks for a second about each pass with a choice."""


def at_call(pace: PaceState = SECOND, **settings: object) -> TableDriver:
    """Return a table where A has discarded 5p: B can chi, C can pon, and D can only pass."""
    wall = build_wall(QUIET, DRAWN)
    driver = TableDriver(
        lambda: Game(ONE_KYOKU, LETTERS, deals_of(wall), ask_all=True),
        pass_secret="secret",
        **settings,  # type: ignore[arg-type]
    ).ready()
    return paced(driver, pace)("A sute 5p")


def paced(driver: TableDriver, pace: PaceState) -> TableDriver:
    """Give all clients of a table this pace."""
    for chair in (*driver.table.chairs, *driver._twin.chairs):
        if chair.pace is not None:
            chair.pace.state = pace
    return driver


def test_a_pass_without_a_choice_takes_as_long_as_one_with_a_choice() -> None:
    """D passes at once, and B and C after it; the table goes on when D could have thought about a call."""
    driver = at_call()
    assert driver.asked == "BCD"
    asked = driver.now
    driver("D no", "C no", "B no")
    assert driver.entries[-3] == PassHeld(3, asked + 1_000)
    assert driver.table.due() == asked + 1_000
    assert not driver.wait(999)
    messages = driver.wait(1)
    assert isinstance(messages[0], Tell)
    assert isinstance(messages[0].event, TileDrawn)
    assert driver.entries[-2:] == [TimePassed(), ActionTaken(3, Pass(), Cause.HELD)]
    assert driver.table.chairs[3].timeouts == 0


def test_a_slower_answer_of_another_player_is_awaited() -> None:
    """B thinks for two seconds: D's pass, which has counted by then, delays nothing."""
    driver = at_call()("D no", "C no")
    driver.wait(2_000)
    assert "D Pass held" in driver.accepted
    driver("B no")
    assert driver.asked == "B"


def test_the_times_of_both_kinds_are_noted() -> None:
    """Passes with and without a choice are noted for each client, with the time of the client and not of the table."""
    driver = at_call()
    driver.wait(300)
    driver("B no", "D no")
    states = [chair.pace.state for chair in driver.table.chairs if chair.pace is not None]
    assert states[1] == PaceState(chosen=(*SECOND.chosen, 300))
    assert states[3] == PaceState(chosen=SECOND.chosen, forced=(300,))


def test_every_pass_of_a_client_that_is_hardly_known_is_held() -> None:
    """Passes with a choice, too, for as long as one draw says; a call counts at once."""
    for pace in (PaceState(), PaceState(chosen=(3_000,) * (ENOUGH - 1))):
        driver = at_call(pace)
        asked = driver.now
        driver.wait(100)
        driver("B no", "D no")
        holds = [entry for entry in driver.entries if isinstance(entry, PassHeld)]
        assert [(entry.seat, entry.had_choice) for entry in holds] == [(1, True), (3, False)]
        least = max(FIRST_LEAST, *pace.chosen, 0)
        most = round(SLOWER * least)
        assert all(asked + least <= entry.until <= asked + most for entry in holds)
        states = [chair.pace.state for chair in driver.table.chairs if chair.pace is not None]
        assert states[1] == PaceState(chosen=(*pace.chosen, 100))
        assert states[3] == PaceState(chosen=pace.chosen, forced=(100,))
        driver("C pon")
        driver.wait(most)
        assert "C Pon answer" in driver.accepted


def test_the_hold_costs_no_time() -> None:
    """Only the time that the client took is charged to its bank, and the pass counts at its deadline at the latest."""
    driver = at_call(PaceState(chosen=(10**6,) * 4))
    asked = driver.now
    driver("B no", "C no").wait(MOVE + GRACE + 3_000)
    driver("D no")
    assert driver.table.due() == asked + MOVE + BANK + GRACE
    driver.wait(BANK - 3_000)
    chair = driver.table.chairs[3]
    assert (chair.clock.bank, chair.timeouts, chair.silent) == (BANK - 3_000, 0, 0)


@each_row(("is_automatic", "held"), [(True, True), (False, False)])
def test_a_pass_that_a_person_has_left_to_the_server_is_held(is_automatic: bool, held: bool) -> None:
    """B could call, and has said before that it will not: its pass takes as long as if it had thought."""
    driver = at_call()
    driver.answer(1, Claim(Verb.NO), is_automatic=is_automatic)
    assert isinstance(driver.entries[-1], PassHeld) is held


def test_a_call_that_a_person_has_left_to_the_server_counts_at_once() -> None:
    """A call shows by itself that it was possible."""
    driver = at_call()
    driver.answer(2, Claim(Verb.PON), is_automatic=True)
    assert driver.accepted[-1] == "C Pon answer"


def test_a_second_answer_is_stale() -> None:
    """A client that passes again changes nothing."""
    driver = at_call()
    number = driver.open[3].number
    driver("D no")
    driver.answer(3, Claim(Verb.NO), number)
    assert driver.table.chairs[3].stale == 1
    assert driver.accepted[-1] == "A Discard answer"


def test_built_in_bots_are_not_held() -> None:
    """They pass at once with and without a choice."""
    driver = at_call(clients={0, 1, 2})("D no")
    assert driver.accepted[-1] == "D Pass answer"


def test_a_player_who_comes_back_has_passed() -> None:
    """While it is away the hold stands still like its clock; it is not asked again."""
    driver = at_call(grace=60_000)("B no", "C no", "D no")
    driver.wait(400)
    driver.drop("D")
    assert not driver.wait(5_000)
    assert not any(isinstance(message, Ask) for message in driver.come_back("D"))
    assert not driver.wait(599)
    driver.wait(1)
    assert "D Pass held" in driver.accepted


def test_a_bot_that_takes_over_has_passed() -> None:
    """The built-in bot in place of a player who does not come back is not asked what that player has answered."""
    driver = at_call(grace=200, takeover=True)("B no", "C no", "D no")
    driver.drop("D")
    driver.wait(200)
    assert not driver.open
    driver.wait(1_000)
    assert "D Pass held" in driver.accepted


def test_the_pass_of_a_player_who_leaves_counts_at_once() -> None:
    """As for every seat without a player."""
    driver = at_call()("B no", "C no", "D no")
    driver.leave("D")
    driver.wait(0)
    assert driver.accepted[-1] == "D Pass absent"


def test_a_foul_ends_a_hold() -> None:
    """The kyoku ends at once. Only C hears that no answer is needed any more."""
    driver = at_call(faults=Faults.CHOMBO)("D no")
    driver("B kan")
    assert [lapse.seat for lapse in driver.last_of(Lapse)] == [2]
    assert driver.phase is None


@each_row(("is_automatic", "held"), [(True, False), (False, True)])
def test_noten_is_held_unless_its_dialect_does_not_ask(is_automatic: bool, held: bool) -> None:
    """A session that declares by itself does so at once for every hand, so that holding would tell more."""
    wall = build_wall(QUIET, "")
    driver = TableDriver(lambda: Game(ONE_KYOKU, LETTERS, deals_of(wall), ask_all=True), pass_secret="secret").ready()
    paced(driver, PaceState(chosen=(0,) * ENOUGH)).until(Phase.DECLARE)
    driver.answer(0, Claim(Verb.YES), is_automatic=is_automatic)
    assert driver.accepted[-1].startswith("A DeclareNoten")
    assert driver.accepted[-1].endswith("held") is held
