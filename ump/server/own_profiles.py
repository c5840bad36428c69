"""Profiles of people: what costs them most in the games of theirs that were reviewed, and the reviews they ask for.

The counts of a game are kept with the other results made of its record. A review of the game has them, too.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from ump.model.seats import Seat
from ump.model.value import value
from ump.net.limits import MAX_PROFILES
from ump.record.conversion_process import profile_target, review_target
from ump.record.indexed_game import IndexedGame
from ump.record.profile import JUDGE, SEATS, GameProfile, read_profile
from ump.record.profile_report import findings_data
from ump.record.recorded_game import RecordError
from ump.server.jobs import InThread, Job, Jobs, ResultFolder, TooManyJobs, game_job
from ump.server.overview import OwnGames, record_id
from ump.server.settings import NO_REVIEW
from ump.table.journal_entries import End
from ump.wire.json_text import write

MOST_GAMES = 100
"""The newest games of which a profile is made."""

MOST_REVIEWED = 30
"""The games that one request reviews."""


@value
class ReviewedGames:
    """The games of one person."""

    profiles: tuple[GameProfile, ...]
    """Those that are reviewed, the oldest first."""
    last: tuple[str | None, Seat] | None
    """The record of the newest of them, and the person's seat."""
    missing: tuple[Job, ...]
    """The jobs for the others, the newest first."""


class ReviewRun:
    """The reviews that one person has asked for."""

    def __init__(self, total: int) -> None:
        self.done = 0
        self.total = total


class TooManyRuns(Exception):
    """Too many people let their games be reviewed."""


class OwnProfiles:
    """The profiles of all people of a server."""

    _log = Logger()

    def __init__(
        self,
        games: OwnGames,
        folder: Path,
        results: Path,
        jobs: Jobs,
        in_thread: InThread,
        reviewers: Callable[[], Callable[[str], str]],
    ) -> None:
        """``folder`` has the records, ``results`` what is made of them.

        ``reviewers`` is called in the reactor's thread, and returns a function that names the policy that reviews games
        of a room: those of rooms without one do not count.
        """
        self._games = games
        self._folder = folder
        self._results = ResultFolder(results)
        self._jobs = jobs
        self._in_thread = in_thread
        self._reviewers = reviewers
        self._runs: dict[tuple[str, ...], ReviewRun] = {}

    def ask(self, who: Sequence[str]) -> Deferred[dict[str, object]]:
        """Return a Deferred with the profile of somebody who is known by these hashes; it fails with DatabaseError."""
        return self._in_thread(self._data, who, self._reviewers())

    def _data(self, who: Sequence[str], reviewer: Callable[[str], str]) -> dict[str, object]:
        found = self._reviewed(who, reviewer)
        run = self._runs.get(tuple(who))
        last = None
        if found.last is not None:
            record, seat = found.last
            last = {"id": record, "seat": seat, "kyoku": list(found.profiles[-1].kyoku)}
        return {
            **findings_data(found.profiles),
            "missing": min(len(found.missing), MOST_REVIEWED),
            "running": None if run is None else {"done": run.done, "of": run.total},
            "last": last,
        }

    def _reviewed(self, who: Sequence[str], reviewer: Callable[[str], str]) -> ReviewedGames:
        """Return the newest games of somebody; raise DatabaseError. It runs in a thread."""
        profiles: list[GameProfile] = []
        missing: list[Job] = []
        last: tuple[str | None, Seat] | None = None
        for game, seat in self._counted(who, reviewer):
            job = game_job(self._folder / game.file, profile_target(seat))
            if job is None:
                continue
            profile = self._kept(job, game, seat)
            if profile is None:
                missing.append(job)
                continue
            profiles.append(profile)
            last = last or (record_id(game.file), seat)
        return ReviewedGames(tuple(reversed(profiles)), last, tuple(missing))

    def _counted(self, who: Sequence[str], reviewer: Callable[[str], str]) -> Iterator[tuple[IndexedGame, Seat]]:
        """Yield the games that a profile counts, the newest first."""
        for own in self._games.own_games(who, None, MOST_GAMES):
            game, seat = own.game, own.seat
            is_whole = game.end == End.COMPLETED.value and len(game.players) == SEATS
            if is_whole and reviewer(game.room) != NO_REVIEW:
                yield game, seat

    def _kept(self, job: Job, game: IndexedGame, seat: Seat) -> GameProfile | None:
        """Return the profile of a game if it was made, or is in a review; None otherwise."""
        packed = self._results.read(job)
        if packed is not None:
            return read_profile(json.loads(gzip.decompress(packed)))
        review = game_job(self._folder / game.file, review_target(seat, JUDGE))
        packed = None if review is None else self._results.read(review)
        if packed is None:
            return None
        data: dict[str, Any] = json.loads(gzip.decompress(packed))["profile"]
        self._results.write(job, gzip.compress(write(data).encode(), mtime=0))
        return read_profile(data)

    def begin(self, who: Sequence[str], host: str) -> Deferred[dict[str, object]]:
        """Review games of somebody, one at a time; return a Deferred with the profile so far. Raise TooManyRuns."""
        person = tuple(who)
        if person not in self._runs:
            if len(self._runs) >= MAX_PROFILES:
                raise TooManyRuns
            self._runs[person] = ReviewRun(0)
            looked: Deferred[Any] = self._in_thread(self._reviewed, who, self._reviewers())
            looked.addCallback(lambda found: Deferred.fromCoroutine(self._review(person, found, host)))
            looked.addBoth(self._end, person)
        return self.ask(who)

    async def _review(self, person: tuple[str, ...], found: ReviewedGames, host: str) -> None:
        """Review the games that are missing; a busy server ends it, and a wrong record is left out."""
        missing = found.missing[:MOST_REVIEWED]
        run = self._runs[person]
        run.total = len(missing)
        for job in missing:
            try:
                await self._jobs.ask(job, host)
            except TooManyJobs:
                return
            except (RecordError, FileNotFoundError):
                pass
            run.done += 1

    def _end(self, result: Any, person: tuple[str, ...]) -> None:
        del self._runs[person]
        if result is not None:
            self._log.failure("the games of somebody could not be reviewed", result)
