"""Endpoints: the places where a server listens, as the operator writes them, and the names under which it is reached.

The module imports Twisted only when it reads an endpoint: help and completion need not wait for it.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from pathlib import Path

from ump.model.choices import did_you_mean, quoted
from ump.model.value import value

LOCAL = "tcp:{}:interface=127.0.0.1"
"""The endpoint for a bare port number: only clients on the same computer can connect."""

MAX_PORT = 65_535

EXPECTED = "expected a port, as in 19000, or an endpoint, as in tcp:19000"


@value
class EndpointExample:
    """An endpoint that the documentation shows. The first of each kind stands in errors about it as well."""

    endpoint: str
    meaning: str

    @property
    def kind(self) -> str:
        """The word before the first colon."""
        return self.endpoint.partition(":")[0]


EXAMPLES = (
    EndpointExample("tcp:19000", "all addresses of the machine (IPv4)"),
    EndpointExample("tcp:19000:interface=192.0.2.1", "one of them"),
    EndpointExample("tcp6:19000", "all addresses of the machine, IPv6 and on most systems also IPv4"),
    EndpointExample("unix:/run/ump/ump.sock:mode=660", "a UNIX socket"),
    EndpointExample(
        "tls:/etc/ump/certs:19443",
        "TLS, with the PEM files of that folder, by host name; SIGHUP reads them again",
    ),
    EndpointExample("ssl:19443:privateKey=key.pem:certKey=cert.pem", "TLS, with these files"),
    EndpointExample("haproxy:tcp:19000", "behind a proxy that sends the PROXY header"),
    EndpointExample("systemd:domain=INET:index=0", "a socket that systemd has opened"),
)
"""The kinds of endpoints that Twisted has for servers."""


def read_endpoint(text: str) -> str:
    """Return the endpoint for a port or for a description in Twisted's form; raises ValueError if it is not valid."""
    if text.isascii() and text.isdecimal():
        if len(text) > len(str(MAX_PORT)) or int(text) > MAX_PORT:
            raise ValueError(f"{quoted(text)} is not a port; expected a number from 0 to {MAX_PORT}")
        return LOCAL.format(text)
    _check(text)
    return text


def _check(endpoint: str) -> None:
    """Raise ValueError if an endpoint is not valid."""
    from twisted.internet.endpoints import serverFromString

    kind = endpoint.partition(":")[0]
    example = next((each.endpoint for each in EXAMPLES if each.kind == kind), None)
    try:
        serverFromString(object(), endpoint)
        inner = serverFromString(object(), endpoint.removeprefix("haproxy:"))
        problem = _overlooked(endpoint) or _certificate_problem(inner)
    except Exception as error:  # Twisted's parsers raise any exception
        problem = _explained(error)
    if problem is None:
        return
    if example is None:
        hint = did_you_mean(kind, (each.kind for each in EXAMPLES))
        raise ValueError(f"{quoted(endpoint)} is not a port or an endpoint{hint}; {EXPECTED}")
    raise ValueError(f"{quoted(endpoint)} is not a valid endpoint{problem}; expected one like {example}")


def _overlooked(endpoint: str) -> str | None:
    """Return what is wrong with an endpoint that Twisted accepts although nobody could connect to it."""
    kind, first, second, *_ = (*endpoint.removeprefix("haproxy:").split(":"), "", "")
    port = second if kind == "tls" else first
    if kind in ("tcp", "tcp6", "ssl", "tls") and port.isdecimal() and int(port[:6]) > MAX_PORT:
        return f", because {port[:6]} is not a port"
    if kind == "tls" and not any(Path(first).glob("*.pem")):  # Twisted would go on without certificates
        return f", because there is no PEM file in {first}"
    return None


def _certificate_problem(endpoint: object) -> str | None:
    """Return what is wrong with the certificates of an endpoint, which Twisted reads with the first connection."""
    from ump.net.listener import check_certificates

    try:
        check_certificates(endpoint)
    except ValueError as error:
        return f", because its certificate cannot be used ({error})"
    return None


def _explained(error: Exception) -> str:
    """Return the reason in an exception of Twisted's parsers, if it says more than the text."""
    from twisted.internet.error import VerifyError

    match error:
        case VerifyError():
            return f", because its certificate cannot be used ({error})"
        case OSError(strerror=str(reason), filename=str(name)):
            return f", because of {name}: {reason}"
        case OSError(strerror=str(reason)):
            return f", because of an error: {reason}"
        case IndexError() | KeyError():
            return ", because systemd has passed no such socket"
        case _:
            return ""


NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*", re.IGNORECASE)
"""A host name in ASCII, or an IPv4 address."""

_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^\s:\[\]/@]+?)\.?)(?::[0-9]{1,5})?")


def host_name(header: str) -> str | None:
    """Return the name or address in a ``Host`` header, in lower case and without the port; None if it has none."""
    found = _HOST.fullmatch(header)
    return None if found is None else (found["address"] or found["name"]).lower()


def read_host_name(text: str) -> str:
    """Return a name or an address of an option as ``host_name`` returns it; raises ValueError."""
    try:
        return str(ipaddress.ip_address(text.removeprefix("[").removesuffix("]")))
    except ValueError:
        if NAME.fullmatch(text) is None:
            raise ValueError(
                f"{quoted(text)} is not a host; expected a host name in ASCII without a port, as in mahjong.example"
            ) from None
        return text.lower()


class HostNames:
    """The names and addresses that requests may have as their ``Host``.

    A page of another server can make a browser resolve that server's name to this one (DNS rebinding), and then read
    what this server sends. Such requests name the other server as their host, so they are refused. An address cannot be
    rebound.
    """

    def __init__(self, names: Iterable[str]) -> None:
        """Accept these names or addresses, those of the loopback interface, and that which a stream has come to."""
        self._names = frozenset(names)

    def accept(self, name: str, local_address: str) -> bool:
        """Return whether a request on a stream to ``local_address`` ("" on a local socket) may have this host."""
        if name in self._names or name == "localhost" or name.endswith(".localhost"):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or str(address) in self._names or _is_same(address, local_address)


def _is_same(address: ipaddress.IPv4Address | ipaddress.IPv6Address, other: str) -> bool:
    """Return whether an address is another one, which may be an IPv4 address written as an IPv6 address."""
    try:
        local = ipaddress.ip_address(other.partition("%")[0])
    except ValueError:
        return False
    return address in (local, getattr(local, "ipv4_mapped", None))
