"""The command ``ump``: reads the command line, and prints reports that ``ump.report`` and ``ump.record`` compute.

Exit status: 0 for success, 1 if a verification finds a mismatch or a bot does not finish its game, 2 for a wrong
command line, with a message that says why, or an unreadable record, and 130 after Ctrl-C.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import reduce
from typing import Any

import click

from ump.admin_command import admin
from ump.arena_command import arena
from ump.check_client import check_client
from ump.command_line import (
    Commands,
    Decorator,
    InputError,
    as_json,
    changes_of_rules,
    input_errors,
    print_report,
    read_rules,
)
from ump.compare_command import compare
from ump.database_command import database
from ump.dataset_command import dataset
from ump.find_command import find
from ump.model.notation import parse_written_hand, parse_written_tiles
from ump.model.tiles import COPIES, Face
from ump.play_command import play, watch
from ump.record_commands import convert, verify
from ump.records_command import records
from ump.replay_command import replay
from ump.report.hand import WINDS, hand_data, hand_lines, hand_report
from ump.report.rules import presets_data, presets_lines, ruleset_data, ruleset_lines
from ump.report.win import LANGUAGES, Conditions, ways_to_win
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.rules.score import Circumstances
from ump.serve import ServeCommand
from ump.serve import serve as run_server
from ump.show_command import show
from ump.status_command import status
from ump.users_command import users
from ump.wire.names import check_name
from ump.wire.ump01.hello_options import MAX_GAMES

MOST_HONBA = 1_000
"""Maximum of honba and of sticks, so that a typing error is noticed."""

FLAGS = ("open_riichi", "ippatsu", "rinshan", "chankan", "haitei", "houtei", "first_turn")
"""Fields of ``Circumstances`` that are options of the same name."""


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  ump hand 123m406p789s1122z        waits of a hand, and what it is worth
  ump rules tenhou                  the rules that Tenhou plays by
  ump connect localhost:19000       play by hand
  ump hand --help                   everything about one command""",
)
@click.version_option(package_name="ump", message="%(prog)s %(version)s")
def main() -> None:
    """Tools for riichi mahjong: analyse hands, compare rules, verify records of games, connect bots to a server."""


situations: tuple[Decorator, ...] = tuple(
    click.option(f"--{name}", is_flag=True, help=text)
    for name, text in (
        ("riichi", "The winner is in riichi."),
        ("double-riichi", "The winner is in double riichi."),
        ("open-riichi", "The riichi is open."),
        ("ippatsu", "The win is within one uninterrupted turn after riichi."),
        ("rinshan", "The winning tile is the replacement tile of a kan or a kita."),
        ("chankan", "The winning tile is robbed from a kan."),
        ("haitei", "The winning tile is the last tile of the wall."),
        ("houtei", "The winning tile is the last discard."),
        ("first-turn", "The win is before the winner's first discard and any call: tenhou, chihou, renhou."),
    )
)


def with_options(options: Sequence[Decorator]) -> Decorator:
    """Return a decorator that adds these options in this order."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)


@main.command(
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
    "--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of yaku and limits."
)
@as_json
def hand(
    tiles: tuple[str, ...],
    rules: str,
    changes: tuple[str, ...],
    lang: str,
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
        written = parse_written_hand(" ".join(tiles), ruleset.red_fives)
        circumstances = read_circumstances(given, ruleset, in_riichi=written.riichi)
        conditions = Conditions(ruleset, circumstances, given["honba"], given["kyotaku"])
        tile, ways = read_win(tsumo, ron, conditions)
        in_sight = read_tiles("--seen", seen, ruleset)
        report = hand_report(written, conditions, seen=in_sight, tile=tile, ways=ways)
    print_report(hand_lines(report, lang), hand_data(report, lang), as_json=as_json)


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


@main.command(
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


main.add_command(verify)
main.add_command(convert)
main.add_command(show)
main.add_command(records)
main.add_command(compare)
main.add_command(arena)
main.add_command(database)
main.add_command(dataset)
main.add_command(users)


@main.command(
    cls=ServeCommand,
    short_help="Run a server for bots and people.",
    epilog="""\b
Examples:
  ump serve --house efficiency:3
  ump serve --listen tcp:19000 --rules mleague --set kuitan=no --time 5+10
  ump serve --config ump.toml --verbose

