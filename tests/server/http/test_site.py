"""The site: its paths, the headers of its answers, and the bounds of requests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.budgets import few
from support.memory_site import POLLING, ROOMS, UPGRADE, HttpStream, MemorySite, RecordingLobby, memory_site, request
from support.rows import each_row
from twisted.internet.task import Clock
from twisted.logger import LogLevel, capturedLogs

from ump.net.connection_budget import HOST_SHARE, Budget, ConnectionKind
from ump.net.connection_limits import OpenConnections
from ump.net.dialects import DIALECTS
from ump.net.endpoints import read_host_name
from ump.net.http.channel import Bodies
from ump.net.limits import (
    CLOSE_SECONDS,
    HTTP_SLICE,
    MAX_BODY,
    MAX_HEAD,
    MAX_HEADERS,
    REQUEST_SECONDS,
    SLICE_PAUSE,
    SLICES_PER_TURN,
    SMALL_BODY,
    Limits,
)
from ump.server.http.site import make_site

CHUNKED = b"POST /auth/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def site() -> Iterator[MemorySite]:
    """A site with Parrot sessions."""
    with memory_site() as opened:
        yield opened


@pytest.mark.parametrize("bytewise", [False, True])
def test_the_first_page_lists_the_paths(site: MemorySite, bytewise: bool) -> None:
    """The first page lists the paths, and is not cached."""
    answer = site.stream().fetch("/", bytewise=bytewise)
    assert answer.code == 200
    assert [line.split()[0] for line in answer.text.splitlines() if line.startswith("/")] == [
        "/ump",
        "/mjai",
        "/ws/ranked",
        "/ws/validate",
        "/majiang",
        "/server",
    ]
    assert answer.headers["content-type"] == "text/plain; charset=UTF-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["server"] == "ump"
    assert not [name for name in answer.headers if name.startswith("access-control")]


@each_row(
    ("method", "path", "code"),
    [
        ("HEAD", "/", 200),
        ("POST", "/", 405),
        ("BREW", "/", 405),
        ("GET", "/nothing", 404),
        ("GET", "/nothing/at/all", 404),
        ("GET", "/mjai/more", 404),
        ("GET", "/ws", 404),
        ("GET", "/ws/", 404),
        ("GET", "/ws/other", 404),
        ("GET", "/server", 404),
        ("GET", "/server/", 404),
        ("GET", "/..%2f..%2fetc/passwd", 404),
        ("GET", "/%00", 404),
        ("GET", "/\xff", 400),
        ("GET", "/mjai", 426),
        ("POST", "/mjai", 405),
        ("HEAD", "/mjai", 405),
        ("GET", "/ws/validate", 426),
        ("GET", "/auth/", 405),
        ("GET", "/server/auth/", 405),
        ("GET", "/server/auth/hatena", 404),
        ("GET", "/logout", 405),
        ("HEAD", POLLING, 405),
        ("OPTIONS", POLLING, 405),
        ("OPTIONS", "*", 200),
    ],
)
def test_each_path_accepts_its_methods_only(site: MemorySite, method: str, path: str, code: int) -> None:
    """Each path accepts its methods and refuses others; unknown paths are 404."""
    answer = _answer(site.stream(), method, path)
    assert answer == code
    assert not site.callers


def _answer(stream: HttpStream, method: str, path: str) -> int:
    """Return the status code of a response whose body may be missing."""
    stream.ask(path, method=method)
    return int(stream.take().split()[1])


def test_a_site_has_the_paths_of_its_dialects_only() -> None:
    """A site has the paths of its dialects only."""
    site = make_site(ROOMS, RecordingLobby(), OpenConnections(Limits()), Clock(), ())
    assert site.resource.children.keys() == {b""}
    dialects = [dialect for dialect in DIALECTS if dialect.name == "mjai on request"]
    site = make_site(ROOMS, RecordingLobby(), OpenConnections(Limits()), Clock(), dialects)
    assert site.resource.children.keys() == {b"", b"mjai", b"ws"}
    assert site.resource.children[b"ws"].children.keys() == {b"ranked"}


def test_a_stream_carries_several_requests(site: MemorySite) -> None:
    """A stream carries several requests, even before the first response."""
    stream = site.stream()
    assert stream.fetch("/").code == 200
    stream.send(request("/") + request("/nothing") + request("/auth/", method="POST", body=b"x") + request("/"))
    assert [answer.code for answer in stream.answers()] == [200, 404, 400, 200]


@each_row(
    ("head", "code"),
    [
        (b"\r\n", None),
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\n\r\n", 400),
        (b"GET /\xff\x80 HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nA b: c\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nContent-Length: " + b"9" * 15 + b"\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"GET /" + b"a" * MAX_HEAD + b" HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nA: " + b"a" * MAX_HEAD, 400),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * (MAX_HEADERS + 2) + b"\r\n", 400),
        (b"GET / HTTP/1.1\r\n" + (b"A: " + b"a" * 1_000 + b"\r\n") * 9 + b"\r\n", 400),
    ],
)
@pytest.mark.parametrize("bytewise", [False, True])
def test_invalid_heads_are_refused(site: MemorySite, head: bytes, code: int | None, bytewise: bool) -> None:
    """Invalid or too long heads are refused, and the stream is closed."""
    stream = site.stream()
    with capturedLogs() as events:
        stream.send(head, bytewise=bytewise)
    written = stream.take()
    assert written[9:12] == (b"" if code is None else b"%d" % code)
    assert (b"\r\nConnection: close\r\n" in written) == (code is not None)
    assert stream.is_connected == (code is None)
    assert not [event for event in events if event["log_level"] >= LogLevel.warn]


@each_row("bytewise", [False, True])
@each_row(
    "data",
    [
        b"POST /auth/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (MAX_BODY + 1),
        b"POST /auth/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % (MAX_BODY + 1)
        + b"x" * (MAX_BODY + 1),
        b"POST /auth/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        + (b"1f4\r\n" + b"x" * 500 + b"\r\n") * 201,
        b"POST /auth/ HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % (MAX_BODY + 1),
    ],
)
def test_bodies_that_are_too_long_are_refused(site: MemorySite, data: bytes, bytewise: bool) -> None:
    """A body that is too long is refused before it arrives, or as soon as it exceeds the limit."""
    stream = site.stream()
    stream.send(data, bytewise=bytewise)
    answer = stream.take()
    assert answer.startswith(b"HTTP/1.1 413 Request Entity Too Large\r\n")
    assert answer.count(b"HTTP/") == 1
    assert not stream.is_connected


@each_row(
    ("head", "body", "is_asked"),
    [
        (b"POST /auth/ HTTP/1.1\r\nContent-Length: 8\r\n", b"name=bot", True),
        (b"POST /auth/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n", b"8\r\nname=bot\r\n0\r\n\r\n", True),
        (b"POST /auth/ HTTP/1.0\r\nContent-Length: 8\r\n", b"name=bot", False),
        (b"GET / HTTP/1.1\r\n", b"", False),
    ],
)
def test_a_client_that_waits_before_it_sends_a_body(site: MemorySite, head: bytes, body: bytes, is_asked: bool) -> None:
    """It is asked for the body, if there is one and it speaks HTTP/1.1."""
    stream = site.stream()
    stream.send(head + b"Host: localhost\r\nExpect: 100-continue\r\n\r\n")
    heard = stream.take()
    assert (heard == b"HTTP/1.1 100 Continue\r\n\r\n") is is_asked
    stream.send(body)
    assert (heard + stream.take()).count(b"HTTP/1.") == 1 + is_asked


@pytest.mark.parametrize("bytewise", [False, True])
def test_bodies_may_come_in_chunks(site: MemorySite, bytewise: bool) -> None:
    """A body may come in chunks, and may be as long as the limit: a short one before a login."""
    stream = site.stream()
    stream.send(
        CHUNKED + b"5\r\nname=\r\n3\r\nbot\r\n0\r\n\r\n",
        bytewise=bytewise,
    )
    assert [answer.code for answer in stream.answers()] == [302]
    for size, headers in ((SMALL_BODY, {}), (MAX_BODY, site.client().headers)):
        body = b"name=" + b"x" * (size - 5)
        assert stream.fetch("/auth/", headers, method="POST", body=body).code == 400
        other = site.stream()
        other.ask("/auth/", headers, method="POST", body=body + b"x")
        assert other.take().startswith(b"HTTP/1.1 413 ")


def test_requests_must_arrive_in_time(site: MemorySite) -> None:
    """A request must arrive in time, and single bytes do not extend it. The next request has the same time."""
    stream = site.stream()
    for byte in b"GET / HTTP/1.1\r\n"[:6]:
        stream.send(bytes([byte]))
        site.clock.advance(REQUEST_SECONDS / 6 - 0.1)
    assert stream.is_connected
    site.clock.advance(1)
    assert not stream.is_connected
    other = site.stream()
    site.clock.advance(REQUEST_SECONDS - 1)
    assert other.fetch("/").code == 200
    site.clock.advance(REQUEST_SECONDS - 1)
    assert other.fetch("/").code == 200
    site.clock.advance(REQUEST_SECONDS)
    assert not other.is_connected


def test_a_client_that_does_not_read_a_response_is_cut(site: MemorySite) -> None:
    """A client that does not read the last response is cut after a while."""
    stream = site.stream()
    stream.wire.is_stuck = True
    stream.ask("/", {"Connection": "close"})
    assert stream.answers()[0].code == 200
    site.clock.advance(CLOSE_SECONDS - 1)
    assert not stream.wire.was_aborted
    site.clock.advance(1)
    assert stream.wire.was_aborted


def test_only_http_1_1_is_offered_over_tls(site: MemorySite) -> None:
    """Only HTTP/1.1 is offered, even if Twisted supports HTTP/2."""
    assert site.site.acceptableProtocols() == [b"http/1.1"]


def test_streams_of_a_host_are_limited() -> None:
    """A stream beyond the share of its host closes an idle one of its own; if none is idle, it is closed itself."""
    with memory_site(Limits(Budget(http_streams=2 * HOST_SHARE))) as site:
        client = site.client()
        client.connect()
        held = client.poll()
        other = site.stream("192.0.2.2")
        assert site.fetch("/").code == 200
        first, second = site.stream(), site.stream()
        assert [stream.is_connected for stream in (held, first, second, other)] == [True, False, True, True]
        again = site.client()
        again.connect()
        assert again.poll().is_connected
        assert not second.is_connected
        assert not site.stream().is_connected
        assert site.connections.count(ConnectionKind.HTTP) == 3


def test_idle_streams_make_room_for_others() -> None:
    """If connections run short, the stream that has been idle the longest is closed, not one with an open request."""
    with memory_site(Limits(Budget(connections=4, http_streams=4))) as site:
        client = site.client()
        client.connect()
        held = client.poll()
        idle = [site.stream(f"192.0.2.{number}") for number in (2, 3)]
        newcomer = site.stream("192.0.2.4")
        assert [stream.is_connected for stream in (held, *idle, newcomer)] == [True, False, True, True]
        assert newcomer.fetch("/").code == 200


def test_streams_count_with_all_connections() -> None:
    """A WebSocket takes the place of its stream, and is counted once."""
    with memory_site() as site:
        socket = site.socket()
        assert (site.connections.count(ConnectionKind.HTTP), site.connections.count(ConnectionKind.NEWCOMER)) == (0, 1)
        socket.stream.wire.lose()
        assert (site.connections.count(ConnectionKind.HTTP), site.connections.count(ConnectionKind.NEWCOMER)) == (0, 0)


def test_unfinished_bodies_have_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """All unfinished bodies together, and those of a host, have a limit; short ones always find room."""
    bodies = Bodies(HOST_SHARE * 2 * MAX_BODY)
    monkeypatch.setattr("ump.server.http.site.Bodies", lambda: bodies)
    with memory_site() as site:
        headers = {"Content-Length": str(MAX_BODY), **site.client().headers}
        streams = [site.stream() for _ in range(3)]
        for stream in streams:
            stream.send(request("/auth/", headers, method="POST") + b"x" * (MAX_BODY - 1))
        assert [stream.is_connected for stream in streams] == [True, True, False]
        assert streams[2].take().startswith(b"HTTP/1.1 503 ")
        assert bodies.held == 2 * (MAX_BODY - 1)
        assert site.fetch("/auth/", method="POST", body=b"name=bot").code == 302
        streams[0].wire.lose()
        assert bodies.held == MAX_BODY - 1
        streams[1].send(b"x")
        assert (streams[1].answers()[0].code, bodies.held) == (400, 0)


def test_bodies_of_many_hosts_have_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts that each stay within their share have a limit together."""
    most = HOST_SHARE * MAX_BODY
    monkeypatch.setattr("ump.server.http.site.Bodies", lambda: Bodies(most))
    with memory_site() as site:
        headers = {"Content-Length": str(MAX_BODY), **site.client().headers}
        streams = [site.stream(f"192.0.2.{number}") for number in range(HOST_SHARE + 1)]
        for stream in streams:
            stream.send(request("/auth/", headers, method="POST") + b"x" * (MAX_BODY - 1))
        assert [stream.is_connected for stream in streams] == [True] * HOST_SHARE + [False]


