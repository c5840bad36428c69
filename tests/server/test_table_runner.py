"""A running table: messages to its players, timing, the log, and the effects of bugs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn

import pytest
from support.memory_server import MemoryServer, Peer, Robot, memory_server, room
from support.rows import each_row
from twisted.logger import LogEvent, LogLevel, capturedLogs, formatEvent

from ump.game.game import Game
from ump.model.actions import Action, Discard, Pass
from ump.model.events import Event, GameEnded
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.players.observation import Observation
from ump.players.policy import POLICIES
from ump.record.journal import Journal, JournalHeader, JournalStep, check_journal
from ump.table.chair import BeforeKyoku
from ump.table.journal_entries import ActionTaken, Began, End, Ended, Entry
from ump.wire.ump.session import UmpSession

KYOKU = room(length="kyoku")


@pytest.fixture
def server() -> Iterator[MemoryServer]:
    """A server with a room for games of one kyoku."""
    with memory_server(KYOKU) as opened:
        yield opened


def asked(peer: Peer) -> str:
    """Return the last question to a client, without its id."""
    peer.heard()
    return next(line.split(" ", 1)[1] for line in reversed(peer.lines) if "? " in f"{line} ")


def shown(events: Sequence[LogEvent], level: LogLevel = LogLevel.info) -> list[str]:
    """Return the texts that were logged at a level."""
    return [formatEvent(event) for event in events if event["log_level"] is level]


def test_all_players_receive_the_same_events(server: MemoryServer) -> None:
    """All players receive the same discards in the same order, and no tile of another hand."""
    robots = server.robots("a", "b", "c", "d")
    server.play(robots)
    rivers = set()
    for robot in robots:
        told = [line.split()[1:] for line in robot.peer.lines]
        seat = next(words[1] for words in told if words[0] == "gamestart")
        rivers.add(tuple(tuple(words) for words in told if words[0] == "sutehai"))
        assert {words[1] for words in told if words[0] == "tsumo" and len(words) == 4} == {seat}
        assert {words[1] for words in told if words[0] == "haipai" and len(words) == 3} == {seat}
    assert len(rivers) == 1


def test_ids_have_no_gaps(server: MemoryServer) -> None:
    """Each connection numbers its own sentences from 0, without gaps."""
    robots = server.robots("a", "b", "c", "d")
    server.play(robots)
    for robot in robots:
        assert [int(line.split()[0]) for line in robot.peer.lines] == list(range(len(robot.peer.lines)))


def test_one_write_for_each_step(server: MemoryServer) -> None:
    """The start of a kyoku, more than twelve sentences, goes to each connection in one write."""
    robots = server.robots("a", "b", "c", "d")
    server.play(robots, until=lambda: all("kyokustart" in robot.peer.words() for robot in robots))
    for robot in robots:
        writes = [write for write in robot.peer.wire.writes if b" kyokustart " in write]
        assert [b" tsumo A 69" in write for write in writes] == [True]


def test_languages() -> None:
    """Each client receives yaku in the language that it has asked for."""
    with memory_server(room(length="tonpu", house=["efficiency:2"], house_after=0)) as server:
        robots = [*server.robots("a"), *server.robots("b", options="_lang=en")]
        server.play(robots)
        japanese, english = ([line for line in robot.peer.lines if " agari " in line] for robot in robots)
        assert len(japanese) == len(english) > 0
        assert all("%" in line for line in japanese)
        assert not any("%" in line for line in english)


def test_a_silent_player(server: MemoryServer) -> None:
    """When a player's time runs out, its drawn tile is discarded at once."""
    robots = server.robots("a", "b", "c", "d")
    server.play(robots, until=lambda: all("kyokustart" in robot.peer.words() for robot in robots))
    dealer = next(robot for robot in robots if " gamestart A " in "\n".join(robot.peer.lines))
    dealer.is_mute = True
    server.play(robots)
    assert "sutehai" not in dealer.peer.words()
    server.clock.advance(30)
    assert "sutehai" not in dealer.peer.words()
    server.clock.advance(0.5)
    assert "sutehai" in dealer.peer.words()


