"""Clients of mjai and Majiang that lose their connections and come back, with a token or by a secret of their own."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.budgets import some
from support.carried_client import CarriedClient, play
from support.memory_server import MemoryServer, journal_folder, memory_server, room
from support.rows import each_row

from scripts.lab.players import Efficient
from scripts.scenarios.growing_journal import comparable
from scripts.scenarios.held_players import Digesting
from ump.bots.bot import Bot, BotPlayer
from ump.bots.conversations import (
    ClientFacts,
    Conversation,
    LockstepConversation,
    MajiangConversation,
    RequestConversation,
)
from ump.record.journal import Journal, check_journal, read_journal
from ump.server.journals import FINISHED
from ump.server.settings import RoomSettings
from ump.table.chair import Presence
from ump.wire.dialect import LoggedIn
from ump.wire.majiang.session import MajiangSession, SocketIOMajiangSession
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.mjai.request_session import RequestSession
from ump.wire.session import ServerRefusal, Session

TONPU = room(length="tonpu", time="10+20", grace=100_000, house=["tsumogiri:3"], house_after=0)
KYOKU = room(length="kyoku", time="10+20", grace=60, house=["tsumogiri:3"], house_after=0)
COOKIE = "a secret of the login"

Begin = Callable[[bool], Session]
"""Begins the session of a new connection, of a client that comes back or of a new one."""


class Program:
    """A program that knows nothing but its token when it starts."""

    def __init__(self, conversation: type[Conversation], token: str | None, bot: Bot) -> None:
        self.token = token
        self._returns = token is not None
        self._conversation = conversation(BotPlayer(bot, _complain, is_strict=True), ClientFacts("a"))

    def begin(self) -> list[str]:
        """Return the first messages."""
        return [self._asking(message) for message in self._conversation.begin()]

    def hear(self, message: str) -> Sequence[str]:
        """Take a message, and return the replies."""
        read = json.loads(message)
        start = read.get("kaiju", read)
        if "resume" in start:
            self.token = start["resume"]
        return [self._asking(reply) for reply in self._conversation.receive(message)]

    def _asking(self, message: str) -> str:
        """Ask for a token in the client's first message, or come back with it."""
        said = json.loads(message)
        hello = said.get("hello") or (said if said.get("type") == "join" else None)
        if hello is None:
            return message
        hello["resume"] = self.token if self._returns else True
        return json.dumps(said)


class SocketIOProgram(Program):
    """A program of net play: it enters the first room, unless its game goes on."""

    def hear(self, message: str) -> Sequence[str]:
        """Take an event, and return the events in reply."""
        name, *arguments = json.loads(message)
        if name == "HELLO" and not self._returns:
            self.token = COOKIE
            return ['["ROOM"]']
        if name != "GAME":
            return []
        replies = super().hear(json.dumps(arguments[0]))
        return [json.dumps(["GAME", json.loads(reply)]) for reply in replies]

    def begin(self) -> list[str]:
        """Return nothing: the server speaks first."""
        return []


def socketio(returns: bool) -> Session:
    """Begin a connection of net play."""
    return SocketIOMajiangSession(LoggedIn("a", "public", cookie=COOKIE, has_seat=returns))


DIALECTS: dict[str, tuple[Begin, type[Program], type[Conversation]]] = {
    "mjai in lock-step": (lambda returns: LockstepSession(), Program, LockstepConversation),
    "mjai on request": (lambda returns: RequestSession("a", None, key="key"), Program, RequestConversation),
    "majiang": (lambda returns: MajiangSession(), Program, MajiangConversation),
    "net play": (socketio, SocketIOProgram, MajiangConversation),
}
"""For each dialect its session, the program of a client, and how that speaks."""

every_dialect = pytest.mark.parametrize("dialect", DIALECTS)
with_tokens = each_row("dialect", ["mjai in lock-step", "majiang"])


def _complain(fault: str) -> None:
    raise ValueError(fault)


