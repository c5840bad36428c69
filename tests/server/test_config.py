"""Options and files of the server: which value wins, and messages for mistakes."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.net.bot_commands import BotSeats
from ump.net.connection_budget import Budget
from ump.net.limits import Limits
from ump.players.hints import HintScope
from ump.players.policy import POLICIES
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Kuikae, Length
from ump.server.config import Given, read_command_line, read_table, room_settings, server_settings
from ump.server.settings import (
    ROOM_OPTIONS,
    ConfigError,
    RoomSettings,
    ServerOption,
    ServerSettings,
    Spectating,
    all_options,
)
from ump.table.clock import NO_DELAY, BotDelay, TimeControl
from ump.table.journal_entries import Faults

ALL = {
    "rules": "mleague",
    "set": ["kuikae=allowed"],
    "length": "tonpu",
    "time": "5+15",
    "house": ["efficiency:1", "tsumogiri:2"],
    "house_after": 7,
    "bot_delay": "0.3-1.2",
    "grace": 30,
    "takeover": "efficiency",
    "ask_all": True,
    "hints": "none",
    "duplicate": True,
    "access": "users+code:Sakura7",
    "one_per_owner": True,
    "rated": False,
    "rated_every": 600,
    "spectating": "none",
    "review": "none",
    "refusals": 20,
    "faults": "chombo",
}


def values(**given: object) -> Given:
    """Read options of a room, with keys and values as in a file."""
    return read_table(given, ROOM_OPTIONS, "")


def settings(folder: Path, text: str, **options: str) -> ServerSettings:
    """Return the settings for a file with this text, and for options of the command line."""
    path = folder / "ump.toml"
    path.write_text(text, encoding="utf-8")
    texts = {name.replace("_", "-"): [value] for name, value in options.items()}
    return server_settings(read_command_line({"config": [str(path)], **texts}, all_options()))


def rooms(folder: Path, text: str, **options: str) -> tuple[RoomSettings, ...]:
    """Return the rooms of those settings."""
    return settings(folder, text, **options).rooms


def test_a_room_without_options() -> None:
    """A room without options plays the default rules with the default time, without built-in bots."""
    room = room_settings("x")
    assert (room.ruleset, room.times, room.house) == (PRESETS["ump"], TimeControl(), ())
    assert (room.house_after, room.table.ask_all, room.table.faults) == (3.0, False, Faults.DEFAULT)
    assert room.table.bot_delay == NO_DELAY
    assert room.table.hints is HintScope.FACTS


def test_all_keys_of_a_room() -> None:
    """Each key sets its field."""
    assert set(ALL) == {option.key for option in ROOM_OPTIONS}
    room = room_settings("x", values(**ALL))
    assert room.ruleset.name == "mleague*"
    assert (room.ruleset.kuikae, room.ruleset.length) == (Kuikae.ALLOWED, Length.TONPU)
    assert room.times == TimeControl(5, 15)
    assert room.house == (BotSeats("efficiency", 1), BotSeats("tsumogiri", 2))
    assert (room.house_after, room.table.ask_all, room.table.faults) == (7, True, Faults.CHOMBO)
    assert room.table.refusals == 20
    assert room.duplicate
    assert room.one_per_owner
    assert (room.spectators, room.review) == (Spectating(is_allowed=False), "none")
    assert room.table.bot_delay == BotDelay(0.3, 1.2)
    assert room.table.hints is HintScope.NONE
    assert (room.table.grace, room.table.takeover) == (30.0, "efficiency")


@each_row(
    ("written", "same"),
    [
        ({"bot_delay": 0.5}, {"bot_delay": "0.5"}),
        ({"set": "kuitan=no"}, {"set": ["kuitan=no"]}),
        ({"house": "efficiency:3"}, {"house": ["efficiency:3"]}),
        ({"house": "none"}, {"house": []}),
        ({"house": ["tsumogiri:1", "none", "efficiency:2"]}, {"house": ["efficiency:2"]}),
        ({"house_after": 7}, {"house_after": 7.0}),
        ({"length": "one_kyoku"}, {"length": "kyoku"}),
    ],
)
def test_two_ways_to_write_a_value(written: dict[str, object], same: dict[str, object]) -> None:
    """A repeatable option takes one value or a list; ``none`` stands for an empty list."""
    assert room_settings("x", values(**written)) == room_settings("x", values(**same))


def test_the_most_specific_value_wins() -> None:
    """Values of an earlier layer win; changes of rules add up."""
    own = values(set=["kuitan=no"], house=[])
    shared = values(rules="mleague", set=["kuitan=yes", "kiriage=no"], house=["tsumogiri:3"])
    room = room_settings("x", own, values(length="tonpu"), shared)
    assert (room.ruleset.kuitan, room.ruleset.kiriage, room.ruleset.length) == (False, False, Length.TONPU)
    assert room.house == ()


def test_the_room_for_tests_stays_one(tmp_path: Path) -> None:
    """A file that names the room of ``/ws/validate`` changes what it says, and no more."""
    text = 'house = ["efficiency:3"]\nduplicate = true\n[rooms.main]\n[rooms.validate]\ntime = "1+1"\n'
    main, tested = rooms(tmp_path, text)
    assert (main.house, main.duplicate) == ((BotSeats("efficiency", 3),), True)
    assert (tested.house, tested.house_after, tested.duplicate) == ((BotSeats("tsumogiri", 3),), 0, False)
    assert (tested.ruleset.length, tested.times) == (Length.TONPU, TimeControl.parse("1+1"))
    assert rooms(tmp_path, text + 'house = ["defensive:1"]\n')[1].house == (BotSeats("defensive", 1),)


def test_a_file_of_rooms(tmp_path: Path) -> None:
    """A room's own values win over the options, and these over the file's values for all rooms."""
    main, second = rooms(
        tmp_path,
        """
        time = "60+600"
        rules = "classic"
        house = ["efficiency:3"]
        [rooms.main]
        [rooms.Open-2]
        rules = "mleague"
        house = []
        """,
        rules="tenhou",
        length="tonpu",
    )
    assert (main.name, second.name) == ("main", "Open-2")
    assert (main.ruleset.name, second.ruleset.name) == ("tenhou", "mleague")
    assert main.ruleset.length is second.ruleset.length is Length.TONPU
    assert main.times == second.times == TimeControl(60, 600)
    assert (main.house, second.house) == ((BotSeats("efficiency", 3),), ())


def test_a_file_without_rooms(tmp_path: Path) -> None:
    """A file without rooms is for one room, which it may name."""
    assert rooms(tmp_path, "") == (room_settings("main"),)
    assert rooms(tmp_path, "rules = 'wrc'\nroom = 'x'") == (room_settings("x", values(rules="wrc")),)
    assert [room.name for room in rooms(tmp_path, "room = 'x'", room="y")] == ["y"]


def test_a_file_for_the_server(tmp_path: Path) -> None:
    """All options of the server can stand in the file; those of the command line win over it."""
    text = f"""
        listen = ["tcp:19001", "tcp6:19002"]
        majiang = 19003
        http = "none"
        games = 5
        seed = "file"
        log_dir = "{tmp_path}/logs"
        connections = 10
        per_host = 9
        newcomers = 8
        children = 7
        [rooms.main]
        """
    read = settings(tmp_path, text)
    assert [(port.option, port.endpoint) for port in read.ports] == [
        ("listen", "tcp:19001"),
        ("listen", "tcp6:19002"),
        ("mjai", "tcp:11600:interface=127.0.0.1"),
        ("majiang", "tcp:19003:interface=127.0.0.1"),
    ]
    assert (read.games, read.seed, read.log_folder) == (5, "file", tmp_path / "logs")
    assert read.limits == Limits(Budget(10, 9, 8), children=7)
    changed = settings(
        tmp_path, text, listen="19005", mjai="none", majiang="none", http="8080", games="0", seed="line", children="6"
    )
    assert [(port.option, port.endpoint) for port in changed.ports] == [
        ("listen", "tcp:19005:interface=127.0.0.1"),
        ("http", "tcp:8080:interface=127.0.0.1"),
    ]
    assert (changed.games, changed.seed, changed.limits.children, changed.limits.budget.per_host) == (0, "line", 6, 9)


@each_row(
    ("given", "message"),
    [
        (
            {"hose": []},
            "unknown key 'hose' (did you mean house?); choose rules, set, length, time, house, house_after, bot_delay, "
            "grace, takeover, faults, refusals, ask_all, hints, duplicate, access, one_per_owner, rated, "
            "rated_every, spectating or review",
        ),
        ({"rules": 1}, "rules: 1 is not a text in quotes"),
        ({"set": [1]}, "set: 1 is not a text in quotes"),
        ({"set": "none"}, "set: 'none': expected FIELD=VALUE"),
        ({"house": ["efficiency"]}, "house: 'efficiency' names no bots; expected KIND:N with N from 1 to 9, as in "),
        ({"house": ["efficiency:0"]}, "house: 'efficiency:0' names no bots; expected KIND:N with N from 1 to 9, as in"),
        (
            {"house": ["effiency:3"]},
            f"house: unknown built-in bot 'effiency' (did you mean efficiency?); choose {', '.join(POLICIES)}, "
            "mjai:COMMAND, mjai-lines:COMMAND, "
            "mjai-nukidora:COMMAND or mjai-lines-nukidora:COMMAND",
        ),
        ({"house_after": -1}, "house_after: -1 is not a number of seconds, 0 or more"),
        ({"house_after": float("nan")}, "house_after: nan is not a number of seconds, 0 or more"),
        ({"house_after": True}, "house_after: true is not a number of seconds, 0 or more"),
        ({"bot_delay": True}, "bot_delay: true is not a text in quotes"),
        (
            {"bot_delay": "2-1"},
            "bot_delay: '2-1': the first number is larger than the second; write least-most as in 0.3-1.2",
        ),
        ({"ask_all": 1}, "ask_all: 1 is neither true nor false"),
        ({"faults": False}, "faults: false is not a text in quotes"),
        ({"faults": "abrt"}, "faults: unknown faults policy 'abrt' (did you mean abort?); choose default, chombo or"),
        ({"time": "fast"}, "time: 'fast' is not a time control; write "),
        ({"time": ["x" * 100]}, f"time: ['{'x' * 58}... is not a text in quotes"),
    ],
)
def test_invalid_values(given: dict[str, object], message: str) -> None:
    """An unknown key or an invalid value is refused with a message that says what is allowed."""
    with pytest.raises(ConfigError) as caught:
        values(**given)
    assert str(caught.value).startswith(message)


@each_row(
    ("text", "message"),
    [
        ("rooms = 3", "rooms is not allowed here; expected options and tables [rooms.NAME]"),
        ("[room.main]", "the table 'room' is not allowed here; expected options and tables [rooms.NAME]"),
        ("[rooms]\nmain = 3", "rooms.main is not a table; expected [rooms.main]"),
        (
            "[rooms.'a b']",
            "rooms: 'a b' is not a room's name; expected up to 32 letters and digits, and after the first also . _ -",
        ),
        ("listn = 19000", "unknown key 'listn' (did you mean listen?)"),
        ("config = 'x'", "unknown key 'config'; choose listen, "),
        ("listen = 70000", "listen: '70000' is not a port; expected a number from 0 to 65535"),
        ("listen = true", "listen: true is not a port or an endpoint; expected a port, as in 19000, or an endpoint, "),
        ("hello_time = 0", "hello_time: 0 is not a whole number from 1 to 3600"),
        ("line_length = 255", "line_length: 255 is not a whole number from 256 to 16384"),
        ("message_length = 65537", "message_length: 65537 is not a whole number from 1024 to 65536"),
        ("unread = 15", "unread: 15 is not a whole number from 16 to 65536"),
        ("idle_lines = 9", "idle_lines: 9 is not a whole number from 10 to 100000"),
        ("refusals = -1", "refusals: -1 is not a whole number from 0 to "),
        ("games = '5'", "games: '5' is not a whole number from 0 to 999999999"),
        ("room = 'a'\n[rooms.main]", "room: 'a' would name the only room, but "),
        ("[rooms.main]\nhose = 1", "rooms.main: unknown key 'hose' (did you mean house?); choose rules, "),
        ("[rooms.main]\nlisten = 1", "rooms.main.listen: this key is for the whole server; move it above all [rooms."),
        ("[rooms.main]\nrules = 'foo'", "rooms.main.rules: unknown preset 'foo'; choose ump, "),
        ("[rooms.main]\nset = ['kuikae=x']", "rooms.main.set: kuikae='x': expected "),
        (
            "[rooms.main]\nset = ['kan-dora=no']",
            "rooms.main.set: the rules contradict each other: kan-ura=yes requires kan-dora=yes",
        ),
        (
            "set = ['kan-dora=no']\n[rooms.a]\n[rooms.b]",
            "set: the rules contradict each other: kan-ura=yes requires kan-dora=yes",
        ),
        (
            "bot_delay = '0.3-6'\n[rooms.main]\n[rooms.fast]\ntime = '5+10'",
            "bot_delay: 6 seconds are too long for the room fast, because its time 5+10 leaves 5 for each move",
        ),
        ("site = 'x.sqlite'", "site: a site is in PostgreSQL; expected postgresql://USER@HOST/DATABASE"),
        ("\n[rooms.a\n", "not valid TOML: Expected ']' at the end of a table declaration (at line 2, column 9)"),
        (f"games = {'9' * 5_000}", "not valid TOML: "),
        (f"games = 0x{'9' * 5_000}", "games: "),
        (f"set = {'[' * 5_000}", "not valid TOML: "),
        ("listen = 'none'\nmjai = 'none'\nhttp = []", None),
    ],
)
def test_invalid_files(tmp_path: Path, text: str, message: str | None) -> None:
    """The message is one line that names the file, the room and the key."""
    with pytest.raises(ConfigError) as caught:
        settings(tmp_path, text)
    expected = f"{tmp_path}/ump.toml: {message}" if message else "no port is open: all of them are none; expected at "
    assert str(caught.value).startswith(expected)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("option", ["log-dir", "trace"])
def test_new_folders_are_for_the_server_alone(tmp_path: Path, option: str) -> None:
    """A folder that will hold the hands of running games is made at the start, and nobody else can read it."""
    folder = tmp_path / "new"
    server_settings(read_command_line({option: [str(folder)]}, all_options()))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_unreadable_files(tmp_path: Path) -> None:
    """The message names a file that is missing, a folder or not UTF-8, and the reason."""
    for name, reason in (("absent", "No such file or directory"), ("", "Is a directory")):
        path = str(tmp_path / name)
        with pytest.raises(ConfigError) as caught:
            server_settings(read_command_line({"config": [path]}, all_options()))
        assert str(caught.value).startswith("--config: '/")
        assert str(caught.value).endswith(f" cannot be read ({reason}); expected a TOML file")
    (tmp_path / "ump.toml").write_bytes(b"# one\n# \xff")
    with pytest.raises(ConfigError) as caught:
        server_settings(read_command_line({"config": [str(tmp_path / "ump.toml")]}, all_options()))
    assert str(caught.value) == f"{tmp_path}/ump.toml: line 2 is not UTF-8 text"


any_toml = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(
    option=st.sampled_from(all_options()),
    raw=any_toml | st.from_regex(r"(tcp|tls|unix|ssl|haproxy|systemd|efficiency|mjai|kuitan)[:=*].*"),
)
def test_any_value_is_read_or_refused_in_one_line(option: ServerOption[object], raw: object) -> None:
    """No value of a file, and no text of a command line, raises another error or gives a message of several lines."""
    for read in (
        lambda: read_table({option.key: raw}, [option], "x: "),
        lambda: read_command_line({option.name: [str(raw)]}, [option]),
    ):
        try:
            read()
        except ConfigError as error:
            assert "\n" not in str(error)
            assert option.key in str(error).replace("-", "_")


def test_spectators_of_a_duplicate_room_see_no_hands() -> None:
    """A spectator's view of one game would tell a player the walls of the next."""
    with pytest.raises(ConfigError, match=r"duplicate: spectators of the room x see all hands \(open:300\)"):
        room_settings("x", values(duplicate=True, spectating="open:300"))


