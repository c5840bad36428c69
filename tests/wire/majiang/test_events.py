"""The messages for each event, the order of indicators, and the record at the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from support.rows import each_row
from support.scenario import Scenario

from ump.model import events as ev
from ump.model.melds import Meld
from ump.model.notation import parse_majiang_face, parse_majiang_meld, parse_mpsz
from ump.model.seats import Seat
from ump.model.yaku import HandValue, Yaku
from ump.rules.presets import PRESETS
from ump.rules.ruleset import KanDoraTime, Rounding, Ruleset
from ump.table.view import view
from ump.wire.majiang.events import PINGJU, EventMessage, MajiangNarrator, rule_object

F = parse_majiang_face
M = parse_majiang_meld
RULES = Ruleset(name="test")
NAMES = ("a", "b\n2", "ち", "d")
ME: Seat = 2
DEALER: Seat = 1
START = ev.KyokuStarted(1, DEALER, 2, 1, (26_000, 24_000, 25_500, 23_500), (3, 4))
HAND = parse_mpsz("19m055p2346s1177z")


def narrator(ruleset: Ruleset = RULES, seat: Seat = ME, *, is_old: bool = False) -> MajiangNarrator:
    """Return a narrator after the start of a kyoku: south 2, with seat 1 as the dealer."""
    told = MajiangNarrator(seat, ruleset, "table", is_old=is_old)
    for event in (ev.GameStarted(NAMES), START, ev.HandDealt(seat, HAND), ev.DoraRevealed(F("s0"))):
        told.tell(event)
    return told


def last(*events: ev.Event, **how: Any) -> tuple[str, Any] | None:
    """Return the message for the last of these events."""
    teller = narrator(**how)
    told: EventMessage | None = None
    for event in events:
        told = teller.tell(event)
    return None if told is None else (told.type, told.content)


def test_kaiju_has_the_rules_and_the_seat() -> None:
    """The message has the whole rule object, and ids that are our seats."""
    assert MajiangNarrator(ME, RULES, "table").tell(ev.GameStarted(NAMES)) == EventMessage(
        "kaiju", {"id": ME, "rule": rule_object(RULES), "title": "table", "player": list(NAMES), "qijia": 0}
    )


@each_row("seat", range(4))
def test_kaiju_of_2015_counts_from_the_client(seat: Seat) -> None:
    """A client in the form of 2015 has id 0, and finds its wind from the first dealer's id."""
    told = MajiangNarrator(seat, PRESETS["wrc"], "table", is_old=True).tell(ev.GameStarted(NAMES))
    assert told is not None
    content: Any = told.content
    assert content["id"] == 0
    assert content["player"][0] == NAMES[seat]
    assert content["player"][content["qijia"]] == NAMES[0]
    assert content["hongpai"] == {"m": 0, "p": 0, "s": 0}


def test_qipai_shows_the_own_hand_only() -> None:
    """Scores and hands are in order of winds; only the own hand is there."""
    told = MajiangNarrator(ME, RULES, "table")
    events: list[ev.Event] = [ev.GameStarted(NAMES), START, *(ev.HandDealt(seat, HAND) for seat in (1, 2, 3, 0))]
    assert [told.tell(view(event, ME)) for event in events][1:] == [None] * 5
    assert told.tell(ev.DoraRevealed(F("s0"))) == EventMessage(
        "qipai",
        {
            "zhuangfeng": 1,
            "jushu": 1,
            "changbang": 2,
            "lizhibang": 1,
            "defen": [24_000, 25_500, 23_500, 26_000],
            "baopai": "s0",
            "shoupai": ["", "m19p055s2346z1177", "", ""],
        },
    )


