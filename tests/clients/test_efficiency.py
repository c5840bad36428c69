"""``clients/efficiency.py``: the bot line by line, and the script as a process."""

from __future__ import annotations

import random
import signal
import socket
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.programs import start
from support.rows import each_row
from support.scripted_server import PATIENCE, ROOT, converse, run_client, start_client, steps

from clients.efficiency import EfficiencyBot
from ump.bots.bot import BotPlayer
from ump.bots.conversations import ClientFacts, UmpConversation
from ump.rules.presets import PRESETS
from ump.wire.session import ServerRefusal

pytestmark = pytest.mark.once

SEATED = """
    < 0 hello ump=0.1 name=test{rule}
    > 0 hello ump=0.1 name=me _games=1 _explain=1 _resume=1 _offer=1 _time=1
    < 1 gamestart B alice me carol dave
    < 2 ready?
    > 2 ok
    < 3 kyokustart 1z A 0 0
    < 4 point A =25000
    < 5 point B ={points}
    < 6 point C =25000
    < 7 point D =25000
    < 8 dice 1 6
    < 9 haipai A
    < 10 haipai B {hand}
    < 11 haipai C
    < 12 haipai D
    < 13 dora 9m
    < 14 tsumo A 69
    < 15 sutehai A 9p tsumogiri
"""

ONE_OFF = "1m2m3m4p5p6p4s7s8s9s1z1z5z"
"""One tile from tenpai: 3s, 5s and 6s help."""


def seated(hand: str = ONE_OFF, points: int = 25_000, rule: str = "") -> str:
    """Return the transcript up to the first draw of B."""
    return SEATED.format(hand=hand, points=points, rule=rule and f" _rule={rule}")


def receiver(rules: str | None = None) -> Callable[[str], str | None]:
    """Return a function from a line of the server to the bot's answer; ``rules`` is the user's preset."""
    player = BotPlayer(EfficiencyBot(), pytest.fail, rules=None if rules is None else PRESETS[rules])
    conversation = UmpConversation(player, ClientFacts("me"))
    return lambda line: next(iter(conversation.receive(line)), None)


RIICHI_AND_RON = """
    < 16 tsumo B 68 3s
    < 17 sutehai?
    > 17 richi 5z
    < 18 say B richi
    < 19 sutehai B 5z
    < 20 point B -1000
    < 21 tsumo C 67
    < 22 sutehai C 1z tsumogiri
    < 23 naku? 1z
    > 23 no
    < 24 tsumo D 66
    < 25 sutehai D 2s tsumogiri
    < 26 naku? 2s
    > 26 ron
    < 27 say B ron
    < 28 open B 1m2m3m4p5p6p3s4s7s8s9s1z1z
    < 29 dora 9m
    < 30 agari B 40 %E7%AB%8B%E7%9B%B4 1
    < 31 point D -2000
    < 32 point B +3000
    < 33 ready?
    > 33 ok
    < 34 kyokuend
"""


def test_legal_actions_are_worked_out_without_offers() -> None:
    """If the server sends no offers, the player works them out from its hand."""
    converse(receiver(), seated() + RIICHI_AND_RON)


def test_only_offers_of_the_server_are_chosen() -> None:
    """The player chooses only among offers: here riichi is not offered."""
    transcript = """
        < 16 tsumo B 68 3s
        < 17 sutehai? sute=1m2m3m4p5p6p3s4s7s8s9s1z5z _time=10+20
        > 17 sute 5z
        < 18 sutehai B 5z
    """
    converse(receiver(), seated() + transcript)


def test_calls_name_their_tiles() -> None:
    """A dragon is called, a tile goes, and then a run may be called too."""
    transcript = """
        < 16 tsumo B 68 9m
        < 17 sutehai?
        > 17 sute 1z
        < 18 sutehai B 1z
        < 19 tsumo C 67
        < 20 sutehai C 5z
        < 21 naku? 5z
        > 21 pon 5z 5z
        < 22 say B pon
        < 23 open B <5z5z> 5z
        < 24 sutehai?
        > 24 sute 9m
        < 25 sutehai B 9m
        < 26 tsumo C 66
        < 27 sutehai C 9s
        < 28 tsumo D 65
        < 29 sutehai D 9s
        < 30 tsumo A 64
        < 31 sutehai A 6p
        < 32 naku? 6p chi=4p5P pon=6p6p
        > 32 chi 4p 5P
        < 33 say B chi
        < 34 open B <4p5P> 6p
    """
    converse(receiver(), seated("1m2m3m4p5P6p6p1s3s7s1z5z5z") + transcript)


