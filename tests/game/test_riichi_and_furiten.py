"""Riichi: its conditions, its payment and its restrictions. Furiten in its three forms."""

from __future__ import annotations

from support.rows import each_row
from support.scenario import Scenario

from ump.model.actions import Ankan, Discard, Riichi
from ump.model.claims import Reason
from ump.model.events import DoraRevealed, HandOpened, RiichiDeclared, RiichiPaid, TileCalled, TileDiscarded
from ump.model.notation import parse_mpsz, parse_ump_face
from ump.model.yaku import Yaku
from ump.rules.ruleset import RiichiKan

A, B, C, D = range(4)
TENPAI = "234m678m345s46p88p"
"""A hand that waits for 5p with tanyao."""
ONE_OFF = "234m678m345s6p88p1z"
"""A hand that becomes TENPAI by drawing 4p and discarding 1z."""
LOOSE = "147m258p369s1357z"


def names(game: Scenario) -> list[str]:
    """Return the names of the yaku of the win."""
    return [yaku.name for yaku, _ in game.win.value.yaku]


def test_riichi_is_declared_then_discarded_then_paid() -> None:
    """The stick is paid as soon as ron is ruled out."""
    game = Scenario({"A": ONE_OFF}, "4p")
    game("A richi 1z")
    kinds = [type(event) for event in game.last]
    assert kinds[:3] == [RiichiDeclared, TileDiscarded, RiichiPaid]
    assert game.events_of(TileDiscarded)[0].riichi
    assert game.points == [24_000, 25_000, 25_000, 25_000]


def test_riichi_is_paid_before_its_tile_is_called() -> None:
    """RiichiPaid precedes TileCalled."""
    game = Scenario({"A": ONE_OFF, "C": "11z147m258p369s57z"}, "4p")
    game("A richi 1z", "C pon")
    assert [type(event) for event in game.last] == [RiichiPaid, TileCalled]


def test_ron_on_a_riichi_tile_costs_no_stick() -> None:
    """The riichi does not stand."""
    game = Scenario({"A": "234m678m345s6p88p5p", "C": TENPAI}, "4p", points=(25_000,) * 4)
    game("A richi 5p", "C ron")
    assert not game.events_of(RiichiPaid)
    assert sum(game.points) == 100_000
    assert game.win.changes[C] == -game.win.changes[A]


@each_row(
    ("changes", "reason"),
    [
        ({"points": (900, 33_000, 33_000, 33_100)}, Reason.TOO_FEW_POINTS),
        ({"points": (900, 33_000, 33_000, 33_100), "riichi_points": 0}, None),
        ({"points": (1_000, 33_000, 33_000, 33_000)}, None),
    ],
)
def test_riichi_needs_points(changes: dict[str, object], reason: Reason | None) -> None:
    """1,000 points are enough. If the ruleset requires none, the score may fall below zero.

    Source: Tenhou's manual (tenhou.net/man); for riichi without points M.LEAGUE's rules, 3-2, and WRC Rules 2025.
    """
    game = Scenario({"A": ONE_OFF}, "4p", **changes)  # type: ignore[arg-type]
    if reason is None:
        assert game("A richi 1z").points[A] == game.kyoku.board.points[A]
        assert game.events_of(RiichiPaid)
    else:
        assert game.refuses("A richi 1z") is reason
        assert not game.offers("A", Riichi)


@each_row(("tiles", "accepted"), [(4, True), (66, False), (65, True)])
def test_riichi_needs_tiles_in_the_wall(tiles: int, accepted: bool) -> None:
    """The tiles are counted after the draw: at the fifth draw 65 are left.

    Source: Tenhou's manual (four tiles); M.LEAGUE's rules, 4-8 (one); WRC's clarification of June 2025 (none).
    """
    game = Scenario({"A": ONE_OFF}, "9s1m9m1m4p", riichi_tiles=tiles).turns(4)
    assert game.kyoku.board.left == 65
    assert bool(game.offers("A", Riichi)) is accepted
    if not accepted:
        assert game.refuses("A richi 1z") is Reason.TOO_FEW_TILES


def test_riichi_needs_tenpai_and_a_closed_hand() -> None:
    """Discards that do not leave tenpai are refused, and all of them with an open hand."""
    game = Scenario({"A": ONE_OFF}, "4p")
    assert game.refuses("A richi 2m") is Reason.NOT_TENPAI
    assert [action.face for action in game.offers("A", Riichi)] == [parse_ump_face("1z")]  # type: ignore[union-attr]
    game = Scenario({"A": "8p147m258s369s135z", "B": "88p234m678m345s6p1z"}, "2z9s9m9p7p")
    game("A sute 8p", "B pon 8p 8p", "B sute 1z").pass_all().turns(3)
    assert game.refuses("B richi 6p") is Reason.NOT_CLOSED


def test_in_riichi_only_the_drawn_tile_can_be_discarded() -> None:
    """Other tiles are refused; the drawn one is recognised without its flag."""
    game = Scenario({"A": ONE_OFF}, "4p9s9m9p2m")
    game("A richi 1z").pass_all().turns(3)
    assert game.offers("A", Discard) == [Discard(parse_ump_face("2m"), tsumogiri=True)]
    assert game.refuses("A sute 8p") is Reason.IN_RIICHI
    game("A sute 2m")
    assert game.events_of(TileDiscarded)[-1].tsumogiri


def test_riichi_on_the_first_turn_is_double_riichi() -> None:
    """After a call it is a plain riichi."""
    assert "DOUBLE_RIICHI" in names(Scenario({"A": ONE_OFF}, "4p9s9m9p5p")("A richi 1z").turns(3)("A tsumo"))
    game = Scenario({"A": "3z147m258p369s157z", "B": ONE_OFF, "C": "33z258p147m369s99m"}, "2z9s9p4p")
    game("A sute 3z", "C pon", "C sute 9m").pass_all().turns(2)
    assert game.asked == "B"
    game("B richi 1z")
    assert game.kyoku.board.players[B].riichi == 1


