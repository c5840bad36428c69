"""The messages for each situation, their order and their fields."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from support.rows import each_row
from support.scenario import Scenario

from ump.model import events as ev
from ump.model.notation import parse_mpsz, parse_ump_face
from ump.model.yaku import HandValue, Yaku
from ump.rules.presets import PRESETS
from ump.rules.ruleset import KanDoraTime
from ump.table.view import view
from ump.wire.mjai.events import (
    DRAW_REASONS,
    GIMITE,
    MORTAL,
    RIICHILAB,
    RIICHILAB_DRAW_REASONS,
    YAKU_NAMES,
    Message,
    MjaiNarrator,
    Wording,
)

A, B, C, D = range(4)
TENHOU = PRESETS["tenhou"]
ONE_OFF = "234m678m345s68p8p1z"
TENPAI = "234m678m345s46p88p"
PON_1Z = {"A": "1z147m258p369s235z", "B": "11z234m678m345s6p8p"}
ORPHANS = "19m19p19s2345677z"

Play = Callable[[], Scenario]


def content(narrator: MjaiNarrator, event: ev.Event) -> Message:
    """Return the message for an event that has one."""
    message = narrator.tell(event)
    assert message is not None
    assert json.loads(message.text) == message.content
    return message.content


def told(scenario: Scenario, seat: int | None = A) -> list[Message]:
    """Return the messages that a seat receives in a kyoku."""
    narrator = MjaiNarrator(seat)
    messages = [narrator.tell(view(event, seat)) for event in scenario.events]
    return [message.content for message in messages if message is not None]


def robbed() -> Scenario:
    """B may add to its pon, and D waits for that tile."""
    game = Scenario({**PON_1Z, "D": ORPHANS}, "7z9s9m9p1z", rinshan="9p")
    return game("A sute 1z", "D no", "B pon", "B sute 6p").pass_all().turns(3)("B kakan 1z")


def open_kan(**changes: Any) -> Scenario:
    """B calls A's east for an open kan."""
    return Scenario({"A": "1z147m258p369s235z", "B": "111z2222m345s678p"}, rinshan="9p9s", **changes)(
        "A sute 1z", "B kan"
    )


RONNED = {"A": "5p147m28s1357z19s2p", "B": TENPAI, "C": "234m678m345s46p22p", "D": "456s789s46p555z99s"}

FOUR_RIICHI = {
    "A": "123m456p789s99m1p1z",
    "B": "123p789p456s99p1s1z",
    "C": "789m456m123s99s1m1z",
    "D": "345m678p678s55z1s2z",
}


def four_riichi() -> Scenario:
    """All four declare riichi."""
    game = Scenario(FOUR_RIICHI, "2p2s2m3s")
    for order in ("A richi 1z", "B richi 1z", "C richi 1z", "D richi 2z"):
        game(order).pass_all()
    return game


