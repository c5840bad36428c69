"""The lobby: brings clients that have said hello to a room, to play or to watch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial
from itertools import chain, count
from secrets import token_hex
from typing import Any, Protocol

from twisted.logger import Logger

from ump.model.choices import unknown
from ump.model.value import value
from ump.net.connection import Connection, Host
from ump.net.connection_budget import ConnectionKind
from ump.net.connection_limits import Said
from ump.net.limits import (
    MAX_BRANCHES,
    TOO_MANY_GAMES,
    TOO_MANY_LEFT,
    TOO_MANY_LOGINS,
    TOO_MANY_WAIT,
    TOO_MANY_WATCH,
)
from ump.net.windows import TooManyGuesses
from ump.record.branch import Branch
from ump.server.people import People
from ump.server.player_connection import PlayerConnection
from ump.server.private_tables import CODE_LENGTH, NO_TABLE, NO_TABLES, PrivateTable, PrivateTables, TableRefused
from ump.server.room import Room
from ump.server.seat_tokens import TOKEN_LENGTH, KeptSeat, SeatTokens, return_hashes
from ump.server.settings import CODE_NEEDED, WRONG_CODE, Access, RoomSettings
from ump.server.shared_site import ServerCard, ServerState, SharedSite
from ump.server.spectators import Spectators
from ump.server.table_runner import TableRunner
from ump.server.tournament_play import OVER, Event, Events
from ump.server.users.gate import Checking
from ump.wire.names import is_office, logged_name, look_alike, skeleton
from ump.wire.session import IN_ANOTHER_TAB, REPLACED, UNKNOWN_TOKEN, Introduction, TableWish
from ump.wire.text import MAX_NAME

NO_NEW_GAMES = "the server is stopping and begins no new games; try again later"
"""The message to clients that wait, or say hello, while running games go on before the server stops."""

ROOM_CLOSED = "this room has been closed; choose another one"
"""The message to players who wait in a room that the operator removes."""


LOOKS_ALIKE = "another player or bot here has a name that looks like yours; choose another name"
"""The message to a client that could be taken for somebody else."""

OFFICE = "nobody may have this name; choose another one"
"""The message to a client whose name others would believe, such as admin."""

TWO_GAMES = "you play two games already"
"""The message to a client that wants one game more than it may play at a time."""

LEFT_GAME = "you have left this game"
"""The message to the connection of a player who gives up the seat somewhere else."""


class OpenRoom(Protocol):
    """A room, as the lobby needs it."""

    @property
    def name(self) -> str:
        """The room's name."""

    @property
    def players(self) -> int:
        """The number of players at its tables."""

    @property
    def names(self) -> Iterable[str]:
        """The names of the players here, and of the bots that may sit down."""

    def bearers(self, name: str) -> Iterable[tuple[str, bool]]:
        """Return the host of each client of exactly this name here, and whether it is a person."""

    @property
    def line(self) -> Iterable[PlayerConnection]:
        """The players who wait for a table."""

    @property
    def is_rated(self) -> bool:
        """Whether its games count for a ladder, in which a player is known by the name."""

    @property
    def access(self) -> Access:
        """The clients that may enter."""

    @property
    def settings(self) -> RoomSettings:
        """All its settings."""

    @property
    def is_watchable(self) -> bool:
        """Whether clients may watch it."""

    @property
    def spectators(self) -> Spectators:
        """The clients that watch the room."""

    def welcome(self, player: PlayerConnection) -> None:
        """Let a client wait for a game."""

    def play_on(self, player: PlayerConnection, branch: Branch) -> None:
        """Let a client play on from a position of a recorded game, against built-in bots."""

    def expel(self, player: PlayerConnection, message: str) -> None:
        """Turn a player away that waits or plays here."""

    def dismiss_waiting(self, message: str) -> None:
        """Turn all waiting players away: no more games may begin."""

    def close(self) -> None:
        """Stop all games, and begin no new ones."""


class Admission(Enum):
    """The clients that a lobby lets in."""

    ALL = "all"
    RETURNING = "only players who come back to their seats"
    NONE = "none"


@value
class Arrival:
    """A client that wants to enter a room."""

    connection: Connection
    introduction: Introduction
    room: OpenRoom
    code: str
    """The invitation code that it gives, or ""."""
    game: str
    """The game that it wants to watch, or "" for the newest."""
    table: PrivateTable | None = None
    """The table among friends to which it comes; None: to a room of the operator."""
    branch: Branch | None = None
    """The position of a recorded game from which it wants to play on."""


class KeptBranches:
    """Positions of recorded games, each under a name that stands for a room for some time."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, Branch]] = {}

    def keep(self, room: str, branch: Branch) -> str:
        """Return a new name for a position, which is played in a room; forget the oldest if there are too many."""
        name = f"from-{token_hex(6)}"
        self._kept[name] = room, branch
        if len(self._kept) > MAX_BRANCHES:
            del self._kept[next(iter(self._kept))]
        return name

    def find(self, name: str | None) -> tuple[str, Branch] | None:
        """Return the room and the position of a name, None if it is none."""
        return self._kept.get(name or "")


class Lobby:
    """All rooms; clients that name no room go to the first."""

    _log = Logger()

    def __init__(
        self,
        rooms: Sequence[OpenRoom],
        tokens: SeatTokens,
        others: SharedSite | None = None,
        tables: PrivateTables | None = None,
        people: People | None = None,
    ) -> None:
        self._rooms = {room.name: room for room in rooms}
        self._first = rooms[0].name
        self._closed: dict[OpenRoom, None] = {}
        """Rooms that were removed while the server runs. Their games go on."""
        self._tokens = tokens
        self.others = others
        """The other servers of the site; None: there are none."""
        self.tables = tables
        """The tables among friends; None: there are none."""
        self.people = people
        """The people who are here; None: nobody may be seen."""
        if people is not None:
            people.is_playing = lambda hashes: any(not kept.is_left for kept in self.seats_of(hashes))
        self.branches = KeptBranches()
        self.events: Events | None = None
        """The tournaments; None: there are none."""
        self._nameless = count(1)
        self._admission = Admission.ALL

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Bring a client to the room that it asks for, or turn it away."""
        event = self._event(introduction)
        kept = None
        if introduction.watch is None and event is None:
            kept = self._kept_seat(connection, introduction)
        if self._admission is Admission.NONE:
            connection.fail("the server is stopping")
        elif not connection.takes_login():
            connection.fail(TOO_MANY_LOGINS)
        elif introduction.token is not None:
            self._welcome_back(connection, introduction.token)
        elif event is not None:
            self._welcome_entrant(connection, introduction, event)
        elif introduction.seat.yields and self._is_elsewhere(connection, introduction, kept):
            connection.fail(IN_ANOTHER_TAB)
        elif kept is not None:
            self._go_on(connection, introduction, *kept)
        elif introduction.seat.table is not None:
            connection.turn_back(UNKNOWN_TOKEN)
        elif self._admission is Admission.RETURNING:
            connection.fail(NO_NEW_GAMES)
        else:
            self._welcome_new(connection, introduction)

    def _kept(self, hashes: Iterable[str]) -> dict[str, KeptSeat]:
        """Return the seats that are kept for these hashes."""
        seats = {}
        for known in hashes:
            seat = self._tokens.find_hash(known)
            if seat is not None:
                seats[known] = seat
        return seats

    def _kept_seat(self, connection: Connection, introduction: Introduction) -> tuple[str, KeptSeat] | None:
        """Return the seat that a client comes back to, with its hash; None if it has none, or wants another game."""
        wish, tab, table = introduction.seat, connection.session.tab, introduction.table
        if wish.is_new or (table is not None and table.is_watching):
            return None
        kept = self._kept(return_hashes(connection, introduction.name)).items()
        if wish.table is not None:
            wanted = [(known, seat) for known, seat in kept if seat.table.name == wish.table]
        elif table is not None:
            tables = self._tables_of(table.code)
            wanted = [(known, seat) for known, seat in kept if seat.table in tables]
        else:
            wanted = list(kept)
        if wish.yields:
            wanted.sort(key=lambda known_seat: _is_held_by_another(known_seat[1].player, tab))
        return wanted[0] if wanted else None

    def _tables_of(self, code: str | None) -> tuple[TableRunner, ...]:
        """Return the running games at the table among friends of a code."""
        private = self.find_table(code)
        return () if private is None else private.room.tables

    def _is_elsewhere(
        self, connection: Connection, introduction: Introduction, kept: tuple[str, KeptSeat] | None
    ) -> bool:
        """Return whether another tab of the same browser holds the seat that a client wants, or waits for a game."""
        tab = connection.session.tab
        if kept is not None:
            return _is_held_by_another(kept[1].player, tab)
        known = return_hashes(connection, introduction.name)
        return any(_is_held_by_another(player, tab) for _, player in self._waiting(known))

    def _go_on(self, connection: Connection, introduction: Introduction, known: str, kept: KeptSeat) -> None:
        """Give a client the seat back that is kept for this hash."""
        games = introduction.games
        if self._admission is not Admission.ALL:
            games = 1
        elif introduction.table is not None:
            games = 0
        self._enter(known, connection)
        person = return_hashes(connection, introduction.name)[0]
        player = PlayerConnection(connection, kept.name, games, known, person)
        kept.table.come_back(kept.seat, player)

    def _event(self, introduction: Introduction) -> Event | None:
        """Return the tournament in which a client wants to play."""
        if self.events is None or introduction.room is None:
            return None
        if introduction.watch is not None or introduction.table is not None:
            return None
        return self.events.find(introduction.room.partition(":")[0])

    def owner_of(self, name: str) -> ServerCard | None:
        """Return the other server that has a room, tournament or room of a game; None if it is ours or unknown."""
        if self.others is None:
            return None
        room = None if self.events is None else self.events.room_elsewhere(name)
        return self.others.owner_of(name) or (None if room is None else self.others.owner_of(room))

    def may_be_new(self, name: str) -> bool:
        """Return whether a name that nobody knows may be that of a tournament that has just been made."""
        if self.events is None or name in self._rooms or self.owner_of(name) is not None:
            return False
        return self.events.may_be_new(name)

    def takes_code(self, introduction: Introduction) -> bool:
        """Return whether a client comes with a code of a tournament, right or wrong: that is its login."""
        return self._event(introduction) is not None and ":" in (introduction.room or "")

    def is_borne(self, name: str) -> bool:
        """Return whether a name is, or looks like, that of a room, or of somebody who plays, waits or is expected."""
        rooms = [*self._rooms.values(), *self._closed]
        rooms += [] if self.tables is None else self.tables.rooms
        rooms += [each.room for each in self._running_events]
        names = chain(self._rooms, chain.from_iterable(room.names for room in rooms))
        if self.others is not None:
            names = chain(names, chain.from_iterable(map(_names_in, self.others.rooms.values())))
        wanted = skeleton(name)
        return any(skeleton(each) == wanted for each in names)

    def _welcome_entrant(self, connection: Connection, introduction: Introduction, event: Event) -> None:
        """Let an entrant of a tournament take its seat, or wait for it."""
        code = (introduction.room or "").partition(":")[2]
        find = partial(event.find, connection.user, introduction.name, code)
        try:
            entrant = connection.look_up(find) if code else find()
        except TooManyGuesses as refused:
            connection.turn_back(str(refused))
            return
        if entrant is None:
            connection.turn_back(WRONG_CODE if code else CODE_NEEDED)
            return
        if connection.user is None:
            connection.look_again = None  # it plays under another name than its own
        known = event.known(entrant)
        kept = self._tokens.find_hash(known)
        older = event.present.get(entrant.number) if kept is None else kept.player
        games = 0 if connection.session.is_person else introduction.games
        player = PlayerConnection(connection, entrant.name, games, known, known)
        if introduction.seat.yields and _is_held_by_another(older, connection.session.tab):
            connection.fail(IN_ANOTHER_TAB)
        elif kept is not None:
            kept.table.come_back(kept.seat, player)
        elif self._admission is Admission.RETURNING:
            connection.fail(NO_NEW_GAMES)
        elif event.tournament.is_finished:
            connection.turn_back(OVER)
        else:
            self._await_seat(Arrival(connection, introduction, event.room, "", ""), player)

    def _await_seat(self, arrival: Arrival, player: PlayerConnection) -> None:
        """Let an entrant wait for its game, in the place of an older connection."""
        if not all(check(arrival) for check in (_speaks_for_its_players, _has_place_to_wait, _may_begin_a_game)):
            return
        for older in arrival.room.line:
            if older.known == player.known:
                arrival.room.expel(older, f"{REPLACED} of the same player")
        arrival.connection.session.admit(player.name)
        arrival.room.welcome(player)

    def _waiting(self, hashes: Collection[str]) -> Iterator[tuple[OpenRoom, PlayerConnection]]:
        """Yield the players who wait and are known by these hashes, each with the room."""
        for room in self._all_rooms:
            for player in tuple(room.line):  # whoever looks may expel some of them
                if player.known in hashes:
                    yield room, player

    @property
    def _all_rooms(self) -> list[OpenRoom]:
        """The rooms that clients may enter, those of tables among friends included."""
        private = [] if self.tables is None else self.tables.rooms
        return [*self._rooms.values(), *private, *self._event_rooms]

    @property
    def _running_events(self) -> list[Event]:
        """The tournaments that are not over."""
        events = [] if self.events is None else self.events.all
        return [event for event in events if not event.tournament.is_finished]

    @property
    def _event_rooms(self) -> list[Room]:
        return [] if self.events is None else self.events.rooms

    @property
    def has_tables(self) -> bool:
        """Whether people may make tables among friends."""
        return self.tables is not None and self.tables.most > 0

    def find_table(self, code: str | None) -> PrivateTable | None:
        """Return the table among friends that has this code; None if there is none."""
        if self.tables is None or code is None:
            return None
        return self.tables.find(code)

    def _welcome_at_table(self, connection: Connection, introduction: Introduction, wish: TableWish) -> None:
        """Let a client make a table among friends, or come to one by its code."""
        maker = next(iter(return_hashes(connection, introduction.name)), None)
        table: PrivateTable | None
        try:
            if wish.code is None:
                table = self.make_table(wish, introduction.room, maker, connection.host or "")
            else:
                table = connection.look_up(partial(self.find_table, wish.code))
        except (TableRefused, TooManyGuesses) as refused:
            connection.turn_back(str(refused))
            return
        if table is None:
            owner = (
                None if self.others is None or wish.code is None else self.others.maker_of(wish.code, CODE_LENGTH + 1)
            )
            connection.turn_back(NO_TABLE if owner is None else _text_of_elsewhere("this table", owner))
            return
        arrival = Arrival(connection, replace(introduction, games=0), table.room, "", "", table)
        self._let_in(arrival, [_speaks_for_its_players], is_watching=wish.is_watching)

    def make_table(self, wish: TableWish, room: str | None, maker: str | None, address: str) -> PrivateTable:
        """Return a new table among friends, with the settings of a room that is not wished; raises TableRefused.

        ``maker`` is the hash of the person who makes it, ``address`` its host; "" has no limit.
        """
        if self.tables is None or self._admission is not Admission.ALL:
            raise TableRefused(NO_TABLES)
        name = (room or self._first).partition(":")[0]
        template = self._rooms.get(name)
        if template is None:
            raise TableRefused(unknown("room", name, self._rooms))
        return self.tables.create(wish, template.settings, maker, address)

    def _welcome_new(self, connection: Connection, introduction: Introduction) -> None:
        """Let a client enter a room if it passes all checks. The first that it does not pass turns it away."""
        if introduction.table is not None:
            self._welcome_at_table(connection, introduction, introduction.table)
            return
        is_watching = introduction.watch is not None
        kept = None if is_watching else self.branches.find(introduction.room)
        if kept is None:
            (wanted, table, code), branch = self._wanted(introduction), None
        else:
            (wanted, branch), table, code = kept, "", ""
        rooms = self._watchable if is_watching else self._rooms
        room = rooms.get(wanted)
        owner = self.owner_of(wanted)
        if owner is not None:
            connection.fail(_text_of_elsewhere(f"room {wanted}", owner))
            return
        if room is None:
            connection.turn_back(unknown("room", wanted, self._rooms))
            return
        arrival = Arrival(connection, introduction, room, code, table, branch=branch)
        self._let_in(arrival, [_has_access, _speaks_for_its_players], is_watching=is_watching)

    def _let_in(self, arrival: Arrival, checks: Sequence[Callable[[Arrival], bool]], *, is_watching: bool) -> None:
        """Let a client watch or play if it passes these checks, and those for everybody who does that."""
        if is_watching:
            checks = [*checks, _may_watch, _has_place_to_watch]
        else:
            own = [_is_free_for, _has_own_name, self._may_play_one_more, _has_place_to_wait, _may_begin_a_game]
            checks = [*checks, *own, self._has_left_few_seats]
        if not all(check(arrival) for check in checks):
            return
        if is_watching:
            self._show(arrival)
        else:
            self._join(arrival)

    def _may_play_one_more(self, arrival: Arrival) -> bool:
        hashes = return_hashes(arrival.connection, arrival.introduction.name)
        if not hashes or len(self._kept(hashes)) < len(hashes):
            return True
        arrival.connection.fail(TWO_GAMES)
        return False

    def _has_left_few_seats(self, arrival: Arrival) -> bool:
        connection = arrival.connection
        if connection.place is None or not self._tokens.are_many_left_by(connection.host or ""):
            return True
        arrival.connection.fail(TOO_MANY_LEFT)
        return False

    def _join(self, arrival: Arrival) -> None:
        """Let a client wait for a game, in the place of an older connection of the same player."""
        connection, introduction, room = arrival.connection, arrival.introduction, arrival.room
        hashes = return_hashes(connection, introduction.name)
        for other, player in self._waiting(hashes):
            other.expel(player, f"{REPLACED} of the same player")
        known = next((known for known in hashes if self._tokens.find_hash(known) is None), None)
        self._enter(known, connection)
        if introduction.name is None:
            name = f"guest-{next(self._nameless)}"
        else:
            name = _name_here(arrival, introduction.name)
        if connection.may_log(Said.JOINS):
            self._log.info(
                "{room}: {name} joins, from {peer}", room=room.name, name=logged_name(name), peer=connection.peer
            )
        connection.session.admit(None if introduction.name is None else name)
        person = next(iter(hashes), None)
        player = PlayerConnection(connection, name, introduction.games, known, person)
        if arrival.branch is None:
            room.welcome(player)
        else:
            room.play_on(player, arrival.branch)

    def _wanted(self, introduction: Introduction) -> tuple[str, str, str]:
        """Return the room that a client wants, the game there to watch, and the invitation code behind a colon.

        The name of a game is that of its room with a number: ``main-2``. Game and code may be "".
        """
        wanted = introduction.watch or introduction.room or self._first
        rooms = self._watchable if introduction.watch is not None else self._rooms
        if wanted in rooms:
            return wanted, "", ""
        name, _, code = wanted.partition(":")
        room, _, number = name.rpartition("-")
        if introduction.watch is not None and name not in rooms and room in rooms and number.isdecimal():
            return room, name, code
        return name, "", code

    @property
    def _watchable(self) -> dict[str, OpenRoom]:
        """The rooms that clients may ask to watch."""
        rooms: dict[str, OpenRoom] = {room.name: room for room in self._event_rooms}
        return rooms | self._rooms

    def _enter(self, known: str | None, connection: Connection) -> None:
        if known is not None and self.others is not None:
            self.others.enter(known, connection)

    def _show(self, arrival: Arrival) -> None:
        """Let a client watch a room."""
        if arrival.connection.may_log(Said.WATCHES):
            self._log.info("{room}: {peer} watches", room=arrival.room.name, peer=arrival.connection.peer)
        arrival.room.spectators.welcome(arrival.connection, arrival.game)

    def _welcome_back(self, connection: Connection, token: str) -> None:
        """Give a player its seat back, or turn it away."""
        kept = self._tokens.find(token)
        if kept is None:
            owner = None if self.others is None else self.others.maker_of(token, TOKEN_LENGTH)
            connection.turn_back(UNKNOWN_TOKEN if owner is None else _text_of_elsewhere("that game", owner))
            return
        kept.table.come_back(kept.seat, PlayerConnection(connection, kept.name, games=1))

    # Users and guests, who may look at their seats without a connection

    def seats_of(self, hashes: Collection[str]) -> list[KeptSeat]:
        """Return the seats of somebody who is known by these hashes."""
        return list(self._kept(hashes).values())

    def tables_of(self, hashes: Iterable[str]) -> list[PrivateTable]:
        """Return the tables among friends at which somebody is."""
        if self.tables is None:
            return []
        tables = chain.from_iterable(map(self.tables.of_person, hashes))
        return list(dict.fromkeys(tables))

    def code_of(self, kept: KeptSeat) -> str | None:
        """Return the code of the table among friends at which a seat is; None: it is in a room."""
        return None if self.tables is None else self.tables.code_of(kept.table.name)

    def give_up(self, hashes: Collection[str], table: str) -> bool:
        """Let somebody leave a game for good; return False without a seat there."""
        for kept in self.seats_of(hashes):
            if kept.table.name == table:
                player = kept.player
                self._tokens.withdraw(kept.table, kept.seat)
                kept.table.leave(kept.seat)
                if player is not None:
                    player.turn_away(LEFT_GAME)
                return True
        return False

    def replace(self, rooms: Sequence[OpenRoom]) -> None:
        """Let clients into these rooms from now on. Players who wait in another room are turned away."""
        closed = [room for room in self._rooms.values() if room not in rooms]
        self._rooms = {room.name: room for room in rooms}
        self._first = rooms[0].name
        self._closed |= dict.fromkeys(closed)
        for room in closed:
            room.dismiss_waiting(ROOM_CLOSED)

    def drain(self) -> None:
        """Turn waiting and new players away; players may still come back to running games."""
        self._admission = Admission.RETURNING
        for room in self._all_rooms:
            room.dismiss_waiting(NO_NEW_GAMES)

    def close(self) -> None:
        """Stop all games, and turn new clients away."""
        self._admission = Admission.NONE
        for room in (*self._all_rooms, *self._closed):
            room.close()


