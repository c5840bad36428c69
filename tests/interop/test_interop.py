"""``scripts/interop``: finding programs, judging games, and ending all processes."""

from __future__ import annotations

import json
import os
import re
import runpy
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.scripted_server import ROOT

from scripts.interoperation import meetings, packages, participants
from scripts.interoperation.meetings import Client, Meeting, Verdict, hold, judge
from scripts.interoperation.packages import Locations, Missing, find_bot, find_gimite, find_mjai, find_npm
from scripts.interoperation.participants import MEETINGS, Place
from scripts.interoperation.server import OurServer, PlayerResult, Process, read_result, wait_until

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]

# The log


ENDS = "2026-11-21T23:38:20+0000 [ump.server.table_runner.TableRunner#info] main-1 ends, "

RESULTS: list[tuple[str, str, dict[str, PlayerResult]]] = [
    (
        "completed: a-1 22600, b 23600, 電脳 23600, d.2 30200; seed 3e99",
        "completed",
        {
            "a-1": PlayerResult(22600, {}),
            "b": PlayerResult(23600, {}),
            "電脳": PlayerResult(23600, {}),
            "d.2": PlayerResult(30200, {}),
        },
    ),
    (
        "completed: a 26800 (21 in_riichi), b -100 (2 furiten, 1 unreadable, 3 late, 1 stale); seed x",
        "completed",
        {
            "a": PlayerResult(26800, {"in_riichi": 21}),
            "b": PlayerResult(-100, {"furiten": 2, "unreadable": 1, "late": 3, "stale": 1}),
        },
    ),
    (
        "aborted: a, the first 1 (1 not_held), b 2; seed x",
        "aborted",
        {
            "a, the first": PlayerResult(1, {"not_held": 1}),
            "b": PlayerResult(2, {}),
        },
    ),
]


@pytest.mark.parametrize(("line", "end", "accounts"), RESULTS)
def test_the_log_line_of_a_finished_game(line: str, end: str, accounts: Mapping[str, PlayerResult]) -> None:
    """The log line about the end of a game has the points of each player and the faults of its answers."""
    result = read_result(ENDS + line)
    assert result is not None
    assert (result.end, dict(result.players)) == (end, accounts)


@pytest.mark.parametrize("line", ["", "main-1 begins: a, b, c, d", "main-1: a leaves", "a ended, status 1"])
def test_other_log_lines(line: str) -> None:
    """Other lines of the log have no result."""
    assert read_result(line) is None


# The verdict

GOOD = "completed: a 1, b 2; seed x"
NOBODY: Mapping[str, str] = {}
JUDGED: list[tuple[str | None, Mapping[str, int | None], Mapping[str, str], list[str]]] = [
    (GOOD, {"a": 0}, NOBODY, []),
    (None, {"a": 0}, NOBODY, ["the game did not end in time"]),
    ("abandoned: a 1, b 2; seed x", {"a": 1}, NOBODY, ["the game was abandoned", "a ended with status 1"]),
    (GOOD, {"a": None}, NOBODY, ["a is still running"]),
    (GOOD, {"a": -9}, NOBODY, ["a ended with status -9"]),
    ("completed: a 1 (2 furiten), b 2; seed x", {}, NOBODY, ["a: 2 furiten"]),
    ("completed: a 1 (2 stale), b 2 (1 stale); seed x", {}, NOBODY, ["b: 1 stale"]),
    ("completed: a 1, b 2 (1 late); seed x", {}, {"b": "late"}, []),
    (GOOD, {}, {"b": "late"}, ["b did not commit the expected fault late"]),
    (GOOD, {}, {"c": "late"}, ["c did not play"]),
    ("completed: a 1 (1 late), b 2 (1 late); seed x", {}, {"b": "late"}, ["a: 1 late"]),
]


@pytest.mark.parametrize(("line", "statuses", "faults", "complaints"), JUDGED)
def test_faults_of_a_game(
    line: str | None, statuses: Mapping[str, int | None], faults: Mapping[str, str], complaints: list[str]
) -> None:
    """An unfinished game, a failed program, and every unexpected fault count."""
    clients = (Client("a", lambda on: [], crosses=True),)
    meeting = Meeting("test", "", "", clients, faults=faults)
    assert judge(meeting, None if line is None else read_result(ENDS + line), statuses) == complaints


