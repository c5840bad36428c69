"""Clients that poll: packets of Engine.IO, messages of Socket.IO, heartbeats, limits, and connection ids."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.budgets import few
from support.memory_site import POLLING, MemorySite, PollingClient, memory_site
from support.rows import each_row
from twisted.logger import LogLevel, capturedLogs, formatEvent

from ump.net.connection_budget import HOST_SHARE, Budget
from ump.net.http.polling import (
    MAX_PACKETS,
    Act,
    Message,
    Packet,
    PacketKind,
    PayloadError,
    read_message,
    read_payload,
    write_payload,
)
from ump.net.limits import (
    CLOSE_SECONDS,
    HELLO_SECONDS,
    IDLE_PER_SECOND,
    MAX_BODY,
    MAX_UNPOLLED,
    PACKET_COST,
    PING_INTERVAL,
    PING_TIMEOUT,
    ClientLimits,
    Limits,
)


@each_row(
    ("body", "packets"),
    [
        (b"40", [Packet(PacketKind.MESSAGE, b"0")]),
        (b"3", [Packet(PacketKind.PONG)]),
        (b'42["ROOM","main"]', [Packet(PacketKind.MESSAGE, b'2["ROOM","main"]')]),
        (
            b'3\x1e42["A"]\x1e1',
            [Packet(PacketKind.PONG), Packet(PacketKind.MESSAGE, b'2["A"]'), Packet(PacketKind.CLOSE)],
        ),
        (b"bAQID", [Packet(PacketKind.BINARY, b"AQID")]),
        ('42["麻雀"]'.encode(), [Packet(PacketKind.MESSAGE, '2["麻雀"]'.encode())]),
    ],
)
def test_bodies_are_split_into_packets(body: bytes, packets: list[Packet]) -> None:
    """Packets are separated by 0x1e."""
    assert list(read_payload(body)) == packets


@each_row("body", [b"", b"7", b"x", b"\xff", b"3\x1e", b"\x1e3", b"3\x1e\x1e3", b"3\x1e" * MAX_PACKETS + b"3"])
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


@each_row("content", [b"", b"7", b"x", b"[]", b"\xff"])
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


HELLO = '42["HELLO", "bot"]'


@pytest.fixture
def site() -> Iterator[MemorySite]:
    """A site with Parrot sessions."""
    with memory_site() as opened:
        yield opened


@pytest.mark.parametrize("base", ["", "/server"])
@pytest.mark.parametrize("bytewise", [False, True])
def test_a_client_opens_connects_polls_and_posts(site: MemorySite, base: str, bytewise: bool) -> None:
    """A client opens, connects, polls and posts, byte by byte or in whole requests."""
    headers = {"Cookie": f"MAJIANG={site.log_in()}"}
    asking, posting = site.stream(), site.stream()
    opening = asking.fetch(base + POLLING, headers, bytewise=bytewise)
    assert opening.headers["content-type"] == "text/plain; charset=UTF-8"
    said = json.loads(opening.text.removeprefix("0"))
    sid = said.pop("sid")
    assert said == {"upgrades": [], "pingInterval": 25_000, "pingTimeout": 20_000, "maxPayload": 100_000}
    path = f"{base}{POLLING}&t=abc&sid={sid}"
    asking.ask(path, headers, bytewise=bytewise)
    assert asking.answers() == []
    assert posting.fetch(path, headers, method="POST", body=b"40", bytewise=bytewise).text == "ok"
    greeting, hello = asking.answers()[0].text.split("\x1e")
    assert greeting.startswith('40{"sid":"') and sid not in greeting
    assert hello == HELLO
    body = '42["hello"]\x1e42["麻雀"]'.encode()
    assert posting.fetch(path, headers, method="POST", body=body, bytewise=bytewise).text == "ok"
    assert asking.fetch(path, headers).text == '42["you said", "[\\"\\u9ebb\\u96c0\\"]"]'
    asking.ask(path, headers)
    site.say(0, '["GAME",1]')
    site.say(0, '["GAME",2]', '["GAME",3]')
    assert [answer.text for answer in asking.answers()] == ['42["GAME",1]']
    assert asking.fetch(path, headers).text == '42["GAME",2]\x1e42["GAME",3]'
    assert [introduction.room for _, introduction in site.usher.came] == [None]


@each_row(
    ("path", "method", "code"),
    [
        ("/socket.io/", "GET", 0),
        ("/socket.io/?EIO=4&transport=websocket", "GET", 0),
        ("/socket.io/?EIO=4&transport=polling&transport=polling", "GET", None),
        ("/socket.io/?EIO=3&transport=polling", "GET", 5),
        ("/socket.io/?transport=polling", "GET", 5),
        (POLLING, "POST", 2),
        (POLLING + "&sid=", "GET", 1),
        (POLLING + "&sid=x", "GET", 1),
        (POLLING + "&sid=x", "POST", 1),
        (POLLING + "&sid=%FF", "POST", None),
        (POLLING + "&sid=" + "x" * 5_000, "POST", 1),
    ],
)
def test_wrong_requests_are_refused(site: MemorySite, path: str, method: str, code: int | None) -> None:
    """A wrong request is refused with a code of Engine.IO, and opens no connection."""
    answer = site.stream().fetch(path, site.client().headers, method=method, body=b"40")
    assert answer.code == 400
    if code is not None:
        assert json.loads(answer.text)["code"] == code
        assert answer.headers["content-type"] == "application/json"
    assert not len(site.connections)


@pytest.mark.parametrize("thief", ["nobody", "somebody", "a guesser"])
def test_an_id_works_with_its_own_cookie_only(site: MemorySite, thief: str) -> None:
    """A connection's id works with its cookie only, and wrong cookies do not disturb its owner."""
    owner = site.client()
    owner.connect()
    held = owner.poll()
    other = PollingClient(site, {"nobody": None, "somebody": site.log_in("thief"), "a guesser": "x"}[thief])
    other.sid = owner.sid
    assert other.post('42["stolen"]').code == 400
    assert other.poll().answers()[0].text == '{"code":1,"message":"Session ID unknown"}\n'
    assert site.sessions[0].heard == []
    assert held.answers() == []
    assert owner.post('42["mine"]').text == "ok"
    assert len(held.answers()) == 1