class EventDoor:
    """Looks a tournament up before a client is welcomed that names it, unless it and its entrant are known."""

    def __init__(self, lobby: Lobby, events: Events, host: Host) -> None:
        """``host`` welcomes the clients then: the lobby, or the gate before it."""
        self._lobby = lobby
        self._events = events
        self._host = host

    def welcome(self, connection: Connection, introduction: Introduction) -> None:
        """Let a client in, if need be after a look."""
        named, _, code = (introduction.watch or introduction.room or "").partition(":")
        if introduction.table is not None or self._is_known(introduction, named, code):
            self._host.welcome(connection, introduction)
            return
        gone: list[bool] = []
        connection.occupant = Checking(connection, lambda: gone.append(True))

        def go_on(_: object) -> None:
            """Let the client in that still waits."""
            if gone:
                return
            connection.occupant = None
            try:
                self._host.welcome(connection, introduction)
                connection.flush()
            except Exception:  # a bug of the server, as in Connection.receive
                connection.break_down()

        self._events.look_up(named, connection.host or "").addCallback(go_on)

    def _is_known(self, introduction: Introduction, named: str, code: str) -> bool:
        """Return whether a look would tell nothing new: no tournament is named, or one that has the entrant."""
        event = self._events.find(named)
        if event is None:
            return not self._lobby.may_be_new(named)
        name = introduction.name
        return introduction.watch is not None or event.find(name, name, code) is not None


