"""The database of users: names, password hashes, tokens, bans, reports and a log of orders, in SQLite or PostgreSQL.

Two names that look alike cannot both be in it, and nobody gets the name of a deleted user. All instants are text, as in
2026-11-23T18:00:00Z, and arguments.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from time import monotonic
from typing import Any

import sqlalchemy as sa
from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError

from ump.database.columns import PLAIN
from ump.database.database import Database, DatabasePlace, make_private_file
from ump.model.value import value
from ump.net.connection_budget import read_network
from ump.players.policy import POLICIES
from ump.server.users.bans import (
    REMOVED,
    Ban,
    BanKind,
    Bans,
    DeletedUser,
    LoggedOrder,
    NewReport,
    OrderToLog,
    Report,
    ReportVerdict,
    Role,
    Target,
    closed_text,
    end_of,
    folded_hash,
    is_deleted_name,
)
from ump.server.users.login_turns import Acquaintance
from ump.server.users.user_schema import ID, METADATA, USER_SCHEMA
from ump.wire.names import SEPARATOR, SUBSTITUTE_NAME, check_name, is_office, owner_of, skeleton
from ump.wire.text import WireError

# Passwords and access tokens: how they are made, hashed and compared. No plain one is ever stored.

SHORTEST_PASSWORD = 12
"""In characters. Of the 10,000 commonest passwords fewer than a hundred are so long."""

LONGEST_PASSWORD = 256
"""In bytes of UTF-8, so that nobody makes the server hash a book."""

UNFIT_PASSWORD = "a password has "
"""The beginning of the message about a password that may not be one."""

GUESSED_PASSWORD = "this password is easily guessed; "
"""The beginning of the message about a password that is little more than a run, a repetition or the name."""

FEWEST_STARTS = 5
"""Characters of a password that do not follow from the one before. Of 1,000 random ones of 12 letters 996 have them."""

_KEYS = {
    letter: (column, row)
    for row, letters in enumerate(("1234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./"))
    for column, letter in enumerate(letters)
}
"""The places of letters on a keyboard."""

_HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1, type=Type.ID)
"""Argon2id as OWASP's Password Storage Cheat Sheet advises: 19 MiB, two passes, one lane; about 20 ms."""

