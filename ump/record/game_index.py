"""The index of recorded games: a database beside the journals, made from them at any time, or one that servers share.

``games`` has a row for each finished game, ``players`` a row for each seat of it, and ``day_totals`` their sums.
``duplicate_games`` says which games have played the same walls. ``docs/records.md`` lists their columns. The counts of
a game need a whole replay, so a server leaves them empty; ``ump records --players`` fills them in. If their definition
changes, a migration empties them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, replace
from functools import cache
from itertools import combinations, groupby, islice
from math import sqrt
from operator import attrgetter
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import (
    BigInteger,
    BindParameter,
    Column,
    ColumnElement,
    Connection,
    ForeignKeyConstraint,
    Index,
    Insert,
    Integer,
    PrimaryKeyConstraint,
    RowMapping,
    Select,
    Table,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from ump.database.database import PLAIN, Database, DatabasePlace, Schema, file_place, new_metadata
from ump.model.value import value
from ump.record.journal import GameSummary
from ump.record.player_counts import COUNTED, PlayerCounts
from ump.record.player_statistics import PlayerSums, student_95
from ump.table.journal_entries import End
from ump.text.layout import columns, printable, shortened

# Recorded games as the index knows them: filters, the list of ``ump records``, and pairs of duplicate games.

DAY = 10
"""The length of a date in ISO 8601."""

ELSEWHERE = "/"
"""Stands between the id of another folder and the name of a journal."""

UNFINISHED = "unfinished"
"""Stands as ``end`` of a game without an end."""


@value
class GameFilter:
    """Which games to list or count; None takes all."""

    player: str | None = None
    """Games with this player; reports about players then have this one alone."""
    since: str | None = None
    """Games that began on this date or later: the beginning of an instant in ISO 8601."""
    until: str | None = None
    """Games that began on this date or earlier."""
    room: str | None = None
    rules: str | None = None
    """The name of the rules."""
    end: str | None = None

    @property
    def is_within_days(self) -> bool:
        """Whether the games are chosen by instants within a day, which totals cannot tell apart."""
        return any(instant is not None and len(instant) > DAY for instant in (self.since, self.until))


EVERY_GAME = GameFilter()


@value
class IndexedPlayer:
    """A player of a recorded game."""

    name: str
    points: int | None
    place: int | None
    """None if the game was not completed."""
    result: int | None
    """With uma and oka, in tenths of a thousand points; None if the game was not completed."""
    kind: str = "client"
    """The value of its ``PlayerKind``."""
    speaks: str = ""
    """The dialect of a client or child, the policy of a built-in bot."""


@value
class IndexedGame:
    """A recorded game as the index knows it."""

    file: str
    """The name of its journal in the folder, with the id of the folder if that is another server's: ``ID/NAME``."""
    game: str
    room: str
    began: str
    """Date and time in UTC, in ISO 8601."""
    milliseconds: int
    end: str
    rules: str
    length: str
    players: tuple[IndexedPlayer, ...]


@value
class DuplicateResult:
    """The result of a player in a game of a duplicate group."""

    group: str
    games: int
    """The number of games in the complete group."""
    file: str
    name: str
    points: int
    place: int
    result: int
    """With uma and oka, in tenths of a thousand points."""


def indexed(file: str, summary: GameSummary) -> IndexedGame:
    """Return a finished game as the index knows it, by the name of its journal."""
    header, opening, result = summary.header, summary.header.opening, summary.result
    players = (
        IndexedPlayer(
            name,
            None if summary.points is None else summary.points[seat],
            None if result is None else result.places[seat],
            None if result is None else result.results[seat],
            header.players[seat].kind.value,
            header.players[seat].speaks,
        )
        for seat, name in enumerate(opening.players)
    )
    return IndexedGame(
        file=file,
        game=opening.name,
        room=header.room,
        began=header.began,
        milliseconds=summary.duration,
        end=UNFINISHED if summary.end is None else summary.end.value,
        rules=opening.ruleset.name,
        length=opening.ruleset.length.value,
        players=tuple(players),
    )


# The list of ``ump records``


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


# Differences between two players who have played the same walls from every seat
#
# A group of duplicate games is one sample: its games share their walls, so they are not independent of each other.


Averages: TypeAlias = tuple[float, float, float]
"""The average place, points, and result in thousands, of one player over the games of one group."""


