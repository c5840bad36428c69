"""Profile of a player over many games: which kinds of decisions cost most, and which of them chance does not explain.

A weakness is counted in hits of chances: a chance is a decision at which it can show, by the judgement of ``Expert``.
docs/records.md defines each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from math import exp, lgamma, log, log1p, sqrt
from statistics import NormalDist
from typing import Any, TypeAlias

from ump.model import actions
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, RED_FIVES, Face
from ump.model.value import value
from ump.players.danger import threats
from ump.players.evaluation import Unit, as_face, deal_in_risk, tile_evaluation
from ump.players.expert import Expert
from ump.players.observation import Observation
from ump.players.stakes import kyoku_left
from ump.record.decisions import Decision
from ump.record.explanation import SAFER
from ump.record.figures import Z95, wilson_95
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.review import Agreement, Assessment, Reviewed, review_decisions
from ump.record.review_figures import kyoku_scores, scores_data
from ump.record.reviewers import PolicyReviewer
from ump.rules.ruleset import Length

SEATS = 4
"""The seats of the games that are counted."""

MISTAKE = 2
"""The size of a difference from which the last kyoku counts it."""


class Weakness(Enum):
    """A kind of decision that may cost a player points."""

    CALLS = "calls"
    """Calls that the judge passes."""
    MISSED_CALLS = "missed_calls"
    """Passes where the judge calls."""
    NO_FOLD = "no_fold"
    """Against a riichi, tiles more dangerous than the judge's."""
    EARLY_FOLD = "early_fold"
    """Against a riichi, tiles safer than the judge's, which goes on."""
    NO_RIICHI = "no_riichi"
    """No riichi where the judge declares it, each turn again."""
    DORA = "dora"
    """Discarded dora and red fives where the judge keeps them, without a riichi of others."""
    WAITS = "waits"
    """Smaller waits than the judge's, with a loss that a review shows."""
    LAST_KYOKU = "last_kyoku"
    """Mistakes and blunders in the last kyoku, where places count."""


@value
class Chances:
    """How often a weakness could show in one game, and did."""

    chances: int
    hits: int
    loss: float
    """The points that the hits lost."""


Scores: TypeAlias = Mapping[str, Any]
"""The score of a kyoku as ``scores_data`` writes it, its round, and the change of the seat's points if it is known."""


@value
class GameProfile:
    """The chances of one seat in one game, and its scores."""

    counts: Mapping[Weakness, Chances]
    score: int | None
    """From 0 to 100; None without a decision."""
    kyoku: tuple[Scores, ...]

    @property
    def loss(self) -> float:
        """The points lost a kyoku."""
        return float(sum(row["loss"] for row in self.kyoku)) / max(1, len(self.kyoku))


# One game


JUDGE = "expert"
"""The reviewer whose choices decide what is a chance."""


def profile_of(game: RecordedGame, seat: Seat) -> GameProfile:
    """Return the profile of a seat in one game; raise RecordError if it has other seats, or the record hides hands."""
    if not 0 <= seat < len(game.names) == SEATS:
        raise RecordError("a profile needs a seat in a game of four players")
    return judged(game, seat, PolicyReviewer(JUDGE, Expert()))[1]


def judged(game: RecordedGame, seat: Seat, judge: PolicyReviewer) -> tuple[list[Reviewed], GameProfile]:
    """Return the decisions of a seat as the judge reviews them, and its profile."""
    counter = ChanceCounter()
    reviewed: list[Reviewed] = []
    for decision, each in review_decisions(game, seat, (judge,)):
        counter.see(decision, each.by[0])
        reviewed.append(each)
    return reviewed, GameProfile(counter.counts(), *_scores(game, seat, reviewed))


