"""A program that speaks mjai over its standard streams, asked about a recorded game.

It is told the moves of the record; its answers are only read. The values in the ``meta`` of its answers, as Mortal
writes them, become the values of its candidates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from ump.bots.claimed import claimed
from ump.bots.conversations import ToldQuestion
from ump.model import actions
from ump.model import events as ev
from ump.model.seats import Seat
from ump.net.bot_commands import BotCommand
from ump.net.limits import ChildLimits
from ump.net.programs import PipedProgram, ProgramEnded, ProgramError
from ump.players.evaluation import Evaluation
from ump.record.decisions import Decision
from ump.record.reviewers import TEMPERATURE, Opinion, ReviewError, meta_evaluation
from ump.wire.json_text import JSON, read_object
from ump.wire.mjai.actions import MjaiQuestion, read_reply
from ump.wire.mjai.events import END_GAME, END_KYOKU, MORTAL, START_GAME, MjaiNarrator, Written, reach
from ump.wire.mjai.session_base import ASKED_ABOUT, CANNOT_ACT
from ump.wire.text import WireError

_BETWEEN = frozenset((START_GAME, END_KYOKU, END_GAME))
_LEFT_OUT = frozenset(("hora", "ryukyoku"))
"""Events that bots which read batches do not receive."""

ANSWER_SECONDS = 10.0
"""The time for an answer."""


class MjaiReviewer:
    """A bot that reads batches of mjai events, or lines, as a reviewer of one seat."""

    def __init__(
        self,
        name: str,
        command: BotCommand,
        seat: Seat,
        seconds: float = ANSWER_SECONDS,
    ) -> None:
        """Start the bot; raises ReviewError. Close the reviewer after the review."""
        self.name = name
        self._seat = seat
        self._is_batched = not command.dialect.startswith("mjai-lines")
        self._narrator = MjaiNarrator(seat, MORTAL.of_three if command.dialect.endswith("nukidora") else MORTAL)
        self._seconds = seconds
        try:
            self._program = PipedProgram(command.at(seat), command.folder, ChildLimits())
        except ProgramError as error:
            raise ReviewError(f"{name}: {error}") from error
        self._waiting: list[Written] = []
        """The messages that the bot has not received."""
        self._has_declared = False
        """Whether the bot has received the riichi that the record declares next."""
        self._replies_to_all = False
        """Whether the bot replies to every line, as Mortal does with MORTAL_REVIEW_MODE=1."""
        self._model: str | None = None

    def about(self) -> Mapping[str, object]:
        model = {} if self._model is None else {"model": self._model}
        return {"kind": "mjai", "temperature": TEMPERATURE, **model}

    def tell(self, event: ev.Event) -> None:
        """Keep a message until the bot may act."""
        message = self._narrator.tell(event)
        if message is None or (self._is_batched and message.type in _LEFT_OUT):
            return
        if message.type == "reach" and message.actor == self._seat and self._has_declared:
            self._has_declared = False
            return
        self._waiting.append(message)
        if message.type == END_GAME or (self._is_batched and message.type in _BETWEEN):
            self._exchange(len(self._waiting), asks=False)
        if message.type == END_GAME:
            self._read_last()

    def consider(self, decision: Decision) -> Opinion | None:
        """Return the answer of the bot; None if it means no legal action."""
        about = ASKED_ABOUT[decision.phase]
        places = [place for place, message in enumerate(self._waiting, 1) if message.type in about]
        if not places:
            return None
        reply = self._exchange(places[-1], asks=True)
        evaluation = meta_evaluation(reply.get("meta"), decision)
        choice = self._meant(reply, decision)
        if not isinstance(choice, actions.Riichi):
            return None if choice is None else Opinion(choice, evaluation)
        if not isinstance(decision.done, actions.Riichi):
            return Opinion(choice, evaluation, names_tile=False)
        return self._after_riichi(decision, choice, evaluation)

    def close(self) -> None:
        """End the bot."""
        self._program.end()

    def _after_riichi(self, decision: Decision, first: actions.Action, evaluation: Evaluation | None) -> Opinion:
        """Repeat the riichi, which the record declares too, and return the opinion with the tile."""
        self._has_declared = True
        self._waiting.insert(0, reach(self._seat))
        reply = self._exchange(1, asks=True)
        tile = self._meant(reply, decision)
        if not isinstance(tile, actions.Discard):
            return Opinion(first, evaluation, names_tile=False)
        for action in decision.legal:
            if isinstance(action, actions.Riichi) and action.face == tile.face:
                return Opinion(action, evaluation)
        return Opinion(first, evaluation, names_tile=False)

    def _exchange(self, count: int, *, asks: bool) -> Mapping[str, JSON]:
        """Send the first messages that wait, and return the reply to the last one; an empty one if none is due."""
        sent, self._waiting = self._waiting[:count], self._waiting[count:]
        if self._is_batched:
            self._send([f"[{','.join(message.text for message in sent)}]"])
            return self._reply()
        last = len(sent) - 1 if asks else len(sent)
        self._send([each.extended(CANNOT_ACT if at < last else "") for at, each in enumerate(sent)])
        if not asks:
            return {}
        reply = self._reply()
        if not self._replies_to_all and len(sent) > 1 and _is_empty(reply):
            self._replies_to_all = True
        for _ in sent[1:] if self._replies_to_all else ():
            reply = self._reply()
        return reply

    def _reply(self) -> Mapping[str, JSON]:
        try:
            return read_object(self._program.receive(self._seconds))
        except WireError as error:
            raise ReviewError(f"{self.name}: {error}") from None
        except ProgramError as error:
            raise self._failure(error) from None

    def _send(self, lines: Sequence[str]) -> None:
        try:
            self._program.send(lines, self._seconds)
        except ProgramError as error:
            raise self._failure(error) from None

    def _failure(self, error: ProgramError) -> ReviewError:
        """Return an error with the last line on the program's standard error."""
        why = "it has ended" if isinstance(error, ProgramEnded) else str(error)
        said = self._program.last_words.last_line
        return ReviewError(f"{self.name}: {why}; it said: {said}" if said else f"{self.name}: {why}")

    def _read_last(self) -> None:
        """Read what Mortal says of itself at the end of a review."""
        for line in self._program.finish():
            with suppress(WireError):
                model = read_object(line).get("model_tag")
                self._model = model if isinstance(model, str) else self._model

    def _meant(self, reply: Mapping[str, JSON], decision: Decision) -> actions.Action | None:
        """Return the legal action that a reply means; None if there is none."""
        seen = decision.seen
        question = ToldQuestion(decision.phase, decision.tile, seen.hand, decision.legal)
        try:
            claim = read_reply(
                reply, MjaiQuestion(self._seat, self._seat if seen.source is None else seen.source, question)
            )
        except WireError:
            return None
        return claimed(claim, decision.legal)


def _is_empty(reply: Mapping[str, JSON]) -> bool:
    """Tell whether a reply is that of a bot which could do nothing, but replies to every line."""
    meta = reply.get("meta")
    return reply.get("type") == "none" and isinstance(meta, dict) and meta.get("mask_bits") == 0
