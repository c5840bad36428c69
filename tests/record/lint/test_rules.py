"""The rules of the linter: right records have no finding, and each rule has a planted fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from record.lint import test_mjai_faults, test_mjlog_faults, test_paipu_faults, test_tenhou6_faults
from support.budgets import few, some
from support.rows import each_row
from support.sample_games import EAGER, EFFICIENCY, GAMES, MIXED, converted, sample, sample_files

from scripts.samples.catalogue import read_catalogue
from ump.record.findings import Rule
from ump.record.formats import FORMATS
from ump.record.lint.lint import lint

SAMPLES = read_catalogue(GAMES)
RARE = ("kita", "nine terminals", "four riichi", "four kans abort", "nagashi mangan", "pao", "chankan", "double riichi")

OTHER_TESTS = frozenset((Rule.DOUBLED_FIELD, Rule.REPLAY))
"""Rules whose faults are not planted in the tables."""

WRITTEN = [each.key for each in FORMATS if each.read is not None and each.write is not None and 4 in each.players]


def test_every_rule_has_a_planted_fault() -> None:
    """No rule is without a test."""
    tables = (test_mjai_faults.MJAI, test_paipu_faults.FAULTS, test_tenhou6_faults.FAULTS)
    planted = {rule for table in tables for _, rule in table.values()}
    planted |= {rule for _, _, rule in test_mjlog_faults.FAULTS.values()}
    assert planted | OTHER_TESTS == set(Rule)


@pytest.mark.no_cover
@each_row("path", some(sample_files()))
def test_right_games_have_no_finding(path: Path) -> None:
    """Our own bots' games by every preset, rare hands included."""
    assert lint(path.name, path.read_bytes()).findings == ()


@each_row(
    "name",
    [
        *("tenhou3-eager-1", "tenhou-eager-1702", "majsoul-eager-tenhou1702", "classic-mixed-1"),
        *(next(each.file.partition(".")[0] for each in SAMPLES if what in each.shows) for what in RARE),
    ],
)
def test_rare_rulings_have_no_finding(name: str) -> None:
    """Norths set aside, three rons with and without payment, abortive draws, liability."""
    assert lint(name, sample(name)).findings == ()


@each_row("key", WRITTEN)
@each_row("name", some([EAGER, EFFICIENCY, MIXED]))
def test_right_games_in_each_format(name: str, key: str) -> None:
    """Nothing is wrong with them after a conversion, either."""
    assert lint(name, converted(name, key)).findings == ()


@pytest.mark.no_cover
@each_row("folder", ["tenhou/games", "tenhou/sanma", "majiang/paipu", "mjai", "tenhou6"])
def test_real_games_have_no_finding(folder: str, data: Path) -> None:
    """Two files that were written by hand, and have a fault, are left out."""
    for path in sorted((data / folder).glob("*.gz"))[:20]:
        if not path.name.startswith("confusing_nakis") and not path.name.endswith("lines.gz"):
            found = lint(path.name, path.read_bytes()).findings
            assert [each for each in found if each.rule is not Rule.UNREADABLE or each.kyoku] == [], path.name


@pytest.mark.no_cover
@each_row("key", WRITTEN)
def test_damaged_records_raise_nothing(key: str) -> None:
    """The linter returns, whatever is wrong with a record."""
    data = converted(MIXED, key)

    @settings(max_examples=few(30))
    @given(st.integers(0, len(data) - 1), st.binary(max_size=4), st.integers(0, 40))
    def check(place: int, text: bytes, cut: int) -> None:
        lint("damaged", data[:place] + text + data[place + cut :])

    check()
