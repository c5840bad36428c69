"""Certificates of a folder: each client gets that of the host that it names, and no name writes to the log."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from OpenSSL.SSL import TLS_CLIENT_METHOD, Connection, Context, WantReadError
from support.certificates import certificate
from twisted.internet.endpoints import serverFromString
from twisted.logger import capturedLogs

from ump.net.certificates import certificates_of

HOSTS = ("a.example", "b.example", "*.c.example")


def shown(folder: Path, name: bytes | None) -> str:
    """Return the host in the certificate that a client gets who names this host."""
    certificates = certificates_of(serverFromString(object(), f"tls:{folder}:0"))
    assert certificates is not None
    server, client = certificates.serverConnectionForTLS(None), Connection(Context(TLS_CLIENT_METHOD), None)
    if name is not None:
        client.set_tlsext_host_name(name)
    server.set_accept_state()
    client.set_connect_state()
    for _ in range(4):
        for end, other in ((client, server), (server, client)):
            with suppress(WantReadError):
                end.do_handshake()
            with suppress(WantReadError):
                other.bio_write(end.bio_read(65_536))
    found = client.get_peer_certificate()
    assert found is not None
    return str(found.get_subject().CN)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with certificates of three hosts."""
    for number, host in enumerate(HOSTS):
        (tmp_path / f"{number}.pem").write_bytes(certificate(host))
    return tmp_path


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Twisted does
@pytest.mark.parametrize(
    ("name", "host"), [(b"a.example", "a.example"), (b"b.example", "b.example"), (b"x.c.example", "*.c.example")]
)
def test_the_certificate_of_the_named_host(folder: Path, name: bytes, host: str) -> None:
    """A certificate may be for all names of a domain."""
    assert shown(folder, name) == host


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # as above
@pytest.mark.parametrize("name", [None, b"nowhere.example", b"\xff\xfe.example", b"a\nb", b"...", b"x" * 250])
def test_other_names_write_no_log(folder: Path, name: bytes | None) -> None:
    """A client that names no host, or another one, gets a certificate that it may refuse."""
    with capturedLogs() as events:
        assert shown(folder, name) in HOSTS
    assert not events
