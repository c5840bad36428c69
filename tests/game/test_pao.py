"""Pao: who gave the tile that made a yakuman certain pays for it, by real calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.scenario import Scenario
from support.yakuman import daisangen, daisuushii, drive, suukantsu

from ump.model.yaku import Yaku
from ump.rules.ruleset import PaoCover, PaoHonba

A, B, C, D = range(4)


@pytest.mark.parametrize(
    ("yakuman", "liable", "changes"),
    [
        (
            daisangen,
            D,
            {
                "B": (0, 32_300, 0, -32_300),
                "D": (0, 32_300, 0, -32_300),
                "C": (0, 32_300, -16_000, -16_300),
                "A": (-16_000, 32_300, 0, -16_300),
            },
        ),
        (
            daisuushii,
            A,
            {
                "B": (-32_300, 32_300, 0, 0),
                "D": (-16_300, 32_300, 0, -16_000),
                "C": (-16_300, 32_300, -16_000, 0),
                "A": (-32_300, 32_300, 0, 0),
            },
        ),
        (
            suukantsu,
            A,
            {
                "B": (-32_300, 32_300, 0, 0),
                "D": (-16_300, 32_300, 0, -16_000),
                "C": (-16_300, 32_300, -16_000, 0),
                "A": (-32_300, 32_300, 0, 0),
            },
        ),
    ],
)
def test_the_liable_player_pays(
    yakuman: Callable[..., Scenario], liable: int, changes: dict[str, tuple[int, ...]]
) -> None:
    """All of a tsumo, with the honba; half of a ron from another, and the honba; all when dealing in too.

    Source: riichi.wiki, Sekinin barai; Tenhou's manual (tenhou.net/man); WRC Rules 2025, 9.1.1 (four kans).
    """
    for giver, paid in changes.items():
        game = yakuman(giver, honba=1, pao_suukantsu=True)
        assert game.win.loser == (None if giver == "B" else "ABCD".index(giver))
        assert (game.win.changes, game.win.liable) == (paid, liable), giver


def test_who_deals_into_a_hand_with_pao_may_pay_the_honba() -> None:
    """As the ruleset has it; on tsumo there is only the liable player to pay them."""
    assert daisangen("C", honba=1, pao_honba=PaoHonba.DISCARDER).win.changes == (0, 32_300, -16_300, -16_000)
    assert daisangen("B", honba=1, pao_honba=PaoHonba.DISCARDER).win.changes == (0, 32_300, 0, -32_300)


@pytest.mark.parametrize(
    ("cover", "giver", "changes"),
    [
        (PaoCover.WHOLE, "B", (0, 64_300, 0, -64_300)),
        (PaoCover.OWN, "B", (-16_000, 64_300, -8_000, -40_300)),
        (PaoCover.WHOLE, "C", (0, 64_300, -32_000, -32_300)),
        (PaoCover.OWN, "C", (0, 64_300, -48_000, -16_300)),
        (PaoCover.OWN, "D", (0, 64_300, 0, -64_300)),
    ],
)
def test_what_pao_covers(cover: PaoCover, giver: str, changes: tuple[int, ...]) -> None:
    """Three big dragons all of honours: the liable player answers for both yakuman, or for the dragons alone."""
    game = daisangen(giver, hand="1122z", tile="1z", honba=1, pao_cover=cover)
    assert dict(game.win.value.yaku).keys() == {Yaku.DAISANGEN, Yaku.TSUUIISOU}
    assert game.win.changes == changes


def test_a_yakuman_that_counts_twice_is_paid_twice() -> None:
    """Four big winds as a double yakuman."""
    assert daisuushii("C", double_daisuushii=True).win.changes == (-32_000, 64_000, -32_000, 0)


def test_who_completes_the_dragons_alone_is_paid_by_all() -> None:
    """The third set was drawn: no player is liable."""
    hands = {"A": "5z147m258p369s334z", "B": "55z66z777z1s9p23m99m", "C": "6z258m369p147s344z"}
    game = Scenario(hands, "8s8s7s7s8s1m")
    drive(game, "A sute 5z", "B pon", "B sute 1s", "C sute 6z", "B pon", "B sute 9p").turns(3)("B tsumo")
    assert game.win.value.yaku == ((Yaku.DAISANGEN, 13),)
    assert (game.win.changes, game.win.liable) == ((-16_000, 32_000, -8_000, -8_000), None)


def test_a_kan_made_of_the_pon_leaves_its_giver_liable() -> None:
    """The red dragon's fourth tile is drawn and added: the pon had made the hand certain."""
    hands = {
        "A": "5z147m258p369s334z",
        "B": "55z66z77z1s9p8p23m99m",
        "C": "6z258m369p147s344z",
        "D": "7z2369m147p2589s3z",
    }
    game = Scenario(hands, "8s8s7s7s6s5s4s7z", rinshan="1m")
    drive(game, "A sute 5z", "B pon", "B sute 1s", "C sute 6z", "B pon", "B sute 9p")
    drive(game, "C sute 7s", "D sute 7z", "B pon", "B sute 8p").turns(3)
    drive(game, "B kakan 7z", "B tsumo")
    assert (game.win.changes, game.win.liable) == ((0, 32_000, 0, -32_000), D)


