"""Budgets of hosts: how many connections of each kind, how often, and from which networks. Pure.

Connections without a hello and HTTP streams are newcomers to the server. A share of the budget is kept for each of
both, so that players and spectators who stay for long never lock newcomers out. If the budget runs short, idle
connections are closed first: HTTP streams between two requests, then clients without a hello, the oldest first. A host
that has all it may have closes its own HTTP streams between two requests first.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Callable, Iterable
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias, TypeVar

from ump.model.choices import quoted
from ump.model.setting import setting
from ump.model.value import value

K = TypeVar("K")

HOST_SHARE = 4
"""One host may hold a quarter of the budget of each kind."""

NEWCOMER_SHARE = 8
"""An eighth of all connections is kept for those without a hello, another eighth for HTTP streams."""

IPV6_HOST_BITS = 64
"""The leading bits of an IPv6 address that name a host: a provider gives each customer a whole /64 at least."""


HOSTS_KNOWN = 4_096
"""Addresses whose hosts are remembered: reading an address takes longer than everything else that refuses it."""


class ConnectionKind(Enum):
    """The purpose of an open connection. Each kind has a budget of its own."""

    NEWCOMER = "connections without a hello"
    WAITING = "waiting players"
    SPECTATOR = "spectators"
    PLAYER = "players"
    HTTP = "HTTP streams"

    @property
    def is_settled(self) -> bool:
        """Whether a connection of this kind may stay for as long as it likes."""
        return self in (ConnectionKind.WAITING, ConnectionKind.SPECTATOR, ConnectionKind.PLAYER)


@value
class Budget:
    """The numbers of connections that may be open at the same time."""

    connections: int = setting(4_000, "Limit on connections of all ports together.")
    """A thousand full tables."""
    per_host: int = setting(250, "Limit on connections from one host: an address, or a /64 of IPv6.")
    """Enough for a tournament of one computer's bots."""
    newcomers: int = setting(1_000, "Limit on connections without a hello.")
    waiting: int = setting(1_000, "Limit on players who wait for a table.")
    room_waiting: int = setting(500, "Limit on players who wait for a table in one room.", name="waiting-per-room")
    host_waiting: int = setting(100, "Limit on players of one host who wait for a table.", name="waiting-per-host")
    """Five hosts at least fill a room, and ten the server, whoever they are."""
    spectators: int = setting(1_000, "Limit on connections that watch.")
    http_streams: int = setting(2_000, "Limit on connections of HTTP ports, besides WebSockets.")
    """Two for each client that polls, and those that browsers keep for later requests."""

    def most(self, kind: ConnectionKind) -> int:
        """Return how many connections of a kind may be open."""
        match kind:
            case ConnectionKind.NEWCOMER:
                most = self.newcomers
            case ConnectionKind.WAITING:
                most = self.waiting
            case ConnectionKind.SPECTATOR:
                most = self.spectators
            case ConnectionKind.PLAYER:
                most = self.connections
            case ConnectionKind.HTTP:
                most = self.http_streams
        return min(most, self.connections)

    def most_of_host(self, kind: ConnectionKind) -> int:
        """Return how many connections of a kind one host may have. Players count against ``per_host`` only."""
        if kind is ConnectionKind.PLAYER:
            return self.per_host
        most = min(self.per_host, max(1, self.most(kind) // HOST_SHARE))
        return min(most, self.host_waiting) if kind is ConnectionKind.WAITING else most

    @property
    def most_left(self) -> int:
        """For how many players of one host seats may be kept who have lost their connections, before it is too much.

        Such a seat has no connection that counts, but its game takes the place of another one.
        """
        return max(1, self.per_host // HOST_SHARE)

    @property
    def most_settled(self) -> int:
        """The number of connections that may wait, watch and play together: the rest is kept for newcomers."""
        return self.connections - 2 * (self.connections // NEWCOMER_SHARE)


@lru_cache(HOSTS_KNOWN)
def host_of(address: str) -> str:
    """Return the host that an address belongs to: the address itself, or the /64 of an IPv6 address.

    An IPv4 address that is written as an IPv6 address is one host with the plain one. A name that is no address, as
    "" for UNIX sockets, is returned unchanged.
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found), IPV6_HOST_BITS), strict=False)) if not found.is_loopback else "::1"


class TurnedAway(Enum):
    """Why a connection was refused."""

    DENIED = "denied"
    """Its address is on the deny list."""
    VIOLATIONS = "violations"
    """Connections of its host have broken a protocol too often."""
    RATE = "rate"
    """Its host opens connections too fast."""
    HOST = "host"
    """Its host has too many connections."""
    FULL = "full"
    """There are too many connections."""


def is_local(address: str) -> bool:
    """Return whether an address is of this computer; "" is a UNIX socket."""
    try:
        return not address or ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


class ConnectionPlace:
    """The place of one open connection in the ledger."""

    __slots__ = ("_ledger", "displace", "host", "is_idle", "is_user", "kind", "room")

    def __init__(self, ledger: Ledger, kind: ConnectionKind, host: str, displace: Callable[[], object]) -> None:
        self._ledger = ledger
        self.kind = kind
        self.host = host
        """The host that is counted; "" has no limit."""
        self.is_idle = kind is ConnectionKind.NEWCOMER
        """Whether the connection may be closed to make room for others."""
        self.is_user = False
        """Whether a user of the server has logged in, who waits before guests."""
        self.room = ""
        """The room in which a player waits, or has waited last."""
        self.displace = displace
        """Closes the connection at once, because another needs its place."""

    def move(self, kind: ConnectionKind, *, is_forced: bool = False) -> bool:
        """Count the connection as one of another kind; return False, and change nothing, if there is no room.

        ``is_forced``: there is always room, for a player who comes back to a running game or stays after one.
        """
        return self._ledger.move(self, kind, is_forced=is_forced)

    def wait(self, room: str, *, is_user: bool, is_forced: bool = False) -> bool:
        """Count the connection as that of a player who waits in a room, as ``move`` does."""
        if self.kind is not ConnectionKind.WAITING:
            self.room, self.is_user = room, is_user
        return self.move(ConnectionKind.WAITING, is_forced=is_forced)

    def name_host(self, address: str) -> bool:
        """Count the connection for a host that has become known; return False if the host has too many."""
        return self._ledger.name_host(self, host_of(address))

    def rest(self) -> None:
        """Let the connection be closed if others need its place: an HTTP stream between two requests."""
        self._ledger.set_idle(self, is_idle=True)

    def wake(self) -> None:
        """Undo ``rest``."""
        self._ledger.set_idle(self, is_idle=False)

    def leave(self) -> None:
        """Stop counting the connection; a second call changes nothing."""
        self._ledger.leave(self)


class WaitingPlaces:
    """The places of players who wait in one room, or in all, each host's in the order of their arrival.

    Who waits longest is known at once, however many wait. Places without a host are counted only: none of them makes
    room for others.
    """

    def __init__(self) -> None:
        self.count = 0
        self._guests = HostQueues()
        self._users = HostQueues()

    def add(self, place: ConnectionPlace) -> None:
        """Add a place at the end."""
        self.count += 1
        if place.host:
            (self._users if place.is_user else self._guests).add(place.host, place)

    def remove(self, place: ConnectionPlace) -> None:
        """Remove a place that was added."""
        self.count -= 1
        if place.host:
            (self._users if place.is_user else self._guests).remove(place.host, place)

    def longest(self, newcomer: ConnectionPlace) -> ConnectionPlace | None:
        """Return the place that should make room for a newcomer, None if there is none: the first of the largest host.

        A user takes the place of a guest if there is one. A guest takes that of a guest, and a user that of a user, if
        the other host still has as many as the newcomer's then.
        """
        if newcomer.is_user and self._guests.largest:
            return self._guests.first()
        queues = self._users if newcomer.is_user else self._guests
        return queues.first() if queues.largest >= queues.size(newcomer.host) + 2 else None


class HostQueues:
    """A queue of places for each host; the longest queue is known at once."""

    def __init__(self) -> None:
        self.largest = 0
        """The length of the longest queue."""
        self._queues: dict[str, dict[ConnectionPlace, None]] = {}
        self._of_size: dict[int, dict[str, None]] = {0: {}}
        """The hosts whose queues have each length, in the order in which they got it."""

    def size(self, host: str) -> int:
        """Return the length of a host's queue."""
        return len(self._queues.get(host, ()))

    def first(self) -> ConnectionPlace:
        """Return the first place of the longest queue."""
        return next(iter(self._queues[next(iter(self._of_size[self.largest]))]))

    def add(self, host: str, place: ConnectionPlace) -> None:
        """Add a place at the end of a queue."""
        queue = self._queues.setdefault(host, {})
        queue[place] = None
        self._resize(host, len(queue) - 1, len(queue))

    def remove(self, host: str, place: ConnectionPlace) -> None:
        """Remove a place from its queue."""
        queue = self._queues[host]
        del queue[place]
        self._resize(host, len(queue) + 1, len(queue))
        if not queue:
            del self._queues[host]

    def _resize(self, host: str, before: int, now: int) -> None:
        self._of_size[before].pop(host, None)
        if now:
            self._of_size.setdefault(now, {})[host] = None
        if before and not self._of_size[before]:
            del self._of_size[before]
        if now > self.largest or self.largest not in self._of_size:
            self.largest = now


class Ledger:
    """Counts places against a budget."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._places: set[ConnectionPlace] = set()
        self._kinds: Counter[ConnectionKind] = Counter()
        self._hosts: Counter[str] = Counter()
        self._kinds_of_hosts: Counter[tuple[str, ConnectionKind]] = Counter()
        self._idle: dict[ConnectionKind, dict[ConnectionPlace, None]] = {
            ConnectionKind.HTTP: {},
            ConnectionKind.NEWCOMER: {},
        }
        """The places whose connections may be closed, the oldest first."""
        self._waiting = WaitingPlaces()
        """Those of all players who wait."""
        self._waiting_in: dict[str, WaitingPlaces] = {}
        """Those of each room."""
        self.refused: Counter[TurnedAway] = Counter()
        """The number of connections that were refused, by reason."""
        self.displaced = 0
        """The number of connections that have been closed to make room for others."""

    def __len__(self) -> int:
        return len(self._places)

    def count(self, kind: ConnectionKind) -> int:
        """Return how many connections of a kind are open."""
        return self._kinds[kind]

    def enter(self, kind: ConnectionKind, address: str, displace: Callable[[], object]) -> ConnectionPlace | None:
        """Return a place for a new connection, or None if there is no room.

        ``displace`` closes the connection at once if another needs its place.
        """
        host = host_of(address)
        if not self._has_room_for(host, kind):
            self.refused[TurnedAway.HOST] += 1
            return None
        if not self._make_room(kind):
            self.refused[TurnedAway.FULL] += 1
            return None
        place = ConnectionPlace(self, kind, host, displace)
        self._places.add(place)
        self._count(place, 1)
        self._note_idle(place)
        return place

    def move(self, place: ConnectionPlace, kind: ConnectionKind, *, is_forced: bool) -> bool:
        """Do what ``ConnectionPlace.move`` says."""
        if place not in self._places:
            return is_forced
        if kind is place.kind:
            return True
        if not is_forced and (why := self._refusal(place, kind)) is not None:
            self.refused[why] += 1
            return False
        self._forget_idle(place)
        self._count(place, -1)
        place.kind, place.is_idle = kind, kind is ConnectionKind.NEWCOMER
        self._count(place, 1)
        self._note_idle(place)
        return True

    def name_host(self, place: ConnectionPlace, host: str) -> bool:
        """Do what ``ConnectionPlace.name_host`` says."""
        if place not in self._places:
            return False
        if not self._has_room_for(host, place.kind):
            self.refused[TurnedAway.HOST] += 1
            return False
        self._count(place, -1)
        place.host = host
        self._count(place, 1)
        return True

    def set_idle(self, place: ConnectionPlace, *, is_idle: bool) -> None:
        """Do what ``ConnectionPlace.rest`` and ``Place.wake`` say."""
        if place in self._places:
            self._forget_idle(place)
            place.is_idle = is_idle
            self._note_idle(place)

    def leave(self, place: ConnectionPlace) -> None:
        """Do what ``ConnectionPlace.leave`` says."""
        if place in self._places:
            self._places.discard(place)
            self._forget_idle(place)
            self._count(place, -1)
            place.displace = _nothing

    def _count(self, place: ConnectionPlace, change: int) -> None:
        self._kinds[place.kind] += change
        if place.host:
            _add(self._hosts, place.host, change)
            _add(self._kinds_of_hosts, (place.host, place.kind), change)
        if place.kind is ConnectionKind.WAITING:
            self._count_waiting(place, change)

    def _count_waiting(self, place: ConnectionPlace, change: int) -> None:
        room = self._waiting_in.setdefault(place.room, WaitingPlaces())
        for places in (self._waiting, room):
            if change > 0:
                places.add(place)
            else:
                places.remove(place)
        if not room.count:
            del self._waiting_in[place.room]

    def _note_idle(self, place: ConnectionPlace) -> None:
        if place.is_idle and place.kind in self._idle:
            self._idle[place.kind][place] = None

    def _forget_idle(self, place: ConnectionPlace) -> None:
        if place.kind in self._idle:
            self._idle[place.kind].pop(place, None)

    def _has_room_for(self, host: str, kind: ConnectionKind) -> bool:
        """Return whether a host may have one more connection of a kind, after closing an idle stream of its own."""
        if not host:
            return True
        if self._kinds_of_hosts[host, kind] >= self._budget.most_of_host(kind):
            return kind is ConnectionKind.HTTP and self._displace_own(host)
        return self._hosts[host] < self._budget.per_host or self._displace_own(host)

    def _displace_own(self, host: str) -> bool:
        """Close the oldest HTTP stream of a host between two requests; return False if there is none."""
        own = self._kinds_of_hosts[host, ConnectionKind.HTTP]
        place = next((each for each in self._idle[ConnectionKind.HTTP] if each.host == host), None) if own else None
        if place is not None:
            self._close(place)
        return place is not None

    def _refusal(self, place: ConnectionPlace, kind: ConnectionKind) -> TurnedAway | None:
        """Return why a connection may not become one of a kind, after closing one that waits if necessary."""
        if place.host and self._kinds_of_hosts[place.host, kind] >= self._budget.most_of_host(kind):
            return TurnedAway.HOST
        settled = sum(count for each, count in self._kinds.items() if each.is_settled)
        is_full = self._kinds[kind] >= self._budget.most(kind) or (
            kind.is_settled and not place.kind.is_settled and settled >= self._budget.most_settled
        )
        if kind is ConnectionKind.WAITING:
            room = self._waiting_in.get(place.room)
            if room is not None and room.count >= self._budget.room_waiting:
                return self._displace_waiting(room, place)
            if is_full:
                return self._displace_waiting(self._waiting, place)
        return TurnedAway.FULL if is_full else None

    def _displace_waiting(self, places: WaitingPlaces, newcomer: ConnectionPlace) -> TurnedAway | None:
        """Close the connection that makes room for a newcomer; return FULL if there is none."""
        place = places.longest(newcomer)
        if place is None:
            return TurnedAway.FULL
        self.displaced += 1
        self.refused[TurnedAway.FULL] += 1
        self._close(place)
        return None

    def _make_room(self, kind: ConnectionKind) -> bool:
        """Return whether there is room for one more of a kind, after closing an idle connection if necessary."""
        if self._kinds[kind] >= self._budget.most(kind):
            return self._displace_oldest(kind)
        if len(self._places) < self._budget.connections:
            return True
        return self._displace_oldest(ConnectionKind.HTTP) or self._displace_oldest(ConnectionKind.NEWCOMER)

    def _displace_oldest(self, kind: ConnectionKind) -> bool:
        """Close the idle connection of a kind that came first; return False if there is none."""
        place = next(iter(self._idle.get(kind, ())), None)
        if place is None:
            return False
        self.displaced += 1
        self._close(place)
        return True

    def _close(self, place: ConnectionPlace) -> None:
        """Stop counting a connection, and close it."""
        displace = place.displace
        self.leave(place)
        displace()


def _add(counter: Counter[K], key: K, change: int) -> None:
    """Change a number; forget it when it is 0, so that hosts without connections cost nothing."""
    counter[key] += change
    if not counter[key]:
        del counter[key]


def _nothing() -> None:
    """Close nothing: the connection is gone."""


# How often


class UselessMessages:
    """Counts the messages of one client that have no effect, by the second in which the server reads them."""

    __slots__ = ("_cost", "_most", "_since", "number", "waited")

    def __init__(self, most: int) -> None:
        """Allow this many in a second."""
        self._most = most
        self._since = 0.0
        self._cost = 0
        self.number = 0
        """The number of messages that were counted in this second, long or short."""

    def pass_over(self, seconds: float) -> None:
        """Leave out time in which the client's input waited for its turn.

        Otherwise the server would read so little of each of many floods that none of them is too much.
        """
        self._since += seconds

    def are_too_many(self, now: float, cost: int = 1) -> bool:
        """Count a message at an instant in seconds; return whether there are too many in its second.

        ``cost`` is how many short ones a long one stands for.
        """
        if now - self._since >= 1.0:
            self._since, self._cost, self.number = now, 0, 0
        self._cost += cost
        self.number += 1
        return self._cost > self._most


# Networks

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


class NetworkList:
    """A set of networks, as those that may not connect, or that may read the status.

    A look-up costs one step for each length of prefix in the list, however long the list is.
    """

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


LOOPBACK = ("127.0.0.0/8", "::1")
"""The networks of this computer."""


def read_networks(path: str) -> NetworkList:
    """Return the addresses and networks of a file; raises ValueError."""
    try:
        return NetworkList.parse(Path(path).read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"{quoted(path)} cannot be read ({error.strerror or error})") from error
    except ValueError as error:  # UnicodeDecodeError is one
        raise ValueError(f"{quoted(path)}: {error}") from error


NOBODY = NetworkList()
"""Denies no address."""
