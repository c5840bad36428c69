"""The decision about a tile that several players may claim."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeAlias

from ump.game.board import Board
from ump.model.actions import Action, Chi, Daiminkan, Pon, Ron
from ump.model.seats import Seat
from ump.rules.call_question import CallQuestion, ChankanQuestion, Rank, Robbed, rank_of
from ump.rules.ruleset import MultipleRon

Call: TypeAlias = Chi | Pon | Daiminkan
"""An answer that takes the tile without winning on it."""


class Decision:
    """The answers about one tile, and who gets it.

    Ron goes before pon and kan, and these before chi. Of several rons the nearest to the source comes first.
    """

    def __init__(
        self,
        questions: Mapping[Seat, CallQuestion | ChankanQuestion],
        board: Board,
        source: Seat,
        *,
        wait_for_all: bool,
        robbing: Robbed | None = None,
    ) -> None:
        """Wait for these questions. With ``wait_for_all`` no decision is made before the last answer."""
        self.source = source
        """The seat whose tile it is."""
        self.robbing = robbing
        """The declaration whose tile may be robbed; None if the tile is a discard."""
        self._head_bump = board.ruleset.multiple_ron is MultipleRon.HEAD_BUMP
        self._seats = board.seats
        self._wait_for_all = wait_for_all
        self._could = {seat: question.rank for seat, question in questions.items()}
        self._answers: dict[Seat, Action] = {}

    def take(self, seat: Seat, answer: Action) -> None:
        """Record a legal answer."""
        self._answers[seat] = answer

    def is_made(self, awaited: Collection[Seat]) -> bool:
        """Tell whether the awaited answers cannot change the outcome."""
        if not awaited:
            return True
        if self._wait_for_all:
            return False
        best = max((rank_of(answer) for answer in self._answers.values()), default=Rank.PASS)
        return not any(self._could_change(best, seat) for seat in awaited)

    def _could_change(self, best: Rank, seat: Seat) -> bool:
        """Tell whether the seat's answer could go before the best answer so far, or win together with it."""
        could = self._could[seat]
        if best is not Rank.RON or could is not Rank.RON:
            return could > best
        return not self._head_bump or self._distance(seat) < self._distance(self.winners[0])

    def _distance(self, seat: Seat) -> int:
        return (seat - self.source) % self._seats

    @property
    def winners(self) -> tuple[Seat, ...]:
        """The seats that win on the tile, the nearest to its source first; with head bump at most one."""
        rons = [seat for seat, answer in self._answers.items() if isinstance(answer, Ron)]
        rons.sort(key=self._distance)
        return tuple(rons[:1] if self._head_bump else rons)

    @property
    def caller(self) -> tuple[Seat, Call] | None:
        """The seat that calls the tile, and its call, if nobody wins on it."""
        calls = [(seat, answer) for seat, answer in self._answers.items() if isinstance(answer, Call)]
        return max(calls, key=lambda call: rank_of(call[1]), default=None)
