"""Rooms as the operator describes them: which place goes before which, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

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
from ump.table.faults import Faults

ALL = {
    "rules": "mleague",
    "set": ["kuikae=allowed"],
    "length": "tonpu",
    "time": "5+15",
    "house": ["efficiency:1", "tsumogiri:2"],
    "house_after": 7,
    "ask_all": True,
    "faults": "chombo",
}


def file(folder: Path, text: str) -> str:
    """Write a file and return its path."""
    path = folder / "rooms.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_room_of_which_nothing_is_said() -> None:
    """It plays the default rules, with the default time, without house players."""
    room = room_settings("x")
    assert (room.ruleset, room.times, room.house) == (PRESETS["ump"], TimeControl(), ())
    assert (room.house_after, room.ask_all, room.faults) == (HOUSE_AFTER, False, Faults.DEFAULT)


def test_everything_that_can_be_said() -> None:
    """Each word has its field."""
    room = room_settings("x", read_room_options(ALL))
    assert room.ruleset.name == "mleague*"
    assert (room.ruleset.kuikae, room.ruleset.length) == (Kuikae.ALLOWED, Length.TONPU)
    assert room.times == TimeControl(5, 15)
    assert room.house == (BotSeats("efficiency", 1), BotSeats("tsumogiri", 2))
    assert (room.house_after, room.ask_all, room.faults) == (7, True, Faults.CHOMBO)


def test_the_closest_word_holds() -> None:
    """What is said first goes before what is said later; changes of rules come together."""
    own = RoomOptions(changes=("kuitan=no",), house=())
    shared = RoomOptions(rules="mleague", changes=("kuitan=yes", "kiriage=no"), house=(BotSeats("tsumogiri", 3),))
    room = room_settings("x", own, RoomOptions(length="tonpu"), shared)
    assert (room.ruleset.kuitan, room.ruleset.kiriage, room.ruleset.length) == (False, False, Length.TONPU)
    assert room.house == ()


def test_without_a_file() -> None:
    """There is one room, of which the options speak."""
    assert all_room_settings(RoomOptions(rules="tenhou"), None) == (
        room_settings(DEFAULT_ROOM, RoomOptions(rules="tenhou")),
    )


def test_a_file_of_rooms(tmp_path: Path) -> None:
    """A room's own words go before the options, these before what the file says for all; the order is the file's."""
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
    ("said", "complaint"),
    [
        (
            {"hose": []},
            "hose: there is no such key; there are rules, set, length, time, house, house_after, ask_all, faults",
        ),
        ({"rules": 1}, "rules: 1 is no text"),
        ({"set": "kuitan=no"}, "set: 'kuitan=no' is no list of texts"),
        ({"set": [1]}, "set: 1 is no text"),
        ({"time": "fast"}, "time: 'fast' is no time: write seconds per move + seconds per kyoku, as in 10+20"),
        ({"house": ["efficiency"]}, "house: 'efficiency': KIND:N is wanted, with N from 1 to 9"),
        ({"house": ["efficiency:0"]}, "house: 'efficiency:0': KIND:N is wanted, with N from 1 to 9"),
        ({"house": ["mortal:3"]}, "house: 'mortal:3': there is no such house player; there are tsumogiri, efficiency"),
        ({"house_after": -1}, "house_after: -1 is no number of seconds"),
        ({"house_after": float("nan")}, "house_after: nan is no number of seconds"),
        ({"house_after": True}, "house_after: True is no number of seconds"),
        ({"ask_all": 1}, "ask_all: 1 is neither true nor false"),
        ({"faults": False}, "faults: False is no text"),
        ({"faults": "die"}, "faults: 'die' is nothing that is made of faults; there are default, chombo, abort"),
    ],
)
def test_what_cannot_be_said(said: dict[str, object], complaint: str) -> None:
    """A word that is unknown or of no use is refused with what would be."""
    with pytest.raises(ConfigError) as caught:
        read_room_options(said)
    assert str(caught.value) == complaint


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "there is no room in it; each is a table [rooms.NAME]"),
        ("rooms = 3", "there is no room in it; each is a table [rooms.NAME]"),
        ("[rooms]\nmain = 3", "rooms.main: a table is wanted: [rooms.main]"),
        ("[rooms.'a b']", "room 'a b': a name has up to 32 letters, digits, and after the first of these . _ -"),
        ("[room.main]", "room: there is no such key; "),
        ("[rooms.main]\nhose = 1", "rooms.main: hose: there is no such key; "),
        ("[rooms.main]\nrules = 'foo'", "rooms.main: no preset 'foo'; there are ump, "),
        ("[rooms.main]\nset = ['kuikae=x']", "rooms.main: kuikae='x': allowed is "),
        ("[rooms", "Expected ']' at the end of a table declaration"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, text: str, complaint: str) -> None:
    """The complaint is one line that names the file, the room and the word."""
    path = file(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        all_room_settings(RoomOptions(), path)
    assert str(caught.value).startswith(f"{path}: {complaint}")
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A file that is not there, is a folder, or is no text is named with the reason."""
    (tmp_path / "bytes").write_bytes(b"\xff")
    for name, reason in (("absent", "No such file or directory"), ("", "Is a directory"), ("bytes", "'utf-8' codec")):
        with pytest.raises(ConfigError) as caught:
            all_room_settings(RoomOptions(), str(tmp_path / name))
        assert str(caught.value).startswith(f"{tmp_path / name}: {reason}")
