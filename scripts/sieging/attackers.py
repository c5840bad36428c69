"""The attackers of a siege, in one process.

    python -m scripts.sieging.attackers LINE_PORT HTTP_PORT ATTACK ..

The process writes ``"ready"``, attacks after ``"go"`` until ``"end"`` or the end of its standard input, and writes how
many connections each attack has opened.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence

from scripts.benchmarks.crowd_clients import report
from scripts.benchmarks.processes import raise_descriptors
from scripts.sieging.attacks import ATTACKS, Target, repeat

POLITENESS = 19
"""Increment of the nice value: real attackers have machines of their own."""


async def attack(lines: int, http: int, names: Sequence[str]) -> None:
    """Attack with these attacks, each from an address of its own, until the parent says that it is over."""
    await _word()
    targets = {
        name: [Target(lines, http, f"127.0.2.{index + 1}", f"{name} {n}") for n in range(ATTACKS[name].connections)]
        for index, name in enumerate(names)
    }
    tasks = [asyncio.create_task(repeat(ATTACKS[name], each)) for name in names for each in targets[name]]
    await _word()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    report({name: sum(each.attempts for each in targets[name]) for name in names})


async def _word() -> None:
    """Wait for a word of the parent, or the end of the input."""
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


if __name__ == "__main__":
    raise_descriptors()
    os.nice(POLITENESS)
    report("ready")
    asyncio.run(attack(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
