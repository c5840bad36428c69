"""Claims: what a client wrote, read but not yet judged.

A dialect leaves things unsaid: ``kan``, ``pon`` without tiles, ``5m`` where only the red five is held. The codec
hands on what stands there; the open question makes exactly one action of it, or refuses (``ump.game.claims``).
"""

from __future__ import annotations

from enum import Enum, auto

from ump.model.tiles import Face
from ump.model.value import value


class Verb(Enum):
    """What is claimed. YES and NO mean what the question asks: pass, tenpai, noten, ready."""

    DISCARD = auto()
    RIICHI = auto()
    OPEN_RIICHI = auto()
    ANKAN = auto()
    KAKAN = auto()
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
    """A verb with the tiles that were named, in the order they were named."""

    verb: Verb
    tiles: tuple[Face, ...] = ()
    tsumogiri: bool = False
    """Whether the client said that the drawn tile goes; dropped silently where it does not fit."""


class Reason(Enum):
    """Why an answer is refused: a closed list, told to nobody but the one who answered. Values go on the wire."""

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
    """Chi is for the player whose turn follows."""
    NOT_FIRST = "not_first"
    """Nine terminals are declared on one's first draw before any call."""
    TOO_FEW_KINDS = "too_few_kinds"
    TOO_MANY_KANS = "too_many_kans"
    WAIT_CHANGES = "wait_changes"
    """A kan after riichi that changes the waits (or the shape, as the ruleset has it)."""
    NO_DISCARD = "no_discard"
    """A call after which kuikae leaves no legal discard."""
    NOT_IN_RULESET = "not_in_ruleset"


class IllegalAction(ValueError):
    """The answer is refused and nothing has changed."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason
