"""The client's side: from the server's lines to events and questions.

UMP spreads some events over several sentences. The reader holds such an event back until the next sentence shows that
it is complete: a win after its last ``point``, a shown hand when its purpose is known.

Some facts are not on the wire. A win has no base points and no liability (0 and None), ``RiichiDeclared`` is never
open, the end of a game has no places and results (empty). The source of a call and whether a draw replaces the tile of
a kan follow from earlier events.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from ump.model.actions import Action, DeclareNoten, DeclareTenpai, Discard, Pass, Riichi
from ump.model.constants import MAX_INDICATORS, MAX_MELDS, STICK_POINTS, YAKUMAN_HAN
from ump.model.events import (
    DoraRevealed,
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    HandOpened,
    HandWon,
    KanDeclared,
    KitaDeclared,
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
from ump.model.tiles import COPIES, TILES, WINDS, Face, sort_faces
from ump.model.yaku import HandValue, Yaku
from ump.players.observation import Observation
from ump.rules.ruleset import Ruleset
from ump.wire.text import MAX_WRITTEN, WireError, quoted
from ump.wire.ump01 import extension_messages, questions, server_messages
from ump.wire.ump01.client_events import (
    AnswerRefused,
    ByeReceived,
    ClientEvent,
    ErrorReceived,
    HelloReceived,
    HintReceived,
    NoticeReceived,
    PlayersWaiting,
    ProofReceived,
    QuestionAsked,
    ReadyAsked,
    SeatAssigned,
    SeedAsked,
    TimeRanOut,
    TokenReceived,
)
from ump.wire.ump01.extension_messages import Commitment, Illegal, Late, Notice, Secret, Seeds, Texts, Waiting
from ump.wire.ump01.hints import ShantenNow, WaitsNow
from ump.wire.ump01.server_messages import SET_ASIDE, Call
from ump.wire.ump01.vocabulary import SERVER_NAMED, ServerSentence, read_sentence
from ump.wire.ump01.words import parse_shown

MAX_LINE = MAX_WRITTEN + 16
"""The length of the longest line, in characters: a sentence with its id."""

MAX_HELD = 24
"""The most sentences of one event: a win has two, five ura indicators, its value, and a change for each seat."""

MAX_DISCARDS = TILES
"""The most discards of one player, so that a faulty server does not fill the memory of its client."""

_OF_A_SEAT = (
    server_messages.Tsumo,
    server_messages.Sutehai,
    server_messages.Point,
    server_messages.Haipai,
    server_messages.Say,
    server_messages.Open,
    server_messages.Agari,
)
"""Sentences about one of the players."""

_CALL_TYPES = {Call.CHI: MeldType.CHI, Call.PON: MeldType.PON, Call.KAN: MeldType.DAIMINKAN}


class Reader:
    """Reads the lines of one connection, from the hello on."""

    def __init__(self) -> None:
        self._held: list[ServerSentence] = []
        """The sentences so far of an event that may continue."""
        self._seats = len(LETTERS)
        self._seen = _empty_table(self._seats)
        """The visible state of the kyoku, from the events read so far."""

    @property
    def drawer(self) -> Seat | None:
        """The seat that has drawn a tile and not discarded one; None after a discard."""
        return self._seen.drawer

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
        return self.take(number, sentence)

    def take(self, number: int, sentence: ServerSentence) -> list[ClientEvent]:
        """Return the events that one sentence with this id completes or contains, as ``read`` does."""
        if isinstance(sentence, _OF_A_SEAT) and sentence.seat >= self._seats:
            raise WireError(f"{sentence.NAME} names a seat that this game does not have")
        if not self._held or self._is_continuation(sentence):
            return self._react(number, sentence)
        return self._release(sentence) + self._react(number, sentence)

    def _react(self, number: int, sentence: ServerSentence) -> list[ClientEvent]:  # the most frequent come first
        match sentence:
            case server_messages.Tsumo():
                rinshan = self._seen.awaits_replacement
                return self._note(TileDrawn(sentence.seat, sentence.left, sentence.tile, rinshan))
            case server_messages.Sutehai():
                return self._discarded(sentence)
            case questions.SutehaiQuestion():
                return [self._turn_asked(number, sentence)]
            case questions.NakuQuestion():
                return [self._call_asked(number, sentence)]
            case server_messages.Say():
                return self._said(sentence)
            case server_messages.Open():
                return self._shown(sentence)
            case server_messages.Point():
                return self._paid(sentence)
            case server_messages.Dora(indicator):
                return self._hold(sentence) if self._held else self._revealed(indicator)
            case server_messages.Dice() | server_messages.Agari():
                return self._continue(sentence)
            case server_messages.Ryukyoku():
                return self._hold(sentence)
            case server_messages.Haipai(seat, tiles):
                return self._note(HandDealt(seat, None if tiles is None else sort_faces(tiles)))
            case server_messages.KyokuStart():
                return self._kyoku_begun(sentence)
            case server_messages.KyokuEnd():
                return self._note(KyokuEnded())
            case server_messages.GameStart():
                return self._game_begun(sentence)
            case server_messages.GameEnd(points):
                return self._game_ended(points)
            case questions.TenpaiQuestion(extras):
                offers = (DeclareTenpai(), DeclareNoten())
                return [QuestionAsked(number, Phase.DECLARE, None, offers, time=extras.time)]
            case questions.ReadyQuestion(extras):
                return [ReadyAsked(number, extras.time)]
            case Illegal() | Late() | Waiting() | Notice():
                return [_explanation(sentence)]
            case WaitsNow() | ShantenNow():
                return [_hint(sentence)]
            case extension_messages.SeatToken(token):
                return [TokenReceived(token)]
            case extension_messages.SeedQuestion():
                return [SeedAsked(number)]
            case Commitment() | Secret() | Seeds() | Texts():
                return [_proof(sentence)]
            case server_messages.Hello(options):
                return [HelloReceived(number, options)]
            case server_messages.Error(message):
                return [ErrorReceived(message)]
            case server_messages.Bye():
                return [ByeReceived(number)]
            case _:
                assert_never(sentence)

    def _note(self, event: Event) -> list[ClientEvent]:
        """Update the visible state with an event, and return it."""
        self._seen.see(event)
        return [event]

    # Events of several sentences

    def _is_continuation(self, sentence: ServerSentence) -> bool:
        """Tell whether a sentence belongs to the event that is held."""
        match self._held:
            case [server_messages.Say(seat)]:
                return isinstance(sentence, server_messages.Open) and sentence.seat == seat
            case [first, *_]:
                return isinstance(sentence, _CONTINUED_BY[type(first)])
        return False

    def _hold(self, sentence: ServerSentence) -> list[ClientEvent]:
        if len(self._held) >= MAX_HELD:
            self._held = []
            raise WireError(f"an event of more than {MAX_HELD} sentences")
        self._held.append(sentence)
        return []

    def _continue(self, sentence: ServerSentence) -> list[ClientEvent]:
        """Hold a sentence that can only continue an event."""
        if not self._held:
            raise WireError(f"{sentence.NAME} must follow the first sentence of its event")
        return self._hold(sentence)

    def _release(self, following: ServerSentence) -> list[ClientEvent]:
        """Return the event that is held; the following sentence shows the purpose of an opened hand."""
        held, self._held = self._held, []
        match held:
            case [server_messages.KyokuStart() as start, *rest]:
                return self._note(self._kyoku_started(start, rest))
            case [server_messages.Ryukyoku(reason), *rest]:
                return self._note(KyokuDrawn(reason, self._changes(rest)))
            case [server_messages.Open() as hand]:
                is_tenpai = following == server_messages.Say(hand.seat, Call.TENPAI)
                return self._note(self._tenpai(hand) if is_tenpai else self._opened(hand))
            case [server_messages.Say(seat, Call.RON)]:
                return self._note(RonDeclared(seat))
            case [server_messages.Say(seat, Call.RON), server_messages.Open() as hand]:
                return self._note(RonDeclared(seat)) + self._note(self._opened(hand))
            case [server_messages.Say() as said, server_messages.Open() as hand, *rest] if rest:
                return self._note(self._won(said, hand, rest))
        return []

    def _kyoku_started(self, start: server_messages.KyokuStart, rest: list[ServerSentence]) -> Event:
        points = {each.seat: each.points for each in rest if isinstance(each, server_messages.Point)}
        dice = next(((each.first, each.second) for each in rest if isinstance(each, server_messages.Dice)), (1, 1))
        if len(points) != self._seats or start.kyotaku % STICK_POINTS:
            raise WireError(f"a kyoku of {self._seats} begins with {len(points)} scores, {start.kyotaku} on the table")
        scores = tuple(points[seat] for seat in sorted(points))
        sticks = start.kyotaku // STICK_POINTS
        return KyokuStarted(WINDS.index(start.bakaze), start.dealer, start.honba, sticks, scores, dice)

    def _changes(self, held: list[ServerSentence]) -> tuple[int, ...]:
        changes = [0] * self._seats
        for each in held:
            if isinstance(each, server_messages.Point):
                changes[each.seat] += each.points if each.sign == "+" else -each.points
        return tuple(changes)

    def _opened(self, hand: server_messages.Open) -> Event:
        return HandOpened(hand.seat, parse_shown(hand.tiles)[0], tuple(self._seen.melds[hand.seat]))

    def _tenpai(self, hand: server_messages.Open) -> Event:
        return TenpaiDeclared(hand.seat, True, parse_shown(hand.tiles)[0], tuple(self._seen.melds[hand.seat]))

    def _won(self, said: server_messages.Say, hand: server_messages.Open, rest: list[ServerSentence]) -> Event:
        worth = next((each for each in rest if isinstance(each, server_messages.Agari)), None)
        faces = parse_shown(hand.tiles)[0]
        if said.call is Call.RON:
            loser, tile = self._seen.source, self._seen.last_tile
        else:
            loser, tile = None, faces[-1] if faces else None
        if worth is None or tile is None:
            raise WireError(f"a win by {said.call.value} without its tile or its value")
        return HandWon(
            seat=said.seat,
            loser=loser,
            tile=tile,
            faces=faces,
            melds=tuple(self._seen.melds[said.seat]),
            riichi=self._seen.in_riichi[said.seat],
            ura=tuple(each.indicator for each in rest if isinstance(each, server_messages.Dora)),
            value=_value(worth),
            changes=self._changes(rest),
            norths=self._seen.norths[said.seat],
        )

    # Single sentences

    def _game_begun(self, sentence: server_messages.GameStart) -> list[ClientEvent]:
        self._seats = len(sentence.names)
        self._seen = _empty_table(self._seats)
        return [SeatAssigned(sentence.seat), *self._note(GameStarted(sentence.names))]

    def _kyoku_begun(self, sentence: server_messages.KyokuStart) -> list[ClientEvent]:
        if sentence.dealer >= self._seats:
            raise WireError(f"the dealer is not one of the {self._seats} players")
        self._seen = _empty_table(self._seats)
        return self._hold(sentence)

    def _paid(self, sentence: server_messages.Point) -> list[ClientEvent]:
        if self._held:
            return self._hold(sentence)
        if sentence.seat == self._seen.unpaid and sentence.sign == "-":
            return self._note(RiichiPaid(sentence.seat))
        return []  # a server may state scores at any time

    def _revealed(self, indicator: Face) -> list[ClientEvent]:
        if len(self._seen.indicators) >= MAX_INDICATORS:
            raise WireError(f"more than {MAX_INDICATORS} dora indicators")
        return self._note(DoraRevealed(indicator))

    def _discarded(self, sentence: server_messages.Sutehai) -> list[ClientEvent]:
        seat = sentence.seat
        if len(self._seen.rivers[seat]) >= MAX_DISCARDS:
            raise WireError(f"more than {MAX_DISCARDS} discards of one player")
        is_riichi = self._seen.unpaid == seat
        return self._note(TileDiscarded(seat, sentence.tile, sentence.tsumogiri, is_riichi))

    def _turn_asked(self, number: int, sentence: questions.SutehaiQuestion) -> QuestionAsked:
        tile, extras = self._seen.drawn, sentence.extras
        offers = None if extras.offers is None else tuple(_as_drawn(offer, tile) for offer in extras.offers)
        return QuestionAsked(number, Phase.TURN, tile, offers, extras.hand, extras.time, extras.hints)

    def _call_asked(self, number: int, sentence: questions.NakuQuestion) -> QuestionAsked:
        kan, extras = self._seen.kan, sentence.extras
        is_chankan = self._seen.kita or (kan is not None and kan.type is not MeldType.DAIMINKAN)
        offers = None if extras.offers is None else (Pass(), *extras.offers)
        phase = Phase.CHANKAN if is_chankan else Phase.CALL
        return QuestionAsked(number, phase, sentence.tile, offers, extras.hand, extras.time, extras.hints)

    def _said(self, sentence: server_messages.Say) -> list[ClientEvent]:
        match sentence.call:
            case Call.RIICHI:
                return self._note(RiichiDeclared(sentence.seat))
            case Call.NOTEN:
                melds = tuple(self._seen.melds[sentence.seat])
                return self._note(TenpaiDeclared(sentence.seat, False, None, melds))
            case Call.TENPAI:
                return []  # the event came out with the hand that was shown before
        return self._hold(sentence)

    def _shown(self, sentence: server_messages.Open) -> list[ClientEvent]:
        match self._held:
            case [server_messages.Say(seat, Call.KITA)] if sentence.tiles == SET_ASIDE:
                self._held = []
                self._check_norths(seat)
                return self._note(KitaDeclared(seat))
            case [server_messages.Say(_, call)] if call in _CALL_TYPES:
                self._held = []
                return self._note(self._meld(sentence, call))
        return self._hold(sentence)

    def _meld(self, shown: server_messages.Open, call: Call) -> Event:
        """Return the kan on the own turn, or the call of another player's tile."""
        seat, own = shown.seat, sort_faces(parse_shown(shown.tiles)[1])
        if not own:
            raise WireError(f"{shown.serialise()} does not show a meld")
        if call is Call.KAN and (shown.claimed is None or self._seen.drawer == seat):
            return self._own_kan(seat, own, shown.claimed)
        if shown.claimed is None or shown.claimed != self._seen.last_tile:
            raise WireError(f"{shown.serialise()} takes a tile that nobody has discarded")
        self._check_room(seat)
        return TileCalled(seat, _meld_of(_CALL_TYPES[call], own, (shown.claimed,), self._seen.source))

    def _own_kan(self, seat: Seat, tiles: tuple[Face, ...], added: Face | None) -> Event:
        """Return a kan on the own turn: closed, or a tile added to a pon."""
        if added is None:
            self._check_room(seat)
            return KanDeclared(seat, _meld_of(MeldType.ANKAN, tiles, (), None))
        for meld in self._seen.melds[seat]:
            if meld.type is MeldType.PON and meld.faces == tiles:
                return KanDeclared(seat, _meld_of(MeldType.KAKAN, meld.own, (meld.called, added), meld.source))
        raise WireError("a tile was added to a pon that does not exist")

    def _check_norths(self, seat: Seat) -> None:
        """Raise WireError if the seat cannot set one more north aside."""
        if self._seen.norths[seat] >= COPIES:
            raise WireError(f"more than {COPIES} norths")

    def _check_room(self, seat: Seat) -> None:
        """Raise WireError if the seat cannot have one more meld."""
        if len(self._seen.melds[seat]) >= MAX_MELDS:
            raise WireError(f"more than {MAX_MELDS} melds")

    def _game_ended(self, points: tuple[int, ...]) -> list[ClientEvent]:
        if len(points) != self._seats:
            raise WireError(f"a game of {self._seats} ends with {len(points)} scores")
        return self._note(GameEnded(points, (), ()))


