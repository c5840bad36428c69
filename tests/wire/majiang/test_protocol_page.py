"""docs/protocols/majiang.md: messages, fields, values, examples, transcripts, and the rule object."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from support.careless_games import careless_game
from support.dialect_clients import MajiangClient, OldMajiangClient
from support.page_scenes import conversations
from support.protocol_page import (
    Check,
    Description,
    Field,
    Message,
    blocks,
    check_messages,
    coded,
    descriptions,
    fields_in,
    fields_of,
    is_of,
    is_shown,
    parts_of,
    read_page,
    rows,
    section,
    shows,
    to_explain,
    types_in,
    values_of,
)
from support.scenario import Scenario
from support.swapped_tiles import DialectUnderTest

from ump.bots.links import PORTS, Service
from ump.model.claims import Reason
from ump.model.events import DrawReason, GameEnded, GameStarted
from ump.model.notation import MAJIANG_FACES, NotationError, parse_majiang_meld, parse_majiang_tile, parse_shoupai
from ump.net.dialects import NET_PLAY
from ump.net.limits import HELLO_SECONDS, MAX_BODY, PING_INTERVAL, PING_TIMEOUT
from ump.rules.presets import PRESETS
from ump.server.http.net_play import COOKIE
from ump.table.receivers import Rendering
from ump.wire.dialect import NetPlay
from ump.wire.majiang import session
from ump.wire.majiang.events import PINGJU, RULE_ENTRIES, rule_object
from ump.wire.majiang.read import MajiangReader
from ump.wire.majiang.session import READING, MajiangSession
from ump.wire.outbox import REPLY_SECONDS
from ump.wire.session import MAX_GAMES, TableInfo

PAGE = read_page("majiang.md")

GAMES = 10
"""Careless games."""

FRAME = ("seq", "timer")


def _reads(parse: Any) -> Check:
    def check(content: Any) -> bool:
        try:
            return isinstance(content, str) and bool(parse(content))
        except NotationError:
            return False

    return check


def _list_of(check: Check, *lengths: int) -> Check:
    return lambda content: (
        isinstance(content, list) and all(map(check, content)) and (not lengths or len(content) in lengths)
    )


def _is_count(content: Any) -> bool:
    return type(content) is int and content >= 0


def _is_points(content: Any) -> bool:
    return type(content) is int and content % 100 == 0


def _is_seat(content: Any) -> bool:
    return type(content) is int and 0 <= content < 4


def _is_text(content: Any) -> bool:
    return isinstance(content, str)


def _is_tile(content: Any) -> bool:
    return content in MAJIANG_FACES


def _is_hand(content: Any) -> bool:
    return content == "" or _reads(parse_shoupai)(content)


CHECKS: dict[str, Check] = {
    "id": _is_seat,
    "wind": _is_seat,
    "wind or `null`": lambda content: content is None or _is_seat(content),
    "tile": _is_tile,
    'tile or `""`': lambda content: content == "" or _is_tile(content),
    "discard": _reads(parse_majiang_tile),
    "meld": _reads(lambda text: parse_majiang_meld(text, 0)),
    "hand": _is_hand,
    "hands by wind": _list_of(_is_hand, 4),
    "scores by wind": _list_of(_is_points, 4),
    "scores by id": _list_of(_is_points, 4),
    "texts by id": _list_of(_is_text, 4),
    "places by id": _list_of(lambda place: place in (1, 2, 3, 4), 4),
    "count": _is_count,
    "points": _is_points,
    "tiles or `null`": lambda content: content is None or _list_of(_is_tile)(content),
    "yaku": _list_of(lambda entry: isinstance(entry, dict)),
    "log": _list_of(_list_of(lambda entry: len(entry) == 1)),
    "rules": lambda content: isinstance(content, dict),
    "seconds": _list_of(lambda each: type(each) in (int, float) and each >= 0 and round(each, 1) == each, 1, 2),
    "text": _is_text,
    "flag": lambda content: isinstance(content, bool),
    "flag or token": lambda content: isinstance(content, bool) or bool(re.fullmatch("[0-9a-f]{32}", content)),
    "uma": _list_of(_is_text, 4),
    "red fives": lambda content: list(content) == ["m", "p", "s"] and all(map(_is_count, content.values())),
    "count or stars": lambda content: _is_count(content) or re.fullmatch(r"\*+", str(content)) is not None,
}
"""The types of the page."""


def careless(client: type[MajiangClient]) -> list[Message]:
    """Return the messages to a careless client."""
    dialect = DialectUnderTest("majiang", MajiangSession, client)
    return [json.loads(text) for seed in range(GAMES) for text in careless_game(dialect, seed)]


@cache
def messages() -> tuple[Message, ...]:
    """Return the messages that the server sends, in all scenes and careless games."""
    lines = (line for said in conversations("majiang") for line in said)
    return (*(json.loads(line[2:]) for line in lines if line.startswith("<")), *careless(MajiangClient), *came_back())


def came_back() -> list[Message]:
    """Return the messages of a client that asks for a token, and then comes back with it."""
    heard: list[str] = []
    token, rules = "0" * 32, PRESETS["ump"]
    tables = (TableInfo("main-1", rules, token), TableInfo("main-1", rules, is_return=True))
    for resume, table in zip(("true", f'"{token}"'), tables, strict=True):
        returning = MajiangSession()
        returning.receive(b'{"hello":{"name":"ears","resume":%b}}' % resume.encode(), 0.0)
        returning.sit(1, table)
        for event in (GameStarted(("a", "b", "c", "d")), *Scenario({}).events):
            returning.tell(Rendering(event), 0.0)
        returning.caught_up()
        heard += returning.take()
    return [json.loads(text) for text in heard]


@cache
def sent() -> Mapping[str, list[Message]]:
    """Return the contents of the messages, by type."""
    found: dict[str, list[Message]] = defaultdict(list)
    for message in messages():
        ((type_, content),) = ((key, each) for key, each in message.items() if key not in FRAME)
        found[type_].append(content)
    return found


def described(side: str) -> dict[str, Description]:
    """Return what the page says about the messages of the server or the client."""
    return descriptions(section(PAGE, f"Messages of the {side}"), lambda message: next(iter({*message} - {*FRAME}), ""))


def from_server() -> dict[str, Description]:
    """Return what the page says about the messages of the server, except ``error``."""
    return {type_: each for type_, each in described("server").items() if type_ != "error"}


@cache
def replied() -> list[Message]:
    """Return the messages of the client in all scenes."""
    lines = (line for said in conversations("majiang") for line in said)
    return [json.loads(line[2:]) for line in lines if line.startswith(">")]


def test_every_message_of_the_server_is_described() -> None:
    """The page has the types of messages that are sent, and each has the fields that are sent, of the right types."""
    assert from_server().keys() == sent().keys()
    for type_, description in from_server().items():
        check_messages(description.fields, sent()[type_], CHECKS)


def test_every_frame_is_described() -> None:
    """So are ``seq`` and ``timer``, beside the message."""
    frames = [{key: message[key] for key in FRAME if key in message} for message in messages()]
    check_messages(fields_of(section(PAGE, "Beside every message")), frames, CHECKS)
    assert all(message.get("seq", 1) == 1 for message in messages() if "kaiju" in message)


def test_every_type_is_in_the_table_of_types() -> None:
    """Each type of a field is explained, and each explained one is used."""
    explained = types_in(section(PAGE, "Types"))
    used = {field.type for part in re.split("^##+ ", PAGE, flags=re.MULTILINE) for field in fields_of(part).values()}
    used |= {field.type for _, _, field in fields_in(PAGE)}
    assert explained == to_explain(used, CHECKS)


def test_every_example_of_a_server_message_is_sent() -> None:
    """The server sends each example in one of the games; messages to a careless client need only the same fields."""
    for type_, description in from_server().items():
        assert description.examples, type_
        for example in description.examples:
            shown = json.loads(example)
            if type_ == "refused":
                assert shown[type_].keys() == sent()[type_][0].keys()
            else:
                assert any(is_shown(shown, message) for message in messages()), example


def test_every_transcript_is_played() -> None:
    """Each transcript is a part of the conversation in one of the scenes, the first one is a whole one."""
    transcripts = blocks(PAGE, "transcript")
    assert len(transcripts) > 3
    for place, transcript in enumerate(transcripts):
        found = [each for each in conversations("majiang") if shows(transcript, each)]
        assert found, transcript
        assert place or len(parts_of(transcript)[0]) == len(found[0])


def test_our_client_reads_the_whole_game() -> None:
    """The client's reader takes the messages of the first transcript."""
    reader, events = MajiangReader(), []
    for line in blocks(PAGE, "transcript")[0]:
        if line.startswith("<"):
            type_, content = next(iter(json.loads(line[2:]).items()))
            if type_ == "kaiju":
                content["rule"] = rule_object(PRESETS["ump"])
            events += reader.read(type_, content)
    assert isinstance(events[0], GameStarted)
    assert isinstance(events[-1], GameEnded)