def test_a_rated_room() -> None:
    """A rated room gives no hints, and has built-in bots for all seats but one."""
    settings = room_settings("x", values(rated=True, hints="advice"))
    assert (settings.rated_every, settings.house) == (1_200.0, (BotSeats("efficiency", 3),))
    assert settings.table.hints is HintScope.NONE
    settings = room_settings("x", values(rated=True, rated_every=20, rules="tenhou3"))
    assert (settings.rated_every, settings.house) == (20.0, (BotSeats("efficiency", 2),))
    assert not room_settings("x", values(rated_every=20)).rated


@each_row(
    ("given", "reason"),
    [
        ({"duplicate": True}, "its walls are played again"),
        ({"faults": "abort"}, "its faults end games without a result"),
        ({"house": ["efficiency:3", "mjai:alpha=true"]}, "its bots include programs"),
        ({"house": ["efficiency:2"]}, "it has 2 built-in bots; expected 3 or more"),
        ({"rated_every": 4}, "its rounds begin every 4 seconds; expected 5 or more"),
    ],
)
def test_rooms_that_cannot_be_rated(given: dict[str, object], reason: str) -> None:
    """Settings that would spoil ratings are refused."""
    with pytest.raises(ConfigError, match=f"rated: the room x cannot be rated: {reason}"):
        room_settings("x", values(rated=True, **given))


