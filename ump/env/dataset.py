"""Data sets: the decisions of recorded games, and the Parquet shards into which they are written.

A decision is what a seat saw, could do and did, and what came of it. A replay through the engine asks the questions;
the records themselves only have events. Writing needs the extra ``tables``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

from ump.env.action_ids import ACTION_NAMES, ACTIONS, LegalIds, action_id
from ump.env.episode import Start
from ump.env.extras import EVENTS, EventRows, Moment, arrays_of, extras_at
from ump.env.rows import ENCODING, ROWS, SHAPE, SIZE, TableRows
from ump.game.game import Game, GameState
from ump.model.actions import Action, Discard, Riichi
from ump.model.events import Event, HandWon, KanDeclared, KitaDeclared, TileCalled, TileDiscarded, TileDrawn
from ump.model.seats import Seat
from ump.model.value import value
from ump.record.conversion import with_rules
from ump.record.formats import content, named, read_games, sniffed
from ump.record.journal import write_action
from ump.record.physical_tiles import deal_of, with_copies
from ump.record.record_files import RecordSource, read_source, unpacked
from ump.record.record_format import Fact, facts_of
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError, scores_after
from ump.record.replay import Replay
from ump.record.tables import UNFINISHED
from ump.rules.questions import Question
from ump.rules.ruleset import Ruleset


class KeptDecisions(Enum):
    """The decisions that a data set has."""

    DECISIONS = "decisions"
    """All of them."""
    DISCARDS = "discards"
    """Those that discard a tile, with or without riichi."""


@value
class Selection:
    """The format and rules of records, and the decisions of them that are kept; it can be pickled."""

    kept: KeptDecisions = KeptDecisions.DECISIONS
    source: str | None = None
    """The key of the format to read; None: the one that the record looks like."""
    rules: Ruleset | None = None
    """The rules of records that do not state them; None: those that the reader assumes."""
    extras: tuple[str, ...] = ()
    """The groups of additional columns, see ``ump.env.extras``."""


@dataclass
class Decisions:
    """The decisions of one game by column; the entries of all lists belong to the same decisions."""

    game: str
    """The name of the record, and ``#2`` for the second game in a file."""
    seats: int
    kyoku: list[int] = field(default_factory=list)
    number: list[int] = field(default_factory=list)
    seat: list[int] = field(default_factory=list)
    phase: list[str] = field(default_factory=list)
    observation: bytearray = field(default_factory=bytearray)
    """``ump.env.rows.SIZE`` bytes for each decision."""
    mask: bytearray = field(default_factory=bytearray)
    """``ACTIONS`` bytes for each decision."""
    action: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    change: list[int | None] = field(default_factory=list)
    points: list[int | None] = field(default_factory=list)
    place: list[int | None] = field(default_factory=list)
    dealt_in: list[bool] = field(default_factory=list)
    """Whether somebody won on the tile of the decision."""
    extras: list[bytearray] = field(default_factory=list)
    """The bytes of each additional column, for all decisions."""
    room: str = ""
    ranks: tuple[int | None, ...] = ()
    """The ranks of the players, by seat; empty if the record has none."""
    ratings: tuple[float | None, ...] = ()
    left_out: int = 0
    """Kyoku that the replay did not follow to their end, because the record contradicts the rules."""

    def __len__(self) -> int:
        return len(self.action)


@value
class Encoded:
    """The result for one file."""

    name: str
    games: tuple[Decisions, ...] = ()
    problem: str = ""
    """Why the file has no decisions, in one line; empty if it has."""


def encode_source(source: RecordSource, selection: Selection) -> Encoded:
    """Encode the decisions of all games in one file; a file that is unreadable gets a result, too."""
    try:
        return Encoded(source.name, _games(source.name, read_source(source), selection))
    except RecordError as error:
        return Encoded(source.name, problem=str(error))


def _games(name: str, data: bytes, selection: Selection) -> tuple[Decisions, ...]:
    """Return the decisions of all games in the bytes of a file; raise RecordError if it cannot be read or replayed."""
    data = content(unpacked(data))
    source = sniffed(data) if selection.source is None else named(selection.source)
    found = []
    for number, game in enumerate(read_games(data, source), 1):
        given = with_rules(game, selection.rules)
        if Fact.HANDS not in facts_of(given):
            raise RecordError("decisions need all hands and draws, which this record hides")
        try:
            title = name if number == 1 else f"{name}#{number}"
            found.append(decisions(given, title, selection.kept, selection.extras))
        except RecordError:
            raise
        except ValueError as error:  # a tile that a hand does not have, a pon that does not exist
            raise RecordError(f"the moves contradict each other; ump verify says where ({error})") from None
    return tuple(found)


