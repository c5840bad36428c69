"""The order of questions and events."""

from __future__ import annotations

from support.rows import each_row
from support.table_driver import TableDriver
from support.table_positions import at_call, at_chankan, at_declare, at_ready, at_turn

from ump.model import events as ev
from ump.model.claims import Claim, Verb
from ump.model.phases import Phase
from ump.table.journal_entries import ActionTaken, End
from ump.table.messages import Ask, Finish, Lapse, Refuse, Tell


def lines(driver: TableDriver) -> list[str]:
    """Return the last step as one word for each message."""
    return [
        type(message.event).__name__ if isinstance(message, Tell) else type(message).__name__ for message in driver.last
    ]


def test_game_begins_with_ready() -> None:
    """A game begins with GameStarted and a ``ready?`` to each seat."""
    driver = at_ready()
    first = driver.messages[:5]
    assert isinstance(first[0], Tell)
    assert type(first[0].event) is ev.GameStarted
    assert [(message.seat, message.question) for message in first if isinstance(message, Ask)] == [
        (seat, None) for seat in range(4)
    ]


def test_kyoku_starts_when_all_are_ready() -> None:
    """The kyoku starts with the fourth ``ok``; one step has all events up to the first question."""
    driver = at_ready()
    for letter in "DAC":
        driver(f"{letter} ok")
        assert not driver.last
    assert driver.asked == "B"
    driver("B ok")
    assert lines(driver) == [
        *(
            event.__name__
            for event in (ev.KyokuEnded, ev.KyokuStarted, *[ev.HandDealt] * 4, ev.DoraRevealed, ev.TileDrawn)
        ),
        "Ask",
    ]
    assert driver.asked == "A"


def test_kyoku_ends_with_ready() -> None:
    """After a kyoku, ``ready?`` follows the result in the same step, and KyokuEnded comes later."""
    driver = at_ready()
    assert driver.asked == "ABCD"
    assert driver.phase is None
    assert lines(driver) == ["HandOpened", "KyokuDrawn", *["Ask"] * 4]
    assert not any(message.is_last for message in driver.last_of(Ask))


def test_game_ends_when_all_are_ready() -> None:
    """After the last ``ready?``, GameEnded is sent like every event, and nothing follows."""
    driver = at_declare()("A yes", "B yes", "C yes", "D yes")
    assert driver.asked == "ABCD"
    assert [message.is_last for message in driver.last_of(Ask)] == [True] * 4
    driver.ready()
    assert [message.event for message in driver.last_of(Tell) if type(message.event) is ev.KyokuEnded]
    assert type(driver.events[-1]) is ev.GameEnded
    assert driver.messages[-1] == Finish(End.COMPLETED)
    assert driver.table.due() is None
    assert not driver.wait(1_000_000)


def test_yes_answers_ready() -> None:
    """``yes`` and ``ok`` both answer ``ready?``."""
    driver = at_ready()("A yes", "B ok", "C yes", "D ok")
    assert driver.phase is Phase.TURN


def test_call_questions_come_together() -> None:
    """All seats that can use a discard are asked in the step of the discard, after its event."""
    driver = at_call()
    assert lines(driver) == ["TileDiscarded", "Ask", "Ask"]
    assert driver.asked == "BC"


def test_a_call_waits_for_stronger_claims() -> None:
    """A call that another seat could overtake has no effect until the others have answered."""
    driver = at_call()
    assert not driver("B chi 4p 6p").last
    assert driver.asked == "C"
    driver("C no")
    assert lines(driver) == ["TileCalled", "Ask"]
    assert driver.asked == "B"


def test_a_call_closes_other_questions() -> None:
    """A call that no claim can overtake closes the other questions at once; later answers to them are stale."""
    driver = at_call()
    late = driver.open[1].number
    driver("C pon 5p 5p")
    assert driver.last[0] == Lapse(1, late, by_time=False)
    assert lines(driver)[1:] == ["TileCalled", "Ask"]
    assert not driver.answer(1, Claim(Verb.CHI, (12, 14)), late)
    assert driver.table.chairs[1].stale == 1
    assert driver.accepted == ["A Discard answer", "C Pon answer"]


def test_tenpai_is_asked_one_after_the_other() -> None:
    """``tenpai?`` goes to the dealer first, and each declaration is sent before the next question."""
    driver = at_declare()
    for letter, after in zip("ABC", "BCD", strict=True):
        assert driver.asked == letter
        driver(f"{letter} yes")
        assert lines(driver) == ["TenpaiDeclared", "Ask"]
        assert driver.asked == after
    driver("D no")
    assert lines(driver)[:2] == ["TenpaiDeclared", "KyokuDrawn"]


def test_chankan_is_asked() -> None:
    """A seat that can rob a kan is asked before the replacement tile is drawn."""
    driver = at_chankan()
    assert lines(driver)[0] == "KanDeclared"
    assert (driver.asked, driver.phase) == ("C", Phase.CHANKAN)
    driver("C ron")
    assert "HandWon" in lines(driver)


def test_questions_state_the_time() -> None:
    """A question has the seconds for the move and those left in the bank; ``ready?`` may not use the bank."""
    driver = at_turn()
    assert (driver.open[0].move, driver.open[0].bank) == (10_000, 20_000)
    driver = at_ready()
    assert (driver.open[0].move, driver.open[0].bank) == (10_000, 0)


@each_row("number", [0, -1, 1, 10_000])
def test_answer_to_another_question_is_stale(number: int) -> None:
    """An answer to any other question than the open one is dropped and counted as stale, not refused."""
    driver = at_turn()
    assert not driver.answer(0, Claim(Verb.DISCARD, (7,)), number)
    assert driver.asked == "A"
    assert driver.table.chairs[0].stale == 1
    assert not driver.refused
    driver("A sute 8m")
    assert type(driver.events[-2]) is ev.TileDiscarded


def test_second_answer_is_stale() -> None:
    """A second answer to a question is stale, even while other seats still think."""
    driver = at_call()
    number = driver.open[2].number
    driver("C no")
    assert not driver.answer(2, Claim(Verb.PON, (13, 13)), number)
    assert driver.table.chairs[2].stale == 1
    driver("B no")
    assert not [event for event in driver.events if type(event) is ev.TileCalled]


def test_answer_without_question_is_stale() -> None:
    """An answer from a seat that is not asked is stale."""
    driver = at_turn()
    asked = driver.open[0].number
    assert not driver.answer(1, Claim(Verb.NO), asked)
    assert driver.table.chairs[1].stale == 1
    assert driver.asked == "A"


def test_actions_are_answers() -> None:
    """A built-in bot may answer with an Action in place of a Claim."""
    driver = at_turn()
    question = driver.open[0].question
    assert question is not None
    driver.answer(0, question.legal()[0])
    assert driver.accepted == ["A Discard answer"]
    assert not driver.last_of(Refuse)


def test_entries_have_the_resolved_action() -> None:
    """The entry of an accepted claim has the complete action, with tiles that the client did not name."""
    driver = at_call()("C pon")
    assert driver.accepted == ["A Discard answer", "C Pon answer"]
    (entry,) = [entry for entry in driver.entries if isinstance(entry, ActionTaken) and entry.seat == 2]
    assert repr(entry) == "ActionTaken(seat=2, action=Pon(own=(13, 13)), cause=<Cause.ANSWER: 'answer'>)"