def test_a_rated_room_needs_records(tmp_path: Path) -> None:
    """Ratings are computed from records."""
    with pytest.raises(ConfigError, match="the room main is rated, which needs records"):
        settings(tmp_path, 'rated = true\nrecord_dir = "none"')


@pytest.mark.parametrize(
    ("text", "place"),
    [('access = "users"', "access"), ('[rooms.a]\n[rooms.b]\naccess = "users+code:x"', "rooms.b.access")],
)
def test_a_room_that_nobody_could_enter(tmp_path: Path, text: str, place: str) -> None:
    """A room for users needs a server that knows some."""
    message = rf"ump.toml: {place}: nobody could enter the room \w+, because the server knows no users \(--users\)"
    with pytest.raises(ConfigError, match=message):
        settings(tmp_path, text)


def test_a_byte_order_mark(tmp_path: Path) -> None:
    """Editors of Windows begin a file with it."""
    assert settings(tmp_path, "\ufeffgames = 5").games == 5


@each_row(
    ("text", "options", "message"),
    [
        ("", {"index": "postgresql://ump@db/ump", "record_dir": "none"}, "--index: .* no game is recorded"),
        ('index = "postgresql://ump@db/ump"\nrecord_dir = "none"', {}, "ump.toml: index: .* no game is recorded"),
        ('record_dir = "none"', {"sync": "always"}, "--sync: .* no game is recorded"),
        ("", {"log_size": "20"}, "--log-size: .* there is no --log-file"),
        ("users = 'u'", {"site": "postgresql:///x"}, "ump.toml: users: .* --site has users and index"),
        ('index = "i"\nsite = "postgresql:///x"', {}, "ump.toml: index: .*ump.toml: site has users and index"),
        ("log_files = 3", {}, "ump.toml: log_files: .* there is no --log-file"),
        ("register = 'open'", {}, "ump.toml: register: .* the server knows no users"),
        ('http_name = ["ump.example"]\nhttp = "none"', {}, "ump.toml: http_name: .* there is no HTTP port"),
        ("no_pages = true", {"http": "none"}, None),
        ('status_for = ["10.0.0.0/8"]\nhttp = "none"', {}, "ump.toml: status_for: .* there is no HTTP port"),
        ("[rooms.a]\nrated_every = 60\n", {}, "ump.toml: rooms.a.rated_every: .* no room is rated"),
    ],
)
def test_an_option_without_effect(tmp_path: Path, text: str, options: dict[str, str], message: str | None) -> None:
    """It is refused, with the reason, unless a more specific place switches off the part that it belongs to."""
    if message is None:
        settings(tmp_path, text, **options)
        return
    with pytest.raises(ConfigError, match=message) as refused:
        settings(tmp_path, text, **options)
    assert ": this has no effect, because " in str(refused.value)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('index = "postgresql://ump@db/ump"', {"record_dir": "none"}),
        ("rated_every = 60\n[rooms.a]\nrated = true\n[rooms.b]\n", {}),
        ("users = 'users.sqlite'\nregister = 'open'", {"users": "none"}),
        ('sync = "kyoku"\nrecord_dir = "none"\nno_pages = false\nhttp = "none"', {}),
        ("index = 'a path'\nsite = 'too'", {"index": "none", "site": "none"}),
        ("log_dir = '/dev/null'\nlog_file = '/dev/null/a'\nlog_size = 5", {"log_dir": "none", "log_file": "none"}),
    ],
)
def test_options_that_have_an_effect_somewhere(tmp_path: Path, text: str, options: dict[str, str]) -> None:
    """An option for all rooms is useful if it is in one; the command line may switch off a part of a file."""
    settings(tmp_path, text, **options)
