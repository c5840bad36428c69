"""The standings of a rated room: ratings, games and flags of all players, and the course of each rating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ump.model.value import value
from ump.server.ladder.beside import Beside
from ump.server.ladder.flags import Change, flags
from ump.server.ladder.rated_game import Player, RatedGame
from ump.server.ladder.ratings import PROVISIONAL_GAMES, Rating, fit

LAST_GAMES = 50
"""The games of a player that its page lists."""

POINTS = 20
"""The most points of a course that are computed from old games."""

MOST_POINTS = 120
"""The most points of a course; of more, every second is dropped."""

_FIRST = 4
"""The games after which a course begins."""


@value
class CoursePoint:
    """The ratings after some games."""

    instant: float
    """Seconds since 1970."""
    ratings: dict[Player, Rating]


@value
class Standings:
    """Everything about the players of a room, after some games."""

    games: tuple[RatedGame, ...]
    """The oldest first."""
    ratings: dict[Player, Rating]
    played: Counter[Player]
    """Games of each player."""
    flags: tuple[Beside | Change, ...]
    course: tuple[CoursePoint, ...]
    last: dict[Player, list[RatedGame]]
    """The last games of each player, the newest first."""

    @property
    def order(self) -> list[Player]:
        """The players, the best first."""
        return sorted(self.ratings, key=lambda player: (-self.ratings[player].elo, player.name, player.is_builtin))

    def is_provisional(self, player: Player) -> bool:
        """Return whether a player has too few games for its rating to say much."""
        return self.played[player] < PROVISIONAL_GAMES


NO_STANDINGS = Standings((), fit((), 0.0), Counter(), (), (), {})
"""Those before the first game."""


def standings_of(games: Sequence[RatedGame], now: float, before: Standings = NO_STANDINGS) -> Standings:
    """Return the standings after these games, the oldest first, at an instant in seconds since 1970.

    ``before`` are earlier standings. Their course goes on; without one it is computed from the games.
    """
    course = list(before.course) or _course(games)
    ratings = fit(games, now, before.ratings)
    if len(games) >= _FIRST and (not course or len(games) != len(before.games)):
        course.append(CoursePoint(now, ratings))
    if len(course) > MOST_POINTS:
        course = [*course[-1:0:-2][::-1]]
    played = Counter(player for game in games for player in set(game.players))
    return Standings(tuple(games), ratings, played, tuple(flags(games, ratings)), tuple(course), _last(games))


def _last(games: Sequence[RatedGame]) -> dict[Player, list[RatedGame]]:
    """Return the last games of each player: a page that looked for them in all games would hold up the tables."""
    found: dict[Player, list[RatedGame]] = {}
    for game in reversed(games):
        for player in dict.fromkeys(game.players):
            own = found.setdefault(player, [])
            if len(own) < LAST_GAMES:
                own.append(game)
    return found


def _course(games: Sequence[RatedGame]) -> list[CoursePoint]:
    """Return the ratings after evenly many games, as they were then."""
    points: list[CoursePoint] = []
    ratings: dict[Player, Rating] | None = None
    counts = dict.fromkeys(len(games) * number // POINTS for number in range(1, POINTS))
    for count in counts:
        if count >= _FIRST:
            instant = games[count - 1].began
            ratings = fit(games[:count], instant, ratings)
            points.append(CoursePoint(instant, ratings))
    return points
