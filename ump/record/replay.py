"""Replay a recorded game: play its walls and actions in our ``Game``, and compare every event with the record.

Every difference is a mismatch. If the kyoku cannot go on after it (another tile was drawn, an action is not legal), the
rest of the kyoku is skipped, and the next one starts from the standing in the record. So a fault in a record, or in our
rules, is reported once and hides nothing in other kyoku.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import partial
from typing import Any, NoReturn, TypeAlias, assert_never

from ump.game.deals import Deal, Round
from ump.game.game import Game, GameState
from ump.model import actions
from ump.model import events as ev
from ump.model.claims import IllegalAction
from ump.model.melds import Meld, MeldType
from ump.model.notation import UMP_FACES
from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat
from ump.model.value import value
from ump.model.yaku import HandValue, Yaku
from ump.record.physical_tiles import Tiles, TileTable, deal_of, with_copies
from ump.record.recorded_game import RecordedGame, RecordError, Stated, lacks_ura, sorted_yaku
from ump.rules.questions import Question

# Descriptions and differences


FieldDifference = tuple[str, str, str]
"""The name of a field, its expected value and its actual value, both as text."""


def _face(face: Any) -> str:
    return "none" if face is None else UMP_FACES[face]


def _faces(faces: Any) -> str:
    return "hidden" if faces is None else "".join(map(_face, faces)) or "none"


def _seat(seat: Any) -> str:
    return "nobody" if seat is None else LETTERS[seat]


def _yaku(pairs: Iterable[tuple[Yaku, int]]) -> str:
    return " ".join(f"{yaku.romaji} {han}" for yaku, han in pairs) or "none"


_FORMATS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("face", "tile", "indicator", "called", "added", "kind"), _face),
    **dict.fromkeys(("faces", "own", "ura"), _faces),
    **dict.fromkeys(("seat", "dealer", "loser", "liable", "source"), _seat),
    "yaku": _yaku,
}
"""Functions that write the fields with these names; other fields follow from the type of their value."""


def describe(thing: object, name: str = "") -> str:
    """Return an event, an action or the value of one of its fields as text; ``name`` is the name of the field."""
    if name in _FORMATS:
        return _FORMATS[name](thing)
    if isinstance(thing, Enum):
        return str(thing.value)
    if isinstance(thing, tuple):
        return "(" + ", ".join(map(describe, thing)) + ")"
    if not is_dataclass(thing):
        return str(thing)
    words = [type(thing).__name__]
    for field in fields(thing):
        value = getattr(thing, field.name)
        if value is not None and value is not False:
            words.append(_field(field.name, value))
    return " ".join(words).strip()


def _field(name: str, value: object) -> str:
    """Return a field as text: its name and value, or only its name if the value is True."""
    return name if value is True else f"{name} {describe(value, name)}"


def differences(expected: Any, found: Any) -> list[FieldDifference]:
    """Return the fields in which two values of the same class differ, down to the fields of a hand's value."""
    listed: list[FieldDifference] = []
    for field in fields(expected):
        should, actual = getattr(expected, field.name), getattr(found, field.name)
        if actual == should:
            continue
        if is_dataclass(should) and type(actual) is type(should) and not isinstance(should, Meld):
            listed += differences(should, actual)
        else:
            listed.append((field.name, describe(should, field.name), describe(actual, field.name)))
    return listed


def join_differences(listed: Iterable[FieldDifference]) -> tuple[str, str]:
    """Return all expected values and all actual values, in one line each."""
    all_expected, all_found = [], []
    for name, expected, found in listed:
        all_expected.append(f"{name} {expected}")
        all_found.append(f"{name} {found}")
    return ", ".join(all_expected), ", ".join(all_found)


# Answers from the events that follow them
#
# A record does not contain passes. A player who could have called a tile and did not is taken to have passed.


AHEAD = 12
"""The number of events to look at after a question; the answer always follows sooner."""


