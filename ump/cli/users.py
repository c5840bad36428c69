"""The command ``ump users``: users of a server, their passwords, bans and access tokens."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from ump.cli.command_line import InputError, as_json, print_report
from ump.database.database import DatabaseError, PlaceError, read_place
from ump.text.layout import columns, printable

if TYPE_CHECKING:
    from ump.server.users.user_database import User, UserDatabase

LONGEST_LABEL = 100
"""Characters of the label of a token."""

_INSTANT = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?")


def _with_database(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--users``, pass the database as first argument, and turn errors about it into one line."""

    @click.option(
        "--users",
        "option",
        metavar="PLACE",
        required=True,
        envvar="UMP_USERS",
        show_envvar=True,
        help="The database of users: a path, sqlite:///PATH, or postgresql://USER@HOST/DATABASE.",
    )
    @wraps(command)
    def checked(option: str, **given: Any) -> None:
        with _errors(option):
            from ump.server.users.user_database import UserDatabase

            command(UserDatabase(read_place(option)), **given)

    return checked


@contextmanager
def _errors(option: str) -> Iterator[None]:
    """Turn errors about the database, the names and the passwords into an InputError."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise InputError(f"needs the package {error.name}: pip install 'ump-mahjong[users]'") from None
    except PlaceError as error:
        raise InputError(f"--users: {error}") from None
    except (ValueError, OSError, DatabaseError) as error:
        raise InputError(f"--users {read_place(option).shown}: {error}") from None


name_argument = click.argument("name")


@click.group(
    short_help="Manage users: passwords, bans and tokens.",
    epilog="""\b
Examples:
  ump users add alice --users users.sqlite
  ump users list --users users.sqlite
  ump users token alice --label laptop --users users.sqlite
  export UMP_USERS=users.sqlite; ump users ban mallory --until 2027-01-01
  ump users list --users postgresql://ump@localhost/ump""",
)
def users() -> None:
    """Manage users: their passwords, bans and access tokens. docs/users.md describes it.

    A password is asked for at a terminal. Otherwise it is the first line of the standard input, never an option: other
    users of the computer can see options. For the same reason, keep the password of a PostgreSQL database in ~/.pgpass.
    """


@users.command(
    short_help="Add a user.",
    epilog="""\b
Examples:
  ump users add alice --users users.sqlite
  ump users add bot --no-password --users users.sqlite
  pass show ump/alice | ump users add alice --users users.sqlite""",
)
@name_argument
@click.option("--no-password", is_flag=True, help="Set no password: the user has tokens only.")
@_with_database
def add(database: UserDatabase, name: str, *, no_password: bool) -> None:
    """Add a user. A file is made if it does not exist. A name that looks like another user's is refused."""
    from ump.server.users.secret import hash_password
    from ump.server.users.user_database import check_user_name

    check_user_name(name)
    database.add(name, None if no_password else hash_password(_password()), _now())


@users.command(
    short_help="Change a password.",
    epilog="""\b
Examples:
  ump users passwd alice --users users.sqlite""",
)
@name_argument
@_with_database
def passwd(database: UserDatabase, name: str) -> None:
    """Change the password of a user. Tokens stay valid."""
    from ump.server.users.secret import hash_password

    database.user(name)
    database.set_password(name, hash_password(_password()))


@users.command(
    short_help="Remove a user.",
    epilog="""\b
Examples:
  ump users remove alice --users users.sqlite""",
)
@name_argument
@_with_database
def remove(database: UserDatabase, name: str) -> None:
    """Remove a user with all tokens. The name is free again; to keep it from others, ban the user instead."""
    database.remove(name)


@users.command(
    "list",
    short_help="List the users, or the tokens of one.",
    epilog="""\b
Examples:
  ump users list --users users.sqlite
  ump users list alice --users users.sqlite --json""",
)
@click.argument("name", required=False)
@as_json
@_with_database
def list_users(database: UserDatabase, name: str | None, *, as_json: bool) -> None:
    """List all users, or the tokens of the user NAME. Neither shows a secret."""
    if name is not None:
        tokens = database.tokens(name)
        rows = [["token", "created", "label"], *([each.id, each.created, printable(each.label)] for each in tokens)]
        lines = columns(rows) if tokens else [f"{printable(name)} has no tokens."]
        print_report(lines, {"tokens": [asdict(each) for each in tokens]}, as_json=as_json)
        return
    now, found = _now(), database.users()
    rows = [
        [
            printable(each.name),
            "yes" if each.has_password else "no",
            str(each.tokens),
            each.created,
            _ban(each, now),
        ]
        for each in found
    ]
    lines = columns([["name", "password", "tokens", "created", "banned until"], *rows]) if rows else ["No users."]
    print_report(lines, {"users": [asdict(each) for each in found]}, as_json=as_json)


@users.command(
    short_help="Make an access token, or revoke one.",
    epilog="""\b
Examples:
  ump users token alice --users users.sqlite
  ump users token alice --label laptop --users users.sqlite
  ump users token alice --revoke 0123456789ab --users users.sqlite""",
)
@name_argument
@click.option("--label", default="", metavar="TEXT", help="What the token is for, as 'list NAME' shows it.")
@click.option("--revoke", metavar="ID", help="Delete this token instead: the part between 'ump_' and the next '_'.")
@_with_database
def token(database: UserDatabase, name: str, *, label: str, revoke: str | None) -> None:
    """Make an access token for a user, and print it. It cannot be shown again: the database has only its hash."""
    if revoke is not None:
        database.revoke_token(name, revoke)
        return
    if len(label) > LONGEST_LABEL or not label.isprintable():
        raise InputError(f"--label must have at most {LONGEST_LABEL} characters, and no control characters")
    click.echo(database.add_token(name, label, _now()).text)


@users.command(
    short_help="Ban a user.",
    epilog="""\b
Examples:
  ump users ban mallory --users users.sqlite
  ump users ban mallory --until 2027-01-01 --users users.sqlite""",
)
@name_argument
@click.option("--until", metavar="DATE", help="End the ban on this date or at this instant (UTC); by default never.")
@_with_database
def ban(database: UserDatabase, name: str, until: str | None) -> None:
    """Ban a user, until a date or for good. Nobody can log in by the name meanwhile."""
    from ump.server.users.user_database import FOREVER

    database.ban(name, read_instant(until) if until is not None else FOREVER)


@users.command(
    short_help="End a ban.",
    epilog="""\b
Examples:
  ump users unban mallory --users users.sqlite""",
)
@name_argument
@_with_database
def unban(database: UserDatabase, name: str) -> None:
    """End the ban of a user."""
    database.ban(name, None)


def _password() -> str:
    """Ask for a new password twice, or read it from the standard input if that is no terminal."""
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline(4_096).rstrip("\r\n")


def read_instant(text: str) -> str:
    """Return a date or an instant on the command line as a whole instant."""
    if _INSTANT.fullmatch(text) is not None:
        try:
            instant = datetime.fromisoformat(text)
        except ValueError:
            pass
        else:
            return instant.strftime("%Y-%m-%dT%H:%M:%SZ")
    raise InputError(f"--until: {text!a} is no date such as 2027-01-01, or instant such as 2027-01-01T18:00Z")


def _ban(user: User, now: str) -> str:
    """Return the end of a user's ban for a table; nothing without one."""
    from ump.server.users.user_database import FOREVER

    if not user.is_banned(now):
        return ""
    return "for good" if user.banned_until == FOREVER else str(user.banned_until)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
