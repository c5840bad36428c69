"""Signals: files are read again, the log is rotated, and a lost terminal ends the server."""

from __future__ import annotations

import os
import pty
import signal
import socket
import ssl
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from support.certificates import certificate
from support.memory_server import Peer, connect_peer
from support.programs import UMP, Program, running
from support.rows import each_row
from twisted.internet.address import IPv4Address
from twisted.internet.defer import maybeDeferred
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import ILogObserver, LogEvent, capturedLogs, globalLogPublisher
from zope.interface import provider

from ump.net.endpoints import LOCAL, read_endpoint
from ump.net.lines import Lines
from ump.net.listener import with_backlog
from ump.server.config import read_command_line, server_settings
from ump.server.log_file import LogFileOptions, RotatedLog
from ump.server.service import Server
from ump.server.settings import ServerSettings, all_options

Served = tuple[Program, Callable[[str], str]]

SECONDS = 60
"""Time after which a test has failed."""


class Reloadable:
    """A server in memory, with a file of rooms and a deny list."""

    def __init__(self, folder: Path) -> None:
        self.rooms = folder / "ump.toml"
        self.denied = folder / "denied.txt"
        self.denied.write_text("192.0.2.66\n", "utf-8")
        self.write("rules = 'tenhou'", "main", "old")
        given = {"config": [str(self.rooms)], "deny": [str(self.denied)], "record-dir": ["none"], "listen": ["19000"]}
        closed = {port: ["none"] for port in ("mjai", "http")}
        options = all_options()
        self.reactor = MemoryReactorClock()

        def settings() -> ServerSettings:
            return server_settings(read_command_line({**given, **closed}, options))

        self.server = Server(settings(), self.reactor, settings_again=settings)
        self.server.startService()

    def write(self, above: str, *rooms: str) -> None:
        """Write the file of rooms."""
        self.rooms.write_text("\n".join([above, *(f"[rooms.{name}]" for name in rooms)]), "utf-8")

    def admits(self, host: str) -> bool:
        """Tell whether a host may connect."""
        return self.reactor.tcpServers[0][1].buildProtocol(IPv4Address("TCP", host, 40_000)) is not None

    def enter(self, room: str, host: str = "192.0.2.1") -> Peer:
        """Let a client say hello to a room."""
        lines = self.reactor.tcpServers[0][1].buildProtocol(IPv4Address("TCP", host, 40_000))
        assert isinstance(lines, Lines)
        peer = connect_peer(lines, IPv4Address("TCP", host, 40_000))
        peer.say(f"0 hello ump=0.1 name=at-{host} _room={room}")
        return peer


@pytest.fixture
def reloadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reloadable]:
    """Start a server that needs no threads, and stop it after the test."""
    monkeypatch.setattr(Server, "_from_thread", lambda _, call: maybeDeferred(call))
    opened = Reloadable(tmp_path)
    yield opened
    opened.server.stopService()


@each_row("start", [Server.startService, Server.privilegedStartService])
def test_signals_are_handled_before_a_port_is_open(start: Callable[[Server], None]) -> None:
    """A program that waits for the line of the log may send SIGHUP at once; the server does not die of it."""
    given = {"record-dir": ["none"], "listen": ["19000"], "mjai": ["none"], "http": ["none"]}
    server = Server(server_settings(read_command_line(given, all_options())), MemoryReactorClock())
    handled: dict[str, bool] = {}

    @provider(ILogObserver)
    def note(event: LogEvent) -> None:
        handled[event.get("log_format") or ""] = signal.getsignal(signal.SIGHUP) is not signal.SIG_DFL

    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    globalLogPublisher.addObserver(note)
    try:
        start(server)
        assert handled["listening on {host} port {port}"]
        server.stopService()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL
    finally:
        globalLogPublisher.removeObserver(note)
        signal.signal(signal.SIGHUP, before)


def test_rooms_and_the_deny_list_are_read_again(reloadable: Reloadable) -> None:
    """New rooms open, removed ones close, the others get their new rules, and denied addresses stay out."""
    waiting = reloadable.enter("old")
    playing = [reloadable.enter("main") for _ in range(4)]
    assert "gamestart" in playing[0].words()
    reloadable.write("rules = 'mleague'", "main", "new")
    reloadable.denied.write_text("192.0.2.77\n", "utf-8")
    reloadable.server.reload()
    assert not waiting.is_connected
    assert waiting.heard()[-1].endswith("error this%20room%20has%20been%20closed;%20choose%20another%20one")
    assert all(each.is_connected for each in playing)
    assert reloadable.enter("new").is_connected
    assert not reloadable.enter("old").is_connected
    assert not reloadable.admits("192.0.2.77")
    assert reloadable.enter("main", host="192.0.2.66").is_connected
    assert reloadable.server._all_rooms["main"].settings.ruleset.name == "mleague"
    assert reloadable.enter("main").heard()[0].count("_rule=mleague") == 1