\b
Exit status: 0 after the last of --games, 1 if the server cannot start,
130 after Ctrl-C.""",
)
@click.option(
    "--verbose", is_flag=True, help="Log refused answers, dropped lines and what bots print, too. It reveals tiles."
)
def serve(verbose: bool, **given: Any) -> None:
    """Run a server, in the foreground. It is the same as twist ump-server.

    Without options it has one room, without built-in bots, and listens on 127.0.0.1. Ctrl-C ends it. docs/server.md
    describes everything.
    """
    run_server(given, is_verbose=verbose)


@main.command(
    short_help="Connect an mjai bot to a UMP server.",
    epilog="""\b
Examples:
  ump join localhost:19000 --mjai "python bot.py {seat}"
  ump join localhost:19000 --mjai submission.zip
  ump join [::1]:19000 --mjai-lines "python mortal.py {seat}" --name mortal --games 10

\b
Exit status: 0 if all games were completed, 1 if the bot or the server failed, 3 if answers were refused, 130 after
Ctrl-C.""",
)
@click.argument("server", metavar="HOST:PORT")
@click.option(
    "--mjai", metavar="COMMAND", help="Start a bot that reads arrays of mjai events and replies to each array."
)
@click.option("--mjai-lines", metavar="COMMAND", help="Start a bot that reads mjai events line by line.")
@click.option("--mjai-nukidora", metavar="COMMAND", help="Like --mjai, with nukidora and four slots in games of three.")
@click.option("--mjai-lines-nukidora", metavar="COMMAND", help="Like --mjai-lines, with the same for games of three.")
@click.option("--name", default="bot", show_default=True, help="The name to play under.")
@click.option("--room", help="The room to play in; by default the server chooses.")
@click.option(
    "--games", type=click.IntRange(0, MAX_GAMES), default=1, show_default=True, help="Number of games; 0: no limit."
)
@click.option("--user", help="User name, for servers that ask for it.")
@click.option(
    "--password", envvar="UMP_PASSWORD", show_envvar=True, help="Password; other users of this machine can see it."
)
@click.option("--rules", metavar="PRESET", help="Rules for the bot's legal actions; by default those of the server.")
def join(server: str, rules: str | None, **given: Any) -> None:
    """Connect a bot to a UMP server. The bot speaks mjai over its standard input and output.

    Each game starts the COMMAND once, without a shell; {seat} in it becomes the number of the bot's seat, 0 to 3. A zip
    file for mjai.app is a COMMAND too. The standard error of the bot goes to the terminal.
    """
    # Imported here, so that the other commands need not wait for Twisted and the dialects.
    from ump.net.bot_commands import BOT_DIALECTS, CommandError, read_command
    from ump.net.join import JoinOptions, play

    host, port = read_server(server)
    commands = {option: given.pop(option.replace("-", "_")) for option in BOT_DIALECTS}
    chosen = [(option, text) for option, text in commands.items() if text is not None]
    if len(chosen) != 1:
        raise InputError("give exactly one of " + ", ".join(f"--{option} COMMAND" for option in commands))
    ((option, text),) = chosen
    try:
        command = read_command(option, text)
    except CommandError as error:
        raise InputError(f"--{option}: {error}") from None
    for name in ("name", "room"):
        if given[name] is not None:
            with input_errors():
                check_name(given[name], f"--{name}")
    ruleset = None if rules is None else read_rules("--rules", rules, ())
    options = JoinOptions(host, port, command, rules=ruleset, **given)
    with input_errors("--user, --password"):
        options.hello()
    sys.exit(play(options))


@main.command(
    short_help="Play by hand on a UMP server.",
    epilog="""\b
Examples:
  ump connect
  ump connect mahjong.example:19000 --no-color

\b
Exit status: 0 if you or the server ended the connection, 1 if no server answers, 130 after Ctrl-C.""",
)
@click.argument("server", metavar="[HOST:PORT]", default="localhost:19000")
@click.option("--no-color", is_flag=True, help="Do not ask the server for colours; NO_COLOR does the same.")
def connect(server: str, no_color: bool) -> None:
    """Connect a person to a server: print what it sends, and send what is typed. Bots use ump join.

    The arrow keys edit the line and bring back earlier ones. Ctrl-D leaves.
    """
    from ump.net.connect import connect as talk

    host, port = read_server(server)
    sys.exit(talk(host, port, colors=not no_color))


main.add_command(check_client)
main.add_command(admin)
main.add_command(status)
main.add_command(find)
main.add_command(play)
main.add_command(watch)
main.add_command(replay)


def read_server(server: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT; an IPv6 host may be in brackets."""
    host, _, port = server.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port[:6]) < 1 << 16:
        raise InputError(f"{server}: expected HOST:PORT with a port from 1 to 65535, as in localhost:19000")
    return host.removeprefix("[").removesuffix("]"), int(port)
