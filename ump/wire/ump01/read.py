"""The client's side: from the server's lines to events and questions.

UMP spreads some events over several sentences. The reader holds what may still go on and gives the event out with the
sentence that shows that it is complete: a win after its last ``point``, a shown hand when it is known what it was for.

What the wire does not carry is not there: a win's base points and liability (0 and None), places and results at the
end of a game (empty). The source of a call and the replacement draw after a kan are gathered from what went before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ump.model.actions import Pass
from ump.model.events import (
    DoraRevealed,
    DrawReason,
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
from ump.model.notation import NotationError, parse_ump_faces
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, WINDS, Face, sort_faces
from ump.model.yaku import HandValue, Yaku
from ump.wire.sentence import Sentence
from ump.wire.text import MAX_LINE, WireError, words_of
from ump.wire.ump01 import server
from ump.wire.ump01.asks import NakuAsk, SutehaiAsk
from ump.wire.ump01.heard import Asked, Dismissed, Failed, Greeted, Heard, ReadyAsked, Refused, Seated, Waited
from ump.wire.ump01.render import STICK

YAKUMAN_HAN = 13

SENTENCES: tuple[type[Sentence], ...] = (
    server.Hello,
    server.Error,
    server.GameStart,
    server.ReadyAsk,
    server.KyokuStart,
    server.Point,
    server.Dice,
    server.Haipai,
    server.Dora,
    server.Tsumo,
    SutehaiAsk,
    server.Sutehai,
    NakuAsk,
    server.Say,
    server.Open,
    server.Agari,
    server.Ryukyoku,
    server.TenpaiAsk,
    server.KyokuEnd,
    server.GameEnd,
    server.Bye,
    server.Illegal,
    server.Waiting,
)
"""Everything that a server may say."""

_NAMED: dict[str, type[Sentence]] = {sentence.NAME: sentence for sentence in SENTENCES}

_CALL_TYPES = {"chi": MeldType.CHI, "pon": MeldType.PON}


class Reader:
    """Reads one connection's lines, from the hello on."""

    def __init__(self) -> None:
        self._seats = 4
        self._held: list[Sentence] = []
        """Sentences of an event that may still go on."""
        self._drawn: tuple[Seat, Face | None] | None = None
        """Who has drawn and not discarded yet; None after a discard or a call."""
        self._thrown: tuple[Seat, Face] | None = None
        """The last discard, or the tile that is added to a kan: what a call or a ron takes."""
        self._robbing = False
        """Whether that is the tile of a kan."""
        self._after_kan = False
        """Whether the next draw is a replacement tile."""
        self._unpaid: Seat | None = None
        """Who has declared riichi and not paid yet."""
        self._riichi: set[Seat] = set()
        self._melds: dict[Seat, list[Meld]] = {}

    def read(self, line: str) -> list[Heard]:
        """Take one line without its end and return what is known by now.

        Raises WireError where a sentence is not of its form; sentences that are not known are skipped.
        """
        words = words_of(line[: MAX_LINE + 1])
        if not words:
            return []
        if not (words[0].isascii() and words[0].isdigit() and len(words[0]) <= 9) or len(line) > MAX_LINE:
            raise WireError(f"{line[:80]!r} does not begin with an id")
        sentence_type = _NAMED.get(words[1]) if len(words) > 1 else None
        if sentence_type is None:
            return []
        sentence = sentence_type.parse(words[2:])
        heard: list[Heard] = []
        if self._held and not self._goes_on(sentence):
            heard += self._release(sentence)
        heard += _TAKE[sentence_type](self, sentence, int(words[0]))
        return heard

    # Events of several sentences

    def _goes_on(self, sentence: Sentence) -> bool:
        """Tell whether a sentence belongs to the event that is held."""
        return isinstance(sentence, _CONTINUED_BY[type(self._held[0])])

    def _release(self, following: Sentence) -> list[Heard]:
        """Give out the event that is held; what follows tells what a shown hand was for."""
        held, self._held = self._held, []
        first = held[0]
        if isinstance(first, server.KyokuStart):
            return [self._kyoku_started(held)]
        if isinstance(first, server.Ryukyoku):
            return [KyokuDrawn(_reason(first), self._changes(held))]
        if isinstance(first, server.Open):
            return self._shown(first, following)
        if isinstance(first, server.Say) and len(held) > 1:
            return [self._won(first, held)]
        assert isinstance(first, server.Say)
        return [RonDeclared(first.seat)]

    def _kyoku_started(self, held: list[Sentence]) -> Event:
        start = held[0]
        assert isinstance(start, server.KyokuStart)
        points = {each.seat: each.points for each in held if isinstance(each, server.Point)}
        dice = next(((each.first, each.second) for each in held if isinstance(each, server.Dice)), (1, 1))
        bakaze = WINDS.index(start.bakaze) if start.bakaze in WINDS else 0
        scores = tuple(points.get(seat, 0) for seat in range(self._seats))
        return KyokuStarted(bakaze, start.dealer, start.honba, start.kyotaku // STICK, scores, dice)

    def _changes(self, held: list[Sentence]) -> tuple[int, ...]:
        changes = [0] * self._seats
        for each in held:
            if isinstance(each, server.Point) and each.seat < self._seats:
                changes[each.seat] += each.points if each.sign == "+" else -each.points
        return tuple(changes)

    def _shown(self, hand: server.Open, following: Sentence) -> list[Heard]:
        """A hand was shown: before ``tenpai`` it belongs to that, otherwise it stands for itself."""
        faces, melds = _concealed(hand), tuple(self._melds.get(hand.seat, ()))
        if isinstance(following, server.Say) and following.call == "tenpai" and following.seat == hand.seat:
            return [TenpaiDeclared(hand.seat, True, faces, melds)]
        return [HandOpened(hand.seat, faces, melds)]

    def _won(self, said: server.Say, held: list[Sentence]) -> Event:
        hand = next((each for each in held if isinstance(each, server.Open)), None)
        worth = next((each for each in held if isinstance(each, server.Agari)), None)
        faces = () if hand is None else _concealed(hand)
        loser, tile = (None, faces[-1]) if said.call == "tsumo" and faces else self._thrown or (None, 0)
        return HandWon(
            said.seat,
            loser,
            tile,
            faces,
            tuple(self._melds.get(said.seat, ())),
            said.seat in self._riichi,
            tuple(each.indicator for each in held if isinstance(each, server.Dora)),
            _value(worth),
            self._changes(held),
        )

    # One method for each sentence

    def _hello(self, sentence: server.Hello, number: int) -> list[Heard]:
        return [Greeted(number, sentence.options)]

    def _error(self, sentence: server.Error, number: int) -> list[Heard]:
        return [Failed(sentence.message)]

    def _gamestart(self, sentence: server.GameStart, number: int) -> list[Heard]:
        self._seats = len(sentence.names)
        return [Seated(sentence.seat), GameStarted(sentence.names)]

    def _ready(self, sentence: server.ReadyAsk, number: int) -> list[Heard]:
        return [ReadyAsked(number)]

    def _hold(self, sentence: Sentence, number: int) -> list[Heard]:
        self._held.append(sentence)
        return []

    def _kyokustart(self, sentence: server.KyokuStart, number: int) -> list[Heard]:
        self._melds, self._riichi = {}, set()
        self._drawn = self._thrown = self._unpaid = None
        self._robbing = self._after_kan = False
        return self._hold(sentence, number)

    def _point(self, sentence: server.Point, number: int) -> list[Heard]:
        if self._held:
            return self._hold(sentence, number)
        if sentence.seat == self._unpaid and sentence.sign == "-":
            self._unpaid = None
            return [RiichiPaid(sentence.seat)]
        return []

    def _dice(self, sentence: server.Dice, number: int) -> list[Heard]:
        return self._hold(sentence, number) if self._held else []

    def _haipai(self, sentence: server.Haipai, number: int) -> list[Heard]:
        return [HandDealt(sentence.seat, None if sentence.tiles is None else sort_faces(sentence.tiles))]

    def _dora(self, sentence: server.Dora, number: int) -> list[Heard]:
        return self._hold(sentence, number) if self._held else [DoraRevealed(sentence.indicator)]

    def _tsumo(self, sentence: server.Tsumo, number: int) -> list[Heard]:
        rinshan, self._after_kan = self._after_kan, False
        self._drawn, self._robbing = (sentence.seat, sentence.tile), False
        return [TileDrawn(sentence.seat, sentence.left, sentence.tile, rinshan)]

    def _sutehai_ask(self, sentence: SutehaiAsk, number: int) -> list[Heard]:
        tile = None if self._drawn is None else self._drawn[1]
        return [Asked(number, Phase.TURN, tile, sentence.extras.offers)]

    def _sutehai(self, sentence: server.Sutehai, number: int) -> list[Heard]:
        self._drawn, self._thrown, self._robbing = None, (sentence.seat, sentence.tile), False
        riichi = self._unpaid == sentence.seat
        return [TileDiscarded(sentence.seat, sentence.tile, sentence.tsumogiri, riichi)]

    def _naku_ask(self, sentence: NakuAsk, number: int) -> list[Heard]:
        offers = sentence.extras.offers
        phase = Phase.ROB if self._robbing else Phase.CALL
        return [Asked(number, phase, sentence.tile, None if offers is None else (Pass(), *offers))]

    def _tenpai_ask(self, sentence: server.TenpaiAsk, number: int) -> list[Heard]:
        return [Asked(number, Phase.DECLARE, None, None)]

    def _say(self, sentence: server.Say, number: int) -> list[Heard]:
        match sentence.call:
            case "richi":
                self._unpaid = sentence.seat
                self._riichi.add(sentence.seat)
                return [RiichiDeclared(sentence.seat)]
            case "noten":
                return [TenpaiDeclared(sentence.seat, False, None, tuple(self._melds.get(sentence.seat, ())))]
            case "tenpai":
                return []
        return self._hold(sentence, number)

    def _open(self, sentence: server.Open, number: int) -> list[Heard]:
        said = self._held[0] if self._held else None
        if isinstance(said, server.Say) and said.call in ("chi", "pon", "kan"):
            self._held = []
            return [self._meld(sentence, said.call)]
        return self._hold(sentence, number)

    def _meld(self, sentence: server.Open, call: str) -> Event:
        own, seat = _faces(sentence.tiles[1:-1]), sentence.seat
        melds = self._melds.setdefault(seat, [])
        if call != "kan":
            assert self._thrown is None or call in _CALL_TYPES
            meld = Meld(_CALL_TYPES[call], own, sentence.claimed, self._thrown[0] if self._thrown else None)
            melds.append(meld)
            self._drawn = None
            return TileCalled(seat, meld)
        self._after_kan = True
        if sentence.claimed is None or (self._drawn is not None and self._drawn[0] == seat):
            return KanDeclared(seat, self._own_kan(seat, own, sentence.claimed))
        meld = Meld(MeldType.DAIMINKAN, own, sentence.claimed, self._thrown[0] if self._thrown else None)
        melds.append(meld)
        return TileCalled(seat, meld)

    def _own_kan(self, seat: Seat, tiles: tuple[Face, ...], added: Face | None) -> Meld:
        """A kan on one's own turn: closed, or a tile added to a pon."""
        melds = self._melds[seat]
        kind = KIND_OF[tiles[0]] if tiles else 0
        self._robbing = True
        self._thrown = (seat, kind if added is None else added)
        if added is None:
            melds.append(Meld(MeldType.ANKAN, tiles))
            return melds[-1]
        pons = [place for place, meld in enumerate(melds) if meld.type is MeldType.PON and meld.kind == kind]
        if not pons:
            raise WireError("a tile was added to a pon that is not there")
        pon = melds[pons[0]]
        melds[pons[0]] = Meld(MeldType.KAKAN, pon.own, pon.called, pon.source, added)
        return melds[pons[0]]

    def _kyokuend(self, sentence: server.KyokuEnd, number: int) -> list[Heard]:
        return [KyokuEnded()]

    def _gameend(self, sentence: server.GameEnd, number: int) -> list[Heard]:
        return [GameEnded(sentence.points, (), ())]

    def _bye(self, sentence: server.Bye, number: int) -> list[Heard]:
        return [Dismissed(number)]

    def _illegal(self, sentence: server.Illegal, number: int) -> list[Heard]:
        return [Refused(sentence.id, sentence.reason)]

    def _waiting(self, sentence: server.Waiting, number: int) -> list[Heard]:
        return [Waited(sentence.seated, sentence.needed)]


_CONTINUED_BY: dict[type[Sentence], tuple[type[Sentence], ...]] = {
    server.KyokuStart: (server.Point, server.Dice),
    server.Ryukyoku: (server.Point,),
    server.Open: (),
    server.Say: (server.Open, server.Dora, server.Agari, server.Point),
}
"""Which sentences go on with the event that begins with each of these."""


def _faces(text: str) -> tuple[Face, ...]:
    try:
        return parse_ump_faces(text) if text else ()
    except NotationError as error:
        raise WireError(str(error)) from error


def _concealed(hand: server.Open) -> tuple[Face, ...]:
    """Return the concealed tiles of a shown hand, in the order in which they stand; its melds are known."""
    end = min((place for place, sign in enumerate(hand.tiles) if sign in "<("), default=len(hand.tiles))
    return _faces(hand.tiles[:end])


def _reason(drawn: server.Ryukyoku) -> DrawReason:
    if drawn.reason is None:
        return DrawReason.EXHAUSTED
    try:
        return DrawReason(drawn.reason)
    except ValueError as error:
        raise WireError(f"{drawn.reason[:40]!r} is no reason for a draw") from error


def _value(worth: server.Agari | None) -> HandValue:
    """Return what a win is said to be worth; base points are not said."""
    if worth is None:
        return HandValue((), 0, 0, 0, 0)
    yaku = tuple(
        (_YAKU[name, han >= YAKUMAN_HAN], han) for name, han in worth.yaku if (name, han >= YAKUMAN_HAN) in _YAKU
    )
    han = sum(each for _, each in worth.yaku)
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

_TAKE: dict[type[Sentence], Callable[[Reader, Any, int], list[Heard]]] = {
    server.Hello: Reader._hello,
    server.Error: Reader._error,
    server.GameStart: Reader._gamestart,
    server.ReadyAsk: Reader._ready,
    server.KyokuStart: Reader._kyokustart,
    server.Point: Reader._point,
    server.Dice: Reader._dice,
    server.Haipai: Reader._haipai,
    server.Dora: Reader._dora,
    server.Tsumo: Reader._tsumo,
    SutehaiAsk: Reader._sutehai_ask,
    server.Sutehai: Reader._sutehai,
    NakuAsk: Reader._naku_ask,
    server.Say: Reader._say,
    server.Open: Reader._open,
    server.Agari: Reader._hold,
    server.Ryukyoku: Reader._hold,
    server.TenpaiAsk: Reader._tenpai_ask,
    server.KyokuEnd: Reader._kyokuend,
    server.GameEnd: Reader._gameend,
    server.Bye: Reader._bye,
    server.Illegal: Reader._illegal,
    server.Waiting: Reader._waiting,
}
"""What each sentence does."""
