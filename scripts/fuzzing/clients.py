"""Targets: our clients, beside a server that says what no server may."""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Protocol

from rich.text import Text

from scripts.fuzzing.driver import Target
from scripts.fuzzing.transcripts import BATCHES, LINES, LOCKSTEP, MAJIANG, REQUESTS, UMP, UMP_02, from_servers, text_of
from scripts.lab.players import Efficient
from ump.bots.bot import BotPlayer
from ump.bots.conversations import (
    ClientFacts,
    LockstepConversation,
    MajiangConversation,
    PipedConversation,
    RequestConversation,
    UmpConversation,
)
from ump.bots.links import Address
from ump.bots.ump_client import UMP_02 as VERSION_02
from ump.model.seats import Seat
from ump.terminal.canvas import Look, TileForm
from ump.terminal.choices import held_tiles
from ump.terminal.conversation import TableConversation
from ump.terminal.play_app import actions_markup, clock_text, state_text
from ump.terminal.table_text import hand_canvas, hint_text, results_canvas, scores_canvas, table_canvas
from ump.terminal.turn import Turn
from ump.text.position import Position
from ump.wire.session import ServerRefusal

MESSAGES = 4  # most messages of an input that begins within a conversation: most changes are refused before
WHOLE = 100  # one of so many inputs is a whole conversation

_PLACE = re.compile(rb"([0-9]{1,3}) ([0-9]{1,4})")
"""The first line of an input: the number of a conversation, and of the message with which the input goes on."""


class Client(Protocol):
    """A client that hears a server, message by message."""

    def begin(self) -> object:
        """Connect."""

    def receive(self, message: str) -> object:
        """Take a message; raises ValueError or ServerRefusal if no server may say it."""


def _ignored(said: object) -> None:
    """Ignore what a player reports."""


VALUES = frozenset(("ump.model.events", "ump.model.melds", "ump.rules.ruleset"))
"""Modules whose objects never change: copies of a client share them, as they share constants."""

_SHARED: dict[int, object] = {}  # the objects that copies of a client share, by their ids


class _Pickler(pickle.Pickler):
    """Writes the state of a client, without what its copies share."""

    def persistent_id(self, each: object) -> int | None:
        if type(each).__module__ not in VALUES and not isinstance(each, Enum):
            return None
        _SHARED[id(each)] = each
        return id(each)


class _Unpickler(pickle.Unpickler):
    """Reads the state of a client."""

    def persistent_load(self, number: int) -> object:
        return _SHARED[number]


def _written(conversation: Client) -> bytes:
    into = io.BytesIO()
    _Pickler(into, pickle.HIGHEST_PROTOCOL).dump(conversation)
    return into.getvalue()


def _read(state: bytes) -> Client:
    conversation: Client = _Unpickler(io.BytesIO(state)).load()
    return conversation


