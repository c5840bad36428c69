"""A chair at a table: one seat's open question and clock, how it has answered so far, and how an answer is judged.

A table can go on from the start of a kyoku: ``BeforeKyoku`` holds the state of its chairs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from enum import Enum
from hashlib import sha256
from math import sqrt

from ump.game.game import GameState
from ump.game.resolution import resolve
from ump.model.actions import Action, DeclareNoten, Pass
from ump.model.claims import Claim, IllegalAction, Reason, Verb
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.value import value
from ump.rules.questions import Question
from ump.table.clock import Clock, TimeControl
from ump.table.journal_entries import ActionTaken, AnswerRefused, Cause, Entry, PassHeld, SeatReady

# The pace of a client's answers, so that a pass without a choice takes as long as one with a choice.
#
# With ``ask_all`` every seat is asked about every discard. Many clients, and some sessions for them, pass at once
# where nothing else is legal, and think where they could call. Then each pause would say that somebody could have
# called. So the table holds such a pass for as long as the client might have thought.
#
# A pass that took ``taken`` milliseconds, longer than a share ``u`` of the client's other passes without a choice, is
# held until it has taken as long as the client's passes with a choice take in that share ``u`` of the cases. If the
# times of both kinds are spread alike, that is no wait at all; if a client always passes at once, it is a random one
# of its own times. In both cases nobody who measures the pauses can tell the two kinds of pass apart.
#
# The times of a client's last game in the room go on with its next game. Of a client that is hardly known, every pass
# is held, with a choice or without, for as long as one draw says. Nobody knows how slow it is, so that is longer than
# most choices of most clients, and than its slowest choice so far. The hold ends between two kyoku: if it ended with
# the last choice that it takes to know a client, that would tell of this choice.

KEPT = 64
"""The number of times of each kind that are kept, the latest ones."""

ENOUGH = 4
"""With fewer passes with a choice than this a client is hardly known."""

FIRST_LEAST = 2_000
"""Milliseconds for which the first passes of a client are held, at least."""

FIRST_SLOWEST = 4_000
"""Milliseconds above which a choice of such a client makes its next passes no longer: others wait for them."""

SLOWER = 1.5
"""The longest hold of a hardly known client, as a multiple of the shortest one."""

ALIKE = 1.5
"""Up to so many standard deviations from chance (rank sum test), the passes without a choice count as slow enough."""


@value
class PaceState:
    """The times of one client, in milliseconds, the oldest first."""

    chosen: tuple[int, ...] = ()
    """Passes where something else was legal."""
    forced: tuple[int, ...] = ()
    """Passes where nothing else was legal, and passes that a session gave without its client."""


class Pace:
    """The times of one client at a table."""

    __slots__ = ("_chosen", "_forced", "_secret", "is_known")

    def __init__(self, secret: str) -> None:
        """``secret`` is a secret of the table, from which all waits are drawn."""
        self._secret = secret
        self.state = PaceState()

    @property
    def state(self) -> PaceState:
        """The times as a value."""
        return PaceState(tuple(self._chosen), tuple(self._forced))

    @state.setter
    def state(self, state: PaceState) -> None:
        """Replace the times, and begin a kyoku with them."""
        self._chosen, self._forced = map(_kept, (state.chosen, state.forced))
        self.begin_kyoku()

    def begin_kyoku(self) -> None:
        """Find out whether the client is known by now."""
        self.is_known = len(self._chosen) >= ENOUGH
        """Whether passes with a choice may count at once, because others take as long."""

    def note_chosen(self, taken: int) -> None:
        """Note how long a pass took where something else was legal."""
        self._chosen.append(taken)

    def note_forced(self, taken: int) -> None:
        """Note how long a pass took that the client had not to think about."""
        self._forced.append(taken)

    def wait(self, taken: int, number: int) -> int:
        """Return how long a pass is to take, at least ``taken``; ``number`` is that of its question.

        It is one without a choice, or any of a client that is hardly known.
        """
        if not self.is_known:
            return max(taken, self._first_wait(number))
        known, forced = sorted(self._chosen), sorted(self._forced)
        if forced and not _are_slower(known, forced):
            return taken
        below, upto = bisect_left(forced, taken), bisect_right(forced, taken)
        share = (below + _draw(f"{self._secret}/{number}") * (upto - below + 1)) / (len(forced) + 1)
        return max(taken, round(_quantile(known, share)))

    def _first_wait(self, number: int) -> int:
        """Return how long a client that is hardly known is to take for either kind of pass."""
        least = min(max((FIRST_LEAST, *self._chosen)), FIRST_SLOWEST)
        return round(least * (1 + _draw(f"{self._secret}/{number}") * (SLOWER - 1)))


def _kept(times: Iterable[int]) -> deque[int]:
    return deque(times, KEPT)


def _draw(seed: str) -> float:
    """Return a number from 0 to 1 that tells nothing about other things made from the same secret."""
    return int.from_bytes(sha256(f"ump-pass-1/{seed}".encode()).digest()[:6], "big") / (1 << 48)


def _are_slower(times: Sequence[int], others: Sequence[int]) -> bool:
    """Tell whether sorted times are longer than sorted others, by more than chance explains (rank sum test)."""
    count, other = len(times), len(others)
    ranks = sum(bisect_left(others, each) + bisect_right(others, each) for each in times) / 2
    return ranks - count * other / 2 > ALIKE * sqrt(count * other * (count + other + 1) / 12)


def _quantile(times: Sequence[int], share: float) -> float:
    """Return the time that this share of sorted times does not exceed, on a line between two of them."""
    place = min(max(share * len(times) - 0.5, 0.0), len(times) - 1.0)
    low = int(place)
    if low + 1 == len(times):
        return times[low]
    return times[low] + (times[low + 1] - times[low]) * (place - low)


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
        """The number of times that it has been asked again."""
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
        max_refusals: int,
        pass_secret: str | None,
        pace: PaceState | None,
    ) -> None:
        self.seat = seat
        self.clock = Clock(times)
        self.is_client = is_client
        """Whether a client sits here rather than a built-in bot."""
        self.pace = None if pass_secret is None or not is_client else Pace(f"{pass_secret}/{seat}")
        """The client's times for a pass, where the table holds passes; built-in bots pass at once, always."""
        if self.pace is not None and pace is not None:
            self.pace.state = pace
        self.retries = retries
        """The number of times that the same question is asked again after an answer that does not count."""
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
        """The number of questions in a row that have timed out."""
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

    def begin_kyoku(self) -> None:
        """Fill the bank, and find out whether the client's pace is known by now."""
        self.clock.refill()
        if self.pace is not None:
            self.pace.begin_kyoku()

    def close(self, now: int) -> None:
        """Close the open question, and charge the time that it took."""
        asked, self.open = self.open, None
        if asked is not None and asked.with_bank:
            until = now if not self.is_dropped else max(self.dropped_at, asked.asked)
            self.clock.charge(until - asked.asked)

    def extend(self, extra: int) -> None:
        """Let the bank have so many milliseconds more than the times say, also for the open question."""
        self.clock.extend(extra)
        if self.open is not None and self.open.with_bank:
            self.open.deadline = self.clock.deadline(self.open.asked, with_bank=True)

    def hold(self, now: int, until: int, *, had_choice: bool) -> None:
        """Keep the pass of this seat until an instant; its clock is charged now."""
        asked = self.asked
        if self.pace is not None and had_choice:
            self.pace.note_chosen(now - asked.asked)
        elif self.pace is not None:
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


