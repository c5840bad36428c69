"""The commands ``ump status``, the state of a running server, and ``ump admin``, orders to it."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Collection, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, TypeAlias
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import BaseHandler, HTTPHandler, ProxyHandler, Request, build_opener

import click

from ump.cli.command_line import PATIENCE, InputError, as_json, print_report
from ump.drills.drill import read_drill
from ump.drills.text import key_lines, question_lines
from ump.model.choices import quoted
from ump.model.installation import installed_version
from ump.record.likeness import MOST_RARE
from ump.server.orders import ORDERS, PATH, Argument, ArgumentKind, OperatorOrder
from ump.server.users.bans import BanError, read_target
from ump.text.layout import columns, indented, printable

MOST_BYTES = 16_000_000
"""Of an answer: the players of a full server, several times over."""

MOST_REFUSAL_BYTES = 2_000

Answer: TypeAlias = dict[str, Any]
"""The result of an order."""

Given: TypeAlias = Mapping[str, Any]
"""The arguments of a command."""


class Refused(Exception):
    """A request that the server refuses; the message is the body of its response."""


def _ask(request: Request, *handlers: BaseHandler) -> dict[str, Any]:
    """Return the JSON object that a server responds with.

    Raises Refused, OSError if no server answers, and HTTPException or ValueError if it is another program.
    """
    try:
        with build_opener(ProxyHandler({}), *handlers).open(request, timeout=PATIENCE) as response:
            content = json.loads(response.read(MOST_BYTES))
    except HTTPError as error:
        raise Refused(error.read(MOST_REFUSAL_BYTES).decode("utf-8", "replace").strip()) from error
    except URLError as error:
        if isinstance(error.reason, OSError):
            raise error.reason from error
        raise
    except RecursionError as error:
        raise ValueError("too many brackets") from error
    if not isinstance(content, dict):
        raise ValueError("not an object")
    return content


# ump status


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
        return list(map(_printable, told))
    return printable(told) if isinstance(told, str) and told else told


def _read(url: str) -> dict[str, Any]:
    """Return the status that a server tells; raises InputError or ends the program with status 1."""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{quoted(url)} is not the address of a server; expected HOST:PORT, as localhost:8080")
    try:
        return _ask(Request(f"{parts.scheme}://{parts.netloc}/status"))
    except Refused as refused:
        raise click.ClickException(f"{parts.netloc} refuses: {refused}") from refused
    except OSError as error:
        raise click.ClickException(f"no server answers at {parts.netloc} ({error})") from error
    except (ValueError, HTTPException) as error:
        raise click.ClickException(f"{parts.netloc} is not an HTTP port of this server") from error


def status_lines(data: dict[str, Any]) -> list[str]:
    """Return a status as lines for a terminal."""
    delay = data["delay"]
    stopping = ", stopping" if data["stopping"] else ""
    lines = [f"ump {data['version']}, up for {_duration(data['uptime'])}{stopping}", ""]
    rooms, rated = [["room", "tables", "waiting"]], []
    for name, room in data["rooms"].items():
        rooms.append([name, str(room["tables"]), str(room["waiting"])])
        if "next_round" in room:
            rated.append(f"{name} {room['next_round']}")
    lines += columns(rooms, right=range(1, 3))
    if rated:
        lines += ["", f"rated        next rounds: {', '.join(rated)}"]
    lines += ["", f"connections  {_counts(data['connections'])}; turned away {data['turned_away']}"]
    for transport, dialects in sorted(data["clients"].items()):
        lines.append(f"clients      {transport}: {_counts(dict(sorted(dialects.items())))}")
    lines.append(f"games over   {_counts(data['games'])}")
    lines.append(f"refusals     {_counts(data['refusals'])}; timeouts {data['timeouts']}; stale {data['stale']}")
    answers = [f"{name} {_milliseconds(each['p50'])}" for name, each in data["answers"].items() if each["answers"]]
    lines.append(f"answers      half within: {', '.join(answers) or 'none yet'}")
    if data["users"] is not None:
        is_away = data["users"]["away"]
        lines.append(f"users        {'away' if is_away else 'half within ' + _milliseconds(data['users']['p50'])}")
    last = f", the last at {data['last_error']}" if data["last_error"] else ""
    lines.append(f"errors       {data['errors']}{last}")
    for place, count in data["errors_in"].items():
        lines.append(f"             {count} in {place}")
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


# ump admin


class UnixSocket(HTTPHandler):
    """Sends requests to a UNIX socket, whatever their host."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def http_open(self, req: Request) -> HTTPResponse:
        """Send a request."""
        return self.do_open(self._connection, req)

    def _connection(self, host: str, **options: Any) -> HTTPConnection:
        connection = HTTPConnection(host, **options)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(PATIENCE)
        try:
            connection.sock.connect(self._path)
        except OSError:
            connection.close()
            raise
        return connection


