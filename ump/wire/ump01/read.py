"""The client's side: from the server's lines to events and questions.

UMP spreads some events over several sentences. The reader holds what may still go on and gives the event out with the
sentence that shows that it is complete: a win after its last ``point``, a shown hand when it is known what it was for.

What the wire does not carry is not there: a win's base points and liability (0 and None), whether a riichi is open
until the hand is shown (never, in ``RiichiDeclared``), places and results at the end of a game (empty). The source of
a call and the replacement draw after a kan are gathered from what went before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ump.model.actions import Action, DeclareNoten, DeclareTenpai, Discard, Pass, Riichi
from ump.model.constants import STICK_POINTS, YAKUMAN_HAN
from ump.model.events import (
    DoraRevealed,
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KyokuDrawn,
    KyokuEnded,
    KyokuStarted,
    RiichiDeclared,
    RiichiPaid,
    RonDeclared,
    TenpaiDeclared,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.melds import Meld, MeldType
from ump.model.notation import NotationError, format_ump_faces
from ump.model.notation.tables import meld_of
from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import WINDS, Face, sort_faces
from ump.model.yaku import HandValue, Yaku
from ump.wire.sentence import Sentence
from ump.wire.text import MAX_WRITTEN, WireError, quoted
from ump.wire.ump01 import questions, server_messages
from ump.wire.ump01.client_events import (
    AnswerRefused,
    ByeReceived,
    ClientEvent,
    ErrorReceived,
    HelloReceived,
    PlayersWaiting,
    QuestionAsked,
    ReadyAsked,
    SeatAssigned,
)
from ump.wire.ump01.server_messages import Call
from ump.wire.ump01.vocabulary import SERVER_NAMED, read_sentence
from ump.wire.ump01.words import parse_shown

MAX_LINE = MAX_WRITTEN + 16
"""Characters of the longest line that is read: a sentence with its id."""

MAX_HELD = 24
"""Sentences of one event: a win has two, five ura indicators, its value, and a change for each seat."""

MAX_MELDS = 4

_OF_A_SEAT = (
    server_messages.Point,
    server_messages.Haipai,
    server_messages.Tsumo,
    server_messages.Sutehai,
    server_messages.Say,
    server_messages.Open,
    server_messages.Agari,
)
"""Sentences about one of those who play."""

_CALL_TYPES = {Call.CHI: MeldType.CHI, Call.PON: MeldType.PON, Call.KAN: MeldType.DAIMINKAN}
_WINS = (Call.RON, Call.TSUMO)


class Reader:
    """Reads one connection's lines, from the hello on."""

    def __init__(self) -> None:
        self._seats = len(LETTERS)
        self._held: list[Sentence] = []
        """Sentences of an event that may still go on."""
        self._clear()

    def _clear(self) -> None:
        """Forget the kyoku before this one."""
        self._drawn: tuple[Seat, Face | None] | None = None
        """Who has drawn and not discarded yet; None after a discard or a call."""
        self._thrown: tuple[Seat, Face] | None = None
        """The last discard, or the tile of a kan: what a call or a ron takes."""
        self._robbing = False
        """Whether that is the tile of a kan."""
        self._after_kan = False
        """Whether the next draw is a replacement tile."""
        self._unpaid: Seat | None = None
        """Who has declared riichi and not paid yet."""
        self._riichi: set[Seat] = set()
        self._melds: dict[Seat, list[Meld]] = {seat: [] for seat in range(len(LETTERS))}

    def read(self, line: str) -> list[ClientEvent]:
        """Take one line without its end and return what is known by now.

        Raises WireError where a sentence is not of its form, or does not fit what went before, and the line is best
        passed over; sentences that are not known are skipped, and so are empty lines.
        """
        if len(line) > MAX_LINE:
            raise WireError(f"{quoted(line)} is longer than any sentence")
        if not line.strip():
            return []
        number, sentence = read_sentence(SERVER_NAMED, line)
        if sentence is None:
            return []
        return self.take(number, sentence)

    def take(self, number: int, sentence: Sentence) -> list[ClientEvent]:
        """Take one sentence with its id, as ``read`` does."""
        if isinstance(sentence, _OF_A_SEAT) and sentence.seat >= self._seats:
            raise WireError(f"{sentence.NAME} is about a seat that this game does not have")
        heard: list[ClientEvent] = [] if self._goes_on(sentence) else self._release(sentence)
        return heard + _TAKE[type(sentence)](self, sentence, number)

    # Events of several sentences

    def _goes_on(self, sentence: Sentence) -> bool:
        """Tell whether a sentence belongs to the event that is held."""
        if not self._held:
            return False
        first = self._held[0]
        if isinstance(first, server_messages.Say) and len(self._held) == 1:
            return isinstance(sentence, server_messages.Open) and sentence.seat == first.seat
        return isinstance(sentence, _CONTINUED_BY[type(first)])

    def _hold(self, sentence: Sentence, number: int) -> list[ClientEvent]:
        if len(self._held) >= MAX_HELD:
            self._held = []
            raise WireError(f"an event of more than {MAX_HELD} sentences")
        self._held.append(sentence)
        return []

    def _hold_more(self, sentence: Sentence, number: int) -> list[ClientEvent]:
        """Hold a sentence that only goes on with an event."""
        if not self._held:
            raise WireError(f"{sentence.NAME} goes on with nothing")
        return self._hold(sentence, number)

    def _release(self, following: Sentence) -> list[ClientEvent]:
        """Give out the event that is held, if any; what follows tells what a shown hand was for."""
        held, self._held = self._held, []
        match held:
            case [server_messages.KyokuStart() as start, *rest]:
                return [self._kyoku_started(start, rest)]
            case [server_messages.Ryukyoku(reason), *rest]:
                return [KyokuDrawn(reason, self._changes(rest))]
            case [server_messages.Open() as hand]:
                is_tenpai = following == server_messages.Say(hand.seat, Call.TENPAI)
                return [self._tenpai(hand) if is_tenpai else self._opened(hand)]
            case [server_messages.Say(seat, Call.RON)]:
                return [RonDeclared(seat)]
            case [server_messages.Say(seat, Call.RON), server_messages.Open() as hand]:
                return [RonDeclared(seat), self._opened(hand)]
            case [server_messages.Say() as said, server_messages.Open() as hand, *rest] if rest:
                return [self._won(said, hand, rest)]
        return []

    def _kyoku_started(self, start: server_messages.KyokuStart, rest: list[Sentence]) -> Event:
        points = {each.seat: each.points for each in rest if isinstance(each, server_messages.Point)}
        dice = next(((each.first, each.second) for each in rest if isinstance(each, server_messages.Dice)), (1, 1))
        if len(points) != self._seats or start.kyotaku % STICK_POINTS:
            raise WireError(f"a kyoku of {self._seats} begins with {len(points)} scores, {start.kyotaku} on the table")
        scores = tuple(points[seat] for seat in sorted(points))
        sticks = start.kyotaku // STICK_POINTS
        return KyokuStarted(WINDS.index(start.bakaze), start.dealer, start.honba, sticks, scores, dice)

    def _changes(self, held: list[Sentence]) -> tuple[int, ...]:
        changes = [0] * self._seats
        for each in held:
            if isinstance(each, server_messages.Point):
                changes[each.seat] += each.points if each.sign == "+" else -each.points
        return tuple(changes)

    def _opened(self, hand: server_messages.Open) -> Event:
        return HandOpened(hand.seat, parse_shown(hand.tiles)[0], tuple(self._melds[hand.seat]))

    def _tenpai(self, hand: server_messages.Open) -> Event:
        return TenpaiDeclared(hand.seat, True, parse_shown(hand.tiles)[0], tuple(self._melds[hand.seat]))

    def _won(self, said: server_messages.Say, hand: server_messages.Open, rest: list[Sentence]) -> Event:
        worth = next((each for each in rest if isinstance(each, server_messages.Agari)), None)
        faces = parse_shown(hand.tiles)[0]
        taken = self._thrown if said.call is Call.RON else (None, faces[-1]) if faces else None
        if worth is None or taken is None:
            raise WireError(f"a win by {said.call.value} without its tile or its value")
        return HandWon(
            seat=said.seat,
            loser=taken[0],
            tile=taken[1],
            faces=faces,
            melds=tuple(self._melds[said.seat]),
            riichi=said.seat in self._riichi,
            ura=tuple(each.indicator for each in rest if isinstance(each, server_messages.Dora)),
            value=_value(worth),
            changes=self._changes(rest),
        )

    # One method for each sentence

    def _hello(self, sentence: server_messages.Hello, number: int) -> list[ClientEvent]:
        return [HelloReceived(number, sentence.options)]

    def _error(self, sentence: server_messages.Error, number: int) -> list[ClientEvent]:
        return [ErrorReceived(sentence.message)]

    def _gamestart(self, sentence: server_messages.GameStart, number: int) -> list[ClientEvent]:
        self._seats = len(sentence.names)
        return [SeatAssigned(sentence.seat), GameStarted(sentence.names)]

    def _ready(self, sentence: questions.ReadyQuestion, number: int) -> list[ClientEvent]:
        return [ReadyAsked(number, sentence.extras.time)]

    def _kyokustart(self, sentence: server_messages.KyokuStart, number: int) -> list[ClientEvent]:
        if sentence.dealer >= self._seats:
            raise WireError(f"a dealer who is none of {self._seats}")
        self._clear()
        return self._hold(sentence, number)

    def _point(self, sentence: server_messages.Point, number: int) -> list[ClientEvent]:
        if self._held:
            return self._hold(sentence, number)
        if sentence.seat == self._unpaid and sentence.sign == "-":
            self._unpaid = None
            return [RiichiPaid(sentence.seat)]
        return []  # a server may say scores when it likes

    def _haipai(self, sentence: server_messages.Haipai, number: int) -> list[ClientEvent]:
        return [HandDealt(sentence.seat, None if sentence.tiles is None else sort_faces(sentence.tiles))]

    def _dora(self, sentence: server_messages.Dora, number: int) -> list[ClientEvent]:
        return self._hold(sentence, number) if self._held else [DoraRevealed(sentence.indicator)]

    def _tsumo(self, sentence: server_messages.Tsumo, number: int) -> list[ClientEvent]:
        rinshan, self._after_kan = self._after_kan, False
        self._drawn, self._robbing = (sentence.seat, sentence.tile), False
        return [TileDrawn(sentence.seat, sentence.left, sentence.tile, rinshan)]

    def _sutehai_ask(self, sentence: questions.SutehaiQuestion, number: int) -> list[ClientEvent]:
        tile = None if self._drawn is None else self._drawn[1]
        extras = sentence.extras
        offers = None if extras.offers is None else tuple(_as_drawn(offer, tile) for offer in extras.offers)
        return [QuestionAsked(number, Phase.TURN, tile, offers, extras.hand, extras.time)]

    def _sutehai(self, sentence: server_messages.Sutehai, number: int) -> list[ClientEvent]:
        self._drawn, self._thrown, self._robbing = None, (sentence.seat, sentence.tile), False
        riichi = self._unpaid == sentence.seat
        return [TileDiscarded(sentence.seat, sentence.tile, sentence.tsumogiri, riichi)]

    def _naku_ask(self, sentence: questions.NakuQuestion, number: int) -> list[ClientEvent]:
        extras = sentence.extras
        phase = Phase.CHANKAN if self._robbing else Phase.CALL
        offers = None if extras.offers is None else (Pass(), *extras.offers)
        return [QuestionAsked(number, phase, sentence.tile, offers, extras.hand, extras.time)]

    def _tenpai_ask(self, sentence: questions.TenpaiQuestion, number: int) -> list[ClientEvent]:
        return [
            QuestionAsked(number, Phase.DECLARE, None, (DeclareTenpai(), DeclareNoten()), time=sentence.extras.time)
        ]

    def _say(self, sentence: server_messages.Say, number: int) -> list[ClientEvent]:
        match sentence.call:
            case Call.RIICHI:
                self._unpaid = sentence.seat
                self._riichi.add(sentence.seat)
                return [RiichiDeclared(sentence.seat)]
            case Call.NOTEN:
                return [TenpaiDeclared(sentence.seat, False, None, tuple(self._melds[sentence.seat]))]
            case Call.TENPAI:
                return []  # told with the hand that was shown before it
        return self._hold(sentence, number)

    def _open(self, sentence: server_messages.Open, number: int) -> list[ClientEvent]:
        match self._held:
            case [server_messages.Say(_, call)] if call not in _WINS:
                self._held = []
                return [self._meld(sentence, call)]
        return self._hold(sentence, number)

    def _meld(self, shown: server_messages.Open, call: Call) -> Event:
        """A meld is made: on one's own turn a kan, else of the tile that another has thrown."""
        seat, own = shown.seat, sort_faces(parse_shown(shown.tiles)[1])
        if not own:
            raise WireError(f"{shown.serialise()} shows no meld")
        if call is Call.KAN and (shown.claimed is None or (self._drawn is not None and self._drawn[0] == seat)):
            return self._own_kan(seat, own, shown.claimed)
        if self._thrown is None or shown.claimed != self._thrown[1]:
            raise WireError(f"{shown.serialise()} takes a tile that nobody has thrown")
        meld = _laid_down(_CALL_TYPES[call], own, (shown.claimed,), self._thrown[0])
        self._lay_down(seat, meld)
        self._drawn = None
        self._after_kan = call is Call.KAN
        return TileCalled(seat, meld)

    def _own_kan(self, seat: Seat, tiles: tuple[Face, ...], added: Face | None) -> Event:
        """A kan on one's own turn: closed, or a tile added to a pon."""
        if added is None:
            meld = _laid_down(MeldType.ANKAN, tiles, (), None)
            self._lay_down(seat, meld)
        else:
            melds = self._melds[seat]
            pons = [at for at, made in enumerate(melds) if made.type is MeldType.PON and made.faces == tiles]
            if not pons:
                raise WireError("a tile was added to a pon that is not there")
            pon = melds[pons[0]]
            meld = melds[pons[0]] = _laid_down(MeldType.KAKAN, pon.own, (pon.called, added), pon.source)
        self._after_kan = self._robbing = True
        self._thrown = (seat, tiles[0] if added is None else added)
        return KanDeclared(seat, meld)

    def _lay_down(self, seat: Seat, meld: Meld) -> None:
        """Lay down one more meld."""
        if len(self._melds[seat]) >= MAX_MELDS:
            raise WireError(f"more than {MAX_MELDS} melds")
        self._melds[seat].append(meld)

    def _kyokuend(self, sentence: server_messages.KyokuEnd, number: int) -> list[ClientEvent]:
        return [KyokuEnded()]

    def _gameend(self, sentence: server_messages.GameEnd, number: int) -> list[ClientEvent]:
        if len(sentence.points) != self._seats:
            raise WireError(f"a game of {self._seats} ends with {len(sentence.points)} scores")
        return [GameEnded(sentence.points, (), ())]

    def _bye(self, sentence: server_messages.Bye, number: int) -> list[ClientEvent]:
        return [ByeReceived(number)]

    def _illegal(self, sentence: server_messages.Illegal, number: int) -> list[ClientEvent]:
        return [AnswerRefused(sentence.id, sentence.reason)]

    def _waiting(self, sentence: server_messages.Waiting, number: int) -> list[ClientEvent]:
        return [PlayersWaiting(sentence.seated, sentence.needed)]


