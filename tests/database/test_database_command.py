"""The command ``ump database``, and ``ump records --index``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from record.test_journals import played
from support.memory_server import journal_folder
from support.rows import each_row

from ump.cli.main import main
from ump.database.database import ID_FILE, file_place, read_place
from ump.server.users.bans import read_target
from ump.server.users.user_database import UserDatabase

NOW = "2026-11-23T18:00:00Z"


def run(*arguments: str | Path) -> Result:
    """Run ``ump``."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with two recorded and counted games."""
    records = journal_folder(tmp_path / "records")
    records.open()
    played(records)
    played(records, "main-2")
    records.close()
    assert run("records", records.folder, "--players", "--jobs=1").exit_code == 0
    return records.folder


def test_databases_are_brought_up_to_date(database: str, tmp_path: Path) -> None:
    """Once; index and users of SQLite are two files."""
    users = str(tmp_path / "users.sqlite") if database.startswith("sqlite") else database
    first, second = (run("database", "upgrade", f"--index={database}", f"--users={users}") for _ in range(2))
    assert [line.rpartition(": ")[2] for line in first.stdout.splitlines()] == ["brought up to date"] * 2
    assert [line.rpartition(": ")[2] for line in second.stdout.splitlines()] == ["is up to date"] * 2


def test_an_index_is_copied_with_its_counts(folder: Path, database: str) -> None:
    """A second time replaces the games; reports are those of the folder's own index."""
    before = run("records", folder, "--players", "--json", "--jobs=1").stdout
    for _ in range(2):
        assert run("database", "copy-index", folder, database).stdout.endswith(": 2 games copied\n")
    away = folder.rename(folder.with_name("away"))  # no report has to read a journal
    copied = run("records", away, f"--index={database}", "--players", "--json", "--jobs=1")
    assert (copied.exit_code, copied.stdout, copied.stderr) == (0, before, "")
    games = json.loads(run("records", "nowhere", f"--index={database}", "--json").stdout)["games"]
    identity = (away / ID_FILE).read_text("utf-8").strip()
    assert [game["file"].startswith(f"{identity}/2026") for game in games] == [True, True]


def test_a_folder_is_entered_again(folder: Path, database: str) -> None:
    """``--reindex`` reads its journals; then they are counted as by its own index."""
    before = run("records", folder, "--players", "--json", "--jobs=1").stdout
    again = run("records", folder, f"--index={database}", "--reindex", "--players", "--json", "--jobs=1")
    assert (again.exit_code, again.stdout) == (0, before)


def test_users_are_copied_with_everything(database: str, tmp_path: Path) -> None:
    """All of them, or none if a name is taken."""
    source = UserDatabase(file_place(tmp_path / "source.sqlite"))
    source.add("alice", "a hash", NOW)
    source.add("bob", None, NOW)
    source.ban(read_target("bob"), None, "two accounts", "root", NOW)
    source.ban(read_target("192.0.2.7"), None, "", "root", NOW)
    token = source.add_token("bob", "laptop", NOW)
    target = UserDatabase(read_place(database))
    assert run("database", "copy-users", tmp_path / "source.sqlite", database).exit_code == 0
    assert target.users() == source.users()
    assert target.tokens("bob") == source.tokens("bob")
    assert target.bans(NOW) == source.bans(NOW) != []
    found = target.login_with_token(token.text, NOW)
    assert found is not None
    assert found.name == "bob"
    source.add("carol", None, NOW)
    again = run("database", "copy-users", tmp_path / "source.sqlite", database)
    assert (again.exit_code, "there is a user 'alice'" in again.stderr) == (2, True)
    assert [user.name for user in target.users()] == ["alice", "bob"]


@each_row(
    ("arguments", "error"),
    [
        (["records", "--index=mysql://x:s3cret@y"], "mysql:// is not offered"),
        (["records", "--site=i.sqlite"], "a site is in PostgreSQL"),
        (["database", "upgrade"], "give --index, --users or both"),
        (["records", "nowhere"], "there is no folder 'nowhere'"),
        (["records", "nowhere", "--index=i.sqlite", "--reindex"], "there is no folder 'nowhere'"),
        (["database", "copy-users", "nothing.sqlite", "x.sqlite"], "nothing.sqlite: there is no such file"),
        (["database", "copy-index", "/", "x.sqlite"], "/ has no games.sqlite"),
        (["users", "list", "--users=postgresql://u:s3cret@/?host=/nowhere"], "postgresql://u@/?host=/nowhere: conn"),
        (["users", "list", "--users=postgresql://u:s3cret@@h/"], "write special characters"),
    ],
)
def test_mistakes_are_one_line_without_passwords(arguments: list[str], error: str) -> None:
    """The exit status is 2."""
    result = run(*arguments)
    assert (result.exit_code, error in result.stderr) == (2, True)
    assert "s3cret" not in result.output
    assert "Traceback" not in result.output
