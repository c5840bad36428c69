"""The command ``ump users``: users of a server, their passwords, bans and access tokens."""

from __future__ import annotations

import getpass
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from ump.cli.admin import parameter_of
from ump.cli.command_line import InputError, as_json, print_report
from ump.database.database import DatabaseError, PlaceError, read_place
from ump.server.orders import BAN_OPTIONS
from ump.text.layout import columns, printable

if TYPE_CHECKING:
    from ump.server.users.bans import OrderToLog
    from ump.server.users.user_database import User, UserDatabase

QUESTIONS = ("list_users",)
"""The commands that change nothing, and are not logged."""

LONGEST_LABEL = 100
"""Characters of the label of a token."""


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

            database = UserDatabase(read_place(option))
            command(database, **given)
            if command.__name__ not in QUESTIONS:
                database.log_order(_order(command.__name__, given))

    return checked


def _order(name: str, given: Mapping[str, Any]) -> OrderToLog:
    """Return an order for the log. Passwords and tokens are no arguments, so it has no secret."""
    from ump.server.users.bans import OrderToLog

    more = {key: each for key, each in given.items() if key != "name" and each}
    arguments = json.dumps(more, ensure_ascii=False) if more else ""
    return OrderToLog(_now(), _operator(), "command", name, printable(given.get("name", "")), arguments, "ok")


def _operator() -> str:
    """Return the user of this computer who gives an order."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # nobody has this number
        return f"user {os.getuid()}"


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
  export UMP_USERS=users.sqlite; ump users ban mallory --until 2027-01-01 --reason spam
  ump users list --users postgresql://ump@localhost/ump""",
)
def users() -> None:
    """Manage users: their passwords, bans, roles and access tokens. docs/users.md describes it.

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
    from ump.server.users.user_database import check_user_name, hash_password

    check_user_name(name)
    database.add(name, None if no_password else hash_password(_password(), name), _now())


@users.command(
    short_help="Change a password.",
    epilog="""\b
Examples:
  ump users passwd alice --users users.sqlite""",
)
@name_argument
@_with_database
def passwd(database: UserDatabase, name: str) -> None:
    """Change the password of a user. Tokens stay valid, and all sessions in browsers end."""
    from ump.server.users.user_database import hash_password

    database.user(name)
    database.set_password(name, hash_password(_password(), name))


@users.command(
    short_help="Make a link by which people register.",
    epilog="""\b
Examples:
  ump users invite --users users.sqlite
  ump users invite --uses 20 --days 30 --users users.sqlite""",
)
@click.option("--uses", type=click.IntRange(1, 1_000), default=1, show_default=True, help="Number of people who may.")
@click.option("--days", type=click.IntRange(1, 366), default=7, show_default=True, help="Days that the link lasts.")
@_with_database
def invite(database: UserDatabase, *, uses: int, days: int) -> None:
    """Print the end of a link by which people register on a server with --register invite: put its address before."""
    click.echo(f"/account#register={database.invite(uses, _in_days(days), _operator(), _now())}")


@users.command(
    short_help="Make a link by which a user chooses another password.",
    epilog="""\b
Examples:
  ump users reset alice --users users.sqlite""",
)
@name_argument
@_with_database
def reset(database: UserDatabase, name: str) -> None:
    """Print the end of a link, good for a day, by which a user chooses another password that the operator never knows.

    Put the address of the server before it. All sessions of the user end when it is used.
    """
    click.echo(f"/account#reset={database.let_reset(name, _in_days(1), _operator(), _now())}")


@users.command(
    short_help="Remove a user.",
    epilog="""\b
