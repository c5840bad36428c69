"""Programs that are asked over their standard streams: their start, their last words, and their end.

Every program starts in a session of its own, with limits (``child_launch``), so that its processes end with it. Its
standard error is read at all times, and only the end of it is kept.

There are two drivers. ``PipedProgram`` waits for each answer: it is for a caller that has nothing else to do, such as
``ump join`` or a review, and needs no reactor. The server has other work meanwhile: its driver is
``ump.net.child_process``, with Twisted.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO

from ump.net.limits import KILL_SECONDS, MAX_TAIL, MEBIBYTE, PIPE_SECONDS, QUIT_SECONDS, ChildLimits
from ump.wire.json_text import MAX_OBJECT

# The start

PYTHON = (sys.executable, "-I", "-S")
"""The interpreter for the small programs beside this module, without site packages."""

_LAUNCH = str(Path(__file__).with_name("child_launch.py"))

PASSED_ON = ("PATH", "HOME", "LANG")
"""The variables of our environment that a program gets; the others could be secret."""

UNBUFFERED = ("PYTHONUNBUFFERED", "1")
"""Makes a bot in Python send each line at once. It would otherwise keep its output, and wait for ever."""

UNLIMITED = ChildLimits(cpu=0, memory=0, output=0, processes=0, nice=0)
"""The limits of a program that runs for the user who has started it."""


def launch_command(words: Sequence[str], limits: ChildLimits, folder: Path | None = None) -> list[str]:
    """Return the command that starts a program with its arguments in a session and folder of its own, with limits."""
    numbers = (os.getpid(), limits.nice, limits.cpu, limits.memory * MEBIBYTE, limits.output * MEBIBYTE)
    return [*PYTHON, _LAUNCH, *map(str, numbers), str(folder or "."), "--", *words]


def bot_environment() -> dict[str, str]:
    """Return the variables of the environment that a bot gets."""
    return dict([UNBUFFERED, *((name, os.environ[name]) for name in PASSED_ON if name in os.environ)])


# Standard error

MAX_STDERR_LINE = 1_024
"""Bytes of a line on standard error that are passed on."""

TRACEBACK = "Traceback (most recent call last):"
"""The first line of a traceback; bots in Python often end with one when their input ends."""

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters, which must not reach a terminal or a log; tabs and line feeds are allowed."""


def without_controls(data: bytes) -> str:
    """Return text of a bot as a terminal or a log may show it."""
    return _CONTROLS.sub("", data.decode("utf-8", "replace")).strip()


def ignore(line: str) -> None:
    """Ignore a line."""


class LastWords:
    """The standard error of a program: passes its lines on, and keeps the end."""

    def __init__(self, hear: Callable[[str], None] = ignore) -> None:
        """``hear`` takes each line, without control characters and cut to MAX_STDERR_LINE bytes."""
        self._hear = hear
        self._tail = bytearray()
        self._line = b""
        """The line that is not complete."""

    def take(self, data: bytes) -> None:
        """Take what the program has written."""
        self._tail += data
        del self._tail[:-MAX_TAIL]
        *lines, self._line = (self._line + data).split(b"\n")
        for line in lines:
            self._pass_on(line)
        if len(self._line) > MAX_STDERR_LINE:
            self.end()

    def end(self) -> None:
        """Pass on the line that is not complete, if there is one."""
        if self._line:
            self._pass_on(self._line)
            self._line = b""

    @property
    def text(self) -> str:
        """The end of it, at most MAX_TAIL bytes."""
        return without_controls(bytes(self._tail))

    @property
    def last_line(self) -> str:
        """Its last line; empty if the program has said nothing."""
        return self.text.rpartition("\n")[2]

    def _pass_on(self, line: bytes) -> None:
        self._hear(_CONTROLS.sub("", line[:MAX_STDERR_LINE].decode("utf-8", "replace")))


# A program whose answers are waited for


class ProgramError(Exception):
    """A program that does not do what it should; the message says what it does instead."""


class ProgramEnded(ProgramError):
    """A program that has ended; the message is ``status 1`` or ``signal 9``."""


class ProgramSilent(ProgramError):
    """A program that does not answer in time."""