_CONTINUED_BY: dict[type[ServerSentence], tuple[type[ServerSentence], ...]] = {
    server_messages.KyokuStart: (server_messages.Point, server_messages.Dice),
    server_messages.Ryukyoku: (server_messages.Point,),
    server_messages.Open: (),
    server_messages.Say: (server_messages.Dora, server_messages.Agari, server_messages.Point),
}
"""The sentences that continue an event which begins with one of these; ``say`` is followed by ``open`` first."""


def _hint(sentence: WaitsNow | ShantenNow) -> HintReceived:
    return HintReceived(0, sentence.waits) if isinstance(sentence, WaitsNow) else HintReceived(sentence.shanten)


def _explanation(sentence: Illegal | Late | Waiting | Notice) -> ClientEvent:
    """Return a sentence of ``_explain=1`` as an event."""
    match sentence:
        case Illegal(answered, reason):
            return AnswerRefused(answered, reason)
        case Late(asked, left):
            return TimeRanOut(asked, left)
        case Waiting(seated, needed):
            return PlayersWaiting(seated, needed)
        case Notice(text):
            return NoticeReceived(text)
        case _:
            assert_never(sentence)


def _proof(sentence: Commitment | Secret | Seeds | Texts) -> ProofReceived:
    """Return what a sentence says about the walls."""
    match sentence:
        case Commitment(digest):
            return ProofReceived(commitment=digest)
        case Secret(secret):
            return ProofReceived(secret=secret)
        case Seeds(commitments):
            return ProofReceived(commitments=commitments)
        case Texts(texts):
            return ProofReceived(texts=texts)
        case _:
            assert_never(sentence)


def _empty_table(seats: int) -> Observation:
    """Return the visible state of a table with this many players; of the rules, only their number matters here."""
    return Observation(None, Ruleset(uma=(0,) * seats))


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


def _value(worth: server_messages.Agari) -> HandValue:
    """Return the value of a win as the server states it, without unknown yaku; base points are not on the wire."""
    named = ((_YAKU.get((name, han >= YAKUMAN_HAN)), han) for name, han in worth.yaku)
    yaku = tuple((each, han) for each, han in named if each is not None)
    han = sum(han for _, han in worth.yaku)
    return HandValue(yaku, han, worth.fu, 0 if worth.fu else han // YAKUMAN_HAN, 0)


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
