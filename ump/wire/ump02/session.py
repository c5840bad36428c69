"""The server's side of one UMP 0.2 connection, from the client's hello on, without input or output.

It uses the parts of ``ump.wire.ump01`` that serve both versions: state, ids, the current question, reading lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from ump.model.actions import Action, Riichi
from ump.model.claims import Claim, Reason, Verb
from ump.model.commitments import PlayerSeed
from ump.model.events import (
    DoraRevealed,
    GameStarted,
    HandDealt,
    HandWon,
    KyokuStarted,
    RiichiDeclared,
    TileDiscarded,
    TileDrawn,
)
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face, Kind
from ump.wire.session import (
    Answered,
    Farewell,
    Interruption,
    Introduction,
    OutgoingEvent,
    QuestionView,
    Received,
    Session,
    Stale,
    Staleness,
    TableInfo,
    Unreadable,
    Violated,
)
from ump.wire.text import MAX_ERROR, MAX_LINE, WireError
from ump.wire.ump01.client_lines import split_line
from ump.wire.ump01.client_messages import ClientBye, Reveal
from ump.wire.ump01.connection_state import CLOSING, TRANSITIONS, ConnectionState, ConnectionStep
from ump.wire.ump01.current_question import CurrentQuestion
from ump.wire.ump01.extension_messages import Illegal, Late, Notice, SeatToken, Waiting
from ump.wire.ump01.hello_options import RequestedExtensions, read_extensions
from ump.wire.ump01.questions import ReadyQuestion, TenpaiQuestion
from ump.wire.ump01.sentence_ids import SentenceIds
from ump.wire.ump01.session import RETRIES
from ump.wire.ump01.wall_proof import WallProof
from ump.wire.ump02 import server_messages
from ump.wire.ump02.answers import is_for_another, read_claim
from ump.wire.ump02.client_messages import Ack, Tenpai
from ump.wire.ump02.questions import NakiQuestion, SutehaiQuestion
from ump.wire.ump02.render import RENDER, RENDER_OF_THREE, deal_sentences, start_sentences, win_sentences
from ump.wire.ump02.words import split_words

VERSION = "0.2"

FIRST_ID = 1
"""The id of the first sentence. The hello of 0.1 that greeted the client had id 0."""

_RAW_BYTES = re.compile(rb"(?:^|[ \t])datasize=")
"""The option with which a line announces that raw bytes follow."""


def take_over(introduction: Introduction, options: Mapping[str, str], first_id: int = FIRST_ID) -> Session:
    """Return the session of a client that answered 0.1's hello with ``ump=0.2``, or a higher 0.x.

    ``options`` are the decoded options of its hello. The session reads ``lang=`` or ``_lang=`` (``en`` for romanised
    names of yaku) and ``_explain=1``. ``first_id`` is one more than the last id that was used. Of the
    introduction, which goes to the lobby, the session needs to know only whether the client comes back to its seat.
    """
    return Ump02Session(read_extensions(options), first_id, is_returning=introduction.token is not None)


class Ump02Session(Session):
    """One UMP 0.2 connection as the server sees it, from the client's hello on.

    The session remembers only facts that its player may see: the dealer, whether this seat is in riichi, and the dealt
    hands until the dora is revealed, because 0.2 sends the dora first.

    The session corrects two mistakes of libump's own ``client::Bot``, as libump's server does, because the bot would
    repeat them for ever: a riichi that is not offered with that tile counts as a discard, and in riichi the drawn tile
    is discarded, even if the answer names another.
    """

    __slots__ = (
        "_dealer",
        "_drawn",
        "_extensions",
        "_hands",
        "_ids",
        "_in_riichi",
        "_is_returning",
        "_question",
        "_render",
        "_riichi_kinds",
        "_seat",
        "_table",
        "_walls",
        "state",
    )
    DIALECT = "UMP 0.2"
    MAX_MESSAGE = MAX_LINE
    RETRIES = RETRIES

    def __init__(
        self, extensions: RequestedExtensions, first_id: int = FIRST_ID, *, is_returning: bool = False
    ) -> None:
        """Start in the lobby. A client that ``is_returning`` to its seat is first told again what it knew."""
        super().__init__()
        self.state = ConnectionState.LOBBY
        self._extensions = extensions
        self._ids = SentenceIds(first_id)
        self._is_returning = is_returning
        """Whether sentences are repeated: they have the option ``reconnect=1``, and announcements are left out."""
        self._question = CurrentQuestion()
        self._render = RENDER
        """Writes the events of a game with this number of players."""
        self._walls = WallProof(wants_proof=extensions.proof, commitment=extensions.seed)
        self._seat: Seat | None = None
        self._table: str | None = None
        """The name of the game; a spectator has none."""
        self._dealer: Seat = 0
        self._hands: list[HandDealt] = []
        """The hands of this kyoku until they are sent."""
        self._in_riichi = False
        self._drawn: Face | None = None
        """The tile drawn before the last ``sutehai?``; None after a call."""
        self._riichi_kinds: frozenset[Kind] = frozenset()
        """The kinds of tile that the last ``sutehai?`` offered for riichi."""

    @property
    def wants_token(self) -> bool:
        """Whether the client has sent ``_resume``."""
        return self._extensions.resume

    @property
    def seed(self) -> PlayerSeed | None:
        """What the client adds to the walls, with ``_seed=``."""
        return self._walls.seed

    @property
    def question_id(self) -> int | None:
        """The id of the last question."""
        return self._question.last_id

    # Messages from the client

    def receive(self, line: bytes, now: float) -> Received:
        """Take one line, without its end."""
        if self.state is CLOSING:
            return Stale(Staleness.CLOSING)
        if _RAW_BYTES.search(line):
            return Violated("datasize= is not supported")
        given_id, words = split_line(line)
        if words is None:
            return self._receive_answer(given_id, None, now)
        if given_id is None and not words:
            return Stale(Staleness.EMPTY)
        if words == [ClientBye.NAME]:
            return Farewell()
        if words[:1] == [Reveal.NAME]:
            return self._walls.receive(given_id, words[1:])
        return self._receive_answer(given_id, words, now)

    def _receive_answer(self, given_id: str | None, words: list[str] | None, now: float) -> Received:
        """Take a line that may answer the question; ``words`` is None if it cannot be typed."""
        command = "" if words is None else _command_of(words)
        if command == Ack.NAME:
            return Stale(Staleness.EMPTY)
        asked = self._question.answered_by(given_id, now)
        if isinstance(asked, Staleness):
            return Stale(asked)
        if given_id is None and is_for_another(command, asked.phase):
            return Stale(Staleness.OTHER_QUESTION)
        self._question.close()
        if words is None:
            return Unreadable(asked.number)
        if asked.phase is Phase.DECLARE and given_id is not None and command:
            return Answered(asked.number, Claim(Verb.YES if command == Tenpai.NAME else Verb.NO))
        try:
            return Answered(asked.number, self._corrected(read_claim(tuple(words))))
        except WireError as error:
            return Unreadable(asked.number, str(error))

    def _corrected(self, claim: Claim) -> Claim:
        """Return the claim that libump's bot means when it makes one of its two mistakes."""
        if claim.verb not in (Verb.DISCARD, Verb.RIICHI):
            return claim
        if self._in_riichi and self._drawn is not None:
            return Claim(Verb.DISCARD, (self._drawn,), tsumogiri=True)
        if claim.verb is Verb.RIICHI and not all(KIND_OF[face] in self._riichi_kinds for face in claim.tiles):
            return Claim(Verb.DISCARD, claim.tiles, claim.tsumogiri)
        return claim

    # Messages to the client

    def greet(self) -> None:
        """Send nothing: the client has received the hello of 0.1."""

    def tell(self, event: OutgoingEvent, now: float) -> None:
        """Send an event."""
        sentences = self._sentences_of(event)
        self._ids.add_all(repeated(sentences) if self._is_returning else sentences, self._out)

    def _sentences_of(self, event: OutgoingEvent) -> Iterable[str]:
        """Return the sentences of an event, and remember the facts that later sentences need."""
        seen = event.seen_by(self._seat)
        match seen:
            case TileDrawn() | TileDiscarded():
                pass
            case GameStarted():
                self._render = RENDER_OF_THREE if len(seen.names) == 3 else RENDER
                return start_sentences(seen, self._seat, self._table)
            case KyokuStarted():
                self._dealer, self._hands, self._in_riichi = seen.dealer, [], False
            case HandDealt():
                self._hands.append(seen)
                return ()
            case DoraRevealed() if self._hands:
                hands, self._hands = self._hands, []
                return (*self._render(seen, None), *deal_sentences(hands))
            case RiichiDeclared():
                self._in_riichi = self._in_riichi or seen.seat == self._seat
            case HandWon():
                return win_sentences(seen, self._extensions.language, self._dealer)
        return event.rendered(self._render, self._seat)

    def ask(self, number: int, question: QuestionView | None, move: float, bank: float, now: float) -> None:
        """Ask a question, with its offers; 0.2 does not say how much time is left."""
        phase = None if question is None else question.phase
        self._question.open(number, self._ids.next, phase)
        match phase:
            case None:
                sentence = ReadyQuestion.NAME
            case Phase.TURN:
                assert question is not None
                legal = question.legal()
                self._drawn, self._riichi_kinds = question.tile, _riichi_kinds(legal)
                sentence = SutehaiQuestion.offering(legal).serialise()
            case Phase.CALL | Phase.CHANKAN:
                assert question is not None and question.tile is not None
                sentence = NakiQuestion.offering(question.tile, question.legal()).serialise()
            case Phase.DECLARE:
                sentence = TenpaiQuestion.NAME
            case _:
                assert_never(phase)
        self._ids.add(sentence, self._out)

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question that has been decided or has timed out; send nothing."""
        self._question.lapse(number, now, by_time=by_time)

    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Close a question whose answer was refused; with ``_explain=1`` send the reason."""
        sentence_id = self._question.refuse(number)
        if sentence_id is not None and self._extensions.explain:
            self._ids.add(Illegal(sentence_id, reason).serialise(), self._out)

    def explain_timeout(self, number: int, left: int) -> None:
        """With ``_explain=1`` say that the time for a question ran out."""
        sentence_id = self._question.id_of(number)
        if sentence_id is not None and self._extensions.explain:
            self._ids.add(Late(sentence_id, left).serialise(), self._out)

    def wait(self, seated: int, needed: int) -> None:
        """With ``_explain=1`` send how many players sit in the room."""
        if self._extensions.explain:
            self._ids.add(Waiting(seated, needed).serialise(), self._out)

    def announce(self, text: str) -> bool:
        """With ``_explain=1`` send what the operator says."""
        if self._extensions.explain:
            self._ids.add(Notice(text).serialise(), self._out)
        return self._extensions.explain

    def ask_seed(self, commitment: str, commitments: tuple[str | None, ...]) -> None:
        """With ``_seed=`` or ``_proof=1`` send the commitments, and ask for the client's text if it has one."""
        self._ids.add_all(self._walls.ask(commitment, commitments, self._ids.next), self._out)

    def bye(self) -> None:
        """Send nothing: in 0.2 either side just closes the connection."""

    def interrupt(self, outlook: Interruption) -> None:
        """With ``_explain=1`` say as an error what becomes of the game; otherwise send nothing."""
        if self._extensions.explain:
            self.error(outlook.value)
        else:
            self.bye()

    def error(self, message: str) -> None:
        """Send an error message; the connection is closing from now on."""
        self.close()
        self._ids.add(server_messages.Error(message[:MAX_ERROR]).serialise(), self._out)

    # The seat

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Enter a game at this seat."""
        self._seat = seat
        self._table = table.table
        if table.token is not None:
            self._ids.add(SeatToken(table.token).serialise(), self._out)
        self._ids.add_all(self._walls.sit(table), self._out)
        self._step(ConnectionStep.SAT)

    def caught_up(self) -> None:
        """Send what follows without ``reconnect=1``."""
        self._is_returning = False

    def stand(self) -> None:
        """Leave the seat after a game, and wait for the next one."""
        self._question.close()
        self._walls.stand()
        self._seat = None
        self._step(ConnectionStep.STOOD)

    def publish(self, secret: str) -> None:
        """With ``_proof=1`` or ``_seed=`` send the secret of the walls."""
        self._ids.add_all(self._walls.publish(secret), self._out)

    def watch(self) -> None:
        """Start to watch a room."""
        self._step(ConnectionStep.WATCHED)

    def close(self) -> None:
        """Ignore all further lines; the connection is closing."""
        self._question.close()
        self._step(ConnectionStep.CLOSED)

    def _step(self, step: ConnectionStep) -> None:
        self.state = TRANSITIONS[self.state][step]


def repeated(sentences: Iterable[str]) -> Iterator[str]:
    """Yield sentences as a returning client receives them again: ``dora reconnect=1 9p``; ``say`` is left out."""
    for sentence in sentences:
        command, space, rest = sentence.partition(" ")
        if command != server_messages.Say.NAME:
            yield f"{command} reconnect=1{space}{rest}"


def _command_of(words: list[str]) -> str:
    """Return the command of a line, which options may precede; empty if there is none or it cannot be read."""
    try:
        arguments, _ = split_words(words)
    except WireError:
        return ""
    return arguments[0] if arguments else ""


def _riichi_kinds(legal: Iterable[Action]) -> frozenset[Kind]:
    """Return the kinds of tile that may be discarded with riichi."""
    return frozenset(KIND_OF[action.face] for action in legal if isinstance(action, Riichi) and not action.opened)
