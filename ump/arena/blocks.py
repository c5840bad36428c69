"""Blocks: the games on one seed in which a lineup takes all seats in turn; and the file that keeps them.

In a comparison one player, the challenger, takes each seat once against copies of the other.

``block_play`` plays them. Only whole blocks are counted. The file has JSON lines: the setup first, then each block in
its order.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from ump.arena.play import PlayedGame
from ump.arena.watched import ANSWERS_IN_CLASS, AnswerCounts
from ump.model.events import Event, GameEnded, GameStarted
from ump.model.game_result import GameResult
from ump.model.seats import Seat
from ump.model.value import value
from ump.record.player_counts import GameCounter, PlayerCounts
from ump.record.record_format import FIELD, own_fields
from ump.record.recorded_game import RecordedGame
from ump.wire.json_text import write
from ump.wire.mjai.events import GIMITE, MjaiNarrator


@value
class ArenaPlayer:
    """A player of a comparison or an arena."""

    name: str
    """In reports and records."""
    kind: str
    """As ``policy_factory`` reads it."""


@value
class BlockGame:
    """A game of a block, as its file keeps it."""

    seating: tuple[int, ...]
    """The player in each seat, as an index into the players of the setup."""
    result: GameResult
    """Points and places; blocks count placement points in place of uma and oka."""
    counts: tuple[dict[str, int], ...]
    """The deeds of each seat: the counts of ``PlayerCounts`` that are not 0, and ``crashes``; times in microseconds.

    ``answers`` are the legal ones that the player gave itself.
    """


class DecisionClass(Enum):
    """The class of a decision in which two answers differ."""

    QUIET_3 = "discard, 3 or more from tenpai"
    QUIET_2 = "discard, 2 from tenpai"
    QUIET_1 = "discard, 1 from tenpai"
    QUIET_0 = "discard, tenpai"
    THREAT = "discard against a riichi"
    FOLD = "fold or go on"
    RIICHI = "riichi or not"
    CALL = "call or not"
    KAN = "kan or not"
    OTHER = "another decision"


@value
class Fork:
    """A decision in which two policies differ, and what the new answer gains for the seat."""

    decision: DecisionClass
    seat: Seat
    kyoku: int
    """The place of the kyoku in the game, from 0."""
    left: int
    """The tiles left in the live wall."""
    old: str
    new: str
    """The two answers in words."""
    points: int
    """The gain by the end of the kyoku, in points."""
    places: float
    """The gain in placement points: those that the scores after the kyoku lead to, or those of the game if it ends."""
    opinions: tuple[float, float]
    """The gain in points after two and after three own turns, in the opinion of a reviewer. Where it has none, as after
    a win or in riichi, the end of the kyoku takes its place."""


@value
class Block:
    """The games of one seed."""

    number: int
    """From 0."""
    games: tuple[BlockGame, ...]
    errors: tuple[str, ...]
    """The first fault of each player in words, empty without one."""
    forks: tuple[Fork, ...] = ()
    """The forks of its only game, where such are played."""

    @property
    def challenger(self) -> int:
        """The player that sits alone in a comparison."""
        seating = self.games[0].seating
        return min(seating, key=seating.count)

    @property
    def games_ahead(self) -> int:
        """The games of a comparison in which the first player did better than the second one's copies, or they worse.

        The one that sits alone is ahead in the upper half of the places.
        """
        alone = self.challenger
        upper = sum(2 * game.result.places[game.seating.index(alone)] <= len(game.seating) for game in self.games)
        return len(self.games) - upper if alone else upper

    def advantage(self, points: Sequence[float]) -> float:
        """Return x: placement points per game by which the first player was better than its share.

        If the second player is the challenger, it is that one's advantage, negated. The expectation is 0 for equals.
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
    got = []
    for game in block.games:
        for seat, player in enumerate(game.seating):
            if player == challenger:
                got.append(placement_points(game.result.places, seat, points))
    return sum(got) / len(got) - sum(points) / len(points)


MOST_FAULTS = 0.1
"""The part of a player's answers in a block that may be faults: with more of them, it is not the player that plays."""


class FailingPlayer(Exception):
    """A player that does not play by itself; the message is one line."""


def check_players(block: Block, names: Sequence[str]) -> None:
    """Raise FailingPlayer if a player gave no answer of its own in a block, or if too many of them are faults."""
    for player, name in enumerate(names):
        counts: Counter[str] = Counter()
        for game in block.games:
            for seat, seated in enumerate(game.seating):
                if seated == player:
                    counts.update(game.counts[seat])
        answers = counts["answers"]
        found = {fault: counts[fault] for fault in FAULTS if counts[fault]}
        faults = sum(found.values())
        if faults > MOST_FAULTS * (answers + faults):
            listed = ", ".join(f"{number} {fault}" for fault, number in found.items())
            error = f": {block.errors[player]}" if block.errors[player] else ""
            own = f"{answers} answers" if answers else "no answer"
            raise FailingPlayer(f"{name} fails in block {block.number}: {own} of its own, {listed}{error}")


