"""Keys of one question, and the actions that they lead to."""

from __future__ import annotations

from support.rows import each_row

from ump.bots.ump_client import OpenQuestion
from ump.model.actions import Action, Ankan, Chi, Discard, Kakan, Pass, Riichi, Tsumo
from ump.model.hand import Hand
from ump.model.notation import parse_ump_face as tile
from ump.model.phases import Phase
from ump.terminal.choices import HeldTile
from ump.terminal.turn import Turn

HAND = "1m 5M 5m 9p 4z"


def turn(*actions: Action, drawn: str = "4z", phase: Phase = Phase.TURN) -> Turn:
    """Return a turn with HAND and a drawn tile."""
    tiles = [*(HeldTile(tile(each)) for each in HAND.split()), HeldTile(tile(drawn), is_drawn=True)]
    return Turn(OpenQuestion(1, phase, tile(drawn), Hand(), actions, None), tiles)


def discards() -> list[Action]:
    """Return all discards of HAND with a drawn 4z."""
    return [*(Discard(tile(each)) for each in HAND.split()), Discard(tile("4z"), tsumogiri=True)]


@each_row(
    ("typed", "face"),
    [("5m", "5m"), ("0m", "5M"), ("5M", "5M"), ("9p", "9p"), ("15m", "5m")],
)
def test_tiles_by_name(typed: str, face: str) -> None:
    """A digit and a suit choose a tile."""
    asked = turn(*discards())
    assert all(asked.type(character) for character in typed)
    assert asked.confirm() == Discard(tile(face))


@each_row("typed", ["8z", "3s", "0z"])
def test_tiles_that_are_not_there(typed: str) -> None:
    """A name of no tile, or of one that is not held, chooses nothing."""
    asked = turn(*discards())
    assert all(asked.type(character) for character in typed)
    assert asked.confirm() is None
    assert asked.missed == (typed, False)


def test_a_tile_that_cannot_be_discarded_is_told_apart() -> None:
    """It is in the hand, so another sentence explains why it was not chosen; the next tile ends that."""
    asked = turn(Discard(tile("9p")))
    assert all(asked.type(character) for character in "1m")
    assert asked.missed == ("1m", True)
    assert all(asked.type(character) for character in "9p")
    assert asked.missed is None


def test_letters_are_suits_only_after_a_digit() -> None:
    """Else p is pon and s are the scores."""
    assert not turn(*discards()).type("p")


def test_drawn_tile_is_chosen_before_an_equal_one() -> None:
    """End, or the name, take the drawn one."""
    asked = turn(*discards())
    asked.move_to_end()
    assert asked.confirm() == Discard(tile("4z"), tsumogiri=True)


def test_arrows_skip_tiles_that_cannot_be_discarded() -> None:
    """They go round, and begin at the ends."""
    asked = turn(Discard(tile("1m")), Discard(tile("9p")))
    asked.move(1)
    assert asked.chosen == 0
    asked.move(1)
    assert asked.chosen == 3
    asked.move(1)
    assert asked.chosen == 0
    other = turn(Discard(tile("1m")), Discard(tile("9p")))
    other.move(-1)
    assert other.chosen == 3


def test_only_tile_is_chosen_already() -> None:
    """In riichi Enter discards the drawn tile."""
    assert turn(Discard(tile("4z"), tsumogiri=True)).confirm() == Discard(tile("4z"), tsumogiri=True)


def test_riichi_needs_a_tile() -> None:
    """L marks the tiles that keep tenpai; Esc takes it back."""
    asked = turn(*discards(), Riichi(tile("1m")), Riichi(tile("9p")))
    assert asked.press("l") is None
    assert asked.legal_places() == [0, 3]
    asked.move(-1)
    assert asked.confirm() == Riichi(tile("1m"))
    assert asked.cancel()
    assert not asked.cancel()
    assert len(asked.legal_places()) == 6


def test_calls_with_several_ways() -> None:
    """The key, or the arrows, go on to the next way; one way alone is an action at once."""
    low, high = Chi((tile("1m"), tile("2m"))), Chi((tile("2m"), tile("4m")))
    asked = turn(low, high, Pass(), phase=Phase.CALL)
    assert asked.press("c") is None
    assert asked.confirm() == low
    assert asked.press("c") is None
    assert asked.confirm() == high
    asked.move(1)
    assert asked.confirm() == low
    assert asked.press("x") == Pass()
    assert asked.press("p") is None
    assert not asked.can_press("p")


def test_kans_and_wins() -> None:
    """K has closed and added kans; T wins."""
    asked = turn(*discards(), Ankan(0), Kakan(tile("4z")), Tsumo())
    assert asked.press("k") is None
    assert asked.confirm() == Ankan(0)
    assert asked.press("t") == Tsumo()


def test_click_on_a_tile() -> None:
    """A tile that can be discarded is its action."""
    asked = turn(Discard(tile("1m")), Discard(tile("9p")))
    assert asked.choose(3) == Discard(tile("9p"))
    assert asked.choose(1) is None
