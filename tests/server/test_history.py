"""The history of a guest: the games of its browser, and the figures of ``ump records --players``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.memory_server import Robot, journal_folder, memory_server, room
from support.memory_site import memory_site
from twisted.internet.defer import maybeDeferred

from ump.record.game_index import GameIndex
from ump.record.indexed_game import GameFilter
from ump.record.player_statistics import statistics_data
from ump.server import history
from ump.server.history import history_data
from ump.server.http.api import PageSources

GAMES = 3


def test_a_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the games of the guest and not those of a namesake, counted at once, page by page, for nobody else."""
    monkeypatch.setattr(history, "MOST_GAMES", 2)
    journals = journal_folder(tmp_path)
    journals.open()
    rooms = [room(name, house=["efficiency:3"], house_after=0, length="kyoku") for name in ("main", "other")]
    with memory_server(*rooms, recorder_of=journals.create) as server:
        for number in range(GAMES):
            for key in "kl":
                where = "other" if number == 2 else "main"
                name = "ann" if key == "k" else f"zoe-{number}"
                peer = server.enter(name, f"_guest={key * 22} _person=1 _room={where}")
                server.clock.advance(0)
                server.play([Robot(peer)])
                peer.hang_up()
                server.clock.advance(1)
        sources = PageSources(list, list, tmp_path, maybeDeferred, guests=server.lobby, own_games=journals.own_games)
        with memory_site(sources=sources) as site:
            mine, other = (
                json.loads(site.fetch("/api/me/history", {"Authorization": f"Guest {key * 22}"}).body) for key in "km"
            )
            assert other["games"] == [] and other["figures"]["all"] == []
            assert site.fetch("/api/me/history").code == 401
            later = ",".join(mine["before"])
            rest = json.loads(
                site.fetch(f"/api/me/history?before={later}", {"Authorization": f"Guest {'k' * 22}"}).body
            )
    games = [*mine["games"], *rest["games"]]
    assert [game["room"] for game in games] == ["other", "main", "main"]
    assert all(game["players"][game["seat"]]["name"] == "ann" for game in games)
    assert rest["before"] is None and "figures" not in rest
    (everything,) = mine["figures"]["all"]
    assert [each["name"] for each in mine["figures"]["room"]] == ["main", "other"]
    assert sum(each["games"] for each in mine["figures"]["month"]) == GAMES
    (counted,) = GameIndex(tmp_path).players(GameFilter(player="ann", end="completed"))
    figures = {key: value for key, value in everything.items() if key != "intervals"}
    assert figures == {**statistics_data(counted), "name": ""}
    assert figures["kyoku"] == GAMES
    low, high = everything["intervals"]["win_rate"]
    assert 0 <= low <= figures["win_rate"] <= high <= 1
    assert history_data(journals.own_games, [], None)["games"] == []
    journals.close()
