"""The policy that makes every choice by one number: the points that it may expect of the kyoku, as places need them.

Discard, riichi or none, call or pass, push or fold: each option is valued by the outlook of the hand that it leaves
(``ump.players.outlook``), unless the discard deals in, less what it costs if it does (``ump.players.danger``).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from operator import itemgetter

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    Discard,
    Kakan,
    Kita,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.constants import DEALT_TILES
from ump.model.notation import MPSZ_FACES
from ump.model.phases import Phase
from ump.model.tiles import EAST, KIND_OF, KINDS, RED_OF, Face, Kind
from ump.model.value import value
from ump.players import rates
from ump.players.claimable import claimable, discards_of, has_any
from ump.players.danger import Threat, calibrated_threats, plain_threats
from ump.players.defensive import Defensive
from ump.players.efficiency import kinds_after, open_melds, worth
from ump.players.evaluation import Candidate, Evaluation, Unit
from ump.players.observation import Observation, discarded_kinds
from ump.players.outlook import Melds, Outlook, QuietOrRiichi, Values, kinds_of_mask
from ump.players.prospects import SIMPLES, YakuPlan, held_kinds, plan_for
from ump.players.shape import shape_gains
from ump.players.stakes import Stakes
from ump.rules.shanten import shanten_and_ukeire, spare_kinds

MOST_OUTSIDE = 4
"""The tiles of other suits with which a hand may still aim at one suit."""

FARTHEST = 3
"""The shanten from which a hand folds against a threat without counting."""

SHAPED_SEATS = 4
"""The players of the games on which the weights of shapes are fitted; with others shapes do not count."""

LATE_DRAWS = 4
"""The own draws left from which a call for tenpai alone counts against a plan for a yaku."""


@value
class Personality:
    """The personality of an expert."""

    caution: float = 1.0
    """The factor for the cost of dealing in."""
    call_bonus: float = 0.0
    """The points that a call counts more than it is worth."""
    shapes: float = 1.0
    """The factor for what the shape of a quiet hand adds (``ump.players.shape``); 0: shapes do not count."""
    reads: bool = True
    """Whether it reads discards and open hands; otherwise it knows the safe tiles of riichi alone."""


@value
class _Aim:
    """A source of yaku that a hand may aim at."""

    useful: int
    """The kinds that it allows, as a mask."""
    fillers: tuple[Kind, ...]
    """Kinds that make nothing with each other or with useful ones: they stand for the other tiles."""
    han: float | None
    """The han that it gives; None if it may turn out anyhow."""
    opens: bool
    """Whether the hand may call any tile; otherwise a pair of yakuhai alone."""

    def distance(self, kinds: list[int]) -> tuple[int, int]:
        """Return the shanten of 3n + 1 tiles under this aim, and the mask of the kinds that lower it."""
        if not self.fillers:
            return shanten_and_ukeire(kinds)
        useful = self.useful_of(kinds)
        for kind in self.fillers[: sum(kinds) - sum(useful)]:
            useful[kind] = 1
        number, mask = shanten_and_ukeire(useful)
        return number, mask & self.useful

    def useful_of(self, kinds: list[int]) -> list[int]:
        """Return the tiles that the aim allows, without the others."""
        return [count if self.useful >> kind & 1 else 0 for kind, count in enumerate(kinds)]


_ANY_CLOSED = _Aim((1 << KINDS) - 1, (), None, opens=False)
_ANY_OPEN = _Aim((1 << KINDS) - 1, (), None, opens=True)
_TANYAO = _Aim(sum(1 << kind for kind in SIMPLES), tuple(range(EAST, KINDS)), 1.0, opens=True)


def _flush(suit: int) -> _Aim:
    useful = 0
    fillers = []
    for kind in range(KINDS):
        if kind >= EAST or kind // 9 == suit:
            useful |= 1 << kind
        elif kind % 9 in (0, 3, 6):
            fillers.append(kind)
    return _Aim(useful, tuple(fillers), 2.0, opens=True)


_FLUSHES = tuple(map(_flush, range(3)))
_AIMS = {YakuPlan.CLOSED: _ANY_CLOSED, YakuPlan.YAKUHAI: _ANY_OPEN, YakuPlan.TANYAO: _TANYAO}


@value
class _Way:
    """A way of a hand of 3n + 1 tiles to a win."""

    aim: _Aim
    shanten: int
    useful: int
    """The kinds that lower that, as a mask."""
    in_riichi: bool


@value
class _Gain:
    """The hand that a discard leaves, and the points that it brings if the discard does not deal in."""

    quiet: float
    riichi: float | None
    """None if riichi may not be declared."""
    shanten: int
    tiles: int
    """The live tiles that bring it nearer."""

    @property
    def most(self) -> float:
        """The points of the better way, in riichi or not."""
        return self.quiet if self.riichi is None else max(self.quiet, self.riichi)


@value
class _Option:
    """An action and its worth in points."""

    action: Action
    worth: float
    gain: _Gain | None
    """The hand after it; None if it folds."""
    risk: float
    """The chance that it deals in."""

    def discarded(self, number: int) -> Kind | None:
        """Return the kind of a discard that leaves a hand with this shanten; None of other actions and of folds."""
        action, gain = self.action, self.gain
        if not isinstance(action, Discard) or gain is None or gain.shanten != number:
            return None
        return KIND_OF[action.face]

    def with_more(self, points: float) -> _Option:
        """Return the option, and the hand after it, worth so many points more."""
        gain = None if self.gain is None else replace(self.gain, quiet=self.gain.quiet + points)
        return replace(self, worth=self.worth + points, gain=gain)

    def candidate(self) -> Candidate:
        """Return what a review shows of it, which does not tell the drawn tile from an equal one."""
        action, gain = self.action, self.gain
        if isinstance(action, Discard):
            action = Discard(action.face)
        elif isinstance(action, Riichi):
            action = Riichi(action.face)
        if gain is None:
            return Candidate(action, self.worth, risk=self.risk, reason="folds")
        return Candidate(action, self.worth, gain.shanten, gain.tiles, self.risk, reason=self._reason(gain))

    def _reason(self, gain: _Gain) -> str:
        distance = "tenpai" if gain.shanten == 0 else f"{gain.shanten} from tenpai"
        if isinstance(self.action, Pass):
            return f"no call, {distance}"
        if isinstance(self.action, (Chi, Pon)):
            return f"calls, {distance} then"
        if isinstance(self.action, (Ankan, Kakan, Daiminkan)):
            return f"makes a kan, {distance} then"
        expected = gain.riichi if isinstance(self.action, Riichi) and gain.riichi is not None else gain.quiet
        return f"goes on, {distance}: {expected:+,.0f} points if it passes"


class Expert:
    """Plays every discard, riichi, call and kan by expected points; nine terminals and kita like ``Defensive``."""

    def __init__(self, style: Personality | None = None) -> None:
        self._style = style or Personality()
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
        if not options:
            return None
        best: dict[Action, Candidate] = {}
        for option in sorted(options, key=_worth_of, reverse=True):
            candidate = option.candidate()
            best.setdefault(candidate.action, candidate)
        return Evaluation(Unit.POINTS, tuple(best.values()))

    def _options(self, seen: Observation, phase: Phase, tile: Face | None, legal: tuple[Action, ...]) -> list[_Option]:
        """Return the actions that are worth a comparison; none if there is nothing to compare."""
        if has_any(legal, Tsumo, Ron):
            return []
        if phase is Phase.TURN and len(discards_of(legal)) > 1:
            if has_any(legal, KyushuKyuhai, Kita):
                answer = self._otherwise.choose(seen, phase, tile, legal)
                if isinstance(answer, (KyushuKyuhai, Kita)):
                    return []
            return self._decision(seen).turn(legal)
        if phase is Phase.CALL and tile is not None and has_any(legal, Chi, Pon, Daiminkan):
            return self._decision(seen).call(tile, legal)
        return []

    def _decision(self, seen: Observation) -> _Decision:
        threats = calibrated_threats(seen) if self._style.reads else plain_threats(seen)
        outlook = Outlook(seen, self._stakes_of(seen), threats, self._style.caution)
        return _Decision(seen, threats, outlook, self._style)

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

    def __init__(self, seen: Observation, threats: list[Threat], outlook: Outlook, style: Personality) -> None:
        self._seen = seen
        self._style = style
        self._threats = threats
        self._outlook = outlook

    def turn(self, legal: tuple[Action, ...]) -> list[_Option]:
        """Return kans, and discards with and without riichi; without threats only those that keep the hand nearest."""
        outlook = self._outlook
        kinds = self._seen.hand.kinds[:]
        discards = discards_of(legal)
        aims = self._aims(kinds, open_melds(self._seen)) or [_ANY_OPEN]
        gains = self._gains(kinds, outlook.melds, aims, discarded_kinds(discards))
        options = []
        for discard in discards:
            gain = gains.get(KIND_OF[discard.face])
            if gain is None and gains and not outlook.is_threatened:
                continue
            options.append(self._discard(discard, gain))
            riichi = Riichi(discard.face, discard.tsumogiri)
            if gain is not None and gain.riichi is not None and riichi in legal:
                options.append(self._option(riichi, discard.face, gain.riichi, gain))
        for action in legal:
            if isinstance(action, (Ankan, Kakan)):
                options.append(self._kan(action))
        return self._by_shape(options)

    def _by_shape(self, options: list[_Option]) -> list[_Option]:
        """Return the options; quiet discards far from tenpai that are nearly the best count the shape they leave."""
        factor = self._style.shapes
        if not factor or self._outlook.is_threatened or self._seen.ruleset.seats != SHAPED_SEATS:
            return options
        first = max(options, key=_worth_of)
        number = 0 if first.gain is None else first.gain.shanten
        if number not in rates.SHAPES:
            return options
        worths: dict[Kind, float] = {}
        for option in options:
            kind = option.discarded(number)
            if kind is not None and option.worth > first.worth - rates.SHAPE_NEAR:
                worths[kind] = max(option.worth, worths.get(kind, option.worth))
        if len(worths) < 2 or first.discarded(number) is None:
            return options
        gains = shape_gains(self._seen.hand.kinds[:], self._outlook.live, number, worths)
        shaped = []
        for option in options:
            kind = option.discarded(number)
            shaped.append(option if kind is None else option.with_more(factor * gains.get(kind, 0.0)))
        return shaped

    def call(self, tile: Face, legal: tuple[Action, ...]) -> list[_Option]:
        """Return the pass, calls that bring the hand nearer, a pon of yakuhai that keeps the distance, a late kan."""
        seen, outlook = self._seen, self._outlook
        kinds = seen.hand.kinds[:]
        aims = self._aims(kinds, open_melds(seen)) or [_ANY_CLOSED]
        draws = self._draws_after_pass()
        stays = max((self._gain(kinds, outlook.melds, aim, 0, draws) for aim in aims), key=_quiet)
        options = [_Option(Pass(), max(stays.quiet, outlook.fold[outlook.draws]), stays, 0.0)]
        for action in legal:
            if isinstance(action, Daiminkan):
                kan = self._kan(action, tile)
                if kan.gain is not None and kan.gain.shanten <= 1:  # values are exact from here on
                    options.append(kan)
            elif isinstance(action, (Chi, Pon)):
                best = self._best_call(action, tile)
                if best is not None:
                    options.append(best)
        return options

    def _kan(self, kan: Ankan | Kakan | Daiminkan, called: Face | None = None) -> _Option:
        """Return a kan: one draw more, and a new dora for everybody. A tile that is added to a pon may deal in."""
        seen, outlook = self._seen, self._outlook
        kinds, opened = seen.hand.kinds[:], open_melds(seen)
        faces = self._tiles_of_kan(kan, called)
        for face in faces:
            kinds[KIND_OF[face]] -= 1
        if called is not None:
            faces.append(called)
            opened.append(tuple(faces))
        melds = outlook.melds_after_kan(faces, is_closed=isinstance(kan, Ankan))
        gain, points = self._gain_of_kan(kinds, melds, self._aims(kinds, opened) or [_ANY_OPEN])
        fold = outlook.fold[outlook.draws]
        expected = max(points, fold) - rates.NEW_DORA_COST * abs(fold)
        if not isinstance(kan, Kakan):
            return _Option(kan, expected, gain, 0.0)
        passes, cost = outlook.passing[KIND_OF[kan.face]], outlook.cost_of[KIND_OF[kan.face]]
        return _Option(kan, passes * expected - cost, gain, 1 - passes)

    def _tiles_of_kan(self, kan: Ankan | Kakan | Daiminkan, called: Face | None) -> list[Face]:
        """Return the tiles that a kan takes from the hand."""
        if isinstance(kan, Kakan):
            return [kan.face]
        kind = kan.kind if isinstance(kan, Ankan) else None if called is None else KIND_OF[called]
        return [face for face in self._seen.hand.concealed if KIND_OF[face] == kind]

    def _gain_of_kan(self, kinds: list[int], melds: Melds, aims: list[_Aim]) -> tuple[_Gain, float]:
        """Return the hand that a kan leaves under its best aim, and its points with the chance of a new dora."""
        draws = self._outlook.draws + 1
        richer = replace(melds, dora=melds.dora + 1)
        found = []
        for aim in aims:
            gain, more = self._gain(kinds, melds, aim, 0, draws), self._gain(kinds, richer, aim, 0, draws)
            found.append((gain, (1 - rates.NEW_DORA) * gain.most + rates.NEW_DORA * more.most))
        return max(found, key=itemgetter(1))

    def _best_call(self, call: Chi | Pon, tile: Face) -> _Option | None:
        """Return a call with its best discard, if that leaves the hand near enough.

        Without a plan for a yaku any shape counts from one before tenpai on, where values are exact: a rare yaku, or
        tenpai at the end of the wall.
        """
        kinds = kinds_after(self._seen, call)
        aims = self._aims(kinds, [*open_melds(self._seen), (*call.own, tile)])
        options = self._options_of_call(call, tile, kinds, aims)
        is_late = self._outlook.draws <= LATE_DRAWS
        if not options and (is_late or not aims) and _ANY_OPEN.distance(self._seen.hand.kinds)[0] <= 2:
            options = self._options_of_call(call, tile, kinds, [_ANY_OPEN])
        if not options:
            return None
        best = max(options, key=_worth_of)
        return _Option(call, best.worth + self._style.call_bonus, best.gain, best.risk)

    def _options_of_call(self, call: Chi | Pon, tile: Face, kinds: list[int], aims: list[_Aim]) -> list[_Option]:
        """Return a call with each discard that leaves the hand nearer; a pon of yakuhai may keep the distance."""
        seen, outlook = self._seen, self._outlook
        melds = outlook.melds_after(call.own, tile)
        held = set(held_kinds(kinds))
        gains_yaku = seen.hand.is_closed and isinstance(call, Pon) and KIND_OF[tile] in outlook.yakuhai
        fold = outlook.fold[outlook.draws]
        options = []
        for aim in aims:
            before = (aim if aim in _FLUSHES else _ANY_OPEN).distance(seen.hand.kinds)[0]
            for kind, gain in self._gains(kinds, melds, [aim], held).items():
                if gain.shanten < before or (gains_yaku and gain.shanten == before):
                    options.append(self._option(call, kind, max(gain.quiet, fold), gain, kept=0.0))
        return options

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
        if gain.shanten == 1 and self._outlook.is_threatened:
            gain = replace(gain, quiet=gain.quiet + rates.NEAR_MORE)
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

    def _aims(self, kinds: list[int], opened: Collection[tuple[Face, ...]]) -> list[_Aim]:
        """Return the aims that a hand with these open melds may have; none if no yaku is in reach."""
        plan = plan_for(self._seen, kinds, opened)
        aims = [] if plan is None else [_AIMS[plan]]
        numbers = sum(kinds[:EAST])
        for suit, aim in enumerate(_FLUSHES):
            useless = numbers - sum(kinds[9 * suit : 9 * suit + 9])
            if useless <= MOST_OUTSIDE and all(aim.useful >> KIND_OF[face] & 1 for meld in opened for face in meld):
                aims.append(aim)
        return aims

    def _gains(self, kinds: list[int], melds: Melds, aims: list[_Aim], allowed: set[Kind]) -> dict[Kind, _Gain]:
        """Return what each discard leaves, for those that leave the hand nearest under one of the aims."""
        gains: dict[Kind, _Gain] = {}
        for aim in aims:
            for kind in self._nearest(kinds, aim, allowed):
                kinds[kind] -= 1
                gain = self._gain(kinds, melds, aim, 1 << kind, self._outlook.draws)
                kinds[kind] += 1
                if kind not in gains or gain.quiet > gains[kind].quiet:
                    gains[kind] = gain
        return gains

    def _nearest(self, kinds: list[int], aim: _Aim, allowed: set[Kind]) -> list[Kind]:
        """Return the discards that leave the hand nearest under an aim; none if that is too far against a threat."""
        if not aim.fillers:
            number, spare = spare_kinds(kinds)
            nearest = [kind for kind in allowed if spare >> kind & 1]
            if nearest:
                return [] if self._outlook.is_threatened and number > FARTHEST else nearest
        numbers: dict[Kind, int] = {}
        for kind in allowed:
            kinds[kind] -= 1
            numbers[kind] = aim.distance(kinds)[0]
            kinds[kind] += 1
        least = min(numbers.values())
        if self._outlook.is_threatened and least > FARTHEST:
            return []
        return [kind for kind, number in numbers.items() if number == least]

    def _gain(self, kinds: list[int], melds: Melds, aim: _Aim, gone: int, draws: int) -> _Gain:
        """Return what 3n + 1 tiles bring. ``gone`` is the mask of the discard before."""
        number, mask = aim.distance(kinds)
        tiles = self._outlook.live_tiles.count(mask)
        values = self.values(kinds, melds, aim, gone, number, mask)
        riichi = None if values.riichi is None else values.riichi[draws] + rates.RIICHI_MORE
        return _Gain(values.quiet[draws], riichi, number, tiles)

    def values(self, kinds: list[int], melds: Melds, aim: _Aim, gone: int, number: int, mask: int) -> QuietOrRiichi:
        """Return the values of 3n + 1 tiles with this shanten under an aim, by the draws left."""
        outlook = self._outlook
        if number == 0:
            return outlook.tenpai(kinds, shanten_and_ukeire(kinds)[1], melds, gone)
        if number == 1:
            return QuietOrRiichi(outlook.near(kinds, mask, melds, gone))
        chances = self._chances(kinds, mask, aim)
        if aim.fillers:  # the other tiles will be discarded
            kinds = aim.useful_of(kinds)
            melds = Melds(melds.codes, False, melds.dora)
        return QuietOrRiichi(outlook.far(kinds, melds, aim.han, number, chances))

    def best_way(self, kinds: list[int], gone: int) -> _Way:
        """Return the aim under which 3n + 1 tiles bring most, and whether riichi brings more."""
        draws = self._outlook.draws
        ways: list[tuple[float, _Way]] = []
        for aim in self._aims(kinds, open_melds(self._seen)) or [_ANY_OPEN]:
            number, mask = aim.distance(kinds)
            values = self.values(kinds, self._outlook.melds, aim, gone, number, mask)
            ways.append((values.quiet[draws], _Way(aim, number, mask, in_riichi=False)))
            if values.riichi is not None:
                ways.append((values.riichi[draws] + rates.RIICHI_MORE, _Way(aim, number, mask, in_riichi=True)))
        return max(ways, key=itemgetter(0))[1]

    def values_of(self, way: _Way, kinds: list[int], gone: int) -> Values:
        """Return the values of 3n + 1 tiles that go this way."""
        values = self.values(kinds, self._outlook.melds, way.aim, gone, way.shanten, way.useful)
        return values.riichi if way.in_riichi and values.riichi is not None else values.quiet

    def _chances(self, kinds: list[int], mask: int, aim: _Aim) -> float:
        """Return the live tiles that bring a hand nearer; one that can be called counts more."""
        others = self._seen.ruleset.seats - 1
        total = 0.0
        for kind in kinds_of_mask(mask):
            sources = 0
            if kinds[kind] >= 2 and (aim.opens or kind in self._outlook.yakuhai):
                sources = others
            elif aim.opens and kind < EAST and self._seen.ruleset.chi:
                sources = 1
            total += self._outlook.live[kind] * (1 + sources * rates.LET_GO_FOR_CALL)
        return total


def _quiet(gain: _Gain) -> float:
    return gain.quiet


@value
class HandOutlook:
    """The outlook of a hand between two turns, as ``Expert`` reckons.

    ``win``, ``points`` and ``fold`` have an entry for 0, 1, 2 .. own draws left; the last entry is the hand as it is
    now.
    """

    discard: str | None
    """The tile that was discarded before, such as ``5m``; None of a hand of 3n + 1 tiles."""
    shanten: int
    """The tiles that the hand is away from tenpai, on the way to the yaku that it aims at."""
    tiles: int
    """The unseen tiles that bring it nearer, or complete it."""
    riichi: bool
    """Whether the other figures are those of riichi, declared with this discard or before."""
    win: tuple[float, ...]
    """The chance to win in this kyoku, 0..1, if the hand never folds."""
    points: tuple[float, ...]
    """The points that the kyoku is expected to bring if the discard passes: wins, losses, draws, and folding where that
    is better. In the last four kyoku of a game they are worth the places that they lead to."""
    fold: tuple[float, ...]
    """The points of folding."""


def outlooks(seen: Observation, *, alone: bool = False) -> tuple[HandOutlook, ...]:
    """Return the outlook of the own hand, or after each discard if it has a tile to discard; the best first.

    ``alone``: by own draws only, as if nobody else discarded or won, and with draws of the kyoku worth nothing. Raises
    ValueError for a spectator.
    """
    kinds = seen.hand.kinds[:]
    every = _EveryDiscard(seen, alone=alone)
    if sum(kinds) % 3 == DEALT_TILES % 3:
        return (every.after(kinds, None),)
    must_discard = seen.drawn if seen.in_riichi[seen.me] else None
    discards = held_kinds(kinds) if must_discard is None else [KIND_OF[must_discard]]
    found = []
    for kind in discards:
        kinds[kind] -= 1
        found.append(every.after(kinds, kind))
        kinds[kind] += 1
    return tuple(sorted(found, key=_points_now, reverse=True))


class _EveryDiscard:
    """The outlooks of the hands that the discards of one turn leave.

    Two more decisions never fold, and a win brings the second one a point more: their difference is the chance to win.
    """

    def __init__(self, seen: Observation, *, alone: bool) -> None:
        self._seen = seen
        self._in_riichi = seen.in_riichi[seen.me]
        self._riichi_more = 0.0 if alone else rates.RIICHI_MORE
        threats = [] if alone else calibrated_threats(seen)
        self._decisions = []
        for folds, bonus in ((True, 0.0), (False, 0.0), (False, 1.0)):
            outlook = Outlook(seen, Stakes(seen, bonus), threats, folds=folds, alone=alone, in_riichi=self._in_riichi)
            self._decisions.append(_Decision(seen, threats, outlook, Personality()))
            if folds:
                self._outlook = outlook

    def after(self, kinds: list[int], discard: Kind | None) -> HandOutlook:
        """Return the outlook of 3n + 1 tiles after a discard."""
        gone = 0 if discard is None else 1 << discard
        way = self._decisions[0].best_way(kinds, gone)
        points, lower, higher = (each.values_of(way, kinds, gone) for each in self._decisions)
        in_riichi = way.in_riichi or (self._in_riichi and way.shanten == 0)
        more = self._riichi_more if in_riichi else 0.0
        past = self._outlook.draws + 1
        win = [after - before for before, after in zip(lower, higher, strict=True)]
        return HandOutlook(
            None if discard is None else self._name(discard),
            way.shanten,
            self._outlook.live_tiles.count(way.useful),
            in_riichi,
            tuple(win[:past]),
            tuple(each + more for each in points[:past]),
            tuple(self._outlook.fold[:past]),
        )

    def _name(self, discard: Kind) -> str:
        """Return the tile that is discarded: a plain five before a red one."""
        face = discard if self._seen.hand.faces[discard] else RED_OF[discard]
        return MPSZ_FACES[face]


def _points_now(outlook: HandOutlook) -> float:
    return outlook.points[-1]
