"""Practice: what is kept of a learner, which drill comes next, what an answer changes, and the drills that are made."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from random import Random
from urllib.request import Request, urlopen

import pytest
from support.sample_games import EAGER, sample
from twisted.internet.defer import maybeDeferred
from twisted.internet.task import Clock

from scripts.lab.server import OurServer
from ump.database.database import file_place, read_place
from ump.drills.drill import Drill, DrillError, DrillKind
from ump.drills.drill_file import read_drills, shipped_drills, write_drills
from ump.record.recorded_game import RecordError
from ump.server import drill_desk, drill_maker, drill_process
from ump.server.drill_desk import NEAREST, POOLED, TWO_SIDED, DrillDesk, NoDrill, side_of
from ump.server.drill_maker import DrillMaker
from ump.server.drill_targets import mistakes_target, self_play_target
from ump.server.jobs import Jobs
from ump.server.users import drill_database
from ump.server.users.drill_database import (
    GUEST_DAYS,
    INTERVALS,
    MOST_A_DAY,
    DrillDatabase,
)
from ump.server.users.learner import Learner
from ump.server.users.user_database import UserDatabase

TODAY = "2026-11-28"
NOW = f"{TODAY}T14:00:00Z"
GUEST, OTHER = Learner("guest"), Learner("other")


def after(days: int) -> str:
    """Return the day that is so many days after the first."""
    return (date.fromisoformat(TODAY) + timedelta(days)).isoformat()


def waits(number: int, rating: int = 1_350, right: tuple[str, ...] = ("1m",)) -> Drill:
    """Return a drill of waits, another one for each number."""
    shown = {"hand": f"{number}p"}
    return Drill(DrillKind.WAITS, shown, (), right, {"waits": []}, rating)


def mistake(number: int) -> Drill:
    """Return an own mistake, another one for each number."""
    return Drill(DrillKind.MISTAKE, {"seat": number}, ("sute 1m", "sute 2m"), ("sute 1m",), {}, 1_500)


@pytest.fixture
def kept(tmp_path: Path) -> DrillDatabase:
    """A database without users."""
    return DrillDatabase(file_place(tmp_path / "drills.sqlite"))


def desk_of(database: DrillDatabase, drills: Sequence[Drill], seed: int = 1) -> DrillDesk:
    """Return a desk that asks these drills."""
    return DrillDesk(lambda: database, Random(seed), lasts=True, shipped=lambda: drills)


def rating_of(desk: DrillDesk, learner: Learner, kind: str = "waits") -> int | None:
    """Return the rating of a learner in a kind, None without one."""
    for each in desk.overview(learner, TODAY)["kinds"]:
        if each["kind"] == kind and each["rating"] is not None:
            return int(each["rating"]["rating"])
    return None


# Ratings


def test_only_the_first_answer_counts(kept: DrillDatabase) -> None:
    """Neither a second answer nor one against time changes a rating, and a learner who has given up has answered."""
    desk = desk_of(kept, [waits(number) for number in range(4)])
    first, timed, given_up, _ = (waits(number).id for number in range(4))
    assert rating_of(desk, GUEST) is None
    verdict = desk.answer(GUEST, first, ["2m"], 900, NOW, is_timed=False)
    wrong = rating_of(desk, GUEST)
    assert (verdict.is_right, wrong is not None and wrong < 1_500) == (False, True)
    for _ in range(3):
        again = desk.answer(GUEST, first, ["1m"], 900, NOW, is_timed=False)
        assert (again.is_right, again.data()["change"]) == (True, 0)
    desk.answer(GUEST, timed, ["1m"], 900, NOW, is_timed=True)
    desk.answer(GUEST, timed, ["1m"], 900, NOW, is_timed=False)
    assert rating_of(desk, GUEST) == wrong
    assert not desk.answer(GUEST, given_up, None, 900, NOW, is_timed=False).is_right
    desk.answer(GUEST, given_up, ["1m"], 900, NOW, is_timed=False)
    assert (rating_of(desk, GUEST) or 0) < (wrong or 0)


def test_a_right_answer_raises_the_rating_of_its_kind_alone(kept: DrillDatabase) -> None:
    """The margin becomes smaller."""
    desk = desk_of(kept, [waits(1)])
    told = desk.answer(GUEST, waits(1).id, ["1m"], 900, NOW, is_timed=False).data()
    assert told["rating"]["rating"] == 1_500 + told["change"] > 1_500
    assert told["rating"]["margin"] < 686
    assert rating_of(desk, GUEST, "discard") is None
    assert rating_of(desk, OTHER) is None


def test_an_answer_that_is_none_changes_nothing(kept: DrillDatabase) -> None:
    """A drill that nobody knows is refused, too."""
    drill = Drill(DrillKind.FURITEN, {"hand": "1m"}, ("yes", "no"), ("no",), {}, 1_000)
    desk = desk_of(kept, [drill])
    with pytest.raises(DrillError):
        desk.answer(GUEST, drill.id, ["perhaps"], 1, NOW, is_timed=False)
    with pytest.raises(NoDrill):
        desk.answer(GUEST, "0" * 16, ["yes"], 1, NOW, is_timed=False)
    assert desk.answer(GUEST, drill.id, ["no"], 1, NOW, is_timed=False).data()["change"] > 0


# Which drill comes next


def test_the_next_drill_is_new_and_somewhat_easier(kept: DrillDatabase) -> None:
    """It is one of the nearest to the rating less 150; when all are answered, old ones come again and count no more."""
    drills = [waits(number, rating=800 + 20 * number) for number in range(50)]
    desk = desk_of(kept, drills)
    nearest = {each.id for each in sorted(drills, key=lambda each: abs(each.rating - 1_350))[:NEAREST]}
    asked = {desk.next(GUEST, DrillKind.WAITS, TODAY)["drill"]["id"] for _ in range(100)}
    assert asked <= nearest and len(asked) > NEAREST / 2
    for drill in drills:
        desk.answer(GUEST, drill.id, ["1m"], 1, NOW, is_timed=True)
    assert desk.next(GUEST, DrillKind.WAITS, TODAY)["counts"] is False
    assert desk.next(OTHER, DrillKind.WAITS, TODAY)["counts"] is True


def test_a_question_does_not_tell_its_key(kept: DrillDatabase) -> None:
    """Neither what is right nor the facts are in it."""
    desk = desk_of(kept, shipped_drills())
    for kind in POOLED:
        assert set(desk.next(GUEST, kind, TODAY)["drill"]) == {"id", "kind", "shown", "choices"}
    with pytest.raises(NoDrill):
        desk.next(GUEST, DrillKind.MISTAKE, TODAY)


def test_both_sides_are_asked_equally_often(kept: DrillDatabase) -> None:
    """Whatever the pool has more of: furiten or not, push or fold, call or pass."""
    drills = {drill.id: drill for drill in shipped_drills()}
    desk = desk_of(kept, list(drills.values()))
    for kind in TWO_SIDED:
        sides = [side_of(drills[desk.next(GUEST, kind, TODAY)["drill"]["id"]]) for _ in range(60)]
        counts = [sides.count(side) for side in set(sides)]
        assert len(counts) == 2 and min(counts) > 20, kind


def test_one_in_five_is_new(kept: DrillDatabase) -> None:
    """The drills that the server has made are asked more often than the many others."""
    made = [waits(number, rating=2_000) for number in range(100, 103)]
    desk = desk_of(kept, [waits(number) for number in range(60)])
    assert desk.add([*made, *made], NOW) == 3
    assert desk.add(made, NOW) == 0
    asked = [desk.next(GUEST, DrillKind.WAITS, TODAY)["drill"]["id"] for _ in range(300)]
    assert 40 < sum(name in {each.id for each in made} for name in asked) < 80


# Own mistakes


def test_an_own_mistake_comes_back_after_longer_and_longer_times(kept: DrillDatabase) -> None:
    """After 1, 3, 7, 21 and 60 days; a wrong answer begins again, and after five right ones it is done."""
    desk = desk_of(kept, [])
    drill = mistake(1)
    assert (desk.keep(GUEST, [drill], TODAY), desk.keep(GUEST, [drill], TODAY)) == (1, 0)
    day = 0
    for number, is_right in enumerate((True, True, False, True, True, True, True, True)):
        wait = (1, 3, 7, 1, 3, 7, 21, 60)[number]
        assert desk.overview(GUEST, after(day + wait - 1))["due"] == 0
        day += wait
        assert desk.overview(GUEST, after(day))["due"] == 1
        assert desk.next(GUEST, DrillKind.MISTAKE, after(day))["drill"] == drill.question()
        answer = ["sute 1m" if is_right else "sute 2m"]
        verdict = desk.answer(GUEST, drill.id, answer, 1, f"{after(day)}T10:00:00Z", is_timed=False)
        assert verdict.is_right == is_right
        assert verdict.data()["rating"] is None
    assert verdict.days is None
    assert desk.overview(GUEST, after(1_000))["waiting"] == 0
    assert desk.keep(GUEST, [drill], after(day)) == 0  # it is done for good
    assert sum(INTERVALS) == 92


def test_a_second_answer_on_the_same_day_changes_nothing(kept: DrillDatabase) -> None:
    """It is told, and no more."""
    desk = desk_of(kept, [])
    desk.keep(GUEST, [mistake(1)], TODAY)
    now = f"{after(1)}T10:00:00Z"
    assert desk.answer(GUEST, mistake(1).id, ["sute 2m"], 1, now, is_timed=False).days == 1
    assert desk.answer(GUEST, mistake(1).id, ["sute 1m"], 1, now, is_timed=False).days == 1
    assert desk.answer(GUEST, mistake(1).id, ["sute 1m"], 1, f"{after(2)}T10:00:00Z", is_timed=False).days == 3


def test_seven_are_asked_a_day_and_each_can_be_left_out(kept: DrillDatabase) -> None:
    """The rest waits for the next day."""
    desk = desk_of(kept, [])
    desk.keep(GUEST, [mistake(number) for number in range(10)], TODAY)
    now = f"{after(1)}T10:00:00Z"
    for left in range(MOST_A_DAY, 0, -1):
        assert desk.overview(GUEST, after(1))["due"] == left
        name = desk.next(GUEST, DrillKind.MISTAKE, after(1))["drill"]["id"]
        desk.answer(GUEST, name, ["sute 2m"], 1, now, is_timed=False)
    with pytest.raises(NoDrill):
        desk.next(GUEST, DrillKind.MISTAKE, after(1))
    name = desk.next(GUEST, DrillKind.MISTAKE, after(2))["drill"]["id"]
    desk.leave_out(GUEST, name, after(2))
    assert desk.overview(GUEST, after(2))["waiting"] == 9
    with pytest.raises(NoDrill):
        desk.leave_out(GUEST, name, after(2))
    with pytest.raises(NoDrill):
        desk.leave_out(OTHER, mistake(3).id, TODAY)


def test_no_more_than_some_are_kept(kept: DrillDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are done make room for others."""
    monkeypatch.setattr(drill_database, "MOST_REPEATS", 5)
    desk = desk_of(kept, [])
    assert desk.keep(GUEST, [mistake(number) for number in range(7)], TODAY) == 5
    assert desk.keep(GUEST, [mistake(8)], TODAY) == 0
    desk.leave_out(GUEST, mistake(1).id, TODAY)
    assert desk.keep(GUEST, [mistake(8)], TODAY) == 1
    assert desk.overview(GUEST, TODAY)["waiting"] == 5


