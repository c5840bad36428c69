"""Rulesets as text: read from a preset and changes, and written."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.rules.options import OPTIONS, RulesetError, changed_ruleset, describe, read_length, read_ruleset
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Kuikae, Length, Renhou, Ruleset

FIELDS = [field.name for field in fields(Ruleset) if field.name != "name"]


def test_each_field_is_an_option() -> None:
    """Every field of a ruleset except its name can be set, in the order of the ruleset."""
    assert list(OPTIONS) == FIELDS


@each_row("preset", PRESETS)
def test_values_round_trip_as_text(preset: str) -> None:
    """The text of a field's value is read as that value."""
    ruleset = PRESETS[preset]
    for field, option in OPTIONS.items():
        assert option.parse(option.format(ruleset)) == getattr(ruleset, field)


@each_row("field", [field for field in FIELDS if isinstance(getattr(Ruleset(), field), Enum)])
def test_each_word_is_read(field: str) -> None:
    """Every member of an enum has a word, and the error for other words lists them all."""
    option = OPTIONS[field]
    members: type[Enum] = type(getattr(Ruleset(), field))
    assert [option.parse(member.value) for member in members] == list(members)
    with pytest.raises(RulesetError, match=re.escape("|".join(member.value for member in members))):
        option.parse("no-such-word")


@each_row("preset", PRESETS)
def test_preset_without_changes(preset: str) -> None:
    """The result is the preset itself, even if an option repeats one of its values."""
    assert read_ruleset(preset) == PRESETS[preset]
    told = [f"{option.name}={option.format(PRESETS[preset])}" for option in OPTIONS.values()]
    assert read_ruleset(preset, told) == PRESETS[preset]


CHANGES = [
    (("kuikae=allowed",), {"kuikae": Kuikae.ALLOWED}),
    (("renhou=five-han", "tobi=no"), {"renhou": Renhou.FIVE_HAN, "tobi": False}),
    (("open-riichi=yes",), {"open_riichi": True}),
    (("open_riichi=yes",), {"open_riichi": True}),
    ((" uma = 30,+10,-10,-30 ",), {"uma": (30, 10, -10, -30)}),
    (("red-fives=1,2,1",), {"red_fives": (1, 2, 1)}),
    (("noten-penalty=0",), {"noten_penalty": 0}),
    (("double-wind-fu=2",), {"double_wind_fu": 2}),
    (("kan-dora=no", "kan-ura=no"), {"kan_dora": False, "kan_ura": False}),
    (("kiriage=no", "kiriage=yes"), {"kiriage": True}),
]


@each_row(("overrides", "changed"), CHANGES)
def test_changes(overrides: tuple[str, ...], changed: dict[str, Any]) -> None:
    """Changes set only their fields, and a star after the name marks the changed preset."""
    assert read_ruleset("ump", overrides) == replace(PRESETS["ump"], name="ump*", **changed)


@each_row(("word", "length"), [("one_kyoku", Length.KYOKU), ("tonpu", Length.TONPU), ("tonnan", Length.HANCHAN)])
def test_mjai_names_of_lengths(word: str, length: Length) -> None:
    """The names of lengths in mjai's server work too."""
    assert changed_ruleset("ump", [read_length(word)]).length is length


def test_length_does_not_change_the_name_of_the_preset() -> None:
    """The rules are those of the preset, in a longer or a shorter game."""
    assert read_ruleset("tenhou", ["length=tonpu"]) == replace(PRESETS["tenhou"], length=Length.TONPU)
    assert read_ruleset("tenhou", ["length=kyoku"]).name == "tenhou"


