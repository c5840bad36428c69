"""Our games compared with those of a second engine; scripts/compare-engines plays many more."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from support.rows import each_row

pytest.importorskip("riichienv", reason="the second engine is not installed: pip install -e '.[oracle]'")

from support.engine_comparison import THIRD_KAN, Difference, EngineComparison, hanchan
from support.scenario import deals_of
from support.second_engine import drawn_in_turn

from ump.game.arranged_wall import build_wall
from ump.game.game import GameState
from ump.model.actions import Action, Ankan, Daiminkan, Discard, Kakan, Pass, Pon, Ron, Tsumo
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Kuikae, Renchan, Ruleset
from ump.rules.wall import LAYOUTS

TENHOU = PRESETS["tenhou"]


@each_row(
    ("preset", "policy"),
    [
        ("tenhou", "mixed"),
        ("tenhou", "efficiency"),
        ("majsoul", "eager"),
        ("tenhou3", "eager"),
        ("majsoul3", "mixed"),
    ],
)
def test_both_engines_play_the_same_hanchan(preset: str, policy: str) -> None:
    """Tables, legal actions, results and the following kyoku agree from the first deal to the final places."""
    counts: Counter[str] = Counter()
    hanchan(PRESETS[preset], "test", policy, counts).play()
    assert counts["hanchan"] == 1
    is_cut = counts[f"known {THIRD_KAN}"]
    assert is_cut or counts["wins"] + counts["draws"] >= counts["kyoku"] >= 4
    assert counts["decisions"] > counts["kyoku"]


@each_row(
    ("ruleset", "what"),
    [
        (replace(TENHOU, kuikae=Kuikae.ALLOWED), "may do"),
        (replace(TENHOU, ura_dora=False), "the result"),
        (replace(TENHOU, noten_penalty=0), "the result"),
        (replace(TENHOU, renchan=Renchan.WIN), "what follows"),
        (replace(PRESETS["tenhou3"], kita=False), "may do"),
        (replace(PRESETS["tenhou3"], noten_penalty=3_000), "the result"),
    ],
)
def test_a_changed_rule_is_found(ruleset: Ruleset, what: str) -> None:
    """The error names what differs, both sides and the position."""
    with pytest.raises(Difference, match=what) as found:
        for number in range(20):
            hanchan(ruleset, f"test/{number}", "eager", Counter()).play()
    assert "ours:" in str(found.value) and "indicators" in str(found.value)


def test_both_walls_have_the_same_dead_wall() -> None:
    """The second engine deals from the front, and draws replacement tiles and indicators from the end, in pairs."""
    wall = drawn_in_turn(range(136))
    assert wall[:2] == [135, 134]
    assert tuple(wall[::-1][:4]) == LAYOUTS[4].rinshan
    assert tuple(wall[::-1][4:14:2]) == LAYOUTS[4].indicators
    assert tuple(wall[::-1][5:14:2]) == LAYOUTS[4].ura


class Wanting:
    """Takes the first wanted action that is legal, otherwise passes or discards the drawn tile."""

    def __init__(self, *wanted: Action | type[Action]) -> None:
        self._wanted = wanted

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Choose by the list (see ``Policy.choose``)."""
        legal = offers or ()
        found = (action for wanted in self._wanted for action in legal if wanted in (action, type(action)))
        return next(found, Pass() if Pass() in legal else Discard(tile, True) if tile is not None else legal[-1])


def test_deferred_dora_when_an_added_kan_is_robbed() -> None:
    """Both engines reveal the earlier dora with the announcement, so a player that robs the kan counts it."""
    hands = {"A": "05p999s1122367m1z", "B": "46p123789m22233s", "C": "2468m1379p2468s2z"}
    counts: Counter[str] = Counter()
    policies = [Wanting(Daiminkan, Pon, Kakan), Wanting(Ron), Wanting(), Wanting()]
    walls = deals_of(build_wall(hands, "3z4z5p4z9s", rinshan="5p"), build_wall({}))
    EngineComparison(TENHOU, policies, walls, Random(1), counts).play()
    assert counts["yaku chankan"] == 1


