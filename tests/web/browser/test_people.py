"""People with others in Chromium: users, meetings, reports, and tournaments."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from support.browser import (
    MOST_MOVES,
    OPTIONS,
    await_discard,
    hasten,
    is_game_over,
    open_page,
    play_on,
    press_end,
    ready,
    violations,
)

from scripts.lab.server import OurServer
from ump.database.database import file_place
from ump.server.tournaments import (
    CLUB_FILE,
    EventSettings,
    Tournament,
    TournamentDatabase,
    carry_out,
    new_code,
    new_tournament,
)
from ump.server.users.bans import Role
from ump.server.users.user_database import UserDatabase, hash_password

pytestmark = [pytest.mark.no_cover, pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]


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
