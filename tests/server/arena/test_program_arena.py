"""Arenas with programs: children on pipes, bots that connect, and what happens when they fail."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support import programs
from support.memory_processes import ProcessReactor, reply
from twisted.internet.defer import ensureDeferred
from twisted.internet.task import Clock

from ump.arena.arena_setup import ArenaSetup, round_robin
from ump.arena.block_play import watched_player
from ump.arena.blocks import ArenaPlayer, Block, PlannedBlock
from ump.arena.watched import AnswerCounts
from ump.cli.main import main
from ump.net import child_process as child_module
from ump.net.child_process import ChildSessions
from ump.net.connection_limits import OpenConnections
from ump.net.limits import ChildLimits, Limits
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.server import program_arena
from ump.server.bots import ChildBots
from ump.server.player_connection import PlayerConnection
from ump.server.program_arena import (
    LEFT,
    ArenaParts,
    ChildProgram,
    Program,
    ProgramArena,
    ProgramGame,
    ProgramTable,
    read_program,
)
from ump.server.seat_tokens import SeatTokens
from ump.server.settings import RoomSettings
from ump.server.spectators import SpectatorTurns
from ump.table import clock as clock_module
from ump.table.clock import TimeControl
from ump.table.table import Table

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[3]
BOTS = ROOT / "tests/support/bots"
LINES = f"mjai-lines:{sys.executable} {BOTS / 'lines.py'} {{seat}}"
BATCH = f"mjai:{sys.executable} {BOTS / 'batch.py'} {{seat}}"
OVER_UMP = f"connect:{sys.executable} {ROOT / 'clients/tsumogiri.py'} 127.0.0.1:{{listen}} --name {{name}}"
LOSING = f"connect:{sys.executable} {BOTS / 'losing.py'}"
OVER_MJAI = f"connect:{sys.executable} {ROOT / 'clients/tsumogiri_mjai.py'} mjsonp://127.0.0.1:{{mjai}}/default"

UNHURRIED = TimeControl(60, 0)


@pytest.fixture(autouse=True)
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a game look every few milliseconds whether the process of a lost connection has ended, too."""
    monkeypatch.setattr(program_arena, "LOOK_SECONDS", 0.05)


def run(*arguments: str) -> Result:
    """Run the command with short games, in which few faults are more than a tenth of the answers."""
    short = ["--set", "length=kyoku", "--jobs", "2", "--games", "4", "--keep-going"]
    return CliRunner().invoke(main, ["arena", "run", *short, *arguments])


def planned(blocks: int) -> list[PlannedBlock]:
    """Return the first blocks of two players."""
    listed = round_robin(2, 4)
    return [PlannedBlock(number, listed[number % 2]) for number in range(blocks)]


def children() -> set[str]:
    """Return the processes that this one has started, without the one that lists them."""
    listed = subprocess.run(["ps", "-eo", "ppid=,pid=,comm="], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in listed.splitlines())
    return {process for parent, process, *name in rows if parent == str(os.getpid()) and name != ["ps"]}


def blocks(folder: Path) -> list[dict[str, Any]]:
    """Return the blocks of a folder."""
    return [json.loads(line) for line in (folder / "blocks.jsonl").read_text(encoding="utf-8").splitlines()[1:]]


def players(result: Result) -> dict[str, dict[str, Any]]:
    """Return the players of a JSON report, by name."""
    assert (result.stderr, result.exit_code) == ("", 0)
    return {player["name"]: player for player in json.loads(result.stdout)["players"]}


def arena_of(kind: str, *others: str, times: TimeControl = UNHURRIED, preset: str = "tenhou") -> ProgramArena:
    """Return an arena of one program and policies, of single kyoku."""
    kinds = (kind, *others)
    ruleset = replace(PRESETS[preset], length=Length.KYOKU)
    setup = ArenaSetup(
        tuple(ArenaPlayer(f"p{at}", each) for at, each in enumerate(kinds)), ruleset, "s", (1, 0, 0, -1), "round-robin"
    )
    programs: dict[int, Program] = {}
    for at, each in enumerate(kinds):
        program = read_program(each)
        if program is not None:
            programs[at] = program
    return ProgramArena(setup, programs, times, lambda: 0.0)


