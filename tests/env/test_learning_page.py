"""docs/learning.md: its examples, and the version of what it describes."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from hashlib import sha256

import pytest
from support.scripted_server import ROOT

from ump.env.action_ids import ACTION_NAMES
from ump.env.rows import ENCODING, ROWS

TEXT = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")

BLOCKS = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.no_cover
def test_examples_print_what_the_page_shows() -> None:
    """The blocks share their variables."""
    pytest.importorskip("pettingzoo", reason="the environments need the extra rl")
    variables: dict[str, object] = {}
    assert len(BLOCKS) == TEXT.count("```python") > 2
    for code, shown in BLOCKS:
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, "docs/learning.md", "exec"), variables)
        assert printed.getvalue() == shown


def test_a_change_of_the_encoding_has_a_new_version() -> None:
    """Networks and data sets depend on every row and number: a change here needs a new ``ENCODING``."""
    names = [f"{row.name} {row.most}" for row in ROWS] + list(ACTION_NAMES)
    digest = sha256("\n".join(names).encode()).hexdigest()[:16]
    assert (ENCODING, digest) == (1, "0b0f9104e7e7ccd4")
