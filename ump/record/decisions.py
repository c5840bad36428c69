"""Games of any format, and every decision in them: what a player saw, what was legal, and what was done."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from ump.model import actions
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.value import value
from ump.players.evaluation import as_face
from ump.players.observation import Observation
from ump.record.formats import content, read_games
from ump.record.record_files import RecordSource, files_at, read_source, records_in, unpacked
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.replay import Replay
from ump.record.verify import NO_ASSUMPTIONS, Assumptions
from ump.rules.questions import Question
from ump.table.view import view

# Games


def read_record(record: Path | str | bytes) -> RecordedGame:
    """Return the game in a record: the path of a file of any format, plain or gzip, or its bytes.

    Raises RecordError if the record is unreadable or has several games; ``read_records`` reads those.
    """
    if isinstance(record, bytes):
        games = games_of(RecordSource("record", record))
    else:
        games = games_of(RecordSource(str(record)))
    if len(games) > 1:
        raise RecordError(f"{len(games)} games in one record; read_records reads them")
    return games[0]


def read_records(
    *paths: Path | str, unreadable: Callable[[str, RecordError], None] | None = None
) -> Iterator[tuple[str, RecordedGame]]:
    """Yield each game of these files, folders and archives, with the name of its record.

    An unreadable record raises RecordError; if ``unreadable`` is given, it is called with the name and the error, and
    the other records go on.
    """
    chosen = list(map(Path, paths))
    for file in files_at(chosen):
        for source in records_in(file, is_given=file in chosen):
            try:
                games = games_of(source)
            except RecordError as error:
                if unreadable is None:
                    raise RecordError(f"{source.name}: {error}") from None
                unreadable(source.name, error)
                continue
            for game in games:
                yield source.name, game


def games_of(source: RecordSource, assumptions: Assumptions = NO_ASSUMPTIONS) -> list[RecordedGame]:
    """Return the games of a record under the user's assumptions; raise RecordError if it is unreadable."""
    data = content(unpacked(read_source(source)))
    games = read_games(data, assumptions.format_of(data))
    return [assumptions.applied(game) for game in games]


# Decisions


@value
class Decision:
    """A question to one seat, and the answer in the record."""

    kyoku: int
    """The index of the kyoku, from 0."""
    event: int
    """The events of the kyoku that came before."""
    seat: Seat
    phase: Phase
    tile: Face | None
    """The tile of the question (see ``Policy.choose``)."""
    seen: Observation
    """The view of the seat. It follows the game: copy what you keep after the next decision."""
    legal: tuple[actions.Action, ...]
    done: actions.Action
    outranked: int
    """The precedence of what another seat did with the same tile; 0 if nobody else did anything.

    A record does not say whether a seat wanted less than that: its pass is then unknown.
    """

    @property
    def is_free(self) -> bool:
        """Whether there was a choice: equal tiles, drawn or not, are one action."""
        return len(set(map(as_face, self.legal))) > 1

    def is_known(self, wanted: actions.Action) -> bool:
        """Tell whether the record shows that the seat did not want this action, or that it did."""
        return not isinstance(self.done, actions.Pass) or precedence(wanted) > self.outranked or not self.outranked


_PRECEDENCE = {actions.Chi: 1, actions.Pon: 2, actions.Daiminkan: 2, actions.Ron: 3}


def precedence(action: actions.Action) -> int:
    """Return which call of a tile goes before another: ron before pon and kan, these before chi, 0 for all others."""
    return _PRECEDENCE.get(type(action), 0)


def decisions(game: RecordedGame, seats: Collection[Seat] | None = None) -> Iterator[Decision]:
    """Yield the decisions of these seats, by default of all, in the order of the game.

    Declarations of tenpai at a draw are left out. A kyoku ends at its first move that the rules do not allow;
    ``ump verify`` says why. Raises RecordError for a record that hides hands, or whose moves contradict each other.
    """
    if seats is None:
        seats = range(len(game.names))
    asked = _asked(game)
    observations = {seat: Observation(seat, game.ruleset) for seat in seats}
    for number, kyoku in enumerate(game.kyoku):
        shown = 0
        for question in asked[number]:
            for event in kyoku.events[shown : question.event]:
                for seat, seen in observations.items():
                    seen.see(view(event, seat))
            shown = max(shown, question.event)
            if question.seat in observations:
                yield question.decision(observations[question.seat])


@value
class _Asked:
    """A question as the replay asked it."""

    kyoku: int
    event: int
    seat: Seat
    phase: Phase
    tile: Face | None
    legal: tuple[actions.Action, ...]
    done: actions.Action
    outranked: int

    def decision(self, seen: Observation) -> Decision:
        """Return the decision of a seat that has seen so much."""
        place = (self.kyoku, self.event, self.seat)
        return Decision(*place, self.phase, self.tile, seen, self.legal, self.done, self.outranked)


def _asked(game: RecordedGame) -> list[list[_Asked]]:
    """Return the questions of each kyoku but for declarations of tenpai; raise RecordError."""
    if any(kyoku.hidden for kyoku in game.kyoku):
        raise RecordError("the record hides hands; a review needs all of them")
    answers: list[list[tuple[int, Question, actions.Action]]] = [[] for _ in game.kyoku]

    def answered(_game: object, question: Question, action: actions.Action, kyoku: int, event: int) -> None:
        """Keep a question with its answer; the list of what is legal changes with the game."""
        if question.phase is not Phase.DECLARE:
            question.legal()
            answers[kyoku].append((event, question, action))

    Replay(game, answered=answered).run()
    return [_with_ranks(number, listed) for number, listed in enumerate(answers)]


def _with_ranks(kyoku: int, answers: list[tuple[int, Question, actions.Action]]) -> list[_Asked]:
    """Return the answers of a kyoku, each with the precedence of the others to the same tile."""
    ranked: list[_Asked] = []
    for event, question, done in answers:
        outranked = 0
        for place, asked, other in answers:
            if place == event and asked.seat != question.seat:
                outranked = max(outranked, precedence(other))
        legal = question.legal()
        ranked.append(_Asked(kyoku, event, question.seat, question.phase, question.tile, legal, done, outranked))
    return ranked
