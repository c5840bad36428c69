"""Rulesets at a terminal: the presets side by side, and one of them with what each field means."""

from __future__ import annotations

from collections.abc import Iterable

from ump.report.text import columns
from ump.rules.options import OPTIONS
from ump.rules.ruleset import Ruleset


def presets_lines(rulesets: Iterable[Ruleset]) -> list[str]:
    """Return rulesets as a table, a column for each, and then what each field may be set to."""
    rulesets = list(rulesets)
    table = [("", *(ruleset.name for ruleset in rulesets))]
    table += [(option.name, *(option.format(ruleset) for ruleset in rulesets)) for option in OPTIONS.values()]
    allowed = [(option.name, option.type.allowed) for option in OPTIONS.values()]
    return [*columns(table), "", "What --set FIELD=VALUE takes:", "", *columns(allowed)]


def ruleset_lines(ruleset: Ruleset) -> list[str]:
    """Return one ruleset: each field, its value, its meaning."""
    rows = [(option.name, option.format(ruleset), option.meaning) for option in OPTIONS.values()]
    return [ruleset.name, "", *columns(rows)]


def presets_data(rulesets: Iterable[Ruleset]) -> dict[str, object]:
    """Return rulesets as JSON has them, and what each field may be set to."""
    return {
        "presets": {ruleset.name: _values(ruleset) for ruleset in rulesets},
        "allowed": {option.name: option.type.allowed for option in OPTIONS.values()},
    }


def ruleset_data(ruleset: Ruleset) -> dict[str, object]:
    """Return one ruleset as JSON has it."""
    fields = {
        option.name: {"value": option.format(ruleset), "meaning": option.meaning, "allowed": option.type.allowed}
        for option in OPTIONS.values()
    }
    return {"name": ruleset.name, "fields": fields}


def _values(ruleset: Ruleset) -> dict[str, str]:
    """Return each field's value as it is written."""
    return {option.name: option.format(ruleset) for option in OPTIONS.values()}
