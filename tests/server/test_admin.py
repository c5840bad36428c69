"""Orders of the operator: what they do, and the socket on which they come."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import socket
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPResponse
from pathlib import Path
from random import Random
from subprocess import STDOUT
from typing import Any, cast
from urllib.parse import quote

import pytest
from click.testing import CliRunner, Result
from support.memory_server import MemoryServer, journal_folder, memory_server, room
from support.programs import TWISTD, UMP, Program, run, start
from support.rows import each_row
from twisted.internet.defer import Deferred, fail, maybeDeferred
from twisted.logger import capturedLogs
from twisted.python.failure import Failure

from ump.cli.admin import LINES
from ump.cli.main import main
from ump.database.database import file_place
from ump.drills.drill import Drill, DrillKind
from ump.model.events import GameEnded
from ump.net.connection import Connection
from ump.record.journal import check_journal, read_journal
from ump.server.admin import KICKED, Giver, Orders
from ump.server.drill_desk import DrillDesk
from ump.server.http.admin_socket import MAX_OPEN, MAX_ORDER
from ump.server.journals import FINISHED, JournalFolder, began_at
from ump.server.ladder import NO_STANDINGS, LadderPlayer, LadderSource, Standings, standings_of
from ump.server.orders import ORDERS, PATH, OrderError
from ump.server.reports import Comparisons
from ump.server.room import Room
from ump.server.settings import ConfigError
from ump.server.users import drill_database
from ump.server.users.bans import shown_instant
from ump.server.users.drill_database import DrillDatabase
from ump.server.users.learner import Learner
from ump.server.users.user_database import UserDatabase, hash_password
from ump.server.users.user_service import UserService
from ump.wire.human.session import HumanSession
from ump.wire.session import Session

ROOM = room(length="kyoku")
GIVER = Giver("root", "socket")


class Operator:
    """The operations of a server in memory, and its orders."""

    def __init__(self, server: MemoryServer) -> None:
        self._server = server
        self.drained: list[float | None] = []
        self.users: UserService | None = None
        self.records: JournalFolder | None = None
        self.comparisons: Comparisons | None = None
        self.drills: DrillDesk | None = None
        self.orders = Orders(self, maybeDeferred)

    @property
    def rooms(self) -> Sequence[Room]:
        """Its rooms."""
        return self._server.rooms

    @property
    def clients(self) -> Sequence[Connection]:
        """Its clients."""
        return [each for each in self._server.connections if isinstance(each, Connection)]

    def drain(self, seconds: float | None) -> int:
        """Note the order."""
        self.drained.append(seconds)
        return 3

    def read_again(self) -> Deferred[str]:
        """Find a mistake."""
        return fail(ConfigError("ump.toml: nonsense"))

    def give(self, order: str, **arguments: object) -> dict[str, object]:
        """Give an order."""
        answers: list[dict[str, object]] = []
        self.orders.carry_out({"order": order, **arguments}, GIVER).addCallback(answers.append)
        return answers[0]


def refusal(operator: Operator, order: object = None, **arguments: object) -> str:
    """Give an order that is refused, and return why."""
    refused: list[Failure] = []
    operator.orders.carry_out({"order": order, **arguments}, GIVER).addErrback(refused.append)
    assert refused[0].check(OrderError)
    return refused[0].getErrorMessage()


def test_each_order_is_carried_out_as_it_is_declared() -> None:
    """Each has a way, and lines on a terminal."""
    assert set(Operator(cast(MemoryServer, None)).orders.ways) == set(ORDERS) == set(LINES)


def tables_of(operator: Operator) -> list[dict[str, Any]]:
    """Return the list of tables."""
    tables: Any = operator.give("tables")["tables"]
    return list(tables)


@pytest.fixture
def server() -> Iterator[MemoryServer]:
    """A server with one room, in which nobody plays."""
    with memory_server(ROOM) as opened:
        yield opened


def test_the_lists(server: MemoryServer) -> None:
    """Tables with their players, and everybody who waits or plays; no tile is among it."""
    operator = Operator(server)
    assert operator.give("tables") == {"tables": []}
    server.robots("a", "b", "c", "d")
    waiting = server.enter("e")
    watching = server.connect()
    watching.say("0 hello ump=0.1 _watch=main")
    (table,) = tables_of(operator)
    assert set(table.pop("players")) == {"a", "b", "c", "d"}
    assert table == {"table": "main-1", "room": "main", "connected": ["a", "b", "c", "d"], "spectators": 1}
    listed = operator.give("players")["players"]
    assert isinstance(listed, list)
    assert {(each["player"], each["table"]) for each in listed} == {*((name, "main-1") for name in "abcd"), ("e", None)}
    assert next(each["from"] for each in listed if each["player"] == "e") == waiting.connection.peer
    assert {each["protocol"] for each in listed} == {"UMP 0.1"}


def test_a_closed_table(tmp_path: Path) -> None:
    """It ends without a result, its record too; the players stay for their next games."""
    journals = journal_folder(tmp_path)
    journals.open()
    with memory_server(ROOM, recorder_of=journals.create) as server:
        operator = Operator(server)
        robots = server.robots("a", "b", "c", "d", options="_games=2")
        server.play(robots, until=lambda: robots[0].peer.words().count("sutehai") >= 4)
        assert operator.give("close", table="main-1") == {"closed": "main-1"}
        server.clock.advance(0)
        assert [table["table"] for table in tables_of(operator)] == ["main-2"]
        assert all(robot.peer.is_connected for robot in robots)
        server.play(robots)
    assert list(journals.unfinished()) == []
    journals.close()
    closed, played = (read_journal(gzip.decompress(path.read_bytes())) for path in sorted(tmp_path.glob("*.gz")))
    assert check_journal(closed)
    assert [any(isinstance(event, GameEnded) for event in check_journal(each)) for each in (closed, played)] == [
        False,
        True,
    ]


def test_a_player_is_removed(server: MemoryServer) -> None:
    """From a table, whose game goes on, and from the line."""
    operator = Operator(server)
    robots = server.robots("a", "b", "c", "d", options="_resume=1")
    waiting = server.enter("e")
    (token,) = [line.split()[2] for line in robots[0].peer.heard() if line.split()[1] == "_resume"]
    assert operator.give("kick", player="a") == {"kicked": 1}
    assert not robots[0].peer.is_connected
    assert quote(KICKED) in " ".join(robots[0].peer.heard())
    again = server.enter("a", f"_resume={token}")
    assert not again.is_connected
    assert operator.give("kick", player="e") == {"kicked": 1}
    assert not waiting.is_connected
    assert operator.give("players")["players"] != []
    server.play(robots[1:])
    assert all(robot.peer.words().count("gameend") == 1 for robot in robots[1:])


def test_an_announcement(server: MemoryServer) -> None:
    """Everybody who plays, waits or watches hears it; the game goes on, and the order counts those without a place."""
    operator = Operator(server)
    robots = server.robots("a", "b", "c", "d", options="_explain=1")
    told = [server.enter("e", "ump=0.2 _explain=1"), server.enter("f", "_watch=main _explain=1")]
    unreached = [server.enter("g"), server.connect(port="mjai"), server.connect()]
    unreached[1].say('{"type":"join","name":"h","room":"main"}')
    person = server.connect()
    person.say("")
    person.say("")
    order = {"text": " The server = restarts at 20:00. 卓 "}
    assert operator.give("announce", **order) == {"told": 7, "not_told": {"UMP 0.1": 1, "mjai in lock-step": 1}}
    notice = "_notice The%20server%20%3D%20restarts%20at%2020:00.%20%E5%8D%93"
    assert "The server says: The server = restarts at 20:00. 卓" in person.heard()
    assert not any("notice" in line for peer in unreached for line in peer.heard())
    server.play(robots)
    assert all(robot.peer.words().count("gameend") == 1 for robot in robots)
    for peer in [*(robot.peer for robot in robots), *told]:
        peer.heard()
        assert [line.split(" ", 1)[1] for line in peer.lines if " _notice " in line] == [notice]


def test_the_longest_announcement_fits_on_a_line(server: MemoryServer) -> None:
    """Each of its characters may be encoded as twelve."""
    waiting = server.enter("a", "_explain=1")
    assert Operator(server).give("announce", text="🀄" * 160) == {"told": 1, "not_told": {}}
    assert waiting.heard()[-1].endswith(" _notice " + quote("🀄") * 160)


def test_a_client_that_fails_at_an_announcement(server: MemoryServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It alone is cut, and the log has the error."""

    def fail(session: Session, text: str) -> bool:
        raise RuntimeError("planted")

    failing = server.connect()
    failing.say("")
    failing.say("")
    told = server.enter("b", "_explain=1")
    monkeypatch.setattr(HumanSession, "announce", fail)
    with capturedLogs() as events:
        assert Operator(server).give("announce", text="hi") == {"told": 1, "not_told": {"plain words": 1}}
    assert (failing.is_connected, told.is_connected) == (False, True)
    assert [str(event["log_failure"].value) for event in events if "log_failure" in event] == ["planted"]


