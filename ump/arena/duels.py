"""A queue of duels: comparisons of two players in a folder, whose blocks workers on any computer play.

Each duel has a folder: ``duel.json`` says what is played, ``blocks`` has a file for each block that was played, and
``claims`` one for each block that a worker plays now. Only one worker can create a file of a name, so no block is
played twice at a time, and none is counted twice. A worker that plays touches a file of its own; the claims of one that
has not done so for a while are void. Ages are compared by the clock of the file system alone.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import Enum
from math import isfinite
from pathlib import Path
from typing import Any

from ump.arena.arena_setup import ArenaSetup, comparison_setup_data, lineups, names_of
from ump.arena.blocks import ArenaPlayer, Block, PlannedBlock, read_block, written_block
from ump.arena.comparison import Comparison
from ump.arena.sequential import Hypotheses, SequentialVerdict
from ump.model.choices import unknown
from ump.model.value import value
from ump.record.record_format import read_rules
from ump.record.recorded_game import RecordError
from ump.table.clock import TimeControl

STALE_SECONDS = 60.0
"""After so long without a sign of its worker, a claim is void."""

MOST_BYTES = 1_000_000
"""The size of a file of the queue, at most."""

DUEL_HYPOTHESES = Hypotheses(0.0, 3.0, 0.04, 0.03)
"""The test of a duel by default. A duel that ends undecided is an error, too, so these leave room below 5 %."""

MOST_GAMES = 10_000
"""The games after which a duel ends undecided, by default."""

PAIRED = ("round-robin", "challenge")
"""The schedules of a duel: each player alone among copies of the other in turns, or always the second one."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,79}")


class QueueError(ValueError):
    """A file of a queue that is unreadable, or a duel that cannot be added."""


@value
class Duel:
    """Two players that play blocks until a test decides which one is better."""

    setup: ArenaSetup
    hypotheses: Hypotheses | None
    """Those of the test; None: all games are played."""
    games: int
    """The games at most, in whole blocks."""
    times: TimeControl
    """For programs."""

    @property
    def blocks(self) -> int:
        """The blocks at most."""
        return -(-self.games // self.setup.ruleset.seats)


def duel_data(duel: Duel) -> dict[str, Any]:
    """Return a duel as JSON."""
    test = duel.hypotheses
    tested = {} if test is None else {"test": [test.h0, test.h1, test.alpha, test.beta]}
    setup = duel.setup
    own = {"names": names_of(setup.entrants), "schedule": setup.schedule, "games": duel.games, "time": str(duel.times)}
    return comparison_setup_data(setup) | own | tested


def read_duel(text: str) -> Duel:
    """Return the duel of a file; raises QueueError if it is none."""
    try:
        data = json.loads(text)
        names, kinds = data["names"], data["players"]
        entrants = tuple(ArenaPlayer(str(name), str(kind)) for name, kind in zip(names, kinds, strict=True))
        points = tuple(map(float, data["points"]))
        setup = ArenaSetup(entrants, read_rules(data["rules"]), str(data["seed"]), points, str(data["schedule"]))
        test = Hypotheses(*map(float, data["test"])) if "test" in data else None
        duel = Duel(setup, test, int(data["games"]), TimeControl.parse(str(data["time"])))
    except (AttributeError, KeyError, TypeError, ValueError, RecordError) as error:
        raise QueueError(f"no duel: {type(error).__name__}: {error}") from None
    _check(duel)
    return duel


def _check(duel: Duel) -> None:
    """Raise QueueError for a duel that cannot be played."""
    setup, test = duel.setup, duel.hypotheses
    if len(setup.entrants) != 2 or len(setup.points) != setup.ruleset.seats:
        raise QueueError("no duel: expected two players, and points for each place")
    if setup.schedule not in PAIRED:
        raise QueueError(f"no duel: {unknown('schedule', setup.schedule, PAIRED)}")
    for entrant in setup.entrants:
        if not (entrant.name.isprintable() and entrant.kind.isprintable()):
            raise QueueError("no duel: a name with a character that cannot be printed")
    if not all(map(isfinite, setup.points)):
        raise QueueError("no duel: expected numbers as placement points")
    if test is not None and not (test.h0 < test.h1 and 0 < test.alpha <= 0.5 and 0 < test.beta <= 0.5):
        raise QueueError("no duel: a test with h0 below h1, and errors up to 0.5, was expected")


class DuelState(Enum):
    """The state of a duel."""

    WAITING = "waiting"
    """No block was played, and none is claimed."""
    PLAYING = "playing"
    """Some blocks were played or are claimed."""
    DECIDED = "decided"
    ENDED = "ended"
    """All games were played, and no test has decided."""


class QueueWorkers:
    """The workers of a queue. Each has a file that it touches: its age says whether the worker is alive."""

    def __init__(self, folder: Path, name: str, now: float = 0.0) -> None:
        """``name`` is this worker; empty for one that only looks, and then ``now`` is the time."""
        self.name = name
        self._now = now
        self._folder = folder / "workers"

    def beat(self) -> None:
        """Say that this worker is alive."""
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / self.name).touch()

    def leave(self) -> None:
        """Say that this worker plays no more: its claims are void."""
        (self._folder / self.name).unlink(missing_ok=True)

    def alive(self) -> set[str]:
        """Return the workers that are alive at the last sign of this one."""
        ages = {}
        with suppress(OSError):
            for entry in os.scandir(self._folder):
                with suppress(OSError):
                    ages[entry.name] = entry.stat().st_mtime
        now = ages.get(self.name, self._now)
        return {worker for worker, beat in ages.items() if beat > now - STALE_SECONDS}


