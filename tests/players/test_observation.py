"""Observations: a seat knows what the events that it received have shown."""

from __future__ import annotations

import pytest
from support.positions import ME, chi, face, kinds, meld, pon, position, start, watched

from ump.model import events as ev
from ump.model.melds import MeldType
from ump.model.notation import format_mpsz, parse_mpsz
from ump.model.yaku import HandValue, Yaku
from ump.players.observation import MOST_EVENTS, Observation

DEALT = ev.HandDealt(ME, parse_mpsz("123456789m0p55p1z"))


def draw(tile: str, left: int = 60, *, rinshan: bool = False) -> ev.TileDrawn:
    """Return an own draw."""
    return ev.TileDrawn(ME, left, face(tile), rinshan)


def discard(seat: int, tile: str, *, tsumogiri: bool = False) -> ev.TileDiscarded:
    """Return a discard."""
    return ev.TileDiscarded(seat, face(tile), tsumogiri)


def unseen(seen: Observation, tiles: str) -> list[int]:
    """Return the number of hidden tiles of each kind, by kind."""
    return [seen.unseen(kind) for kind in sorted(kinds(tiles))]


def test_own_hand_follows_every_move() -> None:
    """Draws, discards and melds change the hand; ``drawn`` is set from the draw to the next move."""
    seen = watched([start(), DEALT])
    seen.see(draw("1z", 59))
    assert (seen.drawn, seen.left, format_mpsz(seen.hand.concealed)) == (face("1z"), 59, "123456789m055p11z")
    seen.see(discard(ME, "1m"))
    assert (seen.drawn, format_mpsz(seen.hand.concealed)) == (None, "23456789m055p11z")
    seen.see(discard(3, "1z"))
    seen.see(ev.TileCalled(ME, pon("1z")))
    assert (seen.drawn, format_mpsz(seen.hand.concealed), seen.melds[ME]) == (None, "23456789m055p", [pon("1z")])


def test_kans_take_tiles_from_the_hand() -> None:
    """A closed kan takes four tiles. An added kan takes one, and replaces its pon in the list of melds."""
    seen = position("567m1111p5z", melds=[pon("6z"), chi("12s", "3s")], drawn="6z")
    closed = meld(MeldType.ANKAN, "1111p")
    added = meld(MeldType.KAKAN, "66z", "6z", added="6z")
    seen.see(ev.KanDeclared(ME, closed))
    seen.see(draw("7z", rinshan=True))
    assert seen.rinshan
    seen.see(ev.KanDeclared(ME, added))
    assert seen.hand.melds == seen.melds[ME] == [added, chi("12s", "3s"), closed]
    assert (format_mpsz(seen.hand.concealed), seen.kans) == ("567m57z", [ME, ME])


def test_hidden_tiles_are_not_stored() -> None:
    """Of hidden hands and draws, only the number of tiles in the wall is known."""
    seen = watched([start(), ev.HandDealt(1, None), DEALT, ev.TileDrawn(1, 69, None)])
    assert (format_mpsz(seen.hand.concealed), seen.drawn, seen.left) == ("123456789m055p1z", None, 69)


def test_spectator_sees_the_table_without_a_hand() -> None:
    """Without a seat there is no hand and no own wind."""
    events: list[ev.Event] = [
        start(),
        ev.HandDealt(0, None),
        ev.TileDrawn(1, 69, None),
        discard(1, "1z"),
        discard(2, "1z"),
    ]
    seen = watched([*events, ev.TileCalled(3, pon("1z"))], seat=None)
    assert seen.hand.concealed == ()
    assert (unseen(seen, "1z"), seen.melds[3]) == ([0], [pon("1z")])
    with pytest.raises(ValueError, match="no seat"):
        _ = seen.me


def test_last_move() -> None:
    """The seat that drew, the tile that others may take and its owner follow every move."""
    seen = watched([start(), DEALT, ev.TileDrawn(1, 69, None)])
    assert (seen.drawer, seen.drawn, seen.source, seen.last_tile) == (1, None, None, None)
    seen.see(discard(1, "2z"))
    assert (seen.drawer, seen.source, seen.last_tile) == (None, 1, face("2z"))
    seen.see(ev.TileCalled(3, pon("2z")))
    assert (seen.drawer, seen.kan, seen.source) == (None, None, 1)
    seen.see(draw("1z"))
    assert (seen.drawer, seen.drawn) == (ME, face("1z"))


