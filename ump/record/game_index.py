"""The index of recorded games: an SQLite database beside the journals, made from them at any time.

``games`` has a row for each finished game, ``players`` a row for each seat of it, and ``player_totals`` their sums.
``duplicate_games`` says which games have played the same walls.
``docs/records.md`` lists their columns. The counts of a game need a whole replay, so a server leaves them empty; ``ump
records --players`` fills them in.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import astuple
from pathlib import Path

from ump.model.value import value
from ump.record.journal.journal_replay import GameSummary
from ump.record.player_counts import COUNTED, PlayerCounts
from ump.record.player_statistics import PlayerSums
from ump.record.player_totals import DAY, LONGEST, SUMS, drop_totals, has_totals, make_totals

INDEX = "games.sqlite"
"""The name of the database in the folder of journals."""

VERSION = 1
"""The version of the counts. If their definition changes, raise it: all games are then counted again."""

UNFINISHED = "unfinished"
"""Stands as ``end`` of a game without an end."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    file TEXT PRIMARY KEY, game TEXT NOT NULL, room TEXT NOT NULL, began TEXT NOT NULL, milliseconds INTEGER NOT NULL,
    end TEXT NOT NULL, rules TEXT NOT NULL, length TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS players (
    file TEXT NOT NULL REFERENCES games ON DELETE CASCADE, seat INTEGER NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, speaks TEXT NOT NULL, points INTEGER, place INTEGER, result INTEGER,
    PRIMARY KEY (file, seat)
);
CREATE TABLE IF NOT EXISTS duplicate_games (
    file TEXT PRIMARY KEY REFERENCES games ON DELETE CASCADE, duplicate TEXT NOT NULL, number INTEGER NOT NULL,
    games INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS games_began ON games (began);
CREATE INDEX IF NOT EXISTS players_name ON players (name);
"""

_UNCOUNTED = "CREATE INDEX IF NOT EXISTS players_uncounted ON players (file) WHERE kyoku IS NULL"
"""The few rows without counts, so that a report finds them without a look at every row."""


_CREATED = ("games", "players", "duplicate_games", "player_totals", "games_began", "players_name", "players_uncounted")
"""All tables and indexes of an index of this version."""

_COMPLETED = "place IS NOT NULL"
"""Whether a row of players is of a completed game."""

_SUMS = ", ".join(
    (
        "name",
        "COUNT(*)",
        "COUNT(place)",
        *(f"SUM(place = {place})" for place in range(1, 5)),
        "SUM(place)",
        "SUM(place * place)",
        f"SUM(points) FILTER (WHERE {_COMPLETED})",
        "SUM(result)",
        "COUNT(kyoku)",
        *(f"{'MAX' if name == LONGEST else 'SUM'}({name})" for name in COUNTED),
    )
)
"""The columns of ``PlayerSums`` over rows of players, for reports that the totals cannot give."""


_FOR_SCANS = ("PRAGMA mmap_size = 4294967296", "PRAGMA cache_size = -200000", "PRAGMA temp_store = MEMORY")
"""Settings for reports over many games: they halve the time of a large index, and use up to 200 MB."""


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

    def conditions(self) -> tuple[list[str], list[str]]:
        """Return SQL conditions on the table ``games``, without the player, and their values."""
        given = {
            "room = ?": self.room,
            "rules = ?": self.rules,
            "end = ?": self.end,
            "began >= ?": self.since,
            "began < ?": None if self.until is None else f"{self.until}U",  # U follows the T before the time
        }
        chosen = {condition: wanted for condition, wanted in given.items() if wanted is not None}
        return list(chosen), list(chosen.values())

    def on_totals(self) -> tuple[list[str], list[str]] | None:
        """Return the conditions, the player among them, on totals; None if they need instants within a day."""
        if any(instant is not None and len(instant) > DAY for instant in (self.since, self.until)):
            return None
        conditions, values = self.conditions()
        conditions = [condition.replace("began", "day") for condition in conditions]
        if self.player is not None:
            conditions.append("name = ?")
            values.append(self.player)
        return conditions, values


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
    """The name of its journal in the folder."""
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
    """How many games the group has when it is complete."""
    file: str
    name: str
    points: int
    place: int
    result: int
    """With uma and oka, in tenths of a thousand points."""


class GameIndex:
    """The database of one folder. Every method opens and closes it, so that several programs can share it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / INDEX

    def add(self, games: Iterable[tuple[str, GameSummary]]) -> None:
        """Enter finished games by their files, in place of entries for the same files; raises sqlite3.Error."""
        with closing(self._connect()) as database, database:
            for file, summary in games:
                _insert(database, file, summary)

    def rebuild(self, games: Iterable[tuple[str, GameSummary]]) -> int:
        """Replace all entries by these games, and return how many they are; raises sqlite3.Error."""
        count = 0
        with closing(self._connect()) as database, database:
            database.execute("BEGIN IMMEDIATE")
            drop_totals(database)
            database.execute("DELETE FROM games")
            for file, summary in games:
                _insert(database, file, summary)
                count += 1
            make_totals(database)
        return count

    def games(self, last: int | None = None, chosen: GameFilter = EVERY_GAME) -> Iterator[IndexedGame]:
        """Yield the chosen games, or only the last ones, the newest first; raises sqlite3.Error."""
        if not self.path.exists():
            return
        limit = -1 if last is None else last
        conditions, values = chosen.conditions()
        if chosen.player is not None:
            conditions.append("file IN (SELECT file FROM players WHERE name = ?)")
            values.append(chosen.player)
        with closing(self._connect()) as database:
            rows = database.execute(
                f"SELECT * FROM games{_where(conditions)} ORDER BY began DESC, file DESC LIMIT ?", (*values, limit)
            )
            for file, game, room, began, milliseconds, end, rules, length in rows.fetchall():
                players = database.execute(
                    "SELECT name, points, place, result, kind, speaks FROM players WHERE file = ? ORDER BY seat",
                    (file,),
                )
                seated = tuple(IndexedPlayer(*player) for player in players)
                yield IndexedGame(file, game, room, began, milliseconds, end, rules, length, seated)

    def players(self, chosen: GameFilter = EVERY_GAME) -> list[PlayerSums]:
        """Return the sums of each player over the chosen games, most games first; raises sqlite3.Error."""
        if not self.path.exists():
            return []
        with closing(self._connect()) as database:
            for pragma in _FOR_SCANS:
                database.execute(pragma)
            return [PlayerSums.of_row(row) for row in database.execute(*_players_query(chosen))]

    def duplicate_results(self, chosen: GameFilter = EVERY_GAME) -> Iterator[DuplicateResult]:
        """Yield the results of all players in the chosen duplicate games, those of a group together.

        Games without a result are left out. The player of ``chosen`` is not a condition. Raises sqlite3.Error.
        """
        if not self.path.exists():
            return
        conditions, values = chosen.conditions()
        query = (
            "SELECT duplicate, duplicate_games.games, file, name, points, place, result FROM duplicate_games "
            f"JOIN games USING (file) JOIN players USING (file){_where([_COMPLETED, *conditions])} "
            "ORDER BY duplicate, number, seat"
        )
        with closing(self._connect()) as database:
            for row in database.execute(query, values):
                yield DuplicateResult(*row)

    def uncounted(self) -> list[str]:
        """Return the files of the games whose counts are empty, oldest first; raises sqlite3.Error."""
        if not self.path.exists():
            return []
        with closing(self._connect()) as database:
            rows = database.execute("SELECT DISTINCT file FROM players WHERE kyoku IS NULL ORDER BY file")
            return [file for (file,) in rows]

    def set_counts(self, games: Sequence[tuple[str, tuple[PlayerCounts, ...]]]) -> None:
        """Enter the counts of games by file and seat; raises sqlite3.Error."""
        places = ", ".join(f"{name} = ?" for name in COUNTED)
        with closing(self._connect()) as database, database:
            database.executemany(
                f"UPDATE players SET {places} WHERE file = ? AND seat = ?",
                ((*astuple(each), file, seat) for file, counts in games for seat, each in enumerate(counts)),
            )

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=30.0)
        database.execute("PRAGMA foreign_keys = ON")
        if _version(database) != VERSION or not _is_complete(database):
            database.executescript(_SCHEMA)
            if _version(database) != VERSION or not has_totals(database):
                _upgrade(database)
            database.execute(_UNCOUNTED)
        return database


