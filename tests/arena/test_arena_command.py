"""``ump arena run``: its schedules, its reports, its folder, and its errors."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.rows import each_row

from ump.arena.arena_report import arena_page, arena_progress
from ump.arena.arena_setup import ArenaSetup, lineups
from ump.arena.blocks import ArenaPlayer, Block, BlockGame
from ump.arena.page import Axes, PlotPoint, scatter
from ump.arena.plan import ArenaStandings
from ump.cli.main import main
from ump.model.game_result import GameResult
from ump.players.policy import Tsumogiri
from ump.rules.presets import PRESETS

PLAYERS = "tsumogiri random --player again=tsumogiri"
SHORT = "--length kyoku --jobs 1"


class Failing(Tsumogiri):
    """A policy that cannot be created."""

    def __init__(self) -> None:
        raise OSError("no model")


def run(options: str, *more: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(main, ["arena", "run", *options.split(), *more])


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


def arena_of(players: int, schedule: str, preset: str = "tenhou") -> ArenaSetup:
    """Return the setup of an arena of so many players."""
    entrants = tuple(ArenaPlayer(f"p{number}", "tsumogiri") for number in range(players))
    return ArenaSetup(entrants, PRESETS[preset], "s", (90, 45, 0, -135), schedule)


@each_row(
    ("schedule", "players", "expected"),
    [
        ("round-robin", 2, [(0, 1, 1, 1), (1, 0, 0, 0)]),
        ("gauntlet", 3, [(0, 1, 1, 1), (0, 2, 2, 2), (1, 0, 0, 0), (2, 0, 0, 0)]),
        ("duplicate", 3, []),
        ("duplicate", 4, [(0, 1, 2, 3)]),
    ],
)
def test_lineups(schedule: str, players: int, expected: list[tuple[int, ...]]) -> None:
    """Each schedule lists who sits at the tables of its blocks."""
    assert lineups(arena_of(players, schedule)) == expected


@each_row(("schedule", "number"), [("round-robin", 20), ("duplicate", 5)])
def test_all_players_of_a_schedule_have_equal_seats(schedule: str, number: int) -> None:
    """A whole cycle treats all players alike."""
    listed = lineups(arena_of(5, schedule))
    assert len(listed) == len(set(listed)) == number
    assert len(set(Counter(player for lineup in listed for player in lineup).values())) == 1


def test_a_number_of_games() -> None:
    """Games come in whole blocks; the anchor has a fixed rating; processes do not change the result."""
    report = printed(f"{PLAYERS} {SHORT} --games 23 --json --anchor random")
    data = json.loads(report)
    assert (data["blocks"], data["games"], data["anchor"]) == (6, 24, "random")
    rows = {row["name"]: row for row in data["players"]}
    assert (rows["random"]["rating"], rows["random"]["rating_half_width"]) == (1500, 0)
    assert rows["again"]["kind"] == "tsumogiri"
    assert sum(row["games"] for row in rows.values()) == 48
    assert all(row["crashes"] == row["refusals"] == 0 for row in rows.values())
    again = printed(f"{PLAYERS} --set length=kyoku --games 23 --json --anchor random --jobs 2")
    assert without_times(again) == without_times(report)


def test_the_table_and_csv() -> None:
    """Both have a row for each player, the best one first; efficiency is the anchor of its own accord."""
    options = f"random efficiency tsumogiri {SHORT} --games 12"
    lines = printed(options).splitlines()
    assert "3 blocks, 12 games" in lines[1]
    assert "efficiency is the anchor" in lines[1]
    assert [line.split()[:3] for line in lines[4:5]] == [["1", "efficiency", "1500"]]
    rows = list(csv.DictReader(io.StringIO(printed(f"{options} --csv"))))
    assert rows[0]["name"] == "efficiency"
    assert [float(row["rating"]) for row in rows] == sorted((float(row["rating"]) for row in rows), reverse=True)


def test_faults_are_counted() -> None:
    """A policy that fails is played for, and its first exception is reported."""
    said = printed(f"tsumogiri --player broken={Failing.__module__}:Failing {SHORT} --games 4 --keep-going")
    assert ["broken", "4", "0", "0"] in [line.split()[:4] for line in said.splitlines()]
    assert "broken: the first fault: OSError: no model" in said


def test_an_arena_goes_on(tmp_path: Path) -> None:
    """With --resume it plays the missing blocks alone; every game has a record that is named after its block."""
    out = tmp_path / "part"
    printed(f"{PLAYERS} {SHORT} --games 8 --out", str(out))
    blocks = out / "blocks.jsonl"
    blocks.write_text(f'{blocks.read_text()}{{"block":2,"ga')
    resumed = printed(f"{PLAYERS} {SHORT} --games 24 --json --resume --out", str(out))
    assert without_times(resumed) == without_times(printed(f"{PLAYERS} {SHORT} --games 24 --json"))
    assert sorted(path.name for path in (out / "games").iterdir())[-1] == "000005-3.mjson"
    assert '["again-0","tsumogiri-1"' in (out / "games" / "000000-0.mjson").read_text()
    refused = run(f"{PLAYERS} {SHORT} --schedule gauntlet --resume --out", str(out))
    assert "other players, rules, seed, placement points, schedule or time" in refused.stderr


def test_a_file_has_players_and_options(tmp_path: Path) -> None:
    """The command line has precedence."""
    config = tmp_path / "arena.toml"
    config.write_text(
        'games = 400\njobs = 1\nschedule = "gauntlet"\nset = ["length=kyoku"]\npoints = [3, 1, -1, -3]\n'
        f'out = "{tmp_path}/out"\n[players]\none = "random"\ntwo = "tsumogiri"\n'
    )
    data = json.loads(printed(f"--config {config} --games 8 --json"))
    assert (data["games"], data["schedule"], data["placement_points"]) == (8, "gauntlet", [3, 1, -1, -3])
    assert {player["name"]: player["kind"] for player in data["players"]} == {"one": "random", "two": "tsumogiri"}
    assert len(list((tmp_path / "out" / "games").iterdir())) == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("game = 4", "unknown key 'game'"),
        ('games = "4"', "games: expected a whole number"),
        ("games = true", "games: expected a whole number"),
        ('set = "length=kyoku"', "set: expected a list"),
        ("players = 3", "players: expected a table of names and kinds"),
        ("games =", "--config"),
        ("games = 0", "--games"),
    ],
)
def test_wrong_files(tmp_path: Path, text: str, message: str) -> None:
    """The message names the key."""
    config = tmp_path / "arena.toml"
    config.write_text(text)
    result = run(f"{PLAYERS} --config {config}")
    assert result.exit_code == 2
    assert message in result.stderr
    assert "--config" in run(f"{PLAYERS} --config {tmp_path}/none.toml").stderr


def test_ctrl_c_prints_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit status is 130, and the blocks before count."""

    def interrupted(standings: ArenaStandings, *_more: object) -> str:
        if standings.games == 8:
            raise KeyboardInterrupt
        return ""

    monkeypatch.setattr("ump.cli.arena.arena_progress", interrupted)
    result = run(f"{PLAYERS} {SHORT}")
    assert result.exit_code == 130
    assert "2 blocks, 8 games" in result.stdout


