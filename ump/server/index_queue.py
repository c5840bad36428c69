"""Finished games on their way into the index, which wait while its database cannot be reached."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import starmap
from operator import attrgetter
from pathlib import Path
from shutil import rmtree
from typing import TypeAlias

from twisted.logger import Logger

from ump.database.database import DatabaseAway, DatabaseError
from ump.model.seats import Seat
from ump.record.game_index import GameIndex
from ump.record.indexed_game import GameFilter, IndexedGame, indexed
from ump.record.journal import GameSummary, read_journal, read_last_kyoku, renamed_header, summary_of
from ump.record.journal_game import journal_counts
from ump.record.player_counts import PlayerCounts
from ump.record.player_statistics import PlayerSums
from ump.record.record_files import unpacked
from ump.server.jobs import RESULTS
from ump.server.ladder.rated_games import RatedGame, rated_games
from ump.server.seat_tokens import hashes_of_user

Entry: TypeAlias = tuple[str, GameSummary]
"""The name of a journal, and its game."""

LAST_GAMES = 20
"""The finished games that the lobby for browsers lists."""

MOST_RATED = 20_000
"""The newest games of a room from which its ratings are computed."""

WAITING = ".not-indexed"
"""The file in the folder with the names of the journals that wait for the index, one on each line."""

AT_ONCE = 200
"""Games that are read again and entered together."""


class IndexQueue:
    """Enters games, and remembers what the pages and ladders need of the index. Threads may call all methods.

    The names of games that wait are in a file, so that they survive the server; their journals are read again later.
    """

    _log = Logger()

    def __init__(self, index: GameIndex, folder: Path, *, is_shared: bool = False) -> None:
        """Enter the games of a folder. ``is_shared``: other servers enter games, too."""
        self.last_games: tuple[IndexedGame, ...] = ()
        """The newest finished games, the newest first."""
        self._index = index
        self._folder = folder
        self._file = folder / WAITING
        self._is_shared = is_shared
        self._is_away = False
        self._waiting = 0
        """The number of names in the file."""
        self._rated: dict[str, list[RatedGame]] = {}
        """The games of each ladder when the index was read last, the newest first."""
        self._alias_of: Callable[[str], str | None] = lambda name: None
        """Returns the name that stands for a deleted user."""
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return how many games wait to be entered."""
        return self._waiting

    @property
    def needs_look(self) -> bool:
        """Whether the index may have changed, or be back, without a game of ours having ended."""
        return self._is_shared or self._is_away or self._waiting > 0

    def open(self) -> None:
        """Read the last games; raises DatabaseError. An index that is away is logged, and tried again later."""
        self._index.load()
        self._waiting = len(self._names())
        try:
            self.last_games = tuple(self._index.games(LAST_GAMES))
        except DatabaseAway as error:
            self._note_away(error)

    def enter(self, entries: Sequence[Entry]) -> None:
        """Enter games, and those that wait. Whatever happens, they are over and recorded."""
        with self._lock:
            self._show(entries)
            try:
                self._add(entries)
            except DatabaseAway as error:
                self._keep(entries)
                self._note_away(error)
                return
            try:
                self._count(entries)
                self._rename_entered(entries)
                entered = len(entries) + self._enter_waiting()
                if self._is_shared or self._is_away:
                    self.last_games = tuple(self._index.games(LAST_GAMES))
            except DatabaseAway as error:
                self._note_away(error)
            except DatabaseError as error:
                self._log.error("{place}: {error}", place=self._index.place.shown, error=str(error))
            else:
                self._note_back(entered)

    def close(self) -> None:
        """Try a last time to enter the games that wait."""
        if self._waiting:
            self.enter(())
        if self._waiting:
            self._log.warn("{games} games wait for the index until the next start", games=self._waiting)

    def rated_games(self, room: str) -> list[RatedGame]:
        """Return the newest games of a room that count for its ladder, the newest first.

        While the database is away, they are those of the last time.
        """
        try:
            found = list(rated_games(self._index.games(MOST_RATED, GameFilter(room=room))))
        except DatabaseError as error:
            self._log.warn("{room}: the ratings have no new games: {error}", room=room, error=str(error))
            return self._rated.get(room, [])
        self._rated[room] = found
        return found

    def own_games(self, who: Sequence[str], before: tuple[str, str] | None, most: int) -> list[tuple[IndexedGame, int]]:
        """Return the newest games of somebody, each with the seat; raises DatabaseError."""
        return self._index.own_games(who, before, most)

    def own_sums(self, who: Sequence[str]) -> dict[str, list[PlayerSums]]:
        """Return the sums of somebody over all completed games, by groups; raises DatabaseError."""
        return self._index.own_sums(who)

    def rename(self, alias_of: Callable[[str], str | None]) -> None:
        """Give the players of this folder's games whose names have an alias that name, in records and index.

        It holds for games that end later, too.
        """
        try:
            with self._lock:
                self._alias_of = alias_of
                for name in self._index.owned_names():
                    alias = alias_of(name)
                    found = () if alias is None else self._index.games_of(name, hashes_of_user(name))
                    for file, seat in found:
                        self._rename(file, seat, alias or "")
                self.last_games = tuple(self._index.games(LAST_GAMES))
        except (OSError, ValueError, DatabaseError) as error:
            self._log.error("a deleted user stays in records until the next start: {error}", error=str(error))

    def _rename_entered(self, entries: Sequence[Entry]) -> None:
        """Rename deleted users in games that have just ended."""
        for file, summary in entries:
            header = summary.header
            for seat, (name, player) in enumerate(zip(header.opening.players, header.players, strict=True)):
                alias = self._alias_of(name)
                if alias is not None and player.token in hashes_of_user(name):
                    self._rename(file, seat, alias)
                    self.last_games = tuple(self._index.games(LAST_GAMES))

    def _rename(self, file: str, seat: Seat, alias: str) -> None:
        """Change the name of a player in the record of a game, and enter the game again."""
        path = self._folder / file
        header, newline, steps = unpacked(path.read_bytes()).partition(b"\n")
        content = renamed_header(header.decode(), {seat: alias}).encode() + newline + steps
        write_finished(path, content)
        rmtree(self._folder / RESULTS, ignore_errors=True)  # some tell the old name
        self._index.add([(file, summary_of(read_last_kyoku(content)))])
        self._index.set_counts([self._counted(file)])

    def _count(self, entries: Sequence[Entry]) -> None:
        """Count what the players have done in games of people, who may look at it soon."""
        counted = []
        for name, summary in entries:
            if any(player.token is not None for player in summary.header.players):
                try:
                    counted.append(self._counted(name))
                except (OSError, ValueError) as error:
                    self._log.warn("not counted: {name}: {error}", name=name, error=str(error))
        if counted:
            self._index.set_counts(counted)

    def _counted(self, name: str) -> tuple[str, tuple[PlayerCounts, ...]]:
        """Return what the players have done in a game, by its name; raises OSError and ValueError."""
        return name, journal_counts(read_journal(unpacked((self._folder / name).read_bytes())))

    def _show(self, entries: Sequence[Entry]) -> None:
        """Let the pages have games that are over: their records can be read, wherever the index is."""
        newest = (*starmap(indexed, entries), *self.last_games)
        self.last_games = tuple(sorted(newest, key=attrgetter("began", "file"), reverse=True)[:LAST_GAMES])

    def _add(self, entries: Sequence[Entry]) -> None:
        """Enter games; those that the database refuses are named, and keep no other out. Raises DatabaseAway."""
        if not entries:
            return
        try:
            self._index.add(entries)
        except DatabaseAway:
            raise
        except Exception as error:
            if len(entries) == 1:
                self._log.error("not in the index: {name}: {error}", name=entries[0][0], error=str(error))
                return
            for entry in entries:
                self._add([entry])

    def _keep(self, entries: Sequence[Entry]) -> None:
        """Write the names of games that wait to the file."""
        try:
            with self._file.open("a", encoding="utf-8") as file:
                file.writelines(f"{name}\n" for name, _ in entries)
        except OSError as error:
            names = ", ".join(name for name, _ in entries)
            self._log.error("not in the index: {name}: {error}", name=names, error=error.strerror or error)
        else:
            self._waiting += len(entries)

    def _names(self) -> list[str]:
        """Return the names of the games that wait."""
        try:
            return self._file.read_text("utf-8").split()
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            self._log.error("{path}: {error}", path=str(self._file), error=str(error))
            return []

    def _enter_waiting(self) -> int:
        """Enter all games that wait, and return how many they were; raises DatabaseAway."""
        if not self._waiting:
            return 0
        names = self._names()
        for first in range(0, len(names), AT_ONCE):
            self._add(list(self._read(names[first : first + AT_ONCE])))
        self._file.unlink(missing_ok=True)
        self._waiting = 0
        return len(names)

    def _read(self, names: Sequence[str]) -> Iterator[Entry]:
        """Yield games by their names; those that cannot be read are logged."""
        for name in names:
            try:
                yield name, summary_of(read_last_kyoku(unpacked((self._folder / name).read_bytes())))
            except (OSError, ValueError) as error:
                self._log.error("not in the index: {name}: {error}", name=name, error=str(error))

    def _note_away(self, error: DatabaseAway) -> None:
        if not self._is_away:
            self._is_away = True
            self._log.error(
                "the index {place} is away, and games wait for it: {error}",
                place=self._index.place.shown,
                error=str(error),
            )

    def _note_back(self, entered: int) -> None:
        if self._is_away:
            self._is_away = False
            self._log.info(
                "the index {place} is back; games that were entered: {games}",
                place=self._index.place.shown,
                games=entered,
            )


LEVEL = 6
"""The compression level of finished journals: level 9 takes twice the time and saves one byte in thirty."""


def write_finished(path: Path, content: bytes) -> None:
    """Write a finished journal, which everybody may read, whole or not at all; raises OSError."""
    draft = path.with_name(path.name + ".draft")
    with draft.open("wb") as file:
        file.write(gzip.compress(content, LEVEL, mtime=0))
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