def _players_query(chosen: GameFilter) -> tuple[str, list[str]]:
    """Return the query for the sums of each player, and its values: over the totals if they have what is asked."""
    on_totals = chosen.on_totals()
    if on_totals is not None:
        conditions, values = on_totals
        query = f"SELECT {SUMS} FROM player_totals{_where(conditions)} GROUP BY name ORDER BY SUM(games) DESC, name"
        return query, values
    games, values = chosen.conditions()
    conditions = [f"file IN (SELECT file FROM games{_where(games)})"] if games else []
    if chosen.player is not None:
        conditions.append("name = ?")
        values.append(chosen.player)
    table = "players NOT INDEXED" if games and chosen.player is None else "players"  # the index is slower then
    return f"SELECT {_SUMS} FROM {table}{_where(conditions)} GROUP BY name ORDER BY COUNT(*) DESC, name", values


def _where(conditions: Sequence[str]) -> str:
    """Return a WHERE clause; empty without conditions."""
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _is_complete(database: sqlite3.Connection) -> bool:
    """Return whether nothing has to be created: that costs more than a small transaction."""
    names = ", ".join(f"'{name}'" for name in _CREATED)
    (found,) = database.execute(f"SELECT COUNT(*) FROM sqlite_master WHERE name IN ({names})").fetchone()
    return bool(found == len(_CREATED))


def _version(database: sqlite3.Connection) -> int:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    assert isinstance(version, int)
    return version


def _upgrade(database: sqlite3.Connection) -> None:
    """Add what an older index lacks. Where the counts have changed, empty them, so that all games are counted again."""
    with database:
        database.execute("BEGIN IMMEDIATE")
        if _version(database) == VERSION and has_totals(database):  # another program was faster
            return
        drop_totals(database)
        if _version(database) != VERSION:
            present = {row[1] for row in database.execute("PRAGMA table_info(players)")}
            for name in COUNTED:
                if name not in present:
                    database.execute(f"ALTER TABLE players ADD COLUMN {name} INTEGER")
            database.execute(f"UPDATE players SET {', '.join(f'{name} = NULL' for name in COUNTED)}")
            database.execute(f"PRAGMA user_version = {VERSION}")
        make_totals(database)


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


def _insert(database: sqlite3.Connection, file: str, summary: GameSummary) -> None:
    game, header = indexed(file, summary), summary.header
    database.execute("DELETE FROM games WHERE file = ?", (file,))
    database.execute(
        "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (file, game.game, game.room, game.began, game.milliseconds, game.end, game.rules, game.length),
    )
    if header.opening.duplicate is not None:
        place = header.opening.duplicate
        row = (file, place.group, place.number, place.games)
        database.execute("INSERT INTO duplicate_games VALUES (?, ?, ?, ?)", row)
    database.executemany(
        "INSERT INTO players (file, seat, name, kind, speaks, points, place, result) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (file, seat, player.name, kind.kind.value, kind.speaks, player.points, player.place, player.result)
            for seat, (player, kind) in enumerate(zip(game.players, header.players, strict=True))
        ),
    )