# Owners


def test_a_guest_who_logs_in_takes_everything_along(tmp_path: Path) -> None:
    """The progress of the user stays; a deleted user leaves nothing."""
    users = UserDatabase(file_place(tmp_path / "users.sqlite"))
    users.add("anna", None, NOW)
    desk = desk_of(DrillDatabase(users.place), [waits(1), waits(2)])
    desk.answer(GUEST, waits(1).id, ["2m"], 1, NOW, is_timed=False)
    desk.keep(GUEST, [mistake(1)], TODAY)
    anna = Learner("guest", "anna")
    before = rating_of(desk, GUEST)
    assert rating_of(desk, anna) == before  # with the first visit
    assert desk.overview(anna, TODAY)["waiting"] == 1
    assert desk.answer(anna, waits(1).id, ["1m"], 1, NOW, is_timed=False).data()["change"] == 0
    assert desk.overview(GUEST, TODAY)["waiting"] == 0
    desk.answer(GUEST, waits(2).id, ["1m"], 1, NOW, is_timed=False)
    assert rating_of(desk, anna) == before
    assert desk.answer(anna, waits(2).id, ["2m"], 1, NOW, is_timed=False).data()["change"] == 0
    users.delete("anna", NOW)
    assert rows(tmp_path / "users.sqlite") == 0


