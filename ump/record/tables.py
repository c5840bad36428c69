"""Write recorded games as tidy tables: games, kyoku, wins and decisions, a row for each.

``TABLES`` is the schema, from which the page docs/records.md is made.
"""

from __future__ import annotations

import csv
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, TextIO, TypeVar

from ump.game.game import Game
from ump.model import actions
from ump.model import events as ev
from ump.model.notation import UMP_FACES, format_ump_faces, format_ump_hand
from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.record.journal import write_action
from ump.record.record_format import UNKNOWN_DICE, Carried, Cell, Fact, RecordFormat, Row, carrying, facts_of
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError, scores_after
from ump.record.replay import Replay
from ump.record.text import round_word
from ump.rules.analysis import shanten
from ump.rules.questions import Question

E = TypeVar("E", bound=ev.Event)

# The schema


class ColumnKind(Enum):
    """The type of a column; the value is its name in the documentation."""

    TEXT = "text"
    NUMBER = "integer"
    TRUTH = "true, false"


@value
class Column:
    """A column of a table."""

    name: str
    kind: ColumnKind
    meaning: str
    """With the unit."""


def _for_seats(name: str, kind: ColumnKind, meaning: str) -> Iterator[Column]:
    """Yield a column for each seat: ``points_a``, ``points_b``."""
    for letter in LETTERS:
        yield Column(f"{name}_{letter.lower()}", kind, meaning)


TEXT, NUMBER, TRUTH = ColumnKind.TEXT, ColumnKind.NUMBER, ColumnKind.TRUTH

_GAME = Column("game", TEXT, "name of the record, with its place in an archive, and `#2` for the second game in a file")
_KYOKU = Column("kyoku", NUMBER, "number of the kyoku in the record, from 1")

TABLES: Mapping[str, Sequence[Column]] = {
    "games": (
        _GAME,
        Column("format", TEXT, "key of the format of the record"),
        Column("seats", NUMBER, "number of players"),
        Column("rules", TEXT, "name of the rules"),
        Column("rules_stated", TRUTH, "whether the record says the rules; otherwise they are assumed"),
        Column("length", TEXT, "`kyoku`, `tonpu` or `hanchan`; empty if the record neither says nor shows it"),
        Column("from_start", TRUTH, "whether the record has the first kyoku"),
        Column("ended", TRUTH, "whether the record has the end"),
        Column("kyoku", NUMBER, "kyoku in the record"),
        *_for_seats("name", TEXT, "name of the player"),
        *_for_seats("points", NUMBER, "points at the end, before uma"),
        *_for_seats("place", NUMBER, "place, 1 is the best"),
        *_for_seats("result", NUMBER, "result with uma and oka, in tenths of a thousand points"),
    ),
    "kyoku": (
        _GAME,
        _KYOKU,
        Column("round", TEXT, "`E1` is east 1"),
        Column("honba", NUMBER, "honba"),
        Column("kyotaku", NUMBER, "riichi sticks on the table at the start"),
        Column("dealer", TEXT, "seat of the dealer"),
        *_for_seats("points", NUMBER, "points at the start"),
        Column("dice", TEXT, "the two dice, as in `3 4`; empty if the record has none"),
        Column("indicators", TEXT, "all dora indicators that were revealed"),
        Column("riichi", TEXT, "seats that declared riichi, in order"),
        Column("result", TEXT, "`ron`, `tsumo`, the reason of a draw in UMP's words, or `exhausted`; empty if cut"),
        Column("winners", TEXT, "seats that won, the nearest to the discarder first"),
        Column("tenpai", TEXT, "seats that declared tenpai at an exhaustive draw"),
        Column("draws", NUMBER, "tiles drawn, those of the dealer's first turn and of kans included"),
        Column("left", NUMBER, "tiles left in the live wall at the end"),
        *_for_seats("change", NUMBER, "points won or lost, with honba and riichi sticks"),
        Column("milliseconds", NUMBER, "from its start to its last event, if the record has a clock"),
    ),
    "wins": (
        _GAME,
        _KYOKU,
        Column("win", NUMBER, "number of the win in the kyoku, from 1"),
        Column("winner", TEXT, "seat of the winner"),
        Column("loser", TEXT, "seat that dealt in; empty for a tsumo"),
        Column("liable", TEXT, "seat that pays by pao"),
        Column("dealer", TRUTH, "whether the winner is the dealer"),
        Column("tile", TEXT, "the winning tile"),
        Column("hand", TEXT, "concealed tiles without it, then the melds, in UMP's notation"),
        Column("norths", NUMBER, "norths set aside"),
        Column("riichi", TRUTH, "whether the winner is in riichi"),
        Column("indicators", TEXT, "dora indicators"),
        Column("ura", TEXT, "ura indicators of a win in riichi"),
        Column("yaku", TEXT, "romanised yaku with their han, as in `riichi 1;pinfu 1`"),
        Column("han", NUMBER, "han of all yaku and dora"),
        Column("fu", NUMBER, "rounded fu; empty if unknown, and for a yakuman"),
        Column("yakuman", NUMBER, "how many yakuman; 0 for other hands and for a kazoe yakuman"),
        Column(
            "points", NUMBER, "points of all payers together, without honba and sticks; after pao as if there were none"
        ),
        Column("gain", NUMBER, "points that the winner gets, with honba and sticks"),
        Column("left", NUMBER, "tiles left in the live wall"),
    ),
    "decisions": (
        _GAME,
        _KYOKU,
        Column("decision", NUMBER, "number of the question in the kyoku, from 1"),
        Column("seat", TEXT, "seat of the player that was asked"),
        Column("phase", TEXT, "`turn` after a draw or a call, `call`, `chankan` or `declare`"),
        Column("tile", TEXT, "the tile drawn, or in question; empty after a call"),
        Column("hand", TEXT, "concealed tiles, with the drawn one last, then the melds, in UMP's notation"),
        Column("shanten", NUMBER, "of the concealed tiles; -1 is complete, yaku do not matter"),
        Column("left", NUMBER, "tiles left in the live wall"),
        Column("points", NUMBER, "points of the player now"),
        Column("riichi", TEXT, "seats in riichi"),
        Column("legal", TEXT, "all legal actions, in the words of the journal, with `;` between them"),
        Column("action", TEXT, "the action that was taken; a call that was possible and did not happen is `no`"),
        Column("milliseconds", NUMBER, "since the game began, when it was taken, if the record has a clock"),
    ),
}
"""The columns of each table."""


# Rows


def rows_of(game: RecordedGame, name: str, form: str) -> dict[str, list[Row]]:
    """Return the rows of each table for one game; ``form`` is the key of its format.

    Decisions come from a replay, so there are none if a hand is hidden. Raises RecordError if the record contradicts
    itself.
    """
    key: Row = {"game": name}
    wins: list[Row] = []
    kyoku: list[Row] = []
    for number, recorded in enumerate(game.kyoku, 1):
        here = {**key, "kyoku": number}
        kyoku.append({**here, **_kyoku_row(recorded)})
        wins += [{**here, **row} for row in _win_rows(recorded)]
    decisions: list[Row] = []
    if Fact.HANDS in facts_of(game):
        decisions = [{**key, **row} for row in _decisions(game)]
    return {"games": [{**key, "format": form, **_game_row(game)}], "kyoku": kyoku, "wins": wins, "decisions": decisions}


def _by_seat(name: str, cells: Iterable[Cell]) -> dict[str, Cell]:
    """Return the cells of the columns of all seats."""
    return {f"{name}_{letter.lower()}": cell for letter, cell in zip(LETTERS, cells, strict=False)}


def _events_of(kyoku: RecordedKyoku, kind: type[E]) -> list[E]:
    """Return the events of one kind, in order."""
    return [event for event in kyoku.events if isinstance(event, kind)]


