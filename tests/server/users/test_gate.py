"""Users at a server: logins over every protocol, reserved names, rooms for users, one live session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from support.memory_server import MemoryServer, Peer, Robot, memory_server, room
from support.rows import each_row
from twisted.internet.defer import Deferred, succeed
from twisted.logger import ILogObserver, LogEvent, capturedLogs, formatEvent, globalLogPublisher
from zope.interface import provider

from ump.database.database import DatabaseAway
from ump.net.connection import Connection
from ump.net.connection_budget import read_network
from ump.net.proxy_header import OF_PROXY
from ump.record.journal import JournalHeader, write_header
from ump.server.settings import CODE_NEEDED, USERS_ONLY, WRONG_CODE, RoomSettings
from ump.server.users.bans import REMOVED, Bans
from ump.server.users.gate import (
    AWAY_SECONDS,
    NEED_TLS,
    NO_SESSION,
    PATIENCE,
    PERHAPS_RESERVED,
    READ_AGAIN,
    RESERVED,
    SLASH,
    UNREADABLE,
    WRONG,
    Credentials,
    Gate,
    ReservedNames,
)
from ump.server.users.login_turns import DEVICE_FAILURES, Acquaintance
from ump.server.users.user_service import UserService
from ump.wire.dialect import WILL_ECHO, WONT_ECHO
from ump.wire.mjai.request_session import RequestSession
from ump.wire.names import owner_of, skeleton
from ump.wire.text import without_secrets

if TYPE_CHECKING:
    from ump.server.users.user_database import UserDatabase

TOKEN = "ump_0123456789ab_" + "x" * 43
BOUND = "ump_0123456789ac_" + "x" * 43


@dataclass(frozen=True)
class Somebody:
    """A user."""

    name: str
    why: str | None = None
    role: str = "player"
    bot: str | None = None
    login_id: str = ""

    def closed(self, now: str) -> str | None:
        """Return the message to a banned user."""
        return self.why


class Everybody:
    """Users in memory: each has the password ``open`` and its name; alice has a token."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.banned: dict[str, str] = {}
        """The messages to the users who are banned."""
        self.asked = 0
        self.networks: set[tuple[str, str]] = set()
        """Each user with a network from which it has logged in."""

    def acquaintance(self, name: str, network: str, device: str, now: str) -> Acquaintance:
        """Return what is known of a client; a device is known by the name of its user."""
        return Acquaintance(f"device {name}" if device == name else None, (name, network) in self.networks)

    def note_network(self, name: str, network: str, now: str) -> None:
        """Note that a user has logged in from a network."""
        self.networks.add((name, network))

    def login(self, name: str, password: str) -> Somebody | None:
        """Return the user of a name and its password."""
        self.asked += 1
        return Somebody(name, self.banned.get(name)) if name in self.names and password == f"open{name}" else None

    def login_with_token(self, text: str, now: str, *, is_session: bool = False) -> Somebody | None:
        """Return alice for her token, and for that of her bot."""
        self.asked += 1
        bot = "akagi" if text == BOUND else None
        return Somebody("alice", self.banned.get("alice"), bot=bot) if text in (TOKEN, BOUND) else None

    def user(self, name: str) -> Somebody:
        """Return the user of a name."""
        if name not in self.names:
            raise ValueError(name)
        return Somebody(name, self.banned.get(name))

    def is_reserved(self, name: str) -> bool:
        """Return whether a user has such a name."""
        return skeleton(owner_of(name)) in map(skeleton, self.names)

    def folded_names(self, most: int) -> frozenset[str] | None:
        """Return the names of all users, folded."""
        return frozenset(map(skeleton, self.names)) if len(self.names) <= most else None


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


