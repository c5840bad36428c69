"""Folders that the operator names, for the server to write to."""

from __future__ import annotations

from pathlib import Path
from tempfile import NamedTemporaryFile

from ump.model.choices import quoted
from ump.server.option import ConfigError


def writable_folder(folder: Path, name: str) -> Path:
    """Return a writable folder, after creating it if necessary. Raises ConfigError; ``name`` is that of the option.

    Only the server's user can read a new folder: it will hold the hands of running games.
    """
    shown = f"{name}: {quoted(str(folder))}"
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(f"{shown} cannot be created ({reason}); expected a folder to write to") from error
    try:
        with NamedTemporaryFile(prefix=".ump-", dir=folder) as trial:  # rights say nothing of a full or read-only disk
            trial.write(b"\n")
            trial.flush()
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(f"{shown} is not writable ({reason}); expected a folder to write to") from error
    return folder.resolve()  # a server in the background changes its working directory
