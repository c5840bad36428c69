"""The tiles of the pages as two stylesheets, ivory and black: a class for each face, with its SVG in the sheet itself.

The art of a face is on a field of 300 x 400 units without paper. Colours stand in braces, as in ``{red}``: a set
fills them in. Chinese characters are outlines of the Japanese faces of Noto Sans CJK.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTCollection, TTFont

# Colours

SETS: dict[str, dict[str, str]] = {
    "ivory": {"paper": "#fbf7ea", "black": "#1c1c20", "red": "#b3201a", "green": "#0f6b3a", "blue": "#1d4fa0"},
    "black": {"paper": "#25282e", "black": "#f0ede4", "red": "#ff8a7a", "green": "#6fd693", "blue": "#8fb8ff"},
}
"""For each set of tiles, the value of each colour. ``black`` is the ink of winds and numerals, light on dark paper."""


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21, as WCAG 2.1 defines it."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return 0.2126 * _linear(red) + 0.7152 * _linear(green) + 0.0722 * _linear(blue)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


# Outlines of characters

FONTS = Path("/usr/share/fonts/opentype/noto")
"""The folder in which Debian's fonts-noto-cjk (Bold) and fonts-noto-cjk-extra (Medium) put their files."""


def file_of(weight: str) -> Path:
    """Return the file with the faces of a weight, "Bold" or "Medium"."""
    return FONTS / f"NotoSansCJK-{weight}.ttc"


def outline(character: str, weight: str, centre: tuple[float, float], box: tuple[float, float]) -> str:
    """Return the outline of a character as the data of an SVG path.

    The outline is as large as fits into a box of this width and height, in its middle. Raises SystemExit if the font is
    not installed.
    """
    font = _japanese_face(weight)
    glyphs = font.getGlyphSet()
    glyph = glyphs[font.getBestCmap()[ord(character)]]
    bounds = BoundsPen(glyphs)
    glyph.draw(bounds)
    left, bottom, right, top = bounds.bounds
    scale = min(box[0] / (right - left), box[1] / (top - bottom))
    x = centre[0] - scale * (left + right) / 2
    y = centre[1] + scale * (bottom + top) / 2
    path = SVGPathPen(glyphs, ntos=lambda number: str(round(number)))
    glyph.draw(TransformPen(path, (scale, 0, 0, -scale, x, y)))
    commands: str = path.getCommands()
    return commands


@cache
def _japanese_face(weight: str) -> TTFont:
    file = file_of(weight)
    if not file.exists():
        raise SystemExit(f"tiles: {file} does not exist; apt-get install fonts-noto-cjk fonts-noto-cjk-extra")
    for face in TTCollection(file, lazy=True).fonts:
        if "JP" in face["name"].getBestFamilyName():
            return face
    raise SystemExit(f"tiles: {file} has no Japanese face")


# Faces

Places = list[tuple[float, float]]

WHITE = (
    "<path fill='none' stroke='{blue}' stroke-width='26' d='M65 65h170v270H65z'/>"
    "<path fill='none' stroke='{blue}' stroke-width='14' d='M103 103h94v198h-94z'/>"
)
"""The white dragon: two frames."""

CORNER = (
    "<mask id='m'><path fill='#fff' d='M0 0h300v400H0z'/><path d='M0 0h126l-126 126z'/></mask><g mask='url(#m)'>",
    "</g><path fill='{red}' d='M14 14h84l-84 84z'/>",
)
"""The surroundings of a red five's art: the filled corner, with a margin of paper."""