def test_a_silent_player_who_returns(server: MemoryServer) -> None:
    """After three timeouts the table does not wait for a seat, until any line comes from it."""
    robots = server.robots("a", "b", "c", "d")
    server.play(robots, until=lambda: all("kyokustart" in robot.peer.words() for robot in robots))
    robots[0].is_mute = True
    while not robots[0].peer.words().count("tsumo") > 20:
        server.play(robots, until=lambda: robots[0].peer.words().count("tsumo") > 20)
        server.clock.advance(30.5)
    before = server.clock.seconds()
    robots[0].peer.say("9999 no")
    server.play(robots)
    assert server.clock.seconds() == before
    assert "gameend" not in robots[0].peer.words()


def test_built_in_bots_take_turns_with_other_tables() -> None:
    """A table takes at most one decision of a built-in bot in each turn of the reactor."""
    with memory_server(room(length="kyoku", house=["tsumogiri:3"], house_after=0)) as server:
        robot = Robot(server.enter("a"))
        for _ in range(1_000):
            before = robot.peer.words().count("sutehai")
            robot.play()
            answered = robot.peer.words().count("sutehai")
            server.clock.advance(0)
            assert answered - before <= 1
            assert robot.peer.words().count("sutehai") - answered <= 1
            if "gameend" in robot.peer.words():
                return
        raise AssertionError("it does not end")


class CallingPolicy:
    """A policy that makes every possible call, and fails if another player has already taken the tile."""

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Take the first offer that is not to pass."""
        assert offers is not None
        if phase is Phase.CALL:
            assert seen.source is not None
            discarded = sum(discard.face == tile for discard in seen.rivers[seen.source])
            melds = [meld for melds in seen.melds for meld in melds]
            assert sum((meld.source, meld.called) == (seen.source, tile) for meld in melds) < discarded
        return next((offer for offer in offers if not isinstance(offer, Pass)), offers[0])


def test_built_in_bots_and_closed_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A built-in bot does not get a question that another player's call has closed."""
    monkeypatch.setitem(POLICIES, "caller", CallingPolicy)
    for seed in "1234":
        with memory_server(room(house=["caller:3"], house_after=0), seed=seed) as server, capturedLogs() as events:
            (robot,) = server.robots("a")
            robot.ANSWERS = {**robot.ANSWERS, "naku?": "pon"}  # before a bot can decide on a chi
            server.play([robot])
        assert "completed" in shown(events)[-1]


class Broken:
    """A policy with a bug."""

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Fail."""
        raise ZeroDivisionError("a bug")


def test_a_bot_that_fails_loses_its_seat_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Default actions play the bot's seat, the log has the traceback once, and the game goes on to its end."""
    monkeypatch.setitem(POLICIES, "broken", Broken)
    with memory_server(room(length="kyoku", house=["broken:1", "tsumogiri:2"], house_after=0)) as server:
        with capturedLogs() as events:
            robot = Robot(server.enter("e"))
            server.play([robot])
        assert robot.peer.words()[-2:] == ["gameend", "bye"]
        assert [type(event["log_failure"].value) for event in events if "log_failure" in event] == [ZeroDivisionError]


def test_a_bug_in_the_game_ends_one_table_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table's players receive an error, the log has the traceback, and all other tables go on."""
    take = Game.take

    def cursed(self: Game, seat: Seat, action: Action) -> list[Event]:
        if "e" in self.names:
            raise ZeroDivisionError("a bug")
        return take(self, seat, action)

    monkeypatch.setattr(Game, "take", cursed)
    rooms = room("main", length="kyoku"), room("cursed", house=["tsumogiri:3"], house_after=0)
    with memory_server(*rooms) as server, capturedLogs() as events:
        robots = server.robots("a", "b", "c", "d")
        victim = Robot(server.enter("e", "_room=cursed"))
        server.play([victim, *robots])
        assert victim.peer.lines[-1].endswith(" error internal%20error,%20this%20table%20is%20closed")
        assert not victim.peer.is_connected
        assert [type(event["log_failure"].value) for event in events if "log_failure" in event] == [ZeroDivisionError]
        assert all("gameend" in robot.peer.words() for robot in robots)
        assert Robot(server.enter("f", "_room=cursed")).peer.is_connected


