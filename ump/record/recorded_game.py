"""A recorded game, independent of the format of its file: what a replay must reproduce."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from ump.game.deals import Deal
from ump.model import events as ev
from ump.model.constants import STICK_POINTS
from ump.model.seats import Seat
from ump.model.tiles import Tile
from ump.model.value import value
from ump.model.yaku import Yaku
from ump.rules.ruleset import Ruleset
from ump.text.game_piece import game_piece


class RecordError(ValueError):
    """An unreadable record: damaged, too large, or something else altogether. Its text is one line that says why."""


class NoKyokuError(RecordError):
    """A record of a game that was left before its first kyoku."""

    def __init__(self) -> None:
        super().__init__("no kyoku")


@value
class Stated:
    """The state of the table that a record states along with an event; None for everything that it does not state."""

    number: int | None = None
    """The number of the kyoku without honba: 0 is east 1, 4 is south 1, with three players too."""
    points: tuple[int, ...] | None = None
    """Scores before the event; with RiichiPaid, after the stick is paid."""
    honba: int | None = None
    kyotaku: int | None = None
    """Riichi sticks on the table before the event."""
    indicators: tuple[Tile, ...] | None = None
    """The dora indicators revealed so far."""
    ura: tuple[Tile, ...] | None = None
    """The ura dora indicators of a win in riichi."""
    worth: int | None = None
    """The points that all payers of a win pay together, without honba and sticks."""
    unknown_yaku: str | None = None
    """The yaku of a win whose names are unknown; those of ``HandWon`` are missing then."""
    has_tsumogiri: bool = True
    """Whether the record says if a discard is the tile just drawn."""


@value
class Remark:
    """Something that a record says about a seat besides the events: a bot's note, or an answer that did not count."""

    place: int
    """The number of events of the kyoku that came before it."""
    seat: Seat
    kind: str
    """``log`` and ``meta``: a bot's text and object. ``refused``, ``late``, ``default``: the fate of an answer."""
    text: str
    """The text of the bot, its object as JSON, or the reason."""


@value
class RecordedKyoku:
    """One kyoku, from KyokuStarted to its result, without KyokuEnded."""

    events: tuple[ev.Event, ...]
    tiles: tuple[tuple[Tile, ...], ...] | None
    """The physical tiles of each event, one entry for each of ``events``; see ``ump.record.physical_tiles``.

    None if the format names faces alone: ``with_copies`` there chooses copies that fit.
    """
    stated: Mapping[int, Stated]
    """Statements of the record along with an event, by the index in ``events``."""
    dice: tuple[int, int]
    deal: Deal | None
    """Wall and dice from the seed in the record; None if it has no seed."""
    complete: bool
    """Whether the kyoku has a result. A cut record or an aborted game may stop earlier."""
    times: tuple[int, ...] | None = None
    """Milliseconds since the game began, for each of ``events``; None if the record has no clock."""
    remarks: tuple[Remark, ...] = ()
    wrong_tsumogiri: frozenset[int] = frozenset()
    """The indices of discards of which the record says wrongly that they are, or are not, the tile just drawn."""

    @property
    def started(self) -> ev.KyokuStarted:
        """The first event."""
        started = self.events[0]
        assert isinstance(started, ev.KyokuStarted)
        return started

    @property
    def hidden(self) -> frozenset[Seat]:
        """The seats of which the record hides the dealt hand or a draw."""
        return frozenset(
            event.seat
            for event in self.events
            if (isinstance(event, ev.HandDealt) and event.faces is None)
            or (isinstance(event, ev.TileDrawn) and event.face is None)
        )


@value
class RecordedGame:
    """One game, or the recorded part of it."""

    names: tuple[str, ...]
    ruleset: Ruleset
    kyoku: tuple[RecordedKyoku, ...]
    ended: ev.GameEnded | None
    """The end of the game; None if the record stops earlier."""
    from_start: bool
    """Whether the record contains the first kyoku of the game."""
    own_counting: bool
    """Whether the lobby of the game counts more than points, such as chips or ratios."""
    stopped: bool = False
    """Whether ``ended`` has the standing at which the game was stopped, and not its end by the rules."""
    own_results: bool = False
    """Whether the lobby of the game may have an uma of its own, which the record does not state."""
    rules_stated: bool = True
    """Whether the record says which rules were played. If not, ``ruleset`` is an assumption."""
    unknown_rules: tuple[str, ...] = ()
    """The settings of the lobby that the record states and we do not understand; payments and results depend on them.

    Then the rules are not stated.
    """
    length_stated: bool = True
    """Whether the record says or shows how long the game is, even if it does not say the other rules."""
    tsumogiri_stated: bool = True
    """Whether the record says which discards are the tile just drawn. If not, some may be stated wrongly as others."""
    dora_listed: bool = field(default=False, compare=False)
    """Whether the record lists kan dora apart from the moves, so that their places follow from the rules."""
    room: str = ""
    """The room or lobby of the game, as its site names it; empty if the record does not say."""
    ranks: tuple[int | None, ...] = ()
    """The ranks of the players as numbers of their site, the higher the better; empty if the record has none."""
    ratings: tuple[float | None, ...] = ()
    """The ratings of the players at their site; empty if the record has none."""

    def _repr_html_(self) -> str:
        """Show the game in a notebook: its kyoku with the winning hands, and the places."""
        events = (event for kyoku in self.kyoku for event in kyoku.events)
        result = None if self.ended is None else self.ended.result
        return game_piece(f"rules {self.ruleset.name}", self.names, events, result)


def lacks_ura(won: ev.HandWon, game: RecordedGame) -> bool:
    """Tell whether a win has ura indicators that the record does not state: every riichi has them, by most rules."""
    return won.riichi and not won.ura and (game.ruleset.ura_dora or not game.rules_stated)


def sorted_yaku(yaku: tuple[tuple[Yaku, int], ...]) -> tuple[tuple[Yaku, int], ...]:
    """Return yaku in the order of the ``Yaku`` enum: records and our rules list them in different orders."""
    return tuple(sorted(yaku, key=lambda pair: pair[0].value))


# Values that follow from the events


class Scores:
    """The scores and the riichi sticks on the table, as the events of a kyoku change them."""

    def __init__(self, started: ev.KyokuStarted) -> None:
        self.points = list(started.points)
        self.kyotaku = started.kyotaku
        self.are_known = True
        """Whether the record has stated all payments; after one that it has not, the points are those before it."""

    def see(self, event: ev.Event) -> None:
        """Follow an event; most change nothing."""
        match event:
            case ev.RiichiPaid(seat):
                self.points[seat] -= STICK_POINTS
                self.kyotaku += 1
            case ev.HandWon(changes=changes) | ev.KyokuDrawn(changes=changes):
                if changes:
                    self.points = [score + change for score, change in zip(self.points, changes, strict=True)]
                self.are_known = self.are_known and bool(changes)
                if isinstance(event, ev.HandWon):
                    self.kyotaku = 0
            case _:
                pass


def scores_after(kyoku: RecordedKyoku) -> Scores:
    """Return scores and sticks after a kyoku, as far as it is recorded."""
    scores = Scores(kyoku.started)
    for event in kyoku.events:
        scores.see(event)
    return scores


def told(game: RecordedGame) -> Iterator[ev.Event]:
    """Yield the events of a game as a server tells them: with its start, and with the end of each kyoku."""
    yield ev.GameStarted(game.names)
    for kyoku in game.kyoku:
        yield from kyoku.events
        if kyoku.complete:
            yield ev.KyokuEnded()
    if game.ended is not None:
        yield game.ended