def play_round(server: MemoryServer, *names: str) -> None:
    """Let these clients play a rated round, one game for each."""
    robots = server.robots(*names)
    server.clock.advance(60)
    server.play(robots)
    server.clock.advance(0)


def standings(server: MemoryServer) -> Standings:
    """Return the standings of the only room."""
    ladder = server.rooms[0].gathering.ladder
    assert ladder is not None
    return ladder.standings


def test_an_annulled_game(tmp_path: Path) -> None:
    """The ladder is as without it, until it is restored; those of its players who are connected are told."""
    folder = journal_folder(tmp_path, in_thread=maybeDeferred)
    folder.open()
    rated = room(rated=True, rated_every=60, length="kyoku", house=["tsumogiri:3"])
    ladder = LadderSource(folder.rated_games, maybeDeferred)
    with memory_server(rated, recorder_of=folder.create, ladder=ladder) as server:
        operator = Operator(server)
        operator.records = folder
        server.clock.advance(0)
        for number in range(5):
            play_round(server, "a", "b" if number == 2 else "c")
        server.rooms[0].gathering.rate_again()
        before = standings(server)
        game = before.games[2]
        record = game.file.removesuffix(FINISHED)
        in_line = [server.enter(name, "_explain=1") for name in "bc"]
        assert operator.give("annul", game=record) == {"annulled": record, "told": 1}
        news = f"game main-3 of {shown_instant(began_at(game.began))}: it does not count for the ladder any more"
        heard = [[line.partition("_notice ")[2] for line in peer.heard()] for peer in in_line]
        assert [quote(news, safe=":") in lines for lines in heard] == [True, False]
        without = [each for each in before.games if each != game]
        assert standings(server) == standings_of(without, server.clock.seconds(), NO_STANDINGS)
        assert LadderPlayer("b") not in standings(server).ratings
        assert refusal(operator, "annul", game=record) == f"{record} is annulled already"
        assert operator.give("restore", game=record) == {"restored": record, "told": 1}
        assert standings(server).games == before.games
        assert refusal(operator, "restore", game=record) == f"{record} is not annulled"
    folder.close()


