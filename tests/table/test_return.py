"""Seats whose players lose their connections and come back, or do not."""

from __future__ import annotations

from support.rows import each_row
from support.table_driver import TableDriver, drive_table
from support.table_positions import DRAWN, ONE_KYOKU, QUIET

from ump.model.events import KyokuStarted
from ump.table.chair import Presence
from ump.table.clock import GRACE
from ump.table.journal_entries import End
from ump.table.messages import Ask, Lapse, Release

MOVE, BANK = 10_000, 20_000
PATIENCE = 60_000


def at_turn(*, grace: int = PATIENCE, takeover: bool = False, clients: str | None = None) -> TableDriver:
    """Return a table where A has drawn DRAWN, and is asked what to discard."""
    return drive_table(QUIET, DRAWN, clients=clients, rules=ONE_KYOKU, grace=grace, takeover=takeover)


def test_the_clock_stands_still_without_a_connection() -> None:
    """A returning player is asked the same question, under its old number, with the time that was left."""
    driver = at_turn()
    number = driver.open[0].number
    driver.wait(15_000)
    assert not driver.drop("A")
    assert not driver.wait(50_000)
    (ask,) = driver.come_back("A")
    assert isinstance(ask, Ask)
    assert (ask.seat, ask.number, ask.move, ask.bank) == (0, number, 0, BANK - 5_000)
    assert driver.table.chairs[0].grace == PATIENCE - 50_000
    assert not driver.wait(BANK - 5_000 + GRACE - 1)
    driver.wait(1)
    assert driver.last[0] == Lapse(0, number, by_time=True, left=2)


def test_an_answer_after_the_return_counts() -> None:
    """The question stays open; its bank pays only for the time with a connection."""
    driver = at_turn()
    driver.drop("A")
    driver.wait(40_000)
    driver.come_back("A")
    driver.wait(12_000)
    driver("A sute 1z")
    assert driver.accepted == ["A Discard answer"]
    assert driver.table.chairs[0].clock.bank == BANK - 12_000 + MOVE + GRACE


def test_grace_is_for_the_whole_game() -> None:
    """Two losses share the grace; when it is used up, the defaults are played at once."""
    driver = at_turn()
    driver.drop("A")
    driver.wait(45_000)
    driver.come_back("A")
    driver.drop("A")
    assert not driver.wait(14_999)
    driver.wait(1)
    assert driver.table.chairs[0].presence is Presence.GONE
    assert driver.accepted == ["A Discard absent"]


def test_a_player_may_return_after_its_grace() -> None:
    """It is asked the next question; another loss has no grace left."""
    driver = at_turn()
    driver.drop("A")
    driver.wait(PATIENCE)
    assert not driver.come_back("A")
    driver.until_asked("A")("A sute 1z")
    assert driver.accepted[-1] == "A Discard answer"
    driver.drop("A")
    assert driver.table.chairs[0].presence is Presence.GONE


def test_a_built_in_bot_takes_over() -> None:
    """With ``takeover`` a bot is asked the open question, with the time that is left; the player may take it back."""
    driver = at_turn(takeover=True)
    number = driver.open[0].number
    driver.wait(4_000)
    driver.drop("A")
    released, ask = driver.wait(PATIENCE)
    assert released == Release(0)
    assert isinstance(ask, Ask)
    assert (ask.seat, ask.number, ask.move) == (0, number, MOVE - 4_000)
    (again,) = driver.come_back("A")
    assert isinstance(again, Ask)
    assert again.number == number
    assert driver.table.chairs[0].presence is Presence.PRESENT


def test_bots_alone_keep_no_table() -> None:
    """When the grace of the last client is over, the game ends."""
    driver = at_turn(clients="AB", takeover=True)
    driver.leave("B")
    driver.drop("A")
    driver.wait(PATIENCE)
    assert driver.end is End.ABANDONED


def test_a_table_waits_for_clients_who_may_return() -> None:
    """A table whose clients have all lost their connections stays as long as one of them has grace."""
    driver = at_turn(clients="AB")
    driver.drop("A")
    driver.wait(1_000)
    driver.drop("B")
    driver.wait(PATIENCE - 1)
    assert driver.end is None
    driver.wait(1)
    assert driver.end is End.ABANDONED


def between_kyoku(*, grace: int, takeover: bool = False) -> TableDriver:
    """Return a table between two kyoku where D has lost its connection, and the others are ready."""
    driver = drive_table(QUIET, DRAWN, grace=grace, takeover=takeover)
    driver("A ryukyoku")
    driver.drop("D")
    driver("A ok", "B ok", "C ok")
    return driver


def kyoku_started(driver: TableDriver) -> int:
    """Return how many kyoku have started."""
    return sum(isinstance(event, KyokuStarted) for event in driver.events)


def test_ready_waits_for_players_who_may_return() -> None:
    """The next kyoku starts when the player is back and ready: the table is as it was before the loss."""
    driver = between_kyoku(grace=PATIENCE)
    driver.wait(PATIENCE - 1)
    assert kyoku_started(driver) == 1
    (ask,) = driver.come_back("D")
    assert isinstance(ask, Ask)
    assert (ask.question, ask.move) == (None, MOVE)
    driver("D ok")
    assert kyoku_started(driver) == 2


def test_ready_is_asked_of_players_who_may_return() -> None:
    """A kyoku can end while a player is away; it is asked when it returns."""
    driver = drive_table(QUIET, DRAWN, grace=PATIENCE)
    driver.drop("D")
    driver("A ryukyoku", "A ok", "B ok", "C ok")
    assert kyoku_started(driver) == 1
    assert isinstance(driver.come_back("D")[0], Ask)
    driver("D ok")
    assert kyoku_started(driver) == 2


@each_row("grace", [0, PATIENCE])
def test_ready_does_not_wait_for_players_without_grace(grace: int) -> None:
    """When the grace is over, the player counts as ready."""
    driver = between_kyoku(grace=grace)
    driver.wait(grace)
    assert kyoku_started(driver) == 2


def test_ready_is_asked_of_the_bot_that_takes_over() -> None:
    """A built-in bot that plays on is asked in place of the player."""
    driver = between_kyoku(grace=PATIENCE, takeover=True)
    released, ask = driver.wait(PATIENCE)
    assert released == Release(3)
    assert isinstance(ask, Ask)
    driver("D ok")
    assert kyoku_started(driver) == 2


def test_a_newer_connection_is_asked_again() -> None:
    """A return without a loss repeats the open question: the newer connection does not have it."""
    driver = at_turn()
    number = driver.open[0].number
    driver.wait(3_000)
    (ask,) = driver.come_back("A")
    assert isinstance(ask, Ask)
    assert (ask.number, ask.move) == (number, MOVE - 3_000)


def test_losses_after_the_end_change_nothing() -> None:
    """After the end nobody can drop or come back."""
    driver = at_turn().to_the_end()
    entries = len(driver.entries)
    driver.drop("A")
    driver.come_back("A")
    assert len(driver.entries) == entries
