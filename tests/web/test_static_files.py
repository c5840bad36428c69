"""The files of the pages."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from posixpath import dirname, normpath

import pytest

from ump.web import MEDIA_TYPES, POLICY, static_files

pytestmark = pytest.mark.once


def test_files_have_a_name_a_type_and_a_tag() -> None:
    """The tiles are among them; each file has a media type and a tag of its own."""
    found = static_files()
    assert found["tiles.css"].media_type == "text/css; charset=utf-8"
    assert all(each.name == name and each.media_type in MEDIA_TYPES.values() for name, each in found.items())
    assert len({each.etag for each in found.values()}) == len(found)


def test_the_policy_allows_nothing_from_elsewhere() -> None:
    """Each source of the policy is this server or nothing, besides images in the sheets themselves."""
    sources = {word for part in POLICY.split("; ")[:-2] for word in part.split()[1:]}
    assert sources == {"'none'", "'self'", "data:"}


def test_comments_are_left_out_but_for_licences() -> None:
    """A comment stays only if it has a copyright."""
    found = static_files()
    lines = [line.strip() for name, file in found.items() if name.endswith(".js") for line in file.content.splitlines()]
    assert [line for line in lines if line.startswith((b"//", b"/*", b"* ")) or b"; // " in line] == []
    assert b"(c) 2014-2021" in found["tiles.css"].content
    assert not found["tokens.css"].content.startswith(b"/*")


@pytest.mark.parametrize(("page", "most"), [("table.html", 62_000), ("lobby.html", 40_000), ("learn.html", 40_000)])
def test_a_page_is_small(page: str, most: int) -> None:
    """All that a browser loads before the page is ready, compressed, has at most so many bytes."""
    loaded = {page, "words/en.js", *needed(page)}
    assert sum(len(gzip.compress(static_files()[name].content, mtime=0)) for name in loaded) <= most


def test_the_page_for_people_without_a_network_is_kept_whole() -> None:
    """The service worker keeps each module that it needs."""
    kept = re.findall(r'"([\w/]+\.(?:js|css|svg))"', static_files()["worker.js"].content.decode())
    assert {*needed("offline.js")} <= {*kept}


def needed(name: str) -> Iterator[str]:
    """Yield the files that a page or a module asks for."""
    text = static_files()[name].content.decode()
    if name.endswith(".html"):
        asked = re.findall(r'"/static/([^"]+)"', text)
    else:
        paths = re.findall(r'^(?:import|export) [^;]*"(\.[^"]+)";', text, re.MULTILINE)
        asked = [normpath(f"{dirname(name)}/{path}".lstrip("/")) for path in paths]
    for each in asked:
        yield each
        if each.endswith(".js"):
            yield from needed(each)
