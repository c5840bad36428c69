"""The database of users: names, password hashes, bans and access tokens, in an SQLite file or in PostgreSQL.

Two names that look alike cannot both be in it. All instants are text, as in 2026-11-23T18:00:00Z, and arguments.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from time import monotonic
from typing import Any

import sqlalchemy as sa

from ump.database.columns import PLAIN, new_metadata
from ump.database.database import Database, DatabasePlace, Schema
from ump.model.value import value
from ump.server.users.secret import NewToken, new_token, token_id, verify_password, verify_token
from ump.wire.names import check_name, is_office, owner_of, skeleton
from ump.wire.text import WireError

METADATA = new_metadata()

APPLICATION = 0x756D7075
"""``ump users`` in SQLite's application_id: ``umpu``."""

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")

USERS = sa.Table(
    "users",
    METADATA,
    sa.Column("id", _ID, primary_key=True, nullable=False),
    *(sa.Column(name, PLAIN, nullable=False) for name in ("name", "folded")),
    sa.Column("password", PLAIN),
    sa.Column("created", PLAIN, nullable=False),
    sa.Column("banned_until", PLAIN),
    sa.UniqueConstraint("name"),
    sa.UniqueConstraint("folded"),
)
"""A row for each user; ``password`` is a hash."""

TOKENS = sa.Table(
    "tokens",
    METADATA,
    sa.Column("id", PLAIN, nullable=False),
    sa.Column("user_id", _ID, nullable=False),
    *(sa.Column(name, PLAIN, nullable=False) for name in ("hash", "label", "created")),
    sa.PrimaryKeyConstraint("id"),
    sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
    sa.Index("tokens_user", "user_id"),
)
"""A row for each access token."""


def _is_foreign(connection: sa.Connection) -> bool:
    """Tell whether an SQLite file is not one of users."""
    return connection.exec_driver_sql("PRAGMA application_id").scalar() != APPLICATION


USER_SCHEMA = Schema("users", "first_users", "users", is_foreign=_is_foreign, implied="first_users")


FOREVER = "9999-12-31T23:59:59Z"
"""The end of a ban without an end."""

MOST_TOKENS = 100
"""Tokens of one user."""

KEPT_SECONDS = 2.0
"""Seconds for which PostgreSQL is not asked about a token again. So long, a change of another program may not hold."""

MOST_KEPT = 1_000
"""Tokens that are not looked up again; the one that was looked up first is forgotten first."""


class UserError(ValueError):
    """A change that the database of users does not allow, or a file that does not exist."""


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


_USER = sa.select(
    USERS.c.name,
    USERS.c.password.is_not(None),
    sa.select(sa.func.count()).where(TOKENS.c.user_id == USERS.c.id).correlate(USERS).scalar_subquery(),
    USERS.c.created,
    USERS.c.banned_until,
)
_USER_OF_TOKEN = _USER.add_columns(TOKENS.c.hash).join_from(USERS, TOKENS).where(TOKENS.c.id == sa.bindparam("token"))


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


class KeptTokens:
    """The users of tokens that were looked up just now, by the hashes of these tokens. Threads may call all methods."""

    def __init__(self) -> None:
        self._users: dict[bytes, tuple[User, float]] = {}
        """Each user, and the instant at which it is forgotten."""
        self._lock = threading.Lock()

    def find(self, text: str) -> User | None:
        """Return the user of a token, None if it is not kept."""
        user, until = self._users.get(_digest(text), (None, 0.0))
        return user if monotonic() < until else None

    def keep(self, text: str, user: User) -> None:
        """Keep the user of a token for some time."""
        with self._lock:
            self._users.pop(_digest(text), None)
            self._users[_digest(text)] = user, monotonic() + KEPT_SECONDS
            if len(self._users) > MOST_KEPT:
                del self._users[next(iter(self._users))]

    def forget(self) -> None:
        """Forget all, because a user or a token has changed."""
        with self._lock:
            self._users.clear()


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "replace")).digest()


