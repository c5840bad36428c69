"""Tournaments: their entrants, rounds, tables and penalties, and the orders of a director. All changes are pure.

A tournament is one value, and one row of a database with a revision. Each order is one transaction. Standings are
computed from the results, never stored. Its secret decides all lots and walls; the commitment to it is shown from the
beginning, the secret itself when the tournament is finished.
"""

from __future__ import annotations

import csv
import hmac
import json
import re
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from enum import Enum
from hashlib import sha256
from io import StringIO
from itertools import chain
from random import Random
from typing import Any, TypeVar

from ump.arena.tournament import (
    PlanError,
    PlayedTable,
    Round,
    Standing,
    fixed_schedule,
    random_round,
    standings,
    swiss_round,
)
from ump.database.database import Database, DatabasePlace, Schema, make_private_file
from ump.model.choices import unknown
from ump.model.commitments import commitment_of
from ump.model.constants import STICK_POINTS
from ump.model.game_result import GameResult, SeatResult
from ump.model.value import value
from ump.players.policy import POLICIES
from ump.rules.placement import placement
from ump.rules.presets import PRESETS
from ump.rules.ruleset import LeftSticks, Length
from ump.table.clock import TimeControl
from ump.text.layout import printable
from ump.wire.names import SEPARATOR, check_name, is_office, owner_of, skeleton
from ump.wire.text import WireError, read_table_code

T = TypeVar("T")

CLUB_SCHEMA = Schema("club", "first_club", "tournaments")

CLUB_FILE = "club.sqlite"
"""The file among the records of a server without a database of users."""

ID = re.compile("[a-z][a-z0-9_]{0,23}")

CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"

MOST_ENTRANTS = 400
MOST_ROUNDS = 40
MOST_ATTEMPTS = 9
MOST_PENALTIES = 1_000
LONGEST_TEXT = 80
LONGEST_LOGGED = 160
MOST_TENTHS = 10_000
MOST_SECONDS = 3_600
MOST_LOGGED = 1_000

BOT = 0
"""Stands for a built-in bot where the number of an entrant does, in the place of somebody who is not there."""

SUBSTITUTE_POLICY = "efficiency"
"""The policy of such a bot."""

WINDS = ("east", "south", "west", "north")


class TournamentError(ValueError):
    """An order that cannot be carried out; the message is one line for the director."""


class StaleError(TournamentError):
    """An order of a director who did not know the last one."""


class Format(Enum):
    """The way in which rounds are planned."""

    FIXED = "fixed"
    """All rounds at once: everybody meets as many others as possible."""
    SWISS = "swiss"
    """Neighbours in the standings meet."""
    RANDOM = "random"
    LIST = "list"
    """The director brings the seating."""


FORMATS = tuple(form.value for form in Format)
LENGTHS = tuple(length.value for length in Length)


class EntrantKind(Enum):
    """The way in which an entrant is known."""

    USER = "user"
    """By the login; ``alice/akagi`` is a bot of alice, with her token."""
    GUEST = "guest"
    """By a code."""
    BOT = "bot"
    """A built-in bot, which the server seats."""


KINDS = tuple(kind.value for kind in EntrantKind)


class TableState(Enum):
    """The state of a table of a round."""

    READY = "ready"
    """It waits for the director."""
    CALLED = "called"
    """It begins when everybody is there."""
    RUNNING = "running"
    PAUSED = "paused"
    """Its game goes on until the end of the kyoku, and then waits."""
    DONE = "done"


WAITING = (TableState.READY, TableState.CALLED)
PLAYING = (TableState.RUNNING, TableState.PAUSED)


@value
class Entrant:
    """Somebody who takes part."""

    number: int
    """From 1 on."""
    kind: EntrantKind
    name: str
    team: str = ""
    """Players of one team are kept apart."""
    code_hash: str | None = None
    """The hash of a guest's code."""
    policy: str | None = None
    """The policy of a built-in bot."""
    is_withdrawn: bool = False
    missed: tuple[int, ...] = ()
    """The results of the rounds before a late entrant came, in tenths."""


@value
class Correction:
    """A result that the director has entered by hand."""

    result: GameResult
    reason: str


@value
class Voided:
    """A game that does not count."""

    attempt: int
    game: str | None
    record: str | None
    reason: str
    seats: tuple[int, ...] = ()
    played_by: tuple[int, ...] = ()
    result: GameResult | None = None
    """None: the game was broken off, so it cannot count again."""
    correction: Correction | None = None


@value
class EventTable:
    """A table of a round."""

    number: int
    seats: tuple[int, ...]
    """The entrants for whom the result counts, by seat, the first dealer first."""
    played_by: tuple[int, ...]
    """The entrants who play; ``BOT`` for a built-in bot."""
    state: TableState = TableState.READY
    attempt: int = 1
    fills: bool = False
    """Whether built-in bots take the seats of those who are not there."""
    game: str | None = None
    result: GameResult | None = None
    """That of its last game; None before its end."""
    record: str | None = None
    """The name of its record."""
    voided: tuple[Voided, ...] = ()
    extra: int = 0
    """Seconds that each player of its game has in each kyoku, on top of the clock."""
    correction: Correction | None = None

    @property
    def counted(self) -> GameResult | None:
        """The result that counts: that of the director, or else that of the game."""
        return self.result if self.correction is None else self.correction.result

    @property
    def last_attempt(self) -> int:
        """The greatest number of a game at this table."""
        return max(self.attempt, *(each.attempt for each in self.voided), 1)

    def played_instead(self, player: int, by: int) -> EventTable:
        """Return the table with somebody else in the place of one who should have played."""
        played_by = list(self.played_by)
        played_by[played_by.index(player)] = by
        return replace(self, played_by=tuple(played_by))


@value
class EventRound:
    """A round."""

    tables: tuple[EventTable, ...]
    is_published: bool = False
    byes: tuple[int, ...] = ()
    """The entrants without a seat who get the result of a bye."""
    is_prescribed: bool = False
    """Whether the director has brought the seating: entrants who are not in it pause."""

    @property
    def is_done(self) -> bool:
        """Whether all its games are over."""
        return self.is_published and self._states <= {TableState.DONE}

    @property
    def state(self) -> str:
        """The word for its state."""
        if not self.is_published:
            return "planned"
        if self.is_done:
            return "done"
        if self._states <= {TableState.READY}:
            return "published"
        return "running"

    @property
    def _states(self) -> set[TableState]:
        return {table.state for table in self.tables}

    @property
    def seated(self) -> list[int]:
        """The entrants who have seats, table by table."""
        return [*chain.from_iterable(table.seats for table in self.tables)]

    @property
    def seating(self) -> Round:
        """The entrants by table and seat."""
        return tuple(table.seats for table in self.tables)

    def with_table(self, changed: EventTable) -> EventRound:
        """Return the round with another state of one of its tables."""
        tables = list(self.tables)
        tables[[table.number for table in tables].index(changed.number)] = changed
        return replace(self, tables=tuple(tables))


@value
class Penalty:
    """Points that are taken off the total of an entrant."""

    entrant: int
    tenths: int
    reason: str
    is_revoked: bool = False


