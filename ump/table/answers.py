"""The journal entry that an answer to an open question becomes: an action, readiness, a refusal, or a held pass."""

from __future__ import annotations

from ump.game.resolution import resolve
from ump.model.actions import Action, DeclareNoten, Pass
from ump.model.claims import Claim, IllegalAction, Reason, Verb
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.rules.questions import Question
from ump.table.chair import Chair, Presence
from ump.table.journal_entries import ActionTaken, AnswerRefused, Entry, PassHeld, SeatReady
from ump.table.outcomes import Cause


def entry_of(chair: Chair, answer: Claim | Action | None, now: int, *, is_automatic: bool) -> Entry:
    """Return the entry for an answer to the open question of a chair; None is an unreadable answer.

    ``is_automatic``: the session answered without its player. See ``Table.answer``.
    """
    entry = _judged(chair.seat, chair.asked.question, answer)
    if chair.pace is not None and isinstance(entry, ActionTaken):
        return _held(chair, entry, now, is_automatic=is_automatic) or entry
    return entry


def _judged(seat: Seat, question: Question | None, answer: Claim | Action | None) -> Entry:
    """Judge an answer by its question."""
    if question is None:
        if isinstance(answer, Claim) and answer.verb is Verb.YES:
            return SeatReady(seat)
        return AnswerRefused(seat, Reason.UNREADABLE if answer is None else Reason.NOT_ASKED)
    if answer is None:
        return AnswerRefused(seat, Reason.UNREADABLE)
    try:
        if isinstance(answer, Claim):
            return ActionTaken(seat, resolve(question, answer), Cause.ANSWER)
        question.check(answer)
    except IllegalAction as refusal:
        return AnswerRefused(seat, refusal.reason)
    return ActionTaken(seat, answer, Cause.ANSWER)


def _held(chair: Chair, taken: ActionTaken, now: int, *, is_automatic: bool) -> Entry | None:
    """Return the entry that holds a pass which its player had not to think about; None if it counts at once.

    A session that declares tenpai without its client does so at once for every hand.
    """
    asked, question, pace = chair.asked, chair.asked.question, chair.pace
    if question is None or pace is None or chair.presence is not Presence.PRESENT:
        return None
    is_declared = question.phase is Phase.DECLARE
    if not isinstance(taken.action, Pass | DeclareNoten) or (is_declared and is_automatic):
        return None
    if not is_automatic and len(question.legal()) > 1:
        return None
    spent = now - asked.asked
    return PassHeld(chair.seat, min(asked.asked + pace.wait(spent, asked.number), asked.deadline))
