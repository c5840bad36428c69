"""The orders of an operator to a running server, each declared once: name, arguments, help, giver and answer. Pure.

``ump admin``, the page /admin and other programs send the same request, ``POST /api/admin/order`` with a JSON object:
the name of the order under ``order``, and its arguments. The answer is a JSON object with ``ok``, and either what the
order has come to, or ``error``. docs/operate.md lists the orders.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from ump.model.choices import unknown
from ump.model.value import value
from ump.server.users.bans import MAX_REASON, BanKind, Target
from ump.wire.text import MAX_ANNOUNCEMENT

PATH = "api/admin/order"
"""The path of orders on an HTTP port, and on the socket of orders."""

MAX_SECONDS = 1_000_000
"""The longest drain with a limit: eleven days."""

MAX_ID = 2**53
"""The ids of logged orders are smaller."""

TARGETS = ("table", "game", "report", "drill", "player", "user", "address")
"""The arguments that name the target of an order."""


class OrderError(ValueError):
    """An order that is not understood, or cannot be carried out; the message is for the operator."""


class ArgumentKind(Enum):
    """The kinds of arguments."""

    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    TARGET = "target"
    """A user under ``user``, or an address or a network under ``address``."""


@value
class Argument:
    """An argument of an order."""

    name: str
    expected: str
    """Its kind in words, for errors."""
    kind: ArgumentKind = ArgumentKind.TEXT
    is_needed: bool = True
    most: int = 0
    """The greatest number."""
    help: str = ""
    """The help of its option on the command line; arguments that are needed have none."""
    metavar: str | None = None
    """The name of the value in the help."""

    @property
    def least(self) -> int:
        """The smallest number."""
        return 1 if self.kind is ArgumentKind.WHOLE else 0

    def read(self, given: Mapping[str, Any]) -> Any:
        """Return the argument of an order, None if it is left out; raises OrderError."""
        if self.kind is ArgumentKind.TARGET:
            return self._read_target(given)
        content: Any = given.get(self.name)
        if content is None and not self.is_needed:
            return None
        if self.kind is ArgumentKind.TEXT:
            return self._read_text(content)
        numbers = int if self.kind is ArgumentKind.WHOLE else int | float
        is_number = isinstance(content, numbers) and not isinstance(content, bool)
        if not is_number or not self.least <= content <= self.most:
            raise OrderError(f"{self.name!r} is {self.expected}")
        return content

    def _read_text(self, content: object) -> str:
        if not self.is_needed:
            return str(content)
        if not isinstance(content, str) or not content:
            raise OrderError(f"{self.name!r} is missing; expected {self.expected}")
        return content

    def _read_target(self, given: Mapping[str, Any]) -> Target:
        if "address" in given:
            return Target(BanKind.ADDRESS, Argument("address", "an address or a network").read(given))
        return Target(BanKind.USER, Argument("user", "a name").read(given))


@value
class OperatorOrder:
    """An order that an operator can give."""

    name: str
    summary: str
    """One line about it, in the list of orders."""
    description: str
    """Its help."""
    answer: tuple[str, ...]
    """The keys of its answer."""
    arguments: tuple[Argument, ...] = ()
    examples: tuple[str, ...] = ("",)
    """The words that may follow the name on the command line."""
    is_question: bool = False
    """Whether it changes nothing, and is not logged."""
    is_local: bool = False
    """Whether it is about the program, not about its players: nobody can give it over the HTTP port."""

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments by their names; raises OrderError."""
        return {argument.name: argument.read(given) for argument in self.arguments}


_GAME = Argument("game", "the id of a record")
_TARGET = Argument("target", "a user, an address or a network", ArgumentKind.TARGET)

BAN_OPTIONS = (
    Argument(
        "until",
        "a date",
        is_needed=False,
        help="End the ban on this date or at this instant (UTC); by default users never, addresses in 7 days.",
        metavar="DATE",
    ),
    Argument(
        "reason",
        "a text",
        is_needed=False,
        help=f"Reason that the user reads: at most {MAX_REASON} visible characters.",
        metavar="TEXT",
    ),
)

