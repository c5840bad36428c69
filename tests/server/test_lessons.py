"""The course: its positions, answers and sentences, checked by the engine."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.memory_server import Robot, memory_server, room
from support.pages_in_node import run_in_node

import ump
from ump.game.deals import Deal
from ump.model.actions import Action, Discard, Ron
from ump.model.phases import Phase
from ump.model.tiles import DORA_OF, KIND_OF, is_honour
from ump.players.danger import calibrated_threats
from ump.players.evaluation import deal_in_risk
from ump.players.hints import safe_discards
from ump.rules.payments import noten_changes
from ump.server import lessons
from ump.server.lessons import LEARNER, RULES, LessonDeal, answers_of
from ump.text.layout import tile_text

pytestmark = pytest.mark.once

LANGUAGES = ("en", "ja", "zh")
LESSONS: dict[str, list[dict[str, Any]]] = {each["id"]: each["tasks"] for each in lessons.lessons()}


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The words of the course by language."""
    script = """
    const words = {};
    for (const language of given) words[language] = (await import(`./words/lessons_${language}.js`)).words;
    tell(words);
    """
    return run_in_node(tmp_path_factory.mktemp("words"), script, LANGUAGES)


def kinds(text: str) -> list[str]:
    """Return the kinds of tiles in a text, each with its suit."""
    return [tile_text(KIND_OF[face]) for face in ump.parse_tiles(text)]


def waits(hand: str) -> list[str]:
    """Return the waits of a hand."""
    return list(ump.waits(hand))


def played(task: dict[str, Any]) -> ump.Environment:
    """Return the game at the position of a task."""
    return LessonDeal.of(task["deal"]).play()[0]


def legal(env: ump.Environment) -> dict[str, Action]:
    """Return what the learner may do, in the words of a player; nothing if it is not asked."""
    if LEARNER not in env.asked:
        return {}
    return {answers_of(action): action for action in env.legal_actions(LEARNER)}


def best_answers(env: ump.Environment, within: float) -> set[str]:
    """Return the answers that the bot expert values within so many points of the best."""
    seen, actions = env.observation(LEARNER), env.legal_actions(LEARNER)
    is_turn = any(isinstance(each, Discard) for each in actions)
    tile = None if is_turn else seen.last_tile
    found = ump.Expert().evaluate(seen, Phase.TURN if is_turn else Phase.CALL, tile, actions)
    assert found is not None
    best = max(each.value for each in found.candidates)
    return {answers_of(each.action) for each in found.candidates if each.value >= best - within}


def _check_tiles(tasks: list[dict[str, Any]]) -> None:
    honours, terminals, run = tasks
    faces = ump.parse_tiles(honours["hand"])
    assert honours["accepted"] == [tile_text(face) for face in faces if is_honour(face)]
    outer = [tile_text(face) for face in faces if not is_honour(face) and KIND_OF[face] % 9 in (0, 8)]
    assert sorted(terminals["accepted"]) == sorted(outer)
    assert run["accepted"] == waits("67p99s<123m><234s><777z>")
    assert set(run["accepted"]) < set(kinds(run["hand"]))


def _check_shape(tasks: list[dict[str, Any]]) -> None:
    missing, pair, won = tasks
    assert missing["accepted"] == [each for each in kinds(missing["hand"]) if each in waits(missing["shown"])]
    assert ump.shanten(pair["hand"]) == ump.shanten("123m678p234s777z55p") == -1
    assert pair["accepted"] == ["5p"]
    assert won["accepted"] == [place for place, hand in enumerate(won["options"]) if ump.shanten(hand) == -1]


def _check_waits(tasks: list[dict[str, Any]]) -> None:
    for task in tasks:
        assert task["accepted"] == waits(task["hand"])
    counts = [sum(4 - kinds(task["hand"]).count(wait) for wait in task["accepted"]) for task in tasks]
    assert counts[:3] == [8, 4, 4]


def _check_discard(tasks: list[dict[str, Any]]) -> None:
    for task in tasks:
        found = ump.discards(task["hand"])
        best = found[0].shanten, found[0].tiles
        assert sorted(task["accepted"]) == sorted(each.tile for each in found if (each.shanten, each.tiles) == best)
    by_tile = {each.tile: each for each in ump.discards(tasks[1]["hand"])}
    assert (by_tile["6s"].tiles, by_tile["3s"].tiles) == (8, 4)
    assert waits("234m567678p1134s") == ["2s", "5s"]


