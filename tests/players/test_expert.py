"""The expert policy: what it reckons with, and what it chooses in positions where the right choice is known."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from support.positions import ME, face, pair, pon, position, start
from support.rows import each_row

from ump.arena.play import play_game
from ump.model.actions import Action, Ankan, Chi, Daiminkan, Discard, Kakan, Pass, Pon, Riichi, Ron
from ump.model.events import GameEnded, RiichiDeclared, TileDiscarded, TileDrawn
from ump.model.melds import Meld, MeldType
from ump.model.phases import Phase
from ump.model.tiles import EAST, KIND_OF, KINDS, SOUTH
from ump.players.danger import calibrated_threats
from ump.players.expert import Expert, Personality
from ump.players.observation import Observation
from ump.players.outlook import Outlook
from ump.players.policy import POLICIES, Policy, Tsumogiri
from ump.players.stakes import Stakes
from ump.players.win_value import ValueConditions, meld_code, win_value
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.rules.score import Circumstances, hand_value
from ump.rules.shanten import shanten_and_ukeire

LAST = 3
"""With this dealer the east round ends."""


def choice(seen: Observation, phase: Phase = Phase.TURN, tile: str = "") -> Action:
    """Return the choice after a draw, or about a tile; the values say the same."""
    asked = face(tile) if tile else seen.drawn
    chosen = Expert().choose(seen, phase, asked, None)
    values = Expert().evaluate(seen, phase, asked, None)
    if values is not None:
        best = values.candidates[0]
        assert best.value == max(each.value for each in values.candidates)
        assert best.action == (replace(chosen, tsumogiri=False) if isinstance(chosen, (Discard, Riichi)) else chosen)
        assert len({each.action for each in values.candidates}) == len(values.candidates)
        assert all(each.reason for each in values.candidates)
    return chosen


def against_riichi(concealed: str, drawn: str, river: str = "1z9m9p1s4z2s") -> Observation:
    """Return a position in which seat 2 has just declared riichi."""
    seen = position(concealed, rivers={2: river}, left=40)
    for event in (TileDrawn(2, 40, None), RiichiDeclared(2), TileDiscarded(2, face("6z"), tsumogiri=False)):
        seen.see(event)
    seen.see(TileDrawn(ME, 39, face(drawn)))
    return seen


def values(seen: Observation) -> list[float]:
    """Return the worth of the 13 tiles of a hand without riichi, by the draws left."""
    kinds = seen.hand.kinds[:]
    outlook = Outlook(seen, Stakes(seen), calibrated_threats(seen))
    _, mask = shanten_and_ukeire(kinds)
    return outlook.tenpai(kinds, mask, outlook.melds, 0).quiet


def test_values_of_wins_are_those_of_the_rules() -> None:
    """The han of random hands, open and closed, are exact: yaku of the moment aside."""
    random = Random(38)
    for _ in range(150):
        kinds, melds = _complete_hand(random)
        win = random.choice([kind for kind, count in enumerate(kinds) if count])
        faces = tuple(kind for kind, count in enumerate(kinds) for _ in range(count))
        exact = hand_value(Ruleset(), faces, melds, win, Circumstances(tsumo=False, seat_wind=1, round_wind=0))
        found = win_value(kinds, win, tuple(map(meld_code, melds)), ValueConditions(SOUTH, EAST, not melds))
        assert found.han == (0 if exact is None else 13 if exact.yakuman else exact.han)


def _complete_hand(random: Random) -> tuple[list[int], tuple[Meld, ...]]:
    """Return concealed tiles and melds that make four sets and a pair."""
    while True:
        kinds, held, melds = [0] * KINDS, [0] * KINDS, []
        for _ in range(4):
            is_run, is_open = random.random() < 0.6, random.random() < 0.3
            first = 9 * random.randrange(3) + random.randrange(7) if is_run else random.randrange(KINDS)
            tiles = tuple(range(first, first + 3)) if is_run else (first,) * 3
            if is_open:
                melds.append(Meld(MeldType.CHI if is_run else MeldType.PON, tiles[:2], tiles[2], 3))
            for kind in tiles:
                held[kind] += 1
                kinds[kind] += not is_open
        last = random.randrange(KINDS)
        held[last] += 2
        kinds[last] += 2
        if max(held) <= 4:
            return kinds, tuple(melds)


def test_points_count_until_places_do() -> None:
    """In the last kyoku the fourth gains most by what overtakes, and the first little by more points."""
    early = Stakes(position("123m456p789s1155z", started=start(dealer=0)))
    assert early.win(8_000, tsumo=False) == 8_000 == early.payment(8_000)
    ruleset = PRESETS["tenhou"]

    def last(*points: int) -> Stakes:
        return Stakes(position("123m456p789s1155z", started=start(LAST, 1, points), ruleset=ruleset))

    behind, ahead = last(18_000, 30_000, 27_000, 25_000), last(32_000, 25_000, 23_000, 20_000)
    assert behind.win(8_000, tsumo=False) > 8 * behind.win(1_000, tsumo=False)
    assert ahead.win(8_000, tsumo=False) < 8_000 < ahead.payment(8_000)
    assert ahead.win(1_000, tsumo=False) == ahead.win(8_000, tsumo=False)  # either ends the game
    third = last(22_000, 36_000, 24_200, 17_800)  # a tsumo of 1,000 falls short of the second
    assert third.win(1_000, tsumo=True) < third.win(2_600, tsumo=True) == third.win(4_000, tsumo=True)


def test_values_of_tenpai() -> None:
    """More live tiles and han are worth more; furiten less."""
    two_sides, inside = position("234m456p67888s55p"), position("234m456p57888s55p")
    assert values(inside)[8] < values(two_sides)[8] < values(position("234m406p67888s55p"))[8]
    furiten = values(position("234m456p67888s55p", rivers={ME: "5s"}))
    assert furiten[8] < values(two_sides)[8]


@each_row(
    ("seen", "answer"),
    [
        (position("11239m567p34567s", drawn="2z"), "2z"),  # the tile that helps nothing
        (position("1114m3677p25579s", drawn="5s", left=50), "2s"),  # two from tenpai: 6p leaves more, and then less
        (position("11m224666p36s123z", drawn="3m", left=50), "2z"),  # three: 6p leaves more tiles, and no triplet
        (against_riichi("1479m258p369s1z5z7z", "5s"), "1z"),  # the only safe tile
        (against_riichi("1278m4458p3369s1z", "5s", "1z9p"), "1z"),  # three from tenpai
    ],
)
def test_discards(seen: Observation, answer: str) -> None:
    """It keeps what is useful, and folds a hand that is too far from a win."""
    chosen = choice(seen)
    assert isinstance(chosen, Discard)
    assert chosen.face == face(answer)


def test_riichi_by_value() -> None:
    """A hand without a yaku declares riichi; a dear one with a yaku, and one that only keeps its lead, do not."""
    assert isinstance(choice(position("123m456p789s1123p", drawn="9m", left=50)), Riichi)
    assert isinstance(choice(against_riichi("234m456p0678s66p5z", "7s", "1z9m9p")), Riichi)
    leader = start(LAST, 1, (30_000, 29_000, 21_000, 20_000))
    seen = position("234m456p67888s55p", drawn="9m", left=50, started=leader, ruleset=PRESETS["tenhou"])
    assert isinstance(choice(seen), Discard)


def test_calls_by_value() -> None:
    """It calls a yakuhai with dora, and without a yaku only for tenpai at the end of the wall."""
    seen = position("123m45p66z2279s13s", dora="1s")
    seen.see(TileDiscarded(3, face("6z"), tsumogiri=False))
    assert choice(seen, Phase.CALL, "6z") == Pon(pair("66z"))
    seen = position("123m45p56z2279s13s")
    seen.see(TileDiscarded(3, face("6p"), tsumogiri=False))
    assert choice(seen, Phase.CALL, "6p") == Pass()
    for left, is_called in ((50, False), (6, True)):
        seen = position("12378m456p99p24s1z", left=left)
        seen.see(TileDiscarded(3, face("3s"), tsumogiri=False))
        assert isinstance(choice(seen, Phase.CALL, "3s"), Chi) is is_called
    seen = position("123m456p789s1123p")
    assert Expert().choose(seen, Phase.CALL, face("1p"), (Pass(), Ron())) == Ron()


def test_kans_by_value() -> None:
    """It makes a kan that keeps a good hand, none that spoils the shape, and none that makes a riichi dearer."""
    assert choice(position("222z456p78s23455s", drawn="2z", left=50)) == Ankan(SOUTH)
    assert isinstance(choice(position("2223m456p78s234s1z", drawn="2m", left=50)), Discard)
    assert isinstance(choice(against_riichi("2223m19p478s149s1z", "2m")), Discard)
    melds = (pon("5z"), pon("7s"))
    assert choice(position("22288m67p", melds=melds, drawn="5z", left=50)) == Kakan(face("5z"))
    seen = position("22288m67p", melds=melds, left=50)
    seen.see(TileDiscarded(3, face("2m"), tsumogiri=False))
    assert choice(seen, Phase.CALL, "2m") == Daiminkan()
    seen = position("111m456p78s23455s", left=50)
    seen.see(TileDiscarded(3, face("1m"), tsumogiri=False))
    assert choice(seen, Phase.CALL, "1m") == Pass()


def test_threats_by_rates() -> None:
    """An open hand is more likely tenpai the longer it discards what it draws; safe tiles stay safe."""
    seen = against_riichi("1479m258p369s123z", "5s")
    threat = max(calibrated_threats(seen), key=lambda each: each.tenpai)
    assert threat.dangers[KIND_OF[face("9m")]] == 0 < min(threat.dangers[KIND_OF[face(each)]] for each in ("5s", "5p"))
    found = []
    for is_drawn in (False, True):
        seen = position("1479m258p369s123z", rivers={2: "1z9m9p1s4z2s"}, melds=())
        seen.melds[2] += [pon("5z"), pon("8s")]
        for tile in "77":
            seen.see(TileDrawn(2, 30, None))
            seen.see(TileDiscarded(2, face(f"{tile}m"), tsumogiri=is_drawn))
        found.append(calibrated_threats(seen)[0].tenpai)
    assert found[0] < found[1]


def test_personalities() -> None:
    """One takes fewer risks than another, one calls where others pass."""
    risks = dict.fromkeys(("expert-defensive", "expert-aggressive"), 0.0)
    for hand, drawn in (("34m067p34688s225z", "5s"), ("0667m456p34s5577z", "5p")):
        seen = against_riichi(hand, drawn, "1z9m9p")
        for kind in risks:
            chosen = POLICIES[kind]().choose(seen, Phase.TURN, seen.drawn, None)
            assert isinstance(chosen, (Discard, Riichi))
            risks[kind] += max(threat.dangers[KIND_OF[chosen.face]] for threat in calibrated_threats(seen))
    assert risks["expert-defensive"] < risks["expert-aggressive"]
    seen = position("46778m233456p23s", left=50)
    seen.see(TileDiscarded(3, face("6m"), tsumogiri=False))
    assert POLICIES["expert"]().choose(seen, Phase.CALL, face("6m"), None) == Pass()
    assert isinstance(POLICIES["expert-calling"]().choose(seen, Phase.CALL, face("6m"), None), Chi)


def test_shapes_count_by_their_factor() -> None:
    """The gain by shape is in proportion to the factor; with 0 nothing is added."""
    seen = position("1114m3677p25557s", left=60)
    seen.see(TileDrawn(ME, 59, face("9s")))
    found = []
    for factor in (0.0, 1.0, 2.0):
        evaluation = Expert(Personality(shapes=factor)).evaluate(seen, Phase.TURN, seen.drawn, None)
        assert evaluation is not None
        found.append({each.action: each.value for each in evaluation.candidates})
    without, once, twice = found
    assert without != once
    for action, worth in without.items():
        assert twice[action] - worth == pytest.approx(2 * (once[action] - worth))


def test_whole_games() -> None:
    """It plays whole games under any rules, among others."""
    for preset in ("ump", "tenhou3"):
        policies: list[Policy] = [Expert(), Tsumogiri(), Expert(), Tsumogiri()]
        ruleset = PRESETS[preset]
        played = play_game(policies[: ruleset.seats], ruleset, seed="expert")
        assert isinstance(played.events[-1], GameEnded)
