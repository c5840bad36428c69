"""A running table: between the table's messages and those who sit at it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.actions import Action
from ump.model.claims import Claim
from ump.model.seats import Seat
from ump.net.config import RoomSettings
from ump.net.gallery import Screen
from ump.net.guest import Guest
from ump.net.house import Filler, HousePlayer
from ump.net.log_folder import GameLog
from ump.net.rendering import Rendering
from ump.table.journal_entries import Entry
from ump.table.messages import Ask, Finish, Lapse, Message, Refuse, Tell
from ump.table.table import Table
from ump.table.view import view
from ump.wire.session import Session


class RunningTable:
    """One game: passes on what its table says, lets house players decide, and keeps the time.

    One step at a time: what a step wants to be said is collected and then sent, to each connection in one write.
    House players and absent seats take their steps from the reactor, one for each of its turns, so that other
    tables never wait for a game that plays itself.

    A fault of ours ends this table alone; one in what a single guest is told costs that guest its seat, and no more.
    """

    _log = Logger()

    def __init__(
        self,
        name: str,
        settings: RoomSettings,
        seed: str,
        players: Sequence[Guest | Filler],
        clock: IReactorTime,
        finished: Callable[[RunningTable], None],
        log: GameLog | None = None,
    ) -> None:
        """Lay the table; ``finished`` is called when its game is over, ``log`` is told every event as it happens."""
        self.ruleset = ruleset = settings.ruleset
        self.name = name
        self.screen = Screen()
        self.guests: dict[Seat, Guest] = {}
        """Those who are connected, by seat."""
        self._house: dict[Seat, HousePlayer] = {}
        self._seed = seed
        self._names = [player.name for player in players]
        self._game = Game(ruleset, self._names, seeded_deals(seed), ask_all=settings.ask_all)
        self._clock = clock
        self._now = clock.seconds()
        """The instant of the current step."""
        self._finished = finished
        self._game_log = log
        self._undecided: dict[Seat, Ask] = {}
        """Questions that house players have still to answer, the oldest first."""
        self._wake: IDelayedCall | None = None
        self._is_over = False
        self._lost: list[Guest] = []
        """Guests that cannot be told what happens, by a fault of ours."""
        for seat, player in enumerate(players):
            if isinstance(player, Guest):
                self.guests[seat] = player
                player.play_at(self, seat)
            else:
                self._house[seat] = HousePlayer(player, seat, ruleset)
        retries = {seat: guest.connection.session.RETRIES for seat, guest in self.guests.items()}
        clients = [seat for seat, guest in self.guests.items() if guest.is_client]
        self._table = Table(self._game, settings.times, _forget, clients, retries=retries, faults=settings.faults)

    def begin(self) -> None:
        """Begin the game."""
        self._log.info("{table} begins: {names}", table=self.name, names=", ".join(self._names))
        self._step(self._table.begin)

    def answered(self, seat: Seat, number: int, answer: Claim | Action | None) -> None:
        """A guest has answered a question."""
        self._step(lambda now: self._table.answer(seat, number, answer, now))

    def heard(self, seat: Seat, *, is_stale: bool) -> None:
        """A line came from a guest that answers nothing."""
        self._table.heard(seat, is_stale=is_stale)

    def left(self, seat: Seat) -> None:
        """A guest has gone; the defaults play its seat, unless it was the last guest."""
        del self.guests[seat]
        if not self._is_over:
            self._log.info("{table}: {name} leaves", table=self.name, name=self._names[seat])
        self._step(lambda now: self._table.leave(seat, now))

    def stop(self) -> None:
        """End the game where it is: the server stops."""
        self._end("stopped")

    # One step

    def _step(self, act: Callable[[float], list[Message]]) -> None:
        """Let the table take a step at this instant, and pass on what comes of it."""
        if self._is_over:
            return
        self._now = now = self._clock.seconds()
        try:
            for message in act(now):
                _PASS_ON[type(message)](self, message)
            self._flush()
            self._arm()
        except Exception:  # ours, whatever it is: it must not reach the other tables
            self._log.failure("{table} breaks down", table=self.name)
            self._break_down()

    def _flush(self) -> None:
        """Send what was said, and let go whom nothing can be said to."""
        for guest in tuple(self.guests.values()):
            try:
                guest.connection.flush()
            except Exception:  # likewise
                self._lose(guest)
        self.screen.flush()
        while self._lost:
            guest = self._lost.pop()
            try:
                guest.connection.fail("internal error")
            except Exception:  # it cannot be told even that
                guest.connection.cut()

    def _say(self, guest: Guest, say: Callable[[Session], None]) -> None:
        """Say something to one guest."""
        try:
            say(guest.connection.session)
        except Exception:  # ours: it must not reach the others at this table
            self._lose(guest)

    def _lose(self, guest: Guest) -> None:
        """Note that a guest cannot be told what happens; within an ``except``."""
        self._log.failure("{table}: {name} cannot be told", table=self.name, name=guest.name)
        if guest not in self._lost:
            self._lost.append(guest)

    def _tell(self, message: Tell) -> None:
        event = message.event
        rendering, now = Rendering(event), self._now
        if self._game_log is not None:
            self._game_log.note(event)
        for guest in self.guests.values():
            try:
                guest.connection.session.tell(rendering, now)
            except Exception:  # as _say has it; written out, because nothing is done as often
                self._lose(guest)
        for seat, house in self._house.items():
            house.see(view(event, seat))
        self.screen.show(event, rendering, now)

    def _ask(self, message: Ask) -> None:
        if message.seat in self._house:
            self._undecided[message.seat] = message
        elif message.seat in self.guests:
            ask = message.number, message.question, message.move, message.bank, self._now
            self._say(self.guests[message.seat], lambda session: session.ask(*ask))

    def _lapse(self, message: Lapse) -> None:
        self._undecided.pop(message.seat, None)
        if message.seat in self.guests:
            guest = self.guests[message.seat]
            self._say(guest, lambda session: session.lapse(message.number, self._now, by_time=message.by_time))
            if message.by_time:
                guest.was_late()

    def _refuse(self, message: Refuse) -> None:
        seat, reason = message.seat, message.reason.value  # it says something of the hand: nothing for info now
        self._log.debug("{table}: {name}: refused: {reason}", table=self.name, name=self._names[seat], reason=reason)
        if seat in self.guests:
            self._say(self.guests[seat], lambda session: session.refuse(message.number, message.reason, self._now))

    def _finish(self, message: Finish) -> None:
        self._end(message.end.value)
        self._finished(self)

    # Time

    def _arm(self) -> None:
        """See to it that the next step from the reactor comes in time.

        A call that is armed for an earlier instant stays: it will find nothing to do, and arm the next. So a table
        that is answered in time arms one call for many questions.
        """
        if self._is_over:
            return
        due = 0.0 if self._undecided else self._table.due()
        if due is None:
            return
        wake = self._wake
        if wake is None or not wake.active():
            self._wake = self._clock.callLater(max(0.0, due - self._clock.seconds()), self._awake)
        elif due < wake.getTime():
            wake.reset(max(0.0, due - self._clock.seconds()))

    def _awake(self) -> None:
        """Take one step: of a house player, or of the clock."""
        if self._undecided:
            self._step(self._let_decide)
        else:
            self._step(self._table.tick)

    def _let_decide(self, now: float) -> list[Message]:
        seat = next(iter(self._undecided))
        ask = self._undecided.pop(seat)
        return self._table.answer(seat, ask.number, self._house[seat].decide(ask), now)

    # The end

    def _end(self, why: str) -> None:
        """Rest for ever, and write down how the game ended."""
        self._is_over = True
        if self._game_log is not None:
            self._game_log.close()
        if self._wake is not None and self._wake.active():
            self._wake.cancel()
        self._log.info(
            "{table} ends, {why}: {result}; seed {seed}",
            table=self.name,
            why=why,
            result=", ".join(map(self._account_of, range(len(self._names)))),
            seed=self._seed,
        )

    def _account_of(self, seat: Seat) -> str:
        """Tell a seat's name and score, and what was wrong with its answers: refused for a reason, late, stale."""
        chair = self._table.chairs[seat]
        wrong = [
            f"{count} {reason.value}"
            for reason, count in sorted(chair.refusals.items(), key=lambda each: each[0].value)
        ]
        if chair.timeouts:
            wrong.append(f"{chair.timeouts} late")
        if chair.stale:
            wrong.append(f"{chair.stale} stale")
        score = f"{self._names[seat]} {self._game.points[seat]}"
        return f"{score} ({', '.join(wrong)})" if wrong else score

    def _break_down(self) -> None:
        """Close the table after a fault of ours."""
        self._end("broken")
        for guest in tuple(self.guests.values()):
            guest.connection.fail("internal error, this table is closed")
        self._finished(self)


def _forget(entry: Entry) -> None:
    """Keep no record: the journal is still to come."""


_PASS_ON: dict[type[Message], Callable[[RunningTable, Any], None]] = {
    Tell: RunningTable._tell,
    Ask: RunningTable._ask,
    Lapse: RunningTable._lapse,
    Refuse: RunningTable._refuse,
    Finish: RunningTable._finish,
}
"""What is done with each kind of message."""
