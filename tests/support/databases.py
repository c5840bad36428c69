"""A PostgreSQL server for tests, from the programs that Debian's package postgresql installs."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

PROGRAMS = Path("/usr/lib/postgresql")
"""The folder in which Debian keeps a folder of programs for each version."""

OWNER = "postgres"
"""The user that runs the server if the tests run as root, which it refuses to be."""

_NUMBERS = count(1)


def missing() -> str | None:
    """Return why there is no server, or None if one can be started."""
    if _programs() is None:
        return f"no PostgreSQL: neither initdb on PATH nor {PROGRAMS}/*/bin; install the package postgresql"
    if os.geteuid() == 0 and _owner() is None:
        return f"no PostgreSQL: it does not run as root, and there is no user {OWNER}"
    return None


def _programs() -> Path | None:
    """Return the folder of the newest programs."""
    folders = sorted(PROGRAMS.glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    on_path = shutil.which("initdb")
    if on_path is not None:
        folders.append(Path(on_path).resolve().parent)
    needed = ("initdb", "pg_ctl", "createdb")
    return next((folder for folder in folders if all((folder / name).exists() for name in needed)), None)


def _owner() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(OWNER)
    except KeyError:
        return None


class PostgresServer:
    """A server on a UNIX socket in a folder of its own, for any user without a password."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        self._programs = programs
        owner = _owner() if os.geteuid() == 0 else None
        self._user = None if owner is None else owner.pw_uid
        if owner is not None:
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        self._run("initdb", "--no-sync", "-A", "trust", "-U", OWNER, "-E", "UTF8", "-D", str(folder / "data"))

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "fsync": "off"}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = [
            str(self._programs / "pg_ctl"),
            "-D",
            str(self.folder / "data"),
            "-w",
            "-l",
            str(self.folder / "log"),
        ]
        subprocess.run(
            [*command, "-o", subprocess.list2cmdline(options), "start"],
            check=True, user=self._user, cwd="/", stdout=subprocess.DEVNULL,
        )  # fmt: skip
        self._number = int((self.folder / "data" / "postmaster.pid").read_text("ascii").split()[0])
        from scripts.lab.processes import watch  # conftest.py imports this module before it can import scripts

        watch(self._number)

    def stop(self) -> None:
        """Stop the server at once, also with open connections."""
        from scripts.lab.processes import unwatch

        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", "fast", "stop")
        unwatch(self._number)

    def url(self, database: str = OWNER) -> str:
        """Return the URL of a database."""
        return f"postgresql://{OWNER}@/{database}?host={self.folder}"

    def new_url(self) -> str:
        """Make an empty database, sorted by a language, and return its URL."""
        name = f"test_{next(_NUMBERS)}"
        order = ("--template=template0", "--locale-provider=icu", "--icu-locale=en-US")
        self._run("createdb", "-h", str(self.folder), "-U", OWNER, *order, name)
        return self.url(name)

    def copy(self, url: str, other: str) -> None:
        """Dump a database, and restore it into an empty one, as docs/operate.md tells."""
        dump = str(self.folder / "dump")
        self._run("pg_dump", "--format=custom", "--no-password", "-f", dump, url)
        self._run("pg_restore", "--no-owner", "--exit-on-error", f"--dbname={other}", dump)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._programs / program), *arguments],
            check=True, user=self._user, cwd="/", stdout=subprocess.DEVNULL,
        )  # fmt: skip


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Start a server for a while; ``missing`` tells whether that is possible."""
    programs = _programs()
    assert programs is not None
    with tempfile.TemporaryDirectory(prefix="ump-pg-", dir="/tmp") as folder:  # socket paths have 107 bytes at most
        server = PostgresServer(Path(folder), programs)
        server.start()
        try:
            yield server
        finally:
            server.stop()
