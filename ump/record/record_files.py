"""Find records in files, folders and archives, and work on them in several processes.

Archives are read in place and in one pass, within limits.

Archives (.zip, and .tar plain or packed as a whole) may be hostile. No member is unpacked beyond what a record may
have, and all members of one archive together have a limit, too. ``tarfile`` itself keeps the long names and extended
headers of a member in memory, whatever their length; so it reads through a stream that refuses large pieces.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import signal
import tarfile
import zipfile
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import Event
from multiprocessing.synchronize import Event as EventType
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Protocol, TypeVar, cast

from ump.model.value import value
from ump.record.recorded_game import RecordError

# Archives


MOST_BYTES = 1 << 20
"""Limit of bytes of a file, packed and unpacked: forty times the longest of some thousand records."""

MOST_MEMBERS = 200_000
"""Limit of members in one archive."""

MOST_UNPACKED = 1 << 33
"""Limit of unpacked bytes that are read from one archive."""

MOST_HEADER = 1 << 20
"""Limit of bytes that are read from a .tar at once: of a long name or an extended header."""

MOST_MEMORY = 1 << 27
"""Limit of bytes that unpacking .xz may take."""

CHUNK = 1 << 16
"""Bytes that are unpacked at a time."""

DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    RuntimeError,  # zipfile: a member with a password, or (NotImplementedError) an unknown compression
    ValueError,
)
"""Everything that reading a damaged archive may raise."""

GZIP = b"\x1f\x8b"
"""The first bytes of a gzip file."""

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of a .zip; the second ones are those of an empty one."""

BZ2, XZ = b"BZh", b"\xfd7zXZ\x00"
"""The first bytes of files of these kinds."""

_MARK, _MARK_AT = b"ustar", 257
"""The fields in the header of a .tar, with their places."""

Member = tuple[str, "bytes | Exception"]
"""The name of a member, and its bytes, cut one byte after MOST_BYTES; or why it is unreadable."""


def unpacked(data: bytes) -> bytes:
    """Return the data, unpacked if it is gzip; raise RecordError beyond the limit or for damaged gzip.

    Raises TypeError for anything but bytes: the functions of the library that call this get paths, too.
    """
    if not isinstance(data, bytes):
        raise TypeError(f"expected the bytes of a record, as of Path(...).read_bytes(), got {type(data).__name__}")
    if len(data) > MOST_BYTES:
        raise RecordError(f"more than {MOST_BYTES} bytes")
    if not data.startswith(GZIP):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            content = packed.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise RecordError(f"damaged gzip: {error}") from None
    if len(content) > MOST_BYTES:
        raise RecordError(f"unpacks to more than {MOST_BYTES} bytes")
    return content


def is_zip(start: bytes) -> bool:
    """Tell whether a file with this start is a .zip."""
    return start.startswith(ZIP)


def is_tar(start: bytes) -> bool:
    """Tell whether a file with this start is a .tar, perhaps packed."""
    try:
        header = next(_unpacked(io.BytesIO(start[:CHUNK])), b"")
    except DAMAGE:
        return False
    return header[_MARK_AT : _MARK_AT + len(_MARK)] == _MARK


def zipped(file: IO[bytes], wanted: Callable[[str], bool]) -> Iterator[Member]:
    """Yield the members of a .zip with accepted names; raise one of DAMAGE if the archive is unreadable."""
    total = 0
    with zipfile.ZipFile(file) as archive:
        members = [member for member in archive.infolist() if wanted(member.filename)]
        if len(members) > MOST_MEMBERS:
            raise ValueError(f"more than {MOST_MEMBERS} members")
        for member in members:
            try:
                with archive.open(member) as packed:
                    data = packed.read(MOST_BYTES + 1)
            except DAMAGE as error:
                yield member.filename, error
                continue
            total += len(data)
            if total > MOST_UNPACKED:
                raise ValueError(f"more than {MOST_UNPACKED} bytes")
            yield member.filename, data


def tarred(file: IO[bytes], wanted: Callable[[str], bool]) -> Iterator[Member]:
    """Yield the members of a .tar, plain or packed, with accepted names; raise one of DAMAGE if it is unreadable."""
    with tarfile.open(fileobj=cast(IO[bytes], _Forward(_unpacked(file))), mode="r:") as archive:
        for number, member in enumerate(archive):
            if number == MOST_MEMBERS or member.offset_data + member.size > MOST_UNPACKED:
                raise ValueError(f"more than {MOST_MEMBERS} members or {MOST_UNPACKED} bytes")
            archive.members = []  # type: ignore[attr-defined]  # or it would remember them all
            packed = archive.extractfile(member) if member.isfile() and wanted(member.name) else None
            if packed is not None:
                yield member.name, packed.read(MOST_BYTES + 1)


