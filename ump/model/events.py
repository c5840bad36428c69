"""Events: what has happened at a table, each told once. Every dialect renders these, the journal can rebuild them.

``TileDrawn.face`` and ``HandDealt.faces`` are all that is ever hidden; ``ump.table.view`` decides from whom.
Numbers of tiles, points and seats are plain integers; ``changes`` and ``points`` have one entry per seat.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from ump.model.melds import Meld
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.model.yaku import HandValue


class DrawReason(Enum):
    """How a kyoku ends without a winner. The values are UMP's words (the first has none there)."""

    EXHAUSTED = "exhausted"
    KYUSHU_KYUHAI = "kyushukyuhai"
    SUUFON_RENDA = "sufonrenta"
    SUUCHA_RIICHI = "suchareach"
    SUUKAIKAN = "sukaikan"
    SANCHAHO = "sanchaho"
    NAGASHI_MANGAN = "nagashimangan"
    CHOMBO = "chombo"
    """Somebody has paid for a foul; no rule of the game, but what a room may make of faults."""


@value
class GameStarted:
    """The players have sat down; seat 0 deals first."""

    names: tuple[str, ...]


@value
class KyokuStarted:
    """A round begins."""

    bakaze: int
    """0 east, 1 south, 2 west, 3 north."""
    dealer: Seat
    honba: int
    kyotaku: int
    """Riichi sticks on the table, in sticks (1,000 points each)."""
    points: tuple[int, ...]
    dice: tuple[int, int]


@value
class HandDealt:
    """A player has got the first 13 tiles, sorted; None where they are hidden."""

    seat: Seat
    faces: tuple[Face, ...] | None


@value
class DoraRevealed:
    """A dora indicator is turned over: the first one, or one for a kan."""

    indicator: Face


@value
class TileDrawn:
    """A player draws; ``left`` tiles remain in the live wall after it. The face is None where it is hidden."""

    seat: Seat
    left: int
    face: Face | None
    rinshan: bool = False
    """Whether it is the replacement tile of a kan."""


@value
class RiichiDeclared:
    """A player says riichi; the discard follows at once."""

    seat: Seat
    opened: bool = False


@value
class TileDiscarded:
    """A tile lies in the river."""

    seat: Seat
    face: Face
    tsumogiri: bool
    riichi: bool = False


@value
class RiichiPaid:
    """The riichi stands: 1,000 points lie on the table."""

    seat: Seat


@value
class TileCalled:
    """Chi, pon or an open kan; the meld says whose tile it took."""

    seat: Seat
    meld: Meld


@value
class KanDeclared:
    """A closed or an added kan on one's own turn."""

    seat: Seat
    meld: Meld


@value
class RonDeclared:
    """One of three rons that end the kyoku without a winner."""

    seat: Seat


@value
class HandOpened:
    """A hand is shown to all: in an open riichi, and at those draws that show hands."""

    seat: Seat
    faces: tuple[Face, ...]
    """The concealed tiles, sorted."""
    melds: tuple[Meld, ...]


@value
class TenpaiDeclared:
    """The wall is exhausted, and a player says tenpai (then the hand is shown) or noten."""

    seat: Seat
    tenpai: bool
    faces: tuple[Face, ...] | None
    """The concealed tiles, sorted; None when noten."""
    melds: tuple[Meld, ...]


@value
class HandWon:
    """A player wins, and is paid."""

    seat: Seat
    loser: Seat | None
    """Whose tile it is (ron); None on tsumo."""
    tile: Face
    """The winning tile."""
    faces: tuple[Face, ...]
    """The concealed tiles, sorted: on ron without the winning tile, on tsumo with it as the last one."""
    melds: tuple[Meld, ...]
    riichi: bool
    """Whether the winner is in riichi."""
    ura: tuple[Face, ...]
    """The ura indicators that count for this hand; empty without riichi."""
    value: HandValue
    changes: tuple[int, ...]
    """Points won and lost, honba and sticks included."""
    liable: Seat | None = None
    """Who pays by pao, if anybody."""


@value
class KyokuDrawn:
    """The kyoku ends without a winner."""

    reason: DrawReason
    changes: tuple[int, ...]


@value
class KyokuEnded:
    """The round is put away."""


@value
class GameEnded:
    """The game is over."""

    points: tuple[int, ...]
    """Final scores with left-over sticks, before uma and oka."""
    places: tuple[int, ...]
    """The place of each seat, 1 the best; equal ones where the ruleset shares places."""
    results: tuple[int, ...]
    """Uma and oka counted, in tenths of a thousand points (+45.3 is 453)."""


Event: TypeAlias = (
    GameStarted
    | KyokuStarted
    | HandDealt
    | DoraRevealed
    | TileDrawn
    | RiichiDeclared
    | TileDiscarded
    | RiichiPaid
    | TileCalled
    | KanDeclared
    | RonDeclared
    | HandOpened
    | TenpaiDeclared
    | HandWon
    | KyokuDrawn
    | KyokuEnded
    | GameEnded
)
"""Any event."""
