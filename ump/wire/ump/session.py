"""The server's side of one UMP connection, without input or output.

Every connection begins in 0.1; the client's hello may choose 0.2. All that the versions share is here; where they
differ, the session asks its ``Speech``.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf

from ump.model.claims import Reason
from ump.model.commitments import PlayerSeed, commitments_in, text_commitment_of, texts_in
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.value import value
from ump.players.hints import advice
from ump.wire.connection_state import CLOSING, HELLO, ConnectionStep
from ump.wire.session import (
    GUEST,
    IN_STEP,
    LATE_SECONDS,
    REPORT_REASONS,
    Answered,
    Farewell,
    InStep,
    Interruption,
    Introduced,
    Member,
    Order,
    Ordered,
    OutgoingEvent,
    OutgoingEvents,
    PersonSession,
    Pinged,
    Profile,
    QuestionView,
    Received,
    Session,
    Stale,
    Staleness,
    Switched,
    TableCard,
    TableInfo,
    Unreadable,
    Violated,
)
from ump.wire.text import MAX_ERROR, MAX_LINE, WireError, decode
from ump.wire.ump import sentences01
from ump.wire.ump.extras import ADVISE
from ump.wire.ump.hello import VERSIONS, RequestedExtensions, read_extensions, read_introduction, version_of
from ump.wire.ump.sentence import Sentence, parse_number, parse_seat
from ump.wire.ump.sentences01 import Bye, ClientHello, Commitment, Reveal, Secret, SeedQuestion, Seeds, Texts
from ump.wire.ump.speech import RAW_BYTES_REFUSED, Speech, Speech01, Speech02

# The one open question


MOST_CLOSED = 16
"""Questions that are remembered after they were closed without an answer, to tell a client what became of its own."""

_LEADING_ID = re.compile(r" *([0-9]+)(?: |$)")


def split_line(line: bytes) -> tuple[str | None, list[str] | None]:
    """Split a line, without its end, into the id (None if there is none) and the words after it.

    Runs of spaces and tabs count as one space, because people type. The words are None if the line holds a byte other
    than tabs and printable ASCII, as from a stray key or an accent: such a line may still be an unreadable answer.
    """
    text = line.replace(b"\t", b" ").decode("latin-1")
    if not (text.isascii() and text.isprintable()):
        match = _LEADING_ID.match(text)
        if match is None:
            return None, None
        return match[1], None
    words = text.split()
    if words and words[0].isdigit():
        return words[0], words[1:]
    return None, words


def split_first_line(line: bytes) -> tuple[str | None, list[str] | None]:
    """Split a line before the hello in the same way, where texts may also be UTF-8 as it is: ``name=日本``.

    The words are None if the line is not UTF-8.
    """
    try:
        words = [word for word in line.decode().replace("\t", " ").split(" ") if word]
    except UnicodeDecodeError:
        return split_line(line)
    if words and words[0].isascii() and words[0].isdigit():
        return words[0], words[1:]
    return None, words


def is_id(text: str, number: int) -> bool:
    """Tell whether digits, of any length and with leading zeros, are this id."""
    return text.lstrip("0") == str(number).lstrip("0")


def is_from_person(given_id: str | None, words: list[str] | None) -> bool:
    """Tell whether a first line was typed by a person; the arguments are the results of ``split_first_line``.

    Programs repeat the id of the server's hello, or say ``_human=0``, or ask for a later version of UMP.
    A program may ask for ``_human=1``. A line without any word, or with digits alone, is no message of a program.
    """
    if words == []:
        return True
    if words is None or words[:1] != ["hello"]:
        return given_id is None
    if given_id is not None:
        return "_human=1" in words
    return "_human=0" not in words and all(word == "ump=0.1" for word in words if word.startswith("ump="))


def without_id(line: bytes, given_id: str | None) -> bytes:
    """Return a line without the id that ``split_first_line`` has found in it."""
    if given_id is None:
        return line
    return line.strip().removeprefix(given_id.encode())


@value
class AskedQuestion:
    """A question as this connection asked it."""

    number: int
    """The table's number of the question."""
    id: int
    """The id of the sentence that asked it."""
    question: QuestionView | None
    """The question of the game; None for ``ready?``."""

    @property
    def phase(self) -> Phase | None:
        """The kind of question; None for ``ready?``."""
        if self.question is None:
            return None
        return self.question.phase


