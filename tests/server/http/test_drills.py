"""The requests of practice: questions, answers, own mistakes, quotas, and input that is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.memory_site import MemorySite, memory_site
from support.sample_games import EAGER, sample
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.logger import LogLevel, capturedLogs
from twisted.web.server import Request

from ump.database.database import DatabaseError, file_place
from ump.drills.drill import Drill, DrillKind
from ump.net.http.resources import address_of
from ump.net.limits import MAX_JOBS_OF_HOST, MAX_RECORD
from ump.server import drill_process, jobs
from ump.server.drill_desk import DrillDesk
from ump.server.http import drills
from ump.server.http.api import PageSources
from ump.server.http.club import guest_of
from ump.server.jobs import InThread
from ump.server.users.drill_database import DrillDatabase

DRILL = Drill(DrillKind.WAITS, {"hand": "1p"}, (), ("1m",), {"waits": [{"tile": "1m", "left": 4}]}, 1_350)
ASKED = Drill(DrillKind.FURITEN, {"hand": "1p"}, ("yes", "no"), ("no",), {}, 1_350)
PATH = f"/api/drills/{DRILL.id}"


class Learner:
    """The browser of somebody who practises."""

    def __init__(self, site: MemorySite, key: str = "a" * 22, host: str = "192.0.2.1") -> None:
        self.site = site
        self.host = host
        self.headers = {"Authorization": f"Guest {key}"}

    def send(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> tuple[int, Any]:
        """Send a request; return the code, and the JSON or the text of the answer."""
        stream = self.site.stream(self.host)
        answer = stream.fetch(path, self.headers | headers, method=method, body=body)
        stream.wire.lose()
        is_json = answer.headers.get("content-type", "").startswith("application/json")
        return answer.code, json.loads(answer.body) if is_json else answer.text.strip()

    def post(self, path: str, given: object) -> tuple[int, Any]:
        """Send JSON."""
        return self.send(path, "POST", json.dumps(given).encode(), **{"Content-Type": "application/json"})


@contextmanager
def opened(folder: Path, in_thread: InThread = maybeDeferred, **sources: Any) -> Iterator[MemorySite]:
    """Open a site that asks two drills; games of the room main are reviewed."""
    database = DrillDatabase(file_place(folder / "drills.sqlite"))
    desk = DrillDesk(lambda: database, Random(1), lasts=False, shipped=lambda: (DRILL, ASKED))
    given: dict[str, Any] = {"drills": desk, "elsewhere": lambda: ({"name": "main", "review": "expert"},)} | sources
    with memory_site(sources=PageSources(list, list, folder, in_thread, **given)) as site:
        yield site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[MemorySite]:
    """A site that asks two drills."""
    with opened(tmp_path) as found:
        yield found


@pytest.fixture
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make drills without another process."""
    monkeypatch.setattr(jobs, "convert_apart", drill_process.made)


def test_a_drill_from_the_question_to_the_rating(site: MemorySite) -> None:
    """The key comes with the answer, not before; the rating is that of this guest alone."""
    one, other = Learner(site), Learner(site, "b" * 22)
    code, asked = one.send("/api/drills?kind=waits")
    assert (code, asked["drill"]) == (200, DRILL.question())
    assert "right" not in json.dumps(asked) and asked["rating"] is None
    code, told = one.post(PATH, {"answer": ["1m"], "ms": 1_200, "timed": False})
    assert (code, told["is_right"], told["right"], told["facts"]) == (200, True, ["1m"], DRILL.facts)
    assert one.post(PATH, {"answer": ["1m"]})[1]["change"] == 0
    assert one.send("/api/drills?kind=waits")[1]["rating"] == told["rating"]
    overview = one.send("/api/drills")[1]
    assert {"kind": "waits", "rating": told["rating"]} in overview["kinds"]
    assert (overview["due"], overview["lasts"]) == (0, False)
    assert all(each["rating"] is None for each in other.send("/api/drills")[1]["kinds"])
    assert one.send("/api/drills", "DELETE")[0] == 200
    assert all(each["rating"] is None for each in one.send("/api/drills")[1]["kinds"])


