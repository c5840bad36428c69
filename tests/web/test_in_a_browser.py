"""The pages in Chromium: a game by mouse and by keys, a reload, a restart of the server, watching, languages, sizes.

At the end the replay page, as one file that needs no server: keys, clicks, the address, and files dropped on it.
"""

from __future__ import annotations

import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from operator import length_hint
from pathlib import Path
from typing import Any

import pytest
from support.budgets import some
from support.own_games import own_games
from support.programs import PreparedPopen
from support.sample_games import EAGER, sample
from support.swallowing_proxy import SwallowingProxy
from support.table_states import STATES, numbered

import ump
from scripts.lab.processes import Process, free_port, wait_until
from scripts.lab.server import OurServer
from ump.database.database import file_place
from ump.drills.mistakes import mistakes_of
from ump.players.expert import Expert
from ump.record.conversion import replay_data
from ump.record.decisions import read_record
from ump.record.likeness import Likeness
from ump.record.player_counts import PlayerCounts
from ump.record.player_statistics import PlayerSums
from ump.record.review import review_seat
from ump.record.review_report import Review, review_page
from ump.record.reviewers import PolicyReviewer
from ump.server.drill_desk import POOLED, DrillVerdict
from ump.server.lessons import lessons
from ump.server.overview import _figures
from ump.server.seat_tokens import hashes_of_guest
from ump.server.service import DRILLS_FILE
from ump.server.tournaments import (
    CLUB_FILE,
    EventSettings,
    Tournament,
    TournamentDatabase,
    carry_out,
    new_code,
    new_tournament,
)
from ump.server.users.bans import Report, Role
from ump.server.users.drill_database import DrillDatabase
from ump.server.users.learner import Learner
from ump.server.users.user_database import UserDatabase, hash_password

pytestmark = [pytest.mark.no_cover, pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]

HONOURS = ("E", "S", "W", "N", "P", "F", "C")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
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


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser for all tests of this module."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright; pip install playwright")
    if CHROMIUM is None:
        pytest.skip("no Chromium; apt-get install chromium")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server with one room, in which built-in bots take the free seats."""
    with OurServer(OPTIONS) as opened:
        yield f"http://localhost:{opened.addresses().http}"
        assert not opened.troubles()


@pytest.fixture(scope="module")
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


def test_the_own_games(page: Any, server: str) -> None:
    """Games with the own row marked, figures with intervals, older games at a press; orders need users."""
    players = [{"name": name, "points": 25_000, "place": place, "result": 0} for place, name in enumerate("cabd", 1)]
    game = {
        "id": "x",
        "began": "2026-11-26T10:00:00Z",
        "room": "main",
        "length": "tonpu",
        "seat": 1,
        "end": "abandoned",
        "annulled": True,
        "players": players,
    }
    sums = PlayerSums("main", 1, 1, (0, 1, 0, 0), 2, 4, 25_000, 0, 1, PlayerCounts(kyoku=4, wins=1))
    figures = {name: [_figures(sums)] for name in ("all", "room")} | {"month": [{**_figures(sums), "name": "2026-11"}]}
    pages = [{"games": [game], "before": None}, {"games": [game], "before": ["then", "x"], "figures": figures}]
    page.route("**/api/me/history*", lambda route: route.fulfill(json=pages.pop()))
    page.route("**/api/me/profile", lambda route: route.fulfill(json={"games": 0, "missing": 0, "running": None}))
    ready(page, f"{server}/me")
    assert page.locator("#games .me bdi").inner_text() == "a"
    assert "main · East · abandoned · annulled" in page.locator("#games .when").first.inner_text()
    assert page.locator("#games a").first.get_attribute("href") == "/replay?game=x&review=1#v=B"
    assert page.locator(".figure", has_text="Win rate").inner_text().split("\n")[1:] == ["25.0%", "4.6% – 69.9%"]
    assert page.locator("tbody th").all_inner_texts() == ["main", "Nov 2026"]
    assert [page.locator(f".places .p{place}").count() for place in (1, 2)] == [0, 1]  # no share, no colour
    page.locator("#more").click()
    page.locator("#games > li").nth(1).wait_for()
    assert page.locator("#more").is_hidden()
    ready(page, f"{server}/admin")
    assert "Start it with --users" in page.locator("#said").inner_text()
    assert page.locator("#login").is_hidden()
    page.route("**/api/account", lambda route: route.fulfill(json={"user": {"name": "anna"}}))
    page.route("**/api/admin/order", lambda route: route.fulfill(json=order_answer(route.request.post_data_json)))
    ready(page, f"{server}/admin")
    about = [row.split("\n")[2] for row in page.locator("#reports li").all_inner_texts()]
    assert about[0].startswith("Plays like the program expert: the same choice in 97 % of 100 discards (1 game)")
    assert about[0].endswith("people 35 to 69 %. 1 in 2,000 people is so like a program.")
    assert about[1].startswith("Not compared with programs yet")
    assert page.locator("#reports .rare").all_inner_texts() == about[:1]


KINDS = ("calls", "missed_calls", "no_fold", "early_fold", "no_riichi", "dora", "waits", "last_kyoku")


def profile_answer(games: int, running: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Return a profile of some games as the server sends it; one kind stands out."""
    rate = {"chances": 96, "hits": 46, "rate": 0.479, "interval": [0.38, 0.58], "usual": [0.08, 0.2], "loss": 512}
    findings = [{"weakness": kind, "stands_out": kind == "no_fold", **rate} for kind in KINDS]
    row = {"kyoku": 0, "free": 14, "good": 12, "loss": 758, "score": 70, "round": [1, 4, 1], "change": -4200}
    return {
        "games": games,
        "least": 20,
        "scores": [70] * games,
        "losses": [500 + 9 * number for number in range(games)],
        "findings": findings if games >= 20 else [],
        "missing": 0 if running else 30 - games,
        "running": running,
        "last": {"id": "x", "seat": 1, "kyoku": [row]},
    }


def test_the_profile(page: Any, server: str) -> None:
    """A press lets the server review games; the page follows, and tells what stands out from 20 games on."""
    answers = [profile_answer(19), profile_answer(19, {"done": 0, "of": 11}), profile_answer(30)]
    asked: list[str] = []

    def answer(route: Any) -> None:
        asked.append(route.request.method)
        route.fulfill(json=answers[len(asked) - 1])

    nothing: Mapping[str, Any] = {"games": [], "before": None, "figures": {}}  # as before the first game of a server
    page.route("**/api/me/history*", lambda route: route.fulfill(json=nothing))
    page.route("**/api/me/profile", answer)
    ready(page, f"{server}/me")
    page.locator("#profile .btn").wait_for()
    assert "reached" not in page.locator("#lead").inner_text()
    assert "from 20 reviewed games on" in page.locator("#profile .note").inner_text()
    page.locator("#profile .btn").press("Enter")
    page.locator("#profile progress").wait_for()
    assert "0 of 11" in page.locator("#profile [role=status]").inner_text()
    page.locator("#profile .finding").wait_for()
    assert asked == ["GET", "POST", "GET"]
    assert "46 of 96 times" in page.locator("#profile .finding").inner_text()
    page.locator("#profile summary").press("Enter")
    assert page.locator("#profile details tbody tr").count() == len(KINDS)
    assert page.locator("#profile > section table tbody").inner_text().split("\t")[0] == "South 4 · 1"
    assert violations(page, "/me", "light") == violations(page, "/me", "dark") == []


def order_answer(order: Mapping[str, object]) -> Mapping[str, object]:
    """Return the answer to an order: two reports, of which one comes with a likeness, and no more."""
    if order["order"] != "reports":
        return {"ok": True, "tables": [], "players": [], "bans": [], "orders": []}
    like = Likeness("expert", 97, 100, 1, (0.35, 0.69), 2_000)
    report = asdict(Report("2026-11-26T10:00:00Z", "anna", "x", "main", 1, "bob", "program", id=1, upheld=0))
    row = {**report, "seat": "B", "table": None}
    return {"ok": True, "reports": [{**row, "likeness": asdict(like)}, {**row, "likeness": None}]}


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


def tiles_of(page: Any) -> list[str]:
    """Return the tiles of the own hand."""
    found: list[str] = page.locator("#hand .tile").evaluate_all("all => all.map(each => each.dataset.tile)")
    return found


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


def tile_of(button: Any) -> str:
    """Return the name of a tile, as mjai writes it."""
    found = re.search(r"\bt-(\w+)", button.get_attribute("class"))
    assert found is not None
    return found[1]


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