def fail_to_create() -> Broken:
    """Fail to make a policy."""
    raise ZeroDivisionError("a bug")


def test_a_bug_during_the_creation_of_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table's players receive an error, and the room creates further tables."""
    monkeypatch.setitem(POLICIES, "broken", fail_to_create)
    with memory_server(room(house=["broken:2"], house_after=1)) as server, capturedLogs() as events:
        victims = server.robots("a", "b")
        server.clock.advance(1)
        for victim in victims:
            assert victim.peer.heard()[-1].endswith(" error internal%20error,%20this%20table%20is%20closed")
            assert not victim.peer.is_connected
        assert [type(event["log_failure"].value) for event in events if "log_failure" in event] == [ZeroDivisionError]
        robots = server.robots("c", "d", "e", "f")
        server.play(robots)
        assert all("gameend" in robot.peer.words() for robot in robots)


def test_stale_lines_are_counted(server: MemoryServer) -> None:
    """Lines that answer no open question are dropped, and counted in the log line about the game's end."""
    with capturedLogs() as events:
        robots = server.robots("alice", "bob", "carol", "dave")
        server.play(robots, until=lambda: all("kyokustart" in robot.peer.words() for robot in robots))
        for line in ("", "9999 no", "9999 sute 1m"):
            robots[0].peer.say(line)
        server.play(robots)
    assert "(2 stale)" in shown(events)[-1]


def test_the_log_of_a_game(server: MemoryServer) -> None:
    """After a game the log has its scores, its refusals by reason and its seed; before, refusals only at debug."""
    with capturedLogs() as events:
        robots = server.robots("alice", "bob", "carol", "dave")
        server.play(robots, until=lambda: all("kyokustart" in robot.peer.words() for robot in robots))
        dealer = next(robot for robot in robots if " gamestart A " in "\n".join(robot.peer.lines))
        dealer.peer.say("tsumo")
        dealer.peer.say("sute what")
        server.play(robots)
    name = next(name for name, robot in zip(("alice", "bob", "carol", "dave"), robots, strict=True) if robot is dealer)
    *before, end = shown(events)
    assert end.startswith(f"main-1 ends, completed: {name} ")
    assert "(1 not_complete, 1 unreadable" in end
    seed = end.rsplit(" ", 1)[1]
    assert len(seed) == 64
    assert not any(seed in text or "not_complete" in text for text in before)
    refused = [text for text in shown(events, LogLevel.debug) if "refused" in text]
    assert re.fullmatch(
        rf"main-1: {name}: refused: not_complete; the answer to question \d+ \(turn \w\w\); it sent: tsumo", refused[0]
    )
    assert refused[1].startswith(f"main-1: {name}: refused: unreadable; ")


def test_the_log_of_late_answers(server: MemoryServer) -> None:
    """The log line about the end has the number of timeouts of each seat."""
    with capturedLogs() as events:
        robots = server.robots("a", "b", "c", "d")
        server.play(robots, until=lambda: all("kyokustart" in robot.peer.words() for robot in robots))
        robots[3].is_mute = True
        while robots[0].peer.is_connected:
            server.play(robots)
            server.clock.advance(30.5)
    assert "(3 late)" in next(text for text in shown(events) if " ends, " in text)


