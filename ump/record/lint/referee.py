"""Follows one kyoku of a record move by move, reports every fault, and goes on after it where it can.

The questions of ``ump.rules`` say what is legal. After a fault that leaves a hand uncertain, that hand is unknown, and
nothing more is said about it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ump.model.actions import Action, Ankan, Chi, Daiminkan, Discard, Kakan, Kita, Pon, Riichi
from ump.model.claims import Reason
from ump.model.constants import STICK_POINTS
from ump.model.events import (
    DoraRevealed,
    HandOpened,
    HandWon,
    KanDeclared,
    KitaDeclared,
    KyokuDrawn,
    RiichiDeclared,
    RiichiPaid,
    RonDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import Meld, MeldType
from ump.model.notation import UMP_FACES
from ump.model.seats import LETTERS, Seat, others_after, seat_after
from ump.model.tiles import KIND_OF, NORTH, Face, Kind
from ump.record.lint.dora_order import DoraOrder
from ump.record.lint.findings import Findings, Place, Rule
from ump.record.lint.results import Results
from ump.record.lint.stated_table import StatedTable
from ump.record.lint.statements import Entry, Form, StatedKyoku, Unclear
from ump.rules.call_question import CallQuestion, Robbed, may_rob_closed
from ump.rules.calls import kuikae_after
from ump.rules.ruleset import Ruleset
from ump.rules.turn_question import NONE, TurnQuestion

_RIICHI_REASONS = {Reason.NOT_TENPAI, Reason.NOT_CLOSED, Reason.TOO_FEW_POINTS, Reason.TOO_FEW_TILES}


class Referee:
    """Follows one kyoku. Use an instance once."""

    def __init__(
        self,
        kyoku: StatedKyoku,
        ruleset: Ruleset,
        form: Form,
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
        self.results = Results(self.table, findings, rules_stated=rules_stated, shift=shift)
        self._dora = DoraOrder(ruleset, form.dora, kyoku.listed_dora, findings, self._turn_over)
        self._turn: Seat | None = board.dealer
        """The seat that moves next; None if nobody knows."""
        self._acts = False
        """Whether that seat has its tile, by a draw or a call, and now discards."""
        self._drawn: Face | None = None
        self._forbidden: frozenset[Kind] = NONE
        self._given: tuple[Seat, Face] | None = None
        """The tile that others may call or win on, with the seat that gave it."""
        self._robbed: Robbed | None = None
        """What the given tile was declared for; None for a discard."""
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

    def _take(self, entry: Entry) -> None:
        place, what = entry.place, entry.what
        if self.results.is_over and not isinstance(what, HandWon):
            if not isinstance(what, HandOpened | RonDeclared | TenpaiDeclared) and not self._is_after_end:
                self._is_after_end = True
                self._findings.add(place, Rule.AFTER_END, "the next kyoku", f"{type(what).__name__} after the result")
            return
        match what:
            case TileDrawn():
                self._draw(place, what)
            case TileDiscarded():
                self._discard(place, what)
            case RiichiDeclared():
                self._declare_riichi(place, what)
            case RiichiPaid():
                self._pay_riichi(place, what.seat)
                self.results.compare_points(place, entry.after)
            case TileCalled():
                self._call(place, what.seat, what.meld)
            case KanDeclared():
                self._kan(place, what.seat, what.meld)
            case KitaDeclared():
                self._kita(place, what.seat)
            case DoraRevealed():
                self._dora.revealed(place, what.indicator, after_replacement=self.table.board.rinshan and self._acts)
                self._turn_over(what.indicator, place)
            case HandOpened() | TenpaiDeclared():
                self.results.show(place, what)
            case HandWon():
                self._win(entry, what)
            case KyokuDrawn():
                self._draw_kyoku(entry, what)
            case Unclear():
                self._lose_track(what.seat)
            case _:
                pass

    # Turns

    def _lose_track(self, seat: Seat | None) -> None:
        """Go on after a move that makes no sense."""
        for each in range(self.table.board.seats) if seat is None else (seat,):
            self.table.lose(each)
        self.results.is_lost = self.results.is_lost or seat is None
        self._turn, self._acts, self._given, self._declared = None, False, None, None

    def _expect_act(self, place: Place, seat: Seat, move: str) -> bool:
        """Report a move of a seat that has no tile to give. Return whether it has one."""
        if self._turn is None:
            self._turn, self._acts = seat, True
            return False
        if self._acts and seat == self._turn:
            return True
        found = f"{LETTERS[seat]} {move}"
        if not self._acts and seat == self._turn:
            self._findings.add(place, Rule.MISSING_DRAW, f"a draw of {LETTERS[seat]}", found)
            self._pass_given(place)
            self.table.board.wall.left = max(0, self.table.board.wall.left - 1)
        else:
            verb = "to discard" if self._acts else "to draw"
            self._findings.add(place, Rule.TURN_ORDER, f"{LETTERS[self._turn]} {verb}", found)
            if self._acts:
                self.table.lose(self._turn)
        self._turn, self._acts, self._drawn, self._forbidden = seat, True, None, NONE
        return False

    def _expect_passed(self, place: Place, seat: Seat, move: str) -> None:
        """Report a draw or a call before the player on turn has discarded."""
        if self._turn is not None and self._acts:
            self._findings.add(place, Rule.TURN_ORDER, f"{LETTERS[self._turn]} to discard", f"{LETTERS[seat]} {move}")
            self.table.lose(self._turn)
            self._turn, self._acts = None, False

    def _count(self, place: Place, face: Face, where: str) -> None:
        if self.table.is_one_too_many(face):
            self._findings.add(place, Rule.FIFTH_TILE, f"no further {UMP_FACES[face]}", f"one more, {where}")

    def _turn_over(self, indicator: Face, place: Place | None = None) -> None:
        self.table.board.indicators.append(indicator)
        self._count(place or self._kyoku.place, indicator, "a dora indicator")

    def _pass_given(self, place: Place, *, aborting: bool = False) -> None:
        """Note that nobody has won on the last tile."""
        board = self.table.board
        if self._given is not None:
            source, face = self._given
            for seat in others_after(source, board.seats):
                waits = KIND_OF[face] in board.players[seat].waits
                if waits and (self._robbed is not Robbed.CLOSED_KAN or may_rob_closed(board, seat)):
                    board.note_missed_wait(seat)
            if self._robbed is None:
                self._dora.discard_passed(place)
            else:
                board.interrupt()
        if board.unpaid is not None:
            if self._form.sticks:
                expected = f"{LETTERS[board.unpaid]} pays a riichi stick"
                self._findings.add(place, Rule.STICK, expected, "a move before it")
            self._pay(board.unpaid)
        if board.abort_due is not None and not aborting:
            self._findings.add(place, Rule.DRAW, f"the kyoku is drawn ({board.abort_due.value})", "a further move")
            board.abort_due = None
        self._given, self._robbed, self._stick_paid = None, None, False

    # Draws and discards

    def _draw(self, place: Place, event: TileDrawn) -> None:
        board, seat, face = self.table.board, event.seat, event.face
        self._expect_passed(place, seat, "draws")
        if self._turn is not None and seat != self._turn:
            self._findings.add(place, Rule.TURN_ORDER, f"{LETTERS[self._turn]} to draw", f"{LETTERS[seat]} draws")
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
        self._turn, self._acts, self._drawn, self._forbidden = seat, True, face, NONE

    def _discard(self, place: Place, event: TileDiscarded) -> None:
        table, board, seat, face = self.table, self.table.board, event.seat, event.face
        if not self._expect_act(place, seat, f"discards {UMP_FACES[face]}"):
            if event.tsumogiri:
                board.players[seat].hand.add(face)
                self._drawn = face
            else:
                table.lose(seat)
        self._dora.before_discard(place)
        riichi = self._declared == seat
        tsumogiri = self._tsumogiri(place, event)
        action = Riichi(face, tsumogiri, self._is_open) if riichi else Discard(face, tsumogiri)
        self._judge_discard(place, seat, action)
        player = board.players[seat]
        if table.known[seat] and not player.hand.faces[face]:
            table.lose(seat)
        table.give(seat, (face,))
        if not tsumogiri:
            table.renew_waits(seat)
        player.ippatsu = player.temporary_furiten = False
        player.rinshan_from = None
        if riichi:
            player.riichi = player.riichi or (2 if board.is_first_turn(seat) else 1)
            player.opened, player.ippatsu, board.unpaid = self._is_open, True, seat
        player.river.append(face)
        player.discarded.add(KIND_OF[face])
        board.abort_due = board.abort_reason(KIND_OF[face], riichi=riichi)
        self._declared, self._drawn, self._acts = None, None, False
        self._given, self._robbed, self._turn = (seat, face), None, seat_after(seat, board.seats)
        self._stick_paid = False

    def _tsumogiri(self, place: Place, event: TileDiscarded) -> bool:
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

    def _judge_discard(self, place: Place, seat: Seat, action: Discard | Riichi) -> None:
        reason = self._refusal(seat, action)
        riichi = isinstance(action, Riichi)
        name = UMP_FACES[action.face]
        found = f"{LETTERS[seat]} {'declares riichi with' if riichi else 'discards'} {name}"
        match reason:
            case None:
                pass
            case Reason.NOT_HELD:
                held = _names(list(self.table.player(seat).hand.concealed))
                self._findings.add(place, Rule.NOT_HELD, f"a tile of {held}", found)
            case Reason.KUIKAE:
                kinds = " and ".join(UMP_FACES[kind] for kind in sorted(self._forbidden))
                self._findings.add(place, Rule.KUIKAE, f"after this call any tile but {kinds}", found)
            case Reason.IN_RIICHI if not riichi:
                drawn = "the drawn tile" if self._drawn is None else f"{UMP_FACES[self._drawn]}, the drawn tile"
                self._findings.add(place, Rule.IN_RIICHI, drawn, found)
                self.table.player(seat).riichi = 0  # one finding is enough
            case _:
                self._findings.add(place, Rule.RIICHI, "no riichi", f"{found}: {reason.value}")

    def _refusal(self, seat: Seat, action: Action) -> Reason | None:
        """Return why an action on a player's turn is not legal; of an unknown hand, only what is certain."""
        table = self.table
        question = TurnQuestion(table.board, seat, self._drawn, self._forbidden)
        if table.known[seat]:
            try:
                return question.refusal(action)
            except ValueError:  # a hand of a wrong size
                table.lose(seat)
        if isinstance(action, Discard | Riichi) and KIND_OF[action.face] in self._forbidden:
            return Reason.KUIKAE
        if isinstance(action, Riichi) and table.player(seat).riichi:
            return Reason.IN_RIICHI
        player = table.player(seat)
        if isinstance(action, Discard) and player.riichi and self._drawn is not None and action.face != self._drawn:
            return Reason.IN_RIICHI
        return None

    # Riichi

    def _declare_riichi(self, place: Place, event: RiichiDeclared) -> None:
        seat = event.seat
        if self._turn is not None and (seat != self._turn or not self._acts):
            rule = Rule.MISSING_DRAW if seat == self._turn else Rule.TURN_ORDER
            verb = "to discard" if self._acts else "to draw"
            self._findings.add(place, rule, f"{LETTERS[self._turn]} {verb}", f"{LETTERS[seat]} declares riichi")
            self._lose_track(seat)
            self._turn, self._acts = seat, True
        if self._declared is not None:
            expected = f"the discard of {LETTERS[self._declared]}"
            self._findings.add(place, Rule.RIICHI, expected, f"{LETTERS[seat]} declares riichi again")
        self._declared, self._is_open = seat, event.opened

    def _pay_riichi(self, place: Place, seat: Seat) -> None:
        board = self.table.board
        if board.unpaid == seat:
            self._pay(seat)
            self._stick_paid = True
            return
        found = f"{LETTERS[seat]} pays a riichi stick"
        player = board.players[seat]
        if player.riichi:
            self._findings.add(place, Rule.STICK, "one stick for each riichi", f"{found} again")
            return
        self._findings.add(place, Rule.MISSING_RIICHI, f"a declaration of riichi by {LETTERS[seat]}", found)
        player.riichi = 1
        self._pay(seat)

    def _pay(self, seat: Seat) -> None:
        board = self.table.board
        board.points[seat] -= STICK_POINTS
        board.kyotaku += 1
        board.unpaid = None

    # Calls and kans

    def _call(self, place: Place, seat: Seat, meld: Meld) -> None:
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
                place, Rule.NOT_HELD, f"tiles that {LETTERS[seat]} holds", f"{found} with {_names(missing)}"
            )
        table.lay_down(seat, meld)
        board.rinshan = False
        self._turn, self._acts, self._drawn = seat, not meld.is_kan, None
        self._forbidden = NONE if meld.is_kan else kuikae_after(table.ruleset.kuikae, meld)
        if meld.is_kan:
            board.players[seat].rinshan_from = source
            self._rinshan = True
            self._dora.kan(place, meld)
            table.renew_waits(seat)

    def _callable(self) -> str:
        if self._given is None or self._robbed is not None:
            return "no call: nothing was discarded"
        source, face = self._given
        return f"a call of {UMP_FACES[face]} of {LETTERS[source]}, if any"

    def _judge_call(self, place: Place, seat: Seat, source: Seat, meld: Meld, found: str) -> None:
        assert meld.called is not None
        question = CallQuestion(self.table.board, seat, meld.called, source)
        action: Action
        match meld.type:
            case MeldType.CHI:
                first, second = sorted(meld.own, key=lambda face: KIND_OF[face])
                action = Chi((first, second))
            case MeldType.PON:
                action = Pon((meld.own[0], meld.own[1]))
            case _:
                action = Daiminkan()
        reason = question.refusal(action)
        if reason is Reason.NOT_HELD:  # the tiles are checked one by one
            reason = Reason.IN_RIICHI if self.table.player(seat).riichi else None
        if reason is not None:
            self._findings.add(place, Rule.CALL, "no such call", f"{found}: {reason.value}")

    def _kan(self, place: Place, seat: Seat, meld: Meld) -> None:
        table = self.table
        added = meld.added
        found = f"{LETTERS[seat]} declares a kan of {_named(meld.own[0] if added is None else added)}"
        if not self._expect_act(place, seat, "declares a kan"):
            table.lose(seat)
        self._dora.before_move(place)
        reason = self._refusal(seat, Ankan(meld.kind) if added is None else Kakan(added))
        if reason is not None and reason is not Reason.NOT_HELD:
            self._findings.add(place, Rule.KAN, "no such kan", f"{found}: {reason.value}")
        missing = table.give(seat, meld.own if added is None else (added,))
        if missing:
            self._findings.add(
                place, Rule.NOT_HELD, f"tiles that {LETTERS[seat]} holds", f"{found} with {_names(missing)}"
            )
        elif reason is Reason.NOT_HELD:
            self._findings.add(place, Rule.KAN, f"a pon of {_named(added)} before it", found)
        table.lay_down(seat, meld)
        table.renew_waits(seat)
        self._dora.kan(place, meld)
        robbed = Robbed.CLOSED_KAN if added is None else Robbed.ADDED_KAN
        self._give_up(seat, meld.kind if added is None else added, robbed)

    def _kita(self, place: Place, seat: Seat) -> None:
        table, board = self.table, self.table.board
        found = f"{LETTERS[seat]} sets a north aside"
        if not self._expect_act(place, seat, "sets a north aside"):
            table.lose(seat)
        self._dora.before_move(place)
        reason = self._refusal(seat, Kita())
        if reason is not None:
            self._findings.add(place, Rule.KAN, "no north set aside", f"{found}: {reason.value}")
        table.give(seat, (NORTH,))
        board.players[seat].norths += 1
        table.renew_waits(seat)
        self._dora.kita(place)
        self._give_up(seat, NORTH, Robbed.KITA)

    def _give_up(self, seat: Seat, face: Face, robbed: Robbed) -> None:
        """Note a tile that others may rob; the replacement draw comes next."""
        self._given, self._robbed = (seat, face), robbed
        self._turn, self._acts, self._drawn, self._rinshan = seat, False, None, True

    # Results

    def _win(self, entry: Entry, won: HandWon) -> None:
        place = entry.place
        if won.loser is None:
            if not self.results.is_over and not self._expect_act(place, won.seat, "wins by tsumo"):
                self.table.lose(won.seat)
            if not self.results.is_over and self._drawn is not None and self._drawn != won.tile:
                found = f"a win on {UMP_FACES[won.tile]}"
                self._findings.add(place, Rule.CALL_SOURCE, f"a win on {UMP_FACES[self._drawn]}, the drawn tile", found)
        else:
            self._ron(place, won, won.loser)
        chankan = self._robbed is not None and self._robbed.is_kan
        self.results.win(entry, won, drawn=self._drawn, robbed=self._robbed, chankan=chankan)

    def _ron(self, place: Place, won: HandWon, loser: Seat) -> None:
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

    def _draw_kyoku(self, entry: Entry, drawn: KyokuDrawn) -> None:
        board = self.table.board
        due = board.abort_due
        if not self._acts:
            self._pass_given(entry.place, aborting=True)
        self.results.draw(entry, drawn, turn=self._turn if self._acts else None, tile=self._drawn, due=due)


def _named(face: Face | None) -> str:
    return "nothing" if face is None else UMP_FACES[face]


def _names(faces: list[Face]) -> str:
    return "".join(UMP_FACES[face] for face in faces)
