"""The server's side of one UMP 0.1 connection, without input or output.

The session puts together the parts that 0.1 and 0.2 share: the connection's state, the ids of the sentences, the
current question, and the reading of lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias, assert_never

from ump.model.claims import Reason
from ump.model.commitments import PlayerSeed
from ump.model.notation import format_ump_hand
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.wire.session import (
    Answered,
    Farewell,
    Interruption,
    Introduced,
    Introduction,
    OutgoingEvent,
    OutgoingEvents,
    PersonSession,
    QuestionView,
    Received,
    Session,
    Stale,
    Staleness,
    Switched,
    TableInfo,
    Unreadable,
    Violated,
)
from ump.wire.text import MAX_ERROR, MAX_LINE, WireError
from ump.wire.ump01 import extension_messages, server_messages
from ump.wire.ump01.answers import is_for_another, read_claim
from ump.wire.ump01.client_lines import is_from_person, is_id, split_line, without_id
from ump.wire.ump01.client_messages import ClientBye, ClientHello, Reveal
from ump.wire.ump01.connection_state import CLOSING, HELLO, TRANSITIONS, ConnectionState, ConnectionStep
from ump.wire.ump01.current_question import CurrentQuestion
from ump.wire.ump01.hello_options import RequestedExtensions, read_extensions, read_introduction, version_of
from ump.wire.ump01.hints import SeatHints
from ump.wire.ump01.questions import Extras, NakuQuestion, ReadyQuestion, SutehaiQuestion, TenpaiQuestion, Time
from ump.wire.ump01.render import RENDER_IN
from ump.wire.ump01.sentence_ids import SentenceIds
from ump.wire.ump01.wall_proof import WallProof

FAREWELL_SECONDS = 5
"""Seconds for a client to answer ``bye``."""

RETRIES = 2
"""How often a question is asked again, with a new id, after an answer that is not accepted."""

TakeOver: TypeAlias = Callable[[Introduction, Mapping[str, str]], Session]
"""Makes the session of another version for a client whose hello asks for it, from the hello's decoded options."""

_NO_EXTRAS = Extras()


