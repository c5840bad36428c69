"""The outlines of Chinese characters, from the Japanese faces of Noto Sans CJK."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTCollection, TTFont

FONTS = Path("/usr/share/fonts/opentype/noto")
"""Where Debian's fonts-noto-cjk (Bold) and fonts-noto-cjk-extra (Medium) put their files."""


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
