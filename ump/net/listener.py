"""One port of the server: tries and opens it, logs where it listens, and knows how to reach it."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import socket
import stat
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

from cryptography.x509 import load_pem_x509_certificates
from OpenSSL.SSL import Connection, Context
from twisted.application.internet import StreamServerEndpointService
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred, succeed
from twisted.internet.endpoints import AdoptedStreamServerEndpoint, SSL4ServerEndpoint, serverFromString
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import (
    IListeningPort,
    IOpenSSLServerConnectionCreator,
    IProtocolFactory,
)
from twisted.internet.protocol import Factory
from twisted.internet.tcp import Port as TCPPort
from twisted.internet.unix import Port as UnixPort
from twisted.logger import Logger
from twisted.protocols._sni import SNIConnectionCreator
from twisted.protocols.tls import TLSMemoryBIOFactory
from twisted.python.failure import Failure
from zope.interface import implementer

from ump.model.value import value
from ump.net.keep_alive import keep_alive
from ump.net.proxy_header import ProxiedFactory
from ump.wire.dialect import Hint

PROXIED = "haproxy:"
"""The beginning of the endpoints of ports behind a proxy."""

# Certificates

Lookup: TypeAlias = Callable[[bytes, bool], Context | None]
"""Returns the context of a host's certificate; whether to read the folder again if there is none."""


@implementer(IOpenSSLServerConnectionCreator)
class Certificates:
    """Makes TLS connections with the newest certificates of a port: it reads them again while the port stays open.

    A client may name any host. Twisted writes a line of the log for each name without a certificate, and a traceback
    for one that is not ASCII; here such a client gets the first certificate, and it is the client that refuses. Twisted
    has no public way to replace the certificates of an endpoint, or to choose among those of a folder.
    """

    def __init__(self, endpoint: Any) -> None:
        """Use the certificates of an endpoint of TLS from now on, in its place. It must not be listening yet."""
        self._creator = _creator(endpoint)
        _replace_creator(endpoint, self)

    def renew(self, endpoint: Any) -> None:
        """Use the certificates of another endpoint for new connections; raises ValueError if they are not valid."""
        check_certificates(endpoint)
        self._creator = _creator(endpoint)

    def serverConnectionForTLS(self, protocol: Any) -> Connection:
        """Return a connection of OpenSSL for a new client."""
        return _connection(self._creator, protocol)


def certificates_of(endpoint: Any) -> Certificates | None:
    """Return the renewable certificates of an endpoint; None if it is none of TLS."""
    return None if _creator(endpoint) is None else Certificates(endpoint)


def check_certificates(endpoint: Any) -> None:
    """Raise ValueError if an endpoint of TLS has no certificate, or one that does not fit its key.

    Twisted would find that out with the first connection.
    """
    creator = _creator(endpoint)
    if creator is None:
        return
    if isinstance(creator, SNIConnectionCreator) and not _has_context(creator):
        raise ValueError("no file has a private key and its certificate with a host name as subjectAltName")
    try:
        has_certificate = _connection(creator, None).get_certificate() is not None
    except Exception as error:  # OpenSSL and Twisted have several
        raise ValueError(str(error) or type(error).__name__) from error
    if not has_certificate:
        raise ValueError("no certificate with its private key")


_CERT_KEY = re.compile(r":certKey=([^:]+)")


def certificate_ends(endpoint: str) -> dict[str, float]:
    """Return when the certificates of an endpoint end, in seconds since 1970, by the names of their files.

    The endpoint has been checked; one without TLS has none.
    """
    kind, _, rest = endpoint.partition(":")
    named = _CERT_KEY.search(endpoint)
    files: Iterable[Path] = ()
    if kind == "tls":
        files = sorted(Path(rest.partition(":")[0]).glob("*.pem"))
    elif kind == "ssl":
        files = (Path(named[1] if named is not None else "server.pem"),)
    found = {file.stem: load_pem_x509_certificates(file.read_bytes())[0] for file in files}
    return {name: certificate.not_valid_after_utc.timestamp() for name, certificate in found.items()}


