"""The offers to a seat and the meaning of its replies, in every form that is written or read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from support.rows import each_row
from support.scenario import Scenario

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.game.resolution import resolve
from ump.model.actions import Action, Ankan, Chi, Daiminkan, Discard, Kakan, KyushuKyuhai, Pass, Pon, Riichi, Ron, Tsumo
from ump.model.claims import Claim, Verb
from ump.model.notation import parse_mjai_face
from ump.model.seats import LETTERS
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.rules.ruleset import Length
from ump.wire.mjai.actions import (
    MjaiQuestion,
    cannot_dahai,
    chosen_riichi,
    complete_offers,
    forced_riichi,
    minimal_offers,
    read_reply,
    riichi_offers,
)
from ump.wire.text import WireError

F = parse_mjai_face
Said = dict[str, Any]

ONE_OFF = "234m678m345s68p8p1z"
QUIET = {"A": "19m159p19s123456z", "B": "46p147s12347z258m", "C": "055p369m258s1234z", "D": "147m279p369s1467z"}
KAN = {"A": "1z147m258p369s235z", "B": "11z234m678m345s6p8p", "D": "19m19p19s2345677z"}


def asked(game: Scenario, letter: str) -> MjaiQuestion:
    """Return the open question of a seat, as a session holds it."""
    seat = LETTERS.index(letter)
    question: Question = game.kyoku.questions[seat]
    return MjaiQuestion(seat, getattr(question, "source", 0), question)


def drawn() -> MjaiQuestion:
    """A has drawn, and may declare riichi with the east wind."""
    return asked(Scenario({"A": ONE_OFF}, "4p"), "A")


def chi() -> MjaiQuestion:
    """B may make a run with A's 5p."""
    return asked(Scenario(QUIET, "8m")("A sute 5p"), "B")


def pon() -> MjaiQuestion:
    """C holds the red five and two others of A's 5p."""
    return asked(Scenario(QUIET, "8m")("A sute 5p"), "C")


def after_pon() -> MjaiQuestion:
    """C has just called A's 5p."""
    return asked(Scenario(QUIET, "8m")("A sute 5p", "B no", "C pon 5p 5p"), "C")


def added() -> MjaiQuestion:
    """B may add to its pon of east."""
    game = Scenario(KAN, "7z9s9m9p1z", rinshan="9p")
    return asked(game("A sute 1z", "D no", "B pon", "B sute 6p").pass_all().turns(3), "B")


def robbing() -> MjaiQuestion:
    """D may rob B's added kan."""
    game = Scenario(KAN, "7z9s9m9p1z", rinshan="9p")
    return asked(game("A sute 1z", "D no", "B pon", "B sute 6p").pass_all().turns(3)("B kakan 1z"), "D")


def closed() -> MjaiQuestion:
    """A holds four fives, one of them red."""
    return asked(Scenario({"A": "0555m147p258s135z"}, "9s"), "A")


def won() -> MjaiQuestion:
    """A has drawn its winning tile."""
    return asked(Scenario({"A": "234m678m345s46p88p"}, "5p"), "A")


def thrown() -> MjaiQuestion:
    """A holds nine terminals and honours."""
    return asked(Scenario({"A": "19m19p19s123z258m4p"}, "5s"), "A")


# Offers

