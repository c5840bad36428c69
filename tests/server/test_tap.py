"""The command ``ump-server``: its plugin, its options, and its messages for mistakes."""

from __future__ import annotations

import io
import os
import re
import runpy
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from support.programs import run
from support.rows import each_row
from twisted.application.service import IServiceMaker
from twisted.logger import textFileLogObserver
from twisted.plugin import getPlugins
from twisted.python.logfile import LogFile

from ump.database.database import file_place
from ump.net.bot_commands import BotSeats
from ump.net.connection_budget import Budget
from ump.net.limits import (
    MAX_BODIES,
    MAX_BODY,
    MAX_HEAD,
    MAX_UNPOLLED,
    REQUEST_SECONDS,
    SMALL_BODY,
    ClientLimits,
    Limits,
    Rates,
)
from ump.players.policy import POLICIES
from ump.rules.ruleset import Kuikae, Length
from ump.server.service import Server
from ump.server.settings import ListeningPort, ServerSettings, all_options
from ump.server.tap import Options, escape_unwritable, makeService, print_banner
from ump.server.users.user_database import UserDatabase
from ump.table.clock import NO_DELAY, BotDelay, TimeControl
from ump.table.journal_entries import Faults

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
SERVE = ROOT / "ump" / "server" / "serve.toml"


def settings(line: str) -> ServerSettings:
    """Return the settings that a command line makes."""
    options = Options()
    options.parseOptions(line.split())
    return options.settings


def test_twisted_finds_the_command() -> None:
    """The plugin has the name that people type."""
    assert "ump-server" in {maker.tapname for maker in getPlugins(IServiceMaker)}


def test_by_default_there_is_one_room() -> None:
    """Without options there is one room without built-in bots, on this computer's own address."""
    default = settings("")
    assert [(port.option, port.endpoint, port.is_needed) for port in default.ports] == [
        ("listen", "tcp:19000:interface=127.0.0.1", True),
        ("mjai", "tcp:11600:interface=127.0.0.1", False),
        ("http", "tcp:8080:interface=127.0.0.1", False),
    ]
    assert [(room.name, room.house) for room in default.rooms] == [("main", ())]
    assert (default.limits, default.seed, default.games, default.log_folder) == (Limits(), None, 0, None)


def test_each_option_sets_its_field() -> None:
    """Each option sets its field; repeatable options add up."""
    everything = settings(
        "--listen 19001 --listen tcp:19002 --rules mleague --set kuikae=allowed --set kuitan=no --length tonpu "
        "--time 5+15 --house tsumogiri:1 --house efficiency:2 --house-after 0.5 --seed s --ask-all "
        "--bot-delay 1-2 --connections 10 --per-host 5 --newcomers 4 --waiting 3 --waiting-per-room 2 "
        "--waiting-per-host 1 --spectators 2 --http-streams 1 --tables 9 "
        "--connection-rate 8 --login-rate 7 --game-rate 6 --backlog 5 --children 3 "
        "--hello-time 5 --line-length 300 --message-length 2000 --unread 16 --idle-lines 10 --log-lines 4 --refusals 0"
    )
    (room,) = everything.rooms
    assert everything.ports[:2] == (
        ListeningPort("listen", "tcp:19001:interface=127.0.0.1"),
        ListeningPort("listen", "tcp:19002"),
    )
    assert (room.ruleset.name, room.ruleset.length) == ("mleague*", Length.TONPU)
    assert (room.ruleset.kuikae, room.ruleset.kuitan) == (Kuikae.ALLOWED, False)
    assert room.times == TimeControl(5, 15)
    assert [(seats.kind, seats.most) for seats in room.house] == [("tsumogiri", 1), ("efficiency", 2)]
    assert (room.house_after, room.table.ask_all, room.table.bot_delay) == (0.5, True, BotDelay(1.0, 2.0))
    assert everything.limits == Limits(
        Budget(10, 5, 4, 3, 2, 1, 2, 1),
        rates=Rates(8, 7, 6),
        client=ClientLimits(5, 300, 2_000, 16 * 1_024, 10),
        log_lines=4,
        tables=9,
        backlog=5,
        children=3,
    )
    assert room.table.refusals == 0
    assert everything.seed == "s"


