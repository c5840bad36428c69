"""Tables among friends: whoever makes one is its host, and whoever has its code may sit down.

Such a table is a room that is listed nowhere. Its settings come from closed lists and from a room of the operator. Its
games begin when the host says so, and the next one when everybody wants it. The code is the only secret: it is chosen
by chance, and stands in no log and no file.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from weakref import WeakSet

from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from ump.model.choices import either, unknown
from ump.net.bot_commands import BotSeats
from ump.net.windows import TokenBuckets
from ump.players.policy import POLICIES
from ump.rules.options import RuleChange
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.server.gathering import Gathering
from ump.server.open_line import OpenLine
from ump.server.player_connection import PlayerConnection
from ump.server.room import Room, ServerParts
from ump.server.settings import MASKED, OPEN, PRIVATE_ROOM, RoomSettings, Spectating
from ump.table.clock import TimeControl
from ump.wire.session import Member, MemberState, Order, Ordered, TableCard, TableWish

CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
CODE_LENGTH = 8

CLOCKS = ("3+5", "5+10", "10+20", "30+60", "60+600")
"""The clocks that a host may choose, besides that of the operator's room."""

STRENGTHS = ("efficiency", *(kind for kind in POLICIES if kind not in ("efficiency", "tsumogiri")))
"""The bots that a host may choose, the usual ones first."""

LENGTHS = {length.value: length for length in Length}

IDLE_SECONDS = 3_600.0
"""Time for which a table is kept after its last game or player."""

AGAIN_SECONDS = 20
"""Time from the host's wish for another game to its beginning, if somebody says nothing."""

OPEN_PER_ADDRESS = 3
MADE_PER_HOUR = 20
"""Tables that one address may have, and make in an hour."""

NO_TABLE = "no table with this code"
NO_TABLES = "this server has no tables among friends"
TABLE_FULL = "the table is full"
TOO_MANY_TABLES = "too many tables here; try later"
ONE_TABLE = "you have a table already"
HOST_ONLY = "only the host may do that"
TOO_FEW = "too few players are here"
REMOVED = "the host has removed you"
TABLE_CLOSED = "the host has closed this table"
TABLE_GONE = "this table is gone, because nobody was here for an hour"


class TableRefused(ValueError):
    """A table that is not made; the text says why."""


class _Member:
    """A player of a table, over several connections."""

    def __init__(self, player: PlayerConnection) -> None:
        self.player = player
        """The last connection."""
        self.name = player.name
        self.is_ready = False
        """Whether the player wants the next game."""

    def is_that(self, player: PlayerConnection) -> bool:
        """Return whether a connection is one of this player."""
        return player is self.player or (player.person is not None and player.person == self.player.person)


