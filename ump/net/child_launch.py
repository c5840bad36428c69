"""Starts a bot in a session of its own, with limits, and becomes that bot.

The server runs this file as a program of its own before the bot. The function that ``fork`` could call in the server
for the same purpose (``preexec_fn``) may deadlock, because the server has threads. The file imports nothing of ump, and
is run without site packages: it costs about 10 ms.

    python child_launch.py SERVER NICE CPU DATA FILE FOLDER -- PROGRAM ARGUMENT ..

``SERVER`` is the process id of the server. ``NICE`` is added to the nice value of the server, so that
the server gets a core before its bots. ``CPU`` is in seconds, ``DATA`` and ``FILE`` are in bytes; 0 sets no limit.
``FOLDER`` is where the bot runs. The server does not change into it itself: then Python would have to fork the whole
server, which blocks it for up to 30 ms, where ``posix_spawn`` takes one.
"""

from __future__ import annotations

import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

PR_SET_PDEATHSIG = 1
"""The option of Linux's ``prctl`` that chooses a signal for the death of the parent."""

ATTEMPTS = 4
"""Attempts to lower the priority of the session."""

PAUSE = 0.1
"""Seconds between two of them."""

NOT_STARTED = 127
"""The exit status if the program cannot be started, as in shells."""


def main(arguments: list[str]) -> None:
    """Become the program, or end with a line on standard error."""
    separator = arguments.index("--")
    *numbers, folder = arguments[:separator]
    server, nice, *limits = map(int, numbers)
    words = arguments[separator + 1 :]
    os.setsid()
    _die_with(server)
    _limit(limits)
    _step_back(nice)
    try:
        os.chdir(folder)
    except OSError as error:
        _give_up(folder, error)
    try:
        os.execvp(words[0], words)
    except OSError as error:
        _give_up(words[0], error)


def _give_up(name: str, error: OSError) -> NoReturn:
    """End with a line about the file that cannot be used."""
    print(f"{name}: {error.strerror}", file=sys.stderr, flush=True)
    os._exit(NOT_STARTED)


def _die_with(server: int) -> None:
    """Let the kernel kill this process when the server dies, where there is such a function."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != server:  # it has died meanwhile
        os._exit(NOT_STARTED)


def _step_back(nice: int) -> None:
    """Lower the priority of this process, and of its session: Linux may share the cores among sessions first."""
    os.nice(nice)
    for _ in range(ATTEMPTS):
        try:
            with open("/proc/self/autogroup", "w", encoding="ascii") as group:
                group.write(str(nice))
        except BlockingIOError:  # the kernel lets users do this ten times a second, all together
            time.sleep(PAUSE)
        except OSError:  # there is no such thing here
            return
        else:
            return


def _limit(limits: list[int]) -> None:
    """Set the limits that are not 0. A limit above the one that the server has itself stays there."""
    import resource

    for kind, most in zip((resource.RLIMIT_CPU, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE), limits, strict=True):
        if most:
            _, hard = resource.getrlimit(kind)
            allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (allowed, allowed))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main(sys.argv[1:])
