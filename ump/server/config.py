"""Reads the settings of a server: the command line, and the TOML file that it may name.

The keys of the file are the names of the options: ``house_after`` in the file is the option ``--house-after``. For the
server the command line wins over the file. For a room the most specific value wins: the room's own table in the file,
then the command line, then the values above the rooms, then the defaults.

    http = "none"
    time = "60+600"             # for all rooms of this file
    house = ["efficiency:3"]

    [rooms.main]                # the first room is for clients that name none

    [rooms.league]
    rules = "mleague"
    set = ["kuitan=no"]
    house = []
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from ump.database.database import DatabasePlace
from ump.model.choices import closest, quoted, unknown
from ump.model.setting import key_of, setting_of
from ump.model.value import value
from ump.net.bot_commands import BotSeats
from ump.net.dialects import DIALECTS, HTTP, port_options
from ump.net.endpoints import LOCAL
from ump.net.limits import Limits
from ump.players.hints import HintScope
from ump.rules.options import RuleChange, RulesetError
from ump.server.ladder import ANCHOR
from ump.server.settings import (
    ROOM_OPTIONS,
    TEST_ROOM,
    ConfigError,
    ListeningPort,
    Registration,
    RoomSettings,
    RoomSource,
    Scope,
    ServerOption,
    ServerSettings,
    all_options,
    port_option,
    read_room_name,
    rooms_of_paths,
)
from ump.server.users.user_service import open_users, read_provider
from ump.table.journal_entries import Faults
from ump.wire.dialect import DefaultPort, Dialect, PortOption

T = TypeVar("T")

MIN_RATED_EVERY = 5
"""The fewest seconds between two rounds of a rated room."""

ROOMS = "rooms"
"""The key of the file that holds the tables of the rooms."""

PARTS: Mapping[str, tuple[Callable[[ServerSettings], bool], str]] = {
    "record_dir": (lambda settings: settings.record_folder is not None, "no game is recorded (--record-dir none)"),
    "log_file": (lambda settings: settings.log.path is not None, "there is no --log-file"),
    "users": (lambda settings: settings.users is not None, "the server knows no users (--users)"),
    "site": (lambda settings: settings.site is not None, "the server is alone (--site)"),
    "http": (
        lambda settings: any(port.option == HTTP.name for port in settings.ports),
        "there is no HTTP port (--http none)",
    ),
    "rated": (lambda settings: any(room.rated for room in settings.rooms), "no room is rated (--rated)"),
}
"""The parts of a server that options need, by the key of the option that adds each: whether it is there, or why not."""


# The command line and tables of the file


@value
class Given:
    """The options that were given in one place: on the command line, at the top of a file, or in a room of it."""

    values: Mapping[str, Any]
    """Their values, by their keys."""
    place: str
    """Stands before a key in errors; empty on the command line."""

    def name_of(self, key: str) -> str:
        """Return how an error names an option that was given here: ``--set``, ``ump.toml: rooms.main.set``."""
        return f"{self.place}{key}" if self.place else f"--{key.replace('_', '-')}"


DEFAULT_FILE = str(files("ump.server") / "serve.toml")
"""The file of ``ump serve`` without one, with a room of bots for whoever comes."""

DESCRIBE_ROOMS = ("config", "room", "house", "rated")
"""The options with which a command line describes rooms of its own, by their keys."""

NOTHING = Given({}, "")
"""No options."""


def read_command_line(texts: Mapping[str, Sequence[str]], options: Sequence[ServerOption[Any]]) -> Given:
    """Read the options of a command line; raises ConfigError.

    ``texts`` are the values of each option that was given, by its name, in their order. If an option is not repeatable,
    the last of them counts.
    """
    values = {}
    for option in options:
        if given := texts.get(option.name):
            raw = [option.kind.from_text(each) for each in given]
            values[option.key] = _read(f"--{option.name}", option, raw if option.kind.is_repeatable else raw[-1])
    return Given(values, "")


def read_table(table: Mapping[str, object], options: Sequence[ServerOption[Any]], place: str) -> Given:
    """Read the keys and values of a table of a file; raises ConfigError. ``place`` stands before each key in errors."""
    known = {option.key: option for option in options}
    values = {}
    for key, raw in table.items():
        if key not in known:
            before = f"{place[:-1]}: " if place.endswith(".") else place
            raise ConfigError(f"{before}{unknown('key', key, known)}")
        values[key] = _read(f"{place}{key}", known[key], raw)
    return Given(values, place)


def _read(name: str, option: ServerOption[T], raw: object) -> T:
    try:
        return option.kind.read(raw)
    except ValueError as error:
        raise ConfigError(f"{name}: {error}") from error


def unknown_option(name: str, options: Sequence[ServerOption[Any]]) -> str:
    """Return the error about an option of the command line that does not exist."""
    meant = closest(name.lstrip("-"), (option.name for option in options))
    hint = "" if meant is None else f" (did you mean --{meant}?)"
    return f"{quoted(name)[1:-1]} is not an option{hint}; --help lists the options"


def misused_option(name: str, options: Sequence[ServerOption[Any]]) -> str:
    """Return the error about an option of the command line that lacks its value, or has one but takes none."""
    metavar = next((option.kind.metavar for option in options if f"--{option.name}" == name), "")
    return f"{name} needs a value; expected {name} {metavar}" if metavar else f"{name} takes no value"


# The file


@value
class ServerFile:
    """The content of a TOML file."""

    shared: Given
    """The values above the rooms."""
    rooms: Mapping[str, Given]
    is_default: bool = False
    """Whether it is ours. Its rated room is left out where the command line wants what no rated room can have."""


def read_file(command: Given, dialects: Sequence[Dialect]) -> ServerFile:
    """Return the content of the file that a command line names, empty without one; raises ConfigError."""
    path = command.values.get("config")
    if path is None:
        return ServerFile(NOTHING, {})
    content = _parsed(path)
    rooms = content.pop(ROOMS, {})
    table = next((key for key, raw in content.items() if isinstance(raw, dict)), None)
    if table is not None or not isinstance(rooms, dict):
        wrong = ROOMS if table is None else f"the table {quoted(table)}"
        raise ConfigError(f"{path}: {wrong} is not allowed here; expected options and tables [{ROOMS}.NAME]")
    allowed = [option for option in all_options(dialects) if option.scope is not Scope.COMMAND]
    shared = read_table(content, allowed, f"{path}: ")
    found = {name: _read_room(path, name, raw, allowed) for name, raw in rooms.items()}
    return ServerFile(shared, found, is_default=Path(path).resolve() == Path(DEFAULT_FILE).resolve())


def _parsed(path: str) -> dict[str, Any]:
    """Return the content of a TOML file; raises ConfigError."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(f"--config: {quoted(path)} cannot be read ({reason}); expected a TOML file") from error
    try:
        return tomllib.loads(content.decode("utf-8-sig"))  # editors of Windows begin a file with a byte order mark
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}: line {line} is not UTF-8 text") from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits, or 1,000 brackets, is no TOMLDecodeError
        raise ConfigError(f"{path}: not valid TOML: {error}") from error


