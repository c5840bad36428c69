"""The id of a folder of records, which tells its games from those of other folders in a shared index."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

NAME = ".index-id"
"""The file that holds the id."""

_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def folder_id(folder: Path) -> str | None:
    """Return the id of a folder, or None if it has none yet; raises OSError, and ValueError if it is damaged."""
    try:
        text = (folder / NAME).read_text("utf-8").strip()
    except FileNotFoundError:
        return None
    if _ID.fullmatch(text) is None:
        raise ValueError(f"{folder / NAME}: expected an id of letters and digits")
    return text


def made_folder_id(folder: Path) -> str:
    """Return the id of a folder, after making one if it has none; raises OSError and ValueError."""
    draft = folder / f"{NAME}.{os.getpid()}"
    if folder_id(folder) is None:
        draft.write_text(f"{secrets.token_hex(8)}\n", "utf-8")
        try:
            os.link(draft, folder / NAME)  # of two programs, the first one wins
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    found = folder_id(folder)
    assert found is not None
    return found
