"""The command ``ump``: thin. What is computed and how it looks is in ``ump.report``; what is wrong is one line.

Exit status: 0; 1 where a verification finds something, or a game was not played to its end by the bot; 2 for anything
on the command line that cannot be; 130 after Ctrl-C.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import click

from ump.model.notation import NotationError, parse_written_hand, parse_written_tiles
from ump.model.tiles import Face
from ump.net.bot_commands import CommandError, read_command
from ump.record.parallel import verdicts
from ump.record.record_files import Source, files_at, records_in
from ump.record.verify import Totals
from ump.record.verify_report import summary_data, summary_lines
from ump.report.hand import WINDS, HandError, hand_data, hand_lines, hand_report
from ump.report.progress import clear_progress, show_progress
from ump.report.rules import presets_data, presets_lines, ruleset_data, ruleset_lines
from ump.report.win import LANGUAGES, Conditions, ConditionsError, ways_to_win
from ump.rules.options import RulesetError, read_ruleset
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.rules.score import Circumstances
from ump.wire.text import UnwritableError, WireError, check_name
from ump.wire.ump01.hello_options import MAX_GAMES

MOST_HONBA = 1_000
"""Honba and sticks beyond this are typing errors."""

PLAIN = ("open_riichi", "ippatsu", "rinshan", "chankan", "haitei", "houtei", "first_turn")
"""Circumstances that are options of the same name."""


class Refusal(click.ClickException):
    """What was typed cannot be; told in one line."""

    exit_code = 2


@contextmanager
def refusing(what: str = "") -> Iterator[None]:
    """Turn what the rooms below raise for bad input into a refusal; ``what`` is wrong."""
    try:
        yield
    except (NotationError, RulesetError, HandError, ConditionsError, CommandError, WireError, UnwritableError) as error:
        raise Refusal(f"{what}: {error}" if what else str(error)) from None


def printed(lines: Iterable[str], data: dict[str, object], *, as_json: bool) -> None:
    """Print a report, as text or as JSON."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=2) if as_json else "\n".join(lines))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ump", message="%(prog)s %(version)s")
def main() -> None:
    """Riichi mahjong: study hands, compare rules, verify records of games, play with a bot at a server."""


Decorator = Callable[[Callable[..., None]], Callable[..., None]]

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
changes_of_rules = click.option(
    "--set", "changes", multiple=True, metavar="FIELD=VALUE", help="Change one field of the rules; may be repeated."
)
situations: tuple[Decorator, ...] = tuple(
    click.option(f"--{name}", is_flag=True, help=text)
    for name, text in (
        ("riichi", "In riichi."),
        ("double-riichi", "In double riichi."),
        ("open-riichi", "The riichi is an open one."),
        ("ippatsu", "Within the go-around after riichi."),
        ("rinshan", "On the replacement tile of a kan."),
        ("chankan", "Robbing a kan."),
        ("haitei", "On the last tile of the wall."),
        ("houtei", "On the last discard."),
        ("first-turn", "Before one's first discard, no call made: tenhou, chihou, renhou."),
    )
)


def with_options(options: Sequence[Decorator]) -> Decorator:
    """Return a decorator that adds these options, in their order."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)


@main.command(
    epilog="""\b
