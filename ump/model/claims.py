"""Claims: what a client asked for, before the rules resolve it to an action.

Dialects leave things out: ``kan``, ``pon`` without tiles, ``5m`` where only the red five is held. A codec passes on
what the client wrote; ``ump.game.resolution`` turns it into exactly one action or refuses it with a ``Reason``.
"""

from __future__ import annotations

from enum import Enum, auto

from ump.model.tiles import Face
from ump.model.value import value


class Verb(Enum):
    """The verb of a claim. What YES and NO mean depends on the question: pass, tenpai, noten or ready."""

    DISCARD = auto()
    RIICHI = auto()
    OPEN_RIICHI = auto()
    ANKAN = auto()
    KAKAN = auto()
    KITA = auto()
    TSUMO = auto()
    RYUKYOKU = auto()
    CHI = auto()
    PON = auto()
    KAN = auto()
    RON = auto()
    YES = auto()
    NO = auto()


@value
class Claim:
    """A verb with the tiles that the client named, in that order."""

    verb: Verb
    tiles: tuple[Face, ...] = ()
    tsumogiri: bool = False
    """Whether the client said that it discards the drawn tile; ignored if it does not apply."""


class Reason(Enum):
    """Why an answer is refused: a closed list, sent only to the seat that answered. The values go on the wire."""

    UNREADABLE = "unreadable"
    AMBIGUOUS = "ambiguous"
    NOT_ASKED = "not_asked"
    """The verb does not fit the question."""
    NOT_HELD = "not_held"
    KUIKAE = "kuikae"
    IN_RIICHI = "in_riichi"
    NOT_TENPAI = "not_tenpai"
    NOT_CLOSED = "not_closed"
    TOO_FEW_POINTS = "too_few_points"
    TOO_FEW_TILES = "too_few_tiles"
    """Too few tiles left in the wall for a riichi, a call or a kan."""
    NOT_COMPLETE = "not_complete"
    NO_YAKU = "no_yaku"
    FURITEN = "furiten"
    NOT_NEXT = "not_next"
    """Only the player whose turn follows may call chi."""
    NOT_FIRST = "not_first"
    """Nine terminals are declared on the first draw, before any call."""
    TOO_FEW_KINDS = "too_few_kinds"
    TOO_MANY_KANS = "too_many_kans"
    WAIT_CHANGES = "wait_changes"
    """A kan after riichi would change the waits (or the shape of the hand, if the ruleset requires it to stay)."""
    NO_DISCARD = "no_discard"
    """Kuikae would leave no legal discard after the call."""
    NOT_IN_RULESET = "not_in_ruleset"


class IllegalAction(ValueError):
    """An answer that is refused; nothing has changed. ``reason`` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason
