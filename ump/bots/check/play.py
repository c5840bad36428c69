"""One situation being played: its walls, its scripted players, and what the client does in it. No network, no clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ump.bots.check.course import Answered, Course
from ump.bots.check.script import Script, ScriptedPlayer
from ump.bots.check.situation import PATIENCE, Situation, Stage
from ump.game.deals import Deal, Round
from ump.model.events import KyokuStarted
from ump.model.phases import Phase
from ump.model.seats import LETTERS, Seat
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length, Ruleset
from ump.table.messages import Ask, Lapse
from ump.table.receivers import BuiltinBot, Parcel, Receiver, Rendering, SeatedBot

RULES: Mapping[int, Ruleset] = {4: PRESETS["ump"], 3: replace(PRESETS["tenhou3"], start_points=30_000)}
"""The rules of a situation by the number of players; the yakuman of a last kyoku ends a game under them."""


class Play:
    """The pure half of a situation: what a table needs to bring it about, and the course that it takes."""

    def __init__(self, situation: Situation, act: Callable[[], None] = lambda: None) -> None:
        """``act`` is called at the client's first turn, before the client is asked, for the stages that need it."""
        self.situation = situation
        self.client: Seat = LETTERS.index(situation.client)
        self.course = Course(self.client)
        self.has_acted = False
        """Whether the stage of the situation has come."""
        self._act = act
        self._script = self._first_script()
        self._turns_before = 0
        """Turns of the client in earlier kyoku."""

    @property
    def ruleset(self) -> Ruleset:
        """The rules of the game."""
        length = Length.TONPU if self.situation.has_next else Length.KYOKU
        return replace(RULES[self.situation.seats], length=length, **self.situation.rules)  # type: ignore[arg-type]

    def deal(self, at: Round) -> Deal:
        """Return the deal of a kyoku."""
        arrangement = self.situation.last_kyoku if at.number else self.situation.arrangement
        return Deal(arrangement.wall(LETTERS[at.dealer], self.situation.seats), (1, 1))

    def receivers(self) -> list[Receiver]:
        """Return the scripted players, and the witness."""
        others = (seat for seat in range(self.situation.seats) if seat != self.client)
        bots = [SeatedBot(BuiltinBot(ScriptedPlayer(self._current), seat, self.ruleset), seat) for seat in others]
        return [*bots, Witness(self)]

    @property
    def reached(self) -> Answered | None:
        """The answer that shows how the client took the situation, or None."""
        aim = self.situation.aim
        return None if aim is None else aim(self.course)

    def begin_kyoku(self) -> None:
        """Change to the script of the last kyoku, if one was played."""
        if len([event for event in self.course.events if isinstance(event, KyokuStarted)]) > 1:
            self._turns_before = self.course.turns
            self._script = Script({}, self.situation.last_kyoku.closing, self._may_end_game)

    def ask(self, ask: Ask) -> None:
        """Note a question to the client, before it is sent."""
        self.course.ask(ask.question)
        if self.situation.stage in (Stage.PLAY, Stage.FAREWELL) or self.has_acted:
            return
        if ask.question is not None and ask.question.phase is Phase.TURN:
            self.has_acted = True
            self._act()

    def _current(self) -> Script:
        if self.course.turns - self._turns_before >= self.situation.patience:
            self._script.give_up()
        return self._script

    def _first_script(self) -> Script:
        situation = self.situation
        return Script(situation.orders, situation.arrangement.closing, self._may_end_kyoku)

    def _may_end_kyoku(self) -> bool:
        """Tell whether the first kyoku may end: the client has been through the situation, or has avoided it."""
        situation = self.situation
        return situation.has_next or self.reached is not None or self.course.turns >= situation.patience

    def _may_end_game(self) -> bool:
        return self.reached is not None or self.course.turns - self._turns_before >= PATIENCE


class Witness(Receiver):
    """Shows everything that happens at the table to the play."""

    def __init__(self, play: Play) -> None:
        self._play = play

    def receive(self, parcels: Sequence[Parcel], now: float) -> None:
        """Note events, and the questions to the client."""
        for parcel in parcels:
            if isinstance(parcel, Rendering):
                self._play.course.see(parcel.event)
                if isinstance(parcel.event, KyokuStarted):
                    self._play.begin_kyoku()
            elif parcel.seat != self._play.client:
                continue
            elif isinstance(parcel, Ask):
                self._play.ask(parcel)
            elif isinstance(parcel, Lapse):
                self._play.course.lapsed += 1
