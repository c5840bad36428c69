"""Everything that the operator decides about a server, from its options and from a TOML file.

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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from ump.database.place import Place
from ump.model.choices import quoted
from ump.model.value import value
from ump.net.bot_commands import BotSeats
from ump.net.child_sessions import ChildLimits
from ump.net.connection_budget import Budget
from ump.net.dialects import DIALECTS, port_options
from ump.net.endpoints import LOCAL
from ump.net.limits import ClientLimits, Limits, Rates
from ump.net.network_list import NOBODY, Network, NetworkList
from ump.rules.options import RulesetError, changed_ruleset
from ump.rules.ruleset import Ruleset
from ump.server import access_options, limit_options, options, record_options
from ump.server.access import OPEN, Access
from ump.server.identity.open_users import open_users
from ump.server.idle_options import needs, refuse_idle_options
from ump.server.journal_writer import Sync
from ump.server.ladder.ratings import ANCHOR
from ump.server.log_file import LogFileOptions
from ump.server.log_format import LogFormat
from ump.server.option import ConfigError, Option, Scope
from ump.server.option_kinds import NONE
from ump.server.options import NOTHING, Given, all_options, port_option, read_table
from ump.server.spectating import MASKED, Spectating
from ump.server.writable_folder import writable_folder
from ump.table.bot_delay import NO_DELAY, BotDelay
from ump.table.clock import TimeControl
from ump.table.outcomes import DEFAULT_REFUSALS, Faults
from ump.wire.dialect import DefaultPort, Dialect, PortOption, RoomInfo

T = TypeVar("T")

MIN_RATED_EVERY = 5
"""The fewest seconds between two rounds of a rated room."""

ROOMS = "rooms"
"""The key of the file that holds the tables of the rooms."""


@value
class ListeningPort:
    """A port that the server opens."""

    option: str
    """The command-line option that stands for it, without dashes: ``listen``, ``http``."""
    endpoint: str
    """A Twisted endpoint description, such as ``tcp:19000``."""
    is_needed: bool = True
    """Whether the server ends if the port cannot be opened."""

    @property
    def is_proxied(self) -> bool:
        """Whether a proxy in front of the port sends the client's address."""
        return self.endpoint.startswith("haproxy:")


@value
class RoomSettings:
    """All settings of a room."""

    name: str
    ruleset: Ruleset
    times: TimeControl
    house: tuple[BotSeats, ...]
    """The built-in bots that complete a table, in this order."""
    house_after: float
    """Seconds between the arrival of the first player and that of the bots."""
    ask_all: bool
    """Whether every player is asked about every discard, so that timing reveals nothing."""
    faults: Faults = Faults.DEFAULT
    """The consequence of an illegal or unreadable answer when the question is not asked again."""
    grace: float = 60.0
    """Seconds of a game for which each seat is kept for a player who has lost its connection and can come back."""
    takeover: str | None = None
    """The policy that plays on after that; None: the defaults."""
    spectators: Spectating = MASKED
    """The view that spectators have."""
    bot_delay: BotDelay = NO_DELAY
    """How long built-in bots think while a person plays at the table."""
    refusals: int = DEFAULT_REFUSALS
    """Refused answers in a game after which the table plays a seat by defaults; 0: never."""
    hints: bool = True
    """Whether players may ask for hints about their own hands."""
    duplicate: bool = False
    """Whether each wall is played with every rotation of the seats."""
    access: Access = OPEN
    """The clients that may enter."""
    one_per_owner: bool = False
    """Whether two players of one owner never sit at the same table."""
    rated_every: float | None = None
    """Seconds between the rounds of a rated room; None: the room is not rated."""

    @property
    def info(self) -> RoomInfo:
        """The room as people and programs outside know it."""
        bots = min(sum(seats.most for seats in self.house), self.ruleset.seats - 1)
        return RoomInfo(
            self.name,
            self.ruleset,
            bots,
            self.times.move,
            self.times.bank,
            self.access.kind,
            self.rated_every is not None,
        )


