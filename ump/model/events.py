"""Events: what happens at a table. The game emits each once; every dialect renders them.

Only ``TileDrawn.face`` and ``HandDealt.faces`` are ever hidden; ``ump.table.view`` decides from which seats. ``points``
and ``changes`` are in points and have one entry per seat.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from ump.model.game_result import GameResult
from ump.model.melds import Meld
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.model.yaku import HandValue


class DrawReason(Enum):
    """The reason why a kyoku ends without a winner. The values are UMP's words; EXHAUSTED has none there."""

    EXHAUSTED = "exhausted"
    KYUSHU_KYUHAI = "kyushukyuhai"
    SUUFON_RENDA = "sufonrenta"
    SUUCHA_RIICHI = "suchareach"
    SUUKAIKAN = "sukaikan"
    SANCHAHO = "sanchaho"
    NAGASHI_MANGAN = "nagashimangan"
    CHOMBO = "chombo"
    """A player has paid for a foul. Not a rule of the game, but a policy that a room can have for faults."""


@value
class GameStarted:
    """The game begins; seat 0 deals first."""

    names: tuple[str, ...]


@value
class KyokuStarted:
    """A kyoku begins."""

    bakaze: int
    """0 east, 1 south, 2 west, 3 north."""
    dealer: Seat
    honba: int
    kyotaku: int
    """The number of riichi sticks on the table (1,000 points each)."""
    points: tuple[int, ...]
    dice: tuple[int, int]


@value
class HandDealt:
    """A player receives its first 13 tiles, sorted; None if they are hidden."""

    seat: Seat
    faces: tuple[Face, ...] | None


@value
class DoraRevealed:
    """A dora indicator is revealed: the first one, or one for a kan."""

    indicator: Face


@value
class TileDrawn:
    """A player draws a tile; ``left`` tiles remain in the live wall. The face is None if it is hidden."""

    seat: Seat
    left: int
    face: Face | None
    rinshan: bool = False
    """Whether it is the replacement tile of a kan or of a north that was set aside."""


@value
class RiichiDeclared:
    """A player declares riichi; its discard is the next event."""

    seat: Seat
    opened: bool = False


@value
class TileDiscarded:
    """A player discards a tile."""

    seat: Seat
    face: Face
    tsumogiri: bool
    riichi: bool = False


@value
class RiichiPaid:
    """A riichi stands, since its tile has passed: the player has paid 1,000 points."""

    seat: Seat


@value
class TileCalled:
    """A player calls chi, pon or an open kan; the meld says whose tile it took."""

    seat: Seat
    meld: Meld


@value
class KanDeclared:
    """A player declares a closed or an added kan on its own turn."""

    seat: Seat
    meld: Meld


@value
class KitaDeclared:
    """A player sets a north aside, in a game of three."""

    seat: Seat


@value
class RonDeclared:
    """A player declares one of the three rons that abort the kyoku (sanchaho)."""

    seat: Seat


@value
class HandOpened:
    """A hand is shown to all: after an open riichi, and at abortive draws that show hands."""

    seat: Seat
    faces: tuple[Face, ...]
    """The concealed tiles, sorted."""
    melds: tuple[Meld, ...]


@value
class TenpaiDeclared:
    """A player declares tenpai, and shows its hand, or noten at exhaustive draw."""

    seat: Seat
    tenpai: bool
    faces: tuple[Face, ...] | None
    """The concealed tiles, sorted; None when noten."""
    melds: tuple[Meld, ...]


@value
class HandWon:
    """A player wins and is paid."""

    seat: Seat
    loser: Seat | None
    """The seat that dealt in (ron); None on tsumo."""
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
    """Points won and lost, with honba and sticks; empty if a record does not say."""
    liable: Seat | None = None
    """The seat that pays by pao, or None."""
    norths: int = 0
    """The number of norths that the winner has set aside; each counts as dora."""


@value
class KyokuDrawn:
    """The kyoku ends without a winner."""

    reason: DrawReason
    changes: tuple[int, ...]
    """Points won and lost; empty if a record does not say."""


@value
class KyokuEnded:
    """The table is cleared after a kyoku."""


@value
class GameEnded:
    """The game is over, with these parts of its ``GameResult``."""

    points: tuple[int, ...]
    places: tuple[int, ...]
    results: tuple[int, ...]

    @property
    def result(self) -> GameResult:
        """The result of the game."""
        return GameResult(self.points, self.places, self.results)


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
    | KitaDeclared
    | RonDeclared
    | HandOpened
    | TenpaiDeclared
    | HandWon
    | KyokuDrawn
    | KyokuEnded
    | GameEnded
)
"""Any event."""