def _names_in(room: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of a room at another server, and of the players there."""
    yield room["name"]
    yield from room["waiting"]
    for table in room["tables"]:
        yield from table["players"]


# Checks of an arrival: each returns whether the client passes, and turns it away if not


def _has_access(arrival: Arrival) -> bool:
    """Check whether the room is for this client."""
    connection, access, code = arrival.connection, arrival.room.access, arrival.code
    why = access.refusal(connection.user, code)
    if access.code is not None and code:
        try:
            connection.look_up(lambda: None if why == WRONG_CODE else access)
        except TooManyGuesses as refused:
            why = str(refused)
    if why is not None:
        connection.turn_back(why)
    return why is None


def _speaks_for_its_players(arrival: Arrival) -> bool:
    """Check whether the protocol of the client has games of as many players."""
    room, session = arrival.room, arrival.connection.session
    players = room.players if arrival.branch is None else arrival.branch.ruleset.seats
    if players in session.PLAYERS:
        return True
    arrival.connection.fail(f"room {room.name} is for {players} players; {session.DIALECT} cannot play it")
    return False


def _may_watch(arrival: Arrival) -> bool:
    if arrival.room.is_watchable:
        return True
    arrival.connection.fail(f"room {arrival.room.name} has no spectators")
    return False


def _has_place_to_watch(arrival: Arrival) -> bool:
    if arrival.connection.move(ConnectionKind.SPECTATOR):
        return True
    arrival.connection.fail(TOO_MANY_WATCH)
    return False


def _text_of_elsewhere(what: str, owner: ServerCard) -> str:
    """Return what a client reads that has come to another server of the site than it should."""
    if owner.state is ServerState.AWAY:
        return f"{what} is on another server of this site, which is away; try again"
    return f"{what} is on another server of this site; connect to {owner.tcp or 'the port of that server'}"


def _is_free_for(arrival: Arrival) -> bool:
    """Check whether a table among friends has a seat for this client."""
    if arrival.table is None:
        return True
    hashes = return_hashes(arrival.connection, arrival.introduction.name)
    why = arrival.table.refusal(next(iter(hashes), None))
    if why is not None:
        arrival.connection.turn_back(why)
    return why is None


def _has_own_name(arrival: Arrival) -> bool:
    """Check whether nobody can take the client for another one; most people get another name instead."""
    name = arrival.introduction.name
    if name is not None and arrival.connection.user is None and is_office(name):
        arrival.connection.turn_back(OFFICE)
        return False
    if name is None or _is_renamed(arrival) or _is_at_table(arrival, name):
        return True
    if not any(look_alike(name, other) for other in arrival.room.names) and _may_share(arrival, name):
        return True
    arrival.connection.turn_back(LOOKS_ALIKE)
    return False


def _may_share(arrival: Arrival, name: str) -> bool:
    """Return whether a client may have exactly this name.

    Programs of one owner share it: those of a user, or else of a host. At a table among friends nobody does, nor in a
    rated room people.
    """
    connection = arrival.connection
    if arrival.table is not None or (connection.session.is_person and connection.user is None):
        return name not in arrival.room.names
    if connection.user is not None:
        return True
    bearers = arrival.room.bearers(name)
    return all(host == (connection.host or "") and not is_person for host, is_person in bearers)


def _is_at_table(arrival: Arrival, name: str) -> bool:
    """Return whether a client has this name at the table among friends already, to which it comes back."""
    if arrival.table is None:
        return False
    person = next(iter(return_hashes(arrival.connection, name)), None)
    return arrival.table.name_of(person) == name


def _is_renamed(arrival: Arrival) -> bool:
    """Return whether a client gets another name if it could be taken for somebody else."""
    return arrival.connection.session.is_person and arrival.connection.user is None and not arrival.room.is_rated


def _name_here(arrival: Arrival, name: str) -> str:
    """Return the name under which a client plays: its own, or for people the first free one, such as "Mika 2"."""
    if not _is_renamed(arrival):
        return name
    if arrival.table is not None:
        hashes = return_hashes(arrival.connection, name)
        before = arrival.table.name_of(next(iter(hashes), None))
        if before is not None:
            return before
    taken = set(map(skeleton, arrival.room.names))
    numbers = chain([""], (f" {number}" for number in count(2)))
    names = (f"{name[: MAX_NAME - len(number)].rstrip()}{number}" for number in numbers)
    return next(each for each in names if skeleton(each) not in taken)


def _is_held_by_another(player: PlayerConnection | None, tab: str | None) -> bool:
    """Return whether a player's connection comes from another tab than this one."""
    return player is not None and player.connection.session.tab != tab


def _has_place_to_wait(arrival: Arrival) -> bool:
    if arrival.connection.wait(arrival.room.name):
        return True
    arrival.connection.fail(TOO_MANY_WAIT)
    return False


def _may_begin_a_game(arrival: Arrival) -> bool:
    if arrival.connection.takes_game():
        return True
    arrival.connection.fail(TOO_MANY_GAMES)
    return False
