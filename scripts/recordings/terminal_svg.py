"""A recording of a terminal as one SVG file: the text once, moved up in steps by a CSS animation.

The file needs nothing else: no script, no font, no request. Readers who prefer no motion, and programs that know no
animation, see one chosen moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from ump.model.value import value

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
    """Return how far the text is moved down, so that the last line of the moment is in the last row."""
    return LINE * (ROWS - moment.lines)


def _keyframes(moments: Sequence[Moment], total: float) -> Iterator[str]:
    """Yield where the text is at each moment. Lines that are not there yet are below the last row."""
    passed = 0.0
    for moment in moments:
        yield f"{passed / total:.2%}{{transform:translateY({_offset(moment)}px)}}"
        passed += moment.seconds


def _spans(line: str) -> str:
    """Return a line of text as SVG, with a class for each of its colours."""
    first, *rest = _COLOUR.split(line)
    spans = [escape(first, quote=False)]
    for codes, text in zip(rest[::2], rest[1::2], strict=True):
        classes = " ".join(f"c{code}" for code in codes.split(";") if code in PALETTE)
        shown = escape(text, quote=False)
        spans.append(f'<tspan class="{classes}">{shown}</tspan>' if classes and text else shown)
    return "".join(spans)