class DuelFolder:
    """A duel with its blocks so far."""

    def __init__(self, folder: Path, workers: QueueWorkers) -> None:
        """Read the duel and its blocks; raises QueueError."""
        self.name = folder.name
        self._played = folder / "blocks"
        self._claims = folder / "claims"
        self._workers = workers
        self.duel = read_duel(_text(folder / "duel.json") or "")
        blocks = None if self.duel.hypotheses is not None else self.duel.blocks
        test = self.duel.hypotheses or DUEL_HYPOTHESES
        self.comparison = Comparison(self.duel.setup, test, blocks, names_of(self.duel.setup.entrants))
        self.blocks: list[Block] = []
        """Those that are counted."""
        self._lineups = lineups(self.duel.setup)
        self.update()

    @property
    def is_open(self) -> bool:
        """Whether the duel needs more blocks than those that are counted."""
        return self.comparison.needs_more() and self.comparison.test.blocks < self.duel.blocks

    @property
    def state(self) -> DuelState:
        """The state of the duel, as of the last update."""
        if self.is_open:
            return DuelState.PLAYING if self.comparison.games or self.claimed() else DuelState.WAITING
        if self.duel.hypotheses is None or self.comparison.test.verdict is SequentialVerdict.OPEN:
            return DuelState.ENDED
        return DuelState.DECIDED

    def update(self) -> None:
        """Count the blocks that follow those that are counted, in order, until the test decides."""
        while self.is_open:
            number = self.comparison.test.blocks
            text = _text(self._played / _file_name(number))
            if text is None:
                return
            try:
                block = read_block(text, len(self.duel.setup.entrants))
            except ValueError as error:
                raise QueueError(f"{self._played / _file_name(number)}: {error}") from None
            if block.number != number or block.games[0].seating != self._lineup(number):
                raise QueueError(f"{self._played / _file_name(number)}: another block than its name says")
            self.comparison.add(block)
            self.blocks.append(block)

    def claimed(self) -> int:
        """Return how many blocks are played now, by workers that are alive."""
        alive = self._workers.alive()
        claims = []
        with suppress(OSError):
            claims = [path for path in self._claims.iterdir() if not path.name.startswith(".")]
        return sum(_text(path) in alive for path in claims)

    def claims(self) -> Generator[PlannedBlock, None, None]:
        """Claim and yield one block after the other, until there is none to claim.

        A claim ends when the next block is asked for, or the generator is closed. Before that ``keep`` the block.
        """
        while (number := self._claim_next()) is not None:
            try:
                yield PlannedBlock(number, self._lineup(number))
            finally:
                (self._claims / _file_name(number)).unlink(missing_ok=True)

    def keep(self, block: Block) -> bool:
        """Write a block that was played; return False if another worker was faster. Raises OSError."""
        return self._create(self._played / _file_name(block.number), written_block(block))

    def _lineup(self, number: int) -> tuple[int, ...]:
        return self._lineups[number % len(self._lineups)]

    def _claim_next(self) -> int | None:
        """Claim the first block that nobody has played or plays; None if there is none."""
        self.update()
        if not self.is_open:
            return None
        alive = self._workers.alive()
        for number in range(self.comparison.test.blocks, self.duel.blocks):
            name = _file_name(number)
            if (self._played / name).exists() or not self._claim(name, alive):
                continue
            if not (self._played / name).exists():
                return number
            (self._claims / name).unlink(missing_ok=True)  # it was played just now
        return None

    def _claim(self, name: str, alive: set[str]) -> bool:
        path = self._claims / name
        if self._create(path, self._workers.name):
            return True
        if _text(path) in alive:
            return False
        void = path.with_name(f".{name}.{self._own_suffix}")
        try:
            path.rename(void)  # only one worker can do it
        except FileNotFoundError:
            return False
        void.unlink(missing_ok=True)
        return self._create(path, self._workers.name)

    @property
    def _own_suffix(self) -> str:
        return f"{self._workers.name}-{os.getpid()}"

    def _create(self, path: Path, text: str) -> bool:
        """Create a file with its whole text at once; return False if there is one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{self._own_suffix}")
        draft.write_text(text, encoding="utf-8")
        try:
            os.link(draft, path)
        except FileExistsError:
            return False
        finally:
            draft.unlink(missing_ok=True)
        return True


def _file_name(number: int) -> str:
    return f"{number:06}"


def _text(path: Path) -> str | None:
    """Return the text of a file; None if there is no such file. Raises QueueError."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise QueueError(f"{path}: more than {MOST_BYTES:,} bytes")
        return data.decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise QueueError(f"{path}: {error}") from None


