"""The server's side of a person's connection: a game in plain words, without input or output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from ump.model.actions import Action, Discard, Pass, Ron, Tsumo
from ump.model.claims import Claim, Reason, Verb
from ump.model.events import GameStarted, KyokuStarted
from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat
from ump.model.value import value
from ump.players.hints import HintScope, advice
from ump.rules.ruleset import Length
from ump.text.board import board_lines, hand_lines, score_lines, waits_lines
from ump.text.layout import TextStyle, wrapped
from ump.text.narration import narrate
from ump.text.position import Position
from ump.text.rules import brief_lines
from ump.wire.connection_state import CLOSING, HELLO, LOBBY, ConnectionState, ConnectionStep
from ump.wire.dialect import RoomInfo
from ump.wire.human.answers import (
    SENTENCES,
    Explained,
    advice_lines,
    choice_table,
    choices,
    listed,
    read_answer,
    table_lines,
    typed_line,
)
from ump.wire.human.first_prompt import BACK, LENGTHS, FirstPrompt, PromptAnswer, TypedIntroduction, rooms_lines
from ump.wire.session import (
    LATE_SECONDS,
    PHRASES,
    REPORT_REASONS,
    Answered,
    Farewell,
    Interruption,
    Introduced,
    Introduction,
    Member,
    Order,
    Ordered,
    OutgoingEvent,
    PersonSession,
    QuestionView,
    Received,
    Stale,
    Staleness,
    TableCard,
    TableInfo,
)
from ump.wire.text import MAX_ERROR, MAX_LINE

# Answers that a person leaves to the server


AUTOMATIC = {
    "win": "declare every win that is possible",
    "pass": "call nothing; you are still asked for ron",
    "discard": "discard what you draw, unless a win is possible",
}
"""The answers that can be left to the server, with their meaning."""


class Automatic:
    """The answers that a person has left to the server, until the kyoku ends."""

    def __init__(self) -> None:
        self._on: set[str] = set()

    def clear(self) -> None:
        """Turn everything off."""
        self._on.clear()

    def set(self, kind: str, *, on: bool) -> None:
        """Turn one of ``AUTOMATIC`` on or off."""
        if on:
            self._on.add(kind)
        else:
            self._on.discard(kind)

    def lines(self) -> list[str]:
        """Return the state of each, with its meaning."""
        lines = []
        for kind, meaning in AUTOMATIC.items():
            switch = "off"
            if kind in self._on:
                switch = "on"
            lines.append(f"  auto {kind:<8}{switch:<3}  {meaning}")
        return lines

    def answer(self, question: QuestionView) -> Action | None:
        """Return the answer to a question, or None if the person has to decide."""
        if not self._on:
            return None
        legal = question.legal()
        for action in legal:
            if isinstance(action, (Ron, Tsumo)):
                return action if "win" in self._on else None
        if question.phase in (Phase.CALL, Phase.CHANKAN) and "pass" in self._on:
            return Pass()
        if question.phase is Phase.TURN and question.tile is not None and "discard" in self._on:
            drawn = Discard(question.tile, tsumogiri=True)
            if drawn in legal:
                return drawn
        return None


# The open question, and the time left for it


@value
class TimeLeft:
    """The time left for an answer, in seconds. The bank is used up last, and what is left of it stays."""

    move: float
    bank: float

    @property
    def total(self) -> float:
        """All seconds."""
        return self.move + self.bank

    def after(self, seconds: float) -> TimeLeft:
        """Return what is left some seconds later."""
        left = max(0.0, self.total - seconds)
        bank = min(self.bank, left)
        return TimeLeft(left - bank, bank)

    def short(self) -> str:
        """Return the time for the end of a question: ``60+600 seconds``, or ``60 seconds`` without a bank."""
        if not self.bank:
            return f"{self.move:.0f} seconds"
        return f"{self.move:.0f}+{self.bank:.0f} seconds"

    def long(self) -> str:
        """Return the same as a sentence."""
        if not self.bank:
            return f"You have {self.move:.0f} seconds for this answer."
        return f"You have {self.move:.0f} seconds for this answer, and {self.bank:.0f} more for the whole kyoku."


@value
class TimedQuestion:
    """The open question, and the time for it."""

    number: int
    """The table's number of it."""
    question: QuestionView | None
    """None: whether the person is ready."""
    since: float
    """When it was asked, in clock seconds."""
    time: TimeLeft
    """The time that the person had then."""
    automatic: Action | None = None
    """The answer that the person has left to the server."""
    is_last: bool = False
    """Whether the end of the game follows."""

    @property
    def to_go_on(self) -> str:
        """Why the person presses Enter if the question is whether it is ready."""
        return "to see the final result" if self.is_last else "to go on"

    @property
    def until(self) -> float:
        """When the time is up, in clock seconds."""
        return self.since + self.time.total

    def left(self, now: float) -> TimeLeft:
        """Return the time left."""
        return self.time.after(now - self.since)


