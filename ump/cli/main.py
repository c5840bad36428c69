"""The command ``ump``: its commands, each in a module of this package that is imported when it is called.

Exit status: 0 for success, 1 if a verification finds a mismatch or a bot fails, 2 for a wrong command line, with a
message that says why, or an unreadable record, and 130 after Ctrl-C.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from ump.model.installation import DISTRIBUTION

INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells use it."""

GROUPS = {
    "Play": {
        "play": "play",
        "watch": "play",
        "connect": "play",
        "find": "play",
        "drill": "drill",
        "hand": "hand",
        "rules": "hand",
    },
    "Write a bot": {
        "check-client": "bot",
        "join": "bot",
    },
    "Run a server": {
        "serve": "serve",
        "status": "admin",
        "admin": "admin",
        "users": "users",
        "tournament": "tournament",
        "database": "database",
    },
    "Read records": {
        "records": "records",
        "show": "show",
        "replay": "show",
        "review": "review",
        "stats": "records",
        "verify": "convert",
        "convert": "convert",
    },
    "Compare and train": {
        "compare": "arena",
        "arena": "arena",
        "dataset": "dataset",
    },
}
"""The commands by what they are for, each with its module. The command is the object of its own name there, with an
underscore for a hyphen."""

COMMANDS = {name: module for group in GROUPS.values() for name, module in group.items()}


class Commands(click.Group):
    """Commands that are imported when they are called, and that end with status 130 after Ctrl-C (click's is 1)."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups, one after the other, with one column for the names of all."""
        width = max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                rows = []
                for name in group:
                    command = self.get_command(ctx, name)
                    if command:
                        rows.append((name.ljust(width), command.get_short_help_str(64)))
                formatter.write_dl(rows)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module = import_module(f"ump.cli.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except PermissionError as error:  # Path.is_dir raises it before Python 3.14
            raise click.FileError(str(error.filename), error.strerror) from error
        except (KeyboardInterrupt, click.Abort) as error:
            if isinstance(error, click.Abort) and not isinstance(error.__context__, KeyboardInterrupt):
                raise  # a question that was answered with no
            click.echo(err=True)
            raise click.exceptions.Exit(INTERRUPTED) from error


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  ump serve                         a server with bots, for this computer
  ump play                          a table in this terminal
  ump hand 123m406p789s1122z        waits of a hand, and what it is worth
  ump hand --help                   everything about one command""",
)
@click.version_option(package_name=DISTRIBUTION, message="%(prog)s %(version)s")
def main() -> None:
    """Riichi mahjong: play, write a bot, run a server, read records, compare players."""
