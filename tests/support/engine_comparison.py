"""Plays a game on our engine and on the second one, and compares them at every decision and after every kyoku."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random

from support.policies import EagerPolicy, RareHandPolicy, helpful_deals
from support.second_engine import YAKUMAN_HAN, Outcome, SecondKyoku, Steps, Table, Win

from ump.game.board import Board
from ump.game.deals import Deals, seeded_deals
from ump.game.game import Game, GameState
from ump.model.actions import Action
from ump.model.events import Event, GameEnded, HandWon, KyokuDrawn, KyokuStarted
from ump.model.notation import UMP_FACES, format_ump_hand
from ump.model.seats import LETTERS, Seat
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.players.policy import Policy, RandomLegal
from ump.record.replay import describe
from ump.rules.questions import Question
from ump.rules.ruleset import Ruleset
from ump.table.view import view

WINDS = ("east", "south", "west", "north")
HELPED = "single-minded"
"""The policy that gets helpful walls if all four players have it."""

POLICIES: Mapping[str, Callable[[Random], Policy]] = {
    "random": RandomLegal,
    "eager": EagerPolicy,
    HELPED: RareHandPolicy,
    "efficiency": lambda chance: Efficiency(),
}
"""The policies by name."""

MIXED = "mixed"
"""Stands for a random policy for each seat."""


COUNTED = "counted instead of yakuman"
THIRD_KAN = "third kan of three players"
KNOWN: Mapping[str, str] = {
    COUNTED: "a hand can be read as a yakuman or as more than 13 han: the second engine names the larger number of "
    "han, ours the yakuman; the payments are the same, and compared",
    THIRD_KAN: "with three players the indicators of a third and fourth kan lie where the second engine has our ura "
    "indicators or live tiles; such a hanchan ends with that kan",
}
"""The known differences, which docs/evidence.md explains. They are counted."""


class Difference(Exception):
    """A difference between the engines."""

    def __init__(self, what: str, ours: object, theirs: object, board: Board, decision: int) -> None:
        super().__init__(what)
        self.what = what
        self.ours = ours
        self.theirs = theirs
        self.position = "\n".join((f"{name_of(board)}, decision {decision}", *described(board)))

    def __str__(self) -> str:
        return f"{self.what}\n  ours:   {self.ours}\n  theirs: {self.theirs}\n{self.position}"


def name_of(board: Board) -> str:
    """Name a kyoku: east 1, 2 honba."""
    return f"{WINDS[board.bakaze]} {board.dealer + 1}, {board.honba} honba"


def described(board: Board) -> list[str]:
    """Describe the board, one line for the middle of the table and one for each seat."""
    indicators = "".join(UMP_FACES[face] for face in board.indicators)
    lines = [f"indicators {indicators}, {board.left} tiles left, {board.kyotaku} sticks"]
    for seat, player in enumerate(board.players):
        river = "".join(UMP_FACES[face] for face in player.river) or "none"
        riichi = " riichi" if player.riichi else ""
        points = board.points[seat]
        lines.append(
            f"{LETTERS[seat]} {points}{riichi}: {format_ump_hand(player.hand.concealed, player.hand.melds)}, {river}"
        )
    return lines


def listed(actions: Iterable[Action]) -> str:
    """Write actions in one line."""
    return ", ".join(sorted(map(describe, actions))) or "nothing"


def listed_by_seat(offers: Mapping[Seat, Iterable[Action]]) -> str:
    """Write the actions of several seats in one line."""
    return "; ".join(f"{LETTERS[seat]} {listed(actions)}" for seat, actions in sorted(offers.items())) or "nobody"


def hanchan(ruleset: Ruleset, seed: str, policy: str, counts: Counter[str]) -> EngineComparison:
    """Return a hanchan whose walls and choices follow from the seed; ``policy`` is one of POLICIES, or MIXED."""
    chance = Random(seed)
    names = [chance.choice(list(POLICIES)) if policy == MIXED else policy for _ in range(ruleset.seats)]
    deals = (helpful_deals if policy == HELPED else seeded_deals)(seed, ruleset.seats)
    return EngineComparison(ruleset, [POLICIES[name](chance) for name in names], deals, chance, counts)


class _Unlike(Exception):
    """The walls of the engines are no longer alike."""


class EngineComparison:
    """A hanchan on both engines; ``play`` raises Difference at the first one."""

    def __init__(
        self,
        ruleset: Ruleset,
        policies: Sequence[Policy],
        deals: Deals,
        chance: Random,
        counts: Counter[str],
        standing: GameState | None = None,
    ) -> None:
        """Start a hanchan; the second engine plays the preset that the ruleset is named after.

        ``chance`` decides the order of answers in our game. ``counts`` is updated with the numbers of hanchan, kyoku,
        decisions, offers, wins and known differences. ``standing`` is the start of the game, by default a new one.
        """
        self._preset = ruleset.name
        self._deals = deals
        self._policies = policies
        self._seen = [Observation(seat, ruleset) for seat in range(ruleset.seats)]
        self._game = Game(ruleset, LETTERS[: ruleset.seats], deals, standing=standing)
        self._chance = chance
        self._counts = counts
        self._decision = 0

    def play(self) -> None:
        """Play to the end, or of three players until a third kan."""
        try:
            self._play()
        except _Unlike:
            self._counts[f"known {THIRD_KAN}"] += 1
        self._counts["hanchan"] += 1

    def _play(self) -> None:
        self._see(self._game.begin())
        second: SecondKyoku | None = None
        while True:
            events = self._game.proceed()
            self._see(events)
            if second is not None:
                self._compare_following(second, events)
            if self._game.over:
                break
            second = self._kyoku(events)

    def _see(self, events: Iterable[Event]) -> None:
        for event in events:
            for observation in self._seen:
                observation.see(view(event, observation.seat))

    def _kyoku(self, events: Iterable[Event]) -> SecondKyoku:
        """Play one kyoku on both engines."""
        assert self._game.round is not None
        second = SecondKyoku(self._preset, self._deals(self._game.round).tiles, standing_of(events))
        self._decision = 0
        told: list[Event] = []
        while not self._game.between_kyoku:
            offers = self._compared_offers(second)
            self._decision += 1
            answers = {seat: self._choice(seat, question) for seat, question in self._game.questions.items()}
            second.answer({seat: offers[seat][action] for seat, action in answers.items()})
            told += self._answer(answers)
            if self._game.ruleset.seats == 3 and self._game.kyoku and len(self._game.kyoku.board.kans) == 3:
                raise _Unlike
        self._compare_outcome(second, told)
        self._counts["kyoku"] += 1
        return second

    def _choice(self, seat: Seat, question: Question) -> Action:
        return self._policies[seat].choose(self._seen[seat], question.phase, question.tile, question.legal())

    def _answer(self, answers: Mapping[Seat, Action]) -> list[Event]:
        """Give our game the answers one by one, in random order, until its questions are closed."""
        told: list[Event] = []
        questions = dict(self._game.questions)
        for seat in self._chance.sample(list(answers), len(answers)):
            if self._game.questions.get(seat) is not questions[seat]:
                break
            events = self._game.answer(seat, answers[seat])
            self._see(events)
            told += events
        return told

    def _differ(self, what: str, ours: object, theirs: object) -> Difference:
        assert self._game.kyoku is not None
        return Difference(what, ours, theirs, self._game.kyoku.board, self._decision)

    def _compared_offers(self, second: SecondKyoku) -> dict[Seat, dict[Action, Steps]]:
        """Compare the table and the legal actions; return those of the second engine."""
        assert self._game.kyoku is not None
        questions, offers = self._game.questions, second.offers()
        if set(questions) != set(offers):
            legal_here = {seat: question.legal() for seat, question in questions.items()}
            raise self._differ("who is asked", listed_by_seat(legal_here), listed_by_seat(offers))
        ours, theirs = table_of(self._game.kyoku.board), second.table()
        if ours != theirs:
            raise self._differ("the table", describe(ours), describe(theirs))
        for seat, question in questions.items():
            legal = set(question.legal())
            if legal != offers[seat].keys():
                what = f"what {LETTERS[seat]} may do ({question.phase.value}, {describe(question.tile, 'tile')})"
                raise self._differ(what, listed(legal - set(offers[seat])), listed(set(offers[seat]) - legal))
            self._counts["decisions"] += 1
            self._counts["actions"] += len(legal)
            self._counts.update({f"offered {type(action).__name__}" for action in legal})
        return offers

    def _compare_outcome(self, second: SecondKyoku, events: Sequence[Event]) -> None:
        assert self._game.kyoku is not None and self._game.kyoku.result is not None
        result = self._game.kyoku.result
        if not second.over:
            raise self._differ("the kyoku's end", "over", listed_by_seat(second.offers()))
        ours = outcome_of(events, result.points, result.kyotaku)
        theirs = second.outcome()
        if ours != theirs and names_counted(ours, theirs):
            self._counts[f"known {COUNTED}"] += 1
        elif ours != theirs:
            raise self._differ("the result", describe(ours), describe(theirs))
        self._count(ours, [event for event in events if isinstance(event, HandWon)])

    def _count(self, ended: Outcome, wins: Sequence[HandWon]) -> None:
        """Count the wins of a kyoku, or its draw."""
        self._counts["wins"] += len(wins)
        self._counts["draws"] += ended.draw is not None
        if ended.draw is not None:
            self._counts[f"drawn {ended.draw.value}"] += 1
        if len(wins) > 1:
            self._counts[f"won {len(wins)} rons"] += 1
        for win in wins:
            self._counts["won tsumo" if win.loser is None else "won ron"] += 1
            self._counts["won pao"] += win.liable is not None
        for each in ended.wins:
            self._counts.update(f"yaku {name}" for name in each.names)

    def _compare_following(self, second: SecondKyoku, events: Iterable[Event]) -> None:
        """Compare what follows a kyoku: the next one, or the end of the game."""
        ended = next((event for event in events if isinstance(event, GameEnded)), None)
        ours = None if ended else standing_of(events)
        theirs = second.following()
        if ours != theirs:
            raise self._differ("what follows", ours or "the end", theirs or "the end")
        if ended and ended.places != second.places():
            raise self._differ("the places", ended.places, second.places())


def names_counted(ours: Outcome, theirs: Outcome) -> bool:
    """Return whether the only difference is a yakuman that the second engine reports as a kazoe yakuman."""
    if len(ours.wins) != len(theirs.wins):
        return False
    wins = tuple(
        mine if mine.yakuman == 1 and other.yakuman == 0 and other.han >= YAKUMAN_HAN else other
        for mine, other in zip(ours.wins, theirs.wins, strict=True)
    )
    return replace(theirs, wins=wins) == ours


def standing_of(events: Iterable[Event]) -> GameState:
    """Return the standing at the first start of a kyoku among the events."""
    started = next(event for event in events if isinstance(event, KyokuStarted))
    return GameState(started.points, started.bakaze, started.dealer, started.honba, started.kyotaku)


def table_of(board: Board) -> Table:
    """Return the open information in our game."""
    rivers = tuple(tuple(player.river) for player in board.players)
    return Table(board.left, tuple(board.points), board.kyotaku, tuple(board.indicators), rivers)


def outcome_of(events: Iterable[Event], points: tuple[int, ...], kyotaku: int) -> Outcome:
    """Return the result of one of our kyoku."""
    wins: list[Win] = []
    draw = None
    for event in events:
        if isinstance(event, HandWon):
            value = event.value
            names = tuple(sorted(yaku.romaji for yaku, _ in value.yaku))
            wins.append(Win(event.seat, names, value.han, value.fu, value.yakuman))
        elif isinstance(event, KyokuDrawn):
            draw = event.reason
    return Outcome(tuple(sorted(wins, key=lambda win: win.seat)), draw, points, kyotaku)
