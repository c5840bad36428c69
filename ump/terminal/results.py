"""Results drawn for the size of the terminal: wins, draws and the end of a game, each with the points of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, assert_never

from ump.model.events import DrawReason, GameEnded, HandWon, KyokuDrawn
from ump.model.seats import Seat, wind_of
from ump.model.tiles import Face, dora_of
from ump.rules.placement import placement
from ump.terminal.canvas import ROOMY_ROWS, Canvas, Look
from ump.terminal.table_text import put_meld
from ump.text.layout import columns, width
from ump.text.narration import worth_of
from ump.text.position import Position
from ump.text.win import size, yaku_words
from ump.text.wording import name_word, points_word, seats_in_order

Result: TypeAlias = HandWon | KyokuDrawn | GameEnded

MARGIN = 2

_HEADING, _FAINT, _GAIN, _LOSS = "bold #ffe9a8", "#9fc4b2", "#8fe3a6", "#ff9d8a"


def results_canvas(results: Sequence[Result], position: Position, look: Look) -> Canvas:
    """Return results below one another. The position is that after them."""
    canvas = Canvas(look.columns - 2, 60)
    y = 0
    for result in results:
        match result:
            case HandWon():
                y = _put_win(canvas, y, result, position, look)
            case KyokuDrawn():
                y = _put_draw(canvas, y, result, position, look)
            case GameEnded():
                y = _put_end(canvas, y, result, position, look)
            case _:
                assert_never(result)
        y += 1
    return canvas.cut(y)


def scores_canvas(position: Position, look: Look) -> Canvas:
    """Return the place and points of each player now, with the differences to the own points."""
    seen, words = position.seen, look.words
    places, _ = placement(seen.ruleset, seen.points)
    seats = seats_in_order(position)
    rows = [
        (
            words.winds[wind_of(seat, seen.dealer, seen.ruleset.seats)],
            name_word(seat, position),
            points_word(seen.points[seat]),
            words.place.format(place=places[seat]),
            "" if seen.seat in (None, seat) else f"{seen.points[seat] - seen.points[seen.seat or 0]:+,}",
        )
        for seat in seats
    ]
    canvas = Canvas(look.columns - 2, len(rows) + 1)
    for y, (seat, line) in enumerate(zip(seats, columns(rows, right=(2, 3, 4)), strict=True)):
        canvas.put(MARGIN, y, line, look.style("bold") if seat == seen.seat else "")
    sticks = f"{words.honba.format(count=seen.honba)}  {words.sticks.format(count=seen.kyotaku)}"
    canvas.put(MARGIN, len(rows), f"{words.round_name(seen.bakaze, seen.dealer)}  {sticks}", look.style(_FAINT))
    return canvas


def _put_win(canvas: Canvas, y: int, won: HandWon, position: Position, look: Look) -> int:
    """Put a win: winner, hand, dora, yaku beside the points of all, and the value."""
    words, seen = look.words, position.seen
    who = _who(won.seat, position, look)
    way = words.win_tsumo if won.loser is None else words.win_ron
    loser = "" if won.loser is None else _who(won.loser, position, look)
    canvas.put(MARGIN, y, way.format(who=who, loser=loser), look.style(_HEADING))
    gap = look.rows >= ROOMY_ROWS
    y = gap + _put_hand(canvas, y + 1 + gap, won, position, look)
    x = _put_dora(canvas, MARGIN, y, words.dora, seen.indicators, position, look)
    if won.ura:
        x = _put_dora(canvas, x + 2, y, words.ura, won.ura, position, look)
    if won.norths:
        canvas.put(x + 2, y, f"N{won.norths}")
    top = y + 1 + gap
    rows = [(yaku_words(each, words.language), words.han.format(han=han)) for each, han in won.value.yaku]
    lines = columns(rows, right=(1,))
    for step, line in enumerate(lines):
        canvas.put(MARGIN, top + step, line)
    beside = max(MARGIN + max(map(width, lines)) + 4, canvas.columns // 2)
    below = gap + max(top + len(lines), _put_points(canvas, beside, top, won.changes, position, look))
    canvas.put(MARGIN, below, "  ".join(_worth(won, position, look)), look.style(_HEADING))
    return below + 1


def _put_hand(canvas: Canvas, y: int, won: HandWon, position: Position, look: Look) -> int:
    faces = won.faces if won.loser is not None else won.faces[:-1]
    x = MARGIN
    for face in faces:
        x = look.put_tile(canvas, x, y, face) + 1
    x = look.put_tile(canvas, x + 1, y, won.tile) + 1
    viewer = won.seat if position.seen.seat is None else position.seen.seat
    for meld in won.melds:
        x = put_meld(canvas, x + 1, y, meld, position, viewer, look, is_small=False)
    return y + look.height()


def _put_dora(
    canvas: Canvas, x: int, y: int, label: str, indicators: Sequence[Face], position: Position, look: Look
) -> int:
    x = canvas.put(x, y, f"{label} ", look.style(_FAINT))
    dora = dora_of(position.seen.ruleset.seats)
    for indicator in indicators:
        x = look.put_tile(canvas, x, y, dora[indicator], is_small=True) + 1
    return x - 1


def _worth(won: HandWon, position: Position, look: Look) -> list[str]:
    """Return han, fu, limit and points of a win, what honba and sticks add, and who is liable."""
    words, worth = look.words, worth_of(won, position.seen.dealer)
    points = words.points.format(points=points_word(worth.points))
    if worth.shares != (worth.points,):
        shares = "/".join(map(points_word, worth.shares))
        points += f" ({words.each.format(points=shares) if len(worth.shares) == 1 else shares})"
    parts = [size(won.value, words.language), points]
    if worth.honba:
        parts.append(words.honba_points.format(points=points_word(worth.honba)))
    if worth.sticks:
        parts.append(words.stick_points.format(points=points_word(worth.sticks)))
    if won.liable is not None:
        parts.append(words.liable.format(who=_who(won.liable, position, look)))
    return parts


def _put_draw(canvas: Canvas, y: int, drawn: KyokuDrawn, position: Position, look: Look) -> int:
    """Put a draw: its reason, and at an exhaustive one who was tenpai, with the hands that were shown."""
    words = look.words
    canvas.put(MARGIN, y, words.draws[drawn.reason.name], look.style(_HEADING))
    y = _put_points(canvas, MARGIN, y + 1, drawn.changes, position, look)
    if drawn.reason is not DrawReason.EXHAUSTED:
        return y
    for seat in seats_in_order(position):
        is_tenpai = seat in position.tenpai
        state = words.tenpai if is_tenpai else words.noten
        x = canvas.put(MARGIN, y, f"{_who(seat, position, look)}  {state}  ", "" if is_tenpai else look.style(_FAINT))
        for face in position.tenpai.get(seat, ()):
            x = look.put_tile(canvas, x, y, face, is_small=True)
        y += 1
    return y


def _put_end(canvas: Canvas, y: int, ended: GameEnded, position: Position, look: Look) -> int:
    """Put the end of the game: places, names, points, and results with uma."""
    words = look.words
    canvas.put(MARGIN, y, words.game_over, look.style(_HEADING))
    seats = sorted(seats_in_order(position), key=lambda seat: ended.places[seat])
    rows = [
        (
            words.place.format(place=ended.places[seat]),
            name_word(seat, position),
            points_word(ended.points[seat]),
            f"{ended.results[seat] / 10:+.1f}",
        )
        for seat in seats
    ]
    for step, (seat, line) in enumerate(zip(seats, columns(rows, right=(2, 3)), strict=True), 1):
        canvas.put(MARGIN, y + step, line, look.style("bold") if seat == position.seen.seat else "")
    return y + 1 + len(rows)


def _put_points(canvas: Canvas, x: int, y: int, changes: Sequence[int], position: Position, look: Look) -> int:
    """Put the points of all, the own row marked, with what each has won or lost; return the row below."""
    seen = position.seen
    seats = seats_in_order(position)
    rows = [
        (
            look.words.winds[wind_of(seat, seen.dealer, seen.ruleset.seats)],
            name_word(seat, position),
            points_word(seen.points[seat]),
            f"{changes[seat]:+,}" if changes and changes[seat] else "",
        )
        for seat in seats
    ]
    lines = columns(rows, right=(2, 3))
    for step, (seat, line) in enumerate(zip(seats, lines, strict=True)):
        style = _GAIN if changes[seat] > 0 else _LOSS if changes[seat] < 0 else ""
        canvas.put(x - 2, y + step, f"{'>' if seat == seen.seat else ' '} {line}", look.style(style))
    return y + len(rows)


def _who(seat: Seat, position: Position, look: Look) -> str:
    return look.words.you if seat == position.seen.seat else name_word(seat, position)
