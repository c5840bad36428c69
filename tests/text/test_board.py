"""Boards, whole: a kyoku in progress for a player and for a spectator, and the worst cases of width."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent

from support.told_events import position_after

from ump.model import events as ev
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_ump_face as tile
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.text.board import board_lines, hand_lines, score_lines
from ump.text.layout import COLOURS, LINE, TextRole, TextStyle, width

NAMES = ("efficiency-2", "efficiency-1", "efficiency-3", "me")
ME: Seat = 3
START = ev.KyokuStarted(0, ME, 0, 0, (24_300, 32_700, 6_700, 37_300), (1, 1))


def faces(text: str) -> tuple[Face, ...]:
    """Return written tiles."""
    return tuple(map(tile, text.split()))


def river(seat: Seat, text: str) -> Iterator[ev.Event]:
    """Yield the draws and discards of a written river: ``3z.`` tsumogiri, ``8p*`` riichi."""
    for word in text.split():
        face, is_riichi = tile(word[:2]), "*" in word
        yield ev.TileDrawn(seat, 20, face)
        if is_riichi:
            yield ev.RiichiDeclared(seat)
        yield ev.TileDiscarded(seat, face, "." in word, is_riichi)


def kyoku() -> list[ev.Event]:
    """Return a kyoku up to a riichi that the reader in seat 3 may answer."""
    return [
        START,
        ev.HandDealt(ME, faces("5M 6m 6m 8m 5p 6p 7p 8p 8p 3s 3s 5s 2z")),
        ev.DoraRevealed(tile("1m")),
        *river(2, "3p 1z 4z 5z. 9p 1m. 1s 7m"),
        ev.TileCalled(ME, Meld(MeldType.CHI, faces("6m 8m"), tile("7m"), 2)),
        ev.TileDiscarded(ME, tile("2z"), tsumogiri=False),
        *river(ME, "2m. 7z. 4z. 9s 2p 1p. 9m 6s 6z. 9s. 9p. 1s."),
        *river(2, "1p. 7s. 2z. 9m."),
        *river(0, "2z 3z 4z 1z. 6z 8s 5z. 7m 7z. 9m. 1z. 3m. 1s."),
        *river(1, "3z. 8m 7z 2z. 6z 7s 9p. 3z. 1z. 2p. 5s. 5z. 8p*"),
    ]


def board(events: list[ev.Event], reader: Seat | None) -> str:
    """Return the board after these events as it is written in a test."""
    return "\n".join(board_lines(position_after(events, reader, names=NAMES))) + "\n"


def test_board_of_a_player() -> None:
    """Others are named by where they sit; the discard in question stands beside its player."""
    assert board(kyoku(), ME) == dedent("""\
        East 4 | honba 0 | sticks 0 | 20 tiles left | dora 2m (indicator 1m)
        right    South  24,300 efficiency-2
          river 2z 3z 4z 1z. 6z 8s 5z. 7m 7z. 9m. 1z. 3m. 1s.
        opposite West   32,700 efficiency-1  RIICHI  discards 8p
          river 3z. 8m 7z 2z. 6z 7s 9p. 3z. 1z. 2p. 5s. 5z. 8p*
        left     North   6,700 efficiency-3
          river 3p 1z 4z 5z. 9p 1m. 1s 7m> 1p. 7s. 2z. 9m.
        you      East   37,300 me
          river 2z 2m. 7z. 4z. 9s 2p 1p. 9m 6s 6z. 9s. 9p. 1s.
          hand  5M 6m 5p 6p 7p 8p 8p 3s 3s 5s   <6m 8m 7m from left>
        """)


def test_board_of_a_spectator() -> None:
    """A spectator sees no hand and knows the players by their winds."""
    assert board([*kyoku(), ev.RiichiPaid(1), ev.TileDrawn(2, 19, None)], None) == dedent("""\
        East 4 | honba 0 | sticks 1 | 19 tiles left | dora 2m (indicator 1m)
        East   37,300 me
          river 2z 2m. 7z. 4z. 9s 2p 1p. 9m 6s 6z. 9s. 9p. 1s.
          melds <6m 8m 7m from North>
        South  24,300 efficiency-2
          river 2z 3z 4z 1z. 6z 8s 5z. 7m 7z. 9m. 1z. 3m. 1s.
        West   31,700 efficiency-1  RIICHI
          river 3z. 8m 7z 2z. 6z 7s 9p. 3z. 1z. 2p. 5s. 5z. 8p*
        North   6,700 efficiency-3  to discard
          river 3p 1z 4z 5z. 9p 1m. 1s 7m> 1p. 7s. 2z. 9m.
        """)


def test_drawn_tile_stands_apart() -> None:
    """The drawn tile follows the sorted hand in brackets, until it is discarded or a meld is made."""
    drawn = [*kyoku(), ev.TileDrawn(ME, 19, tile("5m"))]
    hand = "  hand  5M 6m 5p 6p 7p 8p 8p 3s 3s 5s"
    chi = "<6m 8m 7m from left>"
    assert hand_lines(position_after(drawn, ME)) == [f"{hand}  [5m]   {chi}"]
    drawn.append(ev.TileDiscarded(ME, tile("5m"), tsumogiri=True))
    assert hand_lines(position_after(drawn, ME)) == [f"{hand}   {chi}"]
    assert hand_lines(position_after(drawn, None)) == []


def test_kan_that_may_be_robbed() -> None:
    """The tile of a kan is announced until its replacement tile is drawn."""
    kan = Meld(MeldType.ANKAN, faces("9s 9s 9s 9s"))
    events = [*kyoku(), ev.TileDrawn(2, 19, None), ev.KanDeclared(2, kan)]
    assert "left     North   6,700 efficiency-3  declares kan 9s" in board(events, ME)
    assert "  melds (9s 9s 9s 9s)" in board(events, ME)
    events.append(ev.TileDrawn(2, 18, None, rinshan=True))
    assert "left     North   6,700 efficiency-3  to discard" in board(events, ME)


def test_hand_of_an_open_riichi() -> None:
    """A hand that was shown stays on the board, without the tiles of a closed kan made since."""
    shown = ev.HandOpened(1, faces("1m 2m 3m 5p 5p 5p 7s 8s 9s 1z 1z 1z 4z"), ())
    events = [*kyoku(), shown]
    assert "  shown 1m 2m 3m 5p 5p 5p 7s 8s 9s 1z 1z 1z 4z" in board(events, ME).splitlines()
    events += [ev.TileDrawn(1, 19, None), ev.KanDeclared(1, Meld(MeldType.ANKAN, faces("1z 1z 1z 1z")))]
    assert "  shown 1m 2m 3m 5p 5p 5p 7s 8s 9s 4z" in board(events, None).splitlines()


def worst() -> list[ev.Event]:
    """Return the widest kyoku: long rivers, four kans, six-digit points, five indicators, a hand that is shown."""
    from_left = [Meld(MeldType.DAIMINKAN, (kind,) * 3, kind, 3) for kind in (27, 28)]
    added = [Meld(MeldType.KAKAN, (kind,) * 2, kind, 2, kind) for kind in (29, 30)]
    return [
        ev.KyokuStarted(3, 3, 12, 11, (-131_700, 1_200_300, 100_000, -99_900), (1, 1)),
        ev.HandDealt(1, faces("1z 1z 1z 2z 2z 2z 3z 3z 3z 4z 4z 4z 5z")),
        *(ev.DoraRevealed(indicator) for indicator in (34, 35, 36, 0, 9)),
        *river(0, "5M.*" + " 1m." * 26),
        ev.HandOpened(0, tuple(range(13)), ()),
        *(event for meld in from_left for event in (*river(3, "1z."), ev.TileCalled(1, meld))),
        *(event for kan in added for event in _added_kan(1, kan)),
        ev.TileDrawn(1, 0, tile("6z")),
    ]


def _added_kan(seat: Seat, kan: Meld) -> Iterator[ev.Event]:
    yield from river(2, "3z.")
    yield ev.TileCalled(seat, Meld(MeldType.PON, kan.own, kan.called, kan.source))
    yield ev.KanDeclared(seat, kan)


def test_widest_board() -> None:
    """Rivers, melds and the state wrap, names are cut; no line has more than 79 columns, for any reader."""
    names = ("東" * 32, "x" * 32, "a\x1b[2Jb\n" * 4, "")
    for reader in (None, 0, 1, 2, 3):
        position = position_after(worst(), reader, names=names)
        lines = [*board_lines(position), *score_lines(position)]
        assert max(map(width, lines)) <= LINE
        assert all(line.isprintable() for line in lines)
    assert "\n".join(board_lines(position_after(worst(), 1, names=names))) + "\n" == dedent("""\
        North 4 | honba 12 | sticks 11 | 0 tiles left
        dora 6m 6p 6s 2m 2p (indicators 5M 5P 5S 1m 1p)
        right    North   100,000 a?[2Jb a?[2Jb a?[2..
          river 3z.> 3z.>
        opposite East    -99,900 ?
          river 1z.> 1z.>
        left     South  -131,700 東東東東東東東東東..  RIICHI
          river 5M.* 1m. 1m. 1m. 1m. 1m. 1m. 1m. 1m. 1m. 1m. 1m. 1m. 1m. 1m. 1m. 1m.
                1m. 1m. 1m. 1m. 1m. 1m. 1m. 1m. 1m. 1m.
          shown 1m 2m 3m 4m 5m 6m 7m 8m 9m 1p 2p 3p 4p
        you      West  1,200,300 xxxxxxxxxxxxxxxxxx..  to discard
          river
          hand  5z  [6z]
          melds <1z 1z 1z 1z from opposite> <2z 2z 2z 2z from opposite>
                <3z 3z 3z from right + 3z> <4z 4z 4z from right + 4z>
        """)


def test_scores() -> None:
    """Points with place and difference to the reader; honba and sticks follow."""
    assert score_lines(position_after(kyoku(), ME, names=NAMES)) == [
        "right     South  efficiency-2  24,300  place 3  -13,000",
        "opposite  West   efficiency-1  32,700  place 2   -4,600",
        "left      North  efficiency-3   6,700  place 4  -30,600",
        "you       East   me            37,300  place 1",
        "East 4 | honba 0 | sticks 0",
    ]
    assert score_lines(position_after(kyoku(), None, names=NAMES))[0] == "East   me            37,300  place 1"


def test_board_between_two_kyoku() -> None:
    """Nobody is to move after the last discard. Before the first kyoku a board has only points and names."""
    assert "discard" not in board([*kyoku(), ev.KyokuDrawn(ev.DrawReason.EXHAUSTED, (0, 0, 0, 0))], ME)
    assert board([], ME).splitlines()[1:3] == ["right    East   25,000 efficiency-2", "  river"]


def test_colours() -> None:
    """Red fives, riichi and the player that is to move stand out."""
    lines = board_lines(position_after(kyoku(), ME, names=NAMES), TextStyle(is_coloured=True))
    for role, text in (
        (TextRole.RED_FIVE, "5M"),
        (TextRole.CHARACTERS, "6m"),
        (TextRole.CIRCLES, "8p"),
        (TextRole.BAMBOO, "3s"),
        (TextRole.WHITE, "5z"),
        (TextRole.GREEN, "6z"),
        (TextRole.RED, "7z"),
        (TextRole.RIICHI, "RIICHI"),
        (TextRole.RIICHI, "*"),
        (TextRole.TURN, "opposite West   32,700 efficiency-1"),
    ):
        assert f"\x1b[{COLOURS[role]}m{text}\x1b[0m" in "\n".join(lines)
