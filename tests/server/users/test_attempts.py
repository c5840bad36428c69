"""Attempts to log in: waits after failures, the owner of an account under attack, and quotas."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import TYPE_CHECKING, Any, cast

from support.memory_server import ReactorClock
from support.rows import each_row
from twisted.internet.defer import CancelledError, Deferred, maybeDeferred
from twisted.python.failure import Failure

from ump.net.windows import Quota
from ump.server.users.gate import PATIENCE, Credentials, Failed, Gate, GuardedHost, LoginRefused
from ump.server.users.login_turns import (
    DEVICE_FAILURES,
    FAILURE_MEMORY,
    LONGEST,
    MOST_WAITING,
    SPARE_TURNS,
    TURN_SECONDS,
    Acquaintance,
    Failures,
    KnownBy,
    LoginKeys,
    LoginTurns,
    TooManyAttempts,
    network_of,
)

if TYPE_CHECKING:
    from ump.server.users.user_database import UserDatabase


def test_each_failure_doubles_the_wait_up_to_a_minute() -> None:
    """1, 2, 4 .. seconds from the last failure."""
    failures, now, waits = Failures(), 100.0, []
    for _ in range(9):
        failures.add("host", now)
        waits.append(failures.wait("host", now))
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert failures.wait("host", now + 59.5) == 0.5
    assert failures.wait("host", now + LONGEST) == 0
    assert failures.wait("another", now) == 0


def test_failures_are_forgotten() -> None:
    """By a success, or after some minutes without another one."""
    failures = Failures()
    for _ in range(5):
        failures.add("host", 0.0)
    failures.add("host", FAILURE_MEMORY + 1)
    assert failures.wait("host", FAILURE_MEMORY + 1) == 1
    failures.forget("host")
    assert failures.wait("host", FAILURE_MEMORY + 1) == 0


def test_memory_is_bounded() -> None:
    """The key that failed least recently is forgotten first."""
    failures = Failures(most_keys=2)
    for key in "abac":
        failures.add(key, 0.0)
    assert len(failures) == 2
    assert [bool(failures.wait(key, 0.0)) for key in "abc"] == [True, False, True]


@each_row(
    ("host", "network"),
    [
        ("192.0.2.77", "192.0.2.0/24"),
        ("2001:db8:1:2::/64", "2001:db8:1::/48"),
        ("::1", "::/48"),
        ("", ""),
        ("pipe", ""),
    ],
)
def test_networks_of_hosts(host: str, network: str) -> None:
    """The neighbours of an address belong to it; a client without an address has no network."""
    assert network_of(host) == network


# The owner of an account under attack


class Owner:
    """The user of one account, whose browser and network at home are known, and whose password is ``right``."""

    name, login_id, bot = "alice", "", None

    def acquaintance(self, name: str, network: str, device: str, now: str) -> Acquaintance:
        """Return what is known of a client."""
        return Acquaintance("device 1" if device == "mine" else None, network == "198.51.100.0/24")

    def login(self, name: str, password: str) -> Owner | None:
        """Check a password."""
        return self if (name, password) == ("alice", "right") else None

    def note_network(self, name: str, network: str, now: str) -> None:
        """Forget a network, so that it can be a new one again."""

    def user(self, name: str) -> Owner:
        """Return the user."""
        return self

    def closed(self, now: str) -> None:
        """Return that the user is not banned."""


class Siege:
    """Networks that try passwords of one account as often as they can, over connections that wait for their turns."""

    def __init__(self) -> None:
        self.clock = ReactorClock()
        owner = cast("UserDatabase", Owner())
        self.gate = Gate(cast(GuardedHost, None), lambda: owner, maybeDeferred, self.clock, attempts=None)
        self.networks = 0
        self.wrong = 0
        """The passwords that were checked."""

    def attack(self) -> None:
        """Let another network try one password after the other."""
        self.networks += 1
        self._try_again(f"10.{self.networks // 256}.{self.networks % 256}.1")

    def _try_again(self, host: str) -> None:
        tried = Deferred.fromCoroutine(self.gate._checked(host, host, Credentials("alice", "wrong")))
        tried.addCallback(self._note, host)

    def _note(self, found: object, host: str) -> None:
        assert isinstance(found, Failed)
        self.wrong += 1
        self.clock.callLater(0.5, self._try_again, host)

    def last(self, seconds: int) -> None:
        """Let time pass."""
        for _ in range(seconds):
            self.clock.advance(1)

    def gets_in(self, host: str, device: str = "") -> bool:
        """Return whether the owner is let in at once."""
        found: list[object] = []
        self._log_in(host, device).addCallback(found.append).addErrback(lambda _: None)
        return bool(found)

    def seconds(self, host: str) -> float:
        """Return after how long the owner is let in who asks again when a request was refused."""
        begun = self.clock.seconds()
        answers: list[object] = [None]
        while answers[-1] is None or isinstance(answers[-1], Failure):
            if answers:
                answers.clear()
                self._log_in(host, "").addBoth(answers.append)
            while not answers:
                self.last(1)
        return self.clock.seconds() - begun

    def _log_in(self, host: str, device: str) -> Deferred[Any]:
        return self.gate.authenticate(host, Credentials("alice", "right", device=device))


def four_networks(siege: Siege) -> None:
    """Attack from four networks."""
    for _ in range(4):
        siege.attack()


def a_hundred_networks(siege: Siege) -> None:
    """Attack from a hundred networks."""
    for _ in range(100):
        siege.attack()


def ever_new_networks(siege: Siege) -> None:
    """Attack from one more network each twenty seconds."""
    siege.attack()
    siege.clock.callLater(20, ever_new_networks, siege)


@each_row(
    ("attack", "first", "later"),
    [(four_networks, 30, 0), (a_hundred_networks, 1_000, TURN_SECONDS), (ever_new_networks, 30, TURN_SECONDS)],
)
def test_the_owner_of_an_attacked_account(attack: Callable[[Siege], None], first: float, later: float) -> None:
    """A known device and a known network get in at once; a new network waits at most so long: at first, and later on.

    New attackers come first once: nobody can tell them from the owner before they have failed.
    """
    siege = Siege()
    attack(siege)
    assert siege.seconds("203.0.113.1") <= first
    waits = []
    for number in range(10):
        siege.last(97)
        assert siege.gets_in("192.0.2.1", device="mine")
        assert siege.gets_in("198.51.100.7")
        waits.append(siege.seconds(f"203.0.{number}.1"))
    assert median(waits) <= later and max(waits) <= TURN_SECONDS


def test_guesses_in_a_day_are_few() -> None:
    """Strangers together try one password in ten seconds at an account, from however many networks."""
    siege = Siege()
    a_hundred_networks(siege)
    siege.last(1_000)
    assert siege.wrong <= 1_000 / TURN_SECONDS + SPARE_TURNS


def test_a_known_device_is_no_way_to_guess() -> None:
    """A client that has it tries ten passwords in ten minutes, and is then a stranger."""
    siege = Siege()
    for _ in range(DEVICE_FAILURES):
        siege.gate.authenticate("192.0.2.1", Credentials("alice", "wrong", device="mine")).addErrback(lambda _: None)
    assert siege.gate.refused == DEVICE_FAILURES
    four_networks(siege)
    siege.last(60)
    siege.gate.refused = 0
    for _ in range(20):
        siege.gate.authenticate("192.0.2.1", Credentials("alice", "wrong", device="mine")).addErrback(lambda _: None)
    assert siege.gate.refused <= 1
    siege.last(int(FAILURE_MEMORY))
    assert siege.gets_in("192.0.2.1", device="mine")


def test_a_known_network_waits_for_its_own_failures() -> None:
    """Else the neighbours of a user could guess without a wait."""
    siege = Siege()
    for _ in range(3):
        siege.gate.authenticate("198.51.100.7", Credentials("alice", "wrong")).addErrback(lambda _: None)
    assert siege.gate.refused == 1
    siege.last(10)
    assert siege.gate.refused == 3
    assert siege.seconds("198.51.100.7") <= 4


def test_many_attempts_at_once_are_refused() -> None:
    """So many wait for the first failure of their network; the others are told to come again."""
    siege, codes = Siege(), list[int]()

    def note(failure: Failure) -> None:
        """Note the code of an answer."""
        assert isinstance(failure.value, LoginRefused)
        codes.append(failure.value.code)

    for _ in range(MOST_WAITING + 10):
        siege.gate.authenticate("10.0.0.1", Credentials("alice", "wrong")).addErrback(note)
    assert codes == [401] + [429] * 9
    siege.last(int(PATIENCE))
    assert (codes.count(401), len(codes)) == (5, MOST_WAITING + 10)  # three turns at once, and two that came back


def test_turns_leave_nothing_behind() -> None:
    """A client that was checked, or has gone, costs no memory and no timer; only so many of one network wait."""
    clock = ReactorClock()
    turns = LoginTurns(clock)
    waiting: list[Deferred[None]] = []
    refused: list[Failure] = []
    for number in range(50 * (MOST_WAITING + 1)):
        keys = LoginKeys(KnownBy.STRANGER, f"network {number % 50}", "user")
        waiting.append(Deferred.fromCoroutine(turns.take(keys)))
        waiting[-1].addErrback(refused.append)
    assert len(refused) == 49  # one of all has its turn
    turns.end(LoginKeys(KnownBy.STRANGER, "network 0", "user"), is_right=False)
    clock.advance(LONGEST)  # each turn that is not used makes way for the next within the same call
    turns.end(LoginKeys(KnownBy.STRANGER, "network 1", "user"), is_right=None)
    for each in waiting:
        each.cancel()
    turns.end(LoginKeys(KnownBy.STRANGER, "network 2", "user"), is_right=None)
    assert all(failure.check(TooManyAttempts, CancelledError) for failure in refused)
    assert (len(turns), clock.getDelayedCalls()) == (0, [])


def test_a_quota() -> None:
    """So often in so many seconds, without a limit for local sockets; what was given back counts no more."""
    quota = Quota(2, 60.0)
    assert [quota.take("host", now) for now in (0.0, 30.0, 59.0, 60.0, 61.0, 90.0)] == [
        True,
        True,
        False,
        True,
        False,
        True,
    ]
    assert not quota.take("host", 91.0)
    quota.give_back("host", 91.0)
    assert quota.take("host", 91.0)
    assert all(quota.take("", 0.0) for _ in range(9))
