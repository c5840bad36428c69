"""The command ``ump tournament``: the orders of a director, in the database of a server, which need not run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

import click

from ump.cli.command_line import InputError, as_json, print_report
from ump.database.database import DatabaseError, DatabasePlace, PlaceError, read_place
from ump.text.layout import columns, printable

if TYPE_CHECKING:
    from ump.server.tournaments import Tournament, TournamentDatabase

FORMATS = ("fixed", "swiss", "random", "list")

LONGEST_FILE = 1_000_000


class _Names(click.Group):
    """Subcommands in the order in which a tournament needs them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@contextmanager
def _errors(place: DatabasePlace) -> Iterator[None]:
    """Turn refused orders, and errors about the database, into one line."""
    from ump.server.tournaments import TournamentError

    try:
        yield
    except TournamentError as error:
        raise click.ClickException(str(error)) from None
    except (OSError, DatabaseError) as error:
        raise InputError(f"--tournaments {place.shown}: {error}") from None


def _with_database(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--tournaments``, and pass the database as first argument."""

    @click.option(
        "--tournaments",
        "option",
        metavar="PLACE",
        required=True,
        envvar="UMP_TOURNAMENTS",
        show_envvar=True,
        help="The server's --users; a server without users has the file club.sqlite in its --record-dir.",
    )
    @wraps(command)
    def checked(option: str, **given: Any) -> None:
        from ump.server.tournaments import TournamentDatabase

        try:
            place = read_place(option)
        except PlaceError as error:
            raise InputError(f"--tournaments: {error}") from None
        with _errors(place):
            command(TournamentDatabase(place), **given)

    return checked


def _give(database: TournamentDatabase, identity: str, order: str, **given: object) -> Tournament:
    """Give an order, and return the tournament after it."""
    from ump.server.tournaments import carry_out

    return database.change(identity, lambda found: carry_out(found, order, given, _now()))


def _now() -> str:
    """Return the date and time for the log of a tournament."""
    from ump.server.journals import began_at

    return began_at(time())


identity_argument = click.argument("identity", metavar="ID")
round_option = click.option("--round", "number", type=int, help="The round; by default the last published one.")
table_option = click.option("--table", type=int, help="One table; by default all of the round.")


@click.group(
    cls=_Names,
    short_help="Hold a tournament: players, rounds, results.",
    epilog="""\b
Examples:
  ump tournament new cup 'Winter Cup' --rounds 5 --tournaments ump-records/club.sqlite
  export UMP_TOURNAMENTS=ump-records/club.sqlite
  ump tournament add cup Mika Bob Eva        three guests, each with a code
  ump tournament add cup alice alice/akagi --user
  ump tournament add cup Robo --bot efficiency
  ump tournament plan cup; ump tournament publish cup; ump tournament start cup
  ump tournament export cup --results > results.csv

\b
Exit status: 0 if the order was carried out, 1 if it was refused, 2 for a wrong command line.""",
)
def tournament() -> None:
    """Hold a tournament. The server, if it runs, acts on each order within two seconds.

    The order of things: new, add, then for each round plan, publish and start, and at last finish. Guests sit down with
    their codes in the room ID:CODE, users and their bots in the room ID; spectators watch ID.
    """


@tournament.command(
    short_help="Make a tournament.",
    epilog="""\b
Examples:
  ump tournament new cup 'Winter Cup' --format swiss --rounds 5
  ump tournament new night 'Club night' --format fixed --rounds 4 --length tonpu --clock 3+5
  ump tournament new league 'League' --format list --rounds 12 --duplicate""",
)
@identity_argument
@click.argument("name")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="swiss", show_default=True, help="How rounds are planned."
)
@click.option("--rounds", type=int, default=4, show_default=True, help="Number of rounds.")
@click.option("--rules", default="ump", show_default=True, metavar="PRESET", help="Preset of the rules.")
@click.option("--length", default="hanchan", show_default=True, help="kyoku, tonpu or hanchan.")
@click.option(
    "--clock",
    default="5+10",
    show_default=True,
    metavar="MOVE+BANK",
    help="Seconds for each move, plus for each kyoku.",
)
@click.option("--room", help="Room of the server that all other settings come from; by default its first.")
@click.option("--duplicate", is_flag=True, help="All tables of a round play the same walls, without spectators.")
@click.option("--delay", type=click.IntRange(0, 86_400), help="Seconds after which spectators see all hands.")
@click.option(
    "--substitute", type=float, help="Result of an entrant who did not play, as in -30; by default that of the game."
)
@click.option(
    "--bye",
    type=float,
    metavar="POINTS",
    help="Result of an entrant whom a round leaves out, as in -15; by default each round needs full tables.",
)
@_with_database
def new(
    database: TournamentDatabase,
    identity: str,
    name: str,
    form: str,
    rounds: int,
    *,
    substitute: float | None,
    bye: float | None,
    delay: int | None,
    duplicate: bool,
    **play: Any,
) -> None:
    """Make the tournament ID, and print two links: that of the page, and that of its director, which is a secret."""
    from ump.server.tournaments import EventSettings, new_tournament

    settings = EventSettings(
        **play, duplicate=duplicate, delay=delay, substitute=_in_tenths(substitute), bye=_in_tenths(bye)
    )
    made, key = new_tournament(identity, name, form, rounds, settings)
    database.create(made)
    click.echo(f"page      /tournament?id={identity}\ndirector  /tournament?id={identity}#director={key}")
    click.echo(f"commitment to all walls and lots: {made.commitment}")


def _in_tenths(points: float | None) -> int | None:
    return None if points is None else round(points * 10)


@tournament.command(
    "list",
    short_help="List the tournaments.",
    epilog="""\b
Examples:
  ump tournament list""",
)
@as_json
@_with_database
def list_tournaments(database: TournamentDatabase, *, as_json: bool) -> None:
    """List all tournaments of the database."""
    found = [database.read(identity) for identity in database.revisions()]
    rows = [[each.id, each.state, each.format.value, str(len(each.entrants)), printable(each.name)] for each in found]
    lines = columns([["id", "state", "format", "entrants", "name"], *rows]) if rows else ["no tournament"]
    data = [{"id": each.id, "name": each.name, "state": each.state} for each in found]
    print_report(lines, {"tournaments": data}, as_json=as_json)


@tournament.command(
    short_help="Add entrants.",
    epilog="""\b
Examples:
  ump tournament add cup Mika Bob --team North
  ump tournament add cup alice alice/akagi --user
  ump tournament add cup Robo-1 Robo-2 --bot efficiency
  ump tournament add cup Zoe --missed -15""",
)
@identity_argument
@click.argument("names", nargs=-1, required=True)
@click.option("--user", is_flag=True, help="They are users of the server, or their bots as in alice/akagi.")
@click.option("--bot", "policy", metavar="POLICY", help="They are built-in bots with this policy.")
@click.option("--team", default="", help="Entrants of one team are kept apart.")
@click.option(
    "--missed",
    type=float,
    metavar="POINTS",
    help="Result of late entrants for each round that is published already, as in -15; by default none.",
)
@_with_database
def add(
    database: TournamentDatabase,
    identity: str,
    names: tuple[str, ...],
    *,
    user: bool,
    policy: str | None,
    team: str,
    missed: float | None,
) -> None:
    """Add entrants. For guests a code is printed, which cannot be shown again.

    Late entrants play from the next planned round on, or take a seat by 'reseat'; 'plan' makes the rest of a fixed
    schedule anew. 'withdraw' takes back an entrant who has had no seat.
    """
    from ump.server.tournaments import carry_out, new_code

    if user and policy is not None:
        raise InputError("--user and --bot exclude each other")
    kind = "user" if user else "guest" if policy is None else "bot"
    codes = {name: new_code() for name in names}
    same = {"kind": kind, "policy": policy, "team": team, "missed": _in_tenths(missed)}

    def change(found: Tournament) -> Tournament:
        for name, code in codes.items():
            found = carry_out(found, "add", {**same, "name": name, "code": code}, _now())
        return found

    database.change(identity, change)
    if kind == "guest":
        click.echo("\n".join(_code_lines(identity, codes)))


def _code_lines(identity: str, codes: dict[str, str]) -> list[str]:
    return columns(
        [
            [printable(name), f"{identity}:{code}", f"/tournament?id={identity}#code={code}"]
            for name, code in codes.items()
        ]
    )


@tournament.command(
    short_help="Give a guest another code.",
    epilog="""\b
Examples:
  ump tournament code cup Mika""",
)
@identity_argument
@click.argument("name")
@_with_database
def code(database: TournamentDatabase, identity: str, name: str) -> None:
    """Make a new code for the guest NAME, and print it. The old one is not valid any more."""
    from ump.server.tournaments import new_code

    made = new_code()
    _give(database, identity, "code", entrant=name, code=made)
    click.echo("\n".join(_code_lines(identity, {name: made})))


@tournament.command(
    short_help="Plan the next round.",
    epilog="""\b
Examples:
  ump tournament plan cup
  ump tournament plan league --seating round3.csv""",
)
@identity_argument
@click.option(
    "--seating",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="CSV with a row for each table: players by seat.",
)
@_with_database
def plan(database: TournamentDatabase, identity: str, seating: Path | None) -> None:
    """Plan the next round, or plan it anew; a fixed schedule at once. Nobody else sees it before it is published."""
    from ump.server.tournaments import read_seating

    rows = None
    if seating is not None:
        if seating.stat().st_size > LONGEST_FILE:
            raise InputError(f"{seating} has more than {LONGEST_FILE} bytes")
        rows = read_seating(seating.read_text("utf-8-sig"))
    planned = _give(database, identity, "plan", seating=rows)
    for number in range(len(planned.published) + 1, len(planned.rounds) + 1):
        click.echo("\n".join(_round_lines(planned, number)))


def _round_lines(found: Tournament, number: int) -> list[str]:
    """Return the seating of a round, a line for each table."""
    from ump.server.tournaments import WINDS

    winds = list(WINDS[: found.play.seats])
    rows = [
        [str(table.number), table.state.value, *(printable(found.entrant(each).name) for each in table.seats)]
        for table in found.rounds[number - 1].tables
    ]
    return [f"round {number}:", *columns([["table", "state", *winds], *rows])]


@tournament.command(
    short_help="Show the seating of the planned round.",
    epilog="""\b
Examples:
  ump tournament publish cup""",
)
@identity_argument
@_with_database
def publish(database: TournamentDatabase, identity: str) -> None:
    """Show the seating of the next planned round to all. It cannot be planned anew then."""
    found = _give(database, identity, "publish")
    click.echo("\n".join(_round_lines(found, len(found.published))))


@tournament.command(
    short_help="Start a round or a table, or let it go on.",
    epilog="""\b
Examples:
  ump tournament start cup
  ump tournament start cup --table 3 --bots""",
)
@identity_argument
@round_option
@table_option
@click.option("--bots", is_flag=True, help="Do not wait: built-in bots play for those who are not there.")
@_with_database
def start(database: TournamentDatabase, identity: str, number: int | None, table: int | None, *, bots: bool) -> None:
    """Let the games of a round begin, each when its players are there. Paused games go on."""
    _give(database, identity, "start", **_where(number, table), bots=bots)


def _where(number: int | None, table: int | None) -> dict[str, int]:
    return {name: found for name, found in (("round", number), ("table", table)) if found is not None}


@tournament.command(
    short_help="Pause a round or a table.",
    epilog="""\b
Examples:
  ump tournament pause cup
  ump tournament pause cup --table 3""",
)
@identity_argument
@round_option
@table_option
@_with_database
def pause(database: TournamentDatabase, identity: str, number: int | None, table: int | None) -> None:
    """Let games wait after their current kyoku, until 'start'."""
    _give(database, identity, "pause", **_where(number, table))


@tournament.command(
    "time",
    short_help="Give the players of a table more time.",
    epilog="""\b
Examples:
  ump tournament time cup 3 60
  ump tournament time cup 3 0                takes it back""",
)
@identity_argument
@click.argument("table", type=int)
@click.argument("seconds", type=int)
@round_option
@_with_database
def more_time(database: TournamentDatabase, identity: str, table: int, seconds: int, number: int | None) -> None:
    """Let each player at TABLE have SECONDS more in each hand of this game, also in the running hand.

    The journal of the game notes it; a game that is played again has the time of the clock.
    """
    _give(database, identity, "time", **_where(number, table), seconds=seconds)


@tournament.command(
    short_help="Give a table other seats.",
    epilog="""\b
Examples:
  ump tournament reseat cup 3 Mika Bob Eva Robo --reason 'Mika and Bob sat in each other's seats'""",
)
@identity_argument
@click.argument("table", type=int)
@click.argument("seats", nargs=-1, required=True)
@click.option("--reason", required=True, help="Why, for the page.")
@round_option
@_with_database
def reseat(
    database: TournamentDatabase, identity: str, table: int, seats: tuple[str, ...], reason: str, number: int | None
) -> None:
    """Seat the entrants SEATS at TABLE, the first dealer first. A game that has begun is played again after 'start'.

    The usual rule: before the first discard. An entrant from another table, or with a bye, changes places with one who
    leaves this table. The same order with the seats from before takes it back.
    """
    found = _give(database, identity, "reseat", **_where(number, table), seats=seats, reason=reason)
    click.echo("\n".join(_round_lines(found, number or len(found.published))))


