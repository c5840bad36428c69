"""The statements of the pages of the mjai dialects, and the messages of the server and its clients in many games."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from operator import itemgetter
from typing import Any

from support.careless_games import careless_game
from support.dialect_clients import EARS, ODDS_OF_SILENCE, MjaiClient, RequestClient
from support.mjai_games import game
from support.page_scenes import conversations
from support.protocol_page import Check, Description, Field, Message, descriptions, fields_in, read_page, section
from support.scenario import Scenario
from support.swapped_tiles import DialectUnderTest

from ump.model.events import DrawReason, GameStarted
from ump.model.notation import MJAI_FACES
from ump.model.seats import PLAYERS
from ump.rules.analysis import waits
from ump.rules.ruleset import Ruleset
from ump.table.receivers import Rendering
from ump.wire.mjai.events import GIMITE, MORTAL, RIICHILAB, YAKU_NAMES, Wording
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.mjai.piped_session import BatchSession, LineSession
from ump.wire.mjai.request_session import RequestSession
from ump.wire.session import TableInfo

GAMES = 12
"""Careless games of each dialect."""


class Explained(MjaiClient):
    """A careless client that asks for reasons, and is silent now and then."""

    JOIN = b'{"type":"join","name":"ears","room":"default","explain":true,"advice":true}'

    def reply(self, last: Message) -> list[bytes]:
        """Join, reply, or say nothing."""
        if last["type"] == "hello":
            return [self.JOIN]
        return super().reply(last) if self.chance.random() > ODDS_OF_SILENCE else []


class ExplainedLines(Explained):
    """The same in lines, where nobody asks for the join."""

    def begin(self) -> list[bytes]:
        """Ask for reasons."""
        return [b'{"type":"join","explain":true}']


class SilentRequests(RequestClient):
    """A careless client on request that is silent now and then, or replies twice."""

    def reply(self, last: Message) -> list[bytes]:
        """Reply, say nothing, or say something wrong first."""
        replies = super().reply(last)
        chance = self.chance.random()
        if chance < ODDS_OF_SILENCE:
            return []
        return replies * 2 if chance < 2 * ODDS_OF_SILENCE else replies


MESSAGES = "mjai.md"
"""The page of what all dialects share."""

PAGES: Mapping[str, Mapping[str, DialectUnderTest]] = {
    "mjai-tcp.md": {"mjai in lock-step": DialectUnderTest("A", LockstepSession, Explained)},
    "mjai-lines.md": {
        "mjai line by line": DialectUnderTest("B", lambda: LineSession(EARS), ExplainedLines),
        "mjai in batches": DialectUnderTest("B", lambda: BatchSession(EARS), MjaiClient),
    },
    "mjai-websocket.md": {
        "mjai on request": DialectUnderTest(
            "C",
            lambda: RequestSession("ears", None, is_validation=True, waits=waits, wants_advice=True),
            SilentRequests,
        )
    },
}
"""The dialects of each page, as ``support.page_scenes`` calls them, and a careless client of each."""

WORDINGS: Mapping[str, Wording] = {"mjai-tcp.md": GIMITE, "mjai-lines.md": MORTAL, "mjai-websocket.md": RIICHILAB}


def _list_of(check: Check, *lengths: int) -> Check:
    return lambda content: (
        isinstance(content, list) and all(map(check, content)) and (not lengths or len(content) in lengths)
    )


def _is_count(content: Any) -> bool:
    return type(content) is int and content >= 0


def _is_tile(content: Any) -> bool:
    return content in MJAI_FACES


def _is_shown_or_hidden(content: Any) -> bool:
    return content == "?" or _is_tile(content)


def _is_hand(content: Any) -> bool:
    return isinstance(content, list) and (all(map(_is_tile, content)) or set(content) == {"?"})


def _is_points(content: Any) -> bool:
    return type(content) is int and content % 100 == 0


def _is_number(content: Any) -> bool:
    return content is None or (type(content) is int and 0 <= content < 136)


_MELDS = ("Chi", "Pon", "Daiminkan", "Ankan", "Kakan")

CHECKS: dict[str, Check] = {
    "seat": lambda content: type(content) is int and 0 <= content < 4,
    "tile": _is_tile,
    'tile or `"?"`': _is_shown_or_hidden,
    "tiles": _list_of(_is_tile),
    "hands": _list_of(_is_hand, *PLAYERS),
    "count": _is_count,
    "points": _is_points,
    "scores": _list_of(_is_points, *PLAYERS),
    "names": _list_of(lambda content: isinstance(content, str), *PLAYERS),
    "flag": lambda content: isinstance(content, bool),
    "flag or token": lambda content: isinstance(content, bool) or bool(re.fullmatch("[0-9a-f]{32}", content)),
    "flags": _list_of(lambda content: isinstance(content, bool), *PLAYERS),
    "yakus": _list_of(lambda pair: len(pair) == 2 and pair[0] in YAKU_NAMES.values() and _is_count(pair[1])),
    "text": lambda content: isinstance(content, str),
    "actions": _list_of(lambda content: isinstance(content, dict)),
    "object": lambda content: isinstance(content, dict),
    "milliseconds": _is_count,
    "count or `null`": lambda content: content is None or _is_count(content),
    "texts": _list_of(lambda content: isinstance(content, str)),
    "kinds": _list_of(lambda content: type(content) is int and 0 <= content < 34),
    "tile number or `null`": _is_number,
    "tile numbers": _list_of(_is_number),
    "tile numbers, by seat": _list_of(_list_of(_is_number), *PLAYERS),
    "tile number or `null`, by seat": _list_of(_is_number, *PLAYERS),
    "objects": _list_of(lambda content: isinstance(content, dict)),
    "objects, by seat": _list_of(_list_of(lambda content: content["meld_type"] in _MELDS), *PLAYERS),
    "empty arrays, by seat": lambda content: content in ([[]] * 3, [[]] * 4),
}
"""The types of the pages."""


def came_back() -> list[Message]:
    """Return the messages of a client in lock-step that asks for a token, and then comes back with it."""
    heard: list[str] = []
    for resume, table in (("true", TableInfo("main-1", Ruleset(), TOKEN)), (f'"{TOKEN}"', RETURN)):
        session = LockstepSession()
        session.greet()
        session.receive(b'{"type":"join","name":"ears","resume":%b}' % resume.encode(), 0.0)
        session.sit(1, table)
        for event in (GameStarted(("a", "b", "c", "d")), *Scenario({}).events):
            session.tell(Rendering(event), 0.0)
            heard += session.take()
            session.receive(b'{"type":"none"}', 0.0)
    return [json.loads(text) for text in heard]


TOKEN = "0" * 32
RETURN = TableInfo("main-1", Ruleset(), is_return=True)


def _results(heard: list[str]) -> list[Message]:
    return [each for each in map(json.loads, heard) if each["type"] == "validation_result"]


def messages_in(text: str) -> list[Message]:
    """Return the object in a text, or the objects in its array."""
    read = json.loads(text)
    return read if isinstance(read, list) else [read]


@cache
def sent(name: str) -> Mapping[str, list[Message]]:
    """Return the messages that the server sends in the dialects of a page, by type: in scenes and careless games."""
    found: dict[str, list[Message]] = defaultdict(list)
    if name == "mjai-tcp.md":
        for message in came_back():
            found[message["type"]].append(message)
    if name == "mjai-websocket.md":  # a test that is passed
        found["validation_result"] += [each for seat in game("request", 2)[1] for each in _results(seat.heard)]
    for dialect, careless in PAGES[name].items():
        lines = [line[2:] for said in conversations(dialect) for line in said if line.startswith("<")]
        lines += [text for seed in range(GAMES) for text in careless_game(careless, seed)]
        for message in (message for text in lines for message in messages_in(text)):
            found[message["type"]].append(message)
    return found


@cache
def replied(name: str) -> list[Message]:
    """Return the messages of the clients in all scenes, in the dialects of a page."""
    lines = [line for dialect in PAGES[name] for said in conversations(dialect) for line in said]
    return [json.loads(line[2:]) for line in lines if line.startswith(">")]


def described(name: str, side: str) -> dict[str, Description]:
    """Return what a page says about its messages of the server, or of the client."""
    return descriptions(section(read_page(name), f"Messages of the {side}"), itemgetter("type"))


def common() -> dict[str, Description]:
    """Return what mjai.md says about the messages of the server."""
    return described(MESSAGES, "server")


def from_server(name: str) -> dict[str, Description]:
    """Return what a page and mjai.md say about the messages of the server but ``error``, in its own words."""
    wording = WORDINGS[name]
    own = {GIMITE.ura_markers: wording.ura_markers} | {
        f'"{GIMITE.draws[reason]}"': f'"{wording.draws[reason]}"' for reason in DrawReason
    }
    found = {**common(), **described(name, "server")}
    del found["error"]
    for messages, field, added in fields_in(section(read_page(name), "Messages of the server")):
        for type_ in messages:
            found[type_] = Description({**found[type_].fields, field: added}, found[type_].examples)
    return {type_: _reworded(each, own) for type_, each in found.items()}


def _reworded(described: Description, own: Mapping[str, str]) -> Description:
    pattern = re.compile("|".join(map(re.escape, own)))
    fields = {
        own.get(name, name): Field(pattern.sub(lambda found: own[found[0]], field.type), field.may_be_absent)
        for name, field in described.fields.items()
    }
    return Description(fields, described.examples)


def from_client(name: str) -> dict[str, Description]:
    """Return what a page and mjai.md say about the messages of a client."""
    found = described(MESSAGES, "client")
    for page in (MESSAGES, name):
        for messages, field, added in fields_in(section(read_page(page), "Messages of the client")):
            if not messages:
                found = {
                    type_: Description({**each.fields, field: added}, each.examples) for type_, each in found.items()
                }
    return {**found, **described(name, "client")}


def anywhere(name: str) -> Mapping[str, Field]:
    """Return the fields that any message of the server may have."""
    added = fields_in(section(read_page(name), "Messages of the server"))
    return {field: each for messages, field, each in added if not messages}
