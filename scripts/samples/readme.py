"""Writes the README beside the sample games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from scripts.samples.catalogue import Sample
from ump.record.recorded_game import RecordedGame


def readme(games: Mapping[Sample, RecordedGame], confirmation: str) -> str:
    """Return the page: who made and confirmed the games, and what they show."""
    shows = Counter(name for sample in games for name in sample.shows)
    kyoku = sum(len(game.kyoku) for game in games.values())
    presets = Counter(sample.rules for sample in games)
    lines = [
        "# Sample games",
        "",
        f"{len(games)} whole games, {kyoku} kyoku, between our own bots: tests replay them in a plain clone.",
        "`games.jsonl` lists the rules, the players and the seed of each, and what it shows. `scripts/sample-games`",
        "plays them again and compares them byte for byte; with `--write` it writes them, this page included. The",
        "files are mjlog, packed, with the walls and the rules.",
        "",
        "Confirmed when they were written: " + confirmation + ".",
        "",
        "RiichiEnv compares the table and the legal actions at every decision, and results, payments and what follows",
        "after every kyoku, in games of the rules that it knows; of three players it follows a game up to a third kan",
        "(docs/conformance.md says why). majiang-core replays the moves of all games of four, carries the scores from",
        "kyoku to kyoku, and values every hand that wins.",
        "",
        "| rules | games |",
        "|---|---|",
        *(f"| {name} | {count} |" for name, count in presets.items()),
        "",
        "| shows | games |",
        "|---|---|",
        *(f"| {name} | {count} |" for name, count in sorted(shows.items())),
    ]
    return "\n".join(lines) + "\n"
