"""The client of a request that has come through a proxy, as the headers of trusted proxies name it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from ipaddress import ip_address
from typing import Literal, TypeAlias

from ump.model.choices import quoted
from ump.model.value import value
from ump.net.connection_budget import Network, NetworkList, read_network

UNIX: Literal["unix"] = "unix"
"""The word for proxies that connect to a UNIX socket."""

Proxy: TypeAlias = Network | Literal["unix"]

HeadersOf: TypeAlias = Callable[[str], list[str]]
"""Returns the values of all headers of a name."""

ENCRYPTED = frozenset({"https", "wss"})
"""The protocols of encrypted requests; Traefik says wss for WebSockets."""

_PAIR = re.compile(r'\s*(?:([A-Za-z0-9_-]+)=("(?:[^"\\]|\\.)*"|[^\s",;]*))?\s*([,;]|\Z)')
"""A parameter of ``Forwarded`` and what follows it: a comma ends an element (RFC 7239, section 4)."""

_NODE = re.compile(r"\[(?P<ipv6>[0-9A-Fa-f:.]+)\](?::[0-9]+)?|(?P<ipv4>[0-9.]+)(?::[0-9]+)?|(?P<bare>[0-9A-Fa-f:.]+)")
"""An address, which may have a port."""


def read_proxy(text: str) -> Proxy:
    """Return an address or network of proxies, or ``unix``; raises ValueError."""
    if text == UNIX:
        return UNIX
    try:
        return read_network(text)
    except ValueError as error:
        raise ValueError(f"{error}, or unix") from None


class TrustedProxies:
    """The proxies whose headers name clients. No other peer can pass itself off as somebody else."""

    def __init__(self, proxies: Iterable[Proxy] = ()) -> None:
        every = tuple(proxies)
        self._networks = NetworkList(each for each in every if each != UNIX)
        self._has_unix = UNIX in every

    def __contains__(self, host: str) -> bool:
        """Return whether a peer is one of them; "" is a peer of a UNIX socket."""
        return host in self._networks if host else self._has_unix

    def client(self, headers: HeadersOf) -> ForwardedClient | None:
        """Return the client that the headers of a trusted peer name, or None; raises ValueError.

        It is the last address that is not of a trusted proxy: clients may have written those before it. Both headers
        have to name the same one, because a proxy that writes one of them may pass on what a client wrote in the other.
        """
        elements = list(_elements(headers("forwarded")))
        chains = [[each.strip() for header in headers("x-forwarded-for") for each in header.split(",")]]
        chains.append([each["for"] for each in elements if "for" in each])
        hosts = {self._last_outside(chain) for chain in chains if chain}
        if len(hosts) > 1:
            raise ValueError("X-Forwarded-For and Forwarded name different clients")
        protocols = [each.strip().lower() for header in headers("x-forwarded-proto") for each in header.split(",")]
        protocols += [each["proto"].lower() for each in elements if "proto" in each]
        is_encrypted = bool(protocols) and ENCRYPTED.issuperset(protocols)
        return ForwardedClient(hosts.pop(), is_encrypted) if hosts else None

    def _last_outside(self, chain: list[str]) -> str:
        """Return the last address in a chain that is not of a trusted proxy, or else the first one."""
        host = ""
        for node in reversed(chain):
            host = _address(node)
            if host not in self:
                break
        return host


NO_PROXIES = TrustedProxies()
"""No header counts."""


@value
class ForwardedClient:
    """The client behind a proxy."""

    host: str
    """Its address."""
    is_encrypted: bool
    """Whether its connection to the proxy is encrypted."""


def _address(node: str) -> str:
    """Return an address without its port; raises ValueError."""
    found = _NODE.fullmatch(node)
    if found is None:
        raise ValueError(f"the proxy names no address: {quoted(node)}")
    return str(ip_address(found["ipv6"] or found["ipv4"] or found["bare"]))


def _elements(headers: list[str]) -> Iterator[dict[str, str]]:
    """Yield the parameters of each element of ``Forwarded`` headers, in lower case; raises ValueError."""
    for header in headers:
        element: dict[str, str] = {}
        place = 0
        while place <= len(header):
            found = _PAIR.match(header, place)
            if found is None or (found[1] or "").lower() in element:
                raise ValueError(f"Forwarded: {quoted(header)} cannot be read")
            if found[1] is not None:
                element[found[1].lower()] = re.sub(r"\\(.)", r"\1", found[2].removeprefix('"').removesuffix('"'))
            if found[3] != ";":
                yield element
                element = {}
            place = found.end() + (not found[3])
