"""Clients that come back to their seats by a secret of their own, such as a bearer token."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from support.carried_client import CarriedClient, play
from support.dialect_clients import EVERY_DIALECT
from support.memory_server import MemoryServer, memory_server, room

from ump.net.connection_budget import Budget
from ump.net.limits import Limits
from ump.wire.mjai.request_session import RequestSession

ROOM = room(length="kyoku", house=["tsumogiri:3"], house_after=0)


class TokenClient(CarriedClient):
    """An mjai client with a bearer token."""

    def __init__(self, server: MemoryServer, token: str, room: str | None = None) -> None:
        client = next(each for each in EVERY_DIALECT if each.name == "mjai on request").client(Random(token))
        super().__init__(server, RequestSession("bot", room, key=token), client.hear)

    def told(self, *types: str) -> list[dict[str, Any]]:
        """Return the messages of these types."""
        return [message for message in map(json.loads, self.heard) if message["type"] in types]

    def types(self) -> list[str]:
        """Return the types of all messages."""
        return [json.loads(message)["type"] for message in self.heard]


def test_a_bearer_token_leads_back_to_the_seat() -> None:
    """A client that loses its connection during a game gets its seat, the kyoku so far, and its request again."""
    with memory_server(ROOM) as server:
        first = TokenClient(server, "sesame")
        play(server, first, most=40)
        told = first.told("start_game", "start_kyoku", "dahai")
        first.cut()
        server.clock.advance(30)
        second = TokenClient(server, "sesame")
        play(server, second)
        again = second.told("start_game", "start_kyoku", "dahai")
        assert again[: len(told)] == told
        assert "end_game" in second.types()
        assert not second.is_open


def test_a_newer_connection_takes_over_the_seat() -> None:
    """The older connection of a playing token reads why the server closes it; the newer one plays the same game on."""
    with memory_server(ROOM) as server:
        older = TokenClient(server, "sesame")
        play(server, older, most=40)
        (table,) = server.rooms[0].tables
        newer = TokenClient(server, "sesame")
        server.clock.advance(0)
        older.play()
        assert older.told("error") == [
            {"type": "error", "message": "replaced by a newer connection of the same player"}
        ]
        assert not older.is_open
        assert server.rooms[0].tables == (table,)
        play(server, newer)
        assert "end_game" in newer.types()


def test_another_token_gets_a_game_of_its_own() -> None:
    """A token without a seat starts a new game; the lost seat stays kept."""
    with memory_server(ROOM) as server:
        first = TokenClient(server, "sesame")
        play(server, first, most=40)
        first.cut()
        other = TokenClient(server, "open")
        play(server, other, most=10)
        assert [game.name for game in server.rooms[0].tables] == ["main-1", "main-2"]
        play(server, other)
        third = TokenClient(server, "sesame")
        play(server, third)
        assert "end_game" in third.types()
        other.cut()


def test_after_the_game_the_token_starts_a_new_one() -> None:
    """A game that is over keeps no seat."""
    with memory_server(ROOM) as server:
        first = TokenClient(server, "sesame")
        play(server, first)
        assert "end_game" in first.types()
        second = TokenClient(server, "sesame")
        play(server, second)
        assert second.types()[0] == "start_game"
        assert "end_game" in second.types()


def waiting(server: MemoryServer, token: str, room: str | None = None) -> CarriedClient:
    """Let a client with a token, which never answers, introduce itself."""
    client = CarriedClient(server, RequestSession("bot", room, key=token), lambda message: ())
    server.clock.advance(0)
    client.play()
    return client


LINE = room(length="kyoku", house=["tsumogiri:3"], house_after=5)


def test_a_newer_connection_takes_the_place_in_the_line() -> None:
    """One player waits once: the older connection is closed with the reason, and never plays against the newer one."""
    with memory_server(LINE) as server:
        older, other, newer = (waiting(server, token) for token in ("sesame", "sesame b", "sesame"))
        older.play()
        assert [json.loads(message) for message in older.heard] == [
            {"type": "error", "message": "replaced by a newer connection of the same player"}
        ]
        assert [client.is_open for client in (older, other, newer)] == [False, True, True]
        server.clock.advance(5)
        assert server.rooms[0].tables[0].opening.clients == tuple(
            seat for seat, name in enumerate(server.rooms[0].tables[0].opening.players) if name == "bot"
        )
        assert len(server.rooms[0].tables[0].players) == 2
        for client in (other, newer):
            client.cut()


def test_a_newer_connection_that_is_turned_away_leaves_the_older_one() -> None:
    """Only a connection that is let in takes the seat over."""
    with memory_server(ROOM, limits=Limits(Budget(connections=1))) as server:
        first = TokenClient(server, "sesame")
        play(server, first, most=40)
        second = waiting(server, "sesame")
        assert "too many connections" in second.heard[-1]
        play(server, first)
        assert "end_game" in first.types()


def test_a_newer_connection_for_another_room_leaves_the_older_one_in_the_line() -> None:
    """A wrong room is refused before anything is replaced."""
    with memory_server(LINE) as server:
        first = waiting(server, "sesame")
        second = waiting(server, "sesame", room="nowhere")
        assert "unknown room" in second.heard[-1]
        assert first.is_open
        server.clock.advance(5)
        assert len(server.rooms[0].tables[0].players) == 1
        first.cut()
