"""The linter finds one planted fault of each kind in mjai logs that are otherwise right, each with its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from support.rows import each_row
from support.sample_games import EAGER, EFFICIENCY, MIXED, converted

from ump.record.findings import Finding, Rule
from ump.record.lint.lint import lint

Message = dict[str, Any]
Log = list[Message]
"""The messages of a log; the first one is on line 1."""

Plant = Callable[[Log], int]
"""Plants a fault in a right log, and returns the index of the message that has it."""


def found_in(log: Log) -> list[Finding]:
    """Return the findings in a log."""
    return list(lint("planted", "\n".join(map(json.dumps, log)).encode()).findings)


def mjai(name: str) -> Log:
    """Return the messages of a right log."""
    return [json.loads(line) for line in converted(name, "mjai").splitlines()]


def first(log: Log, fits: Callable[[int], bool]) -> int:
    """Return the first index that fits; raise StopIteration if there is none."""
    return next(index for index in range(1, len(log) - 2) if fits(index))


def of_type(log: Log, *types: str) -> int:
    """Return the index of the first messages of these types, one after the other."""
    return first(log, lambda index: all(log[index + step]["type"] == type_ for step, type_ in enumerate(types)))


def held_by(log: Log, seat: int, index: int) -> list[str]:
    """Return the concealed tiles of a seat before the message with this index."""
    start = max(at for at in range(index) if log[at]["type"] == "start_kyoku")
    held = list(log[start]["tehais"][seat])
    for message in log[start + 1 : index]:
        if message.get("actor") != seat:
            continue
        if message["type"] == "tsumo":
            held.append(message["pai"])
        elif message["type"] in ("dahai", "kakan"):
            held.remove(message["pai"])
        for tile in message.get("consumed", ()) if message["type"] != "kakan" else ():
            held.remove(tile)
    return held


def inserted(message: Message, *types: str, at: int) -> Plant:
    """Insert a message before the one at this place among the first ones of these types."""

    def plant(log: Log) -> int:
        index = of_type(log, *types) + at
        log.insert(index, message)
        return index

    return plant


def removed(*types: str, at: int) -> Plant:
    """Remove the message at this place among the first ones of these types."""

    def plant(log: Log) -> int:
        index = of_type(log, *types) + at
        del log[index]
        return index

    return plant


def changed(type_: str, **fields: Any) -> Plant:
    """Give the first message of a type these fields."""

    def plant(log: Log) -> int:
        index = of_type(log, type_)
        log[index] |= fields
        return index

    return plant


def drawn(reason: str, *deltas: int) -> Message:
    """Return the message of a draw, by default without payments."""
    return {"type": "ryukyoku", "reason": reason, "deltas": deltas or [0] * 4}


def _missing_draw(log: Log) -> int:
    index = first(log, lambda at: log[at]["type"] == "tsumo" and log[at + 1].get("tsumogiri") is True)
    del log[index]
    return index


def _wrong_tsumogiri(log: Log) -> int:
    index = first(log, lambda at: log[at]["type"] == "tsumo" and log[at + 1].get("pai") not in (None, log[at]["pai"]))
    log[index + 1]["tsumogiri"] = True
    return index + 1


def _not_tsumogiri(log: Log) -> int:
    start = of_type(log, "start_kyoku")
    hands = [list(hand) for hand in log[start]["tehais"]]
    index = first(
        log,
        lambda at: (
            at > start
            and log[at]["type"] == "tsumo"
            and log[at]["pai"] not in hands[log[at]["actor"]]
            and log[at + 1].get("tsumogiri") is True
        ),
    )
    log[index + 1]["tsumogiri"] = False
    return index + 1


def _not_held(log: Log) -> int:
    start = of_type(log, "start_kyoku")
    index = first(log, lambda at: log[at].get("tsumogiri") is False)
    held = log[start]["tehais"][log[index]["actor"]]
    drawn = {message["pai"] for message in log[:index] if message["type"] == "tsumo"}
    log[index]["pai"] = next(tile for tile in ("1m", "2m", "9p", "E", "S") if tile not in held and tile not in drawn)
    return index


def _missing_riichi(log: Log) -> int:
    index = of_type(log, "reach", "dahai", "reach_accepted")
    del log[index]
    return index + 1


def _second_stick(log: Log) -> int:
    index = of_type(log, "reach_accepted")
    log.insert(index + 1, dict(log[index]))
    return index + 1


def _not_tenpai(log: Log) -> int:
    index = of_type(log, "dahai")
    log.insert(index, {"type": "reach", "actor": log[index]["actor"]})
    return index + 1


def _other_tile_in_riichi(log: Log) -> int:
    at = of_type(log, "reach_accepted")
    actor = log[at]["actor"]
    index = first(log, lambda i: i > at and log[i]["type"] == "dahai" and log[i]["actor"] == actor)
    start = max(i for i in range(at) if log[i]["type"] == "start_kyoku")
    given = [
        message["pai"] for message in log[start:at] if message.get("actor") == actor and message["type"] == "dahai"
    ]
    held = [tile for tile in log[start]["tehais"][actor] if tile not in given and tile != log[index]["pai"]]
    log[index] |= {"pai": held[0], "tsumogiri": False}
    return index


def _fifth_tile(log: Log) -> int:
    start = of_type(log, "start_kyoku")
    log[start]["tehais"][0][:4] = log[start]["tehais"][1][:4] = ["P"] * 4
    return start


def _second_red_five(log: Log) -> int:
    start = of_type(log, "start_kyoku")
    hands = log[start]["tehais"]
    hands[0][0] = hands[1][0] = "5mr"
    return start


def _short_hand(log: Log) -> int:
    start = of_type(log, "start_kyoku")
    log[start]["tehais"][2].pop()
    return start


def _call_of_another_tile(log: Log) -> int:
    index = of_type(log, "dahai", "pon") + 1
    log[index]["target"] = next(seat for seat in range(4) if seat not in (log[index]["actor"], log[index]["target"]))
    return index


def _chi_from_the_right(log: Log) -> int:
    index = of_type(log, "dahai", "chi") + 1
    shift = (log[index]["actor"] + 1) % 4
    log[index]["actor"] = next(
        seat for seat in range(4) if seat not in (log[index]["target"], log[index]["actor"], shift)
    )
    return index


def _late_dora(log: Log) -> int:
    index = of_type(log, "dora")
    log[index], log[index + 1] = log[index + 1], log[index]
    return index


def _wrong_payment(log: Log) -> int:
    index = of_type(log, "hora")
    deltas = log[index]["deltas"]
    log[index]["deltas"] = [delta + (100 if delta > 0 else 0) for delta in deltas]
    del log[index]["scores"]
    return index


def _wrong_fu(log: Log) -> int:
    index = of_type(log, "hora")
    log[index]["fu"] += 10
    return index


def _wrong_yaku(log: Log) -> int:
    index = of_type(log, "hora")
    log[index]["yakus"][0] = ["ryanpeko", 3]
    return index


def _wrong_hand(log: Log) -> int:
    index = of_type(log, "hora")
    log[index]["hora_tehais"][0] = "W"
    return index


def _ura_without_riichi(log: Log) -> int:
    index = first(log, lambda at: log[at]["type"] == "hora" and not log[at]["uradora_markers"])
    log[index]["uradora_markers"] = ["1m"]
    return index


def _win_on_nothing(log: Log) -> int:
    index = of_type(log, "tsumo", "dahai")
    loser, tile = log[index + 1]["actor"], log[index + 1]["pai"]
    log.insert(index + 2, {"type": "hora", "actor": (loser + 1) % 4, "target": loser, "pai": tile, "deltas": [0] * 4})
    return index + 2


def _carried_score(log: Log) -> int:
    index = first(log, lambda at: log[at]["type"] == "start_kyoku" and at > 10)
    log[index]["scores"][0] += 1_000
    return index


def _carried_honba(log: Log) -> int:
    index = first(log, lambda at: log[at]["type"] == "start_kyoku" and at > 10)
    log[index]["honba"] += 1
    return index


def _final_score(log: Log) -> int:
    log[-1]["scores"][0] += 100
    return len(log) - 1


def _missing_field(log: Log) -> int:
    index = of_type(log, "dahai")
    del log[index]["tsumogiri"]
    return index


def _no_result(log: Log) -> int:
    index = of_type(log, "hora")
    while log[index]["type"] == "hora":
        del log[index]
    return index - 1


def _kan_without_pon(log: Log) -> int:
    index = of_type(log, "tsumo", "dahai")
    tile = log[index]["pai"]
    log[index + 1] = {"type": "kakan", "actor": log[index]["actor"], "pai": tile, "consumed": [tile] * 3}
    return index + 1


def _swap_call(log: Log) -> int:
    index = first(
        log,
        lambda at: log[at]["type"] in ("chi", "pon") and log[at]["pai"] in held_by(log, log[at]["actor"], at + 1),
    )
    log[index + 1] |= {"pai": log[index]["pai"], "tsumogiri": False}
    return index + 1


def _draw_from_an_empty_wall(log: Log) -> int:
    index = first(log, lambda at: log[at].get("reason") == "fanpai")
    actor = max(message.get("actor", 0) for message in log[index - 1 : index])
    log.insert(index, {"type": "tsumo", "actor": (actor + 1) % 4, "pai": "?"})
    return index


def _false_tenpai(log: Log) -> int:
    index = first(log, lambda at: log[at].get("reason") == "fanpai" and False in log[at]["tenpais"])
    seat = log[index]["tenpais"].index(False)
    log[index]["tenpais"][seat] = True
    log[index]["tehais"][seat] = sorted(held_by(log, seat, index))
    return index


MJAI: dict[str, tuple[Plant, Rule]] = {
    "missing draw": (_missing_draw, Rule.MISSING_DRAW),
    "two draws": (removed("tsumo", "dahai", "tsumo", at=1), Rule.TURN_ORDER),
    "wrong tsumogiri": (_wrong_tsumogiri, Rule.TSUMOGIRI),
    "not marked as tsumogiri": (_not_tsumogiri, Rule.TSUMOGIRI),
    "not held": (_not_held, Rule.NOT_HELD),
    "stick without riichi": (_missing_riichi, Rule.MISSING_RIICHI),
    "riichi without stick": (removed("reach", "dahai", "reach_accepted", at=2), Rule.STICK),
    "second stick": (_second_stick, Rule.STICK),
    "riichi without tenpai": (_not_tenpai, Rule.RIICHI),
    "other tile in riichi": (_other_tile_in_riichi, Rule.IN_RIICHI),
    "fifth tile": (_fifth_tile, Rule.FIFTH_TILE),
    "second red five": (_second_red_five, Rule.FIFTH_TILE),
    "short hand": (_short_hand, Rule.DEAL),
    "call of another tile": (_call_of_another_tile, Rule.CALL_SOURCE),
    "chi from the right": (_chi_from_the_right, Rule.CALL),
    "no meld": (changed("pon", consumed=["1m", "9p"]), Rule.MELD),
    "late dora": (_late_dora, Rule.DORA),
    "dora without a kan": (inserted({"type": "dora", "dora_marker": "1m"}, "tsumo", "dahai", at=0), Rule.DORA),
    "wrong payment": (_wrong_payment, Rule.PAYMENT),
    "wrong fu": (_wrong_fu, Rule.WIN_VALUE),
    "wrong yaku": (_wrong_yaku, Rule.WIN_VALUE),
    "wrong hand": (_wrong_hand, Rule.SHOWN_HAND),
    "ura without riichi": (_ura_without_riichi, Rule.URA),
    "win on nothing": (_win_on_nothing, Rule.WIN),
    "early draw": (inserted(drawn("fanpai"), "dahai", "tsumo", at=1), Rule.DRAW),
    "second result": (inserted({"type": "tsumo", "actor": 0, "pai": "1m"}, "hora", at=1), Rule.AFTER_END),
    "carried score": (_carried_score, Rule.CARRIED_SCORE),
    "carried honba": (_carried_honba, Rule.CARRIED_ROUND),
    "final score": (_final_score, Rule.FINAL_SCORE),
    "unknown field": (changed("dahai", **{"tsumogiri?": True}), Rule.UNKNOWN_FIELD),
    "unknown event": (inserted({"type": "discard", "actor": 0}, "dahai", at=0), Rule.UNKNOWN_EVENT),
    "missing field": (_missing_field, Rule.WRONG_VALUE),
    "no seat": (changed("tsumo", actor=7), Rule.WRONG_VALUE),
    "no result": (_no_result, Rule.RESULT),
    "kan without a pon": (_kan_without_pon, Rule.KAN),
    "swap call": (_swap_call, Rule.KUIKAE),
    "empty wall": (_draw_from_an_empty_wall, Rule.WALL),
    "false tenpai": (_false_tenpai, Rule.TENPAI),
}
"""Each fault: how it is planted in a right log, and the rule that it breaks."""

ALONE = frozenset(
    (
        *(
            "missing draw",
            "two draws",
            "wrong tsumogiri",
            "not marked as tsumogiri",
            "not held",
            "stick without riichi",
        ),
        *("riichi without stick", "second stick", "short hand", "call of another tile", "no meld", "late dora"),
        *("wrong payment", "wrong fu", "wrong yaku", "wrong hand", "ura without riichi", "second result"),
        *("carried score", "carried honba", "final score", "unknown field", "unknown event", "missing field"),
        *("no seat", "no result"),
    )
)
"""The faults after which the rest of the record makes sense, so that nothing else is found."""


@each_row("what", MJAI)
def test_mjai(what: str) -> None:
    """The first finding is the planted fault, with its line."""
    plant, rule = MJAI[what]
    log, index = planted(plant)
    found = found_in(shortened(log, index))
    assert (found[0].rule, found[0].place.number) == (rule, index + 1), found[:3]
    assert len(found) == 1 or what not in ALONE, found


def shortened(log: Log, index: int) -> Log:
    """Return a log that stops one kyoku after the one with a fault: most of a game would only repeat itself."""
    starts = [at for at in range(index, len(log)) if log[at]["type"] == "start_kyoku"]
    return log[: starts[1]] if len(starts) > 1 else log


def planted(plant: Plant) -> tuple[Log, int]:
    """Plant a fault in the first game that has a place for it; return its log and the index of the fault."""
    for name in (EAGER, EFFICIENCY, MIXED):
        log = mjai(name)
        try:
            return log, plant(log)
        except StopIteration:
            continue
    raise AssertionError("no game has a place for this fault")


def _first_of(name: str, plant: Plant) -> Finding:
    """Plant a fault in a certain game, and return the first finding."""
    log = mjai(name)
    index = plant(log)
    found = found_in(shortened(log, index))
    assert found[0].place.number == index + 1, found[:3]
    return found[0]


def _declared_twice(log: Log) -> int:
    index = of_type(log, "reach")
    log.insert(index + 1, dict(log[index]))
    return index + 1


def _declared_without_a_draw(log: Log) -> int:
    index = of_type(log, "dahai", "tsumo") + 1
    log.insert(index, {"type": "reach", "actor": log[index]["actor"]})
    return index


def _discard_out_of_turn(log: Log) -> int:
    index = of_type(log, "tsumo", "dahai") + 1
    log[index]["actor"] = (log[index]["actor"] + 2) % 4
    return index


def _kan_before_a_draw(log: Log) -> int:
    index = of_type(log, "dahai", "tsumo") + 1
    tile = "9p"
    log.insert(index, {"type": "ankan", "actor": log[index]["actor"], "consumed": [tile] * 4})
    return index


def _win_out_of_turn(log: Log) -> int:
    index = of_type(log, "hora")
    actor = log[index]["actor"]
    other = next(seat for seat in range(4) if seat not in (actor, log[index]["target"]))
    log[index]["target"] = other
    return index


def _wrong_pao(log: Log) -> int:
    index = of_type(log, "hora")
    log[index]["pao"] = (log[index]["actor"] + 1) % 4
    return index


def _unpaid_win(log: Log) -> int:
    """A win without payments and scores is right; the next kyoku then begins with any scores."""
    index = of_type(log, "hora")
    del log[index]["deltas"], log[index]["scores"]
    log[index]["yakus"].append(["no such yaku", 1])
    return index


SINGLE: dict[str, tuple[Plant, Rule]] = {
    "nine terminals of a few": (inserted(drawn("kyushukyuhai"), "tsumo", "dahai", at=1), Rule.DRAW),
    "four winds of one": (inserted(drawn("sufonrenta", 100, -100, 0, 0), "dahai", "tsumo", at=1), Rule.DRAW),
    "nine terminals too late": (inserted(drawn("kyushukyuhai"), "dahai", "tsumo", at=1), Rule.DRAW),
    "riichi declared twice": (_declared_twice, Rule.RIICHI),
    "riichi without a draw": (_declared_without_a_draw, Rule.MISSING_DRAW),
    "discard out of turn": (_discard_out_of_turn, Rule.TURN_ORDER),
    "pon without its discard": (removed("dahai", "pon", at=0), Rule.TURN_ORDER),
    "kan before a draw": (_kan_before_a_draw, Rule.MISSING_DRAW),
    "ron on another seat": (_win_out_of_turn, Rule.CALL_SOURCE),
    "liable without a reason": (_wrong_pao, Rule.WIN_VALUE),
    "unknown yaku of an unpaid win": (_unpaid_win, Rule.WRONG_VALUE),
}
"""Further faults, which end or confuse a kyoku."""


@each_row("what", SINGLE)
def test_first_finding(what: str) -> None:
    """The first finding is the planted fault."""
    plant, rule = SINGLE[what]
    assert _first_of(EAGER, plant).rule is rule


def test_kita_without_a_draw() -> None:
    """A north that is set aside before a draw, and twice, in a game of three."""
    log = mjai("majsoul3-eager-1")
    index = of_type(log, "kita")
    log.insert(index, dict(log[index]))
    assert found_in(log)[0].rule in (Rule.MISSING_DRAW, Rule.KAN)


def test_one_winner_by_the_rules() -> None:
    """With head bump the second ron is a fault."""
    name = "majsoul-eager-tenhou1702"
    text = converted(name, "mjai").replace(b'"multiple_ron":"all"', b'"multiple_ron":"head-bump"')
    assert b"head-bump" in text
    assert [each.rule for each in lint(name, text).findings][:2] == [Rule.WIN, Rule.WIN]


def test_several_faults_of_a_file() -> None:
    """The linter goes on after a fault: each of three has its own line."""
    log = mjai(EAGER)
    lines = [plant(log) + 1 for plant in (_final_score, _wrong_fu, _wrong_tsumogiri)]
    found = found_in(log)
    assert [each.rule for each in found] == [Rule.TSUMOGIRI, Rule.WIN_VALUE, Rule.FINAL_SCORE]
    assert [each.place.number for each in found] == lines[::-1]


def test_doubled_field() -> None:
    """A field that stands twice is found, though JSON keeps only the last one."""
    text = converted(EAGER, "mjai").replace(b'"type":"dahai"', b'"type":"dahai","type":"dahai"', 1)
    assert [each.rule for each in lint("doubled", text).findings] == [Rule.DOUBLED_FIELD]


def test_a_line_that_is_not_json() -> None:
    """The line is named; hands are unknown from there to the end of the kyoku, and the next one is judged again."""
    lines = converted(EAGER, "mjai").split(b"\n")
    lines[9] = lines[9][:-4]
    found = lint("cut", b"\n".join(lines)).findings
    assert [(each.rule, each.place.number) for each in found] == [(Rule.UNREADABLE, 10)]


def test_moves_before_a_kyoku() -> None:
    """They are reported once."""
    lines = converted(EAGER, "mjai").split(b"\n")
    found = lint("headless", b"\n".join(lines[2:30])).findings
    assert [(each.rule, each.place.number) for each in found] == [(Rule.UNREADABLE, 1)]
