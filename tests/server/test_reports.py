"""Reports of players: who may make one, how, and what moderators see."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import pytest
from server.http.test_accounts import PASSWORD, Browser, Direct, accounts
from server.test_admin import Operator
from support.memory_server import MemoryServer, Peer, journal_folder, memory_server, room
from twisted.internet.defer import Deferred, maybeDeferred

from ump.database.database import file_place, read_place
from ump.model.game_result import GameResult
from ump.net.connection_limits import OpenConnections
from ump.net.limits import Limits
from ump.record.likeness import PLAYERS, Agreement, agreement_data
from ump.server import jobs
from ump.server.journals import JournalFolder
from ump.server.ladder import NO_STANDINGS, Ladder, LadderPlayer, RatedGame
from ump.server.reports import (
    NO_PLAYER,
    NO_REPORTS,
    ONLY_USERS,
    OWN_SEAT,
    THANKS,
    Comparisons,
    ReportDesk,
    games_to_compare,
)
from ump.server.users.bans import NewReport, OrderToLog, Report, ReportVerdict
from ump.server.users.gate import GuardedHost
from ump.server.users.user_database import REPORTED_BEFORE, REPORTS_A_DAY, TOO_MANY_REPORTS, UserDatabase, UserError

NOW, LATER = "2026-11-23T18:00:00Z", "2026-11-24T18:00:00Z"
REPORT = NewReport(NOW, "anna", "20261123T180000Z-main-1", "main", 1, "mallory/akagi", "program")


@pytest.fixture
def file(database: str) -> UserDatabase:
    """Users in SQLite and in PostgreSQL."""
    made = UserDatabase(read_place(database))
    for name in ("anna", "mallory"):
        made.add(name, None, NOW)
    return made


def test_reports_wait_for_a_verdict(file: UserDatabase) -> None:
    """The oldest first; a later report of the same player says how many were upheld."""
    file.report(REPORT)
    file.report(replace(REPORT, game="another"))
    first, second = file.reports()
    assert first == Report(*(NOW, "anna", REPORT.game, "main", 1, "mallory/akagi", "program"), id=first.id, upheld=0)
    assert file.judge(first.id, ReportVerdict.UPHELD) == first
    assert file.reports() == [replace(second, upheld=1)]
    with pytest.raises(UserError, match="waits for a verdict"):
        file.judge(first.id, ReportVerdict.DISMISSED)


def test_reports_of_a_user_are_bounded(file: UserDatabase) -> None:
    """Ten within a day, one of each player of a game; verdicts change nothing about that."""
    for number in range(REPORTS_A_DAY):
        file.check_reports("anna", NOW)
        file.report(replace(REPORT, game=f"{number}"))
        with pytest.raises(UserError, match=REPORTED_BEFORE if number < REPORTS_A_DAY - 1 else TOO_MANY_REPORTS):
            file.report(replace(REPORT, game=f"{number}"))
    file.judge(file.reports()[0].id, ReportVerdict.DISMISSED)
    with pytest.raises(UserError, match=TOO_MANY_REPORTS):
        file.check_reports("anna", NOW)
    file.report(replace(REPORT, made=LATER))


@pytest.mark.parametrize("name", ["anna", "mallory"])
def test_a_deleted_user_is_in_no_report(file: UserDatabase, name: str) -> None:
    """Neither as the one who reports, nor as the owner of the reported bot."""
    file.report(REPORT)
    file.report(replace(REPORT, seat=2, player="mallory"))
    file.delete(name, NOW)
    assert file.reports() == []


class Site:
    """A server in memory with users, records and reports."""

    def __init__(self, folder: Path) -> None:
        users = UserDatabase(file_place(folder / "users.sqlite"))
        for name in ("anna", "bob"):
            users.add(name, None, NOW)
        connections = OpenConnections(Limits())
        self.journals = journal_folder(folder / "records", in_thread=maybeDeferred)
        self.journals.open()
        self.desk = ReportDesk(lambda: self.users, self.journals, lambda: self.server.rooms[0].tables)
        self.server = MemoryServer(
            room(length="kyoku", house=["tsumogiri:1"]), recorder_of=self.journals.create, reports=self.desk
        )
        self.users: Direct | None = Direct(
            cast(GuardedHost, None), users, self.server.clock, connections, attempts=None, proxies=()
        )
        self.operator = Operator(self.server)
        self.operator.users = self.users

    def enter(self, name: str, user: str | None, options: str = "_explain=1") -> Peer:
        """Let a client of a user, or of a guest, sit down."""
        peer = self.server.enter(name, options)
        peer.connection.user = user
        return peer

    def seat(self, name: str) -> str:
        """Return the seat of a player."""
        return "ABCD"[self.server.table.opening.players.index(name)]

    def queue(self) -> list[dict[str, object]]:
        """Return the reports that wait."""
        listed = self.operator.give("reports")["reports"]
        assert isinstance(listed, list)
        return listed


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A site at whose only table anna, bob, a guest and a built-in bot play."""
    opened = Site(tmp_path)
    yield opened
    opened.server.close()
    opened.journals.close()


