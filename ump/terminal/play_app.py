"""The application: one screen with the table, the own hand and the actions, for a player or a spectator."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from rich.markup import escape
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.events import Click, Key
from textual.message import Message
from textual.widgets import Static

from ump.bots.conversation import Introduction, ServerRefusal
from ump.bots.links import Address, Link
from ump.model.actions import Action, Pass
from ump.model.phases import Phase
from ump.model.value import value
from ump.terminal.board_view import BoardView
from ump.terminal.choices import KEYS, Call, calls_in, held_tiles, tiles_of_action
from ump.terminal.connection import Connected, Connection, ConnectionLost, LineReceived, News, connect_to
from ump.terminal.conversation import TableConversation
from ump.terminal.table_text import hand_lines, hint_text, place_at
from ump.terminal.turn import Turn
from ump.text.board import score_lines
from ump.text.style import PLAIN, Style
from ump.text.wording import tile_word
from ump.wire.human.session import Automatic
from ump.wire.text import WireError
from ump.wire.ump.extras import Time

SWITCHES = {"a": "win", "n": "pass", "g": "discard", "h": "hints"}
"""The keys of the switches, with the names that ``ump.wire.human.session.Automatic`` gives them."""

_SWITCH_WORDS = {"win": "auto win", "pass": "no calls", "discard": "auto discard", "hints": "hints"}

HELP = """\
 left right End  choose a tile, the drawn one   Enter   discard it
 4z Enter        choose a tile by its name; 0m or 5M is the red five
 R T             ron, tsumo                     L       riichi, then a tile
 C P K           chi, pon, kan; again: next     F       set a north aside
 Q               nine terminals                 X Esc   pass, or take back
 Y               show a tenpai hand             Enter   go on after a result
 A N G           win by itself, no calls, discard what is drawn; for this kyoku
 H               hints of the server: waits, furiten, shanten
 S ?             scores and differences, these keys
 q q, Ctrl-C     leave; your seat waits for you

 Marks: 5z. as drawn  8p* riichi  7m> called  -- can be chosen  ^^ chosen
"""
"""The keys and marks, at most 79 columns wide."""


def clock_text(time: Time | None, spent: float) -> str:
    """Return the seconds that are left, ``8+60 s``, after ``spent`` seconds; empty without a limit."""
    if time is None:
        return ""
    move = max(0.0, time.move - spent)
    bank = max(0.0, time.bank - max(0.0, spent - time.move))
    return f"{move:.0f}+{bank:.0f} s" if move else f"{bank:.0f} s"


def head_text(address: Address, room: str | None, switches: set[str], clock: str) -> str:
    """Return the first line: server, room, what is switched on, clock."""
    parts = [str(address)] + ([f"room {room}"] if room else [])
    parts += [_SWITCH_WORDS[name] for name in SWITCHES.values() if name in switches]
    left = "  ".join(parts)
    return f"{left}{clock.rjust(max(len(clock) + 2, 78 - len(left)))}" if clock else left


def actions_markup(turn: Turn, style: Style) -> str:
    """Return the actions of a question as markup; a click presses the key."""
    question = turn.question
    parts = []
    if question.phase in (Phase.CALL, Phase.CHANKAN) and question.tile is not None:
        parts.append(f"{tile_word(question.tile, Style(is_pictured=style.is_pictured))}?")
    elif question.phase is Phase.TURN:
        parts.append(f"discard {turn.typed or ''}_")
    for call in calls_in(question.actions):
        text = escape(f" {call.key.upper()} {call.name}{_tiles(turn, call)} ")
        parts.append(f"[reverse][@click=app.press('{call.key}')]{text}[/][/]")
    if turn.is_riichi:
        parts.append("choose a tile, Enter; Esc takes riichi back")
    elif turn.armed is not None:
        parts.append("Enter, or the key again for the next")
    return "  ".join(parts)


def _tiles(turn: Turn, call: Call) -> str:
    """Return the tiles of the chosen way if a call is armed, or of all its ways."""
    if call is turn.armed and turn.ways():
        return f": {tiles_of_action(turn.ways()[turn.way])}"
    found = [tiles_of_action(action) for action in turn.question.actions if isinstance(action, call.types)]
    shown = [tiles for tiles in dict.fromkeys(found) if tiles]
    return f" {'/'.join(shown)}" if shown else ""


def state_text(conversation: TableConversation, *, is_watching: bool) -> str:
    """Return what a person waits for while no game is on the table."""
    waiting = conversation.waiting
    if waiting is not None:
        return f"{waiting.seated} of {waiting.needed} players are here."
    if conversation.position is not None or not conversation.is_greeted:
        return ""
    return "No game is on in this room; the next one will be shown." if is_watching else "Waiting for a table."


GUARD_SECONDS = 0.15
"""For how long keys and clicks are ignored after a question has come, so that one press does not answer two."""

RESULT_SECONDS = 30.0
"""Seconds for which a result stays at most, if the server does not go on before."""

MAX_FAULTS = 20
"""The number of a server's unreadable lines that are ignored, and of contradictions that lead to a new connection."""