def decisions(
    game: RecordedGame, name: str, kept: KeptDecisions = KeptDecisions.DECISIONS, extras: tuple[str, ...] = ()
) -> Decisions:
    """Return the decisions of a game, in the order in which a replay asks them, with groups of additional columns.

    If the record contradicts the rules, the rest of that kyoku is left out. Raises RecordError if no wall fits.
    """
    watcher = _Watcher(game, name, kept, extras)
    replayed = Replay(game, answered=watcher.answered).run()
    watcher.found.left_out = replayed.left_out
    return watcher.found


def recorded_start(game: RecordedGame, kyoku: int, decision: int = 1) -> Start:
    """Return the start of an episode at a decision of a record; both numbers count as in a data set, from 1.

    Raises ValueError if there is no such decision, RecordError if no wall fits.
    """
    if not 1 <= kyoku <= len(game.kyoku):
        raise ValueError(f"the record has {len(game.kyoku)} kyoku, no {kyoku}")
    one = with_copies(game.kyoku[kyoku - 1], game.ruleset)
    answers: list[Action] = []
    alone = replace(game, kyoku=(one,), from_start=False)
    Replay(alone, answered=lambda _game, _question, action, _kyoku, _event: answers.append(action)).run()
    if not 1 <= decision <= len(answers):
        raise ValueError(f"kyoku {kyoku} has {len(answers)} decisions, no {decision}")
    at = one.started
    standing = GameState(at.points, at.bakaze, at.dealer, at.honba, at.kyotaku)
    return Start(standing, deal_of(one, game.ruleset.seats), tuple(answers[: decision - 1]))


class _Watcher:
    """Looks at the table from the seats that a replay asks."""

    def __init__(self, game: RecordedGame, name: str, kept: KeptDecisions, extras: tuple[str, ...]) -> None:
        self.found = Decisions(name, len(game.names), room=game.room, ranks=game.ranks, ratings=game.ratings)
        self.found.extras = [bytearray() for _ in arrays_of(extras)]
        self._extras = extras
        self._event_rows: dict[Seat, EventRows] = {}
        self._game = game
        self._kept = kept
        self._kyoku = -1
        self._asked = 0
        """The questions of this kyoku so far."""
        self._table = TableRows(game.ruleset)
        self._seen = 0
        """The number of events of the kyoku that the rows have seen."""
        self._changes: Sequence[int | None] = ()

    def answered(self, game: Game, question: Question, action: Action, kyoku: int, event: int) -> None:
        """Take an answer that the record has to a question, before the engine judges it."""
        if kyoku != self._kyoku:
            self._kyoku, self._asked, self._seen = kyoku, 0, 0
            self._changes = _changes(self._game.kyoku[kyoku])
            self._event_rows = {}
        self._asked += 1
        if question.refusal(action) is not None:
            return  # the replay reports it, and leaves out the rest of the kyoku
        if self._kept is KeptDecisions.DISCARDS and not isinstance(action, Discard | Riichi):
            return
        self._table.see(self._game.kyoku[kyoku].events[self._seen : event])
        self._seen = event
        self._keep(question, action)
        if self._extras:
            self._keep_extras(game, question.seat)

    def _keep_extras(self, game: Game, seat: Seat) -> None:
        assert game.kyoku is not None
        events = self._game.kyoku[self._kyoku].events
        rows = self._event_rows.setdefault(seat, EventRows(seat, len(self._game.names)))
        if EVENTS in self._extras:
            rows.follow(events[: self._seen])
        moment = Moment(game.kyoku.board, seat, rows)
        for column, numbers in zip(self.found.extras, extras_at(self._extras, moment), strict=True):
            column += numbers
        self.found.dealt_in.append(_is_won_on(events[self._seen :], seat))

    def _keep(self, question: Question, action: Action) -> None:
        found, seat, ended = self.found, question.seat, self._game.ended
        found.kyoku.append(self._kyoku + 1)
        found.number.append(self._asked)
        found.seat.append(seat)
        found.phase.append(question.phase.value)
        found.observation += self._table.of(seat, question)
        found.mask += LegalIds(question, self._table.faces(seat)).mask
        found.action.append(action_id(action, question.tile))
        found.words.append(write_action(action))
        found.change.append(self._changes[seat])
        found.points.append(None if ended is None else ended.points[seat])
        found.place.append(ended.places[seat] if ended is not None and ended.places else None)


