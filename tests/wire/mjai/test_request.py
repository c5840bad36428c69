"""On request: ids, offers, times and acknowledgements."""

from __future__ import annotations

from itertools import product
from typing import Any

from support.mjai_session_driver import BANK, MOVE, MjaiSessionDriver
from support.rows import each_row
from support.scenario import Scenario

from ump.model.actions import Discard, Pass, Riichi, Ron
from ump.model.claims import Claim, Verb
from ump.model.events import DoraRevealed, GameEnded
from ump.model.notation import parse_mjai_face
from ump.players.hints import HintScope
from ump.wire.mjai.request_session import RequestSession
from ump.wire.session import Answered, InStep, Introduced, Introduction, Stale, Staleness, Unreadable

F = parse_mjai_face
Said = dict[str, Any]

QUIET = {"A": "19m159p19s123456z", "B": "46p147s12347z258m", "C": "55p369m258s12356z", "D": "147m279p369s1467z"}
ONE_OFF = {"A": "234m678m345s68p8p1z"}
KAN = {"A": "1z147m258p369s235z", "B": "11z234m678m345s6p8p", "D": "19m19p19s2345677z"}
ENDED = GameEnded((40_000, 30_000, 20_000, 10_000), (1, 2, 3, 4), (500, 100, -200, -400))
DRAWN: Said = {"type": "dahai", "actor": 0, "pai": "8m", "tsumogiri": True}


def driver(
    letter: str = "A", draws: str = "8m", hands: dict[str, str] = QUIET, *, is_validation: bool = False, **changes: Any
) -> MjaiSessionDriver:
    """Seat a client, and deal."""
    session = RequestSession("ann", "east", is_validation=is_validation)
    game = MjaiSessionDriver(session, Scenario(hands, draws, **changes), letter).begin()
    assert [type(each) for each in game.wait(0.0)] == [Answered]
    assert game.hear() == [{"type": "start_game", "id": game.seat, "names": ["A", "B", "C", "D"]}]
    return game.deal()


def ack(number: int, status: str, **more: Any) -> Said:
    """Return an acknowledgement."""
    return {"type": "action_ack", "request_id": number, "status": status, **more}


def test_the_url_introduces() -> None:
    """The name and the room are known from the connection, without a hello."""
    session = RequestSession("ann", "east")
    assert session.tick(0.0) == Introduced(Introduction(name="ann", room="east"))
    assert RequestSession(None, None).tick(0.0) == Introduced(Introduction())


def test_a_request_is_a_message_of_its_own() -> None:
    """Events come before it; it offers every legal action and has the time that is left."""
    game = driver()
    start, draw, request = game.hear()
    assert (start["type"], start["scores"]) == ("start_kyoku", [25_000] * 4)
    assert draw == {"type": "tsumo", "actor": 0, "pai": "8m"}
    assert request["request_id"] == 1
    assert request["time"] == {"grace_ms": 10_000, "bank_ms": 20_000, "deadline_ms": 30_000}
    assert request["possible_actions"][0] == {"type": "dahai", "pai": "1m"}
    assert request["possible_actions"][-2:] == [
        {"type": "dahai", "pai": "8m"},
        {"type": "ryukyoku"},
    ]
    assert request["observation"]
    assert game.say({**DRAWN, "request_id": 1}) == Answered(2, Claim(Verb.DISCARD, (F("8m"),), True))
    assert game.hear() == [ack(1, "accepted"), DRAWN, {"type": "tsumo", "actor": 1, "pai": "?"}]
    assert game.played == [Discard(F("8m"), tsumogiri=True)]


def test_riichi_is_two_requests() -> None:
    """The second offers the tiles that keep the hand tenpai, in the time that is left."""
    game = driver(draws="4p", hands=ONE_OFF)
    game.hear()
    game.now += 12.0
    assert game.say({"type": "reach", "request_id": 1, "pai": "E"}) == InStep()
    acknowledged, echo, request = game.hear()
    assert (acknowledged, echo) == (ack(1, "accepted"), {"type": "reach", "actor": 0})
    assert request.pop("observation")
    assert request == {
        "type": "request_action",
        "request_id": 2,
        "possible_actions": [{"type": "dahai", "pai": "E"}],
        "time": {"grace_ms": 0, "bank_ms": 18_000, "deadline_ms": 18_000},
    }
    assert isinstance(game.say({"type": "dahai", "pai": "E", "request_id": 2}), Answered)
    assert game.played == [Riichi(F("E"))]
    assert [said["type"] for said in game.hear()] == ["action_ack", "dahai", "reach_accepted", "tsumo"]