class PipedProgram:
    """A program that answers lines with lines, in time and within limits."""

    def __init__(
        self, words: Sequence[str], folder: Path | None, limits: ChildLimits, hear: Callable[[str], None] = ignore
    ) -> None:
        """Start the program in a folder; ``hear`` as in ``LastWords``. Raises ProgramError."""
        self.last_words = LastWords(hear)
        self._unread = b""
        """The output that nobody has received yet."""
        try:
            self._process = subprocess.Popen(
                launch_command(words, limits, folder),
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=bot_environment(),
            )
        except OSError as error:
            raise ProgramError(error.strerror or str(error)) from error
        self._input = _pipe(self._process.stdin)
        self._output = _pipe(self._process.stdout)
        os.set_blocking(self._input.fileno(), False)
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        """Read its standard error until the end, in a thread: the program must never wait until somebody reads it."""
        with _pipe(self._process.stderr) as errors:
            while data := errors.read(MAX_OBJECT):
                self.last_words.take(data)
        self.last_words.end()

    def send(self, lines: Sequence[str], seconds: float) -> None:
        """Send lines; raises ProgramError if the program has ended, or does not read them in so many seconds."""
        data = memoryview("".join(f"{line}\n" for line in lines).encode())
        until = time.monotonic() + seconds
        try:
            while data:
                if not select.select((), (self._input,), (), max(0.0, until - time.monotonic()))[1]:
                    raise ProgramSilent(f"it does not read its input for {seconds:g} s")
                data = data[os.write(self._input.fileno(), data) :]
        except OSError:
            raise self._ended() from None

    def receive(self, seconds: float) -> bytes:
        """Return the next line; raises ProgramError if none comes in so many seconds."""
        until = time.monotonic() + seconds
        while b"\n" not in self._unread:
            if not self._read(max(0.0, until - time.monotonic())):
                raise ProgramSilent(f"no answer in {round(seconds, 1):g} s")
        return self._next_line()

    def waiting(self) -> list[bytes]:
        """Return the lines that have come already; raises ProgramError for one that is too long."""
        lines = []
        size = 0
        while size < MAX_OBJECT and (b"\n" in self._unread or self._read(0.0, is_needed=False)):
            if b"\n" in self._unread:
                lines.append(self._next_line())
                size += len(lines[-1]) + 1
        return lines

    def finish(self) -> list[bytes]:
        """Close its input, and return the lines that it still writes in a short time; at most MAX_OBJECT bytes."""
        self._input.close()
        until = time.monotonic() + QUIT_SECONDS
        lines: list[bytes] = []
        size = 0
        with suppress(ProgramError):
            while size < MAX_OBJECT:
                lines.append(self.receive(until - time.monotonic()))
                size += len(lines[-1]) + 1
        return lines

    def end(self, patience: float = QUIT_SECONDS) -> None:
        """End the program with all of its processes, and wait until it has ended.

        It may end by itself for ``patience`` seconds after its input is closed; then it is terminated, at last killed.
        """
        self._input.close()
        if not self._ends_in(patience):
            self._signal(signal.SIGTERM)
            self._ends_in(KILL_SECONDS)
        self._signal(signal.SIGKILL)  # also to what is left of its session
        self._process.wait()
        self._output.close()
        self._listener.join(PIPE_SECONDS)

    def _ends_in(self, seconds: float) -> bool:
        """Wait for its end for so many seconds, and tell whether it has come."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _signal(self, number: signal.Signals) -> None:
        """Send a signal to its session; in its first instant the program has none, and gets the signal alone."""
        with suppress(OSError):
            os.killpg(self._process.pid, number)
        self._process.send_signal(number)

    def _read(self, seconds: float, *, is_needed: bool = True) -> bool:
        """Read more; return False if nothing comes in so many seconds.

        Raises ProgramError for a line that is too long, and, if more is needed, for a program that has ended.
        """
        if not select.select((self._output,), (), (), seconds)[0]:
            return False
        data = os.read(self._output.fileno(), MAX_OBJECT)
        if not data and is_needed:
            raise self._ended()
        self._unread += data
        if len(self._unread) > MAX_OBJECT and b"\n" not in self._unread:
            raise ProgramError("its answer is too long")
        return bool(data)

    def _next_line(self) -> bytes:
        line, _, self._unread = self._unread.partition(b"\n")
        return line.removesuffix(b"\r")

    def _ended(self) -> ProgramError:
        """Return how it ended, after all that it has said."""
        try:
            code = self._process.wait(PIPE_SECONDS)
        except subprocess.TimeoutExpired:
            return ProgramError("it has closed its standard streams")
        self._listener.join(PIPE_SECONDS)
        return ProgramEnded(f"status {code}" if code >= 0 else f"signal {-code}")


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    """Return a stream of a program that was started with pipes."""
    assert stream is not None
    return stream
