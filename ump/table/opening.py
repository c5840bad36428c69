"""The opening of a table: its name, rules, players, secret and times."""

from __future__ import annotations

from collections.abc import Iterator

from ump.game.deals import Deals, seed_of, seeded_deals
from ump.game.game import Game, Standing
from ump.model.commitments import PlayerSeed
from ump.model.duplicate_game import DuplicateGame
from ump.model.seats import Seat
from ump.model.value import value
from ump.rules.ruleset import Ruleset
from ump.table.bot_delay import NO_DELAY, BotDelay
from ump.table.clock import TimeControl
from ump.table.outcomes import Faults
from ump.table.table import Table


@value
class Opening:
    """All settings of a new table. An opening and the inputs that the table took are enough to rebuild it."""

    name: str
    """The table's name: no other game of this server has it."""
    ruleset: Ruleset
    players: tuple[str, ...]
    """Their names by seat."""
    secret: str
    """The secret from which every wall is made (``ump.game.deals``), or any other seed."""
    times: TimeControl
    clients: tuple[Seat, ...]
    """The seats of clients; the others are built-in bots, which keep no table alive."""
    retries: tuple[int, ...]
    """How often each seat is asked again after an answer that does not count, by seat."""
    faults: Faults = Faults.DEFAULT
    ask_all: bool = False
    """Whether every other seat is asked about every discard, so that timing reveals nothing."""
    grace: float = 0.0
    """Seconds of the game for which each seat is kept for a player who has lost its connection."""
    takeover: str | None = None
    """The kind of built-in bot that plays on after that; None: the table plays the defaults."""
    bot_delay: BotDelay = NO_DELAY
    """How long built-in bots think while a person plays at the table."""
    refusals: int = 0
    """Refused answers after which the table plays a seat by defaults; 0: never."""
    hints: bool = True
    """Whether players may ask for hints about their own hands."""
    seeds: tuple[PlayerSeed | None, ...] = ()
    """What the players add to the walls, by seat; empty if nobody does."""
    duplicate: DuplicateGame | None = None
    """The group of games that share these walls; None: no other game has them."""

    @property
    def seed(self) -> str:
        """The seed that repeats the walls of this game."""
        return seed_of(self.secret, self.seeds)

    def table(self, standing: Standing | None = None, deals: Deals | None = None) -> Table:
        """Return a new table that has not begun; its game starts at this standing, by default with east 1.

        ``deals`` replaces the walls of the secret.
        """
        deals = deals or seeded_deals(self.seed, self.ruleset.seats)
        return Table(
            Game(self.ruleset, self.players, deals, ask_all=self.ask_all, standing=standing),
            self.times,
            self.clients,
            retries=dict(enumerate(self.retries)),
            faults=self.faults,
            grace=round(self.grace * 1_000),
            takeover=self.takeover is not None,
            refusals=self.refusals,
            pass_secret=self.secret if self.ask_all else None,
        )

    def bot_delays(self) -> Iterator[int] | None:
        """Return the milliseconds that built-in bots think on each of their turns, or None if they never wait."""
        return self.bot_delay.draws(self.secret) if self.bot_delay.most else None