SIZES = [(1440, 900), (1024, 768), (768, 1024), (390, 844), (844, 390), (360, 640), (640, 360), (1280, 720)]

FIND_FAULTS = """async () => {
  await new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)));
  document.getAnimations().forEach((each) => { try { each.finish(); } catch { each.cancel(); } });
  const rects = (selector) => [...document.querySelectorAll(selector)]
    .map((each) => each.getBoundingClientRect()).filter((each) => each.width);
  const groups = {
    hand: rects("#hand .tile"), melds: rects("#own-melds .tile"), calls: rects(".call"),
    switches: rects("#switches button"), plates: rects(".plate"), info: rects("#info"), tools: rects("#tools"),
    hint: rects("#hint"), river: rects(".river .tile"), others: rects(".standing .tile"),
    pausing: rects("#pausing"),
  };
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
  const outside = (a) => a.left < -1 || a.top < -1 || a.right > innerWidth + 1 || a.bottom > innerHeight + 1;
  const names = Object.keys(groups);
  const floating = ["#status", "#drawer", ".sheet"].filter((each) => rects(each).some(outside));
  const right = (each) => each.getBoundingClientRect().right;
  const leaves = (each) => right(each) > right(each.closest(".plate")) + 1;
  if ([...document.querySelectorAll(".plate .st8 > *")].some(leaves)) floating.push("a line of a plate");
  const gone = [...floating, ...names.filter((each) => groups[each].some(outside))];
  const meet = (one, other) => groups[one].some((a) => groups[other].some((b) => overlap(a, b)));
  const pairs = names.flatMap((one, place) => names.slice(place + 1).map((other) => [one, other]));
  return gone.map((each) => `${each} outside`).concat(
    pairs.filter((each) => meet(...each)).map(([one, other]) => `${one} and ${other} overlap`));
}"""


class ScriptedTable:
    """A page of a table that shows states of a game without a game."""

    def __init__(self, page: Any, server: str) -> None:
        self.page = page
        self.answers: list[str] = []
        """The sentences that the page has sent, without its hello."""
        self._state, self._is_shown = "riichi", False
        self._socket: Any = None
        page.route_web_socket("**/ump*", lambda socket: self._connect(socket))
        page.goto(f"{server}/table?room=main")

    def _connect(self, socket: Any) -> None:
        socket.on_message(lambda text: self._take(text))
        self._socket = socket
        socket.send("0 hello ump=0.1 name=ump\r\n")

    def _take(self, text: str) -> None:
        if text.startswith("0 hello"):
            self._say_all()
        elif text.split()[1] == "ok":
            self._is_shown = True
        else:
            self.answers.append(text)

    def say(self, lines: list[str]) -> None:
        """Say lines of the server."""
        self._socket.send(numbered(lines))

    def _say_all(self) -> None:
        """Say all lines of the state; the page says it is ready in the midst of them, and shows them together."""
        profiles, start, *rest = STATES[self._state]
        self.say([profiles, start, "ready?", *rest])

    def show(self, state: str, *, anew: bool = False) -> None:
        """Show a state, with its sheet or its drawer; ``anew`` loads the page again before."""
        page = self.page
        self._await_shown()
        self._state, self._is_shown = state, False
        if anew:
            page.reload()
        else:
            self._say_all()
        self._await_shown()
        if state in ("win", "double", "draw", "end"):
            page.wait_for_selector("#result[open]")
        if state == "settings":
            page.locator("#tool-settings").click()

    def _await_shown(self) -> None:
        for _ in range(3_000):
            if self._is_shown:
                return
            self.page.wait_for_timeout(10)
        raise AssertionError(f"the state {self._state} is not shown")


@pytest.fixture
def table(pages: tuple[Any, ...], server: str) -> Iterator[ScriptedTable]:
    """A scripted table in the second page, whose connections never reach the server again."""
    for page in visited(pages[1], server):
        yield ScriptedTable(page, server)


def test_nothing_overlaps_at_any_size(table: ScriptedTable) -> None:
    """Hands, melds, calls, plates and rivers have room in every state, and nothing leaves the window."""
    faults, page = [], table.page
    for number, state in enumerate(STATES):
        page.set_viewport_size(SIZE)
        table.show(state)
        for width, height in some([*SIZES[number % len(SIZES) :], *SIZES[: number % len(SIZES)]]):
            page.set_viewport_size({"width": width, "height": height})
            faults += [f"{width}x{height} {state}: {fault}" for fault in page.evaluate(FIND_FAULTS)]
    assert faults == []


def test_hints(table: ScriptedTable) -> None:
    """The page shows what the server tells, marks discards that leave the hand tenpai, and remembers the switch."""
    page = table.page
    table.show("call")
    assert page.locator("#hint").inner_text() == "1-shanten"
    page.keyboard.press("h")
    assert page.locator("#hint").inner_text() == ""
    table.show("riichi", anew=True)
    assert page.locator("#hand .tenpai").count() == 0
    page.keyboard.press("h")
    assert page.locator("#hand .tenpai").count() == 2
    assert page.locator("#hand .tenpai.furiten").count() == 1
    assert page.locator("#hint .eye").inner_text().split() == ["Waits", "×3", "×2", "×0", "×2"]
    assert "waits 1 of characters (3 left), 4 of characters (2 left)" in page.locator("#hint").text_content()
    page.locator("#hand .furiten").hover()
    assert "Furiten" in page.locator("#hint").inner_text()
    page.keyboard.press("e")
    assert page.locator("#drawer").inner_text().split("\n")[-1] == "Advice comes with your next decision."
    asked = table.answers[-1].removesuffix(" _advise")
    table.say([f"_advice {asked} richi=4p/+2100/0/7/0 sute=5S/-80/1/18/4 sute=1m/-310/-/-/0"])
    page.wait_for_selector("#drawer li")
    assert page.locator("#drawer li").all_inner_texts() == [
        "Riichi\n+2,100 points expected\ntenpai, 7 tiles to win",
        "-80 points expected\n1-shanten, 18 tiles to the next; 4 % to deal in",
        "-310 points expected\ngives up the hand",
    ]
    assert tile_of(page.locator("#hand .advised")) == "4p"
    answered = len(table.answers)
    for key, is_open in (("Escape", False), ("e", True), ("e", False)):
        page.keyboard.press(key)
        assert page.locator("#drawer").is_visible() is is_open
    assert len(table.answers) == answered
    table.show("worst")
    page.locator("#tool-settings").click()
    assert page.locator("[data-preference=hints]").is_disabled()
    assert page.locator("label:has([data-preference=hints])").get_attribute("title") == "This room gives no hints."
    table.show("call", anew=True)
    table.say(["tsumo A 29 1z", "sutehai? sute=1z _time=5+0"])
    page.locator("#clock", has_text="5 + 0").wait_for()


def test_a_sheet_is_held_aside(table: ScriptedTable) -> None:
    """A click or a key lets the table be seen until the next one, a long press until it ends; Enter still goes on."""
    page = table.page
    table.show("win")
    eye, aside = page.locator(".sheet .see"), page.locator("#result.aside")
    for count in (1, 0):
        eye.click()
        assert aside.count() == count
    eye.click(delay=500)
    assert aside.count() == 0
    for count in (1, 0):
        eye.press("Enter")
        assert aside.count() == count
    page.locator("#result .main").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#result:not([open])", state="attached")