def test_options_that_need_a_restart(reloadable: Reloadable) -> None:
    """The answer names those that were changed in the file but are not read again."""
    read: list[str] = []
    reloadable.server.read_again().addCallback(read.append)
    reloadable.write("waiting = 7\ntelnet = 19002\nlog_format = 'json'\ntime = '5+10'", "main")
    reloadable.server.read_again().addCallback(read.append)
    assert read == [
        "2 rooms, 1 denied addresses and networks",
        "1 rooms, 1 denied addresses and networks; these need a restart: log_format, telnet, waiting",
    ]


def test_after_a_mistake_everything_stays(reloadable: Reloadable) -> None:
    """A file with a mistake changes nothing, and the log has the mistake."""
    reloadable.write("rules = 'tenho'", "new")
    with capturedLogs() as events:
        reloadable.server.reload()
    assert reloadable.enter("old").is_connected
    assert any("tenho" in event.get("error", "") for event in events)


@pytest.mark.once
@pytest.mark.parametrize("kind", ["ssl", "tls"])
def test_certificates_are_read_again(tmp_path: Path, kind: str) -> None:
    """After a renewal, new connections get the new certificate; one that does not fit its key changes nothing."""
    path = tmp_path / "localhost.pem"
    path.write_bytes(certificate())
    endpoint = {"ssl": f"ssl:0:interface=127.0.0.1:privateKey={path}:certKey={path}", "tls": f"tls:{tmp_path}:0"}[kind]
    with served("--listen", endpoint) as (server, log):
        port = int(log(r"listening on \S+ port (\d+)"))
        first = ssl.get_server_certificate(("127.0.0.1", port), timeout=SECONDS)
        path.write_bytes(certificate())
        server.send_signal(signal.SIGHUP)
        log(r"the certificates have been (read) again")
        second = ssl.get_server_certificate(("127.0.0.1", port), timeout=SECONDS)
        assert first != second
        path.write_bytes(b"no certificate")
        server.send_signal(signal.SIGHUP)
        log(r"the certificates (stay)")
        assert ssl.get_server_certificate(("127.0.0.1", port), timeout=SECONDS) == second


@pytest.mark.once
def test_connections_outlive_the_renewal_of_certificates(tmp_path: Path) -> None:
    """A client that connected before SIGHUP is still answered afterwards, on the same connection."""
    path = tmp_path / "localhost.pem"
    path.write_bytes(certificate())
    context = ssl.create_default_context(cafile=str(path))
    with served("--listen", f"ssl:0:interface=127.0.0.1:privateKey={path}:certKey={path}") as (server, log):
        address = ("127.0.0.1", int(log(r"listening on \S+ port (\d+)")))
        plain = socket.create_connection(address, timeout=SECONDS)
        with context.wrap_socket(plain, server_hostname="localhost") as client, client.makefile("rb") as lines:
            assert lines.readline().startswith(b"0 hello ")
            before = client.getpeercert(binary_form=True)
            path.write_bytes(certificate())
            server.send_signal(signal.SIGHUP)
            log(r"the certificates have been (read) again")
            client.sendall(b"0 bye\n")
            assert lines.readline() == b"1 bye\r\n"
            renewed = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(address, timeout=SECONDS))
            assert renewed != before


FEW_DESCRIPTORS = """\
import resource, runpy
resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300))
runpy.run_module("ump", run_name="__main__")
"""
"""Begins as ``python -m ump`` does, but may open few files."""


@contextmanager
def served(*options: str, program: Sequence[str] = UMP, **streams: int) -> Iterator[Served]:
    """Run a server; yield its process, and a function that waits for a line of its log and returns the first group."""
    closed = ["--record-dir=none", "--mjai=none", "--http=none"]
    with running(*program, "serve", *closed, *options, **streams) as server:
        yield server, lambda pattern: server.read_until(pattern)[1]