@value
class ServerPlan:
    """Everything that the operator decides about a server."""

    ports: tuple[ListeningPort, ...]
    rooms: tuple[RoomSettings, ...]
    """The first room is for clients that name none."""
    limits: Limits
    seed: str | None = None
    """The text from which all walls and seats are made; None: each game is random."""
    games: int = 0
    """The server ends after this many games; 0: it goes on."""
    drain: float = 0.0
    """Seconds for which running games go on after SIGTERM, while no new ones begin."""
    log_folder: Path | None = None
    """The folder for the log of each game."""
    trace_folder: Path | None = None
    """The folder for the traces of all connections."""
    record_folder: Path | None = None
    """The folder for the journals of all games; None: no game is recorded."""
    index: Place | None = None
    """The index of records that servers share; None: the one in the folder for journals."""
    site: Place | None = None
    """The database that the servers of one site share; None: there are no others."""
    sync: Sync = Sync.KYOKU
    """When journals are brought to the disk."""
    http_names: tuple[str, ...] = ()
    """The names under which clients reach the HTTP port, besides its own addresses."""
    status_for: tuple[Network, ...] = ()
    """The hosts that may read the status of the server, besides this computer."""
    users: str | None = None
    """The file of users; None: the server knows none, and anybody may take any name."""
    takes_plain_secrets: bool = False
    """Whether passwords are taken over connections that are not encrypted here."""
    admin_socket: Path | None = None
    """The UNIX socket on which the operator gives orders; None: there is none."""
    log_file: LogFileOptions | None = None
    """The server's own log, besides standard output."""
    log_format: LogFormat = LogFormat.TEXT
    """The form of standard output, where the server itself writes it."""
    is_announced: bool = False
    """Whether the server announces itself in the local network, if it can be reached from there."""
    has_pages: bool = True
    """Whether the HTTP port has pages for browsers."""
    dialects: tuple[Dialect, ...] = DIALECTS


@value
class ServerFile:
    """The content of a TOML file."""

    shared: Given
    """The values above the rooms."""
    rooms: Mapping[str, Given]


def server_plan(command: Given, dialects: tuple[Dialect, ...] = DIALECTS) -> ServerPlan:
    """Return the plan for the options of a command line, which may name a file.

    Creates the folders for logs and traces. Raises ConfigError.
    """
    file = read_file(command, dialects)
    layers = (command, file.shared)
    rooms = tuple(_rooms(command, file))
    site = _site(layers)
    records = _record_folder(layers)
    unrecorded = next((room.name for room in rooms if room.rated_every is not None and records is None), None)
    if unrecorded is not None:
        raise ConfigError(f"the room {unrecorded} is rated, which needs records: choose a --record-dir")
    plan = ServerPlan(
        ports=tuple(_ports(layers, dialects)),
        rooms=rooms,
        limits=_limits(layers),
        seed=_first(options.SEED, layers),
        games=_first(options.GAMES, layers),
        drain=_first(options.DRAIN, layers),
        log_folder=_folder(record_options.LOG_DIR, layers),
        trace_folder=_folder(record_options.TRACE, layers),
        record_folder=records,
        index=_first(record_options.INDEX, layers) if site is None or records is None else site,
        site=site,
        sync=_first(record_options.SYNC, layers),
        http_names=_first(limit_options.HTTP_NAME, layers),
        status_for=_first(limit_options.STATUS_FOR, layers),
        users=_users(layers) if site is None else site.url,
        takes_plain_secrets=_first(access_options.PLAIN_SECRETS, layers),
        admin_socket=_first(options.ADMIN_SOCKET, layers),
        log_file=_log_file(layers),
        log_format=_first(record_options.LOG_FORMAT, layers),
        is_announced=not _first(options.NO_ANNOUNCE, layers),
        has_pages=not _first(options.NO_PAGES, layers),
        dialects=dialects,
    )
    wanted = needs(
        records=records is not None,
        log_file=plan.log_file is not None,
        users=plan.users is not None,
        http=any(port.option == "http" for port in plan.ports),
        rated=any(room.rated_every is not None for room in rooms),
    )
    refuse_idle_options((*file.rooms.values(), *layers), wanted)
    return plan