REFUSED = [
    ("tenho", (), r"unknown preset 'tenho' \(did you mean tenhou\?\); choose ump, .*, tenhou3 or majsoul3"),
    ("", (), "unknown preset ''; choose ump, .*"),
    ("tenhou*", (), r"unknown preset 'tenhou\*' \(did you mean tenhou\?\); .*"),
    ("ump", ("length=hancha",), r"length='hancha' \(did you mean hanchan\?\): expected kyoku\|tonpu\|hanchan"),
    ("ump", ("kuikae",), "'kuikae': expected FIELD=VALUE"),
    ("ump", ("kuikai=allowed",), r"unknown field 'kuikai' \(did you mean kuikae\?\)"),
    ("ump", ("xyz=mine",), "unknown field 'xyz'; choose length, .*kuikae, .* or kita"),
    ("ump", ("kuikae=maybe",), r"kuikae='maybe': expected forbidden\|same-tile\|allowed"),
    ("ump", ("kuitan=true",), r"kuitan='true': expected yes\|no"),
    ("ump", ("kuitan=",), r"kuitan='': expected yes\|no"),
    ("ump", ("kuitan=yes\nno",), r"kuitan='yes\\nno'.*: .*"),
    ("ump", ("start-points=25050",), r"start-points='25050': expected 0\.\.1000000 in steps of 100"),
    ("ump", ("start-points=-100",), "start-points='-100': .*"),
    ("ump", ("start-points=2_5000",), "start-points='2_5000': .*"),
    ("ump", ("start-points=２５０００",), r"start-points='\\uff12.*"),
    ("ump", ("start-points=" + "9" * 10_000,), r"start-points='9{40}\.\.\.': .*"),
    ("ump", ("start-points=30100",), "return-points must not be below start-points: .*"),
    ("ump", ("uma=20,10,-10",), "uma: expected 4 numbers, one for each place in ump"),
    ("ump", ("uma=20,10,0,-10,-20",), "uma=.*: expected 3 or 4 numbers .*"),
    ("ump", ("uma=20,10,,-30",), "uma=.*: expected 3 or 4 numbers .*"),
    ("ump", ("uma=20,10,-10,-10",), "uma: the numbers must add up to 0"),
    ("ump", ("floating-uma=1,-1,0,1/0,0,0,0/0,0,0,0",), "floating-uma: the numbers of each row must add up to 0"),
    (
        "ump",
        ("floating-uma=1,-1,0/0,0,0",),
        "floating-uma: expected a row of numbers for each number of players but all",
    ),
    ("ump", ("floating-uma=0,0,0,0/0,0,0,0",), "floating-uma=.*: expected none, or 2 or 3 rows, .*"),
    ("ump", ("red-fives=1,1",), r"red-fives='1,1': expected 3 numbers 0\.\.4, .*"),
    ("ump", ("red-fives=1,5,1",), "red-fives='1,5,1': .*"),
    ("ump", ("red-fives=1,-1,1",), "red-fives='1,-1,1': .*"),
    ("ump", ("kan-dora=no",), "kan-ura=yes requires kan-dora=yes"),
    ("ump", ("ura-dora=no",), "kan-ura=yes requires ura-dora=yes"),
    ("ump", ("riichi-points=500",), "riichi-points must be 0 or at least 1000, .*"),
    ("ump", ("riichi-tiles=70",), r"riichi-tiles='70': expected 0\.\.69"),
    ("ump", ("noten-penalty=1000",), "noten-penalty must be a multiple of 600 for four players, .*"),
    ("tenhou3", ("noten-penalty=2100",), "noten-penalty must be a multiple of .* 200 for three: .*"),
    ("tenhou3", ("uma=20,10,-10,-20",), "uma: expected 3 numbers, one for each place in tenhou3"),
    ("tenhou", ("kita=yes",), "kita=yes requires three players"),
    ("ump", ("double-wind-fu=3",), "double-wind-fu='3': .*"),
    ("tenhou", ("rounding=whole", "left-sticks=lost"), "rounding=whole excludes left-sticks=lost: .*"),
    (
        "tenhou",
        ("rounding=whole", "return-points=25500"),
        "rounding=whole requires return-points and chips in whole thousands",
    ),
]


@each_row(("preset", "overrides", "message"), REFUSED)
def test_refusals(preset: str, overrides: tuple[str, ...], message: str) -> None:
    """Unknown, out-of-range and conflicting values are refused in one line that says what is allowed."""
    with pytest.raises(RulesetError) as refusal:
        read_ruleset(preset, overrides)
    assert re.fullmatch(message, str(refusal.value))


@given(
    overrides=st.lists(st.text(max_size=30) | st.builds("{}={}".format, st.sampled_from(FIELDS), st.text()), max_size=3)
)
def test_any_text_is_read_or_refused_in_one_line(overrides: list[str]) -> None:
    """No text raises another error, or an error of several lines."""
    try:
        read_ruleset("ump", overrides)
    except RulesetError as error:
        assert str(error).isprintable()
        assert len(str(error)) < 1500


def test_description_has_a_line_for_each_field() -> None:
    """Each line has the value of a field, its meaning and the allowed values."""
    lines = describe(read_ruleset("wrc", ["kiriage=no"]))
    assert len(lines) == len(FIELDS)
    assert [line.partition("=")[0].replace("-", "_") for line in lines] == FIELDS
    assert next(line for line in lines if line.startswith("kiriage")) == (
        f"{'kiriage=no':{lines[0].index('how long')}}4 han 30 fu and 3 han 60 fu are mangan (yes|no)"
    )
    assert all(option.meaning in line for option, line in zip(OPTIONS.values(), lines, strict=True))