def test_the_sheets_of_a_result(table: ScriptedTable) -> None:
    """Each winner has a sheet with dora, limit, value, payments and scores; a draw and the end have one."""
    page = table.page

    def sheet(state: str = "") -> str:
        if state:
            table.show(state)
        return " ".join(page.locator("#result .sheet").inner_text().split())

    first = sheet("double")
    dora = ".sheet .doras .tile"
    assert page.locator(dora).evaluate_all("all => all.map(each => each.className)") == ["tile t-1m", "tile t-4s"]
    assert "Ron from Kawauso Defensive 2 · South 1 ×2 · 1 / 2" in first
    assert "4 han 40 fu Mangan 8,000 +300 +2,000" in first
    assert "E Kawauso you 33,100 -8,300" in first
    assert page.locator(".winhand .dora").count() == 1
    assert page.locator("#result .main").inner_text() == "Next winner"
    page.locator(".yaku button").first.click()
    page.locator(".reference .here").wait_for()
    assert page.locator(".reference .here b").first.inner_text() == page.locator(".yaku button").first.inner_text()
    assert violations(page, "yaku", "dark") == []
    page.keyboard.press("Escape")
    page.locator("#result .main").focus()  # the yaku has the focus back
    page.keyboard.press("Enter")
    second = sheet()
    assert "2 / 2" in second
    assert page.locator("#result .main").inner_text() == "Next hand"
    assert "Big Three Dragons yakuman Yakuman 32,000 comet is liable (pao)." in second
    assert "N Tanuki 53,900 +32,000" in second
    assert "E Kawauso you 17,100 -16,000" in second
    drawn = sheet("draw")
    assert "Kawauso you Tenpai 42,400 +1,000" in drawn
    assert "comet Noten 24,200 -3,000" in drawn
    assert page.locator(".standings .th").count() == 3
    ended = sheet("end")
    assert "1st Kawauso you 41,400 +51.4" in ended
    assert page.locator("#result a", has_text="Replay").get_attribute("href") == "/replay?game=20260401T120000Z-main-1"


def test_what_may_be_discarded(table: ScriptedTable) -> None:
    """Riichi dims the tiles that leave no tenpai, which say so; it can be left again, by its button or a key."""
    page = table.page
    table.show("riichi")
    page.wait_for_timeout(170)  # the page takes no input just after the hand has changed
    page.locator("#actions .riichi").click()
    assert page.locator("#hand .off").count() == 12
    page.locator("#hand .off").first.dispatch_event("click")
    assert page.locator("#notice").inner_text() == "2 of characters: without it the hand would not be tenpai."
    page.locator("#actions .riichi").click()
    assert page.locator("#hand .off").count() == 0
    page.keyboard.press("l")
    page.keyboard.press("Escape")
    assert page.locator("#hand .off").count() == 0
    assert table.answers == []
    page.keyboard.press("l")
    page.locator("#hand .t-5sr").click()
    assert table.answers[0].split()[1:] == ["richi", "5S"]
    drawn = ("tsumo A 7 4p", "sutehai? sute=4p tsumo _drawn=4p")
    table.say(["say A richi", "sutehai A 5S", "point A -1000", *drawn])
    page.wait_for_selector("#actions .tsumo")
    assert page.locator("#hand .off").count() == 13  # the other 4p, too


def test_a_kyoku_by_keys_alone(table: ScriptedTable) -> None:
    """A chi of three ways, a discard, a closed kan, a riichi, and the sheets of a result: none needs a mouse."""
    page = table.page

    def pressed(state: str, keys: str) -> str:
        """Return what the page answers in a state to some keys."""
        table.show(state)
        page.wait_for_timeout(170)  # the page takes no input just after the hand has changed
        for key in keys.split():
            page.keyboard.press(key)
        return table.answers[-1].partition(" ")[2]

    assert pressed("many", "c c Enter") == "chi 2s 4s"
    table.say(["say A chi", "open A <2s4s> 3s", "sutehai? sute=1m2m1p1p1s3s3s5S7s8s9s"])
    page.wait_for_selector("#hand button:not([aria-disabled])")
    page.wait_for_timeout(170)
    for key in ("2", "m", "Enter"):
        page.keyboard.press(key)
    assert table.answers[-1].partition(" ")[2] == "sute 2m"
    assert pressed("many", "k") == "kan"
    assert pressed("many", "p") == "pon 3s 3s"
    assert pressed("three", "k") == "ankan 9p"
    assert pressed("riichi", "l 4 p Enter") == "richi 4p"
    assert pressed("call", "x") == "no"
    table.show("double")
    first = page.locator("#result").inner_text()
    page.keyboard.press("Enter")
    assert page.locator("#result").inner_text() != first
    table.say(["ready?"])
    page.wait_for_timeout(50)
    page.keyboard.press("Enter")
    page.wait_for_selector("#result:not([open])", state="attached")


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


def test_a_double_click_and_a_drag_discard_by_setting(table: ScriptedTable) -> None:
    """The settings stay in the browser; a single click only raises the tile then."""
    page = table.page
    table.show("settings")
    page.locator("[data-preference=discard]").select_option("double")
    page.locator("#drawer .wine").click()
    table.show("riichi", anew=True)
    assert page.locator("html[data-felt=wine]").count() == 1
    answers = table.answers
    page.wait_for_timeout(170)  # the page takes no input just after the hand has changed
    tile = page.locator("#hand .t-7m").last
    tile.click()
    assert page.locator("#hand .chosen").count() == 1
    assert answers == []
    tile.dblclick()
    assert answers.pop().split()[1:] == ["sute", "7m", "tsumogiri"]
    page.locator("#tool-settings").click()
    page.locator("[data-preference=discard]").select_option("drag")
    table.show("riichi", anew=True)
    box = page.locator("#hand .t-4p").bounding_box()
    for _ in range(100):
        page.mouse.move(box["x"] + 10, box["y"] + 40)
        page.mouse.down()
        page.mouse.move(box["x"] + 10, box["y"] - 60, steps=3)
        page.mouse.up()
        if answers:
            break
        page.wait_for_timeout(100)  # the page takes no input just after the hand has changed
    assert answers.pop().split()[1:] == ["sute", "4p"]


FLAG = {"text": "..", "sign": "deal-ins", "other": "<b>", "games": 60, "excess": 1234.5, "p": 1e-5}
RATED = [
    {"name": "a", "builtin": False, "rating": 1600, "interval": 80, "games": 70, "provisional": False, "flags": [FLAG]},
    {
        "name": "efficiency",
        "builtin": True,
        "rating": 1500,
        "interval": 0,
        "games": 70,
        "provisional": False,
        "flags": [],
    },
    {"name": "b", "builtin": False, "rating": 1400, "interval": 200, "games": 9, "provisional": True, "flags": []},
]
GAME = {"id": "g", "began": 0, "players": [{"name": "a", "builtin": False, "place": 1, "points": 30_000}]}
LADDER = {"rooms": [{"name": "main", "every": 1_200, "next": 0, "games": 70, "players": RATED}]}


LADDER_TEXTS = {
    "en": ["a round begins every 20 min", "efficiency (built-in)", "deals in 1,234.5 points", "last games"],
    "ja": ["20分ごと", "牌効率(内蔵)", "<b>への放銃が60局", "最近の対局"],
    "zh": ["每 20 分钟", "牌效率(内置)", "多放铳给 <b>", "最近的对局"],
}


def test_the_ladder(page: Any, server: str) -> None:
    """The table and the page of a player speak each language, with graphs, and are not wider than the window."""
    course = [[0, 1_500, 300], [60, 1_550, 200], [120, 1_600, 80]]
    player = RATED[0] | {"course": course, "last": [GAME]}
    page.route(
        "**/api/ladder*",
        lambda route: route.fulfill(json=player if "player=" in route.request.url else LADDER),
    )

    def check_width(width: int) -> None:
        page.set_viewport_size(SIZE | {"width": width})
        page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)

    for path in ("/", "/learn", "/drill", "/account"):
        ready(page, f"{server}{path}")
        page.evaluate("sessionStorage.clear()")  # each page asks for itself
        page.reload()
        page.locator("#nav a[href='/ladder']").wait_for()
    for language, texts in LADDER_TEXTS.items():
        page.evaluate("language => localStorage.setItem('ump-language', language)", language)
        page.set_viewport_size(SIZE | {"width": 360})
        ready(page, f"{server}/ladder")
        shown = page.inner_text("main").lower()
        check_width(360)
        assert page.locator(".interval:visible").count() == 0
        check_width(1_280)
        assert page.locator(".interval:visible").count() == 3
        page.get_by_role("link", name="a", exact=True).click()
        page.wait_for_selector(".graph")
        assert page.locator(".graph .course").get_attribute("points").count(",") == len(course)
        check_width(1_280)
        check_width(360)
        shown += page.inner_text("main").lower()
        for text in texts:
            assert text in shown, language


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


