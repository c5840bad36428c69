"""The situations by themselves: players of any kind come to them, and play on legally."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from support.rows import each_row

from ump.bots.check.run import SituationResult, SituationVerdict, judge, list_lines, report_data, report_lines
from ump.bots.check.situation import Arrangement, Closing, Situation, SituationTable, Stage, read_orders
from ump.bots.check.situations import OF_THREE, SITUATIONS
from ump.game.arranged_wall import build_wall
from ump.game.game import Game
from ump.model.actions import Chi, Pon, Ron
from ump.model.events import DrawReason, Event, HandWon, KyokuDrawn
from ump.model.phases import Phase
from ump.players.efficiency import Efficiency
from ump.players.policy import Policy, RandomLegal, Tsumogiri
from ump.rules.wall import Wall
from ump.table.clock import TimeControl
from ump.table.messages import Begin, Tick
from ump.table.receivers import BuiltinBot, SeatedBot
from ump.table.table import Table
from ump.table.table_host import TableHost

MOST_STEPS = 150
"""Steps of the longest situation: an exhausted wall."""

PLAYED = [situation for situation in (*SITUATIONS, *OF_THREE) if situation.stage in (Stage.PLAY, Stage.FAREWELL)]
"""The situations that need no network."""

POLICIES: list[Callable[[], Policy]] = [
    Tsumogiri,
    Efficiency,
    *(lambda seed=seed: RandomLegal(Random(seed)) for seed in range(8)),
]

AVOIDABLE = {"added-kan", "in-riichi", "after-call", "swap-call", "chankan", "exhausted-wall", "kita-again"}
"""Situations that a client comes to only by what it does itself."""

each_situation = each_row("situation", PLAYED)


def play(situation: Situation, policy: Policy) -> SituationTable:
    """Play a situation with a policy in the client's seat."""
    played = SituationTable(situation)
    policies = {**played.policies, played.client: policy}
    bots = [SeatedBot(BuiltinBot(chosen, seat, played.ruleset), seat) for seat, chosen in policies.items()]
    game = Game(played.ruleset, tuple(situation.letters), played.deal)
    host = TableHost(Table(game, TimeControl()), [*bots, played.witness])
    step = host.step(Begin(), 0)
    for _ in range(MOST_STEPS):
        played.witness.record(step.entries, 0, None)
        assert not host.deliver(step, 0, 0.0).failures
        if host.table.end is not None:
            return played
        step = host.step(Tick(), 0)
    raise AssertionError(f"{situation.name} does not end")


def named(name: str) -> Situation:
    """Return the situation of this name."""
    return next(situation for situation in (*SITUATIONS, *OF_THREE) if situation.name == name)


@each_situation
def test_walls(situation: Situation) -> None:
    """Each arrangement is a wall of all tiles, and deals what it says."""
    for arrangement in (situation.arrangement, situation.last_kyoku):
        for dealer in situation.letters:
            Wall(arrangement.wall(dealer, situation.seats), (1, 1, 1), situation.seats)


@pytest.mark.no_cover
@each_situation
def test_every_player_comes_to_the_situation(situation: Situation) -> None:
    """Every client is led to the situation, or avoids it by a decision of its own."""
    verdicts = [judge(play(situation, policy())) for policy in POLICIES]
    reached = [verdict.result in (SituationResult.PASS, SituationResult.NOTE) for verdict in verdicts]
    assert any(reached)
    if situation.name not in AVOIDABLE:
        assert all(reached)
    assert all(verdict.came for verdict in verdicts)


def test_an_unwanted_answer_is_noted() -> None:
    """A bot that never wins receives a note about it, without a fault."""
    assert judge(play(named("ron"), Tsumogiri())).result is SituationResult.NOTE
    assert judge(play(named("ron"), Efficiency())).result is SituationResult.PASS


def events_of(name: str) -> list[Event]:
    """Return the events of a situation."""
    return play(named(name), Tsumogiri()).course.events


def test_pao() -> None:
    """The giver of the third dragon is liable, and pays half of the ron."""
    won = next(event for event in events_of("pao") if isinstance(event, HandWon))
    assert won.liable == 0
    assert won.changes == (-16_000, 32_000, -16_000, 0)


