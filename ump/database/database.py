"""Databases: the place of one, its schema, and its transactions.

SQLAlchemy and Alembic are loaded when the first transaction needs them: they take time and memory.

One writer at a time changes a database, also in PostgreSQL: games end a few times a second, and each change of the
sums is then simply added.
"""

from __future__ import annotations

import os
import re
import secrets
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

from ump.model.value import value

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection, Engine

# The place of a database


SQLITE_URL = "sqlite:///"
"""The beginning of a file's URL: four slashes for an absolute path."""

EXPECTED = "give a FILE, sqlite:///FILE or postgresql://USER@HOST/DATABASE"

_URL = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^/?#@:]*)(?::(?P<password>[^/?#@:]*))?@)?(?P<host>[^/?#@]*)"
    r"(?P<database>/[^/?#@]*)?(?:\?(?P<query>[^#]*))?"
)
"""A URL as libpq reads it, as far as needed to find the password."""

_SHOWN = ("service", "host", "port", "dbname", "user")
"""The parameters of a URL that messages repeat."""

_SECRET = ("password", "sslpassword")
"""The parameters of a URL that are passwords."""


class PlaceError(ValueError):
    """The text is no place of a database; the message does not repeat it."""


@value
class DatabasePlace:
    """The place of a database."""

    shown: str
    """The place for messages and logs, without a password."""
    path: Path | None = None
    """The file of SQLite; None for PostgreSQL."""
    url: str = field(default="", repr=False)
    """The URL of PostgreSQL for libpq; it may contain a password."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """The passwords in the URL."""

    def absolute(self) -> DatabasePlace:
        """Return the same place for a program that changes its directory, such as a server in the background."""
        return self if self.path is None else replace(self, path=self.path.absolute())

    def without_secrets(self, text: str) -> str:
        """Return a text, such as an error of a library, with the passwords replaced."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def file_place(path: Path) -> DatabasePlace:
    """Return the place of an SQLite file."""
    return DatabasePlace(str(path), path)


def read_place(text: str) -> DatabasePlace:
    """Return the place that a path or a URL names; raise PlaceError for other URLs, without repeating a password."""
    scheme, separator, _ = text.partition("://")
    if scheme in ("postgresql", "postgres") and separator:
        return _server(text)
    path = text.removeprefix(SQLITE_URL)
    if "://" in path:
        known = scheme if re.fullmatch("[a-z0-9+]{1,20}", scheme) else "such a URL"
        raise PlaceError(f"{known}:// is not offered; {EXPECTED}" if known == scheme else EXPECTED)
    if not path or path == ":memory:" or "\0" in path:
        raise PlaceError("expected the path of a file")
    return file_place(Path(path))


def _server(text: str) -> DatabasePlace:
    """Return the place of a PostgreSQL database."""
    found = _URL.fullmatch(text)
    if found is None or "\0" in text:
        raise PlaceError(
            "expected postgresql://USER@HOST/DATABASE; write special characters of a password as %XX, or keep the "
            "password in ~/.pgpass"
        )
    parameters = parse_qsl(found["query"] or "", keep_blank_values=True)
    written = [found["password"] or "", *(content for name, content in parameters if name in _SECRET)]
    secrets = {form for secret in written for form in (secret, unquote(secret)) if form}
    query = "&".join(f"{name}={content}" for name, content in parameters if name in _SHOWN)
    user = f"{found['user']}@" if found["user"] else ""
    shown = f"postgresql://{user}{found['host']}{found['database'] or ''}{'?' if query else ''}{query}"
    return DatabasePlace(shown, None, text, tuple(sorted(secrets, key=len, reverse=True)))


# The schema of a database


@value
class Schema:
    """The tables of one purpose."""

    name: str
    """The folder of its migrations."""
    head: str
    """The newest revision."""
    locked: str
    """The table whose lock a writer holds."""
    settle: Callable[[Connection], None] | None = None
    """Brings what is derived in line after a migration."""
    is_foreign: Callable[[Connection], bool] | None = None
    """Tells whether an SQLite file that has tables was made by another program."""
    implied: str | None = None
    """The revision of SQLite files that were made before there were revisions; None: they need the first migration."""
    left_behind: str | None = None
    """A table that only earlier versions make in SQLite: they do not know the newer tables, so these are settled."""

    @property
    def version_table(self) -> str:
        """The table that holds the revision."""
        return f"ump_{self.name}_revision"


# The database


WAIT = 30.0
"""Seconds to wait for another program that writes."""