def test_no_games() -> None:
    """Nothing was played yet: the report says so, and progress has a bar."""
    standings = ArenaStandings(arena_of(2, "round-robin"), 0)
    assert arena_progress(standings, 8, 60, 24).split("\n") == [
        "[....................] 0 of 8 games",
        "    rating  games  place  pt  faults",
        "p0    1500      0      -   -       0",
        "p1    1500      0      -   -       0",
    ]
    assert [len(line) for line in arena_progress(standings, 8, 20, 3).split("\n")] == [20, 20, 20]
    assert arena_progress(standings, None, 60, 1) == "0 games"


def test_the_page_is_closed_in_itself(tmp_path: Path) -> None:
    """Names are escaped; only the records of games are linked, relative to the page; there are no scripts."""
    out = tmp_path / "arena"
    (tmp_path / "pages").mkdir()
    page = tmp_path / "pages" / "report.html"
    printed(f"{SHORT} --player <b>=random tsumogiri efficiency --games 24 --out {out} --html {page}")
    text = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
    assert text.count("<svg") == text.count("</svg>") == 4
    assert not any(word in text for word in ("http", "src=", "url(", "<script", "@import"))
    links = re.findall('href="([^"]+)"', text)
    assert len(links) == 10
    assert all((page.parent / link).is_file() for link in links)
    assert run(f"{PLAYERS} {SHORT} --games 4 --html {tmp_path}/new/page.html").exit_code == 0
    assert run(f"{PLAYERS} {SHORT} --games 4 --html {tmp_path}/new/page.html/page.html").exit_code == 2


