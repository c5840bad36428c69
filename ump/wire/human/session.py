"""The server's side of a person's connection: a game in plain words, without input or output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf

from ump.model.actions import Action
from ump.model.claims import Claim, Reason, Verb
from ump.model.events import GameStarted, KyokuStarted
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.value import value
from ump.report.board import board_lines, hand_lines, score_lines
from ump.report.layout import wrapped
from ump.report.narration import narrate
from ump.report.position import Position
from ump.report.rules import differing_lines
from ump.report.style import Style
from ump.report.text import columns
from ump.report.waits import waits_lines
from ump.rules.ruleset import Ruleset
from ump.wire.dialect import RoomInfo
from ump.wire.human.answers import Explained, read_answer
from ump.wire.human.automatic import KINDS, Automatic
from ump.wire.human.choices import choice_of, choices, listed
from ump.wire.human.commands import COMMANDS, Command, read_command
from ump.wire.human.first_prompt import Arrival, likely_name, read_entry, rooms_lines, welcome_lines, what_to_type
from ump.wire.human.refusals import SENTENCES
from ump.wire.human.typed_line import typed_line
from ump.wire.session import (
    Answered,
    Farewell,
    Introduced,
    OutgoingEvent,
    PersonSession,
    QuestionView,
    Received,
    Stale,
    Staleness,
    TableInfo,
)
from ump.wire.text import MAX_ERROR, MAX_LINE
from ump.wire.ump01.connection_state import CLOSING, HELLO, TRANSITIONS, ConnectionState, ConnectionStep

READY_SECONDS = 15.0
"""Seconds after which the game goes on by itself between two kyoku."""

LATE_SECONDS = 1.0
"""Seconds after a timeout in which a line is taken for a late answer to the question that timed out."""


@value
class Open:
    """The open question."""

    number: int
    """The table's number of it."""
    question: QuestionView | None
    """None: whether the person is ready."""
    until: float
    """When the time is up, in clock seconds."""
    automatic: Action | None = None
    """The answer that the person has left to the server."""


