"""Targets: whole games with a hostile client, by dialect, and on a whole server in memory beside honest players."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from random import Random

from support.dialect_clients import EVERY_DIALECT
from support.memory_server import MemoryServer, Peer, memory_server, room
from support.swapped_tiles import DialectClient, DialectUnderTest, ObservedKyoku
from twisted.logger import ILogObserver, LogEvent, LogLevel, globalLogPublisher
from zope.interface import implementer

from scripts.fuzzing.driver import Target
from scripts.fuzzing.transcripts import ID, MemoryJournal, asked_in, dialect_named, observed, transcripts
from ump.record.journal import JournalHeader, check_journal, read_journal, summary_of
from ump.table.journal_entries import End

DEALS = 64  # the games that a hostile client may play in

PORTS = {"listen": "ump 0.1", "telnet": "plain words", "mjai": "mjai in lock-step", "majiang": "majiang"}
"""The ports of a server, and the dialect of each."""


ODDS_OF_HELLO = 0.8
"""The chance that a client that connects again introduces itself, so that the next lines are not all said too early."""


class BrokenServer(Exception):
    """A whole server did not keep what it promises: an error in its log, or a game without a right end."""


class _Hostile(DialectClient):
    """Introduces itself as an honest client does; then it sends the lines of an input, one or more at a time."""

    def __init__(self, honest: DialectClient, data: bytes, known: frozenset[bytes]) -> None:
        """``known`` are the lines of honest clients."""
        super().__init__(honest.chance)
        self._honest = honest
        self._known = known
        self.changed = 0  # how many lines it has said that no honest client has
        self._lines = data.split(b"\n")[::-1]
        self._has_begun = False
        self._asked = b"0"

    def begin(self) -> list[bytes]:
        first = self._honest.begin()
        self._has_begun = bool(first)
        return first

    def hear(self, message: str) -> list[bytes]:
        """Say the next lines, to the question that was asked last."""
        self._asked = asked_in(message.encode()) or self._asked
        if not self._has_begun:
            first = self._honest.hear(message)
            self._has_begun = bool(first)
            return first
        return self.speak()

    def speak(self) -> list[bytes]:
        count = self.chance.choice((0, 1, 1, 1, 2))
        lines = [self._lines.pop() for _ in range(min(count, len(self._lines)))]
        self.changed += sum(line not in self._known for line in lines)
        return [line.replace(ID, self._asked) for line in lines]


class _HostileKyoku(ObservedKyoku):
    """A kyoku in which a client that is waited for speaks again, at most times, before its time runs out."""

    def _wait(self) -> None:
        assert isinstance(self._client, _Hostile)
        self._to_send.extend(self._client.speak())
        if not self._to_send:
            super()._wait()


def hostile_game(name: str) -> Callable[[bytes], int]:
    """Return a function that plays a kyoku in which the client of a dialect says the lines of an input.

    The function returns how many changed lines were said.
    """
    dialect = dialect_named(name)

    def run(data: bytes) -> int:
        clients: list[_Hostile] = []

        def client(chance: Random) -> DialectClient:
            clients.append(_Hostile(dialect.client(chance), data, _known(name)))
            return clients[-1]

        hostile = DialectUnderTest(name, dialect.session, client, dialect.is_person)
        observed(hostile, f"fuzz/{zlib.crc32(data) % DEALS}", "tenhou", _HostileKyoku).play()
        return sum(each.changed for each in clients)

    return run


@cache
def _known(*names: str) -> frozenset[bytes]:
    return frozenset(line for name in names for each in transcripts(name) for line in each.client.split(b"\n"))


def _without_hello(data: bytes, name: str) -> bytes:
    """Return a transcript without what the honest client says by itself."""
    return data if name in ("mjai in batches", "mjai in lines", "mjai on request") else data.partition(b"\n")[2]


# A whole server


@contextmanager
def _no_errors() -> Iterator[None]:
    """Raise BrokenServer if the server logs an error."""
    errors: list[LogEvent] = []

    @implementer(ILogObserver)
    def observe(event: LogEvent) -> None:
        if event["log_level"] in (LogLevel.error, LogLevel.critical):
            errors.append(event)

    globalLogPublisher.addObserver(observe)
    try:
        yield
    finally:
        globalLogPublisher.removeObserver(observe)
    if errors:
        failure = errors[0].get("log_failure")
        what = errors[0].get("log_format")
        raise BrokenServer(f"{what}\n{failure.getTraceback() if failure is not None else ''}")


def whole_server(data: bytes) -> int:
    """Let a hostile client say an input to a port of a server, in pieces, while three honest players play.

    Return how many changed lines it has said.
    """
    chance = Random(data)
    known = _known(*PORTS.values())
    written: list[MemoryJournal] = []

    def recorder(header: JournalHeader) -> MemoryJournal:
        written.append(MemoryJournal(header))
        return written[-1]

    settings = room(length="kyoku", time="5+5", grace=5, house=["tsumogiri:1"], house_after=5)
    with _no_errors(), memory_server(settings, seed="fuzz", recorder_of=recorder) as server:
        port = chance.choice(tuple(PORTS))
        hostile = server.connect(port=port)
        robots = server.robots("a", "b", "c")
        for piece in _pieces(data, chance):
            hostile.send(piece.replace(ID, _asked_of(hostile)))
            server.play(robots)
            if chance.random() < 0.02:
                hostile.hang_up()
            if not hostile.is_connected:
                hostile = server.connect(port=port)
                if chance.random() < ODDS_OF_HELLO:
                    hostile.send(_hello(port) + b"\r\n")
            server.clock.advance(chance.choice((0.0, 0.0, 0.1, 3.0)))
        hostile.hang_up()
        for _ in range(600):
            if all("gameend" in robot.peer.words() for robot in robots):
                break
            server.clock.advance(1.0)
            server.play(robots)
        _check(server, written)
    return sum(line not in known for line in data.split(b"\n"))


def _hello(port: str) -> bytes:
    return transcripts(PORTS[port])[0].client.partition(b"\n")[0]


def _pieces(data: bytes, chance: Random) -> Iterator[bytes]:
    """Yield an input in lines, some of which are torn."""
    for line in data.split(b"\n"):
        whole = line + b"\r\n"
        if chance.random() < 0.05:
            place = chance.randint(0, len(whole))
            yield whole[:place]
            whole = whole[place:]
        yield whole


def _asked_of(peer: Peer) -> bytes:
    for message in reversed(peer.wire.writes[-1:]):
        for line in reversed(message.split(b"\n")):
            found = asked_in(line)
            if found is not None:
                return found
    return b"0"


def _check(server: MemoryServer, written: list[MemoryJournal]) -> None:
    """Check that the honest players' game was played to its end, and that every record fits the rules."""
    ended: set[str] = set()
    for each in written:
        journal = read_journal(each.data)
        check_journal(journal)
        if journal.end is End.COMPLETED:
            points = summary_of(journal).result.points
            rules = journal.header.opening.ruleset
            if sum(points) != rules.start_points * rules.seats:
                raise BrokenServer(f"the points {points} come from nowhere")
            ended.update(journal.header.opening.players)
    if not ended >= {"a", "b", "c"}:
        raise BrokenServer("the honest players' game did not end")


SESSION_TARGETS: tuple[Target, ...] = (
    *(
        Target(
            f"game-{each.name.replace(' ', '-').lower()}",
            f"a kyoku with a hostile client: {each.name}",
            lambda name=each.name: [_without_hello(one.client, name) for one in transcripts(name)],  # type: ignore[misc]
            hostile_game(each.name),
            is_session=True,
        )
        for each in EVERY_DIALECT
    ),
    Target(
        "server",
        "a server with a hostile client on one of its ports, and three honest players",
        lambda: [one.client for name in PORTS.values() for one in transcripts(name)],
        whole_server,
        is_session=True,
    ),
)
"""All games."""
