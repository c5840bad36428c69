"""``ump join``: a bot behind pipes plays on a server. The server is made up, or runs; the bots are programs."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from support.programs import TWIST, UMP, run, running, start
from support.rows import each_row

from ump.bots import join, session
from ump.bots.join import MOST_REPORTS, REPLACED, Reports, play, problem_of
from ump.bots.links import Link, read_address
from ump.bots.session import ClientOptions
from ump.cli.main import main
from ump.net.bot_commands import BotCommand

ROOT = Path(__file__).resolve().parent.parent.parent
BOTS = ROOT / "tests" / "support" / "bots"
BOT = f"{sys.executable} {BOTS / 'batch.py'} {{seat}}"

OPTIONS = ClientOptions(read_address("server:19000"), name="me", retry=0)

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
END = "90 gameend 25000 25000 25000 25000"
BYE = "91 bye"


class MadeUp(Link):
    """A link whose lines the test chooses; then the server closes, or something happens in place of a line."""

    def __init__(self, lines: list[str | Callable[[], None]]) -> None:
        self.said: list[str] = []
        self._lines = lines

    def receive(self) -> str | None:
        """Return the next line."""
        while self._lines:
            line = self._lines.pop(0)
            if isinstance(line, str):
                return line
            line()
        return None

    def send(self, messages: list[str]) -> None:
        """Keep what the client says."""
        self.said += messages

    def close(self) -> None:
        """Do nothing."""


class Joined:
    """``ump join`` at a made-up server, with a bot that writes what the test wants."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._patch = monkeypatch.setattr
        self._copy = folder / "told.txt"
        self.links: list[MadeUp] = []
        self._patch(join, "problem_of", lambda command: None)
        self._patch(join, "signal", lambda number, action: None)

    def play(
        self,
        *connections: str | list[str | Callable[[], None]],
        replies: tuple[str | dict[str, object], ...] = (),
        dialect: str = "mjai",
        options: ClientOptions = OPTIONS,
    ) -> int:
        """Play over one connection after the other, and return the exit status."""
        self.links = [MadeUp(_lines(connection)) for connection in connections]
        coming = iter(self.links)
        self._patch(session, "open_link", lambda *given, **named: next(coming))
        self._copy.unlink(missing_ok=True)
        written = [reply if isinstance(reply, str) else json.dumps(reply) for reply in replies]
        first = [] if dialect.startswith("mjai-lines") else ['{"type":"none"}']
        words = (sys.executable, str(BOTS / "told.py"), str(self._copy), *first, *written)
        return play(BotCommand(dialect, words), options)

    @property
    def said(self) -> list[str]:
        """The lines of the client on its first connection, without its hello and ``ok``."""
        return self.links[0].said[2:]

    @property
    def told(self) -> list[list[dict[str, object]]]:
        """The lines that the bot has received."""
        return [json.loads(line) for line in self._copy.read_text("utf-8").splitlines()]


def _lines(connection: str | list[str | Callable[[], None]]) -> list[str | Callable[[], None]]:
    if isinstance(connection, list):
        return connection
    return [line.strip() for line in (GREETING + START + connection).splitlines() if line.strip()]


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Joined:
    """Return the client at a made-up server."""
    return Joined(monkeypatch, tmp_path)


def test_what_the_bot_receives(joined: Joined) -> None:
    """At its turn the bot receives all events, without hidden tiles."""
    joined.play(f"16 {TURN}\n{END}\n{BYE}")
    ((start,), (start_kyoku, *events), *_) = joined.told
    assert (start["type"], start["id"]) == ("start_game", 1)
    hidden = ["?"] * 13
    own = ["1m", "1m", "2m", "3m", "4m", "5m", "6m", "7p", "8p", "9p", "3s", "4s", "5s"]
    assert start_kyoku["tehais"] == [hidden, own, hidden, hidden]
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
        ({"type": "ryukyoku", "actor": 1, "reason": "kyushukyuhai"}, "ryukyoku"),
    ],
)
def test_answers_at_a_turn(joined: Joined, reply: dict[str, object], said: str) -> None:
    """The client passes legal answers on."""
    assert joined.play(f"16 {TURN} tsumo ryukyoku\n{END}\n{BYE}", replies=(reply,)) == 0
    assert joined.said[0] == f"16 {said}"


