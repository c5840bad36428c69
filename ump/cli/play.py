"""The commands ``ump play`` and ``ump watch``: the terminal program."""

from __future__ import annotations

import getpass
import os
import sys

import click

from ump.bots.links import Address, AddressError, read_address
from ump.cli.command_line import InputError, textual_needed, tiles_option
from ump.text.layout import printable
from ump.wire.names import check_name
from ump.wire.text import WireError

DEFAULT = "localhost:19000"
"""The server on the own computer."""

FIND_SECONDS = 1.0
"""How long to listen for servers of the local network."""

_server = click.argument("server", metavar="[HOST:PORT]", required=False)


@click.command(
    short_help="Play at a terminal, with a table of 80x24 characters.",
    epilog="""\b
Examples:
  ump play
  ump play mahjong.example:19000 --room east --name alice
  ump play --tiles unicode

\b
Exit status: 0 if you left, 1 if no server answered.""",
)
@_server
@click.option("--name", help="The name to play under; by default your user name.")
@click.option("--room", help="The room to play in; by default the server chooses.")
@tiles_option
def play(server: str | None, name: str | None, room: str | None, tiles: str) -> None:
    """Play with keys and mouse, on a table drawn with characters.

    Without HOST:PORT it offers the servers of the local network and the default port of this computer. Press ? for the
    keys. A lost connection is made anew, and the game goes on.
    """
    _run(server, name or _user(), room, tiles, is_watching=False)


@click.command(
    short_help="Watch a room at a terminal.",
    epilog="""\b
Examples:
  ump watch localhost:19000 --room main
  ump watch mahjong.example:19000 --room east --tiles unicode

\b
Exit status: 0 if you left, 1 if no server answered.""",
)
@_server
@click.option("--room", default="default", show_default=True, help="The room to watch.")
@tiles_option
def watch(server: str | None, room: str, tiles: str) -> None:
    """Watch the games of a room on a table drawn with characters.

    Without HOST:PORT it offers the servers of the local network and the default port of this computer.
    """
    _run(server, "spectator", room, tiles, is_watching=True)


def _run(server: str | None, name: str, room: str | None, tiles: str, *, is_watching: bool) -> None:
    """Run the program, and exit."""
    with textual_needed("ump connect plays without it"):
        from ump.terminal.play_app import PlayApp, Wishes
    from ump.text.style import Style

    try:
        check_name(name, "--name")
        if room is not None:
            check_name(room, "--room")
        address = _address(server)
    except (WireError, AddressError) as error:
        raise InputError(str(error)) from error
    style = Style(is_coloured="NO_COLOR" not in os.environ, is_pictured=tiles == "unicode")
    sys.exit(PlayApp(Wishes(address, name, room, is_watching, style)).run())


def _user() -> str:
    """Return the name of the user of this computer, as far as it can be a player's name."""
    try:
        name = getpass.getuser()
        check_name(name, "--name")
    except (OSError, KeyError, WireError):
        return "me"
    return name


def _address(server: str | None) -> Address:
    """Return the address that was given, or that the person chooses; raises AddressError."""
    address = read_address(server or _chosen())
    if address.scheme and not address.is_web_socket:
        raise AddressError(f"{server}: expected HOST:PORT, or the URL of a WebSocket such as ws://localhost:8080/ump")
    return address


def _chosen() -> str:
    """Let the person choose between the servers of the network, if there are any."""
    from ump.net.announcement import NoLibraryError, find_servers

    try:
        found = find_servers(FIND_SECONDS)
    except (NoLibraryError, OSError):
        found = []
    if not found:
        return DEFAULT
    click.echo(f"  1  {DEFAULT}  this computer")
    for number, each in enumerate(found, 2):
        rooms = ", ".join(each.rooms)
        click.echo(
            f"{number:>3}  {printable(each.address)}  {printable(each.name)}  {printable(rooms) if rooms else ''}"
        )
    number = click.prompt("Server", type=click.IntRange(1, len(found) + 1), default=1)
    return DEFAULT if number == 1 else found[number - 2].address
