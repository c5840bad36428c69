"""The lists of yaku and of points in the pages, against the engine."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from support.pages_in_node import run_in_node

import ump
from ump.model.constants import BAIMAN, HANEMAN, MANGAN, SANBAIMAN, YAKUMAN
from ump.model.tiles import KIND_OF
from ump.model.yaku import HandValue, Yaku
from ump.rules.options import OPTIONS
from ump.rules.ruleset import Ruleset
from ump.rules.score import base_points
from ump.text.win import yaku_words

pytestmark = pytest.mark.once

TSUMO = {"tsumo": True}
HOW: dict[str, dict[str, Any]] = {
    "menzentsumo": TSUMO,
    "riichi": {"riichi": True},
    "ippatsu": {"riichi": True, "ippatsu": True},
    "doubleriichi": {"double_riichi": True},
    "openriichi": {**TSUMO, "riichi": True, "open_riichi": True},
    "rinshankaihou": {**TSUMO, "rinshan": True},
    "chankan": {"chankan": True},
    "haitei": {**TSUMO, "haitei": True},
    "houtei": {"houtei": True},
    "renhou": {"first_turn": True},
    "suuankou": TSUMO,
    "tenhou": {**TSUMO, "first_turn": True, "seat_wind": "east"},
    "chihou": {**TSUMO, "first_turn": True},
}
"""The circumstances of the win in examples of yaku that are not for their tiles alone."""

OPEN = {
    "tanyao": "234p567p678s2p<345s> 2p",
    **{name: f"234p567p99p45s<{kind}{kind}{kind}z> 6s" for name, kind in (("haku", 5), ("hatsu", 6), ("chun", 7))},
    "jikaze": "234p567p99p45s<222z> 6s",
    "bakaze": "234p567p99p45s<111z> 6s",
    "chankan": "234p567p99p46s<888s> 5s",
    "haitei": "234p567p99p46s<888s> 5s",
    "houtei": "234p567p99p46s<888s> 5s",
    "toitoi": "222p555p77s99m<111s> 7s",
    "sanankou": "222p555p999s1z<678s> 1z",
    "sanshokudoujun": "345m345p34s99p<678p> 5s",
    "ittsu": "123456p78p99s<345s> 9p",
    "chanta": "123p789p99s12s<777z> 3s",
    "sanshokudoukou": "111m111p67s22z<111s> 8s",
    "shousangen": "234p567s555z7z<666z> 7z",
    "honroutou": "111m999p11s77z<222z> 1s",
    "sankantsu": "67s11z<2222p><5555p>(9999s) 8s",
    "honitsu": "234678p11p56p<777z> 7p",
    "junchan": "123p789p99s12s<789s> 3s",
    "chinitsu": "111345p99p67p<234p> 8p",
    "daisangen": "234p99p555z77z<666z> 7z",
    "shousuushii": "234p111z222z4z<333z> 4z",
    "daisuushii": "11m111z222z44z<333z> 4z",
    "tsuuiisou": "111z333z55z66z<777z> 5z",
    "ryuuiisou": "223344s66s66z<888s> 6z",
    "chinroutou": "111m999m99p11s<111p> 9p",
    "suukantsu": "1z<2222p><5555p>(9999s)(7777p) 1z",
}
"""An open hand with each yaku that may be open; that after a kan has one in the list itself."""

LISTS = """
import { limitsOf, pointTable, YAKU, yakuOf } from "./yaku_list.js";
const words = {};
for (const language of ["en", "ja", "zh"]) {
  const { words: own } = await import(`./words/yaku_${language}.js`);
  const { words: common } = await import(`./words/${language}.js`);
  words[language] = { ...own, names: { ...common.yaku, ...own.names } };
}
const shape = (value) => (Array.isArray(value) ? value.length : value && typeof value === "object"
  ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, shape(value[key])])) : typeof value);
