"""The linter finds planted faults in tenhou.net/6 JSON, each with its column."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from support.rows import each_row
from support.sample_games import EAGER, converted

from ump.record.findings import Rule
from ump.record.lint.lint import lint

Game = dict[str, Any]

Plant = Callable[[Game], str]
"""Plants a fault in a right game, and returns how the place of it begins."""


def _won(game: Game) -> list[Any]:
    """Return the first kyoku with a win."""
    kyoku: list[Any] = next(kyoku for kyoku in game["log"] if kyoku[16][0] == "和了")
    return kyoku


def _missing_take(game: Game) -> str:
    del game["log"][0][5][2]
    return "takes of A, entry"


def _missing_discards(game: Game) -> str:
    del game["log"][0][6][2:4]
    return "discards of A, entry"


def _tsumogiri(game: Game) -> str:
    for kyoku in game["log"]:
        for seat in range(4):
            hand, takes, discards = kyoku[4 + 3 * seat : 7 + 3 * seat]
            for index, (taken, given) in enumerate(zip(takes, discards, strict=False)):
                if given == 60 and taken not in [*hand, *takes[:index]]:
                    discards[index] = taken
                    return f"discards of {'ABCD'[seat]}, entry"
    raise AssertionError("no tsumogiri")


def _not_held(game: Game) -> str:
    hand, takes, discards = game["log"][0][7:10]
    index = next(at for at, given in enumerate(discards) if isinstance(given, int) and given != 60)
    discards[index] = next(tile for tile in (11, 19, 21, 29, 41, 42, 43) if tile not in hand and tile not in takes)
    return "discards of B, entry"


def _dora_without_a_kan(game: Game) -> str:
    game["log"][0][2] += [11, 12, 13]
    return ""


def _kan_without_dora(game: Game) -> str:
    next(kyoku for kyoku in game["log"] if len(kyoku[2]) > 1)[2].pop()
    return ""


def _payment(game: Game) -> str:
    _won(game)[16][1][0] -= 1_000
    return "result"


def _points(game: Game) -> str:
    detail = _won(game)[16][2]
    detail[3] = "30符1飜1000点" if "1000点" not in detail[3] else "30符2飜2000点"
    return "result"


def _missing_riichi(game: Game) -> str:
    for kyoku in game["log"]:
        won = kyoku[16][2][0] if kyoku[16][0] == "和了" else None
        discards = kyoku[6 + 3 * won] if won is not None else []
        for index, given in enumerate(discards):
            if isinstance(given, str) and given.startswith("r"):
                discards[index] = int(given[1:])
                return "result"
    raise AssertionError("no win in riichi")


def _columns(game: Game) -> str:
    game["log"][0][6].insert(1, 99)
    return ""


def _hand(game: Game) -> str:
    game["log"][0][7].pop()
    return "hand of B"


def _pon(game: Game, text: str) -> str:
    """Write this text in the place of the first pon."""
    for kyoku in game["log"]:
        for column in kyoku[5:16:3]:
            for place, entry in enumerate(column):
                if isinstance(entry, str) and "p" in entry:
                    column[place] = text
                    return ""
    raise AssertionError("no pon")


def _meld(game: Game) -> str:
    return _pon(game, "p111929")


def _result(game: Game) -> str:
    game["log"][0][16] = ["won"]
    return "result"


def _size(game: Game) -> str:
    game["log"][0].pop()
    return ""


def _tile(game: Game) -> str:
    game["log"][0][2][0] = 10
    return ""


def _score(game: Game) -> str:
    game["sc"][0] += 100
    return ""


def _names(game: Game) -> str:
    game["name"].pop()
    return ""


def _field(game: Game) -> str:
    game["rule"]["akas"] = 3
    return ""


def _own_rules(game: Game) -> str:
    game["ump"]["rules"] = 5
    return ""


def _no_kyoku(game: Game) -> str:
    game["log"][0] = 5
    return ""


def _wrong_column(game: Game) -> str:
    return _pon(game, "212121a21")


def _no_detail(game: Game) -> str:
    _won(game)[16][2] = [0, 1]
    return "result"


def _half_a_win(game: Game) -> str:
    _won(game)[16].pop()
    return "result"


def _unknown_draw(game: Game) -> str:
    next(kyoku for kyoku in game["log"] if kyoku[16][0] != "和了")[16][0] = "draw"
    return "result"


def _no_round(game: Game) -> str:
    game["log"][0][0][0] = 99
    return ""


FAULTS: dict[str, tuple[Plant, Rule]] = {
    "missing take": (_missing_take, Rule.MISSING_DRAW),
    "missing discards": (_missing_discards, Rule.TURN_ORDER),
    "number for a tsumogiri": (_tsumogiri, Rule.TSUMOGIRI),
    "not held": (_not_held, Rule.NOT_HELD),
    "dora without a kan": (_dora_without_a_kan, Rule.DORA),
    "kan without a dora": (_kan_without_dora, Rule.DORA),
    "payment": (_payment, Rule.PAYMENT),
    "points": (_points, Rule.WIN_VALUE),
    "missing riichi": (_missing_riichi, Rule.MISSING_RIICHI),
    "columns do not fit": (_columns, Rule.COLUMNS),
    "hand of twelve": (_hand, Rule.DEAL),
    "no meld": (_meld, Rule.MELD),
    "no result": (_result, Rule.WRONG_VALUE),
    "sixteen elements": (_size, Rule.UNREADABLE),
    "no tile": (_tile, Rule.WRONG_VALUE),
    "final score": (_score, Rule.FINAL_SCORE),
    "three names": (_names, Rule.WRONG_VALUE),
    "rules of our own": (_own_rules, Rule.WRONG_VALUE),
    "no kyoku": (_no_kyoku, Rule.UNREADABLE),
    "kan among the takes": (_wrong_column, Rule.COLUMNS),
    "win without details": (_no_detail, Rule.WRONG_VALUE),
    "half a win": (_half_a_win, Rule.WRONG_VALUE),
    "unknown draw": (_unknown_draw, Rule.WRONG_VALUE),
    "no such round": (_no_round, Rule.WRONG_VALUE),
    "unknown field": (_field, Rule.UNKNOWN_FIELD),
}


@each_row("what", FAULTS)
def test_tenhou6(what: str) -> None:
    """The planted fault is found, with its column, and little else."""
    plant, rule = FAULTS[what]
    game: Game = json.loads(converted(EAGER, "tenhou6"))
    unit = plant(game)
    found = lint("planted", json.dumps(game).encode()).findings
    assert any(each.rule is rule and each.place.unit.startswith(unit) for each in found), found[:4]
    assert len(found) <= 5, found


def test_urls() -> None:
    """Each URL is a kyoku, and the findings of form name its line."""
    lines = converted(EAGER, "tenhou6-urls").split(b"\n")
    lines[1] = lines[1].replace(b"%22log%22", b"%22lgo%22%3A1%2C%22log%22")
    found = lint("urls", b"\n".join(lines)).findings
    assert [(each.rule, str(each.place)) for each in found] == [(Rule.UNKNOWN_FIELD, "line 2")]
