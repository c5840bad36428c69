"""Bots in child processes: their commands, environment, games, failures and end."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from server.test_loopback import Client, as_a_robot
from support.memory_processes import MemoryProcess, ServerWithBots, server_with_bots
from support.memory_server import Robot, room, server_parts
from support.rows import each_row
from twisted.internet import reactor as installed
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.process import reapProcessHandlers
from twisted.internet.task import Clock, LoopingCall
from twisted.logger import LogEvent, LogLevel, capturedLogs, formatEvent
from twisted.trial.unittest import TestCase

from ump.net import child_process as child_module
from ump.net.bot_commands import BotCommand, BotSeats
from ump.net.child_process import ChildSessions
from ump.net.connection_limits import OpenConnections
from ump.net.limits import (
    DRAIN_SECONDS,
    IDLE_PER_SECOND,
    KILL_SECONDS,
    MAX_LOGGED,
    MAX_TAIL,
    MAX_UNSENT,
    PIPE_SECONDS,
    PLACE_SECONDS,
    QUIT_SECONDS,
    Limits,
)
from ump.net.lines import LineFactory
from ump.rules.presets import PRESETS
from ump.server import bots as children_module
from ump.server.bots import ChildBots, bot_seats
from ump.server.config import read_table
from ump.server.lobby import Lobby
from ump.server.open_line import gathering_of
from ump.server.room import Room
from ump.server.settings import ROOM_OPTIONS, ConfigError, RoomSettings
from ump.wire.json_text import MAX_OBJECT
from ump.wire.session import TableInfo

BOTS = Path(__file__).resolve().parent.parent / "support" / "bots"
reactor: Any = installed

ONE = room(house=["mjai:cat {seat} x{seat}y", "tsumogiri:2"], house_after=0, length="kyoku")
THREE = room(house=["mjai*3:cat"], house_after=0, length="kyoku")


def logged(events: Sequence[LogEvent], level: LogLevel) -> list[str]:
    """Return the log lines about child processes at a level."""
    said = [event for event in events if "child" in event and event["log_level"] is level]
    return [formatEvent(event) for event in said]


def start_game(server: ServerWithBots, until: str | None = None) -> tuple[Robot, MemoryProcess]:
    """Connect a client, play until the bot has received a message that contains ``until``, and return both."""
    robot = Robot(server.enter("a"))
    server.clock.advance(0)
    program = server.programs[-1]
    if until is not None:
        server.play([robot, program], until=lambda: any(until in line for line in program.lines))
    return robot, program


def finish(server: ServerWithBots, robot: Robot) -> None:
    """Play until the game ends, and let time pass where necessary."""
    for _ in range(200):
        server.play([robot, *server.programs])
        if "gameend" in robot.peer.words():
            return
        server.clock.advance(1)
    raise AssertionError("the game does not end")


# The operator's configuration.

EXPECTED_BOTS = "expected KIND:N with N from 1 to 9, as in tsumogiri:3, or a program, as in mjai:python bot.py {seat}"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("mjai:cat", BotSeats("mjai", 1, BotCommand("mjai", ("cat",)))),
        ("mjai*3:cat bot.py {seat}", BotSeats("mjai", 3, BotCommand("mjai", ("cat", "bot.py", "{seat}")))),
        ("mjai:old=cat", BotSeats("mjai", 1, BotCommand("mjai", ("cat",)), "old")),
        ("mjai-lines:o.2*2=cat x=y", BotSeats("mjai-lines", 2, BotCommand("mjai-lines", ("cat", "x=y")), "o.2")),
        ("mjai*3:old=cat", BotSeats("mjai", 3, BotCommand("mjai", ("cat",)), "old")),
        ("mjai:./a=b*3", BotSeats("mjai", 1, BotCommand("mjai", ("./a=b*3",)))),
        ("mjai-lines:./x 'a b' \"$c\"", BotSeats("mjai-lines", 1, BotCommand("mjai-lines", ("./x", "a b", "$c")))),
    ],
)
def test_commands(written: str, read: BotSeats, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry is a dialect, perhaps a number or a name, and a command that is split as a shell would."""
    monkeypatch.chdir(tmp_path)
    for name in ("bot.py", "a=b*3", "x"):
        Path(name).touch(0o700)
    assert read_table({"house": [written]}, ROOM_OPTIONS, "").values == {"house": (read,)}


