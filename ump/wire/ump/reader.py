"""The client's side of UMP: from the server's lines to events and questions, the same for both versions.

UMP spreads some events over several sentences. ``_Events`` holds such an event back until the next sentence of 0.1
shows that it is complete: a win after its last ``point``, a shown hand when its purpose is known. ``_Translation``
passes it the sentences of 0.2 as those of 0.1, in 0.1's order: the first dora after the hands.

Some facts are not on the wire. Without ``_results=1`` a win has no base points and no liability (0 and None), and the
end of a game has no places and results (empty). ``RiichiDeclared`` is never open. The source of a call and whether a
draw replaces the tile of a kan follow from earlier events. Besides, 0.2 does not carry offers (``naki?`` says that a
chi is possible, not with which tiles), which dora are red or ura, and the scores before uma at the end of a game
(``GameEnded.points`` is empty; places and results are filled). The reader understands those of libump's yaku names that
mean one yaku.

If a client comes back (``reconnect=1``), a server of 0.2 repeats the kyoku without ``say``. The reader then finds
out from the other sentences what was said: the calls, riichi and wins, but not who was noten at a draw.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from ump.model import events as ev
from ump.model.actions import Action, DeclareNoten, DeclareTenpai, Discard, Pass, Riichi
from ump.model.constants import DEALT_TILES, STICK_POINTS, YAKUMAN_HAN
from ump.model.events import Event
from ump.model.melds import Meld, MeldType
from ump.model.notation import NotationError, format_ump_faces, meld_of
from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import KIND_OF, WINDS, Face, sort_faces
from ump.model.value import value
from ump.model.yaku import HandValue, Yaku
from ump.players.hints import Waits
from ump.wire.followed_table import FollowedTable
from ump.wire.text import MAX_WRITTEN, WireError, quoted
from ump.wire.ump import sentences01 as s01
from ump.wire.ump import sentences02 as s02
from ump.wire.ump.extras import Hints, Time
from ump.wire.ump.hello import VERSIONS
from ump.wire.ump.render01 import CALLED, POINTS_PER_RESULT
from ump.wire.ump.sentence import SET_ASIDE, Call, parse_shown
from ump.wire.ump.sentences01 import Error, Explanation, Proof, Record, SeatToken

# The values that the readers of 0.1 and 0.2 return besides the events of the game: questions, refusals, errors.


@value
class HelloReceived:
    """The server's ``hello``, to be answered with this id."""

    id: int
    options: tuple[tuple[str, str], ...]


@value
class SeatAssigned:
    """A game begins, and this is the client's own seat, or None for a spectator. ``GameStarted`` follows."""

    seat: Seat | None


@value
class QuestionAsked:
    """A question of the game, to be answered with this id."""

    id: int
    phase: Phase
    tile: Face | None
    """TURN: the tile just drawn, None after a call. CALL, CHANKAN: the tile in question. DECLARE: None."""
    offers: tuple[Action, ...] | None
    """The legal actions, with ``Pass``, if the client asked for them with ``_offer=1``. A tile equal to the drawn one
    is offered as the drawn one."""
    hand: str | None = None
    """The own hand in UMP's notation, if the client asked for it with ``_hand=1``."""
    time: Time | None = None
    """The time left, if the client asked for it with ``_time=1``."""
    hints: Hints | None = None
    """The waits of the own hand, if the client asked for them with ``_waits=1`` and the room gives them."""


@value
class ReadyAsked:
    """``ready?``, to be answered with this id."""

    id: int
    time: Time | None = None
    is_last: bool = False
    """Whether the end of the game follows."""


@value
class HintReceived:
    """The standing of the own hand between two turns (``_waits``, ``_shanten``)."""

    shanten: int
    waits: Waits | None = None
    """The waits of a tenpai hand."""


@value
class SeedAsked:
    """``_seed?``, to be answered with this id and the text of the client's commitment."""

    id: int


@value
class ByeReceived:
    """``bye``, to be answered with this id before closing."""

    id: int