# Finding programs


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which npm seems to have installed kobalab's server, and a program called node."""
    program = tmp_path / "bin" / "node"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho v20.1.0\n", encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("NODE_PATH", raising=False)
    monkeypatch.chdir(tmp_path / "bin")
    package = tmp_path / "node_modules" / "@kobalab" / "majiang-server"
    package.mkdir(parents=True)
    text = json.dumps({"version": "1.4.3", "bin": {"majiang-bot": "./bin/client.js"}})
    (package / "package.json").write_text(text, encoding="utf-8")
    return tmp_path


def test_packages_of_npm(npm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The packages are found in the given folder, in its node_modules, or in the folders of NODE_PATH."""
    for given in (npm, npm / "node_modules"):
        found = find_npm(Locations(npm=given))
        assert found.version("majiang-server") == "1.4.3"
        assert found.program("majiang-server", "majiang-bot")[1].endswith("majiang-server/bin/client.js")
        assert not found.has_websocket
    with pytest.raises(Missing, match="the packages of @kobalab are not installed: npm install"):
        find_npm(Locations())
    monkeypatch.setenv("NODE_PATH", str(npm / "node_modules"))
    (npm / "node_modules" / "ws").mkdir()
    found = find_npm(Locations())
    assert found.has_websocket
    with pytest.raises(Missing, match="@kobalab/majiang-ai is not in "):
        found.version("majiang-ai")


def test_no_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names node."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Missing, match="node is not installed"):
        find_npm(Locations())


def test_relative_paths_are_those_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They become absolute, because the programs are started from other folders; links are kept."""
    real = tmp_path / "real"
    real.write_text("#!/bin/sh\necho 0.2.1\n", encoding="ascii")
    real.chmod(0o755)
    (tmp_path / "bin").mkdir()
    for name in ("python", "node"):
        (tmp_path / "bin" / name).symlink_to(real)
    (tmp_path / "bots" / "tsumogiri").mkdir(parents=True)
    (tmp_path / "bots" / "tsumogiri" / "bot.py").touch()
    (tmp_path / "node_modules" / "@kobalab").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "bin")
    assert find_mjai(Locations(mjai_python="bin/python")).python == str(tmp_path / "bin" / "python")
    assert find_mjai(Locations(mjai_python="python")).python == "python"
    assert find_bot(Locations(mjai_bots=Path("bots")), "tsumogiri").is_absolute()
    for locations in (Locations(npm=Path()), Locations(npm=Path("node_modules")), Locations()):
        found = find_npm(locations)
        assert (found.node, found.folder) == (str(tmp_path / "bin" / "node"), tmp_path / "node_modules")