def _read_room(path: str, name: str, raw: object, allowed: Sequence[ServerOption[Any]]) -> Given:
    """Return a room's own values in a file; raises ConfigError."""
    try:
        read_room_name(name)
    except ValueError as error:
        raise ConfigError(f"{path}: {ROOMS}: {error}") from error
    if not isinstance(raw, dict):
        raise ConfigError(f"{path}: {ROOMS}.{name} is not a table; expected [{ROOMS}.{name}]")
    place = f"{path}: {ROOMS}.{name}."
    above = {option.key for option in allowed if option.scope is Scope.SERVER}
    misplaced = next((key for key in raw if key in above), None)
    if misplaced is not None:
        raise ConfigError(f"{place}{misplaced}: this key is for the whole server; move it above all [{ROOMS}.NAME]")
    return read_table(raw, ROOM_OPTIONS, place)


# Settings from options that stand in several places, the most specific first


def read_settings(settings: Callable[..., T], layers: Sequence[Given], **known: object) -> T:
    """Return settings of this class, with the most specific value of each option; ``known`` are fields without one.

    Raises ConfigError if a value cannot be used.
    """
    for each in fields(settings):  # type: ignore[arg-type]
        about = setting_of(each)
        if about is not None and each.name not in known:
            known[each.name] = _prepared(key_of(each, about), each.default, layers, about.prepare)
        elif about is None and is_dataclass(each.default):
            known[each.name] = read_settings(type(each.default), layers)
    return settings(**known)


