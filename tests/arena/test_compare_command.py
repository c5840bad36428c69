"""``ump compare``: its reports, its folder, and its errors."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.rows import each_row

from ump.arena.arena_setup import ArenaSetup
from ump.arena.blocks import ArenaPlayer, Block, BlockGame, read_block, written_block
from ump.arena.comparison import Comparison, comparison_data, comparison_lines, comparison_page
from ump.arena.sequential import Hypotheses, SequentialVerdict
from ump.arena.watched import class_of, end_of_class
from ump.cli.main import main
from ump.model.actions import Action
from ump.model.game_result import GameResult
from ump.players.policy import Tsumogiri
from ump.rules.presets import PRESETS

PLAYERS = "tsumogiri random"
SHORT = "--set length=kyoku --jobs 1"


def run(options: str, *more: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(main, ["compare", *options.split(), *more])


def printed(options: str, *more: str) -> str:
    """Run the command to its end, and return its output."""
    result = run(options, *more)
    assert (result.stderr, result.exit_code) == ("", 0)
    return result.stdout


def without_times(report: str) -> str:
    """Return a JSON report without the times of answers."""
    data = json.loads(report)
    for player in data["players"]:
        for name in ("average_answer", "answer_p50", "answer_p99", "longest_answer", "longest_start"):
            del player[f"{name}_milliseconds"]
    return json.dumps(data)


def test_a_fixed_number_of_games() -> None:
    """Games come in whole blocks; processes do not change the result."""
    report = printed(f"{PLAYERS} {SHORT} --games 9 --json")
    data = json.loads(report)
    assert (data["blocks"], data["games"], data["interval"]) == (3, 12, "fixed")
    assert [player["name"] for player in data["players"]] == PLAYERS.split()
    assert sum(data["pentanomial"]["counts"]) == 3
    ahead = sum(number * count for number, count in enumerate(data["pentanomial"]["counts"]))
    assert data["pentanomial"]["ahead"] == round(ahead / 12, 4)
    assert all(player["crashes"] == player["refusals"] == 0 for player in data["players"])
    assert sum(player["average_place"] for player in data["players"]) == pytest.approx(5, abs=0.5)
    again = printed(f"{PLAYERS} --set length=kyoku --games 9 --json --jobs 2")
    assert without_times(again) == without_times(report)


class Dying(Tsumogiri):
    """A policy that ends its process."""

    def __init__(self) -> None:
        os._exit(3)


def test_a_process_that_ends_is_an_error() -> None:
    """The command says so in one line, with status 1."""
    result = run("arena.test_compare_command:Dying tsumogiri --set length=kyoku --games 4 --jobs 2")
    assert result.exit_code == 1
    assert result.stderr == "Error: a process ended in the middle of a block; --jobs 1 shows why\n"


class Failing(Tsumogiri):
    """A policy with an error in each or in some of its answers."""

    each = 1

    def __init__(self) -> None:
        self.questions = 0

    def choose(self, *arguments: object) -> Action:
        """Raise it."""
        self.questions += 1
        if self.questions % self.each == 0:
            raise RuntimeError("no model")
        return super().choose(*arguments)  # type: ignore[arg-type]


class OftenFailing(Failing):
    """A policy that fails at each fourth question."""

    each = 4


class RarelyFailing(Failing):
    """A policy that fails at each fifteenth question."""

    each = 15


class Illegal(Tsumogiri):
    """A policy that answers with a word."""

    def choose(self, *arguments: object) -> Action:
        """Return it."""
        return "chi"  # type: ignore[return-value]  # this is the test


@each_row(
    ("policy", "said"),
    [
        ("Failing", r"fails in block 0: no answer of its own, \d+ crashes: RuntimeError: no model"),
        ("OftenFailing", r"fails in block 0: \d+ answers of its own, \d+ crashes: RuntimeError: no model"),
        ("Illegal", r"fails in block 0: no answer of its own, \d+ refusals: it answered a str, not an action"),
    ],
)
@pytest.mark.parametrize("command", [("compare",), ("arena", "run")])
def test_a_player_that_fails_ends_the_run(command: tuple[str, ...], policy: str, said: str) -> None:
    """It is named with its error, the report is of the blocks so far, and --keep-going plays all."""
    name = f"arena.test_compare_command:{policy}"
    given = [*command, name, "tsumogiri", *SHORT.split(), "--games", "8", "--json"]
    stopped = CliRunner().invoke(main, given)
    assert (stopped.exit_code, json.loads(stopped.stdout)["games"]) == (1, 4)
    assert re.fullmatch(rf"Error: {name} {said} \(--keep-going plays on\)\n", stopped.stderr)
    whole = CliRunner().invoke(main, [*given, "--keep-going"])
    assert (whole.exit_code, whole.stderr, json.loads(whole.stdout)["games"]) == (0, "", 8)
    (failing,) = (player for player in json.loads(whole.stdout)["players"] if player["name"] == name)
    assert (failing["crashes"] + failing["refusals"] > 20, failing["first_error"] in stopped.stderr) == (True, True)


def test_a_few_faults_end_no_run(tmp_path: Path) -> None:
    """Up to a tenth is counted alone; a failing player ends a resumed run, too."""
    given = f"{SHORT} --games 4 --json"
    report = printed(f"arena.test_compare_command:RarelyFailing tsumogiri {given}")
    rare, _ = json.loads(report)["players"]
    assert 0 < rare["crashes"] < rare["answers"] / 10
    failing = f"arena.test_compare_command:Failing tsumogiri {given} --out {tmp_path}"
    assert printed(f"{failing} --keep-going")
    assert "no answer of its own" in run(f"{failing} --resume").stderr


def test_equal_players_end_as_the_same_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test stops by itself after blocks of 0 alone."""
    monkeypatch.setattr("ump.arena.sequential.SAME_PLAY_BLOCKS", 3)
    report = printed(f"tsumogiri tsumogiri {SHORT}")
    assert "both play the same" in report
    assert report.count("among copies of tsumogiri +0.0") == 2


