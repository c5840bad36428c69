"""Creates the tables of a room: for new games, for the next game of a group, and for recorded games that go on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from ump.game.deals import Deals
from ump.model.commitments import DuplicateGame, PlayerSeed
from ump.model.installation import installed_version
from ump.model.seats import Seat
from ump.model.value import value
from ump.net.connection import Idle
from ump.net.wall_clock import wall_seconds
from ump.players.policy import POLICIES, Policy
from ump.record.branch import Branch
from ump.record.journal import Journal, JournalError, JournalHeader, JournalPlayer, PlayerKind
from ump.rules.ruleset import Ruleset
from ump.server.bots import BotSeat, ChildBots, Seated
from ump.server.journals import began_at, needs_whole_game
from ump.server.ladder import LadderPlayer, Standings
from ump.server.log_folder import GameLog, LogFolder
from ump.server.player_connection import PlayerConnection
from ump.server.seat_tokens import KeptSeat, SeatTokens, hash_of
from ump.server.settings import RoomSettings
from ump.server.spectators import DelayedTable, SpectatorTurns
from ump.server.table_runner import Recorder, TableRunner, info_of
from ump.table.chair import PaceState
from ump.table.journal_entries import End
from ump.table.opening import Opening
from ump.table.receivers import BuiltinBot, LogKeeper, Receiver, SeatedBot, SeatedClient, replacements
from ump.table.table import Table
from ump.table.table_host import TableHost
from ump.wire.names import SEPARATOR, logged_name
from ump.wire.session import Profile

SERVER = f"ump {installed_version()}"
"""The name and version of the program, for records."""


class Sequel(Protocol):
    """Knows what comes after a game."""

    def after(self, table: TableRunner) -> NewGame | None:
        """Note the end of a game; return the one that its players play next, None: they go back to the line."""


@value
class EmptySeat:
    """A seat whose player has not come."""

    name: str
    """The player's name."""


@value
class ArrangedGame:
    """The parts of a game that no room decides: whoever plays it, such as an arena, arranges them."""

    ruleset: Ruleset
    policies: Mapping[Seat, Policy]
    """The players of the seats of bots."""
    watch: Receiver
    """Sees all messages of the table."""
    deals: Deals | None = None
    """Its walls; None: those of its secret."""
    keeps_seats: bool = False
    """Whether every player may come back, with a token or without, and the game goes on when nobody is there."""