def read_file(command: Given, dialects: Sequence[Dialect] = DIALECTS) -> ServerFile:
    """Return the content of the file that a command line names, empty without one; raises ConfigError."""
    path = command.get(options.CONFIG)
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
    return ServerFile(shared, {name: _read_room(path, name, raw, allowed) for name, raw in rooms.items()})


def room_settings(name: str, *layers: Given) -> RoomSettings:
    """Return the settings of a room from options that stand in several places, the most specific first.

    Raises ConfigError.
    """
    room = RoomSettings(
        name=name,
        ruleset=_ruleset(layers),
        times=_first(options.TIME, layers),
        house=_first(options.HOUSE, layers),
        house_after=_first(options.HOUSE_AFTER, layers),
        ask_all=_first(options.ASK_ALL, layers),
        faults=_first(options.FAULTS, layers),
        bot_delay=_first(options.BOT_DELAY, layers),
        grace=_first(options.GRACE, layers),
        takeover=_first(options.TAKEOVER, layers) or None,
        spectators=_first(options.SPECTATING, layers),
        refusals=_first(options.REFUSALS, layers),
        hints=_first(options.HINTS, layers),
        duplicate=_first(options.DUPLICATE, layers),
        access=_first(access_options.ACCESS, layers),
        one_per_owner=_first(access_options.ONE_PER_OWNER, layers),
    )
    if _first(options.RATED, layers):
        room = _rated(room, layers)
    if room.bot_delay.most > room.times.move:
        raise ConfigError(
            f"{_place_of(options.BOT_DELAY, layers)}: {room.bot_delay.most:g} seconds are too long for the room {name}"
            f", because its time {room.times} leaves {room.times.move:g} for each move"
        )
    if room.duplicate and room.spectators.delay is not None:
        raise ConfigError(
            f"{_place_of(options.DUPLICATE, layers)}: spectators of the room {name} see all hands "
            f"({room.spectators.text}), but its walls are played again; let them see masked, or none"
        )
    return room


def _rated(room: RoomSettings, layers: Sequence[Given]) -> RoomSettings:
    """Return the settings of a rated room: no hints, and built-in bots for all seats but one. Raises ConfigError."""
    seats = room.ruleset.seats
    house = room.house or (BotSeats(ANCHOR.name, seats - 1),)
    every = _first(options.RATED_EVERY, layers)
    bots = sum(each.most for each in house if each.command is None)
    wrong = {
        "its walls are played again (duplicate)": room.duplicate,
        "its faults end games without a result (faults = abort)": room.faults is Faults.ABORT,
        "its bots include programs; let them connect as players": any(each.command is not None for each in house),
        f"it has {bots} built-in bots; expected {seats - 1} or more, or none for the default": bots < seats - 1,
        f"its rounds begin every {every:g} seconds; expected {MIN_RATED_EVERY} or more": every < MIN_RATED_EVERY,
    }
    for reason, is_wrong in wrong.items():
        if is_wrong:
            raise ConfigError(f"{_place_of(options.RATED, layers)}: the room {room.name} cannot be rated: {reason}")
    return replace(room, house=house, hints=False, rated_every=every)


