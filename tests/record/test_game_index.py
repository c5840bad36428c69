"""The index in SQLite and in PostgreSQL: the same answers, and one database for several folders."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from record.test_journals import played
from support.budgets import few
from support.databases import PostgresServer
from support.memory_server import journal_folder

import ump.database.database
from ump.database.database import Database, DatabaseAway, DatabaseError, read_place
from ump.model.commitments import DuplicateGame
from ump.model.game_result import GameResult
from ump.record.game_index import GameIndex
from ump.record.index_queries import INDEX_SCHEMA, METADATA
from ump.record.indexed_game import GameFilter, pairs
from ump.record.journal import GameSummary, read_journal, summary_of
from ump.record.player_counts import COUNTED, PlayerCounts

DAY = "2026-11-0{}T10:00:00Z"


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> GameSummary:
    """Return the summary of a completed game."""
    folder = journal_folder(tmp_path_factory.mktemp("summary"))
    folder.open()
    played(folder)
    (path,) = folder.folder.glob("*.journal.gz")
    folder.close()
    return summary_of(read_journal(gzip.decompress(path.read_bytes())))


def changed(
    summary: GameSummary, began: str, *, is_completed: bool = True, first: int = 0, **opening: Any
) -> GameSummary:
    """Return the summary of a similar game: of this instant, completed or not, with the players rotated."""
    before = summary.header.opening
    names = before.players[first:] + before.players[:first]
    header = replace(summary.header, began=began, opening=replace(before, **{"players": names, **opening}))
    return replace(summary, header=header, result=summary.result if is_completed else GameResult(summary.result.points))


@pytest.fixture
def index(database: str, tmp_path: Path) -> GameIndex:
    """Return an empty index of the folder ``one``."""
    return GameIndex(tmp_path, read_place(database), "one")


CHANGES = st.lists(
    st.one_of(
        st.tuples(
            st.just("add"), st.integers(0, 5), st.sampled_from("12"), st.sampled_from((True, False)), st.integers(0, 3)
        ),
        st.tuples(st.just("count"), st.integers(0, 5), st.integers(0, 9)),
    ),
    max_size=20,
)


@pytest.mark.no_cover
@given(changes=CHANGES)
@settings(max_examples=few(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_totals_are_the_sums_of_all_rows(
    index: GameIndex, summary: GameSummary, changes: list[tuple[Any, ...]]
) -> None:
    """The totals say the same as every single row, whatever is entered, entered again, and counted."""
    index.rebuild([])
    for what, number, *rest in changes:
        if what == "add":
            day, is_completed, first = rest
            game = changed(summary, DAY.format(day), is_completed=is_completed, first=first)
            index.add([(f"{number}", game)])
        else:
            counts = tuple(PlayerCounts(kyoku=rest[0], longest_answer=rest[0], wins=seat) for seat in range(4))
            index.set_counts([(f"{number}", counts)])
    for day in ("2026-11-01", "2026-11-02"):
        by_totals = index.players(GameFilter(since=day))
        by_rows = index.players(GameFilter(since=f"{day}T00"))
        # A recount may only lower the longest answer in the totals; nobody recounts without making them anew.
        assert [replace(each, counts=replace(each.counts, longest_answer=0)) for each in by_totals] == [
            replace(each, counts=replace(each.counts, longest_answer=0)) for each in by_rows
        ]


def test_games_come_back_as_they_were_entered(index: GameIndex, summary: GameSummary) -> None:
    """The newest first; a game that is entered again is there once."""
    index.add([("b", changed(summary, DAY.format(2))), ("a", changed(summary, DAY.format(1), is_completed=False))])
    index.add([("b", changed(summary, DAY.format(2), first=1))])
    newest, oldest = index.games()
    assert (newest.file, newest.began, newest.end, newest.milliseconds) == (
        "b", DAY.format(2), "completed", summary.duration,
    )  # fmt: skip
    names = summary.header.opening.players
    assert [player.name for player in newest.players] == [*names[1:], names[0]]
    assert oldest.result == GameResult(summary.result.points)
    assert newest.result == summary.result
    assert [game.file for game in index.games(1)] == ["b"]
    assert [game.file for game in index.games(None, GameFilter(until="2026-11-01"))] == ["a"]
    assert list(index.games(None, GameFilter(player="nobody"))) == []
    assert (index.words("name"), index.words("room")) == (sorted(names), ["main"])


def test_an_annulment_outlives_the_entry_of_its_game(index: GameIndex, summary: GameSummary, tmp_path: Path) -> None:
    """Also when the index is made anew; another folder finds the game by the name of its file, and not half of it."""
    first, second = (f"2026110{day}T100000Z-main-1" for day in (1, 2))
    games = [(first, changed(summary, DAY.format(1))), (second, changed(summary, DAY.format(2)))]
    index.add(games)
    other = GameIndex(tmp_path, index.place, "two")
    found = other.find(first)
    assert found is not None and found.file == f"one/{first}"
    assert [other.find(name) for name in (first[1:], "20261101T100000Z-%-1", "20261101T100000Z-ain-1")] == [None] * 3
    other.annul(found.file, is_annulled=True)
    index.add(games)
    index.rebuild(games)
    assert {game.file: game.is_annulled for game in index.games()} == {first: True, second: False}
    index.annul(first, is_annulled=False)
    assert index.find(first) == replace(found, file=first)


def test_names_are_in_the_order_of_their_characters(index: GameIndex, summary: GameSummary) -> None:
    """Not in that of a language, which would put the letter ä, or a small b, before a large Z."""
    names = ("Zoe", "abe", "Äl", "bob")
    index.add([("a", changed(summary, DAY.format(1), players=names))])
    assert [each.name for each in index.players()] == sorted(names)
    assert [each.name for each in index.players(GameFilter(since="2026-11-01T00"))] == sorted(names)


def test_counts_are_entered_once(index: GameIndex, summary: GameSummary) -> None:
    """Games without counts are named, the oldest file first, and no more when they have some."""
    index.add([(file, changed(summary, DAY.format(1))) for file in ("b", "a", "c")])
    assert index.uncounted() == ["a", "b", "c"]
    counts = PlayerCounts(*range(1, len(COUNTED) + 1))
    for _ in range(2):
        index.set_counts([("a", (counts,) * 4), ("b", (counts,) * 4), ("unknown", (counts,) * 4)])
    assert index.uncounted() == ["c"]
    for each in index.players():
        assert (each.games, each.counted, each.counts.kyoku, each.counts.timeouts) == (3, 2, 2, 30)
        assert each.counts.longest_answer == counts.longest_answer


def test_groups_of_duplicate_games_are_compared(index: GameIndex, summary: GameSummary) -> None:
    """Their results come together, also from games that were entered in another order."""
    for number in (3, 1, 2, 0):
        place = DuplicateGame("group", number + 1, 4)
        index.add([(f"{number}", changed(summary, DAY.format(1), first=number, duplicate=place))])
    found = list(index.duplicate_games())
    assert [game.file for _, game in found] == [f"{number}" for number in range(4)]
    assert {(place.group, place.games) for place, _ in found} == {("group", 4)}
    assert {pair.groups for pair in pairs(found)} == {1}


def test_folders_share_a_database(index: GameIndex, summary: GameSummary, tmp_path: Path) -> None:
    """Files of the same name are two games; each folder knows its own by their plain names, and makes these again."""
    other = GameIndex(tmp_path, index.place, "other")
    index.add([("a", changed(summary, DAY.format(1)))])
    other.add([("a", changed(summary, DAY.format(2))), ("b", changed(summary, DAY.format(3)))])
    assert [game.file for game in index.games()] == ["other/b", "other/a", "a"]
    assert [game.file for game in other.games()] == ["b", "a", "one/a"]
    assert (index.uncounted(), other.uncounted()) == (["a"], ["a", "b"])
    assert {each.games for each in index.players()} == {3}
    assert other.rebuild([]) == 0
    assert [game.file for game in index.games()] == ["a"]
    assert {each.games for each in index.players()} == {1}
    assert index.players() == index.players(GameFilter(since="2026-11-01T00"))


def test_many_games_are_entered_and_listed(index: GameIndex, summary: GameSummary) -> None:
    """More than one statement takes."""
    game = changed(summary, DAY.format(1))
    index.add((f"{number:04}", game) for number in range(1_200))
    assert [each.file for each in index.games()] == [f"{number:04}" for number in reversed(range(1_200))]
    assert index.rebuild((f"{number:04}", game) for number in range(700)) == 700
    assert {each.games for each in index.players()} == {700}


def test_the_migrations_make_the_tables_that_the_queries_use(database: str) -> None:
    """Nothing is missing and nothing is left over; a second time nothing is to be done."""
    opened = Database(read_place(database), INDEX_SCHEMA)
    assert (opened.upgrade(), opened.upgrade()) == (True, False)
    with opened.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": INDEX_SCHEMA.version_table})
        assert compare_metadata(context, METADATA) == []


def test_a_busy_database_may_work_later(
    index: GameIndex, summary: GameSummary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One program writes at a time; another one that has waited in vain may try again, and reads meanwhile."""
    monkeypatch.setattr(ump.database.database, "WAIT", 0.05)
    other = GameIndex(tmp_path, index.place, "other")
    assert list(other.games()) == []

    def while_writing() -> Iterator[tuple[str, GameSummary]]:
        with pytest.raises(DatabaseAway):
            other.add([("b", summary)])
        assert list(other.games()) == []
        yield "a", summary

    assert index.rebuild(while_writing()) == 1
    other.add([("b", summary)])
    assert {each.games for each in index.players()} == {2}


def test_errors_are_one_line_without_passwords(postgres: PostgresServer, tmp_path: Path) -> None:
    """Errors of the library, too, are one line without passwords."""
    url = f"postgresql://nobody:very%20secret@/none?host={postgres.folder}"
    index = GameIndex(tmp_path, read_place(url), "one")
    with pytest.raises(DatabaseError, match="does not exist") as raised:
        index.uncounted()
    assert "secret" not in f"{raised.value} {raised.value!r} {index.place!r}"
    assert "\n" not in str(raised.value)


def test_a_server_that_was_away_is_used_again(postgres: PostgresServer, summary: GameSummary, tmp_path: Path) -> None:
    """No connection is kept."""
    index = GameIndex(tmp_path, read_place(postgres.new_url()), "one")
    index.add([("a", summary)])
    postgres.stop()
    try:
        with pytest.raises(DatabaseError):
            index.add([("b", summary)])
    finally:
        postgres.start()
    index.add([("b", summary)])
    assert len(list(index.games())) == 2