SITUATIONS: Mapping[str, tuple[Play, str]] = {
    "start": (lambda: Scenario({}), "start_kyoku tsumo"),
    "a turn": (lambda: Scenario({}).turns(1), "dahai tsumo"),
    "riichi": (lambda: Scenario({"A": ONE_OFF}, "4p")("A richi 1z"), "reach dahai reach_accepted tsumo"),
    "riichi that is called": (
        lambda: Scenario({"A": ONE_OFF, "C": "11z147m258p369s57z"}, "4p")("A richi 1z", "C pon"),
        "reach dahai reach_accepted pon",
    ),
    "riichi that is ronned": (
        lambda: Scenario({"A": "234m678m345s6p88p5p", "C": TENPAI}, "4p")("A richi 5p", "C ron"),
        "reach dahai hora",
    ),
    "chi": (
        lambda: Scenario({"A": "5p147m258s1357z19s", "B": "46p19m19s1234567z"})(
            "A sute 5p", "B chi 4p 6p", "B sute 1z"
        ),
        "dahai chi dahai tsumo",
    ),
    "closed kan": (lambda: Scenario({"A": "1111z147m258p369s"})("A ankan 1z"), "ankan dora tsumo"),
    "closed kan without kan dora": (
        lambda: Scenario({"A": "1111z147m258p369s"}, kan_dora=False)("A ankan 1z"),
        "ankan tsumo",
    ),
    "closed kan that is robbed": (
        lambda: Scenario({"A": "1111z147m258p369s", "D": ORPHANS}, kokushi_ankan=True)("A ankan 1z", "D ron"),
        "ankan hora",
    ),
    "open kan": (lambda: open_kan()("B sute 9p"), "daiminkan tsumo dora dahai tsumo"),
    "open kan, dora at once": (
        lambda: open_kan(open_kan_dora=KanDoraTime.AT_ONCE)("B sute 9p"),
        "daiminkan dora tsumo dahai tsumo",
    ),
    "open kan, dora after the discard": (
        lambda: open_kan(open_kan_dora=KanDoraTime.AFTER_DISCARD)("B sute 9p"),
        "daiminkan tsumo dahai dora tsumo",
    ),
    "open kan, then a closed one": (lambda: open_kan()("B ankan 2m"), "daiminkan tsumo ankan dora dora tsumo"),
    "added kan": (lambda: robbed()("D no", "B sute 9p"), "kakan tsumo dora dahai tsumo"),
    "added kan that is robbed": (lambda: robbed()("D ron"), "kakan hora"),
    "tsumo": (lambda: Scenario({"B": TENPAI}, "9s5p").turns(1)("B tsumo"), "dahai tsumo hora"),
    "ron": (
        lambda: Scenario({"A": RONNED["A"], "B": TENPAI})("A sute 5p", "B ron"),
        "dahai hora",
    ),
    "three rons": (
        lambda: Scenario(RONNED, rules=PRESETS["majsoul"])("A sute 5p", "B ron", "C ron", "D ron"),
        "dahai hora hora hora",
    ),
    "three rons that are none": (lambda: Scenario(RONNED)("A sute 5p", "B ron", "C ron", "D ron"), "dahai ryukyoku"),
    "the fourth riichi": (four_riichi, "reach dahai reach_accepted ryukyoku"),
    "nine terminals": (lambda: Scenario({"A": "19m19p19s123z258m4p"}, "5s")("A ryukyoku"), "tsumo ryukyoku"),
}


@each_row("situation", SITUATIONS)
def test_messages_come_in_gimites_order(situation: str) -> None:
    """Messages come in gimite's order, the same for all seats and for watchers."""
    play, expected = SITUATIONS[situation]
    scenario = play()
    for seat in (A, B, C, D, None):
        types = [str(message["type"]) for message in told(scenario, seat)]
        count = len(expected.split())
        assert types[-count:] == expected.split()


def test_start_kyoku_is_complete() -> None:
    """Start, hands and first indicator are one message, with scores, which gimite's server leaves out."""
    game = Scenario(
        {"B": "05m123p789s1234z7z"},
        "9s",
        dora="6z",
        dealer="B",
        bakaze=1,
        honba=2,
        kyotaku=3,
        points=(26_000, 24_000, 25_000, 22_000),
    )
    start, draw = told(game, B)
    assert start == {
        "type": "start_kyoku",
        "bakaze": "S",
        "kyoku": 2,
        "honba": 2,
        "kyotaku": 3,
        "oya": 1,
        "dora_marker": "F",
        "scores": [26_000, 24_000, 25_000, 22_000],
        "tehais": [
            ["?"] * 13,
            ["5m", "5mr", "1p", "2p", "3p", "7s", "8s", "9s", "E", "S", "W", "N", "C"],
            ["?"] * 13,
            ["?"] * 13,
        ],
    }
    assert draw == {"type": "tsumo", "actor": 1, "pai": "9s"}
    assert told(game, A)[1] == {"type": "tsumo", "actor": 1, "pai": "?"}


@each_row(("bakaze", "dealer", "written"), [(0, "A", "E1"), (0, "D", "E4"), (1, "A", "S1"), (2, "C", "W3")])
def test_kyoku_numbers_begin_anew_with_each_wind(bakaze: int, dealer: str, written: str) -> None:
    """South 1 is S1, not E5 as in an old document."""
    start = told(Scenario({}, bakaze=bakaze, dealer=dealer))[0]
    assert f"{start['bakaze']}{start['kyoku']}" == written