def test_games_that_cannot_be_annulled(tmp_path: Path) -> None:
    """One that nobody knows, one of an unrated room, and one that was broken off."""
    folder = journal_folder(tmp_path, in_thread=maybeDeferred)
    folder.open()
    with memory_server(ROOM, recorder_of=folder.create) as server:
        operator = Operator(server)
        assert "needs --record-dir" in refusal(operator, "annul", game="main-1")
        operator.records = folder
        robots = server.robots("a", "b", "c", "d", options="_games=2")
        server.play(robots, until=lambda: robots[0].peer.words().count("sutehai") >= 4)
        operator.give("close", table="main-1")
        server.clock.advance(0)
        server.play(robots)
        (last,) = folder.last_games  # the lobby lists results alone
        played = last.file.removesuffix(FINISHED)
        (closed,) = {path.name.removesuffix(FINISHED) for path in tmp_path.glob(f"*{FINISHED}")} - {played}
        assert refusal(operator, "annul", game="main-1").startswith("there is no game 'main-1'")
        assert refusal(operator, "annul", game=played) == f"{played} counts for no ladder: room main is not rated"
        assert "it was not completed" in refusal(operator, "annul", game=closed)
    folder.close()


def test_withdrawn_drills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are listed with what is right, and one that is asked again is withdrawn by new reports alone."""
    monkeypatch.setattr(drill_database, "PRACTISED", 0)
    facts = {"waits": [{"tile": "6s", "left": 4}]}
    shipped, made = (Drill(DrillKind.WAITS, {"hand": hand}, (), ("6s",), facts, 900) for hand in ("3357s", "5799s"))
    database = DrillDatabase(file_place(tmp_path / "drills.sqlite"))
    operator = Operator(cast(MemoryServer, None))
    operator.drills = desk = DrillDesk(lambda: database, Random(1), lasts=True, shipped=lambda: [shipped])
    desk.add([made], "2026-11-28T14:00:00Z")
    assert LINES["drills"](operator.give("drills"), {}) == ["no drill is withdrawn"]
    assert refusal(operator, "reinstate", drill=made.id).startswith(f"no drill '{made.id}' is withdrawn")
    for drill in (shipped, made):
        for guest in ("a", "b"):
            desk.report(Learner(guest), drill.id, "2026-11-28")
    assert {line for line in LINES["drills"](operator.give("drills"), {}) if "Right" in line} == {"  Right is 6s."}
    for drill in (shipped, made):
        assert operator.give("reinstate", drill=drill.id) == {"reinstated": drill.id}
        desk.report(Learner("c"), drill.id, "2026-11-28")
        assert desk.pool.find(drill.id) == drill
    assert operator.give("drills") == {"drills": []}


def test_drain(server: MemoryServer) -> None:
    """The seconds go to the server."""
    operator = Operator(server)
    assert operator.give("drain") == {"running": 3}
    assert operator.give("drain", seconds=600) == {"running": 3}
    assert operator.drained == [None, 600.0]


@each_row(
    ("order", "error"),
    [
        ({}, "unknown order"),
        ({"order": "tabels"}, "did you mean tables"),
        ({"order": ["tables"]}, "unknown order"),
        ({"order": "close"}, "'table' is missing"),
        ({"order": "close", "table": 1}, "'table' is missing"),
        ({"order": "close", "table": "main-9"}, "there is no table 'main-9'"),
        ({"order": "kick", "player": "nobody"}, "nobody of the name 'nobody'"),
        ({"order": "ban"}, "'user' is missing"),
        ({"order": "ban", "user": "x"}, "this server knows no users"),
        ({"order": "log"}, "this server knows no users"),
        ({"order": "announce"}, "'text' is missing; expected a text"),
        *(({"order": "announce", "text": text}, "visible") for text in (" ", "a\nb", "a\u202eb", "\x1b[2J", "x" * 161)),
        ({"order": "reinstate"}, "'drill' is missing"),
        ({"order": "drills"}, "this server asks no drills"),
        ({"order": "drain", "seconds": True}, "'seconds' is a number"),
        ({"order": "drain", "seconds": -1}, "'seconds' is a number"),
        ({"order": "drain", "seconds": float("nan")}, "'seconds' is a number"),
        ({"order": "reload"}, "not read again: ump.toml: nonsense"),
    ],
)
def test_refused_orders(server: MemoryServer, order: dict[str, object], error: str) -> None:
    """With a reason."""
    assert error in refusal(Operator(server), **order)


SECONDS = 60
"""Time limit for a server."""


def options(path: Path) -> list[str]:
    """Return the options of a server without bots and records, and with a socket for orders."""
    ports = ["--listen", "0", "--mjai", "none", "--http", "none"]
    return [*ports, "--record-dir", "none", "--house", "none", "--admin-socket", str(path)]


@contextmanager
def serving(folder: Path, path: Path, *further: str) -> Iterator[tuple[Program, int]]:
    """Run a server with a socket for orders; yields its process and its port."""
    with start(*UMP, "serve", *options(path), *further, cwd=folder, stderr=STDOUT) as server:
        server.read_until("The server is ready")
        port = server.port()
        yield server, port
        server.kill()


def ordered(path: Path, *words: str) -> Result:
    """Run ``ump admin``."""
    return CliRunner().invoke(main, ["admin", "--socket", str(path), *words])


def answer(path: Path, body: bytes, kind: str = "application/json") -> tuple[int, str]:
    """Post a body to the socket, and return the status and the body of the response."""
    head = f"POST /{PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    with closing(socket.socket(socket.AF_UNIX)) as stream:
        stream.settimeout(SECONDS)
        stream.connect(str(path))
        stream.sendall(f"{head}Connection: close\r\n\r\n".encode() + body)
        response = HTTPResponse(stream)
        response.begin()
        return response.status, response.read().decode()


def test_orders_have_help_without_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only an order needs the socket."""
    monkeypatch.delenv("UMP_ADMIN_SOCKET", raising=False)
    shown, refused = (CliRunner().invoke(main, ["admin", "kick", each]) for each in ("--help", "mallory"))
    assert (shown.exit_code, refused.exit_code) == (0, 2)
    assert "as in ump admin --socket PATH tables" in refused.output


