"""The client's reader of mjai: whole games back to events, and any object."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cache
from operator import attrgetter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.budgets import some
from support.rows import each_row

from ump.arena.play import play_game
from ump.model import events as ev
from ump.model.yaku import HandValue
from ump.players.efficiency import Efficiency
from ump.players.policy import Policy, RandomLegal
from ump.table.view import view
from ump.wire.mjai.events import GIMITE, MORTAL, RIICHILAB, MjaiNarrator, Wording
from ump.wire.mjai.read import PAID_DRAWS, MjaiReader
from ump.wire.text import WireError

SEAT = 2


def game(seed: int, rules: str = "tenhou") -> list[ev.Event]:
    """Return the events of a game, as one seat sees them."""
    policies: list[Policy] = [RandomLegal(Random(seed)), *(Efficiency() for _ in range(3))]
    return [view(event, SEAT) for event in play_game(policies, rules, seed=seed, names=("a", "b", "c", "d")).events]


def messages(events: list[ev.Event], wording: Wording = GIMITE) -> list[dict[str, Any]]:
    """Return the objects for events."""
    narrator = MjaiNarrator(SEAT, wording)
    return [message.content for event in events if (message := narrator.tell(event)) is not None]


def without_unsent(events: list[ev.Event]) -> list[ev.Event]:
    """Return events without what mjai does not say."""
    plain: list[ev.Event] = []
    for event in events:
        match event:
            case ev.KyokuStarted():
                plain.append(replace(event, dice=(1, 1)))
            case ev.HandWon():
                value = HandValue((), event.value.han, event.value.fu, event.value.yakuman, 0)
                plain.append(replace(event, value=value))
            case ev.GameEnded():
                plain.append(ev.GameEnded(event.points, (), ()))
            case ev.RonDeclared():
                pass
            case ev.RiichiDeclared():
                plain.append(ev.RiichiDeclared(event.seat))
            case _:
                plain.append(event)
    return plain


@pytest.mark.no_cover
@each_row(("rules", "wording"), [("tenhou", GIMITE), ("ump", RIICHILAB), ("mleague", MORTAL), ("wrc", GIMITE)])
@each_row("seed", some(range(8)))
def test_whole_games(seed: int, rules: str, wording: Wording) -> None:
    """The events come back in their order, but for what mjai does not say; hands at a draw come by seat."""
    events, reader = game(seed, rules), MjaiReader()
    read = [event for message in messages(events, wording) for event in reader.read(message)]
    assert reader.seat == SEAT
    for one, other in zip(in_order(without_unsent(events)), in_order(without_unsent(read)), strict=True):
        assert one == other


def in_order(events: list[ev.Event]) -> list[ev.Event]:
    """Return events with the hands shown at one draw sorted by seat."""
    ordered: list[ev.Event] = []
    shown: list[ev.HandOpened | ev.TenpaiDeclared] = []
    for event in events:
        if isinstance(event, ev.HandOpened | ev.TenpaiDeclared):
            shown.append(event)
        else:
            ordered += sorted(shown, key=attrgetter("seat"))
            shown = []
            ordered.append(event)
    return ordered


@cache
def one_game() -> list[dict[str, Any]]:
    """Return the messages of one game."""
    return messages(game(3))


@given(st.randoms(use_true_random=True), st.integers(1, 30))
def test_garbled_games_raise_only_wire_errors(chance: Random, rate: int) -> None:
    """Lost, repeated, moved and garbled objects are read or raise WireError, and nothing else."""
    reader = MjaiReader()
    for message in one_game():
        said: dict[str, Any] = dict(message)
        match chance.randrange(4 * rate):
            case 0:
                continue
            case 1:
                said = dict(chance.choice(one_game()))
            case 2:
                key = chance.choice(list(said))
                said[key] = chance.choice([None, 7, -1, "?", "1m", "x", [], {}, ["1m"] * 13, [1, 2, 3, 4], True])
            case 3:
                said.pop(chance.choice(list(said)))
        with suppress(WireError):
            reader.read(said)


@each_row(
    ("change", "problem"),
    [
        ({"type": "start_game", "id": 4}, "id must be a seat from 0 to 3"),
        ({"type": "start_game", "id": 0, "names": ["a"]}, "a game begins with 3 or 4 names"),
        ({"type": "chi", "actor": 0, "target": 3, "pai": "1m", "consumed": ["2m", "3m"]}, "nobody has discarded"),
        ({"type": "ankan", "actor": 0, "consumed": []}, "2 to 4 tiles"),
        ({"type": "kakan", "actor": 0, "pai": "1m", "consumed": ["1m"] * 3}, "a pon that does not exist"),
        ({"type": "dahai", "actor": 0, "pai": 5}, "a tile must be a string"),
    ],
)
def test_errors(change: dict[str, Any], problem: str) -> None:
    """The message says what is wrong."""
    with pytest.raises(WireError, match=problem):
        MjaiReader().read(change)


def test_scores_without_results() -> None:
    """If a server sends no results, the scores come with the next kyoku; without scores they stay as they were."""
    reader = MjaiReader()
    start = next(message for message in one_game() if message["type"] == "start_kyoku")
    reader.read({"type": "start_game", "id": 0})
    reader.read({**start, "scores": [1_000, 2_000, 3_000, 94_000]})
    (first, *_) = reader.read({key: start[key] for key in start if key != "scores"})
    assert isinstance(first, ev.KyokuStarted)
    assert first.points == (1_000, 2_000, 3_000, 94_000)


def test_results_without_payments_are_unknown() -> None:
    """A server that states neither deltas nor scores of a result does not say that nobody paid."""
    reader = MjaiReader()
    results = []
    for message in one_game():
        said = {key: message[key] for key in message if key not in ("deltas", "scores")}
        results += [each for each in reader.read(said) if isinstance(each, ev.HandWon | ev.KyokuDrawn)]
    paid = [each for each in results if isinstance(each, ev.HandWon) or each.reason in PAID_DRAWS]
    assert paid
    assert all(each.changes == () for each in paid)


def test_other_messages_are_no_events() -> None:
    """Questions, acknowledgements and unknown objects give nothing."""
    for message in ({"type": "hello"}, {"type": "request_action"}, {"type": "new"}, {}, {"type": 5}):
        assert MjaiReader().read(message) == []
