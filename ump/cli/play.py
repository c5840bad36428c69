"""The commands for a person: ``ump play`` and ``ump watch``, the terminal program, ``ump find`` and ``ump connect``."""

from __future__ import annotations

import getpass
import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from ump.bots.links import Address, AddressError, read_address
from ump.cli.command_line import (
    InputError,
    as_json,
    input_errors,
    language_option,
    print_report,
    read_server,
    textual_needed,
    tiles_option,
)
from ump.cli.show import chosen_game, game_option
from ump.model.installation import state_folder
from ump.model.seats import LETTERS
from ump.players.policy import POLICIES
from ump.record.branch import Branch, branch_at, branch_data, place_of
from ump.record.recorded_game import RecordError
from ump.record.verify import Assumptions
from ump.terminal.connect import connect as talk
from ump.text.layout import columns, printable
from ump.wire.human.first_prompt import read_table
from ump.wire.names import check_name
from ump.wire.text import GUEST_KEY, WireError
from ump.wire.ump.sentences01 import ClientHello

if TYPE_CHECKING:
    from ump.terminal.lobby import ListedServer
    from ump.terminal.play_app import ServerLogin

DEFAULT = "localhost:19000"
"""The server on the own computer."""

FIND_SECONDS = 1.0
"""Seconds in which servers of the local network answer."""

_server = click.argument("server", metavar="[HOST:PORT]", required=False)


@click.command(
    short_help="Play at a terminal, with a lobby and a table.",
    epilog="""\b
Examples:
  ump play
  ump play mahjong.example:19000
  ump play mahjong.example:19000 --room east --name alice
  ump play tls://mahjong.example:19443 --user alice
  ump play mahjong.example:19000 --table K7MQ2XAB
  ump play --tiles ascii --lang ja
  ump play --from game.journal.gz --at E3.1:17

\b
Exit status: 0 if you left, 1 if no server answered, or it refused you, 2 for a wrong command line or record.""",
)
@_server
@click.option("--name", help="The name to play under; by default your user name.")
@click.option(
    "--user", help="Log in as this user of SERVER, with a password or token that is asked for, or UMP_PASSWORD."
)
@click.option("--room", help="The room to play in, without the lobby.")
@click.option("--table", help="A table among friends, by its code; new makes one.", metavar="CODE")
@click.option(
    "--from",
    "record",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="RECORD",
    help="Play on from a position of this recorded game, against built-in bots.",
)
@click.option("--at", metavar="PLACE", help="The position: a kyoku and an event, as ump review and the replay name it.")
@game_option
@click.option("--seat", type=click.Choice(LETTERS[:4]), help="The seat to play; by default the one that decides there.")
@click.option(
    "--against", type=click.Choice([*POLICIES]), default="expert", show_default=True, help="The bots of --from."
)
@tiles_option
@language_option
@click.option(
    "--bell/--no-bell", default=True, help="Ring if you have to decide and seem to be away; by default it does."
)
def play(
    server: str | None,
    name: str | None,
    user: str | None,
    room: str | None,
    table: str | None,
    record: Path | None,
    at: str | None,
    number: int,
    seat: str | None,
    against: str,
    tiles: str | None,
    language: str | None,
    bell: bool,
) -> None:
    """Play with keys and mouse, on a table drawn with characters.

    It begins with a lobby: your name, the rooms of the server, and the games that are on. Without HOST:PORT it begins
    at the default port of this computer, and lists the servers of the local network. Press ? at the table for the keys.
    A lost connection is made anew, and the game goes on.

    With --from it is a table of your own: "what if I had discarded 4s?". The walls of that kyoku are those of the
    record, as far as it knows them; the bots decide anew.
    """
    if record is None and at is None:
        _run(
            server, name or user or _user(), room, tiles, language, is_watching=False, table=table, user=user, bell=bell
        )
    if record is None or at is None or any(each is not None for each in (server, room, table, user)):
        raise InputError("--from RECORD and --at PLACE belong together, and to no server, room, table or user")
    branch = _branch(record, number, at, seat)
    with practice_server(branch, against) as (port, kept):
        _run(f"localhost:{port}", name or _user(), kept, tiles, language, is_watching=False, bell=bell)


def _branch(record: Path, number: int, at: str, seat: str | None) -> Branch:
    """Return the position of --from and --at; raises InputError."""
    try:
        game = chosen_game(record, number, Assumptions())
        kyoku, events = place_of(game, at)
        return branch_at(game, kyoku, events, None if seat is None else LETTERS.index(seat))
    except RecordError as error:
        raise InputError(f"{record}: {error}") from None


