"""The policy that makes every choice by one number: the points that it may expect of the kyoku, as places need them.

Discard, riichi or none, call or pass, push or fold: each option is valued by the outlook of the hand that it leaves
(``ump.players.outlook``), unless the discard deals in, less what it costs if it does (``ump.players.danger``).
"""

from __future__ import annotations

from ump.model.actions import Action, Ankan, Chi, Discard, Kakan, Kita, KyushuKyuhai, Pass, Pon, Riichi, Ron, Tsumo
from ump.model.phases import Phase
from ump.model.tiles import EAST, KIND_OF, Face, Kind
from ump.model.value import value
from ump.players import rates
from ump.players.claimable import claimable
from ump.players.danger import calibrated_threats
from ump.players.defensive import Defensive
from ump.players.efficiency import kinds_after, open_melds, worth
from ump.players.evaluation import Candidate, Evaluation, Unit
from ump.players.observation import Observation
from ump.players.outlook import Melds, Outlook, kinds_of_mask
from ump.players.prospects import SIMPLES, YakuPlan, plan_for, simplified
from ump.players.stakes import Stakes
from ump.rules.shanten import shanten_and_ukeire

FARTHEST = 3
"""The shanten from which a hand folds against a threat without counting."""


@value
class Style:
    """The personality of an expert."""

    caution: float = 1.0
    """The factor for the cost of dealing in."""
    call_bonus: float = 0.0
    """The points that a call counts more than it is worth."""


@value
class _Gain:
    """The hand that a discard leaves, and the points that it brings if the discard does not deal in."""

    quiet: float
    riichi: float | None
    """None if riichi may not be declared."""
    shanten: int
    tiles: float
    """The live tiles that bring it nearer; one that can be called counts more."""


@value
class _Option:
    """An action and its worth in points."""

    action: Action
    worth: float
    gain: _Gain | None
    """The hand after it; None if it folds."""
    risk: float
    """The chance that it deals in."""

    def candidate(self) -> Candidate:
        """Return what a review shows of it."""
        gain = self.gain
        if gain is None:
            return Candidate(self.action, self.worth, risk=self.risk, reason="folds")
        return Candidate(self.action, self.worth, gain.shanten, None, self.risk, reason=self._reason(gain))

    def _reason(self, gain: _Gain) -> str:
        distance = "tenpai" if gain.shanten == 0 else f"{gain.shanten} from tenpai"
        if isinstance(self.action, Pass):
            return f"no call, {distance}"
        if isinstance(self.action, (Chi, Pon)):
            return f"calls, {distance} then"
        expected = gain.riichi if isinstance(self.action, Riichi) and gain.riichi is not None else gain.quiet
        return f"goes on, {distance}: {expected:+,.0f} points if it passes"


class Expert:
    """Plays every discard, riichi and call by expected points; kans and nine terminals like ``Defensive``."""

    def __init__(self, style: Style | None = None) -> None:
        self._style = style or Style()
        self._otherwise = Defensive()
        self._scores: tuple[object, ...] = ()
        self._stakes: Stakes | None = None

    def choose(self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None) -> Action:
        """Return the answer, which depends only on what the seat sees (see ``Policy.choose``)."""
        legal = claimable(seen, phase, tile) if offers is None else offers
        options = self._options(seen, phase, tile, legal)
        if options:
            return max(options, key=_worth_of).action
        return self._otherwise.choose(seen, phase, tile, legal)

    def evaluate(
        self, seen: Observation, phase: Phase, tile: Face | None, offers: tuple[Action, ...] | None
    ) -> Evaluation | None:
        """Return the values of the actions in points (see ``EvaluatingPolicy.evaluate``)."""
        legal = claimable(seen, phase, tile) if offers is None else offers
        options = self._options(seen, phase, tile, legal)
        return Evaluation(Unit.POINTS, tuple(option.candidate() for option in options)) if options else None

    def _options(self, seen: Observation, phase: Phase, tile: Face | None, legal: tuple[Action, ...]) -> list[_Option]:
        """Return the actions that are worth a comparison; none if there is nothing to compare."""
        if any(isinstance(action, (Tsumo, Ron)) for action in legal):
            return []
        if phase is Phase.TURN and sum(isinstance(action, Discard) for action in legal) > 1:
            if any(isinstance(action, (KyushuKyuhai, Kita, Ankan, Kakan)) for action in legal):
                answer = self._otherwise.choose(seen, phase, tile, legal)
                if not isinstance(answer, (Discard, Riichi)):
                    return []
            return _Decision(seen, self._stakes_of(seen), self._style).turn(legal)
        if phase is Phase.CALL and tile is not None and any(isinstance(action, (Chi, Pon)) for action in legal):
            return _Decision(seen, self._stakes_of(seen), self._style).call(tile, legal)
        return []

    def _stakes_of(self, seen: Observation) -> Stakes:
        """Return the stakes of the kyoku. They are worked out again when the scores change."""
        scores = (seen.me, tuple(seen.points), seen.bakaze, seen.dealer, seen.honba, seen.kyotaku)
        if self._stakes is None or scores != self._scores:
            self._scores = scores
            self._stakes = Stakes(seen)
        return self._stakes


