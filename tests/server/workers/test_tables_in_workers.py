"""Games whose tables are in workers: nobody notices that, and the death of a worker costs nothing."""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import pytest
from support.chairs import BY_NAME, Chair, play, seat_chairs
from support.memory_server import MemoryServer, memory_server, room
from support.memory_workers import MemoryWorker
from twisted.internet.defer import maybeDeferred

from ump.record.journal.journal_file import read_journal
from ump.record.journal.journal_replay import check_journal
from ump.server.journal_folder import JournalFolder
from ump.server.journal_writer import Sync
from ump.server.overview import FINISHED

DIALECTS = tuple(BY_NAME)
TABLES = [tuple(DIALECTS[(start + step) % len(DIALECTS)] for step in range(4)) for start in range(len(DIALECTS))]
"""Four neighbouring dialects at a table, so that every dialect plays."""


def journals_of(folder: Path) -> JournalFolder:
    """Return the journals in a folder."""
    return JournalFolder(folder, Sync.NEVER, maybeDeferred)


def played(dialects: Sequence[str], workers: int, folder: Path, *, kill_at: int | None = None) -> list[Chair]:
    """Play a kyoku to its end; its record fits the rules. The worker of the table dies after so many rounds."""
    folder.mkdir()
    settings, rounds = room(length="kyoku", time="5+5"), count()
    with memory_server(settings, seed="workers", workers=workers, journals=journals_of(folder)) as server:
        chairs = seat_chairs(server, dialects, "workers")

        def meanwhile() -> None:
            """Kill the worker of the table when its time has come."""
            if next(rounds) == kill_at and server.rooms[0].tables:
                worker_of_table(server).kill()

        play(server, chairs, meanwhile)
        for chair in chairs:  # a person waits for the next game
            chair.cut()
    (path,) = folder.glob(f"*{FINISHED}")
    check_journal(read_journal(gzip.decompress(path.read_bytes())))
    return chairs


def worker_of_table(server: MemoryServer) -> MemoryWorker:
    """Return the worker that has the only table."""
    assert server.workers is not None
    (number,) = (each.number for each in server.workers.pool.status if each.tables)
    return server.workers.started[number - 1]


@pytest.mark.parametrize("dialects", TABLES, ids=lambda names: names[0])
def test_nobody_notices_workers(dialects: tuple[str, ...], tmp_path: Path) -> None:
    """Each client receives the same messages as from a server without workers."""
    without = played(dialects, 0, tmp_path / "without")
    within = played(dialects, 2, tmp_path / "within")
    assert [messages(chair) for chair in within] == [messages(chair) for chair in without]


def messages(chair: Chair) -> list[str]:
    """Return what a client has received, without the random token for its return."""
    return [re.sub("[0-9a-f]{32}", "TOKEN", message) for message in chair.heard]


@pytest.mark.no_cover
@pytest.mark.parametrize("kill_at", [1, 3, 40, 120])
@pytest.mark.parametrize("dialects", TABLES, ids=lambda names: names[0])
def test_a_worker_dies(dialects: tuple[str, ...], kill_at: int, tmp_path: Path) -> None:
    """The game goes on in the other worker, and ends for all with the same scores."""
    chairs = played(dialects, 2, tmp_path / "killed", kill_at=kill_at)
    own = [chair.scores() for chair in chairs if chair.dialect != "ump 0.2"]  # which has places, not scores
    scores = [found[-1] for found in own if found]
    assert scores
    assert all(each == scores[0] for each in scores)
