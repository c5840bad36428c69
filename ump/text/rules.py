"""Reports on rulesets: the presets side by side, or one ruleset with the meaning of each field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ump.rules.options import OPTIONS
from ump.rules.presets import TENHOU, TENHOU3, UMP
from ump.rules.ruleset import Ruleset
from ump.text.layout import columns, wrapped


def presets_lines(rulesets: Iterable[Ruleset]) -> list[str]:
    """Return rulesets as tables, one for each number of players, and then the allowed values of each field."""
    by_seats: dict[int, list[Ruleset]] = {}
    for ruleset in rulesets:
        by_seats.setdefault(ruleset.seats, []).append(ruleset)
    lines: list[str] = []
    for group in by_seats.values():
        lines += [*_table(group), ""]
    return [*lines, "Allowed values of --set FIELD=VALUE:", "", *columns(_allowed().items())]


def _allowed() -> dict[str, str]:
    """Return the allowed values of each field as text."""
    return {option.name: option.type.allowed for option in OPTIONS.values()}


def _table(rulesets: Sequence[Ruleset]) -> list[str]:
    """Return a column for each ruleset, and a line for each field."""
    rows = [["", *(ruleset.name for ruleset in rulesets)]]
    for option in OPTIONS.values():
        rows.append([option.name, *map(option.format, rulesets)])
    return columns(rows)


def ruleset_lines(ruleset: Ruleset) -> list[str]:
    """Return one ruleset: each field with its value and its meaning."""
    rows = [(option.name, option.format(ruleset), option.meaning) for option in OPTIONS.values()]
    return [ruleset.name, "", *columns(rows)]


def presets_data(rulesets: Iterable[Ruleset]) -> dict[str, object]:
    """Return rulesets and the allowed values of each field as data for JSON."""
    return {
        "presets": {ruleset.name: _values(ruleset) for ruleset in rulesets},
        "allowed": _allowed(),
    }


def ruleset_data(ruleset: Ruleset) -> dict[str, object]:
    """Return one ruleset as data for JSON, beside that of Tenhou for as many players."""
    tenhou = TENHOU3 if ruleset.seats == TENHOU3.seats else TENHOU
    fields = {}
    for option in OPTIONS.values():
        fields[option.name] = {
            "value": option.format(ruleset),
            "tenhou": option.format(tenhou),
            "meaning": option.meaning,
            "allowed": option.type.allowed,
        }
    return {"name": ruleset.name, "fields": fields}


def _values(ruleset: Ruleset) -> dict[str, str]:
    """Return the value of each field as text."""
    return {option.name: option.format(ruleset) for option in OPTIONS.values()}


BRIEF: Mapping[str, tuple[str, ...]] = {
    "points": ("start-points", "return-points", "uma", "equal-scores", "left-sticks", "noten-penalty"),
    "dora": ("red-fives", "ippatsu", "ura-dora", "kan-dora", "open-kan-dora"),
    "calls": ("kuitan", "kuikae", "multiple-ron"),
    "riichi": ("riichi-points", "riichi-tiles", "riichi-kan"),
    "values": ("kiriage", "kazoe-yakuman", "double-wind-fu", "yakuman-add-up"),
    "draws": ("kyushu-kyuhai", "suufon-renda", "suucha-riichi", "suukaikan", "nagashi", "tenpai"),
    "end": ("renchan", "agari-yame", "tenpai-yame", "extra-round", "target", "tobi"),
}
"""The fields in which the rules of sites and leagues differ most, under a word for each group."""


def brief_lines(ruleset: Ruleset) -> list[str]:
    """Return a ruleset briefly: what differs between sites, and each other field whose value is not the usual one."""
    values = _values(ruleset)
    said = {"length"}.union(*BRIEF.values())
    others = []
    for option in OPTIONS.values():
        if option.name not in said and values[option.name] != option.format(UMP):
            others.append(option.name)
    groups = [*BRIEF.items(), ("also", tuple(others))]
    lines = [f"rules {ruleset.name}, length {ruleset.length.value}"]
    for label, names in groups:
        if names:
            words = [f"{name} {values[name]}," for name in names]
            words[-1] = words[-1].removesuffix(",")
            lines += wrapped(f"  {label:<8}", words)
    return lines
