"""What a client shows to prove who it is: a user's password, or an access token."""

from __future__ import annotations

from ump.model.owner import SEPARATOR, owner_of
from ump.model.value import value
from ump.net.connection import Connection
from ump.wire.names import check_name
from ump.wire.session import Introduction

ACCESS_TOKEN = "ump_"
"""How every access token begins; the tokens of seats, and those that bots invent, do not."""

NO_PASSWORD = ("", "*")
"""Passwords of clients that have none: a form of net play needs one."""


@value
class Credentials:
    """A user's name with a password, or an access token, which names its user itself."""

    user: str | None
    password: str | None = None
    token: str | None = None
    session: str | None = None
    """The name of a bot that came with the token, if its URL has one."""


def credentials_of(connection: Connection, introduction: Introduction) -> Credentials | None:
    """Return what a client shows, or None if it shows nothing.

    An access token may stand in the place of a password or of a bearer token.
    """
    user, password = introduction.user, introduction.password
    key = connection.session.return_key or ""
    if password is not None and password.startswith(ACCESS_TOKEN):
        return Credentials(user, token=password)
    if key.startswith(ACCESS_TOKEN):
        token, _, session = key.partition(" ")
        return Credentials(user, token=token, session=session or None)
    if password is None or password in NO_PASSWORD:
        return None
    return Credentials(user or owner_of(introduction.name or ""), password)


def player_name(user: str, wanted: str | None) -> str:
    """Return the name under which a user plays: its own, or ``user/bot``; raise WireError if that is too long."""
    if wanted is None or wanted == user or wanted.startswith(f"{user}{SEPARATOR}"):
        return wanted or user
    return check_name(f"{user}{SEPARATOR}{wanted}", f"the name {user}{SEPARATOR}NAME")
