"""Descriptions of record formats: how to recognise, read and write each, and what it can carry.

The module of each format has a value of the class ``RecordFormat``; ``ump.record.formats`` lists them. The commands,
the table in docs/records.md and the tests follow from that list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, TypeAlias

from ump.model import events as ev
from ump.model.value import value
from ump.record.findings import Findings, StatedGame
from ump.record.hand_values import MOST_FU
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError, lacks_ura
from ump.record.replay import Replayed
from ump.rules.options import OPTIONS, RulesetError
from ump.rules.ruleset import Ruleset
from ump.wire.json_text import JSON


class Fact(Enum):
    """Something that a record may say about a game; the value is its description."""

    HANDS = "all hands and draws"
    RULES = "the rules"
    NAMES = "the names of the players"
    RESULTS = "the final places and results, with uma"
    SCORES = "the final scores"
    YAKU = "the yaku of each win"
    FU = "the fu of each win, also at the limits"
    WORTH = "the points of each win"
    PAYMENTS = "the payments of each result"
    TSUMOGIRI = "which discards are the tile just drawn"
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
    """The way a format carries a fact; the value is the mark in the table of docs/records.md."""

    YES = "yes"
    OWN = "own"
    """In a field of our own, which the known readers of the format skip."""
    PARTLY = "partly"
    NO = "no"


def facts_of(game: RecordedGame) -> frozenset[Fact]:
    """Return what a game, read from a record of any format, says.

    The facts that are not mentioned here are never in a ``RecordedGame``, or cannot be missing.
    """
    kyoku, ended, wins = game.kyoku, game.ended, _wins(game)
    results = [event for event in _events(game) if isinstance(event, ev.HandWon | ev.KyokuDrawn)]
    is_said = {
        Fact.HANDS: not any(part.hidden for part in kyoku),
        Fact.RULES: game.rules_stated,
        Fact.NAMES: any(game.names),
        Fact.RESULTS: ended is None or game.stopped or bool(ended.results),
        Fact.SCORES: ended is None or bool(ended.points),
        Fact.WORTH: all(won.value.base for won in wins),
        Fact.PAYMENTS: all(result.changes for result in results),
        Fact.TSUMOGIRI: game.tsumogiri_stated and not any(part.wrong_tsumogiri for part in kyoku),
        Fact.URA: not any(lacks_ura(won, game) for won in wins),
        Fact.YAKU: all(won.value.yaku for won in wins),
        Fact.FU: all(won.value.fu or won.value.yakuman for won in wins),
        Fact.OPEN: any(isinstance(event, ev.RiichiDeclared) and event.opened for event in _events(game)),
        Fact.COPIES: all(part.tiles is not None for part in kyoku),
        Fact.WALLS: all(part.deal is not None for part in kyoku),
        Fact.TIMES: all(part.times is not None for part in kyoku),
    }
    return frozenset(fact for fact, says in is_said.items() if says)


def _events(game: RecordedGame) -> Iterator[ev.Event]:
    for kyoku in game.kyoku:
        yield from kyoku.events


def _wins(game: RecordedGame) -> list[ev.HandWon]:
    return [event for event in _events(game) if isinstance(event, ev.HandWon)]


# Formats


Read: TypeAlias = Callable[[bytes], tuple[RecordedGame, ...]]
"""Reads all games of a file; raises RecordError."""

State: TypeAlias = Callable[[bytes, Ruleset | None, Findings], list[StatedGame]]
"""Reads all games of a file as far as they are readable, and adds their faults to the findings.

