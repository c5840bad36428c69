"""Verify a record by replaying it, count the verdicts of many, and report them. Pure: bytes in, values out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum

from ump.model.setting import setting
from ump.model.value import value
from ump.record.conversion import with_rules
from ump.record.formats import FORMATS, content, named, read_games, sniffed
from ump.record.record_files import RecordSource, read_source, unpacked
from ump.record.record_format import RecordFormat
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.replay import DRAWN, WON, Mismatch, Replay, Replayed
from ump.rules.options import RuleChange, read_change, read_ruleset
from ump.rules.ruleset import Length, Ruleset
from ump.text.wording import counted


class Verification(Enum):
    """The result of verifying one record."""

    EQUAL = "equal"
    """Everything in the record agrees with our rules."""
    UNKNOWN_RULES = "unknown rules"
    """Only what uma, stakes or a length explain that the record does not state differs."""
    DIFFERENT = "different"
    """At least one mismatch."""
    DAMAGED = "damaged"
    """The record is unreadable."""


@value
class Verdict:
    """The outcome of one record, with its details."""

    file: str
    outcome: Verification
    replayed: Replayed | None = None
    """None if the record was not replayed."""
    damage: str = ""
    """Why the record is unreadable, in one line; empty if it is readable."""


@value
class Assumptions:
    """The user's statements about records; it can be pickled."""

    source: str | None = setting(
        None,
        "Format of the records; by default what each looks like.",
        name="from",
        choices={each.key: each.key for each in FORMATS if each.read is not None},
    )
    """The key of the format."""
    rules: Ruleset | None = setting(
        None,
        "Rules of the records that do not say which were played; see 'ump rules'.",
        metavar="PRESET",
        read=read_ruleset,
    )
    """None: Tenhou's."""
    changes: tuple[RuleChange, ...] = setting(
        (),
        "Change one field of these rules, as in kiriage=yes; repeatable. 'ump rules' lists the fields.",
        name="set",
        metavar="FIELD=VALUE",
        read=read_change,
    )
    length: Length | None = setting(
        None,
        "Length of the games whose records neither say nor show it.",
        choices={length.value: length for length in Length},
    )

    def format_of(self, data: bytes) -> RecordFormat:
        """Return the format of a record; raise RecordError if it looks like none."""
        if self.source is None:
            return sniffed(data)
        return named(self.source)

    def applied(self, game: RecordedGame) -> RecordedGame:
        """Return a game with the rules and the length that its record does not state; raise RecordError."""
        return with_rules(game, self.rules, self.length, self.changes)


NO_ASSUMPTIONS = Assumptions()


def verify_source(source: RecordSource, assumptions: Assumptions) -> Verdict:
    """Read one record and verify it; an unreadable one gets a verdict, too."""
    try:
        data = read_source(source)
    except RecordError as error:
        return Verdict(source.name, Verification.DAMAGED, damage=str(error))
    return verify(source.name, data, assumptions)


def verify(file: str, data: bytes, assumptions: Assumptions = NO_ASSUMPTIONS) -> Verdict:
    """Read and replay a record; ``file`` is its name in the verdict."""
    try:
        data = content(unpacked(data))
        chosen = assumptions.format_of(data)
        if chosen.check is not None:
            replayed = chosen.check(data)
        else:
            games = read_games(data, chosen)
            replayed = _joined([Replay(assumptions.applied(game)).run() for game in games])
    except RecordError as error:
        return Verdict(file, Verification.DAMAGED, damage=str(error))
    return Verdict(file, _outcome(replayed), replayed)


def _outcome(replayed: Replayed) -> Verification:
    """Return the outcome of a record that was replayed."""
    if replayed.mismatches:
        return Verification.DIFFERENT
    if replayed.notes:
        return Verification.UNKNOWN_RULES
    return Verification.EQUAL


def _joined(games: Sequence[Replayed]) -> Replayed:
    """Return the result of all games of one file; their kyoku are numbered on."""
    whole = games[0]
    for game in games[1:]:
        whole = Replayed(
            whole.mismatches + _shifted(game.mismatches, whole.kyoku),
            whole.notes + _shifted(game.notes, whole.kyoku),
            whole.events + game.events,
            whole.kyoku + game.kyoku,
            whole.from_seed + game.from_seed,
            whole.left_out + game.left_out,
            whole.missing or game.missing,
        )
    return whole


def _shifted(mismatches: Sequence[Mismatch], kyoku: int) -> tuple[Mismatch, ...]:
    """Return mismatches as those of a game before which so many kyoku were played."""
    return tuple(replace(mismatch, kyoku=mismatch.kyoku + kyoku) for mismatch in mismatches)


class Totals:
    """The sums over many verdicts."""

    def __init__(self) -> None:
        self.outcomes: Counter[Verification] = Counter()
        self.events: Counter[str] = Counter()
        self.kyoku = 0
        self.from_seed = 0
        self.left_out = 0
        self.incomplete = 0
        self.findings: list[Verdict] = []
        """The verdicts with damage, mismatches or notes, and those of records in part."""

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
        if verdict.damage or (replayed is not None and (replayed.mismatches or replayed.notes or replayed.missing)):
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
        return self.outcomes[Verification.DAMAGED]

    @property
    def different(self) -> int:
        """The number of records that differ."""
        return self.outcomes[Verification.DIFFERENT]


# The report


WHOLE_GAME = 0
"""``Mismatch.event`` of a mismatch that concerns the whole game."""


