"""One bot in every protocol: whole games against the real server, and equal observations in the same game."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from random import Random

import pytest
from support.budgets import some
from support.client_chair import SESSIONS, ClientChair, Watched
from support.memory_server import memory_server, room
from support.rows import each_row

from ump.bots.bot import BotPlayer, Legal
from ump.bots.conversations import PROTOCOLS, ClientFacts
from ump.model.actions import Action, Ankan, Chi, Daiminkan, Discard, Kakan, KyushuKyuhai, Pon, Riichi, Ron, Tsumo
from ump.model.phases import Phase
from ump.players.efficiency import Efficiency
from ump.players.observation import Observation
from ump.rules.presets import PRESETS
from ump.wire.text import WireError

SEEDS = ("venue", "b", "c", "d", "e", "f")

CALLS = (Chi, Pon, Daiminkan, Ankan, Kakan, KyushuKyuhai)

Snapshot = tuple[object, ...]


def snapshot(seen: Observation, legal: Legal) -> Snapshot:
    """Return all that a bot can see at a question."""
    return (
        *(legal.phase, legal.tile, sorted(map(repr, legal))),
        *(seen.seat, seen.hand.concealed, tuple(map(tuple, seen.melds)), tuple(map(tuple, seen.rivers))),
        *(tuple(seen.points), seen.kyotaku, seen.honba, seen.dealer, seen.bakaze, seen.left, seen.indicators[:]),
        *(seen.in_riichi[:], seen.unpaid, seen.drawer, seen.drawn, seen.rinshan, seen.source, seen.last_tile),
        *(seen.kan, sorted(seen.passed), [seen.unseen(kind) for kind in range(34)]),
    )


class Recorder(Watched):
    """Wins when it can, calls by chance, else goes for the nearest win; what it sees decides alone."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Snapshot] = []
        self.chosen: Counter[type[Action]] = Counter()

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Keep the snapshot, and choose."""
        action = self._choose(observation, legal)
        self.chosen[type(action)] += 1
        return action

    def _choose(self, observation: Observation, legal: Legal) -> Action:
        if legal.phase is Phase.DECLARE:
            return legal.default  # mjai and Majiang do not ask
        self.seen.append(snapshot(observation, legal))
        chance = Random(repr(self.seen[-1]))
        wins, calls = legal.of(Tsumo, Ron), sorted(legal.of(*CALLS), key=repr)
        if wins:
            return wins[0]
        if calls and chance.random() < 0.3:
            return chance.choice(calls)
        return Efficiency().choose(observation, legal.phase, legal.tile, tuple(sorted(legal, key=repr)))


@cache
def played(dialect: str, seed: str) -> tuple[Recorder, ClientChair]:
    """Return the bot after one game, and its client; the same seed gives the same game."""
    bot = Recorder()
    with memory_server(room(house=["efficiency:3"], house_after=0, length="tonpu"), seed=seed) as server:
        chair = ClientChair(dialect, bot, server)
        chair.play_on()
    return bot, chair


@pytest.mark.no_cover
@each_row("seed", some(SEEDS))
@each_row("dialect", SESSIONS)
def test_whole_game(dialect: str, seed: str) -> None:
    """The game is played to its end, and the server refuses nothing."""
    bot, chair = played(dialect, seed)
    assert (chair.player.games, chair.player.refusals, chair.player.faults, chair.reports) == (1, 0, 0, [])
    assert len(bot.ranking) == 1
    assert sorted(bot.ranking[0].places) == [1, 2, 3, 4]


@each_row("seed", some(SEEDS))
@each_row("dialect", list(SESSIONS)[1:])
def test_equal_observations(dialect: str, seed: str) -> None:
    """In the same game a bot is asked the same, and sees the same, in every protocol."""
    expected, seen = played("ump-0.1", seed)[0].seen, played(dialect, seed)[0].seen
    for one, other in zip(expected, seen, strict=False):
        assert one == other
    assert len(expected) == len(seen)


def test_the_games_have_every_kind_of_action() -> None:
    """The games above are varied enough to show differences."""
    chosen: Counter[type[Action]] = Counter()
    for seed in SEEDS:
        chosen += played("ump-0.1", seed)[0].chosen
    assert set(chosen) >= {Discard, Riichi, Chi, Pon, Tsumo, Ron}


@each_row("dialect", [dialect for dialect in SESSIONS if dialect != "majiang"])
def test_games_of_three(dialect: str) -> None:
    """The names of the players show that they are three, if the server does not name the rules."""
    rules = room("three", rules="tenhou3", house=["efficiency:2"], house_after=0, length="kyoku")
    with memory_server(rules, seed="three") as server:
        chair = ClientChair(dialect, Recorder(), server)
        chair.play_on()
    assert (chair.player.games, chair.player.refusals, chair.player.faults) == (1, 0, 0)
    assert chair.player.seen.ruleset == PRESETS["tenhou3"]
    assert chair.player.decisions > 5


class Cautious(Watched):
    """Never declares riichi."""

    def decide(self, observation: Observation, legal: Legal) -> Action:
        """Return the default."""
        return legal.default


START_GAME = '{"type":"start_game","id":0,"names":["me","b","c","d"]}'
START_KYOKU = (
    '{"type":"start_kyoku","bakaze":"E","kyoku":1,"honba":0,"kyotaku":0,"oya":0,"dora_marker":"S","scores":'
    '[25000,25000,25000,25000],"tehais":[["2m","3m","4m","6m","7m","8m","3s","4s","5s","6p","8p","8p","E"],'
    '["?","?","?","?","?","?","?","?","?","?","?","?","?"],["?","?","?","?","?","?","?","?","?","?","?","?","?"],'
    '["?","?","?","?","?","?","?","?","?","?","?","?","?"]]}'
)
DRAW = '{"type":"tsumo","actor":0,"pai":"7p"}'
REACH = '{"type":"reach","actor":0}'

UNDECLARED = [
    ("mjai", [START_GAME, START_KYOKU, DRAW], REACH, {"type": "dahai", "pai": "E", "tsumogiri": False}),
    (
        "mjai",
        [START_GAME, START_KYOKU, DRAW],
        '{"type":"reach","actor":0,"cannot_dahai":["E","2m"]}',
        {"type": "dahai", "pai": "8p", "tsumogiri": False},
    ),
    ("mjai-pipe", [START_GAME, f"[{START_KYOKU},{DRAW}]"], f"[{REACH}]", {"type": "dahai", "pai": "E"}),
    (
        "mjai-request",
        [START_GAME, START_KYOKU, DRAW, REACH],
        '{"type":"request_action","request_id":7,"possible_actions":[{"type":"dahai","pai":"8p"}]}',
        {"type": "dahai", "pai": "8p", "request_id": 7},
    ),
]


@each_row(("protocol", "before", "last", "reply"), UNDECLARED)
def test_a_riichi_that_the_bot_has_not_declared(
    protocol: str, before: list[str], last: str, reply: dict[str, object]
) -> None:
    """The client discards so that most tiles win, among the tiles that the server allows, and does not fall silent."""
    player = BotPlayer(Cautious(), print)
    conversation = PROTOCOLS[protocol].converse(player, ClientFacts("me"))
    for message in before:
        conversation.receive(message)
    (said,) = conversation.receive(last)
    assert reply.items() <= json.loads(said).items()


def test_a_riichi_that_cannot_be_is_an_error() -> None:
    """A server at fault repeats a riichi of a seat that has not drawn."""
    conversation = PROTOCOLS["mjai"].converse(BotPlayer(Cautious(), print), ClientFacts("me"))
    for message in (START_GAME, START_KYOKU):
        conversation.receive(message)
    with pytest.raises(WireError, match="without a draw"):
        conversation.receive(REACH)