def notices(peer: Peer) -> list[str]:
    """Return what a client was told by the server since the last call."""
    return [line.partition(" _notice ")[2] for line in peer.heard() if " _notice " in line]


def test_a_report_at_a_table(site: Site) -> None:
    """Of the game by its record, which moderators see at its table until it is over."""
    anna = site.enter("anna", "anna")
    for name in ("bob", "zoe"):
        site.enter(name, None)
    site.server.clock.advance(10)
    seat, table = site.seat("zoe"), site.server.table
    anna.say(f"0 _report {seat} sabotage")
    assert quote(THANKS) in notices(anna)
    (report,) = site.queue()
    assert (report["table"], report["game"]) == ("main-1", table.record_name)
    assert (report["reporter"], report["player"], report["seat"]) == ("anna", "zoe", seat)
    assert report["reason"] == "sabotage"
    site.operator.give("close", table="main-1")
    site.server.clock.advance(0)
    assert site.queue()[0]["table"] is None
    assert (site.journals.folder / f"{report['game']}.journal.gz").exists()


def test_reports_that_are_not_taken(site: Site) -> None:
    """Each is answered with the reason, and nothing else happens."""
    anna, _bob, guest = site.enter("anna", "anna"), site.enter("anna/x", "anna"), site.enter("zoe", None)
    site.server.clock.advance(10)
    (bot,) = (name for name in site.server.table.opening.players if name not in ("anna", "anna/x", "zoe"))
    notices(anna), notices(guest)
    guest.say(f"0 _report {site.seat('anna')} name")
    assert notices(guest) == [quote(ONLY_USERS)]
    for name, why in (("anna", OWN_SEAT), ("anna/x", OWN_SEAT), (bot, NO_PLAYER)):
        anna.say(f"0 _report {site.seat(name)} program")
        assert notices(anna) == [quote(why)]
    for line in ("_report", "_report A", "_report E program", "_report A luck", "_report A program x"):
        anna.say(f"0 {line}")
        assert notices(anna) == []
    assert site.queue() == []
    site.users = None
    anna.say(f"0 _report {site.seat('zoe')} program")
    assert notices(anna) == [quote(NO_REPORTS, safe=":,")]


class Threads:
    """Other threads, which do one call after the other when they are told to."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Deferred[Any], Callable[[], object]]] = []

    def __call__(self, function: Callable[..., object], *arguments: object) -> Deferred[Any]:
        """Return a Deferred with the result of a call."""
        done: Deferred[Any] = Deferred()
        self._waiting.append((done, partial(function, *arguments)))
        return done

    def work(self) -> None:
        """Do all calls, and those that follow."""
        while self._waiting:
            done, call = self._waiting.pop(0)
            maybeDeferred(call).chainDeferred(done)


def test_a_report_comes_with_the_likeness_to_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is computed once, elsewhere, after the first look; the last rated games of the player count, too."""
    choices = Agreement(4, 100, {**dict.fromkeys(PLAYERS, 50), "efficiency": 100})
    made = {(name, f"likeness:{seat}"): agreement_data(choices) for name, seat in ((b"1", 1), (b"2", 0))}
    monkeypatch.setattr(jobs, "convert_apart", lambda *asked: json.dumps(made.pop(asked)).encode())
    for number in ("1", "2"):
        (tmp_path / f"{number}.journal.gz").write_text(number)
    threads = Threads()
    comparisons = Comparisons(tmp_path, None, threads)
    player, result = LadderPlayer("bob"), GameResult((25_000,) * 4, (1, 2, 3, 4))
    others = tuple(LadderPlayer(name) for name in "acd")
    games = [RatedGame(f"{number}.journal.gz", 0.0, (player, *others), result) for number in (3, 2)]
    ladder = Ladder(replace(NO_STANDINGS, last={player: games}), 60.0, 60.0)
    report = Report(NOW, "anna", "1", "main", 1, "bob", "program", id=1, upheld=0)
    wanted = [games_to_compare(report, ladder, is_over=True), games_to_compare(report, None, is_over=False)]
    assert wanted == [[("1.journal.gz", 1), ("3.journal.gz", 0), ("2.journal.gz", 0)], []]
    assert comparisons.look(wanted) == comparisons.look(wanted) == [None, None]
    threads.work()
    first, none = comparisons.look(wanted)
    assert first is not None and none is None
    assert (first.player, first.games, first.agreed, first.discards) == ("efficiency", 2, 200, 200)
    again = Comparisons(tmp_path, None, threads)  # after a restart the folder has the results
    again.look(wanted)
    threads.work()
    assert again.look(wanted) == [first, None]