@pytest.fixture(scope="module")
def policy_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an arena in which a policy plays that discards what it draws."""
    folder = tmp_path_factory.mktemp("policy")
    players(run("--player", "x=tsumogiri", "efficiency", "--json", "--out", str(folder)))
    return folder


@pytest.mark.parametrize("kind", [LINES, BATCH, OVER_UMP, OVER_MJAI], ids=["lines", "batch", "ump", "mjai"])
def test_a_program_plays_as_the_policy_does(kind: str, policy_games: Path, tmp_path: Path) -> None:
    """A program that discards what it draws has the results of the policy that does the same, on the same walls."""
    found = players(run("--player", f"x={kind}", "efficiency", "--json", "--out", str(tmp_path)))
    assert [found["x"][fault] for fault in ("crashes", "refusals", "timeouts", "first_error")] == [0, 0, 0, ""]
    assert found["x"]["answers"] > 10
    assert_same_games(tmp_path, policy_games)


def assert_same_games(program: Path, policy: Path) -> None:
    """Check that the games of a program and of a policy are the same, but for their counts."""
    for played, policies in zip(blocks(program), blocks(policy), strict=True):
        for ours, theirs in zip(played["games"], policies["games"], strict=True):
            assert {**ours, "counts": None} == {**theirs, "counts": None}
    logs = [sorted((folder / "games").iterdir()) for folder in (program, policy)]
    assert [path.read_bytes() for path in logs[0]] == [path.read_bytes() for path in logs[1]]


@pytest.mark.parametrize(
    ("kind", "crashes"),
    [
        (f"{BATCH} crash 9", 8),
        (f"{LOSING} 127.0.0.1:{{listen}} cut {{marks}} {{name}}", 4),
        pytest.param(
            f"{LOSING} mjsonp://127.0.0.1:{{mjai}}/default exit {{marks}} {{name}}", 4, marks=pytest.mark.long
        ),
    ],
    ids=["pipes", "token", "new"],
)
def test_a_program_comes_back(kind: str, crashes: int, policy_games: Path, tmp_path: Path) -> None:
    """A program that ends or loses its connection goes on where it was, and plays as if nothing had happened."""
    program = f"x={kind.replace('{marks}', str(tmp_path))}"
    found = players(run("--player", program, "efficiency", "--json", "--out", str(tmp_path / "program")))
    assert_same_games(tmp_path / "program", policy_games)
    faults = [found["x"][fault] for fault in ("crashes", "refusals", "timeouts")]
    assert faults == [crashes, 0, 0]
    assert found["x"]["first_error"]


def test_a_program_that_crashes_again_and_again() -> None:
    """After three returns its seat is played by the defaults."""
    with arena_of(f"{BATCH} crash 0", "tsumogiri") as arena:
        block, _ = next(arena.results(planned(1), 1))
    assert [game.counts[game.seating.index(0)]["crashes"] for game in block.games] == [4, 4, 4, 4]


def test_a_bot_that_somebody_else_starts_comes_back() -> None:
    """A bot without a token gets the lost seat, before games that have not begun; nobody else's token opens it."""
    with arena_of("wait:mjai=0,listen=0", "tsumogiri") as arena:
        (invitation,) = arena.invitations
        ports = {option: int(address.rpartition(":")[2]) for option, address in addresses(invitation)}
        played = arena.results(planned(1), 1)
        blocks = Thread(target=lambda: found.append(next(played)[0]))
        found: list[Block] = []
        blocks.start()
        with socket.create_connection(("127.0.0.1", ports["mjai"]), timeout=60) as lost, lost.makefile("rw") as lines:
            lines.readline()
            lines.write('{"type":"join","name":"lost","room":"default"}\n')
            lines.flush()
            while "start_kyoku" not in (line := lines.readline()):
                lines.write('{"type":"none"}\n')
                lines.flush()
        assert b"unknown%20token" in greeted(ports["listen"], b"0 hello ump=0.1 name=x _resume=" + b"0" * 32)
        for _ in range(4):
            client = programs.run(
                str(ROOT / "clients/tsumogiri_mjai.py"), f"mjsonp://127.0.0.1:{ports['mjai']}/default"
            )
            assert client.returncode == 0
        blocks.join()
    assert [game.counts[game.seating.index(0)].get("crashes", 0) for game in found[0].games] == [1, 0, 0, 0]
    assert line


def test_faults_end_no_arena(tmp_path: Path) -> None:
    """A crash, and a bot that never comes, are counted for each game, and explained; the others play on."""
    given = ("--schedule", "duplicate", "--json", "--out", str(tmp_path))
    crash, never = f"crash={BATCH} crash 8", f"never=connect:{sys.executable} -c 'print(\"no model\"); 1/0' {{http}}"
    found = players(run("--player", crash, "--player", never, "--player", f"well={LINES}", "efficiency", *given))
    assert (found["crash"]["crashes"], found["never"]["crashes"]) == (10, 4)
    assert found["well"]["crashes"] == found["efficiency"]["crashes"] == 0
    assert found["crash"]["first_error"] == "it ended during its game, status 3: cannot go on"
    assert found["never"]["first_error"].startswith("it ended before it said hello, status 1: ZeroDivisionError")


