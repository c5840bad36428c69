"""A server whose index is away: its games wait, and are entered when it is back."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from record.test_journals import header_of, played
from support.careless_clients import OPENING
from support.databases import PostgresServer
from support.memory_server import journal_folder
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.task import Clock
from twisted.logger import capturedLogs

from ump.cli.main import main
from ump.database.database import DatabaseAway, DatabaseError, read_place
from ump.model.commitments import DuplicateGame
from ump.model.game_result import GameResult
from ump.record.game_index import GameIndex
from ump.record.indexed_game import ELSEWHERE, EVERY_GAME, GameFilter, IndexedGame
from ump.record.journal import GameSummary
from ump.record.record_copies import RecordCopies
from ump.server import journals
from ump.server.journals import FINISHED, LOOK, RUNNING, WAITING, FolderError, IndexQueue, JournalFolder, Sync
from ump.server.ladder import RatedGame
from ump.server.overview import lobby_data
from ump.server.seeds import Seals


class FaultyIndex(GameIndex):
    """An index that is away, or refuses some games, when the test says so."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.is_away = False
        self.refused = ""

    def add(self, games: Iterable[tuple[str, GameSummary]]) -> None:
        """Enter games, or fail."""
        entries = list(games)
        if self.is_away:
            raise DatabaseAway("connection refused")
        if any(file == self.refused for file, _ in entries):
            raise DatabaseError("too long")
        super().add(entries)

    def games(self, last: int | None = None, chosen: GameFilter = EVERY_GAME) -> Iterator[IndexedGame]:
        """Return games, or fail."""
        if self.is_away:
            raise DatabaseAway("connection refused")
        return super().games(last, chosen)


class Records(JournalFolder):
    """A folder whose index may fail."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, Sync.NEVER, maybeDeferred, Seals(), index=None, clock=Clock())
        self.faulty = FaultyIndex(folder)
        self._index = IndexQueue(self.faulty, folder)

    def indexed(self) -> set[str]:
        """Return the names of the games in the index."""
        return {game.game for game in self.faulty.games()}

    def look(self) -> None:
        """Let the folder look at the index, as it does now and then."""
        assert isinstance(self._clock, Clock)
        self._clock.advance(LOOK)


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    """Return an open folder."""
    made = Records(tmp_path)
    made.open()
    yield made
    made.close()


def logged(events: Sequence[Any]) -> list[str]:
    """Return the level and the first words of each line."""
    return [f"{event['log_level'].name}: {event['log_format']}" for event in events]


def test_games_wait_while_the_index_is_away(records: Records) -> None:
    """One line says so, and one that it is back; the pages have the games at once."""
    records.faulty.is_away = True
    with capturedLogs() as events:
        for number in range(3):
            played(records, f"main-{number}")
    lines = [line for line in logged(events) if "index" in line]
    assert lines == ["error: the index {place} is away, and games wait for it: {error}"]
    assert records.to_finish == 3
    assert [game.game for game in records.last_games] == ["main-2", "main-1", "main-0"]
    records.faulty.is_away = False
    with capturedLogs() as events:
        records.look()
    assert logged(events) == ["info: the index {place} is back; games that were entered: {games}"]
    assert events[0]["games"] == 3
    assert records.to_finish == 0
    assert records.indexed() == {"main-0", "main-1", "main-2"}
    assert not (records.folder / WAITING).exists()


def test_games_that_wait_survive_the_server(records: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their names are in a file; the next start enters them, some at a time, without a damaged one."""
    monkeypatch.setattr(journals, "AT_ONCE", 2)
    records.faulty.is_away = True
    for number in range(4):
        played(records, f"main-{number}")
    with capturedLogs() as events:
        records.close()
    assert logged(events)[-1] == "warn: {games} games wait for the index until the next start"
    max(records.folder.glob("*.gz")).write_bytes(b"damaged")
    again = Records(records.folder)
    again.open()
    assert (again.to_finish, again.indexed()) == (4, set())
    with capturedLogs() as events:
        again.look()
    assert [event["name"].endswith("main-3.journal.gz") for event in events] == [True]
    assert (again.to_finish, again.indexed()) == (0, {"main-0", "main-1", "main-2"})
    again.close()


def test_names_that_cannot_be_kept_are_logged(records: Records) -> None:
    """The journals are there, and ``ump records --reindex`` enters them."""
    (records.folder / WAITING).mkdir()
    records.faulty.is_away = True
    with capturedLogs() as events:
        played(records)
    assert "error: not in the index: {name}: {error}" in logged(events)
    assert records.to_finish == 0
    (records.folder / WAITING).rmdir()


def test_a_game_that_is_refused_keeps_no_other_out(records: Records) -> None:
    """It is named, and does not wait."""
    records.faulty.is_away = True
    for number in range(3):
        played(records, f"main-{number}")
    records.faulty.is_away = False
    records.faulty.refused = next(path.name for path in records.folder.glob("*main-1*"))
    with capturedLogs() as events:
        records.look()
    assert [event["name"] for event in events if "name" in event] == [records.faulty.refused]
    assert records.to_finish == 0
    assert records.indexed() == {"main-0", "main-2"}


def test_a_ladder_goes_on_with_the_games_of_the_last_time(tmp_path: Path) -> None:
    """Rounds need no database."""
    index = FaultyIndex(tmp_path)
    queue = IndexQueue(index, tmp_path)
    game = RatedGame("a", 0.0, (), GameResult())
    queue._rated["main"] = [game]
    index.is_away = True
    assert queue.rated_games("main") == [game]
    assert queue.rated_games("other") == []
    index.is_away = False
    assert queue.rated_games("main") == []


