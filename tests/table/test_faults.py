"""The policies for faults: the default action, chombo (a payment that ends the kyoku), or the end of the game."""

from __future__ import annotations

from collections.abc import Callable

from support.rows import each_row
from support.table_driver import TableDriver, drive_table
from support.table_positions import CHANKAN_HANDS, DRAWN, ONE_KYOKU, QUIET, TENPAI

from ump.model.actions import Discard
from ump.model.claims import Reason
from ump.model.events import DrawReason, GameEnded, KyokuDrawn, KyokuEnded, KyokuStarted, TileDiscarded
from ump.model.phases import Phase
from ump.model.seats import LETTERS
from ump.rules.ruleset import Length, Ruleset
from ump.table.journal_entries import ActionTaken, AnswerRefused, Cause, End, Ended, FaultCommitted, Faults
from ump.table.messages import Ask, Finish, Lapse, Refuse, Tell
from ump.table.table import MAX_RETRIES

ONCE = dict.fromkeys(range(4), 0)
"""No seat is asked again after a refusal."""

HOURS = 3_600_000

A_PAYS = KyokuDrawn(DrawReason.CHOMBO, (-12_000, 4_000, 4_000, 4_000))
B_PAYS = KyokuDrawn(DrawReason.CHOMBO, (4_000, -8_000, 2_000, 2_000))
C_PAYS = KyokuDrawn(DrawReason.CHOMBO, (4_000, 2_000, -8_000, 2_000))


def at_turn(faults: Faults, retries: dict[int, int] | None = None) -> TableDriver:
    """Return a table where A has drawn, and is asked what to discard."""
    return drive_table(QUIET, DRAWN, faults=faults, retries=retries)


def at_call(faults: Faults, retries: dict[int, int] | None = None) -> TableDriver:
    """Return a table where A has discarded 5p, and B and C are asked."""
    return at_turn(faults, retries)("A sute 5p")


def at_chankan(faults: Faults, retries: dict[int, int] | None = None) -> TableDriver:
    """Return a table where A adds the tile that C waits for to its pon, and C is asked."""
    driver = drive_table(CHANKAN_HANDS, "77432z0m", faults=faults, retries=retries)
    driver("A sute 7z", "B sute 5m", "A pon 5m 5m", "A sute 6z", "B sute 4z", "C sute 3z", "D sute 2z")
    return driver("A kakan 5M")


def at_declare(faults: Faults, retries: dict[int, int] | None = None) -> TableDriver:
    """Return a table where the wall is exhausted, and A is asked to declare tenpai or noten."""
    return drive_table(TENPAI, "", rules=ONE_KYOKU, faults=faults, retries=retries).until(Phase.DECLARE)


Position = Callable[[Faults], TableDriver]

FAULTS: list[tuple[Position, str, list[str], Reason, KyokuDrawn]] = [
    (at_turn, "A", ["?", "sute 8s", "tsumo"], Reason.NOT_COMPLETE, A_PAYS),
    (at_call, "B", ["ron"], Reason.NOT_COMPLETE, B_PAYS),
    (at_call, "C", ["chi 4p 6p"], Reason.NOT_HELD, C_PAYS),
    (at_call, "B", ["?", "?", "?"], Reason.UNREADABLE, B_PAYS),
    (at_call, "B", ["?", "pon 5p 5p"], Reason.NOT_HELD, B_PAYS),
    (at_chankan, "C", ["pon 5m 5m"], Reason.NOT_ASKED, C_PAYS),
    (at_declare, "A", ["?", "ron", "?"], Reason.UNREADABLE, A_PAYS),
]
"""A position, a seat and its answers, the reason why the last one is a fault, and the payment for it."""

every_fault = each_row(("position", "letter", "orders", "reason", "paid"), FAULTS)


def commit(driver: TableDriver, letter: str, orders: list[str]) -> int:
    """Give the answers; return the number of the last question."""
    number = 0
    for order in orders:
        number = driver.open[LETTERS.index(letter)].number
        driver(f"{letter} {order}")
    return number


@every_fault
def test_a_fault_is_paid_for(
    position: Position, letter: str, orders: list[str], reason: Reason, paid: KyokuDrawn
) -> None:
    """Under chombo the refusal comes first; then the other questions close, and payment and ``ready?`` follow."""
    driver = position(Faults.CHOMBO)
    seat = LETTERS.index(letter)
    others = {other: ask.number for other, ask in driver.open.items() if other != seat}
    number = commit(driver, letter, orders)
    assert driver.last[: 2 + len(others)] == [
        Refuse(seat, number, reason),
        *(Lapse(other, open_, by_time=False) for other, open_ in others.items()),
        Tell(paid),
    ]
    assert [(ask.seat, ask.question) for ask in driver.last_of(Ask)] == [(each, None) for each in range(4)]
    assert driver.entries[-2:] == [AnswerRefused(seat, reason), FaultCommitted(seat, reason, Faults.CHOMBO)]


@every_fault
def test_a_fault_ends_the_game(
    position: Position, letter: str, orders: list[str], reason: Reason, paid: KyokuDrawn
) -> None:
    """Under abort, the refusal comes first, then the other questions close, and the game ends without a result."""
    driver = position(Faults.ABORT)
    seat = LETTERS.index(letter)
    others = {other: ask.number for other, ask in driver.open.items() if other != seat}
    number = commit(driver, letter, orders)
    assert driver.last == [
        Refuse(seat, number, reason),
        *(Lapse(other, open_, by_time=False) for other, open_ in others.items()),
        Finish(End.ABORTED),
    ]
    assert driver.entries[-3:] == [
        AnswerRefused(seat, reason),
        FaultCommitted(seat, reason, Faults.ABORT),
        Ended(End.ABORTED, driver.game.points),
    ]
    assert not [event for event in driver.events if isinstance(event, KyokuDrawn | GameEnded)]
    assert not driver.wait(HOURS)
    assert not driver.answer(seat, Discard(7), number)


