"""A reactor for short messages: Twisted's own on epoll, with a shorter way from a readable socket to its protocol.

Twisted's ``doPoll`` calls each reader through three layers that set a context for its older log. Nothing here uses that
log, and a table whose clients answer every message reads some 20,000 times a second, so the layers cost a sixth of the
server's time (docs/performance.md). Everything else is Twisted's: writing, errors, timers, signals, processes.

``ump serve`` installs it; ``twistd --reactor ump ump-server`` does so too. Where there is no epoll, Twisted's default
stays.
"""

from __future__ import annotations

import errno
import select
import sys

from twisted.internet.epollreactor import EPollReactor
from twisted.internet.main import installReactor
from twisted.logger import Logger


class ShortReactor(EPollReactor):
    """Twisted's reactor on epoll, with a shorter way for what can be read."""

    _log = Logger()

    def doPoll(self, timeout: float | None) -> None:
        """Wait for events, at most ``timeout`` seconds (None: without limit), and pass each to its reader or writer."""
        try:
            events = self._poller.poll(-1 if timeout is None else timeout, len(self._selectables))
        except OSError as error:
            if error.errno != errno.EINTR:
                raise
            return
        selectables = self._selectables
        for descriptor, event in events:
            selectable = selectables.get(descriptor)
            if selectable is None:
                continue  # an earlier event of this turn closed it
            if event != select.EPOLLIN:
                self._doReadOrWrite(selectable, descriptor, event)
                continue
            try:
                why = selectable.doRead()
            except BaseException as error:  # as in _doReadOrWrite: a bug ends one connection
                self._log.failure("internal error in a connection")
                why = error
            if why:
                self._disconnectSelectable(selectable, why, True)

    doIteration = doPoll


def install() -> None:
    """Make it the reactor of this process, unless there is one already."""
    if "twisted.internet.reactor" not in sys.modules:
        installReactor(ShortReactor())
