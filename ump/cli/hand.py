"""The commands ``ump hand``, with the distance of a hand from tenpai and its value, and ``ump rules``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from ump.cli.command_line import (
    Decorator,
    InputError,
    as_json,
    changes_of_rules,
    input_errors,
    print_report,
    read_rules,
)
from ump.model.tiles import COPIES, Face
from ump.model.written import parse_written_hand, parse_written_tiles
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.rules.score import Circumstances
from ump.text.hand import WINDS, hand_data, hand_lines, hand_report
from ump.text.rules import presets_data, presets_lines, ruleset_data, ruleset_lines
from ump.text.win import LANGUAGES, Conditions, ways_to_win

MOST_HONBA = 1_000
"""Maximum of honba and of sticks, so that a typing error is noticed."""

FLAGS = ("open_riichi", "ippatsu", "rinshan", "chankan", "haitei", "houtei", "first_turn", "loser_in_riichi")
"""Fields of ``Circumstances`` that are options of the same name."""


def _switch(name: str, text: str) -> Decorator:
    return click.option(f"--{name}", is_flag=True, help=text)


situations: tuple[Decorator, ...] = (
    _switch("riichi", "The winner is in riichi."),
    _switch("double-riichi", "The winner is in double riichi."),
    _switch("open-riichi", "The riichi is open."),
    _switch("ippatsu", "The win is within one uninterrupted turn after riichi."),
    _switch("rinshan", "The winning tile is the replacement tile of a kan or a kita."),
    _switch("chankan", "The winning tile is robbed from a kan."),
    _switch("haitei", "The winning tile is the last tile of the wall."),
    _switch("houtei", "The winning tile is the last discard."),
    _switch("loser-in-riichi", "The player who deals in is in riichi, so that an open riichi is no yakuman."),
    _switch("first-turn", "The win is before the winner's first discard and any call: tenhou, chihou, renhou."),
)


def with_options(options: Sequence[Decorator]) -> Decorator:
    """Return a decorator that adds these options in this order."""

    def _decorate(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return _decorate


@click.command(
    short_help="Analyse a hand: distance, waits, discards and value.",
    epilog="""\b
