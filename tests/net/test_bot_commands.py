"""Bots in zip files: honest ones, and such as would harm the machine that unpacks them."""

from __future__ import annotations

import stat
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.budgets import few
from support.memory_processes import server_with_bots
from support.memory_server import Robot, room, settings_of
from support.rows import each_row
from twisted.internet.testing import MemoryReactorClock

from ump.net import bot_commands
from ump.net.bot_commands import MAX_FILES, ArchiveError, BotCommand, CommandError, read_command, unpack
from ump.net.limits import Limits
from ump.server.service import Server

BOT = 'print(\'{"type":"none"}\')\n'


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own for temporary files."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def archive_of(folder: Path, *entries: tuple[str | ZipInfo, bytes | str]) -> Path:
    """Write an archive of these files."""
    path = folder / "bot.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as opened:
        for name, content in entries:
            opened.writestr(name, content)
    return path


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> ZipInfo:
    """Return the entry of a file with this mode."""
    info = ZipInfo(name)
    info.external_attr = mode << 16
    return info


def test_an_archive_is_unpacked(tmp_path: Path, scratch: Path) -> None:
    """Folders and programs are kept; the bot runs in a folder that others cannot read."""
    path = archive_of(
        tmp_path, ("bot.py", BOT), ("model/", ""), ("model/a.bin", b"\0\1"), (entry("run", stat.S_IFREG | 0o755), "x")
    )
    folder = unpack(path)
    assert folder.parent == scratch
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / "bot.py").read_text(encoding="utf-8") == BOT
    assert (folder / "model" / "a.bin").read_bytes() == b"\0\1"
    assert [bool((folder / name).stat().st_mode & stat.S_IXUSR) for name in ("run", "bot.py")] == [True, False]


def test_the_command_of_an_archive(tmp_path: Path) -> None:
    """It is that of mjai.app, with the folder as its own; other words beside the archive make it a plain command."""
    path = archive_of(tmp_path, ("bot.py", BOT))
    command = read_command("mjai", str(path))
    assert command.folder is not None
    assert command.at(2)[1:] == ["-u", "bot.py", "2"]
    assert read_command("mjai", f"cat {path}") == BotCommand("mjai", ("cat", str(path)))


def test_a_server_starts_it_there(tmp_path: Path) -> None:
    """Every bot of an archive runs in its folder, under the name that the operator has given."""
    path = archive_of(tmp_path, ("bot.py", BOT))
    with server_with_bots(room(house=[f"mjai:zipped*3={path}"], house_after=0, length="kyoku")) as server:
        robot = Robot(server.enter("a"))
        server.clock.advance(0)
        folders = {program.folder for program in server.programs}
        names = next(line for line in robot.peer.heard() if " gamestart " in line).split()[3:]
        assert sorted(names) == ["a", "zipped", "zipped-2", "zipped-3"]
        (folder,) = folders
        assert folder is not None
        assert (folder / "bot.py").exists()


def test_the_server_removes_the_folder(tmp_path: Path, scratch: Path) -> None:
    """A signal may end the process right after the server has stopped, so the server removes the folder itself."""
    reactor = MemoryReactorClock()
    rooms = (room(house=[f"mjai:{archive_of(tmp_path, ('bot.py', BOT))}"]),)
    server = Server(settings_of((), rooms=rooms, limits=Limits()), reactor)
    server.startService()
    assert len(list(scratch.iterdir())) == 1
    server.stopService()
    reactor.advance(60)
    assert not list(scratch.iterdir())


WRONG: list[tuple[tuple[tuple[str | ZipInfo, bytes | str], ...], str]] = [
    ((), "it has no bot.py at its top"),
    ((("main.py", BOT),), "it has no bot.py at its top"),
    (
        (("a/bot.py", BOT),),
        "it has no bot.py at its top, only 'a/bot.py'; pack the files, not the folder that they are",
    ),
    ((("bot.py", BOT), ("../x", "")), "'../x' leads out of the folder"),
    ((("bot.py", BOT), ("a/../../x", "")), "'a/../../x' leads out of the folder"),
    ((("bot.py", BOT), ("/etc/x", "")), "'/etc/x' leads out of the folder"),
    ((("bot.py", BOT), ("//etc/x", "")), "'//etc/x' leads out of the folder"),
    ((("bot.py", BOT), ("C:x", "")), "'C:x' is not a name for a file"),
    ((("bot.py", BOT), ("..\\x", "")), "'..\\\\x' is not a name for a file"),
    ((("bot.py", BOT), ("a\nb", "")), "'a\\nb' is not a name for a file"),
    ((("bot.py", BOT), ("a" * 300, "")), f"'{'a' * 255}' is not a name for a file"),
    ((("bot.py", BOT), (entry("x", stat.S_IFLNK | 0o777), "/etc")), "'x' is a link or a device"),
    (((entry("bot.py", stat.S_IFLNK | 0o777), "/etc/passwd"),), "'bot.py' is a link or a device"),
    ((("bot.py", BOT), (entry("x", stat.S_IFIFO), "")), "'x' is a link or a device"),
    ((("bot.py", BOT), ("bot.py/x", "")), "it cannot be unpacked: "),
    ((("bot.py", BOT), ("x", b"\0" * 20_000_000)), "its files are more than 100 times as large as the zip file"),
    ((("bot.py", BOT), *((f"x{number}", "") for number in range(MAX_FILES))), "it has more than 1000 files"),
]