TURNS: dict[str, tuple[list[ev.Event], tuple[str, Any] | None]] = {
    "own draw": ([ev.TileDrawn(ME, 50, F("m0"))], ("zimo", {"l": 1, "p": "m0"})),
    "another's draw": ([ev.TileDrawn(0, 50, None)], ("zimo", {"l": 3, "p": ""})),
    "own replacement": ([ev.TileDrawn(ME, 50, F("z7"), True)], ("gangzimo", {"l": 1, "p": "z7"})),
    "another's replacement": ([ev.TileDrawn(3, 50, None, True)], ("gangzimo", {"l": 2, "p": ""})),
    "from the hand": ([ev.TileDiscarded(1, F("p5"), False)], ("dapai", {"l": 0, "p": "p5"})),
    "the drawn one": ([ev.TileDiscarded(1, F("p0"), True)], ("dapai", {"l": 0, "p": "p0_"})),
    "riichi": ([ev.RiichiDeclared(1)], None),
    "riichi's tile": (
        [ev.RiichiDeclared(1), ev.TileDiscarded(1, F("s9"), False, True)],
        ("dapai", {"l": 0, "p": "s9*"}),
    ),
    "riichi's drawn tile": (
        [ev.RiichiDeclared(1), ev.TileDiscarded(1, F("s9"), True, True)],
        ("dapai", {"l": 0, "p": "s9_*"}),
    ),
    "riichi's stick": ([ev.RiichiPaid(1)], None),
    "chi": ([ev.TileCalled(2, M("m340-", 2))], ("fulou", {"l": 1, "m": "m340-"})),
    "chi in the middle": ([ev.TileCalled(2, M("m6-78", 2))], ("fulou", {"l": 1, "m": "m6-78"})),
    "pon of the right": ([ev.TileCalled(2, M("p505+", 2))], ("fulou", {"l": 1, "m": "p505+"})),
    "pon of a red": ([ev.TileCalled(2, M("p550=", 2))], ("fulou", {"l": 1, "m": "p550="})),
    "open kan": ([ev.TileCalled(0, M("s5505-", 0))], ("fulou", {"l": 3, "m": "s5505-"})),
    "closed kan": ([ev.KanDeclared(0, M("s5550", 0))], ("gang", {"l": 3, "m": "s5550"})),
    "added kan": ([ev.KanDeclared(0, M("s505-5", 0))], ("gang", {"l": 3, "m": "s505-5"})),
    "indicator": ([ev.DoraRevealed(F("z3"))], ("kaigang", {"baopai": "z3"})),
    "three rons": ([ev.RonDeclared(1)], None),
    "an opened hand": ([ev.HandOpened(1, HAND, ())], None),
    "tenpai": ([ev.TenpaiDeclared(1, True, HAND, ())], None),
    "the end of a kyoku": ([ev.KyokuEnded()], None),
}


@each_row("case", TURNS)
def test_each_event_of_a_turn_has_its_message(case: str) -> None:
    """Each event of a turn has its message."""
    events, told = TURNS[case]
    assert last(*events) == told


def value(base: int, han: int = 0, fu: int = 0, yakuman: int = 0, *yaku: tuple[Yaku, int]) -> HandValue:
    """Return the value of a hand."""
    return HandValue(yaku, han, fu, yakuman, base)


RIICHI = value(8_000, 13, 40, 0, (Yaku.RED_DORA, 3), (Yaku.DORA, 8), (Yaku.DOUBLE_RIICHI, 2), (Yaku.URA_DORA, 1))
WON = ev.HandWon(
    seat=0,
    loser=3,
    tile=F("m0"),
    faces=parse_mpsz("46m234p234s11z"),
    melds=(M("z777-", 0),),
    riichi=False,
    ura=(),
    value=value(480, 2, 30, 0, (Yaku.CHUN, 1), (Yaku.DORA, 1)),
    changes=(2_900, 0, 0, -2_900),
)

