"""The command ``ump users``: its output, its errors, and that it shows no secret."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.rows import each_row

from ump.cli.main import main
from ump.cli.users import users
from ump.database.database import read_place
from ump.server.users.user_database import NewUser, UserDatabase

PASSWORD = "a good password"


@pytest.fixture
def option(tmp_path: Path) -> str:
    """Return ``--users`` with a file in which alice has a password."""
    option = f"--users={tmp_path / 'users.sqlite'}"
    assert run("add alice", option, PASSWORD).exit_code == 0
    return option


def run(line: str, option: str, standard_input: str = "") -> Result:
    """Run ``ump users``; no argument has a space."""
    command = ["users", *line.split(), option]
    return CliRunner().invoke(main, command, input=standard_input, catch_exceptions=False)


def test_users_are_listed(option: str) -> None:
    """With password, tokens and bans."""
    assert run("add bob --no-password", option).exit_code == 0
    assert run("role alice admin", option).exit_code == 0
    assert run("ban bob --until 2999-01-01 --reason spam", option).exit_code == 0
    assert run("add mallory", option, PASSWORD + "\n").exit_code == 0
    assert run("ban mallory", option).exit_code == 0
    rows = [row.split() for row in run("list", option).stdout.splitlines()]
    shown = [[*row[:3], *row[4:]] for row in rows[1:]]
    assert shown == [
        ["alice", "yes", "0", "admin"],
        ["bob", "no", "0", "player", "2999-01-01T00:00:00Z:", "spam"],
        ["mallory", "yes", "0", "player", "for", "good"],
    ]
    run("unban mallory", option)
    listed = json.loads(run("list --json", option).stdout)["users"]
    assert [(each["name"], each["banned_until"]) for each in listed][2] == ("mallory", None)
    logged = UserDatabase(read_place(option.removeprefix("--users="))).orders()
    assert [(each.name, each.target, each.arguments) for each in reversed(logged)] == [
        ("add", "alice", ""),
        ("add", "bob", '{"no_password": true}'),
        ("role", "alice", '{"role": "admin"}'),
        ("ban", "bob", '{"until": "2999-01-01", "reason": "spam"}'),
        ("add", "mallory", ""),
        ("ban", "mallory", ""),
        ("unban", "mallory", ""),
    ]
    assert {(each.via, each.outcome) for each in logged} == {("command", "ok")}


def test_a_token_is_shown_once(option: str) -> None:
    """Lists show its id alone, and a revoked one is gone."""
    text = run("token alice --label laptop", option).stdout.strip()
    identity, secret = text.split("_")[1], text[17:]
    listed = run("list alice", option).stdout
    assert identity in listed
    assert "laptop" in listed
    assert secret not in listed + run("list --json", option).stdout + run("list alice --json", option).stdout
    assert run(f"token alice --revoke {identity}", option).exit_code == 0
    assert run("list alice", option).stdout == "alice has no tokens.\n"


def test_a_password_is_changed_and_a_user_removed(option: str) -> None:
    """Nothing is printed. The name of the user is not free again."""
    assert run("passwd alice", option, "another password").output == ""
    assert run("remove alice", option).output == ""
    assert "a deleted user was called 'alice'" in run("add alice --no-password", option).output
    assert run("list", option).stdout == "No users.\n"


def test_a_password_is_asked_for_at_a_terminal(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice, and not echoed."""
    asked: list[bool] = []

    def prompt(_text: str, *, hide_input: bool, confirmation_prompt: bool, err: bool) -> str:
        asked.append(hide_input and confirmation_prompt and err)
        return PASSWORD

    class Terminal:
        isatty = staticmethod(lambda: True)

    monkeypatch.setattr("ump.cli.users.click.prompt", prompt)
    monkeypatch.setattr(sys, "stdin", Terminal)
    file = option.removeprefix("--users=")
    users.main(["add", "carol", "--users", file], standalone_mode=False)
    assert asked == [True]


@each_row(
    ("line", "standard_input", "message"),
    [
        ("add alice", PASSWORD, "there is a user 'alice'"),
        ("add A1ICE", PASSWORD, "looks like the user 'alice'"),
        ("add a/b", PASSWORD, "no slash"),
        ("add bob", "short", "12 characters"),
        ("passwd bob", PASSWORD, "no user 'bob'"),
        ("token bob", "", "no user 'bob'"),
        ("token alice --revoke x", "", "no token 'x'"),
        ("token alice --label " + "x" * 101, "", "--label"),
        ("ban alice --until tomorrow", "", "no date such as"),
        ("ban alice --until 2027-02-30", "", "no date such as"),
        ("ban alice --reason " + "x" * 101, "", "100 characters"),
        ("ban 127.0.0.1", "", "this computer"),
    ],
)
def test_errors_are_one_line(option: str, line: str, standard_input: str, message: str) -> None:
    """With exit status 2, and without the password."""
    result = run(line, option, standard_input)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not standard_input or standard_input not in result.output


@each_row("url", ["--users=postgresql://host/ump", "--users=/proc/no/users.sqlite"])
def test_files_that_cannot_be_used(url: str) -> None:
    """The error names the option."""
    result = run("add alice", url, PASSWORD)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: --users ")


def test_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without argon2-cffi the error says what to install."""
    for name in [
        each for each in sys.modules if each.partition(".")[0] == "argon2" or each.startswith("ump.server.users.")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "argon2", None)
    result = run("list", f"--users={tmp_path / 'users.sqlite'}")
    assert result.exit_code == 2
    assert "pip install 'ump-mahjong[users]'" in result.stderr


@each_row("name", sorted(users.commands))
def test_each_help_has_an_example(name: str) -> None:
    """The example is of the command itself."""
    assert f"ump users {name} " in CliRunner().invoke(main, ["users", name, "--help"]).stdout


def test_links(option: str) -> None:
    """Each works once with the database, and the list of orders has no secret of it."""
    database = UserDatabase(read_place(option.removeprefix("--users=")))
    printed = [
        run(line, option).stdout.strip() for line in ("invite --days 2", "reset alice", "token alice --bot akagi")
    ]
    assert [each.partition("=")[0] for each in printed[:2]] == ["/account#register", "/account#reset"]
    now = database.tokens("alice")[0].created
    assert database.reset_password(printed[1].partition("=")[2], "hash", now) == "alice"
    database.register(NewUser("bob", "hash", invitation=printed[0].partition("=")[2]), now)
    found = database.login_with_token(printed[2], now)
    assert found is not None and found.bot == "akagi"
    assert "akagi" in run("list alice", option).stdout
    assert run("reset carol", option).exit_code == 2
    logged = " ".join(f"{each.name} {each.target} {each.arguments}" for each in database.orders())
    assert not any(each.partition("=")[2] in logged for each in printed[:2]) and printed[2] not in logged
