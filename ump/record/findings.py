"""The faults of records, and the statements of a record with their places.

The readers of foreign formats return a ``StatedGame``: for the linter as far as they can read it, with all faults in
``Findings``; for converting with ``Strict`` findings, which raise the first fault.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from enum import Enum, auto
from typing import TypeAlias

from ump.model import events as ev
from ump.model.constants import DEALT_TILES
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.record.recorded_game import RecordError, Remark, Stated
from ump.rules.presets import TENHOU3
from ump.rules.ruleset import Length, Ruleset
from ump.wire.json_text import JSON, read_document

MOST_FINDINGS = 500
"""Limit of findings in one file; what follows is left out."""

_SHOWN = 160
"""Characters of a finding's texts that are kept."""


class Rule(Enum):
    """A requirement on records: the key of the rule, and the rule as a sentence."""

    UNREADABLE = "unreadable", "The file, and each kyoku in it, has the form of its format as far as it is read."
    UNKNOWN_EVENT = "unknown-event", "Every event is of a type that the format has."
    UNKNOWN_FIELD = "unknown-field", "Every field is one that a program of this format writes."
    DOUBLED_FIELD = "doubled-field", "No field stands twice in an object."
    WRONG_VALUE = "wrong-value", "A field that the format needs is there, and its value has the right form."
    DEAL = "deal", "Each player is dealt 13 tiles."
    FIFTH_TILE = "fifth-tile", "No more copies of a tile turn up than the game has."
    COLUMNS = "columns", "The takes and discards of all seats fit together in some order (tenhou.net/6)."
    TURN_ORDER = "turn-order", "Moves come from the player whose turn it is."
    MISSING_DRAW = "missing-draw", "A player draws before it discards, declares a kan or sets a north aside."
    WALL = "wall", "No tile is drawn from an empty wall."
    REPLACEMENT = "replacement", "The draw after a kan, and no other, is marked as a replacement tile."
    TSUMOGIRI = "tsumogiri", "A discard is marked as tsumogiri if it is the tile just drawn, and only then."
    NOT_HELD = "not-held", "A player gives only tiles that it holds."
    KUIKAE = "kuikae", "After a call the rules forbid some discards (swap calls)."
    IN_RIICHI = "in-riichi", "A player in riichi discards what it draws."
    RIICHI = "riichi", "Riichi is declared once, with a closed tenpai hand, enough points and enough tiles left."
    MISSING_RIICHI = "missing-riichi", "A riichi that pays a stick, or counts in a win, was declared before."
    STICK = "stick", "A riichi pays its stick once, when nobody wins on its tile."
    CALL_SOURCE = "call-source", "A player calls, or wins on, the tile just given, and names the player that gave it."
    MELD = "meld", "The tiles of a call or a kan make a meld."
    CALL = "call", "The rules allow the call."
    KAN = "kan", "The rules allow the kan, or the north that is set aside."
    DORA = "dora-order", "Each kan reveals one dora indicator, at the time that the rules name."
    WIN = "win", "A winning hand is complete, has a yaku and is not furiten."
    SHOWN_HAND = "shown-hand", "A hand that is shown is the one that the player holds."
    URA = "ura", "A winner in riichi has as many ura indicators as there are dora indicators, others none."
    WIN_VALUE = "win-value", "Yaku, han, fu and points of a win follow from the hand."
    PAYMENT = "payment", "The payments of a result follow from it, with honba and sticks."
    DRAW = "draw", "A kyoku is drawn when, and only when, the reason for it is there."
    TENPAI = "tenpai", "A player that declares tenpai is tenpai."
    RESULT = "result", "Every kyoku has a result; only the last one of an unfinished game may stop before it."
    AFTER_END = "after-end", "A kyoku has one result, and nothing follows it."
    CARRIED_SCORE = "carried-score", "Scores are those before the last payments, with these payments."
    CARRIED_ROUND = "carried-round", "Wind, dealer, honba and sticks of a kyoku follow from the result before it."
    FINAL_SCORE = "final-score", "The final scores, places and results follow from the last kyoku."
    REPLAY = "replay", "A journal of ump states what its replay finds."

    def __init__(self, key: str, sentence: str) -> None:
        self.key = key
        """The word for the rule in reports."""
        self.sentence = sentence
        """The rule in one sentence."""


