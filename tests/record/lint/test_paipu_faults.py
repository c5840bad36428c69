"""The linter finds planted faults in Majiang's paipu, each with its entry."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from support.rows import each_row
from support.sample_games import EAGER, converted

from ump.record.findings import Rule
from ump.record.lint.lint import lint

Game = dict[str, Any]

Plant = Callable[[Game], int]
"""Plants a fault in a right game, and returns the number of the entry that has it."""


def _entries(game: Game, *types: str) -> tuple[list[Game], int]:
    """Return the first kyoku with entries of these types in a row, and the index of the first of them."""
    return next(
        (kyoku, index)
        for kyoku in game["log"]
        for index in range(len(kyoku) - len(types))
        if all(type_ in kyoku[index + step] for step, type_ in enumerate(types))
    )


def _missing_draw(game: Game) -> int:
    kyoku, index = next(
        (kyoku, at)
        for kyoku in game["log"]
        for at in range(len(kyoku) - 1)
        if "zimo" in kyoku[at] and str(kyoku[at + 1].get("dapai", {}).get("p")).endswith("_")
    )
    del kyoku[index]
    return index + 1


def _replacement(game: Game) -> int:
    kyoku, index = _entries(game, "gangzimo")
    kyoku[index] = {"zimo": kyoku[index]["gangzimo"]}
    return index + 1


def _dora_without_a_kan(game: Game) -> int:
    kyoku, index = _entries(game, "zimo", "dapai")
    kyoku.insert(index, {"kaigang": {"baopai": "m1"}})
    return index + 1


def _kan_without_dora(game: Game) -> int:
    """The dora of a kan after which many tiles are drawn."""
    for kyoku in game["log"]:
        for index, entry in enumerate(kyoku):
            draws = [at for at in range(index, len(kyoku)) if "zimo" in kyoku[at]]
            if "kaigang" in entry and len(draws) > 5:
                del kyoku[index]
                return 0
    raise AssertionError("no kan")


def _missing_riichi(game: Game) -> int:
    for kyoku in game["log"]:
        wins = [entry["hule"] for entry in kyoku if "hule" in entry]
        for entry in kyoku:
            tile = str(entry.get("dapai", {}).get("p"))
            if tile.endswith("*") and wins and wins[0]["l"] == entry["dapai"]["l"]:
                entry["dapai"]["p"] = tile[:-1]
                return len(kyoku) - len(wins) + 1
    raise AssertionError("no win in riichi")


def _result(game: Game, type_: str) -> tuple[Game, int]:
    """Return the first result of a type, and the number of its entry."""
    kyoku = next(kyoku for kyoku in game["log"] if type_ in kyoku[-1])
    return kyoku[-1][type_], len(kyoku)


def _payment(game: Game) -> int:
    won, number = _result(game, "hule")
    won["fenpei"][0] += 100
    return number


def _yaku(game: Game) -> int:
    won, number = _result(game, "hule")
    won["hupai"][0] = {"name": "一盃口", "fanshu": 1}
    return number


def _unknown_yaku(game: Game) -> int:
    won, number = _result(game, "hule")
    won["hupai"][0]["name"] = "五門斉"
    return number


def _unknown_field(game: Game) -> int:
    game["log"][0][1]["zimo"]["q"] = "m1"
    return 2


def _unknown_entry(game: Game) -> int:
    game["log"][0].insert(1, {"draw": {"l": 0}})
    return 2


def _two_keys(game: Game) -> int:
    game["log"][0][1]["dapai"] = {"l": 0, "p": "m1"}
    return 2


def _missing_hand(game: Game) -> int:
    del game["log"][0][0]["qipai"]["shoupai"]
    return 1


def _short_hand(game: Game) -> int:
    hands = game["log"][0][0]["qipai"]["shoupai"]
    hands[1] = hands[1][:-1]
    return 1


def _no_qipai(game: Game) -> int:
    del game["log"][1][0]
    return 1


def _no_tile(game: Game) -> int:
    kyoku, index = _entries(game, "dapai")
    kyoku[index]["dapai"]["p"] = "m0_x"
    return index + 1


def _no_draw_name(game: Game) -> int:
    drawn, number = _result(game, "pingju")
    drawn["name"] = "draw"
    return number


def _call_source(game: Game) -> int:
    kyoku, index = next(
        (kyoku, at)
        for kyoku in game["log"]
        for at, entry in enumerate(kyoku)
        if "fulou" in entry and len(set(entry["fulou"]["m"][1:].replace("0", "5"))) == 2
    )
    kyoku[index]["fulou"]["m"] = kyoku[index]["fulou"]["m"].translate(str.maketrans("+=-", "=-="))
    return index + 1


def _places(game: Game) -> int:
    game["point"] = game["point"][::-1]
    return 0


FAULTS: dict[str, tuple[Plant, Rule]] = {
    "missing draw": (_missing_draw, Rule.MISSING_DRAW),
    "replacement": (_replacement, Rule.REPLACEMENT),
    "dora without a kan": (_dora_without_a_kan, Rule.DORA),
    "kan without a dora": (_kan_without_dora, Rule.DORA),
    "missing riichi": (_missing_riichi, Rule.MISSING_RIICHI),
    "payment": (_payment, Rule.PAYMENT),
    "yaku": (_yaku, Rule.WIN_VALUE),
    "unknown yaku": (_unknown_yaku, Rule.WRONG_VALUE),
    "unknown field": (_unknown_field, Rule.UNKNOWN_FIELD),
    "unknown entry": (_unknown_entry, Rule.UNKNOWN_EVENT),
    "two keys": (_two_keys, Rule.WRONG_VALUE),
    "missing hands": (_missing_hand, Rule.WRONG_VALUE),
    "short hand": (_short_hand, Rule.DEAL),
    "kyoku without its start": (_no_qipai, Rule.UNREADABLE),
    "no tile": (_no_tile, Rule.WRONG_VALUE),
    "no name of a draw": (_no_draw_name, Rule.WRONG_VALUE),
    "call from another seat": (_call_source, Rule.CALL_SOURCE),
    "places": (_places, Rule.FINAL_SCORE),
}


@each_row("what", FAULTS)
def test_paipu(what: str) -> None:
    """The planted fault is found, with its entry, and little else."""
    plant, rule = FAULTS[what]
    game: Game = json.loads(converted(EAGER, "paipu"))
    number = plant(game)
    found = lint("planted", json.dumps(game).encode()).findings
    places = [each.place.number for each in found if each.rule is rule]
    assert places and number in (0, *places), found[:4]
    assert len(found) <= 4, found


@each_row(
    "game",
    [
        {"log": 1, "player": []},
        {"log": [1], "player": ["a", "b", "c", "d"]},
        {"log": [[{"qipai": 1}]], "player": 5, "ump": {"rules": 1}, "defen": ["x"]},
        [7],
    ],
)
def test_no_paipu(game: object) -> None:
    """The result is a finding, whatever stands there."""
    data = json.dumps(game).encode() + b" " * 8
    assert lint("none", b'{"log":[[{"qipai":1}]]}'[:0] + data).findings


def test_a_doubled_kyoku() -> None:
    """A kyoku that stands twice is found by its scores, wind or honba."""
    game: Game = json.loads(converted(EAGER, "paipu"))
    game["log"].insert(1, game["log"][0])
    assert {each.rule for each in lint("twice", json.dumps(game).encode()).findings} <= {
        Rule.CARRIED_ROUND,
        Rule.CARRIED_SCORE,
    }
