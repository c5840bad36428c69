"""The legal actions that a seat knows without offers are those that the game offers."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from support.budgets import some
from support.positions import ME, chi, face, pair, pon, position, start

from ump.arena.play import play_game
from ump.model.actions import Action, Chi, DeclareNoten, DeclareTenpai, Discard, KyushuKyuhai, Pass, Riichi, Ron, Tsumo
from ump.model.events import RiichiDeclared, TileDiscarded
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.players.claimable import claimable
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.players.policy import RandomLegal
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Kuikae, Length, OwnCopies, Renhou, RiichiKan, Ruleset

ODD = replace(
    PRESETS["tenhou"],
    open_riichi=True,
    kokushi_ankan=True,
    own_copies=OwnCopies.WITH_MELDS,
    riichi_kan=RiichiKan.SAME_SHAPE,
    kuikae=Kuikae.SAME_TILE,
    renhou=Renhou.YAKUMAN,
)
"""A ruleset with the switches about legality that no preset sets."""


class Compared:
    """Plays mostly well, sometimes at random, and compares its offers with the actions that it could claim."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)
        self._well, self._wildly = Efficiency(), RandomLegal(self._chance)

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Compare, then choose."""
        assert claimable(seen, phase, tile) == offers
        policy = self._wildly if self._chance.random() < 0.2 else self._well
        return policy.choose(seen, phase, tile, offers)


@pytest.mark.no_cover
@pytest.mark.parametrize("ruleset", [*some([*PRESETS.values()]), ODD], ids=lambda ruleset: str(ruleset.name))
def test_claimable_actions_are_the_offers_of_the_game(ruleset: Ruleset) -> None:
    """In every preset, a seat knows its legal actions from its own view."""
    for game in range(2):
        policies = [Compared(seat) for seat in range(ruleset.seats)]
        played = play_game(policies, replace(ruleset, length=Length.TONPU), seed=f"claims/{game}")
        assert any(isinstance(event, RiichiDeclared) for event in played.events)


def asked(seen: Observation, source: Seat, tile: str, phase: Phase = Phase.CALL) -> tuple[Action, ...]:
    """Return the actions that a seat may claim on a discard."""
    seen.see(TileDiscarded(source, face(tile), tsumogiri=False))
    return claimable(seen, phase, face(tile))


@pytest.mark.parametrize(
    ("seen", "may"),
    [
        pytest.param(position("234m567m34p456s88s"), True, id="tanyao"),
        pytest.param(position("123m456s789s34p11z"), False, id="closed, without riichi no yaku by ron"),
        pytest.param(position("234m567m34p456s88s", rivers={ME: "2p"}), False, id="the other wait lies in the river"),
        pytest.param(position("234m567m34p456s88s", rivers={1: "2p", 2: "9s"}), False, id="a wait has passed"),
        pytest.param(position("234m567m34p456s88s", rivers={1: "3p", 2: "9s"}), True, id="no wait has passed"),
    ],
)
def test_ron_needs_a_yaku_and_no_furiten(seen: Observation, may: bool) -> None:
    """The tile is a wait with a yaku; no wait is in the own river or has passed since the own draw."""
    assert (Ron() in asked(seen, 2, "5p")) is may


@pytest.mark.parametrize(
    ("seen", "may"),
    [
        pytest.param(position("123m456p789s1155z", drawn="9m"), True, id="closed and tenpai"),
        pytest.param(position("123m456p789s1155z", drawn="9m", left=4), True, id="four tiles left"),
        pytest.param(position("123m456p789s1155z", drawn="9m", left=3), False, id="three tiles left"),
        pytest.param(position("123m456p789s1155z", drawn="9m", started=start(points=[1_000] * 4)), True, id="1000"),
        pytest.param(position("123m456p789s1155z", drawn="9m", started=start(points=[900] * 4)), False, id="900"),
        pytest.param(position("123m456p1155z", melds=[pon("7z")], drawn="9m"), False, id="open"),
        pytest.param(position("123m456p78s11552z", drawn="9m"), False, id="not tenpai"),
    ],
)
def test_riichi_needs_points_tiles_and_a_closed_tenpai_hand(seen: Observation, may: bool) -> None:
    """The seat knows all of these itself."""
    assert (Riichi(face("9m"), tsumogiri=True) in claimable(seen, Phase.TURN, face("9m"))) is may


def test_chi_is_for_the_next_seat() -> None:
    """Only the previous seat's discard can be called for a chi, with either five, the red one first."""
    hand = "05m46m19p19s123z57z"
    assert asked(position(hand), 3, "6m") == (Pass(), Chi(pair("40m")), Chi(pair("45m")))
    assert asked(position(hand), 2, "6m") == (Pass(),)


def test_no_call_of_the_last_discard() -> None:
    """After the last draw, a discard can only be won."""
    assert asked(position("23m44p456s12399p1z", left=0), 3, "4p") == (Pass(),)


def test_discard_after_a_call_avoids_kuikae() -> None:
    """After a chi of 4m with 5m6m, 4m and 7m are illegal discards."""
    seen = position("4799m1z", melds=[pon("6z"), pon("5z"), chi("56m", "4m")])
    assert claimable(seen, Phase.TURN, None) == (Discard(face("9m")), Discard(face("1z")))


def test_nine_terminals_are_for_the_first_turn() -> None:
    """Nine kinds, before the own first discard and any meld."""
    hand = "19m19p19s123z2345p"
    assert KyushuKyuhai() in claimable(position(hand, drawn="6p"), Phase.TURN, face("6p"))
    assert KyushuKyuhai() not in claimable(position(hand, drawn="6p", rivers={ME: "5z"}), Phase.TURN, face("6p"))


def test_tsumo_needs_no_more_than_a_closed_hand() -> None:
    """Menzen tsumo is a yaku, and furiten does not forbid it."""
    seen = position("123m345p456s5567p", drawn="8p", rivers={ME: "8p"})
    assert Tsumo() in claimable(seen, Phase.TURN, face("8p"))


def test_tenpai_declaration() -> None:
    """Both answers are legal for a tenpai hand, and only one for any other."""
    assert claimable(position("123m456p789s1155z"), Phase.DECLARE, None) == (DeclareTenpai(), DeclareNoten())
    assert claimable(position("123m456p789s1125z"), Phase.DECLARE, None) == (DeclareNoten(),)


def test_impossible_questions_are_rejected() -> None:
    """A call needs a tile, and a turn needs a draw or a call."""
    with pytest.raises(ValueError, match="about a tile"):
        claimable(position("123m456p789s1155z"), Phase.CALL, None)
    with pytest.raises(ValueError, match="follows a chi or pon"):
        claimable(position("123m456p789s1155z"), Phase.TURN, None)
