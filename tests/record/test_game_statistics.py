"""``ump stats``: its figures against counts of the raw records, joined names, splits, and every form of the report."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from click.testing import CliRunner
from support.budgets import some
from support.own_games import own_games
from support.rows import each_row
from support.sample_games import EAGER, GAMES, MIXED, SUFFIX, sample
from support.scenario import Scenario
from support.written_record import RECORD

import ump
from ump.cli.main import main
from ump.model.events import HandWon
from ump.record.figures import wilson_95
from ump.record.formats import named
from ump.record.game_statistics import PlayerTotals, count_source, game_counts, row_data, summary
from ump.record.record_files import RecordSource
from ump.record.recorded_game import RecordedGame, RecordedKyoku
from ump.record.verify import NO_ASSUMPTIONS
from ump.rules.presets import PRESETS

ELEMENT = re.compile(r"<(\w+)([^>]*?)/?>")
ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')


def raw_counts(text: str) -> dict[str, Counter[str]]:
    """Count the elements of a Tenhou record by player, without any of our code.

    The names of calls are in the bits of ``m``: 2 is chi, 3 and 4 are pon and a tile added to it, 5 is a north, and
    other melds are kans, closed ones from nobody.
    """
    names: list[str] = []
    found: dict[str, Counter[str]] = {}
    calls: set[int] = set()
    riichi: list[int] = []
    discards = [0] * 4
    for tag, written in ELEMENT.findall(text):
        given = dict(ATTRIBUTE.findall(written))
        if tag == "UN" and not names:
            names = [unquote(given[f"n{seat}"]) for seat in range(4)]
            found = {name: Counter() for name in names}
        elif tag == "INIT":
            calls, riichi, discards = set(), [], [0] * 4
            for name in names:
                found[name]["kyoku"] += 1
            ended = False
        elif re.fullmatch(r"[D-G]\d+", tag):
            discards["DEFG".index(tag[0])] += 1
        elif tag == "N":
            bits, who = int(given["m"]), int(given["who"])
            is_open = bits & 4 or bits & 8 or (not bits & 16 and not bits & 32 and bits & 3)
            if is_open and who not in calls:
                calls.add(who)
                found[names[who]]["calls"] += 1
        elif tag == "REACH" and given["step"] == "1":
            who = int(given["who"])
            found[names[who]]["riichi"] += 1
            found[names[who]]["riichi_turns"] += discards[who] + 1
            found[names[who]]["chasing"] += bool(riichi)
            riichi.append(who)
        elif tag == "AGARI":
            who, loser = int(given["who"]), int(given["fromWho"])
            counts, changes = found[names[who]], [100 * int(each) for each in given["sc"].split(",")[1::2]]
            counts["wins"] += 1
            counts["tsumo"] += who == loser
            counts["win_turns"] += discards[who] + (who == loser)
            counts["win_points"] += changes[who]
            counts["win_value"] += int(given["ten"].split(",")[1])
            listed = given.get("yaku", "").split(",")[0::2] + given.get("yakuman", "").split(",")
            counts["yaku_tanyao"] += "8" in listed
            counts["riichi_wins"] += who in riichi
            if who != loser:
                counts = found[names[loser]]
                counts["deal_ins"] += 1
                counts["deal_in_kyoku"] += not ended
                counts["deal_in_points"] -= changes[loser]
            ended = True
        elif tag == "RYUUKYOKU" and "type" not in given:
            for seat, name in enumerate(names):
                found[name]["draws"] += 1
                found[name]["tenpai"] += f"hai{seat}" in given
        if "owari" in given:
            points = [int(each) for each in given["owari"].split(",")[0::2]]
            for seat, name in enumerate(names):
                found[name][f"place_{1 + sum(other > points[seat] for other in points)}"] += 1
    return found


def test_figures_of_real_games_are_those_of_the_raw_records(data: Path) -> None:
    """Each count of each player over Tenhou's games is that of a count of the elements; with --long, over all."""
    chosen = some(some(sorted((data / "tenhou" / "games").glob("*.xml.gz"))))
    expected: dict[str, Counter[str]] = {}
    totals = PlayerTotals()
    for file in chosen:
        for name, counts in raw_counts(gzip.decompress(file.read_bytes()).decode()).items():
            expected.setdefault(name, Counter()).update(counts)
        totals.add(count_source(RecordSource(str(file)), NO_ASSUMPTIONS))
    assert totals.games == len(chosen)
    assert set(expected) == {name for (name,) in totals.rows}
    for (name,), counts in totals.rows.items():
        ties = [f"place_{place}" for place in (1, 2, 3, 4)]  # equal points: the seat decides, which the count ignores
        compared = [key for key in expected[name] if key not in ties]
        assert {key: counts[key] for key in compared} == {key: expected[name][key] for key in compared}
        assert counts["place_1"] <= expected[name]["place_1"]


