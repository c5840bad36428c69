"""A room: filling tables, built-in bots, players who stay for another game, and the quota of games."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import NoReturn

from support.memory_server import Peer, Robot, journal_folder, memory_server, room
from support.rows import each_row
from twisted.logger import LogLevel, capturedLogs

from ump.record.journal import check_journal, read_journal
from ump.server.journals import Sync
from ump.server.room import GameQuota
from ump.wire.ump.session import UmpSession
from ump.wire.ump.speech import FAREWELL_SECONDS

HOUSE = room(house=["tsumogiri:3"], length="kyoku")


def players(peer: Peer) -> list[list[str]]:
    """Return the players of each game that a client has played, in alphabetical order."""
    peer.heard()
    return [sorted(line.split()[3:]) for line in peer.lines if " gamestart " in line]


def test_four_make_a_table() -> None:
    """The first four clients get a table; the fifth waits for the next one."""
    with memory_server() as server:
        peers = [server.enter(name) for name in "abcde"]
        assert [players(peer) for peer in peers] == [[["a", "b", "c", "d"]]] * 4 + [[]]


def test_seats_are_shuffled() -> None:
    """The seed determines the seats of the players; each client receives its own seat."""
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
    assert len({tuple(names) for names in tables[0]}) > 1, "seats are shuffled again for each game"


def test_built_in_bots_complete_a_table() -> None:
    """Built-in bots fill the empty seats when the first player has waited for ``house_after`` seconds."""
    with memory_server(HOUSE) as server:
        first = server.enter("a")
        server.clock.advance(2)
        second = server.enter("b")
        server.clock.advance(0.9)
        assert not players(first)
        server.clock.advance(0.1)
        assert players(first) == players(second) == [["a", "b", "tsumogiri-1", "tsumogiri-2"]]


def test_kinds_of_built_in_bots() -> None:
    """Each kind of bot takes as many seats as the room allows, in the room's order."""
    with memory_server(room(house=["efficiency:1", "tsumogiri:9"], house_after=0)) as server:
        peer = server.enter("a")
        server.clock.advance(0)
        assert players(peer) == [["a", "efficiency-1", "tsumogiri-1", "tsumogiri-2"]]


def test_a_table_that_cannot_fill() -> None:
    """The log mentions such a table once; when enough clients come, built-in bots complete it at once."""
    with memory_server(room(house=["tsumogiri:2"])) as server, capturedLogs() as events:
        first = server.enter("a")
        server.clock.advance(100)
        named = [event for event in events if "cannot fill" in event["log_format"]]
        assert [(event["room"], event["seated"], event["log_level"]) for event in named] == [("main", 1, LogLevel.info)]
        server.enter("b")
        server.clock.advance(0)
        assert players(first) == [["a", "b", "tsumogiri-1", "tsumogiri-2"]]


def test_a_client_that_leaves_the_line() -> None:
    """When a waiting client leaves, the bots wait the whole time again for the next client."""
    with memory_server(HOUSE) as server:
        server.enter("a").hang_up()
        server.clock.advance(2)
        second = server.enter("b")
        server.clock.advance(2)
        assert not players(second)
        server.clock.advance(1)
        assert players(second) == [["b", "tsumogiri-1", "tsumogiri-2", "tsumogiri-3"]]


def test_waiting_is_explained() -> None:
    """A client with ``_explain=1`` receives the number of waiting players whenever it changes."""
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
    """A client waits in the room that it names, or in the first."""
    with memory_server(room("main"), room("open", rules="mleague")) as server:
        there = [server.enter(name, "_room=open") for name in "abcd"]
        here = [server.enter(name) for name in "efgh"]
        assert players(there[0]) == [["a", "b", "c", "d"]]
        assert players(here[0]) == [["e", "f", "g", "h"]]


def test_nameless_clients() -> None:
    """Clients without a name get different names."""
    with memory_server() as server:
        peers = [server.connect() for _ in range(4)]
        for peer in peers:
            peer.say("0 hello")
        assert players(peers[0]) == [["guest-1", "guest-2", "guest-3", "guest-4"]]


def test_one_game() -> None:
    """After its game a client receives bye, answers it, and its connection is closed."""
    with memory_server(HOUSE) as server:
        robots = server.robots("a")
        server.clock.advance(3)
        server.play(robots)
        assert robots[0].peer.words()[-3:] == ["kyokuend", "gameend", "bye"]
        assert not robots[0].peer.is_connected


def test_two_games() -> None:
    """A client with ``_games=2`` plays two games; as nobody else waits, bots complete the second table at once."""
    with memory_server(HOUSE) as server:
        robots = server.robots("a", options="_games=2")
        server.clock.advance(3)
        server.play(robots)
        assert server.clock.seconds() == 3
        assert robots[0].peer.words().count("gameend") == 2
        assert not robots[0].peer.is_connected