@value
class MeanDifference:
    """The mean over groups of what one player has more than another."""

    mean: float
    half: float | None
    """Half of the 95 % interval of the mean, by Student's t; None for fewer than two groups."""

    @classmethod
    def of(cls, samples: Sequence[float]) -> MeanDifference:
        """Return the mean of at least one sample, with its interval."""
        number = len(samples)
        half = student_95(number - 1) * stdev(samples) / sqrt(number) if number > 1 else None
        return cls(fmean(samples), half)


@value
class PlayerPair:
    """Two players, with the differences of the first from the second."""

    first: str
    second: str
    groups: int
    games: int
    place: MeanDifference
    """Below 0: the first player comes before the second."""
    points: MeanDifference
    result: MeanDifference
    """With uma and oka, in thousands of points."""


def pairs(results: Iterable[DuplicateResult], player: str | None = None) -> list[PlayerPair]:
    """Return every pair of players who have completed a group together, those with most groups first.

    ``results`` has those of a group together. With ``player``, only the pairs of this player are returned, who comes
    first in them; else the first of a pair is the one with the better result.
    """
    samples: dict[tuple[str, str], list[tuple[Averages, int]]] = defaultdict(list)
    for _, found in groupby(results, attrgetter("group")):
        group = list(found)
        games = len({each.file for each in group})
        if games == group[0].games:
            for names, differences in _differences(group):
                samples[names].append((differences, games))
    made = [_oriented(_pair(*names, found), player) for names, found in samples.items()]
    chosen = [pair for pair in made if player is None or pair.first == player]
    return sorted(chosen, key=lambda pair: (-pair.groups, pair.first, pair.second))


def _differences(group: Sequence[DuplicateResult]) -> Iterator[tuple[tuple[str, str], Averages]]:
    """Yield each pair of names in a complete group, with the differences of their averages."""
    own: dict[str, list[DuplicateResult]] = defaultdict(list)
    for result in group:
        own[result.name].append(result)
    averages = {name: _averages(results) for name, results in sorted(own.items())}
    for first, second in combinations(averages, 2):
        own_place, own_points, own_result = averages[first]
        place, points, gained = averages[second]
        yield (first, second), (own_place - place, own_points - points, own_result - gained)


def _averages(results: Sequence[DuplicateResult]) -> Averages:
    return (
        fmean(each.place for each in results),
        fmean(each.points for each in results),
        fmean(each.result for each in results) / 10,
    )


def _pair(first: str, second: str, samples: Sequence[tuple[Averages, int]]) -> PlayerPair:
    place, points, result = (MeanDifference.of(each) for each in zip(*(found for found, _ in samples), strict=True))
    return PlayerPair(first, second, len(samples), sum(games for _, games in samples), place, points, result)


def _oriented(pair: PlayerPair, player: str | None) -> PlayerPair:
    """Return a pair with the wanted player first, or else with the better one."""
    if pair.first == player or (pair.second != player and pair.result.mean >= 0):
        return pair
    turned = (MeanDifference(-each.mean, each.half) for each in (pair.place, pair.points, pair.result))
    return PlayerPair(pair.second, pair.first, pair.groups, pair.games, *turned)


def pair_data(pair: PlayerPair) -> dict[str, object]:
    """Return a pair as a flat object, for JSON and CSV; docs/records.md defines each key."""
    data: dict[str, object] = {
        "player": pair.first,
        "against": pair.second,
        "groups": pair.groups,
        "games": pair.games,
    }
    for name in _MEASURES:
        difference: MeanDifference = getattr(pair, name)
        low, high = _bounds(difference)
        data |= {name: round(difference.mean, 4), f"{name}_low": low, f"{name}_high": high}
    return data


def _bounds(difference: MeanDifference) -> tuple[float | None, float | None]:
    if difference.half is None:
        return None, None
    return round(difference.mean - difference.half, 4), round(difference.mean + difference.half, 4)


_MEASURES = {"place": "+.3f", "points": "+,.0f", "result": "+.2f"}
"""The differences of a pair, with the form in which a terminal shows them."""


def pair_lines(found: Sequence[PlayerPair]) -> Iterator[str]:
    """Yield a table with a row for each pair."""
    if not found:
        yield "no complete groups of duplicate games"
        return
    head = ["player", "against", "groups", "games"]
    for name in _MEASURES:
        head += [name, "from", "to"]
    yield from columns([head, *map(_pair_cells, found)], right=range(2, len(head)))


def _pair_cells(pair: PlayerPair) -> list[str]:
    data = pair_data(pair)
    cells = [shortened(printable(pair.first)), shortened(printable(pair.second)), str(pair.groups), str(pair.games)]
    for name, form in _MEASURES.items():
        for key in (name, f"{name}_low", f"{name}_high"):
            cells.append("-" if data[key] is None else format(data[key], form))
    return cells


