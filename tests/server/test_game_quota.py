"""The quota of games."""

from __future__ import annotations

import pytest
from support.memory_server import memory_server, room

from ump.server.game_quota import GameQuota

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


def test_games_from_records_count_but_are_never_refused() -> None:
    """A game that goes on after a restart begins even if the quota is used up, and the server waits for its end."""
    ended: list[str] = []
    quota = GameQuota(1, lambda: ended.append("ended"))
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
    with memory_server(room(length="kyoku"), other, quota=GameQuota(most=1)) as server:
        players = server.robots("a", "b", "c", "d")
        alone = server.robots("e", options="_room=other")
        server.clock.advance(0)
        assert "gamestart" not in alone[0].peer.words()
        server.play([*players, *alone])
        assert all("gameend" in each.peer.words() for each in (*players, *alone))
