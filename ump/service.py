"""The server as a Twisted service: its ports, its rooms, and an orderly end."""

from __future__ import annotations

from typing import Any

from twisted.application.service import MultiService

from ump.model.value import value
from ump.net.config import RoomSettings
from ump.net.door import Door
from ump.net.drain import Drain
from ump.net.factory import ump_factory
from ump.net.limits import Limits
from ump.net.listener import Listener
from ump.net.lobby import Lobby
from ump.net.room import Room
from ump.net.seeds import Seeds


@value
class Plan:
    """What a server is to be."""

    listen: tuple[str, ...]
    """Endpoints, as Twisted describes them."""
    rooms: tuple[RoomSettings, ...]
    """The first is for clients that name none."""
    limits: Limits
    seed: str | None
    """What all chance is made from; None for fresh chance in each game."""


def make_server(plan: Plan, reactor: Any) -> MultiService:
    """Put a server together; nothing happens before it is started."""
    door = Door(plan.limits)
    seeds = Seeds(plan.seed)
    lobby = Lobby([Room(settings, seeds, reactor) for settings in plan.rooms])
    server = MultiService()
    Drain(lobby, door, reactor).setServiceParent(server)
    for description in plan.listen:
        is_proxied = description.startswith("haproxy:")
        factory = ump_factory(plan.rooms[0], lobby, door, reactor, is_proxied=is_proxied)
        Listener(description, factory, reactor).setServiceParent(server)
    return server