@pytest.mark.once
def test_a_lost_terminal_ends_the_server(tmp_path: Path) -> None:
    """SIGHUP reads files again while the terminal is there, and ends the server as SIGTERM does when it is gone."""
    master, slave = pty.openpty()
    log_file = tmp_path / "ump.log"
    with served("--listen=0", f"--log-file={log_file}", stdin=slave) as (server, log):
        os.close(slave)
        address = ("127.0.0.1", int(log(r"listening on \S+ port (\d+)")))
        with socket.create_connection(address, SECONDS) as client:  # it takes signals a moment after it listens
            assert client.recv(8) == b"0 hello "
        server.send_signal(signal.SIGHUP)
        log("(read again: .* networks)$")
        server.send_signal(signal.SIGUSR1)
        log("(a new file)")
        os.close(master)
        server.send_signal(signal.SIGHUP)
        log("(the terminal is gone)")
        log("(goodbye)")
        assert server.wait(SECONDS) == -signal.SIGTERM
    first = log_file.with_name("ump.log.1").read_text("utf-8")
    assert first.count("listening on") == 1  # Twisted repeats the lines from before its own log began
    assert "starting on" not in first
    assert "read again" in first
    assert "the terminal is gone" in log_file.read_text("utf-8")
    assert stat.S_IMODE(log_file.stat().st_mode) == 0o640


def test_a_log_file_is_rotated(tmp_path: Path) -> None:
    """A file of the chosen size is renamed, and only so many older ones are kept."""
    log = RotatedLog(tmp_path / "ump.log", LogFileOptions(size=1, files=2))
    for number in range(5):
        log.write(f"{number} \udc80" + "x" * 1024 * 1024 + "\n")
    log.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ump.log", "ump.log.1", "ump.log.2"]
    assert (tmp_path / "ump.log").read_text("utf-8").startswith("4 \\udc80")


@each_row(
    ("endpoint", "complete"),
    [
        (LOCAL.format(19000), f"{LOCAL.format(19000)}:backlog=9"),
        ("tcp:19000:backlog=5", "tcp:19000:backlog=5"),
        ("haproxy:tcp:19000", "haproxy:tcp:19000:backlog=9"),
        ("unix:/run/ump.sock", "unix:/run/ump.sock:backlog=9"),
        ("systemd:domain=INET:index=0", "systemd:domain=INET:index=0"),
    ],
)
def test_the_backlog_of_endpoints(endpoint: str, complete: str) -> None:
    """Sockets that the server opens itself get the backlog, unless the endpoint has one."""
    assert with_backlog(endpoint, 9) == complete


def test_the_backlog_is_that_of_the_option() -> None:
    """A port is opened with as many waiting connections as the operator allows, by default 1,024."""
    for options, backlog in (([], 1_024), (["9"], 9)):
        given = {"backlog": options, "record-dir": ["none"], "listen": ["19000"], "mjai": ["none"], "http": ["none"]}
        reactor = MemoryReactorClock()
        server = Server(server_settings(read_command_line(given, all_options())), reactor)
        server.startService()
        assert reactor.tcpServers[0][2] == backlog
        server.stopService()


@pytest.mark.once
def test_a_hundred_bots_connect_at_once() -> None:
    """All of them are connected before the server has accepted one, and none has to try again."""
    with served("--listen=0") as (server, log), ExitStack() as open_sockets:
        address = ("127.0.0.1", int(log(r"listening on \S+ port (\d+)")))
        server.send_signal(signal.SIGSTOP)
        try:
            bots = [open_sockets.enter_context(socket.create_connection(address, SECONDS)) for _ in range(100)]
        finally:
            server.send_signal(signal.SIGCONT)
        assert {bot.recv(8) for bot in bots} == {b"0 hello "}


@pytest.mark.once
def test_few_descriptors_lower_the_limits() -> None:
    """The limit of the process is read at the start, and the log names the new limits."""
    with served("--listen=0", program=["-c", FEW_DESCRIPTORS]) as (_, log):
        first = log(r"(leaves room for \d+ connections|listening)")
        assert 0 < int(first.split()[3]) < 300


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Twisted does
@pytest.mark.parametrize("kind", ["ssl", "tls"])
def test_certificates_are_checked_at_the_start(tmp_path: Path, kind: str) -> None:
    """A certificate that is none, or that does not fit its key, is refused with the options."""
    key, other = tmp_path / "localhost.pem", tmp_path / "other.txt"
    key.write_bytes(certificate())
    other.write_bytes(certificate().partition(b"-----BEGIN CERT")[0])
    (tmp_path / "only.txt").write_bytes(b"".join(certificate().rpartition(b"-----BEGIN CERT")[1:]))
    good = {"ssl": f"ssl:19443:privateKey={key}:certKey={key}", "tls": f"tls:{tmp_path}:19443"}[kind]
    assert read_endpoint(good) == good
    if kind == "tls":
        key.write_text("no certificate", "utf-8")
    with pytest.raises(ValueError, match="because its certificate cannot be used"):
        read_endpoint(good if kind == "tls" else f"ssl:19443:privateKey={other}:certKey={tmp_path / 'only.txt'}")
