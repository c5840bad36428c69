"""``ump stats --profile``: what costs one player most over many games."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from ump.cli.command_line import InputError, clear_progress, print_report, show_progress
from ump.cli.convert import sources_in
from ump.record.conversion_process import profile_target
from ump.record.decisions import games_of
from ump.record.profile import SEATS, GameProfile, profile_data, profile_of, read_profile
from ump.record.profile_report import findings_data, profile_lines
from ump.record.record_files import RecordSource, results
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.verify import NO_ASSUMPTIONS, Assumptions
from ump.wire.json_text import write


def print_profile(
    paths: Sequence[Path], player: str, assumptions: Assumptions, jobs: int | None, *, as_json: bool
) -> None:
    """Review the games of a player that have not been reviewed yet, and print its profile; raise InputError."""
    sources = list(sources_in(paths, lambda: "looking for records"))
    work = partial(_profiles, player=player, assumptions=assumptions)
    found: list[GameProfile] = []
    problems: list[str] = []
    try:
        for number, each in enumerate(results(work, sources, jobs or os.cpu_count() or 1, batch=1), 1):
            show_progress(f"record {number} of {len(sources)}: {len(found)} games reviewed", number, len(sources))
            if isinstance(each, str):
                problems.append(each)
            else:
                found += each
    finally:
        clear_progress()
    for problem in problems:
        click.echo(problem, err=True)
    if not found:
        raise InputError(f"no games of four players with {player} in {', '.join(map(str, paths))}")
    print_report(profile_lines(player, found), {"player": player, **findings_data(found)}, as_json=as_json)


def _profiles(source: RecordSource, player: str, assumptions: Assumptions) -> list[GameProfile] | str:
    """Return the profile of each game of a player in a record, or why there is none; a worker process calls it."""
    try:
        games = games_of(source, assumptions)
        is_kept = len(games) == 1 and assumptions == NO_ASSUMPTIONS
        found = []
        for game in games:
            for seat, name in enumerate(game.names):
                if name == player and len(game.names) == SEATS:
                    found.append(_kept(source, game, seat) if is_kept else profile_of(game, seat))
    except RecordError as error:
        return f"{source.name}: {error}"
    return found


def _kept(source: RecordSource, game: RecordedGame, seat: int) -> GameProfile:
    """Return the profile of a seat, which is kept beside the record as a server keeps it."""
    from ump.server.jobs import RESULTS, ResultFolder, game_job  # takes a while to load

    path = Path(source.name)
    job = game_job(path, profile_target(seat)) if path.is_file() else None
    if job is None:
        return profile_of(game, seat)
    folder = ResultFolder(path.parent / RESULTS)
    packed = folder.read(job)
    if packed is not None:
        return read_profile(json.loads(gzip.decompress(packed)))
    made = profile_of(game, seat)
    folder.write(job, gzip.compress(write(profile_data(made)).encode(), mtime=0))
    return made
