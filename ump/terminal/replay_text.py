"""The lines of a replay around the table: where it is, the hands with their waits, and what was possible and said."""

from __future__ import annotations

from collections.abc import Sequence

from ump.model.notation import parse_mjai_face
from ump.model.seats import LETTERS, Seat
from ump.record.html import HandNote, Offer
from ump.terminal.replayed import Place, ReplayedGame
from ump.text.layout import printable, shortened
from ump.text.position import Position
from ump.text.style import Style
from ump.text.text import padded
from ump.text.wording import name_word, tile_word, tile_words

HELP = """\
 right Space   a step on                  left     a step back
 n             the seat's next decision   b        its last decision
 down          the next kyoku             up       the start, the kyoku before
 End Home      the end, the start         a        play by itself
 Tab v         look from the next seat    h        hide or show other hands
 ?             these keys                 q Esc    leave; so does Ctrl-C

 The mouse wheel steps, too. A hand has the drawn tile in brackets, then its
 shanten, or its waits with the tiles that are left of each.
 Marks: 5z. as drawn, 8p* riichi, 7m> called, !5p another player wins on it.
"""
"""The keys and marks."""

_NAME = 12
"""The width of names beside hands."""

_OWN_TEXT = "log"
"""The kind of a remark that is a bot's own text."""


def head_text(game: ReplayedGame, at: Place, viewer: Seat, *, is_playing: bool) -> str:
    """Return the first line: the kyoku, the step, and who looks."""
    steps = game.length(at.kyoku) - game.dealt(at.kyoku)
    state = "  playing" if is_playing else ""
    name = printable(game.game.names[viewer])
    return (
        f"{game.name_of(at.kyoku)}  step {at.events - game.dealt(at.kyoku)} of {steps}"
        f"  seat {LETTERS[viewer]}: {shortened(name)}{state}"
    )


def hands_lines(
    game: ReplayedGame, at: Place, positions: Sequence[Position], viewer: Seat, style: Style, *, are_open: bool
) -> list[str]:
    """Return a line for each hand that is shown, the viewer's last: tiles, then shanten or waits."""
    notes = game.hands(at)
    danger = game.dangers(at)
    lines = []
    for step in range(1, game.seats + 1):
        seat = (viewer + step) % game.seats
        if seat != viewer and not are_open:
            continue
        warned = danger[1] if danger is not None and danger[0] == seat else ()
        lines.append(_hand_line(seat, positions[seat], notes.get(seat), warned, style))
    return lines


def _hand_line(seat: Seat, position: Position, note: HandNote | None, warned: Sequence[str], style: Style) -> str:
    seen = position.seen
    name = padded(f"{LETTERS[seat]} {shortened(printable(position.names[seat]), _NAME - 2)}", _NAME)
    if seen.seat is None:
        return f"{name} hidden"
    faces = list(seen.hand.concealed)
    drawn = seen.drawn if seen.drawer == seat else None
    if drawn is not None:
        faces.remove(drawn)
    dangerous = {parse_mjai_face(word) for word in warned}
    words = [f"{'!' if face in dangerous else ''}{tile_word(face, style)}" for face in faces]
    if drawn is not None:
        words.append(f"[{'!' if drawn in dangerous else ''}{tile_word(drawn, style)}]")
    return f"{name} {' '.join(words)}  {_note_text(note, style)}".rstrip()


def _note_text(note: HandNote | None, style: Style) -> str:
    """Return how near a hand is: ``2-shanten``, or ``waits 3p(2) 6p(4), furiten``."""
    if note is None:
        return ""
    _, number, waits, left, is_furiten = note
    if number < 0:
        return "complete"
    if not waits:
        return f"{number}-shanten" if number else "tenpai"
    listed = " ".join(
        f"{tile_word(parse_mjai_face(wait), style)}({count})" for wait, count in zip(waits, left, strict=True)
    )
    return f"waits {listed}{', furiten' if is_furiten else ''}"


def notes_lines(game: ReplayedGame, at: Place, position: Position, style: Style) -> list[str]:
    """Return what the seats were offered and chose, and what the record says about them."""
    lines = [_offer_text(offer, position, style) for offer in game.offers(at)]
    for remark in game.remarks(at):
        what = "" if remark.kind == _OWN_TEXT else f"{remark.kind}: "
        lines.append(f"{name_word(remark.seat, position)}: {what}{printable(remark.text)}")
    return [shortened(line, 79) for line in lines]


def _offer_text(offer: Offer, position: Position, style: Style) -> str:
    seat, actions, chosen = offer
    words = [
        f"{'>' if place == chosen else ''}{' '.join((word, *tile_words(map(parse_mjai_face, tiles), style)))}"
        for place, (word, *tiles) in enumerate(actions)
    ]
    return f"{name_word(seat, position)} could: {', '.join(words)}{'' if chosen is not None else '; did not'}"
