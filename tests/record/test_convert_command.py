"""``ump convert``: where games go, what stops it, and what it says."""

from __future__ import annotations

import gzip
import json
import re
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.sample_games import EAGER, STOPPED, converted, sample
from support.written_record import RECORD

from ump.cli.main import main
from ump.record.formats import read_games
from ump.record.lint.lint import lint


def convert(*arguments: object, given: bytes = b"") -> Result:
    """Run the command."""
    return CliRunner().invoke(main, ["convert", *map(str, arguments)], input=given)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Return a folder with two records, one of them in an archive."""
    (tmp_path / "a.xml").write_text(RECORD, encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "more.zip", "w") as archive:
        archive.writestr("deep/a.mjlog.gz", gzip.compress(RECORD.encode()))
    return tmp_path


def test_one_game_goes_to_standard_output(record: Path) -> None:
    """From a file or from standard input; what was derived or lost goes to standard error."""
    result = convert(record / "a.xml", "--to", "mjai")
    found = result.stdout
    assert result.stderr == "mjai log does not carry: which of the four copies each tile is\n"
    assert json.loads(found.splitlines()[0])["type"] == "start_game"
    assert convert("-", "--to", "mjai", given=RECORD.encode()).stdout == found


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_folder_goes_to_a_folder(record: Path, jobs: int) -> None:
    """Archives are read in place; equal names get numbers; a damaged record does not stop the others."""
    (record / "b.xml").write_text(RECORD.replace("</mjloggm>", "</x>"), encoding="utf-8")
    out = record / "out"
    result = convert(record, "--to", "tenhou6", "--out", out, "--jobs", jobs)
    assert result.exit_code == 1
    assert sorted(path.name for path in out.iterdir()) == ["a.tenhou6.json", "a_2.tenhou6.json"]
    assert f"{record / 'b.xml'}: not well-formed XML" in result.stderr
    assert "2 games converted, 1 not" in result.stdout
    assert "does not carry: the place of each kan dora" in result.stdout
    again = convert(record / "a.xml", "--to", "tenhou6", "--out", out)
    assert (again.exit_code, "exists; --force replaces it" in again.stderr) == (1, True)
    assert convert(record / "a.xml", "--to", "tenhou6", "--out", out, "--force").exit_code == 0


@pytest.mark.parametrize("to", ["mjlog", "tenhou6", "paipu", "ump01", "csv", "html"])
def test_half_of_a_surrogate_pair_in_a_name(record: Path, to: str) -> None:
    """JSON can contain one, but no text that is written: a question mark takes its place."""
    first, *rest = convert(record / "a.xml", "--to", "mjai").stdout.splitlines()
    start = json.loads(first)
    start["names"][1] = "b\ud800"
    (record / "b.mjson").write_text("\n".join((json.dumps(start), *rest)), encoding="utf-8")
    assert convert(record / "b.mjson", "--to", to, "--out", record / "out").exit_code == 0
    assert json.loads(convert(record / "b.mjson", "--to", "mjai").stdout.splitlines()[0])["names"][1] == "b?"


@pytest.mark.parametrize("name", ["\ud800", "\x1b[31m"])
def test_a_name_of_rules_that_cannot_be_printed(record: Path, name: str) -> None:
    """It is refused: terminals would obey it, and files could not hold it."""
    first, *rest = convert(record / "a.xml", "--to", "mjai").stdout.splitlines()
    start = json.loads(first) | {"ump": {"rules": {"name": name}}}
    (record / "b.mjson").write_text("\n".join((json.dumps(start), *rest)), encoding="utf-8")
    result = convert(record / "b.mjson", "--to", "csv", "--out", record / "out")
    assert (result.exit_code, "rules: name: a character that cannot be printed" in result.stderr) == (1, True)


def test_several_records_need_a_folder(record: Path) -> None:
    """Two games do not fit into one file."""
    for arguments in ([record, "--to", "mjai"], [record / "a.xml", record / "more.zip", "--to", "mjai"]):
        result = convert(*arguments)
        assert (result.exit_code, "several records need a folder" in result.stderr) == (2, True)


def test_a_seat_and_what_is_missing(record: Path) -> None:
    """A log of one seat hides the other hands, and cannot become a format that needs them."""
    seen = convert(record / "a.xml", "--to", "mjai", "--seat", "B").stdout.encode()
    result = convert("-", "--to", "tenhou6", given=seen)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("-: tenhou.net/6 JSON needs what this record does not say: all hands and draws")


# Games that were stopped in the middle of a kyoku


@pytest.mark.parametrize("to", ["mjai", "mortal", "tenhou6", "tenhou6-urls", "mjlog", "paipu", "ump01", "ump02"])
def test_a_kyoku_without_a_result_is_left_out(to: str, tmp_path: Path) -> None:
    """The rest is a game without a fault that has no end; the summary says so."""
    (tmp_path / "a.mjson").write_bytes(sample(STOPPED))
    result = convert(tmp_path / "a.mjson", "--to", to, "--out", tmp_path / "out")
    assert "left out: a last kyoku without a result, of 1 game (--unfinished keeps it)\n" in result.stdout
    (path,) = (tmp_path / "out").iterdir()
    (game,) = read_games(path.read_bytes())
    assert [kyoku.complete for kyoku in game.kyoku] == [True] * 3
    assert game.ended is None
    assert lint("a", path.read_bytes()).findings == ()


def test_the_end_of_a_stopped_game() -> None:
    """The scores at the end are those before the kyoku that is left out."""
    starts = [line for line in sample(STOPPED).splitlines() if b'"start_kyoku"' in line]
    scores = json.loads(starts[3])["scores"]
    assert json.loads(converted(STOPPED, "mjai").splitlines()[-1])["scores"] == scores
    assert json.loads(converted(STOPPED, "tenhou6"))["sc"][::2] == scores
    assert json.loads(converted(STOPPED, "paipu"))["defen"] == scores
    owari = ",".join(f"{points // 100},-?[0-9]+[.][0-9]" for points in scores)
    assert re.search(f'owari="{owari}"', converted(STOPPED, "mjlog").decode())


def test_an_unfinished_kyoku_is_kept(tmp_path: Path) -> None:
    """With the switch, and for people."""
    log = sample(STOPPED)
    kept = convert("-", "--to", "mjai", "--unfinished", given=log).stdout.encode()
    assert kept.splitlines()[1:] == log.splitlines()[1:]  # the first line has results, which this game has no more
    assert "The record of this kyoku ends here." in convert("-", "--to", "text", given=log).stdout
    assert convert("-", "--to", "csv", "--out", tmp_path, given=log).exit_code == 0
    assert len((tmp_path / "kyoku.csv").read_text(encoding="utf-8").splitlines()) == 1 + 4


def test_a_game_of_which_nothing_is_left() -> None:
    """A game that was stopped in its first kyoku is refused in one line."""
    log = b"".join(converted(EAGER, "mjai").splitlines(keepends=True)[:40])
    result = convert("-", "--to", "mjlog", given=log)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "-: stopped before its first result, so that no kyoku is left (--unfinished keeps it)\n"
