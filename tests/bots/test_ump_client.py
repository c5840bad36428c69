"""The client of UMP that stands behind bots and people, line by line."""

from __future__ import annotations

import pytest
from support.rows import each_row

from ump.bots.ump_client import UMP_01, UMP_02, ClientNews, OpenQuestion, UmpClient, UmpVersion
from ump.model.actions import Discard, Tsumo
from ump.model.events import Event, GameStarted
from ump.model.notation import parse_ump_face as tile
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.wire.ump.reader import ByeReceived, HelloReceived, ReadyAsked

GAME_01 = """\
gamestart A a b c d
ready?
kyokustart 1z A 0 0
point A =25000
point B =25000
point C =25000
point D =25000
haipai A 1m3m4m5M2p2p4p5p6p6s7s6z6z
tsumo A 69 1p
sutehai?"""

GAME_02 = """\
seat A0
player A0 a
player B0 b
player C0 c
player D0 d
gamestart
ready?
kyokustart 0 A0 0 0 1z 2z 3z 4z
point A0 =25000
point B0 =25000
point C0 =25000
point D0 =25000
haipai A0 1m3m4m5M2p2p4p5p6p6s7s6z6z
tsumo A0 69 1p
sutehai?"""


def hear(client: UmpClient, *lines: str) -> list[ClientNews]:
    """Return what lines with ids from 1 on say, and follow the game."""
    heard = []
    for number, line in enumerate(lines, 1):
        for news in client.receive(f"{number} {line}"):
            heard.append(news)
            if isinstance(news, GameStarted):
                client.seen = Observation(client.seat, client.preset or PRESETS["ump"])
            elif isinstance(news, Event) and client.seen is not None:
                client.seen.see(news)
    return heard


@each_row(
    ("version", "game", "ready", "discard"),
    [(UMP_01, GAME_01, "2 ok", "10 sute 1p tsumogiri"), (UMP_02, GAME_02, "7 yes", "15 sutehai 1p tsumogiri")],
)
def test_answers(version: UmpVersion, game: str, ready: str, discard: str) -> None:
    """Each version has its own answers; an answer has the id of its question, and only a legal one is written."""
    client = UmpClient(version)
    *_, question = hear(client, *game.splitlines())
    assert isinstance(question, OpenQuestion)
    assert client.question is question
    assert client.go_on() == ready
    with pytest.raises(ValueError, match="has not asked"):
        client.go_on()
    with pytest.raises(ValueError, match="is not legal"):
        client.answer(Tsumo())
    assert client.answer(Discard(tile("1p"), tsumogiri=True)) == discard
    with pytest.raises(ValueError, match="no question is open"):
        client.answer(Discard(tile("1p"), tsumogiri=True))


def test_a_refusal_opens_the_question_again() -> None:
    """Only the question that was answered; a late one stays closed."""
    client = UmpClient()
    *_, question = hear(client, *GAME_01.splitlines())
    client.answer(Discard(tile("1m")))
    hear(client, "_illegal 10 not_held")
    assert client.question is question
    client.answer(Discard(tile("1m")))
    hear(client, "_late 10 2", "_illegal 10 not_held")
    assert client.question is None


def test_hello_ready_and_bye() -> None:
    """The hello has the options that are not None, and the version first; the server's preset is known."""
    client = UmpClient()
    hello, ready, bye = hear(client, "hello ump=0.1 name=x _rule=wrc", "ready?", "bye")
    assert isinstance(hello, HelloReceived) and isinstance(ready, ReadyAsked) and isinstance(bye, ByeReceived)
    assert client.introduce(hello, [("name", "a b"), ("_room", None)]) == "1 hello ump=0.1 name=a%20b"
    assert client.preset == PRESETS["wrc"]
    assert client.ready == ready
    assert client.say_bye(bye) == "3 bye"


@each_row("line", ["sutehai?", "tsumo A 69 1p"])
def test_nothing_comes_before_or_after_a_game(line: str) -> None:
    """Neither questions nor events, until one starts."""
    client = UmpClient()
    with pytest.raises(ValueError, match="before the start"):
        hear(client, line)
    hear(client, *GAME_01.splitlines(), "kyokuend", "gameend 25000 25000 25000 25000")
    with pytest.raises(ValueError, match="before the start"):
        hear(client, line)
