"""The settings of the server and of its rooms: each field declares one option, with its meaning, default and bounds.

The options of ``twist ump-server`` and ``ump serve`` with their help and completion, the keys of the TOML file, the
errors about both, and the tables in docs/server.md follow from them. The limits have their fields in
``ump.net.limits``, what a table needs to know of its room in ``ump.table.opening``. ``ump.server.config`` reads all.
"""

from __future__ import annotations

import hmac
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Generic, TypeVar

from ump.database.database import DatabasePlace, read_place
from ump.model.choices import did_you_mean, either, quoted, unknown
from ump.model.setting import Setting, key_of, setting, setting_of
from ump.model.value import value
from ump.net.bot_commands import BOT_DIALECTS, BotSeats, read_command
from ump.net.dialects import BOT_COMMAND, DIALECTS, over, port_options
from ump.net.endpoints import EXPECTED, read_endpoint
from ump.net.limits import Limits
from ump.players.policy import POLICIES
from ump.rules.options import MJAI_LENGTHS, RuleChange, changed_ruleset, read_change, read_length
from ump.rules.options import OPTIONS as RULES
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length, Ruleset
from ump.server.journals import Sync
from ump.server.log_file import LogFileOptions
from ump.table.clock import BotDelay, TimeControl
from ump.table.opening import TableSettings
from ump.wire.dialect import DefaultPort, Dialect, PortOption, RoomInfo, WebSocketPath
from ump.wire.text import SERVER_LETTERS

# The options of the server: how each is written on the command line and in a TOML file, and which values are allowed.
#
# ``options_of`` makes them from the fields of a dataclass (``ump.model.setting``). A text of the command line first
# becomes the value that a file would have in its place, so that both are read, and refused, alike. Readers raise
# ValueError with one plain sentence, without the option's name.

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MAX_SHOWN = 60
"""Characters of a list, table or number in a file that an error repeats."""

NONE = "none"
"""The value that removes those of less specific places, and those before it if the option can be given several times.
"""

_TRUTHS: Mapping[str, bool] = {"true": True, "false": False}
_WHOLE = re.compile(r"-?[0-9]{1,15}")
_DECIMAL = re.compile(r"-?[0-9]{1,15}\.[0-9]{1,15}")


class ConfigError(ValueError):
    """An option or a file that cannot be used; the message is one line: the option, its value, and what is allowed."""


class Group(Enum):
    """A group of options in the help and in the documentation, with its title."""

    PORTS = "Ports"
    ROOMS = "Rooms"
    GAMES = "Games and records"
    LIMITS = "Limits"


class Scope(Enum):
    """The places where an option can stand, besides the command line."""

    ROOM = "in a room"
    """In the file above the rooms, for all of them, and in each room."""
    SERVER = "above the rooms"
    """In the file above the rooms."""
    COMMAND = "no"
    """Not in the file."""


@value
class OptionKind(Generic[T_co]):
    """A kind of option."""

    metavar: str
    """The placeholder of a value in help, as in ``PRESET``; empty for a switch."""
    read: Callable[[object], T_co]
    """Returns what a value of a file stands for; raises ValueError."""
    from_text: Callable[[str], object] = str
    """Returns the value of a file for a text of the command line. It need not be allowed."""
    words: tuple[str, ...] = ()
    """Values, or beginnings of values, that a shell completes."""
    is_repeatable: bool = False
    """Whether the option can be given several times. ``read`` then takes one value or a list of them."""


@value
class ServerOption(Generic[T_co]):
    """An option of the server."""

    name: str
    """The option on the command line, without its dashes."""
    kind: OptionKind[T_co]
    default: T_co
    group: Group
    scope: Scope
    help: str
    """Its description, as a sentence."""
    shown_default: str = ""
    """The default as help shows it; empty if there is nothing to show."""
    section: str = ""
    """The section of docs/server.md that says more."""
    needs: str = ""
    """The key of the option without which this one has no effect."""

    @property
    def key(self) -> str:
        """The key in a file."""
        return self.name.replace("-", "_")

    @property
    def full_help(self) -> str:
        """Its description, with the default."""
        notes = ["repeatable"] if self.kind.is_repeatable else []
        if self.shown_default:
            notes.append(f"default: {self.shown_default}")
        return f"{self.help} [{'; '.join(notes)}]" if notes else self.help