class SocketOfServer:
    """The socket of a server."""

    def __init__(self, path: str | None) -> None:
        """Without a path, orders have help, but cannot be given."""
        self._path = path

    def give(self, order: Mapping[str, object]) -> Answer:
        """Give an order, and return what it has come to; ends the program with status 1 if it is refused."""
        if self._path is None:
            raise click.UsageError("name the server's --admin-socket, as in ump admin --socket PATH tables")
        body, headers = json.dumps(order).encode(), {"Content-Type": "application/json"}
        try:
            return _ask(Request(f"http://localhost/{PATH}", body, headers), UnixSocket(self._path))
        except Refused as refused:
            raise click.ClickException(_reason(str(refused))) from refused
        except OSError as error:
            reason = error.strerror or error
            raise click.ClickException(
                f"no server takes orders at {self._path} ({reason}); it needs --admin-socket {self._path}"
            ) from error
        except (ValueError, HTTPException) as error:
            raise click.ClickException(f"{self._path} is not the socket of this server") from error


def _reason(response: str) -> str:
    """Return why an order is refused; requests that are no orders are refused in plain text."""
    try:
        return str(json.loads(response)["error"])
    except (ValueError, LookupError, TypeError):
        return response or "the server is busy"


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


# The results of orders as lines: each takes the answer, and the arguments of the command line.


def _table_lines(answer: Answer, _given: Given) -> list[str]:
    rows = [["table", "room", "spectators", "players"]]
    for table in answer["tables"]:
        rows.append([table["table"], table["room"], str(table["spectators"]), _seated(table)])
    return _listed(rows, "no game runs", right={2})


def _seated(table: dict[str, Any]) -> str:
    """Return the players by seat; those without a connection, such as built-in bots, in brackets."""
    connected = list(table["connected"])
    names = []
    for name in table["players"]:
        if name in connected:
            connected.remove(name)
            names.append(printable(name))
        else:
            names.append(f"({printable(name)})")
    return ", ".join(names)


def _player_lines(answer: Answer, _given: Given) -> list[str]:
    rows = [["player", "room", "table", "from", "protocol"]]
    for player in answer["players"]:
        place = player["table"] or "waits"
        rows.append([printable(player["player"]), player["room"], place, player["from"], player["protocol"]])
    return _listed(rows, "nobody waits or plays")


def _ban_lines(answer: Answer, _given: Given) -> list[str]:
    rows = [["banned", "until", "since", "by", "reason"]]
    for ban in answer["bans"]:
        rows.append(_cells(ban, "target", "until", "made", "made_by", "reason"))
    return _listed(rows, "nobody is banned")


def _log_lines(answer: Answer, _given: Given) -> list[str]:
    rows = [["id", "at", "by", "via", "order", "target", "with", "outcome"]]
    for order in answer["orders"]:
        cells = _cells(order, "made", "made_by", "via", "name", "target", "arguments", "outcome")
        rows.append([str(order["id"]), *cells])
    return _listed(rows, "no orders", right={0})


def _cells(row: dict[str, Any], *names: str) -> list[str]:
    return [row[name] and printable(row[name]) for name in names]


def _listed(rows: list[list[str]], nothing: str, right: Collection[int] = ()) -> list[str]:
    """Return a table whose first row is its head, or ``nothing`` if it has no other."""
    return columns(rows, right=right) if len(rows) > 1 else [nothing]


def _close_lines(_answer: Answer, given: Given) -> list[str]:
    return [f"closed {given['table']}"]


def _report_lines(answer: Answer, _given: Given) -> list[str]:
    rows = [["id", "at", "by", "player", "seat", "game", "reason", "upheld before", "like", "people", "one in"]]
    for report in answer["reports"]:
        cells = _cells(report, "made", "reporter", "player", "seat", "game", "reason")
        rows.append([str(report["id"]), *cells, str(report["upheld"]), *_likeness_cells(report["likeness"])])
    return _listed(rows, "no report waits for a verdict", right={0, 7, 10})


def _likeness_cells(likeness: Mapping[str, Any] | None) -> list[str]:
    """Return how like a program somebody plays, and how many people do."""
    if likeness is None:
        return ["-", "-", "-"]
    share = likeness["agreed"] / likeness["discards"]
    low, high = likeness["usual"]
    like = f"{likeness['player']} in {share:.0%} of {likeness['discards']}"
    more = "+" if likeness["one_in"] >= MOST_RARE else ""
    return [like, f"{low:.0%}-{high:.0%}", f"{likeness['one_in']:,}{more}"]