_ALL = (
    OperatorOrder(
        "tables",
        "List the tables.",
        "List the running games: room, number of spectators, players by seat, in brackets those without a connection.",
        ("tables",),
        examples=("", "--json"),
        is_question=True,
    ),
    OperatorOrder(
        "players",
        "List the players.",
        "List who waits or plays, with addresses and protocols. Built-in bots are not listed.",
        ("players",),
        is_question=True,
    ),
    OperatorOrder(
        "bans",
        "List the bans.",
        "List the bans in force, the newest first.",
        ("bans",),
        is_question=True,
    ),
    OperatorOrder(
        "log",
        "List the last orders.",
        "List the last 50 orders that changed something: by this command, 'ump users', or over HTTP.",
        ("orders",),
        (
            Argument(
                "before",
                "the id of an order",
                ArgumentKind.WHOLE,
                is_needed=False,
                most=MAX_ID - 1,
                help="List the orders before this one.",
                metavar="ID",
            ),
        ),
        examples=("", "--before 120"),
        is_question=True,
    ),
    OperatorOrder(
        "reports",
        "List the reports of players.",
        "List the reports of players by users that wait for a verdict, the oldest first, at most 50: the id, the user "
        "who reports, the game by the id of its record, the player and the seat, the reason, and how many reports of "
        "this player were upheld before.\n\n"
        "Then how like a program the player plays: the share of discards in which the most similar built-in bot would "
        "have chosen the same, that of 95 % of people, and one in how many people is so like a built-in bot. It "
        "follows some seconds after the first list, from the game of the report and the last ones in its rated room.",
        ("reports",),
        examples=("", "--json"),
        is_question=True,
    ),
    OperatorOrder(
        "judge",
        "Give a verdict about a report.",
        "Take REPORT, an id of 'ump admin reports', out of the queue. VERDICT is upheld or dismissed.\n\n"
        "The user who made the report is told if connected. A verdict does nothing else; 'ump admin ban' and "
        "'ump admin annul' do.",
        ("judged",),
        (
            Argument("report", "the id of a report", ArgumentKind.WHOLE, most=MAX_ID - 1),
            Argument("verdict", "upheld or dismissed"),
        ),
        examples=("7 upheld",),
    ),
    OperatorOrder(
        "close",
        "End a game now.",
        "End the game at TABLE now, without a result. Its players go on as after any game; its record ends there.",
        ("closed",),
        (Argument("table", "a name"),),
        examples=("main-12",),
    ),
    OperatorOrder(
        "annul",
        "Let a rated game not count.",
        "Let a finished game of a rated room not count: the ladder is as without it.\n\n"
        "GAME is the id of its record, as in the address of its replay. Its players are told if they are connected, "
        "and the page of their games marks it. 'ump admin restore' takes the order back.",
        ("annulled", "told"),
        (_GAME,),
        examples=("20261123T180000Z-main-12",),
    ),
    OperatorOrder(
        "restore",
        "Let an annulled game count again.",
        "Let a game that 'ump admin annul' has taken from the ladder count again.",
        ("restored", "told"),
        (_GAME,),
        examples=("20261123T180000Z-main-12",),
    ),
    OperatorOrder(
        "drills",
        "List the withdrawn drills.",
        "List the drills that are asked no more, because two people who have practised have reported them: the id, "
        "the question, and what is right. --json has each as files of 'ump drill' do.",
        ("drills",),
        examples=("", "--json"),
        is_question=True,
    ),
    OperatorOrder(
        "reinstate",
        "Let a withdrawn drill be asked again.",
        "Let DRILL, an id of 'ump admin drills', be asked again. The reports that have withdrawn it count no more.",
        ("reinstated",),
        (Argument("drill", "the id of a drill"),),
        examples=("0f3c9a7be2d41586",),
    ),
    OperatorOrder(
        "kick",
        "Remove a player.",
        "Close the connections of PLAYER, who cannot come back to the seat. The game goes on as if PLAYER had left.\n\n"
        "'ump admin ban' keeps a user or an address out.",
        ("kicked",),
        (Argument("player", "a name"),),
        examples=("mallory",),
    ),
    OperatorOrder(
        "ban",
        "Ban a user, an address or a network.",
        "Ban TARGET in the server's --users, and close its connections now: a user, an address or a network.\n\n"
        "The other servers of a site follow within two seconds. A user whose password or token is right reads until "
        "when the account is closed, and the reason. 'ump admin unban' ends a ban.",
        ("banned", "kicked"),
        (_TARGET, *BAN_OPTIONS),
        examples=("mallory --reason 'two accounts'", "mallory --until 2027-01-01", "192.0.2.0/24"),
    ),
    OperatorOrder(
        "unban",
        "End a ban.",
        "End the ban of TARGET: a user, an address or a network.",
        ("unbanned",),
        (_TARGET,),
        examples=("mallory",),
    ),
    OperatorOrder(
        "announce",
        "Tell all players and spectators something.",
        f"Tell TEXT to everybody who waits, plays or watches: one line of at most {MAX_ANNOUNCEMENT} visible "
        "characters.\n\n"
        "UMP's clients receive it if they have sent _explain=1, as pages, 'ump play' and people at a prompt do. mjai "
        "and Majiang have no place for it.",
        ("told", "not_told"),
        (Argument("text", "a text"),),
        examples=("'The server restarts at 20:00.'", "--json 'Welcome to the tournament.'"),
    ),
    OperatorOrder(
        "drain",
        "End the server after the running games.",
        "Let no more games begin, and end the server when the running ones are over.",
        ("running",),
        (
            Argument(
                "seconds",
                f"a number from 0 to {MAX_SECONDS}",
                ArgumentKind.NUMBER,
                is_needed=False,
                most=MAX_SECONDS,
                help="Most time for the games; without it, all end.",
            ),
        ),
        examples=("", "--seconds 600"),
        is_local=True,
    ),
    OperatorOrder(
        "reload",
        "Read certificates, rooms and the deny list again.",
        "Read certificates, rooms and the deny list again, as SIGHUP does, but with errors told here.",
        ("read",),
        is_local=True,
    ),
)

ORDERS: Mapping[str, OperatorOrder] = {order.name: order for order in _ALL}
"""All orders by their names."""


def find_order(name: object) -> OperatorOrder:
    """Return the order of this name; raises OrderError."""
    if not isinstance(name, str) or name not in ORDERS:
        raise OrderError(unknown("order", str(name), ORDERS))
    return ORDERS[name]
