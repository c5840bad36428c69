"""When a password may be checked, so that nobody who guesses keeps the owner of an account out.

A client is known at an account by a cookie of its device, or by its network; otherwise it is a stranger there. A known
client waits for its own failures alone. Strangers wait for those of their network, and in a line for the account, in
which the networks with the fewest failures there come first. Instants are those of a clock.
"""

from __future__ import annotations

import ipaddress
from bisect import bisect_left, insort
from collections import Counter
from enum import Enum
from itertools import count
from typing import TypeAlias

from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.task import deferLater

from ump.model.value import value
from ump.net.windows import MOST_KEYS, Window

LONGEST = 60.0
"""Seconds that an attempt waits at most for earlier failures."""

FAILURE_MEMORY = 600.0
"""Seconds without a failure after which the earlier ones are forgotten."""

DEVICE_FAILURES = 10
"""Wrong passwords of a known device, after which it counts as unknown until they are forgotten."""

TURN_SECONDS = 10.0
"""Seconds for each password that strangers try at one account."""

SPARE_TURNS = 3
"""Passwords that strangers may try at once after a rest: most people err once or twice."""

MOST_WAITING = 50
"""Attempts of one client, or network of strangers, that wait; each failure makes all of them look again."""

LINE_MEMORY = 86_400.0
"""Seconds for which the place of a network in a line is known: a large attack comes round slowly."""

IPV4_NETWORK = 24
IPV6_NETWORK = 48
"""Leading bits of the network of a client: whoever has one address there often has others."""


def seconds_left(count: int, since: float) -> float:
    """Return how long an attempt has to wait after so many failures, the last of them ``since`` seconds ago."""
    if not count or since > FAILURE_MEMORY:
        return 0.0
    return max(0.0, min(LONGEST, 2.0 ** min(count - 1, 16)) - since)


def turn_left(rested: float) -> float:
    """Return how long strangers at an account have to wait if all their turns are back since ``rested`` seconds.

    Each turn that they have taken makes that instant ``TURN_SECONDS`` later, so it may be yet to come.
    """
    return max(0.0, -rested - (SPARE_TURNS - 1) * TURN_SECONDS)


def network_of(host: str | None) -> str:
    """Return the network of a host, "" if it has no address."""
    try:
        found = ipaddress.ip_network(host or "")
    except ValueError:
        return ""
    return str(found.supernet(new_prefix=IPV4_NETWORK if found.version == 4 else IPV6_NETWORK))


class KnownBy(Enum):
    """By what a client is known at the account to which it wants to log in."""

    DEVICE = "device"
    """By a cookie of its browser."""
    PAIR = "pair"
    """By its network, from which the user has logged in before."""
    STRANGER = "stranger"


@value
class Acquaintance:
    """The knowledge of the database about a client and the account to which it wants to log in."""

    device: str | None
    """The device of the user that the client has shown; None: none, or one that is not known."""
    is_from_here: bool
    """Whether the user has logged in from the client's network lately."""


@value
class LoginKeys:
    """The keys for which the failures of a client count."""

    standing: KnownBy
    own: str
    """The device, the pair of network and user, or the network of a stranger."""
    account: str
    """The user, who need not exist."""

    @property
    def is_stranger(self) -> bool:
        """Whether the client stands in the line of its account."""
        return self.standing is KnownBy.STRANGER


class Failures:
    """Counts failures. After the first, the next attempt waits 1 s, then 2, 4 and so on, at most ``LONGEST``."""

    def __init__(self, most_keys: int = MOST_KEYS) -> None:
        self._counts = Window[str, int](FAILURE_MEMORY, most_keys)
        """The failures of each key; the last that failed is the last."""

    def __len__(self) -> int:
        return len(self._counts)

    def count(self, key: str, now: float) -> int:
        """Return how often a key has failed."""
        before = self._counts.find(key, now)
        return 0 if before is None else before[0]

    def wait(self, key: str, now: float) -> float:
        """Return the seconds from now until the next attempt may be checked; 0 if it may be now."""
        before = self._counts.find(key, now)
        return 0.0 if before is None else seconds_left(*before)

    def add(self, key: str, now: float) -> None:
        """Count a failure."""
        self._counts.set(key, self.count(key, now) + 1, now)

    def forget(self, key: str) -> None:
        """Forget the failures of a key, because it has succeeded."""
        self._counts.forget(key)