@every_fault
def test_a_fault_is_passed_over(
    position: Position, letter: str, orders: list[str], reason: Reason, paid: KyokuDrawn
) -> None:
    """Under the default policy, the default action is played."""
    driver = position(Faults.DEFAULT)
    commit(driver, letter, orders)
    assert not driver.fouled
    entry = next(entry for entry in reversed(driver.entries) if isinstance(entry, ActionTaken))
    assert entry.cause in (Cause.REFUSED, Cause.RETRIES)


def test_the_kyoku_after_a_chombo() -> None:
    """The next seat deals, with one honba more, and the scores include the payment."""
    driver = at_call(Faults.CHOMBO)("B ron").ready()
    assert driver.last_of(Tell)[0].event == KyokuEnded()
    started = driver.last_of(Tell)[1].event
    assert isinstance(started, KyokuStarted)
    assert (started.dealer, started.honba, started.points) == (1, 1, (29_000, 17_000, 27_000, 27_000))
    assert driver.asked == "B"


def test_an_answer_after_a_chombo_is_stale() -> None:
    """An answer to a question that the chombo has closed is stale."""
    driver = at_call(Faults.CHOMBO)
    number = driver.open[2].number
    driver("B ron")
    assert not driver.answer(2, None, number)
    assert driver.table.chairs[2].stale == 1
    assert driver.fouled == ["B not_complete"]


@each_row("faults", [Faults.CHOMBO, Faults.ABORT])
def test_a_timeout_is_no_fault(faults: Faults) -> None:
    """A timeout is no fault, even after a refused answer."""
    driver = at_turn(faults)("A ?", "A ?")
    driver.wait(HOURS)
    assert not driver.fouled
    assert driver.accepted[0] == "A Discard timeout"


@each_row("faults", [Faults.CHOMBO, Faults.ABORT])
def test_leaving_is_no_fault(faults: Faults) -> None:
    """When three clients leave, defaults play their seats to the end without a fault."""
    driver = drive_table(QUIET, DRAWN, rules=ONE_KYOKU, faults=faults)
    for letter in "ABD":
        driver.leave(letter)
    driver.to_the_end()
    assert driver.end is End.COMPLETED
    assert not driver.fouled


@each_row("faults", [Faults.CHOMBO, Faults.ABORT])
def test_a_wrong_answer_to_ready_is_no_fault(faults: Faults) -> None:
    """A wrong answer to ``ready?`` counts as ready, not as a fault."""
    driver = at_turn(faults, ONCE)("A ryukyoku", "A ?", "B sute 1m", "C no")
    assert driver.asked == "D"
    assert not driver.fouled
    driver("D ok")
    assert driver.asked == "A"


def test_endless_faults_end_the_game() -> None:
    """A client whose every answer is a fault does not keep the game from ending."""
    driver = drive_table(QUIET, DRAWN, rules=Ruleset(length=Length.HANCHAN, tobi=False), faults=Faults.CHOMBO)
    driver.mute = "A"
    for _ in range(2_000):
        if driver.end is not None:
            break
        while 0 in driver.open:
            driver("A ?")
        driver.defaults()
    assert driver.end is End.COMPLETED
    assert {event.reason for event in driver.events if isinstance(event, KyokuDrawn)} == {DrawReason.CHOMBO}
    assert sum(driver.game.points) == 100_000


# How often a seat is asked again


@each_row("retries", [0, 1, 2, 5])
def test_number_of_retries(retries: int) -> None:
    """A question is asked again ``retries`` times; then the default follows the last refusal."""
    driver = at_turn(Faults.DEFAULT, {0: retries})
    for _ in range(retries):
        driver("A ?")
        assert [ask.seat for ask in driver.last_of(Ask)] == [0]
    driver("A ?")
    assert driver.accepted == ["A Discard retries"]
    assert len(driver.refused) == retries + 1


def test_retries_of_other_seats() -> None:
    """The number of retries of one seat does not affect the others."""
    driver = at_turn(Faults.DEFAULT, {1: 0})
    for _ in range(MAX_RETRIES):
        driver("A ?")
        assert driver.asked == "A"
    driver("A ?")
    assert driver.asked == "B"
    driver("B ?")
    assert driver.asked == "C"


def test_default_in_the_same_step() -> None:
    """If a seat is not asked again, the step of the refusal plays the default too."""
    driver = at_turn(Faults.DEFAULT, ONCE)
    number = driver.open[0].number
    driver("A sute 8s")
    assert driver.last[0] == Refuse(0, number, Reason.NOT_HELD)
    assert driver.last_of(Tell)[0].event == TileDiscarded(0, 7, tsumogiri=True)
    assert driver.accepted == ["A Discard retries"]


def test_a_fault_without_retries() -> None:
    """Without retries the first unreadable answer is a fault."""
    driver = at_turn(Faults.CHOMBO, ONCE)("A ?")
    assert driver.fouled == ["A unreadable"]
    assert driver.last_of(Tell)[0] == Tell(A_PAYS)
