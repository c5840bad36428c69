"""A reactor for games: Twisted's own on epoll, with players first.

Twisted serves all sockets that are ready before it looks for others, so a hundred clients that connect or leave
together delay every answer at a table by tens of milliseconds. Here players come first, and the others get a short time
in each turn; those who get none are the first of the others in the next turn. Everything else is Twisted's, but for the
layers that set a context for its older log at each read, which nothing here uses.

Twisted has no public way to choose an order, so the reactor uses three private members of its base class
(``_poller``, ``_selectables``, ``_doReadOrWrite``). It stays because the p99 of a besieged server was 8.8 times as long
with Twisted's reactor alone, and 2.5 times with ``pauseProducing`` for clients who do not play (``scripts/siege``).

``ump serve`` installs it; ``twistd --reactor ump ump-server`` does so too. Where there is no epoll, Twisted's default
stays.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator, Sequence
from time import monotonic

from twisted.internet.epollreactor import EPollReactor
from twisted.internet.main import installReactor
from twisted.internet.tcp import Port

from ump.net.connection_budget import ConnectionKind, ConnectionPlace

FEW = 2
"""Events of one turn that are all served, in any order."""

OTHERS_SECONDS = 0.0005
"""Time for those who do not play in a turn with more events."""

ACCEPTS = 2
"""New connections that a port accepts in a turn: about half a millisecond. Twisted accepts up to a hundred."""


class PlayersFirstReactor(EPollReactor):
    """Twisted's reactor on epoll, with players first."""

    seconds = staticmethod(monotonic)

    def __init__(self) -> None:
        super().__init__()
        self._left: dict[int, None] = {}
        """The descriptors that got no time in the last turn with many events; those that wait longest come first."""

    def doPoll(self, timeout: float | None) -> None:
        """Wait for events, at most ``timeout`` seconds (None: without limit), and pass each to its reader or writer."""
        try:
            events = self._poller.poll(-1 if timeout is None else timeout, len(self._selectables))
        except OSError as error:
            if error.errno != errno.EINTR:
                raise
            return
        selectables = self._selectables
        for descriptor, event in events if len(events) <= FEW else self._in_order(events):
            selectable = selectables.get(descriptor)
            if selectable is None:
                continue  # an earlier event of this turn closed it
            if isinstance(selectable, Port):
                selectable.numberAccepts = ACCEPTS  # Twisted changes it after each turn
            self._doReadOrWrite(selectable, descriptor, event)

    doIteration = doPoll

    def _in_order(self, events: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield the events of players, then of others until their time is over; epoll reports the rest again."""
        others: dict[int, int] = {}
        for descriptor, event in events:
            if _plays(self._selectables.get(descriptor)):
                yield descriptor, event
            else:
                others[descriptor] = event
        waiting = [descriptor for descriptor in self._left if descriptor in others]
        self._left = dict.fromkeys([*waiting, *others])
        end = monotonic() + OTHERS_SECONDS
        for descriptor in tuple(self._left):
            del self._left[descriptor]
            yield descriptor, others[descriptor]
            if monotonic() >= end:
                return


def _plays(selectable: object) -> bool:
    """Return whether what is ready belongs to a player at a table."""
    protocol: object = getattr(selectable, "protocol", None)
    while (inner := getattr(protocol, "wrappedProtocol", None)) is not None:
        protocol = inner  # TLS, or the header of a proxy
    place: ConnectionPlace | None = getattr(protocol, "place", None)
    return place is not None and place.kind is ConnectionKind.PLAYER


def install() -> None:
    """Make it the reactor of this process, unless there is one already."""
    if "twisted.internet.reactor" not in sys.modules:
        installReactor(PlayersFirstReactor())