def _seats(seats: Iterable[Seat]) -> str:
    return "".join(LETTERS[seat] for seat in seats)


def _game_row(game: RecordedGame) -> Row:
    length: str | None = None
    if game.length_stated:
        length = game.ruleset.length.value
    ended = game.ended or ev.GameEnded((), (), ())
    return {
        "seats": len(game.names),
        "rules": game.ruleset.name,
        "rules_stated": game.rules_stated,
        "length": length,
        "from_start": game.from_start,
        "ended": game.ended is not None,
        "kyoku": len(game.kyoku),
        **_by_seat("name", game.names),
        **_by_seat("points", ended.points),
        **_by_seat("place", ended.places),
        **_by_seat("result", ended.results),
    }


def _kyoku_row(kyoku: RecordedKyoku) -> Row:
    started = kyoku.started
    tenpai = [event for event in _events_of(kyoku, ev.TenpaiDeclared) if event.tenpai]
    dice: str | None = None
    if list(kyoku.dice) != UNKNOWN_DICE:
        dice = " ".join(map(str, kyoku.dice))
    milliseconds: int | None = None
    if kyoku.times is not None:
        milliseconds = kyoku.times[-1] - kyoku.times[0]
    return {
        "round": round_word(started.bakaze, started.dealer),
        "honba": started.honba,
        "kyotaku": started.kyotaku,
        "dealer": LETTERS[started.dealer],
        **_by_seat("points", started.points),
        "dice": dice,
        "indicators": _indicators(kyoku),
        "riichi": _seats_of(_events_of(kyoku, ev.RiichiDeclared)),
        "result": _result(kyoku),
        "winners": _seats_of(_events_of(kyoku, ev.HandWon)),
        "tenpai": _seats_of(tenpai),
        "draws": len(_events_of(kyoku, ev.TileDrawn)),
        "left": _left(kyoku),
        **_by_seat("change", _changes(kyoku)),
        "milliseconds": milliseconds,
    }


def _indicators(kyoku: RecordedKyoku) -> str:
    return format_ump_faces(event.indicator for event in _events_of(kyoku, ev.DoraRevealed))


def _left(kyoku: RecordedKyoku) -> int | None:
    """Return the tiles left in the live wall; None before the first draw."""
    draws = _events_of(kyoku, ev.TileDrawn)
    if not draws:
        return None
    return draws[-1].left


def _seats_of(events: Sequence[ev.RiichiDeclared | ev.HandWon | ev.TenpaiDeclared]) -> str:
    return _seats(event.seat for event in events)


def _changes(kyoku: RecordedKyoku) -> list[int]:
    """Return the points that each seat won or lost; nothing if the record does not tell."""
    after = scores_after(kyoku)
    if not after.are_known:
        return []
    return [now - before for now, before in zip(after.points, kyoku.started.points, strict=True)]


def _result(kyoku: RecordedKyoku) -> str | None:
    last = kyoku.events[-1]
    match last:
        case ev.HandWon(loser=None):
            return "tsumo"
        case ev.HandWon():
            return "ron"
        case ev.KyokuDrawn():
            return last.reason.value
        case _:
            return None


def _win_rows(kyoku: RecordedKyoku) -> Iterator[Row]:
    indicators, left = _indicators(kyoku), _left(kyoku)
    for number, won in enumerate(_events_of(kyoku, ev.HandWon), 1):
        yield {
            "win": number,
            "winner": LETTERS[won.seat],
            "loser": _letter(won.loser),
            "liable": _letter(won.liable),
            "dealer": won.seat == kyoku.started.dealer,
            "tile": UMP_FACES[won.tile],
            "hand": _won_hand(won),
            "norths": won.norths,
            "riichi": won.riichi,
            "indicators": indicators,
            "ura": format_ump_faces(won.ura),
            **_value_cells(won, kyoku.started),
            "left": left,
        }


def _letter(seat: Seat | None) -> str | None:
    if seat is None:
        return None
    return LETTERS[seat]