def faces() -> dict[str, str]:
    """Return the art of each tile, by its name in mjai: a text of SVG elements."""
    art = {f"{number}p": _circles(number) for number in range(1, 10)}
    art |= {f"{number}s": _bamboo(number) for number in range(1, 10)}
    art |= {f"{number}m": _characters(number) for number in range(1, 10)}
    art |= {f"5{suit}r": _red(art[f"5{suit}"]) for suit in "mps"}
    art |= {
        wind: _character(glyph, "Bold", "black", (226, 270)) for wind, glyph in zip("ESWN", "東南西北", strict=True)
    }
    art |= {"P": WHITE, "F": _character("發", "Medium", "green", (230, 280))}
    art["C"] = _character("中", "Bold", "red", (200, 300))
    return art


def _red(art: str) -> str:
    for colour in ("black", "green", "blue"):
        art = art.replace(f"{{{colour}}}", "{red}")
    return art.join(CORNER)


# Characters


def _characters(number: int) -> str:
    numeral = outline("一二三四五六七八九"[number - 1], "Bold", (150, 108), (176, 132))
    suit = outline("萬", "Medium", (150, 276), (190, 168))
    return f"<path fill='{{black}}' d='{numeral}'/><path fill='{{red}}' d='{suit}'/>"


def _character(glyph: str, weight: str, colour: str, box: tuple[float, float]) -> str:
    return f"<path fill='{{{colour}}}' d='{outline(glyph, weight, (150, 200), box)}'/>"


# Circles

CIRCLES: dict[int, list[tuple[float, Places, str]]] = {
    2: [(60, [(150, 112), (150, 288)], "gb")],
    3: [(50, [(82, 88), (150, 200), (218, 312)], "brg")],
    4: [(52, [(92, 112), (208, 112), (92, 288), (208, 288)], "bggb")],
    5: [(47, [(82, 92), (218, 92), (150, 200), (82, 308), (218, 308)], "bgrgb")],
    6: [(45, list(product((92, 208), (82,))), "gg"), (45, list(product((92, 208), (216, 318))), "rrrr")],
    7: [(36, [(66, 66), (150, 98), (234, 130)], "ggg"), (42, list(product((96, 204), (226, 326))), "rrrr")],
    8: [(40, list(product((96, 204), (66, 155, 245, 334))), "b" * 8)],
    9: [(37, list(product((66, 150, 234), (82, 200, 318))), "grb" * 3)],
}
"""For each number above 1: radius, centres, and a letter for the colour of each centre."""

COLOURS = {"r": "red", "g": "green", "b": "blue"}


def _circles(number: int) -> str:
    if number == 1:
        return (
            _ring(150, 200, 108, 82, "green")
            + _ring(150, 200, 60, 36, "red")
            + "<circle cx='150' cy='200' r='18' fill='{red}'/>"
        )
    return "".join(
        _ring(x, y, radius, 0.62 * radius, COLOURS[letter])
        + f"<circle cx='{x}' cy='{y}' r='{round(0.3 * radius)}' fill='{{{COLOURS[letter]}}}'/>"
        for radius, places, letters in CIRCLES[number]
        for (x, y), letter in zip(places, letters, strict=True)
    )


def _ring(x: float, y: float, outer: float, inner: float, colour: str) -> str:
    middle, thickness = (outer + inner) / 2, outer - inner
    return (
        f"<circle cx='{x}' cy='{y}' r='{round(middle)}' fill='none' stroke='{{{colour}}}' "
        f"stroke-width='{round(thickness)}'/>"
    )


# Bamboo

BAMBOO: dict[int, list[tuple[float, Places, str]]] = {
    2: [(138, [(150, 115), (150, 285)], "gb")],
    3: [(138, [(150, 115), (88, 285), (212, 285)], "bgg")],
    4: [(138, list(product((88, 212), (115, 285))), "gbbg")],
    5: [(138, list(product((70, 230), (115, 285))), "gbbg"), (150, [(150, 200)], "r")],
    6: [(138, list(product((72, 150, 228), (115, 285))), "gb" * 3)],
    7: [(92, [(150, 84)], "r"), (92, list(product((72, 150, 228), (204, 316))), "gbgbgb")],
    8: [(146, list(product((50, 250), (112, 288))), "gbgb")],
    9: [(96, list(product((66, 150, 234), (84, 200, 316))), "gggrrrbbb")],
}
"""For each number above 1: height of the bars, their centres, and a letter for the colour of each."""

