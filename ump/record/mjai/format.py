"""mjai's logs as record formats."""

from __future__ import annotations

import re

from ump.record.facts import Carried, Fact
from ump.record.mjai.record_reader import read_mjai
from ump.record.mjai.record_writer import write_mjai, write_mortal
from ump.record.record_format import RecordFormat, carrying

_EVENT = re.compile(rb'\[?\s*\{[^{}\[\]]{0,4096}"type"\s*:\s*"[a-z_]+"')
"""The start of a log: an object with a type, perhaps in an array."""

_CARRIES = carrying(
    {
        Carried.YES: (Fact.HANDS, Fact.NAMES, Fact.SCORES, Fact.YAKU, Fact.FU, Fact.URA, Fact.ORDER),
        Carried.OWN: (Fact.RULES, Fact.RESULTS, Fact.DICE),
    }
)

MJAI = RecordFormat(
    key="mjai",
    name="mjai log",
    suffix=".mjson",
    sniff=lambda data: _EVENT.match(data) is not None,
    read=read_mjai,
    write=write_mjai,
    players=(3, 4),
    carries=_CARRIES,
)
"""As gimite's server writes them, which RiichiEnv reads too."""

MORTAL = RecordFormat(
    key="mortal",
    name="mjai log for Mortal",
    suffix=".mjson",
    sniff=lambda data: False,  # the reader of mjai knows these names, too
    read=read_mjai,
    write=write_mortal,
    players=(3, 4),
    carries=_CARRIES,
)
"""As Mortal's programs read them: one field has another name."""
