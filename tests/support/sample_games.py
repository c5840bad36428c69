"""The sample games of our own bots in tests/data/games, which a plain clone has."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ump.record.conversion import Conversion, convert

GAMES = Path(__file__).resolve().parent.parent / "data" / "games"
SUFFIX = ".mjlog.gz"

EAGER, EFFICIENCY, MIXED = "tenhou-eager-1", "tenhou-efficiency-1", "tenhou-mixed-1"
"""Three games by Tenhou's rules; the eager one has many riichi, calls and kans."""


STOPPED = "stopped"
"""The eager game, stopped in the middle of its fourth kyoku: an mjai log."""


def sample_files() -> list[Path]:
    """Return the files of all games, sorted."""
    return sorted(GAMES.glob(f"*{SUFFIX}"))


@cache
def sample(name: str) -> bytes:
    """Return the file of a game."""
    if name == STOPPED:
        return _stopped()
    return (GAMES / f"{name}{SUFFIX}").read_bytes()


def _stopped() -> bytes:
    lines = converted(EAGER, "mjai").splitlines(keepends=True)
    starts = [place for place, line in enumerate(lines) if b'"start_kyoku"' in line]
    return b"".join(lines[: starts[3] + 40])


@cache
def converted(name: str, key: str) -> bytes:
    """Return a game in another format."""
    return convert(name, sample(name), Conversion(key)).games[0]
