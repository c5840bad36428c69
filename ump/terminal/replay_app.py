"""The application that steps through a recorded game: the table, all hands, and what was possible there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.events import Key, MouseScrollDown, MouseScrollUp, Resize
from textual.timer import Timer
from textual.widgets import Static

from ump.model.events import DoraRevealed, HandDealt, KyokuStarted, TileCalled, TileDrawn
from ump.model.notation import parse_mjai_face
from ump.model.seats import LETTERS, Seat
from ump.model.value import value
from ump.record.html import HandNote, Notes, Offer, notes_of
from ump.record.recorded_game import RecordedGame, RecordedKyoku, Remark
from ump.record.text import kyoku_word
from ump.table.view import view
from ump.terminal.canvas import Look
from ump.terminal.table_text import BoardView
from ump.text.layout import PLAIN, TextStyle, padded, printable, shortened
from ump.text.narration import narrate
from ump.text.position import Position
from ump.text.wording import does, name_word, tile_word, tile_words

# A recorded game as a replay shows it: a place in it, the position there for every seat, and the moves between
# places.
#
# Nothing here draws. A place is a kyoku and the number of its events so far; every position is played again from the
# start of its kyoku.

_OPENING = (KyokuStarted, HandDealt, DoraRevealed)


@value
class ReplayPlace:
    """A place in a game."""

    kyoku: int
    """From 0."""
    events: int
    """The number of events of the kyoku that have happened; its start, hands and first indicator are one step."""


class ReplayedGame:
    """One recorded game."""

    def __init__(self, game: RecordedGame) -> None:
        """Work out the notes about all hands and offers; the game has at least one kyoku."""
        self.game = game
        self._notes: list[Notes] = notes_of(game)

    @property
    def seats(self) -> int:
        """The number of players."""
        return len(self.game.names)

    def length(self, kyoku: int) -> int:
        """Return the number of events of a kyoku."""
        return len(self.game.kyoku[kyoku].events)

    def dealt(self, kyoku: int) -> int:
        """Return the number of events with which a kyoku begins: its start, the hands and the first indicator."""
        number = 0
        for event in self.game.kyoku[kyoku].events:
            if not isinstance(event, _OPENING):
                break
            number += 1
        return number

    def name_of(self, kyoku: int) -> str:
        """Return a kyoku as the command line names it, ``E3.1``."""
        started = self._kyoku(kyoku).events[0]
        assert isinstance(started, KyokuStarted)
        return kyoku_word(started)

    def _kyoku(self, kyoku: int) -> RecordedKyoku:
        return self.game.kyoku[kyoku]

    # Moves

    def stepped(self, at: ReplayPlace, by: int) -> ReplayPlace:
        """Return the place so many events on or back, across kyoku; the first or the last place at the ends."""
        kyoku, events = at.kyoku, at.events + by
        while events < self.dealt(kyoku) and kyoku > 0:
            events -= self.dealt(kyoku) - 1
            kyoku -= 1
            events += self.length(kyoku)
        while events > self.length(kyoku) and kyoku < len(self.game.kyoku) - 1:
            events -= self.length(kyoku) + 1
            kyoku += 1
            events += self.dealt(kyoku)
        return self.place(kyoku, events)

    def place(self, kyoku: int, events: int = 0) -> ReplayPlace:
        """Return a place of a kyoku; its nearest one if it has no such place."""
        kyoku = min(max(0, kyoku), len(self.game.kyoku) - 1)
        return ReplayPlace(kyoku, min(max(self.dealt(kyoku), events), self.length(kyoku)))

    def kyoku_at(self, at: ReplayPlace, by: int) -> ReplayPlace:
        """Return the start of another kyoku; one back is first the start of this one."""
        if by < 0 and at.events > self.dealt(at.kyoku):
            by += 1
        return self.place(at.kyoku + by)

    def decision(self, at: ReplayPlace, seat: Seat, by: int) -> ReplayPlace:
        """Return the next place at which a seat decides, or the one before; the same place if there is none."""
        found = self.stepped(at, by)
        while found != at and not self._decides(found, seat):
            further = self.stepped(found, by)
            if further == found:
                return at
            found = further
        return found

    def _decides(self, at: ReplayPlace, seat: Seat) -> bool:
        event = self._kyoku(at.kyoku).events[at.events - 1]
        if isinstance(event, TileDrawn | TileCalled) and event.seat == seat:
            return True
        return any(offer[0] == seat for offer in self._notes[at.kyoku].offers.get(at.events, ()))

    # What is there

    def positions(self, at: ReplayPlace) -> list[Position]:
        """Return the position of each seat; where the record hides its tiles, as a spectator sees it."""
        events = self._kyoku(at.kyoku).events[: at.events]
        found = []
        for seat in range(self.seats):
            position = Position(seat, self.game.names, self.game.ruleset)
            try:
                for event in events:
                    position.see(view(event, seat))
            except ValueError:
                position = Position(None, self.game.names, self.game.ruleset)
                for event in events:
                    position.see(view(event, None))
            found.append(position)
        return found

    def hands(self, at: ReplayPlace) -> dict[Seat, HandNote]:
        """Return shanten and waits of each hand that the record shows."""
        notes = self._notes[at.kyoku].hands
        last: dict[Seat, HandNote] = {}
        for place in sorted(notes):
            if place <= at.events:
                last |= {note[0]: note for note in notes[place]}
        return last

    def offers(self, at: ReplayPlace) -> Sequence[Offer]:
        """Return what the seats could do besides discarding and passing."""
        return self._notes[at.kyoku].offers.get(at.events, [])

    def dangers(self, at: ReplayPlace) -> tuple[Seat, tuple[str, ...]] | None:
        """Return the seat whose turn it is and the tiles of its hand that another player could win on, if any."""
        return self._notes[at.kyoku].dangers.get(at.events)

    def remarks(self, at: ReplayPlace) -> list[Remark]:
        """Return what the record says about the seats here: texts of bots, refused answers."""
        return [each for each in self._kyoku(at.kyoku).remarks if each.place == at.events]

    def told(self, at: ReplayPlace, style: TextStyle = PLAIN) -> list[str]:
        """Return the last event in words, for a spectator who sees all tiles."""
        position = Position(None, self.game.names, self.game.ruleset)
        *before, last = self._kyoku(at.kyoku).events[: at.events]
        for event in before:
            position.see(event)
        if isinstance(last, TileDrawn):
            tile = "" if last.face is None else f" {tile_word(last.face, style)}"
            return [f"{does(last.seat, 'draw', position)}{tile}"]
        return list(filter(None, narrate(last, position, style)))


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


def head_text(game: ReplayedGame, at: ReplayPlace, viewer: Seat, *, is_playing: bool) -> str:
    """Return the first line: the kyoku, the step, and who looks."""
    steps = game.length(at.kyoku) - game.dealt(at.kyoku)
    state = "  playing" if is_playing else ""
    name = printable(game.game.names[viewer])
    return (
        f"{game.name_of(at.kyoku)}  step {at.events - game.dealt(at.kyoku)} of {steps}"
        f"  seat {LETTERS[viewer]}: {shortened(name)}{state}"
    )


def hands_lines(
    game: ReplayedGame,
    at: ReplayPlace,
    positions: Sequence[Position],
    viewer: Seat,
    style: TextStyle,
    *,
    are_open: bool,
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


def _hand_line(seat: Seat, position: Position, note: HandNote | None, warned: Sequence[str], style: TextStyle) -> str:
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


def _note_text(note: HandNote | None, style: TextStyle) -> str:
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


def notes_lines(game: ReplayedGame, at: ReplayPlace, position: Position, style: TextStyle) -> list[str]:
    """Return what the seats were offered and chose, and what the record says about them."""
    lines = [_offer_text(offer, position, style) for offer in game.offers(at)]
    for remark in game.remarks(at):
        what = "" if remark.kind == _OWN_TEXT else f"{remark.kind}: "
        lines.append(f"{name_word(remark.seat, position)}: {what}{printable(remark.text)}")
    return [shortened(line, 79) for line in lines]


def _offer_text(offer: Offer, position: Position, style: TextStyle) -> str:
    seat, actions, chosen = offer
    words = []
    for place, (word, *tiles) in enumerate(actions):
        text = " ".join((word, *tile_words(map(parse_mjai_face, tiles), style)))
        words.append(f">{text}" if place == chosen else text)
    return f"{name_word(seat, position)} could: {', '.join(words)}{'' if chosen is not None else '; did not'}"


PACE_SECONDS = 1.0
"""Seconds for which a replay that plays by itself shows each step."""


class ReplayApp(App[int]):
    """The screen of one recorded game."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "#head, #board, #hands, #told, #notes { height: auto; }"
    BINDINGS: ClassVar = [Binding("ctrl+c", "leave", "Leave", priority=True)]

    def __init__(
        self, game: ReplayedGame, at: ReplayPlace, viewer: Seat = 0, look: Look | None = None, *, are_open: bool = True
    ) -> None:
        """Begin at a place, as a seat sees the table; ``are_open``: the hands of the others are shown."""
        super().__init__()
        self.replayed = game
        self.at = at
        self.viewer = viewer
        self.are_open = are_open
        self._look = look or Look()
        self.is_playing = False
        """Whether the replay goes on by itself."""
        self._is_help = False
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Yield the parts of the screen, from the top."""
        yield Static(id="head", markup=False)
        yield BoardView(look=self._look, id="board")
        for name in ("hands", "told", "notes"):
            yield Static(id=name)

    def on_resize(self, event: Resize) -> None:
        """Draw for another size of the terminal."""
        self._look = replace(self._look, columns=event.size.width, rows=event.size.height)
        self._draw()

    def on_mount(self) -> None:
        """Draw the first place."""
        self._timer = self.set_interval(PACE_SECONDS, self._play_on, pause=True)
        self._draw()

    # Keys and the wheel

    def action_leave(self) -> None:
        """Leave."""
        self.exit(0)

    def on_key(self, event: Key) -> None:
        """Take a key."""
        event.prevent_default()
        key = event.key.lower()
        if self._is_help:
            self._is_help = False
        elif event.character == "?":
            self._is_help = True
        elif key in ("tab", "v"):
            self.viewer = (self.viewer + 1) % self.replayed.seats
        elif key == "h":
            self.are_open = not self.are_open
        elif key == "a":
            self._play_or_pause()
        elif key in ("q", "escape"):
            self.action_leave()
        else:
            self.at = self._moved(key)
        self._draw()

    def _moved(self, key: str) -> ReplayPlace:
        """Return the place to which a key leads; the same one for another key."""
        game, at = self.replayed, self.at
        match key:
            case "right" | "space":
                return game.stepped(at, 1)
            case "left":
                return game.stepped(at, -1)
            case "down" | "pagedown":
                return game.kyoku_at(at, 1)
            case "up" | "pageup":
                return game.kyoku_at(at, -1)
            case "home":
                return game.place(0)
            case "end":
                last = len(game.game.kyoku) - 1
                return game.place(last, game.length(last))
            case "n":
                return game.decision(at, self.viewer, 1)
            case "b":
                return game.decision(at, self.viewer, -1)
            case _:
                return at

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Go a step on."""
        self.at = self.replayed.stepped(self.at, 1)
        self._draw()

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Go a step back."""
        self.at = self.replayed.stepped(self.at, -1)
        self._draw()

    def _play_or_pause(self) -> None:
        assert self._timer is not None, "keys come after on_mount"
        self.is_playing = not self.is_playing
        if self.is_playing:
            self._timer.resume()
        else:
            self._timer.pause()

    def _play_on(self) -> None:
        """Go a step on by itself; stop at the end."""
        following = self.replayed.stepped(self.at, 1)
        if following == self.at:
            self._play_or_pause()
        self.at = following
        self._draw()

    # What is shown

    def _draw(self) -> None:
        if not self.is_running:
            return  # Keys and the timer still come while the parts of the screen are being closed.
        game, at, style = self.replayed, self.at, self._look.text_style
        positions = game.positions(at)
        self.query_one("#head", Static).update(head_text(game, at, self.viewer, is_playing=self.is_playing))
        board = self.query_one(BoardView)
        board.styles.display = "none" if self._is_help else "block"
        board.look = self._look
        board.show(positions[self.viewer], self.viewer)
        hands = hands_lines(game, at, positions, self.viewer, style, are_open=self.are_open)
        shown = HELP.splitlines() if self._is_help else [*hands, ""]
        self._update("hands", shown)
        self._update("told", [] if self._is_help else game.told(at, style))
        self._update("notes", [] if self._is_help else notes_lines(game, at, positions[self.viewer], style))

    def _update(self, name: str, lines: list[str]) -> None:
        self.query_one(f"#{name}", Static).update(Text.from_ansi("\n".join(lines)))
