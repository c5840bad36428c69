"""Running totals of the index: what each player did on each day, by room, rules and end.

Reports about players add a few of these rows instead of reading a row for every seat of every game. The database keeps
them itself, by triggers in the transaction of each change, so that no program can forget them.
"""

from __future__ import annotations

import sqlite3

from ump.record.player_counts import COUNTED

LONGEST = "longest_answer"
"""The one count of which a report has the greatest, not the sum."""

DAY = 10
"""The length of a date in ISO 8601. Totals cannot tell instants of one day apart."""

_KEY = ("name", "room", "rules", "end", "day")

_SUMMED = {
    "games": "1",
    "completed": "{row}.place IS NOT NULL",
    **{f"place_{place}": f"IFNULL({{row}}.place = {place}, 0)" for place in range(1, 5)},
    "places": "IFNULL({row}.place, 0)",
    "place_squares": "IFNULL({row}.place * {row}.place, 0)",
    "points": "IIF({row}.place IS NULL, 0, IFNULL({row}.points, 0))",
    "result": "IFNULL({row}.result, 0)",
    "counted": "{row}.kyoku IS NOT NULL",
    **{name: f"IFNULL({{row}}.{name}, 0)" for name in COUNTED if name != LONGEST},
}
"""The columns that are sums, in the order of ``PlayerSums``, with the share of one row of ``players``."""

_GROUP = "games.room, games.rules, games.end, substr(games.began, 1, 10)"
_OTHERS = (*_SUMMED, LONGEST)

SUMS = ", ".join(
    (
        "name",
        *(f"SUM({name})" for name in _SUMMED if name not in COUNTED),
        *(f"{'MAX' if name == LONGEST else 'SUM'}({name})" for name in COUNTED),
    )
)
"""The columns of ``PlayerSums`` over rows of totals."""

_TABLE = (
    f"CREATE TABLE player_totals ({', '.join(f'{name} TEXT NOT NULL' for name in _KEY)}, "
    f"{', '.join(f'{name} INTEGER NOT NULL' for name in _OTHERS)}, PRIMARY KEY ({', '.join(_KEY)})) WITHOUT ROWID"
)


def _shares(row: str) -> str:
    """Return the shares of a row in all columns that are sums, as one list of SQL."""
    return ", ".join(share.format(row=row) for share in _SUMMED.values())


_ADDED_UP = ", ".join(
    (*(f"SUM({share.format(row='players')})" for share in _SUMMED.values()), f"MAX(IFNULL({LONGEST}, 0))")
)
"""The totals of some rows of players."""

_FILL = f"""
    INSERT INTO player_totals
    SELECT name, {_GROUP}, {_ADDED_UP} FROM players JOIN games USING (file) GROUP BY name, {_GROUP}
"""

_ADD = f"""
    CREATE TRIGGER totals_add AFTER INSERT ON players BEGIN
        INSERT INTO player_totals
        SELECT NEW.name, {_GROUP}, {_shares("NEW")}, IFNULL(NEW.{LONGEST}, 0) FROM games WHERE file = NEW.file
        ON CONFLICT DO UPDATE SET {", ".join(f"{name} = {name} + excluded.{name}" for name in _SUMMED)},
            {LONGEST} = MAX({LONGEST}, excluded.{LONGEST});
    END
"""

_CHANGES = ", ".join(
    f"{name} = {name} - ({share.format(row='OLD')}) + ({share.format(row='NEW')})"
    for name, share in _SUMMED.items()
    if name != "games"
)

_CHANGE = f"""
    CREATE TRIGGER totals_change AFTER UPDATE ON players BEGIN
        UPDATE player_totals SET {_CHANGES}, {LONGEST} = MAX({LONGEST}, IFNULL(NEW.{LONGEST}, 0))
        WHERE name = NEW.name AND (room, rules, end, day) = (SELECT {_GROUP} FROM games WHERE file = NEW.file);
    END
"""

_SAME_GROUP = "(OLD.room, OLD.rules, OLD.end, substr(OLD.began, 1, 10))"

_REMOVE = f"""
    CREATE TRIGGER totals_remove BEFORE DELETE ON games BEGIN
        DELETE FROM player_totals WHERE (room, rules, end, day) = {_SAME_GROUP}
            AND name IN (SELECT name FROM players WHERE file = OLD.file);
        INSERT INTO player_totals
        SELECT name, {_GROUP}, {_ADDED_UP} FROM players JOIN games USING (file)
        WHERE name IN (SELECT name FROM players WHERE file = OLD.file)
            AND games.file <> OLD.file AND ({_GROUP}) = {_SAME_GROUP}
        GROUP BY name, {_GROUP};
    END
"""
"""A game that is entered again is removed first, which is rare: its players' totals of the day are made anew."""

_TRIGGERS = ("totals_add", "totals_change", "totals_remove")


def has_totals(database: sqlite3.Connection) -> bool:
    """Tell whether a database keeps totals."""
    return bool(database.execute("SELECT 1 FROM sqlite_master WHERE name = 'player_totals'").fetchone())


def drop_totals(database: sqlite3.Connection) -> None:
    """Forget the totals, and stop keeping them, before many changes in the same transaction."""
    for trigger in _TRIGGERS:
        database.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    database.execute("DROP TABLE IF EXISTS player_totals")


def make_totals(database: sqlite3.Connection) -> None:
    """Add all rows of the index up, and keep the totals from now on."""
    database.execute(_TABLE)
    database.execute(_FILL)
    for trigger in (_ADD, _CHANGE, _REMOVE):
        database.execute(trigger)
