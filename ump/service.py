"""The server as a Twisted service: its ports, its rooms, and an orderly end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.application.service import MultiService
from twisted.internet.interfaces import IProtocolFactory

from ump.model.value import value
from ump.net.children import Children
from ump.net.config import RoomSettings
from ump.net.door import Door
from ump.net.drain import Drain
from ump.net.factory import majiang_factory, mjai_factory, ump_factory
from ump.net.limits import Limits
from ump.net.listener import HINTS, Listener
from ump.net.lobby import Lobby
from ump.net.log_folder import LogFolder
from ump.net.room import Room
from ump.net.season import Season
from ump.net.seeds import Seeds


@value
class Port:
    """Where the server listens for one kind of client."""

    option: str
    """The option that it is asked for with: one of ``FRONTS``."""
    endpoint: str
    """As Twisted describes it."""


@value
class Plan:
    """What a server is to be."""

    ports: tuple[Port, ...]
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
    door: Door
    reactor: Any


Front = Callable[[Premises, bool], IProtocolFactory]
"""Makes what answers at a port; told whether a proxy stands before it."""

FRONTS: dict[str, Front] = {
    "listen": lambda on, is_proxied: ump_factory(on.first, on.lobby, on.door, on.reactor, is_proxied=is_proxied),
    "mjai": lambda on, is_proxied: mjai_factory(on.lobby, on.door, on.reactor, is_proxied=is_proxied),
    "majiang": lambda on, is_proxied: majiang_factory(on.lobby, on.door, on.reactor, is_proxied=is_proxied),
}
"""Each kind of port, by its option."""


def make_server(plan: Plan, reactor: Any) -> MultiService:
    """Put a server together; nothing happens before it is started."""
    door, seeds = Door(plan.limits), Seeds(plan.seed)
    season = Season(plan.games, reactor.stop)
    logs = None if plan.log_folder is None else LogFolder(plan.log_folder)
    children = Children(plan.limits, reactor)
    rooms = [Room(settings, seeds, reactor, season=season, logs=logs, children=children) for settings in plan.rooms]
    lobby = Lobby(rooms)
    premises = Premises(plan.rooms[0], lobby, door, reactor)
    server = MultiService()
    children.setServiceParent(server)
    Drain(lobby, door, reactor).setServiceParent(server)
    for port in plan.ports:
        factory = FRONTS[port.option](premises, port.endpoint.startswith("haproxy:"))
        Listener(port.option, port.endpoint, factory, HINTS[port.option], reactor).setServiceParent(server)
    return server
