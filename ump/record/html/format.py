"""A web page with a recorded game in one file, which needs no server. It is only written."""

from __future__ import annotations

from ump.record.facts import Carried, Fact
from ump.record.html.document import document
from ump.record.record_format import RecordFormat, carrying
from ump.record.recorded_game import RecordedGame
from ump.web import static_files
from ump.web.bundle import single_page
from ump.wire.json_text import write

PAGE = "replay.html"
"""The page that shows a replay."""

DATA = "record"
"""The id of the element that holds the game."""


def write_html(game: RecordedGame) -> bytes:
    """Return the page for replays with this game; raise RecordError if its moves contradict each other."""
    return single_page(static_files(), PAGE, DATA, write({"games": [document(game)]})).encode()


HTML = RecordFormat(
    key="html",
    name="web page",
    suffix=".html",
    sniff=lambda data: data[:15].lower() == b"<!doctype html>",
    read=None,
    write=write_html,
    players=(3, 4),
    carries=carrying(
        {
            Carried.YES: (
                Fact.HANDS,
                Fact.NAMES,
                Fact.SCORES,
                Fact.RESULTS,
                Fact.YAKU,
                Fact.FU,
                Fact.URA,
                Fact.ORDER,
                Fact.TEXTS,
            ),
            Carried.PARTLY: (Fact.RULES, Fact.ANSWERS),
        }
    ),
)
"""The replay page of the server, with a game in it."""
