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
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from enum import Enum
from hashlib import sha256
from io import StringIO
from random import Random
from typing import Any, TypeVar

from ump.arena.tournament import (
    PlanError,
    Result,
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
from ump.model.value import value
from ump.players.policy import POLICIES
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.table.clock import TimeControl
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
MOST_TENTHS = 10_000

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


class EntrantKind(Enum):
    """The way in which an entrant is known."""

    USER = "user"
    """By the login; ``alice/akagi`` is a bot of alice, with her token."""
    GUEST = "guest"
    """By a code."""
    BOT = "bot"
    """A built-in bot, which the server seats."""


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


@value
class Outcome:
    """The result of a game, by seat."""

    points: tuple[int, ...]
    places: tuple[int, ...]
    results: tuple[int, ...]
    """With uma and oka, in tenths of a thousand points."""
    record: str | None
    """The name of its record."""


@value
class Voided:
    """A game that does not count."""

    attempt: int
    game: str | None
    record: str | None
    reason: str


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
    outcome: Outcome | None = None
    voided: tuple[Voided, ...] = ()


@value
class EventRound:
    """A round."""

    tables: tuple[EventTable, ...]
    is_published: bool = False

    @property
    def is_done(self) -> bool:
        """Whether all its games are over."""
        return self.is_published and all(table.state is TableState.DONE for table in self.tables)

    @property
    def state(self) -> str:
        """The word for its state."""
        if not self.is_published:
            return "planned"
        if self.is_done:
            return "done"
        return "published" if all(table.state is TableState.READY for table in self.tables) else "running"

    @property
    def seating(self) -> Round:
        """The entrants by table and seat."""
        return tuple(table.seats for table in self.tables)


@value
class Penalty:
    """Points that are taken off the total of an entrant."""

    entrant: int
    tenths: int
    reason: str
    is_revoked: bool = False


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

    @property
    def state(self) -> str:
        """The word for its state."""
        if self.is_finished:
            return "finished"
        return "running" if any(each.is_published for each in self.rounds) else "draft"

    @property
    def commitment(self) -> str:
        """The commitment to its secret."""
        return commitment_of(self.secret)

    @property
    def active(self) -> tuple[int, ...]:
        """The entrants who have not withdrawn."""
        return tuple(each.number for each in self.entrants if not each.is_withdrawn)

    @property
    def published(self) -> tuple[EventRound, ...]:
        """The rounds whose seating is known to all."""
        return tuple(each for each in self.rounds if each.is_published)

    def entrant(self, number: int) -> Entrant:
        """Return an entrant by number."""
        return self.entrants[number - 1]

    def table(self, round_number: int, number: int) -> EventTable | None:
        """Return a table; None if there is none."""
        if not (1 <= round_number <= len(self.rounds)):
            return None
        return next((each for each in self.rounds[round_number - 1].tables if each.number == number), None)

    def is_directed_by(self, key: str) -> bool:
        """Return whether a text is the secret of the director's link."""
        return hmac.compare_digest(self.director_hash, hash_of_key(key))

    def find_guest(self, code: str) -> Entrant | None:
        """Return the guest whose code this is."""
        read = read_table_code(code)
        wanted = None if read is None else hash_of_key(read)
        return next((each for each in self.entrants if wanted is not None and each.code_hash == wanted), None)

    def find_user(self, name: str) -> Entrant | None:
        """Return the user, or bot of a user, of this name."""
        return next((each for each in self.entrants if each.kind is EntrantKind.USER and each.name == name), None)


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
    if form not in [each.value for each in Format]:
        raise TournamentError(unknown("format", form, [each.value for each in Format]))
    if not 1 <= rounds <= MOST_ROUNDS:
        raise TournamentError(f"expected 1 to {MOST_ROUNDS} rounds")
    if play.rules not in PRESETS:
        raise TournamentError(unknown("preset", play.rules, PRESETS))
    if play.length not in [each.value for each in Length]:
        raise TournamentError(unknown("length", play.length, [each.value for each in Length]))
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
    for each in tournament.penalties:
        penalties[each.entrant] += 0 if each.is_revoked else each.tenths
    results = [_result(table, tournament.play) for each in tournament.published for table in each.tables]
    return standings(
        [each.number for each in tournament.entrants],
        [each for each in results if each is not None],
        penalties,
        Random(f"{tournament.secret}/standings"),
        tournament.play.seats,
    )


def _result(table: EventTable, play: EventSettings) -> Result | None:
    """Return the result of a table for its entrants; None if its game is not over."""
    outcome = table.outcome
    if outcome is None:
        return None
    own = [
        tenths if play.substitute is None or player == plays else play.substitute
        for tenths, player, plays in zip(outcome.results, table.seats, table.played_by, strict=True)
    ]
    return Result(table.seats, outcome.points, tuple(own), outcome.places)


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


def _number(given: Arguments, name: str, otherwise: int | None = None) -> int:
    found = given.get(name, otherwise)
    if isinstance(found, bool) or not isinstance(found, int) or abs(found) > 1_000_000:
        raise TournamentError(f"{name!r} must be a number")
    return found


def _text(given: Arguments, name: str, otherwise: str | None = None) -> str:
    found = given.get(name, otherwise)
    if not isinstance(found, str) or len(found) > LONGEST_TEXT:
        raise TournamentError(f"{name!r} must be a text of at most {LONGEST_TEXT} characters")
    return found


def _find(tournament: Tournament, named: str) -> Entrant:
    """Return an entrant by name or number; raises TournamentError."""
    found = [each for each in tournament.entrants if named in (each.name, str(each.number))]
    exact = [each for each in found if each.name == named] or found
    if not exact:
        raise TournamentError(f"there is no entrant {named!r}")
    return exact[0]


def add(tournament: Tournament, given: Arguments) -> Tournament:
    """Add an entrant: ``name``, ``kind``, ``team``, and for a guest ``code``, for a bot ``policy``."""
    if tournament.format is Format.FIXED and tournament.rounds:
        raise TournamentError("the schedule is fixed already; substitute one of its entrants instead")
    if len(tournament.entrants) >= MOST_ENTRANTS:
        raise TournamentError(f"a tournament has at most {MOST_ENTRANTS} entrants")
    name, kind, policy, code = (
        _text(given, "name"),
        _text(given, "kind", "guest"),
        given.get("policy"),
        given.get("code"),
    )
    try:
        check_name(name, "the name")
    except WireError as error:
        raise TournamentError(str(error)) from None
    if is_office(name) or (SEPARATOR in name and kind != EntrantKind.USER.value):
        raise TournamentError(f"{name!r} is not for such a player")
    other = next((each.name for each in tournament.entrants if skeleton(each.name) == skeleton(name)), None)
    if other is not None:
        raise TournamentError(
            f"{name!r} looks like the entrant {other!r}" if other != name else f"{name!r} is entered already"
        )
    if kind not in [each.value for each in EntrantKind]:
        raise TournamentError(unknown("kind", kind, [each.value for each in EntrantKind]))
    if kind == EntrantKind.BOT.value and not (isinstance(policy, str) and policy in POLICIES):
        raise TournamentError(unknown("built-in bot", str(policy), POLICIES))
    made = Entrant(
        len(tournament.entrants) + 1,
        EntrantKind(kind),
        name,
        _text(given, "team", ""),
        hash_of_key(_code(code)) if kind == EntrantKind.GUEST.value else None,
        str(policy) if kind == EntrantKind.BOT.value else None,
    )
    return replace(tournament, entrants=(*tournament.entrants, made))


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
    return _with_entrant(tournament, replace(entrant, code_hash=hash_of_key(_code(given.get("code")))))


def _with_entrant(tournament: Tournament, entrant: Entrant) -> Tournament:
    entrants = [entrant if each.number == entrant.number else each for each in tournament.entrants]
    return replace(tournament, entrants=tuple(entrants))


def withdraw(tournament: Tournament, given: Arguments) -> Tournament:
    """Let ``entrant`` leave. Built-in bots play for it at the tables whose games have not begun."""
    entrant = _find(tournament, _text(given, "entrant"))
    tournament = _with_entrant(tournament, replace(entrant, is_withdrawn=True))

    def changed(table: EventTable) -> EventTable:
        if table.state not in (TableState.READY, TableState.CALLED):
            return table
        return replace(table, played_by=tuple(BOT if who == entrant.number else who for who in table.played_by))

    rounds = [replace(each, tables=tuple(map(changed, each.tables))) for each in tournament.rounds]
    return replace(tournament, rounds=tuple(rounds))


def plan(tournament: Tournament, given: Arguments) -> Tournament:
    """Plan the next round, or again what is planned; a fixed schedule at once. ``seating`` is that of the director.

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
    rounds = [EventRound(_tables(tournament, seating)) for seating in planned]
    return replace(tournament, rounds=(*kept, *rounds))


def _undone(tournament: Tournament) -> str:
    """Return why the last published round is not over."""
    number = len(tournament.published)
    table = next(each for each in tournament.published[-1].tables if each.state is not TableState.DONE)
    state = "plays" if table.state in PLAYING else f"is {table.state.value}"
    return f"round {number} is not done: table {table.number} {state}"


def _planned(tournament: Tournament, kept: Sequence[EventRound], seating: object) -> tuple[Round, ...]:
    """Return the rounds that are planned now; raises PlanError and TournamentError."""
    before, players, seats = [each.seating for each in kept], tournament.active, tournament.play.seats
    chance = Random(f"{tournament.secret}/plan/{len(kept) + 1}")
    teams = {each.number: each.team or _owner(each) for each in tournament.entrants}
    if seating is not None or tournament.format is Format.LIST:
        return (_read_seating(tournament, seating),)
    match tournament.format:
        case Format.FIXED if kept:
            raise TournamentError("the schedule is fixed: publish its next round")
        case Format.FIXED:
            schedule = fixed_schedule(len(players), tournament.planned_rounds, chance, seats)
            return tuple(tuple(tuple(players[each] for each in table) for table in tables) for tables in schedule)
        case Format.SWISS:
            ranked = [each.player for each in standings_of(tournament) if each.player in players]
            return (swiss_round(ranked, before, chance, seats, teams),)
        case _:
            return (random_round(players, before, chance, seats, teams),)


def _owner(entrant: Entrant) -> str:
    """Return whose bot an entrant is; "" for others."""
    return owner_of(entrant.name) if SEPARATOR in entrant.name else ""


def _read_seating(tournament: Tournament, seating: object) -> Round:
    """Return the seating that a director brings; raises TournamentError."""
    if not isinstance(seating, list | tuple) or not all(isinstance(row, list | tuple) for row in seating):
        raise TournamentError("bring a seating: for each table the players by seat")
    seats, found = tournament.play.seats, []
    for number, row in enumerate(seating, 1):
        if len(row) != seats:
            raise TournamentError(f"table {number} has {len(row)} players; expected {seats}")
        found.append(tuple(_find(tournament, str(each)).number for each in row))
    check_seating(tournament, tuple(found))
    return tuple(found)


def check_seating(tournament: Tournament, seating: Round) -> None:
    """Raise TournamentError unless each entrant who has not withdrawn has just one seat."""
    times = Counter(number for table in seating for number in table)
    twice = next((each for each, count in times.items() if count > 1), None)
    if twice is not None:
        raise TournamentError(f"{tournament.entrant(twice).name!r} has {times[twice]} seats in this round")
    missing = next((each for each in tournament.active if each not in times), None)
    if missing is not None:
        raise TournamentError(f"{tournament.entrant(missing).name!r} has no seat in this round")


def _tables(tournament: Tournament, seating: Round) -> tuple[EventTable, ...]:
    """Return tables of a seating; built-in bots play for those who have withdrawn."""
    active = set(tournament.active)
    return tuple(
        EventTable(number, tuple(seats), tuple(each if each in active else BOT for each in seats))
        for number, seats in enumerate(seating, 1)
    )


def publish(tournament: Tournament, given: Arguments) -> Tournament:
    """Show the seating of the next planned round to all: it stays now."""
    number = len(tournament.published)
    if number == len(tournament.rounds):
        raise TournamentError("no round is planned")
    if number and not tournament.rounds[number - 1].is_done and tournament.format is not Format.LIST:
        raise TournamentError(_undone(tournament))
    planned = tournament.rounds[number]
    check_seating(tournament, planned.seating)
    return _with_round(tournament, number + 1, replace(planned, is_published=True))


def _with_round(tournament: Tournament, number: int, changed: EventRound) -> Tournament:
    rounds = [changed if place == number else each for place, each in enumerate(tournament.rounds, 1)]
    return replace(tournament, rounds=tuple(rounds))


def _with_table(tournament: Tournament, round_number: int, table: EventTable) -> Tournament:
    found = tournament.rounds[round_number - 1]
    tables = tuple(table if each.number == table.number else each for each in found.tables)
    return _with_round(tournament, round_number, replace(found, tables=tables))


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
    found = [each for each in tables if each.state in after]
    if not found:
        raise TournamentError("nothing is left to start: all these games run or are over")
    for table in found:
        changed = replace(table, state=after[table.state], fills=table.fills or fills)
        tournament = _with_table(tournament, number, changed)
    return tournament


def pause(tournament: Tournament, given: Arguments) -> Tournament:
    """Let the games of a round, or of one ``table``, wait after the kyoku; a table that has not begun waits at once."""
    number, tables = _wanted(tournament, given)
    after = {TableState.RUNNING: TableState.PAUSED, TableState.CALLED: TableState.READY}
    found = [each for each in tables if each.state in after]
    if not found:
        raise TournamentError("no game runs there")
    for table in found:
        tournament = _with_table(tournament, number, replace(table, state=after[table.state]))
    return tournament


def void(tournament: Tournament, given: Arguments) -> Tournament:
    """Let the game at ``table`` not count, for a ``reason``: it is played again, with other walls."""
    number, table = _one(tournament, given)
    if table.state not in (*PLAYING, TableState.DONE):
        raise TournamentError(f"table {table.number} has not begun")
    return _with_table(tournament, number, _again(table, _line(_text(given, "reason", "void"), "the reason")))


def _again(table: EventTable, reason: str) -> EventTable:
    """Return a table whose game is played again; raises TournamentError."""
    if table.attempt >= MOST_ATTEMPTS:
        raise TournamentError(f"table {table.number} has been played {MOST_ATTEMPTS} times")
    record = None if table.outcome is None else table.outcome.record
    voided = Voided(table.attempt, table.game, record, reason)
    return EventTable(
        table.number, table.seats, table.played_by, attempt=table.attempt + 1, voided=(*table.voided, voided)
    )


def substitute(tournament: Tournament, given: Arguments) -> Tournament:
    """Let a built-in bot, or the entrant ``by``, play for ``entrant`` in the last published round."""
    number, tables = _wanted(tournament, given)
    entrant = _find(tournament, _text(given, "entrant"))
    table = next((each for each in tables if entrant.number in each.seats), None)
    if table is None:
        raise TournamentError(f"{entrant.name!r} has no seat in round {number}")
    if table.state not in (TableState.READY, TableState.CALLED):
        raise TournamentError(f"the game at table {table.number} has begun; void it first")
    by = BOT if given.get("by") is None else _find(tournament, _text(given, "by")).number
    busy = [who for each in tournament.rounds[number - 1].tables for who in each.played_by]
    if by != BOT and by != entrant.number and by in busy:
        raise TournamentError(f"{tournament.entrant(by).name!r} plays in this round")
    played_by = tuple(
        by if seat == entrant.number else who for seat, who in zip(table.seats, table.played_by, strict=True)
    )
    return _with_table(tournament, number, replace(table, played_by=played_by))


def penalty(tournament: Tournament, given: Arguments) -> Tournament:
    """Take ``tenths`` of a thousand points off ``entrant`` for a ``reason``; or ``revoke`` one by its number."""
    if given.get("revoke") is not None:
        number = _number(given, "revoke")
        if not 1 <= number <= len(tournament.penalties):
            raise TournamentError(f"there is no penalty {number}")
        changed = [
            replace(each, is_revoked=True) if place == number else each
            for place, each in enumerate(tournament.penalties, 1)
        ]
        return replace(tournament, penalties=tuple(changed))
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


ORDERS: Mapping[str, Callable[[Tournament, Arguments], Tournament]] = {
    "add": add,
    "code": code,
    "plan": plan,
    "publish": publish,
    "start": start,
    "pause": pause,
    "void": void,
    "substitute": substitute,
    "penalty": penalty,
    "withdraw": withdraw,
    "finish": finish,
}
"""The orders of a director by their names."""


def carry_out(tournament: Tournament, order: str, given: Arguments) -> Tournament:
    """Return the tournament after an order of its director; raises TournamentError."""
    if order not in ORDERS:
        raise TournamentError(unknown("order", order, ORDERS))
    if tournament.is_finished:
        raise TournamentError("the tournament is finished")
    return replace(ORDERS[order](tournament, given), orders=tournament.orders + 1)


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
    return _with_table(tournament, number, replace(table, state=TableState.RUNNING, game=game, played_by=played_by))


def ended(tournament: Tournament, key: str, outcome: Outcome) -> Tournament:
    """Note the result of a game, once."""
    number, table = _playing(tournament, key, TableState.CALLED, *PLAYING)
    return _with_table(tournament, number, replace(table, state=TableState.DONE, outcome=outcome))


def lost(tournament: Tournament, key: str, reason: str) -> Tournament:
    """Note that a game has ended without a result: it is played again."""
    number, table = _playing(tournament, key, TableState.CALLED, *PLAYING)
    return _with_table(tournament, number, _again(table, reason))


# Texts and tables of data


def tournament_data(tournament: Tournament, *, is_director: bool = False) -> dict[str, Any]:
    """Return a tournament as data for JSON. Only its director sees rounds that are not published."""
    rounds = tournament.rounds if is_director else tournament.published
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
        "entrants": [
            {
                "number": each.number,
                "name": each.name,
                "kind": each.kind.value,
                "team": each.team,
                "withdrawn": each.is_withdrawn,
            }
            for each in tournament.entrants
        ],
        "rounds": [
            {"round": number, "state": each.state, "tables": [_table_data(table) for table in each.tables]}
            for number, each in enumerate(rounds, 1)
        ],
        "standings": standing_rows(tournament),
        "penalties": [
            {
                "penalty": number,
                "entrant": tournament.entrant(each.entrant).name,
                "points": each.tenths / 10,
                "reason": each.reason,
                "revoked": each.is_revoked,
            }
            for number, each in enumerate(tournament.penalties, 1)
        ],
    }


def _table_data(table: EventTable) -> dict[str, Any]:
    return {
        "table": table.number,
        "state": table.state.value,
        "attempt": table.attempt,
        "seats": list(table.seats),
        "played_by": list(table.played_by),
        "game": table.game,
        "outcome": None if table.outcome is None else asdict(table.outcome),
        "voided": [asdict(each) for each in table.voided],
    }


def standing_rows(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the standings as rows with the same keys."""
    places = range(tournament.play.seats)
    return [
        {
            "place": place,
            "name": tournament.entrant(each.player).name,
            "team": tournament.entrant(each.player).team,
            "total": each.total / 10,
            "penalties": each.penalties / 10,
            "games": sum(each.places),
            **{f"place_{number + 1}": each.places[number] for number in places},
            "points": each.points,
            "best": each.best / 10,
        }
        for place, each in enumerate(standings_of(tournament), 1)
    ]


def result_rows(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the seats of all published rounds as rows with the same keys."""
    return [
        {
            "round": number,
            "table": table.number,
            "wind": WINDS[seat],
            "name": tournament.entrant(player).name,
            "played_by": "bot" if who == BOT else tournament.entrant(who).name,
            "state": table.state.value,
            "points": None if table.outcome is None else table.outcome.points[seat],
            "place": None if table.outcome is None else table.outcome.places[seat],
            "result": None if table.outcome is None else table.outcome.results[seat] / 10,
            "record": None if table.outcome is None else table.outcome.record,
        }
        for number, each in enumerate(tournament.published, 1)
        for table in each.tables
        for seat, (player, who) in enumerate(zip(table.seats, table.played_by, strict=True))
    ]


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
    return f"'{content}" if isinstance(content, str) and content[:1] in ("=", "+", "-", "@", "\t", "\r") else content


def read_seating(text: str) -> list[list[str]]:
    """Return the seating of a CSV with a row for each table: its players by seat, with a head if it names winds."""
    rows = [[cell.strip() for cell in row] for row in csv.reader(StringIO(text)) if any(cell.strip() for cell in row)]
    if rows and set(map(str.lower, rows[0])) & set(WINDS):
        columns = [place for place, head in enumerate(rows[0]) if head.lower() in WINDS]
        rows = [[row[place] for place in columns if place < len(row)] for row in rows[1:]]
    return rows


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
        tournaments = map(self.read, self.revisions() if self.is_there else ())
        return [
            entrant_hash(tournament.id, each.number)
            for tournament in tournaments
            for each in tournament.entrants
            if each.kind is EntrantKind.USER and each.name in names
        ]

    def rename(self, alias_of: Callable[[str], str | None]) -> None:
        """Give the users among the entrants whose names have an alias that name."""

        def renamed(tournament: Tournament) -> Tournament:
            entrants = (
                replace(each, name=(each.kind is EntrantKind.USER and alias_of(each.name)) or each.name)
                for each in tournament.entrants
            )
            return replace(tournament, entrants=tuple(entrants))

        for identity in self.revisions():
            users = (each for each in self.read(identity).entrants if each.kind is EntrantKind.USER)
            if any(alias_of(each.name) for each in users):
                self.change(identity, renamed)


def written(tournament: Tournament) -> str:
    """Return a tournament as the database holds it."""
    return json.dumps(asdict(tournament), default=lambda each: each.value, separators=(",", ":"))


def read_tournament(content: str) -> Tournament:
    """Return a tournament from the database."""
    given = json.loads(content)
    given["format"] = Format(given["format"])
    given["play"] = EventSettings(**given["play"])
    given["entrants"] = tuple(Entrant(**{**each, "kind": EntrantKind(each["kind"])}) for each in given["entrants"])
    given["rounds"] = tuple(
        EventRound(tuple(map(_read_table, each["tables"])), each["is_published"]) for each in given["rounds"]
    )
    given["penalties"] = tuple(Penalty(**each) for each in given["penalties"])
    return Tournament(**given)


def _read_table(given: dict[str, Any]) -> EventTable:
    outcome = given["outcome"]
    if outcome is not None:
        lists = {name: tuple(content) for name, content in outcome.items() if name != "record"}
        outcome = Outcome(**lists, record=outcome["record"])
    return EventTable(
        **{
            **given,
            "seats": tuple(given["seats"]),
            "played_by": tuple(given["played_by"]),
            "state": TableState(given["state"]),
            "outcome": outcome,
            "voided": tuple(Voided(**each) for each in given["voided"]),
        }
    )