@tournament.command(
    short_help="Let a game not count, and be played again.",
    epilog="""\b
Examples:
  ump tournament void cup 3 --reason 'the server was away'
  ump tournament void cup 3 --revoke 1""",
)
@identity_argument
@click.argument("table", type=int)
@click.option("--reason", help="Why, for the page.")
@click.option("--revoke", type=int, metavar="GAME", help="Let this game of the table, as in 1, count again.")
@round_option
@_with_database
def void(
    database: TournamentDatabase,
    identity: str,
    table: int,
    reason: str | None,
    revoke: int | None,
    number: int | None,
) -> None:
    """Let the game at TABLE not count: it is played again, with other walls, after 'start'. Its record stays.

    A game with a result can count again, as long as the next one has not begun.
    """
    if (reason is None) == (revoke is None):
        raise InputError("give either --reason or --revoke")
    _give(database, identity, "void", **_where(number, table), reason=reason, revoke=revoke)


def _numbers(_context: click.Context, _parameter: click.Parameter, text: str | None) -> list[float] | None:
    """Return the numbers of an option such as 40000,30000,20000,10000."""
    if text is None:
        return None
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise click.BadParameter("expected a number for each seat, as in 40000,30000,20000,10000") from None


@tournament.command(
    short_help="Correct the result of a table.",
    epilog="""\b
Examples:
  ump tournament correct cup 3 --points 41000,29000,20000,10000 --reason 'a chombo was overlooked'
  ump tournament correct cup 3 --revoke""",
)
@identity_argument
@click.argument("table", type=int)
@click.option("--points", callback=_numbers, metavar="P,P,P,P", help="Points at the end, by seat.")
@click.option(
    "--results",
    callback=_numbers,
    metavar="R,R,R,R",
    help="Results by seat, as in 51,9,-10,-50; by default as the preset of the rules counts the points.",
)
@click.option("--reason", help="Why, for the page.")
@click.option("--revoke", is_flag=True, help="Let the result of the game count again.")
@round_option
@_with_database
def correct(
    database: TournamentDatabase,
    identity: str,
    table: int,
    *,
    points: list[float] | None,
    results: list[float] | None,
    reason: str | None,
    revoke: bool,
    number: int | None,
) -> None:
    """Let other points be the result of TABLE, whose game is over, or has not begun and was played elsewhere."""
    if revoke == (points is not None and reason is not None):
        raise InputError("give either --points and --reason, or --revoke")
    given: dict[str, object] = {"reason": reason, "revoke": revoke}
    if points is not None:
        given["points"] = [round(each) for each in points]
    if results is not None:
        given["results"] = [_in_tenths(each) for each in results]
    _give(database, identity, "correct", **_where(number, table), **given)