def test_csv_has_a_row_for_each_player() -> None:
    """Its columns are the keys of the players in JSON."""
    rows = list(csv.DictReader(io.StringIO(printed(f"{PLAYERS} {SHORT} --games 4 --csv"))))
    assert [row["name"] for row in rows] == PLAYERS.split()
    data = json.loads(printed(f"{PLAYERS} {SHORT} --games 4 --json"))
    assert list(rows[0]) == list(data["players"][0])


def test_a_comparison_goes_on(tmp_path: Path) -> None:
    """With --resume it plays the missing blocks alone, also after a cut line; records are beside."""
    out, whole = tmp_path / "part", tmp_path / "whole"
    printed(f"{PLAYERS} {SHORT} --games 4 --out", str(out))
    blocks = out / "blocks.jsonl"
    first = blocks.read_text()
    blocks.write_text(f'{first}{{"block":1,"ga')
    resumed = printed(f"{PLAYERS} {SHORT} --games 12 --json --resume --out", str(out))
    at_once = printed(f"{PLAYERS} {SHORT} --games 12 --json --resume --out", str(whole))
    assert without_times(resumed) == without_times(at_once)
    assert blocks.read_text().startswith(first)
    assert len(list((out / "games").iterdir())) == 12
    assert without_times(printed(f"{PLAYERS} {SHORT} --games 12 --json --resume --out", str(out))) == without_times(
        resumed
    )


