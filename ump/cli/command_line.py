"""What the commands of ``ump`` share: errors about the command line, reports as text or JSON, and common options."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import click

from ump.model.notation import NotationError
from ump.record.recorded_game import RecordError
from ump.rules.options import RulesetError, read_ruleset
from ump.rules.ruleset import Ruleset
from ump.text.hand import HandError
from ump.text.text import pointer
from ump.text.win import ConditionsError
from ump.wire.text import UnwritableError, WireError


class InputError(click.ClickException):
    """A wrong command line; the message is one line, and two more if it points at a part of a text."""

    exit_code = 2


@contextmanager
def input_errors(source: str = "") -> Iterator[None]:
    """Turn errors about bad input into an InputError; ``source`` is the option or argument to name in the message."""
    try:
        yield
    except (NotationError, RulesetError, HandError, ConditionsError, RecordError, WireError, UnwritableError) as error:
        lines = [f"{source}: {error}" if source else str(error)]
        if isinstance(error, NotationError) and error.span is not None:
            lines += [f"  {line}" for line in pointer(error.text, error.span)]
        raise InputError("\n".join(lines)) from None


def print_report(lines: Iterable[str], data: dict[str, object], *, as_json: bool) -> None:
    """Print a report, as text or as JSON."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=2) if as_json else "\n".join(lines))


Decorator = Callable[[Callable[..., None]], Callable[..., None]]

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
changes_of_rules = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="FIELD=VALUE",
    help="Change one field of the rules; repeatable. 'ump rules' lists the fields.",
)


def read_rules(source: str, preset: str, changes: Sequence[str]) -> Ruleset:
    """Return a preset with its --set changes; ``source`` is the option or argument that names the preset."""
    with input_errors(source):
        ruleset = read_ruleset(preset, ())
    with input_errors("--set"):
        return read_ruleset(preset, changes) if changes else ruleset


def read_server(server: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT; an IPv6 host may be in brackets."""
    host, _, port = server.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port[:6]) < 1 << 16:
        raise InputError(f"{server}: expected HOST:PORT with a port from 1 to 65535, as in localhost:19000")
    return host.removeprefix("[").removesuffix("]"), int(port)
