"""Which modules of ump are compiled."""

from __future__ import annotations

from pathlib import Path

COMPILED = (
    "model/*",
    "rules/*",
    "game/*",
    "players/*",
    "table/view",
    "arena/environment",
    "arena/play",
    "arena/watched",
    "env/action_ids",
    "env/episode",
    "env/rows",
    "record/player_counts",
    "wire/mjai/events",
)
"""Modules that are compiled, except each package's ``__init__``."""

NOT_COMPILED = ("model/value", "model/yaku", "model/notation", "model/written")
"""Modules among them that stay Python.

mypyc cannot compile the first two: a class made by a function, an enumeration with a constructor. Notations are read
and written rarely.
"""


def compiled_modules(package: Path) -> list[Path]:
    """Return the paths of the sources that are compiled; raise ValueError if one of the names stands for nothing."""
    left_out = {name: package / f"{name}.py" for name in NOT_COMPILED}
    found = {name: sorted(package.glob(f"{name}.py")) for name in COMPILED}
    wrong = [*(name for name, paths in found.items() if not paths)]
    wrong += [name for name, path in left_out.items() if not path.is_file()]
    if wrong:
        raise ValueError(f"there is no {wrong[0]}.py in {package}")
    paths = [path for each in found.values() for path in each if path.stem != "__init__"]
    return [path for path in paths if path not in left_out.values()]
