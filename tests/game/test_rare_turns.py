"""Rare turns: several kans in a row, the last tiles of the wall, calls and draws at their limits."""

from __future__ import annotations

from support.rows import each_row
from support.scenario import Scenario
from support.yakuman import drive

from ump.model.actions import Daiminkan, Pon
from ump.model.claims import Reason
from ump.model.events import DoraRevealed, DrawReason, HandOpened, TenpaiDeclared
from ump.model.notation import parse_ump_face
from ump.model.tiles import KIND_OF, YAOCHU
from ump.model.yaku import Yaku
from ump.rules.ruleset import Tenpai
from ump.rules.wall import LAYOUTS

A, B, C, D = range(4)
TANYAO_ON_5P = "234m678m345s46p88p"
ONE_OFF = "234m678m345s6p88p1z"
LOOSE = {"A": "147m258p369s1357z", "B": "258m369p147s2467z", "C": "369m147p258s1346z", "D": "148m259p367s2567z"}


# Kans


def dora(game: Scenario) -> int:
    """Return the number of revealed dora indicators."""
    return len(game.events_of(DoraRevealed))


def test_deferred_dora_is_revealed_before_a_closed_kan_can_be_robbed() -> None:
    """The open kan's dora comes with the next announcement, the closed kan's after the players have passed.

    Source: docs/protocols/README.md, course of a game.
    """
    hands = {"A": "3m258p369s147p157z", "B": "333m2222z345s678p", "D": "19m19p19s1345677z"}
    game = Scenario(hands, "9s", rinshan="9p8p", kokushi_ankan=True)
    drive(game, "A sute 3m", "B kan", "B ankan 2z")
    assert (game.asked, dora(game)) == ("D", 2)
    game("D no")
    assert (game.asked, dora(game)) == ("B", 3)


def kan_after_kan() -> Scenario:
    """Return a kyoku in which B calls an open kan, draws the fourth tile of its pon and adds it. D waits for it."""
    hands = {"A": "1z147m258p369s235z", "B": "11z333m45s678p234p", "C": "3m69m147p258s4566z", "D": "19m19p19s2345677z"}
    game = Scenario(hands, "9s8s9s8s7s7s", rinshan="1z9p")
    drive(game, "A sute 1z", "B pon", "B sute 2p").pass_all().turns(4)
    return drive(game, "C sute 3m", "B kan")("B kakan 1z")


def test_robbing_a_kan_of_the_replacement_tile_counts_the_earlier_dora() -> None:
    """The dora of the earlier open kan is revealed by then; that of the robbed kan is not.

    Source: docs/protocols/README.md, course of a game; the same in smly/RiichiEnv. No available record shows a case.
    """
    game = kan_after_kan()
    assert (game.asked, dora(game)) == ("D", 2)
    game("D ron")
    assert (game.win.loser, dora(game)) == (B, 2)


def test_added_kan_that_is_not_robbed_reveals_its_dora_with_the_next_discard() -> None:
    """The dora of the earlier open kan is revealed with the announcement.

    Source: Tenhou's records of two kans in one turn.
    """
    game = kan_after_kan()("D no")
    assert dora(game) == 2
    drive(game, "B sute 9p").pass_all()
    assert dora(game) == 3


def test_closed_kan_does_not_make_ordinary_waits_furiten() -> None:
    """A player that waits for the tile with an ordinary hand cannot rob it, so it is not furiten."""
    game = Scenario({"A": "2222m5m147p258s13z", "D": "34m345678p345s88s"}, rinshan="9p", kokushi_ankan=True)
    drive(game, "A ankan 2m", "A sute 5m", "D ron")
    assert game.win.seat == D


def test_closed_kan_that_cannot_be_robbed_asks_nobody() -> None:
    """This also holds with ask_all, if thirteen orphans may rob a closed kan."""
    game = Scenario({"A": "1111z147m258p369s"}, rinshan="9p", ask_all=True, kokushi_ankan=True)("A ankan 1z")
    assert game.asked == "A"


def test_open_kans_count_towards_the_limit_of_four() -> None:
    """After four kans by one player, a fifth is refused, but a pon is still legal."""
    hands = {
        "A": "1m4z47m358p69s1257z",
        "B": "111m222p333s444z9m",
        "C": "2p58m369p14s1666z7z",
        "D": "3s36m147p258s1267z",
    }
    game = Scenario(hands, "8s8s7s7s8s7p7p6s4s", rinshan="1s9p9s8p")
    drive(game, "A sute 1m", "B kan", "B sute 1s", "C sute 2p", "B kan", "B sute 9p")
    drive(game, "C sute 7s", "D sute 3s", "B kan", "B sute 9s")
    drive(game, "C sute 8s", "D sute 7p", "A sute 4z", "B kan", "B sute 8p")
    drive(game, "C sute 6s", "D sute 6z")
    assert game.offers("C", Pon) and not game.offers("C", Daiminkan)
    assert game.refuses("C kan") is Reason.TOO_MANY_KANS