def test_advice_comes_once_with_a_question() -> None:
    """It names offers, the riichi with its tile; only to a client that asks, at a table that gives it."""
    for wants_advice, hints in product((True, False), HintScope):
        session = RequestSession("ann", "east", wants_advice=wants_advice)
        game = MjaiSessionDriver(session, Scenario(ONE_OFF, "4p"), hints=hints).begin().deal()
        game.wait(0.0)
        asked = game.hear()[-1]
        assert ("advice" in asked) is (wants_advice and hints is HintScope.ADVICE)
        if "advice" in asked:
            best, *others = (each["action"] for each in asked["advice"])
            assert best == {"type": "reach", "pai": "E"}
            assert others
            assert all(each in asked["possible_actions"] for each in others)
        game.say({"type": "reach"})
        assert game.hear()[-1].keys() == asked.keys() - {"advice"}


@each_row(
    ("reply", "status", "reason"),
    [
        ({"type": "dahai", "pai": "2m", "request_id": 2}, "rejected", "not_tenpai"),
        ({"type": "none", "request_id": 2}, "rejected", "not_asked"),
        ({"type": "sing", "request_id": 2}, "unparseable", "unreadable"),
        (b"?", "unparseable", "unreadable"),
    ],
)
def test_a_wrong_tile_does_not_take_riichi_back(reply: Said | bytes, status: str, reason: str) -> None:
    """The acknowledgement says that the tile is wrong, and another one is discarded."""
    game = driver(draws="4p", hands=ONE_OFF)
    game.say({"type": "reach", "request_id": 1})
    game.hear()
    assert isinstance(game.say(reply), Answered)
    assert game.hear()[0] == ack(2, status, reason=reason)
    assert game.played == [Riichi(F("E"))]


def test_a_missing_tile_is_named_for_the_client() -> None:
    """The session names a tile, and the acknowledgement tells the client."""
    game = driver(draws="4p", hands=ONE_OFF)
    game.say({"type": "reach", "request_id": 1})
    game.hear()
    game.wait(MOVE + BANK)
    assert game.played == [Riichi(F("E"))]
    action = {"type": "dahai", "actor": 0, "pai": "E", "tsumogiri": False}
    assert game.hear()[0] == ack(2, "defaulted", reason="late", action=action)


@each_row(
    ("reply", "status", "reason", "kind"),
    [
        ({"type": "dahai", "pai": "C", "request_id": 1}, "rejected", "not_held", Answered),
        ({"type": "none", "request_id": 1}, "rejected", "not_asked", Answered),
        ({"type": "hora", "request_id": 1}, "rejected", "not_complete", Answered),
        ({"type": "reach", "request_id": 1}, "rejected", "not_tenpai", Answered),
        ({"type": "dahai", "actor": 2, "pai": "8m", "request_id": 1}, "unparseable", "unreadable", Unreadable),
        ({"type": "dahai", "request_id": 1}, "unparseable", "unreadable", Unreadable),
        ({"request_id": 1}, "unparseable", "unreadable", Unreadable),
        ({**DRAWN, "request_id": "1"}, "unparseable", "unreadable", Unreadable),
        ({**DRAWN, "request_id": True}, "unparseable", "unreadable", Unreadable),
        (b"{", "unparseable", "unreadable", Unreadable),
        (b"[]", "unparseable", "unreadable", Unreadable),
    ],
)
def test_a_wrong_reply_is_acknowledged_before_its_consequences(
    reply: Said | bytes, status: str, reason: str, kind: type
) -> None:
    """The acknowledgement comes first; then the default is played."""
    game = driver()
    game.hear()
    assert isinstance(game.say(reply), kind)
    assert game.hear()[:2] == [ack(1, status, reason=reason), DRAWN]
    assert game.say({**DRAWN, "request_id": 1}) == Stale(Staleness.OTHER_ID)
    assert game.hear() == [ack(1, "stale", reason="repeated", open_request_id=None)]


def test_no_reply_in_time_is_defaulted() -> None:
    """The acknowledgement has the action that the server took; a late reply is stale, and no further fault."""
    game = driver()
    game.hear()
    game.time_out()
    assert game.hear()[:2] == [ack(1, "defaulted", reason="late", action=DRAWN), DRAWN]
    assert game.say({**DRAWN, "request_id": 1}) == InStep(Staleness.LATE)
    assert game.hear() == [ack(1, "stale", reason="late", open_request_id=None)]


def test_a_default_call_is_none() -> None:
    """The default of a question about a tile is to pass."""
    game = driver("B")("A sute 5p", "C no")
    game.hear()
    game.time_out()
    assert game.hear()[0] == ack(1, "defaulted", reason="late", action={"type": "none"})
    assert game.played == [Pass()]


def test_replies_without_id_are_matched_in_their_order() -> None:
    """The first reply of a late client belongs to the old request."""
    game = driver()
    game.hear()
    game.time_out()
    game.others(3)
    game.hear()
    assert game.say(DRAWN) == InStep(Staleness.LATE)
    assert game.hear() == [ack(1, "stale", reason="late", open_request_id=2)]
    assert isinstance(game.say({"type": "dahai", "pai": "9m"}), Answered)
    assert game.hear()[0] == ack(2, "accepted")
    assert game.played[-1] == Discard(F("9m"))
    assert game.say(DRAWN) == Stale(Staleness.NO_QUESTION)
    assert game.hear() == []


