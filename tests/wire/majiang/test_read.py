"""The client's reader of Majiang: whole games back to events, and any message."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cache
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
from ump.rules.presets import PRESETS
from ump.table.view import view
from ump.wire.majiang.events import MajiangNarrator
from ump.wire.majiang.read import MajiangReader
from ump.wire.text import WireError

SEAT = 2


def game(seed: int, rules: str = "tenhou") -> list[ev.Event]:
    """Return the events of a game, as one seat sees them."""
    policies: list[Policy] = [RandomLegal(Random(seed)), *(Efficiency() for _ in range(3))]
    return [view(event, SEAT) for event in play_game(policies, rules, seed=seed, names=("a", "b", "c", "d")).events]


def messages(events: list[ev.Event], rules: str = "tenhou") -> list[tuple[str, Any]]:
    """Return the messages for events."""
    narrator = MajiangNarrator(SEAT, PRESETS[rules], "table")
    told = [message for event in events if (message := narrator.tell(event)) is not None]
    return [(message.type, message.content) for message in told]


def plain(events: list[ev.Event]) -> list[ev.Event]:
    """Return events without what Majiang does not say; indicators may come at another place in a turn."""
    left: list[ev.Event] = []
    for event in events:
        match event:
            case ev.KyokuStarted():
                left.append(replace(event, dice=(1, 1)))
            case ev.HandWon():
                worth = event.value
                fu, han = (0, worth.yakuman * 13) if worth.yakuman else (worth.fu, worth.han)
                value = HandValue((), han, fu, worth.yakuman, 0)
                left.append(replace(event, value=value, liable=None))
            case ev.GameEnded():
                left.append(ev.GameEnded(event.points, (), ()))
            case ev.RiichiDeclared():
                left.append(ev.RiichiDeclared(event.seat))
            case ev.RonDeclared() | ev.TenpaiDeclared() | ev.HandOpened() | ev.DoraRevealed():
                pass
            case _:
                left.append(event)
    return left


@pytest.mark.no_cover
@each_row("rules", ["tenhou", "ump", "mleague", "wrc"])
@each_row("seed", some(range(8)))
def test_whole_games(seed: int, rules: str) -> None:
    """The events come back in their order, but for what Majiang does not say."""
    events, reader = game(seed, rules), MajiangReader()
    read = [event for type_, content in messages(events, rules) for event in reader.read(type_, content)]
    assert reader.seat == SEAT
    for one, other in zip(plain(events), plain(read), strict=True):
        assert one == other
    assert [each for each in events if isinstance(each, ev.DoraRevealed)] == [
        each for each in read if isinstance(each, ev.DoraRevealed)
    ]


def test_seats_begin_with_the_first_dealer() -> None:
    """If the first dealer has another id than 0, seats, names and points are turned."""
    reader = MajiangReader()
    (started,) = reader.read("kaiju", {"id": 0, "player": ["a", "b", "c", "d"], "qijia": 1})
    assert (reader.seat, getattr(started, "names", None)) == (3, ("b", "c", "d", "a"))
    (ended,) = reader.read("jieju", {"defen": [1, 2, 3, 4]})
    assert getattr(ended, "points", None) == (2, 3, 4, 1)


@cache
def one_game() -> list[tuple[str, Any]]:
    """Return the messages of one game."""
    return messages(game(3))


@given(st.randoms(use_true_random=True), st.integers(1, 30))
def test_garbled_games_raise_only_wire_errors(chance: Random, rate: int) -> None:
    """Lost, repeated, moved and garbled messages are read or raise WireError, and nothing else."""
    reader = MajiangReader()
    for type_, content in one_game():
        said: dict[str, Any] = dict(content)
        match chance.randrange(4 * rate):
            case 0:
                continue
            case 1:
                type_, content = chance.choice(one_game())
                said = dict(content)
            case 2:
                key = chance.choice(list(said))
                said[key] = chance.choice([None, 7, -1, 0, "m1", "x", "m1-23", [], {}, [1, 2, 3, 4], ["m1"] * 4, True])
            case 3:
                said.pop(chance.choice(list(said)))
        with suppress(WireError):
            reader.read(type_, said)


@each_row(
    ("type_", "content", "problem"),
    [
        ("kaiju", [], "kaiju must be an object"),
        ("kaiju", {"id": 4, "qijia": 0}, "id must be a number from 0 to 3"),
        ("dapai", {"l": 0, "p": "m9x"}, "is not a tile"),
        ("fulou", {"l": 1, "m": "m1-23"}, "a call of a tile that nobody has discarded"),
        ("gang", {"l": 1, "m": "m111=1"}, "a pon that does not exist"),
        ("hule", {"l": 1, "shoupai": "m1"}, "a win without its tile"),
    ],
)
def test_errors(type_: str, content: Any, problem: str) -> None:
    """The message says what is wrong."""
    with pytest.raises(WireError, match=problem):
        MajiangReader().read(type_, content)
