"""Replay a game of a record move by move on a ``Board``, report every fault, and go on after it as the record does.

The board keeps the state and changes as in a game; the questions of ``ump.rules`` say what is legal. ``Kyoku`` would
deal tiles and ask players by itself, and take legal answers alone. The referee takes what the record states: a move
without its draw, moves of hidden hands, or one that makes no sense. After a fault that leaves a hand uncertain, that
hand is unknown, and nothing more is said about it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ump.game.board import Board, PlayerBoard
from ump.game.ending import KyokuResult, exhaust
from ump.game.game import GameState, succession
from ump.model import actions
from ump.model import events as ev
from ump.model.claims import Reason
from ump.model.melds import Meld, MeldType
from ump.model.notation import UMP_FACES, format_ump_faces
from ump.model.seats import LETTERS, Seat, changed, seat_after
from ump.model.tiles import (
    COPIES,
    FACES,
    KIND_OF,
    KINDS,
    NORTH,
    RED_FIVES,
    WINDS,
    Face,
    Kind,
    faces_of_tiles,
    sort_faces,
    tiles_of,
)
from ump.model.yaku import HandValue, Yaku
from ump.record.findings import (
    DoraPlace,
    FilePlace,
    Findings,
    FormatStatements,
    Rule,
    StatedEntry,
    StatedGame,
    StatedKyoku,
    Unclear,
)
from ump.record.game_builder import AT_THE_END
from ump.record.physical_tiles import payment
from ump.record.recorded_game import Stated
from ump.record.replay import describe
from ump.record.text import round_word
from ump.rules.call_question import CallQuestion, ChankanQuestion, Robbed
from ump.rules.payments import win_changes
from ump.rules.placement import final_points, placement
from ump.rules.questions import kuikae_after
from ump.rules.ruleset import KanDoraTime, MultipleRon, RonExtras, Ruleset, Tenpai
from ump.rules.turn_question import NONE, TurnQuestion
from ump.rules.wall import Wall

# The table of one kyoku, as the linter believes it to be: a board whose hands may become unknown


class StatedTable:
    """The board of a kyoku, the hands that are known, and the tiles that have turned up."""

    def __init__(self, kyoku: StatedKyoku, ruleset: Ruleset, *, rules_stated: bool) -> None:
        """Deal the stated hands. The wall of the board is made up: nothing but its length is ever read."""
        started, seats = kyoku.started, ruleset.seats
        self.ruleset = ruleset
        self.board = Board(
            ruleset,
            Wall(tiles_of(seats), ruleset.red_fives, seats),
            bakaze=started.bakaze,
            dealer=started.dealer,
            honba=started.honba,
            kyotaku=started.kyotaku,
            points=started.points,
        )
        self.board.indicators = [kyoku.indicator]
        self.known = [True] * seats
        """Whether the concealed tiles of each seat are known."""
        self._faces = [0] * FACES
        self._kinds = [0] * KINDS
        self._most = _copies(ruleset) if rules_stated else [COPIES] * FACES
        if not rules_stated:
            for red, count in zip(RED_FIVES, ruleset.red_fives, strict=True):
                self._most[red] = max(1, count)
        players = []
        for seat, hand in enumerate(kyoku.hands):
            players.append(self.board.players[seat] if hand is None else PlayerBoard(hand, ruleset.own_copies))
        self.board.players = tuple(players)
        for seat, hand in enumerate(kyoku.hands):
            if hand is None:
                self.lose(seat)

    def player(self, seat: Seat) -> PlayerBoard:
        """Return a player's part of the board."""
        return self.board.players[seat]

    def lose(self, seat: Seat) -> None:
        """Take the hand of a seat for unknown from now on."""
        self.known[seat] = False
        player = self.player(seat)
        player.waits, player.tenpai_draws = frozenset(), 0

    def renew_waits(self, seat: Seat) -> None:
        """Update the waits of a known hand that holds no drawn tile."""
        if self.known[seat]:
            self.board.renew_waits(seat)

    def is_one_too_many(self, face: Face) -> bool:
        """Count a tile that turns up, and tell whether it is the first one more than the game has."""
        kind = KIND_OF[face]
        self._faces[face] += 1
        self._kinds[kind] += 1
        return self._faces[face] == self._most[face] + 1 or self._kinds[kind] == COPIES + 1

    def give(self, seat: Seat, faces: Iterable[Face]) -> list[Face]:
        """Take tiles from a hand; return those that a known hand does not hold, after which it is unknown."""
        hand, missing = self.player(seat).hand, list[Face]()
        for face in faces:
            if hand.faces[face]:
                hand.remove(face)
            elif self.known[seat]:
                missing.append(face)
        if missing:
            self.lose(seat)
        return missing


def _copies(ruleset: Ruleset) -> list[int]:
    """Return how many tiles of each face the rules have."""
    faces = faces_of_tiles(ruleset.red_fives)
    counts = [0] * FACES
    for tile in tiles_of(ruleset.seats):
        counts[faces[tile]] += 1
    return counts


# The times at which kans reveal their dora indicators, and the indicators that a record reveals


PATIENCE = 3
"""The number of draws that a format which states the indicators nearby may pass before one of them is missing."""


