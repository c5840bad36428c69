"""The status of a running server: what operators read, how it is counted, and how long journals take to the disk."""

from __future__ import annotations

import json
import os
import socket
from collections import Counter
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.memory_server import journal_folder, memory_server, room
from support.memory_site import memory_site
from support.rows import each_row
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.logger import Logger, globalLogPublisher
from twisted.python.failure import Failure

from ump.cli.admin import status_lines
from ump.cli.main import main
from ump.database.database import DatabaseAway
from ump.model.claims import Reason
from ump.net.connection_budget import NetworkList, TurnedAway
from ump.server.http import operator_pages as pages_module
from ump.server.http.operator_pages import HAS_METRICS, HELP, NO_LIBRARY, metrics_page, status_pages
from ump.server.journals import Sync
from ump.server.status import (
    DELAY_BOUNDS,
    FIELDS,
    LATE_SECONDS,
    PERIOD,
    PROBE_SECONDS,
    AnswerTimes,
    DatabaseProbe,
    ErrorCount,
    GameNumbers,
    GameTotals,
    StatusSource,
    TurnDelay,
    status_data,
)
from ump.table.journal_entries import End

HERE = "127.0.0.1"


def test_totals_add_up() -> None:
    """Each game adds its end, its answers that did not count, and its length."""
    totals = GameTotals()
    totals.add(
        GameNumbers(End.COMPLETED, 60.0, Counter({(Reason.UNREADABLE, "mjai"): 2}), 1, 0, answers(0.02, 3.0)), "main"
    )
    totals.add(
        GameNumbers(End.ABANDONED, 5.5, Counter({(Reason.UNREADABLE, "UMP 0.1"): 1}), 0, 4, answers(600.0)), "open"
    )
    assert totals.games == 2
    assert totals.ends == {End.COMPLETED: 1, End.ABANDONED: 1}
    assert totals.refusals == {(Reason.UNREADABLE, "mjai"): 2, (Reason.UNREADABLE, "UMP 0.1"): 1}
    assert totals.refusals_by_reason == {Reason.UNREADABLE: 3}
    assert (totals.seconds, totals.timeouts, totals.stale) == (65.5, {"main": 1, "open": 0}, 4)
    (mjai,) = totals.answers.values()
    assert (mjai.questions, mjai.times.total, mjai.times.seconds) == (3, 3, 603.02)
    assert [mjai.times.quantile(share) for share in (0.3, 0.5, 1)] == [0.05, 5.0, float("inf")]


def answers(*seconds: float) -> dict[str, AnswerTimes]:
    """Return answers that have taken so long, to as many questions."""
    given = AnswerTimes()
    given.questions = len(seconds)
    for each in seconds:
        given.times.add(each)
    return {"mjai": given}


def test_a_table_measures_answers() -> None:
    """By dialect, from the question to the answer that counts; built-in bots are not measured."""
    with memory_server(room(length="kyoku", house=["tsumogiri:1"], house_after=0.0)) as server:
        robots = server.robots("a", "b", "c")
        server.clock.advance(1)
        while server.rooms[0].running:
            server.play(robots[1:])
            server.clock.advance(0.3)
            robots[0].play()
        measured = server.parts.totals.answers
        asked = sum(robot.peer.words().count(word) for robot in robots for word in ("sutehai?", "naku?", "tenpai?"))
    assert list(measured) == ["UMP 0.1"]
    times = measured["UMP 0.1"].times
    assert measured["UMP 0.1"].questions == asked
    assert 0 < times.total <= asked
    assert times.counts[0] > times.counts[3] > 0
    assert sum(times.counts) == times.counts[0] + times.counts[3]


def test_a_room_counts_the_games_that_are_over_and_no_others() -> None:
    """A refused answer is in the totals when the game is over, not before."""
    with memory_server(room(length="kyoku")) as server:
        clumsy, *others = server.robots("a", "b", "c", "d")
        opened, totals = server.rooms[0], server.parts.totals

        def is_to_discard() -> bool:
            lines = clumsy.peer.words()
            return lines[-1] == "sutehai?"

        while not is_to_discard():
            if not clumsy.play():
                server.play(others)
        number = clumsy.peer.lines[-1].split()[0]
        clumsy.peer.say(f"{number} tsumo")
        assert clumsy.peer.words()[-1] == "sutehai?"
        assert (opened.running, totals.games, totals.refusals.total()) == (1, 0, 0)
        server.play([clumsy, *others])
        assert (totals.games, totals.refusals) == (1, {(Reason.NOT_COMPLETE, "UMP 0.1"): 1})
        assert totals.ends == {End.COMPLETED: 1}


