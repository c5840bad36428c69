"""A browser, a server and pages for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from support.browser import CHROMIUM, FLAGS, OPTIONS, open_page, visited
from support.programs import all_prepared

from scripts.lab.server import OurServer


@pytest.fixture(scope="package")
def prepared_starts() -> Iterator[None]:
    """Let scripts that start programs fork the prepared process, too, from the server of all these tests on."""
    with all_prepared():
        yield


@pytest.fixture(scope="package")
def chromium() -> Iterator[Any]:
    """A browser for all tests of this folder."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright; pip install playwright")
    if CHROMIUM is None:
        pytest.skip("no Chromium; apt-get install chromium-headless-shell")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def server() -> Iterator[str]:
    """The address of a server with one room, in which built-in bots take the free seats."""
    with OurServer(OPTIONS) as opened:
        yield f"http://localhost:{opened.addresses().http}"
        assert not opened.troubles()


@pytest.fixture(scope="package")
def pages(chromium: Any) -> Iterator[tuple[Any, ...]]:
    """Pages, which tests use one after the other: a new one costs more than what most of them do with it."""
    phone = {"locale": "zh-CN", "has_touch": True}
    with ExitStack() as stack:
        yield tuple(stack.enter_context(open_page(chromium, **settings)) for settings in ({}, {}, {}, phone))


@pytest.fixture
def page(pages: tuple[Any, ...], server: str) -> Iterator[Any]:
    """A page as if it were new, which must not complain, and must not ask any other host for anything."""
    yield from visited(pages[0], server)


@pytest.fixture
def friend(pages: tuple[Any, ...], server: str) -> Iterator[Any]:
    """The page of another player."""
    yield from visited(pages[2], server)


@pytest.fixture
def phone(pages: tuple[Any, ...], server: str) -> Iterator[Any]:
    """A page that is touched, in a browser that speaks Chinese."""
    yield from visited(pages[3], server)