class DoraReferee:
    """Compares the indicators that a record reveals with those that are due on the board."""

    def __init__(
        self,
        board: Board,
        place: DoraPlace,
        listed: Sequence[Face],
        findings: Findings,
        reveal: Callable[[Face], None],
    ) -> None:
        """Begin a kyoku. ``reveal`` takes each indicator of ``listed`` when it is due."""
        self._board = board
        self._place = place
        self._listed = deque(listed)
        self._findings = findings
        self._reveal = reveal
        self._due = 0
        """Indicators to be revealed before the next move."""
        self._late = 0
        """Indicators that are overdue."""
        self._draws = 0
        """Draws since an indicator is overdue."""

    def kan(self, meld: Meld) -> None:
        """Note a kan; any but an open one reveals the indicators of earlier kans, too."""
        earlier = 0 if meld.type is MeldType.DAIMINKAN else self._board.due_dora()
        self.fall_due(earlier + self._board.owe_dora(meld.type))

    def fall_due(self, count: int) -> None:
        """Expect so many indicators, or reveal them from the list of the record, if it has one."""
        self._due += count
        while self._due and self._listed:
            self._due -= 1
            self._reveal(self._listed.popleft())

    def before_discard(self, place: FilePlace) -> None:
        """Note a discard that comes next."""
        self.before_move(place)
        self.fall_due(self._board.due_dora(KanDoraTime.BEFORE_DISCARD))
        self.before_move(place)

    def before_move(self, place: FilePlace) -> None:
        """Report the indicators that should have been revealed before this move."""
        if not self._due:
            return
        if self._place is not DoraPlace.NEARBY:
            self._findings.add(place, Rule.DORA, "the dora indicator of a kan", "a move before it")
        self._late += self._due
        self._due = self._draws = 0

    def draw(self, place: FilePlace) -> None:
        """Note a draw: an indicator that is overdue for too long is missing."""
        self._draws += 1
        if self._late and self._place is DoraPlace.NEARBY and self._draws == PATIENCE:
            self._findings.add(place, Rule.DORA, "the dora indicator of a kan", "further draws without it")

    def revealed(self, place: FilePlace, indicator: Face, *, after_replacement: bool) -> None:
        """Note an indicator that the record reveals; ``after_replacement``: the last move was a replacement draw."""
        board, time = self._board, self._board.ruleset.open_kan_dora
        if self._late:
            self._late -= 1
        elif self._due:
            self._due -= 1
        elif board.owed_dora:
            board.owed_dora -= 1
            is_right = time is KanDoraTime.BEFORE_DISCARD and after_replacement
            if not is_right and self._place is DoraPlace.IN_PLACE:
                self._findings.add(place, Rule.DORA, f"the indicator of this kan {_TIMES[time]}", "it comes earlier")
        else:
            self._findings.add(place, Rule.DORA, "no dora indicator without a kan", f"indicator {UMP_FACES[indicator]}")

    def end(self, place: FilePlace) -> None:
        """Report listed indicators that nothing has revealed."""
        if len(self._listed) > self._board.owed_dora:
            expected, found = "one dora indicator, and one for each kan", f"{len(self._listed)} more indicators"
            self._findings.add(place, Rule.DORA, expected, found)


_TIMES = {
    KanDoraTime.AT_ONCE: "before the next move",
    KanDoraTime.BEFORE_DISCARD: "after the replacement draw",
    KanDoraTime.AFTER_DISCARD: "after the discard",
}


# Results: wins, draws, shown hands and payments


_RIICHI = frozenset((Yaku.RIICHI, Yaku.DOUBLE_RIICHI, Yaku.OPEN_RIICHI))

_SAME_NAME = {
    Yaku.SUUANKOU_TANKI: Yaku.SUUANKOU,
    Yaku.KOKUSHI_13: Yaku.KOKUSHI,
    Yaku.JUNSEI_CHUUREN: Yaku.CHUUREN,
    Yaku.RENHOU_YAKUMAN: Yaku.RENHOU,
    Yaku.OPEN_RIICHI_YAKUMAN: Yaku.OPEN_RIICHI,
    Yaku.HATSU: Yaku.HAKU,
    Yaku.CHUN: Yaku.HAKU,
}
"""Yaku that share a name in some format; they are not told apart."""