ClientEvent: TypeAlias = (
    Event
    | HelloReceived
    | SeatAssigned
    | QuestionAsked
    | ReadyAsked
    | HintReceived
    | s01.Advice
    | SeedAsked
    | ByeReceived
    | Explanation
    | SeatToken
    | Proof
    | Record
    | Error
)
"""Everything that a reader of server lines can return; sentences that make no event stand for themselves."""


MAX_LINE = MAX_WRITTEN + 16
"""The length of the longest line, in characters: a sentence with its id."""

MAX_HELD = 24
"""The most sentences of one event: a win has two, five ura indicators, two of value, and a change for each seat."""

_OF_A_SEAT = (
    s01.Tsumo,
    s01.Sutehai,
    s01.Point,
    s01.Haipai,
    s01.Say,
    s01.Open,
    s01.Agari,
    s01.Worth,
)
"""Sentences about one of the players."""

_CALL_TYPES = {call: type_ for type_, call in CALLED.items()}


class UmpReader:
    """Reads the lines of one connection, from the hello on."""

    def __init__(self, version: str = VERSIONS[0]) -> None:
        events = _Events()
        self._read: Callable[[str], tuple[int, Any]] = s01.read_sentence
        self._take: Callable[[int, Any], list[ClientEvent]] = events.take
        if version != VERSIONS[0]:
            self._read, self._take = s02.read_sentence, _Translation(events).take

    def read(self, line: str) -> list[ClientEvent]:
        """Return the events that one line, without its end, completes or contains.

        Skips empty lines and unknown sentences. Raises WireError for a sentence that is malformed or does not fit the
        earlier ones; the caller should ignore that line.
        """
        if len(line) > MAX_LINE:
            raise WireError(f"{quoted(line)} is longer than any sentence")
        if not line or line.isspace():
            return []
        number, sentence = self._read(line)
        if sentence is None:
            return []
        return self._take(number, sentence)


