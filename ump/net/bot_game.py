"""A bot's game at another's server: events and questions of the server on one side, a child process on the other."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from twisted.internet.interfaces import IDelayedCall

from ump.model.actions import Action, Discard
from ump.model.claims import Claim, Verb
from ump.model.events import Event, GameEnded
from ump.model.hand import Hand
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import Face
from ump.net.child_process import Child, ChildConnection, Ending
from ump.net.limits import SILENT_SECONDS
from ump.players.claimable import claimable
from ump.players.observation import Observation
from ump.table.chair import MAX_SILENT
from ump.wire.session import Render, TableInfo
from ump.wire.ump01.answers import write_action, write_claim
from ump.wire.ump01.client_events import QuestionAsked, ReadyAsked

if TYPE_CHECKING:
    from ump.net.join import Bridge

UNTIMED = 60.0
"""Seconds that a bot is told it has where the server does not say."""


class Known:
    """An event on its way to the one bot: the server has hidden what is hidden."""

    def __init__(self, event: Event) -> None:
        self._event = event

    def seen_by(self, seat: Seat | None) -> Event:
        """Return the event."""
        return self._event

    def rendered(self, render: Render, seat: Seat | None) -> tuple[str, ...]:
        """Return what ``render`` makes of it."""
        return render(self._event, seat)


class Question:
    """A question of the server, as a session wants to look at it; raises ValueError where it cannot be one."""

    def __init__(self, asked: QuestionAsked, seen: Observation) -> None:
        self._asked = asked
        self._seen = seen
        self._legal = self._list()

    @property
    def phase(self) -> Phase:
        """What kind of question it is."""
        return self._asked.phase

    @property
    def tile(self) -> Face | None:
        """The drawn tile (none after a call), or the tile in question."""
        return self._asked.tile

    @property
    def hand(self) -> Hand:
        """The own hand, as far as it was told."""
        return self._seen.hand

    def legal(self) -> tuple[Action, ...]:
        """Return what the server offers, or what the seat itself can know to be legal where it offers nothing."""
        return self._legal

    def _list(self) -> tuple[Action, ...]:
        seen, tile, offers = self._seen, self._asked.tile, self._asked.offers
        if offers is None:
            return claimable(seen, self._asked.phase, tile)
        if tile is None or Discard(tile, tsumogiri=True) not in offers:
            return offers
        has_equal = seen.hand.faces[tile] > 1 and not seen.in_riichi[seen.me]  # offers do not tell these two apart
        return (Discard(tile), *offers) if has_equal else offers

    def default(self) -> str:
        """Return what is answered for a bot that does not."""
        if self._asked.phase is not Phase.TURN:
            return write_claim(Claim(Verb.YES if self._asked.phase is Phase.DECLARE else Verb.NO))
        if self._asked.tile is not None:
            return write_action(Discard(self._asked.tile, tsumogiri=True))
        discards = [action for action in self._legal if isinstance(action, Discard)]
        return write_action(discards[-1]) if discards else write_claim(Claim(Verb.NO))


class BotGame:
    """One game of the bot: what is told and asked goes to it, and when it is gone the defaults are answered."""

    def __init__(self, bridge: Bridge, seat: Seat, setting: TableInfo) -> None:
        self._bridge = bridge
        self._seen = Observation(seat, setting.ruleset)
        self._clock = bridge.reactor
        self._open: QuestionAsked | ReadyAsked | None = None
        """What the bot was asked and has not answered."""
        self._number = 0
        """How many questions there were: their numbers for the session."""
        self._until = 0.0
        """When the time for the open question is over."""
        self._has_moved = True
        """Whether anything has happened since the last question."""
        self._is_gone = False
        self._silent = 0
        """How many questions in a row ran out."""
        self._silence: IDelayedCall | None = None
        command = bridge.plan.command
        self.connection = ChildConnection(
            command.open_session(bridge.plan.name), self, bridge.connections, bridge.reactor
        )
        self.connection.occupant = self
        Child(self.connection, "the bot", bridge.reactor).start(command.at(seat))
        self.connection.sit(seat, setting)

    # The server's side

    def tell(self, event: Event) -> None:
        """Tell the bot what has happened; raises ValueError where it cannot have."""
        self._lapse()
        self._seen.see(event)
        self._has_moved = True
        if self._is_gone:
            return
        self.connection.session.tell(Known(event), self._clock.seconds())
        if isinstance(event, GameEnded):
            self._hush()
            self.connection.say_bye()

    def ask(self, asked: QuestionAsked | ReadyAsked) -> None:
        """Ask the bot, unless it has answered this already or is gone."""
        self._lapse()
        is_again, self._has_moved = not self._has_moved, False
        self._number += 1
        if is_again or self._is_gone:
            self._answer_default(asked)
            return
        self._open = asked
        now = self._clock.seconds()
        move, bank = (UNTIMED, 0.0) if asked.time is None else (asked.time.move, asked.time.bank)
        self._until = now + move + bank
        self._silence = self._clock.callLater(max(SILENT_SECONDS, move + bank), self._give_up)
        question = Question(asked, self._seen) if isinstance(asked, QuestionAsked) else None
        self.connection.session.ask(self._number, question, move, bank, now)

    def end(self) -> None:
        """Let the bot go, whatever it is doing."""
        self._is_gone = True
        self._open = None
        self._hush()
        self.connection.dismiss()

    def _lapse(self) -> None:
        """Close the open question: the server goes on without the answer."""
        if self._open is None:
            return
        self._open = None
        self._hush()
        now = self._clock.seconds()
        is_late = now >= self._until
        self.connection.session.lapse(self._number, now, by_time=is_late)
        self._silent += is_late
        if self._silent >= MAX_SILENT:
            self._give_up()

    def _give_up(self) -> None:
        self.connection.fail("it does not answer")

    def _hush(self) -> None:
        if self._silence is not None and self._silence.active():
            self._silence.cancel()

    def _answer_default(self, asked: QuestionAsked | ReadyAsked) -> None:
        text = Question(asked, self._seen).default() if isinstance(asked, QuestionAsked) else "ok"
        self._bridge.say(asked.id, text)

    # The bot's side

    def answered(self, number: int, answer: Claim | Action | None) -> None:
        """The bot has answered."""
        self._silent = 0
        asked = self._open
        if asked is None or number != self._number:
            return
        self._open = None
        self._hush()
        if isinstance(asked, ReadyAsked):
            self._bridge.say(asked.id, "ok")
        elif answer is None:
            self._bridge.complain_again("the bot's answer cannot be read: the default is answered")
            self._answer_default(asked)
        else:
            self._bridge.say(asked.id, write_claim(answer) if isinstance(answer, Claim) else write_action(answer))

    def heard(self, *, is_stale: bool) -> None:
        """The bot has said something that answers nothing: it is there."""
        self._silent = 0

    def left(self) -> None:
        """The bot is gone: the defaults are answered from now on."""
        self._hush()
        self._is_gone = True
        asked, self._open = self._open, None
        if asked is not None:
            self._answer_default(asked)

    def failed(self, message: str) -> None:
        """The bot is given up."""
        self._bridge.fail(f"the bot is given up: {message}")

    def complained(self, line: str) -> None:
        """Hand on what the bot writes to its standard error."""
        print(line, file=sys.stderr, flush=True)

    def ended(self, ending: Ending) -> None:
        """Say that the bot has ended before its game."""
        if ending.is_early:
            self._bridge.fail(f"the bot has ended in its game, {ending.status}")