@value
class CarriedOrder:
    """An order of the director that was carried out."""

    number: int
    at: str
    """The date and time in UTC, in ISO 8601."""
    text: str
    """The order and its arguments."""


@value
class EventSettings:
    """The settings of its games; what stands nowhere is that of a room of the operator."""

    rules: str = "ump"
    length: str = "hanchan"
    clock: str = "5+10"
    room: str | None = None
    """None: the server's first."""
    duplicate: bool = False
    """Whether all tables of a round have the same walls. Then it has no spectators, and records wait for its end."""
    delay: int | None = None
    """Seconds after which spectators see a game, with all hands; None: at once, without hidden tiles."""
    substitute: int | None = None
    """The result of an entrant for whom somebody else has played, in tenths; None: that of the game."""
    bye: int | None = None
    """The result of an entrant for whom a round has no seat, in tenths; None: no round leaves anybody out."""

    @property
    def seats(self) -> int:
        """The number of players at a table."""
        return PRESETS[self.rules].seats


@value
class Tournament:
    """A tournament at one revision."""

    id: str
    name: str
    format: Format
    planned_rounds: int
    play: EventSettings
    secret: str
    director_hash: str
    revision: int = 1
    orders: int = 0
    """The number of orders so far. An order for another number is stale; results of games make no order stale."""
    entrants: tuple[Entrant, ...] = ()
    rounds: tuple[EventRound, ...] = ()
    penalties: tuple[Penalty, ...] = ()
    is_finished: bool = False
    log: tuple[CarriedOrder, ...] = ()
    """The last orders, the oldest first."""

    @property
    def state(self) -> str:
        """The word for its state."""
        if self.is_finished:
            return "finished"
        if self.published:
            return "running"
        return "draft"

    @property
    def commitment(self) -> str:
        """The commitment to its secret."""
        return commitment_of(self.secret)

    @property
    def active(self) -> tuple[int, ...]:
        """The entrants who have not withdrawn."""
        return tuple(entrant.number for entrant in self.entrants if not entrant.is_withdrawn)

    @property
    def ranked(self) -> tuple[int, ...]:
        """The entrants of the standings: all but those who withdrew before they had a seat or a bye."""
        placed = set(self.active)
        for published in self.published:
            placed.update(published.byes, published.seated)
        return tuple(entrant.number for entrant in self.entrants if entrant.number in placed)

    @property
    def published(self) -> tuple[EventRound, ...]:
        """The rounds whose seating is known to all."""
        return tuple(planned for planned in self.rounds if planned.is_published)

    @property
    def numbered_tables(self) -> Iterator[tuple[int, EventTable]]:
        """The tables of all published rounds, each with the number of its round."""
        for number, published in enumerate(self.published, 1):
            for table in published.tables:
                yield number, table

    def entrant(self, number: int) -> Entrant:
        """Return an entrant by number."""
        return self.entrants[number - 1]

    def table(self, round_number: int, number: int) -> EventTable | None:
        """Return a table; None if there is none."""
        if not (1 <= round_number <= len(self.rounds)):
            return None
        tables = {table.number: table for table in self.rounds[round_number - 1].tables}
        return tables.get(number)

    def is_directed_by(self, key: str) -> bool:
        """Return whether a text is the secret of the director's link."""
        return hmac.compare_digest(self.director_hash, hash_of_key(key))

    def find_guest(self, code: str) -> Entrant | None:
        """Return the guest whose code this is."""
        read = read_table_code(code)
        if read is None:
            return None
        guests = {entrant.code_hash: entrant for entrant in self.entrants}
        return guests.get(hash_of_key(read))

    def find_user(self, name: str) -> Entrant | None:
        """Return the user, or bot of a user, of this name."""
        users = {entrant.name: entrant for entrant in self.entrants if entrant.kind is EntrantKind.USER}
        return users.get(name)

    def with_entrant(self, changed: Entrant) -> Tournament:
        """Return the tournament with other facts about one of its entrants."""
        entrants = list(self.entrants)
        entrants[changed.number - 1] = changed
        return replace(self, entrants=tuple(entrants))

    def with_round(self, number: int, changed: EventRound) -> Tournament:
        """Return the tournament with another state of one of its rounds."""
        rounds = list(self.rounds)
        rounds[number - 1] = changed
        return replace(self, rounds=tuple(rounds))

    def with_table(self, round_number: int, changed: EventTable) -> Tournament:
        """Return the tournament with another state of one of its tables."""
        return self.with_round(round_number, self.rounds[round_number - 1].with_table(changed))


def hash_of_key(key: str) -> str:
    """Return the hash of a code, or of the director's secret."""
    return sha256(f"ump-tournament-1/{key}".encode()).hexdigest()


