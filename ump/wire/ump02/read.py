"""The client's side of UMP 0.2: from the server's lines to the same events and questions as in 0.1.

The reader translates each sentence and passes it to 0.1's reader, which alone knows which sentences make one event.
Events come in 0.1's order: the first dora after the hands.

Besides the facts that 0.1 leaves out, the wire does not carry offers (``naki?`` says that a chi is possible, not with
which tiles), which dora are red or ura, and the scores before uma at the end of a game (``GameEnded.points`` is empty;
places and results are filled). The reader understands those of libump's yaku names that mean one yaku.

To a client that comes back (``reconnect=1``) the server repeats the kyoku without ``say``. The reader then finds out
from the other sentences what was said: the calls, riichi and wins, but not who was noten at a draw.
"""

from __future__ import annotations

from dataclasses import replace

from ump.model.constants import DEALT_TILES, YAKUMAN_HAN
from ump.model.events import GameEnded, TileDiscarded, TileDrawn
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face
from ump.model.yaku import Yaku
from ump.wire.text import WireError, quoted
from ump.wire.ump01 import questions as questions01
from ump.wire.ump01 import read as read01
from ump.wire.ump01 import server_messages as server01
from ump.wire.ump01.client_events import ClientEvent, ErrorReceived, HelloReceived
from ump.wire.ump01.read import MAX_LINE
from ump.wire.ump01.server_messages import SET_ASIDE, Call
from ump.wire.ump01.words import parse_shown
from ump.wire.ump02 import client_messages, questions, server_messages
from ump.wire.ump02.render import POINTS_PER_RESULT
from ump.wire.ump02.vocabulary import SERVER_NAMED, ServerSentence, read_sentence

_YAKU_OF_LIBUMP: dict[str, Yaku] = {
    "リーチ": Yaku.RIICHI,
    "ダブルリーチ": Yaku.DOUBLE_RIICHI,
    "門前自摸": Yaku.MENZEN_TSUMO,
    "タンヤオ": Yaku.TANYAO,
    "チャンタ": Yaku.CHANTA,
    "純チャン": Yaku.JUNCHAN,
    "赤": Yaku.RED_DORA,
}
"""Names of yaku in libump or M.LEAGUE that are not ours; libump's 役牌 is left out, because it means any of five."""

DAIMINKAN_TILES = 3
"""Tiles of the own hand in an open kan, and those of the pon in an added one."""

_WHILE_DEALING = (
    server_messages.KyokuStart,
    server_messages.Point,
    server01.Dice,
    server_messages.Dora,
    server_messages.Haipai,
)