@value
class NewGame:
    """A game whose players have their seats, before its table is created."""

    settings: RoomSettings
    """Those of its room when it began."""
    name: str
    secret: str
    """The secret from which every wall is made."""
    seating: Mapping[Seat, Seated | EmptySeat]
    seeds: tuple[PlayerSeed | None, ...] = ()
    """The texts that the players add to the walls, by seat; empty if nobody does."""
    duplicate: DuplicateGame | None = None
    """Its place among the games with these walls; None: no other game has them."""
    branch: Branch | None = None
    """The position of a recorded game from which it plays on. It is not recorded itself."""
    event: str | None = None
    """Its place in a tournament, as in ``cup/2/3/1``; None: it belongs to none."""
    sequel: Sequel | None = None
    """The source of the game after it; None: the gathering of its room."""
    arranged: ArrangedGame | None = None
    """None: it is a game of its room alone."""

    @property
    def ruleset(self) -> Ruleset:
        """Its rules."""
        if self.branch is not None:
            return self.branch.ruleset
        return self.settings.ruleset if self.arranged is None else self.arranged.ruleset

    @property
    def keeps_seats(self) -> bool:
        """Whether every player may come back, and the game goes on when nobody is there."""
        return self.arranged is not None and self.arranged.keeps_seats

    @property
    def players(self) -> dict[Seat, PlayerConnection]:
        """The players with connections, by seat; some may be gone."""
        return {seat: player for seat, player in self.seating.items() if isinstance(player, PlayerConnection)}

    @property
    def connected(self) -> dict[Seat, PlayerConnection]:
        """The players with connections who are not gone, by seat."""
        return {seat: player for seat, player in self.players.items() if not player.is_gone}

    def new_tokens(self, new_token: Callable[[], str]) -> dict[Seat, str]:
        """Return a new token for each player that takes one. One who is known comes back without it."""
        return {
            seat: new_token()
            for seat, player in self.connected.items()
            if player.connection.session.wants_token and player.known is None
        }

    def header(self, tokens: Mapping[Seat, str], now: float) -> JournalHeader:
        """Return the head of its record, which begins at an instant in seconds since 1970."""
        hashes = {seat: hash_of(token) for seat, token in tokens.items()}
        hashes |= {seat: player.known for seat, player in self.connected.items() if player.known is not None}
        players = tuple(_journal_player(player, hashes.get(seat)) for seat, player in sorted(self.seating.items()))
        return JournalHeader(self._opening(), self.settings.name, began_at(now), SERVER, players, self.event)

    def _opening(self) -> Opening:
        settings, connected = self.settings, self.connected
        table = settings.table
        if self.branch is not None:
            table = replace(table, ask_all=False)
        retries = [0] * len(self.seating)
        paces: list[PaceState | None] = [None] * len(self.seating)
        for seat, player in connected.items():
            retries[seat] = player.connection.session.RETRIES
            paces[seat] = player.pace
        return Opening(
            name=self.name,
            ruleset=self.ruleset,
            players=tuple(player.name for _, player in sorted(self.seating.items())),
            secret=self.secret,
            times=settings.times,
            clients=tuple(seat for seat, player in self.players.items() if player.is_client),
            retries=tuple(retries),
            settings=table,
            seeds=self.seeds,
            duplicate=self.duplicate,
            paces=tuple(paces) if any(paces) and table.ask_all else (),
        )

    def table(self, opening: Opening) -> Table:
        """Return its table, which has not begun."""
        if self.branch is not None:
            return opening.table(self.branch.standing, self.branch.deals(opening.seed))
        if self.arranged is not None:
            return opening.table(deals=self.arranged.deals, is_unattended=self.keeps_seats)
        return opening.table()

    def receivers(self) -> Iterator[Receiver]:
        """Yield the receivers of its table: one for each seat, unless its player is gone, and its watch."""
        policies = {} if self.arranged is None else self.arranged.policies
        for seat, player in sorted(self.seating.items()):
            if isinstance(player, BotSeat):
                policy = policies[seat] if seat in policies else POLICIES[player.kind]()
                yield SeatedBot(BuiltinBot(policy, seat, self.ruleset), seat)
            elif isinstance(player, PlayerConnection) and not player.is_gone:
                yield SeatedClient(player.connection, seat)
        if self.arranged is not None:
            yield self.arranged.watch


class PlaceBetweenGames(Idle):
    """The place that the connection of a player occupies between two games of its group."""

    def __init__(self, group: str, player: PlayerConnection) -> None:
        self._group = group
        self._player = player

    @property
    def label(self) -> str:
        """The name of the player in the log."""
        return f"{self._group}: {logged_name(self._player.name)}"

    def left(self) -> None:
        """Let the server play the seat in the next game, which is then the last of the group."""
        self._player.is_gone = True


class DuplicateGroup:
    """The games of one wall: the same players play it once with every rotation of the seats.

    In the first game the seats are drawn by lot. In each further game everybody sits one seat further, so that after
    the last game everybody has had the tiles of every seat. What is left between two players is less luck.
    """

    _log = Logger()

    def __init__(
        self,
        settings: RoomSettings,
        name: str,
        secret: str,
        players: Sequence[Seated],
        children: ChildBots,
        next_name: Callable[[], str],
        goes_on: Callable[[], bool],
    ) -> None:
        """``players`` are those of the first game by seat; ``children`` start those that are programs, for each game.

        ``next_name`` names a further game, unless ``goes_on`` says that no more games may begin.
        """
        self.name = name
        self._secret = secret
        self._settings = settings
        self._players = list(players)
        self._children = children
        self._next_name = next_name
        self._goes_on = goes_on
        self._begun = 0
        """The number of games that have begun."""

    def next_game(self, name: str) -> NewGame:
        """Return the next game, under this name."""
        seats = len(self._players)
        self._begun += 1
        seating = {seat: self._children.seated(self._players[self._first_seat_of(seat)]) for seat in range(seats)}
        duplicate = DuplicateGame(self.name, self._begun, seats)
        return NewGame(self._settings, name, self._secret, seating, duplicate=duplicate, sequel=self)

    def after(self, table: TableRunner) -> NewGame | None:
        """Return the next game of the group; None after the last one, and if not all of its players go on."""
        if not self._goes_on() or not self._has_players(table) or not self._has_places():
            return None
        self._stand(table)
        return self.next_game(self._next_name())

    def _first_seat_of(self, seat: Seat) -> Seat:
        """Return the seat that the player of a seat of the newest game has had in the first one."""
        return (seat + 1 - self._begun) % len(self._players)

    def _has_players(self, table: TableRunner) -> bool:
        """Return whether the same players can play another game after that of this table, the newest."""
        present = {self._first_seat_of(seat): player for seat, player in table.players.items() if player.is_client}
        clients = {seat for seat, player in enumerate(self._players) if isinstance(player, PlayerConnection)}
        if self._begun == len(self._players) or table.numbers.end is not End.COMPLETED or clients != present.keys():
            return False
        for seat, player in present.items():  # some may have come back, by another connection
            self._players[seat] = player
        return all(player.games.has_answered for player in present.values())

    def _has_places(self) -> bool:
        """Return whether its bots that are child processes can start anew beside those that end."""
        programs = [player for player in self._players if isinstance(player, BotSeat) and player.command is not None]
        if len(programs) <= self._children.places:
            return True
        self._log.warn(
            "{room}: no places to start the bots of {group} again; let --children be twice their number",
            room=self._settings.name,
            group=self.name,
        )
        return False

    def _stand(self, table: TableRunner) -> None:
        """Let the players of a table leave their seats for the next game; one whose session fails is cut.

        The bots that the server has started leave for good.
        """
        for player in tuple(table.players.values()):
            try:
                if player.is_client:
                    player.connection.occupant = PlaceBetweenGames(self.name, player)
                    player.connection.stand()
                else:
                    player.end_game()
            except Exception:  # a bug of the server must not affect the other players
                self._log.failure("{group}: {name} failed", group=self.name, name=logged_name(player.name))
                player.is_gone = True
                player.connection.cut()


