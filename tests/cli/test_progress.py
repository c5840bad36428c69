"""Progress goes to a terminal only, from every command and script."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from support.programs import UMP, run
from support.scripted_server import ROOT
from support.written_record import RECORD

from ump.cli.command_line import clear_progress, show_progress

pytestmark = pytest.mark.once


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


@pytest.mark.parametrize(("stream", "written"), [(Terminal(), "\r\x1b[K1 of 2\r\x1b[K"), (io.StringIO(), "")])
def test_progress_needs_a_terminal(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, written: str) -> None:
    """A terminal shows one line, which is erased at the end; a file stays empty."""
    monkeypatch.setattr(sys, "stderr", stream)
    show_progress("1 of 2")
    clear_progress()
    assert stream.getvalue() == written


def test_a_table_is_erased_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cursor goes up to the first of its lines, and the rest of the screen is erased."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    show_progress("a\nb\nc")
    show_progress("d")
    clear_progress()
    assert terminal.getvalue() == "\r\x1b[Ka\nb\nc\r\x1b[2A\x1b[Jd\r\x1b[K"


def test_long_work_says_how_long_the_rest_will_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time begins with the first text after the last erasing, with what was done then."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    clock = iter((0.0, 4.0, 6.0, 600.0, 700.0, 710.0))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    for done in (10, 12, 13, 14):
        show_progress("work\nmore", done, 22)
    clear_progress()
    show_progress("rest", 21, 22)
    show_progress("rest", 22, 22)
    shown = [text.rpartition("\x1b[")[2][1:] for text in terminal.getvalue().split("\r")]
    assert shown[1:] == [
        "work\nmore",
        "work\nmore",
        "work, 18 s left\nmore",
        "work, 20 min left\nmore",
        "",
        "rest",
        "rest",
    ]


def test_one_module_decides_where_progress_goes() -> None:
    """No other code asks whether a stream is a terminal, except for typing, colours, Ctrl-C, or a lost terminal."""
    sources = [path for path in (ROOT / "ump").rglob("*.py") if path.name != "command_line.py"]
    sources += [path for path in (ROOT / "scripts").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in sources}
    asking = {name for name, text in texts.items() if "isatty" in text or "progressbar" in text}
    network = {"ump/terminal/connect.py", "ump/server/service.py", "ump/server/tap.py"}
    assert asking == network | {"ump/cli/show.py", "ump/cli/users.py"}


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["scripts/bench", "--only", "mjai", "--runs", "1"], marks=pytest.mark.long),
        [*UMP, "compare", "tsumogiri", "random", "--games", "4", "--set", "length=kyoku", "--jobs", "1"],
        [*UMP, "verify", "--jobs", "1", "RECORD"],
    ],
    ids=["bench", "compare", "verify"],
)
def test_a_pipe_receives_results_only(tmp_path: Path, command: list[str]) -> None:
    """Standard error stays empty, and standard output has the results."""
    record = tmp_path / "written.xml"
    record.write_text(RECORD, encoding="utf-8")
    arguments = [str(record) if word == "RECORD" else word for word in command]
    ended = run(*arguments, cwd=ROOT)
    assert (ended.stderr, ended.returncode) == ("", 0)
    assert ended.stdout