@dataclass
class Conversations:
    """Conversations of a client with good servers, and states of the client within them.

    Going on from a state is ten times as fast as the conversation up to it, which is always the same.
    """

    make: Callable[[BotPlayer, ClientFacts], Client]
    dialects: tuple[str, ...]
    _inputs: list[bytes] = field(default_factory=list)  # what ``inputs`` returns, once it is made
    _states: dict[int, list[bytes]] = field(default_factory=dict)  # the pickled client before each message

    def inputs(self) -> list[bytes]:
        """Return the rest of each conversation from each message on, as far as it is said, and whole conversations."""
        if not self._inputs:
            self._inputs = self._made()
        return self._inputs

    def _made(self) -> list[bytes]:
        said = from_servers(*self.dialects)
        pieces = [
            b"%d %d\n%b" % (number, place, b"\n".join(lines[place : place + MESSAGES]))
            for number, lines in enumerate(each.split(b"\n") for each in said)
            for place in range(len(lines))
        ]
        return [*said, *pieces, *said * (len(pieces) // WHOLE // len(said))]

    def run(self, data: bytes) -> None:
        """Let the client receive each message from the place that the first line names; by default, from the first."""
        first, _, rest = data.partition(b"\n")
        place = _PLACE.fullmatch(first)
        conversation, lines = (self._at(place), rest) if place is not None else (self._new(), data)
        if isinstance(conversation, Screen):
            conversation.is_drawn = True
        for line in lines.split(b"\n"):
            conversation.receive(text_of(line))

    def _new(self) -> Client:
        player = BotPlayer(Efficient(), _ignored, _ignored, is_strict=True)
        conversation = self.make(player, ClientFacts("ears"))
        conversation.begin()
        return conversation

    def _before_each(self, said: bytes) -> Iterator[bytes]:
        conversation = self._new()
        for line in said.split(b"\n"):
            yield _written(conversation)
            conversation.receive(text_of(line))

    def _at(self, place: re.Match[bytes]) -> Client:
        said = from_servers(*self.dialects)
        number = int(place[1]) % len(said)
        if number not in self._states:
            self._states[number] = list(self._before_each(said[number]))
        states = self._states[number]
        return _read(states[int(place[2]) % len(states)])


LOOK = Look(tiles=TileForm.BLOCKS, is_coloured=True)  # as on most terminals


class Screen:
    """The screen of ``ump play`` for a conversation, drawn after each line, for a person who answers at once."""

    is_drawn = False
    """Whether to draw: not for the states from which inputs go on, which are many."""

    def __init__(self, introduction: ClientFacts) -> None:
        self._conversation = TableConversation(introduction, look=LOOK)

    def begin(self) -> None:
        self._conversation.begin()

    def receive(self, line: str) -> None:
        """Take a line, draw, and answer. Raises what the conversation raises; drawing and answering raise nothing."""
        self._conversation.receive(line)
        try:
            if self.is_drawn:
                self._draw()
            self._answer()
        except ValueError as error:
            raise AssertionError("the screen breaks down") from error

    def _draw(self) -> None:
        conversation = self._conversation
        state_text(conversation, LOOK.words, Address("", "localhost", 19000, ""), is_watching=False)
        hint_text(conversation.hints, None, LOOK)
        Text.from_ansi("\n".join(conversation.log))
        position = conversation.position
        if position is not None:
            results_canvas(conversation.results, position, LOOK).text()
            seat = position.seen.seat
            table_canvas(position, position.seen.dealer if seat is None else seat, LOOK).text()
            scores_canvas(position, LOOK).text()
            if seat is not None:
                self._draw_hand(position, seat)

    def _draw_hand(self, position: Position, seat: Seat) -> None:
        question, tiles = self._conversation.question, held_tiles(position.seen)
        if question is None:
            hand_canvas(tiles, None, (), position, seat, LOOK).text()
            return
        turn = Turn(question, tiles)
        turn.move_to_end()
        hand_canvas(tiles, turn.chosen, turn.legal_places(), position, seat, LOOK).text()
        actions_markup(turn, LOOK)
        clock_text(question.time, 1.0)

    def _answer(self) -> None:
        conversation = self._conversation
        if conversation.question is not None:
            conversation.answer(conversation.question.legal()[-1])
        if conversation.ready is not None:
            conversation.go_on()


def _target(name: str, about: str, make: Callable[[BotPlayer, ClientFacts], Client], *dialects: str) -> Target:
    conversations = Conversations(make, dialects)
    return Target(f"client-{name}", about, conversations.inputs, conversations.run, (ValueError, ServerRefusal))


CLIENT_TARGETS: tuple[Target, ...] = (
    _target("ump-0.1", "what UMP 0.1 servers say", UmpConversation, UMP),
    _target("ump-0.2", "what UMP 0.2 servers say", partial(UmpConversation, version=VERSION_02), UMP_02),
    _target("mjai", "what mjai servers say", LockstepConversation, LOCKSTEP),
    _target("piped", "what mjai says over pipes", PipedConversation, BATCHES, LINES),
    _target("requests", "what mjai servers request", RequestConversation, REQUESTS),
    _target("majiang", "what Majiang servers say", MajiangConversation, MAJIANG),
    _target("screen", "what UMP 0.1 servers say to ump play", lambda _, introduction: Screen(introduction), UMP),
)
"""All clients."""