@tournament.command(
    short_help="Let somebody else play for an entrant.",
    epilog="""\b
Examples:
  ump tournament substitute cup Mika
  ump tournament substitute cup Mika --by Eva
  ump tournament substitute cup Mika --by Mika    takes it back""",
)
@identity_argument
@click.argument("name")
@click.option("--by", help="An entrant who does not play in this round; by default a built-in bot.")
@round_option
@_with_database
def substitute(database: TournamentDatabase, identity: str, name: str, by: str | None, number: int | None) -> None:
    """Let a built-in bot or another entrant play for NAME in the last published round."""
    _give(database, identity, "substitute", **_where(number, None), entrant=name, by=by)


@tournament.command(
    short_help="Take points off an entrant's total.",
    epilog="""\b
Examples:
  ump tournament penalty cup Mika 20 'late for round 2'
  ump tournament penalty cup --revoke 1""",
)
@identity_argument
@click.argument("name", required=False)
@click.argument("points", type=float, required=False)
@click.argument("reason", required=False)
@click.option("--revoke", type=int, metavar="NUMBER", help="Take back the penalty of this number.")
@_with_database
def penalty(
    database: TournamentDatabase,
    identity: str,
    name: str | None,
    points: float | None,
    reason: str | None,
    revoke: int | None,
) -> None:
    """Take POINTS, as in 20 or 7.5, off the total of NAME for a REASON. Seating and standings follow it."""
    if revoke is None and (name is None or points is None or reason is None):
        raise InputError("give NAME POINTS REASON, or --revoke NUMBER")
    tenths = _in_tenths(points)
    found = _give(database, identity, "penalty", entrant=name, tenths=tenths, reason=reason, revoke=revoke)
    click.echo(f"penalty {revoke or len(found.penalties)}{' is revoked' if revoke else ''}")


