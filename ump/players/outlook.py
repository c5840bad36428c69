"""The points that a hand is expected to bring in this kyoku, by dynamic programming over the draws that are left.

Each state of the hand has a list of values: entry ``t`` is its worth with ``t`` own draws left. A tenpai hand wins,
sees another player win, or waits for its next draw. A hand one from tenpai turns into the tenpai hands that its useful
tiles lead to; these are walked through. A hand farther away is worth as much as a usual one with its han and useful
tiles. Folding is a state, too: before tenpai, and in tenpai without riichi, a player may fold at each draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ump.model.constants import STICK_POINTS
from ump.model.tiles import COPIES, DRAGONS, EAST, KIND_OF, KINDS, RED_FIVES, WINDS, YAOCHU, Face, Kind
from ump.model.value import value
from ump.players import rates
from ump.players.danger import Threat
from ump.players.observation import Observation
from ump.players.prospects import count_yaochu
from ump.players.stakes import Stakes
from ump.players.win_value import CLOSED_KAN, TRIPLET, ValueConditions, fu_of, meld_code, win_value
from ump.rules.shanten import shanten_and_ukeire, spare_kinds

Values = list[float]
"""The worth of a state in points, by the own draws left."""

MOST_HAN = 21
MOST_CHANCE = 0.9
"""However many tiles help, a turn may bring none of them."""

NEVER = -1e9
"""The worth of a way that is never taken."""

_LIMITS = (8_000, 8_000, 12_000, 12_000, 16_000, 16_000, 16_000, 24_000, 24_000)
"""The points of 5 to 13 han, of a player who is not the dealer."""


@value
class Melds:
    """The melds of a hand, as ``win_value`` knows them, and the dora in them."""

    codes: tuple[int, ...]
    is_closed: bool
    dora: int


@value
class QuietOrRiichi:
    """The worth of a hand in two ways."""

    quiet: Values
    """Without riichi so far."""
    riichi: Values | None = None
    """In riichi; None if it may not be declared."""

    def better(self, draws: int) -> Values:
        """Return the values of the better way with so many draws left."""
        riichi = self.riichi
        return self.quiet if riichi is None or riichi[draws] < self.quiet[draws] else riichi


def ron_points(han: int, fu: int) -> float:
    """Return the points that a player who is not the dealer wins by ron."""
    if han < 5:
        return float(min(8_000, -(-4 * fu * 2 ** (2 + han) // 100) * 100))
    return float(_LIMITS[han - 5]) if han < 5 + len(_LIMITS) - 1 else 32_000.0


class Outlook:
    """The facts that stay the same while one question is answered, and the values of the hands looked at so far."""

    def __init__(
        self,
        seen: Observation,
        stakes: Stakes,
        threats: Sequence[Threat],
        caution: float = 1.0,
        *,
        folds: bool = True,
        alone: bool = False,
        in_riichi: bool = False,
    ) -> None:
        """``folds``: the hand may be given up. ``alone``: nobody else wins, discards or pays for a draw.

        ``in_riichi``: the stick is paid, and all values of tenpai hands are those in riichi.
        """
        self._stakes = stakes
        self._in_riichi = in_riichi
        self._others = 0 if alone else seen.ruleset.seats - 1
        self._has_chi = seen.ruleset.chi and not alone
        self.draws = seen.left // seen.ruleset.seats
        """The own draws that are left, without calls."""
        self.live = list(map(seen.unseen, range(KINDS)))
        self.live_tiles = LiveTiles(self.live)
        self.total = float(max(1, sum(self.live)))
        self._river = 0
        for discard in seen.rivers[seen.me]:
            self._river |= 1 << KIND_OF[discard.face]
        self._may_riichi = seen.points[seen.me] >= STICK_POINTS and not seen.in_riichi[seen.me]
        self.yakuhai = (*DRAGONS, WINDS[seen.seat_wind], WINDS[seen.bakaze])
        self._set_dora(seen)
        self._set_rates(threats, caution)
        if alone:
            self._ends = [0.0] * (self.draws + 2)
            self._noten = self._tenpai_draw = self._riichi_draw = 0.0
        if alone or not folds:
            self._arrives = 0.0
            self.fold = [0.0 if alone else NEVER] * (self.draws + 2)
        self._conditions = {
            closed: ValueConditions(WINDS[seen.seat_wind], WINDS[seen.bakaze], closed) for closed in (False, True)
        }
        self._dealer = 1.5 if seen.me == seen.dealer else 1.0
        self._tenpai: dict[bytes, QuietOrRiichi] = {}
        self._usual_hands: dict[tuple[float, int, bool], Values] = {}

    def _set_dora(self, seen: Observation) -> None:
        """Count the dora: by kind, red fives in the hand, and those in the melds."""
        self._dora_kinds = seen.dora
        self.dora = list(map(self._dora_kinds.count, range(KINDS)))
        self._reds = {KIND_OF[face]: seen.hand.faces[face] for face in RED_FIVES if seen.hand.faces[face]}
        codes, dora = [], seen.norths[seen.me]
        for meld in seen.hand.melds:
            codes.append(meld_code(meld))
            dora += sum(map(self._dora_of, meld.faces))
        self.melds = Melds(tuple(codes), seen.hand.is_closed, dora)
        """The present melds."""

    def _set_rates(self, threats: Sequence[Threat], caution: float) -> None:
        """Work out how fast the kyoku ends, what that costs, and what folding is worth."""
        stakes = self._stakes
        self.costs: list[float] = []
        """The points that dealing into each threat costs."""
        self.passing = [1.0] * KINDS
        """The chance that a discard of each kind does not deal in."""
        self.cost_of = [0.0] * KINDS
        """The average cost of a discard of each kind, if it may deal in."""
        serious: list[float] = []
        tenpai = 0.0
        for threat in threats:
            cost = caution * stakes.payment(threat.points, threat.seat)
            self.costs.append(cost)
            if threat.tenpai >= rates.THREATENS:
                serious.append(cost)
                tenpai += threat.tenpai
            dangers = threat.dangers
            self.passing = [before * (1 - danger) for before, danger in zip(self.passing, dangers, strict=True)]
            self.cost_of = [before + danger * cost for before, danger in zip(self.cost_of, dangers, strict=True)]
        self.is_threatened = bool(serious)
        """Whether a player is so likely tenpai that the hand may fold."""
        self._threat_cost = sum(serious) / len(serious) if serious else 0.0
        self._arrives = 0.0 if serious else rates.THREAT_ARRIVES
        more = rates.LOSS_PER_THREAT * min(1.0, tenpai)
        self._loss_riichi = stakes.other_win(rates.LOSS_RIICHI + more)
        self._loss_open = stakes.other_win(rates.LOSS_OPEN + more)
        self._loss_far = stakes.other_win(rates.LOSS_RIICHI)
        self._stick = stakes.stick()
        self._risk = min(0.3, rates.PUSH_RISK * tenpai)
        first = rates.ENDS_FIRST + rates.ENDS_PER_THREAT * tenpai
        self._ends = [min(0.5, first + rates.ENDS_PER_TURN * max(0, 18 - draws)) for draws in range(self.draws + 2)]
        loss = stakes.other_win(rates.LOSS_FOLDED)
        self._noten = stakes.draw(rates.NOTEN)
        self._tenpai_draw = stakes.draw(rates.TENPAI_OTHER)
        self._riichi_draw = stakes.draw(rates.TENPAI_RIICHI)
        self.fold = [self._noten]
        """The values of folding."""
        for ends in self._ends[1:]:
            self.fold.append((1 - ends) * self.fold[-1] - ends * loss)

    def melds_after(self, own: Sequence[Face], called: Face) -> Melds:
        """Return the melds after a chi or pon."""
        kinds = sorted(KIND_OF[face] for face in (*own, called))
        code = kinds[0] + (TRIPLET if kinds[0] == kinds[1] else 0)
        dora = sum(map(self._dora_of, (*own, called)))
        return Melds((*self.melds.codes, code), False, self.melds.dora + dora)

    def melds_after_kan(self, faces: Sequence[Face], *, is_closed: bool) -> Melds:
        """Return the melds after a kan of four tiles, or after one tile was added to a pon."""
        dora = self.melds.dora + sum(map(self._dora_of, faces))
        if len(faces) == 1:
            return Melds(self.melds.codes, False, dora)
        code = KIND_OF[faces[0]] + (CLOSED_KAN if is_closed else TRIPLET)
        return Melds((*self.melds.codes, code), is_closed and self.melds.is_closed, dora)

    def _dora_of(self, face: Face) -> int:
        return self.dora[KIND_OF[face]] + (1 if face in RED_FIVES else 0)

    def _count_dora(self, kinds: list[int], melds: Melds) -> int:
        """Return the dora of a hand; of fives, the red ones are kept longest."""
        number = melds.dora
        for kind in self._dora_kinds:
            number += kinds[kind]
        for kind, count in self._reds.items():
            number += min(count, kinds[kind])
        return number

    # Tenpai

    def tenpai(self, kinds: list[int], mask: int, melds: Melds, gone: int) -> QuietOrRiichi:
        """Return the values of 3n + 1 tiles that wait for the kinds of ``mask``.

        ``gone`` are the kinds that the player discards on the way there, as a mask: a wait among them is furiten.
        """
        furiten = mask & (self._river | gone) != 0
        key = bytes((*kinds, *melds.codes, melds.dora, furiten))
        found = self._tenpai.get(key)
        if found is None:
            found = self._tenpai[key] = self._tenpai_values(kinds, mask, melds, furiten=furiten)
        return found

    def _tenpai_values(self, kinds: list[int], mask: int, melds: Melds, *, furiten: bool) -> QuietOrRiichi:
        waits = [kind for kind in kinds_of_mask(mask) if self.live[kind]]
        quiet, riichi = _Wins(), _Wins()
        for kind in waits:
            self._add_wait(kind, kinds, melds, quiet, riichi, only=mask & (mask - 1) == 0)
        if furiten:
            quiet.discarded = riichi.discarded = 0.0
        if self._in_riichi:
            return QuietOrRiichi(self._wait_in_riichi(riichi, 0.0))
        values = self._wait(quiet)
        if not melds.is_closed or not self._may_riichi or self.draws < 1 or not waits:
            return QuietOrRiichi(values)
        return QuietOrRiichi(values, self._wait_in_riichi(riichi, self._stick))

    def _add_wait(self, kind: Kind, kinds: list[int], melds: Melds, quiet: _Wins, riichi: _Wins, *, only: bool) -> None:
        """Add the chances of one wait, without and with riichi."""
        kinds[kind] += 1
        found = win_value(kinds, kind, melds.codes, self._conditions[melds.is_closed])
        han = found.han + self._count_dora(kinds, melds)
        kinds[kind] -= 1
        drawn = self.live[kind] / self.total
        ron_fu = fu_of(found.form, melds.codes, is_closed=melds.is_closed, tsumo=False)
        tsumo_fu = fu_of(found.form, melds.codes, is_closed=melds.is_closed, tsumo=True)
        closed = 1 if melds.is_closed else 0  # menzen tsumo
        if found.han or closed:
            let_go = (rates.LET_GO_TO_CLOSED if closed else rates.LET_GO_TO_OPEN)[kind] if found.han else 0.0
            let_go *= self._others * drawn
            quiet.add(drawn, let_go, self._win(han + closed, tsumo_fu, tsumo=True), self._win(han, ron_fu, tsumo=False))
        if closed:
            let_go = self._others * drawn * rates.LET_GO_TO_RIICHI[kind] * (rates.ONE_KIND_RIICHI if only else 1.0)
            riichi.add(
                drawn,
                let_go,
                self._with_ura(han + 2, tsumo_fu, tsumo=True),
                self._with_ura(han + 1, ron_fu, tsumo=False),
            )

    def _win(self, han: int, fu: int, *, tsumo: bool, usual: bool = False) -> float:
        """Return the worth of a win; ``usual`` if that is an average of hands."""
        points = self._dealer * ron_points(min(han, MOST_HAN), fu)
        return self._stakes.win(points, tsumo=tsumo, usual=usual) if han else 0.0

    def _with_ura(self, han: int, fu: int, *, tsumo: bool, usual: bool = False) -> float:
        """Return the worth of a win in riichi, with ippatsu and ura dora."""
        worth = 0.0
        for more, share in enumerate(rates.URA):
            worth += share * self._win(han + more, fu, tsumo=tsumo, usual=usual)
        return worth

    def _wait(self, wins: _Wins) -> Values:
        """Return the values of a hand that waits without riichi, and may fold."""
        return self._waiting(wins, 0.7, self._tenpai_draw, self._loss_open, self.fold)

    def _wait_in_riichi(self, wins: _Wins, stick: float) -> Values:
        """Return the values of a hand in riichi; ``stick`` is the worth of its stick."""
        return self._waiting(wins, 0.6, self._riichi_draw - stick, self._loss_riichi + stick, None)

    def _waiting(self, wins: _Wins, most: float, draw: float, loss: float, fold: Values | None) -> Values:
        """Return the values of a hand that waits: others discard its waits with at most this chance in a go-around."""
        drawn, discarded = wins.drawn, min(most, wins.discarded)
        tsumo, ron = wins.tsumo / (drawn or 1.0), wins.ron / (wins.ron_chance or 1.0)
        values = [draw]
        for draws in range(1, self.draws + 2):
            ends = self._ends[draws]
            rest = (1 - ends) * values[-1] - ends * loss
            worth = drawn * tsumo + (1 - drawn) * (discarded * ron + (1 - discarded) * rest)
            values.append(worth if fold is None else max(worth, fold[draws]))
        return values

    # One from tenpai

    def near(self, kinds: list[int], mask: int, melds: Melds, gone: int) -> Values:
        """Return the values of 3n + 1 tiles one from tenpai, which the kinds of ``mask`` bring nearer."""
        next_hands = _Mixture(self.draws + 2)
        for kind in kinds_of_mask(mask):
            if self.live[kind]:
                kinds[kind] += 1
                best = self._best_tenpai(kinds, kind, melds, gone)
                kinds[kind] -= 1
                if best is not None:
                    sources = 1.0 if melds.is_closed else 1 + self._callers(kinds, kind) * rates.LET_GO_FOR_CALL
                    next_hands.add(sources * self.live[kind] / self.total, best)
        values = self._before(next_hands, 1)
        if melds.is_closed and self._add_calls(next_hands, kinds, mask, melds, gone, values):
            return self._before(next_hands, 1)
        return values

    def _best_tenpai(self, kinds: list[int], kept: Kind, melds: Melds, gone: int) -> Values | None:
        """Return the values of the best tenpai hand after a discard from 3n + 2 tiles; ``kept`` is not discarded.

        The discard may deal in, unless its kind has passed just before.
        """
        best: Values | None = None
        number, spare = spare_kinds(kinds)
        if number > 0:
            return None
        for kind in kinds_of_mask(spare & ~(1 << kept)):
            kinds[kind] -= 1
            mask = shanten_and_ukeire(kinds)[1]
            values = self.tenpai(kinds, mask, melds, gone | 1 << kind).better(self.draws)
            passing, cost = (1.0, 0.0) if gone >> kind & 1 else (self.passing[kind], self.cost_of[kind])
            if best is None or passing * values[self.draws] - cost > best[self.draws]:
                best = values if not cost else [passing * each - cost for each in values]
            kinds[kind] += 1
        return best

    def _callers(self, kinds: list[int], kind: Kind) -> int:
        """Return from how many players the hand can call a tile."""
        if kinds[kind] >= 2:
            return self._others
        return 1 if self._has_chi and any(_runs_with(kinds, kind)) else 0

    def _add_calls(
        self, next_hands: _Mixture, kinds: list[int], mask: int, melds: Melds, gone: int, values: Values
    ) -> bool:
        """Add the calls to tenpai that are better than going on with a closed hand; return whether there are any."""
        if count_yaochu(kinds) > 2 and not any(kinds[kind] >= 2 for kind in self.yakuhai):
            return False  # no yaku is in reach
        is_better = False
        for kind in kinds_of_mask(mask):
            sources = self._callers(kinds, kind)
            if not self.live[kind] or not sources:
                continue
            best: Values | None = None
            for own, code in self._calls(kinds, kind):
                after = self._after_call(kinds, kind, own, code, melds, gone)
                if after is not None and (best is None or after[self.draws] > best[self.draws]):
                    best = after
            if best is not None and best[self.draws] > values[self.draws]:
                is_better = True
                next_hands.add(sources * rates.LET_GO_FOR_CALL * self.live[kind] / self.total, best)
        return is_better

    def _calls(self, kinds: list[int], kind: Kind) -> Iterator[tuple[tuple[Kind, Kind], int]]:
        """Yield the tiles that each call of a kind takes from the hand, and the number of the meld."""
        if kinds[kind] >= 2:
            yield (kind, kind), TRIPLET + kind
        if self._has_chi:
            for own in _runs_with(kinds, kind):
                yield own, min(kind, *own)

    def _after_call(
        self, kinds: list[int], kind: Kind, own: tuple[Kind, Kind], code: int, melds: Melds, gone: int
    ) -> Values | None:
        """Return the values of the best tenpai hand after a call, or None."""
        dora = melds.dora + self.dora[kind]
        for each in own:
            kinds[each] -= 1
            dora += self.dora[each] + (1 if self._reds.get(each) and not kinds[each] else 0)
        best = self._best_tenpai(kinds, kind, Melds((*melds.codes, code), False, dora), gone)
        for each in own:
            kinds[each] += 1
        return best

    def _before(self, next_hands: _Mixture, shanten: int) -> Values:
        """Return the values of a hand one step before a mixture of others."""
        return self._step(next_hands.mean(), min(MOST_CHANCE, next_hands.weight), shanten)

    def _step(self, following: Values, chance: float, shanten: int) -> Values:
        """Return the values of a hand that turns into another one with this chance in each go-around."""
        arrival = rates.ARRIVAL_NEAR if shanten == 1 else rates.ARRIVAL_FAR
        values = [self._noten]
        for draws in range(1, self.draws + 2):
            ends = self._ends[draws]
            stays = (1 - ends - self._arrives) * values[-1] - ends * self._loss_far - self._arrives * arrival
            stays = (1 - self._risk) * stays - self._risk * self._threat_cost
            values.append(max(self.fold[draws], chance * following[draws] + (1 - chance) * stays))
        return values

    # Farther from tenpai

    def far(self, kinds: list[int], melds: Melds, yaku: float | None, shanten: int, tiles: float) -> Values:
        """Return the values of a hand two or more from tenpai, which so many live tiles bring nearer.

        ``yaku`` are the han that its aim gives; None if it aims at nothing particular.
        """
        shanten = min(shanten, len(rates.USUAL_TILES) - 1)
        following = self._usual(self._far_han(kinds, melds, yaku), shanten - 1, is_closed=melds.is_closed)
        return self._step(following, min(MOST_CHANCE, tiles / self.total), shanten)

    def _usual(self, han: float, shanten: int, *, is_closed: bool) -> Values:
        """Return the values of an average hand with these han. Most discards of a turn lead to the same few."""
        key = han, shanten, is_closed
        found = self._usual_hands.get(key)
        if found is None:
            found = self._usual_hands[key] = self._usual_values(han, shanten, is_closed=is_closed)
        return found

    def _usual_values(self, han: float, shanten: int, *, is_closed: bool) -> Values:
        if shanten == 0:
            return self._usual_tenpai(han, is_closed=is_closed)
        tiles = rates.USUAL_TILES[shanten] * (1.0 if is_closed else rates.CALLS_HELP)
        following = self._usual(han, shanten - 1, is_closed=is_closed)
        return self._step(following, min(MOST_CHANCE, tiles / self.total), shanten)

    def _usual_tenpai(self, han: float, *, is_closed: bool) -> Values:
        """Return the values of an average tenpai hand with these han."""
        wins = _Wins()
        drawn = rates.USUAL_WAIT / self.total
        lower, share = int(han), han - int(han)
        win = self._with_ura if is_closed else self._win
        worth = (1 - share) * win(lower, 30, tsumo=False, usual=True)
        worth += share * win(lower + 1, 30, tsumo=False, usual=True)
        if is_closed:
            tsumo = 1.1 * worth - 0.1 * self._stakes.win_bonus
            wins.add(drawn, min(0.5, self._others * 0.35 * drawn), tsumo, worth)
            return self._wait_in_riichi(wins, self._stick)
        wins.add(drawn, min(0.5, self._others * 0.43 * drawn), worth, worth)
        return self._wait(wins)

    def _far_han(self, kinds: list[int], melds: Melds, yaku: float | None) -> float:
        """Return the han that a hand far from tenpai may be expected to have."""
        han = float(self._count_dora(kinds, melds))
        for kind in self.yakuhai:
            if kinds[kind] >= 3 or any(code % TRIPLET == kind and code >= TRIPLET for code in melds.codes):
                han += 1
            elif kinds[kind] == 2:
                han += rates.PAIR_TO_TRIPLET[min(self.live[kind], 2)]
        if yaku is not None:
            han += yaku
        elif all(map(_is_simple, melds.codes)):
            han += rates.TANYAO_BY_ENDS[min(count_yaochu(kinds), len(rates.TANYAO_BY_ENDS) - 1)]
        return han + rates.CLOSED_HAN if melds.is_closed else max(1.0, han)


class LiveTiles:
    """The unseen tiles, which are counted for many sets of kinds."""

    def __init__(self, live: Sequence[int]) -> None:
        """``live``: the number of unseen tiles of each kind."""
        self._planes = [0] * COPIES
        """The kinds of which 1, 2 .. tiles and more are unseen, as masks."""
        for kind, count in enumerate(live):
            for number in range(count):
                self._planes[number] |= 1 << kind

    def count(self, mask: int) -> int:
        """Return the tiles of the kinds of a bit mask."""
        tiles = 0
        for plane in self._planes:
            tiles += (mask & plane).bit_count()
        return tiles


class _Wins:
    """The chances of a tenpai hand in one go-around, and the worth of its wins, weighted by their chances."""

    def __init__(self) -> None:
        self.drawn = 0.0
        self.discarded = 0.0
        """The chance that another player discards a wait; 0 in furiten."""
        self.ron_chance = 0.0
        self.tsumo = 0.0
        self.ron = 0.0

    def add(self, drawn: float, discarded: float, tsumo: float, ron: float) -> None:
        """Add a wait with the worth of its wins."""
        self.drawn += drawn
        self.discarded += discarded
        self.ron_chance += discarded
        self.tsumo += drawn * tsumo
        self.ron += discarded * ron


class _Mixture:
    """The mean of lists of values, by their chances."""

    def __init__(self, length: int) -> None:
        self.weight = 0.0
        self._sums = [0.0] * length

    def add(self, chance: float, values: Values) -> None:
        """Add a list that follows with this chance in each go-around."""
        self.weight += chance
        sums = self._sums
        for place, each in enumerate(values):
            sums[place] += chance * each

    def mean(self) -> Values:
        """Return the mean; zeros of an empty mixture."""
        weight = self.weight or 1.0
        return [each / weight for each in self._sums]


def kinds_of_mask(mask: int) -> Iterator[Kind]:
    """Yield the kinds of a bit mask."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _runs_with(kinds: list[int], kind: Kind) -> Iterator[tuple[Kind, Kind]]:
    """Yield the pairs of held kinds that make a run with a kind."""
    if kind >= EAST:
        return
    number = kind % 9
    if number >= 2 and kinds[kind - 2] and kinds[kind - 1]:
        yield kind - 2, kind - 1
    if 1 <= number <= 7 and kinds[kind - 1] and kinds[kind + 1]:
        yield kind - 1, kind + 1
    if number <= 6 and kinds[kind + 1] and kinds[kind + 2]:
        yield kind + 1, kind + 2


def _is_simple(code: int) -> bool:
    """Tell whether a meld has no terminal or honour."""
    if code < TRIPLET:
        return code % 9 not in (0, 6)
    return code % TRIPLET not in YAOCHU
