"""A recorded game as a replay shows it: a place in it, the position there for every seat, and the moves between places.

Nothing here draws. A place is a kyoku and the number of its events so far; every position is played again from the
start of its kyoku.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from ump.model.events import DoraRevealed, HandDealt, KyokuStarted, TileCalled, TileDrawn
from ump.model.seats import Seat
from ump.model.value import value
from ump.record.html import HandNote, Notes, Offer, notes_of
from ump.record.recorded_game import RecordedGame, RecordedKyoku, Remark
from ump.record.text import kyoku_word
from ump.table.view import view
from ump.text.narration import narrate
from ump.text.position import Position
from ump.text.style import PLAIN, Style
from ump.text.wording import does, tile_word

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
        opening = takewhile(lambda event: isinstance(event, _OPENING), self.game.kyoku[kyoku].events)
        return sum(1 for _ in opening)

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
        listed = (note for place in sorted(notes) if place <= at.events for note in notes[place])
        return {note[0]: note for note in listed}

    def offers(self, at: ReplayPlace) -> Sequence[Offer]:
        """Return what the seats could do besides discarding and passing."""
        return self._notes[at.kyoku].offers.get(at.events, [])

    def dangers(self, at: ReplayPlace) -> tuple[Seat, tuple[str, ...]] | None:
        """Return the seat whose turn it is and the tiles of its hand that another player could win on, if any."""
        return self._notes[at.kyoku].dangers.get(at.events)

    def remarks(self, at: ReplayPlace) -> list[Remark]:
        """Return what the record says about the seats here: texts of bots, refused answers."""
        return [each for each in self._kyoku(at.kyoku).remarks if each.place == at.events]

    def told(self, at: ReplayPlace, style: Style = PLAIN) -> list[str]:
        """Return the last event in words, for a spectator who sees all tiles."""
        position = Position(None, self.game.names, self.game.ruleset)
        *before, last = self._kyoku(at.kyoku).events[: at.events]
        for event in before:
            position.see(event)
        if isinstance(last, TileDrawn):
            tile = "" if last.face is None else f" {tile_word(last.face, style)}"
            return [f"{does(last.seat, 'draw', position)}{tile}"]
        return [line for line in narrate(last, position, style) if line]