_CONTINUED_BY: dict[type[Sentence], tuple[type[Sentence], ...]] = {
    server_messages.KyokuStart: (server_messages.Point, server_messages.Dice),
    server_messages.Ryukyoku: (server_messages.Point,),
    server_messages.Open: (),
    server_messages.Say: (server_messages.Dora, server_messages.Agari, server_messages.Point),
}
"""Which sentences go on with the event that begins with each of these; after ``say`` first comes ``open``."""


def _laid_down(wanted: MeldType, own: tuple[Face, ...], picked: tuple[Face | None, ...], source: Seat | None) -> Meld:
    """Return the meld of this type that these tiles make; raises WireError if they make none."""
    others = [face for face in picked if face is not None]
    try:
        meld = meld_of(format_ump_faces((*own, *others)), own, others, source)
    except NotationError as error:
        raise WireError(str(error)) from error
    if meld.type is not wanted:
        raise WireError(f"a {meld.type.value} is no {wanted.value}")
    return meld


def _as_drawn(offer: Action, drawn: Face | None) -> Action:
    """Return an offered discard of a tile like the drawn one as one of the drawn tile, which is always legal then."""
    if isinstance(offer, (Discard, Riichi)) and offer.face == drawn:
        return replace(offer, tsumogiri=True)
    return offer


