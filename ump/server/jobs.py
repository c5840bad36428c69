"""Work in other threads: fair to each host, and results that are made once for everybody who asks.

The replay of a game takes a second of a core, a review more, and many people look at the same game. So such a result
is made by one job at a time, and kept compressed: the last ones in memory, more of them in a folder.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import secrets
import subprocess
import sys
import zlib
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from twisted.internet.defer import Deferred, DeferredLock, fail, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.model.installation import installed_version
from ump.model.value import value
from ump.net.limits import (
    MAX_JOB_BYTES,
    MAX_JOBS,
    MAX_JOBS_OF_HOST,
    MAX_KEPT_IN_FOLDER,
    MAX_KEPT_IN_MEMORY,
    ChildLimits,
)
from ump.net.programs import launch_command
from ump.record import conversion_process
from ump.record.conversion_process import UNREADABLE
from ump.record.record_copies import RecordCopies
from ump.record.recorded_game import RecordError
from ump.server import drill_targets

T = TypeVar("T")

InThread: TypeAlias = Callable[..., Deferred[Any]]
"""Calls a function with its arguments in another thread, and returns a Deferred with its result."""

RESULTS = ".results"
"""The folder in that of the records for what was made of them; without it, all is made again."""

_VERSION = installed_version()

_SECRET = secrets.token_hex(16)


# A queue


class Work(Generic[T]):
    """A call that waits for its turn, and what becomes of it."""

    def __init__(self, call: Callable[[], T]) -> None:
        self.call = call
        self.done: Deferred[T] = Deferred()
        """Fires with the result of the call, or its failure."""


class FairQueue:
    """Calls functions in threads. The work of each host waits for that of the same host before it."""

    def __init__(self, in_thread: InThread, most: int, most_of_host: int | None = None) -> None:
        """``in_thread`` calls a function in one of a few threads.

        ``most``: how much may wait, of all hosts; ``most_of_host``: of one, but of "", which has no limit of its own.
        """
        self._in_thread = in_thread
        self._most = most
        self._most_of_host = most_of_host
        self._hosts: dict[str, deque[Work[Any]]] = {}
        """The work of each host; the first of each is in a thread, or waits for a free one."""
        self._size = 0

    def __len__(self) -> int:
        """Return how much waits or runs."""
        return self._size

    def add(self, host: str, call: Callable[[], T]) -> Deferred[T] | None:
        """Return a Deferred with the result of a call, or None if too much waits."""
        waiting = self._hosts.get(host, deque())
        is_greedy = host and self._most_of_host is not None and len(waiting) >= self._most_of_host
        if self._size >= self._most or is_greedy:
            return None
        work = Work(call)
        self._size += 1
        self._hosts[host] = waiting
        waiting.append(work)
        if len(waiting) == 1:
            self._begin(host)
        return work.done

    def _begin(self, host: str) -> None:
        """Let the first work of a host be done."""
        self._in_thread(self._hosts[host][0].call).addBoth(self._end, host)

    def _end(self, result: Any, host: str) -> None:
        """Pass the result on, and begin the next work of the host."""
        waiting = self._hosts[host]
        work = waiting.popleft()
        self._size -= 1
        if waiting:
            self._begin(host)
        else:
            del self._hosts[host]
        work.done.callback(result)


# Results that are made once


@value
class Job:
    """A call that makes a result from a record."""

    name: str
    """The purpose of the result, such as ``replay``."""
    key: str
    """The facts that decide the bytes of the result: which record, and all options."""
    make: Callable[[], bytes]
    """Called in another thread; raises RecordError, or FileNotFoundError."""
    size: int = 0
    """Bytes that the job holds while it waits."""
    is_filed: bool = True
    """Whether the result goes into the folder, too."""
    is_current: Callable[[], bool] = lambda: True
    """Tells whether the record is still what the key says. Another result does not go into the folder."""

    @property
    def id(self) -> str:
        """The id of the result: another version of the program makes another one."""
        return hashlib.sha256(f"{_VERSION}\0{self.name}\0{self.key}".encode()).hexdigest()[:32]


@value
class JobResult:
    """The bytes that a job has made."""

    packed: bytes
    """Compressed by gzip."""
    etag: str


class TooManyJobs(Exception):
    """Too many jobs wait already."""


class TookTooLong(RecordError):
    """A job took too long this time, which is no fact about the record."""


class Jobs:
    """Jobs that wait, one that runs, and results."""

    def __init__(self, in_thread: InThread, folder: Path | None = None) -> None:
        """Keep results in a folder, which need not exist; None: in memory alone."""
        self._in_thread = in_thread
        lock = DeferredLock()
        self._queue = FairQueue(partial(lock.run, in_thread), MAX_JOBS, MAX_JOBS_OF_HOST)
        self._folder = None if folder is None else ResultFolder(folder)
        self._asking: dict[str, list[Deferred[JobResult]]] = {}
        """Those who ask for each result that is not there yet, in the order of the jobs."""
        self._size = 0
        """Bytes that all jobs hold."""
        self._kept: dict[str, JobResult | RecordError] = {}
        """The last results, and the errors instead of one; the one that was asked for last is the last."""
        self._kept_size = 0

    def ask(self, job: Job, host: str) -> Deferred[JobResult]:
        """Return a Deferred with a result; who asks no more cancels it. The job goes on: others may ask.

        The Deferred fails with TooManyJobs if too much waits, in all or of a host, and with what the job raises.
        """
        found = self.find(job.id)
        if found is not None:
            return found
        self._asking[job.id] = []
        asked = self._join(job.id)
        self._size += job.size
        Deferred.fromCoroutine(self._result_of(job, host)).addBoth(self._end, job)
        return asked

    def find(self, job_id: str) -> Deferred[JobResult] | None:
        """Return a Deferred as ``ask`` does for a job that waits, runs or has ended lately; None if there is none."""
        kept = self._kept.pop(job_id, None)
        if kept is not None:
            self._kept[job_id] = kept
            return succeed(kept) if isinstance(kept, JobResult) else fail(kept)
        return self._join(job_id) if job_id in self._asking else None

    @property
    def is_idle(self) -> bool:
        """Whether no job waits or runs."""
        return not self._asking

    def ahead(self, job_id: str) -> int:
        """Return how many jobs came before one that waits, and have not ended."""
        return list(self._asking).index(job_id) if job_id in self._asking else 0

    def _join(self, job_id: str) -> Deferred[JobResult]:
        asking = self._asking[job_id]
        asked: Deferred[JobResult] = Deferred(asking.remove)
        asking.append(asked)
        return asked

    async def _result_of(self, job: Job, host: str) -> JobResult:
        """Return the result from the folder, or from the job when its turn has come."""
        if self._folder is not None and job.is_filed:
            packed: bytes | None = await self._in_thread(self._folder.read, job)
            if packed is not None:
                return _result(packed)
        made = self._queue.add(host, partial(self._make, job)) if self._size <= MAX_JOB_BYTES else None
        if made is None:
            raise TooManyJobs
        return await made

    def _make(self, job: Job) -> JobResult:
        """Do a job; in another thread."""
        packed = gzip.compress(job.make(), mtime=0)
        if self._folder is not None and job.is_filed:
            self._folder.write(job, packed)
        return _result(packed)

    def _end(self, result: JobResult | Failure, job: Job) -> None:
        self._size -= job.size
        error = result.value if isinstance(result, Failure) else result
        if isinstance(error, JobResult | RecordError) and not isinstance(error, TookTooLong):
            self._keep(job.id, error)
        asking = self._asking.pop(job.id)
        while asking:  # one of them may cancel another
            asking.pop(0).callback(result)

    def _keep(self, job_id: str, kept: JobResult | RecordError) -> None:
        """Keep a result for the next who ask; forget those for which nobody has asked longest."""
        self._kept[job_id] = kept
        self._kept_size += _cost(kept)
        while self._kept_size > MAX_KEPT_IN_MEMORY and len(self._kept) > 1:
            self._kept_size -= _cost(self._kept.pop(next(iter(self._kept))))


def _result(packed: bytes) -> JobResult:
    return JobResult(packed, f'"{hashlib.sha256(packed).hexdigest()[:32]}"')


def _cost(kept: JobResult | RecordError) -> int:
    """Return the bytes that something kept costs, roughly."""
    return 1_024 + (len(kept.packed) if isinstance(kept, JobResult) else 0)


class ResultFolder:
    """A folder of results, each in a file. Anybody may empty it at any time. Its methods are called in threads."""

    _log = Logger()

    def __init__(self, folder: Path, most: int = MAX_KEPT_IN_FOLDER) -> None:
        """Keep at most so many bytes."""
        self._folder = folder
        self._most = most

    def read(self, job: Job) -> bytes | None:
        """Return a result, which now counts as the newest; None if it is not there."""
        path = self._path(job)
        try:
            packed = path.read_bytes()
            gzip.decompress(packed)
            os.utime(path)
        except (OSError, EOFError, zlib.error):  # not there, or torn by a loss of power
            return None
        return packed

    def write(self, job: Job, packed: bytes) -> None:
        """Keep a result, for our own user; if the folder is full, remove those that were read longest ago."""
        path = self._path(job)
        draft = path.with_suffix(".new")
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(packed)
            if not job.is_current():  # a user was deleted meanwhile
                draft.unlink()
                return
            draft.replace(path)
            self._make_room()
        except OSError as error:
            self._log.error("{path}: {error}", path=str(path), error=error.strerror or error)

    def _path(self, job: Job) -> Path:
        return self._folder / f"{job.name}-{job.id}.gz"

    def _make_room(self) -> None:
        files = [(file.stat().st_mtime_ns, file.stat().st_size, file.path) for file in os.scandir(self._folder)]
        size = sum(each for _, each, _ in files)
        for _, each, path in sorted(files):
            if size <= self._most:
                break
            os.unlink(path)
            size -= each


# Jobs that make something of a record, in a process with limits

CONVERSION_LIMITS = ChildLimits(cpu=20, memory=1_024, output=64)

CONVERSION_SECONDS = 40.0
"""Time for one conversion, its start included."""


def game_job(path: Path, target: str) -> Job | None:
    """Return the job that makes something of the record in a file, as it is now; None if it is not there."""
    key = _state_of(path)
    if not key:
        return None
    make = partial(_made_of_game, path, target)
    return Job(*_named(key, target), make, is_current=lambda: _state_of(path) == key)


def copied_job(copies: RecordCopies, file: str, target: str) -> Job:
    """Return the job for the copy of a record; raises DatabaseError and FileNotFoundError. Call it in a thread.

    Its result does not go into the folder, where nobody would remove it if a name in the record changes elsewhere.
    """
    data = copies.find(file)
    if data is None:
        raise FileNotFoundError(file)
    key = hashlib.sha256(data).hexdigest()
    return Job(*_named(key, target), partial(convert_apart, data, target), len(data), is_filed=False)


def given_job(data: bytes, target: str) -> Job:
    """Return the job that makes something of the bytes that a client has sent. Nobody else can guess its id."""
    key = f"{_SECRET}/{target}/{hashlib.sha256(data).hexdigest()}"
    return Job("conversion", key, partial(convert_apart, data, target), len(data), is_filed=False)


def _named(record: str, target: str) -> tuple[str, str]:
    """Return name and key of the job that makes something of a record."""
    name, _, options = target.partition(":")
    return name, f"{record}/{options}" if options else record


def _state_of(path: Path) -> str:
    """Return the name of a record with what changes when somebody writes it; "" if it is not there."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{path.name}/{found.st_mtime_ns}/{found.st_size}"


def _made_of_game(path: Path, target: str) -> bytes:
    """Return what the replay page wants of a game in a file; raises FileNotFoundError and RecordError."""
    return convert_apart(path.read_bytes(), target)


def convert_apart(data: bytes, target: str) -> bytes:
    """Return what another process makes of a record in the bytes of a file. This waits, so call it in a thread.

    ``target`` is that of ``ump.record.conversion_process`` or of ``ump.server.drill_process``. Raises RecordError, and
    RuntimeError for a fault of ours.
    """
    is_of_drills = target.partition(":")[0] in drill_targets.TARGETS
    program = drill_targets.PROCESS if is_of_drills else conversion_process.__name__
    command = launch_command([sys.executable, "-m", program, target], CONVERSION_LIMITS)
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=CONVERSION_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise TookTooLong("the record takes too long to convert") from error
    if done.returncode == UNREADABLE:
        raise RecordError(done.stdout.decode())
    if done.returncode < 0:  # a signal: beyond its limits
        raise RecordError("the record takes too much time or memory to convert")
    if done.returncode:
        raise RuntimeError(done.stderr.decode("utf-8", "replace"))
    return done.stdout
