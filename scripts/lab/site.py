"""A site of three servers: HAProxy with our configuration before them, and one database of PostgreSQL behind them."""

from __future__ import annotations

import json
import re
import shutil
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from support.certificates import certificate
from support.databases import missing, postgres_server

from scripts.lab.processes import LOOPBACK, ROOT, Process, Usage, free_port, usage_of, wait_until
from scripts.lab.server import UpgradedServer
from ump.bots.links import LineLink, Link, Service, WebSocketLink, read_address

SECONDS = 60.0  # time limit for each step
NO_HEADERS: Mapping[str, str] = {}
NO_OPTIONS: Mapping[str, Sequence[str]] = {}
ADDRESS = re.compile(r"(?:bind |192\.0\.2\.[123]):\d+")  # an address in the configuration of HAProxy
ROOMS = {"a": "main", "b": "club", "c": "lounge"}  # a room of each server

QUICK_TWIST = (
    "import runpy; from ump.server import journals, shared_site;"
    " journals.LOOK = shared_site.PERIOD = 0.3; shared_site.AWAY = 3.0;"
    " from ump.server.users import user_service; user_service.LOOK_SECONDS = 0.3;"
    ' runpy.run_module("twisted", run_name="__main__", alter_sys=True)'
)
"""``python -m twisted`` with servers that tell each other their news seven times as often."""

HAPROXY = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin")


class Answer(NamedTuple):
    """The answer of HTTP."""

    status: int
    cookie: str
    """The header that sets it."""
    body: bytes


class Site:
    """Three servers and the proxy, on free ports of 127.0.0.1."""

    def __init__(
        self,
        url: str,
        folder: Path,
        *options: str,
        own: Mapping[str, Sequence[str]] = NO_OPTIONS,
        opened: Sequence[str] = (),
        is_quick: bool = False,
    ) -> None:
        """``options`` are those of all servers; quick ones tell each other their news seven times as often.

        ``own`` are those of some servers by letter, in place of the option for its room; ``opened`` are the options of
        further ports, which are not behind the proxy.
        """
        self._proxy: Process | None = None
        self._links: list[Link] = []
        self.url = url
        """The URL of the database."""
        self._folder = folder
        self._configuration = (ROOT / "contrib" / "haproxy.cfg").read_text("utf-8")
        self._ports = {written: free_port() for written in ADDRESS.findall(self._configuration)}
        """The free ports, by what the configuration has in their places."""
        self._opened = {name: {option: free_port() for option in opened} for name in ROOMS}
        self._own = {name: (f"--room={room}",) for name, room in ROOMS.items()} | dict(own)
        self.certificate = folder / "site.pem"
        self.certificate.write_bytes(certificate())
        program = ("-c", QUICK_TWIST) if is_quick else ("-m", "twisted")
        common = (f"--site={url}", *options)
        self.servers = {name: UpgradedServer(self._command(name, program, common), 2 + len(opened)) for name in ROOMS}

    def _command(self, name: str, program: Sequence[str], options: Sequence[str]) -> list[str]:
        """Return the command that starts a server."""
        command = [sys.executable, *program, "--log-format=text", "ump-server"]
        command += [*self._own[name], f"--letter={name}", f"--record-dir={self.records(name)}", "--mjai=none"]
        command += [f"--{option}={port}" for option, port in self._opened[name].items()]
        for option, port in (("listen", 19_000), ("http", 8_080)):
            behind = self._ports[f"192.0.2.{1 + list(ROOMS).index(name)}:{port}"]
            command.append(f"--{option}=haproxy:tcp:{behind}:interface={LOOPBACK}")
        return [*command, *options]

    def open(self) -> None:
        """Start all servers, and HAProxy with our addresses in its configuration; wait until all ports answer."""
        assert HAPROXY is not None
        file = self._folder / "haproxy.cfg"
        configuration = self._configuration.replace("/etc/haproxy/certs/", str(self.certificate))
        file.write_text(ADDRESS.sub(self._bound, configuration), "utf-8")
        for server in self.servers.values():
            server.start()
        self._proxy = Process([HAPROXY, "-db", "-f", str(file)], self._folder)
        assert wait_until(lambda: is_open(self.web_port), SECONDS), self._proxy.lines
        assert wait_until(lambda: all(self._knows_all() for _ in range(4)), SECONDS)
        for name in self.servers:
            with closing(LineLink(read_address(f"localhost:{self.tcp_port(name)}"), "\r\n")) as link:
                link.check(Service.UMP)

    @property
    def player_ports(self) -> Sequence[int]:
        """The port of each server for clients of UMP."""
        return [self.tcp_port(name) for name in self.servers]

    def usage(self) -> Usage:
        """Return what all servers have used so far, without the proxy and the database."""
        now = time.monotonic()
        used = [usage_of(server.number, now) for server in self.servers.values()]
        found = [each for each in used if each is not None]
        return Usage(
            sum(each.seconds for each in found),
            sum(each.memory for each in found),
            sum(each.waited for each in found),
            now,
            files=sum(each.files for each in found),
        )

    def _knows_all(self) -> bool:
        """Return whether the lobby has rooms of all servers; those of a server that answers itself have no letter."""
        return len({room.get("at", "") for room in self.lobby()["rooms"]}) == len(ROOMS)

    def _bound(self, found: re.Match[str]) -> str:
        """Return our address for one of the configuration."""
        return f"{'bind ' if found[0].startswith('bind ') else ''}{LOOPBACK}:{self._ports[found[0]]}"

    @property
    def web(self) -> str:
        """The address of the site for pages and WebSockets."""
        return f"localhost:{self.web_port}"

    @property
    def web_port(self) -> int:
        """The port of the site for pages and WebSockets."""
        return self._ports["bind :8080"]

    @property
    def secure_web(self) -> str:
        """The same over TLS."""
        return f"localhost:{self._ports['bind :443']}"

    def ask(self, method: str, path: str, body: str = "", headers: Mapping[str, str] = NO_HEADERS) -> Answer:
        """Send a request over a connection of its own."""
        return self._ask(HTTPConnection(self.web, timeout=SECONDS), method, path, body, headers)

    def ask_over_tls(self, method: str, path: str, body: str = "", headers: Mapping[str, str] = NO_HEADERS) -> Answer:
        """Send a request over an encrypted connection of its own."""
        return self._ask(HTTPSConnection(self.secure_web, timeout=SECONDS), method, path, body, headers)

    @staticmethod
    def _ask(connection: HTTPConnection, method: str, path: str, body: str, headers: Mapping[str, str]) -> Answer:
        with closing(connection) as client:
            client.request(method, path, body, headers)
            answer = client.getresponse()
            return Answer(answer.status, answer.getheader("Set-Cookie", ""), answer.read())

    def lobby(self) -> Any:
        """Return the lobby as a page reads it, from any server."""
        return json.loads(self.ask("GET", "/api/lobby").body)

    def states(self) -> dict[str, str]:
        """Return the state of the server of each room; that of a room's own server is open."""
        return {room["name"]: room.get("state", "open") for room in self.lobby()["rooms"]}

    def records(self, server: str) -> Path:
        """Return the folder of a server's records."""
        return self._folder / server

    def ports(self, server: str) -> dict[str, int]:
        """Return the ports of a server for programs by the options that open them; that of UMP is the proxy's."""
        return {"listen": self.tcp_port(server), **self._opened[server]}

    def tcp_port(self, server: str) -> int:
        """Return the plain port of a server for clients of UMP by TCP."""
        return self._ports[f"bind :{19_000 + list(ROOMS).index(server)}"]

    def tcp(self, server: str, hello: str, *, is_plain: bool = False) -> Client:
        """Connect to the port of a server, as a client of UMP by TCP does."""
        encrypted = self._ports[f"bind :{19_443 + list(ROOMS).index(server)}"]
        address = f"localhost:{self.tcp_port(server)}" if is_plain else f"tls://localhost:{encrypted}"
        return self._client(LineLink(read_address(address), "\r\n"), hello)

    def page(self, room: str, hello: str, at: str = "") -> Client:
        """Connect to the one address of the site, as a page does; ``at`` is the letter of a server."""
        address = read_address(f"ws://{self.web}/ump?room={room}{at and f'&at={at}'}")
        return self._client(WebSocketLink(address, in_lines=True), hello)

    def _client(self, link: Link, hello: str) -> Client:
        self._links.append(link)
        return Client(link, hello)

    def close(self) -> None:
        """End everything."""
        while self._links:
            self._links.pop().close()
        for server in self.servers.values():
            server.close()
        if self._proxy is not None:
            self._proxy.close()