# The contents of the index of recorded games, its queries and its changes, for SQLite and PostgreSQL alike.

# Tables


METADATA = new_metadata()

GAMES = Table(
    "games",
    METADATA,
    *(Column(name, PLAIN, nullable=False) for name in ("file", "game", "room", "began")),
    Column("milliseconds", Integer, nullable=False),
    *(Column(name, PLAIN, nullable=False) for name in ("end", "rules", "length")),
    PrimaryKeyConstraint("file"),
    Index("games_began", "began"),
)
"""A row for each finished game."""

PLAYERS = Table(
    "players",
    METADATA,
    Column("file", PLAIN, nullable=False),
    Column("seat", Integer, nullable=False),
    *(Column(name, PLAIN, nullable=False) for name in ("name", "kind", "speaks")),
    *(Column(name, Integer) for name in ("points", "place", "result", *COUNTED)),
    PrimaryKeyConstraint("file", "seat"),
    ForeignKeyConstraint(["file"], ["games.file"], ondelete="CASCADE"),
    Index("players_name", "name"),
)
"""A row for each seat of each game."""

Index(
    "players_uncounted",
    PLAYERS.c.file,
    sqlite_where=PLAYERS.c.kyoku.is_(None),
    postgresql_where=PLAYERS.c.kyoku.is_(None),
)
# The few rows without counts, so that a report finds them without a look at every row.

DUPLICATES = Table(
    "duplicate_games",
    METADATA,
    *(Column(name, PLAIN, nullable=False) for name in ("file", "duplicate")),
    *(Column(name, Integer, nullable=False) for name in ("number", "games")),
    PrimaryKeyConstraint("file"),
    ForeignKeyConstraint(["file"], ["games.file"], ondelete="CASCADE"),
)
"""A row for each game of a duplicate group."""

OWNERS = Table(
    "owners",
    METADATA,
    *(Column(name, PLAIN, nullable=False) for name in ("who", "began", "file")),
    Column("seat", Integer, nullable=False),
    PrimaryKeyConstraint("file", "seat"),
    ForeignKeyConstraint(["file"], ["games.file"], ondelete="CASCADE"),
    Index("owners_games", "who", "began", "file"),
)
"""A row for each seat whose player is known again: ``who`` is the hash in the header of the journal."""

KEY = ("name", "room", "rules", "end", "day")
"""The columns by which the totals are kept."""

SUMMED = (
    *("games", "completed", "place_1", "place_2", "place_3", "place_4", "places", "place_squares", "points", "result"),
    *("counted", *COUNTED),
)
"""The sums, in the order of ``PlayerSums``; of the longest answer it is the greatest."""

TOTALS = Table(
    "day_totals",
    METADATA,
    *(Column(name, PLAIN, nullable=False) for name in KEY),
    *(Column(name, BigInteger, nullable=False) for name in SUMMED),
    PrimaryKeyConstraint(*KEY),
    sqlite_with_rowid=False,
)
"""The sums of each player on each day, by room, rules and end."""


# Running totals: what each player did on each day, by room, rules and end
#
# Reports about players add a few of these rows instead of reading a row for every seat of every game. Each change of
# games or players changes them in the same transaction.


LONGEST = "longest_answer"
"""The one count of which a report has the greatest, not the sum."""

_OLD_TRIGGERS = ("totals_add", "totals_change", "totals_remove")
OLD_TOTALS = "player_totals"
"""The totals of versions that kept them by triggers, in SQLite alone."""

_DAY = func.substr(GAMES.c.began, literal_column("1"), literal_column(str(DAY)))
_GROUP: tuple[ColumnElement[str], ...] = (PLAYERS.c.name, GAMES.c.room, GAMES.c.rules, GAMES.c.end, _DAY)


def _is(condition: ColumnElement[bool]) -> ColumnElement[int]:
    """Return 1 for rows of which a condition is true, else 0."""
    return case((condition, literal_column("1")), else_=literal_column("0"))


def _or_0(number: ColumnElement[int]) -> ColumnElement[int]:
    return func.coalesce(number, literal_column("0"))


_PLACE = PLAYERS.c.place
_IS_COMPLETED = _PLACE.is_not(None)