CLOSED = b"this%20account%20is%20closed%20until%202127-01-01:%20two%20accounts"


@pytest.mark.once
def test_a_ban(tmp_path: Path) -> None:
    """The user's connections are closed, the file has the ban, and the next login fails."""
    users, path = UserDatabase(file_place(tmp_path / "users.sqlite")), tmp_path / "admin.sock"
    users.add("mallory", hash_password("correct-horse"), "2026-11-24T00:00:00Z")

    def login(port: int, password: str = "correct-horse") -> socket.socket:
        client = socket.create_connection(("127.0.0.1", port), SECONDS)
        client.sendall(f"0 hello ump=0.1 name=x user=mallory password={password} _explain=1\r\n".encode())
        return client

    with serving(tmp_path, path, "--users", str(tmp_path / "users.sqlite")) as (program, port):
        with login(port) as client, client.makefile("rb") as lines:
            while b" _waiting " not in lines.readline():
                pass
            banned = ordered(path, "ban", "mallory", "--until", "2127-01-01", "--reason", "two accounts")
            assert banned.output == "banned mallory; connections closed: 1\n"
            assert CLOSED in lines.read()
        with login(port) as client, client.makefile("rb") as lines:
            assert CLOSED in lines.read()
        with login(port, "wrong-horse") as client, client.makefile("rb") as lines:
            assert b"is%20wrong" in lines.read()
        unknown = ordered(path, "ban", "nobody")
        assert (unknown.exit_code, unknown.output) == (1, "Error: no user 'nobody'\n")
        assert "127.0.0.0/8 overlap" in ordered(path, "ban", "127.0.0.1").output
        assert ordered(path, "ban", "192.0.2.7").output == "banned 192.0.2.7; connections closed: 0\n"
        listed = ordered(path, "bans").output.splitlines()[1:]
        assert [line.split()[0] for line in listed] == ["192.0.2.7", "mallory"]
        assert ordered(path, "unban", "mallory").output == "mallory may come back\n"
        logged = json.loads(ordered(path, "log", "--json").output)["orders"]
        assert [(each["name"], each["target"], each["outcome"]) for each in reversed(logged)] == [
            ("ban", "mallory", "ok"),
            ("ban", "nobody", "no user 'nobody'"),
            ("ban", "192.0.2.7", "ok"),
            ("unban", "mallory", "ok"),
        ]
        assert {(each["made_by"].split()[0], each["via"]) for each in logged} == {("user", "socket")}
        program.send_signal(signal.SIGTERM)
        assert program.stdout is not None
        assert "a login failed for mallory" in program.stdout.read()


