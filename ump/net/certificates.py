"""Certificates of TLS ports: checked at the start, and read again while the port stays open.

A client may name any host. Twisted writes a line of the log for each name without a certificate, and a traceback for
one that is not ASCII; here such a client gets the first certificate, and it is the client that refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from OpenSSL.SSL import Connection, Context
from twisted.internet.endpoints import SSL4ServerEndpoint
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator
from twisted.protocols._sni import SNIConnectionCreator
from zope.interface import implementer

Lookup: TypeAlias = Callable[[bytes, bool], Context | None]
"""Returns the context of a host's certificate; whether to read the folder again if there is none."""


@implementer(IOpenSSLServerConnectionCreator)
class Certificates:
    """Makes TLS connections with the newest certificates of a port."""

    def __init__(self, endpoint: Any) -> None:
        """Use the certificates of an endpoint of TLS from now on, in its place. It must not be listening yet."""
        self._creator = _creator(endpoint)
        _replace_creator(endpoint, self)

    def renew(self, endpoint: Any) -> None:
        """Use the certificates of another endpoint for new connections; raises ValueError if they are not valid."""
        check_certificates(endpoint)
        self._creator = _creator(_innermost(endpoint))

    def serverConnectionForTLS(self, protocol: Any) -> Connection:
        """Return a connection of OpenSSL for a new client."""
        return _connection(self._creator, protocol)


def certificates_of(endpoint: Any) -> Certificates | None:
    """Return the renewable certificates of an endpoint; None if it is none of TLS."""
    inner = _innermost(endpoint)
    return None if _creator(inner) is None else Certificates(inner)


def check_certificates(endpoint: Any) -> None:
    """Raise ValueError if an endpoint of TLS has no certificate, or one that does not fit its key.

    Twisted would find that out with the first connection.
    """
    creator = _creator(_innermost(endpoint))
    if creator is None:
        return
    try:
        has_certificate = _connection(creator, None).get_certificate() is not None
    except Exception as error:  # OpenSSL and Twisted have several
        raise ValueError(str(error) or type(error).__name__) from error
    if not has_certificate:
        raise ValueError("no certificate with its private key")


def _connection(creator: Any, protocol: Any) -> Connection:
    if hasattr(creator, "getContext"):
        return Connection(creator.getContext(), None)
    made: Connection = creator.serverConnectionForTLS(protocol)
    return made


def _innermost(endpoint: Any) -> Any:
    """Return the endpoint inside those that only wrap it (``haproxy:``)."""
    while (inner := getattr(endpoint, "_wrappedEndpoint", None)) is not None:
        endpoint = inner
    return endpoint


def _creator(endpoint: Any) -> Any:
    """Return what makes the connections of OpenSSL; None if the endpoint is none of TLS."""
    if isinstance(endpoint, SSL4ServerEndpoint):
        return endpoint._sslContextFactory
    creator = getattr(endpoint, "connectionCreator", None)
    if isinstance(creator, SNIConnectionCreator) and "defaultContext" not in vars(creator):  # it is made once
        lookup: Any = creator._contextLookup
        creator.defaultContext.set_tlsext_servername_callback(lambda connection: _choose(connection, lookup))
    return creator


def _choose(connection: Connection, lookup: Lookup) -> None:
    """Let a connection use the certificate of the host that its client names, if there is one."""
    name = connection.get_servername()
    if name is None or not name.isascii():
        return
    wildcard = b".".join((b"*", *name.split(b".")[1:]))
    context = lookup(name, False) or lookup(wildcard, False)
    if context is not None:
        connection.set_context(context)


def _replace_creator(endpoint: Any, creator: object) -> None:
    name = "_sslContextFactory" if isinstance(endpoint, SSL4ServerEndpoint) else "connectionCreator"
    setattr(endpoint, name, creator)
