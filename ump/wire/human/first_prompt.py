"""The first prompt: the rooms, and what a person may type to choose a name and a room."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from ump.model.choices import did_you_mean, either
from ump.model.value import value
from ump.report.text import columns
from ump.rules.ruleset import Length
from ump.wire.dialect import RoomInfo
from ump.wire.session import Introduction
from ump.wire.text import MAX_NAME, WireError, check_name
from ump.wire.ump01.hello_options import read_introduction

LENGTHS = {Length.KYOKU: "one kyoku", Length.TONPU: "East round", Length.HANCHAN: "East and South round"}
"""The lengths of games in words."""

HELLO = "hello"

_GREETINGS = frozenset((HELLO, "hi", "hey", "hallo", "yo", "start", "play", "ok", "yes", "y", "login"))
"""Words that somebody may type first without meaning a name."""

_LIKELY_NAME = re.compile(r"[^\W\d_][\w.-]*(?: [\w.-]+)?")


@value
class Arrival:
    """A complete introduction, with the options of the hello: language and colour are among them."""

    introduction: Introduction
    options: tuple[tuple[str, str], ...] = ()


@value
class NotYet:
    """What is wrong with a line, or missing: a sentence."""

    why: str
    proposed: str | None = None
    """A name that the line seems to give."""


Entry: TypeAlias = Arrival | NotYet


def rooms_lines(rooms: Sequence[RoomInfo]) -> list[str]:
    """Return a table of the rooms."""
    return [f"  {line}" for line in columns([_row(room) for room in rooms])] if rooms else []


def _row(room: RoomInfo) -> tuple[str, ...]:
    bots = "with bots" if room.bots == room.ruleset.seats - 1 else "four people"
    if 0 < room.bots < room.ruleset.seats - 1:
        bots = f"at least {room.ruleset.seats - room.bots} people"
    time = f"{room.move:g}+{room.bank:g} seconds"
    return room.name, LENGTHS[room.ruleset.length], f"rules {room.ruleset.name}", bots, time


def welcome_lines(rooms: Sequence[RoomInfo], name: str | None) -> list[str]:
    """Return the welcome: the rooms, and what to type. ``name`` is proposed."""
    lines = ["Welcome to ump, a riichi mahjong server. You play against bots or people.", "", "Rooms:"]
    lines += rooms_lines(rooms)
    return [*lines, "", *what_to_type(rooms, name)]


def what_to_type(rooms: Sequence[RoomInfo], name: str | None) -> list[str]:
    """Return what can be typed at the first prompt."""
    first = rooms[0].name if rooms else "the first room"
    other = rooms[-1].name if rooms else "main"
    rows = [
        ("Enter", f"play in room {first} as {name or 'a guest'}"),
        ("alice", f"play in room {first} as alice"),
        (f"alice {other}", f"the same in room {other}; the name of a room alone works too"),
        (f"watch {first}", "see a game there"),
        ("rooms, help, bye", "also color on, lang ja"),
    ]
    return ["Type one of these, then Enter:", *(f"  {line}" for line in columns(rows))]


def likely_name(text: str) -> str | None:
    """Return the name that a first line probably is, or None."""
    if text.lower() in _GREETINGS or not _LIKELY_NAME.fullmatch(text):
        return None
    return text if len(text) <= MAX_NAME else None


def read_entry(text: str, rooms: Sequence[RoomInfo], name: str | None) -> Entry:
    """Return what a line at the first prompt means; ``name`` is the one proposed before."""
    names = {room.name.lower(): room.name for room in rooms}
    words = text.split()
    if not words:
        return Arrival(Introduction(name=name))
    if words[0].lower() == "watch":
        return _read_watch(" ".join(words[1:]), names)
    if any("=" in word for word in words):
        return _read_options(words, names)
    if text.lower() in _GREETINGS:
        return NotYet("Hello! Type a name, or only Enter.")
    if text.lower() in names:
        return Arrival(Introduction(name=name, room=names[text.lower()]))
    last = words[-1].lower()
    if len(words) > 1 and last in names:
        return _named(" ".join(words[:-1]), names[last])
    if len(words) > 1 and did_you_mean(last, names):
        return NotYet(_no_room(words[-1], names))
    return _named(text, None)


def _named(name: str, room: str | None) -> Entry:
    try:
        return Arrival(Introduction(name=check_name(name, "a name"), room=room))
    except WireError as error:
        return NotYet(f"Not a name: {error}.")


def _read_watch(room: str, names: dict[str, str]) -> Entry:
    if not room and names:
        room = next(iter(names))
    if room.lower() not in names:
        return NotYet(_no_room(room, names))
    return Arrival(Introduction(watch=names[room.lower()]))


def _read_options(words: list[str], names: dict[str, str]) -> Entry:
    """Read a hello with options, which may be incomplete."""
    given = words[1:] if words[0].lower() == HELLO else words
    if words[0].lower() != HELLO:
        return NotYet("Options stand after hello, as in: hello name=alice _room=main")
    options = dict(word.split("=", 1) for word in given if "=" in word)
    plain = [word for word in given if "=" not in word]
    if plain:
        name = " ".join([options.get("name", ""), *plain]).strip()
        return NotYet(f"A name of several words stands alone; type it without hello: {name}", likely_name(name))
    try:
        introduction = read_introduction(options)
    except WireError as error:
        return NotYet(f"That hello has a mistake: {error}.")
    for room in (introduction.room, introduction.watch):
        if room is not None and names and room not in names.values():
            return NotYet(_no_room(room, names))
    if introduction.watch is not None and not names:
        return NotYet("There is nothing to watch here.")
    return Arrival(introduction, tuple(options.items()))


def _no_room(room: str, names: dict[str, str]) -> str:
    if not names:
        return "There is nothing to watch here."
    return f"There is no room {room[:MAX_NAME]}{did_you_mean(room, names.values())}; choose {either(names.values())}."