class PrivateTable(Gathering):
    """One table among friends: who has come, who is the host, and when the next game begins."""

    offers_rematch = False

    def __init__(
        self,
        code: str,
        maker: str | None,
        address: str,
        settings: RoomSettings,
        parts: ServerParts,
        next_name: Callable[[], str],
        changed: Callable[[], object],
    ) -> None:
        """``maker`` is the hash of the person who made it, ``address`` the host of that person's connection.

        ``next_name`` names its games. ``changed`` is called when a game has begun, or the table is closed.
        """
        self.code = code
        """Empty after a restart, until somebody comes with it."""
        self.games: tuple[str, ...] = ()
        """The games that an earlier server has left."""
        self._changed = changed
        self.maker = maker
        self.address = address
        self.room = Room(settings, parts, lambda _: self, next_name)
        self.is_open = True
        """Whether players may come."""
        self._clock = parts.clock
        self._tokens = parts.tokens
        self._members: list[_Member] = []
        self._host: _Member | None = None
        self._barred: set[str] = set()
        """The players whom the host has removed."""
        self._told: WeakSet[PlayerConnection] = WeakSet()
        """The connections that know the facts about the table."""
        self._has_played = False
        self._next: IDelayedCall | None = None
        """The beginning of the next game."""
        self._end: IDelayedCall | None = None
        self._expect_end()

    @property
    def card(self) -> TableCard:
        """The facts about the table."""
        settings, ruleset = self.room.settings, self.room.settings.ruleset
        kinds = [seats.kind for seats in settings.house if seats.kind != STRENGTHS[0]]
        return TableCard(
            self.code,
            ruleset.name,
            ruleset.length.value,
            str(settings.times),
            bool(settings.house),
            settings.spectators.is_allowed,
            ruleset.seats,
            "".join(kinds),
        )

    @property
    def names(self) -> list[str]:
        """The names of its players, also of those who are away."""
        return [member.name for member in self._members]

    @property
    def members(self) -> tuple[Member | None, ...]:
        """Its players, one for each seat; None: the seat is free."""
        here = self._here
        members = [Member(each.name, self._state(each, is_here=each.player in here)) for each in self._members]
        return (*members, *[None] * (self.room.players - len(members)))

    def _state(self, member: _Member, *, is_here: bool) -> MemberState:
        if not is_here:
            return MemberState.AWAY
        if member is self._host:
            return MemberState.HOST
        if member.is_ready:
            return MemberState.READY
        return MemberState.HERE

    @property
    def _here(self) -> list[PlayerConnection]:
        """The connections of the players, in the line and at the table."""
        here = list(self.room.line)
        for table in self.room.tables:
            here += [player for player in table.players.values() if player.is_client]
        return here

    @property
    def is_idle(self) -> bool:
        """Whether nobody but its host is here, and no game is played."""
        return not self.room.tables and {player.person for player in self._here} <= {self.maker}

    # Coming and going

    def name_of(self, person: str | None) -> str | None:
        """Return the name of a player who has been here before."""
        if person is None:
            return None
        return next((member.name for member in self._members if member.player.person == person), None)

    def refusal(self, person: str | None) -> str | None:
        """Return why somebody may not come in, or None.

        A new player takes the place of one who is away, unless that one may come back to a game.
        """
        if person is not None and person in self._barred:
            return REMOVED
        expected = self._expected
        free = self.room.players - len(self._members) - len(expected.difference(self.names))
        if self.name_of(person) is not None or free > 0:
            return None
        here = self._here
        away = [member for member in self._members if member.player not in here and member.name not in expected]
        if not away or free < 0:
            return TABLE_FULL
        self._members.remove(away[0])
        return None

    @property
    def _expected(self) -> set[str]:
        """The names of those who are away, and may come back to a game."""
        seats = chain.from_iterable(map(self._tokens.left, self.room.tables))
        return {kept.name for kept in seats}

    def look(self) -> None:
        """Note who is here, tell everybody, and begin the next game if all want it."""
        self._note_players()
        self._expect_end()
        card, members = self.card, self.members
        for player in self.room.line:
            if player not in self._told:
                self._told.add(player)
                player.connection.tell(lambda session: session.show_card(card))
            player.connection.tell(lambda session: session.list_members(members))
        waiting = self._waiting
        if self._has_played and waiting and all(member.is_ready for member in waiting):
            self._begin()

    def rename(self, alias_of: Callable[[str], str | None]) -> None:
        """Give the players whose names have an alias that name, also those who are away."""
        is_changed = False
        for member in self._members:
            alias = alias_of(member.name)
            if alias is not None:
                member.name = alias
                is_changed = True
        if is_changed:
            self.look()

    def _note_players(self) -> None:
        here = self._here
        for player in here:
            known = self._member_of(player)
            if known is None:
                self._members.append(_Member(player))
            else:
                known.player = player
        self._members = [member for member in self._members if member.player in here or not _has_left(member.player)]
        present = [member for member in self._members if member.player in here]
        for member in present:
            if self.maker is not None and member.player.person == self.maker:
                self._host = member
                return
        if self._host not in present:
            self._host = present[0] if present else None

    def _member_of(self, player: PlayerConnection) -> _Member | None:
        """Return the player whose connection this is; None if it is new here."""
        return next((member for member in self._members if member.is_that(player)), None)

    @property
    def _waiting(self) -> list[_Member]:
        """The players who are here and do not play."""
        line = self.room.line
        return [member for member in self._members if member.player in line]

    def resume(self, games: tuple[str, ...]) -> None:
        """Take the games over that an earlier server has left."""
        self.games = games
        self._has_played = bool(games)

    def stop(self) -> None:
        """Begin no more games, and forget the hour: the server stops, or the table is gone."""
        for call in (self._next, self._end):
            if call is not None and call.active():
                call.cancel()
        self._next = self._end = None

    def _expect_end(self) -> None:
        """Let the table go an hour after its last game or player."""
        if self._end is not None and self._end.active():
            self._end.cancel()
        self._end = None
        if self.is_open and not self._here and not self.room.tables:
            self._end = self._clock.callLater(IDLE_SECONDS, self._go)

    def _go(self) -> None:
        """Close the table, unless a game of an earlier server goes on here."""
        if self._here or self.room.tables:
            self._expect_end()
        else:
            self.close(TABLE_GONE)

    def close(self, message: str) -> None:
        """Let nobody come any more, and turn those away who wait."""
        self.is_open = False
        self.stop()
        self.room.dismiss_waiting(message)
        self._changed()

    # Orders

    def order(self, player: PlayerConnection, given: Ordered) -> None:
        """Act on an order of a player who waits."""
        member = self._member_of(player)
        if member is None:
            return
        if given.order in (Order.START, Order.KICK) and member is not self._host:
            player.connection.announce(HOST_ONLY)
            return
        match given.order:
            case Order.READY:
                member.is_ready = not member.is_ready
                self.look()
            case Order.AGAIN:
                member.is_ready = True
                self._count_down(is_host=member is self._host)
                self.look()
            case Order.START:
                self._begin()
            case Order.KICK:
                self._kick(given.name)
            case Order.CANCEL if member is self._host:
                self.close(TABLE_CLOSED)
            case Order.CANCEL:
                player.connection.dismiss()
            case Order.SAY | Order.REPORT:
                pass

    def _kick(self, name: str) -> None:
        """Remove a player who waits, or is away from no game."""
        guests = {member.name: member for member in self._members if member is not self._host}
        playing = chain.from_iterable(table.players.values() for table in self.room.tables)
        member = guests.get(name)
        if member is None or name in self._expected or member.player in playing:
            return
        self._members.remove(member)
        if member.player.person is not None:
            self._barred.add(member.player.person)
        if member.player in self.room.line:
            self.room.expel(member.player, REMOVED)
        else:
            self.look()

    def _count_down(self, *, is_host: bool) -> None:
        """Begin the next game some time after the host has asked for it."""
        if not is_host or not self._has_played or self.room.tables:
            return
        if self._next is not None and self._next.active():
            return
        self._next = self._clock.callLater(AGAIN_SECONDS, self._begin)
        for member in self._waiting:
            member.player.connection.tell(lambda session: session.count_down(AGAIN_SECONDS))

    def _begin(self) -> None:
        """Begin a game of those who are here. With bots, a rematch leaves out those who have not asked for it."""
        if self._next is not None and self._next.active():
            self._next.cancel()
        has_bots = bool(self.room.settings.house)
        waiting = self._waiting
        ready = [member for member in waiting if member.is_ready]
        if self._has_played and has_bots and ready:
            waiting = ready
        if self.room.tables or not waiting:
            return
        if len(waiting) < self.room.players and not has_bots:
            for member in waiting:
                member.player.connection.announce(TOO_FEW)
            return
        for member in self._members:
            member.is_ready = False
        self._has_played = True
        self.room.begin_game([member.player for member in waiting])
        self._changed()


