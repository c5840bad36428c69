"""Actions: what a seat does, exactly. The game takes nothing vaguer than these; see ``claims`` for what is."""

from __future__ import annotations

from typing import TypeAlias

from ump.model.tiles import Face, Kind
from ump.model.value import value


@value
class Discard:
    """Discard a tile: the drawn one (``tsumogiri``) or one that was in the hand before the draw."""

    face: Face
    tsumogiri: bool = False


@value
class Riichi:
    """Declare riichi and discard a tile; ``opened``: show the hand to all (open riichi)."""

    face: Face
    tsumogiri: bool = False
    opened: bool = False


@value
class Ankan:
    """Make a closed kan of the four concealed tiles of a kind."""

    kind: Kind


@value
class Kakan:
    """Add this tile to one's own pon."""

    face: Face


@value
class Tsumo:
    """Win with the drawn tile."""


@value
class KyushuKyuhai:
    """Declare nine different terminals and honours on one's first draw."""


@value
class Pass:
    """Let the tile go."""


@value
class Chi:
    """Call the discard with these two tiles of one's own, sorted."""

    own: tuple[Face, Face]


@value
class Pon:
    """Call the discard with these two equal tiles of one's own, sorted."""

    own: tuple[Face, Face]


@value
class Daiminkan:
    """Call the discard with the three equal tiles of one's own."""


@value
class Ron:
    """Win with another player's tile."""


@value
class DeclareTenpai:
    """Show a tenpai hand when the wall is exhausted."""


@value
class DeclareNoten:
    """Keep the hand closed when the wall is exhausted."""


TurnAction: TypeAlias = Discard | Riichi | Ankan | Kakan | Tsumo | KyushuKyuhai
CallAction: TypeAlias = Pass | Chi | Pon | Daiminkan | Ron
DeclareAction: TypeAlias = DeclareTenpai | DeclareNoten
Action: TypeAlias = TurnAction | CallAction | DeclareAction
"""Any action."""
