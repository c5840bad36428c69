"""Journals: their lines, files on disk, ``ump records``, ``ump verify``, and the documented format."""

from __future__ import annotations

import errno
import gzip
import json
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from support.careless_clients import OPENING, Hosted
from support.memory_server import journal_folder
from support.rows import each_row
from support.scripted_server import ROOT
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.logger import capturedLogs

from ump.cli.main import main
from ump.game.deals import Round, secret_of, seeded_deals
from ump.model import actions
from ump.model.claims import Reason
from ump.model.commitments import DuplicateGame, PlayerSeed, text_commitment_of
from ump.players.hints import HintScope
from ump.record.conversion import Conversion, convert, replay_data
from ump.record.findings import Rule
from ump.record.formats import read_games
from ump.record.game_index import GameIndex
from ump.record.journal import (
    JournalError,
    JournalHeader,
    JournalPlayer,
    JournalStep,
    PlayerKind,
    read_action,
    read_header,
    read_journal,
    read_step,
    write_action,
    write_header,
    write_step,
)
from ump.record.lint.lint import lint
from ump.record.record_format import Fact, facts_of
from ump.record.replay import Replay
from ump.server.journals import FolderError, JournalFile, JournalFolder, Sync
from ump.table import journal_entries as je
from ump.table.messages import Begin
from ump.table.opening import Opening

PAGE = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")


SEEDS = (
    PlayerSeed(text_commitment_of("00112233445566778899aabbccddeeff"), "00112233445566778899aabbccddeeff"),
    None,
    PlayerSeed("ab" * 32, None),
    PlayerSeed(text_commitment_of("-_" * 20), "-_" * 20),
)
"""The texts that players add to the walls: two, one of which was withheld by the third player."""


def header_of(opening: Opening) -> JournalHeader:
    """Return the header of a game of clients and built-in bots."""
    players = tuple(
        JournalPlayer(PlayerKind.BOT if seat % 2 else PlayerKind.CLIENT, "tsumogiri")
        for seat in range(len(OPENING.players))
    )
    return JournalHeader(opening, "main", "2026-11-22T21:00:00Z", "ump", players)


def begun(folder: JournalFolder, name: str = "main-1") -> tuple[Hosted, JournalFile]:
    """Begin a recorded game."""
    opening = replace(OPENING, name=name, secret=secret_of("x"), seeds=SEEDS)
    hosted = Hosted(opening)
    journal = folder.create(header_of(opening))
    hosted.take(Begin())
    return hosted, journal


def record_new(hosted: Hosted, journal: JournalFile) -> None:
    """Record the last step."""
    entries, instant = hosted.steps[-1]
    journal.record(entries, instant, hosted.started)


def played(folder: JournalFolder, name: str = "main-1") -> None:
    """Play a recorded game to its end."""
    hosted, journal = begun(folder, name)
    record_new(hosted, journal)
    kept = 1
    while not hosted.is_over:
        hosted._answer_or_tick()
        if len(hosted.steps) > kept:
            kept += 1
            record_new(hosted, journal)
    journal.finish(hosted.host.table.game.ended)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[JournalFolder]:
    """An open folder."""
    opened = journal_folder(tmp_path / "records", Sync.ALWAYS)
    opened.open()
    yield opened
    opened.close()


def run(*arguments: str) -> tuple[int, str]:
    """Run ``ump`` with arguments; return its status and output."""
    result = CliRunner().invoke(main, arguments)
    return result.exit_code, result.output


def test_a_game_that_was_left_before_its_first_kyoku(folder: JournalFolder) -> None:
    """The page for replays gets no game of it, ``ump stats`` counts nothing of it, and neither has an error."""
    begun(folder)
    (path,) = folder.folder.glob(".*-main-1*")
    assert json.loads(replay_data(path.read_bytes())) == {"games": []}
    lines = run("stats", str(path))[1].splitlines()
    assert lines[0] == "1 record, 0 games, 0 rows, 0 unreadable"
    assert lines[1] == "1 game left before a kyoku came to a result: not counted"


