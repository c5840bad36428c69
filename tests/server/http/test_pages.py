"""The pages for browsers: their files, and the answers to what they ask for."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import cast

import pytest
from support.memory_site import ROOMS, UPGRADE, MemorySite, memory_site
from support.own_games import own_games
from support.rows import each_row
from twisted.internet.defer import Deferred, fail, succeed
from twisted.web.resource import Resource

from ump.database.database import DatabaseAway
from ump.model.game_result import GameResult
from ump.net.limits import JOB_SECONDS, MAX_BODY, MAX_RECORD, ChildLimits
from ump.record.branch import Branch
from ump.record.conversion_process import REPLAY, converted
from ump.record.formats import named
from ump.record.indexed_game import IndexedGame, IndexedPlayer
from ump.record.record_copies import RecordCopies
from ump.record.recorded_game import RecordError
from ump.server import jobs
from ump.server.http.api import PageSources
from ump.server.http.lessons import HANDS_AN_HOUR
from ump.server.http.pages import page_paths
from ump.server.jobs import CONVERSION_LIMITS, RESULTS, JobResult
from ump.server.journals import FINISHED
from ump.server.ladder import ANCHOR, NO_STANDINGS, Ladder, LadderPlayer, RatedGame, standings_of
from ump.server.lobby import Lobby
from ump.server.overview import RoomOverview, TableOverview, room_data
from ump.server.player_connection import PlayerConnection
from ump.server.private_tables import PrivateTable
from ump.server.seat_tokens import KeptSeat, hashes_of_guest
from ump.web import POLICY, StaticFile, static_files, version_of

GAME = IndexedGame(
    "20261122T210000Z-main-1.journal.gz",
    "main-1",
    "main",
    "2026-11-22T21:00:00Z",
    61_500,
    "completed",
    "ump",
    "tonpu",
    (IndexedPlayer("east"),),
    GameResult((32_000,), (1,), (420,)),
)
ROOM = RoomOverview(ROOMS[0], "masked", ("ann",), (TableOverview("main-2", ("a", "b", "c", "d"), 1),), "efficiency")


class Threads:
    """Calls functions at once, or holds them back."""

    def __init__(self) -> None:
        self.is_busy = False
        self.held: list[Deferred[object]] = []

    def __call__(self, function: Callable[..., object], *arguments: object) -> Deferred[object]:
        """Call a function, and return its result."""
        if self.is_busy:
            self.held.append(Deferred())
            return self.held[-1]
        try:
            return succeed(function(*arguments))
        except Exception:
            return fail()


@pytest.fixture
def threads() -> Threads:
    """The threads of the site."""
    return Threads()


@pytest.fixture
def site(threads: Threads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemorySite]:
    """A site with pages, whose conversions take place in this process."""
    monkeypatch.setattr(jobs, "convert_apart", converted)
    with memory_site(sources=PageSources(lambda: [ROOM], lambda: [GAME], tmp_path, threads)) as opened:
        yield opened


@pytest.fixture(scope="module")
def record() -> bytes:
    """A record in mjai's format."""
    write = named("mjai").write
    assert write is not None
    return write(own_games()[0])


def test_a_file_comes_with_its_type_policy_and_tag(site: MemorySite) -> None:
    """A file can be kept, as long as the client asks whether it has changed."""
    answer = site.fetch("/static/tiles.css")
    assert answer.code == 200
    assert answer.body == static_files()["tiles.css"].content
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-cache"
    again = site.fetch("/static/tiles.css", {"If-None-Match": answer.headers["etag"]})
    assert (again.code, again.body) == (304, b"")


def test_a_file_whose_address_names_its_version_lasts(site: MemorySite) -> None:
    """Pages name the version of their files. Another version, as before an upgrade, gets the file, but not for long."""
    version = version_of(static_files())
    for path in ("/table", "/ladder", "/offline", "/worker.js"):
        assert f"/static/{version}/".encode() in site.fetch(path).body.replace(b"${VERSION}", version.encode())
    for path, kept in ((f"{version}/tiles.css", "max-age=31536000, immutable"), (f"{'0' * 12}/tiles.css", "no-cache")):
        answer = site.fetch(f"/static/{path}")
        assert (answer.code, answer.headers["cache-control"]) == (200, kept)
    for path in (f"{version}/x.css", f"{version}/{version}/tiles.css", f"{version}/", "0/tiles.css"):
        assert site.fetch(f"/static/{path}").code == 404
    assert f'VERSION = "{version}"'.encode() in site.fetch("/worker.js").body


