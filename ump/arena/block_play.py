"""Blocks are played between policies, side by side and in processes, kept and counted in their order.

A block is a pure function of its match and its plan, but for the answer times, as long as policies answer by the
question alone.
"""

from __future__ import annotations

import gc
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import fields, replace
from functools import cache, partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from ump.arena.blocks import (
    ArenaGame,
    ArenaPlayer,
    Block,
    PlannedBlock,
    PlayedBlock,
    ResultsFile,
    joined_block,
    seat_names,
    seating_of,
)
from ump.arena.environment import Environment
from ump.arena.play import BatchPolicy, OneTable, OpenGame, is_batched, play_side_by_side
from ump.arena.statistics import answer_quantile, answers_in_classes
from ump.arena.watched import AnswerCounts, Clock, CountedPlayer, WatchedBatch, WatchedPlayer
from ump.model.choices import unknown
from ump.model.value import value
from ump.players.expert import Expert, Personality
from ump.players.policy import PERSONALITIES, POLICIES, Policy, RandomLegal
from ump.rules.ruleset import Ruleset

_CLASS = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)")


RANDOM = "random"

CLASSES: Mapping[str, str] = {"twin": "ump.env.network:Twin"}
"""The built-in players that need numpy, and their classes."""

PLAYERS = (*POLICIES, *CLASSES, RANDOM)
"""The built-in players."""


class ContestantError(ValueError):
    """A player that does not exist, or that cannot be created."""


def policy_factory(kind: str) -> Callable[[str], Policy]:
    """Return a function that creates a policy of this kind for one seat of one game, from the seed of its chances.

    The kind is one of ``PLAYERS``, or ``MODULE:CLASS`` with a class whose instances have the method ``choose`` of
    ``Policy`` or ``choose_all`` of ``BatchPolicy``. It is created without arguments, or with constants after the kind,
    as in ``expert:caution=0.6,call_bonus=100``. Raises ContestantError if there is no such player.
    """
    base, constants = split_constants(kind)
    if constants and base in PLAYERS:
        return _without_seed(partial(Expert, _personality(base, constants)))
    if kind == RANDOM:
        return _random_legal
    if kind in POLICIES:
        return _without_seed(POLICIES[kind])
    found = policy_class(kind)
    if is_batched_kind(kind):
        return _without_seed(partial(_one_table, kind))
    return _without_seed(found)


_CONSTANT = r"([A-Za-z_]\w*)=(-?\d{1,9}(?:\.\d{1,9})?)"
_WITH_CONSTANTS = re.compile(rf"(.+?):({_CONSTANT}(?:,{_CONSTANT})*)", re.ASCII)


def split_constants(kind: str) -> tuple[str, dict[str, float]]:
    """Return the kind of a policy without its constants, and the constants."""
    parts = _WITH_CONSTANTS.fullmatch(kind)
    if parts is None:
        return kind, {}
    return parts[1], {name: float(number) for name, number in re.findall(_CONSTANT, parts[2], re.ASCII)}


def with_constants(kind: str, constants: Mapping[str, float]) -> str:
    """Return the kind of a policy with these constants."""
    base, given = split_constants(kind)
    written = []
    for name, number in (given | dict(constants)).items():
        digits = f"{number:.6f}".rstrip("0").rstrip(".")
        written.append(f"{name}={digits}")
    return f"{base}:{','.join(written)}" if written else base


def _personality(kind: str, constants: Mapping[str, float]) -> Personality:
    """Return the personality of a built-in bot with other constants; raises ContestantError."""
    if kind not in PERSONALITIES:
        raise ContestantError(f"{kind} has no constants; {', '.join(PERSONALITIES)} have some")
    known = [field.name for field in fields(Personality) if isinstance(field.default, float)]
    for name in constants:
        if name not in known:
            raise ContestantError(f"{kind}: {unknown('constant', name, known)}")
    changed: dict[str, Any] = dict(constants)
    return replace(PERSONALITIES[kind], **changed)


def _random_legal(seed: str) -> Policy:
    return RandomLegal(Random(seed))


def _one_table(kind: str) -> Policy:
    return OneTable(batch_policy(kind))