def test_errors_are_counted() -> None:
    """An error of the server counts, a line about a client does not."""
    errors, log = ErrorCount(), Logger()
    globalLogPublisher.addObserver(errors)
    try:
        log.info("a client left")
        log.warn("connections run short")
        assert errors.count == 0
        log.error("a game cannot be recorded")
        log.failure("a table breaks down", _failure())
    finally:
        globalLogPublisher.removeObserver(errors)
    assert errors.count == 2
    assert errors.last_at is not None


def _failure() -> Failure:

    try:
        raise ZeroDivisionError
    except ZeroDivisionError:
        return Failure()


def test_delays() -> None:
    """A call that is made late counts in the class of its delay."""
    clock = Clock()
    delay = TurnDelay(clock)
    assert delay.delays.quantile(0.5) is None
    delay.startService()
    for _ in range(9):
        clock.advance(PERIOD)
    clock.advance(PERIOD + 0.02)
    clock.advance(PERIOD + 60)
    delay.stopService()
    assert not clock.getDelayedCalls()
    assert delay.delays.total == 11
    assert delay.delays.quantile(0.5) == DELAY_BOUNDS[0]
    assert delay.delays.quantile(0.9) == 0.025
    assert delay.delays.quantile(1) == float("inf")
    assert delay.delays.seconds == pytest.approx(60.02)


def test_status_is_for_this_computer_and_for_named_hosts() -> None:
    """Others are refused; the health of the server is for everybody."""
    with memory_site() as site:
        for path in ("/status", "/metrics"):
            for host in (HERE, "198.51.100.9", "::1"):
                assert site.stream(host).fetch(path).code == 200, (path, host)
            refused = site.stream("192.0.2.1").fetch(path)
            assert refused.code == 403
            assert "--status-for" in refused.text
        health = site.stream("192.0.2.1").fetch("/healthz")
        assert (health.code, health.text) == (200, "ok\n")
        site.status.is_stopping = True
        assert site.stream("192.0.2.1").fetch("/healthz").code == 503
        assert site.stream(HERE).fetch("/status", method="HEAD").text == ""
        assert site.stream(HERE).fetch("/status", method="POST", body=b"").code == 405


def test_the_status_as_json() -> None:
    """The page has what the parts of the server say, and ump status prints it."""
    with memory_site() as site:
        site.totals.add(
            GameNumbers(End.COMPLETED, 60.0, Counter({(Reason.UNREADABLE, "mjai"): 2}), 1, 3, answers(0.02, 3.0)),
            "main",
        )
        site.clock.advance(90)
        answer = site.stream(HERE).fetch("/status")
        assert answer.headers["content-type"] == "application/json; charset=utf-8"
        data = json.loads(answer.text)
        assert data == status_data(site.status.now())
        assert list(data) == list(FIELDS)
        assert data["rooms"] == {"main": {"tables": 2, "waiting": 3}}
        assert (data["tables"], data["games"], data["uptime"]) == (2, {"completed": 1}, 90.0)
        assert data["connections"]["http"] == 1
        lines = status_lines(data)
        assert lines[0].endswith("up for 1 min 30 s")
        assert "refusals     " + f"{Reason.UNREADABLE.value} 2; timeouts 1; stale 3" in lines
        assert "answers      half within: mjai 50 ms" in lines
        assert any(line.split() == ["main", "2", "3"] for line in lines)


def test_rated_rooms_in_the_status() -> None:
    """A rated room says when its next round begins."""
    with memory_site() as site:
        status = replace(site.status.now(), next_rounds={"main": 1_200.0})
    data = status_data(status)
    assert data["rooms"] == {"main": {"tables": 2, "waiting": 3, "next_round": "1970-01-01T00:20:00+00:00"}}
    assert "rated        next rounds: main 1970-01-01T00:20:00+00:00" in status_lines(data)