class KeyLocks:
    """The keys of the attempts that go on, and what waits for them.

    Without locks, attempts that arrive together would all be checked before the first failure is counted.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, list[Deferred[None]]] = {}
        """Of each locked key, those who wait for it, in the order of their arrival."""

    def __len__(self) -> int:
        """Return how many keys are locked."""
        return len(self._waiting)

    def lock(self, key: str) -> bool:
        """Lock a key, and return True; return False if it is locked already."""
        if key in self._waiting:
            return False
        self._waiting[key] = []
        return True

    def freed(self, key: str) -> Deferred[None]:
        """Return a Deferred that fires when a key is free. All who wait for it are told, and one of them is faster."""
        if key not in self._waiting:
            return succeed(None)
        waiting = self._waiting[key]
        told: Deferred[None] = Deferred(waiting.remove)
        waiting.append(told)
        return told

    def free(self, key: str) -> None:
        """Free a key that ``lock`` has locked."""
        waiting = self._waiting.pop(key)
        while waiting:  # one of them may cancel another
            waiting.pop(0).callback(None)


_Place: TypeAlias = tuple[int, float, int, Deferred[None]]
"""A stranger in a line: the failures of its network at the account, when that came first, a number, and its turn."""


class _Line:
    """The strangers who wait to try a password of one account."""

    def __init__(self) -> None:
        self.waiting: list[_Place] = []
        """Those who wait, in the order of their turns."""
        self.is_checking = False
        """Whether one of them has its turn."""
        self.is_giving = False
        """Whether turns are given just now: one that is not used makes way for the next at once."""
        self.timer: IDelayedCall | None = None
        """The beginning of the next turn."""


class AccountLines:
    """The lines of all accounts: one stranger has a turn at a time, and one each ``TURN_SECONDS`` after a rest."""

    def __init__(self, clock: IReactorTime, most_keys: int = MOST_KEYS) -> None:
        self._clock = clock
        self._lines: dict[str, _Line] = {}
        """Those with somebody in them."""
        self._numbers = count()
        self._rested = Window[str, float](FAILURE_MEMORY, most_keys)
        """When the strangers at each account have, or will have, all their turns back."""
        self._places = Window[tuple[str, str], tuple[int, float]](LINE_MEMORY, most_keys)
        """The failures of each network at an account, and its first arrival there: nobody loses a place by a new
        request."""

    def __len__(self) -> int:
        """Return how many accounts have a line."""
        return len(self._lines)

    def come(self, account: str, network: str) -> Deferred[None]:
        """Return a Deferred that fires when a stranger has its turn; ``end`` follows, unless it is cancelled before."""
        failures, since = self._place(account, network)
        self._places.set((account, network), (failures, since), self._clock.seconds())
        turn: Deferred[None] = Deferred(lambda _: self._leave(account, place))
        place = failures, since, next(self._numbers), turn
        insort(self._lines.setdefault(account, _Line()).waiting, place)
        self._go_on(account)
        return turn

    def end(self, account: str, network: str, *, is_right: bool | None) -> None:
        """End a turn, and begin the next. Only a wrong password uses it up; None: none was checked."""
        now = self._clock.seconds()
        failures, since = self._place(account, network)
        if is_right is False:
            self._places.set((account, network), (failures + 1, since), now)
        else:
            self._rested.set(account, self._rested_at(account) - TURN_SECONDS, now)
        if is_right:
            self._places.forget((account, network))
        self._lines[account].is_checking = False
        self._go_on(account)

    def _leave(self, account: str, place: _Place) -> None:
        waiting = self._lines[account].waiting
        del waiting[bisect_left(waiting, place)]
        self._go_on(account)

    def _place(self, account: str, network: str) -> tuple[int, float]:
        now = self._clock.seconds()
        before = self._places.find((account, network), now)
        return (0, now) if before is None else before[0]

    def _rested_at(self, account: str) -> float:
        now = self._clock.seconds()
        before = self._rested.find(account, now)
        return now if before is None else max(now, before[0])

    def _go_on(self, account: str) -> None:
        """Give the next turns, now or later."""
        line = self._lines[account]
        if line.is_giving:
            return
        line.is_giving = True
        while line.waiting and not line.is_checking and not self._seconds(account):
            self._give_turn(account, line)
        line.is_giving = False
        if line.timer is not None and line.timer.active():
            line.timer.cancel()
        if line.is_checking:
            return
        if line.waiting:
            line.timer = self._clock.callLater(self._seconds(account), self._go_on, account)
        else:
            del self._lines[account]

    def _seconds(self, account: str) -> float:
        return turn_left(self._clock.seconds() - self._rested_at(account))

    def _give_turn(self, account: str, line: _Line) -> None:
        """Let the stranger have its turn whose network has failed least here, and of these the first."""
        self._rested.set(account, self._rested_at(account) + TURN_SECONDS, self._clock.seconds())
        *_, turn = line.waiting.pop(0)
        line.is_checking = True
        turn.callback(None)


class TooManyAttempts(Exception):
    """Too many attempts of one client wait already."""


class LoginTurns:
    """Lets each client wait until its password may be checked."""

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._failures = Failures()
        self._lines = AccountLines(clock)
        self._locks = KeyLocks()
        self._waiting = Counter[str]()
        """The waiting attempts of each client."""

    def __len__(self) -> int:
        """Return how many attempts go on, how many clients wait, and how many accounts have a line."""
        return len(self._locks) + len(self._waiting) + len(self._lines)

    def trusts(self, device: str) -> bool:
        """Return whether a device has not tried too many wrong passwords."""
        return self._failures.count(device, self._clock.seconds()) < DEVICE_FAILURES

    def seconds(self, keys: LoginKeys) -> float:
        """Return how long a client has to wait for its own failures."""
        if keys.standing is KnownBy.DEVICE:
            return 0.0
        return self._failures.wait(keys.own, self._clock.seconds())

    async def take(self, keys: LoginKeys) -> None:
        """Wait until a password may be checked; ``end`` follows. A client that waits no longer cancels it.

        Raises TooManyAttempts.
        """
        if self._waiting[keys.own] >= MOST_WAITING:
            raise TooManyAttempts
        self._waiting[keys.own] += 1
        try:
            await self._turn_of(keys)
        finally:
            self._waiting[keys.own] -= 1
            if not self._waiting[keys.own]:
                del self._waiting[keys.own]

    async def _turn_of(self, keys: LoginKeys) -> None:
        while True:
            seconds = self.seconds(keys)
            if seconds:
                await deferLater(self._clock, seconds)
            if keys.is_stranger:
                await self._lines.come(keys.account, keys.own)
            if not self.seconds(keys) and self._locks.lock(keys.own):
                return
            if keys.is_stranger:
                self._lines.end(keys.account, keys.own, is_right=None)
            await self._locks.freed(keys.own)

    def end(self, keys: LoginKeys, *, is_right: bool | None) -> None:
        """Count a password that was checked; None: it could not be.

        A right one does not end the waits of a network: an attacker may have an account, too.
        """
        if is_right is False:
            self._failures.add(keys.own, self._clock.seconds())
        elif is_right and not keys.is_stranger:
            self._failures.forget(keys.own)
        self._locks.free(keys.own)
        if keys.is_stranger:
            self._lines.end(keys.account, keys.own, is_right=is_right)