def test_the_last_value_wins() -> None:
    """The last value of an option wins, so that the options of a script can be overridden."""
    (room,) = settings("--rules tenhou --time 60+600 --rules mleague --time 10+20").rooms
    assert (room.ruleset.name, room.times) == ("mleague", TimeControl(10, 20))
    assert [room.house for room in settings("--house tsumogiri:3 --house none").rooms] == [()]


def test_none_takes_a_value_of_the_file_back() -> None:
    """For places that a file may name for good."""
    found = settings("--admin-socket a.sock --admin-socket none --users a.sqlite --users none --record-dir none")
    assert (found.admin_socket, found.users, found.record_folder) == (None, None, None)


def test_given_ports_replace_the_default_port_of_their_kind() -> None:
    """An option for one kind of port replaces the default port of that kind only; ``none`` closes it."""
    asked = settings("--mjai 11601 --majiang tcp:19001 --mjai tcp:11602 --http none").ports
    assert asked == (
        ListeningPort("listen", "tcp:19000:interface=127.0.0.1"),
        ListeningPort("mjai", "tcp:11601:interface=127.0.0.1"),
        ListeningPort("mjai", "tcp:11602"),
        ListeningPort("majiang", "tcp:19001"),
    )
    assert settings("--listen none --http none").ports == (
        ListeningPort("mjai", "tcp:11600:interface=127.0.0.1", is_needed=False),
    )
    assert [port.endpoint for port in settings("--listen 0 --mjai 0 --http none --http 0").ports] == [
        "tcp:0:interface=127.0.0.1"
    ] * 3


def test_options_of_gimites_server_have_counterparts(tmp_path: Path) -> None:
    """The options of gimite's mjai server have counterparts: game type, room, number of games, folder for logs."""
    folder = tmp_path / "logs" / "new"
    wanted = settings(f"--mjai 11600 --length kyoku --room manue-1kyoku --games 20 --log-dir {folder} --faults abort")
    (room,) = wanted.rooms
    assert (room.name, room.ruleset.length, room.table.faults) == ("manue-1kyoku", Length.KYOKU, Faults.ABORT)
    assert (wanted.games, wanted.log_folder) == (20, folder)
    assert folder.is_dir()


def test_serve_has_rooms_with_and_without_bots() -> None:
    """``scripts/serve`` has rooms with built-in bots and one without; options apply to all of them."""
    config = f"--config {SERVE}"
    rooms = settings(f"{config} --rules mleague --set kuitan=no").rooms
    assert [(room.name, room.ruleset.length) for room in rooms] == [
        ("main", Length.HANCHAN),
        ("east", Length.TONPU),
        ("quick", Length.KYOKU),
        ("beginner", Length.HANCHAN),
        ("expert", Length.HANCHAN),
        ("rated", Length.TONPU),
        ("open", Length.HANCHAN),
    ]
    rated = tuple(BotSeats(kind, 1) for kind in ("efficiency", "defensive", "expert"))
    own = [(BotSeats("beginner", 3),), (BotSeats("expert", 3),), rated, ()]
    assert [room.house for room in rooms] == [(BotSeats("defensive", 3),)] * 3 + own
    assert {room.times for room in rooms} == {TimeControl(60, 600), TimeControl(10, 60)}
    assert {room.table.bot_delay for room in rooms} == {BotDelay(0.5, 0.5)}
    assert {room.ruleset.name for room in rooms} == {"mleague*"}
    rooms = settings(f"{config} --time 10+20 --house tsumogiri:1 --bot-delay 0").rooms
    assert {room.times for room in rooms} == {TimeControl(10, 20), TimeControl(10, 60)}
    assert [room.house for room in rooms] == [(BotSeats("tsumogiri", 1),)] * 3 + own
    assert {room.table.bot_delay for room in rooms} == {NO_DELAY}
    for unrated in ("--record-dir none", "--duplicate", "--faults abort"):
        assert [room.name for room in settings(f"{config} {unrated}").rooms if room.rated] == []


