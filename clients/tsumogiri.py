#!/usr/bin/env python3
"""A complete UMP player in one file, standard library only. It discards what it draws: copy it, and make it think.

    python3 clients/tsumogiri.py localhost:19000 --name me

The server speaks first. Each line is "<id> <command> [<argument> ...]". The commands in ANSWERS are questions, and an
answer starts with the id of its question. All other lines say what happens at the table.
"""

from __future__ import annotations

import argparse
import socket
import sys
from urllib.parse import quote, unquote

VERSIONS = ("0.1", "0.2")
ANSWERS = {  # for each version
    "hello": ("hello ump=0.1 name={name} _games={games}", "hello name={name} ump=0.2 _games={games}"),
    "ready?": ("ok", "yes"),
    "sutehai?": ("sute {drawn} tsumogiri", "sutehai {drawn} tsumogiri"),  # other answers: richi, kan, tsumo
    "naku?": ("no", ""),  # other answers: chi <own> <own>, pon <own> <own>, kan, ron
    "naki?": ("", "no"),  # other answers: chi <own tiles>, pon <own tiles>, kan <own tiles>, ron
    "tenpai?": ("yes", "tenpai"),
    "bye": ("bye", ""),
}


def play(connection: socket.socket, ump: str, name: str, games: int) -> None:
    """Answer the server until it says bye or, in 0.2, closes after a game; exit with a message if it says error."""
    values: dict[str, object] = {"name": quote(name), "games": games}  # for the answers
    names, is_over, lines = dict[str, str](), False, connection.makefile("rb")  # the names are by seat
    while line := lines.readline(8192):
        connection.settimeout(None)  # only the hello must come soon
        number, command, *words = line.decode("ascii").split()
        arguments = [unquote(word) for word in words if "=" not in word[1:]]  # words such as id=1 are options
        if command not in ("ready?", "ack"):
            is_over = command == "bye" or (ump == "0.2" and command == "gameend")
        if command == "player":  # only in 0.2
            names[arguments[0]] = arguments[-1]
        elif command == "gamestart":
            names.update(zip("ABCD", arguments[1:], strict=False))  # 0.2 has no names here
        elif command == "tsumo" and arguments[2:] and arguments[2] != "xx":  # only own draws show the tile
            values["drawn"] = arguments[2]
        elif command == "gameend":
            pairs = zip("ABCD", arguments, strict=False) if ump == "0.1" else zip(*[iter(arguments)] * 2, strict=True)
            ranking = enumerate(sorted(pairs, key=lambda pair: -int(pair[1])), 1)
            unit = "points" if ump == "0.1" else "result"  # 0.2 counts uma in
            print(", ".join(f"{place} {names[each[0]]} {each[1]} {unit}" for place, each in ranking), flush=True)
        elif command == "error":
            sys.exit(f"the server says: {' '.join(arguments)}")
        if answer := ANSWERS.get(command, ("", ""))[VERSIONS.index(ump)].format_map(values):
            connection.sendall(f"{number} {answer}\r\n".encode("ascii"))
    if not is_over:
        sys.exit("the server has closed the connection")


def main() -> None:
    """Read the command line, connect, play."""
    parser = argparse.ArgumentParser(description="A UMP player that discards what it draws.")
    parser.add_argument("server", metavar="HOST:PORT", help="the server, such as localhost:19000")
    parser.add_argument("--name", default="tsumogiri", help="the name to play under")
    parser.add_argument("--games", type=int, default=1, help="number of games; 0: no limit (default: 1)")
    parser.add_argument("--ump", choices=VERSIONS, default="0.1", help="the version of UMP (default: 0.1)")
    options = parser.parse_args()
    host, _, port = options.server.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), port), timeout=8) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # send short answers at once
            play(connection, options.ump, options.name, options.games)
    except OSError as error:
        sys.exit(f"no UMP server at {options.server} (the usual port is 19000): {error}")
    except ValueError as error:
        sys.exit(f"{options.server} does not speak UMP (the usual port is 19000): {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