def test_the_yaku_of_a_win_are_described() -> None:
    """The entries of ``hupai`` have the fields of the table."""
    entries = [entry for win in sent()["hule"] for entry in win["hupai"]]
    check_messages(fields_of(section(PAGE, "The yaku of a win")), entries, CHECKS)


def test_the_rule_object_is_described() -> None:
    """The entries have the types of all presets of four."""
    objects = [rule_object(preset) for preset in PRESETS.values() if preset.seats == 4]
    fields = {name: Field(entry.type, may_be_absent=False) for name, entry in RULE_ENTRIES.items()}
    check_messages(fields, objects, CHECKS)
    assert f"[{len(fields)} entries]" in PAGE


def test_every_draw_is_named() -> None:
    """The names of draws are those that the server writes."""
    names = [PINGJU[reason] for reason in PINGJU]
    assert set(PINGJU) == set(DrawReason)
    assert values_of(from_server()["pingju"].fields["name"].type) == names
    assert {told["reason"] for told in sent()["refused"]} <= {reason.value for reason in Reason}


def test_the_error_is_described() -> None:
    """``error`` has the fields that are sent."""
    broken = MajiangSession()
    broken.error("why")
    check_messages(described("server")["error"].fields, [json.loads(broken.take()[0])["error"]], CHECKS)