SHARES: dict[str, ColumnElement[int]] = {
    "games": literal_column("1"),
    "completed": _is(_IS_COMPLETED),
    **{f"place_{place}": _is(literal_column(str(place)) == _PLACE) for place in range(1, 5)},
    "places": _or_0(_PLACE),
    "place_squares": _or_0(_PLACE * _PLACE),
    "points": case((_IS_COMPLETED, _or_0(PLAYERS.c.points)), else_=literal_column("0")),
    "result": _or_0(PLAYERS.c.result),
    "counted": _is(PLAYERS.c.kyoku.is_not(None)),
    **{name: _or_0(PLAYERS.c[name]) for name in COUNTED},
}
"""The share of one row of players in each sum."""


def added_up(sign: int = 1) -> list[ColumnElement[int]]:
    """Return the sums over rows of players, in the order of ``PlayerSums``; with the sign -1, to be taken off."""
    factor: ColumnElement[int] = literal_column(str(sign))
    return [
        func.max(SHARES[name]) if name == LONGEST else func.sum(factor * SHARES[name]).label(name) for name in SUMMED
    ]


def _totals(condition: ColumnElement[bool], sign: int = 1) -> Select[*tuple[Any, ...]]:
    """Return the totals of the chosen games."""
    return (
        select(*_GROUP, *added_up(sign))
        .select_from(PLAYERS.join(GAMES, PLAYERS.c.file == GAMES.c.file))
        .where(condition)
        .group_by(*_GROUP)
    )


def count_in(connection: Connection, files: Sequence[str], sign: int = 1) -> None:
    """Add the shares of these games to the totals, or take them off with the sign -1."""
    connection.execute(_entry(connection.dialect.name, sign), {"files": files})


@cache
def _entry(dialect: str, sign: int) -> Insert:
    """Return the statement that adds shares; to build it takes longer than to run it."""
    kind = postgresql if dialect == "postgresql" else sqlite
    entry = kind.insert(TOTALS).from_select([*KEY, *SUMMED], _totals(GAMES.c.file.in_(_FILES), sign))
    more = entry.excluded
    sums = {name: TOTALS.c[name] + more[name] for name in SUMMED if name != LONGEST}
    longest = case((more[LONGEST] > TOTALS.c[LONGEST], more[LONGEST]), else_=TOTALS.c[LONGEST])
    statement: Insert = entry.on_conflict_do_update(index_elements=KEY, set_={**sums, LONGEST: longest})
    return statement


_FILES: BindParameter[Any] = bindparam("files", expanding=True)
_JOINED = PLAYERS.join(GAMES, PLAYERS.c.file == GAMES.c.file)
_GROUPS_OF_FILES = (
    select(*(each.label(name) for each, name in zip(_GROUP, KEY, strict=True)))
    .select_from(_JOINED)
    .where(GAMES.c.file.in_(_FILES))
    .distinct()
)
_DELETE_FILES = delete(GAMES).where(GAMES.c.file.in_(_FILES))
_DELETE_GROUP = delete(TOTALS).where(and_(*(TOTALS.c[name] == bindparam(f"the_{name}") for name in KEY)))
_ADD_GROUP = insert(TOTALS).from_select(
    [*KEY, *SUMMED],
    _totals(and_(*(each == bindparam(f"the_{name}") for each, name in zip(_GROUP, KEY, strict=True)))),
)


def remove(connection: Connection, files: Sequence[str]) -> None:
    """Delete these games, and add the totals of their players on their days up again.

    A game is entered again, and so removed first, only in rare cases.
    """
    groups = connection.execute(_GROUPS_OF_FILES, {"files": files}).mappings().all()
    connection.execute(_DELETE_FILES, {"files": files})
    if groups:
        named = [{f"the_{name}": content for name, content in group.items()} for group in groups]
        connection.execute(_DELETE_GROUP, named)
        connection.execute(_ADD_GROUP, named)


def refill(connection: Connection) -> None:
    """Make all totals anew from the rows of games and players."""
    if connection.dialect.name == "sqlite":
        for trigger in _OLD_TRIGGERS:
            connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {trigger}")
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {OLD_TOTALS}")
    connection.execute(delete(TOTALS))
    connection.execute(insert(TOTALS).from_select([*KEY, *SUMMED], _totals(true())))


# Queries and changes


T = TypeVar("T")

INDEX_SCHEMA = Schema("index", "owners", "games", settle=refill, left_behind=OLD_TOTALS)

AT_ONCE = 500
"""The games of one statement."""

_FOR_SCANS = ("PRAGMA mmap_size = 4294967296", "PRAGMA cache_size = -200000", "PRAGMA temp_store = MEMORY")
"""Settings for reports over many games in SQLite: they halve the time of a large index, and use up to 200 MB."""


