"""Tests docs/protocols/ump-0.1.md against the code: lists, examples, limits and the transcript of a game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ump.check.arrangement import build_wall
from ump.game.deals import Deal
from ump.game.game import Game
from ump.host.inputs import Answer, Begin, Input
from ump.host.receivers import SeatedClient
from ump.host.table_host import TableHost
from ump.model.actions import Action, Discard, Riichi
from ump.model.claims import Claim, Reason, Verb
from ump.model.events import DrawReason
from ump.model.notation import parse_ump_face
from ump.model.phases import Phase
from ump.model.seats import LETTERS
from ump.net.limits import HELLO_SECONDS, IDLE_PER_SECOND, MAX_UNSENT
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.table.clock import TimeControl
from ump.table.table import Table
from ump.wire.session import Answered, Farewell, Introduced, TableInfo, Unreadable
from ump.wire.text import MAX_LINE, MAX_NAME, MAX_WRITTEN
from ump.wire.ump01.hello_options import MAX_GAMES
from ump.wire.ump01.server_messages import Call, Hello
from ump.wire.ump01.session import FAREWELL_SECONDS, Ump01Session
from ump.wire.ump01.vocabulary import CLIENT_NAMED, SERVER_NAMED, read_sentence
from ump.wire.ump02.dialect import EXTENSIONS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "protocols" / "ump-0.1.md").read_text(encoding="utf-8")

ALICE = 1
"""Alice's seat; the page shows her connection."""


def section(title: str) -> str:
    """Return the text below a heading."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(text: str) -> Iterator[list[str]]:
    """Yield the cells of each row of the tables in a text."""
    for line in text.splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in line.strip("|").replace("\\|", "&").split(" | ")]


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


def test_every_reason_is_explained() -> None:
    """The tables of refusals and of draws list all reasons in their order."""
    refusals = [coded(row[0])[0] for row in rows(section("Refusals")) if coded(row[0])]
    assert refusals == [reason.value for reason in Reason]
    draws = section("What the server says").split("Reasons of `ryukyoku`")[1]
    assert [coded(row[0])[0] for row in rows(draws) if coded(row[0])] == [
        reason.value for reason in DrawReason if reason is not DrawReason.EXHAUSTED
    ]


def test_every_call_is_named() -> None:
    """The row of ``say`` lists every call."""
    (row,) = [row for row in rows(section("What the server says")) if row[0].startswith("`say ")]
    assert coded(row[2]) == [call.value for call in Call]


def test_every_extension_is_explained() -> None:
    """The table of options lists every extension of the server's hello."""
    options = {word.partition("=")[0] for row in rows(section("Hello")) for word in coded(row[0])}
    assert options >= {*EXTENSIONS, "ump", "name", "user", "password"}


def test_limits_are_those_of_the_code() -> None:
    """The numbers on the page are the constants of the code."""
    limits = " ".join(section("Limits").split())
    assert f"{MAX_LINE:,} bytes" in limits
    assert f"{HELLO_SECONDS} seconds" in limits
    assert f"{MAX_NAME} characters" in limits
    assert f"{IDLE_PER_SECOND:,} in a second" in limits
    assert f"{MAX_UNSENT // 1024} KiB" in limits
    assert f"{MAX_WRITTEN:,} characters" in section("Lines")
    assert f"at most {MAX_GAMES:,}" in section("Hello")
    assert FAREWELL_SECONDS == 5
    assert "five seconds" in section("The end of a connection")
    assert str(TimeControl()) == "10+20"
    assert "10 seconds and 20" in section("Time")


@pytest.mark.parametrize(
    ("title", "named"), [("What the server says", SERVER_NAMED), ("Questions and answers", CLIENT_NAMED)]
)
def test_examples_are_read(title: str, named: dict[str, type]) -> None:
    """Every example in the tables is read as a sentence and written the same."""
    examples = [
        example
        for row in rows(section(title))
        if len(row) == 3 and row[1] != "example" and coded(row[0])
        for example in coded(row[1])
        if ".." not in example
    ]
    assert len(examples) > 8
    for example in examples:
        if title == "Questions and answers" and example.split()[0] not in named:
            continue  # a row of the table of questions, which has remarks there
        sentence = read_sentence(named, f"1 {example}")[1]
        assert sentence is not None
        assert sentence.serialise() == example