# Commands that a person can type at any time


@value
class PersonCommand:
    """A command."""

    typed: str
    """Its form in the help; it has arguments if there is more than its name."""
    does: str
    """Its effect in the help."""
    run: Callable[[HumanSession, Sequence[str], float], Received | None]
    """Takes the arguments in lower case, and the instant.

    Returns None if everything is said in words; then the open question is said again, where the person looks.
    """
    words: tuple[str, ...] = ()
    """Other words for it."""

    @property
    def name(self) -> str:
        """The word that the help names."""
        return self.typed.partition(" ")[0]

    @property
    def has_arguments(self) -> bool:
        """Whether it can have arguments."""
        return self.typed != self.name


NOTATION = (
    "Tiles:",
    "  1m to 9m characters, 1p to 9p circles, 1s to 9s bamboo",
    "  0m 0p 0s, or 5M 5P 5S: the red fives",
    "  1z east, 2z south, 3z west, 4z north, 5z white, 6z green, 7z red",
    "Calls, and what else has a letter:",
    "  c chi, p pon, k kan, r riichi, t tsumo, ron; c 46m says with which tiles",
    "  q nine terminals, kita, x pass; d 4z, or 4z alone, discards it",
)
"""The names of tiles and the letters of answers."""

_ORDERS = {order.value: order for order in Order}


def read_order(text: str) -> Ordered | None:
    """Return the order of a line at a table among friends: ``start``, ``kick Bob``; None if the line is none."""
    word, _, rest = text.strip().partition(" ")
    name = rest.strip()
    order = _ORDERS.get(word.lower())
    match order:
        case Order.KICK if name:
            return Ordered(order, name=name)
        case Order.READY | Order.START | Order.AGAIN | Order.CANCEL if not name:
            return Ordered(order)
        case _:
            return None


# The session


READY_SECONDS = 15.0
"""Seconds after which the game goes on by itself between two kyoku."""

GO_ON = frozenset(("", "go", "go on", "next", "continue", "ok", "yes", "y"))
"""The lines with which it goes on at once."""

LAST_MOVES = 4
"""The number of last moves that a person reads when it joins a running game."""


_LABELS = {
    Phase.TURN: "Your turn: ",
    Phase.CALL: "Your call: ",
    Phase.CHANKAN: "Your call: ",
    Phase.DECLARE: "Exhaustive draw: ",
}
"""The words before the choices of each kind of question."""


BELL = "\a"
"""The character with which a terminal rings."""

BELL_SECONDS = 10.0
"""Seconds without a key after which a question rings."""


class Bell:
    """Calls a person back who has done nothing for a while: once, until the person does something."""

    def __init__(self, now: float = inf, *, is_on: bool = True) -> None:
        """``now`` is when the person has done something."""
        self.is_on = is_on
        self._quiet_until = now + BELL_SECONDS

    def put_off(self, now: float) -> None:
        """Note that the person is here."""
        self._quiet_until = now + BELL_SECONDS

    def rings(self, now: float) -> bool:
        """Return whether a question rings that is asked now."""
        if not self.is_on or now < self._quiet_until:
            return False
        self._quiet_until = inf
        return True


