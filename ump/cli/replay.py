"""The command ``ump replay``: step through a recorded game at a terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from ump.cli.command_line import InputError, RecordPath, language_option, textual_needed, tiles_option
from ump.cli.convert import from_option, rules_option
from ump.model.seats import LETTERS
from ump.record.decisions import games_of
from ump.record.record_files import records_in
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.text import KyokuName, chosen_kyoku
from ump.record.verify import Assumptions
from ump.rules.ruleset import Ruleset

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
@from_option
@rules_option
def replay(
    path: Path,
    number: int,
    kyoku: str | None,
    seat: str,
    hide: bool,
    tiles: str | None,
    language: str | None,
    source: str | None,
    rules: Ruleset | None,
) -> None:
    """Step through a recorded game at a terminal, with all hands, their waits, and what the seats could do.

    RECORD is a file of any format that 'ump convert --help' lists, plain or gzip, or an archive of such files. Press ?
    for the keys.
    """
    with textual_needed("ump show prints a record without it"):
        from ump.terminal.canvas import look_for
        from ump.terminal.replay_app import ReplayApp
        from ump.terminal.replayed import ReplayedGame
    try:
        game = chosen_game(path, number, Assumptions(source, rules))
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
