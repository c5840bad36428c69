"""Converts one record for the HTTP port in a process of its own, so that no table waits.

A thread would not do: it competes with all tables for Python's lock, and a conversion takes seconds of it. The process
has a low priority and limits, and dies with the server.
"""

from __future__ import annotations

import subprocess
import sys

from ump.net.child_process import launch_command
from ump.net.limits import ChildLimits
from ump.record import conversion_process
from ump.record.conversion_process import UNREADABLE
from ump.record.recorded_game import RecordError

LIMITS = ChildLimits(cpu=20, memory=1_024, output=64)

SECONDS = 40.0
"""Time for one conversion, its start included."""


def convert_apart(data: bytes, target: str) -> bytes:
    """Return what another process makes of a record in the bytes of a file. This waits, so call it in a thread.

    ``target`` is that of ``ump.record.conversion_process``. Raises RecordError, and RuntimeError for a fault of ours.
    """
    command = launch_command([sys.executable, "-m", conversion_process.__name__, target], LIMITS)
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise RecordError("the record takes too long to convert") from error
    if done.returncode == UNREADABLE:
        raise RecordError(done.stdout.decode())
    if done.returncode < 0:  # a signal: beyond its limits
        raise RecordError("the record takes too much time or memory to convert")
    if done.returncode:
        raise RuntimeError(done.stderr.decode("utf-8", "replace"))
    return done.stdout
