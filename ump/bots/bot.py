"""The base class of bots, and the legal actions that it receives."""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar, overload

from ump.model.actions import Action, Discard, Pass
from ump.model.events import Event, GameEnded, GameStarted, KyokuEnded, KyokuStarted
from ump.model.phases import Phase
from ump.model.seats import Ranking, Seat, places_of
from ump.model.tiles import Face
from ump.players.claimable import legal_actions
from ump.players.observation import Observation
from ump.rules.placement import final_points
from ump.rules.presets import PRESETS, rules_for
from ump.rules.ruleset import Ruleset

A = TypeVar("A", bound=Action)


class Legal(Sequence[Action]):
    """The legal actions of one question, as a sequence, with the kind of question and its tile."""

    __slots__ = ("_actions", "phase", "seconds", "tile")

    def __init__(
        self, actions: Iterable[Action], phase: Phase, tile: Face | None, seconds: float | None = None
    ) -> None:
        self._actions = tuple(actions)
        self.phase = phase
        """The kind of question: TURN, CALL, CHANKAN or DECLARE."""
        self.tile = tile
        """The drawn tile at a TURN (None after a chi or pon), the tile in question at a CALL or CHANKAN, else None."""
        self.seconds = seconds
        """The time for the answer in seconds, the bank included; None: the server does not say."""

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Action, ...]: ...
    def __getitem__(self, index: int | slice) -> Action | tuple[Action, ...]:
        return self._actions[index]

    def __len__(self) -> int:
        return len(self._actions)

    def __iter__(self) -> Iterator[Action]:
        return iter(self._actions)

    def __repr__(self) -> str:
        return f"Legal({self._actions!r}, {self.phase}, {self.tile!r})"

    def of(self, *types: type[A]) -> list[A]:
        """Return the actions of these types, as in ``legal.of(Tsumo, Ron)``; empty if there are none."""
        return [action for action in self._actions if isinstance(action, types)]

    @property
    def default(self) -> Action:
        """The action that a server plays for a seat that does not answer.

        That is the drawn tile (after a call the rightmost legal one), a pass, or tenpai if the hand is.
        """
        if self.phase is Phase.DECLARE:
            return self._actions[0]
        if self.phase is not Phase.TURN:
            return Pass()
        discards = self.of(Discard)
        drawn = [discard for discard in discards if discard.tsumogiri]
        return (drawn or discards or self._actions)[-1]


class Bot(ABC):
    """A bot. Subclasses must define ``decide``; the other methods do nothing unless they are overridden.

    One object plays all games of a connection, one after the other.
    """

    @abstractmethod
    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return one of the legal actions.

        Called on every own turn, and whenever another's tile can be called or won on. ``observation`` is what the seat
        has seen (``ump.players.observation``); read it, but do not change it. After a chi or pon ``legal`` has only
        discards.
        """

    def game_started(self, seat: Seat, names: tuple[str, ...]) -> None:
        """Note that a game begins; ``seat`` is the bot's own, 0 is the first dealer."""
        return

    def event(self, event: Event) -> None:
        """Note an event of the game, hidden tiles left out. The observation has it already."""
        return

    def game_ended(self, ranking: Ranking) -> None:
        """Note that a game has been played to its end."""
        return


# A bot at a seat: follows the events of each game, and asks the bot for its actions.

Report = Callable[[str], None]
"""Takes a message for the user."""

Announce = Callable[[Ranking], None]
"""Takes the end of each game."""


def ignore(ranking: Ranking) -> None:
    """Do nothing at the end of a game."""


Offered = Callable[[Action], bool]
"""Tells whether a server offers an action."""


class BotFault(Exception):
    """A fault that ends the client: the bot raises it itself, or fails otherwise and no fault is tolerated."""


