"""The commands ``ump status``, the state of a running server, and ``ump admin``, orders to it."""

from __future__ import annotations

import json
import socket
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

import click

from ump.cli.command_line import PATIENCE, InputError, as_json, print_report
from ump.cli.users import ban_options
from ump.model.choices import quoted
from ump.model.installation import installed_version
from ump.text.layout import columns, printable

# ump status

MOST_STATUS_BYTES = 1_000_000


@click.command(
    short_help="Show what a running server does.",
    epilog="""\b
Examples:
  ump status
  ump status games.example:8080 --json

\b
Exit status: 0 if the server answered, 1 if it did not.""",
)
@click.argument("address", default="localhost:8080", metavar="[HOST:PORT]")
@as_json
def status(address: str, as_json: bool) -> None:
    """Show the connections, tables, finished games, errors and delay of a running server.

    HOST:PORT is its HTTP port, by default localhost:8080. A server tells its status to programs of its own computer,
    and to the hosts of its option --status-for.
    """
    data = _read(address if "://" in address else f"http://{address}")
    print_report(() if as_json else _shown(data, address), data, as_json=as_json)


def _shown(data: dict[str, Any], address: str) -> list[str]:
    """Return a status as lines; ends the program with status 1 if it is that of another program."""
    try:
        return status_lines(_printable(data))
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise click.ClickException(
            f"{address} tells no status that ump {installed_version()} knows; --json prints what it tells"
        ) from error


def _printable(told: Any) -> Any:
    """Return JSON whose texts cannot rearrange a terminal."""
    if isinstance(told, dict):
        return {_printable(name): _printable(each) for name, each in told.items()}
    if isinstance(told, list):
        return [_printable(each) for each in told]
    return printable(told) if isinstance(told, str) and told else told


def _read(url: str) -> dict[str, Any]:
    """Return the status that a server tells; raises InputError or ends the program with status 1."""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{quoted(url)} is not the address of a server; expected HOST:PORT, as localhost:8080")
    request = Request(f"{parts.scheme}://{parts.netloc}/status")
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=PATIENCE) as response:
            content = json.loads(response.read(MOST_STATUS_BYTES))
    except HTTPError as error:
        said = error.read(1_000).decode("utf-8", "replace").strip()
        raise click.ClickException(f"{parts.netloc} refuses: {said}") from error
    except (URLError, OSError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise click.ClickException(f"no server answers at {parts.netloc} ({reason})") from error
    except (ValueError, HTTPException, RecursionError) as error:
        raise click.ClickException(f"{parts.netloc} is not an HTTP port of this server") from error
    if not isinstance(content, dict):
        raise click.ClickException(f"{parts.netloc} is not an HTTP port of this server")
    return content


def status_lines(data: dict[str, Any]) -> list[str]:
    """Return a status as lines for a terminal."""
    delay = data["delay"]
    stopping = ", stopping" if data["stopping"] else ""
    lines = [f"ump {data['version']}, up for {_duration(data['uptime'])}{stopping}", ""]
    rooms = [[name, str(room["tables"]), str(room["waiting"])] for name, room in data["rooms"].items()]
    lines += columns([["room", "tables", "waiting"], *rooms], right=range(1, 3))
    rated = [f"{name} {room['next_round']}" for name, room in data["rooms"].items() if "next_round" in room]
    if rated:
        lines += ["", f"rated        next rounds: {', '.join(rated)}"]
    lines += ["", f"connections  {_counts(data['connections'])}; turned away {data['turned_away']}"]
    lines += [
        f"clients      {transport}: {_counts(dict(sorted(dialects.items())))}"
        for transport, dialects in sorted(data["clients"].items())
    ]
    lines.append(f"games over   {_counts(data['games'])}")
    lines.append(f"refusals     {_counts(data['refusals'])}; timeouts {data['timeouts']}; stale {data['stale']}")
    answers = [f"{name} {_milliseconds(each['p50'])}" for name, each in data["answers"].items() if each["answers"]]
    lines.append(f"answers      half within: {', '.join(answers) or 'none yet'}")
    if data["users"] is not None:
        is_away = data["users"]["away"]
        lines.append(f"users        {'away' if is_away else 'half within ' + _milliseconds(data['users']['p50'])}")
    last = f", the last at {data['last_error']}" if data["last_error"] else ""
    lines.append(f"errors       {data['errors']}{last}")
    lines += [f"             {count} in {place}" for place, count in data["errors_in"].items()]
    lines.append(f"delay        half within {_milliseconds(delay['p50'])}, 99 % within {_milliseconds(delay['p99'])}")
    return lines


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count) or "none"


def _duration(seconds: float) -> str:
    minutes, hours = int(seconds) // 60, int(seconds) // 3_600
    if hours >= 48:
        return f"{hours // 24} days"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min {int(seconds) % 60} s"


def _milliseconds(seconds: float | None) -> str:
    return "?" if seconds is None else f"{seconds * 1_000:g} ms"


MOST_BYTES = 16_000_000
"""Of an answer: the players of a full server, several times over."""

