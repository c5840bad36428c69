"""Rated rooms: rounds by the clock, pairs by rating and owner, built-in bots for the rest, and ratings from records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.memory_server import MemoryServer, Peer, Robot, journal_folder, memory_server, room
from support.rows import each_row
from twisted.internet.defer import Deferred, fail, maybeDeferred
from twisted.logger import capturedLogs

from ump.model.game_result import GameResult
from ump.server import rated_rounds
from ump.server.ladder import (
    ANCHOR,
    LAST_GAMES,
    NO_STANDINGS,
    Beside,
    LadderPlayer,
    LadderSource,
    RatedGame,
    Sign,
    Standings,
    StrengthChange,
    fit,
    standings_of,
)
from ump.server.overview import ladder_data, player_data
from ump.server.rated_rounds import RATE_SECONDS

RATED = room(rated=True, rated_every=60, length="kyoku", house=["tsumogiri:3"])
A, B = LadderPlayer("a"), LadderPlayer("b")
GAMES = [
    RatedGame(f"g{number}", 0.0, (A, B, ANCHOR, ANCHOR), GameResult((30_000, 20_000, 26_000, 24_000), (1, 4, 2, 3)))
    for number in range(9)
]


def at_once(call: Callable[..., Any], *arguments: object) -> Deferred[Any]:
    """Call a function as if in another thread."""
    return maybeDeferred(call, *arguments)


EMPTY = LadderSource(lambda _: [], at_once)


def names(peer: Peer) -> list[list[str]]:
    """Return the players of each game of a client, by name."""
    peer.heard()
    return [sorted(line.split()[3:]) for line in peer.lines if " gamestart " in line]


def test_games_begin_at_fixed_instants() -> None:
    """Nobody plays before the round, even four; then everybody does, with built-in bots at the seats that are left."""
    with memory_server(RATED, ladder=EMPTY) as server:
        server.clock.advance(10)
        peers = [server.enter(name) for name in "abcde"]
        server.clock.advance(49)
        assert [names(peer) for peer in peers] == [[]] * 5
        server.clock.advance(1)
        games = [names(peer)[0] for peer in peers]
        assert all(len(game) == 4 for game in games)
        bots = {name for game in games for name in game if name.startswith("tsumogiri")}
        assert bots == {"tsumogiri-1", "tsumogiri-2"}, "three and two players"
        assert server.rooms[0].running == 2
        assert server.rooms[0].next_round == 120.0


@pytest.mark.parametrize(("days", "seconds"), [(-2, 90), (400, 30)])
def test_the_wall_clock_is_set(monkeypatch: pytest.MonkeyPatch, days: int, seconds: int) -> None:
    """Set forth, it brings the awaited round at the next look; set back, the next round by the new date."""
    shift = 0
    monkeypatch.setattr(rated_rounds, "wall_seconds", lambda clock: 1e9 + shift + clock.seconds())
    with memory_server(RATED, ladder=EMPTY) as server:
        server.clock.advance(0)
        peer = server.enter("a")
        shift = days * 86_400
        for _ in range(seconds):
            server.clock.advance(1)
        assert len(names(peer)) == 1


def test_people_are_told_of_bots_and_ratings() -> None:
    """Players, spectators and those who come back; programs are told nothing, and an unknown rating is left out."""
    with memory_server(RATED, ladder=LadderSource(lambda _: GAMES, at_once)) as server:
        watching, program = server.enter("w", "_watch=main _person=1"), server.enter("alice/x")
        key = f"_person=1 _guest={'a' * 22}"
        playing = [server.enter(name, f"_person=1 _guest={name * 22}") for name in "ac"]
        server.clock.advance(0)
        server.clock.advance(60)
        playing.append(server.enter("a", key))
        for _ in range(2):  # spectators come in their turn
            server.clock.advance(1)
        rating = standings_of(GAMES, 60.0, NO_STANDINGS).ratings[A]
        known = {
            "a": f"{round(rating.elo)}?{round(rating.half_width)}",
            "c": "-",
            "alice/x": "bot",
            "tsumogiri-1": "bot",
        }
        line = " ".join(["_players", *(known[name] for name in server.table.opening.players)])
        for peer in (watching, *playing):
            sentences = [each.partition(" ")[2] for each in peer.heard()]
            assert sentences[sentences.index(line) + 1].startswith("gamestart ")
        assert "_players" not in " ".join(program.heard())


def test_a_game_of_people_is_rated_at_once() -> None:
    """Its players need not wait for the next round; those who wait read how long, and how many they are."""
    played: list[RatedGame] = []
    with memory_server(room(rated=True, length="kyoku"), ladder=LadderSource(lambda _: played, at_once)) as server:
        server.clock.advance(0)
        peer = server.enter("a", "_person=1 _explain=1")
        assert {"_bots", "_waiting"} <= set(peer.words())
        server.clock.advance(1_200)
        played.extend(GAMES)
        server.play([Robot(peer)])
        ladder = server.rooms[0].gathering.ladder
        assert ladder is not None and ladder.standings.games == ()
        server.clock.advance(RATE_SECONDS)
        ladder = server.rooms[0].gathering.ladder
        assert ladder is not None and ladder.standings.games == tuple(GAMES)


def test_waiting_is_not_idleness() -> None:
    """A player that says nothing for the whole time between two rounds keeps its connection."""
    with memory_server(room(rated=True, length="kyoku"), ladder=EMPTY) as server:
        server.clock.advance(0)
        peer = server.enter("a")
        for _ in range(1_200):
            assert not names(peer)
            assert peer.is_connected
            server.clock.advance(1)
        assert len(names(peer)) == 1


def test_a_guest_is_not_displaced_by_its_name() -> None:
    """Somebody who comes later under the same name plays in a later round, and keeps nobody waiting."""
    with memory_server(RATED, ladder=EMPTY) as server:
        first, second = server.enter("a"), server.enter("a")
        server.clock.advance(0)
        server.clock.advance(60)
        assert (len(names(first)), len(names(second))) == (1, 0)
        server.clock.advance(60)
        assert (len(names(first)), len(names(second))) == (1, 1)


def test_a_table_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of too many players those with the most games are listed; the others have their own pages."""
    monkeypatch.setattr("ump.server.overview.MOST_ROWS", 3)
    guests = [LadderPlayer(f"guest-{number}") for number in range(4)]
    games = [*GAMES, RatedGame("h", 0.0, tuple(guests), GameResult((4, 3, 2, 1), (1, 2, 3, 4)))]
    with memory_server(RATED, ladder=LadderSource(lambda name: games, at_once)) as server:
        server.clock.advance(0)
        ladder = server.rooms[0].gathering.ladder
        assert ladder is not None
        rows = ladder_data("main", ladder)["players"]
        assert isinstance(rows, list)
        assert [row["name"] for row in rows] == ["a", "efficiency", "b"]
        assert player_data(ladder.standings, guests[0])["games"] == 1


