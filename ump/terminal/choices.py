"""Keys of the letters on the keyboard, and which legal actions they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
    Kita,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.tiles import Face
from ump.model.value import value
from ump.players.observation import Observation


@value
class Call:
    """The effect of a letter key."""

    key: str
    name: str
    """The word beside the key."""
    types: tuple[type[Action], ...]


CALLS: Sequence[Call] = (
    Call("r", "ron", (Ron,)),
    Call("t", "tsumo", (Tsumo,)),
    Call("l", "riichi", (Riichi,)),
    Call("c", "chi", (Chi,)),
    Call("p", "pon", (Pon,)),
    Call("k", "kan", (Daiminkan, Ankan, Kakan)),
    Call("f", "north aside", (Kita,)),
    Call("q", "nine terminals", (KyushuKyuhai,)),
    Call("y", "tenpai", (DeclareTenpai,)),
    Call("x", "pass", (Pass, DeclareNoten)),
)
"""All letters, in the order in which they are shown. Q without nine terminals leaves the program."""

KEYS: Mapping[str, Call] = {call.key: call for call in CALLS}


def actions_of(call: Call, legal: Sequence[Action]) -> list[Action]:
    """Return the legal actions that a key stands for."""
    return [action for action in legal if isinstance(action, call.types)]


def calls_in(legal: Sequence[Action]) -> list[Call]:
    """Return the keys that a question lets a player press."""
    return [call for call in CALLS if actions_of(call, legal)]


def tiles_of_action(action: Action) -> tuple[Face, ...]:
    """Return the tiles that tell an action from others of its kind; empty for one without tiles."""
    match action:
        case Chi() | Pon():
            return tuple(action.own)
        case Riichi() | Discard() | Kakan():
            return (action.face,)
        case Ankan():
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
        return [HeldTile(face) for face in faces]
    faces.remove(drawn)
    return [*map(HeldTile, faces), HeldTile(drawn, is_drawn=True)]


def action_with(tile: HeldTile, legal: Sequence[Action], *, riichi: bool) -> Action | None:
    """Return the discard, or the riichi, with this tile of the hand; None if that is not legal."""
    wanted = Riichi if riichi else Discard
    for action in legal:
        is_it = isinstance(action, wanted) and (action.face, action.tsumogiri) == (tile.face, tile.is_drawn)
        if is_it:
            return action
    return None