class _Events:
    """The events that the sentences of 0.1 make."""

    def __init__(self) -> None:
        self._held: list[s01.ServerSentence] = []
        """The sentences so far of an event that may continue."""
        self._table = FollowedTable(len(LETTERS))
        """The table of the kyoku, from the events read so far."""
        self._places: tuple[tuple[int, int], ...] = ()
        """The places of a game that ends, with the results in points."""

    @property
    def drawer(self) -> Seat | None:
        """The seat that has drawn a tile and not discarded one; None after a discard."""
        return self._table.seen.drawer

    def take(self, number: int, sentence: s01.ServerSentence) -> list[ClientEvent]:
        """Return the events that one sentence with this id completes or contains."""
        if isinstance(sentence, _OF_A_SEAT) and sentence.seat >= self._table.seats:
            raise WireError(f"{sentence.NAME} names a seat that this game does not have")
        if not self._held or self._is_continuation(sentence):
            return self._react(number, sentence)
        return self._release(sentence) + self._react(number, sentence)

    def _react(self, number: int, sentence: s01.ServerSentence) -> list[ClientEvent]:  # the most frequent come first
        match sentence:
            case s01.Tsumo():
                rinshan = self._table.seen.awaits_replacement
                return self._note(ev.TileDrawn(sentence.seat, sentence.left, sentence.tile, rinshan))
            case s01.Sutehai():
                return self._discarded(sentence)
            case s01.SutehaiQuestion():
                return [self._turn_asked(number, sentence)]
            case s01.NakuQuestion():
                return [self._call_asked(number, sentence)]
            case s01.Say():
                return self._said(sentence)
            case s01.Open():
                return self._shown(sentence)
            case s01.Point():
                return self._paid(sentence)
            case s01.Dora(indicator):
                if self._held:
                    return self._hold(sentence)
                return self._revealed(indicator)
            case s01.Dice() | s01.Agari() | s01.Worth():
                return self._continue(sentence)
            case s01.Ryukyoku():
                return self._hold(sentence)
            case s01.Haipai():
                return self._dealt(sentence)
            case s01.KyokuStart():
                return self._kyoku_begun(sentence)
            case s01.KyokuEnd():
                return self._note(ev.KyokuEnded())
            case s01.GameStart():
                return self._game_begun(sentence)
            case s01.Places(places):
                self._places = places
                return []
            case s01.GameEnd(points):
                return self._game_ended(points)
            case s01.TenpaiQuestion(extras):
                offers = (DeclareTenpai(), DeclareNoten())
                return [QuestionAsked(number, Phase.DECLARE, None, offers, time=extras.time)]
            case s01.ReadyQuestion(extras):
                return [ReadyAsked(number, extras.time, extras.is_last)]
            case s01.Hello(options):
                return [HelloReceived(number, options)]
            case s01.WaitsNow():
                return [HintReceived(0, sentence.waits)]
            case s01.ShantenNow(shanten):
                return [HintReceived(shanten)]
            case s01.SeedQuestion():
                return [SeedAsked(number)]
            case s01.Bye():
                return [ByeReceived(number)]
            case _:
                return [sentence]

    def _note(self, event: ev.Event) -> list[ClientEvent]:
        """Update the visible state with an event, and return it."""
        self._table.see(event)
        return [event]

    # Events of several sentences

    def _is_continuation(self, sentence: s01.ServerSentence) -> bool:
        """Tell whether a sentence belongs to the event that is held."""
        match self._held:
            case [s01.Say(seat)]:
                return isinstance(sentence, s01.Open) and sentence.seat == seat
            case [first, *_]:
                return isinstance(sentence, _CONTINUED_BY[type(first)])
        return False

    def _hold(self, sentence: s01.ServerSentence) -> list[ClientEvent]:
        if len(self._held) >= MAX_HELD:
            self._held = []
            raise WireError(f"an event of more than {MAX_HELD} sentences")
        self._held.append(sentence)
        return []

    def _continue(self, sentence: s01.ServerSentence) -> list[ClientEvent]:
        """Hold a sentence that can only continue an event."""
        if not self._held:
            raise WireError(f"{sentence.NAME} must follow the first sentence of its event")
        return self._hold(sentence)

    def _release(self, following: s01.ServerSentence) -> list[ClientEvent]:
        """Return the event that is held; the following sentence shows the purpose of an opened hand."""
        held, self._held = self._held, []
        match held:
            case [s01.KyokuStart() as start, *rest]:
                return self._note(self._kyoku_started(start, rest))
            case [s01.Ryukyoku(reason), *rest]:
                return self._note(ev.KyokuDrawn(reason, self._changes(rest)))
            case [s01.Open() as hand]:
                if following == s01.Say(hand.seat, Call.TENPAI):
                    return self._note(self._tenpai(hand))
                return self._note(self._opened(hand))
            case [s01.Say(seat, Call.RON)]:
                return self._note(ev.RonDeclared(seat))
            case [s01.Say(seat, Call.RON), s01.Open() as hand]:
                return self._note(ev.RonDeclared(seat)) + self._note(self._opened(hand))
            case [s01.Say() as said, s01.Open() as hand, *rest] if rest:
                return self._note(self._won(said, hand, rest))
        return []

    def _kyoku_started(self, start: s01.KyokuStart, rest: list[s01.ServerSentence]) -> ev.Event:
        points: dict[Seat, int] = {}
        dice = (1, 1)
        for sentence in rest:
            match sentence:
                case s01.Point(seat, (_, score)):
                    points[seat] = score
                case s01.Dice(first, second):
                    dice = (first, second)
        seats = self._table.seats
        if len(points) != seats or start.kyotaku % STICK_POINTS:
            raise WireError(f"a kyoku of {seats} begins with {len(points)} scores, {start.kyotaku} on the table")
        scores = tuple(points[seat] for seat in range(seats))
        sticks = start.kyotaku // STICK_POINTS
        return ev.KyokuStarted(WINDS.index(start.bakaze), start.dealer, start.honba, sticks, scores, dice)

    def _changes(self, held: list[s01.ServerSentence]) -> tuple[int, ...]:
        changes = [0] * self._table.seats
        for sentence in held:
            match sentence:
                case s01.Point(seat, ("+", points)):
                    changes[seat] += points
                case s01.Point(seat, (_, points)):
                    changes[seat] -= points
        return tuple(changes)

    def _opened(self, hand: s01.Open) -> ev.Event:
        return ev.HandOpened(hand.seat, parse_shown(hand.tiles)[0], tuple(self._table.seen.melds[hand.seat]))

    def _tenpai(self, hand: s01.Open) -> ev.Event:
        return ev.TenpaiDeclared(hand.seat, True, parse_shown(hand.tiles)[0], tuple(self._table.seen.melds[hand.seat]))

    def _won(self, said: s01.Say, hand: s01.Open, rest: list[s01.ServerSentence]) -> ev.Event:
        agari = worth = None
        ura: list[Face] = []
        for sentence in rest:
            match sentence:
                case s01.Agari() if agari is None:
                    agari = sentence
                case s01.Worth() if worth is None:
                    worth = sentence
                case s01.Dora(indicator):
                    ura.append(indicator)
        seen = self._table.seen
        faces = parse_shown(hand.tiles)[0]
        loser = tile = None
        if said.call is Call.RON:
            loser, tile = seen.source, seen.last_tile
        elif faces:
            tile = faces[-1]
        if agari is None or tile is None:
            raise WireError(f"a win by {said.call.value} without its tile or its value")
        base, liable = 0, None
        if worth is not None:
            base, liable = worth.base, worth.liable
        return ev.HandWon(
            seat=said.seat,
            loser=loser,
            tile=tile,
            faces=faces,
            melds=tuple(seen.melds[said.seat]),
            riichi=seen.in_riichi[said.seat],
            ura=tuple(ura),
            value=_value(agari, base),
            changes=self._changes(rest),
            liable=liable,
            norths=seen.norths[said.seat],
        )

    # Single sentences

    def _game_begun(self, sentence: s01.GameStart) -> list[ClientEvent]:
        self._table = FollowedTable(len(sentence.names))
        return [SeatAssigned(sentence.seat), *self._note(ev.GameStarted(sentence.names))]

    def _kyoku_begun(self, sentence: s01.KyokuStart) -> list[ClientEvent]:
        if sentence.dealer >= self._table.seats:
            raise WireError(f"the dealer is not one of the {self._table.seats} players")
        self._table = FollowedTable(self._table.seats)
        return self._hold(sentence)

    def _dealt(self, sentence: s01.Haipai) -> list[ClientEvent]:
        faces = sentence.tiles
        if faces is not None:
            faces = sort_faces(faces)
        return self._note(ev.HandDealt(sentence.seat, faces))

    def _paid(self, sentence: s01.Point) -> list[ClientEvent]:
        if self._held:
            return self._hold(sentence)
        if sentence.seat == self._table.seen.unpaid and sentence.change[0] == "-":
            return self._note(ev.RiichiPaid(sentence.seat))
        return []  # a server may state scores at any time

    def _revealed(self, indicator: Face) -> list[ClientEvent]:
        self._table.check_indicator()
        return self._note(ev.DoraRevealed(indicator))

    def _discarded(self, sentence: s01.Sutehai) -> list[ClientEvent]:
        seat = sentence.seat
        self._table.check_discard(seat)
        is_riichi = self._table.seen.unpaid == seat
        return self._note(ev.TileDiscarded(seat, sentence.tile, sentence.tsumogiri, is_riichi))

    def _turn_asked(self, number: int, sentence: s01.SutehaiQuestion) -> QuestionAsked:
        tile, extras = self._table.seen.drawn, sentence.extras
        offers = None
        if extras.offers is not None:
            offers = tuple(_as_drawn(offer, tile) for offer in extras.offers)
        return QuestionAsked(number, Phase.TURN, tile, offers, extras.hand, extras.time, extras.hints)

    def _call_asked(self, number: int, sentence: s01.NakuQuestion) -> QuestionAsked:
        kan, extras = self._table.seen.kan, sentence.extras
        is_chankan = self._table.seen.kita or (kan is not None and kan.type is not MeldType.DAIMINKAN)
        phase, offers = Phase.CALL, None
        if is_chankan:
            phase = Phase.CHANKAN
        if extras.offers is not None:
            offers = (Pass(), *extras.offers)
        return QuestionAsked(number, phase, sentence.tile, offers, extras.hand, extras.time, extras.hints)

    def _said(self, sentence: s01.Say) -> list[ClientEvent]:
        match sentence.call:
            case Call.RIICHI:
                return self._note(ev.RiichiDeclared(sentence.seat))
            case Call.NOTEN:
                melds = tuple(self._table.seen.melds[sentence.seat])
                return self._note(ev.TenpaiDeclared(sentence.seat, False, None, melds))
            case Call.TENPAI:
                return []  # the event came out with the hand that was shown before
        return self._hold(sentence)

    def _shown(self, sentence: s01.Open) -> list[ClientEvent]:
        match self._held:
            case [s01.Say(seat, Call.KITA)] if sentence.tiles == SET_ASIDE:
                self._held = []
                self._table.check_north(seat)
                return self._note(ev.KitaDeclared(seat))
            case [s01.Say(_, call)] if call in _CALL_TYPES:
                self._held = []
                return self._note(self._meld(sentence, call))
        return self._hold(sentence)

    def _meld(self, shown: s01.Open, call: Call) -> ev.Event:
        """Return the kan on the own turn, or the call of another player's tile."""
        seat, own = shown.seat, sort_faces(parse_shown(shown.tiles)[1])
        if not own:
            raise WireError(f"{shown.serialise()} does not show a meld")
        if call is Call.KAN and (shown.claimed is None or self._table.seen.drawer == seat):
            return self._own_kan(seat, own, shown.claimed)
        if shown.claimed is None or shown.claimed != self._table.seen.last_tile:
            raise WireError(f"{shown.serialise()} takes a tile that nobody has discarded")
        self._table.check_meld(seat)
        return ev.TileCalled(seat, _meld_of(_CALL_TYPES[call], own, (shown.claimed,), self._table.seen.source))

    def _own_kan(self, seat: Seat, tiles: tuple[Face, ...], added: Face | None) -> ev.Event:
        """Return a kan on the own turn: closed, or a tile added to a pon."""
        if added is None:
            self._table.check_meld(seat)
            return ev.KanDeclared(seat, _meld_of(MeldType.ANKAN, tiles, (), None))
        for meld in self._table.seen.melds[seat]:
            if meld.type is MeldType.PON and meld.faces == tiles:
                return ev.KanDeclared(seat, _meld_of(MeldType.KAKAN, meld.own, (meld.called, added), meld.source))
        raise WireError("a tile was added to a pon that does not exist")

    def _game_ended(self, points: tuple[int, ...]) -> list[ClientEvent]:
        placed, self._places = self._places, ()
        seats = self._table.seats
        if len(points) != seats or len(placed) not in (0, seats):
            raise WireError(f"a game of {seats} ends with {len(points)} scores, {len(placed)} places")
        places = tuple(place for place, _ in placed)
        results = tuple(result // POINTS_PER_RESULT for _, result in placed)
        return self._note(ev.GameEnded(points, places, results))


_CONTINUED_BY: dict[type[s01.ServerSentence], tuple[type[s01.ServerSentence], ...]] = {
    s01.KyokuStart: (s01.Point, s01.Dice),
    s01.Ryukyoku: (s01.Point,),
    s01.Open: (),
    s01.Say: (s01.Dora, s01.Worth, s01.Agari, s01.Point),
}
"""The sentences that continue an event which begins with one of these; ``say`` is followed by ``open`` first."""


def _meld_of(expected: MeldType, own: tuple[Face, ...], picked: tuple[Face | None, ...], source: Seat | None) -> Meld:
    """Return the meld of this type that these tiles make; raises WireError if they make none."""
    others = [face for face in picked if face is not None]
    try:
        meld = meld_of(format_ump_faces((*own, *others)), own, others, source)
    except NotationError as error:
        raise WireError(str(error)) from error
    if meld.type is not expected:
        raise WireError(f"expected a {expected.value}, not a {meld.type.value}")
    return meld


def _as_drawn(offer: Action, drawn: Face | None) -> Action:
    """Return an offered discard of a tile equal to the drawn one as a discard of the drawn one: both are legal then."""
    if isinstance(offer, (Discard, Riichi)) and offer.face == drawn:
        return replace(offer, tsumogiri=True)
    return offer


def _value(agari: s01.Agari, base: int) -> HandValue:
    """Return the value of a win as the server states it, without unknown yaku."""
    known: list[tuple[Yaku, int]] = []
    total = 0
    for name, han in agari.yaku:
        total += han
        yaku = _YAKU.get((name, han >= YAKUMAN_HAN))
        if yaku is not None:
            known.append((yaku, han))
    yakuman = 0
    if not agari.fu:
        yakuman = total // YAKUMAN_HAN
    return HandValue(tuple(known), total, agari.fu, yakuman, base)


def _by_name() -> dict[tuple[str, bool], Yaku]:
    """Return the yaku by name, in both languages, and by whether it counts as a yakuman.

    Renhou and open riichi each exist as an ordinary yaku and as a yakuman of the same name. The yakuman is the later
    member of ``Yaku``.
    """
    named: dict[tuple[str, bool], Yaku] = {}
    for yaku in Yaku:
        for name in (yaku.japanese, yaku.romaji):
            named.setdefault((name, False), yaku)
            named[name, True] = yaku
    return named


_YAKU = _by_name()


# 0.2

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
    s02.KyokuStart,
    s02.Point,
    s01.Dice,
    s02.Dora,
    s02.Haipai,
)


