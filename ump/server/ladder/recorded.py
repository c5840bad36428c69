"""Rated games from the index of recorded games: the ratings are computed from the records, and kept nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from ump.record.indexed_game import IndexedGame, IndexedPlayer
from ump.record.journal import PlayerKind
from ump.server.ladder.rated_game import Player, RatedGame, places_after_leaving
from ump.table.outcomes import End


def rated_games(games: Iterable[IndexedGame]) -> Iterator[RatedGame]:
    """Yield those games that count, in the same order.

    A completed game counts, also for players that have left it: the table has played their seats to the end. A game
    that all clients have left counts by ``places_after_leaving``. Games that the server or its operator has broken off
    do not count, nor do those with programs that the server has started.
    """
    for game in games:
        places = _places(game)
        if places is not None:
            yield RatedGame(
                file=game.file,
                began=datetime.fromisoformat(game.began).timestamp(),
                players=tuple(map(_player, game.players)),
                places=places,
                points=tuple(player.points or 0 for player in game.players),
            )


def _places(game: IndexedGame) -> tuple[int, ...] | None:
    """Return the places by seat, or None if the game does not count."""
    kinds = [player.kind for player in game.players]
    if PlayerKind.CHILD.value in kinds or PlayerKind.CLIENT.value not in kinds:
        return None
    if game.end == End.ABANDONED.value:
        return places_after_leaving(tuple(kind == PlayerKind.CLIENT.value for kind in kinds))
    places = tuple(player.place for player in game.players if player.place is not None)
    return places if game.end == End.COMPLETED.value and len(places) == len(kinds) else None


def _player(player: IndexedPlayer) -> Player:
    """Return the player of the ladder that sat at a seat."""
    if player.kind == PlayerKind.BOT.value:
        return Player(player.speaks, is_builtin=True)
    return Player(player.name)
