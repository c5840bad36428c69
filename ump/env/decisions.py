"""The decisions of recorded games: what each seat saw, could do and did, and what came of it.

A replay through the engine asks the questions; the records themselves only have events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from ump.env.action_ids import ACTIONS, action_id, actions_by_id
from ump.env.planes import planes
from ump.game.game import Game
from ump.model.actions import Action, Discard, Riichi
from ump.model.value import value
from ump.players.observation import Observation
from ump.record.conversion import with_rules
from ump.record.formats import content, named, read_games, sniffed
from ump.record.journal import write_action
from ump.record.record_files import Source, read_source, unpacked
from ump.record.record_format import Fact, facts_of
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError, scores_after
from ump.record.replay import Replay
from ump.rules.questions import Question
from ump.rules.ruleset import Ruleset
from ump.table.view import view


class Kept(Enum):
    """Which decisions a data set has."""

    DECISIONS = "decisions"
    """All of them."""
    DISCARDS = "discards"
    """Those that discard a tile, with or without riichi."""


@value
class Selection:
    """The format and rules of records, and the decisions of them that are kept; it can be pickled."""

    kept: Kept = Kept.DECISIONS
    source: str | None = None
    """The key of the format to read; None: the one that the record looks like."""
    rules: Ruleset | None = None
    """The rules of records that do not state them; None: those that the reader assumes."""


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


def encode_source(source: Source, selection: Selection) -> Encoded:
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
            found.append(decisions(given, name if number == 1 else f"{name}#{number}", selection.kept))
        except RecordError:
            raise
        except ValueError as error:  # a tile that a hand does not have, a pon that does not exist
            raise RecordError(f"the moves contradict each other; ump verify says where ({error})") from None
    return tuple(found)


def decisions(game: RecordedGame, name: str, kept: Kept = Kept.DECISIONS) -> Decisions:
    """Return the decisions of a game, in the order in which a replay asks them.

    If the record contradicts the rules, the rest of that kyoku is left out. Raises RecordError if no wall fits.
    """
    watcher = _Watcher(game, name, kept)
    replayed = Replay(game, answered=watcher.answered).run()
    watcher.found.left_out = replayed.left_out
    return watcher.found


class _Watcher:
    """Looks at the table from the seats that a replay asks."""

    def __init__(self, game: RecordedGame, name: str, kept: Kept) -> None:
        self.found = Decisions(name, len(game.names))
        self._game = game
        self._kept = kept
        self._kyoku = -1
        self._asked = 0
        """The questions of this kyoku so far."""
        self._seen: list[Observation] = []
        self._shown: list[int] = []
        """The number of events of the kyoku that each seat has seen."""
        self._changes: Sequence[int | None] = ()

    def answered(self, game: Game, question: Question, action: Action, kyoku: int, event: int) -> None:
        """Take an answer that the record has to a question, before the engine judges it."""
        if kyoku != self._kyoku:
            self._begin(kyoku)
        self._asked += 1
        by_id = actions_by_id(question.legal(), question.tile)
        if question.refusal(action) is not None:
            return  # the replay reports it, and leaves out the rest of the kyoku
        if self._kept is Kept.DISCARDS and not isinstance(action, Discard | Riichi):
            return
        self._keep(question, action, list(by_id), self._observation(question.seat, event))

    def _begin(self, kyoku: int) -> None:
        ruleset = self._game.ruleset
        self._kyoku, self._asked = kyoku, 0
        self._seen = [Observation(seat, ruleset) for seat in range(ruleset.seats)]
        self._shown = [0] * ruleset.seats
        self._changes = _changes(self._game.kyoku[kyoku])

    def _observation(self, seat: int, event: int) -> Observation:
        """Return what a seat knows before the event with this index."""
        seen = self._seen[seat]
        for each in self._game.kyoku[self._kyoku].events[self._shown[seat] : event]:
            seen.see(view(each, seat))
        self._shown[seat] = event
        return seen

    def _keep(self, question: Question, action: Action, legal: Sequence[int], seen: Observation) -> None:
        found, seat, ended = self.found, question.seat, self._game.ended
        mask = bytearray(ACTIONS)
        for number in legal:
            mask[number] = 1
        found.kyoku.append(self._kyoku + 1)
        found.number.append(self._asked)
        found.seat.append(seat)
        found.phase.append(question.phase.value)
        found.observation += planes(seen, question.phase, question.tile)
        found.mask += mask
        found.action.append(action_id(action, question.tile))
        found.words.append(write_action(action))
        found.change.append(self._changes[seat])
        found.points.append(None if ended is None else ended.points[seat])
        found.place.append(ended.places[seat] if ended is not None and ended.places else None)


def _changes(kyoku: RecordedKyoku) -> Sequence[int | None]:
    """Return the points that each seat won or lost in a kyoku, None if the record lacks its end."""
    before = kyoku.started.points
    if not kyoku.complete:
        return [None] * len(before)
    return [now - then for now, then in zip(scores_after(kyoku).points, before, strict=True)]