def test_any_number_of_games() -> None:
    """With ``_games=0`` a client stays until it says bye."""
    with memory_server(HOUSE) as server:
        robots = server.robots("a", options="_games=0")
        server.clock.advance(3)
        server.play(robots, until=lambda: robots[0].peer.words().count("gameend") == 4)
        assert robots[0].peer.is_connected
        assert server.clock.seconds() == 3


def test_newcomers_meet_players_who_stay() -> None:
    """Somebody who comes during a game gets a seat in the next one beside those who stay, after the usual time."""
    with memory_server(HOUSE) as server:
        robots = server.robots("a", options="_games=2")
        server.clock.advance(3)
        robots += server.robots("b")
        server.play(robots)
        assert players(robots[0].peer)[1:] == []
        server.clock.advance(3)
        server.play(robots)
        assert players(robots[1].peer) == [["a", "b", "tsumogiri-1", "tsumogiri-2"]]


def test_players_who_stay_keep_their_table() -> None:
    """Three players who stay get the next table together, with the client that has waited longest."""
    with memory_server(room(length="kyoku")) as server:
        robots = server.robots("a", "b", "c", options="_games=2") + server.robots("d")
        waiting = [server.enter("e"), server.enter("f")]
        server.play(robots)
        assert players(robots[0].peer) == [["a", "b", "c", "d"], ["a", "b", "c", "e"]]
        assert not players(waiting[1])


def test_four_players_who_stay() -> None:
    """Four players who stay play on at once; a waiting client takes none of their seats."""
    with memory_server(room(length="kyoku")) as server:
        robots = server.robots("a", "b", "c", "d", options="_games=2")
        waiting = server.enter("e")
        server.play(robots)
        assert players(robots[0].peer) == [["a", "b", "c", "d"]] * 2
        assert not players(waiting)


def test_a_client_that_answers_nothing() -> None:
    """A client that has answered nothing in a whole game receives bye, even with ``_games=0``."""
    with memory_server(HOUSE) as server:
        robots = server.robots("a", "b", options="_games=0")
        robots[1].is_mute = True
        server.clock.advance(3)
        while "gameend" not in robots[0].peer.words():
            server.play(robots, until=lambda: "gameend" in robots[0].peer.words())
            server.clock.advance(10)
        assert robots[0].peer.is_connected
        assert robots[1].peer.words()[-1] == "bye"
        server.clock.advance(FAREWELL_SECONDS)
        assert not robots[1].peer.is_connected


def test_a_game_without_clients() -> None:
    """When the last client leaves, the game is abandoned; built-in bots do not play on alone."""
    with memory_server(HOUSE) as server, capturedLogs() as events:
        peer = server.enter("a")
        server.clock.advance(3)
        peer.hang_up()
        ends = [event for event in events if "table" in event and "why" in event]
        assert [event["why"] for event in ends] == ["abandoned"]
        assert not server.clock.getDelayedCalls()


@each_row("gone", [1, 2, 3])
def test_players_who_go(gone: int) -> None:
    """Default actions play the seats of players who leave at once, and the game ends normally."""
    with memory_server(room(length="kyoku")) as server:
        robots = server.robots("a", "b", "c", "d")
        for robot in robots[:gone]:
            robot.peer.hang_up()
        server.play(robots[gone:])
        assert server.clock.seconds() == 0
        assert robots[3].peer.words()[-2:] == ["gameend", "bye"]


def test_a_closed_lobby() -> None:
    """When the lobby closes, running games stop; a client that says hello afterwards receives an error."""
    with memory_server() as server, capturedLogs() as events:
        for name in "abcd":
            server.enter(name)
        waiting = server.enter("e")
        server.lobby.close()
        late = server.enter("f")
        assert late.heard()[-1] == "1 error the%20server%20is%20stopping"
        assert [event["why"] for event in events if "table" in event and "why" in event] == ["stopped"]
        waiting.hang_up()


def fail(*args: object) -> NoReturn:
    """Fail whatever the arguments are."""
    raise ZeroDivisionError("a bug")


def break_session(peer: Peer, method: str) -> None:
    """Give the session of a client a bug in one method."""
    session = peer.connection.session
    session.__class__ = type("Broken", (UmpSession,), {"__slots__": (), method: fail})


