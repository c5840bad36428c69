#!/usr/bin/env python3
"""A whole UMP 0.1 player, standard library only: it discards what it draws. Copy it, and make it think.

    python3 clients/tsumogiri.py localhost:19000 --name me

The server speaks first. Each line is "<id> <command> [<argument> ...]"; the commands in ANSWERS ask something, and
what one sends back begins with the same id. All other lines tell what happens at the table.
"""

from __future__ import annotations

import argparse
import socket
import sys
from urllib.parse import quote, unquote

LONGEST_LINE = 8192
ANSWERS = {
    "hello": "hello ump=0.1 name={name} _games={games}",
    "ready?": "ok",
    "sutehai?": "sute {drawn} tsumogiri",  # or: richi <tile>, ankan <tile>, kakan <tile>, tsumo
    "naku?": "no",  # or: chi <own> <own>, pon <own> <own>, kan, ron
    "tenpai?": "yes",
    "bye": "bye",
}


def play(connection: socket.socket, name: str, games: int) -> None:
    """Answer the server until it says bye; exit with a message when it says error, or nothing more."""
    facts = {"name": quote(name), "games": games}
    names: list[str] = []
    lines = connection.makefile("rb")
    while line := lines.readline(LONGEST_LINE):
        number, command, *arguments = line.decode("ascii").split()
        if command == "gamestart":
            names = [unquote(player) for player in arguments[1:]]
        elif command == "tsumo" and len(arguments) == 3:  # only one's own draws show the tile
            facts["drawn"] = arguments[2]
        elif command == "gameend":
            ranking = sorted(zip(map(int, arguments), names, strict=True), reverse=True)
            print(", ".join(f"{player} {points}" for points, player in ranking), flush=True)
        elif command == "error":
            sys.exit(f"the server says: {unquote(' '.join(arguments))}")
        if command in ANSWERS:
            connection.sendall(f"{number} {ANSWERS[command].format_map(facts)}\r\n".encode("ascii"))
        if command == "bye":
            return
    sys.exit("the server has closed the connection")


def main() -> None:
    """Read the command line, connect, play."""
    parser = argparse.ArgumentParser(description="A UMP player that discards what it draws.")
    parser.add_argument("server", metavar="HOST:PORT")
    parser.add_argument("--name", default="tsumogiri")
    parser.add_argument("--games", type=int, default=1, help="how many games to stay for; 0: until the server ends")
    options = parser.parse_args()
    host, _, port = options.server.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), port)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # small answers are not held back
            play(connection, options.name, options.games)
    except OSError as error:
        sys.exit(f"no connection to {options.server}: {error}")
    except ValueError as error:
        sys.exit(f"{options.server} does not speak UMP: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
