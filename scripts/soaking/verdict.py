"""What a soak has come to: every game that began must be in the record, to its end, as its players saw it."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from scripts.soaking.memory import Sample, slope
from scripts.soaking.visitors import Account
from ump.model.value import value
from ump.record.journal.journal_error import JournalError
from ump.record.journal.journal_file import Journal, read_journal
from ump.record.journal.journal_replay import check_journal, summary_of
from ump.rules.ruleset import LeftSticks
from ump.server.journal_writer import DAMAGED, RUNNING
from ump.server.overview import FINISHED
from ump.table.outcomes import End

MOST_GROWTH = 6e6
"""Bytes an hour by which a server may grow after its warm-up; the allocator alone takes about 1 MB for 1,400 games."""

JUDGED_SECONDS = 20 * 60.0
"""The age from which the memory of a server is judged."""

STEADY_ENDS = frozenset({End.COMPLETED, End.ABANDONED})
"""How games may end: to their end, or because nobody came back to them."""


@value
class Life:
    """One process of the server, from its start to its end."""

    samples: Sequence[Sample]
    troubles: Sequence[str]
    """Lines of its log about faults of the server."""

    @property
    def seconds(self) -> float:
        """Its age at the last sample."""
        return self.samples[-1].instant if self.samples else 0.0

    @property
    def growth(self) -> float:
        """Bytes an hour."""
        return slope(self.samples)


@value
class Records:
    """What the folder of records holds after a soak."""

    ends: Counter[End]
    """The finished games, by how they ended."""
    steps: int
    """The steps of all games."""
    faults: list[str]


def check_records(folder: Path, seen: set[str], account: Account) -> Records:
    """Replay every game of a folder, and compare what its players were told.

    ``seen`` are the names of all games of which a step was seen in the record, without the ends of their files.
    """
    faults = [f"{path.name}: not finished" for path in sorted(folder.glob(f"*{RUNNING}"))]
    faults += [f"{path.name}: the server could not read it" for path in sorted(folder.glob(f"*{DAMAGED}"))]
    finished = sorted(folder.glob(f"*{FINISHED}"))
    names = {path.name.removesuffix(FINISHED) for path in finished}
    ends: Counter[End] = Counter()
    points_of: dict[str, tuple[int, ...]] = {}
    steps = 0
    for path in finished:
        try:
            journal = read_journal(gzip.decompress(path.read_bytes()))
            faults += [f"{path.name}: {fault}" for fault in faults_of(journal)]
            summary = summary_of(journal)
        except (JournalError, OSError) as error:
            faults.append(f"{path.name}: {error}")
            continue
        steps += len(journal.steps)
        if summary.end is not None:
            ends[summary.end] += 1
        points_of |= dict.fromkeys(journal.header.opening.players, summary.points or ())
    lost = account.begun - points_of.keys()
    faults += [f"{name}: was told of a game that is not in the record" for name in sorted(lost)]
    faults += [f"{each}: has vanished" for each in sorted(seen - names)]
    for name, points in account.ended.items():
        if points_of.get(name, points) != points:
            faults.append(f"{name}: was told {points}, recorded are {points_of[name]}")
    return Records(ends, steps, faults)


def faults_of(journal: Journal) -> list[str]:
    """Return what is wrong with a finished game: how it ended, a step that does not follow, or points from nowhere."""
    faults = [] if journal.end in STEADY_ENDS else [f"ended as {journal.end and journal.end.value}"]
    check_journal(journal)
    rules = journal.header.opening.ruleset
    total = rules.start_points * rules.seats
    for number, step in enumerate(journal.steps, 2):
        if step.start is not None:
            standing = step.start.standing
            if sum(standing.points) + rules.riichi_points * standing.kyotaku != total:
                faults.append(f"line {number}: the points are not {total} together")
    points = summary_of(journal).points
    if journal.end is End.COMPLETED and rules.left_sticks is LeftSticks.FIRST and sum(points or ()) != total:
        faults.append(f"the final points are not {total} together")
    return faults


def memory_faults(lives: Sequence[Life]) -> list[str]:
    """Return what is wrong with the memory of servers that lived long enough."""
    judged = [life for life in lives if life.seconds >= JUDGED_SECONDS]
    return [
        f"a server grew by {life.growth / 1e6:.1f} MB an hour, more than {MOST_GROWTH / 1e6:.0f}"
        for life in judged
        if life.growth > MOST_GROWTH
    ]