def infer_action(seat: Seat, phase: Phase, events: Sequence[ev.Event], place: int) -> actions.Action | None:
    """Return the action with which ``seat`` answered the question of ``phase``; ``events[place]`` follows the question.

    Return None if no answer to the question leads to these events, or if the record ends before they show it.
    """
    if phase is Phase.TURN and place < len(events):
        event = events[place]
        if isinstance(event, ev.TileDiscarded) and event.seat == seat:  # a short cut for most questions
            return actions.Discard(event.face, event.tsumogiri)
    upcoming = events[place : place + AHEAD]
    match phase:
        case Phase.TURN:
            return _turn_action(seat, upcoming)
        case Phase.CALL | Phase.CHANKAN:
            return _call_action(seat, upcoming)
        case Phase.DECLARE:
            return _declaration(seat, upcoming)
        case _:
            assert_never(phase)


def _turn_action(seat: Seat, upcoming: Sequence[ev.Event]) -> actions.Action | None:
    """Return what the seat did on its turn; the dora indicator of an earlier kan may come first."""
    events = iter(upcoming)
    for event in events:
        match event:
            case ev.DoraRevealed() | ev.HandOpened():
                continue
            case ev.TileDiscarded(seat=who, face=face, tsumogiri=tsumogiri) if who == seat:
                return actions.Discard(face, tsumogiri)
            case ev.RiichiDeclared(seat=who) if who == seat:
                discarded = next((later for later in events if isinstance(later, ev.TileDiscarded)), None)
                return None if discarded is None else actions.Riichi(discarded.face, discarded.tsumogiri, event.opened)
            case ev.KanDeclared(seat=who, meld=meld) if who == seat:
                return actions.Ankan(meld.kind) if meld.added is None else actions.Kakan(meld.added)
            case ev.KitaDeclared(seat=who) if who == seat:
                return actions.Kita()
            case ev.HandWon(seat=who, loser=None) if who == seat:
                return actions.Tsumo()
            case ev.KyokuDrawn():
                return actions.KyushuKyuhai()
        break
    return None


def _call_action(seat: Seat, upcoming: Sequence[ev.Event]) -> actions.Action | None:
    """Return the seat's call, ron or pass; all wins on one tile follow each other."""
    for event in upcoming:
        match event:
            case ev.RiichiPaid() | ev.DoraRevealed():
                continue
            case ev.TileCalled(seat=who, meld=meld) if who == seat:
                return _call_of(meld)
            case ev.HandWon(seat=who) | ev.RonDeclared(seat=who) if who == seat:
                return actions.Ron()
            case ev.HandWon() | ev.RonDeclared():
                continue
        return actions.Pass()
    return actions.Pass() if upcoming and isinstance(upcoming[-1], ev.HandWon) else None


def _declaration(seat: Seat, upcoming: Sequence[ev.Event]) -> actions.Action | None:
    """Return what the seat declared at the exhausted wall."""
    for event in upcoming:
        if isinstance(event, ev.TenpaiDeclared) and event.seat == seat:
            return actions.DeclareTenpai() if event.tenpai else actions.DeclareNoten()
    return None


def _call_of(meld: Meld) -> actions.Action:
    """Return the action that calls a discard into this meld."""
    if meld.type is MeldType.DAIMINKAN:
        return actions.Daiminkan()
    first, second = meld.own
    return (actions.Chi if meld.type is MeldType.CHI else actions.Pon)((first, second))


# The replay


WON, DRAWN = "HandWon", "KyokuDrawn"
"""Prefixes of the names under which wins and draws are counted: ``HandWon ron``, ``KyokuDrawn exhausted``."""

GOES_ON = (ev.DoraRevealed, ev.RiichiPaid, ev.TenpaiDeclared, ev.HandOpened, ev.HandWon, ev.KyokuDrawn)
"""Events that may differ without ending the replay of a kyoku: no later draw or action depends on them."""

_OF_RULES = frozenset(event.__name__ for event in (ev.HandWon, ev.KyokuDrawn, ev.KyokuStarted, ev.GameEnded))
"""The events that tell payments and results."""

