"""Scripted players: they carry out written orders, and end the kyoku when the client has been through its situation."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

from ump.bots.check.arrangement import Closing
from ump.model.actions import Action, Ankan, Daiminkan, Discard, Kakan, Kita, Pon, Riichi, Ron, Tsumo
from ump.model.notation import parse_mpsz
from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import KIND_OF, Face
from ump.model.value import value
from ump.players.observation import Observation
from ump.players.policy import Tsumogiri


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
