"""The command ``ump``: its output for known hands and rules, and its errors."""

from __future__ import annotations

import json
import os
from pathlib import Path
from unittest.mock import Mock

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from mahjong.hand_calculating.fu import FuCalculator
from support.budgets import few
from support.programs import ROOT, UMP
from support.programs import run as run_program
from support.rows import each_row

from ump.cli.main import COMMANDS, Commands, main
from ump.model.installation import unmet_requirement
from ump.model.yaku import Yaku
from ump.rules.options import OPTIONS
from ump.rules.presets import PRESETS
from ump.text.layout import width
from ump.text.win import LANGUAGES, fu_words, yaku_words


def run(line: str) -> Result:
    """Run the command; no argument has a space."""
    return CliRunner().invoke(main, line.split(), catch_exceptions=False)


def printed(line: str) -> list[str]:
    """Run the command and return the lines that it prints."""
    result = run(line)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


# Fu by hand. Ron on 1z: 20 + 10 closed + 4 triplet of honours by ron + 2 pair of the seat's wind = 36, so 40;
# tsumo: 20 + 8 + 2 + 2 = 32, so 40.
TENPAI = """\
123m406p789s1122z
seat wind south, round wind east, rules ump

tenpai, waiting for 2 kinds, 4 tiles
wait  left  ron                 tsumo
1z       2  2600 (2 han 40 fu)  1300/2600 (3 han 40 fu)
2z       2  2600 (2 han 40 fu)  1300/2600 (3 han 40 fu)
"""

# 20 + 8 triplet of honours + 4 pair of a double wind + 2 tsumo = 34, so 40; 7 han, haneman of a dealer, one honba.
TSUMO = """\
123m406p789s11222z
seat wind east, round wind east, dora 2z, ura dora 1m, honba 1, rules ump

tsumo of 2z: 7 han 40 fu haneman, 18300 points
  menzen tsumo  1
  riichi        1
  dora          3
  ura dora      1
  aka dora      1
  6100 from each of the others, and 2000 from the table

complete
discard  leaves  kinds  tiles  ukeire
1m       tenpai      2      7  14m
4p       tenpai      2      7  47p
6p       tenpai      2      7  36p
9s       tenpai      2      7  69s
2m       tenpai      1      3  2m
3m       tenpai      1      3  3m
0p       tenpai      1      3  5p
7s       tenpai      1      3  7s
8s       tenpai      1      3  8s
2z       tenpai      2      2  12z
1z       tenpai      1      1  1z
"""

# 20 + 4 pon of dragons + 32 closed kan of terminals + 2 triplet of simples by ron (4 by tsumo, and 2 for it).
MLEAGUE = """\
123m44p22s<666z>(9999s)
seat wind south, round wind east, rules mleague

tenpai, waiting for 2 kinds, 4 tiles
wait  left  ron                 tsumo
4p       2  2000 (1 han 60 fu)  600/1200 (1 han 70 fu)
2s       2  2000 (1 han 60 fu)  600/1200 (1 han 70 fu)
"""

# Pinfu: 20 fu by tsumo, 30 by ron.
# The winning tile completes the run 123m, so the triplet of 1m is closed.
FU = """\
11123m406p99s<222z>
seat wind south, round wind east, rules ump

ron on 1m: 2 han 40 fu, 2600 points
  Seat Wind  1
  Red Five   1
  winning                                 20 fu
  closed triplet of terminals or honours   8 fu
  open triplet of terminals or honours     4 fu
  2600 from the discarder

tenpai, waiting for 3 kinds, 7 tiles
wait  left  ron                 tsumo
1m       1  2600 (2 han 40 fu)  700/1300 (2 han 40 fu)
4m       4  2600 (2 han 40 fu)  700/1300 (2 han 40 fu)
9s       2  2000 (2 han 30 fu)  700/1300 (2 han 40 fu)
"""

