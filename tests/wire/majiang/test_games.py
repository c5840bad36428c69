"""Whole games of four Majiang clients: messages are valid, hide the tiles of other seats, and contain all payments."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from support.budgets import some
from support.majiang_bot import Bot
from support.majiang_table import MajiangTable, Said, type_of
from support.rows import each_row

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.actions import DeclareNoten, DeclareTenpai, Riichi
from ump.rules.presets import PRESETS
from ump.rules.ruleset import KanDoraTime, Length, Ruleset
from ump.table.clock import TimeControl
from ump.table.journal_entries import Cause
from ump.wire.session import Farewell, InStep, Stale

NAMES = ("a", "b", "c", "d")


def game(seed: str, ruleset: Ruleset, *, ask_all: bool = False) -> Game:
    """Return the game of a seed."""
    return Game(ruleset, NAMES, seeded_deals(seed), ask_all=ask_all)


RULES = {
    "ump": (PRESETS["ump"], False),
    "tenhou": (replace(PRESETS["tenhou"], open_kan_dora=KanDoraTime.AT_ONCE), False),
    "majsoul": (PRESETS["majsoul"], True),
    "mleague": (replace(PRESETS["mleague"], open_kan_dora=KanDoraTime.AFTER_DISCARD), True),
    "classic": (PRESETS["classic"], False),
}


@pytest.mark.no_cover
@each_row("preset", some([*RULES]))
def test_four_bots_play_a_game(preset: str) -> None:
    """Four bots follow every score, tile and number to the end, and receive nothing hidden."""
    ruleset, ask_all = RULES[preset]
    said: Counter[str] = Counter()
    riichi = 0
    for seed in ("8", "18", "28"):
        bots = [Bot(number) for number in range(4)]
        table = MajiangTable(game(seed, replace(ruleset, length=Length.TONPU), ask_all=ask_all), bots).play()
        riichi += sum(isinstance(entry.action, Riichi) for entry in table.played)
        said.update(word for bot in bots for word in bot.said.elements())
        assert {entry.cause for entry in table.played} <= {Cause.ANSWER, Cause.REFUSED, Cause.RETRIES}
        for received in table.received:
            assert not any(isinstance(each, Stale) for each in received)
            assert isinstance(received[-1], Farewell)
            assert any(isinstance(each, InStep) for each in received)
        assert_alike(table)
    assert riichi
    assert said["dapai"] > 600
    assert min(said[word] for word in ("fulou", "gang", "hule")) > 0


def assert_alike(table: MajiangTable) -> None:
    """Compare the four seats' messages: they differ only in facts that one seat alone may see."""
    for messages in zip(*table.heard, strict=True):
        (type_,) = {type_of(message) for message in messages}
        assert len({message.get("seq") for message in messages}) == 1
        if type_ in ("kaiju", "qipai", "jieju"):
            continue
        bodies = [dict(message[type_]) for message in messages]
        if type_ in ("zimo", "gangzimo"):
            assert sum(bool(body.pop("p")) for body in bodies) == 1
        assert all(body == bodies[0] for body in bodies)


def test_the_form_of_2015_has_the_same_decisions() -> None:
    """The same game in the form of 2015, with its words and ids, has the same decisions."""

    class Old:
        """A bot behind a translation to the form of 2015."""

        def __init__(self, bot: Bot) -> None:
            self._bot = bot

        def hear(self, message: Said) -> Said | None:
            assert message.keys() <= {"type", "data", "seq", "timer"}
            content = message["data"]
            if message["type"] == "kaiju":
                assert content["id"] == 0
                content = content | {"id": -content["qijia"] % 4, "qijia": 0}
            if message["type"] == "jieju":
                first = content["qijia"]
                turned = {name: [*content[name][first:], *content[name][:first]] for name in ("defen", "rank")}
                content = content | turned
            rest = {name: message[name] for name in ("seq", "timer") if name in message}
            reply = self._bot.hear({message["type"]: content} | rest)
            if reply is None:
                return None
            words = {"hule": "fule", "daopai": "pingju"}
            type_, data = next(((type_, data) for type_, data in reply.items() if type_ != "seq"), ("", None))
            dumb = type_ in words or not type_
            return {"type": words.get(type_, type_), "data": None if dumb else data, "seq": reply["seq"]}

    ruleset = replace(PRESETS["ump"], length=Length.TONPU)
    today = MajiangTable(game("old", ruleset), [Bot(seed) for seed in range(4)]).play()
    old = MajiangTable(game("old", ruleset), [Old(Bot(seed)) for seed in range(4)], hello={"form": "type-data"}).play()
    assert old.played == today.played
    assert len(old.played) > 200


