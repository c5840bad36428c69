"""The defensive policy: which tiles it holds dangerous, when it goes on, and when it folds."""

from __future__ import annotations

import pytest
from support.positions import ME, chi, face, kinds, pair, pon, position, start

from ump.arena.play import play_game
from ump.model.actions import Action, Discard, Pass, Pon, Riichi, Ron, Tsumo
from ump.model.events import GameEnded, RiichiDeclared, TileCalled, TileDiscarded, TileDrawn
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, KINDS
from ump.players.danger import MOST, Threat, safe_kinds, threats
from ump.players.defensive import Defensive
from ump.players.efficiency import Efficiency
from ump.players.expectation import points_of
from ump.players.observation import Observation
from ump.players.policy import POLICIES, Policy, Tsumogiri
from ump.players.prospects import YakuPlan
from ump.rules.presets import PRESETS

RIVER = "1z9m9p1s4z2s"
FAR = "1479m258p369s123z"
"""Six from tenpai."""


def against_riichi(concealed: str, drawn: str, *, river: str = RIVER, seat: Seat = 2, dealer: Seat = 1) -> Observation:
    """Return a position in which a player has just declared riichi with the last tile of this river."""
    seen = position(concealed, rivers={seat: river}, started=start(dealer), left=40)
    declare(seen, seat, "6z")
    seen.see(TileDrawn(ME, 39, face(drawn)))
    return seen


def declare(seen: Observation, seat: Seat, tile: str) -> None:
    """Let a player declare riichi with this tile."""
    seen.see(TileDrawn(seat, 40, None))
    seen.see(RiichiDeclared(seat))
    seen.see(TileDiscarded(seat, face(tile), tsumogiri=False))


def on_turn(seen: Observation) -> Action:
    """Return its choice after a draw, without offers."""
    return Defensive().choose(seen, Phase.TURN, seen.drawn, None)


def danger(seen: Observation, tile: str) -> float:
    """Return how dangerous a tile is against the only threat."""
    (threat,) = threats(seen)
    return threat.dangers[KIND_OF[face(tile)]]


# Danger


def test_nobody_is_a_threat_at_the_start() -> None:
    """A closed hand without riichi shows nothing."""
    assert threats(position(FAR, drawn="5s", rivers={1: "1z2z3z"})) == []


def test_riichi_is_a_threat() -> None:
    """Its own discards are safe, and every tile that has passed since."""
    seen = against_riichi(FAR, "5s")
    assert safe_kinds(seen, 2) == kinds(RIVER + "6z")
    seen.see(TileDiscarded(ME, face("5s"), tsumogiri=True))
    seen.see(TileDrawn(1, 38, None))
    seen.see(TileDiscarded(1, face("7p"), tsumogiri=True))
    seen.see(TileDrawn(2, 37, None))
    assert safe_kinds(seen, 2) == kinds(RIVER + "6z5s7p")
    (threat,) = threats(seen)
    assert (threat.seat, threat.tenpai) == (2, 1.0)
    assert all(threat.dangers[kind] == 0 for kind in kinds(RIVER + "6z5s7p"))


def test_a_tile_that_is_being_called_has_not_passed() -> None:
    """Others may still win on the last discard."""
    seen = against_riichi(FAR, "5s")
    seen.see(TileDiscarded(ME, face("5s"), tsumogiri=True))
    seen.see(TileDrawn(1, 38, None))
    seen.see(TileDiscarded(1, face("7p"), tsumogiri=True))
    assert KIND_OF[face("7p")] not in safe_kinds(seen, 2)


@pytest.mark.parametrize(
    ("safer", "riskier", "seen"),
    [
        pytest.param("4p", "5p", against_riichi(FAR, "5s", river="1p7p1z"), id="suji on both sides"),
        pytest.param("4p", "6p", against_riichi(FAR, "5s", river="1p1z"), id="suji on one side"),
        pytest.param("9s", "5s", against_riichi("1479m258p3699s12z", "5s", river="1z"), id="a terminal"),
        pytest.param("2z", "5m", against_riichi("1479m258p369s222z", "5s", river="1z"), id="an honour, the last one"),
        pytest.param("2m", "8m", against_riichi("3333m47m258p36s1z5z", "5s", river="1z"), id="behind a wall"),
    ],
)
def test_usual_readings(safer: str, riskier: str, seen: Observation) -> None:
    """Counting shapes contains what players know by heart."""
    assert 0 <= danger(seen, safer) < danger(seen, riskier) <= MOST


def test_dangers_add_up() -> None:
    """A tenpai hand waits for one or two kinds."""
    (threat,) = threats(against_riichi(FAR, "5s"))
    assert len(threat.dangers) == KINDS
    assert 1.0 < sum(threat.dangers) < 2.0


def test_open_hands() -> None:
    """The more melds and turns, the likelier a threat; dora and yakuhai that show make it dearer."""

    def opened(*tiles: str, river: str, dora: str = "") -> list[Threat]:
        seen = position(FAR, rivers={2: river}, dora=dora)
        for tile in tiles:
            seen.see(TileCalled(2, pon(tile)))
        seen.see(TileDrawn(ME, 30, face("5s")))
        return threats(seen)

    assert opened("5z", river="1z9m") == []
    assert opened("5z", "2s", "8s", river="1z9m") == []
    (early,) = opened("5z", "2s", "8s", river="1z9m9p1s4z2s")
    (late,) = opened("5z", "2s", "8s", river="1z9m9p1s4z2s3m4m5m6m7m8m")
    (dear,) = opened("5z", "2s", "8s", river="1z9m9p1s4z2s", dora="4z1s")
    assert 0 < early.tenpai < late.tenpai < 1
    assert early.points == late.points < dear.points


