#!/usr/bin/env python3
"""A UMP 0.1 player that takes the shortest way to a win, built on the modules of this project.

    python3 clients/efficiency.py localhost:19000 --name me --games 3

It asks the server to list the legal actions (``_offer=1``). If a server does not, it works them out from its own hand.
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
"""Maximum length of a line, in bytes."""


class Player:
    """The player without its connection: it takes lines, and returns answers."""

    def __init__(self, hello: dict[str, str], rules: str | None = None) -> None:
        """Prepare for one connection.

        ``hello`` has the options of the player's own hello. ``rules`` is the preset for working out legal actions;
        None means the one that the server names, or else ``ump``.
        """
        self.is_over = False
        """Whether the server has said bye."""
        self._hello = hello
        self._rules = rules
        self._reader = Reader()
        self._policy = Efficiency()
        self._observed = self._new_observation(None)
        self._names: tuple[str, ...] = ()

    def receive(self, line: str) -> str | None:
        """Take one line without its end, and return the answer if the line is a question.

        Raise ValueError for a malformed line, and ConnectionError with the server's message for ``error``.
        """
        answers = [answer for event in self._reader.read(line) if (answer := self._answer(event)) is not None]
        return answers[-1] if answers else None

    def _answer(self, event: ClientEvent) -> str | None:
        """Return the answer to a question; remember any other event."""
        match event:
            case QuestionAsked(number, phase, tile, offers):
                return f"{number} {write_action(self._policy.choose(self._observed, phase, tile, offers))}"
            case ReadyAsked(number):
                return f"{number} ok"
            case HelloReceived(number, options):
                self._rules = self._rules or dict(options).get("_rule")
                return f"{number} {ClientHello(tuple(self._hello.items())).serialise()}"
            case SeatAssigned(seat):
                self._observed = self._new_observation(seat)
            case ByeReceived(number):
                self.is_over = True
                return f"{number} bye"
            case ErrorReceived(message):
                raise ConnectionError(f"the server says: {message}")
            case AnswerRefused() | PlayersWaiting():
                pass  # sent only to clients that ask for it in their hello
            case _:
                self._observed.see(event)
                self._report(event)
        return None

    def _new_observation(self, seat: int | None) -> Observation:
        """Return the view of a seat at the start of a game; None as long as the seat is unknown."""
        return Observation(seat, PRESETS.get(self._rules or "", PRESETS["ump"]))

    def _report(self, event: object) -> None:
        """Print the result of each game."""
        if isinstance(event, GameStarted):
            self._names = event.names
        elif isinstance(event, GameEnded):
            ranking = sorted(zip(event.points, self._names, strict=True), reverse=True)
            print(", ".join(f"{name} {points}" for points, name in ranking), flush=True)


def play(connection: socket.socket, player: Player) -> None:
    """Pass lines to the player until the server says bye; raise ConnectionError if it closes before that."""
    lines = connection.makefile("rb")
    while line := lines.readline(LONGEST_LINE):
        if (answer := player.receive(line.decode("ascii").rstrip("\r\n"))) is not None:
            connection.sendall(f"{answer}\r\n".encode("ascii"))
        if player.is_over:
            return
    raise ConnectionError("the server has closed the connection")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="A UMP player that takes the shortest way to a win.")
    parser.add_argument("server", metavar="HOST:PORT", help="the server, such as localhost:19000")
    parser.add_argument("--name", default="efficiency", help="the name to play under")
    parser.add_argument("--games", type=int, default=1, help="number of games; 0: no limit (default: 1)")
    parser.add_argument("--room", help="the room to play in; by default the server chooses")
    parser.add_argument(
        "--rules", choices=sorted(PRESETS), help="rules for legal actions; by default those of the server"
    )
    return parser.parse_args()


def main() -> None:
    """Connect and play; report an error in one line."""
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
