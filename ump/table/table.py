"""The table: asks the seats what the game asks, takes their answers, and plays on for seats that give none."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import assert_never

from ump.game.game import Game
from ump.model.actions import Action
from ump.model.claims import Claim, IllegalAction, Reason
from ump.model.events import Event
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.value import value
from ump.rules.questions import Question
from ump.table import journal_entries as je
from ump.table.chair import MAX_SILENT, BeforeKyoku, Chair, ChairState, OpenAsk, PaceState, Presence, held, judged
from ump.table.clock import TimeControl
from ump.table.messages import Ask, Finish, Lapse, Message, Refuse, Release, Tell

MAX_RETRIES = 2
"""The number of times that a question is asked again after an answer that does not count, if the dialect sets none."""


@value
class Step:
    """The effects of one input on a table."""

    entries: list[je.Entry]
    """The entries to record before any message is sent; the first one is the input. Empty if nothing changed."""
    messages: list[Message]
    """The messages to deliver, in order."""


NO_PACES: Mapping[Seat, PaceState] = {}


class Table:
    """One game with its seats.

    Every input goes through ``apply``: the other public methods only find out which entry an input is. So a table that
    applies the recorded inputs of another one, at the same instants, is in the same state.

    ``now`` is an instant in whole milliseconds since the game began. If a method raises, the failure is a bug of
    the server: the table must not be used any more, and nothing of that step is to be recorded.
    """

    __slots__ = (
        "_entries",
        "_faults",
        "_is_asking_ready",
        "_is_unattended",
        "_messages",
        "_number",
        "_takeover",
        "chairs",
        "end",
        "extra",
        "game",
        "kyoku_start",
    )

    def __init__(
        self,
        game: Game,
        times: TimeControl,
        clients: Collection[Seat] | None = None,
        *,
        retries: Mapping[Seat, int] | None = None,
        faults: je.Faults = je.Faults.DEFAULT,
        grace: int = 0,
        takeover: bool = False,
        refusals: int = 0,
        pass_secret: str | None = None,
        paces: Mapping[Seat, PaceState] = NO_PACES,
        is_unattended: bool = False,
    ) -> None:
        """Create a table; ``clients`` are the seats without a built-in bot, by default all of them.

        ``retries`` says for a seat how often a question is asked again, by default ``MAX_RETRIES`` times. ``grace`` is
        how many milliseconds of the game each seat is kept for a player who has lost its connection. After that the
        defaults are played, or with ``takeover`` a built-in bot plays on. After so many ``refusals`` (0: never) a seat
        is not waited for any more. With ``pass_secret`` the table holds passes
        without a choice (``ump.table.chair``), for times that are made from it; ``paces`` are those of clients' last
        games. With ``is_unattended`` the game goes on when its last client has left.
        """
        self.game = game
        self.end: je.End | None = None
        """Why the game is over, or None."""
        retries = retries or {}
        self.chairs = tuple(
            Chair(
                seat,
                times,
                is_client=clients is None or seat in clients,
                retries=retries.get(seat, MAX_RETRIES),
                grace=grace,
                max_refusals=refusals,
                pass_secret=pass_secret,
                pace=paces.get(seat),
            )
            for seat in range(game.ruleset.seats)
        )
        self.extra = 0
        """Milliseconds that each seat has on top of its bank."""
        self.kyoku_start: BeforeKyoku | None = None
        """The state before the current kyoku; None before the first one."""
        self._faults = faults
        self._takeover = takeover
        self._is_unattended = is_unattended
        self._number = 0
        self._is_asking_ready = False
        """Whether ``ready?`` was asked for the current pause between two kyoku."""
        self._entries: list[je.Entry] = []
        """The entries of the current step."""
        self._messages: list[Message] = []
        """The messages of the current step."""

    # Inputs

    def begin(self, now: int) -> Step:
        """Introduce the players, and ask who is ready."""
        return self.apply(je.Began(), now)

    def resume(self, start: BeforeKyoku, now: int) -> Step:
        """Go on with a recorded game at the start of a kyoku, at the instant at which it was dealt.

        The table is new, and its game stands where ``start`` says. The step tells the start of the game and of the
        kyoku; nothing of it is to be recorded, because it is in the record.
        """
        self._entries, self._messages = [], []
        self._number = start.number
        for state, chair in zip(start.chairs, self.chairs, strict=True):
            state.restore(chair)
        self._extend(start.extra)
        self._tell(self.game.begin(), now)
        self._proceed(now)
        self._go_on(now)
        return Step([], self._messages)

    def play_on(self, actions: Sequence[tuple[Seat, Action]], now: int) -> Step:
        """Begin in the middle of a kyoku: deal it, take these answers, and ask what is asked then.

        The seats are told what has happened, and nothing of the questions that are answered already. Such a game is not
        to be recorded. Raises ValueError if an answer is not legal.
        """
        self._entries, self._messages = [], []
        self._tell(self.game.begin(), now)
        self._proceed(now)
        self._go_on(now)
        for seat, action in actions:
            self._check(seat, action)
            self._play(self.chairs[seat], action, now)
        told = [message for message in self._messages if isinstance(message, Tell)]
        asked = [(chair, chair.open) for chair in self.chairs if chair.open is not None]
        return Step([], [*told, *(self._ask_of(chair, each, now) for chair, each in asked)])

    def answer(
        self, seat: Seat, number: int, answer: Claim | Action | None, now: int, *, is_automatic: bool = False
    ) -> Step:
        """Take an answer to the question of that number; None is an unreadable answer.

        An answer to any other question is stale, and so is one that comes too late: it is counted and dropped.
        ``is_automatic``: the answer was given without the player, who has left it to the server.
        """
        chair = self.chairs[seat]
        asked = chair.open
        if asked is None or asked.number != number or asked.is_held:
            return self.heard(seat, now, is_stale=True)
        if now >= asked.deadline:
            chair.stale += 1
            return self.apply(je.AnswerLate(seat), now)
        entry = judged(seat, asked.question, answer)
        if chair.pace is not None:
            entry = held(chair, entry, now, is_automatic=is_automatic)
        return self._take(entry, now)

    def heard(self, seat: Seat, now: int, *, is_stale: bool) -> Step:
        """Note that the seat sent something that answers no open question: the table waits for it again.

        ``is_stale``: it was an answer, too late or to another question, and is counted as such.
        """
        chair = self.chairs[seat]
        if is_stale:
            chair.stale += 1
        return self.apply(je.SilenceBroken(seat), now) if chair.silent and self.end is None else Step([], [])

    def leave(self, seat: Seat, now: int) -> Step:
        """Note that the seat's player has left: from now on its defaults are played without waiting."""
        if self.end is not None or self.chairs[seat].presence is Presence.GONE:
            return Step([], [])
        return self.apply(je.SeatLeft(seat), now)

    def drop(self, seat: Seat, now: int) -> Step:
        """Note that the seat's connection is lost: its clock stands still, as long as it has grace."""
        chair = self.chairs[seat]
        if not chair.grace:
            return self.leave(seat, now)
        if self.end is not None or not chair.is_here:
            return Step([], [])
        return self.apply(je.SeatDropped(seat), now)

    def come_back(self, seat: Seat, retries: int, now: int) -> Step:
        """Note that the seat's player is connected again; it is asked its open question with the time that is left."""
        return Step([], []) if self.end is not None else self.apply(je.SeatReturned(seat, retries), now)

    def extend(self, extra: int, now: int) -> Step:
        """Let each seat have so many milliseconds more in each kyoku than its times say, also in the current one."""
        if self.end is not None or extra == self.extra:
            return Step([], [])
        return self.apply(je.TimeExtended(extra), now)

    def tick(self, now: int) -> Step:
        """Close the questions that ran out; if none did, play one default for a seat that is not waited for."""
        due = self.due()
        return Step([], []) if due is None or now < due else self.apply(je.TimePassed(), now)

    def stop(self, end: je.End, now: int) -> Step:
        """End the game at once, for a reason outside the game, without a message."""
        if self.end is not None:
            return Step([], [])
        return self.apply(je.Ended(end, self.game.points), now)

    def due(self) -> int | None:
        """Return when to call ``tick`` next, or None; an instant that has passed means at once."""
        due: int | None = None
        for chair in self.chairs:
            asked = chair.open
            if chair.is_dropped:
                instant = chair.due_without_player()
            elif asked is None:
                continue
            else:
                instant = asked.deadline if chair.is_awaited else asked.asked
            if due is None or instant < due:
                due = instant
        return due

    def apply(self, entry: je.Entry, now: int) -> Step:
        """Take one input, live or from a journal, with all that follows from it.

        Raises ValueError for an input that does not fit the state of the table.
        """
        if isinstance(entry, je.ActionTaken):
            self._check(entry.seat, entry.action)
        return self._take(entry, now)

    def _check(self, seat: Seat, action: Action) -> None:
        """Raise IllegalAction unless the action is a legal answer to the open question of the seat."""
        asked = self.chairs[seat].open
        if asked is None or asked.question is None:
            raise IllegalAction(Reason.NOT_ASKED)
        asked.question.check(action)

    def _take(self, entry: je.Entry, now: int) -> Step:
        """Take an input whose action is legal."""
        entries: list[je.Entry] = [entry]
        messages: list[Message] = []
        self._entries, self._messages = entries, messages
        if isinstance(entry, je.ActionTaken):  # nearly always: before the slower match
            chair = self.chairs[entry.seat]
            if chair.silent:
                chair.silent = 0
            if chair.pace is not None and chair.open is not None:
                chair.note_pace(entry.action, now)
            self._play(chair, entry.action, now)
        else:
            self._apply_other(entry, now)
        return Step(entries, messages)

    def _apply_other(self, entry: je.Entry, now: int) -> None:
        match entry:
            case je.PassHeld(seat, until, had_choice):
                self._hold(self._asked_chair(seat), until, now, had_choice=had_choice)
            case je.SeatReady(seat):
                self._take_ready(self._asked_chair(seat), now)
            case je.AnswerRefused(seat, reason):
                self._refuse(self._asked_chair(seat), reason, now)
            case je.TimePassed():
                self._tick(now)
            case je.SilenceBroken(seat):
                self.chairs[seat].silent = 0
            case je.AnswerLate(seat):
                self._run_out(self._asked_chair(seat), now)
                self.chairs[seat].silent = 0
            case je.SeatLeft(seat):
                self._leave(self.chairs[seat], now)
            case je.SeatDropped(seat):
                self.chairs[seat].drop(now)
            case je.SeatReturned(seat, retries):
                self._come_back(self.chairs[seat], retries, now)
            case je.TimeExtended(extra):
                self._extend(extra)
            case je.Began():
                self._tell(self.game.begin(), now)
                self._go_on(now)
            case je.Ended(end):
                self._close(end)
            case je.ActionTaken() | je.FaultCommitted():
                raise ValueError(f"{entry} is not an input")
            case _:
                assert_never(entry)

    def _asked_chair(self, seat: Seat) -> Chair:
        """Return the chair of a seat that has an open question; raises ValueError if it has none."""
        chair = self.chairs[seat]
        if chair.open is None:
            raise ValueError(f"seat {seat} is not asked")
        return chair

    # Taking answers

    def _take_ready(self, chair: Chair, now: int) -> None:
        chair.silent = 0
        chair.close(now)
        self._go_on(now)

    def _hold(self, chair: Chair, until: int, now: int, *, had_choice: bool) -> None:
        """Keep a pass, and let it count when its time has come."""
        chair.silent = 0
        chair.hold(now, until, had_choice=had_choice)
        if until <= now:
            self._run_out(chair, now)

    def _refuse(self, chair: Chair, reason: Reason, now: int) -> None:
        """Refuse an answer: an illegal call is a fault; for anything else the table asks again, up to the limit.

        A call that could mean two things is not illegal: the seat is asked which one it means.
        """
        chair.silent = 0
        asked = chair.asked
        chair.count_refusal(reason)
        self._messages.append(Refuse(chair.seat, asked.number, reason))
        is_call = asked.question is not None and asked.question.phase in (Phase.CALL, Phase.CHANKAN)
        if is_call and reason not in (Reason.UNREADABLE, Reason.AMBIGUOUS):
            self._punish(chair, asked, je.Cause.REFUSED, reason, now)
        elif asked.retries < chair.retries:
            asked.retries += 1
            self._put(chair, asked, now)
        else:
            self._punish(chair, asked, je.Cause.RETRIES, reason, now)

    def _punish(self, chair: Chair, asked: OpenAsk, cause: je.Cause, reason: Reason, now: int) -> None:
        """Apply the room's policy for faults. A refused answer to ``ready?`` counts as ready in every room."""
        if asked.question is None or self._faults is je.Faults.DEFAULT:
            self._default(chair, asked, cause, now)
            return
        self._entries.append(je.FaultCommitted(chair.seat, reason, self._faults))
        chair.close(now)
        if self._faults is je.Faults.ABORT:
            for other in self.chairs:
                self._lapse(other, by_time=False)
            self._finish(je.End.ABORTED)
        else:
            self._tell(self.game.chombo(chair.seat), now)
            self._go_on(now)

    def _tick(self, now: int) -> None:
        """Release seats whose grace is over, or close the questions that ran out, or play one default for a seat.

        One at a time, and never in the step that asked: a table of absent seats must not keep other tables waiting.
        """
        if released := [chair for chair in self.chairs if chair.has_used_grace(now)]:
            for chair in released:
                self._release(chair, now)
            return
        has_run_out = False
        for chair in self.chairs:
            if chair.has_run_out(now):
                self._run_out(chair, now)
                has_run_out = True
        if has_run_out:
            return
        for chair in self.chairs:
            if chair.open is not None and not chair.is_awaited:
                self._lapse(chair, by_time=True)
                self._default(chair, chair.open, je.Cause.ABSENT, now)
                return

    def _run_out(self, chair: Chair, now: int) -> None:
        """Close a question whose time is over, or whose pass was held until now."""
        if chair.asked.is_held:
            self._default(chair, chair.asked, je.Cause.HELD, now)
            return
        chair.silent += 1
        chair.timeouts += 1
        self._lapse(chair, by_time=True)
        self._default(chair, chair.asked, je.Cause.TIMEOUT, now)

    def _default(self, chair: Chair, asked: OpenAsk, cause: je.Cause, now: int) -> None:
        """Answer for a seat."""
        if asked.question is None:
            chair.close(now)
            self._go_on(now)
        else:
            action = asked.question.default()
            self._entries.append(je.ActionTaken(chair.seat, action, cause))
            self._play(chair, action, now)

    def _play(self, chair: Chair, action: Action, now: int) -> None:
        """Pass a legal action to the game; every action takes this way."""
        chair.close(now)
        self._tell(self.game.take(chair.seat, action), now)
        self._go_on(now)

    # Coming and going

    def _leave(self, chair: Chair, now: int) -> None:
        chair.presence = Presence.GONE
        if not self._goes_on_for_somebody:
            self._finish(je.End.ABANDONED)
        else:
            self._count_as_ready(chair, now)

    @property
    def _goes_on_for_somebody(self) -> bool:
        return self._is_unattended or any(each.keeps_table for each in self.chairs)

    def _count_as_ready(self, chair: Chair, now: int) -> None:
        """Close the question whether a seat is ready, since nobody will answer it."""
        if chair.open is not None and chair.open.question is None:
            chair.close(now)
            self._go_on(now)

    def _release(self, chair: Chair, now: int) -> None:
        """Stop waiting for a player who has not come back; a built-in bot takes over, or the defaults are played."""
        if self.end is not None:
            return
        chair.resume(now, Presence.REPLACED if self._takeover else Presence.GONE)
        if not self._goes_on_for_somebody:
            self._finish(je.End.ABANDONED)
        elif self._takeover:
            self._messages.append(Release(chair.seat))
            self._repeat(chair, now)
        else:
            self._count_as_ready(chair, now)

    def _come_back(self, chair: Chair, retries: int, now: int) -> None:
        chair.resume(now, Presence.PRESENT)
        chair.silent = 0
        chair.retries = retries
        self._repeat(chair, now)

    def _repeat(self, chair: Chair, now: int) -> None:
        """Ask the open question under its old number: nobody at this seat has it. A held pass is its answer."""
        if chair.open is not None and not chair.open.is_held:
            self._messages.append(self._ask_of(chair, chair.open, now))

    def _extend(self, extra: int) -> None:
        self.extra = extra
        for chair in self.chairs:
            chair.extend(extra)

    # Going on

    def _tell(self, events: list[Event], now: int) -> None:
        """Close the questions that other seats have decided, and send what happened."""
        if not events:
            return
        questions = self.game.questions
        for chair in self.chairs:
            asked = chair.open
            if asked is not None and questions.get(chair.seat) is not asked.question:
                self._lapse(chair, by_time=False)
                chair.close(now)
        self._messages += map(Tell, events)

    def _lapse(self, chair: Chair, *, by_time: bool) -> None:
        """Tell a connected seat that its open question is closed, if it has not answered it."""
        if chair.is_here and chair.open is not None and not chair.open.is_held:
            left = max(0, MAX_SILENT - chair.silent) if by_time and not chair.is_barred else 0
            self._messages.append(Lapse(chair.seat, chair.open.number, by_time, left))

    def _go_on(self, now: int) -> None:
        """Ask what the game asks now; between two kyoku ask who is ready, and proceed when all are."""
        game = self.game
        if game.between_kyoku:
            if not self._is_asking_ready:
                self._ask_ready(now)
            if any(chair.open is not None for chair in self.chairs):
                return
            self._proceed(now)
        if game.over:
            self._finish(je.End.COMPLETED)
            return
        for seat, question in game.questions.items():
            chair = self.chairs[seat]
            if chair.open is None:
                self._ask(chair, question, now)

    def _proceed(self, now: int) -> None:
        """Start the next kyoku, or end the game."""
        self._is_asking_ready = False
        for chair in self.chairs:
            chair.begin_kyoku()
        chairs = tuple(map(ChairState.of, self.chairs))
        start = BeforeKyoku(self.game.standing, self._number, chairs, self.extra)
        self._tell(self.game.proceed(), now)
        if not self.game.over:
            self.kyoku_start = start

    def _ask_ready(self, now: int) -> None:
        """Ask every seat whose player is here or may come back; the others count as ready."""
        self._is_asking_ready = True
        for chair in self.chairs:
            if chair.presence is not Presence.GONE:
                self._ask(chair, None, now)

    def _ask(self, chair: Chair, question: Question | None, now: int) -> None:
        """Open a question to a seat; for one that is not waited for it is answered at the next tick."""
        chair.open = OpenAsk(question, now, chair.clock)
        self._put(chair, chair.open, now)

    def _put(self, chair: Chair, asked: OpenAsk, now: int) -> None:
        """Ask a question under a new number with the time that is left; a disconnected seat gets no message."""
        self._number += 1
        asked.number = self._number
        if chair.is_here:
            self._messages.append(self._ask_of(chair, asked, now))

    def _ask_of(self, chair: Chair, asked: OpenAsk, now: int) -> Ask:
        """Return the message that asks an open question, with the time that is left."""
        move, bank = chair.clock.left(now - asked.asked, with_bank=asked.with_bank)
        return Ask(chair.seat, asked.number, asked.question, move, bank, self.game.is_decided)

    def _finish(self, end: je.End) -> None:
        """End the game, as it follows from the input."""
        self._close(end)
        self._entries.append(je.Ended(end, self.game.points))
        self._messages.append(Finish(end))

    def _close(self, end: je.End) -> None:
        self.end = end
        for chair in self.chairs:
            chair.open = None
