"""The log as JSON: a line for each event, with its fields."""

from __future__ import annotations

import errno
import io
import json
import stat
import sys
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from support.memory_server import memory_server, room
from twisted.application.twist._options import TwistOptions
from twisted.logger import LogBeginner, Logger, LogLevel, LogPublisher, capturedLogs
from twisted.python.logfile import LogFile
from twisted.scripts._twistd_unix import ServerOptions

from ump.server.log_file import (
    MEBIBYTE,
    LogFileOptions,
    LogFormat,
    Once,
    RotatedLog,
    bounded_log,
    from_level,
    json_line,
)

ROOT = Path(__file__).resolve().parents[2]


def written(form: LogFormat) -> tuple[Logger, io.StringIO]:
    """Return a logger that writes lines of this form, and what it writes to."""
    stream = io.StringIO()
    return Logger(namespace="ump.test", observer=LogPublisher(form.observer(stream))), stream


def test_a_line_has_its_fields() -> None:
    """The text is that of the other form; fields keep their types, and what JSON cannot hold becomes text."""
    log, stream = written(LogFormat.JSON)
    log.info(
        "{table}: {player} has {points} points",
        table="main-1",
        player='a "b"\n{x}',
        points=25000,
        path=Path("x"),
        seconds=float("inf"),
    )
    (line,) = stream.getvalue().splitlines()
    fields = json.loads(line)
    assert fields.pop("time").endswith("+00:00")
    assert fields == {
        "level": "info",
        "logger": "ump.test",
        "text": 'main-1: a "b"\n{x} has 25000 points',
        "table": "main-1",
        "player": 'a "b"\n{x}',
        "points": 25000,
        "path": "x",
        "seconds": "inf",
    }


def test_a_failure_has_its_traceback() -> None:
    """Errors of the server are complete, on one line."""
    log, stream = written(LogFormat.JSON)
    try:
        raise RuntimeError("told\ntwice")
    except RuntimeError:
        log.failure("{table} breaks down", table="main-1")
    (line,) = stream.getvalue().splitlines()
    fields = json.loads(line)
    assert (fields["level"], fields["text"]) == ("critical", "main-1 breaks down")
    assert "RuntimeError: told" in fields["traceback"]


def test_an_event_without_text_is_left_out() -> None:
    """Twisted's own log has such events."""
    assert json_line({"log_time": 0.0}) is None


def test_the_text_form_is_twisteds() -> None:
    """Time, logger and level, then the text."""
    log, stream = written(LogFormat.TEXT)
    log.info("hello {name}", name="a")
    assert stream.getvalue().endswith(" [ump.test#info] hello a\n")


def test_a_log_file_of_json(tmp_path: Path) -> None:
    """Characters that no encoding has are escaped; lines below the level are left out."""
    log = RotatedLog(tmp_path / "ump.log", LogFileOptions(size=1, files=2))
    observer = from_level(LogLevel.info, LogFormat.JSON.observer(log.lines))
    logger = Logger(namespace="ump.test", observer=LogPublisher(observer))
    logger.debug("no")
    logger.info("{name} joins", name="a\udc80")
    log.close()
    (line,) = (tmp_path / "ump.log").read_text("utf-8").splitlines()
    assert json.loads(line)["name"] == "a\udc80"


def test_a_full_disk_costs_lines_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twisted would log each failed line with a traceback; the log says later how many are lost."""
    log = RotatedLog(tmp_path / "ump.log", LogFileOptions())
    publisher = LogPublisher(LogFormat.JSON.observer(log.lines))
    logger = Logger(namespace="ump.test", observer=publisher)
    monkeypatch.setattr(RotatedLog, "_log", logger)
    with monkeypatch.context() as full, capturedLogs() as events:
        full.setattr(LogFile, "write", Mock(side_effect=OSError(errno.ENOSPC, "No space left on device")))
        logger.info("a")
        logger.info("b")
    logger.info("c")
    log.close()
    texts = [json.loads(line)["text"] for line in (tmp_path / "ump.log").read_text("utf-8").splitlines()]
    assert texts == ["c", "2 lines before the last one are lost: the log could not be written"]
    assert not events


def test_a_rotation_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same file goes on with all lines, in a folder that the log has made, and the next rotation is tried later."""
    path = tmp_path / "new" / "ump.log"
    log = RotatedLog(path, LogFileOptions(size=1, files=1))
    logger = Logger(namespace="ump.test", observer=LogPublisher(LogFormat.JSON.observer(log.lines)))
    monkeypatch.setattr(RotatedLog, "_log", logger)
    older = path.with_name("ump.log.1")
    older.mkdir()
    long = "x" * MEBIBYTE
    for text in (long, "a", "b"):
        logger.info(text)
    texts = [json.loads(line)["text"] for line in path.read_text("utf-8").splitlines()]
    assert texts[1:] == ["the log could not be rotated: Is a directory", "a", "b"]
    older.rmdir()
    logger.info(long)
    logger.info("c")
    log.close()
    assert path.read_text("utf-8").count("\n") == 1


