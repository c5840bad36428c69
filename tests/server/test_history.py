"""The history of a guest: the games of its browser, and the figures of ``ump records --players``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.memory_server import Robot, journal_folder, memory_server, room
from support.memory_site import memory_site
from twisted.internet.defer import maybeDeferred

from ump.record.game_index import GameIndex
from ump.record.indexed_game import GameFilter
from ump.record.journal import read_journal
from ump.record.player_statistics import MEANINGS, statistics_data
from ump.record.record_files import unpacked
from ump.server import overview
from ump.server.http.api import PageSources
from ump.server.jobs import RESULTS, Job, ResultFolder
from ump.server.overview import history_data
from ump.server.people import id_of
from ump.server.seat_tokens import hashes_of_guest, hashes_of_user

GAMES = 3


def test_a_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the games of the guest and not those of a namesake, counted at once, page by page, for nobody else."""
    monkeypatch.setattr(overview, "MOST_GAMES", 2)
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
            odd = site.fetch("/api/me/history?before=a,%00", {"Authorization": f"Guest {'k' * 22}"})
            assert odd.code == 400
            later = ",".join(mine["before"])
            for method in ("GET", "POST"):
                answer = site.fetch("/api/me/profile", {"Authorization": f"Guest {'k' * 22}"}, method=method)
                profile = json.loads(answer.body)
                assert (profile["games"], profile["missing"], profile["running"]) == (0, 0, None)  # no room has reviews
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
    assert list(statistics_data(counted)) == list(MEANINGS)
    assert figures["kyoku"] == GAMES
    low, high = everything["intervals"]["win_rate"]
    assert 0 <= low <= figures["win_rate"] <= high <= 1
    assert history_data(journals.own_games, [], None)["games"] == []
    ann, alice = hashes_of_guest("k" * 22), hashes_of_user("alice")
    for seen, expected in (([], None), ([id_of(ann[0])], id_of(ann[0]))):
        data: Any = history_data(journals.own_games, ann, None, seen)
        people = {each["name"]: each["person"] for each in data["games"][0]["players"]}
        assert people.pop("ann") == expected
        assert [*people.values()] == [None] * 3
    assert [overview._person_of("alice", known) for known in alice] == [id_of(alice[0])] * 2
    journals.close()


def test_a_deleted_user_in_records(tmp_path: Path) -> None:
    """Record, index and last games have another name, and nobody's hash; a guest of the same name keeps it."""
    journals = journal_folder(tmp_path)
    journals.open()
    with memory_server(
        room(house=["efficiency:3"], house_after=0, length="kyoku"), recorder_of=journals.create
    ) as server:
        for user in ("mika", None):
            peer = server.connect()
            peer.connection.user = user
            peer.say(f"0 hello name=mika _guest={'k' * 22} _person=1")
            server.clock.advance(0)
            server.play([Robot(peer)])
            peer.hang_up()
            server.clock.advance(1)
    own = journals.own_games
    assert own.own_sums(hashes_of_user("mika"))["all"][0].games == 1
    results = ResultFolder(tmp_path / RESULTS)
    results.write(Job("replay", "game", bytes), b"mika")
    journals.rename(lambda name: "deleted user 7" if name == "mika" else None)
    results.write(Job("replay", "made meanwhile", bytes, is_current=lambda: False), b"mika")
    assert not [*(tmp_path / RESULTS).iterdir()]
    names = [[player.name for player in game.players] for game in journals.last_games]
    assert ["deleted user 7" in each for each in names] == [False, True]
    assert "mika" in names[0]
    assert own.own_sums(hashes_of_user("mika"))["all"] == []
    first, second = (read_journal(unpacked(path.read_bytes())) for path in sorted(tmp_path.glob("*.journal.gz")))
    assert "deleted user 7" in first.header.opening.players and "mika" in second.header.opening.players
    assert all(player.token is None for player in first.header.players)
    with memory_server(
        room(house=["efficiency:3"], house_after=0, length="kyoku"), recorder_of=journals.create
    ) as server:  # a game that ends after the deletion
        server.clock.advance(5)
        peer = server.connect()
        peer.connection.user = "mika"
        peer.say("0 hello name=mika _person=1")
        server.clock.advance(0)
        server.play([Robot(peer)])
        peer.hang_up()
        server.clock.advance(1)
    names = [[player.name for player in game.players] for game in journals.last_games]
    assert sum("deleted user 7" in each for each in names) == 2
    assert len(list(tmp_path.glob("*.journal.gz"))) == 3
    (counted,) = GameIndex(tmp_path).players(GameFilter(player="deleted user 7"))
    assert counted.counts.kyoku == 2
    journals.close()
