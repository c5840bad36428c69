"""Checks the result of a kyoku: wins, draws, shown hands and payments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ump.game.ending import KyokuResult, exhaust
from ump.model.actions import KyushuKyuhai, Ron, Tsumo
from ump.model.claims import Reason
from ump.model.events import DrawReason, Event, HandOpened, HandWon, KyokuDrawn, TenpaiDeclared
from ump.model.notation import UMP_FACES
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import Face, sort_faces
from ump.model.yaku import HandValue, Yaku
from ump.record.kyoku_tracker import payment
from ump.record.lint.findings import Findings, Place, Rule
from ump.record.lint.stated_table import StatedTable
from ump.record.lint.statements import Entry
from ump.record.recorded_game import Stated
from ump.rules.call_question import CallQuestion, ChankanQuestion, Robbed
from ump.rules.payments import win_changes
from ump.rules.ruleset import MultipleRon, Tenpai
from ump.rules.turn_question import TurnQuestion

AT_THE_END = frozenset((DrawReason.EXHAUSTED, DrawReason.NAGASHI_MANGAN))
"""Draws at an empty wall."""

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


class Results:
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
        self.outcome: KyokuResult | None = None
        """The result as the record states it."""

    @property
    def is_over(self) -> bool:
        """Whether the kyoku has a result."""
        return self.outcome is not None

    def compare_points(self, place: Place, stated: Sequence[int] | None) -> None:
        """Compare scores that the record states along with an event."""
        points = self._table.board.points
        if stated is None or list(stated) == points or self.is_lost:
            return
        shifted = tuple(score + shift for score, shift in zip(points, self._shift, strict=True))
        if tuple(stated) not in (*self.right, shifted):
            self._findings.add(place, Rule.CARRIED_SCORE, f"scores {tuple(points)}", f"scores {tuple(stated)}")
            points[:] = stated  # one finding is enough

    def show(self, place: Place, shown: HandOpened | TenpaiDeclared) -> None:
        """Compare a hand that is shown, and note a declaration of tenpai."""
        seat = shown.seat
        if isinstance(shown, TenpaiDeclared):
            self._tenpai[seat] = shown.tenpai
            if shown.tenpai and self._table.known[seat] and not self._table.player(seat).waits:
                self._findings.add(place, Rule.TENPAI, f"{LETTERS[seat]} noten", f"{LETTERS[seat]} tenpai")
        if shown.faces is not None:
            self._compare_hand(place, seat, shown.faces)

    def _compare_hand(self, place: Place, seat: Seat, shown: Sequence[Face]) -> None:
        held = self._table.player(seat).hand.concealed
        if self._table.known[seat] and sort_faces(shown) != held:
            who = LETTERS[seat]
            self._findings.add(place, Rule.SHOWN_HAND, f"{who} shows {_text(held)}", f"{who} shows {_text(shown)}")

    # Wins

    def win(self, entry: Entry, won: HandWon, *, drawn: Face | None, robbed: Robbed | None, chankan: bool) -> None:
        """Check a win, and pay it as the record states it."""
        place, board, stated = entry.place, self._table.board, entry.stated or Stated()
        if not self._may_follow(place, won):
            return
        self._compare_stated(place, stated)
        if not self._winners:
            self._sticks = board.kyotaku
        refused = self._refuse(place, won, drawn, robbed)
        if self._table.known[won.seat]:
            if won.faces:
                self._compare_hand(place, won.seat, won.faces)
            self._compare_ura(place, won)
        value = None if refused or not self._table.known[won.seat] else self._value(won, chankan=chankan)
        if value is not None:
            self._compare_value(place, won, value, stated)
        if entry.paid and not self.is_lost:
            self._check_payment(place, won, value, stated)
        self.is_unpaid = self.is_unpaid or self.is_lost or not entry.paid
        self._settle(won.changes)
        self.compare_points(place, entry.after)
        self._winners.append(won.seat)
        self._loser = won.loser
        self._honba = self._sticks = board.kyotaku = 0
        dealer_wins = board.dealer in self._winners
        self.outcome = KyokuResult(tuple(self._winners), None, dealer_wins, tuple(board.points), 0)

    def _may_follow(self, place: Place, won: HandWon) -> bool:
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

    def _compare_stated(self, place: Place, stated: Stated) -> None:
        board = self._table.board
        self.compare_points(place, stated.points)
        if self._winners or self.is_lost:
            return
        for name, count, ours in (("honba", stated.honba, board.honba), ("sticks", stated.kyotaku, board.kyotaku)):
            if count is not None and count != ours:
                self._findings.add(place, Rule.CARRIED_ROUND, f"{name} {ours}", f"{name} {count}")

    def _refuse(self, place: Place, won: HandWon, drawn: Face | None, robbed: Robbed | None) -> bool:
        """Report a win that the rules do not allow; return whether they do not."""
        table, seat = self._table, won.seat
        if not table.known[seat]:
            return False
        reason: Reason | None
        try:
            if won.loser is None:
                reason = TurnQuestion(table.board, seat, drawn).refusal(Tsumo())
            elif robbed is None:
                reason = CallQuestion(table.board, seat, won.tile, won.loser).refusal(Ron())
            else:
                reason = ChankanQuestion(table.board, seat, won.tile, won.loser, robbed).refusal(Ron())
        except ValueError:  # a hand of a wrong size
            table.lose(seat)
            return True
        stated = {yaku for yaku, _ in won.value.yaku}
        if reason is Reason.NO_YAKU and stated & _RIICHI:
            self._report_missing_riichi(place, seat)
        elif reason is not None:
            found = f"{LETTERS[seat]} wins on {UMP_FACES[won.tile]}: {reason.value}"
            self._findings.add(place, Rule.WIN, "no win", found)
        return reason is not None

    def _report_missing_riichi(self, place: Place, seat: Seat) -> None:
        who = LETTERS[seat]
        self._findings.add(place, Rule.MISSING_RIICHI, f"a declaration of riichi by {who}", f"{who} wins with riichi")

    def _value(self, won: HandWon, *, chankan: bool) -> HandValue | None:
        """Return the value of the hand by our rules; the stated riichi counts, even if nobody has declared it."""
        board = self._table.board
        try:
            return board.value_of(won.seat, won.tile, won.loser, chankan=chankan, ura=won.ura)
        except ValueError:
            return None

    def _compare_ura(self, place: Place, won: HandWon) -> None:
        board, rules = self._table.board, self._table.ruleset
        count = (len(board.indicators) if rules.kan_ura else 1) if rules.ura_dora else 0
        expected = count if board.players[won.seat].riichi else 0
        if len(won.ura) != expected:
            self._findings.add(place, Rule.URA, f"{expected} ura indicators", f"{len(won.ura)}: {_text(won.ura)}")

    def _compare_value(self, place: Place, won: HandWon, ours: HandValue, stated: Stated) -> None:
        given = won.value
        names = {yaku for yaku, _ in given.yaku}
        if names & _RIICHI and not self._table.player(won.seat).riichi:
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
            expected, found = (", ".join(side) for side in zip(*pairs, strict=True))
            self._findings.add(place, Rule.WIN_VALUE, expected, found)

    def _check_payment(self, place: Place, won: HandWon, ours: HandValue | None, stated: Stated) -> None:
        board = self._table.board
        values = [] if ours is None else [ours]
        if won.value.base and stated.worth is not None:
            values.append(won.value)
        pao = board.pao(won.seat, tsumo=won.loser is None)
        right = [
            win_changes(
                board.ruleset,
                value,
                winner=won.seat,
                loser=won.loser,
                dealer=board.dealer,
                honba=self._honba,
                kyotaku=self._sticks,
                pao=pao,
            )
            for value in values
        ]
        if right and won.changes not in right:
            self._findings.add(place, Rule.PAYMENT, f"payments {right[0]}", f"payments {won.changes}")
            self._note_right(right[0])

    def _note_right(self, changes: Sequence[int]) -> None:
        """Keep the scores that follow from the right payments: the next kyoku may begin with either."""
        points = self._table.board.points
        self.right.append(tuple(before + change for before, change in zip(points, changes, strict=True)))

    def _settle(self, changes: Sequence[int]) -> None:
        board = self._table.board
        board.points[:] = [points + change for points, change in zip(board.points, changes, strict=True)]

    # Draws

    def draw(
        self, entry: Entry, drawn: KyokuDrawn, *, turn: Seat | None, tile: Face | None, due: DrawReason | None
    ) -> None:
        """Check a draw, and pay it as the record states it.

        ``turn`` is the seat that has its tile ``tile``, None after a discard; ``due`` is the reason for a draw that the
        last discard has given.
        """
        place, board, stated = entry.place, self._table.board, entry.stated or Stated()
        self._compare_stated(place, stated)
        if self.is_lost:
            self._settle(drawn.changes)
            self.is_unpaid = True
            self.outcome = KyokuResult((), drawn.reason, False, tuple(board.points), board.kyotaku)
            return
        if drawn.reason in AT_THE_END:
            if board.left or turn is not None:
                missing = f"{board.left} tiles left" if board.left else f"{LETTERS[turn or 0]} to discard"
                self._findings.add(place, Rule.DRAW, f"a further move, {missing}", drawn.reason.value)
                self._settle(drawn.changes)
                self.outcome = KyokuResult((), drawn.reason, False, tuple(board.points), board.kyotaku)
                self.is_unpaid = True
                return
            self._exhaust(place, drawn, is_paid=entry.paid)
            self.compare_points(place, entry.after)
            return
        refused = self._refuse_draw(drawn.reason, turn, tile, due)
        if refused:
            self._findings.add(place, Rule.DRAW, refused, drawn.reason.value)
        if any(drawn.changes) and drawn.reason is not DrawReason.CHOMBO:
            self._findings.add(place, Rule.PAYMENT, "no payments", f"payments {drawn.changes}")
        self._settle(drawn.changes)
        self.is_unpaid = not entry.paid
        self.compare_points(place, entry.after)
        stays = drawn.reason is not DrawReason.CHOMBO
        self.outcome = KyokuResult((), drawn.reason, stays, tuple(board.points), board.kyotaku)

    def _refuse_draw(self, reason: DrawReason, turn: Seat | None, tile: Face | None, due: DrawReason | None) -> str:
        """Return what should stand instead of an abortive draw; nothing if it is right."""
        match reason:
            case DrawReason.KYUSHU_KYUHAI:
                if turn is None:
                    return "a draw before nine terminals are declared"
                if not self._table.known[turn]:
                    return ""
                refusal = TurnQuestion(self._table.board, turn, tile).refusal(KyushuKyuhai())
                return "" if refusal is None else f"no nine terminals of {LETTERS[turn]} ({refusal.value})"
            case DrawReason.SANCHAHO | DrawReason.CHOMBO:
                return ""
            case _:
                if due is None:
                    return "a further move"
                return "" if due is reason else due.value

    def _exhaust(self, place: Place, drawn: KyokuDrawn, *, is_paid: bool) -> None:
        board = self._table.board
        before = list(board.points)
        tenpai = self._tenpai_seats(drawn)
        self._compare_silent(place)
        events: list[Event] = []
        result = exhaust(board, tenpai, events)
        ours = events[-1]
        assert isinstance(ours, KyokuDrawn)
        board.points[:] = before
        if ours.reason is not drawn.reason and not self._is_unclear():
            self._findings.add(place, Rule.DRAW, ours.reason.value, drawn.reason.value)
        elif not is_paid:
            self.is_unpaid = True
        elif ours.changes != drawn.changes and not (self._is_unclear() and drawn.reason is not DrawReason.EXHAUSTED):
            self._findings.add(place, Rule.PAYMENT, f"payments {ours.changes}", f"payments {drawn.changes}")
            self._note_right(ours.changes)
        self._settle(drawn.changes)
        self.outcome = replace(result, points=tuple(board.points))

    def _is_unclear(self) -> bool:
        """Tell whether a move made no sense, so that a river may be incomplete."""
        return not all(self._table.known)

    def _tenpai_seats(self, drawn: KyokuDrawn) -> list[Seat]:
        if self._tenpai:
            return [seat for seat, tenpai in self._tenpai.items() if tenpai]
        seats = range(self._table.board.seats)
        if drawn.reason is DrawReason.NAGASHI_MANGAN:
            return [seat for seat in seats if self._table.player(seat).waits]
        paid = [seat for seat in seats if drawn.changes[seat] > 0]
        tenpai = [seat for seat in seats if self._table.player(seat).waits]
        return tenpai if not paid and len(tenpai) == len(seats) else paid

    def _compare_silent(self, place: Place) -> None:
        """Report players that are tenpai and have declared noten, where the rules give no choice."""
        if self._table.ruleset.tenpai is not Tenpai.AUTOMATIC:
            return
        for seat, said in self._tenpai.items():
            if self._table.known[seat] and self._table.player(seat).waits and not said:
                self._findings.add(place, Rule.TENPAI, f"{LETTERS[seat]} tenpai", f"{LETTERS[seat]} noten")


def _value_differences(given: HandValue, ours: HandValue) -> Iterator[tuple[str, str]]:
    """Yield where a stated value differs: expected and found. What the record leaves out is not compared."""
    if not given.yaku and not given.han:
        return
    if given.yaku and _named(given) != _named(ours):
        yield f"yaku {_listed(ours)}", f"yaku {_listed(given)}"
    elif given.han and given.yakuman == 0 == ours.yakuman and given.han != ours.han:
        yield f"han {ours.han}", f"han {given.han}"
    if given.fu and not ours.yakuman and given.fu != ours.fu:
        yield f"fu {ours.fu}", f"fu {given.fu}"


def _named(value: HandValue) -> list[tuple[str, int]]:
    """Return the yaku of a value in an order of their own; the han of yakuman depend on the format."""
    return sorted((_SAME_NAME.get(yaku, yaku).name, 0 if value.yakuman else han) for yaku, han in value.yaku)


def _listed(value: HandValue) -> str:
    return " ".join(f"{yaku.romaji} {han}" for yaku, han in value.yaku) or "none"


def _text(faces: Sequence[Face]) -> str:
    return "".join(UMP_FACES[face] for face in faces) or "nothing"
