"""Probes of TCP: a connection finds out that its peer has gone without a word. Servers and clients use them."""

from __future__ import annotations

import socket

KEEP_ALIVE = 30
"""Seconds after which a connection is lost whose peer's system does not answer: the table goes on without it."""

PROBE_INTERVAL = 5
"""Seconds between two questions to that system."""


def keep_alive(opened: socket.socket) -> None:
    """Let the system find out within KEEP_ALIVE seconds that a peer has gone without a word, where it can.

    The connections that a listening socket accepts inherit that.
    """
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    probes = KEEP_ALIVE // PROBE_INTERVAL // 2
    options = {
        "TCP_KEEPIDLE": KEEP_ALIVE - probes * PROBE_INTERVAL,
        "TCP_KEEPINTVL": PROBE_INTERVAL,
        "TCP_KEEPCNT": probes,
        "TCP_USER_TIMEOUT": KEEP_ALIVE * 1_000,  # milliseconds in which sent bytes must be acknowledged
    }
    for name, number in options.items():
        if hasattr(socket, name):
            opened.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), number)
