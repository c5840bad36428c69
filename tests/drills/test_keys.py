"""Drills: each key is computed again from what is shown, files are read back, and a learner's answers are judged."""

from __future__ import annotations

import gzip
import itertools
import random
from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ump
from ump.drills.drill import Drill, DrillError, DrillKind, read_drill
from ump.drills.drill_file import read_drills, selected, shipped_drills, write_drills
from ump.drills.hands import suit_drills
from ump.drills.mistakes import mistakes_of
from ump.drills.position import position_of, words_of
from ump.drills.text import answer_lines, question_lines, read_answer
from ump.model.actions import Chi, Daiminkan, Discard, Pass, Pon, Riichi
from ump.model.phases import Phase
from ump.model.tiles import KIND_OF
from ump.players.claimable import claimable
from ump.players.danger import calibrated_threats
from ump.players.evaluation import deal_in_risk
from ump.players.expert import Expert
from ump.players.observation import Observation
from ump.record.branch import events_at
from ump.text.layout import tile_text
from ump.wire.mjai.read import MjaiReader

OTHER_KINDS = (DrillKind.SAFEST, DrillKind.PUSH, DrillKind.CALL)
SAMPLE = 25
"""The positions of each kind that the suite judges again; ``--long`` takes all."""


def of_kind(kind: DrillKind, most: int | None = None) -> list[Drill]:
    """Return the drills of the installation of one kind, at most so many, with all answers among them."""
    drills = [each for each in shipped_drills() if each.kind is kind]
    return drills if most is None else drills[:: len(drills) // most]


def seen_in(drill: Drill) -> Observation:
    """Return what the seat sees in a position."""
    seen = Observation(drill.shown["seat"], ump.PRESETS["tenhou"])
    reader = MjaiReader()
    for message in drill.shown["events"]:
        for event in reader.read(message):
            seen.see(event)
    return seen


def test_the_installation_has_two_thousand() -> None:
    """They take less than a megabyte, each is there once, and yes and no are as frequent."""
    drills = shipped_drills()
    counts = Counter(each.kind for each in drills)
    assert len(drills) >= 2_000 and min(counts.values()) >= 200 and set(counts) == {*DrillKind} - {DrillKind.MISTAKE}
    assert len({each.id for each in drills}) == len(drills)
    assert len(write_drills(drills)) < 1_000_000
    for kind in (DrillKind.FURITEN, DrillKind.PUSH, DrillKind.CALL):
        second = sum(each.right[0] in ("no", "fold") for each in of_kind(kind))
        assert second * 2 == counts[kind]


def test_no_question_tells_its_key() -> None:
    """A drill before its answer has neither key nor facts, and hides the hands of others."""
    for drill in shipped_drills():
        question = drill.question()
        assert set(question) == {"id", "kind", "shown", "choices"}
        for event in drill.shown.get("events", ()):
            if event["type"] == "start_kyoku":
                shown = [hand for hand in event["tehais"] if "?" not in hand]
                assert len(shown) == 1
            if event["type"] == "tsumo" and event["actor"] != drill.shown["seat"]:
                assert event["pai"] == "?"


def test_best_discards() -> None:
    """The library finds the same tiles for the hand, with the indicators in sight."""
    for drill in of_kind(DrillKind.DISCARD):
        shown = drill.shown
        hand = f"{shown['hand']}{shown['drawn']}{shown['melds']}"
        found = ump.discards(hand, seen=shown["dora"].replace(" ", ""), rules="tenhou")
        best = [each.tile for each in found if (each.shanten, each.tiles) == (found[0].shanten, found[0].tiles)]
        assert {each.replace("0", "5") for each in best} == set(drill.right)


def test_waits_and_furiten() -> None:
    """The library finds the same waits; a hand is furiten if one of them lies in its river."""
    for drill in of_kind(DrillKind.WAITS):
        assert set(ump.waits(drill.shown["hand"], rules="tenhou")) == set(drill.right)
    for drill in of_kind(DrillKind.FURITEN):
        waits = set(ump.waits(drill.shown["hand"], rules="tenhou"))
        river = {tile.replace("0", "5") for tile in drill.shown["river"].split()}
        assert drill.right == ("yes" if waits & river else "no",)


def test_points() -> None:
    """The library counts the same han, fu and payments, and no wrong choice pays the same."""
    for drill in of_kind(DrillKind.POINTS):
        shown = drill.shown
        way, tile = shown["win"].split()
        win = ump.value(
            shown["hand"],
            rules="tenhou",
            seat_wind=shown["wind"].lower(),
            round_wind=shown["bakaze"].lower(),
            dora=shown["dora"].replace(" ", ""),
            ura=shown["ura"].replace(" ", ""),
            riichi=shown["riichi"],
            ron=tile if way == "ron" else None,
            tsumo=tile if way == "tsumo" else None,
        )
        assert win.value is not None
        paid = dict(win.payments)
        words = f"{win.points}"
        if way == "tsumo":
            words = f"{paid['others']}/{paid['dealer']}" if "dealer" in paid else f"{paid['others']} all"
        assert drill.right == (f"{win.value.han}-{win.value.fu}-{words}",)
        assert len({choice.split("-")[2] for choice in drill.choices}) == len(drill.choices) >= 3


def test_the_place_of_the_right_points_tells_nothing() -> None:
    """The choices stand in order, and none of the four places is right in half of the drills, or never."""
    drills = of_kind(DrillKind.POINTS)
    places = Counter(drill.choices.index(drill.right[0]) for drill in drills)
    assert [place for place in range(4) if not 0.1 < places[place] / len(drills) < 0.4] == []


def judge_again(drills: Iterable[Drill]) -> None:
    """Let ``expert`` decide in the positions as they are shown."""
    for drill in drills:
        seen = seen_in(drill)
        phase = Phase.CALL if drill.kind is DrillKind.CALL else Phase.TURN
        tile = seen.last_tile if phase is Phase.CALL else seen.drawn
        legal = tuple(claimable(seen, phase, tile))
        if drill.kind is DrillKind.SAFEST:
            dangerous = [each for each in calibrated_threats(seen) if seen.in_riichi[each.seat]]
            risks = {KIND_OF[each.face]: 0.0 for each in legal if isinstance(each, Discard)}
            risks = {kind: deal_in_risk(dangerous, kind) for kind in risks}
            assert tile_text(min(risks, key=risks.__getitem__)) in drill.right
            continue
        found = Expert().evaluate(seen, phase, tile, legal)
        assert found is not None
        best = max(found.candidates, key=lambda each: each.value).action
        wanted = Discard | Riichi if drill.kind is DrillKind.PUSH else Pass | Chi | Pon | Daiminkan
        assert isinstance(best, wanted)
        right = drill.shown[drill.right[0]] if drill.kind is DrillKind.PUSH else drill.right[0]
        assert words_of(best) == right, drill.id


@pytest.mark.parametrize("kind", OTHER_KINDS, ids=lambda kind: kind.value)
def test_judgements(kind: DrillKind) -> None:
    """A position holds all that the judge needs: it judges the same again."""
    judge_again(of_kind(kind, SAMPLE))


@pytest.mark.long
@pytest.mark.parametrize("kind", OTHER_KINDS, ids=lambda kind: kind.value)
def test_all_judgements(kind: DrillKind) -> None:
    """The same for all positions of the installation."""
    judge_again(of_kind(kind))


def test_waits_of_one_suit() -> None:
    """Hands of a wall of chance have two waits or more."""
    for drill in itertools.islice(suit_drills(random.Random(1)), 50):
        assert set(ump.waits(drill.shown["hand"])) == set(drill.right) and len(drill.right) > 1


def test_mistakes(data: object) -> None:
    """A mistake is a position of the seat, with what was played among the choices, and not among the right ones."""
    name, game = next(iter(ump.read_records(f"{data}/tenhou/games")))
    found = [(seat, each) for seat in range(4) for each in mistakes_of(game, seat)]
    assert found, name
    for seat, drill in found:
        assert drill.shown["seat"] == seat and drill.facts["loss"] >= 500
        assert drill.facts["done"] in drill.choices and drill.facts["done"] not in drill.right
        at = drill.facts["at"]
        shown = position_of(game, at["k"], events_at(game, at["k"], at["n"]), seat)
        assert (shown, "ABCD"[seat]) == (drill.shown, at["seat"])
        assert any(line.startswith("you played") for line in map(str.strip, answer_lines(drill, drill.right)))
    assert len(found) <= 12


# Files


def test_files_are_read_back() -> None:
    """Equal drills give equal bytes."""
    drills = shipped_drills()[:100]
    written = write_drills(drills)
    assert read_drills(written) == drills and write_drills(drills) == written


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no file of drills"),
        (b"[]", "line 1: a drill is an object"),
        (b'{"kind":"x"}', "line 1: kind is one of"),
        (b'{"kind":"waits","rating":1}', "line 1: rating is a number"),
        (b'{"kind":"waits","rating":1500,"choices":["a"],"right":["b"]}', "right names some"),
        (b'{"kind":"waits","rating":1500,"choices":[1],"right":["b"]}', "choices is a list of words"),
        (b'{"kind":"waits","rating":1500,"choices":[],"right":["1m"],"shown":1}', "shown is an object"),
        (b"\xff\n", "line 1"),
    ],
)
def test_bad_files(content: bytes | None, said: str) -> None:
    """One line says what is wrong, and where."""
    with pytest.raises(DrillError, match=said):
        read_drills(b"no gzip" if content is None else gzip.compress(content))


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_any_data_is_refused(content: object) -> None:
    """Nothing else is raised."""
    with pytest.raises(DrillError):
        read_drill(content)


