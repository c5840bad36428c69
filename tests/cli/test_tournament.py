"""The command ``ump tournament``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ump.cli.main import main


def test_a_tournament_by_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From its making to its end; refusals have status 1, and wrong command lines 2."""
    monkeypatch.setenv("UMP_TOURNAMENTS", str(tmp_path / "club.sqlite"))
    (tmp_path / "seating.csv").write_text("east,south,west,north\nMika,Bob,Eva,Robo\n")

    def run(*words: str) -> Result:
        return CliRunner().invoke(main, ["tournament", *words], catch_exceptions=False)

    assert "#director=" in run("new", "cup", "Winter Cup", "--format", "list", "--rounds", "1").stdout
    codes = run("add", "cup", "Mika", "Bob", "Eva", "--team", "North").stdout.splitlines()
    assert [line.split()[0] for line in codes] == ["Mika", "Bob", "Eva"] and "cup:" in codes[0]
    assert run("add", "cup", "Robo", "--bot", "efficiency").stdout == ""
    assert "#code=" in run("code", "cup", "Mika").stdout
    assert "Mika  Bob    Eva   Robo" in run("plan", "cup", "--seating", str(tmp_path / "seating.csv")).stdout
    assert "ready" in run("publish", "cup").stdout
    for words in (
        ("start", "cup", "--table", "1", "--bots"),
        ("pause", "cup"),
        ("substitute", "cup", "Mika"),
        ("penalty", "cup", "Bob", "7.5", "late"),
        ("penalty", "cup", "--revoke", "1"),
        ("withdraw", "cup", "Eva"),
        ("readmit", "cup", "Eva"),
        ("substitute", "cup", "Mika", "--by", "Mika"),
        ("time", "cup", "1", "60"),
        ("reseat", "cup", "1", "Bob", "Mika", "Eva", "Robo", "--reason", "wrong seats"),
        ("add", "cup", "Zoe", "--missed", "-15"),
        ("correct", "cup", "1", "--points", "40000,30000,20000,10000", "--reason", "played on paper"),
        ("correct", "cup", "1", "--revoke"),
        ("correct", "cup", "1", "--points=65000,45000,-5000,-5000", "--results=55.5,25,-40,-40.5", "--reason=chips"),
    ):
        assert run(*words).exit_code == 0, words
    assert "Winter Cup" in run("list").stdout and "Robo" in run("standings", "cup").stdout
    assert len(json.loads(run("export", "cup", "--json").stdout)["entrants"]) == 5
    results = run("export", "cup", "--results").stdout.splitlines()
    assert len(results) == 6 and "1,1,east,Bob,Bob,done,65000,1,55.5,,chips" in results
    assert run("void", "cup", "1", "--reason", "paper was lost").exit_code == 0
    assert run("void", "cup", "1", "--revoke", "1").exit_code == 0
    assert run("void", "cup", "1", "--reason", "paper was lost").exit_code == 0
    assert run("log", "cup").stdout.splitlines()[-1].endswith("Z  void round 1, table 1, reason paper was lost")
    assert len(json.loads(run("log", "cup", "--json").stdout)["log"]) == 24
    refused = run("void", "cup", "1", "--reason", "x"), run("finish", "cup"), run("publish", "nix")
    assert [each.exit_code for each in refused] == [1, 1, 1]
    assert "Error: table 1 has not begun" in refused[0].stderr
    for words in (
        ("penalty", "cup", "Bob"),
        ("add", "cup", "x", "--user", "--bot", "y"),
        ("void", "cup", "1"),
        ("correct", "cup", "1", "--points", "40000,30000,20000,10000"),
        ("correct", "cup", "1", "--points", "40000,x", "--reason", "x"),
    ):
        assert run(*words).exit_code == 2, words