def test_the_version_changes_with_any_file() -> None:
    """One byte of one file makes another version."""
    files = dict(static_files())
    files["words/ja.js"] = StaticFile("words/ja.js", files["words/ja.js"].content + b" ")
    assert version_of(files) != version_of(static_files())


def test_a_file_is_compressed_for_clients_that_take_it(site: MemorySite) -> None:
    """Browsers accept gzip; its content is the same."""
    answer = site.fetch("/static/tiles.css", {"Accept-Encoding": "gzip, br"})
    assert answer.headers["content-encoding"] == "gzip"
    assert len(answer.body) < 12_000
    assert gzip.decompress(answer.body) == static_files()["tiles.css"].content


class OneGuest:
    """A lobby with one guest, who has a seat."""

    def __init__(self) -> None:
        self.seats = [KeptSeat(Table(), 2, "Mika")]

    def seats_of(self, hashes: Collection[str]) -> list[KeptSeat]:
        """Return the seat of the guest."""
        return self.seats if hashes_of_guest("k" * 22) == hashes else []

    def code_of(self, kept: KeptSeat) -> str | None:
        """Return None: the seat is in a room."""
        return None

    def tables_of(self, hashes: Collection[str]) -> list[PrivateTable]:
        """Return no table."""
        return []

    def give_up(self, hashes: Collection[str], table: str) -> bool:
        """Leave the seat."""
        has_seat = table == "main-3" and bool(self.seats_of(hashes))
        self.seats = [] if has_seat else self.seats
        return has_seat


class Table:
    """The table of the seat."""

    name = "main-3"
    players: dict[int, PlayerConnection] = {}  # noqa: RUF012

    def come_back(self, seat: int, player: PlayerConnection) -> None:
        """Do nothing."""

    def leave(self, seat: int) -> None:
        """Do nothing."""


def test_a_guest_sees_its_seats_and_leaves_them(threads: Threads) -> None:
    """Nobody else does, nothing is kept on the way, and a page of another server may not ask."""
    sources = PageSources(lambda: [ROOM], lambda: [GAME], None, threads, guests=cast(Lobby, OneGuest()))
    mine, other = ({"Authorization": f"Guest {key * 22}"} for key in "kl")
    with memory_site(sources=sources) as site:
        answer = site.fetch("/api/me", mine)
        seat = {"game": "main-3", "room": "main", "name": "Mika", "connected": False, "code": None}
        assert json.loads(answer.body) == {"seats": [seat], "tables": []}
        assert answer.headers["cache-control"] == "no-store"
        assert json.loads(site.fetch("/api/me", other).body) == {"seats": [], "tables": []}
        seat_path = "/api/me/seats/main-3"
        for headers, method, path, code in (
            ({}, "GET", "/api/me", 401),
            ({"Authorization": "Guest k"}, "GET", "/api/me", 401),
            (mine | {"Origin": "http://there.example"}, "DELETE", seat_path, 403),
            (other, "DELETE", seat_path, 404),
            (mine, "DELETE", "/api/me/seats/main-4", 404),
            (mine, "GET", seat_path, 405),
            (mine, "POST", "/api/me", 405),
            (mine, "GET", "/api/me/other", 404),
            (mine | {"Origin": "http://here.example:4615"}, "DELETE", seat_path, 200),
            (mine, "DELETE", seat_path, 404),
        ):
            assert site.fetch(path, headers, method=method).code == code, (method, path)


@each_row(
    ("method", "path", "code"),
    [
        ("POST", "/static/tiles.css", 405),
        ("GET", "/static/", 404),
        ("GET", "/static/../__init__.py", 404),
        ("GET", "/static/%2e%2e/__init__.py", 404),
        ("GET", "/static/..%2f__init__.py", 404),
        ("GET", "/static/tiles.css/", 404),
        ("GET", "/static/%ff", 404),
        ("GET", "/api", 404),
        ("GET", "/api/account", 200),
        ("POST", "/api/lobby", 405),
        ("GET", "/api/rules", 404),
        ("GET", "/api/rules/nowhere", 404),
        ("GET", "/api/games/", 404),
        ("GET", "/api/games/20261122T210000Z-main-9", 404),
        ("GET", "/api/games/.20261122T210000Z-main-1", 404),
        ("GET", "/api/games/..%2fsecret", 404),
        ("POST", "/api/games/x", 405),
        ("GET", "/api/convert", 404),
        ("PUT", "/api/convert", 405),
    ],
)
def test_paths(site: MemorySite, method: str, path: str, code: int) -> None:
    """Each path takes its own methods, and other paths do not exist."""
    assert site.fetch(path, method=method).code == code