@each_row(("faults", "told"), [("default", "sutehai"), ("chombo", "ryukyoku"), ("abort", "bye")])
def test_the_faults_policy_of_a_room(faults: str, told: str) -> None:
    """The room's policy decides the consequence of three unreadable answers, which all players receive."""
    with memory_server(room(faults=faults), seed="faults") as server:
        robots = server.robots("a", "b", "c", "d")
        server.play(robots, until=lambda: any("sutehai?" in robot.peer.words() for robot in robots))
        offender = next(robot for robot in robots if "sutehai?" in robot.peer.words())
        others = [robot for robot in robots if robot is not offender]
        heard = {robot.peer: len(robot.peer.words()) for robot in robots}
        for _ in range(3):
            offender.peer.say("sute what")
        for robot in others:
            assert robot.peer.words()[heard[robot.peer]] == told


@each_row(
    ("options", "told"),
    [
        ("", "error this%20game%20was%20aborted%20because%20your%20answer%20was%20refused:%20unreadable"),
        ("_games=2", ""),
    ],
)
def test_the_offender_learns_why_a_game_is_aborted(options: str, told: str) -> None:
    """The offender receives an error with the reason, unless it stays for another game."""
    with memory_server(room(faults="abort"), seed="faults") as server:
        robots = server.robots("a", "b", "c", "d", options=options)
        server.play(robots, until=lambda: any("sutehai?" in robot.peer.words() for robot in robots))
        offender = next(robot for robot in robots if "sutehai?" in robot.peer.words())
        for _ in range(3):
            offender.peer.say("sute what")
        errors = [line.split(" ", 1)[1] for line in offender.peer.heard() if " error " in line]
        assert errors == ([told] if told else [])
        assert offender.peer.is_connected is (not told)


@each_row("explains", [False, True])
def test_a_late_client_hears_that_it_is_late(explains: bool) -> None:
    """With ``_explain=1`` a client hears how many timeouts are left, and that the server does not wait any more."""
    with memory_server(room(length="kyoku")) as server:
        robots = server.robots("a", "b", "c", "d", options="_explain=1" if explains else "")
        server.play(robots, until=lambda: all("kyokustart" in robot.peer.words() for robot in robots))
        robots[3].is_mute = True
        while robots[0].peer.is_connected:
            server.play(robots)
            server.clock.advance(30.5)
        late = [line.split()[2:] for line in robots[3].peer.lines if " _late " in line]
        assert [left for _, left in late[:4]] == (["2", "1", "0", "0"] if explains else [])
        asked = {line.split()[0] for line in robots[3].peer.lines if "? " in f"{line} "}
        assert {number for number, _ in late} <= asked


def fail(*args: object, **kwargs: object) -> NoReturn:
    """Raise, with any arguments."""
    raise ZeroDivisionError("a bug")


@each_row("broken", ["tell", "ask", "lapse", "refuse", "take", "bye"])
def test_a_bug_in_one_session(broken: str) -> None:
    """A bug in a session closes its connection, and the others play on to the end."""
    with memory_server(room(length="kyoku", time="1+1"), seed="told") as server, capturedLogs() as events:
        robots = server.robots("a", "b", "c", "d")
        server.play(robots, until=lambda: any("sutehai?" in robot.peer.words() for robot in robots))
        victim = next(robot for robot in robots if "sutehai?" in robot.peer.words())
        session = victim.peer.connection.session
        session.__class__ = type("Broken", (UmpSession,), {"__slots__": (), broken: fail})
        if broken == "refuse":
            victim.peer.say("sute what")
        if broken == "lapse":
            victim.is_mute = True
            server.clock.advance(3)
        server.play(robots)
        others = [robot for robot in robots if robot is not victim]
        assert all(robot.peer.words()[-2:] == ["gameend", "bye"] for robot in others)
        assert not victim.peer.is_connected
        failures = {type(event["log_failure"].value) for event in events if "log_failure" in event}
        assert failures == {ZeroDivisionError}
        assert not any(event.get("why") == "broken" for event in events)


