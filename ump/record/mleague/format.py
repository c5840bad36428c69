"""The records of M.LEAGUE as a record format."""

from __future__ import annotations

import re

from ump.record.facts import Carried, Fact
from ump.record.mleague.record_reader import read_mleague
from ump.record.mleague.record_writer import write_mleague
from ump.record.record_format import RecordFormat, carrying

_COMMAND = re.compile(rb'\[\s*\{(?=[^{}]{0,400}"cmd"\s*:)(?=[^{}]{0,400}"args"\s*:)')
"""The start of an array of commands."""

MLEAGUE_RECORD = RecordFormat(
    key="mleague",
    name="M.LEAGUE record",
    suffix=".mleague.json",
    sniff=lambda data: _COMMAND.match(data) is not None,
    read=read_mleague,
    write=write_mleague,
    carries=carrying(
        {
            Carried.YES: (
                Fact.HANDS,
                Fact.NAMES,
                Fact.RESULTS,
                Fact.YAKU,
                Fact.FU,
                Fact.URA,
                Fact.OPEN,
                Fact.ORDER,
                Fact.DICE,
            ),
            Carried.OWN: (Fact.RULES,),
            Carried.PARTLY: (Fact.SCORES,),
        }
    ),
    needs=frozenset((Fact.HANDS, Fact.RULES, Fact.RESULTS, Fact.FU)),
)
"""What the viewer of the league takes; readers of it are Preserver6166/MleaguePaifuParser and others."""