def _without_seed(create: Callable[[], Policy]) -> Callable[[str], Policy]:
    """Return a function that creates the same policy for each seed."""

    def _create(_seed: str) -> Policy:
        return create()

    return _create


def is_batched_kind(kind: str) -> bool:
    """Tell whether players of this kind decide about many tables in one call; raises ContestantError."""
    base, _ = split_constants(kind)
    if base in POLICIES or base == RANDOM:
        return False
    return is_batched(policy_class(base))


@cache
def batch_policy(kind: str) -> BatchPolicy:
    """Return the batched policy of ``MODULE:CLASS``: one for the whole process, because it may be large."""
    policy: BatchPolicy = policy_class(kind)()
    return policy


@cache
def policy_class(kind: str) -> Callable[[], Any]:
    """Return the class of ``MODULE:CLASS``, which has ``choose`` or ``choose_all``; raises ContestantError."""
    base, constants = split_constants(kind)
    parts = _CLASS.fullmatch(CLASSES.get(base, base))
    if parts is None:
        raise ContestantError(f"{unknown('player', kind, PLAYERS)}, or MODULE:CLASS")
    try:
        found = getattr(import_module(parts[1]), parts[2])
    except (Exception, SystemExit) as error:  # a module of somebody else may raise anything
        if base in CLASSES and isinstance(error, ModuleNotFoundError):
            raise ContestantError(f"{kind} needs numpy: pip install 'ump-mahjong[rl]'") from None
        raise ContestantError(f"{kind}: {type(error).__name__}: {error}") from error
    if not (callable(getattr(found, "choose", None)) or is_batched(found)):
        hint = "; a Bot plays in 'ump arena run', as 'mjai:python3 FILE -'" if hasattr(found, "decide") else ""
        raise ContestantError(f"{kind}: the class has neither choose nor choose_all{hint}")
    create: Callable[[], Any] = partial(found, **constants) if constants else found
    return create


@value
class Match:
    """The players, rules and seed of all blocks."""

    entrants: tuple[ArenaPlayer, ...]
    ruleset: Ruleset
    seed: str


def play_planned(
    match: Match, clock: Clock, planned: Sequence[PlannedBlock], *, with_records: bool = True
) -> list[PlayedBlock]:
    """Play blocks, and return them with the records of their games as logs of mjai's, or without records.

    A game on the walls of its block is played for each seat. All of these games are played side by side, so that
    batched policies are asked about all of them at once.
    """
    batches = {}
    for player, entrant in enumerate(match.entrants):
        if is_batched_kind(entrant.kind):
            batches[player] = WatchedBatch(partial(batch_policy, entrant.kind), clock)
    games_of: defaultdict[int, list[_OpenArenaGame]] = defaultdict(list)
    opened = []
    for block in planned:
        for number in range(match.ruleset.seats):
            game = _open_game(match, clock, batches, block, number)
            games_of[block.number].append(game)
            opened.append(game.opened)
    play_side_by_side(opened)
    blocks = []
    for number, games in games_of.items():
        played = [game.played() for game in games]
        blocks.append(joined_block(number, played, len(match.entrants), with_records=with_records))
    return blocks


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
    players: list[CountedPlayer | WatchedPlayer] = []
    for seat, player in enumerate(seating):
        if player in batches:
            players.append(batches[player].player())
        else:
            seed = f"policy/{match.seed}/{block.number}/{game}/{seat}"
            players.append(watched_player(match.entrants[player].kind, seed, clock))
    number = block.number * match.ruleset.seats + game
    return _OpenArenaGame(OpenGame(number, environment, players), seating, tuple(player.counts for player in players))


def watched_player(kind: str, seed: str, clock: Clock) -> WatchedPlayer:
    """Return a player of this kind for one seat of one game; ``seed`` is that of its random numbers."""
    return WatchedPlayer(partial(policy_factory(kind), seed), clock)


RARE = (20_000, 10, 100)
"""When Python's collector looks: after so many new objects, and through older ones each 10th and 1,000th time."""

GAMES = "games"
"""The folder of the records in the folder of ``--out``."""

BlockResults: TypeAlias = Callable[[Iterable[PlannedBlock]], Generator[PlayedBlock, None, None]]
"""A function that plays planned blocks and yields them in their order."""