@each_row(
    ("written", "complaint"),
    [
        ("mjai:", "'' is empty; expected a command, as in python bot.py {seat}"),
        ("mjai:''", "\"''\" is empty; expected a command, as in python bot.py {seat}"),
        ("mjai:cat 'x", '"cat \'x": no closing quotation'),
        ("mjai:no-such-program-here x", "'no-such-program-here x': there is no program no-such-program-here"),
        ("mjai:./no-such-bot x", "'./no-such-bot x': there is no file ./no-such-bot to run"),
        ("mjai:python no-such-bot.py {seat}", "'python no-such-bot.py {seat}': there is no file no-such-bot.py to run"),
        ("mjai*0:cat", "'mjai*0:cat' names no bots; " + EXPECTED_BOTS),
        ("mjai:old*2=", "'' is empty; expected a command, as in python bot.py {seat}"),
        ("mjai*2:old*3=cat", "'mjai*2:old*3=cat' says twice how many; expected mjai:old*3=COMMAND"),
        ("mjai:old*0=cat", "'old*0=cat': there is no program old*0=cat"),
        ("mjai[3]:cat", "'mjai[3]:cat' names no bots (did you mean mjai?); " + EXPECTED_BOTS),
    ],
)
def test_invalid_commands(written: str, complaint: str) -> None:
    """An invalid command is refused with a message of one line, before anything is started."""
    with pytest.raises(ConfigError) as caught:
        read_table({"house": [written]}, ROOM_OPTIONS, "")
    assert str(caught.value) == f"house: {complaint}"


@each_row(
    ("house", "taken", "names"),
    [
        (["mjai*2:cat", "mjai-lines:cat"], [], ["mjai-1", "mjai-2", "mjai-lines-1"]),
        (["mjai:old*2=cat", "mjai:new=cat"], [], ["old", "old-2", "new"]),
        (["mjai:old=cat", "mjai-lines:old*2=cat"], [], ["old", "old-2", "old-3"]),
        (["mjai:efficiency-1=cat", "efficiency*2"], [], ["efficiency-1", "efficiency-2", "efficiency-3"]),
        (["mjai:old*2=cat", "tsumogiri:1"], ["old", "tsumogiri-1"], ["old-2", "old-3", "tsumogiri-2"]),
        (["mjai:old*4=cat", "tsumogiri:1"], [], ["old", "old-2", "old-3", "tsumogiri-1"]),
    ],
)
def test_names(house: list[str], taken: list[str], names: list[str]) -> None:
    """The operator may name bots; the names at a table are unique, and at most three programs are started here."""
    seats = read_table({"house": house}, ROOM_OPTIONS, "").values["house"]
    assert seats is not None
    assert [bot.name for bot in bot_seats(seats, 3, taken)] == names


# Bots that play.


