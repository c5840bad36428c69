"""The command ``ump rules``: the presets side by side, or one of them explained."""

from __future__ import annotations

import click

from ump.cli.command_line import InputError, as_json, changes_of_rules, print_report, read_rules
from ump.rules.presets import PRESETS
from ump.text.rules import presets_data, presets_lines, ruleset_data, ruleset_lines


@click.command(
    short_help="Print the presets of rules, or explain one.",
    epilog="""\b
Examples:
  ump rules
  ump rules mleague
  ump rules tenhou --set kuikae=allowed --set red-fives=0,0,0""",
)
@click.argument("preset", required=False)
@changes_of_rules
@as_json
def rules(preset: str | None, changes: tuple[str, ...], as_json: bool) -> None:
    """Print all presets side by side, and all values for --set; with a PRESET, explain each of its fields."""
    if preset is None:
        if changes:
            raise InputError("--set needs a PRESET to change, as in ump rules tenhou --set kuitan=no")
        presets = PRESETS.values()
        print_report(presets_lines(presets), presets_data(presets), as_json=as_json)
        return
    ruleset = read_rules("PRESET", preset, changes)
    print_report(ruleset_lines(ruleset), ruleset_data(ruleset), as_json=as_json)