class DuelQueue:
    """The duels in a folder. They are played in the order of their names."""

    def __init__(self, folder: Path, worker: str = "", now: float = 0.0) -> None:
        """``worker`` is the name of the worker that plays; empty for one that only looks, ``now``."""
        self._folder = folder / "duels"
        self._known: dict[Path, DuelFolder] = {}
        self.workers = QueueWorkers(folder, worker, now)

    def add(self, name: str, duel: Duel) -> None:
        """Add a duel; raises QueueError if its name is taken or is no name, OSError if it cannot be written."""
        if not _NAME.fullmatch(name):
            raise QueueError(f"{name!a} is no name of a duel: expected letters, digits and . _ + -, at most 80")
        folder = self._folder / name
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            folder.mkdir()
        except FileExistsError:
            raise QueueError(f"there is a duel {name}; give another name with --name") from None
        self._write(folder, duel)

    def add_or_extend(self, name: str, duel: Duel) -> None:
        """Add a duel; if it is there, let it play at least as many games. Raises QueueError or OSError."""
        folder = self._folder / name
        text = _text(folder / "duel.json")
        if text is None:
            self.add(name, duel)
            return
        given = read_duel(text)
        if replace(given, games=duel.games) != duel:
            raise QueueError(f"{folder} has other players, rules, seed, placement points or time")
        if duel.games > given.games:
            self._write(folder, duel)
            self._known.pop(folder / "duel.json", None)

    def _write(self, folder: Path, duel: Duel) -> None:
        draft = folder / ".duel.json"
        draft.write_text(json.dumps(duel_data(duel), ensure_ascii=False, indent=1), encoding="utf-8")
        draft.replace(folder / "duel.json")

    def duels(self, names: Sequence[str] = ()) -> list[DuelFolder]:
        """Return the duels with these names, in this order, or all, with their blocks so far; raises QueueError."""
        if not self._folder.is_dir():
            raise QueueError(f"{self._folder.parent} is no queue; 'ump arena queue add' makes one")
        there = {path.parent.name: path for path in sorted(self._folder.glob("*/duel.json"))}
        for name in names:
            if name not in there:
                raise QueueError(unknown("duel", name, there))
        return [self._updated(there[name]) for name in names or there]

    def _updated(self, path: Path) -> DuelFolder:
        if path not in self._known:
            self._known[path] = DuelFolder(path.parent, self.workers)
        else:
            self._known[path].update()
        return self._known[path]