def options_of(settings: type, scope: Scope, group: Group, section: str = "") -> Iterator[ServerOption[Any]]:
    """Yield the options that set the fields of a dataclass, and of those that are defaults of its fields.

    ``scope``, ``group`` and ``section`` are those of fields that name no other ones.
    """
    for each in fields(settings):
        about = setting_of(each)
        if about is not None:
            yield ServerOption(
                key_of(each, about).replace("_", "-"),
                _kind_of(about, each.default),
                each.default,
                about.group if isinstance(about.group, Group) else group,
                about.scope if isinstance(about.scope, Scope) else scope,
                about.help.format(least=about.least, most=about.most),
                _shown_default(about, each.default) if about.shown is None else about.shown,
                about.section or section,
                about.needs,
            )
        elif is_dataclass(each.default):
            yield from options_of(type(each.default), scope, group, section)


def _shown_default(about: Setting, default: object) -> str:
    match default:
        case None | False | ():
            return ""
        case True:
            return "" if about.turns_off else "true"
        case Enum():
            return str(default.value)
        case int():
            return str(default // about.unit)
        case float():
            return f"{default:g}"
        case _:
            return str(default)


def _kind_of(about: Setting, default: object) -> OptionKind[Any]:
    """Return the kind of an option: its description decides, or else the type of its default."""
    if about.read is not None:
        kind = texts(about.metavar, about.read, about.words)
        if default is None:
            return OptionKind(
                kind.metavar, lambda raw: None if raw == NONE else kind.read(raw), words=(*kind.words, NONE)
            )
        return several(kind, is_clearable=about.is_clearable) if isinstance(default, tuple) else kind
    if about.choices is not None:
        return word(about.metavar, about.noun, about.choices)
    match default:
        case bool():
            return SWITCH_OFF if about.turns_off else TRUTH if default else SWITCH
        case Enum():
            return word(about.metavar, about.noun, {each.value: each for each in type(default)})
        case int():
            return number(about.least, about.most, about.unit)
        case float():
            return SECONDS
        case BotDelay():
            return BOT_DELAY
        case TimeControl():
            return texts("MOVE+BANK", TimeControl.parse)
        case _:
            return texts(about.metavar, str)


def shown(raw: object) -> str:
    """Return a value of a file for an error: texts in quotes, the rest as in TOML, in one short line."""
    if isinstance(raw, str):
        return quoted(raw)
    if isinstance(raw, bool):
        return str(raw).lower()
    text = ascii(raw)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def read_text(raw: object) -> str:
    """Return a text; raises ValueError for another type."""
    if not isinstance(raw, str):
        raise ValueError(f"{shown(raw)} is not a text in quotes")
    return raw


def texts(metavar: str, parse: Callable[[str], T], words: tuple[str, ...] = ()) -> OptionKind[T]:
    """Return the kind of texts that ``parse`` reads."""
    return OptionKind(metavar, lambda raw: parse(read_text(raw)), words=words)


def word(metavar: str, noun: str, values: Mapping[str, T]) -> OptionKind[T]:
    """Return the kind of a word that stands for a value; ``noun`` says in errors what the words are."""

    def read(raw: object) -> T:
        given = read_text(raw)
        if given not in values:
            raise ValueError(unknown(noun, given, values))
        return values[given]

    return OptionKind(metavar, read, words=tuple(values))


def number(least: int, most: int, unit: int) -> OptionKind[int]:
    """Return the kind of a whole number from ``least`` to ``most``, which stands for so many times ``unit``."""

    def read(raw: object) -> int:
        if isinstance(raw, bool) or not isinstance(raw, int) or not least <= raw <= most:
            raise ValueError(f"{shown(raw)} is not a whole number from {least} to {most}")
        return raw * unit

    return OptionKind("N", read, _number_in)


def _number_in(given: str) -> object:
    if _WHOLE.fullmatch(given):
        return int(given)
    return float(given) if _DECIMAL.fullmatch(given) else given


def several(kind: OptionKind[T], *, is_clearable: bool = True) -> OptionKind[tuple[T, ...]]:
    """Return the kind of several values; if ``is_clearable``, ``none`` removes those before it."""

    def read(raw: object) -> tuple[T, ...]:
        values: list[T] = []
        for each in raw if isinstance(raw, list) else [raw]:
            if is_clearable and each == NONE:
                values.clear()
            else:
                values.append(kind.read(each))
        return tuple(values)

    words = (*kind.words, NONE) if is_clearable else kind.words
    return OptionKind(kind.metavar, read, kind.from_text, words, is_repeatable=True)


def read_switch(raw: object) -> bool:
    """Return true or false; raises ValueError."""
    if not isinstance(raw, bool):
        raise ValueError(f"{shown(raw)} is neither true nor false")
    return raw


def read_seconds(raw: object) -> float:
    """Return a number of seconds; raises ValueError."""
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw < math.inf:
        raise ValueError(f"{shown(raw)} is not a number of seconds, 0 or more")
    return float(raw)


def read_bot_delay(raw: object) -> BotDelay:
    """Return a delay, from a text or from a number of seconds; raises ValueError."""
    is_number = isinstance(raw, int | float) and not isinstance(raw, bool)
    return BotDelay.parse(str(raw) if is_number else read_text(raw))


def read_port(raw: object) -> str:
    """Return the endpoint for a port or an endpoint; raises ValueError."""
    if isinstance(raw, bool) or not isinstance(raw, int | str):
        raise ValueError(f"{shown(raw)} is not a port or an endpoint; {EXPECTED}")
    return read_endpoint(str(raw))


SWITCH: OptionKind[bool] = OptionKind("", read_switch, lambda _: True)
SWITCH_OFF: OptionKind[bool] = OptionKind("", lambda raw: not read_switch(raw), lambda _: True)
"""The kind of a switch such as ``no-pages``, whose field is true without it."""
TRUTH: OptionKind[bool] = OptionKind(
    "BOOLEAN", read_switch, lambda given: _TRUTHS.get(given, given), words=tuple(_TRUTHS)
)
SECONDS: OptionKind[float] = OptionKind("SECONDS", read_seconds, _number_in)
BOT_DELAY: OptionKind[BotDelay] = OptionKind("SECONDS", read_bot_delay)
PORTS: OptionKind[tuple[str, ...]] = several(OptionKind("PORT", read_port))


ROOM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")

PRIVATE_ROOM = "table"
"""The name of the rooms of tables among friends, which no room of the operator has."""

LONGEST_CODE = 16
"""Characters of an invitation code: with the name of its room it has to fit where clients name a room."""

_OPEN = re.compile(r"open:([0-9]{1,6})")
_POLICY = re.compile(r"([^:*]*)[:*]([1-9])")
_PROGRAM = re.compile(
    rf"""(?P<dialect>{"|".join(BOT_DIALECTS)})(?:\*(?P<number>[1-9]))?:
    (?:(?P<name>{ROOM_NAME.pattern})(?:\*(?P<named>[1-9]))?=)?(?P<command>.*)""",
    re.DOTALL | re.VERBOSE,
)
"""A program; the name of its bots is optional, and the number may stand after the dialect or after the name."""


# Access to a room, and spectators

USERS_ONLY = "this room is for users of this server; log in"
"""The answer to a client without a login."""

CODE_NEEDED = "this room is for invited players; name it as ROOM:CODE"
"""The answer to a client that gives no code."""

NO_REVIEW = "none"
"""The reviewer of a room without reviews."""

WRONG_CODE = "wrong invitation code"
"""The answer to a client that gives another code."""


class Registration(Enum):
    """The people who may register as users."""

    OFF = "off"
    """Nobody: the operator adds users."""
    INVITE = "invite"
    """Those with a link of the operator."""
    OPEN = "open"
    """Everybody."""


@value
class Access:
    """The clients that may enter a room, to play or to watch. A login and a code may both be needed."""

    is_for_users: bool = False
    """Whether only users who have logged in may enter."""
    code: str | None = None
    """The invitation code; None: none is needed."""

    @classmethod
    def parse(cls, text: str) -> Access:
        """Read ``open``, ``users``, ``code:TEXT`` or ``users+code:TEXT``; raises ValueError."""
        kind, _, code = text.partition(":")
        if text in ("open", "users"):
            return cls(is_for_users=text == "users")
        if kind not in ("code", "users+code") or not code:
            raise ValueError(f"{quoted(text)} is unknown; expected open, users, code:TEXT or users+code:TEXT")
        if len(code) > LONGEST_CODE or not code.isalnum() or not code.isascii():
            raise ValueError(f"the code has 1 to {LONGEST_CODE} letters and digits")
        return cls(is_for_users=kind != "code", code=code)

    @property
    def kind(self) -> str:
        """The word for it in a list of rooms: ``open``, ``users``, ``code`` or ``users+code``."""
        kinds = [*(["users"] if self.is_for_users else []), *(["code"] if self.code is not None else [])]
        return "+".join(kinds) or "open"

    def refusal(self, user: str | None, code: str) -> str | None:
        """Return why a client may not enter, or None; ``code`` is "" if it gave none."""
        if self.is_for_users and user is None:
            return USERS_ONLY
        if self.code is None:
            return None
        if not code:
            return CODE_NEEDED
        if not hmac.compare_digest(code.encode(), self.code.encode()):
            return WRONG_CODE
        return None


OPEN = Access()
"""The access of a room that is open to everybody."""


@value
class Spectating:
    """The view of a room that spectators have: nothing, a table without its hidden tiles, or all hands, later."""

    is_allowed: bool = True
    """Whether clients may watch the room."""
    delay: int | None = None
    """Seconds after which they see events with all hidden tiles; None: they see events at once, without such tiles."""

    @classmethod
    def parse(cls, text: str) -> Spectating:
        """Read ``masked``, ``open:SECONDS`` or ``none``; raises ValueError."""
        if text in ("masked", "none"):
            return cls(is_allowed=text == "masked")
        found = _OPEN.fullmatch(text)
        if found is None:
            raise ValueError(f"{quoted(text)} is unknown; expected masked, open:SECONDS or none, as in open:300")
        return cls(delay=int(found[1]))

    @property
    def text(self) -> str:
        """The text that ``parse`` reads."""
        if not self.is_allowed:
            return "none"
        return "masked" if self.delay is None else f"open:{self.delay}"


MASKED = Spectating()
"""Events at once, without hidden tiles."""


# Rooms


def read_room_name(text: str) -> str:
    """Return a name; raises ValueError if no room may have it."""
    if not ROOM_NAME.fullmatch(text):
        raise ValueError(
            f"{quoted(text)} is not a room's name; expected up to 32 letters and digits, and after the first also . _ -"
        )
    if text == PRIVATE_ROOM:
        raise ValueError(f"{quoted(text)} is the name of tables among friends; choose another name")
    return text


def read_bots(given: str) -> BotSeats:
    """Return seats for built-in bots: ``efficiency:3``, ``mjai:alpha*2=python bot.py``; raises ValueError."""
    found = _PROGRAM.fullmatch(given)
    if found is not None:
        return _read_program(found)
    found = _POLICY.fullmatch(given)
    if found is None:
        hint = did_you_mean(re.split("[:*]", given, maxsplit=1)[0], (*POLICIES, *BOT_DIALECTS))
        raise ValueError(
            f"{quoted(given)} names no bots{hint}; expected KIND:N with N from 1 to 9, as in {next(iter(POLICIES))}:3, "
            f"or a program, as in {next(iter(BOT_DIALECTS))}:{BOT_COMMAND}"
        )
    kind, most = found.groups()
    if kind not in POLICIES:
        raise ValueError(unknown("built-in bot", kind, (*POLICIES, *(f"{each}:COMMAND" for each in BOT_DIALECTS))))
    return BotSeats(kind, int(most))


def _read_program(found: re.Match[str]) -> BotSeats:
    """Return seats for bots that are programs; raises ValueError."""
    dialect, number, name, named = found["dialect"], found["number"], found["name"], found["named"]
    if number is not None and named is not None:
        raise ValueError(f"{quoted(found[0])} says twice how many; expected {dialect}:{name}*{named}=COMMAND")
    command = read_command(dialect, found["command"])
    if command.missing is not None:
        raise ValueError(f"{quoted(found['command'])}: there is no file {command.missing} to run")
    return BotSeats(dialect, int(number or named or 1), command, name)


@value
class RoomSource:
    """The file of the rooms, or the name of the only one."""

    config: str | None = setting(
        None,
        "TOML file with options and rooms. Options of the command line override those above the rooms.",
        scope=Scope.COMMAND,
        metavar="FILE",
        section="the-file",
    )
    room: str = setting(
        "main", "Name of the only room of a server without a file of rooms.", metavar="NAME", read=read_room_name
    )


@value
class RoomSettings:
    """All settings of a room."""

    name: str
    rules: str = setting(
        "ump",
        f"Preset of the rules: {either(PRESETS)}.",
        metavar="PRESET",
        noun="preset",
        choices={name: name for name in PRESETS},
    )
    changes: tuple[RuleChange, ...] = setting(
        (),
        "Change one field of the rules, as in kuitan=no; 'ump rules' lists the fields.",
        name="set",
        metavar="FIELD=VALUE",
        read=read_change,
        words=tuple(f"{each.name}=" for each in RULES.values()),
        is_clearable=False,
    )
    length: RuleChange | None = setting(
        None,
        f"Length of a game: kyoku, tonpu or hanchan; or mjai's names {' and '.join(MJAI_LENGTHS)}.",
        shown="that of the rules",
        metavar="LENGTH",
        noun="length",
        choices={each: read_length(each) for each in (*(length.value for length in Length), *MJAI_LENGTHS)},
    )
    times: TimeControl = setting(TimeControl(), "Seconds for each move, plus seconds for each kyoku.", name="time")
    house: tuple[BotSeats, ...] = setting(
        (),
        "Let up to N built-in bots of a kind complete a table, as in efficiency:3. "
        "mjai:NAME*N=COMMAND starts programs.",
        shown="no built-in bots",
        metavar="KIND:N",
        read=read_bots,
        words=(*(f"{kind}:3" for kind in POLICIES), *(f"{key}:" for key in BOT_DIALECTS)),
        section="bots-as-child-processes",
    )
    house_after: float = setting(3.0, "Time between the arrival of the first player and that of the built-in bots.")
    """Time for two people who start together to meet, short for one alone."""
    table: TableSettings = TableSettings()
    duplicate: bool = setting(
        False,
        "Play each wall with every rotation of the seats: as many games in a row as there are players.",
        section="duplicate-games",
    )
    access: Access = setting(
        OPEN,
        "Who may enter: open (everybody), users (who log in) or code:TEXT (who name ROOM:TEXT); users+code:TEXT asks "
        "both.",
        shown=OPEN.kind,
        metavar="WHO",
        read=Access.parse,
        words=("open", "users", "code:", "users+code:"),
        section="users",
    )
    one_per_owner: bool = setting(
        False,
        "Never seat two players of one owner together: alice/akagi and alice/washizu are both of alice.",
        section="users",
    )
    rated: bool = setting(
        False,
        "Pair players by their ratings at fixed intervals, and rate all games; built-in bots take seats that are left.",
        section="rated-rooms",
    )
    rated_every: float = setting(
        1_200.0, "Seconds from one round of a rated room to the next.", section="rated-rooms", needs="rated"
    )
    """Most games of bots are over by then."""
    spectators: Spectating = setting(
        MASKED,
        "View of spectators: masked (no hidden tile), open:SECONDS (all hands, that much later) or none.",
        name="spectating",
        shown=MASKED.text,
        metavar="VIEW",
        read=Spectating.parse,
        words=("masked", "open:", "none"),
        section="spectators",
    )
    review: str = setting(
        "expert",
        "Built-in player that reviews finished games for the replay page, and plays on from their positions, or "
        f"{NO_REVIEW}.",
        metavar="KIND",
        noun="reviewer",
        choices={kind: kind for kind in (*POLICIES, NO_REVIEW)},
    )

    @property
    def ruleset(self) -> Ruleset:
        """The rules of its games; raises RulesetError if they contradict each other."""
        return _ruleset(self.rules, self.changes if self.length is None else (*self.changes, self.length))

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
            self.rated,
        )


