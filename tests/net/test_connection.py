"""One connection over TCP: splitting into lines, limits of time and size, slow readers, closing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.budgets import few
from support.memory_server import MemoryServer, RawSentences, connect_peer, memory_server, room
from support.rows import each_row
from twisted.internet.address import IPv4Address, UNIXAddress
from twisted.internet.tcp import Connection as TCPConnection
from twisted.logger import capturedLogs, formatEvent

from ump.net.limits import (
    CLOSE_SECONDS,
    HELLO_SECONDS,
    IDLE_PER_SECOND,
    IDLE_REPORTED,
    MAX_UNSENT,
    SLICE,
    SLICE_PAUSE,
    SLICES_PER_TURN,
    ClientLimits,
    Limits,
)
from ump.net.lines import LineFactory, Lines
from ump.server.table_runner import TableRunner
from ump.wire.json_text import MAX_OBJECT
from ump.wire.text import MAX_LINE
from ump.wire.ump.speech import FAREWELL_SECONDS

GREETING = (
    "0 hello ump=0.1 name=ump _rule=ump _length=hanchan "
    "_ext=_offer,_explain,_lang,_hand,_waits,_time,_room,_games,_watch,_resume,_guest,_tab,_seat,_table,"
    "_proof,_seed,_results,_ping,_person,_human _human=press_Enter"
)


@pytest.fixture
def server() -> Iterator[MemoryServer]:
    """A server with one room, without built-in bots."""
    with memory_server() as opened:
        yield opened


def test_the_server_speaks_first(server: MemoryServer) -> None:
    """The server's hello has id 0, and names its rules and extensions."""
    assert server.connect().heard() == [GREETING]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r\0", b"\r"])
@pytest.mark.parametrize("bytewise", [False, True])
def test_line_ends(server: MemoryServer, end: bytes, bytewise: bool) -> None:
    """Each of these ends a line, also if it arrives byte by byte; empty lines after the hello are skipped."""
    peer = server.connect()
    data = b"0 hello _explain=1" + end + end
    for piece in [data[i : i + 1] for i in range(len(data))] if bytewise else [data]:
        peer.send(piece)
    assert peer.heard() == [GREETING, "1 _waiting 1 4"]


@pytest.mark.parametrize("end", [b"\r\0", b"\r"])
def test_line_ends_of_a_person(server: MemoryServer, end: bytes) -> None:
    """Several lines in one packet are separate lines, and none of them is empty."""
    peer = server.connect()
    peer.send(b"alice" + end + b"rooms" + end + b"bob" + end)
    heard = peer.heard()
    assert any("play in room main as alice" in line for line in heard)
    assert heard[-2:] == ["You sit down in main as bob. Type help at any time.", "Players here: 1 of 4."]