OnQuestion: TypeAlias = Callable[[int, int, Mapping[Seat, Question]], None]
"""Takes the number of a kyoku from 0, how many of its events have happened, and the open questions by seat."""

OnAnswer: TypeAlias = Callable[[Game, Question, actions.Action, int, int], None]
"""Takes the game, a question and the action that answers it, with the indices of the kyoku and of the next event."""


@value
class Mismatch:
    """One difference between the record and our game."""

    kyoku: int
    """The number of the kyoku within the record, from 1."""
    event: int
    """The number of the event within the kyoku, from 1; 0 if the mismatch concerns the whole game."""
    what: str
    """The name of the event that differs."""
    expected: str
    """The event in the record, as text."""
    found: str
    """The event in our game, as text."""


@value
class Replayed:
    """The result of replaying one game."""

    mismatches: tuple[Mismatch, ...]
    notes: tuple[Mismatch, ...]
    """Differences that uma or stakes explain which the record does not state."""
    events: Counter[str]
    """The number of events of each name that were compared; wins by ron or tsumo, draws by reason."""
    kyoku: int
    """The number of kyoku in the record."""
    from_seed: int
    """Kyoku whose wall follows from the seed in the record; the other walls were rebuilt from the events."""
    left_out: int
    """Kyoku that were not compared to their end because of a mismatch."""
    missing: str
    """The parts of the game that the record lacks: its start, the end of a kyoku, its end."""

    @property
    def incomplete(self) -> bool:
        """Whether the record lacks a part of its game."""
        return bool(self.missing)


class _SkipRest(Exception):
    """The rest of the kyoku cannot be compared."""


class _RecordEnds(Exception):
    """The record ends in the middle of a kyoku."""


