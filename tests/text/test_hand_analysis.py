"""Analysis of a hand: its ukeire, the live tiles, and the best discards."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from support.budgets import few

from ump.model.hand import Hand
from ump.model.notation import parse_mpsz
from ump.model.tiles import COPIES, KINDS, TILES, faces_of_tiles
from ump.model.written import parse_written_hand
from ump.rules.analysis import shanten
from ump.rules.ruleset import OwnCopies
from ump.text.hand import analyse_hand


def hand(text: str) -> Hand:
    """Return a typed hand."""
    faces, melds, _ = parse_written_hand(text)
    return Hand(faces, melds)


def test_tiles_in_sight_are_not_live() -> None:
    """Tiles of the hand, of melds and seen elsewhere are subtracted; a wait with no live tile is still a wait."""
    tenpai = analyse_hand(hand("23m406p789s22z <444m>"), parse_mpsz("4m11m"), OwnCopies.CONCEALED)
    assert tenpai.shanten == 0
    assert tenpai.ukeire is not None
    assert tenpai.ukeire.live == ((0, 2), (3, 0))
    assert tenpai.ukeire.tiles == 2


def test_wait_for_a_fifth_tile_depends_on_the_rules() -> None:
    """If melds count, a kind is not a wait if the player has all four copies."""
    waiting = hand("4m406p123789s <444m>")
    for rule, live in ((OwnCopies.CONCEALED, ((3, 0),)), (OwnCopies.WITH_MELDS, ())):
        found = analyse_hand(waiting, (), rule)
        assert found.ukeire is not None
        assert (found.shanten, found.ukeire.live) == (0, live)


def test_best_discard_comes_first() -> None:
    """Lowest shanten first, then most live tiles, then most kinds; plain fives are discarded before red ones."""
    found = analyse_hand(hand("123m4056p789s1122z"), (), OwnCopies.CONCEALED)
    assert found.shanten == 0
    best = found.discards[0]
    assert (best.face, best.shanten, best.ukeire.live) == (13, 0, ((27, 2), (28, 2)))
    assert [each.shanten for each in found.discards] == sorted(each.shanten for each in found.discards)


@settings(max_examples=few(60))
@given(st.randoms(use_true_random=False), st.sampled_from([4, 7, 10, 13]))
def test_ukeire_are_the_kinds_that_lower_shanten(random: Random, size: int) -> None:
    """Exactly the kinds whose draw lowers the shanten number, each with its tiles that are not in sight."""
    faces = [faces_of_tiles((1, 1, 1))[tile] for tile in random.sample(range(TILES), size + 10)]
    held, seen = Hand(faces[:size]), Hand(faces[size:])
    number = shanten(held.kinds)
    nearer = []
    for kind in range(KINDS):
        left = COPIES - held.kinds[kind] - seen.kinds[kind]
        drawn = held.kinds[:]
        drawn[kind] += 1
        if (left > 0 or number == 0) and held.kinds[kind] < COPIES and shanten(drawn) < number:
            nearer.append((kind, left))
    found = analyse_hand(held, faces[size:], OwnCopies.CONCEALED)
    assert found.ukeire is not None
    assert found.ukeire.live == tuple(nearer)


def test_tiles_that_three_players_do_not_have() -> None:
    """2m to 8m never help, and count as seen where an observation says so."""
    found = analyse_hand(hand("1m406p789s1122z23p"), parse_mpsz("2222m5p"), OwnCopies.CONCEALED, 3)
    assert found.ukeire is not None
    assert not {kind for kind, _ in found.ukeire.live} & set(range(1, 8))
