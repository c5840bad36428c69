"""Whole games that are read back, as each seat and a spectator see them, in UMP 0.1 and 0.2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from support.budgets import few, some
from support.rows import each_row
from support.session_table import SessionTable, ump02

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model import events as ev
from ump.model.actions import Action, Discard, Riichi, Ron, Tsumo
from ump.model.melds import MeldType
from ump.model.seats import LETTERS, Seat
from ump.model.yaku import HandValue, Yaku
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.rules.ruleset import Length
from ump.table.messages import Ask
from ump.table.receivers import Rendering
from ump.table.view import view
from ump.wire.session import Introduction, Session, TableInfo
from ump.wire.ump.answers import write_action, write_action_02
from ump.wire.ump.reader import ClientEvent, QuestionAsked, ReadyAsked, SeatAssigned, UmpReader
from ump.wire.ump.render01 import Language, render
from ump.wire.ump.sentences01 import Hello
from ump.wire.ump.session import UmpSession
from ump.wire.ump.speech import Speech01, repeated


def both() -> list[Session]:
    """Return a session of each version for one seat; the table takes the answers of the first, 0.2."""
    other = UmpSession(Hello(()))
    other.greet()
    other.receive(b"0 hello", 0.0)
    other.take()
    return [ump02(), other]


def played(seed: int, preset: str, sessions: list[list[Session]]) -> SessionTable:
    """Return an east-only game of players that prefer riichi, kans and wins."""
    ruleset = replace(PRESETS[preset], length=Length.TONPU)
    game = Game(ruleset, tuple(LETTERS[: ruleset.seats]), seeded_deals(str(seed), ruleset.seats))
    session_table = SessionTable(game, sessions)

    def write(seat: Seat, action: Action, ask: Ask) -> str:
        if sessions[seat][0].DIALECT == Speech01.DIALECT:
            return write_action(action)
        assert ask.question is not None
        return write_action_02(action, ask.question.tile, ask.question.hand.concealed)  # as one for libump would

    session_table.to_the_end(Random(seed), write)
    return session_table


def read(reader: UmpReader, lines: list[str]) -> list[ClientEvent]:
    """Return all that a reader makes of these lines."""
    return [item for line in lines for item in reader.read(line)]


def events_of(items: list[ClientEvent]) -> Iterator[ev.Event]:
    """Yield the events of the game only."""
    for item in items:
        if not isinstance(item, SeatAssigned | QuestionAsked | ReadyAsked):
            assert not hasattr(item, "reason") or isinstance(item, ev.KyokuDrawn)
            yield item  # type: ignore[misc]


DORA = (Yaku.DORA, Yaku.URA_DORA, Yaku.RED_DORA)


def carried_in_01(event: ev.Event) -> ev.Event:
    """Return the event without the facts that 0.1 does not carry."""
    if isinstance(event, ev.HandWon):
        return replace(event, liable=None, value=replace(event.value, base=0))
    if isinstance(event, ev.GameEnded):
        return replace(event, places=(), results=())
    return event


def carried_in_02(event: ev.Event) -> ev.Event:
    """Return the event without the facts that 0.2 does not carry."""
    if isinstance(event, ev.HandWon):
        dora = sum(han for yaku, han in event.value.yaku if yaku in DORA)
        yaku = [(name, han) for name, han in event.value.yaku if name not in DORA]
        if dora:
            yaku.append((Yaku.DORA, dora))
        worth = HandValue(tuple(yaku), event.value.han, event.value.fu, event.value.yakuman, 0)
        return replace(event, liable=None, value=worth)
    if isinstance(event, ev.GameEnded):
        return replace(event, points=())
    return event


GAMES = [(seed, preset) for preset in ("ump", "majsoul", "classic", "tenhou3") for seed in range(few(4))]


@cache
def told_in_02(seed: int, preset: str) -> SessionTable:
    """Return a game in which all sessions are 0.2."""
    return played(seed, preset, [[ump02()] for _ in range(PRESETS[preset].seats)])


@each_row(("seed", "preset"), GAMES)
def test_games_of_02_are_read_back(seed: int, preset: str) -> None:
    """Every event is read as the seat saw it, in its order; ids only grow, and no word is empty."""
    session_table = told_in_02(seed, preset)
    for seat, (lines,) in enumerate(session_table.lines):
        assert list(events_of(read(UmpReader("0.2"), lines))) == [
            carried_in_02(event) for event in session_table.seen_by(seat)
        ]
        assert [int(line.split()[0]) for line in lines] == list(range(1, len(lines) + 1))
        assert all(line.isascii() and line.isprintable() and "" not in line.split(" ") for line in lines)


@each_row(("seed", "preset"), GAMES)
def test_games_of_01_are_read_back(seed: int, preset: str) -> None:
    """The events that are read are those that the seat, or a spectator, saw."""
    told = told_in_02(seed, preset).events
    for seat in (0, 2, None):
        language = Language.ENGLISH if seat else Language.JAPANESE
        texts = [text for event in told for text in render(view(event, seat), seat, language)]
        first, *heard = read(UmpReader(), [f"{number} {text}" for number, text in enumerate(texts)])
        assert first == SeatAssigned(seat)
        assert heard == [carried_in_01(view(event, seat)) for event in told]


@pytest.mark.no_cover
@each_row(("seed", "preset"), GAMES)
def test_repeated_games_of_02_are_read_back(seed: int, preset: str) -> None:
    """A client that comes back receives no ``say``, but misses only shown hands and who was noten."""
    session_table = told_in_02(seed, preset)
    missing = (ev.TenpaiDeclared, ev.HandOpened, ev.RonDeclared)
    for seat, (lines,) in enumerate(session_table.lines):
        sentences = [line.split(" ", 1)[1] for line in lines]
        repeats = repeated(sentence for sentence in sentences if not sentence.split(" ")[0].endswith("?"))
        again = [f"{number} {sentence}" for number, sentence in enumerate(repeats)]
        expected = [carried_in_02(event) for event in session_table.seen_by(seat) if not isinstance(event, missing)]
        read_again = events_of(read(UmpReader("0.2"), again))
        assert [event for event in read_again if not isinstance(event, missing)] == expected


def test_the_games_contain_rare_events() -> None:
    """The seeds are chosen for these events."""
    told = [event for seed, preset in GAMES for event in told_in_02(seed, preset).events]
    assert {type(event) for event in told} >= {
        ev.KanDeclared,
        ev.KitaDeclared,
        ev.RiichiPaid,
        ev.TileCalled,
        ev.TenpaiDeclared,
        ev.KyokuDrawn,
    }
    assert any(isinstance(event, ev.HandWon) and event.ura for event in told)
    assert any(isinstance(event, ev.TileCalled) and event.meld.type is MeldType.DAIMINKAN for event in told)
    assert {event.meld.type for event in told if isinstance(event, ev.KanDeclared)} == {MeldType.ANKAN, MeldType.KAKAN}


@pytest.mark.no_cover
@each_row("seed", some(range(4, 8), 2))
def test_both_versions_carry_the_same_game(seed: int) -> None:
    """Each seat has a 0.1 and a 0.2 session, one of which answers."""
    sessions = [both() if seat % 2 else both()[::-1] for seat in range(len(LETTERS))]
    session_table = played(seed, "ump", sessions)
    for seat, at in enumerate(sessions):
        at_02 = 1 if at[0].DIALECT == Speech01.DIALECT else 0
        in_02 = read(UmpReader("0.2"), session_table.lines[seat][at_02])
        in_01 = read(UmpReader(), session_table.lines[seat][1 - at_02])
        assert _comparable(in_01) == _comparable(in_02)


def _comparable(items: list[ClientEvent]) -> list[object]:
    """Return the items without ids, and without facts that only one version carries."""
    kept: list[object] = []
    for item in items:
        match item:
            case ev.GameEnded():
                kept.append(ev.GameEnded)
            case QuestionAsked(_, phase, tile):
                kept.append((phase, tile))
            case ReadyAsked():
                kept.append(ReadyAsked)
            case ev.HandWon():
                kept.append(carried_in_02(item))
            case _:
                kept.append(item)
    return kept


# Questions


def chosen(rng: Random, legal: tuple[Action, ...]) -> Action:
    """Choose an action; wins are always taken, so that games have some."""
    wins = [action for action in legal if isinstance(action, (Ron, Tsumo))]
    return wins[0] if wins else rng.choice(legal)


def session_of(seat: Seat, **wishes: object) -> UmpSession:
    """Return a session at a table, whose client has asked for these extensions."""
    options = " ".join(f"{name}={value}" for name, value in wishes.items())
    session = UmpSession(Hello((("ump", "0.1"), ("name", "ump"))))
    session.greet()
    assert isinstance(session.receive(f"0 hello name=x {options}".encode(), 0.0).introduction, Introduction)  # type: ignore[union-attr]
    session.sit(seat, TableInfo("main-1", PRESETS["ump"]))
    session.take()
    return session


@each_row("seed", some(range(3)))
def test_questions_are_read_back(seed: int) -> None:
    """Phase, tile and offers are read; the drawn tile and an equal one of the hand are one offer."""
    rng = Random(seed)
    game = Game(replace(PRESETS["ump"], length=Length.TONPU), "ABCD", seeded_deals(str(seed)))
    sessions = [session_of(seat, _offer=1) for seat in range(4)]
    readers = [UmpReader() for _ in range(4)]
    events = game.begin()
    asked = 0
    while not game.over:
        for seat in range(4):
            for event in events:
                sessions[seat].tell(Rendering(event), 0.0)
            for line in sessions[seat].take():
                readers[seat].read(line)
        if game.between_kyoku:
            for seat in range(4):
                sessions[seat].ask(0, None, 10, 0, 0.0)
                (line,) = sessions[seat].take()
                assert [type(item) for item in readers[seat].read(line)][-1] is ReadyAsked
            events = game.proceed()
            continue
        seat, question = next(iter(game.questions.items()))
        sessions[seat].ask(asked, question, 10, 20, 0.0)
        (line,) = sessions[seat].take()
        heard = readers[seat].read(line)[-1]
        assert isinstance(heard, QuestionAsked)
        assert (heard.phase, heard.tile) == (question.phase, question.tile)
        assert heard.id == int(line.split()[0])
        assert heard.offers is not None
        assert set(heard.offers) == {as_offered(action, question) for action in question.legal()}
        events = game.answer(seat, chosen(rng, question.legal()))
        asked += 1
    assert asked > 100


def as_offered(action: Action, question: Question) -> Action:
    """Return an action as offers are read: they do not tell the drawn tile from an equal one of the hand."""
    if isinstance(action, (Discard, Riichi)):
        return replace(action, tsumogiri=action.face == question.tile)
    return action
