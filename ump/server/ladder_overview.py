"""The ladder of a rated room as data for JSON, as everybody may know it."""

from __future__ import annotations

from typing import assert_never

from ump.server.ladder.beside import Beside
from ump.server.ladder.flags import Change
from ump.server.ladder.rated_game import Player, RatedGame
from ump.server.ladder.standings import Standings
from ump.server.overview import FINISHED, record_id
from ump.server.rated_rounds import RatedRounds

MOST_ROWS = 1_000
"""The players that a table lists. Guests may come under any number of names, and everybody may ask for the table."""


def ladder_data(room: str, rounds: RatedRounds) -> dict[str, object]:
    """Return the table of a room, the best player first. Instants are seconds since 1970, ratings Elo points.

    Of more than ``MOST_ROWS`` players, those with the most games are listed.
    """
    standings = rounds.standings
    listed = standings.order
    if len(listed) > MOST_ROWS:
        kept = set(sorted(listed, key=lambda player: -standings.played[player])[:MOST_ROWS])
        listed = [player for player in listed if player in kept]
    return {
        "name": room,
        "every": rounds.every,
        "next": rounds.next,
        "games": len(standings.games),
        "players": [_row(standings, player) for player in listed],
    }


def player_data(standings: Standings, player: Player) -> dict[str, object]:
    """Return a row of the table with the course of the rating, and the last games, the newest first."""
    course = [
        [round(point.instant), round(point.ratings[player].elo, 1), round(point.ratings[player].half_width, 1)]
        for point in standings.course
        if player in point.ratings
    ]
    return _row(standings, player) | {"course": course, "last": list(map(_game, standings.last.get(player, ())))}


def _row(standings: Standings, player: Player) -> dict[str, object]:
    rating = standings.ratings[player]
    return {
        "name": player.name,
        "builtin": player.is_builtin,
        "rating": round(rating.elo, 1),
        "interval": round(rating.half_width, 1),
        "games": standings.played[player],
        "provisional": standings.is_provisional(player),
        "flags": [_flag(flag) for flag in standings.flags if flag.player == player],
    }


def _flag(flag: Beside | Change) -> dict[str, object]:
    """Return a flag in words, and its parts for pages in other languages."""
    match flag:
        case Beside(sign, _, other, games, excess, p):
            parts = {"sign": sign.value, "other": other.name, "games": games, "excess": round(excess, 2), "p": p}
        case Change(_, is_above, since):
            parts = {"sign": "above" if is_above else "below", "since": since.removesuffix(FINISHED)}
        case _:
            assert_never(flag)
    return {"text": flag.text, **parts}


def _game(game: RatedGame) -> dict[str, object]:
    return {
        "id": record_id(game.file),
        "began": game.began,
        "players": [
            {"name": player.name, "builtin": player.is_builtin, "place": place, "points": points}
            for player, place, points in zip(game.players, game.places, game.points, strict=True)
        ],
    }
