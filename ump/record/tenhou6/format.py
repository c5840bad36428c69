"""tenhou.net/6 JSON as record formats."""

from __future__ import annotations

import re

from ump.record.facts import Carried, Fact
from ump.record.record_format import RecordFormat, carrying
from ump.record.tenhou6.record_reader import read_tenhou6
from ump.record.tenhou6.record_writer import write_tenhou6, write_urls

_LOG = re.compile(rb'\{.*?"log"\s*:\s*\[\s*\[\s*\[', re.DOTALL)
"""An object with a log, of which a kyoku begins with an array."""

_URL = re.compile(rb"https?://tenhou\.net/[56]/#json=")

TENHOU6 = RecordFormat(
    key="tenhou6",
    name="tenhou.net/6 JSON",
    suffix=".tenhou6.json",
    sniff=lambda data: _LOG.match(data) is not None,
    read=read_tenhou6,
    write=write_tenhou6,
    players=(3, 4),
    carries=carrying(
        {
            Carried.YES: (Fact.HANDS, Fact.NAMES, Fact.RESULTS, Fact.SCORES, Fact.YAKU, Fact.URA),
            Carried.OWN: (Fact.RULES, Fact.DICE, Fact.FU),
        }
    ),
    needs=frozenset((Fact.HANDS, Fact.RESULTS)),
)
"""A whole game in one object. Tenhou's own files lack the fu at the limits."""

TENHOU6_URLS = RecordFormat(
    key="tenhou6-urls",
    name="tenhou.net/6 URLs",
    suffix=".urls.txt",
    sniff=lambda data: _URL.match(data) is not None,
    read=read_tenhou6,
    write=write_urls,
    players=(3, 4),
    carries=carrying(
        {
            Carried.YES: (Fact.HANDS, Fact.NAMES, Fact.YAKU, Fact.URA),
            Carried.OWN: (Fact.RULES, Fact.DICE, Fact.FU),
        }
    ),
    needs=frozenset((Fact.HANDS,)),
)
"""A URL for each kyoku, one per line. The end of the game is missing."""
