"""The rows of the encoded observation: what each one holds. The page docs/learning.md is made from it.

A row has 34 numbers from 0 to 255, one for each kind of tile (1m to 9m, 1p to 9p, 1s to 9s, then east south west north
white green red). A row about the whole table holds the same number for all kinds.
"""

from __future__ import annotations

from collections.abc import Iterator

from ump.model.phases import Phase
from ump.model.tiles import COPIES, KINDS
from ump.model.value import value

ENCODING = 1
"""The version of the rows and of the action ids. It changes whenever one of them does."""

PLAYERS = 4
"""The players that the rows have room for. In a game of three the rows of the last one are 0."""

MOST = 255
"""The largest number in a row; larger ones are cut."""

MOST_DISCARDS = 86
"""Discards of a kyoku: at most one for each of 70 draws, and one for each of 16 melds."""

MOST_LEFT = 70
"""Tiles in the live wall."""


@value
class Row:
    """One row of the observation."""

    name: str
    most: int
    """The largest number that the row can hold; divide by it to scale the row to 1."""
    is_even: bool
    """Whether all kinds have the same number."""
    meaning: str


def _for_kinds(name: str, most: int, meaning: str) -> Row:
    return Row(name, most, False, meaning)


def _for_table(name: str, most: int, meaning: str) -> Row:
    return Row(name, most, True, meaning)


OWN_ROWS = (
    *(_for_kinds(f"hand_{n}", 1, f"1 if the own concealed tiles hold at least {n} of the kind") for n in range(1, 5)),
    _for_kinds("hand_red", COPIES, "red fives among the own concealed tiles"),
    _for_kinds("drawn", 1, "1 for the tile that was just drawn by the seat"),
    _for_kinds("drawn_red", 1, "1 for that tile if it is a red five"),
    _for_kinds("offered", 1, "1 for the tile of another player that is on offer"),
    _for_kinds("offered_red", 1, "1 for that tile if it is a red five"),
    _for_kinds("passed", 1, "1 for kinds that have passed since the own last draw, or since the own riichi (furiten)"),
)
"""The rows about the seat's own tiles, and about its question."""

TABLE_ROWS = (
    _for_kinds("indicators", COPIES, "dora indicators"),
    _for_kinds("dora", COPIES, "how many indicators make the kind dora"),
    _for_kinds("unseen", COPIES, "tiles that are in no river, meld or indicator, and not in the own hand"),
    _for_kinds("round_wind", 1, "1 for the wind of the round"),
    _for_kinds("seat_wind", 1, "1 for the own wind"),
    _for_table("kyoku", PLAYERS, "number of the kyoku in the round, from 1: the 3 of east 3"),
    _for_table("honba", MOST, "honba"),
    _for_table("kyotaku", MOST, "riichi sticks on the table"),
    _for_table("left", MOST_LEFT, "tiles left in the live wall"),
    *(
        _for_table(f"phase_{phase.value}", 1, f"1 if the seat is asked a question of the phase {phase.value}")
        for phase in Phase
    ),
)
"""The rows of the whole table."""

_WHOSE = ("own", "the next player's", "the opposite player's", "the previous player's")
"""Players by their distance in turn order. With three players the third one is the previous player."""


def _player_rows(player: int) -> Iterator[Row]:
    """Yield the rows about one player."""
    whose = _WHOSE[player]
    kinds = (
        ("open", COPIES, "tiles in {} open melds"),
        ("ankan", 1, "1 for {} closed kans"),
        ("meld_red", COPIES, "red fives in {} melds"),
        ("river", COPIES, "{} discards, those that were called included"),
        ("from_hand", COPIES, "{} discards from the hand, not of the tile just drawn"),
        ("river_red", COPIES, "red fives among {} discards"),
        ("first", MOST_DISCARDS, "number of {} first discard of the kind, among all discards of the kyoku, from 1"),
        ("last", MOST_DISCARDS, "number of {} last discard of the kind"),
        ("riichi_tile", 1, "1 for the discard of {} riichi"),
        ("shown", COPIES, "{} concealed tiles, if the player has shown them (open riichi)"),
    )
    table = (
        ("thousands", MOST, "{} points, in whole thousands; 0 if they are negative"),
        ("hundreds", 9, "the hundreds of {} points; 0 if they are negative"),
        ("riichi", 1, "1 after {} declaration of riichi"),
        ("norths", COPIES, "{} norths set aside"),
        ("offers", 1, "1 if {} tile is on offer"),
    )
    for name, most, meaning in kinds:
        yield _for_kinds(f"{name}_{player}", most, meaning.format(whose))
    for name, most, meaning in table:
        yield _for_table(f"{name}_{player}", most, meaning.format(whose))


PLAYER_ROWS = tuple(row for player in range(PLAYERS) for row in _player_rows(player))
"""The rows of each player, all of which everybody sees, from the seat itself in turn order."""

ROWS: tuple[Row, ...] = (*OWN_ROWS, *TABLE_ROWS, *PLAYER_ROWS)
"""All rows, in order."""

ROWS_OF_PLAYER = len(PLAYER_ROWS) // PLAYERS

PLACES = {row.name: place for place, row in enumerate(ROWS)}
"""The place of each row."""

SHAPE = (len(ROWS), KINDS)
"""The shape of the observation."""

SIZE = len(ROWS) * KINDS
"""The number of bytes of an observation, one for each number."""
