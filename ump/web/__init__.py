"""The pages for browsers: their files, media types and policies, and pages in one file for use without a server."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from ump.model.value import value

# The pages for browsers: their files, media types and Content-Security-Policy.

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types worker"
)
"""The Content-Security-Policy of all pages: only scripts and styles from this server, and no text that becomes code
but the address of the service worker."""

MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "webmanifest": "application/manifest+json",
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


VERSION_LENGTH = 12
"""Letters of a version in addresses."""

_STATIC = b'"/static/'


def version_of(files: Mapping[str, StaticFile]) -> str:
    """Return a text that changes with any of the files."""
    tags = "".join(f"{name}{files[name].etag}" for name in sorted(files))
    return hashlib.sha256(tags.encode()).hexdigest()[:VERSION_LENGTH]


def with_version(file: StaticFile, version: str) -> StaticFile:
    """Return a page, or the service worker, whose addresses name the version, so that browsers keep the files."""
    content = file.content.replace(_STATIC, _STATIC + f"{version}/".encode())
    return StaticFile(file.name, content.replace(b"{version}", version.encode()))


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


# One script and one page from the modules and sheets of the pages, for files that are opened without a server.

_IMPORT = re.compile(r'^import\s+(\{[^}]*\}|\*\s+as\s+\w+)\s+from\s+"(\.[^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export\s+(?:async\s+)?(?:const|let|class|function)\s+(\w+)", re.MULTILINE)
_OTHER = re.compile(r"^(import|export)\b", re.MULTILINE)
_INDENT = re.compile(r"^ +", re.MULTILINE)
"""The spaces before a line: no text of ours goes on in a further line."""
_STYLE = re.compile(r'<link rel="stylesheet" href="/static/([^"]+)">\n?')
_SCRIPT = re.compile(r'<script type="module" src="/static/([^"]+)"></script>\n?')
_HEAD = re.compile(r"<head>\n?")

OFFLINE_POLICY = (
    "default-src 'none'; script-src {scripts}; style-src {styles}; img-src data:; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The policy of a page in one file. A meta element cannot forbid frames."""


def bundle(files: Mapping[str, StaticFile], entry: str) -> str:
    """Return a module and all modules that it imports as one script.

    Each becomes a function that returns its exports, so that their names stay apart. Raises ValueError for a form of
    import or export that none of our modules has.
    """
    order: list[str] = []
    _visit(files, entry, order, ())
    return '"use strict";\n' + "".join(_wrapped(files, name, order) for name in order)


def _visit(files: Mapping[str, StaticFile], name: str, order: list[str], path: tuple[str, ...]) -> None:
    """Add a module behind those that it imports."""
    if name in path:
        raise ValueError(f"{name} imports itself")
    for _, target in _IMPORT.findall(_text(files, name)):
        other = _resolved(name, target)
        if other not in order:
            _visit(files, other, order, (*path, name))
    if name not in order:
        order.append(name)


def _wrapped(files: Mapping[str, StaticFile], name: str, order: list[str]) -> str:
    text = _text(files, name)
    exports = ", ".join(_EXPORT.findall(text))
    text = _IMPORT.sub(lambda found: _binding(found[1], order.index(_resolved(name, found[2]))), text)
    text = re.sub(r"^export\s+(?=(?:async\s+)?(?:const|let|class|function)\b)", "", text, flags=re.MULTILINE)
    left = _OTHER.search(text)
    if left is not None:
        raise ValueError(f"{name}: {text[left.start() :].splitlines()[0]!r} cannot be bundled")
    text = _INDENT.sub("", text).strip()
    return f"const module{order.index(name)} = (() => {{\n{text}\nreturn {{ {exports} }};\n}})();\n"


def _binding(names: str, module: int) -> str:
    """Return the statement that takes names from a module, in place of an import."""
    if names.startswith("*"):
        return f"const {names.split()[-1]} = module{module};"
    renamed = re.sub(r"(\w+)\s+as\s+(\w+)", r"\1: \2", names)
    return f"const {renamed} = module{module};"


def _resolved(importer: str, target: str) -> str:
    """Return the name of a module that another one imports: ``./en.js`` in ``words/ja.js`` is ``words/en.js``."""
    folder = importer.split("/")[:-1]
    for part in target.split("/"):
        if part == "..":
            folder = folder[:-1]
        elif part != ".":
            folder.append(part)
    return "/".join(folder)


def _text(files: Mapping[str, StaticFile], name: str) -> str:
    if name not in files:
        raise ValueError(f"{name} does not exist")
    return files[name].content.decode()


def single_page(files: Mapping[str, StaticFile], page: str, name: str, data: str) -> str:
    """Return a page with its sheets and scripts inside, and JSON in an element with the id ``name``.

    No text of the data can end that element, and the policy allows no other script or style.
    """
    sheets = [_text(files, each).replace("</", "<\\/") for each in _STYLE.findall(_text(files, page))]
    scripts = [bundle(files, each) for each in _SCRIPT.findall(_text(files, page))]
    if any("</script" in script.lower() for script in scripts):
        raise ValueError("a script would end its own element")
    policy = OFFLINE_POLICY.format(scripts=_hashes(scripts), styles=_hashes(sheets))
    head = f'<head>\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    safe = data.replace("<", "\\u003c")
    tail = f'<script type="application/json" id="{name}">{safe}</script>\n'
    tail += "".join(f'<script type="module">{script}</script>\n' for script in scripts)
    text = _HEAD.sub(lambda _: head, _text(files, page), count=1)
    text = _STYLE.sub("", _SCRIPT.sub("", text))
    text = text.replace("</head>", "".join(f"<style>{sheet}</style>\n" for sheet in sheets) + "</head>", 1)
    return text.replace("</body>", f"{tail}</body>", 1)


def _hashes(texts: list[str]) -> str:
    """Return the sources of a policy that allow these texts."""
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