@pytest.mark.parametrize(
    "given",
    [
        {"answer": "1m"},
        {"answer": ["1m"] * 35},
        {"answer": [1]},
        {"answer": ["m" * 65]},
        {"answer": {"1m": 1}},
        {"answer": ["zz"]},
        {"answer": ["1m"], "ms": "3"},
        {"answer": ["1m"], "ms": -1},
        {"answer": ["1m"], "ms": True},
        {"answer": ["1m"], "ms": 1.5},
        ["1m"],
        "1m",
    ],
)
def test_an_answer_that_is_none_is_refused(site: MemorySite, given: object) -> None:
    """Nothing is kept of it."""
    one = Learner(site)
    code, said = one.post(PATH, given)
    assert code == 400 and "\n" not in said
    assert all(each["rating"] is None for each in one.send("/api/drills")[1]["kinds"])


def test_a_client_that_hangs_up_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its request is carried out, its address stays known, and nothing is logged as a fault."""
    held: list[tuple[Deferred[Any], Callable[[], Any]]] = []
    requests: list[Request] = []

    def noted(request: Request) -> str:
        requests.append(request)
        return guest_of(request)

    monkeypatch.setattr(drills, "guest_of", noted)

    def later(call: Callable[..., Any], *given: Any) -> Deferred[Any]:
        held.append((Deferred(), partial(call, *given)))
        return held[-1][0]

    with opened(tmp_path, later) as site, capturedLogs() as events:
        stream = site.stream()
        headers = Learner(site).headers | {"Content-Type": "application/json"}
        stream.ask(PATH, headers, method="POST", body=b'{"answer":["1m"]}')
        assert held
        stream.wire.lose()
        assert address_of(requests[0])[0] == "192.0.2.1"
        while held:
            done, call = held.pop(0)
            done.callback(call())
        assert [event for event in events if event["log_level"] >= LogLevel.error] == []


def test_other_requests_are_refused(site: MemorySite) -> None:
    """A request without an owner is refused; names, kinds and methods that are none have a clear answer."""
    one = Learner(site)
    assert Learner(site, "short").send("/api/drills")[0] == 401
    assert one.send("/api/drills?kind=chess")[1].startswith("kind: expected one of")
    assert one.post(f"/api/drills/{ASKED.id}", {"answer": ["perhaps"]}) == (400, "an answer is one of: yes, no")
    assert [one.send(f"/api/drills?kind={kind}") for kind in ("mistake", "push")] == [(200, {"drill": None})] * 2
    codes = [
        one.post(f"/api/drills/{'0' * 16}", {"answer": None})[0],
        one.post("/api/drills/X", {"answer": None})[0],
        one.post(f"{PATH}/praise", {})[0],
        one.send(PATH, "DELETE")[0],
        one.send(PATH, "PUT")[0],
        one.send(PATH, "POST", b"{}")[0],
        one.send("/api/drills", Origin="https://evil.example")[0],
        one.send(PATH, "POST", b'{"answer":' + b"[" * 1_000, **{"Content-Type": "application/json"})[0],
        one.send(PATH, "POST", b"{" * 200_000, **{"Content-Type": "application/json"})[0],
    ]
    assert codes == [404, 404, 404, 404, 405, 415, 403, 400, 413]


def test_hosts_have_quotas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of requests, new guests and reports."""
    for name, most in (("REQUESTS", 20), ("GUESTS_A_DAY", 3), ("REPORTS_A_DAY", 2)):
        monkeypatch.setattr(drills, name, most)
    with opened(tmp_path) as site:
        keys = [f"{number:022}" for number in range(4)]
        told = [Learner(site, key).post(PATH, {"answer": None}) for key in keys]
        assert [code for code, _ in told] == [200, 200, 200, 429]
        assert told[-1][1] == drills.TOO_MANY_GUESTS
        assert Learner(site, keys[0]).post(PATH, {"answer": None})[0] == 200
        assert Learner(site, keys[3], "192.0.2.2").post(PATH, {"answer": None})[0] == 200
        one = Learner(site, keys[0])
        assert [one.post(f"{PATH}/report", {})[0] for _ in range(3)] == [200, 200, 429]
        asked = [one.send("/api/drills") for _ in range(13)]
        assert [code for code, _ in asked] == [200] * 12 + [429]
        assert asked[-1][1] == drills.TOO_MANY
        site.clock.advance(drills.PERIOD)
        assert one.send("/api/drills")[0] == 200


