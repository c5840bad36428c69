"""Runs the modules of the pages in node, without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ump.web import static_files


def run_in_node(folder: Path, script: str, content: object) -> Any:
    """Run a script beside the modules of the pages; it may import them from "./", and reads ``content`` as ``given``.

    Returns what the script passes to ``tell``. Skips the test where there is no node.
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node; install nodejs to test the modules of the pages")
    for name, file in static_files().items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(file.content)
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    (folder / "given.json").write_text(json.dumps(content), "utf-8")
    head = (
        "import { readFileSync } from 'node:fs';\n"
        "const given = JSON.parse(readFileSync('given.json'));\n"
        "const tell = (value) => console.log(JSON.stringify(value));\n"
    )
    (folder / "script.js").write_text(head + script, "utf-8")
    done = subprocess.run([node, "script.js"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