@lru_cache(maxsize=64)
def _ruleset(preset: str, changes: tuple[RuleChange, ...]) -> Ruleset:
    return changed_ruleset(preset, changes)


TEST_ROOM: Mapping[str, Any] = {
    "length": RuleChange("length", Length.TONPU),
    "house": (BotSeats("tsumogiri", 3),),
    "house_after": 0.0,
    "rated": False,
    "duplicate": False,
}
"""The options of a room in which a bot plays one east-only game against bots that discard what they draw."""


def rooms_of_paths(dialects: Sequence[Dialect]) -> tuple[str, ...]:
    """Return the names of the rooms that WebSocket paths of these dialects lead to, whatever rooms there are."""
    return tuple(dict.fromkeys(path.room for _, path in over(WebSocketPath, dialects) if path.room is not None))


# The server


@value
class ListeningPort:
    """A port that the server opens."""

    option: str
    """The command-line option that stands for it, without dashes: ``listen``, ``http``."""
    endpoint: str
    """A Twisted endpoint description, such as ``tcp:19000``."""
    is_needed: bool = True
    """Whether the server ends if the port cannot be opened."""


def writable_folder(folder: Path) -> Path:
    """Return a writable folder, after creating it if necessary; raises ValueError.

    Only the server's user can read a new folder: it will hold the hands of running games.
    """
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise ValueError(
            f"{quoted(str(folder))} cannot be created ({reason}); expected a folder to write to"
        ) from error
    try:
        with NamedTemporaryFile(prefix=".ump-", dir=folder) as trial:  # rights say nothing of a full or read-only disk
            trial.write(b"\n")
            trial.flush()
    except OSError as error:
        reason = error.strerror or error
        raise ValueError(f"{quoted(str(folder))} is not writable ({reason}); expected a folder to write to") from error
    return folder.resolve()  # a server in the background changes its working directory