WINS: dict[str, tuple[ev.HandWon, dict[str, Any]]] = {
    "ron": (
        WON,
        {
            "l": 3,
            "shoupai": "m46p234s234z11m0,z777-",
            "baojia": 2,
            "fubaopai": None,
            "fu": 30,
            "fanshu": 2,
            "defen": 2_000,
            "hupai": [{"name": "翻牌 中", "fanshu": 1}, {"name": "ドラ", "fanshu": 1}],
            "fenpei": [0, 0, -2_900, 2_900],
        },
    ),
    "tsumo in riichi": (
        replace(
            WON,
            loser=None,
            faces=(*parse_mpsz("46m234p234s11z777z"), F("m0")),
            melds=(),
            riichi=True,
            ura=(F("s1"), F("p0")),
            value=RIICHI,
        ),
        {
            "l": 3,
            "shoupai": "m46p234s234z11777m0*",
            "baojia": None,
            "fubaopai": ["s1", "p0"],
            "fu": 40,
            "fanshu": 13,
            "defen": 32_000,
            "hupai": [
                {"name": "ダブル立直", "fanshu": 2},
                {"name": "ドラ", "fanshu": 8},
                {"name": "赤ドラ", "fanshu": 3},
                {"name": "裏ドラ", "fanshu": 1},
            ],
        },
    ),
    "the dealer's tsumo": (
        replace(WON, seat=DEALER, loser=None, melds=(), faces=(*parse_mpsz("46m234p234s11z777z"), F("m0"))),
        {"l": 0, "baojia": None, "defen": 3_000},
    ),
    "the dealer's ron": (replace(WON, seat=DEALER, melds=()), {"defen": 2_900, "baojia": 2}),
    "winds": (
        replace(WON, value=value(1_280, 3, 40, 0, (Yaku.SEAT_WIND, 1), (Yaku.ROUND_WIND, 1))),
        {"hupai": [{"name": "場風 南", "fanshu": 1}, {"name": "自風 北", "fanshu": 1}], "defen": 5_200},
    ),
    "yakuman": (
        replace(WON, value=value(16_000, 26, 0, 2, (Yaku.SUUANKOU, 13), (Yaku.TSUUIISOU, 13))),
        {
            "damanguan": 2,
            "defen": 64_000,
            "hupai": [{"name": "四暗刻", "fanshu": "*"}, {"name": "字一色", "fanshu": "*"}],
        },
    ),
    "double yakuman with pao": (
        replace(WON, value=value(16_000, 26, 0, 2, (Yaku.DAISUUSHII, 26)), liable=2),
        {"hupai": [{"name": "大四喜", "fanshu": "**", "baojia": "="}]},
    ),
    "one is liable for the second yakuman": (
        replace(WON, value=value(16_000, 26, 0, 2, (Yaku.TSUUIISOU, 13), (Yaku.DAISANGEN, 13)), liable=1),
        {"hupai": [{"name": "字一色", "fanshu": "*"}, {"name": "大三元", "fanshu": "*", "baojia": "+"}]},
    ),
}


@each_row("case", WINS)
def test_hule_has_the_winning_tile_last(case: str) -> None:
    """The winning tile stands last, after a ron too; fields that do not apply are left out."""
    event, expected = WINS[case]
    told = last(event)
    assert told is not None
    type_, content = told
    assert type_ == "hule"
    assert {name: content[name] for name in expected} == expected
    assert ("damanguan" in content) == bool(event.value.yakuman) == ("fu" not in content) == ("fanshu" not in content)
    assert None not in [content[name] for name in content if name not in ("baojia", "fubaopai")]


def opened(seat: Seat, hand: str, *melds: Meld) -> ev.HandOpened:
    """Return the event that shows a hand."""
    return ev.HandOpened(seat, parse_mpsz(hand), melds)


TENPAI: list[ev.Event] = [
    ev.TileDiscarded(1, F("s9"), False, True),
    ev.RiichiPaid(1),
    *(ev.TenpaiDeclared(seat, False, None, ()) for seat in (2, 3)),
    ev.TenpaiDeclared(1, True, HAND, ()),
    ev.TenpaiDeclared(0, True, parse_mpsz("19m055p2346s1z"), (M("z777-", 0),)),
]