EXPOSED = {
    *(("gauge", f"ump_{name}") for name in ("start_time_seconds", "stopping", "records_to_finish")),
    *(("gauge", f"ump_{name}", "room") for name in ("tables", "waiting_players")),
    ("gauge", "ump_info", "version"),
    ("gauge", "ump_connections", "dialect", "kind", "transport"),
    ("gauge", "ump_last_error_time_seconds"),
    *(("counter", f"ump_{name}") for name in ("game_seconds", "stale_answers")),
    ("counter", "ump_turned_away", "reason"),
    ("counter", "ump_games", "end", "room"),
    ("counter", "ump_refusals", "dialect", "reason"),
    ("counter", "ump_timeouts", "room"),
    ("counter", "ump_errors", "where"),
    ("counter", "ump_questions", "dialect"),
    *(("histogram", f"ump_{name}_seconds") for name in ("journal_sync", "turn_delay", "users_answer")),
    ("gauge", "ump_users_away"),
    ("gauge", "ump_certificate_end_time_seconds", "certificate"),
    ("histogram", "ump_answer_seconds", "dialect"),
}
"""The metrics that dashboards rely on: the type, the name and the labels of each."""


@pytest.mark.skipif(not HAS_METRICS, reason="no prometheus-client; pip install 'ump-mahjong[metrics]'")
def test_metrics() -> None:
    """Every metric that is described is there, and the library's own parser reads the page."""
    from prometheus_client.parser import text_string_to_metric_families

    with memory_site() as site:
        site.totals.add(
            GameNumbers(End.COMPLETED, 60.0, Counter({(Reason.UNREADABLE, "mjai"): 2}), 1, 3, answers(0.02, 3.0)),
            "main",
        )
        site.delay.delays.counts[2] += 4
        site.errors.last_at = 1_000.5
        site.status.users = DatabaseProbe(Deferred, site.clock)
        site.status.certificates = lambda: {"mahjong.example": 2_000.5}
        site.errors.places["ump.server.room.Room"] += 2
        page = site.stream(HERE).fetch("/metrics").text
    families = {family.name: family for family in text_string_to_metric_families(page)}
    ours = [family for family in families.values() if family.name.startswith("ump_")]
    assert {family.name: family.documentation for family in ours} == HELP
    labels = {each.name: sorted({*each.samples[0].labels} - {"le"}) for each in ours}
    assert {(each.type, each.name, *labels[each.name]) for each in ours} == EXPOSED
    assert [(s.labels, s.value) for s in families["ump_games"].samples] == [({"end": "completed", "room": "main"}, 1.0)]
    assert [(s.labels, s.value) for s in families["ump_tables"].samples] == [({"room": "main"}, 2.0)]
    refusals = [(s.labels, s.value) for s in families["ump_refusals"].samples]
    assert refusals == [({"reason": Reason.UNREADABLE.value, "dialect": "mjai"}, 2.0)]
    assert connections_of(page) == {("http", "http", ""): 1.0}
    assert families["ump_last_error_time_seconds"].samples[0].value == 1_000.5
    errors = {sample.labels["where"]: sample.value for sample in families["ump_errors"].samples}
    assert {place: count for place, count in errors.items() if count} == {"ump.server.room.Room": 2.0}
    assert {"ump.server.table_runner.TableRunner", "ump.net.connection.Connection", "log_legacy"} <= errors.keys()
    assert families["ump_records_to_finish"].samples[0].value == 0
    buckets = {s.labels["le"]: s.value for s in families["ump_turn_delay_seconds"].samples if "le" in s.labels}
    assert (buckets["0.001"], buckets["0.0025"], buckets["+Inf"]) == (0.0, 4.0, 4.0)
    timeouts, turned_away = (families[f"ump_{name}"].samples for name in ("timeouts", "turned_away"))
    assert [(s.labels, s.value) for s in timeouts] == [({"room": "main"}, 1.0)]
    assert {s.labels["reason"]: s.value for s in turned_away} == {why.value: 0.0 for why in TurnedAway}
    times = [s for s in families["ump_answer_seconds"].samples if s.labels.get("le") in ("0.05", "2.5", "5.0")]
    assert [(s.labels["dialect"], s.value) for s in times] == [("mjai", 1.0), ("mjai", 1.0), ("mjai", 2.0)]
    assert [(s.labels, s.value) for s in families["ump_questions"].samples] == [({"dialect": "mjai"}, 2.0)]
    assert "process_resident_memory_bytes" in families or "python_info" in families


