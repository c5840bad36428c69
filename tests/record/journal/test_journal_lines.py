"""The lines of a journal: every entry is read as it was written."""

from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
    Kita,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.claims import Reason
from ump.record.journal.action_words import read_action, write_action
from ump.record.journal.journal_error import JournalError
from ump.record.journal.journal_lines import JournalStep, read_step, write_step
from ump.table.journal_entries import (
    ActionTaken,
    AnswerLate,
    AnswerRefused,
    Began,
    Ended,
    Entry,
    FaultCommitted,
    PassHeld,
    SeatDropped,
    SeatLeft,
    SeatReady,
    SeatReturned,
    SilenceBroken,
    TimePassed,
)
from ump.table.outcomes import Cause, End, Faults

ACTIONS: tuple[tuple[Action, str], ...] = (
    (Discard(4), "sute 5m"),
    (Discard(34, tsumogiri=True), "sute 5M tsumogiri"),
    (Riichi(27), "richi 1z"),
    (Riichi(27, tsumogiri=True), "richi 1z tsumogiri"),
    (Riichi(27, opened=True), "openrichi 1z"),
    (Riichi(27, tsumogiri=True, opened=True), "openrichi 1z tsumogiri"),
    (Ankan(4), "ankan 5m"),
    (Kakan(34), "kakan 5M"),
    (Kita(), "kita"),
    (Tsumo(), "tsumo"),
    (KyushuKyuhai(), "ryukyoku"),
    (Pass(), "no"),
    (Chi((3, 34)), "chi 4m 5M"),
    (Pon((4, 34)), "pon 5m 5M"),
    (Daiminkan(), "kan"),
    (Ron(), "ron"),
    (DeclareTenpai(), "tenpai"),
    (DeclareNoten(), "noten"),
)


@each_row(("action", "words"), ACTIONS)
def test_actions(action: Action, words: str) -> None:
    """Each action has words, which are read as the same action."""
    assert write_action(action) == words
    assert read_action(words) == action


def test_every_action_is_listed() -> None:
    """The table above leaves no class out."""
    assert {type(action) for action, _ in ACTIONS} == set(get_args(Action))


@given(st.text() | st.lists(st.sampled_from(["sute", "chi", "5m", "5M", "tsumogiri", "no", ""])).map(" ".join))
def test_other_words_are_refused(words: str) -> None:
    """Any text is an action that is written in the same words, or refused."""
    try:
        action = read_action(words)
    except JournalError:
        return
    assert write_action(action) == words


POINTS = (25_000, 24_000, 26_000, -1_000)
STEPS: tuple[tuple[list[Entry], str], ...] = (
    ([Began()], '[7,"began"]'),
    ([ActionTaken(2, Discard(4), Cause.ANSWER)], '[7,"answer",2,"sute 5m"]'),
    ([PassHeld(2, 1_207)], '[7,"passed",2,1207]'),
    (
        [TimePassed(), ActionTaken(2, Pass(), Cause.HELD)],
        '[7,"time",{"then":[["default",2,"no","held"]]}]',
    ),
    ([SeatReady(3)], '[7,"ready",3]'),
    ([AnswerLate(0)], '[7,"late",0]'),
    ([SilenceBroken(1)], '[7,"heard",1]'),
    ([SeatLeft(1)], '[7,"left",1]'),
    ([SeatDropped(1)], '[7,"dropped",1]'),
    ([SeatReturned(1, 2)], '[7,"returned",1,2]'),
    ([Ended(End.STOPPED, POINTS)], '[7,"ended","stopped",[25000,24000,26000,-1000]]'),
    (
        [TimePassed(), ActionTaken(0, Pass(), Cause.TIMEOUT)],
        '[7,"time",{"then":[["default",0,"no","timeout"]]}]',
    ),
    (
        [AnswerRefused(0, Reason.FURITEN), FaultCommitted(0, Reason.FURITEN, Faults.ABORT), Ended(End.ABORTED, POINTS)],
        '[7,"refused",0,"furiten",{"then":[["fault",0,"furiten","abort"],'
        '["ended","aborted",[25000,24000,26000,-1000]]]}]',
    ),
)


@each_row(("entries", "line"), STEPS)
def test_steps(entries: list[Entry], line: str) -> None:
    """Each step has a line, which is read as the same step."""
    step = JournalStep(7, entries)
    assert write_step(step) == line
    assert read_step(line, seats=4) == step


def test_every_entry_is_listed() -> None:
    """The table above leaves no class out."""
    assert {type(entry) for entries, _ in STEPS for entry in entries} == set(get_args(Entry))


@given(st.text())
def test_other_lines_are_refused(line: str) -> None:
    """No text raises anything but JournalError."""
    try:
        step = read_step(line, seats=4)
    except JournalError:
        return
    assert read_step(write_step(step), seats=4) == step
