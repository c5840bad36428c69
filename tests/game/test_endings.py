"""The ends of a kyoku: events, payments, and the next dealer."""

from __future__ import annotations

from typing import Any

import pytest
from support.rows import each_row
from support.scenario import Scenario

from ump.game.ending import KyokuResult
from ump.model import events as ev
from ump.model.actions import DeclareNoten, DeclareTenpai, Discard
from ump.model.claims import IllegalAction, Reason
from ump.model.notation import parse_mpsz, parse_ump_face
from ump.model.tiles import KIND_OF, YAOCHU
from ump.model.yaku import Yaku
from ump.rules.ruleset import MultipleRon, Nagashi, Renchan, Tenpai

A, B, C, D = range(4)
TENPAI = "234m678m345s46p88p"
LOOSE = {"A": "147m258p369s1357z", "B": "258m369p147s2467z", "C": "369m147p258s1346z", "D": "148m259p367s2567z"}


def result(game: Scenario) -> KyokuResult:
    """Return the result of the kyoku."""
    assert game.kyoku.result is not None
    return game.kyoku.result


def test_tsumo_shows_the_hand_with_the_drawn_tile_last() -> None:
    """All others pay, with 100 for each honba, and the winner takes the sticks."""
    game = Scenario({"B": TENPAI}, "9s5p", honba=1, kyotaku=2).turns(1)("B tsumo")
    won = game.win
    assert won.faces == (*parse_mpsz("234678m4688p345s"), parse_ump_face("5p"))
    assert won.loser is None
    assert sum(won.changes) == 2_000
    assert [won.changes[seat] for seat in (C, D)] == [won.changes[C]] * 2
    assert not result(game).renchan
    assert result(game).kyotaku == 0


def test_ron_shows_the_hand_without_the_winning_tile() -> None:
    """The discarder alone pays, with 300 for each honba. A dealer that wins stays on."""
    game = Scenario({"A": TENPAI, "B": "5p258m369p147s246z"}, "9s", honba=1)
    game.turns(1)("B sute 5p", "A ron")
    assert game.win.faces == parse_mpsz("234678m4688p345s")
    assert game.win.changes[A] == -game.win.changes[B]
    assert result(game).renchan


@each_row(
    ("rule", "winners", "draw"),
    [
        (MultipleRon.HEAD_BUMP, [B], None),
        (MultipleRon.DOUBLE, [], ev.DrawReason.SANCHAHO),
        (MultipleRon.ALL, [B, C, D], None),
    ],
)
def test_three_rons(rule: MultipleRon, winners: list[int], draw: ev.DrawReason | None) -> None:
    """One player wins, the kyoku is aborted and the three hands are shown, or all three win.

    Source: kobalab/majiang-core test/game.js, 三家和; ump.rules.preset_sources for each preset.
    """
    game = Scenario(
        {"A": "5p147m28s1357z19s2p", "B": TENPAI, "C": "234m678m345s46p22p", "D": "456s789s46p555z99s"},
        multiple_ron=rule,
    )
    game("A sute 5p")
    for letter in "DCB":
        if letter in game.asked:
            game(f"{letter} ron")
    assert [won.seat for won in game.events_of(ev.HandWon)] == winners
    assert result(game).draw is draw
    if draw:
        assert [said.seat for said in game.events_of(ev.RonDeclared)] == [B, C, D]
        assert [shown.seat for shown in game.events_of(ev.HandOpened)] == [B, C, D]
        assert result(game).renchan


def test_tenpai_players_declare_in_turn_from_the_dealer_on() -> None:
    """Noten players declare without a question. The noten players pay 3,000 points together."""
    game = Scenario({**LOOSE, "B": TENPAI, "D": "111m99p345s678p46m"}).to_the_end()
    assert game.asked == "B"
    assert [said.seat for said in game.events_of(ev.TenpaiDeclared)] == [A]
    game("B yes")
    assert game.asked == "D"
    game("D no")
    assert [(said.seat, said.tenpai) for said in game.events_of(ev.TenpaiDeclared)] == [
        (A, False),
        (B, True),
        (C, False),
        (D, False),
    ]
    assert game.events_of(ev.TenpaiDeclared)[3].faces is None, "a hand that says noten stays closed"
    assert game.draw == ev.KyokuDrawn(ev.DrawReason.EXHAUSTED, (-1_000, 3_000, -1_000, -1_000))
    assert not result(game).renchan


