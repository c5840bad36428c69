"""Runs a target with many inputs, and keeps those that break it."""

from __future__ import annotations

import hashlib
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

from scripts.fuzzing.mutations import Mutator

MOST_SECONDS = 5.0  # CPU time of one input; more is a bug
MOST_FAILURES = 10  # different bugs after which a target is given up
MOST_ATTEMPTS = 400  # attempts to make a failing input smaller
NOTE_EVERY = 256  # inputs between two notes about the progress


@dataclass(frozen=True)
class Taken:
    """The outcome of an input that has shown no bug."""

    is_accepted: bool
    messages: int = 0  # how many changed messages were said in a session


@dataclass(frozen=True)
class Target:
    """A part of the program that takes bytes from outside."""

    name: str
    about: str
    seeds: Callable[[], Sequence[bytes]]  # returns good inputs, which are then changed
    run: Callable[[bytes], object]  # takes an input: raises one of ``refusals``, or nothing
    refusals: tuple[type[Exception], ...] = ()
    """The documented errors. Any other exception is a bug."""
    is_session: bool = False
    """Whether an input is what a client says in a whole game, a message on each line.

    Then half to all messages are changed, and ``run`` returns how many changed ones were said before the game was over.
    """

    def take(self, data: bytes) -> Taken:
        try:
            said = self.run(data)
        except self.refusals:
            return Taken(is_accepted=False)
        return Taken(is_accepted=True, messages=said if self.is_session and isinstance(said, int) else 0)


class TooSlow(Exception):
    """An input needs too much time."""


@dataclass(frozen=True)
class Failure:
    """A bug, and the smallest input that shows it."""

    data: bytes
    where: str  # the type of the exception and the line of our code that raised it: inputs with the same are one bug
    text: str  # the traceback


@dataclass
class Fuzzed:
    """The result of a run."""

    inputs: int = 0
    accepted: int = 0  # inputs that were not refused
    messages: int = 0  # changed messages that were said in sessions
    seconds: float = 0.0
    is_broken_off: bool = False  # whether Ctrl-C has ended the run
    failures: dict[str, Failure] = field(default_factory=dict)


def fuzz(
    target: Target,
    inputs: int,
    seed: str,
    *,
    first: int = 0,
    seconds: float | None = None,
    messages: int | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Fuzzed:
    """Run a target with inputs that follow from the seed, from the input with the number ``first`` on.

    It stops after this many ``seconds``, or changed ``messages`` of games, if they are given. The seeds of the target
    themselves come first.
    """
    mutator = Mutator(target.seeds())
    fuzzed = Fuzzed()
    began = time.monotonic()
    try:
        for number in range(first, first + inputs):
            result = tried(target, _input(target, mutator, seed, number))
            fuzzed.inputs += 1
            if isinstance(result, Taken):
                fuzzed.accepted += result.is_accepted
                fuzzed.messages += result.messages
            elif result.where not in fuzzed.failures:
                fuzzed.failures[result.where] = smallest(target, result)
            if fuzzed.inputs % NOTE_EVERY == 0:
                note(f"{target.name}: {fuzzed.inputs} of {inputs} inputs, {len(fuzzed.failures)} failures")
            is_late = seconds is not None and time.monotonic() - began >= seconds
            is_enough = messages is not None and fuzzed.messages >= messages
            if is_late or is_enough or len(fuzzed.failures) >= MOST_FAILURES:
                break
    except KeyboardInterrupt:
        fuzzed.is_broken_off = True
    fuzzed.seconds = time.monotonic() - began
    return fuzzed


def _input(target: Target, mutator: Mutator, seed: str, number: int) -> bytes:
    """Return the input of a number: first the seeds themselves, then changed ones."""
    if number < len(mutator.seeds):
        return mutator.seeds[number]
    chance = Random(f"{seed}/{number}")
    return mutator.make_session(chance) if target.is_session else mutator.make(chance)


def tried(target: Target, data: bytes) -> Failure | Taken:
    """Run an input; return what became of it, or the bug that it shows."""
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
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "ump/" in frame.filename]
    place = f"{frames[-1].filename.rpartition('ump/')[2]}:{frames[-1].lineno}" if frames else "?"
    return f"{type(error).__name__} in {place}"


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooSlow(f"more than {MOST_SECONDS:g} s of CPU time")


@contextmanager
def _limited() -> Iterator[None]:
    if signal.getsignal(signal.SIGVTALRM) is not _stop:
        signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