def _won_hand(won: ev.HandWon) -> str:
    """Return the hand without the winning tile."""
    concealed = won.faces
    if won.loser is None:
        concealed = concealed[:-1]
    return format_ump_hand(concealed, won.melds)


def _value_cells(won: ev.HandWon, started: ev.KyokuStarted) -> Row:
    """Return what a win is worth, as far as the record says it."""
    worth = won.value
    yakuman: int | None = None
    if worth.han:
        yakuman = worth.yakuman
    points: int | None = None
    if worth.base:
        is_dealer = won.seat == started.dealer
        points = worth.points(len(started.points), is_dealer=is_dealer, is_tsumo=won.loser is None)
    gain: int | None = None
    if won.changes:
        gain = won.changes[won.seat]
    return {
        "yaku": ";".join(f"{yaku.romaji} {han}" for yaku, han in worth.yaku),
        "han": worth.han or None,
        "fu": worth.fu or None,
        "yakuman": yakuman,
        "points": points,
        "gain": gain,
    }


def _decisions(game: RecordedGame) -> list[Row]:
    """Return a row for each question of a game, as a replay asks it."""
    rows: list[Row] = []
    counts = [0] * len(game.kyoku)

    def watch(played: Game, question: Question, action: actions.Action, kyoku: int, event: int) -> None:
        """Add the row of a decision."""
        counts[kyoku] += 1
        times = game.kyoku[kyoku].times
        row: dict[str, Cell] = {"kyoku": kyoku + 1, "decision": counts[kyoku]}
        if times is not None and event < len(times):
            row["milliseconds"] = times[event]
        rows.append({**row, **_decision(played, question, action)})

    Replay(game, answered=watch).run()
    return rows


def _decision(game: Game, question: Question, action: actions.Action) -> Mapping[str, Cell]:
    assert game.kyoku is not None
    board, hand = game.kyoku.board, question.hand
    drawn: Face | None = None
    if question.phase is Phase.TURN:
        drawn = question.tile
    tile: str | None = None
    if question.tile is not None:
        tile = UMP_FACES[question.tile]
    return {
        "seat": LETTERS[question.seat],
        "phase": question.phase.value,
        "tile": tile,
        "hand": format_ump_hand(hand.concealed, hand.melds, drawn=drawn),
        "shanten": shanten(hand.kinds, board.seats),
        "left": board.left,
        "points": board.points[question.seat],
        "riichi": _seats(seat for seat, player in enumerate(board.players) if player.riichi),
        "legal": ";".join(map(write_action, question.legal())),
        "action": write_action(action),
    }


# Files: one for each table, which appears under its name when all is written


UNFINISHED = ".part"
"""The end of the name of a file that is being written."""

ROW_GROUP = 50_000
"""Rows of Parquet that are written at a time."""