class HumanSession(PersonSession):
    """One person."""

    __slots__ = (
        "_automatic",
        "_late_until",
        "_name",
        "_open",
        "_position",
        "_rooms",
        "_ruleset",
        "_seat",
        "_style",
        "state",
    )
    DIALECT = "plain words"
    MAX_MESSAGE = MAX_LINE

    def __init__(self, rooms: Sequence[RoomInfo] = ()) -> None:
        """Start before the hello; ``rooms`` are those of the server, the first one is for people who name none."""
        super().__init__()
        self.state: ConnectionState = HELLO
        self._rooms = tuple(rooms)
        self._style = Style()
        self._name: str | None = None
        """The name that the first line proposed."""
        self._ruleset: Ruleset | None = rooms[0].ruleset if rooms else None
        """The rules of the person's room."""
        self._seat: Seat | None = None
        self._position: Position | None = None
        self._open: Open | None = None
        self._late_until = -inf
        self._automatic = Automatic()

    # Messages from the person

    def receive(self, line: bytes, now: float) -> Received:
        """Take one line, without its end. Every line is answered, and only a legal answer reaches the table."""
        if self.state is CLOSING:
            return Stale(Staleness.CLOSING)
        text = typed_line(line)
        found = read_command(text)
        if found is not None and found[0] is Command.BYE:
            return Farewell()
        if found is not None:
            _COMMANDS[found[0]](self, found[1], now)
            return Stale(Staleness.EXPLAINED)
        if self.state is HELLO:
            return self._receive_entry(text)
        return self._receive_answer(text, now)

    def receive_first(self, line: bytes, now: float) -> Received:
        """Take the first line of a client that has just turned out to be a person: welcome it, or let it in."""
        text = typed_line(line)
        entry = read_entry(text, self._rooms, None) if "=" in text or text.lower().startswith("watch") else None
        if isinstance(entry, Arrival):
            return self._enter(entry)
        found = read_command(text)
        if found == (Command.BYE, []):
            return Farewell()
        self._name = likely_name(text) if found is None and entry is None else None
        if entry is not None:
            self._name = entry.proposed
        self.greet()
        if entry is not None:
            self._say(entry.why)
        if found is not None and found[0] in (Command.COLOUR, Command.LANGUAGE):
            _COMMANDS[found[0]](self, found[1], now)
        return Stale(Staleness.EXPLAINED)

    def _receive_entry(self, text: str) -> Received:
        entry = read_entry(text, self._rooms, self._name)
        if isinstance(entry, Arrival):
            return self._enter(entry)
        self._name = entry.proposed or self._name
        self._say(entry.why)
        return Stale(Staleness.EXPLAINED)

    def _enter(self, arrival: Arrival) -> Introduced:
        """Go to a room."""
        introduction = arrival.introduction
        options = dict(arrival.options)
        self._style = Style(
            language="ja" if options.get("_lang") == "ja" else self._style.language,
            is_coloured=self._style.is_coloured or options.get("_color") == "1",
        )
        wanted = introduction.watch or introduction.room
        self._ruleset = next((room.ruleset for room in self._rooms if room.name == wanted), self._ruleset)
        self.state = TRANSITIONS[self.state][ConnectionStep.INTRODUCED]
        room = wanted or (self._rooms[0].name if self._rooms else "the first room")
        if introduction.watch is None:
            who = f" as {introduction.name}" if introduction.name else ""
            self._say(f"You sit down in {room}{who}. Type help at any time.")
        else:
            self._say(f"You watch {room}. Type board, score, rules, help or bye.")
        return Introduced(introduction)

    def _receive_answer(self, text: str, now: float) -> Received:
        """Take a line that may answer the question."""
        asked = self._open
        if now < self._late_until:
            self._say("That came too late for the last question. It was not played.")
            return Stale(Staleness.LATE)
        if asked is None:
            self._say(self._why_nothing_is_asked(text))
            return Stale(Staleness.EXPLAINED)
        if asked.question is None:
            return self._go_on(asked.number)
        answer = read_answer(text, asked.question)
        if isinstance(answer, Explained):
            self._say(answer.why)
            self._out += self._choice_lines(asked.question, _left(asked, now))
            return Stale(Staleness.EXPLAINED)
        self._open = None
        return Answered(asked.number, answer)

    def _go_on(self, number: int) -> Answered:
        self._open = None
        return Answered(number, Claim(Verb.YES))

    def _why_nothing_is_asked(self, text: str) -> str:
        if self.state is ConnectionState.WATCHING:
            return "You are watching. Type board, score, rules, help or bye."
        if self.state is ConnectionState.LOBBY:
            return "The game has not begun yet. Type rules, help or bye, or wait."
        return "It is not your turn; nothing was played." if text else "It is not your turn yet."

    # Commands

    def _help(self, arguments: Sequence[str], now: float) -> None:
        if self.state is HELLO:
            self._out += what_to_type(self._rooms, self._name)
            return
        asked = self._open
        if asked is not None and asked.question is not None:
            found = choices(asked.question)
            rows = [(each.typed, f"or {each.full}" if each.full != each.typed else "", each.meaning) for each in found]
            self._out += ["You can type now:", *(f"  {line}" for line in columns(rows))]
        elif asked is not None:
            self._say("Press Enter to go on.")
        self._out += ["At any time:"]
        self._out += [f"  {line}" for line in columns([(each.typed, each.does) for each in COMMANDS.values()])]

    def _show(self, lines: Callable[[Position, Style], list[str]]) -> None:
        """Show something of the table, if there is one."""
        if self._position is None or not self._position.seen.points:
            self._say("There is no game yet.")
        else:
            self._out += lines(self._position, self._style) or ["There is nothing to show."]

    def _board(self, arguments: Sequence[str], now: float) -> None:
        self._show(board_lines)

    def _hand(self, arguments: Sequence[str], now: float) -> None:
        self._show(hand_lines)

    def _score(self, arguments: Sequence[str], now: float) -> None:
        self._show(score_lines)

    def _waits(self, arguments: Sequence[str], now: float) -> None:
        self._show(waits_lines)

    def _rules(self, arguments: Sequence[str], now: float) -> None:
        self._out += ["No room is known."] if self._ruleset is None else differing_lines(self._ruleset)

    def _list_rooms(self, arguments: Sequence[str], now: float) -> None:
        self._out += rooms_lines(self._rooms) or ["No room is known."]

    def _auto(self, arguments: Sequence[str], now: float) -> None:
        match arguments:
            case [kind, ("on" | "off") as switch] if kind in KINDS:
                self._automatic.set(kind, on=switch == "on")
            case [kind] if kind in KINDS:
                self._automatic.set(kind, on=True)
            case []:
                pass
            case _:
                self._say("Type for example: auto pass on")
        self._out += self._automatic.lines()
        if self._open is not None and self._open.question is not None:
            self._open_question(self._open.number, self._open.question, self._open.until)

    def _colour(self, arguments: Sequence[str], now: float) -> None:
        if arguments in (["on"], ["off"]):
            self._style = Style(self._style.language, is_coloured=arguments == ["on"])
            self._say(f"Colours are {arguments[0]}.")
        else:
            self._say("Type color on, or color off.")

    def _language(self, arguments: Sequence[str], now: float) -> None:
        if arguments in (["en"], ["ja"]):
            self._style = Style(arguments[0], self._style.is_coloured)
            self._say(f"The language of yaku is {arguments[0]}.")
        else:
            self._say("Type lang en, or lang ja.")

    # Time

    def due(self) -> float | None:
        """Return when the open question is answered without the person."""
        asked = self._open
        if asked is None:
            return None
        if asked.question is None:
            return asked.until
        return None if asked.automatic is None else -inf

    def tick(self, now: float) -> Received | None:
        """Go on between two kyoku, or give the answer that the person has left to the server."""
        asked = self._open
        if asked is None:
            return None
        if asked.question is None:
            return self._go_on(asked.number) if now >= asked.until else None
        if asked.automatic is None:
            return None
        self._open = None
        return Answered(asked.number, asked.automatic)

    # Messages to the person

    def greet(self) -> None:
        """Welcome the person."""
        self._out += welcome_lines(self._rooms, self._name)

    def tell(self, event: OutgoingEvent, now: float) -> None:
        """Tell an event in words."""
        seen = event.seen_by(self._seat)
        if isinstance(seen, GameStarted):
            assert self._ruleset is not None
            self._position = Position(self._seat, seen.names, self._ruleset)
        elif isinstance(seen, KyokuStarted):
            self._automatic.clear()
        position = self._position
        assert position is not None
        self._out += narrate(seen, position, self._style)
        position.see(seen)

    def ask(self, number: int, question: QuestionView | None, move: float, bank: float, now: float) -> None:
        """Ask a question: the board, and what can be typed."""
        if question is None:
            seconds = min(READY_SECONDS, move + bank)
            self._open = Open(number, None, now + seconds)
            self._say(f"Press Enter to go on, or wait {seconds:.0f} seconds.")
            return
        self._open_question(number, question, now + move + bank)
        assert self._open is not None
        if self._open.automatic is None:
            self._say("")
            self._show(board_lines)
            self._out += self._choice_lines(question, (move, bank))

    def _open_question(self, number: int, question: QuestionView, until: float) -> None:
        """Open a question, and answer it at the next tick if the person has left that to the server."""
        automatic = self._automatic.answer(question)
        self._open = Open(number, question, until, automatic)
        if automatic is not None:
            self._say(f"auto: {choice_of(automatic, question.legal()).full}")

    def _choice_lines(self, question: QuestionView, left: tuple[float, float]) -> list[str]:
        """Return what can be typed, and the time left."""
        label = {Phase.TURN: "Your turn: ", Phase.DECLARE: "Exhaustive draw: "}.get(question.phase, "Your call: ")
        return wrapped(label, [*listed(choices(question)), "help", _time(*left)], " | ")

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question that has timed out, or that others have decided."""
        asked = self._open
        if by_time:
            self._late_until = now + LATE_SECONDS
        if asked is None or asked.number != number:
            return
        self._open = None
        if not by_time:
            self._say("No answer is needed any more.")
        elif asked.question is None:
            self._say("Time is up: the game goes on.")
        else:
            self._say("Time is up: the server answers for you.")

    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Close a question whose answer was refused. The session sends legal answers only, so this is rare."""
        if self._open is not None and self._open.number == number:
            self._open = None
        self._say(SENTENCES[reason])

    def wait(self, seated: int, needed: int) -> None:
        """Say how many players are there."""
        self._say(f"{seated} of {needed} players are here.")

    def bye(self) -> None:
        """Say goodbye."""
        self._say("Goodbye! To play again, connect again.")

    def error(self, message: str) -> None:
        """Say why the connection ends."""
        self.close()
        self._say(f"The connection ends: {message[:MAX_ERROR]}")

    # The seat

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Enter a game at this seat."""
        self._seat, self._ruleset = seat, table.ruleset
        self.state = TRANSITIONS[self.state][ConnectionStep.SAT]

    def stand(self) -> None:
        """Leave the seat after a game, and wait for the next one."""
        self._seat = self._position = self._open = None
        self._automatic.clear()
        self._say("The next game begins when a table is full. Type bye to leave.")
        self.state = TRANSITIONS[self.state][ConnectionStep.STOOD]

    def watch(self) -> None:
        """Start to watch a room."""
        self.state = TRANSITIONS[self.state][ConnectionStep.WATCHED]

    def close(self) -> None:
        """Ignore all further lines; the connection is about to be closed."""
        self._open = None
        self.state = TRANSITIONS[self.state][ConnectionStep.CLOSED]

    def _say(self, sentence: str) -> None:
        self._out.append(sentence)


_COMMANDS: Mapping[Command, Callable[[HumanSession, Sequence[str], float], None]] = {
    Command.HELP: HumanSession._help,
    Command.BOARD: HumanSession._board,
    Command.HAND: HumanSession._hand,
    Command.SCORE: HumanSession._score,
    Command.WAITS: HumanSession._waits,
    Command.RULES: HumanSession._rules,
    Command.ROOMS: HumanSession._list_rooms,
    Command.AUTO: HumanSession._auto,
    Command.COLOUR: HumanSession._colour,
    Command.LANGUAGE: HumanSession._language,
}
"""The method for each command; ``bye`` is not among them, because it ends the session."""


def _left(asked: Open, now: float) -> tuple[float, float]:
    """Return the time left, all of it as time for this move."""
    return max(0.0, asked.until - now), 0.0


def _time(move: float, bank: float) -> str:
    """Return the time left in words."""
    return f"{move:.0f}+{bank:.0f} seconds" if bank else f"{move:.0f} seconds left"