@pytest.mark.parametrize("line", re.findall(r"^(?:sutehai|naku)\? .*$", section("Offers"), re.MULTILINE))
def test_offers_are_read(line: str) -> None:
    """The questions with offers are read as sentences and written the same."""
    sentence = read_sentence(SERVER_NAMED, f"1 {line}")[1]
    assert sentence is not None
    assert sentence.serialise() == line


def test_links_have_headings() -> None:
    """Every link within the page has its heading."""
    anchors = {
        re.sub("[^a-z -]", "", title.lower()).replace(" ", "-") for title in re.findall("^## (.*)$", PAGE, re.MULTILINE)
    }
    assert set(re.findall(r"\(#([^)]*)\)", PAGE)) == anchors


def written_game() -> list[str]:
    """Return the lines of the game on the page, without remarks."""
    block = section("A short game").split("```transcript\n")[1].split("```")[0]
    return [re.split(r" {3,}", line)[0].rstrip() for line in block.splitlines()]


class Play:
    """The game on the page, played again: with alice's lines from the page, and new lines of the server."""

    def __init__(self) -> None:
        hands = {
            "A": "119m119p119s2346z",
            "B": "340m22456p67s66z1m",
            "C": "258m258p258s1345z",
            "D": "123m567p345s1133z",
        }
        wall = build_wall(hands, "9m7z4z8s", dora="3p")
        ruleset = replace(PRESETS["ump"], length=Length.KYOKU)
        names = ("carol", "alice", "bob", "山田")
        options = (("ump", "0.1"), ("name", "ump"), ("_rule", "ump"), ("_length", "kyoku"))
        self.session = Ump01Session(Hello((*options, ("_ext", "_offer,_explain,_lang"))))
        self.table = Table(Game(ruleset, names, lambda at: Deal(wall, (3, 5))), TimeControl())
        self.host = TableHost(self.table, [SeatedClient(self, ALICE)])
        self.others: Iterator[Action] = iter(
            [
                Discard(parse_ump_face("6z")),
                Discard(parse_ump_face("7z"), tsumogiri=True),
                Riichi(parse_ump_face("4z"), tsumogiri=True),
                Discard(parse_ump_face("8s"), tsumogiri=True),
            ]
        )
        self.said = iter([line[2:] for line in written_game() if line.startswith(">")])
        self.lines: list[str] = []

    def run(self) -> list[str]:
        """Play the game, and return the transcript."""
        self.session.greet()
        self.hear()
        assert isinstance(self.say(), Introduced)
        self.session.wait(3, 4)
        self.session.sit(ALICE, TableInfo("main-1", self.table.game.ruleset))
        self.take(Begin())
        while self.table.end is None:
            self.take(self.decide())
        self.session.bye()
        self.hear()
        assert isinstance(self.say(), Farewell)
        return self.lines

    def hear(self) -> None:
        """Record the server's lines to alice."""
        self.send(self.session.take())

    def say(self) -> object:
        """Send alice's next line, and return the result of the session."""
        line = next(self.said)
        self.lines.append(f"> {line}")
        return self.session.receive(line.encode(), 0.0)

    def decide(self) -> Answer:
        """Answer one open question: alice's from the page, the others' from their list; the others pass calls."""
        asked = {seat: chair.open for seat, chair in enumerate(self.table.chairs) if chair.open is not None}
        if ALICE in asked:
            received = self.say()
            assert isinstance(received, Answered | Unreadable)
            return Answer(ALICE, received.number, received.answer if isinstance(received, Answered) else None)
        seat, ask = next(iter(asked.items()))
        if ask.question is None:
            return Answer(seat, ask.number, Claim(Verb.YES))
        action = next(self.others) if ask.question.phase is Phase.TURN else ask.question.default()
        return Answer(seat, ask.number, action)

    def take(self, given: Input) -> None:
        """Pass the table's messages on to alice's session."""
        for client, lines in self.host.deliver(self.host.step(given, 0), 0, 0.0).sent:
            client.send(lines)

    def send(self, lines: list[str]) -> None:
        """Write down the server's lines."""
        self.lines += [f"< {line}" for line in lines]


def test_the_game_on_the_page_is_real() -> None:
    """A table and a session produce the transcript, line for line, from alice's answers."""
    assert LETTERS[ALICE] == "B"
    assert Play().run() == written_game()
