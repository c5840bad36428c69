"""Blocks in process: their games are played side by side.

A block is a pure function of its match and its plan, but for the answer times, as long as policies answer by the
question alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from ump.arena.answer_counts import AnswerCounts, Clock
from ump.arena.blocks import ArenaGame, Entrant, PlannedBlock, PlayedBlock, joined_block, seat_names, seating_of
from ump.arena.contestants import batch_policy, is_batched_kind, policy_factory
from ump.arena.environment import Environment
from ump.arena.play import OpenGame, play_side_by_side
from ump.arena.watched import WatchedBatch, WatchedPlayer
from ump.model.value import value
from ump.rules.ruleset import Ruleset


@value
class Match:
    """The players, rules and seed of all blocks."""

    entrants: tuple[Entrant, ...]
    ruleset: Ruleset
    seed: str


def play_planned(
    match: Match, clock: Clock, planned: Sequence[PlannedBlock], *, with_records: bool = True
) -> list[PlayedBlock]:
    """Play blocks, and return them with the records of their games as logs of mjai's, or without records.

    A game on the walls of its block is played for each seat. All of these games are played side by side, so that
    batched policies are asked about all of them at once.
    """
    batches = {
        player: WatchedBatch(partial(batch_policy, entrant.kind), clock)
        for player, entrant in enumerate(match.entrants)
        if is_batched_kind(entrant.kind)
    }
    opened = [
        [_open_game(match, clock, batches, block, game) for game in range(match.ruleset.seats)] for block in planned
    ]
    play_side_by_side([game.opened for games in opened for game in games])
    return [
        joined_block(block.number, [game.played() for game in games], len(match.entrants), with_records=with_records)
        for block, games in zip(planned, opened, strict=True)
    ]


@value
class _OpenArenaGame:
    """A game of a block that is being played."""

    opened: OpenGame
    seating: tuple[int, ...]
    counts: tuple[AnswerCounts, ...]

    def played(self) -> ArenaGame:
        """Return the game, which is over."""
        return ArenaGame(self.opened.played(), self.seating, self.counts)


def _open_game(
    match: Match, clock: Clock, batches: Mapping[int, WatchedBatch], block: PlannedBlock, game: int
) -> _OpenArenaGame:
    """Begin a game of a block."""
    seating = seating_of(block.lineup, game)
    environment = Environment(match.ruleset, names=seat_names(match.entrants, seating))
    environment.reset(f"{match.seed}/{block.number}")
    players = [
        batches[player].player()
        if player in batches
        else watched_player(match.entrants[player].kind, f"policy/{match.seed}/{block.number}/{game}/{seat}", clock)
        for seat, player in enumerate(seating)
    ]
    number = block.number * match.ruleset.seats + game
    return _OpenArenaGame(OpenGame(number, environment, players), seating, tuple(player.counts for player in players))


def watched_player(kind: str, seed: str, clock: Clock) -> WatchedPlayer:
    """Return a player of this kind for one seat of one game; ``seed`` is that of its random numbers."""
    return WatchedPlayer(partial(policy_factory(kind), seed), clock)