def _connection(creator: Any, protocol: Any) -> Connection:
    if hasattr(creator, "getContext"):
        return Connection(creator.getContext(), None)
    made: Connection = creator.serverConnectionForTLS(protocol)
    return made


def _creator(endpoint: Any) -> Any:
    """Return what makes the connections of OpenSSL; None if the endpoint is none of TLS."""
    if isinstance(endpoint, SSL4ServerEndpoint):
        return endpoint._sslContextFactory
    creator = getattr(endpoint, "connectionCreator", None)
    if isinstance(creator, SNIConnectionCreator) and not _has_context(creator):
        lookup: Any = creator._contextLookup
        if lookup(None, False) is not None:  # without a certificate Twisted writes two lines about none for b""
            creator.defaultContext.set_tlsext_servername_callback(lambda connection: _choose(connection, lookup))
    return creator


def _has_context(creator: SNIConnectionCreator) -> bool:
    """Return whether the context is there that new connections begin with; it is made once."""
    return "defaultContext" in vars(creator)


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


# UNIX sockets


class SocketLock:
    """Keeps other servers away from the path of a UNIX socket, as long as its process lives.

    Twisted's own lock names a process. In a container the next server has the same number as a killed one, and a
    restored backup may name any process.
    """

    def __init__(self, address: str) -> None:
        """Lock a path, and remove the socket that a killed server has left there; raises OSError."""
        folder, name = os.path.split(address)
        self._descriptor = os.open(os.path.join(folder, f".{name}.lock"), os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove_dead_socket(address)
        except OSError as error:
            self.unlock()
            is_taken = error.errno == errno.EWOULDBLOCK
            raise OSError(errno.EADDRINUSE, "another server has it") if is_taken else error from error

    @classmethod
    def taken_over(cls, descriptor: int) -> SocketLock:
        """Return the lock that another process has passed on, with its descriptor."""
        lock = cls.__new__(cls)
        lock._descriptor = descriptor
        return lock

    @property
    def descriptor(self) -> int:
        """The holder of the lock, here or in another process."""
        return self._descriptor

    def unlock(self) -> None:
        """Let others have the path."""
        os.close(self._descriptor)


def _remove_dead_socket(address: str) -> None:
    """Remove a socket to which nobody listens; raises BlockingIOError if somebody does."""
    if not os.path.exists(address) or not stat.S_ISSOCK(os.stat(address).st_mode):
        return
    with socket.socket(socket.AF_UNIX) as client:
        client.setblocking(False)
        if client.connect_ex(address) != errno.ECONNREFUSED:
            raise BlockingIOError(errno.EWOULDBLOCK, "a program listens")
    os.unlink(address)


def listen_unix(
    reactor: Any, address: str, factory: IProtocolFactory, backlog: int = 50, mode: int = 0o666
) -> IListeningPort:
    """Listen on a UNIX socket whose path other servers cannot take meanwhile; raises CannotListenError."""
    try:
        lock = SocketLock(address)
    except (OSError, ValueError) as error:
        raise CannotListenError(None, address, error) from error
    try:
        port: Any = reactor.listenUNIX(address, factory, backlog, mode)
    except BaseException:
        lock.unlock()
        raise
    port.lockFile = lock  # the port unlocks it after it has removed its socket
    opened: IListeningPort = port
    return opened


# Sockets that go over from one process to another


@value
class OpenSocket:
    """A socket that listens already, in this process and in another one."""

    descriptor: int
    lock: int | None = None
    """The descriptor that locks the path of a UNIX socket, if anything does."""

    @property
    def descriptors(self) -> list[int]:
        """All descriptors, in the order of the fields."""
        return [self.descriptor] if self.lock is None else [self.descriptor, self.lock]

    def adopt(self, reactor: Any, factory: IProtocolFactory) -> IListeningPort:
        """Listen on a socket over TCP."""
        with socket.socket(fileno=self.descriptor) as opened:
            port: IListeningPort = reactor.adoptStreamPort(opened.fileno(), opened.family, factory)
        return port

    def adopt_unix(
        self, reactor: Any, address: str, factory: IProtocolFactory, backlog: int, mode: int
    ) -> IListeningPort:
        """Listen on a UNIX socket. Twisted's own way (``adoptStreamPort``) would let everybody write to it."""
        port: Any = UnixPort(os.fsencode(address), factory, backlog, mode, reactor=reactor)
        port._preexistingSocket = socket.socket(fileno=self.descriptor)
        port.startListening()
        port.lockFile = None if self.lock is None else SocketLock.taken_over(self.lock)
        opened: IListeningPort = port
        return opened


class LockingReactor:
    """Lets an endpoint lock its UNIX socket, or use a socket that is open. All else is that of another reactor."""

    def __init__(self, reactor: Any, opened: OpenSocket | None = None) -> None:
        self._reactor = reactor
        self._opened = opened

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)

    def listenTCP(self, port: int, factory: IProtocolFactory, backlog: int = 50, interface: str = "") -> IListeningPort:
        """Listen over TCP."""
        if self._opened is not None:
            return self._opened.adopt(self._reactor, factory)
        opened: IListeningPort = self._reactor.listenTCP(port, factory, backlog, interface)
        return opened

    def listenSSL(
        self, port: int, factory: IProtocolFactory, contextFactory: Any, backlog: int = 50, interface: str = ""
    ) -> IListeningPort:
        """Listen over TLS."""
        if self._opened is not None:
            return self._opened.adopt(self._reactor, TLSMemoryBIOFactory(contextFactory, False, factory))
        opened: IListeningPort = self._reactor.listenSSL(port, factory, contextFactory, backlog, interface)
        return opened

    def listenUNIX(
        self, address: str, factory: IProtocolFactory, backlog: int = 50, mode: int = 0o666, wantPID: bool = False
    ) -> IListeningPort:
        """Listen on a UNIX socket; lock it if Twisted would (``lockfile=0`` in the endpoint says otherwise)."""
        if self._opened is not None:
            return self._opened.adopt_unix(self._reactor, address, factory, backlog, mode)
        if wantPID:
            return listen_unix(self._reactor, address, factory, backlog, mode)
        opened: IListeningPort = self._reactor.listenUNIX(address, factory, backlog, mode)
        return opened


