"""Mistakes in ``--users``: each is one line when the server starts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ump.database.database import file_place
from ump.server.config import read_command_line, server_settings
from ump.server.settings import ConfigError, all_options
from ump.server.users.user_database import UserDatabase
from ump.server.users.user_service import open_users


def planned(option: str, *more: str) -> str | None:
    """Return the users of a server with this option, and perhaps one of ``--register``."""
    given = {"users": [option], "record-dir": ["none"], "register": list(more)}
    return server_settings(read_command_line(given, all_options())).users


def test_a_file_of_users(tmp_path: Path) -> None:
    """It may be given as a path or as a URL."""
    path = tmp_path / "users.sqlite"
    UserDatabase(file_place(path)).add("alice", None, "2026-11-24T00:00:00Z")
    assert planned(str(path)) == str(path)
    assert planned(f"sqlite:///{path}") == f"sqlite:///{path}"


def test_everybody_may_register(tmp_path: Path) -> None:
    """The server makes the file, which a check of its settings does not need, for its owner alone."""
    path = tmp_path / "users.sqlite"
    assert planned(str(path), "open") == str(path)
    assert not path.exists()
    assert open_users(str(path), makes_file=True).users() == []
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(ConfigError, match="no such file"):
        planned(str(tmp_path / "missing.sqlite"), "invite")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("missing.sqlite", "there is no such file; 'ump users add' makes one"),
        ("rubbish", "file is not a database"),
        ("mysql://example/ump", "mysql:// is not offered"),
    ],
)
def test_what_is_no_file_of_users(tmp_path: Path, name: str, error: str) -> None:
    """The message names the option, the file and the reason."""
    (tmp_path / "rubbish").write_text("rubbish" * 1_000)
    option = name if "://" in name else str(tmp_path / name)
    with pytest.raises(ConfigError) as refused:
        planned(option)
    assert str(refused.value).startswith("--users: ")
    assert "://" in name or repr(option) in str(refused.value)
    assert error in str(refused.value)


def test_the_extra_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says how to install it."""
    monkeypatch.setitem(sys.modules, "argon2", None)
    monkeypatch.delitem(sys.modules, "ump.server.users.user_database")
    with pytest.raises(ConfigError, match=r"pip install 'ump-mahjong\[users\]'"):
        planned(str(tmp_path / "users.sqlite"))


def test_a_database_that_cannot_be_reached(tmp_path: Path) -> None:
    """One line without the password."""
    url = f"postgresql://ump:s3cret@/ump?host={tmp_path}"
    with pytest.raises(ConfigError) as refused:
        planned(url)
    assert str(refused.value).startswith(f"--users: 'postgresql://ump@/ump?host={tmp_path}' cannot be read: conn")
    assert "s3cret" not in str(refused.value)
    assert "\n" not in str(refused.value)
