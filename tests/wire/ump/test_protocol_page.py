"""docs/protocols/ump-0.1.md: options, answers, reasons, examples and transcripts; the forms of all sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from support.careless_games import careless_game
from support.dialect_clients import UMP01
from support.page_scenes import conversations
from support.protocol_page import blocks, coded, parts_of, read_page, rows, section, shows
from support.rows import each_row
from support.sentence_forms import Form, check_sentences
from support.session_table import FakeQuestion
from support.yakuman import daisangen

from ump.game.arranged_wall import build_wall
from ump.game.deals import Deal
from ump.game.game import Game
from ump.model.actions import Action, Discard, Riichi
from ump.model.claims import Claim, Verb
from ump.model.commitments import PlayerSeed, commitments_in, text_commitment_of
from ump.model.events import DrawReason, GameEnded, GameStarted, KyokuDrawn
from ump.model.notation import parse_ump_face
from ump.model.phases import Phase
from ump.model.seats import LETTERS, PLAYERS
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.table.clock import TimeControl
from ump.table.messages import Answer, Begin, Input
from ump.table.receivers import Rendering, SeatedClient
from ump.table.table import Table
from ump.table.table_host import TableHost
from ump.wire.session import (
    MAX_GAMES,
    Answered,
    Farewell,
    Introduced,
    Member,
    MemberState,
    Profile,
    TableCard,
    TableInfo,
    Unreadable,
)
from ump.wire.text import MAX_WRITTEN
from ump.wire.ump.answers import COMMANDS_01
from ump.wire.ump.hello import EXTENSIONS, read_extensions, read_introduction, version_of
from ump.wire.ump.sentence import Call
from ump.wire.ump.sentences01 import SERVER_NAMED, Hello, read_sentence
from ump.wire.ump.session import UmpSession
from ump.wire.ump.speech import FAREWELL_SECONDS

PAGE = read_page("ump-0.1.md")

ALICE = 1
"""Alice's seat; the page shows her connection."""

WORDS = dict(pattern for each in SERVER_NAMED.values() for pattern in each.PATTERNS.items())
"""The words of the forms of sentences, as regular expressions."""

GAMES = 8
"""Careless games."""


def forms() -> list[Form]:
    """Return the forms of the server's sentences."""
    return [Form(each.FORM, WORDS) for each in SERVER_NAMED.values()]


def sentences() -> Iterator[str]:
    """Yield the sentences of the server in many games, with and without extensions, without their ids."""
    lines = [line[2:] for said in conversations("ump-0.1") for line in said if line.startswith("<")]
    lines += [line for seed in range(GAMES) for line in careless_game(UMP01, seed)]
    for line in (*lines, *rare_lines()):
        yield line.partition(" ")[2]


def rare_lines() -> list[str]:
    """Return lines that no game above has: of extensions, of spectators, and an error."""
    seated = UmpSession(Hello((("ump", "0.1"), ("name", "ump"))))
    seated.greet()
    key = b"_guest=" + b"k" * 22
    asked = seated.receive(
        b"0 hello name=ann _resume=1 _proof=1 _explain=1 _time=1 _results=1 _ping=1 _person=1 " + key, 0.0
    )
    assert isinstance(asked, Introduced)
    seated.wait(3, 4)
    seated.admit("ann")
    seated.show_card(TableCard("K7MQ2XAB", "tenhou", "tonpu", "5+10", has_bots=True, has_spectators=False, seats=4))
    for free in (None, Member("eva:x", MemberState.AWAY)):
        seated.list_members([Member("ann", MemberState.HOST), None, free])
        seated.list_members([Member("ann", MemberState.HOST), None, free, free])
    seated.count_down(20)
    for is_here in (False, True):
        seated.tell_presence(1, "bob", is_here=is_here)
    for few in ((), (Profile(is_bot=True, rating=1500),)):
        seated.tell_profiles((Profile(is_bot=True), Profile(False, 1523, is_provisional=True), Profile(False), *few))
    seated.tell_spectators(2)
    seated.receive(b"_ping", 0.0)
    seated.pass_on(1, "bob", 3)
    seated.announce("Restart at 20:00.")
    seated.sit(0, TableInfo("main-1", PRESETS["ump"], "0" * 32, "1" * 64))
    for phase in (None, Phase.DECLARE):
        seated.ask(1, None if phase is None else FakeQuestion(phase), 10.0, 20.0, 0.0)
    seated.explain_timeout(1, 2)
    for event in daisangen("C").events:
        seated.tell(Rendering(event), 0.0)
    seated.stand()
    seated.publish("2" * 64)
    watching = UmpSession(Hello((("ump", "0.1"),)))
    watching.ask(1, FakeQuestion(Phase.TURN), 10.0, 20.0, 0.0)  # without extensions
    watching.receive(b"0 hello _watch=main", 0.0)
    watching.watch()
    watching.tell(Rendering(GameStarted(("a", "b", "c", "d"))), 0.0)
    watching.tell(Rendering(KyokuDrawn(DrawReason.CHOMBO, (0, 0, 0, 0))), 0.0)
    watching.error("why")
    lines = seated.take() + watching.take()
    for seats in PLAYERS:
        proving = UmpSession(Hello((("ump", "0.1"),)))
        proving.receive(f"0 hello _results=1 _seed={text_commitment_of(TEXT)}".encode(), 0.0)
        seeds = (None, PlayerSeed(text_commitment_of(TEXT), TEXT), *[None] * (seats - 2))
        proving.ask_seed("1" * 64, commitments_in(seeds))
        proving.sit(0, TableInfo("main-1", PRESETS["ump"], commitment="1" * 64, seeds=seeds, record="20260401-main-1"))
        proving.tell(Rendering(GameEnded((25_000,) * seats, tuple(range(1, seats + 1)), (0,) * seats)), 0.0)
        lines += proving.take()
    return lines


