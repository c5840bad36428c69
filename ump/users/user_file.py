"""The file of users: an SQLite database with names, password hashes, bans and access tokens.

Two names that look alike cannot both be in it. All instants are text, as in 2026-11-23T18:00:00Z, and arguments.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ump.model.owner import owner_of
from ump.model.value import value
from ump.users.secret import NewToken, new_token, token_id, verify_password, verify_token
from ump.wire.look_alikes import skeleton
from ump.wire.names import check_name
from ump.wire.text import WireError

FOREVER = "9999-12-31T23:59:59Z"
"""The end of a ban without an end."""

SQLITE_URL = "sqlite:///"
"""How a URL of a file begins, as SQLAlchemy writes it: four slashes for an absolute path."""

MOST_TOKENS = 100
"""Tokens of one user."""

_APPLICATION = 0x756D7075
"""``ump users`` in SQLite's application_id: ``umpu``."""

_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS users (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, folded TEXT NOT NULL UNIQUE, password TEXT,
    created TEXT NOT NULL, banned_until TEXT
);
CREATE TABLE IF NOT EXISTS tokens (
    id TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, hash TEXT NOT NULL,
    label TEXT NOT NULL, created TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS tokens_user ON tokens (user_id);
PRAGMA application_id = {_APPLICATION};
COMMIT;
"""


class UserError(ValueError):
    """A change that the file of users does not allow, or a file that cannot be one."""


@value
class User:
    """A user, without secrets."""

    name: str
    has_password: bool
    tokens: int
    created: str
    banned_until: str | None

    def is_banned(self, now: str) -> bool:
        """Return whether the user may not play at this instant."""
        return self.banned_until is not None and now < self.banned_until


@value
class Token:
    """An access token of a user, without its secret."""

    id: str
    label: str
    created: str


_USER = """SELECT name, password IS NOT NULL, (SELECT COUNT(*) FROM tokens WHERE user_id = users.id), created,
    banned_until FROM users"""


def path_of(option: str) -> Path:
    """Return the path of a file of users from a path or a URL ``sqlite:///PATH``; raise UserError for other URLs."""
    path = option.removeprefix(SQLITE_URL)
    if "://" in path:
        raise UserError(f"{option.partition('://')[0]}:// is not offered; give a FILE or {SQLITE_URL}FILE")
    if not path or path == ":memory:" or "\0" in path:
        raise UserError("expected the path of a file")
    return Path(path)


def check_user_name(name: str) -> str:
    """Return the name of a user unchanged; raise UserError if it may not be one.

    A slash separates the name of an owner from that of a bot, so no user's name has one.
    """
    try:
        check_name(name, "the name")
    except WireError as error:
        raise UserError(str(error)) from None
    if "/" in name:
        raise UserError("the name must have no slash")
    return name


class UserFile:
    """A file of users. Each call opens it, and each change is one transaction, so a server may read it meanwhile."""

    def __init__(self, path: Path) -> None:
        """``path`` is made by the first ``add``, readable for its owner alone."""
        self.path = path

    def add(self, name: str, password_hash: str | None, now: str) -> None:
        """Enter a user; raise UserError if the name may not be one, is taken, or looks like another's."""
        row = (check_user_name(name), skeleton(name), password_hash, now)
        with self._opened(make=True) as database:
            other = database.execute("SELECT name FROM users WHERE folded = ?", (skeleton(name),)).fetchone()
            if other is not None:
                same = "there is a user" if other[0] == name else f"{name!r} looks like the user"
                raise UserError(f"{same} {other[0]!r}")
            database.execute("INSERT INTO users (name, folded, password, created) VALUES (?, ?, ?, ?)", row)

    def set_password(self, name: str, password_hash: str) -> None:
        """Give a user another password; raise UserError if there is no such user."""
        self._change("UPDATE users SET password = ? WHERE name = ?", (password_hash, name), f"no user {name!r}")

    def remove(self, name: str) -> None:
        """Delete a user, and the user's tokens; raise UserError if there is no such user."""
        self._change("DELETE FROM users WHERE name = ?", (name,), f"no user {name!r}")

    def ban(self, name: str, until: str | None) -> None:
        """Ban a user until an instant, or end the ban with None; raise UserError if there is no such user."""
        self._change("UPDATE users SET banned_until = ? WHERE name = ?", (until, name), f"no user {name!r}")

    def users(self) -> list[User]:
        """Return all users by name."""
        with self._opened() as database:
            return [_user(row) for row in database.execute(f"{_USER} ORDER BY name")]

    def user(self, name: str) -> User:
        """Return the user of exactly this name; raise UserError if there is none."""
        with self._opened() as database:
            row = database.execute(f"{_USER} WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise UserError(f"no user {name!r}")
        return _user(row)

    def is_reserved(self, name: str) -> bool:
        """Return whether a player's name is that of a user or of a user's bot, or looks like it."""
        with self._opened() as database:
            query = "SELECT COUNT(*) FROM users WHERE folded = ?"
            return bool(database.execute(query, (skeleton(owner_of(name)),)).fetchone()[0])

    def add_token(self, name: str, label: str, now: str) -> NewToken:
        """Make an access token for a user; raise UserError if there is no such user, or if there are too many."""
        if self.user(name).tokens >= MOST_TOKENS:
            raise UserError(f"{name!r} has {MOST_TOKENS} tokens; revoke one first")
        token = new_token()
        insertion = "INSERT INTO tokens SELECT ?, id, ?, ?, ? FROM users WHERE name = ?"
        self._change(insertion, (token.id, token.hash, label, now, name), f"no user {name!r}")
        return token

    def revoke_token(self, name: str, identity: str) -> None:
        """Delete an access token by the public part of its text; raise UserError if the user has no such token."""
        deletion = "DELETE FROM tokens WHERE id = ? AND user_id = (SELECT id FROM users WHERE name = ?)"
        self._change(deletion, (identity, name), f"{name!r} has no token {identity!r}")

    def tokens(self, name: str) -> list[Token]:
        """Return the tokens of a user, the oldest first; raise UserError if there is no such user."""
        self.user(name)
        query = "SELECT id, label, created FROM tokens WHERE user_id = (SELECT id FROM users WHERE name = ?)"
        with self._opened() as database:
            return [Token(*row) for row in database.execute(f"{query} ORDER BY created, rowid", (name,))]

    def login(self, name: str, password: str, now: str) -> User | None:
        """Return the user of this name and password, or None: for a wrong one, for nobody, and during a ban.

        The work is the same in each case. It takes some 20 ms; call it outside a reactor's thread.
        """
        with self._opened() as database:
            stored = database.execute("SELECT password FROM users WHERE name = ?", (name,)).fetchone()
        fits = verify_password(stored[0] if stored is not None else None, password)
        return self._unless_banned(name, now) if fits else None

    def login_with_token(self, text: str, now: str) -> User | None:
        """Return the user of an access token, or None if it is not valid, or during a ban."""
        query = "SELECT hash, name FROM tokens JOIN users ON users.id = user_id WHERE tokens.id = ?"
        with self._opened() as database:
            row = database.execute(query, (token_id(text) or "",)).fetchone()
        if not verify_token(row[0] if row is not None else None, text):
            return None
        return self._unless_banned(row[1], now)

    def _unless_banned(self, name: str, now: str) -> User | None:
        """Return a user, unless banned or removed just now."""
        try:
            user = self.user(name)
        except UserError:
            return None
        return None if user.is_banned(now) else user

    def _change(self, statement: str, values: tuple[str | None, ...], otherwise: str) -> None:
        """Change one row; raise UserError with ``otherwise`` if there is none."""
        with self._opened() as database:
            if database.execute(statement, values).rowcount != 1:
                raise UserError(otherwise)

    @contextmanager
    def _opened(self, *, make: bool = False) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction; raise UserError if it is missing (unless ``make``) or something else."""
        if make:
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        elif not self.path.is_file():
            raise UserError("there is no such file; 'ump users add' makes one")
        with closing(sqlite3.connect(self.path, timeout=10)) as database:
            _prepare(database)
            database.execute("PRAGMA foreign_keys = ON")
            with database:
                yield database


def _prepare(database: sqlite3.Connection) -> None:
    """Make the tables of an empty database; raise UserError if it has tables of something else."""
    is_empty = database.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0
    if is_empty:
        database.executescript(_SCHEMA)
    elif database.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        raise UserError("this is a database of something else")


def _user(row: tuple[str, int, int, str, str | None]) -> User:
    """Return a user from a row."""
    name, has_password, tokens, created, banned_until = row
    return User(name, bool(has_password), tokens, created, banned_until)