@each_row(("entries", "complaint"), WRONG)
def test_hostile_archives(
    tmp_path: Path, scratch: Path, entries: tuple[tuple[str | ZipInfo, bytes | str], ...], complaint: str
) -> None:
    """They are refused with one line, and nothing of them is left."""
    path = archive_of(tmp_path, *entries)
    with pytest.raises(CommandError) as caught:
        read_command("mjai", str(path))
    assert str(caught.value).startswith(f"{str(path)!r}: {complaint}")
    assert "\n" not in str(caught.value)
    assert not list(scratch.iterdir())
    assert sorted(each.name for each in tmp_path.iterdir()) == ["bot.zip", "scratch"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_nothing_is_replaced(tmp_path: Path, scratch: Path) -> None:
    """Two files of one name are refused."""
    with pytest.raises(ArchiveError, match="it cannot be unpacked: File exists"):
        unpack(archive_of(tmp_path, ("bot.py", BOT), ("bot.py", "x")))
    assert not list(scratch.iterdir())


def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sum of all files counts."""
    monkeypatch.setattr(bot_commands, "MAX_UNPACKED", 3 << 20)
    path = archive_of(tmp_path, ("bot.py", BOT), ("x", bytes(2 << 20)), ("y", bytes(2 << 20)))
    with pytest.raises(ArchiveError, match="its files are larger than 3 MiB"):
        unpack(path)


def encrypted(data: bytes) -> bytes:
    """Set the flag of encryption in both headers of the first file."""
    return data.replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01").replace(
        b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"
    )


def with_count(data: bytes, count: int, length: int) -> bytes:
    """Change what the end of an archive says about its list of files."""
    at = data.rindex(b"PK\x05\x06")
    return data[: at + 8] + struct.pack("<HHL", count, count, length) + data[at + 16 :]


DAMAGES: list[tuple[Callable[[bytes], bytes], str]] = [
    (lambda data: b"", "it is no zip file"),
    (lambda data: BOT.encode(), "it is no zip file"),
    (lambda data: data[:-1], "it is no zip file"),
    (lambda data: data[: len(data) // 2], "it is no zip file"),
    (lambda data: data[30:], "it cannot be unpacked: "),
    (lambda data: data.replace(b"bot.py", b"bot.pz", 1), "it is damaged: "),
    (lambda data: data[:40] + b"\xff\xff\xff" + data[43:], "it is damaged: "),
    (encrypted, "'bot.py' needs a password"),
    (lambda data: with_count(data, 65_535, 46), "it has more than 1000 files"),
    (lambda data: with_count(data, 1, 1 << 30), "it has more than 1000 files"),
    (lambda data: data[:-22] + b"PK\x06\x07" + bytes(16) + data[-22:], "it has more than 1000 files"),
]


@each_row(("damage", "complaint"), DAMAGES)
def test_damaged_archives(tmp_path: Path, scratch: Path, damage: Callable[[bytes], bytes], complaint: str) -> None:
    """They are refused with one line, and nothing of them is left."""
    path = archive_of(tmp_path, ("bot.py", BOT * 20))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ArchiveError) as caught:
        unpack(path)
    assert str(caught.value).startswith(complaint)
    assert not list(scratch.iterdir())


@pytest.mark.no_cover
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=few(300))
@given(changes=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=4))
def test_any_bytes(tmp_path: Path, scratch: Path, changes: list[tuple[int, int]]) -> None:
    """An archive with changed bytes is unpacked inside its folder or refused."""
    data = bytearray(archive_of(tmp_path, ("bot.py", BOT * 3), ("a/b", "x")).read_bytes())
    for place, byte in changes:
        data[place % len(data)] = byte
    path = tmp_path / "changed.zip"
    path.write_bytes(data)
    try:
        folder = unpack(path)
    except ArchiveError:
        return
    assert folder.parent == scratch
