"""docs/protocols/ump-0.2.md: sentences, words, errors, examples and transcripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from support.careless_games import careless_game
from support.dialect_clients import Ump02Client, ump01
from support.page_scenes import conversations
from support.protocol_page import (
    blocks,
    coded,
    parts_of,
    read_page,
    rows,
    section,
    shows,
    texts_of_errors,
)
from support.rows import each_row
from support.sentence_forms import Form, check_sentences, check_words, forms_in
from support.session_table import FakeQuestion, SessionTable, ump02
from support.swapped_tiles import DialectUnderTest

from ump.bots.check.situation import build_wall
from ump.game.deals import Deal
from ump.game.game import Game
from ump.model.actions import Action, Discard, Riichi
from ump.model.commitments import PlayerSeed, commitments_in, text_commitment_of
from ump.model.notation import parse_ump_face
from ump.model.phases import Phase
from ump.model.seats import PLAYERS
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.wire.session import Introduced, Session, TableInfo
from ump.wire.ump import speech
from ump.wire.ump.answers import COMMANDS_02, read_claim_02, write_action_02
from ump.wire.ump.sentences01 import Hello
from ump.wire.ump.sentences02 import SERVER_NAMED, Ack, read_sentence
from ump.wire.ump.session import UmpSession
from ump.wire.ump.words import Call

PAGE = read_page("ump-0.2.md")

ALICE = 1
"""Alice's seat; the page shows her connection."""

WORDS = dict(pattern for each in SERVER_NAMED.values() for pattern in each.PATTERNS.items())
"""The words of the forms of sentences, as regular expressions."""

GAMES = 8
"""Careless games."""


def forms() -> list[Form]:
    """Return the forms of the server's sentences, without ``ack``, which it does not send."""
    questions = section(PAGE, "Questions and answers").partition("The words after")[0]
    text = section(PAGE, "What the server says").partition("### Words")[0] + questions
    return [form for form in forms_in(text, WORDS) if form.command != Ack.NAME]


def sentences() -> Iterator[str]:
    """Yield the sentences of the server in many games, without their ids."""
    careless = DialectUnderTest("ump 0.2", ump01, Ump02Client)
    lines = [line[2:] for said in conversations("ump-0.2") for line in said if line.startswith("<")]
    lines += [line for seed in range(GAMES) for line in careless_game(careless, seed)]
    for line in (*lines, *rare_lines()):
        yield line.partition(" ")[2]


def rare_lines() -> list[str]:
    """Return lines that no game above has: of extensions, and an error."""
    seated = ump02({"_explain": "1", "_resume": "1"})
    seated.wait(3, 4)
    seated.announce("Restart at 20:00.")
    seated.sit(0, TableInfo("main-1", RULES, "0" * 32))
    seated.ask(1, FakeQuestion(Phase.DECLARE), 10.0, 20.0, 0.0)
    seated.explain_timeout(1, 2)
    seated.error("why")
    lines = seated.take()
    for seats in PLAYERS:
        proving = ump02({"_seed": text_commitment_of(TEXT), "_proof": "1"})
        seeds = (None, PlayerSeed(text_commitment_of(TEXT), TEXT), *[None] * (seats - 2))
        proving.ask_seed("1" * 64, commitments_in(seeds))
        proving.sit(0, TableInfo("main-1", RULES, commitment="1" * 64, seeds=seeds))
        proving.publish("2" * 64)
        lines += proving.take()
    return lines


TEXT = "00112233445566778899aabbccddeeff"
"""The text that a player adds to the walls."""


def test_every_form_of_a_sentence_is_sent() -> None:
    """Each sentence has a form of the page, each form and each optional word is sent, and each word is explained."""
    listed = forms()
    check_words(PAGE, listed, WORDS)
    assert {form.text for form in listed} == {
        each.FORM.removesuffix(" [_time=<time>]") for each in SERVER_NAMED.values() if each is not Ack
    }
    check_sentences(listed, sentences())


def test_every_transcript_is_played() -> None:
    """The transcripts after the first are parts of the scenes."""
    transcripts = blocks(PAGE, "transcript")
    assert len(transcripts) > 4
    for transcript in transcripts[1:]:
        assert any(shows(transcript, said) for said in conversations("ump-0.2")), transcript


def test_every_error_is_explained() -> None:
    """The table has the errors that 0.1 does not have."""
    assert [coded(row[0])[0] for row in rows(section(PAGE, "Errors"))] == list(texts_of_errors(speech))


