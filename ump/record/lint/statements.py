"""What a record states, with the place of each statement, as the readers of the linter return it.

Other readers stop at the first contradiction. These keep what each entry says, whether it fits or not.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TypeAlias

from ump.model.events import Event, GameEnded, KyokuStarted
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.record.lint.findings import Place
from ump.record.recorded_game import Stated
from ump.rules.ruleset import Ruleset


class DoraPlace(Enum):
    """How exactly a format says when a kan dora was revealed."""

    IN_PLACE = auto()
    """Its event stands where it happened."""
    NEARBY = auto()
    """Its event stands near that place."""
    LISTED = auto()
    """The indicators are listed apart from the moves."""


@value
class Unclear:
    """An entry that is some move, but makes no sense: the hand of its seat is not known any more."""

    seat: Seat | None = None
    """None: nobody knows whose move it is."""


Statement: TypeAlias = Event | Unclear


@value
class Entry:
    """One statement in its place."""

    place: Place
    what: Statement
    stated: Stated | None = None
    """The state of the table that the record states along with it."""
    after: tuple[int, ...] | None = None
    """The scores after it, if the record states them."""
    paid: bool = True
    """Whether the record states the payments of a result."""


@value
class StatedKyoku:
    """One kyoku, as its record states it."""

    place: Place
    """The place of its deal."""
    started: KyokuStarted
    hands: tuple[tuple[Face, ...] | None, ...]
    """The dealt hands by seat; None for hidden ones."""
    indicator: Face
    entries: tuple[Entry, ...]
    listed_dora: tuple[Face, ...] = ()
    """The indicators of kans, if the format lists them apart."""
    is_cut: bool = False
    """Whether the reader has lost the thread before the end, and has said so."""
    ordinal: int = 0
    """Its place in the file, from 1."""
    number: int | None = None
    """The number of the kyoku if the record states it beside its dealer and wind: 0 is east 1."""


@value
class StatedGame:
    """One game, as its record states it."""

    ruleset: Ruleset
    rules_stated: bool
    kyoku: tuple[StatedKyoku, ...]
    ended: GameEnded | None = None
    ended_place: Place = Place()
    own_counting: bool = False
    """Whether the lobby of the game counts more than points."""


@value
class Form:
    """What a format states of a game."""

    dora: DoraPlace
    sticks: bool
    """Whether it has an event for the payment of a riichi stick."""
    marks_replacements: bool = False
    """Whether it tells replacement tiles from other draws."""
