"""Find records in files, folders and archives; archives are read in place and never unpacked on disk."""

from __future__ import annotations

import lzma
import os
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
RECORD = re.compile(r".*\.(xml|mjlog|journal|mjson|json|urls\.txt)(\.gz)?|\d{10}gm-[0-9a-f]{4}-.*", re.IGNORECASE)
"""Names of records in folders and archives; the second form is the one that Tenhou gives them."""

NAMES = "names such as game.xml, game.mjlog.gz or games.zip"
"""Examples of ``RECORD`` and ``ARCHIVE``, for messages."""

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
        raise RecordError(f"{error.filename}: {reason(error)}")

    for parent, _, names in os.walk(folder, onerror=refuse):
        for name in names:
            path = Path(parent, name)
            if (RECORD.fullmatch(name) or ARCHIVE.fullmatch(name)) and path.is_file():
                yield path


def records_in(file: Path, *, is_given: bool = False) -> Iterator[Source]:
    """Yield the record in a file, or all records of an archive.

    An archive without records yields none; but if the user has named it (``is_given``), it counts as unreadable.
    """
    if not ARCHIVE.fullmatch(file.name):
        yield Source(str(file))
        return
    is_empty = True
    try:
        for source in _zipped(file) if file.suffix.lower() == ".zip" else _tarred(file):
            is_empty = False
            yield source
    except DAMAGE as error:
        yield Source(str(file), damage=_damage(error))
    else:
        if is_empty and is_given:
            yield Source(str(file), damage="no records in this archive: expected names such as game.xml")


def _damage(error: Exception) -> str:
    """Return in one line why an archive, or a member of one, is unreadable."""
    return reason(error) if isinstance(error, OSError) and error.strerror else f"damaged archive: {error}"


def reason(error: OSError) -> str:
    """Return the words of the operating system for an error: ``Permission denied``."""
    return error.strerror or str(error)


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
        raise RecordError(reason(error)) from None


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
                yield Source(name, damage=_damage(error))


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
