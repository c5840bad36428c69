"""Tables as record formats that are only written, all games into the same files."""

from __future__ import annotations

from ump.record.facts import Carried, Fact
from ump.record.record_format import RecordFormat, carrying
from ump.record.tables.rows import rows_of
from ump.record.tables.table_files import CsvFile, ParquetFile, TableFile

_CARRIES = carrying(
    {
        Carried.YES: (
            Fact.HANDS,
            Fact.NAMES,
            Fact.RESULTS,
            Fact.SCORES,
            Fact.YAKU,
            Fact.FU,
            Fact.URA,
            Fact.OPEN,
            Fact.DICE,
        ),
        Carried.PARTLY: (Fact.RULES, Fact.TIMES),
    }
)

CSV = RecordFormat(
    key="csv",
    name="CSV",
    suffix=".csv",
    sniff=lambda data: False,
    read=None,
    write=None,
    tabulate=rows_of,
    players=(3, 4),
    carries=_CARRIES,
    needs=frozenset((Fact.HANDS,)),
)
"""games.csv, kyoku.csv, wins.csv and decisions.csv."""

PARQUET = RecordFormat(
    key="parquet",
    name="Parquet",
    suffix=".parquet",
    sniff=lambda data: False,
    read=None,
    write=None,
    tabulate=rows_of,
    players=(3, 4),
    carries=_CARRIES,
    needs=frozenset((Fact.HANDS,)),
)
"""The same tables with types, written with pyarrow."""

TABLE_FILES: dict[str, type[TableFile]] = {CSV.key: CsvFile, PARQUET.key: ParquetFile}
"""How to write the file of a table in each of these formats."""
