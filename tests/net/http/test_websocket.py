"""WebSockets: handshakes, frames, limits, slow clients, closing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.budgets import few
from support.memory_site import ACCEPT, ROOMS, UPGRADE, EchoSession, MemorySite, memory_site, request
from support.rows import each_row
from twisted.logger import LogLevel, capturedLogs
from wsproto.connection import Connection as Frames
from wsproto.connection import ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Event, Ping, Pong, TextMessage

from ump.net.connection_budget import HOST_SHARE, Budget
from ump.net.limits import CLOSE_SECONDS, HELLO_SECONDS, IDLE_PER_SECOND, MAX_UNSENT, PING_INTERVAL, SLICE, Limits
from ump.wire.dialect import Caller

TOKEN = {"Authorization": "Bearer sesame"}


@pytest.fixture
def site() -> Iterator[MemorySite]:
    """A site with Parrot sessions."""
    with memory_site() as opened:
        yield opened


@pytest.mark.parametrize("bytewise", [False, True])
def test_a_request_becomes_a_web_socket(site: MemorySite, bytewise: bool) -> None:
    """A valid request gets a response with the right accept token."""
    stream = site.stream()
    stream.ask("/mjai", UPGRADE, bytewise=bytewise)
    head = stream.take().decode().split("\r\n")
    assert head[0] == "HTTP/1.1 101 Switching Protocols"
    assert f"Sec-WebSocket-Accept: {ACCEPT}" in head


@each_row(
    ("changed", "code"),
    [
        ({}, 101),
        ({"Upgrade": "h2c, WebSocket"}, 101),
        ({"Upgrade": "h2c"}, 426),
        ({"Connection": "keep-alive"}, 426),
        ({"Sec-WebSocket-Version": "8"}, 426),
        ({"Sec-WebSocket-Version": "\xff"}, 426),
        ({"Sec-WebSocket-Key": "x"}, 400),
        ({"Sec-WebSocket-Key": "AAAA"}, 400),
        ({"Sec-WebSocket-Key": "\xe9\xe9\xe9\xe9"}, 400),
        ({"Sec-WebSocket-Extensions": "permessage-deflate"}, 101),
        ({"Sec-WebSocket-Protocol": "chat"}, 101),
        ({"Origin": "https://here.example:4615"}, 101),
        ({"Origin": "http://HERE.example:4615"}, 101),
        ({"Origin": "http://here.example"}, 403),
        ({"Origin": "http://evil.example:4615"}, 403),
        ({"Origin": "http://evil.example/here.example:4615"}, 403),
        ({"Origin": "http://here.example:4615@evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://[", "Host": "["}, 400),
        ({"Origin": "null", "Host": ""}, 400),
        ({"Host": "xn--\xff", "Origin": "\xff"}, 421),
    ],
)
def test_invalid_handshakes_are_refused(site: MemorySite, changed: dict[str, str], code: int) -> None:
    """Invalid handshakes and pages of other servers are refused; extensions are ignored."""
    site.callers.clear()
    stream = site.stream()
    stream.ask("/mjai", UPGRADE | changed)
    head = stream.take().decode("latin-1")
    assert head.startswith(f"HTTP/1.1 {code} ")
    assert len(site.callers) == (code == 101)
    assert "sec-websocket-extensions" not in head.lower()
    assert stream.is_connected


@each_row(
    ("path", "headers", "code", "caller"),
    [
        ("/mjai", {}, 101, Caller(ROOMS)),
        ("/mjai", TOKEN, 101, Caller(ROOMS, token="sesame")),
        ("/mjai?session=b", TOKEN, 101, Caller(ROOMS, token="sesame b")),
        ("/mjai", {"Authorization": "Basic c2VzYW1l"}, 401, None),
        ("/majiang", TOKEN, 101, Caller(ROOMS)),
        ("/ws/ranked?session=2", TOKEN, 101, Caller(ROOMS, token="sesame 2")),
        ("/ws/ranked?session=", TOKEN, 400, None),
        ("/ws/ranked?session=2", {}, 401, None),
        ("/majiang", {}, 101, Caller(ROOMS)),
        ("/majiang?room=main", {}, 101, Caller(ROOMS, room="main")),
        ("/mjai?room=%E9%BA%BB%E9%9B%80", {}, 101, Caller(ROOMS, room="麻雀")),
        ("/mjai?room=", {}, 400, None),
        ("/mjai?room=%FF", {}, 400, None),
        ("/mjai?room=a%0Ab", {}, 400, None),
        ("/mjai?room=" + "a" * 33, {}, 400, None),
        ("/mjai?room=a&room=b", {}, 400, None),
        ("/mjai?name=%E9%9B%80&room=main", {}, 101, Caller(ROOMS, name="雀", room="main")),
        ("/mjai?name=", {}, 400, None),
        ("/mjai?name=a&name=b", {}, 400, None),
        ("/mjai?riichienv=0.4.8", {}, 101, Caller(ROOMS, riichienv="0.4.8")),
        ("/mjai?advice=1", {}, 101, Caller(ROOMS, wants_advice=True)),
        ("/mjai?advice=yes", {}, 101, Caller(ROOMS)),
        ("/mjai?riichienv=old", {}, 400, None),
        ("/mjai?riichienv=0.4.8&riichienv=0.4.8", {}, 400, None),
        ("/ws/ranked?name=ann", TOKEN, 101, Caller(ROOMS, name="ann", token="sesame")),
        ("/ws/ranked", {}, 401, None),
        ("/ws/ranked", {"Authorization": "Bearer "}, 401, None),
        ("/ws/ranked", {"Authorization": "Bearer a b"}, 401, None),
        ("/ws/ranked", {"Authorization": "Bearer \xff"}, 401, None),
        ("/ws/ranked", {"Authorization": "Basic c2VzYW1l"}, 401, None),
        ("/ws/ranked", {"authorization": "bearer sesame"}, 101, Caller(ROOMS, token="sesame")),
        ("/ws/ranked?room=league", TOKEN, 101, Caller(ROOMS, room="league", token="sesame")),
        ("/ws/validate", {}, 401, None),
        ("/ws/validate?room=league", TOKEN, 101, Caller(ROOMS, room="validate", token="sesame")),
    ],
)
def test_the_session_receives_room_and_token(
    site: MemorySite, path: str, headers: dict[str, str], code: int, caller: Caller | None
) -> None:
    """The session learns the room of the URL and the token of the header; wrong ones are refused."""
    site.callers.clear()
    stream = site.stream()
    stream.ask(path, UPGRADE | headers)
    head = stream.take()
    assert head[9:12] == b"%d" % code
    assert site.callers == ([] if caller is None else [caller])
    if code == 401:
        assert b"\r\nWWW-Authenticate: Bearer\r\n" in head


def test_the_room_of_the_url_applies_without_another_room(site: MemorySite) -> None:
    """The room of the URL applies to a client that names none."""
    for path in ("/majiang", "/majiang?room=league"):
        site.socket(path).say('["hello"]')
    assert [introduction.room for _, introduction in site.usher.came] == [None, "league"]


@pytest.mark.parametrize("bytewise", [False, True])
def test_each_message_is_a_frame(site: MemorySite, bytewise: bool) -> None:
    """Each message is a frame, in any pieces; messages sent together are one write."""
    socket = site.socket()
    socket.say("[1]", '["麻雀"]', bytewise=bytewise)
    socket.send(TextMessage("[2", message_finished=False), Ping(b"x"), TextMessage(",3]"), bytewise=bytewise)
    assert site.sessions[0].heard == [b"[1]", '["麻雀"]'.encode(), b"[2,3]"]
    assert [event.data for event in socket.events() if isinstance(event, TextMessage)] == [
        '["you said", "[1]"]',
        '["you said", "[\\"\\u9ebb\\u96c0\\"]"]',
        '["you said", "[2,3]"]',
    ]
    site.say(0, "1", "2")
    assert socket.heard() == [1, 2]


def test_frames_before_the_response_are_read(site: MemorySite) -> None:
    """Frames sent before the response to the handshake are read."""
    stream = site.stream()
    frame = bytes([0x81, 0x83, 0, 0, 0, 0]) + b"[1]"
    stream.send(request("/") + request("/mjai", UPGRADE) + frame)
    assert site.sessions[0].heard == [b"[1]"]


@pytest.mark.parametrize("is_split", [False, True])
def test_a_message_may_be_as_long_as_the_limit(site: MemorySite, is_split: bool) -> None:
    """A message may be as long as the session's limit; one more byte closes, however it is split."""
    for length in (1_000, 1_001):
        socket = site.socket()
        text = "é" * 499 + "x" * (length - 998)
        parts = [TextMessage(part, message_finished=False) for part in text] if is_split else []
        socket.send(*parts, TextMessage("" if is_split else text))
        if length == 1_000:
            assert site.sessions[-1].heard == [text.encode()]
        else:
            assert site.sessions[-1].heard == []
            assert socket.heard() == [["error", "line too long"], 1009]


