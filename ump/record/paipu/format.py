"""Majiang's paipu as a record format."""

from __future__ import annotations

import re

from ump.record.facts import Carried, Fact
from ump.record.paipu.record_reader import read_paipu
from ump.record.paipu.record_writer import write_paipu
from ump.record.record_format import RecordFormat, carrying

_LOG = re.compile(rb'\[?\s*\{.*?"log"\s*:\s*\[\s*\[\s*\{\s*"qipai"', re.DOTALL)
"""An object, perhaps in an array, with a log, of which a kyoku begins with a deal."""

PAIPU = RecordFormat(
    key="paipu",
    name="Majiang paipu",
    suffix=".paipu.json",
    sniff=lambda data: _LOG.match(data) is not None,
    read=read_paipu,
    write=write_paipu,
    carries=carrying(
        {
            Carried.YES: (Fact.HANDS, Fact.NAMES, Fact.RESULTS, Fact.SCORES, Fact.YAKU, Fact.FU, Fact.URA),
            Carried.OWN: (Fact.RULES, Fact.DICE),
        }
    ),
    needs=frozenset((Fact.RESULTS,)),
)
"""The records of kobalab's programs and viewers."""
