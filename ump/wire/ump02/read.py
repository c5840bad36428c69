"""The client's side: from a 0.2 server's lines to the events and questions that 0.1's reader makes of its own.

Each sentence is handed to 0.1's reader as what 0.1 would have said, so that what several sentences come to is known in
one place. Events come in 0.1's order: the first dora after the hands.

What the wire does not carry is not there, besides what 0.1 leaves out: offers (``naki?`` says that one can chi, not
with which tiles), which dora are red or ura, and at the end of a game the scores before uma (``GameEnded.points`` is
empty; places and results are there). Of libump's own yaku names those that mean one yaku are understood.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ump.model.constants import DEALT_TILES, YAKUMAN_HAN
from ump.model.events import GameEnded, TileDiscarded, TileDrawn
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.model.yaku import Yaku
from ump.wire.sentence import Sentence
from ump.wire.text import WireError, quoted
from ump.wire.ump01 import questions as questions01
from ump.wire.ump01 import read as read01
from ump.wire.ump01 import server_messages as server01
from ump.wire.ump01.client_events import ClientEvent, ErrorReceived, HelloReceived
from ump.wire.ump01.read import MAX_LINE
from ump.wire.ump02 import client_messages, questions, server_messages
from ump.wire.ump02.render import TENTH
from ump.wire.ump02.vocabulary import SERVER_NAMED, read_sentence

_YAKU_OF_LIBUMP: dict[str, Yaku] = {
    "リーチ": Yaku.RIICHI,
    "ダブルリーチ": Yaku.DOUBLE_RIICHI,
    "門前自摸": Yaku.MENZEN_TSUMO,
    "タンヤオ": Yaku.TANYAO,
    "チャンタ": Yaku.CHANTA,
    "純チャン": Yaku.JUNCHAN,
    "赤": Yaku.RED_DORA,
}
"""Names that libump or M.LEAGUE has for a yaku and we have not; libump's 役牌 means any of five."""

_WHILE_DEALING = (
    server_messages.KyokuStart,
    server_messages.Point,
    server01.Dice,
    server_messages.Dora,
    server_messages.Haipai,
)