def test_a_message_without_end_closes_at_the_limit(site: MemorySite) -> None:
    """A message that exceeds the limit closes at once, before its end arrives."""
    socket = site.socket()
    socket.stream.send(bytes([0x81, 0xFF]) + (2**40).to_bytes(8, "big") + bytes(4) + b"x" * 1_001)
    assert socket.heard() == [["error", "line too long"], 1009]
    socket.stream.send(b"x" * 100_000)
    socket.stream.wire.lose()


def test_binary_frames_are_ignored(site: MemorySite) -> None:
    """Binary frames are ignored."""
    socket = site.socket()
    socket.send(BytesMessage(b"x" * 100_000), TextMessage("[1]"))
    assert site.sessions[0].heard == [b"[1]"]


def test_pings_are_answered_and_sent(site: MemorySite) -> None:
    """The server answers pings. It sends its own at intervals, and needs no answer."""
    socket = site.socket()
    socket.say('["hello"]')
    socket.heard()
    socket.send(Ping(b"hi"))
    assert socket.events() == [Pong(b"hi")]
    for _ in range(3):
        site.clock.advance(PING_INTERVAL)
        assert socket.events() == [Ping(b"")]
    socket.send(Pong())
    assert socket.stream.is_connected


@pytest.mark.parametrize(
    "event", [Ping(), Pong(), BytesMessage(b""), BytesMessage(b"x"), TextMessage("", message_finished=False)]
)
def test_a_flood_of_frames_closes_the_connection(site: MemorySite, event: Ping) -> None:
    """Too many frames without a message close the connection; as many over more time do not."""
    for seconds, is_connected in ((1, True), (0, False)):
        socket = site.socket()
        first = event if not isinstance(event, TextMessage) else TextMessage("[", message_finished=False)
        socket.send(first)
        for _ in range(2):
            socket.send(*[event] * (IDLE_PER_SECOND - 1))
            site.clock.advance(seconds)
        assert socket.heard() == ([] if is_connected else [["error", "too many frames without a message"], 1000])
        socket.stream.wire.lose()


@pytest.mark.parametrize("is_person", [True, False])
def test_a_person_who_is_silent_has_gone(site: MemorySite, monkeypatch: pytest.MonkeyPatch, *, is_person: bool) -> None:
    """A browser that does not answer a ping until the next one is cut; a program may be busy."""
    monkeypatch.setattr(EchoSession, "is_person", is_person)
    socket = site.socket()
    socket.say('["hello"]')
    for _ in range(2):
        site.clock.advance(PING_INTERVAL)
        socket.send(Pong())
    site.clock.advance(PING_INTERVAL)
    assert socket.stream.is_connected
    site.clock.advance(PING_INTERVAL)
    assert socket.stream.is_connected is not is_person


def test_the_server_answers_the_closing_frame(site: MemorySite) -> None:
    """The server answers the client's closing frame, then closes the stream. That is no violation."""
    socket = site.socket()
    socket.send(CloseConnection(1000), bytewise=True)
    assert socket.heard() == [1000]
    assert not socket.stream.is_connected
    assert not len(site.connections.violations)
    assert not len(site.connections)


@pytest.mark.parametrize("is_answered", [True, False])
def test_the_server_waits_for_the_closing_frame(site: MemorySite, is_answered: bool) -> None:
    """The server sends the last message and a closing frame, and waits a while for the client's."""
    socket = site.socket()
    socket.say('["leave"]', "[1]")
    assert [event for event in socket.events() if isinstance(event, TextMessage)] == [TextMessage('["bye"]')]
    assert site.sessions[0].heard == [b'["leave"]']
    assert socket.stream.is_connected
    if is_answered:
        socket.send(CloseConnection(1000))
    else:
        site.clock.advance(CLOSE_SECONDS)
    assert not socket.stream.is_connected
    assert socket.stream.wire.was_aborted is not is_answered


