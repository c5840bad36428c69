"""Rooms that play each wall with every rotation of the seats, as journals, clients and spectators see it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.memory_processes import server_with_bots
from support.memory_server import MemoryServer, Peer, Robot, journal_folder, memory_server, room

from ump.cli.records import records
from ump.model.events import HandDealt
from ump.net.limits import PIPE_SECONDS
from ump.record.game_index import GameIndex
from ump.record.indexed_game import pairs
from ump.record.journal import Journal, check_journal, read_journal
from ump.server.journals import JournalFolder
from ump.server.log_folder import LogFolder
from ump.server.room import GameQuota

KYOKU = room(length="kyoku", duplicate=True)
WITH_BOTS = room(length="kyoku", duplicate=True, house=["tsumogiri:3"], house_after=0)


def opened(folder: Path) -> JournalFolder:
    """Return a folder of journals that writes at once."""
    journals = journal_folder(folder)
    journals.open()
    return journals


@pytest.fixture
def journals(tmp_path: Path) -> Iterator[JournalFolder]:
    """An empty folder of journals."""
    folder = opened(tmp_path / "records")
    yield folder
    folder.close()


@pytest.fixture
def server(journals: JournalFolder) -> Iterator[MemoryServer]:
    """A server whose room is recorded."""
    with memory_server(KYOKU, recorder_of=journals.create, seals=journals.seals) as opened:
        yield opened


def finished(folder: Path) -> list[Journal]:
    """Return the journals that everybody may read, in their order."""
    return [read_journal(gzip.decompress(path.read_bytes())) for path in sorted(folder.glob("*.journal.gz"))]


def said(peer: Peer, command: str) -> list[list[str]]:
    """Return the arguments of each sentence of this command that a client has received."""
    peer.words()
    return [line.split()[2:] for line in peer.lines if line.split()[1] == command]


def games_of(peer: Peer) -> int:
    """Return how many games a client has begun."""
    return peer.words().count("gamestart")


def test_every_player_has_every_seat_of_the_same_walls(server: MemoryServer, journals: JournalFolder) -> None:
    """Four games of one secret, in each of which everybody sits one seat further."""
    server.play(server.robots("a", "b", "c", "d"))
    games = finished(journals.folder)
    openings = [journal.header.opening for journal in games]
    assert len({opening.secret for opening in openings}) == 1
    assert len({opening.name for opening in openings}) == 4
    first = openings[0].players
    assert [opening.players for opening in openings] == [first[-turn:] + first[:-turn] for turn in range(4)]
    places = [opening.duplicate for opening in openings]
    assert [(place.number, place.games) for place in places if place] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert len({place.group for place in places if place}) == 1
    dealt = [[event for event in check_journal(each) if isinstance(event, HandDealt)][:4] for each in games]
    assert all(hands == dealt[0] for hands in dealt)


def test_a_group_counts_as_one_game_for_a_client(server: MemoryServer) -> None:
    """A client that came for one game plays all of its rotations, and leaves then."""
    robots = server.robots("a", "b", "c", "d")
    server.play(robots)
    assert [games_of(robot.peer) for robot in robots] == [4] * 4
    assert not any(robot.peer.is_connected for robot in robots)


def test_the_secret_comes_after_the_last_game(server: MemoryServer, journals: JournalFolder) -> None:
    """It would tell the walls of the games to come; no finished record may be read before, so none is named."""
    watched = server.enter("a", "_proof=1 _results=1")
    robots = [Robot(watched), *server.robots("b", "c", "d")]
    for number in (2, 3, 4):
        server.play(robots, until=lambda number=number: games_of(watched) == number)  # type: ignore[misc]
        assert said(watched, "_secret") == []
        assert list(journals.folder.glob("*.journal.gz")) == []
        assert list(GameIndex(journals.folder).games()) == []
        assert {path.stat().st_mode & 0o077 for path in journals.folder.glob(".*.journal")} == {0}
    server.play(robots)
    assert len(said(watched, "_secret")) == 1
    assert (len(said(watched, "_places")), said(watched, "_record")) == (4, [])
    assert len({commitment for (commitment,) in said(watched, "_commitment")}) == 1
    assert len(finished(journals.folder)) == 4
    assert len(list(GameIndex(journals.folder).games())) == 4


def test_pairs_on_the_command_line(server: MemoryServer, journals: JournalFolder) -> None:
    """``ump records --pairs`` prints a row for each pair, as table, JSON and CSV; the player asked for stands first."""
    server.play(server.robots("a", "b", "c", "d"))

    def run(*options: str) -> str:
        result = CliRunner().invoke(records, [str(journals.folder), "--pairs", *options])
        assert result.exit_code == 0, result.output
        return result.stdout

    assert len(run().splitlines()) == 1 + 6
    of_c = json.loads(run("--json", "--player", "c"))["pairs"]
    assert [(pair["player"], pair["against"], pair["groups"], pair["games"]) for pair in of_c] == [
        ("c", other, 1, 4) for other in "abd"
    ]
    rows = list(csv.DictReader(io.StringIO(run("--csv"))))
    assert len(rows) == 6
    assert all(float(row["result"]) >= 0 and row["result_low"] == "" for row in rows)
    assert run("--room", "other") == "no complete groups of duplicate games\n"
    both = CliRunner().invoke(records, [str(journals.folder), "--pairs", "--players"])
    assert (both.exit_code, "exclude each other" in both.output) == (2, True)


def test_texts_of_players_do_not_change_the_walls(server: MemoryServer, journals: JournalFolder) -> None:
    """All games of a group have the walls of its secret alone."""
    robots = [Robot(server.enter("a", f"_seed={'0' * 64}")), *server.robots("b", "c", "d")]
    server.play(robots)
    assert said(robots[0].peer, "_seed?") == []
    assert {journal.header.opening.seeds for journal in finished(journals.folder)} == {()}


def test_built_in_bots_change_seats_too(journals: JournalFolder) -> None:
    """A client and three bots play a group; the client may stay for the next, which has other walls."""
    with memory_server(WITH_BOTS, seed=None, recorder_of=journals.create, seals=journals.seals) as server:
        robot = Robot(server.enter("a", "_games=2"))
        server.clock.advance(1)
        server.play([robot])
        games = finished(journals.folder)
        assert len(games) == 8
        for group in (games[:4], games[4:]):
            assert {journal.header.opening.players.index("a") for journal in group} == {0, 1, 2, 3}
        assert len({journal.header.opening.secret for journal in games}) == 2


def test_a_group_ends_when_a_player_leaves(server: MemoryServer, journals: JournalFolder) -> None:
    """Its game is played to the end; then the others wait for another player, and the records are published."""
    robots = server.robots("a", "b", "c", "d", options="_games=0")
    server.play(robots, until=lambda: games_of(robots[0].peer) == 2)
    robots[3].peer.hang_up()
    server.play(robots[:3])
    assert [games_of(robot.peer) for robot in robots[:3]] == [2] * 3
    assert [place.number for journal in finished(journals.folder) if (place := journal.header.opening.duplicate)] == [
        1,
        2,
    ]
    assert server.rooms[0].waiting == 3
    assert pairs(GameIndex(journals.folder).duplicate_games()) == []


def test_a_player_who_comes_back_plays_the_next_game(journals: JournalFolder) -> None:
    """The group goes on with its new connection."""
    settings = room(length="kyoku", duplicate=True, grace=60)
    with memory_server(settings, recorder_of=journals.create, seals=journals.seals) as server:
        robots = server.robots("a", "b", "c", "d", options="_resume=1")
        server.play(robots, until=lambda: robots[0].peer.words().count("sutehai") >= 9)
        ((token,),) = said(robots[0].peer, "_resume")
        robots[0].peer.hang_up()
        robots[0] = Robot(server.enter("a", f"_resume={token}"))
        server.play(robots)
        assert games_of(robots[1].peer) == 4
        assert len(finished(journals.folder)) == 4


def test_a_server_that_drains_begins_no_other_game_of_a_group(journals: JournalFolder) -> None:
    """The running game is its last one."""
    ended: list[bool] = []
    quota = GameQuota(0, lambda: ended.append(True), most=None)
    with memory_server(KYOKU, quota=quota, recorder_of=journals.create, seals=journals.seals) as server:
        robots = server.robots("a", "b", "c", "d")
        server.lobby.drain()
        quota.close()
        server.play(robots)
        assert ended == [True]
        assert len(finished(journals.folder)) == 1


def test_other_settings_do_not_end_a_drain(journals: JournalFolder) -> None:
    """A server that drains and reads its configuration again begins no other game of a group."""
    with memory_server(KYOKU, recorder_of=journals.create, seals=journals.seals) as server:
        robots = server.robots("a", "b", "c", "d")
        server.lobby.drain()
        server.rooms[0].renew(KYOKU)
        server.play(robots)
        assert [games_of(robot.peer) for robot in robots] == [1] * 4


def test_a_room_that_returns_plays_whole_groups(server: MemoryServer) -> None:
    """A room that was removed from the configuration and is there again has forgotten that it was to close."""
    server.rooms[0].dismiss_waiting("closed")
    server.rooms[0].renew(KYOKU)
    robots = server.robots("a", "b", "c", "d")
    server.play(robots)
    assert [games_of(robot.peer) for robot in robots] == [4] * 4


def test_a_quota_waits_for_the_group(journals: JournalFolder) -> None:
    """``--games 1`` ends the server after the whole group."""
    ended: list[int] = []
    quota = GameQuota(1, lambda: ended.append(len(finished(journals.folder))), most=None)
    with memory_server(KYOKU, quota=quota, recorder_of=journals.create, seals=journals.seals) as server:
        server.play(server.robots("a", "b", "c", "d"))
        assert ended == [4]


def test_logs_get_their_names_after_the_group(tmp_path: Path, journals: JournalFolder) -> None:
    """A log states the seed, and shows all hands."""
    folder = tmp_path / "logs"
    folder.mkdir()
    logs = LogFolder(folder, journals.seals)
    with memory_server(KYOKU, logs=logs, recorder_of=journals.create, seals=journals.seals) as server:
        robots = server.robots("a", "b", "c", "d")
        server.play(robots, until=lambda: games_of(robots[0].peer) == 4)
        assert list(folder.glob("*.mjson")) == []
        server.play(robots)
        assert len(list(folder.glob("*.mjson"))) == 4


def test_after_a_restart_the_running_game_is_the_last(tmp_path: Path) -> None:
    """The finished games of its group stay unreadable until it is over."""
    folder = tmp_path / "records"
    journals = opened(folder)
    settings = room(length="kyoku", duplicate=True, house=["tsumogiri:3"], house_after=0, grace=600)
    with memory_server(settings, recorder_of=journals.create, seals=journals.seals) as server:
        robot = Robot(server.enter("a", "_resume=1"))
        server.clock.advance(1)
        server.play([robot], until=lambda: games_of(robot.peer) == 3)
        token = said(robot.peer, "_resume")[-1][0]
    journals.close()
    journals = opened(folder)
    with memory_server(settings, recorder_of=journals.create, seals=journals.seals) as server:
        for path, journal in journals.unfinished():
            server.rooms[0].restore(journal, partial(journals.reopen, path, journal))
        assert finished(folder) == []
        robot = Robot(server.enter("a", f"_resume={token}"))
        server.play([robot])
        assert len(finished(folder)) == 3
    journals.close()


def test_a_group_without_a_running_game_is_over_after_a_restart(tmp_path: Path) -> None:
    """A server that died between two games has left finished journals; the next one publishes them."""
    folder = tmp_path / "records"
    journals = opened(folder)
    with memory_server(KYOKU, recorder_of=journals.create, seals=journals.seals) as server:
        robots = server.robots("a", "b", "c", "d")
        server.play(robots, until=lambda: games_of(robots[0].peer) == 2)
        for path in sorted(folder.glob(".*.journal"))[1:]:
            path.unlink()
    journals.close()
    journals = opened(folder)
    assert list(journals.unfinished()) == []
    assert len(finished(folder)) == 1
    journals.close()


BOTS = room(length="kyoku", duplicate=True, house=[f"mjai:alpha={sys.executable}", "tsumogiri:2"], house_after=0)


def test_bots_of_the_server_start_anew_for_each_game(journals: JournalFolder) -> None:
    """A child process plays one game, so a group of four starts four."""
    with server_with_bots(BOTS, recorder_of=journals.create, seals=journals.seals) as server:
        robot = Robot(server.enter("a"))
        server.clock.advance(0)
        while robot.peer.is_connected:
            count = len(server.programs)
            server.play([robot, server.programs[-1]], until=lambda count=count: len(server.programs) > count)  # type: ignore[misc]
        assert len(server.programs) == 4
        server.clock.advance(PIPE_SECONDS)
        assert not any(program.is_open for program in server.programs)
        seats = {journal.header.opening.players.index("alpha") for journal in finished(journals.folder)}
        assert seats == {0, 1, 2, 3}
