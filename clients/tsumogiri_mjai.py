#!/usr/bin/env python3
"""A complete mjai player in one file, standard library only. It discards what it draws: copy it, and make it think.

    python3 clients/tsumogiri_mjai.py mjsonp://localhost:11600/default --name me

The server speaks first. It sends one JSON object per line, and each needs exactly one reply; most replies are
{"type":"none"}. The reply to an own draw is a discard, and the reply to another player's discard may be a call.
"""

from __future__ import annotations

import argparse
import json
import socket
import sys
from urllib.parse import urlsplit

LONGEST_LINE = 65_536  # bytes


def play(connection: socket.socket, name: str, room: str) -> None:
    """Reply to the server until the game ends; exit with a message if it says error."""
    seat, names = -1, [""]  # start_game sets them
    lines = connection.makefile("rb")
    while line := lines.readline(LONGEST_LINE):
        connection.settimeout(None)  # after the hello the server may take its time
        message = json.loads(line)
        reply: dict[str, object] = {"type": "none"}  # also for unknown messages and own actions
        match message["type"]:
            case "hello":
                reply = {"type": "join", "name": name, "room": room}
            case "start_game":
                seat, names = message["id"], message.get("names", [""] * 4)
            case "tsumo" if message["actor"] == seat:  # other replies: reach, ankan, kakan, hora, ryukyoku
                reply = {"type": "dahai", "actor": seat, "pai": message["pai"], "tsumogiri": True}
            case "dahai" if message["actor"] != seat:
                pass  # other replies: chi, pon, daiminkan, hora; possible_actions lists the legal ones
            case "end_game":
                ranking = sorted(zip(names, message.get("scores", []), strict=False), key=lambda pair: -pair[1])
                print(", ".join(f"{place} {who} {points} points" for place, (who, points) in enumerate(ranking, 1)))
                return
            case "error":
                sys.exit(f"the server says: {message.get('message', '')}")
        connection.sendall(json.dumps(reply, separators=(",", ":")).encode("ascii") + b"\n")
    sys.exit("the server has closed the connection")


def main() -> None:
    """Read the command line, connect, play."""
    parser = argparse.ArgumentParser(description="An mjai player that discards what it draws.")
    parser.add_argument("server", metavar="[mjsonp://]HOST:PORT[/ROOM]", help="the server, and the room (default)")
    parser.add_argument("--name", default="tsumogiri", help="the name to play under")
    options = parser.parse_args()
    server = options.server
    try:
        url = urlsplit(server if "//" in server else f"//{server}")
        with socket.create_connection((url.hostname or "localhost", url.port or 11600), timeout=8) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # send short replies at once
            play(connection, options.name, url.path.strip("/") or "default")
    except TimeoutError:
        sys.exit(f"{server} sends no hello; mjai is usually on port 11600")
    except OSError as error:
        sys.exit(f"no connection to {server}: {error}")
    except (ValueError, KeyError, TypeError) as error:
        sys.exit(f"{server} does not speak mjai (the usual port is 11600): {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