def test_the_server_does_not_wait_for_a_client_that_it_refuses(site: MemorySite) -> None:
    """It reads no answer to its closing frame, so it closes the stream as soon as the frame is sent."""
    socket = site.socket()
    socket.say('["wrong"]')
    assert socket.heard() == [["error", "that is wrong"], 1000]
    assert not socket.stream.is_connected
    assert not socket.stream.wire.was_aborted


def test_frames_after_the_servers_closing_frame_are_ignored(site: MemorySite) -> None:
    """Frames are ignored after the server's closing frame; invalid bytes cut at once."""
    socket = site.socket()
    socket.say('["leave"]')
    socket.say("[1]" * 500)
    socket.send(Ping(b"x"), BytesMessage(b"x"))
    assert [type(event) for event in socket.events()] == [TextMessage, CloseConnection]
    assert socket.stream.is_connected
    socket.stream.send(b"\xff\xff")
    assert socket.stream.wire.was_aborted


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x81\x00", 1002),  # no mask
        (b"\xf1\x80\0\0\0\0", 1002),  # a bit that means nothing
        (b"\x83\x80\0\0\0\0", 1002),  # an opcode that means nothing
        (b"\x80\x80\0\0\0\0", 1002),  # goes on with nothing
        (b"\x89\xfe\0\xff\0\0\0\0", 1002),  # a ping of 255 bytes
        (b"\x81\x82\0\0\0\0\xff\xff", 1007),  # no UTF-8
        (b"\x88\x81\0\0\0\0x", 1002),  # an end of one byte
    ],
)
@pytest.mark.parametrize("bytewise", [False, True])
def test_invalid_frames_close_the_connection(site: MemorySite, data: bytes, code: int, bytewise: bool) -> None:
    """Invalid frames close the connection with the right code, and count as a violation; later frames are ignored."""
    socket = site.socket()
    socket.stream.send(data, bytewise=bytewise)
    socket.stream.send(b"\x81\x83\0\0\0\0[1]")
    assert socket.heard() == [code]
    assert site.sessions[0].heard == []
    assert not socket.stream.is_connected
    assert len(site.connections.violations) == 1


def test_a_client_that_does_not_read_the_closing_frame_is_cut(site: MemorySite) -> None:
    """The client is cut after a while."""
    socket = site.socket()
    socket.stream.wire.is_stuck = True
    socket.send(CloseConnection(1000))
    assert not socket.stream.wire.was_aborted
    site.clock.advance(CLOSE_SECONDS)
    assert socket.stream.wire.was_aborted


def test_messages_wait_for_a_client_that_does_not_read(site: MemorySite) -> None:
    """Messages are kept until the client reads again. Only its last ping is answered, and none is sent."""
    socket = site.socket()
    socket.say('["hello"]')
    producer = socket.stream.wire.producer
    assert producer is not None
    producer.pauseProducing()
    site.say(0, "1")
    socket.send(Ping(b"a"), Ping(b"b"))
    site.clock.advance(PING_INTERVAL)
    site.say(0, "2")
    assert socket.events() == []
    producer.resumeProducing()
    assert socket.events() == [TextMessage("1"), TextMessage("2"), Pong(b"b")]
    site.say(0, "3")
    assert socket.heard() == [3]


