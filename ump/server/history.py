"""The history of one user or guest: games with replays, and the same figures as ``ump records --players``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from ump.record.game_statistics import wilson_95
from ump.record.indexed_game import IndexedGame
from ump.record.player_statistics import PlayerSums, statistics_data
from ump.server.overview import record_id

MOST_GAMES = 50
"""The games of one page."""

RATES = {
    **{f"place_{place}": (f"place_{place}", "completed") for place in range(1, 5)},
    "win_rate": ("wins", "kyoku"),
    "deal_in_rate": ("deal_ins", "kyoku"),
    "riichi_rate": ("riichi", "kyoku"),
    "call_rate": ("calls", "kyoku"),
}
"""The rates that have intervals: the number of cases, and of what they are a part."""


class OwnGames(Protocol):
    """The index of games, as a history needs it. Each method may take long, and is called in another thread."""

    def own_games(self, who: Sequence[str], before: tuple[str, str] | None, most: int) -> list[tuple[IndexedGame, int]]:
        """Return the newest games of somebody who is known by these hashes, each with the seat."""

    def own_sums(self, who: Sequence[str]) -> dict[str, list[PlayerSums]]:
        """Return the sums of somebody over all completed games: ``all``, by ``room``, and by ``month``."""


def history_data(index: OwnGames, who: Sequence[str], before: tuple[str, str] | None) -> dict[str, object]:
    """Return a page of games, and, with the first page, the figures; raises DatabaseError."""
    found = index.own_games(who, before, MOST_GAMES + 1)
    games = found[:MOST_GAMES]
    last = games[-1][0] if len(found) > MOST_GAMES else None
    data: dict[str, object] = {
        "games": [_game_data(game, seat) for game, seat in games],
        "before": None if last is None else [last.began, last.file],
    }
    if before is None:
        data["figures"] = {name: list(map(_figures, sums)) for name, sums in index.own_sums(who).items()}
    return data


def _game_data(game: IndexedGame, seat: int) -> dict[str, object]:
    return {
        "id": record_id(game.file),
        "began": game.began,
        "room": game.room,
        "rules": game.rules,
        "length": game.length,
        "end": game.end,
        "seat": seat,
        "players": [
            {"name": player.name, "points": player.points, "place": player.place, "result": player.result}
            for player in game.players
        ],
    }


def _figures(sums: PlayerSums) -> dict[str, object]:
    """Return the figures of one group of games, with the intervals of rates; "name" is that of the group."""
    return {**statistics_data(sums), "intervals": _intervals(sums)}


def _intervals(sums: PlayerSums) -> Mapping[str, list[float]]:
    counts = sums.counts
    numbers = {f"place_{place}": times for place, times in enumerate(sums.places, 1)}
    numbers |= {"completed": sums.completed, "wins": counts.wins, "deal_ins": counts.deal_ins}
    numbers |= {"riichi": counts.riichi, "calls": counts.calls, "kyoku": counts.kyoku}
    return {
        name: [round(bound, 4) for bound in wilson_95(numbers[cases], numbers[whole])]
        for name, (cases, whole) in RATES.items()
        if numbers[whole]
    }
