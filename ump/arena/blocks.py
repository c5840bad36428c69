"""Blocks: the games on one seed in which a lineup takes all seats in turn.

In a comparison one player, the challenger, takes each seat once against copies of the other.

``block_play`` plays them. Only whole blocks are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ump.arena.answer_counts import AnswerCounts
from ump.arena.play import PlayedGame
from ump.model.events import Event, GameStarted
from ump.model.value import value
from ump.record.own_fields import FIELD, own_fields
from ump.record.player_counts import GameCounter, PlayerCounts
from ump.record.recorded_game import RecordedGame
from ump.rules.ruleset import Ruleset
from ump.wire.json_text import write
from ump.wire.mjai.events import GIMITE, Narrator


@value
class Entrant:
    """A player of a comparison or an arena."""

    name: str
    """In reports and records."""
    kind: str
    """As ``policy_factory`` reads it."""


@value
class Setup:
    """What the games of a comparison have in common."""

    players: tuple[str, str]
    """Names as ``policy_factory`` reads them."""
    ruleset: Ruleset
    seed: str
    points: tuple[float, ...]
    """The placement points of each place, the first one first."""


@value
class BlockGame:
    """The result of one game, by seat."""

    seating: tuple[int, ...]
    """The player in each seat, as an index into the players of the setup."""
    places: tuple[int, ...]
    points: tuple[int, ...]
    """Final scores."""
    counts: tuple[dict[str, int], ...]
    """The deeds of each seat: the counts of ``PlayerCounts`` that are not 0, and ``crashes``; times in microseconds."""


@value
class Block:
    """The games of one seed."""

    number: int
    """From 0."""
    games: tuple[BlockGame, ...]
    errors: tuple[str, ...]
    """The first exception of each player, empty without one."""

    @property
    def challenger(self) -> int:
        """The player that sits alone in a comparison: the first one in even blocks, the second one in odd ones."""
        return self.number % 2

    def advantage(self, points: Sequence[float]) -> float:
        """Return x: placement points per game by which the first player was better than its share.

        In odd blocks it is the challenger's advantage, negated. The expectation is 0 for equal players.
        """
        ahead = challenger_advantage(self, self.challenger, points)
        return -ahead if self.challenger else ahead


Lineup: TypeAlias = tuple[int, ...]
"""The player in each seat of a block's first game, as an index into the entrants."""


@value
class PlannedBlock:
    """A block that is to be played."""

    number: int
    """From 0."""
    lineup: Lineup


PlayedBlock: TypeAlias = tuple[Block, tuple[bytes, ...]]
"""A block with the records of its games."""


def challenger_advantage(block: Block, challenger: int, points: Sequence[float]) -> float:
    """Return the placement points per game by which a player was better than its share of the points."""
    got = [
        placement_points(game.places, seat, points)
        for game in block.games
        for seat, player in enumerate(game.seating)
        if player == challenger
    ]
    return sum(got) / len(got) - sum(points) / len(points)


def placement_points(places: Sequence[int], seat: int, points: Sequence[float]) -> float:
    """Return the placement points of a seat; seats that share a place share the points of these places."""
    place = places[seat]
    shared = places.count(place)
    return sum(points[place - 1 : place - 1 + shared]) / shared


def lineup_of(number: int, seats: int) -> Lineup:
    """Return who sits where in the first game of a block of a comparison: the challenger among copies of the other."""
    challenger = number % 2
    return (challenger, *(1 - challenger,) * (seats - 1))


def seating_of(lineup: Sequence[int], game: int) -> tuple[int, ...]:
    """Return the player in each seat of a game of a block, counted from 0: all move by one seat from game to game."""
    return tuple(lineup[(seat - game) % len(lineup)] for seat in range(len(lineup)))


def seat_names(entrants: Sequence[Entrant], seating: Sequence[int]) -> list[str]:
    """Return the names of the seats of a game: a player may have several of them."""
    return [f"{entrants[player].name}-{seat}" for seat, player in enumerate(seating)]


@value
class ArenaGame:
    """A game of a block that has been played."""

    played: PlayedGame
    seating: tuple[int, ...]
    """The player in each seat."""
    answers: tuple[AnswerCounts, ...]
    """How each seat answered."""


def joined_block(number: int, games: Sequence[ArenaGame], players: int, *, with_records: bool = True) -> PlayedBlock:
    """Return the block of these games, among so many players, with or without its records."""
    errors = [""] * players
    for game in games:
        for player, counts in zip(game.seating, game.answers, strict=True):
            errors[player] = errors[player] or counts.first_error
    records = tuple(_record(game.played) for game in games) if with_records else ()
    return Block(number, tuple(map(_counted, games)), tuple(errors)), records


def _counted(game: ArenaGame) -> BlockGame:
    played = game.played
    counter = GameCounter(len(game.seating))
    counter.see_all(played.events)
    counts = tuple(_counts(found, answers) for found, answers in zip(counter.counts(), game.answers, strict=True))
    return BlockGame(game.seating, played.result.places, played.result.points, counts)


def _counts(found: PlayerCounts, answers: AnswerCounts) -> dict[str, int]:
    """Return the deeds and answers of a seat, without those that are 0."""
    counted = {name: getattr(found, name) for name in _PLAYED} | answers.named()
    return {name: number for name, number in counted.items() if number}


_PLAYED = (
    *("kyoku", "wins", "tsumo", "deal_ins", "riichi", "calls", "draws", "tenpai"),
    *("win_points", "deal_in_points"),
)
"""The counts that events decide."""


def _record(played: PlayedGame) -> bytes:
    """Return the log of a game, with its rules and results in the field ``ump``."""
    game = RecordedGame(played.names, played.ruleset, (), played.result, from_start=True, own_counting=False)
    own = f'"{FIELD}":{write(own_fields(game))}'
    narrator = Narrator(None, GIMITE)
    return "\n".join([*_lines(narrator, played.events, own), ""]).encode("ascii")


def _lines(narrator: Narrator, events: Sequence[Event], own: str) -> list[str]:
    lines = []
    for event in events:
        message = narrator.tell(event)
        if message is not None:
            lines.append(message.extended(own) if isinstance(event, GameStarted) else message.text)
    return lines
