"""Options and files of rooms: which value wins, and messages for mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ump.host.bot_delay import NO_DELAY, BotDelay
from ump.net.config import (
    DEFAULT_ROOM,
    HOUSE_AFTER,
    BotSeats,
    ConfigError,
    RoomOptions,
    all_room_settings,
    read_room_options,
    room_settings,
)
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Kuikae, Length
from ump.table.clock import TimeControl
from ump.table.outcomes import Faults

ALL = {
    "rules": "mleague",
    "set": ["kuikae=allowed"],
    "length": "tonpu",
    "time": "5+15",
    "house": ["efficiency:1", "tsumogiri:2"],
    "house_after": 7,
    "bot_delay": "0.3-1.2",
    "ask_all": True,
    "faults": "chombo",
}


def file(folder: Path, text: str) -> str:
    """Write a file and return its path."""
    path = folder / "rooms.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_room_without_options() -> None:
    """A room without options plays the default rules with the default time, without built-in bots."""
    room = room_settings("x")
    assert (room.ruleset, room.times, room.house) == (PRESETS["ump"], TimeControl(), ())
    assert (room.house_after, room.ask_all, room.faults) == (HOUSE_AFTER, False, Faults.DEFAULT)
    assert room.bot_delay == NO_DELAY


def test_all_keys() -> None:
    """Each key sets its field."""
    room = room_settings("x", read_room_options(ALL))
    assert room.ruleset.name == "mleague*"
    assert (room.ruleset.kuikae, room.ruleset.length) == (Kuikae.ALLOWED, Length.TONPU)
    assert room.times == TimeControl(5, 15)
    assert room.house == (BotSeats("efficiency", 1), BotSeats("tsumogiri", 2))
    assert (room.house_after, room.ask_all, room.faults) == (7, True, Faults.CHOMBO)
    assert room.bot_delay == BotDelay(0.3, 1.2)


def test_the_most_specific_value_wins() -> None:
    """Values of an earlier layer win; changes of rules add up."""
    own = RoomOptions(changes=("kuitan=no",), house=())
    shared = RoomOptions(rules="mleague", changes=("kuitan=yes", "kiriage=no"), house=(BotSeats("tsumogiri", 3),))
    room = room_settings("x", own, RoomOptions(length="tonpu"), shared)
    assert (room.ruleset.kuitan, room.ruleset.kiriage, room.ruleset.length) == (False, False, Length.TONPU)
    assert room.house == ()


def test_without_a_file() -> None:
    """Without a file there is one room, with the options."""
    assert all_room_settings(RoomOptions(rules="tenhou"), None) == (
        room_settings(DEFAULT_ROOM, RoomOptions(rules="tenhou")),
    )


def test_a_file_of_rooms(tmp_path: Path) -> None:
    """A room's own values win over the options, and these over the file's values for all rooms."""
    path = file(
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
    )
    main, second = all_room_settings(RoomOptions(rules="tenhou", length="tonpu"), path)
    assert (main.name, second.name) == ("main", "Open-2")
    assert (main.ruleset.name, second.ruleset.name) == ("tenhou", "mleague")
    assert main.ruleset.length is second.ruleset.length is Length.TONPU
    assert main.times == second.times == TimeControl(60, 600)
    assert (main.house, second.house) == ((BotSeats("efficiency", 3),), ())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"hose": []},
            "hose: unknown key; choose from rules, set, length, time, house, house_after, bot_delay, ask_all, faults",
        ),
        ({"rules": 1}, "rules: 1 is not a text in quotes"),
        ({"set": "kuitan=no"}, "set: 'kuitan=no' is not a list of texts, as in [\"...\"]"),
        ({"set": [1]}, "set: 1 is not a text in quotes"),
        ({"house": ["efficiency"]}, "house: 'efficiency'; expected KIND:N with N from 1 to 9, as in tsumogiri:3"),
        ({"house": ["efficiency:0"]}, "house: 'efficiency:0'; expected KIND:N with N from 1 to 9, as in tsumogiri:3"),
        (
            {"house": ["mortal:3"]},
            "house: unknown built-in bot 'mortal'; choose tsumogiri or efficiency, "
            "or mjai:COMMAND or mjai-lines:COMMAND",
        ),
        ({"house_after": -1}, "house_after: -1; expected a number of seconds, 0 or more"),
        ({"house_after": float("nan")}, "house_after: nan; expected a number of seconds, 0 or more"),
        ({"house_after": True}, "house_after: True; expected a number of seconds, 0 or more"),
        ({"bot_delay": 0.5}, "bot_delay: 0.5 is not a text in quotes"),
        (
            {"bot_delay": "2-1"},
            "bot_delay: '2-1': the first number is larger than the second; write least-most as in 0.3-1.2",
        ),
        ({"ask_all": 1}, "ask_all: 1; expected true or false"),
        ({"faults": False}, "faults: False is not a text in quotes"),
        ({"faults": "die"}, "faults: unknown faults policy 'die'; choose default, chombo or abort"),
    ],
)
def test_invalid_values(given: dict[str, object], message: str) -> None:
    """An unknown key or an invalid value is refused with a message that says what is allowed."""
    with pytest.raises(ConfigError) as caught:
        read_room_options(given)
    assert str(caught.value) == message


def test_an_invalid_time() -> None:
    """The message about a time names its key."""
    with pytest.raises(ConfigError) as caught:
        read_room_options({"time": "fast"})
    assert str(caught.value).startswith("time: 'fast'")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected at least one room, as a table [rooms.NAME]"),
        ("rooms = 3", "expected at least one room, as a table [rooms.NAME]"),
        ("[rooms]\nmain = 3", "rooms.main: 3 is not a table; expected [rooms.main]"),
        (
            "[rooms.'a b']",
            "room: 'a b' is not a name; expected up to 32 letters and digits, and after the first also . _ -",
        ),
        ("[room.main]", "room: unknown key; choose from "),
        ("[rooms.main]\nhose = 1", "rooms.main: hose: unknown key; choose from "),
        ("[rooms.main]\nrules = 'foo'", "rooms.main: rules: unknown preset 'foo'; choose ump, "),
        ("[rooms.main]\nset = ['kuikae=x']", "rooms.main: set: kuikae='x': expected "),
        (
            "bot_delay = '0.3-6'\n[rooms.main]\n[rooms.fast]\ntime = '5+10'",
            "rooms.fast: bot_delay: 6 seconds; the time 5+10 leaves 5 for each move",
        ),
        ("[rooms", "Expected ']' at the end of a table declaration"),
    ],
)
def test_invalid_files(tmp_path: Path, text: str, message: str) -> None:
    """The message is one line that names the file, the room and the key."""
    path = file(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        all_room_settings(RoomOptions(), path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_unreadable_files(tmp_path: Path) -> None:
    """The message names a file that is missing, a folder or not UTF-8, and the reason."""
    (tmp_path / "bytes").write_bytes(b"\xff")
    for name, reason in (("absent", "No such file or directory"), ("", "Is a directory"), ("bytes", "'utf-8' codec")):
        with pytest.raises(ConfigError) as caught:
            all_room_settings(RoomOptions(), str(tmp_path / name))
        assert str(caught.value).startswith(f"{tmp_path / name}: {reason}")
