"""The log's table in docs/server.md quotes lines that the server writes."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from support.imports import sources, tree
from support.rows import each_row

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
LEVELS = frozenset({"debug", "info", "warn", "error", "failure", "critical", "emit"})


@cache
def log_formats() -> list[str]:
    """Return the format of every line that the server logs."""
    formats = []
    for source in sources("ump/net", "ump/server"):
        for node in ast.walk(tree(source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LEVELS:
                texts = (each.value for each in node.args if isinstance(each, ast.Constant))
                formats += [text for text in texts if isinstance(text, str)]
    return formats


def quoted_lines() -> list[str]:
    """Return the lines that the page quotes, each without its dots."""
    page = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    table = page.split("## The log")[1].split("\n\n## ")[0]
    rows = re.findall(r"^\| (`.*?`(?:, `.*?`)*) \|", table, re.MULTILINE)
    return [line for row in rows for line in re.findall(r"`(.+?)`", row)]


def pattern_of(log_format: str) -> str:
    """Return a pattern that every line of a format matches."""
    return ".+".join(map(re.escape, re.split(r"\{[^}]*\}", log_format)))


@each_row("line", quoted_lines())
def test_a_quoted_line_is_written(line: str) -> None:
    """Some format of the code gives this line; formats without a word of their own would match anything."""
    formats = [each for each in log_formats() if re.search("[a-z]{3}", re.sub(r"\{[^}]*\}", "", each))]
    assert any(re.fullmatch(pattern_of(log_format), line) for log_format in formats)
