"""Lessons and drills in Chromium: each answer by clicks or keys, and the mistakes in games that come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support.browser import HONOURS, MOST_MOVES, OPTIONS, as_new, await_turn, click_last, ready, tile_of, violations
from support.sample_games import EAGER, sample

from scripts.lab.server import OurServer
from ump.database.database import file_place
from ump.drills.mistakes import mistakes_of
from ump.record.conversion import replay_data
from ump.record.decisions import read_record
from ump.server.drill_desk import POOLED, DrillVerdict
from ump.server.lessons import lessons
from ump.server.seat_tokens import hashes_of_guest
from ump.server.service import DRILLS_FILE
from ump.server.users.drill_database import DrillDatabase
from ump.server.users.learner import Learner

pytestmark = [pytest.mark.no_cover, pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]


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
    """The page of replays opens at the position that was asked, with the review, and leads on to the lobby."""
    game = read_record(sample(EAGER))
    mistake = mistakes_of(replace(game, kyoku=game.kyoku[:2]), 1)[0]
    at = {**mistake.facts["at"], "game": "x"}
    verdict = DrillVerdict(replace(mistake, facts={**mistake.facts, "at": at}), is_right=False, days=1)
    overview = {"kinds": [], "due": 1, "waiting": 1, "lasts": True}
    page.route("**/api/drills", lambda route: route.fulfill(json=overview))
    page.route("**/api/drills?kind=mistake", lambda route: route.fulfill(json={"drill": mistake.question()}))
    page.route(f"**/api/drills/{mistake.id}", lambda route: route.fulfill(json=verdict.data()))
    record = replay_data(sample(EAGER)).decode().replace(game.names[1], "defensive-2")
    page.route("**/api/games/x", lambda route: route.fulfill(body=record))
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
    assert page.locator(".plate.own .nm").inner_text() == "Defensive 2"
    page.get_by_role("link", name="Lobby").click()
    page.wait_for_selector("body.in-lobby[data-ready]")


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
