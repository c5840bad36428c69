"""Known incompatibilities between mjai's servers and clients, none of which occurs here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from support.hosted_table import HostedTable, SessionSeat
from support.mjai_bots import BatchBot, LinesBot, LockstepBot, RequestBot
from support.mjai_session_driver import MjaiSessionDriver
from support.rows import each_row
from support.scenario import Scenario

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.actions import Chi, Discard
from ump.model.claims import Reason
from ump.model.notation import parse_mjai_face
from ump.rules.ruleset import Length, Ruleset
from ump.wire.mjai.events import MjaiNarrator
from ump.wire.mjai.lockstep_session import LockstepSession
from ump.wire.mjai.piped_session import BatchSession, LineSession
from ump.wire.mjai.request_session import RequestSession
from ump.wire.outbox import REPLY_SECONDS
from ump.wire.session import InStep, Introduction, Stale, Staleness

F = parse_mjai_face
Said = dict[str, Any]

NONE: Said = {"type": "none"}
JOIN: Said = {"type": "join", "name": "alice", "room": "default"}
QUIET = {"A": "19m159p19s123456z", "B": "46p147s12347z258m", "C": "55p369m258s12356z", "D": "147m279p369s1467z"}
BOT = Introduction(name="bot")


class OneLine(LockstepSession):
    """A session that never sends more than one line at once, for a client that drops the rest."""

    def take(self) -> list[str]:
        """Return the messages to send: at most one line."""
        said = super().take()
        assert len(said) <= 1
        return said


class Stubborn(LockstepBot):
    """A client that replies with the same line to everything but the hello."""

    def __init__(self, line: str) -> None:
        super().__init__(Random(0))
        self._line = line

    def hear(self, message: str) -> list[str]:
        """Join, and then send the line."""
        return super().hear(message) if '"hello"' in message else [self._line]


def played(seats: Sequence[SessionSeat], seed: str = "traps") -> HostedTable:
    """Play an east-only game."""
    game = Game(Ruleset(length=Length.TONPU), ("ann", "bob", "cy", "dee"), seeded_deals(seed))
    return HostedTable(game, seats).begin().play()


def four(seed: int = 0) -> list[SessionSeat]:
    """Seat one bot of each dialect."""
    chance = Random(seed)
    batch, lines = BatchSession(BOT), LineSession(BOT)
    return [
        SessionSeat(OneLine(), LockstepBot(chance)),
        SessionSeat(batch, BatchBot(chance, batch)),
        SessionSeat(lines, LinesBot(chance, lines)),
        SessionSeat(RequestSession(None, None), RequestBot(chance)),
    ]


def heard(seat: SessionSeat) -> list[Said]:
    """Return every object that a client was sent, those in arrays too."""
    read = map(json.loads, seat.heard)
    return [said for each in read for said in (each if isinstance(each, list) else [each])]


@pytest.fixture(scope="module")
def mixed() -> list[SessionSeat]:
    """A game of one bot of each dialect."""
    seats = four()
    played(seats)
    return seats


def driver(letter: str = "A", draws: str = "8m", hands: dict[str, str] = QUIET) -> MjaiSessionDriver:
    """Seat a client in lock-step, and deal."""
    game = MjaiSessionDriver(LockstepSession(), Scenario(hands, draws), letter, JOIN).begin()
    game.hear()
    game.say(NONE)
    return game.deal()


def at_turn(draws: str = "8m", hands: dict[str, str] = QUIET) -> MjaiSessionDriver:
    """Let A receive its first draw."""
    game = driver("A", draws, hands)
    game.hear()
    game.say(NONE)
    game.hear()
    return game


def test_1_no_second_line_before_the_reply_to_the_first() -> None:
    """Akochan's client reads one line of each read and drops the rest."""
    chance = Random(1)
    table = played([SessionSeat(OneLine(), LockstepBot(chance)) for _ in range(4)])
    assert not table.refused
    assert not table.defaulted


def test_2_faults_are_not_sent_to_anybody() -> None:
    """Gimite's server quotes the drawn tile of a faulty client to all four; here nobody receives anything."""
    seats = [SessionSeat(LockstepSession(), Stubborn('{"type":"dahai","actor":0,"pai":"?"}')), *four(2)[1:]]
    seats.append(seats.pop(0))
    table = played(seats)
    assert table.refused
    for seat in seats:
        assert not [said for said in heard(seat) if said["type"] == "error"]
    for seat in seats[:3]:
        assert not seat.faults()


def test_3_the_reply_to_end_game_may_be_left_out() -> None:
    """Clients that close without it commit no fault and delay nobody."""

    class Leaves(LockstepBot):
        def hear(self, message: str) -> list[str]:
            return [] if '"end_game"' in message else super().hear(message)

    chance = Random(3)
    seats = [SessionSeat(LockstepSession(), Leaves(chance)) for _ in range(4)]
    table = played(seats)
    assert table.is_over
    assert not any(seat.faults() for seat in seats)


def test_4_one_line_is_dropped_for_each_missed_reply() -> None:
    """After two missed and two late replies the client is in step again."""
    game = driver("D")("A sute 1m", "B sute 1z")
    game.hear()
    game.wait(2 * REPLY_SECONDS)
    assert [said["type"] for said in game.hear()] == ["tsumo", "dahai"]
    assert [game.say(NONE) for _ in range(3)] == [Stale(Staleness.LATE), Stale(Staleness.LATE), InStep()]


