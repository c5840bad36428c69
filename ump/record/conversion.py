"""Convert records from one format to another. Pure: bytes in, bytes out.

Nothing is invented. If the target needs a fact that the source lacks, it is derived if possible; otherwise that is an
error that names the fact. With ``lossy`` the record is written all the same, with an assumption or without the field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ump.model import events as ev
from ump.model.seats import LETTERS, Seat
from ump.model.setting import setting
from ump.model.value import value
from ump.model.yaku import HandValue
from ump.record.formats import content, named, read_games, sniffed
from ump.record.game_builder import with_listed_dora
from ump.record.html import document
from ump.record.record_files import RecordSource, read_source, unpacked
from ump.record.record_format import Carried, Fact, RecordFormat, Row, facts_of
from ump.record.recorded_game import (
    NoKyokuError,
    RecordedGame,
    RecordedKyoku,
    RecordError,
    lacks_ura,
    scores_after,
    sorted_yaku,
)
from ump.record.replay import Replay
from ump.rules.options import RuleChange, RulesetError, changed
from ump.rules.placement import chips_of, final_points, placement
from ump.rules.presets import rounded_as
from ump.rules.ruleset import Length, Ruleset
from ump.table.view import view
from ump.wire.json_text import write

# Facts that follow from others
#
# All but the payments between two stated scores need the rules, from the record or from the user, and a replay needs
# all hands. A game whose replay differs from the record gets nothing, because its values might be wrong, too.


def derived(game: RecordedGame, missing: frozenset[Fact]) -> RecordedGame:
    """Return a game with as many of the missing facts as follow from it."""
    if Fact.PAYMENTS in missing:
        game = _with_payments(game)
    says = facts_of(game)
    for facts, derive in _DERIVATIONS.items():
        if (missing - says) & facts and Fact.RULES in says:
            game = derive(game)
    return game


def _with_payments(game: RecordedGame) -> RecordedGame:
    """Return a game with the payments of each kyoku that has one result, if the scores after it are stated.

    Those at the end of the game are, if a win leaves no sticks on the table.
    """
    kyoku: list[RecordedKyoku] = []
    after = [each.started.points for each in game.kyoku[1:]] + [() if game.ended is None else game.ended.points]
    for each, points in zip(game.kyoku, after, strict=True):
        results = [event for event in each.events if isinstance(event, ev.HandWon | ev.KyokuDrawn)]
        is_exact = len(results) == 1 and (len(kyoku) + 1 < len(after) or isinstance(results[0], ev.HandWon))
        if is_exact and points and not results[0].changes:
            before = scores_after(each).points
            paid = tuple(now - score for now, score in zip(points, before, strict=True))
            events = (replace(results[0], changes=paid) if event is results[0] else event for event in each.events)
            each = replace(each, events=tuple(events))
        kyoku.append(each)
    return replace(game, kyoku=tuple(kyoku))


def _with_values(game: RecordedGame) -> RecordedGame:
    """Return a game with the value of each win and all payments, if a replay confirms all that is stated."""
    if Fact.HANDS not in facts_of(game):
        return game
    try:
        replay = Replay(game)
    except RecordError:
        return game
    if replay.run().mismatches:
        return game
    kyoku = []
    for number, each in enumerate(game.kyoku):
        found = {place: event for (of, place), event in replay.results.items() if of == number}
        events = (
            _completed(event, found[place], game) if place in found else event
            for place, event in enumerate(each.events)
        )
        kyoku.append(replace(each, events=tuple(events)))
    return replace(game, kyoku=tuple(kyoku))


def _completed(stated: ev.Event, found: ev.HandWon | ev.KyokuDrawn, game: RecordedGame) -> ev.Event:
    """Return a result with what the record leaves out; all but the fu of a win needs its ura indicators."""
    match stated, found:
        case ev.HandWon(), ev.HandWon() if lacks_ura(stated, game):
            return replace(stated, value=_with_fu(stated.value, found.value.fu))
        case ev.HandWon(), ev.HandWon():
            value = stated.value
            whole = value.yaku and value.base
            value = (
                _with_fu(value, found.value.fu) if whole else replace(found.value, yaku=sorted_yaku(found.value.yaku))
            )
            changes, liable = (stated.changes, stated.liable) if stated.changes else (found.changes, found.liable)
            return replace(stated, value=value, changes=changes, liable=liable)
        case ev.KyokuDrawn(), ev.KyokuDrawn():
            return replace(stated, changes=stated.changes or found.changes)
        case _:
            return stated


def _with_fu(value: HandValue, fu: int) -> HandValue:
    """Return a value with its fu, unless it has them or its yaku are unknown, too."""
    return value if value.fu or value.yakuman or not value.yaku else replace(value, fu=fu)


def _with_results(game: RecordedGame) -> RecordedGame:
    """Return a game with its final scores, places and results, if it ends and its last scores are known."""
    ended, last = game.ended, scores_after(game.kyoku[-1])
    if ended is None or game.own_counting or not (ended.points or last.are_known):
        return game
    points = ended.points or final_points(game.ruleset, last.points, last.kyotaku)
    wins = [event for kyoku in game.kyoku for event in kyoku.events if isinstance(event, ev.HandWon)]
    has_chips = not game.ruleset.chips or (game.from_start and all(won.value.yaku for won in wins))
    if ended.results or not has_chips:
        return replace(game, ended=replace(ended, points=points))
    places, results = placement(game.ruleset, points, chips=chips_of(game.ruleset, wins))
    return replace(game, ended=ev.GameEnded(points, places, results))


_DERIVATIONS: Mapping[frozenset[Fact], Callable[[RecordedGame], RecordedGame]] = {
    frozenset((Fact.YAKU, Fact.FU, Fact.WORTH, Fact.PAYMENTS)): _with_values,
    frozenset((Fact.RESULTS, Fact.SCORES)): _with_results,
}
"""The function that derives each group of facts, in order: results follow from payments."""

_WANTED = frozenset((Fact.YAKU, Fact.FU, Fact.WORTH, Fact.PAYMENTS))
"""The facts that are derived for every format which has a place for them, even if it can do without."""

DERIVABLE = frozenset(fact for facts in _DERIVATIONS for fact in facts)
"""The facts that can be derived."""


# Games that were stopped in the middle of a kyoku


def without_unfinished(game: RecordedGame) -> RecordedGame:
    """Return a game without its last kyoku if that has no result: many programs cannot read one.

    Its end is then the standing at the start of that kyoku. Raises RecordError if no kyoku is left.
    """
    kept = list(game.kyoku)
    points: tuple[int, ...] = ()
    while kept and not kept[-1].complete:
        points = kept.pop().started.points
    if not kept:
        raise RecordError("stopped before its first result, so that no kyoku is left (--unfinished keeps it)")
    if not points:
        return game
    game = replace(game, kyoku=tuple(kept), ended=ev.GameEnded(points, (), ()), stopped=True)
    if not game.rules_stated:
        return game
    return _with_results(game)


# Conversion


MOST_SHOWN = 16
"""Games of one file that a replay shows."""


@value
class Conversion:
    """The options for the conversion of each record; it can be pickled."""

    target: str
    """The key of the format to write."""
    source: str | None = None
    """The key of the format to read; None: the one that the record looks like."""
    lossy: bool = setting(False, "Go on if a record lacks what the format needs.")
    unfinished: bool = setting(False, "Keep a last kyoku without a result, on which many programs fail.")
    seat: Seat | None = setting(
        None,
        "Write what this seat saw; the first dealer is A.",
        choices={letter: seat for seat, letter in enumerate(LETTERS[:4])},
    )
    """None shows all hands."""
    rules: Ruleset | None = None
    """The rules of records that do not state them; None: they stay unknown."""
    changes: tuple[RuleChange, ...] = ()
    """The fields that differ from these rules, or from those that would be assumed."""
    length: Length | None = None
    """The length of games whose records neither state nor show it."""


@value
class Converted:
    """The result for one file."""

    name: str
    """The name of the file, with its place in an archive."""
    games: tuple[bytes, ...] = ()
    """Each game of the file in the target format."""
    rows: tuple[Mapping[str, Sequence[Row]], ...] = ()
    """The rows of each game, if the target has tables."""
    lost: frozenset[Fact] = frozenset()
    """The facts of the source that the target does not carry."""
    derived: frozenset[Fact] = frozenset()
    """The facts that the target needs, and that follow from the source without being in it."""
    left_out: int = 0
    """The number of games without their last kyoku, because they were stopped in it."""
    problem: str = ""
    """Why the file could not be converted, in one line; empty if it was."""


def convert_source(source: RecordSource, conversion: Conversion) -> Converted:
    """Convert all games of one file; a file that cannot be converted gets a result, too."""
    try:
        return convert(source.name, read_source(source), conversion)
    except RecordError as error:
        return Converted(source.name, problem=str(error))


def convert(name: str, data: bytes, conversion: Conversion) -> Converted:
    """Convert all games in the bytes of one file, plain or gzip; raise RecordError if that is impossible."""
    target = named(conversion.target)
    if not target.is_written:
        raise RecordError(f"{target.name} is only read")
    data = content(unpacked(data))
    source = sniffed(data) if conversion.source is None else named(conversion.source)
    written: list[bytes] = []
    lost: frozenset[Fact] = frozenset()
    found: frozenset[Fact] = frozenset()
    rows: list[Mapping[str, Sequence[Row]]] = []
    left_out = 0
    for number, game in enumerate(read_games(data, source), 1):
        given = with_rules(game, conversion.rules, conversion.length, conversion.changes)
        if target.is_for_programs and not conversion.unfinished:
            given = without_unfinished(given)
            if given.stopped:
                left_out += 1
        missing = (target.needs | _WANTED & target.carries.keys()) - facts_of(given)
        if missing & DERIVABLE:
            given = derived(given, missing)
            found |= missing & facts_of(given)
        seen = _as_asked(given, target, conversion)
        try:
            if target.write is not None:
                written.append(target.write(seen))
            elif target.tabulate is not None:
                rows.append(target.tabulate(seen, name if number == 1 else f"{name}#{number}", source.key))
        except RecordError:
            raise
        except ValueError as error:  # a tile that a hand does not have, a pon that does not exist
            raise RecordError(f"the moves contradict each other; ump verify says where ({error})") from None
        lost |= _lost(seen, source, target)
    return Converted(name, tuple(written), tuple(rows), lost, found, left_out)


def _as_asked(game: RecordedGame, target: RecordFormat, conversion: Conversion) -> RecordedGame:
    """Return a game as a seat saw it, and fit for the target; raise RecordError if the target needs more."""
    if conversion.seat is not None:
        game = seen_by(game, conversion.seat)
    if len(game.names) not in target.players:
        raise RecordError(f"{target.name} has no games of {len(game.names)} players")
    if conversion.lossy:
        return _assumed(_corrected(game), target.needs)
    _refuse_missing(game, target)
    return game


def replay_data(data: bytes) -> bytes:
    """Return the games in the bytes of a file, plain or gzip, as the page for replays reads them, in JSON.

    A game that was left before its first kyoku is none. Raises RecordError if the file is unreadable, or the moves
    contradict each other.
    """
    try:
        games = read_games(content(unpacked(data)))[:MOST_SHOWN]
    except NoKyokuError:
        games = ()
    return write({"games": [document(game) for game in games]}).encode()


def with_rules(
    game: RecordedGame, rules: Ruleset | None, length: Length | None = None, changes: Sequence[RuleChange] = ()
) -> RecordedGame:
    """Return a game with these rules, this length and these changes, except for what its record states.

    Raises RecordError if the changes are impossible.
    """
    dora_time = game.ruleset.open_kan_dora
    game = _ruled(game, rules, length, changes)
    if game.ruleset.open_kan_dora is dora_time:
        return game
    return with_listed_dora(game)


def _ruled(
    game: RecordedGame, rules: Ruleset | None, length: Length | None, changes: Sequence[RuleChange]
) -> RecordedGame:
    """Return a game with other rules, and with the events of its record."""
    is_open = not game.rules_stated or game.own_results
    if length is not None and not game.length_stated:
        game = replace(game, ruleset=replace(game.ruleset, length=length), length_stated=True)
    if rules is not None and not game.rules_stated and not game.unknown_rules:
        rules = rounded_as(rules, game.ended)
        if game.length_stated:
            rules = replace(rules, length=game.ruleset.length)
        game = replace(game, ruleset=rules, rules_stated=True, length_stated=True)
    if not changes or not is_open:
        return game
    ruleset = with_changes(game.ruleset, changes)
    has_length = game.length_stated or any(change.field == "length" for change in changes)
    return replace(
        game, ruleset=ruleset, rules_stated=True, length_stated=has_length, own_results=False, unknown_rules=()
    )


def with_changes(ruleset: Ruleset, changes: Sequence[RuleChange]) -> Ruleset:
    """Return rules with the changes that the user wants; raise RecordError if they are impossible."""
    try:
        return changed(ruleset, changes)
    except RulesetError as error:
        raise RecordError(f"--set: {error}") from None


def seen_by(game: RecordedGame, seat: Seat) -> RecordedGame:
    """Return a game as one seat saw it: without the other hands and draws, and without the walls."""
    kyoku = tuple(
        replace(each, events=tuple(view(event, seat) for event in each.events), tiles=None, deal=None)
        for each in game.kyoku
    )
    return replace(game, kyoku=kyoku)


def _refuse_missing(game: RecordedGame, target: RecordFormat) -> None:
    says = facts_of(game)
    missing = [fact.value for fact in Fact if fact in target.needs - says]
    if missing:
        derivable = not game.rules_stated and (target.needs - says) & DERIVABLE
        way = "--lossy goes on, --rules names the rules to derive it" if derivable else "--lossy goes on"
        raise RecordError(f"{target.name} needs what this record does not say: {'; '.join(missing)} ({way})")


def _corrected(game: RecordedGame) -> RecordedGame:
    """Return a game in which no discard is said wrongly to be, or not to be, the tile just drawn."""
    kyoku = []
    for each in game.kyoku:
        events = list(each.events)
        for index in each.wrong_tsumogiri:
            event = events[index]
            assert isinstance(event, ev.TileDiscarded)
            events[index] = replace(event, tsumogiri=not event.tsumogiri)
        kyoku.append(replace(each, events=tuple(events), wrong_tsumogiri=frozenset()))
    return replace(game, kyoku=tuple(kyoku))


def _assumed(game: RecordedGame, needs: frozenset[Fact]) -> RecordedGame:
    """Return a game in which nobody pays for a result whose payments are unknown, for a format that needs them."""
    if Fact.PAYMENTS not in needs - facts_of(game):
        return game
    nothing = (0,) * len(game.names)
    kyoku = []
    for each in game.kyoku:
        events = (
            replace(event, changes=event.changes or nothing) if isinstance(event, ev.HandWon | ev.KyokuDrawn) else event
            for event in each.events
        )
        kyoku.append(replace(each, events=tuple(events)))
    return replace(game, kyoku=tuple(kyoku))


def _lost(game: RecordedGame, source: RecordFormat, target: RecordFormat) -> frozenset[Fact]:
    """Return the facts that the source says and the target does not carry."""
    says = facts_of(game) | {fact for fact in UNSEEN if source.carried(fact) is Carried.YES}
    return frozenset(fact for fact in says if target.carried(fact) is Carried.NO)


UNSEEN = frozenset((Fact.ORDER, Fact.ANSWERS))
"""Facts that a ``RecordedGame`` does not show; the source format says whether it has them."""