def test_a_player_has_its_last_games() -> None:
    """The newest come first, and no more than a page lists."""
    games = [
        RatedGame(f"g{number}", float(number), (A, B, ANCHOR, ANCHOR), GameResult((), (1, 2, 3, 4)))
        for number in range(60)
    ]
    standings = standings_of(games, 60.0, NO_STANDINGS)
    assert [game.file for game in standings.last[ANCHOR]] == [f"g{number}" for number in range(59, 59 - LAST_GAMES, -1)]


def test_one_owner_at_a_table() -> None:
    """Bots of one owner never meet."""
    with memory_server(RATED, ladder=EMPTY) as server:
        peers = [server.enter(name) for name in ("alice/x", "alice/y", "bob")]
        server.clock.advance(0)
        server.clock.advance(60)
        assert all(sum(name.startswith("alice/") for name in names(peer)[0]) <= 1 for peer in peers)


def test_players_are_told_when_the_round_begins() -> None:
    """A client that takes explanations reads it once for each round; leaving the line says nothing to the others."""
    with memory_server(RATED, ladder=EMPTY) as server:
        curious = server.enter("a", "_explain=1")
        server.enter("b").hang_up()
        told = [line for line in curious.heard() if "_notice" in line or "rated" in line]
        assert len(told) == 1
        assert "60%20seconds" in told[0]
        assert "00:01:00" in told[0]


def test_players_stay_round_after_round() -> None:
    """Players that stay are paired again in the next round, not before."""
    with memory_server(RATED, ladder=EMPTY) as server:
        robots = server.robots("a", "b", "c", "d", options="_games=2")
        server.clock.advance(0)
        for rounds in (1, 2):
            server.clock.advance(60)
            server.play(robots)
            assert [len(names(robot.peer)) for robot in robots] == [rounds] * 4
        assert not server.rooms[0].waiting


def test_ratings_are_ready_without_a_round() -> None:
    """A server that has records computes the ratings when it starts; close ratings are paired by them."""
    with memory_server(RATED, ladder=LadderSource(lambda name: GAMES if name == "main" else [], at_once)) as server:
        server.clock.advance(0)
        ladder = server.rooms[0].gathering.ladder
        assert ladder is not None
        assert ladder.standings.order == [A, ANCHOR, B]
        data = ladder_data("main", ladder)
        assert (data["games"], data["next"], data["every"]) == (9, 60.0, 60.0)
        row = player_data(ladder.standings, A)
        assert (row["name"], row["games"], row["provisional"]) == ("a", 9, True)
        assert isinstance(row["last"], list)
        assert row["last"][0]["id"] == "g8"
        assert row["course"]


