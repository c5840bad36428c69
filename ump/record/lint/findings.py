"""The rules of the linter, and what it finds."""

from __future__ import annotations

from enum import Enum

from ump.model.value import value

MOST_FINDINGS = 500
"""Limit of findings in one file; what follows is left out."""

_SHOWN = 160
"""Characters of a finding's texts that are kept."""


class Rule(Enum):
    """What a record must fulfil: the key of the rule, and the rule as a sentence."""

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
class Place:
    """Where in a file something stands: ``line 12``, ``entry 5``, ``discards of B, entry 7``."""

    unit: str = ""
    """What is counted."""
    number: int = 0
    """The number from 1; 0 means the kyoku, or the file, as a whole."""

    def __str__(self) -> str:
        return f"{self.unit} {self.number}" if self.number else self.unit


WHOLE = Place()
"""The place of what concerns a kyoku or a file as a whole."""


@value
class Finding:
    """One fault of a record."""

    kyoku: int
    """The number of the kyoku within the file, from 1; 0 before the first one."""
    place: Place
    rule: Rule
    expected: str
    found: str


class Findings:
    """Collects the findings of one file."""

    def __init__(self) -> None:
        self.found: list[Finding] = []
        """All findings, in the order in which they were made."""
        self.kyoku = 0
        """The number of the current kyoku."""

    def add(self, place: Place, rule: Rule, expected: str, found: str) -> None:
        """Add a finding in the current kyoku, unless there are too many."""
        if len(self.found) < MOST_FINDINGS:
            self.found.append(Finding(self.kyoku, place, rule, _cut(expected), _cut(found)))

    def sorted(self) -> tuple[Finding, ...]:
        """Return the findings by kyoku; within a kyoku, as they were made."""
        return tuple(sorted(self.found, key=lambda finding: finding.kyoku))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
