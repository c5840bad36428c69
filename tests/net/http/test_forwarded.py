"""Clients behind a proxy: which headers count, from whom, and that each client has its own limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.memory_site import UPGRADE, MemorySite, memory_site
from support.rows import each_row
from twisted.internet.interfaces import ISSLTransport
from zope.interface import alsoProvides

from ump.net.connection_budget import Budget, NetworkList, read_network
from ump.net.http.forwarded import NO_PROXIES, TrustedProxies, read_proxy
from ump.net.limits import MOST_SPARE, Limits, Rates

PROXY, NEXT_PROXY = "10.0.0.1", "10.9.9.9"
ALICE, MALLORY = "198.51.100.7", "203.0.113.9"
LIMITS = Limits(trusted_proxies=(read_proxy("10.0.0.0/8"), read_proxy("unix")))


@pytest.fixture
def site() -> Iterator[MemorySite]:
    """A site behind proxies of 10.0.0.0/8. Its status is for 198.51.100.0/24, where Alice is, and for this computer."""
    with memory_site(LIMITS) as opened:
        yield opened


@each_row(
    ("peer", "headers", "code"),
    [
        (PROXY, {"X-Forwarded-For": ALICE}, 200),
        (PROXY, {"X-Forwarded-For": MALLORY}, 403),
        (PROXY, {"X-Forwarded-For": f"{ALICE}, {MALLORY}"}, 403),  # the client itself wrote the first address
        (PROXY, {"X-Forwarded-For": f"{MALLORY}, {ALICE}, {NEXT_PROXY}"}, 200),
        (PROXY, {"X-Forwarded-For": f"nonsense,{ALICE}:4711"}, 200),
        (PROXY, {"X-Forwarded-For": "[::1]:4711"}, 200),
        (PROXY, {"X-Forwarded-For": "2001:db8::1"}, 403),
        (PROXY, {"X-Forwarded-For": "unknown"}, 400),
        (PROXY, {"X-Forwarded-For": ""}, 400),
        (PROXY, {"Forwarded": f"for={ALICE}"}, 200),
        (PROXY, {"Forwarded": f'for={MALLORY}, For="{ALICE}:4711";proto=http;by={NEXT_PROXY}'}, 200),
        (PROXY, {"Forwarded": 'for="[::1]:4711"'}, 200),
        (PROXY, {"Forwarded": "for=_hidden"}, 400),
        (PROXY, {"Forwarded": f'for="{ALICE}'}, 400),
        (PROXY, {"Forwarded": f"for={ALICE};for={ALICE}"}, 400),
        (PROXY, {"X-Forwarded-For": ALICE, "Forwarded": f"for={ALICE}"}, 200),
        (PROXY, {"X-Forwarded-For": MALLORY, "Forwarded": f"for={ALICE}"}, 400),  # one of them is of the client
        (PROXY, {}, 403),
        (MALLORY, {"X-Forwarded-For": ALICE, "Forwarded": f"for={ALICE}"}, 403),
        (ALICE, {"X-Forwarded-For": MALLORY}, 200),
        ("127.0.0.1", {"X-Forwarded-For": MALLORY}, 200),
        ("", {"X-Forwarded-For": MALLORY}, 403),
    ],
)
def test_only_trusted_proxies_name_clients(peer: str, headers: dict[str, str], code: int, site: MemorySite) -> None:
    """The last address counts that is not of a trusted proxy; headers that contradict each other are refused."""
    assert site.stream(peer).fetch("/status", headers).code == code


def test_a_stream_of_a_proxy_carries_several_clients() -> None:
    """Each request is counted for its client, so that a client who asks too often does not harm the others."""
    limits = replace(LIMITS, budget=Budget(per_host=2), rates=Rates(connections=2))
    with memory_site(limits) as site:
        stream = site.stream(PROXY)
        asked = [stream.fetch("/", {"X-Forwarded-For": host}).code for host in (MALLORY, ALICE, MALLORY, ALICE)]
        assert (asked, stream.fetch("/", {"X-Forwarded-For": MALLORY}).code) == ([200] * 4, 503)
        assert not stream.is_connected
        assert site.stream(PROXY).fetch("/", {"X-Forwarded-For": "192.0.2.55"}).code == 200
        denied = replace(limits, deny=NetworkList([read_network(ALICE)]))
        site.connections.limits = denied
        assert site.stream(PROXY).fetch("/", {"X-Forwarded-For": ALICE}).code == 503


def test_a_websocket_belongs_to_the_client() -> None:
    """It counts for the client for as long as it lasts, and the proxy's other streams do not."""
    with memory_site(replace(LIMITS, budget=Budget(per_host=1))) as site:
        for host, code in ((MALLORY, b"101"), (ALICE, b"101"), (MALLORY, b"503")):
            stream = site.stream(PROXY)
            stream.ask("/mjai", UPGRADE | {"X-Forwarded-For": host, "X-Forwarded-Proto": "wss"})
            assert stream.take().split()[1] == code
        first, second = sorted(site.connections, key=lambda each: each.place.host or "")  # type: ignore[union-attr]
        assert [each.place and each.place.host for each in (first, second)] == [ALICE, MALLORY]
        assert first.carrier.is_private  # type: ignore[attr-defined]
        assert first.carrier.peer.startswith(f"{ALICE} by {PROXY}:")  # type: ignore[attr-defined]