def test_last_kan() -> None:
    """A kan is open to chankan, and its draw outstanding, until the replacement tile is drawn."""
    closed = meld(MeldType.ANKAN, "2222z")
    added = meld(MeldType.KAKAN, "33z", "3z", added="3z")
    seen = watched([start(), DEALT, discard(3, "3z"), ev.TileCalled(1, pon("3z")), ev.KanDeclared(2, closed)])
    assert (seen.kan, seen.source, seen.last_tile) == (closed, 2, face("2z"))
    seen.see(ev.TileDrawn(2, 60, None, rinshan=True))
    assert (seen.kan, seen.rinshan) == (None, True)
    seen.see(ev.KanDeclared(1, added))
    assert (seen.kan, seen.source, seen.last_tile) == (added, 1, face("3z"))
    assert seen.kans == [1, 2]


def test_tile_added_to_a_missing_pon() -> None:
    """Such an event contradicts the earlier ones."""
    with pytest.raises(ValueError, match="pon that does not exist"):
        watched([start(), DEALT, ev.KanDeclared(1, meld(MeldType.KAKAN, "33z", "3z", added="3z"))])


def test_a_kyoku_without_end() -> None:
    """A wrong server cannot make a client keep more and more discards; the next kyoku is counted anew."""
    river = [discard(2, "1z")] * (MOST_EVENTS - 1)
    seen = watched([start(), *river, start(), *river, discard(2, "1z")])
    with pytest.raises(ValueError, match="so many events"):
        seen.see(discard(2, "1z"))
    assert len(seen.discards) == MOST_EVENTS


def test_unpaid_riichi() -> None:
    """A riichi is unpaid from its declaration to the payment of its stick."""
    seen = watched([start(), ev.RiichiDeclared(2), discard(2, "1z")])
    assert seen.unpaid == 2
    seen.see(ev.RiichiPaid(2))
    assert seen.unpaid is None


@pytest.mark.parametrize(
    ("events", "tiles", "left"),
    [
        pytest.param([], "1m5p1z", [3, 1, 3], id="own hand, the red five among its kind"),
        pytest.param([draw("1z")], "1z", [2], id="own draw"),
        pytest.param([draw("1z"), discard(ME, "1z")], "1z", [2], id="own discard"),
        pytest.param([discard(1, "1z"), discard(2, "2z")], "12z", [2, 3], id="rivers"),
        pytest.param([ev.DoraRevealed(face("0p"))], "5p", [0], id="indicator"),
        pytest.param([discard(3, "1z"), ev.TileCalled(ME, chi("23m", "1m"))], "123m1z", [3, 3, 3, 2], id="own call"),
        pytest.param([discard(3, "2z"), ev.TileCalled(1, pon("2z"))], "2z", [1], id="another's pon"),
        pytest.param([discard(2, "2s"), ev.TileCalled(3, chi("13s", "2s"))], "123s", [3, 3, 3], id="another's chi"),
        pytest.param([ev.KanDeclared(1, meld(MeldType.ANKAN, "2222z"))], "2z", [0], id="another's closed kan"),
        pytest.param(
            [
                discard(3, "2z"),
                ev.TileCalled(1, pon("2z")),
                ev.KanDeclared(1, meld(MeldType.KAKAN, "22z", "2z", added="2z")),
            ],
            "2z",
            [0],
            id="another's added kan",
        ),
        pytest.param([ev.HandOpened(1, parse_mpsz("222z"), ())], "2z", [1], id="a hand that lies open"),
        pytest.param(
            [ev.HandOpened(1, parse_mpsz("222z"), ()), ev.KanDeclared(1, meld(MeldType.ANKAN, "2222z"))],
            "2z",
            [0],
            id="a kan of tiles that lie open",
        ),
    ],
)
def test_unseen_tiles_are_counted(events: list[ev.Event], tiles: str, left: list[int]) -> None:
    """Every tile counts once when it becomes visible, and not again when it moves."""
    assert unseen(watched([start(), DEALT, *events]), tiles) == left


def test_rivers_keep_every_discard() -> None:
    """A called discard stays in its river, with its tsumogiri mark."""
    seen = watched([start(), DEALT, discard(3, "1z", tsumogiri=True), ev.TileCalled(1, pon("1z")), discard(1, "9s")])
    assert seen.rivers == [[], [discard(1, "9s")], [], [discard(3, "1z", tsumogiri=True)]]
    assert seen.source == 1


