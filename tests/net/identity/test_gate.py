"""Users at a server: logins over every protocol, reserved names, rooms for users, one live session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from support.memory_server import MemoryServer, Peer, Robot, memory_server, room
from twisted.internet.defer import Deferred
from twisted.logger import ILogObserver, LogEvent, formatEvent, globalLogPublisher
from zope.interface import provider

from ump.model.owner import owner_of
from ump.net.access import CODE_NEEDED, USERS_ONLY, WRONG_CODE
from ump.net.config import RoomSettings
from ump.net.connection import Connection
from ump.net.identity.gate import NEED_TLS, RESERVED, SLASH, UNREADABLE, WRONG
from ump.record.journal.header import JournalHeader, write_header
from ump.wire.look_alikes import skeleton
from ump.wire.mjai.request_session import RequestSession

TOKEN = "ump_0123456789ab_" + "x" * 43


@dataclass(frozen=True)
class Somebody:
    """A user."""

    name: str


class Everybody:
    """Users in memory: each has the password ``open`` and its name; alice has a token."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.asked = 0

    def login(self, name: str, password: str, now: str) -> Somebody | None:
        """Return the user of a name and its password."""
        self.asked += 1
        return Somebody(name) if name in self.names and password == f"open{name}" else None

    def login_with_token(self, text: str, now: str) -> Somebody | None:
        """Return alice for her token."""
        self.asked += 1
        return Somebody("alice") if text == TOKEN else None

    def is_reserved(self, name: str) -> bool:
        """Return whether a user has such a name."""
        return skeleton(owner_of(name)) in map(skeleton, self.names)


@contextmanager
def server_of(*rooms: RoomSettings, **options: Any) -> Iterator[MemoryServer]:
    """Open a server with two users."""
    users = options.pop("users", None) or Everybody("alice", "bob")
    with memory_server(
        *(rooms or (room(length="kyoku", house=["tsumogiri:3"], house_after=0),)), users=users, **options
    ) as server:
        yield server


def say(server: MemoryServer, line: str, *, host: str = "127.0.0.1", port: str = "listen") -> Peer:
    """Let a client connect and say a line."""
    peer = server.connect(host, port=port)
    peer.say(line)
    return peer


def hello(server: MemoryServer, options: str, *, host: str = "127.0.0.1") -> Peer:
    """Let a client of UMP 0.1 say hello."""
    return say(server, f"0 hello ump=0.1 {options}", host=host)


def error_of(peer: Peer) -> str | None:
    """Return the error that a client of UMP 0.1 got; None if it got none."""
    peer.heard()
    found = [line.split(" ", 2)[2] for line in peer.lines if line.split()[1] == "error"]
    return found[0].replace("%20", " ").replace("%2C", ",") if found else None


def players(server: MemoryServer) -> list[str]:
    """Return who waits or plays in the first room."""
    overview = server.rooms[0].overview
    return sorted([*overview.waiting, *(name for table in overview.tables for name in table.players)])


def line_of_four(**said: object) -> RoomSettings:
    """Return a room in which nobody plays with bots."""
    return room(length="kyoku", **said)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ("user=alice password=openalice", "alice"),
        ("name=alice password=openalice", "alice"),
        ("name=akagi user=alice password=openalice", "alice/akagi"),
        ("name=alice/akagi user=alice password=openalice", "alice/akagi"),
        (f"name=akagi password={TOKEN}", "alice/akagi"),
        (f"user=alice password={TOKEN}", "alice"),
        ("name=carol", "carol"),
        ("name=carol user=x password=*", "carol"),
        ("", "guest-1"),
    ],
)
def test_who_may_play_and_under_which_name(options: str, name: str) -> None:
    """Users log in with a password or a token; everybody else is a guest."""
    with server_of(line_of_four()) as server:
        peer = hello(server, options)
        assert error_of(peer) is None
        assert players(server) == [name]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("user=alice password=openbob", WRONG),
        ("user=nobody password=openbob", WRONG),
        (f"user=bob password={TOKEN}", WRONG),
        (f"password={TOKEN[:-1]}y", WRONG),
        ("name=alice", RESERVED),
        ("name=A1ice", RESERVED),
        ("name=%D0%B0lice", RESERVED),
        ("name=alice/x", SLASH),
        ("name=carol/x", SLASH),
        (
            f"name={'x' * 30} user=alice password=openalice",
            "the name alice/NAME must have 1 to 32 characters, and no control characters",
        ),
    ],
)
def test_who_may_not(options: str, error: str) -> None:
    """A wrong secret, a name of somebody else, and one that looks like it are refused."""
    with server_of(line_of_four()) as server:
        peer = hello(server, options)
        assert error_of(peer) == error
        assert players(server) == []


