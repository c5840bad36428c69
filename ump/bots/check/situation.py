"""A situation that a client is led through: its walls, its aim, and the course that it takes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from typing import Any, TypeAlias

from ump.game.arranged_wall import build_wall
from ump.game.deals import Deal, Round
from ump.model.actions import Action, Ankan, Daiminkan, Discard, Kakan, Kita, Pon, Riichi, Ron, Tsumo
from ump.model.events import Event, KyokuStarted
from ump.model.notation import UMP_FACES, format_mpsz, parse_mpsz
from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import COPIES, KIND_OF, RED_FIVES, Face, Tile
from ump.model.value import value
from ump.players.observation import Observation
from ump.players.policy import Policy, Tsumogiri
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.rules.ruleset import Length, Ruleset
from ump.rules.wall import LAYOUTS
from ump.server.table_watch import TableWatch
from ump.table.journal_entries import ActionTaken, Cause, Entry, SeatReady, SeatReturned
from ump.table.messages import Ask, Lapse
from ump.table.receivers import Parcel, Rendering

# The course of a situation


@value
class Asked:
    """A question to the client."""

    phase: Phase | None
    """None: whether it is ready."""
    tile: Face | None
    legal: tuple[Action, ...]
    in_riichi: bool
    barred: frozenset[Face]
    """Tiles that it holds and must not discard now."""
    seen: tuple[Event, ...]
    """All events before the question."""


@value
class AnswerTaken:
    """An answer to a question that the server took, or gave for the client."""

    asked: Asked
    action: Action | None
    """None: the client is ready."""
    cause: Cause


class Course:
    """Everything about the client in one situation, in order."""

    def __init__(self, client: Seat) -> None:
        self.client = client
        self.events: list[Event] = []
        """All events of the game, with every tile."""
        self.asked: list[Asked] = []
        self.answered: list[AnswerTaken] = []
        self.lapsed = 0
        """The number of questions that the server has closed without an answer; the client's may still be under way."""
        self.returned_after: int | None = None
        """The number of answers at the time when the client came back to its seat; None if it has not."""

    def see(self, event: Event) -> None:
        """Note an event."""
        self.events.append(event)

    def ask(self, question: Question | None) -> None:
        """Note a question to the client; None: whether it is ready."""
        self.asked.append(_asked(question, tuple(self.events)))

    def take(self, entry: Entry) -> None:
        """Note an entry of a step, before the messages of the step are sent."""
        match entry:
            case ActionTaken(seat, action, cause) if seat == self.client:
                self.answered.append(AnswerTaken(self.asked[-1], action, cause))
            case SeatReady(seat) if seat == self.client:
                self.answered.append(AnswerTaken(self.asked[-1], None, Cause.ANSWER))
            case SeatReturned(seat) if seat == self.client:
                self.returned_after = len(self.answered)

    @property
    def own(self) -> list[AnswerTaken]:
        """The answers that the client has given itself."""
        return [answered for answered in self.answered if answered.cause is Cause.ANSWER]

    @property
    def turns(self) -> int:
        """The number of turns that the client has answered itself, or has had answered for it."""
        return sum(answered.asked.phase is Phase.TURN for answered in self.answered)


def _asked(question: Question | None, seen: tuple[Event, ...]) -> Asked:
    if question is None:
        return Asked(None, None, (), False, frozenset(), seen)
    legal = question.legal()
    barred: frozenset[Face] = frozenset()
    if question.phase is Phase.TURN:
        held = frozenset(question.hand.concealed)
        barred = held - {action.face for action in legal if isinstance(action, Discard)}
    return Asked(question.phase, question.tile, legal, bool(question.player.riichi), barred, seen)


# Arranged walls


PAIRS = 6
"""The pairs of a hand that waits for its seventh."""

_PAIR_ORDER = tuple(face for face in range(len(UMP_FACES)) if face not in RED_FIVES)
"""The faces of which such pairs are made, in the order in which they are tried."""


@value
class Closing:
    """The win that ends a kyoku when the client has been through its situation: one player deals in to another.

    The client holds no copy of the tile, so that it cannot delay the end.
    """

    winner: str = "C"
    loser: str = "B"
    tile: str = "4z"
    hand: str = ""
    """The 13 tiles of the winner; by default six pairs beside the tile."""


