"""README.md and other pages: the README's game is real, links lead to files, the index of documents is complete."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.memory_server import MemoryServer, Peer, memory_server

from ump.net.config import server_plan
from ump.net.options import OPTIONS, read_command_line

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")

LEFT_OUT = "..."
"""The mark for any number of left-out lines of the server."""

PATIENCE = 5.0
"""Seconds of server time after which an expected line has not come."""


def transcript() -> Iterator[tuple[str, str]]:
    """Yield the lines of the README's game without remarks: the mark (``>``, ``<`` or ``...``) and the text."""
    (block,) = re.findall(r"```transcript\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines():
        mark, _, text = re.split(r" {3,}", line.strip())[0].partition(" ")
        yield mark, text


def test_the_game_is_played_as_printed() -> None:
    """A client that sends the README's lines to a server with its seed receives every line that it shows."""
    (seed,) = re.findall(r"^scripts/serve --seed (\S+)$", README, re.MULTILINE)
    rooms = server_plan(read_command_line({"config": [str(ROOT / "scripts" / "serve.toml")]}, OPTIONS)).rooms
    with memory_server(*rooms, seed=seed) as server:
        person = server.connect()
        received = lines(server, person)
        may_skip = False
        for mark, text in transcript():
            if mark == ">":
                person.send(f"{text}\n".encode())
            elif mark == "<":
                found = next(line for line in received if not may_skip or line == text)
                assert found == text
            may_skip = mark == LEFT_OUT


def lines(server: MemoryServer, person: Peer) -> Iterator[str]:
    """Yield the lines of the server; let time pass only while it is idle."""
    while True:
        while heard := person.heard():
            yield from heard
        due = min(call.getTime() for call in server.clock.getDelayedCalls())
        server.clock.advance(max(0.0, due - server.clock.seconds()))
        assert server.clock.seconds() < PATIENCE, "the expected line did not come"


PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/README.md", "docs/architecture.md"]
"""Pages whose links are checked."""


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files(page: str) -> None:
    """Every relative link names a file of the checkout."""
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / page).read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_the_index_lists_every_document() -> None:
    """docs/README.md names each page in docs."""
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = [path.name for path in (ROOT / "docs").glob("*.md") if path.name != "README.md"]
    assert [name for name in pages if f"({name})" not in index] == []


def test_the_map_names_files_that_exist() -> None:
    """docs/architecture.md names each package, and no file that is gone."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:ump|tests|scripts)/[\w/.]+)`", page))
    assert sorted(name for name in named if not (ROOT / name).exists()) == []
    packages = [folder.name for folder in (ROOT / "ump").iterdir() if (folder / "__init__.py").exists()]
    assert [package for package in packages if f"`ump/{package}`" not in page] == []
    for package, files in re.findall(r"^\| `(ump/\w+)` \|[^|]*\|([^|]*)\|$", page, re.MULTILINE):
        assert [name for name in re.findall(r"`([^`]+)`", files) if not (ROOT / package / name).exists()] == []
