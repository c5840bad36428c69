"""The contents of the index of recorded games, its queries and its changes, for SQLite and PostgreSQL alike."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from itertools import islice
from operator import attrgetter
from typing import Any, TypeVar

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
    Row,
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
from sqlalchemy.types import TypeEngine

from ump.database.columns import PLAIN, new_metadata
from ump.database.database import Schema
from ump.model.commitments import DuplicateGame
from ump.model.game_result import GameResult
from ump.record.indexed_game import (
    DAY,
    ELSEWHERE,
    DuplicatePlayed,
    GameFilter,
    IndexedGame,
    IndexedPlayer,
    OwnGame,
    indexed,
)
from ump.record.journal import GameSummary
from ump.record.player_counts import COUNTED, PlayerCounts
from ump.record.player_statistics import PlayerSums

# Tables


METADATA = new_metadata()


def _columns(kind: TypeEngine[Any], *names: str) -> list[Column[Any]]:
    """Return columns of one type that are never empty."""
    return [Column(name, kind, nullable=False) for name in names]


GAMES = Table(
    "games",
    METADATA,
    *_columns(PLAIN, "file", "game", "room", "began"),
    *_columns(Integer(), "milliseconds"),
    *_columns(PLAIN, "end", "rules", "length"),
    PrimaryKeyConstraint("file"),
    Index("games_began", "began"),
)
"""A row for each finished game."""

PLAYERS = Table(
    "players",
    METADATA,
    *_columns(PLAIN, "file"),
    *_columns(Integer(), "seat"),
    *_columns(PLAIN, "name", "kind", "speaks"),
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
    *_columns(PLAIN, "file", "duplicate"),
    *_columns(Integer(), "number", "games"),
    PrimaryKeyConstraint("file"),
    ForeignKeyConstraint(["file"], ["games.file"], ondelete="CASCADE"),
)
"""A row for each game of a duplicate group."""

OWNERS = Table(
    "owners",
    METADATA,
    *_columns(PLAIN, "who", "began", "file"),
    *_columns(Integer(), "seat"),
    PrimaryKeyConstraint("file", "seat"),
    ForeignKeyConstraint(["file"], ["games.file"], ondelete="CASCADE"),
    Index("owners_games", "who", "began", "file"),
)
"""A row for each seat whose player is known again: ``who`` is the hash in the header of the journal."""

ANNULLED = Table(
    "annulled",
    METADATA,
    Column("file", PLAIN, nullable=False),
    PrimaryKeyConstraint("file"),
)
"""A row for each game that counts for no ladder. It stays when games are entered again."""

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
    *_columns(PLAIN, *KEY),
    *_columns(BigInteger(), *SUMMED),
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
    sums: list[ColumnElement[int]] = []
    for name in SUMMED:
        if name == LONGEST:
            sums.append(func.max(SHARES[name]))
        else:
            sums.append(func.sum(factor * SHARES[name]).label(name))
    return sums


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
    sums = {name: TOTALS.c[name] + more[name] for name in SUMMED}
    sums[LONGEST] = case((more[LONGEST] > TOTALS.c[LONGEST], more[LONGEST]), else_=TOTALS.c[LONGEST])
    statement: Insert = entry.on_conflict_do_update(index_elements=KEY, set_=sums)
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


def _is_group(columns: Iterable[ColumnElement[str]]) -> ColumnElement[bool]:
    """Return the condition that these columns, in the order of ``KEY``, are those of a given group."""
    return and_(*(column == bindparam(f"the_{name}") for column, name in zip(columns, KEY, strict=True)))


_DELETE_GROUP = delete(TOTALS).where(_is_group(TOTALS.c[KEY]))
_ADD_GROUP = insert(TOTALS).from_select([*KEY, *SUMMED], _totals(_is_group(_GROUP)))


def remove(connection: Connection, files: Sequence[str]) -> None:
    """Delete these games, and add the totals of their players on their days up again.

    A game is entered again, and so removed first, only in rare cases.
    """
    groups = connection.execute(_GROUPS_OF_FILES, {"files": files}).mappings().all()
    connection.execute(_DELETE_FILES, {"files": files})
    if groups:
        named = [_renamed("the_", group) for group in groups]
        connection.execute(_DELETE_GROUP, named)
        connection.execute(_ADD_GROUP, named)


def _renamed(prefix: str, cells: Mapping[Any, object]) -> dict[str, object]:
    """Return the cells of a row for the parameters with a prefix."""
    return {f"{prefix}{name}": cell for name, cell in cells.items()}


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

INDEX_SCHEMA = Schema("index", "annulled", "games", settle=refill, left_behind=OLD_TOTALS)

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
        for seat, (player, seated) in enumerate(zip(game.players, summary.header.players, strict=True)):
            row = {"file": file, "seat": seat}
            rows["players"].append(row | asdict(player) | asdict(game.result.of(seat)))
            if seated.token is not None:
                rows["owners"].append(row | {"who": seated.token, "began": game.began})
        place = summary.header.opening.duplicate
        if place is not None:
            group = {"file": file, "duplicate": place.group, "number": place.number, "games": place.games}
            rows["duplicate_games"].append(group)
    for table in (GAMES, PLAYERS, DUPLICATES, OWNERS):
        if rows[table.name]:
            connection.execute(insert(table), rows[table.name])
    return list(newest)


def add_games(connection: Connection, games: Iterable[tuple[str, GameSummary]]) -> None:
    """Enter finished games by their files, in place of entries for the same files."""
    for some in _some(games):
        remove(connection, [file for file, _ in some])
        count_in(connection, insert_games(connection, some))


def rebuild(connection: Connection, games: Iterable[tuple[str, GameSummary]], prefix: str) -> int:
    """Replace all entries whose files begin with the prefix by these games, and return how many they are."""
    connection.execute(delete(TOTALS))
    connection.execute(delete(GAMES).where(_has_prefix(GAMES.c.file, prefix)))
    count = 0
    for some in _some(games):
        count += len(insert_games(connection, some))
    refill(connection)
    return count


def find_games(connection: Connection, last: int | None, chosen: GameFilter) -> Iterator[IndexedGame]:
    """Yield the chosen games, or only the last ones, the newest first."""
    conditions = _conditions(chosen)
    if chosen.player is not None:
        conditions.append(GAMES.c.file.in_(select(PLAYERS.c.file).where(PLAYERS.c.name == chosen.player)))
    query = select(GAMES).where(*conditions).order_by(GAMES.c.began.desc(), GAMES.c.file.desc()).limit(last)
    for _, game in _rows_with_games(connection, query):
        yield game


def _rows_with_games(connection: Connection, query: Select[*tuple[Any, ...]]) -> Iterator[tuple[Row[Any], IndexedGame]]:
    """Yield the rows of a query with all columns of games, each with its game."""
    seen = PLAYERS.c["file", "name", "kind", "speaks", "points", "place", "result"]
    for some in _some(connection.execute(query).all()):
        files = [row.file for row in some]
        of_games = select(*seen).where(PLAYERS.c.file.in_(files))
        annulled = set(connection.execute(select(ANNULLED.c.file).where(ANNULLED.c.file.in_(files))).scalars())
        seats: dict[str, list[Row[Any]]] = defaultdict(list)
        for seat in connection.execute(of_games.order_by(PLAYERS.c.file, PLAYERS.c.seat)):
            seats[seat.file].append(seat)
        for row in some:
            game = _game_of_rows(row, seats[row.file])
            yield row, replace(game, is_annulled=row.file in annulled)


def _game_of_rows(row: Row[Any], seats: Sequence[Row[Any]]) -> IndexedGame:
    """Return a game of a row of games, and its rows of players by seat."""
    players = tuple(IndexedPlayer(seat.name, seat.kind, seat.speaks) for seat in seats)
    result = GameResult(_known(seats, "points"), _known(seats, "place"), _known(seats, "result"))
    game = {column.name: row._mapping[column] for column in GAMES.c}
    return IndexedGame(**game, players=players, result=result)


def _known(seats: Sequence[Row[Any]], column: str) -> tuple[int, ...]:
    """Return the numbers of a column, without NULL."""
    numbers = map(attrgetter(column), seats)
    return tuple(number for number in numbers if number is not None)


_NAMED = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-", re.ASCII)
"""The beginning of the name of a journal: when its game began."""


def find_record(connection: Connection, file: str, prefix: str) -> IndexedGame | None:
    """Return the game whose file has this name: in the folder of the prefix, or else in another one."""
    conditions = [GAMES.c.file == f"{prefix}{file}"]
    named = _NAMED.match(file)
    if prefix and named is not None:  # an index on the instant finds it without a look at every game
        year, month, day, hour, minute, second = named.groups()
        is_then = GAMES.c.began == f"{year}-{month}-{day}T{hour}:{minute}:{second}Z"
        conditions.append(is_then & GAMES.c.file.endswith(f"{ELSEWHERE}{file}", autoescape=True))
    for condition in conditions:
        for _, game in _rows_with_games(connection, select(GAMES).where(condition).limit(1)):
            return game
    return None


def set_annulled(connection: Connection, file: str, *, is_annulled: bool) -> None:
    """Let a game count for no ladder, or count again."""
    connection.execute(delete(ANNULLED).where(ANNULLED.c.file == file))
    if is_annulled:
        connection.execute(insert(ANNULLED).values(file=file))


def find_own_games(
    connection: Connection, who: Sequence[str], before: tuple[str, str] | None, most: int
) -> list[OwnGame]:
    """Return the newest games of somebody; ``before`` is ``began`` and ``file`` of a later one."""
    query = select(OWNERS.c.file, OWNERS.c.seat).where(OWNERS.c.who.in_(who))
    if before is not None:
        began, file = before
        is_older = or_(OWNERS.c.began < began, and_(OWNERS.c.began == began, OWNERS.c.file < file))
        query = query.where(is_older)
    query = query.order_by(OWNERS.c.began.desc(), OWNERS.c.file.desc()).limit(most)
    seats = {row.file: row.seat for row in connection.execute(query)}
    chosen = select(GAMES).where(GAMES.c.file.in_([*seats]))
    games = {game.file: game for _, game in _rows_with_games(connection, chosen)}
    known: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for row in connection.execute(select(OWNERS).where(OWNERS.c.file.in_([*seats]))):
        known[row.file][row.seat] = row.who
    return [OwnGame(games[file], seat, known[file]) for file, seat in seats.items() if file in games]


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
        rows = connection.execute(query.group_by(group).order_by(group))
        found[name] = list(map(PlayerSums.of_row, rows))
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
    return list(map(PlayerSums.of_row, connection.execute(query)))


def _by_totals(chosen: GameFilter) -> Select[*tuple[Any, ...]]:
    """Return the query for the sums of each player over the totals."""
    conditions = _conditions(chosen, TOTALS)
    if chosen.player is not None:
        conditions.append(TOTALS.c.name == chosen.player)
    order = (func.sum(TOTALS.c.games).desc(), TOTALS.c.name)
    return select(TOTALS.c.name, *map(_total, SUMMED)).where(*conditions).group_by(TOTALS.c.name).order_by(*order)


def _total(name: str) -> ColumnElement[int]:
    """Return the sum over rows of the totals."""
    if name == LONGEST:
        return func.max(TOTALS.c[name])
    return func.sum(TOTALS.c[name])


def _by_rows(chosen: GameFilter) -> Select[*tuple[Any, ...]]:
    """Return the query for the sums of each player over the rows of all games, which alone know instants."""
    conditions: list[ColumnElement[bool]] = [PLAYERS.c.file.in_(select(GAMES.c.file).where(*_conditions(chosen)))]
    if chosen.player is not None:
        conditions.append(PLAYERS.c.name == chosen.player)
    # SQLite would read the rows in the order of an index on the plain name, which takes longer.
    name = PLAYERS.c.name if chosen.player is not None else PLAYERS.c.name.concat("")
    query = select(func.min(PLAYERS.c.name), *added_up()).where(*conditions)
    return query.group_by(name).order_by(func.count().desc(), func.min(PLAYERS.c.name))


def find_words(connection: Connection, column: str) -> list[str]:
    """Return the words of a column of the totals, those of most games first."""
    word = TOTALS.c[column]
    return list(
        connection.execute(select(word).group_by(word).order_by(func.sum(TOTALS.c.games).desc(), word)).scalars()
    )


def find_duplicates(connection: Connection, chosen: GameFilter) -> Iterator[DuplicatePlayed]:
    """Yield the chosen duplicate games that were completed, those of a group together."""
    order = (DUPLICATES.c.duplicate, DUPLICATES.c.number)
    query = select(GAMES, *order, DUPLICATES.c.games).select_from(DUPLICATES.join(GAMES)).where(*_conditions(chosen))
    for row, game in _rows_with_games(connection, query.order_by(*order)):
        if game.result.places:
            yield DuplicateGame(row.duplicate, row.number, row.games), game


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
        rows = []
        for file, players in some:
            for seat, counts in enumerate(players):
                rows.append({"of_file": file, "at_seat": seat} | _renamed("new_", asdict(counts)))
        connection.execute(change, rows)
        count_in(connection, files)


def _conditions(chosen: GameFilter, table: Table = GAMES) -> list[ColumnElement[bool]]:
    """Return the conditions on games or totals, without the player."""
    began = table.c.began if table is GAMES else table.c.day
    given = {"room": chosen.room, "rules": chosen.rules, "end": chosen.end}
    conditions: list[ColumnElement[bool]] = []
    for name, wanted in given.items():
        if wanted is not None:
            conditions.append(table.c[name] == wanted)
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
        target.execute(delete(ANNULLED).where(ANNULLED.c.file.in_(named)))
        for table in (PLAYERS, DUPLICATES, OWNERS, ANNULLED):
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
