"""Turns of the reactor, shared among clients that have sent much at once.

A client's input is taken in slices of a few messages. The first slice of what arrives is taken at once, so that a
client in a game never waits. The rest waits in one queue with that of all others, which takes a few slices, and then
pauses for some milliseconds. So floods take a small share of the time, however many they are. Meanwhile the client's
transport is paused, so that its kernel keeps what it goes on sending.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from ump.net.limits import SLICE_PAUSE, SLICES_PER_TURN, SLICES_SECONDS


class ReadSource(Protocol):
    """A transport, as far as reading from it goes."""

    def pauseProducing(self) -> None:
        """Read nothing for now."""

    def resumeProducing(self) -> None:
        """Read again."""

    def abortConnection(self) -> None:
        """Close at once."""


T = TypeVar("T")


class Queue(ABC, Generic[T]):
    """A queue that is served in turns of the reactor, with a pause after each."""

    _log = Logger()

    def __init__(self, clock: IReactorTime, pause: float) -> None:
        """Leave this many seconds between two turns."""
        self._clock = clock
        self._pause = pause
        self._waiting: deque[T] = deque()
        self._call: IDelayedCall | None = None
        self._is_running = False
        """Whether a turn is being taken."""
        self._next = 0.0
        """The instant of the next turn, in clock seconds."""

    def __len__(self) -> int:
        """Return how many clients wait."""
        return len(self._waiting)

    def now(self) -> float:
        """Return the instant in clock seconds."""
        return self._clock.seconds()

    def add(self, client: T) -> None:
        """Let a client take its turn after all others."""
        self._waiting.append(client)
        if not self._is_running:
            self._arm()

    def remove(self, client: T) -> None:
        """Forget a client."""
        if client in self._waiting:
            self._waiting.remove(client)
        if not self._waiting and self._call is not None:
            self._call.cancel()
            self._call = None

    def _arm(self) -> None:
        if self._call is None and self._waiting:
            self._call = self._clock.callLater(max(0.0, self._next - self._clock.seconds()), self._run)

    def _run(self) -> None:
        self._call, self._is_running = None, True
        self._next = self._clock.seconds() + self._pause
        self._serve()
        self._is_running = False
        self._arm()

    @abstractmethod
    def _serve(self) -> None:
        """Take one turn."""


class Turns(Queue["Intake"]):
    """The queue of clients whose input waits."""

    def __init__(self, clock: IReactorTime) -> None:
        super().__init__(clock, SLICE_PAUSE)

    def _serve(self) -> None:
        """Take a few slices, from one client after the other."""
        now = self._clock.seconds()
        for _ in range(SLICES_PER_TURN):
            if not self._waiting or self._clock.seconds() > now + SLICES_SECONDS:
                break
            intake = self._waiting.popleft()
            try:
                intake.proceed()
            except Exception:  # a bug of the server must not affect the other clients
                self._log.failure("internal error while a client's input was read")
                intake.abort()


class Intake:
    """The input of one client."""

    def __init__(
        self,
        turns: Turns,
        source: ReadSource,
        take: Callable[[], bool],
        waited: Callable[[float], object] = lambda seconds: None,
    ) -> None:
        """``take`` takes a slice of the input that has arrived, and returns whether more is left.

        ``waited`` is called before each slice that had to wait, with the seconds for which it did.
        """
        self._turns = turns
        self._waited = waited
        self._since = 0.0
        """When it began to wait."""
        self._source = source
        self._take = take
        self._is_taking = False
        self._is_waiting = False
        self._is_closed = False

    @property
    def is_free(self) -> bool:
        """Whether input may be taken now: no earlier input waits for its turn, and nothing is being taken."""
        return not (self._is_waiting or self._is_taking or self._is_closed)

    def begin(self) -> None:
        """Take a slice now, unless earlier input waits for its turn."""
        if self.is_free and self._has_more():
            self._is_waiting = True
            self._source.pauseProducing()
            self._wait()

    def proceed(self) -> None:
        """Take the next slice; read on after the last one."""
        self._waited(self._turns.now() - self._since)
        if self._has_more():
            self._wait()
            return
        self._is_waiting = False
        self._source.resumeProducing()

    def close(self) -> None:
        """Take nothing more."""
        self._is_closed = True
        self._source, self._take, self._waited = _CLOSED, _no_more, _forget
        if self._is_waiting:
            self._turns.remove(self)

    def stop(self) -> None:
        """Take and read nothing more: the client has broken the protocol."""
        self._source.pauseProducing()
        self.close()

    def abort(self) -> None:
        """Close the transport at once."""
        self._source.abortConnection()
        self.close()

    def _wait(self) -> None:
        self._since = self._turns.now()
        self._turns.add(self)

    def _has_more(self) -> bool:
        """Take a slice; return whether another one waits for its turn."""
        self._is_taking = True
        try:
            return self._take() and not self._is_closed
        finally:
            self._is_taking = False


class _Closed:
    """The source of a client that is read no more. It keeps no client alive, as that of an open one does."""

    def pauseProducing(self) -> None:
        """Do nothing."""

    def resumeProducing(self) -> None:
        """Do nothing."""

    def abortConnection(self) -> None:
        """Do nothing."""


_CLOSED = _Closed()


def _forget(seconds: float) -> None:
    """Tell nobody."""


def _no_more() -> bool:
    """Return that no input is left."""
    return False