def test_command_and_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot gets its seat in its command, and no variable of the environment that could be secret."""
    monkeypatch.setattr(os, "environ", {"PATH": "/bin", "HOME": "/root", "UMP_PASSWORD": "x", "LD_PRELOAD": "y"})
    with server_with_bots(ONE) as server:
        robot, program = start_game(server)
        seats = next(line for line in robot.peer.heard() if " gamestart " in line).split()[3:]
        seat = seats.index("mjai-1")
        assert program.words == ["cat", str(seat), f"x{seat}y"]
        assert program.environment == {"PATH": "/bin", "HOME": "/root", "PYTHONUNBUFFERED": "1"}


class UnwatchedSessions(ChildSessions):
    """Sessions of processes that nobody watches."""

    def add(self, process: int) -> None:
        """Watch nothing."""

    def remove(self, process: int) -> None:
        """Forget nothing."""


def test_the_server_does_not_change_into_the_folder_of_a_bot(tmp_path: Path) -> None:
    """With a folder, Twisted forks the whole server, which blocks it; without one, it uses posix_spawn."""
    with server_with_bots(ONE) as server:
        server.children._sessions = UnwatchedSessions(Limits().child, server.machine)
        command = server.rooms[0].settings.house[0].command
        assert command is not None
        bot = server.children.start_later("cat", replace(command, folder=tmp_path))
        bot.sit(1, TableInfo("main-1", PRESETS["ump"]))
        (program,) = server.programs
        assert program.folder is None
        separator = program.words.index("--")
        assert program.words[separator - 1] == str(tmp_path)
        assert program.words[separator + 1] == "cat"
        program.exit()


def test_named_bots() -> None:
    """All players read the names of bots that the operator has named, and each bot knows its own."""
    with server_with_bots(room(house=["mjai:old*2=cat", "tsumogiri:1"], house_after=0, length="kyoku")) as server:
        robot, program = start_game(server)
        names = next(line for line in robot.peer.heard() if " gamestart " in line).split()[3:]
        assert sorted(names) == ["a", "old", "old-2", "tsumogiri-1"]
        (started,) = json.loads(program.lines[0])
        assert started["names"] == names
        assert names[started["id"]] in ("old", "old-2")


def test_a_whole_game() -> None:
    """A bot plays a whole game, receives its result, and ends when its input is closed; the log has no line at info."""
    with server_with_bots(ONE) as server, capturedLogs() as events:
        robot, program = start_game(server)
        finish(server, robot)
        assert '"type":"end_game"' in program.lines[-1]
        assert not program.is_open
        assert program.signals == []
        assert server.children.places == 64
        assert not logged(events, LogLevel.warn) + logged(events, LogLevel.info)
        ended = next(formatEvent(event) for event in events if "ends, {why}" in event["log_format"])
        assert "completed" in ended
        assert "late" not in ended
        assert "unreadable" not in ended


def test_a_bot_takes_its_time_beside_a_person() -> None:
    """A discard of a bot that answers at once comes as late as the room says, and no bot is late."""
    slow = room(house=["mjai*3:cat"], house_after=0, length="kyoku", bot_delay="2")
    with server_with_bots(slow) as server, capturedLogs() as events:
        robot = Robot(server.enter("a", "_person=1"))
        server.clock.advance(0)
        server.play([robot, *server.programs])
        assert robot.peer.words()[-1] == "tsumo"
        server.clock.advance(1.9)
        assert robot.peer.heard() == []
        server.clock.advance(0.1)
        assert " sutehai " in robot.peer.heard()[0]
        finish(server, robot)
        assert server.clock.seconds() > 100
        assert "late" not in next(formatEvent(event) for event in events if "ends, {why}" in event["log_format"])


def test_a_bot_crashes_while_it_takes_its_time() -> None:
    """The default replaces the answer that did not count yet, at once."""
    slow = room(house=["mjai*3:cat"], house_after=0, length="kyoku", bot_delay="2")
    with server_with_bots(slow) as server:
        robot = Robot(server.enter("a", "_person=1"))
        server.clock.advance(0)
        server.play([robot, *server.programs])
        drawer = robot.peer.lines[-1].split()[2]
        start = next(line for line in robot.peer.lines if " gamestart " in line).split()[3:]
        (program,) = (each for each in server.programs if f'"id":{"ABCD".index(drawer)}' in each.lines[0])
        program.exit(1)
        server.clock.advance(0)
        assert start and any(" sutehai " in line for line in robot.peer.heard())
        finish(server, robot)


def test_each_game_has_its_own_bots() -> None:
    """Each game of a client starts new bots."""
    with server_with_bots(THREE) as server:
        robot = Robot(server.enter("a", "_games=2"))
        server.clock.advance(0)
        finish(server, robot)
        server.clock.advance(1)
        server.play([robot, *server.programs])
        assert robot.peer.words().count("gamestart") == 2
        starts = [sum('"start_game"' in line for line in program.lines) for program in server.programs]
        assert starts == [1] * 6


@each_row("end", ["\n", "\r\n"])
def test_lines_in_pieces(end: str) -> None:
    """A line that arrives byte by byte is read when its end has come."""
    with server_with_bots(ONE) as server:
        robot, program = start_game(server)
        for character in '{"type":"none"}' + end:
            assert "kyokustart" not in robot.peer.words()
            program.prints(character)
            server.play([robot])
        assert "kyokustart" in robot.peer.words()


# Bots that fail.


def test_a_crash() -> None:
    """Default actions play the seat of a bot that crashes; the log has its status and standard error once."""
    with server_with_bots(ONE) as server, capturedLogs() as events:
        robot, program = start_game(server, until="start_kyoku")
        program.complains("Traceback\n  \x1b[31mKeyError\n")
        program.exit(1)
        finish(server, robot)
        assert logged(events, LogLevel.warn) == [
            "main-1: mjai-1 ended during its game, status 1; the end of its standard error:\nTraceback\n  [31mKeyError"
        ]
        assert logged(events, LogLevel.debug) == ["main-1: mjai-1: Traceback", "main-1: mjai-1:   [31mKeyError"]
        assert server.children.places == 64
        assert server.clock.seconds() == 0, "the others do not wait for the bot"


def test_a_program_that_cannot_be_started() -> None:
    """The table goes on without the bot, as after a crash."""
    with server_with_bots(ONE) as server, capturedLogs() as events:
        server.machine.error = FileNotFoundError(errno.ENOENT, "No such file or directory")
        robot = Robot(server.enter("a"))
        server.clock.advance(0)
        finish(server, robot)
        assert logged(events, LogLevel.warn) == [
            "main-1: mjai-1 ended during its game, cat could not be started: No such file or directory; "
            "its standard error is empty"
        ]
        assert server.children.places == 64


def test_a_bot_that_hangs() -> None:
    """The table waits three times for a bot that hangs, and logs it once; then SIGTERM and SIGKILL end the bot."""
    with server_with_bots(ONE) as server, capturedLogs() as events:
        robot, program = start_game(server, until="start_kyoku")
        program.complains("thinking")
        program.is_mute = True
        finish(server, robot)
        assert server.clock.seconds() < 3 * 30.5
        assert logged(events, LogLevel.warn) == ["main-1: mjai-1 is late; the end of its standard error:\nthinking"]
        server.clock.advance(1)
        assert not program.is_open
        server.clock.advance(QUIT_SECONDS)
        assert program.signals == ["TERM"]
        server.clock.advance(KILL_SECONDS)
        assert program.signals == ["TERM", "KILL"]
        assert logged(events, LogLevel.info) == [
            "main-1: mjai-1 ended, signal 9; the end of its standard error:\nthinking"
        ]
        assert server.children.places == 64


@each_row(
    ("printed", "message"),
    [
        (b"x" * (MAX_OBJECT + 1) + b"\n", "line too long"),
        (b"x" * (MAX_OBJECT + 2), "line too long"),
        (b"{}\n" * (IDLE_PER_SECOND + 2), "too many lines that answer nothing"),
    ],
)
def test_too_much_output(printed: bytes, message: str) -> None:
    """A bot that prints too much is dismissed; if it still goes on printing, it is killed."""
    with server_with_bots(ONE) as server, capturedLogs() as events:
        robot, program = start_game(server, until="start_kyoku")
        program.prints(printed)
        assert logged(events, LogLevel.warn) == [f"main-1: mjai-1: closed: {message}; its standard error is empty"]
        assert not program.is_open
        program.prints(b"x" * MAX_UNSENT)
        assert program.signals == []
        program.prints(b"x")
        assert program.signals == ["KILL"]
        finish(server, robot)
        assert len(logged(events, LogLevel.warn)) == 1


def test_the_longest_line() -> None:
    """A reply of MAX_OBJECT bytes is read."""
    with server_with_bots(ONE) as server:
        robot, program = start_game(server)
        text = b'{"type":"none","log":"' + b"x" * MAX_OBJECT
        program.prints(text[: MAX_OBJECT - 2] + b'"}\r\n')
        server.play([robot])
        assert "kyokustart" in robot.peer.words()


def test_unreadable_output() -> None:
    """The default replaces an unreadable answer at once."""
    with server_with_bots(ONE) as server, capturedLogs() as events:
        robot, program = start_game(server)
        program.is_mute = True
        for _ in range(1_000):
            server.play([robot])
            if program.arrays():
                program.prints(b"\xff[}\n")
        assert server.clock.seconds() == 0
        assert "gameend" in robot.peer.words()
        ended = next(formatEvent(event) for event in events if "ends, {why}" in event["log_format"])
        assert "unreadable" in ended


def test_a_bot_that_does_not_read() -> None:
    """A bot is killed when more than MAX_UNSENT bytes wait for it."""
    with server_with_bots(ONE) as server, capturedLogs() as events:
        _, program = start_game(server)
        child = program.child
        child.pauseProducing()
        child.send(["x" * (MAX_UNSENT - 1)])
        assert program.signals == []
        child.send([""])
        assert program.signals == ["KILL"]
        assert "main-1: mjai-1: closed: it does not read its standard input" in logged(events, LogLevel.warn)[0]


def test_a_bot_that_reads_late() -> None:
    """Messages that were kept for a slow bot are sent in order."""
    with server_with_bots(ONE) as server:
        _, program = start_game(server)
        assert program.producer is not None
        program.child.pauseProducing()
        before = len(program.lines)
        said = [f'[{{"type":"{name}"}}]' for name in ("one", "two", "three")]
        program.child.send(said[:1])
        program.child.send(said[1:])
        assert len(program.lines) == before
        program.child.resumeProducing()
        assert program.lines[before:] == said


def test_pipes_held_by_grandchildren() -> None:
    """A bot's own children do not keep its place after its end, even if they hold its pipes open."""
    with server_with_bots(ONE) as server:
        _, program = start_game(server, until="start_kyoku")
        program.exit(1, pipes_stay=True)
        assert server.children.places == 63
        server.clock.advance(PIPE_SECONDS)
        assert server.children.places == 64


