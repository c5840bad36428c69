"""A recorded game of libump, another implementation of UMP 0.2: the lines between its server and one bot."""

from __future__ import annotations

import gzip
from pathlib import Path


def transcript_lines(data: Path) -> list[str]:
    """Return the lines of the transcript, ``< `` before the server's and ``> `` before the bot's."""
    with gzip.open(data / "ump02" / "libump-game-c0.txt.gz", "rt", encoding="ascii") as lines:
        return [line.rstrip("\r\n") for line in lines]
