"""Spectators: they receive the public events of the newest table, from the start of the current kyoku, in turns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from support.memory_server import MemoryServer, Peer, ReactorClock, Robot, memory_server, room
from support.rows import each_row
from twisted.logger import LogLevel, capturedLogs

from ump.net.limits import SPECTATOR_DELAY, SPECTATOR_PAUSE, SPECTATORS_PER_TURN
from ump.server.room import newest_boards
from ump.server.settings import Spectating
from ump.server.spectators import SpectatorTurns

KYOKU = room(length="kyoku")


def told(peer: Peer) -> list[str]:
    """Return the lines that a client has received after the hello, without ids."""
    peer.heard()
    return [line.split(" ", 1)[1] for line in peer.lines[1:]]


def play_until(server: MemoryServer, robots: list[Robot], discards: int) -> None:
    """Play until the first robot has received this many discards."""
    server.play(robots, until=lambda: robots[0].peer.words().count("sutehai") >= discards)


def let_all_be_served(server: MemoryServer) -> None:
    """Let the spectators have their turns."""
    for _ in range(60):
        server.clock.advance(SPECTATOR_PAUSE)


def test_a_whole_game() -> None:
    """A spectator from the start receives every public event, no question and no hidden tile."""
    with memory_server(KYOKU) as server:
        watcher = server.enter("w", "_watch=main")
        robots = server.robots("a", "b", "c", "d")
        server.play(robots)
        seen = told(watcher)
        assert seen[0].startswith("gamestart - ")
        assert seen[-1].startswith("gameend ")
        assert not any("?" in line for line in seen)
        hidden = [line for line in seen if line.startswith(("haipai", "tsumo"))]
        assert {len(line.split()) for line in hidden if line.startswith("haipai")} == {2}
        assert {len(line.split()) for line in hidden if line.startswith("tsumo")} == {3}
        others = [line for line in told(robots[0].peer) if not line.startswith(("gamestart", "haipai", "tsumo"))]
        assert [line for line in seen[1:] if line not in hidden] == [
            line for line in others if "?" not in line and line != "bye"
        ]


def test_a_game_by_its_name() -> None:
    """A spectator may watch an older game; after it, or if it is over already, the newest one."""
    with memory_server(room(length="kyoku"), room("main-1-x")) as server:
        robots = server.robots("a", "b", "c", "d")
        older = server.enter("w", "_watch=main-1")
        others = server.robots("e", "f", "g", "h")
        newest, over = server.enter("v", "_watch=main"), server.enter("u", "_watch=main-77")
        server.clock.advance(SPECTATOR_DELAY)
        assert set(told(older)[0].split()[2:]) == set("abcd")
        assert told(newest)[0] == told(over)[0]
        assert set(told(newest)[0].split()[2:]) == set("efgh")
        server.play(robots)
        let_all_be_served(server)
        assert [line for line in told(older) if line.startswith("gamestart")][1:] == [told(newest)[0]]
        assert server.enter("t", "_watch=other-1").words()[-1] == "error"
        server.play(others)


def test_boards_of_the_newest_tables() -> None:
    """The lobby shows what lies open, of public rooms alone, and at most a kilobyte of each table."""
    hidden = room("code", access="code:x"), room("later", spectating="open:300"), room("none", spectating="none")
    with memory_server(room(length="kyoku"), room("two", length="kyoku"), *hidden) as server:
        watcher = server.enter("w", "_watch=main")
        robots = server.robots("a", "b", "c", "d")
        for number, name in enumerate(("two", "code:x", "later", "none")):
            server.robots(*(f"{number}{letter}" for letter in "efgh"), options=f"_room={name}")
        play_until(server, robots, 9)
        let_all_be_served(server)
        boards = newest_boards(server.rooms)
        assert list(boards) == ["main-1", "two-1"]
        board: Any = boards["main-1"]
        discards = [line.split() for line in told(watcher) if line.startswith("sutehai ")]
        for seat, river in enumerate(board["rivers"]):
            seen = [words[2] + "_" * (words[-1] == "tsumogiri") for words in discards if words[1] == "ABCD"[seat]]
            assert re.sub("[*>]", "", river) == "".join(seen)
        assert board["left"] == int([line.split()[2] for line in told(watcher) if line.startswith("tsumo ")][-1])
        assert len(json.dumps(boards["main-1"])) < 1_000


def test_spectators_come_after_the_players() -> None:
    """Events reach the spectators a little after the players, in one write each, a few in each of the slow turns."""
    with memory_server(KYOKU) as server:
        watchers = [server.enter(f"w{number}", "_watch=main") for number in range(SPECTATORS_PER_TURN + 1)]
        robots = server.robots("a", "b", "c", "d")
        assert "gamestart" in robots[0].peer.words()
        let_all_be_served(server)
        before = [len(watcher.wire.writes) for watcher in watchers]
        play_until(server, robots, 3)
        server.clock.advance(SPECTATOR_DELAY / 2)
        assert [len(watcher.wire.writes) for watcher in watchers] == before
        turns = []
        for _ in range(30):
            server.clock.advance(SPECTATOR_PAUSE)
            turns.append(sum(len(watcher.wire.writes) for watcher in watchers) - sum(before))
        assert [count for count in dict.fromkeys(turns) if count] == [SPECTATORS_PER_TURN, len(watchers)]
        assert any(line.startswith("sutehai ") for line in told(watchers[0]))
        assert len(set(map(tuple, map(told, watchers)))) == 1


def test_every_spectator_sees_the_end() -> None:
    """Many see the last events in their turns, and only then go to the next table; none is served twice or too late."""
    with memory_server(KYOKU) as server:
        watchers = [server.enter(f"w{number}", "_watch=main") for number in range(3 * SPECTATORS_PER_TURN)]
        robots = server.robots("a", "b", "c", "d", options="_games=2")
        let_all_be_served(server)
        server.play(robots, until=lambda: robots[0].peer.words().count("gameend") == 1)
        let_all_be_served(server)
        assert {tuple(word for word in watcher.words() if word.startswith("game")) for watcher in watchers} == {
            ("gamestart", "gameend", "gamestart")
        }
        leaving = watchers.pop()
        leaving.hang_up()
        server.play(robots)
        let_all_be_served(server)
        assert {watcher.words()[-1] for watcher in watchers} == {"gameend"}


def test_the_server_stops_while_spectators_wait() -> None:
    """They receive the end at once."""
    with memory_server(KYOKU) as server:
        watchers = [server.enter(f"w{number}", "_watch=main") for number in range(3 * SPECTATORS_PER_TURN)]
        robots = server.robots("a", "b", "c", "d")
        let_all_be_served(server)
        server.play(robots, until=lambda: robots[0].peer.words().count("gameend") == 1)
        assert {watcher.words()[-1] for watcher in watchers} != {"gameend"}
    assert {watcher.words()[-1] for watcher in watchers} == {"gameend"}


def test_a_spectator_who_comes_later() -> None:
    """A late spectator receives the start of the game and the current kyoku so far, then all further events."""
    with memory_server(room(length="tonpu")) as server:
        early = server.enter("w", "_watch=main")
        robots = server.robots("a", "b", "c", "d")
        server.play(robots, until=lambda: "kyokuend" in robots[0].peer.words())
        play_until(server, robots, robots[0].peer.words().count("sutehai") + 5)
        late = server.enter("v", "_watch=main")
        server.clock.advance(SPECTATOR_DELAY)
        server.clock.advance(0)
        so_far = told(early)
        start = max(number for number, line in enumerate(so_far) if line.startswith("kyokustart"))
        assert start > 1
        assert told(late) == [so_far[0], *so_far[start:]]
        server.play(robots)
        assert told(late)[1:] == told(early)[start:]


def test_ids_of_spectators() -> None:
    """Each connection counts its own sentences, though their texts are shared."""
    with memory_server(KYOKU) as server:
        early = [server.enter(name, "_watch=main") for name in "uv"]
        robots = server.robots("a", "b", "c", "d")
        play_until(server, robots, 4)
        late = server.enter("w", "_watch=main")
        for discards in (8, 12):
            play_until(server, robots, discards)
            let_all_be_served(server)
        for watcher in (*early, late):
            watcher.heard()
            assert [int(line.split()[0]) for line in watcher.lines] == list(range(len(watcher.lines)))
        assert told(early[0]) == told(early[1]) == told(late)


def test_the_newest_table() -> None:
    """A spectator watches the newest table; after its end, the newest one that still runs."""
    with memory_server(KYOKU) as server:
        older, newer = server.robots("a", "b", "c", "d"), server.robots("e", "f", "g", "h")
        watcher = server.enter("w", "_watch=main")
        assert set(told(watcher)[0].split()[2:]) == set("efgh")
        server.play(newer)
        assert set(told(watcher)[-1].split()[2:]) == set("abcd")
        server.play(older)
        assert told(watcher)[-1].startswith("gameend ")


def test_the_next_table() -> None:
    """If no table runs, a spectator waits for the next one, each time."""
    with memory_server(KYOKU) as server:
        watcher = server.enter("w", "_watch=main")
        for _ in range(2):
            server.play(server.robots("a", "b", "c", "d"))
        assert [line.split()[0] for line in told(watcher)].count("gameend") == 2


def test_lines_of_a_spectator() -> None:
    """A spectator's lines answer nothing; it may say bye at any time."""
    with memory_server(KYOKU) as server:
        watcher = server.enter("w", "_watch=main")
        server.robots("a", "b", "c", "d")
        watcher.say("sute 1m")
        watcher.say("ok")
        assert watcher.is_connected
        watcher.say("bye")
        assert told(watcher)[-1] == "bye"
        assert not watcher.is_connected


