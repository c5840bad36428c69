"""What a room makes of faults: the default, a payment that ends the kyoku, or the end of the game."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.seated import DRAWN, ONE_KYOKU, QUIET, ROBBED, TENPAI
from support.sitting import Sitting, sitting

from ump.model.actions import Discard
from ump.model.claims import Reason
from ump.model.events import DrawReason, GameEnded, KyokuDrawn, KyokuEnded, KyokuStarted, TileDiscarded
from ump.model.phases import Phase
from ump.model.seats import LETTERS
from ump.rules.ruleset import Length, Ruleset
from ump.table.journal_entries import ActionTaken, AnswerRefused, Ended, FaultCommitted
from ump.table.messages import Ask, Finish, Lapse, Refuse, Tell
from ump.table.outcomes import Cause, End, Faults
from ump.table.table import MAX_RETRIES

ONCE = dict.fromkeys(range(4), 0)
"""Nobody is asked again."""

HOURS = 3_600.0

A_PAYS = KyokuDrawn(DrawReason.CHOMBO, (-12_000, 4_000, 4_000, 4_000))
B_PAYS = KyokuDrawn(DrawReason.CHOMBO, (4_000, -8_000, 2_000, 2_000))
C_PAYS = KyokuDrawn(DrawReason.CHOMBO, (4_000, 2_000, -8_000, 2_000))


def at_turn(faults: Faults, retries: dict[int, int] | None = None) -> Sitting:
    """A has drawn, and is asked what to discard."""
    return sitting(QUIET, DRAWN, faults=faults, retries=retries)


def at_call(faults: Faults, retries: dict[int, int] | None = None) -> Sitting:
    """A has discarded 5p: B and C are asked."""
    return at_turn(faults, retries)("A sute 5p")


def at_rob(faults: Faults, retries: dict[int, int] | None = None) -> Sitting:
    """A adds to its pon the tile that C waits for: C is asked."""
    seated = sitting(ROBBED, "77432z0m", faults=faults, retries=retries)
    seated("A sute 7z", "B sute 5m", "A pon 5m 5m", "A sute 6z", "B sute 4z", "C sute 3z", "D sute 2z")
    return seated("A kakan 5M")


def at_declare(faults: Faults, retries: dict[int, int] | None = None) -> Sitting:
    """The wall is exhausted and A is asked to say tenpai or noten."""
    return sitting(TENPAI, "", rules=ONE_KYOKU, faults=faults, retries=retries).until(Phase.DECLARE)


Position = Callable[[Faults], Sitting]

FAULTS: list[tuple[Position, str, list[str], Reason, KyokuDrawn]] = [
    (at_turn, "A", ["?", "sute 8s", "tsumo"], Reason.NOT_COMPLETE, A_PAYS),
    (at_call, "B", ["ron"], Reason.NOT_COMPLETE, B_PAYS),
    (at_call, "C", ["chi 4p 6p"], Reason.NOT_HELD, C_PAYS),
    (at_call, "B", ["?", "?", "?"], Reason.UNREADABLE, B_PAYS),
    (at_call, "B", ["?", "pon 5p 5p"], Reason.NOT_HELD, B_PAYS),
    (at_rob, "C", ["pon 5m 5m"], Reason.NOT_ASKED, C_PAYS),
    (at_declare, "A", ["?", "ron", "?"], Reason.UNREADABLE, A_PAYS),
]
"""Positions, who answers what there, why the last of it is a fault, and what is paid for it."""

every_fault = pytest.mark.parametrize(("position", "letter", "orders", "reason", "paid"), FAULTS)


def commit(seated: Sitting, letter: str, orders: list[str]) -> int:
    """Give the answers; return the number of the question to which the last was given."""
    number = 0
    for order in orders:
        number = seated.open[LETTERS.index(letter)].number
        seated(f"{letter} {order}")
    return number


@every_fault
def test_a_fault_is_paid_for(
    position: Position, letter: str, orders: list[str], reason: Reason, paid: KyokuDrawn
) -> None:
    """The refusal, then the questions of the others close, then the payment is told, and all are asked who is ready."""
    seated = position(Faults.CHOMBO)
    seat = LETTERS.index(letter)
    others = {other: ask.number for other, ask in seated.open.items() if other != seat}
    number = commit(seated, letter, orders)
    assert seated.last[: 2 + len(others)] == [
        Refuse(seat, number, reason),
        *(Lapse(other, open_, by_time=False) for other, open_ in others.items()),
        Tell(paid),
    ]
    assert [(ask.seat, ask.question) for ask in seated.said(Ask)] == [(each, None) for each in range(4)]
    assert seated.entries[-2:] == [AnswerRefused(seat, reason), FaultCommitted(seat, reason, Faults.CHOMBO)]


@every_fault
def test_a_fault_ends_the_game(
    position: Position, letter: str, orders: list[str], reason: Reason, paid: KyokuDrawn
) -> None:
    """The refusal, the questions of the others close, and it is over where it is, without a result."""
    seated = position(Faults.ABORT)
    seat = LETTERS.index(letter)
    others = {other: ask.number for other, ask in seated.open.items() if other != seat}
    number = commit(seated, letter, orders)
    assert seated.last == [
        Refuse(seat, number, reason),
        *(Lapse(other, open_, by_time=False) for other, open_ in others.items()),
        Finish(End.ABORTED),
    ]
    assert seated.entries[-3:] == [
        AnswerRefused(seat, reason),
        FaultCommitted(seat, reason, Faults.ABORT),
        Ended(End.ABORTED, seated.game.points),
    ]
    assert not [event for event in seated.told if isinstance(event, KyokuDrawn | GameEnded)]
    assert not seated.wait(HOURS)
    assert not seated.answer(seat, Discard(7), number)


@every_fault
def test_a_fault_is_passed_over(
    position: Position, letter: str, orders: list[str], reason: Reason, paid: KyokuDrawn
) -> None:
    """The default is played, as where nothing is said about faults."""
    seated = position(Faults.DEFAULT)
    commit(seated, letter, orders)
    assert not seated.fouled
    entry = next(entry for entry in reversed(seated.entries) if isinstance(entry, ActionTaken))
    assert entry.cause in (Cause.REFUSED, Cause.RETRIES)


def test_what_follows_a_foul() -> None:
    """The next dealer deals, with a honba; the sticks and the points are as they were left."""
    seated = at_call(Faults.CHOMBO)("B ron").ready()
    assert seated.said(Tell)[0].event == KyokuEnded()
    started = seated.said(Tell)[1].event
    assert isinstance(started, KyokuStarted)
    assert (started.dealer, started.honba, started.points) == (1, 1, (29_000, 17_000, 27_000, 27_000))
    assert seated.asked == "B"


def test_an_answer_after_the_foul_is_stale() -> None:
    """Who was still thinking is answering nothing any more."""
    seated = at_call(Faults.CHOMBO)
    number = seated.open[2].number
    seated("B ron")
    assert not seated.answer(2, None, number)
    assert seated.table.chairs[2].stale == 1
    assert seated.fouled == ["B not_complete"]


@pytest.mark.parametrize("faults", [Faults.CHOMBO, Faults.ABORT])
def test_to_be_late_is_no_fault(faults: Faults) -> None:
    """Time, even after an answer that was refused, is never paid for."""
    seated = at_turn(faults)("A ?", "A ?")
    seated.wait(HOURS)
    assert not seated.fouled
    assert seated.accepted[0] == "A Discard timeout"


@pytest.mark.parametrize("faults", [Faults.CHOMBO, Faults.ABORT])
def test_to_be_gone_is_no_fault(faults: Faults) -> None:
    """Three whose connections are lost play a whole game of defaults with the one who stays."""
    seated = sitting(QUIET, DRAWN, rules=ONE_KYOKU, faults=faults)
    for letter in "ABD":
        seated.leave(letter)
    seated.to_the_end()
    assert seated.end is End.COMPLETED
    assert not seated.fouled


@pytest.mark.parametrize("faults", [Faults.CHOMBO, Faults.ABORT])
def test_whatever_is_said_to_ready_is_no_fault(faults: Faults) -> None:
    """There is nothing to be won by it."""
    seated = at_turn(faults, ONCE)("A ryukyoku", "A ?", "B sute 1m", "C no")
    assert seated.asked == "D"
    assert not seated.fouled
    seated("D ok")
    assert seated.asked == "A"


def test_who_faults_for_ever_ends_the_game() -> None:
    """A client that can do nothing right costs its table some kyoku, never more."""
    seated = sitting(QUIET, DRAWN, rules=Ruleset(length=Length.HANCHAN, tobi=False), faults=Faults.CHOMBO)
    seated.mute = "A"
    for _ in range(2_000):
        if seated.end is not None:
            break
        while 0 in seated.open:
            seated("A ?")
        seated.defaults()
    assert seated.end is End.COMPLETED
    assert {event.reason for event in seated.told if isinstance(event, KyokuDrawn)} == {DrawReason.CHOMBO}
    assert sum(seated.game.points) == 100_000


# How often a seat is asked again


@pytest.mark.parametrize("retries", [0, 1, 2, 5])
def test_each_seat_is_asked_again_as_its_dialect_can(retries: int) -> None:
    """The question is put once, and so often again; then the default comes with the last refusal."""
    seated = at_turn(Faults.DEFAULT, {0: retries})
    for _ in range(retries):
        seated("A ?")
        assert [ask.seat for ask in seated.said(Ask)] == [0]
    seated("A ?")
    assert seated.accepted == ["A Discard retries"]
    assert len(seated.refused) == retries + 1


def test_the_others_are_asked_as_ever() -> None:
    """What is said of one seat holds for that seat."""
    seated = at_turn(Faults.DEFAULT, {1: 0})
    for _ in range(MAX_RETRIES):
        seated("A ?")
        assert seated.asked == "A"
    seated("A ?")
    assert seated.asked == "B"
    seated("B ?")
    assert seated.asked == "C"


def test_at_once_means_in_the_same_step() -> None:
    """Who is not asked again hears the refusal, and then what the default has brought about."""
    seated = at_turn(Faults.DEFAULT, ONCE)
    number = seated.open[0].number
    seated("A sute 8s")
    assert seated.last[0] == Refuse(0, number, Reason.NOT_HELD)
    assert seated.said(Tell)[0].event == TileDiscarded(0, 7, tsumogiri=True)
    assert seated.accepted == ["A Discard retries"]


def test_a_fault_where_nobody_is_asked_again() -> None:
    """Then the first answer that does not count is one."""
    seated = at_turn(Faults.CHOMBO, ONCE)("A ?")
    assert seated.fouled == ["A unreadable"]
    assert seated.said(Tell)[0] == Tell(A_PAYS)
