"""Every action that exists, legal or not, to test questions with."""

from __future__ import annotations

from itertools import combinations_with_replacement

from ump.model import actions
from ump.model.tiles import FACES, IN_ORDER, KINDS

EITHER = (False, True)
PAIRS = tuple(combinations_with_replacement(IN_ORDER, 2))

ALL_ACTIONS: tuple[actions.Action, ...] = (
    *(actions.Discard(face, tsumogiri) for face in range(FACES) for tsumogiri in EITHER),
    *(actions.Riichi(face, tsumogiri, opened) for face in range(FACES) for tsumogiri in EITHER for opened in EITHER),
    *(actions.Ankan(kind) for kind in range(KINDS)),
    *(actions.Kakan(face) for face in range(FACES)),
    *(actions.Chi(pair) for pair in PAIRS),
    *(actions.Pon(pair) for pair in PAIRS),
    *(
        actions.Kita(),
        actions.Tsumo(),
        actions.KyushuKyuhai(),
        actions.Pass(),
        actions.Daiminkan(),
        actions.Ron(),
        actions.DeclareTenpai(),
        actions.DeclareNoten(),
    ),
)
