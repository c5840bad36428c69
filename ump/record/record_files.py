"""Find records in files, folders and archives; archives are read in place and never unpacked on disk."""

from __future__ import annotations

import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from ump.model.value import value
from ump.record.mjlog.elements import MOST_BYTES
from ump.record.recorded_game import RecordError

MOST_MEMBERS = 200_000
"""Limit of members in one archive."""

MOST_UNPACKED = 1 << 33
"""Limit of unpacked bytes that are read from one .tar archive, which may be packed as a whole."""

ARCHIVE = re.compile(r".*\.(zip|tar|tar\.gz|tgz|tar\.bz2|tar\.xz)", re.IGNORECASE)
RECORD = re.compile(r".*\.(xml|mjlog)(\.gz)?|\d{10}gm-[0-9a-f]{4}-.*", re.IGNORECASE)
"""Names of records in folders and archives; the second form is the one that Tenhou gives them."""

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


@value
class Source:
    """One record: its name and, if it comes from an archive, its bytes."""

    name: str
    data: bytes | None = None
    """None if the record is the file of this name."""
    damage: str = ""
    """Why the record is unreadable, in one line; empty if no fault is known yet."""


def files_at(paths: Iterable[Path]) -> list[Path]:
    """Return the given files and, from the given folders, all files named like records or archives, sorted."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = (file for file in path.rglob("*") if RECORD.fullmatch(file.name) or ARCHIVE.fullmatch(file.name))
            found += sorted(file for file in inside if file.is_file())
        else:
            found.append(path)
    return found


def records_in(file: Path) -> Iterator[Source]:
    """Yield the record in a file, or all records of an archive."""
    if not ARCHIVE.fullmatch(file.name):
        yield Source(str(file))
        return
    try:
        yield from _zipped(file) if file.suffix.lower() == ".zip" else _tarred(file)
    except DAMAGE as error:
        yield Source(str(file), damage=f"damaged archive: {error}")


def read_source(source: Source) -> bytes:
    """Return the bytes of a record, cut one byte after ``MOST_BYTES``; raise RecordError if it is unreadable."""
    if source.damage:
        raise RecordError(source.damage)
    if source.data is not None:
        return source.data
    try:
        with open(source.name, "rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise RecordError(error.strerror or str(error)) from None


def _zipped(file: Path) -> Iterator[Source]:
    with zipfile.ZipFile(file) as archive:
        members = [member for member in archive.infolist() if RECORD.fullmatch(Path(member.filename).name)]
        if len(members) > MOST_MEMBERS:
            raise ValueError(f"more than {MOST_MEMBERS} members")
        for member in members:
            name = f"{file}:{member.filename}"
            try:
                with archive.open(member) as packed:
                    yield Source(name, _bounded(packed))
            except DAMAGE as error:
                yield Source(name, damage=f"damaged archive: {error}")


def _tarred(file: Path) -> Iterator[Source]:
    with tarfile.open(file, "r|*") as archive:
        for number, member in enumerate(archive):
            if number == MOST_MEMBERS or member.offset_data + member.size > MOST_UNPACKED:
                raise ValueError(f"more than {MOST_MEMBERS} members or {MOST_UNPACKED} bytes")
            named = member.isfile() and RECORD.fullmatch(Path(member.name).name)
            packed = archive.extractfile(member) if named else None
            if packed is not None:
                yield Source(f"{file}:{member.name}", _bounded(packed))


def _bounded(packed: IO[bytes]) -> bytes:
    """Read a member, cut one byte after ``MOST_BYTES``: enough to see that it is too long."""
    return packed.read(MOST_BYTES + 1)