def _parsed(path: str) -> dict[str, Any]:
    """Return the content of a TOML file; raises ConfigError."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(f"--config: {quoted(path)} cannot be read ({reason}); expected a TOML file") from error
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}: line {line} is not UTF-8 text") from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits, or 1,000 brackets, is no TOMLDecodeError
        raise ConfigError(f"{path}: not valid TOML: {error}") from error


def _read_room(path: str, name: str, raw: object, allowed: Sequence[Option[Any]]) -> Given:
    """Return a room's own values in a file; raises ConfigError."""
    try:
        options.ROOM.kind.read(name)
    except ValueError as error:
        raise ConfigError(f"{path}: {ROOMS}: {error}") from error
    if not isinstance(raw, dict):
        raise ConfigError(f"{path}: {ROOMS}.{name} is not a table; expected [{ROOMS}.{name}]")
    place = f"{path}: {ROOMS}.{name}."
    above = {option.key for option in allowed if option.scope is Scope.SERVER}
    misplaced = next((key for key in raw if key in above), None)
    if misplaced is not None:
        raise ConfigError(f"{place}{misplaced}: this key is for the whole server; move it above all [{ROOMS}.NAME]")
    return read_table(raw, options.ROOM_OPTIONS, place)


def _rooms(command: Given, file: ServerFile) -> Iterator[RoomSettings]:
    """Yield the settings of all rooms; the first is for clients that name none. Raises ConfigError."""
    layers = (command, file.shared)
    if not file.rooms:
        yield room_settings(_first(options.ROOM, layers), *layers)
        return
    named = next((layer for layer in layers if layer.get(options.ROOM) is not None), None)
    if named is not None:
        raise ConfigError(
            f"{named.name_of(options.ROOM)}: {named.get(options.ROOM)!r} would name the only room, "
            f"but {command.get(options.CONFIG)} names rooms itself: {', '.join(file.rooms)}"
        )
    for name, own in file.rooms.items():
        yield room_settings(name, own, *layers)


def _ports(layers: Sequence[Given], dialects: Sequence[Dialect]) -> tuple[ListeningPort, ...]:
    """Return the ports to open. Raises ConfigError if there are none, or one stands twice."""
    ports = tuple(port for kind in port_options(dialects) for port in _ports_of(kind, layers))
    if not ports:
        raise ConfigError("no port is open: all of them are none; expected at least one, as in --listen 19000")
    opened: dict[str, ListeningPort] = {}
    for port in ports:
        first = opened.setdefault(port.endpoint, port)
        if first is not port and port.is_needed and port.endpoint != LOCAL.format(0):
            raise ConfigError(f"--{port.option}: {port.endpoint} is taken by --{first.option}; choose another port")
    return ports


def _ports_of(kind: PortOption, layers: Sequence[Given]) -> Iterator[ListeningPort]:
    """Yield the ports of one kind: those that were given, or else its default port."""
    given = _first(port_option(kind), layers)
    if given is not None:
        yield from (ListeningPort(kind.name, endpoint) for endpoint in given)
    elif kind.default is not DefaultPort.CLOSED:
        yield ListeningPort(kind.name, LOCAL.format(kind.number), is_needed=kind.default is DefaultPort.REQUIRED)


def _limits(layers: Sequence[Given]) -> Limits:
    """Return the limits. Raises ConfigError for a deny list that cannot be read."""
    return Limits(
        budget=Budget(
            connections=_first(limit_options.CONNECTIONS, layers),
            per_host=_first(limit_options.PER_HOST, layers),
            newcomers=_first(limit_options.NEWCOMERS, layers),
            waiting=_first(limit_options.WAITING, layers),
            spectators=_first(limit_options.SPECTATORS, layers),
            http_streams=_first(limit_options.HTTP_STREAMS, layers),
        ),
        rates=Rates(
            connections=_first(limit_options.CONNECTION_RATE, layers),
            logins=_first(limit_options.LOGIN_RATE, layers),
            games=_first(limit_options.GAME_RATE, layers),
            violations=_first(limit_options.VIOLATION_RATE, layers),
        ),
        client=ClientLimits(
            hello_seconds=_first(limit_options.HELLO_TIME, layers),
            line=_first(limit_options.LINE_LENGTH, layers),
            message=_first(limit_options.MESSAGE_LENGTH, layers),
            unread=_first(limit_options.UNREAD, layers) * 1_024,
            idle_lines=_first(limit_options.IDLE_LINES, layers),
        ),
        deny=_deny_list(layers),
        log_lines=_first(limit_options.LOG_LINES, layers),
        tables=_first(limit_options.TABLES, layers),
        backlog=_first(limit_options.BACKLOG, layers),
        children=_first(limit_options.CHILDREN, layers),
        child=ChildLimits(
            cpu=_first(limit_options.CHILD_CPU, layers),
            memory=_first(limit_options.CHILD_MEMORY, layers),
            output=_first(limit_options.CHILD_OUTPUT, layers),
            processes=_first(limit_options.CHILD_PROCESSES, layers),
            nice=_first(limit_options.CHILD_NICE, layers),
        ),
    )


