"""Actions: exactly what a seat does. Less exact input from clients is a claim (``ump.model.claims``)."""

from __future__ import annotations

from typing import TypeAlias

from ump.model.tiles import Face, Kind
from ump.model.value import value


@value
class Discard:
    """Discard a tile: the drawn one (``tsumogiri``), or one that was in the hand before the draw."""

    face: Face
    tsumogiri: bool = False


@value
class Riichi:
    """Declare riichi and discard a tile. ``opened`` shows the hand to all (open riichi)."""

    face: Face
    tsumogiri: bool = False
    opened: bool = False


@value
class Ankan:
    """Make a closed kan of the four concealed tiles of a kind."""

    kind: Kind


@value
class Kakan:
    """Add this tile to the player's own pon."""

    face: Face


@value
class Kita:
    """Set a north aside and draw a replacement tile, in a game of three. Each one counts as dora."""


@value
class Tsumo:
    """Win with the drawn tile."""


@value
class KyushuKyuhai:
    """Abort the kyoku with nine different terminals and honours on the first draw."""


@value
class Pass:
    """Do nothing about another player's tile."""


@value
class Chi:
    """Call the discard for a run with these two tiles from the hand, sorted."""

    own: tuple[Face, Face]


@value
class Pon:
    """Call the discard for a triplet with these two tiles from the hand, sorted."""

    own: tuple[Face, Face]


@value
class Daiminkan:
    """Call the discard for an open kan with the three others of its kind from the hand."""


@value
class Ron:
    """Win with another player's tile."""


@value
class DeclareTenpai:
    """Show a tenpai hand when the wall is exhausted."""


@value
class DeclareNoten:
    """Keep the hand hidden when the wall is exhausted."""


TurnAction: TypeAlias = Discard | Riichi | Ankan | Kakan | Kita | Tsumo | KyushuKyuhai
"""An action of a seat after its draw, or after its own chi or pon."""
CallAction: TypeAlias = Pass | Chi | Pon | Daiminkan | Ron
"""An action of a seat about another player's tile."""
DeclareAction: TypeAlias = DeclareTenpai | DeclareNoten
"""A declaration of a seat at exhaustive draw."""
Action: TypeAlias = TurnAction | CallAction | DeclareAction
"""Any action."""
