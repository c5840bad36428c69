"""The command ``ump-server``: that Twisted finds it, its options, and how it refuses what is wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from twisted.application.service import IServiceMaker
from twisted.plugin import getPlugins

from ump.net.config import WORDS
from ump.net.http.limits import MAX_BODY, MAX_CHANNELS, MAX_HEAD, MAX_UNPOLLED, REQUEST_SECONDS
from ump.net.limits import (
    CLOSE_SECONDS,
    DRAIN_SECONDS,
    HELLO_SECONDS,
    IDLE_PER_SECOND,
    MAX_UNSENT,
    Limits,
)
from ump.net.listener import HINTS
from ump.rules.ruleset import Kuikae, Length
from ump.service import FRONTS, ListeningPort, ServerPlan
from ump.table.clock import TimeControl
from ump.table.faults import Faults
from ump.tap import PORTS, Options
from ump.wire.json_text import MAX_OBJECT
from ump.wire.text import MAX_LINE
from ump.wire.ump01.session import FAREWELL_SECONDS

ROOT = Path(__file__).resolve().parent.parent
SERVE = ROOT / "scripts" / "serve.toml"


def plan(line: str) -> ServerPlan:
    """Return what a command line comes to."""
    options = Options()
    options.parseOptions(line.split())
    return options.plan


def test_twisted_finds_the_command() -> None:
    """The plugin is advertised under the name that people type."""
    assert "ump-server" in {maker.tapname for maker in getPlugins(IServiceMaker)}


def test_without_options() -> None:
    """One room without house players, on this machine's own address alone."""
    default = plan("")
    assert default.ports == tuple(
        ListeningPort(option, f"tcp:{port}:interface=127.0.0.1", is_needed=option == "listen")
        for option, port in PORTS.items()
    )
    assert [(room.name, room.house) for room in default.rooms] == [("main", ())]
    assert (default.limits, default.seed, default.games, default.log_folder) == (Limits(), None, 0, None)


def test_all_options() -> None:
    """Each option finds its place; those that may be repeated add up."""
    everything = plan(
        "--listen 19001 --listen tcp:19002 --rules mleague --set kuikae=allowed --set kuitan=no --length tonpu "
        "--time 5+15 --house tsumogiri:1 --house efficiency:2 --house-after 0.5 --seed s --ask-all "
        "--connections 10 --per-host 5 --unseated 4 --children 3"
    )
    (room,) = everything.rooms
    assert everything.ports == (
        ListeningPort("listen", "tcp:19001:interface=127.0.0.1"),
        ListeningPort("listen", "tcp:19002"),
    )
    assert (room.ruleset.name, room.ruleset.length) == ("mleague*", Length.TONPU)
    assert (room.ruleset.kuikae, room.ruleset.kuitan) == (Kuikae.ALLOWED, False)
    assert room.times == TimeControl(5, 15)
    assert [(seats.kind, seats.most) for seats in room.house] == [("tsumogiri", 1), ("efficiency", 2)]
    assert (room.house_after, room.ask_all) == (0.5, True)
    assert everything.limits == Limits(connections=10, per_host=5, unseated=4, children=3)
    assert everything.seed == "s"


def test_the_last_word_counts() -> None:
    """Of an option that is given twice the second holds, so that a script's may be overridden."""
    (room,) = plan("--rules tenhou --time 60+600 --rules mleague --time 10+20").rooms
    assert (room.ruleset.name, room.times) == ("mleague", TimeControl(10, 20))
    assert [room.house for room in plan("--house tsumogiri:3 --house none").rooms] == [()]


def test_ports() -> None:
    """What is opened is what was asked for, and nothing else."""
    asked = plan("--mjai 11601 --majiang tcp:19001 --mjai tcp:11602").ports
    assert [(port.option, port.endpoint) for port in asked] == [
        ("mjai", "tcp:11601:interface=127.0.0.1"),
        ("majiang", "tcp:19001"),
        ("mjai", "tcp:11602"),
    ]
    assert set(PORTS) <= set(FRONTS) == set(HINTS)


def test_as_gimites_server_is_started(tmp_path: Path) -> None:
    """Its options have their counterparts: game type, room, number of games, folder for logs."""
    folder = tmp_path / "logs" / "new"
    wanted = plan(f"--mjai 11600 --length kyoku --room manue-1kyoku --games 20 --log-dir {folder} --faults abort")
    (room,) = wanted.rooms
    assert (room.name, room.ruleset.length, room.faults) == ("manue-1kyoku", Length.KYOKU, Faults.ABORT)
    assert (wanted.games, wanted.log_folder) == (20, folder)
    assert folder.is_dir()


