"""Data for pages: rooms, running tables, the last games and ladders for everybody, and the history of one player."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Protocol, assert_never

from ump.model.events import Event
from ump.model.notation import UMP_FACES
from ump.model.seats import Seat
from ump.model.value import value
from ump.record.figures import CALL_RATE, DEAL_IN_RATE, LAST_PLACE, RIICHI_RATE, WIN_RATE, rate, wilson_95
from ump.record.indexed_game import ELSEWHERE, IndexedGame, OwnGame, players_data
from ump.record.player_statistics import PlayerSums, statistics_data
from ump.server.journals import FINISHED
from ump.server.ladder import Beside, Ladder, LadderPlayer, RatedGame, Standings, StrengthChange
from ump.server.people import id_of
from ump.server.seat_tokens import hashes_of_user
from ump.server.settings import NO_REVIEW
from ump.table.opening import Opening
from ump.text.position import Position
from ump.wire.dialect import RoomInfo

MOST_ROWS = 1_000
"""The players that a table lists. Guests may come under any number of names, and everybody may ask for the table."""


MOST_BOARDS = 12
"""The tables whose boards the lobby shows, about half a kilobyte each."""

TSUMOGIRI, RIICHI, CALLED = "_", "*", ">"
"""The marks after a tile in a river."""


@value
class TableOverview:
    """A running table."""

    name: str
    players: tuple[str, ...]
    """The names of its players, by seat."""
    spectators: int
    away: tuple[Seat, ...] = ()
    """The seats whose players have no connection."""


@value
class RoomOverview:
    """A room."""

    info: RoomInfo
    spectating: str
    """The view of spectators: ``masked``, ``open:SECONDS`` or ``none``."""
    waiting: tuple[str, ...]
    """The names of the players who wait, in their order."""
    tables: tuple[TableOverview, ...]
    review: str = NO_REVIEW
    """The policy that reviews its games."""
    house: tuple[str, ...] = ()
    """The kinds of its bots, or the names that the operator gives them."""
    hints: str = ""
    """The help about their hands for which players may ask: the value of its ``HintScope``."""


MOST_LISTED = 50
"""Tables of a room that a page lists: every browser in the lobby reads them again every few seconds."""


def lobby_data(
    rooms: Sequence[RoomOverview],
    games: Sequence[IndexedGame],
    elsewhere: Sequence[Mapping[str, object]],
    *,
    boards: Mapping[str, object],
    has_users: bool,
    tournaments: Sequence[Mapping[str, object]] = (),
    has_all_records: bool = False,
) -> dict[str, object]:
    """Return rooms, running tables and the last games as data for JSON, and whether users may log in.

    ``elsewhere`` are the rooms of other servers as ``room_data`` returns them. With them the list is in the order of
    the names, so that all servers show the same. ``boards`` are those of some tables, by the names of the tables.
    ``tournaments`` are those that are not finished, with ``id`` and ``name``. ``has_all_records``: the games of other
    servers can be opened, too.
    """
    listed: list[Mapping[str, object]] = [room_data(room) for room in rooms]
    if elsewhere:
        of_others = {room["name"] for room in elsewhere}
        own = [room for room in listed if room["name"] not in of_others]
        listed = sorted((*own, *elsewhere), key=itemgetter("name"))
    return {
        "rooms": listed,
        "boards": dict(boards),
        "games": [_game_data(game, has_all_records=has_all_records) for game in games],
        "users": has_users,
        "tournaments": list(tournaments),
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
        "house": list(room.house),
        "hints": room.hints,
        "access": info.access,
        "rated": info.is_rated,
        "move": info.move,
        "bank": info.bank,
        "spectators": room.spectating,
        "review": room.review,
        "waiting": list(room.waiting),
        "running": len(room.tables),
        "watching": sum(table.spectators for table in room.tables),
        "tables": [_table_data(table) for table in room.tables[:MOST_LISTED]],
    }


def _table_data(table: TableOverview) -> dict[str, object]:
    return {
        "name": table.name,
        "players": list(table.players),
        "spectators": table.spectators,
        "away": list(table.away),
    }


def board_data(opening: Opening, events: Iterable[Event]) -> dict[str, object]:
    """Return what lies open on a table after its public events, as data for JSON.

    A river is its tiles in UMP's notation, each with its marks: ``1z5m_9p*``.
    """
    position = Position(None, opening.players, opening.ruleset)
    for event in events:
        position.see(event)
    seen = position.seen
    return {
        "scores": list(seen.points),
        "bakaze": seen.bakaze,
        "dealer": seen.dealer,
        "honba": seen.honba,
        "kyotaku": seen.kyotaku,
        "left": seen.left,
        "dora": [UMP_FACES[face] for face in seen.indicators],
        "riichi": [declared and seat != seen.unpaid for seat, declared in enumerate(seen.in_riichi)],
        "turn": position.turn,
        "last": _last_discarder(position),
        "rivers": [_river_text(seat, position) for seat in range(opening.ruleset.seats)],
    }


def _last_discarder(position: Position) -> Seat | None:
    """Return the seat whose last discard is the newest on the table, or None if it was called."""
    if not position.seen.discards:
        return None
    seat = position.seen.discards[-1].seat
    return None if len(position.seen.rivers[seat]) - 1 in position.called[seat] else seat


def _river_text(seat: Seat, position: Position) -> str:
    return "".join(
        UMP_FACES[each.face]
        + TSUMOGIRI * each.tsumogiri
        + RIICHI * each.riichi
        + CALLED * (place in position.called[seat])
        for place, each in enumerate(position.seen.rivers[seat])
    )


def record_id(file: str, *, is_anywhere: bool = False) -> str | None:
    """Return the id by which pages ask for a record, or None if another server has it.

    ``is_anywhere``: the records of other servers can be opened, too.
    """
    _, elsewhere, name = file.rpartition(ELSEWHERE)
    if elsewhere and not is_anywhere:
        return None
    return name.removesuffix(FINISHED)


def _game_data(game: IndexedGame, *, has_all_records: bool) -> dict[str, object]:
    return {
        "id": record_id(game.file, is_anywhere=has_all_records),
        "room": game.room,
        "began": game.began,
        "seconds": game.milliseconds // 1_000,
        "end": game.end,
        "rules": game.rules,
        "length": game.length,
        "players": [{key: seated[key] for key in ("name", "points", "place")} for seated in players_data(game)],
    }


def ladder_data(room: str, ladder: Ladder) -> dict[str, object]:
    """Return the table of a room, the best player first. Instants are seconds since 1970, ratings Elo points.

    Of more than ``MOST_ROWS`` players, those with the most games are listed.
    """
    standings = ladder.standings
    listed = standings.order
    if len(listed) > MOST_ROWS:
        kept = set(sorted(listed, key=lambda player: -standings.played[player])[:MOST_ROWS])
        listed = [player for player in listed if player in kept]
    return {
        "name": room,
        "every": ladder.every,
        "next": ladder.next_round,
        "games": len(standings.games),
        "players": [_ladder_row(standings, player) for player in listed],
    }


def player_data(standings: Standings, player: LadderPlayer, *, has_all_records: bool = False) -> dict[str, object]:
    """Return a row of the table with the course of the rating, and the last games, the newest first."""
    course = [
        [round(point.instant), round(point.ratings[player].elo, 1), round(point.ratings[player].half_width, 1)]
        for point in standings.course
        if player in point.ratings
    ]
    return _ladder_row(standings, player) | {
        "course": course,
        "last": [_ladder_game(game, has_all_records=has_all_records) for game in standings.last.get(player, ())],
    }


def _ladder_row(standings: Standings, player: LadderPlayer) -> dict[str, object]:
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


def _flag(flag: Beside | StrengthChange) -> dict[str, object]:
    """Return a flag in words, and its parts for pages in other languages."""
    match flag:
        case Beside(sign, _, other, games, excess, p):
            parts = {"sign": sign.value, "other": other.name, "games": games, "excess": round(excess, 2), "p": p}
        case StrengthChange(_, is_above, since):
            parts = {"sign": "above" if is_above else "below", "since": since.removesuffix(FINISHED)}
        case _:
            assert_never(flag)
    return {"text": flag.text, **parts}


def _ladder_game(game: RatedGame, *, has_all_records: bool) -> dict[str, object]:
    players = [
        {"name": player.name, "builtin": player.is_builtin, "place": place, "points": points}
        for player, place, points in zip(game.players, game.result.places, game.result.points, strict=True)
    ]
    record = record_id(game.file, is_anywhere=has_all_records)
    return {"id": record, "began": game.began, "abandoned": game.is_abandoned, "players": players}


# The history of one user or guest: games with replays, and the same figures as ``ump records --players``.

MOST_GAMES = 50
"""The games of one page."""

WITH_INTERVALS = (
    *(rate(f"place_{place}", f"{place}.", f"place_{place}", "completed") for place in range(1, LAST_PLACE + 1)),
    *(WIN_RATE, DEAL_IN_RATE, RIICHI_RATE, CALL_RATE),
)
"""The rates that have intervals."""


class OwnGames(Protocol):
    """The index of games, as a history needs it. Each method may take long, and is called in another thread."""

    def own_games(self, who: Sequence[str], before: tuple[str, str] | None, most: int) -> list[OwnGame]:
        """Return the newest games of somebody who is known by these hashes."""

    def own_sums(self, who: Sequence[str]) -> dict[str, list[PlayerSums]]:
        """Return the sums of somebody over all completed games: ``all``, by ``room``, and by ``month``."""


def history_data(
    index: OwnGames,
    who: Sequence[str],
    before: tuple[str, str] | None,
    seen: Collection[str] = (),
    *,
    has_all_records: bool = False,
) -> dict[str, object]:
    """Return a page of games, and, with the first page, the figures; raises DatabaseError.

    ``seen`` are the ids of the people whom somebody sees now: others in these games stay unknown.
    """
    found = index.own_games(who, before, MOST_GAMES + 1)
    games = found[:MOST_GAMES]
    last = games[-1].game if len(found) > MOST_GAMES else None
    data: dict[str, object] = {
        "games": [_own_game_data(own, seen, has_all_records=has_all_records) for own in games],
        "before": None if last is None else [last.began, last.file],
    }
    if before is None:
        data["figures"] = {name: list(map(_figures, sums)) for name, sums in index.own_sums(who).items()}
    return data


def _own_game_data(own: OwnGame, seen: Collection[str], *, has_all_records: bool) -> dict[str, object]:
    game = own.game
    people = [_person_of(player.name, own.known.get(seat)) for seat, player in enumerate(game.players)]
    shown = [person if person in seen else None for person in people]
    return {
        "id": record_id(game.file, is_anywhere=has_all_records),
        "began": game.began,
        "room": game.room,
        "rules": game.rules,
        "length": game.length,
        "end": game.end,
        "seat": own.seat,
        "annulled": game.is_annulled,
        "players": [each | {"person": person} for each, person in zip(players_data(game), shown, strict=True)],
    }


def _person_of(name: str, known: str | None) -> str | None:
    """Return the id of a person in a record; in the second of two games at a time a guest has another one."""
    if known is None:
        return None
    of_user = hashes_of_user(name)
    return id_of(of_user[0] if known in of_user else known)


def _figures(sums: PlayerSums) -> dict[str, object]:
    """Return the figures of one group of games, with the intervals of rates; "name" is that of the group."""
    return {**statistics_data(sums), "intervals": _intervals(sums)}


def _intervals(sums: PlayerSums) -> Mapping[str, list[float]]:
    numbers = sums.numbers()
    intervals = {}
    for figure in WITH_INTERVALS:
        if numbers[figure.below]:
            low, high = wilson_95(numbers[figure.above], numbers[figure.below])
            intervals[figure.key] = [round(low, 4), round(high, 4)]
    return intervals