def rows(path: Path) -> int:
    """Return how many rows of owners there are."""
    with closing(sqlite3.connect(path)) as opened:
        names = ("owners", "ratings", "attempts", "repeats", "reports")
        return sum(opened.execute(f"SELECT count(*) FROM drill_{name}").fetchone()[0] for name in names)


def test_all_can_be_forgotten(kept: DrillDatabase, tmp_path: Path) -> None:
    """Nothing is left, and nothing is kept of somebody who only looks."""
    desk = desk_of(kept, [waits(1)])
    desk.next(OTHER, DrillKind.WAITS, TODAY)
    desk.overview(OTHER, TODAY)
    assert (desk.knows(OTHER, TODAY), rows(tmp_path / "drills.sqlite")) == (False, 0)
    desk.answer(GUEST, waits(1).id, ["1m"], 1, NOW, is_timed=False)
    desk.keep(GUEST, [mistake(1)], TODAY)
    desk.report(GUEST, waits(1).id, TODAY)
    desk.forget(GUEST, TODAY)
    desk.forget(OTHER, TODAY)
    assert rows(tmp_path / "drills.sqlite") == 0


def test_both_databases_keep_the_same(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite and PostgreSQL, with a user who has been a guest before."""
    monkeypatch.setattr(drill_database, "PRACTISED", 0)
    users = UserDatabase(read_place(database))
    users.add("anna", None, NOW)
    desk = desk_of(DrillDatabase(users.place), [waits(number) for number in range(5)])
    anna = Learner("guest", "anna")
    for number, learner in enumerate((GUEST, anna, GUEST, anna)):
        for name in (waits(number).id, waits(0).id):
            desk.answer(learner, name, ["1m"], 1, f"{after(number)}T10:00:00Z", is_timed=False)
        desk.keep(learner, [mistake(number), mistake(0)], after(number))
        desk.report(learner, waits(4).id, after(number))
    assert desk.add([waits(7)], NOW) == 1
    assert desk.next(anna, DrillKind.WAITS, after(4))["drill"]["id"] in {waits(4).id, waits(7).id}
    overview = desk.overview(anna, after(4))
    assert (overview["due"], overview["waiting"]) == (4, 4)
    assert 1_600 < (rating_of(desk, anna) or 0) < 2_000
    assert desk.answer(anna, mistake(3).id, ["sute 1m"], 1, f"{after(4)}T10:00:00Z", is_timed=False).days == 3
    desk.report(OTHER, waits(4).id, after(4))
    assert desk.next(anna, DrillKind.WAITS, after(4))["drill"]["id"] == waits(7).id
    desk.tidy(f"{after(400)}T10:00:00Z")
    assert not desk.knows(OTHER, after(400))
    users.delete("anna", NOW)
    assert not desk.knows(GUEST, after(400))


def test_guests_are_forgotten(kept: DrillDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """After half a year without a visit, or when there are too many; a visit counts without an answer."""
    desk = desk_of(kept, [waits(1)])
    for learner in (GUEST, OTHER):
        desk.answer(learner, waits(1).id, ["1m"], 1, NOW, is_timed=False)
    desk.overview(OTHER, after(100))
    desk.tidy(f"{after(GUEST_DAYS)}T00:00:00Z")
    assert desk.knows(GUEST, after(GUEST_DAYS))
    desk.tidy(f"{after(2 * GUEST_DAYS)}T00:00:00Z")
    assert not desk.knows(OTHER, after(2 * GUEST_DAYS))
    monkeypatch.setattr(drill_database, "MOST_GUESTS", 3)
    for number in range(5):
        desk.keep(Learner(str(number)), [mistake(1)], after(400 + number))
    assert [desk.knows(Learner(str(number)), after(405)) for number in range(5)] == [False, False, True, True, True]


def test_answers_are_bounded(kept: DrillDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the next day the oldest are forgotten."""
    monkeypatch.setattr(drill_database, "MOST_ATTEMPTS", 3)
    desk = desk_of(kept, [waits(number) for number in range(6)])
    for number in range(6):
        desk.answer(GUEST, waits(number).id, ["1m"], 1, f"{TODAY}T10:00:0{number}Z", is_timed=True)
    owner = kept.visit(GUEST, after(1))
    assert owner is not None
    assert kept.answered(owner, "waits") == {waits(number).id for number in (3, 4, 5)}


# The pool


def test_a_drill_that_two_report_is_replaced(kept: DrillDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked no more, and another one may take its place; neither one person nor newcomers can do so."""
    monkeypatch.setattr(drill_database, "PRACTISED", 1)
    desk = desk_of(kept, [waits(1)])
    desk.add([waits(2)], NOW)
    for number in range(3):
        desk.report(Learner(f"new {number}"), waits(2).id, TODAY)
    third = Learner("third")
    for learner in (GUEST, third):
        desk.answer(learner, waits(1).id, ["1m"], 1, NOW, is_timed=False)
    for name in (waits(1).id, waits(2).id):
        desk.report(GUEST, name, TODAY)
        desk.report(GUEST, name, TODAY)
    assert {desk.next(OTHER, DrillKind.WAITS, TODAY)["drill"]["id"] for _ in range(20)} == {waits(1).id, waits(2).id}
    missing = desk.pool.missing()["waits"]
    desk.report(third, waits(2).id, TODAY)
    assert desk.pool.missing()["waits"] == missing + 1
    assert {desk.next(OTHER, DrillKind.WAITS, TODAY)["drill"]["id"] for _ in range(20)} == {waits(1).id}
    with pytest.raises(NoDrill):
        desk.answer(GUEST, waits(2).id, ["1m"], 1, NOW, is_timed=False)
    with pytest.raises(NoDrill):
        desk.report(GUEST, "0" * 16, TODAY)


def test_another_server_knows_what_one_has_made(kept: DrillDatabase) -> None:
    """Its answers are taken there at once, and its questions asked when the list is read again."""
    one, other = desk_of(kept, []), desk_of(kept, [])
    other.overview(GUEST, TODAY)
    one.add([waits(1)], NOW)
    assert other.answer(GUEST, waits(1).id, ["1m"], 1, NOW, is_timed=False).is_right
    other.tidy(NOW)
    assert other.next(OTHER, DrillKind.WAITS, TODAY)["drill"]["id"] == waits(1).id


def test_no_kind_has_too_many(kept: DrillDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    """The drills of the installation count, too."""
    monkeypatch.setattr(drill_desk, "MOST_OF_KIND", 3)
    desk = desk_of(kept, [waits(1)])
    assert desk.add([waits(number) for number in range(1, 9)], NOW) == 2
    assert desk.pool.missing()["waits"] == 0


def test_the_process_makes_drills() -> None:
    """Of the mistakes of a seat, and of a game that bots play; it refuses games and seats that are not there."""
    found = read_drills(drill_process.made(sample(EAGER), mistakes_target(0, 1)))
    assert 0 < len(found) <= 3
    assert {drill.kind for drill in found} == {DrillKind.MISTAKE}
    for number, seat, said in ((1, 0, "no game 1"), (0, 4, "no seat 4")):
        with pytest.raises(RecordError, match=said):
            drill_process.made(sample(EAGER), mistakes_target(number, seat))


@pytest.mark.long
def test_the_process_lets_bots_play() -> None:
    """A game of them gives drills of most kinds."""
    made = read_drills(drill_process.made(b"", self_play_target("x")))
    assert {DrillKind.DISCARD, DrillKind.WAITS, DrillKind.SAFEST} <= {drill.kind for drill in made}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The targets of the games that were played, each of which gives one drill."""
    targets: list[str] = []

    def convert(_data: bytes, target: str) -> bytes:
        targets.append(target)
        return write_drills([waits(100 + len(targets))])

    monkeypatch.setattr(drill_maker, "convert_apart", convert)
    return targets


def test_the_server_makes_drills_when_it_is_idle(kept: DrillDatabase, made: list[str]) -> None:
    """Not before anybody practises, not while the computer is busy, and not when nothing is missing."""
    clock, busy = Clock(), [False]
    desk = desk_of(kept, [])
    maker = DrillMaker(desk, Jobs(maybeDeferred), maybeDeferred, clock, Random(1), lambda: busy[0])
    maker.startService()
    clock.advance(drill_maker.PERIOD)
    assert made == []
    desk.overview(GUEST, TODAY)
    busy[0] = True
    clock.advance(drill_maker.PERIOD)
    assert made == []
    busy[0] = False
    clock.pump([drill_maker.PERIOD] * 2)
    assert len(made) == len(set(made)) == 2
    assert desk.next(GUEST, DrillKind.WAITS, TODAY)["drill"]["id"] in {waits(101).id, waits(102).id}
    maker.stopService()
    assert not clock.getDelayedCalls()


@pytest.mark.long
def test_what_does_not_last_is_gone_with_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left in the folder for temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with OurServer(("--house=efficiency:3",)) as server:
        address = f"http://localhost:{server.addresses().http}/api/drills"
        with urlopen(Request(address, headers={"Authorization": f"Guest {'a' * 22}"}), timeout=60) as answer:
            assert json.load(answer)["lasts"] is False
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []
