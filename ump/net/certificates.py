"""Certificates of TLS ports: checked at the start, and read again while the port stays open."""

from __future__ import annotations

from typing import Any

from OpenSSL.SSL import Connection
from twisted.internet.endpoints import SSL4ServerEndpoint
from twisted.internet.interfaces import IOpenSSLServerConnectionCreator
from zope.interface import implementer


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
    return getattr(endpoint, "connectionCreator", None)


def _replace_creator(endpoint: Any, creator: object) -> None:
    name = "_sslContextFactory" if isinstance(endpoint, SSL4ServerEndpoint) else "connectionCreator"
    setattr(endpoint, name, creator)
