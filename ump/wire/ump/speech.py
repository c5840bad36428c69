"""The messages of a session in each version of UMP, and its reading of answers: all in which the versions differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TypeAlias, assert_never

from ump.model import events as ev
from ump.model.actions import Action, Discard, Riichi
from ump.model.claims import Claim, Verb
from ump.model.notation import format_ump_hand
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face, Kind
from ump.players.hints import (
    HandDistance,
    HintScope,
    Waits,
    safe_discards,
    shanten_after,
    standing_of,
    waits_after,
    waits_now,
)
from ump.players.observation import Observation
from ump.wire.session import OutgoingEvent, QuestionView, TableInfo, Violated
from ump.wire.text import WireError
from ump.wire.ump import answers, render01, sentences01, sentences02
from ump.wire.ump.extras import NO_EXTRAS, Extras, Hints, Time
from ump.wire.ump.hello import RequestedExtensions
from ump.wire.ump.render01 import RENDER_IN
from ump.wire.ump.render02 import RENDER, RENDER_OF_THREE, deal_sentences, start_sentences, win_sentences
from ump.wire.ump.sentence import Sentence, split_words
from ump.wire.ump.sentences01 import ShantenNow, WaitsNow

# The hints of the extension _waits=1


_MOVES = (ev.TileDrawn, ev.TileCalled, ev.KanDeclared, ev.KitaDeclared)
"""Moves besides a discard. An own one changes the hand; another's may show a tile, or end a chance to win."""

_SHOWING = (ev.DoraRevealed, ev.HandOpened)
"""Other events that show tiles."""


class SeatHints:
    """The hints that a seat receives about its own hand in a game."""

    def __init__(self, seat: Seat, seen: Observation, *, has_advice: bool) -> None:
        self._seat = seat
        self._seen = seen
        self._has_advice = has_advice
        self._standing: HandDistance | None = None
        """The standing of the hand since its last change; None until it is asked for."""
        self._told: Waits | None = None
        """The waits that the client knows; None on its own turn, and while it is not tenpai."""

    def see(self, event: ev.Event) -> Sentence | None:
        """Take an event as the seat sees it; return the hints that follow it."""
        self._seen.see(event)
        if isinstance(event, ev.TileDiscarded):
            if event.seat == self._seat:
                return self._tell_anew()
            return self._tell_change()
        if isinstance(event, _MOVES):
            if event.seat != self._seat:
                return self._tell_change()
            self._standing = self._told = None
        elif isinstance(event, ev.KyokuStarted):
            self._standing = self._told = None
        elif isinstance(event, _SHOWING):
            return self._tell_change()
        return None

    def hints(self, question: QuestionView) -> Hints | None:
        """Return the hints at the end of a question; None if it has none."""
        if question.phase is Phase.DECLARE:
            return None
        if question.phase is Phase.TURN:
            return self._on_turn(question.legal())
        standing = self._stands()
        if not standing.waits:
            return Hints(standing.shanten, has_advice=self._has_advice)
        return Hints(waits=waits_now(self._seen, standing.waits), has_advice=self._has_advice)

    def _on_turn(self, legal: Iterable[Action]) -> Hints:
        discards = dict.fromkeys(action.face for action in legal if isinstance(action, Discard))
        found = waits_after(self._seen, discards)
        safe = safe_discards(self._seen, discards)
        if found:
            return Hints(discards=tuple(found.items()), safe=safe, has_advice=self._has_advice)
        return Hints(shanten_after(self._seen, discards), safe=safe, has_advice=self._has_advice)

    def _tell_anew(self) -> Sentence:
        """Return the hint after an own discard."""
        self._standing = None
        standing = self._stands()
        if not standing.waits:
            self._told = None
            return ShantenNow(standing.shanten)
        self._told = waits_now(self._seen, standing.waits)
        return WaitsNow(self._told.live, self._told.furiten)

    def _tell_change(self) -> Sentence | None:
        """Return the waits if others have changed a number or furiten."""
        if self._told is None:
            return None
        waits = waits_now(self._seen, self._stands().waits)
        if waits == self._told:
            return None
        self._told = waits
        return WaitsNow(waits.live, waits.furiten)

    def _stands(self) -> HandDistance:
        if self._standing is None:
            self._standing = standing_of(self._seen)
        return self._standing