def judged(seat: Seat, question: Question | None, answer: Claim | Action | None) -> Entry:
    """Return the entry for an answer to a question; None is an unreadable answer."""
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


def held(chair: Chair, entry: Entry, now: int, *, is_automatic: bool) -> Entry:
    """Return the entry that holds a pass; any other entry counts at once.

    A pass with a choice, of a client whose pace is known, takes its time by itself.

    A session that declares tenpai without its client does so at once for every hand.
    ``is_automatic``: the session answered without its player. See ``Table.answer``.
    """
    asked, question, pace = chair.asked, chair.asked.question, chair.pace
    if question is None or pace is None or chair.presence is not Presence.PRESENT:
        return entry
    is_declared = question.phase is Phase.DECLARE
    is_pass = isinstance(entry, ActionTaken) and isinstance(entry.action, Pass | DeclareNoten)
    if not is_pass or (is_declared and is_automatic):
        return entry
    had_choice = not is_automatic and len(question.legal()) > 1
    if had_choice and (is_declared or pace.is_known):
        return entry
    until = asked.asked + pace.wait(now - asked.asked, asked.number)
    return PassHeld(chair.seat, min(until, asked.deadline), had_choice)


@value
class ChairState:
    """The state of a chair between two kyoku. Its question is closed, and its bank is full."""

    presence: Presence
    grace: int
    """Milliseconds of grace that are left."""
    dropped_at: int
    """The instant at which the connection was lost, while the seat is DROPPED."""
    retries: int
    silent: int
    timeouts: int
    refusals: tuple[tuple[Reason, int], ...]
    """The number of answers that were refused for each reason, in the order of the reasons' names."""
    pace: PaceState | None = None
    """The client's times for a pass, where the table holds passes."""

    @classmethod
    def of(cls, chair: Chair) -> ChairState:
        """Return the state of a chair."""
        refusals = tuple(sorted(chair.refusals.items(), key=lambda each: each[0].value))
        return cls(
            chair.presence,
            chair.grace,
            chair.dropped_at,
            chair.retries,
            chair.silent,
            chair.timeouts,
            refusals,
            None if chair.pace is None else chair.pace.state,
        )

    def restore(self, chair: Chair) -> None:
        """Bring a new chair into this state."""
        chair.refusals = Counter(dict(self.refusals))
        chair.presence, chair.grace, chair.dropped_at = self.presence, self.grace, self.dropped_at
        chair.retries, chair.silent, chair.timeouts = self.retries, self.silent, self.timeouts
        if chair.pace is not None and self.pace is not None:
            chair.pace.state = self.pace


@value
class BeforeKyoku:
    """The state of a table before a kyoku is dealt."""

    standing: GameState
    number: int
    """The number of the last question."""
    chairs: tuple[ChairState, ...]
    extra: int = 0
    """Milliseconds that each seat has on top of its bank."""
