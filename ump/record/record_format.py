"""Descriptions of record formats: how to recognise, read and write each, and what it can carry.

The package of each format has a value of the class ``RecordFormat``; ``ump.record.formats`` lists them. The commands,
the table in docs/records.md and the tests follow from that list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ump.model.value import value
from ump.record.facts import Carried, Fact
from ump.record.recorded_game import RecordedGame
from ump.record.replay import Replayed
from ump.record.tables.columns import Row

Read: TypeAlias = Callable[[bytes], tuple[RecordedGame, ...]]
"""Reads all games of a file; raises RecordError."""

Write: TypeAlias = Callable[[RecordedGame], bytes]
"""Writes one game. It leaves out what the game does not say; ``ump.record.conversion`` has checked ``needs`` before."""

Tabulate: TypeAlias = Callable[[RecordedGame, str, str], Mapping[str, Sequence[Row]]]
"""Returns the rows of one game for each table, from the game, its name, and the key of the format it was read from."""


@value
class RecordFormat:
    """A format of records."""

    key: str
    """The word for ``--to`` and ``--from``."""
    name: str
    """The name in the documentation."""
    suffix: str
    """The end of the names of files, as in ``.mjson``."""
    sniff: Callable[[bytes], bool]
    """Tells from the unpacked content of a file, without BOM and leading blanks, whether it looks like this format."""
    read: Read | None
    """None if the format is only written."""
    write: Write | None
    """None if the format is only read."""
    carries: Mapping[Fact, Carried]
    """How it carries each fact; a fact that is missing here is not carried."""
    needs: frozenset[Fact] = frozenset()
    """The facts without which the format cannot be written, or lacks what its readers expect."""
    players: tuple[int, ...] = (4,)
    """The numbers of players whose games can be written."""
    tabulate: Tabulate | None = None
    """For a format that holds all games in the same tables; ``write`` is None then."""
    check: Callable[[bytes], Replayed] | None = None
    """Verifies a file with more than the moves; None: its games are replayed. Raises RecordError."""

    @property
    def is_written(self) -> bool:
        """Whether games can be converted to this format."""
        return self.write is not None or self.tabulate is not None

    def carried(self, fact: Fact) -> Carried:
        """Return how the format carries a fact."""
        return self.carries.get(fact, Carried.NO)


def carrying(marks: Mapping[Carried, tuple[Fact, ...]]) -> dict[Fact, Carried]:
    """Return the table of a format from the facts of each mark."""
    return {fact: mark for mark, facts in marks.items() for fact in facts}
