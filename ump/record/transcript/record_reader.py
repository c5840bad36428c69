"""Read transcripts of UMP as recorded games: those that our writers make, traces of a server, and logs of a client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

from ump.model.events import Event, GameStarted
from ump.record.game_builder import ASSUMED
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.transcript.lines import own_field, server_lines
from ump.record.transcript.told_game import ToldGame
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length, Ruleset
from ump.wire.json_text import JSON
from ump.wire.text import WireError
from ump.wire.ump01 import read as read01
from ump.wire.ump01.client_events import ClientEvent, HelloReceived
from ump.wire.ump02 import read as read02

EVENTS = get_args(Event)

BEFORE_KYOKU = frozenset(("hello", "seat", "player", "gamestart", "kyokustart"))
"""The commands to read before the first kyoku; the part of a trace may begin in the middle of one."""


def read_ump01(data: bytes) -> tuple[RecordedGame, ...]:
    """Return the games of a transcript of UMP 0.1; raise RecordError, with the line, if it is damaged."""
    return _read(data, "0.1", read01.Reader())


def read_ump02(data: bytes) -> tuple[RecordedGame, ...]:
    """Return the games of a transcript of UMP 0.2; raise RecordError, with the line, if it is damaged."""
    return _read(data, "0.2", read02.Reader())


def _read(data: bytes, version: str, reader: read01.Reader | read02.Reader) -> tuple[RecordedGame, ...]:
    transcript = _Transcript(own_field(data))
    for number, line in server_lines(data, version):
        try:
            if transcript.takes(line):
                for event in reader.read(line):
                    transcript.add(event)
        except (RecordError, WireError) as error:
            raise RecordError(f"line {number}: {error}") from None
    return transcript.games()


class _Transcript:
    """The games of a transcript, one after the other."""

    def __init__(self, own: JSON) -> None:
        self._own = own
        self._assumed = ASSUMED
        self._games: list[ToldGame] = []
        self._in_kyoku = False

    def takes(self, line: str) -> bool:
        """Tell whether to read a line: all since the first kyoku began, and the introductions before.

        Extensions say nothing about the game, and traces have no tokens.
        """
        command = next(iter(line.split()[1:]), "")
        self._in_kyoku = self._in_kyoku or command == "kyokustart"
        return not command.startswith("_") if self._in_kyoku else command in BEFORE_KYOKU

    def add(self, event: ClientEvent) -> None:
        """Add what the reader returns; questions and the rest belong to the connection, not to the game."""
        if isinstance(event, HelloReceived):
            self._assumed = _assumed(dict(event.options))
        elif isinstance(event, EVENTS):
            if isinstance(event, GameStarted) or not self._games:
                self._games.append(ToldGame(self._own, self._assumed))
            self._games[-1].add(event)

    def games(self) -> tuple[RecordedGame, ...]:
        """Return the games in which a kyoku began."""
        games = tuple(game.game() for game in self._games if game.has_kyoku)
        if not games:
            raise RecordError("no kyoku")
        return games


def _assumed(options: Mapping[str, str]) -> Ruleset:
    """Return the rules that a server's hello announces, those of its first room; the game may be in another room."""
    ruleset = PRESETS.get(options.get("_rule", ""), ASSUMED)
    lengths = {each.value: each for each in Length}
    return replace(ruleset, length=lengths.get(options.get("_length", ""), ruleset.length))