def violations(page: Any, place: str, theme: str) -> list[str]:
    """Return what axe-core has to complain about in a page."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe-playwright-python").Axe()
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    found = axe.run(page).response["violations"]
    return [f"{place}, {theme}: {each['nodes'][0]['html']} {each['nodes'][0]['failureSummary']}" for each in found]


def test_accessibility(table: ScriptedTable, server: str) -> None:
    """axe-core has nothing to complain about: pages, tables, sheets and drawers, in both themes."""
    page, faults = table.page, []
    states = ("riichi", "double", *some(("settings", "call", "three", "draw", "end")))
    for number, state in enumerate(states):
        table.show(state)
        faults += violations(page, state, ("dark", "light")[number % 2])
    lobby = page.request.get(f"{server}/api/lobby").json()  # games of other tests must not end under axe's eyes
    page.route("**/api/lobby", lambda route: route.fulfill(json=lobby))
    for path, theme in (
        *some((("/", "light"), ("/", "dark"))),
        ("/rules?room=main#scores", "dark"),
        ("/ladder", "light"),
    ):
        ready(page, f"{server}{path}")
        if "#" in path:
            page.wait_for_selector(".reference")
        faults += violations(page, path, theme)
    assert faults == []


@pytest.mark.long
def test_accessibility_of_drawers(table: ScriptedTable) -> None:
    """axe-core has nothing to complain about in each drawer, beside plates with ratings."""
    page, faults = table.page, []
    page.set_viewport_size({"width": 1440, "height": 900})
    table.show("riichi", anew=True)
    assert page.locator(".plate .rating:visible").count()
    for number, drawer in enumerate(("log", "settings", "menu", "Yaku", "Points", "Keys", "Advice")):
        page.locator("#tool-menu" if drawer.istitle() else f"#tool-{drawer}").click()
        if drawer.istitle():
            page.locator("#drawer").get_by_role("button", name=drawer, exact=True).click()
            page.locator("#drawer h2", has_text=drawer).wait_for()
        page.wait_for_timeout(300)  # yaku and points come as a module
        faults += violations(page, drawer, ("dark", "light")[number % 2])
        page.keyboard.press("Escape")
        page.locator("#drawer").wait_for(state="hidden")
    assert faults == []


@pytest.mark.long
def test_accessibility_of_pages_that_are_rare(page: Any, server: str) -> None:
    """The same holds for the course with tasks of each kind, the course of a rating, and a game without a hand."""
    faults: list[str] = []
    figures: Mapping[str, list[Any]] = {"all": [], "room": [], "month": []}
    names = [{"name": name, "points": 25_000, "place": place, "result": 0} for place, name in enumerate("abcd", 1)]
    game = {
        "id": "x",
        "began": NOON,
        "room": "main",
        "length": "tonpu",
        "seat": 0,
        "end": "completed",
        "annulled": False,
    }
    page.route(
        "**/api/me/history*",
        lambda route: route.fulfill(json={"games": [game | {"players": names}], "before": None, "figures": figures}),
    )
    page.route("**/api/me/profile", lambda route: route.fulfill(json=profile_answer(30)))
    player = RATED[0] | {"course": [[0, 1_500, 300], [60, 1_550, 200], [120, 1_600, 80]], "last": []}
    page.route("**/api/ladder*", lambda route: route.fulfill(json=player if "player=" in route.request.url else LADDER))
    page.route("**/api/games/x", lambda route: route.fulfill(json={"games": []}))
    for path, there in (
        ("/me", "#ratings .graph"),
        ("/replay?game=x", "text=This game was left before its first hand"),
        ("/learn", ".step"),
        *(
            (f"/table?lesson={lesson}", ".coach .asked, .coach .told")
            for lesson in ("tiles", "waits", "yaku", "riichi")
        ),
    ):
        ready(page, f"{server}{path}")
        page.locator(there).first.wait_for()
        faults += violations(page, path, "light")
    assert faults == []


NOON = "2026-11-26T12:00:00Z"


def test_a_user_logs_in(page: Any, tmp_path: Path) -> None:
    """A session is in all tabs and survives a reload of the table; without it the name belongs to somebody else."""
    users = tmp_path / "users.sqlite"
    UserDatabase(file_place(users)).add("alice", hash_password("correct horse"), "2026-11-24T00:00:00Z")
    with OurServer((*OPTIONS, f"--users={users}", "--access=users+code:Sakura7")) as server:
        address = f"http://localhost:{server.addresses().http}"
        log_in(page, address)
        assert page.locator("#guest").is_hidden()
        page.get_by_label("Invitation code").fill("Sakura7")
        page.get_by_text("Sit down", exact=True).click()
        for _ in range(2):
            page.wait_for_selector("#hand button")
            assert "alice" in page.locator("#plates").inner_text()
            page.reload()
        ready(page, f"{address}/account")
        assert violations(page, "account", "light") == []
        page.evaluate("localStorage.setItem('ump-name', 'alice'); localStorage.removeItem('ump-guest')")
        page.locator("#logout").click()
        page.wait_for_url(f"{address}/")
        ready(page, f"{address}/table?room=main")
        page.get_by_text("belongs to a user").wait_for()


def log_in(page: Any, address: str) -> None:
    """Log in as alice."""
    ready(page, f"{address}/account")
    page.locator("#login [name=user]").fill("alice")
    page.locator("#login [name=password]").fill("correct horse")
    page.locator("#login button").click()
    page.locator("#account bdi").wait_for()


CALL_KEYS = {"pon": "p", "chi": "c", "no": "x", "ron": "r", "tsumo": "t"}


class LearnerClicks:
    """The course, taken by clicks: a wrong answer to each task, and then the right one."""

    def __init__(self, page: Any, server: str) -> None:
        self.page = page
        self.server = server

    def take(self, lesson: str, *, mistakes: int = 1, keys: bool = False) -> None:
        """Take a lesson with so many wrong answers to each task, and then the right one, at the table by ``keys``."""
        self.keys = keys
        (tasks,) = (each["tasks"] for each in lessons() if each["id"] == lesson)
        ready(self.page, f"{self.server}/table?lesson={lesson}")
        for number, task in enumerate(tasks):
            if number:
                self._go_on()
            self.page.locator(".coach .asked").wait_for()
            kind = "option" if task["kind"] == "choose" else task["kind"]
            answer = {"act": self._act, "play": self._play, "option": self._choose}.get(kind, self._tap)
            asked = self.page.locator(".coach .told").inner_text()
            answer(task, mistakes)
            self.page.locator(".coach .bars .on").nth(number).wait_for(state="attached")
            assert self.page.locator(".coach .told").inner_text() != asked
            assert self.page.locator(".coach .asked").count() == 0

    def _go_on(self) -> None:
        """Go to the next task by its button, which has the focus."""
        if self.keys:
            self.page.keyboard.press("Enter")
        else:
            self.page.locator(".coach .ways .main").click()

    def _tap(self, task: dict[str, Any], mistakes: int) -> None:
        tiles = ".work .held button, .work .palette button"
        self._answer(tiles, lambda button: mpsz(tile_of(button)) in task["accepted"], task, mistakes)

    def _choose(self, task: dict[str, Any], mistakes: int) -> None:
        places = iter(range(100))
        self._answer(".option", lambda _: next(places) in task["accepted"], task, mistakes)

    def _answer(self, selector: str, is_right: Callable[[Any], bool], task: dict[str, Any], mistakes: int) -> None:
        """Click wrong tiles or options, and then those that are right."""
        buttons = self.page.locator(selector).all()
        verdicts = [is_right(button) for button in buttons]
        names = [button.get_attribute("class") for button in buttons]
        wrong = [button for button, verdict in zip(buttons, verdicts, strict=True) if not verdict]
        right: dict[str | None, Any] = {}  # one of each kind
        for button, name, verdict in zip(buttons, names, verdicts, strict=True):
            if verdict:
                right.setdefault(f"{name} {len(right)}" if "option" in str(name) else name, button)
        check = self.page.locator(".check")
        has_check = bool(check.count())
        assert not has_check or check.is_disabled()  # nothing is chosen yet
        for _ in range(mistakes):
            wrong[0].click()
            if has_check:
                check.click()
            assert self.page.locator(".coach .told .loss").inner_text() == "✗ Not right."
            assert self.page.locator(".coach .bars .on").count() == self._done
            if has_check:
                wrong[0].click()
        if mistakes >= 3:
            assert self.page.locator(".work .right, .coach .right").count() >= len(right)
        for button in list(right.values())[: None if has_check else 1]:
            button.click()
        if has_check:
            check.click()

    @property
    def _done(self) -> int:
        """The number of tasks that are solved."""
        return int(self.page.evaluate("JSON.parse(localStorage.getItem('ump-lessons') ?? '[]').length")) - self.before

    before = 0
    """The number of tasks that were solved before the lesson."""
    keys = False

    def _act(self, task: dict[str, Any], mistakes: int) -> None:
        for _ in range(mistakes):
            self._move(next(iter(self._wrong(task["accepted"]))))
            self.page.locator(".coach .told").wait_for()
        if mistakes >= 3:
            assert self.page.locator(".coach .answer .tile, .coach .answer").count()
        if self.keys:
            self.page.wait_for_timeout(170)  # the page takes no input just after the hand has changed
            self.page.keyboard.press(CALL_KEYS[task["accepted"][0].split(" ")[0]])
        else:
            self._move(task["accepted"][0])
        self.page.locator(".coach .ways .main").wait_for()
        if task["accepted"][0] in ("ron", "tsumo"):
            self.page.wait_for_selector("#result[open]")
            self.page.keyboard.press("Enter")

    def _wrong(self, accepted: list[str]) -> Iterator[str]:
        """Yield answers that are legal and not accepted."""
        for button in self.page.locator("#hand button:not([aria-disabled])").all():
            answer = f"sute {ump_tile(tile_of(button))}"
            if answer not in accepted:
                yield answer
        for button in self.page.locator("#actions button").all():
            answer = button.get_attribute("data-answer")
            if answer and answer not in accepted:
                yield answer

    def _move(self, answer: str) -> None:
        """Give an answer at the table by clicks."""
        command, *tiles = answer.split(" ")
        self.page.wait_for_timeout(170)  # the page takes no input just after the hand has changed
        if command == "richi":
            self.page.locator("#actions .riichi").click()
        elif command != "sute":
            self.page.locator(f'#actions button[data-answer="{answer}"]').click()
            return
        for button in self.page.locator("#hand button:not([aria-disabled])").all():
            if ump_tile(tile_of(button)) == tiles[0]:
                button.click()
                return
        raise AssertionError(f"{answer} is not possible")

    def _play(self, task: dict[str, Any], mistakes: int) -> None:
        self.page.locator(".coach .ways .main").click()
        self.page.wait_for_url("**/table?lesson=first&room=*")
        for _ in range(MOST_MOVES):
            await_turn(self.page)
            if self.page.locator(".coach.over").count():
                return
            if self.page.locator("#result[open]").count():
                self.page.keyboard.press("Enter")
            elif self.page.locator("#actions .ron, #actions .tsumo").count():
                self.page.locator("#actions .ron, #actions .tsumo").click()
            elif self.page.locator("#actions .pass").count():
                self.page.keyboard.press("x")
            elif self.page.locator("#hand button:not([aria-disabled])").count():
                click_last(self.page)
            self.page.wait_for_timeout(170)
        raise AssertionError("the hand does not end")


def mpsz(tile: str) -> str:
    """Return a tile of the pages as lessons write it."""
    return f"{HONOURS.index(tile) + 1}z" if tile in HONOURS else tile[:2]


def ump_tile(tile: str) -> str:
    """Return a tile of the pages as UMP writes it."""
    return f"5{tile[1].upper()}" if tile.endswith("r") else mpsz(tile)


def test_a_lesson(page: Any, server: str) -> None:
    """Wrong answers lose nothing, the third one shows the right one, progress is kept, and axe has no complaint."""
    course = LearnerClicks(page, server)
    course.take("tiles", mistakes=3)
    course.before = 3
    assert violations(page, "lesson", "dark") == []
    course.take("calls", mistakes=3, keys=True)
    assert violations(page, "lesson at the table", "light") == []
    ready(page, f"{server}/learn")
    assert page.locator(".step.done b").all_inner_texts() == ["The tiles", "Chi and pon"]
    assert page.locator("#done b").inner_text() == "2 / 16"
    page.set_viewport_size({"width": 360, "height": 640})
    for summary in page.locator("summary").all():
        summary.click()
    page.locator(".text h3").first.wait_for()
    page.locator("#scores .reference").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations(page, "learn", "light") == []
    assert page.locator("#next").get_attribute("href") == "/table?lesson=shape"


@pytest.mark.long
@pytest.mark.parametrize("lesson", [lesson["id"] for lesson in lessons()])
def test_each_lesson(page: Any, server: str, lesson: str) -> None:
    """Each task takes its right answer by clicks, after a wrong one; the last lesson is a hand, played to its end."""
    LearnerClicks(page, server).take(lesson)
    ready(page, f"{server}/learn")
    assert page.locator(".step.done").count() == 1


class DrillClicks:
    """Answers drills on their page, and looks at what is told."""

    def __init__(self, page: Any, server: str) -> None:
        self.page = page
        self.server = server

    def open(self, kind: str) -> None:
        """Open the page for a kind."""
        ready(self.page, f"{self.server}/drill?kind={kind}")
        self.page.wait_for_selector(f".question.{kind}")

    def open_slowly(self, kind: str) -> None:
        """Open the page for a kind while the server takes its time."""
        held: list[Any] = []
        self.page.route("**/api/drills*", lambda route: held.append(route))
        self.page.goto(f"{self.server}/drill?kind={kind}")
        self.page.get_by_text("Loading…").wait_for()
        self.page.unroute("**/api/drills*")
        for route in held:
            route.continue_()
        self.page.wait_for_selector(f".question.{kind}")

    def answer(self, kind: str, *, by_keys: bool) -> None:
        """Give an answer, and go on to the next question with Enter."""
        page = self.page
        asked = page.locator(".question").inner_html()
        if by_keys:
            self._press(kind)
        else:
            self._click()
        page.wait_for_selector("#answer .box")
        verdict = page.locator(".verdict b").inner_text()
        assert (verdict == "Right") == (page.locator(".question .wrong").count() == 0)
        assert page.locator(".question .right").count() >= (verdict == "Right")
        assert page.locator(".sentence").inner_text().strip() and page.locator(".facts li").count()
        assert page.evaluate("document.querySelector('#answer').getAttribute('role')") == "status"
        page.keyboard.press("Enter")
        page.wait_for_selector("#answer .box", state="detached")
        if page.locator(".question").count():
            assert page.locator(".question").inner_html() != asked

    def open_at_table(self, kind: str) -> None:
        """Look at the position of an answered drill where it can be replayed, and come back to another one."""
        page = self.page
        asked = page.locator(".question .held .tile").count()
        page.get_by_role("button", name="Open at the table").click()
        page.wait_for_selector("body[data-ready] .replay:not(.empty)")
        assert page.locator(".seat.own .standing .tile").count() == asked
        where = page.locator(".counter").inner_text()
        page.keyboard.press("ArrowLeft")
        assert page.locator(".counter").inner_text() != where
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert violations(page, f"{kind} at the table", "dark") == []
        page.get_by_text("Back to the drills").click()
        page.wait_for_selector(f".question.{kind}")
        page.locator(".ways .btn").click()
        page.wait_for_selector("#answer .box")

    def _press(self, kind: str) -> None:
        page = self.page
        if kind in ("furiten", "points", "push", "call"):
            page.keyboard.press("1")
        elif not page.locator("button.tile").count():
            page.keyboard.press("x")
        else:
            tile = mpsz(page.locator("button.tile").first.get_attribute("data-tile"))
            page.keyboard.press(tile[0])
            page.keyboard.press(tile[1])
            page.keyboard.press("Enter")

    def _click(self) -> None:
        page = self.page
        if page.locator("button.tile").count():
            page.locator("button.tile").last.click()
            if page.locator(".check").count():
                page.locator(".check").click()
        else:
            page.locator(".option").last.click()


def plant_mistakes(folder: Path, guest: str) -> None:
    """Let the mistakes of two seats be due today."""
    database = DrillDatabase(file_place(folder / DRILLS_FILE))
    today = datetime.now(UTC).date()
    owner = database.visit(Learner(hashes_of_guest(guest)[0]), today.isoformat(), begins=True)
    assert owner is not None
    game = read_record(sample(EAGER))
    for seat in (1, 3):
        database.keep(owner, mistakes_of(game, seat), (today - timedelta(days=1)).isoformat())


GUEST = "d" * 22


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server at which own mistakes of a guest are due."""
    folder = tmp_path_factory.mktemp("practice")
    plant_mistakes(folder, GUEST)
    with OurServer((*OPTIONS, f"--record-dir={folder}")) as opened:
        yield f"http://localhost:{opened.addresses().http}"
        assert not opened.troubles()


