"""Live games in Chromium: by mouse, keys and touch, a reload, other tabs, friends, a restart, watching, languages."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from operator import length_hint
from pathlib import Path
from typing import Any

import pytest
from support.browser import (
    HONOURS,
    MOST_MOVES,
    OPTIONS,
    await_discard,
    await_turn,
    click_last,
    hasten,
    is_game_over,
    open_page,
    play_on,
    press_end,
    ready,
    tile_of,
    tiles_of,
)
from support.programs import PreparedPopen
from support.swallowing_proxy import SwallowingProxy

import ump
from scripts.lab.processes import Process, free_port, wait_until
from scripts.lab.server import OurServer

pytestmark = [pytest.mark.no_cover, pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]


def test_a_game(page: Any, server: str) -> None:
    """From the lobby to the result and back, by mouse and by keys in turn."""
    ways = iter([click_last, press_end] * 2)

    def discard(page: Any) -> None:
        next(ways)(page)

    ready(page, f"{server}/")
    page.locator("#quick").click()
    page.wait_for_selector("body.at-table[data-ready]")
    play_on(page, discard, lambda: not length_hint(ways))
    hasten(page)
    for switch in ("a", "n", "g"):  # win, no calls, and discard what is drawn
        page.keyboard.press(switch)
    page.wait_for_selector("#result[open]", timeout=60_000)
    page.locator("#result footer .btn", has_text="Result").wait_for()  # no next hand follows
    play_on(page, discard, lambda: is_game_over(page))
    rows = [row.split("\n") for row in page.locator("#result .podium li").all_inner_texts()]
    assert [row[0] for row in rows] == ["1st", "2nd", "3rd", "4th"]
    for (*_, points, result), prize in zip(rows, (20 + 20, 10, -10, -20), strict=True):  # the first gets the oka, too
        assert float(result) == pytest.approx(int(points.replace(",", "")) / 1_000 - 30 + prize)
    assert page.locator("#result .podium .me").count() == 1
    page.locator("#result a", has_text="Lobby").click()
    page.wait_for_selector("body.in-lobby[data-ready]")


def test_the_lobby(page: Any, friend: Any) -> None:
    """A running table is shown as its players see it, and its card leads to it; the page says if the server is away."""
    with OurServer(OPTIONS[:-1]) as server:
        address = f"http://localhost:{server.addresses().http}"
        ready(page, address)
        assert page.locator("#tables").inner_text() == "No game is being played that you could watch here."
        assert page.locator("#recent").inner_text() == "No game is over yet."
        ready(friend, f"{address}/table?room=main")
        await_discard(friend)
        page.wait_for_selector(".tablecard")
        assert len(page.locator(".ppl b").all_inner_texts()) == 4
        assert page.locator(".mini .standing .tile, .mini .hand .tile").count() == 0
        named = "all => all.map(each => each.getAttribute('aria-label'))"
        discards = friend.locator(".plane .river .tile").evaluate_all(named)
        page.wait_for_function(
            "count => document.querySelectorAll('.mini .river .tile').length === count", arg=len(discards)
        )
        assert sorted(page.locator(".mini .river .tile").evaluate_all(named)) == sorted(discards)
        assert page.locator(".tablecard").get_attribute("href") == "/table?watch=main-1"
        page.get_by_text("Rules: ump").click()
        page.wait_for_selector("body[data-ready] .differences")
        assert "tenpai shown on request (Tenhou: automatic)" in page.locator(".differences").inner_text()
        ready(page, address)
        friend.goto("about:blank")
    page.locator("#status", has_text="The server cannot be reached.").wait_for()
    assert page.locator("#status button").inner_text() == "Try again"


def test_a_reload_keeps_the_seat(page: Any, server: str) -> None:
    """After a reload the same hand and the same rivers are there."""
    ready(page, f"{server}/table?room=main")
    moves = iter(range(3))
    play_on(page, click_last, lambda: next(moves, None) is None)
    await_discard(page)
    names = "#hand [aria-label], .own .river [aria-label]"
    before = page.locator(names).evaluate_all("all => all.map(each => each.getAttribute('aria-label'))")
    page.reload()
    await_discard(page)
    after = page.locator(names).evaluate_all("all => all.map(each => each.getAttribute('aria-label'))")
    assert after == before


def test_a_game_in_a_new_tab(page: Any, server: str) -> None:
    """The lobby leads back, the older tab says so and can take over, a second game can begin, leaving asks."""
    ready(page, f"{server}/")
    page.locator("#name").fill("Mika")
    page.locator("#quick").click()
    await_discard(page)
    other = page.context.new_page()
    ready(other, f"{server}/")
    other.get_by_text("Return").click()
    await_discard(other)
    assert other.url.endswith("/table?room=main")
    page.locator("#play-here").click()
    await_discard(page)
    other.locator("#play-here").wait_for()
    ready(other, f"{server}/table?room=main")
    other.locator("#play-both").click()
    await_discard(other)
    assert other.locator(".plate.own .nm").inner_text() == "Mika 2"
    other.locator("#tool-menu").click()
    other.locator("#drawer a").click()
    other.locator("#leave-for-good").click()
    other.wait_for_selector("body.in-lobby[data-ready]")
    other.locator("#mine p").wait_for()
    assert other.locator("#mine bdi").all_inner_texts() == ["Mika"]


def test_a_table_among_friends(page: Any, friend: Any, server: str) -> None:
    """The lobby makes it, a friend comes by its link, the host begins with bots, and a code that is none says so."""
    ready(page, f"{server}/")
    page.locator("#name").fill("Mika")
    page.locator("#invite").click()
    page.locator("[name=rules]").select_option("tenhou")
    page.locator("#make-table").click()
    link = page.locator("#link").input_value()
    assert page.locator(".members li:not(.free) bdi").all_inner_texts() == ["Mika"]
    ready(friend, link)
    assert friend.locator("#gathering h2").inner_text() == "Mika invites you"
    friend.locator("#visitor").fill("mika")
    friend.locator("#sit").click()
    friend.locator("#ready").click()
    page.locator(".members .ready bdi", has_text="mika 2").wait_for()
    assert page.locator(".members .me bdi").inner_text() == "Mika"
    page.locator("#begin").click()
    for each in (page, friend):
        each.wait_for_selector("#hand button", timeout=60_000)
    friend.reload()
    friend.wait_for_selector("#hand button", timeout=60_000)
    assert friend.locator(".plate.own .nm").inner_text() == "mika 2"
    ready(friend, f"{server}/")
    friend.locator("#mine a").click()
    friend.wait_for_selector("#hand button", timeout=60_000)
    assert friend.url == link
    guest = page.context.new_page()
    ready(guest, f"{server}/t/22222222")
    guest.locator("#gathering [role=alert]").wait_for()
    assert guest.locator("#gathering [role=alert]").inner_text() == "No table with this code."


def test_a_restart_of_the_server_keeps_the_seat(page: Any, tmp_path: Path) -> None:
    """The page waits for a server that was stopped or killed, and goes on with the same hand."""
    ports = [free_port() for _ in range(2)]

    def hand() -> list[str]:
        await_turn(page)
        return tiles_of(page)

    with _killable(ports, tmp_path) as first:
        ready(page, f"http://localhost:{ports[1]}/table?room=main")
        await_discard(page)
        click_last(page)
        before = hand()
        first.terminate(20.0)
        page.locator("#status", has_text="Reconnecting").wait_for()
    with _killable(ports, tmp_path) as second:
        page.wait_for_selector("#status:empty", state="attached", timeout=60_000)
        assert hand() == before
        second.kill()
        page.locator("#status", has_text="Reconnecting").wait_for()
    with _killable(ports, tmp_path):
        page.wait_for_selector("#status:empty", state="attached", timeout=60_000)
        assert hand() == before


@pytest.mark.long
def test_a_network_that_dies_without_a_word(page: Any) -> None:
    """A banner within five seconds, at once if the system knows; then the same hand, and the clock has gone on."""

    def clock() -> int:
        return sum(map(int, page.locator("#clock").inner_text().split(" + ")))

    def wait_for_return(hand: list[str]) -> None:
        page.wait_for_selector("#status:empty", state="attached", timeout=3_000)
        await_discard(page)
        assert tiles_of(page) == hand

    options = (*OPTIONS[:-2], "--time=60+60", OPTIONS[-1])
    with OurServer(options) as server, SwallowingProxy(server.addresses().http) as proxy:
        ready(page, f"http://localhost:{proxy.port}/table?room=main")
        await_discard(page)
        hand, before = tiles_of(page), clock()
        page.wait_for_timeout(3_000)
        proxy.swallows = True
        page.locator("#status", has_text="Reconnecting").wait_for(timeout=5_000)
        page.wait_for_timeout(4_000)
        proxy.swallows = False
        wait_for_return(hand)
        assert 8 <= before - clock() <= 20
        page.context.set_offline(True)
        page.locator("#status", has_text="Reconnecting").wait_for(timeout=500)
        page.context.set_offline(False)
        wait_for_return(hand)


@pytest.mark.long
def test_the_service_worker(chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps static files and a page for the time without a server, and shows nothing old after an upgrade."""
    ports = [free_port() for _ in range(2)]
    address, upgraded = f"http://localhost:{ports[1]}", tmp_path / "new"
    shutil.copytree(Path(ump.__file__).parent, upgraded / "ump")
    words = upgraded / "ump/web/static/words/site_en.js"
    words.write_text(words.read_text("utf-8").replace('"Quick match"', '"Quicker match"'), "utf-8")

    def kept() -> dict[str, list[str]]:
        """Return the paths in each cache of the browser."""
        found: dict[str, list[str]] = tab.evaluate(KEPT_PATHS)
        return found

    with open_page(chromium, service_workers="allow") as tab:
        with _killable(ports, tmp_path):
            ready(tab, address)
            tab.evaluate("() => navigator.serviceWorker.ready")
            ready(tab, f"{address}/table?room=main")
            await_discard(tab)
            tab.wait_for_timeout(500)
            ((old, paths),) = kept().items()
            assert any(path.endswith("/table_page.js") for path in paths)
            assert {path for path in paths if not path.startswith("/static/")} == {"/offline"}
        ready(tab, f"{address}/me")
        assert tab.locator("h1").inner_text() == "The server cannot be reached."
        monkeypatch.setattr(PreparedPopen, "is_plain", True)
        monkeypatch.setenv("PYTHONPATH", str(upgraded))
        with _killable(ports, upgraded):
            tab.locator("#games").wait_for(state="attached")
            ready(tab, address)
            assert tab.locator("#quick").inner_text() == "Quicker match"
            while old in kept():  # the new worker begins in its own time
                tab.wait_for_timeout(200)
            assert len(kept()) == 1