class ResultReferee:
    """The result of one kyoku."""

    def __init__(
        self, table: StatedTable, findings: Findings, *, rules_stated: bool, shift: Sequence[int] = ()
    ) -> None:
        """Begin a kyoku; ``shift`` is what its first scores lack to the right ones, if that is reported already."""
        self._shift = shift or (0,) * table.board.seats
        self._table = table
        self._findings = findings
        self._rules_stated = rules_stated
        self._winners: list[Seat] = []
        self._loser: Seat | None = None
        self._honba, self._sticks = table.board.honba, 0
        self._tenpai: dict[Seat, bool] = {}
        self.right: list[tuple[int, ...]] = []
        """The scores after the kyoku by our count, where it differs from that of the record."""
        self.is_lost = False
        """Whether a part of the moves is missing, so that sticks and the wall are unknown."""
        self.is_unpaid = False
        """Whether the record does not state the payments, so that nobody knows the scores."""
        self.result: KyokuResult | None = None
        """The result as the record states it."""

    @property
    def is_over(self) -> bool:
        """Whether the kyoku has a result."""
        return self.result is not None

    def compare_points(self, place: FilePlace, stated: Sequence[int] | None) -> None:
        """Compare scores that the record states along with an event."""
        points = self._table.board.points
        if stated is None or list(stated) == points or self.is_lost:
            return
        shifted = tuple(changed(points, self._shift))
        if tuple(stated) not in (*self.right, shifted):
            self._findings.add(place, Rule.CARRIED_SCORE, f"scores {tuple(points)}", f"scores {tuple(stated)}")
            points[:] = stated  # one finding is enough

    def show(self, place: FilePlace, shown: ev.HandOpened | ev.TenpaiDeclared) -> None:
        """Compare a hand that is shown, and note a declaration of tenpai."""
        seat = shown.seat
        if isinstance(shown, ev.TenpaiDeclared):
            self._tenpai[seat] = shown.tenpai
            if shown.tenpai and self._table.known[seat] and not self._table.player(seat).waits:
                self._findings.add(place, Rule.TENPAI, f"{LETTERS[seat]} noten", f"{LETTERS[seat]} tenpai")
        if shown.faces is not None:
            self._compare_hand(place, seat, shown.faces)

    def _compare_hand(self, place: FilePlace, seat: Seat, shown: Sequence[Face]) -> None:
        held = self._table.player(seat).hand.concealed
        if self._table.known[seat] and sort_faces(shown) != held:
            who = LETTERS[seat]
            self._findings.add(place, Rule.SHOWN_HAND, f"{who} shows {_text(held)}", f"{who} shows {_text(shown)}")

    # Wins

    def win(self, entry: StatedEntry, won: ev.HandWon, *, asked: TurnQuestion | None, robbed: Robbed | None) -> None:
        """Check a win, and pay it as the record states it; a tsumo answers the question ``asked``."""
        place, board, stated = entry.place, self._table.board, entry.stated or Stated()
        if stated.unknown_yaku is not None:
            self._findings.add(place, Rule.WRONG_VALUE, "yaku that the format has", stated.unknown_yaku)
        if not self._may_follow(place, won):
            return
        self._compare_stated(place, stated)
        if not self._winners:
            self._sticks = board.kyotaku
        refused = self._refuse(place, won, asked, robbed)
        if self._table.known[won.seat]:
            if won.faces:
                self._compare_hand(place, won.seat, won.faces)
            self._compare_ura(place, won)
        is_unknown = refused or not self._table.known[won.seat] or (not won.ura and self._ura_count(won))
        value = None if is_unknown else self._value(won, robbed)
        if value is not None:
            self._compare_value(place, won, value, stated)
        if won.changes and not self.is_lost:
            self._check_payment(place, won, value, stated)
        self.is_unpaid = self.is_unpaid or self.is_lost or not won.changes
        self._settle(won.changes)
        self.compare_points(place, entry.after)
        self._winners.append(won.seat)
        self._loser = won.loser
        self._honba = self._honba if self._is_each else 0
        self._sticks = board.kyotaku = 0
        dealer_wins = board.dealer in self._winners
        self.result = KyokuResult(tuple(self._winners), None, dealer_wins, tuple(board.points), 0)

    def _may_follow(self, place: FilePlace, won: ev.HandWon) -> bool:
        """Report a win that cannot stand beside the result before it."""
        if not self.is_over:
            return True
        found = f"{LETTERS[won.seat]} wins"
        if self._winners and won.loser is not None and won.loser == self._loser and won.seat not in self._winners:
            if self._table.ruleset.multiple_ron is MultipleRon.HEAD_BUMP and self._rules_stated:
                self._findings.add(place, Rule.WIN, "one winner", f"{found}, too")
            return True
        self._findings.add(place, Rule.AFTER_END, "the next kyoku", f"{found} after the result")
        return False

    def _compare_stated(self, place: FilePlace, stated: Stated) -> None:
        board = self._table.board
        self.compare_points(place, stated.points)
        if self._winners or self.is_lost:
            return
        for name, count, ours in (("honba", stated.honba, board.honba), ("sticks", stated.kyotaku, board.kyotaku)):
            if count is not None and count != ours:
                self._findings.add(place, Rule.CARRIED_ROUND, f"{name} {ours}", f"{name} {count}")

    def _refuse(self, place: FilePlace, won: ev.HandWon, asked: TurnQuestion | None, robbed: Robbed | None) -> bool:
        """Report a win that the rules do not allow; return whether they do not."""
        table, seat = self._table, won.seat
        if not table.known[seat]:
            return False
        reason: Reason | None
        try:
            if won.loser is None:
                assert asked is not None
                reason = asked.refusal(actions.Tsumo())
            elif robbed is None:
                reason = CallQuestion(table.board, seat, won.tile, won.loser).refusal(actions.Ron())
            else:
                reason = ChankanQuestion(table.board, seat, won.tile, won.loser, robbed).refusal(actions.Ron())
        except ValueError:  # a hand of a wrong size
            table.lose(seat)
            return True
        if reason is Reason.NO_YAKU and _has_riichi(won.value):
            self._report_missing_riichi(place, seat)
        elif reason is not None:
            found = f"{LETTERS[seat]} wins on {UMP_FACES[won.tile]}: {reason.value}"
            self._findings.add(place, Rule.WIN, "no win", found)
        return reason is not None

    def _report_missing_riichi(self, place: FilePlace, seat: Seat) -> None:
        who = LETTERS[seat]
        self._findings.add(place, Rule.MISSING_RIICHI, f"a declaration of riichi by {who}", f"{who} wins with riichi")

    def _value(self, won: ev.HandWon, robbed: Robbed | None) -> HandValue | None:
        """Return the value of the hand by our rules; None if it has none."""
        board, chankan = self._table.board, robbed is not None and robbed.is_kan
        try:
            return board.value_of(won.seat, won.tile, won.loser, chankan=chankan, ura=won.ura)
        except ValueError:
            return None

    def _ura_count(self, won: ev.HandWon) -> int:
        """Return how many ura indicators count for a win."""
        board, rules = self._table.board, self._table.ruleset
        count = (len(board.indicators) if rules.kan_ura else 1) if rules.ura_dora else 0
        return count if board.players[won.seat].riichi else 0

    def _compare_ura(self, place: FilePlace, won: ev.HandWon) -> None:
        """Compare the number of ura indicators; a record that has none does not state them."""
        expected = self._ura_count(won)
        if won.ura and len(won.ura) != expected:
            self._findings.add(place, Rule.URA, f"{expected} ura indicators", f"{len(won.ura)}: {_text(won.ura)}")

    def _compare_value(self, place: FilePlace, won: ev.HandWon, ours: HandValue, stated: Stated) -> None:
        given = won.value
        if _has_riichi(given) and not self._table.player(won.seat).riichi:
            self._report_missing_riichi(place, won.seat)
            return
        board = self._table.board
        worth = payment(board.ruleset, ours, won.seat, won.loser, board.dealer)
        pairs = list(_value_differences(given, ours))
        if stated.worth is not None and stated.worth != worth:
            pairs.append((f"points {worth}", f"points {stated.worth}"))
        if won.liable is not None:
            liable = [each.liable for each in board.pao(won.seat, tsumo=won.loser is None)]
            if won.liable not in liable:
                pairs.append(("nobody liable", f"{LETTERS[won.liable]} liable"))
        if pairs:
            expected, found = map(", ".join, zip(*pairs, strict=True))
            self._findings.add(place, Rule.WIN_VALUE, expected, found)

    def _check_payment(self, place: FilePlace, won: ev.HandWon, ours: HandValue | None, stated: Stated) -> None:
        board = self._table.board
        values = [] if ours is None else [ours]
        if won.value.base and stated.worth is not None:
            values.append(won.value)
        pao = board.pao(won.seat, tsumo=won.loser is None)
        right = []
        for value in values:
            for sticks in self._sticks_of(won):
                changes = win_changes(
                    board.ruleset,
                    value,
                    winner=won.seat,
                    loser=won.loser,
                    dealer=board.dealer,
                    honba=self._honba,
                    kyotaku=sticks,
                    pao=pao,
                )
                right.append(changes)
        if right and won.changes not in right:
            self._findings.add(place, Rule.PAYMENT, f"payments {right[0]}", f"payments {won.changes}")
            self._note_right(right[0])

    @property
    def _is_each(self) -> bool:
        return self._table.ruleset.ron_extras is RonExtras.EACH

    def _sticks_of(self, won: ev.HandWon) -> Sequence[int]:
        """Return how many sticks a winner may get: that depends on the winners after it, of which each has its own."""
        if not self._is_each:
            return (self._sticks,)
        if self._winners:
            return (int(self._table.player(won.seat).riichi > 0),)
        board = self._table.board
        others = sum(
            player.riichi > 0 for seat, player in enumerate(board.players) if seat not in (won.seat, won.loser)
        )
        return tuple(self._sticks - own for own in range(others + 1))

    def _note_right(self, changes: Sequence[int]) -> None:
        """Keep the scores that follow from the right payments: the next kyoku may begin with either."""
        self.right.append(tuple(changed(self._table.board.points, changes)))

    def _settle(self, changes: Sequence[int]) -> None:
        board = self._table.board
        if changes:
            board.points[:] = changed(board.points, changes)

    # Draws

    def draw(
        self, entry: StatedEntry, drawn: ev.KyokuDrawn, *, asked: TurnQuestion | None, due: ev.DrawReason | None
    ) -> None:
        """Check a draw, and pay it as the record states it.

        ``asked`` is the question on the turn of a seat, None after a discard; ``due`` is the reason for a draw that the
        last discard has given.
        """
        place, board, stated = entry.place, self._table.board, entry.stated or Stated()
        self._compare_stated(place, stated)
        if self.is_lost:
            self._settle(drawn.changes)
            self.is_unpaid = True
            self.result = KyokuResult((), drawn.reason, False, tuple(board.points), board.kyotaku)
            return
        if drawn.reason in AT_THE_END:
            if board.left or asked is not None:
                missing = f"{board.left} tiles left"
                if asked is not None and not board.left:
                    missing = f"{LETTERS[asked.seat]} to discard"
                self._findings.add(place, Rule.DRAW, f"a further move, {missing}", drawn.reason.value)
                self._settle(drawn.changes)
                self.result = KyokuResult((), drawn.reason, False, tuple(board.points), board.kyotaku)
                self.is_unpaid = True
                return
            self._exhaust(place, drawn)
            self.compare_points(place, entry.after)
            return
        refused = self._refuse_draw(drawn.reason, asked, due)
        if refused:
            self._findings.add(place, Rule.DRAW, refused, drawn.reason.value)
        if any(drawn.changes) and drawn.reason is not ev.DrawReason.CHOMBO:
            self._findings.add(place, Rule.PAYMENT, "no payments", f"payments {drawn.changes}")
        self._settle(drawn.changes)
        self.is_unpaid = not drawn.changes
        self.compare_points(place, entry.after)
        stays = drawn.reason is not ev.DrawReason.CHOMBO
        self.result = KyokuResult((), drawn.reason, stays, tuple(board.points), board.kyotaku)

    def _refuse_draw(self, reason: ev.DrawReason, asked: TurnQuestion | None, due: ev.DrawReason | None) -> str:
        """Return what should stand instead of an abortive draw; nothing if it is right."""
        match reason:
            case ev.DrawReason.KYUSHU_KYUHAI:
                if asked is None:
                    return "a draw before nine terminals are declared"
                refusal = asked.refusal(actions.KyushuKyuhai()) if self._table.known[asked.seat] else None
                return "" if refusal is None else f"no nine terminals of {LETTERS[asked.seat]} ({refusal.value})"
            case ev.DrawReason.SANCHAHO | ev.DrawReason.CHOMBO:
                return ""
            case _:
                if due is None:
                    return "a further move"
                return "" if due is reason else due.value

    def _exhaust(self, place: FilePlace, drawn: ev.KyokuDrawn) -> None:
        board = self._table.board
        before = list(board.points)
        tenpai = self._tenpai_seats(drawn)
        self._compare_silent(place)
        events: list[ev.Event] = []
        result = exhaust(board, tenpai, events)
        ours = events[-1]
        assert isinstance(ours, ev.KyokuDrawn)
        board.points[:] = before
        if ours.reason is not drawn.reason and not self._is_unclear():
            self._findings.add(place, Rule.DRAW, ours.reason.value, drawn.reason.value)
        elif not drawn.changes:
            self.is_unpaid = True
        elif ours.changes != drawn.changes and not (self._is_unclear() and drawn.reason is not ev.DrawReason.EXHAUSTED):
            self._findings.add(place, Rule.PAYMENT, f"payments {ours.changes}", f"payments {drawn.changes}")
            self._note_right(ours.changes)
        self._settle(drawn.changes)
        self.result = replace(result, points=tuple(board.points))

    def _is_unclear(self) -> bool:
        """Tell whether a move made no sense, so that a river may be incomplete."""
        return not all(self._table.known)

    def _tenpai_seats(self, drawn: ev.KyokuDrawn) -> list[Seat]:
        if self._tenpai:
            return [seat for seat, tenpai in self._tenpai.items() if tenpai]
        seats = range(self._table.board.seats)
        tenpai = [seat for seat in seats if self._table.player(seat).waits]
        if drawn.reason is ev.DrawReason.NAGASHI_MANGAN or not drawn.changes:
            return tenpai
        paid = [seat for seat, change in enumerate(drawn.changes) if change > 0]
        return tenpai if not paid and len(tenpai) == len(seats) else paid

    def _compare_silent(self, place: FilePlace) -> None:
        """Report players that are tenpai and have declared noten, where the rules give no choice."""
        if self._table.ruleset.tenpai is not Tenpai.AUTOMATIC:
            return
        for seat, said in self._tenpai.items():
            if self._table.known[seat] and self._table.player(seat).waits and not said:
                self._findings.add(place, Rule.TENPAI, f"{LETTERS[seat]} tenpai", f"{LETTERS[seat]} noten")


