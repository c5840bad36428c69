"""Archives of records, read in place and in one pass, within limits: .zip, and .tar plain or packed as a whole.

Archives may be hostile. No member is unpacked beyond what a record may have, and all members of one archive together
have a limit, too. ``tarfile`` itself keeps the long names and extended headers of a member in memory, whatever their
length; so it reads through a stream that refuses large pieces.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Protocol, cast

from ump.record.mjlog.elements import GZIP, MOST_BYTES

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

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of a .zip; the second ones are those of an empty one."""

BZ2, XZ = b"BZh", b"\xfd7zXZ\x00"
"""The first bytes of files of these kinds."""

_MARK, _MARK_AT = b"ustar", 257
"""The fields in the header of a .tar, with their places."""

Member = tuple[str, "bytes | Exception"]
"""The name of a member, and its bytes, cut one byte after MOST_BYTES; or why it is unreadable."""


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
