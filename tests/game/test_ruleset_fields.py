"""Every field of the ruleset has the effect that its case in ``support.ruleset_cases`` describes."""

from __future__ import annotations

from dataclasses import fields, replace

from support.rows import each_row
from support.ruleset_cases import CASES

from ump.rules.ruleset import Ruleset


def test_every_field_has_a_case() -> None:
    """A new field needs a case. The name is not a rule."""
    assert set(CASES) == {field.name for field in fields(Ruleset)} - {"name"}


@each_row("field", [field.name for field in fields(Ruleset) if field.name != "name"])
def test_the_field_has_its_effect(field: str) -> None:
    """The same tiles and choices, with only this field changed, have the expected outcomes."""
    outcomes, play = CASES[field]
    assert {value: play(replace(Ruleset(), **{field: value})) for value in outcomes} == outcomes
    assert len(set(map(repr, outcomes.values()))) == len(outcomes) > 1
