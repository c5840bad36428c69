"""The command ``ump connect``: a person at a server, line by line."""

from __future__ import annotations

import sys

import click

from ump.cli.command_line import read_server
from ump.terminal.connect import connect as talk


@click.command(
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
    host, port = read_server(server)
    sys.exit(talk(host, port, colors=not no_color))