def _value(worth: server_messages.Agari) -> HandValue:
    """Return what a win is said to be worth, without yaku that are not known here; base points are not said."""
    named = ((_YAKU.get((name, han >= YAKUMAN_HAN)), han) for name, han in worth.yaku)
    yaku = tuple((each, han) for each, han in named if each is not None)
    han = sum(han for _, han in worth.yaku)
    return HandValue(yaku, han, worth.fu, 0 if worth.fu else han // YAKUMAN_HAN, 0)


def _by_name() -> dict[tuple[str, bool], Yaku]:
    """Return the yaku by name, in both languages, and by whether it counts as a yakuman.

    Two pairs share their names: renhou and open riichi are ordinary yaku or yakuman. Their members stand in this
    order, so the later one of a name is the yakuman.
    """
    named: dict[tuple[str, bool], Yaku] = {}
    for yaku in Yaku:
        for name in (yaku.japanese, yaku.romaji):
            named.setdefault((name, False), yaku)
            named[name, True] = yaku
    return named


_YAKU = _by_name()

_TAKE: dict[type[Sentence], Callable[[Reader, Any, int], list[ClientEvent]]] = {
    server_messages.Hello: Reader._hello,
    server_messages.Error: Reader._error,
    server_messages.GameStart: Reader._gamestart,
    questions.ReadyQuestion: Reader._ready,
    server_messages.KyokuStart: Reader._kyokustart,
    server_messages.Point: Reader._point,
    server_messages.Dice: Reader._hold_more,
    server_messages.Haipai: Reader._haipai,
    server_messages.Dora: Reader._dora,
    server_messages.Tsumo: Reader._tsumo,
    questions.SutehaiQuestion: Reader._sutehai_ask,
    server_messages.Sutehai: Reader._sutehai,
    questions.NakuQuestion: Reader._naku_ask,
    server_messages.Say: Reader._say,
    server_messages.Open: Reader._open,
    server_messages.Agari: Reader._hold_more,
    server_messages.Ryukyoku: Reader._hold,
    questions.TenpaiQuestion: Reader._tenpai_ask,
    server_messages.KyokuEnd: Reader._kyokuend,
    server_messages.GameEnd: Reader._gameend,
    server_messages.Bye: Reader._bye,
    server_messages.Illegal: Reader._illegal,
    server_messages.Waiting: Reader._waiting,
}
"""What each sentence does."""