def test_a_network_of_ipv6_has_the_share_of_one_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another address of the same /64 gives no further room for bodies."""
    monkeypatch.setattr("ump.server.http.site.Bodies", lambda: Bodies(HOST_SHARE * MAX_BODY))
    with memory_site() as site:
        headers = {"Content-Length": str(MAX_BODY), **site.client().headers}
        streams = [site.stream(host) for host in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")]
        for stream in streams:
            stream.send(request("/auth/", headers, method="POST") + b"x" * (MAX_BODY - 1))
        assert [stream.is_connected for stream in streams] == [True, False, True]


def test_a_long_body_is_read_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body takes turns as many requests do: a slice of it is read at once, the rest later."""
    bodies = Bodies()
    monkeypatch.setattr("ump.server.http.site.Bodies", lambda: bodies)
    with memory_site() as site:
        headers = {"Content-Length": str(8 * HTTP_SLICE), **site.client().headers}
        stream = site.stream()
        stream.send_at_once(request("/auth/", headers, method="POST") + b"x" * 8 * HTTP_SLICE)
        assert 0 < bodies.held <= HTTP_SLICE
        assert stream.wire.producerState == "paused"
        for _ in range(8):
            site.clock.advance(SLICE_PAUSE)
        assert (stream.answers()[0].code, bodies.held) == (400, 0)