@pytest.fixture
def learner(pages: tuple[Any, ...], practice: str) -> Iterator[Any]:
    """The page of that guest."""
    page = as_new(pages[0], practice)
    page.evaluate("guest => localStorage.setItem('ump-guest', guest)", GUEST)
    yield page
    page.goto("about:blank")


@pytest.mark.long
@pytest.mark.parametrize("kind", [*(each.value for each in POOLED), "mistake"])
def test_a_kind_of_drills(learner: Any, practice: str, kind: str) -> None:
    """One by keys and one by clicks; the answer can be shown; axe has no complaint, and a phone is wide enough."""
    drills = DrillClicks(learner, practice)
    drills.open(kind)
    drills.answer(kind, by_keys=True)
    drills.answer(kind, by_keys=False)
    if kind == "call":
        assert learner.locator(".option .word").last.inner_text() == "Pass"
    faults = violations(learner, kind, "dark")
    learner.locator(".ways .btn").click()
    learner.wait_for_selector("#answer .box")
    learner.set_viewport_size({"width": 360, "height": 740})
    assert learner.evaluate("document.documentElement.scrollWidth") <= 360
    assert [*faults, *violations(learner, f"{kind}, answered", "light")] == []
    if learner.locator(".at-table").count():
        drills.open_at_table(kind)
    if kind == "mistake":
        learner.locator(".quiet", has_text="Leave it out").click()
        learner.get_by_text("It comes back no more.").wait_for()
    ready(learner, f"{practice}/learn")
    learner.wait_for_selector("#practice .kinds li")
    found = learner.locator(f'#practice a[href="/drill?kind={kind}"] em').inner_text()
    assert found.isdigit()