def test_watching_other_rooms() -> None:
    """A spectator watches the room that it names; an unknown room is an error."""
    with memory_server(room("main"), room("open")) as server:
        watcher = server.enter("w", "_watch=open")
        server.robots("a", "b", "c", "d")
        assert not told(watcher)
        assert told(server.enter("v", "_watch=attic")) == [
            "error unknown%20room%20'attic';%20choose%20main%20or%20open"
        ]


# Rooms with open hands


OPEN = room(length="kyoku", spectating="open:300")


def is_hidden(line: str) -> bool:
    """Return whether a sentence tells of a hidden tile without naming it."""
    words = line.split()
    return (words[0] == "haipai" and len(words) == 2) or (words[0] == "tsumo" and len(words) == 3)


def test_open_hands_are_shown_after_the_delay_and_not_before() -> None:
    """No event reaches a spectator before its delay is over; then all of them do, with every hand."""
    with memory_server(OPEN) as server:
        watcher = server.enter("w", "_watch=main")
        robots = server.robots("a", "b", "c", "d")
        server.play(robots)
        assert told(watcher) == []
        server.clock.advance(299)
        assert told(watcher) == []
        late = server.enter("v", "_watch=main")
        assert told(late) == []
        server.clock.advance(2)
        server.clock.advance(0)
        seen = told(watcher)
        assert seen[0].startswith("gamestart - ") and seen[-1].startswith("gameend ")
        assert len([line for line in seen if line.startswith("haipai")]) == 4
        assert not any(map(is_hidden, seen))
        assert told(late) == seen


