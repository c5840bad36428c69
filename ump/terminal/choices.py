"""Keys of the letters on the keyboard, and which legal actions they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ump.model import actions
from ump.model.tiles import Face
from ump.model.value import value
from ump.players.observation import Observation


@value
class CallKey:
    """The effect of a letter key."""

    key: str
    name: str
    """The word beside the key."""
    types: tuple[type[actions.Action], ...]


CALLS: Sequence[CallKey] = (
    CallKey("r", "ron", (actions.Ron,)),
    CallKey("t", "tsumo", (actions.Tsumo,)),
    CallKey("l", "riichi", (actions.Riichi,)),
    CallKey("c", "chi", (actions.Chi,)),
    CallKey("p", "pon", (actions.Pon,)),
    CallKey("k", "kan", (actions.Daiminkan, actions.Ankan, actions.Kakan)),
    CallKey("f", "north aside", (actions.Kita,)),
    CallKey("q", "nine terminals", (actions.KyushuKyuhai,)),
    CallKey("y", "tenpai", (actions.DeclareTenpai,)),
    CallKey("x", "pass", (actions.Pass, actions.DeclareNoten)),
)
"""All letters, in the order in which they are shown. Q without nine terminals leaves the program."""

KEYS: Mapping[str, CallKey] = {call.key: call for call in CALLS}


def actions_of(call: CallKey, legal: Sequence[actions.Action]) -> list[actions.Action]:
    """Return the legal actions that a key stands for."""
    return [action for action in legal if isinstance(action, call.types)]


def calls_in(legal: Sequence[actions.Action]) -> list[CallKey]:
    """Return the keys that a question lets a player press."""
    return [call for call in CALLS if actions_of(call, legal)]


def tiles_of_action(action: actions.Action) -> tuple[Face, ...]:
    """Return the tiles that tell an action from others of its kind; empty for one without tiles."""
    match action:
        case actions.Chi() | actions.Pon():
            return tuple(action.own)
        case actions.Riichi() | actions.Discard() | actions.Kakan():
            return (action.face,)
        case actions.Ankan():
            return (action.kind,)
        case _:
            return ()


@value
class HeldTile:
    """One tile of the own hand as the screen shows it."""

    face: Face
    is_drawn: bool = False
    """Whether it is the drawn tile, which stands apart."""


def held_tiles(seen: Observation) -> list[HeldTile]:
    """Return the concealed tiles of the own hand, the drawn one last."""
    faces = list(seen.hand.concealed)
    drawn = seen.drawn if seen.drawer == seen.seat else None
    if drawn is None:
        return list(map(HeldTile, faces))
    faces.remove(drawn)
    return [*map(HeldTile, faces), HeldTile(drawn, is_drawn=True)]


def action_with(tile: HeldTile, legal: Sequence[actions.Action], *, riichi: bool) -> actions.Action | None:
    """Return the discard, or the riichi, with this tile of the hand; None if that is not legal."""
    wanted = actions.Riichi if riichi else actions.Discard
    for action in legal:
        is_it = isinstance(action, wanted) and (action.face, action.tsumogiri) == (tile.face, tile.is_drawn)
        if is_it:
            return action
    return None