class Reader:
    """Reads the lines of one connection, from the hello on: those of libump as well as ours."""

    def __init__(self) -> None:
        self._events = read01.Reader()
        self._seat: Seat | None = None
        self._names: dict[Seat, str] = {}
        self._dealt: dict[Seat, list[Face | None]] = {}
        """The tiles so far of each incomplete hand; empty except during the deal."""
        self._dora: server_messages.Dora | None = None
        """The dora that came before the hands, until the deal is complete."""
        self._said: server_messages.Say | None = None
        """The last thing said, until its tiles are shown or discarded."""
        self._shown: server01.Open | None = None
        """A hand that was shown without a word, until the next sentence tells whether it wins."""

    def read(self, line: str) -> list[ClientEvent]:
        """Return the events that one line, without its end, completes or contains.

        Skips empty lines and unknown sentences. Raises WireError for a sentence that is malformed or does not fit the
        earlier ones; the caller should ignore that line.
        """
        if len(line) > MAX_LINE:
            raise WireError(f"{quoted(line)} is longer than any sentence")
        if not line.strip():
            return []
        number, sentence = read_sentence(SERVER_NAMED, line)
        if sentence is None:
            return []
        released: list[ClientEvent] = [] if isinstance(sentence, _WHILE_DEALING) else self._end_deal(number)
        return released + self._release_hand(number, sentence) + self._react(number, sentence)

    def _react(self, number: int, sentence: ServerSentence) -> list[ClientEvent]:  # the most frequent come first
        match sentence:
            case server_messages.Tsumo():
                return self._tsumo(number, sentence)
            case server_messages.Sutehai():
                return self._sutehai(number, sentence)
            case questions.SutehaiQuestion():
                return self._events.take(number, questions01.SutehaiQuestion())
            case questions.NakiQuestion(tile=tile):
                return self._events.take(number, questions01.NakuQuestion(tile))
            case server_messages.Say(seat, call):
                self._said = sentence
                return self._events.take(number, server01.Say(seat, call))
            case server_messages.Open():
                return self._opened(number, sentence)
            case server_messages.Point(seat, sign, points):
                return self._events.take(number, server01.Point(seat, sign, points))
            case server_messages.Richi(seat, points):
                return self._events.take(number, server01.Point(seat, "-", points))
            case server_messages.Dora():
                return self._revealed(number, sentence)
            case server_messages.Uradora(indicator=indicator):
                return self._events.take(number, server01.Dora(indicator))
            case server_messages.Agari(seat, _, fu, yaku):
                named = tuple((_our_name(name), han if fu else _yakuman_han(han)) for name, han in yaku)
                return self._events.take(number, server01.Agari(seat, fu, named))
            case server_messages.Ryukyoku(reason):
                return self._events.take(number, server01.Ryukyoku(reason))
            case server_messages.Haipai():
                return self._haipai(number, sentence)
            case server_messages.KyokuStart():
                return self._kyoku_begun(number, sentence)
            case server_messages.OwnSeat(seat):
                self._seat, self._names = seat, {}
                return []
            case server_messages.Player(seat, name):
                self._names[seat] = name
                return []
            case server_messages.GameStart():
                return self._game_begun(number)
            case server_messages.GameEnd():
                return self._game_ended(number, sentence)
            case server_messages.Hello(options):
                return [HelloReceived(number, options)]
            case server_messages.Error(message):
                return [ErrorReceived(message)]
            case client_messages.Ack():
                return []
            case _:  # the same sentence in 0.1
                return self._events.take(number, sentence)

    def _game_begun(self, number: int) -> list[ClientEvent]:
        seats = range(len(self._names))
        if not seats or set(seats) != set(self._names) or (self._seat is not None and self._seat not in seats):
            raise WireError(f"a game begins with players at the seats {sorted(self._names)}")
        names = tuple(self._names[seat] for seat in seats)
        return self._events.take(number, server01.GameStart(self._seat, names))

    # The deal

    def _kyoku_begun(self, number: int, sentence: server_messages.KyokuStart) -> list[ClientEvent]:
        start = server01.KyokuStart(sentence.bakaze, sentence.dealer, sentence.honba, sentence.kyotaku)
        released = self._events.take(number, start)
        self._dealt = {seat: [] for seat in range(len(sentence.winds))}
        self._dora = None
        return released

    def _haipai(self, number: int, sentence: server_messages.Haipai) -> list[ClientEvent]:
        hand = self._dealt.get(sentence.seat)
        if hand is None or len(hand) + len(sentence.tiles) > DEALT_TILES:
            raise WireError(f"{quoted(sentence.serialise())} deals more than a hand")
        hand.extend(sentence.tiles)
        if len(hand) < DEALT_TILES:
            return []
        del self._dealt[sentence.seat]
        visible = tuple(face for face in hand if face is not None)
        faces = visible if len(visible) == DEALT_TILES else None
        dealt = self._events.take(number, server01.Haipai(sentence.seat, faces))
        return dealt if self._dealt else dealt + self._end_deal(number)

    def _revealed(self, number: int, sentence: server_messages.Dora) -> list[ClientEvent]:
        if not self._dealt:
            return self._events.take(number, server01.Dora(sentence.indicator))
        self._dora = sentence  # one comes before the hands
        return []

    def _end_deal(self, number: int) -> list[ClientEvent]:
        """Return the dora that came before the hands: all are dealt, or the server sends no more of them."""
        dora, self._dora, self._dealt = self._dora, None, {}
        return [] if dora is None else self._revealed(number, dora)

    # Moves, and the end

    def _tsumo(self, number: int, sentence: server_messages.Tsumo) -> list[ClientEvent]:
        events = self._events.take(number, server01.Tsumo(sentence.seat, sentence.left, sentence.tile))
        if not sentence.rinshan:
            return events
        return [replace(each, rinshan=True) if isinstance(each, TileDrawn) else each for each in events]

    def _sutehai(self, number: int, sentence: server_messages.Sutehai) -> list[ClientEvent]:
        discard = server01.Sutehai(sentence.seat, sentence.tile, sentence.tsumogiri)
        if not sentence.richi:
            return self._events.take(number, discard)
        events = self._say_unsaid(number, sentence.seat, Call.RIICHI) + self._events.take(number, discard)
        return [replace(each, riichi=True) if isinstance(each, TileDiscarded) else each for each in events]

    def _opened(self, number: int, sentence: server_messages.Open) -> list[ClientEvent]:
        shown = server01.Open(sentence.seat, sentence.tiles.translate(_BRACKETS), sentence.claimed)
        is_said = self._said is not None and self._said.seat == sentence.seat
        call = None if is_said else _call_of(shown)
        if call is None and not is_said:
            self._shown = shown
            return []
        said = [] if call is None else self._say_unsaid(number, shown.seat, call)
        self._said = None
        return said + self._events.take(number, shown)

    def _release_hand(self, number: int, following: ServerSentence) -> list[ClientEvent]:
        """Return the events of a hand that was shown without a word: it wins if its value follows."""
        shown, self._shown = self._shown, None
        if shown is None:
            return []
        said: list[ClientEvent] = []
        if isinstance(following, server_messages.Uradora | server_messages.Agari):
            call = Call.TSUMO if self._events.drawer == shown.seat else Call.RON
            said = self._say_unsaid(number, shown.seat, call)
        return said + self._events.take(number, shown)

    def _say_unsaid(self, number: int, seat: Seat, call: Call) -> list[ClientEvent]:
        """Pass on what a player must have said, if the server has not sent it."""
        said, self._said = self._said, None
        if said is not None and (said.seat, said.call) == (seat, call):
            return []
        return self._events.take(number, server01.Say(seat, call))

    def _game_ended(self, number: int, sentence: server_messages.GameEnd) -> list[ClientEvent]:
        by_seat = dict(sentence.results)
        if set(by_seat) != set(range(len(by_seat))):
            raise WireError(f"{quoted(sentence.serialise())} does not name every seat")
        points = tuple(by_seat[seat] for seat in range(len(by_seat)))
        order = [seat for seat, _ in sentence.results]
        places = tuple(order.index(seat) + 1 for seat in range(len(order)))
        ended = GameEnded((), places, tuple(each // POINTS_PER_RESULT for each in points))
        events = self._events.take(number, server01.GameEnd(points))
        return [ended if isinstance(each, GameEnded) else each for each in events]


_BRACKETS = str.maketrans("[]", "<>")
"""0.1 writes an added kan with the brackets of an open meld."""


def _call_of(shown: server01.Open) -> Call | None:
    """Return the call with which a meld or a north is shown, or None for a hand."""
    if shown.tiles == SET_ASIDE:
        return Call.KITA
    tiles = parse_shown(shown.tiles)[1]
    if not tiles:
        return None
    if shown.claimed is None or len(tiles) == DAIMINKAN_TILES:
        return Call.KAN
    return Call.PON if len({KIND_OF[face] for face in tiles}) == 1 else Call.CHI


def _our_name(name: str) -> str:
    """Return our own name of a yaku where the name is libump's."""
    yaku = _YAKU_OF_LIBUMP.get(name)
    return name if yaku is None else yaku.japanese


def _yakuman_han(sent: int) -> int:
    """Return the han of a yakuman; libump sends how many times it counts, other servers its han."""
    return sent if sent % YAKUMAN_HAN == 0 else sent * YAKUMAN_HAN
