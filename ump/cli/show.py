"""The commands ``ump show`` and ``ump replay``: a recorded game in the terminal, to read or to step through."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from ump.cli.command_line import InputError, RecordPath, language_option, options_of, textual_needed, tiles_option
from ump.cli.convert import STDIN
from ump.model.seats import LETTERS
from ump.record.decisions import games_of
from ump.record.record_files import RecordSource, records_in, records_of_stream
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.text import KyokuName, chosen_kyoku, game_lines
from ump.record.verify import Assumptions
from ump.text.layout import TextStyle, printable
from ump.text.win import LANGUAGES


@click.command(
    short_help="Print a recorded game to read.",
    epilog="""\b
Examples:
  ump show game.journal.gz
  ump show game.journal.gz --kyoku E3.1
  ump show 2022010115gm-00a9-0000-eb81f1a4.xml --seat B
  ump convert game.journal.gz --to mjai --seat C | ump show -
  ump show game.journal.gz | less

\b
Exit status: 0 if the game was printed, 2 if it is unreadable or has no such kyoku or seat.""",
)
@click.argument("path", type=RecordPath(), metavar="RECORD")
@click.option("--kyoku", metavar="KYOKU", help="Print only this one: E3, or E3.1 with its honba.")
@click.option("--seat", type=click.Choice(LETTERS[:4]), help="Print what this seat saw; the first dealer is A.")
@options_of(Assumptions, "assumptions", without=["length"])
@click.option(
    "--lang", type=click.Choice(LANGUAGES), default="romaji", show_default=True, help="Language of yaku and limits."
)
@click.option("--no-color", is_flag=True, help="Print no colours; NO_COLOR does the same, and so does a pipe.")
def show(
    path: Path,
    kyoku: str | None,
    seat: str | None,
    assumptions: Assumptions,
    lang: str,
    no_color: bool,
) -> None:
    """Print a recorded game to read in the terminal.

    RECORD is a file of any format that 'ump convert --help' lists, plain or gzip, an archive of such files, or - for
    standard input. Each kyoku begins with the hands; then each line is a turn: the tile drawn, calls, and the
    discard. A dot after a discard means that it was the tile just drawn. Results have the yaku and the payments.
    """
    reader = None if seat is None else LETTERS.index(seat)
    is_coloured = sys.stdout.isatty() and not no_color and not os.environ.get("NO_COLOR")
    style = TextStyle(lang, is_coloured=is_coloured)
    try:
        chosen = None if kyoku is None else KyokuName.parse(kyoku)
    except RecordError as error:
        raise InputError(f"--kyoku: {error}") from None
    for each in _sources(path):
        try:
            for game in games_of(each, assumptions):
                click.echo("\n".join(game_lines(game, reader, chosen, style)), color=is_coloured)
        except RecordError as error:
            raise InputError(f"{each.name}: {error}") from None


def _sources(path: Path) -> Iterator[RecordSource]:
    """Yield the records to print; name each one of an archive in a line of its own."""
    sources = records_of_stream(sys.stdin.buffer) if path == STDIN else records_in(path, is_given=True)
    for number, source in enumerate(sources):
        if source.data is not None and source.name != str(path):
            if number:
                click.echo()
            click.echo(f"{printable(source.name)}:")
        yield source


# ump replay

game_option = click.option(
    "--game", "number", type=click.IntRange(1), default=1, show_default=True, help="Which game of the record."
)


@click.command(
    short_help="Step through a recorded game at a terminal.",
    epilog="""\b
Examples:
  ump replay game.journal.gz
  ump replay game.journal.gz --kyoku E3.1 --seat B
  ump replay 2022010115gm-00a9-0000-eb81f1a4.xml --hide
  ump replay games.zip --game 3

\b
Exit status: 0 after you left, 2 if the record is unreadable or has no such game, kyoku or seat.""",
)
@click.argument("path", type=RecordPath(allow_dash=False), metavar="RECORD")
@game_option
@click.option("--kyoku", metavar="KYOKU", help="Begin with this one: E3, or E3.1 with its honba.")
@click.option("--seat", type=click.Choice(LETTERS[:4]), default="A", show_default=True, help="Look from this seat.")
@click.option("--hide", is_flag=True, help="Hide the hands of the other seats; H shows them.")
@tiles_option
@language_option
@options_of(Assumptions, "assumptions", without=["length"])
def replay(
    path: Path,
    number: int,
    kyoku: str | None,
    seat: str,
    hide: bool,
    tiles: str | None,
    language: str | None,
    assumptions: Assumptions,
) -> None:
    """Step through a recorded game at a terminal, with all hands, their waits, and what the seats could do.

    RECORD is a file of any format that 'ump convert --help' lists, plain or gzip, or an archive of such files. Press ?
    for the keys.
    """
    with textual_needed("ump show prints a record without it"):
        from ump.terminal.canvas import look_for
        from ump.terminal.replay_app import ReplayApp, ReplayedGame
    try:
        game = chosen_game(path, number, assumptions)
        first = 0 if kyoku is None else game.kyoku.index(chosen_kyoku(game, KyokuName.parse(kyoku))[0])
    except RecordError as error:
        raise InputError(f"{path}: {error}") from None
    viewer = LETTERS.index(seat)
    if viewer >= len(game.names):
        raise InputError(f"--seat: no seat {seat} in a game of {len(game.names)}")
    look = look_for(os.environ, sys.stdout.encoding, tiles, language)
    replayed = ReplayedGame(game)
    sys.exit(ReplayApp(replayed, replayed.place(first), viewer, look, are_open=not hide).run())


def chosen_game(path: Path, number: int, assumptions: Assumptions) -> RecordedGame:
    """Return the game of this number; raises RecordError."""
    left = number
    for each in records_in(path, is_given=True):
        games = games_of(each, assumptions)
        if left <= len(games):
            if not games[left - 1].kyoku:
                raise RecordError("the game has no kyoku")
            return games[left - 1]
        left -= len(games)
    raise RecordError(f"no game {number}; the record has {number - left}")