def _prepared(key: str, default: object, layers: Sequence[Given], prepare: Callable[[Any], Any] | None) -> object:
    """Return the field for the most specific value of an option, or its default."""
    given = _value(key, default, layers)
    if prepare is None or given is default:
        return given
    try:
        return prepare(given)
    except ValueError as error:
        raise ConfigError(f"{_place_of(key, layers)}: {error}") from error


def _value(key: str, default: T, layers: Sequence[Given]) -> T:
    """Return the most specific value of an option, or its default."""
    return next((layer.values[key] for layer in layers if key in layer.values), default)


def _place_of(key: str, layers: Sequence[Given]) -> str:
    """Return how an error names the most specific value of an option that was given."""
    return next(layer.name_of(key) for layer in layers if key in layer.values)


def server_settings(command: Given, dialects: tuple[Dialect, ...] = DIALECTS) -> ServerSettings:
    """Return the settings for the options of a command line, which may name a file.

    Creates the folders for logs and traces. Raises ConfigError.
    """
    file = read_file(command, dialects)
    layers = (command, file.shared)
    rooms = tuple(_rooms(command, file, dialects))
    ports = _ports(layers, dialects)
    limits = read_settings(Limits, layers)
    settings = read_settings(ServerSettings, layers, ports=ports, rooms=rooms, limits=limits, dialects=dialects)
    if file.is_default and settings.record_folder is None:
        rooms = tuple(room for room in rooms if not room.rated)
        settings = replace(settings, rooms=rooms)
    if settings.record_folder is not None:  # twistd changes the working directory
        settings = replace(settings, record_folder=settings.record_folder.absolute())
    unrecorded = next((room.name for room in rooms if room.rated and settings.record_folder is None), None)
    if unrecorded is not None:
        raise ConfigError(f"the room {unrecorded} is rated, which needs records: choose a --record-dir")
    if settings.site is not None:
        settings = _with_site(settings, settings.site, layers)
    elif settings.users is not None:
        open_users(settings.users, may_be_missing=settings.registration is Registration.OPEN)
    if settings.provider is not None:
        provider = settings.provider.absolute()
        read_provider(provider)
        settings = replace(settings, provider=provider)
    own = [file.rooms[room.name] for room in rooms if room.name in file.rooms]
    _refuse_idle_options(settings, (*own, *layers))
    closed = next((room for room in rooms if room.access.is_for_users and settings.users is None), None)
    if closed is not None:
        name = _place_of("access", (file.rooms.get(closed.name, NOTHING), *layers))
        raise ConfigError(f"{name}: nobody could enter the room {closed.name}, because {PARTS['users'][1]}")
    return settings


def _with_site(settings: ServerSettings, site: DatabasePlace, layers: Sequence[Given]) -> ServerSettings:
    """Return the settings of a server whose users and index are those of a site.

    Raises ConfigError if its database cannot be read now.
    """
    name = _place_of("site", layers)
    if site.path is not None:
        raise ConfigError(f"{name}: a site is in PostgreSQL; expected postgresql://USER@HOST/DATABASE")
    for key, given in (("users", settings.users), ("index", settings.index)):
        if given is not None:
            raise ConfigError(f"{_place_of(key, layers)}: this has no effect, because {name} has users and index")
    if not settings.letter:
        raise ConfigError(f"{name}: each server of a site needs a letter of its own, as in --letter a")
    open_users(site.url, name)
    return replace(settings, users=site.url, index=None if settings.record_folder is None else site)


def _refuse_idle_options(settings: ServerSettings, layers: Sequence[Given]) -> None:
    """Raise ConfigError for an option that has no effect, because the server lacks the part that it needs.

    If a more specific place says that the server lacks it, the option is no mistake: ``--record-dir none`` is a way to
    try a file that has an ``index``.
    """
    for option in (each for each in all_options(settings.dialects) if each.needs):
        has_part, why_not = PARTS[option.needs]
        for layer in () if has_part(settings) else layers:
            if layer.values.get(option.key, option.default) != option.default:
                raise ConfigError(f"{layer.name_of(option.key)}: this has no effect, because {why_not}")
            if option.needs in layer.values:
                break