class Replay:
    """Replays one recorded game. Use an instance once."""

    def __init__(self, record: RecordedGame, asked: OnQuestion | None = None, answered: OnAnswer | None = None) -> None:
        """Rebuild the walls that the record has no seed for; raise RecordError if the events contradict each other.

        ``asked`` is called with the open questions before each of them is answered, ``answered`` with each answer.
        """
        self._asked = asked
        self._answered = answered
        self._record = record = _with_copies(record)
        self._deals = [deal_of(kyoku, record.ruleset.seats) for kyoku in record.kyoku]
        self._game: Game | None = None
        self._kyoku_index = 0
        """The index of the kyoku that is being replayed."""
        self._kyoku = record.kyoku[0]
        self._index = 0
        """The index of its next event."""
        self._table: TileTable
        self._faultless = True
        """Whether our game still agrees with the record, so that its next kyoku can be compared."""
        self._mismatches: list[Mismatch] = []
        self._notes: list[Mismatch] = []
        self._events: Counter[str] = Counter()
        self._left_out = 0
        self.results: dict[tuple[int, int], ev.HandWon | ev.KyokuDrawn] = {}
        """The results in our game, by the index of the kyoku and of the event."""
        self._is_settled = True
        """Whether nothing is unknown on which the payments of the kyoku depend."""

    def run(self) -> Replayed:
        """Replay the whole record and return the result."""
        for number, kyoku in enumerate(self._record.kyoku):
            self._kyoku_index, self._kyoku, self._index = number, kyoku, 0
            try:
                self._play()
            except _SkipRest:
                self._game = None
                self._left_out += 1
            except _RecordEnds:
                self._game = None
            self._events.update(map(count_name, kyoku.events[: self._index]))
        self._end()
        record = self._record
        if self._notes and record.unknown_rules:
            settings = ", ".join(record.unknown_rules)
            self._notes.append(Mismatch(len(record.kyoku), 0, "rules", "known settings of the lobby", settings))
        return Replayed(
            tuple(self._mismatches),
            tuple(self._notes),
            self._events,
            len(record.kyoku),
            sum(kyoku.deal is not None for kyoku in record.kyoku),
            self._left_out,
            _missing(record),
        )

    def _play(self) -> None:
        """Replay one kyoku; raise _SkipRest or _RecordEnds if it cannot be compared to its end."""
        events = self._start()
        kyoku, game = self._kyoku, self._game
        assert game is not None
        while True:
            self._compare_all(events)
            if self._index == len(kyoku.events):
                if not game.between_kyoku:
                    raise _RecordEnds
                return
            if game.between_kyoku:
                self._fail(_name(self._expected()), describe(self._expected()), "the end of the kyoku")
            if self._asked is not None:
                self._asked(self._kyoku_index, self._index, game.questions)
            events = self._answer(game)

    def _start(self) -> list[ev.Event]:
        """Start the kyoku: continue our game or, if that is impossible, begin from the standing in the record."""
        expected = self._expected()
        assert isinstance(expected, ev.KyokuStarted)
        events = self._continue_game(expected)
        if not events or (events[0] != expected and not self._faultless):
            events = self._begin_game(
                GameState(expected.points, expected.bakaze, expected.dealer, expected.honba, expected.kyotaku)
            )
        self._faultless = True
        assert isinstance(events[0], ev.KyokuStarted)
        self._table = TileTable(events[0], self._record.ruleset, self._deals[self._kyoku_index].tiles)
        return events

    def _continue_game(self, expected: ev.KyokuStarted) -> list[ev.Event]:
        """Continue our game; return nothing without a game, after its end, or if the lobby counts in its own way."""
        game = self._game
        if game is None:
            return self._begin_game(None) if self._kyoku_index == 0 and self._record.from_start else []
        events = _after_kyoku(game)
        is_settled, self._is_settled = self._is_settled, True
        if isinstance(events[0], ev.GameEnded):
            if self._faultless and is_settled:
                self._note_length("KyokuStarted", describe(expected), "the end of the game")
            return []
        started = events[0]
        assert isinstance(started, ev.KyokuStarted)
        if not is_settled and expected == replace(started, points=expected.points):
            return []
        is_explained = self._record.own_counting and expected == replace(started, points=expected.points)
        if started != expected and (is_explained or self._record.unknown_rules):
            self._notes.append(self._mismatch_here("KyokuStarted", *join_differences(differences(expected, started))))
            return []
        return events

    def _begin_game(self, standing: GameState | None) -> list[ev.Event]:
        """Begin a new game at this standing; None is the start of a game."""
        record, deals = self._record, partial(self._deal, self._kyoku_index)
        self._game = Game(record.ruleset, record.names, deals, standing=standing)
        self._game.begin()
        return self._game.proceed()

    def _deal(self, first: int, at: Round) -> Deal:
        """Return the deal of a kyoku of a game that begins with the ``first`` one of the record.

        After the last one any deal will do: only the start of that kyoku is compared.
        """
        return self._deals[min(first + at.number, len(self._deals) - 1)]

    def _answer(self, game: Game) -> list[ev.Event]:
        """Answer one open question as the player in the record did."""
        seat, question = next(iter(game.questions.items()))
        events = self._kyoku.events
        action = infer_action(seat, question.phase, events, self._index)
        if action is None:
            if self._kyoku.complete or len(events) > self._index + AHEAD:
                asked = f"{LETTERS[seat]} is asked ({question.phase.value})"
                self._fail(_name(self._expected()), describe(self._expected()), asked)
            raise _RecordEnds
        if isinstance(action, actions.Discard | actions.Riichi) and self._is_wrong_tsumogiri():
            action = replace(action, tsumogiri=not action.tsumogiri)
        if self._answered is not None:
            self._answered(game, question, action, self._kyoku_index, self._index)
        try:
            return game.answer(seat, action)
        except IllegalAction as refusal:
            self._fail(
                _name(self._expected()), f"{LETTERS[seat]} {describe(action)}", f"not legal: {refusal.reason.value}"
            )

    def _is_wrong_tsumogiri(self) -> bool:
        """Tell whether the record says wrongly of the next discard that it is, or is not, the tile just drawn."""
        events, index = self._kyoku.events, self._index
        for place in range(index, min(index + AHEAD, len(events))):
            if isinstance(events[place], ev.TileDiscarded):
                return place in self._kyoku.wrong_tsumogiri
        return False

    def _compare_all(self, events: Sequence[ev.Event]) -> None:
        """Compare events with the record; raise _SkipRest or _RecordEnds if either goes no further."""
        kyoku, table = self._kyoku, self._table
        for event in events:
            index = self._index
            if index == len(kyoku.events):
                if kyoku.complete:
                    self._fail(_name(event), "the end of the kyoku", describe(event))
                raise _RecordEnds
            expected = kyoku.events[index]
            if type(event) is not type(expected):
                self._fail(_name(expected), describe(expected), describe(event))
            if isinstance(event, ev.HandWon | ev.KyokuDrawn):
                self.results[self._kyoku_index, index] = event
            ours = table.stated(event) if index in kyoku.stated else None
            tiles = table.compare(event, self._tiles[index])
            if event != expected or ours is not None or tiles is not None:
                self._compare(event, ours, tiles)
            self._index += 1

    def _compare(self, event: ev.Event, ours: Stated | None, tiles: Tiles | None) -> None:
        """Report how an event, the stated state of the table and the tiles differ from the record."""
        kyoku, index = self._kyoku, self._index
        expected = kyoku.events[index]
        stated = kyoku.stated.get(index, Stated())
        if isinstance(expected, ev.HandWon) and lacks_ura(expected, self._record):
            self._is_settled = False
            event, stated = _without_worth(event, expected), replace(stated, worth=None)
        listed = differences(expected, _as_recorded(event, expected))
        if ours is not None:
            listed += _contradictions(stated, ours)
        if tiles is not None:
            listed.append(("tiles", describe(self._tiles[index]), describe(tiles)))
        if not listed:
            return
        self._mismatch(_name(expected), *join_differences(listed))
        if not isinstance(event, GOES_ON) and index not in kyoku.wrong_tsumogiri:
            self._index += 1
            raise _SkipRest

    def _end(self) -> None:
        """Compare the end of the game, unless its last kyoku was not compared to its end."""
        expected, game = self._record.ended, self._game
        if expected is None or game is None or not game.between_kyoku or not self._is_settled:
            return
        self._kyoku_index, self._index = len(self._record.kyoku), -1
        event = _after_kyoku(game)[0]
        self._events[count_name(expected)] += 1
        if isinstance(event, ev.GameEnded) and not expected.points:
            event = replace(event, points=())
        if isinstance(event, ev.GameEnded) and not expected.results:  # some formats state the scores alone
            event = replace(event, places=expected.places, results=())
        if event == expected:
            return
        if not isinstance(event, ev.GameEnded):
            if self._faultless:
                self._note_length("GameEnded", describe(expected), describe(event))
            return
        mismatch = self._mismatch_here("GameEnded", *join_differences(differences(expected, event)))
        record = self._record
        unknown = record.own_counting or record.own_results or not record.rules_stated
        is_explained = unknown and replace(event, results=expected.results) == expected
        if is_explained or record.unknown_rules:
            self._notes.append(mismatch)
        else:
            self._mismatches.append(mismatch)

    @property
    def _tiles(self) -> Sequence[Tiles]:
        """The physical tiles of each event of the kyoku, which ``_with_copies`` has chosen at the latest."""
        tiles = self._kyoku.tiles
        assert tiles is not None
        return tiles

    def _expected(self) -> ev.Event:
        """Return the next event of the record."""
        return self._kyoku.events[self._index]

    def _mismatch_here(self, what: str, expected: str, found: str) -> Mismatch:
        """Return a mismatch at the current event."""
        return Mismatch(self._kyoku_index + 1, self._index + 1, what, expected, found)

    def _mismatch(self, what: str, expected: str, found: str) -> None:
        """Report a mismatch at the current event; unknown rules explain one of a result."""
        self._faultless = False
        listed = self._mismatches
        if self._record.unknown_rules and what in _OF_RULES:
            listed = self._notes
        listed.append(self._mismatch_here(what, expected, found))

    def _note_length(self, what: str, expected: str, found: str) -> None:
        """Report that the game ends elsewhere, which is no mismatch if nobody knows how long it is."""
        if self._record.length_stated:
            self._mismatch(what, expected, found)
        else:
            self._notes.append(self._mismatch_here(what, expected, found))

    def _fail(self, what: str, expected: str, found: str) -> NoReturn:
        """Report a mismatch, and skip the rest of the kyoku."""
        self._mismatch(what, expected, found)
        raise _SkipRest