def test_a_session_that_fails_in_the_line_is_cut_alone() -> None:
    """The others in the line still learn how many players wait, and get their table."""
    with memory_server(room(length="kyoku")) as server, capturedLogs() as events:
        broken, *others = (server.enter(name, "_explain=1") for name in "ab")
        break_session(broken, "wait")
        others += [server.enter(name, "_explain=1") for name in "c"]
        assert broken.wire.was_aborted
        assert [peer.heard()[-1].split(" ", 1)[1] for peer in others][-1].startswith("_waiting ")
        broken.hang_up()
        others += [server.enter(name) for name in "de"]
        assert [players(peer) for peer in others] == [[["b", "c", "d", "e"]]] * 4
        assert [type(event["log_failure"].value) for event in events if "log_failure" in event] == [ZeroDivisionError]


def test_a_session_that_fails_at_its_farewell_is_cut_alone() -> None:
    """A server that stops says goodbye to the others."""
    with memory_server() as server, capturedLogs():
        broken, other = (server.enter(name) for name in "ab")
        break_session(broken, "bye")
        for connection in server.connections:
            connection.dismiss()
        assert broken.wire.was_aborted
        assert other.words()[-1] == "bye"


def test_built_in_bots_wait_beside_a_person() -> None:
    """Beside a person a bot draws, thinks as long as the room says, and then discards."""
    with memory_server(room(house=["tsumogiri:3"], house_after=0, bot_delay="2-3")) as server:
        (robot,) = server.robots("a", options="_person=1")
        server.clock.advance(0)
        server.play([robot])
        assert robot.peer.words()[-1] == "tsumo"
        server.clock.advance(1.9)
        assert robot.peer.heard() == []
        server.clock.advance(1.1)
        assert robot.peer.heard()


KYOKU = room(length="kyoku", house=["tsumogiri:3"], house_after=0)


@each_row("games", [1, 2])
def test_the_last_game(games: int) -> None:
    """The server finishes the last game of its quota, and begins no further one."""
    ended: list[bool] = []
    with memory_server(KYOKU, quota=GameQuota(games, lambda: ended.append(True), most=None)) as server:
        robots = server.robots("a", options="_games=0")
        server.play(robots, until=lambda: bool(ended))
        assert robots[0].peer.words().count("gameend") == games
        server.play(robots)
        assert robots[0].peer.words().count("gamestart") == games
    assert ended == [True]


def test_simultaneous_games() -> None:
    """The quota ends with the last running game, in any order."""
    ended: list[bool] = []
    quota = GameQuota(2, lambda: ended.append(True), most=None)
    assert quota.begin()
    assert quota.begin()
    assert not quota.begin()
    quota.end()
    assert not ended
    quota.end()
    assert ended


def test_an_unlimited_quota() -> None:
    """Without a number any number of games may begin."""
    quota = GameQuota(0, lambda: None, most=None)
    for _ in range(1_000):
        assert quota.begin()
        quota.end()


def test_games_from_records_count_but_are_never_refused() -> None:
    """A game that goes on after a restart begins even if the quota is used up, and the server waits for its end."""
    ended: list[str] = []
    quota = GameQuota(1, lambda: ended.append("ended"), most=None)
    quota.resume()
    quota.resume()
    assert not quota.begin()
    quota.end()
    assert not ended
    quota.end()
    assert ended == ["ended"]


def test_games_at_the_same_time() -> None:
    """While as many games run as may, others wait in every room; the end of a game lets the next one begin."""
    other = room("other", length="kyoku", house=["tsumogiri:3"], house_after=0)
    with memory_server(room(length="kyoku"), other, quota=GameQuota(0, lambda: None, most=1)) as server:
        players = server.robots("a", "b", "c", "d")
        alone = server.robots("e", options="_room=other")
        server.clock.advance(0)
        assert "gamestart" not in alone[0].peer.words()
        server.play([*players, *alone])
        assert all("gameend" in each.peer.words() for each in (*players, *alone))


def test_the_pace_of_a_client_goes_on_with_its_next_game(tmp_path: Path) -> None:
    """The server knows a client by its name and address; nothing is known of another one."""
    folder = journal_folder(tmp_path, Sync.NEVER)
    settings = room(house=["tsumogiri:3"], house_after=0, length="kyoku", ask_all=True)
    paces = []
    with memory_server(settings, recorder_of=folder.create) as server:
        for name in ("a", "b", "a"):
            robot = Robot(server.enter(name))
            server.clock.advance(0)
            paces.append(server.table.opening.paces)
            while robot.peer.is_connected:
                server.play([robot])
                server.clock.advance(0.1)
    assert paces[:2] == [(), ()]
    (known,) = filter(None, paces[2])
    assert len(known.forced) > 10
    journals = [read_journal(gzip.decompress(path.read_bytes())) for path in tmp_path.glob("*.gz")]
    assert sorted(bool(journal.header.opening.paces) for journal in journals) == [False, False, True]
    assert all(check_journal(journal) for journal in journals)
