"""A person's conversation with a server in UMP 0.1: lines in, lines out, and between them what the screen shows.

It has no input or output of its own. A question stays open until the person has answered it, so lines of the server
are read meanwhile.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from ump.bots.conversations import ClientFacts, ServerRefusal
from ump.model import events as ev
from ump.model.actions import Action
from ump.model.constants import YAKUMAN
from ump.model.events import Event, GameEnded, GameStarted, HandWon, KyokuDrawn, KyokuStarted, TileDrawn
from ump.model.hand import Hand
from ump.model.melds import MeldType
from ump.model.phases import Phase
from ump.model.seats import Seat, wind_of
from ump.model.tiles import Face, dora_of
from ump.model.value import value
from ump.model.yaku import HandValue
from ump.players.claimable import legal_actions
from ump.players.hints import AdvisedAnswer
from ump.rules.placement import placement
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.rules.score import base_points
from ump.terminal.canvas import Look
from ump.terminal.table_text import Result
from ump.text.layout import printable
from ump.text.narration import worth_of
from ump.text.position import Position
from ump.text.win import size
from ump.text.wording import name_word, points_word
from ump.wire.session import Member, MemberState, Order, TableWish
from ump.wire.ump import reader as told
from ump.wire.ump import sentences01
from ump.wire.ump.answers import write_action
from ump.wire.ump.extras import ADVISE, Hints, Time
from ump.wire.ump.reader import ClientEvent, UmpReader
from ump.wire.ump.sentences01 import Bye, ClientHello

LOG_LINES = 60
"""The number of lines of the log that are kept."""


@value
class ScreenQuestion:
    """An open question with its legal answers."""

    id: int
    phase: Phase
    tile: Face | None
    """On a turn the drawn tile (None after a call); otherwise the tile in question, or None."""
    hand: Hand
    """The own hand."""
    actions: tuple[Action, ...]
    time: Time | None
    """The time for the answer; None: the server names none."""

    def legal(self) -> tuple[Action, ...]:
        """Return every legal action."""
        return self.actions

    def check(self, action: Action) -> None:
        """Raise ValueError unless the action is legal."""
        if action not in self.actions:
            raise ValueError(f"{action!r} is not legal")


class TableConversation:
    """One player's or spectator's view of a server, over one connection after the other."""

    def __init__(
        self,
        introduction: ClientFacts,
        watched: str | None = None,
        look: Look | None = None,
        *,
        guest: str | None = None,
        table: TableWish | None = None,
    ) -> None:
        """Play as ``introduction`` says, or at a table among friends, or watch the room ``watched``.

        The log has the words and tiles of ``look``. By the secret ``guest`` the server knows this person again.
        """
        self._guest = guest
        self._tab = secrets.token_hex(4)
        self._game: str | None = None
        """The game in which this guest has a seat."""
        self.table = table
        """The table among friends at which the person plays; with its code as soon as the server has told it."""
        self.card: Mapping[str, str] = {}
        """The facts about that table, as the server tells them."""
        self.members: tuple[Member | None, ...] = ()
        """The players that have come there."""
        self.name = introduction.name
        """The name that the server gives, which differs if another player has the own one."""
        self._look = look or Look()
        self.position: Position | None = None
        """The table; None before the first game."""
        self.question: ScreenQuestion | None = None
        """The question that the player has to answer; None if there is none."""
        self.ready: told.ReadyAsked | None = None
        """The question whether the next kyoku may begin, while a result is shown."""
        self.results: list[Result] = []
        """The results of the last kyoku, and the end of the game, until ``go_on``."""
        self.log: deque[str] = deque(maxlen=LOG_LINES)
        """The events so far, one line each."""
        self.hints: Hints | told.HintReceived | None = None
        """The last hint of the server about the own hand."""
        self.advice: tuple[AdvisedAnswer, ...] = ()
        """The server's advice about the open question; empty until it has been asked for."""
        self.gives_hints = False
        """Whether the server has given a hint in this game."""
        self.waiting: sentences01.Waiting | None = None
        """The number of players that sit in the room; None during a game."""
        self.notice = ""
        """The server's last statement about an answer: refused, or too late."""
        self.is_greeted = False
        """Whether the server has shown that it speaks UMP."""
        self.is_over = False
        """Whether the last game is over, so that nothing follows."""
        self.kyoku = 0
        """The number of kyoku that have begun, so that a screen notices a new one."""
        self._introduction = introduction
        self._watched = watched
        self._seat: Seat | None = None
        self._answered: ScreenQuestion | None = None
        self._is_game_over = False
        self._rules: Ruleset | None = None
        self._reader = UmpReader()

    def begin(self) -> None:
        """Start over with a new connection. The position stays until the server has repeated the game."""
        self._reader = UmpReader()
        self.question = self.ready = self._answered = None
        self.is_greeted = False

    def receive(self, line: str) -> list[str]:
        """Take one line, and return the lines to send at once.

        Raises WireError for an unreadable line, ValueError for one that contradicts earlier ones, and ServerRefusal
        for an error of the server.
        """
        return [answer for event in self._reader.read(line) for answer in self._take(event)]

    def answer(self, action: Action) -> str:
        """Return the line that answers the open question; raises ValueError if there is none, or it is illegal."""
        question = self.question
        if question is None:
            raise ValueError("no question is open")
        question.check(action)
        self.question, self._answered = None, question
        self.notice = ""
        return f"{question.id} {write_action(action)}"

    def ask_advice(self) -> list[str]:
        """Return the line that asks for advice about the open question, if the room gives any."""
        may_ask = self.question is not None and isinstance(self.hints, Hints) and self.hints.has_advice
        return [f"{self.question.id} {ADVISE}"] if may_ask and self.question is not None else []

    def go_on(self) -> list[str]:
        """Put the result away, and return the line that lets the next kyoku begin, if the server has asked."""
        self.results = []
        ready, self.ready = self.ready, None
        return [] if ready is None else [f"{ready.id} ok"]

    @property
    def has_seat(self) -> bool:
        """Whether a lost connection leaves a seat to come back to."""
        return self._introduction.seat_token is not None or self._game is not None

    def forget_seat(self) -> None:
        """Begin anew with the next connection: the server does not know the seat any more."""
        self._introduction = replace(self._introduction, seat_token=None)
        self._game = None

    @property
    def gathering(self) -> tuple[Member | None, ...]:
        """The players at the table among friends while no game is on it; empty otherwise."""
        is_playing = self.position is not None and not self._is_game_over
        return () if is_playing else self.members

    @property
    def is_host(self) -> bool:
        """Whether the person may begin games at the table among friends."""
        own = (each for each in self.members if each is not None and each.name == self.name)
        return any(each.state is MemberState.HOST for each in own)

    def order(self) -> list[str]:
        """Return the line with which the person lets the next game at the table among friends begin, or is ready."""
        self.results = []
        order = Order.AGAIN if self._is_game_over else Order.START if self.is_host else Order.READY
        return [f"0 _{order.value}"]

    def _take(self, event: ClientEvent) -> list[str]:
        match event:
            case told.HelloReceived():
                self.is_greeted = True
                self._rules = PRESETS.get(dict(event.options).get("_rule", ""))
                return [f"{event.id} {ClientHello(self._options()).serialise()}"]
            case told.QuestionAsked():
                self._ask(event)
            case told.ReadyAsked():
                self.ready = event
                return [] if self.results else self.go_on()
            case told.ByeReceived():
                self.is_over = True
                return [f"{event.id} {Bye.NAME}"]
            case sentences01.Error():
                raise ServerRefusal(event.message)
            case _:
                self._note(event)
        return []

    def _note(self, event: ClientEvent) -> None:
        """Note what needs no answer."""
        match event:
            case sentences01.Illegal():
                self.question, self._answered = self._answered, None
                self.notice = self._look.words.refusal(event.reason)
            case sentences01.Late():
                self.question = self._answered = None
                self.notice = self._look.words.late
            case sentences01.SeatToken():
                self._introduction = replace(self._introduction, seat_token=event.token)
            case sentences01.Notice(text):
                self.notice = self._look.words.server_says.format(text=printable(text))
                self.log.append(self.notice)
            case sentences01.Waiting():
                self.waiting = event
            case sentences01.You(name, game):
                self.name, self._game = name, game
            case sentences01.FriendsTable(options):
                self.card = dict(options)
                self.table = TableWish(self.card.get("invitation"))
            case sentences01.Members(members):
                self.members = members
            case sentences01.Away(seat):
                self._remark(self._look.words.is_away, seat)
            case sentences01.Back(seat):
                self._remark(self._look.words.is_back, seat)
            case sentences01.Phrase(seat, phrase) if 0 < phrase <= len(self._look.words.phrases):
                self._remark(self._look.words.says, seat, self._look.words.phrases[phrase - 1])
            case sentences01.BotsSoon(seconds):
                self.notice = self._look.words.begins.format(seconds=seconds)
            case sentences01.Advice(number, answers) if self.question is not None and self.question.id == number:
                self.advice = answers
            case told.HintReceived():
                self.hints, self.gives_hints = event, True
            case told.SeatAssigned():
                self._seat = event.seat
            case _:
                if isinstance(event, Event):
                    self._see(event)

    def _remark(self, text: str, seat: Seat, said: str = "") -> None:
        """Note something about a player, with its name."""
        names = () if self.position is None else self.position.names
        if seat < len(names):
            self.notice = text.format(name=printable(names[seat]), said=said)
            self.log.append(self.notice)

    def _ask(self, asked: told.QuestionAsked) -> None:
        seen = self._table().seen
        actions = legal_actions(seen, asked.phase, asked.tile, asked.offers)
        if not actions:
            raise ValueError("a question without a legal answer")
        self.question = ScreenQuestion(asked.id, asked.phase, asked.tile, seen.hand, actions, asked.time)
        self._answered, self.advice = None, ()
        if asked.hints is not None:
            self.hints, self.gives_hints = asked.hints, True

    def _table(self) -> Position:
        if self.position is None:
            raise ValueError("the server speaks of a game before its start")
        return self.position

    def _see(self, event: Event) -> None:
        if isinstance(event, GameStarted):
            self._begin_game(event)
        position = self._table()
        if isinstance(event, GameEnded) and not event.places:
            places, results = placement(position.seen.ruleset, event.points)
            results = () if position.seen.ruleset.chips else results  # the server does not say who has how many
            event = replace(event, places=places, results=results)
        if isinstance(event, HandWon) and not event.value.base:
            event = replace(event, value=_with_base(event.value, position.seen.ruleset))
        line = log_line(event, position, self._look)
        if isinstance(event, KyokuStarted):
            self._begin_kyoku()
        if isinstance(event, (HandWon, KyokuDrawn, GameEnded)):
            self.results.append(event)
        if isinstance(event, GameEnded):
            self._is_game_over = True
            self.forget_seat()
        if isinstance(event, TileDrawn) and event.seat == position.seen.seat:
            self.notice = ""
        self.question = None
        if line:
            self.log.append(line)
        position.see(event)

    def _begin_game(self, event: GameStarted) -> None:
        seats = len(event.names)
        presets = (self._rules, *PRESETS.values())
        rules = next((rules for rules in presets if rules is not None and rules.seats == seats), None)
        if rules is None:
            raise ValueError(f"a game of {seats} players")
        self.position = Position(self._seat, event.names, rules)
        self.waiting = None
        self._is_game_over = False
        self.results = []

    def _begin_kyoku(self) -> None:
        self.kyoku += 1
        self.hints = None
        self.results = []

    def _options(self) -> tuple[tuple[str, str], ...]:
        """Return the options of the own hello."""
        said = self._introduction
        common = [("ump", "0.1"), ("_explain", "1"), ("_results", "1"), ("_person", "1")]
        if self._watched is not None:
            return (*common, ("_watch", self._watched))
        extensions = [(name, "1") for name in ("_offer", "_hand", "_time", "_waits")]
        if said.seat_token is not None:
            return (*common, *extensions, ("_resume", said.seat_token))
        given = (("name", said.name), ("_room", said.room), ("_games", str(said.games)), *self._guest_options())
        return (*common, *((key, text) for key, text in given if text is not None), *extensions, ("_resume", "1"))

    def _guest_options(self) -> tuple[tuple[str, str | None], ...]:
        """Return who the person is, which seat it wants, and at which table among friends it plays."""
        seat = None if self._game is None else f"free:{self._game}"
        known = () if self._guest is None else (("_guest", self._guest), ("_tab", self._tab), ("_seat", seat))
        wish = self.table
        if wish is None:
            return known
        return (*known, ("_table", wish.code or "new"), ("_rule", wish.rules), ("_length", wish.length))