@value
class ServerSettings:
    """All settings of a server."""

    ports: tuple[ListeningPort, ...]
    rooms: tuple[RoomSettings, ...]
    """Not empty. The first room is for clients that name none."""
    limits: Limits
    is_announced: bool = setting(
        True,
        "Do not announce the server in the local network when it listens beyond this computer.",
        name="no-announce",
        group=Group.PORTS,
        section="where-it-listens",
    )
    admin_socket: Path | None = setting(
        None,
        "UNIX socket for 'ump admin': list tables and players, close, kick, ban, announce, drain, reload.",
        shown="none",
        group=Group.PORTS,
        metavar="PATH",
        read=Path,
    )
    users: str | None = setting(
        None,
        "Users, as 'ump users' keeps them, in a FILE or postgresql://USER@HOST/DATABASE: their names are theirs alone.",
        shown="none",
        metavar="PLACE",
        read=str,
        section="users",
    )
    registration: Registration = setting(
        Registration.OFF,
        "Who may register on the page /account: nobody (off), people with a link by 'ump users invite', or everybody "
        "(open).",
        name="register",
        metavar="WHO",
        noun="kind of registration",
        section="users",
        needs="users",
    )
    provider: Path | None = setting(
        None,
        "File that describes an OpenID provider, by which people register and log in.",
        shown="none",
        metavar="FILE",
        read=Path,
        section="users",
        needs="users",
    )
    site: DatabasePlace | None = setting(
        None,
        "Database that the servers of one site share, as postgresql://USER@HOST/DATABASE, in place of --users and "
        "--index.",
        shown="none",
        metavar="PLACE",
        read=lambda text: read_place(text).absolute(),
        section="several-servers",
    )
    letter: str = setting(
        "",
        "Letter of this server on its site, which begins the names it makes by chance.",
        shown="none",
        metavar="LETTER",
        noun="letter",
        choices={each: each for each in SERVER_LETTERS},
        section="several-servers",
        needs="site",
    )
    reached_at: str = setting(
        "",
        "Host at which the other servers of the site reach this one, by default that of its ports.",
        shown="that of the ports",
        metavar="HOST",
        section="several-servers",
        needs="site",
    )
    games: int = setting(0, "End after this many games; 0: never.", least=0)
    drain: float = setting(
        0.0,
        "Seconds for which running games go on after SIGTERM, while no new ones begin.",
        section="stopping",
    )
    seed: str | None = setting(
        None,
        "Make all walls and seats from this text: players who arrive in the same order get the same seats and tiles.",
        shown="each game is random",
        metavar="TEXT",
    )
    record_folder: Path | None = setting(
        Path("ump-records"),
        "Folder for the journal of each game, from which games go on after a restart; none: no game is recorded.",
        name="record-dir",
        metavar="FOLDER",
        read=lambda text: None if Path(text) == Path(NONE) else Path(text),
        section="records",
    )
    index: DatabasePlace | None = setting(
        None,
        "Index of records that servers share, as postgresql://USER@HOST/DATABASE; by default each record-dir has its "
        "own.",
        shown="in record-dir",
        metavar="PLACE",
        read=lambda text: read_place(text).absolute(),
        section="shared-index",
        needs="record_dir",
    )
    sync: Sync = setting(
        Sync.KYOKU,
        "When journals are brought to the disk, to survive a loss of power: always, kyoku (at its start) or never.",
        metavar="WHEN",
        noun="time to sync",
        section="records",
        needs="record_dir",
    )
    log_folder: Path | None = setting(
        None,
        "Folder for a log of each game, in mjai's format (.mjson), with all hands visible.",
        name="log-dir",
        shown="no logs",
        metavar="FOLDER",
        read=Path,
        prepare=writable_folder,
    )
    log: LogFileOptions = LogFileOptions()
    trace_folder: Path | None = setting(
        None,
        "Folder for what each connection sends and receives, with the reasons for refusals; for authors of bots.",
        name="trace",
        shown="no traces",
        metavar="FOLDER",
        read=Path,
        prepare=writable_folder,
        section="traces",
    )
    has_pages: bool = setting(
        True,
        "Serve no pages for browsers on the HTTP port, only bots.",
        name="no-pages",
        section="pages",
        needs="http",
    )
    dialects: tuple[Dialect, ...] = DIALECTS


