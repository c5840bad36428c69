"""What a record may say about its game. Which of it a format can carry, and which of it a game has, is data.

The moves and the payments are no facts here: every format carries them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum

from ump.model.events import Event, HandDealt, HandWon, RiichiDeclared, TileDrawn
from ump.record.recorded_game import RecordedGame, RecordedKyoku


class Fact(Enum):
    """Something that a record may say about a game; the value is its description."""

    HANDS = "all hands and draws"
    RULES = "the rules"
    NAMES = "the names of the players"
    RESULTS = "the final places and results, with uma"
    SCORES = "the final scores"
    YAKU = "the yaku of each win"
    FU = "the fu of each win, also at the limits"
    URA = "the ura indicators of each win in riichi"
    OPEN = "which riichi are open"
    ORDER = "the place of each kan dora among the events"
    DICE = "the dice"
    COPIES = "which of the four copies each tile is"
    WALLS = "the walls, with the tiles that nobody drew"
    TIMES = "the time of each event"
    ANSWERS = "passes, refusals, timeouts and lost connections"
    TEXTS = "the texts and values that bots log"


class Carried(Enum):
    """How a format carries a fact; the value is the mark in the table of docs/records.md."""

    YES = "yes"
    OWN = "own"
    """In a field of our own, which the known readers of the format skip."""
    PARTLY = "partly"
    NO = "no"


def facts_of(game: RecordedGame) -> frozenset[Fact]:
    """Return what a game, read from a record of any format, says."""
    return frozenset(fact for fact, says in _SAYS.items() if says(game))


def _shows_hands(kyoku: RecordedKyoku) -> bool:
    """Tell whether no dealt hand and no draw is hidden."""
    dealt = all(event.faces is not None for event in kyoku.events if isinstance(event, HandDealt))
    return dealt and all(event.face is not None for event in kyoku.events if isinstance(event, TileDrawn))


def _events(game: RecordedGame) -> Iterator[Event]:
    return (event for kyoku in game.kyoku for event in kyoku.events)


def _wins(game: RecordedGame) -> list[HandWon]:
    return [event for event in _events(game) if isinstance(event, HandWon)]


_SAYS: dict[Fact, Callable[[RecordedGame], bool]] = {
    Fact.HANDS: lambda game: all(map(_shows_hands, game.kyoku)),
    Fact.RULES: lambda game: game.rules_stated,
    Fact.NAMES: lambda game: any(game.names),
    Fact.RESULTS: lambda game: game.ended is None or bool(game.ended.results),
    Fact.SCORES: lambda game: game.ended is None or bool(game.ended.points),
    Fact.YAKU: lambda game: all(won.value.yaku for won in _wins(game)),
    Fact.FU: lambda game: all(won.value.fu or won.value.yakuman for won in _wins(game)),
    Fact.OPEN: lambda game: any(isinstance(each, RiichiDeclared) and each.opened for each in _events(game)),
    Fact.COPIES: lambda game: all(kyoku.tiles is not None for kyoku in game.kyoku),
    Fact.WALLS: lambda game: all(kyoku.deal is not None for kyoku in game.kyoku),
    Fact.TIMES: lambda game: all(kyoku.times is not None for kyoku in game.kyoku),
}
"""How to see whether a game says something. The other facts are never in a ``RecordedGame``, or cannot be missing."""
