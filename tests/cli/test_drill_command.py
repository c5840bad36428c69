"""``ump drill``: questions in the terminal, ratings that last, and files made from records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.sample_games import MIXED, SUFFIX, sample

from ump.cli.main import main
from ump.drills.drill import DrillKind
from ump.drills.drill_file import read_drills, shipped_drills, write_drills


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file of the ratings."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "ump" / "drills.json"


def run(*arguments: str, typed: str = "") -> Result:
    """Run the command."""
    return CliRunner().invoke(main, ["drill", *arguments], input=typed)


def test_ratings_last(state: Path, tmp_path: Path) -> None:
    """A right answer raises the rating; the same drill is not asked again, so it cannot raise it twice."""
    drill = next(each for each in shipped_drills() if each.kind is DrillKind.PUSH)
    file = tmp_path / "one.drills"
    file.write_bytes(write_drills([drill]))
    found = run("--from", str(file), typed=f"nonsense\n{drill.right[0]}\n")
    assert found.exit_code == 0 and "Right." in found.output and "1 of 1 right" in found.output
    kept = json.loads(state.read_text())
    assert kept["ratings"]["push"][0] > 1_500 and kept["answered"] == [drill.id]
    again = run("--from", str(file))
    assert "No drill is left" in again.output and json.loads(state.read_text()) == kept


def test_kinds_and_count(state: Path) -> None:
    """Questions are of the kinds that were named; the end of the input ends the command."""
    found = run("--kind", "furiten", "--count", "2", typed="1\n2\n")
    assert found.output.count("furiten?") == 2 and "of 2 right" in found.output
    assert run("--kind", "waits").exit_code == 0
    assert run("--kind", "riddle").exit_code == 2


def test_damaged_ratings_begin_anew(state: Path) -> None:
    """A file that is no JSON, or another one, is no error."""
    state.parent.mkdir()
    for content in ("{", "[]", '{"answered":[],"ratings":{"x":[1,2,3]}}', '{"answered":[],"ratings":{"push":[1]}}'):
        state.write_text(content)
        assert run("--count", "1", typed="q\n").exit_code == 0


def test_drills_are_made_from_records(tmp_path: Path) -> None:
    """A damaged record is named, and the others go on."""
    (tmp_path / f"good{SUFFIX}").write_bytes(sample(MIXED))
    (tmp_path / "bad.mjson").write_text('{"type":"start_game"')
    out = tmp_path / "made.drills"
    found = run("make", str(tmp_path), "--out", str(out), "--most", "20", "--jobs", "1")
    assert found.exit_code == 1 and "bad.mjson" in found.output
    drills = read_drills(out.read_bytes())
    assert {DrillKind.DISCARD, DrillKind.WAITS} <= {each.kind for each in drills}
    assert run("make", str(tmp_path / "bad.mjson"), "--out", str(out)).exit_code == 2
    assert run("--from", str(tmp_path / "bad.mjson")).exit_code == 2


def test_a_review_without_mistakes_writes_no_drills(tmp_path: Path) -> None:
    """``ump review --drills`` says so; a file without drills is not one that has been answered."""
    record, out = tmp_path / f"good{SUFFIX}", tmp_path / "mine.drills"
    record.write_bytes(sample(MIXED))
    reviewed = CliRunner().invoke(main, ["review", str(record), "--seat", "A", "--drills", str(out)])
    assert reviewed.exit_code == 0 and not out.exists()
    assert reviewed.stderr.startswith("--drills: no mistake of 500 points or more")
    out.write_bytes(write_drills([]))
    found = run("--from", str(out))
    assert found.exit_code == 2 and "no drills in this file" in found.output