def test_a_report_in_plain_words(site: Site) -> None:
    """At a prompt it is a command, which lists the seats if they are missing."""
    person = site.server.connect()
    for line in ("", "anna"):
        person.say(line)
    person.connection.user = "anna"
    site.enter("bob", "bob")
    site.enter("zoe", None)
    person.say("report")
    assert "There is no game now." in person.heard()
    site.server.clock.advance(10)
    for line in ("report", "report zoe program", "report B luck"):
        person.say(line)
        assert f"  report {site.seat('zoe')} ..   zoe" in person.heard()
    person.say(f"Report {site.seat('zoe').lower()} program")
    assert f"The server says: {THANKS}" in person.heard()
    assert [each["player"] for each in site.queue()] == ["zoe"]


def test_a_verdict(site: Site) -> None:
    """It takes the report out of the queue, stands in the log, and is told to whoever made the report."""
    assert site.users is not None
    site.users.users.report(replace(REPORT, player="zoe"))
    anna, bob = site.enter("anna", "anna"), site.enter("bob", "bob")
    (number,) = (each["id"] for each in site.queue())
    judged = site.operator.give("judge", report=number, verdict="upheld")["judged"]
    assert isinstance(judged, dict) and judged["player"] == "zoe"
    assert (notices(anna), notices(bob)) == ([quote("your report of zoe was upheld")], [])
    assert site.queue() == []
    (logged,) = site.users.users.orders()
    shown = OrderToLog(logged.made, "root", "socket", "judge", str(number), '{"verdict": "upheld"}', "ok")
    assert {name: getattr(logged, name) for name in shown.__dataclass_fields__} == {
        name: getattr(shown, name) for name in shown.__dataclass_fields__
    }


@contextmanager
def finished(folder: Path) -> Iterator[tuple[JournalFolder, str, str]]:
    """Yield the records of a game that is over, with its id, and the seat of bob in it."""
    journals = journal_folder(folder, in_thread=maybeDeferred)
    journals.open()
    with memory_server(room(length="kyoku"), recorder_of=journals.create) as server:
        robots = server.robots("anna", "bob", "c", "d")
        game, seat = server.table.record_name, "ABCD"[server.table.opening.players.index("bob")]
        server.play(robots)
    assert game is not None
    yield journals, game, seat
    journals.close()


def test_a_report_over_http(tmp_path: Path) -> None:
    """A session says who reports; the game is over, and its record says who played."""
    with (
        finished(tmp_path) as (journals, game, seat),
        accounts(tmp_path, reports=lambda users: ReportDesk(lambda: users, journals, list)) as (site, service),
    ):
        anna, stranger = Browser(site), Browser(site)
        anna.order("login", user="anna", password=PASSWORD)
        given = {"game": game, "seat": seat, "reason": "collusion"}
        assert stranger.order("report", **given)[0] == 401
        assert anna.order("report", **given) == (200, "{}")
        assert anna.order("report", **given) == (400, REPORTED_BEFORE)
        for wrong, why in (
            ({"seat": "E"}, "expected a seat"),
            ({"reason": "luck"}, "expected a seat"),
            ({"game": "../x"}, "there is no game '../x'"),
            ({"game": "x\0"}, "there is no game"),
            ({"game": 7}, "must be a string"),
        ):
            code, said = anna.order("report", **given | wrong)
            assert code == 400 and why in said
        (report,) = service.users.reports()
        assert (report.reporter, report.player, report.game, report.room) == ("anna", "bob", game, "main")
