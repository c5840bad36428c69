"""Receivers: everything that a table delivers to. Each takes the messages of a step, and its failure is its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol, TypeAlias

from ump.host.builtin_bots import BuiltinBot
from ump.host.rendering import Rendering
from ump.model.events import Event
from ump.model.seats import Seat
from ump.table.messages import Ask, Lapse, Refuse
from ump.wire.session import Session

Parcel: TypeAlias = Rendering | Ask | Lapse | Refuse
"""A message of the table, ready to be delivered; an event is rendered once for everybody who sees it alike."""


class Client(Protocol):
    """The other end of a session; the host knows nothing else of a connection."""

    @property
    def session(self) -> Session:
        """The session, in whatever dialect the client speaks."""

    def send(self, messages: list[str]) -> None:
        """Send messages that were taken from the session; the runner calls it, never the host."""


class EventLog(Protocol):
    """Something that writes down every event of a game, hidden tiles included."""

    def note(self, event: Event) -> None:
        """Write down an event."""


class Receiver(ABC):
    """Something that a table delivers to."""

    client: Client | None = None
    """The client to send messages to, if there is one."""
    seat: Seat | None = None
    """The seat that it takes, if it takes one."""

    @abstractmethod
    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Take what is meant for it of a step. Whatever it raises is a bug of the server."""


class SeatedClient(Receiver):
    """A client at a seat."""

    def __init__(self, client: Client, seat: Seat) -> None:
        self.client: Client = client
        self.seat: Seat = seat

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Pass events, and its own questions, to the client's session."""
        session, seat = self.client.session, self.seat
        for parcel in parcels:
            if isinstance(parcel, Rendering):
                session.tell(parcel, now)
            elif parcel.seat != seat:
                continue
            elif isinstance(parcel, Ask):
                session.ask(parcel.number, parcel.question, parcel.move, parcel.bank, now)
            elif isinstance(parcel, Lapse):
                session.lapse(parcel.number, now, by_time=parcel.by_time)
            else:
                session.refuse(parcel.number, parcel.reason, now)


class Spectator(Receiver):
    """A client without a seat."""

    def __init__(self, client: Client) -> None:
        self.client: Client = client

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Pass events to the client's session."""
        for parcel in parcels:
            if isinstance(parcel, Rendering):
                self.client.session.tell(parcel, now)


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
