"""One kyoku as a pure state machine: it asks questions, takes answers and emits events.

Until it is over, it is in one of the phases of ``ump.model.phases``, the phase of its open questions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias, assert_never

from ump.game.board import Board
from ump.game.ending import KyokuResult, abort, chombo, exhaust, win
from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
    DeclareTenpai,
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
from ump.model.claims import IllegalAction, Reason
from ump.model.events import (
    DoraRevealed,
    DrawReason,
    Event,
    HandDealt,
    HandOpened,
    KanDeclared,
    KitaDeclared,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    RonDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import Meld, MeldType, place_of_pon
from ump.model.seats import PLAYERS, Seat, seats_from
from ump.model.tiles import FACES, KIND_OF, NORTH, Face, Kind
from ump.rules.call_question import CallQuestion, ChankanQuestion, Rank, Robbed, rank_of
from ump.rules.questions import DeclareQuestion, Question, kuikae_after
from ump.rules.ruleset import KanDoraTime, MultipleRon, Ruleset, Tenpai
from ump.rules.turn_question import TurnQuestion
from ump.rules.wall import Wall

# The decision about a tile that several players may claim


Call: TypeAlias = Chi | Pon | Daiminkan
"""An answer that takes the tile without winning on it."""

_CALLS = (Chi, Pon, Daiminkan)  # isinstance is slow with the union


def _discarded(tsumogiri: bool) -> tuple[tuple[TileDiscarded, ...], ...]:
    """Return the discard of each face by each seat. Events are values: one of each is enough."""
    return tuple(tuple(TileDiscarded(seat, face, tsumogiri) for face in range(FACES)) for seat in range(max(PLAYERS)))


_TSUMOGIRI = _discarded(True)
_FROM_HAND = _discarded(False)


class TileClaims:
    """The answers about one tile, and who gets it.

    Ron goes before pon and kan, and these before chi. Of several rons the nearest to the source comes first.
    """

    __slots__ = (
        "_answers",
        "_board",
        "_wait_for_all",
        "questions",
        "robbing",
        "source",
    )

    def __init__(
        self,
        questions: Mapping[Seat, CallQuestion | ChankanQuestion],
        board: Board,
        source: Seat,
        wait_for_all: bool,
        robbing: Robbed | None = None,
    ) -> None:
        """Wait for these questions. With ``wait_for_all`` no decision is made before the last answer."""
        self.source = source
        """The seat whose tile it is."""
        self.robbing = robbing
        """The declaration whose tile may be robbed; None if the tile is a discard."""
        self._board = board
        self._wait_for_all = wait_for_all
        self.questions = questions
        """All of them, those that are answered included."""
        self._answers: dict[Seat, Action] = {}
        """The answers but for passes."""

    def clone(self, board: Board) -> TileClaims:
        """Return an independent copy at a copy of the board."""
        asked: dict[Seat, CallQuestion | ChankanQuestion] = {}
        for seat, question in self.questions.items():
            asked[seat] = question.clone(board)
        twin = TileClaims(asked, board, self.source, self._wait_for_all, self.robbing)
        twin._answers.update(self._answers)
        return twin

    def take(self, seat: Seat, answer: Action) -> None:
        """Record a legal answer."""
        if not isinstance(answer, Pass):
            self._answers[seat] = answer

    def is_made(self, awaited: Collection[Seat]) -> bool:
        """Tell whether the awaited answers cannot change the outcome."""
        if not awaited:
            return True
        if self._wait_for_all or not self._answers:
            return False
        best = max(map(rank_of, self._answers.values()))
        return not any(self._could_change(best, seat) for seat in awaited)

    def _could_change(self, best: Rank, seat: Seat) -> bool:
        """Tell whether the seat's answer could go before the best answer so far, or win together with it."""
        could = self.questions[seat].rank
        if best is not Rank.RON or could is not Rank.RON:
            return could > best
        return not self._is_head_bump() or self._distance(seat) < self._distance(self.winners()[0])

    def _is_head_bump(self) -> bool:
        return self._board.ruleset.multiple_ron is MultipleRon.HEAD_BUMP

    def _distance(self, seat: Seat) -> int:
        return (seat - self.source) % self._board.seats

    def winners(self) -> tuple[Seat, ...]:
        """Return the seats that win on the tile, the nearest to its source first; with head bump at most one."""
        if not self._answers:  # mostly
            return ()
        rons = [seat for seat, answer in self._answers.items() if isinstance(answer, Ron)]
        rons.sort(key=self._distance)
        return tuple(rons[:1] if self._is_head_bump() else rons)

    def caller(self) -> tuple[Seat, Call] | None:
        """Return the seat that calls the tile, and its call, if nobody wins on it."""
        if not self._answers:  # mostly
            return None
        calls = [(seat, answer) for seat, answer in self._answers.items() if isinstance(answer, _CALLS)]
        if len(calls) < 2:
            return calls[0] if calls else None
        return max(calls, key=lambda call: rank_of(call[1]))


