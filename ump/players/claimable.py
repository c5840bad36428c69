"""What a seat may claim on a server that does not say: the legal actions, as far as the seat itself can know them.

It lists the same as the game's own questions would; only a draw that is due with this very discard (four winds, four
riichi, four kans), where a call is refused, is not foreseen.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.constants import KYUSHU_KINDS, MAX_KANS
from ump.model.melds import MeldType
from ump.model.phases import Phase
from ump.model.seats import seat_after
from ump.model.tiles import COPIES, IN_ORDER, KIND_OF, ORDER, YAOCHU, Face, Kind
from ump.players.observation import Observation
from ump.rules.analysis import is_complete, kan_keeps_waits, tenpai_discards, waits_of
from ump.rules.calls import RUNS_WITH, faces_held, kuikae_kinds
from ump.rules.score import Circumstances, hand_value


def claimable(seen: Observation, phase: Phase, tile: Face | None) -> tuple[Action, ...]:
    """Return what the seat may answer to a question (see ``Policy.choose`` for ``tile``).

    Raises ValueError where what the seat has seen cannot have led to that question.
    """
    if phase is Phase.DECLARE:
        return (DeclareTenpai(), DeclareNoten())
    if phase is Phase.TURN:
        return tuple(_after_call(seen) if tile is None else _turn(seen, tile))
    if tile is None:
        raise ValueError(f"a question of phase {phase.name} is about a tile")
    ron = (Ron(),) if _may_ron(seen, tile, chankan=phase is Phase.CHANKAN) else ()
    calls = _calls(seen, tile) if phase is Phase.CALL else ()
    return (Pass(), *calls, *ron)


def _after_call(seen: Observation) -> Iterator[Action]:
    """After chi and pon: any tile that kuikae lets go."""
    melds, faces = seen.hand.melds, seen.hand.faces
    if not melds or melds[-1].called is None or melds[-1].is_kan:
        raise ValueError("a turn without a drawn tile follows a chi or pon")
    low, high = (KIND_OF[face] for face in melds[-1].own)
    barred = kuikae_kinds(seen.ruleset.kuikae, KIND_OF[melds[-1].called], (low, high))
    return (Discard(face) for face in IN_ORDER if faces[face] and KIND_OF[face] not in barred)


def _turn(seen: Observation, drawn: Face) -> Iterator[Action]:
    riichi = seen.in_riichi[seen.me]
    faces = seen.hand.faces
    discards = [] if riichi else [Discard(face) for face in IN_ORDER if faces[face] > (face == drawn)]
    discards.append(Discard(drawn, tsumogiri=True))
    yield from discards
    if not riichi and _may_riichi(seen):
        yield from _riichi(seen, discards)
    if seen.left and seen.kans < MAX_KANS:
        yield from _ankan(seen, KIND_OF[drawn], riichi)
        yield from _kakan(seen)
    if is_complete(seen.hand.kinds) and _has_yaku(seen, seen.hand.concealed, drawn, tsumo=True):
        yield Tsumo()
    if _may_throw_in(seen):
        yield KyushuKyuhai()


def _may_throw_in(seen: Observation) -> bool:
    """Tell whether the hand is one of nine different terminals and honours, at its first draw."""
    if not seen.ruleset.kyushu_kyuhai or not seen.is_first_turn:
        return False
    return sum(seen.hand.kinds[kind] > 0 for kind in YAOCHU) >= KYUSHU_KINDS


def _may_riichi(seen: Observation) -> bool:
    """Tell whether hand, points and wall allow riichi, whatever tile goes."""
    ruleset = seen.ruleset
    if not seen.hand.is_closed or seen.left < ruleset.riichi_tiles:
        return False
    return not ruleset.riichi_points or seen.points[seen.me] >= ruleset.riichi_points


def _riichi(seen: Observation, discards: list[Discard]) -> Iterator[Riichi]:
    kinds = tenpai_discards(seen.hand, seen.ruleset.own_copies)
    for opened in (False, True) if seen.ruleset.open_riichi else (False,):
        yield from (Riichi(gone.face, gone.tsumogiri, opened) for gone in discards if KIND_OF[gone.face] in kinds)


def _ankan(seen: Observation, drawn: Kind, riichi: bool) -> Iterator[Ankan]:
    """Yield the closed kans; in riichi only of the drawn kind, where it changes nothing that the ruleset guards."""
    if not riichi:
        yield from (Ankan(kind) for kind, count in enumerate(seen.hand.kinds) if count == COPIES)
    elif kan_keeps_waits(seen.hand, drawn, seen.ruleset.riichi_kan, seen.ruleset.own_copies):
        yield Ankan(drawn)


def _kakan(seen: Observation) -> Iterator[Kakan]:
    for meld in seen.hand.melds:
        if meld.type is MeldType.PON:
            yield from (Kakan(face) for face in faces_held(seen.hand.faces, meld.kind))


def _calls(seen: Observation, tile: Face) -> Iterator[Action]:
    """Yield chi, pon and open kan of a discard."""
    if seen.giver is None or seen.in_riichi[seen.me] or not seen.left:
        return
    kind, faces = KIND_OF[tile], seen.hand.faces
    if seen.me == seat_after(seen.giver, seen.ruleset.seats):
        for low, high in RUNS_WITH[kind]:
            if _leaves_discard(seen, kind, (low, high)):
                yield from (Chi(own) for own in product(faces_held(faces, low), faces_held(faces, high)))
    if seen.hand.kinds[kind] >= 2 and _leaves_discard(seen, kind, (kind, kind)):
        held = faces_held(faces, kind)
        for first, second in product(held, held):
            if ORDER[first] <= ORDER[second] and faces[first] > (first == second):
                yield Pon((first, second))
    if seen.hand.kinds[kind] >= 3 and seen.kans < MAX_KANS:
        yield Daiminkan()


def _leaves_discard(seen: Observation, called: Kind, own: tuple[Kind, Kind]) -> bool:
    """Tell whether kuikae leaves a discard after a call: without one the call is not legal."""
    barred = kuikae_kinds(seen.ruleset.kuikae, called, own)
    return any(count > own.count(kind) and kind not in barred for kind, count in enumerate(seen.hand.kinds))


def _may_ron(seen: Observation, tile: Face, *, chankan: bool) -> bool:
    """Tell whether the seat waits for the tile, is not furiten and has a yaku with it."""
    waits = waits_of(seen.hand, seen.ruleset.own_copies)
    if KIND_OF[tile] not in waits:
        return False
    river = {KIND_OF[discard.face] for discard in seen.rivers[seen.me]}
    if not waits.isdisjoint(river | seen.passed):
        return False
    return _has_yaku(seen, (*seen.hand.concealed, tile), tile, tsumo=False, chankan=chankan)


def _has_yaku(
    seen: Observation, concealed: tuple[Face, ...], tile: Face, *, tsumo: bool, chankan: bool = False
) -> bool:
    """Tell whether a complete hand has a yaku. Only what can be the one yaku is asked: ippatsu and dora cannot."""
    last = not seen.left and not seen.rinshan
    circumstances = Circumstances(
        tsumo=tsumo,
        seat_wind=seen.seat_wind,
        round_wind=seen.bakaze,
        riichi=int(seen.in_riichi[seen.me]),
        rinshan=tsumo and seen.rinshan,
        chankan=chankan,
        haitei=tsumo and last,
        houtei=not tsumo and not seen.left and not chankan,
        first_turn=seen.is_first_turn,
    )
    return hand_value(seen.ruleset, concealed, seen.hand.melds, tile, circumstances) is not None