@pytest.mark.parametrize("path", ["/static/tiles.css", "/api/lobby"])
def test_head_has_the_headers_alone(site: MemorySite, path: str) -> None:
    """The length is that of the body, which is not sent."""
    length = len(site.fetch(path).body)
    stream = site.stream()
    stream.ask(path, method="HEAD")
    head, _, body = stream.take().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert f"content-length: {length}" in head.decode().lower()
    assert body == b""


def test_a_server_without_pages_has_none_of_these_paths() -> None:
    """The option --no-pages closes them all."""
    with memory_site() as site:
        assert {site.fetch(path).code for path in ("/static/tiles.css", "/table", "/replay", "/api/lobby")} == {404}


def test_browsers_see_the_lobby_at_the_root_and_others_a_text() -> None:
    """The same path serves both, and says so to caches."""
    page = StaticFile("lobby.html", b"<!doctype html>")
    first = page_paths({"lobby.html": page}, "the paths")[""]
    with memory_site() as site:
        root = site.site.resource
        assert isinstance(root, Resource)
        root.putChild(b"", first)
        html = site.fetch("/", {"Accept": "text/html,application/xhtml+xml"})
        text = site.fetch("/", {"Accept": "*/*"})
    assert (html.body, html.headers["content-type"]) == (b"<!doctype html>", "text/html; charset=utf-8")
    assert "Accept" in html.headers["vary"]
    assert (text.text, text.headers["vary"]) == ("the paths\n", "Accept")


def test_the_lobby(site: MemorySite) -> None:
    """The lobby lists rooms, tables, players who wait and the last games; it has a tag for those who poll."""
    answer = site.fetch("/api/lobby")
    lobby = json.loads(answer.text)
    (room,), (game,) = lobby["rooms"], lobby["games"]
    assert (room["name"], room["spectators"], room["waiting"]) == ("main", "masked", ["ann"])
    assert room["tables"] == [{"name": "main-2", "players": ["a", "b", "c", "d"], "spectators": 1, "away": []}]
    assert (game["id"], game["seconds"]) == ("20261122T210000Z-main-1", 61)
    assert site.fetch("/api/lobby", {"If-None-Match": answer.headers["etag"]}).code == 304


def test_the_rules_of_a_room(site: MemorySite) -> None:
    """Each field has its value beside that of Tenhou."""
    rules = json.loads(site.fetch("/api/rules/main").text)
    assert rules["name"] == "ump"
    assert rules["fields"]["tenpai"].items() >= {"value": "declared", "tenhou": "automatic"}.items()


def test_a_finished_game(site: MemorySite, tmp_path: Path, record: bytes) -> None:
    """A finished game has an id; a running one, whose file begins with a dot, has none."""
    (tmp_path / "a-1.journal.gz").write_bytes(gzip.compress(record))
    (tmp_path / ".b-1.journal").write_bytes(record)
    answer = site.fetch("/api/games/a-1")
    assert (answer.code, answer.headers["content-type"]) == (200, "application/json")
    (game,) = json.loads(answer.text)["games"]
    assert game["names"] == list(own_games()[0].names)
    assert site.fetch("/api/games/b-1").code == 404


def test_a_record_is_converted(site: MemorySite, record: bytes) -> None:
    """A page sends any record, and gets the data for a replay, or another format."""
    answer = site.fetch("/api/convert", method="POST", body=record)
    assert len(json.loads(answer.text)["games"][0]["kyoku"]) == len(own_games()[0].kyoku)
    tenhou = site.fetch("/api/convert?to=tenhou6", method="POST", body=record)
    assert (tenhou.code, "name" in json.loads(tenhou.text)) == (200, True)