class Ump01Session(Session):
    """One UMP 0.1 connection as the server sees it."""

    __slots__ = (
        "_extensions",
        "_greeting",
        "_hints",
        "_ids",
        "_other_versions",
        "_person",
        "_question",
        "_render",
        "_seat",
        "_walls",
        "state",
    )
    DIALECT = "UMP 0.1"
    MAX_MESSAGE = MAX_LINE
    LINGER = FAREWELL_SECONDS
    OWES_FAREWELL = True
    RETRIES = RETRIES

    def __init__(
        self,
        greeting: server_messages.Hello,
        other_versions: Mapping[str, TakeOver] | None = None,
        person: Callable[[], PersonSession] | None = None,
    ) -> None:
        """Start with the server's hello; ``other_versions`` makes the sessions of versions that a client can choose.

        ``person`` makes the session of a client that turns out to be a person. Without it, every client is a program.
        """
        super().__init__()
        self.state: ConnectionState = HELLO
        self._greeting = greeting
        self._other_versions = other_versions or {}
        self._person = person
        self._extensions = RequestedExtensions()
        self._render = RENDER_IN[self._extensions.language]
        self._seat: Seat | None = None
        self._hints: SeatHints | None = None
        """The hints about this seat, for a client that wants them at a table that gives them."""
        self._ids = SentenceIds()
        self._question = CurrentQuestion()
        self._walls = WallProof()

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
        given_id, words = split_line(line)
        if self._person is not None and self.state is HELLO and is_from_person(given_id, words):
            session = self._person()
            return Switched(session, session.receive_first(without_id(line, given_id), now))
        if words is None:
            if self.state is HELLO:
                return Stale(Staleness.UNTYPABLE)
            return self._receive_answer(given_id, None, now)
        if given_id is None and not words:
            return Stale(Staleness.EMPTY)
        if words == [ClientBye.NAME]:
            return Farewell()
        if self.state is HELLO:
            return self._receive_hello(given_id, words)
        if words[:1] == [Reveal.NAME]:
            return self._walls.receive(given_id, words[1:])
        return self._receive_answer(given_id, words, now)

    def _receive_hello(self, given_id: str | None, words: list[str]) -> Received:
        if given_id is not None and not is_id(given_id, 0):
            return Stale(Staleness.OTHER_ID)
        if not words or words[0] != ClientHello.NAME:
            return Violated("expected a hello, as in: hello name=alice")
        try:
            options = dict(ClientHello.parse(words[1:]).options)
            introduction = read_introduction(options)
            version = version_of(options, self._other_versions)
            self._extensions = read_extensions(options)
        except WireError as error:
            return Violated(str(error))
        self._walls = WallProof(wants_proof=self._extensions.proof, commitment=self._extensions.seed)
        self._render = RENDER_IN[self._extensions.language]
        self._step(ConnectionStep.INTRODUCED)
        take_over = None if version is None else self._other_versions[version]
        return Introduced(introduction, None if take_over is None else take_over(introduction, options))

    def _receive_answer(self, given_id: str | None, words: list[str] | None, now: float) -> Received:
        """Take a line that may answer the question; ``words`` is None if it cannot be typed."""
        asked = self._question.answered_by(given_id, now)
        if isinstance(asked, Staleness):
            return Stale(asked)
        if words and given_id is None and is_for_another(words[0], asked.phase):
            return Stale(Staleness.OTHER_QUESTION)
        self._question.close()
        if words is None:
            return Unreadable(asked.number)
        try:
            return Answered(asked.number, read_claim(tuple(words)))
        except WireError as error:
            return Unreadable(asked.number, str(error))

    # Messages to the client

    def greet(self) -> None:
        """Send the hello."""
        self._ids.add(self._greeting.serialise(), self._out)

    def tell(self, event: OutgoingEvent, now: float) -> None:
        """Send an event. This is the most frequent call, so it counts ids itself, without ``SentenceIds.add``."""
        ids, out = self._ids, self._out
        number = ids.next
        for sentence in event.rendered(self._render, self._seat):
            out.append(f"{number} {sentence}")
            number += 1
        ids.next = number
        if self._hints is not None:
            hint = self._hints.see(event.seen_by(self._seat))
            if hint is not None:
                ids.add(hint.serialise(), out)

    def tell_spectator(self, events: OutgoingEvents, now: float) -> None:
        """Send events to a client without a seat: their text is made once for all whose ids are alike."""
        sentences = events.numbered(self._render, self._ids.next)
        self._ids.next += len(sentences)
        self._out += sentences

    def ask(self, number: int, question: QuestionView | None, move: float, bank: float, now: float) -> None:
        """Ask a question."""
        phase = None if question is None else question.phase
        self._question.open(number, self._ids.next, phase)
        extras = self._extras(question, move, bank)
        match phase:
            case None:
                sentence = ReadyQuestion(extras).serialise()
            case Phase.TURN:
                sentence = SutehaiQuestion(extras).serialise()
            case Phase.CALL | Phase.CHANKAN:
                assert question is not None and question.tile is not None
                sentence = NakuQuestion(question.tile, extras).serialise()
            case Phase.DECLARE:
                sentence = TenpaiQuestion(extras).serialise()
            case _:
                assert_never(phase)
        self._ids.add(sentence, self._out)

    def _extras(self, question: QuestionView | None, move: float, bank: float) -> Extras:
        """Return the additions of the client's extensions to a question."""
        extensions = self._extensions
        if not (extensions.offer or extensions.hand or extensions.time or self._hints):
            return _NO_EXTRAS
        time = Time(move, bank) if extensions.time else None
        if question is None or question.phase is Phase.DECLARE:
            return Extras(time=time)
        offers = question.legal() if extensions.offer else None
        hints = None if self._hints is None else self._hints.hints(question)
        if not extensions.hand:
            return Extras(offers, time=time, hints=hints)
        drawn = question.tile if question.phase is Phase.TURN else None
        hand = format_ump_hand(question.hand.concealed, question.hand.melds, drawn=drawn)
        return Extras(offers, hand, drawn, time, hints)

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question that has been decided or has timed out; send nothing."""
        self._question.lapse(number, now, by_time=by_time)

    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Close a question whose answer was refused; with ``_explain=1`` send the reason."""
        sentence_id = self._question.refuse(number)
        if sentence_id is not None and self._extensions.explain:
            self._ids.add(extension_messages.Illegal(sentence_id, reason).serialise(), self._out)

    def explain_timeout(self, number: int, left: int) -> None:
        """With ``_explain=1`` say that the time for a question ran out."""
        sentence_id = self._question.id_of(number)
        if sentence_id is not None and self._extensions.explain:
            self._ids.add(extension_messages.Late(sentence_id, left).serialise(), self._out)

    def wait(self, seated: int, needed: int) -> None:
        """With ``_explain=1`` send how many players sit in the room."""
        if self._extensions.explain:
            self._ids.add(extension_messages.Waiting(seated, needed).serialise(), self._out)

    def announce(self, text: str) -> bool:
        """With ``_explain=1`` send what the operator says."""
        if self._extensions.explain:
            self._ids.add(extension_messages.Notice(text).serialise(), self._out)
        return self._extensions.explain

    def ask_seed(self, commitment: str, commitments: tuple[str | None, ...]) -> None:
        """With ``_seed=`` or ``_proof=1`` send the commitments, and ask for the client's text if it has one."""
        self._ids.add_all(self._walls.ask(commitment, commitments, self._ids.next), self._out)

    def bye(self) -> None:
        """Send ``bye``."""
        self._ids.add(server_messages.Bye.NAME, self._out)

    def interrupt(self, outlook: Interruption) -> None:
        """With ``_explain=1`` or ``_resume=1`` say as an error what becomes of the game; otherwise send ``bye``."""
        if self._extensions.explain or self.wants_token:
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
        self._hints = SeatHints(seat, table.ruleset) if self._extensions.waits and table.hints else None
        if table.token is not None:
            self._ids.add(extension_messages.SeatToken(table.token).serialise(), self._out)
        self._ids.add_all(self._walls.sit(table), self._out)
        self._step(ConnectionStep.SAT)

    def stand(self) -> None:
        """Leave the seat after a game, and wait for the next one."""
        self._question.close()
        self._walls.stand()
        self._seat = self._hints = None
        self._step(ConnectionStep.STOOD)

    def watch(self) -> None:
        """Start to watch a room."""
        self._step(ConnectionStep.WATCHED)

    def publish(self, secret: str) -> None:
        """With ``_proof=1`` or ``_seed=`` send the secret of the walls."""
        self._ids.add_all(self._walls.publish(secret), self._out)

    def close(self) -> None:
        """Ignore all further lines; the connection is closing."""
        self._question.close()
        self._step(ConnectionStep.CLOSED)

    def _step(self, step: ConnectionStep) -> None:
        self.state = TRANSITIONS[self.state][step]