EXAMPLES = """\b
Examples:
"""


class SocketOfServer:
    """The socket of a server."""

    def __init__(self, path: str | None) -> None:
        """Without a path, orders have help, but cannot be given."""
        self._path = path

    def give(self, order: str, **arguments: object) -> dict[str, Any]:
        """Give an order, and return what it has come to; ends the program with status 1 if it is refused."""
        if self._path is None:
            raise click.UsageError("name the server's --admin-socket, as in ump admin --socket PATH tables")
        try:
            answer = self._exchange(self._path, json.dumps({"order": order, **arguments}).encode() + b"\n")
        except OSError as error:
            reason = error.strerror or error
            raise click.ClickException(
                f"no server takes orders at {self._path} ({reason}); it needs --admin-socket {self._path}"
            ) from error
        except ValueError as error:
            raise click.ClickException(f"{self._path} is not the socket of this server") from error
        if not answer.get("ok"):
            raise click.ClickException(str(answer.get("error")))
        return answer

    @staticmethod
    def _exchange(path: str, order: bytes) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as stream:
            stream.settimeout(PATIENCE)
            stream.connect(path)
            stream.sendall(order)
            with stream.makefile("rb") as answer:
                said = json.loads(answer.readline(MOST_BYTES))
        if not isinstance(said, dict):
            raise ValueError("not an object")
        return said


@click.group(
    short_help="Give orders to a running server.",
    epilog="""\b
Examples:
  ump admin --socket /run/ump/admin.sock tables
  UMP_ADMIN_SOCKET=/run/ump/admin.sock ump admin drain

\b
Exit status: 0 if the order was carried out, 1 if it was refused or no server answered.""",
)
@click.option(
    "--socket",
    "path",
    metavar="PATH",
    envvar="UMP_ADMIN_SOCKET",
    show_envvar=True,
    help="The socket that the server has opened with --admin-socket.",
)
@click.pass_context
def admin(context: click.Context, path: str | None) -> None:
    """Give orders to a running server, through the UNIX socket of its option --admin-socket."""
    context.obj = SocketOfServer(path)


@admin.command(
    short_help="List the tables.",
    epilog=f"""{EXAMPLES}  ump admin --socket admin.sock tables
  ump admin --socket admin.sock tables --json""",
)
@as_json
@click.pass_obj
def tables(server: SocketOfServer, as_json: bool) -> None:
    """List the running games: room, number of spectators, players by seat, in brackets those without a connection."""
    answer = server.give("tables")
    listed = answer["tables"]
    rows = [[each["table"], each["room"], str(each["spectators"]), _players(each)] for each in listed]
    lines = columns([["table", "room", "spectators", "players"], *rows], right={2}) if rows else ["no game runs"]
    print_report(lines, {"tables": listed}, as_json=as_json)


def _players(table: dict[str, Any]) -> str:
    """Return the players by seat; those without a connection, such as built-in bots, in brackets."""
    connected = list(table["connected"])
    names = []
    for name in table["players"]:
        is_here = name in connected
        if is_here:
            connected.remove(name)
        names.append(printable(name) if is_here else f"({printable(name)})")
    return ", ".join(names)


@admin.command(
    short_help="List the players.",
    epilog=f"""{EXAMPLES}  ump admin --socket admin.sock players""",
)
@as_json
@click.pass_obj
def players(server: SocketOfServer, as_json: bool) -> None:
    """List who waits or plays, with addresses and protocols. Built-in bots are not listed."""
    listed = server.give("players")["players"]
    rows = [
        [printable(each["player"]), each["room"], each["table"] or "waits", each["from"], each["protocol"]]
        for each in listed
    ]
    lines = columns([["player", "room", "table", "from", "protocol"], *rows]) if rows else ["nobody waits or plays"]
    print_report(lines, {"players": listed}, as_json=as_json)


@admin.command(
    short_help="End a game now.",
    epilog=f"""{EXAMPLES}  ump admin --socket admin.sock close main-12""",
)
@click.argument("table")
@click.pass_obj
def close(server: SocketOfServer, table: str) -> None:
    """End the game at TABLE now, without a result. Its players go on as after any game; its record ends there."""
    server.give("close", table=table)
    click.echo(f"closed {table}")


@admin.command(
    short_help="Remove a player.",
    epilog=f"""{EXAMPLES}  ump admin --socket admin.sock kick mallory""",
)
@click.argument("player")
@click.pass_obj
def kick(server: SocketOfServer, player: str) -> None:
    """Close the connections of PLAYER, who cannot come back to the seat. The game goes on as if PLAYER had left.

    'ump admin ban' keeps a user or an address out.
    """
    kicked = server.give("kick", player=player)["kicked"]
    click.echo(f"removed {player}" if kicked == 1 else f"removed {kicked} connections of {player}")