class Kyoku:
    """One kyoku, from the deal to its result."""

    __slots__ = (
        "_ask_all",
        "_decision",
        "_dice",
        "_discard_tile",
        "_drawn",
        "_tenpai",
        "board",
        "questions",
        "result",
    )

    def __init__(
        self,
        ruleset: Ruleset,
        wall: Wall,
        *,
        bakaze: int,
        dealer: Seat,
        honba: int,
        kyotaku: int,
        points: Sequence[int],
        dice: tuple[int, int],
        ask_all: bool,
    ) -> None:
        """Set up a kyoku.

        ``bakaze`` is 0 for east, ``kyotaku`` a number of sticks; ``points`` are by seat. With ``ask_all`` all other
        players are asked about every discard and added kan, even if they can only pass, and the kyoku waits for every
        answer; at an exhausted wall all are asked whether they are tenpai, except players in riichi, who show it. So
        it reveals nothing about hands who is asked.
        """
        self.board = Board(ruleset, wall, bakaze=bakaze, dealer=dealer, honba=honba, kyotaku=kyotaku, points=points)
        self.questions: dict[Seat, Question] = {}
        """The open questions by seat."""
        self.result: KyokuResult | None = None
        """The result; None until the kyoku is over."""
        self._dice = dice
        self._ask_all = ask_all
        self._decision: TileClaims | None = None
        self._drawn: Face = 0
        """The last drawn tile."""
        self._discard_tile: tuple[Seat, Face] = (dealer, 0)
        """The last discard, or the tile of a kan that may be robbed, with its seat first."""
        self._tenpai: dict[Seat, bool] = {}
        """The seats that have declared, and whether they declared tenpai."""

    def clone(self) -> Kyoku:
        """Return an independent copy."""
        twin = Kyoku.__new__(Kyoku)
        twin.board = board = self.board.clone()
        twin.questions = {}
        twin._decision = None
        if self._decision is None:
            for seat, question in self.questions.items():
                twin.questions[seat] = question.clone(board)
        else:
            twin._decision = decision = self._decision.clone(board)
            for seat in self.questions:
                twin.questions[seat] = decision.questions[seat]
        twin.result, twin._dice, twin._ask_all = self.result, self._dice, self._ask_all
        twin._drawn, twin._discard_tile, twin._tenpai = self._drawn, self._discard_tile, self._tenpai.copy()
        return twin

    @property
    def over(self) -> bool:
        """Whether the kyoku has ended."""
        return self.result is not None

    def begin(self) -> list[Event]:
        """Deal, reveal the first indicator and let the dealer draw; return these events."""
        board = self.board
        events: list[Event] = [
            KyokuStarted(board.bakaze, board.dealer, board.honba, board.kyotaku, tuple(board.points), self._dice)
        ]
        for seat in seats_from(board.dealer, board.seats):
            events.append(HandDealt(seat, board.dealt[seat]))
        events.append(DoraRevealed(board.indicators[0]))
        self._draw(board.dealer, events)
        return events

    def answer(self, seat: Seat, action: Action) -> list[Event]:
        """Take a seat's answer to its open question and return what happens.

        Raises IllegalAction, and changes nothing, if the seat has no open question or the action is not legal.
        """
        question = self.questions.get(seat)
        if question is None:
            raise IllegalAction(Reason.NOT_ASKED)
        reason = question.refusal(action)
        if reason is not None:
            raise IllegalAction(reason)
        return self.take(seat, action)

    def take(self, seat: Seat, action: Action) -> list[Event]:
        """Carry out an answer that is known to be legal, and return what happens."""
        events: list[Event] = []
        del self.questions[seat]
        if self._decision is not None:
            self._decision.take(seat, action)
            self._settle(events)
        elif isinstance(action, Discard):  # most answers: the match in _act is slower
            self._discard(seat, action, events)
        else:
            self._act(seat, action, events)
        return events

    def chombo(self, seat: Seat) -> list[Event]:
        """End the kyoku with a foul of this seat, regardless of open questions, and return what happens.

        A riichi whose tile has not passed yet is not paid. Raises ValueError if the kyoku is over.
        """
        if self.over:
            raise ValueError("the kyoku is over")
        events: list[Event] = []
        self._decision = None
        self.questions.clear()
        self.result = chombo(self.board, seat, events)
        return events

    def _act(self, seat: Seat, action: Action, events: list[Event]) -> None:
        """Carry out a legal action on a player's own turn or at an exhausted wall."""
        match action:
            case Discard() | Riichi():
                self._discard(seat, action, events)
            case Ankan():
                self._ankan(seat, action.kind, events)
            case Kakan():
                self._kakan(seat, action.face, events)
            case Kita():
                self._kita(seat, events)
            case Tsumo():
                self.result = win(self.board, (seat,), None, self._drawn, events)
            case KyushuKyuhai():
                self.result = abort(self.board, DrawReason.KYUSHU_KYUHAI, (seat,), events)
            case DeclareTenpai() | DeclareNoten():
                self._say(seat, isinstance(action, DeclareTenpai), events)
                self._declare_next(events)
            case Pass() | Chi() | Pon() | Daiminkan() | Ron():
                raise AssertionError(f"{action} answers a question about a tile, and none is open")
            case _:
                assert_never(action)

    # Drawing and discarding

    def _draw(self, seat: Seat, events: list[Event], rinshan: bool = False) -> None:
        board = self.board
        face = board.wall.draw_rinshan() if rinshan else board.wall.draw()
        board.rinshan = rinshan
        board.players[seat].hand.add(face)
        self._drawn = face
        events.append(TileDrawn(seat, board.wall.left, face, rinshan))
        self.questions[seat] = TurnQuestion(board, seat, face)

    def _discard(self, seat: Seat, action: Discard | Riichi, events: list[Event]) -> None:
        board = self.board
        player = board.players[seat]
        if board.owed_dora:
            self._turn_over(board.due_dora(KanDoraTime.BEFORE_DISCARD), events)
        face = action.face
        player.hand.remove(face)
        if not action.tsumogiri:
            board.renew_waits_after_discard(seat, self._drawn)
        if isinstance(action, Discard):
            board.put_down(seat, face)
            events.append((_TSUMOGIRI if action.tsumogiri else _FROM_HAND)[seat][face])
        else:
            board.put_down(seat, face, True, action.opened)
            events.append(RiichiDeclared(seat, action.opened))
            events.append(TileDiscarded(seat, face, action.tsumogiri, True))
            if action.opened:
                events.append(HandOpened(seat, player.hand.concealed, tuple(player.hand.melds)))
        self._discard_tile = (seat, face)
        self._ask_about(seat, face, events)

    def _ask_about(self, source: Seat, face: Face, events: list[Event]) -> None:
        """Ask the players that can call a discard; continue if there are none."""
        board = self.board
        seats: Sequence[Seat] = board.others[source] if self._ask_all else board.may_call(source, KIND_OF[face])
        if not seats:  # mostly
            self._pass_discard(events)
            return
        asked: dict[Seat, CallQuestion | ChankanQuestion] = {}
        for seat in seats:
            question = CallQuestion(board, seat, face, source)
            if self._ask_all or question.rank:
                asked[seat] = question
        if asked:
            self.questions.update(asked)
            self._decision = TileClaims(asked, board, source, self._ask_all)
        else:
            board.pass_tile(source, face)  # one of them may wait for it, but has no yaku
            self._pass_discard(events)

    def _settle(self, events: list[Event]) -> None:
        """Carry out the best answer as soon as the awaited ones cannot change the outcome."""
        decision = self._decision
        assert decision is not None
        if not decision.is_made(self.questions):
            return
        self._decision = None
        robbing = decision.robbing
        self.questions.clear()
        winners = decision.winners()
        if winners:
            self._ron(winners, events, chankan=robbing is not None and robbing.is_kan)
        elif robbing is not None:
            self._pass_robbing(decision.source, robbing, events)
        else:
            self.board.pass_tile(*self._discard_tile)
            self._pass_discard(events, decision.caller())

    def _pass_discard(self, events: list[Event], caller: tuple[Seat, Call] | None = None) -> None:
        """Go on after a discard without a win: pay for riichi, reveal dora; then abort, or let someone call or draw."""
        board = self.board
        if board.unpaid is not None:
            events.append(RiichiPaid(board.unpaid))
            board.pay_stick(board.unpaid)
        if board.owed_dora:
            self._turn_over(board.due_dora(KanDoraTime.AFTER_DISCARD), events)
        if board.abort_due is not None:
            shown = range(board.seats) if board.abort_due is DrawReason.SUUCHA_RIICHI else ()
            self.result = abort(board, board.abort_due, shown, events)
        elif caller is not None:
            self._call(*caller, events)
        elif board.wall.left:
            self._draw(board.others[self._discard_tile[0]][0], events)
        else:
            self._declare_next(events)

    # Calls and kans

    def _call(self, seat: Seat, call: Call, events: list[Event]) -> None:
        """Carry out a call that has got the tile."""
        match call:
            case Chi():
                self._chi_or_pon(seat, MeldType.CHI, call.own, events)
            case Pon():
                self._chi_or_pon(seat, MeldType.PON, call.own, events)
            case Daiminkan():
                self._daiminkan(seat, events)
            case _:
                assert_never(call)

    def _take(self, seat: Seat, meld: Meld, events: list[Event]) -> None:
        """Lay down a meld made with the last discard."""
        hand = self.board.players[seat].hand
        for face in meld.own:
            hand.remove(face)
        self.board.lay_down(seat, meld)
        events.append(TileCalled(seat, meld))

    def _chi_or_pon(self, seat: Seat, type_: MeldType, own: tuple[Face, Face], events: list[Event]) -> None:
        source, face = self._discard_tile
        meld = Meld(type_, own, face, source)
        self._take(seat, meld, events)
        forbidden = kuikae_after(self.board.ruleset.kuikae, meld)
        self.questions[seat] = TurnQuestion(self.board, seat, None, forbidden)

    def _daiminkan(self, seat: Seat, events: list[Event]) -> None:
        board = self.board
        source, face = self._discard_tile
        kind = KIND_OF[face]
        own = tuple(held for held in board.players[seat].hand.concealed if KIND_OF[held] == kind)
        self._take(seat, Meld(MeldType.DAIMINKAN, own, face, source), events)
        self._turn_over(board.owe_dora(MeldType.DAIMINKAN), events)
        board.renew_waits(seat)
        self._draw(seat, events, True)

    def _ankan(self, seat: Seat, kind: Kind, events: list[Event]) -> None:
        board = self.board
        hand = board.players[seat].hand
        own = tuple(face for face in hand.concealed if KIND_OF[face] == kind)
        for face in own:
            hand.remove(face)
        meld = Meld(MeldType.ANKAN, own)
        board.lay_down(seat, meld)
        events.append(KanDeclared(seat, meld))
        self._discard_tile = (seat, kind)
        self._ask_to_rob(seat, Robbed.CLOSED_KAN, kind, events)

    def _kakan(self, seat: Seat, face: Face, events: list[Event]) -> None:
        board = self.board
        hand = board.players[seat].hand
        place = place_of_pon(hand.melds, KIND_OF[face])
        assert place is not None
        pon = hand.melds[place]
        hand.remove(face)
        meld = Meld(MeldType.KAKAN, pon.own, pon.called, pon.source, face)
        board.lay_down(seat, meld)
        events.append(KanDeclared(seat, meld))
        self._turn_over(board.due_dora(), events)  # before anybody is asked: docs/protocols/README.md, course of a game
        self._discard_tile = (seat, face)
        self._ask_to_rob(seat, Robbed.ADDED_KAN, face, events)

    def _kita(self, seat: Seat, events: list[Event]) -> None:
        """Set a north aside; dora of earlier kans are revealed as with a further kan."""
        board = self.board
        player = board.players[seat]
        player.hand.remove(NORTH)
        player.norths += 1
        events.append(KitaDeclared(seat))
        self._turn_over(board.due_dora(), events)
        self._discard_tile = (seat, NORTH)
        self._ask_to_rob(seat, Robbed.KITA, NORTH, events)

    def _ask_to_rob(self, source: Seat, robbed: Robbed, face: Face, events: list[Event]) -> None:
        """Ask the players that may win on the tile of a kan or kita; continue if there are none."""
        board = self.board
        closed = robbed is Robbed.CLOSED_KAN
        ask_all = self._ask_all and not closed
        may_rob = board.ruleset.kokushi_ankan if closed else True
        asked: dict[Seat, CallQuestion | ChankanQuestion] = {}
        for seat in board.others[source] if may_rob else ():
            if ask_all or KIND_OF[face] in board.players[seat].waits:
                question = ChankanQuestion(board, seat, face, source, robbed)
                if ask_all or question.rank:
                    asked[seat] = question
        if asked:
            if closed:
                self._turn_over(board.due_dora(), events)
            self.questions.update(asked)
            self._decision = TileClaims(asked, board, source, ask_all, robbed)
        else:
            self._pass_robbing(source, robbed, events)

    def _pass_robbing(self, source: Seat, robbed: Robbed, events: list[Event]) -> None:
        """Continue after a kan or kita that nobody has robbed: note who is furiten now, draw the replacement tile."""
        board = self.board
        board.pass_tile(*self._discard_tile, robbed)
        if robbed is Robbed.CLOSED_KAN:
            self._turn_over(board.owe_dora(MeldType.ANKAN) + board.due_dora(), events)
        elif robbed is Robbed.ADDED_KAN:
            self._turn_over(board.owe_dora(MeldType.KAKAN), events)
        board.renew_waits(source)
        self._draw(source, events, True)

    def _turn_over(self, count: int, events: list[Event]) -> None:
        """Reveal so many dora indicators."""
        board = self.board
        for _ in range(count):
            indicator = board.wall.indicator(len(board.indicators))
            board.indicators.append(indicator)
            events.append(DoraRevealed(indicator))

    # Endings

    def _ron(self, winners: Sequence[Seat], events: list[Event], *, chankan: bool) -> None:
        """End the kyoku with one or more rons, or with an abortive draw if the ruleset has three rons abort."""
        source, face = self._discard_tile
        if len(winners) > 2 and self.board.ruleset.multiple_ron is MultipleRon.DOUBLE:
            events.extend(RonDeclared(seat) for seat in winners)
            self.result = abort(self.board, DrawReason.SANCHAHO, winners, events)
        else:
            self.result = win(self.board, winners, source, face, events, chankan=chankan)

    def _declare_next(self, events: list[Event]) -> None:
        """Declare tenpai or noten for each seat, the dealer first; stop to ask a seat that is asked."""
        for seat in seats_from(self.board.dealer, self.board.seats):
            if seat in self._tenpai:
                continue
            if self._is_asked_tenpai(seat):
                self.questions[seat] = DeclareQuestion(self.board, seat, None)
                return
            self._say(seat, self._counts_as_tenpai(seat), events)
        tenpai = [seat for seat, said in self._tenpai.items() if said]
        self.result = exhaust(self.board, tenpai, events)

    def _is_asked_tenpai(self, seat: Seat) -> bool:
        player = self.board.players[seat]
        if self.board.ruleset.tenpai is not Tenpai.DECLARED or player.riichi:
            return False
        return self._ask_all or bool(player.waits)

    def _counts_as_tenpai(self, seat: Seat) -> bool:
        player = self.board.players[seat]
        if self.board.ruleset.tenpai is Tenpai.RIICHI_ONLY:
            return player.riichi > 0
        return bool(player.waits)

    def _say(self, seat: Seat, tenpai: bool, events: list[Event]) -> None:
        hand = self.board.players[seat].hand
        self._tenpai[seat] = tenpai
        events.append(TenpaiDeclared(seat, tenpai, hand.concealed if tenpai else None, tuple(hand.melds)))