class _Translation:
    """Passes the sentences of 0.2, those of libump as well as ours, on as sentences of 0.1."""

    def __init__(self, events: _Events) -> None:
        self._events = events
        self._seat: Seat | None = None
        self._names: dict[Seat, str] = {}
        self._dealt: dict[Seat, list[Face | None]] = {}
        """The tiles so far of each incomplete hand; empty except during the deal."""
        self._dora: s02.Dora | None = None
        """The dora that came before the hands, until the deal is complete."""
        self._said: s02.Say | None = None
        """The last thing said, until its tiles are shown or discarded."""
        self._shown: s01.Open | None = None
        """A hand that was shown without a word, until the next sentence tells whether it wins."""

    def take(self, number: int, sentence: s02.ServerSentence) -> list[ClientEvent]:
        """Return the events that one sentence with this id completes or contains."""
        released: list[ClientEvent] = []
        if not isinstance(sentence, _WHILE_DEALING):
            released += self._end_deal(number)
        released += self._release_hand(number, sentence)
        return released + self._react(number, sentence)

    def _react(self, number: int, sentence: s02.ServerSentence) -> list[ClientEvent]:  # the most frequent come first
        match sentence:
            case s02.Tsumo():
                return self._tsumo(number, sentence)
            case s02.Sutehai():
                return self._sutehai(number, sentence)
            case s02.SutehaiQuestion():
                return self._events.take(number, s01.SutehaiQuestion())
            case s02.NakiQuestion(tile=tile):
                return self._events.take(number, s01.NakuQuestion(tile))
            case s02.Say(seat, call):
                self._said = sentence
                return self._events.take(number, s01.Say(seat, call))
            case s02.Open():
                return self._opened(number, sentence)
            case s02.Point(seat, change):
                return self._events.take(number, s01.Point(seat, change))
            case s02.Richi(seat, points):
                return self._events.take(number, s01.Point(seat, ("-", points)))
            case s02.Dora():
                return self._revealed(number, sentence)
            case s02.Uradora(indicator=indicator):
                return self._events.take(number, s01.Dora(indicator))
            case s02.Agari():
                return self._events.take(number, _our_agari(sentence))
            case s02.Ryukyoku(reason):
                return self._events.take(number, s01.Ryukyoku(reason))
            case s02.Haipai():
                return self._haipai(number, sentence)
            case s02.KyokuStart():
                return self._kyoku_begun(number, sentence)
            case s02.OwnSeat(seat):
                self._seat, self._names = seat, {}
                return []
            case s02.Player(seat, name):
                self._names[seat] = name
                return []
            case s02.GameStart():
                return self._game_begun(number)
            case s02.GameEnd():
                return self._game_ended(number, sentence)
            case s02.Hello(options):
                return [HelloReceived(number, options)]
            case s02.Error(message):
                return [s01.Error(message)]
            case s02.Notice(text):
                return [s01.Notice(text)]
            case s02.Advice(about, answers):
                return [s01.Advice(about, answers)]
            case s02.Ack():
                return []
            case _:  # the same sentence in 0.1
                return self._events.take(number, sentence)

    def _game_begun(self, number: int) -> list[ClientEvent]:
        seats = range(len(self._names))
        if not seats or set(seats) != set(self._names) or (self._seat is not None and self._seat not in seats):
            raise WireError(f"a game begins with players at the seats {sorted(self._names)}")
        names = tuple(self._names[seat] for seat in seats)
        return self._events.take(number, s01.GameStart(self._seat, names))

    # The deal

    def _kyoku_begun(self, number: int, sentence: s02.KyokuStart) -> list[ClientEvent]:
        start = s01.KyokuStart(sentence.bakaze, sentence.dealer, sentence.honba, sentence.kyotaku)
        released = self._events.take(number, start)
        self._dealt = {seat: [] for seat in range(len(sentence.winds))}
        self._dora = None
        return released

    def _haipai(self, number: int, sentence: s02.Haipai) -> list[ClientEvent]:
        hand = self._dealt.get(sentence.seat)
        if hand is None or len(hand) + len(sentence.tiles) > DEALT_TILES:
            raise WireError(f"{quoted(sentence.serialise())} deals more than a hand")
        hand.extend(sentence.tiles)
        if len(hand) < DEALT_TILES:
            return []
        del self._dealt[sentence.seat]
        visible = tuple(face for face in hand if face is not None)
        faces = None
        if len(visible) == DEALT_TILES:
            faces = visible
        events = self._events.take(number, s01.Haipai(sentence.seat, faces))
        if not self._dealt:
            events += self._end_deal(number)
        return events

    def _revealed(self, number: int, sentence: s02.Dora) -> list[ClientEvent]:
        if not self._dealt:
            return self._events.take(number, s01.Dora(sentence.indicator))
        self._dora = sentence  # one comes before the hands
        return []

    def _end_deal(self, number: int) -> list[ClientEvent]:
        """Return the dora that came before the hands: all are dealt, or the server sends no more of them."""
        dora, self._dora, self._dealt = self._dora, None, {}
        if dora is None:
            return []
        return self._revealed(number, dora)

    # Moves, and the end

    def _tsumo(self, number: int, sentence: s02.Tsumo) -> list[ClientEvent]:
        events = self._events.take(number, s01.Tsumo(sentence.seat, sentence.left, sentence.tile))
        if not sentence.rinshan:
            return events
        return _replaced(events, ev.TileDrawn, rinshan=True)

    def _sutehai(self, number: int, sentence: s02.Sutehai) -> list[ClientEvent]:
        discard = s01.Sutehai(sentence.seat, sentence.tile, sentence.tsumogiri)
        if not sentence.richi:
            return self._events.take(number, discard)
        events = self._say_unsaid(number, sentence.seat, Call.RIICHI) + self._events.take(number, discard)
        return _replaced(events, ev.TileDiscarded, riichi=True)

    def _opened(self, number: int, sentence: s02.Open) -> list[ClientEvent]:
        shown = s01.Open(sentence.seat, sentence.tiles.translate(_BRACKETS), sentence.claimed)
        if self._said is not None and self._said.seat == sentence.seat:
            self._said = None
            return self._events.take(number, shown)
        call = _call_of(shown)
        if call is None:
            self._shown = shown
            return []
        events = self._say_unsaid(number, shown.seat, call)
        return events + self._events.take(number, shown)

    def _release_hand(self, number: int, following: s02.ServerSentence) -> list[ClientEvent]:
        """Return the events of a hand that was shown without a word: it wins if its value follows."""
        shown, self._shown = self._shown, None
        if shown is None:
            return []
        said: list[ClientEvent] = []
        if isinstance(following, s02.Uradora | s02.Agari):
            call = Call.RON
            if self._events.drawer == shown.seat:
                call = Call.TSUMO
            said = self._say_unsaid(number, shown.seat, call)
        return said + self._events.take(number, shown)

    def _say_unsaid(self, number: int, seat: Seat, call: Call) -> list[ClientEvent]:
        """Pass on what a player must have said, if the server has not sent it."""
        said, self._said = self._said, None
        if said is not None and (said.seat, said.call) == (seat, call):
            return []
        return self._events.take(number, s01.Say(seat, call))

    def _game_ended(self, number: int, sentence: s02.GameEnd) -> list[ClientEvent]:
        by_seat = dict(sentence.results)
        if set(by_seat) != set(range(len(by_seat))):
            raise WireError(f"{quoted(sentence.serialise())} does not name every seat")
        points = tuple(by_seat[seat] for seat in range(len(by_seat)))
        order = [seat for seat, _ in sentence.results]
        places = tuple(order.index(seat) + 1 for seat in range(len(order)))
        results = tuple(result // POINTS_PER_RESULT for result in points)
        events = self._events.take(number, s01.GameEnd(points))
        return _replaced(events, ev.GameEnded, points=(), places=places, results=results)


def _replaced(
    events: list[ClientEvent], type_: type[ev.TileDrawn | ev.TileDiscarded | ev.GameEnded], **facts: Any
) -> list[ClientEvent]:
    """Return events with facts that the sentences of 0.1 do not state, in those of one type."""
    completed: list[ClientEvent] = []
    for event in events:
        if isinstance(event, type_):
            completed.append(replace(event, **facts))
        else:
            completed.append(event)
    return completed


def _our_agari(sentence: s02.Agari) -> s01.Agari:
    """Return the value of a hand with our names, and with the han of yakuman."""
    named: list[tuple[str, int]] = []
    for name, han in sentence.yaku:
        if sentence.fu:
            named.append((_our_name(name), han))
        else:
            named.append((_our_name(name), _yakuman_han(han)))
    return s01.Agari(sentence.seat, sentence.fu, tuple(named))


_BRACKETS = str.maketrans("[]", "<>")
"""0.1 writes an added kan with the brackets of an open meld."""


def _call_of(shown: s01.Open) -> Call | None:
    """Return the call with which a meld or a north is shown, or None for a hand."""
    if shown.tiles == SET_ASIDE:
        return Call.KITA
    tiles = parse_shown(shown.tiles)[1]
    if not tiles:
        return None
    if shown.claimed is None or len(tiles) == DAIMINKAN_TILES:
        return Call.KAN
    if len({KIND_OF[face] for face in tiles}) == 1:
        return Call.PON
    return Call.CHI


def _our_name(name: str) -> str:
    """Return our own name of a yaku where the name is libump's."""
    yaku = _YAKU_OF_LIBUMP.get(name)
    if yaku is None:
        return name
    return yaku.japanese


def _yakuman_han(sent: int) -> int:
    """Return the han of a yakuman; libump sends how many times it counts, other servers its han."""
    if sent % YAKUMAN_HAN == 0:
        return sent
    return sent * YAKUMAN_HAN
