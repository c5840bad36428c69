"""Pages about games that are over, in Chromium: my games, the profile, ladders, orders about reports, and replays.

The replay page is one file that needs no server: keys, clicks, the address, and files dropped on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

import pytest
from support.browser import SIZE, ready, violations
from support.budgets import some
from support.own_games import own_games

from ump.players.expert import Expert
from ump.record.likeness import Likeness
from ump.record.player_counts import PlayerCounts
from ump.record.player_statistics import PlayerSums
from ump.record.review import review_seat
from ump.record.review_report import Review, review_page
from ump.record.reviewers import PolicyReviewer
from ump.server.overview import _figures
from ump.server.users.bans import Report

pytestmark = [pytest.mark.no_cover, pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]


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
    when = page.locator("#games .when").first.inner_text()  # the browser is in Britain
    assert when.split("\n") == ["26/11/2026", "main · East · abandoned · annulled: not rated"]
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


def go_to(replay: Any, address: str) -> None:
    """Change the address, and wait until the page has followed: a key may overtake it on a busy computer."""
    replay.evaluate(
        """address => new Promise((followed) => {
            addEventListener("hashchange", followed, { once: true });
            location.hash = address;
        })""",
        address,
    )


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
    go_to(replay, "#k=0&n=0&v=B")
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
        go_to(replay, address)
        assert said in replay.locator("#panel").inner_text()
    assert "-3,000 → 13,000" in replay.locator("#panel").inner_text()
    replay.get_by_text("Review", exact=True).click()
