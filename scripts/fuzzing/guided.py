"""Fuzzing guided by coverage, with Atheris (the extra ``fuzz``)."""

from __future__ import annotations

import math
import sys
import tempfile
import zlib
from pathlib import Path

from scripts.fuzzing.target import Target


def instrumented() -> None:
    """Import all of ump with instructions that count; raises ImportError without Atheris."""
    import atheris

    with atheris.instrument_imports(include=["ump"]):
        import scripts.fuzzing.driver  # noqa: F401 - it imports everything that targets need


def guide(target: Target, inputs: int | None, seconds: float | None, seed: str, failures: Path) -> None:
    """Let Atheris run a target for so many inputs and seconds; None: without a limit.

    It prints a report, saves the input of the first failure, and ends the process.
    """
    import atheris

    failures.mkdir(parents=True, exist_ok=True)
    corpus = Path(tempfile.mkdtemp(prefix="ump-fuzz-corpus-"))
    for number, data in enumerate(target.seeds()):
        (corpus / str(number)).write_bytes(data)
    options = {
        "runs": -1 if inputs is None else inputs,
        "max_total_time": math.ceil(seconds or 0),
        "seed": zlib.crc32(seed.encode()),
        "max_len": 100_000,
        "artifact_prefix": f"{failures}/{target.name}-",
    }
    arguments = (f"-{name}={given}" for name, given in options.items())
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], target.take)
    atheris.Fuzz()
