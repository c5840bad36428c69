"""The seeds of the fuzzer: what servers and clients said in games of our own, and the records of such games."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from random import Random

from support.dialect_clients import EVERY_DIALECT
from support.majsoul_record import record
from support.memory_server import memory_server, room
from support.swapped_tiles import DialectClient, DialectUnderTest, ObservedKyoku, RecordingPlayers
from twisted.internet.defer import Deferred

from ump.game.deals import Deal
from ump.model.events import GameEnded
from ump.model.value import value
from ump.record.conversion import Conversion, convert
from ump.record.formats import FORMATS, read_games
from ump.record.journal import JournalHeader, JournalStep, write_header, write_step
from ump.record.recorded_game import RecordError
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length, Ruleset
from ump.rules.wall import rolled, shuffled
from ump.table.chair import BeforeKyoku
from ump.table.journal_entries import Entry

SHORT_FOR_EACH = 3  # how often each short record is a seed: so one of nine inputs is a whole game

UMP, UMP_02 = "ump 0.1", "ump 0.2"
PLAIN, LOCKSTEP, BATCHES, LINES, REQUESTS = (
    "plain words",
    "mjai in lock-step",
    "mjai in batches",
    "mjai in lines",
    "mjai on request",
)
MAJIANG, OLD_MAJIANG, SOCKET_IO = "majiang", "majiang of 2015", "majiang over Socket.IO"

GAMES = 6  # games of each dialect
RECORDED = ("tenhou", "mleague", "wrc", "majsoul", "tenhou3")  # the rules of the recorded games

SHORT: dict[str, tuple[int, ...]] = {
    "tenhou": (412, 769, 363),
    "mleague": (985,),
    "wrc": (507, 25),
    "majsoul": (1014, 45),
    "tenhou3": (213, 262, 440, 767, 798),
}
"""The numbers of games that end within a few turns, by their rules: most inputs are such games, since they are read in
less time, and more of their changes meet something else than another discard."""

ID = b"909090909"
"""Stands in a seed for the number of the question that was asked last. It is a number, so that JSON stays JSON."""

_OPENING_ID = re.compile(rb"^[0-9]+(?= )")
_JSON_ID = re.compile(rb'("(?:request_id|seq)": ?)[0-9]+')
_ASKED = re.compile(rb'^[0-9]+(?= )|(?<="request_id":)[0-9]+|(?<="seq":)[0-9]+')


def without_id(message: bytes) -> bytes:
    """Return a client's message with ``ID`` instead of the number of its question."""
    return _JSON_ID.sub(rb"\g<1>" + ID, _OPENING_ID.sub(ID, message))


def asked_in(message: bytes) -> bytes | None:
    """Return the number of the question in a server's message; None if there is none."""
    found = _ASKED.search(message)
    return None if found is None else found[0]


@value
class Transcript:
    """The messages of one game, one on each line."""

    client: bytes
    server: bytes


class _Noting(DialectClient):
    """Notes what a client says and hears."""

    def __init__(self, client: DialectClient) -> None:
        super().__init__(client.chance)
        self._client = client
        self.said: list[bytes] = []
        self.heard: list[bytes] = []

    def begin(self) -> list[bytes]:
        return self._note(self._client.begin())

    def hear(self, message: str) -> list[bytes]:
        self.heard.append(message.encode())
        return self._note(self._client.hear(message))

    def _note(self, messages: list[bytes]) -> list[bytes]:
        self.said += map(without_id, messages)
        return messages


def observed(
    dialect: DialectUnderTest, name: str, rules: str, kind: type[ObservedKyoku] = ObservedKyoku
) -> ObservedKyoku:
    """Return a game of one kyoku whose walls follow from its name, with this dialect at the east seat."""
    ruleset = of_one_kyoku(rules)
    return kind(dialect, ruleset, Deal(shuffled(name), rolled(name)), 0, RecordingPlayers(0, ruleset, name), name)


def of_one_kyoku(rules: str) -> Ruleset:
    return replace(PRESETS[rules], length=Length.KYOKU)