def _check_yaku(tasks: list[dict[str, Any]]) -> None:
    for task in tasks:
        worth = [worth_of(option) for option in task["options"]]
        assert task["accepted"] == [place for place, each in enumerate(worth) if each.value is not None]
    names = [yaku_of(option) for option in tasks[0]["options"][1:]]
    assert names == [["tanyao"], ["chun"]]
    assert yaku_of(tasks[1]["options"][2]) == ["menzentsumo"]
    assert all(ump.shanten(option.partition(" ")[0]) == 0 for task in tasks for option in task["options"])


def worth_of(text: str, **how: Any) -> Any:
    """Return the value of a hand such as ``23s<777z> ron 4s``."""
    hand, way, tile = text.split(" ")
    won: dict[str, Any] = {way: tile, **how}
    return ump.value(hand, **won, rules=RULES)


def yaku_of(text: str, **how: Any) -> list[str]:
    """Return the names of the yaku of a hand."""
    return [yaku.romaji for yaku, _ in worth_of(text, **how).value.yaku]


def _check_riichi(tasks: list[dict[str, Any]]) -> None:
    declare, win = map(played, tasks)
    found = legal(declare)
    assert [each for each in found if each.startswith("richi")] == tasks[0]["accepted"] == ["richi 9m"]
    assert tasks[1]["accepted"] == ["tsumo"]
    win.step(legal(win)["tsumo"], LEARNER)
    won = next(each for each in win.events if isinstance(each, ump.events.HandWon))
    assert won.value is not None
    assert [yaku.romaji for yaku, _ in won.value.yaku] == ["menzentsumo", "riichi", "ippatsu", "pinfu", "tanyao"]
    assert won.changes == (13_000, -4_000, -4_000, -4_000)  # and the own stick


def _check_calls(tasks: list[dict[str, Any]]) -> None:
    assert set(legal(played(tasks[0]))) == {"no", *tasks[0]["accepted"]} == {"no", "pon 6z 6z"}
    assert set(legal(played(tasks[1]))) == {"no", *tasks[1]["accepted"]} == {"no", "chi 2m 4m"}
    assert not legal(played(tasks[2]))
    assert last_discard(played(tasks[2])) == (1, "3m")
    assert {"2m", "4m"} <= set(kinds(tasks[2]["deal"]["hands"][0]))


def last_discard(env: ump.Environment) -> tuple[int, str]:
    """Return the seat and the tile of the last discard."""
    last = [each for each in env.events if isinstance(each, ump.events.TileDiscarded)][-1]
    return last.seat, tile_text(last.face)


def _check_open(tasks: list[dict[str, Any]]) -> None:
    for task, call in zip(tasks, ("pon 7z 7z", "chi 2s 3s"), strict=True):
        env = played(task)
        assert set(legal(env)) == {"no", call}
        assert set(task["accepted"]) == best_answers(env, 200)


def _check_dora(tasks: list[dict[str, Any]]) -> None:
    for task in tasks[:4]:
        (indicator,) = ump.parse_tiles(task["shown"].removeprefix("dora "))
        assert task["accepted"] == [tile_text(DORA_OF[indicator])]
        assert task["accepted"][0] in kinds(task["hand"])
    how = {"riichi": True, "dora": "4p"}
    hand, _, _ = tasks[4]["shown"].partition(" ")
    rich = worth_of(f"{hand[1:]} ron 2m", **how)
    assert hand.startswith("2")
    count = sum(han for yaku, han in rich.value.yaku if yaku.romaji in ("dora", "akadora"))
    assert tasks[4]["options"][tasks[4]["accepted"][0]] == str(count) == "4"
    plain = worth_of(f"{hand[1:].replace('05p', '55p')} ron 2m", riichi=True)
    assert (plain.points, rich.points) == (3_900, 12_000)


def _check_furiten(tasks: list[dict[str, Any]]) -> None:
    which, act, no, stay = tasks
    pairs = [option.split(" river ") for option in which["options"]]
    assert which["accepted"] == [n for n, (hand, river) in enumerate(pairs) if set(waits(hand)) & set(kinds(river))]
    assert waits(act["deal"]["hands"][0]) == ["1s", "4s"]
    assert set(legal(played(act))) == {"no", *act["accepted"]} == {"no", "ron"}
    env = played(no)
    assert not legal(env)
    assert last_discard(env) == (1, "4s")
    assert env.observation(LEARNER).rivers[LEARNER][0].face == ump.parse_tiles("1s")[0]
    river = set(kinds(stay["shown"].removeprefix("river ")))
    kept = [each for each in ump.discards(stay["hand"]) if each.shanten == 0]
    assert stay["accepted"] == [each.tile for each in kept if not set(each.ukeire) & river]
    assert [sorted(each.ukeire) for each in kept if each.tile == "6p"] == [["2p", "5p"]]


