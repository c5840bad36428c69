"""Whole games at a table: they end, hide what they must, and can be rebuilt from their entries."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.balance_check import BalanceCheck
from support.budgets import few
from support.rows import each_row
from support.table_driver import MAX_STEPS, TableDriver

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.actions import Action
from ump.model.claims import Claim, Verb
from ump.model.events import Event, GameEnded, HandDealt, HandWon, RiichiPaid, TileCalled, TileDrawn
from ump.model.seats import LETTERS, Seat
from ump.players.observation import Observation
from ump.players.policy import POLICIES
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.rules.ruleset import ExtraRound, Length, Ruleset
from ump.table.clock import TimeControl
from ump.table.journal_entries import ActionTaken, Cause, End, Faults
from ump.table.view import view

HANCHAN = Ruleset(extra_round=ExtraRound.NONE)
ONE_KYOKU = Ruleset(length=Length.KYOKU)


def seeded_table(seed: str, ruleset: Ruleset, *, ask_all: bool = False) -> TableDriver:
    """Return a table with the game of a seed."""
    return TableDriver(lambda: Game(ruleset, LETTERS, seeded_deals(seed), ask_all=ask_all), TimeControl(10.0, 20.0))


def hidden_of(event: Event) -> object:
    """Return the tiles of an event that only its seat may see."""
    return event.face if isinstance(event, TileDrawn) else event.faces if isinstance(event, HandDealt) else None


def assert_nothing_leaks(told: list[Event]) -> None:
    """Check the view of every event for every seat and for spectators."""
    for event in told:
        for seat in (0, 1, 2, 3, None):
            seen = view(event, seat)
            if hidden_of(event) is None or getattr(event, "seat", None) == seat:
                assert seen is event
            else:
                assert hidden_of(seen) is None


@each_row("ask_all", [False, True])
def test_hanchan_of_tsumogiri(ask_all: bool) -> None:
    """Four seats that discard each drawn tile complete a hanchan, and every action is their own answer."""
    driver = seeded_table("1", HANCHAN, ask_all=ask_all).to_the_end()
    assert driver.end is End.COMPLETED
    assert type(driver.events[-1]) is GameEnded
    assert {entry.cause for entry in driver.entries if isinstance(entry, ActionTaken)} == {Cause.ANSWER}
    assert not any(chair.stale or chair.refusals or chair.timeouts for chair in driver.table.chairs)
    assert_nothing_leaks(driver.events)


def test_game_of_efficiency_bots() -> None:
    """Four bots that see only their views play a game with wins, calls and riichi, and no answer is refused."""
    ruleset = Ruleset(length=Length.TONPU)
    driver = seeded_table("3", ruleset)
    policies = [POLICIES["efficiency"]() for _ in LETTERS]
    seen = [Observation(seat, ruleset) for seat in range(len(LETTERS))]
    told = 0
    while driver.end is None:
        for event in driver.events[told:]:
            for observation in seen:
                observation.see(view(event, observation.seat))
        told = len(driver.events)
        seat, ask = next(iter(driver.open.items()))
        question = ask.question
        if question is None:
            driver.answer(seat, Claim(Verb.YES))
        else:
            driver.answer(seat, policies[seat].choose(seen[seat], question.phase, question.tile, question.legal()))
    assert {HandWon, RiichiPaid, TileCalled} < {type(event) for event in driver.events}
    assert not any(chair.stale or chair.refusals or chair.timeouts for chair in driver.table.chairs)
    assert_nothing_leaks(driver.events)


def test_silent_seats_play_the_defaults() -> None:
    """A game without any answer has the same events as one where all seats answer with the defaults."""
    silent = seeded_table("2", ONE_KYOKU)
    silent.wait(24 * 3_600_000)
    assert silent.events == seeded_table("2", ONE_KYOKU).to_the_end().events


class _RandomPlayers:
    """Four players who answer well or badly, late, twice or not at all, and sometimes leave.

    The seed decides the behaviour of each, the rules, and which seats have clients.
    """

    def __init__(self, seed: int) -> None:
        self.chance = chance = Random(seed)
        ruleset = replace(chance.choice(list(PRESETS.values())), length=chance.choice((Length.KYOKU, Length.TONPU)))
        ask_all = chance.random() < 0.3
        self._sense = [chance.choice((1.0, 1.0, 0.8, 0.0)) for _ in LETTERS]
        """The chance that an answer of each seat is legal; otherwise it is random."""
        self._talks = [chance.random() < 0.85 for _ in LETTERS]
        """Whether each seat answers at all."""
        self._restless = chance.choice((0.0, 0.0, 0.001, 0.01))
        """The chance, at every step, that a seat leaves."""
        self._old_numbers: list[tuple[Seat, int]] = []
        self.driver = TableDriver(
            lambda: Game(ruleset, LETTERS[: ruleset.seats], seeded_deals(str(seed), ruleset.seats), ask_all=ask_all),
            TimeControl(chance.choice((0.0, 10.0)), chance.choice((1.0, 20.0))),
            chance.sample(range(ruleset.seats), chance.randint(1, ruleset.seats)),
            retries={seat: chance.randint(0, 2) for seat in range(3)},
            faults=chance.choice((Faults.DEFAULT, Faults.CHOMBO, Faults.CHOMBO, Faults.ABORT)),
        )

    def play(self) -> TableDriver:
        """Play until the game is over."""
        for _ in range(MAX_STEPS):
            if self.driver.end is not None:
                return self.driver
            self._act()
        raise AssertionError("the game does not end")

    def _act(self) -> None:
        """Take one step at random, mostly an answer, so that games come to an end."""
        chance, driver = self.chance, self.driver
        deed = chance.random()
        talking = [seat for seat in driver.open if self._talks[seat]]
        if deed < self._restless:
            driver.leave(chance.choice(LETTERS[: len(driver.table.chairs)]))
        elif deed < 0.05 and self._old_numbers:
            seat, number = chance.choice(self._old_numbers)
            stale = driver.table.chairs[seat].stale
            assert not driver.answer(seat, Claim(Verb.YES), number)
            assert driver.table.chairs[seat].stale == stale + 1
        elif deed < 0.9 and talking:
            self._answer(chance.choice(talking))
        else:
            self._let_time_pass()

    def _let_time_pass(self) -> None:
        """Let time pass and the table act in time, or late, or not at all before the next answers."""
        chance, driver = self.chance, self.driver
        due = driver.table.due()
        assert due is not None
        if chance.random() < 0.5:
            driver.wait(chance.choice((0, 1_000, 11_000)))
        elif chance.random() < 0.5:
            driver.now = max(driver.now, due)
        else:
            driver.now = max(driver.now, due + chance.randrange(1_000))
            driver.tick()

    def _answer(self, seat: Seat) -> None:
        ask = self.driver.open[seat]
        self._old_numbers.append((seat, ask.number))
        self.driver.answer(seat, self._wish(ask.question, self._sense[seat]))

    def _wish(self, question: Question | None, sense: float) -> Claim | Action | None:
        chance = self.chance
        if chance.random() < sense:
            return Claim(Verb.YES) if question is None else self._legal(question)
        if chance.random() < 0.2:
            return None
        tiles = tuple(chance.randrange(37) for _ in range(chance.choice((0, 1, 1, 2))))
        return Claim(chance.choice(list(Verb)), tiles, chance.random() < 0.5)

    def _legal(self, question: Question) -> Action:
        """Return the default, or a random legal action; each type of action is equally likely."""
        if self.chance.random() < 0.5:
            return question.default()
        legal = question.legal()
        kind = self.chance.choice(list(dict.fromkeys(map(type, legal))))
        return self.chance.choice([action for action in legal if type(action) is kind])


@pytest.mark.no_cover
@settings(max_examples=few(25))
@given(st.integers(0, 2**32))
def test_random_players(seed: int) -> None:
    """Every game ends, hides what it must, can be rebuilt from its entries, and its tiles and points balance."""
    driver = _RandomPlayers(seed).play()
    assert_nothing_leaks(driver.events)
    balance = BalanceCheck(driver.game.ruleset)
    for event in driver.events:
        balance.note(event)
    assert driver.table.end is not None
    if driver.end is End.COMPLETED:
        assert type(driver.events[-1]) is GameEnded