@each_row(
    ("reply", "said"),
    [
        ({"type": "none"}, "no"),
        ({"type": "pon", "actor": 1, "target": 0, "pai": "1m", "consumed": ["1m", "1m"]}, "pon 1m 1m"),
        ({"type": "chi", "actor": 1, "target": 0, "pai": "1m", "consumed": ["2m", "3m"]}, "chi 2m 3m"),
        ({"type": "hora", "actor": 1, "target": 0, "pai": "1m"}, "ron"),
    ],
)
def test_answers_to_a_discard(joined: Joined, reply: dict[str, object], said: str) -> None:
    """The client names the tiles of its hand for a call."""
    lines = (
        "16 sutehai B 7z tsumogiri\n17 tsumo C 67\n18 sutehai C 5z\n19 tsumo D 66\n20 sutehai D 5z\n"
        "21 tsumo A 65\n22 sutehai A 1m\n23 naku? 1m pon=1m1m chi=2m3m ron"
    )
    assert joined.play(f"{lines}\n{END}\n{BYE}", replies=(reply,)) == 0
    assert joined.said[0] == f"23 {said}"


@each_row("asked", [TURN, "sutehai?"])
def test_riichi_in_two_steps(joined: Joined, asked: str) -> None:
    """The bot declares, receives its declaration, and names the tile. Then the client sends both."""
    tile = {"type": "dahai", "actor": 1, "pai": "C", "tsumogiri": True}
    assert joined.play(f"16 {asked}\n{END}\n{BYE}", replies=({"type": "reach", "actor": 1}, tile)) == 0
    assert joined.told[2] == [{"type": "reach", "actor": 1}]
    assert joined.said[0] == "16 richi 7z tsumogiri"


TSUMOGIRI: dict[str, object] = {"type": "dahai", "actor": 1, "pai": "C", "tsumogiri": True}
NOT_HELD: dict[str, object] = {"type": "dahai", "actor": 1, "pai": "9s", "tsumogiri": False}
ILLEGAL = "ump join: the bot's answer 'sute 9s' is not legal; the default is used\n"


