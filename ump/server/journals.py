"""The folder of journals: one growing file for each running game, a compressed one for each finished game.

Finished games are entered into the index, and wait while its database cannot be reached.
"""

from __future__ import annotations

import errno
import fcntl
import gzip
import os
import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from itertools import starmap
from operator import attrgetter
from pathlib import Path
from shutil import rmtree
from time import perf_counter
from typing import IO, Any, TypeAlias

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.database.database import DatabaseAway, DatabaseError, DatabasePlace, made_folder_id
from ump.model.events import GameEnded
from ump.model.seats import Seat
from ump.net.dialects import TELLING_WHOLE_GAMES
from ump.record.game_index import INDEX, GameIndex
from ump.record.indexed_game import GameFilter, IndexedGame, OwnGame, indexed
from ump.record.journal import (
    GameSummary,
    Journal,
    JournalError,
    JournalHeader,
    JournalStep,
    ended_summary,
    journal_counts,
    read_journal,
    read_last_kyoku,
    renamed_header,
    summary_of,
    write_header,
    write_step,
)
from ump.record.player_counts import PlayerCounts
from ump.record.player_statistics import PlayerSums
from ump.record.record_copies import RecordCopies
from ump.record.record_files import unpacked
from ump.server.jobs import RESULTS
from ump.server.ladder import ConductReader, RatedGame, rated_games
from ump.server.seat_tokens import hashes_of_user
from ump.server.seeds import Seals
from ump.server.status import DELAY_BOUNDS, Histogram
from ump.table.chair import BeforeKyoku
from ump.table.journal_entries import End, Entry
from ump.wire.text import RECORD

# Finished games on their way into the index, which wait while its database cannot be reached.

FinishedGame: TypeAlias = tuple[str, GameSummary]
"""The name of a journal, and its game."""

HashesOf: TypeAlias = Callable[[Collection[str]], Sequence[str]]
"""Returns the hashes that stand for users of some names in records of tournaments; it may raise DatabaseError."""

LAST_GAMES = 20
"""The finished games that the lobby for browsers lists."""

COMPLETED = GameFilter(end=End.COMPLETED.value)
"""The games that have a result."""

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
        self._entrants: HashesOf = lambda names: ()
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
            self.last_games = self._newest()
        except DatabaseAway as error:
            self._note_away(error)

    def enter(self, entries: Sequence[FinishedGame]) -> None:
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
                    self.last_games = self._newest()
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

    def find(self, record: str) -> IndexedGame | None:
        """Return a game by the id of its record; raises DatabaseError."""
        return self._index.find(f"{record}{FINISHED}")

    def annul(self, game: IndexedGame, *, is_annulled: bool) -> None:
        """Let a game count for no ladder, or count again; raises DatabaseError."""
        with self._lock:
            self._index.annul(game.file, is_annulled=is_annulled)

    def own_games(self, who: Sequence[str], before: tuple[str, str] | None, most: int) -> list[OwnGame]:
        """Return the newest games of somebody; raises DatabaseError."""
        return self._index.own_games(who, before, most)

    def own_sums(self, who: Sequence[str]) -> dict[str, list[PlayerSums]]:
        """Return the sums of somebody over all completed games, by groups; raises DatabaseError."""
        return self._index.own_sums(who)

    def rename(self, alias_of: Callable[[str], str | None], entrants: HashesOf) -> None:
        """Give the players of this folder's games whose names have an alias that name, in records and index.

        It holds for games that end later, too.
        """
        try:
            with self._lock:
                self._alias_of, self._entrants = alias_of, entrants
                for name in self._index.owned_names():
                    alias = alias_of(name)
                    found = () if alias is None else self._index.games_of(name, self._hashes_of(name, alias))
                    for file, seat in found:
                        self._rename(file, seat, alias or "")
                self.last_games = self._newest()
        except (OSError, ValueError, DatabaseError) as error:
            self._log.error("a deleted user stays in records until the next start: {error}", error=str(error))

    def _hashes_of(self, name: str, alias: str) -> tuple[str, ...]:
        """Return the hashes of a deleted user, which tournaments know by either name."""
        return (*hashes_of_user(name), *self._entrants((name, alias)))

    def _rename_entered(self, entries: Sequence[FinishedGame]) -> None:
        """Rename deleted users in games that have just ended."""
        for file, summary in entries:
            header = summary.header
            for seat, (name, player) in enumerate(zip(header.opening.players, header.players, strict=True)):
                alias = self._alias_of(name)
                if alias is not None and player.token in self._hashes_of(name, alias):
                    self._rename(file, seat, alias)
                    self.last_games = self._newest()

    def _rename(self, file: str, seat: Seat, alias: str) -> None:
        """Change the name of a player in the record of a game, and enter the game again."""
        path = self._folder / file
        header, newline, steps = unpacked(path.read_bytes()).partition(b"\n")
        content = renamed_header(header.decode(), {seat: alias}).encode() + newline + steps
        write_finished(path, content)
        rmtree(self._folder / RESULTS, ignore_errors=True)  # some tell the old name
        self._index.add([(file, summary_of(read_last_kyoku(content)))])
        self._index.set_counts([self._counted(file)])

    def _count(self, entries: Sequence[FinishedGame]) -> None:
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

    def _newest(self) -> tuple[IndexedGame, ...]:
        """Return the last games that the index has; raises DatabaseError."""
        return tuple(self._index.games(LAST_GAMES, COMPLETED))

    def _show(self, entries: Sequence[FinishedGame]) -> None:
        """Let the pages have games that are over: their records can be read, wherever the index is."""
        completed = [game for game in starmap(indexed, entries) if game.end == COMPLETED.end]
        newest = (*completed, *self.last_games)
        self.last_games = tuple(sorted(newest, key=attrgetter("began", "file"), reverse=True)[:LAST_GAMES])

    def _add(self, entries: Sequence[FinishedGame]) -> None:
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

    def _keep(self, entries: Sequence[FinishedGame]) -> None:
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

    def _read(self, names: Sequence[str]) -> Iterator[FinishedGame]:
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