def connections_of(page: str) -> dict[tuple[str, str, str], float]:
    """Return the open connections of a page of metrics, by their labels."""
    from prometheus_client.parser import text_string_to_metric_families

    (family,) = (each for each in text_string_to_metric_families(page) if each.name == "ump_connections")
    return {(s.labels["kind"], s.labels["transport"], s.labels["dialect"]): s.value for s in family.samples}


@pytest.mark.skipif(not HAS_METRICS, reason="no prometheus-client; pip install 'ump-mahjong[metrics]'")
def test_connections_by_transport_and_dialect() -> None:
    """Of players, of people, and of clients without a hello; a kind that has gone stays, with 0."""
    with memory_server(room(length="kyoku")) as server:
        source = StatusSource(
            *(lambda: server.rooms, server.connections, GameTotals(), ErrorCount()),
            *(TurnDelay(server.clock), server.clock, None),
        )
        page = metrics_page(source.now)
        server.robots("a", "b", "c", "d")
        person, newcomer = server.connect(port="telnet"), server.connect(port="mjai")
        person.say("eve")
        told = {
            ("player", "tcp", "UMP 0.1"): 4.0,
            ("waiting", "tcp", "plain words"): 1.0,
            ("newcomer", "tcp", "mjai in lock-step"): 1.0,
            ("http", "http", ""): 0.0,
        }
        assert connections_of(page().decode()) == told
        data = status_data(source.now())
        assert data["clients"] == {"tcp": {"UMP 0.1": 4, "plain words": 1, "mjai in lock-step": 1}}
        assert "clients      tcp: UMP 0.1 4, mjai in lock-step 1, plain words 1" in status_lines(data)
        newcomer.hang_up()
        assert connections_of(page().decode()) == {**told, ("newcomer", "tcp", "mjai in lock-step"): 0.0}


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says what to install."""
    monkeypatch.setattr(pages_module, "HAS_METRICS", False)
    with memory_site() as site:
        pages = status_pages(site.status, NetworkList())
        site.site.resource.putChild(b"metrics", pages["metrics"])
        answer = site.stream(HERE).fetch("/metrics")
    assert (answer.code, answer.text) == (501, f"{NO_LIBRARY}\n")


@each_row(
    ("address", "code", "said"),
    [
        ("ftp://localhost", 2, "is not the address of a server"),
        ("http://[::1", 2, "is not the address of a server"),
        ("127.0.0.1:1", 1, "no server answers at 127.0.0.1:1"),
    ],
)
def test_ump_status_without_a_server(address: str, code: int, said: str) -> None:
    """The command says what is wrong."""
    result = CliRunner().invoke(main, ["status", address])
    assert result.exit_code == code, result.output
    assert said in result.output


def asked(said: bytes, *options: str) -> tuple[Result, str]:
    """Let ``ump status`` ask a port that says this to everybody; return the result and the address."""
    with socket.create_server(("127.0.0.1", 0)) as port:

        def answer() -> None:
            """Speak, and take the request."""
            client, _ = port.accept()
            with client:
                client.sendall(said)
                client.recv(10_000)

        answering = Thread(target=answer)
        answering.start()
        address = f"127.0.0.1:{port.getsockname()[1]}"
        result = CliRunner().invoke(main, ["status", address, *options])
        answering.join()
    return result, address


def test_ump_status_at_a_port_of_ump() -> None:
    """A server of UMP speaks first, and is no HTTP server."""
    result, address = asked(b"0 hello ump=0.1\r\n")
    assert (result.exit_code, result.output) == (1, f"Error: {address} is not an HTTP port of this server\n")


@each_row("told", ['{"status":"ok"}', '{"delay":[],"stopping":0,"version":1,"uptime":1e400}'])
def test_ump_status_of_another_program(told: str) -> None:
    """Its status is not that of this server; --json prints it."""
    said = f"HTTP/1.0 200 OK\r\n\r\n{told}".encode()
    result, address = asked(said)
    assert result.exit_code == 1
    assert result.output.startswith(f"Error: {address} tells no status that ump ")
    as_it_is, _ = asked(said, "--json")
    assert (as_it_is.exit_code, json.loads(as_it_is.output)) == (0, json.loads(told))


def test_a_status_of_brackets_alone() -> None:
    """JSON of any depth ends the command with one line."""
    result, address = asked(b"HTTP/1.0 200 OK\r\n\r\n" + b"[" * 200_000)
    assert (result.exit_code, result.output) == (1, f"Error: {address} is not an HTTP port of this server\n")


def test_a_status_cannot_rearrange_the_terminal() -> None:
    """Names with control characters are shown without them."""
    with memory_server(room(length="kyoku")) as server:
        source = StatusSource(
            *(lambda: server.rooms, server.connections, GameTotals(), ErrorCount()),
            *(TurnDelay(server.clock), server.clock, None),
        )
        data = status_data(source.now())
    hostile = json.dumps(data | {"version": "\x1b[2J9"})
    result, _ = asked(f"HTTP/1.0 200 OK\r\n\r\n{hostile}".encode())
    assert result.exit_code == 0
    assert result.output.startswith("ump ?[2J9, up for ")


def test_each_sync_is_measured_until_its_end(tmp_path: Path) -> None:
    """Also one that fails, whose failure goes on."""
    first, second = Deferred[None](), Deferred[None]()
    waiting = [second, first]
    folder = journal_folder(tmp_path, Sync.ALWAYS, lambda *_: waiting.pop())
    done, failed = folder.to_disk(0), folder.to_disk(0)
    assert folder.sync_times.total == 0
    first.callback(None)
    second.errback(OSError("full"))
    assert folder.sync_times.total == 2
    assert done.called
    failed.addErrback(lambda failure: failure.trap(OSError))


@pytest.mark.parametrize(("sync", "least"), [(Sync.ALWAYS, 30), (Sync.KYOKU, 1), (Sync.NEVER, 0)])
def test_the_journals_of_a_server(tmp_path: Path, sync: Sync, least: int) -> None:
    """Each step or each kyoku is measured, as journals go to the disk."""
    folder = journal_folder(tmp_path, sync)
    folder.open()
    with memory_server(room(length="kyoku", house=["tsumogiri:3"], house_after=0), recorder_of=folder.create) as server:
        server.play(server.robots("a"))
    assert folder.sync_times.total >= least
    assert (folder.sync_times.total == 0) == (sync is Sync.NEVER)
    folder.close()


def test_readiness(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A server is ready while games can be recorded, and healthy meanwhile."""
    folder = journal_folder(tmp_path / "records")
    with memory_site() as site:
        assert site.stream("192.0.2.1").fetch("/readyz").code == 200
        site.status.journals = folder
        assert site.stream("192.0.2.1").fetch("/readyz").text == "games cannot be recorded\n"
        assert site.stream("192.0.2.1").fetch("/healthz").code == 200
        folder.open()
        assert site.stream("192.0.2.1").fetch("/readyz").code == 200
        monkeypatch.setattr(os, "access", lambda *_: False)
        assert site.stream("192.0.2.1").fetch("/readyz").code == 503
    folder.close()