def _has_riichi(given: HandValue) -> bool:
    return any(yaku in _RIICHI for yaku, _ in given.yaku)


def _value_differences(given: HandValue, ours: HandValue) -> Iterator[tuple[str, str]]:
    """Yield where a stated value differs: expected and found. What the record leaves out is not compared."""
    if not given.yaku and not given.han:
        return
    if given.yaku and _named_yaku(given) != _named_yaku(ours):
        yield f"yaku {describe(ours.yaku, 'yaku')}", f"yaku {describe(given.yaku, 'yaku')}"
    elif given.han and given.yakuman == 0 == ours.yakuman and given.han != ours.han:
        yield f"han {ours.han}", f"han {given.han}"
    if given.fu and not ours.yakuman and given.fu != ours.fu:
        yield f"fu {ours.fu}", f"fu {given.fu}"


def _named_yaku(value: HandValue) -> list[tuple[str, int]]:
    """Return the yaku of a value in an order of their own; the han of yakuman depend on the format."""
    return sorted((_SAME_NAME.get(yaku, yaku).name, 0 if value.yakuman else han) for yaku, han in value.yaku)


def _text(faces: Sequence[Face]) -> str:
    return format_ump_faces(faces) or "nothing"


# Moves


class KyokuReferee:
    """Follows one kyoku. Use an instance once."""

    def __init__(
        self,
        kyoku: StatedKyoku,
        ruleset: Ruleset,
        form: FormatStatements,
        findings: Findings,
        *,
        rules_stated: bool,
        shift: Sequence[int] = (),
    ) -> None:
        """Deal the hands of the kyoku; ``shift`` is what its first scores lack to the right ones."""
        self._kyoku = kyoku
        self._form = form
        self._findings = findings
        self.table = StatedTable(kyoku, ruleset, rules_stated=rules_stated)
        board = self.table.board
        self.results = ResultReferee(self.table, findings, rules_stated=rules_stated, shift=shift)
        self._dora = DoraReferee(board, form.dora, kyoku.listed_dora or (), findings, self._turn_over)
        self._turn: Seat | None = board.dealer
        """The seat that moves next; None if nobody knows."""
        self._asked: TurnQuestion | None = None
        """The question to that seat, which has drawn or called; None if it draws next."""
        self._given: tuple[Seat, Face] | None = None
        """The tile that others may call or win on, with the seat that gave it."""
        self._robbed: Robbed | None = None
        """The declaration of the given tile; None for a discard."""
        self._rinshan = False
        """Whether the next draw is a replacement tile."""
        self._declared: Seat | None = None
        """The seat that has declared riichi and not discarded yet."""
        self._is_open = False
        self._is_after_end = False
        """Whether a move after the result is reported already."""
        self._stick_paid = False
        """Whether the stick for the given tile has just been paid by an event of its own."""
        for seat, hand in enumerate(kyoku.hands):
            for face in hand or ():
                self._count(kyoku.place, face, f"the hand of {LETTERS[seat]}")
        self._count(kyoku.place, kyoku.indicator, "the dora indicator")

    def run(self, *, is_last: bool) -> None:
        """Follow all entries of the kyoku; the last one of a record (``is_last``) may stop before its result."""
        last = self._kyoku.place
        for entry in self._kyoku.entries:
            self._take(entry)
            last = entry.place
        if self.results.is_over:
            self._dora.end(last)
        elif not self._kyoku.is_cut and not is_last:
            self._findings.add(last, Rule.RESULT, "the result of the kyoku", "the end of its entries")

    def _take(self, entry: StatedEntry) -> None:
        board, place, what = self.table.board, entry.place, entry.what
        if self.results.is_over and not isinstance(what, ev.HandWon):
            if not isinstance(what, ev.HandOpened | ev.RonDeclared | ev.TenpaiDeclared) and not self._is_after_end:
                self._is_after_end = True
                self._findings.add(place, Rule.AFTER_END, "the next kyoku", f"{type(what).__name__} after the result")
            return
        match what:
            case ev.TileDrawn():
                self._draw(place, what)
            case ev.TileDiscarded():
                self._discard(place, what)
            case ev.RiichiDeclared():
                self._declare_riichi(place, what)
            case ev.RiichiPaid():
                self._pay_riichi(place, what.seat)
                self.results.compare_points(place, entry.after)
            case ev.TileCalled():
                self._call(place, what.seat, what.meld)
            case ev.KanDeclared():
                self._kan(place, what.seat, what.meld)
            case ev.KitaDeclared():
                self._kita(place, what.seat)
            case ev.DoraRevealed():
                self._dora.revealed(place, what.indicator, after_replacement=self._asked is not None and board.rinshan)
                self._turn_over(what.indicator, place)
            case ev.HandOpened() | ev.TenpaiDeclared():
                self.results.show(place, what)
            case ev.HandWon():
                self._win(entry, what)
            case ev.KyokuDrawn():
                self._draw_kyoku(entry, what)
            case Unclear():
                self._lose_track(what.seat)
            case _:
                pass

    # Turns

    @property
    def _drawn(self) -> Face | None:
        """The tile that the seat on turn has drawn."""
        return None if self._asked is None else self._asked.tile

    def _lose_track(self, seat: Seat | None) -> None:
        """Go on after a move that makes no sense."""
        for each in range(self.table.board.seats) if seat is None else (seat,):
            self.table.lose(each)
        self.results.is_lost = self.results.is_lost or seat is None
        self._turn = self._asked = self._given = self._declared = None

    def _ask(self, seat: Seat, drawn: Face | None = None, forbidden: frozenset[Kind] = NONE) -> None:
        """Expect a move of a seat that has drawn or called."""
        self._turn, self._asked = seat, TurnQuestion(self.table.board, seat, drawn, forbidden)

    def _await_draw(self, seat: Seat) -> None:
        self._turn, self._asked = seat, None

    def _expected(self) -> str:
        """Return the next move of the seat on turn."""
        return f"{LETTERS[self._turn or 0]} {'to draw' if self._asked is None else 'to discard'}"

    def _expect_act(self, place: FilePlace, seat: Seat, move: str) -> bool:
        """Report a move of a seat that has no tile to give. Return whether it has one."""
        if self._turn is None:
            self._ask(seat)
            return False
        if self._asked is not None and seat == self._turn:
            return True
        found = f"{LETTERS[seat]} {move}"
        if seat == self._turn:
            self._findings.add(place, Rule.MISSING_DRAW, f"a draw of {LETTERS[seat]}", found)
            self._pass_given(place)
            self.table.board.wall.left = max(0, self.table.board.wall.left - 1)
        else:
            self._findings.add(place, Rule.TURN_ORDER, self._expected(), found)
            if self._asked is not None:
                self.table.lose(self._turn)
        self._ask(seat)
        return False

    def _expect_passed(self, place: FilePlace, seat: Seat, move: str) -> None:
        """Report a draw or a call before the player on turn has discarded."""
        if self._asked is not None:
            self._findings.add(place, Rule.TURN_ORDER, self._expected(), f"{LETTERS[seat]} {move}")
            self.table.lose(self._asked.seat)
            self._turn = self._asked = None

    def _count(self, place: FilePlace, face: Face, where: str) -> None:
        if self.table.is_one_too_many(face):
            self._findings.add(place, Rule.FIFTH_TILE, f"no further {UMP_FACES[face]}", f"one more, {where}")

    def _turn_over(self, indicator: Face, place: FilePlace | None = None) -> None:
        self.table.board.indicators.append(indicator)
        self._count(place or self._kyoku.place, indicator, "a dora indicator")

    def _pass_given(self, place: FilePlace, *, aborting: bool = False) -> None:
        """Note that nobody has won on the last tile."""
        board = self.table.board
        if self._given is not None:
            board.pass_tile(*self._given, self._robbed)
            if self._robbed is None:
                self._dora.fall_due(board.due_dora(KanDoraTime.AFTER_DISCARD))
        if board.unpaid is not None:
            if self._form.sticks:
                expected = f"{LETTERS[board.unpaid]} pays a riichi stick"
                self._findings.add(place, Rule.STICK, expected, "a move before it")
            board.pay_stick(board.unpaid)
        if board.abort_due is not None and not aborting:
            self._findings.add(place, Rule.DRAW, f"the kyoku is drawn ({board.abort_due.value})", "a further move")
            board.abort_due = None
        self._given, self._robbed, self._stick_paid = None, None, False

    # Draws and discards

    def _draw(self, place: FilePlace, event: ev.TileDrawn) -> None:
        board, seat, face = self.table.board, event.seat, event.face
        self._expect_passed(place, seat, "draws")
        if self._turn is not None and seat != self._turn:
            self._findings.add(place, Rule.TURN_ORDER, self._expected(), f"{LETTERS[seat]} draws")
        self._pass_given(place)
        self._dora.before_move(place)
        self._dora.draw(place)
        if self._form.marks_replacements and event.rinshan != self._rinshan and self._turn is not None:
            words = ("a draw from the wall", "a replacement draw")
            expected, found = words if event.rinshan else words[::-1]
            self._findings.add(place, Rule.REPLACEMENT, expected, found)
        if board.wall.left == 0:
            self._findings.add(place, Rule.WALL, "no further draw", f"{LETTERS[seat]} draws")
        else:
            board.wall.left -= 1
        board.rinshan, self._rinshan = self._rinshan, False
        if face is None:
            self.table.lose(seat)
        else:
            self._count(place, face, f"a draw of {LETTERS[seat]}")
            board.players[seat].hand.add(face)
        self._ask(seat, face)

    def _discard(self, place: FilePlace, event: ev.TileDiscarded) -> None:
        table, board, seat, face = self.table, self.table.board, event.seat, event.face
        if not self._expect_act(place, seat, f"discards {UMP_FACES[face]}"):
            if event.tsumogiri:
                board.players[seat].hand.add(face)
                self._ask(seat, face)
            else:
                table.lose(seat)
        self._dora.before_discard(place)
        riichi = self._declared == seat
        tsumogiri = self._tsumogiri(place, event)
        action = actions.Riichi(face, tsumogiri, self._is_open) if riichi else actions.Discard(face, tsumogiri)
        self._judge_discard(place, seat, action)
        if table.known[seat] and not board.players[seat].hand.faces[face]:
            table.lose(seat)
        table.give(seat, (face,))
        if not tsumogiri:
            table.renew_waits(seat)
        board.put_down(seat, face, riichi, self._is_open)
        self._given, self._robbed, self._declared, self._stick_paid = (seat, face), None, None, False
        self._await_draw(seat_after(seat, board.seats))

    def _tsumogiri(self, place: FilePlace, event: ev.TileDiscarded) -> bool:
        """Report a wrong mark of tsumogiri, and return the right one."""
        seat, face, drawn = event.seat, event.face, self._drawn
        name = UMP_FACES[face]
        if event.tsumogiri and drawn != face:
            if drawn is not None or self.table.known[seat]:
                drew = "without a draw" if drawn is None else f"after a draw of {UMP_FACES[drawn]}"
                self._findings.add(place, Rule.TSUMOGIRI, f"{name} from the hand", f"{name} tsumogiri {drew}")
            return False
        held = self.table.known[seat] and self.table.player(seat).hand.faces[face]
        if not event.tsumogiri and drawn == face and held == 1:
            self._findings.add(place, Rule.TSUMOGIRI, f"{name} tsumogiri", f"{name} from the hand, which has no other")
            return True
        return event.tsumogiri

    def _judge_discard(self, place: FilePlace, seat: Seat, action: actions.Discard | actions.Riichi) -> None:
        reason = self._refusal(action)
        riichi = isinstance(action, actions.Riichi)
        name = UMP_FACES[action.face]
        found = f"{LETTERS[seat]} {'declares riichi with' if riichi else 'discards'} {name}"
        match reason:
            case None:
                pass
            case Reason.NOT_HELD:
                held = format_ump_faces(self.table.player(seat).hand.concealed)
                self._findings.add(place, Rule.NOT_HELD, f"a tile of {held}", found)
            case Reason.KUIKAE:
                assert self._asked is not None
                kinds = " and ".join(UMP_FACES[kind] for kind in sorted(self._asked.forbidden))
                self._findings.add(place, Rule.KUIKAE, f"after this call any tile but {kinds}", found)
            case Reason.IN_RIICHI if not riichi:
                drawn = "the drawn tile" if self._drawn is None else f"{UMP_FACES[self._drawn]}, the drawn tile"
                self._findings.add(place, Rule.IN_RIICHI, drawn, found)
                self.table.player(seat).riichi = 0  # one finding is enough
            case _:
                self._findings.add(place, Rule.RIICHI, "no riichi", f"{found}: {reason.value}")

    def _refusal(self, action: actions.Action) -> Reason | None:
        """Return why an action on a player's turn is not legal; of an unknown hand, only what is certain."""
        asked, table = self._asked, self.table
        assert asked is not None
        if table.known[asked.seat]:
            try:
                return asked.refusal(action)
            except ValueError:  # a hand of a wrong size
                table.lose(asked.seat)
        if not isinstance(action, actions.Discard | actions.Riichi):
            return None
        if KIND_OF[action.face] in asked.forbidden:
            return Reason.KUIKAE
        keeps_drawn = isinstance(action, actions.Discard) and asked.tile in (None, action.face)
        return Reason.IN_RIICHI if asked.player.riichi and not keeps_drawn else None

    # Riichi

    def _declare_riichi(self, place: FilePlace, event: ev.RiichiDeclared) -> None:
        seat = event.seat
        if self._turn is not None and (seat != self._turn or self._asked is None):
            rule = Rule.MISSING_DRAW if seat == self._turn else Rule.TURN_ORDER
            self._findings.add(place, rule, self._expected(), f"{LETTERS[seat]} declares riichi")
            self._lose_track(seat)
            self._ask(seat)
        if self._declared is not None:
            expected = f"the discard of {LETTERS[self._declared]}"
            self._findings.add(place, Rule.RIICHI, expected, f"{LETTERS[seat]} declares riichi again")
        self._declared, self._is_open = seat, event.opened

    def _pay_riichi(self, place: FilePlace, seat: Seat) -> None:
        board = self.table.board
        if board.unpaid == seat:
            board.pay_stick(seat)
            self._stick_paid = True
            return
        found = f"{LETTERS[seat]} pays a riichi stick"
        player = board.players[seat]
        if player.riichi:
            self._findings.add(place, Rule.STICK, "one stick for each riichi", f"{found} again")
            return
        self._findings.add(place, Rule.MISSING_RIICHI, f"a declaration of riichi by {LETTERS[seat]}", found)
        player.riichi = 1
        board.pay_stick(seat)

    # Calls and kans

    def _call(self, place: FilePlace, seat: Seat, meld: Meld) -> None:
        table, board = self.table, self.table.board
        self._expect_passed(place, seat, f"calls {meld.type.value}")
        given, source = self._given, meld.source
        found = f"{LETTERS[seat]} calls {_named(meld.called)} of {'nobody' if source is None else LETTERS[source]}"
        right = given is not None and given == (source, meld.called) and self._robbed is None and source != seat
        if not right and self._turn is not None:
            self._findings.add(place, Rule.CALL_SOURCE, self._callable(), found)
        elif given is not None and source is not None:
            self._judge_call(place, seat, source, meld, found)
        self._pass_given(place)
        self._dora.before_move(place)
        missing = table.give(seat, meld.own)
        if missing:
            self._findings.add(
                place, Rule.NOT_HELD, f"tiles that {LETTERS[seat]} holds", f"{found} with {format_ump_faces(missing)}"
            )
        board.lay_down(seat, meld)
        board.rinshan = False
        if not meld.is_kan:
            self._ask(seat, None, kuikae_after(table.ruleset.kuikae, meld))
            return
        self._await_draw(seat)
        self._rinshan = True
        self._dora.kan(meld)
        table.renew_waits(seat)

    def _callable(self) -> str:
        if self._given is None or self._robbed is not None:
            return "no call: nothing was discarded"
        source, face = self._given
        return f"a call of {UMP_FACES[face]} of {LETTERS[source]}, if any"

    def _judge_call(self, place: FilePlace, seat: Seat, source: Seat, meld: Meld, found: str) -> None:
        assert meld.called is not None
        question = CallQuestion(self.table.board, seat, meld.called, source)
        action: actions.Action
        match meld.type:
            case MeldType.CHI:
                first, second = sorted(meld.own, key=KIND_OF.__getitem__)
                action = actions.Chi((first, second))
            case MeldType.PON:
                action = actions.Pon((meld.own[0], meld.own[1]))
            case _:
                action = actions.Daiminkan()
        reason = question.refusal(action)
        if reason is Reason.NOT_HELD:  # the tiles are checked one by one
            reason = Reason.IN_RIICHI if self.table.player(seat).riichi else None
        if reason is not None:
            self._findings.add(place, Rule.CALL, "no such call", f"{found}: {reason.value}")

    def _kan(self, place: FilePlace, seat: Seat, meld: Meld) -> None:
        table = self.table
        added = meld.added
        found = f"{LETTERS[seat]} declares a kan of {_named(meld.own[0] if added is None else added)}"
        if not self._expect_act(place, seat, "declares a kan"):
            table.lose(seat)
        self._dora.before_move(place)
        reason = self._refusal(actions.Ankan(meld.kind) if added is None else actions.Kakan(added))
        if reason is not None and reason is not Reason.NOT_HELD:
            self._findings.add(place, Rule.KAN, "no such kan", f"{found}: {reason.value}")
        missing = table.give(seat, meld.own if added is None else (added,))
        if missing:
            self._findings.add(
                place, Rule.NOT_HELD, f"tiles that {LETTERS[seat]} holds", f"{found} with {format_ump_faces(missing)}"
            )
        elif reason is Reason.NOT_HELD:
            self._findings.add(place, Rule.KAN, f"a pon of {_named(added)} before it", found)
        table.board.lay_down(seat, meld)
        table.renew_waits(seat)
        self._dora.kan(meld)
        robbed = Robbed.CLOSED_KAN if added is None else Robbed.ADDED_KAN
        self._give_up(seat, meld.kind if added is None else added, robbed)

    def _kita(self, place: FilePlace, seat: Seat) -> None:
        table, board = self.table, self.table.board
        found = f"{LETTERS[seat]} sets a north aside"
        if not self._expect_act(place, seat, "sets a north aside"):
            table.lose(seat)
        self._dora.before_move(place)
        reason = self._refusal(actions.Kita())
        if reason is not None:
            self._findings.add(place, Rule.KAN, "no north set aside", f"{found}: {reason.value}")
        table.give(seat, (NORTH,))
        board.players[seat].norths += 1
        table.renew_waits(seat)
        self._dora.fall_due(board.due_dora())
        self._give_up(seat, NORTH, Robbed.KITA)

    def _give_up(self, seat: Seat, face: Face, robbed: Robbed) -> None:
        """Note a tile that others may rob; the replacement draw comes next."""
        self._given, self._robbed, self._rinshan = (seat, face), robbed, True
        self._await_draw(seat)

    # Results

    def _win(self, entry: StatedEntry, won: ev.HandWon) -> None:
        place = entry.place
        if won.loser is None:
            if not self.results.is_over and not self._expect_act(place, won.seat, "wins by tsumo"):
                self.table.lose(won.seat)
            if not self.results.is_over and self._drawn is not None and self._drawn != won.tile:
                found = f"a win on {UMP_FACES[won.tile]}"
                self._findings.add(place, Rule.CALL_SOURCE, f"a win on {UMP_FACES[self._drawn]}, the drawn tile", found)
        else:
            self._ron(place, won, won.loser)
        self.results.win(entry, won, asked=self._asked, robbed=self._robbed)

    def _ron(self, place: FilePlace, won: ev.HandWon, loser: Seat) -> None:
        found = f"{LETTERS[won.seat]} wins on {UMP_FACES[won.tile]} of {LETTERS[loser]}"
        given = self._given
        right = given is not None and given[0] == loser and KIND_OF[given[1]] == KIND_OF[won.tile]
        right = right and won.seat != loser and (self._robbed is not None or (given or (0, 0))[1] == won.tile)
        if not right and self._turn is not None:
            expected = "no ron" if given is None else f"a ron on {UMP_FACES[given[1]]} of {LETTERS[given[0]]}"
            self._findings.add(place, Rule.CALL_SOURCE, expected, found)
            self.table.lose(won.seat)
        if self._stick_paid:
            self._findings.add(place, Rule.STICK, "no stick for a riichi whose tile is won on", found)
            self._stick_paid = False
        self.table.board.unpaid = None

    def _draw_kyoku(self, entry: StatedEntry, drawn: ev.KyokuDrawn) -> None:
        board = self.table.board
        due = board.abort_due
        if self._asked is None:
            self._pass_given(entry.place, aborting=True)
        self.results.draw(entry, drawn, asked=self._asked, due=due)