def _is_won_on(following: Sequence[Event], seat: Seat) -> bool:
    """Tell whether the tile that a seat gives next is the one that somebody wins on."""
    has_given = False
    for event in following:
        if isinstance(event, HandWon):
            return has_given and event.loser == seat
        is_given = isinstance(event, TileDiscarded | KanDeclared | KitaDeclared)
        if isinstance(event, TileDrawn | TileCalled) or (is_given and has_given):
            return False
        has_given = has_given or is_given
    return False


def _changes(kyoku: RecordedKyoku) -> Sequence[int | None]:
    """Return the points that each seat won or lost in a kyoku, None if the record lacks its end."""
    before = kyoku.started.points
    if not kyoku.complete:
        return [None] * len(before)
    return [now - then for now, then in zip(scores_after(kyoku).points, before, strict=True)]


# Shards

SCHEMA = 2
"""The version of the columns and of the manifest."""

MANIFEST = "manifest.json"

COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("game", "string", "name of the record, with its place in an archive, and `#2` for the second game in a file"),
    ("kyoku", "int16", "number of the kyoku in the record, from 1"),
    ("decision", "int16", "number of the question in the kyoku, from 1"),
    ("seats", "int8", "number of players"),
    ("seat", "int8", "seat of the player that was asked; 0 is the first dealer"),
    ("phase", "string", "`turn` after a draw or a call, `call`, `chankan` or `declare`"),
    ("observation", f"binary[{SIZE}]", "the rows, one byte for each number"),
    ("action_mask", f"binary[{ACTIONS}]", "1 for each legal action id, otherwise 0"),
    ("action", "int16", "id of the action that was taken"),
    ("action_words", "string", "the same in the words of the journal, which tell tsumogiri"),
    (
        "kyoku_change",
        "int32",
        "points that the player won or lost in the kyoku, with honba and riichi sticks; null if its end is missing",
    ),
    ("game_points", "int32", "points of the player at the end of the game, before uma; null if the record has no end"),
    ("game_place", "int8", "place of the player in the game, 1 is the best; null if the record has no places"),
    (
        "room",
        "string",
        "room of the game: the name in journals; `ippan`, `joukyuu`, `tokujou`, `houou` or `lobby` and its number at"
        " Tenhou; the number of the mode at Mahjong Soul (12: jade, south); empty if the record does not say",
    ),
    (
        "rank",
        "int32",
        "rank of the player that was asked: at Tenhou 0 is a newcomer, 1 to 9 are 9 kyuu to 1 kyuu, 10 to 19 are 1 dan"
        " to 10 dan, 20 is tenhoui; at Mahjong Soul the id of the level (10301: expert 1); null if the record does not"
        " say",
    ),
    ("rating", "float32", "rating of that player at Tenhou, 1500 is a newcomer's; null if the record does not say"),
)
"""Name, type and meaning of each column."""


DEALT_IN = ("dealt_in", "bool_")
"""The column that data sets with extras have: whether somebody won on the tile of the decision."""

REPEATED = ("game", "phase", "action_words", "room")
"""Columns with few different values."""

ROW_GROUP = 20_000
"""A row group has at least so many decisions, 60 MB, but for the last one of a shard."""


class DatasetError(ValueError):
    """A data set that cannot be written."""


