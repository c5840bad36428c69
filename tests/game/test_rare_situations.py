"""Situations that hardly any record shows: riichi, furiten, kans and game ends at their limits."""

from __future__ import annotations

from support.rows import each_row
from support.scenario import Scenario, kan_order
from support.scripted_game import ScriptedGame
from support.yakuman import drive

from ump.model.claims import Reason
from ump.model.events import DoraRevealed, HandWon, RiichiPaid
from ump.model.yaku import Yaku
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length, Renchan

A, B, C, D = range(4)
TENHOU = PRESETS["tenhou"]

FOUR_RIICHI = {
    "A": "123m456p789s99m1p1z",
    "B": "123p789p456s99p1s1z",
    "C": "789m456m123s99s1m1z",
    "D": "345m678p678s55z12s",
}
"""After drawing 2p, 2s and 2m, A, B and C wait for 3p, 3s and 3m. D waits for 3s and draws 3p."""


def test_ron_on_the_tile_of_the_fourth_riichi() -> None:
    """The kyoku is not aborted, the fourth stick is not paid, and the winner takes the other three.

    Source: kobalab/majiang-core test/game.js, 四家立直 and リーチ不成立.
    """
    game = Scenario(FOUR_RIICHI, "2p2s2m3p", rules=TENHOU)
    for letter in "ABC":
        game(f"{letter} richi 1z").pass_all()
    drive(game, "D richi 3p", "A ron")
    assert [paid.seat for paid in game.events_of(RiichiPaid)] == [A, B, C]
    assert (game.win.seat, game.win.loser) == (A, D)
    assert sum(game.win.changes) == 3_000
    assert sum(game.points) == 100_000


def closed_then_added(preset: str) -> list[str]:
    """Return the events about kans when B makes a closed kan, adds the replacement tile to a pon, and discards."""
    hands = {"A": "1z147m258p369s235z", "B": "11z2222m345s678p3m"}
    game = drive(Scenario(hands, "9m9p7z8s", rinshan="1z9s", rules=PRESETS[preset]), "A sute 1z", "B pon", "B sute 3m")
    game.pass_all().turns(3)
    return [kan_order(game(order).last)[:3] for order in ("B ankan 2m", "B kakan 1z", "B sute 9s")]


def open_then_closed(preset: str) -> list[str]:
    """Return the events about kans when B calls an open kan, makes a closed one, and discards."""
    hands = {"A": "1z147m258p369s235z", "B": "111z2222m345s678p"}
    game = Scenario(hands, rinshan="9p9s", rules=PRESETS[preset])("A sute 1z")
    return [kan_order(game(order).last)[:4] for order in ("B kan", "B ankan 2m", "B sute 9s")]


@each_row(
    ("preset", "closed_first", "open_first"),
    [
        ("tenhou", ["kdt", "kt", "dst"], ["kt", "kddt", "st"]),
        ("majsoul", ["kdt", "kt", "dst"], ["kt", "kddt", "st"]),
        ("mleague", ["kdt", "kdt", "st"], ["kdt", "kdt", "st"]),
    ],
)
def test_two_kans_in_a_turn(preset: str, closed_first: list[str], open_first: list[str]) -> None:
    """The dora (d) of a closed kan comes at once, of an open one before the discard (s) or the next kan's draw (t).

    Source: Tenhou's records; smly/RiichiEnv docs/RULES.md for Mahjong Soul; kobalab/Majiang rule.json for M.LEAGUE.
    """
    assert closed_then_added(preset) == closed_first
    assert open_then_closed(preset) == open_first


def robbery(d_hand: str, draws: str) -> Scenario:
    """Return a kyoku in which B can soon add 1m to its pon, and D waits for 1m and 4m. All players are always asked."""
    hands = {"A": "1m147p258s1235z19p", "B": "114m34p678p345s67z", "D": d_hand}
    game = Scenario(hands, draws, rinshan="9p", rules=TENHOU, ask_all=True)
    return drive(game, "A sute 1m", "B pon", "B sute 7z").pass_all().turns(1)


def test_passing_on_an_added_kan_is_temporary_furiten() -> None:
    """A player that passes on the tile of an added kan is furiten until its next discard.

    Source: kobalab/majiang-core test/game.js, 和了見逃しでフリテンになること (of an added kan).
    """
    game = robbery("23m456p456s789s11z", "9m9p7z8m1m").turns(2)
    game("B kakan 1m").pass_all()("B sute 4m")
    assert game.refuses("D ron") is Reason.FURITEN
    game.pass_all().turns(2)
    assert not game.kyoku.board.players[D].furiten