@pytest.mark.once
def test_orders_to_a_server(tmp_path: Path) -> None:
    """Lists, a player who is removed, refused orders, and a drain that ends the server and removes the socket."""
    path = tmp_path / "admin.sock"
    with serving(tmp_path, path) as (server, port):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert ordered(path, "tables").output == "no game runs\n"
        with closing(socket.create_connection(("127.0.0.1", port), SECONDS)) as client, client.makefile("rwb") as lines:
            lines.readline()
            lines.write(b"0 hello ump=0.1 name=mallory _explain=1\r\n")
            lines.flush()
            while not lines.readline().split(b" ")[1].startswith(b"_waiting"):
                pass
            (listed,) = json.loads(ordered(path, "players", "--json").output)["players"]
            assert (listed["player"], listed["room"], listed["table"]) == ("mallory", "main", None)
            assert ordered(path, "players").output.splitlines()[1].split()[:3] == ["mallory", "main", "waits"]
            assert ordered(path, "announce", "at 20:00").output == "told 1 of 1\n"
            assert b" _notice at%2020:00" in lines.readline()
            assert ordered(path, "kick", "mallory").output == "removed mallory\n"
            assert b"removed" in lines.read()
        unknown = ordered(path, "close", "main-7")
        assert (unknown.exit_code, unknown.output) == (
            1,
            "Error: there is no table 'main-7'; 'tables' lists them\n",
        )
        assert ordered(path, "reload").output.startswith("read again: ")
        for nonsense in (b"nonsense", b"[]", b"[" * MAX_ORDER, '{"order": "tables", "é": 1}'.encode("latin-1")):
            code, said = answer(path, nonsense)
            assert (code, "not" in said) == (400, True), said
        order = json.dumps({"order": "tables"}).encode()
        assert answer(path, order.ljust(MAX_ORDER)) == (200, '{"ok":true,"tables":[]}')
        assert answer(path, order.ljust(MAX_ORDER + 1))[0] == 413
        assert answer(path, order, "text/plain")[0] == 415
        with ExitStack() as idle:
            for _ in range(MAX_OPEN):
                stream = idle.enter_context(socket.socket(socket.AF_UNIX))
                stream.connect(str(path))
            assert ordered(path, "tables").output == "no game runs\n"  # those without a request make room
        assert ordered(path, "drain").output == "the server ends\n"
        assert server.stdout is not None
        log = server.stdout.read()
        server.wait(SECONDS)
    assert server.returncode == 0
    assert not path.exists()
    assert f'order of user {os.getuid()} (process {os.getpid()}): {{"order": "kick", "player": "mallory"}}' in log
    gone = ordered(path, "tables")
    assert gone.exit_code == 1
    assert "no server takes orders" in gone.output


