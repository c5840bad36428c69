"""The commands for authors of bots: ``ump check-client`` checks a client, ``ump join`` connects an mjai bot."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ump.bots.check.run import list_lines, report_data, report_lines
from ump.bots.check.situation import Situation
from ump.bots.check.situations import OF_THREE, SITUATIONS
from ump.bots.conversations import protocol_of
from ump.bots.join import play
from ump.bots.links import STREAMS, Address, AddressError, read_address
from ump.bots.session import ClientOptions
from ump.cli.command_line import (
    InputError,
    as_json,
    clear_progress,
    input_errors,
    mjai_lines_option,
    mjai_option,
    options_of,
    print_report,
    show_progress,
    time_option,
)
from ump.cli.main import INTERRUPTED
from ump.model.choices import unknown
from ump.net.bot_commands import BOT_DIALECTS, CommandError, read_command
from ump.table.clock import TimeControl
from ump.wire.names import check_name
from ump.wire.ump.sentences01 import ClientHello

if TYPE_CHECKING:
    from ump.net.bot_commands import BotCommand
    from ump.wire.dialect import Hint

BY_PLAYERS: Mapping[str, tuple[Situation, ...]] = {"3": OF_THREE, "4": SITUATIONS}
"""The situations by the value of ``--players``."""

WAYS = "--mjai, --mjai-lines, --start and --listen"


@click.command(
    "check-client",
    short_help="Lead a bot through arranged situations, and report its faults.",
    epilog="""\b
Examples:
  ump check-client --mjai "python bot.py {seat}"
  ump check-client --start "python3 clients/tsumogiri.py {ump}"
  ump check-client --start "node bot.js {http}" --only reconnect --only timeout
  ump check-client --listen --trace traces/
  ump check-client --players 3 --mjai "python bot.py {seat}"
  ump check-client --list

\b
Exit status: 0 if the client has no fault, 1 if it has one, 2 for a wrong command line, 130 after Ctrl-C.""",
)
@mjai_option
@mjai_lines_option
@click.option(
    "--start",
    metavar="COMMAND",
    help="Start a client that connects by itself; {ump}, {mjai}, {majiang} and {http} become HOST:PORT of the ports.",
)
@click.option("--listen", is_flag=True, help="Wait for a client that you start by hand, and print where.")
@click.option(
    "--port",
    type=click.IntRange(1, 65_532),
    help="UMP's port; mjai, Majiang and HTTP have the next three. By default the usual or free ones.",
)
@click.option(
    "--players",
    type=click.Choice(sorted(BY_PLAYERS)),
    default="4",
    show_default=True,
    help="Players at the tables; 3 plays the situations that only games of three have.",
)
@click.option("--only", multiple=True, metavar="NAME", help="Play only this situation; repeatable.")
@time_option
@click.option(
    "--trace",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write everything that is sent and received in each situation to a file in this folder.",
)
@click.option("--list", "is_list", is_flag=True, help="List the situations.")
@as_json
def check_client(
    mjai: str | None,
    mjai_lines: str | None,
    start: str | None,
    listen: bool,
    port: int | None,
    players: str,
    only: tuple[str, ...],
    times: TimeControl,
    trace: Path | None,
    is_list: bool,
    as_json: bool,
) -> None:
    """Lead one client through arranged situations at a real table, and report what was wrong with its answers.

    Each situation is a game of one or two kyoku with arranged tiles and players, and shows one thing: a chankan, a
    swap call, a timeout. Every legal answer is right. A client that is started plays one game each time. A client that
    you start by hand may stay for several games, or connect again after each.
    """
    situations = read_situations(only, players)
    if is_list:
        print_report(list_lines(situations), report_data(situations, ()), as_json=as_json)
        return
    if sum(bool(way) for way in (mjai, mjai_lines, start, listen)) != 1:
        raise click.UsageError(f"give exactly one of {WAYS}")
    if port is not None and not (listen or start):
        raise click.UsageError("--port belongs to --listen or --start")
    # Imported here, so that the other commands need not wait for Twisted and the dialects.
    from ump.bots.check.check import CheckOptions, PortInUse, run_check

    options = CheckOptions(
        situations,
        times,
        read_bot(mjai, mjai_lines),
        () if start is None else read_client(start),
        port,
        None if trace is None else read_folder(trace),
    )

    def announce(number: int, situation: Situation) -> None:
        """Show how far the check is."""
        show_progress(f"situation {number} of {len(situations)}: {situation.name}")

    try:
        outcome = run_check(options, announce, invite)
    except PortInUse as error:
        raise click.UsageError(str(error)) from None
    finally:
        clear_progress()
    print_report(report_lines(situations, outcome.verdicts), report_data(situations, outcome.verdicts), as_json=as_json)
    if outcome.is_interrupted:
        sys.exit(INTERRUPTED)
    sys.exit(1 if outcome.has_faults else 0)


def invite(hints: Sequence[Hint]) -> None:
    """Print how a client reaches the check."""
    width = max(len(hint.label) for hint in hints)
    lines = ["Start your client now, and again after each game unless it stays; Ctrl-C ends the check.", ""]
    lines += [f"  {hint.label:<{width}}  {hint.text}" for hint in hints]
    click.echo("\n".join([*lines, ""]), err=True)


def read_situations(names: Sequence[str], players: str) -> tuple[Situation, ...]:
    """Return the situations of these names, or all that have so many players."""
    known = {situation.name: situation for situation in BY_PLAYERS[players]}
    for name in names:
        if name not in known:
            raise click.UsageError(f"--only: {unknown('situation', name, known)}")
    return tuple(situation for situation in BY_PLAYERS[players] if not names or situation.name in names)


def read_bot(mjai: str | None, mjai_lines: str | None) -> BotCommand | None:
    """Return the command of a bot over standard streams, if one is given."""
    from ump.net.bot_commands import CommandError, read_command

    option, text = ("mjai", mjai) if mjai is not None else ("mjai-lines", mjai_lines)
    try:
        return None if text is None else read_command(option, text)
    except CommandError as error:
        raise click.UsageError(f"--{option}: {error}") from None


def read_client(text: str) -> tuple[str, ...]:
    """Return the command of a client that connects by itself."""
    from ump.bots.check.check import PLACEHOLDERS

    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise click.UsageError(f"--start: {text!r}: {str(error).lower()}") from None
    if not words or ("/" not in words[0] and shutil.which(words[0]) is None):
        raise click.UsageError(f"--start: {text!r}: there is no program {words[0] if words else ''}")
    places = [f"{{{name}}}" for name in PLACEHOLDERS]
    if not any(place in " ".join(words) for place in places):
        listed = ", ".join(places)
        raise click.UsageError(f"--start: {text!r} does not say where to connect; write one of {listed} in it")
    return words


def read_folder(folder: Path) -> Path:
    """Return a folder, after creating it if necessary."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.UsageError(f"--trace: {folder}: {error.strerror or error}") from None
    return folder


