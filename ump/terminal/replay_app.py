"""The application that steps through a recorded game: the table, all hands, and what was possible there."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.events import Key, MouseScrollDown, MouseScrollUp
from textual.timer import Timer
from textual.widgets import Static

from ump.model.seats import Seat
from ump.terminal.board_view import BoardView
from ump.terminal.replay_text import HELP, hands_lines, head_text, notes_lines
from ump.terminal.replayed import Place, ReplayedGame
from ump.text.style import PLAIN, Style

PACE_SECONDS = 1.0
"""How long a replay that plays by itself shows each step."""


class ReplayApp(App[int]):
    """The screen of one recorded game."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "#head, #board, #hands, #told, #notes { height: auto; }"
    BINDINGS: ClassVar = [Binding("ctrl+c", "leave", "Leave", priority=True)]

    def __init__(
        self, game: ReplayedGame, at: Place, viewer: Seat = 0, style: Style = PLAIN, *, are_open: bool = True
    ) -> None:
        """Begin at a place, as a seat sees the table; ``are_open``: the hands of the others are shown."""
        super().__init__()
        self.replayed = game
        self.at = at
        self.viewer = viewer
        self.are_open = are_open
        self._style = style
        self.is_playing = False
        """Whether the replay goes on by itself."""
        self._is_help = False
        self._timer: Timer | None = None
        step = game.stepped
        self._moves: dict[str, Callable[[], Place]] = {
            "right": lambda: step(self.at, 1),
            "space": lambda: step(self.at, 1),
            "left": lambda: step(self.at, -1),
            "down": lambda: game.kyoku_at(self.at, 1),
            "pagedown": lambda: game.kyoku_at(self.at, 1),
            "up": lambda: game.kyoku_at(self.at, -1),
            "pageup": lambda: game.kyoku_at(self.at, -1),
            "home": lambda: game.place(0),
            "end": lambda: game.place(len(game.game.kyoku), game.length(len(game.game.kyoku) - 1)),
            "n": lambda: game.decision(self.at, self.viewer, 1),
            "b": lambda: game.decision(self.at, self.viewer, -1),
        }

    def compose(self) -> ComposeResult:
        """Yield the parts of the screen, from the top."""
        yield Static(id="head", markup=False)
        yield BoardView(style=self._style, id="board")
        for name in ("hands", "told", "notes"):
            yield Static(id=name)

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
        elif key in self._moves:
            self.at = self._moves[key]()
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
        self._draw()

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
        game, at, style = self.replayed, self.at, self._style
        positions = game.positions(at)
        self.query_one("#head", Static).update(head_text(game, at, self.viewer, is_playing=self.is_playing))
        board = self.query_one(BoardView)
        board.styles.display = "none" if self._is_help else "block"
        board.show(positions[self.viewer], self.viewer)
        hands = hands_lines(game, at, positions, self.viewer, style, are_open=self.are_open)
        shown = HELP.splitlines() if self._is_help else [*hands, ""]
        self._update("hands", shown)
        self._update("told", [] if self._is_help else game.told(at, style))
        self._update("notes", [] if self._is_help else notes_lines(game, at, positions[self.viewer], style))

    def _update(self, name: str, lines: list[str]) -> None:
        self.query_one(f"#{name}", Static).update(Text.from_ansi("\n".join(lines)))