class Reader:
    """Reads one connection's lines, from the hello on: libump's as well as ours."""

    def __init__(self) -> None:
        self._events = read01.Reader()
        self._seat: Seat | None = None
        self._names: dict[Seat, str] = {}
        self._dealt: dict[Seat, list[Face | None]] = {}
        """The tiles so far of those whose hand is not complete; empty when nothing is dealt."""
        self._dora: list[server_messages.Dora] = []
        """What is told when it is."""

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
        heard: list[ClientEvent] = [] if isinstance(sentence, _WHILE_DEALING) else self._end_deal(number)
        take = _TAKE.get(type(sentence))
        return heard + (self._events.take(number, sentence) if take is None else take(self, sentence, number))

    # Who plays

    def _hello(self, sentence: server_messages.Hello, number: int) -> list[ClientEvent]:
        return [HelloReceived(number, sentence.options)]

    def _error(self, sentence: server_messages.Error, number: int) -> list[ClientEvent]:
        return [ErrorReceived(sentence.message)]

    def _own_seat(self, sentence: server_messages.OwnSeat, number: int) -> list[ClientEvent]:
        self._seat = sentence.seat
        self._names = {}
        return []

    def _player(self, sentence: server_messages.Player, number: int) -> list[ClientEvent]:
        self._names[sentence.seat] = sentence.name
        return []

    def _gamestart(self, sentence: server_messages.GameStart, number: int) -> list[ClientEvent]:
        seats = range(len(self._names))
        if not seats or set(seats) != set(self._names) or (self._seat is not None and self._seat not in seats):
            raise WireError(f"a game begins with players at the seats {sorted(self._names)}")
        names = tuple(self._names[seat] for seat in seats)
        return self._events.take(number, server01.GameStart(self._seat, names))

    # What is dealt

    def _kyokustart(self, sentence: server_messages.KyokuStart, number: int) -> list[ClientEvent]:
        start = server01.KyokuStart(sentence.bakaze, sentence.dealer, sentence.honba, sentence.kyotaku)
        heard = self._events.take(number, start)
        self._dealt = {seat: [] for seat in range(len(sentence.winds))}
        self._dora = []
        return heard

    def _haipai(self, sentence: server_messages.Haipai, number: int) -> list[ClientEvent]:
        hand = self._dealt.get(sentence.seat)
        if hand is None or len(hand) + len(sentence.tiles) > DEALT_TILES:
            raise WireError(f"{quoted(sentence.serialise())} deals more than a hand")
        hand.extend(sentence.tiles)
        if len(hand) < DEALT_TILES:
            return []
        del self._dealt[sentence.seat]
        seen = tuple(face for face in hand if face is not None)
        heard = self._events.take(number, server01.Haipai(sentence.seat, seen if len(seen) == DEALT_TILES else None))
        return heard if self._dealt else heard + self._end_deal(number)

    def _turned(self, sentence: server_messages.Dora, number: int) -> list[ClientEvent]:
        if not self._dealt:
            return self._events.take(number, server01.Dora(sentence.indicator))
        self._dora = [sentence]  # there is one before the hands
        return []

    def _end_deal(self, number: int) -> list[ClientEvent]:
        """The hands are dealt, or no more of them is told: tell the dora that came before them."""
        turned, self._dora, self._dealt = self._dora, [], {}
        return [heard for each in turned for heard in self._turned(each, number)]

    # What happens

    def _point(self, sentence: server_messages.Point, number: int) -> list[ClientEvent]:
        return self._events.take(number, server01.Point(sentence.seat, sentence.sign, sentence.points))

    def _richi(self, sentence: server_messages.Richi, number: int) -> list[ClientEvent]:
        return self._events.take(number, server01.Point(sentence.seat, "-", sentence.points))

    def _tsumo(self, sentence: server_messages.Tsumo, number: int) -> list[ClientEvent]:
        heard = self._events.take(number, server01.Tsumo(sentence.seat, sentence.left, sentence.tile))
        return [
            replace(each, rinshan=True) if sentence.rinshan and isinstance(each, TileDrawn) else each for each in heard
        ]

    def _sutehai(self, sentence: server_messages.Sutehai, number: int) -> list[ClientEvent]:
        heard = self._events.take(number, server01.Sutehai(sentence.seat, sentence.tile, sentence.tsumogiri))
        return [
            replace(each, riichi=True) if sentence.richi and isinstance(each, TileDiscarded) else each for each in heard
        ]

    def _say(self, sentence: server_messages.Say, number: int) -> list[ClientEvent]:
        return self._events.take(number, server01.Say(sentence.seat, sentence.call))

    def _open(self, sentence: server_messages.Open, number: int) -> list[ClientEvent]:
        tiles = sentence.tiles.translate(_BRACKETS)
        return self._events.take(number, server01.Open(sentence.seat, tiles, sentence.claimed))

    def _uradora(self, sentence: server_messages.Uradora, number: int) -> list[ClientEvent]:
        return self._events.take(number, server01.Dora(sentence.indicator))

    def _agari(self, sentence: server_messages.Agari, number: int) -> list[ClientEvent]:
        yaku = tuple((_our_name(name), han if sentence.fu else _yakuman_han(han)) for name, han in sentence.yaku)
        return self._events.take(number, server01.Agari(sentence.seat, sentence.fu, yaku))

    def _ryukyoku(self, sentence: server_messages.Ryukyoku, number: int) -> list[ClientEvent]:
        return self._events.take(number, server01.Ryukyoku(sentence.reason))

    def _gameend(self, sentence: server_messages.GameEnd, number: int) -> list[ClientEvent]:
        by_seat = dict(sentence.results)
        if set(by_seat) != set(range(len(by_seat))):
            raise WireError(f"{quoted(sentence.serialise())} leaves a seat out")
        points = tuple(by_seat[seat] for seat in range(len(by_seat)))
        order = [seat for seat, _ in sentence.results]
        places = tuple(order.index(seat) + 1 for seat in range(len(order)))
        ended = GameEnded((), places, tuple(each // TENTH for each in points))
        heard = self._events.take(number, server01.GameEnd(points))
        return [ended if isinstance(each, GameEnded) else each for each in heard]

    # What is asked

    def _sutehai_ask(self, sentence: questions.SutehaiQuestion, number: int) -> list[ClientEvent]:
        return self._events.take(number, questions01.SutehaiQuestion())

    def _naki_ask(self, sentence: questions.NakiQuestion, number: int) -> list[ClientEvent]:
        return self._events.take(number, questions01.NakuQuestion(sentence.tile))

    def _ack(self, sentence: client_messages.Ack, number: int) -> list[ClientEvent]:
        return []


_BRACKETS = str.maketrans("[]", "<>")
"""An added kan is written with the brackets of an open meld in 0.1."""


def _our_name(name: str) -> str:
    """Return our own name of a yaku where the name is libump's."""
    yaku = _YAKU_OF_LIBUMP.get(name)
    return name if yaku is None else yaku.japanese


def _yakuman_han(told: int) -> int:
    """Return the han of a yakuman, of which libump tells how many times it counts; other servers tell the han."""
    return told if told % YAKUMAN_HAN == 0 else told * YAKUMAN_HAN


_TAKE: dict[type[Sentence], Callable[[Reader, Any, int], list[ClientEvent]]] = {
    server_messages.Hello: Reader._hello,
    server_messages.Error: Reader._error,
    server_messages.OwnSeat: Reader._own_seat,
    server_messages.Player: Reader._player,
    server_messages.GameStart: Reader._gamestart,
    server_messages.KyokuStart: Reader._kyokustart,
    server_messages.Point: Reader._point,
    server_messages.Richi: Reader._richi,
    server_messages.Dora: Reader._turned,
    server_messages.Uradora: Reader._uradora,
    server_messages.Haipai: Reader._haipai,
    server_messages.Tsumo: Reader._tsumo,
    questions.SutehaiQuestion: Reader._sutehai_ask,
    server_messages.Sutehai: Reader._sutehai,
    questions.NakiQuestion: Reader._naki_ask,
    server_messages.Say: Reader._say,
    server_messages.Open: Reader._open,
    server_messages.Agari: Reader._agari,
    server_messages.Ryukyoku: Reader._ryukyoku,
    server_messages.GameEnd: Reader._gameend,
    client_messages.Ack: Reader._ack,
}
"""What each sentence does; one that is not listed is 0.1's own."""
