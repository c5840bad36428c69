"""``ump join``: a bot behind pipes plays on a UMP server, in memory and over real sockets."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from support.memory_processes import MemoryProcess, ProcessReactor
from support.memory_server import MemoryServer, Peer, ReactorClock, Robot, memory_server, room
from support.programs import TWIST, UMP, run, running, start
from support.rows import each_row
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from ump.bots import join as join_module
from ump.bots.join import LONGEST_LINE, MOST_REPORTS, REPLACED, TRIAL_SECONDS, BotTrial, Bridge, JoinOptions
from ump.bots.links import GREETING_SECONDS, PROBE, PROBE_SECONDS
from ump.cli.main import main
from ump.net.bot_commands import BotCommand
from ump.net.connection_limits import OpenConnections
from ump.net.limits import SILENT_SECONDS, Limits

ROOT = Path(__file__).resolve().parent.parent.parent
BOT = f"{sys.executable} {ROOT / 'tests' / 'support' / 'bots' / 'batch.py'} {{seat}}"

OPTIONS = JoinOptions("server", 19_000, BotCommand("mjai", ("cat", "{seat}")), "me")

GREETING = "0 hello ump=0.1 name=x _rule=tenhou"
HAIPAI = "1m1m2m3m4m5m6m7p8p9p3s4s5s"
START = f"""
1 gamestart B a me c d
2 ready?
3 kyokustart 1z A 0 0
4 point A =25000
5 point B =25000
6 point C =25000
7 point D =25000
8 haipai A
9 haipai B {HAIPAI}
10 haipai C
11 haipai D
12 dora 9s
13 tsumo A 69
14 sutehai A 1z
15 tsumo B 68 7z
"""
"""The lines of a game up to the client's first draw: tenpai after a discard of 7z."""

TURN = "sutehai? sute=1m2m3m4m5m6m7p8p9p3s4s5s7z richi=7z _time=10+20"


class Line(StringTransport):
    """The connection of a bridge, in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.protocol: Bridge | None = None

    def setTcpNoDelay(self, enabled: bool) -> None:
        """Ignore the option."""

    def setTcpKeepAlive(self, enabled: bool) -> None:
        """Ignore the option."""

    def loseConnection(self) -> None:
        """Close."""
        if self.connected and self.protocol is not None:
            self.connected = False
            self.protocol.connectionLost(Failure(ConnectionDone()))


class BridgeDriver:
    """A bridge in memory. The test plays the server, and also the bot unless it plays by itself."""

    def __init__(self, clock: ReactorClock, options: JoinOptions = OPTIONS) -> None:
        self.clock = clock
        self.machine = ProcessReactor(clock)
        self.bridge = Bridge(options, self.machine)
        self.line = self.bridge_line()
        self._read = 0

    def bridge_line(self) -> Line:
        """Connect the bridge."""
        line = Line()
        line.protocol = self.bridge
        self.bridge.makeConnection(line)
        return line

    @property
    def bot(self) -> MemoryProcess:
        """The bot that was started last."""
        return self.machine.programs[-1]

    def hear(self, text: str) -> list[str]:
        """Send lines as the server; return the answers of the client."""
        for line in text.strip().splitlines():
            self.bridge.dataReceived(f"{line}\r\n".encode())
        return self.said()

    def said(self) -> list[str]:
        """Return the lines of the client since the last call."""
        self.clock.advance(0)
        lines: list[str] = self.line.value().decode().split("\r\n")[:-1]
        new, self._read = lines[self._read :], len(lines)
        return new

    def reply(self, **reply: object) -> list[str]:
        """Send a reply as the bot; return the lines that the client sends then."""
        self.bot.prints(json.dumps(reply) + "\n")
        return self.said()

    def sit_down(self) -> None:
        """Start a game, up to the client's first draw; the bot has not replied to it yet."""
        self.hear(GREETING)
        first, *rest = START.strip().split("\n3 ")
        assert self.hear(first) == []
        assert self.reply(type="none") == ["2 ok"]
        assert self.hear("3 " + rest[0]) == []
        self.bot.arrays()

    def finish(self) -> int:
        """End all bots, check that nothing is left, and return the exit status."""
        for program in self.machine.programs:
            if not program.has_exited:
                assert not program.is_open
                program.exit()
        assert self.bridge.over.called
        assert not self.clock.getDelayedCalls()
        return self.bridge.status