@tournament.command(
    short_help="Let an entrant leave.",
    epilog="""\b
Examples:
  ump tournament withdraw cup Mika""",
)
@identity_argument
@click.argument("name")
@_with_database
def withdraw(database: TournamentDatabase, identity: str, name: str) -> None:
    """Let NAME leave. Results stay; built-in bots play where NAME has a seat already."""
    _give(database, identity, "withdraw", entrant=name)


@tournament.command(
    short_help="Let an entrant come back.",
    epilog="""\b
Examples:
  ump tournament readmit cup Mika""",
)
@identity_argument
@click.argument("name")
@_with_database
def readmit(database: TournamentDatabase, identity: str, name: str) -> None:
    """Let NAME, who has withdrawn, come back: to own tables that have not begun, and to the next rounds."""
    _give(database, identity, "readmit", entrant=name)


@tournament.command(
    short_help="End the tournament, and show its secret.",
    epilog="""\b
Examples:
  ump tournament finish cup""",
)
@identity_argument
@_with_database
def finish(database: TournamentDatabase, identity: str) -> None:
    """End the tournament: its page shows the secret of all walls and lots. No order changes it any more."""
    found = _give(database, identity, "finish")
    click.echo(f"secret: {found.secret}")


@tournament.command(
    short_help="List the orders so far.",
    epilog="""\b
Examples:
  ump tournament log cup
  ump tournament log cup --json""",
)
@identity_argument
@as_json
@_with_database
def log(database: TournamentDatabase, identity: str, *, as_json: bool) -> None:
    """List the orders of the tournament's directors, by this command or on the page, the oldest first."""
    found = database.read(identity).log
    lines = columns([[str(order.number), order.at, printable(order.text)] for order in found], right={0})
    print_report(lines, {"log": [asdict(order) for order in found]}, as_json=as_json)


