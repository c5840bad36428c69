"""``scripts/interop``: its verdict about a game, and its exit status."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator, Mapping

import pytest
from click.testing import CliRunner, Result
from support.rows import each_row
from support.scripted_server import ROOT

from scripts.interoperation import participants
from scripts.interoperation.meetings import Client, Meeting, judge
from scripts.interoperation.participants import MEETINGS, Place
from scripts.lab.server import read_result

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("prepared_starts")]

ENDS = "2026-11-21T23:38:20+0000 [ump.server.table_runner.TableRunner#info] main-1 ends, "
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


@each_row(("line", "statuses", "faults", "complaints"), JUDGED)
def test_faults_of_a_game(
    line: str | None, statuses: Mapping[str, int | None], faults: Mapping[str, str], complaints: list[str]
) -> None:
    """An unfinished game, a failed program, and every unexpected fault count."""
    clients = (Client("a", lambda on: [], crosses=True),)
    meeting = Meeting("test", "", "", clients, faults=faults)
    assert judge(meeting, None if line is None else read_result(ENDS + line), statuses) == complaints


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


def test_a_failure_sets_the_exit_status(run: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a failure the other games are still played, the cause is shown, and the exit status is 1."""

    def broken(place: Place) -> Meeting:
        failing = Client("b", lambda on: [sys.executable, "-c", "raise SystemExit('no model in models/')"])
        return Meeting("broken", "1.0", "UMP", (failing,), participants.THREE_BOTS, log_seconds=0.05)

    def missing(place: Place) -> Meeting:
        return Meeting("missing", "1.0", "UMP", (Client("a", lambda on: ["/nowhere/bot"]),))

    monkeypatch.setattr(
        participants, "MEETINGS", {"broken": broken, "missing": missing, "clients": MEETINGS["clients"]}
    )
    ended = interop(run)
    assert ended.exit_code == 1
    assert "FAIL  [Errno 2] No such file or directory: '/nowhere/bot'" in ended.output
    assert "\nbroken: the end of the output of b\n    no model in models/\n" in ended.output
    assert "\nmissing: the end of the output of the server\n" in ended.output
    assert ended.output.splitlines()[-1] == "1 pass, 2 fail, 0 skip"