@each_row(
    ("flag", "parts"),
    [
        (
            Beside(Sign.DEAL_INS, A, B, 60, 1_234.5678, 0.001),
            {"sign": "deal-ins", "other": "b", "games": 60, "excess": 1234.57, "p": 0.001},
        ),
        (StrengthChange(A, False, "g3.journal.gz"), {"sign": "below", "since": "g3"}),
    ],
)
def test_flags_as_data(flag: Beside | StrengthChange, parts: dict[str, object]) -> None:
    """A flag has its text, and its parts for pages in other languages; others have none of it."""
    standings = Standings((), fit(GAMES, 0.0), Counter(), (flag,), (), {})
    assert player_data(standings, A)["flags"] == [{"text": flag.text, **parts}]
    assert player_data(standings, B)["flags"] == []


def test_a_failure_leaves_a_round_out() -> None:
    """If the ratings cannot be computed, the log says so and the next round tries again."""
    answers = [fail(OSError("disk"))]

    def in_thread(call: Callable[..., Any], *arguments: object) -> Deferred[Any]:
        return answers.pop() if answers else maybeDeferred(call, *arguments)

    with memory_server(RATED, ladder=LadderSource(lambda _: [], in_thread)) as server, capturedLogs() as events:
        peer = server.enter("a")
        server.clock.advance(0)
        assert [event["log_format"] for event in events if "log_failure" in event] == ["{room}: no round"]
        server.clock.advance(60)
        assert len(names(peer)) == 1


def test_slow_ratings_leave_a_round_out() -> None:
    """While a plan is being computed, no second one begins; a player that has left meanwhile does not play."""
    waiting: list[tuple[Deferred[Any], Callable[[], Any]]] = []

    def in_thread(call: Callable[..., Any], *arguments: object) -> Deferred[Any]:
        waiting.append((Deferred(), lambda: call(*arguments)))
        return waiting[-1][0]

    def finish() -> None:
        deferred, call = waiting.pop()
        deferred.callback(call())

    with memory_server(RATED, ladder=LadderSource(lambda _: [], in_thread)) as server, capturedLogs() as events:
        server.clock.advance(0)
        peer, leaver = server.enter("a"), server.enter("b")
        server.clock.advance(60)
        assert any("left out" in event["log_format"] for event in events)
        finish()
        server.clock.advance(60)
        leaver.hang_up()
        finish()
        assert [len(game) for game in names(peer)] == [4]
        assert "b" not in names(peer)[0]
        server.clock.advance(60)
        server.lobby.close()
        finish()


def test_another_interval() -> None:
    """A room that becomes rated, or is not any more, keeps its players."""
    with memory_server(room(length="kyoku"), ladder=EMPTY) as server:
        peers = [server.enter(name) for name in "ab"]
        server.rooms[0].renew(RATED)
        peers += [server.enter(name) for name in "cd"]
        assert not any(map(names, peers))
        server.rooms[0].renew(room(length="kyoku"))
        assert [names(peer) for peer in peers] == [[["a", "b", "c", "d"]]] * 4
        assert server.rooms[0].next_round is None


@pytest.mark.parametrize("leave", [False, True])
def test_ratings_survive_a_restart(tmp_path: Path, leave: bool) -> None:
    """The record of a game is all that ratings need; a player that leaves loses as by a last place."""
    folder = journal_folder(tmp_path, in_thread=at_once)
    folder.open()
    source = LadderSource(folder.rated_games, at_once)
    with memory_server(RATED, ladder=source, recorder_of=folder.create) as server:
        _play_one(server, leave=leave)
    folder.close()
    again = journal_folder(tmp_path, in_thread=at_once)
    again.open()
    (game,) = again.rated_games("main")
    assert again.rated_games("other") == []
    assert A in game.players
    if leave:
        assert game.result.places[game.players.index(A)] == 4
    with memory_server(RATED, ladder=LadderSource(again.rated_games, at_once)) as server:
        server.clock.advance(0)
        ladder = server.rooms[0].gathering.ladder
        assert ladder is not None
        assert set(ladder.standings.ratings) == {A, ANCHOR, LadderPlayer("tsumogiri", is_builtin=True)}
    again.close()


def _play_one(server: MemoryServer, *, leave: bool) -> None:
    """Let one client play a round, or leave its game at once."""
    robots = server.robots("a")
    server.clock.advance(0)
    server.clock.advance(60)
    if leave:
        robots[0].peer.hang_up()
    server.play([] if leave else robots)
