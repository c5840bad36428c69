"""A room: who sits down with whom, who completes a table, and who stays for another game."""

from __future__ import annotations

import pytest
from support.memory_server import Peer, memory_server, room
from twisted.logger import LogLevel, capturedLogs

from ump.wire.ump01.session import FAREWELL_SECONDS

HOUSE = room(house=["tsumogiri:3"], length="kyoku")


def players(peer: Peer) -> list[list[str]]:
    """Return who sat at each table that a peer was told of, the seats forgotten."""
    peer.heard()
    return [sorted(line.split()[3:]) for line in peer.lines if " gamestart " in line]


def test_four_make_a_table() -> None:
    """Players sit down in the order in which they come; the fifth waits for the next table."""
    with memory_server() as server:
        peers = [server.enter(name) for name in "abcde"]
        assert [players(peer) for peer in peers] == [[["a", "b", "c", "d"]]] * 4 + [[]]


def test_seats_are_drawn_by_lot() -> None:
    """The same seed seats the same players alike, another one otherwise; each is told its own seat."""
    tables = []
    for seed in ("one", "one", "two"):
        with memory_server(room(length="kyoku"), seed=seed) as server:
            robots = server.robots("a", "b", "c", "d", options="_games=3")
            server.play(robots)
            starts = [[line.split()[2:] for line in robot.peer.lines if " gamestart " in line] for robot in robots]
            for robot, told in zip("abcd", starts, strict=True):
                assert [names["ABCD".index(seat)] for seat, *names in told] == [robot] * len(told)
            tables.append([names for _, *names in starts[0]])
    assert tables[0] == tables[1] != tables[2]
    assert len({tuple(names) for names in tables[0]}) > 1, "seats are drawn anew for each game"


def test_house_players_complete_a_table() -> None:
    """They come when the first player has waited as long as the room says, and only as many as are missing."""
    with memory_server(HOUSE) as server:
        first = server.enter("a")
        server.clock.advance(2)
        second = server.enter("b")
        server.clock.advance(0.9)
        assert not players(first)
        server.clock.advance(0.1)
        assert players(first) == players(second) == [["a", "b", "tsumogiri-1", "tsumogiri-2"]]


def test_kinds_of_house_players() -> None:
    """Each kind sits down as often as the room allows, in its order."""
    with memory_server(room(house=["efficiency:1", "tsumogiri:9"], house_after=0)) as server:
        peer = server.enter("a")
        server.clock.advance(0)
        assert players(peer) == [["a", "efficiency-1", "tsumogiri-1", "tsumogiri-2"]]


def test_a_table_that_cannot_fill() -> None:
    """The log names it once; when enough come after all, the house completes it at once."""
    with memory_server(room(house=["tsumogiri:2"])) as server, capturedLogs() as events:
        first = server.enter("a")
        server.clock.advance(100)
        named = [event for event in events if "cannot fill" in event["log_format"]]
        assert [(event["room"], event["seated"], event["log_level"]) for event in named] == [("main", 1, LogLevel.info)]
        server.enter("b")
        server.clock.advance(0)
        assert players(first) == [["a", "b", "tsumogiri-1", "tsumogiri-2"]]


def test_who_leaves_the_line() -> None:
    """A place in the line that is left is nobody's; the house waits for the one who comes next."""
    with memory_server(HOUSE) as server:
        server.enter("a").hang_up()
        server.clock.advance(2)
        second = server.enter("b")
        server.clock.advance(2)
        assert not players(second)
        server.clock.advance(1)
        assert players(second) == [["b", "tsumogiri-1", "tsumogiri-2", "tsumogiri-3"]]


def test_waiting_is_explained() -> None:
    """Who has asked for explanations hears how many sit there, whenever that changes."""
    with memory_server() as server:
        curious, plain = server.enter("a", "_explain=1"), server.enter("b")
        third = server.enter("c")
        third.hang_up()
        assert [line.split(" ", 1)[1] for line in curious.heard()[1:]] == [
            "_waiting 1 4",
            "_waiting 2 4",
            "_waiting 3 4",
            "_waiting 2 4",
        ]
        assert len(plain.heard()) == 1


def test_rooms() -> None:
    """A client sits down in the room that it names, or in the first."""
    with memory_server(room("main"), room("open", rules="mleague")) as server:
        there = [server.enter(name, "_room=open") for name in "abcd"]
        here = [server.enter(name) for name in "efgh"]
        assert players(there[0]) == [["a", "b", "c", "d"]]
        assert players(here[0]) == [["e", "f", "g", "h"]]