@admin.command(
    short_help="Ban a user, an address or a network.",
    epilog=f"""{EXAMPLES}  ump admin --socket admin.sock ban mallory --reason 'two accounts'
  ump admin --socket admin.sock ban mallory --until 2027-01-01
  ump admin --socket admin.sock ban 192.0.2.0/24""",
)
@click.argument("target")
@ban_options
@click.pass_obj
def ban(server: SocketOfServer, target: str, until: str | None, reason: str) -> None:
    """Ban TARGET in the server's --users, and close its connections now: a user, an address or a network.

    The other servers of a site follow within two seconds. A user whose password or token is right reads until when the
    account is closed, and the reason. 'ump admin unban' ends a ban.
    """
    kicked = server.give("ban", **_named(target), until=until, reason=reason)["kicked"]
    click.echo(f"banned {target}; connections closed: {kicked}")


@admin.command(
    short_help="End a ban.",
    epilog=f"""{EXAMPLES}  ump admin --socket admin.sock unban mallory""",
)
@click.argument("target")
@click.pass_obj
def unban(server: SocketOfServer, target: str) -> None:
    """End the ban of TARGET: a user, an address or a network."""
    server.give("unban", **_named(target))
    click.echo(f"{target} may come back")


def _named(target: str) -> dict[str, str]:
    """Return the argument of an order for an address or a network, or else a user."""
    from ump.server.users.bans import BanError, read_target

    try:
        return {read_target(target).kind.value: target}
    except BanError as error:
        raise click.ClickException(str(error)) from error


@admin.command(
    short_help="List the bans.",
    epilog=f"""{EXAMPLES}  ump admin --socket admin.sock bans""",
)
@as_json
@click.pass_obj
def bans(server: SocketOfServer, as_json: bool) -> None:
    """List the bans in force, the newest first."""
    listed = server.give("bans")["bans"]
    keys = ("target", "until", "made", "made_by", "reason")
    rows = [[printable(each[key]) if each[key] else "" for key in keys] for each in listed]
    lines = columns([["banned", "until", "since", "by", "reason"], *rows]) if rows else ["nobody is banned"]
    print_report(lines, {"bans": listed}, as_json=as_json)


@admin.command(
    short_help="List the last orders.",
    epilog=f"""{EXAMPLES}  ump admin --socket admin.sock log
  ump admin --socket admin.sock log --before 120""",
)
@click.option("--before", type=click.IntRange(1), metavar="ID", help="List the orders before this one.")
@as_json
@click.pass_obj
def log(server: SocketOfServer, before: int | None, as_json: bool) -> None:
    """List the last 50 orders that changed something: by this command, 'ump users', or over HTTP."""
    listed = server.give("log", **({} if before is None else {"before": before}))["orders"]
    keys = ("made", "made_by", "via", "name", "target", "arguments", "outcome")
    rows = [[str(each["id"]), *(printable(each[key]) if each[key] else "" for key in keys)] for each in listed]
    head = ["id", "at", "by", "via", "order", "target", "with", "outcome"]
    lines = columns([head, *rows], right={0}) if rows else ["no orders"]
    print_report(lines, {"orders": listed}, as_json=as_json)


@admin.command(
    short_help="Tell all players and spectators something.",
    epilog=f"""{EXAMPLES}  ump admin --socket admin.sock announce 'The server restarts at 20:00.'
  ump admin --socket admin.sock announce --json 'Welcome to the tournament.'""",
)
@click.argument("text")
@as_json
@click.pass_obj
def announce(server: SocketOfServer, text: str, as_json: bool) -> None:
    """Tell TEXT to everybody who waits, plays or watches: one line of at most 160 visible characters.

    UMP's clients receive it if they have sent _explain=1, as pages, 'ump play' and people at a prompt do. mjai and
    Majiang have no place for it.
    """
    answer = server.give("announce", text=text)
    told, unreached = answer["told"], dict(answer["not_told"])
    total = told + sum(unreached.values())
    lines = [f"told {told} of {total}"]
    if unreached:
        lines.append("no place for it: " + ", ".join(f"{count} of {name}" for name, count in unreached.items()))
    print_report(lines, {"told": told, "not_told": unreached}, as_json=as_json)


@admin.command(
    short_help="End the server after the running games.",
    epilog=f"""{EXAMPLES}  ump admin --socket admin.sock drain
  ump admin --socket admin.sock drain --seconds 600""",
)
@click.option("--seconds", type=click.FloatRange(0, 1_000_000), help="Most time for the games; without it, all end.")
@click.pass_obj
def drain(server: SocketOfServer, seconds: float | None) -> None:
    """Let no more games begin, and end the server when the running ones are over."""
    running = server.give("drain", **({} if seconds is None else {"seconds": seconds}))["running"]
    click.echo("the server ends" if not running else f"the server ends after the running games: {running}")


@admin.command(
    short_help="Read certificates, rooms and the deny list again.",
    epilog=f"""{EXAMPLES}  ump admin --socket admin.sock reload""",
)
@click.pass_obj
def reload(server: SocketOfServer) -> None:
    """Read certificates, rooms and the deny list again, as SIGHUP does, but with errors told here."""
    click.echo(f"read again: {server.give('reload')['read']}")
