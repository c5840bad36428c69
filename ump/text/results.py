"""Results in words: wins, draws and the end of a game, each with a table of points."""

from __future__ import annotations

from collections.abc import Sequence

from ump.model.events import DrawReason, GameEnded, HandWon, KyokuDrawn
from ump.model.melds import Meld
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, YAOCHU, Face
from ump.model.value import value
from ump.model.yaku import up_to_hundreds
from ump.rules.placement import placement
from ump.text.layout import beside_or_below, columns, wrapped
from ump.text.position import Position
from ump.text.style import PLAIN, Style
from ump.text.win import size, yaku_words
from ump.text.wording import (
    YOU,
    does,
    dora_words,
    heading,
    meld_word,
    player_cells,
    player_words,
    points_word,
    seats_in_order,
    tile_word,
    tile_words,
)

REASONS = {
    DrawReason.EXHAUSTED: "Exhaustive draw: no tile is left",
    DrawReason.KYUSHU_KYUHAI: "Abortive draw: nine different terminals and honours (kyuushu kyuuhai)",
    DrawReason.SUUFON_RENDA: "Abortive draw: all discarded the same wind (suufon renda)",
    DrawReason.SUUCHA_RIICHI: "Abortive draw: all players are in riichi (suucha riichi)",
    DrawReason.SUUKAIKAN: "Abortive draw: four kans by more than one player (suukaikan)",
    DrawReason.SANCHAHO: "Abortive draw: three players declared ron (sanchahou)",
    DrawReason.NAGASHI_MANGAN: "Nagashi mangan: only terminals and honours discarded, none called",
    DrawReason.CHOMBO: "Chombo: a player pays for a foul",
}
"""The reasons of a draw in words."""


@value
class Worth:
    """The parts of what a winner receives, in points."""

    points: int
    """The value of the hand alone, which all payers pay together."""
    honba: int
    sticks: int
    shares: tuple[int, ...]
    """The value as it is paid: by one player or by each; or by each of the others and by the dealer."""


def worth_of(event: HandWon, dealer: Seat) -> Worth:
    """Return the parts of what a winner receives. Every protocol and text takes them from here."""
    seats, base, is_dealer = len(event.changes), event.value.base, event.seat == dealer
    points = event.value.points(seats, is_dealer=is_dealer, is_tsumo=event.loser is None)
    sticks = sum(event.changes)
    if event.loser is not None or event.liable is not None:
        shares: tuple[int, ...] = (points,)
    elif is_dealer:
        shares = (up_to_hundreds(2 * base),)
    else:
        shares = (up_to_hundreds(base), up_to_hundreds(2 * base))
    return Worth(points, event.changes[event.seat] - points - sticks, sticks, shares)


def shown_hand(faces: Sequence[Face], melds: Sequence[Meld], position: Position, style: Style) -> list[str]:
    """Return a hand that is shown to all, with its melds."""
    return _hand(" ".join(tile_words(faces, style)), melds, position, style)


def won_lines(event: HandWon, position: Position, style: Style = PLAIN) -> list[str]:
    """Return a win: winner, hand, dora, yaku, value, who is liable, and the points. The position is that before it."""
    faces = event.faces if event.loser is not None else event.faces[:-1]
    hand = f"{' '.join(tile_words(faces, style))}  [{tile_word(event.tile, style)}]"
    lines = ["", heading(f"{does(event.seat, 'win', position)} {_way(event, position)}", style)]
    lines += _hand(hand, event.melds, position, style)
    if event.norths:
        lines.append(f"  norths set aside: {event.norths}")
    lines.append(f"  {dora_words(position.seen.indicators, position, style)}")
    if event.ura:
        lines.append(f"  {dora_words(event.ura, position, style, 'ura dora')}")
    yaku = [(f"  {yaku_words(each, style.language)}", f"{han} han") for each, han in event.value.yaku]
    lines += [*columns(yaku, right=(1,)), *_worth(event, position, style)]
    if event.liable is not None:
        liable = player_words(event.liable, position)
        lines.append(f"  {liable} {'are' if liable == YOU else 'is'} liable (pao)")
    return [*lines, *_points_table(event.changes, position)]


