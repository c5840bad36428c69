"""Bots behind pipes: arrays that end where the bot may act, and lines that say if it cannot."""

from __future__ import annotations

from typing import Any

from support.mjai_session_driver import BANK, MOVE, MjaiSessionDriver
from support.rows import each_row
from support.scenario import Scenario

from ump.model.actions import Discard, Pass, Riichi, Ron
from ump.model.events import DoraRevealed, GameEnded
from ump.model.notation import parse_mjai_face
from ump.wire.mjai.piped_session import MAX_WAITING, BatchSession, LineSession
from ump.wire.session import (
    Answered,
    Farewell,
    InStep,
    Introduced,
    Introduction,
    Stale,
    Staleness,
    Unreadable,
    Violated,
)

F = parse_mjai_face
Said = dict[str, Any]

NONE: Said = {"type": "none"}
BOT = Introduction(name="bot")
QUIET = {"A": "19m159p19s123456z", "B": "46p147s12347z258m", "C": "55p369m258s12356z", "D": "147m279p369s1467z"}
ONE_OFF = {"A": "234m678m345s68p8p1z"}
KAN = {"A": "1z147m258p369s235z", "B": "11z234m678m345s6p8p", "D": "19m19p19s2345677z"}
ENDED = GameEnded((40_000, 30_000, 20_000, 10_000), (1, 2, 3, 4), (500, 100, -200, -400))


def batch(letter: str = "A", draws: str = "8m", hands: dict[str, str] = QUIET, **changes: Any) -> MjaiSessionDriver:
    """Seat a bot that has replied to the beginning of the game."""
    game = MjaiSessionDriver(BatchSession(BOT), Scenario(hands, draws, **changes), letter).begin()
    assert [[said["type"] for said in array] for array in game.hear()] == [["start_game"]]
    assert isinstance(game.say(NONE), Answered)
    assert game.is_ready
    return game.deal()


def lines(letter: str = "A", draws: str = "8m", hands: dict[str, str] = QUIET, **changes: Any) -> MjaiSessionDriver:
    """Seat a bot that reads lines."""
    game = MjaiSessionDriver(LineSession(BOT), Scenario(hands, draws, **changes), letter).begin()
    assert [type(each) for each in game.wait(0.0)] == [Answered]
    assert [(said["type"], said["can_act"]) for said in game.hear()] == [("start_game", False)]
    return game.deal()


def types(array: list[Said]) -> str:
    """Return the types of the messages in an array, in one line."""
    return " ".join(str(said["type"]) for said in array)


@each_row("session", [BatchSession(BOT), LineSession(BOT)])
def test_a_bot_needs_no_hello(session: BatchSession | LineSession) -> None:
    """The session introduces the bot itself, and drops all that the bot sends before its game."""
    session.greet()
    assert session.take() == []
    assert session.due() is not None
    assert session.receive(b'{"type":"none"}', 0.0) == Stale(Staleness.NO_QUESTION)
    assert session.tick(0.0) == Introduced(BOT)
    assert session.due() is None


# Arrays


def test_an_array_ends_where_the_bot_may_act() -> None:
    """An array ends with the bot's own draw or another's tile, and holds all that happened in between."""
    game = batch()
    (array,) = game.hear()
    assert types(array) == "start_kyoku tsumo"
    assert all("possible_actions" not in said for said in array)
    assert isinstance(game.say({"type": "dahai", "actor": 0, "pai": "1m", "tsumogiri": False}), Answered)
    assert game.hear() == []
    game.others(3)
    (array,) = game.hear()
    assert types(array) == "dahai tsumo dahai tsumo dahai tsumo dahai tsumo"
    assert array[0]["actor"] == array[-1]["actor"] == 0


def test_another_array_follows_when_others_are_done() -> None:
    """There is one array for the call, and one for the bot's draw after it."""
    game = batch("B")("A sute 5p")
    (array,) = game.hear()
    assert types(array) == "start_kyoku tsumo dahai"
    assert isinstance(game.say(NONE), Answered)
    assert game.hear() == []
    game("C no")
    (array,) = game.hear()
    assert types(array) == "tsumo"
    assert game.played == [Pass()]


def test_riichi_is_an_array_of_its_own() -> None:
    """The array holds ``reach`` alone; the reply names the tile."""
    game = batch(draws="4p", hands=ONE_OFF)
    game.hear()
    assert game.say({"type": "reach", "actor": 0}) == InStep()
    assert game.hear() == [[{"type": "reach", "actor": 0}]]
    assert isinstance(game.say({"type": "dahai", "actor": 0, "pai": "E", "tsumogiri": False}), Answered)
    assert game.played == [Riichi(F("E"))]
    (array,) = game.others(3).hear()
    assert types(array) == "dahai reach_accepted tsumo dahai tsumo dahai tsumo dahai tsumo"