def test_a_spectator_of_open_hands_comes_in_the_middle() -> None:
    """It receives what may be shown of the current kyoku, and the next events one delay after they happened."""
    with memory_server(OPEN) as server:
        robots = server.robots("a", "b", "c", "d")
        play_until(server, robots, 3)
        server.clock.advance(200)
        before = server.enter("w", "_watch=main")
        assert told(before) == []
        server.clock.advance(101)
        server.clock.advance(0)
        seen = told(before)
        assert seen[0].startswith("gamestart")
        assert not any(map(is_hidden, seen))
        after = server.enter("v", "_watch=main")
        assert told(after) == seen


def test_spectators_of_open_hands_move_on_to_the_next_game() -> None:
    """They see a game to its end, and then wait for the next one."""
    with memory_server(OPEN) as server:
        watcher = server.enter("w", "_watch=main")
        for games in (1, 2):
            server.play(server.robots("a", "b", "c", "d"))
            server.clock.advance(301)
            server.clock.advance(0)
            assert [line.split()[0] for line in told(watcher)].count("gameend") == games


@pytest.mark.parametrize(("options", "is_slow"), [("_person=1", True), ("", False)], ids=["person", "program"])
def test_bots_take_their_time_for_a_person_who_sees_open_hands(options: str, is_slow: bool) -> None:
    """The bots of a room whose spectators see the game later keep the same pace for them."""
    slow = room(length="kyoku", spectating="open:300", house=["tsumogiri:3"], house_after=0, bot_delay="2")
    with memory_server(slow) as server:
        server.enter("w", f"_watch=main {options}")
        robots = server.robots("a")
        server.clock.advance(0)
        server.play(robots)
        assert ("gameend" not in robots[0].peer.words()) == is_slow