KEPT_PATHS = """async () => {
  const caches_ = await Promise.all((await caches.keys()).map(async (name) => [name, await caches.open(name)]));
  const paths = async (cache) => (await cache.keys()).map(({ url }) => new URL(url).pathname);
  return Object.fromEntries(await Promise.all(caches_.map(async ([name, cache]) => [name, await paths(cache)])));
}"""


@contextmanager
def _killable(ports: list[int], folder: Path) -> Iterator[Process]:
    listen, http = ports
    words = ["--listen", str(listen), "--http", str(http), "--mjai", "none", "--record-dir", str(folder / "records")]
    process = Process([sys.executable, "-m", "twisted", "--log-format=text", "ump-server", *words, *OPTIONS], folder)
    try:
        assert wait_until(lambda: sum("listening on" in line for line in tuple(process.lines)) >= 2, 30), process.lines
        yield process
    finally:
        process.close()


def test_a_tap_lifts_and_a_second_discards(phone: Any, server: str) -> None:
    """On a phone that lies on its side the whole hand is in view, and one tap alone discards nothing."""
    phone.set_viewport_size({"width": 640, "height": 360})
    ready(phone, f"{server}/table?room=main")
    await_discard(phone)
    last = phone.locator("#hand button:not([aria-disabled])").last
    box = last.bounding_box()
    assert box["x"] + box["width"] <= 640
    assert box["y"] + box["height"] <= 360
    phone.wait_for_timeout(170)  # the page takes no input just after the hand has changed
    last.tap()
    phone.wait_for_selector("#hand .chosen")
    assert phone.locator(".own .river .tile").count() == 0
    phone.locator("#hand .chosen").tap()
    phone.wait_for_selector(".own .river .tile")


