"""Tenhou's mjlog as a record format."""

from __future__ import annotations

import re

from ump.record.facts import Carried, Fact
from ump.record.mjlog.game_reader import read_mjlog
from ump.record.mjlog.record_writer import write_mjlog
from ump.record.record_format import RecordFormat, carrying

_START = re.compile(rb"(<\?xml[^>]*>\s*)?<(mjloggm|SHUFFLE|GO|UN|INIT)\b")

MJLOG = RecordFormat(
    key="mjlog",
    name="Tenhou mjlog",
    suffix=".mjlog",
    sniff=lambda data: _START.match(data) is not None,
    read=lambda data: (read_mjlog(data),),
    write=write_mjlog,
    players=(3, 4),
    carries=carrying(
        {
            Carried.YES: (
                *(Fact.HANDS, Fact.NAMES, Fact.RESULTS, Fact.SCORES, Fact.YAKU, Fact.FU, Fact.URA, Fact.ORDER),
                *(Fact.DICE, Fact.COPIES),
            ),
            Carried.OWN: (Fact.WALLS, Fact.RULES),
        }
    ),
    needs=frozenset((Fact.HANDS, Fact.RULES, Fact.RESULTS, Fact.YAKU, Fact.FU)),
)
"""The XML of Tenhou's server. Its walls follow from Tenhou's own seeds; ours stand in an attribute of our own."""
