"""Ratings: the fit, its anchor, its intervals, and the weights of old games."""

from __future__ import annotations

from math import exp
from random import Random

import pytest
from support.rows import each_row

from ump.arena.ratings import ANCHOR_RATING, ELO
from ump.model.game_result import GameResult
from ump.record.indexed_game import IndexedGame, IndexedPlayer
from ump.server.ladder import (
    ANCHOR,
    MOST_POINTS,
    NO_STANDINGS,
    LadderPlayer,
    RatedGame,
    fit,
    places_after_leaving,
    rated_games,
    standings_of,
    weight_of,
)

A, B, C = (LadderPlayer(name) for name in "abc")
DAY = 86_400.0


def simulated(truth: dict[LadderPlayer, float], games: int, random: Random) -> list[RatedGame]:
    """Return games whose places are drawn from the Plackett-Luce model."""
    found = []
    for number in range(games):
        players = random.sample(list(truth), 4)
        left, places = list(range(4)), [0] * 4
        for place in range(1, 5):
            seat = random.choices(left, [exp((truth[players[each]] - 1500) / ELO) for each in left])[0]
            places[seat] = place
            left.remove(seat)
        found.append(RatedGame(f"g{number}", number * 60.0, tuple(players), GameResult((), tuple(places))))
    return found


def game(
    places: tuple[int, ...], began: float = 0.0, players: tuple[LadderPlayer, ...] = (ANCHOR, A, B, C)
) -> RatedGame:
    """Return a game of the anchor and three players."""
    return RatedGame("g", began, players, GameResult((), places))


def test_ratings_find_the_truth() -> None:
    """Most true ratings lie in their intervals, which shrink with more games; the anchor is fixed."""
    random = Random(4)
    truth = {ANCHOR: ANCHOR_RATING} | {LadderPlayer(f"p{number}"): random.gauss(1500, 120) for number in range(15)}
    games = simulated(truth, 400, random)
    few, many = fit(games[:100], 0.0), fit(games, 0.0)
    assert many[ANCHOR].elo == ANCHOR_RATING
    assert many[ANCHOR].half_width == 0
    inside = [abs(many[player].elo - real) <= many[player].half_width for player, real in truth.items()]
    assert sum(inside) >= 13
    assert all(many[player].half_width < few[player].half_width for player in truth if player != ANCHOR)


def test_the_beginning_of_a_fit_does_not_matter() -> None:
    """Earlier ratings only save time."""
    games = simulated({ANCHOR: 1500.0, A: 1600.0, B: 1450.0, C: 1400.0}, 80, Random(1))
    cold, warm = fit(games, 0.0), fit(games, 0.0, fit(games[:40], 0.0))
    assert all(cold[player].elo == pytest.approx(warm[player].elo, abs=0.1) for player in cold)


def test_nothing_and_one_game() -> None:
    """Without games there is the anchor; after one game ratings are finite and in the order of the places."""
    assert fit([], 0.0)[ANCHOR].elo == ANCHOR_RATING
    rated = fit([game((2, 1, 3, 4))], 0.0)
    assert rated[A].elo > rated[ANCHOR].elo > rated[B].elo > rated[C].elo
    assert all(abs(each.elo - ANCHOR_RATING) < 600 for each in rated.values())


def test_equal_places_and_copies() -> None:
    """Players that share the last place stay equal; a bot with two seats is one player."""
    rated = fit([game((1, 4, 4, 4))] * 9, 0.0)
    assert rated[A].elo == pytest.approx(rated[B].elo)
    assert rated[A].elo < ANCHOR_RATING - 100
    rated = fit([game((1, 3, 2, 4), players=(ANCHOR, A, ANCHOR, ANCHOR))] * 40, 0.0)
    assert set(rated) == {ANCHOR, A}
    assert rated[A].elo < ANCHOR_RATING