def test_5_an_extra_line_shifts_nothing() -> None:
    """It is a fault and dropped; the next reply still belongs to its message."""
    game = driver()
    game.hear()
    assert game.say(NONE) == InStep()
    assert game.say(NONE) == Stale(Staleness.NO_QUESTION)
    assert [said["type"] for said in game.hear()] == ["tsumo"]
    game.say({"type": "dahai", "actor": 0, "pai": "1m", "tsumogiri": False})
    assert game.played == [Discard(F("1m"))]


def test_6_none_is_no_discard() -> None:
    """On the own turn it is a fault."""
    game = at_turn()
    game.say(NONE)
    assert game.refused == [Reason.NOT_ASKED]


@each_row(
    ("reply", "action"),
    [
        ({"pai": "8m", "tsumogiri": True}, Discard(F("8m"), True)),
        ({"pai": "8m", "tsumogiri": False}, Discard(F("8m"), True)),
        ({"pai": "8m"}, Discard(F("8m"), True)),
        ({"pai": "1m", "tsumogiri": True}, Discard(F("1m"))),
        ({"pai": "1m"}, Discard(F("1m"))),
    ],
)
def test_7_tsumogiri_is_corrected(reply: Said, action: Discard) -> None:
    """Some bots leave it out, some send it wrongly; all seats receive it right."""
    game = at_turn()
    game.say({"type": "dahai", "actor": 0, **reply})
    assert game.played == [action]
    assert game.hear()[0]["tsumogiri"] is action.tsumogiri


def test_8_a_plain_five_means_the_red_one_where_only_that_is_held() -> None:
    """This holds in ``consumed`` too."""
    game = driver("B", "8m", {**QUIET, "A": "4p19m19p19s123456z", "B": "06p147s12347z258m"})("A sute 4p")
    for _ in range(2):
        game.hear()
        game.say(NONE)
    game.hear()
    game.say({"type": "chi", "actor": 1, "target": 0, "pai": "4p", "consumed": ["5p", "6p"]})
    assert game.played == [Chi((F("5pr"), F("6p")))]


def test_9_reach_names_no_tile(mixed: list[SessionSeat]) -> None:
    """Strict readers fail at a reach with a tile."""
    reaches = [said for seat in mixed for said in heard(seat) if said["type"] == "reach"]
    assert reaches
    assert all("pai" not in said for said in reaches)


def test_10_start_kyoku_always_has_scores(mixed: list[SessionSeat]) -> None:
    """Gimite's server sends none; some clients need them."""
    for seat in mixed:
        starts = [said for said in heard(seat) if said["type"] == "start_kyoku"]
        assert starts
        assert all(len(said["scores"]) == 4 for said in starts)


def test_11_hora_is_always_complete(mixed: list[SessionSeat]) -> None:
    """Readers have crashed at a hora without actor. It has one of the names of the ura indicators, never both."""
    fields = {
        "actor", "target", "pai", "hora_tehais", "yakus", "fu", "fan", "hora_points", "deltas", "scores",
    }  # fmt: skip
    wins = [said for seat in mixed for said in heard(seat) if said["type"] == "hora"]
    assert wins
    assert all(fields <= set(said) for said in wins)
    assert all(("uradora_markers" in said) != ("ura_markers" in said) for said in wins)


def test_12_only_the_own_start_game_has_the_seat(mixed: list[SessionSeat]) -> None:
    """Each client receives its own id."""
    for number, seat in enumerate(mixed):
        with_id = [said for said in heard(seat) if "id" in said]
        assert [(said["type"], said["id"]) for said in with_id] == [("start_game", number)]


def test_13_start_kyoku_suffices() -> None:
    """The messages need nothing from before the first kyoku of a connection."""
    narrator = MjaiNarrator(2)
    game = Scenario({}, dealer="C", bakaze=1, honba=3, kyotaku=2, points=(1_000, 30_000, 40_000, 29_000)).turns(2)
    messages = [message.content for event in game.events if (message := narrator.tell(event)) is not None]
    start = messages[0]
    assert (start["bakaze"], start["kyoku"], start["honba"], start["kyotaku"], start["oya"]) == ("S", 3, 3, 2, 2)
    assert start["scores"] == [1_000, 30_000, 40_000, 29_000]


def test_14_south_one_is_not_the_fifth_kyoku() -> None:
    """An old document says so; today's servers start again at 1 with each wind."""
    game = Scenario({}, bakaze=1)
    narrator = MjaiNarrator(0)
    start = next(message.content for event in game.events if (message := narrator.tell(event)) is not None)
    assert (start["bakaze"], start["kyoku"]) == ("S", 1)


class Tsumogiri:
    """The forty-line client of 2012: it joins, discards the drawn tile, and leaves at the end."""

    def __init__(self) -> None:
        self._id: int | None = None
        self._has_left = False

    def hear(self, message: str) -> list[str]:
        """Reply as that client did."""
        if self._has_left:
            return []
        action = json.loads(message)
        response: Said = {"type": "none"}
        match action["type"]:
            case "hello":
                response = {"type": "join", "name": "tsumogiri", "room": "default"}
            case "start_game":
                self._id = action["id"]
            case "end_game" | "error":
                self._has_left = True
                return []
            case "tsumo" if action["actor"] == self._id:
                response = {"type": "dahai", "actor": self._id, "pai": action["pai"], "tsumogiri": True}
        return [json.dumps(response)]


def test_the_client_of_2012_plays_a_game() -> None:
    """Four of these clients play a game without a fault."""
    seats = [SessionSeat(OneLine(), Tsumogiri()) for _ in range(4)]
    table = played(seats)
    assert not table.refused
    assert not table.defaulted
    assert not any(seat.faults() for seat in seats)
    assert all(heard(seat)[-1]["type"] == "end_game" for seat in seats)
