"""The zoo: recipes of other people's bots, and their ratings by games among copies of one player.

Each bot has a duel of a queue (``ump.arena.duels``), in which it sits alone among three copies of ``expert``.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

from ump.arena.arena_setup import ArenaSetup
from ump.arena.blocks import FAULTS, ArenaPlayer
from ump.arena.duels import Duel, DuelFolder
from ump.arena.ratings import AnchoredRating, Choices, ratings
from ump.model.value import value
from ump.record.figures import rounded
from ump.rules.ruleset import Ruleset
from ump.table.clock import TimeControl
from ump.text.layout import columns

REFERENCE = "expert"
"""The player whose copies all others meet, with the rating of the anchor."""

POINTS = (90.0, 45.0, 0.0, -135.0)

SEED = "zoo"

_INSTALLED = ".installed"
"""The file in the folder of a bot that says what was installed for it; written after the last command."""


def cache_folder() -> Path:
    """Return the folder that has a folder for each bot by default."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ump-zoo"


@value
class Recipe:
    """A bot: what it needs, and how it starts. The fields are those of ``zoo.toml``."""

    name: str
    about: str
    kind: str
    source: str = ""
    needs: tuple[str, ...] = ()
    install: tuple[str, ...] = ()
    made: str = ""
    how: str = ""

    def kind_in(self, folder: str) -> str:
        """Return the kind of the player in a folder."""
        return self.kind.replace("{folder}", folder)

    def is_in(self, folder: Path) -> bool:
        """Return whether it is there, with all that the commands of this recipe install."""
        if not self.made:
            return True
        if not (folder / self.made).exists():
            return False
        mark = folder / _INSTALLED
        return not self.install or (mark.exists() and mark.read_text("utf-8") == self._installed)

    def mark_installed(self, folder: Path) -> None:
        """Note that its last command has ended."""
        if self.install:
            (folder / _INSTALLED).write_text(self._installed, "utf-8")

    @property
    def _installed(self) -> str:
        return "".join(f"{command}\n" for command in self.install)


@cache
def recipes() -> Mapping[str, Recipe]:
    """Return all recipes by name, in their order."""
    data = tomllib.loads(files("ump.arena").joinpath("zoo.toml").read_text(encoding="utf-8"))
    return {name: _recipe(name, given) for name, given in data.items()}


def _recipe(name: str, given: Mapping[str, Any]) -> Recipe:
    fields: dict[str, Any] = {}
    for key, content in given.items():
        fields[key] = tuple(content) if isinstance(content, list) else content
    return Recipe(name, **fields)


def zoo_duel(name: str, kind: str, ruleset: Ruleset, games: int, times: TimeControl) -> Duel:
    """Return the duel of a bot: it sits alone in all games, because it may be slow."""
    entrants = (ArenaPlayer(REFERENCE, REFERENCE), ArenaPlayer(name, kind))
    return Duel(ArenaSetup(entrants, ruleset, SEED, POINTS, "challenge"), None, games, times)


@value
class ZooStanding:
    """A player of the zoo."""

    name: str
    games: int
    rating: AnchoredRating
    lead: float | None
    """Placement points per game by which it is ahead of the reference; None for that itself."""
    half_width: float | None
    place: float | None
    answer: float
    """Milliseconds on average."""
    faults: int


def zoo_table(duels: Sequence[DuelFolder]) -> list[ZooStanding]:
    """Return the players that have played, the best rating first."""
    met = [duel for duel in duels if duel.blocks]
    choices: list[Choices] = []
    for player, duel in enumerate(met, 1):
        choices += _choices(duel, player)
    rated = ratings(choices, len(met) + 1, 0, Random("bootstrap/ratings"))
    games = sum(duel.comparison.games for duel in met)
    table = [ZooStanding(REFERENCE, games, rated[0], None, None, None, 0.0, 0)]
    for duel, rating in zip(met, rated[1:], strict=True):
        table.append(_standing(duel, rating))
    return sorted(table, key=_rating, reverse=True)


def _rating(standing: ZooStanding) -> float:
    return standing.rating.elo


def _standing(duel: DuelFolder, rating: AnchoredRating) -> ZooStanding:
    comparison = duel.comparison
    _, figures = comparison.players()
    faults = sum(getattr(figures, fault) for fault in FAULTS)
    place, half = figures.estimates["average_place"].mean, comparison.test.interval()
    lead = 0.0 - comparison.test.mean
    return ZooStanding(duel.name, comparison.games, rating, lead, half, place, figures.average_answer, faults)


def _choices(duel: DuelFolder, player: int) -> list[Choices]:
    """Return the ranked games of each block of a duel between the reference and this player."""
    found = []
    for block in duel.blocks:
        choices = Choices()
        for game in block.games:
            choices.add_game([player if seated else 0 for seated in game.seating], game.result.places)
        found.append(choices)
    return found


def zoo_lines(table: Sequence[ZooStanding]) -> Iterator[str]:
    """Yield the table, which is Markdown, too."""
    rows = [
        ["player", "games", "rating", f"points a game ahead of `{REFERENCE}`", "mean place", "answer, ms", "faults"]
    ]
    rows.append(["---"] * len(rows[0]))
    for each in table:
        lead = "" if each.lead is None else f"{each.lead:+.1f}{_margin(each.half_width, 1)}"
        place = "" if each.place is None else f"{each.place:.2f}"
        answer = "" if each.lead is None else f"{each.answer:,.1f}"
        rating = f"{each.rating.elo:.0f}{_margin(each.rating.half_width, 0)}"
        rows.append([f"`{each.name}`", str(each.games), rating, lead, place, answer, str(each.faults)])
    for line in columns([[f"| {cell}" for cell in row] for row in rows]):
        yield f"{line} |"


def _margin(half: float | None, digits: int) -> str:
    return f" ± {half:.{digits}f}" if half else ""


def zoo_data(table: Sequence[ZooStanding]) -> dict[str, object]:
    """Return the table for JSON."""
    players = []
    for each in table:
        numbers = {
            "rating": each.rating.elo,
            "rating_half_width": each.rating.half_width,
            "lead": each.lead,
            "lead_half_width": each.half_width,
            "mean_place": each.place,
            "answer_ms": each.answer,
        }
        own = {key: rounded(number) for key, number in numbers.items()}
        players.append({"name": each.name, "games": each.games, "faults": each.faults} | own)
    return {"players": players}
