"""Compile the rules and the game to C if ``UMP_COMPILE=1``; everything else stands in setup.cfg.

    UMP_COMPILE=1 pip wheel --no-deps --wheel-dir DIR .

This needs a C compiler and takes up to two minutes. The wheel fits one version of Python and one platform.
docs/performance.md says what it gains and what it costs, CONTRIBUTING.md how to test it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import setup

COMPILED = ("model", "rules", "game")
"""Packages of ump that are compiled."""

NOT_COMPILED = frozenset({"__init__.py", "value.py", "yaku.py"})
"""Files in them that mypyc cannot compile: a class made by a function, an enumeration with a constructor."""

if os.environ.get("UMP_COMPILE") != "1":
    setup()
elif "bdist_wheel" not in sys.argv:  # pip asks for requirements and metadata first, before mypy is installed
    setup(setup_requires=["mypy[mypyc]>=2.4"])
else:
    from mypyc.build import mypycify

    paths = [path for package in COMPILED for path in sorted(Path("ump", package).glob("*.py"))]
    sources = [str(path) for path in paths if path.name not in NOT_COMPILED]
    setup(ext_modules=mypycify(["--config-file=", "--ignore-missing-imports", *sources]))