COMPLETE: Mapping[str, tuple[MjaiQuestion, list[Said]]] = {
    "riichi": (drawn(), [{"type": "reach", "actor": 0}]),
    "chi": (chi(), [{"type": "chi", "actor": 1, "target": 0, "pai": "5p", "consumed": ["4p", "6p"]}]),
    "open kan, then pon": (
        pon(),
        [
            {"type": "daiminkan", "actor": 2, "target": 0, "pai": "5p", "consumed": ["5p", "5p", "5pr"]},
            {"type": "pon", "actor": 2, "target": 0, "pai": "5p", "consumed": ["5p", "5p"]},
            {"type": "pon", "actor": 2, "target": 0, "pai": "5p", "consumed": ["5p", "5pr"]},
        ],
    ),
    "nothing but a discard": (after_pon(), []),
    "added kan": (added(), [{"type": "kakan", "actor": 1, "pai": "E", "consumed": ["E", "E", "E"]}]),
    "robbing": (robbing(), [{"type": "hora", "actor": 3, "target": 1, "pai": "E"}]),
    "closed kan": (closed(), [{"type": "ankan", "actor": 0, "consumed": ["5m", "5m", "5m", "5mr"]}]),
    "tsumo before riichi": (
        won(),
        [{"type": "hora", "actor": 0, "target": 0, "pai": "5p"}, {"type": "reach", "actor": 0}],
    ),
    "nine terminals": (thrown(), [{"type": "ryukyoku", "actor": 0, "reason": "kyushukyuhai"}]),
}


@each_row("name", COMPLETE)
def test_complete_offers_leave_out_discards(name: str) -> None:
    """Complete offers are all actions but discards, with all fields, in gimite's order, each once."""
    question, expected = COMPLETE[name]
    assert complete_offers(question) == expected


MINIMAL: Mapping[str, tuple[MjaiQuestion, list[Said]]] = {
    "chi": (chi(), [{"type": "none"}, {"type": "chi", "pai": "5p", "consumed": ["4p", "6p"]}]),
    "open kan and pon": (
        pon(),
        [
            {"type": "none"},
            {"type": "pon", "pai": "5p", "consumed": ["5pr", "5p"]},
            {"type": "pon", "pai": "5p", "consumed": ["5p", "5p"]},
            {"type": "daiminkan", "pai": "5p", "consumed": ["5pr", "5p", "5p"]},
        ],
    ),
    "added kan": (added(), [{"type": "kakan", "pai": "E", "consumed": ["E", "E", "E"]}]),
    "robbing": (robbing(), [{"type": "none"}, {"type": "hora"}]),
    "closed kan": (closed(), [{"type": "ankan", "pai": "5mr", "consumed": ["5mr", "5m", "5m", "5m"]}]),
    "tsumo and riichi": (won(), [{"type": "reach"}, {"type": "hora"}]),
    "nine terminals": (thrown(), [{"type": "ryukyoku"}]),
}


@each_row("name", MINIMAL)
def test_minimal_offers_have_the_fields_of_riichienv(name: str) -> None:
    """A win has no tile, a red five stands before equal tiles, and the tiles of a chi ascend."""
    question, expected = MINIMAL[name]
    assert [offer for offer in minimal_offers(question) if offer["type"] != "dahai"] == expected


@pytest.mark.no_cover
def test_minimal_offers_have_this_form_in_random_games() -> None:
    """In sixty games, red fives come first in all sets of equal tiles, and only there, and wins have no tile."""
    red_first: set[object] = set()
    for seed in range(60):
        for offer in offers_of_a_game(seed):
            assert set(offer) == FIELDS_OF[str(offer["type"])]
            own = [str(tile) for tile in offer.get("consumed", ())]
            if offer["type"] == "chi":
                assert own == sorted(own)
            else:
                assert own == sorted(own, key=lambda tile: tile[-1] != "r")
                assert not own or offer["type"] != "ankan" or offer["pai"] == own[0]
                red_first |= {offer["type"] for tile in own if tile[-1] == "r"}
    assert red_first == {"pon", "daiminkan", "kakan"}


def offers_of_a_game(seed: int) -> Iterator[Said]:
    """Yield the offers in one kyoku between players who call at random."""
    chance = Random(seed)
    game = Game(replace(PRESETS["tenhou"], length=Length.KYOKU), tuple("abcd"), seeded_deals(f"offers/{seed}"))
    game.begin()
    while not game.over:
        game.proceed()
        while game.questions:
            seat, question = next(iter(game.questions.items()))
            yield from minimal_offers(MjaiQuestion(seat, getattr(question, "source", seat), question))
            legal = question.legal()
            game.answer(seat, chance.choice([action for action in legal if not isinstance(action, Pass)] or legal))