def test_a_finished_game_is_listed_and_verified(folder: JournalFolder) -> None:
    """``ump records`` lists it, ``ump verify`` plays it again and finds no mismatch."""
    played(folder)
    status, listed = run("records", str(folder.folder))
    assert (status, "main-1" in listed, "completed" in listed) == (0, True, True)
    assert json.loads(run("records", str(folder.folder), "--json")[1])["games"][0]["end"] == "completed"
    status, report = run("verify", "--jobs", "1", str(folder.folder))
    assert status == 0
    assert report.splitlines()[-1] == "no mismatch"
    assert "games    1, 0 of them incomplete" in report


def test_the_index_is_made_again(folder: JournalFolder) -> None:
    """``--reindex`` makes the list from the files, and names those that are unreadable."""
    played(folder)
    played(folder, "main-2")
    listed = run("records", str(folder.folder))
    (folder.folder / "games.sqlite").unlink()
    assert run("records", str(folder.folder)) == (0, "no finished games\n")
    (folder.folder / "broken.journal.gz").write_bytes(gzip.compress(b"{}\n"))
    status, again = run("records", str(folder.folder), "--reindex")
    assert status == 0
    assert f"{folder.folder / 'broken.journal.gz'}: unreadable: not a journal" in again
    assert again.endswith(listed[1])


def changed(path: Path, old: bytes, new: bytes) -> None:
    """Change the first place of a compressed journal that has these bytes."""
    content = gzip.decompress(path.read_bytes())
    assert old in content
    path.write_bytes(gzip.compress(content.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("old", "new", "status", "reason"),
    [
        (b',"answer",0,"sute ', b',"answer",1,"sute ', 1, "is not possible"),
        (b'"points":[25000,', b'"points":[26000,', 1, "the kyoku starts with"),
        (b'"ended","completed",[', b'"ended","completed",[1', 1, "recorded is"),
        (b'"tobi":"yes"', b'"tobi":"maybe"', 2, "expected yes"),
        (b'[0,"began"]', b'[0,"begun"]', 2, "line 2"),
    ],
)
def test_a_changed_journal_is_found_out(
    folder: JournalFolder, old: bytes, new: bytes, status: int, reason: str
) -> None:
    """A line that does not follow from those before is a mismatch; one that cannot be read is unreadable."""
    played(folder)
    (path,) = folder.folder.glob("*.journal.gz")
    text = gzip.decompress(path.read_bytes()).replace(b"[1000000,", b"[0,", 1)
    path.write_bytes(gzip.compress(text))
    changed(path, old, new)
    ended, report = run("verify", "--jobs", "1", str(path))
    assert ended == status
    assert reason in report


def test_only_the_server_reads_a_running_game(folder: JournalFolder) -> None:
    """The journal of a running game, which holds hands, is for the server's user alone, and no web server lists it."""
    _, journal = begun(folder)
    assert journal.path.name.startswith(".")
    assert journal.path.stat().st_mode & 0o077 == 0
    journal.suspend()


def test_only_the_server_reads_a_new_folder(tmp_path: Path) -> None:
    """A folder that the server makes is for its user alone."""
    new = journal_folder(tmp_path / "new")
    new.open()
    assert stat.S_IMODE(new.folder.stat().st_mode) == 0o700
    new.close()


def test_a_second_server_is_kept_out(folder: JournalFolder) -> None:
    """Two servers cannot use one folder."""
    with pytest.raises(FolderError, match="another ump-server records there"):
        journal_folder(folder.folder).open()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """The error names the option, the folder, the reason and what to do."""
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderError, match=r"^--record-dir .*/file: .*; choose a folder to write to, or none$"):
        journal_folder(tmp_path / "file").open()