# ump join


def _read_server(_context: click.Context, _parameter: click.Parameter, server: str) -> Address:
    try:
        return read_address(server)
    except AddressError as error:
        raise InputError(str(error)) from None


@click.command(
    short_help="Connect an mjai bot to a server.",
    epilog="""\b
Examples:
  ump join localhost:19000 --mjai "python bot.py {seat}"
  ump join localhost:19000 --mjai submission.zip
  ump join [::1]:19000 --mjai-lines "python mortal.py {seat}" --name mortal --games 10
  ump join ws://localhost:8080/majiang --mjai "python bot.py {seat}"

\b
Exit status: 0 if all games were completed, 1 if the bot or the server failed, 3 if answers were refused, 130 after
Ctrl-C.""",
)
@click.argument("address", metavar="SERVER", callback=_read_server)
@mjai_option
@mjai_lines_option
@click.option("--mjai-nukidora", metavar="COMMAND", help="Like --mjai, with nukidora and four slots in games of three.")
@click.option("--mjai-lines-nukidora", metavar="COMMAND", help="Like --mjai-lines, with the same for games of three.")
@options_of(ClientOptions, "options")
def join(options: ClientOptions, **commands: str | None) -> None:
    """Connect a bot to a server. The bot speaks mjai over its standard input and output.

    SERVER is HOST:PORT for UMP, or a URL for another protocol: mjsonp://HOST:PORT for mjai, ws://HOST:PORT/PATH for a
    WebSocket. Each game starts the COMMAND once, without a shell; {seat} in it becomes the number of the bot's seat, 0
    to 3. A zip file for mjai.app is a COMMAND too. The standard error of the bot goes to the terminal.
    """
    check_join_address(options.address, options.protocol)
    command = read_join_command({option: commands[option.replace("-", "_")] for option in BOT_DIALECTS})
    with input_errors():
        check_name(options.name, "--name")
        if options.room is not None:
            check_name(options.room, "--room")
    introduction = (("name", options.name), ("user", options.user), ("password", options.password))
    with input_errors("--user, --password"):
        ClientHello(tuple((option, text) for option, text in introduction if text is not None)).serialise()
    sys.exit(play(command, options))


def check_join_address(address: Address, protocol: str | None) -> None:
    """Raise InputError unless this protocol can be spoken with a server at the address."""
    try:
        protocol_of(address, protocol)
    except AddressError as error:
        raise InputError(str(error)) from None
    if address.scheme == STREAMS:
        raise InputError(f"{STREAMS}: expected the address of a server, as in localhost:19000")


def read_join_command(commands: Mapping[str, str | None]) -> BotCommand:
    """Return the command of the only one of these options that is given; raises InputError."""
    chosen = [(option, text) for option, text in commands.items() if text is not None]
    if len(chosen) != 1:
        raise InputError("give exactly one of " + ", ".join(f"--{option} COMMAND" for option in commands))
    ((option, text),) = chosen
    try:
        return read_command(option, text)
    except CommandError as error:
        raise InputError(f"--{option}: {error}") from None
