"""How long journals take to the disk, and whether games can be recorded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.memory_server import memory_server, room
from support.memory_site import memory_site
from twisted.internet.defer import Deferred, maybeDeferred

from ump.server.journal_folder import JournalFolder
from ump.server.journal_writer import Sync
from ump.server.status.error_count import ErrorCount
from ump.server.status.sync_times import SyncTimes


def test_each_call_is_measured_until_its_end() -> None:
    """Also one that fails, whose failure goes on."""
    first, second = Deferred[None](), Deferred[None]()
    waiting = [second, first]
    syncs = SyncTimes(lambda *_: waiting.pop())
    done, failed = syncs.call(lambda: None), syncs.call(lambda: None)
    assert syncs.times.total == 0
    first.callback(None)
    second.errback(OSError("full"))
    assert syncs.times.total == 2
    assert done.called
    failed.addErrback(lambda failure: failure.trap(OSError))


@pytest.mark.parametrize(("sync", "least"), [(Sync.ALWAYS, 30), (Sync.KYOKU, 1), (Sync.NEVER, 0)])
def test_the_journals_of_a_server(tmp_path: Path, sync: Sync, least: int) -> None:
    """Each step or each kyoku is measured, as journals go to the disk."""
    folder = JournalFolder(tmp_path, sync, maybeDeferred)
    folder.open()
    with memory_server(room(length="kyoku", house=["tsumogiri:3"], house_after=0), recorder_of=folder.create) as server:
        server.play(server.robots("a"))
    assert folder.syncs.times.total >= least
    assert (folder.syncs.times.total == 0) == (sync is Sync.NEVER)
    folder.close()


def test_readiness(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A server is ready while games can be recorded, and healthy meanwhile."""
    folder = JournalFolder(tmp_path / "records", Sync.NEVER, maybeDeferred)
    with memory_site() as site:
        assert site.stream("192.0.2.1").fetch("/readyz").code == 200
        site.status.journals = folder
        assert site.stream("192.0.2.1").fetch("/readyz").text == "games cannot be recorded\n"
        assert site.stream("192.0.2.1").fetch("/healthz").code == 200
        folder.open()
        assert site.stream("192.0.2.1").fetch("/readyz").code == 200
        monkeypatch.setattr(os, "access", lambda *_: False)
        assert site.stream("192.0.2.1").fetch("/readyz").code == 503
    folder.close()


def test_errors_by_place() -> None:
    """The part of the program that logged an error is counted with it."""
    from twisted.logger import Logger, LogLevel

    count = ErrorCount()
    Logger("ump.server.room", observer=count).error("x")
    Logger("ump.server.lobby", observer=count).emit(LogLevel.critical, "y")
    Logger("ump.server.lobby", observer=count).info("z")
    assert (count.count, dict(count.places)) == (2, {"ump.server.room": 1, "ump.server.lobby": 1})
