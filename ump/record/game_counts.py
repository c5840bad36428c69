"""All that the players of a recorded game did, counted: what ``GameCounter`` counts, and what needs a whole kyoku.

``TABLES`` in ``ump.record.game_statistics`` makes figures of them; docs/records.md defines these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from ump.model import events as ev
from ump.model.constants import STICK_POINTS
from ump.model.hand import Hand
from ump.model.seats import Seat
from ump.model.yaku import Yaku
from ump.players.observation import Observation
from ump.record.player_counts import COUNTED, GameCounter
from ump.record.recorded_game import RecordedGame, RecordedKyoku
from ump.rules.analysis import shanten, waits_of
from ump.table.view import view

DORA = (Yaku.DORA, Yaku.URA_DORA, Yaku.RED_DORA)
"""The yaku that are counted in han, not in wins."""

MANGAN = 2_000
"""The base points of a mangan."""

GOOD_WAIT = 6
"""The unseen tiles of a good wait, at least."""

MAXIMA = ("longest_renchan", "longest_answer")
"""The counts of which games have a greatest one, and no sum."""

Counts: TypeAlias = Counter[str]
"""The counts of one player."""


def game_counts(game: RecordedGame) -> tuple[Counts, ...]:
    """Return the counts of the players of a game, by seat.

    A kyoku without a result counts nothing. Hands that the record hides count nothing about their tiles.
    """
    seats = len(game.names)
    basic = GameCounter(seats)
    counts = tuple(Counter[str]() for _ in range(seats))
    renchan = 0
    dealer: Seat | None = None
    for kyoku in game.kyoku:
        basic.see_all(kyoku.events)
        if not kyoku.complete:
            continue
        _KyokuCounter(game, kyoku, counts).count()
        renchan = renchan + 1 if kyoku.started.dealer == dealer else 1
        dealer = kyoku.started.dealer
        counts[dealer]["longest_renchan"] = max(counts[dealer]["longest_renchan"], renchan)
    for seat, each in enumerate(basic.counts()):
        counts[seat].update({name: getattr(each, name) for name in COUNTED})
        _count_end(game, seat, counts[seat])
    return counts


def _count_end(game: RecordedGame, seat: Seat, counts: Counts) -> None:
    """Count the end of the game, if the record has it."""
    counts["games"] += 1
    ended = game.ended
    if ended is None or not ended.places or not ended.points:
        return
    place = ended.places[seat]
    counts["completed"] += 1
    counts[f"place_{place}"] += 1
    counts["place"] += place
    counts["place_squares"] += place * place
    counts["points"] += ended.points[seat]
    counts["busted"] += ended.points[seat] < 0
    if ended.results:
        counts["with_results"] += 1
        counts["result"] += ended.results[seat]


class _KyokuCounter:
    """Counts one kyoku that has a result."""

    def __init__(self, game: RecordedGame, kyoku: RecordedKyoku, counts: Sequence[Counts]) -> None:
        self._game = game
        self._kyoku = kyoku
        self._counts = counts
        self._dealer = kyoku.started.dealer
        self._seats = range(len(counts))
        self._discards = [0 for _ in counts]
        self._riichi: list[Seat] = []
        """The seats in riichi, in the order of their declarations."""
        self._called: set[Seat] = set()
        self._changes = [0 for _ in counts]
        self._are_paid = True
        """Whether the record states all payments."""
        self._dealt_in: set[Seat] = set()
        self._declaring: Seat | None = None
        """The seat whose riichi waits for its tile to pass."""
        self._has_discarded: Seat | None = None
        """The seat that has just discarded its riichi tile."""

    def count(self) -> None:
        """Count everything in the kyoku."""
        for place, event in enumerate(self._kyoku.events):
            match event:
                case ev.HandDealt(seat=seat, faces=faces) if faces is not None:
                    self._deal(seat, shanten(Hand(faces).kinds))
                case ev.TileDiscarded(seat=seat):
                    self._discard(seat, place)
                case ev.TileDrawn():
                    self._has_discarded = None
                case ev.TileCalled(seat=seat):
                    self._called.add(seat)
                    self._has_discarded = None
                case ev.RiichiDeclared(seat=seat):
                    self._declare(seat)
                case ev.RiichiPaid(seat=seat):
                    self._changes[seat] -= STICK_POINTS
                case ev.HandWon():
                    self._win(event)
                case ev.KyokuDrawn():
                    self._draw(event)
                case _:
                    pass
        self._finish()

    def _deal(self, seat: Seat, number: int) -> None:
        name = "dealt_as_dealer" if seat == self._dealer else "dealt"
        self._counts[seat][name] += 1
        self._counts[seat][f"{name}_shanten"] += number

    def _discard(self, seat: Seat, place: int) -> None:
        self._discards[seat] += 1
        self._has_discarded = None
        if self._declaring == seat:
            self._declaring, self._has_discarded = None, seat
            if seat not in self._kyoku.hidden:
                self._count_wait(seat, place)

    def _declare(self, seat: Seat) -> None:
        counts = self._counts[seat]
        counts["riichi_turns"] += self._discards[seat] + 1
        counts["chasing"] += bool(self._riichi)
        if self._riichi:  # those before it have been chased already
            self._counts[self._riichi[-1]]["chased"] += 1
        self._riichi.append(seat)
        self._declaring = seat

    def _count_wait(self, seat: Seat, place: int) -> None:
        """Count the wait of a riichi, as its seat sees it after its discard."""
        seen = Observation(seat, self._game.ruleset)
        try:
            for event in self._kyoku.events[: place + 1]:
                seen.see(view(event, seat))
        except ValueError:  # the record contradicts the hand
            return
        waits = waits_of(seen.hand, seen.ruleset.own_copies)
        counts = self._counts[seat]
        counts["riichi_seen"] += 1
        counts["riichi_good"] += sum(map(seen.unseen, waits)) >= GOOD_WAIT
        counts["riichi_many"] += len(waits) > 1
        counts["riichi_furiten"] += seen.is_furiten(waits)

    def _win(self, won: ev.HandWon) -> None:
        counts, seat = self._counts[won.seat], won.seat
        way = "riichi" if won.riichi else "open" if any(meld.is_open for meld in won.melds) else "dama"
        counts[f"{way}_wins"] += 1
        counts["called_wins"] += seat in self._called
        counts["win_turns"] += self._discards[seat] + (won.loser is None)
        self._pay(won.changes)
        if won.changes:
            counts[f"{way}_win_points"] += won.changes[seat]
            counts[f"{way}_wins_paid"] += 1
        if won.value.base:
            counts["valued_wins"] += 1
            is_dealer, is_tsumo = seat == self._dealer, won.loser is None
            counts["win_value"] += won.value.points(len(self._seats), is_dealer=is_dealer, is_tsumo=is_tsumo)
        self._count_yaku(won)
        if won.loser is None:
            self._lose_by_tsumo(won)
        else:
            self._deal_in(won, won.loser, way)

    def _count_yaku(self, won: ev.HandWon) -> None:
        counts = self._counts[won.seat]
        if not won.value.yaku:
            return
        counts["wins_with_yaku"] += 1
        for yaku, han in won.value.yaku:
            counts[f"yaku_{yaku.name.lower()}"] += han if yaku in DORA else 1
        if won.riichi:
            names = {yaku for yaku, _ in won.value.yaku}
            counts["riichi_wins_with_yaku"] += 1
            counts["ippatsu"] += Yaku.IPPATSU in names
            counts["ura"] += Yaku.URA_DORA in names

    def _lose_by_tsumo(self, won: ev.HandWon) -> None:
        for seat in self._seats:
            if seat != won.seat:
                self._counts[seat]["others_tsumo"] += 1
        if self._dealer != won.seat:
            self._counts[self._dealer]["hit_as_dealer"] += won.value.base >= MANGAN

    def _deal_in(self, won: ev.HandWon, loser: Seat, way: str) -> None:
        counts = self._counts[loser]
        if won.changes:
            counts[f"{way}_deal_in_points"] -= won.changes[loser]
            counts[f"{way}_deal_ins_paid"] += 1
        if loser in self._dealt_in:
            return
        self._dealt_in.add(loser)
        counts["deal_in_kyoku"] += 1
        if self._has_discarded == loser:
            counts["riichi_tile_deal_ins"] += 1
        elif loser in self._riichi:
            counts["riichi_deal_ins"] += 1
        counts["deal_ins_while_open"] += loser in self._called

    def _draw(self, drawn: ev.KyokuDrawn) -> None:
        self._pay(drawn.changes)
        if drawn.reason is not ev.DrawReason.EXHAUSTED:
            for counts in self._counts:
                counts["aborts"] += 1
            return
        for seat in self._called:
            self._counts[seat]["called_draws"] += 1

    def _pay(self, changes: Sequence[int]) -> None:
        self._are_paid = self._are_paid and bool(changes)
        for seat, change in enumerate(changes):
            self._changes[seat] += change

    def _finish(self) -> None:
        """Count what is known at the end of the kyoku."""
        self._counts[self._dealer]["dealer_kyoku"] += 1
        for seat, counts in enumerate(self._counts):
            if self._are_paid:
                counts["paid_kyoku"] += 1
                counts["balance"] += self._changes[seat]
            if seat in self._riichi and self._are_paid:
                counts["riichi_paid_kyoku"] += 1
                counts["riichi_balance"] += self._changes[seat]
