"""Resources: the paths of the HTTP port, each with the methods it accepts. All responses are plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast
from urllib.parse import urlsplit

from twisted.web.http import RESPONSES
from twisted.web.resource import Resource
from twisted.web.server import Request

from ump.model.choices import quoted
from ump.model.value import value
from ump.net.endpoints import HostNames, host_name
from ump.net.http.channel import BoundedRequest, Channel

REASONS = RESPONSES | {
    421: b"Misdirected Request",
    422: b"Unprocessable Content",
    426: b"Upgrade Required",
    429: b"Too Many Requests",
}
"""The reason phrase of each status code."""


@value
class Response:
    """A response that is complete at once."""

    code: int = 200
    text: str = ""
    """The body without its line end; if empty, the reason phrase is sent."""
    headers: tuple[tuple[str, str], ...] = ()

    def render(self, request: Request) -> bytes:
        """Set the status code and headers of a request's response, and return its body."""
        request.setResponseCode(self.code, REASONS[self.code])
        for name, content in self.headers:
            request.setHeader(name, content)
        text = self.text or REASONS[self.code].decode()
        return b"" if request.method == b"HEAD" else f"{text}\n".encode()


class RequestRefused(Exception):
    """A request that is refused, with its response."""

    def __init__(self, code: int, text: str = "", *headers: tuple[str, str]) -> None:
        super().__init__(code, text)
        self.response = Response(code, text, headers)


class LeafResource(Resource):
    """A single path, with nothing below it."""

    isLeaf = True
    METHODS: ClassVar[tuple[bytes, ...]] = (b"GET",)

    def render(self, request: Request) -> int | bytes:
        """Respond to a request, or refuse it: 404 below the path, 405 for other methods."""
        try:
            if any(request.postpath or ()):
                raise RequestRefused(404)
            if request.method not in self.METHODS:
                raise RequestRefused(405, "", ("Allow", b", ".join(self.METHODS).decode()))
            return self.respond(request)
        except RequestRefused as refused:
            return refused.response.render(request)

    def respond(self, request: Request) -> int | bytes:
        """Respond to a request whose path and method are right; raises RequestRefused."""
        raise NotImplementedError


class TextPage(LeafResource):
    """A page whose text is always the same."""

    METHODS = (b"GET", b"HEAD")

    def __init__(self, text: str) -> None:
        super().__init__()
        self._response = Response(text=text)

    def respond(self, request: Request) -> bytes:
        """Return the text."""
        return self._response.render(request)


class Refusal(Resource):
    """A resource that refuses every request in the same way."""

    isLeaf = True

    def __init__(self, response: Response) -> None:
        super().__init__()
        self._response = response

    def render(self, request: Request) -> bytes:
        """Respond with the refusal to every method."""
        return self._response.render(request)


class Folder(Resource):
    """A path with other paths below it."""

    def __init__(self, entries: Mapping[str, Resource]) -> None:
        """Serve these entries, by the next part of the path; "" is the folder itself."""
        super().__init__()
        for name, entry in entries.items():
            self.putChild(name.encode("ascii"), entry)

    def getChild(self, path: bytes, request: Request) -> Resource:
        """Return the resource for an unknown entry."""
        return Refusal(Response(404))

    def render(self, request: Request) -> bytes:
        """Respond with 404 to a request for the folder without the slash behind it."""
        return Response(404).render(request)


def refuse_other_hosts(request: Request, names: HostNames) -> None:
    """Raise RequestRefused if the request is for another host than this server.

    Only a program may leave the host out, with HTTP/1.0, as the checks of some proxies do. Browsers always send it.
    """
    hosts = headers_of(request, "host")
    if not hosts and request.clientproto == b"HTTP/1.0":
        return
    name = host_name(hosts[0]) if len(hosts) == 1 else None
    if name is None:
        raise RequestRefused(400, "Host: expected one name or address")
    channel = request.channel
    assert isinstance(channel, Channel)
    if not names.accept(name, channel.local_address):
        shown = quoted(name)
        raise RequestRefused(
            421, f"this server is not reached as {shown}; its operator can allow that with the option --http-name"
        )


