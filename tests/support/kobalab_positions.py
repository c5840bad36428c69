"""Positions of kobalab's recorded calls on a ``Board``: one known hand, at seat 0, and a question about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from support.majiang_rules import read_rules

from ump.game.arranged_wall import build_wall
from ump.game.board import Board
from ump.model.hand import Hand
from ump.model.notation import DIRECTIONS, MajiangTile, Shoupai, parse_shoupai
from ump.model.seats import Seat
from ump.rules.call_question import CallQuestion
from ump.rules.questions import kuikae_after
from ump.rules.turn_question import TurnQuestion
from ump.rules.wall import Wall

SEATS = 4
ME: Seat = 0
WALL = build_wall({})
"""A wall of which no tile is looked at."""
MIDDLE = 40
"""Tiles left in the wall if a case does not state them."""


class Position:
    """A board on which one hand is known."""

    def __init__(self, rule: Mapping[str, Any], hand: Mapping[str, Any], left: int = MIDDLE, wind: int = 0) -> None:
        """Give the player with this seat wind (0 is east) a hand in the middle of a kyoku."""
        self.hand: Shoupai = parse_shoupai(hand["shoupai"], ME)
        self.ruleset = read_rules(rule)
        self.board = Board(
            self.ruleset,
            Wall(WALL, self.ruleset.red_fives),
            bakaze=0,
            dealer=(ME - wind) % SEATS,
            honba=0,
            kyotaku=0,
            points=(self.ruleset.start_points,) * SEATS,
        )
        self.board.wall.left = left
        self.board.uninterrupted = False
        self.player = self.board.players[ME]
        self.player.hand = Hand(self.hand.faces, self.hand.melds)
        self.player.riichi = int(self.hand.riichi)
        if self.hand.called:
            self.player.waits = frozenset()
            return
        if self.hand.drawn is not None:
            self.player.hand.remove(self.hand.drawn)
        self.board.renew_waits(ME)
        if self.hand.drawn is not None:
            self.player.hand.add(self.hand.drawn)

    def turn(self) -> TurnQuestion:
        """Ask the player on its turn: after a draw, or after the call that was its last one."""
        if not self.hand.called:
            return TurnQuestion(self.board, ME, self.hand.drawn)
        meld = self.hand.melds[-1]
        return TurnQuestion(self.board, ME, None, kuikae_after(self.ruleset.kuikae, meld))

    def call(self, tile: MajiangTile) -> CallQuestion:
        """Ask the player about a discard."""
        return CallQuestion(self.board, ME, tile.face, source_of(tile))


def source_of(tile: MajiangTile) -> Seat:
    """Return the seat that a tile comes from."""
    return (ME + DIRECTIONS[SEATS].index(tile.direction) + 1) % SEATS
