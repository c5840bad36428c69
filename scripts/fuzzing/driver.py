"""Runs a target with many inputs, and keeps those that break it."""

from __future__ import annotations

import hashlib
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

from scripts.fuzzing.mutations import Mutator
from scripts.fuzzing.parsers import PARSER_TARGETS
from scripts.fuzzing.sessions import SESSION_TARGETS
from scripts.fuzzing.target import Target

TARGETS: dict[str, Target] = {target.name: target for target in (*PARSER_TARGETS, *SESSION_TARGETS)}
"""All targets by name."""

MOST_SECONDS = 5.0
"""CPU time of one input; more is a bug."""

MOST_FAILURES = 10
"""Different bugs after which a target is given up."""

MOST_ATTEMPTS = 400
"""Attempts to make a failing input smaller."""

NOTE_EVERY = 256
"""Inputs between two notes about the progress."""


class TooSlow(Exception):
    """An input needs too much time."""


@dataclass(frozen=True)
class Failure:
    """A bug, and the smallest input that shows it."""

    data: bytes
    where: str
    """The type of the exception and the line of our code that raised it: inputs with the same are one bug."""
    text: str
    """The traceback."""


@dataclass
class Fuzzed:
    """What a run has come to."""

    inputs: int = 0
    accepted: int = 0
    """Inputs that were not refused."""
    seconds: float = 0.0
    failures: dict[str, Failure] = field(default_factory=dict)


def fuzz(
    target: Target,
    inputs: int,
    seed: str,
    *,
    first: int = 0,
    seconds: float | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Fuzzed:
    """Run a target with inputs that follow from the seed, from the input with the number ``first`` on.

    With ``seconds`` it stops after this time. The seeds of the target themselves come first.
    """
    mutator = Mutator(target.seeds())
    fuzzed = Fuzzed()
    began = time.monotonic()
    for number in range(first, first + inputs):
        data = mutator.seeds[number] if number < len(mutator.seeds) else mutator.make(Random(f"{seed}/{number}"))
        failure = tried(target, data)
        fuzzed.inputs += 1
        fuzzed.accepted += failure is True
        if isinstance(failure, Failure) and failure.where not in fuzzed.failures:
            fuzzed.failures[failure.where] = smallest(target, failure)
        if fuzzed.inputs % NOTE_EVERY == 0:
            note(f"{target.name}: {fuzzed.inputs} of {inputs} inputs, {len(fuzzed.failures)} failures")
        over = seconds is not None and time.monotonic() - began >= seconds
        if over or len(fuzzed.failures) >= MOST_FAILURES:
            break
    fuzzed.seconds = time.monotonic() - began
    return fuzzed


def tried(target: Target, data: bytes) -> Failure | bool:
    """Run an input; return whether it was accepted, or the bug that it shows."""
    try:
        with _limited():
            return target.take(data)
    except Exception as error:  # any exception that is no refusal is what we look for
        return Failure(data, _where(error), "".join(traceback.format_exception(error)))


def smallest(target: Target, failure: Failure) -> Failure:
    """Return a failure of the same bug with a smaller input, found by leaving parts out."""
    attempts, size = 0, len(failure.data) // 2
    while size and attempts < MOST_ATTEMPTS:
        start = 0
        while start < len(failure.data) and attempts < MOST_ATTEMPTS:
            attempts += 1
            again = tried(target, failure.data[:start] + failure.data[start + size :])
            if isinstance(again, Failure) and again.where == failure.where:
                failure = again
            else:
                start += size
        size //= 2
    return failure


def save(failure: Failure, target: Target, folder: Path) -> Path:
    """Write the input of a failure to a file whose name follows from it, and return the file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{target.name}-{hashlib.sha256(failure.data).hexdigest()[:12]}.input"
    path.write_bytes(failure.data)
    return path


def _where(error: Exception) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if f"{'/'}ump/" in frame.filename]
    place = f"{frames[-1].filename.rpartition('/ump/')[2]}:{frames[-1].lineno}" if frames else "?"
    return f"{type(error).__name__} in {place}"


@contextmanager
def _limited() -> Iterator[None]:
    """Raise TooSlow after too much CPU time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlow(f"more than {MOST_SECONDS:g} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
