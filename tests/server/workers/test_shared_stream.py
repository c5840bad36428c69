"""Streams to which a worker writes itself, over real sockets: clients that do not read, and the rest for the front."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest

from ump.server.workers.sent_counts import PLACES, SentCounts, shared_memory
from ump.server.workers.shared_stream import SharedStream, SharedStreams
from ump.server.workers.sharing import Sharing


class Writers:
    """The writers of a reactor."""

    def __init__(self) -> None:
        self.all: list[SharedStream] = []

    def addWriter(self, writer: SharedStream) -> None:
        """Add one."""
        assert writer not in self.all
        self.all.append(writer)

    def removeWriter(self, writer: SharedStream) -> None:
        """Remove one."""
        self.all.remove(writer)


Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Two connected sockets: the server's, which does not block, and the client's."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with ours, theirs:
        theirs.settimeout(10)
        yield ours, theirs


def counts() -> SentCounts:
    """Return counts in shared memory."""
    memory = shared_memory()
    assert memory is not None
    return SentCounts(memory)


def test_messages_are_sent_and_counted(pair: Pair) -> None:
    """Each with its ending, in one write."""
    counted, writers = counts(), Writers()
    stream = SharedStream(pair[0].dup(), "\r\n", 7, counted, writers)
    stream.send(["1 a", "2 é"])
    assert pair[1].recv(100) == "1 a\r\n2 é\r\n".encode()
    assert counted.sent(7) == 2
    assert not counted.is_marked(7)
    assert stream.release() == b""
    assert pair[0].fileno() >= 0
    assert not writers.all


def test_a_client_that_does_not_read(pair: Pair) -> None:
    """The rest waits, is noted in the counts, and is sent when the client reads."""
    counted, writers = counts(), Writers()
    stream = SharedStream(pair[0].dup(), "\n", 0, counted, writers)
    line = "x" * 100_000
    for _ in range(20):
        stream.send([line])
    assert writers.all == [stream]
    assert counted.is_marked(0)
    assert stream.unread > 0
    received = 0
    while received < 20 * 100_001:
        received += len(pair[1].recv(1 << 20))
        if stream.unread:
            stream.doWrite()
    assert not writers.all
    assert not counted.is_marked(0)
    assert counted.sent(0) == 20
    assert stream.release() == b""


class Killed(BaseException):
    """Ends a worker between two of its steps."""


@pytest.mark.parametrize("step", ["mark", "before send", "after send", "count", "clear"])
def test_a_worker_is_killed_while_it_sends(step: str, pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """The front can tell, from the counts, whether they are right: one unsent or uncounted message is always marked."""
    counted = counts()
    stream = SharedStream(pair[0].dup(), "\n", 0, counted, Writers())
    stream.send(["1 first"])
    assert pair[1].recv(100) == b"1 first\n"

    def killed(*_: object, **__: object) -> None:
        raise Killed

    def sent_and_killed(_: socket.socket, data: bytes) -> None:
        os.write(pair[0].fileno(), data)
        raise Killed

    if step in ("mark", "count", "clear"):
        monkeypatch.setattr(SentCounts, step, killed)
    else:
        monkeypatch.setattr(socket.socket, "send", killed if step == "before send" else sent_and_killed, raising=False)
    with pytest.raises(Killed):
        stream.send(["2 second"])
    monkeypatch.undo()
    stream.release()
    pair[1].setblocking(False)
    try:
        is_sent = pair[1].recv(100) == b"2 second\n"
    except BlockingIOError:
        is_sent = False
    assert counted.is_marked(0) or counted.sent(0) == 1 + is_sent
    assert counted.is_marked(0) == (step != "mark")


def test_the_front_gets_what_was_not_sent(pair: Pair) -> None:
    """It follows what was sent, without a gap."""
    stream = SharedStream(pair[0].dup(), "\n", 0, counts(), writers := Writers())
    text = "".join(map(str, range(200_000)))
    stream.send([text])
    rest = stream.release()
    assert rest
    assert not writers.all
    stream.send(["too late"])
    pair[0].setblocking(True)
    received = b""
    while len(received) + len(rest) < len(text) + 1:
        received += pair[1].recv(1 << 20)
    assert received + rest == text.encode() + b"\n"


def test_a_broken_stream(pair: Pair) -> None:
    """The front notices that; here the messages are dropped."""
    stream = SharedStream(pair[0].dup(), "\n", 0, counts(), writers := Writers())
    pair[1].close()
    stream.send(["lost"])
    assert not writers.all
    assert stream.release() == b""


def test_sockets_come_in_their_order(pair: Pair) -> None:
    """The worker takes the socket of the place that it asks for, and drops those before it."""
    sharing = Sharing()
    assert sharing.counts is not None
    places = [sharing.share(pair[0]), sharing.share(pair[0])]
    assert places == [0, 1]
    streams = SharedStreams(sharing._theirs, sharing.counts, Writers())
    stream = streams.take("\n", 1)
    assert stream is not None
    stream.send(["hello"])
    assert pair[1].recv(100) == b"hello\n"
    assert (sharing.counts.sent(0), sharing.counts.sent(1)) == (0, 1)
    stream.release()
    sharing.close_theirs()
    sharing.close()
    assert sharing.share(pair[0]) is None


def test_a_worker_that_may_open_no_more_files(pair: Pair) -> None:
    """The system drops the descriptor; then the front writes."""
    sharing = Sharing()
    assert sharing.counts is not None
    assert sharing._ours is not None
    sharing._ours.send((3).to_bytes(4, "big"))
    assert SharedStreams(sharing._theirs, sharing.counts, Writers()).take("\n", 3) is None
    sharing.close_theirs()
    sharing.close()


def test_places_run_out(pair: Pair) -> None:
    """Then the front relays; a freed place is used again as late as possible."""
    sharing = Sharing()
    sharing._free.clear()
    sharing.free(PLACES - 1)
    assert sharing.share(pair[0]) == PLACES - 1
    assert sharing.share(pair[0]) is None
    sharing.free(PLACES - 1)
    assert sharing.share(pair[0]) == PLACES - 1
    sharing.close_theirs()
    sharing.close()
