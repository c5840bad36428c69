"""The report of a check, as text and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from ump.bots.check.situation import Situation
from ump.bots.check.verdict import Result, Verdict

NOT_PLAYED = "not played"
"""The name for the situations that the check did not come to."""


def report_lines(situations: Sequence[Situation], verdicts: Sequence[Verdict]) -> list[str]:
    """Return the table of the situations that were played, what was wrong, and the counts.

    ``verdicts`` are those of the first situations; the check may have ended early.
    """
    names = max(len(situation.name) for situation in situations)
    results = max(len(result.value) for result in Result)
    lines = []
    for number, verdict in enumerate(verdicts, 1):
        name, result = verdict.situation.name, verdict.result.value
        lines.append(f"{number:>2}  {name:<{names}}  {result:<{results}}  {verdict.came}")
    for verdict in verdicts:
        if verdict.result is Result.FAIL:
            lines += ["", *_fault_lines(verdict)]
    return [*lines, "", _counts(situations, verdicts)]


def _fault_lines(verdict: Verdict) -> list[str]:
    """Return what was expected in a situation that has failed, and what came."""
    situation = verdict.situation
    lines = [
        f"{situation.name}: {situation.teaches}",
        f"  expected  {situation.expected}",
        f"  came      {verdict.came}",
        *(f"  {line}" for line in verdict.excerpt),
    ]
    return [*lines, f"  {verdict.trace}"] if verdict.trace else lines


def _counts(situations: Sequence[Situation], verdicts: Sequence[Verdict]) -> str:
    counts = Counter(verdict.result.value for verdict in verdicts)
    counts[NOT_PLAYED] = len(situations) - len(verdicts)
    words = [f"{counts[word]} {word}" for word in (*(result.value for result in Result), NOT_PLAYED) if counts[word]]
    return f"{len(situations)} situations: {', '.join(words)}"


def report_data(situations: Sequence[Situation], verdicts: Sequence[Verdict]) -> dict[str, object]:
    """Return the report as data for JSON. Without a verdict, a situation has no result."""
    return {
        "situations": [_data(each, verdict) for each, verdict in zip_longest(situations, verdicts)],
        "faults": sum(verdict.result is Result.FAIL for verdict in verdicts),
    }


def _data(situation: Situation, verdict: Verdict | None) -> dict[str, object]:
    data: dict[str, object] = {
        "name": situation.name,
        "teaches": situation.teaches,
        "expected": situation.expected,
    }
    if verdict is not None:
        data |= {"result": verdict.result.value, "came": verdict.came}
        if verdict.excerpt:
            data["excerpt"] = list(verdict.excerpt)
        if verdict.trace:
            data["trace"] = verdict.trace
    return data


def list_lines(situations: Sequence[Situation]) -> list[str]:
    """Return the situations with what each shows and what is expected, for ``--list``."""
    names = max(len(situation.name) for situation in situations)
    lines: list[str] = []
    for situation in situations:
        lines += [f"{situation.name:<{names}}  {situation.teaches}", f"{'':<{names}}  expected: {situation.expected}"]
    return lines