def test_a_room_without_spectators() -> None:
    """Nobody may watch it."""
    with memory_server(room(length="kyoku", spectating="none")) as server:
        assert told(server.enter("w", "_watch=main")) == ["error room%20main%20has%20no%20spectators"]


@each_row("text", ["masked", "none", "open:0", "open:300"])
def test_the_words_for_what_spectators_see(text: str) -> None:
    """Each is read and written alike."""
    assert Spectating.parse(text).text == text


@each_row("text", ["", "open", "open:", "open:-1", "open:x", "open:1234567", "Masked", "all"])
def test_other_words_are_refused(text: str) -> None:
    """The error lists the choices."""
    with pytest.raises(ValueError, match="expected masked, open:SECONDS or none"):
        Spectating.parse(text)


class FakeShow:
    """Something that this many spectators have missed."""

    def __init__(self, missed: int, *, is_broken: bool = False) -> None:
        self.missed = missed
        self._is_broken = is_broken

    @property
    def is_behind(self) -> bool:
        """Whether there is more to show."""
        return self.missed > 0

    def show_some(self, most: int) -> int:
        """Serve some, or fail."""
        if self._is_broken:
            raise ZeroDivisionError("a bug")
        served = min(most, self.missed)
        self.missed -= served
        return served


@pytest.fixture
def clock() -> Iterator[ReactorClock]:
    """A clock without calls at the end."""
    made = ReactorClock()
    yield made
    assert not made.getDelayedCalls()


def test_shows_share_the_turns(clock: ReactorClock) -> None:
    """Each turn serves so many, of one show after the other; the next turn comes after a pause."""
    turns = SpectatorTurns(clock)
    first, second = FakeShow(SPECTATORS_PER_TURN + 1), FakeShow(2)
    for show in (first, second, first):
        turns.add(show)
    clock.advance(0)
    assert (first.missed, second.missed) == (1, 2)
    clock.advance(SPECTATOR_PAUSE / 2)
    assert (first.missed, second.missed) == (1, 2)
    clock.advance(SPECTATOR_PAUSE)
    assert (first.missed, second.missed) == (0, 0)


def test_a_pause_is_kept_when_the_queue_was_empty(clock: ReactorClock) -> None:
    """An event shortly after a turn waits for the next one."""
    turns = SpectatorTurns(clock)
    turns.add(FakeShow(1))
    clock.advance(0)
    late = FakeShow(1)
    turns.add(late)
    clock.advance(SPECTATOR_PAUSE / 2)
    assert late.missed == 1
    clock.advance(SPECTATOR_PAUSE)
    assert late.missed == 0


def test_a_show_may_end_before_its_turn(clock: ReactorClock) -> None:
    """A show that was removed is not served, and an empty queue needs no timer."""
    turns = SpectatorTurns(clock)
    gone, other = FakeShow(1), FakeShow(1)
    turns.add(gone)
    turns.remove(gone)
    assert not clock.getDelayedCalls()
    turns.add(other)
    turns.remove(gone)
    clock.advance(0)
    assert (gone.missed, other.missed) == (1, 0)


def test_all_are_served_when_the_server_stops(clock: ReactorClock) -> None:
    """Nobody waits for a turn any more."""
    turns = SpectatorTurns(clock)
    shows = [FakeShow(3 * SPECTATORS_PER_TURN), FakeShow(1)]
    with capturedLogs() as logs:
        for show in (FakeShow(1, is_broken=True), *shows):
            turns.add(show)
        turns.flush()
    assert [show.missed for show in shows] == [0, 0]
    assert len(logs) == 1


def test_a_show_that_fails_is_dropped_alone(clock: ReactorClock) -> None:
    """The others go on, and the log has the failure."""
    turns = SpectatorTurns(clock)
    other = FakeShow(1)
    turns.add(FakeShow(1, is_broken=True))
    turns.add(other)
    with capturedLogs() as logs:
        clock.advance(0)
    assert other.missed == 0
    assert [event["log_level"] for event in logs] == [LogLevel.critical]
