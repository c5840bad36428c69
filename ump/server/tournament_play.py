"""The tournaments that a server plays: each has a room, in which its games begin by the plan.

The database is the truth about the plan and the results, and journals are the truth about games. The server looks at
the database every ``PERIOD`` seconds, in another thread, and acts on what a director has changed. A game whose table
says that it runs, and that does not, has ended with an earlier server: its journal has the result.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from twisted.application.service import Service
from twisted.internet.defer import Deferred, DeferredLock, succeed
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger
from twisted.python.failure import Failure

from ump.database.database import DatabaseError
from ump.game.deals import secret_of
from ump.model.commitments import DuplicateGame
from ump.model.game_result import GameResult
from ump.model.seats import Seat
from ump.net.limits import MAX_JOBS, MAX_JOBS_OF_HOST
from ump.net.wall_clock import wall_text
from ump.record.journal import JournalError, read_journal, summary_of
from ump.rules.options import RuleChange
from ump.rules.ruleset import Length
from ump.server.bots import BotSeat, Seated
from ump.server.gathering import Gathering
from ump.server.jobs import FairQueue, InThread
from ump.server.journals import FINISHED, RUNNING
from ump.server.new_table import NewGame
from ump.server.player_connection import PlayerConnection
from ump.server.room import Room, ServerParts
from ump.server.settings import MASKED, OPEN, RoomSettings, Spectating
from ump.server.table_runner import DIRECTOR_CLOSES, TableRunner
from ump.server.tournaments import (
    BOT,
    ID,
    PLAYING,
    SUBSTITUTE_POLICY,
    WINDS,
    Entrant,
    EntrantKind,
    EventTable,
    TableState,
    Tournament,
    TournamentDatabase,
    TournamentError,
    begun,
    carry_out,
    duplicate_group,
    ended,
    entrant_hash,
    event_key,
    lost,
    read_event_key,
    tournament_data,
)
from ump.table.clock import TimeControl
from ump.wire.names import SUBSTITUTE_NAME
from ump.wire.text import MAX_NAME

PERIOD = 2.0
"""Seconds between two looks at the database."""

OVER = "this tournament is over"

DIRECTOR_WAITS = "The director lets your table wait."
"""The message to the players of a table that was about to begin."""

Note: TypeAlias = Callable[[Tournament], Tournament]
"""A change of a tournament."""


class Event(Gathering):
    """A tournament as its server plays it: the room, its running games, and who is there."""

    offers_rematch = False
    publishes_walls = False  # other tables play the same ones: ``renew`` publishes them after the round

    _log = Logger()

    def __init__(
        self, tournament: Tournament, template: RoomSettings, parts: ServerParts, note: Callable[[str, Note], object]
    ) -> None:
        """``template`` is the room of the operator whose settings it has. ``note`` changes the tournament later."""
        self.tournament = tournament
        self._parts = parts
        self._note = note
        self.room = Room(settings_of(tournament, template), parts, lambda _: self)
        self.games: dict[str, str] = {}
        """The keys of games that run, or whose results are not noted yet, by the names of the games."""
        self._told: dict[PlayerConnection, str] = {}
        """The last seat that each player in line has been told."""
        self._shown: tuple[Tournament, dict[bool, dict[str, Any]]] = tournament, {}
        """The data of a revision, for the director and for others."""

    def data(self, *, is_director: bool) -> dict[str, Any]:
        """Return the tournament as data for JSON; the same until it changes."""
        if self._shown[0] is not self.tournament:
            self._shown = self.tournament, {}
        kept = self._shown[1]
        if is_director not in kept:
            kept[is_director] = tournament_data(self.tournament, is_director=is_director)
        return kept[is_director]

    # As the gathering of its room

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all entrants."""
        return tuple(each.name for each in self.tournament.entrants)

    def look(self) -> None:
        """Begin the games whose players are there, and tell those who wait where they sit."""
        if not self.tournament.is_finished:
            self._begin_games()
        self._told = {player: text for player, text in self._told.items() if player in self.room.line}
        for player in self.room.line:
            text = self._seat_text(player)
            if text and self._told.get(player) != text:
                self._told[player] = text
                player.connection.announce(text)

    def after(self, table: TableRunner) -> None:
        """Note the result of a game that is over. Its players stay, also those who have just come back."""
        for player in table.players.values():
            player.games.has_answered = True
        key = self.games.get(table.name)
        planned = None if key is None else self._planned(key)
        if key is None or planned is None or planned.state is TableState.READY:
            self.games.pop(table.name, None)
            return
        result = table.result
        if result is None:
            change: Note = partial(lost, key=key, reason=f"the game ended {table.numbers.end.value}")
        else:
            change = partial(ended, key=key, result=result, record=table.record_name)
        self._note(self.tournament.id, change)

    # Entrants

    def find(self, user: str | None, name: str | None, code: str) -> Entrant | None:
        """Return the entrant that a client is, by a code or by its login; None if it is none."""
        if code:
            return self.tournament.find_guest(code)
        return None if user is None or name is None else self.tournament.find_user(name)

    def known(self, entrant: Entrant) -> str:
        """Return what stands for an entrant in the place of a token's hash."""
        return entrant_hash(self.tournament.id, entrant.number)

    @property
    def present(self) -> dict[int, PlayerConnection]:
        """The entrants in line, by number."""
        here = {player.known: player for player in self.room.line}
        return {each.number: here[key] for each in self.tournament.entrants if (key := self.known(each)) in here}

    @property
    def connected(self) -> set[str]:
        """The names of the entrants who are in line or at a table."""
        here = list(self.room.line)
        for table in self.room.tables:
            here += table.players.values()
        return {player.name for player in here}

    def _seat_text(self, player: PlayerConnection) -> str:
        """Return where a player in line sits next, "" if it has no seat."""
        number = next((number for number, each in self.present.items() if each is player), None)
        for place, each in enumerate(self.tournament.published, 1):
            for table in each.tables:
                if number in table.played_by and table.state in (TableState.READY, TableState.CALLED):
                    wind = WINDS[table.played_by.index(number)]
                    return f"{self.tournament.name}: round {place}, table {table.number}, {wind}"
        return ""

    # Games

    def _begin_games(self) -> None:
        present = self.present
        for number, each in enumerate(self.tournament.published, 1):
            for table in each.tables:
                if table.state is TableState.CALLED and event_key(self.tournament, number, table) not in self.running:
                    self._begin(number, table, present)

    @property
    def running(self) -> set[str]:
        """The keys of its games."""
        return set(self.games.values())

    def _begin(self, number: int, table: EventTable, present: Mapping[int, PlayerConnection]) -> None:
        """Begin the game of a table, unless players are missing for whom it waits."""
        seating: dict[Seat, Seated] = {}
        plays: list[int] = []
        for seat, who in enumerate(table.played_by):
            entrant = None if who == BOT else self.tournament.entrant(who)
            if entrant is not None and entrant.kind is EntrantKind.BOT:
                seating[seat] = BotSeat(entrant.policy or SUBSTITUTE_POLICY, entrant.name)
            elif who in present:
                seating[seat] = present[who]
            elif entrant is None or table.fills:
                own = self.tournament.entrant(table.seats[seat])
                seating[seat] = BotSeat(SUBSTITUTE_POLICY, f"{SUBSTITUTE_NAME}{own.name}"[:MAX_NAME].rstrip())
                who = BOT
            else:
                return
            plays.append(who)
        key = event_key(self.tournament, number, table)
        runner = self.room.begin_planned(self._new_game(number, table, key, seating))
        if runner is None:
            return
        self.games[runner.name] = key
        runner.extend(table.extra)
        self._note(self.tournament.id, partial(begun, key=key, game=runner.name, played_by=tuple(plays)))

    def _new_game(self, number: int, table: EventTable, key: str, seating: Mapping[Seat, Seated]) -> NewGame:
        """Return the game of a table, whose walls follow from the secret of the tournament."""
        found = self.tournament
        place, duplicate = f"{number}/{table.number}/{table.attempt}", None
        if found.play.duplicate:
            place = f"{number}/{table.attempt}"
            group = duplicate_group(found, number, table.attempt)
            duplicate = DuplicateGame(group, table.number, len(found.rounds[number - 1].tables))
        name = f"{found.id}-{number}{table.number:03}"
        return NewGame(
            self.room.settings, name, secret_of(found.secret, place), seating, duplicate=duplicate, event=key
        )

    def _planned(self, key: str) -> EventTable | None:
        """Return the table of a game; None if the game does not count any more."""
        _, round_number, number, attempt = read_event_key(key)
        table = self.tournament.table(round_number, number)
        return None if table is None or table.attempt != attempt else table

    def adopt(self, key: str, table: TableRunner) -> None:
        """Take a game from a record that goes on, unless it is paused."""
        self.games[table.name] = key
        planned = self._planned(key)
        if planned is None:
            return
        table.extend(planned.extra)
        if planned.state is TableState.PAUSED:
            table.pause()

    def renew(self, tournament: Tournament) -> None:
        """Act on the changes of a director, and on what was noted."""
        if tournament.revision < self.tournament.revision:
            return
        self._log_orders(tournament)
        waits = self._held_back(tournament)
        self.tournament = tournament
        runners = {table.name: table for table in self.room.tables}
        for name, key in list(self.games.items()):
            table, runner = self._planned(key), runners.get(name)
            if runner is not None:
                self._renew_game(runner, table)
            elif table is None or table.state is TableState.DONE:
                del self.games[name]
        for group in self.groups(is_done=True):
            self._parts.seals.lift(group)
        for player in waits:
            player.connection.announce(DIRECTOR_WAITS)
        if tournament.is_finished:
            self.room.dismiss_waiting(OVER)
        self.look()

    def _held_back(self, tournament: Tournament) -> list[PlayerConnection]:
        """Return the players in line whose tables were about to begin, and wait by another state of the tournament."""
        present, found = self.present, []
        for number, table in tournament.numbered_tables:
            before = self.tournament.table(number, table.number)
            if before is not None and before.state is TableState.CALLED and table.state is TableState.READY:
                found += [present[entrant] for entrant in before.played_by if entrant in present]
        return found

    def _log_orders(self, tournament: Tournament) -> None:
        """Log the orders that a director has given since the last look, here or by 'ump tournament'."""
        for order in tournament.log:
            if order.number > self.tournament.orders:
                self._log.info("{id}: order {number}: {text}", id=tournament.id, number=order.number, text=order.text)

    @staticmethod
    def _renew_game(runner: TableRunner, table: EventTable | None) -> None:
        """Let a game go on as its table says, or end it if it does not count."""
        if table is None or table.state is TableState.READY:  # or the director was faster than its beginning
            runner.close(DIRECTOR_CLOSES)
            return
        runner.extend(table.extra)
        if table.state is TableState.PAUSED:
            runner.pause()
        else:
            runner.go_on()

    def groups(self, *, is_done: bool) -> set[str]:
        """Return the names of games with the same walls, of the rounds that are done or of the others."""
        groups: set[str] = set()
        for number, published in enumerate(self.tournament.published, 1):
            if not self.tournament.play.duplicate or published.is_done is not is_done:
                continue
            for table in published.tables:
                attempts = range(1, table.last_attempt + 1)
                groups |= {duplicate_group(self.tournament, number, attempt) for attempt in attempts}
        return groups

    @property
    def missing(self) -> list[str]:
        """The keys of games that run by the plan, and not here."""
        missing = []
        for number, table in self.tournament.numbered_tables:
            key = event_key(self.tournament, number, table)
            if table.state in PLAYING and key not in self.running:
                missing.append(key)
        return missing