class Silent(Bot):
    """A bot that stops replying at some message."""

    def __init__(self, seed: int, until: int) -> None:
        super().__init__(seed)
        self._left = until

    def hear(self, message: Said) -> Said | None:
        """Take a message."""
        reply = super().hear(message)
        self._left -= 1
        return reply if self._left > 0 else None


@each_row("until", [0, 1, 2, 17, 60])
def test_a_silent_client_holds_up_nobody(until: int) -> None:
    """A client that falls silent still receives everything, and the others play on."""
    ruleset = replace(PRESETS["tenhou"], length=Length.KYOKU)
    table = MajiangTable(game("silent", ruleset), [Silent(0, until), *(Bot(seed) for seed in range(1, 4))]).play()
    assert type_of(table.heard[0][-1]) == "jieju"
    assert_alike(table)


class Deaf(Bot):
    """A bot that replies to its own draws with nonsense, some of which has the right number."""

    def hear(self, message: Said) -> Said | bytes | None:  # type: ignore[override]
        """Take a message."""
        reply = super().hear(message)
        if reply is None or not message.get("zimo", {}).get("p"):
            return reply
        nothing = {"seq": message["seq"]}
        return self._chance.choice((b"nonsense", nothing | {"dapai": "x"}, nothing | {"gang": "m1111"}, nothing))


def test_nonsense_does_not_stop_the_game() -> None:
    """The game goes on, and a client that asked for reasons receives them."""
    ruleset = replace(PRESETS["ump"], length=Length.KYOKU)
    clients: list[Any] = [Explained(Deaf(0)), *(Explained(Bot(seed)) for seed in range(1, 4))]
    table = MajiangTable(game("deaf", ruleset), clients, hello={"explain": True}).play()
    assert type_of(table.heard[0][-1]) == "jieju"
    assert all(not any(isinstance(each, Stale) for each in received) for received in table.received)
    for seat, client in enumerate(clients):
        assert client.reasons == [entry.reason.value for entry in table.refused if entry.seat == seat]
    assert {"unreadable", "not_held"} <= set(clients[0].reasons)


class Explained:
    """A bot behind a filter that drops the reasons of refusals."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._seq = 0
        self.reasons: list[str] = []

    def hear(self, message: Said) -> Said | None:
        """Take a message."""
        refused = message.get("refused")
        if refused is not None:
            assert message.keys() == {"refused"}
            assert refused["seq"] == self._seq
            self.reasons.append(refused["reason"])
            return None
        self._seq = message.get("seq", self._seq)
        return self._bot.hear(message)


class Slow(Bot):
    """A bot that replies two messages late, so always too late."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._late: Said | None = None

    def hear(self, message: Said) -> Said | None:
        """Take a message; return the reply to the one before."""
        late, self._late = self._late, super().hear(message)
        return late


def test_replies_that_come_too_late_are_dropped() -> None:
    """A late reply has the number of a message whose reply is no longer awaited."""
    ruleset = replace(PRESETS["tenhou"], length=Length.KYOKU)
    clients = [Slow(0), *(Bot(seed) for seed in range(1, 4))]
    table = MajiangTable(game("slow", ruleset), clients, times=TimeControl(1.0, 2.0)).play()
    assert type_of(table.heard[0][-1]) == "jieju"
    late = [each for each in table.received[0] if isinstance(each, Stale)]
    assert len(late) > 10
    assert not table.refused or all(entry.seat != 0 for entry in table.refused)


@pytest.mark.no_cover
def test_tenpai_is_declared_with_the_last_discard() -> None:
    """If the rule object says so, ``daopai`` decides; some bots declare and some do not."""
    ruleset = replace(PRESETS["ump"], length=Length.TONPU)
    declared: Counter[type] = Counter()
    for seed in some(["8", "18", "28"]):
        table = MajiangTable(game(seed, ruleset), [Wall(seed) for seed in range(4)]).play()
        answers = [entry for entry in table.played if isinstance(entry.action, DeclareTenpai | DeclareNoten)]
        assert {entry.cause for entry in answers} <= {Cause.ANSWER}
        declared.update(type(entry.action) for entry in answers)
    assert declared[DeclareTenpai]
    assert declared[DeclareNoten]


class Wall(Bot):
    """A bot that never wins and never declares riichi, so that walls are exhausted."""

    def _reply(self, type_: str, content: Any) -> Said:
        reply = super()._reply(type_, content)
        if reply.pop("hule", None) and type_ != "dapai":
            return {"dapai": self._hand[-1]}
        return json.loads(json.dumps(reply).replace("*", ""))  # type: ignore[no-any-return]
