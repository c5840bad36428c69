"""Receivers of a table's messages: seated clients, spectators, built-in bots and logs.

A failure of one receiver does not affect the others. An event becomes messages once for all receivers that see it
alike. Spectators receive events after the players, a few spectators at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Protocol, TypeAlias, final

from ump.model.actions import Action
from ump.model.claims import Claim, Verb
from ump.model.events import Event, GameStarted
from ump.model.seats import Seat
from ump.players.observation import Observation
from ump.players.policy import POLICIES, Policy
from ump.rules.ruleset import Ruleset
from ump.table.messages import Ask, Lapse, Refuse
from ump.table.opening import Opening
from ump.table.view import private_to, view
from ump.wire.session import Render, Session


@final
class Rendering:
    """One event on its way to every receiver: an ``OutgoingEvent`` for their sessions."""

    __slots__ = ("_is_open", "_known", "_private_to", "event")

    def __init__(self, event: Event, *, is_open: bool = False) -> None:
        """Render an event; ``is_open`` hides nothing, from nobody."""
        self._is_open = is_open
        self.event = event
        """The event with everything hidden in it."""
        self._private_to = private_to(event)
        self._known: list[tuple[bool, Render, tuple[str, ...]]] = []
        """Messages made so far: whether they are private, by which render function, and the text.

        There are hardly ever more than two, so a linear search costs less than hashing."""

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event as this seat, or a spectator (None), may see it."""
        return self.event if self._is_open or self._private_to is None else view(self.event, seat)

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return the messages that ``render`` returns for this seat."""
        is_private = seat is not None and seat == self._private_to
        for known, known_render, messages in self._known:
            if known is is_private and known_render is render:
                return messages
        messages = render(self.event if self._private_to is None else self.seen_by(seat), seat)
        if not isinstance(self.event, GameStarted):  # its messages name the seat of the receiver
            self._known.append((is_private, render, messages))
        return messages


@final
class EventBatch:
    """Several events on their way to spectators: an ``OutgoingEvents`` for their sessions."""

    __slots__ = ("_events", "_known")

    def __init__(self, events: Sequence[Rendering]) -> None:
        self._events = events
        self._known: dict[tuple[Render, int], list[str]] = {}
        """The messages made so far, by the render function and the first number."""

    def __iter__(self) -> Iterator[Rendering]:
        """Iterate over the events."""
        return iter(self._events)

    def numbered(self, render: Render, first: int) -> list[str]:
        """Return the messages for spectators, numbered from ``first`` on: made once for all who count alike."""
        messages = self._known.get((render, first))
        if messages is None:
            texts = [text for event in self._events for text in event.rendered(render, None)]
            messages = self._known[render, first] = [f"{number} {text}" for number, text in enumerate(texts, first)]
        return messages


def replacements(opening: Opening) -> Callable[[Seat], BuiltinBot] | None:
    """Return the maker of the built-in bots that play on for players who do not come back, or None without them.

    Raises KeyError for an unknown kind of bot.
    """
    takeover = opening.settings.takeover
    if takeover is None:
        return None
    policy = POLICIES[takeover]
    return lambda seat: BuiltinBot(policy(), seat, opening.ruleset)


class BuiltinBot:
    """A bot at one seat of one game. Its policy decides from the events that this seat may see."""

    def __init__(self, policy: Policy, seat: Seat, ruleset: Ruleset) -> None:
        self._policy = policy
        self._seen = Observation(seat, ruleset)

    def see(self, event: Event) -> None:
        """Observe an event, as the seat may see it."""
        self._seen.see(event)

    def decide(self, ask: Ask) -> Claim | Action:
        """Answer a question of the game, or ``ready?``."""
        question = ask.question
        if question is None:
            return Claim(Verb.YES)
        return self._policy.choose(self._seen, question.phase, question.tile, question.legal())


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

    @property
    def has_person(self) -> bool:
        """Whether a person reads it while the game is played."""

    def note(self, event: Event) -> None:
        """Write down an event."""


class Receiver(ABC):
    """A receiver of a table's messages."""

    client: Client | None = None
    """The client to send messages to, if there is one."""
    seat: Seat | None = None
    """The seat that it occupies, if it has one."""

    @property
    def has_person(self) -> bool:
        """Whether a person follows the game by what this receives."""
        return False

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

    @property
    def has_person(self) -> bool:
        return self._session.is_person

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Pass events, and its own questions, to the client's session."""
        session, seat = self._session, self.seat
        for parcel in parcels:
            if type(parcel) is Rendering:  # cheaper than isinstance, and nothing is done as often
                session.tell(parcel, now)
            elif parcel.seat != seat or not self.is_asked:
                continue
            elif isinstance(parcel, Ask):
                move, bank = parcel.move / 1_000, parcel.bank / 1_000
                session.ask(parcel.number, parcel.question, move, bank, now, is_last=parcel.is_last)
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
        self.receive_batch(EventBatch([parcel for parcel in parcels if isinstance(parcel, Rendering)]), now)

    def receive_batch(self, events: EventBatch, now: float) -> None:
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

    @property
    def has_person(self) -> bool:
        return self._log.has_person

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Write events down, hidden tiles included."""
        for parcel in parcels:
            if isinstance(parcel, Rendering):
                self._log.note(parcel.event)


class Audience:
    """Spectators, and the events that some of them have not received yet.

    A spectator that is behind receives everything that it has missed together. The events were made for all receivers,
    and so is their text.
    """

    def __init__(self) -> None:
        self._pending: list[Rendering] = []
        self._end = 0
        """The number of events so far, the pending ones included."""
        self._received: dict[Client, int] = {}
        """The number of them that each spectator has received; the one that has waited the longest comes first."""
        self._people: set[Client] = set()
        self._batches: dict[int, EventBatch] = {}
        """The last events that somebody has missed, by the number of those before them."""

    def __len__(self) -> int:
        """Return how many spectators there are."""
        return len(self._received)

    @property
    def clients(self) -> list[Client]:
        """All spectators."""
        return list(self._received)

    @property
    def has_person(self) -> bool:
        """Whether one of them is a person."""
        return bool(self._people)

    @property
    def is_behind(self) -> bool:
        """Whether a spectator has not received all events."""
        return next(iter(self._received.values()), self._end) < self._end

    def add(self, client: Client) -> None:
        """Let a client watch, which has received everything up to now."""
        self._received[client] = self._end
        if client.session.is_person:
            self._people.add(client)

    def remove(self, client: Client) -> None:
        """Let a spectator go, if it is one."""
        self._received.pop(client, None)
        self._people.discard(client)
        if not self._received:
            self._pending, self._batches = [], {}

    def append(self, events: Sequence[Rendering]) -> None:
        """Keep events for the spectators. The caller checks that there are any."""
        self._end += len(events)
        self._pending = [*self._pending, *events]
        self._batches = {}

    def next_parcels(self, most: int) -> list[tuple[Spectator, EventBatch]]:
        """Return the next spectators who are behind, at most this many, with the events that they have missed."""
        first = self._end - len(self._pending)
        behind = [each for each in islice(self._received.items(), most) if each[1] < self._end]
        for client, _ in behind:
            del self._received[client]
            self._received[client] = self._end
        for _, received in behind:
            if received not in self._batches:
                self._batches[received] = EventBatch(self._pending[received - first :])
        missed = [(Spectator(client), self._batches[received]) for client, received in behind]
        if not self.is_behind:
            self._pending, self._batches = [], {}
        return missed
