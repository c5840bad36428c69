"""The command ``ump drill``: practice in the terminal, and files of drills from records."""

from __future__ import annotations

import itertools
import json
import random
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from ump.cli.command_line import InputError, clear_progress
from ump.cli.convert import jobs_option, paths_argument, take_all
from ump.drills.drill import Drill, DrillError, DrillKind
from ump.drills.drill_file import read_drills, selected, shipped_drills, write_drills
from ump.drills.hands import suit_drills
from ump.drills.rating import DRILL_DEVIATION, NEWCOMER, DrillRating, rated
from ump.drills.source import drills_of
from ump.drills.text import answer_lines, question_lines, rating_line, read_answer
from ump.model.installation import state_folder
from ump.model.value import value
from ump.record.decisions import games_of
from ump.record.record_files import RecordSource
from ump.record.recorded_game import RecordError

EASIER = 150.0
"""The distance of drills below the learner's rating: some 70 % of the answers are right there."""

NEAREST = 40
"""The drills nearest to that, of which one is chosen by chance."""

MOST_KEPT = 20_000
"""The answered drills that are remembered."""

QUIT = "q"


@click.group(
    invoke_without_command=True,
    short_help="Practise: discards, waits, points, safe tiles, calls.",
    epilog="""\b
Examples:
  ump drill                                  all kinds in turns
  ump drill --kind waits --count 20
  ump drill --kind points --kind furiten
  ump review game.mjson --seat B --drills mine.drills && ump drill --from mine.drills
  ump drill make ump-records/ --out more.drills""",
)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice([kind.value for kind in DrillKind]),
    multiple=True,
    help="What to practise; repeatable. By default everything.",
)
@click.option("--count", type=click.IntRange(1), metavar="N", help="End after so many questions.")
@click.option(
    "--from",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Drills of this file, not those of the installation.",
)
@click.pass_context
def drill(context: click.Context, kinds: tuple[str, ...], count: int | None, file: Path | None) -> None:
    """Practise: questions whose answers the engine knows, near to your strength.

    Your rating for each kind is kept in ~/.local/state/ump. Only the first answer to a question counts. q ends.
    """
    if context.invoked_subcommand is not None:
        return
    book = Book(state_folder() / "drills.json")
    wanted = [DrillKind(kind) for kind in kinds] or list(DrillKind)
    asked = 0
    try:
        for chosen in _chosen(_drills(file), wanted, book):
            if asked == count or not _ask(chosen, book):
                break
            asked += 1
        else:
            click.echo("No drill is left that you have not answered.")
    finally:
        book.write()
    click.echo(book.summary())


def _drills(file: Path | None) -> Sequence[Drill]:
    if file is None:
        return shipped_drills()
    try:
        drills = read_drills(file.read_bytes())
    except DrillError as error:
        raise InputError(f"{file}: {error}") from None
    if not drills:
        raise InputError(f"{file}: no drills in this file")
    return drills


def _chosen(drills: Sequence[Drill], kinds: Sequence[DrillKind], book: Book) -> Iterable[Drill]:
    """Yield drills of these kinds in turns, near to the learner's strength, each of them once."""
    left = {kind: [each for each in drills if each.kind is kind and each.id not in book.answered] for kind in kinds}
    chance = random.Random()
    for kind in itertools.cycle(kinds):
        if not any(left.values()):
            return
        if left[kind]:
            aim = book.rating(kind).rating - EASIER
            left[kind].sort(key=lambda each: abs(each.rating - aim))
            yield left[kind].pop(chance.randrange(min(NEAREST, len(left[kind]))))


def _ask(chosen: Drill, book: Book) -> bool:
    """Ask one question; return False if the learner ends."""
    click.echo("\n".join(["", *question_lines(chosen)]))
    while True:
        typed = _typed()
        if typed is None:
            return False
        try:
            answer = read_answer(chosen, typed)
            is_right = chosen.is_right(answer)
        except DrillError as error:
            click.echo(str(error))
            continue
        book.note(chosen, is_right=is_right)
        click.echo("\n".join(answer_lines(chosen, answer)))
        return True


def _typed() -> str | None:
    """Return a line that the learner types; None for the end."""
    try:
        line: str = click.prompt("", prompt_suffix="> ", default="", show_default=False)
    except click.Abort as error:
        if isinstance(error.__context__, EOFError):
            return None
        raise
    return None if line.strip().lower() == QUIT else line


