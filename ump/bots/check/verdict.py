"""The verdict on one situation, and reports of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import Enum
from itertools import zip_longest
from typing import assert_never

from ump.bots.check.situation import Answered, Play, Situation, Stage
from ump.model import actions
from ump.model.notation import UMP_FACES
from ump.model.value import value


class Result(Enum):
    """The outcome of a situation."""

    PASS = "pass"
    NOTE = "note"
    """All answers were legal, but one was surely not wanted."""
    MISSED = "not reached"
    """All answers were legal, and the client avoided the situation."""
    SKIPPED = "skipped"
    """The situation is not for this client."""
    FAIL = "fail"
    """The client has broken the protocol, or its program has reported a failure at its end."""


@value
class SituationVerdict:
    """The result of one situation."""

    situation: Situation
    result: Result
    came: str
    """The behaviour of the client, or the reason why there is no result."""
    trace: str = ""
    """The file with everything that was sent and received, or ""."""
    excerpt: tuple[str, ...] = ()
    """After a fault: the last lines that were sent and received before it."""


def judge(play: Play) -> SituationVerdict:
    """Return the verdict on a situation that has been played without a fault."""
    situation, reached = play.situation, play.reached
    if situation.aim is None:
        is_reached = play.has_acted or situation.stage is Stage.FAREWELL
        return SituationVerdict(
            situation, *((Result.PASS, "left properly") if is_reached else (Result.MISSED, "no turn came"))
        )
    if reached is None:
        return SituationVerdict(situation, Result.MISSED, situation.missed)
    if _is_unwanted(situation, reached):
        return SituationVerdict(situation, Result.NOTE, f"legal, but surely not wanted: {_in_words(reached.action)}")
    return SituationVerdict(situation, Result.PASS, _in_words(reached.action))


def skipped(situation: Situation, why: str) -> SituationVerdict:
    """Return the verdict on a situation that is not for this client."""
    return SituationVerdict(situation, Result.SKIPPED, why)


def _is_unwanted(situation: Situation, reached: Answered) -> bool:
    return situation.wanted is not None and not isinstance(reached.action, situation.wanted)


def _in_words(action: actions.Action | None) -> str:
    """Return what a client did, in words."""
    match action:
        case None:
            return "ready"
        case actions.Discard(face):
            return f"discards {UMP_FACES[face]}"
        case actions.Riichi(face):
            return f"declares riichi with {UMP_FACES[face]}"
        case actions.Ankan(kind):
            return f"declares a closed kan of {UMP_FACES[kind]}"
        case actions.Kakan(face):
            return f"adds {UMP_FACES[face]} to its pon"
        case actions.Chi(own) | actions.Pon(own):
            return f"calls {type(action).__name__.lower()} with {UMP_FACES[own[0]]} and {UMP_FACES[own[1]]}"
        case actions.Daiminkan():
            return "calls an open kan"
        case actions.Tsumo() | actions.Ron():
            return f"wins by {type(action).__name__.lower()}"
        case actions.Kita():
            return "sets a north aside"
        case actions.KyushuKyuhai():
            return "declares nine terminals"
        case actions.Pass():
            return "passes"
        case actions.DeclareTenpai() | actions.DeclareNoten():
            return "declares tenpai" if isinstance(action, actions.DeclareTenpai) else "declares noten"
        case _:
            assert_never(action)


# The report, as text and as data


NOT_PLAYED = "not played"
"""The name for the situations that the check did not come to."""


def report_lines(situations: Sequence[Situation], verdicts: Sequence[SituationVerdict]) -> list[str]:
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


def _fault_lines(verdict: SituationVerdict) -> list[str]:
    """Return what was expected in a situation that has failed, and what came."""
    situation = verdict.situation
    lines = [
        f"{situation.name}: {situation.teaches}",
        f"  expected  {situation.expected}",
        f"  came      {verdict.came}",
        *(f"  {line}" for line in verdict.excerpt),
    ]
    return [*lines, f"  {verdict.trace}"] if verdict.trace else lines


def _counts(situations: Sequence[Situation], verdicts: Sequence[SituationVerdict]) -> str:
    counts = Counter(verdict.result.value for verdict in verdicts)
    counts[NOT_PLAYED] = len(situations) - len(verdicts)
    words = [f"{counts[word]} {word}" for word in (*(result.value for result in Result), NOT_PLAYED) if counts[word]]
    return f"{len(situations)} situations: {', '.join(words)}"


def report_data(situations: Sequence[Situation], verdicts: Sequence[SituationVerdict]) -> dict[str, object]:
    """Return the report as data for JSON. Without a verdict, a situation has no result."""
    return {
        "situations": [_data(each, verdict) for each, verdict in zip_longest(situations, verdicts)],
        "faults": sum(verdict.result is Result.FAIL for verdict in verdicts),
    }


def _data(situation: Situation, verdict: SituationVerdict | None) -> dict[str, object]:
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
