#!/usr/bin/env python3
"""A whole mjai player, standard library only: it discards what it draws. Copy it, and make it think.

    python3 clients/tsumogiri_mjai.py mjsonp://localhost:11600/default --name me

The server speaks first, one JSON object a line, and each wants exactly one reply, mostly {"type":"none"}. The reply to
one's own draw is what one does; the replies to others' tiles may be calls.
"""

from __future__ import annotations

import argparse
import json
import socket
import sys
from urllib.parse import urlsplit

MAX_LINE = 65_536


def play(connection: socket.socket, name: str, room: str) -> None:
    """Reply to the server until the game ends; exit with a message when it says error."""
    seat, names = -1, [""]
    lines = connection.makefile("rb")
    while line := lines.readline(MAX_LINE):
        message = json.loads(line)
        reply: dict[str, object] = {"type": "none"}  # also to what one does not know, and to what one has done oneself
        match message["type"]:
            case "hello":
                reply = {"type": "join", "name": name, "room": room}
            case "start_game":
                seat, names = message["id"], message.get("names", [""] * 4)
            case "tsumo" if message["actor"] == seat:  # or: reach, ankan, kakan, hora, ryukyoku
                reply = {"type": "dahai", "actor": seat, "pai": message["pai"], "tsumogiri": True}
            case "dahai" if message["actor"] != seat:
                pass  # or: chi, pon, daiminkan, hora; those that are legal are in its possible_actions
            case "end_game":
                ranking = sorted(zip(names, message.get("scores", []), strict=False), key=lambda pair: -pair[1])
                print(", ".join(f"{who} {points}" for who, points in ranking), flush=True)
                return
            case "error":
                sys.exit(f"the server says: {message.get('message', '')}")
        connection.sendall(json.dumps(reply, separators=(",", ":")).encode("ascii") + b"\n")
    sys.exit("the server has closed the connection")


def main() -> None:
    """Read the command line, connect, play."""
    parser = argparse.ArgumentParser(description="An mjai player that discards what it draws.")
    parser.add_argument("server", metavar="[mjsonp://]HOST:PORT[/ROOM]")
    parser.add_argument("--name", default="tsumogiri")
    options = parser.parse_args()
    server = options.server
    try:
        url = urlsplit(server if "//" in server else f"//{server}")
        with socket.create_connection((url.hostname or "localhost", url.port or 11600)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # small replies are not held back
            play(connection, options.name, url.path.strip("/") or "default")
    except OSError as error:
        sys.exit(f"no connection to {server}: {error}")
    except (ValueError, KeyError, TypeError) as error:
        sys.exit(f"{server} does not speak mjai: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