def test_an_arena_goes_on(tmp_path: Path) -> None:
    """``--resume`` plays what is missing, and refuses another time, which is one of the conditions."""
    given = ("--player", f"x={LINES}", "tsumogiri", "--json", "--out", str(tmp_path))
    players(run(*given))
    again = players(run(*given, "--resume", "--games", "8"))
    assert again["x"]["games"] == 8
    assert [block["block"] for block in blocks(tmp_path)] == [0, 1]
    refused = run(*given, "--resume", "--time", "1+1")
    assert (refused.exit_code, "schedule or time" in refused.stderr) == (2, True)


def test_bots_that_somebody_else_starts() -> None:
    """The arena says where it waits, and lets a bot that stays play several games."""
    with ExitStack() as stack, arena_of("wait:listen=0", "tsumogiri") as arena:
        (invitation,) = arena.invitations
        assert invitation.startswith("p0: waiting for bots at listen 127.0.0.1:")
        port = invitation.rpartition(":")[2]
        for _ in range(3):
            stack.enter_context(programs.start(programs.TSUMOGIRI, f"127.0.0.1:{port}", "--games", "0"))
        found = [block for block, _ in arena.results(planned(2), 2)]
    assert [len(block.games) for block in found] == [4, 4]
    assert all(block.errors == ("", "") for block in found)


def test_an_arena_that_is_interrupted_stops_its_bots() -> None:
    """After Ctrl-C no game goes on, and no process stays behind."""

    def interrupted() -> Iterator[PlannedBlock]:
        yield from planned(4)
        raise KeyboardInterrupt

    before = children()
    with pytest.raises(KeyboardInterrupt), arena_of(LINES, OVER_UMP, "tsumogiri") as arena:
        next(arena.results(interrupted(), 5))
    assert children() == before


def test_late_bots_and_bots_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that runs and never says hello is given up after CONNECT_SECONDS."""
    monkeypatch.setattr(program_arena, "CONNECT_SECONDS", 0.01)
    with arena_of(f"connect:{sys.executable} -c 'input()' {{mjai}}", "tsumogiri") as arena:
        block, _ = next(arena.results(planned(1), 1))
    assert block.errors == ("it did not say hello in 0.01 seconds", "")
    assert [game.counts[game.seating.index(0)]["crashes"] for game in block.games] == [1, 1, 1, 1]


def test_timeouts_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that hangs has three timeouts in a game; then nobody waits for it."""
    monkeypatch.setattr(clock_module, "GRACE", 0)
    monkeypatch.setattr(child_module, "QUIT_SECONDS", 0)
    monkeypatch.setattr(program_arena, "CONNECT_SECONDS", 0.01)
    with arena_of(f"{BATCH} hang 0", "tsumogiri", times=TimeControl(0.001, 0)) as arena:
        block, _ = next(arena.results(planned(1), 1))
    counts = [game.counts[game.seating.index(0)] for game in block.games]
    assert [each["timeouts"] for each in counts] == [3, 3, 3, 3]
    assert not any(each.get("crashes") for each in counts)


def table_in_memory(word: str, counts: AnswerCounts) -> tuple[ProgramTable, ProcessReactor, Clock]:
    """Return a table of one program in memory, at 1+0, and three policies that discard what they draw."""
    clock = Clock()
    machine = ProcessReactor(clock)
    children = ChildBots(Limits(children=1), machine)
    settings = RoomSettings("arena", times=TimeControl(1, 0))
    ruleset = replace(PRESETS["tenhou"], length=Length.KYOKU)
    connections, sessions = OpenConnections(Limits()), ChildSessions(ChildLimits(), machine)
    parts = ArenaParts(ruleset, settings, machine, connections, sessions, SeatTokens(), SpectatorTurns(clock))
    policies = {seat: watched_player("tsumogiri", f"{seat}", clock.seconds) for seat in (1, 2, 3)}
    game = ProgramGame("arena-0-0", "s", ("x", "a", "b", "c"), (0, 1, 1, 1), policies, {0: counts})
    program = read_program(f"{word}:{sys.executable} bot.py")
    assert isinstance(program, ChildProgram)

    async def again(_seat: int, _here: object) -> PlayerConnection | None:
        return None

    player = children.start_later("x", program.command)
    return ProgramTable(game, {0: player}, parts, again), machine, clock


