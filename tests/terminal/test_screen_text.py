"""The lines around the table."""

from __future__ import annotations

import re
from dataclasses import asdict

from support.rows import each_row

from ump.model.notation import parse_ump_face as tile
from ump.players.hints import Furiten, Waits
from ump.terminal.canvas import COLUMNS, Look
from ump.terminal.choices import KEYS, HeldTile
from ump.terminal.play_app import SWITCHES, clock_text
from ump.terminal.table_text import hint_text, place_at
from ump.terminal.words import ENGLISH, WORDS, Words
from ump.text.layout import LINE, width
from ump.wire.ump.extras import Hints, Time
from ump.wire.ump.reader import HintReceived

TWO_WAITS = Waits(((tile("4m"), 3), (tile("7m"), 0)))


@each_row("words", WORDS.values())
def test_words_fit_the_terminal(words: Words) -> None:
    """No line of the help is wrapped, nor any other sentence; every key and switch has a word."""
    assert max(map(width, words.help.splitlines())) <= LINE
    texts = [text for text in asdict(words).values() if isinstance(text, str) and text != words.help]
    assert max(width(line) for text in texts for line in text.splitlines()) < COLUMNS
    assert words.calls.keys() == KEYS.keys()
    assert words.switches.keys() == {*SWITCHES.values()}


@each_row("name", [name for name, text in asdict(ENGLISH).items() if isinstance(text, str)])
def test_words_of_all_languages_fill_in_the_same(name: str) -> None:
    """A sentence has the same things to fill in in every language, but for those that a language does not say."""
    said = {language: set(re.findall("{([a-z]+)", asdict(words)[name])) for language, words in WORDS.items()}
    assert said["ja"] | {"kind"} >= said["en"]
    assert said["zh"] | {"kind"} >= said["en"]
    assert said["ja"] <= said["en"]
    assert said["zh"] <= said["en"]


@each_row(("spent", "text"), [(0.0, "10+20 s"), (9.0, "1+20 s"), (10.0, "20 s"), (25.0, "5 s"), (99.0, "0 s")])
def test_clock(spent: float, text: str) -> None:
    """The time of the move runs first, then the bank."""
    assert clock_text(Time(10, 20), spent) == text


def test_no_clock() -> None:
    """A server without a limit has no clock."""
    assert not clock_text(None, 5)


@each_row(
    ("hints", "face", "text"),
    [
        (None, None, ""),
        (HintReceived(2), None, "2-shanten"),
        (HintReceived(0, TWO_WAITS), None, "waits 4m(3) 7m(0)"),
        (Hints(1), None, "1-shanten"),
        (Hints(0, Waits(TWO_WAITS.live, Furiten.PERMANENT)), None, "waits 4m(3) 7m(0), furiten (permanent)"),
        (Hints(0, None, ((tile("1z"), TWO_WAITS),)), None, "tenpai after 1z"),
        (Hints(0, None, ((tile("1z"), TWO_WAITS),)), tile("1z"), "1z leaves tenpai: waits 4m(3) 7m(0)"),
    ],
)
def test_hints(hints: Hints | HintReceived | None, face: int | None, text: str) -> None:
    """The screen shows the server's hint about the hand, and about the chosen tile."""
    assert hint_text(hints, face, Look()) == text


@each_row(
    ("column", "place"),
    [(0, None), (1, 0), (2, 0), (3, None), (4, 1), (7, None), (8, None), (9, 2), (10, 2), (11, None)],
)
def test_tile_at_a_column(column: int, place: int | None) -> None:
    """The line is `` 1m 2m  [3m]``; only the letters of a tile are the tile."""
    tiles = [HeldTile(tile("1m")), HeldTile(tile("2m")), HeldTile(tile("3m"), is_drawn=True)]
    assert place_at(tiles, column, Look()) == place
