"""The index of recorded games: a database beside the journals, made from them at any time, or one that servers share.

``games`` has a row for each finished game, ``players`` a row for each seat of it, and ``day_totals`` their sums.
``duplicate_games`` says which games have played the same walls, ``annulled`` which ones count for no ladder; the latter
alone is not in the journals. ``docs/records.md`` lists their columns. The counts of a game need a whole replay, so a
server leaves them empty; ``ump records --players`` fills them in. If their definition changes, a migration empties
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ump.database.database import Database, DatabasePlace, file_place
from ump.record.indexed_game import ELSEWHERE, EVERY_GAME, DuplicatePlayed, GameFilter, IndexedGame, OwnGame
from ump.record.journal import GameSummary
from ump.record.player_counts import PlayerCounts
from ump.record.player_statistics import PlayerSums
from ump.record.record_copies import RecordCopies
from ump.table.journal_entries import End

INDEX = "games.sqlite"
"""The name of the database in the folder of journals."""


class GameIndex:
    """The index of one folder. Every method opens and closes its database, so that several programs can share it.

    A database that several folders share has the id of its folder before the name of each file: ``ID/NAME``. Methods
    take and return the plain names of this folder's files. All methods raise DatabaseError.
    """

    def __init__(
        self,
        folder: Path,
        place: DatabasePlace | None = None,
        folder_id: str = "",
        copies: RecordCopies | None = None,
    ) -> None:
        """Use the database of the folder itself, or one in another place, which folders share by their ids.

        ``copies`` get the record of each game that is entered; None: files are not copied.
        """
        self.place = file_place(folder / INDEX) if place is None else place
        self._folder = folder
        self._folder_id = folder_id
        self._copies = copies
        self._prefix = f"{folder_id}/" if place is not None else ""
        self._opened: Database | None = None

    def add(self, games: Iterable[tuple[str, GameSummary]]) -> None:
        """Enter finished games by their files, in place of entries for the same files.

        Raises OSError if a file cannot be copied.
        """
        from ump.record.index_queries import add_games

        entries = list(games)
        if self._copies is not None:  # first, so that a game that is listed can be opened
            self._copies.write(self._folder, self._folder_id, [file for file, _ in entries])
        with self._database.writing() as connection:
            add_games(connection, ((self._prefix + file, summary) for file, summary in entries))

    def rebuild(self, games: Iterable[tuple[str, GameSummary]]) -> int:
        """Replace all entries of this folder by these games, and return how many they are.

        Raises OSError if a file cannot be copied.
        """
        from ump.record.index_queries import rebuild

        files: list[str] = []

        def entries() -> Iterator[tuple[str, GameSummary]]:
            """Yield the games, and note their files."""
            for file, summary in games:
                files.append(file)
                yield self._prefix + file, summary

        with self._database.writing() as connection:
            count = rebuild(connection, entries(), self._prefix)
        if self._copies is not None:
            self._copies.write(self._folder, self._folder_id, files)
            self._copies.keep_only(self._folder_id, files)
        return count

    def games(self, last: int | None = None, chosen: GameFilter = EVERY_GAME) -> Iterator[IndexedGame]:
        """Yield the chosen games, or only the last ones, the newest first."""
        if self._is_missing:
            return
        from ump.record.index_queries import find_games

        with self._database.reading() as connection:
            for game in find_games(connection, last, chosen):
                yield replace(game, file=self._own_name(game.file))

    def find(self, file: str) -> IndexedGame | None:
        """Return the game of a file of this folder, or else of another folder by the name alone."""
        if self._is_missing:
            return None
        from ump.record.index_queries import find_record

        with self._database.reading() as connection:
            game = find_record(connection, file, self._prefix)
        return None if game is None else replace(game, file=self._own_name(game.file))

    def annul(self, file: str, *, is_annulled: bool) -> None:
        """Let a game count for no ladder, or count again; also one of another folder, by ``ID/NAME``."""
        from ump.record.index_queries import set_annulled

        with self._database.writing() as connection:
            set_annulled(connection, self._whole_name(file), is_annulled=is_annulled)

    def players(self, chosen: GameFilter = EVERY_GAME) -> list[PlayerSums]:
        """Return the sums of each player over the chosen games, most games first."""
        if self._is_missing:
            return []
        from ump.record.index_queries import find_players

        with self._database.reading() as connection:
            return find_players(connection, chosen)

    def words(self, column: str) -> list[str]:
        """Return the names of players (column ``name``), rooms or rules that games have, the frequent ones first."""
        if self._is_missing:
            return []
        from ump.record.index_queries import find_words

        with self._database.reading() as connection:
            return find_words(connection, column)

    def own_games(self, who: Sequence[str], before: tuple[str, str] | None, most: int) -> list[OwnGame]:
        """Return the newest games of somebody who is known by these hashes.

        ``before`` is ``began`` and ``file`` of the game after them.
        """
        if self._is_missing:
            return []
        from ump.record.index_queries import find_own_games

        later = None if before is None else (before[0], self._prefix + before[1])
        with self._database.reading() as connection:
            found = find_own_games(connection, who, later, most)
        return [replace(own, game=replace(own.game, file=self._own_name(own.game.file))) for own in found]

    def own_sums(self, who: Sequence[str]) -> dict[str, list[PlayerSums]]:
        """Return the sums of somebody over all completed games: ``all``, by ``room``, and by ``month``."""
        if self._is_missing:
            return {}
        from ump.record.index_queries import find_own_sums

        with self._database.reading() as connection:
            return find_own_sums(connection, who, End.COMPLETED.value)

    def owned_names(self) -> list[str]:
        """Return the names of all players of this folder's games who are known again."""
        if self._is_missing:
            return []
        from ump.record.index_queries import find_owned_names

        with self._database.reading() as connection:
            return find_owned_names(connection, self._prefix)

    def games_of(self, name: str, who: Sequence[str]) -> list[tuple[str, int]]:
        """Return the files of this folder with a player of this name who is known by these hashes, with the seats."""
        from ump.record.index_queries import find_seats

        with self._database.reading() as connection:
            return [(self._own_name(file), seat) for file, seat in find_seats(connection, self._prefix, name, who)]

    def duplicate_games(self, chosen: GameFilter = EVERY_GAME) -> Iterator[DuplicatePlayed]:
        """Yield the chosen duplicate games that were completed, those of a group together.

        The player of ``chosen`` is not a condition.
        """
        if self._is_missing:
            return
        from ump.record.index_queries import find_duplicates

        with self._database.reading() as connection:
            for place, game in find_duplicates(connection, chosen):
                yield place, replace(game, file=self._own_name(game.file))

    def uncounted(self) -> list[str]:
        """Return the files of this folder's games whose counts are empty, oldest first."""
        if self._is_missing:
            return []
        from ump.record.index_queries import find_uncounted

        with self._database.reading() as connection:
            return [self._own_name(file) for file in find_uncounted(connection, self._prefix)]

    def set_counts(self, games: Iterable[tuple[str, tuple[PlayerCounts, ...]]]) -> None:
        """Enter the counts of games by file and seat."""
        from ump.record.index_queries import set_counts

        with self._database.writing() as connection:
            set_counts(connection, ((self._prefix + file, counts) for file, counts in games))

    def load(self) -> None:
        """Load the libraries now, which take 0.2 seconds: later they would stop the games of a server."""
        import ump.record.index_queries  # noqa: F401

        if self._is_missing:  # the first game makes the tables
            import alembic.command
            import alembic.script  # noqa: F401

    def copy_from(self, other: GameIndex, progress: Callable[[int], None]) -> int:
        """Copy all games of a folder's own index to this one, and return how many they are."""
        if other._is_missing:
            return 0
        from ump.record.index_queries import copy_games

        with other._database.reading() as source, self._database.writing() as target:
            return copy_games(source, target, self._prefix, progress)

    @property
    def _is_missing(self) -> bool:
        """Whether there is nothing to read, so that reading makes no file."""
        return self.place.path is not None and not self.place.path.exists()

    @property
    def _database(self) -> Database:
        if self._opened is None:
            from ump.record.index_queries import INDEX_SCHEMA

            self._opened = Database(self.place, INDEX_SCHEMA)
        return self._opened

    def _whole_name(self, file: str) -> str:
        """Return the name of a file as the database has it."""
        return file if ELSEWHERE in file else f"{self._prefix}{file}"

    def _own_name(self, file: str) -> str:
        """Return the name of a file in this folder; those of other folders keep their id."""
        return file.removeprefix(self._prefix)
