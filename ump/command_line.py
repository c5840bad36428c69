"""What the commands of ``ump`` share: errors about the command line, reports as text or JSON, and common options."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from ump.model.notation import NotationError
from ump.record.recorded_game import RecordError
from ump.report.hand import HandError
from ump.report.text import pointer
from ump.report.win import ConditionsError
from ump.rules.options import RulesetError, read_ruleset
from ump.rules.ruleset import Ruleset
from ump.wire.text import UnwritableError, WireError


class InputError(click.ClickException):
    """A wrong command line; the message is one line, and two more if it points at a part of a text."""

    exit_code = 2


INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells use it."""


class Commands(click.Group):
    """A group of commands that end with status 130 after Ctrl-C; by itself, click ends with 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort) as error:
            if isinstance(error, click.Abort) and not isinstance(error.__context__, KeyboardInterrupt):
                raise  # a question that was answered with no
            click.echo(err=True)
            raise click.exceptions.Exit(INTERRUPTED) from error


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