@each_row(
    ("path", "headers", "body", "code"),
    [
        ("/api/convert", {}, b"", 400),
        ("/api/convert", {}, b"this is no record", 400),
        ("/api/convert", {}, b"\x1f\x8b damaged", 400),
        ("/api/convert?to=nothing", {}, b"{}", 400),
        ("/api/convert", {"Origin": "https://evil.example"}, b"{}", 403),
        ("/api/convert", {}, b" " * (MAX_BODY + 1), 400),
        ("/api/convert", {}, b" " * (MAX_RECORD + 1), 413),
        ("/auth/", {}, b" " * (MAX_BODY + 1), 413),
    ],
)
def test_bad_records_are_refused(site: MemorySite, path: str, headers: dict[str, str], body: bytes, code: int) -> None:
    """A record that cannot be read, or is too long, costs nothing but its own answer."""
    assert site.fetch(path, headers, method="POST", body=body).code == code


def test_a_replay_is_sent_as_a_file(site: MemorySite, tmp_path: Path, record: bytes) -> None:
    """It is compressed for clients that take it, has a tag, and is made again only for another record."""
    path, answers = tmp_path / "a-1.journal.gz", []
    for data in (record, record, record.replace(b"player-1", b"someone")):
        path.write_bytes(gzip.compress(data))
        os.utime(path, (len(data), len(data)))
        answers.append(site.fetch("/api/games/a-1", {"Accept-Encoding": "gzip"}))
    plain = site.fetch("/api/games/a-1")
    assert gzip.decompress(answers[-1].body) == plain.body
    tags = [answer.headers["etag"] for answer in (*answers, plain)]
    assert tags[0] == tags[1] != tags[2] == tags[3]
    assert site.fetch("/api/games/a-1", {"If-None-Match": tags[2]}).code == 304
    assert len([*(tmp_path / RESULTS).iterdir()]) == 2
    path.unlink()
    assert site.fetch("/api/games/a-1").code == 404


def test_a_seat_is_reviewed_by_the_policy_of_the_room(site: MemorySite, tmp_path: Path, record: bytes) -> None:
    """One click makes the review once, for the page of the replay."""
    (tmp_path / "20261122T210000Z-main-1.journal.gz").write_bytes(gzip.compress(record))
    path = "/api/games/20261122T210000Z-main-1/review"
    answers = [site.fetch(f"{path}?seat=B", method="POST") for _ in range(2)]
    review = json.loads(answers[0].text)
    assert ([each["id"] for each in review["reviewers"]], [each["seat"] for each in review["seats"]]) == (
        ["efficiency"],
        [1],
    )
    assert {each["seat"] for each in review["decisions"]} == {1}
    assert answers[0].body == answers[1].body
    assert len([*(tmp_path / RESULTS).iterdir()]) == 1
    refused = [
        site.fetch(f"{path}?seat=B").code,
        site.fetch(f"{path}?seat=E", method="POST").code,
        site.fetch("/api/games/side-1/review?seat=A", method="POST").code,  # there is no such game
        site.fetch(f"{path}?seat=A", {"Origin": "https://evil.example"}, method="POST").code,
    ]
    assert refused == [405, 400, 404, 403]


