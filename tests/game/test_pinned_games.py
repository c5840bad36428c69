"""The same seed always gives the same game: the events and offers of whole games, compared with digests.

If a digest changes, recorded seeds lead to other games than before. If that is intended (a new field of an event, a
corrected rule), take the new digest from the output of the test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from itertools import chain, cycle
from random import Random

import pytest
from support.policies import EagerPolicy, RareHandPolicy, helpful_deals
from support.rows import each_row
from support.table_driver import TableDriver

from ump.game.deals import Deal, Deals
from ump.game.game import Game
from ump.model.claims import Claim, Verb
from ump.model.seats import LETTERS
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.players.policy import Policy, RandomLegal, Tsumogiri
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.rules.wall import rolled, shuffled
from ump.table.clock import TimeControl
from ump.table.journal_entries import Entry
from ump.table.messages import Ask
from ump.table.view import view


def numbered_deals(seed: str) -> Deals:
    """Return deals that follow from the number of the kyoku alone."""
    return lambda at: Deal(shuffled(f"ump-wall-1/{seed}/{at.number}"), rolled(f"ump-dice-1/{seed}/{at.number}"))


PLAYERS: dict[str, tuple[Callable[[Random], Policy], Callable[[str], Deals], int]] = {
    "tsumogiri": (lambda chance: Tsumogiri(), numbered_deals, 4),
    "random legal": (RandomLegal, numbered_deals, 3),
    "eager": (EagerPolicy, numbered_deals, 2),
    "efficiency": (lambda chance: Efficiency(), numbered_deals, 2),
    "single-minded": (RareHandPolicy, helpful_deals, 3),
}
"""The players, the walls, and the number of games under the preset ``tenhou``; under the others it is one."""


def spelled(thing: object) -> str:
    """Write a value with the names of its classes and members."""
    if isinstance(thing, Enum):
        return thing.name
    if isinstance(thing, (tuple, list)):
        return f"({','.join(map(spelled, thing))})"
    if is_dataclass(thing):
        named = {field.name: getattr(thing, field.name) for field in fields(thing)}
        if not named.get("norths", True):  # games of four have none; the digests are older than the field
            del named["norths"]
        return type(thing).__name__ + spelled(list(named.values()))
    return repr(thing)


def digest(things: Iterable[object]) -> str:
    """Return the first digits of the SHA-256 of some values, written one per line."""
    return sha256("\n".join(map(spelled, things)).encode()).hexdigest()[:16]


def played(players: str, ruleset: Ruleset, seed: str) -> list[object]:
    """Return all events of a game, and every question with its legal actions."""
    policy_of, deals, _ = PLAYERS[players]
    policies = [policy_of(Random(f"{seed}/{letter}")) for letter in LETTERS]
    seen = [Observation(seat, ruleset) for seat in range(len(LETTERS))]
    game = Game(ruleset, LETTERS, deals(seed))
    told: list[object] = []
    events = game.begin()
    while True:
        told += events
        for event in events:
            for observation in seen:
                observation.see(view(event, observation.seat))
        if game.over:
            return told
        if game.between_kyoku:
            events = game.proceed()
            continue
        seat, question = next(iter(game.questions.items()))
        legal = question.legal()
        told.append((seat, question.phase, question.tile, legal, question.default()))
        events = game.answer(seat, policies[seat].choose(seen[seat], question.phase, question.tile, legal))


GAMES = [
    ("tenhou", "tsumogiri", "e3b87446fdcf96e0"),
    ("tenhou", "random legal", "338c8588dd1f29bb"),
    ("tenhou", "eager", "8cdfbe5621408323"),
    ("tenhou", "efficiency", "f5701ddc29e6713c"),
    ("tenhou", "single-minded", "82322260cf6cf31c"),
    ("ump", "eager", "9b6d28f8e92c25e0"),
    ("ump", "random legal", "397af497a00aea8f"),
    ("mleague", "eager", "8fedbb2e814f4cda"),
    ("majsoul", "single-minded", "639f61258b2280c3"),
    ("wrc", "eager", "be388adf350680d3"),
    ("classic", "single-minded", "190d1fd805901b41"),
    ("classic", "eager", "aa2fbb514ea872f1"),
]


@pytest.mark.no_cover
@each_row(("preset", "players", "expected"), GAMES)
def test_games_of_a_seed_never_change(preset: str, players: str, expected: str) -> None:
    """All events, questions and legal actions are the same, in the same order."""
    games = PLAYERS[players][-1] if preset == "tenhou" else 1
    told = chain.from_iterable(played(players, PRESETS[preset], f"pinned/{number}") for number in range(games))
    assert digest(told) == expected


def driver(preset: str, *, ask_all: bool) -> tuple[list[object], list[Entry]]:
    """Return the messages and the journal of a table whose seats answer in a fixed order, sometimes illegally."""
    chance = Random(preset)
    driver = TableDriver(
        lambda: Game(PRESETS[preset], LETTERS, numbered_deals("pinned/table"), ask_all=ask_all), TimeControl(5.0, 10.0)
    )
    offered: list[object] = []
    for seat in cycle((2, 0, 3, 1)):
        if driver.end is not None:
            break
        ask = driver.open.get(seat)
        if ask is None:
            driver.wait(100)
        elif chance.random() < 0.05:
            driver.answer(seat, None)
        elif ask.question is None:
            driver.answer(seat, Claim(Verb.YES))
        else:
            offered.append((seat, ask.question.legal()))
            driver.answer(seat, chance.choice(ask.question.legal()))
    said = [
        (message.seat, message.number, message.move / 1_000, message.bank / 1_000)
        if isinstance(message, Ask)
        else message
        for message in driver.messages
    ]
    return [*said, *offered], driver.entries


TABLES = [
    ("tenhou", False, "014e8b67a798e0c4", "1259c5339ffba41d"),
    ("wrc", True, "d6c3827210497908", "035a5d594b51b0be"),
]


@each_row(("preset", "ask_all", "said", "recorded"), TABLES)
def test_tables_of_a_seed_never_change(preset: str, ask_all: bool, said: str, recorded: str) -> None:
    """All messages to the seats, with numbers and times, and all journal entries are the same."""
    messages, entries = driver(preset, ask_all=ask_all)
    assert (digest(messages), digest(entries)) == (said, recorded)
