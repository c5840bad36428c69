"""The command ``ump database``: bring databases up to date, and copy them to another place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ump.cli.command_line import InputError, clear_progress, show_progress
from ump.database.database import Database, DatabaseError, DatabasePlace, PlaceError, Schema, made_folder_id, read_place
from ump.record.game_index import INDEX, GameIndex


def _place(_context: click.Context, parameter: click.Parameter, given: str | None) -> DatabasePlace | None:
    """Read a place on the command line."""
    try:
        return None if given is None else read_place(given)
    except PlaceError as error:
        raise click.BadParameter(str(error), param=parameter) from None


def index_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--index``, the place of an index that servers share."""
    return click.option(
        "--index",
        metavar="PLACE",
        callback=_place,
        envvar="UMP_INDEX",
        show_envvar=True,
        help="Index that servers share, such as postgresql://USER@HOST/DATABASE; by default that of the FOLDER.",
    )(command)


def site_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--site``, the database of a site, which has an index and copies of records."""
    return click.option(
        "--site",
        metavar="PLACE",
        callback=_site_place,
        help="Database of a site, in place of --index; --reindex makes its copies of the FOLDER's records again, too.",
    )(command)


def _site_place(context: click.Context, parameter: click.Parameter, given: str | None) -> DatabasePlace | None:
    """Read the place of a site on the command line."""
    place = _place(context, parameter, given)
    if place is not None and place.path is not None:
        raise click.BadParameter(
            "a site is in PostgreSQL; expected postgresql://USER@HOST/DATABASE", context, param=parameter
        )
    return place


@contextmanager
def _errors(place: DatabasePlace) -> Iterator[None]:
    """Turn errors about a database into an InputError."""
    try:
        yield
    except (DatabaseError, OSError, ValueError) as error:
        raise InputError(f"{place.shown}: {error}") from None
    finally:
        clear_progress()


@click.group(
    short_help="Upgrade databases, and copy them to PostgreSQL.",
    epilog="""\b
Examples:
  ump database upgrade --index postgresql://ump@db.example/ump --users postgresql://ump@db.example/ump
  ump database copy-index /var/lib/ump/records postgresql://ump@db.example/ump
  ump database copy-users /var/lib/ump/users.sqlite postgresql://ump@db.example/ump""",
)
def database() -> None:
    """Upgrade the databases of index and users, and copy them to another place.

    A PLACE is a path, sqlite:///PATH, or postgresql://USER@HOST/DATABASE. Other users of the computer can see it, so
    keep passwords in ~/.pgpass or a service file: docs/operate.md says how.
    """


@database.command(
    short_help="Bring the tables up to date.",
    epilog="""\b
Examples:
  ump database upgrade --index postgresql://ump@db.example/ump
  ump database upgrade --users /var/lib/ump/users.sqlite""",
)
@click.option("--index", metavar="PLACE", callback=_place, help="The database of an index.")
@click.option("--users", metavar="PLACE", callback=_place, help="The database of users.")
def upgrade(index: DatabasePlace | None, users: DatabasePlace | None) -> None:
    """Make the tables, or bring them up to date. Servers and commands do the same when they first use a database."""
    if index is None and users is None:
        raise InputError("give --index, --users or both")
    if index is not None:
        from ump.record.index_queries import INDEX_SCHEMA

        _upgrade(index, INDEX_SCHEMA)
    if users is not None:
        from ump.server.users.user_schema import USER_SCHEMA

        _upgrade(users, USER_SCHEMA)


def _upgrade(place: DatabasePlace, schema: Schema) -> None:
    with _errors(place):
        was_needed = Database(place, schema).upgrade()
    click.echo(f"{place.shown}: {'brought up to date' if was_needed else 'is up to date'}")


@database.command(
    "copy-index",
    short_help="Copy the index of a folder.",
    epilog="""\b
Examples:
  ump database copy-index /var/lib/ump/records postgresql://ump@db.example/ump""",
)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("place", callback=_place)
def copy_index(folder: Path, place: DatabasePlace) -> None:
    """Copy the index of the records in FOLDER to PLACE, with all counts. Games that are there already are replaced."""
    if not (folder / INDEX).exists():
        raise InputError(f"{folder} has no {INDEX}; 'ump records {folder} --reindex --index PLACE' enters its games")
    with _errors(place):
        count = GameIndex(folder, place, made_folder_id(folder)).copy_from(GameIndex(folder), _show_copied)
    click.echo(f"{place.shown}: {count} games copied")


def _show_copied(games: int) -> None:
    show_progress(f"{games} games are copied")


@database.command(
    "copy-users",
    short_help="Copy users.",
    epilog="""\b
Examples:
  ump database copy-users /var/lib/ump/users.sqlite postgresql://ump@db.example/ump""",
)
@click.argument("source", callback=_place)
@click.argument("place", callback=_place)
def copy_users(source: DatabasePlace, place: DatabasePlace) -> None:
    """Copy all users of SOURCE to PLACE, with passwords, bans and tokens.

    If a name is there already, none is copied.
    """
    try:
        from ump.server.users.user_database import UserDatabase
    except ModuleNotFoundError as error:
        raise InputError(f"needs the package {error.name}: pip install 'ump-mahjong[users]'") from None
    known = UserDatabase(source)
    with _errors(source):
        known.check()
    with _errors(place):
        count = UserDatabase(place).copy_from(known)
    click.echo(f"{place.shown}: {count} users copied")
