"""SQLAlchemy and alembic take 0.3 seconds and 30 MB: only programs that use a database load them."""

from __future__ import annotations

import pytest
from support.programs import run

pytestmark = pytest.mark.once


MODULES = "ump.cli.main, ump.server.service, ump.server.journals"


def test_nothing_is_loaded_early() -> None:
    """Commands and servers without records need no database."""
    code = f"import sys, {MODULES}; sys.exit(sorted({{'sqlalchemy', 'alembic', 'psycopg'}} & set(sys.modules)) or 0)"
    ended = run("-c", code, is_plain=True)
    assert (ended.returncode, ended.stderr) == (0, "")