def test_nameless_clients() -> None:
    """Who gives no name gets one that nobody else has."""
    with memory_server() as server:
        peers = [server.connect() for _ in range(4)]
        for peer in peers:
            peer.say("hello")
        assert players(peers[0]) == [["guest-1", "guest-2", "guest-3", "guest-4"]]


def test_one_game() -> None:
    """After its game a client is told bye, answers it, and is let go."""
    with memory_server(HOUSE) as server:
        robots = server.robots("a")
        server.clock.advance(3)
        server.play(robots)
        assert robots[0].peer.words()[-3:] == ["kyokuend", "gameend", "bye"]
        assert not robots[0].peer.is_connected


def test_games_that_were_asked_for() -> None:
    """A client with ``_games=2`` plays two; the house comes again after the same time."""
    with memory_server(HOUSE) as server:
        robots = server.robots("a", options="_games=2")
        for _ in range(2):
            server.clock.advance(3)
            server.play(robots)
        assert robots[0].peer.words().count("gameend") == 2
        assert not robots[0].peer.is_connected


def test_as_many_games_as_there_are() -> None:
    """With ``_games=0`` a client stays until it says bye."""
    with memory_server(HOUSE) as server:
        robots = server.robots("a", options="_games=0")
        for _ in range(4):
            server.clock.advance(3)
            server.play(robots)
        assert robots[0].peer.words().count("gameend") == 4
        assert robots[0].peer.is_connected


def test_who_stays_keeps_the_table() -> None:
    """Three who stay sit at the next table together, and whoever came first of the others joins them."""
    with memory_server(room(length="kyoku")) as server:
        robots = server.robots("a", "b", "c", options="_games=2") + server.robots("d")
        waiting = [server.enter("e"), server.enter("f")]
        server.play(robots)
        assert players(robots[0].peer) == [["a", "b", "c", "d"], ["a", "b", "c", "e"]]
        assert not players(waiting[1])


def test_four_who_stay_go_on_at_once() -> None:
    """Who waits does not come between four who stay."""
    with memory_server(room(length="kyoku")) as server:
        robots = server.robots("a", "b", "c", "d", options="_games=2")
        waiting = server.enter("e")
        server.play(robots)
        assert players(robots[0].peer) == [["a", "b", "c", "d"]] * 2
        assert not players(waiting)


def test_who_answers_nothing_is_sent_away() -> None:
    """A client that has answered nothing in a whole game gets bye, whatever it asked for."""
    with memory_server(HOUSE) as server:
        robots = server.robots("a", "b", options="_games=0")
        robots[1].is_mute = True
        server.clock.advance(3)
        while "gameend" not in robots[0].peer.words():
            server.play(robots)
            server.clock.advance(10)
        assert robots[0].peer.is_connected
        assert robots[1].peer.words()[-1] == "bye"
        server.clock.advance(FAREWELL_SECONDS)
        assert not robots[1].peer.is_connected


def test_a_game_without_clients() -> None:
    """When the last client has gone the game is abandoned, whoever of the house sits there."""
    with memory_server(HOUSE) as server, capturedLogs() as events:
        peer = server.enter("a")
        server.clock.advance(3)
        peer.hang_up()
        ends = [event for event in events if "table" in event and "why" in event]
        assert [event["why"] for event in ends] == ["abandoned"]
        assert not server.clock.getDelayedCalls()


@pytest.mark.parametrize("gone", [1, 2, 3])
def test_players_who_go(gone: int) -> None:
    """The seats of those who go are played on by the defaults, at once, and the game ends as it should."""
    with memory_server(room(length="kyoku")) as server:
        robots = server.robots("a", "b", "c", "d")
        for robot in robots[:gone]:
            robot.peer.hang_up()
        server.play(robots[gone:])
        assert server.clock.seconds() == 0
        assert robots[3].peer.words()[-2:] == ["gameend", "bye"]


def test_a_closed_server_seats_nobody() -> None:
    """Once the lobby is closed a hello is turned away, and games stop where they are."""
    with memory_server() as server, capturedLogs() as events:
        for name in "abcd":
            server.enter(name)
        waiting = server.enter("e")
        server.lobby.close()
        late = server.enter("f")
        assert late.heard()[-1] == "1 error the%20server%20is%20stopping"
        assert [event["why"] for event in events if "table" in event and "why" in event] == ["stopped"]
        waiting.hang_up()