@value
class Arrangement:
    """The wall of one kyoku."""

    hands: Mapping[str, str]
    """The tiles that each seat is dealt, up to 13; the rest is filled with tiles that hardly fit together."""
    draws: str = ""
    """The first tiles of the live wall, in the order of the draws."""
    rinshan: str = ""
    """The replacement tiles of kans, in the order of their draws."""
    closing: Closing | None = None

    def wall(self, dealer: str = "A", seats: int = 4) -> tuple[Tile, ...]:
        """Return the wall; raises ValueError if a tile is used too often."""
        hands = dict(self.hands)
        closing = self.closing
        if closing is not None:
            hands[closing.loser] = hands.get(closing.loser, "") + closing.tile * 3
            hands[closing.winner] = closing.hand or (hands.get(closing.winner, "") + closing.tile + self._pairs(seats))
        return build_wall(hands, self.draws, self.rinshan, dealer=dealer, seats=seats)

    def _pairs(self, seats: int) -> str:
        """Return six pairs of tiles that no other given place of the wall has."""
        in_game = {tile // COPIES for tile in LAYOUTS[seats].tiles}
        places = (*self.hands.values(), self.draws, self.rinshan)
        used = [KIND_OF[face] for text in places for face in parse_mpsz(text)]
        assert self.closing is not None
        used += [KIND_OF[face] for face in parse_mpsz(self.closing.tile)]
        free = [face for face in _PAIR_ORDER if KIND_OF[face] in in_game and KIND_OF[face] not in used]
        return format_mpsz(face for face in free[:PAIRS] for _ in range(2))


# Aims


Aim: TypeAlias = Callable[[Course], AnswerTaken | None]
"""Returns the answer of the client that shows how it took the situation, or None if it was not reached."""

Fits: TypeAlias = Callable[[AnswerTaken], bool]


def offered(phase: Phase, action: type[Action] | None = None, choices: int = 1, tile: str = "") -> Aim:
    """Return the aim to be asked a question of this kind.

    ``action`` must be legal in at least so many ways; ``tile`` is the tile in question, or the one that was drawn.
    """
    faces = parse_mpsz(tile)

    def _fits(answered: AnswerTaken) -> bool:
        asked = answered.asked
        found = {each for each in asked.legal if action is None or isinstance(each, action)}
        return asked.phase is phase and len(found) >= choices and (not faces or asked.tile in faces)

    return lambda course: _first(course, _fits)


def barred_after_call(course: Course) -> AnswerTaken | None:
    """Return the discard after a call that bars some tiles of the hand (kuikae)."""
    return _first(course, lambda each: _is_turn(each) and each.asked.tile is None and bool(each.asked.barred))


def after_call(course: Course) -> AnswerTaken | None:
    """Return the discard after the client's own chi or pon."""
    return _first(course, lambda each: _is_turn(each) and each.asked.tile is None)


def own_riichi(course: Course) -> AnswerTaken | None:
    """Return the first turn of the client in riichi."""
    return _first(course, lambda each: _is_turn(each) and each.asked.in_riichi)


def turn_after(event: type[Any], times: int = 1) -> Aim:
    """Return the aim to have a turn after so many events of this type, in the same kyoku."""

    def _fits(answered: AnswerTaken) -> bool:
        return _is_turn(answered) and _count(_this_kyoku(answered.asked.seen), event) >= times

    return lambda course: _first(course, _fits)


def next_kyoku_after(event: type[Any], times: int = 1) -> Aim:
    """Return the aim to have a turn in the kyoku after one with so many events of this type."""

    def _fits(answered: AnswerTaken) -> bool:
        seen = answered.asked.seen
        before = seen[: len(seen) - len(_this_kyoku(seen))]
        return _is_turn(answered) and _count(before, event) >= times

    return lambda course: _first(course, _fits)


def after_return(course: Course) -> AnswerTaken | None:
    """Return the first answer of the client after it has come back to its seat."""
    return None if course.returned_after is None else _next_own(course, course.returned_after)


def after_timeout(course: Course) -> AnswerTaken | None:
    """Return the first answer of the client after the server has answered a question for it."""
    for place, answered in enumerate(course.answered):
        if answered.cause is Cause.TIMEOUT:
            return _next_own(course, place)
    return None


def _next_own(course: Course, start: int) -> AnswerTaken | None:
    return next((each for each in course.answered[start:] if each.cause is Cause.ANSWER), None)


def _first(course: Course, fits: Fits) -> AnswerTaken | None:
    return next((answered for answered in course.own if fits(answered)), None)


def _is_turn(answered: AnswerTaken) -> bool:
    return answered.asked.phase is Phase.TURN


def _this_kyoku(seen: tuple[Event, ...]) -> tuple[Event, ...]:
    starts = [place for place, event in enumerate(seen) if isinstance(event, KyokuStarted)]
    return seen[starts[-1] :] if starts else ()


def _count(seen: tuple[Event, ...], kind: type[Any]) -> int:
    return sum(isinstance(event, kind) for event in seen)


# Situations


PATIENCE = 3
"""Turns of the client after which a situation that it has avoided is given up."""


class Stage(Enum):
    """The server's behaviour at the first turn of the client."""

    PLAY = "play"
    """Nothing but to play."""
    HOLD = "hold"
    """It takes no answer before the time for it is over."""
    DROP = "drop"
    """It cuts the connection, and keeps the seat."""
    STOP = "stop"
    """It stops, and the game with it."""
    FAREWELL = "farewell"
    """Nothing, but the client must leave properly after the game."""


@value
class Situation:
    """One situation: a game of one kyoku, or of two if the end of the first one matters."""

    name: str
    teaches: str
    """The point of the situation, in one sentence."""
    expected: str
    """The behaviour that is expected of the client."""
    arrangement: Arrangement
    client: str = "A"
    """The seat of the client; A deals."""
    aim: Aim | None = None
    """None: the situation is reached by what the server does."""
    missed: str = "the client avoided it"
    """Why it was not reached, if the client played on legally."""
    orders: Mapping[str, str] = field(default_factory=dict)
    """The actions of the other players, by the letters of their seats."""
    stage: Stage = Stage.PLAY
    has_next: bool = False
    """Whether another kyoku follows, in which the client shows that it has understood the end of this one."""
    wanted: type[Action] | None = None
    """The only sensible action at the question; another one is noted, not counted as a fault."""
    patience: int = PATIENCE
    rules: Mapping[str, bool] = field(default_factory=dict)
    """Changes of the rules."""
    seats: int = len(LETTERS)
    """The number of players."""

    @property
    def letters(self) -> str:
        """The letters of the seats."""
        return LETTERS[: self.seats]

    @property
    def last_kyoku(self) -> Arrangement:
        """The kyoku after a situation whose end matters: its win is so high that the game ends with it."""
        winner, loser = [letter for letter in self.letters if letter != self.client][:2]
        return Arrangement({}, closing=Closing(winner, loser, hand="119m19p19s123567z"))


# One situation being played: its walls, its scripted players, and what the client does in it. No network, no clock.

# Scripted players


@value
class ScriptedOrder:
    """One thing that a scripted player does as soon as it is legal."""

    action: type[Action]
    face: Face | None = None
    """The tile that it discards or declares, or that it calls or wins on; None: any."""

    def choice(self, offers: tuple[Action, ...], tile: Face | None) -> Action | None:
        """Return the action that carries the order out, or None if it is not legal now; ``tile`` is in question."""
        return next((action for action in offers if isinstance(action, self.action) and self._fits(action, tile)), None)

    def _fits(self, action: Action, tile: Face | None) -> bool:
        match action:
            case _ if self.face is None:
                return True
            case Discard(face) | Riichi(face) | Kakan(face):
                return face == self.face
            case Ankan(kind):
                return kind == KIND_OF[self.face]
            case _:
                return tile == self.face


VERBS: Mapping[str, type[Action]] = {
    "sute": Discard,
    "richi": Riichi,
    "ankan": Ankan,
    "kakan": Kakan,
    "kita": Kita,
    "pon": Pon,
    "kan": Daiminkan,
    "ron": Ron,
    "tsumo": Tsumo,
}
"""The words of orders: UMP's, with a tile in MPSZ."""


def read_orders(text: str) -> deque[ScriptedOrder]:
    """Read orders such as ``sute 4m, pon 5z, sute 1s``; raises KeyError or ValueError for any other text."""
    return deque(_read_order(*order.split()) for order in text.split(",") if order)


def _read_order(verb: str, tile: str = "") -> ScriptedOrder:
    faces = parse_mpsz(tile)
    if len(faces) > 1:
        raise ValueError(f"{verb} {tile}: more than one tile")
    return ScriptedOrder(VERBS[verb], faces[0] if faces else None)


class Script:
    """The orders of all scripted players of one kyoku, and the win that ends it."""

    def __init__(self, orders: Mapping[str, str], closing: Closing | None, may_close: Callable[[], bool]) -> None:
        """``orders`` are by the letter of the seat. ``may_close`` tells whether the win that ends the kyoku may come.

        It comes when all orders are carried out; ``close`` gives up those that are not.
        """
        self._orders = {LETTERS.index(letter): read_orders(text) for letter, text in orders.items()}
        self._may_close = may_close
        self._closing = closing

    def give_up(self) -> None:
        """Drop all orders that are not carried out: the client has avoided the situation."""
        self._orders.clear()

    def choose(self, seat: Seat, phase: Phase, tile: Face | None, offers: tuple[Action, ...]) -> Action | None:
        """Return what the player of a seat does, or None if it has nothing special to do."""
        orders = self._orders.get(seat)
        if orders:
            action = orders[0].choice(offers, tile)
            if action is not None:
                orders.popleft()
                return action
        return self._close(LETTERS[seat], phase, tile, offers)

    def _close(self, letter: str, phase: Phase, tile: Face | None, offers: tuple[Action, ...]) -> Action | None:
        closing = self._closing
        if closing is None or any(self._orders.values()) or not self._may_close():
            return None
        (face,) = parse_mpsz(closing.tile)
        if letter == closing.loser and phase is Phase.TURN:
            return ScriptedOrder(Discard, face).choice(offers, tile)
        if letter == closing.winner and phase is Phase.CALL:
            return ScriptedOrder(Ron, face).choice(offers, tile)
        return None


class ScriptedPlayer:
    """A policy: does what the script says, otherwise discards what it draws, and passes."""

    def __init__(self, script: Callable[[], Script]) -> None:
        """``script`` returns the script of the current kyoku."""
        self._script = script
        self._default = Tsumogiri()

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return the answer to a question (see ``Policy.choose``)."""
        assert offers is not None, "a built-in bot knows its legal actions"
        return self._script().choose(seen.me, phase, tile, offers) or self._default.choose(seen, phase, tile, offers)


# The play


RULES: Mapping[int, Ruleset] = {4: PRESETS["ump"], 3: replace(PRESETS["tenhou3"], start_points=30_000)}
"""The rules of a situation by the number of players; the yakuman of a last kyoku ends a game under them."""


class SituationTable:
    """The pure half of a situation: what a table needs to bring it about, and the course that it takes."""

    def __init__(
        self,
        situation: Situation,
        act: Callable[[], object] = lambda: None,
        saw: Callable[[Entry], object] = lambda _: None,
    ) -> None:
        """``act`` is called at the client's first turn, before the client is asked, for the stages that need it.

        ``saw`` is called with each entry that the witness has seen.
        """
        self.situation = situation
        self.client: Seat = LETTERS.index(situation.client)
        self.course = Course(self.client)
        self.witness = Witness(self, saw)
        self.has_acted = False
        """Whether the stage of the situation has come."""
        self._act = act
        self._script = self._first_script()
        self._turns_before = 0
        """Turns of the client in earlier kyoku."""

    @property
    def ruleset(self) -> Ruleset:
        """The rules of the game."""
        length = Length.TONPU if self.situation.has_next else Length.KYOKU
        return replace(RULES[self.situation.seats], length=length, **self.situation.rules)  # type: ignore[arg-type]

    def deal(self, at: Round) -> Deal:
        """Return the deal of a kyoku."""
        arrangement = self.situation.last_kyoku if at.number else self.situation.arrangement
        return Deal(arrangement.wall(LETTERS[at.dealer], self.situation.seats), (1, 1))

    @property
    def policies(self) -> dict[Seat, Policy]:
        """The scripted players."""
        return {seat: ScriptedPlayer(self._current) for seat in range(self.situation.seats) if seat != self.client}

    @property
    def reached(self) -> AnswerTaken | None:
        """The answer that shows how the client took the situation, or None."""
        aim = self.situation.aim
        return None if aim is None else aim(self.course)

    def begin_kyoku(self) -> None:
        """Change to the script of the last kyoku, if one was played."""
        if len([event for event in self.course.events if isinstance(event, KyokuStarted)]) > 1:
            self._turns_before = self.course.turns
            self._script = Script({}, self.situation.last_kyoku.closing, self._may_end_game)

    def ask(self, ask: Ask) -> None:
        """Note a question to the client, before it is sent."""
        self.course.ask(ask.question)
        if self.situation.stage in (Stage.PLAY, Stage.FAREWELL) or self.has_acted:
            return
        if ask.question is not None and ask.question.phase is Phase.TURN:
            self.has_acted = True
            self._act()

    def _current(self) -> Script:
        if self.course.turns - self._turns_before >= self.situation.patience:
            self._script.give_up()
        return self._script

    def _first_script(self) -> Script:
        situation = self.situation
        return Script(situation.orders, situation.arrangement.closing, self._may_end_kyoku)

    def _may_end_kyoku(self) -> bool:
        """Tell whether the first kyoku may end: the client has been through the situation, or has avoided it."""
        situation = self.situation
        return situation.has_next or self.reached is not None or self.course.turns >= situation.patience

    def _may_end_game(self) -> bool:
        return self.reached is not None or self.course.turns - self._turns_before >= PATIENCE


class Witness(TableWatch):
    """Shows everything that happens at the table to the play."""

    def __init__(self, play: SituationTable, saw: Callable[[Entry], object]) -> None:
        self._play = play
        self._saw = saw

    def see(self, entry: Entry) -> None:
        """Note an entry in the course, and pass it on."""
        self._play.course.take(entry)
        self._saw(entry)

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Note events, and the questions to the client."""
        for parcel in parcels:
            if isinstance(parcel, Rendering):
                self._play.course.see(parcel.event)
                if isinstance(parcel.event, KyokuStarted):
                    self._play.begin_kyoku()
            elif parcel.seat != self._play.client:
                continue
            elif isinstance(parcel, Ask):
                self._play.ask(parcel)
            elif isinstance(parcel, Lapse):
                self._play.course.lapsed += 1
