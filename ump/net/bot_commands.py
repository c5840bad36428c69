"""Built-in bots as a room has them: how many of each kind, and the commands of those that are child processes."""

from __future__ import annotations

import atexit
import lzma
import os
import shlex
import shutil
import stat
import struct
import sys
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from ump.model.seats import Seat
from ump.model.value import value
from ump.net.dialects import BOT_COMMAND, bot_dialects
from ump.wire.dialect import Caller
from ump.wire.session import Session

SEAT = "{seat}"
"""The part of a command that becomes the bot's seat, 0 to 3; 0 is the first dealer."""

PYTHONS = ("python", "python3")
"""The programs on PATH of which the first one runs bots in zip files."""

SCRIPTS = (".py", ".js", ".mjs", ".rb", ".jar", ".sh")
"""The ends of the names of scripts, which are arguments of the program that runs them."""

BOT_DIALECTS = bot_dialects()
"""The dialects that bots may speak over their standard streams, by key."""


class CommandError(ValueError):
    """A command that cannot be used, with a message of one line."""


@value
class BotCommand:
    """A command that starts a bot."""

    dialect: str
    """The key of the bot's dialect in ``BOT_DIALECTS``."""
    words: tuple[str, ...]
    """The program and its arguments. No shell runs them."""
    folder: Path | None = None
    """The folder in which it runs; None: that of this process."""

    def at(self, seat: Seat) -> list[str]:
        """Return the words for a bot that has this seat."""
        return [word.replace(SEAT, str(seat)) for word in self.words]

    @property
    def missing(self) -> str | None:
        """The program, or a script among its arguments, that does not exist; None if all of them do."""
        folder = self.folder or Path()
        program, *arguments = self.words
        if shutil.which(os.path.join(folder, program) if "/" in program else program) is None:
            return program
        scripts = (word for word in arguments if word.endswith(SCRIPTS) and SEAT not in word)
        return next((script for script in scripts if not (folder / script).is_file()), None)

    def open_session(self, name: str) -> Session:
        """Return the session of one game with a bot of this name."""
        return BOT_DIALECTS[self.dialect].open_session(Caller(name=name))


@value
class BotSeats:
    """Seats that built-in bots of one kind may fill at each table: ``efficiency:3``, ``mjai:alpha*2=python bot.py``."""

    kind: str
    """A policy, or the dialect of a child process."""
    most: int
    """The number of them that may sit at one table."""
    command: BotCommand | None = None
    """The command that starts each of them, for child processes."""
    name: str | None = None
    """The name that the operator gives them; None: they are numbered by their kind."""

    @property
    def label(self) -> str:
        """The name of these bots for people."""
        return self.name or self.kind


def read_command(dialect: str, text: str) -> BotCommand:
    """Split a command as a shell would; raises CommandError if it is empty or there is no such program.

    The name of a zip file alone is a command too: the file is unpacked, and its ``bot.py`` is started there.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise CommandError(f"{text!r}: {str(error).lower()}") from None
    if not words or not words[0]:
        raise CommandError(f"{text!r} is empty; expected a command, as in {BOT_COMMAND}")
    if len(words) == 1 and words[0].lower().endswith(SUFFIX):
        return _command_of_archive(dialect, words[0])
    if "/" not in words[0] and shutil.which(words[0]) is None:  # a path may be relative to another folder
        raise CommandError(f"{text!r}: there is no program {words[0]}")
    return BotCommand(dialect, words)


def _command_of_archive(dialect: str, path: str) -> BotCommand:
    """Return the command that starts the bot in a zip file, as mjai.app does; raises CommandError."""
    python = next(filter(None, map(shutil.which, PYTHONS)), sys.executable)
    try:
        return BotCommand(dialect, (os.path.abspath(python), "-u", BOT_FILE, SEAT), unpack(Path(path)))
    except ArchiveError as error:
        raise CommandError(f"{path!r}: {error}") from None


# Zip files of bots, as mjai.app takes them: bot.py at the top, and whatever it needs

SUFFIX = ".zip"
"""The end of the name of an archive."""

BOT_FILE = "bot.py"
"""The program that is started, at the top of the archive."""

MAX_FILES = 1_000
"""Maximum number of files and folders."""

MAX_UNPACKED = 1_073_741_824
"""Maximum size of all files together, in bytes: models are large."""

MAX_RATIO = 100
"""The maximum ratio of the files' size to that of the archive; archives of honest files stay far below."""

SMALL = 16_777_216
"""The size, in bytes, up to which the ratio does not matter."""

MAX_DIRECTORY = MAX_FILES * 1_024
"""Maximum size of the archive's own list of files, in bytes. ``ZipFile`` reads all of it at once."""

_MAX_PATH = 255
_CHUNK = 1_048_576
_ENCRYPTED = 1