def test_a_position_is_kept_for_a_player(
    tmp_path: Path, threads: Threads, record: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page gets the name under which its player comes to the position of a finished game."""
    monkeypatch.setattr(jobs, "convert_apart", converted)
    (tmp_path / "main-1.journal.gz").write_bytes(gzip.compress(record))
    kept: list[tuple[str, Branch]] = []

    def keep(room: str, branch: Branch) -> str:
        """Keep a position."""
        kept.append((room, branch))
        return f"from-{len(kept)}"

    sources = PageSources(lambda: [ROOM], lambda: [GAME], tmp_path, threads, keep_branch=keep)
    with memory_site(sources=sources) as site:
        places = [*(f"k=0&n={n}" for n in (20, 20, 9_999, "x", -1)), "k=0&n=20&game=5", "k=99&n=20"]
        answers = [site.fetch(f"/api/games/main-1/play?{place}&seat=C", method="POST") for place in places]
        assert [answer.code for answer in answers] == [200, 200, *[400] * 5]
        assert [json.loads(answer.text)["room"] for answer in answers[:2]] == ["from-1", "from-2"]
    assert [(room, branch.seat) for room, branch in kept] == [("main", 2)] * 2


def test_the_course_tells_its_positions(tmp_path: Path, threads: Threads) -> None:
    """A lesson is told in a language, the last hand is kept so often in an hour, and anything else is refused."""
    kept: list[tuple[str, Branch]] = []
    infos = (replace(ROOMS[0], name="club", access="code"), replace(ROOMS[0], name="round", is_rated=True), ROOMS[0])
    rooms = [RoomOverview(info, "masked", (), (), "efficiency") for info in infos]

    def keep(room: str, branch: Branch) -> str:
        """Keep a hand."""
        kept.append((room, branch))
        return f"from-{len(kept)}"

    with memory_site(sources=PageSources(lambda: rooms, list, tmp_path, threads, keep_branch=keep)) as site:
        lesson = site.fetch("/api/lessons/riichi?lang=ja")
        assert (lesson.code, list(json.loads(lesson.text))) == (200, ["0", "1"])
        assert site.fetch("/api/lessons/riichi?lang=ja", {"If-None-Match": lesson.headers["etag"]}).code == 304
        assert json.loads(site.fetch("/api/lessons/tiles").text) == {}
        places = ("riichi?lang=fr", "no-such-lesson", "riichi/0", "")
        assert [site.fetch(f"/api/lessons/{place}").code for place in places] == [404, 404, 404, 404]
        assert site.fetch("/api/lessons/riichi", method="POST").code == 405
        assert site.fetch("/api/lessons", {"Origin": "https://evil.example"}, method="POST").code == 403
        codes = [site.fetch("/api/lessons", method="POST").code for _ in range(HANDS_AN_HOUR + 1)]
        assert codes == [200] * HANDS_AN_HOUR + [429]
        del rooms[2]
        site.clock.advance(3_601)
        assert site.fetch("/api/lessons", method="POST").code == 404
    assert [(room, branch.against) for room, branch in kept] == [("main", "beginner")] * HANDS_AN_HOUR


class Copies(RecordCopies):
    """The copies of a site in memory; None: the database is away."""

    def __init__(self, files: dict[str, bytes] | None) -> None:
        self.files = files
        self.asked: list[str] = []

    def find(self, name: str) -> bytes | None:
        """Return a file."""
        self.asked.append(name)
        if self.files is None:
            raise DatabaseAway("connection refused")
        return self.files.get(name)


@pytest.fixture
def copies(record: bytes) -> Copies:
    """A game of another server."""
    return Copies({f"20261122T210000Z-club-1{FINISHED}": gzip.compress(record)})


@pytest.fixture
def of_site(threads: Threads, tmp_path: Path, copies: Copies, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemorySite]:
    """The pages of a server ``a``, whose site has a room without reviews, too."""
    monkeypatch.setattr(jobs, "convert_apart", converted)
    others = [
        room_data(ROOM) | {"name": "club", "review": "tsumogiri"},
        room_data(ROOM) | {"name": "quiet", "review": "none"},
    ]
    sources = PageSources(
        lambda: [ROOM],
        lambda: [GAME],
        tmp_path,
        threads,
        elsewhere=lambda: others,
        keep_branch=lambda room, _branch: f"from-{room}",
        letter="a",
        copies=copies,
    )
    with memory_site(sources=sources) as opened:
        yield opened


def test_a_game_of_another_server(of_site: MemorySite, tmp_path: Path, copies: Copies, record: bytes) -> None:
    """Its copy is shown, reviewed by the policy of its room, and played on from; nothing of it goes into the folder."""
    path = "/api/games/20261122T210000Z-club-1"
    first, second = (of_site.fetch(path, {"Accept-Encoding": "gzip"}) for _ in range(2))
    assert (first.code, first.body) == (200, second.body)
    (game,) = json.loads(gzip.decompress(first.body))["games"]
    assert game["names"] == list(own_games()[0].names)
    review = json.loads(of_site.fetch(f"{path}/review?seat=B", method="POST").text)
    assert [each["id"] for each in review["reviewers"]] == ["tsumogiri"]
    branch = json.loads(of_site.fetch(f"{path}/play?k=0&n=20&seat=C", method="POST").text)
    assert branch == {"room": "from-main", "at": "a"}
    assert not (tmp_path / RESULTS).exists()
    assert copies.files is not None
    copies.files[copies.asked[0]] = record.replace(b"player-1", b"someone")
    assert of_site.fetch(path).headers["etag"] != first.headers["etag"]


def test_a_game_that_no_server_has(of_site: MemorySite, tmp_path: Path, copies: Copies, record: bytes) -> None:
    """Only names of records are looked up, and none of which the file is here."""
    (tmp_path / "a-1.journal.gz").write_bytes(gzip.compress(record))
    paths = ("a-1", "x-1", ".x-1", "%2e%2e/x", "x" * 201, "x%00", "")
    assert [of_site.fetch(f"/api/games/{path}").code for path in paths] == [200, *[404] * 6]
    assert of_site.fetch("/api/games/quiet-1/review?seat=A", method="POST").code == 404
    assert copies.asked == [f"x-1{FINISHED}"]
    copies.files = None
    away = of_site.fetch("/api/games/x-1")
    assert (away.code, away.headers["retry-after"], "refused" in away.text) == (503, "2", False)


def test_looks_for_copies_queue(of_site: MemorySite, threads: Threads, copies: Copies) -> None:
    """One is done at a time, a few for each host; clients hear that they wait, or go."""
    threads.is_busy = True
    streams = [of_site.stream("192.0.2.2") for _ in range(9)]
    for number, stream in enumerate(streams):
        stream.ask(f"/api/games/x-{number}", {"Prefer": "respond-async"} if number else {})
    (full,) = streams[8].answers()
    assert (full.code, len(threads.held)) == (503, 1)
    streams[2].wire.lose()
    of_site.clock.advance(JOB_SECONDS)
    (told,) = streams[1].answers()
    assert (told.code, json.loads(told.text)) == (202, {"ahead": 0})
    threads.is_busy = False
    threads.held[0].errback(FileNotFoundError())
    assert [answer.code for answer in streams[0].answers()] == [404]
    assert len(copies.asked) == 7


def test_conversions_queue(site: MemorySite, threads: Threads) -> None:
    """One is done at a time; clients that prefer it hear how many are before theirs, and a stream that has gone not."""
    threads.is_busy = True
    hosts = [f"192.0.2.{number}" for number in range(2, 10)]
    streams = [site.stream(host) for host in hosts for _ in range(8)]
    for number, stream in enumerate(streams):
        stream.ask("/api/convert", {"Prefer": "respond-async"} if number else {}, method="POST", body=b"%d" % number)
    full = site.stream("192.0.2.99").fetch("/api/convert", method="POST", body=b"more")
    assert (full.code, full.headers["retry-after"], len(threads.held)) == (503, "2", 1)
    streams[1].wire.lose()
    site.clock.advance(JOB_SECONDS)
    (told,) = streams[9].answers()
    assert (told.code, json.loads(told.text)) == (202, {"ahead": 9})
    streams[9].ask(told.headers["location"], {"Prefer": "respond-async"})
    threads.is_busy = False
    threads.held[0].callback(JobResult(gzip.compress(b"done"), '"tag"'))
    assert [answer.body for answer in streams[0].answers()] == [b"done"]
    assert [answer.code for answer in streams[9].answers()] == [400]


def test_conversions_in_another_process(record: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is that of a conversion here; what cannot be read, or goes beyond the limits, says so."""
    assert all((CONVERSION_LIMITS.cpu, CONVERSION_LIMITS.memory, CONVERSION_LIMITS.output))
    assert jobs.convert_apart(record, REPLAY) == converted(record, REPLAY)
    with pytest.raises(RecordError) as here:
        converted(b"this is no record", REPLAY)
    with pytest.raises(RecordError, match=re.escape(str(here.value))):
        jobs.convert_apart(b"this is no record", REPLAY)
    with pytest.raises(RecordError, match="unknown format"):
        converted(record, "nothing")
    monkeypatch.setattr(jobs, "CONVERSION_LIMITS", ChildLimits(cpu=20, memory=8, output=64))
    with pytest.raises((RecordError, RuntimeError)):
        jobs.convert_apart(record, REPLAY)
    monkeypatch.setattr(jobs, "CONVERSION_SECONDS", 0.01)
    with pytest.raises(RecordError, match="too long"):
        jobs.convert_apart(record, REPLAY)


def test_a_fault_of_the_server_is_logged_and_answered(site: MemorySite, threads: Threads) -> None:
    """An unexpected error is answered with 500, and without its text."""
    threads.is_busy = True
    stream = site.stream()
    stream.ask("/api/convert", method="POST", body=b"{}")
    threads.held[0].errback(RuntimeError("secret"))
    (answer,) = stream.answers()
    assert (answer.code, "secret" in answer.text) == (500, False)


@pytest.mark.parametrize(("offered", "confirmed"), [("ump.0.1", "ump.0.1"), ("chat, ump.0.1", "ump.0.1"), ("chat", "")])
def test_the_subprotocol_of_ump_is_confirmed(site: MemorySite, offered: str, confirmed: str) -> None:
    """Browsers close a WebSocket whose subprotocol the server does not confirm."""
    stream = site.stream()
    stream.ask("/ump", UPGRADE | {"Sec-WebSocket-Protocol": offered})
    head = stream.take().partition(b"\r\n\r\n")[0].decode().lower()
    assert (f"sec-websocket-protocol: {confirmed}" in head) == bool(confirmed)
    assert head.startswith("http/1.1 101")


def test_no_other_file_is_a_game(site: MemorySite, tmp_path: Path) -> None:
    """A journal beside the folder, and one whose name is hidden, cannot be asked for, although they are there."""
    (tmp_path.parent / f"secret{FINISHED}").write_bytes(b"")
    (tmp_path / f".hidden{FINISHED}").write_bytes(b"")
    for name in ("../secret", "..%2fsecret", "%2e%2e/secret", ".hidden", "%2ehidden", "x/../.hidden"):
        assert site.fetch(f"/api/games/{name}").code == 404


def test_the_lobby_is_made_once_a_second(threads: Threads) -> None:
    """A client that asks again gets the same text, and no table waits; boards are made every three seconds."""
    looks: list[int] = []
    boards = count()

    def rooms() -> list[RoomOverview]:
        looks.append(1)
        return [ROOM]

    sources = PageSources(rooms, lambda: [GAME], None, threads, boards=lambda: {"main-2": next(boards)})
    with memory_site(sources=sources) as site:
        for seconds, made, board in ((0.0, 1, 0), (0.5, 1, 0), (0.5, 2, 0), (1.5, 3, 0), (1.0, 4, 1)):
            site.clock.advance(seconds)
            assert json.loads(site.fetch("/api/lobby").text)["boards"] == {"main-2": board}
            assert len(looks) == made


def test_the_ladder_is_made_once_a_round(threads: Threads, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made anew when the next round is another one."""
    looks: list[str] = []

    def table(room: str, ladder: Ladder) -> dict[str, object]:
        looks.append(room)
        return {"next": ladder.next_round}

    monkeypatch.setattr("ump.server.http.api.ladder_data", table)
    ladders = {"main": Ladder(NO_STANDINGS, 60.0, 60.0)}
    sources = PageSources(lambda: [ROOM], lambda: [GAME], None, threads, lambda: ladders)
    with memory_site(sources=sources) as site:
        for instant, made in ((60, 1), (60, 1), (120, 2), (120, 2)):
            ladders["main"] = Ladder(NO_STANDINGS, 60.0, instant)
            assert json.loads(site.fetch("/api/ladder").body) == {"rooms": [{"next": instant}]}
            assert len(looks) == made


def test_the_ladder_of_a_server_without_rated_rooms(site: MemorySite) -> None:
    """There is the page and an empty ladder; players of it do not exist."""
    assert b"/ladder.js" in site.fetch("/ladder").body
    assert json.loads(site.fetch("/api/ladder").body) == {"rooms": []}
    assert site.fetch("/api/ladder?player=x").code == 404


def test_the_ladder(threads: Threads, tmp_path: Path) -> None:
    """The table of each room, and the page of each player; a name is looked up as a whole."""
    games = [RatedGame("g.journal.gz", 0.0, (LadderPlayer("a/<b>"), ANCHOR), GameResult((30_000, 20_000), (1, 2)))]
    ladders = {"main": Ladder(standings_of(games, 0.0, NO_STANDINGS), 60.0, 60.0)}
    sources = PageSources(lambda: [ROOM], lambda: [GAME], tmp_path, threads, lambda: ladders)
    with memory_site(sources=sources) as site:
        (table,) = json.loads(site.fetch("/api/ladder").body)["rooms"]
        assert [(row["name"], row["builtin"], row["games"]) for row in table["players"]] == [
            ("a/<b>", False, 1),
            ("efficiency", True, 1),
        ]
        player = json.loads(site.fetch("/api/ladder?player=a%2F%3Cb%3E").body)
        assert player["last"][0]["id"] == "g"
        assert player["rating"] > 1500
        assert json.loads(site.fetch("/api/ladder?room=main&player=efficiency&builtin=1").body)["rating"] == 1500
        for query in ("player=efficiency", "player=nobody", "room=other&player=a%2F%3Cb%3E"):
            assert site.fetch(f"/api/ladder?{query}").code == 404