FIELDS_OF: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("none", "hora", "reach", "ryukyoku"), frozenset(("type",))),
    "dahai": frozenset(("type", "pai")),
    **dict.fromkeys(("chi", "pon", "daiminkan", "ankan", "kakan"), frozenset(("type", "pai", "consumed"))),
}


def test_minimal_offers_are_everything() -> None:
    """Minimal offers include discards, each tile once, and leave out the fields that the client knows."""
    offers = minimal_offers(won())
    discards = [offer["pai"] for offer in offers if offer["type"] == "dahai"]
    assert len(set(map(str, discards))) == len(discards) == 13
    assert offers.count({"type": "reach"}) == 1
    assert all(not {"actor", "target", "tsumogiri"} & set(offer) for offer in offers)


def test_cannot_dahai_lists_forbidden_discards() -> None:
    """After a call it lists the tiles that kuikae forbids; after riichi, the tiles that would break the hand."""
    called = after_pon()
    assert cannot_dahai(called, called.question.legal()) == ["5pr"]
    declared = drawn()
    offers = riichi_offers(declared)
    assert cannot_dahai(declared, offers) == ["2m", "3m", "4m", "6m", "7m", "8m", "4p", "6p", "8p", "3s", "4s", "5s"]


# Replies

READ: Mapping[str, tuple[MjaiQuestion, Said, Action]] = {
    "discard": (drawn(), {"type": "dahai", "actor": 0, "pai": "E", "tsumogiri": False}, Discard(F("E"))),
    "drawn tile": (drawn(), {"type": "dahai", "actor": 0, "pai": "4p", "tsumogiri": True}, Discard(F("4p"), True)),
    "discard without actor and flag": (drawn(), {"type": "dahai", "pai": "4p"}, Discard(F("4p"), True)),
    "wrong flag": (drawn(), {"type": "dahai", "pai": "E", "tsumogiri": True}, Discard(F("E"))),
    "other order, other fields": (
        drawn(),
        {"log": "hm", "tsumogiri": False, "meta": {"q": [1.5]}, "pai": "E", "type": "dahai"},
        Discard(F("E")),
    ),
    "none": (chi(), {"type": "none"}, Pass()),
    "none with whatever": (chi(), {"type": "none", "actor": 1, "pai": [[]]}, Pass()),
    "chi": (
        chi(),
        {"type": "chi", "actor": 1, "target": 0, "pai": "5p", "consumed": ["6p", "4p"]},
        Chi((F("4p"), F("6p"))),
    ),
    "chi without tiles": (chi(), {"type": "chi"}, Chi((F("4p"), F("6p")))),
    "pon": (pon(), {"type": "pon", "consumed": ["5p", "5p"]}, Pon((F("5p"), F("5p")))),
    "pon with the red five": (pon(), {"type": "pon", "consumed": ["5p", "5pr"]}, Pon((F("5pr"), F("5p")))),
    "open kan": (
        pon(),
        {"type": "daiminkan", "actor": 2, "target": 0, "pai": "5p", "consumed": ["5pr", "5p", "5p"]},
        Daiminkan(),
    ),
    "open kan, bare": (pon(), {"type": "daiminkan"}, Daiminkan()),
    "old open kan": (pon(), {"type": "kan", "actor": 2, "target": 0, "pai": "5p", "consumed": ["5p"] * 3}, Daiminkan()),
    "closed kan": (closed(), {"type": "ankan", "actor": 0, "consumed": ["5mr", "5m", "5m", "5m"]}, Ankan(F("5m"))),
    "closed kan, plain tiles": (closed(), {"type": "ankan", "consumed": ["5m"] * 4}, Ankan(F("5m"))),
    "closed kan by its tile": (closed(), {"type": "ankan", "pai": "5m"}, Ankan(F("5m"))),
    "closed kan with a needless tile": (
        closed(),
        {"type": "ankan", "pai": "5m", "consumed": ["5m"] * 4},
        Ankan(F("5m")),
    ),
    "old closed kan of four": (closed(), {"type": "kan", "actor": 0, "consumed": ["5m"] * 4}, Ankan(F("5m"))),
    "old closed kan of three": (
        closed(),
        {"type": "kan", "actor": 0, "pai": "5m", "consumed": ["5m"] * 3},
        Ankan(F("5m")),
    ),
    "added kan": (
        added(),
        {"type": "kakan", "actor": 1, "pai": "E", "consumed": ["E", "E", "E"]},
        Kakan(F("E")),
    ),
    "added kan by its tile": (added(), {"type": "kakan", "pai": "E"}, Kakan(F("E"))),
    "old added kan": (added(), {"type": "kan", "actor": 1, "pai": "E", "consumed": ["E"] * 3}, Kakan(F("E"))),
    "tsumo": (won(), {"type": "hora", "actor": 0, "target": 0, "pai": "5p"}, Tsumo()),
    "bare tsumo": (won(), {"type": "hora"}, Tsumo()),
    "ron": (robbing(), {"type": "hora", "actor": 3, "target": 1, "pai": "E"}, Ron()),
    "bare ron": (robbing(), {"type": "hora"}, Ron()),
    "nine terminals": (thrown(), {"type": "ryukyoku", "actor": 0, "reason": "kyushukyuhai"}, KyushuKyuhai()),
    "nine terminals without reason": (thrown(), {"type": "ryukyoku"}, KyushuKyuhai()),
    "nine terminals, other word": (thrown(), {"type": "ryukyoku", "reason": "kyushu_kyuhai"}, KyushuKyuhai()),
}


