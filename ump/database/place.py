"""The place of a database: a file of SQLite, or a database of PostgreSQL by its URL. Nothing here prints a password."""

from __future__ import annotations

import re
from dataclasses import field, replace
from pathlib import Path
from urllib.parse import parse_qsl, unquote

from ump.model.value import value

SQLITE_URL = "sqlite:///"
"""The beginning of a file's URL: four slashes for an absolute path."""

EXPECTED = "give a FILE, sqlite:///FILE or postgresql://USER@HOST/DATABASE"

_URL = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^/?#@:]*)(?::(?P<password>[^/?#@:]*))?@)?(?P<host>[^/?#@]*)"
    r"(?P<database>/[^/?#@]*)?(?:\?(?P<query>[^#]*))?"
)
"""A URL as libpq reads it, as far as needed to find the password."""

_SHOWN = ("service", "host", "port", "dbname", "user")
"""The parameters of a URL that messages repeat."""

_SECRET = ("password", "sslpassword")
"""The parameters of a URL that are passwords."""


class PlaceError(ValueError):
    """The text is no place of a database; the message does not repeat it."""


@value
class DatabasePlace:
    """The place of a database."""

    shown: str
    """The place for messages and logs, without a password."""
    path: Path | None = None
    """The file of SQLite; None for PostgreSQL."""
    url: str = field(default="", repr=False)
    """The URL of PostgreSQL for libpq; it may contain a password."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """The passwords in the URL."""

    def absolute(self) -> DatabasePlace:
        """Return the same place for a program that changes its directory, such as a server in the background."""
        return self if self.path is None else replace(self, path=self.path.absolute())

    def without_secrets(self, text: str) -> str:
        """Return a text, such as an error of a library, with the passwords replaced."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def file_place(path: Path) -> DatabasePlace:
    """Return the place of an SQLite file."""
    return DatabasePlace(str(path), path)


def read_place(text: str) -> DatabasePlace:
    """Return the place that a path or a URL names; raise PlaceError for other URLs, without repeating a password."""
    scheme, separator, _ = text.partition("://")
    if scheme in ("postgresql", "postgres") and separator:
        return _server(text)
    path = text.removeprefix(SQLITE_URL)
    if "://" in path:
        known = scheme if re.fullmatch("[a-z0-9+]{1,20}", scheme) else "such a URL"
        raise PlaceError(f"{known}:// is not offered; {EXPECTED}" if known == scheme else EXPECTED)
    if not path or path == ":memory:" or "\0" in path:
        raise PlaceError("expected the path of a file")
    return file_place(Path(path))


def _server(text: str) -> DatabasePlace:
    """Return the place of a PostgreSQL database."""
    found = _URL.fullmatch(text)
    if found is None or "\0" in text:
        raise PlaceError(
            "expected postgresql://USER@HOST/DATABASE; write special characters of a password as %XX, or keep the "
            "password in ~/.pgpass"
        )
    parameters = parse_qsl(found["query"] or "", keep_blank_values=True)
    written = [found["password"] or "", *(content for name, content in parameters if name in _SECRET)]
    secrets = {form for secret in written for form in (secret, unquote(secret)) if form}
    query = "&".join(f"{name}={content}" for name, content in parameters if name in _SHOWN)
    user = f"{found['user']}@" if found["user"] else ""
    shown = f"postgresql://{user}{found['host']}{found['database'] or ''}{'?' if query else ''}{query}"
    return DatabasePlace(shown, None, text, tuple(sorted(secrets, key=len, reverse=True)))
