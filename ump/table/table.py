"""The table: asks the seats what the game asks, takes their answers, and plays on for those who give none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from ump.game.game import Game
from ump.game.resolution import resolve
from ump.model.actions import Action
from ump.model.claims import Claim, IllegalAction, Reason, Verb
from ump.model.events import Event
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.rules.questions import Question
from ump.table.chair import Chair, OpenAsk
from ump.table.clock import TimeControl
from ump.table.faults import Faults
from ump.table.journal_entries import Answered, Cause, Entry, Fouled, Refused
from ump.table.messages import Ask, End, Finish, Lapse, Message, Refuse, Tell

MAX_RETRIES = 2
"""How often the same question is asked again after an answer that does not count, unless the seat's dialect knows."""


class Table:
    """One game with its seats. Every method returns what is to be passed on, in order.

    ``now`` is an instant in seconds of whatever clock the caller keeps.
    """

    __slots__ = ("_faults", "_is_asking_ready", "_number", "_remember", "chairs", "game", "over")

    def __init__(
        self,
        game: Game,
        times: TimeControl,
        remember: Callable[[Entry], None],
        clients: Collection[Seat] | None = None,
        *,
        retries: Mapping[Seat, int] | None = None,
        faults: Faults = Faults.DEFAULT,
    ) -> None:
        """Lay the table; ``clients`` are the seats that are no house players, by default all of them.

        ``remember`` is called with every accepted and every refused answer before its effect is returned.
        ``retries`` says of a seat how often it is asked again, ``MAX_RETRIES`` times where it says nothing.
        """
        self.game = game
        self.over = False
        retries = retries or {}
        self.chairs = tuple(
            Chair(seat, times, is_client=clients is None or seat in clients, retries=retries.get(seat, MAX_RETRIES))
            for seat in range(game.ruleset.seats)
        )
        self._faults = faults
        self._remember = remember
        self._number = 0
        self._is_asking_ready = False
        """Whether ``ready?`` was asked for the pause in which the game is."""

    def begin(self, now: float) -> list[Message]:
        """Introduce the players, and ask who is ready."""
        messages: list[Message] = [Tell(event) for event in self.game.begin()]
        self._go_on(now, messages)
        return messages

    def answer(self, seat: Seat, number: int, answer: Claim | Action | None, now: float) -> list[Message]:
        """Take an answer to the asking of that number; None is an answer that cannot be read.

        An answer to anything but the open asking is stale, and so is one that comes too late: counted and dropped.
        """
        chair = self.chairs[seat]
        asked = chair.open
        messages: list[Message] = []
        if asked is None or asked.number != number:
            chair.stale += 1
        elif now >= asked.deadline:
            self._run_out(chair, asked, now, messages)
            chair.stale += 1
        elif asked.question is None:
            self._take_ready(chair, asked, answer, now, messages)
        else:
            self._take(chair, asked, asked.question, answer, now, messages)
        chair.silent = 0
        return messages

    def heard(self, seat: Seat, *, is_stale: bool = False) -> None:
        """Note that a line came from the seat that answers nothing open: it is waited for again.

        ``is_stale``: it was an answer, too late or to another question, and counts as that.
        """
        chair = self.chairs[seat]
        chair.silent = 0
        chair.stale += is_stale

    def leave(self, seat: Seat, now: float) -> list[Message]:
        """Note that the seat's connection is gone: from now on its defaults are played without waiting."""
        if self.over:
            return []
        chair = self.chairs[seat]
        chair.is_here = False
        messages: list[Message] = []
        if not any(each.is_here and each.is_client for each in self.chairs):
            self._finish(End.ABANDONED, messages)
        elif chair.open is not None and chair.open.question is None:
            chair.close(now)
            self._go_on(now, messages)
        return messages

    def due(self) -> float | None:
        """Return the instant at which ``tick`` is wanted, or None; one that has passed means at once."""
        due: float | None = None
        for chair in self.chairs:
            asked = chair.open
            if asked is not None:
                instant = asked.deadline if chair.is_awaited else asked.asked
                if due is None or instant < due:
                    due = instant
        return due

    def tick(self, now: float) -> list[Message]:
        """Close what has run out; when nothing has, play one default for a seat that is not waited for.

        One at a time, and never in the step that asked: a table of such seats must not keep the others waiting.
        """
        messages: list[Message] = []
        for chair in self.chairs:
            if chair.open is not None and chair.is_awaited and now >= chair.open.deadline:
                self._run_out(chair, chair.open, now, messages)
        if messages:
            return messages
        for chair in self.chairs:
            if chair.open is not None and not chair.is_awaited:
                self._lapse(chair, messages, by_time=True)
                self._default(chair, chair.open, Cause.ABSENT, now, messages)
                break
        return messages

    # Taking answers

    def _take_ready(
        self, chair: Chair, asked: OpenAsk, answer: Claim | Action | None, now: float, messages: list[Message]
    ) -> None:
        if isinstance(answer, Claim) and answer.verb is Verb.YES:
            chair.close(now)
            self._go_on(now, messages)
        else:
            reason = Reason.UNREADABLE if answer is None else Reason.NOT_ASKED
            self._refuse(chair, asked, reason, now, messages)

    def _take(
        self,
        chair: Chair,
        asked: OpenAsk,
        question: Question,
        answer: Claim | Action | None,
        now: float,
        messages: list[Message],
    ) -> None:
        try:
            action = _resolved(question, answer)
        except IllegalAction as refusal:
            self._refuse(chair, asked, refusal.reason, now, messages)
        else:
            self._play(chair, action, Cause.ANSWER, now, messages)

    def _refuse(self, chair: Chair, asked: OpenAsk, reason: Reason, now: float, messages: list[Message]) -> None:
        """An illegal call is no call; anything else is asked again, so often at most, and then it is a fault."""
        chair.refusals[reason] += 1
        self._remember(Refused(chair.seat, reason))
        messages.append(Refuse(chair.seat, asked.number, reason))
        is_call = asked.question is not None and asked.question.phase in (Phase.CALL, Phase.CHANKAN)
        if is_call and reason is not Reason.UNREADABLE:
            self._fault(chair, asked, Cause.REFUSED, reason, now, messages)
        elif asked.retries < chair.retries:
            asked.retries += 1
            self._put(chair, asked, now, messages)
        else:
            self._fault(chair, asked, Cause.RETRIES, reason, now, messages)

    def _fault(
        self, chair: Chair, asked: OpenAsk, cause: Cause, reason: Reason, now: float, messages: list[Message]
    ) -> None:
        """Do what the room does about faults; who says nothing of use to ``ready?`` is ready in every room."""
        if asked.question is None or self._faults is Faults.DEFAULT:
            self._default(chair, asked, cause, now, messages)
            return
        self._remember(Fouled(chair.seat, reason, self._faults))
        chair.close(now)
        if self._faults is Faults.ABORT:
            for other in self.chairs:
                self._lapse(other, messages, by_time=False)
            self._finish(End.ABORTED, messages)
        else:
            self._tell(self.game.chombo(chair.seat), now, messages)
            self._go_on(now, messages)

    def _run_out(self, chair: Chair, asked: OpenAsk, now: float, messages: list[Message]) -> None:
        """The time for a question is over."""
        chair.silent += 1
        chair.timeouts += 1
        self._lapse(chair, messages, by_time=True)
        self._default(chair, asked, Cause.TIMEOUT, now, messages)

    def _default(self, chair: Chair, asked: OpenAsk, cause: Cause, now: float, messages: list[Message]) -> None:
        """Answer for a seat."""
        if asked.question is None:
            chair.close(now)
            self._go_on(now, messages)
        else:
            self._play(chair, asked.question.default(), cause, now, messages)

    def _play(self, chair: Chair, action: Action, cause: Cause, now: float, messages: list[Message]) -> None:
        """Let the game take an action that its question allows: the one door for all of them."""
        self._remember(Answered(chair.seat, action, cause))
        chair.close(now)
        self._tell(self.game.answer(chair.seat, action), now, messages)
        self._go_on(now, messages)

    # Going on

    def _tell(self, events: list[Event], now: float, messages: list[Message]) -> None:
        """Close the questions that others have decided, and tell what happened."""
        if not events:
            return
        questions = self.game.questions
        for chair in self.chairs:
            asked = chair.open
            if asked is not None and questions.get(chair.seat) is not asked.question:
                self._lapse(chair, messages, by_time=False)
                chair.close(now)
        messages += [Tell(event) for event in events]

    def _lapse(self, chair: Chair, messages: list[Message], *, by_time: bool) -> None:
        """Say that the open question waits no longer, if anybody is there to hear it."""
        if chair.is_here and chair.open is not None:
            messages.append(Lapse(chair.seat, chair.open.number, by_time))

    def _go_on(self, now: float, messages: list[Message]) -> None:
        """Ask what the game asks now; between two kyoku ask who is ready, and proceed when all are."""
        game = self.game
        if game.between_kyoku:
            if not self._is_asking_ready:
                self._ask_ready(now, messages)
            if any(chair.open is not None for chair in self.chairs):
                return
            self._is_asking_ready = False
            for chair in self.chairs:
                chair.clock.refill()
            self._tell(game.proceed(), now, messages)
        if game.over:
            self._finish(End.COMPLETED, messages)
            return
        for seat, question in game.questions.items():
            chair = self.chairs[seat]
            if chair.open is None:
                self._ask(chair, question, now, messages)

    def _ask_ready(self, now: float, messages: list[Message]) -> None:
        """Ask everybody who is there; the others count as ready."""
        self._is_asking_ready = True
        for chair in self.chairs:
            if chair.is_here:
                self._ask(chair, None, now, messages)

    def _ask(self, chair: Chair, question: Question | None, now: float, messages: list[Message]) -> None:
        """Open a question to a seat; for one that is not waited for it is answered at the next tick."""
        chair.open = OpenAsk(question, now, chair.clock)
        self._put(chair, chair.open, now, messages)

    def _put(self, chair: Chair, asked: OpenAsk, now: float, messages: list[Message]) -> None:
        """Put a question with a new number, and what is left of its time, to a seat; one that is gone is not told."""
        self._number += 1
        asked.number = self._number
        if chair.is_here:
            move, bank = chair.clock.left(now - asked.asked, with_bank=asked.with_bank)
            messages.append(Ask(chair.seat, asked.number, asked.question, move, bank))

    def _finish(self, end: End, messages: list[Message]) -> None:
        self.over = True
        for chair in self.chairs:
            chair.open = None
        messages.append(Finish(end))


def _resolved(question: Question, answer: Claim | Action | None) -> Action:
    """Return the legal action that an answer means; raises IllegalAction."""
    if answer is None:
        raise IllegalAction(Reason.UNREADABLE)
    if isinstance(answer, Claim):
        return resolve(question, answer)
    question.check(answer)
    return answer