def _has_left(player: PlayerConnection) -> bool:
    """Return whether a player who is not here will not come back: it has said so, or nobody would know it again."""
    return player.is_gone or player.person is None


class PrivateTables:
    """All tables among friends of a server."""

    _log = Logger()

    def __init__(self, parts: ServerParts, most: int, file: Path | None = None) -> None:
        """Keep at most ``most`` tables, and write them to a file, so that they survive the server."""
        self._parts = parts
        self.most = most
        self._file = file
        self._tables: dict[bytes, PrivateTable] = {}
        """The open tables by the hashes of their codes, so that a search tells nothing by its time."""
        self._closing: list[PrivateTable] = []
        """Tables whose games go on, though nobody may come any more."""
        self._made = TokenBuckets(MADE_PER_HOUR)
        self.afterwards: Room | None = None
        """The room of games that go on after a restart, in which their tables are gone."""

    @property
    def rooms(self) -> list[Room]:
        """The rooms of all tables."""
        self._forget_closed()
        rooms = [table.room for table in chain(self._tables.values(), self._closing)]
        return rooms if self.afterwards is None else [*rooms, self.afterwards]

    def _forget_closed(self) -> None:
        closed = [key for key, table in self._tables.items() if not table.is_open]
        self._closing += [self._tables.pop(key) for key in closed]
        self._closing = [table for table in self._closing if table.room.tables]

    def find(self, code: str) -> PrivateTable | None:
        """Return the table of a code; None if there is none."""
        self._forget_closed()
        table = self._tables.get(_hash_of(code))
        if table is not None:
            table.code = code
        return table

    def of_person(self, person: str) -> list[PrivateTable]:
        """Return the open tables that a person has made, or at which it is."""
        tables = self._tables.values()
        own = [table for table in tables if person == table.maker or table.name_of(person) is not None]
        return [table for table in own if table.is_open and table.code]

    def code_of(self, game: str) -> str | None:
        """Return the code of the open table at which a game is played; None if there is none."""
        for table in self._tables.values():
            if game in table.room.game_names:
                return table.code
        return None

    def create(self, wish: TableWish, template: RoomSettings, maker: str | None, address: str) -> PrivateTable:
        """Return a new table, with the limits of a room of the operator; raises TableRefused.

        ``maker`` is the hash of the person who makes it, ``address`` that of its connection; "" has no limit.
        """
        settings = settings_of(wish, template)
        self._forget_closed()
        self._close_older(maker)
        from_here = [table for table in self._tables.values() if address and table.address == address]
        if not self.most:
            raise TableRefused(NO_TABLES)
        if len(self._tables) >= self.most or len(from_here) >= OPEN_PER_ADDRESS or not self._takes(address):
            raise TableRefused(TOO_MANY_TABLES)
        code = next(code for code in iter(self._new_code, None) if _hash_of(code) not in self._tables)
        self._tables[_hash_of(code)] = self._table(code, maker, address, settings)
        self._save()
        self._log.info("a table among friends is made: {rules}", rules=settings.ruleset.name)
        return self._tables[_hash_of(code)]

    def _table(self, code: str, maker: str | None, address: str, settings: RoomSettings) -> PrivateTable:
        return PrivateTable(code, maker, address, settings, self._parts, self._next_name, self._save)

    def _save(self) -> None:
        """Write the open tables to the file, without their codes."""
        if self._file is None:
            return
        rows = [_row(key, table) for key, table in self._tables.items() if table.is_open]
        try:
            self._file.write_text(json.dumps(rows), "utf-8")
        except OSError as error:
            self._log.error("{path}: {error}", path=str(self._file), error=error.strerror or error)

    def load(self, template: RoomSettings) -> None:
        """Open the tables of an earlier server again; their players come by the same codes."""
        try:
            rows = [] if self._file is None else json.loads(self._file.read_text("utf-8"))
            for row in rows[: self.most]:
                wish = TableWish(
                    rules=row["rules"],
                    length=row["length"],
                    clock=row["clock"],
                    has_bots=row["bots"],
                    bots=row.get("level"),
                    has_spectators=row["watchers"],
                )
                table = self._table("", row["maker"], "", settings_of(wish, template))
                table.resume(tuple(row["games"]))
                self._tables[bytes.fromhex(row["code"])] = table
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError, KeyError) as error:
            self._log.error("{path}: {error}", path=str(self._file), error=str(error))

    def _takes(self, address: str) -> bool:
        """Return whether an address may make a table now."""
        return not address or self._made.take(address, self._parts.clock.seconds() / 60)  # so "per minute" is per hour

    def _new_code(self) -> str:
        return new_code(self._parts.tokens.letter)

    def _close_older(self, maker: str | None) -> None:
        """Close the table that a person has made before, if nobody else is there; raises TableRefused otherwise."""
        for table in tuple(self._tables.values()):
            if maker is None or table.maker != maker:
                continue
            if not table.is_idle:
                raise TableRefused(ONE_TABLE)
            table.close(TABLE_CLOSED)
        self._forget_closed()

    def restored(self, game: str, template: RoomSettings) -> Room:
        """Return the room in which a recorded game of a table goes on after a restart."""
        tables = self._tables.values()
        found = next((table.room for table in tables if game in table.games), None)
        if found is not None:
            return found
        if self.afterwards is None:
            settings = replace(template, name=PRIVATE_ROOM)
            self.afterwards = Room(settings, self._parts, OpenLine, self._next_name)
        return self.afterwards

    def rename(self, alias_of: Callable[[str], str | None]) -> None:
        """Give the players whose names have an alias that name, at all tables."""
        for table in tuple(self._tables.values()):
            table.rename(alias_of)

    def _next_name(self) -> str:
        """Return a name for a game. It leads to the replay, so nobody should guess it."""
        running = set(chain.from_iterable(room.game_names for room in self.rooms))
        while True:
            name = f"{PRIVATE_ROOM}-{secrets.randbelow(10**9)}"
            if name not in running:
                return name


