"""Every action that exists, legal or not, to test questions with."""

from __future__ import annotations

from itertools import combinations_with_replacement

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
from ump.model.tiles import FACES, IN_ORDER, KINDS

EITHER = (False, True)
PAIRS = tuple(combinations_with_replacement(IN_ORDER, 2))

ALL_ACTIONS: tuple[Action, ...] = (
    *(Discard(face, tsumogiri) for face in range(FACES) for tsumogiri in EITHER),
    *(Riichi(face, tsumogiri, opened) for face in range(FACES) for tsumogiri in EITHER for opened in EITHER),
    *(Ankan(kind) for kind in range(KINDS)),
    *(Kakan(face) for face in range(FACES)),
    *(Chi(pair) for pair in PAIRS),
    *(Pon(pair) for pair in PAIRS),
    *(Kita(), Tsumo(), KyushuKyuhai(), Pass(), Daiminkan(), Ron(), DeclareTenpai(), DeclareNoten()),
)