def test_ask_all_asks_all_players_at_an_exhausted_wall() -> None:
    """With ask_all the noten players are asked in their turn as well; yes and no mean noten then."""
    game = Scenario({**LOOSE, "B": TENPAI, "D": "111m99p345s678p46m"}, ask_all=True)
    game.to_the_end()
    assert game.asked == "A"
    assert game.offers("A") == [DeclareNoten()]
    with pytest.raises(IllegalAction, match="not_tenpai"):
        game.kyoku.answer(A, DeclareTenpai())
    game("A yes")
    assert game.asked == "B"
    assert game.offers("B") == [DeclareTenpai(), DeclareNoten()]
    game("B no", "C no", "D yes")
    assert [said.tenpai for said in game.events_of(ev.TenpaiDeclared)] == [False, False, False, True]


@each_row(("rule", "tenpai"), [(Tenpai.AUTOMATIC, [B]), (Tenpai.RIICHI_ONLY, [])])
def test_tenpai_without_declaration(rule: Tenpai, tenpai: list[int]) -> None:
    """Every tenpai hand counts, or only the hands in riichi."""
    game = Scenario({**LOOSE, "B": TENPAI}, tenpai=rule).to_the_end()
    assert [said.seat for said in game.events_of(ev.TenpaiDeclared) if said.tenpai] == tenpai


@each_row(
    ("rule", "dealer_tenpai", "stays"),
    [
        (Renchan.WIN, True, False),
        (Renchan.TENPAI, True, True),
        (Renchan.TENPAI, False, False),
        (Renchan.NOTEN, False, True),
    ],
)
def test_dealer_after_exhaustive_draw(rule: Renchan, dealer_tenpai: bool, stays: bool) -> None:
    """The dealer stays on as ``renchan`` says."""
    hands = {**LOOSE, "A": TENPAI} if dealer_tenpai else LOOSE
    game = Scenario(hands, renchan=rule, tenpai=Tenpai.AUTOMATIC).to_the_end()
    assert result(game).renchan is stays


def test_noten_penalty_may_be_zero() -> None:
    """With 0 no player pays."""
    game = Scenario({**LOOSE, "B": TENPAI}, noten_penalty=0, tenpai=Tenpai.AUTOMATIC).to_the_end()
    assert game.draw.changes == (0, 0, 0, 0)


def test_nine_terminals_end_the_kyoku_and_show_the_hand() -> None:
    """Nine kinds on the first draw, before any call, abort the kyoku."""
    game = Scenario({**LOOSE, "A": "19m19p19s123z258m4p"}, "5s")("A ryukyoku")
    assert [shown.seat for shown in game.events_of(ev.HandOpened)] == [A]
    assert game.draw.reason is ev.DrawReason.KYUSHU_KYUHAI
    assert result(game).renchan


@each_row(
    ("hand", "changes", "reason"),
    [
        ("19m19p19s12z2558m4p", {}, Reason.TOO_FEW_KINDS),
        ("19m19p19s123z258m4p", {"kyushu_kyuhai": False}, Reason.NOT_IN_RULESET),
    ],
)
def test_nine_terminals_are_refused(hand: str, changes: dict[str, Any], reason: Reason) -> None:
    """The hand has too few kinds, or the ruleset excludes nine terminals."""
    assert Scenario({**LOOSE, "A": hand}, "5s", **changes).refuses("A ryukyoku") is reason


def test_nine_terminals_only_on_the_first_draw() -> None:
    """On the second draw they are refused."""
    game = Scenario({**LOOSE, "A": "19m19p19s123z258m4p"}, "5s9s9s9p5s").turns(4)
    assert game.refuses("A ryukyoku") is Reason.NOT_FIRST


@each_row(("allowed", "ends"), [(True, True), (False, False)])
def test_four_equal_winds_abort(allowed: bool, ends: bool) -> None:
    """All four players discard the same wind on their first turn."""
    hands = {"A": "147m258p369s4z135z", "B": "258m369p147s4z267z", "C": "369m147p258s4z136z", "D": "148m259p367s4z567z"}
    game = Scenario(hands, suufon_renda=allowed)
    game("A sute 4z").pass_all()("B sute 4z").pass_all()("C sute 4z").pass_all()("D sute 4z").pass_all()
    assert game.kyoku.over is ends
    if ends:
        assert game.draw.reason is ev.DrawReason.SUUFON_RENDA
        assert result(game).renchan