class TableFile(ABC):
    """The file of one table. Its methods raise OSError."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self.path = path
        self._columns = columns

    @abstractmethod
    def add(self, rows: Iterable[Row]) -> None:
        """Append rows."""

    @abstractmethod
    def close(self) -> None:
        """Write what waits, and close the file."""


class CsvFile(TableFile):
    """A table as CSV: UTF-8, LF, a line of names first, empty cells for what is unknown, ``true`` and ``false``."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        super().__init__(path, columns)
        self._file: TextIO = open(path, "w", encoding="utf-8", newline="")  # noqa: SIM115
        self._writer = csv.writer(self._file, lineterminator="\n")
        self._writer.writerow(column.name for column in columns)

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows."""
        for row in rows:
            self._writer.writerow([_csv_cell(row.get(column.name)) for column in self._columns])

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _csv_cell(cell: Cell) -> Cell:
    if isinstance(cell, bool):
        return str(cell).lower()
    return cell


class ParquetFile(TableFile):
    """A table as Parquet, written with pyarrow."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        super().__init__(path, columns)
        self._arrow, parquet = _pyarrow()
        types = {
            ColumnKind.TEXT: self._arrow.string(),
            ColumnKind.NUMBER: self._arrow.int64(),
            ColumnKind.TRUTH: self._arrow.bool_(),
        }
        self._schema = self._arrow.schema([(column.name, types[column.kind]) for column in columns])
        self._writer: Any = parquet.ParquetWriter(path, self._schema, compression="zstd")
        self._waiting: list[Row] = []

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows; they are written in groups."""
        self._waiting += rows
        if len(self._waiting) >= ROW_GROUP:
            self._write()

    def close(self) -> None:
        """Write the last group, and close the file."""
        if self._waiting:
            self._write()
        self._writer.close()

    def _write(self) -> None:
        cells: dict[str, list[Cell]] = {}
        for column in self._columns:
            cells[column.name] = [row.get(column.name) for row in self._waiting]
        self._waiting = []
        self._writer.write_table(self._arrow.table(cells, schema=self._schema))


def _pyarrow() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet; raise RecordError if it is not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise RecordError("Parquet needs pyarrow: pip install 'ump-mahjong[tables]'; csv needs nothing") from None
    return pyarrow, parquet


class TableFolder:
    """The files of all tables in a folder. Its methods raise OSError; ``close`` or ``discard`` ends it."""

    def __init__(self, folder: Path, kind: type[TableFile], suffix: str, *, force: bool) -> None:
        """Begin; raise FileExistsError if there are such tables already, unless ``force`` replaces them."""
        folder.mkdir(parents=True, exist_ok=True)
        self._paths = {name: folder / f"{name}{suffix}" for name in TABLES}
        for path in self._paths.values():
            if path.exists() and not force:
                raise FileExistsError(0, "exists; --force replaces it", str(path))
        self._files: dict[str, TableFile] = {}
        try:
            for name, path in self._paths.items():
                self._files[name] = kind(path.with_name(path.name + UNFINISHED), TABLES[name])
        except (OSError, RecordError):
            self.discard()
            raise

    def add(self, rows: Mapping[str, Iterable[Row]]) -> None:
        """Append the rows of a game to each table."""
        for name, file in self._files.items():
            file.add(rows[name])

    def close(self) -> None:
        """Finish all files, and give them their names."""
        for file in self._files.values():
            file.close()
        for name, file in self._files.items():
            os.replace(file.path, self._paths[name])

    def discard(self) -> None:
        """Remove all unfinished files."""
        for file in self._files.values():
            try:
                file.close()
            finally:
                file.path.unlink(missing_ok=True)


# The formats


_CARRIES = carrying(
    {
        Carried.YES: (
            Fact.HANDS,
            Fact.NAMES,
            Fact.RESULTS,
            Fact.SCORES,
            Fact.YAKU,
            Fact.FU,
            Fact.URA,
            Fact.OPEN,
            Fact.DICE,
        ),
        Carried.PARTLY: (Fact.RULES, Fact.TIMES),
    }
)

CSV = RecordFormat(
    key="csv",
    name="CSV",
    suffix=".csv",
    sniff=lambda data: False,
    read=None,
    write=None,
    tabulate=rows_of,
    players=(3, 4),
    carries=_CARRIES,
    needs=frozenset((Fact.HANDS, Fact.TSUMOGIRI)),
)
"""games.csv, kyoku.csv, wins.csv and decisions.csv."""

PARQUET = RecordFormat(
    key="parquet",
    name="Parquet",
    suffix=".parquet",
    sniff=lambda data: False,
    read=None,
    write=None,
    tabulate=rows_of,
    players=(3, 4),
    carries=_CARRIES,
    needs=frozenset((Fact.HANDS, Fact.TSUMOGIRI)),
)
"""The same tables with types, written with pyarrow."""

TABLE_FILES: dict[str, type[TableFile]] = {CSV.key: CsvFile, PARQUET.key: ParquetFile}
"""The class that writes the file of a table in each of these formats."""