def test_wins_divide_into_kinds_and_nothing_is_lost() -> None:
    """Riichi, open and dama make all wins; payments sum up to the sticks; every seat counts the same kyoku."""
    for game in own_games():
        counts = game_counts(game)
        for each in counts:
            assert each["riichi_wins"] + each["open_wins"] + each["dama_wins"] == each["wins"]
            assert each["deal_in_kyoku"] <= each["deal_ins"]
            assert each["riichi_tile_deal_ins"] + each["riichi_deal_ins"] <= each["riichi"] + each["deal_in_kyoku"]
        assert len({each["kyoku"] for each in counts}) == 1
        assert sum(each["dealer_kyoku"] for each in counts) == counts[0]["kyoku"]
        assert sum(each["chased"] for each in counts) == sum(each["chasing"] for each in counts)
        assert sum(each["balance"] for each in counts) % 1000 == 0


NOTHING: Mapping[str, object] = {}


@each_row(
    ("second", "loss", "to_riichi", "to_dama"),
    [
        (NOTHING, 2_600, None, 2_600),
        ({"riichi": True}, 2_600, 1_300, 1_300),
        ({"changes": ()}, None, None, None),  # a record without the second payment
    ],
)
def test_a_double_ron_is_one_loss(
    second: dict[str, Any], loss: int | None, to_riichi: int | None, to_dama: int | None
) -> None:
    """Twice 1,300 points for one discard are a deal-in for 2,600; each kind of hand has its part."""
    hands = {"A": "5p147m28s1357z19s2p", "B": "234678m4688p345s", "C": "234678m4622p345s"}
    scenario = Scenario(hands, rules=PRESETS["tenhou"])("A sute 5p", "B ron", "C ron")
    first, last = scenario.events_of(HandWon)
    assert [first.changes[0], last.changes[0]] == [-1_300, -1_300]
    events = [each for each in scenario.events if each is not last]
    kyoku = RecordedKyoku((*events, replace(last, **second)), None, {}, (1, 1), None, complete=True)
    names = ("a", "b", "c", "d")
    game = RecordedGame(names, PRESETS["tenhou"], (kyoku,), None, from_start=True, own_counting=False)
    row = row_data(("a",), game_counts(game)[0], ())
    assert row["deal_in_kyoku"] == 1
    assert row["average_loss"] == loss
    assert (row["average_loss_to_riichi"], row["average_loss_to_dama"]) == (to_riichi, to_dama)


def test_a_record_without_payments_or_hands_counts_the_rest() -> None:
    """A record of one seat, or without payments, has no averages of facts that it lacks."""
    (whole,) = ump.read_records(GAMES / f"{MIXED}{SUFFIX}")
    for key in ("mjai", "paipu", "tenhou6"):
        write, read = named(key).write, named(key).read
        assert write is not None and read is not None
        (game,) = read(write(whole[1]))
        assert [each["wins"] for each in game_counts(game)] == [each["wins"] for each in game_counts(whole[1])]