class LastQuestion:
    """Keeps the last question of a connection, and whether it is open.

    A question closes with the first line that answers it, readable or not. The table decides whether it is asked
    again; it then has a new number and a new id.
    """

    __slots__ = ("_closed", "_late_until", "advised", "last", "open")

    def __init__(self) -> None:
        self.open: AskedQuestion | None = None
        self.last: AskedQuestion | None = None
        """The last question, open or not."""
        self.advised: AskedQuestion | None = None
        """The last question about which the client has received advice."""
        self._closed: deque[tuple[int, Staleness]] = deque(maxlen=MOST_CLOSED)
        """The ids of questions that were closed without an answer of the client, and why."""
        self._late_until = -inf
        """The instant, in clock seconds, until which a line without an id is a late answer."""

    def id_of(self, number: int) -> int | None:
        """Return the id of the question with this number, or None if another question has been asked since."""
        if self.last is None or self.last.number != number:
            return None
        return self.last.id

    def answered_by(self, given_id: str | None, now: float) -> AskedQuestion | Staleness:
        """Return the question that a line with this id answers, or the reason why it answers none."""
        if given_id is None and now < self._late_until:
            return Staleness.LATE
        if self.open is None:
            return self._fate_of(given_id) or Staleness.NO_QUESTION
        if given_id is not None and given_id != str(self.open.id) and not is_id(given_id, self.open.id):
            return self._fate_of(given_id) or Staleness.OTHER_ID
        return self.open

    def _fate_of(self, given_id: str | None) -> Staleness | None:
        """Return why the question with this id takes no answer any more, or None if that is not known."""
        if given_id is None:
            return None
        for closed, why in self._closed:
            if is_id(given_id, closed):
                return why
        return None

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close the question with this number: its time has run out, or other players have decided."""
        if self.last is None or self.last.number != number:
            return
        self.open = None
        why = Staleness.DECIDED
        if by_time:
            why = Staleness.TIMED_OUT
            self._late_until = now + LATE_SECONDS
        self._closed.append((self.last.id, why))

    def refuse(self, number: int) -> int | None:
        """Close the question with this number, whose answer was refused, and return its id.

        Return None if another question has been asked since.
        """
        sentence_id = self.id_of(number)
        if sentence_id is not None:
            self.open = None
        return sentence_id


# A client's part in the walls


class WallProof:
    """One client's part in the walls."""

    __slots__ = ("_asked", "_has_told", "_next", "_wants_proof", "seed")

    def __init__(self, *, wants_proof: bool = False, commitment: str | None = None) -> None:
        """``wants_proof``: the client asked for the proof; ``commitment``: to the text for its first game."""
        self.seed = _sealed(commitment)
        """The client's part in the walls of the next game, or of the one that is running."""
        self._wants_proof = wants_proof or self.seed is not None
        self._has_told = False
        """Whether the commitments to the walls of the next game have been sent."""
        self._asked: int | None = None
        """The id of the open question for the text."""
        self._next: str | None = None
        """The commitment to the text for the game after the next one."""

    def ask(self, commitment: str, commitments: tuple[str | None, ...], first_id: int) -> Iterator[str]:
        """Yield the sentences with all commitments, and the question for the text if the client has one."""
        if not self._wants_proof:
            return
        self._has_told = True
        yield Commitment(commitment).serialise()
        yield Seeds(commitments).serialise()
        if self.seed is not None:
            self._asked = first_id + 2
            yield SeedQuestion.NAME

    def receive(self, given_id: str | None, words: list[str]) -> Received:
        """Take the client's text; ``words`` are those after the command."""
        if self._asked is None or self.seed is None:
            return Stale(Staleness.NO_QUESTION)
        if given_id is not None and not is_id(given_id, self._asked):
            return Stale(Staleness.OTHER_ID)
        try:
            reveal = Reveal.parse(words)
        except WireError as error:
            return Violated(str(error))
        if text_commitment_of(reveal.text) != self.seed.commitment:
            return Violated("_seed: this text is not the one of your commitment")
        self._asked = None
        self.seed, self._next = PlayerSeed(self.seed.commitment, reveal.text), reveal.commitment
        return InStep()

    def sit(self, table: TableInfo) -> Iterator[str]:
        """Yield the sentences about the walls of the game that begins, or goes on, as far as they are new."""
        if self._wants_proof and table.commitment is not None:
            if not self._has_told:
                yield Commitment(table.commitment).serialise()
                if table.seeds:
                    yield Seeds(commitments_in(table.seeds)).serialise()
            if table.seeds:
                yield Texts(texts_in(table.seeds)).serialise()
        self._asked = None
        self._has_told = False

    def stand(self) -> None:
        """Go on with the commitment for the next game; without one, the client adds nothing to it."""
        if self.seed is not None and self.seed.text is not None:
            self.seed = _sealed(self._next)
            self._next = None

    def publish(self, secret: str) -> Iterator[str]:
        """Yield the sentence with the secret of a game that is over."""
        if self._wants_proof:
            yield Secret(secret).serialise()