def _unpacked(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of a stream, unpacked if it is packed, in pieces of at most CHUNK bytes."""
    joined = Joined(file.read(CHUNK), file)
    start = joined.head
    if start.startswith(XZ):
        yield from _unpacked_xz(joined)
        return
    plain: _Readable = joined
    if start.startswith(GZIP):
        plain = gzip.GzipFile(fileobj=joined.as_file())
    elif start.startswith(BZ2):
        plain = bz2.BZ2File(joined.as_file())
    while data := plain.read(CHUNK):
        yield data


def _unpacked_xz(file: _Readable) -> Iterator[bytes]:
    """Yield the content of a .xz; its dictionary may be large, so the memory has a limit."""
    data = file.read(CHUNK)
    while data:
        unpacker = lzma.LZMADecompressor(memlimit=MOST_MEMORY)
        while not unpacker.eof:
            if piece := unpacker.decompress(data, CHUNK):
                yield piece
            data = file.read(CHUNK) if unpacker.needs_input and not unpacker.eof else b""
            if unpacker.needs_input and not data and not unpacker.eof:
                raise EOFError("the archive ends too early")
        data = (unpacker.unused_data or file.read(CHUNK)).lstrip(b"\0")  # streams may be padded


class _Readable(Protocol):
    """A stream to read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes, none at the end."""
        ...


class Joined:
    """The bytes that were read from a stream already, and then the rest of the stream."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self.head = head
        self._rest = rest

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes, none at the end."""
        if not self.head:
            return self._rest.read(size)
        data, self.head = self.head[:size], self.head[size:]
        return data

    def as_file(self) -> IO[bytes]:
        """Return itself for functions that want a file, but only read from it."""
        return cast(IO[bytes], self)


class _Forward:
    """A file for ``tarfile`` that is read once from its start to its end; back it goes by a part of a block.

    It refuses to read a large piece at once.
    """

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._kept = b""
        """The last bytes that were read, and those that were not yet."""
        self._start = 0
        """The place of the first of them."""
        self._place = 0

    def tell(self) -> int:
        """Return the place of the next byte."""
        return self._place

    def seek(self, place: int) -> int:
        """Go to a place; raise ValueError if its bytes are gone."""
        if place < self._start:
            raise ValueError("members that overlap")
        while place > self._start + len(self._kept) and self._load():
            pass
        self._place = place
        return place

    def read(self, size: int) -> bytes:
        """Return so many bytes, fewer at the end; raise ValueError for a large piece."""
        if not 0 <= size <= MOST_HEADER + 1:
            raise ValueError(f"a header of more than {MOST_HEADER} bytes")
        while self._place + size > self._start + len(self._kept) and self._load(keep=self._place):
            pass
        data = self._kept[self._place - self._start :][:size]
        self._place += len(data)
        return data

    def _load(self, keep: int | None = None) -> bool:
        """Take the next piece, and forget all but a block before ``keep``. Return False at the end."""
        piece = next(self._pieces, b"")
        end = self._start + len(self._kept)
        first = max(self._start, end - tarfile.BLOCKSIZE if keep is None else min(keep, end) - tarfile.BLOCKSIZE)
        self._kept = self._kept[first - self._start :] + piece
        self._start = first
        return bool(piece)


# Files


MOST_PACKED = 1 << 30
"""Limit of bytes of a .zip on standard input, which is copied to a temporary file: it is read from its end."""

ARCHIVE = re.compile(r".*\.(zip|tar|tar\.gz|tgz|tar\.bz2|tar\.xz)", re.IGNORECASE)
RECORD = re.compile(
    r".*\.(xml|mjlog|journal|mjson|json|pb|trace|urls\.txt|ump0[12]\.txt)(\.gz)?|\d{10}gm-[0-9a-f]{4}-.*", re.IGNORECASE
)
"""Names of records in folders and archives; the second form is the one that Tenhou gives them."""

NAMES = "names such as game.xml, game.mjlog.gz or games.zip"
"""Examples of ``RECORD`` and ``ARCHIVE``, for messages."""


@value
class RecordSource:
    """One record: its name and, if it comes from an archive, its bytes."""

    name: str
    data: bytes | None = None
    """None if the record is the file of this name."""
    damage: str = ""
    """Why the record is unreadable, in one line; empty if no fault is known yet."""


def files_at(paths: Iterable[Path]) -> list[Path]:
    """Return the given files and, from the given folders, all files named like records or archives, sorted.

    Raises RecordError if a folder contains none, or is unreadable.
    """
    found: list[Path] = []
    for path in paths:
        inside = sorted(_files_in(path)) if path.is_dir() else [path]
        if not inside:
            raise RecordError(f"no records in {path}: expected {NAMES}")
        found += inside
    return found


def _files_in(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and its subfolders that are named like records or archives."""

    def refuse(error: OSError) -> None:
        """Raise RecordError for a folder that cannot be read."""
        raise RecordError(f"{error.filename}: {reason(error)}")

    for parent, _, names in os.walk(folder, onerror=refuse):
        for name in names:
            path = Path(parent, name)
            if (RECORD.fullmatch(name) or ARCHIVE.fullmatch(name)) and path.is_file():
                yield path


def records_in(file: Path, *, is_given: bool = False) -> Iterator[RecordSource]:
    """Yield the record in a file, or all records of an archive.

    If the user has named the file (``is_given``), its content may show that it is an archive, and an archive without
    records counts as unreadable; otherwise it yields none.
    """
    is_archive = ARCHIVE.fullmatch(file.name) is not None
    if not is_archive and not (is_given and file.is_file()):  # a pipe can be read only once
        yield RecordSource(str(file))
        return
    try:
        with open(file, "rb") as stream:
            start = stream.read(CHUNK)
            if not is_archive and not is_zip(start) and not is_tar(start):
                yield RecordSource(str(file))
                return
            stream.seek(0)
            members = zipped(stream, _is_record) if is_zip(start) else tarred(stream, _is_record)
            yield from _sources(str(file), members, is_given=is_given)
    except OSError as error:
        yield RecordSource(str(file), damage=reason(error))


def records_of_stream(stream: IO[bytes]) -> Iterator[RecordSource]:
    """Yield the record on standard input, or all records of an archive there; a pipe cannot go back, and need not."""
    head = stream.read(MOST_BYTES + 1)
    if is_zip(head):
        with TemporaryFile() as copy:
            size = len(head)
            copy.write(head)
            while size <= MOST_PACKED and (data := stream.read(CHUNK)):
                size += copy.write(data)
            if size > MOST_PACKED:
                yield RecordSource("-", damage=f"an archive of more than {MOST_PACKED} bytes; give its file")
                return
            yield from _sources("-", zipped(copy, _is_record), is_given=True)
    elif is_tar(head):
        yield from _sources("-", tarred(Joined(head, stream).as_file(), _is_record), is_given=True)
    else:
        yield RecordSource("-", head)


def _is_record(name: str) -> bool:
    return RECORD.fullmatch(Path(name).name) is not None


def _sources(archive: str, members: Iterator[Member], *, is_given: bool) -> Iterator[RecordSource]:
    """Yield the members of an archive; the end of a damaged one is a source with its damage."""
    is_empty = True
    try:
        for name, data in members:
            is_empty = False
            whole = f"{archive}:{name}"
            yield RecordSource(whole, data) if isinstance(data, bytes) else RecordSource(whole, damage=_damage(data))
    except DAMAGE as error:
        yield RecordSource(archive, damage=_damage(error))
    else:
        if is_empty and is_given:
            yield RecordSource(archive, damage="no records in this archive: expected names such as game.xml")


def _damage(error: Exception) -> str:
    """Return in one line why an archive, or a member of one, is unreadable."""
    return reason(error) if isinstance(error, OSError) and error.strerror else f"damaged archive: {error}"


def reason(error: OSError) -> str:
    """Return the words of the operating system for an error: ``Permission denied``."""
    return error.strerror or str(error)


def read_source(source: RecordSource) -> bytes:
    """Return the bytes of a record, cut one byte after ``MOST_BYTES``; raise RecordError if it is unreadable."""
    if source.damage:
        raise RecordError(source.damage)
    if source.data is not None:
        return source.data
    try:
        with open(source.name, "rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise RecordError(reason(error)) from None


# Work on records, or other pieces of work, in several processes; the results keep the order of the pieces.

BATCH = 4
"""Pieces that a process receives at a time."""

AHEAD = 4
"""Batches that wait for each process. The limit keeps a large archive out of memory."""

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def results(
    work: Callable[[Piece], Result], pieces: Iterable[Piece], processes: int, batch: int = BATCH
) -> Generator[Result, None, None]:
    """Yield what ``work`` returns for each piece, in order; one process means this one.

    The processes receive ``batch`` pieces at a time.

    ``work`` goes to other processes, so it is a function of a module, or a ``partial`` of one.
    """
    if processes == 1:
        yield from map(work, pieces)
        return
    batches = _batches(pieces, batch)
    stop = Event()
    with ProcessPoolExecutor(processes, initializer=_start, initargs=(stop,)) as pool:
        try:
            waiting: deque[Future[list[Result]]] = deque()
            for some in batches:
                waiting.append(pool.submit(_work_on, work, some))
                if len(waiting) > AHEAD * processes:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _work_on(work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
    return [work(piece) for piece in pieces if _stop is None or not _stop.is_set()]


def _batches(pieces: Iterable[Piece], size: int) -> Iterator[list[Piece]]:
    waiting = iter(pieces)
    while batch := list(islice(waiting, size)):
        yield batch


_stop: EventType | None = None
"""In a worker, set when nobody waits for results any more: a worker then leaves out the rest of its batch."""


def _start(stop: EventType) -> None:
    """Begin in a worker. It ignores Ctrl-C, which reaches all processes of a terminal; the parent ends the workers."""
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
