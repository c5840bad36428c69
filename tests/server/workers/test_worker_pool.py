"""Workers that die, hang, or take orders of the operator; spectators of tables in workers."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.memory_server import MemoryServer, Peer, Robot, connect_peer, memory_server, room
from support.memory_workers import MemoryWorker
from twisted.internet.address import IPv4Address
from twisted.internet.defer import maybeDeferred
from twisted.logger import capturedLogs as captured
from twisted.logger import formatEvent

from ump.net.factory import LineFactory
from ump.net.limits import IDLE_PER_SECOND, SLICE, SLICE_PAUSE, SLICES_PER_TURN
from ump.server.journal_folder import JournalFolder
from ump.server.journal_writer import Sync
from ump.server.workers.messages import ReturnPlayers
from ump.server.workers.pool import HUNG_AT_START, KILLED_TWO, MOST_UNANSWERED, TRIED_SECONDS
from ump.server.workers.relayed_session import MAX_IN_FLIGHT
from ump.server.workers.worker_tables import WorkerTables
from ump.table.outcomes import End

KYOKU = room(length="kyoku")


def journals_of(folder: Path) -> JournalFolder:
    """Return the journals in a folder."""
    return JournalFolder(folder, Sync.NEVER, maybeDeferred)


def workers_of(server: MemoryServer) -> list[MemoryWorker]:
    """Return the workers that live."""
    assert server.workers is not None
    return server.workers.living


def worker_of_table(server: MemoryServer) -> MemoryWorker:
    """Return the worker that has the only table."""
    assert server.workers is not None
    (number,) = (each.number for each in server.workers.pool.status if each.tables)
    return next(each for each in server.workers.living if each.number == number)


def kill(server: MemoryServer) -> None:
    """Kill the worker of the only table; the server notices that."""
    worker_of_table(server).kill()
    server.clock.advance(0)
    server.clock.advance(0)


def discards(peer: Peer) -> int:
    """Return how many discards a client has seen."""
    return peer.words().count("sutehai")


def test_tables_are_spread(tmp_path: Path) -> None:
    """A new table goes to the worker with the fewest."""
    with memory_server(KYOKU, workers=2, journals=journals_of(tmp_path)) as server:
        server.robots(*"abcdefgh")
        assert server.workers is not None
        assert [worker.tables for worker in server.workers.pool.status] == [1, 1]


def test_a_worker_is_started_again(tmp_path: Path) -> None:
    """At once the first time; later after a wait that doubles."""
    with memory_server(KYOKU, workers=1, journals=journals_of(tmp_path)) as server:
        assert server.workers is not None
        for wait in (0, 1, 2, 4):
            workers_of(server)[0].kill()
            server.clock.advance(0)
            if wait:
                server.clock.advance(wait - 0.5)
                assert not workers_of(server)
            server.clock.advance(0.5)
            assert len(workers_of(server)) == 1
        assert server.workers.pool.status[0].starts == 5


def test_a_table_that_was_in_two_dead_workers_is_closed(tmp_path: Path) -> None:
    """It may have killed them. Its players read why, and its journal is kept aside."""
    with memory_server(KYOKU, workers=2, journals=journals_of(tmp_path)) as server:
        robots = server.robots(*"abcd")
        server.play(robots, until=lambda: discards(robots[0].peer) > 3)
        kill(server)
        server.play(robots, until=lambda: discards(robots[0].peer) > 9)
        kill(server)
        assert KILLED_TWO.replace(" ", "%20") in robots[0].peer.heard()[-1]
        assert not server.rooms[0].tables
        assert server.rooms[0].totals.ends == {End.BROKEN: 1}
        assert [path.suffix for path in tmp_path.glob("*.damaged")] == [".damaged"]


def test_a_table_may_survive_two_deaths_far_apart(tmp_path: Path) -> None:
    """Then it has hardly killed both workers."""
    with memory_server(room(length="kyoku", time="900+0"), workers=2, journals=journals_of(tmp_path)) as server:
        robots = server.robots(*"abcd")
        server.play(robots, until=lambda: discards(robots[0].peer) > 3)
        kill(server)
        server.clock.advance(TRIED_SECONDS + 1)
        kill(server)
        server.play(robots)
        assert server.rooms[0].totals.ends == {End.COMPLETED: 1}


def test_without_records_the_games_of_a_dead_worker_are_over() -> None:
    """The others go on, and the players of the table may play another game after they come again."""
    with memory_server(KYOKU, workers=2) as server:
        robots = server.robots(*"abcd")
        server.play(robots, until=lambda: discards(robots[0].peer) > 3)
        kill(server)
        assert "error internal%20error" in robots[0].peer.heard()[-1]
        assert server.rooms[0].totals.ends == {End.BROKEN: 1}
        others = server.robots(*"efgh")
        server.play(others)
        assert server.rooms[0].totals.ends == {End.BROKEN: 1, End.COMPLETED: 1}


@pytest.mark.parametrize(
    ("players", "is_recorded", "said"),
    [
        ("", True, "it had no running table"),
        ("abcd", True, "its table will go on in another process"),
        ("abcdefgh", True, "its 2 tables will go on in another process"),
        ("abcd", False, "its table cannot go on, because games are not recorded (--record-dir none)"),
    ],
)
def test_the_log_says_what_becomes_of_the_tables(players: str, is_recorded: bool, said: str, tmp_path: Path) -> None:
    """They go on only if there are journals."""
    with memory_server(KYOKU, workers=1, journals=journals_of(tmp_path) if is_recorded else None) as server:
        robots = server.robots(*players)
        server.play(robots, until=lambda: all(discards(robot.peer) for robot in robots))
        with captured() as events:
            workers_of(server)[0].kill()
            server.clock.advance(0)
    ended = [text for text in map(formatEvent, events) if text.startswith("worker 1 has ended: ")]
    assert [text.partition("; ")[2] for text in ended] == [said]


def test_all_workers_die_at_once(tmp_path: Path) -> None:
    """Their tables wait for the next worker, and what clients say meanwhile is asked again."""
    with memory_server(KYOKU, workers=2, journals=journals_of(tmp_path)) as server:
        robots = server.robots(*"abcd")
        server.play(robots, until=lambda: discards(robots[0].peer) > 3)
        for worker in workers_of(server):
            worker.kill()
        for robot in robots:
            robot.play()
        server.play(robots)
        assert server.rooms[0].totals.ends == {End.COMPLETED: 1}


def test_a_worker_that_hangs_is_killed(tmp_path: Path) -> None:
    """After so many pings; before that the server is not healthy."""
    with memory_server(room(length="kyoku", time="900+0"), workers=2, journals=journals_of(tmp_path)) as server:
        assert server.workers is not None
        robots = server.robots(*"abcd")
        server.play(robots, until=lambda: discards(robots[0].peer) > 3)
        hanging = worker_of_table(server)
        hanging.hang()
        for second in range(HUNG_AT_START + 4):
            server.clock.advance(1)
            if second == MOST_UNANSWERED + 1:
                assert sum(not each.is_up for each in server.workers.pool.status) == 1
        assert not hanging.is_alive
        assert all(each.is_up for each in server.workers.pool.status)
        server.play(robots)
        assert server.rooms[0].totals.ends == {End.COMPLETED: 1}


def test_a_server_that_slept_kills_no_worker() -> None:
    """After SIGSTOP and SIGCONT much time has passed, but few pings went out."""
    with memory_server(KYOKU, workers=2) as server:
        before = workers_of(server)
        server.clock.advance(1_000)
        server.clock.advance(1)
        assert workers_of(server) == before


@pytest.mark.parametrize("when", ["in the game", "after a death"])
def test_spectators(when: str, tmp_path: Path) -> None:
    """They see the table in its worker, in another one after its death, and then the next table."""
    with memory_server(KYOKU, workers=2, journals=journals_of(tmp_path)) as server:
        watcher = server.connect()
        watcher.say("0 hello ump=0.1 _watch=main")
        robots = server.robots(*"abcd")
        server.play(robots, until=lambda: discards(robots[0].peer) > 3)
        if when == "after a death":
            kill(server)
        server.play(robots)
        server.clock.advance(1)
        server.clock.advance(1)
        assert watcher.words()[-1] == "gameend"
        seen = watcher.words().count("gamestart")
        others = server.robots(*"efgh")
        server.play(others, until=lambda: discards(others[0].peer) > 3)
        server.clock.advance(1)
        server.clock.advance(1)
        assert watcher.words().count("gamestart") == seen + 1
        draws = [line.split() for line in watcher.lines if line.split()[1] == "tsumo"]
        assert draws
        assert max(map(len, draws)) == 4  # a fifth word would be the tile


def test_a_player_returns_to_a_table_in_a_worker(tmp_path: Path) -> None:
    """By its token, also after the death of the worker."""
    with memory_server(KYOKU, workers=2, journals=journals_of(tmp_path)) as server:
        first, *others = server.robots(*"abcd", options="_resume=1")
        robots = [first, *others]
        server.play(robots, until=lambda: discards(others[0].peer) > 3)
        token = next(line.split()[2] for line in first.peer.lines if " _resume " in line)
        first.peer.hang_up()
        kill(server)
        again = Robot(server.connect())
        again.peer.say(f"0 hello ump=0.1 _resume={token}")
        server.play([again, *others])
        assert "gameend" in again.peer.words()
        assert server.rooms[0].totals.ends == {End.COMPLETED: 1}


def test_the_operator_closes_a_table(tmp_path: Path) -> None:
    """The game ends as closed."""
    with memory_server(KYOKU, workers=1, journals=journals_of(tmp_path)) as server:
        robots = server.robots(*"abcd")
        server.play(robots, until=lambda: discards(robots[0].peer) > 3)
        server.rooms[0].tables[0].close()
        server.clock.advance(0)
        assert server.rooms[0].totals.ends == {End.CLOSED: 1}


def test_a_bug_in_a_frame_stays_there(tmp_path: Path) -> None:
    """A frame that cannot be taken is logged, and the games go on."""
    with memory_server(KYOKU, workers=1, journals=journals_of(tmp_path)) as server, captured() as events:
        robots = server.robots(*"abcd")
        assert server.workers is not None
        server.workers.started[0].program.link.tell("nonsense")
        server.play(robots)
        assert server.rooms[0].totals.ends == {End.COMPLETED: 1}
        failures = [event for event in events if "log_failure" in event]
        assert [formatEvent(event) for event in failures] == ["internal error between the front and a worker"]


def test_a_worker_dies_at_the_end_of_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game is over and counts; its players go on with their sessions from before, and play the next game."""
    with memory_server(KYOKU, workers=2, journals=journals_of(tmp_path)) as server:
        deaths = []

        def die(tables: WorkerTables, given: ReturnPlayers) -> None:
            """Die, instead of returning the sessions."""
            deaths.append(given.table)
            worker_of_table(server).kill()
            monkeypatch.undo()

        monkeypatch.setattr(WorkerTables, "_return_players", die)
        robots = server.robots(*"abcd", options="_games=2")
        server.play(robots)
        assert len(deaths) == 1
        assert server.rooms[0].totals.ends == {End.COMPLETED: 2}
        for robot in robots:
            numbers = [int(line.split()[0]) for line in robot.peer.lines]
            assert numbers == sorted(set(numbers))
            assert robot.peer.words().count("gameend") == 2
            assert robot.peer.words()[-1] == "bye"


