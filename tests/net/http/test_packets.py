"""Packets of Engine.IO and messages of Socket.IO: real ones, invalid ones, and any bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.net.http.packets import (
    MAX_PACKETS,
    Act,
    Kind,
    Message,
    Packet,
    PayloadError,
    read_message,
    read_payload,
    write_payload,
)


@pytest.mark.parametrize(
    ("body", "packets"),
    [
        (b"40", [Packet(Kind.MESSAGE, b"0")]),
        (b"3", [Packet(Kind.PONG)]),
        (b'42["ROOM","main"]', [Packet(Kind.MESSAGE, b'2["ROOM","main"]')]),
        (b'3\x1e42["A"]\x1e1', [Packet(Kind.PONG), Packet(Kind.MESSAGE, b'2["A"]'), Packet(Kind.CLOSE)]),
        (b"bAQID", [Packet(Kind.BINARY, b"AQID")]),
        ('42["麻雀"]'.encode(), [Packet(Kind.MESSAGE, '2["麻雀"]'.encode())]),
    ],
)
def test_bodies_are_split_into_packets(body: bytes, packets: list[Packet]) -> None:
    """Packets are separated by 0x1e."""
    assert list(read_payload(body)) == packets


@pytest.mark.parametrize(
    "body", [b"", b"7", b"x", b"\xff", b"3\x1e", b"\x1e3", b"3\x1e\x1e3", b"3\x1e" * MAX_PACKETS + b"3"]
)
def test_invalid_bodies_are_refused(body: bytes) -> None:
    """A packet without a known kind, or too many packets, are refused."""
    with pytest.raises(PayloadError):
        read_payload(body)


def test_a_body_may_hold_the_maximum_of_packets() -> None:
    """A body with the greatest number of packets is read."""
    assert len(read_payload(b"\x1e".join([b"3"] * MAX_PACKETS))) == MAX_PACKETS


@each_row(
    ("content", "message"),
    [
        (b"0", Message(Act.CONNECT, "/", b"")),
        (b'0{"token":"x"}', Message(Act.CONNECT, "/", b'{"token":"x"}')),
        (b"0/,", Message(Act.CONNECT, "/", b"")),
        (b"0/admin,", Message(Act.CONNECT, "/admin", b"")),
        (b"0/admin", Message(Act.CONNECT, "/admin", b"")),
        (b"1", Message(Act.DISCONNECT, "/", b"")),
        (b'2["A",1]', Message(Act.EVENT, "/", b'["A",1]')),
        (b'217["A",1]', Message(Act.EVENT, "/", b'["A",1]')),
        (b'2/x,17["A",1]', Message(Act.EVENT, "/x", b'["A",1]')),
        (b"317[]", Message(Act.ACKNOWLEDGE, "/", b"[]")),
        (
            b'51-["A",{"_placeholder":true,"num":0}]',
            Message(Act.BINARY_EVENT, "/", b'["A",{"_placeholder":true,"num":0}]'),
        ),
        (b'2["/x,"]', Message(Act.EVENT, "/", b'["/x,"]')),
        (b'2["a\nb"]', Message(Act.EVENT, "/", b'["a\nb"]')),
    ],
)
def test_messages_are_split_into_their_parts(content: bytes, message: Message) -> None:
    """A message is split into its kind, namespace, number and content."""
    assert read_message(content) == message


@pytest.mark.parametrize("content", [b"", b"7", b"x", b"[]", b"\xff"])
def test_invalid_messages_are_refused(content: bytes) -> None:
    """A message without a known kind is refused."""
    with pytest.raises(PayloadError):
        read_message(content)


@given(st.one_of(st.binary(max_size=200), st.text(alphabet='0123456789b\x1e[]"{}/,-', max_size=60).map(str.encode)))
def test_any_body_is_read_or_refused(body: bytes) -> None:
    """Any body is read or refused, and packets that were read are written as they were."""
    try:
        packets = read_payload(body)
    except PayloadError:
        return
    assert b"\x1e".join(packet.kind.value.encode() + packet.content for packet in packets) == body
    for packet in packets:
        try:
            message = read_message(packet.content)
        except PayloadError:
            continue
        assert packet.content.endswith(message.content)
        assert len(message.namespace) <= 65


@given(
    st.lists(
        st.text(alphabet=st.characters(exclude_characters="\x1e", codec="utf-8"), max_size=9), min_size=1, max_size=9
    )
)
def test_written_packets_are_read_back(texts: list[str]) -> None:
    """Packets that were written are read as they were."""
    packets = read_payload(write_payload("4" + text for text in texts))
    assert [packet.content.decode() for packet in packets] == texts
