"""Lint the records of all formats, and report what is found. Pure: bytes in, values out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ump.model import events as ev
from ump.model.value import value
from ump.record.conversion import with_changes, with_rules
from ump.record.findings import (
    OF_RULES,
    WHOLE,
    Collector,
    DoraPlace,
    FilePlace,
    Finding,
    Findings,
    FormatStatements,
    Rule,
    StatedGame,
    located,
    with_length,
    with_start,
)
from ump.record.formats import content, in_utf8, named, sniffed
from ump.record.formats import read_games as read_recorded
from ump.record.game_builder import ASSUMED
from ump.record.lint.referee import GameReferee
from ump.record.record_files import RecordSource, read_source, unpacked
from ump.record.record_format import RecordFormat
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.replay import Replayed
from ump.record.verify import NO_ASSUMPTIONS, Assumptions
from ump.rules.ruleset import Ruleset

# Games of formats whose reader stops at the first fault of form: the linter judges their events


SEVEN_PAIRS_FU = 25
"""The one number of fu that is not rounded."""

_EVENTS = FormatStatements(DoraPlace.NEARBY, sticks=True)


def _stated(game: RecordedGame, findings: Findings) -> StatedGame:
    collector = Collector(findings)
    for kyoku in game.kyoku:
        is_dealt = False
        for index, event in enumerate(kyoku.events):
            stated = kyoku.stated.get(index)
            if isinstance(event, ev.KyokuStarted):
                number = stated
            if isinstance(event, ev.DoraRevealed) and not is_dealt:
                stated, is_dealt = number, True
            collector.add(FilePlace("event", index + 1), _rounded(event), stated)
    return StatedGame(
        _EVENTS,
        game.ruleset,
        game.rules_stated,
        collector.finished(),
        game.ended,
        WHOLE,
        game.own_counting,
        game.length_stated,
    )


def _rounded(event: ev.Event) -> ev.Event:
    """Return a win with its fu rounded up, as they count: servers of UMP 0.2 write them before that."""
    if not isinstance(event, ev.HandWon) or event.value.fu == SEVEN_PAIRS_FU:
        return event
    return replace(event, value=replace(event.value, fu=-(-event.value.fu // 10) * 10))


# Linting


@value
class Linted:
    """The linter's findings in one file."""

    file: str
    findings: tuple[Finding, ...]
    kyoku: int
    """The number of kyoku that were read."""


def lint_source(source: RecordSource, assumptions: Assumptions) -> Linted:
    """Read one record and lint it; an unreadable one has a finding, too."""
    try:
        data = read_source(source)
    except RecordError as error:
        return Linted(source.name, (_unreadable(error),), 0)
    return lint(source.name, data, assumptions)


def lint(file: str, data: bytes, assumptions: Assumptions = NO_ASSUMPTIONS) -> Linted:
    """Return what is wrong with a record; ``file`` is its name in the result."""
    try:
        plain = content(unpacked(data))
        chosen = sniffed(plain) if assumptions.source is None else named(assumptions.source)
        if chosen.check is not None:
            return _of_replay(file, chosen.check(plain))
        findings = Findings()
        rules, length = assumptions.rules, assumptions.length
        if rules is not None and length is not None:
            rules = replace(rules, length=length)
        if rules is not None:
            rules = with_changes(rules, assumptions.changes)
        games = _read(chosen, _with_lines(data), rules, findings)
        if not games and not findings.found:
            findings.add(WHOLE, Rule.UNREADABLE, "a game", "nothing")
        for stated in games:
            game = _assumed(stated, assumptions)
            findings.unjudged = frozenset()
            if game.unknown_rules:
                findings.unjudged = OF_RULES
            GameReferee(_fitting(game, findings), findings).run()
    except RecordError as error:
        return Linted(file, (_unreadable(error),), 0)
    return Linted(file, findings.sorted(), sum(len(game.kyoku) for game in games))


def _read(chosen: RecordFormat, data: bytes, rules: Ruleset | None, findings: Findings) -> list[StatedGame]:
    """Return the games of a file; raise RecordError if it does not have the form of its format."""
    if chosen.state is not None:
        return chosen.state(data, rules, findings)
    return [_stated(with_rules(game, rules), findings) for game in read_recorded(data, chosen)]