@contextmanager
def practice_server(branch: Branch, kind: str) -> Iterator[tuple[int, str]]:
    """Run a server for a position; yield its port, and the name that stands for the position."""
    from ump.net.limits import ChildLimits
    from ump.net.programs import launch_command

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "ump.server.practice", str(port), kind]
    with subprocess.Popen(
        launch_command(words, ChildLimits(nice=0, cpu=0)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        try:
            child.stdin.write(json.dumps(branch_data(branch)))
            child.stdin.close()
            kept = child.stdout.readline().strip()
            if not kept:
                raise click.ClickException(f"the table could not be made: {child.stderr.read().strip()[-500:]}")
            yield port, kept
        finally:
            child.terminate()


@click.command(
    short_help="Watch games at a terminal.",
    epilog="""\b
Examples:
  ump watch
  ump watch localhost:19000 --room main
  ump watch mahjong.example:19000 --room east --tiles unicode

\b
Exit status: 0 if you left, 1 if no server answered, or it refused you.""",
)
@_server
@click.option("--room", help="The room to watch, without the lobby.")
@tiles_option
@language_option
def watch(server: str | None, room: str | None, tiles: str | None, language: str | None) -> None:
    """Watch the games of a room on a table drawn with characters.

    It begins with a lobby, as 'ump play' does.
    """
    _run(server, "spectator", room, tiles, language, is_watching=True)


def _run(
    server: str | None,
    name: str,
    room: str | None,
    tiles: str | None,
    language: str | None,
    *,
    is_watching: bool,
    table: str | None = None,
    bell: bool = False,
    user: str | None = None,
) -> NoReturn:
    """Run the program, and exit."""
    with textual_needed("ump connect plays without it"):
        from ump.terminal.canvas import look_for
        from ump.terminal.play_app import PlayApp, Wishes
    try:
        check_name(name, "--name")
        if room is not None:
            check_name(room, "--room")
        address = _address(server or DEFAULT)
    except (WireError, AddressError) as error:
        raise InputError(str(error)) from error
    wish = None if table is None else read_table(table.split())
    if table is not None and wish is None:
        raise InputError(f"--table {table!r}: expected new, or a code of 8 letters and digits")
    login = None if user is None else _login(address, user)
    look = look_for(os.environ, sys.stdout.encoding, tiles, language)
    has_place = room is not None or wish is not None
    wishes = Wishes(
        address,
        name,
        room,
        is_watching,
        look,
        opens_lobby=not has_place,
        guest=_guest_key(),
        table=wish,
        has_bell=bell,
        login=login,
    )
    app = PlayApp(wishes, find=_servers_of_network if server is None else None)
    status = app.run()
    if app.reason:
        click.echo(f"ump: {app.reason}", err=True)
    sys.exit(status)


def _login(address: Address, user: str) -> ServerLogin:
    """Return who logs in at a server; asks for the password, which no list of programs shows. Raises InputError."""
    from ump.terminal.play_app import ServerLogin

    if address.is_web_socket:
        raise InputError("--user: expected HOST:PORT or tls://HOST:PORT; over a WebSocket a browser logs in")
    password = os.environ.get("UMP_PASSWORD")
    if password is None:
        password = click.prompt(f"Password or token of {user} at {address}", hide_input=True)
    with input_errors("--user"):
        ClientHello((("user", user), ("password", password))).serialise()
    return ServerLogin(address, user, password)


def _guest_key() -> str:
    """Return the secret by which servers know this person again; it is kept in a file that nobody else can read."""
    file = state_folder() / "guest"
    key = secrets.token_urlsafe(16)
    try:
        if file.exists():
            kept = file.read_text("ascii").strip()
            return kept if GUEST_KEY.fullmatch(kept) else key
        file.parent.mkdir(0o700, parents=True, exist_ok=True)
        file.touch(0o600)
        file.write_text(f"{key}\n", "ascii")
    except (OSError, UnicodeDecodeError):
        return key  # known until the program ends
    return key


def _user() -> str:
    """Return the name of the user of this computer, as far as it can be a player's name."""
    try:
        name = getpass.getuser()
        check_name(name, "--name")
    except (OSError, KeyError, WireError):
        return "me"
    return name


def _address(server: str) -> Address:
    """Return the address that was given; raises AddressError."""
    address = read_address(server)
    if address.scheme not in ("", "tls") and not address.is_web_socket:
        raise AddressError(
            f"{server}: expected HOST:PORT, tls://HOST:PORT, or the URL of a WebSocket such as ws://localhost:8080/ump"
        )
    return address


def _servers_of_network() -> list[ListedServer]:
    """Return the servers that announce themselves in the local network."""
    from ump.net.announcement import NoLibraryError, find_servers
    from ump.terminal.lobby import ListedServer

    try:
        found = find_servers(FIND_SECONDS)
    except (NoLibraryError, OSError):
        return []
    return [ListedServer(each.name, read_address(each.address), each.rooms) for each in found]


# ump find


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
    rows, data = [["server", "address", "rooms"]], []
    for each in servers:
        rows.append([printable(each.name), printable(each.address), printable(", ".join(each.rooms))])
        data.append({"name": each.name, "host": each.host, "port": each.port, "rooms": list(each.rooms)})
    lines = columns(rows) if servers else ["No server announces itself here."]
    print_report(lines, {"servers": data}, as_json=as_json)
    sys.exit(0 if servers else 1)


# ump connect


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
