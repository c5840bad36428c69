"""A person's conversation with a server in UMP 0.1: lines in, lines out, and between them what the screen shows.

It has no input or output of its own. A question stays open until the person has answered it, so lines of the server
are read meanwhile.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from ump.bots.conversations import ClientFacts
from ump.bots.ump_client import ClientNews, OpenQuestion, UmpClient
from ump.model import events as ev
from ump.model.actions import Action
from ump.model.constants import YAKUMAN
from ump.model.events import Event, GameEnded, GameStarted, HandWon, KyokuDrawn, KyokuStarted, TileDrawn
from ump.model.melds import MeldType
from ump.model.seats import LETTERS, Seat, wind_of
from ump.model.tiles import dora_of
from ump.model.yaku import HandValue
from ump.players.hints import AdvisedAnswer
from ump.rules.placement import placement
from ump.rules.presets import rules_for
from ump.rules.ruleset import Ruleset
from ump.rules.score import base_points
from ump.terminal.canvas import Look
from ump.terminal.table_text import Result
from ump.text.layout import printable
from ump.text.narration import worth_of
from ump.text.position import Position
from ump.text.win import size
from ump.text.wording import name_word, points_word
from ump.wire.session import REPORT_REASONS, Member, MemberState, Order, ServerRefusal, TableWish
from ump.wire.ump import reader as told
from ump.wire.ump import sentences01
from ump.wire.ump.extras import ADVISE, Hints

NO_LOGIN = (
    "nothing was sent: this server has no users, or somebody on the way could read the password; "
    "tls://HOST:PORT encrypts it, at a port that has TLS"
)
"""The error for a user who cannot log in over this connection."""

LOG_LINES = 60
"""The number of lines of the log that are kept."""


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
        self._is_game_over = False
        self._client = UmpClient()

    def begin(self) -> None:
        """Start over with a new connection. The position stays until the server has repeated the game."""
        self._client = UmpClient()
        self.is_greeted = False

    @property
    def question(self) -> OpenQuestion | None:
        """The question that the player has to answer; None if there is none."""
        return self._client.question

    @property
    def ready(self) -> told.ReadyAsked | None:
        """The question whether the next kyoku may begin, while a result is shown."""
        return self._client.ready

    def receive(self, line: str) -> list[str]:
        """Take one line, and return the lines to send at once.

        Raises WireError for an unreadable line, ValueError for one that contradicts earlier ones, and ServerRefusal
        for an error of the server.
        """
        replies: list[str] = []
        for news in self._client.receive(line):
            replies += self._take(news)
        return replies

    def answer(self, action: Action) -> str:
        """Return the line that answers the open question; raises ValueError if there is none, or it is illegal."""
        line = self._client.answer(action)
        self.notice = ""
        return line

    def ask_advice(self) -> list[str]:
        """Return the line that asks for advice about the open question, if the room gives any."""
        if self.question is None or not isinstance(self.hints, Hints) or not self.hints.has_advice:
            return []
        return [f"{self.question.id} {ADVISE}"]

    def report(self, text: str) -> list[str]:
        """Return the line that reports a player, from a seat and a reason such as ``B program``; none for others."""
        seats = () if self.position is None else tuple(LETTERS[: len(self.position.names)])
        match text.upper().split():
            case [seat, reason] if seat in seats and reason.lower() in REPORT_REASONS:
                return [f"0 _{Order.REPORT.value} {seat} {reason.lower()}"]
            case _:
                return []

    def go_on(self) -> list[str]:
        """Put the result away, and return the line that lets the next kyoku begin, if the server has asked."""
        self.results = []
        return [] if self.ready is None else [self._client.go_on()]

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
        for member in self.members:
            if member is not None and member.state is MemberState.HOST and member.name == self.name:
                return True
        return False

    def order(self) -> list[str]:
        """Return the line with which the person lets the next game at the table among friends begin, or is ready."""
        self.results = []
        if self._is_game_over:
            order = Order.AGAIN
        elif self.is_host:
            order = Order.START
        else:
            order = Order.READY
        return [f"0 _{order.value}"]

    def _take(self, news: ClientNews) -> list[str]:
        match news:
            case told.HelloReceived():
                self.is_greeted = True
                if self._introduction.user is not None and not self._client.server.get("_auth"):
                    raise ServerRefusal(NO_LOGIN)
                return [self._client.introduce(news, self._options())]
            case OpenQuestion():
                self._show_question(news)
            case told.ReadyAsked():
                return [] if self.results else self.go_on()
            case told.ByeReceived():
                self.is_over = True
                return [self._client.say_bye(news)]
            case _:
                self._note(news)
        return []

    def _note(self, news: ClientNews) -> None:
        """Note what needs no answer."""
        match news:
            case sentences01.Illegal(reason=reason):
                self.notice = self._look.words.refusal(reason)
            case sentences01.Late():
                self.notice = self._look.words.late
            case sentences01.SeatToken(token):
                self._introduction = replace(self._introduction, seat_token=token)
            case sentences01.Notice(text):
                self.notice = self._look.words.server_says.format(text=self._look.words.error(printable(text)))
                self.log.append(self.notice)
            case sentences01.Waiting():
                self.waiting = news
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
                self.hints, self.gives_hints = news, True
            case _:
                if isinstance(news, Event):
                    self._see(news)

    def _remark(self, text: str, seat: Seat, said: str = "") -> None:
        """Note something about a player, with its name."""
        names = () if self.position is None else self.position.names
        if seat < len(names):
            self.notice = text.format(name=printable(names[seat]), said=said)
            self.log.append(self.notice)

    def _show_question(self, question: OpenQuestion) -> None:
        self.advice = ()
        if question.hints is not None:
            self.hints, self.gives_hints = question.hints, True

    def _see(self, event: Event) -> None:
        if isinstance(event, GameStarted):
            self._begin_game(event)
        position = self.position
        assert position is not None, "the client passes on no event before the start of a game"
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
        if line:
            self.log.append(line)
        position.see(event)

    def _begin_game(self, event: GameStarted) -> None:
        self.position = Position(self._client.seat, event.names, rules_for(len(event.names), self._client.preset))
        self._client.seen = self.position.seen
        self.waiting = None
        self._is_game_over = False
        self.results = []

    def _begin_kyoku(self) -> None:
        self.kyoku += 1
        self.hints = None
        self.results = []

    def _options(self) -> list[tuple[str, str | None]]:
        """Return the options of the own hello."""
        introduction = self._introduction
        options: list[tuple[str, str | None]] = [("_explain", "1"), ("_results", "1"), ("_ping", "1"), ("_person", "1")]
        if self._watched is not None:
            return [*options, ("_watch", self._watched)]
        options += [("user", introduction.user), ("password", introduction.password)]
        if introduction.seat_token is None:
            options += [("name", introduction.name), ("_room", introduction.room), ("_games", str(introduction.games))]
            options += self._guest_options()
        options += [("_offer", "1"), ("_hand", "1"), ("_time", "1"), ("_waits", "1")]
        return [*options, ("_resume", introduction.seat_token or "1")]

    def _guest_options(self) -> list[tuple[str, str | None]]:
        """Return who the person is, which seat it wants, and at which table among friends it plays."""
        options: list[tuple[str, str | None]] = []
        if self._guest is not None and self._introduction.user is None:
            seat = None if self._game is None else f"free:{self._game}"
            options += [("_guest", self._guest), ("_tab", self._tab), ("_seat", seat)]
        wish = self.table
        if wish is not None:
            options += [("_table", wish.code or "new"), ("_rule", wish.rules), ("_length", wish.length)]
        return options


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
