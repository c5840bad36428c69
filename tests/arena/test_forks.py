"""``ump arena forks``: the decisions in which two policies differ, played on both ways."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.rows import each_row

from ump.arena.block_play import Match
from ump.arena.blocks import ArenaPlayer, Block, DecisionClass, Fork, PlannedBlock, read_block, written_block
from ump.arena.fork_report import ForkGains, clustered, forks_data, forks_lines, forks_page, forks_progress
from ump.arena.forks import ForkedGame, ForkTest, play_forks
from ump.arena.play import play_game
from ump.cli.main import main
from ump.model.actions import Action
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.players.policy import Policy, Tsumogiri
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length

KYOKU = replace(PRESETS["tenhou"], length=Length.KYOKU)
POINTS = (90.0, 45.0, 0.0, -135.0)


def fork_test(old: str, new: str) -> ForkTest:
    """Return a test between two policies on single kyoku."""
    entrants = (ArenaPlayer(old, old), ArenaPlayer(new, new))
    return ForkTest(Match(entrants, KYOKU, "seed"), "expert", POINTS)


class Deviating:
    """Plays like one policy, but like another one at a single question to it, counted from 0."""

    def __init__(self, policy: Policy, other: Policy, at: int) -> None:
        self._policy = policy
        self._other = other
        self._at = at
        self._asked = 0

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return the answer of one of them."""
        chosen = self._other if self._asked == self._at else self._policy
        self._asked += 1
        return chosen.choose(seen, phase, tile, offers)


def test_a_fork_gains_what_the_other_answer_brings() -> None:
    """The same game with the one answer changed ends with the points of the fork, and with its placement points."""
    game = ForkedGame(fork_test("tsumogiri", "efficiency"), 0)
    played = game.play()
    assert len(game.forks) > 20
    first = next(fork for fork in game.forks if fork.seat == 2)
    efficiency = Efficiency()
    seats: list[Policy] = [Tsumogiri() for _ in range(4)]
    seats[2] = Deviating(Tsumogiri(), efficiency, _place_of(first, efficiency))
    other = play_game(seats, KYOKU, seed="seed/0")
    assert other.result.points[2] - played.result.points[2] == first.points
    gain = POINTS[other.result.places[2] - 1] - POINTS[played.result.places[2] - 1]
    assert first.places == pytest.approx(gain)


def _place_of(fork: Fork, other: Policy) -> int:
    """Return the number of the question to the seat at which the fork is: the first one where the answers differ."""
    differing: list[int] = []

    class Noting(Tsumogiri):
        asked = 0

        def choose(
            self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None
        ) -> Action:
            answer = super().choose(seen, phase, tile, offers)
            if other.choose(seen, phase, tile, offers) != answer and seen.left == fork.left:
                differing.append(self.asked)
            self.asked += 1
            return answer

    seats: list[Policy] = [Tsumogiri() for _ in range(4)]
    seats[fork.seat] = Noting()
    play_game(seats, KYOKU, seed="seed/0")
    return differing[0]


def test_policies_that_answer_alike_have_no_forks() -> None:
    """The report says so, and a page is made all the same."""
    gains = ForkGains(fork_test("tsumogiri", "tsumogiri"), 1, None)
    for planned in gains.pending():
        ((block, _),) = play_forks(gains.test, [planned])
        gains.add(block)
    assert not gains.needs_more()
    assert forks_progress(gains) == "1 games, no forks"
    assert [*forks_lines(gains)] == ["tsumogiri answers like tsumogiri in all of 1 games"]
    assert forks_data(gains)["forks"] == 0
    assert "answers like" in forks_page(gains)


FORKS = (
    Fork(DecisionClass.CALL, 1, 0, 40, "Pass", "Pon 1z 1z", 8_000, 12.5, (300.0, 500.0)),
    Fork(DecisionClass.QUIET_1, 3, 2, 17, "Discard face 1m", "Discard face 9p", -1_000, -3.25, (-40.0, -20.0)),
)


def test_forks_in_a_file() -> None:
    """A block keeps its forks; a line without any is read as before, and another one is refused."""
    block = Block(
        0, play_forks(fork_test("tsumogiri", "tsumogiri"), [PlannedBlock(0, (0,) * 4)])[0][0].games, ("", ""), FORKS
    )
    assert read_block(written_block(block), 2) == block
    assert read_block(written_block(replace(block, forks=())), 2).forks == ()
    data = json.loads(written_block(block))
    for wrong in ([], ["CALL", 1], ["NONE", *data["forks"][0][1:]], [*data["forks"][0][:6], "many", 1, 2, 3]):
        with pytest.raises(ValueError, match=r"^no block|^a fork has"):
            read_block(json.dumps(data | {"forks": [wrong]}), 2)


def test_an_interval_counts_games_not_forks() -> None:
    """Equal forks of one game say no more than one of them."""
    alone = clustered([[100.0], [-100.0], [50.0], [10.0]])
    repeated = clustered([[100.0] * 5, [-100.0] * 5, [50.0] * 5, [10.0] * 5])
    assert alone.mean == repeated.mean == 15.0
    assert alone.half_width == pytest.approx(repeated.half_width)
    assert alone.half_width == pytest.approx(3.182 * 85.05 / 2, rel=0.005)  # t, deviation and root of a sample of four
    assert clustered([[1.0, 2.0]]).half_width is None
    assert clustered([[], []]).half_width is None


def run(*options: str) -> tuple[int, str, str]:
    """Run the command; return its status, output and errors."""
    result = CliRunner().invoke(main, ["arena", "forks", "--set", "length=kyoku", "--jobs", "1", *options])
    return result.exit_code, result.stdout, result.stderr


def test_a_test_that_goes_on(tmp_path: Path) -> None:
    """It has the same result as one in a piece, and writes a page with links to the games."""
    policies = ("tsumogiri", "efficiency")
    whole = run(*policies, "--games", "3", "--json")
    assert whole[0] == 0
    out, page = str(tmp_path / "out"), tmp_path / "report.html"
    assert run(*policies, "--games", "1", "--out", out)[0] == 0
    assert run(*policies, "--games", "3", "--out", out, "--resume", "--json", "--html", str(page)) == whole
    assert json.loads(whole[1])["games"] == 3
    assert "out/games/000002-0.mjson" in page.read_text("utf-8")
    few = json.loads(run(*policies, "--forks", "5", "--json")[1])
    assert few["games"] == 1
    assert few["forks"] >= 5
    status, _, errors = run(*policies, "--games", "3", "--out", out, "--resume", "--seed", "other")
    assert status == 2
    assert "has other players, rules, seed" in errors


class Failing(Tsumogiri):
    """Fails at its first question."""

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Raise an error."""
        raise RuntimeError("no idea")


@each_row(
    ("options", "error"),
    [
        (("tsumogiri", "tsumogiri"), "have the same name"),
        (("tsumogiri", "nobody"), "unknown player 'nobody'"),
        (("tsumogiri", "efficiency", "--reviewer", "tsumogiri"), "does not say what a hand is worth"),
        (("tsumogiri", f"{__name__}:Failing", "--games", "1"), "Failing: RuntimeError: no idea"),
        (("tsumogiri", "efficiency", "--resume"), "--resume needs --out"),
    ],
)
def test_tests_that_cannot_be(options: tuple[str, ...], error: str) -> None:
    """One line says why."""
    status, _, errors = run(*options)
    assert status == 2
    assert error in errors