@value
class FilePlace:
    """A place in a file: ``line 12``, ``entry 5``, ``discards of B, entry 7``."""

    unit: str = ""
    """The unit that is counted."""
    number: int = 0
    """The number from 1; 0 means the kyoku, or the file, as a whole."""

    def __str__(self) -> str:
        return f"{self.unit} {self.number}" if self.number else self.unit


WHOLE = FilePlace()
"""The place of what concerns a kyoku or a file as a whole."""


@value
class Finding:
    """One fault of a record."""

    kyoku: int
    """The number of the kyoku within the file, from 1; 0 before the first one."""
    place: FilePlace
    rule: Rule
    expected: str
    found: str


OF_RULES = frozenset(
    (
        *(Rule.WIN, Rule.WIN_VALUE, Rule.PAYMENT, Rule.DRAW, Rule.AFTER_END),
        *(Rule.CARRIED_SCORE, Rule.CARRIED_ROUND, Rule.FINAL_SCORE),
    )
)
"""The rules about payments and results, which nobody can judge if settings of the lobby are unknown."""


# JSON with fields that stand twice


_NAME_SHOWN = 40
"""Characters of a name that a finding shows."""


class CheckedFields(dict[str, JSON]):
    """An object, with the names that stand twice in it."""

    doubled: tuple[str, ...] = ()
    """The names that stand more than once; the last value is kept."""


def read_fields(data: bytes) -> JSON:
    """Read JSON within the usual limits; its objects are ``CheckedFields``. Raises WireError."""
    read_document(data)
    read: JSON = json.loads(data, object_pairs_hook=_fields)
    return read