CONNECT_SECONDS = 5
"""Seconds for a connection to PostgreSQL to be made."""

SILENT_SECONDS = 20
"""Seconds after which a connection to PostgreSQL whose other side is silent is given up."""

POOL = 4
"""Connections to PostgreSQL that are kept open; a transaction waits for a free one. psycopg prepares on each the
statements that come again and again."""

_MIGRATING = threading.Lock()
"""Alembic's context is global."""


class DatabaseError(Exception):
    """The database cannot be reached, read or written. The message is one line, without passwords."""


class DatabaseAway(DatabaseError):
    """The database cannot be reached or is busy; it may work later."""


class Database:
    """A database in one place, which several programs can share.

    Each transaction opens and closes a file. Connections to PostgreSQL are kept until the object is deleted.
    """

    def __init__(self, place: DatabasePlace, schema: Schema) -> None:
        self.place = place
        self._schema = schema
        self._engine: Engine | None = None
        self._process = os.getpid()
        """The process that has made the engine."""
        self._lock = threading.Lock()
        self._is_ready = False
        """Whether a database of PostgreSQL is known to have the newest tables."""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Begin to read; each statement sees what is committed then. Raises DatabaseError."""
        with self._errors():
            self._prepare()
            engine = self._connected()
            if self.place.path is None:  # no BEGIN and COMMIT to wait for
                engine = engine.execution_options(isolation_level="AUTOCOMMIT")
            with engine.begin() as connection:
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Begin a transaction that alone may write; raises DatabaseError."""
        with self._errors():
            self._prepare()
            with self._begun_to_write() as connection:
                yield connection

    def upgrade(self) -> bool:
        """Bring the tables up to date, and return whether that was needed; raises DatabaseError."""
        with self._errors():
            self._is_ready = False
            return self._prepare()

    @contextmanager
    def _begun_to_write(self) -> Iterator[Connection]:
        engine = self._connected().execution_options(writes=True)
        with engine.begin() as connection:
            if self.place.path is None and self._has_table(connection, self._schema.locked):
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{WAIT * 1_000:.0f}ms'")
                connection.exec_driver_sql(f"LOCK TABLE {self._schema.locked} IN SHARE ROW EXCLUSIVE MODE")
            yield connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn errors of the libraries into a DatabaseError."""
        try:
            from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError, TimeoutError
        except ImportError as error:
            raise DatabaseError(f"the package {error.name} is missing: pip install sqlalchemy alembic") from error
        try:
            yield
        except SQLAlchemyError as error:
            said = str(getattr(error, "orig", None) or error)
            is_away = isinstance(error, OperationalError | InterfaceError | TimeoutError)
            kind = DatabaseAway if is_away else DatabaseError
            raise kind(_one_line(self.place.without_secrets(said))) from None
        except ImportError as error:
            if error.name is None or not error.name.startswith("psycopg"):
                raise
            raise DatabaseError("PostgreSQL needs psycopg: pip install 'ump-mahjong[postgres]'") from error

    def _prepare(self) -> bool:
        """Make the tables, or bring them up to date; return whether that was needed."""
        if self._is_ready:
            return False
        with self._connected().begin() as connection:
            if self._is_current(connection):
                self._is_ready = self.place.path is None
                return False
        with _MIGRATING, self._begun_to_write() as connection:
            if not self._is_current(connection):  # no other program was faster
                self._migrate(connection)
        self._is_ready = self.place.path is None
        return True

    def _is_current(self, connection: Connection) -> bool:
        """Tell whether nothing has to be made; raises DatabaseError if the database is something else's."""
        schema = self._schema
        tables = self._tables(connection)
        if self.place.path is not None and schema.left_behind in tables:
            return False
        if schema.version_table in tables:
            revision = connection.exec_driver_sql(f"SELECT version_num FROM {schema.version_table}").scalar()
            if revision != schema.head and revision not in _revisions(schema):
                raise DatabaseError("a newer version of ump has changed these tables; use that version")
            return bool(revision == schema.head)
        if tables and self.place.path is not None:
            if schema.is_foreign is not None and schema.is_foreign(connection):
                raise DatabaseError("this is a database of something else")
            return schema.implied == schema.head
        return False

    def _migrate(self, connection: Connection) -> None:
        """Run the migrations, and settle what is derived."""
        if self.place.path is None:
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(1970435442)")  # other servers start now, too
            if self._is_current(connection):
                return
        _upgrade(connection, self._schema)
        if self._schema.settle is not None:
            self._schema.settle(connection)

    def _tables(self, connection: Connection) -> set[str]:
        """Return the names of the tables that the schema asks for; of SQLite all."""
        if self.place.path is not None:
            return set(connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())
        return {self._schema.version_table} if self._has_table(connection, self._schema.version_table) else set()

    @staticmethod
    def _has_table(connection: Connection, name: str) -> bool:
        """Tell whether PostgreSQL finds a table."""
        return connection.exec_driver_sql(f"SELECT to_regclass('{name}')").scalar() is not None

    def _connected(self) -> Engine:
        """Return the engine."""
        with self._lock:
            if self._engine is None:
                self._engine = _sqlite(self.place.path) if self.place.path is not None else _postgresql(self.place)
                weakref.finalize(self, self._engine.dispose)
            if self._process != os.getpid():  # in the background: the connections are those of the process before
                self._engine.dispose(close=False)
                self._process = os.getpid()
            return self._engine