def _scores(game: RecordedGame, seat: Seat, reviewed: Sequence[Reviewed]) -> tuple[int | None, tuple[Scores, ...]]:
    """Return the score of a game, and those of its kyoku, each with its round and the change of the seat's points."""
    scores = scores_data(kyoku_scores(reviewed, 0))
    points = [kyoku.started.points[seat] for kyoku in game.kyoku]
    if game.ended is not None and game.ended.points:
        points.append(game.ended.points[seat])
    rows: list[Scores] = []
    for row in scores["kyoku"]:
        number = row["kyoku"]
        started = game.kyoku[number].started
        change = points[number + 1] - points[number] if number + 1 < len(points) else None
        rows.append({**row, "round": [started.bakaze, started.dealer + 1, started.honba], "change": change})
    return scores["score"], tuple(rows)


class ChanceCounter:
    """Counts the chances of one seat in one game."""

    def __init__(self) -> None:
        self._counts: dict[Weakness, list[float]] = {each: [0, 0, 0.0] for each in Weakness}

    def counts(self) -> Mapping[Weakness, Chances]:
        """Return the counts so far."""
        return {
            weakness: Chances(int(chances), int(hits), loss) for weakness, (chances, hits, loss) in self._counts.items()
        }

    def see(self, decision: Decision, judged: Assessment | None) -> None:
        """Count what a decision is a chance for."""
        if judged is None or judged.verdict is Agreement.UNKNOWN:
            return
        best, done, loss = judged.choice, decision.done, judged.loss or 0.0
        if decision.phase is Phase.CALL:
            self._see_call(decision, best, loss)
        elif isinstance(best, actions.Discard | actions.Riichi) and isinstance(done, actions.Discard | actions.Riichi):
            self._see_discard(decision, best, done, judged)
        if is_last_kyoku(decision.seen) and judged.unit is Unit.POINTS:
            self._note(Weakness.LAST_KYOKU, loss, is_hit=judged.size >= MISTAKE)

    def _note(self, weakness: Weakness, loss: float, *, is_hit: bool) -> None:
        counts = self._counts[weakness]
        counts[0] += 1
        if is_hit:
            counts[1] += 1
            counts[2] += loss

    def _see_call(self, decision: Decision, best: actions.Action, loss: float) -> None:
        calls = [each for each in decision.legal if isinstance(each, actions.Chi | actions.Pon)]
        if not calls or not all(map(decision.is_known, calls)):
            return
        has_called = isinstance(decision.done, actions.Chi | actions.Pon)
        if isinstance(best, actions.Pass):
            self._note(Weakness.CALLS, loss, is_hit=has_called)
        elif isinstance(best, actions.Chi | actions.Pon):
            self._note(Weakness.MISSED_CALLS, loss, is_hit=isinstance(decision.done, actions.Pass))

    def _see_discard(
        self,
        decision: Decision,
        best: actions.Discard | actions.Riichi,
        done: actions.Discard | actions.Riichi,
        judged: Assessment,
    ) -> None:
        seen, loss = decision.seen, judged.loss or 0.0
        faces = [each.face for each in decision.legal if isinstance(each, actions.Discard)]
        if isinstance(best, actions.Riichi):
            self._note(Weakness.NO_RIICHI, loss, is_hit=not isinstance(done, actions.Riichi))
        if any(in_riichi for seat, in_riichi in enumerate(seen.in_riichi) if seat != seen.me):
            self._see_risks(seen, faces, best.face, done.face, loss)
        elif any(_is_dora(seen, face) for face in faces) and not _is_dora(seen, best.face):
            self._note(Weakness.DORA, loss, is_hit=_is_dora(seen, done.face))
        self._see_waits(decision, best, done, judged)

    def _see_risks(self, seen: Observation, faces: Sequence[Face], best: Face, done: Face, loss: float) -> None:
        """Count a discard against a riichi, if the tiles differ in danger."""
        dangerous = threats(seen)
        risks = [deal_in_risk(dangerous, KIND_OF[face]) for face in faces]
        if max(risks) - min(risks) <= SAFER:
            return
        own, judged = deal_in_risk(dangerous, KIND_OF[done]), deal_in_risk(dangerous, KIND_OF[best])
        if judged < max(risks) - SAFER:
            self._note(Weakness.NO_FOLD, loss, is_hit=own > judged + SAFER)
        if judged > min(risks) + SAFER:
            self._note(Weakness.EARLY_FOLD, loss, is_hit=own < judged - SAFER)

    def _see_waits(
        self,
        decision: Decision,
        best: actions.Discard | actions.Riichi,
        done: actions.Discard | actions.Riichi,
        judged: Assessment,
    ) -> None:
        """Count a choice between waits of several sizes of which the judge takes no smallest one."""
        waits: dict[actions.Action, int] = {}
        for each in tile_evaluation(decision.seen, decision.legal).candidates:
            if each.shanten == 0 and each.tiles is not None:
                waits[each.action] = each.tiles
        larger, own = waits.get(as_face(best)), waits.get(as_face(done))
        if larger is not None and larger > min(waits.values()):
            is_smaller = own is not None and own < larger
            self._note(Weakness.WAITS, judged.loss or 0.0, is_hit=is_smaller and judged.size > 0)