def test_a_session_that_cannot_send_an_error() -> None:
    """A session that fails twice, also when it sends an error, is cut; the others play on to the end."""
    with memory_server(room(length="kyoku"), seed="told") as server, capturedLogs():
        robots = server.robots("a", "b", "c", "d")
        server.play(robots, until=lambda: any("sutehai?" in robot.peer.words() for robot in robots))
        session = robots[0].peer.connection.session
        session.__class__ = type("Broken", (UmpSession,), {"__slots__": (), "tell": fail, "error": fail})
        server.play(robots)
        assert robots[0].peer.wire.was_aborted
        assert all("gameend" in robot.peer.words() for robot in robots[1:])


class Record:
    """A recorder that checks that clients have received nothing of the step that it gets."""

    record_name = None

    def __init__(self, header: JournalHeader, peers: Callable[[], list[Peer]]) -> None:
        self.header = header
        self.steps: list[JournalStep] = []
        self.is_finished = False
        self.entries: list[Entry] = []
        self._peers = peers

    def record(self, entries: list[Entry], now: int, start: BeforeKyoku | None) -> None:
        """Record a step; fail if a client has received something of it already."""
        discards = sum(isinstance(each, ActionTaken) and isinstance(each.action, Discard) for each in self.entries)
        for peer in self._peers():
            if peer.is_connected:
                assert peer.words().count("sutehai") == discards
        self.entries += entries
        self.steps.append(JournalStep(now, entries, start))

    def finish(self, ended: GameEnded | None) -> None:
        """Note that the game is over."""
        self.is_finished = True

    def give_up(self) -> None:
        """Do nothing."""

    def suspend(self) -> None:
        """Do nothing."""


def test_each_step_is_recorded_before_anything_of_it_is_sent() -> None:
    """When a step is recorded, clients have received all earlier discards, and not the one in this step."""
    records: list[Record] = []

    def recorder_of(header: JournalHeader) -> Record:
        records.append(Record(header, lambda: opened.peers))
        return records[-1]

    with memory_server(KYOKU, recorder_of=recorder_of) as opened:
        opened.play(opened.robots("a", "b", "c", "d"))
    (record,) = records
    assert isinstance(record.entries[0], Began)
    assert record.entries[-1] == Ended(End.COMPLETED, record.entries[-1].points)  # type: ignore[union-attr]
    assert record.is_finished
    assert isinstance(check_journal(Journal(record.header, record.steps, 0))[-1], GameEnded)


class BrokenDisk(Record):
    """A recorder that fails in the middle of the game."""

    def record(self, entries: list[Entry], now: int, start: BeforeKyoku | None) -> None:
        """Fail after some steps."""
        super().record(entries, now, start)
        if len(self.entries) > 30:
            raise OSError(5, "Input/output error")


def test_no_game_goes_on_unrecorded() -> None:
    """If a step cannot be recorded, nothing of it is sent, and the table ends with an error for its players."""
    with memory_server(KYOKU, recorder_of=lambda header: BrokenDisk(header, lambda: opened.peers)) as opened:
        with capturedLogs() as events:
            robots = opened.robots("a", "b", "c", "d")
            opened.play(robots)
        for robot in robots:
            assert robot.peer.lines[-1].endswith(
                " error this%20game%20cannot%20be%20recorded,%20so%20the%20table%20is%20closed"
            )
            assert not robot.peer.is_connected
        assert "ends, broken: " in shown(events)[-5]
        assert Robot(opened.enter("e")).peer.is_connected


def test_a_client_that_leaves_while_a_step_is_sent() -> None:
    """The others receive the whole step first; then the client leaves, and they play on."""
    with memory_server(KYOKU) as server:
        robots = server.robots("a", "b", "c", "d")
        server.play(robots, until=lambda: any("sutehai?" in robot.peer.words() for robot in robots))
        victim = robots[0].peer
        send = victim.connection.send

        def send_and_hang_up(messages: list[str]) -> None:
            send(messages)
            victim.hang_up()

        victim.connection.send = send_and_hang_up  # type: ignore[method-assign]
        server.play(robots)
        assert all(robot.peer.words()[-2:] == ["gameend", "bye"] for robot in robots[1:])
