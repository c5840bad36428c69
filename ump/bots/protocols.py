"""The protocols that a bot can speak: the conversation of each, and how its messages travel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from urllib.parse import parse_qs, quote

from ump.bots.conversation import Conversation, Introduction
from ump.bots.links import STREAMS, Address, AddressError, LineLink, Link, Service, StandardStreams, WebSocketLink
from ump.bots.majiang_conversation import MajiangConversation
from ump.bots.mjai_conversations import LockstepConversation, PipedConversation, RequestConversation
from ump.bots.player import Player
from ump.bots.ump_conversation import UMP_02, UmpConversation
from ump.model.value import value

Converse = Callable[[Player, Introduction], Conversation]


@value
class Protocol:
    """One protocol."""

    name: str
    """The name of the option ``--protocol``."""
    converse: Converse
    service: Service | None = None
    """The service of its lines over TCP; None: it has none."""
    ending: str = "\n"
    """The characters that end each line that the client sends."""
    speaks_first: bool = True
    """Whether the server speaks first over TCP."""
    path: str | None = None
    """The usual path of its WebSocket; None: it has none."""
    in_lines: bool = False
    """Whether a frame may hold several lines."""
    in_streams: bool = False
    """Whether it is spoken over standard streams."""


PROTOCOLS: Mapping[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        Protocol("ump-0.1", UmpConversation, Service.UMP, "\r\n", path="ump", in_lines=True),
        Protocol("ump-0.2", partial(UmpConversation, version=UMP_02), Service.UMP, "\r\n", path="ump", in_lines=True),
        Protocol("mjai", LockstepConversation, Service.MJAI),
        Protocol("mjai-pipe", PipedConversation, in_streams=True),
        Protocol("mjai-request", RequestConversation, path="mjai"),
        Protocol("majiang", MajiangConversation, Service.MAJIANG, speaks_first=False, path="majiang"),
    )
}
"""All protocols by name, the default first."""

_BY_SCHEME = {STREAMS: "mjai-pipe", "mjsonp": "mjai"}
_BY_PATH = {"ump": "ump-0.1", "majiang": "majiang", "mjai": "mjai-request", "": "mjai-request"}


def protocol_of(address: Address, name: str | None) -> Protocol:
    """Return the protocol for an address: the named one, or the usual one. Raises AddressError if they do not fit."""
    usual = _BY_PATH.get(address.path, "mjai-request") if address.is_web_socket else "ump-0.1"
    protocol = PROTOCOLS[name or _BY_SCHEME.get(address.scheme, usual)]
    if address.scheme == STREAMS:
        fits = protocol.in_streams
    elif address.is_web_socket:
        fits = protocol.path is not None
    else:
        fits = protocol.service is not None
    if not fits:
        raise AddressError(f"{protocol.name} cannot be spoken at {address if address.host else 'standard streams'}")
    return protocol


def open_link(address: Address, protocol: Protocol, *, name: str, token: str | None, room: str | None) -> Link:
    """Connect; raises OSError, mostly a LinkError with a reason for people, if nothing or another service answers."""
    if address.scheme == STREAMS:
        return StandardStreams()
    if address.is_web_socket:
        return WebSocketLink(introduced(address, protocol, name, room), token=token, in_lines=protocol.in_lines)
    link = LineLink(address, protocol.ending)
    if protocol.speaks_first and protocol.service is not None:
        try:
            link.check(protocol.service)
        except BaseException:
            link.close()
            raise
    return link


def check_port(address: Address, protocol: Protocol) -> None:
    """Raise LinkError if another service answers there; for servers that wait until the client has spoken."""
    if protocol.service is None or address.is_web_socket:
        return
    link = LineLink(address, protocol.ending)
    try:
        link.check_by_probe(protocol.service)
    finally:
        link.close()


def introduced(address: Address, protocol: Protocol, name: str, room: str | None) -> Address:
    """Return the address with the usual path, and with the name and room that the client cannot say otherwise.

    What the address says itself stays.
    """
    target = address.target if address.path else f"/{protocol.path}"
    if protocol.converse is RequestConversation:
        said = parse_qs(target.partition("?")[2], keep_blank_values=True)
        for key, text in (("name", name), ("room", room)):
            if text is not None and key not in said:
                target += f"{'&' if '?' in target else '?'}{key}={quote(text, safe='')}"
    return Address(address.scheme, address.host, address.port, target)
