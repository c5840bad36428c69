"""Kans: legality, the time of their dora, chankan, and four kans."""

from __future__ import annotations

from support.rows import each_row
from support.scenario import Scenario, kan_order

from ump.model.claims import Reason
from ump.model.events import DoraRevealed, DrawReason, TileDrawn
from ump.model.notation import parse_ump_face
from ump.model.yaku import Yaku
from ump.rules.ruleset import KanDoraTime

A, B, C, D = range(4)
PON_1Z = {"A": "1z147m258p369s235z", "B": "11z234m678m345s6p8p"}
"""B can call A's 1z, and draws the fourth one later."""


def test_closed_kan_reveals_its_dora_before_the_replacement_tile() -> None:
    """The events are kan, dora, draw. The replacement tile shortens the live wall by one."""
    game = Scenario({"A": "1111z147m258p369s"}, rinshan="7z")("A ankan 1z")
    assert kan_order(game.last) == "kdt"
    draw = game.events_of(TileDrawn)[-1]
    assert (draw.face, draw.left, draw.rinshan) == (parse_ump_face("7z"), 68, True)


@each_row(
    ("when", "kan", "discard"),
    [
        (KanDoraTime.AT_ONCE, "kdt", "s"),
        (KanDoraTime.BEFORE_DISCARD, "kt", "ds"),
        (KanDoraTime.AFTER_DISCARD, "kt", "sd"),
    ],
)
def test_open_kan_reveals_its_dora_as_the_ruleset_says(when: KanDoraTime, kan: str, discard: str) -> None:
    """At once, just before the discard, or after the discard if nobody wins on it."""
    game = Scenario({"A": "1z147m258p369s235z", "B": "111z234m678m345s6p"}, rinshan="9p", open_kan_dora=when)
    game("A sute 1z", "B kan")
    assert kan_order(game.last) == kan
    game("B sute 9p")
    assert kan_order(game.last)[: len(discard)] == discard


def test_open_kan_reveals_its_dora_with_the_next_kan() -> None:
    """Both dora are revealed before the replacement tile of the closed kan."""
    game = Scenario({"A": "1z147m258p369s235z", "B": "111z2222m345s678p"}, rinshan="9p9s")
    game("A sute 1z", "B kan", "B ankan 2m")
    assert kan_order(game.last) == "kddt"
    game("B sute 9s")
    assert kan_order(game.last)[0] == "s"


def test_ruleset_without_kan_dora() -> None:
    """A kan reveals no indicator."""
    game = Scenario({"A": "1111z147m258p369s"}, rinshan="7z", kan_dora=False, kan_ura=False)("A ankan 1z")
    assert kan_order(game.last) == "kt"


def before_kakan() -> Scenario:
    """Return a kyoku in which B can add the fourth 1z to its pon, and D waits for it with thirteen orphans."""
    game = Scenario({**PON_1Z, "D": "19m19p19s2345677z"}, "7z9s9m9p1z", rinshan="9p")
    return game("A sute 1z", "D no", "B pon", "B sute 6p").pass_all().turns(3)


def test_an_added_kan_can_be_robbed() -> None:
    """A player that waits for the tile can win on it. The kan then reveals no dora and draws no tile."""
    game = before_kakan()("B kakan 1z")
    assert game.asked == "D"
    assert kan_order(game.last) == "k"
    game("D ron")
    assert game.win.loser == B
    assert len(game.events_of(DoraRevealed)) == 1


def test_added_kan_that_is_not_robbed_goes_on() -> None:
    """After the pass the replacement tile is drawn, and the player that passed is furiten."""
    game = before_kakan()("B kakan 1z", "D no")
    assert kan_order(game.last) == "t"
    assert game.kyoku.board.players[D].furiten


def test_a_robbed_kan_does_not_end_ippatsu() -> None:
    """A robbed kan does not count as a call, so a riichi of this go-around keeps ippatsu."""
    hands = {"A": "1m147p258s1235z19p", "B": "11m234p678p345s67z", "D": "23m456p456s789s17z"}
    game = Scenario(hands, "9m9p7z8m1m", rinshan="9p")
    game("A sute 1m", "B pon", "B sute 7z").pass_all().turns(1)
    game("D richi 1z").pass_all().turns(1)
    game("B kakan 1m", "D ron")
    assert [yaku.name for yaku, _ in game.win.value.yaku][:3] == ["RIICHI", "IPPATSU", "CHANKAN"]