@pytest.mark.parametrize(("words", "name"), [(["--logfile=ump.log"], "ump.log"), ([], "twistd.log"), (["-n"], None)])
def test_the_log_of_twistd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], name: str
) -> None:
    """It has no debug lines, in a file and on standard output; only the group can read the file, which is rotated."""
    monkeypatch.chdir(tmp_path)
    options: Any = ServerOptions()
    options.parseOptions(words)
    log, observer = bounded_log(options, LogFileOptions())
    assert observer is not None
    logger = Logger(namespace="ump.test", observer=LogPublisher(observer))
    logger.debug("no")
    logger.info("yes")
    if log is None:
        text = capsys.readouterr().out
    else:
        log.rotate()
        log.close()
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o640
        text = Path(f"{name}.1").read_text("utf-8")
    assert [line.split()[-1] for line in text.splitlines()] == ["yes"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ([] if name is None else [name, f"{name}.1"])


@pytest.mark.parametrize(("file", "is_rotated"), [("ump.log", True), ("/dev/null", False), ("-", False)])
def test_the_log_of_twist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, is_rotated: bool) -> None:
    """Its runner writes to a file that is rotated, from the level that its options name."""
    monkeypatch.chdir(tmp_path)
    options: Any = TwistOptions()
    options["logFile"] = sys.__stdout__
    if file != "-":
        options.opt_log_file(file)
    log, observer = bounded_log(options, LogFileOptions())
    assert (log is not None, observer) == (is_rotated, None)
    assert (options["logFile"] is log) == is_rotated
    if log is not None:
        log.write("line\n")
        log.rotate()
        log.close()
        assert Path("ump.log.1").read_text("utf-8") == "line\n"
    elif file != "-":
        options["logFile"].close()


def test_lines_from_before_the_log_begins_come_once() -> None:
    """Twisted repeats them to observers that have had them; the same text logged twice is no repetition."""
    publisher, stream = LogPublisher(), io.StringIO()
    beginner = LogBeginner(publisher, io.StringIO(), None, warnings)
    logger, observer = Logger(namespace="ump.test", observer=publisher), Once(LogFormat.JSON.observer(stream))
    logger.info("before the observer")
    publisher.addObserver(observer)
    logger.info("twice")
    logger.info("twice")
    showwarning = warnings.showwarning
    try:
        beginner.beginLoggingTo([], redirectStandardIO=False)
    finally:
        warnings.showwarning = showwarning
    observer.begin()
    logger.info("after")
    texts = [json.loads(line)["text"] for line in stream.getvalue().splitlines()]
    assert texts == ["twice", "twice", "before the observer", "after"]


def test_lines_about_players_have_table_seat_and_player() -> None:
    """The example of the page is what the server writes for a player who leaves."""
    page = (ROOT / "docs" / "server.md").read_text("utf-8")
    (example,) = (json.loads(line) for line in page.splitlines() if line.startswith('{"time"'))
    with memory_server(room(length="kyoku")) as server, capturedLogs() as events:
        robots = server.robots("a", "bob", "c", "d")
        server.play(robots, until=lambda: robots[0].peer.words().count("sutehai") > 1)
        robots[1].peer.say("99 bye")
        lines = [json.loads(line) for event in events if (line := json_line(event)) is not None]
    (left,) = (line for line in lines if line["text"].endswith("leaves"))
    assert left.keys() == example.keys()
    assert (left["player"], left["table"], left["logger"]) == ("bob", "main-1", example["logger"])
    assert left["seat"] in "ABCD"