def new_code() -> str:
    """Return a code by chance, of 40 bits."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(8))


def new_tournament(identity: str, name: str, form: str, rounds: int, play: EventSettings) -> tuple[Tournament, str]:
    """Return a new tournament, and the secret of its director; raises TournamentError."""
    if ID.fullmatch(identity) is None:
        raise TournamentError(f"{identity!a} is no id; expected up to 24 of a-z, 0-9 and _, a letter first")
    if form not in FORMATS:
        raise TournamentError(unknown("format", form, FORMATS))
    if not 1 <= rounds <= MOST_ROUNDS:
        raise TournamentError(f"expected 1 to {MOST_ROUNDS} rounds")
    if play.rules not in PRESETS:
        raise TournamentError(unknown("preset", play.rules, PRESETS))
    if play.length not in LENGTHS:
        raise TournamentError(unknown("length", play.length, LENGTHS))
    try:
        TimeControl.parse(play.clock)
    except ValueError as error:
        raise TournamentError(str(error)) from None
    if play.duplicate and play.delay is not None:
        raise TournamentError("a duplicate round has no spectators: others still play its walls")
    key = secrets.token_urlsafe(16)
    made = Tournament(
        identity, _line(name, "the name"), Format(form), rounds, play, secrets.token_hex(32), hash_of_key(key)
    )
    return made, key


def _line(text: str, what: str) -> str:
    text = text.strip()
    if not text or len(text) > LONGEST_TEXT or not text.isprintable():
        raise TournamentError(f"{what} must have 1 to {LONGEST_TEXT} visible characters")
    return text


# Results


def standings_of(tournament: Tournament) -> tuple[Standing, ...]:
    """Return the standings, the first entrant first. Lots are drawn by the secret."""
    penalties: Counter[int] = Counter()
    for penalty in tournament.penalties:
        if not penalty.is_revoked:
            penalties[penalty.entrant] += penalty.tenths
    played: list[PlayedTable] = []
    for published in tournament.published:
        for entrant in published.byes:
            played.append(((entrant,), [SeatResult(result=tournament.play.bye)]))
    for late in tournament.entrants:
        played += [((late.number,), [SeatResult(result=missed)]) for missed in late.missed]
    for _, table in tournament.numbered_tables:
        if table.counted is not None:
            played.append((table.seats, seat_results(table, table.counted, tournament.play.substitute)))
    return standings(
        tournament.ranked,
        played,
        penalties,
        Random(f"{tournament.secret}/standings"),
        tournament.play.seats,
    )


def seat_results(table: EventTable, result: GameResult, stated: int | None) -> list[SeatResult]:
    """Return what each entrant of a table gets from its game, by seat.

    ``stated`` is the result of an entrant who did not play, which then has neither place nor points; None: that of the
    game.
    """
    results = []
    for seat, (entrant, player) in enumerate(zip(table.seats, table.played_by, strict=True)):
        if player != entrant and stated is not None:
            results.append(SeatResult(result=stated))
        else:
            results.append(result.of(seat))
    return results


def event_key(tournament: Tournament, round_number: int, table: EventTable) -> str:
    """Return what the journal of a game says about its place in the tournament."""
    return f"{tournament.id}/{round_number}/{table.number}/{table.attempt}"


def duplicate_group(tournament: Tournament, round_number: int, attempt: int) -> str:
    """Return the name of the games of a round that have the same walls."""
    return f"{tournament.id}-{round_number}-{attempt}"


def read_event_key(key: str) -> tuple[str, int, int, int]:
    """Return tournament, round, table and attempt; raises ValueError."""
    identity, *numbers = key.split("/")
    round_number, table, attempt = map(int, numbers)
    return identity, round_number, table, attempt


# Orders. Each function takes a tournament and the arguments of an order, and returns the tournament after it


Arguments = Mapping[str, Any]


def _number(arguments: Arguments, name: str, otherwise: int | None = None) -> int:
    number = arguments.get(name, otherwise)
    if isinstance(number, bool) or not isinstance(number, int) or abs(number) > 1_000_000:
        raise TournamentError(f"{name!r} must be a number")
    return number


def _text(arguments: Arguments, name: str, otherwise: str | None = None) -> str:
    text = arguments.get(name, otherwise)
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise TournamentError(f"{name!r} must be a text of at most {LONGEST_TEXT} characters")
    return text


def _find(tournament: Tournament, named: str) -> Entrant:
    """Return an entrant by name or number, a name first; raises TournamentError."""
    by_word = {str(entrant.number): entrant for entrant in tournament.entrants}
    by_word |= {entrant.name: entrant for entrant in tournament.entrants}
    if named not in by_word:
        raise TournamentError(f"there is no entrant {named!r}")
    return by_word[named]


def add(tournament: Tournament, given: Arguments) -> Tournament:
    """Add an entrant: ``name``, ``kind``, ``team``, and for a guest ``code``, for a bot ``policy``.

    A late one has the result ``missed``, in tenths, for each round that is published already; by default none.
    """
    if len(tournament.entrants) >= MOST_ENTRANTS:
        raise TournamentError(f"a tournament has at most {MOST_ENTRANTS} entrants")
    name, kind, policy = _text(given, "name"), _text(given, "kind", "guest"), given.get("policy")
    _check_new_name(tournament, name, kind)
    entrant = Entrant(len(tournament.entrants) + 1, _kind_of(kind), name, _text(given, "team", ""))
    if given.get("missed") is not None:
        entrant = replace(entrant, missed=(_number(given, "missed"),) * len(tournament.published))
    match entrant.kind:
        case EntrantKind.GUEST:
            entrant = replace(entrant, code_hash=hash_of_key(_code(given.get("code"))))
        case EntrantKind.BOT if isinstance(policy, str) and policy in POLICIES:
            entrant = replace(entrant, policy=policy)
        case EntrantKind.BOT:
            raise TournamentError(unknown("built-in bot", str(policy), POLICIES))
    return replace(tournament, entrants=(*tournament.entrants, entrant))


def _kind_of(kind: str) -> EntrantKind:
    if kind not in KINDS:
        raise TournamentError(unknown("kind", kind, KINDS))
    return EntrantKind(kind)


def _check_new_name(tournament: Tournament, name: str, kind: str) -> None:
    """Raise TournamentError unless a new entrant may have a name."""
    try:
        check_name(name, "the name")
    except WireError as error:
        raise TournamentError(str(error)) from None
    if is_office(name) or (SEPARATOR in name and kind != EntrantKind.USER.value):
        raise TournamentError(f"{name!r} is not for such a player")
    for entrant in tournament.entrants:
        if entrant.name == name:
            raise TournamentError(f"{name!r} is entered already")
        if skeleton(entrant.name) == skeleton(name):
            raise TournamentError(f"{name!r} looks like the entrant {entrant.name!r}")


def _code(code: object) -> str:
    read = read_table_code(code) if isinstance(code, str) else None
    if read is None:
        raise TournamentError("a guest needs a code")
    return read


def code(tournament: Tournament, given: Arguments) -> Tournament:
    """Give the guest ``entrant`` another ``code``."""
    entrant = _find(tournament, _text(given, "entrant"))
    if entrant.kind is not EntrantKind.GUEST:
        raise TournamentError(f"{entrant.name!r} needs no code")
    return tournament.with_entrant(replace(entrant, code_hash=hash_of_key(_code(given.get("code")))))


def withdraw(tournament: Tournament, given: Arguments) -> Tournament:
    """Let ``entrant`` leave. Built-in bots play for it at the tables whose games have not begun."""
    entrant = _find(tournament, _text(given, "entrant"))
    tournament = tournament.with_entrant(replace(entrant, is_withdrawn=True))
    for number, planned in enumerate(tournament.rounds, 1):
        for table in planned.tables:
            if table.state in WAITING and entrant.number in table.played_by:
                tournament = tournament.with_table(number, table.played_instead(entrant.number, BOT))
    return tournament


def readmit(tournament: Tournament, given: Arguments) -> Tournament:
    """Let ``entrant``, who has withdrawn, come back: to its own tables that have not begun, and to the next rounds."""
    entrant = _find(tournament, _text(given, "entrant"))
    if not entrant.is_withdrawn:
        raise TournamentError(f"{entrant.name!r} has not withdrawn")
    tournament = tournament.with_entrant(replace(entrant, is_withdrawn=False))
    for number, planned in enumerate(tournament.rounds, 1):
        for table in planned.tables:
            if table.state not in WAITING or entrant.number not in table.seats:
                continue
            seat, played_by = table.seats.index(entrant.number), list(table.played_by)
            if played_by[seat] == BOT:
                played_by[seat] = entrant.number
                tournament = tournament.with_table(number, replace(table, played_by=tuple(played_by)))
    return tournament


def plan(tournament: Tournament, given: Arguments) -> Tournament:
    """Plan the next round, or again what is planned; a fixed schedule at once. ``seating`` is that of the director.

    A fixed schedule can be planned again as long as a round is left, for those who take part now.

    A seating has rows of names or numbers by seat, for each table of the round one.
    """
    kept = tournament.published
    if tournament.is_finished or len(kept) >= tournament.planned_rounds:
        raise TournamentError(f"all {tournament.planned_rounds} rounds are played or published")
    if kept and not kept[-1].is_done and tournament.format is not Format.LIST:
        raise TournamentError(_undone(tournament))
    try:
        planned = _planned(tournament, kept, given.get("seating"))
    except PlanError as error:
        raise TournamentError(str(error)) from None
    return replace(tournament, rounds=(*kept, *planned))


def _undone(tournament: Tournament) -> str:
    """Return why the last published round is not over."""
    number = len(tournament.published)
    table = next(table for table in tournament.published[-1].tables if table.state is not TableState.DONE)
    if table.state in PLAYING:
        return f"round {number} is not done: table {table.number} plays"
    return f"round {number} is not done: table {table.number} is {table.state.value}"


def _planned(tournament: Tournament, kept: Sequence[EventRound], seating: object) -> list[EventRound]:
    """Return the rounds that are planned now; raises PlanError and TournamentError."""
    if seating is not None or tournament.format is Format.LIST:
        return [EventRound(_tables(tournament, _read_seating(tournament, seating)), is_prescribed=True)]
    before, players, seats = [played.seating for played in kept], tournament.active, tournament.play.seats
    chance = Random(f"{tournament.secret}/plan/{len(kept) + 1}")
    teams = {entrant.number: entrant.team or _owner(entrant) for entrant in tournament.entrants}
    match tournament.format:
        case Format.FIXED:
            left = tournament.planned_rounds - len(kept)
            schedule = fixed_schedule(len(players), left, chance, seats, _as_indexes(before, players))
            return [EventRound(_tables(tournament, _of_players(planned, players))) for planned in schedule]
        case Format.SWISS:
            ranked = [standing.player for standing in standings_of(tournament) if standing.player in players]
            byes = _byes(tournament, kept, ranked[::-1])
            drawn = swiss_round([player for player in ranked if player not in byes], before, chance, seats, teams)
        case _:
            shuffled = list(players)
            Random(f"{tournament.secret}/byes/{len(kept) + 1}").shuffle(shuffled)
            byes = _byes(tournament, kept, shuffled)
            playing = [player for player in players if player not in byes]
            drawn = random_round(playing, before, chance, seats, teams)
    return [EventRound(_tables(tournament, drawn), byes=byes)]


def _byes(tournament: Tournament, kept: Sequence[EventRound], players: Sequence[int]) -> tuple[int, ...]:
    """Return the players who do not fit into tables: those with the fewest byes so far, and of them the first ones."""
    if tournament.play.bye is None:
        return ()
    had = Counter(chain.from_iterable(played.byes for played in kept))
    by_need = sorted(players, key=had.__getitem__)
    return tuple(by_need[: len(players) % tournament.play.seats])


def _of_players(planned: Round, players: Sequence[int]) -> Round:
    """Return a round of entrants for one of indexes."""
    return tuple(tuple(map(players.__getitem__, table)) for table in planned)


def _as_indexes(before: Sequence[Round], players: Sequence[int]) -> list[Round]:
    """Return rounds with indexes for entrants; others are left out."""
    index = {player: place for place, player in enumerate(players)}
    return [tuple(tuple(index[each] for each in table if each in index) for table in played) for played in before]


def _owner(entrant: Entrant) -> str:
    """Return whose bot an entrant is; "" for others."""
    if SEPARATOR not in entrant.name:
        return ""
    return owner_of(entrant.name)


def _read_seating(tournament: Tournament, seating: object) -> Round:
    """Return the seating that a director brings; raises TournamentError."""
    if not isinstance(seating, list | tuple) or not all(isinstance(row, list | tuple) for row in seating):
        raise TournamentError("bring a seating: for each table the players by seat")
    tables = tuple(_read_seats(tournament, number, row) for number, row in enumerate(seating, 1))
    _check_once(tournament, tables)
    return tables


def _read_seats(tournament: Tournament, table: int, row: Sequence[object]) -> tuple[int, ...]:
    """Return the entrants of a table by seat, from their names or numbers; raises TournamentError."""
    seats = tournament.play.seats
    if len(row) != seats:
        raise TournamentError(f"table {table} has {len(row)} players; expected {seats}")
    return tuple(_find(tournament, str(named)).number for named in row)


def _check_once(tournament: Tournament, seating: Round) -> None:
    """Raise TournamentError if an entrant has two seats."""
    times = Counter(chain.from_iterable(seating))
    for number, count in times.items():
        if count > 1:
            raise TournamentError(f"{tournament.entrant(number).name!r} has {count} seats in this round")


def _check_all(tournament: Tournament, planned: EventRound) -> None:
    """Raise TournamentError if an entrant who has not withdrawn has neither a seat nor a bye."""
    placed = {*planned.byes, *planned.seated}
    for number in tournament.active:
        if number not in placed:
            raise TournamentError(f"{tournament.entrant(number).name!r} has no seat in this round")


def _tables(tournament: Tournament, seating: Round) -> tuple[EventTable, ...]:
    """Return tables of a seating; built-in bots play for those who have withdrawn."""
    tables = []
    for number, seats in enumerate(seating, 1):
        table = EventTable(number, tuple(seats), tuple(seats))
        for withdrawn in set(seats).difference(tournament.active):
            table = table.played_instead(withdrawn, BOT)
        tables.append(table)
    return tuple(tables)


def publish(tournament: Tournament, given: Arguments) -> Tournament:
    """Show the seating of the next planned round to all: it stays now."""
    number = len(tournament.published)
    if number == len(tournament.rounds):
        raise TournamentError("no round is planned")
    if number and not tournament.rounds[number - 1].is_done and tournament.format is not Format.LIST:
        raise TournamentError(_undone(tournament))
    planned = tournament.rounds[number]
    _check_once(tournament, planned.seating)
    if not planned.is_prescribed:
        _check_all(tournament, planned)
    return tournament.with_round(number + 1, replace(planned, is_published=True))


def _wanted(tournament: Tournament, given: Arguments) -> tuple[int, list[EventTable]]:
    """Return the round of an order, by default the last published one, and its tables, by default all."""
    number = _number(given, "round", len(tournament.published))
    if not 1 <= number <= len(tournament.published):
        raise TournamentError(f"round {number} is not published" if number else "no round is published")
    if given.get("table") is None:
        return number, list(tournament.rounds[number - 1].tables)
    table = tournament.table(number, _number(given, "table"))
    if table is None:
        raise TournamentError(f"round {number} has no table {given['table']}")
    return number, [table]


def _one(tournament: Tournament, given: Arguments) -> tuple[int, EventTable]:
    if given.get("table") is None:
        raise TournamentError("name a table")
    number, (table,) = _wanted(tournament, given)
    return number, table


def start(tournament: Tournament, given: Arguments) -> Tournament:
    """Let a round begin, or one ``table``, when all are there; with ``bots`` at once. A paused game goes on."""
    number, tables = _wanted(tournament, given)
    fills = given.get("bots") is True
    after = {
        TableState.READY: TableState.CALLED,
        TableState.CALLED: TableState.CALLED,
        TableState.PAUSED: TableState.RUNNING,
    }
    startable = [table for table in tables if table.state in after]
    if not startable:
        raise TournamentError("nothing is left to start: all these games run or are over")
    for table in startable:
        changed = replace(table, state=after[table.state], fills=table.fills or fills)
        tournament = tournament.with_table(number, changed)
    return tournament


def pause(tournament: Tournament, given: Arguments) -> Tournament:
    """Let the games of a round, or of one ``table``, wait after the kyoku; a table that has not begun waits at once."""
    number, tables = _wanted(tournament, given)
    after = {TableState.RUNNING: TableState.PAUSED, TableState.CALLED: TableState.READY}
    running = [table for table in tables if table.state in after]
    if not running:
        raise TournamentError("no game runs there")
    for table in running:
        tournament = tournament.with_table(number, replace(table, state=after[table.state]))
    return tournament


def void(tournament: Tournament, given: Arguments) -> Tournament:
    """Let the game at ``table`` not count, for a ``reason``: it is played again, with other walls.

    Or ``revoke`` that by the number of the game, before the next one has begun: it counts again.
    """
    number, table = _one(tournament, given)
    if given.get("revoke") is not None:
        tournament = tournament.with_table(number, _restored(table, _number(given, "revoke")))
        _check_once(tournament, tournament.rounds[number - 1].seating)
        return tournament
    if table.state not in (*PLAYING, TableState.DONE):
        raise TournamentError(f"table {table.number} has not begun")
    return tournament.with_table(number, _again(table, _line(_text(given, "reason", "void"), "the reason")))


def _again(table: EventTable, reason: str) -> EventTable:
    """Return a table whose game is played again; raises TournamentError."""
    voided = Voided(
        attempt=table.attempt,
        game=table.game,
        record=table.record,
        reason=reason,
        seats=table.seats,
        played_by=table.played_by,
        result=table.result,
        correction=table.correction,
    )
    attempt = _next_attempt(table)
    return EventTable(table.number, table.seats, table.played_by, attempt=attempt, voided=(*table.voided, voided))


def _next_attempt(table: EventTable) -> int:
    if table.last_attempt >= MOST_ATTEMPTS:
        raise TournamentError(f"table {table.number} has been played {MOST_ATTEMPTS} times")
    return table.last_attempt + 1


def _restored(table: EventTable, attempt: int) -> EventTable:
    """Return a table whose game of this number counts again; raises TournamentError."""
    found = {each.attempt: each for each in table.voided}
    game = found.pop(attempt, None)
    if game is None:
        raise TournamentError(f"table {table.number} has no game {attempt} that was voided")
    if game.result is None and game.correction is None:
        raise TournamentError(f"game {attempt} of table {table.number} has no result; it can only be played again")
    if table.state not in WAITING:
        raise TournamentError(f"the next game at table {table.number} has begun; void it first")
    return EventTable(
        number=table.number,
        seats=game.seats,
        played_by=game.played_by,
        state=TableState.DONE,
        attempt=attempt,
        game=game.game,
        result=game.result,
        record=game.record,
        voided=tuple(found.values()),
        correction=game.correction,
    )


def reseat(tournament: Tournament, given: Arguments) -> Tournament:
    """Give ``table`` other ``seats``, entrants by seat, for a ``reason``. A game that has begun there does not count.

    An entrant with a seat at another table, or a bye, changes places with one who leaves this table.
    """
    number, table = _one(tournament, given)
    reason, row = _line(_text(given, "reason"), "the reason"), given.get("seats")
    if not isinstance(row, list | tuple):
        raise TournamentError("bring the seats: the players of the table by seat")
    seats = _read_seats(tournament, table.number, row)
    _check_once(tournament, (seats,))
    if seats == table.seats:
        raise TournamentError(f"these are the seats of table {table.number} already")
    coming = [entrant for entrant in seats if entrant not in table.seats]
    leaving = [entrant for entrant in table.seats if entrant not in seats]
    moved = dict(zip(coming, leaving, strict=True))
    changed = planned = tournament.rounds[number - 1]
    for each in planned.tables:
        wanted = seats
        if each is not table:
            wanted = tuple(moved.get(entrant, entrant) for entrant in each.seats)
        if wanted != each.seats:
            changed = changed.with_table(_reseated(tournament, planned, each, wanted, reason))
    changed = replace(changed, byes=tuple(moved.get(entrant, entrant) for entrant in planned.byes))
    _check_players(tournament, changed)
    return tournament.with_round(number, changed)


def _reseated(
    tournament: Tournament, planned: EventRound, table: EventTable, seats: tuple[int, ...], reason: str
) -> EventTable:
    """Return a table with other seats. Who plays for an entrant goes on to do so."""
    players = {withdrawn.number: BOT for withdrawn in tournament.entrants if withdrawn.is_withdrawn}
    for each in planned.tables:
        players.update(zip(each.seats, each.played_by, strict=True))
    if table.state is TableState.CALLED:
        table = replace(table, attempt=_next_attempt(table))  # a game that the server begins just now ends
    elif table.state is not TableState.READY:
        table = _again(table, reason)
    return replace(table, seats=seats, played_by=tuple(players.get(entrant, entrant) for entrant in seats))


def _check_players(tournament: Tournament, planned: EventRound) -> None:
    """Raise TournamentError if somebody plays twice in a round."""
    times = Counter(chain.from_iterable(table.played_by for table in planned.tables))
    for number, count in times.items():
        if number != BOT and count > 1:
            raise TournamentError(f"{tournament.entrant(number).name!r} plays for somebody else in this round")


def time(tournament: Tournament, given: Arguments) -> Tournament:
    """Let each player at ``table`` have so many ``seconds`` more in each kyoku of this game; 0 takes them back."""
    number, table = _one(tournament, given)
    seconds = _number(given, "seconds")
    if not 0 <= seconds <= MOST_SECONDS:
        raise TournamentError(f"expected 0 to {MOST_SECONDS} seconds")
    if table.state is TableState.DONE:
        raise TournamentError(f"the game at table {table.number} is over")
    return tournament.with_table(number, replace(table, extra=seconds))


def correct(tournament: Tournament, given: Arguments) -> Tournament:
    """Let the ``points`` by seat be the result of ``table``, for a ``reason``; or ``revoke`` what was entered so.

    The preset of the rules says what they come to, unless ``results`` by seat are given, in tenths.
    """
    number, table = _one(tournament, given)
    if given.get("revoke") is True:
        if table.correction is None:
            raise TournamentError(f"the result of table {table.number} is not corrected")
        state = TableState.READY if table.result is None else TableState.DONE
        return tournament.with_table(number, replace(table, correction=None, state=state))
    reason = _line(_text(given, "reason"), "the reason")
    if table.state not in (TableState.READY, TableState.DONE):
        raise TournamentError(
            f"table {table.number} is {table.state.value}: pause it before it begins, or void its game"
        )
    correction = Correction(_entered_result(tournament, table, given), reason)
    return tournament.with_table(number, replace(table, correction=correction, state=TableState.DONE))


def _entered_result(tournament: Tournament, table: EventTable, given: Arguments) -> GameResult:
    """Return the result that a director enters for a table; raises TournamentError."""
    rules = PRESETS[tournament.play.rules]
    points = _numbers(given, "points", rules.seats)
    places, results = placement(rules, points)
    if given.get("results") is not None:
        return GameResult(points, places, _numbers(given, "results", rules.seats))
    played = table.result
    if played is not None and placement(rules, played.points) != (played.places, played.results):
        raise TournamentError(f"the room has other rules than {tournament.play.rules!r}: give the results, too")
    missing = rules.seats * rules.start_points - sum(points)
    is_left = rules.left_sticks is not LeftSticks.FIRST and missing > 0 and missing % STICK_POINTS == 0
    if missing and not is_left:
        expected = rules.seats * rules.start_points
        raise TournamentError(
            f"these points add up to {sum(points):,}; expected {expected:,}, or give the results, too"
        )
    return GameResult(points, places, results)


def _numbers(given: Arguments, name: str, count: int) -> tuple[int, ...]:
    numbers = given.get(name)
    if not isinstance(numbers, list | tuple) or len(numbers) != count:
        raise TournamentError(f"{name!r} must be {count} numbers, one for each seat")
    return tuple(_number({name: number}, name) for number in numbers)


def substitute(tournament: Tournament, given: Arguments) -> Tournament:
    """Let a built-in bot, or the entrant ``by``, play for ``entrant`` in the last published round.

    An entrant who plays ``by`` itself takes its place back.
    """
    number, tables = _wanted(tournament, given)
    entrant = _find(tournament, _text(given, "entrant"))
    seated = [table for table in tables if entrant.number in table.seats]
    if not seated:
        raise TournamentError(f"{entrant.name!r} has no seat in round {number}")
    table = seated[0]
    if table.state not in WAITING:
        raise TournamentError(f"the game at table {table.number} has begun; void it first")
    by = BOT
    if given.get("by") is not None:
        by = _find(tournament, _text(given, "by")).number
        if by not in tournament.active:
            raise TournamentError(f"{tournament.entrant(by).name!r} has withdrawn")
    busy = set(chain.from_iterable(other.played_by for other in tournament.rounds[number - 1].tables))
    if by in busy - {BOT, entrant.number}:
        raise TournamentError(f"{tournament.entrant(by).name!r} plays in this round")
    played_by = list(table.played_by)
    played_by[table.seats.index(entrant.number)] = by
    return tournament.with_table(number, replace(table, played_by=tuple(played_by)))


def penalty(tournament: Tournament, given: Arguments) -> Tournament:
    """Take ``tenths`` of a thousand points off ``entrant`` for a ``reason``; or ``revoke`` one by its number."""
    if given.get("revoke") is not None:
        number = _number(given, "revoke")
        if not 1 <= number <= len(tournament.penalties):
            raise TournamentError(f"there is no penalty {number}")
        penalties = list(tournament.penalties)
        penalties[number - 1] = replace(penalties[number - 1], is_revoked=True)
        return replace(tournament, penalties=tuple(penalties))
    tenths = _number(given, "tenths")
    if not 0 < tenths <= MOST_TENTHS:
        raise TournamentError(f"a penalty has 0.1 to {MOST_TENTHS / 10:.1f} points")
    if len(tournament.penalties) >= MOST_PENALTIES:
        raise TournamentError(f"a tournament has at most {MOST_PENALTIES} penalties")
    entrant = _find(tournament, _text(given, "entrant"))
    made = Penalty(entrant.number, tenths, _line(_text(given, "reason"), "the reason"))
    return replace(tournament, penalties=(*tournament.penalties, made))


def finish(tournament: Tournament, given: Arguments) -> Tournament:
    """End the tournament, and show its secret."""
    if not tournament.published:
        raise TournamentError("no round is published")
    if not tournament.published[-1].is_done:
        raise TournamentError(_undone(tournament))
    return replace(tournament, rounds=tournament.published, is_finished=True)


@value
class DirectorOrder:
    """An order that a director can give."""

    carry_out: Callable[[Tournament, Arguments], Tournament]
    logged: tuple[str, ...] = ()
    """The arguments that the log has."""


ORDERS: Mapping[str, DirectorOrder] = {
    "add": DirectorOrder(add, ("name", "kind", "policy", "team", "missed")),
    "code": DirectorOrder(code, ("entrant",)),
    "plan": DirectorOrder(plan),
    "publish": DirectorOrder(publish),
    "start": DirectorOrder(start, ("round", "table", "bots")),
    "pause": DirectorOrder(pause, ("round", "table")),
    "time": DirectorOrder(time, ("round", "table", "seconds")),
    "reseat": DirectorOrder(reseat, ("round", "table", "seats", "reason")),
    "void": DirectorOrder(void, ("round", "table", "reason", "revoke")),
    "correct": DirectorOrder(correct, ("round", "table", "points", "results", "reason", "revoke")),
    "substitute": DirectorOrder(substitute, ("round", "entrant", "by")),
    "penalty": DirectorOrder(penalty, ("entrant", "tenths", "reason", "revoke")),
    "withdraw": DirectorOrder(withdraw, ("entrant",)),
    "readmit": DirectorOrder(readmit, ("entrant",)),
    "finish": DirectorOrder(finish),
}
"""The orders of a director by their names."""


def carry_out(tournament: Tournament, order: str, given: Arguments, at: str = "") -> Tournament:
    """Return the tournament after an order of its director; raises TournamentError.

    ``at`` is the date and time for its log.
    """
    if order not in ORDERS:
        raise TournamentError(unknown("order", order, ORDERS))
    if tournament.is_finished:
        raise TournamentError("the tournament is finished")
    declared, number = ORDERS[order], tournament.orders + 1
    if "round" in declared.logged:
        given = {"round": len(tournament.published), **given}
    after = declared.carry_out(tournament, given)
    log = (*after.log, CarriedOrder(number, at, _in_words(order, declared, given)))
    return replace(after, orders=number, log=log[-MOST_LOGGED:])


def _in_words(order: str, declared: DirectorOrder, given: Arguments) -> str:
    """Return an order as a line of the log."""
    words = []
    for name in declared.logged:
        content = given.get(name)
        if isinstance(content, list | tuple):
            content = " ".join(map(str, content))
        if content is True:
            words.append(name)
        elif content is not None and content is not False and content != "":
            words.append(f"{name} {printable(str(content)[:LONGEST_LOGGED])}")
    return " ".join((order, ", ".join(words))).rstrip()


# What the server notes


def _playing(tournament: Tournament, key: str, *states: TableState) -> tuple[int, EventTable]:
    """Return the table of a game if it is in one of these states; raises TournamentError."""
    _, round_number, number, attempt = read_event_key(key)
    table = tournament.table(round_number, number)
    if table is None or table.attempt != attempt or table.state not in states:
        raise TournamentError(f"{key} does not count any more")
    return round_number, table


def begun(tournament: Tournament, key: str, game: str, played_by: tuple[int, ...]) -> Tournament:
    """Note that a game has begun, with those who play it."""
    number, table = _playing(tournament, key, TableState.CALLED)
    return tournament.with_table(number, replace(table, state=TableState.RUNNING, game=game, played_by=played_by))


def ended(tournament: Tournament, key: str, result: GameResult, record: str | None) -> Tournament:
    """Note the result of a game and the name of its record, once."""
    number, table = _playing(tournament, key, TableState.CALLED, *PLAYING)
    return tournament.with_table(number, replace(table, state=TableState.DONE, result=result, record=record))


def lost(tournament: Tournament, key: str, reason: str) -> Tournament:
    """Note that a game has ended without a result: it is played again."""
    number, table = _playing(tournament, key, TableState.CALLED, *PLAYING)
    return tournament.with_table(number, _again(table, reason))


# Texts and tables of data


def tournament_data(tournament: Tournament, *, is_director: bool = False) -> dict[str, Any]:
    """Return a tournament as data for JSON. Only its director sees rounds that are not published."""
    rounds = tournament.rounds if is_director else tournament.published
    log = tournament.log if is_director else ()
    play = {**asdict(tournament.play), "seats": tournament.play.seats}
    return {
        "id": tournament.id,
        "name": tournament.name,
        "revision": tournament.revision,
        "orders": tournament.orders,
        "state": tournament.state,
        "format": tournament.format.value,
        "planned_rounds": tournament.planned_rounds,
        "play": play,
        "commitment": tournament.commitment,
        "secret": tournament.secret if tournament.is_finished else None,
        "entrants": list(map(_entrant_data, tournament.entrants)),
        "rounds": [_round_data(number, planned, tournament.play) for number, planned in enumerate(rounds, 1)],
        "standings": standing_rows(tournament),
        "penalties": [
            {
                "penalty": number,
                "entrant": tournament.entrant(penalty.entrant).name,
                "points": penalty.tenths / 10,
                "reason": penalty.reason,
                "revoked": penalty.is_revoked,
            }
            for number, penalty in enumerate(tournament.penalties, 1)
        ],
        "log": list(map(asdict, log)),
    }


def _entrant_data(entrant: Entrant) -> dict[str, Any]:
    return {
        "number": entrant.number,
        "name": entrant.name,
        "kind": entrant.kind.value,
        "team": entrant.team,
        "withdrawn": entrant.is_withdrawn,
        "missed": list(entrant.missed),
    }


def _round_data(number: int, planned: EventRound, play: EventSettings) -> dict[str, Any]:
    tables = [_table_data(table) | {"outcome": _counted_data(table, play)} for table in planned.tables]
    return {"round": number, "state": planned.state, "tables": tables, "byes": list(planned.byes)}


def _counted_data(table: EventTable, play: EventSettings) -> dict[str, Any] | None:
    """Return the outcome of a table as it counts for its entrants, by seat; None before the end of its game."""
    if table.counted is None:
        return None
    results = seat_results(table, table.counted, play.substitute)
    return {
        "points": [result.points for result in results],
        "places": [result.place for result in results],
        "results": [result.result for result in results],
        "record": table.record,
        "corrected": None if table.correction is None else table.correction.reason,
    }


def _table_data(table: EventTable) -> dict[str, Any]:
    return {
        "table": table.number,
        "state": table.state.value,
        "attempt": table.attempt,
        "seats": list(table.seats),
        "played_by": list(table.played_by),
        "game": table.game,
        "extra": table.extra,
        "voided": list(map(asdict, table.voided)),
    }


def _outcome_data(table: EventTable) -> dict[str, Any] | None:
    """Return the result and the record of a table as the database has them, together."""
    return None if table.result is None else {**asdict(table.result), "record": table.record}


def standing_rows(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the standings as rows with the same keys; nobody has a place before the first game."""
    rows = []
    ranked = standings_of(tournament)
    has_begun = any(sum(standing.places) for standing in ranked)
    for place, standing in enumerate(ranked, 1):
        entrant = tournament.entrant(standing.player)
        row = {
            "place": place if has_begun else None,
            "name": entrant.name,
            "team": entrant.team,
            "total": standing.total / 10,
            "penalties": standing.penalties / 10,
            "games": sum(standing.places),
        }
        for number, times in enumerate(standing.places[: tournament.play.seats], 1):
            row[f"place_{number}"] = times
        rows.append(row | {"points": standing.points, "best": standing.best / 10})
    return rows


