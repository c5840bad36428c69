"""``ump verify --lint``: report, JSON and exit status."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from support.sample_games import EAGER, MIXED, converted, sample

from ump.cli.main import main
from ump.record.findings import MOST_FINDINGS, FilePlace, Findings, Rule
from ump.record.lint.lint import lint
from ump.record.verify import Assumptions
from ump.rules.presets import PRESETS, TENHOU
from ump.rules.ruleset import Kuikae


def verify(*arguments: object) -> Result:
    """Run the command in one process."""
    return CliRunner().invoke(main, ["verify", "--lint", "--jobs", "1", *map(str, arguments)], catch_exceptions=False)


def faulty(folder: Path) -> Path:
    """Write a log with a wrong fu."""
    path = folder / "faulty.mjson"
    path.write_bytes(converted(EAGER, "mjai").replace(b'"fu":40', b'"fu":50', 1))
    return path


def test_a_right_record(tmp_path: Path) -> None:
    """There is no finding, and the exit status is 0."""
    path = tmp_path / "right.mjlog"
    path.write_bytes(gzip.decompress(sample(MIXED)))
    result = verify(path)
    assert (result.exit_code, result.stdout) == (0, "1 file, 6 kyoku: no finding\n")


def test_findings_are_lines(tmp_path: Path) -> None:
    """Each names its file, kyoku, line and rule; the exit status is 1."""
    path = faulty(tmp_path)
    result = verify(path)
    first, last = result.stdout.splitlines()
    assert result.exit_code == 1
    assert first.startswith(f"{path}: kyoku ") and first.endswith(", win-value: expected fu 40; found fu 50")
    assert last.endswith("1 finding in 1 of them: win-value 1")


def test_json(tmp_path: Path) -> None:
    """The same as data; files without a finding are only counted."""
    path = faulty(tmp_path)
    (tmp_path / "right.mjson").write_bytes(converted(MIXED, "mjai"))
    result = verify(tmp_path, "--json")
    told: dict[str, Any] = json.loads(result.stdout)
    (finding,) = told.pop("findings")
    assert (told["files"], told["faulty"], told["by_rule"]) == (2, 1, {"win-value": 1})
    assert (finding["file"], finding["rule"], finding["expected"]) == (str(path), "win-value", "fu 40")
    assert finding["place"] == f"line {finding['number']}"
    assert json.loads(path.read_bytes().splitlines()[finding["number"] - 1])["fu"] == 50


def test_unreadable_files_are_findings(tmp_path: Path) -> None:
    """A file of no format, a missing one, and a damaged archive have one finding each; no file at all is an error."""
    (tmp_path / "none.json").write_text("nothing", encoding="utf-8")
    (tmp_path / "archive.zip").write_bytes(b"PK")
    result = verify(tmp_path)
    assert result.exit_code == 1
    assert [line.split(": ")[1] for line in result.stdout.splitlines()[:2]] == ["unreadable", "unreadable"]
    (tmp_path / "empty").mkdir()
    assert verify(tmp_path / "empty").exit_code == 2


def test_a_length(tmp_path: Path) -> None:
    """``--length`` holds for a record that states none; with it, a kyoku after the end is a finding."""
    _, *rest = converted(MIXED, "mjai").splitlines()
    path = tmp_path / "game.mjson"
    path.write_bytes(b"\n".join((b'{"type":"start_game"}', *rest)))
    assert verify(path).exit_code == 0
    found = verify(path, "--length", "kyoku").stdout
    assert "after-end: expected the end of the game; found a further kyoku" in found
    path.write_bytes(b"\n".join((b'{"type":"start_game","kyoku_first":0}', *rest)))
    assert verify(path, "--length", "kyoku").exit_code == 0


def test_rules_for_another_number_of_players() -> None:
    """They are a finding, and the moves are judged by usual rules."""
    found = lint("three", converted(MIXED, "mjai").replace(b'"20,10,-10,-20"', b'"20,0,-20"')).findings
    assert [(each.rule, each.found) for each in found] == [(Rule.WRONG_VALUE, "rules for 3")]


def test_other_formats_are_linted_by_their_events() -> None:
    """A format without a reader of the linter's own is judged, too."""
    right = converted(EAGER, "mleague")
    assert lint("right", right).findings == ()
    entries = json.loads(right)
    discard = next(entry for entry in entries if entry["cmd"] == "sutehai" and "tsumogiri" in entry["args"])
    discard["args"].remove("tsumogiri")
    assert lint("planted", json.dumps(entries).encode()).findings


def test_a_journal_is_replayed() -> None:
    """Its header is damaged, so that is the finding."""
    (finding,) = lint("journal", b'{"journal":1}\n').findings
    assert finding.rule is Rule.UNREADABLE


def test_findings_are_limited() -> None:
    """A hostile file cannot fill the memory with findings, or a line with one of them."""
    findings = Findings()
    for number in range(2 * MOST_FINDINGS):
        findings.add(FilePlace("line", number), Rule.DRAW, "x" * 10_000, "y")
    assert len(findings.found) == MOST_FINDINGS
    assert len(findings.found[0].expected) < 200


def test_rules_of_a_record_that_states_none(data: Path) -> None:
    """Libump's server allows swap calls: they are faults by Tenhou's rules, and none by rules that allow them.

    It writes fu before rounding, which is no fault.
    """
    path = data / "ump02" / "libump-game-c0.txt.gz"
    assert [each.rule for each in lint("a", path.read_bytes()).findings].count(Rule.KUIKAE) == 4
    lenient = Assumptions(rules=replace(TENHOU, kuikae=Kuikae.ALLOWED))
    assert Rule.KUIKAE not in [each.rule for each in lint("a", path.read_bytes(), lenient).findings]


def test_a_swap_call_by_other_rules() -> None:
    """The same with a game of our own, which was played by rules that allow swap calls."""
    log = [json.loads(line) for line in converted("classic-eager-1", "mjai").splitlines()]
    assert lint("stated", "\n".join(map(json.dumps, log)).encode()).findings == ()
    del log[0]["ump"]
    unstated = "\n".join(map(json.dumps, log)).encode()
    assert lint("unstated", unstated).findings != ()
    assert lint("unstated", unstated, Assumptions(rules=PRESETS["classic"])).findings == ()