@each_row("name", READ)
def test_a_loose_reply_means_its_action(name: str) -> None:
    """A reply in a loose form still means exactly this action."""
    question, reply, action = READ[name]
    assert isinstance(question.question, Question)
    assert resolve(question.question, read_reply(reply, question)) == action


def test_offers_are_read_back() -> None:
    """An offer that is sent back as a reply means the offered action, in both forms."""
    for question in (chi(), pon(), added(), robbing(), closed(), won(), thrown()):
        assert isinstance(question.question, Question)
        legal = [action for action in question.question.legal() if not isinstance(action, (Riichi, Discard))]
        meant = [
            resolve(question.question, read_reply(offer, question))  # type: ignore[arg-type]
            for offer in minimal_offers(question)
            if offer["type"] not in ("reach", "dahai")
        ]
        assert meant == legal


def test_reach_is_the_first_of_two_steps() -> None:
    """A reach claims riichi without a tile, even if the reply names one."""
    replies: list[Said] = [{"type": "reach", "actor": 0}, {"type": "reach"}, {"type": "reach", "pai": "E"}]
    for reply in replies:
        assert read_reply(reply, drawn()) == Claim(Verb.RIICHI)


UNREADABLE: Mapping[str, tuple[MjaiQuestion, Said]] = {
    "no type": (drawn(), {"actor": 0}),
    "type of another kind": (drawn(), {"type": 5}),
    "unknown type": (drawn(), {"type": "tsumo", "actor": 0}),
    "kita of another tile": (drawn(), {"type": "kita", "pai": "W"}),
    "another's action": (drawn(), {"type": "dahai", "actor": 1, "pai": "E", "tsumogiri": False}),
    "actor as text": (drawn(), {"type": "dahai", "actor": "0", "pai": "E"}),
    "actor as truth": (drawn(), {"type": "dahai", "actor": False, "pai": "E"}),
    "actor as fraction": (drawn(), {"type": "dahai", "actor": 0.0, "pai": "E"}),
    "no tile": (drawn(), {"type": "dahai", "actor": 0}),
    "hidden tile": (drawn(), {"type": "dahai", "actor": 0, "pai": "?"}),
    "no tile at all": (drawn(), {"type": "dahai", "actor": 0, "pai": "10m"}),
    "tile as number": (drawn(), {"type": "dahai", "actor": 0, "pai": 5}),
    "flag as number": (drawn(), {"type": "dahai", "actor": 0, "pai": "E", "tsumogiri": 0}),
    "one tile too few": (chi(), {"type": "chi", "consumed": ["4p"]}),
    "tiles as text": (chi(), {"type": "chi", "consumed": "4p6p"}),
    "tiles in tiles": (chi(), {"type": "chi", "consumed": [["4p"], ["6p"]]}),
    "a call of another tile": (chi(), {"type": "chi", "pai": "5s", "consumed": ["4p", "6p"]}),
    "a call of another's tile": (chi(), {"type": "chi", "target": 3, "pai": "5p", "consumed": ["4p", "6p"]}),
    "open kan of other tiles": (pon(), {"type": "daiminkan", "consumed": ["5p", "5p", "6p"]}),
    "closed kan of two tiles": (closed(), {"type": "ankan", "consumed": ["5m", "5m"]}),
    "closed kan of nothing": (closed(), {"type": "ankan"}),
    "added kan of two tiles": (added(), {"type": "kakan", "pai": "E", "consumed": ["E", "E"]}),
    "tsumo from another": (won(), {"type": "hora", "actor": 0, "target": 1, "pai": "5p"}),
    "tsumo with another tile": (won(), {"type": "hora", "actor": 0, "target": 0, "pai": "6p"}),
    "ron of oneself": (robbing(), {"type": "hora", "actor": 3, "target": 3, "pai": "E"}),
    "reason as number": (thrown(), {"type": "ryukyoku", "reason": 9}),
}