def test_double_ron() -> None:
    """Two players win before the next kyoku."""
    first, second, *_ = (event for event in events_of("double-ron") if isinstance(event, HandWon))
    assert (first.loser, second.loser, first.tile) == (0, 0, second.tile)


def test_four_kans() -> None:
    """The kyoku is aborted."""
    drawn = next(event for event in events_of("four-kans") if isinstance(event, KyokuDrawn))
    assert drawn.reason is DrawReason.SUUKAIKAN


@each_row(
    ("name", "wins"), [("furiten", False), ("no-yaku", False), ("ron", True), ("chankan", True), ("robbed-north", True)]
)
def test_legal_wins(name: str, wins: bool) -> None:
    """A ron is legal where the situation says so, and nowhere else."""
    reached = play(named(name), Tsumogiri()).reached
    assert reached is not None
    assert any(isinstance(action, Ron) for action in reached.asked.legal) is wins


def test_two_players_pay_a_tsumo_of_three() -> None:
    """The winner has set a north aside and drawn its replacement tile, and no fourth player pays."""
    events = events_of("shared-tsumo")
    won = next(event for event in events if isinstance(event, HandWon))
    assert (won.seat, won.loser, won.norths, len(won.changes)) == (1, None, 1, 3)
    assert all(change < 0 for seat, change in enumerate(won.changes) if seat != won.seat)


def test_no_chi_of_three() -> None:
    """The client is not asked about a discard that would complete a run."""
    course = play(named("no-chi"), Tsumogiri()).course
    assert all(answered.asked.phase is not Phase.CALL for answered in course.answered)


def test_choices_with_red_fives() -> None:
    """A chi and a pon can be called with and without the red five."""
    for name, kind, ways in (("chi", Chi, 5), ("pon", Pon, 2)):
        reached = play(named(name), Tsumogiri()).reached
        assert reached is not None
        assert sum(isinstance(action, kind) for action in reached.asked.legal) == ways


def test_names() -> None:
    """Names are unique, and can be typed."""
    names = [situation.name for situation in (*SITUATIONS, *OF_THREE)]
    assert len(set(names)) == len(names)
    assert all(name.replace("-", "").isalpha() and name.islower() for name in names)


@each_row(
    "arrangement",
    [
        Arrangement({"A": "11111m"}),
        Arrangement({"A": "123456789m12345p"}),
        Arrangement({"A": "44z"}, closing=Closing()),
    ],
)
def test_impossible_walls(arrangement: Arrangement) -> None:
    """A tile that is used too often, and too long a hand, are refused."""
    with pytest.raises(ValueError, match=r"copies|tiles"):
        arrangement.wall()


def test_wall_without_hands() -> None:
    """The tiles that are not given fill the wall."""
    assert sorted(build_wall({})) == list(range(136))


@each_row("text", ["dance", "sute 5", "sute 12m"])
def test_unreadable_orders(text: str) -> None:
    """An order is a known verb, perhaps with a tile."""
    with pytest.raises((KeyError, ValueError)):
        read_orders(text)


def test_report() -> None:
    """The report has a line for each situation that was played, what was wrong, and the counts."""
    first, second, third = SITUATIONS[:3]
    verdicts = [
        SituationVerdict(first, SituationResult.PASS, "discards 9m"),
        SituationVerdict(second, SituationResult.FAIL, "refused: not_held", "traces/02.trace", ("< 5 sute 5M",)),
    ]
    lines = report_lines((first, second, third), verdicts)
    assert lines[:2] == [" 1  discard     pass         discards 9m", " 2  red-five    fail         refused: not_held"]
    assert f"  expected  {second.expected}" in lines
    assert "  < 5 sute 5M" in lines
    assert "  traces/02.trace" in lines
    assert lines[-1] == "3 situations: 1 pass, 1 fail, 1 not played"
    data = report_data((first, second, third), verdicts)
    assert data["faults"] == 1


def test_list() -> None:
    """The list explains every situation."""
    text = "\n".join(list_lines(SITUATIONS))
    assert all(situation.teaches in text and situation.expected in text for situation in SITUATIONS)