# The options

ROOM_OPTIONS = tuple(options_of(RoomSettings, Scope.ROOM, Group.ROOMS))
"""The options that each room may have."""

OPTIONS: tuple[ServerOption[Any], ...] = tuple(
    sorted(
        (
            *options_of(RoomSource, Scope.SERVER, Group.ROOMS),
            *ROOM_OPTIONS,
            *options_of(ServerSettings, Scope.SERVER, Group.GAMES),
            *options_of(Limits, Scope.SERVER, Group.LIMITS, "limits"),
        ),
        key=lambda option: tuple(Group).index(option.group),
    )
)
"""All options except those for ports, in the order of the documentation."""


def port_option(port: PortOption) -> ServerOption[tuple[str, ...] | None]:
    """Return the option that opens ports of one kind. Its values are endpoints; None stands for the default port."""
    shown_default = NONE if port.default is DefaultPort.CLOSED else str(port.number)
    return ServerOption(
        port.name,
        PORTS,
        None,
        Group.PORTS,
        Scope.SERVER,
        f"Port of 127.0.0.1, or endpoint, for {port.serves}; {NONE} closes it.",
        shown_default,
        "where-it-listens",
    )


def all_options(dialects: Sequence[Dialect] = DIALECTS) -> tuple[ServerOption[Any], ...]:
    """Return the options of a server that speaks these dialects: those for ports first."""
    return (*map(port_option, port_options(dialects)), *OPTIONS)
