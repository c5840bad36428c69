"""Text for people as a record format that is only written."""

from __future__ import annotations

from ump.record.facts import Carried, Fact
from ump.record.record_format import RecordFormat, carrying
from ump.record.text.record_writer import write_text

TEXT = RecordFormat(
    key="text",
    name="text",
    suffix=".txt",
    sniff=lambda data: False,
    read=None,
    write=write_text,
    players=(3, 4),
    carries=carrying(
        {
            Carried.YES: (
                *(Fact.HANDS, Fact.NAMES, Fact.RESULTS, Fact.SCORES),
                *(Fact.YAKU, Fact.FU, Fact.URA, Fact.OPEN),
            ),
            Carried.PARTLY: (Fact.RULES,),
        }
    ),
)
"""A game to read, print or post; ``ump show`` prints one in the order of its moves."""