_TOKEN = re.compile(r"ump_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


@value
class NewToken:
    """An access token that was just made: what is stored of it, and the only copy of its text."""

    id: str
    hash: str
    text: str


class PasswordError(ValueError):
    """The password may not be one: too short, too long, easily guessed, or not text."""


def check_password(password: str, name: str = "") -> None:
    """Raise PasswordError if a password of the user of this name may not be one."""
    if len(password) < SHORTEST_PASSWORD or (size := _size(password)) is None or size > LONGEST_PASSWORD:
        raise PasswordError(
            f"{UNFIT_PASSWORD}{SHORTEST_PASSWORD} characters or more, and at most {LONGEST_PASSWORD} bytes"
        )
    if _starts(password, name) < FEWEST_STARTS:
        raise PasswordError(f"{GUESSED_PASSWORD}three words are better than a run of keys, a repetition or your name")


def _starts(password: str, name: str) -> int:
    """Return how many characters of a password, without the name, do not follow from the one before."""
    text = password.casefold()
    if name:
        text = text.replace(name.casefold(), "")
    period = 1
    while period < len(text) and not text.startswith(text[period:]):
        period += 1
    text = text[:period]  # the rest repeats it
    return len(text) - sum(map(_follows, text, text[1:]))


def _follows(letter: str, following: str) -> bool:
    """Return whether two characters are the same, or neighbours in the alphabet or on a keyboard."""
    if abs(ord(letter) - ord(following)) <= 1:
        return True
    if letter not in _KEYS or following not in _KEYS:
        return False
    (column, row), (other_column, other_row) = _KEYS[letter], _KEYS[following]
    return abs(column - other_column) <= 1 and abs(row - other_row) <= 1


def hash_password(password: str, name: str = "") -> str:
    """Return the hash of a new password of the user of this name; raise PasswordError if it may not be one.

    It has its own salt and parameters.
    """
    check_password(password, name)
    return _HASHER.hash(password)


def verify_password(stored: str | None, password: str) -> bool:
    """Return whether a password fits a stored hash; this takes some 20 ms, so call it outside a reactor's thread.

    Without a hash (an unknown user, or one without a password) the answer is False, after the same work.
    """
    if (size := _size(password)) is None or size > LONGEST_PASSWORD:
        password, stored = "", None
    try:
        fits = _HASHER.verify(stored or _nobodys_hash(), password)
    except (VerificationError, InvalidHashError):
        return False
    return fits and stored is not None


def new_token() -> NewToken:
    """Return a new random access token: ``ump_ID_SECRET``, with 256 bits of secret."""
    identity, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    return NewToken(identity, _digest(secret), f"ump_{identity}_{secret}")


def token_id(text: str) -> str | None:
    """Return the public part of a token's text, or None if the text is no token."""
    found = _TOKEN.fullmatch(text)
    return found[1] if found is not None else None


def verify_token(stored: str | None, text: str) -> bool:
    """Return whether the text of a token fits its stored hash; the time does not depend on how much of it fits."""
    found = _TOKEN.fullmatch(text)
    given = _digest(found[2] if found is not None else "")
    return hmac.compare_digest(stored or _digest("nobody"), given) and stored is not None and found is not None


@cache
def _nobodys_hash() -> str:
    """Return a hash that stands for unknown users."""
    return _HASHER.hash(secrets.token_urlsafe(32))


def _digest(secret: str) -> str:
    """Return the hash of a token's secret. It is random and long, so a fast hash is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _size(password: str) -> int | None:
    """Return the bytes of a password, or None if it is not text that UTF-8 can write."""
    try:
        return len(password.encode())
    except UnicodeEncodeError:
        return None


USERS = sa.Table(
    "users",
    METADATA,
    sa.Column("id", ID, primary_key=True, nullable=False),
    *(sa.Column(name, PLAIN, nullable=False) for name in ("name", "folded")),
    sa.Column("password", PLAIN),
    sa.Column("created", PLAIN, nullable=False),
    sa.Column("role", PLAIN, nullable=False, server_default="player"),
    sa.UniqueConstraint("name"),
    sa.UniqueConstraint("folded"),
)
"""A row for each user; ``password`` is a hash."""

TOKENS = sa.Table(
    "tokens",
    METADATA,
    sa.Column("id", PLAIN, nullable=False),
    sa.Column("user_id", ID, nullable=False),
    *(sa.Column(name, PLAIN, nullable=False) for name in ("hash", "label", "created")),
    *(sa.Column(name, PLAIN) for name in ("ends", "bot")),
    sa.PrimaryKeyConstraint("id"),
    sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
    sa.Index("tokens_user", "user_id"),
)
"""A row for each access token. One that ends is the session of a browser, which has it as a cookie.

With ``bot`` it lets nobody in but this bot of the user.
"""

INVITATIONS = sa.Table(
    "invitations",
    METADATA,
    *(sa.Column(name, PLAIN, nullable=False) for name in ("id", "hash")),
    sa.Column("user_id", ID),
    sa.Column("uses", sa.Integer, nullable=False),
    *(sa.Column(name, PLAIN, nullable=False) for name in ("made_by", "created", "ends")),
    sa.PrimaryKeyConstraint("id"),
    sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
)
"""A row for each link by which so many users may register, or by which one user chooses a new password."""

IDENTITIES = sa.Table(
    "identities",
    METADATA,
    *(sa.Column(name, PLAIN, nullable=False) for name in ("issuer", "subject")),
    sa.Column("user_id", ID, nullable=False),
    sa.PrimaryKeyConstraint("issuer", "subject"),
    sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
    sa.Index("identities_user", "user_id"),
)
"""A row for each person of an OpenID provider who logs in as a user."""

NETWORKS = sa.Table(
    "networks",
    METADATA,
    sa.Column("user_id", ID, nullable=False),
    *(sa.Column(name, PLAIN, nullable=False) for name in ("network", "seen")),
    sa.PrimaryKeyConstraint("user_id", "network"),
    sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
)
"""A row for each network from which a user has logged in, with the day of the last time."""

DELETED = sa.Table(
    "deleted_users",
    METADATA,
    sa.Column("id", ID, primary_key=True, nullable=False),
    *(sa.Column(name, PLAIN, nullable=False) for name in ("folded_hash", "deleted")),
    sa.UniqueConstraint("folded_hash"),
)
"""A row for each deleted user. The hash keeps the name from others; the name itself is gone."""

_IN_FORCE = sa.text("lifted_by IS NULL")

BANS = sa.Table(
    "bans",
    METADATA,
    sa.Column("id", ID, primary_key=True, nullable=False),
    *(sa.Column(name, PLAIN, nullable=False) for name in ("kind", "target", "reason", "made_by", "made", "until")),
    sa.Column("lifted_by", PLAIN),
    sa.Index("bans_in_force", "kind", "target", unique=True, sqlite_where=_IN_FORCE, postgresql_where=_IN_FORCE),
)
"""A row for each ban. The last one of a target has not been lifted, unless somebody has done so."""

ORDERS = sa.Table(
    "orders",
    METADATA,
    sa.Column("id", ID, primary_key=True, nullable=False),
    *(
        sa.Column(name, PLAIN, nullable=False)
        for name in ("made", "made_by", "via", "name", "target", "arguments", "outcome")
    ),
)
"""A row for each order."""


REPORTS = sa.Table(
    "reports",
    METADATA,
    sa.Column("id", ID, primary_key=True, nullable=False),
    sa.Column("made", PLAIN, nullable=False),
    sa.Column("user_id", ID, nullable=False),
    *(sa.Column(name, PLAIN, nullable=False) for name in ("game", "room", "player", "reason")),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("verdict", PLAIN),
    sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
    sa.UniqueConstraint("user_id", "game", "seat"),
    sa.Index("reports_player", "player"),
)
"""A row for each report of a player by a user; without a verdict it waits for one."""

LESSONS = sa.Table(
    "lessons",
    METADATA,
    sa.Column("user_id", ID, nullable=False),
    sa.Column("task", PLAIN, nullable=False),
    sa.PrimaryKeyConstraint("user_id", "task"),
    sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
)
"""A row for each task of the course that a user has solved, as in ``tiles/0``."""

STARS = sa.Table(
    "stars",
    METADATA,
    sa.Column("user_id", ID, nullable=False),
    *(sa.Column(name, PLAIN, nullable=False) for name in ("person", "name", "made")),
    sa.PrimaryKeyConstraint("user_id", "person"),
    sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
    sa.Index("stars_name", "name"),
)
"""A row for each person whom a user has starred, by the id of ``PersonHere``, with the name of then."""

GUESTS = sa.Table(
    "guests",
    METADATA,
    sa.Column("who", PLAIN, nullable=False),
    sa.Column("user_id", ID, nullable=False),
    sa.PrimaryKeyConstraint("who"),
    sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
    sa.Index("guests_user", "user_id"),
)
"""A row for each hash by which a user was known as a guest, before it registered with the same browser."""


MOST_TOKENS = 100
"""Tokens of one user, sessions aside."""

MOST_SESSIONS = 20
"""Sessions of one user; the one that ends first makes room for another."""

MOST_NETWORKS = 50
"""Networks of one user; the one that was not seen for longest makes room for another."""

NETWORK_DAYS = 30
"""Days for which a network is known as one of a user."""

DEVICE_DAYS = 365
"""Days for which the cookie of a device is valid."""

MOST_STARS = 200
"""People whom one user may star; the one that was starred first makes room for another."""

MOST_ORDERS = 100_000
"""Orders in the log; older ones are forgotten."""

PAGE = 50
"""Orders, or reports, that are listed at a time."""

REPORTS_A_DAY = 10
"""Reports of one user within 24 hours."""

TOO_MANY_REPORTS = f"you may report {REPORTS_A_DAY} players a day; try again tomorrow"
REPORTED_BEFORE = "you have reported this player in this game before"

KEPT_SECONDS = 2.0
"""Seconds for which PostgreSQL is not asked about a token again. So long, a change of another program may not hold."""

MOST_KEPT = 1_000
"""Tokens that are not looked up again; the one that was looked up first is forgotten first."""


class UserError(ValueError):
    """A change that the database of users does not allow, or a file that does not exist."""


class NameTaken(UserError):
    """Another user has the name, or one that looks like it."""


class InvitationError(UserError):
    """A link that is unknown, used up, or too old."""


@value
class User:
    """A user, without secrets."""

    name: str
    has_password: bool
    tokens: int
    created: str
    role: str
    banned_until: str | None
    reason: str | None
    """The reason of the ban."""
    bot: str | None = None
    """The bot that alone may log in with the token that was shown; None: any, or a password was shown."""
    login_id: str = ""
    """The id of the token or session that was shown, or what stands for the password; "" without a login."""

    def is_banned(self, now: str) -> bool:
        """Return whether the user may not play at this instant."""
        return self.banned_until is not None and now < self.banned_until

    def closed(self, now: str) -> str | None:
        """Return the message to a user who is banned at this instant; None: the user may play."""
        return closed_text(self.banned_until or "", self.reason or "") if self.is_banned(now) else None


@value
class Token:
    """An access token of a user, without its secret."""

    id: str
    label: str
    created: str
    ends: str | None
    """The end of a session; None: it is no session."""
    bot: str | None


@value
class Identity:
    """A person as an OpenID provider knows them: the name and mail address there may change hands, these do not."""

    issuer: str
    subject: str


@value
class Star:
    """A person whom a user has starred."""

    id: str
    """That of ``PersonHere``."""
    name: str
    """The name of then."""


@value
class NewUser:
    """A user who registers."""

    name: str
    password: str | None
    """The hash; None: the user logs in by the identity."""
    identity: Identity | None = None
    invitation: str | None = None
    """The text of the invitation that is used; None: none is needed."""
    guest: Sequence[str] = ()
    """The hashes by which the user is known as a guest; those of another user stay there."""


_BAN_OF_USER = (BANS.c.kind == BanKind.USER.value) & (BANS.c.target == USERS.c.name) & BANS.c.lifted_by.is_(None)
_USER = sa.select(
    USERS.c.name,
    USERS.c.password.is_not(None),
    sa.select(sa.func.count())
    .where(TOKENS.c.user_id == USERS.c.id, TOKENS.c.ends.is_(None))
    .correlate(USERS)
    .scalar_subquery(),
    USERS.c.created,
    USERS.c.role,
    BANS.c.until,
    BANS.c.reason,
).select_from(USERS.outerjoin(BANS, _BAN_OF_USER))
_USER_OF_TOKEN = (
    _USER.add_columns(TOKENS.c.bot, TOKENS.c.id, TOKENS.c.hash, TOKENS.c.ends)
    .join(TOKENS, TOKENS.c.user_id == USERS.c.id)
    .where(TOKENS.c.id == sa.bindparam("token"))
)


_JUDGED = REPORTS.alias("judged")
_REPORT = sa.select(
    REPORTS.c.id,
    *(REPORTS.c[each.name] for each in fields(NewReport) if each.name != "reporter"),
    USERS.c.name.label("reporter"),
    sa.select(sa.func.count())
    .where(_JUDGED.c.player == REPORTS.c.player, _JUDGED.c.verdict == ReportVerdict.UPHELD.value)
    .correlate(REPORTS)
    .scalar_subquery()
    .label("upheld"),
).select_from(REPORTS.join(USERS, USERS.c.id == REPORTS.c.user_id))


NAME_TAKEN = "the name is taken: "
"""The beginning of the message to somebody who cannot have a name."""

NAME_REFUSED = "nobody may be called "
"""The beginning of the message about a name that others would believe."""

NO_INVITATION = "this link is not valid, was used, or is too old"
"""The message to somebody with a link that lets nobody register or change a password."""


_NOBODYS = frozenset(map(skeleton, ("guest", "ump", *POLICIES)))
"""Further names that no user has, with or without a number behind them: those of guests and of built-in bots."""

_DIGITS = frozenset(skeleton("0123456789"))


def check_user_name(name: str) -> str:
    """Return the name of a user unchanged; raise UserError if it may not be one.

    A slash separates the name of an owner from that of a bot, so no user's name has one.
    """
    _check(name, "the name")
    if SEPARATOR in name:
        raise UserError("the name must have no slash")
    return name


def check_free_name(name: str) -> str:
    """Return the name of a new user unchanged; raise UserError if nobody may have it."""
    check_user_name(name)
    if is_office(name) or is_deleted_name(name) or _is_of_the_server(name):
        raise UserError(f"{NAME_REFUSED}{name!r}, because others would believe it")
    return name


def _is_of_the_server(name: str) -> bool:
    """Return whether a name is one that the server gives to guests and bots, or looks like it."""
    folded = skeleton(name)
    stem, _, number = folded.rpartition("-")
    if number and _DIGITS.issuperset(number):
        folded = stem
    return folded in _NOBODYS or folded.startswith(skeleton(SUBSTITUTE_NAME))


def _is_name(text: str) -> bool:
    """Return whether a text may be a name; a database need not be able to hold another one."""
    try:
        return bool(check_name(text, "the name"))
    except WireError:
        return False


def _check(name: str, option: str) -> None:
    try:
        check_name(name, option)
    except WireError as error:
        raise UserError(str(error)) from None


class KeptTokens:
    """The users of tokens that were looked up just now, by the hashes of these tokens. Threads may call all methods."""

    def __init__(self) -> None:
        self._users: dict[bytes, tuple[User, float]] = {}
        """Each user, and the instant at which it is forgotten."""
        self._lock = threading.Lock()

    def find(self, text: str) -> User | None:
        """Return the user of a token, None if it is not kept."""
        user, until = self._users.get(_key(text), (None, 0.0))
        return user if monotonic() < until else None

    def keep(self, text: str, user: User) -> None:
        """Keep the user of a token for some time."""
        with self._lock:
            self._users.pop(_key(text), None)
            self._users[_key(text)] = user, monotonic() + KEPT_SECONDS
            if len(self._users) > MOST_KEPT:
                del self._users[next(iter(self._users))]

    def forget(self) -> None:
        """Forget all, because a user or a token has changed."""
        with self._lock:
            self._users.clear()


def _days_from(now: str, days: int) -> str:
    """Return the day that is so many days after an instant, as in 2026-11-23."""
    return (datetime.fromisoformat(now) + timedelta(days=days)).date().isoformat()


def _known_device(name: str, stored: str | None, cookie: str, now: str) -> str | None:
    """Return what stands for the device of a user by its cookie; None if the cookie is not valid."""
    content, _, seal = cookie.rpartition(".")
    number, _, ends = content.partition(".")
    expected = _device_seal(name, stored or secrets.token_hex(32), content)
    if not hmac.compare_digest(seal.encode("utf-8", "replace"), expected.encode()) or ends < _days_from(now, 0):
        return None
    return f"device {number}"


def _device_seal(name: str, stored: str, content: str) -> str:
    """Return the seal of a cookie. Its key is the hash of the password, so another password ends all cookies."""
    text = f"ump-device-1/{name}/{content}"
    return hmac.new(stored.encode(), text.encode("utf-8", "replace"), sha256).hexdigest()


def _password_id(stored: str | None) -> str:
    """Return what stands for a password while it is not changed."""
    return f"password {sha256((stored or '').encode()).hexdigest()}"


def _key(text: str) -> bytes:
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
        self.register(NewUser(name, password_hash), now)

    def register(self, new: NewUser, now: str) -> None:
        """Enter a user, and use up the invitation; raise UserError if the name or the invitation does not allow it."""
        check_free_name(new.name)
        self.make_file()
        with self._writing() as connection:
            if new.invitation is not None:
                _use_invitation(connection, new.invitation, now, is_for_user=False)
            row = {"name": new.name, "folded": skeleton(new.name), "password": new.password, "created": now}
            _refuse_taken(connection, new.name)
            user = connection.execute(sa.insert(USERS).values(row).returning(USERS.c.id)).scalar_one()
            if new.identity is not None:
                _insert_identity(connection, user, new.identity)
            taken = connection.execute(sa.select(GUESTS.c.who).where(GUESTS.c.who.in_(new.guest))).first()
            if new.guest and taken is None:
                connection.execute(sa.insert(GUESTS), [{"who": who, "user_id": user} for who in new.guest])

    def guests_of(self, name: str) -> list[str]:
        """Return the hashes by which a user was known as a guest."""
        with self._reading() as connection:
            query = sa.select(GUESTS.c.who).where(GUESTS.c.user_id == _id_of(name)).order_by(GUESTS.c.who)
            return list(connection.execute(query).scalars())

    def set_password(self, name: str, password_hash: str, kept: str = "") -> None:
        """Give a user another password, and end all sessions but ``kept``; raise UserError if there is no such user."""
        with self._writing() as connection:
            _set_password(connection, USERS.c.name == name, password_hash, kept, f"no user {name!r}")
        self._kept.forget()

    def invite(self, uses: int, ends: str, made_by: str, now: str) -> str:
        """Return the secret of a link by which so many users may register until an instant."""
        self.make_file()
        with self._writing() as connection:
            return _add_invitation(connection, None, uses, ends, made_by, now)

    def let_reset(self, name: str, ends: str, made_by: str, now: str) -> str:
        """Return the secret of a link by which a user chooses another password; raise UserError if there is none."""
        with self._writing() as connection:
            return _add_invitation(connection, _number_of(connection, name), 1, ends, made_by, now)

    def reset_password(self, invitation: str, password_hash: str, now: str) -> str:
        """Change the password of the user to whom a link belongs, end all sessions, and return the user's name.

        Raise InvitationError if the link is no longer valid.
        """
        with self._writing() as connection:
            user = _use_invitation(connection, invitation, now, is_for_user=True)
            _set_password(connection, USERS.c.id == user, password_hash, "", NO_INVITATION)
            name: str = connection.execute(sa.select(USERS.c.name).where(USERS.c.id == user)).scalar_one()
        self._kept.forget()
        return name

    def delete(self, name: str, now: str) -> None:
        """Delete a user: nothing is left but a hash of the name, which nobody else gets, for games count under it.

        Raise UserError if there is no such user.
        """
        with self._writing() as connection:
            if connection.execute(sa.delete(USERS).where(USERS.c.name == name)).rowcount != 1:
                raise UserError(f"no user {name!r}")
            connection.execute(sa.delete(BANS).where(BANS.c.kind == BanKind.USER.value, BANS.c.target == name))
            is_its_bot = REPORTS.c.player.startswith(f"{name}{SEPARATOR}", autoescape=True)
            connection.execute(sa.delete(REPORTS).where((REPORTS.c.player == name) | is_its_bot))
            connection.execute(sa.delete(STARS).where(STARS.c.name == name))
            connection.execute(sa.insert(DELETED).values(folded_hash=folded_hash(name), deleted=now))
        self._kept.forget()

    def deleted_since(self, number: int) -> list[DeletedUser]:
        """Return the users who were deleted after the one with this number, the oldest first."""
        query = sa.select(DELETED.c.id, DELETED.c.folded_hash).where(DELETED.c.id > number).order_by(DELETED.c.id)
        with self._reading() as connection:
            return [DeletedUser(*row) for row in connection.execute(query)]

    def user_of(self, identity: Identity) -> User | None:
        """Return the user who logs in by an identity, also during a ban, or None."""
        is_it = (IDENTITIES.c.issuer == identity.issuer) & (IDENTITIES.c.subject == identity.subject)
        with self._reading() as connection:
            row = connection.execute(_USER.join(IDENTITIES, IDENTITIES.c.user_id == USERS.c.id).where(is_it)).first()
        return None if row is None else _user(row)

    def link(self, name: str, identity: Identity) -> None:
        """Let a user log in by an identity; raise UserError if another one does, or if there is no such user."""
        with self._writing() as connection:
            _insert_identity(connection, _number_of(connection, name), identity)

    def identities(self, name: str) -> list[Identity]:
        """Return the identities by which a user logs in."""
        query = sa.select(IDENTITIES.c.issuer, IDENTITIES.c.subject).where(IDENTITIES.c.user_id == _id_of(name))
        with self._reading() as connection:
            return [Identity(*row) for row in connection.execute(query.order_by(IDENTITIES.c.issuer))]

    def solve(self, name: str, tasks: Collection[str]) -> list[str]:
        """Note which tasks of the course a user has solved, and return all; raise UserError if there is no such user.

        The caller bounds them: they are those of the course.
        """
        with self._writing() as connection:
            user = _number_of(connection, name)
            query = sa.select(LESSONS.c.task).where(LESSONS.c.user_id == user)
            known = set(connection.execute(query).scalars())
            new = [{"user_id": user, "task": task} for task in sorted(set(tasks) - known)]
            if new:
                connection.execute(sa.insert(LESSONS), new)
        return sorted(known.union(tasks))

    def star(self, name: str, added: Sequence[Star], removed: Collection[str], now: str) -> list[Star]:
        """Change whom a user has starred, and return all, the newest first; raise UserError without such a user.

        ``removed`` are ids. The caller bounds both.
        """
        with self._writing() as connection:
            user = _number_of(connection, name)
            is_its = STARS.c.user_id == user
            new = {each.id: each for each in added}
            connection.execute(sa.delete(STARS).where(is_its, STARS.c.person.in_([*removed, *new])))
            rows = [{"user_id": user, "person": each.id, "name": each.name, "made": now} for each in new.values()]
            if rows:
                connection.execute(sa.insert(STARS), rows)
            query = sa.select(STARS.c.person, STARS.c.name).where(is_its)
            found = [Star(*row) for row in connection.execute(query.order_by(STARS.c.made.desc(), STARS.c.person))]
            surplus = [each.id for each in found[MOST_STARS:]]
            if surplus:
                connection.execute(sa.delete(STARS).where(is_its, STARS.c.person.in_(surplus)))
        return found[:MOST_STARS]

    def set_role(self, name: str, role: Role) -> None:
        """Give a user another role; raise UserError if there is no such user."""
        self._change(sa.update(USERS).values(role=role.value).where(USERS.c.name == name), f"no user {name!r}")

    def ban(self, target: Target, until: str | None, reason: str, made_by: str, now: str) -> None:
        """Ban a target until an instant, in place of an earlier ban; raise UserError if there is no such user.

        ``until`` None: for as long as ``end_of`` says.
        """
        ban = Ban(target.kind.value, target.name, reason, made_by, now, end_of(target, until, now))
        if ban.until <= now:
            raise UserError(f"the ban would end at {ban.until}, which is over")
        if target.kind is BanKind.USER:
            self.user(target.name)
        self.make_file()
        with self._writing() as connection:
            connection.execute(_lifting(target, made_by))
            connection.execute(sa.insert(BANS).values(asdict(ban)))
        self._kept.forget()

    def lift(self, target: Target, lifted_by: str) -> None:
        """End the ban of a target; raise UserError if there is none."""
        self._change(_lifting(target, lifted_by), f"there is no ban of {target.name!r}")

    def bans(self, now: str) -> list[Ban]:
        """Return the bans in force, the newest first."""
        columns = [BANS.c[each.name] for each in fields(Ban)]
        query = sa.select(*columns).where(BANS.c.lifted_by.is_(None), BANS.c.until > now).order_by(BANS.c.id.desc())
        with self._reading() as connection:
            return [Ban(*row) for row in connection.execute(query)]

    def bans_of(self, users: Collection[str], logins: Collection[str], now: str) -> Bans:
        """Return the banned networks, which of these users are banned or were removed, and which logins have ended.

        ``logins`` are their ids: of tokens and sessions, and those that stand for passwords.
        """
        bans = self.bans(now)
        closed = {ban.target: closed_text(ban.until, ban.reason) for ban in bans if ban.kind == BanKind.USER.value}
        with self._reading() as connection:
            found = sa.select(USERS.c.name, USERS.c.password).where(USERS.c.name.in_(users))
            known = {name: _password_id(password) for name, password in connection.execute(found)}
            is_valid = TOKENS.c.ends.is_(None) | (TOKENS.c.ends > now)
            tokens = connection.execute(sa.select(TOKENS.c.id).where(TOKENS.c.id.in_(logins), is_valid)).scalars().all()
        networks = [read_network(ban.target) for ban in bans if ban.kind == BanKind.ADDRESS.value]
        gone = dict.fromkeys(set(users) - known.keys(), REMOVED)
        banned = {name: text for name, text in closed.items() if name in users}
        return Bans(networks, gone | banned, frozenset(logins).difference(tokens, known.values()))

    def log_order(self, order: OrderToLog) -> None:
        """Write an order to the log."""
        self.make_file()
        with self._writing() as connection:
            number = connection.execute(sa.insert(ORDERS).values(asdict(order)).returning(ORDERS.c.id)).scalar_one()
            connection.execute(sa.delete(ORDERS).where(ORDERS.c.id <= number - MOST_ORDERS))

    def orders(self, before: int | None = None) -> list[LoggedOrder]:
        """Return a page of the log, the newest order first; ``before`` is the last order of the page before."""
        query = sa.select(*(ORDERS.c[each.name] for each in fields(LoggedOrder))).order_by(ORDERS.c.id.desc())
        if before is not None:
            query = query.where(ORDERS.c.id < before)
        with self._reading() as connection:
            return [LoggedOrder(*row) for row in connection.execute(query.limit(PAGE))]

    def check_reports(self, reporter: str, now: str) -> None:
        """Raise UserError if a user may report nobody at this instant."""
        with self._reading() as connection:
            _refuse_too_many_reports(connection, reporter, now)

    def report(self, new: NewReport) -> None:
        """Enter a report; raise UserError if the user has made it before, or has made too many."""
        row = {name: content for name, content in asdict(new).items() if name != "reporter"}
        with self._writing() as connection:
            user = _refuse_too_many_reports(connection, new.reporter, new.made)
            is_it = (REPORTS.c.user_id == user) & (REPORTS.c.game == new.game) & (REPORTS.c.seat == new.seat)
            if connection.execute(sa.select(REPORTS.c.id).where(is_it)).first() is not None:
                raise UserError(REPORTED_BEFORE)
            connection.execute(sa.insert(REPORTS).values(user_id=user, **row))

    def reports(self) -> list[Report]:
        """Return the first page of the reports without a verdict, the oldest first."""
        with self._reading() as connection:
            rows = connection.execute(_REPORT.where(REPORTS.c.verdict.is_(None)).order_by(REPORTS.c.id).limit(PAGE))
            return [Report(**row._mapping) for row in rows]

    def judge(self, number: int, verdict: ReportVerdict) -> Report:
        """Give a verdict about a report, and return the report; raise UserError if it waits for none."""
        is_it = (REPORTS.c.id == number) & REPORTS.c.verdict.is_(None)
        with self._writing() as connection:
            row = connection.execute(_REPORT.where(is_it)).first()
            if row is None:
                raise UserError(f"no report {number} waits for a verdict; 'reports' lists those that do")
            connection.execute(sa.update(REPORTS).values(verdict=verdict.value).where(is_it))
        return Report(**row._mapping)

    def users(self) -> list[User]:
        """Return all users by name."""
        with self._reading() as connection:
            return [_user(row) for row in connection.execute(_USER.order_by(USERS.c.name))]

    def user(self, name: str) -> User:
        """Return the user of exactly this name; raise UserError if there is none."""
        with self._reading() as connection:
            row = connection.execute(_USER.where(USERS.c.name == name)).first() if _is_name(name) else None
        if row is None:
            raise UserError(f"no user {name!r}")
        return _user(row)

    def check(self) -> None:
        """Read the database once, and bring its tables up to date."""
        with self._reading() as connection:
            connection.execute(sa.select(USERS.c.name).limit(1))

    def is_reserved(self, name: str) -> bool:
        """Return whether a player's name looks like that of a user, even of a deleted one, or of a user's bot."""
        owner = owner_of(name)
        deleted = sa.select(DELETED.c.id).where(DELETED.c.folded_hash == folded_hash(owner))
        with self._reading() as connection:
            query = sa.select(USERS.c.id).where(USERS.c.folded == skeleton(owner)).union_all(deleted)
            return is_deleted_name(owner) or connection.execute(query).first() is not None

    def folded_names(self, most: int) -> frozenset[str] | None:
        """Return the names of all users as ``skeleton`` folds them; None if there are more than ``most``."""
        with self._reading() as connection:
            names = connection.execute(sa.select(USERS.c.folded).limit(most + 1)).scalars().all()
        return frozenset(names) if len(names) <= most else None

    def add_token(self, name: str, label: str, now: str, bot: str | None = None) -> NewToken:
        """Make an access token for a user, or for one bot of a user.

        Raise UserError if there is no such user, if the bot may not have its name, or if there are too many.
        """
        if bot is not None:
            _check(f"{name}{SEPARATOR}{bot}", "the name of the bot with that of its user")
        with self._writing() as connection:
            user = _number_of(connection, name)
            is_its = (TOKENS.c.user_id == user) & TOKENS.c.ends.is_(None)
            if _count(connection, is_its) >= MOST_TOKENS:
                raise UserError(f"{name!r} has {MOST_TOKENS} tokens; revoke one first")
            return _insert_token(connection, user, label, now, bot=bot)

    def begin_session(self, name: str, label: str, now: str, ends: str) -> NewToken:
        """Make the token of a session for a user; raise UserError if there is no such user."""
        with self._writing() as connection:
            user = _number_of(connection, name)
            connection.execute(sa.delete(TOKENS).where(TOKENS.c.ends <= now))
            is_its = (TOKENS.c.user_id == user) & TOKENS.c.ends.is_not(None)
            if _count(connection, is_its) >= MOST_SESSIONS:
                oldest = sa.select(TOKENS.c.id).where(is_its).order_by(TOKENS.c.ends, TOKENS.c.id).limit(1)
                connection.execute(sa.delete(TOKENS).where(TOKENS.c.id == oldest.scalar_subquery()))
            return _insert_token(connection, user, label, now, ends=ends)

    def revoke_token(self, name: str, identity: str) -> None:
        """Delete an access token by the public part of its text; raise UserError if the user has no such token."""
        deletion = sa.delete(TOKENS).where(TOKENS.c.id == identity, TOKENS.c.user_id == _id_of(name))
        self._change(deletion, f"{name!r} has no token {identity!r}")

    def tokens(self, name: str) -> list[Token]:
        """Return the tokens and sessions of a user, the oldest first; raise UserError if there is no such user."""
        self.user(name)
        query = sa.select(*(TOKENS.c[each.name] for each in fields(Token))).where(TOKENS.c.user_id == _id_of(name))
        with self._reading() as connection:
            return [Token(*row) for row in connection.execute(query.order_by(TOKENS.c.created, TOKENS.c.id))]

    def login(self, name: str, password: str) -> User | None:
        """Return the user of this name and password, also during a ban, or None: for a wrong one, and for nobody.

        The work is the same in each case. It takes some 20 ms; call it outside a reactor's thread.
        """
        with self._reading() as connection:
            found = sa.select(USERS.c.password).where(USERS.c.name == name)
            stored = connection.execute(found).scalar() if _is_name(name) else None
        if not verify_password(stored, password):
            return None
        try:
            return replace(self.user(name), login_id=_password_id(stored))
        except UserError:  # removed just now
            return None

    def acquaintance(self, name: str, network: str, device: str, now: str) -> Acquaintance:
        """Return what is known of a client and the user of this name, of whom it may have the cookie ``device``."""
        if not _is_name(name):
            return Acquaintance(None, False)
        is_it = (USERS.c.name == name) & (NETWORKS.c.network == network)
        seen = sa.select(NETWORKS.c.seen).join(USERS, USERS.c.id == NETWORKS.c.user_id).where(is_it)
        with self._reading() as connection:
            stored = connection.execute(sa.select(USERS.c.password).where(USERS.c.name == name)).scalar()
            last_seen = connection.execute(seen).scalar()
        is_from_here = last_seen is not None and last_seen >= _days_from(now, -NETWORK_DAYS)
        return Acquaintance(_known_device(name, stored, device, now), is_from_here)

    def note_network(self, name: str, network: str, now: str) -> None:
        """Note that a user has logged in from a network; "" is none."""
        day = _days_from(now, 0)
        is_its = NETWORKS.c.user_id == _id_of(name)
        with self._reading() as connection:
            query = sa.select(NETWORKS.c.seen).where(is_its, NETWORKS.c.network == network)
            is_noted = connection.execute(query).scalar() == day
        if is_noted or not network:
            return
        with self._writing() as connection:
            user = connection.execute(sa.select(USERS.c.id).where(USERS.c.name == name)).scalar()
            if user is None:  # removed just now
                return
            connection.execute(sa.delete(NETWORKS).where(is_its, NETWORKS.c.network == network))
            connection.execute(sa.insert(NETWORKS).values(user_id=user, network=network, seen=day))
            newest = sa.select(NETWORKS.c.network).where(is_its).order_by(NETWORKS.c.seen.desc()).limit(MOST_NETWORKS)
            connection.execute(sa.delete(NETWORKS).where(is_its, NETWORKS.c.network.not_in(newest)))

    def new_device(self, name: str, now: str) -> str | None:
        """Return a cookie by which the browser of a user is known; None for a user without a password."""
        with self._reading() as connection:
            stored = connection.execute(sa.select(USERS.c.password).where(USERS.c.name == name)).scalar()
        if stored is None:
            return None
        content = f"{secrets.token_hex(16)}.{_days_from(now, DEVICE_DAYS)}"
        return f"{content}.{_device_seal(name, stored, content)}"

    def login_with_token(self, text: str, now: str, *, is_session: bool = False) -> User | None:
        """Return the user of an access token, or else of a session, also during a ban, or None if it is not valid.

        Neither stands for the other: a token of a bot is no way to the account, and a session no way around its page.

        A change of another program holds at once for a file, and after ``KEPT_SECONDS`` in PostgreSQL.
        """
        kept = f"{is_session} {text}"
        user = self._kept.find(kept)
        if user is None:
            with self._reading() as connection:
                row = connection.execute(_USER_OF_TOKEN, {"token": token_id(text) or ""}).first()
            if not verify_token(None if row is None else row.hash, text) or row is None:
                return None
            if (row.ends is not None) != is_session or (row.ends is not None and row.ends <= now):
                return None
            user = _user(row[:-2])
            if self.place.path is None:
                self._kept.keep(kept, user)
        return user

    def copy_from(self, other: UserDatabase) -> int:
        """Copy all users of another database with their tokens, and all bans; return how many users they are.

        If a name is taken, or looks like one that is, UserError is raised, and nothing is copied.
        """
        with other._reading() as connection:
            users = connection.execute(sa.select(USERS).order_by(USERS.c.id)).mappings().all()
            tokens = connection.execute(sa.select(TOKENS).order_by(TOKENS.c.created)).mappings().all()
            identities = connection.execute(sa.select(IDENTITIES)).mappings().all()
            deleted = connection.execute(sa.select(DELETED).order_by(DELETED.c.id)).mappings().all()
            in_force = sa.select(BANS).where(BANS.c.lifted_by.is_(None)).order_by(BANS.c.id)
            bans = connection.execute(in_force).mappings().all()
        self.make_file()
        with self._writing() as connection:
            present = set(connection.execute(sa.select(USERS.c.folded)).scalars())
            taken = next((user["name"] for user in users if user["folded"] in present), None)
            if taken is not None:
                raise UserError(f"there is a user {taken!r}, or one that looks like it; nothing was copied")
            ids: dict[int, int] = {}
            for user in users:
                row = {name: content for name, content in user.items() if name != "id"}
                ids[user["id"]] = connection.execute(sa.insert(USERS).values(row).returning(USERS.c.id)).scalar_one()
            for table, rows in ((TOKENS, tokens), (IDENTITIES, identities)):
                for found in rows:
                    connection.execute(sa.insert(table).values({**found, "user_id": ids[found["user_id"]]}))
            for one in deleted:
                connection.execute(sa.insert(DELETED).values(folded_hash=one["folded_hash"], deleted=one["deleted"]))
            for ban in bans:
                row = {name: content for name, content in ban.items() if name != "id"}
                connection.execute(_lifting(Target(BanKind(ban["kind"]), ban["target"]), ban["made_by"]))
                connection.execute(sa.insert(BANS).values(row))
        return len(users)

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

    def make_file(self) -> None:
        """Make the file if there is none, readable for its owner alone."""
        if self.place.path is not None:
            make_private_file(self.place.path)

    def _check_file(self) -> None:
        """Raise UserError if there is no file, or if this process may not read it."""
        if self.place.path is None:
            return
        if not self.place.path.is_file():
            raise UserError("there is no such file; 'ump users add' makes one")
        if not os.access(self.place.path, os.R_OK):
            raise UserError(f"permission denied; the file belongs to user {self.place.path.stat().st_uid}")


def _refuse_taken(connection: sa.Connection, name: str) -> None:
    other = connection.execute(sa.select(USERS.c.name).where(USERS.c.folded == skeleton(name))).scalar()
    if other is not None:
        same = "there is a user" if other == name else f"{name!r} looks like the user"
        raise NameTaken(f"{NAME_TAKEN}{same} {other!r}")
    if connection.execute(sa.select(DELETED.c.id).where(DELETED.c.folded_hash == folded_hash(name))).first():
        raise NameTaken(f"{NAME_TAKEN}a deleted user was called {name!r}, or like it")


def _add_invitation(connection: sa.Connection, user: int | None, uses: int, ends: str, made_by: str, now: str) -> str:
    """Enter an invitation, in place of those that have ended, and return its text."""
    connection.execute(sa.delete(INVITATIONS).where(INVITATIONS.c.ends <= now))
    token = new_token()
    row = {"id": token.id, "hash": token.hash, "user_id": user, "uses": uses}
    connection.execute(sa.insert(INVITATIONS).values(**row, made_by=made_by, created=now, ends=ends))
    return token.text


def _use_invitation(connection: sa.Connection, text: str, now: str, *, is_for_user: bool) -> int | None:
    """Use an invitation once, and return the number of the user whom it is for; raise InvitationError."""
    found = connection.execute(sa.select(INVITATIONS).where(INVITATIONS.c.id == (token_id(text) or ""))).first()
    if not verify_token(None if found is None else found.hash, text) or found is None or found.ends <= now:
        raise InvitationError(NO_INVITATION)
    if (found.user_id is not None) != is_for_user:
        raise InvitationError(NO_INVITATION)
    is_it = INVITATIONS.c.id == found.id
    if found.uses == 1:
        connection.execute(sa.delete(INVITATIONS).where(is_it))
    else:
        connection.execute(sa.update(INVITATIONS).values(uses=found.uses - 1).where(is_it))
    return None if found.user_id is None else int(found.user_id)


def _set_password(
    connection: sa.Connection, whose: sa.ColumnElement[bool], password_hash: str, kept: str, otherwise: str
) -> None:
    """Change the password of one user, and end all sessions but ``kept``; raise UserError with ``otherwise``."""
    if connection.execute(sa.update(USERS).values(password=password_hash).where(whose)).rowcount != 1:
        raise UserError(otherwise)
    user = sa.select(USERS.c.id).where(whose).scalar_subquery()
    is_session = (TOKENS.c.user_id == user) & TOKENS.c.ends.is_not(None)
    connection.execute(sa.delete(TOKENS).where(is_session, TOKENS.c.id != kept))


def _insert_identity(connection: sa.Connection, user: int, identity: Identity) -> None:
    """Let a user log in by an identity; raise UserError if somebody else does."""
    found = connection.execute(sa.select(IDENTITIES.c.user_id).filter_by(**asdict(identity))).scalar()
    if found == user:
        return
    if found is not None:
        raise UserError("this login belongs to another user")
    connection.execute(sa.insert(IDENTITIES).values(user_id=user, **asdict(identity)))


def _insert_token(
    connection: sa.Connection, user: int, label: str, now: str, *, ends: str | None = None, bot: str | None = None
) -> NewToken:
    token = new_token()
    content = {"id": token.id, "hash": token.hash, "label": label, "created": now, "ends": ends, "bot": bot}
    connection.execute(sa.insert(TOKENS).values(user_id=user, **content))
    return token


def _refuse_too_many_reports(connection: sa.Connection, reporter: str, now: str) -> int:
    """Return the number of a user who may report somebody; raise UserError."""
    user = _number_of(connection, reporter)
    since = (datetime.fromisoformat(now) - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    is_new = (REPORTS.c.user_id == user) & (REPORTS.c.made > since)
    made: int = connection.execute(sa.select(sa.func.count()).select_from(REPORTS).where(is_new)).scalar_one()
    if made >= REPORTS_A_DAY:
        raise UserError(TOO_MANY_REPORTS)
    return user


def _count(connection: sa.Connection, which: sa.ColumnElement[bool]) -> int:
    number: int = connection.execute(sa.select(sa.func.count()).select_from(TOKENS).where(which)).scalar_one()
    return number


def _number_of(connection: sa.Connection, name: str) -> int:
    """Return the number of a user; raise UserError if there is none."""
    number = connection.execute(sa.select(USERS.c.id).where(USERS.c.name == name)).scalar()
    if number is None:
        raise UserError(f"no user {name!r}")
    return int(number)


def _id_of(name: str) -> sa.ScalarSelect[int]:
    return sa.select(USERS.c.id).where(USERS.c.name == name).scalar_subquery()


def _lifting(target: Target, lifted_by: str) -> sa.Update:
    """Return the statement that ends the ban of a target."""
    is_its = (BANS.c.kind == target.kind.value) & (BANS.c.target == target.name) & BANS.c.lifted_by.is_(None)
    return sa.update(BANS).values(lifted_by=lifted_by).where(is_its)


def _user(row: Sequence[Any]) -> User:
    """Return a user from a row."""
    name, has_password, *others = row
    return User(name, bool(has_password), *others)
