"""Compile the engine to C if ``UMP_COMPILE=1``; everything else stands in setup.cfg.

    UMP_COMPILE=1 pip wheel --no-deps --wheel-dir DIR .

This needs a C compiler and takes up to two minutes. The wheel fits one version of Python and one platform.
docs/evidence.md says what it gains and what it costs, CONTRIBUTING.md how to test it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import setup

NATIVE = Path("build", "native")
"""The folder of the sources in the form that mypyc can compile best."""


if os.environ.get("UMP_COMPILE") != "1":
    setup()
elif "bdist_wheel" not in sys.argv:  # pip asks for requirements and metadata first, before mypy is installed
    setup(setup_requires=["mypy[mypyc]>=2.4"])
else:
    from mypyc.build import mypycify

    sys.path.insert(0, str(Path(__file__).parent))
    from scripts.compiling.native_sources import compiled_modules, write_native_sources

    sources = write_native_sources(compiled_modules(Path("ump")), NATIVE)
    setup(ext_modules=mypycify(["--config-file=", "--ignore-missing-imports", *map(str, sources)]))