def placement_points(places: Sequence[int], seat: int, points: Sequence[float]) -> float:
    """Return the placement points of a seat; seats that share a place share the points of these places."""
    place = places[seat]
    shared = places.count(place)
    return sum(points[place - 1 : place - 1 + shared]) / shared


def seating_of(lineup: Sequence[int], game: int) -> tuple[int, ...]:
    """Return the player in each seat of a game of a block, counted from 0: all move by one seat from game to game."""
    return tuple(lineup[(seat - game) % len(lineup)] for seat in range(len(lineup)))


def seat_names(entrants: Sequence[ArenaPlayer], seating: Sequence[int]) -> list[str]:
    """Return the names of the seats of a game: a player may have several of them."""
    return [f"{entrants[player].name}-{seat}" for seat, player in enumerate(seating)]


@value
class ArenaGame:
    """A game of a block that has been played."""

    played: PlayedGame
    seating: tuple[int, ...]
    """The player in each seat."""
    answers: tuple[AnswerCounts, ...]
    """The counts of each seat's answers."""


def joined_block(number: int, games: Sequence[ArenaGame], players: int, *, with_records: bool = True) -> PlayedBlock:
    """Return the block of these games, among so many players, with or without its records."""
    errors = [""] * players
    for game in games:
        for player, counts in zip(game.seating, game.answers, strict=True):
            errors[player] = errors[player] or counts.first_error
    records = []
    if with_records:
        for game in games:
            records.append(record_of(game.played))
    return Block(number, tuple(map(_counted, games)), tuple(errors)), tuple(records)


def _counted(game: ArenaGame) -> BlockGame:
    played = game.played
    counter = GameCounter(len(game.seating))
    counter.see_all(played.events)
    counts = tuple(map(_counts, counter.counts(), game.answers))
    return BlockGame(game.seating, GameResult(played.result.points, played.result.places), counts)


def _counts(found: PlayerCounts, answers: AnswerCounts) -> dict[str, int]:
    """Return the deeds and answers of a seat, without those that are 0."""
    counted = {name: getattr(found, name) for name in _PLAYED} | answers.named()
    return {name: number for name, number in counted.items() if number}


FAULTS = ("crashes", "refusals", "timeouts")
"""The counts of what a player did wrong, or not at all."""

_PLAYED = (
    *("kyoku", "wins", "tsumo", "deal_ins", "riichi", "calls", "draws", "tenpai"),
    *("win_points", "deal_in_points"),
)
"""The counts that events decide."""


def record_of(played: PlayedGame) -> bytes:
    """Return the log of a game, with its rules and results in the field ``ump``."""
    ended = played.events[-1]
    assert isinstance(ended, GameEnded)
    game = RecordedGame(played.names, played.ruleset, (), ended, from_start=True, own_counting=False)
    own = f'"{FIELD}":{write(own_fields(game))}'
    narrator = MjaiNarrator(None, GIMITE)
    return "\n".join([*_lines(narrator, played.events, own), ""]).encode("ascii")


def _lines(narrator: MjaiNarrator, events: Sequence[Event], own: str) -> list[str]:
    lines = []
    for event in events:
        message = narrator.tell(event)
        if message is not None:
            lines.append(message.extended(own) if isinstance(event, GameStarted) else message.text)
    return lines


FILE_NAME = "blocks.jsonl"
"""The name of the file in the folder of a comparison."""

SEATS = (3, 4)
"""The numbers of seats that a game has."""

_COUNT = re.compile(rf"(?!{ANSWERS_IN_CLASS})\w+|{ANSWERS_IN_CLASS}[0-9]{{1,2}}")
"""The name of a count."""


class ResultsError(ValueError):
    """A file of blocks that is unreadable, or belongs to another setup."""


