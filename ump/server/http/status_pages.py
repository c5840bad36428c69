"""The pages for operators and their programs: ``/healthz``, ``/readyz``, ``/status`` and ``/metrics``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from twisted.web.resource import Resource
from twisted.web.server import Request

from ump.net.connection_budget import NetworkList
from ump.net.http.resources import LeafResource, RequestRefused, Response, address_of
from ump.server.status import metrics
from ump.server.status.server_status import ServerStatus, StatusSource, status_data

NO_LIBRARY = "metrics need the package prometheus-client: pip install 'ump[metrics]'"


class OperatorPage(LeafResource):
    """A page that is made anew for each request, for some hosts alone. UNIX sockets may always read it."""

    METHODS = (b"GET", b"HEAD")

    def __init__(self, write: Callable[[], bytes], content_type: str, readers: NetworkList) -> None:
        """Let the hosts of this list read what ``write`` returns."""
        super().__init__()
        self._write = write
        self._content_type = content_type
        self._readers = readers

    def respond(self, request: Request) -> bytes:
        """Return the page, or refuse it to other hosts."""
        host, _ = address_of(request)
        if host and host not in self._readers:
            raise RequestRefused(403, "this page is for the hosts of the option --status-for")
        request.setHeader("Content-Type", self._content_type)
        request.setHeader("Cache-Control", "no-store")
        body = self._write()
        return b"" if request.method == b"HEAD" else body


class HealthPage(LeafResource):
    """Tells everybody that the server runs, and nothing else; 503 while it stops."""

    METHODS = (b"GET", b"HEAD")

    def __init__(self, source: StatusSource) -> None:
        super().__init__()
        self._source = source

    def respond(self, request: Request) -> bytes:
        """Return ``ok``, or why not."""
        trouble = self._trouble()
        return (Response(text="ok") if trouble is None else Response(503, trouble)).render(request)

    def _trouble(self) -> str | None:
        """Return what is wrong, or None."""
        return "stopping" if self._source.is_stopping else None


class ReadyPage(HealthPage):
    """Tells everybody whether new games can begin: 503 also while they could not be recorded."""

    def _trouble(self) -> str | None:
        """Return what is wrong, or None."""
        return super()._trouble() or (None if self._source.can_record else "games cannot be recorded")


class MissingPage(LeafResource):
    """Says why there are no metrics."""

    METHODS = (b"GET", b"HEAD")

    def respond(self, request: Request) -> bytes:
        """Refuse every request."""
        raise RequestRefused(501, NO_LIBRARY)


def status_pages(source: StatusSource, readers: NetworkList) -> Mapping[str, Resource]:
    """Return the pages by their paths; ``readers`` are the hosts that may read all of them."""
    if metrics.IS_AVAILABLE:
        numbers: Resource = OperatorPage(metrics.metrics_page(source.now), metrics.CONTENT_TYPE, readers)
    else:
        numbers = MissingPage()
    return {
        "healthz": HealthPage(source),
        "readyz": ReadyPage(source),
        "status": OperatorPage(lambda: _json(source.now()), "application/json; charset=utf-8", readers),
        "metrics": numbers,
    }


def _json(status: ServerStatus) -> bytes:
    return f"{json.dumps(status_data(status))}\n".encode()
