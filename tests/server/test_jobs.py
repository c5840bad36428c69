"""Work in other threads: fair to all hosts, and made once."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from ump.record.recorded_game import RecordError
from ump.server import jobs as module
from ump.server.jobs import FairQueue, Job, JobResult, Jobs, ResultFolder, TookTooLong, TooManyJobs


class Threads:
    """Threads that finish when the test says so."""

    def __init__(self) -> None:
        self.running: list[tuple[Callable[[], Any], Deferred[Any]]] = []

    def call(self, function: Callable[..., Any], *arguments: object) -> Deferred[Any]:
        """Begin a call."""
        done: Deferred[Any] = Deferred()
        self.running.append((partial(function, *arguments), done))
        return done

    def finish(self) -> None:
        """Let the call end that began first."""
        function, done = self.running.pop(0)
        try:
            result = function()
        except Exception:
            done.errback(Failure())
        else:
            done.callback(result)

    def finish_all(self) -> None:
        """Let all calls end, and those that begin then."""
        while self.running:
            self.finish()


def test_a_host_waits_for_itself_alone() -> None:
    """The second host does not wait for the many of the first."""
    threads, ended = Threads(), list[str]()
    queue = FairQueue(threads.call, most=10)
    for host, name in (("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1")):
        done = queue.add(host, lambda name=name: name)  # type: ignore[misc]
        assert done is not None
        done.addCallback(ended.append)
    assert (len(queue), len(threads.running)) == (4, 2)
    threads.finish_all()
    assert ended == ["a1", "b1", "a2", "a3"]
    assert not len(queue)


def test_an_error_is_passed_on_and_the_next_begins() -> None:
    """A call that raises harms no other one."""
    threads, errors = Threads(), list[str]()
    queue = FairQueue(threads.call, most=10)

    def fail() -> None:
        """Raise."""
        raise OSError("no disk")

    first, second = queue.add("a", fail), queue.add("a", lambda: 7)
    assert first is not None and second is not None
    first.addErrback(lambda failure: errors.append(failure.getErrorMessage()))
    threads.finish()
    threads.finish()
    assert errors == ["no disk"]
    assert second.result == 7


def test_the_queue_is_bounded() -> None:
    """Beyond its limit nothing is taken."""
    threads = Threads()
    queue = FairQueue(threads.call, most=1)
    assert queue.add("a", lambda: 1) is not None
    assert queue.add("b", lambda: 1) is None
    threads.finish()
    assert queue.add("b", lambda: 1) is not None


def outcomes(*asked: Deferred[JobResult]) -> list[object]:
    """Return a list that gets the bytes of each result, or its error."""
    found: list[object] = []
    for each in asked:
        each.addCallbacks(lambda result: gzip.decompress(result.packed), lambda failure: failure.value)
        each.addBoth(found.append)
    return found


def test_a_result_is_made_once(tmp_path: Path) -> None:
    """Two hundred who ask at once, those who ask later, and the next server have the result of one job."""
    threads, made, folder = Threads(), list[str](), tmp_path / "results"

    def make() -> bytes:
        made.append("")
        return b"replay"

    job, jobs = Job("replay", "game", make), Jobs(threads.call, folder)
    asked = [jobs.ask(job, f"192.0.2.{number}") for number in range(200)]
    asked[0].cancel()
    found = outcomes(*asked)
    threads.finish_all()
    assert [isinstance(each, bytes) for each in found] == [False] + [True] * 199
    later = outcomes(jobs.ask(job, ""), jobs.find(job.id) or Deferred())
    again = outcomes(Jobs(threads.call, folder).ask(job, ""))
    threads.finish_all()
    assert (later, again, len(made)) == ([b"replay"] * 2, [b"replay"], 1)
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_bytes(b"torn")
    again = outcomes(Jobs(threads.call, folder).ask(job, ""))
    threads.finish_all()
    assert (again, len(made)) == ([b"replay"], 2)


def test_jobs_wait_one_after_the_other_and_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each tells how many are before it; beyond the limits of a host, of all, and of their bytes they are refused."""
    monkeypatch.setattr(module, "MAX_JOBS", 4)
    monkeypatch.setattr(module, "MAX_JOBS_OF_HOST", 2)
    monkeypatch.setattr(module, "MAX_JOB_BYTES", 10)
    threads = Threads()
    jobs = Jobs(threads.call)
    made = [Job("conversion", str(number), partial(str(number).encode)) for number in range(6)]
    found = outcomes(*(jobs.ask(job, "a" if number < 3 else "b") for number, job in enumerate(made[:4])))
    assert [type(each) for each in found] == [TooManyJobs]
    assert [jobs.ahead(made[number].id) for number in (0, 1, 3)] == [0, 1, 2]
    assert len(threads.running) == 1
    large = outcomes(jobs.ask(Job("conversion", "large", bytes, size=11), "c"))
    more = outcomes(jobs.ask(made[4], "c"), jobs.ask(made[5], "d"))
    assert [type(each) for each in large + more] == [TooManyJobs] * 2
    threads.finish_all()
    assert found[1:] + more[1:] == [b"0", b"3", b"1", b"4"]
    assert jobs.find(made[2].id) is None


def test_results_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those for which nobody has asked longest go first. An error of a record is kept, too; others may pass."""
    monkeypatch.setattr(module, "MAX_KEPT_IN_MEMORY", 3_500)
    threads = Threads()
    jobs = Jobs(threads.call)

    def fail(error: Exception) -> bytes:
        raise error

    errors = {1: RecordError("no"), 2: RuntimeError(), 3: TookTooLong("busy")}
    made = [Job("replay", str(each), partial(fail, errors[each]) if each in errors else bytes) for each in range(6)]
    for job in made:
        outcomes(jobs.ask(job, ""))
        threads.finish_all()
        outcomes(jobs.find(made[1].id) or Deferred())
    assert [jobs.find(job.id) is None for job in made] == [True, False, True, True, False, False]
    outcomes(*(jobs.find(job.id) or Deferred() for job in made))
    folder = ResultFolder(tmp_path, most=4)
    for job in made[:3]:
        folder.write(job, gzip.compress(b"")[:2])
    assert len([*tmp_path.iterdir()]) == 2