def test_clients_without_a_login_get_a_constant_reply(site: MemorySite) -> None:
    """A client that has not logged in gets a constant reply that closes; the server keeps nothing for it."""
    for cookie in (None, "x", "\xff"):
        client = PollingClient(site, cookie)
        assert json.loads(client.open().text[1:])["sid"] == "stranger"
        assert client.post("40").text == "ok"
        assert client.packets() == ['40{"sid":"stranger"}', '42["HELLO",null]', "41"]
        assert client.post("1").text == "ok"
    assert not site.callers
    assert not site.clock.getDelayedCalls()[3 * 4 :]  # those of the streams


def test_the_server_pings_and_keeps_clients_that_answer(site: MemorySite) -> None:
    """The server sends a ping after each interval, and keeps a client that answers."""
    client = site.client()
    client.connect()
    client.post('42["hello"]')
    for _ in range(3):
        held = client.poll()
        site.clock.advance(PING_INTERVAL - 1)
        assert held.answers() == []
        site.clock.advance(1)
        assert [answer.text for answer in held.answers()] == ["2"]
        site.clock.advance(PING_TIMEOUT - 1)
        assert client.post("3").text == "ok"
    assert len(site.connections) == 1


@pytest.mark.parametrize("polls", [False, True])
def test_a_client_that_answers_no_ping_is_dropped(site: MemorySite, polls: bool) -> None:
    """A client that does not answer a ping is dropped, even if it polls. Early pongs do not postpone the ping."""
    client = site.client()
    client.connect()
    client.post('42["hello"]')
    site.clock.advance(PING_INTERVAL - 1)
    client.post("3")
    site.clock.advance(1)
    if polls:
        assert client.packets() == ["2"]
        held = client.poll()
    site.clock.advance(PING_TIMEOUT - 1)
    assert len(site.connections) == 1
    site.clock.advance(1)
    assert not len(site.connections)
    if polls:
        assert [answer.text for answer in held.answers()] == ["6"]
    assert client.post("3").code == 400