const listed = (rules, seats) => Object.values(yakuOf(rules, seats)).flat();
tell({
  yaku: YAKU, points: given.map((rules) => [pointTable(rules), limitsOf(rules)]),
  names: Object.fromEntries(Object.entries(words).map(([language, { names }]) => [language, names])),
  lines: Object.keys(words.en.lines), groups: Object.keys(words.en.groups),
  shapes: Object.values(words).map(({ names, ...rest }) => JSON.stringify(shape(rest))),
  ours: given.map((rules) => listed(rules, 4).map(({ name, open, isDouble }) => [name, open, isDouble])),
  three: listed({}, 3).map(({ name }) => name),
});
"""

OWN_RULES = (
    *("kuitan=no", "renhou=five-han", "open-riichi=yes", "kiriage=yes", "kazoe-yakuman=no", "red-fives=0,0,0"),
    *("ippatsu=no", "double-kokushi-13=yes"),
)


@pytest.fixture(scope="module")
def rulesets() -> tuple[Ruleset, Ruleset]:
    """Tenhou's rules, and others with another value of each rule that the lists follow."""
    return ump.read_ruleset("tenhou"), ump.read_ruleset("tenhou", OWN_RULES)


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory, rulesets: tuple[Ruleset, Ruleset]) -> Any:
    """The lists of the pages under both rules."""
    given = [{each.name: each.format(rules) for each in OPTIONS.values()} for rules in rulesets]
    return run_in_node(tmp_path_factory.mktemp("lists"), LISTS, given)


def han_of(text: str, name: str, rules: Ruleset) -> int | None:
    """Return what a yaku is worth in a hand whose last tile wins; None: it is not in it."""
    hand, tile = text.split(" ")
    how = dict(HOW.get(name, {}))
    way = "tsumo" if how.pop("tsumo", False) or (name == "rinshankaihou") else "ron"
    won: dict[str, Any] = {way: tile, **how}
    win = ump.value(hand, **won, rules=rules)
    found = {} if win.value is None else {yaku.romaji: han for yaku, han in win.value.yaku}
    return found.get(name, found.get(f"junsei{name}"))


def test_each_example_has_its_yaku(lists: Any, rulesets: tuple[Ruleset, Ruleset]) -> None:
    """The engine finds each yaku in its example with the han of the list, closed and open."""
    wrong: list[tuple[object, ...]] = []
    for group, listed in lists["yaku"].items():
        for each in listed if group != "dora" else ():
            name, rules = each["name"], rulesets[each["name"] in ("renhou", "openriichi")]
            closed = han_of(each["example"], name, rules)
            if name not in ("toitoi", "rinshankaihou") and closed != each["closed"]:
                wrong.append((name, "closed", closed))
            if each["open"] is not None and han_of(OPEN.get(name, each["example"]), name, rules) != each["open"]:
                wrong.append((name, "open"))
            if each["open"] is None and name in OPEN:
                wrong.append((name, "not open"))
    assert wrong == []


def test_all_yaku_are_there_with_the_names_of_results(lists: Any) -> None:
    """Each yaku of the engine is in the list or is the better form of one, with its name in three languages."""
    listed = [each["name"] for group in lists["yaku"].values() for each in group]
    better = {"suuankoutanki", "kokushimusou13", "junseichuurenpoutou"}
    assert set(listed) == {yaku.romaji for yaku in Yaku} - better
    assert sorted(listed) == sorted(lists["lines"])
    assert list(lists["yaku"]) == lists["groups"]
    assert len(set(lists["shapes"])) == 1
    for yaku in Yaku:
        for language, names in lists["names"].items():
            if yaku.romaji not in better:
                assert names[yaku.romaji] == yaku_words(yaku, language)


def test_the_list_follows_the_rules(lists: Any) -> None:
    """Rules take yaku away, add some, and make others worth more."""
    tenhou, ours = ({name: rest for name, *rest in listed} for listed in lists["ours"])
    assert set(tenhou) - set(ours) == {"ippatsu", "akadora"}
    assert set(ours) - set(tenhou) == {"renhou", "openriichi"}
    assert (tenhou["tanyao"][0], ours["tanyao"][0]) == (1, None)
    assert [name for name, (_, is_double) in ours.items() if is_double] == ["kokushimusou"]
    assert "sanshokudoujun" not in lists["three"]