def _fields(pairs: list[tuple[str, JSON]]) -> CheckedFields:
    fields = CheckedFields(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        fields.doubled = tuple(sorted({name for name in names if names.count(name) > 1}))
    return fields


# Findings


class Findings:
    """Collects the findings of one file."""

    is_strict = False
    """Whether reading stops at the first fault."""

    def __init__(self) -> None:
        self.found: list[Finding] = []
        """All findings, in the order in which they were made."""
        self.kyoku = 0
        """The number of the current kyoku."""
        self.unjudged: frozenset[Rule] = frozenset()
        """The rules of which findings are left out."""

    def add(self, place: FilePlace, rule: Rule, expected: str, found: str) -> None:
        """Add a finding in the current kyoku, unless there are too many."""
        if len(self.found) < MOST_FINDINGS and rule not in self.unjudged:
            self.found.append(Finding(self.kyoku, place, rule, _cut(expected), _cut(found)))

    def add_error(self, place: FilePlace, rule: Rule, expected: str, error: Exception) -> None:
        """Add a finding that an error describes."""
        self.add(place, rule, expected, str(error))

    def note(self, place: FilePlace, rule: Rule, expected: str, found: str) -> None:
        """Add a fault that hinders no reader."""
        self.add(place, rule, expected, found)

    def check_fields(
        self, place: FilePlace, what: str, fields: object, known: Collection[str], needed: Collection[str] = ()
    ) -> None:
        """Note the fields of an object that stand twice, are unknown, or are missing."""
        if not isinstance(fields, Mapping):
            return
        doubled = fields.doubled if isinstance(fields, CheckedFields) else ()
        for name in doubled:
            self.note(place, Rule.DOUBLED_FIELD, f"{what}: one field {name[:_NAME_SHOWN]!a}", "several")
        for name in fields:
            if name not in known:
                expected = ", ".join(sorted(known))
                self.note(place, Rule.UNKNOWN_FIELD, f"{what}: one of {expected}", ascii(name[:_NAME_SHOWN]))
        for name in needed:
            if name not in fields:
                self.note(place, Rule.WRONG_VALUE, f"{what}: a field {name!a}", "none")

    def sorted(self) -> tuple[Finding, ...]:
        """Return the findings by kyoku; within a kyoku, as they were made."""
        return tuple(sorted(self.found, key=lambda finding: finding.kyoku))


class FirstFault(RecordError):
    """The first fault of a record, with its place."""


class Strict(Findings):
    """Raises the first fault: for converting, which goes on after none. Faults that hinder no reader are left out."""

    is_strict = True

    def add(self, place: FilePlace, rule: Rule, expected: str, found: str) -> None:
        """Raise a fault."""
        raise FirstFault(self._placed(place, f"expected {_cut(expected)}; found {_cut(found)}"))

    def add_error(self, place: FilePlace, rule: Rule, expected: str, error: Exception) -> None:
        """Raise an error with its place; a fault has it already."""
        if isinstance(error, FirstFault):
            raise error
        raise FirstFault(self._placed(place, str(error))) from None

    def note(self, place: FilePlace, rule: Rule, expected: str, found: str) -> None:
        """Leave out a fault that hinders no reader."""

    def check_fields(
        self, place: FilePlace, what: str, fields: object, known: Collection[str], needed: Collection[str] = ()
    ) -> None:
        """Leave the fields to the reader, which needs some of them."""

    def _placed(self, place: FilePlace, text: str) -> str:
        where = located(self.kyoku, place)
        return f"{where}: {text}" if where else text


def located(kyoku: int, place: FilePlace) -> str:
    """Return a place in a record in words: ``kyoku 2, line 12``; an empty text for the record as a whole."""
    of_kyoku = [f"kyoku {kyoku}"] if kyoku else []
    return ", ".join((*of_kyoku, str(place))) if str(place) else "".join(of_kyoku)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


# Statements
#
# Other readers stop at the first contradiction. Those of the linter keep what each entry says, whether it fits or not.


class DoraPlace(Enum):
    """The precision with which a format says when a kan dora was revealed."""

    IN_PLACE = auto()
    """Its event stands where it happened."""
    NEARBY = auto()
    """Its event stands near that place."""
    LISTED = auto()
    """The indicators are listed apart from the moves."""


@value
class FormatStatements:
    """The statements that a format makes of a game."""

    dora: DoraPlace
    sticks: bool
    """Whether it has an event for the payment of a riichi stick."""
    marks_replacements: bool = False
    """Whether it tells replacement tiles from other draws."""


@value
class Unclear:
    """An entry that is some move, but makes no sense: the hand of its seat is not known any more."""

    seat: Seat | None = None
    """None: nobody knows whose move it is."""


Statement: TypeAlias = ev.Event | Unclear


@value
class StatedEntry:
    """One statement in its place."""

    place: FilePlace
    what: Statement
    stated: Stated | None = None
    """The state of the table that the record states along with it."""
    after: tuple[int, ...] | None = None
    """The scores after it, if the record states them."""


@value
class StatedKyoku:
    """One kyoku, as its record states it."""

    place: FilePlace
    """The place of its deal."""
    started: ev.KyokuStarted
    hands: tuple[tuple[Face, ...] | None, ...]
    """The dealt hands by seat; None for hidden ones."""
    indicator: Face
    entries: tuple[StatedEntry, ...]
    listed_dora: tuple[Face, ...] | None = None
    """The indicators of kans, if the format lists them apart from the moves."""
    is_cut: bool = False
    """Whether the reader has lost the thread before the end, and has said so."""
    ordinal: int = 0
    """Its place in the file, from 1."""
    number: int | None = None
    """The number of the kyoku if the record states it beside its dealer and wind: 0 is east 1."""
    remarks: tuple[Remark, ...] = ()
    """Statements about seats besides the entries; the place of each is the number of entries before it."""


@value
class StatedGame:
    """One game, as its record states it."""

    form: FormatStatements
    ruleset: Ruleset
    rules_stated: bool
    kyoku: tuple[StatedKyoku, ...]
    ended: ev.GameEnded | None = None
    ended_place: FilePlace = FilePlace()
    own_counting: bool = False
    """Whether the lobby of the game counts more than points."""
    length_stated: bool = False
    """Whether the length is known without all rules."""
    unknown_rules: tuple[str, ...] = ()
    """The settings of the lobby that are not understood; payments and results depend on them."""


# Statements of formats whose readers return events one after the other, collected into kyoku


class Collector:
    """Collects the kyoku of one game. ``Findings.kyoku`` follows them."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self.kyoku: list[StatedKyoku] = []
        """The kyoku so far; the last one has no entries yet."""
        self._entries: list[StatedEntry] = []
        self._remarks: list[Remark] = []
        self._started: ev.KyokuStarted | None = None
        self._hands: dict[Seat, tuple[Face, ...] | None] = {}
        self._is_lost = True
        """Whether no kyoku is being read: before the first one, and after the start of one that is unreadable."""
        self._has_said = False

    def add(self, place: FilePlace, event: ev.Event, stated: Stated | None = None) -> None:
        """Add an event of the record."""
        match event:
            case ev.KyokuStarted():
                self._finish()
                self._started, self._hands = event, {}
            case ev.HandDealt():
                self._hands[event.seat] = event.faces
            case ev.DoraRevealed() if self._started is not None:
                self._start(place, event.indicator)
                if stated is not None:
                    self.kyoku[-1] = replace(self.kyoku[-1], number=stated.number)
            case _:
                self.enter(StatedEntry(place, event, stated))

    def enter(self, entry: StatedEntry) -> None:
        """Add an entry to the current kyoku."""
        if not self._is_lost:
            self._entries.append(entry)
        elif not self._has_said:
            self._has_said = True
            self._findings.add(entry.place, Rule.UNREADABLE, "the start of a kyoku", "a move")

    def remark(self, seat: Seat, kind: str, text: str) -> None:
        """Add a remark to the current kyoku, if there is one."""
        if not self._is_lost:
            self._remarks.append(Remark(len(self._entries), seat, kind, text))

    def lose(self, place: FilePlace, seat: Seat | None) -> None:
        """Note an entry that is some move of a seat, but makes no sense."""
        if not self._is_lost:
            self._entries.append(StatedEntry(place, Unclear(seat)))

    def skip_kyoku(self) -> None:
        """Note the start of a kyoku that is unreadable: what follows up to the next one is left out."""
        self._finish()
        self._findings.kyoku += 1
        self._is_lost = self._has_said = True

    def finished(self) -> tuple[StatedKyoku, ...]:
        """Return all kyoku."""
        self._finish()
        return tuple(self.kyoku)

    def _start(self, place: FilePlace, indicator: Face) -> None:
        started = self._started
        assert started is not None
        self._findings.kyoku += 1
        hands = tuple(self._dealt(place, seat) for seat in range(len(started.points)))
        self.kyoku.append(StatedKyoku(place, started, hands, indicator, (), ordinal=self._findings.kyoku))
        self._started, self._is_lost = None, False

    def _dealt(self, place: FilePlace, seat: Seat) -> tuple[Face, ...] | None:
        """Return the dealt hand of a seat, unknown if it has another number of tiles."""
        hand = self._hands.get(seat)
        if hand is None or len(hand) == DEALT_TILES:
            return hand
        self._findings.add(place, Rule.DEAL, f"a hand of {DEALT_TILES} tiles", f"a hand of {len(hand)}")
        return None

    def _finish(self) -> None:
        if self._entries or self._remarks:
            self.kyoku[-1] = replace(self.kyoku[-1], entries=tuple(self._entries), remarks=tuple(self._remarks))
        self._entries, self._remarks = [], []


def with_length(game: StatedGame, length: Length | None) -> StatedGame:
    """Return a game with this length, if there is one and nobody has stated another before."""
    if length is None or game.length_stated:
        return game
    return replace(game, ruleset=replace(game.ruleset, length=length), length_stated=True)


def with_start(assumed: Ruleset, started: ev.KyokuStarted | None) -> Ruleset:
    """Return assumed rules for a game with this first kyoku: its number of players and its starting points."""
    if started is None:
        return assumed
    if len(started.points) == TENHOU3.seats and assumed.seats != TENHOU3.seats:
        assumed = TENHOU3
    is_first = (started.bakaze, started.dealer, started.honba, started.kyotaku) == (0, 0, 0, 0)
    points = set(started.points)
    return replace(assumed, start_points=points.pop()) if is_first and len(points) == 1 else assumed
