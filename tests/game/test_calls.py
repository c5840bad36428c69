"""Calls: legality, precedence, and the moment of the decision."""

from __future__ import annotations

from support.rows import each_row
from support.scenario import Scenario

from ump.model.actions import Chi, Daiminkan, Pass, Pon
from ump.model.claims import Reason
from ump.model.events import HandWon, TileCalled, TileDrawn
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_ump_face
from ump.rules.ruleset import Kuikae

A, B, C, D = range(4)
TANYAO_ON_5P = "234m678m345s46p88p"


def faces(*names: str) -> tuple[int, ...]:
    """Return the faces of UMP's tile names."""
    return tuple(map(parse_ump_face, names))


def test_pon_goes_before_an_earlier_chi() -> None:
    """A chi waits while a pon is still possible, and the pon takes the tile."""
    game = Scenario({"A": "5p147m258s1357z19s", "B": "46p19m19s1234567z", "C": "55p19m19s1234567z"})
    game("A sute 5p", "B chi 4p 6p")
    assert game.last == [], "no event while the pon is still possible"
    game("C pon 5p 5p")
    assert game.last == [TileCalled(C, Meld(MeldType.PON, faces("5p", "5p"), parse_ump_face("5p"), A))]
    assert game.asked == "C"


def test_a_pon_is_decided_without_waiting_for_a_chi() -> None:
    """A chi cannot change the outcome, so its question closes."""
    game = Scenario({"A": "5p147m258s1357z19s", "B": "46p19m19s1234567z", "C": "55p19m19s1234567z"})
    game("A sute 5p", "C pon")
    assert game.asked == "C"
    assert game.events_of(TileCalled)[0].seat == C


def test_ron_goes_before_pon() -> None:
    """A pon waits while a ron is still possible, and the ron takes the tile."""
    game = Scenario({"A": "5p147m258s1357z19s", "B": "55p19m19s1234567z", "D": TANYAO_ON_5P})
    game("A sute 5p", "B pon")
    assert game.last == []
    game("D ron")
    assert game.win.seat == D
    assert game.win.loser == A


def test_chi_takes_the_tile_when_higher_claims_pass() -> None:
    """A chi is carried out after the players that could pon or ron have passed."""
    game = Scenario({"A": "5p147m258s1357z19s", "B": "46p19m19s1234567z", "D": TANYAO_ON_5P})
    game("A sute 5p", "B chi 4p 6p", "D no")
    assert game.events_of(TileCalled)[0].meld.type is MeldType.CHI


def test_only_players_that_can_act_are_asked() -> None:
    """Only the next player can call the tile, so there is one question, and it offers exactly the legal chi."""
    game = Scenario(
        {"A": "5p147m258s1357z19s", "B": "34667p19m19s1234z", "C": "19m19p19s1234567z", "D": "19m19p19s1234567z"}
    )
    game("A sute 5p")
    assert game.asked == "B"
    assert game.offers("B") == [
        Pass(),
        *(Chi((parse_ump_face(a), parse_ump_face(b))) for a, b in (("3p", "4p"), ("4p", "6p"), ("6p", "7p"))),
    ]


def test_uncallable_discard_leads_to_the_next_draw() -> None:
    """If no player can act on a discard, the next player draws at once."""
    game = Scenario(
        {"A": "19m147p258s12345z", "B": "19m19p19s1234567z", "C": "19m19p19s1234567z", "D": "258m147s369s2467z"}
    )
    game("A sute 4p")
    assert isinstance(game.last[-1], TileDrawn)
    assert game.asked == "B"


def test_ask_all_asks_all_players_and_waits_for_all_answers() -> None:
    """With ask_all the three other players are asked about every discard, and no event precedes the last answer."""
    game = Scenario({"A": "5p147m258s1357z19s", "C": "55p19m19s1234567z"}, ask_all=True)
    game("A sute 5p")
    assert game.asked == "BCD"
    game("C pon")
    assert game.last == []
    game("B no")
    assert game.last == []
    game("D no")
    assert game.events_of(TileCalled)[0].seat == C


def test_red_fives_make_different_calls() -> None:
    """A pon with the red five and one without it are two offers, so a pon without tiles is ambiguous."""
    game = Scenario({"A": "5p147m258s1357z19s", "B": "055p19m19s123456z"})
    game("A sute 5p")
    red, plain = faces("5P", "5p")
    assert game.offers("B", Pon) == [Pon((red, plain)), Pon((plain, plain))]
    assert game.offers("B", Daiminkan) == [Daiminkan()]
    assert game.refuses("B pon") is Reason.AMBIGUOUS
    game("B pon 5p 5P")
    assert game.events_of(TileCalled)[0].meld.own == faces("5P", "5p")


def test_a_plain_five_means_the_red_one_if_only_that_is_held() -> None:
    """``chi 5p 6p`` uses the red five if the hand holds no plain one."""
    game = Scenario({"A": "4p147m258s1357z19s", "B": "06p19m19s1234567z"})
    game("A sute 4p", "B chi 6p 5p")
    assert game.events_of(TileCalled)[0].meld.own == faces("5P", "6p")


