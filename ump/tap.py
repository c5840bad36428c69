"""The options of ``twist ump-server`` and ``twistd ump-server``, and the service made from them.

Every mistake on the command line ends the program with one line and status 1, under all starters:
``usage.UsageError`` would print the whole help before its line, an exception in ``makeService`` a traceback.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, NoReturn

from twisted.application.service import IService
from twisted.internet.endpoints import serverFromString
from twisted.python import usage

from ump.net.config import (
    DEFAULT_ROOM,
    HOUSE_AFTER,
    ConfigError,
    RoomSettings,
    all_room_settings,
    read_room_options,
    room_settings,
)
from ump.net.dialects import DIALECTS, port_options
from ump.net.limits import Limits
from ump.players.policy import POLICIES
from ump.rules.presets import PRESETS
from ump.service import ListeningPort, Server, ServerPlan
from ump.table.outcomes import Faults
from ump.wire.dialect import DefaultPort, Dialect, PortOption

LOCAL = "tcp:{}:interface=127.0.0.1"
"""The endpoint for a bare port number: only clients on the same computer can connect."""

FAULTS = ", ".join(faults.value for faults in Faults)

ROOM_OPTIONS = ("rules", "set", "length", "time", "house", "faults")
"""Options whose values a room reads unchanged."""

MAX_PORT = 65_535

NUMBER = re.compile("[1-9][0-9]{0,8}")


def refuse(message: object) -> NoReturn:
    """End the program with one line and status 1."""
    raise SystemExit(f"ump-server: {message}")


class ServerOptions(usage.Options):
    """The command line. After ``parseOptions``, ``plan`` is the server to start."""

    dialects: ClassVar[tuple[Dialect, ...]]
    longdesc = (
        "A riichi mahjong server for bots and people, over UMP, mjai and Majiang. Four players make a table. "
        f"Built-in bots: {', '.join(POLICIES)}. "
        "To play by hand, type telnet localhost 19000, and press Enter."
    )
    optParameters = [  # noqa: RUF012 - Twisted expects a list
        ["rules", None, None, f"Preset of the rules: {', '.join(PRESETS)} (default: ump)."],
        ["length", None, None, "Length of a game: kyoku, tonpu or hanchan (default: that of the rules)."],
        ["room", None, None, f"Name of the only room, without --config (default: {DEFAULT_ROOM})."],
        ["faults", None, None, f"Consequence of an illegal or unreadable answer: {FAULTS} (default: default)."],
        ["time", None, None, "MOVE+BANK: seconds for each move, plus seconds for each kyoku (default: 10+20)."],
        [
            "house-after",
            None,
            None,
            f"Seconds between the first player's arrival and that of the built-in bots (default: {HOUSE_AFTER:g}).",
        ],
        ["bot-delay", None, None, "Seconds that built-in bots think beside a person: 0.5, or 0.3-1.2 (default: 0)."],
        ["seed", None, None, "Text from which all walls and seats are made (default: each game is random)."],
        ["games", None, "0", "End after this many games; 0: never."],
        ["log-dir", None, None, "Folder for a log of each game, in mjai's format (.mjson)."],
        ["config", None, None, "TOML file with rooms. The options apply to all rooms, unless a room has its own."],
        ["connections", None, Limits().connections, "Limit on connections."],
        ["per-host", None, Limits().per_host, "Limit on connections from one address."],
        ["unseated", None, Limits().unseated, "Limit on connections without a seat."],
        ["children", None, Limits().children, "Limit on bots that the server itself has started."],
    ]
    optFlags = [  # noqa: RUF012 - likewise
        [
            "ask-all",
            None,
            "Ask every player about every discard and wait for all answers, so that timing reveals nothing.",
        ],
    ]

    def __init__(self) -> None:
        super().__init__()
        self["ports"] = []
        self["set"] = []
        self["house"] = None

    def _open(self, option: str, description: str) -> None:
        """Add a port to those that the server opens; ends the program if the description is not valid."""
        endpoint = LOCAL.format(description) if description.isdecimal() else description
        try:
            _check_endpoint(endpoint)
        except Exception as error:  # Twisted's parsers raise any exception
            expected = "expected a port, as in 19000, or an endpoint, as in tcp:19000"
            refuse(f"--{option} {description}: {_one_line(error)}; {expected}")
        self["ports"].append(ListeningPort(option, endpoint))

    def opt_set(self, change: str) -> None:
        """FIELD=VALUE: change one field of the rules. Repeatable."""
        self["set"].append(change)

    def opt_house(self, seats: str) -> None:
        """KIND:N or mjai*N:COMMAND: up to N built-in bots complete a table. Repeatable; "none" clears."""
        self["house"] = [] if seats == "none" else [*(self["house"] or ()), seats]

    def parseOptions(self, options: Sequence[str] | None = None) -> None:
        """Read the command line; ends the program on a mistake."""
        try:
            super().parseOptions(options)
        except usage.UsageError as error:
            refuse(f"{str(error).rstrip('.')}; --help lists the options")

    def postOptions(self) -> None:
        """Make the plan; ends the program on a mistake."""
        limits = Limits(*(self._number(option) for option in ("connections", "per-host", "unseated", "children")))
        games = 0 if self["games"] == "0" else self._number("games", least=0)
        rooms = self._rooms()
        self.plan = ServerPlan(
            ports=tuple(self["ports"]) or tuple(map(_default_port, self._default_options())),
            rooms=rooms,
            limits=limits,
            seed=self["seed"],
            games=games,
            log_folder=self._folder("log-dir"),
            dialects=self.dialects,
        )

    def _default_options(self) -> Sequence[PortOption]:
        return [option for option in port_options(self.dialects) if option.default is not DefaultPort.CLOSED]

    def _rooms(self) -> tuple[RoomSettings, ...]:
        """Return all rooms; ends the program on a mistake in an option or in the file."""
        try:
            options = read_room_options(self._given_for_rooms())
            if self["config"] is not None and self["room"] is None:
                room_settings(DEFAULT_ROOM, options)  # reports a mistake in an option before the file is read
            else:
                return all_room_settings(options, self["config"], self["room"])
        except ConfigError as error:
            key, _, message = str(error).partition(": ")
            refuse(f"--{key.replace('_', '-')}: {message}")
        try:
            return all_room_settings(options, self["config"])
        except ConfigError as error:
            refuse(f"--config {error}")

    def _given_for_rooms(self) -> dict[str, object]:
        """Return the options about rooms that were given, by their keys in a file."""
        given = {option: self[option] for option in ROOM_OPTIONS if self[option] is not None}
        if self["house-after"] is not None:
            given["house_after"] = self._seconds("house-after")
        if self["bot-delay"] is not None:
            given["bot_delay"] = self["bot-delay"]
        if self["ask-all"]:
            given["ask_all"] = True
        return given

    def _seconds(self, option: str) -> float:
        try:
            return float(self[option])
        except ValueError:
            refuse(f"--{option} {self[option]}: expected a number of seconds")

    def _folder(self, option: str) -> Path | None:
        """Return a writable folder, after creating it if necessary; None without the option."""
        if self[option] is None:
            return None
        folder = Path(self[option])
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            refuse(
                f"--{option} {folder}: {error.strerror or error}; expected a folder, or a path where one can be made"
            )
        if not os.access(folder, os.W_OK):
            refuse(f"--{option} {folder}: the folder is not writable")
        return folder.resolve()  # a server in the background changes its working directory

    def _number(self, option: str, least: int = 1) -> int:
        text = str(self[option])
        if not NUMBER.fullmatch(text):
            refuse(f"--{option} {text}: expected a number from {least} to 999999999")
        return int(text)


def _check_endpoint(endpoint: str) -> None:
    """Raise an exception if an endpoint cannot be listened on: one of Twisted's, or ValueError."""
    serverFromString(object(), endpoint)
    kind, first, *_ = (*endpoint.split(":"), "")
    if kind in ("tcp", "tcp6", "ssl") and first.isdecimal() and int(first) > MAX_PORT:
        raise ValueError(f"{first} is not a port")
    if kind == "tls" and not any(Path(first).glob("*.pem")):  # Twisted would go on without certificates
        raise ValueError(f"no PEM file in {first}")