Examples:
  ump users remove alice --users users.sqlite""",
)
@name_argument
@_with_database
def remove(database: UserDatabase, name: str) -> None:
    """Remove a user for good. Nobody else gets the name, and in records another one takes its place."""
    database.delete(name, _now())


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
    """List all users, or the tokens and sessions of the user NAME. Neither shows a secret."""
    if name is not None:
        tokens = database.tokens(name)
        rows = [["token", "created", "session until", "bot", "label"]]
        for each in tokens:
            rows.append([each.id, each.created, each.ends or "", printable(each.bot or ""), printable(each.label)])
        lines = columns(rows) if tokens else [f"{printable(name)} has no tokens."]
        print_report(lines, {"tokens": list(map(asdict, tokens))}, as_json=as_json)
        return
    now, found = _now(), database.users()
    rows = [["name", "password", "tokens", "created", "role", "banned until"]]
    for user in found:
        password = "yes" if user.has_password else "no"
        rows.append([printable(user.name), password, str(user.tokens), user.created, user.role, _ban(user, now)])
    lines = columns(rows) if found else ["No users."]
    print_report(lines, {"users": list(map(asdict, found))}, as_json=as_json)


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
@click.option("--bot", metavar="NAME", help="Let the token log in as this bot of the user alone: USER/NAME.")
@click.option("--revoke", metavar="ID", help="Delete this token instead: the part between 'ump_' and the next '_'.")
@_with_database
def token(database: UserDatabase, name: str, *, label: str, bot: str | None, revoke: str | None) -> None:
    """Make an access token for a user, and print it. It cannot be shown again: the database has only its hash."""
    if revoke is not None:
        database.revoke_token(name, revoke)
        return
    if len(label) > LONGEST_LABEL or not label.isprintable():
        raise InputError(f"--label must have at most {LONGEST_LABEL} characters, and no control characters")
    click.echo(database.add_token(name, label, _now(), bot).text)


@users.command(
    short_help="Ban a user, an address or a network.",
    epilog="""\b
Examples:
  ump users ban mallory --users users.sqlite
  ump users ban mallory --until 2027-01-01 --reason 'two accounts' --users users.sqlite
  ump users ban 192.0.2.0/24 --users users.sqlite""",
    params=list(map(parameter_of, BAN_OPTIONS)),
)
@name_argument
@_with_database
def ban(database: UserDatabase, name: str, *, until: str | None, reason: str | None) -> None:
    """Ban the user, the address or the network NAME. Servers act on it within two seconds.

    A user whose password or token is right reads until when the account is closed, and the reason.
    """
    from ump.server.users.bans import check_reason, read_instant, read_target

    end = None if until is None else read_instant(until)
    database.ban(read_target(name), end, check_reason(reason or ""), _operator(), _now())


@users.command(
    short_help="End a ban.",
    epilog="""\b
Examples:
  ump users unban mallory --users users.sqlite""",
)
@name_argument
@_with_database
def unban(database: UserDatabase, name: str) -> None:
    """End the ban of a user, an address or a network."""
    from ump.server.users.bans import read_target

    database.lift(read_target(name), _operator())


@users.command(
    short_help="Let a user keep order, or not.",
    epilog="""\b
Examples:
  ump users role alice admin --users users.sqlite
  ump users role alice player --users users.sqlite""",
)
@name_argument
@click.argument("role", type=click.Choice(("player", "admin")))
@_with_database
def role(database: UserDatabase, name: str, *, role: str) -> None:
    """Give a user a role. An admin may give the orders of 'ump admin' on the page /admin and over HTTP."""
    from ump.server.users.bans import Role

    database.set_role(name, Role(role))


def _password() -> str:
    """Ask for a new password twice, or read it from the standard input if that is no terminal."""
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline(4_096).rstrip("\r\n")


def _ban(user: User, now: str) -> str:
    """Return the end of a user's ban for a table, and its reason; nothing without one."""
    from ump.server.users.bans import FOREVER

    if not user.is_banned(now):
        return ""
    until = "for good" if user.banned_until == FOREVER else str(user.banned_until)
    return f"{until}: {printable(user.reason)}" if user.reason else until


def _now() -> str:
    return _in_days(0)


def _in_days(days: int) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
