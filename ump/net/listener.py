"""A port of the server, and what one types to reach it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.application.internet import StreamServerEndpointService
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import serverFromString
from twisted.internet.interfaces import IListeningPort, IProtocolFactory
from twisted.logger import Logger

HELLO = "hello name=me _offer=1 _explain=1 _hand=1"
"""What a person types first."""

HINTS: dict[str, tuple[str, ...]] = {
    "listen": ("to play, type:  telnet {host} {port}  (or nc)", f"and then:       {HELLO}"),
    "mjai": ("mjai bots:      mjsonp://{host}:{port}/default",),
    "majiang": ("Majiang bots:   {host} port {port}, first line: {hello}",),
    "http": (
        "WebSocket bots: ws://{host}:{port}/mjai  (or /majiang, /ws/ranked, /ws/validate)",
        "majiang-bot:    majiang-bot -r main http://{host}:{port}/server",
    ),
}
"""How each kind of port is reached, by the option that opens it."""

OTHER_PORTS = "To choose other ports, name all of them: --listen=19000 --mjai=11600 --http=8081"
"""What helps where one of the ports that nobody asked for is taken."""

MAJIANG_HELLO = '{"hello":{"name":"me"}}'
"""What a Majiang client says first."""

THIS_MACHINE = ("0.0.0.0", "::", "127.0.0.1", "::1")
"""Addresses under which somebody at this machine says ``localhost``."""


class Listener(StreamServerEndpointService):
    """Listens while it runs; where it cannot, the server ends with one line, or does without."""

    _log = Logger()
    _raiseSynchronously = True  # as strports.service has it: a server without its port must not stay

    def __init__(
        self,
        option: str,
        description: str,
        factory: IProtocolFactory,
        hints: tuple[str, ...],
        reactor: Any,
        gone: Callable[[], Deferred[None]] | None = None,
        is_needed: bool = True,
    ) -> None:
        """Listen as an option describes; ``hints`` tell how to reach a TCP port, with its ``host`` and ``port``.

        ``gone``: the port stays open until that Deferred has fired, because clients come again to hear the end.
        ``is_needed``: the server ends where the port cannot be opened; otherwise it says so and does without.
        """
        super().__init__(serverFromString(reactor, description), factory)
        self._option = option
        self._description = description
        self._hints = hints
        self._gone = gone
        self._is_needed = is_needed

    def privilegedStartService(self) -> None:
        """Open the port, and say where it is."""
        try:
            super().privilegedStartService()
        except Exception as error:  # endpoints raise whatever they like
            if self._is_needed:
                raise SystemExit(f"ump-server: --{self._option}={self._description}: {error}") from error
            self._log.warn("without --{option}: {error} {others}", option=self._option, error=error, others=OTHER_PORTS)
            return
        assert self._waitingForPort is not None
        self._waitingForPort.addCallback(self._announce)

    def stopService(self) -> Deferred[None]:
        """Close the port, at once or when its clients have gone; the reactor waits for the Deferred."""
        close: Callable[[], Deferred[None]] = super().stopService
        return close() if self._gone is None else self._gone().addCallback(lambda _: close())

    def _announce(self, port: IListeningPort) -> IListeningPort:
        address = port.getHost()
        if isinstance(address, IPv4Address | IPv6Address):
            self._log.info("listening on {host} port {port}", host=address.host, port=address.port)
            if self._description.startswith("tcp"):
                host = "localhost" if address.host in THIS_MACHINE else address.host
                for hint in self._hints:
                    self._log.info(hint, host=host, port=address.port, hello=MAJIANG_HELLO)
        else:
            self._log.info("listening on {description}", description=self._description)
        return port
