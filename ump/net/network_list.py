"""Lists of addresses and networks: those that may not connect, and those that may read the status."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

from ump.model.choices import quoted

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


class NetworkList:
    """A set of networks. A look-up costs one step for each length of prefix in the list, however long the list is."""

    def __init__(self, networks: Iterable[Network] = ()) -> None:
        self._networks: dict[tuple[int, int], set[int]] = {}
        """The leading bits of all networks, by the version of IP and the number of these bits."""
        for network in networks:
            key = network.version, network.prefixlen
            first = int(network.network_address) >> (network.max_prefixlen - network.prefixlen)
            self._networks.setdefault(key, set()).add(first)

    @classmethod
    def parse(cls, text: str) -> NetworkList:
        """Read one address or network on each line; ``#`` begins a remark. Raises ValueError with the line."""
        networks = []
        for number, line in enumerate(text.splitlines(), 1):
            written = line.partition("#")[0].strip()
            if written:
                try:
                    networks.append(read_network(written))
                except ValueError as error:
                    raise ValueError(f"line {number}: {error}") from None
        return cls(networks)

    def __len__(self) -> int:
        return sum(map(len, self._networks.values()))

    def __contains__(self, address: str) -> bool:
        """Return whether the list holds an address. It holds no other names, as that of a UNIX socket."""
        if not self._networks:
            return False
        try:
            found = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
            found = found.ipv4_mapped
        bits = int(found)
        return any(
            version == found.version and bits >> (found.max_prefixlen - length) in firsts
            for (version, length), firsts in self._networks.items()
        )


def read_network(text: str) -> Network:
    """Return an address or a network as a network; raises ValueError."""
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise ValueError(
            f"{quoted(text)} is not an address or a network; expected one like 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32"
        ) from None


def read_networks(path: str) -> NetworkList:
    """Return the addresses and networks of a file; raises ValueError."""
    try:
        return NetworkList.parse(Path(path).read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"{quoted(path)} cannot be read ({error.strerror or error})") from error
    except ValueError as error:  # UnicodeDecodeError is one
        raise ValueError(f"{quoted(path)}: {error}") from error


LOOPBACK = ("127.0.0.0/8", "::1")
"""The networks of this computer."""

NOBODY = NetworkList()
"""Denies no address."""
