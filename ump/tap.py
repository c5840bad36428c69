"""``twistd ump-server``, ``twist ump-server``: the options, and the service made of them.

Whatever is wrong on the command line ends with one line and status 1, under all starters: ``usage.UsageError`` would
print the whole usage before its line, and an exception in ``makeService`` a traceback.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NoReturn

from twisted.application.service import IService
from twisted.internet.endpoints import serverFromString
from twisted.python import usage

from ump.net.config import HOUSE_AFTER, ConfigError, Wishes, read_wishes, settle_all
from ump.net.limits import Limits
from ump.net.listener import HELLO
from ump.players.policy import POLICIES
from ump.rules.presets import PRESETS
from ump.service import Plan, make_server

DEFAULT_PORT = "19000"

LOCAL = "tcp:{}:interface=127.0.0.1"
"""What a bare port means: nobody is let in from outside who was not asked to."""

NUMBER = re.compile("[1-9][0-9]{0,8}")


def refuse(complaint: object) -> NoReturn:
    """End with one line and status 1."""
    raise SystemExit(f"ump-server: {complaint}")


class Options(usage.Options):
    """What stands on the command line; ``plan`` is what it comes to."""

    longdesc = (
        "Serves riichi mahjong over UMP: four who say hello play a game. "
        f"Kinds of house players: {', '.join(POLICIES)}. "
        f"To play by hand: telnet localhost {DEFAULT_PORT}, then: {HELLO}"
    )
    optParameters = [  # noqa: RUF012 - as Twisted has it
        ["rules", None, None, f"Preset of the rules: {', '.join(PRESETS)} (default: ump)."],
        ["length", None, None, "Length of a game: kyoku, tonpu or hanchan (default: as the rules say)."],
        ["time", None, None, "MOVE+BANK: seconds for each move, and more for each kyoku (default: 10+20)."],
        [
            "house-after",
            None,
            None,
            f"Seconds from the first player until house players come (default: {HOUSE_AFTER:g}).",
        ],
        ["seed", None, None, "Text from which all walls and seats are made (default: chance, for each game anew)."],
        ["config", None, None, "TOML file with rooms; the options hold for every room that says nothing else itself."],
        ["connections", None, Limits().connections, "Connections at a time, at most."],
        ["per-host", None, Limits().per_host, "Connections at a time from one address, at most."],
        ["unseated", None, Limits().unseated, "Connections at a time that play at no table, at most."],
    ]
    optFlags = [  # noqa: RUF012
        ["ask-all", None, "Ask everybody about every discard and await all, so that timing tells nothing."],
    ]

    def __init__(self) -> None:
        super().__init__()
        self["listen"] = []
        self["set"] = []
        self["house"] = None

    def opt_listen(self, description: str) -> None:
        """Endpoint to listen on, or a port for 127.0.0.1 alone; may be given several times (default: 19000)."""
        endpoint = LOCAL.format(description) if description.isdecimal() else description
        try:
            serverFromString(object(), endpoint)
        except Exception as error:  # its parsers raise whatever they like
            refuse(f"--listen={description}: {_in_a_line(error)}")
        self["listen"].append(endpoint)

    def opt_set(self, change: str) -> None:
        """FIELD=VALUE: change one field of the rules; may be given several times."""
        self["set"].append(change)

    def opt_house(self, seats: str) -> None:
        """KIND:N: up to N house players complete a table; may be given several times; none: forget those before."""
        self["house"] = [] if seats == "none" else [*(self["house"] or ()), seats]

    def parseOptions(self, options: Sequence[str] | None = None) -> None:
        """Read the command line; ends the program where it is wrong."""
        try:
            super().parseOptions(options)
        except usage.UsageError as error:
            refuse(f"{str(error).rstrip('.')}; --help lists the options")

    def postOptions(self) -> None:
        """Make the plan, while a mistake can still be told in one line."""
        limits = Limits(*(self._number(option) for option in ("connections", "per-host", "unseated")))
        wishes = self._wishes()
        try:
            rooms = settle_all(wishes, self["config"])
        except ConfigError as error:
            refuse(error)
        listen = tuple(self["listen"]) or (LOCAL.format(DEFAULT_PORT),)
        self.plan = Plan(listen=listen, rooms=rooms, limits=limits, seed=self["seed"])

    def _wishes(self) -> Wishes:
        """What the options say about rooms."""
        said = {word: self[word] for word in ("rules", "set", "length", "time", "house") if self[word] is not None}
        if self["house-after"] is not None:
            said["house_after"] = self._seconds("house-after")
        if self["ask-all"]:
            said["ask_all"] = True
        try:
            return read_wishes(said)
        except ConfigError as error:
            word, _, complaint = str(error).partition(": ")
            refuse(f"--{word.replace('_', '-')}: {complaint}")

    def _seconds(self, option: str) -> float:
        try:
            return float(self[option])
        except ValueError:
            refuse(f"--{option}={self[option]}: a number of seconds is wanted")

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