def _with_copies(record: RecordedGame) -> RecordedGame:
    """Return a game with physical tiles in all kyoku; raise RecordError, with the kyoku, if that is impossible."""
    kyoku = []
    for number, each in enumerate(record.kyoku, 1):
        try:
            kyoku.append(with_copies(each, record.ruleset))
        except RecordError as error:
            raise RecordError(f"kyoku {number}, {error}") from None
    return replace(record, kyoku=tuple(kyoku))


def _missing(record: RecordedGame) -> str:
    """Return the parts of its game that a record lacks; nothing if it is whole."""
    missing = [] if record.from_start else ["the start of the game"]
    for number, kyoku in enumerate(record.kyoku, 1):
        if not kyoku.complete:
            missing.append(f"the end of kyoku {number}")
    return ", ".join(missing if record.ended is not None else [*missing, "the end of the game"])


def _after_kyoku(game: Game) -> list[ev.Event]:
    """Continue a game after a kyoku, and return the events without KyokuEnded, which records do not have."""
    return [event for event in game.proceed() if not isinstance(event, ev.KyokuEnded)]


def _name(event: ev.Event) -> str:
    return type(event).__name__


def count_name(event: ev.Event) -> str:
    """Return the name under which an event is counted."""
    if isinstance(event, ev.KyokuDrawn):
        return f"{DRAWN} {event.reason.value}"
    if isinstance(event, ev.HandWon):
        return f"{WON} {'tsumo' if event.loser is None else 'ron'}"
    return _name(event)