def test_the_database_of_users_is_asked() -> None:
    """A server is not ready while it is away or silent; one question at a time, each measured."""
    asked: list[Deferred[Any]] = []
    with memory_site() as site:

        def ask() -> Deferred[Any]:
            asked.append(Deferred())
            return asked[-1]

        probe = site.status.users = DatabaseProbe(ask, site.clock)
        ready = []
        probe.startService()
        for answer in (None, None, DatabaseAway("gone"), None):
            for seconds in (0.02, LATE_SECONDS):
                site.clock.advance(seconds)
                ready.append(site.stream("192.0.2.1").fetch("/readyz").text)
            asked[-1].callback(answer) if answer is None else asked[-1].errback(answer)
            ready.append(site.stream("192.0.2.1").fetch("/readyz").text)
            site.clock.advance(PROBE_SECONDS)
        probe.stopService()
    late, fine = "users cannot be checked\n", "ok\n"
    assert ready == [*[fine, late, fine] * 2, fine, late, late, late, late, fine]
    assert (len(asked), probe.answers.total) == (5, 3)
    assert status_lines(status_data(site.status.now()))[-3].startswith("users        half within")


def test_errors_by_place() -> None:
    """The part of the program that logged an error is counted with it."""
    from twisted.logger import Logger, LogLevel

    count = ErrorCount()
    Logger("ump.server.room", observer=count).error("x")
    Logger("ump.server.lobby", observer=count).emit(LogLevel.critical, "y")
    Logger("ump.server.lobby", observer=count).info("z")
    assert (count.count, dict(count.places)) == (2, {"ump.server.room": 1, "ump.server.lobby": 1})