def test_a_missing_tile_is_named_for_the_bot() -> None:
    """The session names a tile; it awaits the late reply, which decides nothing."""
    game = batch(draws="4p", hands=ONE_OFF)
    game.hear()
    game.say({"type": "reach", "actor": 0})
    game.hear()
    assert [type(each) for each in game.wait(MOVE + BANK)] == [Answered]
    assert game.played == [Riichi(F("E"))]
    assert game.say({"type": "dahai", "actor": 0, "pai": "2m", "tsumogiri": False}) == InStep()


def test_robbing_is_the_last_of_an_array() -> None:
    """A dora that was revealed with the kan comes with the next array."""
    game = batch("D", "7z9s9m9p1z", KAN, rinshan="9p")
    game("A sute 1z")
    game.hear()
    game.say(NONE)
    game("B pon", "B sute 6p")
    game.scenario.pass_all().turns(3)
    game._pass_on([*game.scenario("B kakan 1z").last, DoraRevealed(0)])
    (array,) = game.hear()
    assert array[-1]["type"] == "kakan"
    assert isinstance(game.say({"type": "hora"}), Answered)
    assert game.played[-1] == Ron()


@each_row(
    "wrong",
    [
        b"nonsense",
        b"[]",
        b'[{"type":"none"}]',
        NONE,
        {"type": "dahai", "actor": 1, "pai": "1m", "tsumogiri": False},
        {"type": "dahai", "actor": 0, "pai": "C", "tsumogiri": False},
    ],
)
def test_a_wrong_reply_becomes_the_default(wrong: Said | bytes) -> None:
    """The bot receives no message about it; the next array shows the played action."""
    game = batch()
    game.hear()
    assert isinstance(game.say(wrong), (Answered, Unreadable))
    assert game.played == [Discard(F("8m"), tsumogiri=True)]
    assert game.say(wrong) == Stale(Staleness.NO_QUESTION)


def test_a_late_bot_is_waited_for() -> None:
    """The next array waits for the late reply, which decides nothing, and holds all that happened meanwhile."""
    game = batch()
    game.hear()
    game.time_out()
    assert game.played == [Discard(F("8m"), tsumogiri=True)]
    game.others(3)
    assert game.hear() == []
    assert game.say({"type": "dahai", "actor": 0, "pai": "1m", "tsumogiri": False}) == InStep()
    (array,) = game.hear()
    assert types(array) == "dahai tsumo dahai tsumo dahai tsumo dahai tsumo"
    game.time_out()
    assert game.say(b"{") == Stale(Staleness.UNREADABLE)


def test_a_bot_that_hangs_is_given_up() -> None:
    """The number of waiting messages is bounded."""
    game = batch()
    game.hear()
    game.time_out()
    game.tell(*[DoraRevealed(0)] * MAX_WAITING)
    assert [type(each) for each in [game.session.tick(game.now)]] == [Violated]


def test_a_bot_receives_no_results() -> None:
    """After the last decision the bot receives only the end of the kyoku, and its reply says ready."""
    game = batch(draws="5p", hands={"A": "234m678m345s46p88p"})
    game.hear()
    game.say({"type": "hora", "actor": 0, "target": 0, "pai": "5p"})
    game.ask_ready()
    assert game.hear() == [[{"type": "end_kyoku"}]]
    assert not game.is_ready
    assert isinstance(game.say(NONE), Answered)
    assert game.is_ready
    game.end_kyoku()
    game.tell(ENDED)
    game.session.bye()
    assert game.hear() == [
        [{"type": "end_game", "deltas": [-33_000, 21_000, 11_000, 1_000], "scores": list(ENDED.points)}]
    ]
    assert game.say(NONE) == Farewell()
    assert game.session.LINGER == 1.0


def test_a_slow_bot_does_not_receive_a_kyoku_that_is_over() -> None:
    """A slow bot receives only the end of a kyoku that is over."""
    game = batch("D").others(2)
    game.ask_ready()
    assert [types(array) for array in game.hear()] == ["end_kyoku"]


def test_a_bot_that_still_loads_receives_the_beginning_later() -> None:
    """While the reply to ``start_game`` is overdue, the table goes on and the arrays wait."""
    game = MjaiSessionDriver(BatchSession(BOT), Scenario(QUIET, "8m"), "A").begin()
    game.hear()
    game.session.lapse(game._number, game.now, by_time=True)
    game.deal()
    assert game.hear() == []
    assert game.say(NONE) == InStep()
    (array,) = game.hear()
    assert types(array) == "start_kyoku tsumo"


