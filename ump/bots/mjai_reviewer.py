"""A program that speaks mjai over its standard streams, asked about a recorded game.

It is told the moves of the record; its answers are only read. The values in the ``meta`` of its answers, as Mortal
writes them, become the values of its candidates.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from ump.bots.conversations import ToldQuestion
from ump.model import actions
from ump.model import events as ev
from ump.model.claims import Claim, Verb
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face
from ump.net.bot_commands import BotCommand
from ump.net.child_process import bot_environment, launch_command, without_controls
from ump.net.limits import KILL_SECONDS, MAX_TAIL, QUIT_SECONDS, ChildLimits
from ump.players.evaluation import Evaluation
from ump.record.decisions import Decision
from ump.record.review import TEMPERATURE, Opinion, ReviewError, meta_evaluation
from ump.wire.json_text import JSON, MAX_OBJECT, read_object
from ump.wire.mjai.actions import MjaiQuestion, read_reply
from ump.wire.mjai.events import END_GAME, END_KYOKU, MORTAL, START_GAME, MjaiNarrator, Written, reach
from ump.wire.mjai.session_base import ASKED_ABOUT, CANNOT_ACT
from ump.wire.text import WireError

# The process


class AskedProgram:
    """A child process that answers lines with lines, within limits and in time."""

    def __init__(self, name: str, words: Sequence[str], folder: Path | None, seconds: float) -> None:
        """Start the program in a folder; it has so many seconds for each answer. Raises ReviewError."""
        self._name = name
        self._seconds = seconds
        self._read = b""
        self._errors: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed with the program
        try:
            self._process = subprocess.Popen(
                launch_command(list(words), ChildLimits(), folder),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=bot_environment(),
            )
        except OSError as error:
            raise ReviewError(f"{name}: {error.strerror or error}") from error

    def send(self, lines: Sequence[str]) -> None:
        """Send lines; raises ReviewError if the program has ended, or does not read them in time."""
        assert self._process.stdin is not None
        data = memoryview("".join(f"{line}\n" for line in lines).encode())
        until = time.monotonic() + self._seconds
        os.set_blocking(self._process.stdin.fileno(), False)
        try:
            while data:
                left = until - time.monotonic()
                if left <= 0 or not select.select((), (self._process.stdin,), (), left)[1]:
                    raise self._error(f"it does not read its input for {self._seconds:g} s")
                data = data[os.write(self._process.stdin.fileno(), data) :]
        except OSError:
            raise self._error("it has ended") from None

    def receive(self) -> bytes:
        """Return the next line; raises ReviewError if none comes in time."""
        assert self._process.stdout is not None
        until = time.monotonic() + self._seconds
        while b"\n" not in self._read:
            left = until - time.monotonic()
            if left <= 0 or not select.select((self._process.stdout,), (), (), left)[0]:
                raise self._error(f"no answer in {self._seconds:g} s")
            data = os.read(self._process.stdout.fileno(), MAX_OBJECT)
            if not data:
                raise self._error("it has ended")
            self._read += data
            if len(self._read) > MAX_OBJECT and b"\n" not in self._read:
                raise self._error("its answer is too long")
        line, _, self._read = self._read.partition(b"\n")
        return line.removesuffix(b"\r")

    def finish(self) -> list[bytes]:
        """Close its input, and return the lines that it still writes in a short time; at most MAX_OBJECT bytes."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        until = time.monotonic() + QUIT_SECONDS
        lines: list[bytes] = []
        size = 0
        self._seconds = QUIT_SECONDS
        with suppress(ReviewError):
            while size < MAX_OBJECT and time.monotonic() < until:
                lines.append(self.receive())
                size += len(lines[-1])
        return lines

    def close(self) -> None:
        """End the program with all of its processes."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(KILL_SECONDS)
        with suppress(OSError):  # its session, if anything is left of it
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._errors.close()

    def _error(self, why: str) -> ReviewError:
        """Return an error with the last line on its standard error."""
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - MAX_TAIL))
        said = without_controls(self._errors.read()).splitlines()
        return ReviewError(f"{self._name}: {why}" + (f"; it said: {said[-1]}" if said else ""))


# The reviewer


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
        self._program = AskedProgram(name, command.at(seat), command.folder, seconds)
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
        self._program.close()

    def _after_riichi(self, decision: Decision, first: actions.Action, evaluation: Evaluation | None) -> Opinion:
        """Repeat the riichi, which the record declares too, and return the opinion with the tile."""
        self._has_declared = True
        self._waiting.insert(0, reach(self._seat))
        reply = self._exchange(1, asks=True)
        tile = self._meant(reply, decision)
        if not isinstance(tile, actions.Discard):
            return Opinion(first, evaluation, names_tile=False)
        declared = (each for each in decision.legal if isinstance(each, actions.Riichi) and each.face == tile.face)
        choice = next(declared, None)
        return Opinion(first, evaluation, names_tile=False) if choice is None else Opinion(choice, evaluation)

    def _exchange(self, count: int, *, asks: bool) -> Mapping[str, JSON]:
        """Send the first messages that wait, and return the reply to the last one; an empty one if none is due."""
        sent, self._waiting = self._waiting[:count], self._waiting[count:]
        if self._is_batched:
            self._program.send([f"[{','.join(message.text for message in sent)}]"])
            return self._reply()
        last = len(sent) - 1 if asks else len(sent)
        self._program.send([each.extended(CANNOT_ACT if at < last else "") for at, each in enumerate(sent)])
        if not asks:
            return {}
        reply = self._reply()
        if not self._replies_to_all and len(sent) > 1 and _is_empty(reply):
            self._replies_to_all = True
        for _ in sent[1:] if self._replies_to_all else ():
            reply = self._reply()
        return reply

    def _reply(self) -> Mapping[str, JSON]:
        line = self._program.receive()
        try:
            return read_object(line)
        except WireError as error:
            raise ReviewError(f"{self.name}: {error}") from None

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
        return _claimed(claim, decision.legal)


def _is_empty(reply: Mapping[str, JSON]) -> bool:
    """Tell whether a reply is that of a bot which could do nothing, but replies to every line."""
    meta = reply.get("meta")
    return reply.get("type") == "none" and isinstance(meta, dict) and meta.get("mask_bits") == 0


_CLAIMED: Mapping[Verb, type[actions.Action]] = {
    Verb.DISCARD: actions.Discard,
    Verb.RIICHI: actions.Riichi,
    Verb.NO: actions.Pass,
    Verb.CHI: actions.Chi,
    Verb.PON: actions.Pon,
    Verb.KAN: actions.Daiminkan,
    Verb.ANKAN: actions.Ankan,
    Verb.KAKAN: actions.Kakan,
    Verb.KITA: actions.Kita,
    Verb.TSUMO: actions.Tsumo,
    Verb.RON: actions.Ron,
    Verb.RYUKYOKU: actions.KyushuKyuhai,
}


def _claimed(claim: Claim, legal: Sequence[actions.Action]) -> actions.Action | None:
    """Return the legal action of a claim: that of its tiles, else one of their kinds, else the first."""
    of_verb = [each for each in legal if type(each) is _CLAIMED[claim.verb]]
    if not claim.tiles:
        return next(iter(of_verb), None)
    named = sorted(claim.tiles)
    exact = [each for each in of_verb if sorted(_tiles_of(each)) == named]
    kinds = sorted(KIND_OF[face] for face in named)
    close = [each for each in of_verb if sorted(KIND_OF[face] for face in _tiles_of(each)) == kinds]
    return next(iter((*exact, *close)), None)


def _tiles_of(action: actions.Action) -> tuple[Face, ...]:
    match action:
        case actions.Discard(face) | actions.Riichi(face) | actions.Kakan(face):
            return (face,)
        case actions.Chi(own) | actions.Pon(own):
            return own
        case actions.Ankan(kind):
            return (kind,) * 4
        case _:
            return ()
