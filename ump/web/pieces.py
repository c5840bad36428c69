"""Pieces of HTML with tiles, for notebooks: each is complete by itself, without scripts and without the network.

They take the colours of the text around them, so that they suit light and dark pages. The tiles are those of the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape

from ump.model.melds import Meld
from ump.model.notation import MJAI_FACES, MPSZ_FACES
from ump.model.tiles import Face
from ump.model.value import value
from ump.web import static_files

TILE = (
    "display:inline-block;width:1.5em;aspect-ratio:3/4;margin:1px;vertical-align:middle;border-radius:3px;"
    "background-color:#fbf7ec;background-position:center;background-size:84%;background-repeat:no-repeat;"
    "box-shadow:0 0 0 1px #0004,0 2px 0 #0005"
)
"""The shape of a tile, without its picture: each piece of a page states it anew."""

_STYLE = (
    ".ump{font:14px/1.5 system-ui,sans-serif;max-width:100%;overflow-x:auto}"
    f".ump .tile{{{TILE}}}"
    ".ump .drawn{opacity:.7}.ump .side{transform:rotate(-90deg);margin:1px .35em}.ump .apart{margin-left:.6em}"
    ".ump .hand{white-space:nowrap}.ump .set{margin-left:.6em;white-space:nowrap}.ump p{margin:.3em 0}"
    ".ump table{border-collapse:collapse;margin:.4em 0;font-variant-numeric:tabular-nums}"
    ".ump th,.ump td{padding:.2em .6em;border-bottom:1px solid #8886;text-align:left;vertical-align:middle;"
    "background:none;color:inherit}"
    ".ump th{font-weight:600}.ump .number{text-align:right}"
    ".ump td .tile{width:1.2em;box-shadow:0 0 0 1px #0004}.ump td .set,.ump td .apart{margin-left:.4em}"
    "@media (prefers-color-scheme:dark){.ump .tile{filter:brightness(.92)}}"
)

_RULE = re.compile(r"^\.t-(\w+)\{.*\}$", re.MULTILINE)

_NUMBER = re.compile(r"(?:[-+±]?[\d.,]+ ?%?|-)?")
"""Text that stands at the right of its column."""

ROW = 6
"""The tiles of a row of a river."""


class Markup(str):
    """Text that is HTML already. All other text is escaped."""

    __slots__ = ()


@value
class Tile:
    """A tile in a picture."""

    face: Face
    is_sideways: bool = False
    is_drawn: bool = False
    """Whether it was discarded as drawn."""


@value
class SeatPicture:
    """A seat in the picture of a table."""

    name: str
    points: int
    river: tuple[Tile, ...]
    melds: tuple[Meld, ...]
    in_riichi: bool


def piece(*parts: Markup) -> str:
    """Return parts as one piece, with the pictures of its tiles."""
    body = "".join(parts)
    faces = sorted(set(re.findall(r'class="tile t-(\w+)', body)))
    return f'<div class="ump"><style>{_STYLE}{"".join(map(_art().__getitem__, faces))}</style>{body}</div>'


@cache
def _art() -> dict[str, str]:
    """Return the rule of each tile of the pages, for tiles in a piece."""
    sheet = static_files()["tiles.css"].content.decode()
    return {found[1]: f".ump {found[0]}" for found in _RULE.finditer(sheet)}


def tile(shown: Tile, more: str = "") -> Markup:
    """Return a picture of a tile, which has its name for those who cannot see it."""
    name = MPSZ_FACES[shown.face]
    classes = f"tile t-{MJAI_FACES[shown.face]}"
    if shown.is_sideways:
        classes += " side"
    if shown.is_drawn:
        classes += " drawn"
    if more:
        classes += f" {more}"
    return Markup(f'<span class="{classes}" role="img" aria-label="{name}" title="{name}"></span>')


def hand(faces: Iterable[Face], melds: Iterable[Meld] = (), last: Face | None = None) -> Markup:
    """Return a hand: its concealed tiles, ``last`` apart from them, and its melds."""
    parts = [tile(Tile(face)) for face in faces]
    if last is not None:
        parts.append(tile(Tile(last), "apart"))
    return Markup(f'<span class="hand">{"".join((*parts, *map(_meld, melds)))}</span>')


def _meld(meld: Meld) -> Markup:
    tiles = [Tile(face) for face in meld.own]
    if meld.called is not None:
        tiles.insert(0, Tile(meld.called, is_sideways=True))
    if meld.added is not None:
        tiles.insert(1, Tile(meld.added, is_sideways=True))
    return Markup(f'<span class="set">{"".join(map(tile, tiles))}</span>')


def line(*parts: str) -> Markup:
    """Return a line of text and pictures."""
    return Markup(f"<p>{' '.join(map(_text, parts))}</p>")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """Return a table; columns of numbers stand at the right."""
    listed = list(rows)
    right = [_is_numbers([row[at] for row in listed]) for at in range(len(head))]
    lines = [_row("th", head, right), *(_row("td", row, right) for row in listed)]
    return Markup(f"<table>{''.join(lines)}</table>")


def _is_numbers(cells: Sequence[str]) -> bool:
    return any(cells) and all(map(_NUMBER.fullmatch, cells))


def _row(element: str, cells: Sequence[str], right: Sequence[bool]) -> str:
    written = []
    for cell, is_number in zip(cells, right, strict=True):
        alignment = ' class="number"' if is_number else ""
        written.append(f"<{element}{alignment}>{_text(cell)}</{element}>")
    return f"<tr>{''.join(written)}</tr>"


def _text(text: str) -> str:
    return text if isinstance(text, Markup) else escape(text)


def _river(river: Sequence[Tile]) -> Markup:
    """Return the discards of a seat, in rows."""
    rows = ["".join(map(tile, river[at : at + ROW])) for at in range(0, len(river), ROW)]
    return Markup(f'<span class="hand">{"<br>".join(rows)}</span>')


def table_picture(title: str, indicators: Sequence[Face], seats: Sequence[SeatPicture], held: Markup) -> str:
    """Return a table as a seat sees it, with the hand that it holds."""
    rows = []
    for seat in seats:
        riichi = "riichi" if seat.in_riichi else ""
        melds = Markup("".join(map(_meld, seat.melds)))
        rows.append((seat.name, f"{seat.points:,}", riichi, _river(seat.river), melds))
    dora = Markup("".join(tile(Tile(face)) for face in indicators))
    shown = table(("seat", "points", "", "river", "melds"), rows)
    return piece(line(title, "· dora indicators", dora), shown, line(held))
