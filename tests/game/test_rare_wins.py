"""Wins on which rulesets differ: renhou, open riichi, and several players robbing one kan."""

from __future__ import annotations

from support.rows import each_row
from support.scenario import Scenario
from support.yakuman import drive

from ump.model.claims import Reason
from ump.model.events import HandWon
from ump.model.yaku import Yaku
from ump.rules.ruleset import MultipleRon, Renhou

A, B, C, D = range(4)
NO_YAKU = "123m678m345s46p88p"
"""A hand that waits for 5p, without a yaku on ron."""
LOOSE_WITH_5P = "5p147m258s1357z19s"
ONE_OFF = "234m678m345s6p88p1z"
"""A hand that waits for 5p after drawing 4p and discarding 1z."""


@each_row(
    ("rule", "worth"),
    [
        (Renhou.MANGAN, (((Yaku.RENHOU, 5),), 2_000)),
        (Renhou.FIVE_HAN, (((Yaku.RENHOU, 5), (Yaku.DORA, 2)), 3_000)),
        (Renhou.YAKUMAN, (((Yaku.RENHOU_YAKUMAN, 13),), 8_000)),
    ],
)
def test_renhou(rule: Renhou, worth: tuple[tuple[tuple[Yaku, int], ...], int]) -> None:
    """A ron before the winner's first draw: a mangan without dora, five han with two dora, or a yakuman.

    Source: WRC Rules 2025, 11.5.4 (mangan); riichi.wiki, Renhou (the other forms).
    """
    game = Scenario({"A": LOOSE_WITH_5P, "C": NO_YAKU}, dora="7p", renhou=rule)
    drive(game, "A sute 5p", "C ron")
    assert (game.win.value.yaku, game.win.value.base) == worth


def test_hand_worth_more_than_a_mangan_by_renhou() -> None:
    """The hand is paid without renhou."""
    game = Scenario({"A": LOOSE_WITH_5P, "C": "234678p678p46p88p"}, renhou=Renhou.MANGAN)
    drive(game, "A sute 5p", "C ron")
    assert game.win.value.yaku[:3] == ((Yaku.TANYAO, 1), (Yaku.IIPEIKOU, 1), (Yaku.CHINITSU, 6))


@each_row("rule", Renhou)
def test_no_renhou_after_a_call(rule: Renhou) -> None:
    """Under every form of the rule, a hand without another yaku cannot win."""
    hands = {"A": "1z147m258s3567z19s", "B": "11z5p36m147s2467z9p", "D": NO_YAKU}
    game = drive(Scenario(hands, renhou=rule, ask_all=True), "A sute 1z", "B pon", "B sute 5p")
    assert game.refuses("D ron") is Reason.NO_YAKU


@each_row("rule", Renhou)
def test_no_renhou_after_the_first_discard(rule: Renhou) -> None:
    """D has drawn and discarded."""
    game = Scenario({"A": LOOSE_WITH_5P, "D": NO_YAKU}, "9s9m9p9s", renhou=rule, ask_all=True).turns(4)
    assert game("A sute 5p").refuses("D ron") is Reason.NO_YAKU


def test_renhou_by_robbing_a_closed_kan() -> None:
    """A robbed kan does not count as a call, so it is still the first turn."""
    hands = {"A": "1111z147m258p369s", "D": "19m19p19s2345677z"}
    game = Scenario(hands, kokushi_ankan=True, renhou=Renhou.YAKUMAN)("A ankan 1z", "D ron")
    assert game.win.value.yaku == ((Yaku.RENHOU_YAKUMAN, 13), (Yaku.KOKUSHI, 13))


def test_dealing_into_an_open_riichi_is_a_yakuman() -> None:
    """A player that is not in riichi sees the hand, and could keep the tile."""
    game = Scenario({"A": ONE_OFF, "B": LOOSE_WITH_5P}, "4p9s", open_riichi=True)
    drive(game, "A openrichi 1z", "B sute 5p", "A ron")
    assert game.win.value.yaku == ((Yaku.OPEN_RIICHI_YAKUMAN, 13),)


def test_riichi_discard_deals_into_an_open_riichi() -> None:
    """A riichi does not stand before its tile has passed, so the hand is a yakuman."""
    hands = {"A": ONE_OFF, "B": "5p123456789m22s1s"}
    game = Scenario(hands, "4p1s", open_riichi=True)
    drive(game, "A openrichi 1z", "B richi 5p", "A ron")
    assert game.win.value.yaku == ((Yaku.OPEN_RIICHI_YAKUMAN, 13),)


def test_player_in_riichi_deals_into_an_open_riichi_without_a_yakuman() -> None:
    """A player in riichi cannot keep the drawn tile."""
    hands = {"A": ONE_OFF, "B": "1z123456789m22s1s"}
    game = drive(Scenario(hands, "4p1s9s9s9p5p", open_riichi=True), "A openrichi 1z", "B richi 1z")
    drive(game.pass_all().turns(3), "B sute 5p", "A ron")
    assert game.win.value.yaku[:2] == ((Yaku.OPEN_RIICHI, 3), (Yaku.TANYAO, 1))


def test_open_riichi_by_tsumo_is_not_a_yakuman() -> None:
    """Nobody has dealt in."""
    game = Scenario({"A": ONE_OFF, "B": LOOSE_WITH_5P}, "4p9s9s9p5p", open_riichi=True)
    drive(game, "A openrichi 1z").pass_all().turns(3)("A tsumo")
    assert game.win.value.yakuman == 0


@each_row(
    ("rule", "winners"),
    [(MultipleRon.HEAD_BUMP, [C]), (MultipleRon.DOUBLE, [C, D]), (MultipleRon.ALL, [C, D])],
)
def test_several_players_can_rob_a_kan(rule: MultipleRon, winners: list[int]) -> None:
    """As many players win as on a discard, the nearest to the kan first."""
    hands = {
        "A": "5m147p258s1357z19s",
        "B": "55m147p258s246z99s",
        "C": "46m123789p123s55z",
        "D": "34m123789p789s66z",
    }
    game = drive(Scenario(hands, "9m7z7z7z5m", multiple_ron=rule, red_fives=(0, 0, 0)), "A sute 5m", "B pon")
    drive(game, "B sute 9s").pass_all().turns(3)("B kakan 5m")
    for letter in ("D", "C"):
        if letter in game.asked:
            game(f"{letter} ron")
    assert [won.seat for won in game.events_of(HandWon)] == winners