def test_a_step_that_is_not_written_whole_fails(folder: JournalFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk takes only a part of a line, the step is not recorded."""
    hosted, journal = begun(folder)
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:5]))
    with pytest.raises(OSError, match="No space left"):
        record_new(hosted, journal)


def test_a_game_that_could_not_be_recorded_does_not_go_on(folder: JournalFolder) -> None:
    """Its players were told that it is over, so the next server leaves it alone."""
    hosted, journal = begun(folder)
    record_new(hosted, journal)
    journal.give_up()
    assert list(folder.unfinished()) == []
    assert [path.suffix for path in folder.folder.iterdir() if path.name != ".lock"] == [".damaged"]


def test_a_disk_that_cannot_sync_ends_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the sync in another thread makes the next step fail."""
    folder = journal_folder(tmp_path, Sync.KYOKU)

    def fail(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", fail)
    with pytest.raises(OSError, match="Input/output error"):
        played(folder)


def test_journals_are_synced_at_each_kyoku(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ``--sync kyoku`` the file is brought to the disk once for each kyoku."""
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", synced.append)
    played(journal_folder(tmp_path, Sync.KYOKU))
    assert len(synced) == 1


def test_a_journal_that_cannot_begin_leaves_no_file(folder: JournalFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the first line cannot be written, the file is removed."""

    def fail(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(OSError, match="No space left"):
        begun(folder)
    assert [path.name for path in folder.folder.iterdir()] == [".lock"]


def test_games_of_one_second_get_names_of_their_own(folder: JournalFolder) -> None:
    """Two games with the same name and second get two files."""
    journals = [begun(folder)[1] for _ in range(2)]
    for journal in journals:
        journal.suspend()
    assert len({journal.path for journal in journals}) == 2


def test_closing_twice_and_what_cannot_be_indexed_are_logged(folder: JournalFolder) -> None:
    """Errors after the end of a game are logged, and end nothing."""
    _, journal = begun(folder)
    path = folder.folder / "games.sqlite"
    path.unlink(missing_ok=True)
    path.mkdir()
    with capturedLogs() as events:
        journal.suspend()
        journal.finish(None)
        journal.give_up()
    assert len([event for event in events if event["log_level"].name == "error"]) == 4


def test_damaged_journals_are_set_aside(folder: JournalFolder) -> None:
    """A journal that cannot be read is renamed, with the reason in the log; empty games are forgotten."""
    hosted, journal = begun(folder)
    record_new(hosted, journal)
    journal.suspend()
    _, empty = begun(folder, "main-2")
    empty.suspend()
    damaged = folder.folder / "20260101T000000Z-main-9.journal"
    damaged.write_text("nonsense\n")
    with capturedLogs() as events:
        ((path, unfinished),) = folder.unfinished()
    assert (path, len(unfinished.steps)) == (journal.path, 1)
    assert [event["error"] for event in events if event["log_level"].name == "error"]
    assert not empty.path.exists()
    assert damaged.with_suffix(".journal.damaged").exists()


def test_finished_games_are_completed_at_the_next_start(folder: JournalFolder) -> None:
    """A server that died before it compressed a finished game leaves that to the next one."""
    played(folder)
    (path,) = folder.folder.glob("*.journal.gz")
    running = path.with_name(path.name.removesuffix(".gz"))
    running.write_bytes(gzip.decompress(path.read_bytes()))
    path.unlink()
    assert list(folder.unfinished()) == []
    assert path.exists()
    assert not running.exists()


def test_a_finished_game_that_cannot_have_been_played_is_set_aside(folder: JournalFolder) -> None:
    """The server starts nevertheless; the log names the journal."""
    played(folder)
    (path,) = folder.folder.glob("*.journal.gz")
    running = path.with_name(path.name.removesuffix(".gz"))
    *lines, last = gzip.decompress(path.read_bytes()).decode().splitlines()
    points = f"{json.loads(last)[-1]['then'][-1][2]}".replace(" ", "")
    assert points in last
    running.write_text("\n".join((*lines, last.replace(points, "[1,2,3,4]"), "")))
    path.unlink()
    with capturedLogs() as events:
        assert list(folder.unfinished()) == []
    assert [event["log_level"].name for event in events] == ["error"]
    assert running.with_suffix(".journal.damaged").exists()


def test_a_bug_in_finishing_a_game_does_not_stop_the_next(tmp_path: Path) -> None:
    """It is logged, and games that end later are compressed and entered in the index."""
    failing = [Deferred[None]()]

    def sometimes(call: Callable[..., None], *arguments: Any) -> Deferred[None]:
        return failing.pop() if failing else maybeDeferred(call, *arguments)

    folder = journal_folder(tmp_path / "records", in_thread=sometimes)
    folder.open()
    (broken,) = failing
    played(folder, "main-1")
    with capturedLogs() as events:
        broken.errback(MemoryError())
    assert [event["log_level"].name for event in events] == ["critical"]
    played(folder, "main-2")
    assert [game.game for game in folder.last_games] == ["main-2"]
    folder.close()


# The page


def test_the_page_lists_every_key_and_word(folder: JournalFolder) -> None:
    """docs/records.md names every key of the header and of a kyoku, and every word of a step."""
    played(folder)
    (path,) = folder.folder.glob("*.journal.gz")
    journal = gzip.decompress(path.read_bytes()).decode()
    first, *lines = journal.splitlines()
    header = json.loads(first)
    starts = [json.loads(line)[-1]["kyoku"] for line in lines if '"kyoku"' in line]
    keys = {*header, *header["players"][0], *header["walls"], *starts[0], *starts[0]["seats"][0]}
    words = {json.loads(line)[1] for line in lines}
    coded = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]*)`", PAGE))))
    assert keys <= coded
    assert words <= coded


@pytest.mark.skipif(shutil.which("node") is None, reason="no node; install nodejs to run the page's JavaScript")
@pytest.mark.parametrize("seeds", [(), SEEDS])
def test_the_script_of_the_page_makes_the_same_walls(tmp_path: Path, seeds: tuple[PlayerSeed | None, ...]) -> None:
    """The JavaScript of docs/records.md gives the walls of the game, with and without texts of players."""
    (script,) = re.findall(r"```js\n(.*?)```", PAGE, re.DOTALL)
    opening = replace(OPENING, secret=secret_of("a seed", "main-1"), seeds=seeds)
    header = write_header(header_of(opening))
    rounds = [Round(0, 0, 0, 0, 0), Round(1, 3, 2, 0, 9), Round(0, 1, 1, 1, 2)]
    calls = f"const header = {header};\n" + "".join(
        "console.log(JSON.stringify(wall(header.walls.secret, texts(header), "
        f'"{at.bakaze}-{at.dealer}-{at.honba}-{at.deal}")));\n'
        for at in rounds
    )
    (tmp_path / "walls.js").write_text(script + calls)
    node = str(shutil.which("node"))
    said = subprocess.run([node, str(tmp_path / "walls.js")], capture_output=True, text=True, check=True).stdout
    deals = seeded_deals(opening.seed)
    assert [tuple(json.loads(line)) for line in said.splitlines()] == [deals(at).tiles for at in rounds]


@each_row(
    ("key", "told", "error"),
    [
        ("text", "00112233445566778899aabbccddeefF", "not the one of its commitment"),
        ("text", "short", "not the one of its commitment"),
        ("text", 7, "7 is not a text"),
        ("commitment", "cd" * 32, "not the one of its commitment"),
    ],
)
def test_a_text_must_fit_its_commitment(key: str, told: object, error: str) -> None:
    """``ump verify`` finds a record that states another text than the player has committed itself to."""
    header = json.loads(write_header(header_of(replace(OPENING, secret=secret_of("x"), seeds=SEEDS))))
    assert read_header(json.dumps(header)).opening.seeds == SEEDS
    header["walls"]["seeds"][0][key] = told
    with pytest.raises(JournalError, match=error):
        read_header(json.dumps(header))


@each_row("seeds", [[None], [None] * 5, {}, [[], None, None, None]])
def test_damaged_seeds(seeds: object) -> None:
    """There is one for each player, or none at all: journals from before players could add any."""
    header = json.loads(write_header(header_of(replace(OPENING, secret=secret_of("x")))))
    assert "seeds" not in header["walls"]
    header["walls"]["seeds"] = seeds
    with pytest.raises(JournalError):
        read_header(json.dumps(header))


def test_a_rule_that_came_later_has_its_default() -> None:
    """A journal of an earlier version is still read: it does not name the rules that have been added since."""
    header = json.loads(write_header(header_of(replace(OPENING, secret=secret_of("x")))))
    del header["rules"]["floating_uma"]
    assert read_header(json.dumps(header)).opening.ruleset == OPENING.ruleset
    for told, scope in ((True, HintScope.FACTS), (False, HintScope.NONE), ("advice", HintScope.ADVICE)):
        header["hints"] = told
        assert read_header(json.dumps(header)).opening.settings.hints is scope


def test_a_duplicate_game_names_its_group() -> None:
    """The header keeps its place among the games with the same walls; other games have nothing there."""
    place = DuplicateGame("20261122T210000Z-main-1", 2, 4)
    header = json.loads(write_header(header_of(replace(OPENING, secret=secret_of("x"), duplicate=place))))
    assert read_header(json.dumps(header)).opening.duplicate == place
    assert set(header["walls"]["duplicate"]) <= set(re.findall(r"`([a-z]+)`", PAGE))
    plain = json.loads(write_header(header_of(replace(OPENING, secret=secret_of("x")))))
    assert "duplicate" not in plain["walls"]


@each_row(
    "damage",
    [{"number": 0}, {"number": 5}, {"number": "1"}, {"games": 0}, {"games": True}, {"group": 7}, {"group": None}],
)
def test_a_damaged_place_in_a_group(damage: dict[str, object]) -> None:
    """A record with an impossible place is not read."""
    place = DuplicateGame("g", 2, 4)
    header = json.loads(write_header(header_of(replace(OPENING, secret=secret_of("x"), duplicate=place))))
    header["walls"]["duplicate"] |= damage
    with pytest.raises(JournalError):
        read_header(json.dumps(header))


def test_the_journal_is_read_as_it_was_played(folder: JournalFolder) -> None:
    """The compressed file has the same content as the one that was written."""
    hosted, journal = begun(folder)
    record_new(hosted, journal)
    before = journal.path.read_bytes()
    journal.finish(None)
    (path,) = folder.folder.glob("*.journal.gz")
    assert read_journal(gzip.decompress(path.read_bytes())) == read_journal(before)


def test_the_game_of_a_journal_can_be_converted(folder: JournalFolder) -> None:
    """It has its walls and times, and comes back from other formats with the same events and rules."""
    played(folder)
    (path,) = folder.folder.glob("*.journal.gz")
    data = gzip.decompress(path.read_bytes())
    (game,) = read_games(data)
    assert {Fact.WALLS, Fact.TIMES, Fact.COPIES, Fact.RESULTS} <= facts_of(game)
    assert Replay(game).run().mismatches == ()
    for key in ("mjai", "mortal", "tenhou6", "paipu", "mjlog"):
        (written,) = convert("a", data, Conversion(key)).games
        (again,) = read_games(written)
        assert [kyoku.events for kyoku in again.kyoku] == [kyoku.events for kyoku in game.kyoku], key
        assert (again.ruleset, again.ended, again.names) == (game.ruleset, game.ended, game.names)


def test_the_linter_replays_a_journal(folder: JournalFolder) -> None:
    """A right one has no finding; a line that does not follow is one."""
    played(folder)
    (path,) = folder.folder.glob("*.journal.gz")
    data = gzip.decompress(path.read_bytes())
    assert lint("right", data).findings == ()
    altered = re.sub(rb'("ended","completed",\[)(\d+)', rb"\g<1>1\2", data)
    assert altered != data
    assert [finding.rule for finding in lint("altered", altered).findings] == [Rule.REPLAY]


def test_games_that_end_together_are_finished_one_batch_after_the_other(tmp_path: Path) -> None:
    """One thread at a time works on journals; what ends meanwhile is entered together, also when the server stops."""
    running: list[tuple[Callable[..., None], tuple[Any, ...], Deferred[None]]] = []

    def later(call: Callable[..., None], *arguments: Any) -> Deferred[None]:
        result: Deferred[None] = Deferred()
        running.append((call, arguments, result))
        return result

    folder = journal_folder(tmp_path / "records", in_thread=later)
    folder.open()
    for number in range(1, 4):
        played(folder, f"main-{number}")
    ((call, arguments, result),) = running
    assert len(arguments[0]) == 1
    assert folder.to_finish == 3
    call(*arguments)
    result.callback(None)
    assert folder.to_finish == 2
    call, arguments, result = running[1]
    assert len(arguments[0]) == 2
    call(*arguments)
    played(folder, "main-4")
    assert len(running) == 2
    folder.close()
    assert sorted(game.game for game in folder.last_games) == ["main-1", "main-2", "main-3", "main-4"]
    assert folder.last_games == tuple(GameIndex(folder.folder).games())
    assert len(list(folder.folder.glob("*.journal.gz"))) == 4


# Lines


ACTIONS: tuple[tuple[actions.Action, str], ...] = (
    (actions.Discard(4), "sute 5m"),
    (actions.Discard(34, tsumogiri=True), "sute 5M tsumogiri"),
    (actions.Riichi(27), "richi 1z"),
    (actions.Riichi(27, tsumogiri=True), "richi 1z tsumogiri"),
    (actions.Riichi(27, opened=True), "openrichi 1z"),
    (actions.Riichi(27, tsumogiri=True, opened=True), "openrichi 1z tsumogiri"),
    (actions.Ankan(4), "ankan 5m"),
    (actions.Kakan(34), "kakan 5M"),
    (actions.Kita(), "kita"),
    (actions.Tsumo(), "tsumo"),
    (actions.KyushuKyuhai(), "ryukyoku"),
    (actions.Pass(), "no"),
    (actions.Chi((3, 34)), "chi 4m 5M"),
    (actions.Pon((4, 34)), "pon 5m 5M"),
    (actions.Daiminkan(), "kan"),
    (actions.Ron(), "ron"),
    (actions.DeclareTenpai(), "tenpai"),
    (actions.DeclareNoten(), "noten"),
)


@each_row(("action", "words"), ACTIONS)
def test_actions(action: actions.Action, words: str) -> None:
    """Each action has words, which are read as the same action."""
    assert write_action(action) == words
    assert read_action(words) == action


def test_every_action_is_listed() -> None:
    """The table above leaves no class out."""
    assert {type(action) for action, _ in ACTIONS} == set(get_args(actions.Action))


@given(st.text() | st.lists(st.sampled_from(["sute", "chi", "5m", "5M", "tsumogiri", "no", ""])).map(" ".join))
def test_other_words_are_refused(words: str) -> None:
    """Any text is an action that is written in the same words, or refused."""
    try:
        action = read_action(words)
    except JournalError:
        return
    assert write_action(action) == words


POINTS = (25_000, 24_000, 26_000, -1_000)
STEPS: tuple[tuple[list[je.Entry], str], ...] = (
    ([je.Began()], '[7,"began"]'),
    ([je.ActionTaken(2, actions.Discard(4), je.Cause.ANSWER)], '[7,"answer",2,"sute 5m"]'),
    ([je.PassHeld(2, 1_207)], '[7,"passed",2,1207]'),
    ([je.PassHeld(2, 1_207, had_choice=True)], '[7,"passed",2,1207,"choice"]'),
    (
        [je.TimePassed(), je.ActionTaken(2, actions.Pass(), je.Cause.HELD)],
        '[7,"time",{"then":[["default",2,"no","held"]]}]',
    ),
    ([je.SeatReady(3)], '[7,"ready",3]'),
    ([je.AnswerLate(0)], '[7,"late",0]'),
    ([je.SilenceBroken(1)], '[7,"heard",1]'),
    ([je.SeatLeft(1)], '[7,"left",1]'),
    ([je.SeatDropped(1)], '[7,"dropped",1]'),
    ([je.SeatReturned(1, 2)], '[7,"returned",1,2]'),
    ([je.TimeExtended(60_000)], '[7,"extended",60000]'),
    ([je.Ended(je.End.STOPPED, POINTS)], '[7,"ended","stopped",[25000,24000,26000,-1000]]'),
    (
        [je.TimePassed(), je.ActionTaken(0, actions.Pass(), je.Cause.TIMEOUT)],
        '[7,"time",{"then":[["default",0,"no","timeout"]]}]',
    ),
    (
        [
            je.AnswerRefused(0, Reason.FURITEN),
            je.FaultCommitted(0, Reason.FURITEN, je.Faults.ABORT),
            je.Ended(je.End.ABORTED, POINTS),
        ],
        '[7,"refused",0,"furiten",{"then":[["fault",0,"furiten","abort"],'
        '["ended","aborted",[25000,24000,26000,-1000]]]}]',
    ),
)


@each_row(("entries", "line"), STEPS)
def test_steps(entries: list[je.Entry], line: str) -> None:
    """Each step has a line, which is read as the same step."""
    step = JournalStep(7, entries)
    assert write_step(step) == line
    assert read_step(line, seats=4) == step


def test_every_entry_is_listed() -> None:
    """The table above leaves no class out."""
    assert {type(entry) for entries, _ in STEPS for entry in entries} == set(get_args(je.Entry))


@given(st.text())
def test_other_lines_are_refused(line: str) -> None:
    """No text raises anything but JournalError."""
    try:
        step = read_step(line, seats=4)
    except JournalError:
        return
    assert read_step(write_step(step), seats=4) == step
