"""The pages for browsers: their files, media types and Content-Security-Policy."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from ump.model.value import value

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The Content-Security-Policy of all pages: only scripts and styles from this server, and no text that becomes code."""

MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}
"""For the ending of each file that is served, its media type. Files with other endings are not."""


_COMMENT = re.compile(rb"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/|\(c\)).)*\*/)[ \t]*\n", re.MULTILINE | re.DOTALL)
"""A comment of whole lines, without a copyright."""

_REMARK = re.compile(rb"(?<=[;{,(]) +// [^\n\"`]*$", re.MULTILINE)
"""A comment behind the code of a script. A text that looks like one has the quote that ends it."""


FRAME = "site.html"
"""The file in whose midst all pages around the tables stand, whose own files begin with their titles."""


@value
class StaticFile:
    """A file of the pages."""

    name: str
    """Its path below the folder ``static``, as in ``words/en.js``."""
    content: bytes

    @property
    def media_type(self) -> str:
        """The value of Content-Type."""
        return MEDIA_TYPES[self.name.rpartition(".")[2]]

    @property
    def etag(self) -> str:
        """A text that changes with the content, as the header ETag has it."""
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'


@cache
def static_files() -> dict[str, StaticFile]:
    """Return all files of the pages by name. Nothing else can be asked for, so no path leads out of their folder.

    Comments are left out of scripts and sheets: they are a seventh of what a browser loads.
    """
    found = {each.name: each for each in _below(files("ump.web") / "static", "")}
    frame = found.pop(FRAME).content
    return {name: _framed(each, frame) if each.content.startswith(b"<title>") else each for name, each in found.items()}


def _framed(page: StaticFile, frame: bytes) -> StaticFile:
    """Return a page with the head that all pages around the tables share."""
    head, tag, main = page.content.partition(b"<main")
    parts = {b"{head}\n": head, b"{name}": page.name.removesuffix(".html").encode(), b"{main}\n": tag + main}
    for place, part in parts.items():
        frame = frame.replace(place, part)
    return StaticFile(page.name, frame)


@value
class ServerWords:
    """Words of one language for what the server says in English; empty for English."""

    errors: Mapping[str, str]
    """A sentence for each beginning of an error."""
    reasons: Mapping[str, str]
    """Half a sentence for each reason for a refusal."""


@cache
def server_words(language: str) -> ServerWords:
    """Return the words that the pages have in a language for what the server says."""
    file = static_files().get(f"words/server_{language}.js")
    if file is None:
        return ServerWords({}, {})
    return ServerWords(**json.loads(file.content.strip().removeprefix(b"export const said = ").removesuffix(b";")))


def _below(folder: Traversable, prefix: str) -> list[StaticFile]:
    found: list[StaticFile] = []
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        if entry.is_dir():
            found += _below(entry, f"{prefix}{entry.name}/")
        elif entry.name.rpartition(".")[2] in MEDIA_TYPES:
            content = entry.read_bytes()
            if entry.name.endswith((".js", ".css")):
                content = _COMMENT.sub(b"", content)
            if entry.name.endswith(".js"):
                content = _REMARK.sub(b"", content)
            found.append(StaticFile(prefix + entry.name, content))
    return found
