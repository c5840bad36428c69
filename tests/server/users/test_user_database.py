"""The file of users: names, passwords, tokens and bans, and what the file contains."""

from __future__ import annotations

import gc
import os
import sqlite3
import stat
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Literal

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from argon2 import PasswordHasher
from support.databases import PostgresServer
from support.rows import each_row

from ump.database.database import POOL, Database, DatabaseError, file_place, read_place
from ump.net.connection_budget import read_network
from ump.record.game_index import GameIndex
from ump.server.users import drill_database, user_database
from ump.server.users.bans import FOREVER, REMOVED, BanError, BanKind, OrderToLog, Target, read_address, read_target
from ump.server.users.user_database import (
    KEPT_SECONDS,
    NameTaken,
    NewUser,
    PasswordError,
    Star,
    UserDatabase,
    UserError,
    hash_password,
    verify_password,
    verify_token,
)
from ump.server.users.user_schema import METADATA, USER_SCHEMA
from ump.wire.names import skeleton

NOW = "2026-11-23T18:00:00Z"
LATER = "2026-11-24T00:00:00Z"
PASSWORD = "a good password"


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash with little memory, so that the tests are quick."""
    monkeypatch.setattr(user_database, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@pytest.fixture
def file(database: str) -> UserDatabase:
    """Return a database with the user alice, of each kind."""
    made = UserDatabase(read_place(database))
    made.add("alice", hash_password(PASSWORD), NOW)
    return made


def test_a_password_lets_its_user_in(file: UserDatabase) -> None:
    """Exactly the name and exactly the password fit."""
    file.add("token only", None, NOW)
    found = file.login("alice", PASSWORD)
    assert found is not None
    assert found.name == "alice"
    for wrong in (PASSWORD + " ", "", "x" * 100_000, "\ud800" * 10):
        assert file.login("alice", wrong) is None
    for name, password in (("Alice", PASSWORD), ("bob", PASSWORD), ("token only", ""), ("' OR 1=1 --", PASSWORD)):
        assert file.login(name, password) is None


def test_all_names_folded(file: UserDatabase) -> None:
    """A server remembers them while the database is away, unless they are too many."""
    file.add("Böb", None, NOW)
    assert file.folded_names(2) == frozenset((skeleton("alice"), skeleton("Böb")))
    assert file.folded_names(1) is None


@pytest.mark.parametrize("name", ["alice", "bob"])
def test_every_login_hashes_once(file: UserDatabase, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one of an unknown user, so that the time of the answer does not tell who exists."""
    user_database._nobodys_hash()
    hashed: list[str] = []

    class Counting(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
            hashed.append(str(hash))
            return super().verify(hash, password)

    monkeypatch.setattr(user_database, "_HASHER", Counting(time_cost=1, memory_cost=8, parallelism=1))
    assert file.login(name, "wrong password") is None
    (one,) = hashed
    known = user_database.hash_password("another password").rpartition("$")[0].rpartition("$")[0]
    assert one.startswith(known), "with the same parameters, so that it takes as long"


@each_row(
    "password",
    [
        *("", "sunshine123", "x" * 257, "ä" * 129, "\ud800" * 12),
        *("111111111111", "123456654321", "qwertyuiop12", "1q2w3e4r5t6y", "abcdefghijklm", "qazwsxedcrfv"),
        *("123qwe123qwe", "aliceAlice99", "abcdabcdabcdab"),
    ],
)
def test_some_texts_are_no_passwords(password: str) -> None:
    """Too short, too long, not text, or a run of keys, a repetition or the name."""
    with pytest.raises(PasswordError):
        hash_password(password, "alice")


@each_row("password", ["correct horse", "zf3kTqLw0vBn", "riichi tanyao pinfu", "合言葉は山と川です、どうぞ"])
def test_other_texts_are_passwords(password: str) -> None:
    """Some words, and what programs make."""
    assert verify_password(hash_password(password, "alice"), password)


def test_networks_of_users(file: UserDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is known for thirty days, as one of its user alone; there are only so many, and none after a deletion."""
    monkeypatch.setattr(user_database, "MOST_NETWORKS", 2)
    file.add("bob", None, NOW)
    days = [f"2026-11-0{day}T12:00:00Z" for day in (1, 2, 3, 4)]
    for day, network in zip(days, ("192.0.2.0/24", "2001:db8::/48", "192.0.2.0/24", "10.0.0.0/24"), strict=True):
        file.note_network("alice", network, day)
    file.note_network("alice", "", NOW)
    file.note_network("nobody", "192.0.2.0/24", NOW)

    def known(now: str, name: str = "alice") -> list[bool]:
        networks = ("192.0.2.0/24", "2001:db8::/48", "10.0.0.0/24", "")
        return [file.acquaintance(name, network, "", now).is_from_here for network in networks]

    assert known(NOW) == [True, False, True, False]
    assert known("2026-12-03T23:59:59Z") == [True, False, True, False]
    assert known("2026-12-04T00:00:00Z") == [False, False, True, False]
    assert known(NOW, "bob") == known(NOW, "\ud800\0") == [False] * 4
    file.delete("alice", NOW)
    assert known(NOW) == [False] * 4


def test_devices_of_users(file: UserDatabase) -> None:
    """Each is known for a year, by its user alone, until the password is another one."""
    file.add("bob", hash_password(PASSWORD), NOW)
    file.add("token only", None, NOW)
    cookie, other = file.new_device("alice", NOW), file.new_device("alice", NOW)
    assert cookie is not None and file.new_device("token only", NOW) is None

    def known(text: str, name: str = "alice", now: str = NOW) -> str | None:
        return file.acquaintance(name, "", text, now).device

    assert known(cookie) is not None and known(cookie) != known(other or "")
    assert known(cookie, now="2027-11-23T23:00:00Z") == known(cookie)
    number, day, seal = cookie.split(".")
    forged = (f"{number}.2028-11-23.{seal}", f"{number}.{day}.", cookie[:-1], "", "\ud800.ä.1", f"{number}.{seal}")
    assert [known(each) for each in forged] == [None] * len(forged)
    assert known(cookie, "bob") is known(cookie, "token only") is known(cookie, "x") is None
    assert known(cookie, now="2027-11-24T00:00:00Z") is None
    file.set_password("alice", hash_password("another password"))
    assert known(cookie) is None


def test_a_damaged_hash_fits_nothing() -> None:
    """Neither the password nor the text of the hash."""
    assert not verify_password("no hash", PASSWORD)
    assert not verify_password("no hash", "no hash")


@each_row(
    "name",
    [
        *("efficiency", "Efficiency-12", "effic1ency-l", "tsumogiri-1", "guest", "guest-7", "Guest-70", "ump-3"),
        *("bot for Mika", "B0t for Mika", "admin"),
    ],
)
def test_names_of_the_server_are_refused(file: UserDatabase, name: str) -> None:
    """Those of built-in bots and of guests, with a number or without, and of bots that play for entrants."""
    with pytest.raises(UserError, match="others would believe"):
        file.add(name, None, NOW)


def test_names_that_only_begin_so_are_free(file: UserDatabase) -> None:
    """Nobody takes them for one of the server."""
    for name in ("guesthouse", "efficiency-x", "bob-7", "guest-7-8", "robot for"):
        file.add(name, None, NOW)


@each_row("name", ["alice", "a1ice", "ALICE", "аlice", "a/b", "", " a", "x" * 33, "a\nb", "a\u200bb"])
def test_names_are_refused(file: UserDatabase, name: str) -> None:
    """Those that are taken, look alike, have a slash, or may not be names at all."""
    with pytest.raises(UserError):
        file.add(name, None, NOW)
    assert [each.name for each in file.users()] == ["alice"]


def test_a_password_can_be_changed(file: UserDatabase) -> None:
    """The old one does not fit any more, and logins with it have ended."""
    before = file.login("alice", PASSWORD)
    file.set_password("alice", hash_password("another password"))
    assert file.login("alice", PASSWORD) is None
    after = file.login("alice", "another password")
    assert before is not None and after is not None and after.name == "alice"
    assert file.bans_of(["alice"], [before.login_id, after.login_id], NOW).ended == {before.login_id}


def test_a_session_ends_by_itself(file: UserDatabase) -> None:
    """A server that looks then closes its connections; a token without an end stays."""
    session = file.begin_session("alice", "a browser", NOW, "2026-12-23T18:00:00Z")
    token = file.add_token("alice", "a bot", NOW)
    logins = [session.id, token.id]
    assert file.bans_of(["alice"], logins, "2026-12-23T17:59:59Z").ended == set()
    assert file.bans_of(["alice"], logins, "2026-12-23T18:00:00Z").ended == {session.id}


def test_a_ban_ends(file: UserDatabase) -> None:
    """The right password or token tells until when and why; a later ban takes the place of an earlier one."""
    token, alice = file.add_token("alice", "", NOW).text, Target(BanKind.USER, "alice")
    file.ban(alice, "2026-12-01T00:00:00Z", "two accounts", "root", NOW)
    for found in (file.login("alice", PASSWORD), file.login_with_token(token, NOW)):
        assert found is not None
        assert found.closed(NOW) == "this account is closed until 2026-12-01: two accounts"
        assert found.closed("2026-12-01T00:00:00Z") is None
    assert file.login("alice", PASSWORD + "x") is None
    file.ban(alice, None, "", "root", NOW)
    assert file.user("alice").closed(LATER) == "this account is closed"
    assert [(ban.target, ban.until) for ban in file.bans(NOW)] == [("alice", FOREVER)]
    file.lift(alice, "root")
    assert file.user("alice").closed(NOW) is None
    with pytest.raises(UserError, match="no ban"):
        file.lift(alice, "root")
    with pytest.raises(UserError, match="is over"):
        file.ban(alice, NOW, "", "root", LATER)
    file.ban(alice, None, "", "root", NOW)
    file.delete("alice", NOW)
    assert file.bans(NOW) == []


def test_bans_of_addresses(file: UserDatabase) -> None:
    """They end after a week; a host of IPv6 is a /64; this computer and proxies are spared."""
    for text in ("192.0.2.7", "198.51.100.9/24", "2001:db8:1:2::5", "2001:db8:2::/120", "::ffff:203.0.113.1"):
        file.ban(read_target(text), None, "", "root", NOW)
    bans = file.bans_of(["alice", "gone"], ["0123456789ab"], NOW)
    assert [str(each) for each in reversed(bans.networks)] == [
        *("192.0.2.7/32", "198.51.100.0/24", "2001:db8:1:2::/64", "2001:db8:2::/64", "203.0.113.1/32")
    ]
    assert bans.closed == {"gone": REMOVED}
    assert bans.ended == {"0123456789ab"}
    assert {ban.until for ban in file.bans(NOW)} == {"2026-11-30T18:00:00Z"}
    assert file.bans_of([], [], "2026-11-30T18:00:00Z").networks == []
    for text in ("127.0.0.1", "0.0.0.0/0", "::1", "10.0.0.0/8", "192.0.2.7/99"):
        with pytest.raises(BanError):
            read_address(text, [read_network("10.1.2.3")])


def test_the_log_of_orders(file: UserDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has pages, and forgets the oldest orders."""
    monkeypatch.setattr(user_database, "MOST_ORDERS", 3)
    monkeypatch.setattr(user_database, "PAGE", 2)
    for name in "abcd":
        file.log_order(OrderToLog(NOW, "root", "socket", name, "", "", "ok"))
    first = file.orders()
    assert [each.name for each in first] == ["d", "c"]
    assert [(each.id, each.name) for each in file.orders(first[-1].id)] == [(2, "b")]


def test_a_token_lets_its_user_in_until_it_is_revoked(file: UserDatabase) -> None:
    """Of two tokens, only one is revoked, and only by its owner."""
    file.add("bob", None, NOW)
    first, second = file.add_token("alice", "laptop", NOW), file.add_token("alice", "bot", LATER)
    assert [(each.id, each.label) for each in file.tokens("alice")] == [(first.id, "laptop"), (second.id, "bot")]
    with pytest.raises(UserError):
        file.revoke_token("bob", first.id)
    file.revoke_token("alice", first.id)
    assert file.login_with_token(first.text, NOW) is None
    found = file.login_with_token(second.text, NOW)
    assert found is not None
    assert (found.name, found.tokens) == ("alice", 1)


@each_row("change", [slice(0, -1), slice(1, None), slice(0, 17), slice(0, 0)])
def test_a_part_of_a_token_is_none(file: UserDatabase, change: slice) -> None:
    """Also not its public part."""
    assert file.login_with_token(file.add_token("alice", "", NOW).text[change], NOW) is None


def test_the_secret_of_another_token_does_not_fit(file: UserDatabase) -> None:
    """A token is one id and one secret."""
    first, second = file.add_token("alice", "", NOW), file.add_token("alice", "", NOW)
    assert file.login_with_token(first.text[:17] + second.text[17:], NOW) is None
    assert not verify_token(None, first.text)


def test_tokens_of_a_user_are_bounded(file: UserDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more than the maximum is refused."""
    monkeypatch.setattr(user_database, "MOST_TOKENS", 2)
    for _ in range(2):
        file.add_token("alice", "", NOW)
    with pytest.raises(UserError, match="revoke"):
        file.add_token("alice", "", NOW)


def test_the_guest_that_a_user_was(file: UserDatabase) -> None:
    """The first who registers with a browser has its games, until the account is deleted."""
    for name in ("mika", "bob"):
        file.register(NewUser(name, None, guest=("2", "1")), NOW)
    assert (file.guests_of("mika"), file.guests_of("bob")) == (["1", "2"], [])
    file.delete("mika", LATER)
    file.register(NewUser("eva", None, guest=("2", "1")), LATER)
    assert file.guests_of("eva") == ["1", "2"]


def test_stars_of_a_user(file: UserDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest make room; a deleted user is starred by nobody."""
    monkeypatch.setattr(user_database, "MOST_STARS", 2)
    for name in ("mika", "bob"):
        file.add(name, None, NOW)
    stars = [Star(f"{number}", name) for number, name in enumerate(("eva", "bob", "eve"))]
    assert file.star("mika", stars[:2], (), NOW) == stars[:2]
    assert file.star("mika", stars[2:], (), LATER) == [stars[2], stars[0]]
    assert file.star("mika", [stars[1]], ["0"], LATER) == stars[1:]
    file.delete("bob", LATER)
    assert file.star("mika", (), (), LATER) == [stars[2]]
    file.delete("mika", LATER)
    with pytest.raises(UserError):
        file.star("mika", (), (), LATER)


def test_a_deleted_user_is_gone_with_the_tokens(file: UserDatabase) -> None:
    """Nobody inherits the name, for games are counted under it."""
    token = file.add_token("alice", "", NOW).text
    file.delete("alice", NOW)
    assert file.login("alice", PASSWORD) is None
    assert file.login_with_token(token, NOW) is None
    with pytest.raises(NameTaken, match="a deleted user was called 'Alice', or like it"):
        file.add("Alice", None, NOW)


def test_the_file_has_no_plain_secret_and_one_reader(tmp_path: Path) -> None:
    """Neither the password nor the secret of a token is in its bytes, and only its owner may read it."""
    path = tmp_path / "users.sqlite"
    file = UserDatabase(file_place(path))
    file.add("alice", hash_password(PASSWORD), NOW)
    token = file.add_token("alice", "", NOW)
    content = path.read_bytes()
    assert b"alice" in content
    assert PASSWORD.encode() not in content
    assert token.text[17:].encode() not in content
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_file_that_root_makes_belongs_to_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As its folder does; a file of somebody else's is named as such."""
    owners: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "fchown", lambda _file, user, group: owners.append((user, group)))
    file = UserDatabase(file_place(tmp_path / "users.sqlite"))
    for name in ("alice", "bob"):
        file.add(name, None, NOW)
    assert owners == [(tmp_path.stat().st_uid, tmp_path.stat().st_gid)]
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    with pytest.raises(UserError, match="permission denied; the file belongs to user"):
        file.check()


def test_nobody_is_changed_who_does_not_exist(file: UserDatabase) -> None:
    """Each change says so."""
    changes = (
        lambda name: file.delete(name, NOW),
        file.user,
        file.tokens,
        lambda name: file.ban(Target(BanKind.USER, name), None, "", "", NOW),
    )
    for change in (*changes, lambda name: file.set_password(name, ""), lambda name: file.add_token(name, "", NOW)):
        with pytest.raises(UserError, match="no user 'bob'"):
            change("bob")


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    """A missing file is not made by reading, and a database of something else gets no tables."""
    missing = tmp_path / "missing.sqlite"
    with pytest.raises(UserError, match="no such file"):
        UserDatabase(file_place(missing)).users()
    assert not missing.exists()
    other = tmp_path / "games.sqlite"
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE games (a)")
    with pytest.raises(DatabaseError, match="something else"):
        UserDatabase(file_place(other)).add("alice", None, NOW)


EARLIER = """
CREATE TABLE users (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, folded TEXT NOT NULL UNIQUE, password TEXT,
    created TEXT NOT NULL, banned_until TEXT
);
CREATE TABLE tokens (
    id TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE, hash TEXT NOT NULL,
    label TEXT NOT NULL, created TEXT NOT NULL
);
CREATE INDEX tokens_user ON tokens (user_id);
PRAGMA application_id = 1970106485;
INSERT INTO users VALUES (7, 'alice', 'alice', NULL, '2026-11-23T18:00:00Z', '2027-01-01T00:00:00Z');
INSERT INTO tokens VALUES ('0123456789ab', 7, 'x', 'laptop', '2026-11-23T18:00:00Z');
"""
"""A file of the version before there were migrations."""


def test_an_earlier_file_is_brought_up_to_date(tmp_path: Path) -> None:
    """Nothing is lost: neither tokens nor bans."""
    path = tmp_path / "users.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(EARLIER)
    file = UserDatabase(file_place(path))
    assert [(each.name, each.tokens, each.role) for each in file.users()] == [("alice", 1, "player")]
    assert file.user("alice").closed(NOW) == "this account is closed until 2027-01-01"
    file.add("bob", None, NOW)
    file.delete("alice", LATER)
    assert [(each.name, each.tokens) for each in file.users()] == [("bob", 0)]


def test_the_migrations_make_the_tables_that_the_queries_use(database: str) -> None:
    """Nothing is missing and nothing is left over."""
    opened = Database(read_place(database), USER_SCHEMA)
    assert (opened.upgrade(), opened.upgrade()) == (True, False)
    with opened.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": USER_SCHEMA.version_table})
        assert drill_database.OWNERS.metadata is METADATA
        assert compare_metadata(context, METADATA) == []


def test_users_and_games_share_a_database_of_postgresql(postgres: PostgresServer, tmp_path: Path) -> None:
    """Their tables and migrations have names of their own."""
    place = read_place(postgres.new_url())
    UserDatabase(place).add("alice", None, NOW)
    assert GameIndex(tmp_path, place, "one").players() == []
    assert [each.name for each in UserDatabase(place).users()] == ["alice"]


def test_connections_to_postgresql_are_kept(postgres: PostgresServer) -> None:
    """Forty guests need no more than the pool holds. It survives the server's restart, and goes with its owner."""
    url = postgres.new_url()
    users = UserDatabase(read_place(url))
    users.add("alice", None, NOW)
    with ThreadPoolExecutor(8) as threads:
        assert not any(threads.map(users.is_reserved, map("guest-{}".format, range(40))))
    with psycopg.connect(url, autocommit=True) as watcher:
        open_now = "SELECT pid FROM pg_stat_activity WHERE application_name = 'ump' AND datname = current_database()"
        assert 1 <= len(watcher.execute(open_now).fetchall()) <= POOL
        watcher.execute(f"SELECT pg_terminate_backend(pid) FROM ({open_now}) AS pids")
        assert users.is_reserved("alice")
        ours = watcher.execute(open_now).fetchall()
        with pytest.MonkeyPatch.context() as fork, warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            fork.setattr("os.getpid", lambda: 0)
            assert users.is_reserved("alice")
            assert not {*ours}.issuperset(watcher.execute(open_now).fetchall()), (
                "a process in the background has its own"
            )
            gc.collect()
        del users
        while watcher.execute(open_now).fetchall():
            """Their backends end by themselves."""


def test_a_token_is_kept_for_two_seconds(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of another program holds after that time, our own at once; only the last tokens are kept."""
    now = 0.0
    monkeypatch.setattr(user_database, "monotonic", lambda: now)
    monkeypatch.setattr(user_database, "MOST_KEPT", 2)
    place = read_place(postgres.new_url())
    users, other = UserDatabase(place), UserDatabase(place)
    users.add("alice", None, NOW)
    tokens = [users.add_token("alice", "", NOW) for _ in range(3)]
    assert all(users.login_with_token(token.text, NOW) for token in tokens)
    for token in tokens:
        other.revoke_token("alice", token.id)
    assert [users.login_with_token(token.text, NOW) is not None for token in tokens] == [False, True, True]
    now += KEPT_SECONDS
    assert not any(users.login_with_token(token.text, NOW) for token in tokens)
    token, alice = users.add_token("alice", "", NOW), Target(BanKind.USER, "alice")

    def is_closed() -> bool:
        found = users.login_with_token(token.text, NOW)
        return found is not None and found.closed(NOW) is not None

    assert not is_closed()
    users.ban(alice, None, "", "root", NOW)
    assert is_closed()
    users.lift(alice, "root")
    assert not is_closed()
    other.ban(alice, None, "", "root", NOW)
    now += KEPT_SECONDS
    assert is_closed()