@each_row(
    ("options", "message"),
    [
        ("mortal random", "unknown player 'mortal'"),
        (f"{PLAYERS} --points 1,2", "--points: expected 4 numbers, got 2"),
        (f"{PLAYERS} --points a,b", "expected numbers such as"),
        (f"{PLAYERS} --points 1e9,0,0,0", "from -10000 to 10000"),
        (f"{PLAYERS} --h1 -1", "--h1 must be greater"),
        (f"{PLAYERS} --h1 inf", "inf is not in the range"),
        (f"{PLAYERS} --out setup.cfg/out", "cannot write results: setup.cfg/out"),
        (f"{PLAYERS} --resume", "--resume needs --out"),
        (f"{PLAYERS} --json --csv", "exclude each other"),
    ],
)
def test_wrong_command_lines(options: str, message: str) -> None:
    """The message names the option."""
    result = run(options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_folders_of_other_comparisons_are_refused(tmp_path: Path) -> None:
    """A folder is not overwritten, other setups are not mixed, and damage is found."""
    given = f"{PLAYERS} {SHORT} --games 4 --out {tmp_path}"
    printed(given)
    assert "give --resume" in run(given).stderr
    assert "other players, rules, seed" in run(f"{given} --resume --seed other").stderr
    blocks = tmp_path / "blocks.jsonl"
    head = blocks.read_text().splitlines()[0]
    for damage in ('{"block":0}', "nonsense", '{"block":1,"games":[]}'):
        blocks.write_text(f"{head}\n{damage}\n")
        assert "damaged" in run(f"{given} --resume").stderr
    blocks.write_bytes(f"{head}\n".encode() + b"\xff\n")
    assert "damaged" in run(f"{given} --resume").stderr


def test_ctrl_c_prints_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit status is 130, and the blocks before count."""

    def interrupted(comparison: Comparison) -> str:
        if comparison.test.blocks == 2:
            raise KeyboardInterrupt
        return ""

    monkeypatch.setattr("ump.cli.arena.progress_text", interrupted)
    result = run(f"{PLAYERS} {SHORT}")
    assert result.exit_code == 130
    assert "2 blocks, 8 games" in result.stdout


TIMES = {
    "longest_answer_microseconds": 20_000_000,
    f"answers_in_class_{class_of(0.000_02)}": 98,
    f"answers_in_class_{class_of(15.0)}": 2,
}
"""Of 100 answers, two take 15 seconds or a little more."""


def compared(wins: int, blocks: int = 160, h0: float = 0.0, h1: float = 5.0) -> Comparison:
    """Return a comparison in which the first player wins all games of so many blocks out of all, and loses the rest."""
    entrants = (ArenaPlayer("a", "<one>"), ArenaPlayer("b", "two"))
    setup = ArenaSetup(entrants, PRESETS["tenhou"], "s", (90, 45, 0, -135), "round-robin")
    comparison = Comparison(setup, Hypotheses(h0, h1))
    for number in range(blocks):
        alone = number % 2
        is_ahead = (number < wins) == (alone == 0)
        places = (1, 2, 3, 4) if is_ahead else (4, 1, 2, 3)
        counts = ({"kyoku": 8, "wins": 2, "tsumo": 1, "answers": 100, "answer_microseconds": 5_000} | TIMES,) * 4
        game = BlockGame(
            (alone, 1 - alone, 1 - alone, 1 - alone), GameResult((40_000, 30_000, 31_000, -1_000), places), counts
        )
        comparison.add(Block(number, (game,), ("", "ValueError: x" if number == 3 else "")))
    return comparison


def test_classes_of_answer_times() -> None:
    """A time is at most the end of its class, and above the end of the one before."""
    assert [class_of(seconds) for seconds in (0.0, 1e-5, 1e-4, 1e6)] == [0, 0, 10, 80]
    for seconds in (2e-5, 0.000_1, 0.05, 1.0, 7.3, 600.0):
        number = class_of(seconds)
        assert end_of_class(number - 1) < seconds <= end_of_class(number) * (1 + 1e-9)


@each_row(
    ("wins", "verdict", "said"),
    [(160, SequentialVerdict.H1, "H1: <one> is better"), (0, SequentialVerdict.H0, "H0: <one> is")],
)
def test_the_report_says_the_verdict(wins: int, verdict: SequentialVerdict, said: str) -> None:
    """With the interval that holds at any time, both directions, and the first error of a player."""
    comparison = compared(wins)
    assert comparison.test.verdict is verdict
    expected = comparison.expected_blocks()  # a test that has decided was over before these blocks
    assert expected is None if verdict is SequentialVerdict.OPEN else 0 < (expected or 0) < comparison.test.blocks
    lines = "\n".join(comparison_lines(comparison))
    assert said in lines
    assert "(anytime)" in lines
    assert "the first fault: ValueError: x" in lines
    (times,) = {tuple(line.split()[1:]) for line in lines.splitlines() if " 20,000 " in line}
    assert times == ("0", "0", "0", "32000", "0.05", "0.03", "15,849", "20,000", "-")
    assert "25.0 ±0.0" in lines  # 2 of 8 kyoku won


@each_row(
    ("wins", "h0", "h1", "said"),
    [
        (80, 0, 5, "H1: <one> is better"),
        (80, 5, 10, "H1: <one> is better"),
        (80, -5, 0, "H1: <one> is ahead by more than -5 pt"),
        (0, -1500, -500, "H1: <one> is ahead by more than -1500 pt"),
        (0, 0, 5, "H0: <one> is not better"),
        (0, -5, 0, "H0: <one> is worse"),
        (0, -5, 5, "H0: <one> is ahead by less than 5 pt"),
        (0, 5, 10, "H0: <one> is ahead by less than 10 pt"),
        (80, 1000, 2000, "H0: <one> is ahead by less than 2000 pt"),
    ],
)
def test_a_verdict_says_no_more_than_its_hypothesis(wins: int, h0: float, h1: float, said: str) -> None:
    """A player that loses every game is not better, whatever H1 is."""
    comparison = compared(wins, 80, h0, h1)
    verdict, *_ = comparison_lines(comparison)
    assert f"): {said} ({h0:g} against {h1:g} pt" in verdict
    data = comparison_data(comparison)["test"]
    assert isinstance(data, dict)
    assert data["verdict"] == said[:2]


def test_the_page_is_closed_in_itself() -> None:
    """Names are escaped; nothing is requested from anywhere, and there are no scripts."""
    page = comparison_page(compared(100))
    assert "&lt;one&gt; against two" in page
    assert "<one>" not in page
    assert page.count("<svg") == page.count("</svg>") == 4
    assert not any(word in page for word in ("http", "src=", "url(", "<script", "@import"))
    empty = Comparison(compared(1).setup, Hypotheses())
    assert "no block was played" in comparison_page(empty)


def test_a_page_is_written(tmp_path: Path) -> None:
    """The option names the file; its blocks link to their games. One that cannot be written is an error."""
    page = tmp_path / "report.html"
    report = printed(f"old=tsumogiri new=random --rules tenhou3 {SHORT} --games 6 --out {tmp_path}/out --html {page}")
    assert report.splitlines()[0] in ("old is better", "new is better") or report.startswith("no difference is shown")
    assert "old against new, both ways, tenhou3" in report
    text = page.read_text(encoding="utf-8")
    links = re.findall('href="([^"]+)"', text)
    assert len(links) == 6
    assert all((tmp_path / link).is_file() for link in links)
    assert run(f"{PLAYERS} {SHORT} --games 4 --html {page}/page.html").exit_code == 2


def test_a_block_is_read_as_it_was_written() -> None:
    """One JSON line holds everything."""
    game = BlockGame((0, 1, 1, 1), GameResult((1, 2, 3, 4), (1, 2, 3, 4)), ({"wins": 1}, {}, {}, {}))
    for errors in (("", ""), ("", "KeyError: 'ü'")):
        block = Block(7, (game,), errors)
        assert read_block(written_block(block), 2) == block


@each_row(
    ("was", "now"),
    [
        ('"seats":[0,1,1,1]', '"seats":[0,1,1,2]'),
        ('"seats":[0,1,1,1]', '"seats":[0,1,1,{}]'),
        ('"seats":[0,1,1,1]', '"seats":[0,1]'),
        ('"places":[1,2,3,4]', '"places":[1,2,3,0]'),
        ('"places":[1,2,3,4]', '"places":[1,2,3,4.0]'),
        ('"points":[1,2,3,4]', '"points":[1,2,3]'),
        ('"wins":1', '"answers_in_class_x":1'),
        ('"wins":1', '"wins":"1"'),
        ('{"wins":1}', "[]"),
        ('"errors":["",""]', '"errors":[""]'),
        ('"errors":["",""]', '"errors":[0,1]'),
        ('"block":7', '"block":"7"'),
        ('"block":7', '"block":true'),
    ],
)
def test_a_damaged_block_is_refused(was: str, now: str) -> None:
    """The reader says that it is no block, whatever is wrong with it."""
    game = BlockGame((0, 1, 1, 1), GameResult((1, 2, 3, 4), (1, 2, 3, 4)), ({"wins": 1}, {}, {}, {}))
    line = written_block(Block(7, (game,), ("", "")))
    assert was in line
    with pytest.raises(ValueError, match=r"block|game|player|numbers|count"):
        read_block(line.replace(was, now), 2)


def test_a_program_plays_like_the_policy_that_it_repeats() -> None:
    """A client over UMP discards what it draws, as the policy does; four games of one kyoku have no difference."""
    client = Path(__file__).parents[2] / "clients" / "tsumogiri.py"
    program = f"connect:{sys.executable} {client} 127.0.0.1:{{listen}} --name {{name}}"
    result = CliRunner().invoke(main, ["compare", program, "tsumogiri", *SHORT.split(), "--games", "4", "--json"])
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert (data["games"], data["advantage"]) == (4, 0)
    assert [player["crashes"] + player["refusals"] + player["timeouts"] for player in data["players"]] == [0, 0]
    assert all(player["answers"] > 0 for player in data["players"])


def test_a_program_needs_a_command() -> None:
    """The message shows one."""
    result = run("mjai: tsumogiri")
    assert result.exit_code == 2
    assert "expected a command, as in python bot.py {seat}" in result.stderr