def test_a_site_can_wait_longer_for_an_answer_to_a_ping() -> None:
    """An arena does: a bot that thinks does not answer, and would lose its game."""
    with memory_site(Limits(client=ClientLimits(pong_seconds=120))) as site:
        client = site.client()
        client.connect()
        client.post('42["hello"]')
        site.clock.advance(PING_INTERVAL)
        site.clock.advance(119)
        assert len(site.connections) == 1
        site.clock.advance(1)
        assert not len(site.connections)


def test_a_client_that_only_opens_is_dropped(site: MemorySite) -> None:
    """A client that opens and then does nothing is dropped."""
    site.client().open()
    site.clock.advance(PING_INTERVAL)
    site.clock.advance(PING_TIMEOUT)
    assert not len(site.connections)


def test_a_client_without_a_hello_is_closed(site: MemorySite) -> None:
    """A client that sends no hello gets an error and is closed."""
    client = site.client()
    client.connect()
    for seconds in (PING_INTERVAL, PING_INTERVAL, HELLO_SECONDS - 2 * PING_INTERVAL):
        site.clock.advance(seconds)
        client.post("3")
    assert client.packets()[-2:] == [f'42["error", "no hello in {HELLO_SECONDS} seconds"]', "41"]
    assert not len(site.connections)


def test_a_newer_poll_replaces_the_older_one(site: MemorySite) -> None:
    """If a client polls twice, the newer request is held and the older one refused."""
    client = site.client()
    client.connect()
    older, newer = client.poll(), client.poll()
    assert [answer.code for answer in older.answers()] == [400]
    site.say(0, "[1]")
    assert [answer.text for answer in newer.answers()] == ["42[1]"]


def test_events_after_a_lost_poll_wait_for_the_next(site: MemorySite) -> None:
    """Events after a lost poll wait for the next one."""
    client = site.client()
    client.connect()
    client.poll().wire.lose()
    site.say(0, "[1]")
    assert client.packets() == ["42[1]"]


@pytest.mark.parametrize("farewell", ["1", "41", "41\x1e1", '1\x1e42["more"]'])
def test_a_client_may_leave_in_two_ways(site: MemorySite, farewell: str) -> None:
    """A client may leave in two ways; packets after that are ignored."""
    client = site.client()
    client.connect()
    held = client.poll()
    assert client.post(farewell).text == "ok"
    assert [answer.text for answer in held.answers()] == ["6"]
    assert not len(site.connections)
    assert site.sessions[0].heard == []
    assert client.post("3").code == 400


@pytest.mark.parametrize("polls", [True, False])
def test_the_last_events_are_sent_before_closing(site: MemorySite, polls: bool) -> None:
    """The last events are sent with the next poll, or dropped after a while."""
    client = site.client()
    client.connect()
    assert client.post('42["leave"]\x1e42["more"]').text == "ok"
    assert len(site.connections) == 1
    if polls:
        assert client.packets() == ['42["bye"]', "41"]
    else:
        site.clock.advance(CLOSE_SECONDS)
    assert not len(site.connections)
    assert site.sessions[0].heard == [b'["leave"]']
    assert client.post("3").code == 400


def test_a_client_that_connects_late_gets_the_last_events(site: MemorySite) -> None:
    """A client that has not yet connected gets the last events when it connects."""
    client = site.client()
    client.open()
    (connection,) = site.connections
    connection.dismiss()
    client.post("40")
    _, *rest = client.packets()
    assert rest == [HELLO, '42["bye"]', "41"]
    assert not len(site.connections)