def test_a_page_counts_who_came_first() -> None:
    """Pairs of seats are counted both ways, shared places for nobody; without records there are no links."""
    standings = ArenaStandings(arena_of(2, "round-robin"), 0)
    assert "no block was played" in arena_page(standings, standings.table(), None)
    counts = ({"kyoku": 8, "wins": 2},) * 4
    result = GameResult((30_000, 40_000, 15_000, 15_000), (2, 1, 3, 3))
    standings.add(Block(0, (BlockGame((0, 1, 1, 1), result, counts),), ("", "")))
    assert standings.share_ahead(0, 1) == (2 / 3, 1.0)
    text = arena_page(standings, standings.table(), None)
    assert "<td>67 ±100</td>" in text
    assert "href" not in text
    assert "<td>p1 40,000, p0 30,000, p1 15,000, p1 15,000</td>" in text


@each_row(
    ("options", "message"),
    [
        ("mortal random", "unknown player 'mortal'"),
        ("random", "expected 2 to 32 players, got 1"),
        ("random random", "two players are called 'random'"),
        ("random --player x", "unknown player 'x'"),
        ("random --player =x", "expected KIND or NAME=KIND"),
        ("random a=random b=", "'b=': expected KIND or NAME=KIND"),
        (f"random --player {'x' * 41}=random", "at most 40 printable characters"),
        (f"{PLAYERS} --schedule duplicate", "--schedule duplicate needs 4 players or more, got 3"),
        (f"{PLAYERS} --anchor x", "--anchor: no player is called 'x'"),
        (f"{PLAYERS} --points 1,2", "--points: expected 4 numbers, got 2"),
        (f"{PLAYERS} --resume", "--resume needs --out"),
        (f"{PLAYERS} --dask localhost", "expected HOST:PORT"),
        (f"{PLAYERS} --json --csv", "exclude each other"),
    ],
)
def test_wrong_command_lines(options: str, message: str) -> None:
    """The message names the option."""
    result = run(options)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.no_cover
def test_until_decided() -> None:
    """Pairs play until their tests decide, or up to a number of games; the report says what is known."""
    report = printed(f"tsumogiri random {SHORT} --until-decided --games 8 --json")
    (pair,) = json.loads(report)["pairs"]
    assert {key: pair[key] for key in ("first", "second", "verdict", "blocks")} == {
        "first": "tsumogiri",
        "second": "random",
        "verdict": "open",
        "blocks": 2,
    }
    assert "tsumogiri - random" in printed(f"tsumogiri random {SHORT} --until-decided --games 4")
    decided = printed(f"tsumogiri efficiency {SHORT} --until-decided --lead 40")
    assert "efficiency is better" in decided
    refused = run(f"{PLAYERS} {SHORT} --until-decided --schedule duplicate")
    assert (refused.exit_code, "needs --schedule round-robin, gauntlet or challenge" in refused.stderr) == (2, True)


def test_a_resumed_swiss_arena_plays_the_same_blocks(tmp_path: Path) -> None:
    """Its rounds follow from the blocks in the folder."""
    four = f"{PLAYERS} --player more=tsumogiri --player last=random {SHORT} --schedule swiss --json --out"
    printed(f"{four} {tmp_path / 'part'} --games 8")
    resumed = printed(f"{four} {tmp_path / 'part'} --games 20 --resume")
    assert without_times(resumed) == without_times(printed(f"{four} {tmp_path / 'whole'} --games 20"))


def test_names_in_a_plot_keep_clear_of_each_other() -> None:
    """Names of equal points stand below each other, in the frame; the axes have their units."""
    plot = scatter([PlotPoint(f"player {number}", 1.0, 1.0) for number in range(9)], Axes("games", "points, %"))
    found = re.findall(r'<text x="([\d.]+)" y="([\d.]+)">player', plot)
    heights = sorted(float(y) for _, y in found)
    assert all(after - before >= 15 for before, after in pairwise(heights))
    assert heights[0] > 0 and heights[-1] < 260
    assert ">points, %<" in plot and ">games<" in plot
