"""Profiles of people on a server: from reviews that exist, and from those that somebody asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from support.sample_games import EAGER, MIXED, sample
from twisted.internet.defer import Deferred, maybeDeferred

from ump.model.game_result import GameResult
from ump.record.conversion_process import converted, review_target
from ump.record.indexed_game import IndexedGame, IndexedPlayer, OwnGame
from ump.record.recorded_game import RecordError
from ump.server import jobs as server_jobs
from ump.server import own_profiles
from ump.server.jobs import Jobs, game_job
from ump.server.own_profiles import OwnProfiles, TooManyRuns
from ump.server.settings import NO_REVIEW


class Games:
    """The games of one person, the newest first."""

    def __init__(self, *files: str, room: str = "main", end: str = "completed") -> None:
        player = IndexedPlayer("ann", "human", "ump")
        rest = ("2026", 0, end, "tenhou", "hanchan", (player,) * 4, GameResult((), (), ()))
        self.listed = [OwnGame(IndexedGame(file, file, room, *rest), 1, {}) for file in files]

    def own_games(self, who: Sequence[str], before: object, most: int) -> list[OwnGame]:
        """Return all games."""
        return self.listed

    def own_sums(self, who: Sequence[str]) -> dict[str, list[object]]:
        """Return nothing."""
        return {}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with two games, which are reviewed in this process, and a broken one."""
    for name, content in ((MIXED, sample(MIXED)), (EAGER, sample(EAGER)), ("broken", b"?")):
        (tmp_path / name).write_bytes(content)
    monkeypatch.setattr(server_jobs, "convert_apart", converted)
    return tmp_path


def profiles(folder: Path, games: object, in_thread: object = maybeDeferred) -> tuple[OwnProfiles, Jobs]:
    """Return the profiles of a server whose room "quiet" has no reviews."""
    jobs = Jobs(in_thread, folder / ".results")  # type: ignore[arg-type]
    reviews = {"quiet": NO_REVIEW, "main": "expert"}
    made = OwnProfiles(games, folder, folder / ".results", jobs, in_thread, lambda: reviews.__getitem__)  # type: ignore[arg-type]
    return made, jobs


def profile_of(own: OwnProfiles) -> dict[str, object]:
    """Return what is told to the person."""
    found: list[dict[str, object]] = []
    own.ask(["k"]).addCallback(found.append)
    return found[0]


def test_games_are_reviewed_once_and_a_review_counts(folder: Path) -> None:
    """A review of the page has the counts; the others are made at a request, but for a record that is broken."""
    own, jobs = profiles(folder, Games("gone", "broken", EAGER, MIXED))
    job = game_job(folder / MIXED, review_target(1, "expert"))
    assert job is not None
    jobs.ask(job, "")
    before = profile_of(own)
    assert (before["games"], before["missing"], before["running"], before["findings"]) == (1, 2, None, [])
    begun: list[object] = []
    own.begin(["k"], "host").addCallback(begun.append)
    after = profile_of(own)
    assert (after["games"], after["missing"], len(begun)) == (2, 1, 1)
    last = after["last"]
    assert isinstance(last, dict)
    assert (last["id"], last["seat"]) == (EAGER, 1)
    assert {"round", "change", "score", "loss"} <= set(last["kyoku"][0])


def test_what_is_not_counted(folder: Path) -> None:
    """Games without reviews in their room, games that were broken off, and games of three are left out."""
    for games in (Games(MIXED, room="quiet"), Games(MIXED, end="abandoned")):
        own, _ = profiles(folder, games)
        assert profile_of(own)["missing"] == 0
    with pytest.raises(RecordError, match="four players"):
        converted(sample(MIXED), "profile:4")


def test_few_people_let_games_be_reviewed_at_a_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second request of the same person starts nothing; too many people are asked to wait."""
    monkeypatch.setattr(own_profiles, "MAX_PROFILES", 1)
    waiting: list[tuple[Deferred[object], Callable[[], object]]] = []

    def later(call: Callable[..., object], *arguments: object) -> Deferred[object]:
        waiting.append((Deferred(), partial(call, *arguments)))
        return waiting[-1][0]

    def work(place: int) -> None:
        """Let one of the threads end."""
        done, call = waiting[place]
        done.callback(call())

    own, _ = profiles(folder, Games(MIXED), later)
    own.begin(["k"], "host")
    own.begin(["k"], "host")
    assert len(waiting) == 3
    with pytest.raises(TooManyRuns):
        own.begin(["l"], "host")
    work(0)
    found: list[dict[str, object]] = []
    own.ask(["k"]).addCallback(found.append)
    work(-1)
    assert found[0]["running"] == {"done": 0, "of": 1}
