"""The recording of a terminal as one SVG file: a person types answers, and plays one kyoku against a server in memory.

The text is there once, moved up in steps by a CSS animation. The file needs nothing else: no script, no font, no
request. Readers who prefer no motion, and programs that know no animation, see one chosen moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from support.memory_server import MemoryServer, Peer
from support.scripted_server import ROOT

from ump.model.value import value
from ump.server.config import read_command_line, server_settings
from ump.server.settings import OPTIONS
from ump.terminal.connect import COLOR_ON, PROMPT

ROOMS = ROOT / "ump" / "server" / "serve.toml"  # the rooms of the server: those of ``scripts/serve``

SEED = "485"
"""The seed of the server. With it the person wins."""

ENTER = ""  # what the person types to press Enter alone

TYPED = ("alice quick", ENTER, "4zz", "4z", "D 1Z", ENTER, "discard 6p", "8p", "riichi", "tsumo")
"""Everything that the person types, with one typing error."""

TOKEN = re.compile("[0-9a-f]{32}")
"""The token with which the person could come back. It is random."""

EXAMPLE_TOKEN = "00112233445566778899aabbccddeeff"  # what the recording shows in its place
STEP = 0.1  # seconds by which the clock moves at a time

QUIET = 4.0
"""After this many seconds without output the server waits for the person; built-in bots come and think sooner."""

READ_SECONDS, TYPE_SECONDS = 1.8, 0.6
"""Seconds for which the recording shows new text before something is typed, and typed text before it is sent."""

ENDING_SECONDS = 6.0  # how long the recording shows the end


# The picture

COLUMNS, ROWS = 80, 26
SIZE = 14
CELL, LINE = 8.43, 18
"""The size of the letters, and of a character and a line, in pixels. Most monospaced letters are 0.602 of it wide."""

MARGIN = 14

PALETTE = {
    "1": "font-weight:700;fill:#f4f4f4",
    "31": "fill:#ff8a7a",
    "32": "fill:#7fd88f",
    "35": "fill:#e0a0ff",
    "36": "fill:#74d0e8",
    "7": "font-weight:700;fill:#ffd166",
}
"""The CSS of each SGR parameter, on a dark ground; reversed text is a colour of its own. Others show nothing."""

GROUND = "#1b1d22"
"""The colour behind the text, so that it is legible on light and on dark pages."""

FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"

_COLOUR = re.compile(r"\x1b\[([0-9;]*)m")


@value
class Moment:
    """A moment of the recording: how many lines of the text are there, and for how long."""

    lines: int
    seconds: float


def terminal_svg(lines: Sequence[str], moments: Sequence[Moment], still: int, title: str) -> str:
    """Return the SVG of a text with colours; ``still`` is the number of the moment that stands for all."""
    width, height = round(COLUMNS * CELL + 2 * MARGIN), ROWS * LINE + 2 * MARGIN
    total = sum(moment.seconds for moment in moments)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" aria-label="{escape(title)}">',
            f"<title>{escape(title)}</title>",
            "<style>",
            f"text{{font:{SIZE}px {FONTS};fill:#d6d6d6;white-space:pre}}",
            *(f".c{code}{{{css}}}" for code, css in PALETTE.items()),
            f".t{{animation:t {total:g}s step-end infinite}}",
            f"@keyframes t{{{''.join(_keyframes(moments, total))}}}",
            "@media(prefers-reduced-motion:reduce){.t{animation:none}}",
            "</style>",
            f'<clipPath id="s"><path d="M0 {MARGIN}h{width}v{ROWS * LINE}h-{width}z"/></clipPath>',
            f'<rect width="{width}" height="{height}" rx="8" fill="{GROUND}" stroke="#6f6f76"/>',
            f'<g clip-path="url(#s)"><g class="t" transform="translate(0 {_offset(moments[still])})" '
            'xml:space="preserve">',
            *(
                f'<text x="{MARGIN}" y="{MARGIN + LINE * number + SIZE}">{_spans(line)}</text>'
                for number, line in enumerate(lines)
                if line
            ),
            "</g></g></svg>",
            "",
        ]
    )


def _offset(moment: Moment) -> int:
    return LINE * (ROWS - moment.lines)


def _keyframes(moments: Sequence[Moment], total: float) -> Iterator[str]:
    """Yield where the text is at each moment. Lines that are not there yet are below the last row."""
    passed = 0.0
    for moment in moments:
        yield f"{passed / total:.2%}{{transform:translateY({_offset(moment)}px)}}"
        passed += moment.seconds


def _spans(line: str) -> str:
    first, *rest = _COLOUR.split(line)
    spans = [escape(first, quote=False)]
    for codes, text in zip(rest[::2], rest[1::2], strict=True):
        classes = " ".join(f"c{code}" for code in codes.split(";") if code in PALETTE)
        shown = escape(text, quote=False)
        spans.append(f'<tspan class="{classes}">{shown}</tspan>' if classes and text else shown)
    return "".join(spans)


# The game


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
    settings = server_settings(read_command_line({"config": [str(ROOMS)]}, OPTIONS))
    server = MemoryServer(*settings.rooms, seed=SEED)
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