def opened(folder: Path, url: str, clock: Clock) -> JournalFolder:
    """Return a folder with a shared index."""
    made = journal_folder(folder, index=read_place(url), clock=clock)
    made.open()
    return made


def test_two_servers_share_an_index(database: str, tmp_path: Path) -> None:
    """Each shows the games of both; only one has the record."""
    clock = Clock()
    first, second = opened(tmp_path / "1", database, clock), opened(tmp_path / "2", database, clock)
    played(first)
    played(second)
    clock.advance(LOOK)
    for folder in (first, second):
        assert sorted(ELSEWHERE in game.file for game in folder.last_games) == [False, True]
        games: Any = lobby_data([], folder.last_games, [], boards={}, has_users=False)["games"]
        assert [game["id"] is None for game in games] == [ELSEWHERE in game.file for game in folder.last_games]
        folder.close()
    assert clock.getDelayedCalls() == []
    again = opened(tmp_path / "1", database, clock)
    assert sorted(ELSEWHERE in game.file for game in again.last_games) == [False, True]
    again.close()


def test_records_are_copied_for_the_site(postgres: PostgresServer, tmp_path: Path) -> None:
    """A copy is what the file is; none is made of a sealed game, and ``ump records`` makes and removes them again."""
    url = postgres.new_url()
    copies, seals = RecordCopies(read_place(url)), Seals()
    folders = []
    for name in "12":
        folder = journal_folder(tmp_path / name, index=read_place(url), copies=copies, seals=seals)
        folder.open()
        folders.append(folder)
    first, second = folders
    played(first)
    played(first, "main-2")
    played(second, "club-1")
    files = sorted(path for folder in folders for path in folder.folder.glob(f"*{FINISHED}"))
    assert len(files) == 3
    assert [copies.find(path.name) for path in files] == [path.read_bytes() for path in files]
    listed: Any = lobby_data([], second.last_games, [], boards={}, has_users=False, has_all_records=True)["games"]
    assert {f"{game['id']}{FINISHED}" for game in listed} == {path.name for path in files}

    journal = first.create(header_of(replace(OPENING, name="main-3", duplicate=DuplicateGame("group", 1, 2))))
    journal.finish(None)
    name = f"{journal.path.name.removeprefix('.').removesuffix(RUNNING)}{FINISHED}"
    assert copies.find(name) is None
    seals.lift("group")
    assert copies.find(name) == (first.folder / name).read_bytes()

    kept, removed, other = files
    removed.unlink()
    changed = gzip.compress(gzip.decompress(kept.read_bytes()).replace(b'"main"', b'"hall"'))
    kept.write_bytes(changed)
    again = CliRunner().invoke(main, ["records", str(first.folder), f"--site={url}", "--reindex", "--json"])
    assert again.exit_code == 0, again.output
    assert [game["room"] for game in json.loads(again.stdout)["games"] if game["game"] == "main-1"] == ["hall"]
    assert [copies.find(path.name) for path in files] == [changed, None, other.read_bytes()]
    for folder in folders:
        folder.close()


def test_copies_wait_as_games_do(postgres: PostgresServer, tmp_path: Path) -> None:
    """A game that ends while the database is away gets its copy when it is back."""
    place = read_place(postgres.new_url())
    copies, clock = RecordCopies(place), Clock()
    folder = journal_folder(tmp_path, index=place, copies=copies, clock=clock)
    folder.open()
    postgres.stop()
    try:
        played(folder)
        with pytest.raises(DatabaseAway):
            copies.find("x")
        assert folder.to_finish == 1
    finally:
        postgres.start()
    clock.advance(LOOK)
    (path,) = folder.folder.glob(f"*{FINISHED}")
    assert (folder.to_finish, copies.find(path.name)) == (0, path.read_bytes())
    folder.close()


def test_a_server_goes_on_without_its_database(postgres: PostgresServer, tmp_path: Path) -> None:
    """It starts and plays, and enters its games when the database is there."""
    url, clock = postgres.new_url(), Clock()
    postgres.stop()
    try:
        folder = opened(tmp_path, url, clock)
        played(folder)
        played(folder, "main-2")
        clock.advance(LOOK)
        assert folder.to_finish == 2
    finally:
        postgres.start()
    clock.advance(LOOK)
    assert folder.to_finish == 0
    assert len(list(GameIndex(tmp_path, read_place(url), "").games())) == 2
    folder.close()


def test_no_second_thread_looks_while_one_works(tmp_path: Path) -> None:
    """Games are finished one batch after the other."""
    calls: list[Deferred[None]] = []

    def later(*_: object) -> Deferred[None]:
        calls.append(Deferred())
        return calls[-1]

    clock = Clock()
    place = read_place(f"sqlite:///{tmp_path / 'shared.sqlite'}")
    folder = journal_folder(tmp_path / "records", in_thread=later, index=place, clock=clock)
    folder.open()
    clock.pump([LOOK, LOOK])
    assert len(calls) == 1
    calls[0].callback(None)
    clock.advance(LOOK)
    assert len(calls) == 2
    folder.close()


def test_a_database_that_can_never_work_ends_the_start(tmp_path: Path) -> None:
    """Such as one of something else; the line names the option."""
    (tmp_path / "rubbish").write_bytes(b"rubbish" * 1_000)
    with pytest.raises(FolderError, match=r"--index .*rubbish: file is not a database"):
        opened(tmp_path / "records", f"sqlite:///{tmp_path / 'rubbish'}", Clock())
