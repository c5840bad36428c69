"""The table of one kyoku, as the linter believes it to be: a board whose hands may become unknown."""

from __future__ import annotations

from collections.abc import Iterable

from ump.game.board import Board, Player
from ump.model.melds import Meld, MeldType, place_of_pon
from ump.model.seats import Seat
from ump.model.tiles import COPIES, FACES, KIND_OF, KINDS, RED_FIVES, Face, faces_of_tiles, tiles_of
from ump.record.lint.statements import StatedKyoku
from ump.rules.payments import liabilities
from ump.rules.ruleset import Ruleset
from ump.rules.wall import Wall


class StatedTable:
    """The board of a kyoku, the hands that are known, and the tiles that have turned up."""

    def __init__(self, kyoku: StatedKyoku, ruleset: Ruleset, *, rules_stated: bool) -> None:
        """Deal the stated hands. The wall of the board is made up: nothing but its length is ever read."""
        started, seats = kyoku.started, ruleset.seats
        self.ruleset = ruleset
        self.board = Board(
            ruleset,
            Wall(tiles_of(seats), ruleset.red_fives, seats),
            bakaze=started.bakaze,
            dealer=started.dealer,
            honba=started.honba,
            kyotaku=started.kyotaku,
            points=started.points,
        )
        self.board.indicators = [kyoku.indicator]
        self.known = [True] * seats
        """Whether the concealed tiles of each seat are known."""
        self._faces = [0] * FACES
        self._kinds = [0] * KINDS
        self._most = _copies(ruleset) if rules_stated else [COPIES] * FACES
        if not rules_stated:
            for red, count in zip(RED_FIVES, ruleset.red_fives, strict=True):
                self._most[red] = max(1, count)
        players = []
        for seat, hand in enumerate(kyoku.hands):
            players.append(self.board.players[seat] if hand is None else Player(hand, ruleset.own_copies))
        self.board.players = tuple(players)
        for seat, hand in enumerate(kyoku.hands):
            if hand is None:
                self.lose(seat)

    def player(self, seat: Seat) -> Player:
        """Return a player's part of the board."""
        return self.board.players[seat]

    def lose(self, seat: Seat) -> None:
        """Take the hand of a seat for unknown from now on."""
        self.known[seat] = False
        player = self.player(seat)
        player.waits, player.tenpai_draws = frozenset(), 0

    def renew_waits(self, seat: Seat) -> None:
        """Update the waits of a known hand that holds no drawn tile."""
        if self.known[seat]:
            self.board.renew_waits(seat)

    def is_one_too_many(self, face: Face) -> bool:
        """Count a tile that turns up, and tell whether it is the first one more than the game has."""
        kind = KIND_OF[face]
        self._faces[face] += 1
        self._kinds[kind] += 1
        return self._faces[face] == self._most[face] + 1 or self._kinds[kind] == COPIES + 1

    def give(self, seat: Seat, faces: Iterable[Face]) -> list[Face]:
        """Take tiles from a hand; return those that a known hand does not hold, after which it is unknown."""
        hand, missing = self.player(seat).hand, list[Face]()
        for face in faces:
            if hand.faces[face]:
                hand.remove(face)
            elif self.known[seat]:
                missing.append(face)
        if missing:
            self.lose(seat)
        return missing

    def lay_down(self, seat: Seat, meld: Meld) -> None:
        """Lay down a meld whose tiles have left the hand."""
        melds = self.player(seat).hand.melds
        place = place_of_pon(melds, meld.kind) if meld.type is MeldType.KAKAN else None
        if place is None:
            melds.append(meld)
        else:
            melds[place] = meld
        if meld.is_kan:
            self.board.kans.append(seat)
        if meld.source is not None and meld.added is None:
            self.player(seat).pao = liabilities(self.ruleset, melds)
            self.player(meld.source).river_called = True
            self.board.interrupt()  # other kans do that when nobody has robbed them


def _copies(ruleset: Ruleset) -> list[int]:
    """Return how many tiles of each face the rules have."""
    faces = faces_of_tiles(ruleset.red_fives)
    counts = [0] * FACES
    for tile in tiles_of(ruleset.seats):
        counts[faces[tile]] += 1
    return counts
