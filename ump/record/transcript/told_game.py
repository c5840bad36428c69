"""Builds a recorded game from the events that the clients' readers of UMP return.

Some facts are not in UMP's sentences, but follow from others: base points from a payment, a liable player from the
payers, and for 0.2 the scores at the end, and which dora are red or ura.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ump.model.constants import HONBA_POINTS, STICK_POINTS
from ump.model.events import DoraRevealed, Event, GameEnded, GameStarted, HandWon, KyokuDrawn, KyokuStarted, RiichiPaid
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, NORTH, RED_FIVES, Face, dora_of
from ump.model.yaku import Yaku
from ump.record.final_scores import end_of_kyoku
from ump.record.game_builder import GameBuilder
from ump.record.hand_values import exact_yaku, stated_value
from ump.record.kyoku_builder import KyokuBuilder
from ump.record.own_fields import stated_rules, with_own_fields
from ump.record.recorded_game import RecordedGame
from ump.rules.payments import liabilities
from ump.rules.placement import final_points
from ump.rules.ruleset import Ruleset
from ump.wire.json_text import JSON

UNNAMED = " "
"""How an empty name is written, because UMP has no empty words."""

DORA = (Yaku.DORA, Yaku.URA_DORA, Yaku.RED_DORA)


class ToldGame:
    """Collects the events of one game. Use an instance once."""

    def __init__(self, own: JSON, assumed: Ruleset, *, net_changes: bool = False) -> None:
        """Begin a game; ``own`` is the content of our own field, ``assumed`` are the rules if it has none.

        ``net_changes`` says that the payments of a result contain the riichi sticks of the kyoku, as M.LEAGUE has them.
        """
        self._own = own
        self._ruleset = stated_rules(own) or assumed
        self._builder = GameBuilder(stated_rules(own), assumed)
        self._net_changes = net_changes
        self._sticks: Counter[Seat] = Counter()
        """The riichi sticks that each seat has paid in this kyoku, and that are still contained in its payments."""
        self._is_first_win = True
        self._honba = 0

    @property
    def has_kyoku(self) -> bool:
        """Whether a kyoku has begun."""
        return self._builder.has_kyoku

    def add(self, event: Event) -> None:
        """Add an event; raise RecordError if it does not belong here."""
        match event:
            case GameStarted(names):
                event = GameStarted(tuple("" if name == UNNAMED else name for name in names))
            case KyokuStarted():
                self._sticks.clear()
                self._is_first_win, self._honba = True, event.honba
            case RiichiPaid() if self._net_changes:
                self._sticks[event.seat] += 1
            case HandWon():
                event = self._won(replace(event, changes=self._without_sticks(event.changes)))
            case KyokuDrawn():
                event = replace(event, changes=self._without_sticks(event.changes))
        self._builder.add(event)

    def _without_sticks(self, changes: Sequence[int]) -> tuple[int, ...]:
        """Return the payments of a result without the sticks that were paid before."""
        sticks = Counter(self._sticks)
        self._sticks.clear()
        return tuple(change + STICK_POINTS * sticks[seat] for seat, change in enumerate(changes))

    def game(self) -> RecordedGame:
        """Return the game; raise RecordError without a kyoku."""
        game = with_own_fields(self._builder.game(), self._own)
        ended = game.ended
        if ended is None or ended.points:
            return game
        points, kyotaku = end_of_kyoku(game.kyoku[-1])
        return replace(game, ended=GameEnded(final_points(game.ruleset, points, kyotaku), ended.places, ended.results))

    def _won(self, won: HandWon) -> HandWon:
        """Return a win with what follows from its payments and its hand."""
        kyoku, seats = self._builder.kyoku, len(won.changes)
        honba = self._honba if self._is_first_win else 0
        self._is_first_win = False
        paid = -sum(change for change in won.changes if change < 0)
        stated, concealed = won.value, list(won.faces)
        if won.loser is None and won.tile in concealed:
            concealed.remove(won.tile)
        yaku = [(exact_yaku(each, concealed, won.tile, stated.yakuman), han) for each, han in stated.yaku]
        worth = stated_value(
            yaku if stated.yakuman else _with_split_dora(yaku, won, kyoku),
            stated.han,
            stated.fu,
            stated.yakuman,
            paid - honba * HONBA_POINTS * (seats - 1),
            seats=seats,
            is_dealer=won.seat == kyoku.dealer,
            is_tsumo=won.loser is None,
        )
        return replace(won, value=worth, liable=self._liable(won))

    def _liable(self, won: HandWon) -> Seat | None:
        """Return who is liable for a win: who pays without having dealt in, or alone for a tsumo."""
        payers = [seat for seat, change in enumerate(won.changes) if change < 0]
        others = [seat for seat in payers if seat != won.loser]
        if won.loser is not None and others:
            return others[0]
        if won.loser is None and len(payers) == 1:
            return payers[0]
        yaku = {name for name, _ in won.value.yaku}
        melds = self._builder.kyoku.melds[won.seat]
        return next((each.liable for each in liabilities(self._ruleset, melds) if each.yaku in yaku), None)


def _with_split_dora(yaku: Sequence[tuple[Yaku, int]], won: HandWon, kyoku: KyokuBuilder) -> Sequence[tuple[Yaku, int]]:
    """Return the yaku of a win with red and ura dora by themselves, if the hand has as many dora as stated."""
    hand: list[Face] = [*won.faces, *(face for meld in kyoku.melds[won.seat] for face in meld.faces)]
    hand += [] if won.loser is None else [won.tile]
    kinds = [*(KIND_OF[face] for face in hand), *(NORTH,) * won.norths]
    pointed = dora_of(len(won.changes))
    revealed = [event.indicator for event in kyoku.events if isinstance(event, DoraRevealed)]
    counts = (
        won.norths + sum(kinds.count(pointed[indicator]) for indicator in revealed),
        sum(kinds.count(pointed[indicator]) for indicator in won.ura),
        sum(hand.count(red) for red in RED_FIVES),
    )
    if sum(counts) != sum(han for each, han in yaku if each in DORA):
        return yaku
    rest = [(each, han) for each, han in yaku if each not in DORA]
    return [*rest, *((each, count) for each, count in zip(DORA, counts, strict=True) if count)]
