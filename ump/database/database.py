"""A database and its transactions. SQLAlchemy is loaded when the first one begins: it takes time and memory.

One writer at a time changes a database, also in PostgreSQL: games end a few times a second, and each change of the
sums is then simply added.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ump.database.place import DatabasePlace
from ump.database.schema import Schema

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

WAIT = 30.0
"""Seconds to wait for another program that writes."""

CONNECT_SECONDS = 5
"""Seconds for a connection to PostgreSQL to be made."""

SILENT_SECONDS = 20
"""Seconds after which a connection to PostgreSQL whose other side is silent is given up."""

_MIGRATING = threading.Lock()
"""Alembic's context is global."""


class DatabaseError(Exception):
    """The database cannot be reached, read or written. The message is one line, without passwords."""


class DatabaseAway(DatabaseError):
    """The database cannot be reached or is busy; it may work later."""


class Database:
    """A database in one place. Each transaction opens and closes it, so that several programs can share it."""

    def __init__(self, place: DatabasePlace, schema: Schema) -> None:
        self.place = place
        self._schema = schema
        self._engine: Engine | None = None
        self._is_ready = False
        """Whether a database of PostgreSQL is known to have the newest tables."""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Begin a transaction that only reads; raises DatabaseError."""
        with self._errors():
            self._prepare()
            with self._connected().begin() as connection:
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
            from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
        except ImportError as error:
            raise DatabaseError(f"the package {error.name} is missing: pip install sqlalchemy alembic") from error
        try:
            yield
        except SQLAlchemyError as error:
            said = str(getattr(error, "orig", None) or error)
            kind = DatabaseAway if isinstance(error, OperationalError | InterfaceError) else DatabaseError
            raise kind(_one_line(self.place.without_secrets(said))) from None
        except ImportError as error:
            if error.name is None or not error.name.startswith("psycopg"):
                raise
            raise DatabaseError("PostgreSQL needs psycopg: pip install 'ump[postgres]'") from error

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
            if revision != schema.head and revision not in _known(schema):
                raise DatabaseError("a newer version of ump has changed these tables; use that version")
            return bool(revision == schema.head)
        if tables and self.place.path is not None:
            if schema.is_foreign is not None and schema.is_foreign(connection):
                raise DatabaseError("this is a database of something else")
            return schema.implied == schema.head
        return False

    def _migrate(self, connection: Connection) -> None:
        """Run the migrations, and settle what is derived."""
        from ump.database.migrate import migrate

        if self.place.path is None:
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(1970435442)")  # other servers start now, too
            if self._is_current(connection):
                return
        migrate(connection, self._schema)
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
        """Return the engine; it keeps no connections."""
        if self._engine is None:
            self._engine = _sqlite(self.place.path) if self.place.path is not None else _postgresql(self.place)
        return self._engine


def _known(schema: Schema) -> set[str]:
    """Return all revisions that this version knows."""
    from ump.database.migrate import revisions

    return revisions(schema)


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
    from sqlalchemy.pool import NullPool

    given = psycopg.conninfo.conninfo_to_dict(place.url)
    settings = {"connect_timeout": CONNECT_SECONDS, "tcp_user_timeout": SILENT_SECONDS * 1_000}
    added: dict[str, Any] = {name: number for name, number in settings.items() if name not in given}

    def connect() -> Any:
        return psycopg.connect(place.url, fallback_application_name="ump", **added)

    return create_engine("postgresql+psycopg://", creator=connect, poolclass=NullPool, hide_parameters=True)


def _one_line(text: str) -> str:
    """Return an error of a library as one line."""
    return " ".join(text.split())[:400]
