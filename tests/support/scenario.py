"""A kyoku with known tiles, played by short written orders. Most tests of the rules use it.

Seats are UMP's letters; A deals by default. Hands and walls are in MPSZ (``123m0p77z``; 0 is the red five).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from ump.game.arranged_wall import build_wall
from ump.game.deals import Deal
from ump.game.game import Game
from ump.game.kyoku import Kyoku
from ump.game.resolution import resolve
from ump.model import events as ev
from ump.model.actions import Action, Pass
from ump.model.claims import Claim, IllegalAction, Reason, Verb
from ump.model.notation import parse_ump_face
from ump.model.phases import Phase
from ump.model.seats import LETTERS
from ump.model.tiles import Tile
from ump.rules.ruleset import Ruleset
from ump.rules.wall import Wall

VERBS = {
    "sute": Verb.DISCARD,
    "richi": Verb.RIICHI,
    "openrichi": Verb.OPEN_RIICHI,
    "ankan": Verb.ANKAN,
    "kakan": Verb.KAKAN,
    "kita": Verb.KITA,
    "tsumo": Verb.TSUMO,
    "ryukyoku": Verb.RYUKYOKU,
    "chi": Verb.CHI,
    "pon": Verb.PON,
    "kan": Verb.KAN,
    "ron": Verb.RON,
    "yes": Verb.YES,
    "no": Verb.NO,
}

_KAN_LETTERS: dict[type[ev.Event], str] = {
    ev.KanDeclared: "k",
    ev.TileCalled: "k",
    ev.DoraRevealed: "d",
    ev.TileDrawn: "t",
    ev.TileDiscarded: "s",
}

E_ = TypeVar("E_", bound=ev.Event)


class Scenario:
    """One kyoku, its events so far, and the orders that drive it."""

    def __init__(
        self,
        hands: Mapping[str, str],
        draws: str = "",
        *,
        rinshan: str = "",
        dora: str = "",
        ura: str = "",
        rules: Ruleset | None = None,
        dealer: str = "A",
        bakaze: int = 0,
        honba: int = 0,
        kyotaku: int = 0,
        points: Iterable[int] | None = None,
        ask_all: bool = False,
        **changes: Any,
    ) -> None:
        ruleset = replace(rules or Ruleset(), **changes)
        tiles = build_wall(hands, draws, rinshan, dora, ura, dealer=dealer, reds=ruleset.red_fives, seats=ruleset.seats)
        self.kyoku = Kyoku(
            ruleset,
            Wall(tiles, ruleset.red_fives, ruleset.seats),
            bakaze=bakaze,
            dealer=LETTERS.index(dealer),
            honba=honba,
            kyotaku=kyotaku,
            points=(25_000,) * ruleset.seats if points is None else tuple(points),
            dice=(1, 1),
            ask_all=ask_all,
        )
        self.events: list[ev.Event] = self.kyoku.begin()
        self.last: list[ev.Event] = self.events[:]
        """The events of the last order."""

    def __call__(self, *orders: str) -> Scenario:
        """Carry out orders such as ``A sute 5m``, ``B pon 5m 5M`` and ``C ron``, for each seat that is asked."""
        for order in orders:
            letter, verb, *words = order.split()
            claim = Claim(
                VERBS[verb], tuple(parse_ump_face(word) for word in words if word != "tsumogiri"), "tsumogiri" in words
            )
            seat = LETTERS.index(letter)
            question = self.kyoku.questions.get(seat)
            assert question is not None, f"{order}: {letter} is not asked"
            self.last = self.kyoku.answer(seat, resolve(question, claim))
            self.events += self.last
        return self

    def refuses(self, order: str) -> Reason:
        """Return the reason why an order is refused; fail if it is accepted."""
        try:
            self(order)
        except IllegalAction as refusal:
            return refusal.reason
        raise AssertionError(f"{order} was accepted")

    def pass_all(self) -> Scenario:
        """Pass for every seat that is asked about a tile."""
        while self.kyoku.questions:
            seat, question = next(iter(self.kyoku.questions.items()))
            if question.phase not in (Phase.CALL, Phase.CHANKAN):
                break
            self.last = self.kyoku.answer(seat, Pass())
            self.events += self.last
        return self

    def turns(self, count: int) -> Scenario:
        """Play this many turns with a discard of the drawn tile, and no call."""
        for _ in range(count):
            (question,) = self.kyoku.questions.values()
            assert question.phase is Phase.TURN
            self.last = self.kyoku.answer(question.seat, question.default())
            self.events += self.last
            self.pass_all()
        return self

    def to_the_end(self) -> Scenario:
        """Discard each drawn tile and pass until the wall is empty, or the kyoku ends otherwise."""
        while not self.kyoku.over and self.phase is Phase.TURN:
            self.turns(1)
        return self

    @property
    def phase(self) -> Phase | None:
        """The phase of the open questions, or None."""
        return next((question.phase for question in self.kyoku.questions.values()), None)

    @property
    def asked(self) -> str:
        """The letters of the seats that are asked, in alphabetical order."""
        return "".join(sorted(LETTERS[seat] for seat in self.kyoku.questions))

    def offers(self, letter: str, kind: type[Action] | None = None) -> list[Action]:
        """Return the legal actions of a seat, all or those of one type."""
        legal = self.kyoku.questions[LETTERS.index(letter)].legal()
        return [action for action in legal if kind is None or isinstance(action, kind)]

    def events_of(self, kind: type[E_]) -> list[E_]:
        """Return all events of one type so far."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def win(self) -> ev.HandWon:
        """The only win."""
        (won,) = self.events_of(ev.HandWon)
        return won

    @property
    def draw(self) -> ev.KyokuDrawn:
        """The draw that ended the kyoku."""
        (drawn,) = self.events_of(ev.KyokuDrawn)
        return drawn

    @property
    def points(self) -> list[int]:
        """The scores now."""
        return self.kyoku.board.points


def kan_order(events: Iterable[ev.Event]) -> str:
    """Return the order of events around kans, with one letter for each: kan (k), dora (d), draw (t), discard (s)."""
    return "".join(_KAN_LETTERS.get(type(event), "") for event in events)


def deals_of(*walls: tuple[Tile, ...]) -> Any:
    """Return the deals of a game with known walls; the last one is repeated."""
    return lambda at: Deal(walls[min(at.number, len(walls) - 1)], (1, 1))


def game_of(ruleset: Ruleset, *walls: tuple[Tile, ...]) -> Game:
    """Return a game with known walls."""
    return Game(ruleset, LETTERS[: ruleset.seats], deals_of(*walls))