def _sealed(commitment: str | None) -> PlayerSeed | None:
    """Return a part in the walls whose text is not revealed yet; None without a commitment to one."""
    if commitment is None:
        return None
    return PlayerSeed(commitment, None)


ORDERS = {f"_{order.value}": order for order in Order}
"""The commands with which players give orders to their tables. Their id is 0, or left out."""


PING = "_ping"
"""The command with which a client with ``_ping=1`` asks for a sign of life, at any time."""


def _read_order(words: Sequence[str]) -> Ordered | Stale:
    """Read an order: ``_ready``, ``_kick Bob%202``, ``_say 3``, ``_report B program``."""
    order, arguments = ORDERS[words[0]], words[1:]
    try:
        match order, arguments:
            case Order.KICK, [name]:
                return Ordered(order, name=decode(name))
            case Order.SAY, [number]:
                return Ordered(order, phrase=parse_number(number))
            case Order.REPORT, [seat, reason] if reason in REPORT_REASONS:
                return Ordered(order, seat=parse_seat(seat), reason=REPORT_REASONS[reason])
            case (Order.KICK | Order.SAY | Order.REPORT, _) | (_, [_, *_]):
                return Stale(Staleness.UNREADABLE)
            case _:
                return Ordered(order)
    except WireError:
        return Stale(Staleness.UNREADABLE)


WELCOME_SECONDS = 2.0
"""Seconds without a line of the client after which it is told how a person plays."""

WELCOME = "0 _welcome To play riichi mahjong here, press Enter."
"""The sentence that tells it: programs skip its command."""


