"""The opening of a table: its name, rules, players, secret and times."""

from __future__ import annotations

from collections.abc import Iterator

from ump.game.deals import Deals, seed_of, seeded_deals
from ump.game.game import Game, GameState
from ump.model.choices import either
from ump.model.commitments import DuplicateGame, PlayerSeed
from ump.model.seats import Seat
from ump.model.setting import setting
from ump.model.value import value
from ump.players.hints import HintScope
from ump.players.policy import POLICIES
from ump.rules.ruleset import Ruleset
from ump.table.chair import PaceState
from ump.table.clock import NO_DELAY, BotDelay, TimeControl
from ump.table.journal_entries import DEFAULT_REFUSALS, Faults
from ump.table.table import Table


@value
class TableSettings:
    """The settings of a room that its tables have, each of which an option of the server sets."""

    bot_delay: BotDelay = setting(
        NO_DELAY,
        "Time that bots of the server think on their turns while a person plays or watches, as in 0.5 or 0.3-1.2.",
        section="the-pace-of-bots",
    )
    grace: float = setting(
        60.0,
        "Seconds of a game for which a seat is kept for a player who has lost its connection and can come back.",
        section="coming-back",
    )
    takeover: str | None = setting(
        None,
        "Built-in bot that plays on for a player who does not come back; none: the defaults are played.",
        shown="none",
        metavar="KIND",
        noun="built-in bot",
        choices={**{kind: kind for kind in POLICIES}, "none": None},
        section="coming-back",
    )
    faults: Faults = setting(
        Faults.DEFAULT,
        f"Consequence of an illegal or unreadable answer: {either(faults.value for faults in Faults)}.",
        metavar="POLICY",
        noun="faults policy",
        section="faults",
    )
    refusals: int = setting(
        DEFAULT_REFUSALS,
        "Refused answers in a game after which a player's seat is played by defaults; 0: never.",
        least=0,
        section="faults",
    )
    ask_all: bool = setting(
        False,
        "Ask every player about every discard and wait for all answers, so that timing reveals nothing.",
        section="asking-everybody",
    )
    hints: HintScope = setting(
        HintScope.FACTS,
        "Help about their hands for which players may ask: none; facts: waits, the tiles left of them, and furiten; "
        "advice: also what the bot expert would answer.",
        metavar="SCOPE",
        noun="scope of hints",
        section="hints",
    )


@value
class Opening:
    """Everything about a new table. An opening and the inputs that the table took are enough to rebuild it."""

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
    """The number of times that each seat is asked again after an answer that does not count, by seat."""
    settings: TableSettings = TableSettings()
    seeds: tuple[PlayerSeed | None, ...] = ()
    """The texts that the players add to the walls, by seat; empty if nobody does."""
    duplicate: DuplicateGame | None = None
    """The group of games that share these walls; None: no other game has them."""
    paces: tuple[PaceState | None, ...] = ()
    """The times that clients took for passes in their last games, by seat; empty if none is known."""

    @property
    def seed(self) -> str:
        """The seed that repeats the walls of this game."""
        return seed_of(self.secret, self.seeds)

    def table(
        self, standing: GameState | None = None, deals: Deals | None = None, *, is_unattended: bool = False
    ) -> Table:
        """Return a new table that has not begun; its game starts at this standing, by default with east 1.

        ``deals`` replaces the walls of the secret. With ``is_unattended`` the game goes on when its last client has
        left.
        """
        settings, deals = self.settings, deals or seeded_deals(self.seed, self.ruleset.seats)
        return Table(
            Game(self.ruleset, self.players, deals, ask_all=settings.ask_all, standing=standing),
            self.times,
            self.clients,
            retries=dict(enumerate(self.retries)),
            faults=settings.faults,
            grace=round(settings.grace * 1_000),
            takeover=settings.takeover is not None,
            refusals=settings.refusals,
            pass_secret=self.secret if settings.ask_all else None,
            paces={seat: pace for seat, pace in enumerate(self.paces) if pace is not None},
            is_unattended=is_unattended,
        )

    def bot_delays(self) -> Iterator[int] | None:
        """Return the milliseconds that bots of the server think on each of their turns, or None if they never wait."""
        delay = self.settings.bot_delay
        return delay.draws(self.secret) if delay.most else None
