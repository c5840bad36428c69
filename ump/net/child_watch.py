"""Watches the sessions of bots from outside the server: ends what is left of them, also if the server is killed.

The server runs this file as one program for all its bots, and writes a line to it for each: ``+ PID`` when a bot has
started, ``- PID`` when it has ended. Then, or when the standard input ends because the server has died, every process
of the bot's session is killed: its own children too. A session with too many processes is killed as well.

    python child_watch.py PROCESSES

With 0 a session may have any number. Where there is no ``/proc``, the process group stands for the session, and
processes are not counted.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time

INTERVAL = 0.5
"""Seconds between two counts of processes."""

SHORTEST_PAUSE, LONGEST_PAUSE = 0.001, 0.01
"""Seconds between two looks at what is left of killed sessions: longer and longer."""


def sessions() -> dict[int, list[int]]:
    """Return the processes of each session; raises OSError without /proc."""
    found: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
                if fields[0] != b"Z":
                    found.setdefault(int(fields[3]), []).append(int(name))
    return found


def processes_of(chosen: set[int]) -> list[int]:
    """Return the processes of some sessions, as far as they can be known."""
    try:
        found = sessions()
    except OSError:
        return []
    return [process for session in chosen for process in found.get(session, ())]


def end(ending: set[int]) -> None:
    """Kill every process of some sessions: until there is none, because a process may fork meanwhile.

    A killed process is there for another moment. Looking at all processes costs more than waiting for it.
    """
    pause = SHORTEST_PAUSE
    for _ in range(100):
        for session in ending:
            with contextlib.suppress(OSError):
                os.killpg(session, signal.SIGKILL)
        left = processes_of(ending)
        for process in left:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        if not left:
            return
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def enforce(watched: set[int], most: int) -> None:
    """Kill the sessions that have more processes than they may have."""
    try:
        found = sessions()
    except OSError:
        return
    for session in watched:
        count = len(found.get(session, ()))
        if count > most:
            print(f"{session} {count}", flush=True)
            end({session})


def main(most: int) -> None:
    """Watch until the standard input ends."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)  # the server ends this program by closing its input
    watched: set[int] = set()
    unfinished = b""
    while True:
        ready, _, _ = select.select([0], [], [], INTERVAL if watched and most else None)
        if not ready:
            enforce(watched, most)
            continue
        data = os.read(0, 65_536)
        if not data:
            break
        *lines, unfinished = (unfinished + data).split(b"\n")
        ended: set[int] = set()
        for line in lines:
            sign, process = line.split()
            if sign == b"+":
                watched.add(int(process))
            else:
                ended.add(int(process))
        if ended:
            watched -= ended
            end(ended)
    end(watched)


if __name__ == "__main__":
    main(int(sys.argv[1]))