Examples:
  ump hand 123m406p789s1122z
  ump hand 1m2m3m4p5P6p7s8s9s1z1z2z2z --ron 1z --riichi --dora 2m
  ump hand m123p40s99 z555+ z222= --tsumo p6 --seat-wind east
  ump hand '123m44p22s<6z6z6z>(9s9s9s9s)' --rules mleague"""
)
@click.argument("tiles", nargs=-1, required=True)
@click.option("--tsumo", metavar="TILE", help="Win by drawing this tile.")
@click.option("--ron", metavar="TILE", help="Win with this tile of another player.")
@click.option("--seat-wind", type=click.Choice(WINDS), default="south", show_default=True, help="East deals.")
@click.option("--round-wind", type=click.Choice(WINDS), default="east", show_default=True)
@click.option("--dora", default="", metavar="TILES", help="The dora indicators.")
@click.option("--ura", default="", metavar="TILES", help="The ura indicators.")
@click.option("--seen", default="", metavar="TILES", help="Other tiles in sight: they are not live.")
@with_options(situations)
@click.option("--honba", type=click.IntRange(0, MOST_HONBA), default=0, help="Counters, 300 points each.")
@click.option("--kyotaku", type=click.IntRange(0, MOST_HONBA), default=0, help="Riichi sticks on the table.")
@click.option("--rules", default="ump", show_default=True, metavar="PRESET", help=f"One of {', '.join(PRESETS)}.")
@changes_of_rules
@click.option("--lang", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language of the yaku.")
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
    """Tell how far a hand is from complete, what it waits for, what to discard, and what it is worth.

    TILES are in any notation: 123m406p77z, 1m5M, m10z5, mjai's 1m 5mr E, Tenhou's 0,16,128, '[110, 153]'. Then come
    the melds: '<2p3p4p>', z444= or z44-4_2. A red five is 0, in UMP's notation 5M.

    Without --tsumo and --ron a complete hand is valued both ways, won with its last tile.
    """
    with refusing():
        ruleset = read_ruleset(rules, changes)
        written = parse_written_hand(" ".join(tiles), ruleset.red_fives)
        circumstances = read_circumstances(given, ruleset, in_riichi=written.riichi)
        conditions = Conditions(ruleset, circumstances, given["honba"], given["kyotaku"])
        tile, ways = read_win(tsumo, ron, conditions)
        in_sight = read_tiles("--seen", seen, ruleset)
        report = hand_report(written, conditions, seen=in_sight, tile=tile, ways=ways)
    printed(hand_lines(report, lang), hand_data(report, lang), as_json=as_json)


def read_circumstances(given: dict[str, Any], ruleset: Ruleset, *, in_riichi: bool) -> Circumstances:
    """Return what the options of ``hand`` say about the moment of the win."""
    in_riichi = in_riichi or given["riichi"] or given["open_riichi"]
    return Circumstances(
        tsumo=False,
        seat_wind=WINDS.index(given["seat_wind"]),
        round_wind=WINDS.index(given["round_wind"]),
        riichi=2 if given["double_riichi"] else int(in_riichi),
        indicators=read_tiles("--dora", given["dora"], ruleset),
        ura=read_tiles("--ura", given["ura"], ruleset),
        **{name: given[name] for name in PLAIN},
    )


def read_win(tsumo: str | None, ron: str | None, conditions: Conditions) -> tuple[Face | None, tuple[bool, ...]]:
    """Return the winning tile, if one is named, and whether the win is by tsumo, for each way to look at."""
    if tsumo is not None and ron is not None:
        raise Refusal("--tsumo and --ron: a hand is won once")
    ways = ways_to_win(conditions.circumstances)
    if tsumo is None and ron is None:
        return None, ways
    if (tsumo is not None) not in ways:
        raise Refusal(f"{'--tsumo' if tsumo is not None else '--ron'} contradicts the circumstances given")
    option, text = ("--tsumo", tsumo) if tsumo is not None else ("--ron", ron or "")
    faces = read_tiles(option, text, conditions.ruleset)
    if len(faces) != 1:
        raise Refusal(f"{option}: {len(faces)} tiles, where one wins")
    return faces[0], (tsumo is not None,)


def read_tiles(option: str, text: str, ruleset: Ruleset) -> tuple[Face, ...]:
    """Return the tiles that an option names."""
    with refusing(option):
        return parse_written_tiles(text, ruleset.red_fives)


@main.command(
    epilog="""\b
Examples:
  ump rules
  ump rules mleague
  ump rules tenhou --set kuikae=allowed --set red-fives=0,0,0"""
)
@click.argument("preset", required=False)
@changes_of_rules
@as_json
def rules(preset: str | None, changes: tuple[str, ...], as_json: bool) -> None:
    """Show all presets side by side and what --set takes; with a PRESET, its fields and what they mean."""
    if preset is None:
        if changes:
            raise Refusal("--set needs a preset to change")
        presets = PRESETS.values()
        printed(presets_lines(presets), presets_data(presets), as_json=as_json)
        return
    with refusing():
        ruleset = read_ruleset(preset, changes)
    printed(ruleset_lines(ruleset), ruleset_data(ruleset), as_json=as_json)


@main.command(
    epilog="""\b
