"""Where records lie: in files, in folders, in archives, which are read as they are and never unpacked on disk."""

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
"""Members of an archive."""

MOST_UNPACKED = 1 << 33
"""Bytes of an archive that was packed as a whole (.tar.gz), as far as it is read."""

ARCHIVE = re.compile(r".*\.(zip|tar|tar\.gz|tgz|tar\.bz2|tar\.xz)", re.IGNORECASE)
RECORD = re.compile(r".*\.(xml|mjlog)(\.gz)?|\d{10}gm-[0-9a-f]{4}-.*", re.IGNORECASE)
"""Names under which records are looked for in folders and archives; the second is how Tenhou itself names them."""

DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    RuntimeError,  # what zipfile raises for a member with a password, and (NotImplementedError) for unknown packing
    ValueError,
)
"""What reading a damaged archive may raise."""


@value
class Source:
    """One record: its name and, if it was in an archive, its bytes."""

    name: str
    data: bytes | None = None
    """None: they are in the file of this name."""
    damage: str = ""
    """Why it cannot be read, in one line; empty as far as that is known."""


def files_at(paths: Iterable[Path]) -> list[Path]:
    """Return the files named, and in the folders named those that look like records or archives, in order."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = (file for file in path.rglob("*") if RECORD.fullmatch(file.name) or ARCHIVE.fullmatch(file.name))
            found += sorted(file for file in inside if file.is_file())
        else:
            found.append(path)
    return found


def records_in(file: Path) -> Iterator[Source]:
    """Yield the record that a file is, or those that it holds if it is an archive."""
    if not ARCHIVE.fullmatch(file.name):
        yield Source(str(file))
        return
    try:
        yield from _zipped(file) if file.suffix.lower() == ".zip" else _tarred(file)
    except DAMAGE as error:
        yield Source(str(file), damage=f"damaged archive: {error}")


def read_source(source: Source) -> bytes:
    """Return the bytes of a record, one more than there may be at most; raises RecordError."""
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
    """Read a member, and no more than shows that it is too long."""
    return packed.read(MOST_BYTES + 1)
