"""The command ``ump check-client``, with real processes and ports."""

from __future__ import annotations

import json
import re
import signal
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from click.testing import CliRunner
from support import programs
from support.programs import UMP, Program, run, start
from support.rows import each_row
from twisted.internet import reactor
from twisted.trial.unittest import TestCase

from ump.bots.check import run as check_run
from ump.bots.check.check import CheckOptions, CheckServer
from ump.bots.check.run import SituationResult, SituationVerdict
from ump.bots.check.situations import SITUATIONS
from ump.cli.main import main
from ump.net import child_process
from ump.net.bot_commands import read_command
from ump.table.clock import TimeControl

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[3]
BATCH = f"{sys.executable} {ROOT / 'tests' / 'support' / 'bots' / 'batch.py'} {{seat}}"
TSUMOGIRI = f"{sys.executable} {ROOT / 'clients' / 'tsumogiri.py'}"
TSUMOGIRI_MJAI = f"{sys.executable} {ROOT / 'clients' / 'tsumogiri_mjai.py'}"
EFFICIENCY = f"{sys.executable} {ROOT / 'clients' / 'efficiency.py'}"


def check(*arguments: str) -> CompletedProcess[str]:
    """Run the command."""
    return run(*UMP, "check-client", *arguments)


def report(*arguments: str) -> tuple[int, dict[str, Any]]:
    """Run the command, and return its status, and its situations by name."""
    done = check(*arguments, "--json")
    assert not done.stderr
    return done.returncode, {each["name"]: each for each in json.loads(done.stdout)["situations"]}


def only(*names: str) -> list[str]:
    """Return the options that play these situations."""
    return [word for name in names for word in ("--only", name)]


@pytest.mark.parametrize(
    ("way", "command"),
    [
        ("--mjai", BATCH),
        ("--start", f"{TSUMOGIRI} {{ump}} --ump 0.2"),
        ("--start", f"{TSUMOGIRI_MJAI} mjsonp://{{mjai}}/default"),
        ("--start", f"{EFFICIENCY} ws://{{http}}/majiang --retry 0"),  # else it pauses after cut-off
    ],
)
def test_sound_clients(way: str, command: str) -> None:
    """The clients of the repository have no fault, however they come."""
    status, situations = report(way, command, *only("double-ron", "cut-off"))
    assert {name: each["result"] for name, each in situations.items()} == dict.fromkeys(situations, "pass")
    assert len(situations) == 2
    assert status == 0


def test_coming_back() -> None:
    """A client whose connection is cut comes back over a WebSocket, and one that was late plays on."""
    client = f"{EFFICIENCY} ws://{{http}}/ws/ranked --token secret"
    status, situations = report("--start", client, *only("reconnect"))
    assert situations["reconnect"]["result"] == "pass"
    assert status == 0


def test_streams_cannot_be_cut() -> None:
    """A bot over standard streams has no connection to lose."""
    _, situations = report("--mjai", BATCH, *only("reconnect"))
    assert situations["reconnect"]["result"] == "skipped"


def bot(folder: Path, body: str) -> str:
    """Write a bot of mjai line by line, and return its command; ``body`` sees each ``event``."""
    text = f"""
        import json, sys
        seat = int(sys.argv[1])
        for line in sys.stdin:
            event = json.loads(line)
            if not event.get("can_act", True):
                continue
            reply = {{"type": "none"}}
            if event["type"] == "tsumo" and event["actor"] == seat:
                reply = {{"type": "dahai", "actor": seat, "pai": event["pai"], "tsumogiri": True}}
{textwrap.indent(textwrap.dedent(body), " " * 12)}
            if event["type"] in ("tsumo", "dahai", "kakan", "ankan"):
                print(json.dumps(reply), flush=True)
        """
    path = folder / "bot.py"
    path.write_text(textwrap.dedent(text))
    return f"{sys.executable} {path} {{seat}}"