def test_an_own_mistake_leads_to_its_game(page: Any, server: str) -> None:
    """The page of replays opens at the position that was asked, with the review."""
    game = read_record(sample(EAGER))
    mistake = mistakes_of(replace(game, kyoku=game.kyoku[:2]), 1)[0]
    at = {**mistake.facts["at"], "game": "x"}
    verdict = DrillVerdict(replace(mistake, facts={**mistake.facts, "at": at}), is_right=False, days=1)
    overview = {"kinds": [], "due": 1, "waiting": 1, "lasts": True}
    page.route("**/api/drills", lambda route: route.fulfill(json=overview))
    page.route("**/api/drills?kind=mistake", lambda route: route.fulfill(json={"drill": mistake.question()}))
    page.route(f"**/api/drills/{mistake.id}", lambda route: route.fulfill(json=verdict.data()))
    page.route("**/api/games/x", lambda route: route.fulfill(body=replay_data(sample(EAGER)).decode()))
    ready(page, f"{server}/drill?kind=mistake")
    page.wait_for_selector(".question.mistake")
    named = "all => all.map(each => each.getAttribute('aria-label')).sort()"
    asked = page.locator(".question .held .tile").evaluate_all(named)
    page.locator(".ways .btn").click()
    page.get_by_role("link", name="Open at the table").click()
    page.wait_for_selector("body[data-ready] .replay:not(.empty)")
    assert asked
    assert page.locator(".seat.own .standing .tile").evaluate_all(named) == asked
    assert page.locator(".review").is_visible()


@pytest.mark.long
def test_drills_against_the_clock(learner: Any, practice: str) -> None:
    """Three minutes, which pass quickly, and then the wrong ones again; no rating changes."""
    drills = DrillClicks(learner, practice)
    drills.open_slowly("furiten")
    before = learner.locator(".rate .big").inner_text()
    learner.get_by_role("button", name="Three minutes").click()
    for _ in range(6):
        learner.wait_for_selector("#answer:empty", state="attached")
        learner.wait_for_selector(".option:not(:disabled)")
        learner.keyboard.press("1")
        learner.wait_for_selector("#answer .box")
    learner.evaluate("const now = performance.now.bind(performance); performance.now = () => now() + 180_000")
    learner.get_by_text("Time is up").wait_for()
    again = learner.get_by_role("button", name="The wrong ones again")
    if again.count():
        again.click()
        learner.wait_for_selector(".question.furiten")
        drills.answer("furiten", by_keys=False)
    assert learner.locator(".rate .big").inner_text() == before


@pytest.mark.long
def test_the_mistakes_of_a_record_become_drills(page: Any, server: str, tmp_path: Path) -> None:
    """A record that is opened on the page of replays: the seat at the bottom, kept once."""
    record = tmp_path / "game.mjlog.gz"
    record.write_bytes(sample(EAGER))
    ready(page, f"{server}/replay")
    page.locator("input[type=file]").set_input_files(record)
    page.locator("[data-name=tab-title]").click(timeout=90_000)
    page.keyboard.press("2")
    for said in ("3 kept: they come back from tomorrow on, at Drills.", "They are kept already."):
        page.get_by_role("button", name="Keep my mistakes").click()
        page.get_by_text(said).wait_for(timeout=90_000)
    ready(page, f"{server}/learn")
    page.get_by_text("3 wait for their day").wait_for()
    ready(page, f"{server}/drill")
    page.get_by_text("your progress lasts until it stops").wait_for()
    page.on("dialog", lambda dialog: dialog.accept())
    with page.expect_response(lambda response: response.request.method == "DELETE"):
        page.get_by_role("button", name="Forget all").click()
    ready(page, f"{server}/learn")
    page.get_by_text("keep your mistakes: they come back here").wait_for()


@pytest.mark.long
def test_a_guest_becomes_a_user(page: Any, friend: Any, tmp_path: Path) -> None:
    """Its games and stars are the user's in any browser; a token is made and revoked; the account is deleted."""
    kept = (f"--users={tmp_path / 'users.sqlite'}", "--register=open", f"--record-dir={tmp_path / 'records'}")
    with OurServer((*OPTIONS, *kept)) as server:
        address = f"http://localhost:{server.addresses().http}"
        ready(page, f"{address}/table?room=main")
        await_discard(page)
        hasten(page)
        for switch in ("a", "n", "g"):
            page.keyboard.press(switch)
        page.wait_for_selector("#result[open]", timeout=60_000)
        play_on(page, press_end, lambda: is_game_over(page))
        star = {"id": "0" * 16, "name": "Eva"}
        page.evaluate("star => localStorage.setItem('ump-stars', JSON.stringify([star]))", star)
        ready(page, f"{address}/account")
        page.locator("#begin").click()
        assert violations(page, "register", "light") == []
        page.locator("#register [name=name]").fill("mika")
        page.locator("#register [name=password]").fill("correct horse battery")
        page.locator("#register button").click()
        page.wait_for_url(f"{address}/")
        page.locator("#seen").check()
        page.locator("#people li.away", has_text="Eva").wait_for()
        page.wait_for_function("localStorage.getItem('ump-stars') === '[]'")
        ready(page, f"{address}/me")
        assert page.locator("#games > li").count() == 1
        ready(page, f"{address}/account")
        page.locator("#token [name=label]").fill("my bot")
        page.locator("#token button").click()
        page.locator("#made code", has_text="ump_").wait_for()
        assert violations(page, "tokens", "dark") == []
        page.locator("#tokens button").click()
        page.locator("#tokens .none").wait_for()
        ready(friend, f"{address}/account")
        friend.locator("#login [name=user]").fill("mika")
        friend.evaluate("said.textContent = 'wrong', said.className = 'wrong'")  # a refusal would be in the console
        friend.locator("#login [name=password]").fill("correct horse battery")
        assert friend.locator("#said").inner_text() == ""  # an old error goes at the next input
        friend.locator("#login button").click()
        friend.wait_for_url(f"{address}/")
        friend.locator("#seen").check()
        friend.locator("#people li", has_text="Eva").locator(".star").click()
        friend.get_by_text("Nobody else is here now.").wait_for()
        ready(friend, f"{address}/me")
        assert friend.locator("#games > li").count() == 1
        page.locator("#delete [name=name]").fill("mika")
        page.locator("#delete [name=password]").fill("correct horse battery")
        page.locator("#delete button").click()
        page.get_by_text("Your account has been deleted.").wait_for()
        ready(friend, f"{address}/account")
        assert friend.locator("#login").is_visible()


