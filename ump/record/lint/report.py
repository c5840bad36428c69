"""The report of ``ump verify --lint``, as text and as data for JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ump.record.lint.findings import Finding
from ump.record.lint.lint import Linted


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


def lint_lines(totals: LintTotals) -> Iterator[str]:
    """Yield a line for each finding, then one with the totals."""
    for file, finding in totals.found:
        yield f"{file}: {_line(finding)}"
    files, kyoku, found = totals.files, totals.kyoku, len(totals.found)
    scope = f"{files} file{'' if files == 1 else 's'}, {kyoku} kyoku"
    if not found:
        yield f"{scope}: no finding"
        return
    counts = Counter(finding.rule.key for _, finding in totals.found)
    listed = ", ".join(f"{key} {count}" for key, count in counts.most_common())
    yield f"{scope}: {found} finding{'' if found == 1 else 's'} in {totals.faulty} of them: {listed}"


def lint_data(totals: LintTotals) -> dict[str, object]:
    """Return the same report as data for JSON."""
    counts = Counter(finding.rule.key for _, finding in totals.found)
    return {
        "files": totals.files,
        "faulty": totals.faulty,
        "kyoku": totals.kyoku,
        "by_rule": dict(sorted(counts.items())),
        "findings": [
            {
                "file": file,
                "kyoku": finding.kyoku or None,
                "place": str(finding.place) or None,
                "number": finding.place.number or None,
                "rule": finding.rule.key,
                "expected": finding.expected,
                "found": finding.found,
            }
            for file, finding in totals.found
        ],
    }


def _line(finding: Finding) -> str:
    where = [f"kyoku {finding.kyoku}"] if finding.kyoku else []
    where += [str(finding.place)] if str(finding.place) else []
    prefix = f"{', '.join(where)}, " if where else ""
    return f"{prefix}{finding.rule.key}: expected {finding.expected}; found {finding.found}"
