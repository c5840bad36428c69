"""The file of users: names, passwords, tokens and bans, and what the file contains."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest
from argon2 import PasswordHasher

from ump.users import secret, user_file
from ump.users.secret import PasswordError, hash_password, verify_password, verify_token
from ump.users.user_file import FOREVER, UserError, UserFile, path_of

NOW = "2026-11-23T18:00:00Z"
LATER = "2026-11-24T00:00:00Z"
PASSWORD = "a good password"


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash with little memory, so that the tests are quick."""
    monkeypatch.setattr(secret, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@pytest.fixture
def file(tmp_path: Path) -> UserFile:
    """Return a file with the user alice."""
    made = UserFile(tmp_path / "users.sqlite")
    made.add("alice", hash_password(PASSWORD), NOW)
    return made


@pytest.mark.parametrize(
    ("name", "password", "is_let_in"),
    [
        ("alice", PASSWORD, True),
        ("alice", PASSWORD + " ", False),
        ("alice", "", False),
        ("alice", "x" * 100_000, False),
        ("alice", "\ud800" * 10, False),
        ("Alice", PASSWORD, False),
        ("bob", PASSWORD, False),
        ("token only", "", False),
        ("' OR 1=1 --", PASSWORD, False),
    ],
)
def test_a_password_lets_its_user_in(file: UserFile, name: str, password: str, *, is_let_in: bool) -> None:
    """Exactly the name and exactly the password fit."""
    file.add("token only", None, NOW)
    found = file.login(name, password, NOW)
    assert (found is not None and found.name == "alice") == is_let_in


@pytest.mark.parametrize("name", ["alice", "bob"])
def test_every_login_hashes_once(file: UserFile, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one of an unknown user, so that the time of the answer does not tell who exists."""
    secret._nobodys_hash()
    hashed: list[str] = []

    class Counting(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
            hashed.append(str(hash))
            return super().verify(hash, password)

    monkeypatch.setattr(secret, "_HASHER", Counting(time_cost=1, memory_cost=8, parallelism=1))
    assert file.login(name, "wrong password", NOW) is None
    assert len(hashed) == 1


@pytest.mark.parametrize("password", ["", "1234567", "x" * 257, "ä" * 129, "\ud800" * 8])
def test_some_texts_are_no_passwords(password: str) -> None:
    """Too short, too long, or not text."""
    with pytest.raises(PasswordError):
        hash_password(password)


def test_a_damaged_hash_fits_nothing() -> None:
    """Neither the password nor the text of the hash."""
    assert not verify_password("no hash", PASSWORD)
    assert not verify_password("no hash", "no hash")


@pytest.mark.parametrize("name", ["alice", "a1ice", "ALICE", "аlice", "a/b", "", " a", "x" * 33, "a\nb", "a\u200bb"])
def test_names_are_refused(file: UserFile, name: str) -> None:
    """Those that are taken, look alike, have a slash, or may not be names at all."""
    with pytest.raises(UserError):
        file.add(name, None, NOW)
    assert [each.name for each in file.users()] == ["alice"]


def test_a_password_can_be_changed(file: UserFile) -> None:
    """The old one does not fit any more."""
    file.set_password("alice", hash_password("another password"))
    assert file.login("alice", PASSWORD, NOW) is None
    assert file.login("alice", "another password", NOW) == file.user("alice")


def test_a_ban_ends(file: UserFile) -> None:
    """A banned user is not let in with a password or a token before the end of the ban."""
    token = file.add_token("alice", "", NOW).text
    file.ban("alice", LATER)
    assert file.login("alice", PASSWORD, NOW) is None
    assert file.login_with_token(token, NOW) is None
    assert file.login("alice", PASSWORD, LATER) is not None
    file.ban("alice", FOREVER)
    assert file.login_with_token(token, LATER) is None
    file.ban("alice", None)
    assert file.login_with_token(token, NOW) is not None


def test_a_token_lets_its_user_in_until_it_is_revoked(file: UserFile) -> None:
    """Of two tokens, only one is revoked, and only by its owner."""
    file.add("bob", None, NOW)
    first, second = file.add_token("alice", "laptop", NOW), file.add_token("alice", "bot", NOW)
    assert [(each.id, each.label) for each in file.tokens("alice")] == [(first.id, "laptop"), (second.id, "bot")]
    with pytest.raises(UserError):
        file.revoke_token("bob", first.id)
    file.revoke_token("alice", first.id)
    assert file.login_with_token(first.text, NOW) is None
    found = file.login_with_token(second.text, NOW)
    assert found is not None
    assert (found.name, found.tokens) == ("alice", 1)


@pytest.mark.parametrize("change", [slice(0, -1), slice(1, None), slice(0, 17), slice(0, 0)])
def test_a_part_of_a_token_is_none(file: UserFile, change: slice) -> None:
    """Also not its public part."""
    assert file.login_with_token(file.add_token("alice", "", NOW).text[change], NOW) is None


def test_the_secret_of_another_token_does_not_fit(file: UserFile) -> None:
    """A token is one id and one secret."""
    first, second = file.add_token("alice", "", NOW), file.add_token("alice", "", NOW)
    assert file.login_with_token(first.text[:17] + second.text[17:], NOW) is None
    assert not verify_token(None, first.text)


def test_tokens_of_a_user_are_bounded(file: UserFile, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more than the maximum is refused."""
    monkeypatch.setattr(user_file, "MOST_TOKENS", 2)
    for _ in range(2):
        file.add_token("alice", "", NOW)
    with pytest.raises(UserError, match="revoke"):
        file.add_token("alice", "", NOW)


def test_a_removed_user_is_gone_with_the_tokens(file: UserFile) -> None:
    """Somebody new of the name does not inherit them."""
    token = file.add_token("alice", "", NOW).text
    file.remove("alice")
    assert file.login("alice", PASSWORD, NOW) is None
    file.add("alice", None, NOW)
    assert file.login_with_token(token, NOW) is None
    assert file.tokens("alice") == []


def test_the_file_has_no_plain_secret_and_one_reader(file: UserFile) -> None:
    """Neither the password nor the secret of a token is in its bytes, and only its owner may read it."""
    token = file.add_token("alice", "", NOW)
    content = file.path.read_bytes()
    assert b"alice" in content
    assert PASSWORD.encode() not in content
    assert token.text[17:].encode() not in content
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


def test_nobody_is_changed_who_does_not_exist(file: UserFile) -> None:
    """Each change says so."""
    changes = (file.remove, file.user, file.tokens, lambda name: file.ban(name, None))
    for change in (*changes, lambda name: file.set_password(name, ""), lambda name: file.add_token(name, "", NOW)):
        with pytest.raises(UserError, match="no user 'bob'"):
            change("bob")


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    """A missing file is not made by reading, and a database of something else gets no tables."""
    missing = tmp_path / "missing.sqlite"
    with pytest.raises(UserError, match="no such file"):
        UserFile(missing).users()
    assert not missing.exists()
    other = tmp_path / "games.sqlite"
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE games (a)")
    with pytest.raises(UserError, match="something else"):
        UserFile(other).add("alice", None, NOW)


@pytest.mark.parametrize(
    ("option", "path"), [("u.db", "u.db"), ("sqlite:///u.db", "u.db"), ("sqlite:////var/u.db", "/var/u.db")]
)
def test_paths_and_urls(option: str, path: str) -> None:
    """A path stands for itself, and a URL as in SQLAlchemy."""
    assert path_of(option) == Path(path)


@pytest.mark.parametrize("option", ["postgresql://host/ump", "sqlite:///", "", "sqlite:///:memory:", "http://x"])
def test_other_urls_are_refused(option: str) -> None:
    """There is no other database."""
    with pytest.raises(UserError):
        path_of(option)