def connect(
    server: MemoryServer, dialect: str, token: str | None = None, bot: Callable[[], Bot] = Digesting
) -> tuple[CarriedClient, Program]:
    """Let a client connect, with a token to come back."""
    begin, program_of, conversation = DIALECTS[dialect]
    program = program_of(conversation, token, bot())
    return CarriedClient(server, begin(token is not None), program.hear, program.begin()), program


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for journals."""
    return tmp_path


def recorded(folder: Path, game: Callable[[MemoryServer], None], settings: RoomSettings = TONPU) -> Journal:
    """Return the journal of a game on a new server."""
    folder.mkdir(exist_ok=True)
    journals = journal_folder(folder)
    journals.open()
    with memory_server(settings, recorder_of=journals.create) as server:
        game(server)
    journals.close()
    (path,) = folder.glob(f"*{FINISHED}")
    journal = read_journal(gzip.decompress(path.read_bytes()))
    check_journal(journal)
    return journal


@every_dialect
@pytest.mark.parametrize("bot", some([Digesting, Efficient]))
@pytest.mark.no_cover
def test_a_game_with_lost_connections_is_the_undisturbed_one(folder: Path, dialect: str, bot: type[Bot]) -> None:
    """Each new program knows nothing but its token, and decides by all that its seat has seen in the kyoku."""
    returns = 0

    def undisturbed(server: MemoryServer) -> None:
        play(server, connect(server, dialect, bot=bot)[0])

    def disturbed(server: MemoryServer) -> None:
        nonlocal returns
        chance = Random(dialect)
        client, program = connect(server, dialect, bot=bot)
        play(server, client, most=6)
        while True:
            play(server, client, most=len(client.heard) + chance.choice((3, 30, 200, 400)))
            if not client.is_open:
                return
            client.cut()
            returns += 1
            server.clock.advance(chance.choice((0, 3)))
            client, program = connect(server, dialect, program.token, bot)

    expected, found = recorded(folder / "one", undisturbed), recorded(folder / "two", disturbed)
    assert comparable(expected) == comparable(found)
    assert returns > 3


@pytest.mark.no_cover
@every_dialect
def test_a_seat_is_taken_back_after_a_restart(folder: Path, dialect: str) -> None:
    """Another server restores the table from the journal alone; a Majiang client receives the game from its start."""
    first = journal_folder(folder)
    with memory_server(TONPU, recorder_of=first.create) as server:
        client, program = connect(server, dialect)
        play(server, client, most=6)
        while _kyoku(client) < 2:
            play(server, client, most=len(client.heard) + 10)
        (path,) = folder.glob("*.journal")
        written = path.read_bytes()
    for left in folder.iterdir():
        left.unlink()
    path.write_bytes(written)
    second = journal_folder(folder)
    with memory_server(TONPU, recorder_of=second.create) as server:
        ((path, journal),) = second.unfinished()
        server.rooms[0].restore(journal, partial(second.reopen, path, journal))
        client, _ = connect(server, dialect, program.token)
        play(server, client)
        (kaiju,) = [read["kaiju"] for read in _games_messages(client) if "kaiju" in read] or [None]
        if kaiju is not None:
            assert len(kaiju["log"]) == 2
            assert all(entry["zimo"]["p"] == "" or entry["zimo"]["l"] == _wind(kaiju, entries[0]["qipai"])
                       for entries in kaiju["log"] for entry in entries if "zimo" in entry)  # fmt: skip
            (jieju,) = [read["jieju"] for read in _games_messages(client) if "jieju" in read]
            assert jieju["log"][:1] == kaiju["log"][:1]
            assert len(jieju["log"]) >= 4
    (finished,) = folder.glob(f"*{FINISHED}")
    check_journal(read_journal(gzip.decompress(finished.read_bytes())))


def _games_messages(client: CarriedClient) -> Iterator[dict[str, Any]]:
    """Yield the messages of the game as objects, without the frame of net play."""
    for message in client.heard:
        read = json.loads(message)
        if isinstance(read, dict):
            yield read
        elif read[0] == "GAME":
            yield read[1]


def _kyoku(client: CarriedClient) -> int:
    return sum("qipai" in read or read.get("type") == "start_kyoku" for read in _games_messages(client))


def _wind(kaiju: dict[str, Any], qipai: dict[str, Any]) -> int:
    return int((kaiju["id"] - qipai["jushu"]) % 4)


def _asking_nothing(messages: Sequence[str]) -> list[str]:
    """Leave out that the client wants a token."""
    return [message.replace(',"resume":true', "") for message in messages]


@with_tokens
def test_a_client_that_asks_for_no_token_gets_none(dialect: str) -> None:
    """The start of its game is what it always was, and its seat is not kept."""
    begin, _, conversation = DIALECTS[dialect]
    with memory_server(KYOKU) as server:
        plain = conversation(BotPlayer(Digesting(), _complain), ClientFacts("a"))
        client = CarriedClient(
            server,
            begin(False),
            lambda message: _asking_nothing(plain.receive(message)),
            _asking_nothing(plain.begin()),
        )
        play(server, client, most=6)
        assert '"resume"' not in "".join(client.heard)
        client.cut()
        server.clock.advance(0)
        assert not server.rooms[0].tables


@with_tokens
@each_row("token", ["0" * 32, "f" * 32])
def test_a_foreign_token_is_refused(dialect: str, token: str) -> None:
    """A guess leads nowhere, whatever name comes with it; the game goes on."""
    with memory_server(KYOKU) as server:
        client, _ = connect(server, dialect)
        play(server, client, most=20)
        guess, _ = connect(server, dialect, token)
        with pytest.raises(ServerRefusal, match="unknown token"):
            play(server, guess)
        play(server, client)
        assert not client.is_open


@with_tokens
def test_the_token_of_an_ended_game_is_refused(dialect: str) -> None:
    """A token is for one seat of one game."""
    with memory_server(KYOKU) as server:
        client, program = connect(server, dialect)
        play(server, client)
        late, _ = connect(server, dialect, program.token)
        with pytest.raises(ServerRefusal, match="unknown token"):
            play(server, late)


@with_tokens
@each_row("resume", ['"0123"', '"1"', "17", "[]", '{"a":1}', f'"{"0" * 31}G"'])
def test_other_values_of_resume(dialect: str, resume: str) -> None:
    """Anything but true, false and a token is refused."""
    hello = {"mjai in lock-step": '{"type":"join","name":"a","resume":%s}', "majiang": '{"hello":{"resume":%s}}'}[
        dialect
    ]
    with memory_server(KYOKU) as server:
        client = CarriedClient(server, DIALECTS[dialect][0](False), lambda message: (), [hello % resume])
        client.play()
        assert "resume" in client.heard[-1]
        assert not client.is_open


@every_dialect
def test_the_newer_connection_plays_on(dialect: str) -> None:
    """The older one is closed with the reason, and its client's answers count no more."""
    with memory_server(KYOKU) as server:
        older, program = connect(server, dialect)
        play(server, older, most=30)
        newer, _ = connect(server, dialect, program.token)
        newer.play(2)
        server.clock.advance(0)
        with suppress(ServerRefusal):
            older.play()
        assert not older.is_open
        assert "replaced by a newer connection" in older.heard[-1]
        play(server, newer)
        assert [game.name for game in server.rooms[0].tables] == []