@each_row(
    ("line", "complaint"),
    [
        ("--bogus", "--bogus is not an option; --help lists the options"),
        ("--hose=tsumogiri:3", "--hose is not an option (did you mean --house?); --help lists the options"),
        ("-x", "-x is not an option; --help lists the options"),
        ("--rules", "--rules needs a value; expected --rules PRESET"),
        ("--ask-all=yes", "--ask-all takes no value"),
        ("--per 3 --c 4", "--c is ambiguous; --help lists the options"),
        ("surplus", "'surplus' is not an option; --help lists the options"),
        (
            "--listen foo",
            "--listen: 'foo' is not a port or an endpoint; expected a port, as in 19000, or an endpoint, as in "
            "tcp:19000",
        ),
        ("--listen tcpp:1", "--listen: 'tcpp:1' is not a port or an endpoint (did you mean tcp?); expected a port"),
        ("--listen -1", "--listen: '-1' is not a port or an endpoint; expected a port"),
        ("--listen tcp:x", "--listen: 'tcp:x' is not a valid endpoint; expected one like tcp:19000"),
        ("--listen tcp:1:x=y", "--listen: 'tcp:1:x=y' is not a valid endpoint; expected one like tcp:19000"),
        (
            "--listen tcp:65536",
            "--listen: 'tcp:65536' is not a valid endpoint, because 65536 is not a port; expected one like tcp:19000",
        ),
        ("--listen haproxy:tcp:65536", "--listen: 'haproxy:tcp:65536' is not a valid endpoint, because 65536 is not"),
        ("--listen 99999", "--listen: '99999' is not a port; expected a number from 0 to 65535"),
        (
            "--listen systemd:domain=INET:index=0",
            "--listen: 'systemd:domain=INET:index=0' is not a valid endpoint, because systemd has passed no such "
            "socket; expected one like systemd:domain=INET:index=0",
        ),
        (
            "--listen tls:/missing:1",
            "--listen: 'tls:/missing:1' is not a valid endpoint, because there is no PEM file in /missing; expected "
            "one like tls:/etc/ump/certs:19443",
        ),
        (
            "--listen tls:/missing",
            "--listen: 'tls:/missing' is not a valid endpoint, because there is no PEM file in /missing; expected "
            "one like tls:/etc/ump/certs:19443",
        ),
        (
            "--listen ssl:1:privateKey=/no.pem:certKey=/no.pem",
            "--listen: 'ssl:1:privateKey=/no.pem:certKey=/no.pem' is not a valid endpoint, because of /no.pem: No such "
            "file or directory; expected one like ssl:19443:privateKey=key.pem:certKey=cert.pem",
        ),
        ("--mjai foo", "--mjai: 'foo' is not a port or an endpoint; expected a port"),
        ("--mjai 19000", "--mjai: tcp:19000:interface=127.0.0.1 is taken by --listen; choose another port"),
        (
            "--listen none --mjai none --http none",
            "no port is open: all of them are none; expected at least one, as in --listen 19000",
        ),
        (
            "--rules foo",
            "--rules: unknown preset 'foo'; choose ump, tenhou, mleague, majsoul, riichicity, wrc, ema, classic, "
            "tenhou3 or majsoul3",
        ),
        ("--rules tenho", "--rules: unknown preset 'tenho' (did you mean tenhou?); choose ump, tenhou, "),
        ("--set foo=1", "--set: unknown field 'foo'; choose length, "),
        ("--set kuikai=no", "--set: unknown field 'kuikai' (did you mean kuikae?)"),
        ("--set kuikae=x", "--set: kuikae='x': expected forbidden|same-tile|allowed"),
        ("--set kan-dora=no", "--set: the rules contradict each other: kan-ura=yes requires kan-dora=yes"),
        ("--length x", "--length: unknown length 'x'; choose kyoku, tonpu, hanchan, one_kyoku or tonnan"),
        ("--time x", "--time: 'x' is not a time control; "),
        (
            "--house foo",
            "--house: 'foo' names no bots; expected KIND:N with N from 1 to 9, as in tsumogiri:3, or a program, "
            "as in mjai:python bot.py {seat}",
        ),
        (
            "--house x:1",
            f"--house: unknown built-in bot 'x'; choose {', '.join(POLICIES)}, mjai:COMMAND, "
            "mjai-lines:COMMAND, mjai-nukidora:COMMAND or mjai-lines-nukidora:COMMAND",
        ),
        ("--house mjia:x", "--house: 'mjia:x' names no bots (did you mean mjai?); expected KIND:N with N from 1 to 9"),
        ("--house-after 1e3", "--house-after: '1e3' is not a number of seconds, 0 or more"),
        ("--house-after x", "--house-after: 'x' is not a number of seconds, 0 or more"),
        ("--house-after=-1", "--house-after: -1 is not a number of seconds, 0 or more"),
        (
            "--bot-delay fast",
            "--bot-delay: 'fast' is not a delay; write seconds as in 0.5, or least-most as in 0.3-1.2",
        ),
        (
            "--bot-delay 11",
            "--bot-delay: 11 seconds are too long for the room main, because its time 10+20 leaves 10 for each move",
        ),
        (
            f"--config {SERVE} --time 0.2+60",
            f"{SERVE}: bot_delay: 0.5 seconds are too long for the room main, because its time 0.2+60 leaves 0.2 for",
        ),
        ("--connections 0", "--connections: 0 is not a whole number from 1 to 999999999"),
        ("--newcomers 1234567890", "--newcomers: 1234567890 is not a whole number from 1 to 999999999"),
        ("--per-host x", "--per-host: 'x' is not a whole number from 1 to 999999999"),
        ("--games x", "--games: 'x' is not a whole number from 0 to 999999999"),
        ("--games -1", "--games: -1 is not a whole number from 0 to 999999999"),
        ("--log-dir /proc/none", "--log-dir: '/proc/none' cannot be created (No such file or directory); expected a "),
        ("--room ..", "--room: '..' is not a room's name; expected up to 32 letters and digits"),
        ("--log-dir /proc", "--log-dir: '/proc' is not writable ("),
        (
            "--faults kill",
            "--faults: unknown faults policy 'kill'; choose default, chombo or abort",
        ),
        (f"--config {SERVE} --room a", f"--room: 'a' would name the only room, but {SERVE} names rooms itself: main, "),
        (f"--config {SERVE} --rules foo", "--rules: unknown preset 'foo'"),
        ("--config /nowhere", "--config: '/nowhere' cannot be read (No such file or directory); expected a TOML file"),
    ],
)
def test_mistakes_end_the_program_with_one_line(line: str, complaint: str) -> None:
    """A mistake ends the program with one line that names the option, its value and the allowed values."""
    with pytest.raises(SystemExit) as caught:
        settings(line)
    said = str(caught.value)
    assert said.startswith(f"ump-server: {complaint}")
    assert "\n" not in said


