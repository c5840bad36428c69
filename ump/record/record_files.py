"""Find records in files, folders and archives; archives are read in place and never unpacked on disk."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from ump.model.value import value
from ump.record.archives import CHUNK, DAMAGE, Joined, Member, is_tar, is_zip, tarred, zipped
from ump.record.mjlog.elements import MOST_BYTES
from ump.record.recorded_game import RecordError

MOST_PACKED = 1 << 30
"""Limit of bytes of a .zip on standard input, which is copied to a temporary file: it is read from its end."""

ARCHIVE = re.compile(r".*\.(zip|tar|tar\.gz|tgz|tar\.bz2|tar\.xz)", re.IGNORECASE)
RECORD = re.compile(
    r".*\.(xml|mjlog|journal|mjson|json|trace|urls\.txt|ump0[12]\.txt)(\.gz)?|\d{10}gm-[0-9a-f]{4}-.*", re.IGNORECASE
)
"""Names of records in folders and archives; the second form is the one that Tenhou gives them."""

NAMES = "names such as game.xml, game.mjlog.gz or games.zip"
"""Examples of ``RECORD`` and ``ARCHIVE``, for messages."""


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
        """Raise RecordError for a folder that cannot be read."""
        raise RecordError(f"{error.filename}: {reason(error)}")

    for parent, _, names in os.walk(folder, onerror=refuse):
        for name in names:
            path = Path(parent, name)
            if (RECORD.fullmatch(name) or ARCHIVE.fullmatch(name)) and path.is_file():
                yield path


def records_in(file: Path, *, is_given: bool = False) -> Iterator[Source]:
    """Yield the record in a file, or all records of an archive.

    If the user has named the file (``is_given``), its content may show that it is an archive, and an archive without
    records counts as unreadable; otherwise it yields none.
    """
    is_archive = ARCHIVE.fullmatch(file.name) is not None
    if not is_archive and not (is_given and file.is_file()):  # a pipe can be read only once
        yield Source(str(file))
        return
    try:
        with open(file, "rb") as stream:
            start = stream.read(CHUNK)
            if not is_archive and not is_zip(start) and not is_tar(start):
                yield Source(str(file))
                return
            stream.seek(0)
            members = zipped(stream, _is_record) if is_zip(start) else tarred(stream, _is_record)
            yield from _sources(str(file), members, is_given=is_given)
    except OSError as error:
        yield Source(str(file), damage=reason(error))


def records_of_stream(stream: IO[bytes]) -> Iterator[Source]:
    """Yield the record on standard input, or all records of an archive there; a pipe cannot go back, and need not."""
    head = stream.read(MOST_BYTES + 1)
    if is_zip(head):
        with TemporaryFile() as copy:
            size = len(head)
            copy.write(head)
            while size <= MOST_PACKED and (data := stream.read(CHUNK)):
                size += copy.write(data)
            if size > MOST_PACKED:
                yield Source("-", damage=f"an archive of more than {MOST_PACKED} bytes; give its file")
                return
            yield from _sources("-", zipped(copy, _is_record), is_given=True)
    elif is_tar(head):
        yield from _sources("-", tarred(Joined(head, stream).as_file(), _is_record), is_given=True)
    else:
        yield Source("-", head)


def _is_record(name: str) -> bool:
    return RECORD.fullmatch(Path(name).name) is not None


def _sources(archive: str, members: Iterator[Member], *, is_given: bool) -> Iterator[Source]:
    """Yield the members of an archive; the end of a damaged one is a source with its damage."""
    is_empty = True
    try:
        for name, data in members:
            is_empty = False
            whole = f"{archive}:{name}"
            yield Source(whole, data) if isinstance(data, bytes) else Source(whole, damage=_damage(data))
    except DAMAGE as error:
        yield Source(archive, damage=_damage(error))
    else:
        if is_empty and is_given:
            yield Source(archive, damage="no records in this archive: expected names such as game.xml")


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