RESULT_COLUMNS = (
    "round",
    "table",
    "wind",
    "name",
    "played_by",
    "state",
    "points",
    "place",
    "result",
    "record",
    "corrected",
)


def result_rows(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the seats of all published rounds as rows with the same keys."""
    rows = [*_rows_without_table(tournament)]
    for number, table in tournament.numbered_tables:
        results = [SeatResult()] * len(table.seats)
        if table.counted is not None:
            results = seat_results(table, table.counted, tournament.play.substitute)
        for seat, (wind, own) in enumerate(zip(WINDS, results, strict=False)):
            player = table.played_by[seat]
            rows.append(
                {
                    "round": number,
                    "table": table.number,
                    "wind": wind,
                    "name": tournament.entrant(table.seats[seat]).name,
                    "played_by": "bot" if player == BOT else tournament.entrant(player).name,
                    "state": table.state.value,
                    "points": own.points,
                    "place": own.place,
                    "result": None if own.result is None else own.result / 10,
                    "record": table.record,
                    "corrected": None if table.correction is None else table.correction.reason,
                }
            )
    return sorted(rows, key=lambda row: row["round"])


def _rows_without_table(tournament: Tournament) -> Iterator[dict[str, Any]]:
    """Yield the rows of results without a game: byes, and rounds before a late entrant came."""
    for number, published in enumerate(tournament.published, 1):
        for entrant in published.byes:
            yield _row_without_table(tournament.entrant(entrant), number, "bye", tournament.play.bye)
    for late in tournament.entrants:
        for number, missed in enumerate(late.missed, 1):
            if late.number in tournament.ranked:
                yield _row_without_table(late, number, "missed", missed)


def _row_without_table(entrant: Entrant, number: int, state: str, tenths: int | None) -> dict[str, Any]:
    own = {"round": number, "name": entrant.name, "state": state}
    result = None if tenths is None else tenths / 10
    return {**dict.fromkeys(RESULT_COLUMNS), **own, "result": result}


def as_csv(rows: Sequence[Mapping[str, object]]) -> str:
    """Return rows as CSV with their keys above. No cell is a formula of a spreadsheet."""
    text = StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _cell(content) for key, content in row.items()} for row in rows)
    return text.getvalue()


def _cell(content: object) -> object:
    """Return a text that a spreadsheet would calculate behind an apostrophe."""
    if isinstance(content, str) and content.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{content}"
    return content


def read_seating(text: str) -> list[list[str]]:
    """Return the seating of a CSV with a row for each table: its players by seat, with a head if it names winds."""
    rows = []
    for row in csv.reader(StringIO(text)):
        cells = [cell.strip() for cell in row]
        if any(cells):
            rows.append(cells)
    if not rows:
        return []
    columns = [column for column, head in enumerate(rows[0]) if head.lower() in WINDS]
    if not columns:
        return rows
    return [[row[column] for column in columns if column < len(row)] for row in rows[1:]]


# The database


def entrant_hash(tournament: str, number: int) -> str:
    """Return what stands for an entrant in the place of a token's hash; it is the hash of no token."""
    return sha256(f"ump-entrant-1/{tournament}/{number}".encode()).hexdigest()


class TournamentDatabase:
    """The tournaments of a server, a row for each. All methods raise DatabaseError; call them in another thread."""

    def __init__(self, place: DatabasePlace) -> None:
        self.place = place
        self._database = Database(place, CLUB_SCHEMA)

    @property
    def is_there(self) -> bool:
        """Whether there is a file, or a server that may be asked."""
        return self.place.path is None or self.place.path.is_file()

    def create(self, tournament: Tournament) -> None:
        """Enter a tournament; raises TournamentError if the id is taken. A file is made, for our own user."""
        from sqlalchemy import text

        if self.place.path is not None:
            make_private_file(self.place.path)
        with self._database.writing() as connection:
            taken = connection.execute(text("SELECT 1 FROM tournaments WHERE id = :id"), {"id": tournament.id}).first()
            if taken is not None:
                raise TournamentError(f"there is a tournament {tournament.id!r}")
            given = {"id": tournament.id, "revision": tournament.revision, "content": written(tournament)}
            connection.execute(
                text("INSERT INTO tournaments (id, revision, content) VALUES (:id, :revision, :content)"), given
            )

    def revisions(self) -> dict[str, int]:
        """Return the revisions of all tournaments; none without a file."""
        if not self.is_there:
            return {}
        from sqlalchemy import text

        with self._database.reading() as connection:
            rows = connection.execute(text("SELECT id, revision FROM tournaments ORDER BY id"))
            return {row.id: row.revision for row in rows}

    def read(self, identity: str) -> Tournament:
        """Return a tournament; raises TournamentError if there is none."""
        from sqlalchemy import text

        if not self.is_there:
            raise TournamentError(f"there is no tournament {identity!r}")
        with self._database.reading() as connection:
            found = text("SELECT content FROM tournaments WHERE id = :id")
            content = connection.execute(found, {"id": identity}).scalar()
        if content is None:
            raise TournamentError(f"there is no tournament {identity!r}")
        return read_tournament(content)

    def change(
        self, identity: str, change: Callable[[Tournament], Tournament], orders: int | None = None
    ) -> Tournament:
        """Change a tournament in one transaction, and return it; raises TournamentError, and then nothing is changed.

        ``orders`` is the number of orders that its director knows of; None: any.
        """
        from sqlalchemy import text

        if not self.is_there:
            raise TournamentError(f"there is no tournament {identity!r}")
        with self._database.writing() as connection:
            found = text("SELECT content FROM tournaments WHERE id = :id")
            content = connection.execute(found, {"id": identity}).scalar()
            if content is None:
                raise TournamentError(f"there is no tournament {identity!r}")
            before = read_tournament(content)
            if orders is not None and orders != before.orders:
                raise StaleError("somebody else has changed the tournament meanwhile; look at it again")
            after = replace(change(before), revision=before.revision + 1)
            update = text("UPDATE tournaments SET revision = :revision, content = :content WHERE id = :id")
            given = {"id": identity, "revision": after.revision, "content": written(after)}
            connection.execute(update, given)
        return after

    def hashes_of(self, names: Collection[str]) -> list[str]:
        """Return what stands for the users of these names in records of all tournaments (``entrant_hash``)."""
        hashes = []
        for tournament in map(self.read, self.revisions()):
            for entrant in tournament.entrants:
                if entrant.kind is EntrantKind.USER and entrant.name in names:
                    hashes.append(entrant_hash(tournament.id, entrant.number))
        return hashes

    def rename(self, alias_of: Callable[[str], str | None]) -> None:
        """Give the users among the entrants whose names have an alias that name."""

        def renamed(tournament: Tournament) -> Tournament:
            for entrant in tournament.entrants:
                alias = alias_of(entrant.name) if entrant.kind is EntrantKind.USER else None
                if alias is not None:
                    tournament = tournament.with_entrant(replace(entrant, name=alias))
            return tournament

        for identity in self.revisions():
            tournament = self.read(identity)
            if renamed(tournament) != tournament:
                self.change(identity, renamed)


def written(tournament: Tournament) -> str:
    """Return a tournament as the database holds it."""
    content = asdict(tournament)
    for round_, round_content in zip(tournament.rounds, content["rounds"], strict=True):
        round_content["tables"] = list(map(_written_table, round_.tables))
    return json.dumps(content, default=lambda member: member.value, separators=(",", ":"))


def _written_table(table: EventTable) -> dict[str, Any]:
    content = asdict(table)
    del content["result"], content["record"]
    voided = content.pop("voided")
    return {**content, "outcome": _outcome_data(table), "voided": voided}


def read_tournament(content: str) -> Tournament:
    """Return a tournament from the database."""
    given = json.loads(content)
    given["format"] = Format(given["format"])
    given["play"] = EventSettings(**given["play"])
    given["entrants"] = tuple(map(_read_entrant, given["entrants"]))
    given["rounds"] = tuple(map(_read_round, given["rounds"]))
    given["penalties"] = tuple(Penalty(**each) for each in given["penalties"])
    given["log"] = tuple(CarriedOrder(**each) for each in given.get("log", ()))
    return Tournament(**given)


def _read_entrant(given: dict[str, Any]) -> Entrant:
    return Entrant(**{**given, "kind": EntrantKind(given["kind"]), "missed": tuple(given.get("missed", ()))})


def _read_round(given: dict[str, Any]) -> EventRound:
    """Return a round; earlier versions wrote none of the last two fields."""
    tables = tuple(map(_read_table, given["tables"]))
    is_prescribed = given.get("is_prescribed", False)
    return EventRound(tables, given["is_published"], tuple(given.get("byes", ())), is_prescribed)


def _read_table(given: dict[str, Any]) -> EventTable:
    outcome = given.pop("outcome")
    result, record = None, None
    if outcome is not None:
        result = _read_result(outcome)
        record = outcome["record"]
    return EventTable(
        **{
            **given,
            "seats": tuple(given["seats"]),
            "played_by": tuple(given["played_by"]),
            "state": TableState(given["state"]),
            "result": result,
            "record": record,
            "voided": tuple(map(_read_voided, given["voided"])),
            "correction": _read_correction(given.get("correction")),
        }
    )


def _read_result(given: Mapping[str, Any]) -> GameResult:
    return GameResult(tuple(given["points"]), tuple(given["places"]), tuple(given["results"]))


def _read_correction(given: Mapping[str, Any] | None) -> Correction | None:
    if given is None:
        return None
    return Correction(_read_result(given["result"]), given["reason"])


def _read_voided(given: dict[str, Any]) -> Voided:
    """Return a game that does not count; earlier versions wrote neither seats nor result."""
    result = given.get("result")
    return Voided(
        **{
            **given,
            "seats": tuple(given.get("seats", ())),
            "played_by": tuple(given.get("played_by", ())),
            "result": None if result is None else _read_result(result),
            "correction": _read_correction(given.get("correction")),
        }
    )
