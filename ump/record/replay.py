"""A recorded game played again: its walls and decisions through our ``Game``, every event held against the record.

What differs is a mismatch. Where play cannot go on from it (another tile was drawn, an action is not legal) the rest of
that kyoku is left out, and the next one begins from what the record says of its start. So one fault in a record, or in
our rules, is told once and hides nothing of other kyoku.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import NoReturn

from ump.game.deals import Deal
from ump.game.game import Game, Standing
from ump.model.claims import IllegalAction
from ump.model.events import (
    DoraRevealed,
    Event,
    GameEnded,
    HandOpened,
    HandWon,
    KyokuDrawn,
    KyokuEnded,
    KyokuStarted,
    RiichiPaid,
    TenpaiDeclared,
)
from ump.model.seats import LETTERS
from ump.model.value import value
from ump.record.differences import Difference, describe, differences, joined
from ump.record.inferred_actions import AHEAD, infer_action
from ump.record.kyoku_tracker import Account, Tiles
from ump.record.recorded_game import RecordedGame, Stated, sorted_yaku
from ump.record.wall_places import deal_of

WON, DRAWN = "HandWon", "KyokuDrawn"
"""How the names begin under which wins and draws are counted: ``HandWon ron``, ``KyokuDrawn exhausted``."""

GOES_ON = (DoraRevealed, RiichiPaid, TenpaiDeclared, HandOpened, HandWon, KyokuDrawn)
"""Events after which play can go on though they differ in something: nothing that is drawn or decided depends on it."""


@value
class Mismatch:
    """One thing in which the record and our game differ."""

    kyoku: int
    """From 1, as the record holds them."""
    event: int
    """From 1 within the kyoku; 0 for what concerns the whole game."""
    what: str
    expected: str
    """What the record says."""
    found: str
    """What our game tells."""


@value
class Replayed:
    """What came out of one game."""

    mismatches: tuple[Mismatch, ...]
    notes: tuple[Mismatch, ...]
    """What differs because the record is from a lobby with its own counting."""
    events: Counter[str]
    """The events that were compared, by name; wins by ron or tsumo, draws by reason."""
    kyoku: int
    from_seed: int
    """Kyoku whose wall is the one that the seed in the record gives; the others' were laid out from the record."""
    left_out: int
    """Kyoku that were not compared to their end."""
    incomplete: bool
    """Whether the record does not hold its game from the start to the end."""


class _Stop(Exception):
    """The kyoku cannot be followed any further."""


class _End(Exception):
    """The record stops here."""


