"""All options of the server: the one description from which the rest follows.

From it come the options of ``twist ump-server`` and ``ump serve`` with their help and completion, the keys of the TOML
file, the errors about both, and the tables in docs/server.md. To add an option, describe it here, list it in
``OPTIONS``, and use its value in ``ump.server.config``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from ump.model.choices import closest, either, quoted, unknown
from ump.net.bot_commands import BotSeats
from ump.net.dialects import DIALECTS, port_options
from ump.players.policy import POLICIES
from ump.rules.options import MJAI_LENGTHS, Change
from ump.rules.presets import PRESETS
from ump.server import option_kinds as kinds
from ump.server.access_options import ACCESS_OPTIONS
from ump.server.limit_options import LIMIT_OPTIONS
from ump.server.option import ConfigError, Group, Option, Scope
from ump.server.option_kinds import Kind
from ump.server.record_options import RECORD_OPTIONS
from ump.server.spectating import MASKED, Spectating
from ump.table.bot_delay import NO_DELAY, BotDelay
from ump.table.clock import TimeControl
from ump.table.outcomes import DEFAULT_REFUSALS, Faults
from ump.wire.dialect import DefaultPort, Dialect, PortOption

T = TypeVar("T")

DEFAULT_HOUSE_AFTER = 3.0
"""Seconds until built-in bots complete a table: time for two people who start together to meet, short for one alone."""

DEFAULT_RATED_EVERY = 1_200.0
"""Seconds between the rounds of a rated room: most games of bots are over by then."""


CONFIG: Option[str | None] = Option(
    "config",
    kinds.text("FILE"),
    None,
    Group.ROOMS,
    Scope.COMMAND,
    "TOML file with options and rooms. Options of the command line override those above the rooms.",
    section="the-file",
)
ROOM: Option[str] = Option(
    "room",
    kinds.ROOM,
    "main",
    Group.ROOMS,
    Scope.SERVER,
    "Name of the only room of a server without a file of rooms.",
    "main",
)
RULES: Option[str] = Option(
    "rules",
    kinds.word("PRESET", "preset", {name: name for name in PRESETS}),
    "ump",
    Group.ROOMS,
    Scope.ROOM,
    f"Preset of the rules: {either(PRESETS)}.",
    "ump",
)
SET: Option[tuple[Change, ...]] = Option(
    "set",
    kinds.CHANGES,
    (),
    Group.ROOMS,
    Scope.ROOM,
    "Change one field of the rules, as in kuitan=no; 'ump rules' lists the fields.",
)
LENGTH: Option[Change | None] = Option(
    "length",
    kinds.LENGTH,
    None,
    Group.ROOMS,
    Scope.ROOM,
    f"Length of a game: kyoku, tonpu or hanchan; or mjai's names {' and '.join(MJAI_LENGTHS)}.",
    "that of the rules",
)
TIME: Option[TimeControl] = Option(
    "time",
    kinds.TIMES,
    TimeControl(),
    Group.ROOMS,
    Scope.ROOM,
    "Seconds for each move, plus seconds for each kyoku.",
    str(TimeControl()),
)
HOUSE: Option[tuple[BotSeats, ...]] = Option(
    "house",
    kinds.BOTS,
    (),
    Group.ROOMS,
    Scope.ROOM,
    "Let up to N built-in bots of a kind complete a table, as in efficiency:3. mjai:NAME*N=COMMAND starts programs.",
    "no built-in bots",
    "bots-as-child-processes",
)
HOUSE_AFTER: Option[float] = Option(
    "house-after",
    kinds.SECONDS,
    DEFAULT_HOUSE_AFTER,
    Group.ROOMS,
    Scope.ROOM,
    "Time between the arrival of the first player and that of the built-in bots.",
    f"{DEFAULT_HOUSE_AFTER:g}",
)
BOT_DELAY: Option[BotDelay] = Option(
    "bot-delay",
    kinds.BOT_DELAY,
    NO_DELAY,
    Group.ROOMS,
    Scope.ROOM,
    "Time that built-in bots think beside a person, as in 0.5 or 0.3-1.2.",
    f"{NO_DELAY.most:g}",
    "the-pace-of-built-in-bots",
)
FAULTS: Option[Faults] = Option(
    "faults",
    kinds.word("POLICY", "faults policy", {faults.value: faults for faults in Faults}),
    Faults.DEFAULT,
    Group.ROOMS,
    Scope.ROOM,
    f"Consequence of an illegal or unreadable answer: {either(faults.value for faults in Faults)}.",
    Faults.DEFAULT.value,
    "faults",
)
REFUSALS: Option[int] = Option(
    "refusals",
    kinds.number(0),
    DEFAULT_REFUSALS,
    Group.ROOMS,
    Scope.ROOM,
    "Refused answers in a game after which a player's seat is played by defaults; 0: never.",
    str(DEFAULT_REFUSALS),
    "faults",
)
ASK_ALL: Option[bool] = Option(
    "ask-all",
    kinds.SWITCH,
    False,
    Group.ROOMS,
    Scope.ROOM,
    "Ask every player about every discard and wait for all answers, so that timing reveals nothing.",
    section="asking-everybody",
)
HINTS: Option[bool] = Option(
    "hints",
    kinds.TRUTH,
    True,
    Group.ROOMS,
    Scope.ROOM,
    "Whether players may ask for hints: the waits of their hands, the tiles left of them, and furiten.",
    "true",
    "hints",
)
DUPLICATE: Option[bool] = Option(
    "duplicate",
    kinds.SWITCH,
    False,
    Group.ROOMS,
    Scope.ROOM,
    "Play each wall with every rotation of the seats: as many games in a row as there are players.",
    section="duplicate-games",
)
RATED: Option[bool] = Option(
    "rated",
    kinds.SWITCH,
    False,
    Group.ROOMS,
    Scope.ROOM,
    "Pair players by their ratings at fixed intervals, and rate all games; built-in bots take seats that are left.",
    section="rated-rooms",
)
RATED_EVERY: Option[float] = Option(
    "rated-every",
    kinds.SECONDS,
    DEFAULT_RATED_EVERY,
    Group.ROOMS,
    Scope.ROOM,
    "Seconds from one round of a rated room to the next.",
    f"{DEFAULT_RATED_EVERY:g}",
    "rated-rooms",
)
SPECTATING: Option[Spectating] = Option(
    "spectating",
    kinds.SPECTATING,
    MASKED,
    Group.ROOMS,
    Scope.ROOM,
    "View of spectators: masked (no hidden tile), open:SECONDS (all hands, that much later) or none.",
    MASKED.text,
    "spectators",
)
GAMES: Option[int] = Option(
    "games", kinds.number(0), 0, Group.GAMES, Scope.SERVER, "End after this many games; 0: never.", "0"
)
DRAIN: Option[float] = Option(
    "drain",
    kinds.SECONDS,
    0.0,
    Group.GAMES,
    Scope.SERVER,
    "Seconds for which running games go on after SIGTERM, while no new ones begin.",
    "0",
    "stopping",
)
ADMIN_SOCKET: Option[Path | None] = Option(
    "admin-socket",
    Kind("PATH", kinds.FOLDER.read),
    None,
    Group.PORTS,
    Scope.SERVER,
    "UNIX socket for 'ump admin': list tables and players, close, kick, ban, announce, drain, reload.",
    "none",
)
NO_ANNOUNCE: Option[bool] = Option(
    "no-announce",
    kinds.SWITCH,
    False,
    Group.PORTS,
    Scope.SERVER,
    "Do not announce the server in the local network when it listens beyond this computer.",
    section="announcement",
)
NO_PAGES: Option[bool] = Option(
    "no-pages",
    kinds.SWITCH,
    False,
    Group.GAMES,
    Scope.SERVER,
    "Serve no pages for browsers on the HTTP port, only bots.",
    section="pages",
)
SEED: Option[str | None] = Option(
    "seed",
    kinds.text("TEXT"),
    None,
    Group.GAMES,
    Scope.SERVER,
    "Make all walls and seats from this text: players who arrive in the same order get the same seats and tiles.",
    "each game is random",
)
GRACE: Option[float] = Option(
    "grace",
    kinds.SECONDS,
    60.0,
    Group.ROOMS,
    Scope.ROOM,
    "Seconds of a game for which a seat is kept for a player who has lost its connection and can come back.",
    "60",
    "coming-back",
)
TAKEOVER: Option[str] = Option(
    "takeover",
    kinds.word("KIND", "built-in bot", {**{kind: kind for kind in POLICIES}, kinds.NONE: ""}),
    "",
    Group.ROOMS,
    Scope.ROOM,
    "Built-in bot that plays on for a player who does not come back; none: the defaults are played.",
    kinds.NONE,
    "coming-back",
)


OPTIONS: tuple[Option[Any], ...] = (
    NO_ANNOUNCE,
    ADMIN_SOCKET,
    CONFIG,
    ROOM,
    RULES,
    SET,
    LENGTH,
    TIME,
    HOUSE,
    HOUSE_AFTER,
    BOT_DELAY,
    GRACE,
    TAKEOVER,
    FAULTS,
    REFUSALS,
    ASK_ALL,
    HINTS,
    DUPLICATE,
    *ACCESS_OPTIONS,
    RATED,
    RATED_EVERY,
    SPECTATING,
    GAMES,
    DRAIN,
    SEED,
    *RECORD_OPTIONS,
    NO_PAGES,
    *LIMIT_OPTIONS,
)
"""All options except those for ports, in the order of the documentation."""

ROOM_OPTIONS = tuple(option for option in OPTIONS if option.scope is Scope.ROOM)
"""The options that each room may have."""


def port_option(port: PortOption) -> Option[tuple[str, ...] | None]:
    """Return the option that opens ports of one kind. Its values are endpoints; None stands for the default port."""
    shown_default = kinds.NONE if port.default is DefaultPort.CLOSED else str(port.number)
    return Option(
        port.name,
        kinds.PORTS,
        None,
        Group.PORTS,
        Scope.SERVER,
        f"Port of 127.0.0.1, or endpoint, for {port.serves}; {kinds.NONE} closes it.",
        shown_default,
        "where-it-listens",
    )


def all_options(dialects: Sequence[Dialect] = DIALECTS) -> tuple[Option[Any], ...]:
    """Return the options of a server that speaks these dialects: those for ports first."""
    return (*map(port_option, port_options(dialects)), *OPTIONS)


def unknown_option(name: str, options: Sequence[Option[Any]]) -> str:
    """Return the error about an option of the command line that does not exist."""
    meant = closest(name.lstrip("-"), (option.name for option in options))
    hint = "" if meant is None else f" (did you mean --{meant}?)"
    return f"{quoted(name)[1:-1]} is not an option{hint}; --help lists the options"


def misused_option(name: str, options: Sequence[Option[Any]]) -> str:
    """Return the error about an option of the command line that lacks its value, or has one but takes none."""
    metavar = next((option.kind.metavar for option in options if f"--{option.name}" == name), "")
    return f"{name} needs a value; expected {name} {metavar}" if metavar else f"{name} takes no value"


class Given:
    """The options that were given in one place: on the command line, at the top of a file, or in a room of it."""

    __slots__ = ("_place", "_values")

    def __init__(self, values: Mapping[str, object], place: str) -> None:
        """``values`` have been read from the options with these keys. ``place`` stands before a key in errors."""
        self._values = values
        self._place = place

    def get(self, option: Option[T]) -> T | None:
        """Return the value of an option; None if it was not given here."""
        return cast("T | None", self._values.get(option.key))

    def has(self, key: str) -> bool:
        """Return whether the option with a key was given here."""
        return key in self._values

    def name_of(self, option: Option[Any]) -> str:
        """Return how an error names an option that was given here: ``--set``, ``ump.toml: rooms.main.set``."""
        return f"--{option.name}" if not self._place else f"{self._place}{option.key}"


NOTHING = Given({}, "")
"""No options."""


def read_command_line(texts: Mapping[str, Sequence[str]], options: Sequence[Option[Any]]) -> Given:
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


def read_table(table: Mapping[str, object], options: Sequence[Option[Any]], place: str) -> Given:
    """Read the keys and values of a table of a file; raises ConfigError. ``place`` stands before each key in errors."""
    known = {option.key: option for option in options}
    values = {}
    for key, raw in table.items():
        if key not in known:
            before = f"{place[:-1]}: " if place.endswith(".") else place
            raise ConfigError(f"{before}{unknown('key', key, known)}")
        values[key] = _read(f"{place}{key}", known[key], raw)
    return Given(values, place)


def _read(name: str, option: Option[T], raw: object) -> T:
    try:
        return option.kind.read(raw)
    except ValueError as error:
        raise ConfigError(f"{name}: {error}") from error
