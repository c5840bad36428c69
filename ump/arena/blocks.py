"""Blocks: the games on one seed in which a lineup takes all seats in turn.

In a comparison one player, the challenger, takes each seat once against copies of the other.

A block is a pure function of its setup and its number, but for the answer times. Only whole blocks are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from random import Random
from typing import TypeAlias

from ump.arena.contestants import AnswerCounts, Clock, WatchedPolicy, policy_factory
from ump.arena.environment import PlayedGame, play_game
from ump.model.events import Event, GameStarted
from ump.model.value import value
from ump.record.own_fields import FIELD, own_fields
from ump.record.player_counts import GameCounter
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


def play_block(setup: Setup, clock: Clock, number: int) -> PlayedBlock:
    """Play a block of a comparison, and return it with the records of its games."""
    entrants = tuple(Entrant(name, name) for name in setup.players)
    return play_lineup(entrants, setup.ruleset, setup.seed, clock, number, lineup_of(number, setup.ruleset.seats))


def lineup_of(number: int, seats: int) -> tuple[int, ...]:
    """Return who sits where in the first game of a block of a comparison: the challenger among copies of the other."""
    challenger = number % 2
    return (challenger, *(1 - challenger,) * (seats - 1))


def play_lineup(
    entrants: Sequence[Entrant], ruleset: Ruleset, seed: str, clock: Clock, number: int, lineup: Sequence[int]
) -> PlayedBlock:
    """Play one game for each seat on the walls of a block, and return them with their records, as logs of mjai's.

    ``lineup`` has an index into ``entrants`` for each seat of the first game; all move by one seat from game to game.
    """
    played = []
    for game in range(ruleset.seats):
        seating = seating_of(lineup, game)
        watched = [
            watched_policy(entrants[player].kind, f"policy/{seed}/{number}/{game}/{seat}", clock)
            for seat, player in enumerate(seating)
        ]
        names = seat_names(entrants, seating)
        result = play_game(watched, ruleset, seed=f"{seed}/{number}", names=names)
        played.append(ArenaGame(result, seating, tuple(policy.counts for policy in watched)))
    return joined_block(number, played, len(entrants))


def seating_of(lineup: Sequence[int], game: int) -> tuple[int, ...]:
    """Return the player in each seat of a game of a block, counted from 0: all move by one seat from game to game."""
    return tuple(lineup[(seat - game) % len(lineup)] for seat in range(len(lineup)))


def seat_names(entrants: Sequence[Entrant], seating: Sequence[int]) -> list[str]:
    """Return the names of the seats of a game: a player may have several of them."""
    return [f"{entrants[player].name}-{seat}" for seat, player in enumerate(seating)]


def watched_policy(kind: str, seed: str, clock: Clock) -> WatchedPolicy:
    """Return a policy of this kind for one seat of one game; ``seed`` is that of its random numbers."""
    return WatchedPolicy(partial(policy_factory(kind), Random(seed)), clock)


@value
class ArenaGame:
    """A game of a block that has been played."""

    played: PlayedGame
    seating: tuple[int, ...]
    """The player in each seat."""
    answers: tuple[AnswerCounts, ...]
    """How each seat answered."""


def joined_block(number: int, games: Sequence[ArenaGame], players: int) -> PlayedBlock:
    """Return the block of these games, among so many players, with its records."""
    errors = [""] * players
    for game in games:
        for player, counts in zip(game.seating, game.answers, strict=True):
            errors[player] = errors[player] or counts.first_error
    return Block(number, tuple(map(_counted, games)), tuple(errors)), tuple(_record(game.played) for game in games)


def _counted(game: ArenaGame) -> BlockGame:
    played = game.played
    counter = GameCounter(len(game.seating))
    for event in played.events:
        counter.see(event)
    counts = []
    for found, answers in zip(counter.counts(), game.answers, strict=True):
        counted = Counter({name: getattr(found, name) for name in _PLAYED})
        counted |= Counter(
            answers=answers.answers,
            answer_microseconds=round(answers.seconds * 1e6),
            longest_answer_microseconds=round(answers.longest * 1e6),
            refusals=answers.refusals,
            timeouts=answers.timeouts,
            crashes=answers.crashes,
        )
        counted |= Counter({f"{ANSWERS_IN_CLASS}{number}": count for number, count in answers.classes.items()})
        counts.append({name: number for name, number in counted.items() if number})
    return BlockGame(game.seating, played.result.places, played.result.points, tuple(counts))


ANSWERS_IN_CLASS = "answers_in_class_"
"""Begins the names of counts of answer times; the number of the class follows (``contestants.class_of``)."""

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
    return "".join(_lines(narrator, played.events, own)).encode("ascii")


def _lines(narrator: Narrator, events: Sequence[Event], own: str) -> list[str]:
    lines = []
    for event in events:
        message = narrator.tell(event)
        if message is not None:
            lines.append(f"{message.extended(own if isinstance(event, GameStarted) else '')}\n")
    return lines