class Book:
    """The ratings of a learner, and the drills that are answered, in a file."""

    def __init__(self, file: Path) -> None:
        """Read the file; one that is missing or damaged is begun anew."""
        self._file = file
        self._ratings: dict[DrillKind, DrillRating] = {}
        self.answered: dict[str, None] = {}
        """The ids of the drills that are answered, the last one at the end."""
        self._asked: dict[DrillKind, int] = {}
        self._right = 0
        try:
            kept = json.loads(file.read_text("utf-8"))
            self.answered = dict.fromkeys(map(str, kept["answered"]))
            for name, numbers in kept["ratings"].items():
                self._ratings[DrillKind(name)] = DrillRating(*map(float, numbers))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return

    def rating(self, kind: DrillKind) -> DrillRating:
        """Return the rating in a kind."""
        return self._ratings.get(kind, NEWCOMER)

    def note(self, answered: Drill, *, is_right: bool) -> None:
        """Count an answer."""
        kind = answered.kind
        drill = DrillRating(answered.rating, DRILL_DEVIATION)
        self._ratings[kind], _ = rated(self.rating(kind), drill, is_right=is_right)
        self.answered[answered.id] = None
        self._asked[kind] = self._asked.get(kind, 0) + 1
        self._right += is_right

    def write(self) -> None:
        """Keep everything in the file, if it can be written."""
        ratings = {kind.value: [each.rating, each.deviation, each.volatility] for kind, each in self._ratings.items()}
        text = json.dumps({"ratings": ratings, "answered": list(self.answered)[-MOST_KEPT:]})
        unfinished = self._file.with_suffix(".new")
        try:
            self._file.parent.mkdir(0o700, parents=True, exist_ok=True)
            unfinished.write_text(text, "utf-8")
            unfinished.replace(self._file)
        except OSError as error:
            click.echo(f"your ratings are not kept: {error}", err=True)

    def summary(self) -> str:
        """Return what was answered now, and the ratings of these kinds."""
        asked = sum(self._asked.values())
        if not asked:
            return ""
        ratings = [(kind, self._ratings[kind].rating, self._ratings[kind].deviation) for kind in self._asked]
        return f"{self._right} of {asked} right. Your ratings: {rating_line(ratings)}"


# Files


@drill.command(
    short_help="Make drills from records.",
    epilog="""\b
Examples:
  ump drill make ump-records/ --out my.drills
  ump arena run hard --games 40 --out games/ && ump drill make games/ --out bots.drills

\b
Exit status: 0 if every record was used, 1 if one was not, 2 for a wrong command line or without any drill,
130 after Ctrl-C.""",
)
@paths_argument
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="The file to write.")
@click.option("--most", type=click.IntRange(1), default=2_000, show_default=True, metavar="N", help="Drills of a kind.")
@click.option("--seed", default="drills", show_default=True, metavar="TEXT", help="Decides which drills are chosen.")
@jobs_option
def make(paths: tuple[Path, ...], out: Path, most: int, seed: str, jobs: int | None) -> None:
    """Make drills from records of any format: hands and positions at which the right answer is clear.

    A hanchan gives some two hundred, in two seconds of a core. Questions for the waits of one suit come from walls of
    chance. Games of three players give none.
    """
    made: list[Drill] = []
    problems = 0

    def add(found: Made) -> None:
        """Take the drills of a record."""
        nonlocal problems
        made.extend(found.drills)
        if found.problem:
            problems += 1
            clear_progress()
            click.echo(found.problem, err=True)

    take_all(drills_of_source, paths, jobs, add, lambda: f"{len(made)} drills")
    if not made:
        raise InputError("no drill in these records")
    made += itertools.islice(suit_drills(random.Random(seed)), most // 2)
    chosen = selected(made, most, seed)
    out.write_bytes(write_drills(chosen))
    for kind in DrillKind:
        number = sum(each.kind is kind for each in chosen)
        if number:
            click.echo(f"{kind.value:8} {number}")
    sys.exit(1 if problems else 0)


@value
class Made:
    """The drills of a record, and why there are no more."""

    drills: tuple[Drill, ...]
    problem: str = ""


def drills_of_source(source: RecordSource) -> Made:
    """Return the drills of the games in a record."""
    try:
        games = games_of(source)
        return Made(tuple(each for game in games for each in drills_of(game)))
    except RecordError as error:
        return Made((), f"{source.name}: {error}")