def test_ippatsu_ends_with_the_next_discard_or_any_call() -> None:
    """A win within one go-around has ippatsu, unless the ruleset excludes it."""
    assert "IPPATSU" in names(Scenario({"A": ONE_OFF}, "4p9s9m9p5p")("A richi 1z").turns(3)("A tsumo"))
    later = Scenario({"A": ONE_OFF}, "4p9s9m9p1m9s9m9p5p")("A richi 1z").turns(7)("A tsumo")
    assert "IPPATSU" not in names(later)
    called = Scenario({"A": ONE_OFF, "D": "11z147m258p369s57z"}, "4p5p")
    called("A richi 1z", "D pon", "D sute 7z").pass_all()
    assert "IPPATSU" not in names(called("A tsumo"))
    assert "IPPATSU" not in names(
        Scenario({"A": ONE_OFF}, "4p9s9m9p5p", ippatsu=False)("A richi 1z").turns(3)("A tsumo")
    )


def test_wait_in_the_river_forbids_ron_but_not_tsumo() -> None:
    """A player that has discarded one of its waits cannot win by ron on any of them."""
    game = Scenario({"A": "5p234m678m345s46p8p", "C": "5p147m258s19m1234z"}, "8p9s9m9p1m9s9m9p0p", ask_all=True)
    game("A sute 5p").pass_all().turns(1)
    game("C sute 5p")
    assert game.refuses("A ron") is Reason.FURITEN
    game.pass_all().turns(5)
    game("A tsumo")
    assert game.win.loser is None


def test_passed_wait_forbids_ron_until_the_next_discard() -> None:
    """Temporary furiten lasts until the player's next discard."""
    hands = {"A": "5p147m258s1357z19s", "B": TENPAI, "C": "5p258m147s1357z99p", "D": "0p369m369s2467z99m"}
    game = Scenario(hands, "9s", ask_all=True)
    game("A sute 5p").pass_all().turns(1)
    game("C sute 5p", "A no", "B ron", "D no")
    assert game.win.loser == C, "B has discarded since the first 5p"
    game = Scenario(hands, "9s", ask_all=True)
    game("A sute 5p").pass_all().turns(1)
    game("C sute 5p").pass_all()
    game("D sute 5P")
    assert game.refuses("B ron") is Reason.FURITEN


def test_passed_wait_without_yaku_is_furiten() -> None:
    """A wait that could not be won on for lack of a yaku counts as passed."""
    no_yaku = "123m678m345s46p88p"
    game = Scenario({"A": LOOSE, "C": no_yaku}, "5p5p", ask_all=True)
    game("A sute 5p")
    assert game.refuses("C ron") is Reason.NO_YAKU
    game.pass_all()("B sute 5p")
    assert game.refuses("C ron") is Reason.FURITEN


def test_passed_wait_in_riichi_is_permanent_furiten() -> None:
    """Discards do not end it, but tsumo still wins."""
    hands = {"A": ONE_OFF, "C": "5p258m147s2467z19m", "D": "5p369m369s567z11p1m"}
    game = Scenario(hands, "4p9s9m9p1m9s9m9p0p", ask_all=True)
    game("A richi 1z").pass_all().turns(1)
    game("C sute 5p", "A no").pass_all().turns(3)
    assert game.asked == "C"
    game.turns(1)("D sute 5p")
    assert game.refuses("A ron") is Reason.FURITEN
    game.pass_all()("A tsumo")
    assert game.win.riichi


@each_row(("rule", "allowed"), [(RiichiKan.NEVER, False), (RiichiKan.SAME_WAITS, True), (RiichiKan.SAME_SHAPE, True)])
def test_kan_in_riichi(rule: RiichiKan, allowed: bool) -> None:
    """A drawn tile and three that are a triplet in every reading may become a closed kan."""
    game = Scenario({"A": "111z678m345s46p8p9s"}, "8p9s9m9p1z", riichi_kan=rule)
    game("A richi 9s").pass_all().turns(3)
    assert bool(game.offers("A", Ankan)) is allowed
    if allowed:
        game("A ankan 1z")
        assert game.events_of(DoraRevealed)[1:], "a closed kan reveals its dora at once"
    else:
        assert game.refuses("A ankan 1z") is Reason.WAIT_CHANGES


def test_kan_in_riichi_needs_the_drawn_tile() -> None:
    """Four tiles that the hand held before cannot become a kan."""
    game = Scenario({"A": "111123m678p345s9s"}, "1z8s9m9p2m", riichi_kan=RiichiKan.SAME_WAITS)
    game("A richi 1z").pass_all().turns(3)
    assert game.refuses("A ankan 1m") is Reason.WAIT_CHANGES


def test_open_riichi_shows_the_hand() -> None:
    """The 13 tiles are shown after the discard, and the yaku is open or double riichi."""
    game = Scenario({"A": ONE_OFF}, "4p9s9m9p5p", open_riichi=True)
    game("A openrichi 1z")
    shown = game.events_of(HandOpened)[0]
    assert shown.faces == parse_mpsz("234678m4688p345s")
    game.pass_all().turns(3)("A tsumo")
    assert any(yaku in (Yaku.OPEN_RIICHI, Yaku.DOUBLE_RIICHI) for yaku, _ in game.win.value.yaku)


def test_open_riichi_is_refused_if_the_ruleset_excludes_it() -> None:
    """The reason is ``not_in_ruleset``."""
    assert Scenario({"A": ONE_OFF}, "4p").refuses("A openrichi 1z") is Reason.NOT_IN_RULESET