class HumanSession(PersonSession):
    """One person."""

    __slots__ = (
        "_advised",
        "_automatic",
        "_bell",
        "_card",
        "_hints",
        "_is_board_shown",
        "_is_in_room",
        "_is_muted",
        "_is_returning",
        "_knows_colours",
        "_late_until",
        "_missed",
        "_open",
        "_position",
        "_prompt",
        "_room",
        "_ruleset",
        "_seat",
        "_style",
        "_token",
    )
    DIALECT = "plain words"
    KEEPS_TIME = True
    MAX_MESSAGE = MAX_LINE

    def __init__(self, rooms: Sequence[RoomInfo] = ()) -> None:
        """Start before the hello; ``rooms`` are those of the server, the first one is for people who name none."""
        super().__init__()
        self._prompt = FirstPrompt(rooms)
        self._style = TextStyle()
        self._room = self._prompt.room
        self._ruleset = self._prompt.ruleset(None)
        """The rules of the person's room."""
        self._seat: Seat | None = None
        self._position: Position | None = None
        self._open: TimedQuestion | None = None
        self._late_until = -inf
        self._automatic = Automatic()
        self._bell = Bell()
        self._hints = HintScope.FACTS
        """The help that the table gives."""
        self._advised: tuple[int, list[str]] | None = None
        """The last advice, with the number of its question."""
        self._card: TableCard | None = None
        """The table among friends at which the person is."""
        self._token: str | None = None
        """The token of the seat; None if the person came back with it."""
        self._is_in_room = True
        """Whether the person has asked for a room, and not for a table among friends."""
        self._is_returning = False
        """Whether the person has asked for a seat that it had before."""
        self._is_muted = False
        """Whether the person wants to hear no phrases."""
        self._missed: list[list[str]] | None = None
        """The moves before the person joined a game, in words, until they are sent; None after that."""
        self._is_board_shown = False
        """Whether the last board is still true."""
        self._knows_colours = False
        """Whether the person has heard that there are colours."""

    @property
    def wants_token(self) -> bool:
        """People can come back to their seats."""
        return True

    # Messages from the person

    def receive(self, line: bytes, now: float) -> Received:
        """Take one line, without its end. Every line is answered, and only a legal answer reaches the table."""
        if self.state is CLOSING:
            return Stale(Staleness.CLOSING)
        self._bell.put_off(now)
        if self._prompt.user is not None:
            return self._act_on(self._prompt.read_password(line))
        text = typed_line(line)
        typed = read_command(text)
        if typed is not None:
            command, arguments = typed
            received = command.run(self, arguments, now)
            if received is None:
                self._ask_again(now)
                received = Stale(Staleness.EXPLAINED)
            return received
        if self.state is HELLO:
            return self._act_on(self._prompt.read(text))
        if self._card is not None:
            order = read_order(text)
            if order is not None:
                self._take_note(order, now)
                return order
        return self._receive_answer(text, now)

    def exceeded(self) -> Received:
        """Answer a line that was too long, such as a text that was pasted by mistake."""
        self._say("That line is too long. Nothing was played; type help to see what can be typed.")
        return Stale(Staleness.EXPLAINED)

    def receive_first(self, line: bytes, now: float) -> Received:
        """Take the first line of a client that has just turned out to be a person: welcome it, or let it in."""
        self._bell.put_off(now)
        text = typed_line(line)
        typed = read_command(text)
        if typed is None:
            answer = self._prompt.read_first(text)
        elif typed[0].name == "bye":
            return Farewell()
        else:
            answer = self._prompt.read_first("")
        if not isinstance(answer, TypedIntroduction):
            self.greet()
        if typed is not None and typed[0].name in ("color", "lang"):
            command, arguments = typed
            command.run(self, arguments, now)
        return self._act_on(answer)

    def _act_on(self, answer: PromptAnswer) -> Received:
        """Go to a room or back to a seat, or say what is wrong."""
        if not isinstance(answer, TypedIntroduction):
            if answer.why:
                self._say(answer.why)
            return Stale(Staleness.EXPLAINED)
        introduction, options = answer.introduction, dict(answer.options)
        language = self._style.language
        if options.get("_lang") in ("ja", "zh"):
            language = options["_lang"]
        is_coloured = self._style.is_coloured or options.get("_color") == "1"
        self._style = TextStyle(language, is_coloured)
        self._is_in_room = introduction.table is None
        self._card = None
        self._token = introduction.token
        self._is_returning = introduction.token is not None
        self._step(ConnectionStep.INTRODUCED)
        if not self._is_returning:
            self._room = self._prompt.room_of(introduction)
            self._ruleset = self._prompt.ruleset(self._room)
        return Introduced(introduction)

    def admit(self, name: str | None) -> None:
        """Say in which room the person sits down."""
        where = "at the table"
        if self._is_in_room:
            where = f"in {self._room}"
        if name:
            where += f" as {name}"
        self._say(f"You sit down {where}. Type help at any time.")

    def _receive_answer(self, text: str, now: float) -> Received:
        """Take a line that may answer the question."""
        asked = self._open
        if now < self._late_until:
            self._say("That came too late for the last question. It was not played.")
            if asked is not None and asked.question is not None:
                self._out += self._choice_lines(asked.question, asked.left(now))
            return Stale(Staleness.LATE)
        if asked is None:
            self._say(self._why_nothing_is_asked(text))
            return Stale(Staleness.EXPLAINED)
        if asked.question is None and text.lower() in GO_ON:
            return self._go_on(asked.number)
        if asked.question is None:
            self._say(f"Press Enter {asked.to_go_on}. Type help to see what else can be typed.")
            return Stale(Staleness.EXPLAINED)
        answer = read_answer(text, asked.question)
        if isinstance(answer, Explained):
            self._say(answer.why)
            self._out += self._choice_lines(asked.question, asked.left(now))
            return Stale(Staleness.EXPLAINED)
        self._open = None
        return Answered(asked.number, answer)

    def _take_note(self, order: Ordered, now: float) -> None:
        """Say what becomes of an order during a game."""
        if self._seat is None:
            return
        if order.order is Order.AGAIN:
            self._say("You play the next game, too.")
        elif order.order is not Order.KICK:
            self._say("That is possible after the game.")
        self._ask_again(now)

    def _go_on(self, number: int) -> Answered:
        self._open = None
        return Answered(number, Claim(Verb.YES))

    def _why_nothing_is_asked(self, text: str) -> str:
        if self.state is ConnectionState.WATCHING:
            return "You are watching. Type board, score, rules, help or bye."
        if self.state is LOBBY and self._card is not None:
            return f"The game has not begun yet. {self._orders()}"
        if self.state is LOBBY:
            return "The game has not begun yet. Type rules, help or bye, or wait."
        if text:
            return "It is not your turn; nothing was played."
        return "It is not your turn yet."

    # Commands

    def _help(self, arguments: Sequence[str], now: float) -> Received | None:
        if self.state is HELLO:
            self._out += self._prompt.help()
            return Stale(Staleness.EXPLAINED)
        self._out += ["At any time:"]
        refused = {HintScope.NONE: ("waits", "advice"), HintScope.FACTS: ("advice",)}.get(self._hints, ())
        self._out += table_lines([(each.typed, each.does) for each in COMMANDS if each.name not in refused])
        self._out += NOTATION
        asked = self._open
        if asked is None or asked.question is None:
            return None
        self._out += ["You can type now:"]
        self._out += choice_table(choices(asked.question))
        self._out += [asked.left(now).long()]
        return Stale(Staleness.EXPLAINED)

    def _bye(self, arguments: Sequence[str], now: float) -> Received:
        return Farewell()

    def _ask_again(self, now: float) -> None:
        """Say the open question again."""
        asked = self._open
        if asked is None or asked.automatic is not None:
            return
        if asked.question is None:
            self._say(f"Press Enter {asked.to_go_on}.")
        else:
            self._out += self._choice_lines(asked.question, asked.left(now))

    def _show(self, lines: Callable[[Position, TextStyle], list[str]]) -> None:
        """Show something of the table, if there is one."""
        if self._position is None or not self._position.seen.points:
            self._say("There is no game now.")
        else:
            self._out += lines(self._position, self._style) or ["There is nothing to show."]

    def _board(self, arguments: Sequence[str], now: float) -> None:
        self._show(board_lines)

    def _hand(self, arguments: Sequence[str], now: float) -> None:
        self._show(hand_lines)

    def _score(self, arguments: Sequence[str], now: float) -> None:
        self._show(score_lines)

    def _waits(self, arguments: Sequence[str], now: float) -> None:
        if self._hints is HintScope.NONE:
            self._say("This room gives no hints: it does not tell what a hand waits for.")
        else:
            self._show(waits_lines)

    def _advice(self, arguments: Sequence[str], now: float) -> None:
        asked = self._open
        if self._hints is not HintScope.ADVICE:
            self._say("This room gives no advice.")
        elif asked is None or asked.question is None or asked.question.phase is Phase.DECLARE or self._position is None:
            self._say("There is nothing to decide now.")
        else:
            if self._advised is None or self._advised[0] != asked.number:
                question, legal = asked.question, asked.question.legal()
                answers = advice(self._position.seen, question.phase, question.tile, legal)
                self._advised = asked.number, advice_lines(answers, legal)
            self._out += self._advised[1]

    def _rules(self, arguments: Sequence[str], now: float) -> None:
        if self._ruleset is None:
            self._say("No room is known.")
        else:
            self._out += brief_lines(self._ruleset)

    def _list_rooms(self, arguments: Sequence[str], now: float) -> None:
        self._out += rooms_lines(self._prompt.rooms) or ["No room is known."]

    def _auto(self, arguments: Sequence[str], now: float) -> None:
        match arguments:
            case [kind, ("on" | "off") as switch] if kind in AUTOMATIC:
                self._automatic.set(kind, on=switch == "on")
            case [kind] if kind in AUTOMATIC:
                self._automatic.set(kind, on=True)
            case []:
                pass
            case _:
                self._say("Type for example: auto pass on")
        self._out += self._automatic.lines()
        if self._open is not None and self._open.question is not None:
            self._open_question(self._open.number, self._open.question, self._open.left(now), now)

    def _colour(self, arguments: Sequence[str], now: float) -> None:
        self._knows_colours = True
        match arguments:
            case ["on" | "off" as switch]:
                self._style = TextStyle(self._style.language, is_coloured=switch == "on")
                self._say(f"Colours are {switch}.")
            case _:
                self._say("Type color on, or color off.")

    def _ring(self, arguments: Sequence[str], now: float) -> None:
        match arguments:
            case ["on" | "off" as switch]:
                self._bell.is_on = switch == "on"
                self._say(f"The bell is {switch}.")
            case _:
                self._say("Type bell on, or bell off.")

    def _language(self, arguments: Sequence[str], now: float) -> None:
        match arguments:
            case ["en" | "ja" | "zh" as language]:
                self._style = TextStyle(language, self._style.is_coloured)
                self._say(f"The language of yaku is {language}.")
            case _:
                self._say("Type lang en, lang ja or lang zh.")

    def _say_phrase(self, arguments: Sequence[str], now: float) -> Received | None:
        match arguments:
            case ["on" | "off" as switch]:
                self._is_muted = switch == "off"
                self._say(f"Phrases of others are {switch}.")
            case [number] if number.isascii() and number.isdecimal() and len(number) < 3:
                return Ordered(Order.SAY, phrase=int(number))
            case _:
                self._out += [f"  say {number:<3}{phrase}" for number, phrase in enumerate(PHRASES, 1)]
        return None

    def _report(self, arguments: Sequence[str], now: float) -> Received | None:
        names = () if self._position is None else self._position.names
        letters = LETTERS[: len(names)]
        match arguments:
            case [seat, reason] if seat.upper() in tuple(letters) and reason in REPORT_REASONS:
                return Ordered(Order.REPORT, seat=LETTERS.index(seat.upper()), reason=REPORT_REASONS[reason])
            case _ if not names:
                self._say("There is no game now.")
            case _:
                self._say(f"Type report with a seat and a reason: {', '.join(REPORT_REASONS)}.")
                self._out += [f"  report {letter} ..   {name}" for letter, name in zip(letters, names, strict=True)]
        return None

    # Time

    def due(self) -> float | None:
        """Return when the open question is answered without the person."""
        asked = self._open
        if asked is None:
            return None
        if asked.question is None:
            return asked.until
        if asked.automatic is not None:
            return -inf
        return None

    def tick(self, now: float) -> Received | None:
        """Go on between two kyoku, or give the answer that the person has left to the server."""
        asked = self._open
        if asked is None:
            return None
        if asked.question is None and now >= asked.until:
            return self._go_on(asked.number)
        if asked.automatic is None:
            return None
        self._open = None
        return Answered(asked.number, asked.automatic, is_automatic=True)

    # Messages to the person

    def take(self) -> list[str]:
        """Return the lines to send now. Of the moves before the person joined a game, only the last are sent."""
        if self._missed:
            missed, self._missed = self._missed, None
            self._tell_missed(missed)
        return super().take()

    def greet(self) -> None:
        """Welcome the person."""
        self._out += self._prompt.welcome()

    def tell(self, event: OutgoingEvent, now: float) -> None:
        """Tell an event in words."""
        seen = event.seen_by(self._seat)
        if isinstance(seen, GameStarted):
            assert self._ruleset is not None
            self._position = Position(self._seat, seen.names, self._ruleset)
            if self._is_returning or self._seat is None:
                self._missed = []
            if self._is_returning and self._seat is not None:
                self._prompt.be_called(seen.names[self._seat])
        elif isinstance(seen, KyokuStarted):
            self._automatic.clear()
        position = self._position
        assert position is not None
        lines = narrate(seen, position, self._style)
        if self._missed is None:
            self._out += lines
        else:
            self._missed.append(lines)
        if isinstance(seen, GameStarted) and not self._is_returning:
            self._tell_token()
            self._offer_colours()
        position.see(seen)
        self._is_board_shown = False

    def _tell_missed(self, moves: list[list[str]]) -> None:
        """Tell the start of a game, or the last moves of a kyoku that has begun, and show its board."""
        self._is_returning = False
        start, *told = filter(None, moves)
        if self._position is None or not self._position.seen.points:
            self._out += start
            return
        if len(told) > LAST_MOVES:
            self._say("The last moves:")
        for lines in told[-LAST_MOVES:]:
            self._out += lines
        self._show_board()

    def _tell_token(self) -> None:
        """Tell the person how to come back to this seat."""
        if self._token is not None:
            self._out += ["If your connection breaks, connect again and type:", f"  {BACK} {self._token}"]

    def _offer_colours(self) -> None:
        """Say once that there are colours, to a person who has not said anything about them."""
        if not self._knows_colours and not self._style.is_coloured:
            self._knows_colours = True
            self._say("For coloured tiles, type: color on")

    def ask(
        self, number: int, question: QuestionView | None, move: float, bank: float, now: float, *, is_last: bool = False
    ) -> None:
        """Ask a question: the board, and what can be typed."""
        if question is None:
            seconds = min(READY_SECONDS, move + bank)
            self._open = TimedQuestion(number, None, now, TimeLeft(seconds, 0.0), is_last=is_last)
            self._say(f"Press Enter {self._open.to_go_on}, or wait {seconds:.0f} seconds.")
            return
        time = TimeLeft(move, bank)
        self._open_question(number, question, time, now)
        assert self._open is not None
        if self._open.automatic is None:
            if not self._is_board_shown:
                self._show_board()
            first, *more = self._choice_lines(question, time)
            self._out += [f"{BELL}{first}" if self._bell.rings(now) else first, *more]

    def _show_board(self) -> None:
        self._say("")
        self._show(board_lines)
        self._is_board_shown = True

    def _open_question(self, number: int, question: QuestionView, time: TimeLeft, now: float) -> None:
        """Open a question, and answer it at the next tick if the person has left that to the server."""
        automatic = self._automatic.answer(question)
        self._open = TimedQuestion(number, question, now, time, automatic)
        if isinstance(automatic, Pass):  # the other answers become events
            self._say("auto: pass")

    def _choice_lines(self, question: QuestionView, left: TimeLeft) -> list[str]:
        """Return what can be typed, and the time left."""
        return wrapped(_LABELS[question.phase], [*listed(choices(question)), "help", left.short()], " | ")

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
        self._say(f"Players here: {seated} of {needed}.")

    def show_card(self, card: TableCard) -> None:
        """Describe the table among friends, and what can be typed there."""
        self._card = card
        bots, watched = "No bots", "nobody may watch"
        if card.has_bots:
            bots = "Bots take free seats"
        if card.bots:
            bots = f"Bots ({card.bots}) take free seats"
        if card.has_spectators:
            watched = "it may be watched"
        self._say(f"Rules {card.rules}, {LENGTHS[Length(card.length)]}, {card.clock} seconds. {bots}; {watched}.")
        self._out += ["Friends come with:", f"  table {card.code}"]
        self._say(self._orders())

    def _orders(self) -> str:
        return "Type ready, after a game again, or bye. The host types start, kick NAME, or cancel."

    def list_members(self, members: Sequence[Member | None]) -> None:
        """Say who has come."""
        players = [f"{member.name} ({member.state.value})" for member in members if member is not None]
        free = len(members) - len(players)
        seats = f"{free or 'no'} seats are"
        if free == 1:
            seats = "1 seat is"
        self._say(f"Players: {', '.join(players)}; {seats} free.")

    def count_down(self, seconds: int) -> None:
        """Say when the game begins."""
        self._say(f"The game begins in {seconds} seconds.")

    def tell_presence(self, seat: Seat, name: str, *, is_here: bool) -> None:
        """Say that a player has gone, or is back."""
        if is_here:
            self._say(f"{name} is back.")
        else:
            self._say(f"{name} is away.")

    def tell_spectators(self, number: int) -> None:
        """Say how many watch."""
        self._say(f"Spectators: {number}.")

    def pass_on(self, seat: Seat, name: str, phrase: int) -> None:
        """Say what a player says."""
        if not self._is_muted:
            self._say(f"{name} says: {PHRASES[phrase - 1]}")

    def announce(self, text: str) -> bool:
        """Say what the operator says."""
        self._say(f"The server says: {text}")
        return True

    def bye(self) -> None:
        """Say goodbye."""
        self._say("Goodbye! To play again, connect again.")

    def interrupt(self, outlook: Interruption) -> None:
        """Say what becomes of the game, and how to come back to it."""
        self.error(outlook.value)
        if outlook is Interruption.RETURNS:
            self._out += ["When it has started, connect again and type:", f"  {BACK} {self._token}"]

    def error(self, message: str) -> None:
        """Say why the connection ends."""
        self.close()
        self._say(f"The connection ends: {message[:MAX_ERROR]}")

    # The seat

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Enter a game at this seat."""
        self._seat, self._ruleset, self._token = seat, table.ruleset, table.token or self._token
        self._hints = table.hints
        self._prompt.come_from(table.table)
        self._step(ConnectionStep.SAT)
        self._is_returning = self._is_returning or table.is_return
        if self._is_returning:
            self._say("Welcome back.")
        if table.duplicate is not None:
            place = f"Game {table.duplicate.number} of {table.duplicate.games}"
            self._say(f"{place} with the same walls; you have another seat in each. They end early if a player leaves.")

    def stand(self) -> None:
        """Leave the seat after a game, and wait for the next one."""
        self._leave_table()
        if self._is_in_room:
            self._say("The next game begins when a table is full. Type bye to leave.")
        else:
            self._say("Type again for another game, or bye to leave.")
        self._step(ConnectionStep.STOOD)

    def begin_again(self, why: str | None = None) -> bool:
        """Return to the first prompt: after the last game, or because a token was unknown."""
        self._leave_table()
        self._step(ConnectionStep.PROMPTED)
        self._prompt.is_after_game = why is None
        if self._prompt.user is not None:
            self._say(f"{self._prompt.user} is a user of this server. Password:")
        elif why is None:
            self._say("")
            self._say(self._prompt.another_game())
        else:
            self._prompt.forget_code()
            self._say(f"That is not possible: {why}. Type help, or Enter to play a new game.")
        return True

    def expect_password(self, introduction: Introduction) -> None:
        """Take the next line for a password; ``begin_again`` asks for it."""
        self._prompt.expect_password(introduction)

    def watch(self) -> None:
        """Start to watch a room."""
        self._say(f"You watch {self._room}. Type board, score, rules, help or bye.")
        self._step(ConnectionStep.WATCHED)

    def close(self) -> None:
        """Ignore all further lines; the connection is closing."""
        self._open = None
        self._step(ConnectionStep.CLOSED)

    def _leave_table(self) -> None:
        self._seat = self._position = self._open = None
        self._automatic.clear()

    def _say(self, sentence: str) -> None:
        self._out += wrapped("", sentence.split())


COMMANDS = (
    PersonCommand("help", "what can be typed now", HumanSession._help, ("?", "h")),
    PersonCommand("board", "the table", HumanSession._board, ("b",)),
    PersonCommand("hand", "your hand", HumanSession._hand),
    PersonCommand("score", "points and places", HumanSession._score, ("scores",)),
    PersonCommand("waits", "what your hand waits for, or the best discards", HumanSession._waits, ("wait",)),
    PersonCommand("advice", "what the bot expert would do, and why", HumanSession._advice, ("advise",)),
    PersonCommand("rules", "the rules of this room", HumanSession._rules, ("rule",)),
    PersonCommand("rooms", "the rooms of this server", HumanSession._list_rooms, ("room",)),
    PersonCommand("auto win|pass|discard on|off", "let the server answer, until the kyoku ends", HumanSession._auto),
    PersonCommand("color on|off", "coloured tiles", HumanSession._colour, ("colour", "colors", "colours")),
    PersonCommand("bell on|off", "a bell, if you seem to be away at your turn", HumanSession._ring),
    PersonCommand("lang en|ja|zh", "the language of yaku", HumanSession._language),
    PersonCommand("say 1..12|off|on", "say a phrase, or hear none", HumanSession._say_phrase, ("phrases",)),
    PersonCommand("report A..D REASON", "report a player to the moderators", HumanSession._report),
    PersonCommand("bye", "leave", HumanSession._bye, ("quit", "exit", "logout")),
)
"""Every command, in the order of the help."""


def _by_word(commands: Sequence[PersonCommand]) -> dict[str, PersonCommand]:
    """Return each command by every word for it."""
    named: dict[str, PersonCommand] = {}
    for command in commands:
        named[command.name] = command
        named.update(dict.fromkeys(command.words, command))
    return named


_NAMED = _by_word(COMMANDS)


def read_command(text: str) -> tuple[PersonCommand, list[str]] | None:
    """Return the command of a line with its arguments; None if the line is no command."""
    words = text.lower().split()
    if not words:
        return None
    command = _NAMED.get(words[0])
    if command is None or (len(words) > 1 and not command.has_arguments):
        return None
    return command, words[1:]