def setup_hash(setup: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a setup as JSON, in hex: blocks of equal hashes belong together."""
    return sha256(json.dumps(setup, sort_keys=True).encode()).hexdigest()


def written_block(block: Block) -> str:
    """Return the line of a block, without its end."""
    data = {"block": block.number, "games": list(map(_game_data, block.games)), "errors": block.errors}
    if block.forks:
        data["forks"] = list(map(_fork_data, block.forks))
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _game_data(game: BlockGame) -> dict[str, Any]:
    result = game.result
    return {"seats": game.seating, "places": result.places, "points": result.points, "counts": game.counts}


FORK_PARTS = 10
"""The parts of a fork in a file."""


def _fork_data(fork: Fork) -> list[object]:
    where = [fork.decision.name, fork.seat, fork.kyoku, fork.left]
    return [*where, fork.old, fork.new, fork.points, fork.places, *fork.opinions]


def _read_fork(data: Sequence[Any]) -> Fork:
    """Return a fork of a block; raises KeyError, TypeError or ValueError if it is none."""
    if len(data) != FORK_PARTS:
        raise ValueError(f"a fork has {FORK_PARTS} parts")
    name, seat, kyoku, left, old, new, points, places, first, second = data
    if set(map(type, (seat, kyoku, left, points))) != {int} or set(map(type, (old, new))) != {str}:
        raise ValueError("a fork has whole numbers and two answers in words")
    return Fork(DecisionClass[name], seat, kyoku, left, old, new, points, float(places), (float(first), float(second)))


def read_block(line: str, players: int) -> Block:
    """Return the block of a line, of games of so many players; raises ValueError if it is none."""
    try:
        data = json.loads(line)
        number, listed, errors = data["block"], data["games"], data.get("errors", ("",) * players)
        games = tuple(_read_game(each, players) for each in listed)
        forks = tuple(map(_read_fork, data.get("forks", ())))
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(f"no block: {error}") from error
    if type(number) is not int or not games:
        raise ValueError("a block has a number and games")
    if len(errors) != players or not all(isinstance(error, str) for error in errors):
        raise ValueError(f"a block has a text for each of {players} players")
    return Block(number, games, tuple(errors), forks)


def _read_game(data: Mapping[str, Any], players: int) -> BlockGame:
    """Return a game of a block; raises KeyError, TypeError or ValueError if it is none."""
    seats, places, points, counts = (tuple(data[key]) for key in ("seats", "places", "points", "counts"))
    size = len(seats)
    if size not in SEATS or not len(places) == len(points) == len(counts) == size:
        raise ValueError("a game has a player, a place, points and counts for each of 3 or 4 seats")
    names: list[str] = []
    numbers = [*seats, *places, *points]
    for named in counts:
        names += named
        numbers += named.values()
    if set(map(type, numbers)) != {int}:
        raise ValueError("players, places, points and counts are whole numbers")
    if not set(seats) <= set(range(players)) or not set(places) <= set(range(1, size + 1)):
        raise ValueError("no such player or place")
    if not all(map(_COUNT.fullmatch, names)):
        raise ValueError("no such count")
    return BlockGame(seats, GameResult(points, places), counts)


class ResultsFile:
    """The blocks of one setup, which is given as JSON, in a folder."""

    def __init__(self, folder: Path, setup: Mapping[str, Any], players: int) -> None:
        """``players``: how many there are in the setup."""
        self.path = folder / FILE_NAME
        self._setup = setup
        self._players = players
        self._file: TextIO | None = None

    def create(self) -> None:
        """Begin the file; raises ResultsError if there is one, OSError if it cannot be written."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._file = self.path.open("x", encoding="utf-8")
        except FileExistsError:
            raise ResultsError(f"{self.path} exists; give --resume to go on with it, or another folder") from None
        head = {"setup": self._setup, "hash": setup_hash(self._setup)}
        print(json.dumps(head, ensure_ascii=False), file=self._file, flush=True)

    def resume(self) -> list[Block]:
        """Return the blocks of the file, and go on after them; without a file, create it.

        A line that was cut while it was written is removed. Raises ResultsError if the file belongs to another setup or
        is damaged, OSError if it is not accessible.
        """
        if not self.path.exists():
            self.create()
            return []
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        try:
            head, *lines = whole.decode().split("\n")[:-1] or [""]
            if json.loads(head)["hash"] != setup_hash(self._setup):
                raise ResultsError(f"{self.path} has other players, rules, seed, placement points, schedule or time")
            blocks = [read_block(line, self._players) for line in lines]
        except (KeyError, TypeError, ValueError) as error:
            raise error if isinstance(error, ResultsError) else ResultsError(f"{self.path}: damaged: {error}") from None
        if [block.number for block in blocks] != list(range(len(blocks))):
            raise ResultsError(f"{self.path}: damaged: blocks are missing")
        self._file = self.path.open("r+", encoding="utf-8")
        self._file.truncate(len(whole))
        self._file.seek(0, 2)
        return blocks

    def add(self, block: Block) -> None:
        """Append a block; raises OSError."""
        assert self._file is not None
        print(written_block(block), file=self._file, flush=True)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
