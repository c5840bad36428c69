"""Counts of players: by hand on a small game, invariants on long ones, the index and ``ump records --players``."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result
from record.test_journals import played
from support.memory_server import journal_folder
from support.policies import EagerPolicy
from support.rows import each_row
from support.written_record import RECORD

from ump.arena.play import play_game
from ump.cli.main import main
from ump.model.events import DrawReason, HandWon, KyokuDrawn, KyokuEnded
from ump.record.figures import place_interval
from ump.record.formats import read_games
from ump.record.game_index import GameIndex
from ump.record.indexed_game import GameFilter
from ump.record.journal import journal_counts, read_journal
from ump.record.player_counts import GameCounter, PlayerCounts
from ump.record.player_statistics import PlayerSums
from ump.server.journals import JournalFolder


@pytest.fixture
def records(tmp_path: Path) -> Iterator[JournalFolder]:
    """Return a folder with two finished games."""
    folder = journal_folder(tmp_path / "records")
    folder.open()
    played(folder)
    played(folder, "main-2")
    yield folder
    folder.close()


def run(folder: JournalFolder, *arguments: str) -> Result:
    """Run ``ump records`` in this process."""
    return CliRunner().invoke(main, ["records", str(folder.folder), "--jobs", "1", *arguments])


def test_a_small_game_is_counted_by_hand() -> None:
    """A deals in to B (6,400), B aborts with nine terminals, A deals in to C (32,000 and 300 for honba)."""
    (game,) = read_games(RECORD.encode())
    counter = GameCounter(4)
    for event in (event for kyoku in game.kyoku for event in kyoku.events):
        counter.see(event)
    assert counter.counts() == (
        PlayerCounts(kyoku=3, deal_ins=2, deal_in_points=38_700),
        PlayerCounts(kyoku=3, wins=1, win_points=6_400),
        PlayerCounts(kyoku=3, wins=1, win_points=32_300),
        PlayerCounts(kyoku=3),
    )


@each_row("seed", ["eager", "counts"])
def test_counts_agree_with_each_other(seed: str) -> None:
    """Each ron is one deal-in; every seat has all kyoku and draws; no rate is above one."""
    game = play_game([EagerPolicy(Random(seat)) for seat in range(4)], seed=seed)
    counter, at_once = GameCounter(4), GameCounter(4)
    for event in game.events:
        counter.see(event)
    counts = counter.counts()
    at_once.see_all(game.events)
    assert at_once.counts() == counts
    wins = [event for event in game.events if isinstance(event, HandWon)]
    rons = [event for event in wins if event.loser is not None]
    assert sum(each.wins for each in counts) == len(wins)
    assert sum(each.tsumo for each in counts) == len(wins) - len(rons)
    assert sum(each.deal_ins for each in counts) == len(rons)
    assert sum(each.deal_in_points for each in counts) == sum(-event.changes[event.loser or 0] for event in rons)
    assert {each.kyoku for each in counts} == {sum(isinstance(event, KyokuEnded) for event in game.events)}
    exhausted = [e for e in game.events if isinstance(e, KyokuDrawn) and e.reason is DrawReason.EXHAUSTED]
    assert {each.draws for each in counts} == {len(exhausted)}
    assert any(each.calls for each in counts)
    for each in counts:
        assert max(each.wins, each.riichi, each.calls) <= each.kyoku
        assert each.tenpai <= each.draws <= each.kyoku


def test_answers_and_timeouts_come_from_the_journal(records: JournalFolder) -> None:
    """The counts equal those of the journal's words; the times of all answers are not negative."""
    path = min(records.folder.glob("*.journal.gz"))
    data = gzip.decompress(path.read_bytes())
    lines = [json.loads(line) for line in data.splitlines()[1:]]
    counts = journal_counts(read_journal(data))
    for seat, each in enumerate(counts):
        assert each.answers == sum(line[1:3] == ["answer", seat] for line in lines)
        assert each.refusals == sum(line[1:3] == ["refused", seat] for line in lines)
        outcomes = [one for line in lines if isinstance(line[-1], dict) for one in line[-1].get("then", [])]
        timeouts = sum(one[0] == "default" and one[1] == seat and one[3] == "timeout" for one in outcomes)
        assert each.timeouts == timeouts
        assert 0 <= each.longest_answer <= each.answer_milliseconds
    assert sum(each.answers for each in counts) > 50