class Replay:
    """Plays one recorded game; use it once."""

    def __init__(self, record: RecordedGame) -> None:
        """Lay the walls out that the record has no seed for; raises RecordError where that cannot be."""
        self._record = record
        self._deals = [deal_of(kyoku, record.ruleset.seats) for kyoku in record.kyoku]
        self._game: Game | None = None
        self._number = 0
        """Of the kyoku that is played, from 0."""
        self._kyoku = record.kyoku[0]
        self._place = 0
        """The next event of it, from 0."""
        self._account: Account
        self._faultless = True
        """Whether our game agrees with the record up to here, so that what follows from it is to be compared."""
        self._mismatches: list[Mismatch] = []
        self._notes: list[Mismatch] = []
        self._events: Counter[str] = Counter()
        self._left_out = 0

    def run(self) -> Replayed:
        """Play it to its end."""
        for number, kyoku in enumerate(self._record.kyoku):
            self._number, self._kyoku, self._place = number, kyoku, 0
            try:
                self._play()
            except _Stop:
                self._game = None
                self._left_out += 1
            except _End:
                self._game = None
            self._events.update(map(_counted, kyoku.events[: self._place]))
        self._end()
        record = self._record
        complete = record.from_start and record.ended is not None and all(kyoku.complete for kyoku in record.kyoku)
        return Replayed(
            tuple(self._mismatches),
            tuple(self._notes),
            self._events,
            len(record.kyoku),
            sum(kyoku.deal is not None for kyoku in record.kyoku),
            self._left_out,
            not complete,
        )

    def _play(self) -> None:
        """Play one kyoku; raises _Stop where it cannot be followed to its end."""
        told = self._start()
        kyoku, game = self._kyoku, self._game
        assert game is not None
        while True:
            self._compare_all(told)
            if self._place == len(kyoku.events):
                if not game.between_kyoku:
                    raise _End
                return
            if game.between_kyoku:
                self._fail(_name(self._next()), describe(self._next()), "the end of the kyoku")
            told = self._answer(game)

    def _start(self) -> list[Event]:
        """Begin the kyoku, with what our game makes of the one before or, failing that, as the record starts it."""
        expected = self._next()
        assert isinstance(expected, KyokuStarted)
        told = self._from_before(expected)
        if not told or (told[0] != expected and not self._faultless):
            told = self._begin(
                Standing(expected.points, expected.bakaze, expected.dealer, expected.honba, expected.kyotaku)
            )
        self._faultless = True
        assert isinstance(told[0], KyokuStarted)
        self._account = Account(told[0], self._record.ruleset, self._deals[self._number])
        return told

    def _from_before(self, expected: KyokuStarted) -> list[Event]:
        """Let the game go on; nothing where there is none, it is over, or only the record knows how it counts."""
        game = self._game
        if game is None:
            return self._begin(None) if self._number == 0 and self._record.from_start else []
        told = _after_kyoku(game)
        if isinstance(told[0], GameEnded):
            if self._faultless:
                self._mismatch("KyokuStarted", describe(expected), "the end of the game")
            return []
        started = told[0]
        assert isinstance(started, KyokuStarted)
        if self._record.own_counting and started != expected == replace(started, points=expected.points):
            self._notes.append(self._seen("KyokuStarted", *joined(differences(expected, started))))
            return []
        return told

    def _begin(self, standing: Standing | None) -> list[Event]:
        first = self._number
        record = self._record
        self._game = Game(record.ruleset, record.names, lambda number: self._deal(first + number), standing=standing)
        self._game.begin()
        return self._game.proceed()

    def _deal(self, number: int) -> Deal:
        """Return the deal of a kyoku; of one that the record does not hold only the start is looked at."""
        return self._deals[min(number, len(self._deals) - 1)]

    def _answer(self, game: Game) -> list[Event]:
        """Answer one open question as the record has it."""
        seat, question = next(iter(game.questions.items()))
        events = self._kyoku.events
        action = infer_action(seat, question.phase, events, self._place)
        if action is None:
            if self._kyoku.complete or len(events) > self._place + AHEAD:
                asked = f"{LETTERS[seat]} is asked ({question.phase.value})"
                self._fail(_name(self._next()), describe(self._next()), asked)
            raise _End
        try:
            return game.answer(seat, action)
        except IllegalAction as refusal:
            self._fail(_name(self._next()), f"{LETTERS[seat]} {describe(action)}", f"not legal: {refusal.reason.value}")

    def _compare_all(self, told: Sequence[Event]) -> None:
        """Hold events against the record; raises _Stop or _End where one of the two goes no further."""
        kyoku, account = self._kyoku, self._account
        for event in told:
            place = self._place
            if place == len(kyoku.events):
                if kyoku.complete:
                    self._fail(_name(event), "the end of the kyoku", describe(event))
                raise _End
            expected = kyoku.events[place]
            if type(event) is not type(expected):
                self._fail(_name(expected), describe(expected), describe(event))
            ours = account.stated(event) if place in kyoku.stated else None
            tiles = account.note(event, kyoku.tiles[place])
            if event != expected or ours is not None or tiles is not None:
                self._compare(event, ours, tiles)
            self._place += 1

    def _compare(self, event: Event, ours: Stated | None, tiles: Tiles | None) -> None:
        """Find out in what an event, what is stated beside it, and the tiles that it names differ from the record."""
        kyoku, place = self._kyoku, self._place
        expected = kyoku.events[place]
        listed = differences(expected, _as_recorded(event))
        if ours is not None:
            listed += _contradictions(kyoku.stated[place], ours)
        if tiles is not None:
            listed.append(("tiles", describe(kyoku.tiles[place]), describe(tiles)))
        if not listed:
            return
        self._mismatch(_name(expected), *joined(listed))
        if not isinstance(event, GOES_ON):
            self._place += 1
            raise _Stop

    def _end(self) -> None:
        """Hold the end of the game against the record, unless its last kyoku could not be followed."""
        expected, game = self._record.ended, self._game
        if expected is None or game is None or not game.between_kyoku:
            return
        self._number, self._place = len(self._record.kyoku), -1
        told = _after_kyoku(game)[0]
        self._events[_counted(expected)] += 1
        if told == expected:
            return
        if not isinstance(told, GameEnded):
            if self._faultless:
                self._mismatch("GameEnded", describe(expected), describe(told))
            return
        seen = self._seen("GameEnded", *joined(differences(expected, told)))
        if self._record.own_counting and replace(told, results=expected.results) == expected:
            self._notes.append(seen)
        else:
            self._mismatches.append(seen)

    def _next(self) -> Event:
        """Return the event that the record has next."""
        return self._kyoku.events[self._place]

    def _seen(self, what: str, expected: str, found: str) -> Mismatch:
        return Mismatch(self._number + 1, self._place + 1, what, expected, found)

    def _mismatch(self, what: str, expected: str, found: str) -> None:
        self._faultless = False
        self._mismatches.append(self._seen(what, expected, found))

    def _fail(self, what: str, expected: str, found: str) -> NoReturn:
        """Note what differs, and leave the rest of the kyoku out."""
        self._mismatch(what, expected, found)
        raise _Stop


def _after_kyoku(game: Game) -> list[Event]:
    """Let a game go on, and leave out that the last kyoku is put away."""
    return [event for event in game.proceed() if not isinstance(event, KyokuEnded)]


def _name(event: Event) -> str:
    return type(event).__name__


def _counted(event: Event) -> str:
    """Return under which name an event is counted."""
    if isinstance(event, KyokuDrawn):
        return f"{DRAWN} {event.reason.value}"
    if isinstance(event, HandWon):
        return f"{WON} {'tsumo' if event.loser is None else 'ron'}"
    return _name(event)


def _as_recorded(event: Event) -> Event:
    """Sort the yaku of a win, of which records keep another order."""
    if not isinstance(event, HandWon):
        return event
    return replace(event, value=replace(event.value, yaku=sorted_yaku(event.value.yaku)))


def _contradictions(stated: Stated, ours: Stated) -> list[Difference]:
    """Return in what a record's repetitions contradict what lies on our table."""
    pairs = ((field.name, getattr(stated, field.name), getattr(ours, field.name)) for field in fields(stated))
    return [
        (name, describe(theirs), describe(found))
        for name, theirs, found in pairs
        if theirs is not None and theirs != found
    ]