ORPHANS = {"A": "111z234m567p2468s", "B": "19m19p19s2345677z"}
TANYAO = {"A": "19m19p19s1234567z", "B": "23456788m46p234s", "C": "34567866m46p345s", "D": "23456777s46p234m"}


@each_row(
    ("preset", "hands", "draws", "wanted", "counted"),
    [
        ("tenhou", TANYAO, "5p", [Ron], "drawn sanchaho"),
        ("majsoul", TANYAO, "5p", [Ron], "won 3 rons"),
        ("tenhou", {}, "1z1z1z1z", [], "drawn sufonrenta"),
        ("majsoul", ORPHANS, "1z", [Ankan, Ron], "yaku kokushimusou"),
        ("tenhou", ORPHANS, "1z", [Ankan, Ron], "drawn exhausted"),
    ],
)
def test_rare_ends(preset: str, hands: dict[str, str], draws: str, wanted: list[type[Action]], counted: str) -> None:
    """Both engines agree on three rons, four equal winds, and a closed kan robbed by thirteen orphans."""
    counts: Counter[str] = Counter()
    deals = deals_of(build_wall(hands, draws), build_wall({}))
    EngineComparison(PRESETS[preset], [Wanting(*wanted)] * 4, deals, Random(1), counts).play()
    assert counts[counted]


DRAGONS, DRAGONS_AND_WINDS, WINDS = "23m159p99s556677z", "159p1122556677z", "159p1s112233445z"
JUNK = [Discard(face) for face in (9, 13, 17, 18)]


@each_row("preset", ["tenhou", "majsoul"])
@each_row(
    ("hand", "draws"),
    [
        (DRAGONS, "9p5z6z7z2z2z3z1m"),
        (DRAGONS, "9p5z6z7z2z1m"),
        (DRAGONS, "9p5z6z7z1m"),
        (DRAGONS_AND_WINDS, "9p5z6z7z3z3z4z1z"),
        (DRAGONS_AND_WINDS, "9p5z6z7z3z1z"),
        (WINDS, "9p1z2z3z4z6z6z7z5z"),
        (WINDS, "9p1z2z3z4z6z5z"),
        (WINDS, "9p1z2z3z4z5z"),
    ],
)
def test_pao(preset: str, hand: str, draws: str) -> None:
    """Both agree if B gives the last triplet, and A wins by tsumo, from C or from B, with two yakuman or honba."""
    counts: Counter[str] = Counter()
    deals = deals_of(build_wall({"A": hand}, draws), build_wall({}))
    players = [Wanting(Ron, Tsumo, Pon, *JUNK), Wanting(), Wanting(), Wanting()]
    standing = GameState((100_000, *[60_000] * 3), bakaze=1, honba=2, kyotaku=1)
    EngineComparison(PRESETS[preset], players, deals, Random(1), counts, standing).play()
    assert counts["won pao"] == 1


@each_row("preset", ["tenhou", "majsoul"])
@each_row(
    ("hand", "draws", "name"),
    [
        ("123m456p789s1122z", "1z", "tenhou"),
        ("19m19p19s1234567z", "5p6p7p8p1z", "kokushimusou13"),
        ("1112345678999m", "2p3p4p6p2m", "junseichuurenpoutou"),
        ("1112345678899m", "2p3p4p6p9m", "chuurenpoutou"),
    ],
)
def test_rare_yakuman(preset: str, hand: str, draws: str, name: str) -> None:
    """Both engines agree on yakuman that are single or double as the rules say."""
    counts: Counter[str] = Counter()
    deals = deals_of(build_wall({"A": hand}, draws), build_wall({}))
    EngineComparison(PRESETS[preset], [Wanting(Tsumo), *[Wanting()] * 3], deals, Random(1), counts).play()
    assert [found for found in counts if found.startswith("yaku")] == [f"yaku {name}"]