def _check_passing(tasks: list[dict[str, Any]]) -> None:
    no, again = tasks
    env = played(no)
    assert not legal(env)
    assert "1s" in waits(no["deal"]["hands"][0])
    assert no["deal"]["moves"][-1] == "C sute 1s"
    found = legal(played(again))
    assert set(found) == {"no", "ron"}
    assert again["accepted"] == ["ron"]
    assert isinstance(found["ron"], Ron)


def _check_points(tasks: list[dict[str, Any]]) -> None:
    facts = []
    for task, seat_wind in zip(tasks, ("south", "south", "south", "east"), strict=True):
        hand, _, rest = task["shown"].partition(" ")
        won, _, dora = rest.partition(" dora ")
        worth = worth_of(f"{hand} {won}", riichi=True, seat_wind=seat_wind, **({"dora": dora} if dora else {}))
        assert task["options"][task["accepted"][0]] == str(worth.points)
        facts.append((worth.points, worth.value.han, worth.value.fu, [yaku.romaji for yaku, _ in worth.value.yaku]))
    assert [each[:3] for each in facts] == [(2_000, 2, 30), (2_600, 2, 40), (8_000, 5, 30), (12_000, 5, 30)]
    assert [each[3] for each in facts[:3]] == [
        ["riichi", "pinfu"],
        ["riichi", "chun"],
        ["riichi", "pinfu", "tanyao", "dora"],
    ]


def _check_defence(tasks: list[dict[str, Any]]) -> None:
    env = played(tasks[0])
    seen, faces = (
        env.observation(LEARNER),
        [each.face for each in env.legal_actions(LEARNER) if isinstance(each, Discard)],
    )
    safe = {f"sute {tile_text(KIND_OF[face])}" for face in safe_discards(seen, faces)}
    assert set(tasks[0]["accepted"]) == safe
    risks = [100 * deal_in_risk(calibrated_threats(seen), KIND_OF[face]) for face in ump.parse_tiles("5p1m")]
    assert tasks[1]["options"] == ["5p", "1m"]
    assert tasks[1]["accepted"] == [1]
    assert risks[1] + 3 < risks[0]


def _check_push(tasks: list[dict[str, Any]]) -> None:
    on, off = map(played, tasks)
    assert set(tasks[0]["accepted"]) == best_answers(on, 500)
    assert set(tasks[1]["accepted"]) == best_answers(off, 100)
    hand = list(on.observation(LEARNER).hand.concealed)
    assert ump.shanten(ump.format_tiles(hand)) == 0
    hand.remove(ump.parse_tiles("1m")[0])
    names = yaku_of(f"{ump.format_tiles(hand)} ron 5s", dora="7m")
    assert [each for each in names if each != "pinfu"] == ["tanyao", "dora", "akadora"]
    assert ump.shanten(ump.format_tiles(off.observation(LEARNER).hand.concealed)) >= 3


def _check_end(tasks: list[dict[str, Any]]) -> None:
    gained = [max(noten_changes(RULES, range(count))) for count in (1, 2, 3)]
    answers = [task["options"][task["accepted"][0]] for task in tasks]
    assert answers == [str(points) for points in gained]


def _check_first(tasks: list[dict[str, Any]]) -> None:
    branch = lessons.first_hand()
    bots = [ump.players.policy.POLICIES[branch.against or ""]() for _ in range(3)]
    env = ump.Environment(branch.ruleset, names=lessons.NAMES)
    env.reset(deals=branch.deals("x"))
    learner = ump.Efficiency()
    played_game = ump.play_game([learner, *bots], branch.ruleset, seed=lessons.FIRST_SEED)
    assert env.events[1] == played_game.events[1]
    won = [each for each in played_game.events if isinstance(each, ump.events.HandWon)]
    assert [each.seat for each in won] == [LEARNER]
    assert [task["kind"] for task in tasks] == ["play"]


CHECKS: dict[str, Callable[[list[dict[str, Any]]], None]] = {
    name.removeprefix("_check_"): check for name, check in globals().items() if name.startswith("_check_")
}


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_engine_agrees(lesson: str) -> None:
    """Each answer of the lesson is right, each other one is wrong, and what its sentences say is true."""
    CHECKS[lesson](LESSONS[lesson])


SAID = {
    ("waits", 0): "8",
    ("waits", 1): "4",
    ("waits", 2): "4",
    ("riichi", 1): "5 4000",
    ("dora", 4): "4 3900 12000",
    ("points", 0): "2 30 2000",
    ("points", 1): "2 40 2600",
    ("points", 2): "5",
    ("points", 3): "12000 5",
    ("end", 0): "1000",
    ("end", 1): "1500",
    ("end", 2): "1000",
}
"""The numbers that the engine has found above and the sentence after a right answer must say."""

