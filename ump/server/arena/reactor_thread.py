"""A reactor in a thread of its own, for programs that otherwise wait and compute in the usual way."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from threading import Thread
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, ensureDeferred
from twisted.internet.pollreactor import PollReactor
from twisted.internet.process import reapProcessHandlers
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure

T = TypeVar("T")

REAP_SECONDS = 0.1
"""How often the reactor looks for processes that have ended: it gets no signals, because they go to the main thread."""


class OwnReactor(PollReactor):
    """A reactor that looks for the ends of its own processes alone: those of others belong to other threads."""

    def __init__(self) -> None:
        super().__init__()
        self._processes: list[Any] = []

    def spawnProcess(self, *arguments: Any, **options: Any) -> Any:
        """Start a process, and remember it until its end."""
        process = super().spawnProcess(*arguments, **options)
        self._processes.append(process)
        return process

    def reap(self) -> None:
        """Look which processes have ended."""
        running: list[Any] = [each for each in self._processes if reapProcessHandlers.get(each.pid) is each]
        self._processes = running
        for process in running:
            process.reapProcess()


class ReactorThread:
    """Runs a reactor of its own, which is not that of the process, so that there may be several."""

    def __init__(self) -> None:
        self.reactor: Any = OwnReactor()
        self._reaping = LoopingCall(self.reactor.reap)
        self._reaping.clock = self.reactor
        self._thread = Thread(target=self._run, name="reactor", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def _run(self) -> None:
        self.reactor.callWhenRunning(self._reaping.start, REAP_SECONDS)
        self.reactor.run(installSignalHandlers=False)

    def call(self, function: Callable[..., T], *arguments: object) -> Future[T]:
        """Call a function in the thread, and return its result."""
        future: Future[T] = Future()

        def _run() -> None:
            try:
                future.set_result(function(*arguments))
            except BaseException as error:  # it belongs to the thread that waits for the result
                future.set_exception(error)

        self.reactor.callFromThread(_run)
        return future

    def begin(self, work: Callable[[], Coroutine[Deferred[Any], Any, T]]) -> Future[T]:
        """Run a coroutine in the thread, and return its result."""
        future: Future[T] = Future()

        def _run() -> None:
            ensureDeferred(work()).addCallbacks(future.set_result, _fail)

        def _fail(failure: Failure) -> None:
            assert failure.value is not None
            future.set_exception(failure.value)

        self.reactor.callFromThread(_run)
        return future

    def stop(self) -> None:
        """Stop the reactor, and wait for its thread."""
        self.reactor.callFromThread(self.reactor.stop)
        self._thread.join()