def test_operators_see_the_workers(tmp_path: Path) -> None:
    """How many tables each has, how often it was started, and whether it answers."""
    with memory_server(KYOKU, workers=2, journals=journals_of(tmp_path)) as server:
        assert server.workers is not None
        robots = server.robots(*"abcd")
        server.play(robots, until=lambda: discards(robots[0].peer) > 3)
        kill(server)
        (one, two) = server.workers.pool.status
        assert sorted((one.starts, two.starts)) == [1, 2]
        assert sorted((one.tables, two.tables)) == [0, 1]
        server.clock.advance(1)
        assert server.workers.pool.status[0].memory > 0


@pytest.mark.parametrize(
    ("line", "said"),
    [("777 no", "too%20many%20lines%20that%20answer%20nothing"), ("x" * 5_000, "line%20too%20long")],
    ids=["useless lines", "a long line"],
)
def test_a_client_that_breaks_the_protocol(line: str, said: str, tmp_path: Path) -> None:
    """The worker turns it away, and the front closes its stream and counts that for its host; the game goes on."""
    with memory_server(KYOKU, workers=1, journals=journals_of(tmp_path)) as server:
        robots = server.robots(*"abcd")
        server.play(robots, until=lambda: discards(robots[0].peer) > 3)
        culprit = robots[0].peer
        for _ in range(2_000):
            culprit.say(line)
            server.clock.advance(0)
        assert culprit.heard()[-1].endswith(f"error {said}")
        assert not culprit.is_connected
        server.play(robots[1:])
        for _ in range(200):
            server.clock.advance(1)
            server.play(robots[1:])
        assert server.rooms[0].totals.ends == {End.COMPLETED: 1}