def test_a_reply_to_a_newer_request_skips_the_older_ones() -> None:
    """A client that sends ids may leave requests unanswered."""
    game = driver()
    game.hear()
    game.time_out()
    game.others(3)
    game.hear()
    assert isinstance(game.say({"type": "dahai", "pai": "9m", "request_id": 2}), Answered)
    assert game.say(DRAWN) == Stale(Staleness.NO_QUESTION)


@each_row("number", [0, -1, 7, 10**14])
def test_a_reply_to_an_unknown_id_is_stale(number: int) -> None:
    """The reply is stale, and the open request stays open."""
    game = driver()
    game.hear()
    assert game.say({**DRAWN, "request_id": number}) == Stale(Staleness.OTHER_ID)
    assert game.hear() == [ack(number, "stale", reason="unknown", open_request_id=1)]
    assert isinstance(game.say({**DRAWN, "request_id": 1}), Answered)


def test_a_request_that_others_settled_is_stale() -> None:
    """The acknowledgement comes with the reply, not before."""
    game = driver("C", hands={**QUIET, "D": "234m678m345s46p88p"})("A sute 5p")
    game.hear()
    game("B no", "D ron")
    assert [said["type"] for said in game.hear()] == ["hora"]
    assert game.say({"type": "pon", "consumed": ["5p", "5p"], "request_id": 1}) == InStep(Staleness.DECIDED)
    assert game.hear() == [ack(1, "stale", reason="decided", open_request_id=None)]


def test_a_request_stands_right_after_its_event() -> None:
    """A dora that was revealed with the kan comes after the request."""
    game = driver("D", "7z9s9m9p1z", KAN, rinshan="9p")("A sute 1z")
    game.hear()
    game.say({"type": "none", "request_id": 1})
    game("B pon", "B sute 6p")
    game.scenario.pass_all().turns(3)
    game.hear()
    game._pass_on([*game.scenario("B kakan 1z").last, DoraRevealed(0)])
    heard = game.hear()
    assert [said["type"] for said in heard] == ["kakan", "request_action", "dora"]
    assert heard[1]["possible_actions"] == [{"type": "none"}, {"type": "hora"}]
    assert isinstance(game.say({"type": "hora", "request_id": 2}), Answered)
    assert game.played[-1] == Ron()


def finished(*replies: Said | bytes) -> list[Said]:
    """Return the last messages of a game in which the client sends these replies."""
    game = driver(is_validation=True)
    game.hear()
    for reply in replies:
        game.say(reply)
    if not replies:
        game.time_out()
    game.ask_ready()
    game.wait(0.0)
    game.hear()
    game.end_kyoku()
    game.tell(ENDED)
    game.session.bye()
    return game.hear()


@each_row(
    ("replies", "result"),
    [
        (({**DRAWN, "request_id": 1},), {"passed": True}),
        (({**DRAWN, "request_id": 1}, {**DRAWN, "request_id": 1}), {"passed": True}),
        (
            ({"type": "none", "request_id": 1},),
            {"passed": False, "request_id": 1, "status": "rejected", "reason": "not_asked"},
        ),
        ((b"x",), {"passed": False, "request_id": 1, "status": "unparseable", "reason": "unreadable"}),
        ((), {"passed": False, "request_id": 1, "status": "defaulted", "reason": "late"}),
    ],
)
def test_validation_passes_if_every_answer_counted(replies: tuple[Said | bytes, ...], result: Said) -> None:
    """The client passes if every answer counted."""
    end = {"type": "end_game", "deltas": [15_000, 5_000, -5_000, -15_000], "scores": [40_000, 30_000, 20_000, 10_000]}
    assert finished(*replies) == [end, {"type": "validation_result", **result}]


def test_no_result_follows_without_validation() -> None:
    """No result follows the end; a game without a result has an error instead."""
    game = driver()
    game.hear()
    game.session.bye()
    assert game.hear() == [{"type": "error", "message": "the game has ended without a result"}]
    game.session.error("bad token")
    assert game.hear() == [{"type": "error", "message": "bad token"}]
    assert game.say(DRAWN) == Stale(Staleness.CLOSING)


def test_a_client_that_can_only_pass_is_not_asked() -> None:
    """If a table asks every seat every time, the session passes at once."""
    game = driver("D", ask_all=True)("A sute 1m")
    assert [type(each) for each in game.wait(0.0)] == [Answered]
    assert game.played == [Pass()]
    assert all(said["type"] != "request_action" for said in game.hear())


def test_a_question_asked_again_is_a_new_request() -> None:
    """It has a new id and comes after all other messages."""
    game = driver()
    game.hear()
    game.ask_again()
    (request,) = game.hear()
    assert (request["type"], request["request_id"]) == ("request_action", 2)
    assert isinstance(game.say({**DRAWN, "request_id": 2}), Answered)