@each_row(
    ("host", "code"),
    [
        ("here.example", 200),
        ("HERE.example:4615", 200),
        ("here.example.:80", 200),
        ("localhost:8080", 200),
        ("bots.localhost", 200),
        ("127.0.0.1:8080", 200),
        ("127.1.2.3", 200),
        ("[::1]:8080", 200),
        ("192.0.2.77:4615", 200),
        ("[::ffff:192.0.2.77]", 421),
        ("192.0.2.78", 421),
        ("evil.example", 421),
        ("evil.example:4615", 421),
        ("here.example.evil.example", 421),
        ("localhost.evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("user@here.example", 400),
        ("", 400),
        ("[", 400),
        ("here.example, evil.example", 400),
        ("a\xe9", 421),
    ],
)
def test_requests_for_other_hosts_are_refused(site: MemorySite, host: str, code: int) -> None:
    """Only the names of the option, loopback names and the address that the stream came to are accepted."""
    for path in ("/", "/nothing", "/mjai", "/socket.io/"):
        answer = site.fetch(path, {"Host": host})
        assert (answer.code == code) == (code != 200 or path == "/")
        assert answer.code not in (400, 421) or path == "/socket.io/" or code != 200
    assert code != 421 or "--http-name" in answer.text


@pytest.mark.parametrize(("version", "code"), [("1.0", b"200"), ("1.1", b"400")])
def test_only_http_1_0_may_leave_the_host_out(site: MemorySite, version: str, code: bytes) -> None:
    """The checks of proxies leave the host out; browsers, which speak HTTP/1.1, do not."""
    stream = site.stream()
    stream.send(f"GET / HTTP/{version}\r\n\r\n".encode())
    assert stream.take()[9:12] == code


@each_row("name", ["", "a b", "here.example:80", "http://here.example", "a..b", "\u9ebb.example", "x" * 64])
def test_the_option_takes_host_names(name: str) -> None:
    """The option for names takes a host name in ASCII, or an address, without a port."""
    with pytest.raises(ValueError, match="host name"):
        read_host_name(name)
    assert [read_host_name(each) for each in ("Here.Example", "[2001:DB8::1]", "192.0.2.1")] == [
        "here.example",
        "2001:db8::1",
        "192.0.2.1",
    ]


def test_the_log_has_no_secrets(site: MemorySite) -> None:
    """The log has no token, cookie, name, id, or other input of clients."""
    with capturedLogs() as events:
        site.socket("/ws/ranked?room=attic-secret", {"Authorization": "Bearer token-secret"})
        client = site.client("name-secret")
        client.connect()
        client.post('42["secret"]')
        client.post("x")
        again = site.client("name-secret")
        again.connect()
        again.post('42["wrong"]')
        site.stream().fetch("/ws/ranked?secret", {"Authorization": "Bearer"} | UPGRADE)
    logged = [str(event.get("log_format", "")).format(**event) for event in events]
    assert logged
    assert not [line for line in logged if "secret" in line or client.sid in line]


@pytest.mark.no_cover
@settings(max_examples=few(200))
@given(
    st.lists(
        st.one_of(st.binary(max_size=60), st.sampled_from([*request("/mjai", UPGRADE).split(b"\r\n")])), max_size=20
    )
)
def test_any_bytes_cause_no_error(pieces: list[bytes]) -> None:
    """Any bytes cause no error, and open connections only as WebSockets."""
    with memory_site() as opened, capturedLogs() as events:
        stream = opened.stream()
        stream.send(b"\r\n".join(pieces) + b"\r\n\r\n")
        assert len(opened.callers) <= stream.wire.value().count(b"HTTP/1.1 101 ")
    assert not [event for event in events if event["log_level"] >= LogLevel.error]


def test_requests_are_read_in_slices(site: MemorySite) -> None:
    """Of many requests on a stream, one is read at once and a few in each turn; the others wait in order."""
    stream = site.stream()
    stream.send_at_once(request("/") * (1 + SLICES_PER_TURN) + request("/nothing"))
    for read in (1, SLICES_PER_TURN):
        assert [answer.code for answer in stream.answers()] == [200] * read
        assert stream.wire.producerState == "paused"
        site.clock.advance(SLICE_PAUSE)
    assert [answer.code for answer in stream.answers()] == [404]
    assert stream.wire.producerState == "producing"


def test_requests_wait_for_the_response_to_a_poll(site: MemorySite) -> None:
    """Requests behind a poll that is held are not read before its response."""
    client = site.client()
    client.connect()
    stream = site.stream()
    stream.send(request(f"{POLLING}&sid={client.sid}", client.headers) + request("/") * 2)
    assert (stream.answers(), stream.wire.producerState) == ([], "paused")
    site.say(0, "[1]")
    assert next(answer.text for answer in stream.answers()) == "42[1]"
    site.clock.advance(0)
    site.clock.advance(0)
    assert stream.wire.producerState == "producing"
    assert [answer.code for answer in stream.answers()][-1] == 200
