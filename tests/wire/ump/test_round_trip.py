"""Tests that rendered games are read back, as each seat and a spectator see them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from support.budgets import few
from support.rows import each_row

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.actions import Action, Discard, Riichi, Ron, Tsumo
from ump.model.events import Event, GameEnded, HandWon
from ump.model.seats import Seat
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.rules.ruleset import Length
from ump.table.receivers import Rendering
from ump.table.view import view
from ump.wire.session import Introduction, TableInfo
from ump.wire.ump.reader import QuestionAsked, ReadyAsked, SeatAssigned, UmpReader
from ump.wire.ump.render01 import Language, render
from ump.wire.ump.sentences01 import Hello
from ump.wire.ump.session import UmpSession


def carried(event: Event) -> Event:
    """Return the event without the facts that the wire does not carry."""
    if isinstance(event, HandWon):
        return replace(event, liable=None, value=replace(event.value, base=0))
    if isinstance(event, GameEnded):
        return replace(event, places=(), results=())
    return event


def chosen(rng: random.Random, legal: tuple[Action, ...]) -> Action:
    """Choose an action; wins are always taken, so that games have some."""
    wins = [action for action in legal if isinstance(action, (Ron, Tsumo))]
    return wins[0] if wins else rng.choice(legal)


def told_in(seed: int, preset: str) -> list[list[Event]]:
    """Return the events of an east-only game of random players, step by step."""
    rng = random.Random(seed)
    game = Game(replace(PRESETS[preset], length=Length.TONPU), "ABCD", seeded_deals(str(seed)))
    told = [game.begin()]
    while not game.over:
        if game.between_kyoku:
            told.append(game.proceed())
        else:
            seat, question = next(iter(game.questions.items()))
            told.append(game.answer(seat, chosen(rng, question.legal())))
    return told


@pytest.mark.no_cover
@each_row("seed", range(few(6)))
@each_row("preset", ["ump", "majsoul", "classic"])
def test_games_are_read_back(seed: int, preset: str) -> None:
    """The events that are read are those that the seat saw."""
    told = [event for events in told_in(seed, preset) for event in events]
    for seat in (0, 2, None):
        reader, language = UmpReader(), Language.ENGLISH if seat else Language.JAPANESE
        lines = [text for event in told for text in render(view(event, seat), seat, language)]
        heard = [item for number, line in enumerate(lines) for item in reader.read(f"{number} {line}")]
        assert heard[0] == SeatAssigned(seat)
        assert heard[1:] == [carried(view(event, seat)) for event in told]


def session_of(seat: Seat, **wishes: object) -> UmpSession:
    """Return a session at a table, whose client has asked for these extensions."""
    options = " ".join(f"{name}={value}" for name, value in wishes.items())
    session = UmpSession(Hello((("ump", "0.1"), ("name", "ump"))))
    session.greet()
    assert isinstance(session.receive(f"0 hello name=x {options}".encode(), 0.0).introduction, Introduction)  # type: ignore[union-attr]
    session.sit(seat, TableInfo("main-1", PRESETS["ump"]))
    session.take()
    return session


@each_row("seed", range(3))
def test_questions_are_read_back(seed: int) -> None:
    """Phase, tile and offers are read; the drawn tile and an equal one of the hand are one offer."""
    rng = random.Random(seed)
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
