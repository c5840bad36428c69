"""The attackers of a siege, in one process.

    python -m scripts.sieging.attackers LINE_PORT HTTP_PORT ATTACK ..

The process writes ``"ready"``. It attacks after each ``"go"`` until ``"end"`` or the end of its standard input, and
then writes how many connections each attack has opened.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from collections.abc import Iterable, Sequence

from scripts.benchmarks.crowd_clients import report
from scripts.benchmarks.processes import raise_descriptors
from scripts.sieging.attacks import ATTACKS, Target, repeat

POLITENESS = 19
"""Increment of the nice value: real attackers have machines of their own."""


ADDRESSES = "127.0.{}.{}"
"""The addresses of attackers: others in each round, because the server lets a host rest that has broken protocols."""

FIRST = 2
"""The third number of the addresses in the first round."""


async def attack(lines: int, http: int, names: Sequence[str]) -> None:
    """Attack with these attacks, each from an address of its own, as often as the parent says."""
    for number in itertools.count(FIRST):
        if not await _word():
            return
        targets = {
            name: [
                Target(lines, http, ADDRESSES.format(number, index), f"{number} {name} {n}")
                for n in range(ATTACKS[name].connections)
            ]
            for index, name in enumerate(names, 1)
        }
        tasks = [asyncio.create_task(repeat(ATTACKS[name], each)) for name in names for each in targets[name]]
        await _word()
        await end(tasks)
        for each in itertools.chain.from_iterable(targets.values()):
            each.close()
        report({name: sum(each.attempts for each in targets[name]) for name in names})


async def end(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel tasks until they have ended: ``asyncio.wait_for`` of Python 3.11 may lose a cancellation."""
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=0.5)


async def _word() -> str:
    """Return a word of the parent, or "" at the end of the input."""
    return await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


if __name__ == "__main__":
    raise_descriptors()
    os.nice(POLITENESS)
    report("ready")
    asyncio.run(attack(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
