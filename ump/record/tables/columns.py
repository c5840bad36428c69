"""The schema of the tables: their columns, with types and meanings. The page docs/records.md is made from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from ump.model.seats import LETTERS
from ump.model.value import value

Cell: TypeAlias = str | int | bool | None
"""The content of a cell; None where the record does not say it, or there is nothing to say."""

Row: TypeAlias = Mapping[str, Cell]
"""The cells of a row by column. A column that is missing here is empty."""


class Kind(Enum):
    """The type of a column; the value is its name in the documentation."""

    TEXT = "text"
    NUMBER = "integer"
    TRUTH = "true, false"


@value
class Column:
    """A column of a table."""

    name: str
    kind: Kind
    meaning: str
    """With the unit."""


def _for_seats(name: str, kind: Kind, meaning: str) -> Iterator[Column]:
    """Yield a column for each seat: ``points_a``, ``points_b``."""
    for letter in LETTERS:
        yield Column(f"{name}_{letter.lower()}", kind, meaning)


TEXT, NUMBER, TRUTH = Kind.TEXT, Kind.NUMBER, Kind.TRUTH

_GAME = Column("game", TEXT, "name of the record, with its place in an archive, and `#2` for the second game in a file")
_KYOKU = Column("kyoku", NUMBER, "number of the kyoku in the record, from 1")

TABLES: Mapping[str, Sequence[Column]] = {
    "games": (
        _GAME,
        Column("format", TEXT, "key of the format of the record"),
        Column("seats", NUMBER, "number of players"),
        Column("rules", TEXT, "name of the rules"),
        Column("rules_stated", TRUTH, "whether the record says the rules; otherwise they are assumed"),
        Column("length", TEXT, "`kyoku`, `tonpu` or `hanchan`"),
        Column("from_start", TRUTH, "whether the record has the first kyoku"),
        Column("ended", TRUTH, "whether the record has the end"),
        Column("kyoku", NUMBER, "kyoku in the record"),
        *_for_seats("name", TEXT, "name of the player"),
        *_for_seats("points", NUMBER, "points at the end, before uma"),
        *_for_seats("place", NUMBER, "place, 1 is the best"),
        *_for_seats("result", NUMBER, "result with uma and oka, in tenths of a thousand points"),
    ),
    "kyoku": (
        _GAME,
        _KYOKU,
        Column("round", TEXT, "`E1` is east 1"),
        Column("honba", NUMBER, "honba"),
        Column("kyotaku", NUMBER, "riichi sticks on the table at the start"),
        Column("dealer", TEXT, "seat of the dealer"),
        *_for_seats("points", NUMBER, "points at the start"),
        Column("dice", TEXT, "the two dice, as in `3 4`; empty if the record has none"),
        Column("indicators", TEXT, "all dora indicators that were revealed"),
        Column("riichi", TEXT, "seats that declared riichi, in order"),
        Column("result", TEXT, "`ron`, `tsumo`, the reason of a draw in UMP's words, or `exhausted`; empty if cut"),
        Column("winners", TEXT, "seats that won, the nearest to the discarder first"),
        Column("tenpai", TEXT, "seats that declared tenpai at an exhaustive draw"),
        Column("draws", NUMBER, "tiles drawn, those of the dealer's first turn and of kans included"),
        Column("left", NUMBER, "tiles left in the live wall at the end"),
        *_for_seats("change", NUMBER, "points won or lost, with honba and riichi sticks"),
        Column("milliseconds", NUMBER, "from its start to its last event, if the record has a clock"),
    ),
    "wins": (
        _GAME,
        _KYOKU,
        Column("win", NUMBER, "number of the win in the kyoku, from 1"),
        Column("winner", TEXT, "seat of the winner"),
        Column("loser", TEXT, "seat that dealt in; empty for a tsumo"),
        Column("liable", TEXT, "seat that pays by pao"),
        Column("dealer", TRUTH, "whether the winner is the dealer"),
        Column("tile", TEXT, "the winning tile"),
        Column("hand", TEXT, "concealed tiles without it, then the melds, in UMP's notation"),
        Column("norths", NUMBER, "norths set aside"),
        Column("riichi", TRUTH, "whether the winner is in riichi"),
        Column("indicators", TEXT, "dora indicators"),
        Column("ura", TEXT, "ura indicators of a win in riichi"),
        Column("yaku", TEXT, "romanised yaku with their han, as in `riichi 1;pinfu 1`"),
        Column("han", NUMBER, "han of all yaku and dora"),
        Column("fu", NUMBER, "rounded fu; empty if unknown, and for a yakuman"),
        Column("yakuman", NUMBER, "how many yakuman; 0 for other hands and for a kazoe yakuman"),
        Column(
            "points", NUMBER, "points of all payers together, without honba and sticks; after pao as if there were none"
        ),
        Column("gain", NUMBER, "points that the winner gets, with honba and sticks"),
        Column("left", NUMBER, "tiles left in the live wall"),
    ),
    "decisions": (
        _GAME,
        _KYOKU,
        Column("decision", NUMBER, "number of the question in the kyoku, from 1"),
        Column("seat", TEXT, "seat of the player that was asked"),
        Column("phase", TEXT, "`turn` after a draw or a call, `call`, `chankan` or `declare`"),
        Column("tile", TEXT, "the tile drawn, or in question; empty after a call"),
        Column("hand", TEXT, "concealed tiles, with the drawn one last, then the melds, in UMP's notation"),
        Column("shanten", NUMBER, "of the concealed tiles; -1 is complete, yaku do not matter"),
        Column("left", NUMBER, "tiles left in the live wall"),
        Column("points", NUMBER, "points of the player now"),
        Column("riichi", TEXT, "seats in riichi"),
        Column("legal", TEXT, "all legal actions, in the words of the journal, with `;` between them"),
        Column("action", TEXT, "the action that was taken; a call that was possible and did not happen is `no`"),
        Column("milliseconds", NUMBER, "since the game began, when it was taken, if the record has a clock"),
    ),
}
"""The columns of each table."""
