"""Receivers of a table's messages: seated clients, spectators, built-in bots and logs.

A failure of one receiver does not affect the others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol, TypeAlias

from ump.model.events import Event
from ump.model.seats import Seat
from ump.table.builtin_bots import BuiltinBot
from ump.table.messages import Ask, Lapse, Refuse
from ump.table.rendering import Batch, Rendering
from ump.wire.session import Session

Parcel: TypeAlias = Rendering | Ask | Lapse | Refuse
"""A message of the table, ready to be delivered; an event is rendered once for all receivers that see it alike."""


class Client(Protocol):
    """A client, as far as the host knows it: a session, and a way to send messages."""

    @property
    def session(self) -> Session:
        """The session in the client's dialect."""

    def send(self, messages: list[str]) -> None:
        """Send messages that were taken from the session; the runner calls it, never the host."""


class EventLog(Protocol):
    """A log of every event of a game, hidden tiles included."""

    def note(self, event: Event) -> None:
        """Write down an event."""


class Receiver(ABC):
    """A receiver of a table's messages."""

    client: Client | None = None
    """The client to send messages to, if there is one."""
    seat: Seat | None = None
    """The seat that it occupies, if it has one."""

    @abstractmethod
    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Take the messages of a step. Any exception that it raises is a bug in the server."""


class SeatedClient(Receiver):
    """A client at a seat."""

    def __init__(self, client: Client, seat: Seat, *, is_asked: bool = True) -> None:
        self.client: Client = client
        self.seat: Seat = seat
        self.is_asked = is_asked
        """Whether the seat's questions go to the client; a returning one has to catch up first."""
        self._session = client.session  # it stays the same once a client has said hello

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Pass events, and its own questions, to the client's session."""
        session, seat = self._session, self.seat
        for parcel in parcels:
            if type(parcel) is Rendering:  # cheaper than isinstance, and nothing is done as often
                session.tell(parcel, now)
            elif parcel.seat != seat or not self.is_asked:
                continue
            elif isinstance(parcel, Ask):
                session.ask(parcel.number, parcel.question, parcel.move / 1_000, parcel.bank / 1_000, now)
            elif isinstance(parcel, Lapse):
                if parcel.by_time:
                    session.explain_timeout(parcel.number, parcel.left)
                session.lapse(parcel.number, now, by_time=parcel.by_time)
            else:
                session.refuse(parcel.number, parcel.reason, now)


class Spectator(Receiver):
    """A client without a seat."""

    def __init__(self, client: Client) -> None:
        self.client: Client = client

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Pass events to the client's session."""
        self.receive_batch(Batch([parcel for parcel in parcels if isinstance(parcel, Rendering)]), now)

    def receive_batch(self, events: Batch, now: float) -> None:
        """Pass events to the client's session that others receive too."""
        self.client.session.tell_spectator(events, now)


class SeatedBot(Receiver):
    """A built-in bot at a seat. The host lets it decide."""

    def __init__(self, bot: BuiltinBot, seat: Seat) -> None:
        self.bot = bot
        self.seat: Seat = seat

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Show events to the bot, as its seat may see them."""
        for parcel in parcels:
            if isinstance(parcel, Rendering):
                self.bot.see(parcel.seen_by(self.seat))


class LogKeeper(Receiver):
    """A log of the game."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Write events down, hidden tiles included."""
        for parcel in parcels:
            if isinstance(parcel, Rendering):
                self._log.note(parcel.event)
