"""Endpoints: the paths of the server, each with the methods that it takes. All answers are plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import urlsplit

from twisted.web.http import RESPONSES
from twisted.web.resource import Resource
from twisted.web.server import Request

from ump.model.value import value

REASONS = RESPONSES | {426: b"Upgrade Required"}
"""What each code means, in two or three words."""


@value
class Answer:
    """What is answered, where it stands at once."""

    code: int = 200
    text: str = ""
    """Without the end of the line; "" for what the code means."""
    headers: tuple[tuple[str, str], ...] = ()

    def put(self, request: Request) -> bytes:
        """Answer a request; return the body."""
        request.setResponseCode(self.code, REASONS[self.code])
        for name, content in self.headers:
            request.setHeader(name, content)
        text = self.text or REASONS[self.code].decode()
        return b"" if request.method == b"HEAD" else f"{text}\n".encode()


class Refused(Exception):
    """A request cannot be granted; it holds the answer."""

    def __init__(self, code: int, text: str = "", *headers: tuple[str, str]) -> None:
        super().__init__(code, text)
        self.answer = Answer(code, text, headers)


class Endpoint(Resource):
    """One path: nothing lies below it."""

    isLeaf = True
    METHODS: ClassVar[tuple[bytes, ...]] = (b"GET",)

    def render(self, request: Request) -> int | bytes:
        """Answer a request."""
        try:
            if any(request.postpath or ()):
                raise Refused(404)
            if request.method not in self.METHODS:
                raise Refused(405, "", ("Allow", b", ".join(self.METHODS).decode()))
            return self.answer(request)
        except Refused as refused:
            return refused.answer.put(request)

    def answer(self, request: Request) -> int | bytes:
        """Answer a request that may be made here; raises Refused."""
        raise NotImplementedError


class Page(Endpoint):
    """A path with a text that is always the same."""

    METHODS = (b"GET", b"HEAD")

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self._answer = answer

    def answer(self, request: Request) -> bytes:
        """Answer with the text."""
        return self._answer.put(request)


class Missing(Resource):
    """What there is not, and nothing below it."""

    isLeaf = True

    def render(self, request: Request) -> bytes:
        """Answer that there is nothing, whatever was asked."""
        return Answer(404).put(request)


class Folder(Resource):
    """A path below which others lie."""

    def __init__(self, entries: Mapping[str, Resource]) -> None:
        """``entries`` by the next part of the path; "" is the folder itself."""
        super().__init__()
        for name, entry in entries.items():
            self.putChild(name.encode("ascii"), entry)

    def getChild(self, path: bytes, request: Request) -> Resource:
        """Return what lies at a name that nothing has."""
        return Missing()

    def render(self, request: Request) -> bytes:
        """Answer that there is nothing: a folder without the slash behind it."""
        return Answer(404).put(request)


def refuse_other_pages(request: Request) -> None:
    """Refuse what a page of another server has sent; raises Refused. Only browsers say whose page it is."""
    origins, hosts = headers_of(request, "origin"), headers_of(request, "host")
    if origins and ([_host_of(origin) for origin in origins] != [host.lower() for host in hosts] or len(hosts) != 1):
        raise Refused(403, "a page of another server may not connect")


def _host_of(origin: str) -> str | None:
    """Return the host and port of an origin in small letters; None for one that has none, as ``null``."""
    try:
        return urlsplit(origin).netloc.lower() or None
    except ValueError:
        return None


def headers_of(request: Request, name: str) -> list[str]:
    """Return what headers of this name say, whatever bytes that are."""
    return [header.decode("latin-1") for header in request.requestHeaders.getRawHeaders(name.encode("ascii"), [])]


def address_of(request: Request) -> tuple[str, str]:
    """Return a client's host, "" on a local socket, and what the log calls it. Headers of proxies are not believed."""
    address = request.getClientAddress()
    host = getattr(address, "host", None) or ""
    return host, f"{host}:{getattr(address, 'port', '')}" if host else "a local socket"


def argument_of(request: Request, name: str) -> str | None:
    """Return what the address says under a name, or None; raises Refused where it says it twice, or in no UTF-8."""
    found = (request.args or {}).get(name.encode("ascii"), [])
    try:
        if len(found) > 1:
            raise ValueError("twice")
        return found[0].decode() if found else None
    except ValueError as error:
        raise Refused(400, f"{name} wants one text in UTF-8") from error