@each_row(
    "body",
    [
        "",
        "x",
        "0",
        "2",
        "5",
        "4",
        "4x",
        "3\x1e",
        '42["early"]',
        '3\x1e42["early"]',
        "3\x1e" * MAX_PACKETS + "3",
        b"\xff",
    ],
)
def test_invalid_packets_close_the_connection(site: MemorySite, body: str | bytes) -> None:
    """Invalid packets, and events before the connection, close the connection."""
    client = site.client()
    client.open()
    assert client.post(body).text == '{"code":3,"message":"Bad request"}\n'
    assert not len(site.connections)
    assert site.sessions[-1].heard == []


@pytest.mark.parametrize(
    "body", ["6", "bAAAA", "40", '43["ack"]', '44"error"', '451-["A",{}]', '42/other,["A"]', "41/other,"]
)
def test_packets_without_effect_are_ignored(site: MemorySite, body: str) -> None:
    """Packets without effect are ignored."""
    client = site.client()
    client.connect()
    assert client.post(body).text == "ok"
    assert client.post('4217["A"]').text == "ok"
    assert site.sessions[0].heard == [b'["A"]']


def test_other_namespaces_are_refused(site: MemorySite) -> None:
    """Other namespaces than / are refused."""
    client = site.client()
    client.connect()
    client.post("40/admin,{}")
    assert client.packets() == ['44/admin,{"message":"Invalid namespace"}']


def test_refused_namespaces_are_kept_up_to_the_limit(site: MemorySite) -> None:
    """A client that connects to other namespaces and never polls is cut, as one that does not poll its events."""
    client = site.client()
    client.connect()
    body = "\x1e".join(["40/" + "n" * 64 + ","] * MAX_PACKETS)
    posts = MAX_UNPOLLED // (MAX_PACKETS * (64 + PACKET_COST)) + 1
    answers = [client.post(body).code for _ in range(posts)]
    assert answers[0] == 200
    assert answers[-1] == 400
    assert not len(site.connections)


def test_packets_after_a_violation_are_ignored(site: MemorySite) -> None:
    """Nothing is read of a post after the packet that closes the connection."""
    client = site.client()
    client.connect()
    client.post('42["wrong"]\x1e40/other,\x1e42["hello"]')
    assert client.packets() == ['42["error", "that is wrong"]', "41"]
    assert site.sessions[0].heard == [b'["wrong"]']


def test_messages_that_are_too_long_close_the_connection(site: MemorySite) -> None:
    """A message that is too long closes the connection; a body that is too long is not read."""
    client = site.client()
    client.connect()
    assert client.post("42" + "x" * 1_000).text == "ok"
    client.packets()
    assert client.post(b"4" * (MAX_BODY + 1)).code == 413
    assert len(site.connections) == 1
    assert client.post("42" + "x" * 1_001).text == "ok"
    assert client.packets() == ['42["error", "line too long"]', "41"]


