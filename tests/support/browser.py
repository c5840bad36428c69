"""Chromium, its pages as tests want them, and what people do at a table's page."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

HONOURS = ("E", "S", "W", "N", "P", "F", "C")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None)
"""The first one that is installed: without windows it takes three quarters of the time."""
NO_IMAGES = "--blink-settings=imagesEnabled=false"
"""Nobody looks at the art of the tiles, which takes a tenth of the browser's time."""

ONE_RENDERER = ("--renderer-process-limit=1", "--disable-site-isolation-trials")
"""A process for each page costs a tenth more."""

FLAGS = ("--font-render-hinting=none", "--disable-lcd-text", "--no-sandbox", NO_IMAGES, *ONE_RENDERER)

OPTIONS = (
    *("--house=efficiency:3", "--house-after=0", "--bot-delay=0", "--length=kyoku", "--time=30+60"),
    "--seed=browser",
)

MOST_MOVES = 200
"""Moves after which a kyoku counts as endless."""


def visited(page: Any, server: str) -> Iterator[Any]:
    """Yield a page as if it were new, and leave it afterwards: a table draws its clock as long as it is open."""
    yield as_new(page, server)
    for other in page.context.pages[1:]:
        other.close()
    page.goto("about:blank")


def as_new(page: Any, server: str) -> Any:
    """Return a page without anything that an earlier test has left, except routes of WebSockets."""
    page.unroute_all()
    page.context.clear_cookies()
    page.route("**/empty", lambda route: route.fulfill(body=EMPTY, content_type="text/html"))
    page.goto(f"{server}/empty")  # no script there keeps anything again
    page.evaluate("localStorage.clear(), sessionStorage.clear()")
    page.set_viewport_size(SIZE)
    return page


SIZE = {"width": 1280, "height": 720}
EMPTY = "<link rel=icon href=data:,>"


KNOWN = ("ERR_CONNECTION", "ERR_FAILED", "WebSocket", "blocked by Playwright", "fetch dynamically imported module")
"""Complaints of the browser about servers that are away, about tests, and about a page that is left while it loads."""


@contextmanager
def open_page(chromium: Any, **settings: Any) -> Iterator[Any]:
    """Open a page; afterwards check its console, and where its requests went."""
    settings = {"viewport": SIZE, "locale": "en-GB", "reduced_motion": "reduce", "service_workers": "block"} | settings
    with chromium.new_context(**settings) as context:
        context.add_init_script("delete globalThis.AudioContext")  # nobody hears it, and it works all the time
        opened = context.new_page()
        complaints: list[str] = []
        opened.on("console", lambda message: complaints.append(message.text) if message.type != "log" else None)
        opened.on("pageerror", lambda error: complaints.append(str(error)))
        hosts: set[str] = set()
        opened.on("request", lambda request: hosts.add(request.url.split("/")[2].rpartition(":")[0]))
        yield opened
        assert [each for each in complaints if not any(known in each for known in KNOWN)] == []
        assert hosts <= {"localhost"}, hosts


def ready(page: Any, address: str) -> None:
    """Open an address, and wait until the page has its content."""
    page.goto(address)
    page.wait_for_selector("body[data-ready]")


def await_turn(page: Any) -> None:
    """Wait until there is something to do, or the result."""
    page.wait_for_selector("#hand button:not([aria-disabled]), #actions button, #result[open]")


def await_discard(page: Any) -> None:
    """Pass each call until there is a tile to discard."""
    for _ in range(MOST_MOVES):
        page.wait_for_selector("#hand button:not([aria-disabled]), #actions .pass", timeout=60_000)
        if not page.locator("#actions .pass").count():
            return
        page.keyboard.press("x")
        page.wait_for_timeout(170)  # the page takes no input just after the hand has changed
    raise AssertionError("no turn comes")


def hasten(page: Any) -> None:
    """Let the clock of a table's page run ten times as fast, until it is left."""
    page.evaluate(
        """() => {
            const now = performance.now.bind(performance), later = setTimeout;
            performance.now = () => 10 * now();
            globalThis.setTimeout = (act, delay = 0, ...rest) => later(act, delay / 10, ...rest);
        }"""
    )


def play_on(page: Any, discard: Callable[[Any], None], is_over: Callable[[], bool]) -> None:
    """Pass each call, and discard, until ``is_over``."""
    for _ in range(MOST_MOVES):
        await_turn(page)
        if is_over():
            return
        if page.locator("#result[open]").count():
            page.keyboard.press("Enter")
        elif page.locator("#actions .pass").count():
            page.keyboard.press("x")
        elif page.locator("#hand button:not([aria-disabled])").count():
            discard(page)
        page.wait_for_timeout(170)  # the page takes no input just after the hand has changed
    raise AssertionError("the kyoku does not end")


def click_last(page: Any) -> None:
    """Click the last tile that may be discarded."""
    page.locator("#hand button:not([aria-disabled])").last.click()


def press_end(page: Any) -> None:
    """Choose the last tile by key, and discard it."""
    page.keyboard.press("End")
    page.keyboard.press("Enter")


def is_game_over(page: Any) -> bool:
    """Return whether the dialog offers another game."""
    return bool(page.locator("#result a.btn").count())


def tiles_of(page: Any) -> list[str]:
    """Return the tiles of the own hand."""
    found: list[str] = page.locator("#hand .tile").evaluate_all("all => all.map(each => each.dataset.tile)")
    return found


def tile_of(button: Any) -> str:
    """Return the name of a tile, as mjai writes it."""
    found = re.search(r"\bt-(\w+)", button.get_attribute("class"))
    assert found is not None
    return found[1]


def violations(page: Any, place: str, theme: str) -> list[str]:
    """Return what axe-core has to complain about in a page."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe-playwright-python").Axe()
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    found = axe.run(page).response["violations"]
    return [f"{place}, {theme}: {each['nodes'][0]['html']} {each['nodes'][0]['failureSummary']}" for each in found]