# Messages of the client


class _Noted(dict[str, Any]):
    """An object that notes which of its keys are read."""

    def __init__(self, fields: Message, read: set[str]) -> None:
        super().__init__(fields)
        self.read = read

    def get(self, key: str, default: Any = None) -> Any:
        self.read.add(key)
        return super().get(key, default)


def test_the_hello_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table has the keys that the server reads, and the examples are read."""
    read: set[str] = set()
    monkeypatch.setattr(session, "read_object", lambda message: {"hello": _Noted(json.loads(message)["hello"], read)})
    description = described("client")["hello"]
    assert len(description.examples) == 2
    for example in description.examples:
        content = json.loads(example)["hello"]
        said = session.read_hello(example.encode())
        assert said.fields.introduction.name == content["name"]
        assert said.fields.introduction.games == content["games"]
        assert said.fields.explains is content["explain"]
        assert all(is_of(description.fields[key].type, each, CHECKS) for key, each in content.items())
    assert description.fields.keys() == read
    assert values_of(description.fields["form"].type) == [session.OLD_FORM]
    assert f"at most {MAX_GAMES:,}" in PAGE


def test_every_word_of_a_reply_is_described() -> None:
    """The table has the words that the server reads, and the clients of the scenes say the examples."""
    text = section(PAGE, "A reply")
    fields = fields_of(text)
    assert fields.keys() == {"seq", *session.WORDS}
    examples = [json.loads(line) for line in blocks(text, "json")[0]]
    assert {word for example in examples for word in example} == fields.keys()
    for example in examples:
        assert example in replied(), example
        assert all(is_of(fields[key].type, each, CHECKS) for key, each in example.items())


def test_the_word_that_counts_is_the_first_of_the_table() -> None:
    """Each question reads the words of its row, in this order."""
    table = {row[0]: coded(row[1]) for row in rows(section(PAGE, "Which reply decides what"))}
    expected = [list(words) for phase, words in session._COUNTS.items() if phase is not None]
    assert [
        table[name] for name in ("your own `zimo`, `gangzimo`", "another's `dapai`", "another's `gang`")
    ] == expected


def test_the_form_of_2015_is_that_of_the_code() -> None:
    """The example has the form in which such clients receive messages, and the other field of ``kaiju`` is named."""
    old = careless(OldMajiangClient)
    text = section(PAGE, "The form of 2015")
    ((example,),) = blocks(text, "json")
    shown = json.loads(example)
    assert any(is_shown(_shape(shown), _shape(message)) for message in old)
    kaiju = next(message["data"] for message in old if message["type"] == "kaiju")
    assert kaiju.keys() - from_server()["kaiju"].fields.keys() == {"hongpai"}
    assert kaiju["id"] == 0
    assert "`hongpai`" in text
    assert set(coded(text)) >= {*session._OLD_WORDS, *session._OLD_WORDS.values()}


def _shape(message: Message) -> Message:
    """Return a message with the names of the fields of its content."""
    return {**message, "data": sorted(message["data"]), "seq": 0}


# Net play, limits


def test_every_event_of_net_play_is_described() -> None:
    """The tables have the events that the session writes and reads."""
    tree = ast.parse(inspect.getsource(session.SocketIOMajiangSession))
    calls = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "_emit"
    ]
    emitted = {node.args[0].value for node in calls if isinstance(node.args[0], ast.Constant)}
    matched = [node for node in ast.walk(tree) if isinstance(node, ast.MatchSequence)]
    read = {first.value.value for node in matched for first in node.patterns[:1] if isinstance(first, ast.MatchValue)}  # type: ignore[attr-defined]
    listed = [
        {name for row in rows(table) for name in re.findall(r'\["([A-Z]+)"', row[0])}
        for table in re.findall(r"\| event of the \w+ \|.*?\n\n", section(PAGE, "Net play"), re.DOTALL)
    ]
    assert listed == [emitted, read]


def test_figures_are_those_of_the_code() -> None:
    """Times and limits on the page are the constants of the code."""
    page = " ".join(PAGE.split())
    folders = [transport.folder for transport in NET_PLAY.transports if isinstance(transport, NetPlay)]
    figures = (
        f"port {PORTS[Service.MAJIANG]}",
        f"ws://HOST:{PORTS[Service.HTTP]}/majiang",
        f"| any other | {REPLY_SECONDS:.0f} seconds |",
        f"| {READING:.0f} seconds, if you have replied",
        f"| the `hello` | {HELLO_SECONDS} seconds |",
        f"at the latest after {('five', 'six', 'seven')[int(MajiangSession.LINGER) - 5]} seconds",
        f"`pingInterval` ({PING_INTERVAL * 1000:,} ms), `pingTimeout` ({PING_TIMEOUT * 1000:,} ms)",
        f"`maxPayload` ({MAX_BODY:,} bytes)",
        f"a ping every {PING_INTERVAL} seconds",
        f"reply with a `POST` of `3` within {PING_TIMEOUT} seconds",
        f"the cookie `{COOKIE}`",
        *(f"/{folder}/{path}" for folder in folders for path in ("auth", "socket.io", "logout")),
    )
    assert [figure for figure in figures if figure not in page] == []