def drawn_lines(event: KyokuDrawn, position: Position, style: Style = PLAIN) -> list[str]:
    """Return a draw: its reason, the players concerned, and the points. The position is that before it."""
    lines = ["", heading(REASONS[event.reason], style)]
    seats = seats_in_order(position)
    match event.reason:
        case DrawReason.EXHAUSTED:
            noten = [seat for seat in seats if seat not in position.tenpai]
            lines += _who("tenpai: ", position.tenpai, position) + _who("noten: ", noten, position)
        case DrawReason.NAGASHI_MANGAN:
            lines += _who("paid to ", [seat for seat in seats if _is_nagashi(seat, position)], position)
        case DrawReason.CHOMBO:
            lines += _who("paid by ", [min(seats, key=lambda seat: event.changes[seat])], position)
        case _:
            pass  # the reason says it all
    return [*lines, *_points_table(event.changes, position)]


def final_lines(event: GameEnded, position: Position, style: Style = PLAIN) -> list[str]:
    """Return the end of a game: places, names, points, and results with uma."""
    rows = []
    for seat in sorted(seats_in_order(position), key=lambda seat: event.places[seat]):
        shared = " (shared)" if event.places.count(event.places[seat]) > 1 else ""
        numbers = (points_word(event.points[seat]), f"{event.results[seat] / 10:+.1f}")
        rows.append((f"{event.places[seat]}{shared}", *player_cells(seat, position), *numbers))
    head = ("place", *[""] * len(player_cells(0, position)), "points", "result")
    return ["", heading("The game is over", style), *_table(head, rows, numbers=2)]


def _way(event: HandWon, position: Position) -> str:
    """Return how a hand is won: by tsumo, or by ron on which tile and from whom."""
    if event.loser is None:
        return "by tsumo"
    return f"by ron on {tile_word(event.tile, PLAIN)} from {player_words(event.loser, position)}"


def _hand(hand: str, melds: Sequence[Meld], position: Position, style: Style) -> list[str]:
    """Return an indented hand with its melds."""
    return beside_or_below(f"  {hand}", [meld_word(meld, position, style) for meld in melds], "  ")


def _worth(event: HandWon, position: Position, style: Style) -> list[str]:
    """Return han, fu, limit and points of a win, how they are paid, and what honba and sticks add."""
    worth = worth_of(event, position.seen.dealer)
    shares = "/".join(map(points_word, worth.shares)) + (" all" if len(worth.shares) == 1 else "")
    is_shared = worth.shares != (worth.points,)
    parts = [f"{size(event.value, style.language)}, {points_word(worth.points)} points{f' ({shares})' * is_shared}"]
    if worth.honba:
        parts.append(f"{points_word(worth.honba)} for honba")
    if worth.sticks:
        parts.append(f"{points_word(worth.sticks)} from sticks")
    return wrapped("  ", parts, ", ")


def _is_nagashi(seat: Seat, position: Position) -> bool:
    """Tell whether a river has only terminals and honours, none of them called."""
    river = position.seen.rivers[seat]
    return not position.called[seat] and all(KIND_OF[discard.face] in YAOCHU for discard in river)


def _who(label: str, seats: Sequence[Seat], position: Position) -> list[str]:
    """Return a line with players, or several if their names are long."""
    return wrapped(f"  {label}", [player_words(seat, position) for seat in seats] or ["nobody"], ", ")


def _points_table(changes: Sequence[int], position: Position) -> list[str]:
    """Return each player's points before, change, points after and place; changes of 0 are left out."""
    before = position.seen.points
    after = [points + change for points, change in zip(before, changes, strict=True)]
    places, _ = placement(position.seen.ruleset, after)
    rows = []
    for seat in seats_in_order(position):
        change = f"{changes[seat]:+,}" if changes[seat] else ""
        numbers = (points_word(before[seat]), change, points_word(after[seat]), str(places[seat]))
        rows.append((*player_cells(seat, position), *numbers))
    head = (*[""] * len(player_cells(0, position)), "before", "change", "after", "place")
    return _table(head, rows, numbers=4)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: int) -> list[str]:
    """Return an indented table; its last columns are ``numbers``."""
    right = range(len(head) - numbers, len(head))
    return [f"  {line}" for line in columns([head, *rows], right=right)]
