"""Bans of users, addresses and networks, reports of players, the log of orders, and deleted users, as values. Pure.

All instants are text, as in 2026-11-23T18:00:00Z.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum
from hashlib import sha256

from ump.model.choices import quoted
from ump.model.seats import Seat
from ump.model.value import value
from ump.net.connection_budget import LOOPBACK, Network, host_of, read_network
from ump.wire.names import skeleton

FOREVER = "9999-12-31T23:59:59Z"
"""The end of a ban without an end."""

ADDRESS_DAYS = 7
"""The days that a ban of an address lasts unless the order says otherwise: other people have the address then."""

MAX_REASON = 100
"""Characters of the reason of a ban: it fits into an error message with its end."""

CLOSED = "this account is closed"
"""The beginning of the message to a banned user with the right password or token."""

REMOVED = "you may not play here any more; ask the operator"
"""The message to a user who was removed while connected."""

_INSTANT = "%Y-%m-%dT%H:%M:%SZ"
_WRITTEN = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?")


class BanError(ValueError):
    """A ban that cannot be; the message is for the operator."""


class BanKind(Enum):
    """The kinds of targets of a ban."""

    USER = "user"
    ADDRESS = "address"
    """An address or a network."""


class Role(Enum):
    """The roles of users."""

    PLAYER = "player"
    ADMIN = "admin"
    """May give orders over HTTP."""


@value
class Target:
    """The target of a ban."""

    kind: BanKind
    name: str
    """The name of a user, an address, or a network."""


@value
class Ban:
    """A ban in force."""

    kind: str
    target: str
    reason: str
    made_by: str
    made: str
    until: str


@value
class Bans:
    """The bans that a server enforces."""

    networks: Sequence[Network]
    closed: Mapping[str, str]
    """The users among those who are connected who may not stay, each with the message for them."""
    ended: Collection[str] = ()
    """The ids of the logins of those who are connected that have ended: with a token, a session or a password."""


@value
class OrderToLog:
    """An order to be logged."""

    made: str
    made_by: str
    """A user of the server, or a user of its computer."""
    via: str
    """``socket``, ``http`` or ``command``."""
    name: str
    target: str
    arguments: str
    """The other arguments, in JSON."""
    outcome: str
    """``ok``, or the error."""


@value
class LoggedOrder(OrderToLog):
    """An order in the log."""

    id: int


def closed_text(until: str, reason: str) -> str:
    """Return the message to a banned user."""
    end = "" if until == FOREVER else f" until {shown_instant(until)}"
    return f"{CLOSED}{end}{': ' if reason else ''}{reason}"


def shown_instant(instant: str) -> str:
    """Return an instant for people: a date, with the time unless that is midnight in UTC."""
    day, _, time = instant.removesuffix("Z").partition("T")
    return day if time == "00:00:00" else f"{day} {time[:5]} UTC"


def read_instant(text: str) -> str:
    """Return a date or an instant as a whole instant; raises BanError."""
    if _WRITTEN.fullmatch(text) is not None:
        try:
            return datetime.fromisoformat(text).strftime(_INSTANT)
        except ValueError:
            pass
    raise BanError(f"{text!a} is no date such as 2027-01-01, or instant such as 2027-01-01T18:00Z")


def check_reason(text: str) -> str:
    """Return the reason of a ban unchanged; raises BanError."""
    if len(text) > MAX_REASON or not text.isprintable():
        raise BanError(f"a reason has at most {MAX_REASON} characters, and no control characters")
    return text


def end_of(target: Target, until: str | None, now: str) -> str:
    """Return the end of a ban that begins now: without one, users are banned for good, addresses for a week."""
    if until is not None:
        return until
    if target.kind is BanKind.USER:
        return FOREVER
    return (datetime.fromisoformat(now) + timedelta(days=ADDRESS_DAYS)).strftime(_INSTANT)


def read_target(text: str) -> Target:
    """Return the target that a word on the command line names: an address or a network, or else a user."""
    try:
        read_network(text)
    except ValueError:
        return Target(BanKind.USER, text)
    return read_address(text)


def read_address(text: str, spared: Iterable[Network] = ()) -> Target:
    """Return an address or a network as a target; raises BanError.

    A host of IPv6 is a /64, so nothing narrower can be banned. ``spared`` are networks of proxies.
    """
    try:
        network = read_network(text if "/" in text else host_of(text))
    except ValueError as error:
        raise BanError(str(error)) from error
    if network.version == 6 and network.prefixlen > 64:
        network = network.supernet(new_prefix=64)
    held = overlapped(network, [*map(read_network, LOOPBACK), *spared])
    if held is not None:
        raise BanError(f"{quoted(text)} and {held} overlap: that is this computer, or a proxy of the server")
    is_one = network.prefixlen == network.max_prefixlen
    return Target(BanKind.ADDRESS, str(network.network_address) if is_one else str(network))


def overlapped(network: Network, others: Iterable[Network]) -> Network | None:
    """Return one of some networks that has an address in common with another network."""
    alike = (each for each in others if each.version == network.version)
    return next((each for each in alike if network.overlaps(each)), None)


# Reports of players


class ReportVerdict(Enum):
    """The verdicts about a report."""

    UPHELD = "upheld"
    DISMISSED = "dismissed"


@value
class NewReport:
    """A report of a player by a user."""

    made: str
    reporter: str
    """The name of the user."""
    game: str
    """The id of the record."""
    room: str
    seat: Seat
    player: str
    """The name of the player at the seat."""
    reason: str
    """The value of a ``ReportReason``."""


@value
class Report(NewReport):
    """A report in the queue."""

    id: int
    upheld: int
    """The number of upheld reports of a player of this name."""


# Deleted users


@value
class DeletedUser:
    """A user who was deleted."""

    number: int
    folded_hash: str
    """The hash of the name, as ``folded_hash`` returns it."""

    @property
    def alias(self) -> str:
        """The name that stands in records in place of the user's."""
        return f"{_DELETED_NAME} {self.number}"


_DELETED_NAME = "deleted user"


def is_deleted_name(name: str) -> bool:
    """Return whether a name looks like one that stands for a deleted user."""
    return skeleton(name).startswith(skeleton(_DELETED_NAME))


def folded_hash(name: str) -> str:
    """Return the same hash for all names that look like this one."""
    return sha256(f"ump-deleted-1/{skeleton(name)}".encode()).hexdigest()