class UmpSession(Session):
    """One UMP connection as the server sees it."""

    __slots__ = (
        *("DIALECT", "KEEPS_TIME", "LINGER", "OWES_FAREWELL"),
        *("_extensions", "_greeting", "_name", "_next_id", "_person", "_question", "_speech", "_walls", "_welcomes_at"),
    )
    MAX_MESSAGE = MAX_LINE
    RETRIES = 2

    def __init__(self, greeting: sentences01.Hello, person: Callable[[], PersonSession] | None = None) -> None:
        """Start with the server's hello.

        ``person`` makes the session of a client that turns out to be a person. Without it, every client is a program.
        """
        super().__init__()
        self._greeting = greeting
        self._person = person
        self.KEEPS_TIME = person is not None
        self._welcomes_at = -inf
        """When a client that has said nothing is told how a person plays, in clock seconds."""
        self._next_id = 0
        """The id of the next sentence: each sentence of a connection gets the next number."""
        self._question = LastQuestion()
        self._extensions = RequestedExtensions()
        self._walls = WallProof()
        self._name: str | None = None
        """The name under which the client plays, as far as it is known."""
        self._speak(Speech01(self._extensions))

    def _speak(self, speech: Speech) -> None:
        """Go on in a version of UMP."""
        self._speech = speech
        self.DIALECT = speech.DIALECT
        self.LINGER = speech.LINGER
        self.OWES_FAREWELL = speech.LINGER > 0

    @property
    def is_person(self) -> bool:
        """Whether the client has sent ``_person=1``."""
        return self._extensions.person

    @property
    def return_key(self) -> str | None:
        """The secret of the browser, with ``_guest=``."""
        if self._extensions.guest is None:
            return None
        return f"{GUEST}{self._extensions.guest}"

    @property
    def tab(self) -> str | None:
        """The tab of the browser, with ``_tab=``."""
        return self._extensions.tab

    @property
    def wants_token(self) -> bool:
        """Whether the client has sent ``_resume``."""
        return self._extensions.resume

    @property
    def seed(self) -> PlayerSeed | None:
        """The client's part in the walls, with ``_seed=``."""
        return self._walls.seed

    @property
    def question_id(self) -> int | None:
        """The id of the last question."""
        if self._question.last is None:
            return None
        return self._question.last.id

    # Messages from the client

    def due(self) -> float | None:
        """Return when a client that has said nothing is told how a person plays."""
        return self._welcomes_at if self.KEEPS_TIME else None

    def tick(self, now: float) -> None:
        """Tell a client that has said nothing for some time how a person plays: no program reads the hello so long."""
        if not self.KEEPS_TIME:  # it has said something since this tick was scheduled
            return
        if self._welcomes_at == -inf:
            self._welcomes_at = now + WELCOME_SECONDS
        elif now >= self._welcomes_at:
            self.KEEPS_TIME = False
            self._out.append(WELCOME)

    def receive(self, line: bytes, now: float) -> Received:
        """Take one line, without its end."""
        self.KEEPS_TIME = False
        if self.state is CLOSING:
            return Stale(Staleness.CLOSING)
        if self._speech.RAW_BYTES is not None and self._speech.RAW_BYTES.search(line):
            return RAW_BYTES_REFUSED
        if self.state is HELLO:
            return self._receive_first(line, now)
        given_id, words = split_line(line)
        if words:
            command = words[0]
            if command == Reveal.NAME:
                return self._walls.receive(given_id, words[1:])
            if command == Bye.NAME and len(words) == 1:
                return Farewell()
            if command == PING and len(words) == 1 and self._extensions.ping:
                self._send(sentences01.Pong.NAME)
                return Pinged()
            if command == ADVISE and len(words) == 1:
                return self._advise(given_id)
            if command in ORDERS and (given_id is None or is_id(given_id, 0)):
                return _read_order(words)
        elif words is not None and given_id is None:
            return Stale(Staleness.EMPTY)
        return self._receive_answer(given_id, words, now)

    def _receive_first(self, line: bytes, now: float) -> Received:
        """Take a line before the hello. The client waits for an answer, so a line that is no hello ends with a reason.

        An empty line is the exception.
        """
        given_id, words = split_first_line(line)
        if self._person is not None and is_from_person(given_id, words):
            session = self._person()
            return Switched(session, session.receive_first(without_id(line, given_id), now))
        if words is None:
            return Violated("a hello must be UTF-8")
        if given_id is None and not words:
            return Stale(Staleness.EMPTY)
        if words == [Bye.NAME]:
            return Farewell()
        if given_id is not None and not is_id(given_id, 0):
            return Violated("expected the id of the server's hello, as in: 0 hello name=alice")
        if not words or words[0] != ClientHello.NAME:
            return Violated("expected a hello, as in: hello name=alice")
        try:
            return self._introduce(dict(ClientHello.parse(words[1:]).options))
        except WireError as error:
            return Violated(str(error))

    def _introduce(self, options: dict[str, str]) -> Introduced:
        """Take the options of the client's hello; raise WireError for an invalid one."""
        introduction = read_introduction(options)
        version = version_of(options)
        self._extensions = extensions = read_extensions(options)
        self._walls = WallProof(wants_proof=extensions.proof, commitment=extensions.seed)
        if version == VERSIONS[0]:
            self._speak(Speech01(extensions))
        else:
            self._speak(Speech02(extensions, is_returning=introduction.token is not None))
        self._step(ConnectionStep.INTRODUCED)
        return Introduced(introduction)

    def _advise(self, given_id: str | None) -> Received:
        """Send advice about the open question, once."""
        asked, seen = self._question.open, self._speech.advised
        if seen is None or asked is None or asked.question is None or asked.question.phase is Phase.DECLARE:
            return Stale(Staleness.NO_QUESTION)
        if given_id is not None and not is_id(given_id, asked.id):
            return Stale(Staleness.OTHER_ID)
        if asked is self._question.advised:
            return Stale(Staleness.NO_QUESTION)
        self._question.advised, question = asked, asked.question
        answers = advice(seen, question.phase, question.tile, question.legal())
        self._send(self._speech.ADVICE(asked.id, answers).serialise())
        return IN_STEP

    def _receive_answer(self, given_id: str | None, words: list[str] | None, now: float) -> Received:
        """Take a line that may answer the question; ``words`` is None if it cannot be typed."""
        speech, question = self._speech, self._question
        command = ""
        if given_id is None or speech.ACK:
            command = speech.command_of(words or ())
        if command == speech.ACK:
            return Stale(Staleness.EMPTY)
        asked = question.answered_by(given_id, now)
        if isinstance(asked, Staleness):
            return Stale(asked)
        if given_id is None and asked.phase not in speech.COMMANDS.get(command, (asked.phase,)):
            return Stale(Staleness.OTHER_QUESTION)
        question.open = None
        if words is None:
            return Unreadable(asked.number)
        try:
            return Answered(asked.number, speech.claim(tuple(words), asked.phase, given_id))
        except WireError as error:
            return Unreadable(asked.number, str(error))

    # Messages to the client

    def _send(self, sentence: str) -> None:
        self._out.append(f"{self._next_id} {sentence}")
        self._next_id += 1

    def _send_all(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            self._send(sentence)

    def _explain(self, sentence: Sentence) -> None:
        """Send a sentence to a client with ``_explain=1``."""
        if self._extensions.explain:
            self._send(sentence.serialise())

    def greet(self) -> None:
        """Send the hello."""
        self._send(self._greeting.serialise())

    def tell(self, event: OutgoingEvent, now: float) -> None:
        """Send an event. This is the most frequent call, so it counts ids itself."""
        speech, out, number = self._speech, self._out, self._next_id
        if speech.follows:
            sentences = speech.sentences_of(event)
        else:
            sentences = event.rendered(speech.render, speech.seat)
        for sentence in sentences:
            out.append(f"{number} {sentence}")
            number += 1
        self._next_id = number
        if speech.hints is not None:
            hint = speech.hints.see(event.seen_by(speech.seat))
            if hint is not None:
                self._send(hint.serialise())

    def tell_spectator(self, events: OutgoingEvents, now: float) -> None:
        """Send events to a client without a seat: in 0.1 their text is made once for all whose ids are alike."""
        if self._speech.follows:
            super().tell_spectator(events, now)
            return
        sentences = events.numbered(self._speech.render, self._next_id)
        self._next_id += len(sentences)
        self._out += sentences

    def ask(
        self, number: int, question: QuestionView | None, move: float, bank: float, now: float, *, is_last: bool = False
    ) -> None:
        """Ask a question."""
        self._question.open = self._question.last = AskedQuestion(number, self._next_id, question)
        self._send(self._speech.question(question, move, bank, is_last=is_last))

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question that has been decided or has timed out; send nothing."""
        self._question.lapse(number, now, by_time=by_time)

    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Close a question whose answer was refused; with ``_explain=1`` send the reason."""
        sentence_id = self._question.refuse(number)
        if sentence_id is not None:
            self._explain(sentences01.Illegal(sentence_id, reason))

    def explain_timeout(self, number: int, left: int) -> None:
        """With ``_explain=1`` say that the time for a question ran out."""
        sentence_id = self._question.id_of(number)
        if sentence_id is not None:
            self._explain(sentences01.Late(sentence_id, left))

    def wait(self, seated: int, needed: int) -> None:
        """With ``_explain=1`` send how many players sit in the room."""
        self._explain(sentences01.Waiting(seated, needed))

    def show_card(self, card: TableCard) -> None:
        """Send the facts about the table, in 0.1."""
        facts = {
            "invitation": card.code,
            "rule": card.rules,
            "length": card.length,
            "clock": card.clock,
            "bots": "none",
            "watchers": "none",
            "seats": str(card.seats),
        }
        if card.has_bots:
            facts["bots"] = "fill"
        if card.bots:
            facts["level"] = card.bots
        if card.has_spectators:
            facts["watchers"] = "masked"
        self._send_in_01(sentences01.FriendsTable(tuple(facts.items())))

    def list_members(self, members: Sequence[Member | None]) -> None:
        """Send who has come to the table, in 0.1."""
        self._send_in_01(sentences01.Members(tuple(members)))

    def count_down(self, seconds: int) -> None:
        """Send to a person when built-in bots come, in 0.1."""
        self._tell_person(sentences01.BotsSoon(seconds))

    def tell_profiles(self, profiles: Sequence[Profile]) -> None:
        """Send to a person what the server knows about the players, in 0.1."""
        if profiles:
            self._tell_person(sentences01.Profiles(tuple(profiles)))

    def tell_presence(self, seat: Seat, name: str, *, is_here: bool) -> None:
        """Send to a person that a player has gone, or is back, in 0.1."""
        if is_here:
            self._tell_person(sentences01.Back(seat))
        else:
            self._tell_person(sentences01.Away(seat))

    def tell_spectators(self, number: int) -> None:
        """Send to a person how many spectators there are, in 0.1."""
        self._tell_person(sentences01.Watching(number))

    def pass_on(self, seat: Seat, name: str, phrase: int) -> None:
        """Send to a person what a player says, in 0.1."""
        self._tell_person(sentences01.Phrase(seat, phrase))

    def _tell_person(self, sentence: Sentence) -> None:
        if self._extensions.person:
            self._send_in_01(sentence)

    def _send_in_01(self, sentence: Sentence) -> None:
        """Send a sentence that 0.2 does not have."""
        if isinstance(self._speech, Speech01):
            self._send(sentence.serialise())

    def announce(self, text: str) -> bool:
        """With ``_explain=1`` send what the operator says."""
        self._explain(sentences01.Notice(text))
        return self._extensions.explain

    def ask_seed(self, commitment: str, commitments: tuple[str | None, ...]) -> None:
        """With ``_seed=`` or ``_proof=1`` send the commitments, and ask for the client's text if it has one."""
        self._send_all(self._walls.ask(commitment, commitments, self._next_id))

    def bye(self) -> None:
        """Send ``bye``, unless in this version either side just closes the connection."""
        if self.OWES_FAREWELL:
            self._send(Bye.NAME)

    def interrupt(self, outlook: Interruption) -> None:
        """Say as an error what becomes of the game, with ``_explain=1`` or, instead of ``bye``, ``_resume=1``."""
        if self._extensions.explain or (self.OWES_FAREWELL and self.wants_token):
            self.error(outlook.value)
        else:
            self.bye()

    def error(self, message: str) -> None:
        """Send an error message; the connection is closing from now on."""
        self.close()
        self._send(self._speech.ERROR(message[:MAX_ERROR]).serialise())

    # The seat

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Enter a game at this seat."""
        self._speech.sit(seat, table)
        self._name = table.name or self._name
        self._tell_name(table.table)
        if table.token is not None:
            self._send(sentences01.SeatToken(table.token).serialise())
        self._send_all(self._walls.sit(table))
        self._step(ConnectionStep.SAT)

    def caught_up(self) -> None:
        """Send what follows as news."""
        self._speech.caught_up()

    def stand(self) -> None:
        """Leave the seat after a game, and wait for the next one."""
        self._question.open = None
        self._walls.stand()
        self._speech.stand()
        self._step(ConnectionStep.STOOD)

    def admit(self, name: str | None) -> None:
        """With ``_guest=`` and ``_explain=1`` tell the client its name."""
        self._name = name
        self._tell_name()

    def _tell_name(self, table: str | None = None) -> None:
        """Tell a guest its name, and the game in which it has a seat."""
        if self._extensions.guest is not None and self._name is not None and isinstance(self._speech, Speech01):
            self._explain(sentences01.You(self._name, table))

    def watch(self) -> None:
        """Start to watch a room."""
        self._step(ConnectionStep.WATCHED)

    def publish(self, secret: str) -> None:
        """With ``_proof=1`` or ``_seed=`` send the secret of the walls."""
        self._send_all(self._walls.publish(secret))

    def close(self) -> None:
        """Ignore all further lines; the connection is closing."""
        self._question.open = None
        self._step(ConnectionStep.CLOSED)