def insert_games(connection: Connection, games: Sequence[tuple[str, GameSummary]]) -> list[str]:
    """Enter games in place of those with the same files, without the totals; return the files."""
    newest = dict(games)
    rows: dict[str, list[dict[str, object]]] = defaultdict(list)
    for file, summary in newest.items():
        game = indexed(file, summary)
        rows["games"].append({name: getattr(game, name) for name in GAMES.c.keys()})  # noqa: SIM118
        rows["players"] += [_player_row(file, seat, player) for seat, player in enumerate(game.players)]
        rows["owners"] += [
            {"who": player.token, "began": game.began, "file": file, "seat": seat}
            for seat, player in enumerate(summary.header.players)
            if player.token is not None
        ]
        place = summary.header.opening.duplicate
        if place is not None:
            group = {"file": file, "duplicate": place.group, "number": place.number, "games": place.games}
            rows["duplicate_games"].append(group)
    for table in (GAMES, PLAYERS, DUPLICATES, OWNERS):
        if rows[table.name]:
            connection.execute(insert(table), rows[table.name])
    return list(newest)


def _player_row(file: str, seat: int, player: IndexedPlayer) -> dict[str, object]:
    names = ("name", "kind", "speaks", "points", "place", "result")
    return {"file": file, "seat": seat, **{name: getattr(player, name) for name in names}}


def add_games(connection: Connection, games: Iterable[tuple[str, GameSummary]]) -> None:
    """Enter finished games by their files, in place of entries for the same files."""
    for some in _some(games):
        remove(connection, [file for file, _ in some])
        count_in(connection, insert_games(connection, some))


def rebuild(connection: Connection, games: Iterable[tuple[str, GameSummary]], prefix: str) -> int:
    """Replace all entries whose files begin with the prefix by these games, and return how many they are."""
    connection.execute(delete(TOTALS))
    connection.execute(delete(GAMES).where(_has_prefix(GAMES.c.file, prefix)))
    count = sum(len(insert_games(connection, some)) for some in _some(games))
    refill(connection)
    return count


def find_games(connection: Connection, last: int | None, chosen: GameFilter) -> Iterator[IndexedGame]:
    """Yield the chosen games, or only the last ones, the newest first."""
    conditions = _conditions(chosen)
    if chosen.player is not None:
        conditions.append(GAMES.c.file.in_(select(PLAYERS.c.file).where(PLAYERS.c.name == chosen.player)))
    query = select(GAMES).where(*conditions).order_by(GAMES.c.began.desc(), GAMES.c.file.desc()).limit(last)
    yield from _with_players(connection, query)


def _with_players(connection: Connection, query: Select[*tuple[Any, ...]]) -> Iterator[IndexedGame]:
    """Yield games with their players."""
    columns = (PLAYERS.c.file, *(PLAYERS.c[name] for name in ("name", "points", "place", "result", "kind", "speaks")))
    for some in _some(connection.execute(query).all()):
        seated: dict[str, list[IndexedPlayer]] = defaultdict(list)
        of_games = select(*columns).where(PLAYERS.c.file.in_([row.file for row in some]))
        for file, *player in connection.execute(of_games.order_by(PLAYERS.c.file, PLAYERS.c.seat)):
            seated[file].append(IndexedPlayer(*player))
        yield from (IndexedGame(**row._mapping, players=tuple(seated[row.file])) for row in some)


def find_own_games(
    connection: Connection, who: Sequence[str], before: tuple[str, str] | None, most: int
) -> list[tuple[IndexedGame, int]]:
    """Return the newest games of somebody, each with the seat; ``before`` is ``began`` and ``file`` of a later one."""
    query = select(OWNERS.c.file, OWNERS.c.seat).where(OWNERS.c.who.in_(who))
    if before is not None:
        began, file = before
        is_older = or_(OWNERS.c.began < began, and_(OWNERS.c.began == began, OWNERS.c.file < file))
        query = query.where(is_older)
    query = query.order_by(OWNERS.c.began.desc(), OWNERS.c.file.desc()).limit(most)
    seats = {row.file: row.seat for row in connection.execute(query)}
    games = {game.file: game for game in _with_players(connection, select(GAMES).where(GAMES.c.file.in_([*seats])))}
    return [(games[file], seat) for file, seat in seats.items() if file in games]


OWN_GROUPS: dict[str, ColumnElement[str]] = {
    "all": literal_column("''"),
    "room": GAMES.c.room,
    "month": func.substr(GAMES.c.began, literal_column("1"), literal_column("7")),
}
"""The division of a player's games."""


