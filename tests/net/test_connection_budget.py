"""Budgets of connections, hosts, token buckets and deny lists, without a network."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.net.connection_budget import (
    Budget,
    ConnectionKind,
    ConnectionPlace,
    Ledger,
    NetworkList,
    TurnedAway,
    host_of,
)
from ump.net.connection_limits import OF_CHILD, RESERVED, OpenConnections, shared_out
from ump.net.limits import Limits, Rates
from ump.net.windows import TokenBuckets


@each_row(
    ("address", "host"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::1"),
        ("", ""),
    ],
)
def test_the_host_of_an_address(address: str, host: str) -> None:
    """A /64 of IPv6 is one host, because every customer has one (RFC 6177); an IPv4 address is one in any form."""
    assert host_of(address) == host


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["enter", "move", "wait", "leave", "rest", "wake"]), st.integers(0, 7), st.integers(0, 4)
        )
    )
)
def test_the_ledger_keeps_its_budget(steps: list[tuple[str, int, int]]) -> None:
    """No budget is ever exceeded, and nothing is counted after all have left."""
    budget, kinds = Budget(8, 4, 4, 5, 3, 2, 4, 4), tuple(ConnectionKind)
    ledger, places = Ledger(budget), list[ConnectionPlace]()
    for what, which, kind in steps:
        if what == "enter":
            place = ledger.enter(kinds[0] if kind % 2 else ConnectionKind.HTTP, f"192.0.2.{which}", lambda: None)
            places += [] if place is None else [place]
        elif places:
            place = places[which % len(places)]
            if what == "move":
                place.move(kinds[kind])
            elif what == "wait":
                place.wait("ab"[kind % 2], is_user=kind > 2)
            else:
                {"leave": place.leave, "rest": place.rest, "wake": place.wake}[what]()
        assert len(ledger) <= budget.connections
        assert all(ledger.count(each) <= budget.most(each) for each in ConnectionKind)
        assert sum(ledger.count(each) for each in ConnectionKind) == len(ledger)
        assert all(places.count <= budget.room_waiting for room, places in ledger._waiting_in.items() if room)
        for queues in (ledger._waiting._guests, ledger._waiting._users):
            assert queues.largest == max(map(len, queues._queues.values()), default=0)
    for place in places:
        place.leave()
    assert not len(ledger)
    assert not ledger._hosts
    assert not ledger._kinds_of_hosts
    assert not ledger._waiting_in


def test_idle_http_streams_close_first() -> None:
    """If connections run short, HTTP streams between two requests close before clients without a hello."""
    ledger, closed = Ledger(Budget(connections=3, newcomers=3, http_streams=3)), list[str]()
    ledger.enter(ConnectionKind.NEWCOMER, "192.0.2.1", lambda: closed.append("newcomer"))
    busy = ledger.enter(ConnectionKind.HTTP, "192.0.2.2", lambda: closed.append("busy"))
    idle = ledger.enter(ConnectionKind.HTTP, "192.0.2.3", lambda: closed.append("idle"))
    assert busy is not None
    assert idle is not None
    idle.rest()
    for number in (4, 5):
        assert ledger.enter(ConnectionKind.HTTP, f"192.0.2.{number}", lambda: None) is not None
    assert closed == ["idle", "newcomer"]
    assert ledger.enter(ConnectionKind.HTTP, "192.0.2.6", lambda: None) is None


def test_a_host_at_its_limit_closes_its_own_idle_stream() -> None:
    """The oldest one between two requests makes room for its host, and for no other kind of limit."""
    ledger, closed = Ledger(Budget(per_host=3, newcomers=4, http_streams=12)), list[str]()
    for name, address in (("other", "192.0.2.9"), ("first", "192.0.2.1"), ("second", "192.0.2.1")):
        stream = ledger.enter(ConnectionKind.HTTP, address, lambda name=name: closed.append(name))  # type: ignore[misc]
        assert stream is not None
        stream.rest()
    assert ledger.enter(ConnectionKind.NEWCOMER, "192.0.2.1", lambda: None) is not None
    assert ledger.enter(ConnectionKind.NEWCOMER, "192.0.2.1", lambda: None) is None, "a host has one in four newcomers"
    assert ledger.enter(ConnectionKind.HTTP, "192.0.2.1", lambda: None) is not None
    assert closed == ["first"]
    late = ledger.enter(ConnectionKind.HTTP, "", lambda: None)
    assert late is not None
    assert late.name_host("192.0.2.1")
    assert closed == ["first", "second"]
    assert ledger.enter(ConnectionKind.HTTP, "192.0.2.1", lambda: None) is None, "none of them is idle"
    assert ledger.displaced == 0


def waiting(ledger: Ledger, closed: list[str]) -> Callable[..., bool]:
    """Return a function that lets a player of a host wait, and returns whether that is possible."""

    def wait(host: int, name: str = "", room: str = "main", *, is_user: bool = False) -> bool:
        place = ledger.enter(ConnectionKind.NEWCOMER, f"192.0.2.{host}", lambda: closed.append(name))
        if place is None or not place.wait(room, is_user=is_user):
            if place is not None:
                place.leave()
            return False
        return True

    return wait


def test_users_wait_before_guests() -> None:
    """A user takes the place of a guest while there is one; else each that of its kind, from the host with the most."""
    ledger, closed = Ledger(Budget(waiting=12)), list[str]()
    wait = waiting(ledger, closed)
    for host in range(4):
        for number in range(3):
            assert wait(host, f"{host}-{number}", is_user=(host, number) not in ((0, 0), (0, 1)))
    assert wait(8, "8-guest")
    assert not wait(9, "9-guest")
    assert all(wait(9, f"9-{number}", is_user=True) for number in range(2))
    assert closed == ["0-0", "0-1", "8-guest"]
    assert not wait(9, is_user=True)
    assert wait(7, is_user=True)
    assert closed[3:] == ["1-0"]
    assert ledger.refused == {TurnedAway.FULL: len(closed) + 2}


@each_row("is_user", [False, True])
def test_four_hosts_cannot_fill_a_room(*, is_user: bool) -> None:
    """They lock no fifth one out, though all their players are users; nor does a full room close another."""
    ledger, closed = Ledger(Budget()), list[str]()
    wait = waiting(ledger, closed)
    assert sum(wait(host, is_user=is_user) for host in range(4) for _ in range(260)) == 400
    assert ledger.refused == {TurnedAway.HOST: 640}
    assert all(wait(4, is_user=is_user) for _ in range(100))
    assert (ledger.count(ConnectionKind.WAITING), closed) == (500, [])
    assert wait(5) != is_user
    assert wait(5, room="other")
    assert len(closed) == (not is_user)


def test_a_bucket_fills_up_evenly() -> None:
    """Sixty tokens a minute: sixty at once, then one each second, and never more than sixty."""
    buckets = TokenBuckets(60)
    assert [buckets.take("a", 0.0) for _ in range(61)] == [True] * 60 + [False]
    assert [buckets.take("a", 1.0), buckets.take("a", 1.5), buckets.take("a", 2.0)] == [True, False, True]
    assert buckets.take("b", 2.0)
    assert sum(buckets.take("a", 10_000.0) for _ in range(100)) == 60
    assert not buckets.take("a", 5.0)


def test_a_bucket_may_hold_less_than_a_minute() -> None:
    """Ten at once, and sixty a minute in the long run."""
    buckets = TokenBuckets(60, at_once=10)
    assert sum(buckets.take("a", 0.0) for _ in range(100)) == 10
    assert sum(buckets.take("a", second / 2) for second in range(121)) == 60
    assert sum(buckets.take("a", 10_000.0) for _ in range(100)) == 10


@each_row(("per_host", "rate", "at_once"), [(250, 6_000, 1_000), (250, 600, 250), (250, 60, 60)])
def test_connections_that_a_host_may_open_at_once(per_host: int, rate: int, at_once: int) -> None:
    """A tournament's bots come together, and a flood does not get the whole minute at once."""
    limits = Limits(Budget(per_host=per_host), rates=Rates(connections=rate))
    connections = OpenConnections(limits)
    places = [connections.enter(ConnectionKind.NEWCOMER, "192.0.2.1", 0.0, lambda: None) for _ in range(at_once)]
    for place in filter(None, places):
        place.leave()
    came = min(at_once, Budget().newcomers // 4, per_host)
    assert len([place for place in places if place is not None]) == came
    assert connections.enter(ConnectionKind.NEWCOMER, "192.0.2.1", 0.0, lambda: None) is None
    assert connections.enter(ConnectionKind.NEWCOMER, "192.0.2.1", 2.0, lambda: None) is not None


def test_buckets_are_bounded() -> None:
    """Only the last used buckets are kept, however many hosts come."""
    buckets = TokenBuckets(1, most_keys=100)
    for number in range(10_000):
        buckets.take(str(number), 0.0)
    assert len(buckets) == 100
    assert not buckets.take("9999", 0.0)


def test_deny_lists() -> None:
    """Lines are addresses or networks; remarks and empty lines are skipped, and errors name the line."""
    deny = NetworkList.parse("# floods\n192.0.2.0/24\n\n2001:db8::1 # one\n")
    assert [each in deny for each in ("192.0.2.9", "::ffff:192.0.2.9", "2001:db8::1", "2001:db8::2", "")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert len(deny) == 2
    with pytest.raises(ValueError, match="line 2: 'nobody' is not an address or a network"):
        NetworkList.parse("192.0.2.1\nnobody\n")


@each_row(
    ("descriptors", "children", "connections", "tables", "is_short"),
    [
        (None, 64, 4_000, 1_000, False),
        (16_384, 64, 4_000, 1_000, False),
        (1_024, 0, 640, 160, True),
        (1_024, 64, 470, 117, True),
        (256, 64, 1, 1, True),
    ],
)
def test_descriptors_are_shared_out(
    descriptors: int | None, children: int, connections: int, tables: int, *, is_short: bool
) -> None:
    """Connections, tables, children and the rest fit into the limit of the process; each kind gets a half at most."""
    shares = shared_out(Limits(), descriptors, children=children, is_traced=False)
    assert (shares.limits.budget.connections, shares.limits.tables, shares.is_short) == (connections, tables, is_short)
    if descriptors is not None and connections > 1:
        assert RESERVED + OF_CHILD * children + connections + 2 * tables <= descriptors
    assert shares.limits.budget.newcomers <= max(1_000 if not is_short else 0, connections // 2, 1)