def test_limits_of_standard_error() -> None:
    """The server keeps the last MAX_TAIL bytes of a bot's standard error, and logs MAX_LOGGED lines."""
    with server_with_bots(ONE) as server, capturedLogs() as events:
        _, program = start_game(server)
        for number in range(MAX_LOGGED + 50):
            program.complains(f"{number:09}\n")
        program.complains(b"y" * 100_000)
        assert len(logged(events, LogLevel.debug)) == MAX_LOGGED
        assert program.child.last_words.text == "y" * MAX_TAIL


# Tables with bots.


def test_bots_alone_play_no_game() -> None:
    """When the last client leaves, the game is abandoned and its bots are dismissed."""
    with server_with_bots(THREE) as server, capturedLogs() as events:
        robot, _ = start_game(server, until="start_kyoku")
        robot.peer.hang_up()
        server.clock.advance(1)
        assert [program.is_open for program in server.programs] == [False] * 3
        assert "abandoned" in next(formatEvent(event) for event in events if "ends, {why}" in event["log_format"])


def test_the_limit_of_child_processes() -> None:
    """A table that needs more bots than may be started waits until other bots have ended."""
    with server_with_bots(THREE, children=4) as server, capturedLogs() as events:
        first = Robot(server.enter("a"))
        server.clock.advance(0)
        second = Robot(server.enter("b"))
        server.clock.advance(100)
        assert len(server.programs) == 3
        assert [event["room"] for event in events if "cannot fill" in event["log_format"]] == ["main"]
        finish(server, first)
        server.play([*server.programs])
        server.clock.advance(PLACE_SECONDS)
        assert len(server.programs) == 6
        assert "gamestart" in second.peer.words()


