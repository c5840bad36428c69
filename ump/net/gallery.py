"""The gallery of a room: who watches its newest running table, and sees no hidden tile."""

from __future__ import annotations

from ump.model.actions import Action
from ump.model.claims import Claim
from ump.model.events import Event, KyokuStarted
from ump.net.connection import Connection
from ump.net.rendering import Rendering


class Watcher:
    """A connection without a seat."""

    def __init__(self, connection: Connection, gallery: Gallery) -> None:
        self.connection = connection
        self._gallery = gallery

    def answered(self, number: int, answer: Claim | Action | None) -> None:
        """Nobody asks a watcher."""

    def heard(self, *, is_stale: bool) -> None:
        """What a watcher says changes nothing."""

    def left(self) -> None:
        """The connection is gone."""
        self._gallery.leave(self)


class Screen:
    """What is to be seen of one running table: live, and the current kyoku so far for who comes later."""

    def __init__(self) -> None:
        self._so_far: list[Event] = []
        """The start of the game, and the kyoku."""
        self.watchers: list[Watcher] = []
        self._now = 0.0
        """The instant of the last event."""

    def show(self, event: Event, rendering: Rendering, now: float) -> None:
        """Show an event that is told at the table."""
        if isinstance(event, KyokuStarted):
            del self._so_far[1:]
        self._so_far.append(event)
        self._now = now
        for watcher in self.watchers:
            watcher.connection.session.tell(rendering, now)

    def flush(self) -> None:
        """Send what was shown."""
        for watcher in tuple(self.watchers):
            watcher.connection.flush()

    def join(self, watcher: Watcher) -> None:
        """Show one more watcher what has happened so far; from now on it sees the rest."""
        for event in self._so_far:
            watcher.connection.session.tell(Rendering(event), self._now)
        watcher.connection.flush()
        self.watchers.append(watcher)


class Gallery:
    """Everybody who watches a room."""

    def __init__(self) -> None:
        self._screens: list[Screen] = []
        """Of the running tables, the newest last."""
        self._idle: list[Watcher] = []
        """Who waits for the room's next table."""

    def welcome(self, connection: Connection) -> None:
        """Let a connection watch the newest table, or the next."""
        watcher = Watcher(connection, self)
        connection.watch()
        connection.occupant = watcher
        self._place(watcher)

    def leave(self, watcher: Watcher) -> None:
        """Forget a watcher."""
        for crowd in (self._idle, *(screen.watchers for screen in self._screens)):
            if watcher in crowd:
                crowd.remove(watcher)

    def open(self, screen: Screen) -> None:
        """A table begins: who was waiting sees it."""
        self._screens.append(screen)
        idle, self._idle = self._idle, []
        for watcher in idle:
            screen.join(watcher)

    def close(self, screen: Screen) -> None:
        """A table is over: who watched it goes on to another."""
        self._screens.remove(screen)
        for watcher in screen.watchers:
            self._place(watcher)

    def _place(self, watcher: Watcher) -> None:
        if self._screens:
            self._screens[-1].join(watcher)
        else:
            self._idle.append(watcher)