@pytest.mark.long
def test_people_meet_again(page: Any, friend: Any, tmp_path: Path) -> None:
    """Two people play a game, again by a button on the last sheet, and once more by a challenge."""
    kept = ("--house=efficiency:2", f"--record-dir={tmp_path / 'records'}")
    with OurServer((*OPTIONS[1:], *kept)) as server:
        address = f"http://localhost:{server.addresses().http}"
        people = {"Mika": page, "Bob": friend}
        for name, each in people.items():
            ready(each, f"{address}/")
            each.locator("#name").fill(name)
            each.locator("#seen").check()
        for each in people.values():
            ready(each, f"{address}/table?room=main")
        for each in people.values():
            each.wait_for_selector("#hand button", timeout=60_000)
            hasten(each)
            for switch in ("a", "n", "g"):
                each.keyboard.press(switch)
        play_together([*people.values()], lambda: all(map(is_game_over, people.values())))
        page.locator("#same-people").wait_for()
        assert violations(page, "last sheet", "dark") == []
        page.locator("#same-people").click()
        friend.locator("#same-people.main", has_text="Mika").click()
        page.locator(".members bdi", has_text="Bob").wait_for()
        assert page.url == friend.url
        page.locator("#close-table").click()
        for each in people.values():
            ready(each, f"{address}/")
        page.locator("#people li", has_text="Bob").locator(".star").click()
        assert violations(page, "people", "light") == []
        ready(page, f"{address}/me")
        assert violations(page, "my games", "dark") == []
        page.locator("[data-person]").first.click()
        friend.locator("#calls a").click()
        friend.locator("#sit").click()
        page.locator(".members bdi", has_text="Bob").wait_for()


@pytest.mark.long
def test_an_evening_of_two(page: Any, friend: Any, tmp_path: Path) -> None:
    """A rated East game in which one falls asleep, another one of the same people, a challenge; a rank moves."""
    rated = ("--rated", f"--rated-every={ROUND}", "--length=tonpu", "--time=30+60", "--house=efficiency:3")
    people = {"Mika": page, "Bob": friend}
    with OurServer((*rated, "--bot-delay=0", "--seed=browser", f"--record-dir={tmp_path}")) as server:
        address = f"http://localhost:{server.addresses().http}"
        for name, each in people.items():
            ready(each, f"{address}/")
            each.locator("#name").fill(name)
            each.locator("#seen").check()
        while not 1 < time.time() % ROUND < ROUND / 3:  # so that both wait for the same round
            page.wait_for_timeout(200)
        for each in people.values():
            ready(each, f"{address}/table?room=main")
        for each in people.values():
            each.wait_for_selector("#hand button", timeout=60_000)
        page.context.set_offline(True)
        page.locator("#status", has_text="Reconnecting").wait_for()
        page.context.set_offline(False)
        page.wait_for_selector("#status:empty", state="attached")
        for each in people.values():
            hasten(each)
            for switch in ("a", "n", "g"):
                each.keyboard.press(switch)
        play_together([*people.values()], lambda: all(map(is_game_over, people.values())))
        page.locator("#same-people").click()
        friend.locator("#same-people.main", has_text="Mika").click()
        page.locator(".members bdi", has_text="Bob").wait_for()
        page.locator("#close-table").click()
        page.wait_for_function(MOVED)
        ready(page, f"{address}/me")
        assert "main" in page.locator("#ratings h2").inner_text()
        for each in people.values():
            ready(each, f"{address}/")
        page.locator("#people li", has_text="Bob").locator("button", has_text="Challenge").click()
        friend.locator("#calls a").click()
        friend.locator("#sit").click()
        page.locator(".members bdi", has_text="Bob").wait_for()


ROUND = 30
"""Seconds from one round of a rated room to the next."""

MOVED = """async () => {
    const { rooms: [{ players }] } = await (await fetch("/api/ladder")).json();
    const people = players.filter(({ builtin }) => !builtin);
    return people.length === 2 && people.every(({ rating, games }) => games === 1 && Math.round(rating) !== 1500);
}"""


@pytest.mark.long
def test_a_report(page: Any, friend: Any, tmp_path: Path) -> None:
    """A user reports another player in the game and after it; a moderator finds the game, and settles both."""
    users = UserDatabase(file_place(tmp_path / "users.sqlite"))
    users.add("alice", hash_password("correct horse"), "2026-11-24T00:00:00Z")
    users.set_role("alice", Role.ADMIN)
    kept = (f"--record-dir={tmp_path / 'records'}", f"--users={users.place.path}")
    with OurServer((*OPTIONS[1:], "--house=efficiency:2", "--house-after=3", *kept)) as server:
        address = f"http://localhost:{server.addresses().http}"
        log_in(page, address)
        ready(page, f"{address}/table?room=main")
        ready(friend, f"{address}/table?room=main")
        for each in (page, friend):
            each.wait_for_selector("#hand button")
        bob = friend.locator(".plate.own .nm").inner_text()
        page.locator("#tool-menu").click()
        page.locator("#drawer button", has_text="Report a player").click()
        page.locator("#reported").select_option(label=bob)
        page.locator("#drawer .report button").click()
        page.get_by_text("A moderator will look at your report").first.wait_for()
        for each in (page, friend):
            hasten(each)
            for switch in ("a", "n", "g"):
                each.keyboard.press(switch)
        play_together([page, friend], lambda: is_game_over(page))
        page.locator("#report").click()
        assert bob in page.locator("dialog #reported").inner_text().split("\n")
        ready(page, f"{address}/me")
        page.locator("#games button").first.click()
        page.locator("dialog .row .btn").last.click()
        ready(page, f"{address}/admin")
        assert bob in page.locator("#reports b").inner_text()
        assert violations(page, "admin", "light") == []
        page.locator("#reports button", has_text="Uphold").click()
        page.get_by_text("No report waits for a verdict.").wait_for()
        page.locator("#log b", has_text="judge").wait_for()


def sit_at_the_event(page: Any, address: str, code: str) -> None:
    """Come by the link of an entrant, and sit down."""
    ready(page, f"{address}/tournament?id=cup#code={code}")
    page.locator("#sit").click()
    page.wait_for_url("**/table?room=cup")


def play_together(people: list[Any], is_over: Callable[[], bool]) -> None:
    """Let each of some people do what they may, in turn, until ``is_over``; others move between their looks."""
    for _ in range(5 * MOST_MOVES):
        for page in people:
            if page.locator("#result[open]").count():
                continue
            if page.locator("#actions .pass").count():
                page.keyboard.press("x")
            elif page.locator("#hand button:not([aria-disabled])").count():
                press_end(page)
            page.wait_for_timeout(50)
        if is_over():
            return
    raise AssertionError("the round does not end")


@pytest.mark.long
def test_an_event_of_sixteen(chromium: Any, tmp_path: Path) -> None:
    """12 bots and 4 people in browsers play two rounds; the server is killed between them, and in the second."""
    event = TournamentDatabase(file_place(tmp_path / CLUB_FILE))
    made, _ = new_tournament("cup", "Cup", "swiss", 2, EventSettings(length="kyoku"))
    event.create(made)
    codes = [new_code() for _ in range(4)]

    def give(order: str, **given: object) -> Tournament:
        """Give an order as its director."""
        return event.change("cup", lambda found: carry_out(found, order, given))

    def states() -> set[str]:
        """Return the states of the tables of the last round."""
        return {table.state.value for table in event.read("cup").published[-1].tables}

    for number, code in enumerate(codes):
        give("add", name=f"p{number}", code=code)
    for number in range(12):
        give("add", name=f"robo-{number}", kind="bot", policy="tsumogiri")
    options = ("--bot-delay=0", "--time=600+0", f"--record-dir={tmp_path}")
    with ExitStack() as stack:
        people = [stack.enter_context(open_page(chromium)) for _ in codes]
        for stage in ("first", "second", "goes on"):
            with OurServer(options) as server:
                address = f"http://localhost:{server.addresses().http}"
                for page, code in zip(people, codes, strict=True):
                    sit_at_the_event(page, address, code)
                for order in () if stage == "goes on" else ("plan", "publish", "start"):
                    give(order)
                people[0].wait_for_selector("#hand button", timeout=60_000)
                if stage == "second":
                    play_together(people, lambda: people[0].locator(".river .tile").count() > 8)
                    assert "running" in states()
                else:
                    play_together(people, lambda: states() == {"done"})
                server.kill()
        found = give("finish")
        with OurServer(options) as server:
            ready(people[0], f"http://localhost:{server.addresses().http}/tournament?id=cup")
            assert people[0].locator("#standings tbody tr").count() == 16
    assert [len(each.tables) for each in found.published] == [4, 4]
    assert len(list(tmp_path.glob("*.journal.gz"))) == 8


PAUSES, PAUSED = "The director pauses this game after this hand.", "The director pauses this game."
CHINESE_PAUSES = "裁判将在本局结束后暂停这场对局。"