@pytest.mark.once
def test_a_restored_backup_of_a_running_server(tmp_path: Path) -> None:
    """A lock keeps others away from the sockets of a server only while that server runs.

    A container is the same: each server in it has the number 1, also the one after a kill.
    """
    original, restored = tmp_path / "original", tmp_path / "restored"
    original.mkdir()
    ports = ["--majiang", "unix:ump.sock"]
    with serving(original, original / "admin.sock", *ports):
        unreadable = [path.name for path in original.iterdir() if path.is_socket()]
        assert sorted(unreadable) == ["admin.sock", "ump.sock"]
        shutil.copytree(original, restored, symlinks=True, ignore=lambda folder, names: unreadable)
        with serving(restored, restored / "admin.sock", *ports):
            assert ordered(restored / "admin.sock", "tables").exit_code == 0


@pytest.mark.once
def test_a_daemon_whose_socket_is_taken(tmp_path: Path) -> None:
    """It says so in one whole line, however long, before it goes into the background."""
    path = tmp_path / "admin.sock"
    daemon = [*TWISTD, "--pidfile=pid", "--logfile=log", "ump-server", *options(path)]
    with serving(tmp_path, path):
        second = run(*daemon, cwd=tmp_path)
    assert second.stderr == f"ump-server: --admin-socket: '{path}' cannot be opened: another server has it\n"
    assert second.returncode == 1
    assert len(second.stderr) > 100  # a daemon in the background reports no more


@pytest.mark.once
def test_the_socket_of_a_killed_server(tmp_path: Path) -> None:
    """The next server removes it; while a server has it, another one ends with one line."""
    path = tmp_path / "admin.sock"
    with serving(tmp_path, path) as (server, _):
        server.send_signal(signal.SIGKILL)
        server.wait(SECONDS)
    assert path.exists()
    with serving(tmp_path, path) as (server, _):
        assert ordered(path, "tables").exit_code == 0
        second = run(*UMP, "serve", *options(path), cwd=tmp_path)
        assert second.returncode == 1
        assert f"Error: --admin-socket: '{path}' cannot be opened: another server has it\n" in second.stderr
        assert "Traceback" not in second.stderr
        assert ordered(path, "tables").exit_code == 0
