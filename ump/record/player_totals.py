"""Running totals of the index: what each player did on each day, by room, rules and end.

Reports about players add a few of these rows instead of reading a row for every seat of every game. Each change of
games or players changes them in the same transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Insert,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal_column,
    select,
    true,
)
from sqlalchemy.dialects import postgresql, sqlite

from ump.record.index_tables import GAMES, KEY, PLAYERS, SUMMED, TOTALS
from ump.record.indexed_game import DAY
from ump.record.player_counts import COUNTED

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