def test_other_bots_complete_the_table() -> None:
    """If a child process may not be started, the next bots in the room's list take its seat."""
    with server_with_bots(room(house=["mjai*2:cat", "tsumogiri:3"], house_after=0), children=1) as server:
        robot, _ = start_game(server)
        names = next(line for line in robot.peer.heard() if " gamestart " in line).split()[3:]
        assert sorted(names) == ["a", "mjai-1", "tsumogiri-1", "tsumogiri-2"]


def test_numbers_in_names() -> None:
    """Bots of one kind are numbered over all entries of the list."""
    with server_with_bots(room(house=["mjai:cat 1", "mjai*2:cat 2"], house_after=0)) as server:
        robot, _ = start_game(server)
        names = next(line for line in robot.peer.heard() if " gamestart " in line).split()[3:]
        assert sorted(names) == ["a", "mjai-1", "mjai-2", "mjai-3"]


def test_stopping() -> None:
    """A server that stops closes its bots' input, kills the bots that do not end, and waits for all."""
    with server_with_bots(THREE) as server:
        start_game(server, until="start_kyoku")
        server.lobby.close()
        ends: list[None] = []
        server.children.stopService().addCallback(ends.append)
        obedient, slow, stubborn = server.programs
        assert [program.is_open for program in server.programs] == [False] * 3
        obedient.exit()
        server.clock.advance(QUIT_SECONDS)
        assert (slow.signals, stubborn.signals) == (["TERM"], ["TERM"])
        slow.exit(signal=15)
        assert not ends
        server.clock.advance(DRAIN_SECONDS - QUIT_SECONDS)
        assert stubborn.signals == ["TERM", "KILL"]
        assert ends == [None]


