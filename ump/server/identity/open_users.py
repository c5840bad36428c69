"""Opens the database of users that an option names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ump.database.database import DatabaseError
from ump.database.place import PlaceError, read_place
from ump.server.option import ConfigError

if TYPE_CHECKING:
    from ump.server.users.user_database import UserDatabase


def open_users(option: str, name: str = "--users") -> UserDatabase:
    """Return the users of a database, which the option ``name`` gives.

    Raises ConfigError if it cannot be read, or if the extra is not installed.
    """
    try:
        place = read_place(option).absolute()
    except PlaceError as error:
        raise ConfigError(f"{name}: {error}") from error
    try:
        from ump.server.users.user_database import UserDatabase, UserError
    except ImportError as error:
        raise ConfigError(f"{name} needs argon2-cffi: pip install 'ump[users]'") from error
    found = UserDatabase(place)
    try:
        found.check()
    except (UserError, OSError, DatabaseError) as error:
        raise ConfigError(f"{name}: {place.shown!r} cannot be read: {error}") from error
    return found
