"""docs/protocols/ump-0.2.md: words and the transcript; the forms of all sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from support.careless_games import careless_game
from support.dialect_clients import Ump02Client, ump01
from support.page_scenes import conversations
from support.protocol_page import blocks, coded, parts_of, read_page, section, shows
from support.rows import each_row
from support.sentence_forms import Form, check_sentences
from support.session_table import FakeQuestion, SessionTable, ump02
from support.swapped_tiles import DialectUnderTest

from ump.game.arranged_wall import build_wall
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
from ump.wire.ump.answers import COMMANDS_01, COMMANDS_02, write_action_02
from ump.wire.ump.sentences01 import SERVER_NAMED as SERVER_NAMED_01
from ump.wire.ump.sentences01 import Hello
from ump.wire.ump.sentences02 import SERVER_NAMED, Ack
from ump.wire.ump.session import UmpSession

PAGE = read_page("ump-0.2.md")

ALICE = 1
"""Alice's seat; the page shows her connection."""

WORDS = dict(pattern for each in SERVER_NAMED.values() for pattern in each.PATTERNS.items())
"""The words of the forms of sentences, as regular expressions."""

GAMES = 8
"""Careless games."""


def forms() -> list[Form]:
    """Return the forms of the server's sentences, without ``ack``, which it does not send."""
    forms = [each.FORM for each in SERVER_NAMED.values() if each is not Ack]
    return [Form(form.removesuffix(" [_time=<time>]").removesuffix(" [_last]"), WORDS) for form in forms]


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
    """Each form and each optional word of one is sent, and nothing else."""
    check_sentences(forms(), sentences())


@each_row("name", {*COMMANDS_02, *SERVER_NAMED} - {*COMMANDS_01, *SERVER_NAMED_01})
def test_every_word_that_differs_is_named(name: str) -> None:
    """The page has each sentence that 0.1 does not have."""
    text = section(PAGE, "Lines") + section(PAGE, "Differences to 0.1")
    assert any(name in words.split() for words in coded(text)), name


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
    """A table and a session produce the parts of the transcript, from alice's answers."""
    (transcript,) = blocks(PAGE, "transcript")
    parts = parts_of(transcript)
    said = iter([line[2:] for part in parts for line in part if line.startswith(">")])
    played = replayed(said)
    assert shows(transcript, played)
    assert (parts[0][0], parts[-1][-1]) == (played[0], played[-1])
    assert next(said, None) is None
