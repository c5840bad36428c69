"""The quota of games, and the logs of games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.memory_server import memory_server, room

from ump.net.game_quota import GameQuota
from ump.net.log_folder import LogFolder
from ump.net.seeds import Seeds
from ump.rules.options import OPTIONS

KYOKU = room(length="kyoku", house=["tsumogiri:3"], house_after=0)


@pytest.mark.parametrize("games", [1, 2])
def test_the_last_game(games: int) -> None:
    """The server finishes the last game of its quota, and begins no further one."""
    ended: list[bool] = []
    with memory_server(KYOKU, quota=GameQuota(games, lambda: ended.append(True))) as server:
        robots = server.robots("a", options="_games=0")
        server.play(robots, until=lambda: bool(ended))
        assert robots[0].peer.words().count("gameend") == games
        server.play(robots)
        assert robots[0].peer.words().count("gamestart") == games
    assert ended == [True]


def test_simultaneous_games() -> None:
    """The quota ends with the last running game, in any order."""
    ended: list[bool] = []
    quota = GameQuota(2, lambda: ended.append(True))
    assert quota.begin()
    assert quota.begin()
    assert not quota.begin()
    quota.end()
    assert not ended
    quota.end()
    assert ended


def test_an_unlimited_quota() -> None:
    """Without a number any number of games may begin."""
    quota = GameQuota()
    for _ in range(1_000):
        assert quota.begin()
        quota.end()


def test_a_log_of_each_game(tmp_path: Path) -> None:
    """Each game has a log of its own with one event per line and no hidden tiles."""
    with memory_server(KYOKU, logs=LogFolder(tmp_path)) as server:
        server.play(server.robots("a", options="_games=2"))
    logs = sorted(tmp_path.iterdir())
    assert [log.name for log in logs] == ["1970-01-01-000000-main-1.mjson", "1970-01-01-000000-main-2.mjson"]
    for log in logs:
        events = [json.loads(line) for line in log.read_text(encoding="ascii").splitlines()]
        assert [events[0]["type"], events[-1]["type"]] == ["start_game", "end_game"]
        assert "id" not in events[0]
        assert all("?" not in json.dumps(event) for event in events if event["type"] in ("start_kyoku", "tsumo"))


def test_a_log_describes_its_game(tmp_path: Path) -> None:
    """The first line has the names, and what is needed to play the game again: rules, seed and versions."""
    with memory_server(KYOKU, seed="lucky", logs=LogFolder(tmp_path)) as server:
        server.play(server.robots("a"))
    (log,) = tmp_path.iterdir()
    start = json.loads(log.read_text(encoding="ascii").splitlines()[0])
    assert sorted(start) == ["names", "type", "ump"]
    assert "a" in start["names"]
    about = start["ump"]
    assert (about["table"], about["room"], about["date"]) == ("main-1", "main", "1970-01-01T00:00:00Z")
    assert about["seed"] == Seeds("lucky").secret_of("main-1")
    assert about["rules"]["name"] == KYOKU.ruleset.name
    assert {option.name: option.format(KYOKU.ruleset) for option in OPTIONS.values()}.items() <= about["rules"].items()
    assert set(about["versions"]) == {"ump", "mahjong"}
    assert all(about["versions"].values())


def test_a_disk_that_fails(tmp_path: Path) -> None:
    """Games go on without logs if the disk fails."""
    with memory_server(KYOKU, logs=LogFolder(tmp_path / "gone")) as server:
        (robot,) = server.robots("a")
        server.play([robot])
        assert robot.peer.words()[-1] == "bye"