JAPANESE = """\
22334455667788s
seat wind south, round wind east, rules ump

ron on 8s: 11翻30符 三倍満, 24000 points
  平和    1
  断幺九  1
  二盃口  3
  清一色  6
  24000 from the discarder

tsumo of 8s: 12翻20符 三倍満, 24000 points
  門前清自摸和  1
  平和          1
  断幺九        1
  二盃口        3
  清一色        6
  12000 from the dealer, 6000 from each of the others

complete
discard  leaves  kinds  tiles  ukeire
3s       tenpai      3      8  369s
7s       tenpai      3      8  147s
2s       tenpai      3      6  258s
5s       tenpai      3      6  258s
8s       tenpai      3      6  258s
4s       tenpai      2      6  14s
6s       tenpai      2      6  69s
"""

NOT_YET = """\
147m258p369s1234z
seat wind south, round wind east, rules ump

6-shanten, helped by 13 kinds, 39 tiles: 147m258p369s1234z
"""


@each_row(
    ("line", "output"),
    [
        ("hand 123m406p789s1122z", TENPAI),
        ("hand m123p406s789z1122", TENPAI),
        ("hand 123M406P789S1122Z", TENPAI),
        ("hand 一二三萬 ④赤⑤⑥ 七八九索 東東南南", TENPAI),
        (
            "hand 123m406p789s11222z --tsumo 2z --seat-wind east --riichi --dora 1z --ura 9m --honba 1 --kyotaku 2",
            TSUMO,
        ),
        ("hand 123m44p22s<6z6z6z>(9s9s9s9s) --rules mleague", MLEAGUE),
        ("hand 123m44p22s z666- s9999 --rules mleague", MLEAGUE),
        ("hand 22334455667788s --lang ja", JAPANESE),
        ("hand 11123m406p99s<222z> --ron 1m --fu --lang en", FU),
        ("hand 147m258p369s1234z", NOT_YET),
    ],
)
def test_a_hand_is_reported_in_full(line: str, output: str) -> None:
    """It contains distance, waits with live tiles, discards from best to worst, and values with payments."""
    assert run(line).output == output


@each_row(
    ("line", "expected"),
    [
        ("hand 12m406p99s <789s> <222z> --ron 1z", "ron on 1z: not complete"),
        ("hand 12m406p99s <789s> <222z> --seat-wind west --ron 3m", "ron on 3m: no yaku"),
        ("hand 12m406p99s <789s> <222z> --seat-wind south --ron 3m", "ron on 3m: 2 han 30 fu, 2000 points"),
        ("hand 123m406p789s11222z --haitei", "tsumo of 2z: 4 han 40 fu mangan, 8000 points"),
        ("hand 123m406p789s11222z --houtei", "ron on 2z: 3 han 40 fu, 5200 points"),
        ("hand 123m406p789s11222z --ron 9s --chankan", "ron on 9s: 3 han 40 fu, 5200 points"),
        ("hand 123m406p789s11222z --tsumo 2z --first-turn", "tsumo of 2z: yakuman, 32000 points"),
        ("hand 11222333444m555z --ron 5z --rules majsoul", "ron on 5z: 8 han 50 fu baiman, 16000 points"),
        ("hand 111222333m44455z --tsumo 5z --rules majsoul", "tsumo of 5z: 2-fold yakuman, 64000 points"),
        ("hand 111222333m44455z --tsumo 5z", "tsumo of 5z: yakuman, 32000 points"),
        ("hand 19m19p19s12345677z --lang ja --tsumo 7z", "tsumo of 7z: 役満, 32000 points"),
        ("hand 1122z", "tenpai, waiting for 2 kinds, 4 tiles"),
        ("hand 123m406p789s1122z --seen 1z2z --dora 1z", "tenpai, waiting for 2 kinds, 1 tile"),
        ("hand m123p456s789z1122* --ron z1", "ron on 1z: 2 han 40 fu, 2600 points"),
    ],
)
def test_value_follows_the_circumstances(line: str, expected: str) -> None:
    """Each option changes the value as the rules require."""
    assert expected in printed(line)