def test_the_rooms_of_serve() -> None:
    """``scripts/serve`` has a room with house players and one without; what is typed after it holds for both."""
    config = f"--config {SERVE}"
    main, second = plan(f"{config} --rules mleague --set kuitan=no").rooms
    assert (main.name, second.name) == ("main", "open")
    assert [(seats.kind, seats.most) for seats in main.house] == [("efficiency", 3)]
    assert second.house == ()
    assert main.times == second.times == TimeControl(60, 600)
    assert main.ruleset.name == second.ruleset.name == "mleague*"
    main, second = plan(f"{config} --time 10+20 --house tsumogiri:1").rooms
    assert main.times == second.times == TimeControl(10, 20)
    assert [(seats.kind, seats.most) for seats in main.house] == [("tsumogiri", 1)]
    assert second.house == ()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("--bogus", "option --bogus not recognized; --help lists the options"),
        ("--rules", "option --rules requires argument; --help lists the options"),
        ("surplus", "Wrong number of arguments; --help lists the options"),
        ("--listen foo", "--listen=foo: Unknown endpoint type: 'foo'"),
        ("--listen tcp:x", "--listen=tcp:x: invalid literal for int() with base 10: 'x'"),
        ("--listen tcp:1:x=y", "--listen=tcp:1:x=y: "),
        ("--listen systemd:domain=INET:index=0", "--listen=systemd:domain=INET:index=0: list index out of range"),
        ("--rules foo", "no preset 'foo'; there are ump, tenhou, mleague, majsoul, wrc, classic"),
        ("--set foo=1", "no field 'foo'; there are length, "),
        ("--set kuikae=x", "kuikae='x': allowed is forbidden|same-tile|allowed"),
        ("--length x", "length='x': allowed is kyoku|tonpu|hanchan"),
        ("--time x", "--time: 'x' is no time: write seconds per move + seconds per kyoku, as in 10+20"),
        ("--house x:1", "--house: 'x:1': there is no such house player; there are tsumogiri, efficiency"),
        ("--house-after x", "--house-after=x: a number of seconds is wanted"),
        ("--house-after=-1", "--house-after: -1.0 is no number of seconds"),
        ("--connections 0", "--connections=0: a number from 1 to 999999999 is wanted"),
        ("--unseated 1234567890", "--unseated=1234567890: a number from 1 to 999999999 is wanted"),
        ("--per-host x", "--per-host=x: a number from 1 to 999999999 is wanted"),
        ("--games x", "--games=x: a number from 1 to 999999999 is wanted"),
        ("--log-dir /proc/none", "--log-dir=/proc/none: No such file or directory"),
        ("--room ..", "room '..': a name has up to 32 letters"),
        ("--faults none", "--faults: 'none'"),
        ("--mjai foo", "--mjai=foo: Unknown endpoint type: 'foo'"),
        (f"--config {SERVE} --room a", f"{SERVE}: the rooms are named"),
        ("--config /nowhere", "/nowhere: No such file or directory"),
    ],
)
def test_what_is_wrong(line: str, complaint: str) -> None:
    """A mistake ends the program with one line that says what would be right."""
    with pytest.raises(SystemExit) as caught:
        plan(line)
    said = str(caught.value)
    assert said.startswith(f"ump-server: {complaint}")
    assert "\n" not in said


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    """``--help`` explains each option."""
    with pytest.raises(SystemExit) as caught:
        plan("--help")
    assert not caught.value.code
    out = capsys.readouterr().out
    for option in ("listen", "rules", "set", "length", "time", "house", "house-after", "seed", "ask-all", "config"):
        assert f"--{option}" in out


@pytest.mark.parametrize(("line", "status", "said"), [("--help", 0, "--house-after="), ("--time x", 1, "no time")])
def test_a_real_start(tmp_path: Path, line: str, status: int, said: str) -> None:
    """As people start it, from another folder: help on request, and one line for a mistake, without a traceback."""
    ended = subprocess.run(
        [sys.executable, "-m", "twisted", "ump-server", *line.split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == status
    assert said in ended.stdout + ended.stderr
    assert status == 0 or ended.stderr.count("\n") == 1


def test_the_page_knows_every_option() -> None:
    """docs/server.md explains each option and each word of a file, and quotes the limits as they are."""
    page = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    options = {name.removesuffix("=") for name in Options().longOpt} - {"help", "version"}
    assert not [name for name in options if f"| `--{name}" not in page]
    assert not [word for word in WORDS if f"\n{word} = " not in page]
    defaults = Limits()
    for option, most in (
        ("connections", defaults.connections),
        ("per-host", defaults.per_host),
        ("unseated", defaults.unseated),
    ):
        assert f"| {most:,} (`--{option}`) |" in page
    for seconds in (HELLO_SECONDS, FAREWELL_SECONDS, CLOSE_SECONDS, DRAIN_SECONDS):
        assert f"{seconds} seconds" in page
    assert f"| {IDLE_PER_SECOND:,} |" in page
    assert f"| {MAX_LINE:,} bytes |" in page
    assert f"| {MAX_UNSENT // 1024} KiB " in page
    assert f"| a message of mjai or Majiang | {MAX_OBJECT // 1024} KiB |" in page


def test_the_page_knows_the_limits_of_http() -> None:
    """docs/server.md quotes them as they are."""
    page = (ROOT / "docs" / "server.md").read_text(encoding="utf-8").split("## HTTP")[1].split("\n## ")[0]
    text = " ".join(page.split())
    assert f"A request has {REQUEST_SECONDS} seconds" in text
    assert f"{MAX_HEAD // 1024} KiB for its head and {MAX_BODY // 1000} kB for its body" in text
    assert f"{MAX_CHANNELS:,} streams" in text
    assert f"{MAX_UNPOLLED // 1024} KiB are kept" in text


def test_the_rooms_on_the_page(tmp_path: Path) -> None:
    """The example of a file in docs/server.md can be used as it stands."""
    page = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    (tmp_path / "rooms.toml").write_text(page.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    rooms = plan(f"--config {tmp_path / 'rooms.toml'} --rules tenhou").rooms
    assert [(room.name, room.ruleset.name) for room in rooms] == [
        ("main", "tenhou"),
        ("league", "mleague*"),
        ("open", "tenhou"),
    ]
