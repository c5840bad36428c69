"""The efficiency policy: its choices in given positions."""

from __future__ import annotations

import pytest
from support.positions import ME, chi, face, pair, pon, position

from ump.arena.play import play_game
from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.events import TileDiscarded
from ump.model.phases import Phase
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.players.policy import Policy, Tsumogiri
from ump.rules.ruleset import Ruleset


def on_turn(seen: Observation) -> Action:
    """Return its choice after a draw or call, without offers."""
    return Efficiency().choose(seen, Phase.TURN, seen.drawn, None)


def on_discard(seen: Observation, tile: str, source: int = 3) -> Action:
    """Return its choice about a discard."""
    seen.see(TileDiscarded(source, face(tile), tsumogiri=False))
    return Efficiency().choose(seen, Phase.CALL, face(tile), None)


def drops(tile: str, *, drawn: bool = False) -> Discard:
    """Return a discard."""
    return Discard(face(tile), tsumogiri=drawn)


@pytest.mark.parametrize(
    ("seen", "answer"),
    [
        pytest.param(position("13m567p34s112256s", drawn="9m"), drops("9m", drawn=True), id="a tile of no use"),
        pytest.param(position("234567m334p1288s", drawn="4p"), drops("1s"), id="the narrow wait goes"),
        pytest.param(position("234m55678p24788s", drawn="4s"), drops("8s"), id="equal now, a wider wait later"),
        pytest.param(position("234567m345p34s46z", drawn="8s"), drops("4z"), id="guest wind before dragon"),
        pytest.param(position("234567m345p34s46z", drawn="8s", dora="3z"), drops("6z"), id="the dora stays"),
        pytest.param(position("234567m34p1z5s88s3z", drawn="0s"), drops("3z"), id="honours before fives"),
        pytest.param(position("19m19p19s123456z5s", drawn="2p"), drops("2p", drawn=True), id="thirteen orphans"),
        pytest.param(
            position("345678p55s46s", melds=[chi("23m", "4m")], drawn="1m"), drops("1m", drawn=True), id="open tanyao"
        ),
        pytest.param(
            position("345678p5599s", melds=[chi("23m", "4m")], drawn="4s"), drops("9s"), id="9s is useless to tanyao"
        ),
        pytest.param(position("345678p5599s", melds=[pon("7z")], drawn="4s"), drops("5s"), id="with yakuhai it is not"),
    ],
)
def test_discards(seen: Observation, answer: Action) -> None:
    """It goes by the lowest shanten with a yaku, then the most live tiles, then the least useful tile."""
    assert on_turn(seen) == answer


@pytest.mark.parametrize(
    ("seen", "answer"),
    [
        pytest.param(position("123m456p789s115z4s", drawn="3s"), Riichi(face("5z")), id="tenpai"),
        pytest.param(position("44566m345p34588s", drawn="0s"), Riichi(face("5s")), id="the plain five goes"),
        pytest.param(position("123m789s24p111z55m", drawn="5p"), Riichi(face("2p")), id="two waits before one"),
        pytest.param(
            position("123m789s24p111z55m", drawn="5p", rivers={ME: "6p"}), Riichi(face("5p"), True), id="no furiten"
        ),
        pytest.param(
            position("1133m5577p2299s5z", drawn="1z", rivers={1: "5z5z"}), Riichi(face("5z")), id="the live single wait"
        ),
        pytest.param(
            position("1133m5577p2299s5z", drawn="1z", rivers={1: "1z1z"}), Riichi(face("1z"), True), id="and the other"
        ),
        pytest.param(position("123m456p789s115z4s", drawn="3s", left=3), drops("5z"), id="too late for riichi"),
        pytest.param(
            position("123m456p789s3334z", drawn="4s", rivers={1: "4z4z4z", 2: "4s4s"}, dora="4s"),
            drops("4z"),
            id="no live wait",
        ),
    ],
)  # fmt: skip
def test_riichi(seen: Observation, answer: Action) -> None:
    """It declares riichi at once, with the widest live wait that is not furiten, and only if a tile is live."""
    assert on_turn(seen) == answer