def test_the_keys_of_the_table(page: Any, server: str) -> None:
    """A name chooses a tile, Enter discards it; S tells the scores. The title calls back somebody who looks away.

    A toggles a switch; the box below the list of keys takes letters away, and other keys stay.
    """
    ready(page, f"{server}/table?room=main")
    await_discard(page)
    assert re.fullmatch(r"\d-shanten", page.locator("#hint").inner_text())
    page.keyboard.press("s")
    assert page.inner_text("#alert").count(" points") == 4
    name = tile_of(page.locator("#hand button:not([aria-disabled])").first)
    for key in typed(name):
        page.keyboard.press(key)
    assert tile_of(page.locator("#hand .chosen")) == name
    page.wait_for_timeout(170)  # the page takes no input just after the hand has changed
    page.evaluate("document.hasFocus = () => false")
    page.keyboard.press("Enter")
    page.wait_for_selector(f".own .river .t-{name}")  # not the hand, which may be full again at once
    page.wait_for_function("() => document.title === 'Your turn'")
    page.evaluate("document.hasFocus = () => true; dispatchEvent(new Event('focus'))")
    assert page.title() == "ump: main"
    page.keyboard.press("a")
    page.wait_for_selector("#switch-win[aria-pressed=true]")
    page.keyboard.press("?")
    page.locator("#drawer input").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    assert page.locator("#switch-win").get_attribute("aria-pressed") == "true"