# Ports before the server starts


class _IsOpen(Exception):
    """The port is open already."""


class PortTrial:
    """Opens ports without accepting connections, and closes all of them at the end of a ``with`` block.

    So errors are found before ``twistd`` goes into the background: from there it prints only the beginning of an error,
    and refers to the log. To the endpoints the trial is a reactor.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()

    def __enter__(self) -> PortTrial:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close all ports."""
        self._stack.close()

    def open(self, description: str) -> None:
        """Open the port of an endpoint; raises what the endpoint would raise, such as CannotListenError."""
        failures: list[Failure] = []
        serverFromString(self, description).listen(Factory()).addErrback(failures.append)
        if failures and not failures[0].check(_IsOpen):
            failures[0].raiseException()

    def listenTCP(self, port: int, factory: object, backlog: int = 50, interface: str = "") -> None:
        """Open a port over TCP, as a reactor does."""
        family = socket.AF_INET6 if ":" in interface else socket.AF_INET
        opened = self._stack.enter_context(socket.socket(family))
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((interface, port))
            opened.listen(1)
        except OSError as error:
            raise CannotListenError(interface, port, error) from error

    def listenSSL(self, port: int, factory: object, context: object, backlog: int = 50, interface: str = "") -> None:
        """Open a port over TLS, as a reactor does."""
        self.listenTCP(port, factory, backlog, interface)

    def listenUNIX(
        self, address: str, factory: object, backlog: int = 50, mode: int = 0o666, wantPID: bool = False
    ) -> None:
        """Create a UNIX socket, as a reactor does, and remove it."""
        try:
            if wantPID:
                self._stack.callback(SocketLock(address).unlock)
            with socket.socket(socket.AF_UNIX) as opened:
                opened.bind(address)
            os.unlink(address)
        except (OSError, ValueError) as error:
            raise CannotListenError(None, address, error) from error

    def adoptStreamPort(self, *arguments: Any) -> None:
        """Leave a socket alone that systemd has opened; after a success the endpoint would close it."""
        raise _IsOpen