class Shards:
    """The shards of a data set in a folder; ``close`` completes it with a manifest, ``discard`` removes it.

    Until then their names mark them as unfinished, and a data set that they replace stays. The decisions of a game stay
    together. The methods raise OSError.
    """

    def __init__(
        self, folder: Path, kept: KeptDecisions, rows: int, *, extras: tuple[str, ...] = (), force: bool
    ) -> None:
        """Begin a data set of shards with at least ``rows`` decisions each, but for the last one.

        Raises DatasetError if the folder has one already, unless ``force`` replaces it, and without pyarrow.
        """
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise DatasetError("data sets need pyarrow: pip install 'ump-mahjong[tables]'") from None
        self._arrow, self._parquet = pyarrow, parquet
        self._extras = extras
        self._arrays = arrays_of(extras)
        columns = [(name, kind) for name, kind, _ in COLUMNS]
        columns += [(array.name, f"binary[{array.size}]") for array in self._arrays]
        columns += [DEALT_IN] if extras else []
        self._schema = pyarrow.schema([(name, _arrow_type(pyarrow, kind)) for name, kind in columns])
        self._folder, self._kept, self._most = folder, kept, rows
        folder.mkdir(parents=True, exist_ok=True)
        old = self._present()
        if old and not force:
            raise DatasetError(f"{old[0]} exists; --force replaces the data set")
        self._writer: Any = None
        self._waiting: list[Any] = []
        """Tables of games that are not written yet."""
        self._rows: list[int] = []
        self.games = self.decisions = self.left_out = 0

    @property
    def count(self) -> int:
        """The number of shards so far."""
        return len(self._rows)

    def add(self, game: Decisions) -> None:
        """Append the decisions of a game."""
        self.games += 1
        self.left_out += game.left_out
        if not len(game):
            return
        if self._writer is None:
            self._rows.append(0)
            path = _unfinished(self._path(self.count - 1))
            self._writer = self._parquet.ParquetWriter(
                str(path), self._schema, compression="zstd", use_dictionary=[*REPEATED]
            )
        self._waiting.append(self._table(game))
        self._rows[-1] += len(game)
        self.decisions += len(game)
        if sum(map(len, self._waiting)) >= ROW_GROUP:
            self._write()
        if self._rows[-1] >= self._most:
            self._finish()

    def close(self) -> None:
        """Complete the last shard, write the manifest, and put them in the place of an older data set."""
        self._finish()
        manifest = self._folder / MANIFEST
        written = [*map(self._path, range(self.count)), manifest]  # without its manifest a data set is incomplete
        _unfinished(manifest).write_text(json.dumps(self._manifest(), indent=2) + "\n", encoding="utf-8")
        manifest.unlink(missing_ok=True)
        for path in {*self._present()} - {*map(_unfinished, written)}:
            path.unlink()
        for path in written:
            os.replace(_unfinished(path), path)

    def discard(self) -> None:
        """Remove all shards of an interrupted data set."""
        with suppress(OSError):  # a full disk
            self._finish()
        for path in [*map(self._path, range(self.count)), self._folder / MANIFEST]:
            _unfinished(path).unlink(missing_ok=True)

    def _present(self) -> list[Path]:
        """Return the files of data sets in the folder, finished or not."""
        shards = [path for each in KeptDecisions for path in sorted(self._folder.glob(f"{each.value}-*.parquet*"))]
        return [*shards, *self._folder.glob(f"{MANIFEST}*")]

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._kept.value}-{number:05}.parquet"

    def _write(self) -> None:
        """Write the games that wait as one row group: small ones are slow to read."""
        if self._waiting:
            self._writer.write_table(self._arrow.concat_tables(self._waiting))
            self._waiting = []

    def _finish(self) -> None:
        if self._writer is not None:
            self._write()
            self._writer.close()
            self._writer = None

    def _table(self, game: Decisions) -> Any:
        size = len(game)
        columns: dict[str, Any] = {
            "game": [game.game] * size,
            "kyoku": game.kyoku,
            "decision": game.number,
            "seats": [game.seats] * size,
            "seat": game.seat,
            "phase": game.phase,
            "observation": self._binary(game.observation, SIZE),
            "action_mask": self._binary(game.mask, ACTIONS),
            "action": game.action,
            "action_words": game.words,
            "kyoku_change": game.change,
            "game_points": game.points,
            "game_place": game.place,
            "room": [game.room] * size,
            "rank": [game.ranks[seat] if game.ranks else None for seat in game.seat],
            "rating": [game.ratings[seat] if game.ratings else None for seat in game.seat],
        }
        for array, numbers in zip(self._arrays, game.extras, strict=True):
            columns[array.name] = self._binary(numbers, array.size)
        if self._arrays:
            columns[DEALT_IN[0]] = game.dealt_in
        return self._arrow.table(columns, schema=self._schema)

    def _binary(self, numbers: bytearray, size: int) -> Any:
        """Return a column of equally long pieces of bytes, without copying them."""
        arrow = self._arrow
        count = len(numbers) // size
        return arrow.FixedSizeBinaryArray.from_buffers(arrow.binary(size), count, [None, arrow.py_buffer(numbers)])

    def _manifest(self) -> dict[str, Any]:
        """Return what a reader needs to know, for JSON."""
        return {
            "schema": SCHEMA,
            "encoding": ENCODING,
            "kind": self._kept.value,
            "observation_shape": list(SHAPE),
            "observation_rows": [{"name": row.name, "most": row.most} for row in ROWS],
            "actions": list(ACTION_NAMES),
            "extras": {array.name: {"type": array.type, "shape": array.shape} for array in self._arrays},
            "games": self.games,
            "decisions": self.decisions,
            "kyoku_left_out": self.left_out,
            "shards": [{"file": self._path(number).name, "decisions": rows} for number, rows in enumerate(self._rows)],
        }


def _unfinished(path: Path) -> Path:
    """Return the name of a file until the data set is complete."""
    return path.with_name(f"{path.name}{UNFINISHED}")


def _arrow_type(arrow: Any, kind: str) -> Any:
    """Return the type of a column."""
    size = kind.removeprefix("binary[").removesuffix("]")
    return arrow.binary(int(size)) if size != kind else getattr(arrow, kind)()