def asked_again(server: MemoryServer, dialect: str, wait: float) -> CarriedClient:
    """Return a client that has lost its connection while it was asked, and has come back."""
    client, program = connect(server, dialect)
    play(server, client, most=6)
    while not any(chair.open is not None and chair.is_client for chair in server.table._host.table.chairs):
        play(server, client, most=len(client.heard) + 1)
    server.clock.advance(wait)
    client.cut()
    server.clock.advance(20)
    return connect(server, dialect, program.token)[0]


@every_dialect
def test_the_time_that_was_left_is_left(dialect: str) -> None:
    """The clock stands still without a connection, and while a client in lock-step reads what it was told again."""
    with memory_server(KYOKU) as server:
        client = asked_again(server, dialect, wait=4.0)
        table = server.table._host.table
        (chair,) = (chair for chair in table.chairs if chair.is_client)
        assert chair.is_dropped is (dialect in ("mjai in lock-step", "mjai on request", "net play"))
        while chair.is_dropped:
            server.clock.advance(0.25)
            client.play(len(client.heard) + 1)
        now = server.table._now()
        assert chair.asked.deadline - now == 26_500  # half a second is for the way of the answer
        client.is_stalled = True
        client.play()
        server.clock.advance(26.4)
        assert chair.timeouts == 0
        server.clock.advance(0.2)
        assert chair.timeouts == 1
        client.cut()


def test_a_client_that_reads_too_slowly_loses_its_grace() -> None:
    """It can still take its seat back when it has read everything, as after any longer absence."""
    with memory_server(KYOKU) as server:
        client = asked_again(server, "mjai in lock-step", wait=0.0)
        (chair,) = (chair for chair in server.table._host.table.chairs if chair.is_client)
        client.is_stalled = True
        server.clock.advance(45)
        assert server.rooms[0].tables == ()  # nobody else keeps this table
        assert chair.presence is Presence.GONE
        client.cut()


def test_a_client_is_lost_again_while_it_reads() -> None:
    """Nothing is recorded of a return that did not come about, and the next one succeeds."""
    with memory_server(KYOKU) as server:
        client = asked_again(server, "mjai in lock-step", wait=0.0)
        table = server.table
        (seat,) = table.opening.clients
        client.play(len(client.heard) + 2)
        client.cut()
        assert table._host.table.chairs[seat].is_dropped
        assert seat not in table.players
        assert seat not in table._behind


@with_tokens
def test_a_client_comes_back_while_the_server_drains(dialect: str) -> None:
    """Its game goes on; a new client is turned away. A text announces the end of the server."""
    with memory_server(KYOKU) as server:
        client, program = connect(server, dialect)
        play(server, client, most=20)
        server.lobby.drain()
        client.cut()
        new, _ = connect(server, dialect)
        with pytest.raises(ServerRefusal, match="begins no new games"):
            play(server, new)
        back, _ = connect(server, dialect, program.token)
        play(server, back, most=10)
        assert back.is_open
        server.lobby.close()
        with pytest.raises(ServerRefusal, match="the server is stopping"):
            play(server, back)


@every_dialect
def test_two_come_back_at_once(dialect: str) -> None:
    """The last one has the seat, also while the one before still reads what it was told again."""
    with memory_server(KYOKU) as server:
        client, program = connect(server, dialect)
        play(server, client, most=20)
        client.cut()
        one, two = (connect(server, dialect, program.token)[0] for _ in range(2))
        with suppress(ServerRefusal):  # where the first message says it all, the other one has the seat already
            one.play(3)
        server.clock.advance(0)
        two.play(2)
        server.clock.advance(0)
        one.cut()
        play(server, two)
        assert server.rooms[0].tables == ()