@each_row(
    ("rule", "rules", "answer"),
    [
        ("", None, "sute"),
        ("tenhou", None, "sute"),
        ("wrc", None, "richi"),
        ("wrc", "tenhou", "sute"),
        ("odd", "wrc", "richi"),
    ],
)
def test_the_rules_come_from_the_server_or_the_user(rule: str, rules: str | None, answer: str) -> None:
    """Some rules allow riichi with 900 points. The user's preset comes before the server's."""
    transcript = f"""
        < 16 tsumo B 68 3s
        < 17 sutehai?
        > 17 {answer} 5z
    """
    converse(receiver(rules), seated(points=900, rule=rule) + transcript)


@given(st.randoms(use_true_random=False), st.integers(1, 20))
def test_a_server_that_talks_nonsense_is_refused(chance: random.Random, rate: int) -> None:
    """Lost, repeated, moved or garbled lines are answered, or raise an error that ``main`` reports in one line."""
    lines = [line for who, line in steps(seated() + RIICHI_AND_RON) if who == "<"]
    words = " ".join(lines).split()
    player = BotPlayer(EfficiencyBot(), lambda text: None)
    conversation = UmpConversation(player, ClientFacts("me"))
    for line in lines:
        said = line.split()
        match chance.randrange(4 * rate):
            case 0:
                continue
            case 1:
                said = chance.choice(lines).split()
            case 2:
                said[chance.randrange(len(said))] = chance.choice(words)
            case 3:
                said *= 2
        try:
            conversation.receive(" ".join(said))
        except (ValueError, ServerRefusal):
            return


GAME = """
    < 0 hello ump=0.1 name=test _rule=ump _length=kyoku _ext=_offer
    > 0 hello ump=0.1 name=%E9%9B%80 _games=2 _explain=1 _resume=1 _room=open _offer=1 _time=1
    < 1 gamestart A %E9%9B%80 b c d
    < 2 gameend 31000 23000 23000 23000
    < 3 gamestart C b c %E9%9B%80 d
    < 4 gameend 1000 30000 50000 19000
    < 5 bye
    > 5 bye
"""


def test_the_process_plays_and_exits_with_0() -> None:
    """It sends the options of its command line, prints each result, and exits with 0 after the last game."""
    ended = run_client("efficiency.py", GAME, "--name", "雀", "--games", "2", "--room", "open")
    assert (ended.stderr, ended.returncode) == ("", 0)
    assert ended.stdout.splitlines() == [
        "1 雀 31000 points, 2 b 23000 points, 3 c 23000 points, 4 d 23000 points",
        "1 雀 50000 points, 2 c 30000 points, 3 d 19000 points, 4 b 1000 points",
    ]


@pytest.mark.parametrize(
    ("transcript", "complaint"),
    [
        ("< 0 error no%20such%20room", "the server says: no such room\n"),
        (
            "< 0 hello ump=0.1\n> 0 hello ump=0.1 name=efficiency _games=1 _explain=1 _resume=1 _offer=1 _time=1",
            "lost the connection: the server has closed it\n",
        ),
        ("< SSH-2.0-OpenSSH_9.6", "{} is a port for SSH; UMP is usually on port 19000\n"),
    ],
    ids=["refused", "gone", "something else"],
)
def test_errors_are_reported_in_one_line(transcript: str, complaint: str) -> None:
    """A refusal, a server that closes, or another service at that port: one line, and exit code 1."""
    ended = run_client("efficiency.py", transcript, "--retry", "0")
    assert (ended.stderr, ended.returncode) == (complaint.format(ended.args[2]), 1)


def test_a_missing_server_is_reported_in_one_line() -> None:
    """If nothing listens, one line names the address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    ended = start_client("efficiency.py", address)
    assert ended.stderr.startswith(f"no connection to {address}: ")
    assert (ended.stderr.count("\n"), ended.returncode) == (1, 1)


def test_ctrl_c_ends_the_player() -> None:
    """Ctrl-C in a game ends the player without a traceback."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(PATIENCE)
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        with start(str(ROOT / "clients" / "efficiency.py"), address) as client:
            connection, _ = listening.accept()
            with connection, connection.makefile("rwb") as stream:
                stream.write(b"0 hello ump=0.1\r\n")
                stream.flush()
                assert stream.readline().startswith(b"0 hello ")
                client.send_signal(signal.SIGINT)
                assert client.communicate()[1] == ""
    assert client.returncode == 130
