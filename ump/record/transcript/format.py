"""Transcripts of UMP as record formats."""

from __future__ import annotations

from ump.record.facts import Carried, Fact
from ump.record.record_format import RecordFormat, carrying
from ump.record.transcript.lines import has_kyoku
from ump.record.transcript.record_reader import read_ump01, read_ump02
from ump.record.transcript.record_writer import write_ump01, write_ump02

_BOTH = (Fact.HANDS, Fact.NAMES, Fact.FU, Fact.YAKU, Fact.URA, Fact.OPEN, Fact.ORDER, Fact.DICE)

UMP01 = RecordFormat(
    key="ump01",
    name="transcript of UMP 0.1",
    suffix=".ump01.txt",
    sniff=lambda data: has_kyoku(data, "0.1"),
    read=read_ump01,
    write=write_ump01,
    players=(3, 4),
    carries=carrying({Carried.YES: (*_BOTH, Fact.SCORES), Carried.OWN: (Fact.RULES, Fact.RESULTS)}),
    needs=frozenset((Fact.FU,)),
)
"""What a server sends over UMP 0.1, to a seat or with all hands."""

UMP02 = RecordFormat(
    key="ump02",
    name="transcript of UMP 0.2",
    suffix=".ump02.txt",
    sniff=lambda data: has_kyoku(data, "0.2"),
    read=read_ump02,
    write=write_ump02,
    players=(3, 4),
    carries=carrying({Carried.YES: (*_BOTH, Fact.RESULTS), Carried.OWN: (Fact.RULES,), Carried.PARTLY: (Fact.SCORES,)}),
    needs=frozenset((Fact.RESULTS, Fact.FU)),
)
"""What a server sends over UMP 0.2. The scores at the end follow from the payments."""
