"""Fuzzing guided by coverage, with Atheris (the extra ``fuzz``)."""

from __future__ import annotations

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


def guide(target: Target, inputs: int, seed: str, failures: Path) -> None:
    """Let Atheris run a target: it prints a report, saves the input of the first failure, and ends the process."""
    import atheris

    failures.mkdir(parents=True, exist_ok=True)
    corpus = Path(tempfile.mkdtemp(prefix="ump-fuzz-corpus-"))
    for number, data in enumerate(target.seeds()):
        (corpus / str(number)).write_bytes(data)
    options = (f"-runs={inputs}", f"-seed={zlib.crc32(seed.encode())}", f"-artifact_prefix={failures}/{target.name}-")
    atheris.Setup([sys.argv[0], *options, "-max_len=100000", str(corpus)], target.take)
    atheris.Fuzz()