def _with_base(worth: HandValue, ruleset: Ruleset) -> HandValue:
    """Return the value of a win with its base points, for servers that do not say them."""
    base = YAKUMAN * worth.yakuman if worth.yakuman else base_points(ruleset, worth.han, worth.fu)
    return replace(worth, base=base)


# The log of a game: each event in one line, with the words and tiles of the screen


_KEYS = {MeldType.CHI: "c", MeldType.PON: "p"}
"""The keys of calls, whose words are those of the log; all others are kans."""


def log_line(event: ev.Event, position: Position, look: Look) -> str:
    """Return the line of an event; empty if it needs none. Call it before ``position.see(event)``."""
    words = look.words
    match event:
        case ev.KyokuStarted():
            sticks = f"{words.honba.format(count=event.honba)}  {words.sticks.format(count=event.kyotaku)}"
            return f"{words.round_name(event.bakaze, event.dealer)}  {sticks}"
        case ev.DoraRevealed():
            return f"{words.dora} {look.tile_text(dora_of(position.seen.ruleset.seats)[event.indicator])}"
        case ev.HandWon():
            return _win_line(event, position, look)
        case ev.KyokuDrawn():
            return words.draws[event.reason.name]
        case ev.GameEnded():
            return words.game_over
        case _:
            return _move_line(event, position, look)