TEXT = "00112233445566778899aabbccddeeff"
"""The text that a player adds to the walls."""


def test_every_form_of_a_sentence_is_sent() -> None:
    """Each form and each optional word of one is sent, and nothing else."""
    check_sentences(forms(), sentences())


def test_every_transcript_is_played() -> None:
    """The transcripts after the first are parts of the scenes."""
    transcripts = blocks(PAGE, "transcript")
    assert len(transcripts) > 1
    for transcript in transcripts[1:]:
        assert any(shows(transcript, said) for said in conversations("ump-0.1")), transcript


def test_every_option_of_a_hello_is_read() -> None:
    """The table of options has those that the server reads, and no others."""
    read: set[str] = set()

    class Noted(dict[str, str]):
        def get(self, key: str, default: Any = None) -> Any:
            read.add(key)
            return super().get(key, default)

        def __contains__(self, key: object) -> bool:
            read.add(str(key))
            return super().__contains__(key)

    options = Noted({"name": "ann"})
    read_introduction(options)
    read_extensions(options)
    version_of(options)
    listed = {word.partition("=")[0] for row in rows(section(PAGE, "Hello")) for word in coded(row[0])}
    assert listed == (read - {"lang"}) | {"_human"}  # the row of _lang names lang; the first line decides on _human
    assert "`lang=en`" in section(PAGE, "Hello")


@each_row("name", COMMANDS_01)
def test_every_sentence_of_a_client_is_explained(name: str) -> None:
    """Each sentence is an answer in a table of questions or answers."""
    table = section(PAGE, "Questions and answers")
    assert name in {word.split()[0] for row in rows(table) for cell in row for word in coded(cell)}


def test_every_call_is_named() -> None:
    """The row of ``say`` lists every call."""
    (row,) = [row for row in rows(section(PAGE, "What the server says")) if row[0] == "`say`"]
    assert coded(row[1]) == [call.value for call in Call]


def test_every_extension_is_explained() -> None:
    """The table of options lists every extension of the server's hello."""
    options = {word.partition("=")[0] for row in rows(section(PAGE, "Hello")) for word in coded(row[0])}
    assert options >= {*EXTENSIONS, "ump", "name", "user", "password"}


def test_limits_are_those_of_the_code() -> None:
    """The numbers on the page are the constants of the code."""
    assert f"{MAX_WRITTEN:,} characters" in section(PAGE, "Lines")
    assert f"at most {MAX_GAMES:,}" in section(PAGE, "Hello")
    assert FAREWELL_SECONDS == 5
    assert "five seconds" in section(PAGE, "Rooms and games")


@each_row(
    "line", re.findall(r"^(?:sutehai|naku)\? .*$", section(PAGE, "Offers") + section(PAGE, "Hints"), re.MULTILINE)
)
def test_offers_are_read(line: str) -> None:
    """The questions with offers are read as sentences and written the same."""
    sentence = read_sentence(f"1 {line}")[1]
    assert sentence is not None
    assert sentence.serialise() == line


def written_game() -> list[str]:
    """Return the lines of the game on the page, without remarks."""
    (lines,) = parts_of(blocks(section(PAGE, "A short game"), "transcript")[0])
    return lines


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
        self.session = UmpSession(Hello((*options, ("_ext", "_offer,_explain,_lang"))))
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