@contextmanager
def bridge_driver(options: JoinOptions = OPTIONS) -> Iterator[BridgeDriver]:
    """Connect a bridge to the test."""
    yield BridgeDriver(ReactorClock(), options)


def test_hello() -> None:
    """The client sends its options, and asks for all extensions that it uses."""
    options = JoinOptions("h", 1, OPTIONS.command, "a b", room="r", games=3, user="u", password="p=")
    with bridge_driver(options) as opened:
        said = opened.hear("0 hello")
        assert said == ["0 hello ump=0.1 name=a%20b _offer=1 _time=1 _explain=1 _games=3 _room=r user=u password=p%3D"]


def test_what_the_bot_receives() -> None:
    """The bot's command contains its seat. At its turn the bot receives all events, without hidden tiles."""
    with bridge_driver() as opened:
        opened.sit_down()
        assert opened.bot.words == ["cat", "1"]
        assert opened.hear(f"16 {TURN}") == []
        ((start, *events),) = opened.bot.arrays()
        assert start["type"] == "start_kyoku"
        hidden = ["?"] * 13
        own = ["1m", "1m", "2m", "3m", "4m", "5m", "6m", "7p", "8p", "9p", "3s", "4s", "5s"]
        assert start["tehais"] == [hidden, own, hidden, hidden]
        assert events == [
            {"type": "tsumo", "actor": 0, "pai": "?"},
            {"type": "dahai", "actor": 0, "pai": "E", "tsumogiri": False},
            {"type": "tsumo", "actor": 1, "pai": "C"},
        ]


@each_row(
    ("reply", "said"),
    [
        ({"type": "dahai", "actor": 1, "pai": "C", "tsumogiri": True}, "sute 7z tsumogiri"),
        ({"type": "dahai", "actor": 1, "pai": "3s", "tsumogiri": False}, "sute 3s"),
        ({"type": "hora", "actor": 1, "target": 1}, "tsumo"),
        ({"type": "ankan", "actor": 1, "consumed": ["1m"] * 4}, "ankan 1m"),
        ({"type": "kakan", "actor": 1, "pai": "1m", "consumed": ["1m"] * 3}, "kakan 1m"),
        ({"type": "ryukyoku", "actor": 1, "reason": "kyushukyuhai"}, "ryukyoku"),
        ({"type": "none"}, "no"),
    ],
)
def test_answers_at_a_turn(reply: dict[str, object], said: str) -> None:
    """The client passes answers on unchanged: the server judges them."""
    with bridge_driver() as opened:
        opened.sit_down()
        opened.hear(f"16 {TURN}")
        assert opened.reply(**reply) == [f"16 {said}"]


@each_row(
    ("reply", "said"),
    [
        ({"type": "none"}, "no"),
        ({"type": "pon", "actor": 1, "target": 2, "pai": "1m", "consumed": ["1m", "1m"]}, "pon 1m 1m"),
        ({"type": "chi", "actor": 1, "target": 2, "pai": "1m", "consumed": ["2m", "3m"]}, "chi 2m 3m"),
        ({"type": "daiminkan", "actor": 1, "target": 2, "pai": "1m", "consumed": ["1m"] * 3}, "kan"),
        ({"type": "hora", "actor": 1, "target": 2, "pai": "1m"}, "ron"),
    ],
)
def test_answers_to_a_discard(reply: dict[str, object], said: str) -> None:
    """The client names the tiles of its hand for a call."""
    with bridge_driver() as opened:
        opened.sit_down()
        opened.hear("16 sutehai B 7z tsumogiri\n17 tsumo C 67\n18 sutehai C 1m\n19 naku? 1m pon=1m1m")
        assert opened.reply(**reply) == [f"19 {said}"]


