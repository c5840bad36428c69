"""Reports of a running table for the log and the traces: replies that do not count, silence, results.

Those of a running game go to the debug log: at info they would reveal something about a hand during the game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from ump.model.claims import Reason
from ump.model.notation import UMP_FACES
from ump.model.seats import LETTERS, Seat
from ump.net.connection import DROPPED, LATE, REFUSED, SILENT
from ump.rules.questions import Question
from ump.server.player_connection import PlayerConnection
from ump.server.status.game_totals import AnswerTimes, GameSummary
from ump.table.journal_entries import ActionTaken, AnswerLate, AnswerRefused, Entry, PassHeld, SeatReady
from ump.table.messages import Answer, Ask, Input, Lapse, Tick
from ump.table.opening import Opening
from ump.table.table import Step, Table
from ump.wire.names import logged_name

Asked: TypeAlias = tuple[int, Question | None, int]
"""The number of a question at its table, the question of the game, and when it was first asked, in milliseconds.

The question None stands for ``ready?``.
"""


class TableReports:
    """Puts what happens at one table into words."""

    def __init__(self, opening: Opening, table: Table, players: Mapping[Seat, PlayerConnection]) -> None:
        """``players`` are the connected players at any time, by seat."""
        self._opening = opening
        self._table = table
        self._players = players
        self._answers: dict[str, AnswerTimes] = {}
        """Questions of the game and their answers, by dialect."""
        self._refusals: Counter[tuple[Reason, str]] = Counter()
        """Refused answers since the table began on this server, by reason and dialect."""

    def about(self, seat: Seat) -> dict[str, object]:
        """Return the fields of a line of the log about a player: ``who`` for the text, the others for programs."""
        player, table = self._opening.players[seat], self._opening.name
        return {"who": self.label(seat), "table": table, "seat": LETTERS[seat], "player": player}

    def label(self, seat: Seat) -> str:
        """Return what the log calls the player at a seat: the table and the name."""
        return f"{self._opening.name}: {logged_name(self._opening.players[seat])}"

    def open_question(self, seat: Seat) -> str:
        """Return the open question of a seat in words, or "" if it has none."""
        asked = self._table.chairs[seat].open
        return "" if asked is None else self._in_words(seat, asked.number, asked.question)

    def open_questions(self, given: Input) -> dict[Seat, Asked]:
        """Return the open questions that an input may close, with their numbers."""
        if isinstance(given, Answer):
            seats: Iterable[Seat] = (given.seat,)
        elif isinstance(given, Tick):
            seats = self._players
        else:
            return {}
        chairs = self._table.chairs
        return {
            seat: (asked.number, asked.question, asked.asked)
            for seat in seats
            if (asked := chairs[seat].open) is not None
        }

    def report(self, given: Input, step: Step, asked: Mapping[Seat, Asked], now: int) -> None:
        """Report an answer that does not count, and questions without an answer. Their sessions do not know it yet.

        Count questions and answers too. ``asked`` are the open questions before the step, ``now`` is its instant.
        """
        for message in step.messages:
            if isinstance(message, Ask) and message.question is not None and message.seat in self._players:
                self._answers_of(message.seat).questions += 1
        if isinstance(given, Answer):
            if not step.entries or not isinstance(step.entries[0], ActionTaken | PassHeld | SeatReady):
                self._report_answer(given, step.entries[0] if step.entries else None, asked.get(given.seat))
            elif given.seat in asked and given.seat in self._players and not given.is_automatic:
                self._count_answer(given.seat, asked[given.seat], now)
        elif isinstance(given, Tick):
            for message in step.messages:
                if isinstance(message, Lapse) and message.by_time and message.seat in self._players:
                    question = self._in_words(message.seat, *asked[message.seat][:2])
                    self._players[message.seat].connection.report_silence(f"{SILENT} to {question}")

    def _report_answer(self, answer: Answer, entry: Entry | None, asked: Asked | None) -> None:
        player = self._players.get(answer.seat)
        if player is None:
            return
        question = "no question" if asked is None else self._in_words(answer.seat, *asked[:2])
        match entry:
            case AnswerRefused(_, reason):
                self._refusals[reason, player.connection.session.DIALECT] += 1
                player.connection.report(f"{REFUSED}: {reason.value}; the answer to {question}")
            case AnswerLate():
                player.connection.report(f"{LATE}: the time for {question} is over")
            case _:
                player.connection.report(f"{DROPPED}: the answer to an older question; {question} is open")

    def _count_answer(self, seat: Seat, asked: Asked, now: int) -> None:
        _, question, since = asked
        if question is not None:
            self._answers_of(seat).times.add((now - since) / 1_000)

    def _answers_of(self, seat: Seat) -> AnswerTimes:
        dialect = self._players[seat].connection.session.DIALECT
        answers = self._answers.get(dialect)
        if answers is None:
            answers = self._answers[dialect] = AnswerTimes()
        return answers

    def _in_words(self, seat: Seat, number: int, question: Question | None) -> str:
        """Return a question as reports name it: its id, which is the client's if the dialect has ids, kind and tile."""
        player = self._players.get(seat)
        own = None if player is None else player.connection.session.question_id
        kind = "ready" if question is None else question.phase.value
        tile = "" if question is None or question.tile is None else f" {UMP_FACES[question.tile]}"
        return f"question {number if own is None else own} ({kind}{tile})"

    def summary(self, seconds: float) -> GameSummary:
        """Return what the game, which is over, adds to the totals; ``seconds`` is its length on this server."""
        chairs, end = self._table.chairs, self._table.end
        assert end is not None, "the game is over"
        return GameSummary(
            end,
            seconds,
            self._refusals,
            sum(chair.timeouts for chair in chairs),
            sum(chair.stale for chair in chairs),
            self._answers,
        )

    def results(self) -> str:
        """Return the scores of all seats, with the number of their answers that did not count."""
        return ", ".join(map(self._result_of, range(len(self._opening.players))))

    def _result_of(self, seat: Seat) -> str:
        """Return a seat's name and score, and the number of its refused, late and stale answers."""
        chair = self._table.chairs[seat]
        wrong = [
            f"{count} {reason.value}"
            for reason, count in sorted(chair.refusals.items(), key=lambda each: each[0].value)
        ]
        if chair.timeouts:
            wrong.append(f"{chair.timeouts} late")
        if chair.stale:
            wrong.append(f"{chair.stale} stale")
        score = f"{logged_name(self._opening.players[seat])} {self._table.game.points[seat]}"
        return f"{score} ({', '.join(wrong)})" if wrong else score