def find_own_sums(connection: Connection, who: Sequence[str], end: str) -> dict[str, list[PlayerSums]]:
    """Return the sums of somebody over the games with this end, by each of ``OWN_GROUPS``; its value is the name."""
    joined = PLAYERS.join(GAMES, PLAYERS.c.file == GAMES.c.file).join(
        OWNERS, and_(OWNERS.c.file == PLAYERS.c.file, OWNERS.c.seat == PLAYERS.c.seat)
    )
    found = {}
    for name, group in OWN_GROUPS.items():
        query = select(group, *added_up()).select_from(joined).where(OWNERS.c.who.in_(who), GAMES.c.end == end)
        rows = connection.execute(query.group_by(group).order_by(group)).all()
        found[name] = [PlayerSums.of_row(tuple(row)) for row in rows]
    return found


_OWNED = PLAYERS.join(OWNERS, and_(OWNERS.c.file == PLAYERS.c.file, OWNERS.c.seat == PLAYERS.c.seat))


def find_owned_names(connection: Connection, prefix: str) -> list[str]:
    """Return the names of all players who are known again, in files with the prefix."""
    query = select(PLAYERS.c.name).distinct().select_from(_OWNED).where(_has_prefix(PLAYERS.c.file, prefix))
    return list(connection.execute(query.order_by(PLAYERS.c.name)).scalars())


def find_seats(connection: Connection, prefix: str, name: str, who: Sequence[str]) -> list[tuple[str, int]]:
    """Return the files with the prefix, and the seats, of a player of this name who is known by these hashes."""
    is_its = and_(PLAYERS.c.name == name, OWNERS.c.who.in_(who), _has_prefix(PLAYERS.c.file, prefix))
    query = select(PLAYERS.c.file, PLAYERS.c.seat).select_from(_OWNED).where(is_its).order_by(PLAYERS.c.file)
    return [(row.file, row.seat) for row in connection.execute(query)]


def find_players(connection: Connection, chosen: GameFilter) -> list[PlayerSums]:
    """Return the sums of each player over the chosen games, most games first."""
    if connection.dialect.name == "sqlite":
        for pragma in _FOR_SCANS:
            connection.exec_driver_sql(pragma)
    query = _by_rows(chosen) if chosen.is_within_days else _by_totals(chosen)
    return [PlayerSums.of_row(row) for row in connection.execute(query)]


def _by_totals(chosen: GameFilter) -> Select[*tuple[Any, ...]]:
    """Return the query for the sums of each player over the totals."""
    conditions = _conditions(chosen, TOTALS)
    if chosen.player is not None:
        conditions.append(TOTALS.c.name == chosen.player)
    sums = (func.max(TOTALS.c[name]) if name == LONGEST else func.sum(TOTALS.c[name]) for name in SUMMED)
    order = (func.sum(TOTALS.c.games).desc(), TOTALS.c.name)
    return select(TOTALS.c.name, *sums).where(*conditions).group_by(TOTALS.c.name).order_by(*order)


def _by_rows(chosen: GameFilter) -> Select[*tuple[Any, ...]]:
    """Return the query for the sums of each player over the rows of all games, which alone know instants."""
    conditions: list[ColumnElement[bool]] = [PLAYERS.c.file.in_(select(GAMES.c.file).where(*_conditions(chosen)))]
    if chosen.player is not None:
        conditions.append(PLAYERS.c.name == chosen.player)
    # SQLite would read the rows in the order of an index on the plain name, which takes longer.
    name = PLAYERS.c.name if chosen.player is not None else PLAYERS.c.name.concat("")
    query = select(func.min(PLAYERS.c.name), *added_up()).where(*conditions)
    return query.group_by(name).order_by(func.count().desc(), func.min(PLAYERS.c.name))


def find_duplicates(connection: Connection, chosen: GameFilter) -> Iterator[DuplicateResult]:
    """Yield the results of all players in the chosen duplicate games, those of a group together."""
    player = (PLAYERS.c[name] for name in ("name", "points", "place", "result"))
    query = (
        select(DUPLICATES.c.duplicate, DUPLICATES.c.games, GAMES.c.file, *player)
        .select_from(DUPLICATES.join(GAMES).join(PLAYERS, PLAYERS.c.file == GAMES.c.file))
        .where(PLAYERS.c.place.is_not(None), *_conditions(chosen))
        .order_by(DUPLICATES.c.duplicate, DUPLICATES.c.number, PLAYERS.c.seat)
    )
    for row in connection.execute(query):
        yield DuplicateResult(*row)


