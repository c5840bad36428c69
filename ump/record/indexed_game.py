"""Recorded games as the index knows them, and filters that choose some of them."""

from __future__ import annotations

from ump.model.value import value
from ump.record.journal.journal_replay import GameSummary

DAY = 10
"""The length of a date in ISO 8601."""

ELSEWHERE = "/"
"""Stands between the id of another folder and the name of a journal."""

UNFINISHED = "unfinished"
"""Stands as ``end`` of a game without an end."""


@value
class GameFilter:
    """Which games to list or count; None takes all."""

    player: str | None = None
    """Games with this player; reports about players then have this one alone."""
    since: str | None = None
    """Games that began on this date or later: the beginning of an instant in ISO 8601."""
    until: str | None = None
    """Games that began on this date or earlier."""
    room: str | None = None
    rules: str | None = None
    """The name of the rules."""
    end: str | None = None

    @property
    def is_within_days(self) -> bool:
        """Whether the games are chosen by instants within a day, which totals cannot tell apart."""
        return any(instant is not None and len(instant) > DAY for instant in (self.since, self.until))


EVERY_GAME = GameFilter()


@value
class IndexedPlayer:
    """A player of a recorded game."""

    name: str
    points: int | None
    place: int | None
    """None if the game was not completed."""
    result: int | None
    """With uma and oka, in tenths of a thousand points; None if the game was not completed."""
    kind: str = "client"
    """The value of its ``PlayerKind``."""
    speaks: str = ""
    """The dialect of a client or child, the policy of a built-in bot."""


@value
class IndexedGame:
    """A recorded game as the index knows it."""

    file: str
    """The name of its journal in the folder, with the id of the folder if that is another server's: ``ID/NAME``."""
    game: str
    room: str
    began: str
    """Date and time in UTC, in ISO 8601."""
    milliseconds: int
    end: str
    rules: str
    length: str
    players: tuple[IndexedPlayer, ...]

    @property
    def is_elsewhere(self) -> bool:
        """Whether the record is in the folder of another server that shares the index."""
        return ELSEWHERE in self.file


@value
class DuplicateResult:
    """The result of a player in a game of a duplicate group."""

    group: str
    games: int
    """How many games the group has when it is complete."""
    file: str
    name: str
    points: int
    place: int
    result: int
    """With uma and oka, in tenths of a thousand points."""


def indexed(file: str, summary: GameSummary) -> IndexedGame:
    """Return a finished game as the index knows it, by the name of its journal."""
    header, opening, result = summary.header, summary.header.opening, summary.result
    players = (
        IndexedPlayer(
            name,
            None if summary.points is None else summary.points[seat],
            None if result is None else result.places[seat],
            None if result is None else result.results[seat],
            header.players[seat].kind.value,
            header.players[seat].speaks,
        )
        for seat, name in enumerate(opening.players)
    )
    return IndexedGame(
        file=file,
        game=opening.name,
        room=header.room,
        began=header.began,
        milliseconds=summary.duration,
        end=UNFINISHED if summary.end is None else summary.end.value,
        rules=opening.ruleset.name,
        length=opening.ruleset.length.value,
        players=tuple(players),
    )
