"""``python -m ump`` is the command ``ump``."""

from ump.cli.main import main

if __name__ == "__main__":
    main(prog_name="python -m ump")