def find_uncounted(connection: Connection, prefix: str) -> list[str]:
    """Return the files with the prefix whose counts are empty, oldest first."""
    query = select(PLAYERS.c.file).where(PLAYERS.c.kyoku.is_(None), _has_prefix(PLAYERS.c.file, prefix)).distinct()
    return list(connection.execute(query.order_by(PLAYERS.c.file)).scalars())


def set_counts(connection: Connection, games: Iterable[tuple[str, tuple[PlayerCounts, ...]]]) -> None:
    """Enter the counts of games by file and seat."""
    is_seat = (PLAYERS.c.file == bindparam("of_file"), PLAYERS.c.seat == bindparam("at_seat"))
    change = update(PLAYERS).where(*is_seat).values({name: bindparam(f"new_{name}") for name in COUNTED})
    for some in _some(games):
        files = sorted({file for file, _ in some})
        count_in(connection, files, -1)
        connection.execute(
            change,
            [
                {"of_file": file, "at_seat": seat} | _renamed(each)
                for file, counts in some
                for seat, each in enumerate(counts)
            ],
        )
        count_in(connection, files)


def _renamed(counts: PlayerCounts) -> dict[str, int]:
    return {f"new_{name}": number for name, number in zip(COUNTED, astuple(counts), strict=True)}


def _conditions(chosen: GameFilter, table: Table = GAMES) -> list[ColumnElement[bool]]:
    """Return the conditions on games or totals, without the player."""
    began = table.c.began if table is GAMES else table.c.day
    given = {"room": chosen.room, "rules": chosen.rules, "end": chosen.end}
    conditions: list[ColumnElement[bool]] = [
        table.c[name] == wanted for name, wanted in given.items() if wanted is not None
    ]
    if chosen.since is not None:
        conditions.append(began >= chosen.since)
    if chosen.until is not None:
        conditions.append(began < f"{chosen.until}U")  # U follows the T before the time
    return conditions


def _some(rows: Iterable[T]) -> Iterator[list[T]]:
    """Yield rows in lists that one statement takes."""
    left = iter(rows)
    while some := list(islice(left, AT_ONCE)):
        yield some


def _has_prefix(file: Column[str], prefix: str) -> ColumnElement[bool]:
    """Return the condition that a file begins with a prefix such as ``SERVER/``; the digit 0 follows the slash."""
    return true() if not prefix else (file >= prefix) & (file < f"{prefix[:-1]}0")


# Copies with all counts, so that no game has to be read and counted again


def copy_games(source: Connection, target: Connection, prefix: str, progress: Callable[[int], None]) -> int:
    """Enter all games of a folder's own index in another one, in place of entries for the same files.

    ``prefix`` is put before the names of the files. ``progress`` gets the number of games so far, which is returned.
    """
    count = 0
    for games in _games(source):
        files = [row["file"] for row in games]
        named = [f"{prefix}{file}" for file in files]
        remove(target, named)
        target.execute(insert(GAMES), _with_prefix(games, prefix))
        for table in (PLAYERS, DUPLICATES, OWNERS):
            rows = source.execute(select(table).where(table.c.file.in_(files))).mappings().all()
            if rows:
                target.execute(insert(table), _with_prefix(rows, prefix))
        count_in(target, named)
        count += len(files)
        progress(count)
    return count


def _games(source: Connection) -> Iterator[Sequence[RowMapping]]:
    """Yield the rows of all games, some at a time."""
    last = ""
    query = select(GAMES).order_by(GAMES.c.file).limit(AT_ONCE)
    while rows := source.execute(query.where(GAMES.c.file > last)).mappings().all():
        yield rows
        last = rows[-1]["file"]


def _with_prefix(rows: Sequence[RowMapping], prefix: str) -> list[dict[str, object]]:
    return [{**row, "file": f"{prefix}{row['file']}"} for row in rows]


INDEX = "games.sqlite"
"""The name of the database in the folder of journals."""


