"""Modules and a page in one file."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from ump.web import StaticFile, bundle, single_page, static_files

pytestmark = pytest.mark.once


def files(**modules: str) -> dict[str, StaticFile]:
    """Return modules by name; two underscores stand for a slash."""
    named = {f"{name.replace('__', '/')}.js": text for name, text in modules.items()}
    return {name: StaticFile(name, text.encode()) for name, text in named.items()}


def test_modules_come_behind_those_that_they_import() -> None:
    """Each module is a function of its own; names may be changed on import."""
    script = bundle(
        files(
            a='import { one as first } from "./lib/b.js";\nimport * as all from "./c.js";\nfirst(all);',
            lib__b='import { two } from "../c.js";\nexport const one = two;',
            c="export function two() {}\nexport class Three {}",
        ),
        "a.js",
    )
    assert re.findall(r"const module(\d)", script) == ["0", "1", "2"]
    assert "return { two, Three };" in script
    assert "const { two } = module0;" in script
    assert "const { one: first } = module1;" in script
    assert "const all = module0;" in script
    assert "import" not in script and "export" not in script


def test_lines_lose_their_indentation() -> None:
    """That is a fifteenth of the page. No text goes on in a further line, which would lose its own spaces."""
    assert "\nif (1) {\nfirst();\n}\n" in bundle(files(a="if (1) {\n  first();\n}"), "a.js")
    assert not [line for line in bundle(static_files(), "replay.js").splitlines() if line.count("`") % 2]


@pytest.mark.parametrize(
    ("modules", "problem"),
    [
        ({"a": 'import { b } from "./b.js";'}, "b.js does not exist"),
        ({"a": 'import { a } from "./a.js";'}, "a.js imports itself"),
        ({"a": "export default 1;"}, "cannot be bundled"),
        ({"a": 'import b from "./b.js";', "b": ""}, "cannot be bundled"),
    ],
)
def test_other_modules_cannot_be_bundled(modules: dict[str, str], problem: str) -> None:
    """A form that the bundle does not know is an error, not a broken page."""
    with pytest.raises(ValueError, match=problem):
        bundle(files(**modules), "a.js")


def test_the_policy_allows_just_the_scripts_and_sheets_of_the_page() -> None:
    """Their hashes are in the policy; data cannot end its element; nothing is left that needs a server."""
    page = single_page(static_files(), "replay.html", "record", '{"name":"</script><script>alert(1)</script>"}')
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    for text in (script, *re.findall(r"<style>(.*?)</style>", page, re.DOTALL)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert page.count("<script") == 2
    assert "\\u003c/script>" in page
    assert not re.search(r'(?:src|href)="(?!data:)', page) and "unsafe" not in policy


def test_a_script_may_not_end_its_own_element() -> None:
    """That text would cut the page."""
    page = StaticFile("p.html", b'<head>\n</head><body><script type="module" src="/static/a.js"></script></body>')
    with pytest.raises(ValueError, match="end its own element"):
        single_page({"p.html": page, **files(a='const text = "</script>";')}, "p.html", "record", "{}")
