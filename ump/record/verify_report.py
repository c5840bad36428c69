"""The report of ``ump verify``, as text and as data for JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from ump.record.replay import DRAWN, WON, Mismatch
from ump.record.verify import Outcome, Totals, Verdict

WHOLE_GAME = 0
"""``Mismatch.event`` of a mismatch that concerns the whole game."""


def summary_lines(totals: Totals) -> Iterator[str]:
    """Yield the totals, then all damage, mismatches and what unknown rules may explain, file by file."""
    outcomes = ", ".join(f"{count} {outcome.value}" for outcome, count in sorted_outcomes(totals).items() if count)
    wins, draws = _group(totals.events, WON), _group(totals.events, DRAWN)
    yield f"files    {totals.files}" + (f": {outcomes}" if totals.files else "")
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
    found = sum(1 for _ in _mismatches(totals))
    if found:
        result = f"{found} mismatch{'es' if found > 1 else ''}"
    else:
        result = "no mismatch" if totals.games else "nothing compared"
    if not totals.unreadable:
        return result
    if totals.games and not found:
        result += f" in {totals.games} game{'s' if totals.games > 1 else ''}"
    return f"{result}, {totals.unreadable} unreadable"


def summary_data(totals: Totals) -> dict[str, object]:
    """Return the same report as data for JSON."""
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
        "damaged": [{"file": verdict.file, "why": verdict.damage} for verdict in totals.findings if verdict.damage],
        "mismatches": [_mismatch_data(*each) for each in _mismatches(totals)],
        "notes": [_mismatch_data(*each) for each in _notes(totals)],
    }


def sorted_outcomes(totals: Totals) -> Mapping[Outcome, int]:
    """Return the number of records for each outcome, in the order of the report."""
    return {outcome: totals.outcomes[outcome] for outcome in Outcome}


def _group(events: Counter[str], kind: str) -> Mapping[str, int]:
    """Return the counts of one kind of event by its variant (ron and tsumo, or the reason of a draw), highest first."""
    return {name.removeprefix(f"{kind} "): count for name, count in events.most_common() if name.startswith(f"{kind} ")}


def _list(counts: Mapping[str, int]) -> str:
    """Return the sum of the counts, and the counts by name."""
    variants = ", ".join(f"{name} {count}" for name, count in counts.items())
    return f"{sum(counts.values())}" + (f": {variants}" if variants else "")


def _mismatches(totals: Totals) -> Iterator[tuple[str, Mismatch]]:
    """Yield the mismatches of all files, each with the name of its file."""
    for verdict in totals.findings:
        if verdict.replayed is not None:
            yield from ((verdict.file, mismatch) for mismatch in verdict.replayed.mismatches)


def _notes(totals: Totals) -> Iterator[tuple[str, Mismatch]]:
    """Yield the notes of all files, each with the name of its file."""
    for verdict in totals.findings:
        if verdict.replayed is not None:
            yield from ((verdict.file, note) for note in verdict.replayed.notes)


def _found_lines(verdict: Verdict) -> Iterator[str]:
    """Yield a line for the damage, each mismatch and each note of one record."""
    if verdict.damage:
        yield f"{verdict.file}: unreadable: {verdict.damage}"
    if verdict.replayed is not None:
        yield from (f"{verdict.file}: {_line(mismatch)}" for mismatch in verdict.replayed.mismatches)
        yield from (f"{verdict.file}: unknown rules: {_line(mismatch)}" for mismatch in verdict.replayed.notes)


def _line(mismatch: Mismatch) -> str:
    """Return a mismatch as one line, without its file."""
    where = f"kyoku {mismatch.kyoku}, event {mismatch.event}, " if mismatch.event != WHOLE_GAME else ""
    return f"{where}{mismatch.what}: expected {mismatch.expected}; found {mismatch.found}"


def _mismatch_data(file: str, mismatch: Mismatch) -> dict[str, object]:
    """Return a mismatch as data for JSON; kyoku and event are None if it concerns the whole game."""
    of_game = mismatch.event == WHOLE_GAME
    return {
        "file": file,
        "kyoku": None if of_game else mismatch.kyoku,
        "event": None if of_game else mismatch.event,
        "what": mismatch.what,
        "expected": mismatch.expected,
        "found": mismatch.found,
    }
