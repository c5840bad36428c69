"""The wishes of a person in answer to a question, and the words for them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto

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


class Wish(Enum):
    """The meaning of the first word of an answer."""

    DISCARD = auto()
    RIICHI = auto()
    OPEN_RIICHI = auto()
    KAN = auto()
    """Any kan that is possible."""
    ANKAN = auto()
    KAKAN = auto()
    KITA = auto()
    TSUMO = auto()
    RON = auto()
    WIN = auto()
    """Tsumo or ron, whichever is possible."""
    NINE = auto()
    CHI = auto()
    PON = auto()
    PASS = auto()
    YES = auto()


WORDS: Mapping[Wish, tuple[str, ...]] = {
    Wish.DISCARD: ("d", "discard", "sute", "sutehai", "dahai"),
    Wish.RIICHI: ("r", "l", "riichi", "richi", "reach"),
    Wish.OPEN_RIICHI: ("openriichi", "openrichi"),
    Wish.KAN: ("k", "kan", "daiminkan"),
    Wish.ANKAN: ("ankan",),
    Wish.KAKAN: ("kakan",),
    Wish.KITA: ("kita", "nukidora"),
    Wish.TSUMO: ("t", "tsumo"),
    Wish.RON: ("ron",),
    Wish.WIN: ("w", "win", "hora"),
    Wish.NINE: ("q", "nine", "ryukyoku"),
    Wish.CHI: ("c", "chi", "chii"),
    Wish.PON: ("p", "pon"),
    Wish.PASS: ("x", "n", "no", "pass", "noten"),
    Wish.YES: ("y", "yes", "ok", "tenpai"),
}
"""All words for each wish, in lower case; those of UMP 0.1 are among them."""

WISHES: Mapping[str, Wish] = {word: wish for wish, words in WORDS.items() for word in words}
"""The wish that each word stands for."""

ACTIONS: Mapping[Wish, tuple[type[Action], ...]] = {
    Wish.DISCARD: (Discard,),
    Wish.RIICHI: (Riichi,),
    Wish.OPEN_RIICHI: (Riichi,),
    Wish.KAN: (Ankan, Kakan, Daiminkan),
    Wish.ANKAN: (Ankan,),
    Wish.KAKAN: (Kakan,),
    Wish.KITA: (Kita,),
    Wish.TSUMO: (Tsumo,),
    Wish.RON: (Ron,),
    Wish.WIN: (Tsumo, Ron),
    Wish.NINE: (KyushuKyuhai,),
    Wish.CHI: (Chi,),
    Wish.PON: (Pon,),
    Wish.PASS: (Pass, DeclareNoten),
    Wish.YES: (DeclareTenpai,),
}
"""The classes of actions that fulfil each wish."""
