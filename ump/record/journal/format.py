"""The journal of our server as a record format."""

from __future__ import annotations

from ump.record.facts import Carried, Fact
from ump.record.journal.games import check, read_game
from ump.record.journal.journal_file import JOURNAL
from ump.record.record_format import RecordFormat

JOURNAL_FORMAT = RecordFormat(
    key="journal",
    name="journal of ump",
    suffix=".journal",
    sniff=lambda data: data.startswith(JOURNAL),
    read=read_game,
    write=None,
    carries={fact: Carried.YES for fact in Fact if fact is not Fact.TEXTS},
    check=check,
)
"""Only a server writes it: it has what no other format has, such as each question's answer and its time."""
