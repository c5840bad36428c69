"""The table in text: what a player sees, each viewer, three players, pictures, and the greatest width."""

from __future__ import annotations

import pytest
from support.told_events import position_after

from ump.model.events import DoraRevealed, Event, KyokuStarted, RiichiDeclared, TileCalled, TileDiscarded, TileDrawn
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_ump_face as tile
from ump.rules.presets import PRESETS
from ump.terminal.table_text import table_lines
from ump.text.layout import LINE, width
from ump.text.style import Style

NAMES = ("Ann", "Ben", "Cid", "Dan")
START = KyokuStarted(0, 0, 1, 2, (24_300, 32_700, 6_700, 37_300), (1, 1))


def river(seat: int, text: str) -> list[Event]:
    """Return the draws and discards of a written river: ``3z.`` tsumogiri, ``8p*`` riichi."""
    events: list[Event] = []
    for word in text.split():
        face, is_riichi = tile(word[:2]), "*" in word
        events.append(TileDrawn(seat, 20, None))
        if is_riichi:
            events.append(RiichiDeclared(seat))
        events.append(TileDiscarded(seat, face, "." in word, is_riichi))
    return events


def kyoku() -> list[Event]:
    """Return a kyoku in which Dan has called Cid's tile and Ben is in riichi."""
    return [
        START,
        DoraRevealed(tile("1m")),
        *river(0, "2z 3z 4z 1z. 6z 8s 5z."),
        *river(2, "3p 1z 7m"),
        TileCalled(3, Meld(MeldType.CHI, (tile("6m"), tile("8m")), tile("7m"), 2)),
        TileDiscarded(3, tile("5M"), tsumogiri=False),
        *river(1, "3z. 8m 8p*"),
    ]


def test_player_sees_itself_at_the_bottom() -> None:
    """The others sit right, opposite and left; marks follow the tiles of rivers."""
    lines = table_lines(position_after(kyoku(), None, names=NAMES), 0)
    assert lines == [
        "                             W Cid 6,700",
        "                             3p 1z 7m>",
        "",
        "",
        " N Dan 37,300             .-----------------------. >S Ben 32,700 RIICHI",
        " <6m8m7m opp>             | East 1  20 tiles left |  3z.8m 8p*",
        " 5M                       | honba 1   sticks 2    |",
        "                          | dora 2m               |",
        "                          | (from 1m)             |",
        "                          '-----------------------'",
        "                             E Ann 24,300",
        "                             2z 3z 4z 1z.6z 8s",
        "                             5z.",
        "",
    ]


@pytest.mark.parametrize(("viewer", "source"), [(0, "opp"), (1, "right"), (2, "me"), (3, "left")])
def test_meld_names_its_source_as_the_viewer_sees_it(viewer: int, source: str) -> None:
    """Dan's chi is from Cid, whose place depends on who looks."""
    text = "\n".join(table_lines(position_after(kyoku(), None, names=NAMES), viewer))
    assert f"<6m8m7m {source}>" in text


def test_three_players_have_nobody_opposite() -> None:
    """In a game of three the table has a left and a right seat, and begins with them."""
    rules = PRESETS["tenhou3"]
    events = [KyokuStarted(0, 0, 0, 0, (35_000,) * 3, (1, 1)), DoraRevealed(tile("1m")), *river(1, "1z 2z")]
    lines = table_lines(position_after(events, None, names=NAMES[:3], rules=rules), 0)
    assert "W Cid" in lines[0]
    assert "S Ben" in lines[0]
    assert "E Ann" in "\n".join(lines[1:])


def test_pictures_keep_red_fives_apart() -> None:
    """Unicode has no red fives: an apostrophe marks them."""
    text = "\n".join(table_lines(position_after(kyoku(), None, names=NAMES), 0, Style(is_pictured=True)))
    assert "🀋'" in text
    assert "5M" not in text


def test_no_line_passes_the_terminal() -> None:
    """Long names, four melds and 24 discards fit 79 columns."""
    events: list[Event] = [START, *(DoraRevealed(tile(each)) for each in ("1m", "2m", "3m", "4m", "5m"))]
    for seat in range(4):
        for face in ("1z", "2z", "3z", "4z"):
            source = (seat + 3) % 4
            events += river(source, face)
            events.append(TileCalled(seat, Meld(MeldType.PON, (tile(face),) * 2, tile(face), source)))
            events.append(TileDiscarded(seat, tile("9s"), tsumogiri=False))
        events += river(seat, "5s. " * 15 + "1p*")
    lines = table_lines(position_after(events, None, names=["N" * 32] * 4), 0)
    assert max(map(width, lines)) <= LINE