def _named(face: Face | None) -> str:
    return "nothing" if face is None else UMP_FACES[face]


def _kyoku_word(number: int) -> str:
    return f"kyoku {round_word(*divmod(number, len(WINDS)))}"


# The course of the game: scores, wind, dealer, honba, sticks and the end


class GameReferee:
    """Follows one game."""

    def __init__(self, game: StatedGame, findings: Findings) -> None:
        self._game = game
        self._findings = findings
        self._ways: list[tuple[GameState, KyokuResult]] = []
        """The start of the last kyoku with its result: as stated and, where that was wrong, as it should have been."""
        self._right: Sequence[tuple[int, ...]] = ()
        """Scores after the last kyoku that follow from the right payments, where the stated ones are wrong."""

    @property
    def _knows_end(self) -> bool:
        """Whether the record or the user says after which kyoku the game ends."""
        game = self._game
        return (game.rules_stated or game.length_stated) and not game.own_counting

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
        stated = GameState(started.points, started.bakaze, started.dealer, started.honba, started.kyotaku)
        right = self._compare_start(kyoku, stated) or stated
        shift = [ours - theirs for ours, theirs in zip(right.points, stated.points, strict=True)]
        referee = KyokuReferee(
            kyoku, game.ruleset, game.form, self._findings, rules_stated=game.rules_stated, shift=shift
        )
        referee.run(is_last=kyoku is game.kyoku[-1] and game.ended is None)
        results = referee.results
        result = None if results.is_unpaid else results.result
        self._ways, self._right = [], results.right
        if result is None:
            return
        self._ways = [(stated, result)]
        if right != stated:
            points = tuple(changed(result.points, shift))
            sticks = max(0, result.kyotaku + (0 if result.winners else right.kyotaku - stated.kyotaku))
            stays = right.dealer in result.winners if result.winners else result.renchan
            self._ways.append((right, replace(result, points=points, kyotaku=sticks, renchan=stays)))

    def _compare_start(self, kyoku: StatedKyoku, stated: GameState) -> GameState | None:
        """Report a wrong start, and return the right one; None if nobody knows, or if the start is right."""
        place, number = kyoku.place, stated.bakaze * len(WINDS) + stated.dealer
        if kyoku.number is not None and kyoku.number != number:
            self._findings.add(place, Rule.CARRIED_ROUND, _kyoku_word(number), _kyoku_word(kyoku.number))
        ways = [succession(self._game.ruleset, *way) for way in self._ways]
        if not ways:
            return None
        if all(is_over for _, is_over in ways) and self._knows_end:
            self._findings.add(place, Rule.AFTER_END, "the end of the game", "a further kyoku")
            return None
        rights = [after for after, _ in ways]
        for after, _ in ways:
            for points in self._right:
                rights.append(replace(after, points=points))
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

    def _compare_end(self, ended: ev.GameEnded, place: FilePlace) -> None:
        rules = self._game.ruleset
        ways = [succession(rules, *way) for way in self._ways]
        if not ways:
            return
        points_of = {final_points(rules, after.points, after.kyotaku): (after, is_over) for after, is_over in ways}
        standing, is_over = points_of.get(ended.points, ways[0])
        if not is_over and self._knows_end:
            self._findings.add(place, Rule.FINAL_SCORE, "a further kyoku", "the end of the game")
            return
        points = final_points(rules, standing.points, standing.kyotaku)
        rights = [points, *(final_points(rules, right, standing.kyotaku) for right in self._right)]
        if ended.points not in rights and not self._game.own_counting:
            self._findings.add(place, Rule.FINAL_SCORE, f"scores {points}", f"scores {ended.points}")
        if not self._game.rules_stated or self._game.own_counting or rules.chips or points != ended.points:
            return
        places, results = placement(rules, standing.points, standing.kyotaku)
        for name, ours, stated in (("places", places, ended.places), ("results", results, ended.results)):
            if stated and stated != ours and (name == "results" or ended.results):
                self._findings.add(place, Rule.FINAL_SCORE, f"{name} {ours}", f"{name} {stated}")


def _round_of(standing: GameState) -> tuple[int, int, int, int]:
    return standing.bakaze, standing.dealer, standing.honba, standing.kyotaku


def _same(first: GameState, second: GameState) -> bool:
    return _round_of(first) == _round_of(second) and first.points == second.points


def _place_in_game(standing: GameState) -> str:
    wind, dealer, honba, sticks = _round_of(standing)
    return f"{round_word(wind, dealer)}, {LETTERS[dealer]} deals, {honba} honba, {sticks} sticks"