RUNNING = ".journal"
"""The end of the name of a journal whose game may go on. The name begins with a dot, so that no web server lists it."""

FINISHED = ".journal.gz"
"""The end of the name of a journal whose game is over."""

DAMAGED = ".journal.damaged"
"""The end of the name of a journal that cannot be read, so that its game cannot go on."""


LOCK = ".lock"
"""The name of the file whose lock a server holds while it uses the folder."""

LOOK = 10.0
"""Seconds between two looks at an index that other servers change, or that is away."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


class FolderError(Exception):
    """The folder cannot be used for journals; the message is one line."""


class Sync(Enum):
    """When journals are brought to the disk, so that they survive a loss of power."""

    ALWAYS = "always"
    """Before anything of a step is sent. Only the table of that step waits for the disk."""
    KYOKU = "kyoku"
    """At the start of each kyoku, without waiting for the disk."""
    NEVER = "never"
    """When the operating system does it."""


class JournalFile:
    """The journal of a running game. Each step is one write, so the death of the process loses nothing."""

    _log = Logger()

    def __init__(
        self,
        path: Path,
        descriptor: int,
        header: JournalHeader,
        sync: Sync,
        to_disk: Callable[[int], Deferred[None]],
        finished: Callable[[Path, GameSummary], object],
    ) -> None:
        """Append to an open file; call ``finished`` with its path and the summary when the game is over.

        ``to_disk`` brings what is written to the disk, and closes the descriptor that it gets.
        """
        self.path = path
        self._header = header
        self._descriptor = descriptor
        self._sync = sync
        self._to_disk = to_disk
        self._finished = finished
        self._last: JournalStep | None = None
        """The last step that was recorded."""
        self._failure: BaseException | None = None
        """The error of a sync in another thread."""

    @property
    def record_name(self) -> str:
        """The name of the finished journal without its ending, by which pages ask for it."""
        return self.path.name.removeprefix(".").removesuffix(RUNNING)

    def record(self, entries: list[Entry], now: int, start: BeforeKyoku | None) -> Deferred[None] | None:
        """Append a step, and the state before the kyoku that it starts; raises OSError if that fails.

        With ``Sync.ALWAYS`` the Deferred fires when the step is on the disk. After a failure nothing of the step is in
        the file, so that it can be recorded again when there is room.
        """
        if self._failure is not None:
            raise self._failure
        self._last = JournalStep(now, entries, start)
        size = self._write(write_step(self._last))
        if self._sync is Sync.ALWAYS:
            return self._to_disk(os.dup(self._descriptor)).addErrback(self._take_back, size)
        if self._sync is Sync.KYOKU and start is not None:
            self._to_disk(os.dup(self._descriptor)).addErrback(self._note_failure)
        return None

    def begin(self) -> None:
        """Write the first line; raises OSError if that fails."""
        self._write(write_header(self._header))

    def finish(self, ended: GameEnded | None) -> None:
        """Close the file, and compress it: the game is over."""
        self.suspend()
        self._finished(self.path, ended_summary(self._header, self._last, ended))

    def give_up(self) -> None:
        """Close the file, and rename it: its game is over without an end in the journal. Raises nothing."""
        self.suspend()
        try:
            self.path.rename(aside(self.path))
        except OSError as error:
            self._log.error("{path}: {error}", path=str(self.path), error=error.strerror or error)

    def suspend(self) -> None:
        """Close the file; its game may go on later."""
        try:
            os.close(self._descriptor)
        except OSError as error:
            self._log.error("{path}: {error}", path=str(self.path), error=error.strerror or error)

    def _write(self, line: str) -> int:
        """Append a line, and return its length in bytes."""
        data = f"{line}\n".encode("ascii")
        written = os.write(self._descriptor, data)
        if written != len(data):
            self._cut(written)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return written

    def _cut(self, size: int) -> None:
        """Remove this many bytes from the end of the file."""
        os.ftruncate(self._descriptor, os.fstat(self._descriptor).st_size - size)

    def _take_back(self, failure: Failure, size: int) -> Failure:
        """Remove a step that has not reached the disk."""
        self._cut(size)
        return failure

    def _note_failure(self, failure: Failure) -> None:
        """Make the next step fail after a failed sync for which no step has waited.

        What is lost then are steps that have taken effect, so no retry helps.
        """
        self._failure = OSError(errno.EIO, getattr(failure.value, "strerror", None) or str(failure.value))


class JournalFolder:
    """All journals of a server."""

    _log = Logger()

    def __init__(
        self,
        folder: Path,
        sync: Sync,
        in_thread: Callable[..., Deferred[Any]],
        seals: Seals,
        *,
        index: DatabasePlace | None,
        clock: IReactorTime,
        copies: RecordCopies | None = None,
    ) -> None:
        """Keep journals in a folder. ``in_thread`` calls a function in another thread, and returns a Deferred.

        ``seals`` keep journals of finished games that nobody may read yet. ``index`` is the place of an index that
        folders share; None: the folder has its own. ``copies`` are those of the site; None: there are none.
        """
        self.folder = folder
        self.seals = seals
        self._sync = sync
        self._in_thread = in_thread
        self.sync_times = Histogram(DELAY_BOUNDS)
        """The times that running journals took to the disk, with the wait for a free thread."""
        self._place = index
        self._copies = copies
        self._index = IndexQueue(GameIndex(folder), folder)
        self._clock = clock
        self._timer: IDelayedCall | None = None
        self._conducts = ConductReader(folder)
        self._lock: IO[bytes] | None = None
        self._ended: list[tuple[Path, GameSummary]] = []
        """Games that are over, and wait for their turn to be compressed."""
        self._finishing = 0
        """The number of other games that are being compressed in another thread."""
        self._is_busy = False
        """Whether another thread finishes games, or looks at the index."""
        self._idle: Deferred[None] | None = None
        """Waits until it does not."""

    def load_libraries(self) -> None:
        """Load now what ``open`` would load."""
        GameIndex(self.folder).load()

    def open(self, *, waits: bool = False) -> None:
        """Create the folder, for our own user, if there is none, and keep other servers out; raises FolderError.

        ``waits``: wait for the server that uses the folder, instead of an error.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = (self.folder / LOCK).open("wb")
        except OSError as error:
            reason = error.strerror or error
            raise FolderError(f"--record-dir {self.folder}: {reason}; choose a folder to write to, or none") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.close()
            raise FolderError(
                f"--record-dir {self.folder}: another ump-server records there; choose another folder, or none"
            ) from error
        try:
            self._open_index()
        except FolderError:
            lock.close()
            raise
        self._lock = lock

    def _open_index(self) -> None:
        """Begin to use the index; raises FolderError."""
        if self._place is not None:
            try:
                index = GameIndex(self.folder, self._place, made_folder_id(self.folder), self._copies)
            except (OSError, ValueError) as error:
                raise FolderError(f"--record-dir {self.folder}: {error}") from error
            self._index = IndexQueue(index, self.folder, is_shared=True)
        try:
            self._index.open()
        except DatabaseError as error:
            if self._place is not None:
                raise FolderError(f"--index {self._place.shown}: {error}") from error
            self._log.error("{path}: {error}", path=str(self.folder / INDEX), error=str(error))
        self._look_later()

    @property
    def own_games(self) -> IndexQueue:
        """The games of users and guests."""
        return self._index

    @property
    def last_games(self) -> tuple[IndexedGame, ...]:
        """The newest finished games, the newest first."""
        return self._index.last_games

    def rated_games(self, room: str) -> list[RatedGame]:
        """Return the newest games of a room that count for its ladder, the oldest first.

        It may be called in another thread.
        """
        return self._conducts.added_to(room, self._index.rated_games(room))

    def find_game(self, record: str) -> Deferred[IndexedGame | None]:
        """Return a Deferred with a finished game by the id of its record; it fails with DatabaseError."""
        if RECORD.fullmatch(record) is None:  # PostgreSQL does not take any text
            return succeed(None)
        return self._in_thread(self._index.find, record)

    def annul(self, game: IndexedGame, *, is_annulled: bool) -> Deferred[None]:
        """Let a game count for no ladder, or count again; the Deferred fails with DatabaseError."""
        return self._in_thread(partial(self._index.annul, game, is_annulled=is_annulled))

    def rename(self, alias_of: Callable[[str], str | None], entrants: HashesOf = lambda names: ()) -> None:
        """Give the players whose names have an alias that name in all finished games, in another thread."""
        self._in_thread(self._index.rename, alias_of, entrants)

    def _look_later(self) -> None:
        self._timer = self._clock.callLater(LOOK, self._look)

    def _look(self) -> None:
        """Enter games that wait, and read what other servers have entered."""
        self._look_later()
        if self._index.needs_look and not self._is_busy:
            self._finish_some()

    @property
    def is_writable(self) -> bool:
        """Whether a journal could be begun now: the folder can be written to, and its disk has room."""
        try:
            free = os.statvfs(self.folder).f_bavail
        except OSError:
            return False
        return free > 0 and os.access(self.folder, os.W_OK)

    def idle(self) -> Deferred[None]:
        """Return a Deferred that fires when no other thread finishes games."""
        if not self._is_busy:
            return succeed(None)
        self._idle = Deferred()
        return self._idle

    def close(self) -> None:
        """Finish the games that wait for their turn, and let other servers use the folder."""
        ended, self._ended = self._ended, []
        if ended:
            self._finish_all(ended)
        self._index.close()
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def create(self, header: JournalHeader) -> JournalFile:
        """Begin the journal of a new game; raises OSError. Only the server's own user can read it: it holds hands."""
        name = f"{re.sub('[^0-9TZ]', '', header.began)}-{_UNSAFE.sub('_', header.opening.name)}"
        for number in range(1_000):
            path = self.folder / f".{name}{f'-{number}' if number else ''}{RUNNING}"
            try:
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            except FileExistsError:
                continue
            journal = self._journal_file(path, descriptor, header)
            try:
                journal.begin()
            except OSError:
                journal.suspend()
                path.unlink(missing_ok=True)
                raise
            return journal
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)

    def unfinished(self, sealed: Iterable[str] = ()) -> Iterator[tuple[Path, Journal]]:
        """Yield the journals of games that can go on.

        Those of games that are over are finished, and those that cannot be read are set aside. A duplicate group of
        which no game goes on is over, too, unless it is one of ``sealed``.
        """
        running = set(sealed)
        for path in sorted(self.folder.glob(f"*{RUNNING}")):
            try:
                data = path.read_bytes()
                if b"\n" not in data:  # the server died before the first line was whole; nothing had been sent
                    path.unlink()
                    continue
                journal = read_running(data)
                summary = None if journal.end is None else summary_of(journal)
            except (OSError, JournalError) as error:
                self.set_aside(path, error)
                continue
            duplicate = journal.header.opening.duplicate
            if summary is not None:
                self.finish(path, summary)
            elif not journal.steps:  # nothing had been sent
                path.unlink(missing_ok=True)
            else:
                if duplicate is not None:
                    running.add(duplicate.group)
                yield path, journal
        self.seals.lift_all_but(running)

    def reopen(self, path: Path, journal: Journal) -> JournalFile:
        """Go on with the journal of a game; an unfinished last line is cut off. Raises OSError."""
        if journal.torn:
            self._log.warn(
                "{path}: {bytes} bytes of an unfinished line are cut off", path=str(path), bytes=journal.torn
            )
            os.truncate(path, path.stat().st_size - journal.torn)
        return self._journal_file(path, os.open(path, os.O_WRONLY | os.O_APPEND), journal.header)

    def _journal_file(self, path: Path, descriptor: int, header: JournalHeader) -> JournalFile:
        """Return the journal of a running game, with an open descriptor."""
        return JournalFile(path, descriptor, header, self._sync, self.to_disk, self.finish)

    def to_disk(self, descriptor: int) -> Deferred[None]:
        """Bring a file to the disk in another thread, and close this descriptor of it; measure how long that takes."""
        return self._in_thread(_sync_copy, descriptor).addBoth(self._note_sync, perf_counter())

    def _note_sync(self, result: Any, begun: float) -> Any:
        self.sync_times.add(perf_counter() - begun)
        return result

    def finish(self, path: Path, summary: GameSummary) -> None:
        """Finish the journal of a game that is over: compress it, and enter it in the index.

        That may be later: until then it keeps its hidden name, and only we can read it.
        """
        self.seals.seal_of(summary.header.opening.duplicate)(partial(self._finish, path, summary))

    def set_aside(self, path: Path, error: Exception) -> None:
        """Rename a journal whose game cannot go on, and log why."""
        self._log.error("{path}: this game cannot go on: {error}", path=str(aside(path)), error=str(error))
        path.rename(aside(path))

    def _finish(self, path: Path, summary: GameSummary) -> None:
        """Compress the journal of a game that is over, and enter it in the index, in another thread.

        Games that end meanwhile are finished together after that: several threads at a time would take the processor
        from the tables, and each transaction costs as much as several games in it.
        """
        self._ended.append((path, summary))
        if not self._is_busy:
            self._finish_some()

    @property
    def to_finish(self) -> int:
        """The number of games that are over, but not yet compressed and in the index."""
        return len(self._ended) + self._finishing + len(self._index)

    def _finish_some(self) -> None:
        """Finish all games that have ended since the last time."""
        ended, self._ended = self._ended, []
        self._finishing = len(ended)
        self._is_busy = True
        self._in_thread(self._finish_all, ended).addBoth(self._finish_next)

    def _finish_next(self, result: object) -> None:
        """Go on with the games that have ended meanwhile; log a bug in finishing those before."""
        if isinstance(result, Failure):
            self._log.failure("games could not be finished", result)
        self._finishing = 0
        self._is_busy = False
        if self._ended:
            self._finish_some()
        elif self._idle is not None:
            idle, self._idle = self._idle, None
            idle.callback(None)

    def _finish_all(self, ended: list[tuple[Path, GameSummary]]) -> None:
        """Finish some games; whatever happens, they are over and recorded, and the index can be made again."""
        entries: list[tuple[str, GameSummary]] = []
        for path, summary in ended:
            try:
                entries.append((compress(path).name, summary))
            except OSError as error:
                self._log.error("{path}: {error}", path=str(path), error=error.strerror or error)
        self._index.enter(entries)


