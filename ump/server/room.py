"""A room: its line of waiting players, and its running tables. Its gathering decides who plays, and when."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from ump.game.deals import by_lot
from ump.model.commitments import DuplicateGame
from ump.model.seats import Seat
from ump.net.bot_commands import BotSeats
from ump.net.connection_limits import Said
from ump.net.limits import TOO_MANY_GAMES
from ump.net.wall_clock import wall_seconds
from ump.players.hints import HintScope
from ump.players.policy import POLICIES
from ump.record.branch import Branch
from ump.record.journal import Journal, JournalHeader, PlayerKind
from ump.server.bots import BotSeat, ChildBots, Seated, bot_seats, command_of, possible_names
from ump.server.gathering import Gathering
from ump.server.ladder import LadderSource
from ump.server.log_folder import LogFolder
from ump.server.new_table import DuplicateGroup, NewGame, Sequel, TableSetup, group_name, number_of
from ump.server.overview import MOST_BOARDS, RoomOverview, TableOverview, board_data
from ump.server.people import People
from ump.server.player_connection import LinePlace, PlayerConnection
from ump.server.seat_tokens import SeatTokens
from ump.server.seeds import Seals, SeedExchange, SeedSource
from ump.server.settings import Access, RoomSettings
from ump.server.spectators import Spectators, SpectatorTurns, TableShow
from ump.server.status import GameTotals
from ump.server.table_runner import RETRY_SECONDS, Recorder, TableRunner
from ump.table.chair import PaceState
from ump.table.clock import BotDelay, TimeControl
from ump.table.waiting_line import WaitingLine
from ump.wire.names import logged_name, owner_of
from ump.wire.session import Ordered, TableWish

if TYPE_CHECKING:
    from ump.server.reports import ReportDesk

NO_RECORDS = "The server has no room to record games. The next game begins as soon as it has."
"""The notice for players in line while no game can begin."""

MOST_PACES = 1_000
"""Players whose times for passes a room remembers."""

LEARNERS_TIMES = TimeControl(60.0, 600.0)
LEARNERS_BOTS = BotDelay.parse("0.6-1.2")
"""The clock, and the pace of the bots, in the hand that ends the course."""

RECORDS_AGAIN = "There is room on the server's disk again."


def _do_nothing() -> None:
    """Do nothing: the number of games is unlimited."""


class GameQuota:
    """Counts the games of all rooms."""

    def __init__(self, games: int, finished: Callable[[], object], *, most: int | None) -> None:
        """Let ``games`` games begin (0: any number), and call ``finished`` when the last of them is over.

        ``most`` of them may run at the same time; None: any number.
        """
        self._left = games or None
        self._running = 0
        self._finished = finished
        self._most = most
        self._waiting: dict[Callable[[], object], None] = {}
        """The functions to call when a game may begin again, in the order of those who wait."""

    @property
    def running(self) -> int:
        """The number of games that are not over."""
        return self._running

    def begin(self, later: Callable[[], object] = _do_nothing) -> bool:
        """Count a game before it begins; return False, without counting, if no more may begin.

        If too many games run, ``later`` is called once when one of them is over.
        """
        if self._left == 0:
            return False
        if self._most is not None and self._running >= self._most:
            self._waiting[later] = None
            return False
        if self._left is not None:
            self._left -= 1
        self._running += 1
        return True

    def resume(self) -> None:
        """Count a game from a record that goes on, whatever the quota."""
        if self._left:
            self._left -= 1
        self._running += 1

    def close(self) -> None:
        """Let no more games begin, and call ``finished`` when the running ones are over: now, if there are none."""
        if self._left != 0:
            self._left = 0
            if not self._running:
                self._finished()

    def end(self) -> None:
        """Count a game that is over, however it ended."""
        self._running -= 1
        if self._left == 0 and not self._running:
            self._finished()
        waiting, self._waiting = self._waiting, {}
        for later in waiting:
            later()


@dataclass(frozen=True)
class ServerParts:
    """The parts of a server that all its rooms share."""

    clock: IReactorTime
    seeds: SeedSource
    """Decide the walls."""
    quota: GameQuota
    """Counts the games."""
    children: ChildBots
    """Starts the built-in bots that are child processes."""
    tokens: SeatTokens
    """Keep seats for players who lose their connections."""
    totals: GameTotals
    """Count the games that are over."""
    turns: SpectatorTurns
    seals: Seals
    """Keep the records of duplicate groups."""
    logs: LogFolder | None = None
    """None: games are not logged."""
    recorder_of: Callable[[JournalHeader], Recorder] | None = None
    """Opens the record of a game; None: games are not recorded."""
    can_record: Callable[[], bool] = lambda: True
    """Returns whether a game could be recorded now."""
    ladder: LadderSource | None = None
    """Has the games of rated rooms; None: no room is rated."""
    reports: ReportDesk | None = None
    """Takes reports of players; None: nobody does."""
    people: People | None = None
    """Lets people play again with each other; None: nobody does."""


class Room:
    """Players wait in line until the room's gathering begins a game for them.

    Players who stay for another game go to the front of the line together: they keep their table, and the next in
    line takes the place of a player who left.
    """

    _log = Logger()

    def __init__(
        self,
        settings: RoomSettings,
        parts: ServerParts,
        gather: Callable[[Room], Gathering],
        next_name: Callable[[], str] | None = None,
    ) -> None:
        """Open a room of a server with these parts.

        ``gather`` returns the gathering of the room, and is called again for other settings. ``next_name`` names games;
        by default they are numbered.
        """
        self.settings = settings
        self.parts = parts
        self.spectators = Spectators(parts.turns)
        self._clock = parts.clock
        self._setup = TableSetup(
            parts.clock,
            parts.tokens,
            parts.turns,
            parts.logs,
            parts.recorder_of,
            finished=self._finish,
            standings=lambda: None if self.gathering.ladder is None else self.gathering.ladder.standings,
        )
        self.waiting_line: WaitingLine[PlayerConnection] = WaitingLine(
            settings.ruleset.seats, settings.house_after, _owner
        )
        self.waiting_line.separate(settings.one_per_owner)
        self._tables: dict[TableRunner, Sequel | None] = {}
        """The running games, the oldest first, each with what comes after it; None: the gathering says it."""
        self._games = 0
        self._next_name = next_name or self._numbered
        self._ending: list[TableShow] = []
        """The shows of games that are over, until spectators have seen all of them."""
        self._exchanges: list[SeedExchange] = []
        """The exchanges of games that have not begun yet."""
        self._paces: dict[str, PaceState] = {}
        """The times that the latest players took for passes in their last games, where tables hold them."""
        self._is_open = True
        self._has_told = False
        """Whether those in line know that no game can be recorded."""
        self._disk_call: IDelayedCall | None = None
        """The next look whether a game can be recorded, while none can."""
        self._takes_games = True
        """Whether groups go on after a game: not from when no more games may begin until one begins again."""
        self._gather = gather
        self.gathering = gather(self)

    @property
    def name(self) -> str:
        """The room's name."""
        return self.settings.name

    @property
    def players(self) -> int:
        """The number of players at its tables."""
        return self.settings.ruleset.seats

    @property
    def tables(self) -> tuple[TableRunner, ...]:
        """Its tables, the oldest first."""
        return tuple(self._tables)

    @property
    def game_names(self) -> list[str]:
        """The names of its running games, the oldest first."""
        return [table.name for table in self._tables]

    @property
    def line(self) -> tuple[PlayerConnection, ...]:
        """The players who wait for a table."""
        return tuple(self.waiting_line)

    @property
    def running(self) -> int:
        """The number of running games."""
        return len(self._tables)

    @property
    def waiting(self) -> int:
        """The number of players that wait for a table."""
        return len(self.waiting_line)

    @property
    def access(self) -> Access:
        """The clients that may enter."""
        return self.settings.access

    @property
    def is_rated(self) -> bool:
        """Whether its games count for a ladder, in which a player is known by the name."""
        return self.gathering.ladder is not None

    @property
    def next_round(self) -> float | None:
        """The instant of the next round of a rated room."""
        return None if self.gathering.ladder is None else self.gathering.ladder.next_round

    @property
    def is_watchable(self) -> bool:
        """Whether clients may watch it."""
        return self.settings.spectators.is_allowed

    @property
    def is_public(self) -> bool:
        """Whether everybody may watch it, at once."""
        spectators = self.settings.spectators
        return spectators.is_allowed and spectators.delay is None and self.access.kind == "open"

    @property
    def overview(self) -> RoomOverview:
        """The facts about the room that everybody may know."""
        tables = tuple(
            TableOverview(table.name, table.opening.players, len(table.show.spectators), table.away)
            for table in self._tables
        )
        waiting = tuple(player.name for player in self.waiting_line)
        return RoomOverview(
            self.settings.info,
            self.settings.spectators.text,
            waiting,
            tables,
            self.settings.review,
            tuple(dict.fromkeys(seats.label for seats in self.settings.house)),
            self.settings.table.hints.value,
        )

    def welcome(self, player: PlayerConnection) -> None:
        """Let a client join the line."""
        player.connection.occupant = LinePlace(self.name, player, self.leave, self.order)
        player.pace = self._paces.get(_person(player))
        self.waiting_line.join(player, self._clock.seconds())
        if self._has_told:
            player.connection.announce(NO_RECORDS)
        self._look()

    def play_on(self, player: PlayerConnection, branch: Branch) -> None:
        """Let a client play on from a position of a recorded game, against built-in bots."""
        if not self._is_open or not self.parts.quota.begin():
            player.turn_away(TOO_MANY_GAMES)
            return
        number, others = branch.ruleset.seats, (seat for seat in range(branch.ruleset.seats) if seat != branch.seat)
        bots = bot_seats((BotSeats(branch.against or self.settings.review, number - 1),), 0, (player.name,))
        seating: dict[Seat, Seated] = {branch.seat: player} | dict(zip(others, bots, strict=True))
        settings = self.settings if branch.against is None else with_help(self.settings)
        game = self._next_name()
        self._seat(NewGame(settings, game, self.parts.seeds.secret_of(game), seating, branch=branch))

    @property
    def names(self) -> Iterable[str]:
        """The names of the players here, and of the bots that may sit down."""
        waiting = (player.name for player in self._players_without_table())
        seated = chain.from_iterable(table.opening.players for table in self._tables)
        return chain(waiting, seated, self.gathering.names, possible_names(self.settings.house))

    def bearers(self, name: str) -> Iterator[tuple[str, bool]]:
        """Yield the host of each client of exactly this name here, and whether it is a person at a terminal or page.

        Of one who is away nothing but the host is known.
        """
        here = list(self._players_without_table())
        for table in self._tables:
            if name in table.opening.players:
                here += [player for player in table.players.values() if player.is_client]
                yield from ((kept.host, False) for kept in self.parts.tokens.left(table) if kept.name == name)
        for player in here:
            if player.name == name:
                yield player.connection.host or "", player.connection.session.is_person

    def _players_without_table(self) -> Iterator[PlayerConnection]:
        """Yield the players whose games have not begun: those in the line, and those who add to walls."""
        yield from self.waiting_line
        for exchange in self._exchanges:
            yield from exchange.players.values()

    def leave(self, player: PlayerConnection) -> None:
        """Remove a player who has left from the line."""
        if player.connection.may_log(Said.LEAVES_LINE):
            self._log.info("{room}: {name} leaves the line", room=self.name, name=logged_name(player.name))
        self.waiting_line.leave(player)
        self._look()

    def order(self, player: PlayerConnection, given: Ordered) -> None:
        """Take an order of a player in the line."""
        self.gathering.order(player, given)

    def expel(self, player: PlayerConnection, message: str) -> None:
        """Turn a player away that waits or plays here. Its seat is played as that of a player who has left for good."""
        if player in self.waiting_line:
            self.leave(player)
        for table in self.tables:
            for seat, seated in tuple(table.players.items()):
                if seated is player:
                    self.parts.tokens.withdraw(table, seat)
                    table.leave(seat)
        player.turn_away(message)

    def dismiss_waiting(self, message: str) -> None:
        """Turn all waiting players away, and let those at tables leave after their games: no more games may begin."""
        self._stop()
        self._takes_games = False
        for player in self.line:
            self.waiting_line.leave(player)
            player.turn_away(message)
        beginning_or_running: list[SeedExchange | TableRunner] = [*self._exchanges, *self._tables]
        for game in beginning_or_running:
            for player in game.players.values():
                player.games.limit()

    def _stop(self) -> None:
        """Let no timer begin a game."""
        self.gathering.stop()
        if self._disk_call is not None:
            self._disk_call.cancel()
            self._disk_call = None

    def renew(self, settings: RoomSettings) -> None:
        """Use other settings of this room for its next tables; running ones keep theirs."""
        self.settings = settings
        self.waiting_line.change(settings.ruleset.seats, settings.house_after)
        self.waiting_line.separate(settings.one_per_owner)
        self.gathering.stop()
        self.gathering = self._gather(self)
        self._look()

    def close(self) -> None:
        """Stop all games, and begin no new ones."""
        self._is_open = self._takes_games = False
        self._stop()
        for exchange in self._exchanges:
            exchange.stop()
        for table in tuple(self._tables):
            table.stop()
            if not self._setup.keeps_records:  # else its group goes on with the next server
                self._publish_group(table.opening.duplicate)
        for show in [*self._ending, *(table.show for table in self._tables)]:
            show.abandon()
        self.parts.turns.flush()

    # Beginning and ending games

    def _look(self) -> None:
        """Let the gathering act on a change of the line."""
        if self._is_open:
            self.gathering.look()

    def begin_game(self, players: Sequence[PlayerConnection], bots: Sequence[BotSeat] | None = None) -> bool:
        """Begin a game of players in line and of bots; return False if no game may begin now.

        None as ``bots`` stands for as many built-in bots without a process as complete the table.
        """
        if not self._may_begin():
            return False
        for player in players:
            self.waiting_line.leave(player)
        if bots is None:
            house = bot_seats(self.settings.house, 0, (player.name for player in players))
            bots = [*islice(house, self.players - len(players))]
        self._open(players, bots)
        return True

    def _may_begin(self) -> bool:
        """Return whether a recorded game may begin now, and count it. If not, the room looks again when one may."""
        if not self._is_open or self._disk_call is not None:
            return False
        if not self.parts.can_record():
            self._await_disk("no space left, or no right to write")
            return False
        return self.parts.quota.begin(self._look)

    def _await_disk(self, reason: str) -> None:
        """Begin no game until one can be recorded, and say so once."""
        self._disk_call = self._clock.callLater(RETRY_SECONDS, self._look_at_disk)
        if self._has_told:
            return
        self._has_told = True
        self._log.error("{room}: games cannot be recorded, so none begins: {reason}", room=self.name, reason=reason)
        for player in self.waiting_line:
            player.connection.announce(NO_RECORDS)

    def _look_at_disk(self) -> None:
        """Let games begin again if they can be recorded."""
        self._disk_call = None
        if not self.parts.can_record():
            self._await_disk("")
            return
        self._look()
        if self._disk_call is None:
            self._has_told = False
            self._log.info("{room}: games can be recorded again", room=self.name)
            for player in self.waiting_line:
                player.connection.announce(RECORDS_AGAIN)

    def _open(self, players: Sequence[PlayerConnection], bots: Sequence[BotSeat]) -> None:
        """Begin a game, or the first one of a duplicate group; the quota has counted it."""
        self._takes_games = True
        name = self._next_name()
        secret = self.parts.seeds.secret_of(name)
        together: list[Seated] = [*players, *bots]
        order = by_lot(together, secret)
        if self.settings.duplicate:
            self._seat(self._group(name, secret, order).next_game(name))
            return
        seating = dict(enumerate(map(self.parts.children.seated, order)))
        repeated = self.parts.seeds.texts_of(len(seating))
        if repeated or not any(player.connection.session.seed for player in players):
            self._seat(NewGame(self.settings, name, secret, seating, repeated))
            return
        exchange = SeedExchange(name, secret, seating, self._clock, self._end_exchange)
        self._exchanges.append(exchange)
        exchange.begin()

    def _group(self, first: str, secret: str, players: Sequence[Seated]) -> DuplicateGroup:
        """Return the group that begins with the game of this name."""
        return DuplicateGroup(
            self.settings,
            group_name(wall_seconds(self._clock), first),
            secret,
            players,
            self.parts.children,
            self._next_name,
            goes_on=lambda: self._takes_games,
        )

    def begin_planned(self, game: NewGame) -> TableRunner | None:
        """Begin a game whose seats are decided, of players in line; return its table, None if it does not begin."""
        if not self._may_begin():
            return None
        for player in game.players.values():
            self.waiting_line.leave(player)
        return self._seat(game)

    def _numbered(self) -> str:
        """Return a name for another game."""
        self._games += 1
        return f"{self.name}-{self._games}"

    def _end_exchange(self, exchange: SeedExchange) -> None:
        """Begin the game of players who have revealed their texts, or are gone."""
        self._exchanges.remove(exchange)
        self._seat(NewGame(self.settings, exchange.name, exchange.secret, exchange.seating, exchange.seeds))

    def _seat(self, game: NewGame) -> TableRunner | None:
        """Seat the players, and begin their game; return its table, None if it does not begin.

        Players who are gone already leave it at once.
        """
        try:
            table = self._setup.create(game)
        except OSError as error:
            self._put_back(game, error.strerror or str(error))
            return None
        except Exception:  # a bug of the server must not affect the other players of this room
            self._log.failure("could not create table {table}", table=game.name)
            self._give_up(game, (), "internal error, this table is closed")
            return None
        self._open_table(table, has_phrases=not game.settings.rated and game.event is None)
        self._tables[table] = game.sequel
        table.begin(game.branch)
        for seat, player in game.players.items():
            if player.is_gone:
                table.leave(seat)
        return table if table in self._tables else None

    def _open_table(self, table: TableRunner, *, has_phrases: bool) -> None:
        """Let the players of a table say phrases and report each other, and let spectators come."""
        table.has_phrases = has_phrases
        table.order_next = self.order
        if self.parts.reports is not None:
            table.report_player = self.parts.reports.report_at
        self.spectators.open(table.name, table.show, table.profiles)

    def _put_back(self, game: NewGame, reason: str) -> None:
        """Let the players of a game that cannot be recorded wait at the front of the line, unless the server stops."""
        clients: list[PlayerConnection] = []
        if self._takes_games:
            clients = [player for player in game.players.values() if player.is_client and not player.is_gone]
        for player in clients:
            player.connection.occupant = LinePlace(self.name, player, self.leave, self.order)
        self.waiting_line.stay(clients, self._clock.seconds())
        if self._takes_games and self._disk_call is None:
            self._await_disk(reason)
        self._give_up(game, clients, "this game cannot be recorded, so the table is closed")

    def _give_up(self, game: NewGame, staying: Collection[PlayerConnection], message: str) -> None:
        """Turn the players of a table away that could not be created, except those who stay."""
        for player in game.players.values():
            if player not in staying and not player.is_gone:
                player.turn_away(message)
        self._end_group(game.duplicate, game.secret)
        self.parts.quota.end()

    def _end_show(self, name: str, show: TableShow) -> None:
        """Move the spectators of a game that is over on: they have seen its end."""
        self._ending.remove(show)
        self.spectators.close(name)

    def restore(self, journal: Journal, reopen: Callable[[], Recorder]) -> TableRunner:
        """Go on with a recorded game of this room; raises OSError and JournalError as ``TableSetup.restore`` does."""
        header = journal.header
        table = self._setup.restore(journal, reopen)
        self._games = max(self._games, number_of(header.opening.name))
        self.parts.quota.resume()
        self._open_table(table, has_phrases=not self.settings.rated and header.event is None)
        self._tables[table] = None
        table.resume()
        seats = [seat for seat, player in enumerate(header.players) if player.kind is PlayerKind.CHILD]
        if seats:  # processes are started once the reactor runs
            self._clock.callLater(0, self._start_again, table, {seat: header.players[seat].speaks for seat in seats})
        return table

    def _start_again(self, table: TableRunner, speaks: Mapping[Seat, str]) -> None:
        """Start the bots of a game anew that were processes of an earlier server, except those that had ended."""
        for seat, dialect in speaks.items():
            name = table.opening.players[seat]
            if table not in self._tables or not table.is_here(seat):
                continue
            command = command_of(self.settings.house, dialect, name)
            if command is None or not self.parts.children.places:
                self._log.warn("{table}: {name} is not started again", table=table.name, name=logged_name(name))
                table.leave(seat)
            else:
                table.come_back(seat, self.parts.children.start_later(name, command))

    def _finish(self, table: TableRunner) -> None:
        """Remove a table that is over, and begin the next game of its players, or let them go."""
        sequel = self._tables.pop(table) or self.gathering
        self.parts.totals.add(table.numbers, self.name)
        self._note_paces(table)
        self._note_people(table)
        self.parts.tokens.forget(table)
        self._ending.append(table.show)
        table.show.finish(partial(self._end_show, table.name, table.show))
        following = sequel.after(table)
        if following is not None:
            self.parts.quota.resume()
            self._seat(following)
        else:
            self._end_group(table.opening.duplicate, table.opening.secret)
            self._let_go(table)
        self.parts.quota.end()
        self._look()

    def _note_paces(self, table: TableRunner) -> None:
        """Remember how long the players of a game took for passes, for their next game here."""
        for seat, player in table.players.items():
            pace = table.chairs[seat].pace
            if pace is not None:
                player.pace = pace.state
                self._paces.pop(_person(player), None)
                self._paces[_person(player)] = pace.state
        while len(self._paces) > MOST_PACES:
            del self._paces[next(iter(self._paces))]

    def _note_people(self, table: TableRunner) -> None:
        """Let two people or more who have played a game here play again with each other, as friends."""
        settings, keeper = self.settings, self.parts.people
        people: dict[str, str] = {}
        for player in table.players.values():
            if player.is_client and player.person is not None and player.connection.session.is_person:
                people[player.person] = player.name
        if keeper is None or len(people) < 2 or not self.gathering.offers_rematch:
            return
        wish = TableWish(
            length=settings.ruleset.length.value,
            has_bots=bool(settings.house),
            bots=next((seats.kind for seats in settings.house if seats.kind in POLICIES), None),
            has_spectators=settings.spectators.is_allowed,
        )
        keeper.note_game(table.name, people, wish, self.name)

    def _end_group(self, duplicate: DuplicateGame | None, secret: str) -> None:
        """Let everybody read the records of a group, if this is one: its walls will not be played any more."""
        if duplicate is not None and self.gathering.publishes_walls:
            self._log.info(
                "{room}: the group {group} of {games} games ends with number {number}; seed {seed}",
                room=self.name,
                group=duplicate.group,
                number=duplicate.number,
                games=duplicate.games,
                seed=secret,
            )
            self._publish_group(duplicate)

    def _publish_group(self, duplicate: DuplicateGame | None) -> None:
        """Publish the records of a group whose walls this room plays alone."""
        if duplicate is not None and self.gathering.publishes_walls:
            self.parts.seals.lift(duplicate.group)

    def _let_go(self, table: TableRunner) -> None:
        """Let the players of a table go after their last game; those who stay wait at the front of the line."""
        staying = [player for player in tuple(table.players.values()) if self._stays(player, table)]
        for player in staying:
            player.connection.occupant = LinePlace(self.name, player, self.leave, self.order)
        self.waiting_line.stay(staying, self._clock.seconds())

    def _stays(self, player: PlayerConnection, table: TableRunner) -> bool:
        """Tell a player the secret of the walls, and return whether it stays; one whose session fails is cut."""
        try:
            if table.opening.duplicate is None or self.gathering.publishes_walls:
                player.connection.publish(table.opening.secret)
            if not player.end_game(table.blame(player), self.name):
                return False
            if player.connection.takes_game():
                return True
            player.turn_away(TOO_MANY_GAMES)
            return False
        except Exception:  # a bug of the server must not affect the other players
            self._log.failure("{room}: {name} failed after its game", room=self.name, name=logged_name(player.name))
            player.connection.cut()
            return False


def with_help(settings: RoomSettings) -> RoomSettings:
    """Return the settings of a room for a hand of somebody who learns: with all hints, and time to read them."""
    table = replace(settings.table, hints=HintScope.ADVICE, bot_delay=LEARNERS_BOTS)
    return replace(settings, times=LEARNERS_TIMES, table=table)


def newest_boards(rooms: Iterable[Room]) -> dict[str, object]:
    """Return the boards of the newest tables that everybody may watch, of each room in turn, by their names."""
    newest = zip_longest(*(reversed(room.tables) for room in rooms if room.is_public))
    shown = islice(filter(None, chain.from_iterable(newest)), MOST_BOARDS)
    return {table.name: board_data(table.opening, table.public_events) for table in shown}


def _person(player: PlayerConnection) -> str:
    """Return what a player is known by: the user or guest, or else its name together with its address."""
    return player.person or f"{player.connection.host} {player.name}"


def _owner(player: PlayerConnection) -> str:
    """Return whose bot a player is."""
    return player.connection.user or owner_of(player.name)