ZIGZAG = ((116, 112, -28, "green"), (184, 112, 28, "green"), (116, 288, 28, "blue"), (184, 288, -28, "blue"))
"""The inner bars of 8s, an M over a W: centre, angle in degrees and colour."""

BIRD = (
    "<g transform='translate(2 6) scale(.96)'>"
    "<path fill='{green}' d='M44 362c-6-40 6-70 34-92-10-92 24-158 92-166l66 66"
    "c20 88-26 152-98 160-40 4-72 14-94 32z'/>"
    "<circle cx='212' cy='98' r='50' fill='{green}'/><path fill='{red}' d='M254 78l40 24-44 22z'/>"
    "<path fill='{red}' d='M196 54l-30-44 30 12 8-20 18 22 16-16v40z'/>"
    "<circle cx='222' cy='92' r='17' fill='{paper}'/><circle cx='222' cy='92' r='9' fill='{black}'/>"
    "<path fill='{blue}' stroke='{paper}' stroke-width='10' d='M102 266c-2-64 24-100 74-108 16 60-8 104-74 108z'/>"
    "<path fill='none' stroke='{red}' stroke-width='18' d='M150 322v56m-38 0h84'/></g>"
)
"""1s: tail and body, head, beak, crest, eye, wing, foot."""


def _bamboo(number: int) -> str:
    if number == 1:
        return BIRD
    bars = "".join(
        _bar(x, y, height, COLOURS[letter])
        for height, places, letters in BAMBOO[number]
        for (x, y), letter in zip(places, letters, strict=True)
    )
    if number != 8:
        return bars
    for x, y, angle, colour in ZIGZAG:
        bars += f"<g transform='rotate({angle} {x} {y})'>{_bar(x, y, 140, colour)}</g>"
    return bars


def _bar(x: float, y: float, height: float, colour: str) -> str:
    """Return a bar with knots at its ends and in its middle."""
    top, bottom = y - height / 2, y + height / 2
    knots = "".join(f"M{x - 23:g} {at:g}h46" for at in (top + 8, y, bottom - 8))
    return (
        f"<path fill='none' stroke='{{{colour}}}' stroke-width='26' d='M{x:g} {top:g}v{height:g}'/>"
        f"<path fill='none' stroke='{{{colour}}}' stroke-width='16' d='{knots}'/>"
    )


# The sheet

HEAD = """\
/* Made by scripts/tiles: the art of each tile, on any paper. Outlines of characters: Noto Sans CJK JP, (c) 2014-2021
   Adobe, SIL Open Font License 1.1, see OFL.txt. A tile is <span class="tile t-5mr">; board.css has its shape. */
"""


def stylesheets() -> dict[str, str]:
    """Return the sheets by the names of their files: the ivory tiles, and what the black ones have instead."""
    art = faces()
    return {
        "tiles.css": HEAD + _rules("", art, SETS["ivory"]),
        "tiles_black.css": HEAD + _rules('[data-tiles="black"] ', art, SETS["black"]),
    }


def _rules(selector: str, art: dict[str, str], colours: dict[str, str]) -> str:
    """Return a rule for each face in one set of colours."""
    return "".join(
        f'{selector}.t-{name}{{background-image:url("{_data_uri(each, colours)}")}}\n' for name, each in art.items()
    )


def _data_uri(art: str, colours: dict[str, str]) -> str:
    """Return an SVG with these colours, as the address of an image."""
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 300 400'>{art}</svg>"
    for name, value in colours.items():
        svg = svg.replace(f"{{{name}}}", value)
    for character in "%#<>":
        svg = svg.replace(character, f"%{ord(character):02X}")
    return f"data:image/svg+xml,{svg}"
