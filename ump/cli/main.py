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

COMMANDS = {
    "admin": "admin",
    "arena": "arena",
    "check-client": "check_client",
    "compare": "compare",
    "connect": "connect",
    "convert": "convert",
    "database": "database",
    "dataset": "dataset",
    "find": "find",
    "hand": "hand",
    "join": "join",
    "play": "play",
    "records": "records",
    "replay": "replay",
    "rules": "rules",
    "serve": "serve",
    "show": "show",
    "status": "status",
    "users": "users",
    "verify": "convert",
    "watch": "play",
}
"""The module of each command. The command is the object of its own name there, with an underscore for a hyphen."""


class Commands(click.Group):
    """Commands that are imported when they are called, and that end with status 130 after Ctrl-C (click's is 1)."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

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
  ump hand 123m406p789s1122z        waits of a hand, and what it is worth
  ump rules tenhou                  the rules that Tenhou plays by
  ump connect localhost:19000       play by hand
  ump hand --help                   everything about one command""",
)
@click.version_option(package_name=DISTRIBUTION, message="%(prog)s %(version)s")
def main() -> None:
    """Tools for riichi mahjong: analyse hands, compare rules, verify records of games, connect bots to a server."""