@each_row(
    ("line", "error"),
    [
        ("hand 123m", "3 concealed tiles are not a hand: 13, or 14 after the draw, 3 fewer per meld"),
        ("hand 123m406p789s1122z --dora 111z", "1z: 5 in sight, but only 4 exist"),
        ("hand 123m406p789s1122z --rules wrc", "0p: 1 in sight, but the rules wrc have 0"),
        ("hand 123m406p789s1122z --rules nope", "--rules: unknown preset 'nope'; choose ump, tenhou"),
        ("hand 123m406p789s1122z --set kuitan=maybe", "--set: kuitan='maybe': expected yes|no"),
        ("hand 123m406p789s1122z --tsumo 12z", "--tsumo: expected one tile, got 2 in '12z'"),
        ("hand 123m406p789s1122z --tsumo 1z --ron 1z", "--tsumo and --ron exclude each other; give one of them"),
        ("hand 123m406p789s11222z --ron 5z", "a hand of 14 tiles must hold the winning tile 5z"),
        ("hand 1122z --ron 1z", "the value of a win needs the whole hand: 14 tiles, where a meld counts three"),
        ("hand 123m406p789s1122z --ippatsu", "ippatsu needs riichi"),
        ("hand 123m406p789s1122z --ura 1m", "ura dora need riichi"),
        ("hand 123m406p789s1122z --riichi --dora 1m --ura 1m1m", "more ura than dora indicators"),
        ("hand 123m406p789s1122z --ron 1z --chankan", "1z: a kan of it holds all four, but 2 are in sight elsewhere"),
        ("hand 123m406p789s1122z --kita 1", "these rules have no kita; tenhou3 and majsoul3 do"),
        ("hand 123m406p789s1122z --rules tenhou3", "2m: games of 3 players have no such tile"),
        ("hand 1119m406p22s1114z --rules tenhou3 --kita 4", "4z: 5 in sight, but only 4 exist"),
        ("hand 1119m406p22s1114z --rules tenhou3 --seat-wind north", "these rules have no seat wind north"),
        ("hand 1119m406p22s1114z --rules tenhou3 --round-wind north", "these rules have no round wind north"),
        ("hand 111999m406p22s11z --rules tenhou3 --kita 1 --first-turn", "the first turn is over with a kita"),
        ("hand 111999m406p22s11z --rules tenhou3 --rinshan", "rinshan needs a kan or a kita"),
        ("hand 123m406p789s1z<222z> --riichi", "riichi needs a closed hand"),
        ("hand 123m406p789s1122z --open-riichi", "these rules have no open riichi"),
        ("hand 123m456p789s1122z --rules classic --dora 1m1m", "these rules have no kan dora"),
        ("hand 123m406p789s1122z --chankan --houtei", "a kan that can be robbed is not the last discard"),
        (
            "hand 123m406p789s1122z --first-turn --seat-wind east --ron 1z",
            "--ron contradicts the other options of the win",
        ),
        ("hand 123m406p789s1122z --haitei --ron 1z", "--ron contradicts the other options of the win"),
        ("hand 123m406p789s1122z --haitei --houtei", "rinshan and haitei are won by tsumo, chankan and houtei by ron"),
        ("rules nope", "PRESET: unknown preset 'nope'; choose ump, tenhou"),
        ("rules ump --set uma=1,2,3", "--set: uma: expected 4 numbers, one for each place in ump"),
        ("rules --set kuitan=no", "--set needs a PRESET to change, as in ump rules tenhou --set kuitan=no"),
    ],
)
def test_wrong_input_is_reported_in_one_line(line: str, error: str) -> None:
    """The exit status is 2, standard output is empty, and standard error has one line."""
    result = run(line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {error}")
    assert result.stderr.count("\n") == 1


@each_row(
    ("line", "error"),
    [
        (
            "hand 123m 406p 789s 1182z",
            """\
Error: '8' at position 18: there is no tile 8z; honours are 1z to 7z
  123m 406p 789s 1182z
                   ^
""",
        ),
        (
            "hand 一二三萬東東南9南",
            """\
Error: '9' at position 8: the suit is missing; add m, p, s or z
  一二三萬東東南9南
                ^
""",
        ),
        (
            "hand 123m406p789s1122z --dora 1m,春",
            """\
Error: --dora: '春' at position 4: not part of a tile; tiles are written as 5m, 0m (red), 1z, E, 五萬 or 東
  1m,春
     ^^
""",
        ),
    ],
)
def test_a_wrong_tile_is_pointed_at(line: str, error: str) -> None:
    """The text stands below the message, and a caret below the part that is wrong; wide characters take two columns."""
    result = run(line)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", error)


def test_what_may_not_be_read_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when root has made a folder that others may not enter."""
    monkeypatch.setattr("ump.cli.records.GameIndex", Mock(side_effect=PermissionError(13, "Permission denied", "/x")))
    result = run("records .")
    assert (result.exit_code, result.output) == (1, "Error: Could not open file '/x': Permission denied\n")


def test_a_text_that_fills_more_than_a_line_is_not_repeated() -> None:
    """Nor one that a terminal cannot show; the message has the position."""
    for text in ("1z" * 60 + "9z", "9z\t"):
        result = CliRunner().invoke(main, ["hand", "1122z", "--seen", text], catch_exceptions=False)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert "there is no tile 9z" in result.stderr


SITUATIONS = ("riichi", "double-riichi", "ippatsu", "rinshan", "chankan", "haitei", "houtei", "first-turn")


@pytest.mark.no_cover
@settings(max_examples=few(150))
@given(
    st.text("123456789mpszMPSZ0,<>()-=+_ 五萬東⑤🀀", min_size=1, max_size=40)
    | st.lists(st.sampled_from([*range(110, 194), *range(410, 474)]), min_size=12, max_size=14).map(str),
    st.sampled_from(["--tsumo", "--ron", "--dora", "--seen", "--ura"]),
    st.text("159mpsz", min_size=2, max_size=2),
    st.sets(st.sampled_from(SITUATIONS), max_size=2),
    st.sampled_from(list(PRESETS)),
)
def test_any_input_is_answered(hand: str, option: str, tiles: str, situation: set[str], preset: str) -> None:
    """Any input leads to a report or an error message, never to a traceback."""
    flags = [f"--{name}" for name in sorted(situation)]
    arguments = ["hand", f"{option}={tiles}", f"--rules={preset}", *flags, "--", hand]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code in (0, 2)


def test_norths_that_are_set_aside_are_dora() -> None:
    """One dora each, and one more for each west indicator; a kita gives rinshan; one other player pays at a tsumo.

    3 of 1m (9m makes it dora), 2 norths, and 2 for the west indicator are 7 dora. With menzen tsumo, rinshan, round
    wind, 2 for three closed triplets, and a red five the hand has 13 han: 16000 + 8000, and 100 each for the honba.
    """
    lines = printed("hand 111999m406p22s11z --tsumo 1z --kita 2 --dora 9m3z --rinshan --honba 1 --rules tenhou3")
    assert lines[1] == "seat wind south, round wind east, dora 1m 4z, norths aside 2, honba 1, rules tenhou3"
    assert "  dora            7" in lines
    assert any(line.split() == ["rinshan", "kaihou", "1"] for line in lines)
    assert "  16100 from the dealer, 8100 from the other" in lines


def test_tiles_that_three_players_lack_never_help() -> None:
    """A lone 1m is helped by 2m and 3m in a game of four alone; norths that were set aside are not left to draw."""
    left = {}
    for rules in ("tenhou", "tenhou3"):
        report = json.loads("\n".join(printed(f"hand 19m46p78s1122z577s --rules {rules} --json")))
        left[rules] = set(report["ukeire"]["left"])
    assert left["tenhou"] - left["tenhou3"] == {"2m", "3m", "7m", "8m"}
    report = json.loads("\n".join(printed("hand 111999m406p22s44z --kita 2 --rules tenhou3 --json")))
    assert report["norths"] == 2
    assert [(each["tile"], each["left"]) for each in report["waits"]] == [("2s", 2), ("4z", 0)]


@each_row("language", LANGUAGES)
def test_every_yaku_and_every_fu_has_a_name(language: str) -> None:
    """In all languages; the two forms of renhou and of open riichi share theirs."""
    assert len({yaku_words(yaku, language) for yaku in Yaku}) == len(Yaku) - 2
    reasons = [getattr(FuCalculator, name) for name in vars(FuCalculator) if name.isupper() and name[0] != "_"]
    assert len({fu_words(reason, language) for reason in reasons}) == len(reasons)


def test_json_has_the_report_of_a_hand() -> None:
    """JSON contains the same report; payments have the names of the payers."""
    report = json.loads("\n".join(printed("hand 123m406p789s1z<222z> --ron 1z --json")))
    value = {
        "yaku": [{"name": "jikaze", "han": 1}, {"name": "aka dora", "han": 1}],
        "han": 2,
        "fu": 30,
        "yakuman": 0,
        "limit": None,
        "points": 2000,
        "payments": {"discarder": 2000},
        "sticks": 0,
    }
    assert report["wins"] == [{"by": "ron", "tile": "1z", "complete": True, "value": value}]
    assert report["concealed"] == ["1m", "2m", "3m", "4p", "0p", "6p", "7s", "8s", "9s", "1z"]
    assert report["melds"] == [{"type": "pon", "tiles": ["2z", "2z", "2z"]}]
    assert (report["shanten"], len(report["waits"]), report["waits"][0]["left"]) == (0, 1, 3)
    assert report["waits"][0]["ron"] == value
    assert report["waits"][0]["tsumo"]["payments"] == {"dealer": 1000, "others": 500}


def test_json_has_the_discards() -> None:
    """JSON contains each discard with its shanten and ukeire, in the order of the table."""
    report = json.loads("\n".join(printed("hand 123m4056p789s1122z --json")))
    best = {"discard": "5p", "shanten": 0, "ukeire": {"kinds": 2, "tiles": 4, "left": {"1z": 2, "2z": 2}}}
    assert report["discards"][0] == best
    assert len(report["discards"]) == 11


def test_presets_stand_side_by_side() -> None:
    """Each field is a line and each preset a column, aligned; those of three come next, then the allowed values."""
    lines = printed("rules")
    for seats in (4, 3):
        presets = [preset for preset in PRESETS.values() if preset.seats == seats]
        assert lines[0].split() == [preset.name for preset in presets]
        table = {line.split()[0]: line.split()[1:] for line in lines[1 : 1 + len(OPTIONS)]}
        assert table["uma"] == [OPTIONS["uma"].format(preset) for preset in presets]
        assert table["kuikae"] == [OPTIONS["kuikae"].format(preset) for preset in presets]
        start = lines[0].index("tenhou")
        assert all(line[start - 1] == " " != line[start] for line in lines[1 : 1 + len(OPTIONS)])
        lines = lines[len(OPTIONS) + 2 :]
    assert "kuikae                 forbidden|same-tile|allowed" in lines
    assert max(map(width, lines)) <= 120


def test_one_preset_is_explained() -> None:
    """Each field has its value, changes included, and its meaning."""
    lines = printed("rules tenhou --set kuikae=allowed")
    assert lines[0] == "tenhou*"
    (kuikae,) = (line for line in lines if line.startswith("kuikae "))
    assert kuikae.split(maxsplit=2) == ["kuikae", "allowed", OPTIONS["kuikae"].meaning]
    assert len(lines) == len(OPTIONS) + 2


def test_json_has_the_rules() -> None:
    """JSON has the values as on the command line, and the allowed values."""
    everything = json.loads("\n".join(printed("rules --json")))
    assert list(everything["presets"]) == list(PRESETS)
    assert everything["presets"]["mleague"]["uma"] == "30,10,-10,-30"
    assert everything["allowed"]["kuitan"] == "yes|no"
    one = json.loads("\n".join(printed("rules wrc --json")))
    assert one["name"] == "wrc"
    assert one["fields"]["kiriage"] == {
        "value": "yes",
        "meaning": OPTIONS["kiriage"].meaning,
        "tenhou": "no",
        "allowed": "yes|no",
    }


def test_examples_in_help_run() -> None:
    """Every example in the help of hand and rules runs."""
    for command in ("hand", "rules"):
        lines = printed(f"{command} --help")
        examples = [line.strip().replace("'", "") for line in lines if line.startswith(f"    ump {command}")]
        assert len(examples) >= 3
        for example in examples:
            printed(example.removeprefix("ump "))


@each_row("name", ["", *COMMANDS])
def test_every_help_has_an_example_and_explains_each_option(name: str) -> None:
    """For the group and for each command; an example begins with the command itself."""
    text = run(f"{name} --help").stdout
    assert "\n  Examples:\n    ump " in text
    command = main.get_command(click.Context(main), name) if name else main
    assert command is not None
    options = [each for each in command.params if isinstance(each, click.Option)]
    assert not [each.name for each in options if not each.help]


def _interrupt(*_: object) -> str:
    raise KeyboardInterrupt


def test_ctrl_c_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that does nothing about it is one of all."""
    monkeypatch.setattr("ump.cli.convert.sources_in", _interrupt)
    assert run("verify -").exit_code == 130


def test_ctrl_c_at_a_question_is_no_answer() -> None:
    """It ends with 130 too; the answer no ends with click's own status."""

    @click.command()
    def ask() -> None:
        try:  # as click.prompt does
            _interrupt()
        except KeyboardInterrupt:
            raise click.Abort from None

    @click.command()
    @click.confirmation_option()
    def delete() -> None:
        raise AssertionError

    group = Commands(commands=[ask, delete])
    assert CliRunner().invoke(group, ["ask"]).exit_code == 130
    assert CliRunner().invoke(group, ["delete"], input="n\n").exit_code == 1


def test_version_is_printed() -> None:
    """The output is the name and a version that starts with a digit."""
    name, version = printed("--version")[0].split()
    assert name in ("main", "ump")
    assert version[0].isdecimal()


def _install(folder: Path, name: str, version: str) -> None:
    """Make a distribution that has nothing but its version."""
    metadata = folder / f"{name}-{version}.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")


