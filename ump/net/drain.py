"""The end of a server: seat nobody, say goodbye, wait a little, cut."""

from __future__ import annotations

from twisted.application.service import Service
from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from ump.net.door import Door
from ump.net.limits import DRAIN_SECONDS
from ump.net.lobby import Lobby


class Drain(Service):
    """Does nothing until it is stopped; then all connections are gone after DRAIN_SECONDS at the latest."""

    _log = Logger()

    def __init__(self, lobby: Lobby, door: Door, clock: IReactorTime) -> None:
        self._lobby = lobby
        self._door = door
        self._clock = clock

    def stopService(self) -> Deferred[None]:
        """Begin to drain; the reactor waits for the Deferred."""
        super().stopService()
        return Deferred.fromCoroutine(self._drain())

    async def _drain(self) -> None:
        self._log.info("stopping: goodbye to {count} connections", count=len(self._door))
        self._lobby.close()
        for connection in self._door:
            connection.dismiss()
        try:
            await self._door.empty().addTimeout(DRAIN_SECONDS, self._clock)
        except TimeoutError:
            for connection in self._door:
                connection.cut()