@pytest.mark.parametrize("shown", ["user=alice password=openalice", f"password={TOKEN}"])
def test_secrets_need_an_encrypted_or_local_connection(shown: str) -> None:
    """Elsewhere they are not even checked."""
    users = Everybody("alice")
    with server_of(line_of_four(), users=users) as server:
        assert error_of(hello(server, shown, host="192.0.2.1")) == NEED_TLS
        assert users.asked == 0


def test_failures_make_the_next_attempts_wait() -> None:
    """The first failure is told at once; the next attempt is checked after a second, the third after two more."""
    users = Everybody("alice")
    with server_of(line_of_four(), users=users) as server:
        assert error_of(hello(server, "user=alice password=1")) == WRONG
        second = hello(server, "user=alice password=openalice", host="127.0.0.2")
        token = hello(server, f"name=t password={TOKEN}", host="127.0.0.3")
        assert (error_of(second), players(server)) == (None, ["alice/t"])
        assert error_of(token) is None
        server.clock.advance(0.9)
        assert players(server) == ["alice/t"]
        server.clock.advance(0.2)
        assert players(server) == ["alice", "alice/t"]
        assert users.asked == 3


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.{}"])
def test_attempts_that_arrive_together_wait_for_each_other(host: str) -> None:
    """Of ten passwords for a user, from one host or many, one is checked before the first failure is counted."""
    threads = Threads()
    users = Everybody("alice")
    with server_of(line_of_four(), users=users, in_thread=threads.call) as server:
        peers = [hello(server, "user=alice password=no", host=host.format(number + 1)) for number in range(10)]
        peers[1].hang_up()
        assert [users.asked, threads.finish(), users.asked, threads.finish()] == [0, 1, 1, 0]
        server.clock.advance(1.1)
        assert [threads.finish(), users.asked, threads.finish()] == [1, 2, 0]
        server.clock.advance(1.1)
        assert threads.finish() == 0
        server.clock.advance(1)
        assert [threads.finish(), users.asked] == [1, 3]


def test_right_passwords_that_arrive_together_are_all_checked() -> None:
    """One after the other, without a wait."""
    threads = Threads()
    with server_of(line_of_four(), in_thread=threads.call) as server:
        for bot in "abc":
            hello(server, f"name={bot} user=alice password=openalice")
        assert [threads.finish(), threads.finish(), threads.finish()] == [1, 1, 1]
        assert players(server) == ["alice/a", "alice/b", "alice/c"]


def test_a_login_does_not_end_the_waits_of_its_host() -> None:
    """Who has an account cannot use it to guess the passwords of others without waiting."""
    users = Everybody("alice", "bob")
    with server_of(line_of_four(), users=users) as server:
        for name in ("x", "y", "z"):
            hello(server, f"user={name} password=no")
            server.clock.advance(4.1)
            hello(server, f"name={name} user=bob password=openbob")
        assert users.asked == 6
        hello(server, "user=alice password=no")
        hello(server, "name=w user=bob password=openbob")
        server.clock.advance(7.9)
        assert users.asked == 7
        server.clock.advance(0.2)
        assert users.asked == 8


def test_a_client_that_leaves_while_it_waits() -> None:
    """It is never checked, and leaves no timer."""
    users = Everybody("alice")
    with server_of(line_of_four(), users=users) as server:
        hello(server, "user=alice password=1")
        hello(server, "user=alice password=openalice").hang_up()
        assert not server.clock.getDelayedCalls()
        assert users.asked == 1


def test_a_client_that_leaves_while_it_is_checked() -> None:
    """The answer of the thread finds nobody; a host's checks are one after the other."""
    threads = Threads()
    with server_of(line_of_four(), in_thread=threads.call) as server:
        first, second = hello(server, "user=alice password=openalice"), hello(server, "user=bob password=openbob")
        first.hang_up()
        assert [threads.finish(), players(server)] == [1, []]
        assert [threads.finish(), players(server)] == [1, ["bob"]]
        assert second.is_connected


