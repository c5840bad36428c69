"""The stylesheet of tiles: one class for each face, with its SVG in the sheet itself."""

from __future__ import annotations

from scripts.drawing.faces import faces
from scripts.drawing.palette import THEMES

HEAD = """\
/* Made by scripts/tiles. Outlines of characters: Noto Sans CJK JP, (c) 2014-2021 Adobe, SIL Open Font License 1.1, see
   OFL.txt. A tile is <span class="tile t-5mr">; --tile is its width. */
"""

SHAPES = """\
.tile{position:relative;display:inline-block;flex:none;box-sizing:border-box;width:var(--tile,24px);
height:calc(var(--tile,24px)*4/3);border:1px solid var(--tile-edge);border-radius:9%/6.75%;
background:var(--tile-paper) 50%/100% 100% no-repeat border-box;forced-color-adjust:none}
.tile.tsumogiri{background-color:var(--tile-tsumogiri)}
.tile.called{opacity:.38}
.tile.sideways{transform:rotate(-90deg);margin:calc(var(--tile,24px)/-6) calc(var(--tile,24px)/6)}
.tile.last{box-shadow:0 0 0 2px var(--tile-last)}
.tile.t-back.t-back{background-color:var(--tile-back)}
.tile::before,.tile::after{position:absolute;bottom:2%;width:30%;aspect-ratio:1}
.tile::before{right:1%}
.tile::after{left:1%}
.tile.mark-dora::before{content:"";background:var(--mark-dora);clip-path:polygon(50% 0,100% 100%,0 100%)}
.tile.mark-deal-in::after{content:"";background:var(--mark-deal-in);
clip-path:polygon(20% 0,50% 30%,80% 0,100% 20%,70% 50%,100% 80%,80% 100%,50% 70%,20% 100%,0 80%,30% 50%,0 20%)}
.tile.mark-safe::after{content:"";background:var(--mark-safe);clip-path:circle(50%)}
.tile.mark-wait::after{content:"";background:var(--mark-wait);clip-path:polygon(50% 0,100% 50%,50% 100%,0 50%)}
"""

VARIABLES = {
    **{f"tile-{name}": name for name in ("paper", "tsumogiri", "edge", "back", "last")},
    **{f"ink-{name}": name for name in ("black", "red", "green", "blue")},
    **{f"table-{name}": name for name in ("felt", "centre")},
    **{f"mark-{name}": name for name in ("dora", "deal-in", "safe", "wait")},
}
"""For each custom property of the sheet, its colour in a theme."""


def stylesheet() -> str:
    """Return the text of ``tiles.css``."""
    art = faces()
    dark = f"@media (prefers-color-scheme:dark){{\n{_themed('dark', art)}}}\n"
    return f"{HEAD}{SHAPES}{_themed('light', art)}{dark}"


def _themed(theme: str, art: dict[str, str]) -> str:
    """Return the rules that differ between themes."""
    colours = THEMES[theme]
    variables = ";".join(f"--{name}:{colours[colour]}" for name, colour in VARIABLES.items())
    classes = "".join(
        f'.t-{name}{{background-image:url("{_data_uri(each, colours)}")}}\n' for name, each in art.items()
    )
    return f":root{{color-scheme:{theme};{variables}}}\n{classes}"


def _data_uri(art: str, colours: dict[str, str]) -> str:
    """Return an SVG with these colours, as the address of an image."""
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 300 400'>{art}</svg>"
    for name, value in colours.items():
        svg = svg.replace(f"{{{name}}}", value)
    for character in "%#<>":
        svg = svg.replace(character, f"%{ord(character):02X}")
    return f"data:image/svg+xml,{svg}"