class UserDatabase:
    """A database of users. Each change is one transaction, so a server may read it meanwhile.

    All methods raise DatabaseError, and UserError if the file is missing.
    """

    def __init__(self, place: DatabasePlace) -> None:
        """A file is made by the first ``add``, readable for its owner alone."""
        self.place = place
        self._database = Database(place, USER_SCHEMA)
        self._kept = KeptTokens()

    def add(self, name: str, password_hash: str | None, now: str) -> None:
        """Enter a user; raise UserError if the name may not be one, is taken, or looks like another's."""
        if is_office(name):
            raise UserError(f"nobody may be called {name!r}, because others would believe it")
        row = {"name": check_user_name(name), "folded": skeleton(name), "password": password_hash, "created": now}
        self._make_file()
        with self._writing() as connection:
            other = connection.execute(sa.select(USERS.c.name).where(USERS.c.folded == row["folded"])).scalar()
            if other is not None:
                same = "there is a user" if other == name else f"{name!r} looks like the user"
                raise UserError(f"{same} {other!r}")
            connection.execute(sa.insert(USERS).values(row))

    def set_password(self, name: str, password_hash: str) -> None:
        """Give a user another password; raise UserError if there is no such user."""
        self._change(sa.update(USERS).values(password=password_hash).where(USERS.c.name == name), f"no user {name!r}")

    def remove(self, name: str) -> None:
        """Delete a user, and the user's tokens; raise UserError if there is no such user."""
        self._change(sa.delete(USERS).where(USERS.c.name == name), f"no user {name!r}")

    def ban(self, name: str, until: str | None) -> None:
        """Ban a user until an instant, or end the ban with None; raise UserError if there is no such user."""
        self._change(sa.update(USERS).values(banned_until=until).where(USERS.c.name == name), f"no user {name!r}")

    def users(self) -> list[User]:
        """Return all users by name."""
        with self._reading() as connection:
            return [_user(row) for row in connection.execute(_USER.order_by(USERS.c.name))]

    def user(self, name: str) -> User:
        """Return the user of exactly this name; raise UserError if there is none."""
        with self._reading() as connection:
            row = connection.execute(_USER.where(USERS.c.name == name)).first()
        if row is None:
            raise UserError(f"no user {name!r}")
        return _user(row)

    def check(self) -> None:
        """Read the database once, and bring its tables up to date."""
        with self._reading() as connection:
            connection.execute(sa.select(USERS.c.name).limit(1))

    def is_reserved(self, name: str) -> bool:
        """Return whether a player's name is that of a user or of a user's bot, or looks like it."""
        with self._reading() as connection:
            query = sa.select(USERS.c.id).where(USERS.c.folded == skeleton(owner_of(name)))
            return connection.execute(query).first() is not None

    def folded_names(self, most: int) -> frozenset[str] | None:
        """Return the names of all users as ``skeleton`` folds them; None if there are more than ``most``."""
        with self._reading() as connection:
            names = connection.execute(sa.select(USERS.c.folded).limit(most + 1)).scalars().all()
        return frozenset(names) if len(names) <= most else None

    def add_token(self, name: str, label: str, now: str) -> NewToken:
        """Make an access token for a user; raise UserError if there is no such user, or if there are too many."""
        token = new_token()
        content = {"id": token.id, "hash": token.hash, "label": label, "created": now}
        with self._writing() as connection:
            user = connection.execute(sa.select(USERS.c.id).where(USERS.c.name == name)).scalar()
            if user is None:
                raise UserError(f"no user {name!r}")
            tokens = sa.select(sa.func.count()).select_from(TOKENS).where(TOKENS.c.user_id == user)
            if connection.execute(tokens).scalar_one() >= MOST_TOKENS:
                raise UserError(f"{name!r} has {MOST_TOKENS} tokens; revoke one first")
            connection.execute(sa.insert(TOKENS).values(user_id=user, **content))
        return token

    def revoke_token(self, name: str, identity: str) -> None:
        """Delete an access token by the public part of its text; raise UserError if the user has no such token."""
        deletion = sa.delete(TOKENS).where(TOKENS.c.id == identity, TOKENS.c.user_id == _id_of(name))
        self._change(deletion, f"{name!r} has no token {identity!r}")

    def tokens(self, name: str) -> list[Token]:
        """Return the tokens of a user, the oldest first; raise UserError if there is no such user."""
        self.user(name)
        query = sa.select(TOKENS.c.id, TOKENS.c.label, TOKENS.c.created).where(TOKENS.c.user_id == _id_of(name))
        with self._reading() as connection:
            return [Token(*row) for row in connection.execute(query.order_by(TOKENS.c.created, TOKENS.c.id))]

    def login(self, name: str, password: str, now: str) -> User | None:
        """Return the user of this name and password, or None: for a wrong one, for nobody, and during a ban.

        The work is the same in each case. It takes some 20 ms; call it outside a reactor's thread.
        """
        with self._reading() as connection:
            stored = connection.execute(sa.select(USERS.c.password).where(USERS.c.name == name)).scalar()
        return self._unless_banned(name, now) if verify_password(stored, password) else None

    def login_with_token(self, text: str, now: str) -> User | None:
        """Return the user of an access token, or None if it is not valid, or during a ban.

        A change of another program holds at once for a file, and after ``KEPT_SECONDS`` in PostgreSQL.
        """
        user = self._kept.find(text)
        if user is None:
            with self._reading() as connection:
                row = connection.execute(_USER_OF_TOKEN, {"token": token_id(text) or ""}).first()
            if not verify_token(None if row is None else row.hash, text) or row is None:
                return None
            user = _user(row[:-1])
            if self.place.path is None:
                self._kept.keep(text, user)
        return None if user.is_banned(now) else user

    def copy_from(self, other: UserDatabase) -> int:
        """Copy all users of another database with their tokens, and return how many they are.

        If a name is taken, or looks like one that is, UserError is raised, and nothing is copied.
        """
        with other._reading() as connection:
            users = connection.execute(sa.select(USERS).order_by(USERS.c.id)).mappings().all()
            tokens = connection.execute(sa.select(TOKENS).order_by(TOKENS.c.created)).mappings().all()
        self._make_file()
        with self._writing() as connection:
            present = set(connection.execute(sa.select(USERS.c.folded)).scalars())
            taken = next((user["name"] for user in users if user["folded"] in present), None)
            if taken is not None:
                raise UserError(f"there is a user {taken!r}, or one that looks like it; nothing was copied")
            ids: dict[int, int] = {}
            for user in users:
                row = {name: content for name, content in user.items() if name != "id"}
                ids[user["id"]] = connection.execute(sa.insert(USERS).values(row).returning(USERS.c.id)).scalar_one()
            for token in tokens:
                connection.execute(sa.insert(TOKENS).values({**token, "user_id": ids[token["user_id"]]}))
        return len(users)

    def _unless_banned(self, name: str, now: str) -> User | None:
        """Return a user, unless banned or removed just now."""
        try:
            user = self.user(name)
        except UserError:
            return None
        return None if user.is_banned(now) else user

    def _change(self, statement: sa.Update | sa.Delete, otherwise: str) -> None:
        """Change one row; raise UserError with ``otherwise`` if there is none."""
        with self._writing() as connection:
            if connection.execute(statement).rowcount != 1:
                raise UserError(otherwise)
        self._kept.forget()

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        self._check_file()
        with self._database.reading() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        self._check_file()
        with self._database.writing() as connection:
            yield connection

    def _make_file(self) -> None:
        if self.place.path is not None:
            os.close(os.open(self.place.path, os.O_RDWR | os.O_CREAT, 0o600))

    def _check_file(self) -> None:
        """Raise UserError if there is no file."""
        if self.place.path is not None and not self.place.path.is_file():
            raise UserError("there is no such file; 'ump users add' makes one")


def _id_of(name: str) -> sa.ScalarSelect[int]:
    return sa.select(USERS.c.id).where(USERS.c.name == name).scalar_subquery()


def _user(row: Sequence[Any]) -> User:
    """Return a user from a row."""
    name, has_password, tokens, created, banned_until = row
    return User(name, bool(has_password), tokens, created, banned_until)
