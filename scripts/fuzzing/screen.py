"""What ``ump play`` shows of a conversation with a server, drawn after each line, for a person who answers at once."""

from __future__ import annotations

from rich.text import Text

from ump.bots.conversation import Introduction
from ump.model.seats import Seat
from ump.terminal.choices import held_tiles
from ump.terminal.conversation import TableConversation
from ump.terminal.hand_text import hand_lines, hint_text
from ump.terminal.screen_text import actions_markup, clock_text, state_text
from ump.terminal.table_text import table_lines
from ump.terminal.turn import Turn
from ump.text.board import score_lines
from ump.text.position import Position
from ump.text.style import Style

STYLE = Style(is_coloured=True)
"""With colours, as on most terminals."""


class Screen:
    """A player's screen without a terminal."""

    def __init__(self, introduction: Introduction) -> None:
        self._conversation = TableConversation(introduction, style=STYLE)

    def begin(self) -> None:
        """Start over, as with a new connection."""
        self._conversation.begin()

    def receive(self, line: str) -> None:
        """Take a line, draw, and answer. Raises what the conversation raises; drawing and answering raise nothing."""
        self._conversation.receive(line)
        try:
            self._draw()
            self._answer()
        except ValueError as error:
            raise AssertionError("the screen breaks down") from error

    def _draw(self) -> None:
        conversation = self._conversation
        state_text(conversation, is_watching=False)
        hint_text(conversation.hints, None, STYLE)
        Text.from_ansi("\n".join([*conversation.result, *conversation.log]))
        position = conversation.position
        if position is not None:
            seat = position.seen.seat
            table_lines(position, position.seen.dealer if seat is None else seat, STYLE)
            score_lines(position, STYLE)
            if seat is not None:
                self._draw_hand(position, seat)

    def _draw_hand(self, position: Position, seat: Seat) -> None:
        question, tiles = self._conversation.question, held_tiles(position.seen)
        if question is None:
            hand_lines(tiles, None, (), position, seat, STYLE)
            return
        turn = Turn(question, tiles)
        turn.move_to_end()
        hand_lines(tiles, turn.chosen, turn.legal_places(), position, seat, STYLE)
        actions_markup(turn, STYLE)
        clock_text(question.time, 1.0)

    def _answer(self) -> None:
        conversation = self._conversation
        if conversation.question is not None:
            conversation.answer(conversation.question.legal()[-1])
        if conversation.ready is not None:
            conversation.go_on()