@each_row(
    ("options", "name"),
    [
        ("user=alice password=openalice", "alice"),
        ("name=alice password=openalice", "alice"),
        ("name=akagi user=alice password=openalice", "alice/akagi"),
        ("name=alice/akagi user=alice password=openalice", "alice/akagi"),
        (f"name=akagi password={TOKEN}", "alice/akagi"),
        (f"user=alice password={TOKEN}", "alice"),
        (f"name=washizu password={BOUND}", "alice/akagi"),
        (f"password={BOUND}", "alice/akagi"),
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


def test_a_browser_with_a_session() -> None:
    """It plays as its user whatever it calls itself; one whose session has ended is a guest, and no failed login."""
    users = Everybody("alice", "bob")
    for cookie, said, host, expected in (
        (TOKEN, "name=carol", "127.0.0.1", "alice"),
        (TOKEN, "name=alice", "127.0.0.1", "alice"),
        (TOKEN, "user=bob password=openbob", "127.0.0.1", "bob"),
        (f"{TOKEN[:-1]}y", "name=carol", "127.0.0.1", "carol"),
        (TOKEN, "name=carol", "192.0.2.1", "carol"),
    ):
        with server_of(line_of_four(), users=users) as server:
            peer = server.connect(host)
            peer.connection.cookie = cookie
            peer.say(f"0 hello ump=0.1 {said}")
            assert (error_of(peer), players(server)) == (None, [expected])
            assert isinstance(server.host, Gate) and server.host.refused == 0
    users.banned = {"alice": "this account is closed"}
    with server_of(line_of_four(), users=users) as server:
        peer = server.connect("127.0.0.1")
        peer.connection.cookie = TOKEN
        peer.say("0 hello ump=0.1 name=carol")
        assert error_of(peer) == "this account is closed"


@each_row(
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


@each_row("shown", ["user=alice password=openalice", f"password={TOKEN}"])
def test_secrets_need_an_encrypted_or_local_connection(shown: str) -> None:
    """Elsewhere they are not even checked."""
    users = Everybody("alice")
    with server_of(line_of_four(), users=users) as server:
        assert error_of(hello(server, shown, host="192.0.2.1")) == NEED_TLS
        behind_a_proxy = server.connect(header=OF_PROXY)
        behind_a_proxy.say(f"0 hello {shown}")
        assert error_of(behind_a_proxy) == NEED_TLS
        assert users.asked == 0
        over_tls = server.connect(header=replace(OF_PROXY, is_encrypted=True))
        over_tls.say(f"0 hello {shown}")
        assert error_of(over_tls) is None


def test_failures_make_the_next_attempts_wait() -> None:
    """The first failure is reported at once; the next attempt is checked after a second, the third after two more."""
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


class Elsewhere:
    """The attempts at another server, where the last one has just failed."""

    def __init__(self) -> None:
        self.waits = [3.0, 0.0, 0.0]
        self.tried: list[tuple[str, str | None]] = []
        self.succeeded: list[tuple[str, str | None]] = []

    def attempt(self, own: str, line: str | None) -> float:
        """Return the seconds to wait."""
        self.tried.append((own, line))
        return self.waits.pop(0)

    def succeed(self, own: str, line: str | None) -> None:
        """Note whose attempt was right."""
        self.succeeded.append((own, line))


def test_failures_at_other_servers_make_the_next_attempt_wait() -> None:
    """The password is not looked at before; a right one is reported to the other servers, a wrong one was counted."""
    users, elsewhere = Everybody("alice"), Elsewhere()
    with server_of(line_of_four(), users=users, attempts=elsewhere) as server:
        hello(server, "user=alice password=openalice")
        server.clock.advance(2.9)
        assert (users.asked, players(server)) == (0, [])
        server.clock.advance(0.2)
        assert (users.asked, players(server)) == (1, ["alice"])
        account = f"user {skeleton('alice')!a}"
        stranger, pair = ("network 127.0.0.0/24", account), (f"127.0.0.0/24 {account}", None)
        assert (elsewhere.tried, elsewhere.succeeded) == ([stranger] * 2, [stranger])
        assert error_of(hello(server, "user=alice password=no")) == WRONG
        assert (elsewhere.tried[2:], len(elsewhere.succeeded)) == ([pair], 1)
        elsewhere.waits = [0.0]
        cast(Gate, server.host).authenticate("", Credentials("\0\ud800", "no")).addErrback(lambda _: None)
        own, line = elsewhere.tried[-1]
        assert own.isprintable() and own.isascii() and own == f"local {line}"  # PostgreSQL takes no other


def test_a_client_that_leaves_while_it_waits_for_other_servers() -> None:
    """Its password is never looked at."""
    users = Everybody("alice")
    with server_of(line_of_four(), users=users, attempts=Elsewhere()) as server:
        hello(server, "user=alice password=openalice").hang_up()
        server.clock.advance(10.0)
        assert users.asked == 0


@each_row("host", ["127.0.0.1", "127.0.0.{}"])
def test_attempts_that_arrive_together_wait_for_each_other(host: str) -> None:
    """Of ten passwords for a user, from one host or many, one is checked before the first failure is counted."""
    threads = Threads()
    users = Everybody("alice")
    with server_of(line_of_four(), users=users, in_thread=threads.call) as server:
        peers = [hello(server, "user=alice password=no", host=host.format(number + 1)) for number in range(10)]
        peers[1].hang_up()
        threads.finish_all()
        assert users.asked == 1
        for seconds, asked in ((0.9, 1), (0.2, 2), (1.8, 2), (0.3, 3)):
            server.clock.advance(seconds)
            threads.finish_all()
            assert users.asked == asked


def test_attempts_of_a_device_that_arrive_together() -> None:
    """Ten are checked, and one of a stranger: the others wait."""
    threads, users = Threads(), Everybody("alice")
    with server_of(line_of_four(), users=users, in_thread=threads.call) as server:
        gate = cast(Gate, server.host)
        for _ in range(30):
            gate.authenticate("127.0.0.1", Credentials("alice", "no", device="alice")).addErrback(lambda _: None)
        threads.finish_all()
        assert users.asked == DEVICE_FAILURES + 1
        server.clock.advance(PATIENCE)  # the requests end


def test_right_passwords_that_arrive_together_are_all_checked() -> None:
    """One after the other, without a wait."""
    threads = Threads()
    with server_of(line_of_four(), in_thread=threads.call) as server:
        for bot in "abc":
            hello(server, f"name={bot} user=alice password=openalice")
        threads.finish_all()
        assert players(server) == ["alice/a", "alice/b", "alice/c"]


def test_a_login_does_not_end_the_waits_of_its_host() -> None:
    """A user cannot log in again and again to guess the passwords of others without waiting."""
    users = Everybody("alice", "bob")
    with server_of(line_of_four(), users=users) as server:
        for name in ("x", "y", "z"):
            hello(server, f"user={name} password=no")
            server.clock.advance(4.1)
            hello(server, f"name={name} user=bob password=openbob")
        assert users.asked == 6
        hello(server, "user=alice password=no")
        hello(server, "user=y password=no")
        server.clock.advance(7.9)
        assert users.asked == 7
        server.clock.advance(0.2)
        assert users.asked == 8


@each_row("shown", ["user=bob password=openbob", f"password={TOKEN}"])
def test_users_of_one_host_do_not_wait_for_each_other(shown: str) -> None:
    """A user who has logged in from a host waits for none of its failures, but for those of the same user."""
    users = Everybody("alice", "bob")
    with server_of(line_of_four(), users=users) as server:
        hello(server, f"name=first {shown}")
        for name in ("x", "y", "z"):
            hello(server, f"user={name} password=no")
            server.clock.advance(10)
        assert error_of(hello(server, f"name=second {shown}")) is None
        assert users.asked == 5
        elsewhere = hello(server, f"name=third {shown}", host="127.0.0.2")
        assert (error_of(elsewhere), users.asked) == (None, 6)


def test_a_user_waits_for_own_failures_also_at_a_known_host() -> None:
    """Else a password could be guessed from there without a wait."""
    users = Everybody("bob")
    with server_of(line_of_four(), users=users) as server:
        hello(server, "name=first user=bob password=openbob")
        hello(server, "user=bob password=no")
        server.clock.advance(20)
        hello(server, "user=bob password=no")
        assert users.asked == 3
        hello(server, "name=fourth user=bob password=openbob")
        assert users.asked == 3
        server.clock.advance(2.1)
        assert users.asked == 4


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
        assert threads.finish() == 1
        first.hang_up()
        threads.finish_all()
        assert players(server) == ["bob"]
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


def test_a_database_that_is_away_is_logged_once() -> None:
    """Until it has been back: every connection would write a line otherwise."""

    class Away(Everybody):
        """A database that is away now and then."""

        is_away = True

        def is_reserved(self, name: str) -> bool:
            """Raise, or return an answer."""
            if self.is_away:
                raise DatabaseAway("connection refused")
            return False

    users = Away()
    with server_of(line_of_four(), users=users) as server, capturedLogs() as events:
        for is_away in (True, True, False, True):
            users.is_away = is_away
            hello(server, "name=carol")
            server.clock.advance(AWAY_SECONDS)
        lines = [event["log_format"] for event in events if event["log_level"].name == "error"]
    assert lines == ["the users cannot be read: {error}"] * 2


class AwayLater(Everybody):
    """A database that can be taken away, and counts how often it is asked."""

    is_away = False
    asked = 0

    def is_reserved(self, name: str) -> bool:
        """Return an answer, or raise."""
        self.asked += 1
        if self.is_away:
            raise DatabaseAway("connection refused")
        return super().is_reserved(name)

    def folded_names(self, most: int) -> frozenset[str] | None:
        """Return the names, or raise."""
        if self.is_away:
            raise DatabaseAway("connection refused")
        return super().folded_names(most)

    def login(self, name: str, password: str) -> Somebody | None:
        """Check a password, or raise."""
        if self.is_away:
            raise DatabaseAway("connection refused")
        return super().login(name, password)


def test_guests_while_the_database_is_away() -> None:
    """A guest gets in under a name that was nobody's a short time ago; a user does not, nor a name that looks so."""
    users = AwayLater("alice", "bob")
    with server_of(line_of_four(), users=users) as server:
        hello(server, "name=carol")
        users.is_away = True
        guest, anonymous = hello(server, "name=dora"), hello(server, "")
        assert (error_of(guest), error_of(anonymous)) == (None, None)
        asked = users.asked
        assert error_of(hello(server, "name=bob")) == PERHAPS_RESERVED
        assert error_of(hello(server, "name=A1ice")) == PERHAPS_RESERVED
        assert error_of(hello(server, "name=alice password=openalice")) == UNREADABLE
        assert players(server) == ["carol", "dora", "guest-1"]
        assert users.asked == asked  # a database that does not answer would hold up everybody
        server.clock.advance(AWAY_SECONDS)
        users.is_away = False
        assert error_of(hello(server, "name=bob")) == RESERVED


def test_guests_of_a_database_that_was_never_read() -> None:
    """No name is known to be free."""
    users = AwayLater("alice")
    users.is_away = True
    with server_of(line_of_four(), users=users) as server:
        assert error_of(hello(server, "name=carol")) == PERHAPS_RESERVED
        assert error_of(hello(server, "")) is None


def test_a_guest_in_a_room_for_users_while_the_database_is_away() -> None:
    """The room asks for a user as always."""
    users = AwayLater("alice")
    with server_of(line_of_four(access="users"), users=users) as server:
        hello(server, "name=carol")
        users.is_away = True
        assert error_of(hello(server, "name=dora")) == USERS_ONLY
        assert players(server) == []


@each_row(
    ("seconds", "users", "is_due"),
    [(READ_AGAIN - 1, "first", False), (READ_AGAIN, "first", True), (0, "second", True)],
)
def test_names_are_read_again(seconds: float, users: str, is_due: bool) -> None:
    """After some time, and when the server gets another database: then the old names say nothing."""
    names = ReservedNames()
    assert names.is_due("first", 0)
    names.take("first", {skeleton("alice")})
    assert names.is_due(users, seconds) == is_due
    assert names.may_have(users, "alice/bot")
    assert names.may_have(users, "carol") == (users == "second")
    names.take("third", ())
    assert names.may_have(users, "alice")


@each_row("shown", [f'"password":"{TOKEN}"', '"user":"alice","password":"openalice"'])
def test_an_mjai_client_logs_in(shown: str) -> None:
    """With two fields of its join."""
    with server_of(line_of_four()) as server:
        say(server, f'{{"type":"join","name":"akagi","room":"default",{shown}}}', port="mjai")
        assert players(server) == ["alice/akagi"]


@each_row("token", [TOKEN, f"{TOKEN} washizu"])
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

    def finish_all(self) -> None:
        """Do all calls, and those that these cause."""
        while self.finish():
            pass


class BearerClient:
    """Carries a connection, and reads nothing."""

    host, peer, is_private = "127.0.0.1", "bot", True
    transport_name = "test"

    def send(self, messages: list[str]) -> None:
        """Forget messages."""

    def stop_reading(self) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""

    def cut(self) -> None:
        """Do nothing."""


def test_a_person_logs_in() -> None:
    """A line with = is read like a hello; the person reads that it sits down when the server has let it in."""
    with server_of(line_of_four()) as server:
        peer = say(server, "hello name=alice password=openalice", port="telnet")
        assert players(server) == ["alice"]
        assert "You sit down in main as alice. Type help at any time." in peer.heard()


class Remembered:
    """A trace in memory."""

    def __init__(self) -> None:
        self.text = ""

    def received(self, message: bytes) -> None:
        """Take a message of the client."""
        self.text += without_secrets(message.decode())

    def sent(self, messages: Iterable[str]) -> None:
        """Take messages to the client."""
        self.text += "".join(messages)

    def remark(self, text: str) -> None:
        """Take a remark of the server."""
        self.text += text

    def close(self) -> None:
        """End."""


@each_row("name", ["alice", "hello name=alice"])
def test_a_password_that_is_not_shown(name: str) -> None:
    """A person with a user's name is asked for the password; the terminal does not show it, and no trace has it."""
    with server_of(line_of_four(), users=Everybody("alice")) as server:
        peer = server.connect("127.0.0.1", port="telnet")
        trace = peer.connection.trace = Remembered()
        peer.say(name)
        assert peer.heard()[-1].endswith("alice is a user of this server. Password:")
        assert peer.wire.writes.count(WILL_ECHO) == 1
        peer.send(b"\xff\xfd\x01no t\x7f\x7fopen\r\n")
        assert any(WRONG in line for line in peer.heard())
        assert [data for data in peer.wire.writes if WONT_ECHO in data] == [WONT_ECHO + b"\r\n"]
        server.clock.advance(2)
        peer.say(name)
        peer.send(b"openalice\r\n")
        assert players(server) == ["alice"]
        said = peer.heard()
        assert [line for line in said if line.startswith("You sit down")] == [
            "You sit down in main as alice. Type help at any time."
        ]
    assert not [word for word in ("openalice", "noopen", "no%20open") if word in trace.text]
    assert trace.text.count("password=***") == 2


def test_a_name_without_its_password() -> None:
    """Enter alone leads back to the first prompt, and then plays as a guest."""
    with server_of(line_of_four()) as server:
        peer = server.connect("127.0.0.1", port="telnet")
        for line in ("alice", "", ""):
            peer.say(line)
        assert players(server) == ["guest-1"]


def test_no_password_over_an_open_connection() -> None:
    """The server asks for no password that others could read."""
    with server_of(line_of_four()) as server:
        peer = server.connect("192.0.2.1", port="telnet")
        peer.say("alice")
        assert WILL_ECHO not in peer.wire.writes
        assert any("this name belongs to a user" in line for line in peer.heard())


def test_refusals_come_alone() -> None:
    """A person that a room does not let in does not read that it sits down there."""
    with server_of(room("club", access="users")) as server:
        said = say(server, "hello name=carol", port="telnet").heard()
        assert any("That is not possible" in line for line in said)
        assert not any("sit down" in line for line in said)


def test_a_user_who_is_banned_while_connected() -> None:
    """The ban counts before the next game, and so does the removal of a user; guests and others play on."""
    users = Everybody("alice", "bob", "dora")
    with server_of(room(length="kyoku"), users=users) as server:
        peers = [hello(server, f"name={name} user={name} password=open{name} _games=0") for name in users.names]
        robots = [*map(Robot, peers), *server.robots("carol", options="_games=0")]
        users.banned["alice"] = "this account is closed"
        users.names = ("alice", "bob")
        server.play(robots, until=lambda: players(server) != ["alice", "bob", "carol", "dora"])
        assert [peer.is_connected for peer in peers] == [False, True, False]
        assert [error_of(peer) for peer in peers] == ["this account is closed", None, REMOVED]
        assert players(server) == ["bob", "carol"]


def test_a_closed_account() -> None:
    """Every dialect tells the right password until when and why; a wrong one hears nothing of it."""
    users, why = Everybody("alice"), "this account is closed until 2027-01-01: two accounts"
    users.banned["alice"] = why
    with server_of(users=users) as server, capturedLogs() as events:
        assert error_of(hello(server, "user=alice password=openalice")) == why
        assert error_of(hello(server, "user=alice password=openalice ump=0.2")) == why
        assert error_of(hello(server, f"password={TOKEN}")) == why
        mjai = say(server, '{"type":"join","name":"alice","room":"main","password":"openalice"}', port="mjai")
        person = say(server, "hello name=alice", port="telnet")
        person.say("openalice")
        assert all(why in " ".join(peer.heard()) for peer in (mjai, person))
        assert error_of(hello(server, "user=alice password=openbob")) == WRONG
        late = hello(server, "user=openalice password=alice")
        server.clock.advance(1.0)
        assert error_of(late) == WRONG
    told = [formatEvent(event) for event in events]
    assert sum("a login was refused for alice: " in line for line in told) >= 3
    assert any(line.endswith("a login failed for alice") for line in told)
    assert any(line.endswith("a login failed") for line in told)
    assert not any("openalice" in line for line in told)


def test_bans_are_enforced() -> None:
    """Connections of banned users and networks are closed, and the networks kept out; a proxy is never banned."""
    users = Everybody("alice", "bob")
    with server_of(line_of_four(), users=users) as server:
        alice, bob = (hello(server, f"user={name} password=open{name}") for name in users.names)
        guest, neighbour = (hello(server, f"name=g{number}", host=f"192.0.2.{number}") for number in (7, 200))
        proxied = hello(server, "name=p", host="10.0.0.1")
        service = UserService(
            server.lobby,
            cast("UserDatabase", users),
            server.clock,
            server.connections,
            attempts=None,
            proxies=[read_network("10.0.0.1")],
        )
        bans = Bans([read_network("192.0.2.0/25"), read_network("10.0.0.0/8")], {"alice": "this account is closed"})
        assert service.enforce(bans) == 2
        assert [each.is_connected for each in (alice, bob, guest, neighbour, proxied)] == [
            False,
            True,
            False,
            True,
            True,
        ]
        assert error_of(guest) == REMOVED
        assert not server.connections.admits("192.0.2.7", 0.0)
        assert service.enforce(Bans((), {})) == 0
        assert server.connections.admits("192.0.2.7", 0.0)
        bob.connection.login_id = "0123456789ab"
        assert service.enforce(Bans((), {}, {"0123456789ab"})) == 1
        assert error_of(bob) == NO_SESSION


def test_looks_at_bans_are_shared() -> None:
    """An arrival during a look waits for one that begins later, and many wait for the same."""
    with server_of(line_of_four()) as server:
        reads: list[Deferred[Bans]] = []

        class Slow(UserService):
            """A service whose database takes its time."""

            def _in_thread(self, call: Callable[..., Any], *arguments: object) -> Deferred[Any]:
                reads.append(Deferred())
                return reads[-1]

        users = cast("UserDatabase", SimpleNamespace(bans_of=None))
        service = Slow(server.lobby, users, server.clock, server.connections, attempts=None, proxies=())
        ended: list[int] = []
        for number in range(4):
            service.enforce_bans().addCallback(lambda _, number: ended.append(number), number)
        assert (len(reads), ended) == (1, [])
        reads[0].callback(Bans((), {}))
        assert (len(reads), ended) == (2, [0])
        reads[1].errback(DatabaseAway("gone"))
        assert (len(reads), ended) == (2, [0, 1, 2, 3])


def test_bans_of_other_servers_come_before_a_seating() -> None:
    """With the fourth player a game would begin, but the first one has been banned meanwhile."""
    users = Everybody("alice", "bob")
    with server_of(line_of_four(), users=users) as server:
        alice = hello(server, "user=alice password=openalice")
        hello(server, "name=c1")
        hello(server, "name=c2")

        def look() -> Deferred[None]:
            """Act on the ban."""
            alice.connection.fail(REMOVED)
            return succeed(None)

        assert isinstance(server.host, Gate)
        server.host._look = look
        hello(server, "user=bob password=openbob")
        assert players(server) == ["bob", "c1", "c2"]
        assert not server.rooms[0].tables


def test_bans_of_other_servers_come_before_built_in_bots() -> None:
    """Alice is banned while she waits for them; nobody's arrival would have told."""
    users = Everybody("alice")
    with server_of(room(house=["tsumogiri:3"], house_after=3), users=users) as server:
        alice = hello(server, "user=alice password=openalice")
        users.banned["alice"] = "this account is closed"
        server.clock.advance(3)
        assert error_of(alice) == "this account is closed"
        assert not server.rooms[0].tables


def test_a_name_that_is_taken_while_a_guest_has_it() -> None:
    """The guest plays its game to the end, and no other one under the name of a user."""
    users = Everybody("alice")
    with server_of(room(length="kyoku", house=["tsumogiri:3"], house_after=0), users=users) as server:
        robot = Robot(hello(server, "name=bob _games=2"))
        server.clock.advance(0)
        users.names = ("alice", "bob")
        server.play([robot])
        assert [line.split()[1] for line in robot.peer.lines].count("gameend") == 1
        assert error_of(robot.peer) == RESERVED


def test_users_that_cannot_be_read_before_a_game() -> None:
    """Nobody is turned away by that, and the log has the reason."""

    class Flaky(Everybody):
        """A file that is gone after the login."""

        def user(self, name: str) -> Somebody:
            """Raise."""
            raise ValueError("there is no such file")

        is_reserved = user  # type: ignore[assignment]

    with server_of(users=Flaky("alice")) as server, capturedLogs() as events:
        robot = Robot(hello(server, "user=alice password=openalice _games=2"))
        server.play([robot])
        assert [line.split()[1] for line in robot.peer.lines].count("gameend") == 2
    assert "the users cannot be read" in [event["log_format"] for event in events]


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


@each_row(
    ("line", "reply"),
    [
        ("hello name=carol _room=cup:Sakura7", None),
        ("hello name=carol _watch=cup:Sakura7", None),
        ("hello name=carol _room=cup", CODE_NEEDED),
        ("hello name=carol _room=cop:Sakura7", "unknown room 'cop'; choose open, club, cup or finals"),
        ("carol cup:Sakura7", None),
        ("Cup：Sakura7", None),
        ("watch cup:Sakura7", None),
        ("carol cop:Sakura7", "unknown room 'cop'; choose open, club, cup or finals"),
        ("cup:Sakura7 carol", "NAME ROOM:CODE"),
        ("carol cup: Sakura7", "NAME ROOM:CODE"),
        ("cup:Sakura7 open", "NAME ROOM:CODE"),
        ("hello name=cup:Sakura7", "NAME ROOM:CODE"),
        ("hello name=carol cup:Sakura7", "NAME ROOM:CODE"),
    ],
)
def test_a_person_with_an_invitation(line: str, reply: str | None) -> None:
    """The code stands in a hello, or last; it is never repeated, nor taken for a part of a name."""
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


@each_row(
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
    """Only where secrets are taken: a proxy can say that it encrypts."""
    with server_of(line_of_four(), users=Everybody("alice")) as server:
        assert "_auth=password,token" in server.connect("127.0.0.1").heard()[0]
        assert "_auth" not in server.connect("192.0.2.1").heard()[0]
        assert "_auth" not in server.connect("127.0.0.1", header=OF_PROXY).heard()[0]
        encrypted = server.connect("192.0.2.1", header=replace(OF_PROXY, is_encrypted=True))
        assert "_auth=password,token" in encrypted.heard()[0]
        assert encrypted.protocol.transport_name == "tls"