def test_a_bot_that_crashes(tmp_path: Path) -> None:
    """The fault names the last words of the bot; the next situation is played by a new one."""
    command = bot(tmp_path, 'if event["type"] == "tsumo" and event["pai"] == "5mr": raise KeyError("5mr")')
    done = check(
        "--mjai-lines", command, *only("discard", "red-five", "nine-terminals"), "--trace", str(tmp_path / "t")
    )
    assert done.returncode == 1
    assert (
        "the client has closed the connection during the game; it ended with status 1: KeyError: '5mr'" in done.stdout
    )
    assert "3 situations: 2 pass, 1 fail" in done.stdout
    traces = sorted(path.name for path in (tmp_path / "t").iterdir())
    assert traces == ["01-discard.trace", "02-red-five.trace", "03-nine-terminals.trace"]


ENDS = [
    ("sys.exit('played badly')", SituationResult.FAIL, "discards 9m; it ended with status 1: played badly"),
    ("print('won 3', file=sys.stderr)", SituationResult.PASS, "discards 9m; it ended with status 0: won 3"),
    ("json.loads('')", SituationResult.PASS, "discards 9m; it ended with status 1: json.decoder.JSONDecodeError"),
]
"""The act of a bot whose input has ended, the result, and the text that is shown."""


RAISING = """
from ump.bots import Bot, run

class Raising(Bot):
    def decide(self, observation, legal):
        raise RuntimeError("no model")

run(Raising)
"""


class CheckTests(TestCase):
    """Checks in this process, with real bots."""

    timeout = 100

    def setUp(self) -> None:
        """Make a folder for a bot, and give its process time to end: the machine may be busy."""
        self.patch(check_run, "LAST_WORDS_SECONDS", 100)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    async def verdicts(self, *names: str, bot: str | None = None, client: str = "") -> list[SituationVerdict]:
        """Return the verdicts about a bot behind pipes, or about a client that connects."""
        situations = tuple(situation for situation in SITUATIONS if situation.name in names)
        command = None if bot is None else read_command("mjai-lines", bot)
        options = CheckOptions(situations, TimeControl(60, 0), command, tuple(client.split()))
        server = CheckServer(options, reactor, lambda number, situation: None)
        server.open()
        server.begin(lambda hints: None)
        await server.check.over
        await server.close()
        return list(server.check.verdicts)

    async def test_the_end_of_a_bot_counts(self) -> None:
        """A status is a fault, but for a traceback that comes after the game; the last line is shown."""
        command = bot(self.folder, "")
        body = (self.folder / "bot.py").read_text()
        for last, result, came in ENDS:
            (self.folder / "bot.py").write_text(f"{body}{last}\n")
            (verdict,) = await self.verdicts("discard", bot=command)
            assert verdict.result is result
            assert verdict.came.startswith(came)

    async def test_decisions_that_were_replaced_are_faults(self) -> None:
        """The client plays the default for a bot that raises, and the check finds that out at its end."""
        program = self.folder / "bot.py"
        program.write_text(RAISING)
        for way in ({"bot": f"{sys.executable} {program} -"}, {"client": f"{sys.executable} {program} {{ump}}"}):
            found = await self.verdicts("discard", "farewell", **way)
            assert [verdict.result for verdict in found] == [SituationResult.FAIL, SituationResult.FAIL]
            assert found[0].came == (
                "discards 9m; it ended with status 1: 1 of the bot's decisions failed and were replaced"
            )

    async def test_a_bot_that_does_not_end(self) -> None:
        """A bot must end when its standard input is closed."""
        self.patch(child_process, "QUIT_SECONDS", 0.05)
        command = bot(self.folder, "")
        with (self.folder / "bot.py").open("a") as program:
            program.write("import signal\nsignal.pause()\n")
        (verdict,) = await self.verdicts("farewell", bot=command)
        assert verdict.came.startswith("the client did not end when its standard input was closed")
        assert verdict.result is SituationResult.FAIL