def _log_file(layers: Sequence[Given]) -> LogFileOptions | None:
    """Return where the log goes, or None."""
    path = _first(record_options.LOG_FILE, layers)
    if path is None:
        return None
    size, files = _first(record_options.LOG_SIZE, layers), _first(record_options.LOG_FILES, layers)
    return LogFileOptions(path.absolute(), size, files, _first(record_options.LOG_FORMAT, layers))


def _site(layers: Sequence[Given]) -> Place | None:
    """Return the database of the site, or None. Raises ConfigError if it cannot be read now."""
    site = _first(access_options.SITE, layers)
    if site is None:
        return None
    name = _place_of(access_options.SITE, layers)
    if site.path is not None:
        raise ConfigError(f"{name}: a site is in PostgreSQL; expected postgresql://USER@HOST/DATABASE")
    for option in (access_options.USERS, record_options.INDEX):
        if _first(option, layers) is not None:
            raise ConfigError(f"{_place_of(option, layers)}: this has no effect, because {name} has users and index")
    open_users(site.url, name)
    return site


def _users(layers: Sequence[Given]) -> str | None:
    """Return the file of users, or None. Raises ConfigError if it cannot be read now."""
    users = _first(access_options.USERS, layers)
    if users is not None:
        open_users(users)
    return users


def _deny_list(layers: Sequence[Given]) -> NetworkList:
    """Return the addresses that may not connect. Raises ConfigError."""
    path = _first(limit_options.DENY, layers)
    if path is None:
        return NOBODY
    name = _place_of(limit_options.DENY, layers)
    try:
        return NetworkList.parse(Path(path).read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{name}: {quoted(path)} cannot be read ({error.strerror or error})") from error
    except ValueError as error:  # UnicodeDecodeError is one
        raise ConfigError(f"{name}: {quoted(path)}: {error}") from error


def _record_folder(layers: Sequence[Given]) -> Path | None:
    """Return the folder for journals, or None if no game is recorded."""
    folder = _first(record_options.RECORD_DIR, layers)
    return None if folder == Path(NONE) else folder.absolute()  # a server in the background changes its directory


def _folder(option: Option[Path | None], layers: Sequence[Given]) -> Path | None:
    """Return the writable folder of an option, or None without it. Raises ConfigError."""
    folder = _first(option, layers)
    return None if folder is None else writable_folder(folder, _place_of(option, layers))


def _ruleset(layers: Sequence[Given]) -> Ruleset:
    """Return the rules of a room. Later changes replace earlier ones. Raises ConfigError."""
    changes = [change for layer in reversed(layers) for change in layer.get(options.SET) or ()]
    length = _first(options.LENGTH, layers)
    try:
        return changed_ruleset(_first(options.RULES, layers), changes if length is None else [*changes, length])
    except RulesetError as error:
        raise ConfigError(f"{_place_of(options.SET, layers)}: the rules contradict each other: {error}") from error


def _first(option: Option[T], layers: Sequence[Given]) -> T:
    """Return the most specific value of an option, or its default."""
    return next((given for layer in layers if (given := layer.get(option)) is not None), option.default)


def _place_of(option: Option[Any], layers: Sequence[Given]) -> str:
    """Return how an error names the most specific value of an option that was given."""
    return next(layer.name_of(option) for layer in layers if layer.get(option) is not None)
