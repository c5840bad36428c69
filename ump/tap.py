"""``twistd ump-server``, ``twist ump-server``: the options, and the service made of them.

Whatever is wrong on the command line ends with one line and status 1, under all starters: ``usage.UsageError`` would
print the whole usage before its line, and an exception in ``makeService`` a traceback.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from twisted.application.service import IService
from twisted.internet.endpoints import serverFromString
from twisted.python import usage

from ump.net.config import DEFAULT_ROOM, HOUSE_AFTER, ConfigError, RoomOptions, all_room_settings, read_room_options
from ump.net.limits import Limits
from ump.net.listener import HELLO
from ump.players.policy import POLICIES
from ump.rules.presets import PRESETS
from ump.service import ListeningPort, ServerPlan, make_server
from ump.table.faults import Faults

PORTS = {"listen": "19000", "mjai": "11600", "http": "8080"}
"""Where each kind of client is waited for, unless something is said of ports: then only what is said is opened.

The first one must be free. Others' programs like the same numbers: a port that nobody asked for is done without.
"""

LOCAL = "tcp:{}:interface=127.0.0.1"
"""What a bare port means: nobody is let in from outside who was not asked to."""

FAULTS = ", ".join(faults.value for faults in Faults)

ROOM_WORDS = ("rules", "set", "length", "time", "house", "faults")
"""Options that are handed on to the rooms as they stand."""

NUMBER = re.compile("[1-9][0-9]{0,8}")


def refuse(complaint: object) -> NoReturn:
    """End with one line and status 1."""
    raise SystemExit(f"ump-server: {complaint}")


class Options(usage.Options):
    """What stands on the command line; ``plan`` is what it comes to."""

    longdesc = (
        "Serves riichi mahjong over UMP, mjai and Majiang: four who come play a game. "
        f"Kinds of house players: {', '.join(POLICIES)}. "
        f"To play by hand: telnet localhost {PORTS['listen']}, then: {HELLO}"
    )
    optParameters = [  # noqa: RUF012 - as Twisted has it
        ["rules", None, None, f"Preset of the rules: {', '.join(PRESETS)} (default: ump)."],
        ["length", None, None, "Length of a game: kyoku, tonpu or hanchan (default: as the rules say)."],
        ["room", None, None, f"Name of the room, where there is no file of rooms (default: {DEFAULT_ROOM})."],
        ["faults", None, None, f"After an answer that does not count: {FAULTS} (default: default)."],
        ["time", None, None, "MOVE+BANK: seconds for each move, and more for each kyoku (default: 10+20)."],
        [
            "house-after",
            None,
            None,
            f"Seconds from the first player until house players come (default: {HOUSE_AFTER:g}).",
        ],
        ["seed", None, None, "Text from which all walls and seats are made (default: chance, for each game anew)."],
        ["games", None, "0", "End after so many games; 0: never."],
        ["log-dir", None, None, "Folder for a log of each game, in mjai's form (.mjson)."],
        ["config", None, None, "TOML file with rooms; the options hold for every room that says nothing else itself."],
        ["connections", None, Limits().connections, "Connections at a time, at most."],
        ["per-host", None, Limits().per_host, "Connections at a time from one address, at most."],
        ["unseated", None, Limits().unseated, "Connections at a time that play at no table, at most."],
        ["children", None, Limits().children, "Bots at a time that the server itself has started, at most."],
    ]
    optFlags = [  # noqa: RUF012
        ["ask-all", None, "Ask everybody about every discard and await all, so that timing tells nothing."],
    ]

    def __init__(self) -> None:
        super().__init__()
        self["ports"] = []
        self["set"] = []
        self["house"] = None

    def opt_listen(self, description: str) -> None:
        """Endpoint for UMP, or a port for 127.0.0.1 alone; may be given several times (default: 19000)."""
        self._open("listen", description)

    def opt_mjai(self, description: str) -> None:
        """Endpoint, or port, for mjai's bots, in lock-step over TCP; likewise (default: 11600)."""
        self._open("mjai", description)

    def opt_majiang(self, description: str) -> None:
        """Endpoint, or port, for Majiang's messages, a line each over TCP; likewise (default: none)."""
        self._open("majiang", description)

    def opt_http(self, description: str) -> None:
        """Endpoint, or port, for bots over WebSocket, and for majiang-bot; likewise (default: 8080)."""
        self._open("http", description)

    def _open(self, option: str, description: str) -> None:
        endpoint = LOCAL.format(description) if description.isdecimal() else description
        try:
            serverFromString(object(), endpoint)
        except Exception as error:  # its parsers raise whatever they like
            refuse(f"--{option}={description}: {_in_a_line(error)}")
        self["ports"].append(ListeningPort(option, endpoint))

    def opt_set(self, change: str) -> None:
        """FIELD=VALUE: change one field of the rules; may be given several times."""
        self["set"].append(change)

    def opt_house(self, seats: str) -> None:
        """KIND:N or mjai*N:COMMAND: up to N house players complete a table; repeatable; none: forget those before."""
        self["house"] = [] if seats == "none" else [*(self["house"] or ()), seats]

    def parseOptions(self, options: Sequence[str] | None = None) -> None:
        """Read the command line; ends the program where it is wrong."""
        try:
            super().parseOptions(options)
        except usage.UsageError as error:
            refuse(f"{str(error).rstrip('.')}; --help lists the options")

    def postOptions(self) -> None:
        """Make the plan, while a mistake can still be told in one line."""
        limits = Limits(*(self._number(option) for option in ("connections", "per-host", "unseated", "children")))
        wishes = self._wishes()
        try:
            rooms = all_room_settings(wishes, self["config"], self["room"])
        except ConfigError as error:
            refuse(error)
        defaults = (ListeningPort(option, LOCAL.format(port), option == "listen") for option, port in PORTS.items())
        self.plan = ServerPlan(
            ports=tuple(self["ports"]) or tuple(defaults),
            rooms=rooms,
            limits=limits,
            seed=self["seed"],
            games=0 if self["games"] == "0" else self._number("games"),
            log_folder=self._folder("log-dir"),
        )

    def _wishes(self) -> RoomOptions:
        """What the options say about rooms."""
        said = {word: self[word] for word in ROOM_WORDS if self[word] is not None}
        if self["house-after"] is not None:
            said["house_after"] = self._seconds("house-after")
        if self["ask-all"]:
            said["ask_all"] = True
        try:
            return read_room_options(said)
        except ConfigError as error:
            word, _, complaint = str(error).partition(": ")
            refuse(f"--{word.replace('_', '-')}: {complaint}")

    def _seconds(self, option: str) -> float:
        try:
            return float(self[option])
        except ValueError:
            refuse(f"--{option}={self[option]}: a number of seconds is wanted")

    def _folder(self, option: str) -> Path | None:
        """Return a folder that one can write to, made where it is not there."""
        if self[option] is None:
            return None
        folder = Path(self[option])
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            refuse(f"--{option}={folder}: {error.strerror or error}")
        if not os.access(folder, os.W_OK):
            refuse(f"--{option}={folder}: nothing can be written there")
        return folder.resolve()  # a server that goes into the background changes its directory

    def _number(self, option: str) -> int:
        text = str(self[option])
        if not NUMBER.fullmatch(text):
            refuse(f"--{option}={text}: a number from 1 to 999999999 is wanted")
        return int(text)


def _in_a_line(error: Exception) -> str:
    return " ".join(f"{error}".split()) or type(error).__name__


def makeService(options: Options) -> IService:
    """Make the server; imports the reactor only now, when the starter has chosen one."""
    from twisted.internet import reactor

    return make_server(options.plan, reactor)
