"""``ump dataset``: the decisions of records are those of the games, with what the players saw."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.majsoul_record import record
from support.policies import EagerPolicy
from support.sample_games import EAGER, GAMES, converted, sample

from ump.arena.blocks import record_of
from ump.arena.environment import Environment
from ump.arena.play import PlayedGame
from ump.cli.main import main
from ump.env.action_ids import ACTION_NAMES, ACTIONS, action_id, actions_by_id
from ump.env.dataset import COLUMNS, KeptDecisions, Selection, decisions, encode_source, recorded_start
from ump.env.episode import Episode, task
from ump.env.rows import SHAPE, SIZE, rows_of
from ump.model.phases import Phase
from ump.record.conversion import Conversion, convert
from ump.record.formats import content, read_games
from ump.record.record_files import RecordSource, unpacked


@pytest.mark.parametrize("rules", ["tenhou", "tenhou3"])
def test_decisions_are_those_of_the_game(rules: str) -> None:
    """A game is played and recorded; its record has what each seat saw at each question, and what it did."""
    environment, policy = Environment(rules), EagerPolicy(Random(4))
    environment.reset("dataset")
    asked: list[tuple[int, Phase, bytes, set[int], int]] = []
    while not environment.over:
        question, seen = environment.question(), environment.observation()
        action = policy.choose(seen, question.phase, question.tile, question.legal())
        rows = bytes(rows_of(seen, question.phase, question.tile))
        legal = set(actions_by_id(question.legal(), question.tile))
        asked.append((question.seat, question.phase, rows, legal, action_id(action, question.tile)))
        environment.step(action)
    assert environment.result is not None
    played = PlayedGame(environment.names, environment.ruleset, tuple(environment.events), environment.result)
    (found,) = encode_source(RecordSource("game", record_of(played)), Selection()).games
    assert (len(found), found.left_out, found.seats) == (len(asked), 0, environment.ruleset.seats)
    for place, (seat, phase, rows, legal, number) in enumerate(asked):
        assert (found.seat[place], found.phase[place]) == (seat, phase.value)
        assert found.observation[place * SIZE : place * SIZE + SIZE] == rows
        mask = found.mask[place * ACTIONS : place * ACTIONS + ACTIONS]
        assert {each for each in range(ACTIONS) if mask[each]} == legal
        if phase is not Phase.CALL:  # a call that another one has outranked is not recorded
            assert found.action[place] == number
        assert found.points[place] == played.result.points[seat]
        assert found.place[place] == played.result.places[seat]
    start = environment.ruleset.start_points
    changes = {(kyoku, seat): change for kyoku, seat, change in zip(found.kyoku, found.seat, found.change, strict=True)}
    assert any(changes.values())
    assert sum(change or 0 for (kyoku, seat), change in changes.items() if seat == 0 and kyoku == 1) + start > 0


def test_an_episode_goes_on_from_a_record() -> None:
    """It begins at any decision: the same seat sees the same, and its recorded actions lead to the same."""
    (game,) = read_games(content(unpacked(sample(EAGER))))
    whole = decisions(game, "game")
    place = len(whole) - 20
    episode = Episode(task(game.ruleset, episode="kyoku"))
    episode.begin(1, recorded_start(game, whole.kyoku[place], whole.number[place]))
    for each in range(place, len(whole)):
        assert episode.seat == whole.seat[each]
        assert episode.rows(episode.seat) == whole.observation[each * SIZE : each * SIZE + SIZE]
        episode.step(whole.action[each])
    assert episode.over
    with pytest.raises(ValueError, match="no 1000"):
        recorded_start(game, 1, 1000)


def test_only_discards() -> None:
    """A data set of discards has no other decisions, and all of these."""
    games = [encode_source(RecordSource("game", sample(EAGER)), Selection(kept)).games[0] for kept in KeptDecisions]
    every, discards = games
    names = [ACTION_NAMES[number].rpartition(" ")[0] for number in discards.action]
    assert set(names) == {"discard", "riichi"}
    expected = [number for number in every.action if ACTION_NAMES[number].startswith(("discard", "riichi"))]
    assert discards.action == expected
    assert len(every) > len(discards) > 0


def test_every_format_has_the_same_decisions() -> None:
    """A replay shows the same whatever the format of the record."""
    whole = encode_source(RecordSource("game", sample(EAGER)), Selection()).games[0]
    for key in ("mjai", "tenhou6", "ump02"):
        other = encode_source(RecordSource("game", converted(EAGER, key)), Selection()).games[0]
        assert other.action == whole.action
        assert other.observation == whole.observation


def test_room_rank_and_rating_are_those_of_the_record() -> None:
    """Tenhou's and Mahjong Soul's records state them. What a program wrote that knows none does not count."""
    plain = unpacked((GAMES / "tenhou-mixed-1.mjlog.gz").read_bytes())
    tenhou = plain.replace(b'type="9"', b'type="169"').replace(b'dan="0,0,0,0"', b'dan="17,16,20,9"')
    tenhou = tenhou.replace(b'rate="1500.00,', b'rate="2211.97,')
    (game,) = read_games(tenhou)
    exported = json.loads(converted("tenhou-mixed-1", "tenhou6"))
    exported |= {"rule": {"disp": "鳳南喰赤"}, "dan": ["七段", "天鳳位", "?", "9級"], "rate": [2100.5, 1500, None, 1]}
    expected = [
        (tenhou, ("houou", (17, 16, 20, 9), (2211.97, 1500.0, 1500.0, 1500.0))),
        (tenhou.replace(b'lobby="0"', b'lobby="7447"'), ("lobby 7447", game.ranks, game.ratings)),
        (plain, ("", (), ())),
        (json.dumps(exported).encode(), ("houou", (16, 20, None, 1), (2100.5, 1500.0, None, 1.0))),
        (json.dumps(record(game)).encode(), ("12", (10301, 10302, 10303, 10304), ())),
    ]
    for data, stated in expected:
        (read,) = read_games(data)
        assert (read.room, read.ranks, read.ratings) == stated
    found = decisions(game, "game")
    assert (found.room, found.ranks, found.ratings) == (game.room, game.ranks, game.ratings)


def test_a_contradiction_ends_its_kyoku() -> None:
    """Under rules that forbid its riichi, a game keeps the decisions before each of them, and none that is illegal."""
    (game,) = read_games(content(unpacked(sample(EAGER))))
    whole = decisions(game, "game")
    assert any(ACTION_NAMES[number].startswith("riichi") for number in whole.action)
    found = decisions(replace(game, ruleset=replace(game.ruleset, riichi_points=1_000_000)), "game")
    assert found.left_out > 0
    assert 0 < len(found) < len(whole)
    assert not any(ACTION_NAMES[number].startswith("riichi") for number in found.action)
    assert all(found.mask[place * ACTIONS + number] for place, number in enumerate(found.action))


def ump_dataset(*arguments: object) -> Result:
    """Run the command."""
    return CliRunner().invoke(main, ["dataset", *map(str, arguments)])


def files(folder: Path) -> dict[str, bytes]:
    """Return the content of each file."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Return a folder with two games, of four and of three players."""
    folder = tmp_path / "records"
    folder.mkdir()
    for name in ("tenhou-mixed-1", "tenhou3-mixed-1"):
        (folder / f"{name}.mjlog.gz").write_bytes((GAMES / f"{name}.mjlog.gz").read_bytes())
    return folder


