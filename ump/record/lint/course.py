"""Follows the course of a game from kyoku to kyoku: scores, wind, dealer, honba, sticks and the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ump.game.ending import KyokuResult
from ump.game.game import Standing, succession
from ump.model.events import GameEnded
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
        self._ways: list[tuple[Standing, KyokuResult]] = []
        """The start of the last kyoku with its result: as stated and, where that was wrong, as it should have been."""
        self._right: Sequence[tuple[int, ...]] = ()
        """Scores after the last kyoku that follow from the right payments, where the stated ones are wrong."""

    def run(self) -> None:
        """Follow all kyoku, and compare the end."""
        game, last = self._game, 0
        for kyoku in game.kyoku:
            self._findings.kyoku = kyoku.ordinal
            if kyoku.ordinal != last + 1:  # the one between is unreadable
                self._ways = []
            last = kyoku.ordinal
            self._follow(kyoku)
        if game.ended is not None:
            self._compare_end(game.ended, game.ended_place)

    def _follow(self, kyoku: StatedKyoku) -> None:
        """Compare the start of a kyoku with the end of the last one, and follow its moves."""
        game, started = self._game, kyoku.started
        stated = Standing(started.points, started.bakaze, started.dealer, started.honba, started.kyotaku)
        right = self._compare_start(kyoku, stated) or stated
        shift = [ours - theirs for ours, theirs in zip(right.points, stated.points, strict=True)]
        referee = Referee(kyoku, game.ruleset, self._form, self._findings, rules_stated=game.rules_stated, shift=shift)
        referee.run(is_last=kyoku is game.kyoku[-1] and game.ended is None)
        results = referee.results
        outcome = None if results.is_unpaid else results.outcome
        self._ways, self._right = [], results.right
        if outcome is None:
            return
        self._ways = [(stated, outcome)]
        if right != stated:
            points = tuple(score + more for score, more in zip(outcome.points, shift, strict=True))
            sticks = max(0, outcome.kyotaku + (0 if outcome.winners else right.kyotaku - stated.kyotaku))
            stays = right.dealer in outcome.winners if outcome.winners else outcome.renchan
            self._ways.append((right, replace(outcome, points=points, kyotaku=sticks, renchan=stays)))

    def _compare_start(self, kyoku: StatedKyoku, stated: Standing) -> Standing | None:
        """Report a wrong start, and return the right one; None if nobody knows, or if the start is right."""
        place, number = kyoku.place, stated.bakaze * len(WINDS) + stated.dealer
        if kyoku.number is not None and kyoku.number != number:
            self._findings.add(place, Rule.CARRIED_ROUND, f"kyoku {_round(number)}", f"kyoku {_round(kyoku.number)}")
        ways = [succession(self._game.ruleset, *way) for way in self._ways]
        if not ways:
            return None
        if all(is_over for _, is_over in ways) and self._game.rules_stated and not self._game.own_counting:
            self._findings.add(place, Rule.AFTER_END, "the end of the game", "a further kyoku")
            return None
        rights = [after for after, _ in ways]
        rights += [replace(after, points=points) for after in rights for points in self._right]
        if any(_same(right, stated) for right in rights):
            return None
        near = next((right for right in rights if _round_of(right) == _round_of(stated)), rights[0])
        if _round_of(near) != _round_of(stated):
            self._findings.add(place, Rule.CARRIED_ROUND, _place_in_game(near), _place_in_game(stated))
        if near.points != stated.points:
            if self._game.own_counting:
                return None
            self._findings.add(place, Rule.CARRIED_SCORE, f"scores {near.points}", f"scores {stated.points}")
        return near

    def _compare_end(self, ended: GameEnded, place: Place) -> None:
        rules = self._game.ruleset
        ways = [succession(rules, *way) for way in self._ways]
        if not ways:
            return
        points_of = {final_points(rules, after.points, after.kyotaku): (after, is_over) for after, is_over in ways}
        standing, is_over = points_of.get(ended.points, ways[0])
        if not is_over and self._game.rules_stated and not self._game.own_counting:
            self._findings.add(place, Rule.FINAL_SCORE, "a further kyoku", "the end of the game")
            return
        points = final_points(rules, standing.points, standing.kyotaku)
        rights = [points, *(final_points(rules, right, standing.kyotaku) for right in self._right)]
        if ended.points not in rights and not self._game.own_counting:
            self._findings.add(place, Rule.FINAL_SCORE, f"scores {points}", f"scores {ended.points}")
        if not self._game.rules_stated or self._game.own_counting or points != ended.points:
            return
        places, results = placement(rules, standing.points, standing.kyotaku)
        for name, ours, stated in (("places", places, ended.places), ("results", results, ended.results)):
            if stated and stated != ours and (name == "results" or ended.results):
                self._findings.add(place, Rule.FINAL_SCORE, f"{name} {ours}", f"{name} {stated}")


def _round(number: int) -> str:
    wind, dealer = divmod(number, len(WINDS))
    return f"{_WIND_NAMES[wind % len(WINDS)]}{dealer + 1}"


def _round_of(standing: Standing) -> tuple[int, int, int, int]:
    return standing.bakaze, standing.dealer, standing.honba, standing.kyotaku


def _same(first: Standing, second: Standing) -> bool:
    return _round_of(first) == _round_of(second) and first.points == second.points


def _place_in_game(standing: Standing) -> str:
    wind, dealer, honba, sticks = _round_of(standing)
    return f"{_WIND_NAMES[wind % len(WINDS)]}{dealer + 1}, {LETTERS[dealer]} deals, {honba} honba, {sticks} sticks"
