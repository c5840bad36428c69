"""Passwords and access tokens: how they are made, hashed and compared. No plain one is ever stored."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from functools import cache

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError

from ump.model.value import value

SHORTEST_PASSWORD = 8
"""In characters. NIST SP 800-63B asks for no less."""

LONGEST_PASSWORD = 256
"""In bytes of UTF-8, so that nobody makes the server hash a book."""

UNFIT_PASSWORD = "a password has "
"""The beginning of the message about a password that may not be one."""

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
    """The password may not be one: too short, too long, or not text."""


def check_password(password: str) -> None:
    """Raise PasswordError if a password may not be one."""
    if len(password) < SHORTEST_PASSWORD or (size := _size(password)) is None or size > LONGEST_PASSWORD:
        raise PasswordError(
            f"{UNFIT_PASSWORD}{SHORTEST_PASSWORD} characters or more, and at most {LONGEST_PASSWORD} bytes"
        )


def hash_password(password: str) -> str:
    """Return the hash of a new password, with its salt and parameters; raise PasswordError if it may not be one."""
    check_password(password)
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
