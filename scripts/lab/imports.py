"""The Python of a script: the one that runs it, or else that of .venv."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWN_PYTHON = ROOT / ".venv" / "bin" / "python"
sys.path.append(str(ROOT / "tests"))  # for the package support


@contextmanager
def own_python(**remedies: str) -> Iterator[None]:
    """Import what the script needs; if something is not installed, start the script again with the Python of .venv.

    If that one lacks it too, end with the remedy for the missing package.
    """
    try:
        yield
    except ImportError as error:
        if OWN_PYTHON.exists() and Path(sys.executable) != OWN_PYTHON:
            os.execv(OWN_PYTHON, [str(OWN_PYTHON), *sys.argv])
        remedy = remedies.get(error.name or "", "run scripts/test once to install everything into .venv")
        raise SystemExit(f"{Path(sys.argv[0]).name}: {error}; {remedy}") from error