def test_programs_of_mjai(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mjai needs a Python with its package, and the folder of its example bots."""
    python = tmp_path / "python"
    with pytest.raises(Missing, match="has no mjai: pip install mjai"):
        find_mjai(Locations(mjai_python=str(python)))
    python.write_text("#!/bin/sh\necho 0.2.1\n", encoding="ascii")
    python.chmod(0o755)
    assert find_mjai(Locations(mjai_python=str(python))).version == "0.2.1"
    with pytest.raises(Missing, match="the example bots of mjai are not installed"):
        find_bot(Locations(), "tsumogiri")
    with pytest.raises(Missing, match=r"tsumogiri/bot\.py does not exist"):
        find_bot(Locations(mjai_bots=tmp_path), "tsumogiri")
    monkeypatch.setenv("UMP_MJAI_BOTS", str(tmp_path))
    monkeypatch.delenv("UMP_NPM", raising=False)
    monkeypatch.delenv("MJAI_RUBY", raising=False)
    monkeypatch.setenv("UMP_MJAI_PYTHON", "")
    assert Locations.from_environment() == Locations(mjai_bots=tmp_path)


def test_players_of_gimite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gimite's players need the source, and a ruby that has their libraries."""
    with pytest.raises(Missing, match="gimite/mjai is not installed: git clone"):
        find_gimite(Locations())
    with pytest.raises(Missing, match="lib does not exist"):
        find_gimite(Locations(mjai_ruby=tmp_path))
    (tmp_path / "lib").mkdir()
    ruby = tmp_path / "ruby"
    ruby.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
    ruby.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(Missing, match="install ruby, ruby-nokogiri and ruby-sass"):
        find_gimite(Locations(mjai_ruby=tmp_path))
    ruby.write_text("#!/bin/sh\n", encoding="ascii")
    assert str(tmp_path / "lib") in find_gimite(Locations(mjai_ruby=tmp_path))


# The programs


def test_closing_a_process_kills_its_group(tmp_path: Path) -> None:
    """Closing a process kills it and its child, although both ignore SIGTERM."""
    lines = [
        "import os, signal, time",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "os.fork()",
        "os.write(1, b'%d\\n' % os.getpid())",  # one write, so that lines do not mix
        "time.sleep(60)",
    ]
    process = Process([sys.executable, "-c", "\n".join(lines)], tmp_path)
    assert wait_until(lambda: len(process.lines) == 2, 30)
    pids = [int(line) for line in process.lines]
    process.terminate(0.1)
    assert process.status is None
    process.close()
    assert process.status == -9
    assert wait_until(lambda: not any(map(_is_running, pids)), 10)


def _is_running(pid: int) -> bool:
    """Return whether a process exists and is not a zombie."""
    with suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
        return state != "Z"
    return False


def test_a_server_that_does_not_start() -> None:
    """The error contains the last line of the server."""
    with OurServer(["--rules", "nobody"]) as server, pytest.raises(RuntimeError, match=r"does not start: .*nobody"):
        server.addresses()


def test_a_client_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The game fails soon after a client does, and the remark contains the client's last line."""
    monkeypatch.setattr(meetings, "LOG_SECONDS", 0.1)
    script = "print('first\\nsecond'); raise SystemExit('failed at {}')"
    client = Client("a", lambda on: [sys.executable, "-uc", script.format(on.ump)])
    outcome = hold(Meeting("test", "1.0", "UMP", (client,), participants.THREE_BOTS), 60.0)
    assert outcome.verdict is Verdict.FAIL
    assert outcome.remark.startswith("the game did not end in time; a ended with status 1; a says: failed at ")
    assert list(outcome.output) == ["a"]
    assert outcome.output["a"][:2] == ["first", "second"]


def test_the_log_is_shown_if_no_client_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of the server's log, before it was stopped."""
    monkeypatch.setattr(meetings, "LOG_SECONDS", 0.1)
    client = Client("a", lambda on: [sys.executable, "-c", "pass"])
    outcome = hold(Meeting("test", "1.0", "UMP", (client,), participants.THREE_BOTS), 60.0)
    assert outcome.remark == "the game did not end in time"
    assert list(outcome.output) == ["the server"]
    assert "The server is ready" in "".join(outcome.output["the server"])
    assert "stopping" not in "".join(outcome.output["the server"])


# The script


@pytest.fixture
def run() -> Iterator[CliRunner]:
    """Return a runner for scripts/interop in this process."""
    path = list(sys.path)
    yield CliRunner()
    sys.path[:] = path


def interop(run: CliRunner, *arguments: str) -> Result:
    """Run the script with these arguments."""
    script = runpy.run_path(str(ROOT / "scripts" / "interop"), run_name="interop")
    return run.invoke(script["main"], arguments)


def _no_version(package: str) -> str:
    """Find no package."""
    raise PackageNotFoundError(package)


def test_missing_programs_are_skipped(run: CliRunner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each skipped game has a line that says how to install the program; that is not a failure."""
    monkeypatch.setenv("PATH", "/nowhere")
    for name in packages.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(packages, "version", _no_version)
    others = [word for name in MEETINGS if name != "clients" for word in ("--only", name)]
    ended = interop(run, *others, "--mjai-python", str(tmp_path / "python"))
    assert ended.exit_code == 0
    _, *lines, empty, counts = ended.output.splitlines()
    assert (empty, counts) == ("", f"0 pass, 0 fail, {len(MEETINGS) - 1} skip")
    assert len(lines) == len(MEETINGS) - 1
    assert all(" skip  " in line and re.search("not installed|has no mjai: ", line) for line in lines)


def test_a_failure_sets_the_exit_status(run: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a failure the other games are still played, the cause is shown, and the exit status is 1."""

    def broken(place: Place) -> Meeting:
        failing = Client("b", lambda on: [sys.executable, "-c", "raise SystemExit('no model in models/')"])
        return Meeting("broken", "1.0", "UMP", (failing,), participants.THREE_BOTS)

    def missing(place: Place) -> Meeting:
        return Meeting("missing", "1.0", "UMP", (Client("a", lambda on: ["/nowhere/bot"]),))

    monkeypatch.setattr(meetings, "LOG_SECONDS", 2.0)
    monkeypatch.setattr(
        participants, "MEETINGS", {"broken": broken, "missing": missing, "clients": MEETINGS["clients"]}
    )
    ended = interop(run)
    assert ended.exit_code == 1
    assert "FAIL  [Errno 2] No such file or directory: '/nowhere/bot'" in ended.output
    assert "\nbroken: the end of the output of b\n    no model in models/\n" in ended.output
    assert "\nmissing: the end of the output of the server\n" in ended.output
    assert ended.output.splitlines()[-1] == "1 pass, 2 fail, 0 skip"