@value
class Wishes:
    """The options of a person who plays or watches."""

    address: Address
    name: str = "me"
    room: str | None = None
    is_watching: bool = False
    style: Style = PLAIN
    guard: float = GUARD_SECONDS


class Happened(Message):
    """Something has happened to the connection."""

    def __init__(self, source: Connection | None, news: News) -> None:
        super().__init__()
        self.source = source
        self.news = news


class PlayApp(App[int]):
    """The screen of one person at one server. It returns 0, or 1 if no server has ever answered."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #board { height: auto; }
    #result { display: none; height: 1fr; scrollbar-size-vertical: 1; }
    #hand, #actions, #notice, #head { height: auto; }
    #log { height: 1fr; }
    """
    BINDINGS: ClassVar = [Binding("ctrl+c", "leave", "Leave", priority=True)]

    def __init__(self, wishes: Wishes, connect: Callable[[], Link] | None = None) -> None:
        super().__init__()
        self._wishes = wishes
        self._open = connect or (lambda: connect_to(wishes.address, wishes.name))
        self._switches: set[str] = set()
        self._automatic = Automatic()
        self._has_answered = False
        self._banner = ""
        self._shown = ""
        """Help or scores, in place of the table."""
        self._leaving = False
        self._start_over()

    def _start_over(self) -> None:
        """Prepare a first game, or another one."""
        wishes = self._wishes
        introduction = Introduction(wishes.name, wishes.room)
        watched = (wishes.room or "") if wishes.is_watching else None
        self.conversation = TableConversation(introduction, watched, wishes.style)
        self.turn: Turn | None = None
        self._asked_at = self._ready_at = 0.0
        self._kyoku = self._faults = 0
        self._is_dropped = False
        self._connection: Connection | None = None

    def compose(self) -> ComposeResult:
        """Yield the parts of the screen, from the top."""
        yield Static(id="head", markup=False)
        yield BoardView(style=self._wishes.style, id="board")
        with VerticalScroll(id="result", can_focus=False):
            yield Static(id="result-text")
        yield Static(id="hand")
        yield Static(id="actions")
        yield Static(id="notice", markup=False)
        yield Static(id="log")

    def on_mount(self) -> None:
        """Connect."""
        self._connect()
        self.set_interval(0.5, self._tick)
        self._draw()

    def on_unmount(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.stop()

    def _connect(self) -> None:
        connection: Connection

        def tell(news: News) -> None:
            """Pass news of the connection on to the screen."""
            self.post_message(Happened(connection, news))

        connection = Connection(self._open, tell)
        self._connection = connection
        connection.start()

    # The connection

    def on_happened(self, message: Happened) -> None:
        """Take what the connection tells."""
        if message.source is not self._connection:
            return
        match message.news:
            case Connected():
                self.conversation.begin()
                self.turn, self._is_dropped, self._banner = None, False, ""
            case LineReceived(line):
                if not self._is_dropped:
                    self._receive(line)
            case ConnectionLost() as lost:
                self._lose(lost)
        self._draw()

    def _receive(self, line: str) -> None:
        try:
            self._send(self.conversation.receive(line))
        except WireError:
            self._fault(is_fatal=False)
            return
        except ServerRefusal as refusal:
            self._refused(refusal)
            return
        except ValueError:
            self._fault(is_fatal=True)
            return
        self._has_answered = self._has_answered or self.conversation.is_greeted
        self._follow()
        if self.conversation.is_over and self._connection is not None:
            self._connection.stop()

    def _fault(self, *, is_fatal: bool) -> None:
        """Ignore an unreadable line; get the game anew after a contradiction, or after too many."""
        self._faults += 1
        if self._connection is None or not (is_fatal or self._faults > MAX_FAULTS):
            return
        self._is_dropped = True
        if self._faults > MAX_FAULTS:
            self._connection.stop()
            self._banner = "This server does not speak UMP 0.1. Enter: try again. q: leave."
        else:
            self._connection.drop()

    def _refused(self, refusal: ServerRefusal) -> None:
        self._is_dropped = True
        if self._connection is None:
            return
        if refusal.is_about_token and self.conversation.has_seat:
            self.conversation.forget_seat()
            self._connection.drop()
            return
        self._connection.stop()
        self._banner = f"The server says: {refusal}. Enter: try again. q: leave."

    def _lose(self, lost: ConnectionLost) -> None:
        again = f"Again in {lost.pause:.1f} s." if lost.pause is not None else "Enter: try again. q: leave."
        self._banner = f"{lost.reason}. {again}"
        self.turn = None

    def _send(self, lines: list[str]) -> None:
        if self._connection is not None:
            self._connection.send(lines)

    def _follow(self) -> None:
        """Follow the conversation: a new kyoku, a new question, a question that is closed."""
        conversation = self.conversation
        if conversation.kyoku != self._kyoku:
            self._kyoku = conversation.kyoku
            self._automatic.clear()
            self._switches &= {"hints"}
        if conversation.ready is not None and not self._ready_at:
            limit = conversation.ready.time
            seconds = RESULT_SECONDS if limit is None else min(RESULT_SECONDS, limit.move + limit.bank - 1)
            self._ready_at = time.monotonic() + max(0.0, seconds)
        question = conversation.question
        if question is None:
            self.turn = None
        elif self.turn is None or self.turn.question is not question:
            position = conversation.position
            assert position is not None
            self._asked_at = time.monotonic()
            self.turn = Turn(question, held_tiles(position.seen))
            action = Pass() if question.actions == (Pass(),) else self._automatic.answer(question)
            if action is not None:
                self._answer(action)

    def _answer(self, action: Action) -> None:
        self.turn = None
        self._send([self.conversation.answer(action)])

    def _tick(self) -> None:
        """Move the clock; go on after a result in time."""
        if self._ready_at and time.monotonic() >= self._ready_at:
            self._go_on()
        if self.is_running:
            self._draw_head()

    def _go_on(self) -> None:
        self._ready_at = 0.0
        self._send(self.conversation.go_on())

    # Keys and the mouse

    def action_leave(self) -> None:
        """Leave; a seat in a game waits for its player."""
        self.exit(0 if self._has_answered else 1)

    def action_press(self, key: str) -> None:
        """Take a click on an action as its key."""
        self._press(key)
        self._draw()

    def on_key(self, event: Key) -> None:
        """Take a key."""
        event.prevent_default()
        name = event.character or event.key
        self._press(name if name.isprintable() and name != " " else event.key)
        self._draw()

    def on_click(self, event: Click) -> None:
        """Discard a tile that is clicked."""
        turn = self.turn
        if turn is None or event.widget is None or event.widget.id != "hand" or event.y or not self._is_open():
            return
        place = place_at(turn.tiles, event.x, self._wishes.style)
        action = None if place is None else turn.choose(place)
        if action is not None:
            self._answer(action)
        self._draw()

    def _is_open(self) -> bool:
        """Return whether the question has been open for long enough to be answered on purpose."""
        return time.monotonic() - self._asked_at >= self._wishes.guard

    def _press(self, key: str) -> None:
        was_leaving, self._leaving = self._leaving, False
        if self._shown:
            self._shown = ""
        elif key == "?":
            self._shown = HELP
        elif key.lower() == "s" and self.conversation.position is not None and not (self.turn and self.turn.typed):
            self._shown = "\n".join(score_lines(self.conversation.position, self._wishes.style))
        elif self.turn is not None and self._press_turn(self.turn, key):
            return
        elif key.lower() == "q":
            self._press_leave(is_sure=was_leaving)
        elif key in ("enter", "space"):
            self._press_enter()
        elif key.lower() in SWITCHES:
            self._switch(SWITCHES[key.lower()])

    def _press_leave(self, *, is_sure: bool) -> None:
        if is_sure or not self.conversation.has_seat:
            self.action_leave()
        self._leaving = True
        self.conversation.notice = "Press q again to leave; your seat waits for you."

    def _press_enter(self) -> None:
        """Go on: after a result, to another game, or with a new attempt to connect."""
        if self.conversation.ready is not None or (self.conversation.result and not self.conversation.is_over):
            self._go_on()
        elif self.conversation.is_over:
            self._start_over()
            self._connect()
        elif self._banner and self._connection is not None:
            if self._connection.is_stopped:
                self._start_over()
                self._connect()
            else:
                self._connection.try_now()

    def _press_turn(self, turn: Turn, key: str) -> bool:
        """Take a key that may answer the question; return whether it was one."""
        action: Action | None = None
        letter = key.lower()
        match key:
            case "left" | "right":
                turn.move(1 if key == "right" else -1)
            case "end":
                turn.move_to_end()
            case "enter" | "space" if self._is_open():
                action = turn.confirm()
            case "escape":
                action = None if turn.cancel() else turn.press("x")
            case _ if len(key) == 1 and turn.type(key):
                pass
            case _ if letter in KEYS and self._is_open() and turn.can_press(letter):
                action = turn.press(letter)
            case _:
                return False
        if action is not None:
            self._answer(action)
        return True

    def _switch(self, name: str) -> None:
        if name == "hints" and not self.conversation.gives_hints:
            self.conversation.notice = "This room gives no hints, or has not yet."
        self._switches ^= {name}
        if name == "hints":
            return
        self._automatic.set(name, on=name in self._switches)
        action = None if self.turn is None else self._automatic.answer(self.turn.question)
        if action is not None:
            self._answer(action)

    # What is shown

    def _draw(self) -> None:
        if not self.is_running:
            return  # Lines and keys still come while the parts of the screen are being closed.
        conversation = self.conversation
        result = self._shown or "\n".join(conversation.result)
        self.query_one("#result").styles.display = "block" if result else "none"
        board = self.query_one(BoardView)
        board.styles.display = "none" if result else "block"
        self.query_one("#result-text", Static).update(Text.from_ansi(result))
        board.show(conversation.position)
        self._draw_hand()
        turn = self.turn
        self.query_one("#actions", Static).update("" if turn is None else actions_markup(turn, self._wishes.style))
        self._draw_notice()
        log = self.query_one("#log", Static)
        log.styles.display = "none" if result else "block"
        recent = [] if conversation.position is None else list(conversation.log)[-12:]
        log.update(Text.from_ansi("\n".join(reversed(recent))))
        self._draw_head()

    def _draw_hand(self) -> None:
        position, turn, style = self.conversation.position, self.turn, self._wishes.style
        if position is None or position.seen.seat is None:
            self.query_one("#hand", Static).update("")
            return
        tiles = held_tiles(position.seen) if turn is None else turn.tiles
        chosen, legal = (None, []) if turn is None else (turn.chosen, turn.legal_places())
        lines = hand_lines(tiles, chosen, legal, position, position.seen.seat, style)
        self.query_one("#hand", Static).update(Text.from_ansi("\n".join(lines)))

    def _draw_notice(self) -> None:
        """Draw the most urgent of: the connection, a refusal, what to do after a result, hints."""
        conversation, turn = self.conversation, self.turn
        text = "" if conversation.is_over else self._banner
        text = text or conversation.notice or state_text(conversation, is_watching=self._wishes.is_watching)
        if not text and self._shown:
            text = "Any key: back to the table."
        if not text and conversation.is_over:
            text = "Enter: another game. q: leave."
        if not text and conversation.ready is not None:
            text = "Enter: go on."
        if not text and "hints" in self._switches:
            face = None if turn is None or turn.chosen is None else turn.tiles[turn.chosen].face
            text = hint_text(conversation.hints, face, Style(is_pictured=self._wishes.style.is_pictured))
        self.query_one("#notice", Static).update(text)

    def _draw_head(self) -> None:
        turn, wishes = self.turn, self._wishes
        time_left = None if turn is None else turn.question.time
        clock = clock_text(time_left, time.monotonic() - self._asked_at)
        text = head_text(wishes.address, wishes.room, self._switches, clock)
        self.query_one("#head", Static).update(text)