@each_row("name", UNREADABLE)
def test_replies_that_contradict_are_unreadable(name: str) -> None:
    """Replies with wrong types, or with fields that contradict the question, are unreadable."""
    question, reply = UNREADABLE[name]
    with pytest.raises(WireError):
        read_reply(reply, question)


# Riichi


@each_row(
    ("claim", "riichi"),
    [
        (Claim(Verb.DISCARD, (F("E"),)), Riichi(F("E"))),
        (Claim(Verb.DISCARD, (F("E"),), True), Riichi(F("E"))),
        (Claim(Verb.DISCARD, (F("4p"),), True), None),
        (Claim(Verb.NO), None),
        (Claim(Verb.TSUMO), None),
    ],
)
def test_a_discard_chooses_the_riichi(claim: Claim, riichi: Riichi | None) -> None:
    """Only a discard that keeps the hand tenpai chooses a riichi."""
    question = drawn()
    assert chosen_riichi(riichi_offers(question), claim, question) == riichi


def test_a_tile_of_the_hand_goes_before_an_equal_drawn_one() -> None:
    """Of two equal tiles the one in the hand goes, unless tsumogiri says otherwise."""
    question = asked(Scenario({"A": "234m678m345s4599p"}, "4p"), "A")
    offers = riichi_offers(question)
    plain, flagged = Claim(Verb.DISCARD, (F("4p"),)), Claim(Verb.DISCARD, (F("4p"),), True)
    assert chosen_riichi(offers, plain, question) == Riichi(F("4p"))
    assert chosen_riichi(offers, flagged, question) == Riichi(F("4p"), True)


def test_a_forced_riichi_discards_the_drawn_tile_if_legal() -> None:
    """It discards the drawn tile if that is legal, else the rightmost legal tile."""
    assert forced_riichi((Riichi(1), Riichi(2), Riichi(2, True))) == Riichi(2, True)
    assert forced_riichi((Riichi(1), Riichi(2))) == Riichi(2)
    assert riichi_offers(chi()) == ()
    assert riichi_offers(after_pon()) == ()
