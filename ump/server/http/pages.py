"""The pages for browsers: their files, with a strict policy, and the first page, which browsers see as a lobby."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping

from twisted.web.resource import Resource
from twisted.web.server import Request

from ump.net.http.resources import LeafResource, RequestRefused, TextPage, headers_of
from ump.web import POLICY, VERSION_LENGTH, StaticFile, version_of, with_version

PAGES = {
    "table": "table.html",
    "replay": "replay.html",
    "ladder": "ladder.html",
    "rules": "rules.html",
    "me": "me.html",
    "learn": "learn.html",
    "drill": "drill.html",
    "tournament": "tournament.html",
    "admin": "admin.html",
    "account": "account.html",
    "offline": "offline.html",
    "worker.js": "worker.js",
}
"""The paths of the pages besides the first one, each with its file."""

FIRST_PAGE = "lobby.html"
"""The file that a browser sees at the root."""


class PageResource(LeafResource):
    """A file that is always the same while the server runs, compressed for clients that take it."""

    METHODS = (b"GET", b"HEAD")

    def __init__(self, file: StaticFile) -> None:
        super().__init__()
        self._file = file
        self._packed = gzip.compress(file.content, mtime=0)

    def respond(self, request: Request) -> bytes:
        """Return the file, or 304 if the client has it already."""
        is_packed = takes_gzip(request)
        body = self._packed if is_packed else self._file.content
        request.setHeader(b"Content-Security-Policy", POLICY)
        request.setHeader(b"Referrer-Policy", b"no-referrer")
        request.setHeader(b"Vary", b"Accept, Accept-Encoding")
        if is_packed:
            request.setHeader(b"Content-Encoding", b"gzip")
        return tagged(request, body, self._file.media_type, self._file.etag)


def takes_gzip(request: Request) -> bool:
    """Return whether a client takes a compressed body."""
    return any("gzip" in header for header in headers_of(request, "accept-encoding"))


def tagged(request: Request, body: bytes, media_type: str, etag: str) -> bytes:
    """Return a body that a client may keep as long as it asks for it again; 304 without it if its tag is the same."""
    request.setHeader(b"Content-Type", media_type)
    request.setHeader(b"Cache-Control", b"no-cache")
    request.setHeader(b"ETag", etag)
    if any(etag in header for header in headers_of(request, "if-none-match")):
        request.setResponseCode(304)
        return b""
    request.setHeader(b"Content-Length", str(len(body)))
    return b"" if request.method == b"HEAD" else body


_VERSION = re.compile(f"[0-9a-f]{{{VERSION_LENGTH}}}/")


class StaticFolder(Resource):
    """All files of the pages, by name. A name is looked up as a whole, so it leads to no other file.

    A client may keep a file whose address names its version. A page that was loaded before an upgrade asks for the
    files of another version, and gets those of this one.
    """

    isLeaf = True

    def __init__(self, files: Mapping[str, StaticFile]) -> None:
        super().__init__()
        self._own = f"{version_of(files)}/"
        self._pages = {name: PageResource(file) for name, file in files.items()}

    def render(self, request: Request) -> int | bytes:
        """Return the file with the name that the rest of the path is."""
        name = b"/".join(request.postpath or ()).decode("latin-1")
        page = self._pages.get(_VERSION.sub("", name, count=1))
        if page is None:
            return RequestRefused(404).response.render(request)
        request.postpath = []
        content = page.render(request)
        if name.startswith(self._own):
            request.setHeader(b"Cache-Control", b"max-age=31536000, immutable")
        return content


class FirstPage(LeafResource):
    """The root: the lobby for browsers, a list of paths for other clients."""

    METHODS = (b"GET", b"HEAD")

    def __init__(self, page: StaticFile, text: str) -> None:
        super().__init__()
        self._page = PageResource(page)
        self._text = TextPage(text)

    def respond(self, request: Request) -> bytes:
        """Return the lobby if the client reads HTML, and else the text."""
        if any("text/html" in header for header in headers_of(request, "accept")):
            return self._page.respond(request)
        request.setHeader(b"Vary", b"Accept")
        return self._text.respond(request)


def page_paths(files: Mapping[str, StaticFile], text: str) -> dict[str, Resource]:
    """Return the resources of all pages whose files exist, by path; ``text`` is the first page of other clients."""
    paths: dict[str, Resource] = {"static": StaticFolder(files)}
    version = version_of(files)
    paths |= {path: PageResource(with_version(files[name], version)) for path, name in PAGES.items() if name in files}
    if FIRST_PAGE in files:
        paths[""] = FirstPage(with_version(files[FIRST_PAGE], version), text)
    return paths