The bytes have all their lines. The rules are those of games that do not state theirs. Raises RecordError for a file
without the form of the format.
"""

Write: TypeAlias = Callable[[RecordedGame], bytes]
"""Writes one game. It leaves out what the game does not say; ``ump.record.conversion`` has checked ``needs`` before."""

Cell: TypeAlias = str | int | bool | None
"""The content of a cell; None where the record does not say it, or there is nothing to say."""

Row: TypeAlias = Mapping[str, Cell]
"""The cells of a row by column. A column that is missing here is empty."""

Tabulate: TypeAlias = Callable[[RecordedGame, str, str], Mapping[str, Sequence[Row]]]
"""Returns the rows of one game for each table, from the game, its name, and the key of the format it was read from."""


@value
class RecordFormat:
    """A format of records."""

    key: str
    """The word for ``--to`` and ``--from``."""
    name: str
    """The name in the documentation."""
    suffix: str
    """The end of the names of files, as in ``.mjson``."""
    sniff: Callable[[bytes], object]
    """Returns something true if an unpacked file, without BOM and leading blanks, looks like this format."""
    read: Read | None
    """None if the format is only written."""
    write: Write | None
    """None if the format is only read."""
    carries: Mapping[Fact, Carried]
    """The way it carries each fact; a fact that is missing here is not carried."""
    needs: frozenset[Fact] = frozenset()
    """The facts without which the format cannot be written, or lacks what its readers expect."""
    players: tuple[int, ...] = (4,)
    """The numbers of players whose games can be written."""
    state: State | None = None
    """Reads a file for the linter; None: the linter judges the games that ``read`` returns."""
    tabulate: Tabulate | None = None
    """For a format that holds all games in the same tables; ``write`` is None then."""
    check: Callable[[bytes], Replayed] | None = None
    """Verifies a file with more than the moves; None: its games are replayed. Raises RecordError."""

    @property
    def is_written(self) -> bool:
        """Whether games can be converted to this format."""
        return self.write is not None or self.tabulate is not None

    @property
    def is_for_programs(self) -> bool:
        """Whether other programs read it as a record: text, tables and pages are for people."""
        return self.read is not None

    def carried(self, fact: Fact) -> Carried:
        """Return how the format carries a fact."""
        return self.carries.get(fact, Carried.NO)


OF_RESULTS = frozenset((Fact.URA, Fact.WORTH, Fact.PAYMENTS, Fact.TSUMOGIRI))
"""The facts without which formats cannot be written that tell no unknown value from none."""


OF_ALL = (Fact.WORTH, Fact.PAYMENTS, Fact.TSUMOGIRI)
"""The facts that every format has a place for."""


def carrying(marks: Mapping[Carried, tuple[Fact, ...]]) -> dict[Fact, Carried]:
    """Return the table of a format from the facts of each mark; those of ``OF_ALL`` need no mention."""
    carried = dict.fromkeys(OF_ALL, Carried.YES)
    for mark, facts in marks.items():
        carried |= dict.fromkeys(facts, mark)
    return carried


# The field ``ump`` that our writers add to formats of other programs, for facts that those have no place for.
#
# It is one JSON object; the readers of the other programs skip it. ``rules`` has each field of the rules as a text,
# as in a journal; ``results`` has the final results in tenths of a thousand points, and ``places`` the final places;
# ``dice`` has the two dice of each kyoku, ``fu`` the fu of each win, and ``own_counting`` is true for lobbies that
# count more than points. ``stopped`` is true if the scores at the end are those at which the game was stopped.

FIELD = "ump"
"""The name of the field."""

MOST_NAME = 200
"""Limit of the name of rules, in characters."""

UNKNOWN_DICE = [1, 1]
"""The result of readers for dice that the record does not state."""

MOST_RESULT = 10_000_000
"""Limit of a result, in tenths of a thousand points."""


def written_rules(ruleset: Ruleset) -> dict[str, str]:
    """Return every field of a ruleset as a text."""
    return {"name": ruleset.name} | {field: option.format(ruleset) for field, option in OPTIONS.items()}


def read_rules(given: object) -> Ruleset:
    """Return the ruleset that these texts describe; raise RecordError if they are no rules."""
    if not isinstance(given, Mapping):
        raise RecordError("rules: expected an object")
    texts = {str(key).replace("-", "_"): text for key, text in given.items() if key != "name"}
    unknown = texts.keys() - OPTIONS.keys()
    if unknown:
        raise RecordError(f"rules: unknown rule {min(unknown)[:40]!a}")
    name = given.get("name", "")
    if not isinstance(name, str) or len(name) > MOST_NAME or not all(isinstance(text, str) for text in texts.values()):
        raise RecordError("rules: expected texts")
    if not name.isprintable():  # it is shown on terminals
        raise RecordError("rules: name: a character that cannot be printed")
    try:
        parsed: dict[str, Any] = {field: OPTIONS[field].parse(text) for field, text in texts.items()}
    except RulesetError as error:
        raise RecordError(f"rules: {error}") from None
    return Ruleset(name=name, **parsed)


def own_fields(game: RecordedGame, *, with_fu: bool = False) -> dict[str, object]:
    """Return the content of the field for a game; empty if the record says nothing of it.

    ``with_fu`` adds the fu of all wins, for formats that lack them at the limits.
    """
    own: dict[str, object] = {}
    if game.rules_stated:
        own["rules"] = written_rules(game.ruleset)
    if game.own_counting:
        own["own_counting"] = True
    if game.stopped:
        own["stopped"] = True
    elif game.ended is not None and game.ended.results:
        own |= {"places": list(game.ended.places), "results": list(game.ended.results)}
    dice = [list(kyoku.dice) for kyoku in game.kyoku]
    if dice != [UNKNOWN_DICE] * len(dice):
        own["dice"] = dice
    if with_fu:
        own["fu"] = [won.value.fu for won in _wins(game)]
    return own


def joined(own: JSON, more: JSON) -> JSON:
    """Return the content of the field for a game from those of its first kyoku and of the next one."""
    if not isinstance(own, dict) or not isinstance(more, dict):
        return None
    whole = dict(own)
    for name, unknown in (("dice", [list[JSON](UNKNOWN_DICE)]), ("fu", [])):
        entries: list[JSON] = []
        for each in (own, more):
            listed = each.get(name, unknown)
            if isinstance(listed, list):
                entries += listed
        whole[name] = entries
    return whole


def stated_rules(own: JSON) -> Ruleset | None:
    """Return the rules in the content of the field; None if it has none. Raise RecordError if they are malformed."""
    return read_rules(own["rules"]) if isinstance(own, dict) and "rules" in own else None


def stated_end(ended: ev.GameEnded | None, own: JSON) -> ev.GameEnded | None:
    """Return the end that a record states; None if the content of the field says that the game was stopped."""
    if isinstance(own, dict) and own.get("stopped") is True:
        return None
    return ended


def with_own_fields(game: RecordedGame, own: JSON) -> RecordedGame:
    """Return a game with the facts in the content of the field; raise RecordError if they are malformed."""
    if not isinstance(own, dict):
        return game
    game = replace(game, own_counting=own.get("own_counting") is True, ended=stated_end(game.ended, own))
    dice = own.get("dice")
    if isinstance(dice, list) and len(dice) == len(game.kyoku):
        game = replace(game, kyoku=tuple(map(_with_dice, game.kyoku, dice)))
    if "fu" in own:
        fu = iter(_integers(own["fu"], "fu", len(_wins(game)), MOST_FU))
        game = replace(game, kyoku=tuple(_with_fu(kyoku, fu) for kyoku in game.kyoku))
    if game.ended is None or "results" not in own:
        return game
    results = _integers(own["results"], "results", len(game.names), MOST_RESULT)
    places = _integers(own.get("places"), "places", len(game.names), len(game.names))
    return replace(game, ended=ev.GameEnded(game.ended.points, places, results))


def _with_dice(kyoku: RecordedKyoku, given: JSON) -> RecordedKyoku:
    first, second = _integers(given, "dice", 2, 6)
    events = (replace(kyoku.started, dice=(first, second)), *kyoku.events[1:])
    return replace(kyoku, events=events, dice=(first, second))


def _with_fu(kyoku: RecordedKyoku, fu: Iterator[int]) -> RecordedKyoku:
    events = []
    for event in kyoku.events:
        if isinstance(event, ev.HandWon):
            event = replace(event, value=replace(event.value, fu=next(fu)))
        events.append(event)
    return replace(kyoku, events=tuple(events))


def _integers(given: JSON, name: str, count: int, most: int) -> tuple[int, ...]:
    if isinstance(given, list) and len(given) == count:
        numbers = [each for each in given if type(each) is int and abs(each) <= most]
        if len(numbers) == count:
            return tuple(numbers)
    raise RecordError(f"{name}: expected {count} numbers")
