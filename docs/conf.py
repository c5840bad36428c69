"""The documentation site, by Sphinx. ``scripts/docs`` builds it."""

from __future__ import annotations

import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from docutils import nodes

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))

from scripts.notebooks import write_pages  # noqa: E402
from scripts.site_reference import write  # noqa: E402
from ump.model.notation import MJAI_FACES, parse_mpsz  # noqa: E402
from ump.web.pieces import TILE  # noqa: E402

TOP_PAGES = {name: f"reference/{name.lower()}.md" for name in ("CONTRIBUTING", "SECURITY", "CHANGELOG")}
"""Pages at the top of the repository, and their places on the site."""

SOURCES = {
    "ump/wire/ump/sentences01.py": "sentences-of-ump-01",
    "ump/wire/ump/sentences02.py": "sentences-of-ump-02",
    "ump/wire/mjai/events.py": "names-of-yaku",
    "ump/wire/mjai/riichienv_observation.py": "observations-in-mjai-c",
    "ump/wire/majiang/events.py": "rules-in-majiang",
}
"""Sources that pages link to, and the sections of reference/wire.md that say the same on the site."""

write(DOCS / "reference")
write_pages(DOCS / "reference")
(DOCS / "index.md").write_bytes((DOCS / "README.md").read_bytes())
for name, place in TOP_PAGES.items():
    page = (ROOT / f"{name}.md").read_text(encoding="utf-8")
    (DOCS / place).write_text(page.replace("](docs/", "](../"), encoding="utf-8")
(DOCS / "reference" / "static").mkdir(exist_ok=True)
art = (ROOT / "ump" / "web" / "static" / "tiles.css").read_text(encoding="utf-8")
(DOCS / "reference" / "static" / "tiles.css").write_text(f".tile {{ {TILE} }}\n{art}", encoding="utf-8")

project = "ump"
author = "the ump authors"
release = metadata.version("ump-mahjong").partition("+")[0]
html_title = f"ump {release}"
html_theme = "furo"
html_show_copyright = False
html_show_sphinx = False
html_static_path = ["reference/static"]
html_css_files = ["tiles.css"]
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
exclude_patterns = ["README.md", "newsfragments", "build"]
myst_heading_anchors = 3
man_pages = [("reference/commands", "ump", "riichi mahjong", author, 1)]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
suppress_warnings = ["misc.highlighting_failure"]


def link_within(app: object, name: str, source: list[str]) -> None:
    """Let links to pages at the top lead to their places here; what else lies outside of docs is text."""
    up = "../" * name.count("/")
    text = source[0]
    for top, place in TOP_PAGES.items():
        text = text.replace(f"]({up}../{top}.md", f"]({up}{place}")
    for path, heading in SOURCES.items():
        text = text.replace(f"]({up}../{path})", f"]({up}reference/wire.md#{heading})")
    outside = rf"\[([^\]]+)\]\({re.escape(up)}\.\./[^)]*\)"
    source[0] = re.sub(outside, lambda found: found[1] if "`" in found[1] else f"`{found[1]}`", text)


def tiles(role: str, raw: str, text: str, *_: Any, **__: Any) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """Draw the tiles of a hand, as in {tiles}`123m0p7z`."""
    names = [MJAI_FACES[face] for face in parse_mpsz(text)]
    spans = "".join(f'<span class="tile t-{name}" title="{name}"></span>' for name in names)
    return [nodes.raw("", f'<span role="img" aria-label="{text}">{spans}</span>', format="html")], []


def setup(app: Any) -> None:
    """Change the source of each page before it is read, and draw tiles."""
    app.connect("source-read", link_within)
    app.add_role("tiles", tiles)
