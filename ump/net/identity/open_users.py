"""Opens the file of users that an option names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ump.net.option import ConfigError

if TYPE_CHECKING:
    from ump.users.user_file import UserFile


def open_users(option: str) -> UserFile:
    """Return the users of a file; raise ConfigError if it cannot be read, or if the extra is not installed."""
    try:
        from ump.users.user_file import UserError, UserFile, path_of
    except ImportError as error:
        raise ConfigError("--users needs argon2-cffi: pip install 'ump[users]'") from error
    try:
        found = UserFile(path_of(option).absolute())  # a server in the background changes its directory
        found.users()
    except (UserError, OSError) as error:
        raise ConfigError(f"--users: {option!r}: {error}") from error
    except Exception as error:  # SQLite has errors of its own
        raise ConfigError(f"--users: {option!r} cannot be read ({error})") from error
    return found