def typed(name: str) -> str:
    """Return the keys for a tile in mjai's notation."""
    if name in HONOURS:
        return f"{HONOURS.index(name) + 1}z"
    return f"0{name[1]}" if name.endswith("r") else name


LANGUAGES = {"": ("快速匹配", "手牌"), "ja": ("対局をはじめる", "手牌")}
"""Words of the lobby and the table, by the language that is chosen; the first is that of the browser."""


def test_languages_on_a_phone(phone: Any, server: str) -> None:
    """The pages speak the browser's language or the chosen one, and nothing is wider than a small phone."""
    phone.set_viewport_size({"width": 360, "height": 640})
    for language, (play, hand) in LANGUAGES.items():
        if language:
            phone.evaluate("language => localStorage.setItem('ump-language', language)", language)
        ready(phone, f"{server}/")
        assert phone.locator("#quick").inner_text() == play
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360
        phone.locator("#mine a" if language else "#quick").tap()
        phone.wait_for_selector("body.at-table[data-ready]")
        await_discard(phone)
        assert phone.locator("#hand").get_attribute("aria-label") == hand
        for element in ("html", "#hand", "#room"):
            box = phone.locator(element).bounding_box()
            assert box["x"] >= 0, element
            assert box["x"] + box["width"] <= 360.5, element
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360
        ready(phone, f"{server}/rules?room=main")
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.long
def test_a_live_kyoku_by_keys_alone(page: Any) -> None:
    """The hand of this seed has a chi with a choice and, later, a closed kan; no key wins."""
    sent: list[str] = []
    page.once("websocket", lambda socket: socket.on("framesent", lambda line: sent.append(line)))
    house = ("--house=tsumogiri:3", "--house-after=0", "--bot-delay=0", "--length=kyoku", "--time=600+0")
    with OurServer((*house, "--seed=keys-43")) as server:
        ready(page, f"http://localhost:{server.addresses().http}/table?room=main")
        for _ in range(MOST_MOVES):
            await_turn(page)
            if page.locator("#result[open]").count():
                break
            offered = page.locator("#actions button").evaluate_all("all => all.map(each => each.dataset.answer)")
            for key in keys_for(offered, has_called=any("chi " in line for line in sent)):
                page.keyboard.press(key)
            page.wait_for_timeout(170)  # the page takes no input just after the hand has changed
        for _ in range(2):
            page.keyboard.press("Enter")
            page.wait_for_timeout(170)
        page.locator("#result a", has_text="Lobby").wait_for()
    answers = [line.split()[1] for line in sent]
    assert answers.index("chi") < answers.index("ankan")


def keys_for(offered: list[str], *, has_called: bool) -> list[str]:
    """Return the keys of a kan, of the second chi of several, of no call, or of the last tile."""
    if any("kan" in answer for answer in offered):
        return ["k"]
    if not has_called and len([answer for answer in offered if answer.startswith("chi")]) > 1:
        return ["c", "c", "Enter"]
    return ["x"] if "no" in offered else ["End", "Enter"]


def test_watching(page: Any, friend: Any, server: str) -> None:
    """A spectator sees the rivers and no hand."""
    ready(friend, f"{server}/table?room=main")
    await_discard(friend)
    ready(page, f"{server}/table?watch=main")  # before the discard, which may end the game
    click_last(friend)
    page.wait_for_selector(".river .tile", timeout=60_000)
    assert page.locator(".standing .st").count() >= 4 * 13 - 4 * 3
    assert page.locator(".standing > .tile").count() == 0
    assert page.locator("#hand button, #actions button").count() == 0
    assert page.locator("#switches .tag").inner_text() == "You are watching"
    page.locator("#pause").click()
    assert page.locator("#pause[aria-pressed=true]").count() == 1
    page.locator("#speed").click()
    assert page.locator("#speed").inner_text() == "2×"
