"""The list of ``ump records``, as text and as data for JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ump.record.indexed_game import IndexedGame, IndexedPlayer
from ump.text.text import columns


def records_lines(games: Sequence[IndexedGame]) -> Iterator[str]:
    """Yield a line for each game: when, which, rules, how it ended, and its players from the first place on."""
    if not games:
        yield "no finished games"
        return
    yield from columns([_cells(game) for game in games])


def _cells(game: IndexedGame) -> tuple[str, ...]:
    ranked = sorted(game.players, key=lambda player: player.place or 0)
    return (
        game.began.replace("T", " ").removesuffix("Z"),
        game.game,
        f"{game.rules} {game.length}",
        game.end,
        ", ".join(map(_shown, ranked)),
        game.file,
    )


def _shown(player: IndexedPlayer) -> str:
    """Return a player with its points and, if the game was completed, its result."""
    name = "".join(char if char.isprintable() else "?" for char in player.name)
    points = "" if player.points is None else f" {player.points}"
    result = "" if player.result is None else f" ({player.result / 10:+.1f})"
    return f"{name}{points}{result}"


def records_data(games: Sequence[IndexedGame]) -> dict[str, object]:
    """Return the same list as data for JSON."""
    return {"games": [_data(game) for game in games]}


def _data(game: IndexedGame) -> dict[str, object]:
    return {
        "file": game.file,
        "game": game.game,
        "room": game.room,
        "began": game.began,
        "milliseconds": game.milliseconds,
        "end": game.end,
        "rules": game.rules,
        "length": game.length,
        "players": [
            {"name": player.name, "points": player.points, "place": player.place, "result": player.result}
            for player in game.players
        ],
    }


def records_rows(games: Sequence[IndexedGame]) -> Iterator[dict[str, object]]:
    """Yield the same list for CSV: a row for each player of each game, in the order of seats."""
    for game in games:
        data = _data(game)
        del data["players"]
        for seat, player in enumerate(game.players):
            seated = {"name": player.name, "points": player.points, "place": player.place, "result": player.result}
            yield {**data, "seat": seat, **seated}
