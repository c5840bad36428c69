"""The ladder of a rated room as data for JSON, as everybody may know it."""

from __future__ import annotations

from ump.ladder.rated_game import Player, RatedGame
from ump.ladder.standings import Standings
from ump.net.overview import FINISHED
from ump.net.rated_rounds import RatedRounds

LAST_GAMES = 50
"""The games of a player that its page lists."""


def ladder_data(room: str, rounds: RatedRounds) -> dict[str, object]:
    """Return the table of a room, the best player first. Instants are seconds since 1970, ratings Elo points."""
    standings = rounds.standings
    return {
        "name": room,
        "every": rounds.every,
        "next": rounds.next,
        "games": len(standings.games),
        "players": [_row(standings, player) for player in standings.order],
    }


def player_data(standings: Standings, player: Player) -> dict[str, object]:
    """Return a row of the table with the course of the rating, and the last games, the newest first."""
    course = [
        [round(point.instant), round(point.ratings[player].elo, 1), round(point.ratings[player].half_width, 1)]
        for point in standings.course
        if player in point.ratings
    ]
    games = [game for game in reversed(standings.games) if player in game.players]
    return _row(standings, player) | {"course": course, "last": [_game(game) for game in games[:LAST_GAMES]]}


def _row(standings: Standings, player: Player) -> dict[str, object]:
    rating = standings.ratings[player]
    return {
        "name": player.name,
        "builtin": player.is_builtin,
        "rating": round(rating.elo, 1),
        "interval": round(rating.half_width, 1),
        "games": standings.played[player],
        "provisional": standings.is_provisional(player),
        "flags": [flag.text for flag in standings.flags if flag.player == player],
    }


def _game(game: RatedGame) -> dict[str, object]:
    return {
        "id": game.file.removesuffix(FINISHED),
        "began": game.began,
        "players": [
            {"name": player.name, "builtin": player.is_builtin, "place": place, "points": points}
            for player, place, points in zip(game.players, game.places, game.points, strict=True)
        ],
    }