@each_row("name", SERVER_NAMED)
def test_every_sentence_of_the_server_is_explained(name: str) -> None:
    """Each sentence has a row in a table."""
    tables = section(PAGE, "What the server says") + section(PAGE, "Questions and answers")
    assert name in {word.split()[0] for row in rows(tables) for word in coded(row[0])}


@each_row("name", COMMANDS_02)
def test_every_sentence_of_a_client_is_explained(name: str) -> None:
    """Each sentence is an answer in a table of questions or answers."""
    table = section(PAGE, "Questions and answers")
    assert name in {word.split()[0] for row in rows(table) for cell in row for word in coded(cell)}


def test_every_call_is_named() -> None:
    """The row of ``say`` lists every call."""
    (row,) = [row for row in rows(section(PAGE, "What the server says")) if row[0].startswith("`say ")]
    assert coded(row[2]) == [call.value for call in Call]


def _examples(title: str) -> list[str]:
    """Return the examples in the tables of a section."""
    return [
        row[1].strip("`")
        for row in rows(section(PAGE, title).partition("### Words")[0])
        if len(row) == 3 and coded(row[0]) and re.fullmatch("`[^`]+`", row[1])
    ]


def test_examples_of_sentences_are_read() -> None:
    """Every example is read as a sentence and written the same."""
    examples = _examples("What the server says")
    assert len(examples) >= len(SERVER_NAMED) - 5
    for example in examples:
        sentence = read_sentence(f"1 {example}")[1]
        assert sentence is not None
        assert sentence.serialise() == example


def test_examples_of_answers_are_read() -> None:
    """Every example is read as an answer."""
    examples = _examples("Questions and answers")
    assert len(examples) >= 10
    for example in examples:
        read_claim_02(tuple(example.split()))


def written_game() -> list[str]:
    """Return the lines of the game on the page, without remarks."""
    (lines,) = parts_of(blocks(section(PAGE, "A short game"), "transcript")[0])
    return lines


RULES = replace(PRESETS["ump"], length=Length.KYOKU)
OTHERS: list[Action] = [
    Discard(parse_ump_face("6z")),
    Discard(parse_ump_face("7z"), tsumogiri=True),
    Riichi(parse_ump_face("4z"), tsumogiri=True),
    Discard(parse_ump_face("8s"), tsumogiri=True),
]
"""The actions of the others on their turns. They pass all calls."""


def replayed(said: Iterator[str]) -> list[str]:
    """Play the game again with alice's lines, and return the transcript."""
    lines: list[str] = []
    alice = _introduced(said, lines)
    alice.wait(3, 4)
    hands = {"A": "119m119p119s2346z", "B": "340m22456p67s66z1m", "C": "258m258p258s1345z", "D": "123m567p345s1133z"}
    wall = build_wall(hands, "9m7z4z8s", dora="3p")
    game = Game(RULES, ("carol", "alice", "bob", "山田"), lambda at: Deal(wall, (3, 5)))
    session_table = SessionTable(game, [[ump02()], [alice], [ump02()], [ump02()]])
    others, heard = iter(OTHERS), 0
    while not session_table.is_over:
        new = session_table.lines[ALICE][0][heard:]
        lines += [f"< {line}" for line in new]
        heard += len(new)
        if ALICE in session_table.open:
            line = next(said)
            lines.append(f"> {line}")
            session_table.say(ALICE, line)
            continue
        seat, ask = next(iter(session_table.open.items()))
        number = session_table.lines[seat][0][-1].split()[0]
        if ask.question is None:
            session_table.say(seat, f"{number} yes")
        else:
            action = next(others) if ask.question.phase is Phase.TURN else ask.question.default()
            session_table.say(seat, f"{number} {write_action_02(action)}")
    return lines + [f"< {line}" for line in session_table.lines[ALICE][0][heard:]]


def _introduced(said: Iterator[str], lines: list[str]) -> Session:
    """Return alice's session after both hellos, which are added to the lines."""
    options = (
        ("ump", "0.1"),
        ("name", "ump"),
        ("_rule", "ump"),
        ("_length", "kyoku"),
        ("_ext", "_offer,_explain,_lang"),
    )
    first = UmpSession(Hello(options))
    first.greet()
    hello = next(said)
    lines += [f"< {line}" for line in first.take()] + [f"> {hello}"]
    assert isinstance(first.receive(hello.encode(), 0.0), Introduced)
    return first


def test_the_game_on_the_page_is_real() -> None:
    """A table and a session produce the transcript, line for line, from alice's answers."""
    written = written_game()
    assert replayed(iter([line[2:] for line in written if line.startswith(">")])) == written