class BotPlayer:
    """Plays a bot's games; the conversations of all protocols pass events and questions to it."""

    def __init__(
        self,
        bot: Bot,
        report: Report,
        announce: Announce = ignore,
        *,
        rules: Ruleset | None = None,
        is_strict: bool = False,
    ) -> None:
        """Play with this bot.

        ``rules`` are those of the legal actions; None: those that the server names, or else the preset ``ump``, with
        three players ``tenhou3``. With ``is_strict`` a fault of the bot raises BotFault; otherwise the default is
        played, and ``report`` is called.
        """
        self.report = report
        self.games = 0
        """The number of games that were played to their end."""
        self.faults = 0
        """The number of the bot's decisions that were replaced by the default."""
        self.refusals = 0
        """The number of answers that the server has refused, as far as it says so."""
        self.decisions = 0
        """The number of questions of servers that the player has answered."""
        self.is_in_game = False
        self._is_in_kyoku = False
        self.seat_token: str | None = None
        """The token with which the seat of this game, or of the next, can be taken back after a lost connection."""
        self.seen = Observation(0, PRESETS["ump"])
        """The seat's observation."""
        self._bot = bot
        self._announce = announce
        self._rules = rules
        self._is_strict = is_strict
        self._names: tuple[str, ...] = ()

    def begin_game(self, seat: Seat, names: tuple[str, ...], rules: Ruleset | None = None) -> None:
        """Begin a game at this seat; ``rules`` are those of the server, if it names them.

        Rules for another number of players than there are names do not apply. Raises ValueError for a number of players
        that no rules have.
        """
        self.seen = Observation(seat, rules_for(len(names), self._rules, rules))
        self._names = names
        self.is_in_game = True
        self._bot.game_started(seat, names)

    def take_token(self, token: object) -> None:
        """Keep the token of the seat that a message of the server has; None: it has none, or not a new one."""
        if isinstance(token, str):
            self.seat_token = token

    def see(self, event: Event) -> None:
        """Pass an event on; raises ValueError if it contradicts earlier ones."""
        seen = self.seen
        self._check_order(event)
        if isinstance(event, GameEnded) and not event.points:  # UMP 0.2 says only the results
            event = replace(event, points=final_points(seen.ruleset, seen.points, seen.kyotaku))
        seen.see(event)
        self._bot.event(event)
        if isinstance(event, GameEnded):
            self._end_game(event)

    def _check_order(self, event: Event) -> None:
        """Raise ValueError for an event of a kyoku that has not begun."""
        if isinstance(event, GameStarted | KyokuStarted | GameEnded):
            self._is_in_kyoku = isinstance(event, KyokuStarted)
            return
        if not self._is_in_kyoku:
            raise ValueError("an event of a kyoku before its start")
        if isinstance(event, KyokuEnded):
            self._is_in_kyoku = False

    def legal(self, phase: Phase, tile: Face | None, is_offered: Offered | None = None) -> Legal:
        """Return the actions that are legal as far as the seat can know.

        ``is_offered`` leaves out those that the server does not offer, unless it offers none of them. Raises ValueError
        if nothing is legal, or if the question cannot follow from what the seat has seen.
        """
        actions = legal_actions(self.seen, phase, tile, None)
        if is_offered is not None:
            actions = tuple(filter(is_offered, actions)) or actions
        return Legal(actions, phase, tile)

    def choose(self, legal: Legal) -> Action:
        """Return the bot's action, or the default if the bot fails. A seat that can only pass passes."""
        self.decisions += 1
        actions = tuple(legal)
        if actions == (Pass(),):
            return Pass()
        try:
            action = self._bot.decide(self.seen, legal)
        except BotFault:
            raise
        except Exception as error:
            return self._default(legal, traceback.format_exc().rstrip(), error)
        if action not in actions:
            return self._default(legal, f"decide returned {action!r}, which is not one of {list(actions)!r}", None)
        return action

    def refuse(self, reason: str) -> None:
        """Note that the server has refused an answer."""
        self.refusals += 1
        self.report(f"the server refuses the bot's answer: {reason}")

    def _default(self, legal: Legal, fault: str, cause: Exception | None) -> Action:
        self.faults += 1
        if self._is_strict:
            raise BotFault(fault) from cause
        self.report(f"{fault}\nplaying {legal.default!r} instead")
        return legal.default

    def _end_game(self, event: GameEnded) -> None:
        """Tell the bot the ranking."""
        self.games += 1
        self.is_in_game = False
        self.seat_token = None
        places = event.places or places_of(event.points)
        ranking = Ranking(self._names, event.points, places, self.seen.me)
        self._bot.game_ended(ranking)
        self._announce(ranking)