_END = struct.Struct("<4s4H2LH")
"""The record at the end of an archive: signature, disks, counts, size and place of the list, length of a comment."""

_END_SIGNATURE, _ZIP64_SIGNATURE = b"PK\x05\x06", b"PK\x06\x07"
_ZIP64_SIZE = 20
_MAX_COMMENT = 65_535

_KINDS = frozenset((0, stat.S_IFREG, stat.S_IFDIR))
"""The kinds of file that are unpacked; archives of systems without such kinds have 0."""

_BROKEN = (
    BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    struct.error,
)
"""The errors that reading a broken archive raises."""


class ArchiveError(ValueError):
    """An archive that cannot be used, with a message of one line."""


def unpack(archive: Path) -> Path:
    """Unpack an archive, and return the folder, which is removed when this process ends.

    An archive comes from somebody else. Nothing of it is unpacked outside its own temporary folder, and all of it is
    bounded before and while it is unpacked.

    Raises ArchiveError if the archive is unreadable, too large, has no ``bot.py``, or has a file that is unsafe.
    """
    folder: Path | None = None
    try:
        with archive.open("rb") as file:
            size = _checked_size(file)
            with ZipFile(file) as opened:
                entries = opened.infolist()
                _check(entries, size)
                folder = Path(tempfile.mkdtemp(prefix="ump-bot-"))
                atexit.register(shutil.rmtree, folder, ignore_errors=True)
                for entry in entries:
                    _write(opened, entry, folder)
                return folder
    except BaseException as error:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, ArchiveError):
            raise
        if isinstance(error, OSError):
            raise ArchiveError(f"it cannot be unpacked: {error.strerror or error}") from None
        if isinstance(error, _BROKEN):
            raise ArchiveError(f"it is damaged: {error}") from None
        raise


def _checked_size(file: BinaryIO) -> int:
    """Return the size of an archive; raise ArchiveError if it is none, or if its list of files is too long to read."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _END.size - _MAX_COMMENT - _ZIP64_SIZE))
    tail = file.read()
    place = tail.rfind(_END_SIGNATURE)
    if place < 0 or len(tail) - place < _END.size:
        raise ArchiveError("it is no zip file")
    count, length = _END.unpack_from(tail, place)[4:6]
    is_huge = tail[max(0, place - _ZIP64_SIZE) : place].startswith(_ZIP64_SIGNATURE)
    if is_huge or count > MAX_FILES or length > MAX_DIRECTORY:
        raise ArchiveError(f"it has more than {MAX_FILES} files")
    return size


def _check(entries: Sequence[ZipInfo], packed: int) -> None:
    """Raise ArchiveError if these files may not be unpacked; ``packed`` is the size of the archive in bytes."""
    if len(entries) > MAX_FILES:
        raise ArchiveError(f"it has more than {MAX_FILES} files")
    for entry in entries:
        problem = _problem_of(entry)
        if problem is not None:
            raise ArchiveError(f"{entry.filename[:_MAX_PATH]!a} {problem}")
    total = sum(entry.file_size for entry in entries)
    if total > MAX_UNPACKED:
        raise ArchiveError(f"its files are larger than {MAX_UNPACKED >> 20} MiB")
    if total > max(SMALL, MAX_RATIO * packed):
        raise ArchiveError(f"its files are more than {MAX_RATIO} times as large as the zip file")
    names = [entry.filename for entry in entries]
    if BOT_FILE not in names:
        deeper = next((name for name in names if name.endswith(f"/{BOT_FILE}")), None)
        hint = "" if deeper is None else f", only {deeper!a}; pack the files, not the folder that they are in"
        raise ArchiveError(f"it has no {BOT_FILE} at its top{hint}")


def _problem_of(entry: ZipInfo) -> str | None:
    """Return why a file may not be unpacked, or None if it may."""
    name = entry.filename
    if not name.isprintable() or "\\" in name or ":" in name or len(name) > _MAX_PATH:
        return "is not a name for a file"
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        return "leads out of the folder"
    if stat.S_IFMT(entry.external_attr >> 16) not in _KINDS:
        return "is a link or a device"
    if entry.flag_bits & _ENCRYPTED:
        return "needs a password"
    return None


def _write(opened: ZipFile, entry: ZipInfo, folder: Path) -> None:
    """Write one file or folder. Nothing that exists already is replaced."""
    path = folder / PurePosixPath(entry.filename)
    if entry.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    left = entry.file_size
    with opened.open(entry) as source, path.open("xb") as target:
        while data := source.read(_CHUNK):
            left -= len(data)
            if left < 0:
                raise ArchiveError(f"{entry.filename!a} is larger than the zip file says")
            target.write(data)
    if entry.external_attr >> 16 & stat.S_IXUSR:
        path.chmod(0o700)
