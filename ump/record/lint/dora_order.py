"""The times at which kans reveal their dora indicators, and the indicators that a record reveals."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from ump.model.melds import Meld, MeldType
from ump.model.notation import UMP_FACES
from ump.model.tiles import Face
from ump.record.lint.findings import Findings, Place, Rule
from ump.record.lint.statements import DoraPlace
from ump.rules.ruleset import KanDoraTime, Ruleset

PATIENCE = 3
"""How many draws a format that states the indicators nearby may pass before one of them is missing."""


class DoraOrder:
    """Follows the indicators of one kyoku."""

    def __init__(
        self,
        ruleset: Ruleset,
        place: DoraPlace,
        listed: Sequence[Face],
        findings: Findings,
        reveal: Callable[[Face], None],
    ) -> None:
        """Begin a kyoku. ``reveal`` takes each indicator of ``listed`` at its time."""
        self._ruleset = ruleset
        self._place = place
        self._listed = deque(listed)
        self._findings = findings
        self._reveal = reveal
        self._due = 0
        """Indicators to be revealed before the next move."""
        self._deferred = 0
        """Indicators of open and added kans that come later."""
        self._late = 0
        """Indicators that are overdue."""
        self._draws = 0
        """Draws since an indicator is overdue."""

    def kan(self, place: Place, meld: Meld) -> None:
        """Note a kan."""
        if not self._ruleset.kan_dora:
            return
        time = self._ruleset.open_kan_dora
        if meld.type is not MeldType.DAIMINKAN:
            self._fall_due(place)
        if meld.type is MeldType.ANKAN or time is KanDoraTime.AT_ONCE:
            self._due += 1
        else:
            self._deferred += 1
        self._reveal_listed(place)

    def kita(self, place: Place) -> None:
        """Note a north that is set aside: the indicators of earlier kans are revealed."""
        self._fall_due(place)
        self._reveal_listed(place)

    def before_discard(self, place: Place) -> None:
        """Note a discard that comes next."""
        self.before_move(place)
        if self._ruleset.open_kan_dora is KanDoraTime.BEFORE_DISCARD:
            self._fall_due(place)
            self._reveal_listed(place)
            self.before_move(place)

    def discard_passed(self, place: Place) -> None:
        """Note that nobody has won on a discard."""
        if self._ruleset.open_kan_dora is KanDoraTime.AFTER_DISCARD:
            self._fall_due(place)
            self._reveal_listed(place)

    def before_move(self, place: Place) -> None:
        """Report the indicators that should have been revealed before this move."""
        if not self._due:
            return
        if self._place is not DoraPlace.NEARBY:
            self._findings.add(place, Rule.DORA, "the dora indicator of a kan", "a move before it")
        self._late += self._due
        self._due = self._draws = 0

    def draw(self, place: Place) -> None:
        """Note a draw: an indicator that is overdue for too long is missing."""
        self._draws += 1
        if self._late and self._place is DoraPlace.NEARBY and self._draws == PATIENCE:
            self._findings.add(place, Rule.DORA, "the dora indicator of a kan", "further draws without it")

    def revealed(self, place: Place, indicator: Face, *, after_replacement: bool) -> None:
        """Note an indicator that the record reveals; ``after_replacement``: the last move was a replacement draw."""
        before_discard = self._ruleset.open_kan_dora is KanDoraTime.BEFORE_DISCARD and after_replacement
        if self._late:
            self._late -= 1
        elif self._due:
            self._due -= 1
        elif self._deferred:
            self._deferred -= 1
            if not before_discard and self._place is DoraPlace.IN_PLACE:
                self._findings.add(
                    place,
                    Rule.DORA,
                    f"the indicator of this kan {_TIMES[self._ruleset.open_kan_dora]}",
                    "it comes earlier",
                )
        else:
            self._findings.add(place, Rule.DORA, "no dora indicator without a kan", f"indicator {UMP_FACES[indicator]}")

    def end(self, place: Place) -> None:
        """Report listed indicators that nothing has revealed."""
        if len(self._listed) > self._deferred:
            self._findings.add(
                place, Rule.DORA, "one dora indicator, and one for each kan", f"{len(self._listed)} more indicators"
            )

    def _fall_due(self, place: Place) -> None:
        self._due += self._deferred
        self._deferred = 0

    def _reveal_listed(self, place: Place) -> None:
        """Reveal what is due from the list of the record, if it has one."""
        if self._place is not DoraPlace.LISTED:
            return
        while self._due and self._listed:
            self._due -= 1
            self._reveal(self._listed.popleft())


_TIMES = {
    KanDoraTime.AT_ONCE: "before the next move",
    KanDoraTime.BEFORE_DISCARD: "after the replacement draw",
    KanDoraTime.AFTER_DISCARD: "after the discard",
}
