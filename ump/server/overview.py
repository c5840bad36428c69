"""Facts about the rooms of a server that everybody may know: rules, running tables, and players who wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ump.model.value import value
from ump.record.indexed_game import ELSEWHERE, IndexedGame
from ump.wire.dialect import RoomInfo

FINISHED = ".journal.gz"
"""The end of the name of a journal whose game is over."""


@value
class TableOverview:
    """A running table."""

    name: str
    players: tuple[str, ...]
    """The names of its players, by seat."""
    spectators: int


@value
class RoomOverview:
    """A room."""

    info: RoomInfo
    spectating: str
    """The view of spectators: ``masked``, ``open:SECONDS`` or ``none``."""
    waiting: tuple[str, ...]
    """The names of the players who wait, in their order."""
    tables: tuple[TableOverview, ...]


def lobby_data(
    rooms: Sequence[RoomOverview],
    games: Sequence[IndexedGame],
    elsewhere: Sequence[Mapping[str, object]] = (),
    *,
    has_users: bool = False,
) -> dict[str, object]:
    """Return rooms and the last games as data for JSON, and whether users may log in.

    ``elsewhere`` are the rooms of other servers as ``room_data`` returns them. With them the list is in the order of
    the names, so that all servers show the same.
    """
    listed: list[Mapping[str, object]] = [room_data(room) for room in rooms]
    return {
        "rooms": sorted((*listed, *elsewhere), key=lambda room: str(room["name"])) if elsewhere else listed,
        "games": [_game_data(game) for game in games],
        "users": has_users,
    }


def room_data(room: RoomOverview) -> dict[str, object]:
    """Return a room as data for JSON."""
    info = room.info
    return {
        "name": info.name,
        "rules": info.ruleset.name,
        "length": info.ruleset.length.value,
        "seats": info.ruleset.seats,
        "bots": info.bots,
        "access": info.access,
        "rated": info.is_rated,
        "move": info.move,
        "bank": info.bank,
        "spectators": room.spectating,
        "waiting": list(room.waiting),
        "tables": [
            {"name": table.name, "players": list(table.players), "spectators": table.spectators}
            for table in room.tables
        ],
    }


def record_id(file: str) -> str | None:
    """Return the id by which pages ask for a record, or None if another server has it."""
    return None if ELSEWHERE in file else file.removesuffix(FINISHED)


def _game_data(game: IndexedGame) -> dict[str, object]:
    return {
        "id": record_id(game.file),
        "room": game.room,
        "began": game.began,
        "seconds": game.milliseconds // 1_000,
        "end": game.end,
        "rules": game.rules,
        "length": game.length,
        "players": [{"name": player.name, "points": player.points, "place": player.place} for player in game.players],
    }
