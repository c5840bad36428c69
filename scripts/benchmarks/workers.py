"""Worker processes: the CPU time of the front and of its workers, beside a server without workers."""

from __future__ import annotations

from statistics import median

from scripts.benchmarks.crowd import HANCHAN, CrowdResult, crowd
from scripts.benchmarks.figures import Section, quantile
from ump.text.progress import show_progress

SIZES = (100, 400)
"""Tables at once."""

WORKERS = (0, 1, 2)
"""Worker processes."""


def measure_workers(runs: int, seconds: float) -> Section:
    """Measure each number of tables with each number of workers, in turns."""
    section = Section(
        f"Workers: tables in processes of their own, with journals, {runs} runs of {seconds:g} s in turns"
    )
    for tables in SIZES:
        measured: dict[int, list[CrowdResult]] = {workers: [] for workers in WORKERS}
        for run in range(runs):
            for workers in WORKERS:
                show_progress(f"{tables} tables, {workers} workers, run {run + 1} of {runs}")
                measured[workers].append(crowd(tables, seconds, is_recorded=True, workers=workers))
        alone = median(result.milliseconds for result in measured[0])
        section.lines += [line(tables, workers, results, alone) for workers, results in measured.items()]
    section.notes.append("in all: CPU time of front and workers, as a multiple of the server without workers")
    section.notes.append(
        "speed-up: the rate at which the busiest process computes all the time, as a multiple of the server without "
        "workers; it needs a core for each process"
    )
    section.notes.append("here the processes share the cores with the clients, which the delay shows")
    return section


def line(tables: int, workers: int, results: list[CrowdResult], alone: float) -> dict[str, str | int | float | None]:
    """Return the medians of the runs with some workers; ``alone``: the CPU ms per hanchan of the server without."""
    front = median(result.milliseconds for result in results)
    each = median(result.worker_milliseconds for result in results)
    busiest = max(front, each / max(workers, 1))
    return {
        "tables": tables,
        "workers": workers,
        "answers/s": median(result.answers for result in results),
        "us/answer: front": front / HANCHAN * 1e3,
        "us/answer: workers": each / HANCHAN * 1e3,
        "in all": (front + each) / alone,
        "speed-up": alone / busiest,
        "no core free": f"{median(result.waiting for result in results):.0%}",
        "delay ms: p50": median(quantile(result.delays, 0.5) for result in results),
        "p99": median(quantile(result.delays, 0.99) for result in results),
        "connections lost": sum(result.lost for result in results),
    }
