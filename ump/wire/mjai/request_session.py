"""mjai on request, as RiichiLab's clients speak it over a WebSocket: they reply to questions, but not to events.

A question is a message of its own (``request_action``). It has an id, all legal actions, the time that is left, and
everything the seat has seen (see ``observation``), from which many of these clients decide. The server acknowledges
each reply. Names and values are those of RiichiLab; fields that it does not send (the names of all players, the final
scores) come on top, because its protocol tells clients to ignore fields that they do not know.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from functools import partial

from ump.model.actions import Action, Discard, Pass
from ump.model.claims import Claim, Reason, Verb
from ump.model.notation import MJAI_FACES
from ump.model.seats import Seat
from ump.rules.ruleset import Ruleset
from ump.wire.json_text import JSON, write
from ump.wire.mjai.actions import MjaiQuestion, forced_riichi, minimal_offer, minimal_offers, write_action, write_advice
from ump.wire.mjai.events import END_GAME, RIICHILAB, START_GAME, Message, Written, reach
from ump.wire.mjai.riichienv_observation import ObservationWriter, Waits, no_waits
from ump.wire.mjai.session_base import (
    DECIDED,
    LATE,
    REPEATED,
    UNKNOWN,
    MjaiSession,
    PendingQuestion,
    Status,
    read_or_none,
    status_of,
)
from ump.wire.session import (
    Answered,
    InStep,
    Introduction,
    OutgoingEvent,
    Received,
    Stale,
    Staleness,
    TableInfo,
    Unreadable,
)

MAX_UNANSWERED = 64
"""Requests whose replies may still come; only replies without an id need them."""


class RequestSession(MjaiSession):
    """A client that the server asks for its actions."""

    __slots__ = (
        "_acknowledged",
        "_fault",
        "_is_older",
        "_is_validation",
        "_key",
        "_last",
        "_messages",
        "_observation",
        "_request",
        "_timed_out",
        "_unanswered",
        "_waits",
    )
    DIALECT = "mjai on request"
    WORDING = RIICHILAB

    def __init__(
        self,
        name: str | None,
        room: str | None,
        *,
        key: str | None = None,
        is_validation: bool = False,
        waits: Waits = no_waits,
        is_older: bool = False,
        wants_advice: bool = False,
    ) -> None:
        """Begin with the name and the room that the client's URL gives.

        ``key`` is the secret by which the client can come back to its seat. With ``is_validation`` the client learns
        after a game whether all of its answers counted. ``waits`` returns the waits of a hand for the observation, and
        ``is_older`` chooses its older form. With ``wants_advice`` requests have advice, where the table gives it.
        """
        super().__init__()
        self._introduce(Introduction(name=name, room=room))
        self._key = key
        self._is_validation = is_validation
        self._waits = waits
        self._is_older = is_older
        self._wants_advice = wants_advice
        self._observation = ObservationWriter(self._seat, Ruleset(), waits, is_older=is_older)
        self._fault: Message = {}
        """The acknowledgement of the first faulty answer in this game; empty if all answers count."""
        self._messages: list[Message | Written] = []
        """Messages to send. Until they are sent, an acknowledgement among them may still change."""
        self._request = 0
        """The id of the last request."""
        self._unanswered: deque[int] = deque(maxlen=MAX_UNANSWERED)
        """The ids of the requests without a reply, the oldest first."""
        self._timed_out: deque[int] = deque(maxlen=MAX_UNANSWERED)
        """The ids of the last requests whose time ran out."""
        self._last: int | None = None
        """The table's number of the last question that the client answered."""
        self._acknowledged: Message = {}
        """The acknowledgement of that answer."""

    @property
    def return_key(self) -> str | None:
        """The bearer token, where it belongs to one client."""
        return self._key

    def take(self) -> list[str]:
        """Return the messages to send now."""
        for message in self._messages:
            if isinstance(message, Written):
                self._out.append(message.text)
            else:
                self._out.append(write(message))
        self._messages.clear()
        return super().take()

    @property
    def question_id(self) -> int | None:
        """The id of the last request."""
        return self._request

    # Messages from the client

    def _receive(self, message: bytes) -> Received:
        """Take one frame: the reply to the request with its id or, without an id, to the oldest one without a reply."""
        reply = _read(message)
        request = self._replied_to(reply)
        if request is None:
            return Stale(Staleness.NO_QUESTION)
        is_first = request in self._unanswered
        if is_first:
            self._unanswered.remove(request)
        if self._open is None or request != self._request or not is_first:
            return self._receive_stale(request, is_first=is_first)
        return self._judge(self._open, reply)

    def _receive_stale(self, request: int, *, is_first: bool) -> Received:
        """Acknowledge a reply that decides nothing; ``is_first``: it is the first one to this request."""
        reason = self._reason_of_stale(request, is_first=is_first)
        self._acknowledge(request, Status.STALE, reason)
        self._acknowledged["open_request_id"] = None
        if self._open is not None:
            self._acknowledged["open_request_id"] = self._request
        if not is_first:
            return Stale(Staleness.OTHER_ID)
        if reason == LATE:
            return InStep(Staleness.LATE)
        return InStep(Staleness.DECIDED)  # it is still expected

    def _reason_of_stale(self, request: int, *, is_first: bool) -> str:
        """Return why a reply to this request decides nothing."""
        if is_first and request in self._timed_out:
            return LATE
        if is_first:
            return DECIDED
        if 0 < request <= self._request:
            return REPEATED
        return UNKNOWN

    def _replied_to(self, reply: Mapping[str, JSON] | None) -> int | None:
        """Return the id of the request that a reply belongs to, or None if no request waits for one."""
        if reply is not None:
            request = reply.get("request_id")
            if type(request) is int:
                while request in self._unanswered and self._unanswered[0] != request:
                    self._unanswered.popleft()
                return request
        if not self._unanswered:
            return None
        return self._unanswered[0]

    def _judge(self, opened: PendingQuestion, reply: Mapping[str, JSON] | None) -> Received:
        """Return the result of a reply to the open request; acknowledge it before the events that follow from it."""
        self._acknowledge(self._request, Status.ACCEPTED)
        self._last = opened.number
        acknowledged = self._acknowledged
        received = self._decide(opened, reply)
        if isinstance(received, Unreadable):
            self._correct_acknowledgement(acknowledged, Status.UNPARSEABLE, Reason.UNREADABLE.value)
        return received

    def _reject_tile(self, reason: Reason) -> None:
        self._correct_acknowledgement(self._acknowledged, status_of(reason), reason.value)

    def _acknowledge(self, request: int, status: Status, reason: str | None = None) -> None:
        self._acknowledged = {"type": "action_ack", "request_id": request, "status": status.value}
        if reason is not None:
            self._acknowledged["reason"] = reason
        self._messages.append(self._acknowledged)

    def _correct_acknowledgement(self, acknowledged: Message, status: Status, reason: str) -> None:
        """Change an acknowledgement to say that the answer does not count; send it again if it is out already."""
        if not any(message is acknowledged for message in self._messages):
            self._messages.append(acknowledged)
        acknowledged.update(status=status.value, reason=reason)
        self._note_fault(acknowledged)

    def _note_fault(self, acknowledged: Message) -> None:
        if not self._fault:
            self._fault = {name: acknowledged[name] for name in ("request_id", "status", "reason")}

    # Messages to the client

    def sit(self, seat: Seat, table: TableInfo) -> None:
        """Take a seat, and observe the game from there."""
        super().sit(seat, table)
        self._observation = ObservationWriter(seat, table.ruleset, self._waits, is_older=self._is_older)

    def tell(self, event: OutgoingEvent, now: float) -> None:
        """Observe an event and send it."""
        self._observation.see(event.seen_by(self._seat))
        super().tell(event, now)

    def _send_event(self, message: Written) -> None:
        self._add_event(message)
        if message.type == END_GAME and self._is_validation:
            self._messages.append({"type": "validation_result", "passed": not self._fault, **self._fault})
        if message.type == START_GAME:
            self._fault = {}

    def _add_event(self, message: Written) -> None:
        self._messages.append(message)
        self._observation.add_message(message)

    def _ask_ready(self, number: int) -> None:
        self._at_once.append(Answered(number, Claim(Verb.YES)))

    def _send_question(self, opened: PendingQuestion) -> None:
        """Send the request right after the message that the question belongs to."""
        if self._pass_if_alone(opened):
            return
        place = len(self._messages)
        for after, message in enumerate(self._messages, 1):
            if isinstance(message, Written) and self._is_about(message, opened):
                place = after
        request = self._request_action(opened, minimal_offers(opened.asked), opened.asked.question.legal(), place)
        if advised := self._advise(opened.asked):
            request["advice"] = write_advice(advised, partial(minimal_offer, asked=opened.asked))

    def _echo_riichi(self, opened: PendingQuestion) -> None:
        self._add_event(reach(self._seat))
        faces = dict.fromkeys(riichi.face for riichi in opened.riichi)
        offers: list[Message] = [{"type": "dahai", "pai": MJAI_FACES[face]} for face in faces]
        discards = [Discard(riichi.face, riichi.tsumogiri) for riichi in opened.riichi]
        self._request_action(opened, offers, discards, len(self._messages))

    def _request_action(
        self, opened: PendingQuestion, offers: list[Message], actions: Iterable[Action], place: int
    ) -> Message:
        """Send a request at this place among the messages that wait, and return it."""
        self._request += 1
        self._unanswered.append(self._request)
        left = max(0.0, opened.deadline - self._now)
        bank = min(opened.bank, left)
        time = {
            "grace_ms": _milliseconds(left - bank),
            "bank_ms": _milliseconds(bank),
            "deadline_ms": _milliseconds(left),
        }
        request: Message = {
            "type": "request_action",
            "request_id": self._request,
            "possible_actions": offers,
            "observation": self._observation.write(opened.asked, actions),
            "time": time,
        }
        self._messages.insert(place, request)
        return request

    def _send_final(self, message: Message) -> None:
        self._messages.append(message)

    def _expire_riichi(self, opened: PendingQuestion) -> None:
        forced = forced_riichi(opened.riichi)
        self._default(write_action(Discard(forced.face, forced.tsumogiri), opened.asked))

    def _default(self, action: Message) -> None:
        """Tell the client that the server has acted, and how."""
        self._timed_out.append(self._request)
        self._acknowledge(self._request, Status.DEFAULTED, LATE)
        self._acknowledged["action"] = action
        self._note_fault(self._acknowledged)

    def lapse(self, number: int, now: float, *, by_time: bool) -> None:
        """Close a question. After a lapse by time the server has acted, even if an answer came at the last moment."""
        opened = self._open
        super().lapse(number, now, by_time=by_time)
        if by_time and opened is not None and opened.number == number:
            self._default(_default_action(opened.asked))
        elif by_time and self._last == number:
            self._correct_acknowledgement(self._acknowledged, Status.STALE, LATE)

    def refuse(self, number: int, reason: Reason, now: float) -> None:
        """Close a question whose answer was refused: the answer is rejected, and the default is played."""
        super().refuse(number, reason, now)
        if self._last == number and self._acknowledged["status"] == Status.ACCEPTED.value:
            self._correct_acknowledgement(self._acknowledged, Status.REJECTED, reason.value)


def _read(message: bytes) -> Mapping[str, JSON] | None:
    """Return the object in a reply; None if the reply is unreadable or its id is not an integer."""
    reply = read_or_none(message)
    if reply is None or type(reply.get("request_id", 0)) is not int:
        return None
    return reply


def _default_action(asked: MjaiQuestion) -> Message:
    """Write the action that the table plays for a seat that does not answer: discard the drawn tile, or pass."""
    if not asked.is_turn:
        return write_action(Pass(), asked)
    tile = asked.question.tile
    if tile is None:
        last = asked.question.legal()[-1]
        return write_action(last, asked)
    return write_action(Discard(tile, tsumogiri=True), asked)


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1_000)