def test_help_lists_each_option(capsys: pytest.CaptureFixture[str]) -> None:
    """``--help`` lists each option."""
    with pytest.raises(SystemExit) as caught:
        settings("--help")
    assert not caught.value.code
    out = capsys.readouterr().out
    for option in ("listen", "rules", "set", "length", "time", "house", "house-after", "seed", "ask-all", "config"):
        assert f"--{option}" in out


def test_help_of_the_plugin_succeeds() -> None:
    """``twist ump-server --help`` ends with status 0, as any program's."""
    ended = run("-m", "twisted", "ump-server", "--help")
    assert (ended.returncode, "--listen" in ended.stdout) == (0, True)


@pytest.mark.once
def test_help_that_nobody_reads() -> None:
    """``twist ump-server --help | head`` ends without a traceback."""
    read, write = os.pipe()
    os.close(read)
    try:
        ended = run("-m", "twisted", "ump-server", "--help", stdout=write)
    finally:
        os.close(write)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_page_has_the_section_of_each_option() -> None:
    """The help of an option may name a section of docs/server.md."""
    headings = {title.lower().replace(" ", "-") for title in re.findall(r"^#+ (.+)$", PAGE, re.M)}
    assert {option.section for option in all_options() if option.section} <= headings


def test_the_page_states_the_limits_of_http() -> None:
    """docs/server.md states the limits of HTTP as the code has them."""
    page = PAGE.split("## HTTP")[1].split("\n## ")[0]
    text = " ".join(page.split())
    assert f"A request has {REQUEST_SECONDS} seconds" in text
    assert f"{MAX_HEAD // 1024} KiB for its head and {MAX_BODY // 1000} kB for its body" in text
    assert f"{SMALL_BODY // 1024} KiB before a login" in text
    assert f"{MAX_BODIES // 1024**2} MiB" in text
    assert f"{MAX_UNPOLLED // 1024} KiB are kept" in text