def test_a_selection_has_no_more_than_was_asked() -> None:
    """It is the same for the same seed."""
    chosen = selected(shipped_drills(), 10, "seed")
    assert chosen == selected(shipped_drills(), 10, "seed") != selected(shipped_drills(), 10, "other")
    assert set(Counter(each.kind for each in chosen).values()) == {10}


# Text


def test_every_kind_as_text() -> None:
    """Each question can be read, answered in several ways, and is explained."""
    for kind in {*DrillKind} - {DrillKind.MISTAKE}:
        drill = of_kind(kind, 1)[0]
        assert question_lines(drill)[-1]
        right = drill.right if not drill.choices else drill.right[:1]
        typed = "".join(right) if not drill.choices else right[0]
        assert read_answer(drill, typed) == tuple(right)
        if kind not in (DrillKind.DISCARD, DrillKind.SAFEST, DrillKind.WAITS):
            assert read_answer(drill, str(1 + drill.choices.index(right[0]))) == tuple(right)
        assert answer_lines(drill, right)[0] == "Right."
        for bad in ("", "x" * 101, "??"):
            with pytest.raises(DrillError):
                read_answer(drill, bad)


def test_an_answer_is_one_of_the_choices() -> None:
    """Others are refused."""
    drill = of_kind(DrillKind.PUSH, 1)[0]
    for answer in ([], ["x"], ["push", "fold"]):
        with pytest.raises(DrillError):
            drill.is_right(answer)