def _judge_lines(answer: Answer, given: Given) -> list[str]:
    return [f"{given['verdict']}: report {given['report']}, of {printable(answer['judged']['player'])}"]


def _annul_lines(answer: Answer, given: Given) -> list[str]:
    return [f"{given['game']} does not count any more; players told: {answer['told']}"]


def _restore_lines(answer: Answer, given: Given) -> list[str]:
    return [f"{given['game']} counts again; players told: {answer['told']}"]


def _drill_lines(answer: Answer, _given: Given) -> list[str]:
    lines: list[str] = []
    for each in answer["drills"]:
        found = read_drill(each)
        told = indented([*question_lines(found), "", *key_lines(found)])
        lines += [each["id"], *(line.rstrip() for line in told), ""]
    return lines[:-1] or ["no drill is withdrawn"]


def _reinstate_lines(_answer: Answer, given: Given) -> list[str]:
    return [f"{given['drill']} is asked again"]


def _kick_lines(answer: Answer, given: Given) -> list[str]:
    kicked, player = answer["kicked"], given["player"]
    return [f"removed {player}" if kicked == 1 else f"removed {kicked} connections of {player}"]


def _banned_lines(answer: Answer, given: Given) -> list[str]:
    return [f"banned {given['target']}; connections closed: {answer['kicked']}"]


def _unban_lines(_answer: Answer, given: Given) -> list[str]:
    return [f"{given['target']} may come back"]


def _announce_lines(answer: Answer, _given: Given) -> list[str]:
    told, unreached = answer["told"], answer["not_told"]
    lines = [f"told {told} of {told + sum(unreached.values())}"]
    if unreached:
        lines.append("no place for it: " + ", ".join(f"{count} of {name}" for name, count in unreached.items()))
    return lines


def _drain_lines(answer: Answer, _given: Given) -> list[str]:
    running = answer["running"]
    return [f"the server ends after the running games: {running}" if running else "the server ends"]


def _reload_lines(answer: Answer, _given: Given) -> list[str]:
    return [f"read again: {answer['read']}"]


LINES: dict[str, Callable[[Answer, Given], list[str]]] = {
    "tables": _table_lines,
    "players": _player_lines,
    "bans": _ban_lines,
    "log": _log_lines,
    "reports": _report_lines,
    "judge": _judge_lines,
    "close": _close_lines,
    "annul": _annul_lines,
    "restore": _restore_lines,
    "drills": _drill_lines,
    "reinstate": _reinstate_lines,
    "kick": _kick_lines,
    "ban": _banned_lines,
    "unban": _unban_lines,
    "announce": _announce_lines,
    "drain": _drain_lines,
    "reload": _reload_lines,
}


# The commands


def parameter_of(argument: Argument) -> click.Parameter:
    """Return the parameter of a command for an argument of an order."""
    kind: click.ParamType[Any] | None = None
    if argument.kind is ArgumentKind.WHOLE:
        kind = click.IntRange(argument.least)
    elif argument.kind is ArgumentKind.NUMBER:
        kind = click.FloatRange(argument.least, argument.most)
    if argument.is_needed:
        return click.Argument([argument.name], type=kind)
    return click.Option([f"--{argument.name}"], type=kind, metavar=argument.metavar, help=argument.help)


def _command(order: OperatorOrder) -> click.Command:
    """Return the command that gives an order."""

    def give(*, as_json: bool, **given: Any) -> None:
        server = click.get_current_context().find_object(SocketOfServer)
        assert server is not None
        answer = server.give(_request(order, given))
        print_report(LINES[order.name](answer, given), {key: answer[key] for key in order.answer}, as_json=as_json)

    examples = [f"  ump admin --socket admin.sock {order.name} {words}".rstrip() for words in order.examples]
    command = click.Command(
        order.name,
        params=list(map(parameter_of, order.arguments)),
        callback=give,
        short_help=order.summary,
        help=order.description,
        epilog="\n".join(("\b", "Examples:", *examples)),
    )
    command.params.append(click.Option(["--json", "as_json"], is_flag=True, help="Print JSON."))
    return command


def _request(order: OperatorOrder, given: Given) -> dict[str, object]:
    """Return the JSON of an order with the arguments of its command."""
    request: dict[str, object] = {"order": order.name}
    for argument in order.arguments:
        content = given[argument.name]
        if argument.kind is ArgumentKind.TARGET:
            request[_kind_of(content)] = content
        elif content is not None:
            request[argument.name] = content
    return request


def _kind_of(target: str) -> str:
    """Return the name of the argument for an address or a network, or else a user."""
    try:
        return read_target(target).kind.value
    except BanError as error:
        raise click.ClickException(str(error)) from error


for order in ORDERS.values():
    admin.add_command(_command(order))