def needs_whole_game(header: JournalHeader) -> bool:
    """Return whether a player can come back to this game who is then told all of it, not only the current kyoku."""
    return any(player.token is not None and player.speaks in TELLING_WHOLE_GAMES for player in header.players)


def read_running(data: bytes) -> Journal:
    """Read as much of a journal as is needed to go on with its game; raises JournalError."""
    journal = read_last_kyoku(data)
    return read_journal(data) if needs_whole_game(journal.header) else journal


def compress(path: Path) -> Path:
    """Replace a finished journal by a compressed one that everybody may read, and return its path; raises OSError."""
    finished = path.with_name(path.name.removeprefix(".").removesuffix(RUNNING) + FINISHED)
    write_finished(finished, path.read_bytes())
    path.unlink()
    return finished


def began_at(seconds: float) -> str:
    """Return an instant in seconds since 1970 as a journal writes it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _sync_copy(descriptor: int) -> None:
    """Bring a file to the disk, in another thread, and close this descriptor of it; raises OSError."""
    try:
        os.fdatasync(descriptor)
    finally:
        os.close(descriptor)


def aside(path: Path) -> Path:
    """Return the name of a journal whose game cannot go on."""
    return path.with_name(path.name.removeprefix(".").removesuffix(RUNNING) + DAMAGED)
