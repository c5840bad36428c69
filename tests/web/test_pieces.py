"""Pieces of HTML for notebooks: well-formed, complete by themselves, and with the tiles that belong there."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from support.rows import each_row

import ump

STRANGER = "<script>alert(1)</script>"
"""A name that must not become code."""

GAME = ump.play_game(
    [ump.Efficiency(), ump.Tsumogiri(), ump.Tsumogiri(), ump.Efficiency()],
    ump.read_ruleset("tenhou", ["length=tonpu"]),
    seed="pieces",
    names=("Aki", STRANGER, "Chi", "Dan"),
)
((_, RECORD),) = ump.read_records("docs/examples")

PIECES: dict[str, Any] = {
    "hand of 13": ump.hand("123m406p789s1122z"),
    "hand of 14": ump.hand("13m406p11224z7z<789s>"),
    "part of a hand": ump.hand("123m"),
    "win": ump.value("123m406p789s1122z", ron="2z", riichi=True, dora="1s"),
    "win without a yaku": ump.value("123m456p789s3z<999s>", ron="3z"),
    "position": ump.observed(
        "123m406p789s11224z", rivers={"east": "1z 9m 3p* 5s.", "west": "2z 3z"}, melds={"west": "<234p>(5555z)"}
    ),
    "game": GAME,
    "record": RECORD,
    "review": ump.review(RECORD, 0),
    "statistics": ump.statistics("docs/examples"),
}


class Reader(HTMLParser):
    """Reads a piece: its elements have ends, and none loads or runs anything."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tiles: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element; refuse those that could load or run something."""
        if tag == "br":
            return
        assert tag in {"div", "style", "p", "span", "table", "tr", "th", "td"}
        given = dict(attrs)
        assert given.keys() <= {"class", "role", "aria-label", "title"}
        self.open.append(tag)
        if given.get("role") == "img":
            self.tiles.append(given["aria-label"] or "")

    def handle_endtag(self, tag: str) -> None:
        """Close the last element."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Collect the words."""
        self.words += f"{data} " if self.open[-1] != "style" else ""


def read(piece: str) -> Reader:
    """Return what a piece has in it."""
    reader = Reader()
    reader.feed(piece)
    reader.close()
    assert not reader.open
    return reader


@each_row("name", list(PIECES))
def test_each_is_complete_by_itself(name: str) -> None:
    """It begins and ends as one element, has a picture for each tile, and names no address but that of SVG."""
    piece = PIECES[name]._repr_html_()
    assert piece.startswith('<div class="ump">') and piece.endswith("</div>")
    read(piece)
    assert set(re.findall(r"https?:[^'\")]*", piece)) <= {"http://www.w3.org/2000/svg"}
    for face in set(re.findall(r'class="tile t-(\w+)', piece)):
        assert f".ump .t-{face}{{" in piece


def test_a_hand_and_a_win() -> None:
    """The tiles in order, the tiles that help, the yaku."""
    hand = read(PIECES["hand of 13"]._repr_html_())
    assert hand.tiles == ["1m", "2m", "3m", "4p", "0p", "6p", "7s", "8s", "9s", *["1z"] * 2, *["2z"] * 2, "1z", "2z"]
    assert "tenpai" in hand.words and "4 tiles help:" in hand.words
    win = read(PIECES["win"]._repr_html_())
    assert win.tiles[-1] == "2z" and len(win.tiles) == 14
    assert "3 han 40 fu, 5,200 points by ron" in win.words and "立直" in win.words
    assert "no yaku" in read(PIECES["win without a yaku"]._repr_html_()).words


def test_a_position_shows_what_its_seat_sees() -> None:
    """Rivers and melds of all, and the own hand alone, of which the drawn tile stands apart."""
    shown = read(PIECES["position"]._repr_html_())
    assert shown.tiles[:4] == ["1z", "9m", "3p", "5s"] and len(shown.tiles) == 4 + 2 + 3 + 4 + 14
    game = ump.Environment("tenhou")
    game.reset(seed=1)
    while len(game.observation().discards) < 30:
        game.step(game.legal_actions()[0])
    seen = game.observation()
    held = sum(seen.hand.kinds) + sum(len(meld.faces) for melds in seen.melds for meld in melds)
    assert len(read(seen._repr_html_()).tiles) == held + len(seen.discards) + len(seen.indicators)
    assert isinstance(ump.Observation(None, seen.ruleset)._repr_html_(), str)


@pytest.mark.parametrize("name", ["game", "record"])
def test_a_game_has_its_kyoku_and_places(name: str) -> None:
    """Each win is a row; a name of markup is text."""
    game = PIECES[name]
    shown = read(game._repr_html_())
    for player in game.names:
        assert player in shown.words
    assert "East 1" in shown.words and "place player points result" in shown.words
    assert STRANGER not in game._repr_html_()


def test_a_review_and_statistics() -> None:
    """The figures and the worst moves; a row for everybody and for each player."""
    review = read(PIECES["review"]._repr_html_())
    assert "agreement" in review.words and "the worst moves by expert" in review.words and review.tiles
    statistics = read(PIECES["statistics"]._repr_html_())
    assert "(everybody)" in statistics.words and "of games played to their end" in statistics.words
    with pytest.raises(ValueError, match="unknown player 'nobody'; choose tsumogiri"):
        ump.review(RECORD, 0, by="nobody")
    with pytest.raises(ValueError, match="no seat 4"):
        ump.review(RECORD, 4)
