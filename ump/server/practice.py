"""A server on this computer for one player, who plays on from a position of a game against built-in bots.

    python -m ump.server.practice PORT KIND

The position comes on standard input, as ``branch_data`` writes it. The server prints the name that stands for it, and
runs until it is killed; it keeps no records.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from ump.record.branch import read_branch
from ump.server.config import read_command_line, server_settings
from ump.server.service import Server
from ump.server.settings import all_options

ROOM = "practice"


def main(port: str, kind: str) -> None:
    """Serve the position on standard input; bots of this kind play the other seats."""
    from twisted.internet import reactor as installed

    given = {
        "listen": [f"tcp:{port}:interface=127.0.0.1"],
        "room": [ROOM],
        "review": [kind],
        "record-dir": ["none"],
        "no-announce": [""],
        "time": ["300+300"],
        "bot-delay": ["0.3-0.8"],
    }
    settings = server_settings(read_command_line(given, all_options()))
    reactor: Any = installed
    server = Server(settings, reactor, lambda _banner: None, lambda: settings)
    server.startService()
    print(server.keep_branch(ROOM, read_branch(json.load(sys.stdin))), flush=True)
    reactor.addSystemEventTrigger("before", "shutdown", server.stopService)
    reactor.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
