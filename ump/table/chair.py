"""A chair at a table: one seat's open question, its clock, and how it has answered so far."""

from __future__ import annotations

from collections import Counter
from enum import Enum

from ump.model.actions import Action, Pass
from ump.model.claims import Reason
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.rules.questions import Question
from ump.table.clock import Clock, TimeControl
from ump.table.pace import Pace

MAX_SILENT = 3
"""After this many consecutive timeouts the table stops waiting for a seat."""

BANKED = (Phase.TURN, Phase.CALL, Phase.CHANKAN)
"""The questions for which the bank may be used; ``tenpai?`` and ``ready?`` have only the time of the move."""


class Presence(Enum):
    """The kind of player at a chair."""

    PRESENT = "present"
    """Its player, a connected client or a built-in bot."""
    DROPPED = "dropped"
    """Nobody for now: the connection was lost, and the player has some time to come back."""
    REPLACED = "replaced"
    """A built-in bot, in place of a player who did not come back."""
    GONE = "gone"
    """Nobody: the table plays the defaults."""


class OpenAsk:
    """A question as it was asked. If it is asked again it gets a new number and keeps its deadline."""

    __slots__ = ("asked", "deadline", "is_held", "number", "question", "retries", "with_bank")

    def __init__(self, question: Question | None, asked: int, clock: Clock) -> None:
        self.question = question
        """None for ``ready?``."""
        self.asked = asked
        """The instant at which it was first asked, in milliseconds."""
        self.with_bank = question is not None and question.phase in BANKED
        """Whether the seat may use its bank."""
        self.deadline = clock.deadline(asked, with_bank=self.with_bank)
        self.number = 0
        """The number under which it was asked last."""
        self.retries = 0
        """How often it has been asked again."""
        self.is_held = False
        """Whether the seat has passed, and the pass counts at the deadline."""

    def postpone(self, pause: int) -> None:
        """Move the question by the milliseconds for which its clock stood still."""
        self.asked += pause
        self.deadline += pause


class Chair:
    """One seat's side of the table."""

    __slots__ = (
        "_max_refusals",
        "_presence",
        "_silent",
        "clock",
        "dropped_at",
        "grace",
        "is_awaited",
        "is_client",
        "is_dropped",
        "is_here",
        "open",
        "pace",
        "refusals",
        "retries",
        "seat",
        "stale",
        "timeouts",
    )

    def __init__(
        self,
        seat: Seat,
        times: TimeControl,
        *,
        is_client: bool,
        retries: int,
        grace: int,
        max_refusals: int = 0,
        pass_secret: str | None = None,
    ) -> None:
        self.seat = seat
        self.clock = Clock(times)
        self.is_client = is_client
        """Whether a client sits here rather than a built-in bot."""
        self.pace = None if pass_secret is None or not is_client else Pace(f"{pass_secret}/{seat}")
        """How long the client takes to pass, where the table holds passes; built-in bots pass at once, always."""
        self.retries = retries
        """How often the same question is asked again after an answer that does not count."""
        self._silent = 0
        self._max_refusals = max_refusals
        self.refusals: Counter[Reason] = Counter()
        self.presence = Presence.PRESENT
        self.grace = grace
        """Milliseconds of this game for which the table keeps the seat for a player without a connection."""
        self.dropped_at = 0
        """The instant at which the connection was lost, while the seat is DROPPED."""
        self.open: OpenAsk | None = None
        """The open question, if any."""
        self.stale = 0
        """Answers to questions that were no longer open, or never were."""
        self.timeouts = 0

    @property
    def presence(self) -> Presence:
        """The kind of player at this chair."""
        return self._presence

    @presence.setter
    def presence(self, presence: Presence) -> None:
        """Set it, and what follows from it."""
        self._presence = presence
        self.is_here = presence in (Presence.PRESENT, Presence.REPLACED)
        """Whether messages reach somebody at this seat."""
        self.is_dropped = presence is Presence.DROPPED
        self._update()

    @property
    def silent(self) -> int:
        """How many questions in a row have timed out."""
        return self._silent

    @silent.setter
    def silent(self, timeouts: int) -> None:
        """Set it, and what follows from it."""
        self._silent = timeouts
        self._update()

    def _update(self) -> None:
        # Kept as an attribute, because the table reads it for each seat in each step.
        self.is_awaited = self._presence is not Presence.GONE and self._silent < MAX_SILENT and not self.is_barred
        """Whether the table waits for its answers; otherwise it plays the defaults at once."""

    @property
    def is_barred(self) -> bool:
        """Whether so many answers were refused in this game that the defaults are played."""
        return self._presence is not Presence.REPLACED and 0 < self._max_refusals <= self.refusals.total()

    def count_refusal(self, reason: Reason) -> None:
        """Count a refused answer."""
        self.refusals[reason] += 1
        self._update()

    @property
    def keeps_table(self) -> bool:
        """Whether the game goes on for this seat's sake."""
        return self.is_client and self._presence in (Presence.PRESENT, Presence.DROPPED)

    @property
    def asked(self) -> OpenAsk:
        """The open question of a seat that is known to have one."""
        assert self.open is not None, "the seat is not asked"
        return self.open

    def due_without_player(self) -> int:
        """Return when the table has to act for this DROPPED seat: its grace or the table's patience is over."""
        until, asked = self.dropped_at + self.grace, self.open
        return until if asked is None or self.is_awaited else min(until, asked.asked)

    def has_used_grace(self, now: int) -> bool:
        """Return whether the table has waited long enough for a player without a connection."""
        return self.is_dropped and now >= self.dropped_at + self.grace

    def has_run_out(self, now: int) -> bool:
        """Return whether the time for the open question is over. The clock of a DROPPED seat stands still."""
        asked = self.open
        return asked is not None and now >= asked.deadline and self.is_awaited and not self.is_dropped

    def close(self, now: int) -> None:
        """Close the open question, and charge the time that it took."""
        asked, self.open = self.open, None
        if asked is not None and asked.with_bank:
            until = now if not self.is_dropped else max(self.dropped_at, asked.asked)
            self.clock.charge(until - asked.asked)

    def hold(self, now: int, until: int) -> None:
        """Keep the pass of this seat until an instant; its clock is charged now."""
        asked = self.asked
        if self.pace is not None:
            self.pace.note_forced(now - asked.asked)
        self.clock.charge(now - asked.asked)
        asked.is_held, asked.deadline, asked.with_bank = True, until, False

    def note_pace(self, action: Action, now: int) -> None:
        """Note how long the answer to the open question has taken, where the table holds passes."""
        pace, asked = self.pace, self.asked
        if pace is None or asked.question is None or self._presence is not Presence.PRESENT:
            return
        if isinstance(action, Pass):
            pace.note_chosen(now - asked.asked)
        elif asked.question.phase is Phase.TURN and not asked.question.player.riichi:
            pace.note_turn(now - asked.asked)

    def drop(self, now: int) -> None:
        """Stop the clock: the connection is lost."""
        self.presence, self.dropped_at = Presence.DROPPED, now

    def resume(self, now: int, presence: Presence) -> None:
        """Let the clock go on after a lost connection, and use up the grace."""
        if self.is_dropped:
            self.grace = max(0, self.grace - (now - self.dropped_at))
            if self.open is not None:
                self.open.postpone(now - max(self.dropped_at, self.open.asked))
        self.presence = presence