# Real processes.


class HurriedReactor(Clock):
    """The reactor of the test, but its time passes a hundred times faster once ``is_late``."""

    def __init__(self, is_late: Callable[[], bool]) -> None:
        super().__init__()
        self._is_late = is_late
        self._before = reactor.seconds()
        self._passing = LoopingCall(self._pass)
        self._passing.start(0.005)
        self.stop = self._passing.stop

    def _pass(self) -> None:
        now = reactor.seconds()
        passed, self._before = now - self._before, now
        self.advance(passed * 100 if self._is_late() else passed)

    def __getattr__(self, name: str) -> Any:
        return getattr(reactor, name)


class ProcessTests(TestCase):
    """Bots in real processes, and a server on a port that the system chooses."""

    timeout = 60

    def serve(self, settings: RoomSettings, reactor: Any = reactor) -> int:
        """Open a room, and return its port. After the test, check that all bots have ended."""
        limits = Limits()
        connections = OpenConnections(limits)
        children = ChildBots(limits, reactor, sessions=ChildSessions(limits.child, reactor))
        parts = server_parts(reactor, limits, children=children)
        lobby = Lobby([Room(settings, parts, gathering_of)], parts.tokens)
        factory = LineFactory("listen", [settings.info], lobby, connections, reactor)
        port = reactor.listenTCP(0, factory, interface="127.0.0.1")
        self.addCleanup(self._no_child_is_left)
        self.addCleanup(children.stopService)
        self.addCleanup(lobby.close)
        self.addCleanup(port.stopListening)
        return int(port.getHost().port)

    def _no_child_is_left(self) -> None:
        assert not reapProcessHandlers

    async def play(self, *bots: str, hurry_at: str | None = None) -> tuple[list[str], list[LogEvent]]:
        """Play a kyoku with these bots; return the client's lines with the final scores, and the log.

        The bots have more time than a busy machine takes to start them. It passes faster after the line ``hurry_at`` of
        the log.
        """
        for seconds in ("QUIT_SECONDS", "KILL_SECONDS"):
            self.patch(child_module, seconds, 0.3)
        entries = [f"mjai:{sys.executable} {BOTS / 'batch.py'} {{seat}} {bot}" for bot in bots]
        settings = room(house=[*entries, "tsumogiri:3"], house_after=0, length="kyoku", time="30+0")
        with capturedLogs() as events:
            hurried = HurriedReactor(lambda: any(formatEvent(event) == hurry_at for event in events))
            self.addCleanup(hurried.stop)
            port = self.serve(settings, hurried)
            client = Client()
            await connectProtocol(TCP4ClientEndpoint(reactor, "127.0.0.1", port), client)
            client.answer = as_a_robot
            client.say("0 hello ump=0.1 name=me")
            await client.gone
        return [line for line in client.lines if " gameend " in line], list(events)

    async def test_bots_without_faults(self) -> None:
        """Two bots that read arrays and one that reads lines play to the end, and nothing is logged about them."""
        self.patch(children_module, "DRAIN_SECONDS", 5)
        lines = f"mjai-lines:{sys.executable} {BOTS / 'lines.py'} {{seat}}"
        batch = f"mjai*2:{sys.executable} {BOTS / 'batch.py'} {{seat}}"
        port = self.serve(room(house=[lines, batch], house_after=0, length="kyoku", time="60+0"))
        with capturedLogs() as events:
            client = Client()
            await connectProtocol(TCP4ClientEndpoint(reactor, "127.0.0.1", port), client)
            client.answer = as_a_robot
            client.say("0 hello ump=0.1 name=me")
            await client.gone
            await _seconds(0)
        (ended,) = [formatEvent(event) for event in events if "ends, {why}" in event["log_format"]]
        assert "completed" in ended
        assert "(" not in ended, "a bot was late or wrong"
        assert not logged(events, LogLevel.warn)

    async def test_bots_that_crash(self) -> None:
        """The game ends normally with a bot that crashes at once, and one that crashes later."""
        ends, events = await self.play("crash 0", "crash 3")
        assert len(ends) == 1
        assert sorted(logged(events, LogLevel.warn)) == [
            "main-1: mjai-1 ended during its game, status 3; the end of its standard error:\ncannot go on",
            "main-1: mjai-2 ended during its game, status 3; the end of its standard error:\ncannot go on",
        ]

    async def test_a_bot_that_is_late(self) -> None:
        """The game ends normally with a bot that answers no more."""
        ends, events = await self.play("hang 3", hurry_at="main-1: mjai-1: thinking")
        assert len(ends) == 1
        assert logged(events, LogLevel.warn) == [
            "main-1: mjai-1 is late; the end of its standard error:\nthinking",
        ]

    async def test_bots_with_wrong_output(self) -> None:
        """The game ends normally with a bot that prints endless lines, one endless line, or nonsense."""
        ends, events = await self.play("flood 2", "stream 2", "rave 2")
        assert len(ends) == 1
        assert sorted(logged(events, LogLevel.warn)) == [
            "main-1: mjai-1: closed: too many lines that answer nothing; its standard error is empty",
            "main-1: mjai-2: closed: line too long; its standard error is empty",
        ]

    async def test_a_bot_that_ignores_sigterm(self) -> None:
        """A bot that ignores the end of its input and SIGTERM is killed."""
        ends, _ = await self.play("rest 2")
        assert len(ends) == 1


def _seconds(seconds: float) -> Deferred[None]:
    """Return a Deferred that fires after this many seconds."""
    waited: Deferred[None] = Deferred()
    reactor.callLater(seconds, waited.callback, None)
    return waited
