#!/usr/bin/env python3
"""A UMP 0.1 player that goes straight for the nearest win, built on the project's own rules and reader of the wire.

    python3 clients/efficiency.py localhost:19000 --name me --games 3

It asks the server to list what is legal (``_offer=1``). Where a server does not, it claims what its own hand lets it.
"""

from __future__ import annotations

import argparse
import socket
import sys

from ump.model.events import GameEnded, GameStarted
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.wire.ump01.answers import write_action
from ump.wire.ump01.client_events import (
    AnswerRefused,
    ByeReceived,
    ClientEvent,
    ErrorReceived,
    HelloReceived,
    PlayersWaiting,
    QuestionAsked,
    ReadyAsked,
    SeatAssigned,
)
from ump.wire.ump01.client_messages import ClientHello
from ump.wire.ump01.read import Reader

LONGEST_LINE = 8192
"""Bytes; more without an end is no sentence."""


class Player:
    """The player without its connection: a line in, perhaps an answer out."""

    def __init__(self, hello: dict[str, str], rules: str | None = None) -> None:
        """Prepare for one connection.

        ``hello`` are the options to introduce oneself with. ``rules`` names the preset to read one's hand by; None:
        the one that the server names, or ``ump``.
        """
        self.over = False
        """Whether the server has said bye."""
        self._hello = hello
        self._rules = rules
        self._reader = Reader()
        self._policy = Efficiency()
        self._seen = self._observation(None)
        self._names: tuple[str, ...] = ()

    def hear(self, line: str) -> str | None:
        """Take one line, without its end, and return the answer where it asks for one.

        Raises ValueError where the line makes no sense, ConnectionError with the server's words after ``error``.
        """
        answers = [answer for heard in self._reader.read(line) if (answer := self._take(heard)) is not None]
        return answers[-1] if answers else None

    def _take(self, heard: ClientEvent) -> str | None:
        match heard:
            case QuestionAsked(number, phase, tile, offers):
                return f"{number} {write_action(self._policy.choose(self._seen, phase, tile, offers))}"
            case ReadyAsked(number):
                return f"{number} ok"
            case HelloReceived(number, options):
                self._rules = self._rules or dict(options).get("_rule")
                return f"{number} {ClientHello(tuple(self._hello.items())).serialise()}"
            case SeatAssigned(seat):
                self._seen = self._observation(seat)
            case ByeReceived(number):
                self.over = True
                return f"{number} bye"
            case ErrorReceived(message):
                raise ConnectionError(f"the server says: {message}")
            case AnswerRefused() | PlayersWaiting():
                pass  # told only to who asks for it in the hello
            case _:
                self._seen.see(heard)
                self._report(heard)
        return None

    def _observation(self, seat: int | None) -> Observation:
        return Observation(seat, PRESETS.get(self._rules or "", PRESETS["ump"]))

    def _report(self, event: object) -> None:
        """Print who plays and how it ended."""
        if isinstance(event, GameStarted):
            self._names = event.names
        elif isinstance(event, GameEnded):
            ranking = sorted(zip(event.points, self._names, strict=True), reverse=True)
            print(", ".join(f"{name} {points}" for points, name in ranking), flush=True)


def play(connection: socket.socket, player: Player) -> None:
    """Pass lines on until the player is dismissed; raises ConnectionError when the server is gone before that."""
    lines = connection.makefile("rb")
    while line := lines.readline(LONGEST_LINE):
        if (answer := player.hear(line.decode("ascii").rstrip("\r\n"))) is not None:
            connection.sendall(f"{answer}\r\n".encode("ascii"))
        if player.over:
            return
    raise ConnectionError("the server has closed the connection")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="A UMP player that goes straight for the nearest win.")
    parser.add_argument("server", metavar="HOST:PORT")
    parser.add_argument("--name", default="efficiency")
    parser.add_argument("--games", type=int, default=1, help="how many games to stay for; 0: until the server ends")
    parser.add_argument("--room", help="the room to sit in; by default the server's own choice")
    parser.add_argument("--rules", choices=sorted(PRESETS), help="rules to read the hand by; by default the server's")
    return parser.parse_args()


def main() -> None:
    """Connect, play, and say in one line what went wrong."""
    options = arguments()
    hello = {"ump": "0.1", "name": options.name, "_games": str(options.games), "_offer": "1"}
    if options.room is not None:
        hello["_room"] = options.room
    host, _, port = options.server.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), port)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            play(connection, Player(hello, options.rules))
    except OSError as error:
        sys.exit(f"no game with {options.server}: {error}")
    except ValueError as error:
        sys.exit(f"{options.server} does not speak UMP: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
