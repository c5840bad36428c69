"""The command ``ump status``: what a running server does."""

from __future__ import annotations

import json
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

import click

from ump.cli.command_line import PATIENCE, InputError, as_json, print_report
from ump.model.choices import quoted
from ump.model.installation import installed_version
from ump.text.layout import columns, printable

MOST_BYTES = 1_000_000


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
            content = json.loads(response.read(MOST_BYTES))
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
