"""Profiles: planted weaknesses are named after few games, chance is not, and ``ump stats --profile`` says so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from support.planted import PLANTED, planted_profiles
from support.rows import each_row
from support.sample_games import EAGER, MIXED, SUFFIX, sample

from ump.cli.main import main
from ump.record.profile import (
    LEAST_GAMES,
    PEOPLE,
    SHARES,
    STRONGEST,
    Chances,
    GameProfile,
    Weakness,
    every_finding,
    strongest,
    usual_of,
)
from ump.record.profile_report import findings_data, profile_lines
from ump.server.jobs import RESULTS

PROFILES = Path(__file__).resolve().parent.parent / "data" / "profiles.json"
"""The counts of planted and plain players in 40 games or more, which ``scripts/profile planted`` has played."""

DRAWN = 300
"""Samples of the games of one player."""


@cache
def played(name: str) -> list[GameProfile]:
    """Return the games of a planted player, or of the plain one."""
    rows = json.loads(PROFILES.read_text("ascii"))[name]
    return [GameProfile({Weakness(kind): Chances(*row[kind]) for kind in row}, None, ()) for row in rows]


def samples(name: str, games: int) -> list[Sequence[GameProfile]]:
    """Return samples of so many games, with replacement."""
    generator = Random(f"{name}/{games}")
    return [generator.choices(played(name), k=games) for _ in range(DRAWN)]


@each_row("weakness", list(PLANTED))
def test_a_planted_weakness_is_named(weakness: Weakness) -> None:
    """It is among the strongest findings in 80 of 100 samples of as many games as the design says."""
    usual = usual_of(played("plain"))
    games = PLANTED[weakness][1]
    named = 0
    for sample_of_games in samples(weakness.value, games):
        named += weakness in [each.weakness for each in strongest(sample_of_games, usual)]
    assert named >= 0.8 * DRAWN


def test_the_shares_of_the_error_are_all_of_it() -> None:
    """Each weakness has one."""
    assert sum(SHARES[weakness] for weakness in Weakness) == pytest.approx(1)


@each_row("games", [2, 5, 15, 20, 40])
def test_chance_is_not_named(games: int) -> None:
    """In one of 20 samples of plain players, at most, any weakness is found, all kinds together."""
    usual = usual_of(played("plain"))
    wrong = [each for each in samples("plain", games) if strongest(each, usual)]
    assert len(wrong) <= 0.05 * DRAWN


def test_a_game_is_counted() -> None:
    """A player who calls too much does so in this game, and every hit is a chance."""
    counts = planted_profiles(Weakness.CALLS, 1)[0].counts
    calls = counts[Weakness.CALLS]
    assert calls.hits > 0.03 * calls.chances > 0
    assert calls.loss > 0
    assert all(0 <= each.hits <= each.chances for each in counts.values())
    assert sum(each.chances > 0 for each in counts.values()) > 5


def test_few_games_show_nothing() -> None:
    """Up to 19 games text and JSON have no finding, however clear; then the two strongest stand out."""
    few = played("no_fold")[: LEAST_GAMES - 1]
    assert findings_data(few)["findings"] == []
    assert list(profile_lines("ann", few))[-1] == "the profile begins with 20 games"
    enough = [*few, few[0]]
    found = findings_data(enough)["findings"]
    assert next(each["weakness"] for each in found if each["stands_out"]) == "no_fold"
    assert sum(each["stands_out"] for each in found) <= STRONGEST
    assert len(found) == len(Weakness)
    assert any("ann folds too late: " in line for line in profile_lines("ann", enough))
    for each in every_finding(enough, PEOPLE):
        assert each.interval[0] <= each.rate <= each.interval[1]


def test_the_command_reviews_each_game_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The games of a player are reviewed and kept; those of others, and of three players, are not counted."""
    for name in (MIXED, EAGER):
        (tmp_path / f"{name}{SUFFIX}").write_bytes(sample(name))
    arguments = ["stats", str(tmp_path), "--player", "bob", "--profile", "--jobs", "1"]
    done = CliRunner().invoke(main, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert (data["player"], data["games"], data["findings"]) == ("bob", len(data["scores"]), [])
    assert len(list((tmp_path / RESULTS).iterdir())) == data["games"]
    monkeypatch.setattr("ump.cli.profile.profile_of", None)  # nothing is reviewed again
    again = CliRunner().invoke(main, arguments)
    assert again.stdout.startswith(f"bob: {data['games']} game"), again.output


@each_row(
    ("options", "message"),
    [
        (("--profile",), "--profile needs --player"),
        (("--profile", "--player", "bob", "--csv"), "excludes --split, --csv and --html"),
        (("--profile", "--player", "nobody", "--jobs", "1"), "no games of four players with nobody"),
    ],
)
def test_the_command_explains_what_is_wrong(options: tuple[str, ...], message: str, tmp_path: Path) -> None:
    """A wrong option, or a player without games, is one line with status 2."""
    (tmp_path / f"{MIXED}{SUFFIX}").write_bytes(sample(MIXED))
    done = CliRunner().invoke(main, ["stats", str(tmp_path), *options])
    assert (done.exit_code, message in done.stderr) == (2, True), done.stderr