NUMERALS = {
    **dict(zip("一二三四五六七八", range(1, 9), strict=True)),
    **{word: number for number, word in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight"], 1)},
}


def numbers_in(text: str) -> set[str]:
    """Return the numbers of a sentence, also those in words, without the names of tiles."""
    text = re.sub(r"\{[^}]*\}", "", text).replace(",", "").casefold()
    found = set(re.findall(r"\d+", text))
    return found | {str(number) for word, number in NUMERALS.items() if word in text}


def test_the_words_fit_the_tasks(words: Any) -> None:
    """Each language says what each task asks, and what is right and wrong, with the numbers of the engine."""
    assert sum(map(len, LESSONS.values())) == 46
    for language, own in words.items():
        assert list(own["lessons"]) == list(LESSONS)
        for name, lesson in own["lessons"].items():
            assert len(lesson["tasks"]) == len(LESSONS[name]), (language, name)
            for number, task in enumerate(lesson["tasks"]):
                said = {**lesson, **task}
                assert all(said[key] for key in ("title", "before", "ask", "right"))
                assert said["wrong"] or name == "first"
                needed = set(SAID.get((name, number), "").split())
                assert needed <= numbers_in(said["right"]), (language, name, number)
        assert list(own["options"]) == ["yes", "no", "ron", "tsumo", "river", "dora"]
        assert set(own["groups"]) == {each["group"] for each in lessons.lessons()}
    texts = [list(texts_in(own["lessons"])) for own in words.values()]
    tiles = [{tile for text in each for tile in re.findall(r"\{([^}]*)\}", text)} for each in texts]
    assert tiles[1:] == [tiles[0]] * 2
    for tile in tiles[0]:
        assert ump.parse_tiles(tile), tile


def texts_in(found: Any) -> Iterator[str]:
    """Yield all texts in a tree."""
    if isinstance(found, str):
        yield found
    else:
        for each in found.values() if isinstance(found, dict) else found:
            yield from texts_in(each)


def test_each_position_is_told_as_a_table_tells_it() -> None:
    """All positions are dealt as written, and end where the answer is asked or cannot be given."""
    for lesson, tasks in LESSONS.items():
        for language in LANGUAGES if lesson == "riichi" else LANGUAGES[:1]:
            told = lessons.lesson_data(lesson, language)
            assert list(told) == [str(number) for number, task in enumerate(tasks) if "deal" in task]
            for number, found in told.items():
                task = tasks[int(number)]
                asked = [line.split()[1] for line in found["lines"] if line.split()[1].endswith("?")]
                if task["kind"] == "act":
                    assert len(asked) == 1
                assert list(found["after"]) == (task["accepted"] if task["kind"] == "act" else [])
                assert all(found["after"].values())
    assert json.dumps(lessons.lesson_data("riichi", "ja")) != json.dumps(lessons.lesson_data("riichi", "en"))


def test_the_last_hand_is_a_table_against_beginners() -> None:
    """It begins at once in any room, with help and time, is not recorded, and is over after one hand."""
    with memory_server(room(hints="none", time="1+0")) as server:
        name = server.lobby.branches.keep("main", lessons.first_hand())
        robot = Robot(server.enter("learner", f"_room={name} _offer=1 _hand=1 _waits=1 _guest={'k' * 22}"))
        (table,) = server.rooms[0].tables
        assert table.opening.players == ("learner", "beginner-1", "beginner-2", "beginner-3")
        assert str(table.opening.times) == "60+600"
        assert table.record_name is None
        robot.peer.words()
        asked = next(line for line in robot.peer.lines if " sutehai? " in line)
        assert "_shanten=" in asked and "_advise" in asked
        for _ in range(300):  # beginners think about a second on each turn
            server.play([robot])
            server.clock.advance(1.2)
        assert not server.rooms[0].tables


@pytest.mark.parametrize("move", ["B sute 9p", "A no", "C pon 1z 1z"])
def test_a_position_that_cannot_be_played_is_refused(move: str) -> None:
    """A move that is not legal is an error, and no other one is played."""
    deal = LESSONS["riichi"][0]["deal"]
    with pytest.raises(lessons.LessonError):
        LessonDeal.of({**deal, "moves": [*deal["moves"][:1], move]}).play()
    assert isinstance(LessonDeal.of(deal).deals(None), Deal)  # type: ignore[arg-type]