@each_row("allowed", [True, False])
def test_four_riichi_abort(allowed: bool) -> None:
    """The fourth stick is paid, and all hands are shown."""
    hands = {
        "A": "123m456p789s99m1p1z",
        "B": "123p789p456s99p1s1z",
        "C": "789m456m123s99s1m1z",
        "D": "345m678p678s55z1s2z",
    }
    game = Scenario(hands, "2p2s2m3s", suucha_riichi=allowed)
    for letter in "ABC":
        game(f"{letter} richi 1z").pass_all()
    assert not game.kyoku.over
    game("D richi 2z").pass_all()
    assert len(game.events_of(ev.RiichiPaid)) == 4
    assert game.kyoku.over is allowed
    if allowed:
        assert game.draw.reason is ev.DrawReason.SUUCHA_RIICHI
        assert len(game.events_of(ev.HandOpened)) == 4
        assert result(game).kyotaku == 4


def yaochu_river(**changes: Any) -> Scenario:
    """Play a kyoku in which A, the dealer, discards only terminals and honours."""
    hands = {**LOOSE, "A": "19m19p19s1234567z"}
    game = Scenario(hands, honba=1, kyotaku=1, tenpai=Tenpai.AUTOMATIC, **changes)
    while not game.kyoku.over:
        (question,) = game.kyoku.questions.values()
        discards = (action for action in question.legal() if isinstance(action, Discard))
        ends = (action for action in discards if KIND_OF[action.face] in YAOCHU)
        action = next(ends) if question.seat == A else question.default()
        game.events += game.kyoku.answer(question.seat, action)
        game.pass_all()
    return game


@each_row(
    ("rule", "changes", "draw", "winners"),
    [
        (Nagashi.NO, None, ev.DrawReason.EXHAUSTED, ()),
        (Nagashi.DRAW, (12_000, -4_000, -4_000, -4_000), ev.DrawReason.NAGASHI_MANGAN, ()),
        (Nagashi.WIN, (13_300, -4_100, -4_100, -4_100), ev.DrawReason.NAGASHI_MANGAN, (A,)),
    ],
)
def test_nagashi_mangan(
    rule: Nagashi, changes: tuple[int, ...] | None, draw: ev.DrawReason, winners: tuple[int, ...]
) -> None:
    """It counts as nothing, as a draw paid like a mangan tsumo, or as a win with honba and sticks."""
    game = yaochu_river(nagashi=rule)
    assert game.draw.reason is draw
    assert changes is None or game.draw.changes == changes
    assert result(game).winners == winners
    assert result(game).kyotaku == (0 if rule is Nagashi.WIN else 1)


def test_a_called_tile_rules_out_nagashi() -> None:
    """A river with a called tile does not count."""
    game = yaochu_river()
    assert game.draw.reason is ev.DrawReason.NAGASHI_MANGAN
    game = Scenario({"A": "1z19m19p19s234567z", "B": "11z258m369p147s24z"}, nagashi=Nagashi.DRAW)
    game("A sute 1z", "B pon")
    assert game.kyoku.board.players[A].river_called


def test_haitei_and_houtei() -> None:
    """A win on the last draw is haitei, a win on the last discard is houtei."""
    game = Scenario({**LOOSE, "B": TENPAI}, tenpai=Tenpai.AUTOMATIC)
    while game.kyoku.board.left > 1:
        game.turns(1)
    game.kyoku.board.wall._faces[14] = parse_ump_face("5p")
    game.turns(1)("B tsumo")
    assert Yaku.HAITEI in dict(game.win.value.yaku)
    game = Scenario({**LOOSE, "C": TENPAI, "B": "5p258m369p147s467z"}, tenpai=Tenpai.AUTOMATIC).turns(69)
    game("B sute 5p", "C ron")
    assert Yaku.HOUTEI in dict(game.win.value.yaku)


def test_tenhou_and_chihou() -> None:
    """A win on the dealer's first draw is tenhou, on another player's first draw before any call chihou.

    Source: kobalab/majiang-core test/hule.js, 天和 and 地和.
    """
    assert Scenario({"A": TENPAI}, "5p")("A tsumo").win.value.yaku == ((Yaku.TENHOU, 13),)
    assert Scenario({**LOOSE, "B": TENPAI}, "9s5p").turns(1)("B tsumo").win.value.yaku == ((Yaku.CHIHOU, 13),)


def test_no_question_after_the_end() -> None:
    """Answers after the end are refused."""
    game = Scenario({"A": TENPAI}, "5p")("A tsumo")
    assert game.kyoku.questions == {}
    with pytest.raises(IllegalAction) as refusal:
        game.kyoku.answer(A, Discard(0))
    assert refusal.value.reason is Reason.NOT_ASKED
