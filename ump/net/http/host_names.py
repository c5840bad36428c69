"""The names under which an HTTP port is reached, as the ``Host`` of a request says them.

A page of another server can make a browser resolve that server's name to this one (DNS rebinding), and then read what
this server sends. Such requests name the other server as their host, so they are refused. An address cannot be rebound.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable

from ump.model.choices import quoted

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
    """The names and addresses that requests may have as their host."""

    def __init__(self, names: Iterable[str] = ()) -> None:
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