def _as_recorded(event: ev.Event, expected: ev.Event) -> ev.Event:
    """Return the event with its yaku in the order of the record, and without what the record does not state."""
    if isinstance(event, ev.KyokuDrawn) and isinstance(expected, ev.KyokuDrawn):
        return event if expected.changes else replace(event, changes=())
    if not isinstance(event, ev.HandWon) or not isinstance(expected, ev.HandWon):
        return event
    changes = event.changes if expected.changes else ()
    liable = event.liable if expected.changes else expected.liable
    return replace(event, value=_stated_part(event.value, expected.value), changes=changes, liable=liable)


def _stated_part(found: HandValue, stated: HandValue) -> HandValue:
    """Return a value without what the record does not state."""
    if not stated.yaku and not stated.han:
        return stated  # the payments tell whether the base points are right
    return HandValue(
        yaku=sorted_yaku(found.yaku) if stated.yaku else (),
        han=found.han,
        fu=found.fu if stated.fu or stated.yakuman else 0,
        yakuman=found.yakuman,
        base=found.base if stated.base else 0,
    )


def _without_worth(event: ev.Event, expected: ev.HandWon) -> ev.Event:
    """Return a win as the record states it in all that depends on its ura indicators, which are unknown."""
    if not isinstance(event, ev.HandWon):
        return event
    return replace(event, ura=(), value=expected.value, changes=expected.changes, liable=expected.liable)


def _contradictions(stated: Stated, ours: Stated) -> list[FieldDifference]:
    """Return where the state of the table in the record differs from ours; skip everything that it does not state."""
    listed = []
    for field in fields(stated):
        theirs, found = getattr(stated, field.name), getattr(ours, field.name)
        if theirs is not None and theirs != found:
            listed.append((field.name, describe(theirs), describe(found)))
    return listed
