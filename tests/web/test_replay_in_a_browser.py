"""The replay page in Chromium, as one file that needs no server: keys, clicks, the address, and files dropped on it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.own_games import own_games

from ump.players.efficiency import Efficiency
from ump.record.review import PolicyReviewer, review_seat
from ump.record.review_report import Review, review_page

pytestmark = [pytest.mark.no_cover, pytest.mark.once]

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NAME = "</script><b>eve"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The page of a game, in which no script complains and nothing is asked of any server."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright; pip install playwright")
    if CHROMIUM is None:
        pytest.skip("no Chromium; apt-get install chromium")
    file = tmp_path_factory.mktemp("replay") / "game.html"
    game = own_games()[1]
    game = replace(game, names=(NAME, *game.names[1:]), kyoku=game.kyoku[:3])
    reviewers = (PolicyReviewer("efficiency", Efficiency()),)
    found = Review("", "", game, reviewers, {1: list(review_seat(game, 1, reviewers))})
    file.write_bytes(review_page(found).encode())
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 1280, "height": 720}, locale="en-GB")
        problems: list[str] = []
        opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.on("request", lambda request: problems.append(request.url) if "http" in request.url[:5] else None)
        opened.goto(f"file://{file}#k=1&n=5&v=B")
        opened.wait_for_selector("body[data-ready]")
        yield opened
        browser.close()
        assert problems == []


def place(page: Any) -> tuple[int, int, str]:
    """Return kyoku, event and seat of the address.

    Ask the page: ``page.url`` changes only some time after the page has set a new address.
    """
    address = page.evaluate("location.hash")
    found = re.fullmatch(r"#k=(\d+)&n=(\d+)&v=([A-D])", address)
    assert found is not None, address
    return int(found[1]), int(found[2]), found[3]


def test_the_keys_move_through_the_game(page: Any) -> None:
    """Steps, kyoku, decisions and seats; the address follows."""
    assert place(page) == (1, 5, "B")
    for key, expected in (
        ("ArrowRight", (1, 6, "B")),
        ("ArrowLeft", (1, 5, "B")),
        ("PageDown", (2, 0, "B")),
        ("PageUp", (1, 0, "B")),
        ("3", (1, 0, "C")),
    ):
        page.keyboard.press(key)
        assert place(page) == expected
    page.keyboard.press("ArrowDown")
    forward = place(page)
    assert forward > (1, 0, "C")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert place(page) == forward


def test_the_wheel_and_clicks(page: Any) -> None:
    """The wheel steps, a name turns the table, the centre shows the rounds, and a round can be chosen."""
    before = place(page)
    page.locator("#board .centre").hover()
    page.mouse.wheel(0, 100)
    page.wait_for_function("start => location.hash.startsWith(start)", arg=f"#k={before[0]}&n={before[1] + 1}&")
    page.locator("#plates .right button").click()
    assert place(page)[2] == "D"
    page.locator("#board .centre").click(force=True)
    rounds = page.locator("dialog[open] tbody tr").count()
    lines = page.locator(".course polyline").evaluate_all("all => all.map((each) => each.getAttribute('points'))")
    assert [line.count(",") for line in lines] == [rounds] * 4, (
        "the scores of each seat before each kyoku, and at the end"
    )
    page.locator("dialog[open] tbody button").nth(2).click()
    assert place(page)[:2] == (2, 0)


def test_hands_can_be_hidden(page: Any) -> None:
    """Without spoilers one hand is left, and the number of events is not shown."""
    assert page.locator("#board .st").count() == 0
    page.keyboard.press("z")
    assert page.locator("#board .st").count() >= 39
    assert " of " not in page.locator(".counter").inner_text()
    page.keyboard.press("z")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(page: Any, scheme: str) -> None:
    """axe-core finds nothing to complain about."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe-playwright-python")
    page.emulate_media(color_scheme=scheme)
    results = axe.Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


def test_the_review_leads_from_mistake_to_mistake(page: Any) -> None:
    """N and P go to the differences of the seat; the row, the reason and the candidates are those of the place."""
    page.evaluate("location.hash = '#k=0&n=0&v=B'")
    for key in ("n", "n", "p", "n"):
        page.keyboard.press(key)
    event = place(page)[1]
    assert event > 0
    assert page.locator(".decisions [aria-current] .sign").inner_text().strip() in ("?!", "?", "??")
    assert page.locator(".detail .best").count() == 1
    assert page.locator(".detail tr.done").count() == 1
    assert page.locator(".detail .reason").inner_text().strip()
    assert page.locator(".ticks .tick").count() > 0
    page.locator(".decisions button").first.click()
    assert place(page)[0] == 0
    page.keyboard.press("1")
    assert "ump review" in page.locator(".review-head").inner_text()
    page.keyboard.press("2")
    page.locator("[data-name=tab-log]").click()
    assert page.locator(".happening .event").is_visible()


def test_results_are_in_words(page: Any) -> None:
    """The list of events has the names of yaku, of draws, and the payments."""
    page.get_by_text("Course").click()
    for address, said in (("#k=0&n=99", "Riichi 1 han\nHalf Flush 3 han"), ("#k=1&n=150", "Exhaustive draw")):
        page.evaluate("address => { location.hash = address }", address)
        assert said in page.locator("#panel").inner_text()
    assert "-3,000 → 13,000" in page.locator("#panel").inner_text()
    page.get_by_text("Review", exact=True).click()


def test_a_name_stays_a_text(page: Any) -> None:
    """A name with the end of a script is shown as it is."""
    assert NAME in page.locator("#plates .nm").all_inner_texts()
    assert page.locator("#plates b").count() == 0


def test_another_format_is_refused(page: Any, tmp_path: Path) -> None:
    """The file opens only files of its own kind, and says so."""
    page.evaluate(
        """() => {
            const files = new DataTransfer();
            files.items.add(new File(["<mjloggm/>"], "game.xml"));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: files, cancelable: true }));
        }"""
    )
    page.locator(".message", has_text="opens only replay pages").wait_for()
