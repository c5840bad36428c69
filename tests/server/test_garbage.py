"""Finished objects are freed at once: a search for unused objects among all others would stop every game."""

from __future__ import annotations

import pytest
from support.garbage import no_garbage
from support.memory_server import MemoryServer, memory_server, room
from support.memory_site import MemorySite
from support.rows import each_row
from wsproto.events import CloseConnection

from ump.net.dialects import DIALECTS, line_ports
from ump.server.reports import ReportDesk


def hang_up(server: MemoryServer) -> None:
    """Let all clients hang up, and forget them."""
    for peer in server.peers:
        peer.hang_up()
    server.peers.clear()


@each_row("players", [4, 1])
def test_a_game_that_is_over(players: int) -> None:
    """Four clients, or one beside bots, play two games; they might have reported each other."""
    house = {} if players == 4 else {"house": ["tsumogiri:3"]}
    desk = ReportDesk(lambda: None, None, list)
    with memory_server(room(length="kyoku", house_after=0, **house), reports=desk) as server, no_garbage():
        for _ in range(2):
            server.play(server.robots(*"abcd"[:players]))
            assert not server.rooms[0].tables
            hang_up(server)


def test_a_game_that_all_have_left() -> None:
    """The only client hangs up, and its game ends without it."""
    with memory_server(room(length="kyoku", house_after=0, house=["tsumogiri:3"])) as server, no_garbage():
        robots = server.robots("a")
        server.play(robots, until=lambda: "sutehai?" in robots[0].peer.words())
        assert server.rooms[0].tables
        hang_up(server)
        server.play([])
        assert not server.rooms[0].tables


def test_a_spectator_who_has_gone() -> None:
    """A spectator sees a game, and hangs up."""
    with memory_server(room(length="kyoku", house_after=0)) as server, no_garbage():
        server.connect().say("0 hello ump=0.1 name=s _watch=main")
        server.play(server.robots(*"abcd"))
        hang_up(server)
        server.clock.advance(1)


@pytest.mark.parametrize("port", sorted(line_ports(DIALECTS)))
@each_row("said", ["", "alice", "0 hello ump=0.1 name=a room=nowhere", '{"type":"none"}', "\x00"])
def test_a_connection_that_is_lost(port: str, said: str) -> None:
    """A client of any port says something or nothing, and hangs up."""
    with memory_server() as server, no_garbage():
        server.connect(port=port).say(said)
        hang_up(server)


def test_a_connection_that_said_no_hello() -> None:
    """The time for a hello ends."""
    with memory_server() as server, no_garbage():
        server.connect()
        server.clock.advance(1_000)
        hang_up(server)


def forget(web: MemorySite) -> None:
    """Forget all streams, which the tests keep to read them."""
    for stream in web.streams:
        stream.wire.lose()
    web.clock.advance(1_000)
    web.streams.clear()
    web.usher.came.clear()
    web.sessions.clear()
    web.callers.clear()


def test_a_web_socket() -> None:
    """A client hangs up, closes, or breaks the protocol."""
    web = MemorySite()
    with no_garbage():
        web.socket().say('{"type":"hello"}')
        web.socket().send(CloseConnection(1000))
        web.socket().stream.send(b"\xff\xff")
        forget(web)


def test_requests() -> None:
    """Requests are answered, refused or never complete."""
    web = MemorySite()
    with no_garbage():
        web.fetch("/status")
        web.fetch("/nothing")
        web.fetch("/server/auth/", method="POST", body=b"x" * 100)
        web.stream().send(b"GET / HT")
        web.stream().send(b"rubbish\r\n\r\n")
        forget(web)
