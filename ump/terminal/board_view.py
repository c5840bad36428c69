"""The table as a widget: a pure view of a position, for players, spectators and replays."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static

from ump.model.seats import Seat
from ump.terminal.canvas import Look
from ump.terminal.table_text import table_canvas
from ump.text.position import Position


class BoardView(Static):
    """Shows the table of a position as ``viewer`` sees it, without hands; ``show`` replaces both.

    Without a position it is empty. It holds no state of a game, and asks nothing.
    """

    def __init__(
        self,
        position: Position | None = None,
        viewer: Seat | None = None,
        look: Look | None = None,
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.look = look or Look()
        """The looks of the table, which follow from the terminal and its size."""
        self.position = position
        """The position that is shown, as of the last call of ``show``."""
        self.viewer = viewer
        """The seat at the bottom; None: the seat that observes, or East for a spectator."""

    def on_mount(self) -> None:
        """Draw the first position."""
        self.show(self.position, self.viewer)

    def show(self, position: Position | None, viewer: Seat | None = None) -> None:
        """Draw a position; call it again after the position, or the look, has changed."""
        self.position, self.viewer = position, viewer
        self.update(self.text())

    def text(self) -> Text:
        """Return what is drawn."""
        if self.position is None:
            return Text()
        seen = self.position.seen
        viewer = self.viewer if self.viewer is not None else seen.dealer if seen.seat is None else seen.seat
        return table_canvas(self.position, viewer, self.look).text()
