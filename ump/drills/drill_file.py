"""Files of drills: a JSON object on each line, compressed by gzip. The installation has one."""

from __future__ import annotations

import gzip
import io
import random
import zlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from ump.drills.drill import FOLD, NO, PASS, Drill, DrillError, DrillKind, read_drill
from ump.wire.json_text import read_document, write
from ump.wire.text import WireError

SHIPPED = "drills.jsonl.gz"
"""The file in the installation, made by ``ump drill make``."""

MOST_BYTES = 64 << 20
"""More than a file of drills has, unpacked."""

_SECOND_ANSWERS = frozenset((NO, PASS, FOLD))
"""The answers that turn something down: of each kind that has them, half of the drills."""


def read_drills(data: bytes) -> tuple[Drill, ...]:
    """Return the drills of a file; raises DrillError with the number of the line."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            content = packed.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DrillError(f"no file of drills: {error}") from None
    if len(content) > MOST_BYTES:
        raise DrillError(f"unpacks to more than {MOST_BYTES:,} bytes")
    drills = []
    for number, line in enumerate(content.splitlines(), 1):
        try:
            drills.append(read_drill(read_document(line)))
        except (WireError, DrillError) as error:
            raise DrillError(f"line {number}: {error}") from None
    return tuple(drills)


def write_drills(drills: Iterable[Drill]) -> bytes:
    """Return the bytes of a file; equal drills give equal bytes."""
    text = "".join(f"{write(drill.data())}\n" for drill in drills)
    return gzip.compress(text.encode(), mtime=0)


@cache
def shipped_drills() -> tuple[Drill, ...]:
    """Return the drills of the installation. They are read once, in some 100 ms."""
    return read_drills(files("ump.drills").joinpath(SHIPPED).read_bytes())


def selected(drills: Iterable[Drill], most: int, seed: str) -> list[Drill]:
    """Return at most so many drills of each kind, by chance, each once; of yes and no, as many of both."""
    by_answer: dict[DrillKind, dict[bool, list[Drill]]] = {kind: {True: [], False: []} for kind in DrillKind}
    for drill in {each.id: each for each in drills}.values():
        by_answer[drill.kind][drill.right[0] in _SECOND_ANSWERS].append(drill)
    chance = random.Random(seed)
    chosen = []
    for one, other in ((both[False], both[True]) for both in by_answer.values()):
        chance.shuffle(one)
        chance.shuffle(other)
        if other:
            size = min(len(one), len(other), most // 2)
            one, other = one[:size], other[:size]
        chosen += [*one, *other][:most]
    return chosen