def is_last_kyoku(seen: Observation) -> bool:
    """Tell whether no further kyoku is on the schedule of a game of several."""
    return seen.ruleset.length is not Length.KYOKU and kyoku_left(seen.ruleset, seen.bakaze, seen.dealer) == 0


def _is_dora(seen: Observation, face: Face) -> bool:
    return face in RED_FIVES or KIND_OF[face] in seen.dora


VERSION = 1
"""The version of the data."""


def profile_data(profile: GameProfile) -> dict[str, Any]:
    """Return the profile of a game as data for JSON."""
    counts = {weakness.value: [each.chances, each.hits, round(each.loss)] for weakness, each in profile.counts.items()}
    return {"profile": VERSION, "counts": counts, "score": profile.score, "kyoku": list(profile.kyoku)}


def read_profile(data: Mapping[str, Any]) -> GameProfile:
    """Return the profile of a game from its data."""
    counts = {Weakness(name): Chances(*each) for name, each in data["counts"].items()}
    return GameProfile(counts, data["score"], tuple(data["kyoku"]))


# Many games


@value
class Usual:
    """How often a weakness shows among other players."""

    rate: float
    """Hits of chances."""
    spread: float
    """The standard deviation of the rate in one game; that over n games is smaller by the square root of n."""
    deviation: float = 0.0
    """The deviation between players."""

    def error(self, games: int) -> float:
        """Return the standard deviation of the rate that one of these players shows in so many games."""
        return sqrt(self.deviation**2 + self.spread**2 / games)


PEOPLE: Mapping[Weakness, Usual] = {
    Weakness.CALLS: Usual(0.069, 0.053, 0.011),
    Weakness.MISSED_CALLS: Usual(0.316, 0.264, 0.104),
    Weakness.NO_FOLD: Usual(0.063, 0.066, 0.013),
    Weakness.EARLY_FOLD: Usual(0.250, 0.324, 0.065),
    Weakness.NO_RIICHI: Usual(0.558, 0.361, 0.141),
    Weakness.DORA: Usual(0.025, 0.024, 0.005),
    Weakness.WAITS: Usual(0.068, 0.158, 0.078),
    Weakness.LAST_KYOKU: Usual(0.052, 0.077, 0.019),
}
"""The usual rates among strong people on Tenhou: ``scripts/profile`` measures them."""

LEAST_GAMES = 20
"""A profile of fewer games shows no finding."""

STRONGEST = 2
"""The findings that a profile shows: a strong weakness raises the counts of others, too."""

ERROR = 0.05
"""The chance that any finding is wrong, for all weaknesses together."""

SHARES: Mapping[Weakness, float] = {
    Weakness.CALLS: 0.06,
    Weakness.MISSED_CALLS: 0.15,
    Weakness.NO_FOLD: 0.06,
    Weakness.EARLY_FOLD: 0.2,
    Weakness.NO_RIICHI: 0.16,
    Weakness.DORA: 0.06,
    Weakness.WAITS: 0.25,
    Weakness.LAST_KYOKU: 0.06,
}
"""The share of ``ERROR`` of each weakness: the fewer chances a game has, the larger, so that few games tell."""