def test_games_without_an_end() -> None:
    """One that was left later has its kyoku, and no place; one left in its first kyoku counts nothing."""
    write = named("mjai").write
    assert write is not None
    lines = write(ump.read_record(GAMES / f"{EAGER}{SUFFIX}")).splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines) if b'"end_kyoku"' in line]
    totals = PlayerTotals()
    for last in (ends[0] - 9, ends[2] - 9, len(lines)):
        totals.add(count_source(RecordSource("x.mjson", b"".join(lines[:last])), NO_ASSUMPTIONS))
    assert (totals.games, totals.completed, totals.empty, len(totals.damaged)) == (2, 1, 1, 0)
    assert totals.everybody["kyoku"] == 4 * (2 + len(ends))
    assert sum(totals.everybody[f"place_{place}"] for place in (1, 2, 3, 4)) == 4
    assert list(summary(totals))[1:] == [
        "1 game without an end: counted without a place",
        "1 game left before a kyoku came to a result: not counted",
    ]


def test_intervals_and_joined_names() -> None:
    """Wilson's interval is that of R. G. Newcombe 1998, and the seats of an arena's player are one row."""
    assert wilson_95(81, 263) == pytest.approx((0.2553, 0.3662), abs=0.0001)
    data = re.sub(r'n(\d)="[^"]*"', lambda found: f'n{found[1]}="bot%2D{found[1]}"', RECORD).encode()
    totals = PlayerTotals()
    totals.add(count_source(RecordSource("2022013115gm-x", data), NO_ASSUMPTIONS))
    assert [(key, counts["games"]) for key, counts in totals.sorted_rows()] == [(("bot",), 4)]
    assert row_data(("bot",), totals.rows["bot",], ())["average_place"] == 2.5
    assert count_source(RecordSource("2022013115gm-x", data), NO_ASSUMPTIONS).games[0].date == "2022-01-31"


def stats(*arguments: str) -> tuple[int, str, str]:
    """Run ``ump stats`` in this process."""
    result = CliRunner().invoke(main, ["stats", "--jobs", "1", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_the_report_in_every_form(tmp_path: Path) -> None:
    """Text, CSV, JSON and a page agree; an unreadable record is named, and none at all is an error."""
    for name in (EAGER, MIXED):
        (tmp_path / f"{name}.mjlog.gz").write_bytes(sample(name))
    (tmp_path / "broken.mjlog").write_text("<html>")
    status, text, _ = stats(str(tmp_path), "--html", str(tmp_path / "stats.html"))
    assert (status, text.splitlines()[0].partition(" records")[0]) == (0, "3")
    assert "broken.mjlog: unreadable: not a record" in text
    assert {"of wins", "of deal-ins", "of riichi"} <= {line.partition(" (")[0] for line in text.splitlines()}
    status, printed, said = stats(str(tmp_path), "--csv", "--split", "seat", "--split", "rules")
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert {(row["seat"], row["rules"]) for row in rows} == {(seat, "tenhou") for seat in "ABCD"}
    assert "broken.mjlog: unreadable" in said
    data = json.loads(stats(str(tmp_path), "--json")[1])
    assert data["games"] == 2
    assert data["everybody"]["kyoku"] == sum(each["kyoku"] for each in data["players"])
    low, rate, high = (data["everybody"][key] for key in ("win_rate_low", "win_rate", "win_rate_high"))
    assert low < rate < high
    name = data["players"][0]["name"]
    assert [each["name"] for each in json.loads(stats(str(tmp_path), "--json", "--player", name)[1])["players"]] == [
        name
    ]
    assert (tmp_path / "stats.html").read_text().count("<svg") == 6
    assert stats(str(tmp_path / "broken.mjlog"))[0] == 2
    assert "exclude each other" in stats(str(tmp_path), "--csv", "--json")[2]