DRAWS: dict[ev.DrawReason, tuple[list[ev.Event], list[str]]] = {
    ev.DrawReason.EXHAUSTED: (TENPAI, ["m19p055s2346z1177*", "", "", "m19p055s2346z1,z777-"]),
    ev.DrawReason.NAGASHI_MANGAN: (TENPAI, ["m19p055s2346z1177*", "", "", "m19p055s2346z1,z777-"]),
    ev.DrawReason.KYUSHU_KYUHAI: (
        [ev.TileDrawn(ME, 69, F("s1")), opened(ME, "19m19p119s1234567z")],
        ["", "m19p19s19z1234567s1", "", ""],
    ),
    ev.DrawReason.SUUFON_RENDA: ([ev.TileDiscarded(0, F("z1"), False)], [""] * 4),
    ev.DrawReason.SUUKAIKAN: ([ev.TileDiscarded(0, F("z1"), False)], [""] * 4),
    ev.DrawReason.SUUCHA_RIICHI: (
        [
            *(ev.TileDiscarded(seat, F("s9"), False, True) for seat in range(4)),
            *(ev.HandOpened(seat, HAND, ()) for seat in range(4)),
        ],
        ["m19p055s2346z1177*"] * 4,
    ),
    ev.DrawReason.SANCHAHO: (
        [*(ev.RonDeclared(seat) for seat in (1, 2, 3)), *(ev.HandOpened(seat, HAND, ()) for seat in (1, 2, 3))],
        [*["m19p055s2346z1177"] * 3, ""],
    ),
    ev.DrawReason.CHOMBO: ([], [""] * 4),
}


@each_row("reason", ev.DrawReason)
def test_pingju_shows_hands_in_order_of_winds(reason: ev.DrawReason) -> None:
    """The shown hands stand in order of winds, with the mark of riichi."""
    events, hands = DRAWS[reason]
    told = last(*events, ev.KyokuDrawn(reason, (1, 2, 3, -6)))
    assert told == ("pingju", {"name": PINGJU[reason], "shoupai": hands, "fenpei": [2, 3, -6, 1]})


def test_another_seats_nine_terminals_end_with_any_tile() -> None:
    """The drawn tile is unknown, so the last one stands apart, as in every full hand."""
    told = last(
        ev.TileDrawn(3, 69, None), opened(3, "19m19p119s1234567z"), ev.KyokuDrawn(ev.DrawReason.KYUSHU_KYUHAI, (0,) * 4)
    )
    assert told is not None
    assert told[1]["shoupai"] == ["", "", "m19p19s119z123456z7", ""]


def test_a_hand_opened_before_is_not_shown_at_an_aborted_draw() -> None:
    """The hand of an open riichi does not count as shown at a later abortive draw."""
    told = last(
        ev.TileDiscarded(1, F("s9"), False, True),
        ev.HandOpened(1, HAND, ()),
        ev.TileDrawn(ME, 50, F("z1")),
        ev.KyokuDrawn(ev.DrawReason.SUUFON_RENDA, (0,) * 4),
    )
    assert told is not None
    assert told[1]["shoupai"] == [""] * 4


@each_row(
    ("rounding", "points"),
    [(Rounding.TENTHS, ["45.3", "-0.3", "5.0", "-50.0"]), (Rounding.WHOLE, ["45", "0", "5", "-50"])],
)
def test_jieju_has_scores_places_and_results(rounding: Rounding, points: list[str]) -> None:
    """The record has scores and places by id, and results with decimals as in the rule object."""
    whole = rounding is Rounding.WHOLE
    ended = ev.GameEnded(
        (40_000, 30_000, 20_000, 10_000), (1, 2, 3, 4), (450, 0, 50, -500) if whole else (453, -3, 50, -500)
    )
    told = last(ev.TileDrawn(0, 69, None), ended, ruleset=replace(RULES, rounding=rounding))
    assert told is not None
    assert told[1] == {
        "title": "table",
        "player": list(NAMES),
        "qijia": 0,
        "log": [[_qipai(), {"zimo": {"l": 3, "p": ""}}]],
        "defen": [40_000, 30_000, 20_000, 10_000],
        "point": points,
        "rank": [1, 2, 3, 4],
    }


def _qipai() -> dict[str, Any]:
    return {
        "qipai": {
            "zhuangfeng": 1,
            "jushu": 1,
            "changbang": 2,
            "lizhibang": 1,
            "defen": [24_000, 25_500, 23_500, 26_000],
            "baopai": "s0",
            "shoupai": ["", "m19p055s2346z1177", "", ""],
        }
    }


def test_jieju_of_2015_counts_from_the_client() -> None:
    """Scores are counted from the client's own seat, as all lists by id are there."""
    told = last(ev.GameEnded((40, 30, 20, 10), (1, 2, 3, 4), (1, 2, 3, -6)), is_old=True)
    assert told is not None
    assert (told[1]["defen"], told[1]["rank"], told[1]["qijia"]) == ([20, 10, 40, 30], [3, 4, 1, 2], 2)