def test_a_dealer_costs_more() -> None:
    """Half as much again."""
    (child,), (dealer,) = threats(against_riichi(FAR, "5s")), threats(against_riichi(FAR, "5s", dealer=2))
    assert dealer.points == 1.5 * child.points


def test_three_players() -> None:
    """There is no 2m to 8m to wait for."""
    seen = position(
        "19m147p258s12345z", ruleset=PRESETS["tenhou3"], started=start(dealer=1, points=(35_000,) * 3), rivers={1: "9p"}
    )
    declare(seen, 2, "1m")
    (threat,) = threats(seen)
    assert not any(threat.dangers[kind] for kind in range(8))
    assert threat.dangers[8] > 0


# Folding and going on


def test_it_plays_like_efficiency_without_a_threat() -> None:
    """Discards, riichi and calls are the same."""
    for concealed, drawn in (("13m567p34s112256s", "9m"), ("123m456p789s115z4s", "3s"), ("19m19p19s123456z5s", "2p")):
        seen = position(concealed, drawn=drawn)
        assert on_turn(seen) == Efficiency().choose(seen, Phase.TURN, seen.drawn, None)
    seen = position("123m45p66z2279s13s")
    seen.see(TileDiscarded(3, face("6z"), tsumogiri=False))
    assert Defensive().choose(seen, Phase.CALL, face("6z"), None) == Pon(pair("66z"))


@pytest.mark.parametrize(
    ("seen", "answer"),
    [
        pytest.param(against_riichi("1479m258p369s1z5z7z", "5s"), "1z", id="the only safe tile"),
        pytest.param(against_riichi("1278m4458p3369s9m", "5s", river="9m9p"), "9m", id="two from tenpai"),
    ],
)
def test_it_folds(seen: Observation, answer: str) -> None:
    """A hand that is far from a win discards what is safe, whatever it breaks."""
    assert on_turn(seen) == Discard(face(answer))


def test_it_goes_on_with_a_good_hand() -> None:
    """Tenpai on two sides with dora is worth a dangerous tile, and riichi."""
    seen = against_riichi("234m456p0678s66p5z", "7s", river="1z9m9p")
    assert isinstance(on_turn(seen), Riichi)


def test_it_folds_a_cheap_hand_far_from_tenpai_against_two() -> None:
    """Two players in riichi: everything but the common safe tile is too dear."""
    seen = position("2378m4468p3367s9m", rivers={1: "9m1z", 2: "9m2z"}, left=30)
    declare(seen, 1, "3z")
    declare(seen, 2, "4z")
    seen.see(TileDrawn(ME, 29, face("5s")))
    assert on_turn(seen) == Discard(face("9m"))


def test_it_does_not_call_while_it_folds() -> None:
    """A pon of yakuhai brings nothing to a hand that is far away."""
    seen = against_riichi("147m258p36s12366z", "9s")
    seen.see(TileDiscarded(ME, face("1z"), tsumogiri=False))
    seen.see(TileDrawn(1, 38, None))
    seen.see(TileDiscarded(1, face("6z"), tsumogiri=True))
    assert Defensive().choose(seen, Phase.CALL, face("6z"), None) == Pass()


def test_it_calls_for_tenpai() -> None:
    """With dora, and one tile from tenpai, a call is worth its discard."""
    seen = against_riichi("234m0679p66z4566s", "9p", river="9p1z9s")
    seen.see(TileDiscarded(ME, face("9p"), tsumogiri=True))
    seen.see(TileDrawn(1, 38, None))
    seen.see(TileDiscarded(1, face("6z"), tsumogiri=True))
    assert Defensive().choose(seen, Phase.CALL, face("6z"), None) == Pon(pair("66z"))


@pytest.mark.parametrize(("phase", "win"), [(Phase.TURN, Tsumo()), (Phase.CALL, Ron())])
def test_it_takes_every_win(phase: Phase, win: Action) -> None:
    """It takes a win against every threat."""
    seen = against_riichi("234m456p678s66p55z", "5z")
    assert Defensive().choose(seen, phase, face("5z"), (Discard(face("5z")), win, Pass())) == win


def test_value_of_hands() -> None:
    """Dora, red fives, yakuhai and simple tiles raise it; an open hand is worth less."""
    plain = position("123m456p789s11s23p", drawn="9p", dora="9m")
    red = position("123m406p789s11s23p", drawn="9p", dora="9m")

    def points(seen: Observation, *, is_closed: bool = True) -> float:
        return points_of(seen, seen.hand.kinds, YakuPlan.CLOSED, is_closed=is_closed)

    assert points(plain) < points(red)
    assert points(plain, is_closed=False) < points(plain)
    simple = position("345p5588s", melds=[chi("23m", "4m"), chi("67s", "8s")], drawn="5s")
    assert points(simple, is_closed=False) >= 1_000


@pytest.mark.no_cover
@pytest.mark.parametrize("preset", ["tenhou", "tenhou3", "ump"])
def test_whole_games(preset: str) -> None:
    """It plays whole games under any rules, among its own kind and others."""
    ruleset = PRESETS[preset]
    policies: list[Policy] = [Defensive(), Efficiency(), Tsumogiri(), Defensive()]
    for seed in ("a", "b"):
        played = play_game(policies[: ruleset.seats], ruleset, seed=seed)
        assert isinstance(played.events[-1], GameEnded)


def test_it_is_a_built_in_bot() -> None:
    """By its name."""
    assert isinstance(POLICIES["defensive"](), Defensive)
