"""The conduct of players is read from the records of rated games, a few at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.memory_server import journal_folder, memory_server, room
from twisted.logger import capturedLogs

from ump.model.game_result import GameResult
from ump.record.journal import journal_counts, read_journal
from ump.record.record_files import unpacked
from ump.server.journals import JournalFolder
from ump.server.ladder import ConductReader, RatedGame, conduct_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JournalFolder]:
    """Return a folder with five games of built-in bots and a client."""
    journals = journal_folder(tmp_path_factory.mktemp("records"))
    journals.open()
    with memory_server(
        room(house=["efficiency:3"], house_after=0, length="tonpu"), recorder_of=journals.create
    ) as server:
        for _ in range(5):
            server.play(server.robots("a"))
    yield journals
    journals.close()


def games(folder: JournalFolder) -> list[RatedGame]:
    """Return the games of the folder, the newest first, without their conduct."""
    return [RatedGame(path.name, 0.0, (), GameResult()) for path in sorted(folder.folder.glob("*.gz"), reverse=True)]


@pytest.mark.no_cover
def test_payments_and_faults_are_those_of_the_counts(folder: JournalFolder) -> None:
    """The sums over the winners are the points of all deal-ins, and the refusals and timeouts are the faults."""
    some = 0
    for path in folder.folder.glob("*.gz"):
        journal = read_journal(unpacked(path.read_bytes()))
        conduct, counts = conduct_of(journal), journal_counts(journal)
        assert [sum(row) for row in conduct.paid] == [each.deal_in_points for each in counts]
        assert list(conduct.faults) == [each.refusals + each.timeouts for each in counts]
        some += sum(map(sum, conduct.paid))
    assert some > 0


def test_a_few_games_for_each_call(folder: JournalFolder) -> None:
    """The newest are read first, and none twice; the oldest are returned first."""
    reader = ConductReader(folder.folder, at_once=2)
    for known in (2, 4, 5, 5):
        read = reader.added_to("main", games(folder))
        assert [game.conduct is not None for game in read] == [False] * (5 - known) + [True] * known
        assert [game.file for game in read] == [game.file for game in reversed(games(folder))]


def test_a_lost_record_is_left_out(tmp_path: Path) -> None:
    """The log says once that a record cannot be read, and its game counts without it."""
    reader = ConductReader(tmp_path)
    (tmp_path / "damaged.journal.gz").write_bytes(b"{}\n")
    listed = [
        RatedGame("lost.journal.gz", 0.0, (), GameResult()),
        RatedGame("damaged.journal.gz", 0.0, (), GameResult()),
    ]
    with capturedLogs() as events:
        for _ in range(2):
            assert [game.conduct for game in reader.added_to("main", listed)] == [None, None]
    assert [event["file"] for event in events if "file" in event] == ["lost.journal.gz", "damaged.journal.gz"]