Examples:
  ump verify 2022010115gm-00a9-0000-eb81f1a4.xml
  ump verify games/ more.zip older.tar.gz
  ump verify games/ --json --jobs 1

\b
Exit status: 0 if everything came out the same, 1 if a record differs or cannot be read."""
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="PATH...")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Processes; by default one for each core.")
@as_json
def verify(paths: tuple[Path, ...], jobs: int | None, as_json: bool) -> None:
    """Play recorded games again and compare everything: deals, calls, wins, payments, who deals next, final scores.

    Each PATH is a record (Tenhou's mjlog, plain or gzip), a folder of them, or an archive (.zip, .tar, .tar.gz). The
    ruleset is the one that the record names. Games of three players are counted and not played.
    """
    files = files_at(paths)
    totals = Totals()
    processes = jobs or os.cpu_count() or 1
    try:
        for verdict in verdicts(sources_in(files), processes):
            totals.add(verdict)
    finally:
        clear_progress()
    if not totals.files:
        raise Refusal("no record found")
    printed(summary_lines(totals), summary_data(totals), as_json=as_json)
    sys.exit(0 if totals.faultless else 1)


def sources_in(files: Sequence[Path]) -> Iterator[Source]:
    """Yield the records of all files, and show how many files have been opened."""
    for number, file in enumerate(files, 1):
        show_progress(f"verifying: file {number} of {len(files)}")
        yield from records_in(file)


@main.command(
    epilog="""\b
Examples:
  ump join localhost:19000 --mjai "python bot.py {seat}"
  ump join [::1]:19000 --mjai-lines "python mortal.py {seat}" --name mortal --games 10

\b
Exit status: 0 if games were played to their end, 1 if the bot or the server failed, 130 after Ctrl-C."""
)
@click.argument("server", metavar="HOST:PORT")
@click.option("--mjai", metavar="COMMAND", help="A bot that reads arrays of mjai events and replies to each.")
@click.option("--mjai-lines", metavar="COMMAND", help="A bot that reads mjai events line by line.")
@click.option("--name", default="bot", show_default=True, help="The name to play under.")
@click.option("--room", help="The room to sit in; by default the server's own choice.")
@click.option("--games", type=click.IntRange(0, MAX_GAMES), default=1, show_default=True, help="0: until the end.")
@click.option("--user", help="For servers that want to know it.")
@click.option("--password", envvar="UMP_PASSWORD", show_envvar=True, help="On the command line others may see it.")
@click.option("--rules", metavar="PRESET", help="Rules to read the hand by; by default those that the server names.")
def join(server: str, mjai: str | None, mjai_lines: str | None, rules: str | None, **wishes: Any) -> None:
    """Let a bot that speaks mjai over its standard streams play at a UMP server.

    The COMMAND is started for each game, without a shell; {seat} in it stands for the number of its seat, 0 to 3. What
    it writes to its standard error is shown.
    """
    from ump.net.join import Plan, play  # only here, because with it comes all of Twisted

    host, port = read_server(server)
    if (mjai is None) == (mjai_lines is None):
        raise Refusal("one bot is wanted: --mjai COMMAND, or --mjai-lines COMMAND")
    option, text = ("mjai", mjai) if mjai is not None else ("mjai-lines", mjai_lines or "")
    with refusing(f"--{option}"):
        command = read_command(option, text)
    for name in ("name", "room"):
        if wishes[name] is not None:
            with refusing():
                check_name(wishes[name], f"--{name}")
    with refusing("--rules"):
        ruleset = None if rules is None else read_ruleset(rules, ())
    plan = Plan(host, port, command, rules=ruleset, **wishes)
    with refusing("--user, --password"):
        plan.hello()
    sys.exit(play(plan))


def read_server(server: str) -> tuple[str, int]:
    """Return host and port."""
    host, _, port = server.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port[:6]) < 1 << 16:
        raise Refusal(f"{server}: HOST:PORT is wanted, as in localhost:19000")
    return host.removeprefix("[").removesuffix("]"), int(port)