def _move_line(event: ev.Event, position: Position, look: Look) -> str:
    calls = look.words.calls
    match event:
        case ev.TileDiscarded():
            done = look.tile_text(event.face)
        case ev.RiichiDeclared():
            done = calls["l"]
        case ev.TileCalled() | ev.KanDeclared():
            done = f"{calls[_KEYS.get(event.meld.type, 'k')]} {look.tiles_text(event.meld.faces)}"
        case ev.KitaDeclared():
            done = calls["f"]
        case ev.RonDeclared():
            done = calls["r"]
        case ev.TenpaiDeclared():
            done = look.words.noten if event.faces is None else look.words.tenpai
        case _:
            return ""
    return f"{_who(event.seat, position, look)}: {done}"


def _win_line(won: ev.HandWon, position: Position, look: Look) -> str:
    words = look.words
    way = words.win_tsumo if won.loser is None else words.win_ron
    loser = "" if won.loser is None else _who(won.loser, position, look)
    points = worth_of(won, position.seen.dealer).points
    parts = (size(won.value, words.language), words.points.format(points=points_word(points)))
    return f"{way.format(who=_who(won.seat, position, look), loser=loser)}  {'  '.join(parts)}"


def _who(seat: Seat, position: Position, look: Look) -> str:
    """Return the wind and the name of a player."""
    seen = position.seen
    wind = look.words.winds[wind_of(seat, seen.dealer, seen.ruleset.seats)]
    return f"{wind} {look.words.you if seat == seen.seat else name_word(seat, position)}"
