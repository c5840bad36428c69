"""What is asked when, and what is told in between."""

from __future__ import annotations

import pytest
from support.seated import at_call, at_declare, at_ready, at_rob, at_turn
from support.sitting import Sitting

from ump.model.claims import Claim, Verb
from ump.model.events import (
    DoraRevealed,
    GameEnded,
    GameStarted,
    HandDealt,
    KyokuEnded,
    KyokuStarted,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.phases import Phase
from ump.table.journal_entries import ActionTaken
from ump.table.messages import Ask, Finish, Lapse, Refuse, Tell
from ump.table.outcomes import End


def lines(seated: Sitting) -> list[str]:
    """Return the last step as one word for each message."""
    return [
        type(message.event).__name__ if isinstance(message, Tell) else type(message).__name__ for message in seated.last
    ]


def test_game_begins_with_ready() -> None:
    """The players are introduced, and all are asked to be ready; when the last is, the kyoku starts."""
    seated = at_ready()
    first = seated.messages[:5]
    assert isinstance(first[0], Tell)
    assert type(first[0].event) is GameStarted
    assert [(message.seat, message.question) for message in first if isinstance(message, Ask)] == [
        (seat, None) for seat in range(4)
    ]


def test_kyoku_starts_when_all_are_ready() -> None:
    """Three of four are not all; then everything to the first question comes in one step."""
    seated = at_ready()
    for letter in "DAC":
        seated(f"{letter} ok")
        assert not seated.last
    assert seated.asked == "B"
    seated("B ok")
    assert lines(seated) == [
        *(event.__name__ for event in (KyokuEnded, KyokuStarted, *[HandDealt] * 4, DoraRevealed, TileDrawn)),
        "Ask",
    ]
    assert seated.asked == "A"


def test_kyoku_ends_with_ready() -> None:
    """The result is told, then everybody is asked, and only then the kyoku is put away."""
    seated = at_ready()
    assert seated.asked == "ABCD"
    assert seated.phase is None
    assert lines(seated) == ["HandOpened", "KyokuDrawn", *["Ask"] * 4]


def test_game_ends_when_all_are_ready() -> None:
    """The end of the game is told like every event, and nothing follows."""
    seated = at_declare()("A yes", "B yes", "C yes", "D yes")
    assert seated.asked == "ABCD"
    seated.ready()
    assert [message.event for message in seated.said(Tell) if type(message.event) is KyokuEnded]
    assert type(seated.told[-1]) is GameEnded
    assert seated.messages[-1] == Finish(End.COMPLETED)
    assert seated.table.due() is None
    assert not seated.wait(1_000.0)


def test_yes_is_as_good_as_ok() -> None:
    """Who is asked ``ready?`` may say both."""
    seated = at_ready()("A yes", "B ok", "C yes", "D ok")
    assert seated.phase is Phase.TURN


def test_call_questions_come_together() -> None:
    """All who can do something with a discard are asked in one step, after it is told."""
    seated = at_call()
    assert lines(seated) == ["TileDiscarded", "Ask", "Ask"]
    assert seated.asked == "BC"


def test_nothing_is_told_while_it_is_undecided() -> None:
    """A pass, or a call that another could still overtake, is kept until the others have answered."""
    seated = at_call()
    assert not seated("B chi 4p 6p").last
    assert seated.asked == "C"
    seated("C no")
    assert lines(seated) == ["TileCalled", "Ask"]
    assert seated.asked == "B"


def test_others_decide() -> None:
    """A call that nothing can overtake goes at once; who was still thinking is told nothing, its answer is stale."""
    seated = at_call()
    late = seated.open[1].number
    seated("C pon 5p 5p")
    assert seated.last[0] == Lapse(1, late, by_time=False)
    assert lines(seated)[1:] == ["TileCalled", "Ask"]
    assert not seated.answer(1, Claim(Verb.CHI, (12, 14)), late)
    assert seated.table.chairs[1].stale == 1
    assert seated.accepted == ["A Discard answer", "C Pon answer"]


def test_tenpai_is_asked_one_after_the_other() -> None:
    """The dealer first, and each declaration is told before the next is asked."""
    seated = at_declare()
    for letter, after in zip("ABC", "BCD", strict=True):
        assert seated.asked == letter
        seated(f"{letter} yes")
        assert lines(seated) == ["TenpaiDeclared", "Ask"]
        assert seated.asked == after
    seated("D no")
    assert lines(seated)[:2] == ["TenpaiDeclared", "KyokuDrawn"]


def test_robbing_is_asked() -> None:
    """Who can rob a kan is asked before its replacement tile is drawn."""
    seated = at_rob()
    assert lines(seated)[0] == "KanDeclared"
    assert (seated.asked, seated.phase) == ("C", Phase.CHANKAN)
    seated("C ron")
    assert "HandWon" in lines(seated)


def test_time_is_told_with_the_question() -> None:
    """A question says how many seconds the move has, and what is left of the bank; ``ready?`` has none."""
    seated = at_turn()
    assert (seated.open[0].move, seated.open[0].bank) == (10.0, 20.0)
    seated = at_ready()
    assert (seated.open[0].move, seated.open[0].bank) == (10.0, 0.0)


@pytest.mark.parametrize("number", [0, -1, 1, 10_000])
def test_answer_to_another_question_is_stale(number: int) -> None:
    """Only the open question can be answered; anything else is counted and dropped, and never a refusal."""
    seated = at_turn()
    assert not seated.answer(0, Claim(Verb.DISCARD, (7,)), number)
    assert seated.asked == "A"
    assert seated.table.chairs[0].stale == 1
    assert not seated.refused
    seated("A sute 8m")
    assert type(seated.told[-2]) is TileDiscarded


def test_second_answer_is_stale() -> None:
    """An answer is final: once given it is not open any more, though the others may still think."""
    seated = at_call()
    number = seated.open[2].number
    seated("C no")
    assert not seated.answer(2, Claim(Verb.PON, (13, 13)), number)
    assert seated.table.chairs[2].stale == 1
    seated("B no")
    assert not [event for event in seated.told if type(event) is TileCalled]


def test_answer_without_question_is_stale() -> None:
    """Who is not asked has nothing to say."""
    seated = at_turn()
    asked = seated.open[0].number
    assert not seated.answer(1, Claim(Verb.NO), asked)
    assert seated.table.chairs[1].stale == 1
    assert seated.asked == "A"


def test_actions_are_answers() -> None:
    """House players hand in the action itself, through the same door."""
    seated = at_turn()
    question = seated.open[0].question
    assert question is not None
    seated.answer(0, question.legal()[0])
    assert seated.accepted == ["A Discard answer"]
    assert not seated.said(Refuse)


def test_what_is_accepted_is_remembered_as_it_was_resolved() -> None:
    """The record holds the exact action, not what the client left unsaid."""
    seated = at_call()("C pon")
    assert seated.accepted == ["A Discard answer", "C Pon answer"]
    (entry,) = [entry for entry in seated.entries if isinstance(entry, ActionTaken) and entry.seat == 2]
    assert repr(entry) == "ActionTaken(seat=2, action=Pon(own=(13, 13)), cause=<Cause.ANSWER: 'answer'>)"
