"""File descriptors: how many connections and tables the limit of the process leaves room for.

The limit of descriptors (``RLIMIT_NOFILE``) is read once, at the start. A part of it is kept for files and for bots as
child processes. The rest is shared out between connections and tables, because each table keeps its journal and its
log open.
"""

from __future__ import annotations

from dataclasses import replace

from ump.model.value import value
from ump.net.connection_budget import Budget
from ump.net.limits import Limits

RESERVED = 64
"""Descriptors for ports, logs, the reactor, the index of games, the loading of modules, and traces that are renamed."""

OF_CHILD = 4
"""Descriptors of a bot as a child process: its three standard streams, and the pipe that it ends with."""

OF_TABLE = 2
"""Descriptors of a table: its journal, and its log."""

TABLE_SHARE = 3
"""A third of the descriptors that are left is for tables, if so many tables are allowed."""


@value
class Shares:
    """What the descriptors of a process leave room for."""

    limits: Limits
    descriptors: int
    is_short: bool
    """Whether the limits of the options had to be lowered."""


def shared_out(limits: Limits, descriptors: int | None, *, children: int, is_traced: bool) -> Shares:
    """Return limits for which the descriptors of a process suffice.

    ``descriptors`` is the soft limit of the process, None without one. ``children``: how many bots as child processes
    may run at a time. ``is_traced``: every connection also has a file open for its trace.
    """
    if descriptors is None:
        return Shares(limits, 0, is_short=False)
    left = max(0, descriptors - RESERVED - OF_CHILD * children)
    tables = min(limits.tables, max(1, left // TABLE_SHARE // OF_TABLE))
    each = 2 if is_traced else 1
    connections = min(limits.budget.connections, max(1, (left - tables * OF_TABLE) // each))
    is_short = (tables, connections) != (limits.tables, limits.budget.connections)
    return Shares(
        replace(limits, tables=tables, budget=_within(limits.budget, connections)), descriptors, is_short=is_short
    )


def _within(budget: Budget, connections: int) -> Budget:
    """Return a budget for fewer connections: none of its kinds gets more than half of them."""
    if connections >= budget.connections:
        return budget
    half = max(1, connections // 2)
    return replace(
        budget,
        connections=connections,
        newcomers=min(budget.newcomers, half),
        waiting=min(budget.waiting, half),
        spectators=min(budget.spectators, half),
        http_streams=min(budget.http_streams, half),
    )


def soft_limit() -> int | None:
    """Return the limit of descriptors of this process; None if the system has none."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft
