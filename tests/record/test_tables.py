"""Tables: their rows, their files, and what interrupts them."""

from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.own_games import own_games
from support.written_record import RECORD

from ump.cli.main import main
from ump.record.conversion import seen_by
from ump.record.formats import named, read_games
from ump.record.record_format import Row
from ump.record.tables import TABLES, ColumnKind, CsvFile, TableFolder, rows_of

NAMES = [f"{name}.csv" for name in TABLES]


def convert(*arguments: object) -> Result:
    """Run the command in one process."""
    return CliRunner().invoke(main, ["convert", *map(str, arguments), "--jobs", "1"])


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Return the path of the written record."""
    path = tmp_path / "a.xml"
    path.write_text(RECORD, encoding="utf-8")
    return path


def part(row: Row, *names: str) -> list[object]:
    """Return some cells of a row."""
    return [row.get(name) for name in names]


def test_rows_of_the_written_record() -> None:
    """Its wins, draws and payments, and the decisions that led to them."""
    (game,) = read_games(RECORD.encode())
    rows = rows_of(game, "a", "mjlog")
    (of_game,) = rows["games"]
    assert part(of_game, "format", "seats", "kyoku", "name_c", "points_a", "place_a", "result_c") == [
        *("mjlog", 4, 3, "山", -13700, 4, 680),
    ]
    shown: tuple[str, ...] = (
        "round",
        "honba",
        "result",
        "winners",
        "points_b",
        "change_a",
        "change_b",
        "draws",
        "left",
        "milliseconds",
    )
    assert [part(row, *shown) for row in rows["kyoku"]] == [
        ["E1", 0, "ron", "B", 25000, -6400, 6400, 1, 69, None],
        ["E2", 0, "kyushukyuhai", "", 31400, 0, 0, 1, 69, None],
        ["E2", 1, "ron", "C", 31400, -32300, 0, 4, 66, None],
    ]
    shown = ("winner", "loser", "dealer", "tile", "hand", "yaku", "han", "fu", "yakuman", "points", "gain")
    assert [part(row, *shown) for row in rows["wins"]] == [
        ["B", "A", False, "1z", "2m3m4m2p3p4p2s3s4s1z7z7z7z", "chun 1;sanshokudoujun 2", 3, 50, 0, 6400, 6400],
        ["C", "A", False, "1m", "1m9m1p9p1s9s1z2z3z4z5z6z7z", "kokushimusou13 13", 13, None, 1, 32000, 32300],
    ]
    shown = ("kyoku", "decision", "seat", "phase", "tile", "shanten", "legal", "action")
    decisions = [part(row, *shown) for row in rows["decisions"]]
    assert [each[-1] for each in decisions][:3] == ["sute 1z tsumogiri", "ron", "ryukyoku"]
    assert decisions[1] == [1, 2, "B", "call", "1z", 0, "no;ron", "ron"]


def test_every_cell_has_a_column_and_its_type() -> None:
    """In games with rare hands, of three and four players, and as a seat saw them."""
    kinds = {ColumnKind.TEXT: str, ColumnKind.NUMBER: int, ColumnKind.TRUTH: bool}
    for game in own_games():
        for each in (game, seen_by(game, 0)):
            for name, rows in rows_of(each, "a", "x").items():
                types = {column.name: kinds[column.kind] for column in TABLES[name]}
                assert {
                    (column, type(cell)) for row in rows for column, cell in row.items() if cell is not None
                } <= set(types.items())
        actions = [(row["legal"], row["action"]) for row in rows_of(game, "a", "x")["decisions"]]
        assert all(action in str(legal).split(";") for legal, action in actions)


def test_csv_has_all_games(record: Path, tmp_path: Path) -> None:
    """Booleans are words, the unknown is empty; several games in one file are numbered; nothing is replaced."""
    mjai = tmp_path / "b.mjson"
    form = named("mjai")
    assert form.write is not None
    (game,) = read_games(RECORD.encode())
    mjai.write_bytes(2 * form.write(game))
    out = tmp_path / "out"
    result = convert(record, mjai, "--to", "csv", "--out", out)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "3 games converted, 0 not")
    assert sorted(path.name for path in out.iterdir()) == sorted(NAMES)
    with open(out / "games.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["game"] for row in rows] == [str(record), str(mjai), f"{mjai}#2"]
    assert (rows[0]["ended"], rows[0]["name_d"]) == ("true", "")
    again = convert(record, "--to", "csv", "--out", out)
    assert (again.exit_code, "exists; --force replaces it" in again.stderr) == (2, True)
    assert convert(record, "--to", "csv", "--out", out, "--force").exit_code == 0
    for arguments in ([], ["--out", "-"], ["--out", record]):
        assert "tables need a folder" in convert(record, "--to", "csv", *arguments).stderr


def test_parquet_has_the_same_rows(record: Path, tmp_path: Path) -> None:
    """With types."""
    if importlib.util.find_spec("pyarrow") is None:
        pytest.skip("pyarrow is not installed: pip install -e '.[tables]'")
    from pyarrow import parquet

    result = convert(record, "--to", "parquet", "--out", tmp_path / "out")
    assert result.exit_code == 0
    (game,) = read_games(RECORD.encode())
    for name, rows in rows_of(game, str(record), "mjlog").items():
        full = [{column.name: row.get(column.name) for column in TABLES[name]} for row in rows]
        assert parquet.read_table(tmp_path / "out" / f"{name}.parquet").to_pylist() == full


def test_parquet_without_pyarrow_says_what_to_install(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is left behind."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = convert(record, "--to", "parquet", "--out", tmp_path / "out")
    assert (result.exit_code, "pip install 'ump-mahjong[tables]'" in result.stderr) == (2, True)
    assert list((tmp_path / "out").iterdir()) == []


def test_interrupted_tables_leave_nothing(tmp_path: Path, record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C removes what is not complete, of tables and of single games."""

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(CsvFile, "add", interrupt)
    assert convert(record, "--to", "csv", "--out", tmp_path / "out").exit_code == 130
    assert list((tmp_path / "out").iterdir()) == []
    monkeypatch.setattr("ump.cli.convert.os.replace", interrupt)
    assert convert(record, "--to", "mjai", "--out", tmp_path / "out").exit_code == 130
    assert list((tmp_path / "out").iterdir()) == []


def test_a_full_disk_is_an_error(tmp_path: Path, record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While rows are written, and at the end."""

    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    for place in ("add", "close"):
        with monkeypatch.context() as patch:
            patch.setattr(TableFolder, place, fail)
            result = convert(record, "--to", "csv", "--out", tmp_path / place)
            assert (result.exit_code, "cannot write the tables: No space left" in result.stderr) == (2, True)
    (tmp_path / "file").write_text("")
    assert convert(record, "--to", "csv", "--out", tmp_path / "file" / "out").exit_code == 2


def test_hidden_hands_have_no_decisions(record: Path, tmp_path: Path) -> None:
    """They are an error; --lossy writes the other tables."""
    out = tmp_path / "out"
    assert "all hands and draws" in convert(record, "--to", "csv", "--seat", "B", "--out", out).stderr
    assert convert(record, "--to", "csv", "--seat", "B", "--lossy", "--force", "--out", out).exit_code == 0
    assert len((out / "decisions.csv").read_text().splitlines()) == 1
    assert len((out / "wins.csv").read_text().splitlines()) == 3