def dialect_named(name: str) -> DialectUnderTest:
    return next(each for each in EVERY_DIALECT if each.name == name)


@cache
def transcripts(name: str) -> tuple[Transcript, ...]:
    """Return games of a dialect, whose client answers well and badly."""
    return tuple(_transcript(dialect_named(name), number) for number in range(GAMES))


def from_clients(*dialects: str) -> Callable[[], list[bytes]]:
    """Return a function that returns what clients of these dialects have said."""
    return lambda: [each.client for name in dialects for each in transcripts(name)]


def from_servers(*dialects: str) -> list[bytes]:
    return [each.server for name in dialects for each in transcripts(name)]


def text_of(data: bytes) -> str:
    """Return data as text, as a program of ours would have it."""
    return data.decode("utf-8", "replace")


def _transcript(dialect: DialectUnderTest, number: int) -> Transcript:
    clients: list[_Noting] = []

    def client(chance: Random) -> DialectClient:
        clients.append(_Noting(dialect.client(chance)))
        return clients[-1]

    noting = DialectUnderTest(dialect.name, dialect.session, client, dialect.is_person)
    observed(noting, f"seeds/{number}", ("ump", "tenhou", "majsoul", "wrc")[number % 4]).play()
    (noted,) = clients
    return Transcript(b"\n".join(noted.said), b"\n".join(noted.heard))


class MemoryJournal:
    """The record of a game, in memory."""

    record_name = None

    def __init__(self, header: JournalHeader) -> None:
        self.header = header
        self.lines = [write_header(header)]
        self.is_whole = False

    def record(self, entries: list[Entry], now: int, start: BeforeKyoku | None) -> Deferred[None] | None:
        self.lines.append(write_step(JournalStep(now, entries, start)))
        return None

    def finish(self, ended: GameEnded | None) -> None:
        self.is_whole = True

    def give_up(self) -> None:
        """Leave it unfinished."""

    def suspend(self) -> None:
        """Leave it unfinished."""

    @property
    def data(self) -> bytes:
        return "".join(f"{line}\n" for line in self.lines).encode("ascii")


@cache
def journals() -> tuple[bytes, ...]:
    """Return the journals of whole games, then of short ones: of built-in bots and a client that discards its draws."""
    short = [_journal(rules, f"short/{number}") for rules, numbers in SHORT.items() for number in numbers]
    return (*(_journal(rules, f"seeds/{rules}") for rules in RECORDED), *short)


def _journal(rules: str, seed: str) -> bytes:
    written: list[MemoryJournal] = []

    def recorder(header: JournalHeader) -> MemoryJournal:
        written.append(MemoryJournal(header))
        return written[-1]

    seats = PRESETS[rules].seats
    settings = room(rules=rules, length="kyoku", house=[f"efficiency:{seats - 1}"], house_after=0)
    with memory_server(settings, seed=seed, recorder_of=recorder) as server:
        robots = server.robots("a", options="_resume=1")
        for _ in range(100):
            server.play(robots)
            if written and written[-1].is_whole:
                break
            server.clock.advance(1.0)
    return written[-1].data


@cache
def records() -> dict[str, tuple[bytes, ...]]:
    """Return the same games in each format that can be read, by its key, short games several times."""
    found: dict[str, list[bytes]] = {}
    for number, journal in enumerate(journals()):
        for key, data in _in_each_format(journal):
            found.setdefault(key, []).extend([data] if number < len(RECORDED) else [data] * SHORT_FOR_EACH)
    return {key: tuple(each) for key, each in found.items()}


def _in_each_format(journal: bytes) -> Iterator[tuple[str, bytes]]:
    yield "journal", journal
    for form in FORMATS:
        if form.read is not None and form.write is not None:
            try:
                yield from ((form.key, game) for game in convert("seed", journal, Conversion(form.key)).games)
            except RecordError:
                continue  # a format without games of three
    (game,) = read_games(journal)
    if game.ended is not None:
        yield "majsoul", json.dumps(record(game)).encode()
