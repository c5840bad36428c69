"""The server as a Twisted service: its ports, its rooms, and an orderly end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from twisted.application.service import MultiService
from twisted.internet.interfaces import IProtocolFactory

from ump.model.value import value
from ump.net.child_bots import Children
from ump.net.config import BotSeats, RoomSettings
from ump.net.connection_limits import OpenConnections
from ump.net.drain import Drain
from ump.net.factory import majiang_factory, mjai_factory, ump_factory
from ump.net.game_quota import GameQuota
from ump.net.http.site import make_site
from ump.net.limits import Limits
from ump.net.listener import HINTS, Listener
from ump.net.lobby import Lobby
from ump.net.log_folder import LogFolder
from ump.net.room import Room
from ump.net.seeds import Seeds
from ump.rules.ruleset import Length


@value
class ListeningPort:
    """Where the server listens for one kind of client."""

    option: str
    """The option that it is asked for with: one of ``FRONTS``."""
    endpoint: str
    """As Twisted describes it."""
    is_needed: bool = True
    """Whether the server ends where it cannot be opened."""


@value
class ServerPlan:
    """What a server is to be."""

    ports: tuple[ListeningPort, ...]
    rooms: tuple[RoomSettings, ...]
    """The first is for clients that name none."""
    limits: Limits
    seed: str | None = None
    """What all chance is made from; None for fresh chance in each game."""
    games: int = 0
    """After so many games the server ends; 0: never."""
    log_folder: Path | None = None
    """Where each game is logged."""


@value
class Premises:
    """What all ports of a server lead into."""

    first: RoomSettings
    lobby: Lobby
    connections: OpenConnections
    reactor: Any


VALIDATE = "validate"
"""The room in which a bot is put to the test: one game against house players that discard what they draw."""

Front = Callable[[Premises, bool], IProtocolFactory]
"""Makes what answers at a port; told whether a proxy stands before it."""

FRONTS: dict[str, Front] = {
    "listen": lambda on, is_proxied: ump_factory(on.first, on.lobby, on.connections, on.reactor, is_proxied=is_proxied),
    "mjai": lambda on, is_proxied: mjai_factory(on.lobby, on.connections, on.reactor, is_proxied=is_proxied),
    "majiang": lambda on, is_proxied: majiang_factory(on.lobby, on.connections, on.reactor, is_proxied=is_proxied),
    "http": lambda on, is_proxied: make_site(on.lobby, on.connections, on.reactor, validate_room=VALIDATE),
}
"""Each kind of port, by its option."""


def make_server(plan: ServerPlan, reactor: Any) -> MultiService:
    """Put a server together; nothing happens before it is started."""
    connections, seeds = OpenConnections(plan.limits), Seeds(plan.seed)
    quota = GameQuota(plan.games, lambda: drain.drain(reactor.stop))
    logs = None if plan.log_folder is None else LogFolder(plan.log_folder)
    children = Children(plan.limits, reactor)
    rooms = [Room(each, seeds, reactor, quota=quota, logs=logs, children=children) for each in _rooms(plan)]
    lobby = Lobby(rooms)
    drain = Drain(lobby, connections, reactor)
    premises = Premises(plan.rooms[0], lobby, connections, reactor)
    server = MultiService()
    children.setServiceParent(server)
    drain.setServiceParent(server)
    # Ports of one kind share what answers: who comes again with the same token may take another port.
    factories: dict[tuple[str, bool], IProtocolFactory] = {}
    for port in plan.ports:
        kind = port.option, port.endpoint.startswith("haproxy:")
        if kind not in factories:
            factories[kind] = FRONTS[port.option](premises, kind[1])
        gone = drain.gone if port.option == "http" else None  # who polls must come again to hear the end
        listener = Listener(
            port.option, port.endpoint, factories[kind], HINTS[port.option], reactor, gone, port.is_needed
        )
        listener.setServiceParent(server)
    return server


def _rooms(plan: ServerPlan) -> Iterator[RoomSettings]:
    """Yield all rooms; behind those that were asked for the one for tests, where it can be reached."""
    yield from plan.rooms
    if any(port.option == "http" for port in plan.ports) and all(room.name != VALIDATE for room in plan.rooms):
        first = plan.rooms[0]
        ruleset = replace(first.ruleset, length=Length.TONPU)
        house = (BotSeats("tsumogiri", ruleset.seats - 1),)
        yield replace(first, name=VALIDATE, ruleset=ruleset, house=house, house_after=0.0)
