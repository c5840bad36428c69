"""Evaluation of measurements: medians, tables, budgets."""

from __future__ import annotations

import pytest

from scripts.benchmarks.engine import judge, note
from scripts.benchmarks.figures import (
    Budget,
    Cost,
    Section,
    middle,
    milliseconds,
    per_kyoku,
    per_question,
    print_section,
    quantile,
    shown,
    spread,
)

COSTS = [Cost(0.030, 600, 10), Cost(0.010, 500, 8), Cost(0.020, 400, 4)]


def test_costs_per_hanchan_per_kyoku_and_per_question() -> None:
    """The units are milliseconds, milliseconds and microseconds."""
    assert [milliseconds(cost) for cost in COSTS] == pytest.approx([30.0, 10.0, 20.0])
    assert [per_kyoku(cost) for cost in COSTS] == pytest.approx([3.0, 1.25, 5.0])
    assert [per_question(cost) for cost in COSTS] == pytest.approx([50.0, 20.0, 50.0])


def test_each_measure_has_its_own_median() -> None:
    """The medians of two measures may come from different runs."""
    assert middle(COSTS, milliseconds) == pytest.approx(20.0)
    assert middle(COSTS, per_kyoku) == pytest.approx(3.0)
    assert middle(COSTS[:2], milliseconds) == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("values", "part", "expected"),
    [([], 0.5, 0.0), ([3.0], 0.99, 3.0), ([1.0, 2.0, 3.0, 4.0], 0.5, 3.0), ([1.0, 2.0], 1.0, 2.0)],
)
def test_quantiles(values: list[float], part: float, expected: float) -> None:
    """Without values the quantile is 0; it never exceeds the highest value."""
    assert quantile(values, part) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [(None, ""), ("x", "x"), (7, "7"), (1234.5, "1234"), (12.34, "12.3"), (1.234, "1.23"), (0.0, "0.00")],
)
def test_cells_have_about_three_digits(cell: str | int | float | None, expected: str) -> None:
    """Integers and texts do not change."""
    assert shown(cell) == expected


def test_spread() -> None:
    """A spread has the minimum and the maximum, with this many decimal places."""
    assert spread([2.04, 1.0, 3.0], 1) == "1.0 .. 3.0"


@pytest.mark.parametrize(
    ("measured", "at_least", "is_met"), [(2.0, False, True), (2.1, False, False), (2.0, True, True), (1.9, True, False)]
)
def test_budgets(measured: float, at_least: bool, is_met: bool) -> None:
    """A value equal to the limit meets the budget."""
    budget = Budget("what", measured, 2.0, "ms", at_least=at_least)
    assert budget.met is is_met
    assert str(budget).endswith(": met" if is_met else ": NOT MET")


def test_a_section_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The table has the columns of all lines, in order of appearance; notes and budgets follow."""
    section = Section("Title", [{"engine": "a", "ms": 1.5}, {"engine": "long name", "kyoku": 8}], ["a note"])
    section.budgets.append(Budget("what", 1.0, 2.0, "ms"))
    print_section(section)
    assert capsys.readouterr().out.splitlines() == [
        "",
        "Title",
        "",
        "| engine    | ms   | kyoku |",
        "| --------- | ---- | ----- |",
        "| a         | 1.50 |       |",
        "| long name |      | 8     |",
        "- a note",
        "- what: 1 ms, budget at most 2: met",
    ]


def test_engines_are_compared_run_by_run() -> None:
    """The ratio is the median over the ratios of the runs, so a slow run counts like any other."""
    own = [Cost(0.010, 690, 8), Cost(0.030, 690, 8), Cost(0.010, 690, 8)]
    other = [Cost(0.048, 1040, 12), Cost(0.180, 1040, 12), Cost(0.036, 1040, 12)]
    section = Section("Engines")
    judge(
        section,
        {("ump", "tsumogiri, no extra round"): own, ("ump", "tsumogiri"): own, ("RiichiEnv", "tsumogiri"): other},
    )
    assert [budget.measured for budget in section.budgets] == pytest.approx([10.0, 3.2])
    assert all(budget.met for budget in section.budgets)


def test_a_line_of_an_engine() -> None:
    """The line has the cost of a hanchan, and the section keeps the figure of each run."""
    section = Section("Engines")
    note(section, "ump", "tsumogiri", COSTS)
    (line,) = section.lines
    assert (line["engine"], line["players"], line["least .. most"]) == ("ump", "tsumogiri", "10.0 .. 30.0")
    assert line["ms/hanchan"] == pytest.approx(20.0)
    assert line["hanchan/CPU-s"] == pytest.approx(50.0)
    assert section.runs == {"ump, tsumogiri": pytest.approx([30.0, 10.0, 20.0])}