@pytest.mark.parametrize("word", ["mjai", "mjai-lines"])
def test_the_start_of_a_program_is_no_timeout(word: str) -> None:
    """Its first answer may take longer than a move, and is counted apart; a later one may not."""
    counts = AnswerCounts()
    table, machine, clock = table_in_memory(word, counts)
    playing = ensureDeferred(table.play())
    (process,) = machine.programs
    pause = 20.25
    read = 0
    for _ in range(10):
        clock.pump([0, pause, 0])
        lines = process.lines[read:]
        read += len(lines)
        for line in lines:
            events = json.loads(line)
            if word == "mjai":
                process.prints(json.dumps(reply(events)) + "\n")
            elif events.get("can_act", True):
                process.prints(json.dumps(reply([events])) + "\n")
        pause = 0.5
    while not playing.called:  # it hangs
        clock.advance(2)
    assert (counts.longest_start, {*counts.times}, counts.timeouts) == (20.25, {0.5}, 3)


def test_a_lost_connection_has_words() -> None:
    """A bot that closes its connection is counted, and its seat played on."""
    address, hello = "('127.0.0.1', int(sys.argv[1]))", "b'hello ump=0.1 name=x\\n'"
    script = f"import socket, sys; socket.create_connection({address}).sendall({hello})"
    with arena_of(f'connect:{sys.executable} -c "{script}" {{listen}}', "tsumogiri") as arena:
        block, _ = next(arena.results(planned(1), 1))
    assert block.errors[0].startswith(("it ended before it said hello", LEFT))


def test_a_bug_of_the_server_ends_the_arena(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command ends with a message, and the bots with it."""

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Table, "answer", fail)
    ended = run("--player", f"x={LINES}", "tsumogiri")
    assert (ended.exit_code, ": the game broke down" in ended.stderr) == (1, True)


def test_a_port_that_is_taken() -> None:
    """The command ends with a message, not with a traceback."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = run("--player", f"x=wait:http=0,mjai={port}", "tsumogiri")
    assert (refused.exit_code, f"port {port} is in use" in refused.stderr) == (2, True)


def test_clients_that_the_ports_refuse() -> None:
    """Spectators, and dialects without words for the players of the arena, are turned away; bots may come and go."""
    arena = arena_of("wait:listen=0,majiang=0,http=0", "tsumogiri", preset="tenhou3")
    with arena:
        (invitation,) = arena.invitations
        ports = {option: int(address.rpartition(":")[2]) for option, address in addresses(invitation)}
        said = greeted(ports["listen"], b"hello ump=0.2 name=x _watch=arena")
        assert b"room%20arena%20has%20no%20spectators" in said
        said = greeted(ports["majiang"], b'{"hello":{"name":"x"}}')
        assert b"room arena is for 3 players; Majiang cannot play it" in said
        assert greeted(ports["http"], b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").startswith(
            b"HTTP/1.1 200"
        )
        assert b'"pingTimeout":120000' in greeted(
            ports["http"],
            b"GET /socket.io?EIO=4&transport=polling HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        )
        with socket.create_connection(("127.0.0.1", ports["listen"])) as leaving:
            leaving.sendall(b"hello ump=0.1 name=x\n")
            assert leaving.recv(4096)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (["--time", "0+0"], "0+0 leaves no time"),
        (["--player", "y=mjai:no-such-program"], "there is no program no-such-program"),
    ],
)
def test_wrong_options(given: list[str], error: str) -> None:
    """An error says what is wrong."""
    refused = run(*given, "tsumogiri", "efficiency")
    assert (refused.exit_code, error in refused.stderr) == (2, True)


def test_a_command_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the system starts no process, the seat is played by the defaults, too."""

    def fail(*_: object) -> None:
        raise OSError(11, "no more processes")

    monkeypatch.setattr(program_arena, "StartedBot", fail)
    with arena_of(OVER_UMP, "tsumogiri") as arena:
        block, _ = next(arena.results(planned(1), 1))
    assert block.errors == ("it could not be started: no more processes", "")


def addresses(invitation: str) -> list[tuple[str, str]]:
    """Return the ports of an invitation, with their addresses."""
    listed = invitation.removeprefix("p0: waiting for bots at ").split(", ")
    return [(option, address) for option, address in (each.split(" ") for each in listed)]


def greeted(port: int, message: bytes) -> bytes:
    """Send a message to a port, and return everything that comes until the connection closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(message + b"\n")
        return b"".join(iter(lambda: connection.recv(4096), b""))
