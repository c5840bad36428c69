"""The folder of journals: one growing file for each running game, a compressed one for each finished game."""

from __future__ import annotations

import errno
import fcntl
import os
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import IO, Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.database.database import DatabaseError, DatabasePlace, made_folder_id
from ump.model.events import GameEnded
from ump.net.dialects import TELLING_WHOLE_GAMES
from ump.record.game_index import INDEX, GameIndex
from ump.record.indexed_game import IndexedGame
from ump.record.journal import (
    GameSummary,
    Journal,
    JournalError,
    JournalHeader,
    JournalStep,
    ended_summary,
    read_journal,
    read_last_kyoku,
    summary_of,
    write_header,
    write_step,
)
from ump.server.index_queue import IndexQueue, write_finished
from ump.server.ladder.rated_games import ConductReader, RatedGame
from ump.server.seeds import Seals
from ump.server.status import DELAY_BOUNDS, Histogram
from ump.table.chair import KyokuStart
from ump.table.journal_entries import Entry

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

    def record(self, entries: list[Entry], now: int, start: KyokuStart | None) -> Deferred[None] | None:
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
        in_thread: Callable[..., Deferred[None]],
        seals: Seals,
        *,
        index: DatabasePlace | None,
        clock: IReactorTime,
    ) -> None:
        """Keep journals in a folder. ``in_thread`` calls a function in another thread, and returns a Deferred.

        ``seals`` keep journals of finished games that nobody may read yet. ``index`` is the place of an index that
        folders share; None: the folder has its own.
        """
        self.folder = folder
        self.seals = seals
        self._sync = sync
        self._in_thread = in_thread
        self.sync_times = Histogram(DELAY_BOUNDS)
        """The times that running journals took to the disk, with the wait for a free thread."""
        self._place = index
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

    def open(self) -> None:
        """Create the folder, for our own user, if there is none, and keep other servers out; raises FolderError."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = (self.folder / LOCK).open("wb")
        except OSError as error:
            reason = error.strerror or error
            raise FolderError(f"--record-dir {self.folder}: {reason}; choose a folder to write to, or none") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
                index = GameIndex(self.folder, self._place, made_folder_id(self.folder))
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

    def rename(self, alias_of: Callable[[str], str | None]) -> None:
        """Give the players whose names have an alias that name in all finished games, in another thread."""
        self._in_thread(self._index.rename, alias_of)

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