RAW_BYTES_REFUSED = Violated("datasize= is not supported")

FAREWELL_SECONDS = 5.0
"""Seconds for a client of 0.1 to answer ``bye``."""


class Speech01:
    """UMP 0.1."""

    __slots__ = ("_dealer", "_extensions", "_has_extras", "_record", "advised", "follows", "hints", "render", "seat")
    DIALECT = "UMP 0.1"
    LINGER = FAREWELL_SECONDS
    COMMANDS = answers.COMMANDS_01
    ACK: str | None = None
    """The command of a sign of life, which answers nothing; None if the version has none."""
    RAW_BYTES: re.Pattern[bytes] | None = None
    """A part of lines that announce raw bytes, which this server does not read."""
    ERROR = sentences01.Error
    ADVICE = sentences01.Advice

    def __init__(self, extensions: RequestedExtensions) -> None:
        self.render = RENDER_IN[extensions.language]
        """Writes events whose sentences do not depend on what this client has received before."""
        self.seat: Seat | None = None
        self._extensions = extensions
        self.follows = extensions.results
        """Whether sentences depend on what this client has received before, so that ``sentences_of`` makes them."""
        self._dealer: Seat = 0
        self._record: str | None = None
        """The name of the record of the game; a spectator has none."""
        self._has_extras = extensions.offer or extensions.hand or extensions.time or extensions.results
        self.hints: SeatHints | None = None
        """The hints about this seat, for a client that wants them at a table that gives them."""
        self.advised: Observation | None = None
        """The game as the seat sees it, if the client may ask for advice."""

    def command_of(self, words: Sequence[str]) -> str:
        """Return the command of a line; empty if there is none."""
        if not words:
            return ""
        return words[0]

    def claim(self, words: tuple[str, ...], phase: Phase | None, given_id: str | None) -> Claim:
        """Read an answer to a question of this kind; raise WireError for an unreadable one."""
        return answers.read_claim(words)

    def sentences_of(self, event: OutgoingEvent) -> Iterable[str]:
        """Return the sentences of an event. Draws and discards are nine events of ten, so they come first."""
        seen = event.seen_by(self.seat)
        if self.follows and not isinstance(seen, _FREQUENT):
            match seen:
                case ev.KyokuStarted():
                    self._dealer = seen.dealer
                case ev.HandWon():
                    return render01.win_sentences(seen, self._extensions.language, self._dealer)
                case ev.GameEnded():
                    return (*render01.end_sentences(seen, self._record), *event.rendered(self.render, self.seat))
        return event.rendered(self.render, self.seat)

    def question(self, question: QuestionView | None, move: float, bank: float, *, is_last: bool) -> str:
        """Return the sentence of a question, with the additions that the client asked for."""
        phase = tile = None
        if question is not None:
            phase, tile = question.phase, question.tile
        if self._has_extras or self.hints:
            return _question_sentence(phase, tile, self._extras(question, move, bank, is_last=is_last))
        return _plain_question(phase, tile)

    def _extras(self, question: QuestionView | None, move: float, bank: float, *, is_last: bool) -> Extras:
        extensions = self._extensions
        time = offers = hints = drawn = None
        if extensions.time:
            time = Time(move, bank)
        if question is None or question.phase is Phase.DECLARE:
            return Extras(time=time, is_last=is_last and extensions.results)
        if extensions.offer:
            offers = question.legal()
        if self.hints is not None:
            hints = self.hints.hints(question)
        if not extensions.hand:
            return Extras(offers, time=time, hints=hints)
        if question.phase is Phase.TURN:
            drawn = question.tile
        hand = format_ump_hand(question.hand.concealed, question.hand.melds, drawn=drawn)
        return Extras(offers, hand, drawn, time, hints)

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Give hints if client and table want them."""
        self.seat, self._record = seat, table.record
        self.hints = self.advised = None
        if self._extensions.waits and table.hints is not HintScope.NONE:
            seen, has_advice = Observation(seat, table.ruleset), table.hints is HintScope.ADVICE
            self.hints = SeatHints(seat, seen, has_advice=has_advice)
            if has_advice:
                self.advised = seen

    def stand(self) -> None:
        """Give no hints any more."""
        self.seat = self.hints = self.advised = self._record = None

    def caught_up(self) -> None:
        """Do nothing: a returning client reads the same sentences as the first time."""


@cache
def _plain_question(phase: Phase | None, tile: Face | None) -> str:
    return _question_sentence(phase, tile, NO_EXTRAS)


def _question_sentence(phase: Phase | None, tile: Face | None, extras: Extras) -> str:
    match phase:
        case None:
            return sentences01.ReadyQuestion(extras).serialise()
        case Phase.TURN:
            return sentences01.SutehaiQuestion(extras).serialise()
        case Phase.CALL | Phase.CHANKAN:
            assert tile is not None
            return sentences01.NakuQuestion(tile, extras).serialise()
        case Phase.DECLARE:
            return sentences01.TenpaiQuestion(extras).serialise()
        case _:
            assert_never(phase)


_FREQUENT = (ev.TileDrawn, ev.TileDiscarded)


class Speech02:
    """UMP 0.2.

    It remembers only facts that the player may see: the dealer, whether this seat is in riichi, and the dealt hands
    until the dora is revealed, because 0.2 sends the dora first.

    It corrects two mistakes of libump's own ``client::Bot``, as libump's server does, because the bot would repeat them
    for ever: a riichi that is not offered with that tile counts as a discard, and in riichi the drawn tile is
    discarded, even if the answer names another.
    """

    __slots__ = (
        *("_dealer", "_drawn", "_hands", "_in_riichi", "_is_returning", "_language", "_riichi_kinds", "_table"),
        *("advised", "render", "seat"),
    )
    DIALECT = "UMP 0.2"
    LINGER = 0.0  # the client just closes the connection
    COMMANDS = answers.COMMANDS_02
    ACK = sentences02.Ack.NAME
    RAW_BYTES = re.compile(rb"(?:^|[ \t])datasize=")
    ERROR = sentences02.Error
    ADVICE = sentences02.Advice
    follows = True
    hints = None

    def __init__(self, extensions: RequestedExtensions, *, is_returning: bool) -> None:
        """Speak with a client. One that ``is_returning`` to its seat is first told again what it knew."""
        self.render = RENDER
        """Writes the events of a game with this number of players."""
        self.seat: Seat | None = None
        self._language = extensions.language
        self._is_returning = is_returning
        """Whether sentences are repeated: they have the option ``reconnect=1``, and announcements are left out."""
        self._table: str | None = None
        """The name of the game; a spectator has none."""
        self._dealer: Seat = 0
        self._hands: list[ev.HandDealt] = []
        """The hands of this kyoku until they are sent."""
        self._in_riichi = False
        self._drawn: Face | None = None
        """The tile drawn before the last ``sutehai?``; None after a call."""
        self._riichi_kinds: frozenset[Kind] = frozenset()
        """The kinds of tile that the last ``sutehai?`` offered for riichi."""
        self.advised: Observation | None = None
        """The game as the seat sees it, if the client may ask for advice."""

    def command_of(self, words: Sequence[str]) -> str:
        """Return the command of a line, which options may precede; empty if there is none or it cannot be read."""
        try:
            arguments, _ = split_words(words)
        except WireError:
            return ""
        if not arguments:
            return ""
        return arguments[0]

    def claim(self, words: tuple[str, ...], phase: Phase | None, given_id: str | None) -> Claim:
        """Read an answer, as libump's bot means it when it makes one of its two mistakes."""
        if phase is Phase.DECLARE and given_id is not None:
            command = self.command_of(words)
            if command == "tenpai":
                return Claim(Verb.YES)
            if command:
                return Claim(Verb.NO)
        claim = answers.read_claim_02(words)
        if claim.verb not in (Verb.DISCARD, Verb.RIICHI):
            return claim
        if self._in_riichi and self._drawn is not None:
            return Claim(Verb.DISCARD, (self._drawn,), tsumogiri=True)
        if claim.verb is Verb.RIICHI and KIND_OF[claim.tiles[0]] not in self._riichi_kinds:
            return Claim(Verb.DISCARD, claim.tiles, claim.tsumogiri)
        return claim

    def sentences_of(self, event: OutgoingEvent) -> Iterable[str]:
        """Return the sentences of an event. Draws and discards are nine events of ten, so they come first."""
        seen = event.seen_by(self.seat)
        if self.advised is not None:
            self.advised.see(seen)
        if isinstance(seen, _FREQUENT) and not self._is_returning:
            return event.rendered(self.render, self.seat)
        sentences = self._following(event, seen)
        if self._is_returning:
            return repeated(sentences)
        return sentences

    def _following(self, event: OutgoingEvent, seen: ev.Event) -> Iterable[str]:
        """Return the sentences of an event, and remember the facts that later sentences need."""
        match seen:
            case ev.GameStarted():
                self.render = RENDER
                if len(seen.names) == 3:
                    self.render = RENDER_OF_THREE
                return start_sentences(seen, self.seat, self._table)
            case ev.KyokuStarted():
                self._dealer, self._hands, self._in_riichi = seen.dealer, [], False
            case ev.HandDealt():
                self._hands.append(seen)
                return ()
            case ev.DoraRevealed() if self._hands:
                hands, self._hands = self._hands, []
                return (*self.render(seen, None), *deal_sentences(hands))
            case ev.RiichiDeclared():
                self._in_riichi = self._in_riichi or seen.seat == self.seat
            case ev.HandWon():
                return win_sentences(seen, self._language, self._dealer)
        return event.rendered(self.render, self.seat)

    def question(self, question: QuestionView | None, move: float, bank: float, *, is_last: bool) -> str:
        """Return the sentence of a question, with its offers; 0.2 does not say how much time is left."""
        if question is None:
            return sentences01.ReadyQuestion.NAME
        match question.phase:
            case Phase.TURN:
                legal = question.legal()
                self._drawn, self._riichi_kinds = question.tile, _riichi_kinds(legal)
                return sentences02.SutehaiQuestion.offering(legal).serialise()
            case Phase.CALL | Phase.CHANKAN:
                assert question.tile is not None
                return sentences02.NakiQuestion.offering(question.tile, question.legal()).serialise()
            case Phase.DECLARE:
                return sentences01.TenpaiQuestion.NAME
            case _:
                assert_never(question.phase)

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Name the game after the table."""
        self.seat, self._table = seat, table.table
        self.advised = None
        if table.hints is HintScope.ADVICE:
            self.advised = Observation(seat, table.ruleset)

    def stand(self) -> None:
        """Leave the seat."""
        self.seat = self.advised = None

    def caught_up(self) -> None:
        """Send what follows without ``reconnect=1``."""
        self._is_returning = False


Speech: TypeAlias = Speech01 | Speech02
"""One version of UMP, spoken with one client."""


def repeated(sentences: Iterable[str]) -> Iterator[str]:
    """Yield sentences as a returning client receives them again: ``dora reconnect=1 9p``; ``say`` is left out."""
    for sentence in sentences:
        command, space, rest = sentence.partition(" ")
        if command != sentences02.Say.NAME:
            yield f"{command} reconnect=1{space}{rest}"


def _riichi_kinds(legal: Iterable[Action]) -> frozenset[Kind]:
    """Return the kinds of tile that may be discarded with riichi."""
    return frozenset(KIND_OF[action.face] for action in legal if isinstance(action, Riichi) and not action.opened)