@tournament.command(
    short_help="Show the standings.",
    epilog="""\b
Examples:
  ump tournament standings cup
  ump tournament standings cup --json""",
)
@identity_argument
@as_json
@_with_database
def standings(database: TournamentDatabase, identity: str, *, as_json: bool) -> None:
    """Show the standings, and the tables of the newest round."""
    from ump.server.tournaments import standing_rows

    found = database.read(identity)
    rows = standing_rows(found)
    table = [
        [
            str(row["place"] or "-"),
            printable(row["name"]),
            f"{row['total']:+.1f}",
            str(row["games"]),
            str(row["place_1"]),
            str(row["place_2"]),
        ]
        for row in rows
    ]
    lines = columns([["", "name", "total", "games", "1st", "2nd"], *table], right={0, 2, 3, 4, 5})
    if found.rounds:
        lines += ["", *_round_lines(found, max(1, len(found.published)))]
    print_report(lines, {"standings": rows}, as_json=as_json)


@tournament.command(
    short_help="Write standings or results as CSV or JSON.",
    epilog="""\b
Examples:
  ump tournament export cup > standings.csv
  ump tournament export cup --results > results.csv
  ump tournament export cup --json > cup.json""",
)
@identity_argument
@click.option("--results", is_flag=True, help="A row for each seat of each game, instead of the standings.")
@click.option("--json", "is_json", is_flag=True, help="The whole tournament as JSON.")
@_with_database
def export(database: TournamentDatabase, identity: str, *, results: bool, is_json: bool) -> None:
    """Write the standings as CSV. A text that a spreadsheet would take for a formula stands behind an apostrophe."""
    from ump.server.tournaments import as_csv, result_rows, standing_rows, tournament_data

    found = database.read(identity)
    if is_json:
        click.echo(json.dumps(tournament_data(found), ensure_ascii=False, indent=2))
    else:
        click.echo(as_csv(result_rows(found) if results else standing_rows(found)), nl=False)
