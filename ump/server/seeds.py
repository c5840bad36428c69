"""The secrets of walls: where they come from, what players add to them, and which records would show walls to come."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Set
from functools import partial
from typing import TypeAlias

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from ump.game.deals import read_seed, secret_of
from ump.model.commitments import DuplicateGame, PlayerSeed, commitment_of, commitments_in
from ump.model.seats import Seat
from ump.net.connection import Idle
from ump.net.limits import SEED_SECONDS
from ump.server.bots import Seated
from ump.server.player_connection import PlayerConnection
from ump.wire.names import logged_name


class SeedSource:
    """Decides the secrets of all games of a server.

    A server with a seed of its own repeats its games if the same players come in the same order. The secret of a game
    does not reveal the seed, so the log may show it after the game. A secret as the server's seed repeats that game,
    with the texts that its players have added to the walls, if any.
    """

    def __init__(self, seed: str | None) -> None:
        self._seed = seed
        repeated = None if seed is None else read_seed(seed)
        self._secret = None if repeated is None else repeated[0]
        self._texts = () if repeated is None else repeated[1]

    def secret_of(self, game: str) -> str:
        """Return the secret of the game of this name."""
        if self._seed is None:
            return secrets.token_hex(32)
        return secret_of(self._seed, game) if self._secret is None else self._secret

    def texts_of(self, seats: int) -> tuple[PlayerSeed | None, ...]:
        """Return the texts of the players of the game that is repeated; empty if players may add their own."""
        return self._texts if len(self._texts) == seats else ()


class SeedPlace(Idle):
    """The place that the connection of a player occupies during the exchange."""

    def __init__(self, exchange: SeedExchange, player: PlayerConnection) -> None:
        self._exchange = exchange
        self._player = player

    @property
    def label(self) -> str:
        """The name of the player in the log."""
        return f"{self._exchange.name}: {logged_name(self._player.name)}"

    @property
    def asked(self) -> str:
        """The question for the text, if the player has one to reveal."""
        return "the text for the walls" if self._exchange.awaits(self._player) else ""

    def heard(self, *, is_stale: bool) -> None:
        """Go on if this was the last text."""
        self._exchange.go_on()

    def left(self) -> None:
        """Play on without the player."""
        self._player.is_gone = True
        self._exchange.go_on()


class SeedExchange:
    """The exchange before a game to whose walls players add texts of their own, by commitment and reveal.

    All players of the game take part in it, with or without a text. All learn the commitments of all, and the server's,
    before the first text is revealed. So the server has chosen its secret before it knows a text, and no player can
    choose its text by those of the others.

    A player who knew the secret, because the server told it, could still look at the walls and then withhold its text.
    Therefore withholding costs the game: the walls are made without the text, the server plays the seat, and the record
    and all players learn that. Beginning anew would cost nothing, and could be repeated until the walls are good; it
    would also let one client keep the others from playing.
    """

    _log = Logger()

    def __init__(
        self,
        name: str,
        secret: str,
        seating: Mapping[Seat, Seated],
        clock: IReactorTime,
        finished: Callable[[SeedExchange], object],
    ) -> None:
        """Prepare the game of this name and secret; call ``finished`` when all texts are there that will come."""
        self.name = name
        self.secret = secret
        self.seating = seating
        self.players = {
            seat: player
            for seat, player in seating.items()
            if isinstance(player, PlayerConnection) and player.is_client
        }
        """The clients, by seat."""
        self._clock = clock
        self._finished = finished
        self._is_over = False
        self._timer: IDelayedCall | None = None

    @property
    def seeds(self) -> tuple[PlayerSeed | None, ...]:
        """The texts that the players add to the walls, by seat."""
        seeds = {seat: player.connection.session.seed for seat, player in self.players.items()}
        return tuple(seeds.get(seat) for seat in range(len(self.seating)))

    def begin(self) -> None:
        """Tell all commitments, and ask for the texts."""
        commitments = commitments_in(self.seeds)
        commitment = commitment_of(self.secret)
        self._timer = self._clock.callLater(SEED_SECONDS, self._give_up)
        for player in self.players.values():
            player.connection.occupant = SeedPlace(self, player)
        for player in self.players.values():
            try:
                player.connection.session.ask_seed(commitment, commitments)
                player.connection.flush()
            except Exception:  # a bug of the server must not affect the other players
                self._log.failure("{table}: {name} failed", table=self.name, name=logged_name(player.name))
                player.connection.cut()

    def awaits(self, player: PlayerConnection) -> bool:
        """Return whether a player still has to reveal its text."""
        seed = player.connection.session.seed
        return seed is not None and seed.text is None and not player.is_gone

    def go_on(self) -> None:
        """Finish if all players have answered."""
        if not self._is_over and not any(map(self.awaits, self.players.values())):
            self.stop()
            self._finished(self)

    def stop(self) -> None:
        """Stop waiting; the game does not begin."""
        self._is_over = True
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _give_up(self) -> None:
        """Turn those away who have not revealed their texts in time; the last of them finishes the exchange."""
        for player in filter(self.awaits, tuple(self.players.values())):
            self._log.info("{table}: {name} does not reveal its text", table=self.name, name=logged_name(player.name))
            player.connection.fail(f"_seed: no text in {SEED_SECONDS} seconds; the server plays your seat")


Publish: TypeAlias = Callable[[], object]
"""A function that lets everybody read a record."""


def at_once(publish: Publish) -> None:
    """Publish a record that shows nothing of another game."""
    publish()


class Seals:
    """Keeps the records of each duplicate group until its last game is over: they show the walls of its next games."""

    def __init__(self) -> None:
        self._kept: dict[str, list[Publish]] = {}

    def seal_of(self, duplicate: DuplicateGame | None) -> Callable[[Publish], None]:
        """Return a function that takes what publishes the record of a game: at once, or when its group is over."""
        return at_once if duplicate is None else partial(self._keep, duplicate.group)

    def _keep(self, group: str, publish: Publish) -> None:
        self._kept.setdefault(group, []).append(publish)

    def lift(self, group: str) -> None:
        """Publish the records of a group: none of its games will be played any more."""
        for publish in self._kept.pop(group, ()):
            publish()

    def lift_all_but(self, groups: Set[str]) -> None:
        """Publish the records of all groups except these, whose games go on."""
        for group in self._kept.keys() - groups:
            self.lift(group)
