"""Hints about the own hand: its waits and furiten, what brings it nearer to tenpai, and the best discards."""

from __future__ import annotations

from collections.abc import Collection

from ump.model.hand import Hand
from ump.model.tiles import COPIES, KIND_OF, KINDS, Face, Kind
from ump.players.hints import Furiten, furiten_of
from ump.players.observation import Observation
from ump.rules.questions import kuikae_after
from ump.rules.score import Circumstances, hand_value, is_last_tile
from ump.text.hand import DiscardAnalysis, Ukeire, analyse_hand
from ump.text.layout import LINE, PLAIN, Style, width, wrapped
from ump.text.wording import Position, counted, tile_word, tile_words

MAX_DISCARDS = 6
"""The greatest number of discards that are compared."""


def waits_lines(position: Position, style: Style = PLAIN) -> list[str]:
    """Return hints about the own hand; empty for a spectator and between two kyoku.

    For a hand between turns, or in riichi: its waits, or its shanten number and the tiles that lower it. For a hand
    with a tile to discard: the same after each discard that keeps the shanten number lowest, the best first.
    """
    seen = position.seen
    hand = seen.hand.copy()
    if sum(hand.kinds) % 3 == 0:
        return []
    drawn = seen.drawn if seen.drawer == seen.seat else None
    if drawn is not None:
        hand.remove(drawn)
        if _wins(hand, drawn, seen):
            return ["the hand is complete"]
        if not seen.in_riichi[seen.me]:
            hand.add(drawn)
    analysis = analyse_hand(hand, _in_sight(seen, hand), seen.ruleset.own_copies, seen.ruleset.seats)
    if analysis.ukeire is not None:
        return _hand_lines("", hand, analysis.shanten, analysis.ukeire, _furiten(seen, analysis.ukeire), seen, style)
    forbidden = _forbidden(seen)
    allowed = [each for each in analysis.discards if KIND_OF[each.face] not in forbidden]
    best = [each for each in allowed if each.shanten == allowed[0].shanten]
    lines = ["the hand is complete, but it has no yaku"] if drawn is not None and analysis.shanten < 0 else []
    return lines + [line for each in best[:MAX_DISCARDS] for line in _discard_lines(each, hand, seen, style)]


def _in_sight(seen: Observation, hand: Hand) -> list[Face]:
    """Return the tiles that the seat has seen besides its hand and its melds."""
    own = [KIND_OF[face] for meld in hand.melds for face in meld.faces]
    counts = [COPIES - seen.unseen(kind) - hand.kinds[kind] - own.count(kind) for kind in range(KINDS)]
    return [kind for kind, count in enumerate(counts) for _ in range(count)]


def _forbidden(seen: Observation) -> Collection[Kind]:
    """Return the kinds that kuikae forbids to discard, right after a call."""
    if seen.drawer is not None or not seen.hand.melds or seen.hand.melds[-1].called is None:
        return ()
    return kuikae_after(seen.ruleset.kuikae, seen.hand.melds[-1])


def _discard_lines(each: DiscardAnalysis, hand: Hand, seen: Observation, style: Style) -> list[str]:
    """Return the hand after a discard."""
    rest = hand.copy()
    rest.remove(each.face)
    river = seen.discarded | {KIND_OF[each.face]}
    furiten = "furiten" if any(kind in river for kind, _ in each.ukeire.live) else ""
    label = f"discard {tile_word(each.face, style)}: "
    return _hand_lines(label, rest, each.shanten, each.ukeire, furiten, seen, style)


def _hand_lines(
    label: str, hand: Hand, shanten: int, ukeire: Ukeire, furiten: str, seen: Observation, style: Style
) -> list[str]:
    """Return the waits of 3n + 1 tiles, or the tiles that lower their shanten number; of many tiles only the number."""
    if shanten == 0:
        return _tenpai_lines(label, hand, ukeire, furiten, seen, style)
    if not ukeire.live:
        return [f"{label}{shanten}-shanten, improved by no unseen tile"]
    count = f"{label}{shanten}-shanten, improved by {counted(ukeire.tiles, 'unseen tile')}"
    line = f"{count}: {' '.join(tile_words((kind for kind, _ in ukeire.live), style))}"
    return [line if width(line) <= LINE else f"{count} of {len(ukeire.live)} kinds"]


def _tenpai_lines(label: str, hand: Hand, ukeire: Ukeire, furiten: str, seen: Observation, style: Style) -> list[str]:
    """Return the waits with their unseen tiles, then a lack of yaku and furiten."""
    if not ukeire.live:
        return [f"{label}tenpai, but all tiles that complete the hand are in it"]
    lacks = [_lack(hand, kind, seen) if left else "" for kind, left in ukeire.live]
    is_common = len(set(lacks)) == 1
    words = []
    for (kind, left), lack in zip(ukeire.live, lacks, strict=True):
        notes = f"{left} unseen" if is_common or not lack else f"{left} unseen, {lack}"
        words.append(f"{tile_word(kind, style)} ({notes})")
    for note in (lacks[0] if is_common else "", furiten):
        if note:
            words[-1] += ","
            words.append(note)
    return wrapped(f"{label}tenpai, waits ", words)


def _lack(hand: Hand, kind: Kind, seen: Observation) -> str:
    """Return which win on a wait lacks a yaku, if one does."""
    if _has_yaku(hand, kind, seen, tsumo=False):
        return ""
    return "no yaku for ron" if _has_yaku(hand, kind, seen, tsumo=True) else "no yaku"


def _wins(hand: Hand, drawn: Face, seen: Observation) -> bool:
    """Tell whether the tile just drawn completes the hand, with a yaku."""
    is_last = is_last_tile(tsumo=True, left=seen.left, rinshan=seen.rinshan, chankan=False)
    return _has_yaku(hand, drawn, seen, tsumo=True, rinshan=seen.rinshan, haitei=is_last)


def _has_yaku(
    hand: Hand, face: Face, seen: Observation, *, tsumo: bool, rinshan: bool = False, haitei: bool = False
) -> bool:
    """Tell whether a win with this tile has a yaku; the last discard of the kyoku counts as houtei."""
    circumstances = Circumstances(
        tsumo=tsumo,
        seat_wind=seen.seat_wind,
        round_wind=seen.bakaze,
        riichi=1 if seen.in_riichi[seen.me] else 0,
        rinshan=rinshan,
        haitei=haitei,
        houtei=not tsumo and seen.left == 0,
    )
    return hand_value(seen.ruleset, (*hand.concealed, face), hand.melds, face, circumstances) is not None


def _furiten(seen: Observation, ukeire: Ukeire) -> str:
    """Return whether and how long a hand with these waits is furiten; an empty text if it is not, or is not tenpai."""
    match furiten_of(seen, {kind for kind, _ in ukeire.live}):
        case None:
            return ""
        case Furiten.TEMPORARY:
            return "furiten until your next draw"
        case Furiten.PERMANENT:
            return "furiten"
