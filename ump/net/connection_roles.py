"""What a connection works with: the place that it occupies, and the carrier of its messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from ump.model.actions import Action
from ump.model.claims import Claim
from ump.wire.session import Note


class Occupant(Protocol):
    """The place that a connection occupies: in a room's line, at a table, among the spectators."""

    @property
    def label(self) -> str:
        """What the log calls the player: its room or table, and its name."""

    @property
    def asked(self) -> str:
        """The open question of the player, in words; empty if there is none."""

    def noted(self, number: int, note: Note) -> None:
        """Take the note of a bot on the answer that follows, for the log of the game."""

    def answered(self, number: int, answer: Claim | Action | None, *, is_automatic: bool = False) -> None:
        """Take an answer to the open question; None is an unreadable answer.

        ``is_automatic``: the session gave it without its client.
        """

    def heard(self, *, is_stale: bool) -> None:
        """Note that the client sent something that answers no open question."""

    def left(self, *, is_lost: bool) -> None:
        """Note that the connection is gone, or about to go. ``is_lost``: the client did not want that."""


class Idle:
    """The part of a place that is the same wherever a connection is asked nothing: answers have no effect."""

    @property
    def asked(self) -> str:
        """Nothing."""
        return ""

    def noted(self, number: int, note: Note) -> None:
        """Ignore the note, like the answer."""

    def answered(self, number: int, answer: Claim | Action | None, *, is_automatic: bool = False) -> None:
        """Ignore the answer: the question belonged to a game that is over, if there was one."""

    def heard(self, *, is_stale: bool) -> None:
        """Ignore the message."""


class Carrier(Protocol):
    """Carries a connection's messages: over a stream, a WebSocket, polling, or a child's pipes."""

    @property
    def host(self) -> str:
        """The peer's address, for the limit per host; "" if it has none."""

    @property
    def peer(self) -> str:
        """What the log calls the peer."""

    @property
    def transport_name(self) -> str:
        """The transport for the metrics: tcp, tls, unix, websocket, polling or pipes."""

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way can read it: it is encrypted, or never leaves this computer."""

    def send(self, messages: list[str]) -> None:
        """Send messages together, or keep them until the peer reads. Cut a peer that does not read for too long."""

    def stop_reading(self) -> None:
        """Read nothing more: the client has broken the protocol. ``end`` follows."""

    def end(self) -> None:
        """Close when everything is sent, or after CLOSE_SECONDS."""

    def cut(self) -> None:
        """Close at once; unsent messages are lost."""


@runtime_checkable
class HidesInput(Protocol):
    """A carrier of which the peer may be a person at a terminal, who should not see a password that is typed."""

    def hide_next_line(self, convert: Callable[[bytes], bytes]) -> None:
        """Let the terminal not show the next line, and receive it as what ``convert`` returns."""


class Gone:
    """The carrier of a connection that is lost: it sends nothing, and knows whose it was."""

    is_private = False
    transport_name = "gone"

    def __init__(self, host: str, peer: str) -> None:
        self.host = host
        self.peer = peer

    def send(self, messages: list[str]) -> None:
        """Send nothing."""

    def stop_reading(self) -> None:
        """Do nothing: nothing is read."""

    def end(self) -> None:
        """Do nothing: the stream is closed."""

    def cut(self) -> None:
        """Do nothing: the stream is closed."""