def test_a_flood_closes_the_connection(site: MemorySite) -> None:
    """Too many events that answer nothing close the connection."""
    client = site.client()
    client.connect()
    for _ in range(IDLE_PER_SECOND // MAX_PACKETS + 1):
        client.post("\x1e".join(['42["idle"]'] * MAX_PACKETS))
    assert client.packets() == ['42["error", "too many lines that answer nothing"]', "41"]


def test_a_client_that_does_not_poll_is_cut(site: MemorySite) -> None:
    """Events are kept for a client up to a limit, then it is cut. A single message may exceed the limit."""
    client = site.client()
    client.connect()
    site.say(0, "x" * (2 * MAX_UNPOLLED))
    assert len(client.packets()[0]) == 2 + 2 * MAX_UNPOLLED
    events = MAX_UNPOLLED // (1_000 + PACKET_COST + len("42"))
    for _ in range(events):
        site.say(0, "x" * 1_000)
    assert len(client.packets()) == events
    site.say(0, "x" * (2 * MAX_UNPOLLED))
    assert len(site.connections) == 1
    site.say(0, "x")
    assert not len(site.connections)


def test_clients_that_do_not_poll_fill_no_log() -> None:
    """The lines about one host are limited, whatever they say."""
    with memory_site(limits=Limits(log_lines=2)) as site, capturedLogs() as events:
        for number in range(4):
            site.client().connect()
            site.say(number, "x" * (2 * MAX_UNPOLLED))
            site.say(number, "x")
        assert not len(site.connections)
    assert sum("does not poll" in formatEvent(event) for event in events) == 2


def test_a_newer_connection_replaces_the_older_one(site: MemorySite) -> None:
    """A newer connection replaces the older one, which gets an error."""
    older = site.client()
    older.connect()
    held = older.poll()
    newer = PollingClient(site, older.headers["Cookie"].rpartition("=")[2])
    assert newer.connect() == [HELLO]
    assert [answer.text for answer in held.answers()] == [
        '42["error", "replaced by a newer connection with the same login"]'
    ]
    assert older.packets() == ["41"]
    assert older.post("3").code == 400
    assert newer.post('42["A"]').text == "ok"
    assert len(site.connections) == 1
    again = PollingClient(site, older.headers["Cookie"].rpartition("=")[2])
    again.open()
    site.clock.advance(CLOSE_SECONDS)  # the older client does not poll for its last events
    again.post("40")
    assert again.packets()[1:] == [HELLO]


@pytest.mark.no_cover
def test_connections_beyond_the_limits_are_refused() -> None:
    """Connections beyond the limits are refused, and the server keeps nothing for them."""
    with memory_site(Limits(Budget(per_host=50))) as site:
        cookies = [site.log_in() for _ in range(20)]
        stream = site.stream()
        codes = [stream.fetch(POLLING, {"Cookie": f"MAJIANG={cookies[n % 20]}"}).code for n in range(500)]
        assert set(codes) == {200, 503}
        assert len(site.connections) <= 50
        site.clock.advance(CLOSE_SECONDS)
        assert len(site.connections) <= 20
        assert PollingClient(site, cookies[0]).open().code == 200


def test_polling_clients_are_counted_by_host() -> None:
    """Connections of clients that poll are counted by host."""
    with memory_site(Limits(Budget(newcomers=2 * HOST_SHARE))) as site:
        assert [site.client().open().code for _ in range(3)] == [200, 200, 503]


def test_a_newer_connection_that_is_refused_leaves_the_older_one() -> None:
    """A full server replaces nothing: otherwise both would lose."""
    with memory_site(Limits(Budget(newcomers=HOST_SHARE))) as site:
        older = site.client()
        older.connect()
        assert PollingClient(site, older.headers["Cookie"].rpartition("=")[2]).open().code == 503
        assert older.post('42["A"]').text == "ok"
        assert older.packets() == ['42["you said", "[\\"A\\"]"]']


@pytest.mark.no_cover
@settings(max_examples=few(200))
@given(
    st.lists(
        st.one_of(
            st.binary(max_size=40),
            st.sampled_from([b"40", b"3", b"1", b"41", b"poll", b"wait", b'42["leave"]', b'42["hello"]', b'42["A"]']),
        ),
        max_size=12,
    )
)
def test_any_bodies_get_a_response(bodies: list[bytes]) -> None:
    """Any posts, in any order, get a response and cause no error."""
    with memory_site() as site, capturedLogs() as events:
        client = site.client()
        client.open()
        for body in bodies:
            if body == b"poll":
                client.poll()
            elif body == b"wait":
                site.clock.advance(PING_TIMEOUT)
            else:
                assert client.post(body).code in (200, 400)
    assert not [event for event in events if event["log_level"] >= LogLevel.error]
