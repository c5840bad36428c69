"""Runs the migrations with alembic, which is loaded only here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from ump.database.database import Schema

_FOLDER = Path(__file__).parent / "migrations"


def config_of(schema: Schema) -> Config:
    """Return the settings of alembic for a schema."""
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", str(_FOLDER / schema.name).replace("%", "%%"))
    config.attributes["version_table"] = schema.version_table
    return config


def migrate(connection: Connection, schema: Schema) -> None:
    """Bring the tables of a schema up to date, in the transaction of the connection."""
    config = config_of(schema)
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def revisions(schema: Schema) -> set[str]:
    """Return all revisions of a schema."""
    return {script.revision for script in ScriptDirectory.from_config(config_of(schema)).walk_revisions()}