def test_rinshan_after_an_open_kan_reveals_no_further_dora() -> None:
    """The yaku is rinshan kaihou, and the indicator of the kan is not revealed."""
    game = Scenario({"A": "1z147m258p369s235z", "B": "111z234m678m345s7p"}, rinshan="7p")
    game("A sute 1z", "B kan", "B tsumo")
    assert Yaku.RINSHAN in dict(game.win.value.yaku)
    assert len(game.events_of(DoraRevealed)) == 1


@each_row(("allowed", "asked"), [(True, "D"), (False, "A")])
def test_thirteen_orphans_rob_a_closed_kan_if_the_ruleset_allows_it(allowed: bool, asked: str) -> None:
    """Otherwise no player is asked, and the kan is completed.

    Source: smly/RiichiEnv docs/RULES.md, Kokushi Musou Rules (Mahjong Soul does, Tenhou does not).
    """
    game = Scenario({"A": "1111z147m258p369s", "D": "19m19p19s2345677z"}, rinshan="8m", kokushi_ankan=allowed)
    game("A ankan 1z")
    assert game.asked == asked
    if allowed:
        assert kan_order(game.last) == "k"
        game("D ron")
        assert game.win.value.yakuman == 1
        assert game.win.loser == A


def test_an_ordinary_wait_never_robs_a_closed_kan() -> None:
    """Only thirteen orphans can."""
    game = Scenario({"A": "2222m147p258s135z", "D": "13m345678p345s88s"}, rinshan="8m", kokushi_ankan=True)
    game("A ankan 2m")
    assert game.asked == "A"


def four_kans(**changes: object) -> Scenario:
    """Return a kyoku in which A has made three closed kans and B one, and B discards next."""
    game = Scenario(
        {"A": "111122223333m7z", "B": "4444p147s258s135z"},
        "9p8p8s",
        rinshan="1p1s9s2z",
        **changes,  # type: ignore[arg-type]
    )
    return game("A ankan 1m", "A ankan 2m", "A ankan 3m", "A sute 9s").pass_all()("B ankan 4p")


def test_four_kans_by_two_players_abort_after_the_next_discard() -> None:
    """The discard can be won on but not called; then the kyoku is aborted.

    Source: kobalab/majiang-core test/game.js, 四開槓; Tenhou's records.
    """
    game = four_kans()
    assert not game.kyoku.over
    game("B sute 2z").pass_all()
    assert game.draw.reason is DrawReason.SUUKAIKAN
    assert game.kyoku.result is not None
    assert game.kyoku.result.renchan


def test_without_suukaikan_four_kans_by_two_players_play_on() -> None:
    """The kyoku goes on after the fourth kan.

    Source: kobalab/majiang-core test/game.js, 途中流局なしでは四開槓とならない and 5つめのカンができないこと.
    """
    game = four_kans(suukaikan=False)
    game("B sute 2z").pass_all()
    assert not game.kyoku.over


def test_four_kans_by_one_player_play_on() -> None:
    """The player may get suukantsu. A fifth kan of any player is refused.

    Source: kobalab/majiang-core test/game.js, 1人で四開槓 and 5つめのカンができないこと.
    """
    game = Scenario({"A": "111122223333m4p", "B": "0555s159p268p136z"}, "4p9s9p", rinshan="4p4p1s2z")
    game("A ankan 1m", "A ankan 2m", "A ankan 3m", "A ankan 4p")
    game("A sute 2z").pass_all()
    assert game.refuses("B ankan 5s") is Reason.TOO_MANY_KANS


@each_row(("order", "reason"), [("A ankan 1m", Reason.NOT_HELD), ("A kakan 1z", Reason.NOT_HELD)])
def test_kans_need_the_tiles(order: str, reason: Reason) -> None:
    """A closed kan needs four concealed tiles, an added kan a pon and its fourth tile."""
    assert Scenario({"A": "1111z147m258p369s"}).refuses(order) is reason
