"""UMP over WebSocket: a frame holds one or more sentences, in both directions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.memory_site import EchoSession, MemorySite, WebSocketClient, memory_site
from support.rows import each_row
from wsproto.events import CloseConnection, TextMessage

from ump.net.limits import IDLE_PER_SECOND, MAX_LINES_FRAME


@pytest.fixture
def site() -> Iterator[MemorySite]:
    """A site whose dialects repeat each message."""
    with memory_site() as opened:
        yield opened


def heard(site: MemorySite) -> list[bytes]:
    """Return the messages that the last session has received."""
    return site.sessions[-1].heard


@pytest.mark.parametrize("bytewise", [False, True])
@each_row(
    ("text", "sentences"),
    [
        ("a", [b"a"]),
        ("a\n", [b"a"]),
        ("a\r\n", [b"a"]),
        ("a\nb", [b"a", b"b"]),
        ("a\r\nb\r\n", [b"a", b"b"]),
        ("a\n\nb", [b"a", b"", b"b"]),
        ("", [b""]),
        ("\n", [b""]),
        ("\n\n", [b"", b""]),
        ("a\rb", [b"a\rb"]),
        ("é\nb", ["é".encode(), b"b"]),
    ],
)
def test_line_ends_separate_the_sentences_of_a_frame(
    site: MemorySite, text: str, sentences: list[bytes], bytewise: bool
) -> None:
    """Line ends separate sentences; the last may have one or not. A frame may arrive byte by byte."""
    socket = site.socket("/ump")
    socket.say(text, bytewise=bytewise)
    assert heard(site) == sentences


@pytest.mark.parametrize("bytewise", [False, True])
def test_a_message_in_fragments_is_one_frame(site: MemorySite, bytewise: bool) -> None:
    """A message in several fragments is one frame's worth of sentences."""
    socket = site.socket("/ump")
    fragments = [TextMessage(part, message_finished=False) for part in ("on", "e\ntw", "o\n")]
    socket.send(*fragments, TextMessage("three"), bytewise=bytewise)
    assert heard(site) == [b"one", b"two", b"three"]


def test_a_step_is_one_frame(site: MemorySite) -> None:
    """All sentences that the server sends at once are one frame, separated by line ends."""
    socket = site.socket("/ump")
    site.say(0, "1 a", "2 b", "3 c")
    site.say(0, "4 d")
    assert socket.events() == [TextMessage("1 a\n2 b\n3 c"), TextMessage("4 d")]


def texts(socket: WebSocketClient) -> list[str | int]:
    """Return the texts that have arrived since the last call; a close as its code."""
    return [
        event.data if isinstance(event, TextMessage) else event.code
        for event in socket.events()
        if isinstance(event, TextMessage | CloseConnection)
    ]


def test_a_sentence_that_is_too_long_ends_the_connection(site: MemorySite) -> None:
    """A sentence that is too long ends the connection; the sentences before it count, those after it do not."""
    longest = EchoSession.MAX_MESSAGE
    socket = site.socket("/ump")
    socket.say("a\n" + "x" * longest + "\r\n" + "y" * (longest + 1) + "\nb")
    assert heard(site) == [b"a", b"x" * longest]
    assert texts(socket)[-2:] == ['["error", "line too long"]', 1009]


@pytest.mark.parametrize("is_split", [False, True])
def test_a_frame_that_is_too_long_ends_the_connection(site: MemorySite, is_split: bool) -> None:
    """A frame that is too long ends the connection, whether in one piece or many; none of its sentences count."""
    for length in (MAX_LINES_FRAME, MAX_LINES_FRAME + 1):
        socket = site.socket("/ump")
        text = "a\n" * (length // 2) + "b" * (length % 2)
        parts = [text[at : at + 100] for at in range(0, length, 100)] if is_split else [text]
        for part in parts[:-1]:
            socket.send(TextMessage(part, message_finished=False))
        socket.say(parts[-1])
        if length == MAX_LINES_FRAME:
            assert len(heard(site)) == length // 2
        else:
            assert heard(site) == []
            assert texts(socket) == ['["error", "line too long"]', 1009]


def test_sentences_after_the_end_do_not_count(site: MemorySite) -> None:
    """The sentences behind it in the same frame do not count."""
    socket = site.socket("/ump")
    socket.say('a\n["leave"]\nb')
    assert heard(site) == [b"a", b'["leave"]']


def test_sentences_without_effect_are_counted_one_by_one(site: MemorySite) -> None:
    """Many of them in few frames are a flood as well."""
    socket = site.socket("/ump")
    for _ in range(IDLE_PER_SECOND // 100):
        socket.say("\n".join(['["idle"]'] * 100))
    assert socket.stream.is_connected and texts(socket) == []
    socket.say('["idle"]')
    assert texts(socket) == ['["error", "too many lines that answer nothing"]', 1000]