# Indicators

KANS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "closed": ({"hands": {"A": "1111z147m258p369s"}, "rinshan": "7z"}, ["A ankan 1z", "A sute 7z"]),
    "closed, closed": (
        {"hands": {"A": "1111z2222m258p36s"}, "rinshan": "7z6z"},
        ["A ankan 1z", "A ankan 2m", "A sute 6z"],
    ),
    "open": (
        {"hands": {"A": "1z147m258p369s235z", "B": "111z234m678m345s6p"}, "rinshan": "9p"},
        ["A sute 1z", "B kan", "B sute 9p"],
    ),
    "open, closed": (
        {"hands": {"A": "1z147m258p369s235z", "B": "111z2222m345s678p"}, "rinshan": "9p9s"},
        ["A sute 1z", "B kan", "B ankan 2m", "B sute 9s"],
    ),
    "open, added": (
        {
            "hands": {"A": "1z147m258p369s235z", "B": "11z333p345s67789m"},
            "draws": "7z3p",
            "rinshan": "1z9s",
        },
        ["A sute 1z", "B pon", "B sute 9m", "C sute 3p", "B kan", "B kakan 1z", "B sute 9s"],
    ),
    "added": (
        {"hands": {"A": "1z147m258p369s235z", "B": "11z234m678m345s69p"}, "draws": "7z9s9m9p1z", "rinshan": "8s"},
        ["A sute 1z", "B pon", "B sute 9p", *["turn"] * 3, "B kakan 1z", "B sute 8s"],
    ),
    "added, closed": (
        {"hands": {"A": "1z147m258p369s235z", "B": "11z2222m345s6789p"}, "draws": "7z9s9m9p1z", "rinshan": "8s7s"},
        ["A sute 1z", "B pon", "B sute 9p", *["turn"] * 3, "B kakan 1z", "B ankan 2m", "B sute 7s"],
    ),
    "added, added": (
        {
            "hands": {"A": "1z147m258p369s235z", "B": "11z33p345s67m579m9p"},
            "draws": "7z3p9s9m9p1z",
            "rinshan": "3p8s",
        },
        [
            *["A sute 1z", "B pon", "B sute 9m", "C sute 3p", "B pon", "B sute 9p"],
            *[*["turn"] * 3, "B kakan 1z", "B kakan 3p", "B sute 8s"],
        ],
    ),
    "open, won": (
        {"hands": {"A": "1z147m258p369s235z", "B": "111z234m678m345s7p"}, "rinshan": "7p"},
        ["A sute 1z", "B kan", "B tsumo"],
    ),
    "closed, robbed": (
        {"hands": {"A": "1111z147m258p369s", "D": "19m19p19s2345677z"}, "rinshan": "8m"},
        ["A ankan 1z", "D ron"],
    ),
    "added, robbed": (
        {
            "hands": {"A": "1z147m258p369s235z", "B": "11z234p678m345s67z", "D": "19m19p19s2345677z"},
            "draws": "7z9s9m9p1z",
        },
        ["A sute 1z", "D no", "B pon", "B sute 6z", *["turn"] * 3, "B kakan 1z", "D ron"],
    ),
}
"""Kans, and the events until their indicators come."""

BEFORE, ONCE, AFTER = KanDoraTime.BEFORE_DISCARD, KanDoraTime.AT_ONCE, KanDoraTime.AFTER_DISCARD