@pytest.mark.no_cover
def test_players_are_counted_once_and_kept(records: JournalFolder) -> None:
    """Places add up, the second report needs no journal, and ``--reindex`` brings the same."""
    first = run(records, "--players", "--json")
    assert (first.exit_code, first.stderr) == (0, "")
    players = json.loads(first.stdout)["players"]
    assert [each["games"] for each in players] == [2] * 4
    for place in range(1, 5):
        assert sum(each[f"place_{place}"] for each in players) == 2
    assert sum(each["average_place"] for each in players) == 10
    assert GameIndex(records.folder).uncounted() == []
    assert run(records, "--players", "--json", "--reindex").stdout == first.stdout
    hidden = [path.rename(path.with_suffix(".away")) for path in records.folder.glob("*.journal.gz")]
    assert (len(hidden), run(records, "--players", "--json").stdout) == (2, first.stdout)
    rows = list(csv.DictReader(io.StringIO(run(records, "--players", "--csv").stdout)))
    assert [row["name"] for row in rows] == [each["name"] for each in players]


def test_a_missing_journal_is_named(records: JournalFolder) -> None:
    """The other games are counted."""
    path = min(records.folder.glob("*.journal.gz"))
    path.unlink()
    result = run(records, "--players", "--json")
    assert (result.exit_code, f"{path}: not counted: No such file" in result.stderr) == (0, True)
    assert {(each["games"], each["counted"]) for each in json.loads(result.stdout)["players"]} == {(2, 1)}


@each_row(
    ("arguments", "games"),
    [
        ([], 2),
        (["--room", "main"], 2),
        (["--room", "other"], 0),
        (["--since", "2026-11-22", "--until", "2026-11-22"], 2),
        (["--since", "2026-11-23"], 0),
        (["--until", "2026-11-21"], 0),
        (["--end", "completed"], 2),
        (["--end", "stopped"], 0),
        (["--rules", "nobody's"], 0),
        (["--player", "nobody"], 0),
    ],
)
def test_filters_choose_games(records: JournalFolder, arguments: list[str], games: int) -> None:
    """The list and the statistics have the same games."""
    assert len(json.loads(run(records, "--json", *arguments).stdout)["games"]) == games
    players = json.loads(run(records, "--players", "--json", *arguments).stdout)["players"]
    assert [each["games"] for each in players] == ([games] * 4 if games else [])


def test_one_player_is_chosen(records: JournalFolder) -> None:
    """The list has the games of the player, the statistics the player alone; also with a filter of games."""
    name = next(GameIndex(records.folder).games()).players[0].name
    assert len(list(GameIndex(records.folder).games(None, GameFilter(player=name)))) == 2
    for room in (None, "main"):
        (sums,) = GameIndex(records.folder).players(GameFilter(player=name, room=room))
        assert (sums.name, sums.games) == (name, 2)


def test_games_without_counts_are_found_by_an_index(records: JournalFolder) -> None:
    """A report reads no other row to find them."""
    with closing(sqlite3.connect(records.folder / "games.sqlite")) as database:
        plan = database.execute(
            "EXPLAIN QUERY PLAN SELECT DISTINCT file FROM players WHERE kyoku IS NULL ORDER BY file"
        ).fetchall()
    assert all("players_uncounted" in row[-1] for row in plan)