def test_the_file_on_the_page_is_valid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line wins over the values for all rooms, and a room's own values win over both."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ump.toml").write_text(PAGE.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    UserDatabase(file_place(tmp_path / "users.sqlite")).add("alice", None, "2026-11-24T00:00:00Z")
    read = settings("--config ump.toml --rules wrc")
    assert [(room.name, room.ruleset.name) for room in read.rooms] == [
        ("main", "wrc"),
        ("league", "mleague*"),
        ("open", "wrc"),
    ]
    assert [port.option for port in read.ports] == ["listen", "listen", "mjai", "http"]


def test_the_error_on_the_page_is_real(tmp_path: Path) -> None:
    """docs/server.md shows an error as the server prints it."""
    (tmp_path / "ump.toml").write_text("[rooms.league]\ntime = '5'", encoding="utf-8")
    with pytest.raises(SystemExit) as caught:
        settings(f"--config {tmp_path}/ump.toml")
    assert f"\n{str(caught.value).replace(str(tmp_path), '/etc')}\n" in PAGE


def test_the_service_is_made_with_its_records(tmp_path: Path) -> None:
    """The starter gets a server whose ports can be opened and whose folder of records is its own."""
    options = Options()
    options.parseOptions(
        ["--listen", "0", "--mjai", "none", "--http", "none", "--record-dir", str(tmp_path / "records")]
    )
    server = makeService(options)
    assert isinstance(server, Server)
    with pytest.raises(SystemExit, match="another ump-server records there"):
        makeService(options)
    assert server._journals is not None
    server._journals.close()


def test_the_banner_goes_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes past the log; a terminal also shows how to end the server."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, said in ((io.StringIO(), "\nready\n\n"), (Terminal(), "\nready\nCtrl-C ends the server.\n\n")):
        monkeypatch.setattr(sys, "__stderr__", stream)
        print_banner("ready")
        assert stream.getvalue() == said


def test_an_ambiguous_option() -> None:
    """The beginning of several options is none of them."""
    with pytest.raises(SystemExit, match=r"^ump-server: --l is ambiguous; --help lists the options$"):
        Options().parseOptions(["--l", "1"])


def test_the_module_is_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """``python -m ump`` shows its own name."""
    monkeypatch.setattr(sys, "argv", ["ump", "--help"])
    with pytest.raises(SystemExit, match="0"):
        runpy.run_module("ump", run_name="__main__")
    assert "Usage: python -m ump" in capsys.readouterr().out


@each_row(
    ("encoding", "written"),
    [("ascii", r"\u9ebb\u96c0 joins"), ("latin-1", r"\u9ebb\u96c0 joins"), ("utf-8", "麻雀 joins")],
)
def test_log_lines_are_escaped_where_the_output_is_not_utf_8(encoding: str, written: str) -> None:
    """A line with a name that the output cannot write is written with escapes, rather than lost."""
    raw = BytesIO()
    stream = TextIOWrapper(raw, encoding)
    escape_unwritable(stream)
    textFileLogObserver(stream)({"log_format": "{name} joins", "name": "麻雀", "log_time": 0.0})
    assert written in raw.getvalue().decode(encoding)


def test_the_log_file_of_twistd_is_utf_8(tmp_path: Path) -> None:
    """The log file is written in UTF-8, whatever the locale."""
    log_file: Any = LogFile
    file = log_file("ump.log", str(tmp_path))
    textFileLogObserver(file)({"log_format": "{name} joins", "name": "麻雀", "log_time": 0.0})
    file.close()
    assert "麻雀 joins" in (tmp_path / "ump.log").read_text(encoding="utf-8")
