"""Drills about the points of a win: which han and fu it has, and who pays how much."""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

from ump.drills.case import Shown, bounded
from ump.drills.drill import Drill, DrillKind
from ump.model.events import DoraRevealed, HandWon
from ump.model.seats import WIND_NAMES, wind_of
from ump.model.yaku import HandValue, up_to_hundreds
from ump.record.recorded_game import RecordedKyoku
from ump.rules.presets import PRESETS
from ump.rules.score import base_points
from ump.text.layout import hand_text, tile_text
from ump.text.win import Win
from ump.text.written_hands import FrozenHand
from ump.wire.json_text import write

RULES = PRESETS["tenhou"]
"""The rules by which the win is counted."""

FU = (20, 25, 30, 40, 50, 60, 70, 80, 90, 100, 110)

MANGAN_HAN = 5
"""From so many han on, fu do not matter."""

LEAST_CHOICES, MOST_CHOICES = 3, 4

USUAL_FU = (25, 30)
SEVEN_PAIRS_FU = 25


def points_drills(kyoku: RecordedKyoku, won: HandWon) -> Iterator[Drill]:
    """Yield the question for the points of a win; none for a yakuman, or if more counts than is shown."""
    if won.value.yakuman:
        return
    seats = len(kyoku.started.points)
    wind = wind_of(won.seat, kyoku.started.dealer, seats)
    counted = _counted(kyoku, won, wind)
    if counted is None or counted.value != won.value:
        return  # ippatsu, the last tile .. or other rules
    is_dealer, is_tsumo = wind == 0, won.loser is None
    shown = _shown(kyoku, won, wind)
    right = _choice(won.value, is_dealer=is_dealer, is_tsumo=is_tsumo)
    choices = _choices(won.value, shown, is_dealer=is_dealer, is_tsumo=is_tsumo)
    if len(choices) < LEAST_CHOICES:
        return
    facts = {
        "yaku": [[yaku.romaji, han] for yaku, han in won.value.yaku],
        "fu": [list(item) for item in counted.fu],
        "han": won.value.han,
        "total": won.value.fu,
    }
    rating = 1_000 + (0 if won.value.han >= MANGAN_HAN else 250) + 100 * (won.value.fu not in USUAL_FU)
    rating += 40 * len(won.value.yaku)
    yield Drill(DrillKind.POINTS, shown, choices, (right,), facts, bounded(rating))


def _indicators(kyoku: RecordedKyoku) -> list[int]:
    return [event.indicator for event in kyoku.events if isinstance(event, DoraRevealed)]


def _counted(kyoku: RecordedKyoku, won: HandWon, wind: int) -> Win | None:
    """Return the win by what is shown; None if that is no win."""
    faces = [*won.faces] if won.loser is None else [*won.faces, won.tile]
    try:
        return FrozenHand(faces, won.melds, RULES).value(
            ron=None if won.loser is None else won.tile,
            tsumo=won.tile if won.loser is None else None,
            seat_wind=WIND_NAMES[wind].lower(),
            round_wind=WIND_NAMES[kyoku.started.bakaze].lower(),
            dora=_indicators(kyoku),
            ura=won.ura,
            riichi=won.riichi,
        )
    except ValueError:
        return None


def _shown(kyoku: RecordedKyoku, won: HandWon, wind: int) -> Shown:
    faces = list(won.faces)
    if won.loser is None:
        faces.remove(won.tile)
    return {
        "hand": hand_text(faces, won.melds),
        "win": f"{'tsumo' if won.loser is None else 'ron'} {tile_text(won.tile)}",
        "dora": " ".join(map(tile_text, _indicators(kyoku))),
        "ura": " ".join(map(tile_text, won.ura)),
        "riichi": won.riichi,
        "bakaze": WIND_NAMES[kyoku.started.bakaze],
        "wind": WIND_NAMES[wind],
    }


def _choice(worth: HandValue, *, is_dealer: bool, is_tsumo: bool) -> str:
    """Return an answer: ``2-40-2600``, of a tsumo ``2-40-700/1300``, of a dealer's ``2-40-1300 all``."""
    if not is_tsumo:
        paid = str(up_to_hundreds(worth.base * (6 if is_dealer else 4)))
    elif is_dealer:
        paid = f"{up_to_hundreds(2 * worth.base)} all"
    else:
        paid = f"{up_to_hundreds(worth.base)}/{up_to_hundreds(2 * worth.base)}"
    return f"{worth.han}-{worth.fu}-{paid}"


def _choices(worth: HandValue, shown: Shown, *, is_dealer: bool, is_tsumo: bool) -> tuple[str, ...]:
    """Return the right answer among others that are a few han or fu away, the cheapest first.

    Each pays something else. What is shown decides how many are cheaper, so that the place of an answer tells nothing.
    """
    by_base = {worth.base: worth}
    for han, fu in _neighbours(worth.han, worth.fu):
        base = base_points(RULES, han, fu)
        by_base.setdefault(base, HandValue((), han, fu, 0, base))
    bases = sorted(by_base)
    cheaper = crc32(write(shown).encode()) % MOST_CHOICES
    first = min(bases.index(worth.base) - cheaper, len(bases) - MOST_CHOICES)
    chosen = bases[max(first, 0) :][:MOST_CHOICES]
    return tuple(_choice(by_base[base], is_dealer=is_dealer, is_tsumo=is_tsumo) for base in chosen)


def _neighbours(han: int, fu: int) -> Iterator[tuple[int, int]]:
    """Yield han and fu that somebody may count who misses yaku, or sets, the nearest first."""
    for away in (1, 2, 3, 6):
        for other in (han - away, han + away):
            if _exists(other, fu):
                yield other, fu
    if han < MANGAN_HAN and fu != SEVEN_PAIRS_FU:
        at = FU.index(fu)
        for other in FU[max(at - 2, 0) : at + 3]:
            if other != SEVEN_PAIRS_FU and _exists(han, other):
                yield han, other


def _exists(han: int, fu: int) -> bool:
    """Tell whether there are hands of so many han and fu."""
    least = 2 if fu in (20, SEVEN_PAIRS_FU) else 1
    return han >= least