@each_row(
    ("places", "interval"),
    [
        ((2, 2, 2, 2), (2.5 - 0.9994, 2.5 + 0.9994)),  # deviation of the sample 1.1952, t 2.3646
        ((8, 2, 0, 0), (1.0, 1.5016)),
        ((1, 1, 0, 0), (1.0, 4.0)),
        ((0, 0, 1, 1), (1.0, 4.0)),
        ((3, 0, 0, 0), None),
        ((1, 0, 0, 0), None),
        ((0, 0, 0, 0), None),
    ],
)
def test_the_interval_is_students(places: tuple[int, ...], interval: tuple[float, float] | None) -> None:
    """Student's interval of the mean, cut at the first and the last place; none of equal places."""
    listed = [place for place, times in enumerate(places, 1) for _ in range(times)]
    squares = sum(place * place for place in listed)
    number = len(listed)
    sums = PlayerSums("x", number, number, places, sum(listed), squares, 0, 0, 0, PlayerCounts())
    assert place_interval(sums.numbers()) == (interval and pytest.approx(interval, abs=1e-3))


def test_games_without_an_end_count_when_they_are_chosen(records: JournalFolder) -> None:
    """A game that all players have left counts for nobody, but with ``--end``."""
    assert "A" in run(records, "--players").stdout
    with closing(sqlite3.connect(records.folder / "games.sqlite")) as database, database:
        database.execute("UPDATE day_totals SET end = 'abandoned', completed = 0")
    assert run(records, "--players").stdout == "no such games\n"
    players = json.loads(run(records, "--players", "--json", "--end", "abandoned").stdout)["players"]
    assert [(each["games"], each["completed"]) for each in players] == [(2, 0)] * 4


def test_a_word_that_no_game_has(records: JournalFolder) -> None:
    """It finds nothing, and the games' own words are named."""
    for more in ([], ["--players"], ["--pairs"]):
        found = run(records, *more, "--rules", "umpp", "--room", "main", "--player", "E")
        assert found.exit_code == 0
        assert found.stderr.splitlines() == [
            "--player: no game has 'E'; the games have A, B, C, D",
            "--rules: no game has 'umpp' (did you mean ump?); the games have ump",
        ]
    assert run(records, "--room", "main").stderr == ""
    files = sorted(records.folder.glob("*.gz"))
    stats = CliRunner().invoke(main, ["stats", "--jobs", "1", *map(str, files), "--player", "E"])
    assert stats.stderr == "--player: no game has 'E'; the games have A, B, C, D\n"


def test_records_of_other_formats_are_no_journals(tmp_path: Path) -> None:
    """The message says how many there are, and which commands read them; an empty folder has no games."""
    assert CliRunner().invoke(main, ["records", str(tmp_path), "--players"]).stdout == "no such games\n"
    assert not list(tmp_path.iterdir())
    GameIndex(tmp_path).set_counts([])  # makes the tables
    for name in ("a.mjson", "b.mjlog.gz"):
        (tmp_path / name).write_bytes(b"")
    for more in ([], ["--players"], ["--pairs"], ["--reindex"]):
        result = CliRunner().invoke(main, ["records", str(tmp_path), *more])
        assert result.exit_code == 2
        assert f"no journals of a server in '{tmp_path}', but 2 other records (1 .mj" in result.stderr
        assert "ump stats counts what their players did" in result.stderr
    (tmp_path / "running.journal").write_bytes(b"")
    assert CliRunner().invoke(main, ["records", str(tmp_path), "--players"]).stdout == "no such games\n"


def test_tables_fit_a_terminal(records: JournalFolder) -> None:
    """Three tables of at most 79 columns; a wrong date and two formats are errors."""
    lines = run(records, "--players").stdout.splitlines()
    assert sum(line.startswith("player ") for line in lines) == 3
    assert all(len(line) < 80 for line in lines)
    for arguments, reason in (
        (["--since", "yesterday"], "is no date"),
        (["--since", "2026-13-01"], "is no date"),
        (["--json", "--csv"], "exclude each other"),
    ):
        result = run(records, *arguments)
        assert (result.exit_code, reason in result.stderr) == (2, True)
