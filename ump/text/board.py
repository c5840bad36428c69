"""The board as text: what one seat sees of the table, at most 79 columns wide, and hints about its hand.

Each player has a line with place, wind, points and name, and then its river. Marks follow a tile of a river: ``.``
tsumogiri, ``*`` riichi, ``>`` called.
"""

from __future__ import annotations

from collections.abc import Collection

from ump.model.events import TileDiscarded
from ump.model.hand import Hand
from ump.model.seats import Seat
from ump.model.tiles import COPIES, KIND_OF, KINDS, Face, Kind
from ump.players.hints import Furiten, furiten_of
from ump.players.observation import Observation
from ump.rules.placement import placement
from ump.rules.questions import kuikae_after
from ump.rules.score import Circumstances, hand_value, is_last_tile
from ump.text.hand import DiscardAnalysis, Ukeire, analyse_hand
from ump.text.layout import LINE, PLAIN, TextRole, TextStyle, beside_or_below, columns, padded, width, wrapped
from ump.text.position import Position
from ump.text.wording import (
    counted,
    dora_words,
    meld_words,
    name_word,
    place_word,
    player_cells,
    points_word,
    round_words,
    seats_in_order,
    tile_word,
    tile_words,
    wind_word,
)

_LABELS = {"river": "  river ", "melds": "  melds ", "shown": "  shown ", "hand": "  hand  "}
"""The beginnings of the lines below a player's line."""

_PLACE, _WIND, _POINTS = 8, 5, 7
"""The widths of columns: ``opposite``, ``South`` and ``-12,300``."""


def board_lines(position: Position, style: TextStyle = PLAIN) -> list[str]:
    """Return the whole board: round, honba, sticks, tiles left, dora; each player; the own hand at the end."""
    lines = _state_lines(position, style)
    for seat in seats_in_order(position):
        lines.append(_player_line(seat, position, style))
        lines += wrapped(_LABELS["river"], river_words(seat, position, style))
        if seat == position.seen.seat:
            lines += hand_lines(position, style)
        else:
            lines += _shown_lines(seat, position, style)
    return lines


def hand_lines(position: Position, style: TextStyle = PLAIN) -> list[str]:
    """Return the own hand with the drawn tile apart, then its melds, below it if they do not fit on one line.

    Empty for a spectator, who has no hand.
    """
    seen = position.seen
    if seen.seat is None:
        return []
    faces = list(seen.hand.concealed)
    drawn = seen.drawn if seen.drawer == seen.seat else None
    if drawn is not None:
        faces.remove(drawn)
    hand = _LABELS["hand"] + " ".join(tile_words(faces, style))
    if drawn is not None:
        hand += f"  [{tile_word(drawn, style)}]"
    return beside_or_below(hand, meld_words(seen.hand.melds, position, style), _LABELS["melds"])


def score_lines(position: Position, style: TextStyle = PLAIN) -> list[str]:
    """Return each player's place, wind, name, points, rank and difference to the reader; then honba and sticks."""
    seen = position.seen
    ranks, _ = placement(seen.ruleset, seen.points)
    rows = []
    for seat in seats_in_order(position):
        rows.append([*player_cells(seat, position), points_word(seen.points[seat]), f"place {ranks[seat]}"])
        if seen.seat is not None:
            rows[-1].append("" if seat == seen.seat else f"{seen.points[seat] - seen.points[seen.seat]:+,}")
    numbers = range(len(player_cells(0, position)), len(rows[0]))
    sticks = f"honba {seen.honba} | sticks {seen.kyotaku}"
    return [*columns(rows, right=numbers), f"{round_words(seen.bakaze, seen.dealer)} | {sticks}"]


def _state_lines(position: Position, style: TextStyle) -> list[str]:
    """Return the state of the kyoku, on two lines if there are many dora."""
    seen = position.seen
    parts = [round_words(seen.bakaze, seen.dealer), f"honba {seen.honba}", f"sticks {seen.kyotaku}"]
    parts.append(f"{counted(seen.left, 'tile')} left")
    if seen.indicators:
        parts.append(dora_words(seen.indicators, position, style))
    return wrapped("", parts, " | ")


def _player_line(seat: Seat, position: Position, style: TextStyle) -> str:
    """Return place, wind, points and name of a player, riichi, and what it is doing."""
    seen = position.seen
    points = max(_POINTS, *(len(points_word(each)) for each in seen.points))
    places = [padded(wind_word(seat, position), _WIND), padded(points_word(seen.points[seat]), points, right=True)]
    if seen.seat is not None:
        places.insert(0, padded(place_word(seat, position), _PLACE))
    is_active = seat in (position.turn, position.discarder)
    head = " ".join([*places, name_word(seat, position)])
    parts = [style.paint(TextRole.TURN, head) if is_active else head]
    if seen.norths[seat]:
        parts.append(f"{counted(seen.norths[seat], 'north')} aside")
    if seen.in_riichi[seat]:
        parts.append(style.paint(TextRole.RIICHI, "RIICHI"))
    if is_active:
        parts.append(_doing(seat, position, style))
    return "  ".join(parts)