# The port itself

WITH_BACKLOG = frozenset({"tcp", "tcp6", "unix", "ssl", "tls"})
"""The kinds whose sockets the server opens itself."""

LOCAL_ADDRESSES = ("0.0.0.0", "::", "127.0.0.1", "::1")
"""Addresses that a client on the same computer reaches as ``localhost``."""


class PortError(SystemExit, Exception):
    """A required port that cannot be opened; the message is one line.

    Python prints the message of a SystemExit that nobody catches, without a traceback, and ends with status 1. For
    ``twistd`` it must also be an Exception: only then it removes its pid file, and in the background reports the error
    to the process that waits for the start.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"ump-server: {reason}")
        self.reason = reason


def with_backlog(endpoint: str, backlog: int) -> str:
    """Return an endpoint whose system queue holds this many connections, unless it says so itself.

    A socket that systemd has opened has the queue of its unit (``Backlog=``).
    """
    kind = endpoint.removeprefix(PROXIED).partition(":")[0]
    if kind not in WITH_BACKLOG or ":backlog=" in endpoint:
        return endpoint
    return f"{endpoint}:backlog={backlog}"


class Listener(StreamServerEndpointService):
    """Listens while it runs. If a required port cannot be opened, the server ends with a message of one line."""

    _log = Logger()
    _raiseSynchronously = True  # as in strports.service: a server without its port must not go on

    def __init__(
        self,
        option: str,
        description: str,
        factory: IProtocolFactory,
        hints: tuple[Hint, ...],
        reactor: Any,
        gone: Callable[[], Deferred[None]] | None = None,
        *,
        is_needed: bool = True,
        backlog: int = 50,
        opened: OpenSocket | None = None,
    ) -> None:
        """Listen on the endpoint that ``option`` describes; ``hints`` say how to reach a TCP port.

        ``gone``: when the service stops, the port stays open until the Deferred of this function fires.
        ``is_needed``: end the server if the port cannot be opened, rather than go on without it.
        ``backlog``: the connections that may wait until the server accepts them.
        ``opened``: the socket of this endpoint, if another process has opened it.
        """
        self._inner = description.removeprefix(PROXIED)
        endpoint = serverFromString(LockingReactor(reactor, opened), with_backlog(self._inner, backlog))
        self.systemd_number = endpoint.fileno if isinstance(endpoint, AdoptedStreamServerEndpoint) else None
        """The descriptor under which systemd has passed the socket; None if it has not."""
        self._certificates = certificates_of(endpoint)
        self.certificate_ends = certificate_ends(self._inner)
        """When the certificates in use end, in seconds since 1970, by their names."""
        if self._inner != description:
            factory = ProxiedFactory(factory, reactor)
        super().__init__(endpoint, factory)
        self._reactor = reactor
        self.option = option
        """The option of the command line that stands for the port."""
        self.description = description
        """The endpoint."""
        self._is_open = opened is not None
        self._is_handed_over = False
        self._port: Any = None
        """The port of the reactor, when it is open."""
        self._hints = hints
        self._gone = gone
        self._is_needed = is_needed
        self.address: tuple[str, int] | None = None
        """The host and the number of the port, when it is open; None for other endpoints than TCP."""
        self.is_plain = description.startswith("tcp")
        """Whether clients reach it without TLS, and without a proxy."""
        self.reached: tuple[Hint, ...] = ()
        """The hints for reaching the port: text and address, or why it is closed; filled by the first start."""

    def privilegedStartService(self) -> None:
        """Open the port."""
        try:
            super().privilegedStartService()
        except Exception as error:  # an endpoint may raise any exception
            if self._is_needed:
                raise PortError(self._reason(error)) from error
            self._log.warn("{why}", why=self._reason(error))
            self.reached = (Hint("not open", self._reason(error)),)
            return
        assert self._waitingForPort is not None
        self._waitingForPort.addCallback(self._note_address)

    def try_out(self, trial: PortTrial) -> None:
        """Raise PortError if the port is required and cannot be opened."""
        if self._is_needed and not self._is_open:
            try:
                trial.open(self.description)
            except Exception as error:  # as above
                raise PortError(self._reason(error)) from error

    def renew_certificates(self) -> None:
        """Read the certificates of a TLS port again, for new connections. If they are not valid, keep those before."""
        if self._certificates is None:
            return
        try:
            self._certificates.renew(serverFromString(self._reactor, self._inner))
            self.certificate_ends = certificate_ends(self._inner)
        except Exception as error:  # an endpoint may raise any exception
            self._log.error("{option}: the certificates stay: {why}", option=f"--{self.option}", why=str(error))
        else:
            self._log.info("{option}: the certificates have been read again", option=f"--{self.option}")

    @property
    def open_socket(self) -> OpenSocket | None:
        """The socket, for another process; None if the port could not be opened."""
        if self._port is None:
            return None
        lock: SocketLock | None = getattr(self._port, "lockFile", None)
        return OpenSocket(self._port.fileno(), None if lock is None else lock.descriptor)

    def hand_over(self) -> None:
        """Accept no more connections. The socket stays open: another process accepts them."""
        if self._port is not None:
            self._port.stopReading()
            self._is_handed_over = True

    def stopService(self) -> Deferred[None]:
        """Close the port, at once or when its clients have gone; the reactor waits for the Deferred."""
        if self._is_handed_over:  # to close it would shut it down for the other process, too
            return succeed(None)
        close: Callable[[], Deferred[None]] = super().stopService
        return close() if self._gone is None else self._gone().addCallback(lambda _: close())

    def _reason(self, error: Exception) -> str:
        """Return why the port cannot be opened, and what to do about it."""
        cause = error.socketError if isinstance(error, CannotListenError) else error
        if isinstance(error, CannotListenError) and getattr(cause, "errno", None) == errno.EADDRINUSE:
            taken = f"port {error.port}" if isinstance(error.port, int) else os.fsdecode(error.port)
            return f"{taken} is in use; another ump-server? choose one with --{self.option} PORT"
        reason = getattr(cause, "strerror", None) or cause
        return f"--{self.option}: {self.description!r} cannot be opened: {reason}"

    def _note_address(self, port: IListeningPort) -> IListeningPort:
        """Log where the port listens, and keep how to reach it."""
        self._port = port
        address = port.getHost()
        if not isinstance(address, IPv4Address | IPv6Address):
            self._log.info("listening on {description}", description=self.description)
        else:
            self._log.info("listening on {host} port {port}", host=address.host, port=address.port)
            self.address = address.host, address.port
            if isinstance(port, TCPPort):
                keep_alive(port.socket)
        if isinstance(address, IPv4Address | IPv6Address) and self.is_plain:
            host = "localhost" if address.host in LOCAL_ADDRESSES else address.host
            self.reached = tuple(Hint(hint.label, hint.at(host, address.port, _command())) for hint in self._hints)
        else:
            self.reached = (Hint(f"--{self.option}", self.description),)
        return port


def _command() -> str:
    """Return how to call the command ``ump`` here: by its name if it is on PATH, otherwise by its path."""
    if shutil.which("ump") is not None:
        return "ump"
    path = os.path.relpath(Path(sys.executable).with_name("ump"))
    return path if os.path.exists(path) else "python -m ump"
