"""The command ``ump join``: connects an mjai bot to a UMP server."""

from __future__ import annotations

import sys
from typing import Any

import click

from ump.bots.join import JoinOptions, play
from ump.cli.command_line import (
    InputError,
    input_errors,
    mjai_lines_option,
    mjai_option,
    preset_option,
    read_server,
)
from ump.net.bot_commands import BOT_DIALECTS, CommandError, read_command
from ump.wire.names import check_name
from ump.wire.session import MAX_GAMES


@click.command(
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
@mjai_option
@mjai_lines_option
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
@preset_option("Rules for the bot's legal actions; by default those of the server.")
def join(server: str, **given: Any) -> None:
    """Connect a bot to a UMP server. The bot speaks mjai over its standard input and output.

    Each game starts the COMMAND once, without a shell; {seat} in it becomes the number of the bot's seat, 0 to 3. A zip
    file for mjai.app is a COMMAND too. The standard error of the bot goes to the terminal.
    """
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
    options = JoinOptions(host, port, command, **given)
    with input_errors("--user, --password"):
        options.hello()
    sys.exit(play(options))