def test_the_points_are_those_of_the_engine(lists: Any, rulesets: tuple[Ruleset, Ruleset]) -> None:
    """Each cell is paid as the engine pays it, and each limit begins where the engine says."""
    bases = (MANGAN, HANEMAN, BAIMAN, SANBAIMAN, YAKUMAN)
    for rules, (table, limits) in zip(rulesets, lists["points"], strict=True):
        cells = 0
        for row in table:
            for han, cell in enumerate(row["cells"], 1):
                if cell is not None:
                    cells += 1
                    check_payments(cell, base_points(rules, han, row["fu"]))
        assert cells == 26
        assert [each["base"] for each in limits] == list(bases[: len(limits)])
        assert len(limits) == (5 if rules.kazoe_yakuman else 4)
        for each in limits:
            assert base_points(rules, each["han"], 30) == each["base"] != base_points(rules, each["han"] - 1, 20)
            check_payments(each, each["base"])


def check_payments(cell: Any, base: int) -> None:
    """Check what each pays for so many base points."""
    value = HandValue((), 0, 0, 0, base)
    for is_dealer, ron, tsumo in ((False, "ron", "tsumo"), (True, "dealerRon", "dealerTsumo")):
        if cell[ron] is not None:
            assert cell[ron] == value.points(4, is_dealer=is_dealer, is_tsumo=False)
        if cell[tsumo] is not None:
            shares = 3 * cell[tsumo] if is_dealer else [*cell[tsumo], cell[tsumo][0]]
            assert sum(shares) == value.points(4, is_dealer=is_dealer, is_tsumo=True)


REACH = """
import { lackingAtAll, lackingFor } from "./yaku_reach.js";
const handOf = (counts, melds = []) => ({ counts, melds, winds: [27, 28] });
const chi = { kind: 18, isRun: true, isOpen: true }; // 1s 2s 3s
const rest = Array.from({ length: 34 }, (_, kind) => ({ 19: 3, 20: 3, 21: 3, 33: 2 }[kind] ?? 0)); // 222333444s77z
const called = handOf(rest, [chi]);
tell([...given.map(([counts, yaku]) => {
  const hand = handOf(counts);
  return [lackingAtAll(hand), ...yaku.map((each) => lackingFor(each, hand))];
}), Object.fromEntries(["honitsu", "chun", "ittsu", "tanyao", "pinfu", "toitoi", "riichi", "sanankou"].map((each) => (
  [each, lackingFor(each, called)])))]);
"""


def test_what_a_hand_lacks(lists: Any, tmp_path: Path) -> None:
    """A hand lacks one tile more than its shanten, and an example lacks none for its yaku; melds rule yaku out."""
    random, hands = Random("lacks"), []
    for number in range(20):
        kinds = [kind for kind in range(34 if number % 2 else 18) for _ in range(4)]
        hands.append(sorted(random.sample(kinds, 14)))
    examples = [each for group in lists["yaku"].values() for each in group if each["example"]]
    closed = [each for each in examples if not set("<(") & set(each["example"]) and each["name"] not in HOW]
    shown = [[KIND_OF[face] for face in ump.parse_tiles(each["example"].replace(" ", ""))] for each in closed]
    given = [(hand, []) for hand in hands] + [(hand, [each["name"]]) for hand, each in zip(shown, closed, strict=True)]
    told = run_in_node(tmp_path, REACH, [([hand.count(kind) for kind in range(34)], names) for hand, names in given])
    assert [found[0] - 1 for found in told[:20]] == [ump.shanten(ump.format_tiles(hand)) for hand in hands]
    assert [(each["name"], found) for each, found in zip(closed, told[20:-1], strict=True) if found != [0, 0]] == []
    assert told[-1] == {
        "honitsu": 0,
        "chun": 1,
        "ittsu": 5,
        "sanankou": 0,
        **dict.fromkeys(("tanyao", "pinfu", "toitoi", "riichi")),
    }