@each_row(("days", "weight"), [(-1, 1.0), (0, 1.0), (7, 1.0), (67, 0.5), (127, 0.25)])
def test_weights(days: float, weight: float) -> None:
    """A game counts in full for a week, then half as much each 60 days (Floodgate)."""
    assert weight_of(days * DAY) == pytest.approx(weight)


def test_new_games_count_more() -> None:
    """A player that has become better is rated by its newer games."""
    games = [game((1, 4, 2, 3), 0.0)] * 10 + [game((4, 1, 2, 3), 180 * DAY)] * 10
    assert fit(games, 180 * DAY)[A].elo > ANCHOR_RATING + 100
    assert fit(games[10:] + games[:10], 0.0)[A].elo == pytest.approx(ANCHOR_RATING, abs=30)


def indexed(end: str, kinds: str, places: tuple[int, ...]) -> IndexedGame:
    """Return a game of clients ``c``, built-in bots ``b`` and programs of the server ``p``."""
    names = {"c": "client", "b": "bot", "p": "child"}
    players = tuple(
        IndexedPlayer(f"n{seat}", names[kind], "efficiency" if kind == "b" else "ump-0.1")
        for seat, kind in enumerate(kinds)
    )
    result = GameResult((25_000,) * len(kinds), places)
    return IndexedGame("f", "main-1", "main", "1970-01-01T00:01:00Z", 1_000, end, "tenhou", "tonpu", players, result)


@each_row(
    ("end", "kinds", "places", "counted"),
    [
        ("completed", "cccb", (2, 1, 4, 3), (2, 1, 4, 3)),
        ("abandoned", "cbbc", (), (4, 1, 1, 4)),
        ("closed", "cccc", (), None),
        ("stopped", "cccc", (), None),
        ("broken", "cccc", (), None),
        ("completed", "cccp", (2, 1, 4, 3), None),
        ("completed", "bbbb", (2, 1, 4, 3), None),
    ],
)
def test_games_that_count(end: str, kinds: str, places: tuple[int, ...], counted: tuple[int, ...] | None) -> None:
    """Completed and abandoned games count; those that the server has broken off do not."""
    found = [game.result.places for game in rated_games([indexed(end, kinds, places)])]
    assert found == ([] if counted is None else [counted])


def test_players_of_recorded_games() -> None:
    """A built-in bot is known by its kind, a client by its name."""
    (found,) = rated_games([indexed("completed", "cbcc", (1, 2, 3, 4))])
    assert found.players == (LadderPlayer("n0"), ANCHOR, LadderPlayer("n2"), LadderPlayer("n3"))
    assert found.began == 60.0


def test_leaving_saves_nothing() -> None:
    """A player that leaves beside built-in bots is rated as after a last place."""
    left = fit([game(places_after_leaving((True, False, False, False)), players=(A, ANCHOR, ANCHOR, ANCHOR))], 0.0)
    last = fit([game((4, 1, 2, 3), players=(A, ANCHOR, ANCHOR, ANCHOR))], 0.0)
    assert left[A].elo == pytest.approx(last[A].elo)


def test_standings_and_their_course() -> None:
    """Standings computed at once, or round by round, have the same ratings; the course is bounded."""
    games = simulated({ANCHOR: 1500.0, A: 1600.0, B: 1450.0, C: 1400.0}, 150, Random(1))
    at_once = standings_of(games, 9_000.0, NO_STANDINGS)
    assert at_once.order[0] == A
    assert at_once.played[A] == 150
    assert not at_once.is_provisional(A)
    assert len(at_once.course) == 20
    grown = NO_STANDINGS
    for count in range(1, 151):
        grown = standings_of(games[:count], 9_000.0, grown)
    assert len(grown.course) <= MOST_POINTS
    assert grown.course[-1].ratings == grown.ratings
    assert grown.ratings[A].elo == pytest.approx(at_once.ratings[A].elo, abs=0.2)
    assert [point.instant for point in at_once.course] == sorted(point.instant for point in at_once.course)
    assert standings_of(games, 9_000.0, at_once).course == at_once.course
