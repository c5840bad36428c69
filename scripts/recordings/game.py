"""The game of the recording: a person types answers, and plays one kyoku against a server in memory."""

from __future__ import annotations

import re
from collections.abc import Sequence

from support.memory_server import MemoryServer, Peer
from support.scripted_server import ROOT

from scripts.recordings.terminal_svg import COLUMNS, Moment, terminal_svg
from ump.server.config import server_plan
from ump.server.options import OPTIONS, read_command_line
from ump.terminal.connect import COLOR_ON, PROMPT

ROOMS = ROOT / "scripts" / "serve.toml"
"""The rooms of the server: those of ``scripts/serve``."""

SEED = "485"
"""The seed of the server. With it the person wins."""

ENTER = ""
"""What the person types to press Enter alone."""

TYPED = (
    "alice quick",
    ENTER,
    "4zz",
    "4z",
    "D 1Z",
    ENTER,
    "discard 6p",
    "8p",
    "riichi",
    "tsumo",
)
"""Everything that the person types, with one typing error."""

TOKEN = re.compile("[0-9a-f]{32}")
"""The token with which the person could come back. It is random."""

EXAMPLE_TOKEN = "00112233445566778899aabbccddeeff"
"""What the recording shows in its place."""

STEP = 0.1
"""Seconds by which the clock moves at a time."""

QUIET = 4.0
"""After this many seconds without output the server waits for the person; built-in bots come and think sooner."""

READ_SECONDS, TYPE_SECONDS = 1.8, 0.6
"""How long the recording shows new text before something is typed, and what was typed before it is sent."""

ENDING_SECONDS = 6.0
"""How long the recording shows the end."""


class Recording:
    """The lines on the screen of the person, and when each of them was there."""

    def __init__(self, server: MemoryServer, peer: Peer) -> None:
        self.lines = ["$ ump connect"]
        self.moments = [Moment(1, READ_SECONDS)]
        self._clock = server.clock
        self._writes = peer.wire.writes
        self._peer = peer
        self._seen = 0

    def play(self, typed: Sequence[str]) -> None:
        """Let the person type each line when the server waits for it."""
        for line in typed:
            self._wait()
            self._pause(READ_SECONDS)
            self.lines.append(f"{PROMPT}\x1b[1m{line or '(Enter)'}\x1b[0m")
            self._pause(TYPE_SECONDS)
            self._peer.say(line)
        self._wait()
        self._pause(ENDING_SECONDS)

    def _wait(self) -> None:
        """Let time pass until nothing more comes."""
        quiet = 0.0
        while quiet < QUIET:
            new = b"".join(self._writes[self._seen :]).decode().split("\r\n")[:-1]
            self._seen = len(self._writes)
            if new:
                self._pause(quiet)
                self.lines += [row for line in new for row in rows(TOKEN.sub(EXAMPLE_TOKEN, line))]
                quiet = 0.0
            self._clock.advance(STEP)
            quiet += STEP

    def _pause(self, seconds: float) -> None:
        """Show the present text for some time longer."""
        last = self.moments[-1]
        if last.lines == len(self.lines):
            self.moments[-1] = Moment(last.lines, round(last.seconds + seconds, 3))
        else:
            self.moments.append(Moment(len(self.lines), round(seconds, 3)))


def rows(line: str) -> list[str]:
    """Return the rows of a terminal that a line takes. Lines with colours are laid out for it, and fit."""
    if "\x1b" in line:
        return [line]
    return [line[start : start + COLUMNS] for start in range(0, max(len(line), 1), COLUMNS)]


def record() -> Recording:
    """Play the game, and return its recording."""
    plan = server_plan(read_command_line({"config": [str(ROOMS)]}, OPTIONS))
    server = MemoryServer(*plan.rooms, seed=SEED)
    peer = server.connect()
    recording = Recording(server, peer)
    peer.send(COLOR_ON)  # ump connect sends it
    recording.play(TYPED)
    server.close()
    return recording


def play_svg() -> str:
    """Return the recording as SVG; the last moment stands for all."""
    recording = record()
    title = "A person plays a kyoku in a terminal, and wins"
    return terminal_svg(recording.lines, recording.moments, still=-1, title=title)
