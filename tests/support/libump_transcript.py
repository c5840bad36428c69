"""A whole game between libump's server and bots, as one of the bots saw it: UMP 0.2 from another implementation."""

from __future__ import annotations

import gzip
from pathlib import Path


def transcript_lines(data: Path) -> list[str]:
    """Return the lines of the transcript, ``< `` before the server's and ``> `` before the bot's."""
    with gzip.open(data / "ump02" / "libump-game-c0.txt.gz", "rt", encoding="ascii") as lines:
        return [line.rstrip("\r\n") for line in lines]