def _worth_of(option: _Option) -> float:
    return option.worth


class _Decision:
    """The answer to one question."""

    def __init__(self, seen: Observation, stakes: Stakes, style: Style) -> None:
        self._seen = seen
        self._style = style
        self._threats = calibrated_threats(seen)
        self._outlook = Outlook(seen, stakes, self._threats, style.caution)

    def turn(self, legal: tuple[Action, ...]) -> list[_Option]:
        """Return the discards, with and without riichi; without threats only those that keep the hand nearest."""
        outlook = self._outlook
        kinds = self._seen.hand.kinds[:]
        plan = plan_for(self._seen, kinds, open_melds(self._seen)) or YakuPlan.YAKUHAI
        discards = [action for action in legal if isinstance(action, Discard)]
        gains = self._gains(kinds, outlook.melds, plan, {KIND_OF[discard.face] for discard in discards}, outlook.draws)
        options = []
        for discard in discards:
            gain = gains.get(KIND_OF[discard.face])
            if gain is None and gains and not outlook.is_threatened:
                continue
            options.append(self._discard(discard, gain))
            riichi = Riichi(discard.face, discard.tsumogiri)
            if gain is not None and gain.riichi is not None and riichi in legal:
                options.append(self._option(riichi, discard.face, gain.riichi, gain))
        return options

    def call(self, tile: Face, legal: tuple[Action, ...]) -> list[_Option]:
        """Return the pass, and the calls that bring the hand nearer; a pon of yakuhai may also keep the distance."""
        seen, outlook = self._seen, self._outlook
        kinds = seen.hand.kinds[:]
        plan = plan_for(seen, kinds, open_melds(seen)) or YakuPlan.CLOSED
        stays = self._gain(kinds, outlook.melds, plan, 0, self._draws_after_pass())
        number = shanten_and_ukeire(kinds)[0]
        options = [_Option(Pass(), max(stays.quiet, outlook.fold[outlook.draws]), stays, 0.0)]
        for action in legal:
            if isinstance(action, (Chi, Pon)):
                gains_yaku = seen.hand.is_closed and isinstance(action, Pon) and KIND_OF[tile] in outlook.yakuhai
                best = self._best_call(action, tile, number if gains_yaku else number - 1)
                if best is not None:
                    options.append(best)
        return options

    def _best_call(self, call: Chi | Pon, tile: Face, farthest: int) -> _Option | None:
        """Return a call with its best discard, if that leaves the hand near enough and with a yaku in reach."""
        seen = self._seen
        kinds = kinds_after(seen, call)
        plan = plan_for(seen, kinds, [*open_melds(seen), (*call.own, tile)])
        if plan is None:
            return None
        melds = self._outlook.melds_after(call.own, tile)
        held = {kind for kind, count in enumerate(kinds) if count}
        gains = self._gains(kinds, melds, plan, held, self._outlook.draws)
        options = [
            self._option(call, kind, max(gain.quiet, self._outlook.fold[self._outlook.draws]), gain, kept=0.0)
            for kind, gain in gains.items()
            if gain.shanten <= farthest
        ]
        if not options:
            return None
        best = max(options, key=_worth_of)
        return _Option(call, best.worth + self._style.call_bonus, best.gain, best.risk)

    def _draws_after_pass(self) -> int:
        """Return the own draws that are left if nobody calls the last discard."""
        seats = self._seen.ruleset.seats
        source = self._seen.source
        distance = (self._seen.me - (0 if source is None else source)) % seats
        return min(self._outlook.draws + 1, (self._seen.left + seats - distance) // seats)

    def _discard(self, discard: Discard, gain: _Gain | None) -> _Option:
        """Return a discard without riichi: the hand goes on or folds after it."""
        fold = self._outlook.fold[self._outlook.draws]
        if gain is None or gain.quiet < fold:
            return self._option(discard, discard.face, fold, None)
        return self._option(discard, discard.face, gain.quiet, gain)

    def _option(self, action: Action, face: Face, gained: float, gain: _Gain | None, kept: float = 1.0) -> _Option:
        """Return an action with a discard: what it gains if that passes, less what it costs if it deals in."""
        kind = KIND_OF[face]
        cost, passes = 0.0, 1.0
        for threat, points in zip(self._threats, self._outlook.costs, strict=True):
            cost += threat.dangers[kind] * points
            passes *= 1 - threat.dangers[kind]
        expected = passes * gained - cost
        if kept:  # among equal discards the least useful one
            dora, usefulness = worth(self._seen, face)
            is_drawn = isinstance(action, (Discard, Riichi)) and action.tsumogiri
            expected -= rates.DORA_KEPT * dora + usefulness + (0.0 if is_drawn else 0.1)
        return _Option(action, expected, gain, 1 - passes)

    def _gains(
        self, kinds: list[int], melds: Melds, plan: YakuPlan, allowed: set[Kind], draws: int
    ) -> dict[Kind, _Gain]:
        """Return what each discard leaves, for those that leave the hand nearest under the plan."""
        numbers: dict[Kind, int] = {}
        for kind in allowed:
            kinds[kind] -= 1
            numbers[kind] = self._distance(kinds, plan)[0]
            kinds[kind] += 1
        least = min(numbers.values())
        if self._outlook.is_threatened and least > FARTHEST:
            return {}
        gains = {}
        for kind in (kind for kind, number in numbers.items() if number == least):
            kinds[kind] -= 1
            gains[kind] = self._gain(kinds, melds, plan, 1 << kind, draws)
            kinds[kind] += 1
        return gains

    def _gain(self, kinds: list[int], melds: Melds, plan: YakuPlan, gone: int, draws: int) -> _Gain:
        """Return what 3n + 1 tiles bring. ``gone`` is the mask of the discard before."""
        outlook = self._outlook
        number, mask = self._distance(kinds, plan)
        tiles = self._tiles(kinds, mask, melds, plan)
        if number > 1:
            return _Gain(outlook.far(kinds, melds, plan, number, tiles)[draws], None, number, tiles)
        mask = shanten_and_ukeire(kinds)[1] if plan is YakuPlan.TANYAO else mask
        if number == 1:
            return _Gain(outlook.near(kinds, mask, melds, gone)[draws], None, number, tiles)
        found = outlook.tenpai(kinds, mask, melds, gone)
        return _Gain(found.quiet[draws], None if found.riichi is None else found.riichi[draws], number, tiles)

    def _distance(self, kinds: list[int], plan: YakuPlan) -> tuple[int, int]:
        """Return the shanten of 3n + 1 tiles under the plan, and the mask of the kinds that lower it."""
        if plan is YakuPlan.TANYAO:
            number, mask = shanten_and_ukeire(simplified(kinds))
            return number, mask & _SIMPLES
        return shanten_and_ukeire(kinds)

    def _tiles(self, kinds: list[int], mask: int, melds: Melds, plan: YakuPlan) -> float:
        """Return how many live tiles bring a hand nearer; one that can be called counts more."""
        others = self._seen.ruleset.seats - 1
        total = 0.0
        for kind in kinds_of_mask(mask):
            sources = 0
            if kinds[kind] >= 2 and (plan is not YakuPlan.CLOSED or kind in self._outlook.yakuhai):
                sources = others
            elif plan is not YakuPlan.CLOSED and kind < EAST and self._seen.ruleset.chi:
                sources = 1
            total += self._outlook.live[kind] * (1 + sources * rates.LET_GO_FOR_CALL)
        return total


_SIMPLES = sum(1 << kind for kind in SIMPLES)
"""The kinds that tanyao allows, as a mask."""