ORDERS: dict[tuple[str, KanDoraTime], str] = {
    ("closed", BEFORE): "gang kaigang gangzimo dapai",
    ("closed", ONCE): "gang kaigang gangzimo dapai",
    ("closed, closed", BEFORE): "gang kaigang gangzimo gang kaigang gangzimo dapai",
    ("open", BEFORE): "fulou gangzimo kaigang dapai",
    ("open", ONCE): "fulou kaigang gangzimo dapai",
    ("open", AFTER): "fulou gangzimo dapai kaigang",
    ("open, closed", BEFORE): "fulou gangzimo kaigang gang kaigang gangzimo dapai",
    ("open, closed", ONCE): "fulou kaigang gangzimo gang kaigang gangzimo dapai",
    ("open, closed", AFTER): "fulou gangzimo kaigang gang kaigang gangzimo dapai",
    ("open, added", BEFORE): "fulou gangzimo kaigang gang gangzimo kaigang dapai",
    ("open, added", ONCE): "fulou kaigang gangzimo gang kaigang gangzimo dapai",
    ("open, added", AFTER): "fulou gangzimo kaigang gang gangzimo dapai kaigang",
    ("added", BEFORE): "gang gangzimo kaigang dapai",
    ("added", ONCE): "gang kaigang gangzimo dapai",
    ("added", AFTER): "gang gangzimo dapai kaigang",
    ("added, closed", BEFORE): "gang gangzimo kaigang gang kaigang gangzimo dapai",
    ("added, closed", ONCE): "gang kaigang gangzimo gang kaigang gangzimo dapai",
    ("added, added", BEFORE): "gang gangzimo kaigang gang gangzimo kaigang dapai",
    ("added, added", ONCE): "gang kaigang gangzimo gang kaigang gangzimo dapai",
    ("open, won", BEFORE): "fulou gangzimo hule",
    ("open, won", ONCE): "fulou kaigang gangzimo hule",
    ("closed, robbed", BEFORE): "gang hule",
    ("closed, robbed", ONCE): "gang hule",
    ("added, robbed", BEFORE): "gang hule",
    ("added, robbed", ONCE): "gang hule",
}
"""The messages from the first kan on, in the order in which they are sent."""


def kan_events(case: str, when: KanDoraTime) -> tuple[Ruleset, list[list[ev.Event]]]:
    """Play a case; return its events step by step."""
    setting, orders = KANS[case]
    ruleset = replace(RULES, open_kan_dora=when, kokushi_ankan=True)
    game = Scenario(rules=ruleset, **setting)
    steps = [game.events[:]]
    for order in orders:
        before = len(game.events)
        if order == "turn":
            game.pass_all().turns(1)
        else:
            game(order)
        if order == orders[-1]:
            game.pass_all()
        steps.append(game.events[before:])
    return ruleset, steps


def on_the_wire(teller: MajiangNarrator, steps: Iterable[Sequence[ev.Event]], seat: Seat) -> list[str]:
    """Return the types of messages in their order; a message that is ahead overtakes within its step."""
    types: list[str] = []
    for step in steps:
        told = 0
        for event in step:
            message = teller.tell(view(event, seat))
            if message is None:
                continue
            assert not message.ahead or told, "only a message of the same step can be overtaken"
            types.insert(len(types) - message.ahead, message.type)
            told += 1
    return types


@each_row(("case", "when"), ORDERS)
def test_indicators_come_before_their_message(case: str, when: KanDoraTime) -> None:
    """An indicator comes before the message that it belongs to; an owed one comes before the next kan."""
    ruleset, steps = kan_events(case, when)
    for seat in range(4):
        teller = MajiangNarrator(seat, ruleset, "table")
        teller.tell(ev.GameStarted(NAMES))
        types = on_the_wire(teller, steps, seat)
        expected = ORDERS[case, when].split()
        pons = sum(isinstance(event, ev.TileCalled) and not event.meld.is_kan for step in steps for event in step)
        first = [place for place, type_ in enumerate(types) if type_ in ("gang", "fulou")][pons]
        assert types[first : first + len(expected)] == expected
        record: Any = teller.tell(ev.GameEnded((0,) * 4, (1, 2, 3, 4), (0,) * 4))
        assert_in_the_record(record.content["log"][0], types)


def assert_in_the_record(log: list[dict[str, Any]], wire: list[str]) -> None:
    """In the record an indicator stands after its message, and nothing else is moved."""
    types = [next(iter(entry)) for entry in log]
    assert [type_ for type_ in types if type_ != "kaigang"] == [type_ for type_ in wire if type_ != "kaigang"]
    assert types.count("kaigang") == wire.count("kaigang")
    for place, type_ in enumerate(types):
        if type_ == "kaigang":
            assert types[place - 1] in ("gangzimo", "dapai", "gang")
