"""One situation being played: its walls, its scripted players, and what the client does in it. No network, no clock."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ump.bots.check.situation import PATIENCE, Answered, Closing, Course, Situation, Stage
from ump.game.deals import Deal, Round
from ump.model.actions import Action, Ankan, Daiminkan, Discard, Kakan, Kita, Pon, Riichi, Ron, Tsumo
from ump.model.events import KyokuStarted
from ump.model.notation import parse_mpsz
from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import KIND_OF, Face
from ump.model.value import value
from ump.players.observation import Observation
from ump.players.policy import Tsumogiri
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length, Ruleset
from ump.table.messages import Ask, Lapse
from ump.table.receivers import BuiltinBot, Parcel, Receiver, Rendering, SeatedBot

# Scripted players


@value
class Order:
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


def read_orders(text: str) -> deque[Order]:
    """Read orders such as ``sute 4m, pon 5z, sute 1s``; raises KeyError or ValueError for any other text."""
    return deque(_read_order(*order.split()) for order in text.split(",") if order)


def _read_order(verb: str, tile: str = "") -> Order:
    faces = parse_mpsz(tile)
    if len(faces) > 1:
        raise ValueError(f"{verb} {tile}: more than one tile")
    return Order(VERBS[verb], faces[0] if faces else None)


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
            return Order(Discard, face).choice(offers, tile)
        if letter == closing.winner and phase is Phase.CALL:
            return Order(Ron, face).choice(offers, tile)
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


class Play:
    """The pure half of a situation: what a table needs to bring it about, and the course that it takes."""

    def __init__(self, situation: Situation, act: Callable[[], None] = lambda: None) -> None:
        """``act`` is called at the client's first turn, before the client is asked, for the stages that need it."""
        self.situation = situation
        self.client: Seat = LETTERS.index(situation.client)
        self.course = Course(self.client)
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

    def receivers(self) -> list[Receiver]:
        """Return the scripted players, and the witness."""
        others = (seat for seat in range(self.situation.seats) if seat != self.client)
        bots = [SeatedBot(BuiltinBot(ScriptedPlayer(self._current), seat, self.ruleset), seat) for seat in others]
        return [*bots, Witness(self)]

    @property
    def reached(self) -> Answered | None:
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


class Witness(Receiver):
    """Shows everything that happens at the table to the play."""

    def __init__(self, play: Play) -> None:
        self._play = play

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