def test_shards_and_their_manifest(records: Path, tmp_path: Path) -> None:
    """The shards have the columns of the schema, and the manifest describes them; processes do not matter."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="data sets need the extra tables")
    out = tmp_path / "data"
    done = ump_dataset(records, "--out", out, "--shard", 1, "--jobs", 1)
    assert done.exit_code == 0, done.output
    manifest = json.loads((out / "manifest.json").read_text())
    assert done.output == f"{manifest['decisions']} decisions of 2 games in 2 shards; 0 records not used\n"
    assert [shard["file"] for shard in manifest["shards"]] == ["decisions-00000.parquet", "decisions-00001.parquet"]
    assert manifest["actions"] == list(ACTION_NAMES)
    seats = []
    for shard in manifest["shards"]:
        table = parquet.read_table(out / shard["file"])
        assert table.num_rows == shard["decisions"]
        assert table.column_names == [name for name, _, _ in COLUMNS]
        rows: list[dict[str, Any]] = table.to_pylist()
        assert all(row["action_mask"][row["action"]] for row in rows)
        assert all(len(row["observation"]) == SHAPE[0] * SHAPE[1] for row in rows)
        assert {row["seat"] for row in rows} == set(range(rows[0]["seats"]))
        seats.append(rows[0]["seats"])
    assert sorted(seats) == [3, 4]
    again = tmp_path / "again"
    assert ump_dataset(records, "--out", again, "--shard", 1, "--jobs", 2).exit_code == 0
    assert files(again) == files(out)


def test_a_data_set_is_not_overwritten(records: Path, tmp_path: Path) -> None:
    """Only --force replaces it, with all of its shards."""
    pytest.importorskip("pyarrow", reason="data sets need the extra tables")
    out = tmp_path / "data"
    assert ump_dataset(records, "--out", out, "--shard", 1, "--jobs", 1).exit_code == 0
    refused = ump_dataset(records, "--out", out)
    assert refused.exit_code == 2
    assert "--force replaces the data set" in refused.output
    (out / "decisions-00009.parquet.part").touch()
    assert ump_dataset(records, "--out", out, "--force", "--jobs", 1, "--kind", "discards").exit_code == 0
    assert list(files(out)) == ["discards-00000.parquet", "manifest.json"]


def test_a_data_set_stays_until_the_new_one_is_complete(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while --force replaces it changes nothing."""
    pytest.importorskip("pyarrow", reason="data sets need the extra tables")
    from ump.env.dataset import Shards

    out = tmp_path / "data"
    assert ump_dataset(records, "--out", out, "--shard", 1, "--jobs", 1).exit_code == 0
    old = files(out)
    whole = Shards.add

    def interrupted(self: Shards, game: Any) -> None:
        if self.games == 1:
            raise KeyboardInterrupt
        whole(self, game)

    monkeypatch.setattr(Shards, "add", interrupted)
    assert ump_dataset(records, "--out", out, "--shard", 1, "--jobs", 1, "--force").exit_code == 130
    assert files(out) == old


def test_unusable_records_are_named(records: Path, tmp_path: Path) -> None:
    """The others are used; the exit status tells."""
    pytest.importorskip("pyarrow", reason="data sets need the extra tables")
    (records / "broken.mjlog").write_bytes(b"<mjloggm>")
    (records / "hidden.mjson").write_bytes(_hidden())
    done = ump_dataset(records, "--out", tmp_path / "data", "--jobs", 1)
    assert done.exit_code == 1
    assert "broken.mjlog: " in done.output
    assert "hidden.mjson: decisions need all hands and draws" in done.output
    assert "of 2 games in 1 shards; 2 records not used" in done.output
    empty = tmp_path / "empty"
    done = ump_dataset(records / "broken.mjlog", "--out", empty, "--jobs", 1)
    assert (done.exit_code, files(empty)) == (2, {})
    assert "no record has a decision: there is no data set" in done.output


def _hidden() -> bytes:
    """Return a record that shows what one seat saw."""
    return convert("game", sample(EAGER), Conversion("mjai", seat=1)).games[0]


def test_an_interrupted_data_set_leaves_nothing(records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle removes the shards; there is no manifest."""
    pytest.importorskip("pyarrow", reason="data sets need the extra tables")
    from ump.env.dataset import Shards

    whole = Shards.add

    def interrupted(self: Shards, game: Any) -> None:
        if self.games == 1:
            raise KeyboardInterrupt
        whole(self, game)

    monkeypatch.setattr(Shards, "add", interrupted)
    out = tmp_path / "data"
    done = ump_dataset(records, "--out", out, "--shard", 1_000_000, "--jobs", 1)
    assert (done.exit_code, done.output) == (130, "interrupted; the unfinished data set was removed\n")
    assert files(out) == {}


def test_without_pyarrow_it_says_what_to_install(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And writes nothing."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = ump_dataset(records, "--out", tmp_path / "data")
    assert done.exit_code == 2
    assert "pip install 'ump-mahjong[tables]'" in done.output
    assert not (tmp_path / "data").exists()


def test_a_folder_without_records(tmp_path: Path) -> None:
    """It is an error, and no empty data set."""
    (tmp_path / "records").mkdir()
    done = ump_dataset(tmp_path / "records", "--out", tmp_path / "data")
    assert done.exit_code == 2
    assert "no records in" in done.output
