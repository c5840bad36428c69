"""A proxy on the way to a server whose network can die without a word: bytes vanish, and no stream is closed."""

from __future__ import annotations

import select
import socket
from threading import Event, Thread
from types import TracebackType
from typing import Self

_CHUNK = 65_536
_LOOK = 0.02


class SwallowingProxy:
    """Passes bytes on, until it swallows them. A stream that has lost some never works again."""

    def __init__(self, target: int) -> None:
        """Lead to a port of this computer."""
        self._target = target
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._streams: dict[socket.socket, socket.socket] = {}
        self._dead: set[socket.socket] = set()
        self._is_over = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self.swallows = False
        """Whether bytes vanish now."""

    @property
    def port(self) -> int:
        """The port of the proxy."""
        return int(self._listening.getsockname()[1])

    def __enter__(self) -> Self:
        """Begin to pass bytes on."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close all streams."""
        self._is_over.set()
        self._thread.join()
        for each in (self._listening, *self._streams):
            each.close()

    def _run(self) -> None:
        while not self._is_over.is_set():
            for each in select.select([self._listening, *self._streams], [], [], _LOOK)[0]:
                if each is self._listening:
                    self._accept()
                elif each in self._streams:
                    self._pass_on(each)

    def _accept(self) -> None:
        near = self._listening.accept()[0]
        far = socket.create_connection(("127.0.0.1", self._target))
        self._streams |= {near: far, far: near}

    def _pass_on(self, source: socket.socket) -> None:
        other = self._streams[source]
        try:
            data = source.recv(_CHUNK)
            if self.swallows:
                self._dead |= {source, other}
            if data and source not in self._dead:
                other.sendall(data)
        except OSError:
            data = b""
        if not data:
            self._close(source, other)

    def _close(self, source: socket.socket, other: socket.socket) -> None:
        """Forget a stream that has ended. The other side of one that has lost bytes hears nothing of it."""
        for each in (source,) if source in self._dead else (source, other):
            self._streams.pop(each, None)
            each.close()
