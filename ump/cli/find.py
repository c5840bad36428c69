"""The command ``ump find``: servers in the local network."""

from __future__ import annotations

import sys

import click

from ump.cli.command_line import InputError, as_json, print_report
from ump.text.layout import columns, printable


@click.command(
    short_help="Find servers in the local network.",
    epilog="""\b
Examples:
  ump find
  ump find --seconds 5 --json

\b
Exit status: 0 if a server was found, 1 if not, 130 after Ctrl-C.""",
)
@click.option("--seconds", type=click.FloatRange(0.1, 60), default=2.0, show_default=True, help="How long to listen.")
@as_json
def find(seconds: float, as_json: bool) -> None:
    """Find servers in the local network that announce themselves.

    A server does that when it listens beyond its own computer, unless --no-announce is given. Its address is for
    'ump connect' and for bots.
    """
    from ump.net.announcement import NoLibraryError, find_servers

    try:
        servers = find_servers(seconds)
    except (NoLibraryError, OSError) as error:
        raise InputError(f"servers cannot be found: {error}") from error
    rows = [[printable(each.name), printable(each.address), printable(", ".join(each.rooms))] for each in servers]
    lines = columns([["server", "address", "rooms"], *rows]) if rows else ["No server announces itself here."]
    data: dict[str, object] = {
        "servers": [
            {"name": each.name, "host": each.host, "port": each.port, "rooms": list(each.rooms)} for each in servers
        ]
    }
    print_report(lines, data, as_json=as_json)
    sys.exit(0 if servers else 1)
