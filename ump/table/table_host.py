"""The host of a table: everything about a running game that needs no reactor.

It owns the table, the receivers (seated clients, built-in bots, spectators, a log) and the history of the game. Its
inputs are values, each with the instant at which it arrived, in milliseconds since the game began. Every input takes
the same three steps:

1. ``step`` computes the consequences, and sends nothing;
2. the caller records the entries of the step, in one write;
3. ``deliver`` passes the messages to each receiver, guards against its failure, and returns the text for each client.

Between ``step`` and ``deliver`` a host takes no other input, because the receivers do not know the new questions yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import assert_never

from ump.model.events import Event, KyokuStarted
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.value import value
from ump.table import journal_entries as je
from ump.table.chair import BeforeKyoku, Presence
from ump.table.messages import (
    Answer,
    Ask,
    Begin,
    Drop,
    Extend,
    Finish,
    Heard,
    Input,
    Lapse,
    Leave,
    PlayOn,
    Refuse,
    Release,
    Return,
    Stop,
    Tell,
    Tick,
)
from ump.table.receivers import (
    Audience,
    BuiltinBot,
    Client,
    EventBatch,
    Parcel,
    Receiver,
    Rendering,
    SeatedBot,
    SeatedClient,
    Spectator,
)
from ump.table.table import Step, Table
from ump.table.view import view


@value
class Failure:
    """A receiver that failed, because of a bug in the server. It receives no further messages."""

    receiver: Receiver
    error: Exception


@value
class Delivery:
    """The result of delivering a step."""

    sent: list[tuple[Client, list[str]]]
    """The messages for each client, for one write. A client without messages may still have a timer to set."""
    failures: list[Failure]
    late: list[Seat]
    """The seats whose question ran out."""
    is_watched: bool = False
    """Whether spectators have something to receive, which ``show`` sends them."""


class TableHost:
    """One running game with its receivers."""

    def __init__(
        self,
        table: Table,
        receivers: Iterable[Receiver],
        bot_delays: Iterator[int] | None = None,
        takeover: Callable[[Seat], BuiltinBot] | None = None,
        *,
        keeps_game: bool = False,
    ) -> None:
        """Host a table that has not begun, for the receivers at its seats, and a log if there is one.

        ``bot_delays``: the milliseconds that the server's bots think on each of their turns, while a person plays here
        or watches.
        ``takeover`` makes the built-in bot that plays on for a player who does not come back; a table with
        ``takeover`` needs it. With ``keeps_game`` the host keeps all events, for returning clients that receive the
        whole game; otherwise those of the current kyoku.
        """
        self.table = table
        self._receivers = list(receivers)
        self._audience = Audience()
        self._bots = {each.seat: each.bot for each in self._receivers if isinstance(each, SeatedBot)}
        self._undecided: dict[Seat, Ask] = {}
        """Questions that built-in bots still have to answer, the oldest first."""
        self.thinking: dict[Seat, int] = {}
        """The server's bots that take their time for a turn, and the instants from which their answers count."""
        self._bot_delays = bot_delays
        self._takeover = takeover
        self._history: list[Event] = []
        """The start of the game, and the current kyoku so far."""
        self._story: EventBatch | None = None
        """The same for spectators who have come since the last event; None if there are none."""
        self._past: list[Event] | None = [] if keeps_game else None
        """The events of earlier kyoku; None if they are not kept."""
        self._failures: list[Failure] = []
        """Failures since the last delivery."""

    # Compute

    def step(self, given: Input, now: int) -> Step:
        """Take an input. The step is empty if it changes nothing, for example after the end.

        An exception is a bug in the server: the caller must record nothing of this step, and end the game.
        """
        if isinstance(given, Answer):  # the most frequent input, tested before the slower match
            return self.table.answer(given.seat, given.number, given.answer, now, is_automatic=given.is_automatic)
        match given:
            case Tick():
                seat = self._next_bot(now) if self._undecided else None
                return self.table.tick(now) if seat is None else self._decide(seat, now)
            case Heard(seat, is_stale):
                return self.table.heard(seat, now, is_stale=is_stale)
            case Leave(seat):
                return self._leave(seat, now)
            case Drop(seat):
                self._remove(seat)
                return self.table.drop(seat, now)
            case Return(seat, retries):
                self._hand_back(seat)
                return self.table.come_back(seat, retries, now)
            case Extend(extra):
                return self.table.extend(extra, now)
            case Begin():
                return self.table.begin(now)
            case PlayOn(actions):
                return self.table.play_on(actions, now)
            case Stop(end):
                return self.table.stop(end, now)
            case _:
                assert_never(given)

    def due(self, now: int) -> int | None:
        """Return when the next ``Tick`` is due, or None; ``now`` if a built-in bot decides without a delay."""
        if not self._undecided:
            return self.table.due()
        if not self.thinking:
            return now
        decides = min(self.thinking.get(seat, now) for seat in self._undecided)
        deadline = self.table.due()
        return decides if deadline is None else min(decides, deadline)

    def _next_bot(self, now: int) -> Seat | None:
        """Return the built-in bot that decides now, or None while all of them think."""
        if not self.thinking:
            return next(iter(self._undecided))
        due = (seat for seat in self._undecided if self.thinking.get(seat, now) <= now)
        return next(due, None)

    def _decide(self, seat: Seat, now: int) -> Step:
        """Let one built-in bot answer: one decision in each step, so that other tables do not wait for this one."""
        ask = self._undecided.pop(seat)
        self.thinking.pop(seat, None)
        try:
            answer = self._bots[seat].decide(ask)
        except Exception as error:
            self._failures += [Failure(each, error) for each in self._receivers if each.seat == seat]
            return self._leave(seat, now)
        return self.table.answer(seat, ask.number, answer, now)

    def _leave(self, seat: Seat, now: int) -> Step:
        """Remove the receiver at a seat."""
        self._remove(seat)
        return self.table.leave(seat, now)

    def _remove(self, seat: Seat) -> None:
        self._receivers = [receiver for receiver in self._receivers if receiver.seat != seat]
        self._bots.pop(seat, None)
        self._close_for_bot(seat)
        self._hurry()

    # Deliver

    def deliver(self, step: Step, now: int, seconds: float) -> Delivery:
        """Pass the messages of a step to every receiver; a receiver that fails does not affect the others.

        ``now`` is the instant of the step, ``seconds`` the same instant by the clock of the sessions.
        """
        if not step.messages and not self._failures:
            return Delivery([], [], [])
        history, self._story = self._history, None
        parcels: list[Parcel] = []
        late: list[Seat] = []
        for message in step.messages:
            if isinstance(message, Tell):
                event = message.event
                if isinstance(event, KyokuStarted):
                    if self._past is not None:
                        self._past += history[1:]
                    del history[1:]
                history.append(event)
                parcels.append(Rendering(event))
            elif isinstance(message, Release):
                self._replace(message.seat)
            elif isinstance(message, Finish):
                self._undecided.clear()
                self.thinking.clear()
            else:
                parcels.append(message)
                if isinstance(message, Lapse) and message.by_time:
                    late.append(message.seat)
                if message.seat in self._bots:
                    self._note_for_bot(message)
                if self._bot_delays is not None and isinstance(message, Ask):
                    self._pace(message, self._bot_delays, now)
        is_watched = bool(self._audience)
        if is_watched:
            self._audience.append([parcel for parcel in parcels if isinstance(parcel, Rendering)])
        sent = self._send(parcels, seconds)
        failures, self._failures = self._failures, []
        return Delivery(sent, failures, late, is_watched)

    def _note_for_bot(self, message: Ask | Lapse | Refuse) -> None:
        """Keep the questions that built-in bots have to answer."""
        if isinstance(message, Ask):
            self._undecided[message.seat] = message
        else:
            self._close_for_bot(message.seat)

    def _close_for_bot(self, seat: Seat) -> None:
        """Forget the question of a seat, which is no longer open."""
        self._undecided.pop(seat, None)
        self.thinking.pop(seat, None)

    # The pace of the server's bots

    def _pace(self, ask: Ask, delays: Iterator[int], now: int) -> None:
        """Let a bot of the server take its time for a turn, if a person follows the game.

        Only a turn takes time. A pause after another player's discard would reveal that a bot can call it.
        """
        self.thinking.pop(ask.seat, None)
        if _is_turn(ask) and self._is_bot(ask.seat) and self._has_person():
            self.thinking[ask.seat] = now + next(delays)

    def _is_bot(self, seat: Seat) -> bool:
        """Return whether a bot of the server sits there: a built-in one, or a child process."""
        return seat in self._bots or not self.table.chairs[seat].is_client

    def _has_person(self) -> bool:
        return self._audience.has_person or any(receiver.has_person for receiver in self._receivers)

    def _hurry(self) -> None:
        """Let bots decide at once that only took their time for people who are gone."""
        if self.thinking and not self._has_person():
            self.thinking.clear()

    def _send(self, parcels: list[Parcel], seconds: float) -> list[tuple[Client, list[str]]]:
        """Let each receiver take its parcels, and keep its failure."""
        sent: list[tuple[Client, list[str]]] = []
        for receiver in self._receivers:
            try:
                receiver.receive(parcels, seconds)
                client = receiver.client
                if client is not None:
                    sent.append((client, client.session.take()))
            except Exception as error:
                self._failures.append(Failure(receiver, error))
        if self._failures:
            failed = [failure.receiver for failure in self._failures]
            self._receivers = [receiver for receiver in self._receivers if receiver not in failed]
        return sent

    # Coming back

    def seat(self, client: Client, seat: Seat, seconds: float) -> Delivery:
        """Give a seat to a client that returns, and send it the game so far, as the seat may see it.

        Its session sits already. Until ``Return``, which also asks the open question, it receives events alone, and a
        built-in bot in its place plays on.
        """
        self._receivers = [each for each in self._receivers if each.seat != seat or isinstance(each, SeatedBot)]
        receiver = SeatedClient(client, seat, is_asked=False)
        self._receivers.append(receiver)
        return self._send_history(receiver, client, seconds)

    def unseat(self, seat: Seat) -> None:
        """Let a client go again that has not returned yet."""
        self._receivers = [each for each in self._receivers if each.seat != seat or isinstance(each, SeatedBot)]
        self._hurry()

    def _hand_back(self, seat: Seat) -> None:
        """Let the client at a seat be asked from now on, in place of a built-in bot."""
        if seat in self._bots:
            del self._bots[seat]
            self._close_for_bot(seat)
        self._receivers = [each for each in self._receivers if each.seat != seat or isinstance(each, SeatedClient)]
        for receiver in self._receivers:
            if isinstance(receiver, SeatedClient) and receiver.seat == seat:
                receiver.is_asked = True
                try:
                    receiver.client.session.caught_up()
                except Exception as error:
                    self._failures.append(Failure(receiver, error))

    def _replace(self, seat: Seat) -> None:
        """Let a built-in bot play on for a player who has not come back. It has seen what the player saw."""
        assert self._takeover is not None, "this table has no built-in bots that could take over"
        bot = self._takeover(seat)
        for event in self._history:
            bot.see(view(event, seat))
        self._receivers.append(SeatedBot(bot, seat))
        self._bots[seat] = bot

    # Spectators

    @property
    def public_events(self) -> list[Event]:
        """The start of the game and the current kyoku so far, as everybody may see them."""
        return [view(event, None) for event in self._history]

    def watch(self, client: Client, seconds: float) -> Delivery:
        """Let a client watch from now on, by the clock of its session; it receives the current kyoku so far."""
        self._audience.add(client)
        spectator = Spectator(client)
        if self._story is None:
            self._story = EventBatch([Rendering(event) for event in self._history])
        try:
            spectator.receive_batch(self._story, seconds)
            return Delivery([(client, client.session.take())], [], [])
        except Exception as error:
            self._audience.remove(client)
            return Delivery([], [Failure(spectator, error)], [])

    def _send_history(self, receiver: Receiver, client: Client, seconds: float) -> Delivery:
        """Let a new receiver take the game so far; one that fails is removed."""
        past = self._past if self._past is not None and client.session.TELLS_WHOLE_GAME else []
        try:
            receiver.receive([Rendering(event) for event in (*self._history[:1], *past, *self._history[1:])], seconds)
            return Delivery([(client, client.session.take())], [], [])
        except Exception as error:
            self._receivers = [each for each in self._receivers if each is not receiver]
            return Delivery([], [Failure(receiver, error)], [])

    def unwatch(self, client: Client) -> None:
        """Let a spectator go; it may have failed before."""
        self._audience.remove(client)
        self._hurry()

    @property
    def spectators(self) -> list[Client]:
        """The clients that watch."""
        return self._audience.clients

    @property
    def is_audience_behind(self) -> bool:
        """Whether a spectator has not received all events."""
        return bool(self._audience) and self._audience.is_behind

    def show(self, most: int, seconds: float) -> Delivery:
        """Let at most this many spectators, those who have waited the longest, receive the events they have missed."""
        sent: list[tuple[Client, list[str]]] = []
        failures: list[Failure] = []
        for spectator, events in self._audience.next_parcels(most):
            try:
                spectator.receive_batch(events, seconds)
                sent.append((spectator.client, spectator.client.session.take()))
            except Exception as error:
                self._audience.remove(spectator.client)
                failures.append(Failure(spectator, error))
        return Delivery(sent, failures, [])

    # Rebuild

    def resume(self, start: BeforeKyoku, now: int) -> Delivery:
        """Go on with a recorded game at the start of a kyoku; see ``Table.resume``. The host is new."""
        for seat, state in enumerate(start.chairs):
            if state.presence is Presence.REPLACED:
                self._replace(seat)
            elif state.presence is Presence.GONE:
                self._remove(seat)
        return self.deliver(self.table.resume(start, now), now, now / 1_000)

    def replay(self, entries: list[je.Entry], now: int) -> Delivery:
        """Take a recorded step again.

        A host without clients that replays every step of a journal reaches the state of the recorded one: the same
        questions are open under the same numbers, and its built-in bots have seen the same events. Raises ValueError
        if the input has other consequences than the recorded ones.
        """
        given = entries[0]
        try:
            step = self.table.apply(given, now)
        except ValueError as error:
            raise ValueError(f"replaying {given}: {error}") from error
        if step.entries != entries:
            raise ValueError(f"replaying {given} came to {step.entries}, recorded is {entries}")
        match given:
            case je.SeatLeft(seat) | je.SeatDropped(seat) | je.SeatReturned(seat):
                self._remove(seat)
            case (
                je.ActionTaken(seat)
                | je.PassHeld(seat)
                | je.SeatReady(seat)
                | je.AnswerRefused(seat)
                | je.AnswerLate(seat)
            ):
                self._close_for_bot(seat)
        return self.deliver(step, now, now / 1_000)


def _is_turn(ask: Ask) -> bool:
    """Return whether a question belongs to a turn of its seat."""
    return ask.question is not None and ask.question.phase is Phase.TURN