def group_name(now: float, game: str) -> str:
    """Return the name of the group that begins with this game, at an instant in seconds since 1970."""
    return f"{datetime.fromtimestamp(now, UTC):%Y%m%dT%H%M%SZ}-{game}"


class TableSetup:
    """Creates tables with their records, and with the tokens by which players come back."""

    def __init__(
        self,
        clock: IReactorTime,
        tokens: SeatTokens,
        turns: SpectatorTurns,
        logs: LogFolder | None,
        recorder_of: Callable[[JournalHeader], Recorder] | None,
        finished: Callable[[TableRunner], None],
        standings: Callable[[], Standings | None],
    ) -> None:
        """Let each table call ``finished`` when its game is over.

        ``standings`` returns those of the room if it is rated.
        ``tokens`` keep seats, ``turns`` are those of the spectators, and ``recorder_of`` opens the record of a game.
        """
        self._clock = clock
        self._tokens = tokens
        self._turns = turns
        self._finished = finished
        self._logs = logs
        self._recorder_of = recorder_of
        self._standings = standings

    @property
    def keeps_records(self) -> bool:
        """Whether games are recorded, so that they can go on later."""
        return self._recorder_of is not None

    def create(self, game: NewGame) -> TableRunner:
        """Return a new table with everybody seated who is not gone; its game has not begun.

        Raises OSError if there is no record.
        """
        players, tokens, now = game.connected, game.new_tokens(self._tokens.new_token), wall_seconds(self._clock)
        header = game.header(tokens, now)
        recorder = None
        if self._recorder_of is not None and game.branch is None:
            recorder = self._recorder_of(header)
        for seat, player in players.items():
            player.sit(seat, info_of(header.opening, recorder, seat, tokens.get(seat)))
        delay = game.settings.spectators.delay
        delayed = None if delay is None else DelayedTable(delay, self._clock, self._turns)
        log = None if self._logs is None else self._logs.open(header.opening, header.room, now)
        logs = [LogKeeper(events) for events in (log, delayed) if events is not None]
        host = TableHost(
            game.table(header.opening),
            [*game.receivers(), *logs],
            header.opening.bot_delays(),
            replacements(header.opening),
            keeps_game=game.keeps_seats or needs_whole_game(header),
        )
        returning = set(game.players) if game.keeps_seats else returning_seats(header)
        return self._table(header, host, players, returning, show=delayed, log=log, recorder=recorder)

    def restore(self, journal: Journal, reopen: Callable[[], Recorder]) -> TableRunner:
        """Return the table of a recorded game that goes on; ``reopen`` opens its record again.

        Raises OSError, or JournalError if the rules do not allow the record.
        """
        header = journal.header
        host = restored(journal, keeps_game=needs_whole_game(header))
        elapsed = journal.steps[-1].now
        return self._table(header, host, {}, returning_seats(header), recorder=reopen(), elapsed=elapsed)

    def _table(
        self,
        header: JournalHeader,
        host: TableHost,
        players: Mapping[Seat, PlayerConnection],
        returning: Collection[Seat],
        *,
        recorder: Recorder | None,
        show: DelayedTable | None = None,
        log: GameLog | None = None,
        elapsed: int = 0,
    ) -> TableRunner:
        """Return the runner of a table. Players of the seats ``returning`` can come back."""
        table = TableRunner(
            header.opening,
            host,
            players,
            self._clock,
            self._finished,
            turns=self._turns,
            show=show,
            log=log,
            recorder=recorder,
            returning=returning,
            elapsed=elapsed,
        )
        table.kinds = tuple(player.kind for player in header.players)
        table.profiles = lambda: tuple(profiles(header, self._standings()))
        self._keep_seats(table, header, players)
        return table

    def _keep_seats(
        self, table: TableRunner, header: JournalHeader, connected: Mapping[Seat, PlayerConnection]
    ) -> None:
        """Let the players come back to their seats who have tokens."""
        for seat, player in enumerate(header.players):
            if player.token is not None:
                host = connected[seat].connection.host if seat in connected else None
                self._tokens.enter(player.token, KeptSeat(table, seat, header.opening.players[seat], host or ""))


