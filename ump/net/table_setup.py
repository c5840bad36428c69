"""What a new game needs: its table, receivers, log, record, and the tokens with which players come back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version

from twisted.internet.interfaces import IReactorTime

from ump.host.builtin_bots import replacements
from ump.host.restore import restored
from ump.host.table_host import TableHost
from ump.model.commitments import PlayerSeed, commitment_of
from ump.model.duplicate_game import DuplicateGame
from ump.model.seats import Seat
from ump.model.value import value
from ump.net.config import RoomSettings
from ump.net.delayed_table import DelayedTable
from ump.net.journal_folder import began_at, needs_whole_game
from ump.net.log_folder import LogFolder
from ump.net.player_connection import PlayerConnection
from ump.net.recorder import Recorder
from ump.net.seat_tokens import KeptSeat, SeatTokens, hash_of, new_token, return_hash
from ump.net.seating import journal_player, receivers
from ump.net.seed_exchange import Seated
from ump.net.spectator_turns import SpectatorTurns
from ump.net.table_runner import TableRunner
from ump.record.journal.header import JournalHeader
from ump.record.journal.journal_file import Journal
from ump.table.opening import Opening
from ump.wire.session import TableInfo

SERVER = f"ump {version('ump')}"
"""The name and version of the program, for records."""


@value
class NewGame:
    """A game whose players have their seats, before its table is created."""

    settings: RoomSettings
    """Those of its room when it began."""
    name: str
    secret: str
    """The secret from which every wall is made."""
    seating: Mapping[Seat, Seated]
    seeds: tuple[PlayerSeed | None, ...] = ()
    """What the players add to the walls, by seat; empty if nobody does."""
    duplicate: DuplicateGame | None = None
    """Its place among the games with these walls; None: no other game has them."""

    @property
    def players(self) -> dict[Seat, PlayerConnection]:
        """The players with connections, by seat; some may be gone."""
        return {seat: player for seat, player in self.seating.items() if isinstance(player, PlayerConnection)}


class TableSetup:
    """Creates the tables of a room."""

    def __init__(
        self,
        clock: IReactorTime,
        tokens: SeatTokens,
        turns: SpectatorTurns,
        finished: Callable[[TableRunner], None],
        *,
        logs: LogFolder | None = None,
        recorder_of: Callable[[JournalHeader], Recorder] | None = None,
    ) -> None:
        """Let each table call ``finished`` when its game is over.

        ``tokens`` keep seats, ``turns`` are those of the spectators, ``recorder_of`` opens the record of a game.
        """
        self._clock = clock
        self._tokens = tokens
        self._turns = turns
        self._finished = finished
        self._logs = logs
        self._recorder_of = recorder_of

    @property
    def keeps_records(self) -> bool:
        """Whether games are recorded, so that they can go on later."""
        return self._recorder_of is not None

    def create(self, game: NewGame, delayed: DelayedTable | None) -> TableRunner:
        """Return a new table with everybody seated who is not gone; its game has not begun.

        ``delayed`` is the table as its spectators see it, if they see it later. Raises OSError if there is no record.
        """
        settings = game.settings
        connected = {seat: player for seat, player in game.players.items() if not player.is_gone}
        tokens = self._seat(game, connected)
        opening = _opening(game, connected)
        log = None if self._logs is None else self._logs.open(opening, settings.name, self._clock.seconds())
        host = TableHost(
            opening.table(),
            receivers(game.seating, settings.ruleset, [each for each in (log, delayed) if each is not None]),
            opening.bot_delays(),
            replacements(opening),
            keeps_game=any(connected[seat].connection.session.TELLS_WHOLE_GAME for seat in tokens),
        )
        recorder = None if self._recorder_of is None else self._recorder_of(self._header(opening, game, tokens))
        table = TableRunner(
            opening,
            host,
            connected,
            self._clock,
            self._finished,
            turns=self._turns,
            log=log,
            recorder=recorder,
            returning=tokens,
        )
        for seat, token_hash in tokens.items():
            self._tokens.enter(token_hash, KeptSeat(table, seat, opening.players[seat]))
        return table

    def _seat(self, game: NewGame, connected: Mapping[Seat, PlayerConnection]) -> dict[Seat, str]:
        """Tell the players their seats; return the hashes by which they can come back, by seat.

        A user comes back by another login, and needs no token.
        """
        settings, clients = game.settings, {seat: player.connection for seat, player in connected.items()}
        tokens = {seat: new_token() for seat, each in clients.items() if each.session.wants_token and each.user is None}
        commitment = commitment_of(game.secret)
        for seat, player in connected.items():
            info = TableInfo(
                game.name,
                settings.ruleset,
                tokens.get(seat),
                commitment,
                hints=settings.hints,
                seeds=game.seeds,
                duplicate=game.duplicate,
            )
            player.sit(seat, info)
        hashes = {seat: hash_of(token) for seat, token in tokens.items()}
        known = {seat: return_hash(player.connection, player.name) for seat, player in connected.items()}
        return hashes | {seat: each for seat, each in known.items() if each is not None}

    def _header(self, opening: Opening, game: NewGame, tokens: Mapping[Seat, str]) -> JournalHeader:
        """Return the first line of the record of a new game."""
        players = tuple(journal_player(player, tokens.get(seat)) for seat, player in sorted(game.seating.items()))
        return JournalHeader(opening, game.settings.name, began_at(self._clock.seconds()), SERVER, players)

    def restore(self, journal: Journal, recorder: Recorder) -> TableRunner:
        """Return the table of a recorded game that goes on; raises JournalError if the rules do not allow it."""
        header = journal.header
        host = restored(journal, keeps_game=needs_whole_game(header))
        tokens = {seat: player.token for seat, player in enumerate(header.players) if player.token is not None}
        table = TableRunner(
            header.opening,
            host,
            {},
            self._clock,
            self._finished,
            turns=self._turns,
            recorder=recorder,
            returning=tokens,
            elapsed=journal.steps[-1].now,
        )
        for seat, token_hash in tokens.items():
            self._tokens.enter(token_hash, KeptSeat(table, seat, header.opening.players[seat]))
        return table


def _opening(game: NewGame, connected: Mapping[Seat, PlayerConnection]) -> Opening:
    """Return the opening of a game whose players have taken their seats."""
    settings = game.settings
    return Opening(
        name=game.name,
        ruleset=settings.ruleset,
        players=tuple(player.name for _, player in sorted(game.seating.items())),
        secret=game.secret,
        times=settings.times,
        clients=tuple(seat for seat, player in game.players.items() if player.is_client),
        retries=tuple(
            connected[seat].connection.session.RETRIES if seat in connected else 0 for seat in sorted(game.seating)
        ),
        faults=settings.faults,
        refusals=settings.refusals,
        ask_all=settings.ask_all,
        grace=settings.grace,
        takeover=settings.takeover,
        bot_delay=settings.bot_delay,
        hints=settings.hints,
        seeds=game.seeds,
        duplicate=game.duplicate,
    )


def number_of(game: str) -> int:
    """Return the number at the end of a game's name, or 0."""
    number = game.rpartition("-")[2]
    return int(number) if number.isdecimal() and len(number) < 10 else 0
