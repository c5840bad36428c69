"""The page of a table in Chromium, which shows states of games without a game: sizes, hints, sheets, ways to answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.browser import SIZE, ready, tile_of, violations, visited
from support.budgets import some
from support.table_states import STATES, numbered

pytestmark = [pytest.mark.no_cover, pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]


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
