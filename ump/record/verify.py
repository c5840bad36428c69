"""Verify a record by replaying it, and count the verdicts of many. Pure: bytes in, values out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

from ump.model.value import value
from ump.record.conversion import with_rules
from ump.record.formats import content, named, read_games, sniffed
from ump.record.mjlog.elements import unpacked
from ump.record.record_files import Source, read_source
from ump.record.recorded_game import RecordError
from ump.record.replay import Replay, Replayed
from ump.rules.ruleset import Ruleset


class Outcome(Enum):
    """The result of verifying one record."""

    EQUAL = "equal"
    """Everything in the record agrees with our rules."""
    UNKNOWN_RULES = "unknown rules"
    """Only what uma or stakes explain that the record does not state differs."""
    DIFFERENT = "different"
    """At least one mismatch."""
    DAMAGED = "damaged"
    """The record is unreadable."""


@value
class Verdict:
    """The outcome of one record, with its details."""

    file: str
    outcome: Outcome
    replayed: Replayed | None = None
    """None if the record was not replayed."""
    damage: str = ""
    """Why the record is unreadable, in one line; empty if it is readable."""


@value
class Assumptions:
    """What the user says about records; it can be pickled."""

    source: str | None = None
    """The key of their format; None: the one that each looks like."""
    rules: Ruleset | None = None
    """The rules of records that do not state them; None: Tenhou's."""


NO_ASSUMPTIONS = Assumptions()


def verify_source(source: Source, assumptions: Assumptions) -> Verdict:
    """Read one record and verify it; an unreadable one gets a verdict, too."""
    try:
        data = read_source(source)
    except RecordError as error:
        return Verdict(source.name, Outcome.DAMAGED, damage=str(error))
    return verify(source.name, data, assumptions)


def verify(file: str, data: bytes, assumptions: Assumptions = NO_ASSUMPTIONS) -> Verdict:
    """Read and replay a record; ``file`` is its name in the verdict."""
    try:
        data = content(unpacked(data))
        chosen = sniffed(data) if assumptions.source is None else named(assumptions.source)
        if chosen.check is not None:
            replayed = chosen.check(data)
        else:
            games = read_games(data, chosen)
            replayed = _joined([Replay(with_rules(game, assumptions.rules)).run() for game in games])
    except RecordError as error:
        return Verdict(file, Outcome.DAMAGED, damage=str(error))
    return Verdict(file, _outcome(replayed), replayed)


def _outcome(replayed: Replayed) -> Outcome:
    """Return the outcome of a record that was replayed."""
    if replayed.mismatches:
        return Outcome.DIFFERENT
    return Outcome.UNKNOWN_RULES if replayed.notes else Outcome.EQUAL


def _joined(games: Sequence[Replayed]) -> Replayed:
    """Return the result of all games of one file; their kyoku are numbered on."""
    whole = games[0]
    for game in games[1:]:
        shift = whole.kyoku
        whole = Replayed(
            whole.mismatches + tuple(replace(each, kyoku=each.kyoku + shift) for each in game.mismatches),
            whole.notes + tuple(replace(each, kyoku=each.kyoku + shift) for each in game.notes),
            whole.events + game.events,
            whole.kyoku + game.kyoku,
            whole.from_seed + game.from_seed,
            whole.left_out + game.left_out,
            whole.incomplete or game.incomplete,
        )
    return whole


class Totals:
    """The sums over many verdicts."""

    def __init__(self) -> None:
        self.outcomes: Counter[Outcome] = Counter()
        self.events: Counter[str] = Counter()
        self.kyoku = 0
        self.from_seed = 0
        self.left_out = 0
        self.incomplete = 0
        self.findings: list[Verdict] = []
        """The verdicts with damage, mismatches or notes."""

    def add(self, verdict: Verdict) -> None:
        """Count one verdict."""
        self.outcomes[verdict.outcome] += 1
        replayed = verdict.replayed
        if replayed is not None:
            self.events += replayed.events
            self.kyoku += replayed.kyoku
            self.from_seed += replayed.from_seed
            self.left_out += replayed.left_out
            self.incomplete += replayed.incomplete
        if verdict.damage or (replayed is not None and (replayed.mismatches or replayed.notes)):
            self.findings.append(verdict)

    @property
    def files(self) -> int:
        """The number of records."""
        return self.outcomes.total()

    @property
    def games(self) -> int:
        """The number of replayed games."""
        return self.outcomes.total() - self.unreadable

    @property
    def unreadable(self) -> int:
        """The number of unreadable records."""
        return self.outcomes[Outcome.DAMAGED]

    @property
    def different(self) -> int:
        """The number of records that differ."""
        return self.outcomes[Outcome.DIFFERENT]
