"""Places of databases: paths and URLs, and that no text about them has a password."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.rows import each_row

from ump.database.database import PlaceError, read_place


@each_row(("text", "path"), [("u.db", "u.db"), ("sqlite:///u.db", "u.db"), ("sqlite:////var/u.db", "/var/u.db")])
def test_files(text: str, path: str) -> None:
    """A path stands for itself, and a URL as in SQLAlchemy."""
    assert read_place(text).path == Path(path)


@each_row(
    ("text", "shown"),
    [
        ("postgresql://ump@db.example/ump", "postgresql://ump@db.example/ump"),
        ("postgres://ump:s3cret@db.example:5433/ump", "postgresql://ump@db.example:5433/ump"),
        ("postgresql://ump:s3cr%40t@[::1]/ump?sslmode=verify-full", "postgresql://ump@[::1]/ump"),
        ("postgresql:///ump?host=/run/postgresql&password=s3cret", "postgresql:///ump?host=/run/postgresql"),
        ("postgresql://?service=ump&sslpassword=s3cret", "postgresql://?service=ump"),
    ],
)
def test_servers(text: str, shown: str) -> None:
    """The whole URL goes to libpq; messages show it without passwords."""
    place = read_place(text)
    assert (place.path, place.url, place.shown) == (None, text, shown)
    assert "s3cr" not in repr(place)
    said = place.without_secrets(f"invalid {text}")
    assert "s3cr" not in said


@each_row(
    "text",
    [
        "sqlite:///",
        "",
        "sqlite:///:memory:",
        "http://x:s3cret@y",
        "mysql+s3cret-is-long-and-odd://x",
        "postgresql://ump:s3/cret@host/ump",
        "postgresql://ump:s3cret@host/ump#s3cret",
        "postgresql://ump:s3@cret@host/ump",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    """The message does not repeat a password, also not one whose special characters were not escaped."""
    with pytest.raises(PlaceError) as refused:
        read_place(text)
    assert "s3" not in str(refused.value)