def test_more_than_a_worker_can_take(tmp_path: Path) -> None:
    """A client may have so much on its way to a worker that hangs; then it is closed, and nothing piles up."""
    with memory_server(KYOKU, workers=1, journals=journals_of(tmp_path)) as server:
        robots = server.robots(*"abcd")
        server.play(robots, until=lambda: discards(robots[0].peer) > 3)
        hanging = worker_of_table(server)
        hanging.hang()
        culprit = robots[0].peer
        for _ in range(MAX_IN_FLIGHT // 1_000):
            culprit.say("777 " + "x" * 1_000)
        assert culprit.heard()[-1].endswith("error too%20much%20data%20at%20once")
        assert not culprit.is_connected
        hanging.kill()
        server.clock.advance(0)


def test_many_floods_end_as_one_does(tmp_path: Path) -> None:
    """The time for which lines wait in the front does not count for the worker either."""
    with memory_server(KYOKU, workers=1, journals=journals_of(tmp_path)) as server:
        factory = LineFactory("listen", [server.rooms[0].settings.info], server.lobby, server.connections, server.clock)
        host = IPv4Address("TCP", "192.0.2.1", 1)
        robots = [Robot(connect_peer(factory.buildProtocol(None), host)) for _ in range(2 * SLICES_PER_TURN)]
        for number, robot in enumerate(robots):
            robot.peer.settle = server.clock.settle
            robot.peer.say(f"0 hello ump=0.1 name=flooder-{number}")
        server.play(robots, until=lambda: all(discards(robot.peer) for robot in robots))
        for robot in robots:
            robot.peer.send(b"7 no\n" * (IDLE_PER_SECOND + 200 * SLICE))
        seconds = 0.0
        while any(robot.peer.is_connected for robot in robots):
            server.clock.advance(SLICE_PAUSE)
            seconds += SLICE_PAUSE
            assert seconds < 10
        assert seconds > 2
        assert all("too%20many%20lines" in robot.peer.heard()[-1] for robot in robots)


def test_the_operator_announces_something(tmp_path: Path) -> None:
    """A player in a worker receives it as everybody does."""
    with memory_server(KYOKU, workers=1, journals=journals_of(tmp_path)) as server:
        robots = server.robots(*"abcd", options="_explain=1")
        server.play(robots, until=lambda: discards(robots[0].peer) > 3)
        assert robots[0].peer.connection.session.announce("a break in ten minutes")
        server.clock.advance(0)
        assert any("a%20break%20in%20ten%20minutes" in line for line in robots[0].peer.heard())