def _doing(seat: Seat, position: Position, style: TextStyle) -> str:
    """Return what the player that is to move is doing."""
    seen = position.seen
    if seat == position.turn and not (seen.awaits_replacement and seen.source == seat):
        return "to discard"
    assert seen.last_tile is not None
    if seen.kita:
        deed = "sets aside"
    elif seen.kan is None:
        deed = "discards"
    else:
        deed = "declares kan"
    return f"{deed} {tile_word(seen.last_tile, style)}"


def river_words(seat: Seat, position: Position, style: TextStyle) -> list[str]:
    """Return the discards of a player with their marks."""
    called = position.called[seat]
    river = position.seen.rivers[seat]
    return [_discard(discard, style, is_called=at in called) for at, discard in enumerate(river)]


def _discard(discard: TileDiscarded, style: TextStyle, *, is_called: bool) -> str:
    """Return a discard with its marks."""
    word = tile_word(discard.face, style)
    if discard.tsumogiri:
        word += "."
    if discard.riichi:
        word += style.paint(TextRole.RIICHI, "*")
    if is_called:
        word += ">"
    return word


def _shown_lines(seat: Seat, position: Position, style: TextStyle) -> list[str]:
    """Return the melds of another player, and its hand if it has been shown."""
    seen = position.seen
    lines = []
    if seen.melds[seat]:
        lines += wrapped(_LABELS["melds"], meld_words(seen.melds[seat], position, style))
    shown = seen.opened[seat]
    if shown is not None:
        kans = {meld.kind for meld in seen.melds[seat] if not meld.is_open}  # later ones: they were in the shown hand
        lines += wrapped(_LABELS["shown"], tile_words((face for face in shown if KIND_OF[face] not in kans), style))
    return lines


# Hints about the own hand: its waits and furiten, what brings it nearer to tenpai, and the best discards.

MAX_DISCARDS = 6
"""The greatest number of discards that are compared."""


def waits_lines(position: Position, style: TextStyle = PLAIN) -> list[str]:
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
    best: list[DiscardAnalysis] = []
    for discard in analysis.discards:
        is_allowed = KIND_OF[discard.face] not in forbidden
        if is_allowed and (not best or discard.shanten == best[0].shanten):
            best.append(discard)
    lines = []
    if drawn is not None and analysis.shanten < 0:
        lines.append("the hand is complete, but it has no yaku")
    for discard in best[:MAX_DISCARDS]:
        lines += _discard_lines(discard, hand, seen, style)
    return lines


def _in_sight(seen: Observation, hand: Hand) -> list[Face]:
    """Return the tiles that the seat has seen besides its hand and its melds."""
    counts = [COPIES - seen.unseen(kind) - hand.kinds[kind] for kind in range(KINDS)]
    for meld in hand.melds:
        for face in meld.faces:
            counts[KIND_OF[face]] -= 1
    in_sight: list[Face] = []
    for kind, count in enumerate(counts):
        in_sight += [kind] * count
    return in_sight


def _forbidden(seen: Observation) -> Collection[Kind]:
    """Return the kinds that kuikae forbids to discard, right after a call."""
    if seen.drawer is not None or not seen.hand.melds or seen.hand.melds[-1].called is None:
        return ()
    return kuikae_after(seen.ruleset.kuikae, seen.hand.melds[-1])


def _discard_lines(discard: DiscardAnalysis, hand: Hand, seen: Observation, style: TextStyle) -> list[str]:
    """Return the hand after a discard."""
    rest = hand.copy()
    rest.remove(discard.face)
    river = seen.discarded | {KIND_OF[discard.face]}
    furiten = "" if river.isdisjoint(discard.ukeire.kinds) else "furiten"
    label = f"discard {tile_word(discard.face, style)}: "
    return _hand_lines(label, rest, discard.shanten, discard.ukeire, furiten, seen, style)


def _hand_lines(
    label: str, hand: Hand, shanten: int, ukeire: Ukeire, furiten: str, seen: Observation, style: TextStyle
) -> list[str]:
    """Return the waits of 3n + 1 tiles, or the tiles that lower their shanten number; of many tiles only the number."""
    if shanten == 0:
        return _tenpai_lines(label, hand, ukeire, furiten, seen, style)
    if not ukeire.kinds:
        return [f"{label}{shanten}-shanten, improved by no unseen tile"]
    count = f"{label}{shanten}-shanten, improved by {counted(ukeire.tiles, 'unseen tile')}"
    line = f"{count}: {' '.join(tile_words(ukeire.kinds, style))}"
    return [line if width(line) <= LINE else f"{count} of {len(ukeire.kinds)} kinds"]


def _tenpai_lines(
    label: str, hand: Hand, ukeire: Ukeire, furiten: str, seen: Observation, style: TextStyle
) -> list[str]:
    """Return the waits with their unseen tiles, then a lack of yaku and furiten."""
    if not ukeire.kinds:
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
    match furiten_of(seen, set(ukeire.kinds)):
        case None:
            return ""
        case Furiten.TEMPORARY:
            return "furiten until your next draw"
        case Furiten.PERMANENT:
            return "furiten"