@pytest.mark.once
@pytest.mark.parametrize(("version", "ends_with_line"), [("7.0", True), ("99.0", False)])
def test_a_dependency_that_others_replaced_is_named(tmp_path: Path, version: str, ends_with_line: bool) -> None:
    """An error at import ends the command with one line; it is a traceback if all versions are right."""
    _install(tmp_path, "click", version)
    (tmp_path / "click.py").touch()
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    ended = run_program(*UMP, "--help", is_plain=True, variables={"PYTHONPATH": path})
    line = f"Error: ump needs click 8.1 or newer, found {version}; keep bots in an environment of their own\n"
    assert ended.returncode == 1
    assert (ended.stderr == line) == ends_with_line
    assert ("AttributeError" in ended.stderr) != ends_with_line


@pytest.mark.parametrize(
    ("name", "version", "unmet"),
    [
        ("sqlalchemy", "2.0.36", "sqlalchemy 2.1 or newer, found 2.0.36"),
        ("sqlalchemy", "2.2.0b1", ""),
        ("mahjong", "1.2.1", "mahjong 2.1 or newer, found 1.2.1"),
        ("twine", "1.0", ""),
    ],
)
def test_only_what_ump_uses_has_to_have_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, version: str, unmet: str
) -> None:
    """A dependency of an extra counts if it is imported, as mahjong is by these tests."""
    _install(tmp_path, name, version)
    monkeypatch.syspath_prepend(tmp_path)
    assert unmet_requirement() == unmet
