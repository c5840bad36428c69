"""``scripts/lab/processes.py``: what a killed process leaves behind, and ports that nobody else gets."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from support.programs import start

from scripts.lab.processes import LOOPBACK, free_port, wait_until

pytestmark = pytest.mark.once

PARENT = """
from pathlib import Path
from scripts.lab.processes import Process
process = Process(["sh", "-c", "sleep 100 & wait"], Path())
print(f"listening on 127.0.0.1 port {process.number}", flush=True)
process._process.wait()
"""


def test_processes_end_with_the_one_that_started_them() -> None:
    """Also if it is killed, with all that they have started."""
    with start("-c", PARENT) as parent:
        group = parent.port()
        os.killpg(group, 0)
        parent.kill()
    assert wait_until(lambda: not _is_alive(group), 10.0)


def _is_alive(group: int) -> bool:
    """Return whether a process of the group runs; dead ones, which nobody has waited for, do not count."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, found, *_ = (folder / "stat").read_text("utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(found) == group and state != "Z":
            return True
    return False


def test_a_free_port_is_kept() -> None:
    """A server gets it, and the system gives it to nobody who asks for any port."""
    port = free_port()
    with socket.create_server((LOOPBACK, port)):
        pass
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind((LOOPBACK, port))
