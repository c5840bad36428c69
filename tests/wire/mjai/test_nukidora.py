"""Games of three as Mortal's family reads them: ``nukidora``, and lists of four with an empty seat."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from support.mjai_session_driver import MjaiSessionDriver
from support.rows import each_row
from support.scenario import Scenario

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.actions import Kita, Ron
from ump.model.events import Event
from ump.model.seats import LETTERS
from ump.players.hints import HintScope
from ump.rules.presets import PRESETS
from ump.wire.mjai.events import GIMITE, MORTAL, RIICHILAB, MjaiNarrator, Wording
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.mjai.piped_session import BatchSession, BatchSessionOfThree, LineSession, LineSessionOfThree

JOIN = {"type": "join", "name": "alice", "room": "default", "nukidora": True, "advice": True}
EMPTY = {"names": "", "scores": 0, "deltas": 0, "tehais": ["?"] * 13, "tenpais": False}


def events(preset: str, seed: str) -> list[Event]:
    """Return the events of a game whose players prefer to act."""
    ruleset, chance = PRESETS[preset], Random(seed)
    game = Game(ruleset, tuple(LETTERS[: ruleset.seats]), seeded_deals(seed, ruleset.seats))
    told = list(game.begin())
    while not game.over:
        if game.questions:
            seat, question = next(iter(game.questions.items()))
            told += game.answer(seat, chance.choice(question.legal()[-3:]))
        else:
            told += game.proceed()
    return told


def messages(wording: Wording, told: list[Event]) -> list[dict[str, Any]]:
    """Return what a record would say, as a reader parses it."""
    narrator = MjaiNarrator(None, wording)
    return [json.loads(written.text) for event in told if (written := narrator.tell(event)) is not None]


@each_row("wording", [GIMITE, MORTAL])
def test_lists_have_an_empty_seat(wording: Wording) -> None:
    """Every list by seat has a fourth element, the word is nukidora, and nothing else differs."""
    types: set[str] = set()
    for seed in range(3):
        told = events("tenhou3", str(seed))
        for plain, filled in zip(messages(wording, told), messages(wording.of_three, told), strict=True):
            types.add(filled["type"])
            expected = {key: [*plain[key], empty] for key, empty in EMPTY.items() if key in plain}
            assert filled == {**plain, **expected, "type": plain["type"].replace("kita", "nukidora")}
    assert types >= {"start_game", "start_kyoku", "nukidora", "hora", "ryukyoku", "end_game"}


def test_games_of_four_are_the_same() -> None:
    """The wish changes nothing there."""
    told = events("tenhou", "four")
    assert messages(GIMITE, told) == messages(GIMITE.of_three, told)


def test_sessions_of_three() -> None:
    """Both kinds of piped bots have a session with these words; the names by which records know them differ."""
    assert (GIMITE.of_three, MORTAL.of_three) == (BatchSessionOfThree.WORDING, LineSessionOfThree.WORDING)
    sessions = (BatchSession, LineSession, BatchSessionOfThree, LineSessionOfThree)
    assert len({session.DIALECT for session in sessions}) == len(sessions)
    assert RIICHILAB.slots == 0


@each_row(("join", "word"), [(JOIN, "nukidora"), ({**JOIN, "nukidora": False}, "kita")])
def test_lock_step(join: dict[str, Any], word: str) -> None:
    """A join may ask for it; offers have the same word, and a north can be robbed."""
    hands = {"A": "19m19p19s1234467z", "B": "123456789p1144z"}
    for letter in "AB":
        scenario = Scenario(hands, "8p", rules=PRESETS["tenhou3"])
        game = MjaiSessionDriver(
            LockstepSession(), scenario, letter, {**join, "advice": True}, HintScope.ADVICE
        ).begin()
        assert len(game.hear()[0]["names"]) == (4 if word == "nukidora" else 3)
        game.say({"type": "none"})
        game.deal()
        (start,) = game.hear()
        assert len(start["tehais"]) == len(start["scores"]) == (4 if word == "nukidora" else 3)
        game.say({"type": "none"})
        (draw,) = game.hear()
        if letter == "A":
            assert word in [offer["type"] for offer in draw["possible_actions"]]
            assert word in [each["action"]["type"] for each in draw["advice"]]
            game.say({"type": word, "actor": 0, "pai": "N"})
            assert game.played == [Kita()]
            continue
        game.say({"type": "none"})
        game("A kita")
        (kita,) = game.hear()
        assert (kita["type"], [offer["type"] for offer in kita["possible_actions"]]) == (word, ["hora"])
        game.say({"type": "hora", "actor": 1, "target": 0, "pai": "N"})
        assert game.played == [Ron()]
