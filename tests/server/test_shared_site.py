"""Three servers of one site: HAProxy with our configuration before them, and one database of PostgreSQL behind them."""

from __future__ import annotations

import json
import re
import shutil
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest
from support.certificates import certificate
from support.databases import PostgresServer
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock
from twisted.logger import capturedLogs

from scripts.lab.processes import Process, wait_until
from ump.bots.links import LineLink, Link, WebSocketLink, read_address
from ump.database.database import DatabaseAway, read_place
from ump.server.http.neighbours import TEXT_OF_AWAY
from ump.server.shared_site import PERIOD, LetterTaken, News, ServerCard, ServerState, SharedSite, SiteDatabase
from ump.server.users.bans import read_target
from ump.server.users.login_turns import TURN_SECONDS
from ump.server.users.user_database import UserDatabase, hash_password

pytestmark = [pytest.mark.no_cover, pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60.0
"""Time after which a test has failed."""

NOW = "2026-11-24T00:00:00Z"
PASSWORD = "correct-horse-battery"
NO_HEADERS: Mapping[str, str] = {}
FORM = "application/x-www-form-urlencoded"
ADDRESS = re.compile(r"(?:bind |192\.0\.2\.[123]):\d+")
"""An address in the configuration of HAProxy."""

ROOMS = {"a": "main", "b": "club", "c": "lounge"}
"""A room of each server."""

QUICK_TWIST = (
    "import runpy; from ump.server import journals, shared_site;"
    " journals.LOOK = shared_site.PERIOD = 0.1; shared_site.AWAY = 1.0;"
    " from ump.server.users import user_service; user_service.LOOK_SECONDS = 0.1;"
    ' runpy.run_module("twisted", run_name="__main__", alter_sys=True)'
)
"""``python -m twisted`` with servers that tell each other their news twenty times as often."""

OPTIONS = (
    *("--mjai=none", "--length=kyoku", "--house=tsumogiri:3", "--house-after=0", "--bot-delay=0", "--time=60+60"),
)
HAPROXY = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Answer(NamedTuple):
    """The answer of HTTP."""

    status: int
    cookie: str
    """The header that sets it."""
    body: bytes


class Site:
    """Three servers and the proxy, on free ports of 127.0.0.1."""

    def __init__(self, url: str, folder: Path) -> None:
        self.users = UserDatabase(read_place(url))
        self.processes: dict[str, Process] = {}
        self._links: list[Link] = []
        self._url = url
        self._folder = folder
        self._configuration = (ROOT / "contrib" / "haproxy.cfg").read_text("utf-8")
        self.certificate = folder / "site.pem"
        self.certificate.write_bytes(certificate())
        self._ports = {written: free_port() for written in ADDRESS.findall(self._configuration)}
        """The free ports, by what the configuration has in their places."""

    def open(self) -> None:
        """Start all servers, and HAProxy with our addresses in its configuration."""
        file = self._folder / "haproxy.cfg"
        configuration = self._configuration.replace("/etc/haproxy/certs/", str(self.certificate))
        file.write_text(ADDRESS.sub(self._bound, configuration), "utf-8")
        for name in ROOMS:
            self.start(name)
        assert HAPROXY is not None
        proxy = self.processes["proxy"] = Process([HAPROXY, "-db", "-f", str(file)], self._folder)
        assert wait_until(lambda: is_open(self._ports["bind :8080"]), SECONDS), proxy.lines
        assert wait_until(lambda: all(len(self.lobby()["rooms"]) == len(ROOMS) for _ in range(4)), SECONDS)

    def _bound(self, found: re.Match[str]) -> str:
        """Return our address for one of the configuration."""
        return f"{'bind ' if found[0].startswith('bind ') else ''}127.0.0.1:{self._ports[found[0]]}"

    def start(self, name: str) -> None:
        """Start a server, and wait until it listens."""
        command = [sys.executable, "-c", QUICK_TWIST, "--log-format=text", "ump-server", f"--room={ROOMS[name]}"]
        command.append(f"--letter={name}")
        for option, port in (("listen", 19_000), ("http", 8_080)):
            behind = self._ports[f"192.0.2.{1 + list(ROOMS).index(name)}:{port}"]
            command.append(f"--{option}=haproxy:tcp:{behind}:interface=127.0.0.1")
        server = Process([*command, f"--record-dir={self._folder / name}", f"--site={self._url}", *OPTIONS], ROOT)
        self.processes[name] = server
        assert wait_until(lambda: str(server.lines).count("listening on") == 2, SECONDS), "\n".join(
            map(str, server.lines)
        )

    @property
    def web(self) -> str:
        """The address of the site for pages and WebSockets."""
        return f"localhost:{self._ports['bind :8080']}"

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

    def tcp(self, server: str, hello: str, *, is_plain: bool = False) -> Client:
        """Connect to the port of a server, as a client of UMP by TCP does."""
        number = list(ROOMS).index(server)
        plain, encrypted = self._ports[f"bind :{19_000 + number}"], self._ports[f"bind :{19_443 + number}"]
        address = f"localhost:{plain}" if is_plain else f"tls://localhost:{encrypted}"
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
        for link in self._links:
            link.close()
        for process in self.processes.values():
            process.close()


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


def free_port() -> int:
    """Return a port that nothing uses."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def is_open(port: int) -> bool:
    """Return whether something listens."""
    with closing(socket.socket()) as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def site(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with some users."""
    if HAPROXY is None:
        pytest.skip("no HAProxy; apt-get install haproxy")
    url = postgres.new_url()
    users = UserDatabase(read_place(url))
    for name in ("alice", "bob", "carol"):
        users.add(name, hash_password(PASSWORD), NOW)
    with closing(Site(url, tmp_path_factory.mktemp("site"))) as found, pytest.MonkeyPatch.context() as patched:
        patched.setenv("SSL_CERT_FILE", str(found.certificate))
        found.open()
        yield found


def test_tls_that_the_proxy_ends(site: Site) -> None:
    """The servers know which connections are encrypted: users log in over these alone, and their cookies stay there."""
    for server in ROOMS:
        greetings = []
        for is_plain in (False, True):
            client = site.tcp(server, f"user=alice password={PASSWORD} _room=nowhere", is_plain=is_plain)
            greetings.append(client.hear("hello"))
            assert ("secrets need TLS" if is_plain else "unknown room") in client.play()
        assert ["_auth=password,token" in greeting for greeting in greetings] == [True, False]
    order = json.dumps({"user": "bob", "password": PASSWORD})
    plain = {"Origin": f"http://{site.web}", "Content-Type": "application/json"}
    assert site.ask("POST", "/api/account/login", order, plain)[:2] == (403, "")
    encrypted = plain | {"Origin": f"https://{site.secure_web}"}
    login = site.ask_over_tls("POST", "/api/account/login", order, encrypted)
    session, *attributes = login.cookie.split("; ")
    assert session.startswith("__Host-ump=") and "Secure" in attributes
    account = [site.ask_over_tls("GET", "/api/account", headers={"Cookie": session}).body for _ in ROOMS]
    assert all("bob" in str(each) for each in account)
    assert "bob" not in str(site.ask("GET", "/api/account", headers={"Cookie": session}).body)
    majiang = site.ask_over_tls("POST", "/auth", "name=m&passwd=x", {"Content-Type": FORM})
    assert "Secure" in majiang.cookie.split("; ")


def test_games_in_rooms_of_both(site: Site) -> None:
    """By TCP each server has a port of the proxy; a WebSocket's address names the room."""
    assert site.tcp("a", "name=t_a").has_played()
    assert site.tcp("b", "name=t_b _room=club").has_played()
    assert all(site.page(room, f"name=w_{room} _room={room}").has_played() for room in ROOMS.values())
    assert (
        "room club is on another server of this site; connect to 127.0.0.1:"
        in site.tcp("a", "name=l _room=club").play()
    )


def test_every_lobby_lists_all_rooms(site: Site) -> None:
    """The proxy asks the servers in turns, and all say the same; the rules of a room are at its server."""
    lobbies = [site.lobby() for _ in range(4)]
    assert [[room["name"] for room in lobby["rooms"]] for lobby in lobbies] == [["club", "lounge", "main"]] * 4
    assert len({"games" in lobby for lobby in lobbies}) == 1
    for room in ROOMS.values():
        assert site.ask("GET", f"/api/rules/{room}").status == 200


def test_net_play_stays_at_the_server_of_its_login(site: Site) -> None:
    """Its cookie begins with the letter of that server."""
    for number in range(4):
        login = site.ask("POST", "/auth", f"name=m{number}&passwd=x", {"Content-Type": FORM})
        cookie = login.cookie.partition(";")[0]
        assert b"stranger" not in site.ask("GET", "/socket.io/?EIO=4&transport=polling", "", {"Cookie": cookie}).body
        assert b"stranger" in site.ask("GET", "/socket.io/?EIO=4&transport=polling").body


@pytest.mark.long
def test_a_browser_plays_in_rooms_of_both(site: Site) -> None:
    """From the lobby into a game in each room."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright; pip install playwright")
    if CHROMIUM is None:
        pytest.skip("no Chromium; apt-get install chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for room in ROOMS.values():
            page = browser.new_page(reduced_motion="reduce")
            page.goto(f"http://{site.web}/")
            page.locator("#list li", has=page.get_by_text(room, exact=True)).locator("a.btn").click()
            page.wait_for_selector("#hand button")
            for switch in ("n", "g"):  # no calls, and discard what is drawn
                page.keyboard.press(switch)
            page.wait_for_selector(".plane .river .tile >> nth=4")  # the turn has gone round
        browser.close()


def test_a_ban_holds_on_both(site: Site) -> None:
    """Players of a banned user are closed at both servers within seconds, and the user cannot log in at either."""
    hello = f"user=alice password={PASSWORD}"
    playing = [site.tcp(name, f"{hello} name={name} _room={room}") for name, room in ROOMS.items()]
    assert all("gamestart" in client.hear("gamestart") for client in playing)
    site.users.ban(read_target("alice"), None, "two accounts", "root", NOW)
    closed = "this account is closed: two accounts"
    assert all(closed in client.hear("error") for client in playing)
    assert all(closed in site.tcp(name, f"{hello} _room={room}").play() for name, room in ROOMS.items())


def test_a_login_elsewhere_closes_the_older_one(site: Site) -> None:
    """A player has one connection to the site; the seat stays, and another login at its server leads back to it."""
    hello = f"user=bob password={PASSWORD}"
    first = site.tcp("a", hello)
    first.hear("gamestart")
    second = site.tcp("b", f"{hello} _room=club")
    second.hear("gamestart")
    assert "replaced by a newer connection" in first.hear("error")
    again = site.tcp("a", hello)
    again.hear("gamestart")
    assert "replaced by a newer connection" in second.hear("error")
    assert again.has_played()


def test_wrong_passwords_count_on_both(site: Site) -> None:
    """After two wrong passwords at one server the next attempt waits at the other one, too."""
    begun = time.monotonic()
    for _ in range(2):
        assert "is wrong" in site.tcp("a", f"user=carol password={PASSWORD}x").play()
    assert site.tcp("b", f"user=carol password={PASSWORD} _room=club").has_played()
    assert time.monotonic() - begun >= 3.0  # one second after the first, and two after the second
    assert site.tcp("b", f"user=carol password={PASSWORD} _room=club").has_played()


GUEST = {"Authorization": f"Guest {'g' * 22}", "Content-Type": "application/json"}


def test_any_server_answers_for_all(site: Site) -> None:
    """Tables among friends, rules, ladders and own seats are found through any server, and by any way."""
    made = [
        json.loads(site.ask("POST", "/api/tables", "{}", GUEST | {"Authorization": f"Guest {key * 22}"}).body)
        for key in "abc"
    ]
    codes = [table["code"] for table in made]
    assert {code[0].lower() for code in codes} == set(ROOMS)
    playing = site.page("club", f"name=s _room=club _guest={'g' * 22}")
    playing.hear("gamestart")
    for _ in range(6):
        assert [site.ask("GET", f"/api/tables/{code.lower()}").status for code in codes] == [200] * 3
        assert [site.ask("GET", f"/api/rules/{room}").status for room in ROOMS.values()] == [200] * 3
        found = json.loads(site.ask("GET", "/api/me", "", GUEST).body)
        assert [seat["room"] for seat in found["seats"]] == ["club"]
    assert site.ask("GET", "/api/tables/B2345678").status == 404
    assert playing.has_played()


def test_a_server_that_is_killed_costs_no_game(site: Site) -> None:
    """Its game goes on after its restart; the game of the other server is not interrupted."""
    lost, other = (site.page(room, f"name=k_{room} _room={room} _resume=1") for room in ("main", "club"))
    for client in (lost, other):
        client.hear("ready?")
        client.answer()
        client.hear("sutehai?", "naku?")
    site.processes["a"].close()
    lost.play()
    assert "gameend" not in str(lost.lines)
    assert wait_until(lambda: site.states() == {"club": "open", "lounge": "open", "main": "away"}, SECONDS)
    assert site.ask("GET", "/table?room=main").status == 200
    refused = site.ask("GET", "/api/rules/main")
    assert (refused.status, refused.body) == (503, f"{TEXT_OF_AWAY}\n".encode())
    elsewhere = "that game is on another server of this site, which is away; try again"
    assert elsewhere in site.tcp("b", f"_resume={lost.token}").play()
    other.answer()
    assert other.has_played()
    assert not [line for line in other.lines if line.split()[1] in ("error", "_resume")][1:]
    site.start("a")
    again = site.page("main", f"_resume={lost.token}")
    assert again.has_played(), again.lines
    assert site.tcp("b", "name=after _room=club").has_played()


def games_of(site: Site, name: str) -> list[str]:
    """Return the ids of the last games of a player, as any server lists them."""
    return [game["id"] for game in site.lobby()["games"] if name in [player["name"] for player in game["players"]]]


def test_a_game_outlives_its_server(site: Site) -> None:
    """Its replay, its review and a table that plays on from it come from the other servers while it is dead."""
    assert site.tcp("b", "name=replayed _room=club").has_played()
    assert wait_until(lambda: all(games_of(site, "replayed") for _ in ROOMS), SECONDS)
    (game,) = games_of(site, "replayed")
    path = f"/api/games/{game}"
    place = "play?k=0&n=9&seat=A"
    shown = site.ask("GET", path)
    assert wait_until(lambda: json.loads(site.ask("POST", f"{path}/{place}").body)["at"] == "b", SECONDS)
    site.processes["b"].close()
    try:
        again = [site.ask("GET", path) for _ in range(3)]
        assert [(answer.status, answer.body) for answer in again] == [(200, shown.body)] * 3
        assert "replayed" in str(json.loads(shown.body)["games"][0]["names"])
        review = json.loads(site.ask("POST", f"{path}/review?seat=A").body)
        assert review["seats"][0]["seat"] == 0
        assert wait_until(lambda: b'"away"' in site.ask("GET", "/api/lobby").body, SECONDS)
        branch = json.loads(site.ask("POST", f"{path}/{place}").body)
        assert branch["at"] in ("a", "c")
        playing = site.page(branch["room"], f"name=on _room={branch['room']}", branch["at"])
        assert playing.has_played(), playing.lines
        assert site.ask("GET", "/api/games/20261128T000000Z-club-1").status == 404
    finally:
        site.start("b")


def test_news_of_two_servers(postgres: PostgresServer) -> None:
    """Each reads the rooms of the other, and who has logged in there later; a room stays where it is."""
    url = postgres.new_url()
    one, other = (SiteDatabase(read_place(url)) for _ in range(2))
    a = ServerCard("a", "here", http=("192.0.2.1", 8080), tcp="192.0.2.1:19000", tournaments=("cup",))
    b = ServerCard("b", "there")
    one.exchange(a, {"main": {"bots": 3}}, {"p": 9.0}, ["p"])
    read = other.exchange(b, {"club": {}, "main": {}}, {"q": 0.0}, ["q"])
    assert read.rooms == {"main": {"bots": 3, "at": "a", "state": "open"}}
    assert read.servers == {"a": replace(a, folder="")}
    other.exchange(b, {"club": {}}, {"p": 1.0}, ["p", "q"])
    read = one.exchange(replace(a, state=ServerState.DRAINING), {"main": {}}, {"p": 5.0}, ["p"])
    assert (list(read.rooms), read.elsewhere) == (["club"], ["p"])
    assert other.exchange(b, {"main": {}}, {}, []).rooms == {}  # the other stops, and club is gone


def test_a_letter_belongs_to_one_server(postgres: PostgresServer) -> None:
    """Another server with this letter is refused, but for the next run of the same one, which has its records."""
    url = postgres.new_url()
    first, next_run, other = (SiteDatabase(read_place(url)) for _ in range(3))
    first.exchange(ServerCard("a", "here"), {"main": {}}, {}, [])
    with pytest.raises(LetterTaken):
        other.exchange(ServerCard("a", "there"), {"club": {}}, {}, [])
    assert next_run.exchange(ServerCard("a", "here"), {"main": {}}, {}, []).rooms == {}


def test_attempts_at_two_servers(postgres: PostgresServer) -> None:
    """An attempt counts as wrong while it is checked; success takes it back, and forgets what a known client failed.

    The line of an account is that of all servers: it holds some turns, and each comes back after some time.
    """
    url = postgres.new_url()
    one, other = (SiteDatabase(read_place(url)) for _ in range(2))
    assert one.attempt("network n", "user u") == 0.0
    assert 0.0 < other.attempt("network n", "user v") <= 1.0
    one.succeed("network n", "user u")
    assert other.attempt("network n", "user u") == 0.0
    assert [each.attempt(f"network {number}", "user u") for number, each in enumerate((one, other))] == [0.0, 0.0]
    assert TURN_SECONDS - 5.0 < one.attempt("network o", "user u") <= TURN_SECONDS
    assert other.attempt("pair", None) == 0.0
    assert 0.0 < one.attempt("pair", None) <= 1.0
    other.succeed("pair", None)
    assert one.attempt("pair", None) == 0.0


def test_a_site_that_is_away() -> None:
    """The rooms of the others stay listed, and the log has one line."""
    clock, answers = Clock(), [News({"club": {"at": "b"}})]

    def in_thread(*_: object) -> Deferred[Any]:
        return succeed(answers.pop()) if answers else fail(DatabaseAway("it is away"))

    database = SiteDatabase(read_place("postgresql:///nowhere"))
    site = SharedSite(database, clock, in_thread, lambda: ServerCard("a", ""), list)
    with capturedLogs() as logged:
        site.startService()
        for _ in range(9):
            clock.advance(PERIOD)
            assert list(site.rooms) == ["club"]
        site.stopService()
    assert [event["why"] for event in logged] == ["it is away"]


def test_whose_a_name_is() -> None:
    """A room, a game in it, a tournament, and names made by chance lead to their server."""
    club = ServerCard("b", "", tournaments=("cup",))
    site = SharedSite(SiteDatabase(read_place("postgresql:///nowhere")), Clock(), fail, lambda: club, list)
    site.rooms, site.servers = {"club": {"at": "b"}, "gone": {"at": "c"}}, {"b": club}
    owned = {"club": club, "club-7": club, "cup": club, "main": None, "main-7": None, "gone": None, "club-x": None}
    owned |= {"x" + "-1" * 3_000: None, "club-1-1": None}
    assert {name: site.owner_of(name) for name in owned} == owned
    made = {"B23456789": club, "C23456789": None, "23456789": None, "": None}
    assert {name: site.maker_of(name, 9) for name in made} == made