@pytest.mark.long
def test_a_director_pauses_and_ends_a_game(page: Any, phone: Any, tmp_path: Path) -> None:
    """Its players read so in the hand, between two hands, after a reload, and when it ends."""
    event = TournamentDatabase(file_place(tmp_path / CLUB_FILE))
    made, _ = new_tournament("cup", "Cup", "swiss", 1, EventSettings(length="tonpu"))
    event.create(made)

    def give(order: str, **given: object) -> None:
        """Give an order as its director."""
        event.change("cup", lambda found: carry_out(found, order, given))

    people = {page: new_code(), phone: new_code()}
    for number, code in enumerate(people.values()):
        give("add", name=f"p{number}", code=code)
        give("add", name=f"robo-{number}", kind="bot", policy="tsumogiri")
    with OurServer(("--bot-delay=0", "--time=600+0", f"--record-dir={tmp_path}")) as server:
        for each, code in people.items():
            sit_at_the_event(each, f"http://localhost:{server.addresses().http}", code)
        for order in ("plan", "publish", "start"):
            give(order)
        for each in people:
            each.wait_for_selector("#hand button", timeout=60_000)
        give("pause")
        said = [
            each.locator("#pausing", has_text=text) for each, text in zip(people, (PAUSES, CHINESE_PAUSES), strict=True)
        ]
        for each in said:
            each.wait_for()
        page.reload()
        page.wait_for_selector("#hand button")
        said[0].wait_for()
        for each in people:
            hasten(each)
            for switch in ("a", "n", "g"):
                each.keyboard.press(switch)
        play_together([*people], lambda: page.locator("#pausing", has_text=PAUSED).count() > 0)
        give("start")
        page.locator("#pausing:empty").wait_for(state="attached")
        page.wait_for_selector("#hand button")
        give("void", table=1, reason="wrong seats")
        page.locator("#pausing", has_text="The director has ended this game: it does not count.").wait_for()


# The replay page

NAME = "</script><b>eve"


@pytest.fixture(scope="module")
def replay_page(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str]]:
    """A page for a game, in which no script complains and nothing is asked of any server, and the game's address."""
    file = tmp_path_factory.mktemp("replay") / "game.html"
    game = own_games()[1]
    game = replace(game, names=(NAME, *game.names[1:]), kyoku=game.kyoku[:3])
    reviewers = (PolicyReviewer("expert", Expert()),)
    found = Review("", "", game, reviewers, {1: list(review_seat(game, 1, reviewers))})
    file.write_bytes(review_page(found).encode())
    opened = chromium.new_page(viewport=SIZE, locale="en-GB")
    problems: list[str] = []
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("request", lambda request: problems.append(request.url) if "http" in request.url[:5] else None)
    yield opened, f"file://{file}#k=1&n=5&v=B"
    opened.close()
    assert problems == []


@pytest.fixture
def replay(replay_page: tuple[Any, str]) -> Any:
    """The page of a game as it opens: processes share the tests of a file in any order."""
    page, address = replay_page
    page.goto("about:blank")  # another fragment alone would load nothing
    page.goto(address)
    page.wait_for_selector("body[data-ready]")
    return page


def place(replay: Any) -> tuple[int, int, str]:
    """Return kyoku, event and seat of the address.

    Ask the replay: ``replay.url`` changes only some time after the page has set a new address.
    """
    address = replay.evaluate("location.hash")
    found = re.fullmatch(r"#k=(\d+)&n=(\d+)&v=([A-D])", address)
    assert found is not None, address
    return int(found[1]), int(found[2]), found[3]


def test_the_keys_move_through_the_game(replay: Any) -> None:
    """Steps, kyoku, decisions and seats; the address follows."""
    assert place(replay) == (1, 5, "B")
    for key, expected in (
        ("ArrowRight", (1, 6, "B")),
        ("ArrowLeft", (1, 5, "B")),
        ("PageDown", (2, 0, "B")),
        ("PageUp", (1, 0, "B")),
        ("3", (1, 0, "C")),
    ):
        replay.keyboard.press(key)
        assert place(replay) == expected
    replay.keyboard.press("ArrowDown")
    forward = place(replay)
    assert forward > (1, 0, "C")
    replay.keyboard.press("ArrowDown")
    replay.keyboard.press("ArrowUp")
    assert place(replay) == forward


def test_the_wheel_and_clicks(replay: Any) -> None:
    """The wheel steps, a name turns the table, the centre shows the rounds, and a round can be chosen."""
    before = place(replay)
    replay.locator("#board .centre").hover()
    replay.mouse.wheel(0, 100)
    replay.wait_for_function("start => location.hash.startsWith(start)", arg=f"#k={before[0]}&n={before[1] + 1}&")
    replay.locator("#plates .right button").click()
    assert place(replay)[2] == "C"
    replay.locator("#board .centre").click(force=True)
    rounds = replay.locator("dialog[open] tbody tr").count()
    lines = replay.locator(".course polyline").evaluate_all("all => all.map((each) => each.getAttribute('points'))")
    assert [line.count(",") for line in lines] == [rounds] * 4, (
        "the scores of each seat before each kyoku, and at the end"
    )
    replay.locator("dialog[open] tbody button").nth(2).click()
    assert place(replay)[:2] == (2, 0)


def test_names_hands_and_dropped_files(replay: Any) -> None:
    """A name with the end of a script is shown as it is, hands can be hidden, and another kind of file is refused.

    Without spoilers one hand is left, and the number of events is not shown.
    """
    assert NAME in replay.locator("#plates .nm").all_inner_texts()
    assert replay.locator("#plates b").count() == 0
    assert replay.locator("#board .st").count() == 0
    replay.keyboard.press("z")
    assert replay.locator("#board .st").count() >= 39
    assert " of " not in replay.locator(".counter").inner_text()
    replay.keyboard.press("z")
    replay.evaluate(
        """() => {
            const files = new DataTransfer();
            files.items.add(new File(["<mjloggm/>"], "game.xml"));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: files, cancelable: true }));
        }"""
    )
    replay.locator(".message", has_text="opens only replay pages").wait_for()


@pytest.mark.parametrize("scheme", some(["light", "dark"]))
def test_accessibility_of_the_replay(replay: Any, scheme: str) -> None:
    """axe-core finds nothing to complain about."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe-playwright-python")
    replay.emulate_media(color_scheme=scheme)
    results = axe.Axe().run(replay)
    assert results.violations_count == 0, results.generate_report()


def test_the_review_leads_from_mistake_to_mistake(replay: Any) -> None:
    """N and P go to the differences of the seat; the row, the reason and the candidates are those of the place."""
    replay.evaluate("location.hash = '#k=0&n=0&v=B'")
    for key in ("n", "n", "p", "n"):
        replay.keyboard.press(key)
    event = place(replay)[1]
    assert event > 0
    assert replay.locator(".decisions [aria-current] .sign").inner_text().strip() in ("?!", "?", "??")
    assert replay.locator(".detail .best").count() == 1
    assert replay.locator(".detail tr.done").count() == 1
    assert replay.locator(".detail .reason").inner_text().strip()
    assert replay.locator(".ticks .tick").count() > 0
    replay.locator(".scores li button").nth(2).press("Enter")
    assert place(replay)[:2] == (2, 0)
    assert "points lost" in replay.locator(".scores li button").first.get_attribute("aria-label")
    assert replay.locator(".worst button").count() == 3
    replay.locator(".worst button").first.press("Enter")
    assert replay.locator(".detail .reason b").first.inner_text().startswith("?")
    replay.locator(".decisions button").first.click()
    assert place(replay)[0] == 0
    replay.keyboard.press("1")
    assert "ump review" in replay.locator(".review-head").inner_text()
    replay.keyboard.press("2")
    replay.locator("[data-name=tab-log]").click()
    assert replay.locator(".happening .event").is_visible()


def test_results_are_in_words(replay: Any) -> None:
    """The list of events has the names of yaku, of draws, and the payments."""
    replay.get_by_text("Course").click()
    for address, said in (("#k=0&n=99", "Riichi 1 han\nHalf Flush 3 han"), ("#k=1&n=150", "Exhaustive draw")):
        replay.evaluate("address => { location.hash = address }", address)
        assert said in replay.locator("#panel").inner_text()
    assert "-3,000 → 13,000" in replay.locator("#panel").inner_text()
    replay.get_by_text("Review", exact=True).click()