@pytest.mark.usefixtures("_in_this_process")
def test_the_mistakes_of_a_record_are_kept(site: MemorySite) -> None:
    """At most three, which come back tomorrow; another seat has others, and a record that is none is refused."""
    one = Learner(site)
    kept = one.send("/api/drills/mistakes?seat=B", "POST", sample(EAGER))
    assert kept == (200, {"found": 3, "new": 3})
    assert one.send("/api/drills/mistakes?seat=B&number=0", "POST", sample(EAGER)) == (200, {"found": 3, "new": 0})
    overview = one.send("/api/drills")[1]
    assert (overview["due"], overview["waiting"]) == (0, 3)
    site.clock.advance(86_400.0)
    assert one.send("/api/drills")[1]["due"] == 3
    question = one.send("/api/drills?kind=mistake")[1]["drill"]
    assert set(question) == {"id", "kind", "shown", "choices"}
    told = one.post(f"/api/drills/{question['id']}", {"answer": [question["choices"][0]], "ms": 1})[1]
    assert (told["rating"], told["days"]) == (None, 3 if told["is_right"] else 1)
    assert one.send(f"/api/drills/{question['id']}", "DELETE")[0] == 200
    for path, body, said in (
        ("?seat=B", b"no record", "not a record"),
        ("?seat=B&number=7", sample(EAGER), "no game 7; the record has 1"),
        ("?seat=B&number=-1", sample(EAGER), "number: expected a number"),
        *[(f"?seat={seat}", sample(EAGER), "seat: expected one of A, B, C, D") for seat in ("Z", "BC", "")],
        ("", sample(EAGER), "seat: expected one of A, B, C, D"),
    ):
        code, text = one.send(f"/api/drills/mistakes{path}", "POST", body)
        assert code == 400 and text.startswith(said)
    assert one.send("/api/drills/mistakes?seat=A", "POST", b"x" * (MAX_RECORD + 1))[0] == 413


@pytest.mark.usefixtures("_in_this_process")
def test_the_mistakes_of_a_game_of_the_server_are_kept(site: MemorySite, tmp_path: Path) -> None:
    """Its name is enough, if games of its room are reviewed; the answer tells where in the game it was."""
    for room in ("main", "quiet"):
        (tmp_path / f"{room}-1.journal.gz").write_bytes(sample(EAGER))
    one = Learner(site)
    assert one.send("/api/drills/mistakes?game=main-1&seat=C", "POST", b"")[0] == 200
    site.clock.advance(86_400.0)
    question = one.send("/api/drills?kind=mistake")[1]["drill"]
    at = one.post(f"/api/drills/{question['id']}", {"answer": None, "ms": 1})[1]["facts"]["at"]
    assert (at["game"], at["seat"]) == ("main-1", "C")
    for name in ("main-2", "quiet-1", "..%2Fmain-1", "x" * 300):
        assert one.send(f"/api/drills/mistakes?game={name}&seat=C", "POST", b"")[0] == 404


def test_a_job_with_a_key_is_told_to_nobody(site: MemorySite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its id cannot be worked out from the record."""
    monkeypatch.setattr(jobs, "convert_apart", drill_process.made)
    Learner(site).send("/api/drills/mistakes?seat=B", "POST", sample(EAGER))
    secret, jobs._SECRET = jobs._SECRET, ""
    guessed = jobs.given_job(sample(EAGER), "mistakes:0:1").id
    jobs._SECRET = secret
    assert Learner(site).send(f"/api/convert?job={guessed}")[0] == 404


def test_a_database_that_is_away_is_told(tmp_path: Path) -> None:
    """In one line."""

    def away() -> DrillDatabase:
        raise DatabaseError("connection refused")

    with opened(tmp_path, drills=DrillDesk(away, Random(1), lasts=True, shipped=list)) as site:
        assert Learner(site).send("/api/drills") == (503, drills.AWAY)


def test_too_much_at_once_is_refused(tmp_path: Path) -> None:
    """While the requests of a host wait for a thread, it may send only a few more."""

    def in_thread(call: Callable[..., object], *_arguments: object) -> Deferred[Any]:
        return Deferred()

    database = DrillDatabase(file_place(tmp_path / "drills.sqlite"))
    desk = DrillDesk(lambda: database, Random(1), lasts=True, shipped=list)
    with memory_site(sources=PageSources(list, list, None, in_thread, drills=desk)) as site:
        streams = [site.stream("192.0.2.1") for _ in range(MAX_JOBS_OF_HOST)]
        for stream in streams:
            stream.ask("/api/drills", Learner(site).headers)
        assert Learner(site).send("/api/drills") == (503, drills.BUSY)
        for stream in streams:
            stream.wire.lose()