@value
class ProfileFinding:
    """How often a weakness shows in the games of a player."""

    weakness: Weakness
    games: int
    chances: int
    hits: int
    loss: float
    """The points that the hits lost, a game."""
    interval: tuple[float, float]
    """The 95 % interval of the rate."""
    usual: tuple[float, float]
    """The rates that 95 % of other players show in so many games."""
    strength: float
    """How far the rate is above the usual one, in units of what chance explains; from 1 it is a finding."""

    @property
    def rate(self) -> float:
        """Hits of chances; 0 without any."""
        return self.hits / max(1, self.chances)


def every_finding(games: Sequence[GameProfile], usual: Mapping[Weakness, Usual]) -> list[ProfileFinding]:
    """Return the rate of each weakness, the strongest first."""
    found = [_finding(weakness, games, usual[weakness]) for weakness in Weakness if games]
    return sorted(found, key=lambda each: -each.strength)


def strongest(games: Sequence[GameProfile], usual: Mapping[Weakness, Usual]) -> list[ProfileFinding]:
    """Return the findings that chance does not explain, at most ``STRONGEST``, whatever the number of games."""
    return [each for each in every_finding(games, usual) if each.strength >= 1][:STRONGEST]


def _finding(weakness: Weakness, games: Sequence[GameProfile], usual: Usual) -> ProfileFinding:
    counted = [game.counts[weakness] for game in games]
    chances, hits = sum(each.chances for each in counted), sum(each.hits for each in counted)
    rate = hits / max(1, chances)
    error = usual.error(len(games))
    half = Z95 * error
    strength = 0.0
    wrong = ERROR * SHARES[weakness]
    if _by_chance(hits, chances, usual.rate) <= wrong:  # a few hits are not normally distributed
        strength = (rate - usual.rate) / (NormalDist().inv_cdf(1 - wrong) * error)
    return ProfileFinding(
        weakness,
        len(games),
        chances,
        hits,
        sum(each.loss for each in counted) / len(games),
        _interval(counted),
        (max(0.0, usual.rate - half), min(1.0, usual.rate + half)),
        strength,
    )


def _by_chance(hits: int, chances: int, rate: float) -> float:
    """Return the probability of so many hits or more, if each chance is hit at this rate."""
    fewer = 0.0
    for number in range(hits):
        ways = lgamma(chances + 1) - lgamma(number + 1) - lgamma(chances - number + 1)
        fewer += exp(ways + number * log(rate) + (chances - number) * log1p(-rate))
    return max(0.0, 1 - fewer)


def _interval(counted: Sequence[Chances]) -> tuple[float, float]:
    """Return the 95 % interval of a rate: Wilson's, or a wider one if the games differ more than chance explains."""
    chances, hits = sum(each.chances for each in counted), sum(each.hits for each in counted)
    if not chances:
        return 0.0, 1.0
    low, high = wilson_95(hits, chances)
    rate, half = hits / chances, Z95 * spread_of(counted) / sqrt(len(counted))
    return max(0.0, min(low, rate - half)), min(1.0, max(high, rate + half))


def spread_of(counted: Sequence[Chances]) -> float:
    """Return the standard deviation of a rate in one game, by the games themselves."""
    chances, hits = sum(each.chances for each in counted), sum(each.hits for each in counted)
    if len(counted) < 2 or not chances:
        return 0.0
    rate, mean = hits / chances, chances / len(counted)
    squares = sum(((each.hits - rate * each.chances) / mean) ** 2 for each in counted)
    return sqrt(squares / (len(counted) - 1))


def usual_of(games: Sequence[GameProfile], deviation: float = 0.0) -> dict[Weakness, Usual]:
    """Return the usual rates among players, from games of theirs; no more certain than one hit more."""
    found: dict[Weakness, Usual] = {}
    for weakness in Weakness:
        counted = [game.counts[weakness] for game in games]
        chances, hits = sum(each.chances for each in counted), sum(each.hits for each in counted)
        rate = (hits + 0.5) / (chances + 1)
        least = sqrt(rate * (1 - rate) * len(games) / max(1, chances))
        found[weakness] = Usual(rate, max(least, spread_of(counted)), deviation)
    return found
