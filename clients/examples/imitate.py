"""Write a data set of what a teacher would do in games among several players, for ``learn.py``.

    pip install 'ump-mahjong[rl,tables]'
    python imitate.py data-1 --seed 1 --games 200                           # among experts and others
    python imitate.py data-2 expert learn:Learnt --seed 2 --games 200       # where the network gets to, too
    python learn.py data-1 data-2

The players of each game are drawn from the list, and decide what happens. The teacher, ``expert``, is asked at each
free decision, and its answer is written: so a network also learns what to do after mistakes that the teacher does not
make. A thousand games have 600,000 decisions. Start one program for each core, with seeds of their own.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import click

from ump.arena.block_play import ContestantError, policy_factory
from ump.env.action_ids import action_id
from ump.env.dataset import DatasetError, Decisions, KeptDecisions, Shards
from ump.env.episode import Episode, task
from ump.model.actions import Action
from ump.record.journal import write_action
from ump.rules.questions import Question

TEACHER = "expert"
PLAYERS = ("expert", "expert", "expert", "expert", "defensive", "efficiency")
SHARD = 200_000  # decisions of a file
WALLS = 1_000_000  # numbers of walls for each seed


def labelled_game(episode: Episode, name: str, kinds: tuple[str, ...]) -> Decisions:
    """Play an episode between players of these kinds, and return what the teacher would do at each free decision."""
    teacher = policy_factory(TEACHER)(name)
    players = [policy_factory(kind)(f"{name}/{seat}") for seat, kind in enumerate(kinds)]
    found = Decisions(name, episode.seats)
    while (question := episode.question) is not None:
        seat, legal = question.seat, question.legal()
        if len(legal) == 1:
            episode.answer(legal[0])
            continue
        seen = episode.observation(seat)
        taught = teacher.choose(seen, question.phase, question.tile, legal)
        label(found, episode, question, taught)
        if kinds[seat] == TEACHER:
            episode.answer(taught)
        else:
            episode.answer(players[seat].choose(seen, question.phase, question.tile, legal))
    return found


def label(found: Decisions, episode: Episode, question: Question, taught: Action) -> None:
    """Append a decision with the teacher's answer."""
    found.observation += episode.rows(question.seat)
    found.mask += episode.mask(question.seat)
    found.action.append(action_id(taught, question.tile))
    found.words.append(write_action(taught))
    found.phase.append(question.phase.value)
    found.seat.append(question.seat)
    found.kyoku.append(0)  # nobody asks for the rest
    found.number.append(len(found))
    found.change.append(None)
    found.points.append(None)
    found.place.append(None)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.argument("players", nargs=-1)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Decides walls and players.")
@click.option("--games", type=click.IntRange(1, WALLS), default=200, show_default=True)
@click.option("--force", is_flag=True, help="Replace a data set that exists.")
def main(folder: Path, players: tuple[str, ...], seed: int, games: int, *, force: bool) -> None:
    """Write a data set of what 'expert' would do in games among PLAYERS, kinds as in 'ump compare', to FOLDER."""
    try:
        shards = Shards(folder, KeptDecisions.DECISIONS, SHARD, force=force)
        _play(shards, players or PLAYERS, seed, games)
    except (ContestantError, DatasetError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{folder}: {shards.decisions} decisions")


def _play(shards: Shards, players: tuple[str, ...], seed: int, games: int) -> None:
    episode, chance = Episode(task("tenhou")), Random(seed)
    try:
        with click.progressbar(range(games), label="games") as numbers:
            for game in numbers:
                episode.begin(seed * WALLS + game)
                seated = tuple(chance.choice(players) for _ in range(episode.seats))
                shards.add(labelled_game(episode, f"{seed}.{game}", seated))
        shards.close()
    finally:
        shards.discard()  # what is not complete


if __name__ == "__main__":
    main()