def _default_port(option: PortOption) -> ListeningPort:
    """Return the port that the server opens for an option if no ports are given."""
    return ListeningPort(option.name, LOCAL.format(option.number), is_needed=option.default is DefaultPort.REQUIRED)


def _one_line(error: Exception) -> str:
    return " ".join(f"{error}".split()) or type(error).__name__


def options_for(dialects: tuple[Dialect, ...]) -> type[ServerOptions]:
    """Return a class of options with one more for each port of these dialects."""
    openers = {f"opt_{option.name.replace('-', '_')}": _opener(option) for option in port_options(dialects)}
    return type("Options", (ServerOptions,), {"__doc__": ServerOptions.__doc__, "dialects": dialects, **openers})


def _opener(option: PortOption) -> Callable[[ServerOptions, str], None]:
    """Return the method that reads an option of a port. Twisted shows its docstring as help."""

    def open_port(options: ServerOptions, description: str) -> None:
        options._open(option.name, description)

    default = "none" if option.default is DefaultPort.CLOSED else option.number
    open_port.__doc__ = f"Endpoint, or a port of 127.0.0.1, for {option.serves}; repeatable (default: {default})."
    return open_port


Options = options_for(DIALECTS)


def print_banner(text: str) -> None:
    """Print what a person reads when the server has started. ``sys.stderr`` would lead into the log."""
    terminal = sys.__stderr__
    assert terminal is not None
    ending = "Ctrl-C ends the server.\n" if terminal.isatty() else ""
    print(f"\n{text}\n{ending}", file=terminal, flush=True)


def makeService(options: ServerOptions) -> IService:
    """Return the server. The reactor is imported here, after the starter has chosen one."""
    from twisted.internet import reactor

    return Server(options.plan, reactor, print_banner)