def test_a_client_that_does_not_come() -> None:
    """The check ends if the client does not say hello."""
    done = check("--start", f"{sys.executable} -c 'import sys; sys.exit(\"no model\")' {{ump}}")
    assert "the client ended before it said hello, status 1: no model" in done.stdout
    assert f"{len(SITUATIONS)} situations: 1 fail, {len(SITUATIONS) - 1} not played" in done.stdout
    assert done.returncode == 1


@contextmanager
def awaiting(*arguments: str) -> Iterator[tuple[Program, str]]:
    """Run the command with ``--listen``, and yield it with what it prints first."""
    with start(*UMP, "check-client", "--listen", *arguments) as process:
        assert process.stderr is not None
        yield process, "".join(iter(process.stderr.readline, "\n")) + "".join(iter(process.stderr.readline, "\n"))


def test_awaited_client() -> None:
    """The command prints where to connect; a client that stays plays all situations on one connection."""
    with awaiting(*only("discard", "riichi", "farewell")) as (process, shown):
        (server,) = re.findall(r"UMP.* (localhost:\d+)", shown)
        client = run(programs.TSUMOGIRI, server, "--games", "0")
        output, _ = process.communicate()
    assert "3 situations: 3 pass" in output
    assert (process.returncode, client.returncode) == (0, 0)


def test_three_players() -> None:
    """A client of games of three sets norths aside, robs them, or passes."""
    status, situations = report("--players", "3", "--start", f"{EFFICIENCY} {{ump}}", *only("kita", "robbed-north"))
    assert status == 0
    assert {each["result"] for each in situations.values()} <= {"pass", "note"}
    assert len(situations) == 2


def test_interrupt() -> None:
    """Ctrl-C ends the check with what was found so far."""
    with awaiting() as (process, shown):
        assert "mjsonp://localhost:" in shown
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    assert f"{len(SITUATIONS)} not played" in output
    assert "Traceback" not in errors
    assert process.returncode == 130


@each_row(
    ("arguments", "says"),
    [
        ([], "give exactly one of --mjai, --mjai-lines, --start and --listen"),
        (["--mjai", "python bot.py", "--listen"], "give exactly one of"),
        (["--mjai", "no-such-program"], "there is no program no-such-program"),
        (["--mjai-lines", "'"], "no closing quotation"),
        (["--start", "no-such-program {ump}"], "there is no program no-such-program"),
        (["--start", "'"], "no closing quotation"),
        (
            ["--start", "python3 bot.py"],
            "does not say where to connect; write one of {ump}, {mjai}, {majiang}, {http} in it",
        ),
        (["--mjai", "python3 bot.py", "--port", "20200"], "--port belongs to --listen or --start"),
        (["--listen", "--only", "chankam"], "did you mean chankan?"),
        (["--listen", "--only", "kita"], "--only: unknown situation 'kita'"),
        (["--listen", "--players", "3", "--only", "chi"], "--only: unknown situation 'chi'"),
        (["--listen", "--time", "0+0"], "leaves no time to think"),
        (["--listen", "--trace", "/proc/traces"], "--trace: /proc/traces"),
    ],
)
def test_wrong_command_lines(arguments: list[str], says: str) -> None:
    """A wrong command line ends with status 2, and says what to write."""
    result = CliRunner().invoke(main, ["check-client", *arguments])
    assert result.exit_code == 2
    assert says in " ".join(result.output.split())


def test_list() -> None:
    """``--list`` needs no client."""
    result = CliRunner().invoke(main, ["check-client", "--list", "--only", "pao"])
    assert result.exit_code == 0
    assert "big three dragons" in result.output
    result = CliRunner().invoke(main, ["check-client", "--list", "--players", "3"])
    assert "robbed-north" in result.output
    assert "big three dragons" not in result.output
    data = json.loads(CliRunner().invoke(main, ["check-client", "--list", "--json"]).output)
    assert [each["name"] for each in data["situations"]] == [situation.name for situation in SITUATIONS]