def test_a_hello_in_raw_utf_8(server: MemoryServer) -> None:
    """The name need not be percent-encoded."""
    peer = server.connect()
    peer.say("0 hello name=日本 _explain=1")
    assert peer.heard()[1:] == ["1 _waiting 1 4"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_the_longest_line(server: MemoryServer, end: bytes) -> None:
    """A line of MAX_LINE bytes is read, with CR LF or LF; a longer one ends the connection."""
    peer = server.enter("a")
    peer.send(b"x" * MAX_LINE + end)
    assert peer.is_connected
    peer.send(b"x" * (MAX_LINE + 1) + end)
    assert peer.heard()[1:] == ["1 error line%20too%20long"]
    assert not peer.is_connected


def test_a_line_without_end(server: MemoryServer) -> None:
    """The connection ends as soon as a line is too long, before its end has come."""
    peer = server.connect()
    peer.send(b"x" * (MAX_LINE + 2))
    assert peer.heard()[1:] == ["1 error line%20too%20long"]


def test_lines_after_the_last_one(server: MemoryServer) -> None:
    """Lines in the same packet after the one that closed the connection are dropped."""
    peer = server.connect()
    peer.send(b"0 what?\n0 hello\n0 hello\n")
    assert [line.split()[1] for line in peer.heard()] == ["hello", "error"]


def test_no_hello(server: MemoryServer) -> None:
    """A client without a hello in time receives an error."""
    peer = server.connect()
    server.clock.advance(HELLO_SECONDS)
    assert peer.heard()[1:] == [f"1 error no%20hello%20in%20{HELLO_SECONDS}%20seconds"]
    assert not peer.is_connected


def test_waiting_has_no_limit(server: MemoryServer) -> None:
    """A client that has said hello may wait for ever."""
    peer = server.enter("a")
    server.clock.advance(100 * HELLO_SECONDS)
    assert peer.is_connected


@each_row(
    "line",
    [
        *("0 GET / HTTP/1.1", "0 sute 1m", "7 hello", "hello ump=1.0", "0 hello name=", "0 hello name=%FF"),
        "hello _human=0 _games=x",
    ],
)
def test_invalid_hellos(server: MemoryServer, line: str) -> None:
    """Anything but a hello that the server can serve gets an error, and the connection is closed."""
    peer = server.connect()
    peer.say(line)
    assert peer.words() == ["hello", "error"]
    assert not peer.is_connected


def test_a_violation_stops_reading(server: MemoryServer) -> None:
    """Nothing more is read from the socket: the rest of a flood stays in the kernel of who sends it."""
    peer = server.connect()
    peer.wire.is_stuck = True
    peer.send(b"0 GET / HTTP/1.1\r\n" + b"0 hello name=me\r\n" * 5)
    assert (peer.words(), peer.wire.producerState) == (["hello", "error"], "paused")
    peer.protocol.dataReceived(b"0 hello name=me\r\n")
    assert peer.words() == ["hello", "error"]


def test_an_unknown_room(server: MemoryServer) -> None:
    """The error names all rooms."""
    peer = server.enter("a", "_room=attic")
    assert peer.heard()[1:] == ["1 error unknown%20room%20'attic';%20choose%20main"]


def test_bye_at_any_time(server: MemoryServer) -> None:
    """A client may say bye at any time, and receives bye."""
    for peer in (server.connect(), server.enter("a")):
        peer.say("77 bye")
        assert peer.heard()[-1] == "1 bye"
        assert not peer.is_connected


def test_a_flood(server: MemoryServer) -> None:
    """Lines that answer nothing are dropped; too many in one second end the connection."""
    peer = server.enter("a")
    for lines in (b"\n" * IDLE_PER_SECOND, b"7 no\n" * IDLE_PER_SECOND):
        server.clock.advance(1)
        peer.send(lines)
        assert peer.wire.producerState == "paused"
        while peer.wire.producerState == "paused":
            server.clock.advance(SLICE_PAUSE)
    assert peer.is_connected
    peer.send(b"7 no\n")
    assert peer.heard()[-1] == "1 error too%20many%20lines%20that%20answer%20nothing"


def test_a_flood_at_a_table_takes_no_steps() -> None:
    """Useless lines of a seated client are counted without a step of the table, and few of them are explained."""
    with memory_server(room(house=["tsumogiri:3"], house_after=0)) as server, capturedLogs() as events:
        peer = server.enter("a")
        server.clock.advance(0)
        table = server.table
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(table, "take", lambda given: pytest.fail(f"a step for {given}"))
            for _ in range(100):
                peer.say("777 no")
        assert table._host.table.chairs[table_seat(table)].stale == 100
        reports = [event for event in events if "another id" in formatEvent(event)]
        assert len(reports) == IDLE_REPORTED
        server.clock.advance(1)
        peer.say("777 no")
        assert len([event for event in events if "another id" in formatEvent(event)]) == IDLE_REPORTED + 1


def table_seat(table: TableRunner) -> int:
    """Return the seat of the only client."""
    (seat,) = table.players
    return seat


def test_lines_are_read_in_slices(server: MemoryServer) -> None:
    """A slice of a client's lines is read at once, a few more with each turn, and other clients are read in between."""
    flooder, other = server.enter("a"), server.enter("b")
    flooder.send(b"7 no\n" * (IDLE_PER_SECOND + 2 * SLICE))
    turns = 0
    while flooder.is_connected:
        other.say("7 no")
        server.clock.advance(0)
        turns += flooder.is_connected
        server.clock.advance(SLICE_PAUSE)
    assert turns == IDLE_PER_SECOND // SLICE // SLICES_PER_TURN
    assert other.is_connected


def test_many_floods_end_as_one_does(server: MemoryServer) -> None:
    """The server reads a few lines a second of each of many floods: the time for which they wait does not count."""
    factory = LineFactory("listen", [server.rooms[0].settings.info], server.lobby, server.connections, server.clock)
    host = IPv4Address("TCP", "192.0.2.1", 1)
    flooders = [connect_peer(factory.buildProtocol(None), host) for _ in range(2 * SLICES_PER_TURN)]
    for number, flooder in enumerate(flooders):
        flooder.send(b"0 hello ump=0.1 name=a%d\n" % number + b"7 no\n" * (IDLE_PER_SECOND + 2 * SLICE))
    seconds = 0.0
    while any(flooder.is_connected for flooder in flooders):
        server.clock.advance(SLICE_PAUSE)
        seconds += SLICE_PAUSE
    assert seconds > 2
    assert all("too%20many%20lines" in flooder.heard()[-1] for flooder in flooders)


def test_between_two_turns_the_server_reads_no_flood(server: MemoryServer) -> None:
    """The time between two turns belongs to those who send little, however fast the reactor turns."""
    flooder = server.enter("a")
    server.clock.advance(0)  # until here its session has asked for the time
    flooder.send(b"7 no\n" * (2 + 2 * SLICES_PER_TURN) * SLICE)
    (call,) = [call for call in server.clock.getDelayedCalls() if call.getTime() == server.clock.seconds()]
    server.clock.advance(0)
    assert not call.active()
    for _ in range(10):
        server.clock.advance(SLICE_PAUSE / 11)
        assert flooder.wire.producerState == "paused"
    heard = flooder.connection.useless.number
    assert heard == (1 + SLICES_PER_TURN) * SLICE
    server.clock.advance(SLICE_PAUSE)
    assert flooder.connection.useless.number == heard + SLICES_PER_TURN * SLICE


def test_one_port_reads_a_few_slices_in_each_turn(server: MemoryServer) -> None:
    """Many clients with much input share the turns of their port; each of them gets its turn."""
    factory = LineFactory("listen", [server.rooms[0].settings.info], server.lobby, server.connections, server.clock)
    host = IPv4Address("TCP", "192.0.2.1", 1)
    peers = [connect_peer(factory.buildProtocol(None), host) for _ in range(3 * SLICES_PER_TURN)]
    for peer in peers:
        peer.send(b"0 hello ump=0.1 name=a\n" + b"\n" * (SLICE - 1) + b"7 bye\n")
    assert [peer.is_connected for peer in peers] == [True] * len(peers)
    for turn in range(1, 4):
        server.clock.advance(SLICE_PAUSE)
        assert sum(not peer.is_connected for peer in peers) == turn * SLICES_PER_TURN


def test_a_flood_of_long_messages(server: MemoryServer) -> None:
    """A long message that answers nothing counts as one line for each KiB."""
    host = IPv4Address("TCP", "192.0.2.1", 1)
    peer = connect_peer(
        LineFactory(
            "mjai", [server.rooms[0].settings.info], server.lobby, server.connections, server.clock
        ).buildProtocol(None),
        host,
    )
    peer.send(b'{"type":"join","name":"a","room":"default"}\n')
    long = b'{"type":"none","log":"' + b"x" * 60_000 + b'"}\n'
    peer.send(long * (IDLE_PER_SECOND // 59))
    server.clock.advance(SLICE_PAUSE)
    assert peer.is_connected
    peer.send(long * 2)
    assert not peer.is_connected


def test_a_slow_reader(server: MemoryServer) -> None:
    """Messages are kept while the transport is full, and sent in order afterwards."""
    peer = server.enter("a")
    peer.heard()
    peer.protocol.pauseProducing()
    for number in range(3):
        tell(peer.protocol, f"dora {number}m")
    assert not peer.heard()
    peer.protocol.resumeProducing()
    assert peer.heard() == ["1 dora 0m", "2 dora 1m", "3 dora 2m"]
    assert len(peer.wire.writes) == 2


def test_a_reader_that_has_stopped(server: MemoryServer) -> None:
    """A client that does not read for too long is cut without a message."""
    peer = server.enter("a")
    peer.heard()
    peer.protocol.pauseProducing()
    for _ in range(MAX_UNSENT // 100):
        tell(peer.protocol, "x" * 100)
    assert peer.wire.was_aborted
    assert not peer.heard()


def test_a_close_that_does_not_end(server: MemoryServer) -> None:
    """A client that does not take the last bytes is cut after CLOSE_SECONDS."""
    peer = server.enter("a")
    peer.wire.is_stuck = True
    peer.say("bye")
    server.clock.advance(CLOSE_SECONDS - 1)
    assert not peer.wire.was_aborted
    server.clock.advance(1)
    assert peer.wire.was_aborted


def test_a_bye_that_is_not_answered(server: MemoryServer) -> None:
    """After the server's bye the client has FAREWELL_SECONDS to answer it."""
    polite, rude = server.enter("a"), server.enter("b")
    for peer in (polite, rude):
        peer.connection.occupant = None
        peer.connection.say_bye()
    polite.say("1 bye")
    assert not polite.is_connected
    assert polite.heard()[-1] == "1 bye"
    server.clock.advance(FAREWELL_SECONDS)
    assert not rude.is_connected


def test_a_peer_without_an_address(server: MemoryServer) -> None:
    """A client on a UNIX socket, which has no address, may connect and is logged."""
    peer = server.connect(address=UNIXAddress(None))
    peer.say("0 hello")
    assert peer.connection.peer == "a local socket"
    assert peer.is_connected


WORDS = (
    *("hello", "bye", "ok", "yes", "no", "sute", "richi", "ankan", "kakan", "chi", "pon", "kan", "ron", "tsumo"),
    *("1m", "5M", "9z", "tsumogiri", "ump=0.1", "name=x", "_games=0", "_watch=main", "_room=main", "=", "%", "%0A"),
    *(str(number) for number in range(30)),
    *("\xe9", "\x00", "\x1b[A", "\t", "999999999999999999999999"),
)


@pytest.mark.no_cover
@settings(max_examples=few(60))
@given(
    st.lists(
        st.lists(st.sampled_from(WORDS), max_size=5).map(lambda words: " ".join(words).encode() + b"\n")
        | st.binary(max_size=40),
        max_size=40,
    )
)
def test_random_bytes(pieces: list[bytes]) -> None:
    """Random bytes of one client raise no error of the server, and the others play to the end."""
    with memory_server(room(length="kyoku")) as server:
        robots = server.robots("a", "b", "c")
        hostile = server.enter("d")
        for piece in pieces:
            hostile.send(piece)
            server.play(robots)
        hostile.hang_up()
        server.play(robots)
        assert all("gameend" in robot.peer.words() for robot in robots)


class Choked(TCPConnection):
    """A socket that accepts ``room_for`` bytes; its transport buffers the rest."""

    def __init__(self, room_for: int) -> None:
        self.room_for = room_for
        self.taken: list[bytes] = []
        self.buffered: list[bytes] = []
        self.was_aborted = False
        self.error: OSError | None = None

    def getPeer(self) -> IPv4Address:
        """Return the peer's address."""
        return IPv4Address("TCP", "192.0.2.1", 1)

    def setTcpNoDelay(self, enabled: bool) -> None:
        """Ignore the option."""

    def setTcpKeepAlive(self, enabled: bool) -> None:
        """Ignore the option."""

    def registerProducer(self, producer: object, streaming: bool) -> None:
        """Ask for data at once, as for a pull producer."""
        assert isinstance(producer, Lines)
        assert not streaming
        producer.resumeProducing()

    def getHandle(self) -> Any:
        """Return the socket."""
        return self

    def send(self, data: bytes) -> int:
        """Accept as many bytes as there is room for."""
        if self.error is not None:
            raise self.error
        took = data[: self.room_for]
        self.room_for -= len(took)
        if took:
            self.taken.append(took)
        return len(took)

    def write(self, data: bytes) -> None:
        """Buffer data."""
        self.buffered.append(data)

    def abortConnection(self) -> None:
        """Close now."""
        self.was_aborted = True


def choked(server: MemoryServer, room_for: int) -> tuple[Lines, Choked]:
    """Return a connection that has said hello, and its socket, which accepts ``room_for`` more bytes."""
    factory = LineFactory("listen", [server.rooms[0].settings.info], server.lobby, server.connections, server.clock)
    lines, socket = factory.buildProtocol(None), Choked(10_000)
    lines.makeConnection(socket)
    lines.dataReceived(b"0 hello\n")
    socket.taken.clear()
    socket.room_for = room_for
    return lines, socket


def tell(lines: Lines, *sentences: str) -> None:
    """Send sentences, each in a write of its own."""
    for sentence in sentences:
        lines.connection.session.tell(RawSentences(sentence), 0.0)
        lines.connection.flush()


def test_a_socket_that_accepts_only_a_part(server: MemoryServer) -> None:
    """The transport gets the rest of a write; further messages wait until the transport is empty."""
    lines, socket = choked(server, 10)
    tell(lines, "dora 1m", "dora 2m", "dora 3m")
    assert (socket.taken, socket.buffered) == ([b"1 dora 1m\r"], [b"\n"])
    lines.resumeProducing()
    assert socket.buffered == [b"\n", b"2 dora 2m\r\n3 dora 3m\r\n"]
    socket.room_for = 100
    tell(lines, "dora 4m")
    assert socket.taken == [b"1 dora 1m\r"], "the transport has not said that it is empty again"
    lines.resumeProducing()
    lines.resumeProducing()
    tell(lines, "dora 5m")
    assert socket.buffered[2:] == [b"4 dora 4m\r\n"]
    assert socket.taken[1:] == [b"5 dora 5m\r\n"]
    lines.connectionLost()


def test_a_socket_that_accepts_nothing(server: MemoryServer) -> None:
    """The connection is cut when more than MAX_UNSENT bytes wait."""
    lines, socket = choked(server, 0)
    tell(lines, *["x" * 100] * (MAX_UNSENT // 100))
    assert socket.was_aborted
    assert sum(map(len, socket.buffered)) < 200
    lines.connectionLost()


def test_limits_of_the_operator() -> None:
    """Every limit on a client can be set: the time for its hello, its lines, what it does not read, useless lines."""
    client = ClientLimits(hello_seconds=5, line=300, unread=20_000, idle_lines=20)
    with memory_server(room(), limits=Limits(client=client)) as server:
        silent, long, useless = server.connect(), server.enter("a"), server.enter("b")
        server.clock.advance(5)
        assert silent.heard()[-1] == "1 error no%20hello%20in%205%20seconds"
        long.say("x" * 300)
        assert long.is_connected
        long.say("x" * 301)
        assert long.heard()[-1] == "1 error line%20too%20long"
        for _ in range(20):
            useless.say("7 no")
        assert useless.is_connected
        useless.say("7 no")
        assert useless.heard()[-1] == "1 error too%20many%20lines%20that%20answer%20nothing"
        lines, socket = choked(server, 0)
        tell(lines, *["x" * 100] * 201)
        assert socket.was_aborted
        lines.connectionLost()


def test_messages_and_lines_have_their_own_limits() -> None:
    """The limit on messages is for JSON dialects, and never above what they read; that on lines is for the others."""
    client = ClientLimits(line=2_000, message=1_500)
    assert (client.longest(MAX_LINE), client.longest(MAX_OBJECT), client.longest(1_200)) == (2_000, 1_500, 1_200)


def test_a_socket_that_fails(server: MemoryServer) -> None:
    """The data goes to the transport, which finds the error itself and reports the loss."""
    lines, socket = choked(server, 100)
    socket.error = BrokenPipeError()
    tell(lines, "dora 1m")
    assert socket.buffered == [b"1 dora 1m\r\n"]
    lines.connectionLost()
