"""The end of a server: it begins no games, says ``bye`` to all clients, waits, and cuts the rest."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from twisted.application.service import Service
from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger

from ump.net.connection_limits import OpenConnections
from ump.net.limits import DRAIN_SECONDS, LOGOUT_SECONDS
from ump.net.lobby import Lobby


class Drain(Service):
    """Closes all connections when it is stopped, within DRAIN_SECONDS."""

    _log = Logger()

    def __init__(self, lobby: Lobby, connections: OpenConnections, clock: IReactorTime) -> None:
        self._lobby = lobby
        self._connections = connections
        self._clock = clock

    def drain(self, stop: Callable[[], object]) -> None:
        """Stop the server after its last game, when all clients are gone or DRAIN_SECONDS are over.

        The ports stay open until then: polling clients must return to hear how their game ended, and to log out.
        """
        deferLater(self._clock, 0, lambda: Deferred.fromCoroutine(self._drain_and_stop(stop)))

    async def _drain_and_stop(self, stop: Callable[[], object]) -> None:
        self._lobby.close()
        for connection in self._connections:
            if not connection.is_leaving:
                connection.dismiss()
        with suppress(TimeoutError):
            await self._connections.empty().addTimeout(DRAIN_SECONDS, self._clock)
        await deferLater(self._clock, LOGOUT_SECONDS)
        if self.running:
            stop()

    def gone(self) -> Deferred[None]:
        """Return a Deferred that fires when all clients are gone, and polling ones have had time to log out."""
        return Deferred.fromCoroutine(self._gone())

    async def _gone(self) -> None:
        if len(self._connections):
            await self._connections.empty()
            await deferLater(self._clock, LOGOUT_SECONDS)

    def stopService(self) -> Deferred[None]:
        """Close all connections; the reactor waits for the Deferred."""
        super().stopService()
        return Deferred.fromCoroutine(self._close())

    async def _close(self) -> None:
        self._log.info("stopping: goodbye to {count} connections", count=len(self._connections))
        self._lobby.close()
        for connection in self._connections:
            connection.dismiss()
        try:
            await self._connections.empty().addTimeout(DRAIN_SECONDS, self._clock)
        except TimeoutError:
            for connection in self._connections:
                connection.cut()
