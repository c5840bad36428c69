"""The pages of the mjai dialects in docs/protocols: messages, fields, values, examples and transcripts."""

from __future__ import annotations

import contextlib
import itertools
import json
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

import pytest
from support.mjai_pages import (
    CHECKS,
    MESSAGES,
    PAGES,
    anywhere,
    common,
    described,
    from_client,
    from_server,
    messages_in,
    replied,
    sent,
)
from support.page_scenes import conversations
from support.protocol_page import (
    Description,
    Field,
    Message,
    blocks,
    check_messages,
    coded,
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
from support.rows import each_row
from support.session_table import FakeQuestion

from ump.bots.links import PORTS, Service
from ump.model.claims import Reason, Verb
from ump.model.events import DrawReason, GameEnded, GameStarted
from ump.model.notation import parse_mjai_face
from ump.model.phases import Phase
from ump.net.dialects import over
from ump.net.limits import HELLO_SECONDS, PING_INTERVAL
from ump.wire.dialect import WebSocketPath
from ump.wire.mjai import actions, session_base
from ump.wire.mjai.events import GIMITE, MORTAL, RIICHILAB
from ump.wire.mjai.lockstep_session import read_join
from ump.wire.mjai.read import MjaiReader
from ump.wire.mjai.riichienv_observation import FIELDS
from ump.wire.mjai.session_base import DECIDED, LATE, MAX_NOTE, REPEATED, UNKNOWN, Status, asks_for_reasons, read_note
from ump.wire.outbox import REPLY_SECONDS
from ump.wire.text import WireError

every_page = each_row("name", PAGES)


@pytest.mark.no_cover
@every_page
def test_every_message_of_the_server_is_described(name: str) -> None:
    """The page has the types of messages that are sent, and each has the fields that are sent, of the right types."""
    listed, extra = from_server(name), anywhere(name)
    assert listed.keys() == sent(name).keys()
    for type_, description in listed.items():
        left_out = {"type", *extra}
        messages = [
            {key: each for key, each in message.items() if key not in left_out} for message in sent(name)[type_]
        ]
        check_messages(description.fields, messages, CHECKS)
    for key, field in extra.items():
        values = [message[key] for messages in sent(name).values() for message in messages if key in message]
        assert values, f"no message has the field {key}"
        assert all(is_of(field.type, content, CHECKS) for content in values)
        assert field.may_be_absent


def test_every_type_is_in_the_table_of_types() -> None:
    """Each type of a field is explained, and each explained one is used."""
    explained, used = set(), set()
    for name in PAGES:
        for page in map(read_page, (MESSAGES, name)):
            explained |= types_in(section(page, "Types")) if "\n## Types\n" in page else set()
            used |= {field.type for field in fields_of(page).values()}
            used |= {field.type for _, _, field in fields_in(page)}
    assert explained == to_explain(used, CHECKS)


def _is_sent(name: str, example: str, description: Description) -> bool:
    """Tell whether the server sends an example; messages to careless clients need only the same fields."""
    shown = json.loads(example)
    alike = [message for message in sent(name)[shown["type"]] if message.keys() == shown.keys()]
    if shown.get("status", "accepted") == "accepted":
        return any(is_shown(shown, message) for message in alike)
    fields = {key: each for key, each in shown.items() if key != "type"}
    return bool(alike) and all(is_of(description.fields[key].type, each, CHECKS) for key, each in fields.items())


@every_page
def test_every_example_of_a_server_message_is_sent(name: str) -> None:
    """The server sends each example of a page in one of the games, and each message has one."""
    listed = from_server(name)
    for type_, own in described(name, "server").items():
        assert own.examples, type_
        for example in own.examples:
            assert _is_sent(name, example, listed[type_]), example


def test_every_common_example_is_sent() -> None:
    """The server sends each example of mjai.md in one of the dialects, and each message has one."""
    for type_, description in common().items():
        assert description.examples, type_
        for example in description.examples if type_ != "error" else ():
            assert any(_is_sent(name, example, from_server(name)[type_]) for name in PAGES), example


@every_page
def test_every_message_of_a_client_is_described(name: str) -> None:
    """The page has the types of replies that are read, and each is described with the fields that are read."""
    listed = from_client(name)
    read = {type_: _read_fields(type_) for type_ in actions._READ}
    assert listed.keys() - {"join"} == read.keys()
    for type_, fields in read.items():
        extra = {"request_id"} if name == "mjai-websocket.md" else set()
        assert listed[type_].fields.keys() == fields | extra, type_


class _Noted(dict[str, Any]):
    """A reply that notes which of its fields are read."""

    def __init__(self, fields: Message) -> None:
        super().__init__(fields)
        self.read: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.read.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self.read.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.read.add(str(key))
        return super().__contains__(key)


def _read_fields(type_: str) -> set[str]:
    """Return the fields that the server reads in a reply of a type, on the own turn and on another's tile."""
    read: set[str] = set()
    for phase, fields in itertools.product((Phase.TURN, Phase.CALL), _FORMS):
        asked = actions.MjaiQuestion(1, 0 if phase is Phase.CALL else 1, FakeQuestion(phase, parse_mjai_face("2m")))
        reply = _Noted({"type": type_, **fields})
        with contextlib.suppress(WireError):
            actions.read_reply(reply, asked)
        read |= reply.read
    return read - {"type"}


_FORMS: tuple[Message, ...] = (
    {},
    {"pai": "2m"},
    *({"pai": "2m", "actor": 1, "target": 1, "consumed": ["2m"] * count} for count in (2, 3, 4)),
)
"""Fields that lead through every branch of the readers."""


def test_every_example_of_a_client_message_is_said() -> None:
    """A client of ours says each example in one of the games, or the server reads it as a reply."""
    said = [message for name in PAGES for message in replied(name)]
    for name in PAGES:
        for type_, description in from_client(name).items():
            assert description.examples, type_
            for example in description.examples:
                shown = json.loads(example)
                assert any(is_shown(shown, message) for message in said) or _is_read(shown), example


def _is_read(message: Message) -> bool:
    """Tell whether a message without a game is one that the server reads."""
    if message["type"] == "join":
        return (
            "name" not in message or read_join(json.dumps(message).encode()).hello.introduction.name == message["name"]
        )
    read = actions.read_reply(message, actions.MjaiQuestion(1, 1, FakeQuestion(Phase.TURN, parse_mjai_face("2m"))))
    return read.verb in Verb


@every_page
def test_the_readers_of_our_client_read_the_examples(name: str) -> None:
    """The client's reader takes the examples of a whole conversation: those of the transcripts, in their order."""
    for transcript in blocks(read_page(name), "transcript"):
        reader = MjaiReader()
        if '"start_game"' not in "".join(transcript):
            continue
        told = [line[2:] for line in transcript if line.startswith("<")]
        events = [event for text in told for message in messages_in(text) for event in reader.read(message)]
        assert isinstance(events[0], GameStarted)
        assert isinstance(events[-1], GameEnded)


@each_row(("page", "name"), [*((name, name) for name in PAGES), (MESSAGES, "mjai-tcp.md")])
def test_every_transcript_is_played(page: str, name: str) -> None:
    """Each transcript is a part of the conversation in one of the scenes; the first one of a dialect is a whole one."""
    transcripts = blocks(read_page(page), "transcript")
    assert len(transcripts) > 1
    for place, transcript in enumerate(transcripts):
        found = [
            conversation
            for dialect in PAGES[name]
            for conversation in conversations(dialect)
            if shows(transcript, conversation)
        ]
        assert found, transcript
        if not place and page == name:
            assert len(parts_of(transcript)) == 1
            assert len(parts_of(transcript)[0]) == len(found[0])


@every_page
def test_every_offer_is_a_reply(name: str) -> None:
    """The actions that the server offers are described as messages of the client, with the same types."""
    listed = from_client(name)
    offers = [
        offer for messages in sent(name).values() for each in messages for offer in each.get("possible_actions", [])
    ]
    for offer in offers:
        fields = listed[offer["type"]].fields
        for key, content in offer.items():
            assert key == "type" or is_of(fields[key].type, content, CHECKS), offer


def test_every_reason_is_named() -> None:
    """The reasons of ``ryukyoku`` are those that gimite's server writes."""
    reasons = [GIMITE.draws[reason] for reason in DrawReason]
    assert values_of(common()["ryukyoku"].fields["reason"].type) == reasons


def test_the_names_that_differ_are_those_of_the_code() -> None:
    """The name of the ura indicators is the one that the dialect writes."""
    told = rows(section(read_page(MESSAGES), "Names that differ"))
    ura = [f"`{wording.ura_markers}`" for wording in (GIMITE, MORTAL, RIICHILAB)]
    assert [row[1:] for row in told if "ura indicators" in row[0]] == [ura]


def test_the_notes_of_a_bot_are_described() -> None:
    """``log`` and ``meta`` are the fields that the server reads besides those of the reply, cut at the same length."""
    text = section(read_page(MESSAGES), "Notes on a reply")
    reply = _Noted(json.loads(blocks(text, "json")[0][0]))
    note = read_note(reply)
    assert fields_of(text).keys() == reply.read
    assert note is not None
    assert note.log
    assert note.meta
    assert text.count(f"{MAX_NOTE:,} characters") == 2


def test_the_join_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages have the fields that the server reads in a ``join``; in lines it only asks for reasons."""
    read: set[str] = set()

    def noted(message: bytes) -> Message:
        fields = _Noted(json.loads(message))
        fields.read = read
        return fields

    monkeypatch.setattr(session_base, "read_object", noted)
    read_join(b'{"type":"join","name":"a"}')
    asks_for_reasons(b'{"type":"join"}')
    assert from_client("mjai-tcp.md")["join"].fields.keys() == read - {"type"}
    assert from_client("mjai-lines.md")["join"].fields.keys() == {"explain"}


@each_row("name", ["mjai-tcp.md", "mjai-lines.md"])
def test_every_outcome_of_a_reply_is_described(name: str) -> None:
    """The table of ``ack`` has the fields and outcomes that a careless client receives, and no others."""
    fields = fields_of(section(read_page("mjai-tcp.md"), "Replies that do not count"))
    outcomes = [message["ack"] for messages in sent(name).values() for message in messages if "ack" in message]
    check_messages(fields, outcomes, CHECKS)
    assert {ack["status"] for ack in outcomes} == set(values_of(fields["status"].type))
    assert {ack["reason"] for ack in outcomes} <= {LATE, *(reason.value for reason in Reason)}


@every_page
def test_the_error_is_described(name: str) -> None:
    """``error`` has the fields that are sent."""
    for dialect in PAGES[name].values():
        session = dialect.session()
        session.error("why")
        ((error,),) = map(messages_in, session.take())
        assert error.pop("type") == "error"
        check_messages(common()["error"].fields, [error], CHECKS)


def test_every_question_is_described() -> None:
    """A table names each event after which a seat is asked, and the own ``reach``."""
    named = {word for row in rows(section(read_page(MESSAGES), "Questions")) for word in coded(row[0])}
    assert named == {"reach"}.union(*session_base.ASKED_ABOUT.values()) - {"nukidora"}  # another name of kita


def test_every_path_is_described() -> None:
    """The table of addresses has the paths of the dialect, with their tokens."""
    page = section(read_page("mjai-websocket.md"), "Transport")
    paths = [path for dialect, path in over(WebSocketPath) if dialect.name.startswith("mjai")]
    listed = {row[0]: row[2].split(".")[0] for row in rows(page) if "ws://" in row[0]}
    assert listed == {f"`ws://HOST:{PORTS[Service.HTTP]}/{path.path}`": path.token.value for path in paths}


@every_page
def test_figures_are_those_of_the_code(name: str) -> None:
    """Times and limits on the page are the constants of the code."""
    page = " ".join(read_page(name).split())
    for figure in FIGURES[name]:
        assert figure in page, figure


FIGURES: Mapping[str, tuple[str, ...]] = {
    "mjai-tcp.md": (
        f"TCP port {PORTS[Service.MJAI]}",
        f"| any other | {REPLY_SECONDS:.0f} seconds |",
        f"| `join` | {HELLO_SECONDS} seconds |",
    ),
    "mjai-lines.md": (),
    "mjai-websocket.md": (f"every {PING_INTERVAL} seconds",),
}
"""Sentences with constants of the code."""


def test_the_observation_is_described() -> None:
    """The tables of nested objects have the fields that are sent, of the right types."""
    page, requests = read_page("mjai-websocket.md"), sent("mjai-websocket.md")["request_action"]
    check_messages(fields_of(section(page, "The time of a request")), (each["time"] for each in requests), CHECKS)
    observations = [json.loads(b64decode(each["observation"])) for each in requests]
    check_messages({name: Field(type_, may_be_absent=False) for name, type_, _ in FIELDS}, observations, CHECKS)
    meanings = {name: coded(meaning) for name, _, meaning in FIELDS}
    assert {key for each in observations for melds in each["melds"] for meld in melds for key in meld} == set(
        meanings["melds"]
    )
    assert {key for each in observations for offer in each["_legal_actions"] for key in offer} == set(
        meanings["_legal_actions"]
    )


def test_every_status_of_a_request_is_described() -> None:
    """Each status is in the tables and is sent, and each reason for a stale reply is explained."""
    name = "mjai-websocket.md"
    statuses = [status.value for status in Status]
    assert values_of(from_server(name)["action_ack"].fields["status"].type) == statuses
    assert {ack["status"] for ack in sent(name)["action_ack"]} == set(statuses)
    text = section(read_page(name), "Replies that do not count")
    assert {coded(row[0])[0] for row in rows(text)} == set(statuses)
    assert set(coded(text)) >= {LATE, DECIDED, REPEATED, UNKNOWN}