Examples:
  ump hand 123m406p789s1122z
  ump hand 1m2m3m4p5P6p7s8s9s1z1z2z2z --ron 1z --riichi --dora 2m
  ump hand 一二三萬 ④赤⑤⑥ 789S 東東南南 --tsumo 東
  ump hand m123p40s99 z555+ z222= --tsumo p6 --seat-wind east
  ump hand '123m44p22s<6z6z6z>(9s9s9s9s)' --rules mleague
  ump hand 111999m406p22s11z --ron 1z --kita 2 --dora 1m --rules tenhou3""",
)
@click.argument("tiles", nargs=-1, required=True)
@click.option("--tsumo", metavar="TILE", help="Value a win by drawing this tile.")
@click.option("--ron", metavar="TILE", help="Value a win with this tile of another player.")
@click.option("--seat-wind", type=click.Choice(WINDS), default="south", show_default=True, help="East is the dealer.")
@click.option(
    "--round-wind", type=click.Choice(WINDS), default="east", show_default=True, help="The wind of the round."
)
@click.option("--dora", default="", metavar="TILES", help="The dora indicators.")
@click.option("--ura", default="", metavar="TILES", help="The ura indicators.")
@click.option("--seen", default="", metavar="TILES", help="Other visible tiles, which cannot be drawn.")
@with_options(situations)
@click.option("--kita", type=click.IntRange(0, COPIES), default=0, help="The norths set aside, in games of three.")
@click.option(
    "--honba",
    type=click.IntRange(0, MOST_HONBA),
    default=0,
    help="The number of honba, 100 points for each other player.",
)
@click.option(
    "--kyotaku", type=click.IntRange(0, MOST_HONBA), default=0, help="The number of riichi sticks on the table."
)
@click.option("--rules", default="ump", show_default=True, metavar="PRESET", help=f"Rules: {', '.join(PRESETS)}.")
@changes_of_rules
@click.option(
    "--lang", type=click.Choice(LANGUAGES), default="romaji", show_default=True, help="Language of yaku and limits."
)
@click.option("--fu", "with_fu", is_flag=True, help="Say what each fu is for.")
@as_json
def hand(
    tiles: tuple[str, ...],
    rules: str,
    changes: tuple[str, ...],
    lang: str,
    with_fu: bool,
    as_json: bool,
    tsumo: str | None,
    ron: str | None,
    seen: str,
    **given: Any,
) -> None:
    """Print the distance of a hand from tenpai, its waits, its best discards, and its value.

    TILES are the concealed tiles. m, p and s are characters, circles and bamboo; 1z to 7z are east, south, west, north,
    white, green and red; 0 is a red five: 123m406p77z. Other notations are understood, too: m10z5, 1m5M (UMP; 5M is
    red), mjai's 1m 5mr E, 一二三萬, ④赤⑤東, Unicode tiles, Tenhou's 0,16,128, and '[110, 153]'. Melds follow the
    tiles: '<234p>', '(6666z)' for a closed kan, z444= or z44-4_2.

    Rules of three players, such as --rules tenhou3, leave 2m to 8m out.

    Without --tsumo and --ron, a complete hand is valued both ways; the last tile is the winning one.
    """
    ruleset = read_rules("--rules", rules, changes)
    with input_errors():
        faces, melds, in_riichi = parse_written_hand(" ".join(tiles), ruleset.red_fives)
        circumstances = read_circumstances(given, ruleset, in_riichi=in_riichi)
        conditions = Conditions(ruleset, circumstances, given["honba"], given["kyotaku"])
        tile, ways = read_win(tsumo, ron, conditions)
        in_sight = read_tiles("--seen", seen, ruleset)
        report = hand_report(faces, melds, conditions, seen=in_sight, tile=tile, ways=ways)
    print_report(hand_lines(report, lang, with_fu=with_fu), hand_data(report, lang, with_fu=with_fu), as_json=as_json)


def read_circumstances(given: dict[str, Any], ruleset: Ruleset, *, in_riichi: bool) -> Circumstances:
    """Return the circumstances of the win from the options of ``hand``."""
    in_riichi = in_riichi or given["riichi"] or given["open_riichi"]
    return Circumstances(
        tsumo=False,
        seat_wind=WINDS.index(given["seat_wind"]),
        round_wind=WINDS.index(given["round_wind"]),
        riichi=2 if given["double_riichi"] else int(in_riichi),
        indicators=read_tiles("--dora", given["dora"], ruleset),
        ura=read_tiles("--ura", given["ura"], ruleset),
        norths=given["kita"],
        **{name: given[name] for name in FLAGS},
    )


def read_win(tsumo: str | None, ron: str | None, conditions: Conditions) -> tuple[Face | None, tuple[bool, ...]]:
    """Return the winning tile, if an option names it, and the ways to win to report: True for tsumo, False for ron."""
    if tsumo is not None and ron is not None:
        raise InputError("--tsumo and --ron exclude each other; give one of them")
    ways = ways_to_win(conditions.circumstances)
    if tsumo is None and ron is None:
        return None, ways
    if (tsumo is not None) not in ways:
        raise InputError(f"{'--tsumo' if tsumo is not None else '--ron'} contradicts the other options of the win")
    option, text = ("--tsumo", tsumo) if tsumo is not None else ("--ron", ron or "")
    faces = read_tiles(option, text, conditions.ruleset)
    if len(faces) != 1:
        raise InputError(f"{option}: expected one tile, got {len(faces)} in {text!r}")
    return faces[0], (tsumo is not None,)


def read_tiles(option: str, text: str, ruleset: Ruleset) -> tuple[Face, ...]:
    """Return the tiles in the value of an option."""
    with input_errors(option):
        return parse_written_tiles(text, ruleset.red_fives)


# ump rules


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