def make_private_file(path: Path) -> None:
    """Make a file that only its owner may read and write, unless there is one.

    One that root makes belongs to the owner of its folder: root keeps the users of a server that runs as somebody else.
    """
    with suppress(FileExistsError):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if os.geteuid() == 0:
                folder = path.parent.stat()
                os.fchown(descriptor, folder.st_uid, folder.st_gid)
        finally:
            os.close(descriptor)


def _sqlite(path: Path) -> Engine:
    """Return the engine of an SQLite file. Its driver begins no transactions by itself, so that readers never write."""
    from sqlalchemy import URL, create_engine, event
    from sqlalchemy.pool import NullPool

    url = URL.create("sqlite+pysqlite", database=str(path))
    engine = create_engine(url, poolclass=NullPool, connect_args={"timeout": WAIT}, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgresql(place: DatabasePlace) -> Engine:
    """Return the engine of a PostgreSQL database. libpq reads the URL itself, so everything that it knows works."""
    import psycopg
    from sqlalchemy import create_engine

    given = psycopg.conninfo.conninfo_to_dict(place.url)
    settings = {"connect_timeout": CONNECT_SECONDS, "tcp_user_timeout": SILENT_SECONDS * 1_000}
    added: dict[str, Any] = {name: number for name, number in settings.items() if name not in given}

    def connect() -> Any:
        return psycopg.connect(place.url, fallback_application_name="ump", **added)

    return create_engine(
        "postgresql+psycopg://",
        creator=connect,
        pool_size=POOL,
        max_overflow=0,
        pool_timeout=WAIT,
        pool_pre_ping=True,
        pool_use_lifo=True,
        hide_parameters=True,
    )


def _one_line(text: str) -> str:
    """Return an error of a library as one line."""
    return " ".join(text.split())[:400]


# Migrations


_FOLDER = Path(__file__).parent / "migrations"


def _config_of(schema: Schema) -> Config:
    """Return the settings of alembic for a schema."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", str(_FOLDER / schema.name).replace("%", "%%"))
    config.attributes["version_table"] = schema.version_table
    return config


def _upgrade(connection: Connection, schema: Schema) -> None:
    """Bring the tables of a schema up to date, in the transaction of the connection."""
    from alembic import command

    config = _config_of(schema)
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _revisions(schema: Schema) -> set[str]:
    """Return all revisions of a schema."""
    from alembic.script import ScriptDirectory

    return {script.revision for script in ScriptDirectory.from_config(_config_of(schema)).walk_revisions()}


# The ids of folders of records, which tell their games apart in a shared index


ID_FILE = ".index-id"
"""The file that holds the id."""

_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def folder_id(folder: Path) -> str | None:
    """Return the id of a folder, or None if it has none yet; raises OSError, and ValueError if it is damaged."""
    try:
        text = (folder / ID_FILE).read_text("utf-8").strip()
    except FileNotFoundError:
        return None
    if _ID.fullmatch(text) is None:
        raise ValueError(f"{folder / ID_FILE}: expected an id of letters and digits")
    return text


def made_folder_id(folder: Path) -> str:
    """Return the id of a folder, after making one if it has none; raises OSError and ValueError."""
    draft = folder / f"{ID_FILE}.{os.getpid()}"
    if folder_id(folder) is None:
        draft.write_text(f"{secrets.token_hex(8)}\n", "utf-8")
        try:
            os.link(draft, folder / ID_FILE)  # of two programs, the first one wins
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    found = folder_id(folder)
    assert found is not None
    return found