def test_passing_on_an_added_kan_in_riichi_is_permanent_furiten() -> None:
    """The player's discards do not end it.

    Source: kobalab/majiang-core test/game.js, リーチ後はフリテンが解除されないこと.
    """
    game = robbery("23m456p456s789s17z", "9m9p7z8m1m")
    game("D richi 1z").pass_all().turns(1)
    game("B kakan 1m", "D no").pass_all()
    game("B sute 4m")
    assert game.refuses("D ron") is Reason.FURITEN
    game.pass_all().turns(2)
    assert game.kyoku.board.players[D].furiten


def test_closed_kan_rules_out_chihou() -> None:
    """A closed kan of another player counts as a call.

    Source: Tenhou's manual (tenhou.net/man): chihou needs a first go-round without a call, closed kans included.
    """
    game = Scenario({"A": "1111z147m258p369s", "B": "234m678m345s46p88p"}, "9s5p", rinshan="9p", rules=TENHOU)
    drive(game, "A ankan 1z", "A sute 9p").pass_all()("B tsumo")
    assert Yaku.CHIHOU not in dict(game.win.value.yaku)


def test_riichi_with_exactly_four_tiles_and_1000_points() -> None:
    """The stick leaves 0 points, which is not below zero (tobi).

    Source: Tenhou's records; kobalab/majiang-core test/game.js, リーチ成立.
    """
    points = (29_000, 1_000, 35_000, 35_000)
    game = Scenario({"B": "123456789p222z3z"}, rules=TENHOU, points=points).turns(65)
    assert game.kyoku.board.left == 4
    assert game("B richi 3z").pass_all().points[B] == 0
    later = Scenario({"B": "123456789p222z3z"}, rules=TENHOU, points=points).turns(69)
    assert later.refuses("B richi 3z") is Reason.TOO_FEW_TILES


@each_row(("start", "follows"), [(1_300, "E2.0"), (1_200, "end")])
def test_tobi_is_below_zero(start: int, follows: str) -> None:
    """With exactly 0 points the game goes on; with 100 less it ends.

    Source: Tenhou's records (12 games play on with 0); smly/RiichiEnv docs/RULES.md; mahjongsoul.com/news/46.
    """
    for preset in ("tenhou", "majsoul"):
        assert ScriptedGame("S ron E", PRESETS[preset], start_points=start).next == follows


ALL_NOTEN = ", ".join(["draw"] * 11)
"""Only the last kyoku of the west round remains, and all have 25,000 points."""


@each_row(
    ("last", "follows", "why"),
    [
        ("draw", "end", "no north round, even below the target"),
        ("S ron E", "end", "the same after a win"),
        ("draw E", "W4.12", "the last dealer stays on by tenpai"),
        ("abort", "W4.12", "the last dealer stays on by an abortive draw"),
    ],
)
def test_sudden_death_to_the_last_wind(last: str, follows: str, why: str) -> None:
    """West 4 is the last kyoku of a hanchan in which nobody reaches 30,000 points.

    Source: Tenhou's manual (tenhou.net/man, サドンデス); nissymori/mahjax pull request 93; kobalab/majiang-core
    test/game.js, 延長戦は最大四局で終了すること.
    """
    scripted = ScriptedGame(f"{ALL_NOTEN}, {last}", TENHOU)
    assert "W4.11" in scripted.rounds
    assert scripted.next == follows, why


@each_row(("tenpai_yame", "follows"), [(True, "end"), (False, "E4.1")])
def test_noten_dealer_that_stays_on_can_end_the_game(tenpai_yame: bool, follows: str) -> None:
    """If every exhaustive draw keeps the deal, tenpai yame does not require tenpai.

    Source: kobalab/majiang-core lib/game.js (last: オーラス止めあり with 連荘方式 3).
    """
    rules = {"length": Length.TONPU, "renchan": Renchan.NOTEN, "target": 26_000}
    story = "S ron E, S ron E, S ron E, draw"
    assert ScriptedGame(story, TENHOU, **rules, tenpai_yame=tenpai_yame).next == follows


def test_triple_ron_pays_all_winners() -> None:
    """Under Mahjong Soul's rules the discarder pays all three in full, and the nearest gets honba and sticks.

    Source: mahjongsoul.com/news/46; smly/RiichiEnv docs/RULES.md, Sanchaho.
    """
    hands = {
        "A": "5p147m28s1357z19s2p",
        "B": "234m678m345s46p88p",
        "C": "234m678m345s46p22p",
        "D": "456s789s46p555z99s",
    }
    game = Scenario(hands, rules=PRESETS["majsoul"], honba=1, kyotaku=2)("A sute 5p", "D ron", "C ron", "B ron")
    first, second, third = game.events_of(HandWon)
    assert [first.seat, second.seat, third.seat] == [B, C, D]
    assert [sum(won.changes) for won in (first, second, third)] == [2_000, 0, 0]
    assert first.changes[B] + second.changes[A] == 2_300
    assert len(game.events_of(DoraRevealed)) == 1