@contextmanager
def running_site(
    folder: Path, *options: str, own: Mapping[str, Sequence[str]] = NO_OPTIONS, opened: Sequence[str] = ()
) -> Iterator[Site]:
    """Run a site with a database of its own; end the program if something for it is not installed."""
    reason = missing() if HAPROXY is not None else "no HAProxy; apt-get install haproxy"
    if reason is not None:
        raise SystemExit(reason)
    with (
        postgres_server() as database,
        closing(Site(database.new_url(), folder, *options, own=own, opened=opened)) as site,
    ):
        site.open()
        yield site


class Client:
    """A client of UMP that discards each drawn tile."""

    ANSWERS = {"ready?": "ok", "naku?": "no", "tenpai?": "yes", "bye": "bye"}  # noqa: RUF012

    def __init__(self, link: Link, hello: str) -> None:
        self.link = link
        self.lines: list[str] = []
        """Everything that the server has said."""
        self._drawn = ""
        link.expect(SECONDS)
        link.send([f"0 hello ump=0.1 {hello}"])

    def hear(self, *until: str) -> str:
        """Read until a sentence with one of these commands comes, and answer nothing; return it."""
        for command, line in self._sentences():
            if command in until:
                return unquote(line)
        raise AssertionError(f"no {until} in {self.lines}")

    def answer(self) -> None:
        """Answer the last sentence, if it is a question."""
        number, command, *_ = self.lines[-1].split()
        answer = f"sute {self._drawn} tsumogiri" if command == "sutehai?" else self.ANSWERS.get(command)
        if answer is not None:
            self.link.send([f"{number} {answer}"])

    def play(self) -> str:
        """Answer everything until the connection is closed; return the last sentence."""
        for _ in self._sentences():
            self.answer()
        return unquote(self.lines[-1])

    def _sentences(self) -> Iterator[tuple[str, str]]:
        """Yield each sentence that the server says, behind its command."""
        for line in iter(self.link.receive, None):
            self.lines.append(line)
            _, command, *arguments = line.split()
            if command == "tsumo" and len(arguments) == 3:
                self._drawn = arguments[2]
            yield command, line

    def has_played(self) -> bool:
        """Play to the end, and return whether the game had one."""
        self.play()
        return any(line.split()[1] == "gameend" for line in self.lines)

    @property
    def token(self) -> str:
        """The token with which the client comes back to its seat."""
        return next(line.split()[2] for line in self.lines if line.split()[1] == "_resume")


def is_open(port: int) -> bool:
    """Return whether something listens."""
    with closing(socket.socket()) as client:
        return client.connect_ex((LOOPBACK, port)) == 0