def test_users_that_cannot_be_read() -> None:
    """The client hears it, and the log has the reason."""

    class Broken(Everybody):
        """A file that is gone."""

        def is_reserved(self, name: str) -> bool:
            """Raise."""
            raise OSError("no such file")

    with server_of(line_of_four(), users=Broken()) as server:
        assert error_of(hello(server, "name=carol")) == UNREADABLE


@pytest.mark.parametrize("shown", [f'"password":"{TOKEN}"', '"user":"alice","password":"openalice"'])
def test_an_mjai_client_logs_in(shown: str) -> None:
    """With two fields of its join."""
    with server_of(line_of_four()) as server:
        say(server, f'{{"type":"join","name":"akagi","room":"default",{shown}}}', port="mjai")
        assert players(server) == ["alice/akagi"]


@pytest.mark.parametrize("token", [TOKEN, f"{TOKEN} washizu"])
def test_a_bearer_token(token: str) -> None:
    """A WebSocket of mjai on request shows it; the session in its URL names the bot."""
    with server_of(line_of_four()) as server:
        connection = Connection(RequestSession(None, "main", key=token), server.host, server.connections, server.clock)
        client = BearerClient()
        connection.open(client)
        server.clock.advance(0)
        assert players(server) == ["alice" if token == TOKEN else "alice/washizu"]
        connection.lost()


class Threads:
    """Threads that work when the test says so."""

    def __init__(self) -> None:
        self._calls: list[tuple[Callable[[], object], Deferred[object]]] = []

    def call(self, call: Callable[[], object]) -> Deferred[object]:
        """Keep a call."""
        self._calls.append((call, Deferred()))
        return self._calls[-1][1]

    def finish(self) -> int:
        """Do the calls that have begun, but none that these cause; return how many."""
        begun, self._calls = self._calls, []
        for call, done in begun:
            done.callback(call())
        return len(begun)


class BearerClient:
    """Carries a connection, and reads nothing."""

    host, peer, is_private = "127.0.0.1", "bot", True

    def send(self, messages: list[str]) -> None:
        """Forget messages."""

    def stop_reading(self) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""

    def cut(self) -> None:
        """Do nothing."""


def test_a_person_logs_in() -> None:
    """A person who takes a user's name reads how to log in, and a line with = is read like a hello."""
    with server_of(line_of_four()) as server:
        peer = say(server, "hello name=alice", port="telnet")
        assert any("type hello name=alice password=PASSWORD" in line for line in peer.heard())
        peer.say("hello name=alice password=openalice")
        assert players(server) == ["alice"]


def test_a_person_stays_logged_in() -> None:
    """After a game Enter begins the next one, under the same name and in the same closed room, without a password."""
    club = room("club", length="kyoku", house=["tsumogiri:3"], house_after=0, access="users+code:Sakura7")
    with server_of(room("open", length="kyoku"), club) as server:
        peer = say(server, "hello name=alice password=openalice _room=club:Sakura7", port="telnet")
        for _ in range(2):
            server.clock.advance(0)
            assert ["alice" in table.players for table in server.rooms[1].overview.tables] == [True]
            for _ in range(500):
                if not server.rooms[1].tables:
                    break
                peer.say("")
                server.clock.advance(1)
            peer.say("")
        assert not [line for line in peer.heard() if "Sakura7" in line or "openalice" in line]


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("hello name=carol _room=cup:Sakura7", None),
        ("hello name=carol _watch=cup:Sakura7", None),
        ("hello name=carol _room=cup", CODE_NEEDED),
        ("hello name=carol _room=cop:Sakura7", "There is no room cop; choose open, club, cup or finals."),
        ("carol cup:Sakura7", "hello name=NAME _room=cup:CODE"),
        ("cup:Sakura7", "hello name=NAME _room=cup:CODE"),
        ("watch cup:Sakura7", "hello name=NAME _watch=cup:CODE"),
    ],
)
def test_a_person_with_an_invitation(line: str, reply: str | None) -> None:
    """The code is read in a hello, where a trace hides it, and is never repeated."""
    with server_of(*ROOMS) as server:
        peer = say(server, line, port="telnet")
        text = " ".join(peer.heard())
        assert "Sakura7" not in text
        if reply is None:
            assert "in cup" in text or "watch cup" in text
            assert peer.is_connected and "Type help, or Enter" not in text
        else:
            assert reply in text