def _assumed(game: StatedGame, assumptions: Assumptions) -> StatedGame:
    """Return a game with the length and the changes of the user, if its rules are not stated; raise RecordError."""
    if game.rules_stated:
        return game
    game = with_length(game, assumptions.length)
    if not assumptions.changes:
        return game
    ruleset = with_changes(game.ruleset, assumptions.changes)
    return replace(game, ruleset=ruleset, rules_stated=True, unknown_rules=())


def _fitting(game: StatedGame, findings: Findings) -> StatedGame:
    """Return a game whose rules are for as many players as it has; report others."""
    first = game.kyoku[0].started
    seats = len(first.points)
    if game.ruleset.seats == seats:
        return game
    findings.add(WHOLE, Rule.WRONG_VALUE, f"rules for {seats} players", f"rules for {game.ruleset.seats}")
    return replace(game, ruleset=with_start(ASSUMED, first), rules_stated=False)


def _with_lines(data: bytes) -> bytes:
    """Return unpacked data in UTF-8 with all its lines, which findings count."""
    return in_utf8(unpacked(data))


def _unreadable(error: RecordError) -> Finding:
    return Finding(0, WHOLE, Rule.UNREADABLE, "a record", str(error))


def _of_replay(file: str, replayed: Replayed) -> Linted:
    """Return the mismatches of a journal as findings."""
    found = []
    for each in replayed.mismatches:
        place, expected = FilePlace("event", each.event), f"{each.what}: {each.expected}"
        found.append(Finding(each.kyoku, place, Rule.REPLAY, each.found, expected))
    return Linted(file, tuple(found), replayed.kyoku)


# The report


class LintTotals:
    """The sums over many files."""

    def __init__(self) -> None:
        self.files = 0
        """The number of files."""
        self.kyoku = 0
        """The number of kyoku that were read."""
        self.found: list[tuple[str, Finding]] = []
        """All findings, each with its file."""

    def add(self, linted: Linted) -> None:
        """Count one file."""
        self.files += 1
        self.kyoku += linted.kyoku
        self.found += [(linted.file, finding) for finding in linted.findings]

    @property
    def faulty(self) -> int:
        """The number of files with findings."""
        return len({file for file, _ in self.found})

    @property
    def by_rule(self) -> Counter[str]:
        """The number of findings of each rule."""
        return Counter(finding.rule.key for _, finding in self.found)


def lint_lines(totals: LintTotals) -> Iterator[str]:
    """Yield a line for each finding, then one with the totals."""
    for file, finding in totals.found:
        yield f"{file}: {_line(finding)}"
    files, kyoku, found = totals.files, totals.kyoku, len(totals.found)
    scope = f"{files} file{'' if files == 1 else 's'}, {kyoku} kyoku"
    if not found:
        yield f"{scope}: no finding"
        return
    listed = ", ".join(f"{key} {count}" for key, count in totals.by_rule.most_common())
    yield f"{scope}: {found} finding{'' if found == 1 else 's'} in {totals.faulty} of them: {listed}"


def lint_data(totals: LintTotals) -> dict[str, object]:
    """Return the same report as data for JSON."""
    return {
        "files": totals.files,
        "faulty": totals.faulty,
        "kyoku": totals.kyoku,
        "by_rule": dict(sorted(totals.by_rule.items())),
        "findings": [_finding_data(file, finding) for file, finding in totals.found],
    }


def _finding_data(file: str, finding: Finding) -> dict[str, object]:
    return {
        "file": file,
        "kyoku": finding.kyoku or None,
        "place": str(finding.place) or None,
        "number": finding.place.number or None,
        "rule": finding.rule.key,
        "expected": finding.expected,
        "found": finding.found,
    }


def _line(finding: Finding) -> str:
    where = located(finding.kyoku, finding.place)
    prefix = f"{where}, " if where else ""
    return f"{prefix}{finding.rule.key}: expected {finding.expected}; found {finding.found}"
