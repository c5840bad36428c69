"""The table in a terminal: what a player sees, each viewer, three players, forms of tiles, languages and sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from support.rows import each_row
from support.told_events import position_after

from ump.model.events import DoraRevealed, Event, KyokuStarted, RiichiDeclared, TileCalled, TileDiscarded, TileDrawn
from ump.model.melds import Meld, MeldType
from ump.model.notation import parse_ump_face as tile
from ump.rules.presets import PRESETS
from ump.terminal.canvas import Look, TileForm, look_for
from ump.terminal.table_text import table_canvas
from ump.terminal.words import WORDS
from ump.text.layout import width

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


def drawn(events: list[Event], viewer: int, look: Look, **parts: Any) -> list[str]:
    """Return the lines of the table after some events."""
    return table_canvas(position_after(events, None, **{"names": NAMES, **parts}), viewer, look).lines()


def test_player_sees_itself_at_the_bottom() -> None:
    """The rivers lie around the centre as on a table, each with its first row nearest to it; marks follow the tiles."""
    assert drawn(kyoku(), 0, Look()) == [
        "                                                  W Cid 6,700",
        "",
        "                                       7m>1z 3p",
        " N Dan 37,300            5M .---------------------.             >S Ben 32,700",
        " 6m8m^7m                    |       East 1        |              RIICHI",
        "                            |    20 tiles left    |",
        "                            |  honba 1  sticks 2  | 8p*",
        "                            |       dora 2m       | 8m",
        "                            |      (from 1m)      | 3z.",
        "                            '---------------------'",
        " E Ann 24,300                 2z 3z 4z 1z.6z 8s",
        "                              5z.",
        "",
    ]


def test_tiles_have_two_rows_where_there_is_room() -> None:
    """From 120x40 on tiles are larger; they show the characters of real tiles in Japanese and Chinese."""
    events = [START, *river(0, "5M 1z 6z.")]
    large = Look(tiles=TileForm.BLOCKS, columns=120, rows=40)
    lines = [line.strip() for line in drawn(events, 0, large)]
    assert "5   E  Gr ." in "\n".join(lines)
    assert "M  1z  6z" in "\n".join(lines)
    text = "\n".join(drawn(events, 0, replace(large, words=WORDS["ja"])))
    assert " 五r  東   發 ." in text
    assert " 萬   1z   6z" in text
    assert "東一局" in text
    text = "\n".join(drawn(events, 0, Look(WORDS["zh"], TileForm.BLOCKS)))
    assert "0万 东  发 ." in text


@each_row(("viewer", "arrow"), [(0, "^"), (1, ">"), (2, "v"), (3, "<")])
def test_an_arrow_shows_where_a_called_tile_is_from(viewer: int, arrow: str) -> None:
    """Dan's chi is from Cid, whose place depends on who looks."""
    assert f"6m8m{arrow}7m" in "\n".join(drawn(kyoku(), viewer, Look()))


def test_three_players_have_nobody_opposite() -> None:
    """In a game of three the table has a left and a right seat, and begins with them."""
    rules = PRESETS["tenhou3"]
    events = [KyokuStarted(0, 0, 0, 0, (35_000,) * 3, (1, 1)), DoraRevealed(tile("1m")), *river(1, "1z 2z")]
    lines = drawn(events, 0, Look(), names=NAMES[:3], rules=rules)
    assert "W Cid" in lines[0]
    assert "S Ben" in lines[0]
    assert "E Ann" in "\n".join(lines[1:])


def test_pictures_keep_red_fives_apart() -> None:
    """Unicode has no red fives: an apostrophe marks them."""
    text = "\n".join(drawn(kyoku(), 0, Look(tiles=TileForm.PICTURES)))
    assert "🀋'" in text
    assert "5M" not in text


def crowded() -> list[Event]:
    """Return a kyoku with five dora, three melds and 24 discards of each player."""
    events: list[Event] = [START, *(DoraRevealed(tile(each)) for each in ("1m", "2m", "3m", "4m", "5m"))]
    for seat in range(4):
        for face in ("1z", "2z", "3z"):
            source = (seat + 3) % 4
            events += river(source, face)
            events.append(TileCalled(seat, Meld(MeldType.PON, (tile(face),) * 2, tile(face), source)))
            events.append(TileDiscarded(seat, tile("9s"), tsumogiri=False))
        events += river(seat, "5s. " * 17 + "1p*")
    return events


@each_row("language", list(WORDS))
@each_row("form", list(TileForm))
@each_row(("columns", "rows"), [(80, 24), (120, 40), (200, 60)])
def test_nothing_is_covered_and_nothing_outside(language: str, form: TileForm, columns: int, rows: int) -> None:
    """Long names, melds and 24 discards fit every terminal: each tile of a river, and each name, can be read."""
    look = Look(WORDS[language], form, columns=columns, rows=rows)
    lines = drawn(crowded(), 0, look, names=["N" * 32] * 4)
    assert max(map(width, lines)) < columns
    assert len(lines) + look.height() <= rows - 8
    first = look.tile_rows(tile("5s"))[0]
    assert sum(line.count(first) for line in lines) >= 4 * 17
    assert sum(line.count("NNN..") for line in lines) == 4


def test_a_language_follows_from_the_locale() -> None:
    """The first of the usual variables counts; a terminal without colours or UTF-8 gets letters."""
    look = look_for({"LC_ALL": "", "LANG": "ja_JP.UTF-8", "TERM": "xterm"}, "utf-8", None, None)
    assert (look.words, look.tiles, look.is_coloured) == (WORDS["ja"], TileForm.BLOCKS, True)
    for environment, encoding in (
        ({"TERM": "dumb"}, "utf-8"),
        ({"TERM": "xterm"}, "ascii"),
        ({"NO_COLOR": ""}, "utf-8"),
    ):
        assert look_for(environment, encoding, None, None).tiles is TileForm.LETTERS
    assert look_for({}, None, "blocks", "zh").tiles is TileForm.BLOCKS