MOST_MARGIN = 999
"""The widest margin of a rating that is told."""


def profiles(header: JournalHeader, standings: Standings | None) -> Iterator[Profile]:
    """Yield what the others may know of each player of a game, by seat, with ratings from these standings."""
    for name, player in zip(header.opening.players, header.players, strict=True):
        known = LadderPlayer(name)
        if player.kind is PlayerKind.BOT:
            known = LadderPlayer(player.speaks, is_builtin=True)
        is_bot = player.kind is not PlayerKind.CLIENT or SEPARATOR in name
        if standings is None or known not in standings.ratings:
            yield Profile(is_bot, rating=None, is_provisional=False)
            continue
        rating = standings.ratings[known]
        is_provisional = rating.half_width > 0 and standings.is_provisional(known)
        margin = min(round(rating.half_width), MOST_MARGIN) if is_provisional else None
        yield Profile(is_bot, round(rating.elo), is_provisional, margin)


def room_of(game: str) -> str:
    """Return the name of the room in a game's name."""
    return game.rpartition("-")[0]


def number_of(game: str) -> int:
    """Return the number at the end of a game's name, or 0."""
    number = game.rpartition("-")[2]
    return int(number) if number.isdecimal() and len(number) < 10 else 0


def _journal_player(player: Seated | EmptySeat, token_hash: str | None) -> JournalPlayer:
    """Return a player as the record of its game names it, with the hash by which it comes back."""
    if isinstance(player, BotSeat):
        return JournalPlayer(PlayerKind.BOT, player.kind)
    if isinstance(player, EmptySeat):
        return JournalPlayer(PlayerKind.CLIENT, "")
    session = player.connection.session
    kind = PlayerKind.CLIENT if player.is_client else PlayerKind.CHILD
    return JournalPlayer(kind, session.DIALECT, token_hash)


def returning_seats(header: JournalHeader) -> set[Seat]:
    """Return the seats whose players can come back to this game."""
    return {seat for seat, player in enumerate(header.players) if player.token is not None}


def restored(journal: Journal, *, keeps_game: bool = False) -> TableHost:
    """Return the host of a recorded game after its last step, with its built-in bots.

    It begins at the last kyoku, whose start the journal describes, and takes the recorded inputs again. With
    ``keeps_game`` it begins with the game, whose journal must be whole, and keeps all events for returning clients.
    Clients' seats have no receiver yet. Raises JournalError if the inputs have other consequences than those on record.
    """
    opening = journal.header.opening
    first = None if keeps_game else journal.last_start
    start = None if first is None else journal.steps[first].start
    table = opening.table(None if start is None else start.standing)
    bots = {seat: each.speaks for seat, each in enumerate(journal.header.players) if each.kind is PlayerKind.BOT}
    for kind in (opening.settings.takeover, *bots.values()):
        if kind not in (None, *POLICIES):
            raise JournalError(f"unknown built-in bot {kind!a}")
    receivers = [SeatedBot(BuiltinBot(POLICIES[kind](), seat, opening.ruleset), seat) for seat, kind in bots.items()]
    host = TableHost(table, receivers, opening.bot_delays(), replacements(opening), keeps_game=keeps_game)
    rest = journal.steps
    try:
        if first is not None and start is not None:
            host.resume(start, journal.steps[first].now)
            rest = journal.steps[first + 1 :]
        for step in rest:
            host.replay(step.entries, step.now)
    except ValueError as error:
        raise JournalError(str(error)) from error
    return host
