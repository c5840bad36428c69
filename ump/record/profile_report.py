"""Reports of a profile over many games: as text, and as data for JSON and the page of a player's games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ump.record.profile import (
    LEAST_GAMES,
    PEOPLE,
    GameProfile,
    ProfileFinding,
    Weakness,
    every_finding,
    strongest,
)
from ump.text.layout import columns, printable

WORDS: Mapping[Weakness, str] = {
    Weakness.CALLS: "calls too much",
    Weakness.MISSED_CALLS: "calls too little",
    Weakness.NO_FOLD: "folds too late",
    Weakness.EARLY_FOLD: "folds too early",
    Weakness.NO_RIICHI: "declares riichi too rarely",
    Weakness.DORA: "discards dora",
    Weakness.WAITS: "takes smaller waits",
    Weakness.LAST_KYOKU: "errs in the last kyoku",
}
"""What a weakness is, in words that follow a name."""


def profile_lines(player: str, games: Sequence[GameProfile]) -> Iterator[str]:
    """Yield the scores of a player, and, from ``LEAST_GAMES`` on, its weaknesses and what stands out."""
    name = printable(player)
    scores = [game.score for game in games if game.score is not None]
    yield f"{name}: {len(games)} games of four players reviewed by expert"
    if scores:
        loss = sum(game.loss for game in games) / len(games)
        yield f"mean score {sum(scores) / len(scores):.0f} of 100, {loss:,.0f} points lost a kyoku"
    if len(games) < LEAST_GAMES:
        yield f"the profile begins with {LEAST_GAMES} games"
        return
    yield ""
    head = (name, "times", "rate", "95 % interval", "usual", "points a game")
    yield from columns([head, *map(_row, every_finding(games, PEOPLE))], right=range(1, 6))
    yield ""
    found = strongest(games, PEOPLE)
    if not found:
        yield "nothing that chance does not explain"
    for each in found:
        yield f"{name} {WORDS[each.weakness]}: {each.hits} of {each.chances} times"


def _row(finding: ProfileFinding) -> tuple[str, ...]:
    return (
        WORDS[finding.weakness],
        f"{finding.hits} of {finding.chances}",
        f"{finding.rate:.1%}",
        _range(finding.interval),
        _range(finding.usual),
        f"{finding.loss:,.0f}",
    )


def _range(ends: tuple[float, float]) -> str:
    return f"{ends[0]:.1%} to {ends[1]:.1%}"


def findings_data(games: Sequence[GameProfile]) -> dict[str, Any]:
    """Return the same as data for JSON: no findings below ``LEAST_GAMES``, those that stand out marked."""
    data: dict[str, Any] = {
        "games": len(games),
        "least": LEAST_GAMES,
        "scores": [game.score for game in games],
        "losses": [round(game.loss) for game in games],
        "findings": [],
    }
    if len(games) >= LEAST_GAMES:
        outstanding = strongest(games, PEOPLE)
        data["findings"] = [
            _finding_data(each, stands_out=each in outstanding) for each in every_finding(games, PEOPLE)
        ]
    return data


def _finding_data(finding: ProfileFinding, *, stands_out: bool) -> dict[str, Any]:
    return {
        "weakness": finding.weakness.value,
        "chances": finding.chances,
        "hits": finding.hits,
        "rate": round(finding.rate, 4),
        "interval": [round(end, 4) for end in finding.interval],
        "usual": [round(end, 4) for end in finding.usual],
        "loss": round(finding.loss),
        "stands_out": stands_out,
    }
