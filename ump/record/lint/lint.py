"""Lints the records of all formats. Pure: bytes in, values out."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ump.model.value import value
from ump.record.formats import content, named, sniffed
from ump.record.lint import mjai_log, mjlog_elements, paipu_entries, recorded_events, tenhou6_columns
from ump.record.lint.course import Course
from ump.record.lint.findings import WHOLE, Finding, Findings, Place, Rule
from ump.record.lint.statements import Form, StatedGame
from ump.record.mjlog.elements import unpacked
from ump.record.record_files import Source, read_source
from ump.record.recorded_game import RecordError
from ump.record.replay import Replayed
from ump.record.verify import NO_ASSUMPTIONS, Assumptions
from ump.rules.ruleset import Ruleset


@value
class Linted:
    """What the linter found in one file."""

    file: str
    findings: tuple[Finding, ...]
    kyoku: int
    """The number of kyoku that were read."""


@value
class _Reading:
    """How the linter reads a format."""

    form: Form
    read: Callable[[bytes, Ruleset | None, Findings], list[StatedGame]]


_READINGS: Mapping[str, _Reading] = {
    "mjai": _Reading(mjai_log.FORM, mjai_log.read_games),
    "mortal": _Reading(mjai_log.FORM, mjai_log.read_games),
    "tenhou6": _Reading(tenhou6_columns.FORM, tenhou6_columns.read_games),
    "tenhou6-urls": _Reading(tenhou6_columns.FORM, tenhou6_columns.read_games),
    "paipu": _Reading(paipu_entries.FORM, paipu_entries.read_games),
    "mjlog": _Reading(mjlog_elements.FORM, mjlog_elements.read_games),
}
"""How formats are read that other programs write. Of others, the moves are linted as their own reader returns them."""


def lint_source(source: Source, assumptions: Assumptions) -> Linted:
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
        reading = _READINGS.get(chosen.key) or _Reading(recorded_events.FORM, recorded_events.read_games)
        games = reading.read(_with_lines(data), assumptions.rules, findings)
        if not games and not findings.found:
            findings.add(WHOLE, Rule.UNREADABLE, "a game", "nothing")
        for game in games:
            Course(game, reading.form, findings).run()
    except RecordError as error:
        return Linted(file, (_unreadable(error),), 0)
    return Linted(file, findings.sorted(), sum(len(game.kyoku) for game in games))


def _with_lines(data: bytes) -> bytes:
    """Return unpacked data without a BOM, but with all its lines, which findings count."""
    plain = unpacked(data)
    return plain[len(plain) - len(plain.lstrip(b"\xef\xbb\xbf")) :]


def _unreadable(error: RecordError) -> Finding:
    return Finding(0, WHOLE, Rule.UNREADABLE, "a record", str(error))


def _of_replay(file: str, replayed: Replayed) -> Linted:
    """Return the mismatches of a journal as findings."""
    found = tuple(
        Finding(each.kyoku, Place("event", each.event), Rule.REPLAY, each.found, f"{each.what}: {each.expected}")
        for each in replayed.mismatches
    )
    return Linted(file, found, replayed.kyoku)