def test_points_and_sticks() -> None:
    """Scores follow riichi, wins and draws, the winner takes the sticks, and the end of the game sets the scores."""
    seen = watched([start(points=(24_000, 26_000, 25_000, 25_000)), ev.RiichiDeclared(2), discard(2, "1z")])
    assert seen.in_riichi == [False, False, True, False]
    assert (seen.points[2], seen.kyotaku) == (25_000, 0)
    seen.see(ev.RiichiPaid(2))
    assert (seen.points[2], seen.kyotaku) == (24_000, 1)
    value = HandValue(((Yaku.RIICHI, 1),), 1, 30, 0, 240)
    seen.see(ev.HandWon(2, 1, face("1z"), (), (), True, (), value, changes=(0, -1_000, 2_000, 0)))
    assert (seen.points, seen.kyotaku) == ([24_000, 25_000, 26_000, 25_000], 0)
    seen.see(ev.KyokuDrawn(ev.DrawReason.EXHAUSTED, (-1_000, 3_000, -1_000, -1_000)))
    assert seen.points == [23_000, 28_000, 25_000, 24_000]
    seen.see(ev.GameEnded((23_000, 29_000, 25_000, 23_000), (3, 1, 2, 4), (-170, 490, 50, -370)))
    assert seen.points == [23_000, 29_000, 25_000, 23_000]


@pytest.mark.parametrize(
    ("events", "passed"),
    [
        pytest.param([discard(1, "1z")], "", id="it can still be taken"),
        pytest.param([discard(1, "1z"), ev.TileDrawn(2, 50, None)], "1z", id="passed by a draw"),
        pytest.param([discard(1, "1z"), ev.TileCalled(2, pon("1z"))], "1z", id="passed by another's call"),
        pytest.param([discard(3, "1z"), draw("2z")], "", id="the own draw ends it"),
        pytest.param(
            [discard(3, "1m"), ev.TileCalled(ME, chi("23m", "1m")), discard(ME, "9m")],
            "",
            id="so does the discard after a call",
        ),
        pytest.param(
            [ev.RiichiDeclared(ME), discard(1, "1z"), draw("2z"), discard(ME, "2z")], "1z", id="riichi keeps it"
        ),
        pytest.param(
            [ev.KanDeclared(1, meld(MeldType.ANKAN, "2222z")), ev.TileDrawn(1, 50, None)],
            "",
            id="a closed kan",
        ),
        pytest.param(
            [
                discard(3, "2z"),
                ev.TileCalled(1, pon("2z")),
                draw("3z"),
                ev.KanDeclared(1, meld(MeldType.KAKAN, "22z", "2z", added="2z")),
                ev.DoraRevealed(face("5z")),
                ev.TileDrawn(1, 50, None),
            ],
            "2z",
            id="an added kan that nobody robbed",
        ),
    ],
)
def test_passed_tiles(events: list[ev.Event], passed: str) -> None:
    """Temporary furiten lasts to the own next draw, or to the discard after a call; in riichi it stays."""
    assert watched([start(), DEALT, *events]).passed == kinds(passed)


@pytest.mark.parametrize(
    ("events", "first"),
    [
        ([draw("1z")], True),
        ([discard(1, "1z"), draw("1z")], True),
        ([draw("1z"), discard(ME, "1z")], False),
        ([ev.KanDeclared(1, meld(MeldType.ANKAN, "2222z")), draw("1z")], False),
    ],
)
def test_the_first_turn(events: list[ev.Event], first: bool) -> None:
    """It ends with the own discard, and with any meld on the table."""
    assert watched([start(), DEALT, *events]).is_first_turn is first


def test_new_kyoku_forgets_the_previous_one() -> None:
    """Hands, rivers, melds and riichi are empty again; points, honba and winds are those of the event."""
    seen = watched([start(), DEALT, draw("1z"), ev.RiichiDeclared(ME), discard(ME, "1z"), ev.DoraRevealed(face("1z"))])
    seen.see(start(dealer=3, bakaze=1, points=(1, 2, 3, 4)))
    assert (seen.hand.concealed, seen.rivers, seen.in_riichi) == ((), [[]] * 4, [False] * 4)
    assert (seen.points, seen.bakaze, seen.seat_wind, unseen(seen, "1z")) == ([1, 2, 3, 4], 1, 1, [4])