@value
class BlockRun:
    """The blocks to play, and the functions that take the results."""

    setup: Mapping[str, Any]
    """As JSON: what a resumed file must have in common."""
    players: Sequence[str]
    """Their names."""
    results: BlockResults
    """May be closed early."""
    add: Callable[[Block], None]
    """Counts the next block."""
    needs_more: Callable[[], bool]
    """Whether another block is needed after those that were counted."""
    pending: Callable[[], Iterable[PlannedBlock]]
    """The blocks that are known to be needed then."""
    progress: Callable[[], str]
    """Returns the text that shows how far the run is."""
    blocks: Callable[[], int | None]
    """Returns how many blocks will be needed, or about how many if a test decides; None if nobody knows."""


def play_on(run: BlockRun, out: Path | None, file: ResultsFile | None) -> Generator[Block, None, None]:
    """Play blocks until enough are counted; yield each one when it is."""
    with rare_collections():
        while run.needs_more():
            with closing(run.results(run.pending())) as played:
                for block, records in played:
                    if out is not None and file is not None:
                        _keep(out / GAMES, block, records)
                        file.add(block)
                    run.add(block)
                    yield block
                    if not run.needs_more():
                        break


def in_groups(
    play: Callable[[Iterable[Sequence[PlannedBlock]]], Generator[list[PlayedBlock], None, None]], size: int
) -> BlockResults:
    """Return what plays blocks in groups of ``size`` blocks, with a function that plays groups."""

    def _results(planned: Iterable[PlannedBlock]) -> Generator[PlayedBlock, None, None]:
        with closing(play(_groups(planned, size))) as played:
            for group in played:
                yield from group

    return _results


def _groups(planned: Iterable[PlannedBlock], size: int) -> Iterator[Sequence[PlannedBlock]]:
    waiting = iter(planned)
    while group := tuple(islice(waiting, size)):
        yield group


def has_batches(match: Match) -> bool:
    """Tell whether a player decides about many tables in one call."""
    return any(is_batched_kind(entrant.kind) for entrant in match.entrants)


def blocks_together(match: Match, tables: int) -> int:
    """Return how many blocks are played side by side: one is enough without batched policies."""
    return max(1, tables // match.ruleset.seats) if has_batches(match) else 1


def _keep(folder: Path, block: Block, records: tuple[bytes, ...]) -> None:
    """Write the records of a block's games: ``000012-3.mjson`` is the last game of block 12."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, record in enumerate(records):
        (folder / record_name(block.number, number)).write_bytes(record)


def record_name(block: int, game: int) -> str:
    """Return the name of the record of a game in ``GAMES``."""
    return f"{block:06}-{game}.mjson"


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let the collector look rarely, and never through what is loaded now. Forked processes inherit that.

    It would look through the events of all open games again and again. Games have no circles, so what a collection
    could free belongs to policies.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*RARE)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


MOVE_SHARE = 0.25
"""The part of the time for a move that 99 % of the answers may take: beyond it, load decides games."""

ENOUGH = 200
"""Answers of programs from which their times are judged."""


class Tempo:
    """The number of blocks at a time. It never grows again: the load that was too much would come back."""

    def __init__(self, most: int, move: float, programs: Collection[int]) -> None:
        """Begin with ``most`` blocks; ``move``: the seconds for a move; ``programs``: the players that are programs."""
        self.blocks = most
        self._limit = MOVE_SHARE * move * 1_000
        self._programs = programs
        self._counts: Counter[str] = Counter()
        """The answer times of programs in the latest blocks, as a block has them."""

    def see(self, block: Block) -> float | None:
        """Take a block that was played. If fewer are played at a time now, return the milliseconds that say why."""
        for game in block.games:
            for player, counts in zip(game.seating, game.counts, strict=True):
                if player in self._programs:
                    self._counts.update(counts)
        if sum(answers_in_classes(self._counts).values()) < ENOUGH:
            return None
        slow = answer_quantile(self._counts, 0.99)
        self._counts.clear()
        if slow is None or slow <= self._limit or self.blocks == 1:
            return None
        self.blocks = self.blocks // 2
        return slow