def refuse_other_origins(request: Request) -> None:
    """Raise RequestRefused if the request comes from a page of another server. Only browsers send an Origin."""
    origins, hosts = headers_of(request, "origin"), headers_of(request, "host")
    if origins and ([_host_of(origin) for origin in origins] != [host.lower() for host in hosts] or len(hosts) != 1):
        raise RequestRefused(403, "a page of another server may not connect")


def _host_of(origin: str) -> str | None:
    """Return host and port of an origin in lower case; None if it has none, as ``null``."""
    try:
        return urlsplit(origin).netloc.lower() or None
    except ValueError:
        return None


def headers_of(request: Request, name: str) -> list[str]:
    """Return the values of all headers of this name. Any bytes decode, as Latin-1."""
    return [header.decode("latin-1") for header in request.requestHeaders.getRawHeaders(name.encode("ascii"), [])]


def address_of(request: Request) -> tuple[str, str]:
    """Return the client's host ("" on a local socket) and its name in the log, also after it has gone."""
    return cast(BoundedRequest, request).came_from


def is_private(request: Request) -> bool:
    """Return whether nobody on the way can read a request."""
    return isinstance(request.channel, Channel) and request.channel.is_private


def is_encrypted(request: Request) -> bool:
    """Return whether the client's own connection is encrypted, as far as it is known."""
    return isinstance(request.channel, Channel) and request.channel.is_encrypted


def argument_of(request: Request, name: str) -> str | None:
    """Return an argument of the URL, or None; raises RequestRefused if it is given twice or is not UTF-8."""
    found = (request.args or {}).get(name.encode("ascii"), [])
    try:
        if len(found) > 1:
            raise ValueError("twice")
        return found[0].decode() if found else None
    except ValueError as error:
        raise RequestRefused(400, f"{name}: expected once, in UTF-8") from error


# The session of a browser


SESSION_DAYS = 30
"""The days that a session lasts."""


def session_of(request: Request) -> str | None:
    """Return the session whose cookie comes with a request of a page of this server, or None.

    A request that may come from elsewhere has none: a browser names the origin of all requests that change something.
    Over TLS that is so for a page that came without: anybody on the way could have written it.
    """
    if request.method not in (b"GET", b"HEAD") or headers_of(request, "upgrade"):
        origins = headers_of(request, "origin")
        if not origins or (is_encrypted(request) and not origins[0].lower().startswith("https:")):
            return None
        refuse_other_origins(request)
    found: bytes | None = request.getCookie(_session_name(request))
    return found.decode("latin-1") if found else None


def keep_session(request: Request, text: str) -> None:
    """Let the browser keep a session, or forget it: an empty text."""
    set_cookie(request, _session_name(request), text, SESSION_DAYS * 86_400 if text else 0)


def set_cookie(request: Request, name: bytes, text: str, seconds: int) -> None:
    """Let the browser keep a cookie for some seconds that no script reads, and that other sites do not send."""
    request.addCookie(
        name, text, path="/", max_age=str(seconds), secure=is_encrypted(request), httpOnly=True, sameSite="lax"
    )


def cookie_of(request: Request, name: bytes) -> str:
    """Return a cookie that ``set_cookie`` has set under the name of ``own_cookie``, "" if there is none."""
    return (request.getCookie(own_cookie(request, name)) or b"").decode("latin-1")


def _session_name(request: Request) -> bytes:
    """Return the name of the cookie. Without TLS cookies of all ports are one another's."""
    return own_cookie(request, b"ump" if is_encrypted(request) else b"ump-%d" % getattr(request.getHost(), "port", 0))


def own_cookie(request: Request, name: bytes) -> bytes:
    """Return the name of a cookie; over TLS with the prefix that keeps other hosts of the domain from planting one."""
    return b"__Host-" + name if is_encrypted(request) else name