@pytest.mark.parametrize(
    ("seen", "tile", "answer"),
    [
        pytest.param(position("123m45p66z2279s13s"), "6z", Pon(pair("66z")), id="a dragon"),
        pytest.param(position("123m45p44z2279s13s"), "4z", Pon(pair("44z")), id="the own wind"),
        pytest.param(position("123m45p33z2279s13s"), "3z", Pass(), id="a guest wind"),
        pytest.param(position("123m456p789s66z13s"), "6z", Pon(pair("66z")), id="tenpai, but no riichi was possible"),
        pytest.param(position("123m4567p66z22s13s"), "6z", Pon(pair("66z")), id="no nearer, but with a yaku now"),
        pytest.param(position("234m45p6688s2478m"), "6p", Chi(pair("45p")), id="tanyao"),
        pytest.param(position("234m45p6688s24m12z"), "6p", Chi(pair("45p")), id="tanyao, two tiles to go"),
        pytest.param(position("123m45p6688s1199m"), "6p", Pass(), id="too many other tiles"),
        pytest.param(position("234m45p6688s2478m", ruleset=Ruleset(kuitan=False)), "6p", Pass(), id="no kuitan"),
        pytest.param(position("234m45p6688s2478m"), "5p", Pass(), id="no nearer"),
        pytest.param(position("12m45p2279s13s", melds=[pon("6z")]), "3m", Chi(pair("12m")), id="a yaku is there"),
        pytest.param(position("234m405p6688s46m1z"), "3p", Chi(pair("40p")), id="a red five in a meld stays"),
    ],
)  # fmt: skip
def test_calls(seen: Observation, tile: str, answer: Action) -> None:
    """A call brings the hand nearer and leaves a yaku; a pon of yakuhai may keep the distance."""
    assert on_discard(seen, tile) == answer


@pytest.mark.parametrize(
    ("seen", "answer"),
    [
        pytest.param(position("123m456p99s13s777z", drawn="7z"), Ankan(face("7z")), id="closed"),
        pytest.param(position("123m456p99s4555s8m", drawn="5s"), Riichi(face("8m")), id="not of tiles in use"),
        pytest.param(position("123m456p99s13s", melds=[pon("7z")], drawn="7z"), Kakan(face("7z")), id="added"),
        pytest.param(
            position("345p22s3333z2m", melds=[chi("56m", "7m")], drawn="3m"), drops("3z"), id="not against the plan"
        ),
    ],
)
def test_kans(seen: Observation, answer: Action) -> None:
    """It declares a kan that keeps the distance."""
    assert on_turn(seen) == answer


@pytest.mark.parametrize(
    ("seen", "thrown_in"),
    [
        (position("19m19p19s123z2245p", drawn="8p"), True),
        (position("19m19p19s12345z24p", drawn="8p"), False),
        (position("123m789p11s12399s", drawn="4z"), False),
    ],
    ids=["hopeless", "eleven kinds are near thirteen orphans", "eight kinds"],
)
def test_nine_terminals(seen: Observation, thrown_in: bool) -> None:
    """It aborts with nine terminals, unless the hand is near to a win."""
    assert (on_turn(seen) == KyushuKyuhai()) is thrown_in


@pytest.mark.parametrize(
    ("phase", "offers"),
    [
        (Phase.TURN, (Discard(face("5p"), True), Riichi(face("8s")), Tsumo(), KyushuKyuhai())),
        (Phase.CALL, (Pass(), Pon(pair("88s")), Ron())),
        (Phase.CHANKAN, (Pass(), Ron())),
    ],
)
def test_every_win_is_taken(phase: Phase, offers: tuple[Action, ...]) -> None:
    """It takes a win before any other offer."""
    seen = position("234m567m34p456s88s", drawn="5p")
    assert isinstance(Efficiency().choose(seen, phase, face("5p"), offers), (Tsumo, Ron))


def test_only_offered_actions_are_taken() -> None:
    """The offers of the server replace its own reading of the rules."""
    seen = position("123m456p789s115z4s", drawn="3s")
    only = Discard(face("3s"), tsumogiri=True)
    assert Efficiency().choose(seen, Phase.TURN, face("3s"), (only,)) == only


@pytest.mark.parametrize(("phase", "answer"), [(Phase.CHANKAN, Pass()), (Phase.DECLARE, DeclareTenpai())])
def test_the_other_questions(phase: Phase, answer: Action) -> None:
    """It passes on a kan that it cannot win on, and declares tenpai."""
    offers = (DeclareNoten(), DeclareTenpai()) if phase is Phase.DECLARE else (Pass(),)
    assert Efficiency().choose(position("234m567m34p456s88s"), phase, face("1z"), offers) == answer


def test_open_hand_without_a_yaku_goes_on() -> None:
    """If the hand was opened without a yaku, the policy still aims at a complete hand."""
    seen = position("345p99s13s4m", melds=[chi("12m", "3m"), chi("79p", "8p")])
    assert on_turn(seen) == drops("4m")


def test_kuikae_keeps_the_nearest_discard_away() -> None:
    """After a chi of 4m with 5m6m it keeps 7m and discards another tile."""
    seen = position("7m345p345s88s9p3m", melds=[chi("56m", "4m")])
    assert on_turn(seen) == drops("9p")


@pytest.mark.parametrize("seat", range(2))
def test_it_beats_players_that_discard_what_they_draw(seat: int) -> None:
    """Against three tsumogiri it comes first in every seat."""
    policies: list[Policy] = [Tsumogiri() for _ in range(4)]
    policies[seat] = Efficiency()
    assert play_game(policies, seed="efficiency").result.places[seat] == 1