def test_discard_after_the_fourth_kan_cannot_be_called() -> None:
    """It can be won on; otherwise the kyoku is aborted."""
    hands = {"A": "111122223333m7z", "B": "4444p147s258s135z", "C": "22z456m258p369s14z"}
    game = Scenario(hands, "9p8p8s", rinshan="1p1s9s2z", ask_all=True)
    drive(game, "A ankan 1m", "A ankan 2m", "A ankan 3m", "A sute 9s", "B ankan 4p", "B sute 2z")
    assert game.refuses("C pon 2z 2z") is Reason.TOO_MANY_KANS
    assert game.pass_all().draw.reason is DrawReason.SUUKAIKAN


# The end of the wall


def before_the_last_draw(ordinal: int, hands: dict[str, str], tile: str) -> Scenario:
    """Return a kyoku just before the draw of ``tile``, after which ``ordinal`` tiles are left."""
    game = Scenario({**LOOSE, **hands}, tenpai=Tenpai.AUTOMATIC)
    wall = game.kyoku.board.wall
    wall._faces[14 + ordinal] = parse_ump_face(tile)
    wall._faces[LAYOUTS[4].rinshan[0]] = parse_ump_face("5p")
    return game.turns(69 - ordinal)


def test_a_kan_needs_one_tile_in_the_wall() -> None:
    """With one tile left, a win on the replacement tile is rinshan and not haitei; with none, a kan is refused."""
    triplet = "999s234m678m345s5p"
    game = before_the_last_draw(1, {"A": triplet}, "9s")
    assert game.kyoku.board.left == 1
    game("A ankan 9s", "A tsumo")
    assert game.kyoku.board.left == 0
    assert Yaku.RINSHAN in dict(game.win.value.yaku)
    assert Yaku.HAITEI not in dict(game.win.value.yaku)
    assert before_the_last_draw(0, {"B": triplet}, "9s").refuses("B ankan 9s") is Reason.TOO_FEW_TILES


def test_a_player_in_riichi_is_not_asked_for_tenpai() -> None:
    """The hand is shown without a question."""
    game = Scenario({**LOOSE, "A": "123456789m111z2z"}, "3z")
    drive(game, "A richi 3z").pass_all().to_the_end()
    said = game.events_of(TenpaiDeclared)
    assert said[0].tenpai and said[0].faces is not None
    assert game.asked == ""


def test_a_called_tile_rules_out_nagashi_mangan() -> None:
    """B discards only terminals and honours, but D has called the first of them.

    Source: kobalab/majiang-core test/game.js, 鳴かれた場合、流し満貫は成立しない.
    """
    outer = iter([number + suit for suit in "mps" for number in "19"] + [f"{number}z" for number in range(1, 8)] * 2)
    simple = iter([number + suit for suit in "mps" for number in "234678"] * 3)
    draws = [next(outer if turn == 1 or turn % 4 == 3 else simple) for turn in range(70)]
    game = Scenario({"D": "11m5550m5550p555s"}, "".join(draws), tenpai=Tenpai.AUTOMATIC).turns(1)
    drive(game, "B sute 1m", "D pon", "D sute 5s").pass_all().to_the_end()
    river = game.kyoku.board.players[B].river
    assert len(river) == 18 and all(KIND_OF[face] in YAOCHU for face in river)
    assert game.draw.reason is DrawReason.EXHAUSTED


# Calls and draws


def test_a_player_in_riichi_cannot_call() -> None:
    """Even with the tiles for a pon, only ron is legal."""
    hands = {"A": ONE_OFF, "B": "8p147m258s1356z99s"}
    game = drive(Scenario(hands, "4p9m", ask_all=True), "A richi 1z", "B sute 8p")
    assert game.refuses("A pon 8p 8p") is Reason.IN_RIICHI


@each_row("tile", ["9m", "5z"])
def test_four_equal_terminals_or_dragons_do_not_abort(tile: str) -> None:
    """Only four equal winds abort the kyoku."""
    assert not Scenario({}, tile * 4).turns(4).kyoku.over


def test_four_winds_after_a_kan_do_not_abort() -> None:
    """Without a kan or call they do, and no hand is shown."""
    game = Scenario({"A": "1111z147m258p369s"}, "9p4z4z4z", rinshan="4z")
    drive(game, "A ankan 1z", "A sute 4z").pass_all().turns(3)
    assert not game.kyoku.over
    game = Scenario({}, "4z4z4z4z").turns(4)
    assert game.draw.reason is DrawReason.SUUFON_RENDA
    assert not game.events_of(HandOpened)


@each_row(
    ("hand", "tile", "reason"),
    [
        (TANYAO_ON_5P, "4p", Reason.NOT_COMPLETE),
        ("1111m234p567p789s", "1z", Reason.NOT_COMPLETE),
        (TANYAO_ON_5P, "5p", None),
    ],
)
def test_tsumo_needs_a_complete_hand(hand: str, tile: str, reason: Reason | None) -> None:
    """A tile that does not complete the hand is refused as ``not_complete``."""
    game = Scenario({"A": hand}, tile)
    if reason:
        assert game.refuses("A tsumo") is reason
    else:
        assert game("A tsumo").kyoku.over


def test_ura_indicators_need_riichi() -> None:
    """A win without riichi reveals no ura indicator."""
    assert Scenario({"A": TANYAO_ON_5P}, "5p")("A tsumo").win.ura == ()
