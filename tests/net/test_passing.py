"""Passing a request on: a stream to another server of the site beside that of the client, and requests of our own."""

from __future__ import annotations

from typing import Any, cast

from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure

from ump.net.http.channel import Channel
from ump.net.http.passing import ANSWER_SECONDS, MOST_ANSWER, PassedStream, ask

OK = b"HTTP/1.0 200 OK\r\n\r\n"


class Side(StringTransport):
    """One side of a stream, which keeps how it ended."""

    is_aborted = False

    def setTcpNoDelay(self, enabled: bool) -> None:
        """Ignore the option."""

    def setTcpKeepAlive(self, enabled: bool) -> None:
        """Ignore the option."""

    def abortConnection(self) -> None:
        """Note the end."""
        self.is_aborted = True


class ClientChannel:
    """The channel of a client, as far as a stream needs it."""

    is_full = False

    def __init__(self) -> None:
        self.transport = Side()
        self.transport.registerProducer(cast(Any, self), True)

    def loseConnection(self) -> None:
        """Close when everything is sent."""
        self.transport.loseConnection()


def stream_of(channel: ClientChannel) -> PassedStream:
    """Return the stream of a client's request."""
    return PassedStream(cast(Channel, channel), b"request")


def test_both_sides_are_passed_on() -> None:
    """Bytes that come before the stream is open wait; its end is that of the client's stream."""
    channel, other = ClientChannel(), Side()
    stream = stream_of(channel)
    stream.received(b" early")
    stream.makeConnection(other)
    stream.received(b" late")
    assert other.value() == b"request early late"
    stream.dataReceived(b"answer")
    stream.connectionLost()
    assert (channel.transport.value(), channel.transport.disconnecting) == (b"answer", True)
    stream.dataReceived(b" more")
    assert channel.transport.value() == b"answer"


def test_a_side_that_does_not_read_holds_the_other_up() -> None:
    """Neither side fills the memory of this server."""
    channel, other = ClientChannel(), Side()
    stream = stream_of(channel)
    stream.pause()  # before there is anything to read
    stream.makeConnection(other)
    stream.pause()
    assert other.producerState == "paused"
    stream.resume()
    assert other.producerState == "producing"
    assert other.producer is not None
    other.producer.pauseProducing()
    assert channel.transport.producerState == "paused"
    other.producer.resumeProducing()
    assert channel.transport.producerState == "producing"


def test_a_client_that_goes_meanwhile_leaves_no_stream() -> None:
    """The other server never hears of it."""
    stream, other = stream_of(ClientChannel()), Side()
    stream.lost()
    stream.makeConnection(other)
    assert (other.is_aborted, other.value()) == (True, b"")


def test_another_server_that_cannot_be_reached() -> None:
    """The client gets the answer that says so."""
    channel = ClientChannel()
    stream_of(channel).fail(b"503")
    assert (channel.transport.value(), channel.transport.disconnecting) == (b"503", True)


def asked(reactor: MemoryReactorClock) -> tuple[Deferred[bytes], Any, Any]:
    """Ask another server; return the Deferred, the factory of the connection, and its protocol."""
    done = ask(("192.0.2.1", 8080), b"request", reactor)
    factory = reactor.tcpClients[-1][2]
    return done, factory, factory.buildProtocol(None)


def test_answers_to_our_own_requests() -> None:
    """The body of a whole answer; nothing of one that is refused, too long or late, or without a server."""
    rows = [
        (OK + b"{}", b"{}"),
        (b"HTTP/1.0 503 Service Unavailable\r\n\r\nno", b""),
        (OK + bytes(MOST_ANSWER), b""),
        (b"", b""),
    ]
    reactor, got = MemoryReactorClock(), list[bytes]()
    for answer, expected in rows:
        done, _, protocol = asked(reactor)
        done.addCallback(got.append)
        protocol.makeConnection(Side())
        assert protocol.transport.value() == b"request"
        protocol.dataReceived(answer)
        protocol.connectionLost()
        assert got.pop() == expected, answer[:40]
    done, factory, _ = asked(reactor)
    done.addCallback(got.append)
    factory.clientConnectionFailed(None, Failure(OSError()))
    late, _, protocol = asked(reactor)
    late.addCallback(got.append)
    protocol.makeConnection(Side())
    reactor.advance(ANSWER_SECONDS)
    protocol.connectionLost()
    assert got == [b"", b""]
    assert not reactor.getDelayedCalls()