def test_only_the_own_start_game_has_the_seat() -> None:
    """A client learns its seat from the id; watchers receive none."""
    event = ev.GameStarted(("a", "b", "c", "d"))
    assert content(MjaiNarrator(2), event) == {"type": "start_game", "id": 2, "names": ["a", "b", "c", "d"]}
    assert content(MjaiNarrator(None), event) == {"type": "start_game", "names": ["a", "b", "c", "d"]}


def last(scenario: Scenario, kind: str, seat: int | None = A) -> Message:
    """Return the last message of a type."""
    return [message for message in told(scenario, seat) if message["type"] == kind][-1]


MESSAGES: Mapping[str, tuple[Play, Message]] = {
    "a discard": (lambda: Scenario({}, "0s").turns(1), {"type": "dahai", "actor": 0, "pai": "5sr", "tsumogiri": True}),
    "chi": (
        SITUATIONS["chi"][0],
        {"type": "chi", "actor": 1, "target": 0, "pai": "5p", "consumed": ["4p", "6p"]},
    ),
    "pon": (
        lambda: Scenario({"A": "5p147m258s1357z19s", "C": "50p19m19s1234567z"})("A sute 5p", "C pon"),
        {"type": "pon", "actor": 2, "target": 0, "pai": "5p", "consumed": ["5p", "5pr"]},
    ),
    "open kan": (
        open_kan,
        {"type": "daiminkan", "actor": 1, "target": 0, "pai": "E", "consumed": ["E", "E", "E"]},
    ),
    "closed kan": (
        lambda: Scenario({"A": "0555m147p258s135z"})("A ankan 5m"),
        {"type": "ankan", "actor": 0, "consumed": ["5m", "5m", "5m", "5mr"]},
    ),
    "added kan": (robbed, {"type": "kakan", "actor": 1, "pai": "E", "consumed": ["E", "E", "E"]}),
    "riichi": (SITUATIONS["riichi"][0], {"type": "reach", "actor": 0}),
    "riichi accepted": (
        SITUATIONS["riichi"][0],
        {
            "type": "reach_accepted",
            "actor": 0,
            "deltas": [-1_000, 0, 0, 0],
            "scores": [24_000, 25_000, 25_000, 25_000],
        },
    ),
    "kan dora": (
        lambda: Scenario({"A": "1111z147m258p369s"}, dora="1m7z")("A ankan 1z"),
        {"type": "dora", "dora_marker": "C"},
    ),
    "nine terminals": (
        SITUATIONS["nine terminals"][0],
        {
            "type": "ryukyoku",
            "actor": 0,
            "reason": "kyushukyuhai",
            "tehais": [
                ["1m", "2m", "5m", "8m", "9m", "1p", "4p", "9p", "1s", "5s", "9s", "E", "S", "W"],
                *([["?"] * 13] * 3),
            ],
            "tenpais": [False] * 4,
            "deltas": [0] * 4,
            "scores": [25_000] * 4,
        },
    ),
    "a win": (
        lambda: Scenario(
            {"A": "123m456m789m12p99p", "B": "3p258m369p147s246z"}, "9s", dora="1z", ura="8p", honba=1, kyotaku=1
        )("A richi 9s")("B sute 3p", "A ron"),
        {
            "type": "hora",
            "actor": 0,
            "target": 1,
            "pai": "3p",
            "uradora_markers": ["8p"],
            "hora_tehais": ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "1p", "2p", "9p", "9p"],
            "yakus": [["double_reach", 2], ["ippatsu", 1], ["ikkitsukan", 2], ["uradora", 2]],
            "fu": 40,
            "fan": 7,
            "hora_points": 18_000,
            "deltas": [20_300, -18_300, 0, 0],
            "scores": [44_300, 6_700, 25_000, 25_000],
        },
    ),
}


@each_row("name", MESSAGES)
def test_each_message_has_all_fields(name: str) -> None:
    """Each message has all of its fields, with the right values."""
    play, expected = MESSAGES[name]
    message = last(play(), str(expected["type"]))
    if "yakus" in expected:
        assert sorted(map(str, message.pop("yakus"))) == sorted(map(str, expected["yakus"]))  # type: ignore[call-overload]
        expected = {key: value for key, value in expected.items() if key != "yakus"}
    assert message == expected
    assert json.loads(json.dumps(message)) == message


def test_exhausted_wall_shows_tenpai_hands_alone() -> None:
    """A hand that is not shown has as many hidden tiles as it has concealed ones."""
    game = Scenario({"A": "5p147m258s1357z19s", "B": TENPAI, "C": "55p19m19s1234567z"}, rules=TENHOU)(
        "A sute 5p", "B no", "C pon", "C sute 1z"
    )
    draw = last(game.to_the_end(), "ryukyoku")
    assert draw["reason"] == "fanpai"
    assert draw["tenpais"] == [False, True, False, False]
    hands = draw["tehais"]
    assert isinstance(hands, list)
    assert [len(hand) for hand in hands] == [13, 13, 10, 13]
    assert ["?" in hand for hand in hands] == [True, False, True, True]
    assert draw["deltas"] == [-1_000, 3_000, -1_000, -1_000]
    assert draw["scores"] == [24_000, 28_000, 24_000, 24_000]


def test_three_rons_show_their_hands() -> None:
    """The three hands count as tenpai, and no player is paid."""
    draw = last(SITUATIONS["three rons that are none"][0](), "ryukyoku")
    assert (draw["reason"], draw["tenpais"]) == ("sanchaho", [False, True, True, True])


def test_scores_run_over_several_wins() -> None:
    """Each of three wins has the scores after it; the first one takes honba and sticks."""
    game = Scenario(RONNED, rules=PRESETS["majsoul"], honba=1, kyotaku=1)("A sute 5p", "B ron", "C ron", "D ron")
    wins = [message for message in told(game) if message["type"] == "hora"]
    assert [win["actor"] for win in wins] == [B, C, D]
    scores = [25_000] * 4
    for win in wins:
        assert isinstance(win["deltas"], list)
        scores = [score + change for score, change in zip(scores, win["deltas"], strict=True)]
        assert win["scores"] == scores
    assert sum(scores) == 101_000


def test_open_riichi_looks_like_riichi() -> None:
    """There is no open riichi in mjai: nobody receives the open hand, and it does not count as shown at a draw."""
    narrator = MjaiNarrator(B)
    narrator.tell(ev.KyokuStarted(0, A, 0, 0, (25_000,) * 4, (1, 1)))
    assert content(narrator, ev.RiichiDeclared(A, opened=True)) == {"type": "reach", "actor": A}
    assert narrator.tell(ev.TileDiscarded(A, 0, tsumogiri=False, riichi=True)) is not None
    assert narrator.tell(ev.HandOpened(A, parse_mpsz(TENPAI), ())) is None
    draw = content(narrator, ev.KyokuDrawn(ev.DrawReason.SUUFON_RENDA, (0,) * 4))
    assert draw is not None
    hands = draw["tehais"]
    assert isinstance(hands, list)
    assert hands[A] == ["?"] * 12


@each_row(
    ("worth", "yakus", "fan"),
    [
        (HandValue(((Yaku.KOKUSHI, 13),), 13, 0, 1, 8_000), [["kokushimuso", 100]], 100),
        (
            HandValue(((Yaku.SUUANKOU_TANKI, 26), (Yaku.TSUUIISOU, 13)), 39, 0, 3, 24_000),
            [["suanko", 200], ["tsuiso", 100]],
            300,
        ),
        (HandValue(((Yaku.CHINITSU, 6), (Yaku.DORA, 7)), 13, 30, 0, 8_000), [["chiniso", 6], ["dora", 7]], 13),
    ],
)
def test_yakuman_count_a_hundred_each(worth: HandValue, yakus: list[object], fan: int) -> None:
    """Yakuman are written as by gimite's server; a kazoe yakuman keeps its han."""
    narrator = MjaiNarrator(None)
    narrator.tell(ev.KyokuStarted(0, A, 0, 0, (25_000,) * 4, (1, 1)))
    won = ev.HandWon(B, A, parse_ump_face("1m"), (), (), False, (), worth, (-32_000, 32_000, 0, 0), C)
    message = content(narrator, won)
    assert (message["yakus"], message["fan"], message["pao"]) == (yakus, fan, C)


@each_row(
    ("base", "winner", "loser", "points"),
    [
        (2_000, B, None, 8_000),
        (2_000, A, None, 12_000),
        (2_000, B, C, 8_000),
        (2_000, A, C, 12_000),
        (320, B, None, 1_500),
        (480, A, None, 3_000),
        (640, B, D, 2_600),
        (8_000, A, B, 48_000),
    ],
)
def test_hora_points_are_those_of_the_hand_alone(base: int, winner: int, loser: int | None, points: int) -> None:
    """Each payment is rounded up to hundreds; honba and sticks are not included."""
    narrator = MjaiNarrator(None)
    narrator.tell(ev.KyokuStarted(0, A, 3, 2, (25_000,) * 4, (1, 1)))
    worth = HandValue(((Yaku.RIICHI, 1),), 1, 30, 0, base)
    message = content(narrator, ev.HandWon(winner, loser, 0, (0, 0), (), False, (), worth, (0,) * 4))
    assert message["hora_points"] == points


def test_the_end_of_the_game_has_scores() -> None:
    """The end of a kyoku has no scores; the end of the game has them, left-over sticks included."""
    narrator = MjaiNarrator(A)
    assert content(narrator, ev.KyokuEnded()) == {"type": "end_kyoku"}
    ended = ev.GameEnded((40_000, 30_000, 20_000, 10_000), (1, 2, 3, 4), (500, 100, -200, -400))
    expected = {"type": "end_game", "deltas": [0, 0, 0, 0], "scores": [40_000, 30_000, 20_000, 10_000]}
    assert content(narrator, ended) == expected


def test_left_over_sticks_are_the_last_payment() -> None:
    """The sticks that are left at the end go to the first place, so that a client's own sum comes to the scores."""
    narrator = MjaiNarrator(A)
    narrator.tell(ev.KyokuStarted(1, D, 0, 1, (39_000, 30_000, 20_000, 10_000), (1, 1)))
    narrator.tell(ev.RiichiPaid(B))
    ended = content(narrator, ev.GameEnded((41_000, 29_000, 20_000, 10_000), (1, 2, 3, 4), (510, 90, -200, -400)))
    assert (ended["deltas"], ended["scores"]) == ([2_000, 0, 0, 0], [41_000, 29_000, 20_000, 10_000])


def test_a_ron_that_does_not_count_has_no_message() -> None:
    """The rons of a triple ron that ends in a draw have no message of their own."""
    assert MjaiNarrator(A).tell(ev.RonDeclared(B)) is None


GIMITE_REASONS = {"fanpai", "kyushukyuhai", "sufonrenta", "suchareach", "sukaikan", "sanchaho", "nagashimangan"}


RIICHILAB_REASONS = {
    "exhaustive_draw",
    "kyushu_kyuhai",
    "sufuurenta",
    "suucha_riichi",
    "suukansansen",
    "sanchaho",
    "nagashimangan",
}


def test_every_yaku_and_draw_has_a_name() -> None:
    """Every yaku and every draw has a name; where gimite's server has none, our own is used."""
    assert set(YAKU_NAMES) == set(Yaku)
    assert all(name.isascii() and name.islower() for name in YAKU_NAMES.values())
    assert set(DRAW_REASONS.values()) == GIMITE_REASONS | {"chombo"}
    assert set(RIICHILAB_DRAW_REASONS.values()) == RIICHILAB_REASONS | {"chombo"}


@each_row(
    ("wording", "field", "reason"),
    [
        (GIMITE, "uradora_markers", "fanpai"),
        (MORTAL, "ura_markers", "fanpai"),
        (RIICHILAB, "ura_markers", "exhaustive_draw"),
    ],
)
def test_each_dialect_has_one_name_for_one_thing(wording: Wording, field: str, reason: str) -> None:
    """Ura indicators stand under one name: riichienv refuses a win with two, and Mortal knows only its own."""
    narrator = MjaiNarrator(A, wording)
    narrator.tell(ev.KyokuStarted(0, A, 0, 0, (25_000,) * 4, (1, 1)))
    worth = HandValue(((Yaku.RIICHI, 1),), 1, 30, 0, 240)
    win = content(narrator, ev.HandWon(A, B, 0, (0, 0), (), True, (parse_ump_face("8p"),), worth, (0,) * 4))
    assert {name: win[name] for name in ("uradora_markers", "ura_markers") if name in win} == {field: ["8p"]}
    assert content(narrator, ev.KyokuDrawn(ev.DrawReason.EXHAUSTED, (0,) * 4))["reason"] == reason