def _row(key: bytes, table: PrivateTable) -> dict[str, object]:
    """Return a table as the file keeps it."""
    card = table.card
    return {
        "code": key.hex(),
        "rules": card.rules.removesuffix("*"),
        "length": card.length,
        "clock": card.clock if card.clock in CLOCKS else None,
        "bots": card.has_bots,
        "level": card.bots or None,
        "watchers": card.has_spectators,
        "maker": table.maker,
        "games": table.room.game_names,
    }


def new_code(letter: str = "") -> str:
    """Return a code by chance, of 40 bits, behind the letter of a server of a site."""
    return letter.upper() + "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def _hash_of(code: str) -> bytes:
    return sha256(code.encode()).digest()


def settings_of(wish: TableWish, template: RoomSettings) -> RoomSettings:
    """Return the settings of a table, those that nobody wishes from a room; raises TableRefused."""
    rules = wish.rules or template.rules
    if rules not in PRESETS:
        raise TableRefused(unknown("preset", rules, PRESETS))
    length = wish.length or template.ruleset.length.value
    if length not in LENGTHS:
        raise TableRefused(unknown("length", length, LENGTHS))
    if wish.clock is not None and wish.clock not in CLOCKS:
        raise TableRefused(f"unknown clock; choose {either(CLOCKS)}")
    kind = wish.bots or STRENGTHS[0]
    if kind not in STRENGTHS:
        raise TableRefused(unknown("kind of bots", kind, STRENGTHS))
    bots = BotSeats(kind, PRESETS[rules].seats - 1)
    return replace(
        template,
        name=PRIVATE_ROOM,
        rules=rules,
        changes=template.changes if rules == template.rules else (),
        length=RuleChange("length", LENGTHS[length]),
        times=template.times if wish.clock is None else TimeControl.parse(wish.clock),
        house=(bots,) if wish.has_bots else (),
        duplicate=False,
        access=OPEN,
        one_per_owner=False,
        rated=False,
        spectators=MASKED if wish.has_spectators else Spectating(is_allowed=False),
    )
