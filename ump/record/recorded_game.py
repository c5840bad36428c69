"""A recorded game, whatever form it was written in: the events that must be told when it is played again."""

from __future__ import annotations

from collections.abc import Mapping

from ump.game.deals import Deal
from ump.model.events import Event, GameEnded
from ump.model.tiles import Tile
from ump.model.value import value
from ump.model.yaku import Yaku
from ump.rules.ruleset import Ruleset


class RecordError(ValueError):
    """An unreadable record: damaged, too large, or something else altogether. Its text is one line that says why."""


@value
class Stated:
    """What a record repeats about the table beside an event; None for what it does not say there."""

    number: int | None = None
    """Which kyoku it is, without honba: 0 east 1, 4 south 1."""
    points: tuple[int, ...] | None = None
    """Scores before the event; with a riichi stick, after it is paid."""
    honba: int | None = None
    kyotaku: int | None = None
    """Sticks on the table before the event."""
    indicators: tuple[Tile, ...] | None = None
    """The dora indicators turned over so far."""
    ura: tuple[Tile, ...] | None = None
    worth: int | None = None
    """What a win is worth without honba and sticks: what all payers pay together."""


@value
class RecordedKyoku:
    """One round, from KyokuStarted to its result; no KyokuEnded."""

    events: tuple[Event, ...]
    tiles: tuple[tuple[Tile, ...], ...]
    """Which physical tiles each event names (see ``ump.record.wall_places``), beside ``events``."""
    stated: Mapping[int, Stated]
    """What is said beside an event, by its place in ``events``."""
    dice: tuple[int, int]
    deal: Deal | None
    """Wall and dice as the seed in the record gives them; None where it has none."""
    complete: bool
    """Whether it has a result; a record that was cut or a game that was aborted may stop earlier."""


@value
class RecordedGame:
    """One game, or the part of it that was recorded."""

    names: tuple[str, ...]
    ruleset: Ruleset
    kyoku: tuple[RecordedKyoku, ...]
    ended: GameEnded | None
    """How it ended; None where the record stops earlier."""
    from_start: bool
    """Whether it holds the game from its first kyoku on."""
    own_counting: bool
    """Whether it says itself that it is from a lobby with its own counting (chips, ratios) beside the points."""


def sorted_yaku(yaku: tuple[tuple[Yaku, int], ...]) -> tuple[tuple[Yaku, int], ...]:
    """Sort yaku, of which records and we keep different orders."""
    return tuple(sorted(yaku, key=lambda pair: pair[0].value))