@each_row(
    ("headers", "is_encrypted"),
    [
        ({}, False),
        ({"x-forwarded-proto": ["https"]}, True),
        ({"x-forwarded-proto": ["https, http"]}, False),
        ({"x-forwarded-proto": ["HTTPS"], "forwarded": ["for=192.0.2.1;proto=https"]}, True),
        ({"x-forwarded-proto": ["https"], "forwarded": ["for=192.0.2.1;proto=http"]}, False),
    ],
)
def test_requests_are_encrypted_if_every_proxy_says_so(headers: dict[str, list[str]], is_encrypted: bool) -> None:
    """Passwords are taken over such requests only."""
    said = {"x-forwarded-for": ["192.0.2.1"], **headers}
    client = NO_PROXIES.client(lambda name: said.get(name, []))
    assert client is not None
    assert client.is_encrypted is is_encrypted


@given(st.lists(st.text(max_size=30), max_size=3), st.lists(st.text(alphabet='for=proto;,"\\[]: 1.2', max_size=40)))
def test_any_headers_cause_no_other_error(chain: list[str], elements: list[str]) -> None:
    """They name an address, nobody, or they are refused."""
    headers = {"x-forwarded-for": chain, "forwarded": elements}
    try:
        client = TrustedProxies(LIMITS.trusted_proxies).client(lambda name: headers.get(name, []))
    except ValueError:
        return
    assert client is None or read_network(client.host)


def test_this_computer_is_never_shut_out_of_its_own_pages() -> None:
    """However many connections it has, and however fast: ``/healthz`` answers, and nothing else does."""
    with memory_site(Limits(budget=Budget(per_host=1), rates=Rates(connections=1))) as site:
        site.stream("127.0.0.1")
        streams = [site.stream("127.0.0.1") for _ in range(MOST_SPARE + 2)]
        assert [stream.is_connected for stream in streams] == [False] * 2 + [True] * MOST_SPARE
        answers = [streams[-1].fetch(path).code for path in ("/healthz", "/readyz", "/status", "/")]
        assert answers == [200, 200, 200, 503]
        site.stream(MALLORY)
        assert not site.stream(MALLORY).is_connected


def test_tls_is_for_good(site: MemorySite) -> None:
    """Browsers that have come over TLS stay with it; a proxy says so itself."""
    stream = site.stream()
    alsoProvides(stream.wire, ISSLTransport)
    assert stream.fetch("/").headers["strict-transport-security"] == "max-age=31536000"
    forwarded = {"X-Forwarded-For": ALICE, "X-Forwarded-Proto": "https"}
    assert "strict-transport-security" not in site.stream(PROXY).fetch("/", forwarded).headers