def settings_of(tournament: Tournament, template: RoomSettings) -> RoomSettings:
    """Return the settings of a tournament's room, those that it does not have from a room of the operator."""
    play = tournament.play
    view = Spectating(is_allowed=False) if play.duplicate else MASKED
    return replace(
        template,
        name=tournament.id,
        rules=play.rules,
        changes=template.changes if play.rules == template.rules else (),
        length=RuleChange("length", Length(play.length)),
        times=TimeControl.parse(play.clock),
        house=(),
        duplicate=False,
        access=OPEN,
        one_per_owner=False,
        rated=False,
        spectators=view if play.delay is None else Spectating(delay=play.delay),
    )


class Events(Service):
    """All tournaments of a server."""

    _log = Logger()

    def __init__(
        self,
        database: TournamentDatabase,
        rooms: Callable[[], Iterable[RoomSettings]],
        parts: ServerParts,
        in_thread: InThread,
        records: Path | None,
        *,
        is_shared: bool = False,
    ) -> None:
        """``rooms`` returns the settings of the operator's rooms, ``records`` is the folder of journals.

        Other servers may share the database: then each plays the tournaments that name one of its rooms.
        """
        self._database = database
        self._rooms = rooms
        self._parts = parts
        self._in_thread = in_thread
        self._records = records
        self._is_shared = is_shared
        self._elsewhere: dict[str, tuple[int, str | None]] = {}
        """The revisions of tournaments that are not played here, and the rooms that they name."""
        self._events: dict[str, Event] = {}
        self._timer: IDelayedCall | None = None
        self._writing = DeferredLock()
        """Keeps changes in their order."""
        self._looks = FairQueue(partial(DeferredLock().run, in_thread), MAX_JOBS, MAX_JOBS_OF_HOST)
        """Looks for tournaments that clients name, one at a time."""
        self._unnoted: list[tuple[str, Note]] = []
        """Changes that wait for the database."""
        self._is_away = False
        """Whether the log has said that the database cannot be read."""

    @property
    def rooms(self) -> list[Room]:
        """The rooms of all tournaments."""
        return [event.room for event in self._events.values()]

    @property
    def all(self) -> list[Event]:
        """All tournaments."""
        return list(self._events.values())

    @property
    def listed(self) -> list[Mapping[str, object]]:
        """The tournaments that are not finished, as data for JSON."""
        found = [event.tournament for event in self.all if not event.tournament.is_finished]
        return [{"id": each.id, "name": each.name} for each in found]

    def find(self, identity: str) -> Event | None:
        """Return the tournament of an id; None if there is none."""
        return self._events.get(identity)

    def may_be_new(self, identity: str) -> bool:
        """Return whether a tournament of this id may have been made since the last look."""
        is_known = identity in self._events or identity in self._elsewhere
        return not is_known and self._database.is_there and ID.fullmatch(identity) is not None

    def room_elsewhere(self, identity: str) -> str | None:
        """Return the room of another server that a tournament names; None if nothing is known of one."""
        return self._elsewhere.get(identity, (0, None))[1]

    @property
    def sealed(self) -> set[str]:
        """The names of games with the same walls whose records nobody may read yet."""
        return set().union(*(event.groups(is_done=False) for event in self.all))

    def load(self) -> None:
        """Read all tournaments now, before the games of the journals go on."""
        try:
            for identity in self._database.revisions():
                self._take(self._database.read(identity))
        except DatabaseError as error:
            self._log.error("the tournaments cannot be read: {error}", error=str(error))

    def _take(self, tournament: Tournament) -> None:
        """Enter a tournament, or what has changed in one."""
        event = self._events.get(tournament.id)
        if event is not None:
            event.renew(tournament)
            return
        rooms, wanted = {each.name: each for each in self._rooms()}, tournament.play.room
        if tournament.id in rooms or (wanted not in rooms and (wanted is not None or self._is_shared)):
            self._log.warn(
                "the tournament {id} is not played: it has the name, or none, of our rooms", id=tournament.id
            )
            self._elsewhere[tournament.id] = tournament.revision, wanted
            return
        template = next(iter(rooms.values())) if wanted is None else rooms[wanted]
        self._events[tournament.id] = Event(tournament, template, self._parts, self._note)

    # Looking at the database

    def startService(self) -> None:
        """Begin to look."""
        super().startService()
        self._timer = self._parts.clock.callLater(0, self._look_again)

    def stopService(self) -> None:
        """Look no more."""
        super().stopService()
        if self._timer is not None and self._timer.active():
            self._timer.cancel()

    def _look_again(self) -> None:
        self.look().addBoth(self._look_later)

    def _look_later(self, _: object) -> None:
        if self.running:
            self._timer = self._parts.clock.callLater(PERIOD, self._look_again)

    def look(self) -> Deferred[None]:
        """Act on what has changed in the database, and on games that ended with an earlier server."""
        if not self._database.is_there:
            return succeed(None)
        known = {identity: revision for identity, (revision, _) in self._elsewhere.items()}
        known |= {each.tournament.id: each.tournament.revision for each in self.all}
        missing = [*chain.from_iterable(event.missing for event in self.all)]

        def read() -> tuple[list[Tournament], dict[str, Note | None]]:
            newer = [
                self._database.read(identity)
                for identity, revision in self._database.revisions().items()
                if known.get(identity) != revision
            ]
            return newer, {key: recorded(self._records, key) for key in missing}

        return self._in_thread(read).addCallbacks(self._act, self._log_unread)

    def look_up(self, identity: str, host: str) -> Deferred[None]:
        """Read a tournament for a host, unless too many wait: it may have been made since the last look."""
        done = self._looks.add(host, partial(self._database.read, identity))
        if done is None:
            return succeed(None)
        found: Deferred[Any] = done.addCallback(self._take)
        return found.addErrback(lambda failure: failure.trap(TournamentError)).addErrback(self._log_unread)

    def _act(self, found: tuple[list[Tournament], dict[str, Note | None]]) -> None:
        newer, ended_before = found
        self._is_away = False
        unnoted, self._unnoted = self._unnoted, []
        for identity, change in unnoted:
            self._note(identity, change)
        for tournament in newer:
            self._take(tournament)
        for key, end in ended_before.items():
            event = self.find(read_event_key(key)[0])
            if event is not None and end is not None and key in event.missing:
                self._note(event.tournament.id, end)
        for event in self.all:
            event.look()

    def _log_unread(self, failure: Failure) -> None:
        if failure.check(DatabaseError) is None:
            self._log.failure("the tournaments cannot be read", failure)
        elif not self._is_away:
            self._is_away = True
            self._log.error("the tournaments cannot be read: {error}", error=failure.getErrorMessage())

    # Changes

    def _note(self, identity: str, change: Note) -> None:
        """Change a tournament in another thread; later, if the database is away."""
        done = self._writing.run(self._in_thread, self._database.change, identity, change)
        done.addCallbacks(self._take, self._log_unnoted, errbackArgs=(identity, change))

    def _log_unnoted(self, failure: Failure, identity: str, change: Note) -> None:
        self._log.error("{id}: {error}", id=identity, error=failure.getErrorMessage())
        if failure.check(TournamentError) is None:
            self._unnoted.append((identity, change))

    def order(self, identity: str, order: str, given: Mapping[str, object], orders: int | None) -> Deferred[Tournament]:
        """Carry out an order of a director; the Deferred fails with TournamentError, or DatabaseError."""

        def take(tournament: Tournament) -> Tournament:
            self._take(tournament)
            return tournament

        change = partial(carry_out, order=order, given=given, at=wall_text(self._parts.clock))
        done = self._writing.run(self._in_thread, self._database.change, identity, change, orders)
        return done.addCallback(take)

    def hashes_of(self, names: Collection[str]) -> list[str]:
        """Return what stands for the users of these names in records; call it in another thread."""
        return self._database.hashes_of(names)

    def rename(self, alias_of: Callable[[str], str | None]) -> None:
        """Give the entrants whose names have an alias that name; the next look shows it."""
        self._writing.run(self._in_thread, self._database.rename, alias_of).addErrback(self._log_unread)


def recorded(folder: Path | None, key: str) -> Note | None:
    """Return what the journal of a game means for its table; None: the game goes on, or its file is being finished."""
    identity, number, table, _ = read_event_key(key)
    paths = [] if folder is None else sorted(folder.glob(f"*-{identity}-{number}{table:03}*"))
    for path in paths:
        try:
            data = path.read_bytes()
            journal = read_journal(gzip.decompress(data) if path.name.endswith(FINISHED) else data)
            if journal.header.event == key:
                return None if journal.end is None else _change_of(path, key, summary_of(journal).result)
        except FileNotFoundError:
            return None
        except (OSError, EOFError, JournalError):
            continue  # the file of another game, or a damaged one
    return partial(lost, key=key, reason="the server ended, and there is no record")


def _change_of(path: Path, key: str, result: GameResult) -> Note:
    """Return what the end of a game in a file means for its table."""
    if not result.places:
        return partial(lost, key=key, reason="the game ended without a result")
    record = path.name.removeprefix(".").removesuffix(FINISHED).removesuffix(RUNNING)
    return partial(ended, key=key, result=result, record=record)
