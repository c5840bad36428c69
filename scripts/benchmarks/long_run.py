"""Many hanchan in one server process: growth of memory and of the cost of a hanchan."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import pairwise

from scripts.benchmarks.figures import Section
from scripts.benchmarks.processes import MeasuredProcess, Usage
from scripts.benchmarks.server import OPTIONS, play_over_tcp
from ump.text.progress import show_progress

BLOCKS = 10
"""Number of lines in the table."""


def measure_long_run(hanchan: int) -> Section:
    """Play one game after the other on one server; four new clients connect for each game."""
    section = Section(f"Long run: {hanchan} hanchan over TCP, one after the other in one server process")
    marks: list[tuple[int, Usage]] = []
    with ExitStack() as stack:
        server = MeasuredProcess("server", *OPTIONS)
        stack.callback(server.stop)
        play_over_tcp(server.address)  # to warm up
        for number in range(hanchan + 1):
            if number * BLOCKS // hanchan > (number - 1) * BLOCKS // hanchan:
                marks.append((number, server.request()))
            if number < hanchan:
                show_progress(f"hanchan {number + 1} of {hanchan}")
                play_over_tcp(server.address)
    costs = []
    for (since, before), (until, after) in pairwise(marks):
        costs.append((after.seconds - before.seconds) / (until - since) * 1e3)
        section.lines.append(
            {
                "hanchan": f"{since + 1} .. {until}",
                "ms/hanchan": costs[-1],
                "memory MB after": after.memory / 1e6,
                "grown, kB": (after.memory - before.memory) // 1000,
            }
        )
    section.runs["ms/hanchan"] = costs
    return section