def test_one_live_session_in_the_line() -> None:
    """The newer connection of the same name takes the place; another bot of the same user has its own."""
    with server_of(line_of_four()) as server:
        older = hello(server, "user=alice password=openalice")
        hello(server, "name=b user=alice password=openalice")
        newer = hello(server, "user=alice password=openalice")
        assert players(server) == ["alice", "alice/b"]
        assert not older.is_connected and newer.is_connected
        assert "newer connection" in str(error_of(older))


def test_one_live_session_at_the_table() -> None:
    """The newer connection goes on with the running game, without a token; nobody else can name the seat."""
    with server_of() as server:
        older = hello(server, "user=alice password=openalice")
        server.play([Robot(older)], until=lambda: "sutehai?" in older.words())
        thief = hello(server, "_resume=alice")
        newer = hello(server, "user=alice password=openalice")
        assert not older.is_connected and not thief.is_connected
        robot = Robot(newer)
        server.play([robot])
        assert "gameend" in newer.words()
        assert not server.rooms[0].tables


ROOMS = (
    room("open", length="kyoku"),
    room("club", length="kyoku", access="users"),
    room("cup", length="kyoku", access="code:Sakura7"),
    room("finals", length="kyoku", access="users+code:Sakura7"),
)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("name=carol _room=open", None),
        ("name=carol _room=club", USERS_ONLY),
        ("name=carol _watch=club", USERS_ONLY),
        ("user=alice password=openalice _room=club", None),
        ("name=carol _room=cup", CODE_NEEDED),
        ("name=carol _room=cup:sakura7", WRONG_CODE),
        ("name=carol _room=cup:Sakura7", None),
        ("name=carol _watch=cup:Sakura7", None),
        ("name=carol _room=finals:Sakura7", USERS_ONLY),
        ("user=alice password=openalice _room=finals:Sakura7", None),
        ("name=carol _room=nowhere:Sakura7", "unknown room 'nowhere'; choose open, club, cup or finals"),
    ],
)
def test_who_may_enter_a_room(options: str, error: str | None) -> None:
    """By login, by invitation code, or by both."""
    with server_of(*ROOMS) as server:
        assert error_of(hello(server, options)) == error


def test_players_of_one_owner_are_not_seated_together() -> None:
    """The second waits for the next table, and built-in bots complete the first."""
    settings = room(length="kyoku", house=["tsumogiri:3"], house_after=3, one_per_owner=True)
    with server_of(settings) as server:
        for name in ("a", "b", "c"):
            hello(server, f"name={name} user=alice password=openalice")
        hello(server, "user=bob password=openbob")
        server.clock.advance(4)
        tables = [set(table.players) for table in server.rooms[0].overview.tables]
        assert len(tables[0] & {"alice/a", "bob"}) == 2
        assert not tables[0] & {"alice/b", "alice/c"}


def test_no_secret_is_written_down() -> None:
    """Neither in the log nor in the header of a record, whether a login succeeds or fails."""
    written: list[str] = []
    headers: list[str] = []

    @provider(ILogObserver)
    def observe(event: LogEvent) -> None:
        """Keep a line of the log, with its fields."""
        written.append(f"{formatEvent(event)} {event}")

    class Kept:
        """A record that keeps nothing."""

        def __init__(self, header: JournalHeader) -> None:
            headers.append(write_header(header))

        def record(self, *entries: object) -> None:
            """Keep nothing."""

        def finish(self, *ended: object) -> None:
            """Keep nothing."""

        suspend = give_up = finish

    globalLogPublisher.addObserver(observe)
    try:
        with server_of(recorder_of=Kept) as server:
            hello(server, "user=alice password=secret-one")
            server.clock.advance(2)
            peer = hello(server, "name=x user=alice password=openalice")
            server.clock.advance(2)
            server.play([Robot(peer)])
            hello(server, f"password={TOKEN}")
    finally:
        globalLogPublisher.removeObserver(observe)
    assert headers
    assert not [line for line in (*written, *headers) if "secret-one" in line or "openalice" in line or TOKEN in line]


def test_the_greeting_says_what_is_accepted() -> None:
    """Only where secrets are taken."""
    with server_of(line_of_four()) as server:
        assert "_auth" not in server.connect("192.0.2.1").heard()[0]