class GameIndex:
    """The index of one folder. Every method opens and closes its database, so that several programs can share it.

    A database that several folders share has the id of its folder before the name of each file: ``ID/NAME``. Methods
    take and return the plain names of this folder's files. All methods raise DatabaseError.
    """

    def __init__(self, folder: Path, place: DatabasePlace | None = None, folder_id: str = "") -> None:
        """Use the database of the folder itself, or one in another place, which folders share by their ids."""
        self.place = file_place(folder / INDEX) if place is None else place
        self._prefix = f"{folder_id}/" if place is not None else ""
        self._opened: Database | None = None

    def add(self, games: Iterable[tuple[str, GameSummary]]) -> None:
        """Enter finished games by their files, in place of entries for the same files."""
        with self._database.writing() as connection:
            add_games(connection, ((self._prefix + file, summary) for file, summary in games))

    def rebuild(self, games: Iterable[tuple[str, GameSummary]]) -> int:
        """Replace all entries of this folder by these games, and return how many they are."""
        with self._database.writing() as connection:
            return rebuild(connection, ((self._prefix + file, summary) for file, summary in games), self._prefix)

    def games(self, last: int | None = None, chosen: GameFilter = EVERY_GAME) -> Iterator[IndexedGame]:
        """Yield the chosen games, or only the last ones, the newest first."""
        if self._is_missing:
            return
        with self._database.reading() as connection:
            for game in find_games(connection, last, chosen):
                yield replace(game, file=self._own_name(game.file))

    def players(self, chosen: GameFilter = EVERY_GAME) -> list[PlayerSums]:
        """Return the sums of each player over the chosen games, most games first."""
        if self._is_missing:
            return []
        with self._database.reading() as connection:
            return find_players(connection, chosen)

    def own_games(self, who: Sequence[str], before: tuple[str, str] | None, most: int) -> list[tuple[IndexedGame, int]]:
        """Return the newest games of somebody who is known by these hashes, each with the seat.

        ``before`` is ``began`` and ``file`` of the game after them.
        """
        if self._is_missing:
            return []
        later = None if before is None else (before[0], self._prefix + before[1])
        with self._database.reading() as connection:
            found = find_own_games(connection, who, later, most)
        return [(replace(game, file=self._own_name(game.file)), seat) for game, seat in found]

    def own_sums(self, who: Sequence[str]) -> dict[str, list[PlayerSums]]:
        """Return the sums of somebody over all completed games: ``all``, by ``room``, and by ``month``."""
        if self._is_missing:
            return {}
        with self._database.reading() as connection:
            return find_own_sums(connection, who, End.COMPLETED.value)

    def owned_names(self) -> list[str]:
        """Return the names of all players of this folder's games who are known again."""
        if self._is_missing:
            return []
        with self._database.reading() as connection:
            return find_owned_names(connection, self._prefix)

    def games_of(self, name: str, who: Sequence[str]) -> list[tuple[str, int]]:
        """Return the files of this folder with a player of this name who is known by these hashes, with the seats."""
        with self._database.reading() as connection:
            return [(self._own_name(file), seat) for file, seat in find_seats(connection, self._prefix, name, who)]

    def duplicate_results(self, chosen: GameFilter = EVERY_GAME) -> Iterator[DuplicateResult]:
        """Yield the results of all players in the chosen duplicate games, those of a group together.

        Games without a result are left out. The player of ``chosen`` is not a condition.
        """
        if self._is_missing:
            return
        with self._database.reading() as connection:
            for result in find_duplicates(connection, chosen):
                yield replace(result, file=self._own_name(result.file))

    def uncounted(self) -> list[str]:
        """Return the files of this folder's games whose counts are empty, oldest first."""
        if self._is_missing:
            return []
        with self._database.reading() as connection:
            return [self._own_name(file) for file in find_uncounted(connection, self._prefix)]

    def set_counts(self, games: Iterable[tuple[str, tuple[PlayerCounts, ...]]]) -> None:
        """Enter the counts of games by file and seat."""
        with self._database.writing() as connection:
            set_counts(connection, ((self._prefix + file, counts) for file, counts in games))

    def load(self) -> None:
        """Load the libraries now, which take 0.2 seconds: later they would stop the games of a server."""
        import ump.record.game_index  # noqa: F401

        if self._is_missing:  # the first game makes the tables
            import alembic.command
            import alembic.script  # noqa: F401

    def copy_from(self, other: GameIndex, progress: Callable[[int], None]) -> int:
        """Copy all games of a folder's own index to this one, and return how many they are."""
        if other._is_missing:
            return 0
        with other._database.reading() as source, self._database.writing() as target:
            return copy_games(source, target, self._prefix, progress)

    @property
    def _is_missing(self) -> bool:
        """Whether there is nothing to read, so that reading makes no file."""
        return self.place.path is not None and not self.place.path.exists()

    @property
    def _database(self) -> Database:
        if self._opened is None:
            self._opened = Database(self.place, INDEX_SCHEMA)
        return self._opened

    def _own_name(self, file: str) -> str:
        """Return the name of a file in this folder; those of other folders keep their id."""
        return file.removeprefix(self._prefix)
