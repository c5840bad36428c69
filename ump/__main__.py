"""The entry point of the command ``ump``, and of ``python -m ump``."""

from __future__ import annotations

import sys

from ump.model.installation import unmet_requirement


def main(prog_name: str | None = None) -> None:
    """Run the command; if it fails because a dependency has a wrong version, say that in one line.

    The versions are read only after an error: reading them takes longer than most commands.
    """
    try:
        from ump.cli.main import main as command

        command(prog_name=prog_name)
    except (ImportError, AttributeError, TypeError):
        unmet = unmet_requirement()
        if not unmet:
            raise
        sys.exit(f"Error: ump needs {unmet}; keep bots in an environment of their own")


if __name__ == "__main__":
    main(prog_name="python -m ump")
