"""The command ``ump review``: which moves of a recorded game were mistakes, and why."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import click

from ump.arena.block_play import policy_factory
from ump.cli.block_run import check_kinds, read_programs, write_page
from ump.cli.command_line import InputError, as_json, clear_progress, options_of, print_report, show_progress
from ump.cli.show import chosen_game, game_option
from ump.drills.drill_file import write_drills
from ump.drills.mistakes import LEAST_LOSS, mistakes_of
from ump.model.choices import unknown
from ump.model.seats import LETTERS, Seat
from ump.record.decisions import decisions
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.review import Reviewed, review_seat
from ump.record.review_report import WORST, Review, review_data, review_lines, review_page
from ump.record.reviewers import PolicyReviewer, RecordedReviewer, Reviewer, ReviewError
from ump.record.verify import Assumptions
from ump.server.program_arena import ChildProgram, Program

DEFAULT_REVIEWER = "expert"

RECORDED = "recorded"
"""The reviewer whose values are in the record."""

_STEP = 10
"""The decisions between two changes of the progress."""


@click.command(
    short_help="Find the mistakes in a recorded game.",
    epilog="""\b
Examples:
  ump review game.journal.gz --seat B
  ump review 2022010115gm-00a9-0000-eb81f1a4.xml --name Aki --html review.html
  ump review game.mjson --by expert --by my_bot:Policy
  ump review game.mjson --seat A --by "mjai-lines:env MORTAL_REVIEW_MODE=1 python mortal.py {seat}"
  ump review game.mjson --json > review.json
  ump review game.mjson --seat B --drills mine.drills && ump drill --from mine.drills

\b
Exit status: 0 if the game was reviewed, 1 if a reviewer failed, 2 for a wrong command line or an unreadable record,
130 after Ctrl-C.""",
)
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="RECORD")
@game_option
@click.option("--seat", type=click.Choice(LETTERS[:4]), help="Review this seat alone; the first dealer is A.")
@click.option("--name", metavar="NAME", help="Review the player of this name alone.")
@click.option(
    "--by",
    "kinds",
    multiple=True,
    default=(DEFAULT_REVIEWER,),
    show_default=True,
    metavar="POLICY",
    help="Who reviews: a built-in player, MODULE:CLASS, mjai:COMMAND or mjai-lines:COMMAND, or 'recorded': the values "
    "that bots have written into an mjai log; repeatable.",
)
@click.option("--worst", type=click.IntRange(0), default=WORST, show_default=True, help="How many bad moves to list.")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    help="For an mjai bot's answer.",
)
@options_of(Assumptions, "assumptions", without=["length"])
@as_json
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write the replay with the review to this file."
)
@click.option(
    "--drills",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the worst mistakes of each seat to this file, for 'ump drill --from'.",
)
def review(
    path: Path,
    number: int,
    seat: str | None,
    name: str | None,
    kinds: tuple[str, ...],
    worst: int,
    seconds: float,
    assumptions: Assumptions,
    as_json: bool,
    html: Path | None,
    drills: Path | None,
) -> None:
    """Find the mistakes in a recorded game: what reviewers would have done at each decision, what it cost, and why.

    RECORD is a file of any format that 'ump convert --help' lists, plain or gzip, or an archive of such files. Each
    move has its address in the replay page, as E3.1:17. docs/play.md explains the figures.
    """
    programs = read_programs(kinds)
    for kind, program in programs.items():
        if not isinstance(program, ChildProgram):
            raise InputError(f"--by: {kind}: a reviewer speaks over its standard streams: mjai:COMMAND")
    check_kinds(kind for kind in kinds if kind not in programs and kind != RECORDED)
    try:
        game = chosen_game(path, number, assumptions)
        seats = _seats(game, seat, name)
        totals = {each: sum(decision.is_free for decision in decisions(game, (each,))) for each in seats}
        found, reviewers = _review(game, totals, kinds, programs, seconds)
    except RecordError as error:
        raise InputError(f"{path}: {error}") from None
    except ReviewError as error:
        raise click.ClickException(str(error)) from None
    finally:
        clear_progress()
    done = Review(path.name, hashlib.sha256(path.read_bytes()).hexdigest(), game, reviewers, found)
    if html is not None:
        write_page(html, review_page(done))
    if drills is not None:
        _write_drills(drills, game, seats)
    print_report(review_lines(done, worst), review_data(done), as_json=as_json)


def _write_drills(file: Path, game: RecordedGame, seats: Sequence[Seat]) -> None:
    """Write the mistakes of these seats; nothing, and say so, if there are none."""
    mistakes = [each for seat in seats for each in mistakes_of(game, seat)]
    if mistakes:
        file.write_bytes(write_drills(mistakes))
    else:
        click.echo(f"--drills: no mistake of {LEAST_LOSS:.0f} points or more; {file} is not written", err=True)


def _seats(game: RecordedGame, letter: str | None, name: str | None) -> list[Seat]:
    """Return the seats to review, all without an option; raises InputError."""
    seats = list(range(len(game.names)))
    if letter is not None:
        if LETTERS.index(letter) not in seats:
            raise InputError(f"--seat: no seat {letter} in a game of {len(seats)}")
        seats = [LETTERS.index(letter)]
    if name is not None:
        if name not in game.names:
            raise InputError(f"--name: {unknown('player', name, game.names)}")
        seats = [seat for seat in seats if game.names[seat] == name]
        if not seats:
            raise InputError(f"--name: {name} does not sit in seat {letter}")
    return seats


def _review(
    game: RecordedGame,
    totals: Mapping[Seat, int],
    kinds: Sequence[str],
    programs: Mapping[str, Program],
    seconds: float,
) -> tuple[dict[Seat, Sequence[Reviewed]], tuple[Reviewer, ...]]:
    """Return the decisions of each seat, and the reviewers; raises ReviewError and RecordError."""
    done, total = 0, sum(totals.values())
    found: dict[Seat, Sequence[Reviewed]] = {}
    reviewers: tuple[Reviewer, ...] = ()
    for seat in totals:
        with ExitStack() as stack:
            reviewers = tuple(_reviewers(game, kinds, programs, seat, seconds, stack))
            listed = []
            for each in review_seat(game, seat, reviewers):
                listed.append(each)
                done += 1
                if done % _STEP == 0:
                    show_progress(f"decision {done} of {total}", done, total)
            found[seat] = listed
    return found, reviewers


def _reviewers(
    game: RecordedGame,
    kinds: Sequence[str],
    programs: Mapping[str, Program],
    seat: Seat,
    seconds: float,
    stack: ExitStack,
) -> Iterator[Reviewer]:
    """Yield the reviewers of one seat; the stack ends their programs."""
    for kind in dict.fromkeys(kinds):
        program = programs.get(kind)
        if isinstance(program, ChildProgram):
            from ump.bots.mjai_reviewer import MjaiReviewer  # takes a while to load, and needs Twisted

            yield stack.enter_context(closing(MjaiReviewer(kind, program.command, seat, seconds)))
        elif kind == RECORDED:
            yield RecordedReviewer(kind, game, seat)
        else:
            policy: Any = policy_factory(kind)(f"review/{seat}")
            yield PolicyReviewer(kind, policy)
