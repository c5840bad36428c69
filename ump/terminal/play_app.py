"""The application: one screen with the table, the own hand and the actions, for a player or a spectator."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from rich.markup import escape
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.events import Click, Key, Resize
from textual.message import Message
from textual.widgets import Static

from ump.bots.conversations import ClientFacts
from ump.bots.links import Address, Link
from ump.model.actions import Action, Pass
from ump.model.phases import Phase
from ump.model.value import value
from ump.players.hints import AdvisedAnswer
from ump.terminal.canvas import COLUMNS, ROOMY_ROWS, ROWS, Look, TileForm
from ump.terminal.choices import KEYS, CallKey, actions_of, calls_in, held_tiles, tiles_of_action
from ump.terminal.connection import Connected, ConnectionLost, LineReceived, News, ScreenConnection, connect_to, look_at
from ump.terminal.conversation import TableConversation
from ump.terminal.lobby import (
    AtTable,
    EnterRoom,
    LeaveProgram,
    ListedServer,
    LobbyEntries,
    LookAgain,
    LookAt,
    ServerView,
    Watch,
)
from ump.terminal.table_text import (
    BoardView,
    advice_text,
    hand_canvas,
    hint_text,
    place_at,
    report_text,
    results_canvas,
    scores_canvas,
)
from ump.terminal.turn import Turn
from ump.terminal.words import ENGLISH, Words
from ump.text.layout import printable, width
from ump.wire.human.session import Automatic, Bell
from ump.wire.session import Interruption, ServerRefusal, TableWish
from ump.wire.text import WireError
from ump.wire.ump.extras import Time

SWITCHES = {"a": "win", "n": "pass", "g": "discard", "h": "hints"}
"""The keys of the switches, with the names that ``ump.wire.human.session.Automatic`` gives them."""


def clock_text(time: Time | None, spent: float, words: Words = ENGLISH) -> str:
    """Return the seconds that are left, ``8+60 s``, after ``spent`` seconds; empty without a limit."""
    if time is None:
        return ""
    move = max(0.0, time.move - spent)
    bank = max(0.0, time.bank - max(0.0, spent - time.move))
    return words.seconds.format(time=f"{move:.0f}+{bank:.0f}" if move else f"{bank:.0f}")


def head_text(address: Address, room: str | None, switches: set[str], clock: str, look: Look) -> str:
    """Return the first line: server, room, what is switched on, clock."""
    words = look.words
    parts = [str(address)] + ([words.room.format(room=room)] if room else [])
    parts += [words.switches[name] for name in SWITCHES.values() if name in switches]
    left = "  ".join(parts)
    return f"{left}{' ' * max(2, look.columns - 2 - width(left) - width(clock))}{clock}" if clock else left


def actions_markup(turn: Turn, look: Look) -> str:
    """Return the actions of a question as markup; a click presses the key."""
    question, words = turn.question, look.words
    parts = []
    if question.phase in (Phase.CALL, Phase.CHANKAN) and question.tile is not None:
        parts.append(f"{look.tile_text(question.tile)}?")
    elif question.phase is Phase.TURN:
        parts.append(f"{words.discard} {turn.typed or ''}_")
    for call in calls_in(question.actions):
        text = escape(f" {call.key.upper()} {words.calls[call.key]}{_tiles(turn, call, look)} ")
        parts.append(f"[reverse][@click=app.press('{call.key}')]{text}[/][/]")
    if turn.is_riichi:
        parts.append(words.riichi_begun)
    elif turn.armed is not None:
        parts.append(words.way_begun)
    return "  ".join(parts)


def _tiles(turn: Turn, call: CallKey, look: Look) -> str:
    """Return the tiles of the chosen way if a call is armed, or of all its ways."""
    if call is turn.armed and turn.ways():
        return f": {look.tiles_text(tiles_of_action(turn.ways()[turn.way]))}"
    ways = actions_of(call, turn.question.actions)
    shown = dict.fromkeys(look.tiles_text(tiles_of_action(action)) for action in ways)
    shown.pop("", None)
    return f" {'/'.join(shown)}" if shown else ""


def state_text(conversation: TableConversation, words: Words, address: Address, *, is_watching: bool) -> str:
    """Return what a person waits for while no game is on the table."""
    if conversation.gathering:
        return gathering_text(conversation, words)
    waiting = conversation.waiting
    if waiting is not None:
        return words.seated.format(seated=waiting.seated, needed=waiting.needed)
    if conversation.position is not None:
        return ""
    if not conversation.is_greeted:
        return words.connecting.format(address=address)
    return words.no_game if is_watching else words.waiting


def gathering_text(conversation: TableConversation, words: Words) -> str:
    """Return who is at a table among friends, its code, and what Enter does."""
    members = conversation.gathering
    here = [f"{printable(each.name)} ({words.states[each.state.value]})" for each in members if each is not None]
    code = printable(conversation.card.get("invitation", ""))
    does = words.to_begin if conversation.is_host else words.to_be_ready
    return (
        f"{words.friends.format(code=code)} {', '.join(here)} · {words.free.format(count=members.count(None))}. {does}"
    )


GUARD_SECONDS = 0.15
"""For how long keys and clicks are ignored after a question has come, so that one press does not answer two."""

RESULT_SECONDS = 30.0
"""Seconds for which a result stays at most, if the server does not go on before."""

MAX_REPORT = 20
"""The characters of a report that is typed."""

MAX_FAULTS = 20
"""The number of a server's unreadable lines that are ignored, and of contradictions that lead to a new connection."""


@value
class ServerLogin:
    """A user of one server."""

    address: Address
    """No other server receives the password."""
    user: str
    password: str
    """It may be an access token."""


@value
class Wishes:
    """The options of a person who plays or watches."""

    address: Address
    name: str = "me"
    room: str | None = None
    is_watching: bool = False
    look: Look = Look()
    guard: float = GUARD_SECONDS
    opens_lobby: bool = False
    """Whether the person chooses the room in the lobby first."""
    guest: str | None = None
    """The secret by which servers know this person again; None: they give tokens instead."""
    table: TableWish | None = None
    """The table among friends to make, or to come to."""
    has_bell: bool = True
    """Whether a question rings that comes while the person seems to be away."""
    login: ServerLogin | None = None
    """The user as whom the person plays; None: as a guest."""


class Happened(Message):
    """Something has happened to the connection."""

    def __init__(self, source: ScreenConnection | None, news: News) -> None:
        super().__init__()
        self.source = source
        self.news = news


class LobbySeen(Message):
    """A server has shown its rooms, or does not answer; or the servers of the network are known."""

    def __init__(self, address: Address | None, seen: ServerView | str | list[ListedServer]) -> None:
        super().__init__()
        self.address = address
        self.seen = seen


class PlayApp(App[int]):
    """The screen of one person. It returns 0, or 1 if no server has ever answered or it has refused the person."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #board { height: auto; }
    #result { display: none; height: 1fr; scrollbar-size-vertical: 1; }
    #hand, #actions, #notice, #head, #lobby { height: auto; }
    #log { height: 1fr; }
    .roomy #board, .roomy #hand { margin-top: 1; }
    .felt { background: #12352a; color: #e8f0ea; }
    """
    BINDINGS: ClassVar = [Binding("ctrl+c", "leave", "LeaveProgram", priority=True)]

    def __init__(
        self,
        wishes: Wishes,
        connect: Callable[[], Link] | None = None,
        *,
        look_at: Callable[[Address], ServerView] = look_at,
        find: Callable[[], list[ListedServer]] | None = None,
    ) -> None:
        """Connect with ``connect``; the lobby asks ``look_at`` about servers, and ``find`` for those of the network.

        Without ``find`` the address is one that the person has named, and the lobby lists no other server.
        """
        super().__init__()
        self._wishes = wishes
        self._open = connect or self._connect_to_server
        self._look_at = look_at
        self._find = find
        self.reason = ""
        """Why the program has ended by itself."""
        self.lobby: LobbyEntries | None = None
        """The lobby, while it is shown."""
        self.look = wishes.look
        """The look of the screen, with the size of the terminal."""
        self._switches: set[str] = set()
        self._automatic = Automatic()
        self._bell = Bell(time.monotonic(), is_on=wishes.has_bell)
        self._has_answered = False
        self._banner = ""
        self._shown = Text()
        """Help, scores or advice, in place of the table."""
        self._advice: tuple[AdvisedAnswer, ...] = ()
        """The advice that was last shown."""
        self._leaving = False
        self._report: str | None = None
        """The part of a report that is typed."""
        self._pressed = ""
        """Why the last key had no effect, in words."""
        self._start_over()

    def _start_over(self) -> None:
        """Prepare a first game, or another one."""
        wishes = self._wishes
        introduction = ClientFacts(wishes.name, wishes.room)
        login = wishes.login
        if login is not None and login.address == wishes.address:
            introduction = replace(introduction, user=login.user, password=login.password)
        watched = (wishes.room or "") if wishes.is_watching else None
        self.conversation = TableConversation(
            introduction,
            watched,
            wishes.look,
            guest=wishes.guest,
            table=None if wishes.is_watching else wishes.table,
        )
        self.turn: Turn | None = None
        self._asked_at = self._ready_at = 0.0
        self._kyoku = self._faults = 0
        self._is_dropped = False
        self._connection: ScreenConnection | None = None

    def compose(self) -> ComposeResult:
        """Yield the parts of the screen, from the top."""
        yield Static(id="small", markup=False)
        yield Static(id="lobby")
        yield Static(id="head", markup=False)
        yield BoardView(look=self.look, id="board")
        with VerticalScroll(id="result", can_focus=False):
            yield Static(id="result-text")
        yield Static(id="hand")
        yield Static(id="actions")
        yield Static(id="notice", markup=False)
        yield Static(id="log")

    def _connect_to_server(self) -> Link:
        return connect_to(self._wishes.address, self._wishes.name)

    def on_mount(self) -> None:
        """Connect, or open the lobby."""
        if self.look.tiles is TileForm.BLOCKS and self.look.is_coloured:
            self.screen.add_class("felt")
        if self._wishes.opens_lobby:
            self._open_lobby()
        else:
            self._connect()
        self.set_interval(0.5, self._tick)
        self._draw()

    def on_resize(self, event: Resize) -> None:
        """Draw for another size of the terminal."""
        self.look = replace(self.look, columns=event.size.width, rows=event.size.height)
        self.screen.set_class(event.size.height >= ROOMY_ROWS, "roomy")
        self._draw()

    def on_unmount(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.stop()

    def _connect(self) -> None:
        connection: ScreenConnection

        def tell(news: News) -> None:
            """Pass news of the connection on to the screen."""
            self.post_message(Happened(connection, news))

        connection = ScreenConnection(self._open, tell)
        self._connection = connection
        connection.start()

    # The lobby

    def _open_lobby(self, notice: str = "") -> None:
        """Show the lobby of the server, and ask it for its rooms."""
        if self._connection is not None:
            self._connection.stop()
        wishes = self._wishes
        self._start_over()
        self.lobby = LobbyEntries(wishes.address, wishes.name, is_watching=wishes.is_watching)
        self.lobby.notice = notice
        if self._find is not None:
            self.lobby.servers = (ListedServer("", wishes.address),)
        self._look_around(is_first=True)

    def _look_around(self, *, is_first: bool = False) -> None:
        """Ask the server of the lobby for its rooms, and the network for servers, in threads."""
        assert self.lobby is not None
        address, find = self.lobby.address, self._find

        def look() -> ServerView | str:
            try:
                return self._look_at(address)
            except OSError as error:
                return str(error)

        self._ask(address, look)
        if find is not None and is_first:
            self._ask(None, find)

    def _ask(self, address: Address | None, question: Callable[[], ServerView | str | list[ListedServer]]) -> None:
        def ask() -> None:
            seen = question()
            self.post_message(LobbySeen(address, seen))

        threading.Thread(target=ask, name="lobby", daemon=True).start()

    def on_lobby_seen(self, message: LobbySeen) -> None:
        """Show what a server says, or the servers of the network."""
        lobby = self.lobby
        match message.seen:
            case _ if lobby is None:
                return
            case list() as servers:
                lobby.servers = (*lobby.servers, *servers)
            case _ if message.address != lobby.address:
                return
            case ServerView() as view:
                self._has_answered = True
                lobby.show(view)
            case str() as why if self._find is None and not self._has_answered:
                self._end_with(why)
            case str() as why:
                lobby.trouble = why
        self._draw()

    def _press_lobby(self, lobby: LobbyEntries, key: str) -> None:
        match lobby.press(key):
            case EnterRoom(room):
                self._leave_lobby(lobby, room, is_watching=False)
            case Watch(room):
                self._leave_lobby(lobby, room, is_watching=True)
            case AtTable(wish):
                self._leave_lobby(lobby, None, is_watching=False, table=wish)
            case LookAt(address):
                lobby.look_at(address)
                self._look_around()
            case LookAgain():
                self._look_around()
            case LeaveProgram():
                self.action_leave()
            case None:
                pass

    def _leave_lobby(
        self, lobby: LobbyEntries, room: str | None, *, is_watching: bool, table: TableWish | None = None
    ) -> None:
        """Go from the lobby to a room, or to a table among friends."""
        self._wishes = replace(
            self._wishes, address=lobby.address, name=lobby.name, room=room, is_watching=is_watching, table=table
        )
        self.lobby = None
        self._start_over()
        self._connect()

    def _end_with(self, why: str) -> None:
        """Leave with status 1, and say why."""
        if self._connection is not None:
            self._connection.stop()
        self.reason = printable(why)
        self.exit(1)

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
            self._banner = f"{self._wishes.address} does not speak UMP 0.1. {self.look.words.try_again}"
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
        if str(refusal) == Interruption.RETURNS.value and self.conversation.has_seat:
            self._connection.drop()
            return
        self._end_or_choose_again(self.look.words.error(str(refusal)))

    def _end_or_choose_again(self, why: str) -> None:
        """Return to the lobby with a sentence, if the person came from there; otherwise end with it."""
        if self._wishes.opens_lobby:
            self._open_lobby(printable(why))
        else:
            self._end_with(why)

    def _lose(self, lost: ConnectionLost) -> None:
        words = self.look.words
        if not self._has_answered:
            self._end_or_choose_again(lost.reason)
            return
        self._banner = words.reconnecting
        if lost.pause is None:
            self._banner = f"{lost.reason}. {words.try_again}"
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
        if conversation.advice != self._advice:
            self._advice = conversation.advice
            self._shown = Text(advice_text(self._advice, self.look))
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
            elif self._bell.rings(self._asked_at):
                self.bell()

    def _answer(self, action: Action) -> None:
        self.turn = None
        self._send([self.conversation.answer(action)])

    def _tick(self) -> None:
        """Move the clock; go on after a result in time."""
        if self._ready_at and time.monotonic() >= self._ready_at:
            self._go_on()
        if self.is_running and self.lobby is None:
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
        self._bell.put_off(time.monotonic())
        event.prevent_default()
        name = event.character or event.key
        self._press(name if name.isprintable() and name != " " else event.key)
        self._draw()

    def on_click(self, event: Click) -> None:
        """Discard a tile that is clicked."""
        self._bell.put_off(time.monotonic())
        turn = self.turn
        if turn is None or event.widget is None or event.widget.id != "hand" or not self._is_open():
            return
        place = place_at(turn.tiles, event.x, self.look)
        action = None if place is None else turn.choose(place)
        if action is not None:
            self._answer(action)
        elif place is not None:
            self._pressed = self.look.words.no_discard.format(tile=self.look.tile_text(turn.tiles[place].face))
        self._draw()

    def _is_open(self) -> bool:
        """Return whether the question has been open for long enough to be answered on purpose."""
        return time.monotonic() - self._asked_at >= self._wishes.guard

    def _press(self, key: str) -> None:
        was_leaving, self._leaving = self._leaving, False
        self._pressed = ""
        if self.lobby is not None:
            self._press_lobby(self.lobby, key)
        elif self._report is not None:
            self._press_report(self._report, key)
        elif self._shown:
            self._shown = Text()
        elif key == "?":
            self._shown = Text(self.look.words.help)
        elif key == "!" and self.conversation.position is not None and not self._wishes.is_watching:
            self._report, self._shown = "", Text(report_text(self.conversation.position, self.look))
        elif key.lower() == "s" and self.conversation.position is not None and not (self.turn and self.turn.typed):
            self._shown = scores_canvas(self.conversation.position, self.look).text()
        elif key.lower() == "e":
            self._press_advice()
        elif self.turn is not None and self._press_turn(self.turn, key):
            return
        elif key.lower() == "q":
            self._press_leave(is_sure=was_leaving)
        elif key in ("enter", "space"):
            self._press_enter()
        elif key in ("up", "down") and self.conversation.results:
            self.query_one("#result").scroll_relative(y=1 if key == "down" else -1, animate=False)
        elif key.lower() in SWITCHES:
            self._switch(SWITCHES[key.lower()])
        else:
            self._explain(key)

    def _explain(self, key: str) -> None:
        """Say why a key has no effect."""
        words, letter = self.look.words, key.lower()
        if not self._is_open():
            return
        if self.turn is None and (letter in KEYS or letter.isdigit()):
            self._pressed = words.not_your_turn
        elif letter in KEYS:
            self._pressed = words.no_call.format(call=words.calls[letter])
        else:
            self._pressed = words.key_unknown.format(key=printable(key))

    def _press_leave(self, *, is_sure: bool) -> None:
        if not is_sure and self.conversation.has_seat:
            self._leaving = True
            self._pressed = self.look.words.leave_sure
        elif self._wishes.opens_lobby and not self.conversation.has_seat:
            self._open_lobby()
        else:
            self.action_leave()

    def _press_enter(self) -> None:
        """Go on: after a result, to another game, or with a new attempt to connect."""
        if self.conversation.gathering:
            self._send(self.conversation.order())
        elif self.conversation.ready is not None or (self.conversation.results and not self.conversation.is_over):
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

    def _press_advice(self) -> None:
        """Show advice about the open question, once the server has given it."""
        lines = self.conversation.ask_advice()
        if not lines:
            self._pressed = self.look.words.no_advice
        elif self._advice:
            self._shown = Text(advice_text(self._advice, self.look))
        else:
            self._send(lines)

    def _press_report(self, typed: str, key: str) -> None:
        """Take a key of a report that is typed."""
        match key:
            case "escape":
                self._report, self._shown = None, Text()
            case "enter":
                lines = self.conversation.report(typed)
                self._send(lines)
                self._report = None if lines else ""
                if lines:
                    self._shown = Text()
            case "backspace":
                self._report = typed[:-1]
            case "space":
                self._report = f"{typed} "
            case _ if len(key) == 1 and len(typed) < MAX_REPORT:
                self._report = typed + key

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
                self._pressed = "" if action is not None else self.look.words.no_choice
            case "escape":
                action = None if turn.cancel() else turn.press("x")
            case _ if len(key) == 1 and turn.type(key):
                self._pressed = self._missed_text(turn)
            case _ if letter in KEYS and self._is_open() and turn.can_press(letter):
                action = turn.press(letter)
            case _:
                return False
        if action is not None:
            self._answer(action)
        return True

    def _missed_text(self, turn: Turn) -> str:
        """Return why a typed tile was not chosen; empty if it was."""
        if turn.missed is None:
            return ""
        tile, is_held = turn.missed
        return (self.look.words.no_discard if is_held else self.look.words.no_tile).format(tile=tile)

    def _switch(self, name: str) -> None:
        if name == "hints" and not self.conversation.gives_hints:
            self._pressed = self.look.words.no_hints
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
        is_small = self.look.columns < COLUMNS or self.look.rows < ROWS
        is_table = not is_small and self.lobby is None
        result = self._result_text()
        shown = {
            "small": is_small,
            "lobby": not is_small and self.lobby is not None,
            **dict.fromkeys(("head", "hand", "actions", "notice"), is_table),
            "result": is_table and bool(result),
            **dict.fromkeys(("board", "log"), is_table and not result),
        }
        for name, is_shown in shown.items():
            self.query_one(f"#{name}").styles.display = "block" if is_shown else "none"
        if is_small:
            text = self.look.words.too_small.format(columns=self.look.columns, rows=self.look.rows)
            self.query_one("#small", Static).update(text)
        elif self.lobby is not None:
            self.query_one("#lobby", Static).update(self.lobby.canvas(self.look).text())
        else:
            self._draw_table(result)

    def _result_text(self) -> Text:
        """Return what stands in place of the table: help, scores, or results."""
        conversation = self.conversation
        if self._shown or conversation.position is None or not conversation.results:
            return self._shown
        return results_canvas(conversation.results, conversation.position, self.look).text()

    def _draw_table(self, result: Text) -> None:
        conversation, turn, board = self.conversation, self.turn, self.query_one(BoardView)
        self.query_one("#result-text", Static).update(result)
        board.look = self.look
        board.show(conversation.position)
        self._draw_hand()
        self.query_one("#actions", Static).update("" if turn is None else actions_markup(turn, self.look))
        self._draw_notice()
        recent = list(conversation.log)[-12:]
        self.query_one("#log", Static).update(Text("\n".join(reversed(recent))))
        self._draw_head()

    def _draw_hand(self) -> None:
        position, turn = self.conversation.position, self.turn
        if position is None or position.seen.seat is None:
            self.query_one("#hand", Static).update("")
            return
        tiles = held_tiles(position.seen) if turn is None else turn.tiles
        chosen, legal = (None, []) if turn is None else (turn.chosen, turn.legal_places())
        hand = hand_canvas(tiles, chosen, legal, position, position.seen.seat, self.look)
        self.query_one("#hand", Static).update(hand.text())

    def _draw_notice(self) -> None:
        """Draw the most urgent of: the connection, a refusal, what to do after a result, hints."""
        conversation, turn, words, wishes = self.conversation, self.turn, self.look.words, self._wishes
        text = self._pressed or ("" if conversation.is_over else self._banner)
        if self._report is not None:
            text = f"report {self._report}_"
        text = text or conversation.notice
        text = text or state_text(conversation, words, wishes.address, is_watching=wishes.is_watching)
        if not text and self._shown:
            text = words.any_key
        if not text and conversation.is_over:
            text = words.another_game
        if not text and conversation.ready is not None:
            text = words.to_result if conversation.ready.is_last else words.go_on
        if not text and "hints" in self._switches:
            face = None if turn is None or turn.chosen is None else turn.tiles[turn.chosen].face
            text = hint_text(conversation.hints, face, self.look)
        self.query_one("#notice", Static).update(text)

    def _draw_head(self) -> None:
        turn, wishes = self.turn, self._wishes
        time_left = None if turn is None else turn.question.time
        clock = clock_text(time_left, time.monotonic() - self._asked_at, self.look.words)
        text = head_text(wishes.address, wishes.room, self._switches, clock, self.look)
        self.query_one("#head", Static).update(text)