@each_row(
    ("order", "reason"),
    [
        ("B pon 5p 5p", Reason.NOT_HELD),
        ("B chi 3p 4p", Reason.NOT_HELD),
        ("B chi 6p 8p", Reason.NOT_HELD),
        ("B kan", Reason.NOT_HELD),
        ("B ron", Reason.NOT_COMPLETE),
        ("B sute 4p", Reason.NOT_ASKED),
        ("B chi 4p", Reason.UNREADABLE),
        ("C chi 4p 6p", Reason.NOT_NEXT),
        ("C yes", Reason.NOT_ASKED),
    ],
)
def test_refused_call_has_a_reason_and_changes_nothing(order: str, reason: Reason) -> None:
    """After a refused call the same questions are open."""
    game = Scenario({"A": "5p147m258s1357z19s", "B": "46p8p19m19s123456z", "C": "4556p9m19s123456z"})
    game("A sute 5p")
    assert game.refuses(order) is reason
    assert game.asked == "BC"
    game("C pon")


@each_row(
    ("rule", "refused"),
    [(Kuikae.FORBIDDEN, ["4p", "7p"]), (Kuikae.SAME_TILE, ["4p"]), (Kuikae.ALLOWED, [])],
)
def test_kuikae_after_a_two_sided_chi(rule: Kuikae, refused: list[str]) -> None:
    """After a chi of 4p with 5p6p, kuikae forbids 4p and 7p, only 4p, or neither."""
    game = Scenario({"A": "4p147m258s1357z19s", "B": "45677p19m19s1234z"}, kuikae=rule)
    game("A sute 4p", "B chi 5p 6p")
    for name in ("4p", "7p"):
        if name in refused:
            assert game.refuses(f"B sute {name}") is Reason.KUIKAE
    legal = {action.face for action in game.offers("B")}  # type: ignore[union-attr]
    assert legal.isdisjoint(faces(*refused))
    assert set(faces("4p", "7p")) - set(faces(*refused)) <= legal


def test_kuikae_after_pon_forbids_the_third_copy() -> None:
    """After a pon with two of three copies, the third one must not be discarded."""
    game = Scenario({"A": "5p147m258s1357z19s", "B": "055p19m19s123456z"})
    game("A sute 5p", "B pon 5p 5p")
    assert game.refuses("B sute 5P") is Reason.KUIKAE


def test_a_call_that_would_leave_no_discard_is_not_legal() -> None:
    """From 3p4p5p5p, a chi of 2p with 3p4p would leave only 5p, which kuikae forbids.

    Source: Tenhou's manual (tenhou.net/man): no kuikae, of neither kind.
    """
    game = Scenario({"A": "2p147m258s13557z7p", "B": "3455p123m111s222s"}, ask_all=True)
    board = game.kyoku.board
    hand = board.players[B].hand
    melds = ((MeldType.CHI, "1m 2m 3m"), (MeldType.PON, "1s 1s 1s"), (MeldType.PON, "2s 2s 2s"))
    for meld_type, tiles in melds:
        first, second, called = faces(*tiles.split())
        for face in (first, second, called):
            hand.remove(face)
        hand.melds.append(Meld(meld_type, (first, second), called, A))
    board.renew_waits(B)
    game("A sute 2p")
    assert game.refuses("B chi 3p 4p") is Reason.NO_DISCARD


def test_after_chi_or_pon_only_a_discard_is_legal() -> None:
    """Directly after a chi or pon, a kan, riichi, tsumo or nine terminals are refused."""
    game = Scenario({"A": "5p147m258s1357z19s", "B": "55p2222m19s12345z"})
    game("A sute 5p", "B pon")
    assert game.refuses("B ankan 2m") is Reason.NOT_ASKED
    assert game.refuses("B tsumo") is Reason.NOT_ASKED
    assert game.refuses("B richi 9s") is Reason.NOT_CLOSED
    assert game.refuses("B ryukyoku") is Reason.NOT_FIRST


def test_no_call_with_an_empty_wall() -> None:
    """Ron is the only call of the last discard."""
    game = Scenario({"B": "5p19m19s12345677z", "C": "46p19m19p19s12345z"}, ask_all=True)
    game.turns(69)("B sute 5p")
    assert game.kyoku.board.left == 0
    assert game.refuses("C chi 4p 6p") is Reason.TOO_FEW_TILES


def test_double_ron_pays_the_nearest_first() -> None:
    """The discarder pays both winners, and the nearer one gets honba and sticks."""
    game = Scenario(
        {"A": "5p147m258s1357z19s", "B": "234m678m345s46p88p", "C": "234m678m345s46p22p"}, honba=2, kyotaku=1
    )
    game("A sute 5p", "C ron")
    assert game.last == [], "B can still win, too"
    game("B ron")
    first, second = game.events_of(HandWon)
    assert (first.seat, second.seat) == (B, C)
    assert sum(first.changes) == 1000
    assert sum(second.changes) == 0
    assert -first.changes[A] - 600 == -second.changes[A]
    assert game.kyoku.over