def summary_lines(totals: Totals) -> Iterator[str]:
    """Yield the totals, then all damage, mismatches, missing parts and what unknown rules may explain, file by file."""
    outcomes = [f"{count} {outcome.value}" for outcome, count in sorted_outcomes(totals).items() if count]
    wins, draws = _group(totals.events, WON), _group(totals.events, DRAWN)
    yield f"files    {_listed(totals.files, outcomes)}"
    yield f"games    {totals.games}, {totals.incomplete} of them incomplete"
    yield f"kyoku    {totals.kyoku}, {totals.left_out} of them not compared to the end"
    rebuilt = totals.kyoku - totals.from_seed
    yield f"walls    {totals.from_seed} from the seed in the record, {rebuilt} rebuilt from the events"
    yield f"events   {totals.events.total()}"
    yield f"wins     {_list(wins)}"
    yield f"draws    {_list(draws)}"
    for verdict in totals.findings:
        yield from _found_lines(verdict)
    yield _last_line(totals)


def _last_line(totals: Totals) -> str:
    """Return the result of a verification. It is "no mismatch" only if games were compared, and all were readable."""
    mismatches = len(list(_mismatches(totals)))
    if mismatches == 1:
        result = "1 mismatch"
    elif mismatches:
        result = f"{mismatches} mismatches"
    elif not totals.games:
        result = "nothing compared"
    elif totals.unreadable:
        result = f"no mismatch in {counted(totals.games, 'game')}"
    else:
        result = "no mismatch"
    if totals.unreadable:
        result += f", {totals.unreadable} unreadable"
    return result


def summary_data(totals: Totals) -> dict[str, object]:
    """Return the same report as data for JSON."""
    damaged, missing = [], []
    for verdict in totals.findings:
        if verdict.damage:
            damaged.append({"file": verdict.file, "why": verdict.damage})
        if verdict.replayed is not None and verdict.replayed.missing:
            missing.append({"file": verdict.file, "what": verdict.replayed.missing})
    return {
        "files": totals.files,
        "outcomes": {outcome.value: count for outcome, count in sorted_outcomes(totals).items()},
        "games": totals.games,
        "incomplete": totals.incomplete,
        "kyoku": totals.kyoku,
        "left_out": totals.left_out,
        "walls": {"from_seed": totals.from_seed, "laid_out": totals.kyoku - totals.from_seed},
        "events": totals.events.total(),
        "by_event": dict(sorted(totals.events.items())),
        "wins": dict(_group(totals.events, WON)),
        "draws": dict(_group(totals.events, DRAWN)),
        "missing": missing,
        "damaged": damaged,
        "mismatches": [_mismatch_data(file, mismatch) for file, mismatch in _mismatches(totals)],
        "notes": [_mismatch_data(file, note) for file, note in _notes(totals)],
    }


def sorted_outcomes(totals: Totals) -> Mapping[Verification, int]:
    """Return the number of records for each outcome, in the order of the report."""
    return {outcome: totals.outcomes[outcome] for outcome in Verification}


def _group(events: Counter[str], kind: str) -> Mapping[str, int]:
    """Return the counts of one kind of event by its variant (ron and tsumo, or the reason of a draw), highest first."""
    return {name.removeprefix(f"{kind} "): count for name, count in events.most_common() if name.startswith(f"{kind} ")}


def _list(counts: Mapping[str, int]) -> str:
    """Return the sum of the counts, and the counts by name."""
    return _listed(sum(counts.values()), [f"{name} {count}" for name, count in counts.items()])


def _listed(total: int, parts: Sequence[str]) -> str:
    if not parts:
        return str(total)
    return f"{total}: {', '.join(parts)}"


def _mismatches(totals: Totals) -> Iterator[tuple[str, Mismatch]]:
    """Yield the mismatches of all files, each with the name of its file."""
    for verdict in totals.findings:
        if verdict.replayed is not None:
            for mismatch in verdict.replayed.mismatches:
                yield verdict.file, mismatch


def _notes(totals: Totals) -> Iterator[tuple[str, Mismatch]]:
    """Yield the notes of all files, each with the name of its file."""
    for verdict in totals.findings:
        if verdict.replayed is not None:
            for note in verdict.replayed.notes:
                yield verdict.file, note


def _found_lines(verdict: Verdict) -> Iterator[str]:
    """Yield a line for the damage, each mismatch, each note and the missing parts of one record."""
    if verdict.damage:
        yield f"{verdict.file}: unreadable: {verdict.damage}"
    if verdict.replayed is not None:
        for mismatch in verdict.replayed.mismatches:
            yield f"{verdict.file}: {_line(mismatch)}"
        for note in verdict.replayed.notes:
            yield f"{verdict.file}: unknown rules: {_line(note)}"
        if verdict.replayed.missing:
            yield f"{verdict.file}: missing: {verdict.replayed.missing}"


def _line(mismatch: Mismatch) -> str:
    """Return a mismatch as one line, without its file."""
    line = f"{mismatch.what}: expected {mismatch.expected}; found {mismatch.found}"
    if mismatch.event == WHOLE_GAME:
        return line
    return f"kyoku {mismatch.kyoku}, event {mismatch.event}, {line}"


def _mismatch_data(file: str, mismatch: Mismatch) -> dict[str, object]:
    """Return a mismatch as data for JSON; kyoku and event are None if it concerns the whole game."""
    kyoku: int | None = mismatch.kyoku
    event: int | None = mismatch.event
    if event == WHOLE_GAME:
        kyoku = event = None
    return {
        "file": file,
        "kyoku": kyoku,
        "event": event,
        "what": mismatch.what,
        "expected": mismatch.expected,
        "found": mismatch.found,
    }