def test_a_fourth_kan_of_ones_own_makes_nobody_liable() -> None:
    """The pon came first and its kan last: the open kan that was called after the pon was the third."""
    hands = {
        "A": "1m4z47m358p69s1256z",
        "B": "11m222p333s444z9m7z",
        "C": "2p58m369p147s1267z",
        "D": "3s36m147p258s1257z",
    }
    game = Scenario(hands, "8s8s7s7s8s7p7p6s5s4s1m", rinshan="9p9s8p9m", pao_suukantsu=True)
    drive(game, "A sute 1m", "B pon", "B sute 7z", "C sute 2p", "B kan", "B sute 9p")
    drive(game, "C sute 7s", "D sute 3s", "B kan", "B sute 9s")
    drive(game, "C sute 8s", "D sute 7p", "A sute 4z", "B kan", "B sute 8p").turns(3)
    drive(game, "B kakan 1m", "B tsumo")
    assert game.win.value.yaku == ((Yaku.SUUKANTSU, 13),)
    assert (game.win.changes, game.win.liable) == ((-16_000, 32_000, -8_000, -8_000), None)


def open_kan(replacement: str) -> Scenario:
    """Return a kyoku in which C has just called an open kan of B's east, and needs 6p and 7p."""
    hands = {"B": "1z147m258p369s235z", "C": "111z9999m345s457p"}
    game = Scenario(hands, "8s8s7s7s6s6p", rinshan=replacement, rinshan_pao=True)
    return drive(game, "A sute 8s", "B sute 1z", "C kan")


def test_who_gives_an_open_kan_pays_for_its_replacement_tile() -> None:
    """The whole tsumo with its honba, where the ruleset has it.

    Source: riichi.wiki, Sekinin barai: the full amount of the tsumo.
    """
    hands = {"A": "1z147m258p369s235z", "C": "111z234m678m345s7p"}
    for allowed, changes in ((True, (-3_000, 0, 3_000, 0)), (False, (-1_400, -800, 3_000, -800))):
        game = Scenario(hands, rinshan="7p", honba=1, rinshan_pao=allowed)
        drive(game, "A sute 1z", "C kan", "C tsumo")
        assert game.win.changes == changes
        assert game.win.liable == (A if allowed else None)


def test_a_further_kan_of_the_same_turn_is_the_givers_too() -> None:
    """Liability lasts until the discard, as riichi.wiki has it."""
    game = open_kan("6p7p")("C ankan 9m", "C tsumo")
    assert game.win.liable == B


def test_after_the_discard_nobody_is_liable_any_more() -> None:
    """A later tsumo, even on the replacement tile of another kan, is paid by all."""
    game = drive(open_kan("1s7p"), "C sute 1s").passes().turns(3)("C ankan 9m", "C tsumo")
    assert game.win.liable is None
