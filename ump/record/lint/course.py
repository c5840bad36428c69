"""Follows the course of a game from kyoku to kyoku: scores, wind, dealer, honba, sticks and the end."""

from __future__ import annotations

from collections.abc import Sequence

from ump.game.ending import KyokuResult
from ump.game.game import Standing, succession
from ump.model.events import GameEnded, KyokuStarted
from ump.model.seats import LETTERS
from ump.model.tiles import WINDS
from ump.record.lint.findings import Findings, Place, Rule
from ump.record.lint.referee import Referee
from ump.record.lint.statements import Form, StatedGame, StatedKyoku
from ump.rules.placement import final_points, placement

_WIND_NAMES = "ESWN"


class Course:
    """Follows one game."""

    def __init__(self, game: StatedGame, form: Form, findings: Findings) -> None:
        self._game = game
        self._form = form
        self._findings = findings
        self._before: KyokuStarted | None = None
        self._result: KyokuResult | None = None
        self._right: Sequence[tuple[int, ...]] = ()

    def run(self) -> None:
        """Follow all kyoku, and compare the end."""
        game = self._game
        last = 0
        for kyoku in game.kyoku:
            self._findings.kyoku = kyoku.ordinal
            if kyoku.ordinal != last + 1:  # the one between is unreadable
                self._result = None
            last = kyoku.ordinal
            self._compare_start(kyoku)
            referee = Referee(kyoku, game.ruleset, self._form, self._findings, rules_stated=game.rules_stated)
            referee.run(is_last=kyoku is game.kyoku[-1] and game.ended is None)
            results = referee.results
            self._before, self._right = kyoku.started, results.right
            self._result = None if results.is_unpaid else results.outcome
        if game.ended is not None:
            self._compare_end(game.ended, game.ended_place)

    def _compare_start(self, kyoku: StatedKyoku) -> None:
        started, place = kyoku.started, kyoku.place
        number = started.bakaze * len(WINDS) + started.dealer
        if kyoku.number is not None and kyoku.number != number:
            self._findings.add(place, Rule.CARRIED_ROUND, f"kyoku {_round(number)}", f"kyoku {_round(kyoku.number)}")
        after = self._after()
        if after is None:
            return
        standing, ended = after
        if ended and self._game.rules_stated and not self._game.own_counting:
            self._findings.add(place, Rule.AFTER_END, "the end of the game", "a further kyoku")
            return
        expected = (standing.bakaze, standing.dealer, standing.honba, standing.kyotaku)
        found = (started.bakaze, started.dealer, started.honba, started.kyotaku)
        if expected != found:
            self._findings.add(place, Rule.CARRIED_ROUND, _place_in_game(expected), _place_in_game(found))
        self._compare_points(place, standing.points, started.points, Rule.CARRIED_SCORE)

    def _compare_points(self, place: Place, ours: tuple[int, ...], stated: tuple[int, ...], rule: Rule) -> None:
        if stated != ours and stated not in self._right and not self._game.own_counting:
            self._findings.add(place, rule, f"scores {ours}", f"scores {stated}")

    def _after(self) -> tuple[Standing, bool] | None:
        """Return the standing after the last kyoku, and whether the game ends there; None if nobody knows."""
        before, result = self._before, self._result
        if before is None or result is None:
            return None
        standing = Standing(before.points, before.bakaze, before.dealer, before.honba, before.kyotaku)
        return succession(self._game.ruleset, standing, result)

    def _compare_end(self, ended: GameEnded, place: Place) -> None:
        rules, after = self._game.ruleset, self._after()
        if after is None:
            return
        standing, is_over = after
        if not is_over and self._game.rules_stated and not self._game.own_counting:
            self._findings.add(place, Rule.FINAL_SCORE, "a further kyoku", "the end of the game")
            return
        points = final_points(rules, standing.points, standing.kyotaku)
        self._compare_points(place, points, ended.points, Rule.FINAL_SCORE)
        if not self._game.rules_stated or self._game.own_counting or points != ended.points:
            return
        places, results = placement(rules, standing.points, standing.kyotaku)
        for name, ours, stated in (("places", places, ended.places), ("results", results, ended.results)):
            if stated and stated != ours and (name == "results" or ended.results):
                self._findings.add(place, Rule.FINAL_SCORE, f"{name} {ours}", f"{name} {stated}")


def _round(number: int) -> str:
    wind, dealer = divmod(number, len(WINDS))
    return f"{_WIND_NAMES[wind % len(WINDS)]}{dealer + 1}"


def _place_in_game(place: tuple[int, int, int, int]) -> str:
    wind, dealer, honba, sticks = place
    return f"{_WIND_NAMES[wind % len(WINDS)]}{dealer + 1}, {LETTERS[dealer]} deals, {honba} honba, {sticks} sticks"
