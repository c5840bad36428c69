"""Tests docs/protocols/ump-0.2.md against the code: lists, examples and the transcript of a game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support.session_table import SessionTable, ump02

from ump.check.arrangement import build_wall
from ump.game.deals import Deal
from ump.game.game import Game
from ump.model.actions import Action, Discard, Riichi
from ump.model.notation import parse_ump_face
from ump.model.phases import Phase
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.wire.session import Introduced, Session
from ump.wire.ump01.server_messages import Call, Hello
from ump.wire.ump01.session import Ump01Session
from ump.wire.ump02.answers import read_claim, write_action
from ump.wire.ump02.session import VERSION, take_over
from ump.wire.ump02.vocabulary import CLIENT_NAMED, SERVER_NAMED, read_sentence

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "protocols" / "ump-0.2.md").read_text(encoding="utf-8")

ALICE = 1
"""Alice's seat; the page shows her connection."""


def section(title: str) -> str:
    """Return the text below a heading."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(text: str) -> Iterator[list[str]]:
    """Yield the cells of each row of the tables in a text."""
    for line in text.splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def coded(text: str) -> list[str]:
    """Return the code spans of a text."""
    return re.findall("`([^`]+)`", text)


@pytest.mark.parametrize("name", SERVER_NAMED)
def test_every_sentence_of_the_server_is_explained(name: str) -> None:
    """Each sentence has a row in a table."""
    tables = section("What the server says") + section("Questions and answers")
    assert name in {word.split()[0] for row in rows(tables) for word in coded(row[0])}


@pytest.mark.parametrize("name", CLIENT_NAMED)
def test_every_sentence_of_a_client_is_explained(name: str) -> None:
    """Each sentence is an answer in a table of questions or answers."""
    table = section("Questions and answers")
    assert name in {word.split()[0] for row in rows(table) for cell in row for word in coded(cell)}


def test_every_call_is_named() -> None:
    """The row of ``say`` lists every call."""
    (row,) = [row for row in rows(section("What the server says")) if row[0].startswith("`say ")]
    assert coded(row[2]) == [call.value for call in Call]


def _examples(title: str) -> list[str]:
    """Return the examples in the tables of a section."""
    return [
        row[1].strip("`")
        for row in rows(section(title))
        if len(row) == 3 and coded(row[0]) and re.fullmatch("`[^`]+`", row[1])
    ]


def test_examples_of_sentences_are_read() -> None:
    """Every example is read as a sentence and written the same."""
    examples = _examples("What the server says")
    assert len(examples) >= len(SERVER_NAMED) - 5
    for example in examples:
        sentence = read_sentence(SERVER_NAMED, f"1 {example}")[1]
        assert sentence is not None
        assert sentence.serialise() == example


def test_examples_of_answers_are_read() -> None:
    """Every example is read as an answer."""
    examples = _examples("Questions and answers")
    assert len(examples) >= 10
    for example in examples:
        read_claim(tuple(example.split()))


def test_links_have_headings() -> None:
    """Every link within the page has its heading."""
    titles = re.findall("^## (.*)$", PAGE, re.MULTILINE)
    anchors = {re.sub("[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles}
    assert set(re.findall(r"\(#([^)]*)\)", PAGE)) == anchors


def written_game() -> list[str]:
    """Return the lines of the game on the page, without remarks."""
    block = section("A short game").split("```transcript\n")[1].split("```")[0]
    return [re.split(r" {3,}", line)[0].rstrip() for line in block.splitlines()]


RULES = replace(PRESETS["ump"], length=Length.KYOKU)
OTHERS: list[Action] = [
    Discard(parse_ump_face("6z")),
    Discard(parse_ump_face("7z"), tsumogiri=True),
    Riichi(parse_ump_face("4z"), tsumogiri=True),
    Discard(parse_ump_face("8s"), tsumogiri=True),
]
"""The actions of the others on their turns. They pass all calls."""


def played(said: Iterator[str]) -> list[str]:
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
            session_table.say(seat, f"{number} {write_action(action)}")
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
    first = Ump01Session(Hello(options), {VERSION: take_over})
    first.greet()
    hello = next(said)
    lines += [f"< {line}" for line in first.take()] + [f"> {hello}"]
    received = first.receive(hello.encode(), 0.0)
    assert isinstance(received, Introduced)
    assert received.session is not None
    return received.session


def test_the_game_on_the_page_is_real() -> None:
    """A table and a session produce the transcript, line for line, from alice's answers."""
    written = written_game()
    assert played(iter([line[2:] for line in written if line.startswith(">")])) == written