@each_row(
    ("replies", "complaint"),
    [
        ((NOT_HELD,), ILLEGAL),
        (("Traceback",), "ump join: the bot's answer is unreadable; the default is used\n"),
    ],
)
def test_answers_that_are_replaced(
    joined: Joined, replies: tuple[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The client answers with the default, and the exit status shows it."""
    assert joined.play(f"16 {TURN}\n{END}\n{BYE}", replies=replies) == REPLACED
    assert joined.said[0] == "16 sute 7z tsumogiri"
    assert capsys.readouterr().err == complaint


def test_a_riichi_without_a_tile(joined: Joined, capsys: pytest.CaptureFixture[str]) -> None:
    """The riichi stands, with a tile that the session chooses."""
    status = joined.play(f"16 {TURN}\n{END}\n{BYE}", replies=({"type": "reach", "actor": 1}, NOT_HELD))
    assert (status, joined.said[0]) == (REPLACED, "16 richi 7z tsumogiri")
    assert capsys.readouterr().err == "ump join: the bot's riichi names no tile for it: not_held\n"


def test_refused_answers_show_in_the_status(joined: Joined, capsys: pytest.CaptureFixture[str]) -> None:
    """If all games were played, but an answer did not count, the status is another one."""
    assert joined.play(f"16 {TURN}\n17 _illegal 16 not_held\n18 {TURN}\n{END}\n{BYE}") == REPLACED
    assert "ump join: the server refuses the bot's answer: not_held\n" in capsys.readouterr().err


def test_lines_that_answer_nothing(joined: Joined) -> None:
    """A line too many, such as a word for the author, does not shift the answers."""
    tile = {"type": "dahai", "actor": 1, "pai": "3s", "tsumogiri": False}
    pause: Callable[[], None] = lambda: time.sleep(0.3)  # noqa: E731 - the bot writes both lines
    lines = [*_lines(f"16 {TURN}"), pause, "17 sutehai B 7z tsumogiri", "18 tsumo C 67", "19 sutehai C 5z"]
    lines += ["20 tsumo D 66", "21 sutehai D 5z", "22 tsumo A 65", "23 sutehai A 5z", "24 tsumo B 64 9p"]
    lines += ["25 sutehai? sute=3s9p", END, BYE]
    assert joined.play(lines, replies=('{"type":"dahai","pai":"C","tsumogiri":true}\nhello', tile)) == 0
    assert joined.said[:2] == ["16 sute 7z tsumogiri", "25 sute 3s"]


def test_crash(joined: Joined, capsys: pytest.CaptureFixture[str]) -> None:
    """The client shows the last output of the bot, gives its seat back, and exits with 1."""
    assert joined.play(f"16 {TURN}", replies=("error:KeyError\x07", "exit")) == 1
    assert joined.said == ["0 bye"]
    assert capsys.readouterr().err == "KeyError\nump join: the bot ended during its game, status 3\n"


TRACEBACK = "Traceback (most recent call last):\n  File bot.py\nEOFError"


@pytest.mark.parametrize(
    ("words", "shown"), [(TRACEBACK, ""), ("won 3\n" + TRACEBACK, "won 3\n"), ("won 3", "won 3\n")]
)
def test_the_end_of_its_input(joined: Joined, words: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The traceback of a bot that has merely reached the end of its input is not shown."""
    waits = ('{"type":"none"}', '{"type":"none"}')
    assert joined.play(f"{END}\n{BYE}", replies=(*waits, f"error:{words}")[1:]) == 0
    said = capsys.readouterr()
    assert said.err == shown
    assert said.out == "1 a 25000 points, 2 me 25000 points, 3 c 25000 points, 4 d 25000 points\n"


def test_a_silent_bot(joined: Joined, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """If the server states no time, the client stops a bot after SILENT_SECONDS, and gives its seat back."""
    monkeypatch.setattr(join, "SILENT_SECONDS", 3.0)
    assert joined.play("16 sutehai?", replies=("sleep",)) == 1
    assert joined.said == ["0 bye"]
    assert capsys.readouterr().err == "ump join: the bot was stopped: no answer in 3 s\n"


def test_three_late_answers(joined: Joined, capsys: pytest.CaptureFixture[str]) -> None:
    """After three late answers the client stops the bot, and gives its seat back."""
    lines = ""
    for draw in range(3):
        others = "\n".join(
            f"0 tsumo {seat} 60\n0 sutehai {seat} {tile}" for seat, tile in zip("CDA", ("3z", "4z", "6z"), strict=True)
        )
        lines += f"{16 + draw} sutehai? sute=7z _time=0+0\n0 sutehai B 7z tsumogiri\n{others}\n0 tsumo B 56 7z\n"
    assert joined.play(lines, replies=(TSUMOGIRI,) * 3) == 1
    assert joined.said == ["16 sute 7z tsumogiri", "17 sute 7z tsumogiri", "0 bye"]
    assert capsys.readouterr().err == "ump join: the bot was stopped: its last 3 answers came too late\n"


def test_a_lost_connection(joined: Joined, capsys: pytest.CaptureFixture[str]) -> None:
    """The client takes the seat back. The bot is started anew, and receives the kyoku so far again."""
    token = "00112233445566778899aabbccddeeff"
    first = f"16 _resume {token}\n17 {TURN}"
    options = ClientOptions(OPTIONS.address, name="me", retry=5)
    assert joined.play(first, f"16 {TURN}\n{END}\n{BYE}", replies=(TSUMOGIRI,), options=options) == 0
    assert f"_resume={token}" in joined.links[1].said[0]
    starts = [line[0] for line in joined.told if line[0]["type"] == "start_game"]
    assert len(starts) == 2
    said = capsys.readouterr()
    assert said.err == "ump join: lost the connection: the server has closed it; connecting again in 1 s\n"
    assert said.out.count("\n") == 1


def test_ctrl_c(joined: Joined, capsys: pytest.CaptureFixture[str]) -> None:
    """The client sends bye, dismisses the bot and reports nothing."""

    def press() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        joined.play([*_lines(f"16 {TURN}"), press], replies=(TSUMOGIRI,))
    assert joined.said[-1] == "0 bye"
    assert capsys.readouterr().err == ""


def test_a_game_of_three_needs_no_option(joined: Joined) -> None:
    """The server's hello names the rules of its first room; the bot may play in a room of three."""
    points = "".join(f"\n{number} point {seat} =35000" for number, seat in enumerate("ABC", 4))
    lines = f"{GREETING}\n1 gamestart B a me c\n2 ready?\n3 kyokustart 1z A 0 0{points}\n7 haipai B {HAIPAI}"
    lines += "\n8 dora 9s\n9 tsumo A 54\n10 gameend 35000 35000 35000\n11 bye"
    assert joined.play([*lines.splitlines()]) == 0


def test_a_bot_that_reads_lines(joined: Joined) -> None:
    """It replies to the line on which it can act, and to no other."""
    tile: dict[str, object] = {"type": "dahai", "actor": 1, "pai": "3s", "tsumogiri": False}
    silence: tuple[str | dict[str, object], ...] = ("silence",) * 4
    replies = (*silence, tile, *silence, *silence)
    assert joined.play(f"16 {TURN}\n{END}\n{BYE}", replies=replies, dialect="mjai-lines") == 0
    assert joined.said[0] == "16 sute 3s"


def test_ever_new_complaints(capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong server fills neither the memory nor the screen with them."""
    reports = Reports()
    for number in range(MOST_REPORTS + 64):
        reports.repeat(f"what{number}?")
    shown = capsys.readouterr().err.splitlines()
    assert shown[MOST_REPORTS - 1] == f"ump join: what{MOST_REPORTS - 1}?"
    assert shown[MOST_REPORTS] == "ump join: more of the like"
    assert shown[-1] == "ump join: more of the like (64 times)"


# The trial


def told(tmp_path: Path, dialect: str, *replies: str) -> BotCommand:
    """Return the command of a bot that writes these replies."""
    return BotCommand(dialect, (sys.executable, str(BOTS / "told.py"), str(tmp_path / "told.txt"), *replies))


def test_trial_of_a_bot_that_replies(tmp_path: Path) -> None:
    """The trial ends with the first reply to the start of a game."""
    begun = time.monotonic()
    assert problem_of(told(tmp_path, "mjai")) is None
    assert time.monotonic() - begun < join.TRIAL_SECONDS
    ((first,),) = [json.loads(line) for line in (tmp_path / "told.txt").read_text("utf-8").splitlines()]
    assert (first["type"], first["id"]) == ("start_game", 0)


@each_row("dialect", ["mjai", "mjai-lines"])
def test_trial_of_a_bot_that_dies(tmp_path: Path, dialect: str) -> None:
    """The trial says how it ended, and shows the end of its standard error."""
    problem = problem_of(told(tmp_path, dialect, "error:no module named model", "exit"))
    assert problem == "the bot ended before its first reply, status 3\nno module named model"


@each_row(("dialect", "reply"), [("mjai", "sleep"), ("mjai-lines", "silence")])
def test_trial_of_a_bot_that_takes_its_time(
    tmp_path: Path, dialect: str, reply: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that lives on for some seconds passes: it may be loading a model, and line bots need not reply."""
    monkeypatch.setattr(join, "TRIAL_SECONDS", 0.5)
    begun = time.monotonic()
    assert problem_of(told(tmp_path, dialect, reply)) is None
    assert time.monotonic() - begun >= 0.5


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
        ("localhost --mjai cat", "localhost: expected HOST:PORT, as in localhost:19000, or a URL such as ws://"),
        ("localhost:99999 --mjai cat", "localhost:99999: Port out of range 0-65535"),
        ("- --mjai cat", "-: expected the address of a server, as in localhost:19000"),
        ("localhost:1 --protocol mjai-request --mjai cat", "mjai-request cannot be spoken at localhost:1"),
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