def test_riichi_in_two_steps() -> None:
    """The bot declares, receives its declaration, and names the tile. Then the client sends both."""
    with bridge_driver() as opened:
        opened.sit_down()
        opened.hear(f"16 {TURN}")
        opened.bot.arrays()
        assert opened.reply(type="reach", actor=1) == []
        assert opened.bot.arrays() == [[{"type": "reach", "actor": 1}]]
        assert opened.reply(type="dahai", actor=1, pai="C", tsumogiri=True) == ["16 richi 7z tsumogiri"]


def test_server_without_offers() -> None:
    """The client works out the legal actions itself."""
    with bridge_driver() as opened:
        opened.sit_down()
        opened.hear("16 sutehai?")
        opened.reply(type="reach", actor=1)
        assert opened.reply(type="dahai", actor=1, pai="C", tsumogiri=True) == ["16 richi 7z tsumogiri"]
        opened.hear("17 say B richi\n18 sutehai B 7z tsumogiri\n19 point B -1000\n20 tsumo C 67")
        assert opened.hear("21 sutehai C 9p\n22 naku? 9p") == ["22 no"], "the client can only pass"


@pytest.mark.parametrize("again", [f"17 {TURN}", "17 _illegal 16 not_held\n18 sutehai?"])
def test_repeated_question(again: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The client answers with the default, and the bot receives nothing."""
    with bridge_driver() as opened:
        opened.sit_down()
        opened.hear(f"16 {TURN}")
        opened.bot.arrays()
        assert opened.reply(type="dahai", actor=1, pai="9s", tsumogiri=False) == ["16 sute 9s"]
        (said,) = opened.hear(again)
        assert said.endswith(" sute 7z tsumogiri")
        assert opened.bot.arrays() == []
        refusals = capsys.readouterr().err.count("ump join: the server refuses the bot's answer: not_held\n")
        assert refusals == again.count("_illegal")


def test_unreadable_answer(capsys: pytest.CaptureFixture[str]) -> None:
    """The client answers with the default."""
    with bridge_driver() as opened:
        opened.sit_down()
        opened.hear(f"16 {TURN}")
        opened.bot.prints("Traceback\n")
        assert opened.said() == ["16 sute 7z tsumogiri"]
        assert capsys.readouterr().err == "ump join: the bot's answer is unreadable; the default is used\n"


def test_question_that_lapses() -> None:
    """A late reply answers no question; after it the bot receives the events."""
    with bridge_driver() as opened:
        opened.sit_down()
        opened.hear("16 sutehai B 7z tsumogiri\n17 tsumo C 67\n18 sutehai C 1m\n19 naku? 1m pon=1m1m")
        opened.bot.arrays()
        opened.hear("20 say D pon\n21 open D (1m 1m) 1m\n22 sutehai D 5z\n23 tsumo A 66\n24 sutehai A 6z")
        assert opened.hear("25 tsumo B 65 9s\n26 sutehai? sute=9s") == []
        assert opened.bot.arrays() == []
        assert opened.reply(type="none") == []
        assert [event["type"] for event in opened.bot.arrays()[0]][-1] == "tsumo"
        assert opened.reply(type="dahai", actor=1, pai="9s", tsumogiri=True) == ["26 sute 9s tsumogiri"]


def test_crash(capsys: pytest.CaptureFixture[str]) -> None:
    """The client shows the last output of the bot, gives its seat back, and exits with 1."""
    with bridge_driver() as opened:
        opened.sit_down()
        opened.hear(f"16 {TURN}")
        opened.bot.complains("KeyError\n")
        opened.bot.exit(1)
        assert opened.said() == ["0 bye"]
        assert not opened.line.connected
        assert opened.finish() == 1
        assert capsys.readouterr().err == "KeyError\nump join: the bot ended during its game, status 1\n"


TRACEBACK = "Traceback (most recent call last):\n  File bot.py\nEOFError\n"


@pytest.mark.parametrize(
    ("words", "shown"), [(TRACEBACK, ""), ("won 3\n" + TRACEBACK, "won 3\n"), ("won 3\n", "won 3\n")]
)
def test_the_end_of_its_input(words: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The traceback of a bot that has merely reached the end of its input is not shown."""
    with bridge_driver() as opened:
        opened.sit_down()
        opened.hear("16 gameend 25000 25000 25000 25000")
        opened.reply(type="none")
        opened.reply(type="none")
        opened.bot.complains(words)
        opened.bot.exit(1)
        opened.hear("17 bye")
        assert opened.finish() == 0
        said = capsys.readouterr()
        assert said.err == shown
        assert said.out == "1 a 25000 points, 2 me 25000 points, 3 c 25000 points, 4 d 25000 points\n"


def test_refused_answers_show_in_the_status() -> None:
    """If all games were played, but an answer did not count, the status is another one."""
    with bridge_driver() as opened:
        opened.sit_down()
        opened.hear(f"16 {TURN}")
        opened.reply(type="dahai", actor=1, pai="9s", tsumogiri=False)
        opened.hear(f"17 _illegal 16 not_held\n18 {TURN}\n19 gameend 25000 25000 25000 25000\n20 bye")
        opened.bot.exit()
        assert opened.finish() == REPLACED


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (b"HTTP/1.0 200 OK\r\n", "server:19000 is a port for HTTP (and WebSocket); UMP is usually on port 19000"),
        (b'{"error":{"message":"hello?"}}\n', "server:19000 is a port for Majiang; UMP is usually on port 19000"),
        (b"", "server:19000 does not speak UMP: it sends nothing; UMP is usually on port 19000"),
    ],
)
def test_a_silent_port(answer: bytes, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    """If no hello comes, the client asks what the port is; it ends within ten seconds."""
    with bridge_driver() as opened:
        opened.clock.advance(GREETING_SECONDS - 0.1)
        assert opened.line.value() == b""
        opened.clock.advance(0.1)
        assert opened.line.value() == PROBE
        if answer:
            opened.bridge.dataReceived(answer)
        else:
            opened.clock.advance(PROBE_SECONDS)
        assert not opened.line.connected
        assert opened.finish() == 1
        assert capsys.readouterr().err == f"ump join: {complaint}\n"
    assert GREETING_SECONDS + PROBE_SECONDS < 10


def test_another_service_speaks_first(capsys: pytest.CaptureFixture[str]) -> None:
    """A port for mjai is recognised by its hello."""
    with bridge_driver() as opened:
        opened.bridge.dataReceived(b'{"type":"hello","protocol":"mjsonp"}\n')
        assert opened.finish() == 1
    complaint = "server:19000 is a port for mjai in lock-step; UMP is usually on port 19000"
    assert capsys.readouterr().err == f"ump join: {complaint}\n"


class TrialDriver:
    """A trial of a bot in memory."""

    def __init__(self, dialect: str = "mjai") -> None:
        self.clock = ReactorClock()
        machine = ProcessReactor(self.clock)
        self.connections = OpenConnections(Limits())
        self.results: list[str | None] = []
        trial = BotTrial(BotCommand(dialect, ("cat", "{seat}")), self.connections, machine)
        trial.over.addCallback(self.results.append)
        (self.bot,) = machine.programs

    def finish(self) -> list[str | None]:
        """End the bot, check that nothing is left, and return the results of the trial."""
        if not self.bot.has_exited:
            assert not self.bot.is_open
            self.bot.exit()
        assert not self.clock.getDelayedCalls()
        assert not len(self.connections)
        return self.results


def test_trial_of_a_bot_that_replies() -> None:
    """The trial ends with the first reply to the start of a game."""
    driver = TrialDriver()
    ((start,),) = driver.bot.arrays()
    assert (start["type"], start["id"], driver.bot.words) == ("start_game", 0, ["cat", "0"])
    assert driver.results == []
    driver.bot.prints('{"type":"none"}\n')
    assert driver.finish() == [None]


@each_row("dialect", ["mjai", "mjai-lines"])
def test_trial_of_a_bot_that_dies(dialect: str) -> None:
    """The trial says how it ended, and shows the end of its standard error."""
    driver = TrialDriver(dialect)
    driver.bot.complains("no module named model\n")
    driver.bot.exit(1)
    driver.clock.advance(0)
    assert driver.finish() == ["the bot ended before its first reply, status 1\nno module named model"]


@each_row("dialect", ["mjai", "mjai-lines"])
def test_trial_of_a_bot_that_takes_its_time(dialect: str) -> None:
    """A bot that lives on for some seconds passes: it may be loading a model, and line bots need not reply."""
    driver = TrialDriver(dialect)
    driver.clock.advance(TRIAL_SECONDS - 0.1)
    assert driver.results == []
    driver.clock.advance(0.1)
    assert driver.finish() == [None]


def test_silent_bot(capsys: pytest.CaptureFixture[str]) -> None:
    """If the server states no time, the client stops a bot after SILENT_SECONDS."""
    with bridge_driver() as opened:
        opened.sit_down()
        opened.hear("16 sutehai?")
        opened.clock.advance(SILENT_SECONDS - 1)
        assert opened.said() == []
        opened.clock.advance(1)
        assert opened.said() == ["0 bye"]
        assert capsys.readouterr().err == "ump join: the bot was stopped: it does not answer\n"
        assert not opened.bot.is_open


def test_three_late_answers(capsys: pytest.CaptureFixture[str]) -> None:
    """After three late answers the client stops the bot, and gives its seat back."""
    with bridge_driver() as opened:
        opened.sit_down()
        number = 16
        for draw in range(3):
            opened.hear(f"{number} sutehai? sute=7z _time=1+1")
            opened.clock.advance(2)
            others = [
                f"tsumo {seat} 60\n0 sutehai {seat} {tile}"
                for seat, tile in zip("CDA", ("3z", "4z", "6z"), strict=True)
            ]
            said = opened.hear("\n0 ".join(["0 sutehai B 7z tsumogiri", *others, "tsumo B 56 7z"]))
            assert said == (["0 bye"] if draw == 2 else [])
            assert bool(capsys.readouterr().err) == (draw == 2)
            number += 1
        assert not opened.line.connected


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ("1 error no%20room", "the server says: no room"),
        ("1 bye", ""),
        ("1 gamestart B a b c d\n2 bye", "the server has ended before the game was over"),
        ("1 gamestart - a b c d", "server does not play mahjong: it gives us no seat"),
        ("1 tsumo A 69", "server does not play mahjong: an event before the start of the game"),
        (START + "16 sutehai B 9s", "server does not play mahjong: face 26 is not held"),
        (
            "1 gamestart B a me c d\n2 tsumo A 69",
            "server does not play mahjong: an event of a kyoku before its start",
        ),
        ("1 gamestart D a b c", "ignored a line: gamestart cannot be read: 'D a b c'"),
        ("1 gamestart B a me", "server does not play mahjong: a game of 2"),
        (
            "1 gamestart B a me c d\n2 gamestart B a me c d",
            "server does not play mahjong: a game begins before the last one is over",
        ),
        ("x" * LONGEST_LINE + "y", f"server does not speak UMP: a line of more than {LONGEST_LINE} bytes"),
        ("what?", "ignored a line: 'what?' does not begin with an id"),
    ],
)
def test_failures(lines: str, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The client writes one line to standard error, and exits with 1."""
    with bridge_driver() as opened:
        opened.hear(GREETING)
        opened.hear(lines)
        if opened.line.connected:
            opened.line.loseConnection()
        assert opened.finish() == 1
        assert capsys.readouterr().err.splitlines()[:1] == ([f"ump join: {complaint}"] if complaint else [])


def test_ever_new_complaints(capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong server fills neither the memory nor the screen with them."""
    with bridge_driver() as opened:
        opened.hear(GREETING)
        opened.hear("\n".join(f"what{number}?" for number in range(MOST_REPORTS + 64)))
        opened.line.loseConnection()
        opened.finish()
    shown = capsys.readouterr().err.splitlines()
    assert shown[MOST_REPORTS - 1] == f"ump join: ignored a line: 'what{MOST_REPORTS - 1}?' does not begin with an id"
    assert shown[MOST_REPORTS] == "ump join: more of the like"
    assert shown[-2] == "ump join: more of the like (64 times)"


def test_a_game_of_three_needs_no_option() -> None:
    """The server's hello names the rules of its first room; the bot may play in a room of three."""
    with bridge_driver() as opened:
        opened.hear(GREETING)
        opened.hear("1 gamestart B a me c\n2 ready?")
        assert opened.reply(type="none") == ["2 ok"]
        points = "".join(f"\n{number} point {seat} =35000" for number, seat in enumerate("ABC", 4))
        opened.hear(f"3 kyokustart 1z A 0 0{points}\n7 haipai B {HAIPAI}\n8 dora 9s\n9 tsumo A 54")
        assert opened.line.connected
        opened.line.loseConnection()
        opened.finish()


def test_lost_connection(capsys: pytest.CaptureFixture[str]) -> None:
    """The client reports it once, and dismisses the bot."""
    with bridge_driver() as opened:
        opened.sit_down()
        opened.line.loseConnection()
        assert opened.finish() == 1
        assert capsys.readouterr().err == "ump join: the server has closed the connection\n"


def test_ctrl_c(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The client sends bye, dismisses the bot and reports nothing."""
    monkeypatch.setattr(join_module, "signal", lambda number, action: None)
    with bridge_driver() as opened:
        opened.sit_down()
        waited = opened.bridge.interrupt()
        assert waited is opened.bridge.over
        assert opened.said() == ["0 bye"]
        opened.bot.exit(signal=2)
        opened.finish()
        assert opened.bridge.is_interrupted
        assert capsys.readouterr().err == ""


class Bridged(Robot):
    """A bridge as a client of a server in memory."""

    def __init__(self, peer: Peer, bridged: BridgeDriver, *, offers: bool) -> None:
        super().__init__(peer)
        self.driver = bridged
        self._offers = offers

    def play(self) -> bool:
        """Pass on the lines of both ends; return whether there were any."""
        heard = self.peer.heard()
        for line in heard:
            if self.driver.line.connected:
                self.driver.bridge.dataReceived(f"{line}\r\n".encode())
        said = self.driver.said()
        for line in said:
            self.peer.say(line if self._offers else line.replace(" _offer=1", ""))
        acted = [program.play() for program in self.driver.machine.programs]
        return bool(heard or said) or any(acted)


def bridged(server: MemoryServer, options: JoinOptions = OPTIONS, *, offers: bool = True) -> Bridged:
    """Connect a bridge to a server."""
    return Bridged(server.connect(), BridgeDriver(server.clock, options), offers=offers)


@pytest.mark.parametrize("offers", [True, False])
def test_whole_games(offers: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """A bot plays two games, with a new process for each, and the server accepts all of its answers."""
    options = JoinOptions("server", 19_000, OPTIONS.command, "me", games=2)
    with memory_server(room(house=["efficiency:3"], house_after=0, length="tonpu")) as server:
        client = bridged(server, options, offers=offers)
        server.play([client])
        for _ in range(3):
            server.clock.advance(1)
            server.play([client])
        assert client.peer.words().count("gameend") == 2
        assert "_illegal" not in client.peer.words()
        assert client.driver.finish() == 0
        assert len(client.driver.machine.programs) == 2
        said = capsys.readouterr()
        assert said.err == ""
        assert len(said.out.splitlines()) == 2


# With real processes


SERVER = (
    *(*TWIST, "--listen", "0", "--mjai", "none", "--http", "none", "--record-dir", "none"),
    *("--house", "tsumogiri:3", "--house-after", "0", "--length", "kyoku", "--time", "60+0", "--seed", "join"),
)
JOIN = (*UMP, "join")


@pytest.mark.once
def test_processes(tmp_path: Path) -> None:
    """The command plays a kyoku with a good bot and one that crashes, and ends at Ctrl-C with one that hangs.

    The last one comes in a zip file: its folder is gone afterwards.
    """
    archive, scratch = tmp_path / "bot.zip", tmp_path / "scratch"
    scratch.mkdir()
    with ZipFile(archive, "w") as opened:
        opened.write(ROOT / "tests" / "support" / "bots" / "batch.py", "batch.py")
        opened.writestr("bot.py", "import sys; sys.argv += ['hang', '2']; import batch; batch.main()")
    with running(*SERVER) as server:
        port = server.port()
        for mode, status, complaint in (
            ("", 0, ""),
            (" crash 2", 1, "cannot go on\nump join: the bot ended during its game, status 3\n"),
            (" crash 0", 1, "ump join: the bot ended before its first reply, status 3\ncannot go on\n"),
        ):
            ended = run(*JOIN, f"localhost:{port}", "--mjai", BOT + mode)
            assert (ended.returncode, ended.stderr) == (status, complaint)
            assert ended.stdout.count("\n") == (0 if status else 1)
            assert (" bot " in ended.stdout) == (not status)
        command = [*JOIN, f"localhost:{port}", "--mjai", str(archive)]
        with start(*command, variables={"TMPDIR": str(scratch)}) as client:
            assert client.stderr is not None
            assert client.stderr.readline() == "thinking\n"
            assert sorted(path.name for path in scratch.glob("*/*.py")) == ["batch.py", "bot.py"]
            client.send_signal(signal.SIGINT)
            out, err = client.communicate()
            assert (client.returncode, out, err) == (130, "", "\n")
        assert not list(scratch.iterdir())


@each_row(
    ("words", "complaint"),
    [
        ("localhost --mjai cat", "localhost: expected HOST:PORT with a port from 1 to 65535, as in localhost:19000"),
        (
            "localhost:99999 --mjai cat",
            "localhost:99999: expected HOST:PORT with a port from 1 to 65535, as in localhost:19000",
        ),
        ("localhost:1", "give exactly one of --mjai COMMAND, --mjai-lines COMMAND"),
        ("localhost:1 --mjai cat --mjai-lines cat", "give exactly one of --mjai COMMAND, --mjai-lines COMMAND"),
        ("localhost:1 --mjai no-such-thing", "--mjai: 'no-such-thing': there is no program no-such-thing"),
        (
            f"localhost:1 --mjai cat --name {'x' * 33}",
            "--name must have 1 to 32 characters, and no control characters",
        ),
        ("localhost:1 --mjai cat --rules x", "--rules: unknown preset 'x'; choose "),
        ("localhost:1 --mjai nowhere.zip", "--mjai: 'nowhere.zip': it cannot be unpacked: No such file or directory"),
        (f"localhost:1 --mjai cat --user {'x' * 3_000}", "--user, --password: "),
    ],
)
def test_wrong_arguments(words: str, complaint: str) -> None:
    """The command writes one line to standard error, and exits with 2."""
    result = CliRunner().invoke(main, ["join", *words.split()])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {complaint}")
