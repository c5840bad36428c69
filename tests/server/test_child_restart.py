"""Bots as child processes after a restart of the server: they are started anew, and go on with their games."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from support.memory_processes import ServerWithBots, server_with_bots
from support.memory_server import Robot, journal_folder, room
from support.rows import each_row

from ump.net.bot_commands import BotCommand, BotSeats
from ump.record.journal import check_journal, read_journal
from ump.server.bots import command_of
from ump.server.journals import FINISHED
from ump.server.settings import RoomSettings
from ump.table.chair import Presence

BOTS = room(length="kyoku", house=[f"mjai:alpha={sys.executable}", "tsumogiri:2"], house_after=0)


def interrupted(folder: Path, *, crash: bool = False) -> tuple[str, int, list[str]]:
    """Play a part of a recorded game; return the client's token, the bot's seat, and what the bot has received."""
    journals = journal_folder(folder)
    with server_with_bots(BOTS, recorder_of=journals.create) as server:
        robot = Robot(server.enter("a", "_resume=1"))
        server.clock.advance(0)
        (program,) = server.programs
        server.play([robot, program], until=lambda: robot.peer.words().count("sutehai") >= 9)
        if crash:
            program.exit()
            server.clock.advance(1)
        (path,) = folder.glob("*.journal")
        written = path.read_bytes()
        seat = server.table.opening.players.index("alpha")
        token = next(line.split()[2] for line in robot.peer.lines if " _resume " in line)
        lines = program.lines
    for left in folder.iterdir():
        left.unlink()
    path.write_bytes(written)
    return token, seat, lines


@contextmanager
def restarted(folder: Path, settings: RoomSettings = BOTS) -> Iterator[ServerWithBots]:
    """Open another server, which goes on with the game of the folder."""
    journals = journal_folder(folder)
    with server_with_bots(settings, recorder_of=journals.create) as server:
        ((path, journal),) = journals.unfinished()
        server.rooms[0].restore(journal, partial(journals.reopen, path, journal))
        server.clock.advance(0)
        yield server


def finish(server: ServerWithBots, token: str, folder: Path) -> None:
    """Let the client come back and the game end; its record fits the rules."""
    robot = Robot(server.connect())
    robot.peer.say(f"0 hello ump=0.1 _resume={token}")
    for _ in range(200):
        server.play([robot, *server.programs])
        if "gameend" in robot.peer.words():
            break
        server.clock.advance(1)
    (path,) = folder.glob(f"*{FINISHED}")
    check_journal(read_journal(gzip.decompress(path.read_bytes())))


def test_a_bot_is_started_anew(tmp_path: Path) -> None:
    """It receives the start of the game and the kyoku so far, and answers again."""
    token, seat, before = interrupted(tmp_path)
    with restarted(tmp_path) as server:
        (program,) = server.programs
        table = server.table
        assert table._host.table.chairs[seat].presence is Presence.PRESENT
        finish(server, token, tmp_path)
        again = "".join(program.lines)
        for told in ("start_game", "start_kyoku", "end_game"):
            assert again.count(f'"type":"{told}"') == 1
        first = next(line for line in before if "start_kyoku" in line)
        assert first[first.index('{"type":"start_kyoku"') : first.index('{"type":"tsumo"')] in again
        assert table._host.table.chairs[seat].timeouts == 0


def test_a_bot_that_had_ended_stays_away(tmp_path: Path) -> None:
    """A bot that dies in a game is not started again."""
    token, seat, _ = interrupted(tmp_path, crash=True)
    with restarted(tmp_path) as server:
        assert server.programs == []
        assert server.table._host.table.chairs[seat].presence is Presence.GONE
        finish(server, token, tmp_path)


def test_a_bot_that_the_room_has_no_more(tmp_path: Path) -> None:
    """Nobody waits for a bot whose command has gone."""
    token, seat, _ = interrupted(tmp_path)
    with restarted(tmp_path, room(length="kyoku", house=["tsumogiri:3"], house_after=0)) as server:
        assert server.programs == []
        assert server.table._host.table.chairs[seat].presence is Presence.GONE
        finish(server, token, tmp_path)


_FIRST, _SECOND = BotCommand("mjai", ("one",)), BotCommand("mjai-lines", ("two",))

_HOUSE = (BotSeats("tsumogiri", 1), BotSeats("mjai", 2, _FIRST, "alpha"), BotSeats("mjai-lines", 2, _SECOND))


@each_row(
    ("dialect", "name", "command"),
    [
        ("mjai in batches", "alpha", _FIRST),
        ("mjai in batches", "alpha-2", _FIRST),
        ("mjai in batches", "beta", None),
        ("mjai in batches", "alpha-x", None),
        ("mjai line by line", "alpha", None),
        ("mjai line by line", "mjai-lines-1", _SECOND),
        ("mjai line by line", "mjai-lines", None),
    ],
)
def test_commands_of_names(dialect: str, name: str, command: BotCommand | None) -> None:
    """The name in a record leads to the command of its bot."""
    assert command_of(_HOUSE, dialect, name) == command
