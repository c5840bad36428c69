"""Tells which service answers at a port, for clients that have reached the wrong one."""

from __future__ import annotations

import re
from enum import Enum


class Service(Enum):
    """A service, as messages to people name it."""

    UMP = "UMP"
    MJAI = "mjai in lock-step"
    MAJIANG = "Majiang"
    HTTP = "HTTP (and WebSocket)"
    SSH = "SSH"


PORTS = {Service.UMP: 19000, Service.MJAI: 11600, Service.MAJIANG: 19001, Service.HTTP: 8080}
"""The usual port of each service of a ump server."""

_STARTS = (
    (Service.HTTP, re.compile(rb"HTTP/1\.[01] ")),
    (Service.SSH, re.compile(rb"SSH-")),
    (Service.UMP, re.compile(rb"0 (hello|error)\b")),
    (Service.MJAI, re.compile(rb'\{"type": ?"(hello|error)"')),
    (Service.MAJIANG, re.compile(rb'\{"error":')),
)

PROBE = b"GET / HTTP/1.0\r\n\r\n"
"""Bytes that every service of a ump server answers in its own way, if it has said nothing by itself."""


def service_of(answer: bytes) -> Service | None:
    """Return the service whose first bytes these are, or None if they are those of no known service."""
    return next((service for service, start in _STARTS if start.match(answer)), None)


def wrong_service(answer: bytes, expected: Service, address: str) -> str:
    """Return a message about a port at which another service than the expected one answers, or nothing."""
    found = service_of(answer)
    usual = f"{expected.value} is usually on port {PORTS[expected]}"
    if found is not None:
        return f"{address} is a port for {found.value}; {usual}"
    if answer:
        return f"{address} does not speak {expected.value}: {answer[:60].decode('ascii', 'replace')!a}; {usual}"
    return f"{address} does not speak {expected.value}: it sends nothing; {usual}"