def test_errors_are_arrays_too() -> None:
    """So are the end of a game without a result, and an error."""
    game = batch()
    game.hear()
    game.session.bye()
    assert game.hear() == [[{"type": "error", "message": "the game has ended without a result"}]]
    game.session.error("no")
    assert game.hear() == [[{"type": "error", "message": "no"}]]
    assert game.say(NONE) == Stale(Staleness.CLOSING)


# Lines


def test_only_the_line_on_which_the_bot_can_act_asks_for_a_reply() -> None:
    """All other lines say that the bot cannot act; results are among them."""
    game = lines("B")("A sute 5p")
    heard = game.hear()
    assert [(said["type"], said.get("can_act", True)) for said in heard] == [
        ("start_kyoku", False),
        ("tsumo", False),
        ("dahai", True),
    ]
    assert isinstance(game.say({"type": "none", "meta": {"q_values": []}}), Answered)
    assert game.say(NONE) == Stale(Staleness.NO_QUESTION)


def test_the_echo_of_a_riichi_asks_for_the_tile() -> None:
    """The echo of the riichi asks for the tile."""
    game = lines(draws="4p", hands=ONE_OFF)
    game.hear()
    assert game.say({"type": "reach", "actor": 0}) == InStep()
    assert game.hear() == [{"type": "reach", "actor": 0}]
    assert isinstance(game.say({"type": "dahai", "actor": 0, "pai": "E", "tsumogiri": False}), Answered)
    assert game.played == [Riichi(F("E"))]


def test_results_are_lines_without_a_reply() -> None:
    """The session answers for the bot that it is ready."""
    game = lines(draws="5p", hands={"A": "234m678m345s46p88p"})
    game.hear()
    game.say({"type": "hora", "actor": 0, "target": 0, "pai": "5p"})
    game.ask_ready()
    assert [type(each) for each in game.wait(0.0)] == [Answered]
    assert [(said["type"], said["can_act"]) for said in game.hear()] == [("hora", False), ("end_kyoku", False)]
    game.end_kyoku()
    game.tell(ENDED)
    assert [(said["type"], said["can_act"]) for said in game.hear()] == [("end_game", False)]


def test_a_late_line_is_dropped() -> None:
    """It does not count as the reply to the next question."""
    game = lines()
    game.hear()
    game.time_out()
    game.others(3)
    game.hear()
    late = {"type": "dahai", "actor": 0, "pai": "1m", "tsumogiri": False}
    assert game.say(late) == Stale(Staleness.LATE)
    assert isinstance(game.say({"type": "dahai", "actor": 0, "pai": "9m", "tsumogiri": False}), Answered)
    assert game.played[-1] == Discard(F("9m"))


def test_a_bot_that_prints_nothing_comes_into_step_again() -> None:
    """For a question without a reply the next reply is dropped; the one after that counts."""
    game = lines()
    game.hear()
    game.time_out()
    game.others(3).hear()
    assert game.say({"type": "dahai", "actor": 0, "pai": "9m", "tsumogiri": False}) == Stale(Staleness.LATE)
    game.time_out()
    game.others(3).hear()
    assert isinstance(game.say({"type": "dahai", "actor": 0, "pai": "9m", "tsumogiri": False}), Answered)
    assert game.played[-1] == Discard(F("9m"))


@each_row("seat", [batch, lines])
def test_a_bot_that_can_only_pass_is_not_asked(seat: Any) -> None:
    """If a table asks every seat every time, the session passes at once."""
    game = seat("D", ask_all=True)
    game("A sute 1m")
    assert [type(each) for each in game.wait(0.0)] == [Answered]
    assert game.played == [Pass()]
    assert game.hear() == []


@each_row("explains", [False, True])
def test_a_bot_of_lines_can_ask_for_reasons(explains: bool) -> None:
    """After a ``join`` with ``explain``, the next line says why a reply does not count."""
    game = lines()
    game.hear()
    if explains:
        assert game.say({"type": "join", "explain": True}) == InStep()
        assert game.is_asked
    game.say({"type": "dahai", "actor": 0, "pai": "C", "tsumogiri": False})
    game.others(3)
    first, *later = game.hear()
    assert first.get("ack") == ({"status": "rejected", "reason": "not_held"} if explains else None)
    assert first["can_act"] is False
    assert not any("ack" in line for line in later)