def test_a_client_that_does_not_read_for_too_long_is_cut(site: MemorySite) -> None:
    """The client is cut when the data kept for it exceeds the limit."""
    socket = site.socket()
    assert socket.stream.wire.producer is not None
    socket.stream.wire.producer.pauseProducing()
    for _ in range(MAX_UNSENT // 1_024 - 1):
        site.say(0, "x" * 1_020)
    assert socket.stream.is_connected
    site.say(0, "x" * 1_020)
    assert socket.stream.is_connected
    site.say(0, "x")
    assert socket.stream.wire.was_aborted


def test_kept_data_is_sent_before_the_closing_frame(site: MemorySite) -> None:
    """The data kept for a client is sent before the closing frame."""
    socket = site.socket()
    assert socket.stream.wire.producer is not None
    socket.stream.wire.producer.pauseProducing()
    site.say(0, "1")
    socket.say('["wrong"]')
    assert socket.heard() == [1, ["error", "that is wrong"], 1000]


def test_a_request_waits_while_the_client_does_not_read(site: MemorySite) -> None:
    """If the client has not read earlier responses, nothing is read of it; then the request becomes a WebSocket."""
    stream = site.stream()
    assert stream.wire.producer is not None
    stream.send(request("/"))
    stream.take()
    stream.wire.producer.pauseProducing()
    stream.ask("/mjai", UPGRADE)
    assert (stream.take(), stream.wire.producerState) == (b"", "paused")
    stream.wire.producer.resumeProducing()
    assert stream.take().startswith(b"HTTP/1.1 101 ")
    assert stream.wire.producerState == "producing"
    site.say(0, "1")
    assert stream.take() == b"\x81\x011"


@pytest.mark.parametrize(
    "event", [Ping(), Pong(), BytesMessage(b""), TextMessage("", message_finished=False), TextMessage('["idle"]')]
)
def test_a_violation_stops_reading(site: MemorySite, event: Event) -> None:
    """After too many frames nothing more is read or answered, and the stream is cut a while later."""
    socket = site.socket()
    socket.stream.wire.is_stuck = True
    socket.send(*[event] * (IDLE_PER_SECOND + 1))
    assert socket.heard()[-2][0] == "error"
    assert socket.stream.wire.producerState == "paused"
    heard = len(site.sessions[0].heard)
    socket.stream.send_at_once(client_frames(Ping(b"?"), TextMessage('["hello"]'), CloseConnection(1000)))
    assert socket.stream.take() == b""
    assert len(site.sessions[0].heard) == heard
    site.clock.advance(CLOSE_SECONDS)
    assert socket.stream.wire.was_aborted


def test_frames_are_read_in_slices(site: MemorySite) -> None:
    """A slice of a client's frames is read at once; the rest waits for turns, while the kernel keeps what follows."""
    socket, other = site.socket(), site.socket()
    socket.stream.send_at_once(client_frames(*[TextMessage("1")] * (2 * SLICE)))
    assert len(socket.heard()) == SLICE
    assert socket.stream.wire.producerState == "paused"
    other.stream.send_at_once(client_frames(TextMessage("2")))
    assert other.heard() == [["you said", "2"]]
    site.clock.advance(0)
    assert len(socket.heard()) == SLICE
    site.clock.advance(0)
    assert socket.stream.wire.producerState == "producing"


def client_frames(*events: Event) -> bytes:
    """Return frames as a client writes them."""
    frames = Frames(ConnectionType.CLIENT)
    return b"".join(frames.send(event) for event in events)


def test_a_lost_stream_ends_the_connection(site: MemorySite) -> None:
    """A lost stream ends the connection."""
    socket = site.socket()
    socket.stream.wire.lose()
    assert not len(site.connections)


def test_a_client_without_a_hello_is_closed(site: MemorySite) -> None:
    """A client that sends no hello gets an error and is closed."""
    socket = site.socket()
    site.clock.advance(HELLO_SECONDS)
    assert socket.heard() == [["error", f"no hello in {HELLO_SECONDS} seconds"], 1000]


def test_too_many_connections() -> None:
    """A connection beyond the limit gets an error, until another one closes."""
    with memory_site(Limits(Budget(newcomers=HOST_SHARE))) as site:
        first, second = site.socket(), site.socket()
        assert second.heard() == [["error", "too many connections"], 1000]
        second.send(CloseConnection(1000))
        first.stream.wire.lose()
        assert site.socket().heard() == []


@pytest.mark.no_cover
@settings(max_examples=few(200))
@given(st.lists(st.binary(max_size=40), max_size=20))
def test_any_bytes(pieces: list[bytes]) -> None:
    """Any bytes after the handshake cause no error."""
    with memory_site() as site, capturedLogs() as events:
        socket = site.socket()
        for piece in pieces:
            socket.stream.send(piece)
        site.clock.advance(CLOSE_SECONDS)
    assert not [event for event in events if event["log_level"] >= LogLevel.error]
