"""Blocks of an arena on the workers of a Dask cluster (dask.distributed), for ``ump arena run --dask``.

A block is a function of the setup and its plan, so a cluster plays the same blocks as this computer. Tasks and results
travel as Python pickles: whoever can connect to a scheduler can run code on its workers and here. Use a cluster of your
own, in a network of your own.
"""

from __future__ import annotations

import sysconfig
from collections import deque
from collections.abc import Callable, Generator, Iterable
from importlib import import_module
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from ump.model.installation import DISTRIBUTION

Planned = TypeVar("Planned")
"""A block to play, or several that are played side by side."""

Played = TypeVar("Played")

CONNECT_SECONDS = 10
"""The time until the scheduler answers."""

WORKER_SECONDS = 60
"""The time until the first worker is there."""

IN_FLIGHT = 3
"""Blocks for each thread of the workers: they never wait for the next one, and few are lost when the arena ends."""


class ClusterError(ValueError):
    """A cluster that does not answer, or that cannot play the same games."""


class WorkerError(RuntimeError):
    """A block that a worker could not play."""


class DaskBlocks:
    """A connection to the scheduler of a cluster, as a context."""

    def __init__(self, address: str) -> None:
        """Connect to a scheduler, such as ``127.0.0.1:8786``, later."""
        self._address = address
        self._client: Any = None

    def __enter__(self) -> DaskBlocks:
        """Connect, and compare the versions of ump; raises ClusterError."""
        if ":" not in self._address:  # distributed would take twenty seconds to refuse it
            raise ClusterError(f"--dask {self._address}: expected HOST:PORT, such as 127.0.0.1:8786")
        try:
            distributed: Any = import_module("distributed")
        except ModuleNotFoundError as error:
            raise ClusterError(f"--dask needs the package {error.name}: pip install 'ump-mahjong[dask]'") from None
        try:
            self._client = distributed.Client(self._address, timeout=CONNECT_SECONDS, set_as_default=False)
            self._client.wait_for_workers(1, timeout=WORKER_SECONDS)
            found = self._client.run(_version)
        except (OSError, ValueError, ImportError) as error:  # a TimeoutError is an OSError
            self._close()
            raise ClusterError(f"--dask {self._address}: {error or 'no answer'}") from None
        here = _version()
        for worker, there in found.items():
            if there != here:
                self._close()
                raise ClusterError(
                    f"--dask {self._address}: {worker} has ump {there}, not {here}; results would differ"
                )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Disconnect; the cluster stays."""
        self._close()

    def _close(self) -> None:
        if self._client is not None:
            self._client.close()

    def send_modules(self, kinds: Iterable[str]) -> None:
        """Send the modules of policies, ``MODULE:CLASS``, that are single files; raise ClusterError for others.

        A package, or a module that was installed, must be there on each worker.
        """
        for name in dict.fromkeys(kind.partition(":")[0] for kind in kinds):
            module = import_module(name)
            path = Path(module.__file__ or "")
            is_alone = "." not in name and not hasattr(module, "__path__") and path.suffix == ".py"
            if is_alone and sysconfig.get_path("purelib") not in map(str, path.parents):
                self._client.upload_file(str(path))
                continue
            missing = [worker for worker, problem in self._client.run(_import_problem, name).items() if problem]
            if missing:
                folder = path.parents[name.count(".") + hasattr(module, "__path__")]
                raise ClusterError(
                    f"--dask {self._address}: {missing[0]} cannot import {name}; install it there, or start the "
                    f"workers with PYTHONPATH={folder}, its folder on this computer"
                )

    def results(self, play: Callable[[Planned], Played], planned: Iterable[Planned]) -> Generator[Played, None, None]:
        """Yield what is played for each plan, in order. Raises WorkerError if a worker cannot play one."""
        waiting, running = iter(planned), deque[Any]()
        try:
            while True:
                for each in islice(waiting, self._most_in_flight() - len(running)):
                    running.append(self._client.submit(play, each, pure=False))
                if not running:
                    return
                yield _result(running.popleft())
        finally:
            self._client.cancel(list(running))

    def _most_in_flight(self) -> int:
        threads: Iterable[int] = self._client.nthreads().values()
        return max(1, IN_FLIGHT * sum(threads))


def _result(future: Any) -> Any:
    try:
        played = future.result()
    except Exception as error:  # whatever a policy, or the loss of a worker, raises
        raise WorkerError(f"--dask: a worker could not play a block: {type(error).__name__}: {error}") from error
    return played


def _import_problem(name: str) -> str:
    """Return why a worker cannot import a module, nothing if it can."""
    try:
        import_module(name)
    except (Exception, SystemExit) as error:  # a module of somebody else may raise anything
        return f"{type(error).__name__}: {error}"
    return ""


def _version() -> str:
    return version(DISTRIBUTION)
