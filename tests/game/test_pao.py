"""Pao: a player whose discard makes a yakuman certain is liable for it."""

from __future__ import annotations

from collections.abc import Callable

from support.rows import each_row
from support.scenario import Scenario
from support.yakuman import daisangen, daisuushii, drive, suukantsu

from ump.model.yaku import Yaku
from ump.rules.ruleset import PaoCover, PaoHonba

A, B, C, D = range(4)


@each_row(
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
    """The liable player pays a tsumo, half of a ron on another player, and all of its own deal-in, each with the honba.

    Source: riichi.wiki, Sekinin barai; Tenhou's manual (tenhou.net/man); WRC Rules 2025, 9.1.1 (four kans).
    """
    for giver, paid in changes.items():
        game = yakuman(giver, honba=1, pao_suukantsu=True)
        assert game.win.loser == (None if giver == "B" else "ABCD".index(giver))
        assert (game.win.changes, game.win.liable) == (paid, liable), giver


def test_discarder_pays_the_honba_if_the_ruleset_says_so() -> None:
    """On tsumo there is no discarder, so the liable player pays them."""
    assert daisangen("C", honba=1, pao_honba=PaoHonba.DISCARDER).win.changes == (0, 32_300, -16_300, -16_000)
    assert daisangen("B", honba=1, pao_honba=PaoHonba.DISCARDER).win.changes == (0, 32_300, 0, -32_300)


@each_row(
    ("cover", "giver", "changes"),
    [
        (PaoCover.WHOLE, "B", (0, 64_300, 0, -64_300)),
        (PaoCover.OWN, "B", (-16_000, 64_300, -8_000, -40_300)),
        (PaoCover.WHOLE, "C", (0, 64_300, -32_000, -32_300)),
        (PaoCover.OWN, "C", (0, 64_300, -48_000, -16_300)),
        (PaoCover.OWN, "D", (0, 64_300, 0, -64_300)),
    ],
)
def test_pao_cover(cover: PaoCover, giver: str, changes: tuple[int, ...]) -> None:
    """Daisangen with tsuuiisou: the liable player pays for both yakuman, or only for daisangen."""
    game = daisangen(giver, hand="1122z", tile="1z", honba=1, pao_cover=cover)
    assert dict(game.win.value.yaku).keys() == {Yaku.DAISANGEN, Yaku.TSUUIISOU}
    assert game.win.changes == changes


def test_double_yakuman_is_paid_twice() -> None:
    """The liable player pays for daisuushii as a double yakuman."""
    assert daisuushii("C", double_daisuushii=True).win.changes == (-32_000, 64_000, -32_000, 0)


def test_drawn_third_dragon_set_makes_nobody_liable() -> None:
    """The third set was drawn, so the others share the payment."""
    hands = {"A": "5z147m258p369s334z", "B": "55z66z777z1s9p23m99m", "C": "6z258m369p147s344z"}
    game = Scenario(hands, "8s8s7s7s8s1m")
    drive(game, "A sute 5z", "B pon", "B sute 1s", "C sute 6z", "B pon", "B sute 9p").turns(3)("B tsumo")
    assert game.win.value.yaku == ((Yaku.DAISANGEN, 13),)
    assert (game.win.changes, game.win.liable) == ((-16_000, 32_000, -8_000, -8_000), None)


def test_added_kan_keeps_the_giver_of_the_pon_liable() -> None:
    """The pon of red dragons made the yakuman certain; the fourth tile is drawn and added later."""
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


def test_fourth_kan_added_to_a_pon_makes_nobody_liable() -> None:
    """The fourth kan is made with a drawn tile, after the pon and three open kans."""
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
    """Return a kyoku in which C has just called an open kan of B's 1z, and waits for 6p and 7p."""
    hands = {"B": "1z147m258p369s235z", "C": "111z9999m345s457p"}
    game = Scenario(hands, "8s8s7s7s6s6p", rinshan=replacement, rinshan_pao=True)
    return drive(game, "A sute 8s", "B sute 1z", "C kan")


def test_giver_of_an_open_kan_pays_for_a_win_on_its_replacement_tile() -> None:
    """With ``rinshan_pao`` the giver pays the whole tsumo with its honba.

    Source: riichi.wiki, Sekinin barai: the full amount of the tsumo.
    """
    hands = {"A": "1z147m258p369s235z", "C": "111z234m678m345s7p"}
    for allowed, changes in ((True, (-3_000, 0, 3_000, 0)), (False, (-1_400, -800, 3_000, -800))):
        game = Scenario(hands, rinshan="7p", honba=1, rinshan_pao=allowed)
        drive(game, "A sute 1z", "C kan", "C tsumo")
        assert game.win.changes == changes
        assert game.win.liable == (A if allowed else None)


def test_rinshan_pao_covers_further_kans_of_the_same_turn() -> None:
    """The liability lasts until the discard (riichi.wiki)."""
    game = open_kan("6p7p")("C ankan 9m", "C tsumo")
    assert game.win.liable == B


def test_rinshan_pao_ends_with_the_discard() -> None:
    """All others pay a later tsumo, even on the replacement tile of another kan."""
    game = drive(open_kan("1s7p"), "C sute 1s").pass_all().turns(3)("C ankan 9m", "C tsumo")
    assert game.win.liable is None