def _rooms(command: Given, file: ServerFile, dialects: Sequence[Dialect]) -> Iterator[RoomSettings]:
    """Yield the settings of all rooms; the first is for clients that name none. Raises ConfigError.

    A room of the name that a path has, such as ``validate``, is a room for tests unless it says otherwise.
    """
    layers = (command, file.shared)
    source = read_settings(RoomSource, layers)
    if not file.rooms:
        yield room_settings(source.room, *layers)
        return
    named = next((layer for layer in layers if "room" in layer.values), None)
    if named is not None:
        raise ConfigError(
            f"{named.name_of('room')}: {named.values['room']!r} would name the only room, "
            f"but {source.config} names rooms itself: {', '.join(file.rooms)}"
        )
    of_paths = rooms_of_paths(dialects)
    for name, own in file.rooms.items():
        usual = (Given(TEST_ROOM, ""),) if name in of_paths else ()
        try:
            yield room_settings(name, own, *usual, *layers)
        except ConfigError:
            if not (file.is_default and own.values.get("rated")):
                raise


def room_settings(name: str, *layers: Given) -> RoomSettings:
    """Return the settings of a room from options that stand in several places, the most specific first.

    Raises ConfigError.
    """
    changes: list[RuleChange] = []
    for layer in reversed(layers):
        changes += layer.values.get("set", ())
    room = read_settings(RoomSettings, layers, name=name, changes=tuple(changes))
    try:
        seats = room.ruleset.seats
    except RulesetError as error:
        raise ConfigError(f"{_place_of('set', layers)}: the rules contradict each other: {error}") from error
    if room.rated:
        house = room.house or (BotSeats(ANCHOR.name, seats - 1),)
        room = replace(room, house=house, table=replace(room.table, hints=HintScope.NONE))
    for key, mistake in _mistakes(room):
        raise ConfigError(f"{_place_of(key, layers)}: {mistake}")
    return room


def _mistakes(room: RoomSettings) -> Iterator[tuple[str, str]]:
    """Yield the key of each option that others exclude, and why."""
    name, move, delay = room.name, room.times.move, room.table.bot_delay.most
    if room.rated:
        for reason in _reasons_against_rating(room):
            yield "rated", f"the room {name} cannot be rated: {reason}"
    if delay > move:
        yield (
            "bot_delay",
            f"{delay:g} seconds are too long for the room {name}, "
            f"because its time {room.times} leaves {move:g} for each move",
        )
    if room.duplicate and room.spectators.delay is not None:
        yield (
            "duplicate",
            f"spectators of the room {name} see all hands ({room.spectators.text}), "
            "but its walls are played again; let them see masked, or none",
        )


def _reasons_against_rating(room: RoomSettings) -> Iterator[str]:
    if room.duplicate:
        yield "its walls are played again (duplicate)"
    if room.table.faults is Faults.ABORT:
        yield "its faults end games without a result (faults = abort)"
    if any(each.command is not None for each in room.house):
        yield "its bots include programs; let them connect as players"
    bots, needed = sum(each.most for each in room.house if each.command is None), room.ruleset.seats - 1
    if bots < needed:
        yield f"it has {bots} built-in bots; expected {needed} or more, or none for the default"
    if room.rated_every < MIN_RATED_EVERY:
        yield f"its rounds begin every {room.rated_every:g} seconds; expected {MIN_RATED_EVERY} or more"


def _ports(layers: Sequence[Given], dialects: Sequence[Dialect]) -> tuple[ListeningPort, ...]:
    """Return the ports to open. Raises ConfigError if there are none, or one stands twice."""
    ports: list[ListeningPort] = []
    for kind in port_options(dialects):
        ports += _ports_of(kind, layers)
    if not ports:
        raise ConfigError("no port is open: all of them are none; expected at least one, as in --listen 19000")
    opened: dict[str, ListeningPort] = {}
    for port in ports:
        first = opened.setdefault(port.endpoint, port)
        if first is not port and port.is_needed and port.endpoint != LOCAL.format(0):
            raise ConfigError(f"--{port.option}: {port.endpoint} is taken by --{first.option}; choose another port")
    return tuple(ports)


def _ports_of(kind: PortOption, layers: Sequence[Given]) -> Iterator[ListeningPort]:
    """Yield the ports of one kind: those that were given, or else its default port."""
    given: tuple[str, ...] | None = _value(port_option(kind).key, None, layers)
    if given is not None:
        yield from (ListeningPort(kind.name, endpoint) for endpoint in given)
    elif kind.default is not DefaultPort.CLOSED:
        yield ListeningPort(kind.name, LOCAL.format(kind.number), is_needed=kind.default is DefaultPort.REQUIRED)
